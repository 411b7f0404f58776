"""All tables of the warehouse, those of the discovered source formats among them."""

from __future__ import annotations

from pipelines.extract.contract import formats
from pipelines.schemas.tables import TABLES, Table, format_table


def published_tables() -> list[Table]:
    """Every table of the warehouse in the order of the layers."""
    format_tables = [format_table(name, module.DESCRIPTION) for name, module in formats().items()]
    documents, *others = TABLES.values()
    return [documents, *format_tables, *others]
