"""The front door: the layers in the order in which data flows through them.

sources -> raw -> extracted -> resolved -> audit and main -> warehouse
"""

from __future__ import annotations

import dagster as dg

from pipelines.assets import (
    audit,
    evidence,
    extracted,
    published,
    raw,
    resolved,
    schedule,
    source_checks,
    sources,
    sql,
)
from pipelines.assets.folders import Cluster, Folders

BUILD = "build"
JOBS = (BUILD, schedule.fetch_job.name, "__ASSET_JOB")  # the last is what the UI materialises by selection


@dg.definitions
def benchledger() -> dg.Definitions:
    """Everything that Dagster knows of the project."""
    registered, with_mapping = sources.registered_sources(), sources.mapped_sources()
    known = sources.source_assets([*registered, *with_mapping])
    by_hand = [*source_checks.source_checks(registered), *source_checks.mapping_checks(with_mapping)]
    build = dg.define_asset_job(
        BUILD,
        selection=dg.AssetSelection.all() - dg.AssetSelection.groups(sources.GROUP),
        description="The whole pipeline: from the documents under raw/ to warehouse/benchmarks.duckdb.",
        config=schedule.QUIET,
        tags={"dagster/retry_strategy": "ALL_STEPS"},
    )
    return dg.Definitions(
        assets=[
            *known,
            raw.raw_assets(known),
            *extracted.ASSETS,
            *resolved.ASSETS,
            *sql.ASSETS,
            *audit.ASSETS,
            *published.ASSETS,
        ],
        asset_checks=[*evidence.CHECKS, *source_checks.CHECKS, *by_hand],
        jobs=[build, schedule.fetch_job],
        schedules=[schedule.fetch_what_is_due],
        sensors=[schedule.build_sensor(BUILD, JOBS), *schedule.failure_sensors()],
        resources={"folders": Folders(), "cluster": Cluster(), "store": schedule.DocumentFolder()},
        # A step in a process of its own costs more than a second of imports, and no step needs one.
        executor=dg.in_process_executor,
    )
