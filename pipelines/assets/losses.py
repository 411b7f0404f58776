"""The check that no source has silently lost its rows: it fails loudly and stops nothing."""

# No `from __future__ import annotations` here: Dagster looks at the annotation of a check's context itself.

from datetime import UTC, datetime

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.sources import evaluation, registered_sources
from pipelines.assets.tables import asset_key
from pipelines.build.source_health import PRINTED, by_source, loss

_SNAPSHOTS = "audit.snapshots"
_LATEST = """
select source, results_lost, results_before, snapshot_at, lost_too_many
from audit.snapshots
where is_latest
order by source
"""


@dg.asset_check(
    name="no_source_lost_its_rows",
    asset=asset_key(_SNAPSHOTS),
    blocking=False,
    description="The latest snapshot of a source prints all but a stated share (rows_lost_up_to in its source.yml) of "
    "the benchmarks that the one before printed.",
)
def no_source_lost_its_rows(context: dg.AssetCheckExecutionContext, folders: Folders) -> dg.AssetCheckResult:
    """Look at the latest snapshot of every source; where all results are lost, the check of the source fails, too."""
    now, printed = datetime.now(UTC), by_source(folders.tables.query(PRINTED))
    for source in registered_sources(folders.raw_path):
        if loss(source, printed.get(source.name)):
            # The method takes it, its annotation forgets it.
            context.op_execution_context.log_event(evaluation(source, now, printed))  # type: ignore[arg-type]
    latest = folders.tables.query(_LATEST).to_pylist()
    lost = [row for row in latest if row["lost_too_many"]]
    reasons = [
        f"{row['source']} lost {row['results_lost']} of {row['results_before']} benchmarks "
        f"in its snapshot of {row['snapshot_at']:%Y-%m-%d}"
        for row in lost
    ]
    metadata = {"sources": len(latest)} | ({"reason": "; ".join(reasons)} if reasons else {})
    return dg.AssetCheckResult(passed=not lost, severity=dg.AssetCheckSeverity.ERROR, metadata=metadata)


CHECKS = [no_source_lost_its_rows]
