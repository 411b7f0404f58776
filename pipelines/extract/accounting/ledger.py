"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`,
`Extraction.marks`), then the words: those of a line give its role (here), those of a sentence the
status of a numeral (`statuses.py`).
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, pairwise, repeat
from typing import Any

import pyarrow as pa

from pipelines.extract.accounting.statuses import (
    UNREAD_NUMBER,
    Span,
    Verdict,
    find_numerals,
    spans_outside_text,
    status_in_text,
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
from pipelines.schemas.tables import arrow_schema

TABLES, PROSE = "results_page", "claim_prose"
LINE_LEDGER, NUMERALS = SCHEMAS["audit.line_ledger"], SCHEMAS["audit.numerals"]

Role = tuple[str, str]
# What is said of characters, the first counts: by the row of a value, an address or a tag, a
# reject, a mark of a format, a name or a condition, the cell of a table.
_VALUE, _OUTSIDE, _REFUSED, _MARK, _NAMED_PLACE, _CELL = range(6)
# One of these, first and last character, and the status that they give.
Place = tuple[int, int, int, Verdict]

_NAME: Verdict = ("name", "extracted_name")
_CONDITION: Verdict = ("condition", "extracted_condition")
_ROW: Verdict = ("condition", "table_row")
_HEADING: Verdict = ("condition", "table_heading")
_NO_FORMAT: Verdict = ("unparsed", "no_format")
# What a row makes of its line, and of the numerals in its place. Of several rows on a line the
# first kind counts.
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
_NAMED = frozenset(
    {"model", "variant", "platform", "framework", "dataset", "suite", "submission_id"}
)
_NAMES_OF = (
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
# What tables repeat is judged once.
_MEMORY = 1 << 12


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

    def tables(self, document_id: str) -> dict[str, pa.Table]:
        """Its rows of `audit.line_ledger` and of `audit.numerals`, by the name of the table."""
        of_numerals: list[Sequence[Any]] = [self.lines, self.starts, self.ends, self.texts]
        of_lines: list[Sequence[Any]] = [range(1, len(self.roles) + 1)]
        found = {}
        for table, places, pairs in (
            (LINE_LEDGER, of_lines, self.roles),
            (NUMERALS, of_numerals, self.statuses),
        ):
            columns = [*places, [first for first, _ in pairs], [second for _, second in pairs]]
            schema = arrow_schema(table)
            arrays = [
                pa.array(column, each.type)
                for column, each in zip(columns, list(schema)[1:], strict=True)
            ]
            found[table.name] = pa.table(
                [pa.repeat(document_id, len(pairs)), *arrays], schema=schema
            )
        return found


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
            left[number] = [
                span for span, verdict in zip(spans, of_line, strict=True) if verdict is None
            ]
    in_prose = _statuses_of_prose(document, left, said.taken) if left else {}
    places = zip(found.lines, found.starts, found.ends, verdicts, strict=True)
    found.statuses = [
        verdict or in_prose[line, (start, end)] for line, start, end, verdict in places
    ]
    judged = zip(found.lines, found.statuses, strict=True)
    unread = {line for line, (status, _) in judged if status == "unparsed"} - said.whole.keys()
    found.roles = [
        said.role(number, text, number in unread) if extractions or not text.strip() else _NO_FORMAT
        for number, text in enumerate(document.texts, start=1)
    ]
    return found


class _Said:
    """What the rows and the formats of a document say of each of its lines, and of the characters
    on them.
    """

    def __init__(self, document: Document, extractions: Mapping[str, Extraction]) -> None:
        self.has_formats, self.names = bool(extractions), set[str]()
        self.taken, self.whole, self.stated = (
            dict[int, str](),
            dict[int, Verdict](),
            dict[int, Role](),
        )
        self.ranks, self.conditions = dict[int, int](), set[int]()
        self.places: defaultdict[int, list[Place]] = defaultdict(list)
        for name, extraction in extractions.items():
            self.whole |= extraction.whole
            self.stated |= extraction.roles
            if name != PROSE:
                self.taken |= dict.fromkeys(extraction.lines, name)
            self._add(extraction, name)
        self.cells = _shown_cells(document)

    def _add(self, extraction: Extraction, name: str) -> None:
        for row in extraction.rows:
            line, start, end = row.cell.line, row.cell.start, row.cell.end
            if isinstance(row, ChartValue) and row.printed_value is None:
                # A drawn value is printed nowhere: its row is placed at the label beside it.
                self.places[line].append((_NAMED_PLACE, start, end, _NAME))
            elif isinstance(row, Run) and row.training_time_s is None:
                self.ranks[line] = min(_RANK[Run], self.ranks.get(line, len(_RANK)))
            elif not isinstance(row, Condition) or row.is_printed:
                self._place(
                    type(row), line, start, end, row.dimension if isinstance(row, Condition) else ""
                )
        for columns in extraction.columns:
            dimensions = columns.fields.get("dimension", repeat(""))
            places = zip(columns.lines, columns.starts, columns.texts, dimensions, strict=False)
            for line, start, text, dimension in places:
                if line:
                    self._place(columns.kind, line, start, start + len(text), dimension)
            if name == TABLES and columns.kind is Measurement:
                # The names in the rows distinguish a cell from a condition.
                self.names |= {
                    value for each in _NAMES_OF for value in columns.fields.get(each, ()) if value
                }
        for cell, status, rule in extraction.marks:
            self.places[cell.line].append((_MARK, cell.start, cell.end, (status, rule)))

    def _place(self, kind: type[Row], line: int, start: int, end: int, dimension: str) -> None:
        if kind is Condition:
            self.conditions.add(line)
            self.places[line].append(
                (_NAMED_PLACE, start, end, _NAME if dimension in _NAMED else _CONDITION)
            )
        else:
            self.ranks[line] = min(_RANK[kind], self.ranks.get(line, len(_RANK)))
            self.places[line].append((_OF_ROWS[kind][1], start, end, _OF_ROWS[kind][2]))

    def role(self, number: int, text: str, is_unread: bool) -> Role:
        """The role of a line; `is_unread` is true for one with a numeral that is not accounted for."""
        home = self.taken.get(number)
        if not text.strip():
            return ("table_cell", "blank_cell") if home == TABLES and text else ("blank", "blank")
        if (rank := self.ranks.get(number)) is not None:
            role = _ROLES[rank]
        elif number in self.stated:
            role = self.stated[number]
        elif home:
            role = ("table_cell", "table_row") if home == TABLES else ("prose", home)
        elif len(text) <= _MAX_BOILERPLATE and (match := _BOILERPLATE.fullmatch(text.strip())):
            role = "boilerplate", str(match.lastgroup)
        elif is_heading(Line(number, text)):
            role = "heading", "heading"
        else:
            role = ("condition", "condition") if number in self.conditions else ("prose", "text")
        return ("unparsed", "unread_number") if is_unread and role[0] not in _READ else role

    def of_numerals(
        self, number: int, text: str
    ) -> tuple[Sequence[Span], Sequence[Verdict | None]]:
        """Numerals of a line, and the status of each; None where the sentence around it has to say."""
        cells, places = (
            tuple(sorted(self.cells.get(number, ()))),
            tuple(self.places.get(number, ())),
        )
        if number in self.whole or not self.has_formats:
            spans = _numerals(text, cells)
            return spans, [self.whole.get(number, _NO_FORMAT)] * len(spans)
        if is_table := self.taken.get(number) == TABLES:
            borders = [
                -1,
                *(at for at, sign in enumerate(text) if sign in "\t|\u2502\u2503\u2551"),
                len(text),
            ]
            is_header = self.stated.get(number, _NO_FORMAT)[0] == "table_header"
            for low, high in cells or [(low + 1, high) for low, high in pairwise(borders)]:
                is_name = " ".join(text[low:high].split()) in self.names
                places += (
                    (_CELL, low, high, _HEADING if is_header else _NAME if is_name else _ROW),
                )
        return _judged(text, cells, places, is_table)


def _shown_cells(document: Document) -> dict[int, set[Span]]:
    """The cells of tables that the file format shows, by line."""
    shown: defaultdict[int, set[Span]] = defaultdict(set)
    for grid in document.grids:
        lines, texts = chain.from_iterable(grid.lines), chain.from_iterable(grid.texts)
        for line, start, text in zip(lines, chain.from_iterable(grid.starts), texts, strict=True):
            # A cell on a separate line is the whole line.
            if not grid.has_line_per_cell or document.texts[line - 1].strip() != text:
                shown[line].add((start, start + len(text)))
    return shown


def _numerals(text: str, cells: Sequence[Span]) -> list[Span]:
    """The numerals of a line, each within one cell: `1,234` may be two cells."""
    if not cells:
        return find_numerals(text)
    masked = [" "] * len(text)
    for low, high in cells:
        masked[low:high] = text[low:high]
    return find_numerals("".join(masked))


@lru_cache(_MEMORY)
def _judged(
    text: str, cells: tuple[Span, ...], places: tuple[Place, ...], is_table: bool
) -> tuple[list[Span], list[Verdict | None]]:
    """The numerals of a line, and the status of each by the places it is in; None where these do
    not say.
    """
    spans = _numerals(text, cells)
    # Of places of one kind the first counts.
    found: list[dict[int, Verdict]] = [{} for _ in spans]
    ends = [end for _, end in spans]
    outside = (
        [(_OUTSIDE, *span, verdict) for span, verdict in spans_outside_text(text)] if spans else []
    )
    for what, low, high, verdict in chain(places, outside):
        at = bisect_right(ends, low)
        while at < len(spans) and spans[at][0] < high:
            if what == _VALUE or (low <= spans[at][0] and spans[at][1] <= high):
                found[at].setdefault(what, verdict)
            at += 1
    verdicts: list[Verdict | None] = []
    for said, span in zip(found, spans, strict=True):
        # A mark of a name or a condition counts where nothing else does.
        weak = (
            said.pop(_MARK, None) if said.get(_MARK, ("", ""))[0] in ("condition", "name") else None
        )
        otherwise = _ROW if is_table else status_of_word(text, *span)
        verdicts.append(said[min(said)] if said else otherwise or weak)
    return spans, verdicts


def _statuses_of_prose(
    document: Document, left: Mapping[int, list[Span]], taken: Collection[int]
) -> dict[tuple[int, Span], Verdict]:
    """Status and rule of the numerals that are left, by line and span.

    Args:
        document: The document.
        left: The numerals, by line.
        taken: Lines that other formats than prose have read; each is a separate passage.
    """
    verdicts: dict[tuple[int, Span], Verdict] = {}
    sections = read_sections(document, frozenset(taken)) if left.keys() - taken else ()
    for sentence in chain.from_iterable(section.sentences for section in sections):
        for offset, number, column, length in (
            sentence.pieces if len(sentence.text) <= _MAX_SENTENCE else ()
        ):
            spans = left.get(number, [])
            # A line may hold thousands of sentences: only the numerals from this one's first
            # character on are read.
            for start, end in spans[bisect_left(spans, (column, 0)) :]:
                if end > column + length:
                    break
                verdicts[number, (start, end)] = status_in_text(
                    sentence.plain, start + offset - column, end + offset - column
                )
    for number, spans in left.items():
        unread = [span for span in spans if (number, span) not in verdicts]
        line = plain_text(document.texts[number - 1][:_MAX_SENTENCE] if unread else "")
        for span in unread:
            # So long a line is not prose, and every rule would read it once per number.
            verdicts[number, span] = (
                UNREAD_NUMBER if span[1] > _MAX_SENTENCE else status_in_text(line, *span)
            )
    return verdicts
