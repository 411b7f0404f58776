"""The files of a store: links that lead nowhere, names that are none, and what listing them takes."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import Ledger, PageMaker

from pipelines.exceptions import WrongUseError
from pipelines.ingest.registry import read_registry, register
from pipelines.ingest.sidecars import SidecarError, Source, read_sidecar
from pipelines.ingest.snapshots import IngestError, add_document
from pipelines.ingest.store import find_stored, read_store, state_of_store, stored_documents

ROW = {"Throughput (items/sec)": "38,036"}


@pytest.fixture
def linked(tmp_path: Path, page: PageMaker) -> Ledger:
    """A store of one page, and links of every kind beside it; another store stands outside."""
    ledger, outside = Ledger(tmp_path), Ledger(tmp_path / "outside")
    stored = ledger.add(page([ROW]), "acme/results", "2023-01-01")
    secret = outside.add(page([ROW | {"Model": "ViT"}]), "other/page", "2023-01-01")
    source = stored.parents[1]
    for link, target in {
        ledger.raw / "publisher": outside.raw / "other",
        ledger.raw / "acme" / "page": outside.raw / "other" / "page",
        source / "2024-01-01": secret.parent,
        stored.parent / "secret.txt": secret,
        stored.parent / "gone.txt": tmp_path / "nowhere",
        stored.parent / "circle.txt": stored.parent / "circle.txt",
        source / "up": ledger.raw,
        source / "latest": stored.parent,
        ledger.raw / "acme" / "again": source,
    }.items():
        link.symlink_to(target)
    return ledger


def test_only_what_stands_in_the_store_is_read(linked: Ledger) -> None:
    store = read_store(linked.raw)
    assert [row["path"] for row in store.documents] == ["acme/results/2023-01-01/page.txt"]
    assert [row["source"] for row in store.sources] == ["acme/results"]
    assert {(fault.path, fault.rule, fault.scope) for fault in store.faults} == {
        ("publisher", "link_leads_outside", "document"),
        ("acme/page", "link_leads_outside", "document"),
        ("acme/results/2024-01-01", "link_leads_outside", "document"),
        ("acme/results/2023-01-01/secret.txt", "link_leads_outside", "document"),
        ("acme/results/2023-01-01/gone.txt", "link_leads_outside", "document"),
        ("acme/results/2023-01-01/circle.txt", "no_file", "document"),
        ("acme/results/up", "linked_folder", "note"),
        ("acme/results/latest", "linked_folder", "note"),
        ("acme/again", "linked_folder", "note"),
    }
    assert state_of_store(linked.raw)[0]
    # A link to a file of the store is read where it stands.
    path = linked.raw / "acme" / "results" / "2023-01-01" / "same.txt"
    path.symlink_to(path.with_name("page.txt"))
    assert "repeated_document" in {fault.rule for fault in read_store(linked.raw).faults}


def test_nothing_is_fetched_or_stored_through_a_link(linked: Ledger, tmp_path: Path) -> None:
    assert [source.name for source in read_registry(linked.raw)] == ["acme/results"]
    with pytest.raises(WrongUseError, match="leaves the store"):
        register(linked.raw, "acme/page", "https://acme.example/page")
    file = tmp_path / "new.txt"
    file.write_text("new")
    for source in ("acme/page", "publisher/page"):
        with pytest.raises(IngestError, match="leaves the store"):
            add_document(file, source, linked.raw)
    # The bytes are those of a document outside: they are not stored here yet.
    [secret] = (tmp_path / "outside" / "raw").glob("*/*/*/page.txt")
    stored = add_document(secret, "acme/results", linked.raw)
    assert stored.is_new
    assert find_stored(linked.raw, stored.entry.sha256)
    assert len(stored_documents(linked.raw / "acme" / "results")) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("publisher: " + "[" * 50_000, "nested more than 20 deep"),
        ("- " * 5_000 + "x", "nested more than 20 deep"),
        ("publisher: " + "x" * 5_000_000, "larger than 4,194 KB"),
    ],
)
def test_a_sidecar_that_would_exhaust_its_reader_is_named(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "source.yml").write_text(text)
    with pytest.raises(SidecarError, match=words):
        read_sidecar(tmp_path / "source.yml", Source)


def test_a_name_that_is_no_text_is_a_fault(ledger: Ledger, page: PageMaker) -> None:
    stored = ledger.add(page([ROW]), "acme/results", "2023-01-01")
    for folder in (stored.parent, stored.parents[1]):
        path = os.fsencode(folder) + b"/\xff.txt"
        try:
            Path(os.fsdecode(path)).write_text("x")
        except OSError:
            pytest.skip("the file system takes no such name")
    store = read_store(ledger.raw)
    assert [row["path"] for row in store.documents] == ["acme/results/2023-01-01/page.txt"]
    assert [(fault.path, fault.rule) for fault in store.faults] == [
        ("acme/results/2023-01-01/\\xff.txt", "unreadable_name"),
        ("acme/results/\\xff.txt", "unreadable_name"),
    ]


def test_an_added_readme_is_read_and_one_above_the_snapshots_is_not(
    ledger: Ledger, page: PageMaker
) -> None:
    (ledger.raw / "README.md").write_text("How the store is ordered.\n", "utf-8")
    ledger.add(page([ROW]), "acme/results", "2023-01-01", name="README.md")
    (ledger.raw / "acme" / "results" / "README.md").write_text("What this source is.\n", "utf-8")
    store = read_store(ledger.raw)
    assert [row["path"] for row in store.documents] == ["acme/results/2023-01-01/README.md"]
    assert store.faults == []


def test_a_listing_takes_little_memory_for_each_document(tmp_path: Path) -> None:
    for number in range(1000):
        path = tmp_path / f"acme/source-{number // 10:05}/2023-01-{number % 10 + 1:02}/page.txt"
        path.parent.mkdir(parents=True)
        path.write_text(f"page {number}")
    read_store(tmp_path)
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    store = read_store(tmp_path)
    held = tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes() - before
    tracemalloc.stop()
    assert len(store.documents) == len(store.sightings) == 1000
    assert held / 1000 < 3000
