"""pandera contracts of all tables, made from `schemas`. What happens to a failing row belongs in
`quarantine.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import pandas as pd
import pandera.pandas as pa
import pyarrow as arrow

from pipelines.schemas.columns import Column
from pipelines.schemas.tables import ARROW_TYPES, Table, arrow_schema

# Relations between columns of one row, by the columns they need.
_ORDERED = (
    ("value_low", "value", "value_high"),
    ("factor_low", "factor", "factor_high"),
    ("price_low_usd", "price_usd", "price_high_usd"),
)
_PLACED = ("char_start", "char_end", "text_printed")
_RELATED = frozenset({*_PLACED, *(name for triple in _ORDERED for name in triple)})


def _limits(column: Column) -> Iterator[pa.Check]:
    """What a column requires besides its type."""
    if column.one_of:
        yield pa.Check.isin(column.one_of, error=f"is not one of {', '.join(column.one_of)}")
    if column.pattern:
        yield pa.Check.str_matches(column.pattern, error=f"does not match {column.pattern}")
    if (least := column.at_least) is not None:
        yield pa.Check.ge(least, error=f"is less than {least:g}")


def _relations(table: Table) -> Iterator[pa.Check]:
    """What a table requires of the columns of one row."""
    names = {column.name for column in table.columns}
    for low, middle, high in _ORDERED:
        if names.issuperset((low, middle, high)):
            holds = partial(_intervals_hold, low=low, middle=middle, high=high)
            yield pa.Check(holds, error=f"row: {middle} is outside {low}..{high}")
    if names.issuperset(_PLACED):
        yield pa.Check(_places_hold, error="row: the place and the printed text differ in length")


def _intervals_hold(frame: pd.DataFrame, low: str, middle: str, high: str) -> pd.Series[bool]:
    """False if a value is outside its interval; nulls are checked by the column."""
    is_inside = (frame[low] <= frame[middle]) & (frame[middle] <= frame[high])
    holds = is_inside.fillna(False).astype(bool)
    return holds | frame[[low, middle, high]].isna().all(axis="columns")


def _places_hold(frame: pd.DataFrame) -> pd.Series[bool]:
    lengths: pd.Series[int] = frame["text_printed"].str.len()
    return frame["char_end"] - frame["char_start"] == lengths


@cache
def contract(table: Table, names: tuple[str, ...]) -> pa.DataFrameSchema:
    """The contract of a table: its columns in order, their types, allowed values, and relations
    within a row.

    Args:
        table: The table.
        names: The columns that a frame has, `columns_to_check` at least.
    """
    columns = {
        column.name: pa.Column(
            pd.ArrowDtype(ARROW_TYPES[column.type]),
            checks=[*_limits(column)],
            nullable=column.name in table.nullable,
        )
        for column in table.columns
        if column.name in names
    }
    return pa.DataFrameSchema(
        columns, checks=[*_relations(table)], strict=True, ordered=True, name=table.full_name
    )


def columns_to_check(rows: arrow.Table, table: Table) -> tuple[str, ...]:
    """The columns with requirements beyond their Arrow type.

    pandera takes its time for each column, whatever it asks of it.
    """
    is_typed = rows.schema.equals(arrow_schema(table))
    return tuple(
        column.name
        for column in table.columns
        if not is_typed
        or column.name in _RELATED.union(table.key)
        or any(_limits(column))
        or (column.name not in table.nullable and rows[column.name].null_count)
    )
