"""Tables as Arrow schemas, the type system of the Parquet files between assets."""

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


def arrow_schema(table: Table) -> pa.Schema:
    """The Arrow schema of a table. Null is allowed everywhere: the contract checks it, with a reason."""
    return pa.schema([pa.field(column.name, ARROW_TYPES[column.type]) for column in table.columns])
