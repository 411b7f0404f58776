"""One stored document to rows: bytes, lines, then every source format in turn.

The map over many documents belongs in `corpus.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pipelines.extract.accounting.ledger import Accounting, account
from pipelines.extract.contract import (
    Extraction,
    ExtractionError,
    Mapping,
    SourceFormat,
    beginnings,
    detect_format,
    formats,
    formats_with_mapping,
)
from pipelines.extract.row_columns import Part, plain_rows
from pipelines.extract.rows import KIND_OF, Condition, Reject, Row
from pipelines.extract.tables.entries import MappingFile, load_listed
from pipelines.extract.tables.mapping import MappingError
from pipelines.read.document import Cell, Document, Note, ReadError
from pipelines.read.files import open_file
from pipelines.read.page import Box
from pipelines.sandbox import Refusal


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """Where a document's bytes are, and what its sidecar says of them.

    Attributes:
        document_id: sha256 of the bytes.
        path: File that holds them.
        format: Source format stated by the sidecar, or None.
        charset: Encoding that the server has named, or None.
        mapping: What a person says that the tables of its source mean, or None.
        size: Bytes; 0 where nobody has said.
    """

    document_id: str
    path: Path
    format: str | None
    charset: str | None = None
    mapping: MappingFile | None = None
    size: int = 0


@dataclass
class Reading:
    """What one document gives.

    Attributes:
        parts: The rows by kind (`rows.ROW_KINDS`), those that one extractor gives one after the other together.
        counts: Rows of the tables `extracted.<format>`, by format.
        accounting: Roles of all lines and statuses of all numerals; empty for bytes that are no lines.
        refusal: Why it was not read, where it went beyond its limits or ended its reader.
    """

    parts: dict[str, list[Part]] = field(default_factory=dict)
    found_by: set[str] = field(default_factory=set)
    accounting: Accounting = field(default_factory=Accounting)
    refusal: Refusal | None = None

    @cached_property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Plain rows by kind, with document, extractor and place."""
        return {kind: plain_rows(parts) for kind, parts in self.parts.items()}

    def add(self, document_id: str, extractor: str, row: Row, box: tuple[int, Box] | None = None) -> None:
        """Keep a row with its document, its extractor and its place; `box` is the one on a page."""
        parts = self.parts.setdefault(KIND_OF[type(row)], [])
        if not parts or parts[-1].document_id != document_id or parts[-1].extractor != extractor:
            parts.append(Part(document_id, extractor))
        if box is not None:
            parts[-1].boxes[len(parts[-1].rows)] = box
        parts[-1].rows.append(row)
        self.__dict__.pop("rows", None)


def open_document(stored: StoredDocument) -> Document:
    """The stored bytes as lines.

    Raises:
        ReadError: The bytes cannot be turned into lines.
    """
    return open_file(stored.path, stored.document_id, stored.format, stored.charset)


def read_document(stored: StoredDocument) -> Reading:
    """All rows of one document. What cannot be read stands among the rejects; nothing raises for bad content."""
    reading = Reading()
    try:
        document = open_document(stored)
    except ReadError as error:
        reading.add(stored.document_id, "read", _whole(error.rule, error.reason, error.line))
        return reading
    for note in document.notes:
        reading.add(stored.document_id, "read", _noted(note, document))
    mapping = None
    if stored.mapping:
        try:
            mapping = load_listed(stored.mapping)
        except MappingError as error:
            # What its tables mean was said, and must not be guessed now.
            reading.accounting = account(document, {})
            reading.add(stored.document_id, "mapping", _whole("mapping_error", str(error)))
            return reading
    main = stored.format or detect_format(document) or _mapped_format(mapping)
    if main not in formats():
        reading.accounting = account(document, {})
    if main is None:
        reason = f"no source format recognises the document; {advice_on_format(document)}"
        reading.add(stored.document_id, "detect", _whole("unknown_format", reason))
        return reading
    if main not in formats():
        reason = f"there is no source format {main!r}; known are: {', '.join(formats())}"
        reading.add(stored.document_id, "detect", _whole("unknown_format", reason))
        return reading
    taken: set[int] = set()
    extractions: dict[str, Extraction] = {}
    for name in sorted(formats(), key=lambda name: name != main):
        if len(taken) == len(document.lines) and not document.pages:
            # A log of MLPerf may have a million lines, and none is left for others.
            break
        extraction = _read_as(name, formats()[name], document, taken, reading, mapping)
        taken |= extraction.lines
        extractions[name] = extraction
    reading.accounting = account(document, extractions)
    if main not in reading.found_by:
        reason = f"the document is stored as {main}, and nothing of that format was found in it"
        reading.add(stored.document_id, main, _whole("nothing_read", reason))
    return reading


