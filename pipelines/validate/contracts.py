"""pandera contracts of all tables, made from `schemas`. What happens to a failing row belongs in `quarantine.py`."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa

from pipelines.schemas.arrow import ARROW_TYPES
from pipelines.schemas.columns import Column
from pipelines.schemas.tables import Table


def _intervals_hold(frame: pd.DataFrame, low: str, middle: str, high: str) -> pd.Series[bool]:
    """False where a value lies outside its interval; whether a value may be missing is the column's own rule."""
    holds = ((frame[low] <= frame[middle]) & (frame[middle] <= frame[high])).fillna(False).astype(bool)
    return holds | frame[[low, middle, high]].isna().all(axis="columns")


# Relations between columns of one row, by the columns they need.
_ORDERED = (
    ("value_low", "value", "value_high"),
    ("factor_low", "factor", "factor_high"),
    ("price_low_usd", "price_usd", "price_high_usd"),
)


@cache
def contract_stamp(table: Table) -> str:
    """Hash of a table's declaration and of the code that checks it: rows that met the stamp need no second check."""
    code = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return hashlib.sha256(code + repr((table, table.columns)).encode()).hexdigest()


@cache
def contract(table: Table) -> pa.DataFrameSchema:
    """The contract of a table: its columns in order, their types, allowed values, and relations within a row."""
    names = {column.name for column in table.columns}
    checks = [
        pa.Check(
            lambda frame, triple=triple: _intervals_hold(frame, *triple),
            name="interval",
            error=f"{triple[1]} lies outside {triple[0]}..{triple[2]}",
        )
        for triple in _ORDERED
        if names.issuperset(triple)
    ]
    if names.issuperset({"char_start", "char_end", "text_printed"}):
        checks.append(
            pa.Check(
                lambda frame: frame["char_end"] - frame["char_start"] == frame["text_printed"].str.len(),
                name="place",
                error="the place is not as long as the printed text",
            )
        )
    return pa.DataFrameSchema(
        {column.name: _column(column, nullable=column.name in table.nullable) for column in table.columns},
        checks=checks,
        strict=True,
        ordered=True,
        name=table.full_name,
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
