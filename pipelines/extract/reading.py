"""One stored document to rows: bytes, lines, then every source format in turn; and the rows as
columns of a table, as a page may have 180,000 of them.

The map over many documents belongs in `corpus.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.extract.accounting.ledger import Accounting, account
from pipelines.extract.contract import Extraction, detect_format, formats, in_order
from pipelines.extract.ranges import within_ranges
from pipelines.extract.rows import KIND_OF, NOT_PRINTED, Condition, Reject, RowColumns
from pipelines.extract.tables.entries import Entries, MappingFile, load_listed
from pipelines.extract.tables.mapping import NO_MAPPING, MappingError
from pipelines.read.document import Cell, Document, Note, ReadError
from pipelines.read.files import open_file
from pipelines.sandbox import Refusal
from pipelines.schemas.tables import Table, arrow_schema

_PLACE = ("document_id", "extractor", "line", "char_start", "char_end")
_BOX = ("page", "x0", "top", "x1", "bottom")
_WRONG_TYPE = (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """The path of a document, and its facts from the sidecar.

    Attributes:
        document_id: sha256 of the bytes.
        path: File that holds them.
        format: Source format stated by the sidecar, or None.
        charset: Encoding that the server has named, or None.
        mapping: The mapping of its source, or None.
        size: Bytes; 0 if unknown.
    """

    document_id: str
    path: Path
    format: str | None
    charset: str | None = None
    mapping: MappingFile | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one kind that one extractor gives of one document.

    Attributes:
        document_id: The document.
        extractor: Name of the format, or of the step that refuses.
        found: The rows.
    """

    document_id: str
    extractor: str
    found: RowColumns

    def __len__(self) -> int:
        return len(self.found.texts)

    def columns(self) -> dict[str, Sequence[Any]]:
        """The values of all rows by the name of the column."""
        found = self.found
        columns: dict[str, Sequence[Any]] = {
            **found.fields,
            "document_id": [self.document_id] * len(self),
            "extractor": [self.extractor] * len(self),
            "line": [line or 1 for line in found.lines],
            "char_start": found.starts,
            "char_end": [
                start + len(text) for start, text in zip(found.starts, found.texts, strict=True)
            ],
            "text_printed": found.texts,
        }
        if found.boxes:
            nothing = None, (None,) * (len(_BOX) - 1)
            boxes = (found.boxes.get(number, nothing) for number in range(len(self)))
            columns |= zip(
                _BOX, zip(*((page, *box) for page, box in boxes), strict=True), strict=True
            )
        return columns


