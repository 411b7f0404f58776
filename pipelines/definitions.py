"""The front door: the layers in the order in which data flows through them.

raw -> extracted -> resolved -> audit and main -> warehouse
"""

from __future__ import annotations

import dagster as dg

from pipelines.assets import audit, evidence, extracted, published, raw, resolved, sql
from pipelines.assets.folders import Folders

BUILD = "build"


@dg.definitions
def benchledger() -> dg.Definitions:
    """Everything that Dagster knows of the project."""
    return dg.Definitions(
        assets=[
            *raw.ASSETS,
            *extracted.ASSETS,
            *resolved.ASSETS,
            *sql.ASSETS,
            *audit.ASSETS,
            *published.ASSETS,
        ],
        asset_checks=evidence.CHECKS,
        jobs=[
            dg.define_asset_job(
                BUILD,
                selection=dg.AssetSelection.all(),
                description="The whole pipeline: from the documents under raw/ to warehouse/benchmarks.duckdb.",
            )
        ],
        resources={"folders": Folders()},
        # A step in a process of its own costs more than a second of imports, and no step needs one.
        executor=dg.in_process_executor,
    )
