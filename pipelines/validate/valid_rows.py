"""Whether all rows of a table meet its contract, as Arrow sees it: pandas and pandera take half a second to load.

Which requirement a row breaks, and in which words, belongs in `contracts.py`; both have the same requirements.
"""

from __future__ import annotations

import pyarrow as pa

from pipelines.schemas.columns import Column
from pipelines.schemas.relations import ORDERED, PLACED
from pipelines.schemas.tables import Table, arrow_schema


def is_valid(rows: pa.Table, table: Table) -> bool:
    """True only if pandera finds nothing in the rows either."""
    if not rows.schema.equals(arrow_schema(table)):
        return False
    for column in table.columns:
        values = rows[column.name]
        if (values.null_count and column.name not in table.nullable) or not _within_limits(values, column):
            return False
    names = {*rows.column_names}
    if not all(_is_ordered(rows, *triple) for triple in ORDERED if names.issuperset(triple)):
        return False
    if names.issuperset(PLACED) and not _is_placed(rows):
        return False
    return not table.key or _is_distinct(rows.select([*table.key]))


def _within_limits(values: pa.ChunkedArray, column: Column) -> bool:
    import pyarrow.compute as pc  # It makes 300 functions, none of which the definitions need.

    printed = values.drop_null()
    if column.one_of and not pc.all(pc.is_in(printed, pa.array(column.one_of, values.type)), min_count=0).as_py():
        return False
    if column.pattern and not pc.all(pc.match_substring_regex(printed, f"^(?:{column.pattern})"), min_count=0).as_py():
        return False
    least = pc.min(printed).as_py() if column.at_least is not None else None
    # No number is as great as nan.
    return least is None or bool(least >= column.at_least)


def _is_ordered(rows: pa.Table, low: str, middle: str, high: str) -> bool:
    import pyarrow.compute as pc

    below, above = pc.less_equal(rows[low], rows[middle]), pc.less_equal(rows[middle], rows[high])
    # Null where a part is not stated: pandera has the last word.
    holds: bool | None = pc.all(pc.and_(below, above), skip_nulls=False).as_py()
    return rows[middle].null_count == rows.num_rows or holds is True


def _is_placed(rows: pa.Table) -> bool:
    import pyarrow.compute as pc

    width = pc.subtract(rows["char_end"], rows["char_start"])
    return pc.all(pc.equal(width, pc.utf8_length(rows["text_printed"])), skip_nulls=False).as_py() is True


def _is_distinct(keys: pa.Table) -> bool:
    # Arrow would load pandas to group rows.
    columns = [column.to_pylist() for column in keys.columns]
    return len({*zip(*columns, strict=True)}) == keys.num_rows