def refuse_document(stored: StoredDocument, refusal: Refusal) -> Reading:
    """The reading of a document that must not be read: one reject."""
    reading = Reading(refusal=refusal)
    reading.add(stored.document_id, "read", _whole(refusal.rule, refusal.reason))
    return reading


def advice_on_format(document: Document) -> str:
    """What to do about a document that no format recognises: only a format that finds something in it is advised."""
    sample = beginnings(document)
    helpful = [name for name, module in formats().items() if _finds_anything(module, sample)]
    if helpful:
        return f"`benchledger add --format` can state one that finds something in it: {', '.join(helpful)}"
    looked_at = "it" if sample is document else "its beginning, its end and its tables"
    shown = "if there are some in tables, `benchledger map SOURCE` shows what it sees"
    return f"no format finds results in {looked_at}; {shown}"


def _finds_anything(module: SourceFormat, document: Document) -> bool:
    try:
        return any(not isinstance(row, Reject) for row in module.extract(document, ()).rows)
    except ExtractionError:
        return False


def _mapped_format(mapping: Mapping | None) -> str | None:
    """The format of a document that none recognises, and of whose tables a person says what they are."""
    return next(iter(formats_with_mapping()), None) if mapping else None


def _read_as(
    name: str, module: SourceFormat, document: Document, taken: set[int], reading: Reading, mapping: Mapping | None
) -> Extraction:
    """Let one format read the lines that are left; returns what it has read."""
    try:
        if mapping and name in formats_with_mapping():
            extraction = formats_with_mapping()[name](document, frozenset(taken), mapping)
        else:
            extraction = module.extract(document, frozenset(taken))
    except ExtractionError as error:
        reading.add(
            document.document_id, name, _whole("extraction_failed", f"{error}. {error.hint}".strip(), error.line)
        )
        return Extraction()
    for columns in extraction.columns:
        part = Part(document.document_id, name, columns_of_rows=columns)
        for number, cell in enumerate(row.cell for row in columns.rows()) if document.places else ():
            if columns.lines[number] and (box := document.box(cell)):
                part.boxes[number] = box
        reading.parts.setdefault(KIND_OF[columns.kind], []).append(part)
    for row in extraction.rows:
        has_box = document.places and (not isinstance(row, Condition) or row.is_printed)
        reading.add(document.document_id, name, row, document.box(row.cell) if has_box else None)
    if extraction.columns or any(not isinstance(row, Condition) for row in extraction.rows):
        reading.found_by.add(name)
    return extraction


def _noted(note: Note, document: Document) -> Reject:
    """A reject of what is lost of a document that could be read, at the first line of the page it is about."""
    places = enumerate(document.places, start=1)
    line = next((number for number, place in places if place and place.page == note.page), 1)
    facts = {"rule": note.rule, "page": note.page}
    return Reject(
        cell=Cell("", line, 0, 0), rule=note.rule, reason=note.reason, scope=note.scope, row_json=json.dumps(facts)
    )


def _whole(rule: str, reason: str, line: int = 1) -> Reject:
    """A reject of the whole document."""
    return Reject(
        cell=Cell("", line, 0, 0), rule=rule, reason=reason, scope="document", row_json=json.dumps({"rule": rule})
    )
