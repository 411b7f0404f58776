"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`, `Extraction.marks`), then the words:
those of a line give its role (here), those of a sentence the status of a numeral (`statuses.py`).
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise, repeat
from typing import Any

import pyarrow as pa

from pipelines.extract.accounting.statuses import (
    UNREAD_NUMBER,
    JudgedText,
    Span,
    Verdict,
    find_numerals,
    spans_outside_text,
    status_of_word,
)
from pipelines.extract.contract import Extraction
from pipelines.extract.prose.sentences import is_heading, plain_text, read_sections
from pipelines.extract.rows import (
    ChartValue,
    Claim,
    Condition,
    Configuration,
    Epoch,
    Measurement,
    Price,
    Reject,
    Row,
    Run,
    Submission,
)
from pipelines.read.document import Document, Line
from pipelines.schemas.tables import TABLES as SCHEMAS
from pipelines.schemas.tables import Table, arrow_schema

TABLES, PROSE = "results_page", "claim_prose"
LINE_LEDGER, NUMERALS = SCHEMAS["audit.line_ledger"], SCHEMAS["audit.numerals"]

Role = tuple[str, str]
# What is said of characters: by the row of a value, an address or a tag, a reject, a mark of a format, a name or a
# condition, the cell of a table.
_VALUE, _OUTSIDE, _REFUSED, _MARK, _NAMED_PLACE, _CELL = range(6)
# One of these, first and last character, and the status that they give.
Place = tuple[int, int, int, Verdict]

_NAME: Verdict = ("name", "extracted_name")
_CONDITION: Verdict = ("condition", "extracted_condition")
_ROW: Verdict = ("condition", "table_row")
_HEADING: Verdict = ("condition", "table_heading")
_NO_FORMAT: Verdict = ("unparsed", "no_format")
# What a row makes of its line, and of the numerals in its place. Of several rows on a line the first kind counts.
_OF_ROWS: dict[type[Row], tuple[Role, int, Verdict]] = {
    Claim: (("claim", "claim"), _VALUE, ("extracted", "claim")),
    Measurement: (("measurement", "measurement"), _VALUE, ("extracted", "measurement")),
    Price: (("measurement", "price"), _VALUE, ("extracted", "price")),
    Epoch: (("log", "epoch"), _VALUE, ("extracted", "epoch")),
    Run: (("log", "run"), _VALUE, ("extracted", "run")),
    Submission: (("condition", "submission"), _VALUE, ("extracted", "submission")),
    Configuration: (("condition", "chart_notes"), _NAMED_PLACE, _NAME),
    ChartValue: (("measurement", "chart_value"), _VALUE, ("extracted", "chart_value")),
    Reject: (("unparsed", "rejected"), _REFUSED, ("unparsed", "rejected")),
}
_RANK = {kind: rank for rank, kind in enumerate(_OF_ROWS)}
_ROLES = [role for role, _, _ in _OF_ROWS.values()]
# Roles of lines that stay although a numeral of them is not read.
_READ = frozenset({"claim", "measurement", "log", "unparsed"})
# Conditions whose numerals are parts of a name: `H100`, `ResNet-50`.
_NAMED = frozenset({"model", "variant", "platform", "framework", "dataset", "suite", "submission_id"})
_NAMES_OF = ("model_printed", "variant_name", "platform_printed", "framework_printed", "dataset_printed")
_BOILERPLATE = re.compile(
    r"(?P<markup>(?:<[^<>]*>\s*+)+|`{3,}\w*|[-=_*~#]{3,})|(?P<url>\(?(?:https?://|www\.)\S++[\s.]*)"
    r"|(?P<legal>(?s:.*(?:\b(?:trademarks?|all rights reserved|copyright|unauthori[sz]ed use|privacy policy"
    r"|terms of (?:use|service)|subject to change|cookies?)\b|©).*))"
    r"|(?P<page_date>.{0,40}\b(?:last updated|updated on|published on|posted on)\b.{0,60})",
    re.IGNORECASE,
)
# A longer line is a paragraph that only mentions a trademark.
_MAX_BOILERPLATE = 400
# A longer run without a stop is a flattened table or code: the patterns of grammar would cost much and say nothing.
_MAX_SENTENCE = 2000


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

    roles: list[Role] = field(default_factory=list)
    lines: array[int] = field(default_factory=partial(array, "q"))
    starts: array[int] = field(default_factory=partial(array, "q"))
    ends: array[int] = field(default_factory=partial(array, "q"))
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
    said, found = _Said(document, extractions), Accounting()
    left: dict[int, list[Span]] = {}
    verdicts: list[Verdict | None] = []
    for number, text in enumerate(document.texts, start=1):
        spans, of_line = said.of_numerals(number, text)
        found.lines.extend(repeat(number, len(spans)))
        found.starts.extend(start for start, _ in spans)
        found.ends.extend(end for _, end in spans)
        found.texts += [text[start:end] for start, end in spans]
        verdicts += of_line
        if None in of_line:
            left[number] = [span for span, verdict in zip(spans, of_line, strict=True) if verdict is None]
    in_prose = _statuses_of_prose(document, left, said.taken) if left else {}
    places = zip(found.lines, found.starts, found.ends, verdicts, strict=True)
    found.statuses = [verdict or in_prose[line, (start, end)] for line, start, end, verdict in places]
    judged = zip(found.lines, found.statuses, strict=True)
    unread = {line for line, (status, _) in judged if status == "unparsed"} - said.whole.keys()
    found.roles = [
        said.role(number, text, number in unread) if extractions or not text.strip() else _NO_FORMAT
        for number, text in enumerate(document.texts, start=1)
    ]
    return found


