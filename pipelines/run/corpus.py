"""The map over documents: what is new is read, in chunks, and kept as Parquet; what is known is not
read again.

A document is known when its bytes, its stated format, the mapping of its source, the code that
reads it and the vocabularies are the same (`row_cache.py`). Rows stay in files: workers write them
and return paths.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from pipelines.extract.reading import (
    Reading,
    StoredDocument,
    read_document,
    refuse_document,
    rows_to_arrow,
)
from pipelines.extract.rows import EXTRACTED_TABLES, ROW_KINDS
from pipelines.run.row_cache import (
    ACCOUNTING,
    REFUSED,
    Chunk,
    Corpus,
    accept_chunk,
    code_fingerprint,
    key_of,
    known_documents,
    write_chunk,
    written_tables,
)
from pipelines.sandbox import (
    Call,
    Limits,
    Refusal,
    SandboxError,
    close_idle_children,
    limited,
    run_calls,
)
from pipelines.settings import CRASHED, document_limits, reading_workers
from pipelines.validate.quarantine import valid_and_refused
from pipelines.validate.screening import leave_pandas_out

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
# A folder of rows, see `row_cache.code_fingerprint`.
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


class Pool(Protocol):
    """Runs calls in parallel for a build; results arrive in any order.

    A call writes Parquet files and gives their names: no row ever comes back. A call that ends
    whatever makes it gives a `Refusal`.

    Attributes:
        workers: Current number of parallel calls.
    """

    @property
    def workers(self) -> int: ...

    def run(self, calls: Sequence[Call]) -> Iterator[tuple[Call, Any]]: ...


@dataclass(frozen=True)
class ProcessPool:
    """Child processes of this machine; with no workers the calls are made in this process, and
    nothing is limited.
    """

    workers: int

    def run(self, calls: Sequence[Call]) -> Iterator[tuple[Call, Any]]:
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


@dataclass(frozen=True)
class Progress:
    """How far the reading is: new documents that were read, of all of them, their rows, the workers
    there are now.
    """

    documents: int
    total: int
    rows: int
    workers: int


def read_corpus(
    documents: Sequence[StoredDocument],
    folder: Path,
    engine: Engine = process_pool,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Corpus:
    """Read the documents that are not known yet and keep their rows.

    Args:
        documents: All documents of the build.
        folder: Where the rows are kept from build to build.
        engine: Where new documents are read; not used if there are none.
        report: Called after each chunk.

    Raises:
        DamagedChunkError: What a worker has written cannot be read here.
    """
    current = folder / code_fingerprint()
    found, workers = known_documents(current, documents, _CHUNK_BYTES), 0
    new = [document for document in documents if document.document_id not in found]
    if new:
        with engine(sum(map(_cost, new)) * _SECONDS_PER_BYTE) as pool:
            read = rows = 0
            for chunk in _read_chunks(_chunks(new), current, pool):
                found |= dict.fromkeys(chunk.keys, chunk)
                read += len(chunk.keys)
                rows += sum(chunk.rows[kind] for kind in ROW_KINDS)
                report(Progress(read, len(new), rows, pool.workers))
            workers = pool.workers
    for other in folder.glob("*"):
        if other != current and _FINGERPRINT.fullmatch(other.name):
            shutil.rmtree(other, ignore_errors=True)
    return Corpus(current, found, frozenset(document.document_id for document in new), workers)


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
    chunks: Sequence[Sequence[StoredDocument]], folder: Path, pool: Pool
) -> Iterator[Chunk]:
    """Each chunk when it was read and accepted."""
    limits = document_limits()

    def call(documents: Sequence[StoredDocument], refused: Mapping[str, Refusal]) -> Call:
        arguments = (documents, folder, limits, refused)
        return Call(_read_chunk, arguments, limits, _inputs(documents))

    # The largest first: then no worker is busy long after the others.
    waiting = [call(part, {}) for part in sorted(chunks, key=lambda part: -sum(map(_cost, part)))]
    while waiting:
        again: list[Call] = []
        for made, answer in pool.run(waiting):
            documents, *_, refused = made.arguments
            if isinstance(answer, Refusal) and len(documents) > 1:
                if answer.part:
                    again.append(call(documents, refused | {answer.part: answer}))
                else:
                    # One of them is the cause, nobody knows which: each is read alone.
                    again += [call([document], refused) for document in documents]
                continue
            if isinstance(answer, Refusal):
                answer = _keep(documents, [refuse_document(documents[0], answer)], folder, limits)
            accept_chunk(folder, answer)
            yield answer
        waiting = again


def _inputs(documents: Iterable[StoredDocument]) -> tuple[tuple[Path, str], ...]:
    files = {document.path: document.document_id for document in documents}
    files |= {
        document.mapping.path: document.mapping.sha256 for document in documents if document.mapping
    }
    return (*files.items(),)


def _read_chunk(
    documents: Sequence[StoredDocument],
    folder: Path,
    limits: Limits,
    refused: Mapping[str, Refusal],
) -> Chunk:
    """Read documents, each within the limits, and keep their rows; those that have ended a process
    are not read again.
    """
    leave_pandas_out()
    readings = []
    for document in documents:
        refusal = refused.get(document.document_id)
        if refusal:
            readings.append(refuse_document(document, refusal))
            continue
        with limited(limits, document.document_id):
            readings.append(read_document(document))
    return _keep(documents, readings, folder, limits)


def _keep(
    documents: Sequence[StoredDocument],
    readings: Sequence[Reading],
    folder: Path,
    limits: Limits,
) -> Chunk:
    """Write the rows of documents that keep the contracts of their tables."""
    rows = _rows_of(documents, readings)
    kept, rejects = dict[str, pa.Table](), list[pa.Table]()
    for kind, table in written_tables().items():
        kept[kind], rejected = valid_and_refused(rows[kind], table)
        rejects.append(rejected)
    kept[REFUSED] = pa.concat_tables(rejects)
    keys = {}
    for document, reading in zip(documents, readings, strict=True):
        # What ended its reader may lie outside of the document: the next build tries it again.
        has_crashed = reading.refusal and reading.refusal.rule == CRASHED
        keys[document.document_id] = "" if has_crashed else key_of(document, limits)
    try:
        return write_chunk(folder, kept, keys)
    except OSError as error:
        raise SandboxError(f"rows cannot be written to {folder}: {error}") from error


def _rows_of(
    documents: Sequence[StoredDocument], readings: Sequence[Reading]
) -> dict[str, pa.Table]:
    """The rows of each kind that documents gave."""
    rows: dict[str, pa.Table] = {}
    # Rows that do not have the type of their column, and then the rejects of the formats.
    wrong: list[dict[str, Any]] = []
    for kind in sorted(ROW_KINDS, key=lambda kind: kind == "rejects"):
        found = chain.from_iterable(reading.found.get(kind, ()) for reading in readings)
        rows[kind] = rows_to_arrow([*found], EXTRACTED_TABLES[f"extracted.{kind}"], wrong)
    mistyped = pa.Table.from_pylist(wrong, schema=rows["rejects"].schema)
    rows["rejects"] = pa.concat_tables([mistyped, rows["rejects"]])
    pairs = zip(documents, readings, strict=True)
    accounts = [reading.accounting.tables(document.document_id) for document, reading in pairs]
    for table in ACCOUNTING:
        rows[table.name] = pa.concat_tables([account[table.name] for account in accounts])
    return rows
