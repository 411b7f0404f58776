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

from pipelines.report.findings.verdicts import Verdict
from pipelines.report.links import model_feed, source_page, traced_page, vendor_feed
from pipelines.report.pages import Page
from pipelines.report.rendering import number, words
from pipelines.report.rows import Row, Rows, grouped

EVERYTHING, CONTRADICTED = "changes.atom", "contradicted.atom"
# A reader asks every hour; who wants more has the pages. The largest changes of an entry are shown, the others counted.
_ENTRIES, _SHOWN = 100, 40
_NAMESPACE = uuid.UUID("6f1f2a1e-0a5b-5f0e-9d0e-5a6f0c1f7b52")


@dataclass(frozen=True)
class Entry:
    """One entry of a feed.

    Attributes:
        id: URN that stays the same when the site is written again.
        updated: When the snapshot was taken that it speaks of.
        title: What happened, in a line.
        page: Where it stands in the site.
        terms: Categories, (scheme, term): vendor, model, event, verdict, outlier.
        rows: The changes that are shown.
        more: How many are not.
    """

    id: str
    updated: datetime
    title: str
    page: str
    terms: Sequence[tuple[str, str]]
    rows: Sequence[Row]
    more: int = 0
    text: str = ""


def feeds(rows: Rows) -> Iterator[Page]:
    """All feeds: one of everything, one of contradicted claims, one per vendor, one per model."""
    claims = [entry for row in rows["claims"] if (entry := _claim(row)).terms]
    yield _feed(EVERYTHING, "Changes in the ledger", [*_snapshots(rows, rows["events"], ""), *claims])
    yield _feed(CONTRADICTED, "Contradicted claims", claims)
    for vendor, events in _by(rows["events"], "vendor"):
        said = [entry for entry in claims if ("vendor", vendor) in entry.terms]
        yield _feed(vendor_feed(vendor), f"{vendor}: changes", [*_snapshots(rows, events, vendor), *said])
    for model, events in _by(rows["events"], "model"):
        said = [entry for entry in claims if ("model", model) in entry.terms]
        yield _feed(model_feed(model), f"{model}: changes", [*_snapshots(rows, events, model), *said])


def _by(events: Iterable[Row], column: str) -> Iterator[tuple[str, list[Row]]]:
    return ((name, some) for name, some in sorted(grouped((row for row in events if row[column]), column).items()))


def _feed(path: str, title: str, entries: Iterable[Entry]) -> Page:
    newest = sorted(entries, key=lambda entry: (entry.updated, entry.id), reverse=True)[:_ENTRIES]
    updated = newest[0].updated if newest else datetime(1970, 1, 1)
    return Page(path, "feed.xml", {"title": title, "id": _urn(path), "updated": updated, "entries": newest})


def _snapshots(rows: Rows, events: Sequence[Row], about: str) -> Iterator[Entry]:
    """An entry per snapshot of a source: what its events say; of everything also snapshots that nothing precedes."""
    changed = grouped(events, "source", "snapshot_at")
    documents = grouped(rows["documents"], "source", "snapshot_at")
    titles = {row["source"]: row["title"] or row["source"] for row in rows["sources"]}
    for source, at in sorted(set(changed) if about else {*changed, *documents}):
        some = changed[source, at]
        counts = Counter(row["event"] for row in some)
        jumps = sum(row["is_outlier"] for row in some)
        parts = [f"{count:,} {_EVENTS.get(event, words(event))}" for event, count in sorted(counts.items())]
        if jumps:
            parts.append(f"{jumps:,} of them outlier gains or losses")
        if not some:
            results = sum(row["results"] for row in documents[source, at])
            parts = [f"first snapshot, {results:,} results"]
        title = f"{about + ' in ' if about else ''}{titles[source]}: {', '.join(parts)}"
        terms = [("event", event) for event in sorted(counts)]
        terms += [(kind, name) for kind in ("vendor", "model") for name in sorted({row[kind] for row in some} - {None})]
        terms += [("outlier", "outlier")] if jumps else []
        page = source_page(source) + ("#changes" if some else "")
        yield Entry(_urn(about, source, at), at, title, page, terms, some[:_SHOWN], max(0, len(some) - _SHOWN))


_EVENTS = {"added": "new", "removed": "withdrawn", "new_release": "under a new release"}


def _claim(row: Row) -> Entry:
    """A claim as an entry; without terms where its verdict is no news."""
    is_news = row["verdict"] == Verdict.contradicted
    terms: list[tuple[str, str]] = [("verdict", row["verdict"])] if is_news else []
    for kind in ("vendor", "model"):
        if is_news and row[kind]:
            terms.append((kind, row[kind]))
    what = f"{row['model'] or row['subject_platform'] or ''} {words(row['metric'])}".strip()
    title = f"{words(row['verdict'])}: {row['text_printed']} {what}, by {row['publisher']}"
    page = traced_page("claim", row["claim_id"])
    said = f"{row['sentence'] or row['text_printed']}{' [paraphrase]' if row['is_paraphrase'] else ''}"
    text = f"{said} ({number(row['factor'])}x): {row['reason']}"
    return Entry(_urn("claim", row["claim_id"], row["verdict"]), row["snapshot_at"], title, page, terms, [], 0, text)


def _urn(*parts: Any) -> str:
    return uuid.uuid5(_NAMESPACE, "\0".join(str(part) for part in parts)).urn
