"""The front door: the layers in the order in which data flows through them.

sources -> raw -> extracted -> resolved -> audit and main -> warehouse
"""

from __future__ import annotations

import dagster as dg

from pipelines.assets import alerts, layers, schedule, sources
from pipelines.assets.folders import Folders
from pipelines.assets.instance import BUILD


@dg.definitions
def benchledger() -> dg.Definitions:
    """All assets, checks, jobs, schedules and sensors of the project."""
    known = sources.known_sources()
    registered, mapped = sources.registered_sources(known), sources.mapped_sources(known)
    specs = sources.source_assets([*registered, *mapped])
    build = dg.define_asset_job(
        BUILD,
        selection=dg.AssetSelection.all() - dg.AssetSelection.groups(sources.GROUP),
        description="Runs the whole pipeline, from the documents under raw/ to warehouse/benchmarks.duckdb.",
        config=schedule.QUIET,
        tags={"dagster/retry_strategy": "ALL_STEPS"},
    )
    return dg.Definitions(
        assets=[*specs, layers.raw_assets(specs), *layers.STEPS],
        asset_checks=[layers.evidence_holds, *sources.CHECKS, *sources.checks_by_hand(registered, mapped)],
        jobs=[build, schedule.fetch_job],
        schedules=[schedule.fetch_what_is_due],
        sensors=[schedule.build_when_raw_changes, *alerts.alert_sensors()],
        resources={"folders": Folders(), "store": schedule.DocumentFolder()},
        # A separate process per step would cost more than a second of imports, and no step needs one.
        executor=dg.in_process_executor,
    )
