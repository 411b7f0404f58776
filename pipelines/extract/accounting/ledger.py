"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`, `Extraction.marks`), then the rules
for running text.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

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
# The numerals of a line and their statuses, None where running text has to say.
_Found = tuple[list[Span], list[Verdict | None]]
_NOTHING: _Found = ([], [])


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

    def add(self, line: int, text: str, spans: Iterable[Span], verdicts: Iterable[Verdict]) -> None:
        """Keep the numerals of a line, which stand in this text."""
        for start, end in spans:
            self.lines.append(line)
            self.starts.append(start)
            self.ends.append(end)
            self.texts.append(text[start:end])
        self.statuses += verdicts


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
    found = {number: judge.line(number, text) for number, text in enumerate(document.texts, 1) if number not in whole}
    left = {
        number: [span for span, verdict in zip(spans, verdicts, strict=True) if verdict is None]
        for number, (spans, verdicts) in found.items()
        if None in verdicts
    }
    in_prose = statuses_of_prose(document, left, taken)
    columns = Accounting()
    unread = set[int]()
    for number, text in enumerate(document.texts, 1):
        if number in whole:
            spans = find_numerals(text)
            columns.add(number, text, spans, [whole[number]] * len(spans))
            continue
        spans, verdicts = found[number]
        if not spans:
            continue
        known = [verdict or in_prose[number, span] for span, verdict in zip(spans, verdicts, strict=True)]
        columns.add(number, text, spans, known)
        if any(status == "unparsed" for status, _ in known):
            unread.add(number)
    if extractions:
        columns.roles = Roles(document, extractions, taken, TABLES).of_lines(unread)
    else:
        columns.roles = [_NO_FORMAT if text.strip() else ("blank", "blank") for text in document.texts]
    return columns


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
        self._numerals: dict[str, list[Span]] = {}
        self._judged: dict[tuple[str, Verdict, tuple[Place, ...]], _Found] = {}

    def line(self, number: int, text: str) -> _Found:
        """Numerals of a line, and the status and rule of each."""
        if number in self._shown.lone:
            spans = self._numerals.get(text)
            if spans is None:
                spans = self._numerals[text] = find_numerals(text)
        else:
            cells = self._shown.on(number)
            spans = find_numerals(text if cells is None else without_separators(text, cells))
        if not spans:
            return _NOTHING
        if not self._has_formats:
            return spans, [_NO_FORMAT] * len(spans)
        places = self._places.get(number, ())
        if self._taken.get(number) != TABLES:
            return spans, _statuses(text, spans, places, lambda span: status_of_word(text, *span), in_table=False)
        role = self._roles.get(number)
        if number not in self._shown.lone:
            status = self._names.status_of(text, role, self._shown.on(number))
            return spans, _statuses(text, spans, places, status, in_table=True)
        if len(places) == 1 and places[0][0] == _VALUE and len(spans) == 1:
            _, start, end, kind = places[0]
            if spans[0][0] < end and start < spans[0][1]:
                return spans, [("extracted", str(kind))]
        key = text, self._names.status_of_cell(text, role), tuple(places)
        found = self._judged.get(key)
        if found is None:
            found = spans, _statuses(text, spans, places, lambda _: key[1], in_table=True)
            self._judged[key] = found
        return found


def _statuses(
    text: str,
    spans: Sequence[Span],
    places: Sequence[Place],
    otherwise: Callable[[Span], Verdict | None],
    *,
    in_table: bool,
) -> list[Verdict | None]:
    """The status of each numeral of a line; `otherwise` says it where no row, reject or mark does."""
    outside = Places[str]((*span, rule) for span, rule in spans_outside_text(text))
    values, refused, marks, names = (
        Places[Any]((start, end, what) for kind, start, end, what in places if kind == wanted)
        for wanted in (_VALUE, _REFUSED, _MARK, _NAMED_PLACE)
    )

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
