"""The assembled warehouse: the file that users open."""

from __future__ import annotations

import time
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.tables import OWNERS, asset_key
from pipelines.extract.published_tables import published_tables
from pipelines.warehouse import SQL_FOLDER, publish


@dg.asset(
    key=dg.AssetKey("warehouse"),
    deps=[asset_key(table.full_name) for table in published_tables()],
    group_name="warehouse",
    kinds={"duckdb"},
    owners=OWNERS,
    description="benchmarks.duckdb: all tables with comments, checked, put in the place of the old file at once.",
)
def warehouse(folders: Folders) -> dg.MaterializeResult[Any]:
    """Assemble, check and publish the DuckDB file."""
    started = time.perf_counter()
    path = publish(published_tables(), folders.tables, SQL_FOLDER / "checks")
    return dg.MaterializeResult(
        metadata={
            "path": dg.MetadataValue.path(path.as_posix()),
            "bytes": path.stat().st_size,
            "tables": len(published_tables()),
            "seconds": round(time.perf_counter() - started, 4),
        }
    )


ASSETS = [warehouse]
