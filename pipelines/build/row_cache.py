"""The one cache: the rows of documents, under the bytes, the mapping, the code and the vocabularies they come from.

Rows are kept in chunks: files of one name, one in the folder of each kind of row, below the fingerprint of the code and
the vocabularies (`corpus.code_fingerprint`). What has read a chunk lists its documents with their keys under `read/`;
when its rows were held against their contracts and the build has found the files whole, the list moves to `done/`. A
chunk that is not listed there was never finished. The list holds the checksums of the files: where they are no longer
as they were accepted, the documents of the chunk are read again. The name of a chunk is new each time it is read, so
that nobody writes over what another has written, however late it comes. Reading documents belongs in `corpus.py`.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.extract.reading import Reading, StoredDocument
from pipelines.own_files import checksum
from pipelines.sandbox import Limits
from pipelines.schemas.tables import Table
from pipelines.settings import CRASHED, document_limits

_READ, _DONE = "read", "done"
# What the contracts of the tables have refused of a chunk, beside the folders of its rows.
REFUSED = "refused"
_SCHEMA = pa.schema([("document_id", pa.string()), ("key", pa.string()), ("seconds", pa.float64())])

# Opening a file takes as long as reading the rows of many documents: beyond so many small chunks they are merged.
_SMALL_CHUNKS_UP_TO = 50


T = TypeVar("T")

# Parts rows by the contract of their table: those that may enter it, and one row for each that may not.
Contract = Callable[[pa.Table, Table], tuple[pa.Table, pa.Table]]


class DamagedChunkError(Exception):
    """What was written of a chunk cannot be read back."""


class Known(NamedTuple):
    """Where the rows of a document are, and how long it took to read it."""

    chunk: str
    seconds: float


def write_rows(path: Path, rows: pa.Table) -> None:
    """Put a Parquet file in place at once: another process, or the next build, sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    pq.write_table(rows, partial, write_page_checksum=True)
    partial.replace(path)


def new_chunk_name() -> str:
    """A name that no other chunk has."""
    return uuid4().hex[:16]


def finish_chunk(
    folder: Path, name: str, limits: Limits, readings: Iterable[tuple[StoredDocument, Reading, float]]
) -> None:
    """List the documents of a chunk whose rows were all read, each with its reading and the seconds that took.

    One that went beyond its limits is tried again when these have changed; one that has ended its reader otherwise is
    tried again in the next build, as the reason may have lain outside.
    """
    rows = [
        {"document_id": document.document_id, "key": _key(document, limits if reading.refusal else None), "seconds": s}
        for document, reading, s in readings
        if not reading.refusal or reading.refusal.rule != CRASHED
    ]
    write_rows(folder / _READ / f"{name}.parquet", pa.Table.from_pylist(rows, schema=_SCHEMA))


def hold_chunk(folder: Path, name: str, tables: Mapping[str, Table], contract: Contract) -> None:
    """Set aside the rows of a chunk that break the contracts of their tables.

    Raises:
        DamagedChunkError: A file is missing, or is not as it was written.
    """
    refused = []
    for kind, table in tables.items():
        path = folder / kind / f"{name}.parquet"
        valid, rejects = contract(_whole(path), table)
        if rejects.num_rows:
            write_rows(path, valid)
        refused.append(rejects)
    write_rows(folder / REFUSED / f"{name}.parquet", pa.concat_tables(refused))


def accept_chunk(folder: Path, name: str, kinds: Iterable[str]) -> dict[str, int]:
    """Let the rows of a chunk count that was held against its contracts, wherever that was done.

    Returns:
        How many rows of each kind do.

    Raises:
        DamagedChunkError: A file is missing, or is not as it was written.
    """
    paths = {kind: folder / kind / f"{name}.parquet" for kind in kinds}
    counts = {kind: _whole(path).num_rows for kind, path in paths.items()}
    listed = folder / _READ / f"{name}.parquet"
    _finish(folder, name, _whole(listed), paths)
    listed.unlink()
    return counts


def _finish(folder: Path, name: str, listed: pa.Table, paths: Mapping[str, Path]) -> None:
    """Let a chunk count: its documents, and the checksums of its files by kind."""
    sums = {kind: checksum(path) for kind, path in paths.items()}
    write_rows(folder / _DONE / f"{name}.parquet", listed.replace_schema_metadata(sums))


def _whole(path: Path) -> pa.Table:
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read()
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise DamagedChunkError(f"{path} cannot be read back: {str(error).splitlines()[0]}") from error


