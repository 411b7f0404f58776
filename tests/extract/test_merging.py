"""Chunks of one document each are put together; the rows stay the same, also where that is broken off."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from pipelines.extract import merging
from pipelines.extract.corpus import code_fingerprint, read_corpus, written_tables
from pipelines.extract.reading import StoredDocument
from pipelines.settings import PROJECT
from pipelines.warehouse import parquet_bytes, read_parts

FIXTURES = PROJECT / "tests" / "fixtures" / "claim_prose"
DOCUMENTS = [
    StoredDocument(hashlib.sha256(path.read_bytes()).hexdigest(), path, None) for path in sorted(FIXTURES.glob("*.txt"))
]


def read(documents: list[StoredDocument], folder: Path) -> tuple[int, dict[str, str]]:
    """Documents read, and a hash over the rows of each kind."""
    corpus = read_corpus(documents, folder)
    rows = {
        name: hashlib.sha256(parquet_bytes(read_parts(corpus.files(name), table, corpus.counting))).hexdigest()
        for name, table in written_tables().items()
    }
    return corpus.documents_read, rows


@pytest.fixture(scope="module")
def five_chunks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chunks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_SMALL_CHUNKS_UP_TO", 100)
        for number in range(1, 6):
            read_corpus(DOCUMENTS[:number], folder)
    assert len(list(folder.glob("*/done/*.parquet"))) == 5
    return folder


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a reading of the five documents from nothing gives."""
    return read(DOCUMENTS[:5], tmp_path_factory.mktemp("cold"))[1]


@pytest.fixture
def chunks(five_chunks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of rows in five chunks of one document each, of which more than two are many."""
    monkeypatch.setattr(merging, "_SMALL_CHUNKS_UP_TO", 2)
    return shutil.copytree(five_chunks, tmp_path / "chunks")


def test_merged_chunks_give_the_same_rows(
    chunks: Path, expected: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert read(DOCUMENTS[:5], chunks) == (0, expected)
    for kind in ("done", *written_tables()):
        assert len(list(chunks.glob(f"*/{kind}/*.parquet"))) == 1
    assert read(DOCUMENTS[:6], chunks) == (1, read(DOCUMENTS[:6], tmp_path_factory.mktemp("cold"))[1])


def test_only_the_rows_that_count_are_merged(chunks: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    # The stated format of the first document changes: it is read again, and its old rows no longer count.
    changed = [StoredDocument(DOCUMENTS[0].document_id, DOCUMENTS[0].path, "results_page"), *DOCUMENTS[1:5]]
    expected = read(changed, tmp_path_factory.mktemp("cold"))[1]
    assert read(changed, chunks) == (1, expected)
    assert read(changed, chunks) == (0, expected)


@pytest.mark.parametrize("step", range(0, 40, 3))
def test_a_merge_broken_off_loses_and_doubles_nothing(
    step: int, chunks: Path, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = iter(range(step))

    def breaks(path: Path, *more: object, real: object = None) -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        real(path, *more)  # type: ignore[operator]

    with monkeypatch.context() as broken:
        broken.setattr(merging, "_write", lambda *given, real=merging._write: breaks(*given, real=real))
        broken.setattr(Path, "unlink", lambda *given, real=Path.unlink: breaks(*given, real=real))
        with pytest.raises(KeyboardInterrupt):
            merging.merge_small_chunks(chunks / code_fingerprint(), written_tables(), 50)
    assert read(DOCUMENTS[:5], chunks) == (0, expected)
    # What was left behind is merged with what comes next.
    assert read(DOCUMENTS[:6], chunks)[0] == 1
    assert read(DOCUMENTS[:5], chunks) == (0, expected)
