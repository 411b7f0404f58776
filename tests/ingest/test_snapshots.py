"""Adding documents to the store, and reading the store back."""

from __future__ import annotations

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import yaml

from pipelines.assets.sources import source_key
from pipelines.ingest.snapshots import IngestError, add_document, printed_date
from pipelines.ingest.store import read_store
from pipelines.read.text import read_text
from pipelines.schemas.columns import COLUMNS

NOW = datetime(2026, 1, 31, 12, 30, 15, 999, tzinfo=UTC)
PAGE = "| Model | Platform | Throughput (items/sec) |\n|---|---|---|\n| ViT | Bow Pod16 | 7,608 |\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "page.txt"
    path.write_text(PAGE)
    return path


def test_a_snapshot_has_the_bytes_and_a_sidecar(file: Path, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    stored = add_document(file, "acme/results", raw, published_on=date(2026, 1, 2), now=NOW, interest="vendor")
    assert stored.path == raw / "acme" / "results" / "2026-01-02" / "page.txt"
    assert stored.path.read_text() == PAGE
    sidecar = yaml.safe_load((stored.path.parent / "snapshot.yml").read_text())["documents"][0]
    assert (sidecar["format"], sidecar["bytes"], sidecar["published_on"]) == ("results_page", len(PAGE), "2026-01-02")
    assert yaml.safe_load((raw / "acme" / "results" / "source.yml").read_text())["interest"] == "vendor"
    [row] = read_store(raw).documents
    assert (row["source"], row["interest"], row["document_id"]) == ("acme/results", "vendor", sidecar["sha256"])
    assert row["retrieved_at"] == datetime(2026, 1, 31, 12, 30, 15)


def test_the_same_bytes_again_change_nothing(file: Path, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    first = add_document(file, "acme/results", raw, now=NOW)
    before = {path: path.read_bytes() for path in raw.rglob("*") if path.is_file()}
    again = add_document(file, "other/name", raw, published_on=date(2025, 1, 1), now=NOW)
    assert (again.is_new, again.path) == (False, first.path)
    assert {path: path.read_bytes() for path in raw.rglob("*") if path.is_file()} == before


def test_two_documents_of_one_name_and_day_stand_side_by_side(file: Path, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    first = add_document(file, "acme/results", raw, now=NOW)
    file.write_text(PAGE.replace("7,608", "7,700"))
    second = add_document(file, "acme/results", raw, now=NOW)
    assert first.path.parent == second.path.parent
    assert first.path != second.path
    assert first.path.read_text() == PAGE
    assert len(read_store(raw).documents) == 2


@pytest.mark.parametrize("source", ["résultats/日本", "acme/a b", "Acme/v2.0"])
def test_what_is_dropped_in_by_hand_may_stand_in_folders_of_any_name(tmp_path: Path, source: str) -> None:
    folder = tmp_path / source / "2026-01-02"
    folder.mkdir(parents=True)
    (folder / "seite ü 1.html").write_text("<p>page")
    [row] = read_store(tmp_path).documents
    assert (row["source"], row["media_type"], row["snapshot_at"]) == (source, "text/html", datetime(2026, 1, 2))
    assert re.fullmatch(str(COLUMNS["source"].pattern), source)
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", part) for part in source_key(source).path)


@pytest.mark.parametrize("source", ["acme", "acme/", "/results", "acme/../etc", "../x", "a b/c", "acme/results/more"])
def test_a_source_is_two_folder_names(file: Path, tmp_path: Path, source: str) -> None:
    with pytest.raises(IngestError, match="publisher/source"):
        add_document(file, source, tmp_path / "raw")
    assert not (tmp_path / "raw").exists()


def test_unknown_formats_missing_and_empty_files_are_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="known are: mlperf_training"):
        add_document(file, "acme/results", tmp_path / "raw", format="crystal_ball")
    with pytest.raises(IngestError, match="no file"):
        add_document(tmp_path / "nowhere.txt", "acme/results", tmp_path / "raw")
    file.write_text("")
    with pytest.raises(IngestError, match="empty"):
        add_document(file, "acme/results", tmp_path / "raw")


def test_what_no_format_recognises_is_stored_without_one(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"\x00\x01\x02" * 500)
    stored = add_document(file, "acme/results", tmp_path / "raw", now=NOW)
    assert stored.entry.format is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This page was last updated on Tuesday, July 4, 2023", date(2023, 7, 4)),
        ("Jun 30, 2021", date(2021, 6, 30)),
        ("Published: December 9 2020 by the team", date(2020, 12, 9)),
        ("The company was founded on May 5, 2016, in Bristol.", None),
        ("last updated on February 31, 2023", None),
        ("no date at all", None),
    ],
)
def test_a_date_is_taken_only_where_it_says_what_it_is(text: str, expected: date | None) -> None:
    document = read_text(f"Results\n\n{text}\n".encode(), "0" * 64)
    assert printed_date(document) == expected


