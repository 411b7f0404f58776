"""One stored document to rows: bytes, lines, then every source format in turn; and the rows as
columns of a table, as a page may have 180,000 of them.

The map over many documents belongs in `corpus.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.extract.accounting.ledger import Accounting, account
from pipelines.extract.contract import Extraction, PageBox, detect_format, formats, in_order
from pipelines.extract.ranges import within_ranges
from pipelines.extract.rows import KIND_OF, Reject, Row
from pipelines.extract.tables.entries import Entries, MappingFile, load_listed
from pipelines.extract.tables.mapping import NO_MAPPING, MappingError
from pipelines.read.document import Cell, Document, ReadError
from pipelines.read.files import open_file
from pipelines.sandbox import Refusal
from pipelines.schemas.tables import Table, arrow_schema

# The columns that every row has.
_PLACE = ("document_id", "extractor", "line", "char_start", "char_end")
_PLACED = (*_PLACE, "text_printed", "page", "x0", "top", "x1", "bottom")
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


class FoundRow(NamedTuple):
    """A row, the extractor that gives it, and its page and box, if it is on a page.

    The extractor is the name of the format, or of the step that refuses.
    """

    document_id: str
    extractor: str
    row: Row
    box: PageBox | None


def columns_of(found: Sequence[FoundRow]) -> dict[str, Sequence[Any]]:
    """The values of rows of one kind by the name of the column."""
    places = []
    for document_id, extractor, row, box in found:
        text, line, start = row.cell.text, row.cell.line or 1, row.cell.start
        page, edges = box or (None, [None] * 4)
        place = document_id, extractor, line, start, start + len(text), text, page, *edges
        places.append(place)
    columns: dict[str, Sequence[Any]] = {}
    for each in fields(found[0].row):
        columns[each.name] = [getattr(one.row, each.name) for one in found]
    del columns["cell"]
    return columns | dict(zip(_PLACED, zip(*places, strict=True), strict=True))


def plain_rows(found: Sequence[FoundRow]) -> list[dict[str, Any]]:
    """Rows of one kind as dictionaries."""
    columns = columns_of(found)
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


@dataclass
class Reading:
    """What one document gives.

    Attributes:
        document_id: The document.
        found: The rows by kind (`rows.ROW_KINDS`).
        accounting: Roles of all lines and statuses of all numerals; empty for bytes that are no
            lines.
        refusal: Why it was not read, where it went beyond its limits or ended its reader.
    """

    document_id: str
    found: dict[str, list[FoundRow]] = field(default_factory=dict)
    accounting: Accounting = field(default_factory=Accounting)
    refusal: Refusal | None = None

    @property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Plain rows by kind, with document, extractor and place."""
        return {kind: plain_rows(found) for kind, found in self.found.items()}

    @property
    def found_by(self) -> set[str]:
        """The formats that have given a row other than a condition."""
        others = (found for kind, found in self.found.items() if kind != "conditions")
        return {one.extractor for one in chain.from_iterable(others)} & formats().keys()

    def add(self, extractor: str, row: Row, box: PageBox | None = None) -> None:
        """Keep a row that an extractor gives."""
        found = FoundRow(self.document_id, extractor, row, box)
        self.found.setdefault(KIND_OF[type(row)], []).append(found)

    def reject(
        self, extractor: str, rule: str, reason: str, line: int = 1, scope: str = "document",
        **facts: Any,
    ) -> None:  # fmt: skip
        """Keep a reject that is about no characters: of the whole document, or of a page of it."""
        place, row_json = Cell("", line, 0, 0), json.dumps({"rule": rule} | facts)
        reject = Reject(cell=place, rule=rule, reason=reason, scope=scope, row_json=row_json)
        self.add(extractor, reject)


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
    reading = Reading(stored.document_id)
    try:
        document = open_document(stored)
    except ReadError as error:
        reading.reject("read", error.rule, error.reason, error.line)
        return reading
    for note in document.notes:
        # At the first line of the page it is about.
        places = enumerate(document.places, start=1)
        line = next((number for number, place in places if place and place.page == note.page), 1)
        reading.reject("read", note.rule, note.reason, line, note.scope, page=note.page)
    mapping = None
    if stored.mapping:
        try:
            mapping = load_listed(stored.mapping)
        except MappingError as error:
            # What its tables mean was said, and must not be guessed now.
            reading.accounting = account(document, {})
            reading.reject("mapping", "mapping_error", str(error))
            return reading
    main = stored.format or detect_format(document)
    if main is None and mapping:
        main = next(name for name, one in formats().items() if one.FORMAT.mapping == "tables")
    known = ", ".join(formats())
    if main is None:
        reason = (
            "no source format recognises the document; `benchledger map SOURCE` shows the tables that it has, and "
            f"`benchledger add --format` reads it as one of: {known}"
        )
        reading.reject("detect", "unknown_format", reason)
    elif main not in formats():
        reason = f"unknown source format {main!r}; known are: {known}"
        reading.reject("detect", "unknown_format", reason)
    taken: set[int] = set()
    extractions: dict[str, Extraction] = {}
    for name in in_order(main, document) if main in formats() else ():
        if len(taken) == len(document.lines) and not document.pages:
            # A log of MLPerf may have a million lines, and none is left for others.
            break
        extraction = extractions[name] = _read_as(name, document, frozenset(taken), mapping)
        taken |= extraction.lines
        for row in extraction.rows:
            reading.add(name, row, _box(document, extraction, row))
    reading.accounting = account(document, extractions)
    is_lost = main not in reading.found_by and (stored.format or not reading.found_by)
    if main and extractions and is_lost:
        reason = f"the document is stored as {main}, but no content in that format was found"
        reading.reject(main, "nothing_read", reason)
    return reading


def refuse_document(stored: StoredDocument, refusal: Refusal) -> Reading:
    """The reading of a document that must not be read: one reject."""
    reading = Reading(stored.document_id, refusal=refusal)
    reading.reject("read", refusal.rule, refusal.reason)
    return reading


def _read_as(
    name: str, document: Document, taken: frozenset[int], mapping: Entries | None
) -> Extraction:
    """What one format reads in the lines that are left."""
    module = formats()[name]
    if module.FORMAT.mapping == "tables":
        # Ranges that the mapping declares have been checked.
        return module.extract(document, taken, mapping)
    if module.FORMAT.mapping == "constants":
        source = NO_MAPPING if mapping is None else mapping.source
        extraction = module.extract(document, taken, source)
    else:
        extraction = module.extract(document, taken)
    extraction.rows = [*within_ranges(extraction.rows)]
    return extraction


def _box(document: Document, extraction: Extraction, row: Row) -> PageBox | None:
    """The place of a row on a page: where a mark is drawn, or the characters are printed."""
    cell = row.cell
    if not cell.line:
        return None
    drawn = None if cell.text else extraction.boxes.get((cell.line, cell.start))
    return drawn or document.box(cell)


def rows_to_arrow(
    found: Sequence[FoundRow], table: Table, rejects: list[dict[str, Any]]
) -> pa.Table:
    """Rows with the Arrow schema of their table; a row whose values do not have the column's type
    goes to `rejects`.
    """
    schema, good = arrow_schema(table), []
    if not found:
        return schema.empty_table()
    columns = columns_of(found)
    try:
        return pa.table([pa.array(columns[one.name], one.type) for one in schema], schema=schema)
    except _WRONG_TYPE:
        for row in plain_rows(found):
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
