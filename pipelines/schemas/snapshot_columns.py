"""Columns about the snapshots of a source and what changed between them."""

from __future__ import annotations

from pipelines.schemas.column import ID, SHA256, Column

COLUMNS = (
    Column("headings_printed", "text", "headings of the table, in the order of the columns, parted by ` | `"),
    Column("snapshot", "integer", "number of the snapshot among those of its source, from 1", at_least=1),
    Column("results", "integer", "benchmarks that the snapshot prints", at_least=0),
    Column(
        "results_before",
        "integer",
        "benchmarks that the last snapshot before it that has any printed; null for the first",
        at_least=0,
    ),
    Column("results_lost", "integer", "of these, how many it no longer prints under any release", at_least=0),
    Column("share_lost", "number", "results_lost of results_before; null for the first", at_least=0),
    Column("is_latest", "flag", "whether it is the last snapshot of its source"),
    Column("lost_too_many", "flag", "whether the share lost is above what the source allows"),
    Column("from_document_id", "text", "document of the snapshot before", pattern=SHA256),
    Column("to_document_id", "text", "document of the later snapshot", pattern=SHA256),
    Column(
        "event",
        "text",
        "added (a new benchmark), new_release (a known benchmark under another release), removed (no longer printed, "
        "or only under an older release), restated (another value under the same release), renamed_header",
        one_of=("added", "new_release", "removed", "restated", "renamed_header"),
    ),
    Column("sdk_version_from", "text", "release printed before"),
    Column("sdk_version_to", "text", "release printed now"),
    Column("value_from", "number", "value printed before", table="audit.snapshot_events"),
    Column("value_to", "number", "value printed now", table="audit.snapshot_events"),
    Column("heading_from", "text", "heading of a column before"),
    Column("heading_to", "text", "heading of the same column now"),
    Column(
        "benchmark_key",
        "text",
        "identity of the benchmark; null for a heading",
        pattern=ID,
        table="audit.snapshot_events",
    ),
    Column("snapshot_at", "timestamp", "moment of the later snapshot, UTC", table="audit.snapshot_events"),
)
