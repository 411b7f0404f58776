"""The one cache: the rows of documents, by their bytes, their mapping, the code and the
vocabularies.

Rows are kept in chunks: Parquet files of one name, one in the folder of each kind of row, below the
fingerprint of the code and the vocabularies (`code_fingerprint`). When the build finds the files of
a chunk as their writer has left them, it lists the chunk under `done/`. A chunk that is not listed
there, or whose files have changed since, is read again. Each reading gives a chunk a new name, so
that nobody overwrites what another process writes. Reading documents belongs in `corpus.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ValidationError

from pipelines.exceptions import BenchledgerError
from pipelines.extract.accounting.ledger import LINE_LEDGER, NUMERALS
from pipelines.extract.reading import StoredDocument
from pipelines.extract.rows import EXTRACTED_TABLES
from pipelines.own_files import checksum
from pipelines.sandbox import Limits
from pipelines.schemas.tables import Table, arrow_schema
from pipelines.settings import document_limits
from pipelines.vocabulary import lookup

# What the readers say of every line and numeral.
ACCOUNTING = (LINE_LEDGER, NUMERALS)
# What the contracts of the tables have refused of a chunk, beside the folders of its rows.
REFUSED = "refused"
# All code that decides what a document gives, beside the vocabularies and the declarations of the
# tables of its rows.
_CODE = ("read", "extract", "values")
# The files that decide which of its rows are accepted.
_CONTRACTS = (
    "validate/contracts.py",
    "validate/quarantine.py",
    "validate/screening.py",
    "run/corpus.py",
    "run/row_cache.py",
)
_LISTED = "done"
# Opening a file takes as long as reading many small documents: beyond so many small chunks these
# are read again.
_MOST_SMALL_CHUNKS = 50


class DamagedChunkError(BenchledgerError):
    """What was written of a chunk cannot be read back."""


@cache
def code_fingerprint() -> str:
    """Hash of the code and of the vocabularies that decide what a document gives."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for name in _CONTRACTS:
        digest.update((root / name).read_bytes())
    for folder in (*(root / name for name in _CODE), lookup.FOLDER):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".yml", ".jinja"):
                name = path.relative_to(folder.parent).as_posix()
                digest.update(name.encode() + b"\0" + path.read_bytes())
    for table in written_tables().values():
        digest.update(f"{table} {table.columns} {arrow_schema(table)}".encode())
    return digest.hexdigest()[:16]


def written_tables() -> dict[str, Table]:
    """The tables that reading a document fills, by the folder their rows are kept in."""
    return {table.name: table for table in (*EXTRACTED_TABLES.values(), *ACCOUNTING)}


def kept_kinds() -> tuple[str, ...]:
    """The folders of rows: those of the tables, and what their contracts have refused."""
    return (*written_tables(), REFUSED)


class Chunk(BaseModel):
    """The rows of some documents, in one file for each kind of row.

    Attributes:
        name: The name of its files.
        keys: What has decided the rows of each document, see `key_of`.
        rows: The number of rows of each kind.
        checksums: sha256 of the file of each kind.
    """

    name: str
    keys: dict[str, str]
    rows: dict[str, int]
    checksums: dict[str, str]

    def is_whole(self, folder: Path) -> bool:
        """Whether its files are as they were written."""
        try:
            found = {kind: checksum(self.path(folder, kind)) for kind in kept_kinds()}
        except OSError:
            return False
        return found == self.checksums

    def path(self, folder: Path, kind: str) -> Path:
        """The file of a kind of row."""
        return folder / kind / f"{self.name}.parquet"


