"""All evidence against the stored bytes: is it printed there, and does it give the stored value.

Works from the tables and the stored documents alone; nothing is taken over from the extraction that made them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.extract.reading import StoredDocument, open_document
from pipelines.read.document import ReadError
from pipelines.sandbox import NO_REFUSALS, Refusal, limited
from pipelines.settings import document_limits
from pipelines.validate.evidence.places import Opened, Place
from pipelines.validate.evidence.readings import (
    Reading,
    Row,
    read_chart_value,
    read_claim,
    read_condition,
    read_configuration,
    read_drawn,
    read_epoch,
    read_price,
    read_repeat,
    read_result,
    read_run,
    read_submission,
)

# More faults than these say nothing new in a message.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of a table that point at evidence: its columns that are needed, and how a place of it is read.

    Attributes:
        layout: Names of the columns, separated by blanks.
        read: How a place is read.
        is_repeated: Whether many rows are equal in these columns, of which one has to be read.
    """

    layout: str
    read: Reading
    is_repeated: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.layout.split())


DOCUMENT_COLUMNS = ("document_id", "path", "format", "charset")
EVIDENCE = "resolved.evidence"
_BOX = ("page", "x0", "top", "x1", "bottom")
_NO_BOX = (None,) * len(_BOX)
EVIDENCE_COLUMNS = ("evidence_id", "document_id", "line", "char_start", "char_end", *_BOX, "text_printed")
_PLACE = "evidence_id line"
KINDS: dict[str, Kind] = {
    "resolved.results": Kind(
        f"{_PLACE} value_printed metric unit unit_printed item value value_low value_high bound value_uncorrected "
        "extractor statistic",
        read_result,
    ),
    "resolved.result_conditions": Kind(
        "evidence_id dimension value name_printed value_printed", read_condition, is_repeated=True
    ),
    "resolved.claims": Kind(f"{_PLACE} repeat_evidence_ids factor factor_low factor_high bound", read_claim),
    "resolved.training_runs": Kind(
        f"{_PLACE} training_time_s accelerator_printed accelerator_count batch_size status quality_reached", read_run
    ),
    "resolved.training_epochs": Kind(f"{_PLACE} epoch_time_s steps step_time_ms loss loss_is_nan", read_epoch),
    "resolved.prices": Kind(f"{_PLACE} price_usd price_low_usd price_high_usd bound unit", read_price),
    "resolved.configurations": Kind(f"{_PLACE} platform platform_printed", read_configuration),
    "resolved.submissions": Kind(f"{_PLACE} submission_id", read_submission),
    "resolved.chart_values": Kind(
        f"{_PLACE} printed_value printed_low printed_high unit unit_printed", read_chart_value
    ),
}


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A row that waits for one of its places to be opened."""

    table: str
    row: Row
    read: Reading


@dataclass
class Checked:
    """What the check has found.

    Attributes:
        places: Places that were opened again.
        documents: Documents that were opened, each once.
        rows: Rows whose value was read again, by table; a repeated claim counts at each of its places.
        by_document: What does not hold, one sentence each, with path, line, printed and found text, by document; under
            None what belongs to no stored document.
    """

    places: int = 0
    documents: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    by_document: dict[str | None, list[str]] = field(default_factory=dict)

    def add(self, document_id: str | None, faults: Iterable[str]) -> None:
        """Keep what does not hold in a document."""
        if found := [*faults]:
            self.by_document.setdefault(document_id, []).extend(found)

    @property
    def faults(self) -> list[str]:
        """What does not hold, of all documents."""
        return [fault for faults in self.by_document.values() for fault in faults]

    def __add__(self, other: Checked) -> Checked:
        rows = {name: self.rows.get(name, 0) + other.rows.get(name, 0) for name in {**self.rows, **other.rows}}
        both = Checked(self.places + other.places, self.documents + other.documents, rows)
        for found in (self, other):
            for document_id, faults in found.by_document.items():
                both.add(document_id, faults)
        return both

    @property
    def refused(self) -> dict[str, list[str]]:
        """What does not hold, by stored document."""
        return {document: faults for document, faults in self.by_document.items() if document is not None}

    @property
    def reason(self) -> str:
        """The faults in one sentence, the first ones in full."""
        return in_words(self.faults)


def in_words(faults: list[str]) -> str:
    """Faults in one sentence, the first ones in full."""
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return f"the evidence does not hold at {len(faults)} places: {'; '.join(faults[:_SHOWN])}{more}"


def check_evidence(
    evidence: Iterable[Row],
    tables: Mapping[str, Iterable[Row]],
    documents: Iterable[Row],
    raw: Path,
    refused: Mapping[str, Refusal] = NO_REFUSALS,
) -> Checked:
    """Open every stored document that has evidence, once, and read every place in it again.

    In a child process each document has its limits.

    Args:
        evidence: Rows of `resolved.evidence` with `EVIDENCE_COLUMNS`.
        tables: Rows of each table of `KINDS` with its columns.
        documents: Rows of `raw.documents` with `DOCUMENT_COLUMNS`.
        raw: Folder of the stored documents.
        refused: Documents, by their id, that must not be opened.
    """
    stored = {row["document_id"]: row for row in documents}
    checked = Checked(rows=dict.fromkeys(tables, 0))
    readers: dict[str, list[_Waiting]] = defaultdict(list)
    for name, rows in tables.items():
        for row in rows:
            if row["evidence_id"] is None:
                # A drawn value is printed nowhere, nor is what a mapping or a vocabulary says.
                continue
            readers[row["evidence_id"]].append(_Waiting(name, row, KINDS[name].read))
            for evidence_id in row.get("repeat_evidence_ids") or ():
                readers[evidence_id].append(_Waiting(name, row, read_repeat))
    by_document: dict[str, list[Row]] = defaultdict(list)
    for row in evidence:
        by_document[row["document_id"]].append(row)
    for document_id, places in by_document.items():
        name = stored[document_id]["path"] if document_id in stored else document_id
        if refusal := refused.get(document_id):
            checked.add(document_id, [f"{name} cannot be opened again: {refusal.reason}"])
        with nullcontext() if refusal else limited(document_id, document_limits()):
            opened = None if refusal else _open(stored.get(document_id), name, raw, checked)
            for row in places:
                checked.places += 1
                waiting = readers.pop(row["evidence_id"], [])
                if opened is not None:
                    checked.add(document_id, _faults(row, opened, name, waiting))
                for reader in waiting:
                    checked.rows[reader.table] += 1
    for evidence_id, waiting in readers.items():
        checked.add(None, [f"{waiting[0].table} points at the evidence {evidence_id}, and there is none"])
    return checked


def _open(stored: Row | None, name: str, raw: Path, checked: Checked) -> Opened | None:
    if stored is None:
        checked.add(None, [f"{name} is no stored document"])
        return None
    try:
        document = open_document(StoredDocument(stored["document_id"], raw / name, stored["format"], stored["charset"]))
    except (OSError, ReadError) as error:
        checked.add(stored["document_id"], [f"{name} cannot be opened again: {error}"])
        return None
    checked.documents += 1
    return Opened(document)


def _box_of(row: Row) -> tuple[float | None, ...]:
    # Most documents have no pages, and some of those hundreds of thousands of places.
    return _NO_BOX if row.get("page") is None else tuple(row.get(name) for name in _BOX)


def _faults(row: Row, opened: Opened, name: str, waiting: list[_Waiting]) -> Iterator[str]:
    document = opened.document
    where, expected = f"{name} line {row['line']}", row["text_printed"]
    if not 1 <= row["line"] <= len(document.lines):
        yield f"{where}: {expected!r} is said to be printed, and the document has {len(document.lines)} lines"
        return
    place = Place(opened, document.line(row["line"]), row["char_start"], row["char_end"])
    # A slice beyond the end of the line would be cut in silence.
    if place.text != expected or place.start < 0 or place.end > len(place.line.text):
        yield f"{where}: {expected!r} is said to be printed at {place.start}..{place.end}, found is {place.text!r}"
        return
    if not expected:
        # Nothing is printed at a value that is drawn.
        drawn = opened.drawn.get((row["page"], _box_of(row)[1:]))  # type: ignore[arg-type]
        for reader in waiting:
            if fault := "no chart is drawn there" if drawn is None else read_drawn(drawn, reader.row):
                yield f"{where}: the drawn value of {reader.table}: {fault}"
        return
    on_page = document.box(place.cell)
    found = (on_page[0], *on_page[1]) if on_page else _NO_BOX
    if found != (stored := _box_of(row)):
        yield f"{where}: {expected!r} is said to stand on the page at {stored}, found is {found}"
        return
    for reader in waiting:
        if reader.row.get("line", row["line"]) != row["line"] and reader.read is not read_repeat:
            yield f"{where}: {expected!r} in {reader.table}: it is said to stand in line {reader.row['line']}"
        elif fault := reader.read(place, reader.row):
            yield f"{where}: {expected!r} in {reader.table}: {fault}"
