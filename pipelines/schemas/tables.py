"""Every table by its full name, and the types of its columns in Arrow and in DuckDB.

A table is declared in the module of its layer.

Published are those of `LAYERS`; the rows in the printed words (`extracted`) and the lists that Python reads
(`internal`) are files between the steps of a build.
"""

from __future__ import annotations

import pyarrow as pa

from pipelines.schemas import derived, extracted, resolved
from pipelines.schemas.columns import ColumnType
from pipelines.schemas.table import LAYERS, Table

TABLES: dict[str, Table] = {table.full_name: table for table in (*extracted.TABLES, *resolved.TABLES, *derived.TABLES)}

PUBLISHED: tuple[Table, ...] = tuple(table for layer in LAYERS for table in TABLES.values() if table.layer == layer)

ARROW_TYPES: dict[ColumnType, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "flag": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "texts": pa.list_(pa.string()),
    "integers": pa.list_(pa.int64()),
}

DUCKDB_TYPES: dict[ColumnType, str] = {
    "text": "varchar",
    "integer": "bigint",
    "number": "double",
    "flag": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "texts": "varchar[]",
    "integers": "bigint[]",
}


__all__ = ["ARROW_TYPES", "DUCKDB_TYPES", "LAYERS", "PUBLISHED", "TABLES", "Table", "arrow_schema"]


def arrow_schema(table: Table) -> pa.Schema:
    """The Arrow schema of a table. Null is allowed everywhere: the contract checks it, with a reason."""
    return pa.schema([pa.field(column.name, ARROW_TYPES[column.type]) for column in table.columns])
