"""The published warehouse: the file that users open."""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from typing import Any

import dagster as dg

from pipelines.assets.folders import LAST_STEP, Folders
from pipelines.assets.tables import OWNERS, asset_key, seconds_since
from pipelines.build.publication import COLUMN_LINEAGE
from pipelines.schemas.tables import PUBLISHED


@dg.asset(
    key=dg.AssetKey(LAST_STEP),
    # What columns are made of is no step's: the code says it.
    deps=[asset_key(table.full_name) for table in PUBLISHED if table.full_name != COLUMN_LINEAGE],
    group_name="warehouse",
    kinds={"duckdb"},
    owners=OWNERS,
    description="benchmarks.duckdb: all tables with comments, checked, put in the place of the old file at once.",
)
def warehouse(context: dg.AssetExecutionContext, folders: Folders) -> dg.MaterializeResult[Any]:
    """Check the working copy of the run, and put it in the place of the published file."""
    started = time.perf_counter()
    with folders.step(context):
        path = folders.publish()
    return dg.MaterializeResult(
        metadata={
            "path": dg.MetadataValue.path(path.as_posix()),
            "bytes": path.stat().st_size,
            "tables": len(PUBLISHED),
            "seconds": seconds_since(started),
        }
    )


ASSETS = [warehouse]
