"""When a source began to read like a document: what orders the documents of a source among its snapshots."""

from __future__ import annotations

from datetime import UTC, datetime, time

from pipelines.ingest.sidecars import Captured


def moments_of(entry: Captured) -> list[datetime]:
    """When a source began to read like a document, each time, in order; in UTC without a zone.

    Documents added by hand on one day are one snapshot, whatever the hour.
    """
    by_hand = datetime.combine(entry.published_on or in_utc(entry.retrieved_at).date(), time())
    first = in_utc(entry.snapshot_at) if entry.snapshot_at else by_hand
    return sorted({first, *map(in_utc, entry.seen_again_at)})


def moment_of(entry: Captured) -> datetime:
    """What orders a document among the snapshots of its source: the last of its moments."""
    return moments_of(entry)[-1]


def in_utc(moment: datetime) -> datetime:
    """The moment in UTC, without a zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
