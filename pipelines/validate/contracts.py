"""pandera contracts of all tables, made from `schemas`. What happens to a failing row belongs in `quarantine.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import pandas as pd
import pandera.pandas as pa
import pyarrow as arrow

from pipelines.schemas.columns import Column
from pipelines.schemas.tables import ARROW_TYPES, Table, arrow_schema


def _intervals_hold(frame: pd.DataFrame, low: str, middle: str, high: str) -> pd.Series[bool]:
    """False where a value lies outside its interval; whether a value may be missing is the column's own rule."""
    holds = ((frame[low] <= frame[middle]) & (frame[middle] <= frame[high])).fillna(False).astype(bool)
    return holds | frame[[low, middle, high]].isna().all(axis="columns")


def _places_hold(frame: pd.DataFrame) -> pd.Series[bool]:
    holds: pd.Series[bool] = frame["char_end"] - frame["char_start"] == frame["text_printed"].str.len()
    return holds


# Relations between columns of one row, by the columns they need.
_ORDERED = (
    ("value_low", "value", "value_high"),
    ("factor_low", "factor", "factor_high"),
    ("price_low_usd", "price_usd", "price_high_usd"),
)
_PLACED = ("char_start", "char_end", "text_printed")
KEY = "key"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that a contract asks of the rows of a table.

    Attributes:
        name: The column that it is about, or what it is called where it is about several.
        words: What it asks.
        fault: How the reason begins why a row breaks it.
    """

    name: str
    words: str
    fault: str


@cache
def requirements(table: Table) -> tuple[Requirement, ...]:
    """Everything that the contract of a table asks, columns first."""
    key = [Requirement(KEY, f"{' + '.join(table.key)}: no two rows share it", key_fault(table))] if table.key else []
    return (
        *(
            Requirement(column.name, _words(column, nullable=column.name in table.nullable), f"{column.name}: ")
            for column in table.columns
        ),
        *(asked for asked, _ in _row_requirements(table)),
        *key,
    )


def key_fault(table: Table) -> str:
    """Why a row is refused whose key an earlier one has."""
    return f"{' + '.join(table.key)}: another row has the same key"


def _words(column: Column, *, nullable: bool) -> str:
    asked = [column.type, "may be null" if nullable else "never null"]
    if column.one_of:
        asked.append(f"one of {', '.join(column.one_of)}")
    if column.pattern:
        asked.append(f"matches {column.pattern}")
    if column.at_least is not None:
        asked.append(f"at least {column.at_least:g}")
    return ", ".join(asked)


def _row_requirements(table: Table) -> list[tuple[Requirement, Callable[[pd.DataFrame], pd.Series[bool]]]]:
    """The relations between columns of one row, each with the rows in which it holds."""
    names = {column.name for column in table.columns}
    found: list[tuple[Requirement, Callable[[pd.DataFrame], pd.Series[bool]]]] = [
        (
            Requirement(
                f"interval of {value}", f"{low} <= {value} <= {high}", f"row: {value} lies outside {low}..{high}"
            ),
            partial(_intervals_hold, low=low, middle=value, high=high),
        )
        for low, value, high in _ORDERED
        if names.issuperset((low, value, high))
    ]
    if names.issuperset(_PLACED):
        words = "char_end - char_start is the length of text_printed"
        found.append((Requirement("place", words, "row: the place is not as long as the printed text"), _places_hold))
    return found


@cache
def contract(table: Table, names: tuple[str, ...] | None = None) -> pa.DataFrameSchema:
    """The contract of a table: its columns in order, their types, allowed values, and relations within a row.

    Args:
        table: The table.
        names: The columns that a frame has, `columns_to_check` at least; by default all.
    """
    checks = [pa.Check(holds, name=asked.name, error=asked.fault) for asked, holds in _row_requirements(table)]
    return pa.DataFrameSchema(
        {
            column.name: _column(column, nullable=column.name in table.nullable)
            for column in table.columns
            if names is None or column.name in names
        },
        checks=checks,
        strict=True,
        ordered=True,
        name=table.full_name,
    )


def columns_to_check(rows: arrow.Table, table: Table) -> tuple[str, ...]:
    """The columns of a frame of which the contract asks more than Arrow has seen: of the others the types are right.

    pandera takes its time for each column, whatever it asks of it.
    """
    if not rows.schema.equals(arrow_schema(table)):
        return tuple(column.name for column in table.columns)
    related = {*table.key, *_PLACED, *(name for triple in _ORDERED for name in triple)}
    return tuple(
        column.name
        for column in table.columns
        if column.name in related
        or column.one_of
        or column.pattern
        or column.at_least is not None
        or (column.name not in table.nullable and rows[column.name].null_count)
    )


def _column(column: Column, *, nullable: bool) -> pa.Column:
    checks: list[Any] = []
    if column.one_of:
        checks.append(pa.Check.isin(column.one_of, error=f"is none of {', '.join(column.one_of)}"))
    if column.pattern:
        checks.append(pa.Check.str_matches(column.pattern, error=f"does not match {column.pattern}"))
    if column.at_least is not None:
        checks.append(pa.Check.ge(column.at_least, error=f"is less than {column.at_least:g}"))
    return pa.Column(
        pd.ArrowDtype(ARROW_TYPES[column.type]),
        checks=checks,
        nullable=nullable,
        description=column.meaning,
    )
