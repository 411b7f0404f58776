"""What a declared table is, and the tables by their full names, as `tables.yml` declares them.

Published are those of `LAYERS`; the lists that Python reads (`internal`) are files between the
steps of a build, as are the rows in the printed words (`extracted`): their columns are the fields of
the classes in `extract.rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from pipelines.exceptions import BenchledgerError
from pipelines.schemas.columns import COLUMNS, Column, ColumnType
from pipelines.yaml_files import load_yaml

# The schemas of the published file, the most used first.
LAYERS = ("main", "audit", "resolved", "raw")
# `<schema>/<table>.sql`; the first two lines of a query say what its table holds, and what one row
# is.
SQL_FOLDER = Path(__file__).parent.parent / "sql"
# Of a table a tenth of the rows may be refused one by one; above that a reader or a query is at
# fault.
_REJECTS_UP_TO = 0.1

ARROW_TYPES: dict[ColumnType, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "flag": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "texts": pa.list_(pa.string()),
    "integers": pa.list_(pa.int64()),
    "map": pa.map_(pa.string(), pa.string()),
}
_LISTED = load_yaml(Path(__file__).with_suffix(".yml"))
DUCKDB_TYPES: dict[ColumnType, str] = _LISTED["types"]


class SchemaError(BenchledgerError):
    """A table whose declaration contradicts itself or the columns."""


@dataclass(frozen=True)
class Table:
    """One table of the warehouse.

    Attributes:
        full_name: Its schema in DuckDB, which is its group in Dagster, and its name:
            `main.current_results`.
        layout: Column names in order, separated by blanks; `?` after a name allows null.
        unique: Columns that no two rows share, separated by blanks.
        is_complete: Whether none of its rows may fail the contract, though it holds printed rows.
        filled_with: If this other table has rows, this one must have rows too.
        is_filled_otherwise: Whether it may have rows where that other table has none.
        meaning: What it holds, in a sentence; of a table that a query makes the first line of its
            file.
        grain: What one row is; of a table that a query makes the second line of its file.
    """

    full_name: str
    layout: str
    meaning: str
    grain: str
    unique: str = ""
    is_complete: bool = False
    filled_with: str | None = None
    is_filled_otherwise: bool = False

    @property
    def layer(self) -> str:
        return self.full_name.partition(".")[0]

    @property
    def name(self) -> str:
        return self.full_name.partition(".")[2]

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Columns that no two rows share."""
        return (*self.unique.split(),)

    @property
    def rejects_up_to(self) -> float:
        """Share of rows that may fail the contract before the whole frame counts as broken."""
        # A row is taken out of a derived table by its key.
        is_strict = self.is_complete or self.layer == "raw" or not self.key
        return 0.0 if is_strict and self.layer != "extracted" else _REJECTS_UP_TO

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in order.

        Raises:
            SchemaError: A name that `columns.yml` does not know.
        """
        names = [word.rstrip("?") for word in self.layout.split()]
        keys = [own if (own := f"{self.full_name}.{name}") in COLUMNS else name for name in names]
        if unknown := [key for key in keys if key not in COLUMNS]:
            raise SchemaError(
                f"{self.full_name} has columns that columns.yml does not know: {unknown}"
            )
        return tuple(COLUMNS[key] for key in keys)

    @cached_property
    def nullable(self) -> frozenset[str]:
        """Names of the columns that may hold null."""
        return frozenset(word[:-1] for word in self.layout.split() if word.endswith("?"))


def arrow_schema(table: Table) -> pa.Schema:
    """The Arrow schema of a table. Null is allowed everywhere: the contract checks it, with a
    reason.
    """
    return pa.schema([pa.field(column.name, ARROW_TYPES[column.type]) for column in table.columns])


def declared(full_name: str, columns: str = "") -> Table:
    """A table as `tables.yml` declares it.

    Args:
        full_name: Its name.
        columns: Its layout behind the columns of a place, if the file states none.
    """
    stated = {"layout": f"{{place}} {columns}"} | _LISTED["tables"][full_name]
    if "meaning" not in stated:
        query = SQL_FOLDER / f"{full_name.replace('.', '/')}.sql"
        first, second, _ = query.read_text("utf-8").split("\n", 2)
        stated["meaning"] = first.removeprefix("-- ")
        stated["grain"] = second.removeprefix("-- grain: ")
    stated["layout"] = stated["layout"].format_map(_LISTED["groups"])
    return Table(full_name, **stated)


TABLES: dict[str, Table] = {
    name: declared(name) for name, stated in _LISTED["tables"].items() if "layout" in stated
}

PUBLISHED: tuple[Table, ...] = tuple(
    table for layer in LAYERS for table in TABLES.values() if table.layer == layer
)
