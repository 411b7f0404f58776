"""Columns about sources and the attempts to fetch them."""

from __future__ import annotations

from pipelines.schemas.column import Column

COLUMNS = (
    Column("cadence", "text", "how often the source is looked at; null when it is never fetched by itself"),
    Column("licence", "text", "what may be done with the documents of the source"),
    Column("rows_lost_up_to", "number", "share of its results that a new snapshot may lack before a check fails"),
    Column("attempted_at", "timestamp", "when the source was looked at, UTC"),
    Column(
        "outcome",
        "text",
        "unchanged, changed (a snapshot was stored, or an earlier one is printed again), gone (no such page), blocked "
        "(refused by the server, by its robots.txt or by us), failed",
        one_of=("unchanged", "changed", "gone", "blocked", "failed"),
    ),
    Column("requests", "integer", "requests made, with retries, redirects and robots.txt", at_least=0),
    Column("http_status", "integer", "status of the last answer; null where there was none", at_least=100),
    Column("final_url", "text", "address of the last answer, after redirects"),
    Column("etag", "text", "what the server calls this state of the page"),
    Column("last_modified", "text", "when the server says the page was changed, as it words it"),
    Column("not_before", "timestamp", "until when the server asked not to be asked again, UTC"),
    Column("media_type", "text", "media type of the answer", table="raw.fetches"),
    Column("bytes", "integer", "size of the answer, decompressed", at_least=0, table="raw.fetches"),
    Column("url", "text", "address that was asked for", table="raw.fetches"),
    Column("document_id", "text", "stored snapshot that the page reads like", table="raw.fetches"),
    Column("reason", "text", "why it came out so; null where there is nothing to say", table="raw.fetches"),
)
