"""Every table made by SQL: one asset per file under `sql/<schema>/`; what it depends on is read from the query."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.tables import asset_spec, check_spec, store_table
from pipelines.schemas.tables import LAYERS, TABLES
from pipelines.warehouse import SQL_FOLDER, referenced_tables, run_table_sql


def _sql_asset(path: Path) -> dg.AssetsDefinition:
    table = TABLES[f"{path.parent.name}.{path.stem}"]
    query = path.read_text("utf-8")

    @dg.multi_asset(
        name=f"{table.layer}__{table.name}",
        specs=[asset_spec(table, deps=sorted(referenced_tables(query)), kinds={"sql", "duckdb"})],
        check_specs=[check_spec(table)],
    )
    def table_from_sql(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
        started = time.perf_counter()
        rows = run_table_sql(query, table, folders.tables)
        yield store_table(rows, table, folders, started)

    return table_from_sql


ASSETS = [_sql_asset(path) for path in sorted(SQL_FOLDER.glob("*/*.sql")) if path.parent.name in LAYERS]
