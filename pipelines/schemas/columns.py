"""Every column of the warehouse once, by name; where one table gives a name a meaning of its own, by table and name.

DuckDB comments, the table schemas in the Dagster UI, the pandera contracts and the data dictionary come from here.
"""

from __future__ import annotations

from pipelines.schemas import audit_columns, benchmark_columns, claim_columns, document_columns, relation_columns
from pipelines.schemas.column import Column, ColumnType

COLUMNS: dict[str, Column] = {
    column.key: column
    for column in (
        *document_columns.COLUMNS,
        *benchmark_columns.COLUMNS,
        *audit_columns.COLUMNS,
        *relation_columns.COLUMNS,
        *claim_columns.COLUMNS,
    )
}

__all__ = ["COLUMNS", "Column", "ColumnType"]
