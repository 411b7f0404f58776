"""Every column of the warehouse once, by name; where one table gives a name a meaning of its own, by table and name.

They stand in the modules `*_columns.py` beside this one, which are found by discovery. DuckDB comments, the table
schemas in the Dagster UI, the pandera contracts and the data dictionary come from here.
"""

from __future__ import annotations

import importlib
import pkgutil

from pipelines import schemas
from pipelines.schemas.column import Column, ColumnType

_MODULES = [
    importlib.import_module(f"pipelines.schemas.{module.name}")
    for module in pkgutil.iter_modules(schemas.__path__)
    if module.name.endswith("_columns")
]

COLUMNS: dict[str, Column] = {column.key: column for module in _MODULES for column in module.COLUMNS}

__all__ = ["COLUMNS", "Column", "ColumnType"]
