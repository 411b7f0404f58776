"""Submissions as zip files: the same document as their folder, and nothing unpacked beside it."""

from __future__ import annotations

import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from pipelines.ingest import snapshots as archives
from pipelines.ingest.fetching import capture
from pipelines.ingest.snapshots import IngestError, add_document
from pipelines.ingest.store import read_store

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
URL = "https://results.example/acme.zip"
FILES = {"results/pod/bert/result_0.txt": "a log\n", "systems/pod.json": '{"system_name": "IPU-POD16"}\n'}


def packed(folder: Path, names: dict[str, str], name: str = "acme.zip") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, text in names.items():
            archive.writestr(member, text)
    return path


def below(root: str, files: dict[str, str] = FILES) -> dict[str, str]:
    return {f"{root}/{name}": text for name, text in files.items()}


def test_a_zip_is_the_same_document_as_its_folder(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / "Acme" / name).parent.mkdir(parents=True)
        (tmp_path / "Acme" / name).write_text(text)
    of_folder = add_document(tmp_path / "Acme", "mlperf/acme", tmp_path / "one", now=NOW)
    file = packed(tmp_path, below("submission-main/Acme") | {"submission-main/README.md": "more"})
    of_zip = add_document(file, "mlperf/acme", tmp_path / "two", published_on=date(2026, 1, 31), now=NOW)
    assert (of_zip.entry.sha256, of_zip.path.name) == (of_folder.entry.sha256, "Acme")
    stored = [path.relative_to(of_zip.path).as_posix() for path in of_zip.path.rglob("*") if path.is_file()]
    assert sorted(stored) == sorted(FILES)
    assert [row["document_id"] for row in read_store(tmp_path / "two").documents] == [of_folder.entry.sha256]


def test_a_fetched_zip_becomes_a_snapshot_once(tmp_path: Path) -> None:
    body = packed(tmp_path, below("Acme")).read_bytes()
    outcomes = [
        capture(body, media_type, None, URL, "mlperf/acme", tmp_path / "raw", NOW).outcome
        for media_type in ("application/zip", "application/octet-stream")
    ]
    assert outcomes == ["changed", "unchanged"]
    # Packed otherwise, with the same files.
    again = packed(tmp_path, dict(reversed(below("Acme").items())), "again.zip").read_bytes()
    assert again != body
    assert capture(again, "application/zip", None, URL, "mlperf/acme", tmp_path / "raw", NOW).outcome == "unchanged"
    [row] = read_store(tmp_path / "raw").documents
    assert row["media_type"] == "inode/directory"


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        pytest.param({"page.html": "<p>"}, "no submission", id="a page"),
        pytest.param(below("Acme") | below("Other"), "2 submissions", id="two submitters"),
        pytest.param(below("../Acme"), "no submission", id="a path that leads out"),
        pytest.param({"results/../../result_0.txt": "log"}, "no submission", id="a member that leads out"),
    ],
)
def test_what_is_not_one_submission_is_refused(tmp_path: Path, names: dict[str, str], reason: str) -> None:
    with pytest.raises(IngestError, match=reason):
        add_document(packed(tmp_path, names), "mlperf/acme", tmp_path / "raw", now=NOW)
    assert not (tmp_path / "raw").exists()


def test_a_broken_zip_is_refused(tmp_path: Path) -> None:
    file = packed(tmp_path, below("Acme"))
    torn = file.read_bytes()[:60]
    misnamed = packed(tmp_path, below("Ac\xe9")).read_bytes().replace("\xe9".encode(), b"\xe9\xe9")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("Acme/results/pod/bert/result_0.txt", "a log\n" * 300)
    damaged = bytearray(file.read_bytes())
    damaged[75:85] = b"\xff" * 10
    for content in (torn, misnamed, bytes(damaged)):
        file.write_bytes(content)
        with pytest.raises(IngestError, match="cannot be unpacked"):
            add_document(file, "mlperf/acme", tmp_path / "raw", now=NOW)


def test_more_than_the_limit_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_BYTES", 1_000)
    file = packed(tmp_path, {"Acme/results/pod/bert/result_0.txt": "0" * 100_000})
    with pytest.raises(IngestError, match="bytes allowed"):
        add_document(file, "mlperf/acme", tmp_path / "raw", now=NOW)
