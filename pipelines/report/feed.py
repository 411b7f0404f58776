"""Feeds (Atom) of the query `changes`: of everything, of contradicted claims, of a vendor, of a
model.

An entry is dated by the snapshot that brought it, so that the same warehouse always gives the same
feed.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from pipelines.report.links import feed_of, page_of, traced_page
from pipelines.report.rendering import words
from pipelines.report.site_pages import Row, SitePage, SiteRows, grouped

EVERYTHING, CONTRADICTED = "changes.atom", "contradicted.atom"
# A reader asks every hour; the pages have the rest. The largest changes of an entry are listed, the
# others counted.
_ENTRIES, _SHOWN = 100, 40
_NAMESPACE = uuid.UUID("6f1f2a1e-0a5b-5f0e-9d0e-5a6f0c1f7b52")
_EVENTS = {"added": "new", "removed": "withdrawn", "new_release": "under a new release"}


def feeds(found: SiteRows) -> Iterator[SitePage]:
    """All feeds: one of everything, one of contradicted claims, one per vendor, one per model."""
    changes = found.rows["events"]
    titles = {row["source"]: row["title"] or row["source"] for row in found.rows["sources"]}
    yield _feed(EVERYTHING, "Benchmark changes", changes, titles)
    contradicted = [row for row in changes if row["event"] == "contradicted"]
    yield _feed(CONTRADICTED, "Contradicted claims", contradicted, titles)
    for kind in ("vendor", "model"):
        for name, some in sorted(grouped((row for row in changes if row[kind]), kind).items()):
            yield _feed(feed_of(kind, name), f"{name}: changes", some, titles, name)


def _feed(
    path: str, title: str, changes: Sequence[Row], titles: Mapping[str, str], about: str = ""
) -> SitePage:
    """A feed with an entry per snapshot of a source, and one per claim; the newest are listed
    first.
    """
    groups = grouped(changes, "source", "snapshot_at", "claim_id").values()
    entries = [_entry(rows, titles, about) for rows in islice(groups, _ENTRIES)]
    updated = entries[0]["updated"] if entries else datetime(1970, 1, 1)
    return SitePage(
        path, "feed.xml", {"title": title, "id": _urn(path), "updated": updated, "entries": entries}
    )


def _entry(rows: Sequence[Row], titles: Mapping[str, str], about: str) -> Row:
    """The changes of one snapshot, or of one claim, as the template shows them.

    `terms` are its categories, (scheme, term): event, vendor, model, alert, outlier.
    """
    first, source, claim = rows[0], rows[0]["source"], rows[0]["claim_id"]
    counts = sorted(Counter(row["event"] for row in rows).items())
    jumps = sum(row["is_outlier"] for row in rows)
    parts = [f"{count:,} {_EVENTS.get(event, words(event))}" for event, count in counts]
    parts += [f"{jumps:,} of them outliers"] if jumps else []
    title = words(first["event"]) + f", {first['text']}" if len(rows) == 1 else ", ".join(parts)
    terms = [("event", event) for event, _ in counts]
    terms += [
        (kind, name)
        for kind in ("vendor", "model")
        for name in sorted({row[kind] for row in rows} - {None})
    ]
    terms += [
        (mark, mark) for mark in ("alert", "outlier") if any(row[f"is_{mark}"] for row in rows)
    ]
    page = page_of("source", source) + "#changes" if source in titles else "index.html"
    return {
        "id": _urn("claim", claim, first["event"])
        if claim
        else _urn(about, source, first["snapshot_at"]),
        "updated": first["snapshot_at"],
        "title": f"{about + ' in ' if about else ''}{titles.get(source, source)}: {title}",
        "page": traced_page("claim", claim) if claim else page,
        "terms": terms,
        "rows": rows[:_SHOWN],
        "more": max(0, len(rows) - _SHOWN),
    }


def _urn(*parts: Any) -> str:
    return uuid.uuid5(_NAMESPACE, "\0".join(str(part) for part in parts)).urn