class _Said:
    """What the rows and the formats of a document say of each of its lines, and of the characters on them."""

    def __init__(self, document: Document, extractions: Mapping[str, Extraction]) -> None:
        self.has_formats, self.names = bool(extractions), set[str]()
        self.taken, self.whole, self.stated = dict[int, str](), dict[int, Verdict](), dict[int, Role]()
        self.ranks, self.conditions = dict[int, int](), set[int]()
        self.places: defaultdict[int, list[Place]] = defaultdict(list)
        for name, extraction in extractions.items():
            self.whole |= extraction.whole
            self.stated |= extraction.roles
            if name != PROSE:
                self.taken |= dict.fromkeys(extraction.lines, name)
            self._add(extraction, name)
        self.lone, self.cells = _shown_cells(document)
        # What tables repeat is judged once.
        self.judged: dict[tuple[str, Role | None, tuple[Place, ...]], tuple[list[Span], list[Verdict | None]]] = {}

    def _add(self, extraction: Extraction, name: str) -> None:
        for row in extraction.rows:
            line, start, end = row.cell.line, row.cell.start, row.cell.end
            if isinstance(row, Condition):
                if row.is_printed:
                    self._condition(row.dimension, line, start, end)
                continue
            # A drawn value is printed nowhere: its row is placed at the label beside it.
            is_drawn = isinstance(row, ChartValue) and row.printed_value is None
            if not is_drawn:
                self.ranks[line] = min(_RANK[type(row)], self.ranks.get(line, len(_RANK)))
            if not isinstance(row, Run) or row.training_time_s is not None:
                _, what, verdict = _OF_ROWS[Configuration if is_drawn else type(row)]
                self.places[line].append((what, start, end, verdict))
        for columns in extraction.columns:
            dimensions = columns.fields.get("dimension", repeat(""))
            for line, start, text, dimension in zip(
                columns.lines, columns.starts, columns.texts, dimensions, strict=False
            ):
                if line and columns.kind is Condition:
                    self._condition(dimension, line, start, start + len(text))
                elif line:
                    _, what, verdict = _OF_ROWS[columns.kind]
                    self.ranks[line] = min(_RANK[columns.kind], self.ranks.get(line, len(_RANK)))
                    self.places[line].append((what, start, start + len(text), verdict))
            if name == TABLES and columns.kind is Measurement:
                # By the names in the rows, a cell is told from a condition.
                self.names |= {value for each in _NAMES_OF for value in columns.fields.get(each, ()) if value}
        for cell, status, rule in extraction.marks:
            self.places[cell.line].append((_MARK, cell.start, cell.end, (status, rule)))

    def _condition(self, dimension: str, line: int, start: int, end: int) -> None:
        self.conditions.add(line)
        self.places[line].append((_NAMED_PLACE, start, end, _NAME if dimension in _NAMED else _CONDITION))

    def role(self, number: int, text: str, is_unread: bool) -> Role:
        """The role of a line; `is_unread` is true for one with a numeral that is not accounted for."""
        in_table = self.taken.get(number) == TABLES
        if not text.strip():
            return ("table_cell", "blank_cell") if in_table and text else ("blank", "blank")
        if (rank := self.ranks.get(number)) is not None:
            role = _ROLES[rank]
        else:
            role = self.stated.get(number) or (
                ("table_cell", "table_row") if in_table else self._of_words(number, text)
            )
        return ("unparsed", "unread_number") if is_unread and role[0] not in _READ else role

    def _of_words(self, number: int, text: str) -> Role:
        if home := self.taken.get(number):
            return "prose", home
        if len(text) <= _MAX_BOILERPLATE and (match := _BOILERPLATE.fullmatch(text.strip())):
            return "boilerplate", str(match.lastgroup)
        if is_heading(Line(number, text)):
            return "heading", "heading"
        return ("condition", "condition") if number in self.conditions else ("prose", "text")

    def of_numerals(self, number: int, text: str) -> tuple[list[Span], Sequence[Verdict | None]]:
        """Numerals of a line, and the status of each; None where the sentence around it has to say."""
        if number in self.whole or not self.has_formats:
            spans = find_numerals(text) if number in self.whole else self._numerals(number, text)
            return spans, [self.whole.get(number, _NO_FORMAT)] * len(spans)
        places = self.places.get(number, ())
        if self.taken.get(number) != TABLES:
            spans = self._numerals(number, text)
            return spans, _statuses(text, spans, places, partial(status_of_word, text))
        role = self.stated.get(number)
        if number not in self.lone:
            spans = self._numerals(number, text)
            return spans, _statuses(text, spans, [*places, *self._cells(number, text, role)], lambda *_: _ROW)
        key = text, role, tuple(places)
        if key not in self.judged:
            spans = find_numerals(text)
            cell = self._cell(text, role)
            self.judged[key] = spans, _statuses(text, spans, places, lambda *_: cell)
        return self.judged[key]

    def _numerals(self, number: int, text: str) -> list[Span]:
        """The numerals of a line, each within one cell: `1,234` may be two cells."""
        if number not in self.cells:
            return find_numerals(text)
        masked = [" "] * len(text)
        for low, high in self.cells[number]:
            masked[low:high] = text[low:high]
        return find_numerals("".join(masked))

    def _cell(self, text: str, role: Role | None) -> Verdict:
        if role and role[0] == "table_header":
            return _HEADING
        return _NAME if " ".join(text.split()) in self.names else _ROW

    def _cells(self, number: int, text: str, role: Role | None) -> list[Place]:
        """The cells of a line of a table."""
        borders = [-1, *(at for at, sign in enumerate(text) if sign in "\t|"), len(text)]
        cells = sorted(self.cells.get(number, ())) or [(low + 1, high) for low, high in pairwise(borders)]
        return [(_CELL, low, high, self._cell(text[low:high], role)) for low, high in cells]


