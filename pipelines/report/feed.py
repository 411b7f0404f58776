"""Feeds (Atom) of the query `changes`: of everything, of contradicted claims, of a vendor, of a
model.

An entry is dated by the snapshot that brought it, so that the same warehouse always gives the same
feed.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from pipelines.report.site_pages import Row, SitePage, SiteRows, grouped
from pipelines.site_links import feed_of

EVERYTHING, CONTRADICTED = "changes.atom", "contradicted.atom"
# A reader asks every hour; the pages have the rest. The largest changes of an entry are listed, the
# others counted.
_ENTRIES, _SHOWN = 100, 40
_NAMESPACE = uuid.UUID("6f1f2a1e-0a5b-5f0e-9d0e-5a6f0c1f7b52")


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
    entries = list(islice(groups, _ENTRIES))
    updated = entries[0][0]["snapshot_at"] if entries else datetime(1970, 1, 1)
    content = {"title": title, "about": about, "titles": titles, "updated": updated}
    return SitePage(path, "feed.xml", content | {"entries": entries, "most": _SHOWN, "urn": _urn})


def _urn(*parts: Any) -> str:
    return uuid.uuid5(_NAMESPACE, "\0".join(str(part) for part in parts)).urn
