"""The feeds: what is new, restated, withdrawn and contradicted, for a vendor, a model, and claims."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from conftest import HOSTILE_MODEL, Ledger
from lxml import etree, html

from pipelines.own_files import marked
from pipelines.report import feed
from pipelines.report import site as report
from pipelines.report.site import FOLDER
from pipelines.report.site_pages import SiteRows
from pipelines.site_links import feed_of
from pipelines.terminal import is_hidden
from pipelines.warehouse.reader import query_published

_ATOM = {"a": "http://www.w3.org/2005/Atom"}


def entries(feed: Path | BytesIO) -> list[dict[str, Any]]:
    tree = etree.parse(feed)
    return [
        {
            "id": entry.findtext("a:id", namespaces=_ATOM),
            "title": entry.findtext("a:title", namespaces=_ATOM),
            "updated": entry.findtext("a:updated", namespaces=_ATOM),
            "page": entry.find("a:link", _ATOM).get("href"),
            "terms": {
                (term.get("scheme"), term.get("term"))
                for term in entry.iterfind("a:category", _ATOM)
            },
            "text": html.fromstring(
                f"<div>{entry.findtext('a:content', namespaces=_ATOM)}</div>"
            ).text_content(),
        }
        for entry in tree.iterfind("a:entry", _ATOM)
    ]


def rendered(found: SiteRows) -> dict[str, list[dict[str, Any]]]:
    """The entries of every feed, by its path."""
    templates = report._templates(found, has_engine=False)
    return {
        page.path: entries(BytesIO(report._rendered(page, templates))) for page in feed.feeds(found)
    }


def test_every_snapshot_is_an_entry(site: Path) -> None:
    said = entries(site / feed.EVERYTHING)
    snapshots = query_published(
        site.parent, "select distinct source, snapshot_at from raw.documents"
    ).num_rows
    # A feed holds the latest hundred.
    assert len(said) == min(snapshots, 100)
    assert [entry["updated"] for entry in said] == sorted(
        (entry["updated"] for entry in said), reverse=True
    )
    assert len({entry["id"] for entry in said}) == len(said)
    assert all((site / entry["page"].partition("#")[0]).is_file() for entry in said)


def test_outliers_are_marked_and_come_first(shipped: Ledger) -> None:
    everything = rendered(SiteRows(shipped.warehouse))[feed.EVERYTHING]
    marked = [entry for entry in everything if "of them outliers" in entry["title"]]
    assert marked
    # They come first, whatever else has changed.
    assert all(
        ("urn:benchledger:outlier", "outlier") in entry["terms"]
        and entry["text"].lstrip().startswith("outlier")
        for entry in marked
    )


def test_a_vendor_and_a_model_have_feeds_of_their_own(site: Path) -> None:
    ours = entries(site / feed_of("vendor", "AWS"))
    assert ours
    assert all(("urn:benchledger:vendor", "AWS") in entry["terms"] for entry in ours)
    of_model = entries(site / feed_of("model", "BERT-Base Cased"))
    assert {
        term for entry in of_model for scheme, term in entry["terms"] if scheme.endswith(":model")
    } == {"BERT-Base Cased"}
    assert not {entry["id"] for entry in of_model} & {entry["id"] for entry in ours}


def test_a_contradicted_claim_is_news_for_those_who_follow_claims_its_vendor_or_its_model(
    site: Path,
) -> None:
    found = SiteRows(site.parent)
    assert rendered(found)[feed.CONTRADICTED] == []
    claim = next(
        row for row in found.rows["claims"] if row["vendor"] == "Graphcore" and row["model"]
    )
    about = {name: claim[name] for name in ("source", "vendor", "model", "claim_id")}
    blank = dict.fromkeys(found.rows["events"][0])
    stated = {
        "event": "contradicted",
        "text": "it does not hold",
        "is_alert": True,
        "snapshot_at": datetime.now(),
    }
    found.rows["events"].insert(0, blank | about | stated | {"is_outlier": False})
    pages = rendered(found)
    for path in (
        feed.CONTRADICTED,
        feed.EVERYTHING,
        feed_of("vendor", "Graphcore"),
        feed_of("model", claim["model"]),
    ):
        term = ("urn:benchledger:event", "contradicted")
        [entry] = [entry for entry in pages[path] if term in entry["terms"]]
        assert entry["title"].endswith(": contradicted, it does not hold")
        assert claim["claim_id"] in entry["page"]


def test_feeds_are_the_same_for_the_same_warehouse_and_harmless(
    site: Path, hostile: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    found = SiteRows(site.parent)
    templates = report._templates(found, has_engine=False)
    made = {page.path: marked(report._rendered(page, templates)) for page in feed.feeds(found)}
    assert made == {
        path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*.atom")
    }
    for path in (hostile.warehouse / FOLDER).rglob("*.atom"):
        text = path.read_text("utf-8")
        assert not {character for character in text if is_hidden(character)} - {"\n"}
        assert HOSTILE_MODEL not in text
        entries(path)
