"""The front door: the layers in the order in which data flows through them.

sources -> raw -> extracted -> resolved -> audit and main -> warehouse
"""

from __future__ import annotations

import atexit
import threading

import dagster as dg

from pipelines.assets import alerts, schedule, sources, steps
from pipelines.assets.folders import Folders
from pipelines.assets.instance import BUILD

# Python names a thread after its function: `Thread-2 (cancel_all_calls_after_grace)`. The second
# serves.
_OF_GRPC = ("(cancel_all_calls_after_grace)", "(_serve)")
# On a busy machine they take long; `benchledger ui` kills the server before.
_GRPC_ENDS_AFTER_S = 60.0


@atexit.register
def _wait_for_grpc() -> None:
    """Wait for threads of gRPC, which Dagster's code server does not do before it ends.

    A thread that is still running then keeps the server and all definitions from being freed, and
    DuckDB prints that its types leak.
    """
    for thread in threading.enumerate():
        if thread.name.endswith(_OF_GRPC):
            thread.join(_GRPC_ENDS_AFTER_S)


@dg.definitions
def benchledger() -> dg.Definitions:
    """All assets, checks, jobs, schedules and sensors of the project."""
    known = sources.known_sources()
    registered, mapped = sources.registered_sources(known), sources.mapped_sources(known)
    specs = sources.source_assets(known)
    build = dg.define_asset_job(
        BUILD,
        selection=dg.AssetSelection.all() - dg.AssetSelection.groups(sources.GROUP),
        description="Runs the whole pipeline: sources (pages that are fetched) -> raw (documents as stored) -> "
        "extracted (rows as printed) -> resolved (names and units understood) -> audit (can it be trusted?) and "
        "main (what to query) -> warehouse (the file benchmarks.duckdb).",
        config=schedule.QUIET,
        tags={"dagster/retry_strategy": "ALL_STEPS"},
    )
    return dg.Definitions(
        assets=[*specs, *steps.step_assets(specs)],
        asset_checks=[
            steps.evidence_holds,
            *sources.CHECKS,
            *sources.checks_by_hand(registered, mapped),
        ],
        jobs=[build, schedule.fetch_job],
        schedules=[schedule.fetch_what_is_due],
        sensors=[schedule.build_when_raw_changes, *alerts.alert_sensors()],
        resources={"folders": Folders(), "store": schedule.DocumentFolder()},
        # A separate process per step would cost more than a second of imports, and no step needs
        # one.
        executor=dg.in_process_executor,
        loggers={"console": schedule.terminal_logger},
    )
