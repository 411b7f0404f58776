"""One role per line and one status per numeral of a document, after all its formats have read it.

Rows come first, then what the formats say of their own lines (`Extraction.roles`, `Extraction.marks`), then the rules
for running text in `rules.yml`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, repeat
from typing import cast

import pyarrow as pa

from pipelines.extract.accounting.roles import Roles
from pipelines.extract.accounting.statuses import (
    UNREAD_NUMBER,
    Passage,
    Span,
    Verdict,
    find_numerals,
    spans_outside_text,
    status_of_word,
)
from pipelines.extract.contract import Extraction
from pipelines.extract.prose.sentences import Sentence, read_sections
from pipelines.extract.rows import (
    ChartValue,
    Claim,
    Condition,
    Epoch,
    Measurement,
    Price,
    Reject,
    RowColumns,
    Run,
    Submission,
)
from pipelines.read.document import Document
from pipelines.schemas.tables import TABLES as SCHEMAS
from pipelines.schemas.tables import arrow_schema

TABLES, PROSE = "results_page", "claim_prose"
LINE_LEDGER, NUMERALS = SCHEMAS["audit.line_ledger"], SCHEMAS["audit.numerals"]

_VALUES = {
    Measurement: "measurement",
    Claim: "claim",
    Epoch: "epoch",
    Price: "price",
    Submission: "submission",
}
# Conditions whose numerals are parts of a name: `H100`, `ResNet-50`.
_NAMED = frozenset({"model", "variant", "platform", "framework", "dataset", "suite", "submission_id"})
_NAMES_OF = ("model_printed", "variant_name", "platform_printed", "framework_printed", "dataset_printed")
_NAME: Verdict = ("name", "extracted_name")
_CONDITION: Verdict = ("condition", "extracted_condition")
_ROW: Verdict = ("condition", "table_row")
_HEADING: Verdict = ("condition", "table_heading")
_REJECTED: Verdict = ("unparsed", "rejected")
_NO_FORMAT: Verdict = ("unparsed", "no_format")
# A longer run without a stop is a flattened table or code: the patterns of grammar would cost much and say nothing.
_MAX_SENTENCE = 2000

# What is said of characters: by the row of a value, a reject, a mark of a format, a name or a condition.
_VALUE, _REFUSED, _MARK, _NAMED_PLACE = range(4)
# One of these, first and last character, and the status that they give.
Place = tuple[int, int, int, Verdict]


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
    found: list[tuple[int, str, list[Span], Sequence[Verdict | None]]] = []
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
    in_prose = _statuses_of_prose(document, left, taken)
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


class _Judge:
    """Gives the numerals of each line with the statuses that the line itself, its rows and the marks on it say.

    Running text has to say what is left, which is None here.
    """

    def __init__(self, document: Document, extractions: Mapping[str, Extraction], taken: Mapping[int, str]) -> None:
        self._taken, self._has_formats = taken, bool(extractions)
        self._places = _places(extractions.values())
        tables = extractions.get(TABLES)
        # The names in the rows of tables, by which a cell is told from a condition.
        columns = [part.fields for part in tables.columns if part.kind is Measurement] if tables else []
        self._names = {value for fields in columns for name in _NAMES_OF for value in fields.get(name, ()) if value}
        self._roles: dict[int, tuple[str, str]] = {}
        for extraction in extractions.values():
            self._roles |= extraction.roles
        self._lone, self._cells = _shown_cells(document)
        # What tables repeat is judged once.
        self._judged: dict[tuple[str, tuple[str, str] | None, tuple[Place, ...]], tuple[list[Span], list[Verdict]]] = {}

    def line(self, number: int, text: str) -> tuple[list[Span], Sequence[Verdict | None]]:
        """Numerals of a line, and the status and rule of each."""
        is_table = self._taken.get(number) == TABLES
        if is_table and self._has_formats and number in self._lone:
            key = text, self._roles.get(number), tuple(self._places.get(number, ()))
            if key not in self._judged:
                spans, cell = find_numerals(text), self._cell(text, key[1])
                self._judged[key] = spans, cast(list[Verdict], _statuses(text, spans, key[2], lambda _: cell))
            return self._judged[key]
        cells = sorted(self._cells[number]) if number in self._cells else None
        spans = find_numerals(text if cells is None else _without_separators(text, cells))
        if not spans or not self._has_formats:
            return spans, [_NO_FORMAT] * len(spans)
        places = self._places.get(number, ())
        if not is_table:
            return spans, _statuses(text, spans, places, lambda span: status_of_word(text, *span), in_table=False)
        return spans, _statuses(text, spans, places, self._of_cells(text, self._roles.get(number), cells))

    def _cell(self, text: str, role: tuple[str, str] | None) -> Verdict:
        if role and role[0] == "table_header":
            return _HEADING
        return _NAME if " ".join(text.split()) in self._names else _ROW

    def _of_cells(
        self, text: str, role: tuple[str, str] | None, cells: list[Span] | None
    ) -> Callable[[Span], Verdict | None]:
        """Gives the status of a numeral of a table's line by the cell it stands in."""
        if cells is None:
            borders = [-1, *(at for at, sign in enumerate(text) if sign in "\t|"), len(text)]
            cells = [(low + 1, high) for low, high in pairwise(borders)]
        verdicts = [(low, high, self._cell(text[low:high], role)) for low, high in cells]
        return lambda span: next((said for low, high, said in verdicts if low <= span[0] < high), _ROW)


