"""The map over documents: what is new is read, in chunks, and kept as Parquet; what is known is not read again.

A document is known when its bytes, its stated format, the mapping of its source, the code that reads it and the
vocabularies are the same (`row_cache.py`). Rows stay in files: workers write them and return paths.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from pipelines.extract.accounting.ledger import LINE_LEDGER, NUMERALS, line_ledger, numerals
from pipelines.extract.reading import Reading, StoredDocument, open_document, read_document, refuse_document
from pipelines.extract.row_cache import REFUSED, accept_chunk, chunk_name, finish_chunk, known_documents, write_rows
from pipelines.extract.row_columns import parts_to_arrow, to_arrow
from pipelines.extract.rows import ROW_KINDS
from pipelines.extract.worker import Call, Refusal, limited
from pipelines.extract.workers import end_workers, run_as_completed
from pipelines.read.document import ReadError
from pipelines.read.files import is_pdf
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import TABLES, Table
from pipelines.settings import document_limits, reading_workers
from pipelines.vocabulary import lookup

# All code that decides what a document gives, beside the vocabularies and the declarations of the tables of its rows.
_CODE = ("read", "extract", "values")
# What decides which of its rows are let in.
_CONTRACTS = ("validate/contracts.py", "validate/quarantine.py")

# Below this many new documents more workers than one cost more (about a second each) than they save.
_POOL_FROM = 64
_CHUNK = 50

# Parts rows by the contract of their table: those that may enter it, and one row for each that may not.
Contract = Callable[[pa.Table, Table], tuple[pa.Table, pa.Table]]


class Engine(Protocol):
    """Where documents are read: calls in, what each gives out, in whatever order they end.

    A call writes Parquet files and gives their name: no row ever comes back. Documents that end whatever reads them are
    refused by the engine (`Call.refused`), and the call is made again.
    """

    def __call__(self, calls: Sequence[Call], workers: int) -> Iterator[Any]: ...


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where the rows of all documents are.

    Attributes:
        folder: Folder with one sub-folder of Parquet files per kind of row.
        chunks: By document, the name of the files that hold the rows of it that count.
        read: Documents that were read now.
    """

    folder: Path
    chunks: Mapping[str, str]
    read: frozenset[str]

    @property
    def documents_read(self) -> int:
        return len(self.read)

    @property
    def documents_known(self) -> int:
        """Documents whose rows were there already."""
        return len(self.chunks) - len(self.read)

    def batches(self, documents: Collection[str], size: int) -> Iterator[dict[str, str]]:
        """Some documents with their chunks, so that the files of few chunks are needed at once.

        Args:
            documents: The documents.
            size: Chunks of a batch.
        """
        members: dict[str, list[str]] = {}
        for document in sorted(documents):
            members.setdefault(self.chunks[document], []).append(document)
        names = list(members)
        for start in range(0, len(names), size):
            yield {document: name for name in names[start : start + size] for document in members[name]}

    def files(self, chunks: Mapping[str, str]) -> dict[str, list[Path]]:
        """The Parquet files of each kind of row in which rows of these documents count."""
        names = sorted({*chunks.values()})
        return {kind: [self.folder / kind / f"{name}.parquet" for name in names] for kind in kept_kinds()}


