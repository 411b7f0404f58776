"""Documents are read again after a change of what decides their rows; the rows are those of a
reading from nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import OF_PAGES, PageMaker, forget_vocabularies
from makers import ending_readers

from pipelines.extract.reading import StoredDocument
from pipelines.extract.tables.entries import MappingFile
from pipelines.run import corpus as corpus_module
from pipelines.run import row_cache
from pipelines.run.corpus import read_corpus
from pipelines.run.row_cache import (
    Chunk,
    Corpus,
    DamagedChunkError,
    code_fingerprint,
    kept_kinds,
    written_tables,
)
from pipelines.schemas.tables import Table
from pipelines.settings import PROJECT
from pipelines.validate.quarantine import REFUSED
from pipelines.warehouse.database import Tables

FIXTURES = PROJECT / "tests" / "fixtures"
# A table, a post and a log, and a document that nothing reads.
PATHS = [
    FIXTURES / "results_page" / "tabs_serving.txt",
    FIXTURES / "claim_prose" / "launch_post.txt",
    FIXTURES / "training_log" / "device_headings.txt",
    FIXTURES / "claim_prose" / "no_benchmark.txt",
]
DOCUMENTS = [
    StoredDocument(hashlib.sha256(path.read_bytes()).hexdigest(), path, None) for path in PATHS
]
THREE = DOCUMENTS[:3]
REAL_CHUNK = corpus_module._read_chunk


def rows_of(
    folder: Path, documents: list[StoredDocument] = DOCUMENTS
) -> tuple[int, dict[str, str]]:
    """Documents read, and a hash over all rows of each kind."""
    corpus = read_corpus(documents, folder)
    found = rows_by_kind(corpus, *written_tables())
    return corpus.documents_read, {name: digest(rows) for name, rows in found.items()}


def rows_in(corpus: Corpus, name: str) -> list[dict[str, Any]]:
    return rows_by_kind(corpus, name)[name]


def rows_by_kind(corpus: Corpus, *names: str) -> dict[str, list[dict[str, Any]]]:
    """The rows that count, in an order that does not depend on how they are kept."""
    tables = Tables()
    tables.show_rows(corpus.files, corpus.counting)
    query = "select * from extracted.{} order by all"
    found = {name: tables.query(query.format(name)).to_pylist() for name in names}
    tables.close()
    return found


def digest(rows: list[dict[str, Any]]) -> str:
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def test_every_file_that_readers_read_by_is_part_of_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: set[Path] = set()

    def read_bytes(path: Path, real: object = Path.read_bytes) -> bytes:
        read.add(path)
        return real(path)  # type: ignore[operator, no-any-return]

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", read_bytes)
        code_fingerprint.cache_clear()
        code_fingerprint()
    code = PROJECT / "pipelines"
    folders = [code / name for name in ("read", "extract", "values", "vocabulary")]
    files = {
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert read == files | {code / name for name in row_cache._CONTRACTS}
    assert {path.name for path in read} > {
        "mentions.yml",
        "metrics.yml",
        "lookup.py",
        "quarantine.py",
        "screening.py",
    }


def test_a_changed_vocabulary_has_all_documents_read_again(
    vocabulary: Path, tmp_path: Path
) -> None:
    rows_of(tmp_path / "kept")
    assert rows_of(tmp_path / "kept")[0] == 0
    with (vocabulary / "units.yml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    forget_vocabularies()
    assert rows_of(tmp_path / "kept")[0] == len(DOCUMENTS)


def test_a_changed_mapping_has_the_documents_of_its_source_read_again(
    tmp_path: Path, page: PageMaker
) -> None:
    path, mapping = tmp_path / "page.txt", tmp_path / "mapping.yml"
    path.write_text(page([{"Throughput (items/sec)": "38,036"}]))
    read = []
    for text in (OF_PAGES, OF_PAGES, OF_PAGES.replace("items/s}", "images/s}")):
        mapping.write_text(text)
        stored = StoredDocument(
            "0" * 64, path, None, mapping=MappingFile(mapping, digest([{"mapping": text}]))
        )
        read.append(rows_of(tmp_path / "kept", [stored, THREE[0]])[0])
    assert read == [2, 0, 1]


def written(folder: Path, texts: list[str]) -> list[StoredDocument]:
    """A document of each text."""
    documents = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.txt"
        path.write_text(text)
        documents.append(StoredDocument(f"{number:064}", path, "claim_prose"))
    return documents


@pytest.fixture
def one_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are read in one process, which does what they begin with."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PROJECT), str(PROJECT / "tests")]))
    monkeypatch.setenv("BENCHLEDGER_WORKERS", "1")
    monkeypatch.setenv("BENCHLEDGER_DOCUMENT_MIB", "256")
    monkeypatch.setattr(corpus_module, "_LEAST_CHUNK_BYTES", 200_000)
    monkeypatch.setattr(corpus_module, "_read_chunk", ending_readers.read_chunk)


def test_a_document_beyond_its_limits_is_tried_again_when_they_change(
    tmp_path: Path, one_reader: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed, grown = documents = written(tmp_path, ["divide", "grow"])
    corpus = read_corpus(documents, tmp_path / "kept")
    rejects = {
        row["document_id"]: (row["rule"], row["scope"]) for row in rows_in(corpus, "rejects")
    }
    assert rejects == {
        crashed.document_id: ("reader_crashed", "document"),
        grown.document_id: ("memory_limit", "document"),
    }
    # What ended the reader may have lain outside of it.
    known = row_cache.known_documents(corpus.folder, documents, 1.0)
    assert known.keys() == {grown.document_id}
    monkeypatch.setenv("BENCHLEDGER_DOCUMENT_MIB", "300")
    assert not row_cache.known_documents(corpus.folder, documents, 1.0)


@pytest.mark.parametrize(
    ("word", "rule", "again"), [("kill", "reader_crashed", 1), ("grow", "memory_limit", 0)]
)
def test_what_ends_its_reader_does_not_have_others_read_again(
    word: str, rule: str, again: int, tmp_path: Path, one_reader: None
) -> None:
    documents = written(
        tmp_path, [word if number in (3, 7) else f"line {number}" for number in range(12)]
    )
    bad = {documents[3].document_id, documents[7].document_id}
    for read in (12, 2 * again, 2 * again):
        corpus = read_corpus(documents, tmp_path / "kept")
        assert corpus.documents_read == read
        rejects = rows_in(corpus, "rejects")
        assert {row["document_id"] for row in rejects if row["rule"] == rule} == bad
        chunks = {one: chunk.name for one, chunk in corpus.chunks.items()}
        assert len({name for one, name in chunks.items() if one not in bad}) == 1
        assert len({*chunks.values()}) <= 1 + len(bad)


@pytest.mark.parametrize("leftover", ["done/*.json", "line_ledger/*.parquet"])
def test_what_a_broken_off_reading_leaves_is_made_good(tmp_path: Path, leftover: str) -> None:
    _, expected = rows_of(tmp_path)
    for path in tmp_path.glob(f"*/{leftover}"):
        path.unlink()
    (next(tmp_path.iterdir()) / "line_ledger" / "other.parquet.partial").write_bytes(b"half")
    _, rows = rows_of(tmp_path)
    assert rows == expected
    assert not list(tmp_path.rglob("*.partial"))


def test_many_small_chunks_are_read_again_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 4):
        read_corpus(DOCUMENTS[:number], tmp_path)
    assert len([*tmp_path.glob("*/done/*.json")]) == 3
    monkeypatch.setattr(row_cache, "_MOST_SMALL_CHUNKS", 2)
    read, rows = rows_of(tmp_path, THREE)
    assert (read, rows) == (3, rows_of(tmp_path / "cold", THREE)[1])
    for kind in ("done", *kept_kinds()):
        assert len([*tmp_path.glob(f"*/{kind}/*.*")]) == 1


def test_only_the_rows_that_count_are_shown(tmp_path: Path) -> None:
    rows_of(tmp_path / "kept", THREE)
    # The stated format of the first document changes: it is read again, and its old rows no longer
    # count.
    changed = [StoredDocument(THREE[0].document_id, THREE[0].path, "claim_prose"), *THREE[1:]]
    expected = rows_of(tmp_path / "cold", changed)[1]
    assert rows_of(tmp_path / "kept", changed) == (1, expected)
    assert rows_of(tmp_path / "kept", changed) == (0, expected)


def test_a_chunk_whose_rows_were_not_held_against_their_contracts_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(rows: pa.Table, table: Table) -> tuple[pa.Table, pa.Table]:
        raise RuntimeError("broken off")

    with monkeypatch.context() as patched:
        patched.setattr(corpus_module, "valid_and_refused", breaks)
        with pytest.raises(RuntimeError, match="broken off"):
            read_corpus(THREE, tmp_path)
    assert read_corpus(THREE, tmp_path).documents_read == len(THREE)
    assert read_corpus(THREE, tmp_path).documents_read == 0


def test_what_a_contract_refuses_of_a_chunk_is_kept_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_first(rows: pa.Table, table: Table) -> tuple[pa.Table, pa.Table]:
        if table.name != "measurements":
            return rows, REFUSED.empty_table()
        refused = [
            {"document_id": one["document_id"], "rule": "contract"}
            for one in rows.slice(0, 1).to_pylist()
        ]
        return rows.slice(len(refused)), pa.Table.from_pylist(refused, schema=REFUSED)

    expected = len(rows_in(read_corpus(THREE, tmp_path / "all"), "measurements"))
    monkeypatch.setattr(corpus_module, "valid_and_refused", refuse_first)
    for _ in range(2):
        corpus = read_corpus(THREE, tmp_path / "some")
        refused = rows_in(corpus, "refused")
        assert refused
        assert {row["rule"] for row in refused} == {"contract"}
        assert len(rows_in(corpus, "measurements")) == expected - len(refused)


def flip(path: Path) -> None:
    """Change one byte of the first page."""
    content = bytearray(path.read_bytes())
    content[60] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("spoil", [Path.unlink, flip])
def test_a_chunk_that_cannot_be_read_back_is_read_again_by_the_next_build(
    spoil: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = rows_in(read_corpus(THREE, tmp_path / "whole"), "measurements")

    def read_chunk(*arguments: Any) -> Chunk:
        answer = REAL_CHUNK(*arguments)
        [path] = tmp_path.glob(f"lost/*/measurements/{answer.name}.parquet")
        spoil(path)
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(corpus_module, "_read_chunk", read_chunk)
        with pytest.raises(DamagedChunkError, match="cannot be read"):
            read_corpus(THREE, tmp_path / "lost")
    assert rows_in(read_corpus(THREE, tmp_path / "lost"), "measurements") == expected
