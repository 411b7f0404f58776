"""The map over documents: what is new is read, in chunks, and kept as Parquet; what is known is not
read again.

A document is known when its bytes, its stated format, the mapping of its source, the code that
reads it and the vocabularies are the same (`row_cache.py`). Rows stay in files: workers write them
and return paths.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.extract.accounting.ledger import LINE_LEDGER, NUMERALS
from pipelines.extract.reading import (
    Reading,
    StoredDocument,
    read_document,
    refuse_document,
    rows_to_arrow,
)
from pipelines.extract.rows import ROW_KINDS
from pipelines.run.row_cache import (
    REFUSED,
    Contract,
    DamagedChunkError,
    accept_chunk,
    keys_of,
    known_documents,
    new_chunk_name,
    write_rows,
)
from pipelines.sandbox import Call, Limits, Refusal, close_idle_children, limited, run_calls
from pipelines.schemas.tables import TABLES, Table, arrow_schema
from pipelines.settings import document_limits, reading_workers
from pipelines.vocabulary import lookup

# What the readers say of every line and numeral.
ACCOUNTING = (LINE_LEDGER, NUMERALS)
# All code that decides what a document gives, beside the vocabularies and the declarations of the
# tables of its rows.
_CODE = ("read", "extract", "values")
# The files that decide which of its rows are accepted.
_CONTRACTS = (
    "validate/contracts.py",
    "validate/quarantine.py",
    "run/corpus.py",
    "run/row_cache.py",
)

# Bytes of documents in a chunk, some two seconds of reading: writing and checking a chunk costs
# some 0.1 s, and what a worker has read of one when it dies is read again. Few documents are cut
# into so many chunks that workers can share them. How many workers there are does not matter: the
# order of rows is that of the chunks.
_CHUNK_BYTES, _LEAST_CHUNK_BYTES = 200_000, 25_000
_CHUNKS_OF_FEW = 12
# A small document costs as much as one of so many bytes. Reading takes about so long for each byte.
_LEAST_BYTES, _SECONDS_PER_BYTE = 500, 10e-6
# Below so many seconds of reading more workers than one cost more (about a second each) than they
# save.
_POOL_FROM_S = 2.0
# A folder of rows, see `code_fingerprint`.
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


class Pool(Protocol):
    """Runs calls in parallel for a build; results arrive in any order.

    A call writes Parquet files and gives their name: no row ever comes back. Documents that end
    whatever reads them are refused by the pool (`Call.refused`), and the call is made again.

    Attributes:
        workers: Current number of parallel calls.
    """

    @property
    def workers(self) -> int: ...

    def run(self, calls: Sequence[Call]) -> Iterator[Any]: ...


@dataclass(frozen=True)
class ProcessPool:
    """Child processes of this machine; with no workers the calls are made in this process, and
    nothing is limited.
    """

    workers: int

    def run(self, calls: Sequence[Call]) -> Iterator[Any]:
        return run_calls(calls, self.workers)


@contextmanager
def process_pool(seconds: float) -> Iterator[ProcessPool]:
    """The engine of this machine: as many processes as it has cores where reading takes long
    enough.
    """
    workers = reading_workers()
    if workers is None:
        workers = (os.cpu_count() or 1) if seconds >= _POOL_FROM_S else 1
    try:
        yield ProcessPool(workers)
    finally:
        close_idle_children()


# Where documents are read: opens a pool for so many seconds of reading, as one process would need
# them.
Engine = Callable[[float], AbstractContextManager[Pool]]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading is: new documents that were read, of all of them, their rows, the workers
    there are now.
    """

    documents: int
    total: int
    rows: int
    workers: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where the rows of documents are.

    Attributes:
        folder: Folder with one sub-folder of Parquet files per kind of row.
        chunks: By document, the name of the files that hold the rows of it that count.
        read: Documents that were read now.
        workers: Maximum number of parallel readers.
    """

    folder: Path
    chunks: Mapping[str, str]
    read: frozenset[str] = frozenset()
    workers: int = 0

    @property
    def documents_read(self) -> int:
        return len(self.read)

    @property
    def documents_known(self) -> int:
        return len(self.chunks) - len(self.read)

    def batches(self, documents: Collection[str], rows: int) -> Iterator[Corpus]:
        """Documents in batches of so many rows of all kinds; a larger chunk is a batch."""
        members: dict[str, dict[str, str]] = {}
        for document in sorted(documents):
            members.setdefault(self.chunks[document], {})[document] = self.chunks[document]
        batch, held = dict[str, str](), 0
        for name, chunks in members.items():
            found = sum(
                pq.read_metadata(self.folder / kind / f"{name}.parquet").num_rows
                for kind in kept_kinds()
            )
            if batch and held + found > rows:
                yield replace(self, chunks=batch)
                batch, held = {}, 0
            batch |= chunks
            held += found
        if batch:
            yield replace(self, chunks=batch)

    @property
    def files(self) -> dict[str, list[Path]]:
        """The Parquet files of each kind of row in which rows of the documents count, in the order
        of these.
        """
        names = dict.fromkeys(self.chunks.values())
        return {
            kind: [self.folder / kind / f"{name}.parquet" for name in names]
            for kind in kept_kinds()
        }


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
                digest.update(
                    path.relative_to(folder.parent).as_posix().encode() + b"\0" + path.read_bytes()
                )
    for table in written_tables().values():
        digest.update(f"{table} {table.columns} {arrow_schema(table)}".encode())
    return digest.hexdigest()[:16]


def written_tables() -> dict[str, Table]:
    """The tables that reading a document fills, by the folder their rows are kept in."""
    return {
        **{kind: TABLES[f"extracted.{kind}"] for kind in ROW_KINDS},
        **{table.name: table for table in ACCOUNTING},
    }


def kept_kinds() -> tuple[str, ...]:
    """The folders of rows: those of the tables, and what their contracts have refused."""
    return (*written_tables(), REFUSED)


def read_corpus(
    documents: Sequence[StoredDocument],
    folder: Path,
    contract: Contract,
    engine: Engine = process_pool,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Corpus:
    """Read the documents that are not known yet and keep their rows.

    Args:
        documents: All documents of the build.
        folder: Where the rows are kept from build to build.
        contract: What parts the rows of each new chunk before they count.
        engine: Where new documents are read; not used if there are none.
        report: Called after each chunk.

    Raises:
        DamagedChunkError: What a worker has written cannot be read here, twice.
    """
    current = folder / code_fingerprint()
    found, most_workers = known_documents(current, documents, kept_kinds(), _CHUNK_BYTES), 0
    new = [document for document in documents if document.document_id not in found]
    if new:
        with engine(sum(map(_cost, new)) * _SECONDS_PER_BYTE) as pool:
            progress = Progress(0, len(new), 0, pool.workers)
            for part, name, rows in _read_chunks(_chunks(new), current, contract, pool):
                found |= dict.fromkeys((document.document_id for document in part), name)
                documents_read = progress.documents + len(part)
                progress = Progress(documents_read, len(new), progress.rows + rows, pool.workers)
                most_workers = max(most_workers, pool.workers)
                report(progress)
    for other in folder.glob("*"):
        if other != current and _FINGERPRINT.fullmatch(other.name):
            shutil.rmtree(other, ignore_errors=True)
    return Corpus(current, found, frozenset(document.document_id for document in new), most_workers)


def _cost(document: StoredDocument) -> int:
    return max(document.size, _LEAST_BYTES)


def _chunks(new: Sequence[StoredDocument]) -> list[list[StoredDocument]]:
    """The documents in their order, in chunks of like cost."""
    most = min(_CHUNK_BYTES, max(_LEAST_CHUNK_BYTES, sum(map(_cost, new)) / _CHUNKS_OF_FEW))
    chunks: list[list[StoredDocument]] = []
    left = 0.0
    for document in sorted(new, key=lambda document: document.document_id):
        if not chunks or _cost(document) > left:
            chunks.append([])
            left = most
        chunks[-1].append(document)
        left -= _cost(document)
    return chunks


def _read_chunks(
    chunks: Sequence[Sequence[StoredDocument]], folder: Path, contract: Contract, pool: Pool
) -> Iterator[tuple[Sequence[StoredDocument], str, int]]:
    """The documents, the name and the number of rows of each chunk that was read and accepted."""
    limits = document_limits()
    calls = [
        Call(_read_chunk, (number, part, folder, contract, limits), inputs=_inputs(part))
        for number, part in enumerate(chunks)
    ]
    # The largest first: then no worker is busy long after the others.
    in_order = sorted(calls, key=lambda call: -sum(map(_cost, call.arguments[1])))

    # Whoever has written a chunk may have lost its disk since: it is read again, once.
    damaged: list[Call] = []
    for tried in (in_order, damaged):
        for number, name, keys in pool.run(tried):
            try:
                rows = accept_chunk(folder, name, kept_kinds(), keys)
            except DamagedChunkError:
                if tried is damaged:
                    raise
                damaged.append(calls[number])
            else:
                yield chunks[number], name, sum(rows[kind] for kind in ROW_KINDS)


def _inputs(documents: Iterable[StoredDocument]) -> tuple[tuple[Path, str], ...]:
    files = {document.path: document.document_id for document in documents}
    files |= {
        document.mapping.path: document.mapping.sha256 for document in documents if document.mapping
    }
    return (*files.items(),)


def _read_chunk(
    number: int,
    documents: Sequence[StoredDocument],
    folder: Path,
    contract: Contract,
    limits: Limits,
    refused: Mapping[str, Refusal],
) -> tuple[int, str, dict[str, str]]:
    name = new_chunk_name()
    readings = [_reading(document, refused, limits) for document in documents]
    rows = _rows_of(documents, readings)
    refused_rows = []
    for kind, table in written_tables().items():
        valid, rejects = contract(rows[kind], table)
        write_rows(folder / kind / f"{name}.parquet", valid)
        refused_rows.append(rejects)
    write_rows(folder / REFUSED / f"{name}.parquet", pa.concat_tables(refused_rows))
    return number, name, keys_of(limits, zip(documents, readings, strict=True))


def _rows_of(
    documents: Sequence[StoredDocument], readings: Sequence[Reading]
) -> dict[str, pa.Table]:
    """The rows of each kind that documents gave."""
    rows: dict[str, pa.Table] = {}
    # Rows that do not have the type of their column, and then the rejects of the formats.
    wrong: list[dict[str, Any]] = []
    for kind in sorted(ROW_KINDS, key=lambda kind: kind == "rejects"):
        found = chain.from_iterable(reading.found.get(kind, ()) for reading in readings)
        rows[kind] = rows_to_arrow([*found], TABLES[f"extracted.{kind}"], wrong)
    mistyped = pa.Table.from_pylist(wrong, schema=rows["rejects"].schema)
    rows["rejects"] = pa.concat_tables([mistyped, rows["rejects"]])
    pairs = zip(documents, readings, strict=True)
    accounts = [reading.accounting.tables(document.document_id) for document, reading in pairs]
    for table in ACCOUNTING:
        rows[table.name] = pa.concat_tables([account[table.name] for account in accounts])
    return rows


def _reading(document: StoredDocument, refused: Mapping[str, Refusal], limits: Limits) -> Reading:
    if refusal := refused.get(document.document_id):
        return refuse_document(document, refusal)
    with limited(document.document_id, limits):
        return read_document(document)