def write_chunk(folder: Path, rows: Mapping[str, pa.Table], keys: Mapping[str, str]) -> Chunk:
    """Write rows of all kinds, for documents with these keys."""
    counts = {kind: table.num_rows for kind, table in rows.items()}
    chunk = Chunk(name=uuid4().hex[:16], keys={**keys}, rows=counts, checksums={})
    for kind, table in rows.items():
        path = chunk.path(folder, kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
        chunk.checksums[kind] = checksum(path)
    return chunk


def accept_chunk(folder: Path, chunk: Chunk) -> None:
    """Have the rows of a chunk count.

    Raises:
        DamagedChunkError: A file is missing, or is not as it was written.
    """
    if not chunk.is_whole(folder):
        reason = f"rows in {folder} cannot be read back as they were written"
        raise DamagedChunkError(reason, hint="build again")
    (folder / _LISTED).mkdir(exist_ok=True)
    (folder / _LISTED / f"{chunk.name}.json").write_text(chunk.model_dump_json(), "utf-8")


def key_of(document: StoredDocument, limits: Limits) -> str:
    """Hash of all that decides the rows of a document but the code."""
    mapping = document.mapping and document.mapping.sha256
    parts = (document.document_id, document.format, document.charset, mapping, limits)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def known_documents(
    folder: Path, documents: Iterable[StoredDocument], chunk_bytes: float
) -> dict[str, Chunk]:
    """The chunk of each document whose rows are what reading it now would give.

    Chunks without a known document are removed; so are small ones when there are many, and their
    documents are read again, together.
    """
    limits = document_limits()
    keys = {document.document_id: key_of(document, limits) for document in documents}
    sizes = {document.document_id: document.size for document in documents}
    chunks, small = list[Chunk](), list[Chunk]()
    for chunk in _listed_chunks(folder):
        if chunk is None:
            continue
        chunk.keys = {one: key for one, key in chunk.keys.items() if keys.get(one) == key}
        if chunk.keys and chunk.is_whole(folder):
            is_small = sum(sizes[one] for one in chunk.keys) < chunk_bytes / 2
            (small if is_small else chunks).append(chunk)
    if len(small) <= _MOST_SMALL_CHUNKS:
        chunks += small
    names = {chunk.name for chunk in chunks}
    # The lists first: what is listed is whole.
    for path in [*folder.glob(f"{_LISTED}/*"), *folder.glob("*/*")]:
        if path.stem not in names:
            path.unlink(missing_ok=True)
    return {one: chunk for chunk in chunks for one in chunk.keys}


def damaged_chunks(folder: Path) -> int:
    """The number of listed chunks whose files are not as a build has accepted them."""
    return sum(not (chunk and chunk.is_whole(folder)) for chunk in _listed_chunks(folder))


def _listed_chunks(folder: Path) -> Iterator[Chunk | None]:
    """The listed chunks; None for a list that is damaged, or of another version."""
    for path in sorted((folder / _LISTED).glob("*.json")):
        try:
            yield Chunk.model_validate_json(path.read_bytes())
        except ValidationError:
            yield None


@dataclass(frozen=True)
class Corpus:
    """Where the rows of documents are.

    Attributes:
        folder: Folder with one sub-folder of Parquet files per kind of row.
        chunks: By document, the chunk that holds the rows of it that count.
        read: Documents that were read now.
        workers: Number of parallel readers.
    """

    folder: Path
    chunks: Mapping[str, Chunk]
    read: frozenset[str] = frozenset()
    workers: int = 0

    @property
    def documents_read(self) -> int:
        return len(self.read)

    @property
    def documents_known(self) -> int:
        return len(self.chunks) - len(self.read)

    def batches(self, documents: Collection[str], rows: int) -> Iterator[Corpus]:
        """Documents in batches of so many printed rows; a larger chunk is a batch.

        What a log holds beside its rows, lines and numerals, is not looked at with them.
        """
        accounting = {table.name for table in ACCOUNTING}
        chunks = {self.chunks[one].name: self.chunks[one] for one in sorted(documents)}
        batch, held = dict[str, Chunk](), 0
        for chunk in chunks.values():
            found = sum(many for kind, many in chunk.rows.items() if kind not in accounting)
            if batch and held + found > rows:
                yield replace(self, chunks=batch)
                batch, held = {}, 0
            batch |= {one: chunk for one in chunk.keys if one in documents}
            held += found
        if batch:
            yield replace(self, chunks=batch)

    @property
    def files(self) -> dict[str, list[Path]]:
        """The Parquet files of each kind of row in which rows of the documents count, in the order
        of these.
        """
        chunks = {chunk.name: chunk for chunk in self.chunks.values()}
        return {
            kind: [chunk.path(self.folder, kind) for chunk in chunks.values()]
            for kind in kept_kinds()
        }

    @property
    def counting(self) -> pa.Table:
        """The documents, each with the name of the files in which its rows count."""
        names = [chunk.name for chunk in self.chunks.values()]
        schema = pa.schema([("document_id", pa.string()), ("chunk", pa.string())])
        return pa.table([[*self.chunks], names], schema)
