"""The rows of a table that may break its contract, found in Arrow: pandera looks at these alone.

pandas and pandera take as long to be imported as a small document takes to be read, and then their
time for each column. What a row breaks is said by `contracts.py`; a row that is not named here
breaks nothing there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial, reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.schemas.columns import Column
from pipelines.schemas.tables import Table, arrow_schema

# Relations between columns of one row, by the columns they need.
_ORDERED = (
    ("value_low", "value", "value_high"),
    ("factor_low", "factor", "factor_high"),
    ("price_low_usd", "price_usd", "price_high_usd"),
)
_PLACED = ("char_start", "char_end", "text_printed")
_NUMBER = "number of the row"

# Whether values of a column, or rows, are as they are required to be.
Holds = Callable[[Any], Any]


def leave_pandas_out() -> None:
    """Have pyarrow not import pandas for the first list that it takes; a frame can be asked for
    all the same.

    Only for processes of our own: pyarrow does not know a series of pandas before it has made one.
    """
    if "pandas" not in sys.modules:
        sys.modules["pandas"] = None  # type: ignore[assignment]
        for _ in ("as a list", "its values"):
            # Compiled code takes the None for a module.
            with suppress(ImportError, AttributeError):
                pa.array([None])
        del sys.modules["pandas"]


def suspects(rows: pa.Table, table: Table) -> list[int]:
    """Numbers of the rows that may break the contract of a table, but for their keys; all of a
    frame that has other columns or types.
    """
    if not rows.schema.equals(arrow_schema(table)):
        return [*range(rows.num_rows)]
    required = [pa.repeat(True, rows.num_rows)]
    for column in table.columns:
        values = rows[column.name]
        if column.name not in table.nullable:
            required.append(values.is_valid())
        for holds in limits(column).values():
            required.append(pc.or_kleene(holds(values), values.is_null()))
    required += [holds(rows) for holds in relations(table).values()]
    is_right = pc.fill_null(reduce(pc.and_kleene, required), False)
    numbers: list[int] = pc.indices_nonzero(pc.invert(is_right)).to_pylist()
    return numbers


def limits(column: Column) -> dict[str, Holds]:
    """What a column requires of each value besides its type, by the words of a reject."""
    found: dict[str, Holds] = {}
    if column.one_of:
        words = f"is not one of {', '.join(column.one_of)}"
        found[words] = partial(pc.is_in, value_set=pa.array([*column.one_of]))
    if column.pattern:
        words = f"does not match {column.pattern}"
        found[words] = partial(pc.match_substring_regex, pattern=column.pattern)
    if (least := column.at_least) is not None:
        found[f"is less than {least:g}"] = partial(pc.less_equal, least)
    return found


def relations(table: Table) -> dict[str, Holds]:
    """What a table requires of the columns of one row, by the words of a reject."""
    names = {column.name for column in table.columns}
    found: dict[str, Holds] = {}
    for triple in _ORDERED:
        if names.issuperset(triple):
            words = "row: {1} is outside {0}..{2}".format(*triple)
            found[words] = partial(_intervals_hold, names=triple)
    if names.issuperset(_PLACED):
        found["row: the place and the printed text differ in length"] = _places_hold
    return found


def _intervals_hold(rows: pa.Table, names: Sequence[str]) -> pa.ChunkedArray:
    """False if a value is outside its interval; three nulls are checked by their columns."""
    low, middle, high = map(rows.column, names)
    is_inside = pc.and_kleene(pc.less_equal(low, middle), pc.less_equal(middle, high))
    are_null = reduce(pc.and_, map(pc.is_null, (low, middle, high)))
    return pc.fill_null(pc.or_kleene(is_inside, are_null), False)


def _places_hold(rows: pa.Table) -> pa.ChunkedArray:
    """False if a place has another length than its text; nulls are checked by their columns."""
    start, end, text = map(rows.column, _PLACED)
    return pc.fill_null(pc.equal(pc.subtract(end, start), pc.utf8_length(text)), True)


def repeated_keys(rows: pa.Table, key: Sequence[str]) -> list[int]:
    """Numbers of the rows that have the key of a row before them; two nulls are the same."""
    if not key:
        return []
    numbers = range(rows.num_rows)
    numbered = rows.select([*key]).append_column(_NUMBER, pa.array(numbers))
    # Threads take the rows in any order.
    keys = numbered.group_by([*key], use_threads=False).aggregate([(_NUMBER, "min")])
    return sorted({*numbers}.difference(keys[f"{_NUMBER}_min"].to_pylist()))
