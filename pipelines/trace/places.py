"""The printed characters in the stored document, with the lines around them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipelines.extract.reading import StoredDocument, open_document
from pipelines.ingest.store import sha256_of
from pipelines.read.document import Document, ReadError
from pipelines.read.submission import MEMBER

Row = Mapping[str, Any]

BOX = ("page", "x0", "top", "x1", "bottom")
_AROUND = 2
# A table row that was flattened to one cell per line is shown from its first cell on, unless it is longer.
_MAX_BEFORE = 20


class Store:
    """The stored documents under a folder; a document is opened once for all its places.

    Attributes:
        raw: Folder of the stored documents.
    """

    def __init__(self, raw: Path) -> None:
        self.raw = raw
        # Rows come document by document; more of them at once would only take memory.
        self.open = lru_cache(maxsize=16)(self._open)

    def _open(self, path: str, document_id: str, format: str | None, charset: str | None) -> Document | str:
        """The stored document, or a sentence why there is none."""
        file = self.raw / path
        try:
            if sha256_of(file) != document_id:
                return f"{file} holds other bytes than the warehouse was built from"
            return open_document(StoredDocument(document_id, file, format, charset))
        except FileNotFoundError:
            return f"the stored bytes are gone: there is no file {file}"
        except (OSError, ReadError) as error:
            return f"{file} cannot be read: {error}"


def place_of(evidence: Row, document: Row, store: Store, first_line: int | None = None) -> dict[str, Any]:
    """A printed place: `lines` around it from the stored bytes, or a `note` why they cannot be shown.

    Of a submission `file` says which of its files it is in.

    Args:
        evidence: Row of `resolved.evidence`.
        document: Row of `raw.documents`.
        store: Where the bytes are.
        first_line: First line of the table row that the place belongs to.
    """
    names = ("evidence_id", "line", "char_start", "char_end", *BOX, "text_printed", "extractor")
    place: dict[str, Any] = {name: evidence[name] for name in names} | {"note": None, "lines": [], "file": None}
    opened = store.open(document["path"], document["document_id"], document["format"], document["charset"])
    line, start, end = evidence["line"], evidence["char_start"], evidence["char_end"]
    if isinstance(opened, str):
        return place | {"note": opened}
    if line > len(opened.lines) or opened.line(line).text[start:end] != evidence["text_printed"]:
        return place | {"note": f"the stored document does not print it at line {line}, characters {start} to {end}"}
    place["file"] = _file_of(opened, line)
    first = line - _AROUND
    if first_line is not None and line - _MAX_BEFORE <= first_line <= line:
        first = min(first, first_line)
    numbers = range(max(1, first), min(line + _AROUND, len(opened.lines)) + 1)
    return place | {"lines": [{"line": number, "text": opened.line(number).text} for number in numbers]}


def _file_of(document: Document, line: int) -> str | None:
    """The file of a submission that a line stands in, and which line of it that is: `systems/a.json, line 4`."""
    start = next((number for number, _ in reversed(document.levels) if number < line), None)
    if start is None or not MEMBER.fullmatch(document.line(start).text):
        return None
    return f"{document.line(start).text}, line {line - start}"
