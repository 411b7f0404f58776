"""A README that is added is a document; one above the snapshots explains the store."""

from __future__ import annotations

from conftest import Ledger, PageMaker

from pipelines.ingest.store import read_store


def test_an_added_readme_is_read(ledger: Ledger, page: PageMaker) -> None:
    (ledger.raw / "README.md").write_text("How the store is ordered.\n", "utf-8")
    ledger.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01", name="README.md")
    (ledger.raw / "acme" / "results" / "README.md").write_text("What this source is.\n", "utf-8")
    store = read_store(ledger.raw)
    assert [row["path"] for row in store.documents] == ["acme/results/2023-01-01/README.md"]
    assert store.faults == []
