"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`, `Extraction.marks`), then the rules
for running text.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from pipelines.extract.accounting.numerals import find_numerals
from pipelines.extract.accounting.places import Places
from pipelines.extract.accounting.prose import statuses_of_prose
from pipelines.extract.accounting.roles import Roles
from pipelines.extract.accounting.tables import ShownCells, TableNames, without_separators
from pipelines.extract.accounting.words import Span, Verdict, spans_outside_text, status_of_word
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import ChartValue, Claim, Condition, Epoch, Measurement, Price, Reject, Run, Submission
from pipelines.read.document import Document

TABLES, PROSE = "results_page", "claim_prose"

_VALUES = {
    Measurement: "measurement",
    Claim: "claim",
    Epoch: "epoch",
    Price: "price",
    Submission: "submission",
}
# Conditions whose numerals are parts of a name: `H100`, `ResNet-50`.
_NAMED = frozenset({"model", "variant", "platform", "framework", "dataset", "suite", "submission_id"})
_NAME: Verdict = ("name", "extracted_name")
_CONDITION: Verdict = ("condition", "extracted_condition")
_REJECTED: Verdict = ("unparsed", "rejected")
_NO_FORMAT: Verdict = ("unparsed", "no_format")

# What is said of characters: by the row of a value, a reject, a mark of a format, a name or a condition.
_VALUE, _REFUSED, _MARK, _NAMED_PLACE = range(4)
# One of these, first and last character, and the kind of row or the verdict.
Place = tuple[int, int, int, str | Verdict]


def _counts() -> array[int]:
    return array("q")


@dataclass
class Accounting:
    """Every line and every numeral of one document, as columns: a log may hold a million numerals.

    Attributes:
        roles: Role and rule of each line, in order of the lines.
        lines: Line of each numeral.
        starts: Where it starts within its line.
        ends: One past its last character.
        texts: Its characters.
        statuses: Its status and rule.
    """

    roles: list[tuple[str, str]] = field(default_factory=list)
    lines: array[int] = field(default_factory=_counts)
    starts: array[int] = field(default_factory=_counts)
    ends: array[int] = field(default_factory=_counts)
    texts: list[str] = field(default_factory=list)
    statuses: list[Verdict] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        """Start and end of each numeral within its line."""
        return list(zip(self.starts, self.ends, strict=True))


def account(document: Document, extractions: Mapping[str, Extraction]) -> Accounting:
    """The accounting of a document.

    Args:
        document: The document.
        extractions: What each format has read in it, by name; empty where no format knows it.
    """
    whole: dict[int, Verdict] = {}
    taken: dict[int, str] = {}
    for name, extraction in extractions.items():
        whole |= extraction.whole
        if name != PROSE:
            taken |= dict.fromkeys(extraction.lines, name)
    judge = _Judge(document, extractions, taken)
    found: list[tuple[int, str, list[Span], list[Verdict | None]]] = []
    left: dict[int, list[Span]] = {}
    for number, text in enumerate(document.texts, start=1):
        if number in whole:
            spans = find_numerals(text)
            found.append((number, text, spans, [whole[number]] * len(spans)))
            continue
        spans, verdicts = judge.line(number, text)
        if spans:
            found.append((number, text, spans, verdicts))
            if None in verdicts:
                left[number] = [span for span, verdict in zip(spans, verdicts, strict=True) if verdict is None]
    in_prose = statuses_of_prose(document, left, taken)
    lines, starts, ends, unread = list[int](), list[int](), list[int](), set[int]()
    columns = Accounting()
    for number, text, spans, verdicts in found:
        for span, verdict in zip(spans, verdicts, strict=True):
            status = verdict or in_prose[number, span]
            if status[0] == "unparsed" and number not in whole:
                unread.add(number)
            lines.append(number)
            starts.append(span[0])
            ends.append(span[1])
            columns.texts.append(text[span[0] : span[1]])
            columns.statuses.append(status)
    columns.lines, columns.starts, columns.ends = array("q", lines), array("q", starts), array("q", ends)
    if extractions:
        columns.roles = Roles(document, extractions, taken, TABLES).of_lines(unread)
    else:
        columns.roles = [_NO_FORMAT if text.strip() else ("blank", "blank") for text in document.texts]
    return columns


class _Cell(NamedTuple):
    """A cell that is a whole line, wherever it stands: its numerals, and what they are where nothing says more.

    `is_plain` is True where no address or tag is in it.
    """

    spans: list[Span]
    statuses: list[Verdict | None]
    is_plain: bool


_NO_NUMERALS = _Cell([], [], is_plain=True)


