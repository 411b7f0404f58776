"""Which documents' rows are kept from build to build, and which of them have to be read again.

Rows are kept in chunks: files of one name, one in the folder of each kind of row. The chunk's file under `done/` is
written last and lists the documents whose rows in the chunk count; what it does not list was never finished, or is to
be read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.extract.reading import Reading, StoredDocument
from pipelines.extract.worker import CRASHED
from pipelines.settings import document_limits
from pipelines.vocabulary.changes import changes_between, fingerprint, state

DONE = "done"
_VOCABULARY = "vocabulary.json"
_SCHEMA = pa.schema(
    [
        ("document_id", pa.string()),
        ("format", pa.string()),
        ("charset", pa.string()),
        ("beyond_limits", pa.string()),
        ("mapping", pa.string()),
        ("names_asked", pa.list_(pa.string())),
        ("lists_searched", pa.list_(pa.string())),
        ("words_searched", pa.list_(pa.string())),
    ]
)
# What a document is read by, beside its bytes, the code and the vocabularies.
_STATED = ("format", "charset", "mapping")
# Between a vocabulary and a spelling; no spelling holds it.
_SEPARATOR = "\t"

Row = dict[str, Any]


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Put a file in place at once: another process, or the next build, sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    write(partial)
    partial.replace(path)


def finish_chunk(path: Path, readings: Iterable[tuple[StoredDocument, Reading]]) -> None:
    """List the documents of a chunk, with what they have asked the vocabularies.

    One that went beyond its limits is tried again when these have changed; one that has ended its reader otherwise is
    tried again in the next build, as the reason may have lain outside.
    """
    rows = [
        {
            "document_id": document.document_id,
            "format": document.format,
            "charset": document.charset,
            "beyond_limits": str(document_limits()) if reading.refusal else None,
            "mapping": document.mapping.sha256 if document.mapping else None,
            "names_asked": sorted(map(_SEPARATOR.join, reading.asked.names)),
            "lists_searched": sorted(reading.asked.texts),
            "words_searched": sorted(reading.asked.words),
        }
        for document, reading in readings
        if not reading.refusal or reading.refusal.rule != CRASHED
    ]
    _write_done(path, rows)


def known_documents(folder: Path, documents: Iterable[StoredDocument]) -> dict[str, str]:
    """The chunk of each document whose rows are what reading it now would give; rows of others no longer count.

    Args:
        folder: Where the rows are that the code of now has read.
        documents: The documents of the build, with what is stated of each (`_STATED`).
    """
    _forget_concerned(folder)
    stated = {
        document.document_id: (document.format, document.charset, document.mapping and document.mapping.sha256)
        for document in documents
    }
    limits = str(document_limits())

    def is_as_stated(row: Row) -> bool:
        was = tuple(row[name] for name in _STATED)
        return stated.get(row["document_id"], was) == was and row["beyond_limits"] in (None, limits)

    known: dict[str, str] = {}
    for path in _done_files(folder):
        listed: list[Row] = pq.read_table(path, columns=["document_id", *_STATED, "beyond_limits"]).to_pylist()
        kept = [row["document_id"] for row in listed if is_as_stated(row)]
        if len(kept) < len(listed):
            _keep(path, is_as_stated)
        known |= dict.fromkeys(kept, path.stem)
    _clear_unfinished(folder)
    return known


def _forget_concerned(folder: Path) -> None:
    """Read again what a change of the vocabularies since the last build concerns."""
    path = folder / _VOCABULARY
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    if kept.get("fingerprint") == fingerprint():
        return
    now = state()
    if kept:
        changes = changes_between(kept["state"], now)

        def is_unconcerned(row: Row) -> bool:
            names = (tuple(name.split(_SEPARATOR, 1)) for name in row["names_asked"])
            return not changes.concern(names, row["lists_searched"], row["words_searched"])

        for done in _done_files(folder):
            _keep(done, is_unconcerned)
    else:
        for done in _done_files(folder):
            done.unlink()
    # Written after the documents concerned were taken off: a build broken off in between takes them off again.
    text = json.dumps({"fingerprint": fingerprint(), "state": now}, ensure_ascii=False)
    write_whole(path, lambda partial: partial.write_text(text, "utf-8"))


def _keep(path: Path, is_kept: Callable[[Row], bool]) -> None:
    rows = pq.read_table(path, schema=_SCHEMA).to_pylist()
    kept = [row for row in rows if is_kept(row)]
    if not kept:
        path.unlink()
    elif len(kept) < len(rows):
        _write_done(path, kept)


def _write_done(path: Path, rows: list[Row]) -> None:
    write_whole(path, lambda partial: pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), partial))


def _done_files(folder: Path) -> list[Path]:
    return sorted((folder / DONE).glob("*.parquet"))


def _clear_unfinished(folder: Path) -> None:
    """Remove the files of chunks that were never finished, or of which no document counts any more."""
    finished = {path.stem for path in _done_files(folder)}
    for path in folder.glob("*/*.parquet*"):
        if path.suffix != ".parquet" or path.stem not in finished:
            path.unlink()