def test_documents_added_at_the_same_time_are_all_listed(tmp_path: Path) -> None:
    raw, files = tmp_path / "raw", [tmp_path / f"page{number}.txt" for number in range(12)]
    for number, file in enumerate(files):
        file.write_text(PAGE.replace("7,608", f"{number},608"))
    with ThreadPoolExecutor(6) as pool:
        [*pool.map(lambda file: add_document(file, "acme/results", raw, now=NOW), files)]
    store = read_store(raw)
    assert (store.faults, [row["format"] for row in store.documents]) == ([], ["results_page"] * 12)
    sidecar = yaml.safe_load((raw / "acme/results/2026-01-31/snapshot.yml").read_text())
    assert len(sidecar["documents"]) == 12


def test_a_store_that_cannot_be_written_to_is_an_error_in_words(file: Path, tmp_path: Path) -> None:
    (tmp_path / "raw").write_text("a file")
    with pytest.raises(IngestError, match="nothing can be stored"):
        add_document(file, "acme/results", tmp_path / "raw", now=NOW)


@pytest.mark.parametrize("name", [b"...", b"a\\b.md", b"\xff.txt"])
def test_a_name_that_is_none_in_the_store_is_refused_in_a_sentence(tmp_path: Path, name: bytes) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    file.write_text(PAGE)
    words = {b"...": "...", b"a\\b.md": "a\\b.md", b"\xff.txt": "\\xff.txt"}[name]
    with pytest.raises(IngestError, match=re.escape(f"cannot be called {words}; rename the file")):
        add_document(file, "acme/results", tmp_path / "raw", now=NOW)


def test_a_wrong_field_is_named_and_nothing_is_stored(file: Path, tmp_path: Path) -> None:
    for field, words in (
        ({"title": "\udcff"}, "title: "),
        ({"published_on": date(1, 1, 1)}, "published_on: the year 1"),
    ):
        with pytest.raises(IngestError, match=f"^{words}"):
            add_document(file, "acme/results", tmp_path / "raw", now=NOW, **field)  # type: ignore[arg-type]
    assert [*(tmp_path / "raw").glob("[!.]*")] == []


def submission(folder: Path) -> Path:
    root = folder / "Acme"
    for name in ("results/pod/bert/result_0.txt", "systems/pod.json", "benchmarks/bert/train.py"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(f"{name}\n")
    return root


def test_a_submission_is_stored_as_one_document_with_its_paths(tmp_path: Path) -> None:
    root, raw = submission(tmp_path), tmp_path / "raw"
    stored = add_document(root, "mlperf/acme-v1.0", raw, published_on=date(2021, 6, 30), now=NOW)
    assert stored.path == raw / "mlperf" / "acme-v1.0" / "2021-06-30" / "Acme"
    files = sorted(path.relative_to(stored.path).as_posix() for path in stored.path.rglob("*") if path.is_file())
    assert files == ["results/pod/bert/result_0.txt", "systems/pod.json"]
    [row] = read_store(raw).documents
    assert (row["document_id"], row["bytes"], row["round"]) == (stored.entry.sha256, stored.entry.bytes, "v1.0")
    assert read_store(raw).faults == []
    again = add_document(root, "mlperf/acme-v1.0", raw, now=NOW)
    assert (again.is_new, again.path) == (False, stored.path)


def test_a_submission_dropped_in_by_hand_is_the_same_document(tmp_path: Path) -> None:
    root = submission(tmp_path)
    stored = add_document(root, "mlperf/acme", tmp_path / "raw", published_on=date(2021, 6, 30), now=NOW)
    shutil.copytree(root, tmp_path / "other" / "mlperf" / "acme" / "2021-06-30" / "Acme")
    store = read_store(tmp_path / "other")
    assert [row["document_id"] for row in store.documents] == [stored.entry.sha256]
    assert (next(iter(store.documents))["media_type"], store.faults) == ("inode/directory", [])


def test_a_changed_log_of_a_submission_is_found(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    stored = add_document(submission(tmp_path), "mlperf/acme", raw, published_on=date(2021, 6, 30), now=NOW)
    (stored.path / "results" / "pod" / "bert" / "result_0.txt").write_text("other\n")
    store = read_store(raw)
    assert ([*store.documents], [fault.rule for fault in store.faults]) == ([], ["changed_bytes"])


def test_a_folder_that_is_no_submission_is_refused(tmp_path: Path) -> None:
    root = submission(tmp_path / "round")
    with pytest.raises(IngestError, match="add one of the folders in it: Acme"):
        add_document(root.parent, "mlperf/acme", tmp_path / "raw")
    with pytest.raises(IngestError, match="holds no results"):
        add_document(root / "benchmarks", "mlperf/acme", tmp_path / "raw")
    assert not (tmp_path / "raw").exists()
