"""A page that no longer shows its tables is no page without news: the build says so."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from conftest import Ledger

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


def test_a_page_whose_tables_are_gone_is_a_reject(ledger: Ledger) -> None:
    ledger.map("acme/results", MAPPING)
    ledger.add(HEAD + TABLE + PROSE, "acme/results", "2025-01-01", name="page.html")
    ledger.add(HEAD + PROSE, "acme/results", "2025-02-01", name="page.html")
    assert ledger.build().success
    [reject] = ledger.sql("select rule, scope, path from audit.rejects")
    assert (reject["rule"], reject["scope"]) == ("section_gone", "note")
    assert "2025-02-01" in reject["path"]
    assert [row["value"] for row in ledger.sql("select value from resolved.results")] == [24611.0]


def test_a_table_that_a_script_fills_is_a_reject(ledger: Ledger) -> None:
    ledger.add(HEAD + TABLE.split("<tr><td>")[0] + "</table></body></html>", "acme/results", name="page.html")
    ledger.map("acme/others", MAPPING)
    ledger.add(HEAD + TABLE + PROSE, "acme/others", name="page.html")
    assert ledger.build().success
    assert [row["rule"] for row in ledger.sql("select rule from audit.rejects")] == ["unknown_format"]


def test_a_table_that_the_mapping_leaves_out_is_quiet(ledger: Ledger) -> None:
    servers = (
        "<table><tr><th>Server</th><th>CPU</th><th>Memory</th></tr><tr><td>One</td><td>2</td><td>3 TB</td></tr></table>"
    )
    ledger.map("acme/results", MAPPING + "- {columns: {Server: ignore}, skip: true}\n")
    ledger.add(HEAD + TABLE + servers + PROSE, "acme/results", name="page.html")
    assert ledger.build().success
    assert ledger.sql("select * from audit.rejects") == []
    assert len(ledger.sql("select * from resolved.results")) == 1


def test_a_fetched_page_that_lost_its_tables_is_a_reject_too(ledger: Ledger) -> None:
    """Its source.yml was written before anybody knew what it holds."""
    folder = ledger.raw / "acme" / "results"
    folder.mkdir(parents=True)
    (folder / "source.yml").write_text("publisher: acme\nurl: https://acme.example/results\n")
    entries = [
        add_document(write(ledger, body), "acme/results", ledger.raw, snapshot_at=datetime(2025, month, 1, tzinfo=UTC))
        for month, body in ((1, HEAD + TABLE + PROSE), (2, HEAD + PROSE))
    ]
    assert [stored.entry.format for stored in entries] == ["results_page", "results_page"]


def write(ledger: Ledger, body: str) -> Path:
    file = ledger.raw.parent / "page.html"
    file.write_text(body)
    return file
