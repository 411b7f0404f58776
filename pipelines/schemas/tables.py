"""Every table by its full name. A table is declared in the module of its layer.

Published are those of `LAYERS`; the rows in the printed words (`extracted`) and the lists that
Python reads (`internal`) are files between the steps of a build.
"""

from __future__ import annotations

from pipelines.schemas import derived, extracted, resolved
from pipelines.schemas.table import ARROW_TYPES, DUCKDB_TYPES, LAYERS, Table, arrow_schema

TABLES: dict[str, Table] = {
    table.full_name: table for table in (*extracted.TABLES, *resolved.TABLES, *derived.TABLES)
}

PUBLISHED: tuple[Table, ...] = tuple(
    table for layer in LAYERS for table in TABLES.values() if table.layer == layer
)

__all__ = ["ARROW_TYPES", "DUCKDB_TYPES", "LAYERS", "PUBLISHED", "TABLES", "Table", "arrow_schema"]
