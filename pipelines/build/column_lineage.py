"""Which columns each column of the warehouse is made of, as `pipelines/sql/column_lineage.csv` lists it.

The file is generated from the queries (`make golden`, `tests/makers/column_lineage.py`), so that a build need not parse
them and a change of a query shows what it changes. What a printed number went through belongs in `trace`.
"""

from __future__ import annotations

import csv
from functools import cache
from typing import NamedTuple

from pipelines.build.warehouse import SQL_FOLDER

LINEAGE_FILE = SQL_FOLDER / "column_lineage.csv"


class Input(NamedTuple):
    """What a column is made of.

    Attributes:
        table: Full name of a table.
        column: One of its columns; None when its rows are counted.
    """

    table: str
    column: str | None


class Dependency(NamedTuple):
    """One line of the file: a column of a table that SQL makes, and one of its inputs."""

    table: str
    column: str
    from_table: str
    from_column: str | None


@cache
def column_lineage() -> tuple[Dependency, ...]:
    """Every dependency, as generated, in the order of tables and names."""
    with LINEAGE_FILE.open(encoding="utf-8", newline="") as file:
        return tuple(Dependency(table, column, of, name or None) for table, column, of, name in [*csv.reader(file)][1:])


@cache
def inputs_of(full_name: str) -> dict[str, tuple[Input, ...]]:
    """The inputs of each column of a table that SQL makes; columns that are made of nothing are left out."""
    found: dict[str, list[Input]] = {}
    for table, column, from_table, from_column in column_lineage():
        if table == full_name:
            found.setdefault(column, []).append(Input(from_table, from_column))
    return {column: tuple(inputs) for column, inputs in found.items()}
