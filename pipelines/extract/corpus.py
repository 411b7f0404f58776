"""The map over documents: what is new is read, in chunks, and kept as Parquet; what is known is not read again.

A document is known when its bytes, its stated format and all code that reads it are the same. Rows stay in files:
workers write them and return paths.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.extract.accounting.columns import LINE_LEDGER, NUMERALS, line_ledger, numerals
from pipelines.extract.contract import formats
from pipelines.extract.reading import Reading, StoredDocument, read_document
from pipelines.extract.rows import ROW_KINDS
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import TABLES, Table, format_table

# Everything that decides what a document gives.
_CODE = ("read", "extract", "values", "vocabulary", "schemas")

# Below this many new documents a process pool costs more (about a second per worker) than it saves.
_POOL_FROM = 64
_CHUNK = 50

# Which documents a chunk holds; written last, so that a chunk broken off in the middle does not count.
_DONE = "done"
_DONE_SCHEMA = pa.schema([("document_id", pa.string()), ("format", pa.string())])


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where the rows of all documents are.

    Attributes:
        folder: Folder with one sub-folder of Parquet files per kind of row and per format.
        documents_read: Documents that were read now.
        documents_known: Documents whose rows were there already.
    """

    folder: Path
    documents_read: int
    documents_known: int

    def files(self, kind: str) -> list[Path]:
        """The Parquet files with the rows of a kind, or with the counts of a format."""
        return sorted((self.folder / kind).glob("*.parquet"))


@cache
def code_fingerprint() -> str:
    """Hash of the code and vocabularies that decide what a document gives."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in _CODE:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".yml"):
                digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def read_corpus(documents: Sequence[StoredDocument], folder: Path, workers: int | None = None) -> Corpus:
    """Read the documents that are not known yet and keep their rows.

    Args:
        documents: All documents of the build.
        folder: Where the rows are kept from build to build.
        workers: Processes to read with; by default all cores when there is enough to read.
    """
    current = folder / code_fingerprint()
    known = _known(current)
    ids = {document.document_id for document in documents}
    if any(known.get(d.document_id, d.format) != d.format for d in documents):
        shutil.rmtree(current, ignore_errors=True)
        known = {}
    new = sorted((d for d in documents if d.document_id not in known), key=lambda d: d.document_id)
    chunks = [new[start : start + _CHUNK] for start in range(0, len(new), _CHUNK)]
    workers = workers or (os.cpu_count() or 1 if len(new) >= _POOL_FROM else 1)
    if workers > 1 and len(chunks) > 1:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(workers, len(chunks)), mp_context=context) as pool:
            list(pool.map(_read_chunk, chunks, [current] * len(chunks)))
    else:
        for chunk in chunks:
            _read_chunk(chunk, current)
    for other in folder.glob("*"):
        if other != current:
            shutil.rmtree(other, ignore_errors=True)
    return Corpus(current, len(new), len(ids & known.keys()))


def _known(folder: Path) -> dict[str, str | None]:
    """Stated format by document, for every document in a finished chunk; leftovers of unfinished ones are cleared."""
    finished = {path.stem for path in (folder / _DONE).glob("*.parquet")}
    for path in folder.glob("*/*.parquet"):
        if path.stem not in finished:
            path.unlink()
    known: dict[str, str | None] = {}
    for path in sorted((folder / _DONE).glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            known[row["document_id"]] = row["format"]
    return known


def _read_chunk(documents: Sequence[StoredDocument], folder: Path) -> None:
    name = hashlib.sha256("".join(document.document_id for document in documents).encode()).hexdigest()[:16]
    readings = [read_document(document) for document in documents]
    rejects: list[dict[str, Any]] = []
    for kind in ROW_KINDS:
        if kind != "rejects":
            rows = [row for reading in readings for row in reading.rows.get(kind, [])]
            _write(folder / kind / f"{name}.parquet", to_arrow(rows, TABLES[f"extracted.{kind}"], rejects))
    rejects += [row for reading in readings for row in reading.rows.get("rejects", [])]
    _write(folder / "rejects" / f"{name}.parquet", to_arrow(rejects, TABLES["extracted.rejects"], []))
    for format_name, module in formats().items():
        table = format_table(format_name, module.DESCRIPTION)
        _write(folder / format_name / f"{name}.parquet", to_arrow(_counts(readings, format_name), table, []))
    accountings = [
        (document.document_id, reading.accounting) for document, reading in zip(documents, readings, strict=True)
    ]
    _write(folder / LINE_LEDGER.name / f"{name}.parquet", line_ledger(accountings))
    _write(folder / NUMERALS.name / f"{name}.parquet", numerals(accountings))
    done = [{"document_id": document.document_id, "format": document.format} for document in documents]
    _write(folder / _DONE / f"{name}.parquet", pa.Table.from_pylist(done, schema=_DONE_SCHEMA))


def _counts(readings: Iterable[Reading], format_name: str) -> list[dict[str, Any]]:
    return [reading.counts[format_name] for reading in readings if format_name in reading.counts]


def to_arrow(rows: list[dict[str, Any]], table: Table, rejects: list[dict[str, Any]]) -> pa.Table:
    """Rows with the Arrow schema of their table; a row whose values do not have the column's type goes to `rejects`."""
    schema = arrow_schema(table)
    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        good = []
        for row in rows:
            try:
                pa.Table.from_pylist([row], schema=schema)
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
                place = {name: row[name] for name in ("document_id", "extractor", "line", "char_start", "char_end")}
                rejects.append(
                    place
                    | {
                        "text_printed": row["text_printed"],
                        "rule": "wrong_type",
                        "reason": f"a value does not have the type of its column: {error}",
                        "scope": "row",
                        "row_json": repr(row),
                    }
                )
            else:
                good.append(row)
        return pa.Table.from_pylist(good, schema=schema)


def _write(path: Path, table: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    pq.write_table(table, partial)
    partial.replace(path)
