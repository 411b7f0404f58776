"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`, `Extraction.marks`), then the rules
for running text.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.extract.accounting.numerals import find_numerals
from pipelines.extract.accounting.places import Places
from pipelines.extract.accounting.prose import statuses_of_prose
from pipelines.extract.accounting.roles import Roles
from pipelines.extract.accounting.tables import TableNames, shown_cells, without_separators
from pipelines.extract.accounting.words import Span, Verdict, spans_outside_text, status_of_word
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import ChartValue, Claim, Condition, Epoch, Measurement, Price, Reject, Run, Submission
from pipelines.read.document import Document, Line

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
_NO_FORMAT: Verdict = ("unparsed", "no_format")


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

    def add(self, line: Line, spans: Sequence[Span], verdicts: Iterable[Verdict]) -> None:
        """Keep the numerals of a line."""
        text = line.text
        self.lines.extend([line.number] * len(spans))
        self.starts.extend([start for start, _ in spans])
        self.ends.extend([end for _, end in spans])
        self.texts += [text[start:end] for start, end in spans]
        self.statuses += verdicts


def account(document: Document, extractions: Mapping[str, Extraction]) -> Accounting:
    """The accounting of a document.

    Args:
        document: The document.
        extractions: What each format has read in it, by name; empty where no format knows it.
    """
    shown = shown_cells(document)
    whole: dict[int, Verdict] = {}
    for extraction in extractions.values():
        whole |= extraction.whole
    others = (line for line in document.lines if line.number not in whole)
    numerals = {line.number: spans for line in others if (spans := _numerals_of(line, shown))}
    if not extractions:
        verdicts = dict.fromkeys(((line, span) for line, spans in numerals.items() for span in spans), _NO_FORMAT)
        roles = [("blank", "blank") if line.is_blank else _NO_FORMAT for line in document.lines]
        return _columns(document, numerals, verdicts, roles, whole)
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
        outside: Places[str] = Places()
        for place, rule in spans_outside_text(line.text):
            outside.add(place, rule)
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
    return _columns(document, numerals, verdicts, roles, whole)


def _numerals_of(line: Line, shown: Mapping[int, list[Span]]) -> list[Span]:
    cells = shown.get(line.number)
    return find_numerals(line.text if cells is None else without_separators(line.text, cells))


class _Places:
    """What rows, rejects and marks say of the characters of each line."""

    def __init__(self) -> None:
        self.values: defaultdict[int, Places[str]] = defaultdict(Places)
        self.refused: defaultdict[int, Places[Verdict]] = defaultdict(Places)
        self.marks: defaultdict[int, Places[Verdict]] = defaultdict(Places)
        self.names: defaultdict[int, Places[Verdict]] = defaultdict(Places)
        self.roles: dict[int, tuple[str, str]] = {}

    def status_of(
        self,
        line: Line,
        span: Span,
        outside: Places[str],
        table_status: Callable[[Span], Verdict] | None,
    ) -> Verdict | None:
        """The status that the line itself, its rows and the marks on it give; None where running text has to say."""
        number = line.number
        if number in self.values and (kind := self.values[number].touching(span)):
            return "extracted", kind
        if rule := outside.around(span):
            return "ignored", rule
        if number in self.refused and (refused := self.refused[number].around(span)):
            return refused
        marked = self.marks[number].around(span) if number in self.marks else None
        if marked and marked[0] not in ("condition", "name"):
            return marked
        if number in self.names and (named := self.names[number].around(span)):
            return named
        return table_status(span) if table_status else status_of_word(line.text, *span) or marked


def _places(extractions: Iterable[Extraction]) -> _Places:
    places = _Places()
    for extraction in extractions:
        for row in extraction.rows:
            number, place = row.cell.line, (row.cell.start, row.cell.end)
            if isinstance(row, Reject):
                places.refused[number].add(place, ("unparsed", "rejected"))
            elif isinstance(row, Run):
                if row.training_time_s is not None:
                    places.values[number].add(place, "run")
            elif isinstance(row, ChartValue) and row.printed_value is not None:
                places.values[number].add(place, "chart_value")
            elif isinstance(row, Condition):
                if row.is_printed:
                    places.names[number].add(place, _NAME if row.dimension in _NAMED else _CONDITION)
            elif kind := _VALUES.get(type(row)):
                places.values[number].add(place, kind)
            else:
                places.names[number].add(place, _NAME)
        for cell, status, rule in extraction.marks:
            places.marks[cell.line].add((cell.start, cell.end), (status, rule))
        places.roles |= extraction.roles
    return places


def _columns(
    document: Document,
    numerals: Mapping[int, list[Span]],
    verdicts: Mapping[tuple[int, Span], Verdict],
    roles: list[tuple[str, str]],
    whole: Mapping[int, Verdict],
) -> Accounting:
    columns = Accounting(roles)
    for line in document.lines:
        number = line.number
        if number in whole:
            spans = find_numerals(line.text)
            columns.add(line, spans, [whole[number]] * len(spans))
        elif number in numerals:
            spans = numerals[number]
            columns.add(line, spans, (verdicts[number, span] for span in spans))
    return columns
