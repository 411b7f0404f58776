"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`,
`Extraction.marks`), then the words: those of a line give its role (here), those of a sentence the
status of a numeral (`statuses.py`).
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, repeat
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

LINE_LEDGER, NUMERALS = SCHEMAS["audit.line_ledger"], SCHEMAS["audit.numerals"]

Role = tuple[str, str]
# What states the status of characters, the first counts: the row of a value, an address or a tag, a
# reject, a mark of a format, a name or a condition, the cell of a table.
_VALUE, _OUTSIDE, _REFUSED, _MARK, _NAMED_PLACE, _CELL = range(6)
# One of these, first and last character, and the rule of their status.
Place = tuple[int, int, int, str]

_NAME, _CONDITION = "extracted_name", "extracted_condition"
_ROW, _HEADING = "table_row", "table_heading"
# What a row makes of its line, and of the numerals in its place. Of several rows on a line the
# first kind counts.
_OF_ROWS: dict[type[Row], tuple[Role, int, str]] = {
    Claim: (("claim", "claim"), _VALUE, "claim"),
    Measurement: (("measurement", "measurement"), _VALUE, "measurement"),
    Price: (("measurement", "price"), _VALUE, "price"),
    Epoch: (("log", "epoch"), _VALUE, "epoch"),
    Run: (("log", "run"), _VALUE, "run"),
    Submission: (("condition", "submission"), _VALUE, "submission"),
    Configuration: (("condition", "chart_notes"), _NAMED_PLACE, _NAME),
    ChartValue: (("measurement", "chart_value"), _VALUE, "chart_value"),
    Reject: (("unparsed", "rejected"), _REFUSED, "rejected"),
}
# The columns that say what a row makes of its place: without a printed value a bar is named by the
# label beside it, and without a time a run has no value.
_DECIDING = {ChartValue: "printed_value", Run: "training_time_s", Condition: "dimension"}
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
    lines: array[int] = field(default_factory=partial(array, "q"))
    starts: array[int] = field(default_factory=partial(array, "q"))
    ends: array[int] = field(default_factory=partial(array, "q"))
    texts: list[str] = field(default_factory=list)
    statuses: list[Role] = field(default_factory=list)

    def tables(self, document_id: str) -> dict[str, pa.Table]:
        """Its rows of `audit.line_ledger` and of `audit.numerals`, by the name of the table."""
        places = [range(1, len(self.roles) + 1)]
        of_numerals: list[Sequence[Any]] = [self.lines, self.starts, self.ends, self.texts]
        return {
            LINE_LEDGER.name: _arrow(LINE_LEDGER, document_id, places, self.roles),
            NUMERALS.name: _arrow(NUMERALS, document_id, of_numerals, self.statuses),
        }


def _arrow(
    table: Table,
    document_id: str,
    places: Sequence[Sequence[Any]],
    pairs: Sequence[tuple[str, str]],
) -> pa.Table:
    schema = arrow_schema(table)
    ids = [document_id] * len(pairs)
    columns = [ids, *places, [first for first, _ in pairs], [second for _, second in pairs]]
    arrays = [pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def account(document: Document, extractions: Mapping[str, Extraction]) -> Accounting:
    """The accounting of a document.

    Args:
        document: The document.
        extractions: What each format has read in it, by name; empty where no format knows it.
    """
    evidence, found = _Evidence(document, extractions), Accounting()
    for number, text in enumerate(document.texts, start=1):
        spans = evidence.numerals(number, text)
        statuses = evidence.statuses(number, text, spans)
        found.lines.extend(repeat(number, len(spans)))
        found.starts.extend(start for start, _ in spans)
        found.ends.extend(end for _, end in spans)
        found.texts += [text[start:end] for start, end in spans]
        found.statuses += statuses
        found.roles.append(evidence.role(number, text, statuses))
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
        kind, cell = type(row), row.cell
        if not cell.line:
            # It is printed nowhere.
            return
        value = getattr(row, _DECIDING.get(kind, ""), "")
        what, rule = _OF_ROWS[kind][1:] if kind in _OF_ROWS else (_NAMED_PLACE, _CONDITION)
        if (kind is ChartValue and value is None) or (kind is Condition and value in _NAMED):
            what, rule = _NAMED_PLACE, _NAME
        if kind is not ChartValue or value is not None:
            self.kinds[cell.line].add(kind)
        if kind is not Run or value is not None:
            place = what, cell.start, cell.start + len(cell.text), rule
            self.places[cell.line].append(place)

    def role(self, number: int, text: str, statuses: Sequence[Role]) -> Role:
        """The role of a line with numerals of these statuses."""
        home, kinds = self.taken.get(number), self.kinds.get(number, ())
        if not text.strip():
            is_cell = text and medium_of(home) is Medium.TABLE
            return ("table_cell", "blank_cell") if is_cell else ("blank", "blank")
        if not self.has_formats:
            return "unparsed", "no_format"
        if of_rows := [role for kind, (role, _, _) in _OF_ROWS.items() if kind in kinds]:
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
        at = bisect_right(pieces, start, key=itemgetter(0)) - 1
        if at >= 0 and end <= pieces[at][1]:
            _, _, shift, plain = pieces[at]
            return status_in_text(plain, start + shift, end + shift)
        # So long a line is not prose, and every rule would read it once per number.
        is_long = end > _MAX_SENTENCE
        return (
            UNREAD_NUMBER
            if is_long
            else status_in_text(plain_text(text[:_MAX_SENTENCE]), start, end)
        )

    @cached_property
    def _pieces(self) -> defaultdict[int, list[tuple[int, int, int, str]]]:
        """The sentences on each line: first and last character, how far the sentence is shifted, its
        plain text. A line that another format has read is in none.
        """
        found: defaultdict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
        for section in read_sections(self.document, frozenset(self.taken)):
            for sentence in section.sentences:
                for offset, cell in zip(sentence.offsets, sentence.pieces, strict=True):
                    if len(sentence.text) <= _MAX_SENTENCE:
                        piece = cell.start, cell.end, offset - cell.start, sentence.plain
                        found[cell.line].append(piece)
        return found
