"""The types of columns in Arrow, of the Parquet files between assets, and in DuckDB, of the published file."""

from __future__ import annotations

import pyarrow as pa

from pipelines.schemas.columns import ColumnType
from pipelines.schemas.tables import Table

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


def arrow_schema(table: Table) -> pa.Schema:
    """The Arrow schema of a table. Null is allowed everywhere: the contract checks it, with a reason."""
    return pa.schema([pa.field(column.name, ARROW_TYPES[column.type]) for column in table.columns])