def plain_rows(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """The rows as dictionaries."""
    rows = []
    for part in parts:
        columns = part.columns()
        rows += [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
    return rows


@dataclass
class Reading:
    """What one document gives.

    Attributes:
        parts: The rows by kind (`rows.ROW_KINDS`), those that one extractor gives one after the
            other together.
        found_by: The formats that have given a row.
        accounting: Roles of all lines and statuses of all numerals; empty for bytes that are no
            lines.
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

    def add(
        self, document_id: str, extractor: str, found: RowColumns, document: Document | None = None
    ) -> None:
        """Keep rows with their document and extractor; those on a page of `document` with their
        boxes.
        """
        levels = found.fields.get("level", repeat(None)) if document and document.places else ()
        for number, (cell, level) in enumerate(zip(found.cells(), levels, strict=False)):
            if document and level not in NOT_PRINTED and (box := document.box(cell)):
                found.boxes.setdefault(number, box)
        self.parts.setdefault(KIND_OF[found.kind], []).append(Part(document_id, extractor, found))
        self.__dict__.pop("rows", None)

    def reject(
        self,
        document_id: str,
        extractor: str,
        rule: str,
        reason: str,
        line: int = 1,
        note: Note | None = None,
    ) -> None:
        """Keep a reject that is about no characters: of the whole document, or of the page of a
        note.
        """
        facts = {"rule": rule} | ({"page": note.page} if note else {})
        scope = note.scope if note else "document"
        reject = Reject(
            cell=Cell("", line, 0, 0),
            rule=rule,
            reason=reason,
            scope=scope,
            row_json=json.dumps(facts),
        )
        self.add(document_id, extractor, RowColumns.of([reject]))


def open_document(stored: StoredDocument) -> Document:
    """The stored bytes as lines.

    Raises:
        ReadError: The bytes cannot be turned into lines.
    """
    return open_file(stored.path, stored.document_id, stored.format, stored.charset)


def read_document(stored: StoredDocument) -> Reading:
    """All rows of one document. What cannot be read is in the rejects; nothing raises for bad
    content.
    """
    reading = Reading()
    try:
        document = open_document(stored)
    except ReadError as error:
        reading.reject(stored.document_id, "read", error.rule, error.reason, error.line)
        return reading
    for note in document.notes:
        # At the first line of the page it is about.
        places = enumerate(document.places, start=1)
        line = next((number for number, place in places if place and place.page == note.page), 1)
        reading.reject(stored.document_id, "read", note.rule, note.reason, line, note)
    mapping = None
    if stored.mapping:
        try:
            mapping = load_listed(stored.mapping)
        except MappingError as error:
            # What its tables mean was said, and must not be guessed now.
            reading.accounting = account(document, {})
            reading.reject(stored.document_id, "mapping", "mapping_error", str(error))
            return reading
    main = stored.format or detect_format(document)
    if main is None and mapping:
        main = next(name for name, one in formats().items() if one.FORMAT.mapping == "tables")
    if main is None or main not in formats():
        reading.accounting = account(document, {})
        reason = f"unknown source format {main!r}; known are: {', '.join(formats())}"
        if main is None:
            reason = (
                "no source format recognises the document; `benchledger map SOURCE` shows the tables that it has, and "
                f"`benchledger add --format` reads it as one of: {', '.join(formats())}"
            )
        reading.reject(stored.document_id, "detect", "unknown_format", reason)
        return reading
    taken: set[int] = set()
    extractions: dict[str, Extraction] = {}
    for name in in_order(main):
        if len(taken) == len(document.lines) and not document.pages:
            # A log of MLPerf may have a million lines, and none is left for others.
            break
        extractions[name] = _read_as(name, document, taken, reading, mapping)
        taken |= extractions[name].lines
    reading.accounting = account(document, extractions)
    if main not in reading.found_by and (stored.format or not reading.found_by):
        reason = f"the document is stored as {main}, but no content in that format was found"
        reading.reject(stored.document_id, main, "nothing_read", reason)
    return reading


def refuse_document(stored: StoredDocument, refusal: Refusal) -> Reading:
    """The reading of a document that must not be read: one reject."""
    reading = Reading(refusal=refusal)
    reading.reject(stored.document_id, "read", refusal.rule, refusal.reason)
    return reading


def _read_as(
    name: str, document: Document, taken: set[int], reading: Reading, mapping: Entries | None
) -> Extraction:
    """Let one format read the lines that are left; returns what it has read."""
    module, lines = formats()[name], frozenset(taken)
    match module.FORMAT.mapping:
        case "tables":
            extraction = module.extract(document, lines, mapping)
        case "constants":
            source = NO_MAPPING if mapping is None else mapping.source
            extraction = module.extract(document, lines, source)
        case None:
            extraction = module.extract(document, lines)
    extraction.rows = [*within_ranges(extraction.rows)]
    for found in extraction.all_columns():
        reading.add(document.document_id, name, found, document)
        if found.kind is not Condition:
            reading.found_by.add(name)
    return extraction


def parts_to_arrow(parts: Sequence[Part], table: Table, rejects: list[dict[str, Any]]) -> pa.Table:
    """Rows with the Arrow schema of their table; a row whose values do not have the column's type
    goes to `rejects`.
    """
    schema, good = arrow_schema(table), []
    columns: dict[str, list[Any]] = {column.name: [] for column in schema}
    for part in parts:
        found = part.columns()
        for name, values in columns.items():
            values += found.get(name) or [None] * len(part)
    try:
        return pa.Table.from_arrays(
            [pa.array(columns[one.name], one.type) for one in schema], schema=schema
        )
    except _WRONG_TYPE:
        for row in plain_rows(parts):
            try:
                pa.Table.from_pylist([row], schema=schema)
            except _WRONG_TYPE as error:
                facts = {
                    "text_printed": row["text_printed"],
                    "rule": "wrong_type",
                    "reason": f"a value does not have the type of its column: {error}",
                    "scope": "row",
                    "row_json": json.dumps(row, ensure_ascii=False, default=str),
                }
                rejects.append({name: row[name] for name in _PLACE} | facts)
            else:
                good.append(row)
        return pa.Table.from_pylist(good, schema=schema)
