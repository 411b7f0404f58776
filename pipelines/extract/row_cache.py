"""The one cache: the rows of documents, under the bytes, the mapping, the code and the vocabularies they come from.

Rows are kept in chunks: files of one name, one in the folder of each kind of row, below the fingerprint of the code and
the vocabularies (`corpus.code_fingerprint`). What has read a chunk lists its documents with their keys under `read/`;
when its rows were held against their contracts, the list moves to `done/`. A chunk that is not listed there was never
finished. Reading the documents belongs in `corpus.py`.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.extract.reading import Reading, StoredDocument
from pipelines.extract.worker import CRASHED
from pipelines.schemas.tables import Table
from pipelines.settings import document_limits

_READ, _DONE = "read", "done"
# What the contracts of the tables have refused of a chunk, beside the folders of its rows.
REFUSED = "refused"
_SCHEMA = pa.schema([("document_id", pa.string()), ("key", pa.string())])

# Opening a file takes as long as reading the rows of many documents: beyond so many small chunks they are merged.
_SMALL_CHUNKS_UP_TO = 50


def write_rows(path: Path, rows: pa.Table) -> None:
    """Put a Parquet file in place at once: another process, or the next build, sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    pq.write_table(rows, partial)
    partial.replace(path)


def chunk_name(document_ids: Iterable[str]) -> str:
    """Name of the chunk that holds the rows of these documents, in this order."""
    return hashlib.sha256("".join(document_ids).encode()).hexdigest()[:16]


def finish_chunk(folder: Path, name: str, readings: Iterable[tuple[StoredDocument, Reading]]) -> None:
    """List the documents of a chunk whose rows were all read.

    One that went beyond its limits is tried again when these have changed; one that has ended its reader otherwise is
    tried again in the next build, as the reason may have lain outside.
    """
    rows = [
        {"document_id": document.document_id, "key": _key(document, is_refused=reading.refusal is not None)}
        for document, reading in readings
        if not reading.refusal or reading.refusal.rule != CRASHED
    ]
    write_rows(folder / _READ / f"{name}.parquet", pa.Table.from_pylist(rows, schema=_SCHEMA))


def accept_chunk(
    folder: Path,
    name: str,
    tables: Mapping[str, Table],
    contract: Callable[[pa.Table, Table], tuple[pa.Table, pa.Table]],
) -> None:
    """Hold the rows of a chunk that was read against the contracts of their tables; from then on they count."""
    refused = []
    for kind, table in tables.items():
        path = folder / kind / f"{name}.parquet"
        with pq.ParquetFile(path) as file:
            valid, rejects = contract(file.read(), table)
        if rejects.num_rows:
            write_rows(path, valid)
        refused.append(rejects)
    write_rows(folder / REFUSED / f"{name}.parquet", pa.concat_tables(refused))
    done = folder / _DONE / f"{name}.parquet"
    done.parent.mkdir(exist_ok=True)
    (folder / _READ / f"{name}.parquet").replace(done)


def known_documents(
    folder: Path, documents: Iterable[StoredDocument], kinds: Collection[str], chunk_size: int
) -> dict[str, str]:
    """The chunk of each document whose rows are what reading it now would give.

    Chunks of which no document is known are removed, and small ones are put together when there are many.

    Args:
        folder: Where the rows are that the code and the vocabularies of now have given.
        documents: The documents of the build.
        kinds: Names of the sub-folders of rows.
        chunk_size: Documents in a chunk.
    """
    keys = {
        document.document_id: {_key(document, is_refused=is_refused) for is_refused in (False, True)}
        for document in documents
    }
    known: dict[str, str] = {}
    for path in sorted((folder / _DONE).glob("*.parquet")):
        for document_id, key in zip(*pq.read_table(path, schema=_SCHEMA).to_pydict().values(), strict=True):
            if key in keys.get(document_id, ()):
                known[document_id] = path.stem
    known |= _merge_small_chunks(folder, known, kinds, chunk_size)
    chunks = {*known.values()}
    # The lists first: what is listed is whole.
    for path in [*folder.glob(f"{_DONE}/*"), *folder.glob("*/*.parquet*")]:
        if path.suffix != ".parquet" or path.stem not in chunks:
            path.unlink(missing_ok=True)
    return known


def _key(document: StoredDocument, *, is_refused: bool) -> str:
    """Hash of all that decides the rows of a document but the code and the vocabularies."""
    limits = document_limits() if is_refused else None
    mapping = document.mapping and document.mapping.sha256
    parts = (document.document_id, document.format, document.charset, mapping, limits)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _merge_small_chunks(folder: Path, known: dict[str, str], kinds: Collection[str], size: int) -> dict[str, str]:
    """Put chunks with less than half the usual number of known documents together when there are many of them.

    A merged chunk is finished before those it is made of are removed: whenever this is broken off, every document has
    its rows in one chunk at least.

    Returns:
        The chunk of each document that has moved.
    """
    members: dict[str, list[str]] = defaultdict(list)
    for document_id, chunk in sorted(known.items()):
        members[chunk].append(document_id)
    small = sorted(chunk for chunk, ids in members.items() if len(ids) < size / 2)
    if len(small) <= _SMALL_CHUNKS_UP_TO:
        return {}
    moved: dict[str, str] = {}
    for start in range(0, len(small), size):
        parts = small[start : start + size]
        name = chunk_name(sorted(document_id for part in parts for document_id in members[part]))
        # The list of the merged chunk last.
        for kind in (*kinds, _DONE):
            rows = [_rows_of(folder / kind / f"{part}.parquet", members[part]) for part in parts]
            write_rows(folder / kind / f"{name}.parquet", pa.concat_tables(rows))
        moved |= {document_id: name for part in parts for document_id in members[part]}
    return moved


def _rows_of(path: Path, document_ids: list[str]) -> pa.Table:
    with pq.ParquetFile(path) as file:
        rows = file.read()
    return rows.filter(pc.is_in(rows["document_id"], pa.array(document_ids, pa.string())))
