"""Every table of the warehouse by its full name. A table is declared in the module of its layer."""

from __future__ import annotations

from pipelines.schemas import claims, derived, extracted, marts, relations, resolved
from pipelines.schemas.extracted import format_table
from pipelines.schemas.table import LAYERS, SchemaError, Table

TABLES: dict[str, Table] = {
    table.full_name: table
    for table in (
        *extracted.TABLES,
        *resolved.TABLES,
        *derived.TABLES,
        *relations.TABLES,
        *claims.TABLES,
        *marts.TABLES,
    )
}

__all__ = ["LAYERS", "TABLES", "SchemaError", "Table", "format_table"]
