"""The assembled warehouse: the file that users open."""

from __future__ import annotations

import time
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.tables import OWNERS, asset_key
from pipelines.made_from import forget
from pipelines.publication import publish
from pipelines.schemas.tables import PUBLISHED
from pipelines.warehouse import FILE_NAME, SQL_FOLDER, WarehouseError

# A warehouse without any of these holds no fact, and never takes the place of one that does.
_FACTS = ("resolved.results", "resolved.claims", "resolved.training_runs", "resolved.prices", "resolved.submissions")


@dg.asset(
    key=dg.AssetKey("warehouse"),
    deps=[asset_key(table.full_name) for table in PUBLISHED],
    group_name="warehouse",
    kinds={"duckdb"},
    owners=OWNERS,
    description="benchmarks.duckdb: all tables with comments, checked, put in the place of the old file at once.",
)
def warehouse(folders: Folders) -> dg.MaterializeResult[Any]:
    """Assemble, check and publish the DuckDB file."""
    started = time.perf_counter()
    tables = folders.tables
    if (tables.folder / FILE_NAME).exists() and not any(tables.row_count(name) for name in _FACTS):
        raise dg.Failure(
            f"nothing could be read in any of the {tables.row_count('raw.documents')} documents; "
            f"{tables.row_count('audit.rejects')} rejects say why, see {tables.path('audit.rejects')}",
            allow_retries=False,
        )
    try:
        path = publish(PUBLISHED, tables, SQL_FOLDER / "checks")
    except WarehouseError:
        forget([table.full_name for table in PUBLISHED], tables)
        raise
    return dg.MaterializeResult(
        metadata={
            "path": dg.MetadataValue.path(path.as_posix()),
            "bytes": path.stat().st_size,
            "tables": len(PUBLISHED),
            "seconds": round(time.perf_counter() - started, 4),
        }
    )


ASSETS = [warehouse]
