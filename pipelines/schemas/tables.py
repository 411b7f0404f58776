"""Every table by its full name, as `tables.yml` declares it.

Published are those of `LAYERS`; the rows in the printed words (`extracted`) and the lists that
Python reads (`internal`) are files between the steps of a build.
"""

from __future__ import annotations

from pathlib import Path

from pipelines.schemas.table import ARROW_TYPES, DUCKDB_TYPES, LAYERS, Table, arrow_schema
from pipelines.yaml_files import load_yaml


def _tables() -> dict[str, Table]:
    listed = load_yaml(Path(__file__).with_suffix(".yml"))
    tables = {}
    for name, stated in listed["tables"].items():
        layout = stated["layout"].format_map(listed["groups"])
        tables[name] = Table(name, **stated | {"layout": layout})
    return tables


TABLES: dict[str, Table] = _tables()

PUBLISHED: tuple[Table, ...] = tuple(
    table for layer in LAYERS for table in TABLES.values() if table.layer == layer
)

__all__ = ["ARROW_TYPES", "DUCKDB_TYPES", "LAYERS", "PUBLISHED", "TABLES", "Table", "arrow_schema"]
