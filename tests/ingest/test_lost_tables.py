"""A page that no longer shows its tables is no page without news: the build says so."""

from __future__ import annotations

from datetime import UTC, datetime

from conftest import Ledger

from benchledger.source_preview import lost_by_newest
from pipelines.ingest.snapshots import add_document

HEAD = "<!DOCTYPE html><html><body><h1>Training performance</h1>"
TABLE = (
    "<table><tr><th>Model</th><th>GPU</th><th>Throughput (images/sec)</th></tr>"
    "<tr><td>ResNet-50 v1.5</td><td>8x H100</td><td>24,611</td></tr></table>"
)
MAPPING = """others: ignore
tables:
- columns: {Model: model, GPU: platform, Throughput (images/sec): {metric: throughput, unit: images/s}}
"""
PROSE = "<p>ResNet-50 v1.5 on 8x H100 is 2.1x faster than on 8x A100.</p></body></html>"


SERVERS = "<table><tr><th>Server</th><th>CPU</th><th>Memory</th></tr><tr><td>One</td><td>2</td><td>3 TB</td></tr></table>"


def test_a_page_whose_tables_are_gone_is_a_reject_and_what_the_mapping_leaves_out_is_none(
    ledger: Ledger,
) -> None:
    ledger.map("acme/lost", MAPPING)
    ledger.add(HEAD + TABLE + PROSE, "acme/lost", "2025-01-01", name="page.html")
    ledger.add(HEAD + PROSE, "acme/lost", "2025-02-01", name="page.html")
    # A table that a script fills.
    ledger.add(
        HEAD + TABLE.split("<tr><td>")[0] + "</table></body></html>",
        "acme/script",
        name="page.html",
    )
    ledger.map("acme/servers", MAPPING + "- {columns: {Server: ignore}, skip: true}\n")
    ledger.add(
        HEAD + TABLE.replace("24,611", "24,612") + SERVERS + PROSE, "acme/servers", name="page.html"
    )
    assert ledger.resolve().success
    rejects = ledger.sql("select rule, scope, path from audit.rejects order by path")
    assert [(row["rule"], row["path"].split("/")[1]) for row in rejects] == [
        ("section_gone", "lost"),
        ("unknown_format", "script"),
    ]
    assert (rejects[0]["scope"], "2025-02-01" in rejects[0]["path"]) == ("note", True)
    values = ledger.sql("select value from resolved.results order by value")
    assert [row["value"] for row in values] == [24611.0, 24612.0]


def test_a_fetched_page_that_lost_its_tables_is_a_reject_too(ledger: Ledger) -> None:
    """Its source.yml was written before anybody knew what it holds."""
    folder = ledger.raw / "acme" / "results"
    folder.mkdir(parents=True)
    (folder / "source.yml").write_text("publisher: acme\nurl: https://acme.example/results\n")
    file = ledger.raw.parent / "page.html"
    for month, body in ((1, HEAD + TABLE + PROSE), (2, HEAD + PROSE)):
        file.write_text(body)
        moment = datetime(2025, month, 1, tzinfo=UTC)
        assert (
            add_document(file, "acme/results", ledger.raw, snapshot_at=moment).entry.format
            == "results_page"
        )


def test_a_claim_that_is_still_there_does_not_stand_for_the_tables(ledger: Ledger) -> None:
    ledger.map("acme/lost", MAPPING)
    ledger.add(HEAD + TABLE + PROSE, "acme/lost", "2025-01-01", name="page.html")
    assert lost_by_newest(ledger.raw, "acme/lost") == ""
    ledger.add(HEAD + PROSE, "acme/lost", "2025-02-01", name="page.html")
    assert lost_by_newest(ledger.raw, "acme/lost").startswith("nothing is read of it")