def _shown_cells(document: Document) -> tuple[set[int], dict[int, set[Span]]]:
    """The lines that are one cell of a table each, and the cells that the file format shows on the others."""
    lone: set[int] = set()
    shown: defaultdict[int, set[Span]] = defaultdict(set)
    for grid in document.grids:
        lines, texts = chain.from_iterable(grid.lines), chain.from_iterable(grid.texts)
        cells = list(zip(lines, chain.from_iterable(grid.starts), texts, strict=True))
        if grid.has_line_per_cell and all(document.texts[line - 1].strip() == text for line, _, text in cells):
            lone |= {line for line, _, _ in cells}
            continue
        for line, start, text in cells:
            shown[line].add((start, start + len(text)))
    return lone, shown


def _statuses(
    text: str, spans: Sequence[Span], places: Iterable[Place], otherwise: Callable[[int, int], Verdict | None]
) -> list[Verdict | None]:
    """The status of each numeral of a line by the places it is in; `otherwise` says it where none decides."""
    if not spans:
        return []
    # Of places of one kind the first counts.
    found: list[dict[int, Verdict]] = [{} for _ in spans]
    ends = [end for _, end in spans]
    outside = [(_OUTSIDE, *span, verdict) for span, verdict in spans_outside_text(text)]
    for what, low, high, verdict in chain(places, outside):
        at = bisect_right(ends, low)
        while at < len(spans) and spans[at][0] < high:
            if what == _VALUE or (low <= spans[at][0] and spans[at][1] <= high):
                found[at].setdefault(what, verdict)
            at += 1
    return [_status(said) or otherwise(*span) or said.get(_MARK) for span, said in zip(spans, found, strict=True)]


