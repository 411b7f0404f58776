"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`,
`Extraction.marks`), then the words: those of a line give its role (here), those of a sentence the
status of a numeral (`statuses.py`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import pyarrow as pa

from pipelines.extract.accounting.statuses import (
    UNREAD_NUMBER,
    Span,
    find_numerals,
    spans_outside_text,
    status_in_text,
    status_of,
    status_of_word,
)
from pipelines.extract.contract import Extraction, Medium, medium_of
from pipelines.extract.prose.sentences import Sentence, is_heading, pieces_by_line, plain_text
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
from pipelines.read.document import Cell, Document, Line
from pipelines.schemas.tables import TABLES as SCHEMAS
from pipelines.schemas.tables import Table, arrow_schema

LINE_LEDGER, NUMERALS = SCHEMAS["audit.line_ledger"], SCHEMAS["audit.numerals"]

Role = tuple[str, str]
# What states the status of characters, the first counts: the row of a value, an address or a tag, a
# reject, a mark of a format, a name or a condition, the cell of a table.
_VALUE, _OUTSIDE, _REFUSED, _MARK, _NAMED_PLACE, _CELL = range(6)
# One of these, first and last character, and the rule of their status.
Place = tuple[int, int, int, str]

_NAME, _CONDITION = "extracted_name", "extracted_condition"
_ROW, _HEADING = "table_row", "table_heading"
# What a row makes of its line; of several rows on a line the first kind counts.
_ROLES: dict[type[Row], Role] = {
    Claim: ("claim", "claim"),
    Measurement: ("measurement", "measurement"),
    Price: ("measurement", "price"),
    Epoch: ("log", "epoch"),
    Run: ("log", "run"),
    Submission: ("condition", "submission"),
    Configuration: ("condition", "chart_notes"),
    ChartValue: ("measurement", "chart_value"),
    Reject: ("unparsed", "rejected"),
}
# Roles of lines that stay although a numeral of them is not read.
_READ = frozenset({"claim", "measurement", "log", "unparsed"})
# Conditions whose numerals are parts of a name: `H100`, `ResNet-50`.
_NAMED = frozenset(
    {"model", "variant", "platform", "framework", "dataset", "suite", "submission_id"}
)
_names_of = attrgetter(
    "model_printed",
    "variant_name",
    "platform_printed",
    "framework_printed",
    "dataset_printed",
)
_BOILERPLATE = re.compile(
    r"(?i)(?P<markup>(?:<[^<>]*>\s*+)+|`{3,}\w*|[-=_*~#]{3,})|(?P<url>\(?(?:https?://|www\.)\S++[\s.]*)"
    r"|(?P<legal>(?s:.*(?:\b(?:trademarks?|all rights reserved|copyright|unauthori[sz]ed use|privacy policy"
    r"|terms of (?:use|service)|subject to change|cookies?)\b|©).*))"
    r"|(?P<page_date>.{0,40}\b(?:last updated|updated on|published on|posted on)\b.{0,60})"
)
# A longer line is a paragraph that only mentions a trademark.
_MAX_BOILERPLATE = 400
# A longer run without a stop is a flattened table or code: the patterns of grammar would cost much
# and say nothing.
_MAX_SENTENCE = 2000
# Between the cells of a table that is drawn with characters
_BORDER = re.compile(r"[^\t|\u2502\u2503\u2551]+")


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
    lines: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    statuses: list[Role] = field(default_factory=list)

    def tables(self, document_id: str) -> dict[str, pa.Table]:
        """Its rows of `audit.line_ledger` and of `audit.numerals`, by the name of the table."""
        numbers = range(1, len(self.roles) + 1)
        return {
            LINE_LEDGER.name: _arrow(LINE_LEDGER, document_id, self.roles, numbers),
            NUMERALS.name: _arrow(
                NUMERALS, document_id, self.statuses, self.lines, self.starts, self.ends, self.texts
            ),
        }


def _arrow(
    table: Table, document_id: str, pairs: Sequence[tuple[str, str]], *places: Sequence[Any]
) -> pa.Table:
    ids = [document_id] * len(pairs)
    columns = [ids, *places, [first for first, _ in pairs], [second for _, second in pairs]]
    return pa.table(columns, schema=arrow_schema(table))


def account(document: Document, extractions: Mapping[str, Extraction]) -> Accounting:
    """The accounting of a document.

    Args:
        document: The document.
        extractions: What each format has read in it, by name; empty where no format knows it.
    """
    evidence, found = _Evidence(document, extractions), Accounting()
    # Cells of a table, and lines of a log, repeat the same few texts.
    known = dict[Hashable, tuple[list[Span], list[Role], Role]]()
    for number, text in enumerate(document.texts, start=1):
        facts = evidence.facts(number, text)
        line = known.get(facts) if facts else None
        if line is None:
            spans = evidence.numerals(number, text)
            statuses = evidence.statuses(number, text, spans)
            line = spans, statuses, evidence.role(number, text, statuses)
            if facts:
                known[facts] = line
        spans, statuses, role = line
        for start, end in spans:
            found.lines.append(number)
            found.starts.append(start)
            found.ends.append(end)
            found.texts.append(text[start:end])
        found.statuses += statuses
        found.roles.append(role)
    return found


class _Evidence:
    """What the rows and the formats of a document state of each of its lines, and of the characters
    on them.
    """

    def __init__(self, document: Document, extractions: Mapping[str, Extraction]) -> None:
        self.document, self.has_formats = document, bool(extractions)
        self.taken, self.whole = dict[int, str](), dict[int, str]()
        self.stated, self.names = dict[int, Role](), set[str]()
        self.kinds: defaultdict[int, set[type[Row]]] = defaultdict(set)
        self.places: defaultdict[int, list[Place]] = defaultdict(list)
        self.cells: defaultdict[int, set[Span]] = defaultdict(set)
        for name, extraction in extractions.items():
            self.whole |= extraction.whole
            self.stated |= extraction.roles
            if medium_of(name) is not Medium.SENTENCE:
                self.taken |= dict.fromkeys(extraction.lines, name)
            for row in extraction.rows:
                self._add(row)
                if medium_of(name) is Medium.TABLE and isinstance(row, Measurement):
                    # The names in the rows distinguish a cell from a condition.
                    self.names.update(filter(None, _names_of(row)))
            for cell, rule in extraction.marks:
                self.places[cell.line].append((_MARK, cell.start, cell.end, rule))
        for grid in document.grids:
            for cell in chain.from_iterable(grid.rows):
                # A cell on a separate line is the whole line.
                whole = document.texts[cell.line - 1].strip()
                if not grid.has_line_per_cell or whole != cell.text:
                    self.cells[cell.line].add((cell.start, cell.end))

    def _add(self, row: Row) -> None:
        cell, place = row.cell, _place_of(row)
        if not cell.line:
            # It is printed nowhere.
            return
        if place:
            what, rule = place
            end = cell.start + len(cell.text)
            self.places[cell.line].append((what, cell.start, end, rule))
        if not isinstance(row, ChartValue) or row.printed_value is not None:
            self.kinds[cell.line].add(type(row))

    def facts(self, number: int, text: str) -> Hashable:
        """All that decides about a line that a format has read; None for another line, of which the
        sentences around it may decide.

        Lines with equal facts have equal numerals, statuses and roles. Numbers that are measured
        differ from row to row; names and conditions are a few texts for all rows of a table.
        """
        if number not in self.taken or number in self.whole:
            return None
        kinds, cells = self.kinds.get(number, ()), self.cells.get(number, ())
        places = tuple(self.places.get(number, ()))
        stated = self.stated.get(number)
        return text, self.taken[number], frozenset(kinds), places, frozenset(cells), stated

    def role(self, number: int, text: str, statuses: Sequence[Role]) -> Role:
        """The role of a line with numerals of these statuses."""
        home, kinds = self.taken.get(number), self.kinds.get(number, ())
        if not text.strip():
            is_cell = text and medium_of(home) is Medium.TABLE
            return ("table_cell", "blank_cell") if is_cell else ("blank", "blank")
        if not self.has_formats:
            return "unparsed", "no_format"
        if of_rows := [role for kind, role in _ROLES.items() if kind in kinds]:
            role = of_rows[0]
        elif number in self.stated:
            role = self.stated[number]
        elif home:
            role = (
                ("table_cell", "table_row") if medium_of(home) is Medium.TABLE else ("prose", home)
            )
        elif len(text) <= _MAX_BOILERPLATE and (match := _BOILERPLATE.fullmatch(text.strip())):
            role = "boilerplate", str(match.lastgroup)
        elif is_heading(Line(number, text)):
            role = "heading", "heading"
        else:
            role = ("condition", "condition") if Condition in kinds else ("prose", "text")
        is_unread = number not in self.whole and "unparsed" in [status for status, _ in statuses]
        return ("unparsed", "unread_number") if is_unread and role[0] not in _READ else role

    def numerals(self, number: int, text: str) -> list[Span]:
        """The numerals of a line, each within one cell: `1,234` may be two cells."""
        found = list[Span]()
        for low, high in sorted(self.cells.get(number, ())) or [(0, len(text))]:
            found += [(low + start, low + end) for start, end in find_numerals(text[low:high])]
        return found

    def statuses(self, number: int, text: str, spans: Sequence[Span]) -> list[Role]:
        """The status of each numeral: by the place it is in, the word around it, or its sentence."""
        if number in self.whole or not self.has_formats:
            rule = self.whole.get(number, "no_format")
            return [(status_of(rule), rule)] * len(spans)
        is_table = medium_of(self.taken.get(number)) is Medium.TABLE
        places = [*self.places.get(number, ())]
        if spans:
            places += [(_OUTSIDE, *span, rule) for span, rule in spans_outside_text(text)]
        if is_table:
            is_header = self.stated.get(number, ("", ""))[0] == "table_header"
            drawn = (match.span() for match in _BORDER.finditer(text))
            for low, high in self.cells.get(number) or drawn:
                is_name = " ".join(text[low:high].split()) in self.names
                rule = _HEADING if is_header else _NAME if is_name else _ROW
                places.append((_CELL, low, high, rule))
        found, weak = dict[Span, str](), dict[Span, str]()
        ends = [end for _, end in spans]
        # Of places of one kind the first counts.
        for kind, low, high, rule in sorted(places, key=itemgetter(0)):
            for at in range(bisect_right(ends, low), len(spans)):
                span = spans[at]
                if span[0] >= high:
                    break
                if kind != _VALUE and not (low <= span[0] and span[1] <= high):
                    continue
                # A mark of a name or a condition counts where nothing else does.
                if kind == _MARK and (span in weak or status_of(rule) in ("condition", "name")):
                    weak.setdefault(span, rule)
                else:
                    found.setdefault(span, rule)
        for span in spans:
            if span not in found:
                of_word = _ROW if is_table else status_of_word(text, *span)
                of_line = of_word or weak.get(span)
                found[span] = of_line or self._status_in_text(number, text, *span)
        return [(status_of(found[span]), found[span]) for span in spans]

    def _status_in_text(self, number: int, text: str, start: int, end: int) -> str:
        pieces = () if number in self.taken else self._pieces[number]
        at = bisect_right(pieces, start, key=lambda piece: piece[0].start) - 1
        if at >= 0:
            cell, offset, sentence = pieces[at]
            if end <= cell.end and len(sentence.text) <= _MAX_SENTENCE:
                shift = offset - cell.start
                return status_in_text(sentence.plain, start + shift, end + shift)
        # So long a line is not prose, and every rule would read it once per number.
        if end > _MAX_SENTENCE:
            return UNREAD_NUMBER
        return status_in_text(plain_text(text[:_MAX_SENTENCE]), start, end)

    @cached_property
    def _pieces(self) -> Mapping[int, list[tuple[Cell, int, Sentence]]]:
        """The sentences on each line; a line that another format has read is in none."""
        return pieces_by_line(self.document, frozenset(self.taken))


def _place_of(row: Row) -> tuple[int, str] | None:
    """What a row states of the characters in its place; None for a run without a printed time."""
    match row:
        case Run(training_time_s=None):
            return None
        case Reject():
            return _REFUSED, "rejected"
        case Condition(dimension=name):
            return _NAMED_PLACE, _NAME if name in _NAMED else _CONDITION
        # Without a printed value a bar is named by the label beside it.
        case Configuration() | ChartValue(printed_value=None):
            return _NAMED_PLACE, _NAME
    return _VALUE, _ROLES[type(row)][1]
