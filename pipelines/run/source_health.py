"""Whether a source is seen, still prints results, and fits its mapping, as of the last build.

When a source was seen, and when it is due, is in `ingest/registry.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.ingest.fetch_log import SEEN
from pipelines.ingest.files import folders_in
from pipelines.ingest.registry import RegisteredSource
from pipelines.warehouse.database import Tables
from pipelines.warehouse.queries import internal_query
from pipelines.warehouse.reader import WarehouseError, query_published

LOST = internal_query("lost_results")
# A page may have lost hundreds of columns; the others are in audit.rejects.
_MOST_REASONS = 5


class SourceFinding(NamedTuple):
    """What is wrong with a source.

    Attributes:
        reason: What is wrong; None for nothing.
        may_pass: Whether it may pass by itself.
        facts: What else there is to say.
    """

    reason: str | None
    may_pass: bool = False
    facts: dict[str, Any] = {}  # noqa: RUF012  Nobody adds to it.


def losses(rows: pa.Table) -> dict[str, str]:
    """What sources have lost, by their names: the rows of `LOST` in words."""
    return {
        row["source"]: f"0 results of {row['results_before']} since {row['lost_at']:%Y-%m-%d}"
        for row in rows.to_pylist()
    }


def published_losses(warehouse: Path) -> dict[str, str]:
    """What sources have lost; nothing where no warehouse is published."""
    try:
        return losses(query_published(warehouse, LOST))
    except WarehouseError:
        return {}


def is_seen(source: RegisteredSource, lost: dict[str, str]) -> SourceFinding:
    """Whether the last fetch of a source succeeded, in time, and the page still prints results."""
    now = datetime.now(UTC)
    freshness, last = source.freshness(now), source.last
    facts: dict[str, Any] = {"freshness": freshness, "url": source.source.url}
    if last:
        facts |= {"outcome": last.outcome, "last_checked": last.attempted_at.isoformat()}
    if source.last_seen_at:
        facts["last_seen"] = source.last_seen_at.isoformat()
    # What may pass by itself is a warning until the source is stale.
    is_passing = last is None or last.outcome == "failed"
    may_pass = not source.fault and is_passing and freshness != "stale"
    reasons = filter(None, (_unseen(source, freshness), lost.get(source.name)))
    return SourceFinding("; ".join(reasons) or None, may_pass, facts)


def _unseen(source: RegisteredSource, freshness: str | None) -> str | None:
    """Why a source cannot be said to be seen, or None."""
    if source.fault:
        return f"it is not fetched: {source.fault}"
    if source.last is None:
        # What came with the ledger is no fault of a schedule that nobody has switched on.
        return None if folders_in(source.folder) else "it was not fetched yet"
    if source.last.outcome not in SEEN:
        seen = "never fetched"
        if source.last_seen_at:
            seen = f"last fetched {source.last_seen_at:%Y-%m-%d %H:%M} UTC"
        return f"{source.last.outcome}: {source.last.reason}; {seen}"
    if freshness == "stale":
        return f"not fetched since {source.last.attempted_at:%Y-%m-%d %H:%M} UTC; check that the schedule runs"
    return None


def fit_of_mappings(
    tables: Tables, sources: Sequence[RegisteredSource]
) -> dict[str, SourceFinding]:
    """Whether every table on the newest snapshot of each source fits its mapping, by source."""
    refused = reasons_by_source(tables) if sources else {}
    return {source.name: SourceFinding(_first(refused.get(source.name, []))) for source in sources}


def reasons_by_source(tables: Tables) -> dict[str, list[str]]:
    """What of the mapping of a source does not fit its newest snapshot, by source."""
    rows = tables.query(internal_query("refused_tables")).to_pylist()
    return {row["source"]: row["reasons"] for row in rows}


def _first(reasons: Sequence[str]) -> str | None:
    words = "; ".join(reasons[:_MOST_REASONS])
    if len(reasons) > _MOST_REASONS:
        words += f"; and {len(reasons) - _MOST_REASONS} more in audit.rejects"
    return words or None