def _shown_cells(document: Document) -> tuple[set[int], dict[int, set[Span]]]:
    """The lines that are one cell of a table each, and the cells that the file format shows on the others."""
    lone: set[int] = set()
    shown: dict[int, set[Span]] = {}
    for grid in document.grids:
        if grid.has_line_per_cell:
            cells = dict(zip(chain.from_iterable(grid.lines), chain.from_iterable(grid.texts), strict=True))
            if all(document.texts[line - 1].strip() == text for line, text in cells.items()):
                lone |= cells.keys()
                continue
        for row in zip(grid.lines, grid.starts, grid.texts, strict=True):
            for line, start, text in zip(*row, strict=True):
                shown.setdefault(line, set()).add((start, start + len(text)))
    return lone, shown


def _without_separators(text: str, cells: list[Span]) -> str:
    """The text of a line with a blank for each character between its cells: `1,234` may be two cells."""
    masked = [" "] * len(text)
    for low, high in cells:
        masked[low:high] = text[low:high]
    return "".join(masked)


def _statuses(
    text: str,
    spans: Sequence[Span],
    places: Sequence[Place],
    otherwise: Callable[[Span], Verdict | None],
    *,
    in_table: bool = True,
) -> list[Verdict | None]:
    """The status of each numeral of a line; `otherwise` says it where no row, reject or mark does."""
    outside = spans_outside_text(text)
    if not places and not outside:
        return [otherwise(span) for span in spans]
    # A long line may hold thousands of places: only those that begin before a numeral ends are looked at.
    order = sorted(range(len(places)), key=lambda at: places[at][1])
    starts = [places[at][1] for at in order]
    widest = max((high - low for _, low, high, _ in places), default=0)

    def status_of(span: Span) -> Verdict | None:
        near = order[bisect_left(starts, span[0] - widest) : bisect_left(starts, span[1])]
        said: dict[int, Verdict] = {}
        for at in sorted(near):
            kind, low, high, verdict = places[at]
            if (low < span[1] and span[0] < high) if kind == _VALUE else (low <= span[0] and span[1] <= high):
                said.setdefault(kind, verdict)
        if _VALUE in said:
            return said[_VALUE]
        for (low, high), rule in outside:
            if low <= span[0] and span[1] <= high:
                return "ignored", rule
        marked = said.get(_MARK)
        if _REFUSED in said or (marked and marked[0] not in ("condition", "name")):
            return said.get(_REFUSED) or marked
        return said.get(_NAMED_PLACE) or otherwise(span) or (None if in_table else marked)

    return [status_of(span) for span in spans]


def _places(extractions: Iterable[Extraction]) -> dict[int, list[Place]]:
    """What rows, rejects and marks say of the characters of each line, in the order in which they say it."""
    places: defaultdict[int, list[Place]] = defaultdict(list)
    for extraction in extractions:
        for row in extraction.rows:
            kind, verdict = _NAMED_PLACE, _NAME
            if isinstance(row, Condition):
                if not row.is_printed:
                    continue
                verdict = _NAME if row.dimension in _NAMED else _CONDITION
            elif value := _VALUES.get(type(row)):
                kind, verdict = _VALUE, ("extracted", value)
            elif isinstance(row, Reject):
                kind, verdict = _REFUSED, _REJECTED
            elif isinstance(row, Run):
                if row.training_time_s is None:
                    continue
                kind, verdict = _VALUE, ("extracted", "run")
            elif isinstance(row, ChartValue) and row.printed_value is not None:
                kind, verdict = _VALUE, ("extracted", "chart_value")
            places[row.cell.line].append((kind, row.cell.start, row.cell.end, verdict))
        for columns in extraction.columns:
            _place_columns(columns, places)
        for cell, status, rule in extraction.marks:
            places[cell.line].append((_MARK, cell.start, cell.end, (status, rule)))
    return dict(places)


