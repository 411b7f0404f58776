"""Small chunks put together, so that a thousand builds of one new document each do not leave a thousand files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.extract.known import DONE, write_whole

# Opening a file takes as long as reading the rows of many documents.
_SMALL_CHUNKS_UP_TO = 50


def name_of(document_ids: Iterable[str]) -> str:
    """Name of the chunk that holds the rows of these documents, in this order."""
    return hashlib.sha256("".join(document_ids).encode()).hexdigest()[:16]


def merge_small_chunks(folder: Path, kinds: Iterable[str], size: int) -> None:
    """Put chunks of less than half the usual size together when there are many of them.

    A chunk that was merged is listed as done beside the ones it is made of before those are taken off: whenever this is
    broken off, every document has its rows in one chunk at least.

    Args:
        folder: Folder with one sub-folder of Parquet files per kind of row.
        kinds: Names of those sub-folders.
        size: Documents in a chunk.
    """
    small = {
        path: count
        for path in sorted((folder / DONE).glob("*.parquet"))
        if (count := pq.read_metadata(path).num_rows) < size / 2
    }
    if len(small) <= _SMALL_CHUNKS_UP_TO:
        return
    kinds, paths = [*kinds], [*small]
    for start in range(0, len(paths), size):
        parts = paths[start : start + size]
        listed = {path: pq.read_table(path) for path in parts}
        # Of a document in two chunks, as a merge broken off leaves it, one counts.
        owner = {document: path for path, rows in listed.items() for document in rows["document_id"].to_pylist()}
        name = f"{name_of(sorted(owner))}.parquet"
        if len(parts) == 1 or (folder / DONE / name) in parts:
            continue
        own = {path: pa.array([d for d, at in owner.items() if at == path], pa.string()) for path in parts}
        for kind in kinds:
            tables = [_rows_of(pq.read_table(folder / kind / path.name), own[path]) for path in parts]
            _write(folder / kind / name, pa.concat_tables(tables))
        _write(folder / DONE / name, pa.concat_tables([_rows_of(listed[path], own[path]) for path in parts]))
        for path in parts:
            path.unlink()
            for kind in kinds:
                (folder / kind / path.name).unlink()


def _rows_of(rows: pa.Table, documents: pa.Array) -> pa.Table:
    return rows.filter(pc.is_in(rows["document_id"], documents))


def _write(path: Path, rows: pa.Table) -> None:
    write_whole(path, lambda partial: pq.write_table(rows, partial))