def known_documents(
    folder: Path, documents: Iterable[StoredDocument], kinds: Collection[str], chunk_seconds: float
) -> dict[str, Known]:
    """The chunk of each document whose rows are what reading it now would give.

    Chunks of which no document is known are removed, and small ones are put together when there are many.

    Args:
        folder: Where the rows are that the code and the vocabularies of now have given.
        documents: The documents of the build.
        kinds: Names of the sub-folders of rows.
        chunk_seconds: Seconds of reading in a chunk.
    """
    keys = {
        document.document_id: {_key(document, limits) for limits in (None, document_limits())} for document in documents
    }
    known: dict[str, Known] = {}
    for path in sorted((folder / _DONE).glob("*.parquet")):
        found = {
            document_id: Known(path.stem, seconds)
            for document_id, key, seconds in _listed(path)
            if key in keys.get(document_id, ())
        }
        if found and _is_as_accepted(folder, path, kinds):
            known |= found
    known |= _merge_small_chunks(folder, known, kinds, chunk_seconds)
    chunks = {one.chunk for one in known.values()}
    # The lists first: what is listed is whole.
    for path in [*folder.glob(f"{_DONE}/*"), *folder.glob("*/*.parquet*")]:
        if path.suffix != ".parquet" or path.stem not in chunks:
            path.unlink(missing_ok=True)
    return known


def _is_as_accepted(folder: Path, listed: Path, kinds: Collection[str]) -> bool:
    sums = pq.read_schema(listed).metadata or {}
    try:
        return all(sums.get(kind.encode()) == checksum(folder / kind / listed.name).encode() for kind in kinds)
    except OSError:
        return False


def measured_seconds(folder: Path) -> dict[str, float]:
    """How long it took to read documents, by whatever code has read them; `folder` holds a folder for each."""
    lists = sorted(folder.glob(f"*/{_DONE}/*.parquet"))
    return {document_id: seconds for path in lists for document_id, _, seconds in _listed(path) if seconds}


def _listed(path: Path) -> Iterable[tuple[str, str, float]]:
    """Document, key and seconds; none of a list that is damaged, or of another version."""
    try:
        return list(zip(*_whole(path).select(_SCHEMA.names).to_pydict().values(), strict=True))
    except (DamagedChunkError, KeyError):
        return ()


def _key(document: StoredDocument, limits: Limits | None) -> str:
    """Hash of all that decides the rows of a document but the code and the vocabularies.

    Args:
        document: The document.
        limits: Of one that went beyond them.
    """
    mapping = document.mapping and document.mapping.sha256
    parts = (document.document_id, document.format, document.charset, mapping, limits)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _merge_small_chunks(
    folder: Path, known: Mapping[str, Known], kinds: Collection[str], most_seconds: float
) -> dict[str, Known]:
    """Put chunks with less than half the usual time of reading together when there are many of them.

    A merged chunk is finished before those it is made of are removed: whenever this is broken off, every document has
    its rows in one chunk at least.

    Returns:
        The documents that have moved.
    """
    members: dict[str, list[str]] = defaultdict(list)
    cost: dict[str, float] = defaultdict(float)
    for document_id, (chunk, seconds) in sorted(known.items()):
        members[chunk].append(document_id)
        cost[chunk] += seconds
    small = sorted(chunk for chunk in members if cost[chunk] < most_seconds / 2)
    if len(small) <= _SMALL_CHUNKS_UP_TO:
        return {}
    moved: dict[str, Known] = {}
    for parts in in_parts(small, cost.__getitem__, most_seconds):
        name = new_chunk_name()
        paths = {kind: folder / kind / f"{name}.parquet" for kind in kinds}
        for kind, path in paths.items():
            write_rows(path, _rows_of_chunks(folder / kind, members, parts))
        # The list of the merged chunk last.
        _finish(folder, name, _rows_of_chunks(folder / _DONE, members, parts), paths)
        moved |= {
            document_id: Known(name, known[document_id].seconds) for part in parts for document_id in members[part]
        }
    return moved


def in_parts(items: Iterable[T], cost: Callable[[T], float], most: float) -> Iterator[list[T]]:
    """Items in their order, in parts that cost no more than `most` together; what costs more alone is one by itself."""
    part: list[T] = []
    spent = 0.0
    for item in items:
        if part and spent + cost(item) > most:
            yield part
            part, spent = [], 0.0
        part.append(item)
        spent += cost(item)
    if part:
        yield part


def _rows_of_chunks(folder: Path, members: Mapping[str, list[str]], chunks: Iterable[str]) -> pa.Table:
    """The rows of one kind, of the documents in these chunks that count."""
    tables = []
    for chunk in chunks:
        rows = _whole(folder / f"{chunk}.parquet").replace_schema_metadata()
        tables.append(rows.filter(pc.is_in(rows["document_id"], pa.array(members[chunk], pa.string()))))
    return pa.concat_tables(tables)
