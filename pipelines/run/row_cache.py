"""The one cache: the rows of documents, by their bytes, their mapping, the code and the
vocabularies.

Rows are kept in chunks: Parquet files of one name, one in the folder of each kind of row, below the
fingerprint of the code and the vocabularies (`corpus.code_fingerprint`). When the rows of a chunk
are checked against their contracts and the build finds the files whole, it lists the documents with
their keys, and the checksums of the files, under `done/`. A chunk that is not listed there, or
whose files have changed since, is read again. Each reading gives a chunk a new name, so that nobody
overwrites what another process writes. Reading documents belongs in `corpus.py`.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.exceptions import BenchledgerError
from pipelines.extract.reading import Reading, StoredDocument
from pipelines.own_files import checksum
from pipelines.sandbox import Limits
from pipelines.schemas.tables import Table
from pipelines.settings import CRASHED, document_limits

_DONE = "done"
# What the contracts of the tables have refused of a chunk, beside the folders of its rows.
REFUSED = "refused"
_SCHEMA = pa.schema([("document_id", pa.string()), ("key", pa.string())])
# Opening a file takes as long as reading many small documents: beyond so many small chunks these
# are read again.
_MOST_SMALL_CHUNKS = 50

# Parts rows by the contract of their table: those that may enter it, and one row for each that may
# not.
Contract = Callable[[pa.Table, Table], tuple[pa.Table, pa.Table]]


class DamagedChunkError(BenchledgerError):
    """What was written of a chunk cannot be read back."""


def write_rows(path: Path, rows: pa.Table) -> None:
    """Write a Parquet file atomically: other processes see the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    pq.write_table(rows, partial, write_page_checksum=True)
    partial.replace(path)


def new_chunk_name() -> str:
    """A name that no other chunk has."""
    return uuid4().hex[:16]


def keys_of(limits: Limits, readings: Iterable[tuple[StoredDocument, Reading]]) -> dict[str, str]:
    """The keys of documents that were read, by their ids.

    One that went beyond its limits is tried again when these change; one that crashed its reader is
    tried again in the next build, as the cause may be outside the document.
    """
    return {
        document.document_id: _key(document, limits if reading.refusal else None)
        for document, reading in readings
        if not reading.refusal or reading.refusal.rule != CRASHED
    }


def accept_chunk(
    folder: Path, name: str, kinds: Iterable[str], keys: Mapping[str, str]
) -> dict[str, int]:
    """Have the rows of a checked chunk count, for documents with these keys.

    Returns:
        The number of rows of each kind.

    Raises:
        DamagedChunkError: A file is missing, or is not as it was written.
    """
    paths = {kind: folder / kind / f"{name}.parquet" for kind in kinds}
    counts = {kind: _read_whole(path).num_rows for kind, path in paths.items()}
    sums = {kind: checksum(path) for kind, path in paths.items()}
    listed = pa.table([[*keys.keys()], [*keys.values()]], _SCHEMA.with_metadata(sums))
    write_rows(folder / _DONE / f"{name}.parquet", listed)
    return counts


def _read_whole(path: Path) -> pa.Table:
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read()
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise DamagedChunkError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error


def known_documents(
    folder: Path, documents: Iterable[StoredDocument], kinds: Collection[str], chunk_bytes: float
) -> dict[str, str]:
    """The chunk of each document whose rows are what reading it now would give.

    Chunks without a known document are removed; so are small ones when there are many, and their
    documents are read again, together.
    """
    stored = {document.document_id: document for document in documents}
    limits = document_limits()
    keys = {one: (_key(document, None), _key(document, limits)) for one, document in stored.items()}
    chunks: dict[str, list[str]] = defaultdict(list)
    for path in sorted((folder / _DONE).glob("*.parquet")):
        found = [one for one, key in _listed(path) if key in keys.get(one, ())]
        if found and _is_as_accepted(folder, path, kinds):
            chunks[path.stem] = found
    small = [
        name
        for name, found in chunks.items()
        if sum(stored[one].size for one in found) < chunk_bytes / 2
    ]
    for name in small if len(small) > _MOST_SMALL_CHUNKS else ():
        del chunks[name]
    # The lists first: what is listed is whole.
    for path in [*folder.glob(f"{_DONE}/*"), *folder.glob("*/*.parquet*")]:
        if path.suffix != ".parquet" or path.stem not in chunks:
            path.unlink(missing_ok=True)
    return {one: name for name, found in chunks.items() for one in found}


def damaged_chunks(folder: Path, kinds: Collection[str]) -> int:
    """The number of listed chunks whose files are not as a build has accepted them."""
    chunks = (folder / _DONE).glob("*.parquet")
    return sum(not (_listed(path) and _is_as_accepted(folder, path, kinds)) for path in chunks)


def _is_as_accepted(folder: Path, listed: Path, kinds: Collection[str]) -> bool:
    sums = pq.read_schema(listed).metadata or {}
    try:
        return all(
            sums.get(kind.encode()) == checksum(folder / kind / listed.name).encode()
            for kind in kinds
        )
    except OSError:
        return False


def _listed(path: Path) -> Iterable[tuple[str, str]]:
    """Documents and keys; none of a list that is damaged, or of another version."""
    try:
        return list(zip(*_read_whole(path).select(_SCHEMA.names).to_pydict().values(), strict=True))
    except (DamagedChunkError, KeyError):
        return ()


def _key(document: StoredDocument, limits: Limits | None) -> str:
    """Hash of all that decides the rows of a document but the code; with the limits of one beyond
    them.
    """
    mapping = document.mapping and document.mapping.sha256
    parts = (document.document_id, document.format, document.charset, mapping, limits)
    return hashlib.sha256(repr(parts).encode()).hexdigest()
