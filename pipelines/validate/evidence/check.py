"""All evidence against the stored bytes: is it printed there, and does it give the stored value.

Works from the tables and the stored documents alone; nothing is taken over from the extraction that
made them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.extract.reading import StoredDocument, open_document
from pipelines.read.document import ReadError
from pipelines.validate.evidence.drawn import BOX, drawn_boxes
from pipelines.validate.evidence.places import Opened, Place
from pipelines.validate.evidence.readings import COLUMNS, OF_TABLE, Reading, Row, read_repeat

# More faults than these say nothing new in a message.
_SHOWN = 3
# Above this share of faults in its rows a document is refused whole; of few rows a share means
# little.
_SHARE_REFUSED, _FEW = 0.1, 3


class Kind(NamedTuple):
    """Rows of a table that point at evidence: its columns that are needed, and how a place of it is
    read.

    Attributes:
        columns: Names of the columns.
        read: How a place is read.
        is_repeated: Whether many rows are equal in these columns, of which one has to be read.
    """

    columns: Sequence[str]
    read: Reading
    is_repeated: bool = False


DOCUMENT_COLUMNS = ("document_id", "path", "format", "charset")
EVIDENCE = "resolved.evidence"
_PAGE_BOX = ("page", *BOX)
_NO_BOX = (None,) * len(_PAGE_BOX)
EVIDENCE_COLUMNS = (
    *("evidence_id", "document_id", "line", "char_start", "char_end", "text_printed"),
    *_PAGE_BOX,
)
KINDS: dict[str, Kind] = {
    f"resolved.{name}": Kind(["evidence_id", *columns], OF_TABLE[name], name == "result_conditions")
    for name, columns in COLUMNS.items()
}
# A row that waits for one of its places to be opened: its table, itself, how the place is read.
_Waiting = tuple[str, Row, Reading]


@dataclass
class Checked:
    """What the check has found.

    Attributes:
        places: Places that were opened again.
        documents: Documents that were opened, each once.
        rows: Rows whose value was read again, by table; a repeated claim counts at each of its
            places.
        faults: What does not hold, one sentence each, with path, line, printed and found text.
        refused: Why a stored document is refused whole, by its id.
        refused_places: Why the rows with some evidence are refused, by its id, in all other
            documents.
        is_broken: Whether something does not hold that belongs to no stored document.
        drawn: What is drawn on the pages of charts: rows of `drawn.BOXES`.
    """

    places: int = 0
    documents: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    refused_places: dict[str, str] = field(default_factory=dict)
    is_broken: bool = False
    drawn: list[dict[str, Any]] = field(default_factory=list)

    def __add__(self, other: Checked) -> Checked:
        return Checked(
            self.places + other.places,
            self.documents + other.documents,
            self.rows + other.rows,
            self.faults + other.faults,
            self.refused | other.refused,
            self.refused_places | other.refused_places,
            self.is_broken or other.is_broken,
            self.drawn + other.drawn,
        )

    @property
    def reason(self) -> str:
        """The faults in one sentence, the first ones in full."""
        return in_words(self.faults)


def in_words(faults: list[str]) -> str:
    """Faults in one sentence, the first ones in full."""
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return f"the evidence check failed at {len(faults)} places: {'; '.join(faults[:_SHOWN])}{more}"


def check_evidence(
    evidence: Iterable[Row],
    tables: Mapping[str, Iterable[Row]],
    documents: Iterable[Row],
    raw: Path,
) -> Checked:
    """Open every stored document that has evidence, once, and read every place in it again.

    Each was read before within the limits of a document: one that was refused has no evidence.

    Args:
        evidence: Rows of `resolved.evidence` with `EVIDENCE_COLUMNS`.
        tables: Rows of each table of `KINDS` with its columns.
        documents: Rows of `raw.documents` with `DOCUMENT_COLUMNS`.
        raw: Folder of the stored documents.
    """
    stored = {row["document_id"]: row for row in documents}
    checked = Checked()
    readers: dict[str, list[_Waiting]] = defaultdict(list)
    for name, rows in tables.items():
        for row in rows:
            # Drawn values, and conditions from a mapping or a vocabulary, are not printed.
            if row["evidence_id"] is not None:
                readers[row["evidence_id"]].append((name, row, KINDS[name].read))
                for evidence_id in row.get("repeat_evidence_ids") or ():
                    readers[evidence_id].append((name, row, read_repeat))
    by_document: dict[str, list[Row]] = defaultdict(list)
    for row in evidence:
        by_document[row["document_id"]].append(row)
    charts: dict[str, list[Row]] = defaultdict(list)
    for row in tables.get("resolved.chart_values", ()):
        charts[row["document_id"]].append(row)
        # Of values that are drawn and not printed there is no evidence.
        by_document[row["document_id"]] += ()
    for document_id, places in by_document.items():
        document = stored.get(document_id)
        opened, path = _open(document, raw), document["path"] if document else document_id
        at = [(place, readers.pop(place["evidence_id"], [])) for place in places]
        # The first fault of each place, and all of them.
        faulty, faults = dict[str, str](), list[str]()
        if isinstance(opened, str):
            faults.append(f"{path} {opened}")
        else:
            checked.documents += 1
            checked.drawn += drawn_boxes(opened.document, charts[document_id])
            for place, waiting in at:
                for fault in _faults(place, opened, waiting):
                    faults.append(f"{path} line {place['line']}: {fault}")
                    faulty.setdefault(place["evidence_id"], faults[-1])
        names = Counter(name for _, rows in at for name, *_ in rows)
        most = max(_FEW, _SHARE_REFUSED * (names.total() - names["resolved.result_conditions"]))
        checked.is_broken |= document is None
        if isinstance(opened, str) or len(faulty) > most:
            checked.refused[document_id] = in_words(faults)
        checked.refused_places |= {} if document_id in checked.refused else faulty
        checked.faults += faults
        checked.rows += names
        checked.places += len(places)
    for evidence_id, lost in readers.items():
        checked.is_broken = True
        checked.faults.append(
            f"{lost[0][0]} refers to the evidence {evidence_id}, which does not exist"
        )
    return checked


def _open(stored: Row | None, raw: Path) -> Opened | str:
    """A stored document, or why it cannot be opened."""
    if stored is None:
        return "is not a stored document"
    document_id, path, *form = (stored[name] for name in DOCUMENT_COLUMNS)
    try:
        return Opened(open_document(StoredDocument(document_id, raw / path, *form)))
    except (OSError, ReadError) as error:
        return f"cannot be reopened: {error}"


def _faults(row: Row, opened: Opened, waiting: Sequence[_Waiting]) -> Iterator[str]:
    """What does not hold at a place, and what the rows that wait for it store otherwise."""
    document, expected = opened.document, row["text_printed"]
    if not 1 <= row["line"] <= len(document.lines):
        yield f"{expected!r} is stored, but the document has {len(document.lines)} lines"
        return
    place = Place(opened, document.line(row["line"]), row["char_start"], row["char_end"])
    # A slice beyond the end of the line would be cut in silence.
    if place.text != expected or place.start < 0 or place.end > len(place.line.text):
        yield f"{expected!r} is stored for {place.start}..{place.end}, found {place.text!r}"
        return
    if not expected:
        # Nothing is printed at a value that is drawn: `internal/chart_readings.sql` reads it again.
        return
    on_page = document.box(place.cell) if document.places else None
    found = (on_page[0], *on_page[1]) if on_page else _NO_BOX
    # Most documents have no pages, and some of those hundreds of thousands of places.
    stated = _NO_BOX if row.get("page") is None else tuple(row.get(name) for name in _PAGE_BOX)
    if found != stated:
        yield f"{expected!r} is stored for the box {stated} on the page, found {found}"
        return
    for table, stored, read in waiting:
        fault = read(place, stored)
        if stored.get("line", row["line"]) != row["line"] and read is not read_repeat:
            fault = f"it is stored for line {stored['line']}"
        if fault:
            yield f"{expected!r} in {table}: {fault}"
