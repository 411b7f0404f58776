"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`, `Extraction.marks`), then the rules
for running text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pipelines.extract.accounting.numerals import find_numerals
from pipelines.extract.accounting.prose import statuses_of_prose
from pipelines.extract.accounting.roles import Roles
from pipelines.extract.accounting.tables import TableNames, shown_cells, without_separators
from pipelines.extract.accounting.words import Span, Verdict, spans_outside_text, status_of_word
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Claim, Epoch, Measurement, Price, Reject, Run, Submission
from pipelines.read.document import Document, Line

TABLES, PROSE = "results_page", "claim_prose"

_VALUES = {
    Measurement: "measurement",
    Claim: "claim",
    Epoch: "epoch",
    Price: "price",
    Submission: "submission",
}
_NO_FORMAT: Verdict = ("unparsed", "no_format")


@dataclass
class Accounting:
    """Every line and every numeral of one document, as columns.

    Attributes:
        roles: Role and rule of each line, in order of the lines.
        lines: Line of each numeral.
        spans: Start and end of each numeral within its line.
        texts: Its characters.
        statuses: Its status and rule.
    """

    roles: list[tuple[str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    statuses: list[Verdict] = field(default_factory=list)


def account(document: Document, extractions: Mapping[str, Extraction]) -> Accounting:
    """The accounting of a document.

    Args:
        document: The document.
        extractions: What each format has read in it, by name; empty where no format knows it.
    """
    shown = shown_cells(document)
    numerals = {line.number: spans for line in document.lines if (spans := _numerals_of(line, shown))}
    if not extractions:
        verdicts = dict.fromkeys(((line, span) for line, spans in numerals.items() for span in spans), _NO_FORMAT)
        roles = [("blank", "blank") if line.is_blank else _NO_FORMAT for line in document.lines]
        return _columns(document, numerals, verdicts, roles)
    taken: dict[int, str] = {}
    for name, extraction in extractions.items():
        if name != PROSE:
            taken |= dict.fromkeys(extraction.lines, name)
    places = _places(extractions.values())
    names = TableNames(extractions.get(TABLES))
    verdicts = {}
    left: dict[int, list[Span]] = {}
    for number, spans in numerals.items():
        line = document.line(number)
        outside = spans_outside_text(line.text)
        is_table = taken.get(number) == TABLES
        table_status = names.status_of(line, places.roles.get(number), shown.get(number)) if is_table else None
        for span in spans:
            verdict = places.status_of(line, span, outside, table_status)
            if verdict is None:
                left.setdefault(number, []).append(span)
            else:
                verdicts[number, span] = verdict
    verdicts |= statuses_of_prose(document, left, taken)
    roles = Roles(document, extractions, taken, TABLES).of_lines(
        {number for (number, _), (status, _) in verdicts.items() if status == "unparsed"}
    )
    return _columns(document, numerals, verdicts, roles)


def _numerals_of(line: Line, shown: Mapping[int, list[Span]]) -> list[Span]:
    cells = shown.get(line.number)
    return find_numerals(line.text if cells is None else without_separators(line.text, cells))


class _Places:
    """What rows, rejects and marks say of the characters of each line."""

    def __init__(self) -> None:
        self.values: defaultdict[int, list[tuple[Span, str]]] = defaultdict(list)
        self.names: defaultdict[int, list[Span]] = defaultdict(list)
        self.rejected: defaultdict[int, list[Span]] = defaultdict(list)
        self.marks: defaultdict[int, list[tuple[Span, Verdict]]] = defaultdict(list)
        self.roles: dict[int, tuple[str, str]] = {}

    def status_of(
        self,
        line: Line,
        span: Span,
        outside: list[tuple[Span, str]],
        table_status: Callable[[Span], Verdict] | None,
    ) -> Verdict | None:
        """The status that the line itself, its rows and the marks on it give; None where running text has to say."""
        number = line.number
        for place, kind in self.values.get(number, ()):
            if span[0] < place[1] and place[0] < span[1]:
                return "extracted", kind
        for place, rule in outside:
            if _within(span, place):
                return "ignored", rule
        for place in self.rejected.get(number, ()):
            if _within(span, place):
                return "unparsed", "rejected"
        marked = next((verdict for place, verdict in self.marks.get(number, ()) if _within(span, place)), None)
        if marked and marked[0] not in ("condition", "name"):
            return marked
        for place in self.names.get(number, ()):
            if _within(span, place):
                return "name", "extracted_name"
        return table_status(span) if table_status else status_of_word(line.text, *span) or marked


def _places(extractions: Iterable[Extraction]) -> _Places:
    places = _Places()
    for extraction in extractions:
        for row in extraction.rows:
            cell = row.cell
            if isinstance(row, Reject):
                places.rejected[cell.line].append((cell.start, cell.end))
            elif isinstance(row, Run):
                if row.training_time_s is not None:
                    places.values[cell.line].append(((cell.start, cell.end), "run"))
            elif kind := _VALUES.get(type(row)):
                places.values[cell.line].append(((cell.start, cell.end), kind))
            else:
                places.names[cell.line].append((cell.start, cell.end))
        for cell, status, rule in extraction.marks:
            places.marks[cell.line].append(((cell.start, cell.end), (status, rule)))
        places.roles |= extraction.roles
    return places


def _within(span: Span, place: Span) -> bool:
    return place[0] <= span[0] and span[1] <= place[1]


def _columns(
    document: Document,
    numerals: Mapping[int, list[Span]],
    verdicts: Mapping[tuple[int, Span], Verdict],
    roles: list[tuple[str, str]],
) -> Accounting:
    columns = Accounting(roles)
    for number, spans in numerals.items():
        text = document.lines[number - 1].text
        for span in spans:
            columns.lines.append(number)
            columns.spans.append(span)
            columns.texts.append(text[span[0] : span[1]])
            columns.statuses.append(verdicts[number, span])
    return columns