def _place_columns(columns: RowColumns, places: defaultdict[int, list[Place]]) -> None:
    """The same of rows that are columns: measured values, and conditions that are printed."""
    if value := _VALUES.get(columns.kind):
        verdicts: Iterable[tuple[int, Verdict]] = repeat((_VALUE, ("extracted", value)))
    else:
        verdicts = ((_NAMED_PLACE, _NAME if name in _NAMED else _CONDITION) for name in columns.fields["dimension"])
    rows = zip(columns.texts, columns.lines, columns.starts, verdicts, strict=False)
    for text, line, start, (kind, verdict) in rows:
        if line:
            places[line].append((kind, start, start + len(text), verdict))


# Numerals that no format accounts for, judged within their sentences


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
    blocks = _blocks_around(document, [number for number in left if number not in taken], taken)
    others = {line.number for line in document.lines} - blocks if blocks else set()
    for section in read_sections(document, others) if blocks else ():
        for sentence in section.sentences:
            if len(sentence.text) <= _MAX_SENTENCE:
                _judge(sentence, left, verdicts)
    for number, spans in left.items():
        passage: Passage | None = None
        for span in spans:
            if (number, span) not in verdicts:
                if span[1] > _MAX_SENTENCE:
                    # Grammar says nothing in so long a line, and every rule would read it once for each number.
                    verdicts[number, span] = UNREAD_NUMBER
                    continue
                passage = passage or Passage(document.line(number).text[:_MAX_SENTENCE])
                verdicts[number, span] = passage.status(*span)
    return verdicts


def _judge(sentence: Sentence, left: Mapping[int, list[Span]], verdicts: dict[tuple[int, Span], Verdict]) -> None:
    passage: Passage | None = None
    for offset, number, column, length in sentence.pieces:
        spans = left.get(number, [])
        # A line may hold thousands of sentences: only the numerals from this one's first character on are looked at.
        for at in range(bisect_left(spans, (column, 0)), len(spans)):
            start, end = spans[at]
            if end > column + length:
                break
            passage = passage or Passage(sentence.text)
            verdicts[number, (start, end)] = passage.status(start + offset - column, end + offset - column)


def _blocks_around(document: Document, numbers: Collection[int], taken: Collection[int]) -> set[int]:
    """The lines of the blocks, between blank or taken lines, in which these lines stand."""
    found: set[int] = set()
    for number in numbers:
        for step in (-1, 1):
            at = number
            while 1 <= at <= len(document.lines) and at not in taken and not document.line(at).is_blank:
                if at in found and at != number:
                    break
                found.add(at)
                at += step
    return found


# The accounting as the tables `audit.line_ledger` and `audit.numerals`, column by column


def line_ledger(documents: Iterable[tuple[str, Accounting]]) -> pa.Table:
    """One row per line of these documents, given as (document_id, accounting)."""
    return _table(arrow_schema(LINE_LEDGER), documents, lambda each: (range(1, len(each.roles) + 1), *_two(each.roles)))


def numerals(documents: Iterable[tuple[str, Accounting]]) -> pa.Table:
    """One row per numeral of these documents, given as (document_id, accounting)."""
    return _table(
        arrow_schema(NUMERALS),
        documents,
        lambda each: (each.lines, each.starts, each.ends, each.texts, *_two(each.statuses)),
    )


def _two(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [first for first, _ in pairs], [second for _, second in pairs]


def _table(
    schema: pa.Schema,
    documents: Iterable[tuple[str, Accounting]],
    columns_of: Callable[[Accounting], Sequence[Sequence[int | str]]],
) -> pa.Table:
    parts = []
    for document_id, accounting in documents:
        columns = columns_of(accounting)
        arrays = [pa.array(column, each.type) for column, each in zip(columns, list(schema)[1:], strict=True)]
        parts.append(pa.table([pa.repeat(document_id, len(columns[0])), *arrays], schema=schema))
    return pa.concat_tables(parts) if parts else schema.empty_table()
