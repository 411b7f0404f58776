"""Whether a source that answers still prints results: its media type, and what its latest snapshot has lost.

When a source was seen, and when it is due, is in `ingest/registry.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from pipelines.build.queries import internal_query
from pipelines.build.warehouse import WarehouseError, query_published
from pipelines.ingest.fetch_log import SEEN
from pipelines.ingest.registry import RegisteredSource

PRINTED = internal_query("printed_results")


@dataclass(frozen=True, slots=True)
class LatestSnapshot:
    """What the latest snapshot of a source prints, as of the last build.

    Attributes:
        results: Benchmarks that it prints.
        results_before: Benchmarks of the last snapshot before it that printed any; None of a first snapshot.
        snapshot_at: When it was taken, UTC.
        lost_at: When the first snapshot without results was taken, UTC; None while there are results.
    """

    results: int
    results_before: int | None
    snapshot_at: datetime
    lost_at: datetime | None


def printed_results(warehouse: Path) -> dict[str, LatestSnapshot]:
    """What the latest snapshots print, by source; nothing where no warehouse is published."""
    try:
        return by_source(query_published(warehouse, PRINTED))
    except WarehouseError:
        return {}


def by_source(rows: pa.Table) -> dict[str, LatestSnapshot]:
    """The rows of `PRINTED`, by source."""
    return {row.pop("source"): LatestSnapshot(**row) for row in rows.to_pylist()}


def loss(source: RegisteredSource, printed: LatestSnapshot | None) -> str | None:
    """What a source that answers has lost, and since which day; None where it prints results as before."""
    since = _media_type_changed(source)
    if since and not (printed and printed.results and printed.snapshot_at.replace(tzinfo=UTC) >= since[1]):
        return f"media type changed {since[0]} since {since[1]:%Y-%m-%d}"
    if printed and printed.lost_at and not printed.results:
        return f"0 results of {printed.results_before} since {printed.lost_at:%Y-%m-%d}"
    return None


def _media_type_changed(source: RegisteredSource) -> tuple[str, datetime] | None:
    """The last change of the media type, and when it was seen; "not modified" states none."""
    seen = [run for run in source.runs if run.first.outcome in SEEN and run.first.media_type]
    for before, after in reversed(list(pairwise(seen))):
        if before.first.media_type != after.first.media_type:
            words = f"from {before.first.media_type} to {after.first.media_type}"
            return words, after.made_at[0]
    return None