@cache
def code_fingerprint() -> str:
    """Hash of the code and of the vocabularies that decide what a document gives."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for name in _CONTRACTS:
        digest.update((root / name).read_bytes())
    for folder in (*(root / name for name in _CODE), lookup.FOLDER):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".yml"):
                digest.update(path.relative_to(folder.parent).as_posix().encode() + b"\0" + path.read_bytes())
    for table in written_tables().values():
        digest.update(f"{table} {table.columns} {arrow_schema(table)}".encode())
    return digest.hexdigest()[:16]


def written_tables() -> dict[str, Table]:
    """The tables that reading a document fills, by the folder their rows are kept in."""
    return {
        **{kind: TABLES[f"extracted.{kind}"] for kind in ROW_KINDS},
        **{table.name: table for table in (LINE_LEDGER, NUMERALS)},
    }


def kept_kinds() -> tuple[str, ...]:
    """The folders of rows: those of the tables, and what their contracts have refused."""
    return (*written_tables(), REFUSED)


def read_corpus(
    documents: Sequence[StoredDocument], folder: Path, contract: Contract, engine: Engine = run_as_completed
) -> Corpus:
    """Read the documents that are not known yet and keep their rows.

    Args:
        documents: All documents of the build.
        folder: Where the rows are kept from build to build.
        contract: What parts the rows of each new chunk before they count.
        engine: Where new documents are read.
    """
    current = folder / code_fingerprint()
    known = known_documents(current, documents, kept_kinds(), _CHUNK)
    new = sorted((d for d in documents if d.document_id not in known), key=lambda d: d.document_id)
    parts = [new[start : start + _CHUNK] for start in range(0, len(new), _CHUNK)]
    chunks = {chunk_name(document.document_id for document in part): part for part in parts}
    cores, workers = os.cpu_count() or 1, reading_workers()
    if workers is None:
        workers = min(len(chunks), cores) if len(new) >= _POOL_FROM else 1
    each = max(1, cores // max(1, workers))
    limits = document_limits()
    calls = [Call(_read_chunk, (name, part, current, each), limits) for name, part in chunks.items()]
    for name in engine(calls, workers):
        accept_chunk(current, name, written_tables(), contract)
    end_workers()
    for other in folder.glob("*"):
        if other != current and other.is_dir():
            shutil.rmtree(other, ignore_errors=True)
    read_now = {document.document_id: name for name, chunk in chunks.items() for document in chunk}
    return Corpus(current, known | read_now, frozenset(read_now))


def _read_chunk(
    name: str, documents: Sequence[StoredDocument], folder: Path, cores: int, refused: Mapping[str, Refusal]
) -> str:
    readings = [_reading(document, refused) for document in opened_ahead(documents, cores)]
    # Rows that do not have the type of their column, and then the rejects of the formats.
    wrong: list[dict[str, Any]] = []
    for kind in sorted(ROW_KINDS, key=lambda kind: kind == "rejects"):
        parts = [part for reading in readings for part in reading.parts.get(kind, [])]
        rows = parts_to_arrow(parts, TABLES[f"extracted.{kind}"], wrong)
        if kind == "rejects" and wrong:
            rows = pa.concat_tables([to_arrow(wrong, TABLES[f"extracted.{kind}"], []), rows])
        write_rows(folder / kind / f"{name}.parquet", rows)
    accountings = [
        (document.document_id, reading.accounting) for document, reading in zip(documents, readings, strict=True)
    ]
    write_rows(folder / LINE_LEDGER.name / f"{name}.parquet", line_ledger(accountings))
    write_rows(folder / NUMERALS.name / f"{name}.parquet", numerals(accountings))
    finish_chunk(folder, name, zip(documents, readings, strict=True))
    return name


def _reading(document: StoredDocument, refused: Mapping[str, Refusal]) -> Reading:
    if refusal := refused.get(document.document_id):
        return refuse_document(document, refusal)
    with limited(document.document_id, document.path):
        return read_document(document)


def opened_ahead(documents: Sequence[StoredDocument], cores: int) -> Iterator[StoredDocument]:
    """The documents in order; PDFs among them are being opened before it is their turn, on so many cores."""
    pdfs = [document for document in documents if is_pdf(document.path)] if cores > 1 else []
    if len(pdfs) < 2:
        yield from documents
        return
    upcoming = iter(pdfs)
    opening: dict[str, Future[None]] = {}
    with ThreadPoolExecutor(cores) as pool:
        for document in documents:
            while len(opening) < 2 * cores and (following := next(upcoming, None)):
                opening[following.document_id] = pool.submit(_open, following)
            if (opened := opening.pop(document.document_id, None)) is not None:
                opened.result()
            yield document


def _open(document: StoredDocument) -> None:
    try:
        open_document(document)
    except (OSError, ReadError):
        # Whoever reads it next meets the same error, and says so.
        return
