"""pandera contracts of all tables, made from `schemas`. What happens to a failing row belongs in
`quarantine.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement of a contract for the rows of a table.

    Attributes:
        name: The column that it is about, or what it is called where it is about several.
        words: The requirement as text.
        fault: How the reason begins why a row breaks it.
        holds: Of a relation between columns of one row: the rows in which it holds.
    """

    name: str
    words: str
    fault: str
    holds: Callable[[pd.DataFrame], pd.Series[bool]] | None = None


@cache
def requirements(table: Table) -> tuple[Requirement, ...]:
    """All requirements of a table: columns first, then relations, then the key."""
    names = {column.name for column in table.columns}
    found = []
    for column in table.columns:
        asked = (column.type, "may be null" if column.name in table.nullable else "never null")
        found.append(
            Requirement(
                column.name,
                ", ".join((*asked, *(w for w, _ in _limits(column)))),
                f"{column.name}: ",
            )
        )
    for low, value, high in _ORDERED:
        if names.issuperset((low, value, high)):
            fault = f"row: {value} is outside {low}..{high}"
            holds = partial(_intervals_hold, low=low, middle=value, high=high)
            found.append(
                Requirement(f"interval of {value}", f"{low} <= {value} <= {high}", fault, holds)
            )
    if names.issuperset(_PLACED):
        words = "char_end - char_start is the length of text_printed"
        found.append(
            Requirement(
                "place", words, "row: the place and the printed text differ in length", _places_hold
            )
        )
    if table.key:
        found.append(
            Requirement("key", f"{' + '.join(table.key)}: no two rows share it", key_fault(table))
        )
    return tuple(found)


def key_fault(table: Table) -> str:
    """Why a row is refused whose key an earlier one has."""
    return f"{' + '.join(table.key)}: another row has the same key"


def _limits(column: Column) -> Iterator[tuple[str, Any]]:
    """The requirement of a column besides its type, as text and as a pandera check."""
    if column.one_of:
        words = f"one of {', '.join(column.one_of)}"
        yield words, pa.Check.isin(column.one_of, error=f"is not one of {', '.join(column.one_of)}")
    if column.pattern:
        yield (
            f"matches {column.pattern}",
            pa.Check.str_matches(column.pattern, error=f"does not match {column.pattern}"),
        )
    if (least := column.at_least) is not None:
        yield f"at least {least:g}", pa.Check.ge(least, error=f"is less than {least:g}")


def _intervals_hold(frame: pd.DataFrame, low: str, middle: str, high: str) -> pd.Series[bool]:
    """False if a value is outside its interval; nulls are checked by the column."""
    holds = (
        ((frame[low] <= frame[middle]) & (frame[middle] <= frame[high])).fillna(False).astype(bool)
    )
    return holds | frame[[low, middle, high]].isna().all(axis="columns")


def _places_hold(frame: pd.DataFrame) -> pd.Series[bool]:
    holds: pd.Series[bool] = (
        frame["char_end"] - frame["char_start"] == frame["text_printed"].str.len()
    )
    return holds


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
            checks=[check for _, check in _limits(column)],
            nullable=column.name in table.nullable,
        )
        for column in table.columns
        if column.name in names
    }
    checks = [
        pa.Check(one.holds, name=one.name, error=one.fault)
        for one in requirements(table)
        if one.holds
    ]
    return pa.DataFrameSchema(
        columns, checks=checks, strict=True, ordered=True, name=table.full_name
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
