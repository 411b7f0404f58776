"""Adding documents to the store, and reading the store back."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from pipelines.assets.sources import source_key
from pipelines.exceptions import WrongUseError
from pipelines.ingest.fetching import capture
from pipelines.ingest.http import Answer
from pipelines.ingest.registry import read_source
from pipelines.ingest.snapshots import IngestError, add_document, printed_date
from pipelines.ingest.store import read_store
from pipelines.read import submission as read_submission
from pipelines.read.document import ReadError
from pipelines.read.files import open_file
from pipelines.read.text import MAX_BYTES, read_text
from pipelines.schemas.columns import COLUMNS

NOW = datetime(2026, 1, 31, 12, 30, 15, 999, tzinfo=UTC)
PAGE = "| Model | Platform | Throughput (items/sec) |\n|---|---|---|\n| ViT | Bow Pod16 | 7,608 |\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "page.txt"
    path.write_text(PAGE)
    return path


def fetched(body: bytes, media_type: str, url: str, source: str, raw: Path) -> str:
    """What becomes of a page that a server has answered with."""
    answer = Answer(url, 200, httpx.Headers({"content-type": media_type}), body)
    return capture(answer, read_source(raw, source), raw)[0]


def test_a_snapshot_has_the_bytes_and_a_sidecar(file: Path, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    stored = add_document(
        file, "acme/results", raw, published_on=date(2026, 1, 2), now=NOW, interest="vendor"
    )
    assert stored.path == raw / "acme" / "results" / "2026-01-02" / "page.txt"
    assert stored.path.read_text() == PAGE
    sidecar = yaml.safe_load((stored.path.parent / "snapshot.yml").read_text())["documents"][0]
    assert (sidecar["format"], sidecar["bytes"], sidecar["published_on"]) == (
        "results_page",
        len(PAGE),
        "2026-01-02",
    )
    assert (
        yaml.safe_load((raw / "acme" / "results" / "source.yml").read_text())["interest"]
        == "vendor"
    )
    [row] = read_store(raw).documents
    assert (row["source"], row["interest"], row["document_id"]) == (
        "acme/results",
        "vendor",
        sidecar["sha256"],
    )
    assert row["retrieved_at"] == datetime(2026, 1, 31, 12, 30, 15)


def test_the_same_bytes_again_change_nothing_and_others_stand_beside_them(
    file: Path, tmp_path: Path
) -> None:
    raw = tmp_path / "raw"
    first = add_document(file, "acme/results", raw, now=NOW)
    before = {path: path.read_bytes() for path in raw.rglob("*") if path.is_file()}
    again = add_document(file, "acme/results", raw, published_on=date(2025, 1, 1), now=NOW)
    assert (again.is_new, again.path) == (False, first.path)
    # One document has one source.
    words = "stored already as a document of acme/results: .*/page.txt"
    with pytest.raises(IngestError, match=words):
        add_document(file, "other/name", raw, now=NOW)
    with pytest.raises(IngestError, match="a document of acme/results"):
        fetched(PAGE.encode(), "text/plain", "https://acme.example/page.txt", "other/name", raw)
    assert {path: path.read_bytes() for path in raw.rglob("*") if path.is_file()} == before
    # Another one of that name and day, which no format recognises.
    file.write_bytes(b"Caf\xe9 12\n" * 50)
    second = add_document(file, "acme/results", raw, now=NOW)
    assert (second.path.parent, second.path == first.path, second.entry.format) == (
        first.path.parent,
        False,
        None,
    )
    assert first.path.read_text() == PAGE
    assert len(read_store(raw).documents) == 2


def test_a_day_in_the_future_and_a_file_that_is_too_large_are_refused_before_anything_is_stored(
    tmp_path: Path,
) -> None:
    raw, tomorrow = tmp_path / "raw", datetime.now(UTC).date() + timedelta(days=1)
    page, sparse = tmp_path / "page.txt", tmp_path / "sparse.txt"
    page.write_text(PAGE)
    with pytest.raises(IngestError, match="2199-01-01 is in the future"):
        add_document(page, "acme/results", raw, published_on=date(2199, 1, 1))
    with sparse.open("wb") as file:
        file.truncate(200_000_000_000)
    with pytest.raises(
        IngestError, match="200,000,000,000 bytes are more than the 33,554,432 allowed"
    ):
        add_document(sparse, "acme/results", raw)
    assert not raw.exists()
    # Somewhere on earth the next day has begun.
    assert add_document(page, "acme/results", raw, published_on=tomorrow).is_new
    # What a fetched page prints as its day may be that of an event to come.
    later = b"Published: January 1, 2099\n\n" + PAGE.encode()
    url = "https://acme.example/p.txt"
    assert fetched(later, "text/plain", url, "acme/fetched", raw) == "changed"
    days = {row["source"]: row["published_on"] for row in read_store(raw).documents}
    assert days == {"acme/results": tomorrow, "acme/fetched": None}


@pytest.mark.parametrize("source", ["résultats/日本", "acme/a b", "Acme/v2.0"])
def test_what_is_dropped_in_by_hand_may_stand_in_folders_of_any_name(
    tmp_path: Path, source: str
) -> None:
    folder = tmp_path / source / "2026-01-02"
    folder.mkdir(parents=True)
    (folder / "seite ü 1.html").write_text("<p>page")
    [row] = read_store(tmp_path).documents
    assert (row["source"], row["media_type"], row["snapshot_at"]) == (
        source,
        "text/html",
        datetime(2026, 1, 2),
    )
    assert re.fullmatch(str(COLUMNS["source"].pattern), source)
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", part) for part in source_key(source).path)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        *(
            ({"source": name}, "publisher/source")
            for name in ("acme", "acme/", "/results", "acme/../etc", "../x", "a b/c")
        ),
        ({"source": "acme/results/more"}, "publisher/source"),
        ({"format": "crystal_ball"}, "known are: mlperf_inference"),
        ({"title": "\udcff"}, "^title: "),
        ({"published_on": date(1, 1, 1)}, "^published_on: the year 1"),
        ({"file": Path("nowhere.txt")}, "file not found"),
        ({"file": Path(os.devnull)}, "file not found"),
    ],
)
def test_what_cannot_be_stored_is_refused_in_a_sentence(
    file: Path, tmp_path: Path, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(WrongUseError, match=words):
        add_document(
            **{"file": file, "source": "acme/results", "raw": tmp_path / "raw", "now": NOW} | given
        )
    assert [*(tmp_path / "raw").glob("[!.]*")] == []


@pytest.mark.parametrize("name", [b"...", b"a\\b.md", b"\xff.txt", b"empty.txt"])
def test_a_file_that_is_none_in_the_store_is_refused(tmp_path: Path, name: bytes) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    file.write_text("" if name == b"empty.txt" else PAGE)
    words = {b"\xff.txt": "\\xff.txt"}.get(name, name.decode(errors="replace"))
    told = (
        "is empty; capture"
        if name == b"empty.txt"
        else f"{words} is not a valid document name; rename"
    )
    with pytest.raises(IngestError, match=re.escape(told)):
        add_document(file, "acme/results", tmp_path / "raw", now=NOW)


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
    with pytest.raises(IngestError, match="cannot write to"):
        add_document(file, "acme/results", tmp_path / "raw", now=NOW)


# Submissions, as folders and as zip files


FILES = {
    "results/pod/bert/result_0.txt": "a log\n",
    "systems/pod.json": '{"system_name": "IPU-POD16"}\n',
}
URL, DAY = "https://results.example/acme.zip", date(2021, 6, 30)


def submission(folder: Path) -> Path:
    for name, content in (FILES | {"benchmarks/bert/train.py": "x"}).items():
        (folder / "Acme" / name).parent.mkdir(parents=True)
        (folder / "Acme" / name).write_text(content)
    return folder / "Acme"


def packed(folder: Path, names: dict[str, str], name: str = "acme.zip") -> Path:
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in names.items():
            archive.writestr(member, content)
    return folder / name


def below(root: str, files: dict[str, str] = FILES) -> dict[str, str]:
    return {f"{root}/{name}": content for name, content in files.items()}


def test_a_submission_is_one_document_with_its_paths_however_it_comes(tmp_path: Path) -> None:
    root, raw = submission(tmp_path), tmp_path / "raw"
    stored = add_document(root, "mlperf/acme-v1.0", raw, published_on=DAY, now=NOW)
    assert stored.path == raw / "mlperf" / "acme-v1.0" / "2021-06-30" / "Acme"
    files = sorted(
        path.relative_to(stored.path).as_posix()
        for path in stored.path.rglob("*")
        if path.is_file()
    )
    assert files == sorted(FILES)
    [row] = read_store(raw).documents
    assert (row["document_id"], row["bytes"], row["round"]) == (
        stored.entry.sha256,
        stored.entry.bytes,
        "v1.0",
    )
    file = packed(tmp_path, below("submission-main/Acme") | {"submission-main/README.md": "more"})
    for again in (root, file):
        found = add_document(again, "mlperf/acme-v1.0", raw, now=NOW)
        assert (found.is_new, found.path) == (False, stored.path)
    shutil.copytree(root, tmp_path / "by hand" / "mlperf" / "acme" / "2021-06-30" / "Acme")
    store = read_store(tmp_path / "by hand")
    documents = [(row["document_id"], row["media_type"]) for row in store.documents]
    assert (documents, store.faults) == ([(stored.entry.sha256, "inode/directory")], [])
    (stored.path / "results" / "pod" / "bert" / "result_0.txt").write_text("other\n")
    store = read_store(raw)
    assert ([*store.documents], [fault.rule for fault in store.faults]) == ([], ["changed_bytes"])


@pytest.mark.parametrize("names", [below("submission-main/Acme"), FILES], ids=["below", "top"])
def test_a_zip_stays_one_file_with_the_lines_of_its_folder(
    tmp_path: Path, names: dict[str, str]
) -> None:
    file, raw = packed(tmp_path, names | {"README.md": "more"}), tmp_path / "raw"
    for kept in (file, tmp_path / "raw" / "mlperf" / "acme" / "2021-06-30" / "acme.zip"):
        stored = add_document(kept, "mlperf/acme", raw, published_on=DAY, now=NOW)
        assert stored.path == raw / "mlperf" / "acme" / "2021-06-30" / "acme.zip"
    assert stored.path.read_bytes() == file.read_bytes()
    assert stored.entry.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (stored.entry.media_type, stored.entry.bytes) == (
        "application/zip",
        file.stat().st_size,
    )
    assert [row["path"] for row in read_store(raw).documents] == ["mlperf/acme/2021-06-30/acme.zip"]
    from_zip, from_folder = (open_file(path, "x") for path in (file, submission(tmp_path)))
    assert (from_zip.texts, from_zip.levels) == (from_folder.texts, from_folder.levels)


@pytest.mark.parametrize(
    "name",
    [
        # The code of a submitter has folders of results, too.
        "Acme/benchmarks/bert/implementations/x/results/a/b/notes.txt",
        "Acme/results/pod/bert/results/a/b/log.txt",
        # A system with the name of a folder
        "Acme/results/results/bert/result_0.txt",
        # A description beside those of the submission
        "Acme/benchmarks/systems/pod.json",
    ],
)
def test_a_submission_is_where_its_logs_are(tmp_path: Path, name: str) -> None:
    document = open_file(packed(tmp_path, below("Acme") | {name: "log"}), "x")
    paths = [document.line(number).text for number, _ in document.levels]
    others = {name.removeprefix("Acme/")}.intersection(["results/results/bert/result_0.txt"])
    assert paths == sorted({*FILES, *others})


def test_a_fetched_zip_becomes_a_snapshot_once(tmp_path: Path) -> None:
    body = packed(tmp_path, below("Acme")).read_bytes()
    # Packed otherwise, with the same files.
    again = packed(tmp_path, dict(reversed(below("Acme").items())), "again.zip").read_bytes()
    assert again != body
    answers = (
        (body, "application/zip"),
        (body, "application/octet-stream"),
        (again, "application/zip"),
    )
    outcomes = [fetched(b, kind, URL, "mlperf/acme", tmp_path / "raw") for b, kind in answers]
    assert outcomes == ["changed", "unchanged", "unchanged"]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        pytest.param({"page.html": "<p>"}, "no submission", id="a page"),
        pytest.param(below("Acme") | below("Other"), "2 submissions", id="two submitters"),
        pytest.param(below("../Acme"), "'../Acme/.*may lead out", id="a path that leads out"),
        pytest.param(
            {"results/../../result_0.txt": "log"}, "may lead out", id="a member that leads out"
        ),
        pytest.param(below("/Acme"), "'/Acme/.*may lead out", id="an absolute path"),
        pytest.param(below("Acme") | {r"..\\x": ""}, "may lead out", id="a path of Windows"),
        pytest.param(
            below("Acme") | {"Acme/logs.ZIP": "PK"}, "another zip file, Acme/logs.ZIP", id="nested"
        ),
        pytest.param(
            {"Acme/results/pod/bert/result_0.txt": "0" * 100_000},
            "more than the 1,000 allowed",
            id="too large",
        ),
        pytest.param(
            below("Acme") | {f"Acme/{name}": "" for name in range(20)}, "22 files", id="too many"
        ),
    ],
)
def test_what_is_not_one_submission_is_refused(
    tmp_path: Path, names: dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_submission, "MAX_BYTES", 1_000)
    monkeypatch.setattr(read_submission, "_MOST_FILES", 21)
    with pytest.raises(IngestError, match=reason):
        add_document(packed(tmp_path, names), "mlperf/acme", tmp_path / "raw", now=NOW)
    root = submission(tmp_path / "round")
    for folder, words in (
        (root.parent, "add one of the folders in it: Acme"),
        (root / "benchmarks", "copy them to raw/PUBLISHER/SOURCE/YYYY-MM-DD/"),
    ):
        with pytest.raises(IngestError, match=words):
            add_document(folder, "mlperf/acme", tmp_path / "raw")
    assert not (tmp_path / "raw").exists()


def encrypted(content: bytes) -> bytes:
    """A zip file whose first file says that it needs a password."""
    at = content.index(b"PK\x01\x02")
    return content[: at + 8] + b"\x01\x00" + content[at + 10 :]


def test_a_broken_zip_is_refused(tmp_path: Path) -> None:
    file = packed(tmp_path, below("Acme"))
    torn = file.read_bytes()[:60]
    locked = encrypted(file.read_bytes())
    misnamed = packed(tmp_path, below("Ac\xe9")).read_bytes().replace("\xe9".encode(), b"\xe9\xe9")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("Acme/results/pod/bert/result_0.txt", "a log\n" * 300)
    damaged = bytearray(file.read_bytes())
    damaged[75:85] = b"\xff" * 10
    linked = zipfile.ZipInfo("Acme/results/pod/bert/result_1.txt")
    linked.external_attr = 0o120777 << 16
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("Acme/results/pod/bert/result_0.txt", "a log")
        archive.writestr(linked, "/etc/passwd")
    link = file.read_bytes()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")
        for log in ("a log", "another"):
            archive.writestr("Acme/results/pod/bert/result_0.txt", log)
    for content, reason in (
        (torn, "the zip file is damaged"),
        (misnamed, "the zip file is damaged"),
        (bytes(damaged), "the zip file is damaged"),
        (locked, "result_0.txt is encrypted"),
        (link, "result_1.txt is a link"),
        (file.read_bytes(), "result_0.txt twice"),
    ):
        file.write_bytes(content)
        with pytest.raises(IngestError, match=reason):
            add_document(file, "mlperf/acme", tmp_path / "raw", now=NOW)
        with pytest.raises(ReadError, match=reason):
            open_file(file, "x")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("table.xlsx", b"PK\x03\x04" + bytes(range(256)) * 40, "damaged or cut off"),
        ("table.parquet", b"PAR1" + bytes(2_000) + b"PAR1", "save a spreadsheet as XLSX or CSV"),
        ("page.txt", random.Random(1).randbytes(5_000), "binary, not text"),
        ("page.png", b"\x89PNG\r\n\x1a\n" + bytes(500), "binary, not text"),
        ("page.txt", b"a" * (MAX_BYTES + 1), "add only the part with the benchmarks"),
    ],
)
def test_a_file_that_no_reader_opens_is_not_stored(
    name: str, content: bytes, words: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(IngestError, match=f"{name} is not stored: .*{words}"):
        add_document(tmp_path / name, "acme/results", tmp_path / "raw", now=NOW)
    assert not (tmp_path / "raw").exists()