def _status(said: Mapping[int, Verdict]) -> Verdict | None:
    """What the places around a numeral say of it; a mark of a name or a condition counts where nothing else does."""
    marked = said.get(_MARK)
    if marked and marked[0] in ("condition", "name"):
        marked = None
    first = said.get(_VALUE) or said.get(_OUTSIDE) or said.get(_REFUSED) or marked
    return first or said.get(_NAMED_PLACE) or said.get(_CELL)


def _statuses_of_prose(
    document: Document, left: Mapping[int, list[Span]], taken: Collection[int]
) -> dict[tuple[int, Span], Verdict]:
    """Status and rule of the numerals that are left, by line and span.

    Args:
        document: The document.
        left: The numerals, by line.
        taken: Lines that another format than prose has read: each of them is a passage of its own.
    """
    verdicts: dict[tuple[int, Span], Verdict] = {}
    sections = read_sections(document, frozenset(taken)) if left.keys() - taken else ()
    for sentence in chain.from_iterable(section.sentences for section in sections):
        passage = JudgedText(sentence.plain)
        for offset, number, column, length in sentence.pieces if len(sentence.text) <= _MAX_SENTENCE else ():
            spans = left.get(number, [])
            # A line may hold thousands of sentences: only the numerals from this one's first character on are read.
            for start, end in spans[bisect_left(spans, (column, 0)) :]:
                if end > column + length:
                    break
                verdicts[number, (start, end)] = passage.status(start + offset - column, end + offset - column)
    for number, spans in left.items():
        unread = [span for span in spans if (number, span) not in verdicts]
        line = JudgedText(plain_text(document.texts[number - 1][:_MAX_SENTENCE] if unread else ""))
        for span in unread:
            # Grammar says nothing in so long a line, and every rule would read it once for each number.
            verdicts[number, span] = UNREAD_NUMBER if span[1] > _MAX_SENTENCE else line.status(*span)
    return verdicts


# The accounting as the tables `audit.line_ledger` and `audit.numerals`, column by column


def line_ledger(documents: Iterable[tuple[str, Accounting]]) -> pa.Table:
    """One row per line of these documents, given as (document_id, accounting)."""
    return _table(LINE_LEDGER, ((name, (range(1, len(one.roles) + 1),), one.roles) for name, one in documents))


def numerals(documents: Iterable[tuple[str, Accounting]]) -> pa.Table:
    """One row per numeral of these documents, given as (document_id, accounting)."""
    found = ((name, (one.lines, one.starts, one.ends, one.texts), one.statuses) for name, one in documents)
    return _table(NUMERALS, found)


def _table(
    table: Table, documents: Iterable[tuple[str, Sequence[Sequence[Any]], Sequence[tuple[str, str]]]]
) -> pa.Table:
    schema, parts = arrow_schema(table), []
    for document_id, columns, said in documents:
        columns = [*columns, [first for first, _ in said], [second for _, second in said]]
        arrays = [pa.array(column, each.type) for column, each in zip(columns, list(schema)[1:], strict=True)]
        parts.append(pa.table([pa.repeat(document_id, len(said)), *arrays], schema=schema))
    return pa.concat_tables(parts) if parts else schema.empty_table()