class _Judge:
    """Gives the numerals of each line with the statuses that the line itself, its rows and the marks on it say.

    Running text has to say what is left, which is None here.
    """

    def __init__(self, document: Document, extractions: Mapping[str, Extraction], taken: Mapping[int, str]) -> None:
        self._taken, self._has_formats = taken, bool(extractions)
        self._shown = ShownCells(document)
        self._places = _places(extractions.values())
        self._names = TableNames(extractions.get(TABLES))
        self._roles: dict[int, tuple[str, str]] = {}
        for extraction in extractions.values():
            self._roles |= extraction.roles
        # What tables repeat is judged once.
        self._cells: dict[str, _Cell] = {}
        self._judged: dict[tuple[str, tuple[str, str] | None, tuple[Place, ...]], list[Verdict | None]] = {}

    def line(self, number: int, text: str) -> tuple[list[Span], list[Verdict | None]]:
        """Numerals of a line, and the status and rule of each."""
        if number in self._shown.lone:
            return self._lone_cell(number, text)
        cells = self._shown.on(number)
        spans = find_numerals(text if cells is None else without_separators(text, cells))
        if not spans or not self._has_formats:
            return spans, [_NO_FORMAT] * len(spans)
        places = self._places.get(number, ())
        if self._taken.get(number) != TABLES:
            return spans, _statuses(text, spans, places, lambda span: status_of_word(text, *span), in_table=False)
        status = self._names.status_of(text, self._roles.get(number), cells)
        return spans, _statuses(text, spans, places, status, in_table=True)

    def _lone_cell(self, number: int, text: str) -> tuple[list[Span], list[Verdict | None]]:
        """The same for a line that is one cell of a table."""
        cell = self._cells.get(text)
        if cell is None:
            cell = self._cells[text] = self._cell(text)
        spans = cell.spans
        if not spans or not self._has_formats:
            return spans, [_NO_FORMAT] * len(spans)
        places = self._places.get(number, ())
        if self._taken.get(number) != TABLES:
            return spans, _statuses(text, spans, places, lambda span: status_of_word(text, *span), in_table=False)
        role = self._roles.get(number)
        if not places and role is None:
            return spans, cell.statuses
        if len(places) == 1:
            kind, start, end, what = places[0]
            if kind == _VALUE and len(spans) == 1 and spans[0][0] < end and start < spans[0][1]:
                return spans, [("extracted", cast(str, what))]
            if kind == _NAMED_PLACE and cell.is_plain and start <= spans[0][0] and spans[-1][1] <= end:
                return spans, [cast(Verdict, what)] * len(spans)
        key = text, role, tuple(places)
        statuses = self._judged.get(key)
        if statuses is None:
            status = self._names.status_of_cell(text, role)
            statuses = self._judged[key] = _statuses(text, spans, places, lambda _: status, in_table=True)
        return spans, statuses

    def _cell(self, text: str) -> _Cell:
        spans = find_numerals(text)
        if not spans:
            return _NO_NUMERALS
        status = self._names.status_of_cell(text, None)
        if spans_outside_text(text):
            return _Cell(spans, _statuses(text, spans, (), lambda _: status, in_table=True), is_plain=False)
        return _Cell(spans, [status] * len(spans), is_plain=True)


def _statuses(
    text: str,
    spans: Sequence[Span],
    places: Sequence[Place],
    otherwise: Callable[[Span], Verdict | None],
    *,
    in_table: bool,
) -> list[Verdict | None]:
    """The status of each numeral of a line; `otherwise` says it where no row, reject or mark does."""
    outside: Places[str] = Places((*span, rule) for span, rule in spans_outside_text(text))
    if not places and not outside:
        return [otherwise(span) for span in spans]
    said: list[Places[Any]] = [
        Places((start, end, what) for kind, start, end, what in places if kind == wanted)
        for wanted in (_VALUE, _REFUSED, _MARK, _NAMED_PLACE)
    ]
    values, refused, marks, names = said

    def status_of(span: Span) -> Verdict | None:
        if kind := values.touching(span):
            return "extracted", kind
        if rule := outside.around(span):
            return "ignored", rule
        if is_refused := refused.around(span):
            return cast(Verdict, is_refused)
        marked: Verdict | None = marks.around(span)
        if marked and marked[0] not in ("condition", "name"):
            return marked
        if named := names.around(span):
            return cast(Verdict, named)
        return otherwise(span) or (None if in_table else marked)

    return [status_of(span) for span in spans]


def _places(extractions: Iterable[Extraction]) -> dict[int, list[Place]]:
    """What rows, rejects and marks say of the characters of each line, in the order in which they say it."""
    places: defaultdict[int, list[Place]] = defaultdict(list)
    for extraction in extractions:
        for row in extraction.rows:
            cell = row.cell
            if isinstance(row, Condition):
                if row.is_printed:
                    what = _NAME if row.dimension in _NAMED else _CONDITION
                    places[cell.line].append((_NAMED_PLACE, cell.start, cell.end, what))
            elif kind := _VALUES.get(type(row)):
                places[cell.line].append((_VALUE, cell.start, cell.end, kind))
            elif isinstance(row, Reject):
                places[cell.line].append((_REFUSED, cell.start, cell.end, _REJECTED))
            elif isinstance(row, Run):
                if row.training_time_s is not None:
                    places[cell.line].append((_VALUE, cell.start, cell.end, "run"))
            elif isinstance(row, ChartValue) and row.printed_value is not None:
                places[cell.line].append((_VALUE, cell.start, cell.end, "chart_value"))
            else:
                places[cell.line].append((_NAMED_PLACE, cell.start, cell.end, _NAME))
        for cell, status, rule in extraction.marks:
            places[cell.line].append((_MARK, cell.start, cell.end, (status, rule)))
    return dict(places)
