"""Feeds (Atom): what is new, restated, withdrawn, contradicted; of everything, of a vendor, of a model, of claims.

An entry is dated by the snapshot that brought it, so that the same warehouse always gives the same feed.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipelines.report.findings import ClaimVerdict
from pipelines.report.links import feed_of, page_of, traced_page
from pipelines.report.pages import Row, SitePage, SiteRows, grouped
from pipelines.report.rendering import number, words

EVERYTHING, CONTRADICTED = "changes.atom", "contradicted.atom"
# A reader asks every hour; who wants more has the pages. The largest changes of an entry are shown, the others counted.
_ENTRIES, _SHOWN = 100, 40
_NAMESPACE = uuid.UUID("6f1f2a1e-0a5b-5f0e-9d0e-5a6f0c1f7b52")
_EVENTS = {"added": "new", "removed": "withdrawn", "new_release": "under a new release"}


@dataclass(frozen=True)
class FeedEntry:
    """One entry of a feed.

    Attributes:
        id: URN that stays the same when the site is written again.
        updated: When the snapshot was taken that it speaks of.
        title: What happened, in a line.
        page: Where it stands in the site.
        terms: Categories, (scheme, term): vendor, model, event, verdict, outlier.
        rows: The changes that are shown.
        more: How many are not.
        text: What a claim says, and why it does not hold.
    """

    id: str
    updated: datetime
    title: str
    page: str
    terms: Sequence[tuple[str, str]]
    rows: Sequence[Row] = ()
    more: int = 0
    text: str = ""


def feeds(found: SiteRows) -> Iterator[SitePage]:
    """All feeds: one of everything, one of contradicted claims, one per vendor, one per model."""
    rows = found.rows
    claims = [_claim(row) for row in rows["claims"] if row["verdict"] == ClaimVerdict.contradicted]
    yield _feed(EVERYTHING, "Benchmark changes", [*_snapshots(rows, rows["events"], ""), *claims])
    yield _feed(CONTRADICTED, "Contradicted claims", claims)
    for kind in ("vendor", "model"):
        groups = grouped((row for row in rows["events"] if row[kind]), kind)
        for name, events in sorted(groups.items()):
            said = [entry for entry in claims if (kind, name) in entry.terms]
            yield _feed(feed_of(kind, name), f"{name}: changes", [*_snapshots(rows, events, name), *said])


def _feed(path: str, title: str, entries: Iterable[FeedEntry]) -> SitePage:
    newest = sorted(entries, key=lambda entry: (entry.updated, entry.id), reverse=True)[:_ENTRIES]
    updated = newest[0].updated if newest else datetime(1970, 1, 1)
    return SitePage(path, "feed.xml", {"title": title, "id": _urn(path), "updated": updated, "entries": newest})


def _snapshots(rows: dict[str, list[Row]], events: Sequence[Row], about: str) -> Iterator[FeedEntry]:
    """An entry per snapshot of a source: what its events say; of everything also snapshots that nothing precedes."""
    changed = grouped(events, "source", "snapshot_at")
    documents = grouped(rows["documents"], "source", "snapshot_at")
    titles = {row["source"]: row["title"] or row["source"] for row in rows["sources"]}
    for source, at in sorted(set(changed) if about else {*changed, *documents}):
        some = changed[source, at]
        counts = sorted(Counter(row["event"] for row in some).items())
        jumps = sum(row["is_outlier"] for row in some)
        parts = [f"{count:,} {_EVENTS.get(event, words(event))}" for event, count in counts]
        parts += [f"{jumps:,} of them outliers"] if jumps else []
        if not some:
            parts = [f"first snapshot, {sum(row['results'] for row in documents[source, at]):,} results"]
        title = f"{about + ' in ' if about else ''}{titles[source]}: {', '.join(parts)}"
        terms = [("event", event) for event, _ in counts]
        terms += [(kind, name) for kind in ("vendor", "model") for name in sorted({row[kind] for row in some} - {None})]
        terms += [("outlier", "outlier")] if jumps else []
        page = page_of("source", source) + ("#changes" if some else "")
        yield FeedEntry(_urn(about, source, at), at, title, page, terms, some[:_SHOWN], max(0, len(some) - _SHOWN))


def _claim(row: Row) -> FeedEntry:
    """A contradicted claim as an entry."""
    terms = [("verdict", row["verdict"]), *((kind, row[kind]) for kind in ("vendor", "model") if row[kind])]
    what = f"{row['model'] or row['subject_platform'] or ''} {words(row['metric'])}".strip()
    title = f"{words(row['verdict'])}: {row['text_printed']} {what}, by {row['publisher']}"
    said = f"{row['sentence'] or row['text_printed']}{' [paraphrase]' if row['is_paraphrase'] else ''}"
    text = f"{said} ({number(row['factor'])}x): {row['reason']}"
    urn = _urn("claim", row["claim_id"], row["verdict"])
    return FeedEntry(urn, row["snapshot_at"], title, traced_page("claim", row["claim_id"]), terms, text=text)


def _urn(*parts: Any) -> str:
    return uuid.uuid5(_NAMESPACE, "\0".join(str(part) for part in parts)).urn
