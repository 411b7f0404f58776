"""A mapping laid on the tables of a document: measured numbers with their conditions, and what is refused.

Nothing is inferred. A table is read where exactly one entry claims it; a cell is what the entry says, or it is refused.
Columns are read as columns: each distinct text of one is understood once. What becomes of the numbers belongs in
`measurements.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import repeat
from math import prod
from typing import NamedTuple

from pipelines.extract.tables.entries import Column, Rules
from pipelines.extract.tables.mapping import METRIC, STATISTIC, TEMPLATE, UNIT, UNPRINTED, VALUE, MetricKind, Spec
from pipelines.extract.tables.patterns import Compiled, compiled, plain
from pipelines.extract.tables.printed import Passage, Table, fold
from pipelines.extract.mentions import typed
from pipelines.extract.rows import Level
from pipelines.read.document import Cell, Document
from pipelines.values.durations import parse_duration
from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity, decimal_product
from pipelines.vocabulary.dimensions import Identity, Type, dimensions, identity_of
from pipelines.vocabulary.lookup import Kind, find, load
from pipelines.vocabulary.units import Measure, measure_of

# What is stated of a number: value, level, printed characters with line and first character; line 0 where nothing is
# printed, as of a constant.
Statement = tuple[str, Level, str, int, int]
# `~12.3`, `>60`, `54,784 images/s`, `$1.5`
_MEASURED = re.compile(
    rf"(?P<bound>[~<>\u2248\u2264\u2265]=?\s*)?(?P<currency>(?:US)?\$\s?)?(?P<number>[-\u2212+]?{NUMBER})\s*(?P<unit>[^\d\s].*)?"
)
# Rows in which the headings are looked for.
_HEADER_SEARCHED = 4
_SHOWN, _LISTED = 60, 8


@dataclass(frozen=True, slots=True)
class Refusal:
    """What of a table is not read.

    Attributes:
        rule: Short name of what is wrong, as in `audit.rejects`.
        reason: The sentence a user reads.
        cell: Where it is.
        scope: `table`, `row` or `note`.
        texts: The cells of a row that is refused.
    """

    rule: str
    reason: str
    cell: Cell
    scope: str = "table"
    texts: tuple[str, ...] = ()


class _TableError(Exception):
    """Why a whole table is refused: rule, reason, and a cell that shows it."""

    def __init__(self, rule: str, reason: str, cell: Cell | None = None) -> None:
        super().__init__(reason)
        self.rule, self.reason, self.cell = rule, reason, cell


@dataclass
class Block:
    """Numbers of one column that are read one way.

    Attributes:
        table: Their table.
        heading: Heading of the column.
        metric: What they measure.
        unit: Canonical unit of the metric.
        item: What is counted, or None.
        unit_printed: The unit as printed beside them or in the heading, else as the mapping writes it.
        statistic: Which of many measurements they are, or None.
        higher_is_better: Whether more is a gain, of a metric that only the mapping knows.
        rows: Row of each in the table.
        values: Each in the canonical unit.
        cells: Characters of each: text, line, first character.
        conditions: What is stated of each, by dimension; one `Statement` for all of them, or a list.
        ignored: Columns of the table that the mapping leaves out.
    """

    table: Table
    heading: str
    metric: str
    unit: str
    item: str | None
    unit_printed: str
    statistic: str | None
    higher_is_better: bool | None
    rows: list[int]
    values: list[Quantity]
    cells: list[tuple[str, int, int]]
    conditions: dict[str, Statement | list[Statement | None]] = field(default_factory=dict)
    ignored: Sequence[int] = ()

    def column(self, name: str) -> Iterator[Statement | None]:
        """What is stated of a dimension, number by number."""
        stated = self.conditions.get(name)
        return iter(stated) if isinstance(stated, list) else repeat(stated, len(self.rows))

    def values_of(self, name: str) -> list[str | None]:
        """The values of a dimension, number by number."""
        stated = self.conditions.get(name)
        if isinstance(stated, list):
            return [one[0] if one else None for one in stated]
        return [stated[0] if stated else None] * len(self.rows)


@dataclass
class Result:
    """What a mapping makes of a document.

    Attributes:
        blocks: The numbers that are read.
        refusals: What is refused.
        tables: Every table of the document, in order.
        claims: The entry that reads each table, in their order; None where it is refused or not named.
        headings: Printed parts of the headings of each table that is read, by its place in `tables`.
        refused: The rule by which the numbers of a table are not read, by its place.
    """

    tables: Sequence[Table]
    blocks: list[Block] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    claims: list[Rules | None] = field(default_factory=list)
    headings: dict[int, list[Heading]] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)


def apply(document: Document, tables: Sequence[Table], entries: Sequence[Rules]) -> Result:
    """The numbers of all tables that the entries claim.

    Args:
        document: The document.
        tables: Its tables, those that the `rows` of the entries have found among them.
        entries: The mapping of its source.
    """
    result, used = Result(tables), set[int]()
    printed = PrintedWords(document)
    below: dict[tuple[int, int], int] = {}
    for number, table in enumerate(tables):
        claims, nearly = _claims(table, entries, below)
        used |= {rules.line for rules, _ in claims}
        rules, binding = claims[0] if len(claims) == 1 else (None, None)
        result.claims.append(rules)
        if rules is None:
            if table.holds_numbers or claims:
                rule, reason = _unclaimed(claims, nearly)
                result.refused[number] = rule
                result.refusals.append(Refusal(rule, _counted(table, reason), _first_cell(table)))
            continue
        if rules.entry.skip:
            continue
        if table.heading is None:
            table.heading = _section_of(table, rules)
        reader = _TableReader(rules, table, binding or _Binding(0, []), printed)
        try:
            blocks = list(reader.blocks())
        except _TableError as error:
            result.refused[number] = error.rule
            result.refusals.append(
                Refusal(error.rule, _counted(table, error.reason), error.cell or _first_cell(table))
            )
            continue
        result.headings[number] = reader.headings
        result.blocks += blocks
        result.refusals += reader.refusals
    gone = [rules for rules in entries if rules.line not in used]
    for rules in gone:
        reason = f"no table of the document is as line {rules.line} of the mapping says"
        result.refusals.append(Refusal("section_gone", f"{reason}{_looked_for(rules)}", Cell("", 1, 0, 0)))
    refuse_ambiguous(result)
    return result


def _looked_for(rules: Rules) -> str:
    words = [f"section {text!r}" for text in rules.entry.section]
    words += [f"heading {column.written!r}" for column in rules.columns if column.is_own]
    return f" ({', '.join(words[:_LISTED])})" if words else ""


def _counted(table: Table, reason: str) -> str:
    """A reason with the headings of the table and how many numbers it holds."""
    headings = next((row for n, row in enumerate(table.texts) if not table.is_rule(n) and len(set(row)) > 1), ())
    names = ", ".join(repr(text[:_SHOWN]) for text in dict.fromkeys(headings) if text)
    count = sum(1 for row in table.texts[1:] for text in row if _MEASURED.fullmatch(text))
    return f"{reason}. The table has {count} numbers below {names or 'no headings'}"


def _first_cell(table: Table) -> Cell:
    places = ((r, c) for r, row in enumerate(table.texts) for c, text in enumerate(row) if text)
    return next((table.cell(*place) for place in places), Cell("", table.first_line, 0, 0))


# Which entry claims a table


def _claims(
    table: Table, entries: Sequence[Rules], below: dict[tuple[int, int], int]
) -> tuple[list[tuple[Rules, _Binding | None]], list[tuple[Rules, str]]]:
    """The entries whose section and headings a table has, and those that only its headings keep from it."""
    claims: list[tuple[Rules, _Binding | None]] = []
    nearly: list[tuple[Rules, str]] = []
    below_section: Passage | None = None
    for rules in entries:
        if (rules.rows is not None or table.rows_of is not None) and rules.line != table.rows_of:
            continue
        if rules.sections and (below_section := _section_of(table, rules)) is None:
            continue
        binding = _bind(rules, table)
        if isinstance(binding, str):
            nearly.append((rules, binding))
            continue
        if nth := rules.entry.nth:
            # Tables below one heading are counted among those that the entry could read.
            place = rules.line, below_section.pieces[0].line if below_section else 0
            below[place] = below.get(place, 0) + 1
            if below[place] != nth:
                continue
        claims.append((rules, binding))
    return claims, nearly


def _unclaimed(claims: Sequence[tuple[Rules, object]], nearly: Sequence[tuple[Rules, str]]) -> tuple[str, str]:
    if claims:
        lines = " and ".join(str(rules.line) for rules, _ in claims)
        return "claimed_twice", f"the entries of lines {lines} of the mapping both claim this table: tell them apart by `section`"
    if nearly:
        reasons = "; ".join(f"line {rules.line}: {reason}" for rules, reason in nearly[:_LISTED])
        return "schema_drift", f"no entry of the mapping claims this table ({reasons})"
    return "no_mapping", "the mapping does not say what this table means; `benchledger map SOURCE` shows it"


def _section_of(table: Table, rules: Rules) -> Passage | None:
    """The nearest text above a table that an entry names."""
    return next((passage for passage in table.near if any(_fits(passage, one) for one in rules.sections)), None)


def _fits(passage: Passage, section: str | Compiled) -> bool:
    if isinstance(section, str):
        return fold(passage.text) == section
    return section.search(plain(passage.text)) is not None


@dataclass
class Heading:
    """A heading: its printed parts from top to bottom, each once, and what the mapping says of it."""

    parts: list[Cell]
    column: Column | None = None
    groups: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        """The parts, joined by blanks."""
        return " ".join(part.text for part in self.parts)

    def part(self, start: int, end: int) -> Cell:
        """The characters of the text `start`..`end`, where they are printed."""
        return Passage(tuple(self.parts), "heading").cell(start, end)


@dataclass(frozen=True)
class _Binding:
    """The row below the headings of a table, and its headings."""

    first: int
    headings: list[Heading]


def _bind(rules: Rules, table: Table) -> _Binding | str:
    """Where the headings of an entry are; a sentence where they are not."""
    if rules.entry.skip and not rules.columns:
        return _Binding(0, [])
    missing: list[str] | None = None
    best: tuple[int, _Binding] | None = None
    for last in range(min(_HEADER_SEARCHED, len(table.texts))):
        for first in (last, 0) if last else (0,):
            headings = _headings(table, first, last)
            lacking = _declare(rules, headings)
            if lacking:
                missing = lacking if missing is None or len(lacking) < len(missing) else missing
                continue
            if not rules.entry.skip and not rules.rows and not any(h.column and h.column.is_value for h in headings):
                continue
            unnamed = sum(1 for heading in headings if heading.parts and heading.column is None)
            if best is None or unnamed < best[0]:
                best = unnamed, _Binding(last + 1, headings)
    if best:
        return best[1]
    if missing is None:
        return "no heading is that of a measured column"
    return f"it has no heading {', '.join(map(repr, missing[:_LISTED]))}"


def _headings(table: Table, first: int, last: int) -> list[Heading]:
    rows = [row for row in range(first, last + 1) if not table.is_rule(row)]
    width = max((len(table.texts[row]) for row in rows), default=0)
    headings = []
    for column in range(width):
        parts: list[Cell] = []
        for row in rows:
            text = table.texts[row][column] if column < len(table.texts[row]) else ""
            if text and text not in (part.text for part in parts):
                parts.append(table.cell(row, column))
        headings.append(Heading(parts))
    return headings


def _declare(rules: Rules, headings: Sequence[Heading]) -> list[str]:
    """Say of each heading what the entry says; gives the declared ones that are not there."""
    found = set[str]()
    for heading in headings:
        text = plain(heading.text)
        for column in rules.columns:
            if column.pattern is None:
                if fold(heading.text) != column.heading or heading.column is not None:
                    continue
                heading.column = column
            elif heading.column is None or (heading.column.pattern is not None and heading.column.is_own == column.is_own):
                spans = column.pattern.fullmatch(text)
                if spans is None:
                    continue
                if heading.column is not None:
                    heading.column = Column(f"{heading.column.written} and {column.written}", None, None, (), is_own=False)
                    heading.groups = {"": (0, 0)}
                else:
                    heading.column = column
                    heading.groups = spans
            if heading.column is column:
                found.add(column.written)
    return [column.written for column in rules.columns if column.is_own and column.written not in found]


# The cells of a table


@dataclass
class _Cells:
    """A column below its heading: text, line and first character of each cell."""

    texts: list[str]
    lines: list[int]
    starts: list[int]


class _TableReader:
    """Reads one table as its entry says."""

    def __init__(self, rules: Rules, table: Table, binding: _Binding, printed: PrintedWords) -> None:
        self.rules, self.table, self.headings = rules, table, binding.headings
        self.refusals: list[Refusal] = []
        self._printed, self._first = printed, binding.first
        self._rows: list[int] = []
        self._titles: list[dict[str, Statement]] = []
        self._ignored: list[int] = []

    def blocks(self) -> Iterator[Block]:
        """The numbers of all columns.

        Raises:
            _TableError: The table cannot be read as the entry says.
        """
        self._check_headings()
        for name, text in self.rules.claims:
            if not self._printed.holds(name, text):
                raise _TableError(
                    "not_printed",
                    f"the mapping says {name} {text!r}, which the document does not print; write `!{text}` to say it all the same",
                )
        shared = self._shared()
        self._find_rows()
        cells = self._columns()
        stated = self._row_conditions(cells)
        conditions: dict[str, Statement | list[Statement | None]] = dict(shared)
        for name in {name for title in self._titles for name in title}:
            conditions[name] = _over([title.get(name) for title in self._titles], conditions.get(name))
        for name, column in stated.items():
            conditions[name] = _over(column, conditions.get(name))
        # Of a quality counts what its own row says, of what holds for the whole table only what may be lent.
        near = {name: _over(column, None) for name, column in stated.items()}
        for name in {name for title in self._titles for name in title}:
            near[name] = _over(near.get(name, []) or [None] * len(self._rows), [t.get(name) for t in self._titles])
        self._state_where(conditions)
        for heading, column in zip(self.headings, cells, strict=True):
            if heading.column is not None and heading.column.is_value:
                yield from self._values(heading, column, conditions, near)

    def _check_headings(self) -> None:
        unnamed, twice = [], []
        for number, heading in enumerate(self.headings):
            if heading.column is None:
                if heading.parts or any(number < len(row) and row[number] for row in self.table.texts[self._first :]):
                    unnamed.append(heading.text)
                    self._ignored.append(number)
            elif "" in heading.groups:
                twice.append(f"{heading.text!r} fits {heading.column.written}")
            elif not heading.column.specs:
                self._ignored.append(number)
        if twice:
            raise _TableError("claimed_twice", f"two patterns fit one heading: {'; '.join(twice)}")
        if unnamed and not self.rules.ignores_others and self.rules.rows is None:
            names = ", ".join(map(repr, unnamed[:_LISTED]))
            raise _TableError("schema_drift", f"the mapping does not say what the columns {names} are")

    def _shared(self) -> dict[str, Statement]:
        """What holds for the whole table: constants, then what the texts around it state."""
        shared: dict[str, Statement] = {}
        for part in self.rules.constants:
            if not part.where:
                shared |= self._constants(part.constants)
        around = ((self.rules.headings, self._above), (self.rules.below, lambda: iter(self.table.below)))
        for patterns, passages in around:
            for text in reversed(patterns):
                shared |= self._stated_by(text, passages)
        return shared

    def _above(self) -> Iterator[Passage]:
        # Rows of one text above the headings are titles of the table.
        for row in range(self._first - 2, -1, -1):
            texts = {text for text in self.table.texts[row] if text}
            if len(texts) == 1 and not self.table.is_rule(row):
                at = next(n for n, text in enumerate(self.table.texts[row]) if text)
                yield Passage((self.table.cell(row, at),), "caption")
        yield from self.table.near
        yield from self.table.far()

    def _stated_by(self, text: str, passages: Callable[[], Iterator[Passage]]) -> dict[str, Statement]:
        pattern = compiled(text)
        for passage in passages():
            if (spans := pattern.search(plain(passage.text))) is not None:
                found = {}
                for name, span in spans.items():
                    cell = passage.cell(*span)
                    words = passage.text[slice(*span)]
                    found[name] = self._statement(name, words, passage.level, cell.text, cell.line, cell.start)
                return found
        raise _TableError("not_stated", f"no text around the table is as {text!r} says")

    def _find_rows(self) -> None:
        """The rows below the headings that hold cells, and the titles over them."""
        table, width = self.table, len(self.headings)
        title: dict[str, Statement] = {}
        headings = table.texts[self._first - 1] if self._first else ()
        for number in range(self._first, len(table.texts)):
            row = table.texts[number]
            filled = [at for at, text in enumerate(row) if text]
            if not filled or row == headings or table.is_rule(number):
                continue
            places = {(table.lines[number][at], table.starts[number][at]) for at in filled}
            if len(places) == 1 and width > 1:
                cell = table.cell(number, filled[0])
                said = self._said(self.rules.titles, cell.text) if self.rules.titles else None
                if said:
                    title = {
                        name: self._statement(name, text, "row_title", text, cell.line, cell.start + start)
                        for name, (text, start) in said.items()
                    }
                    continue
                if self.rules.titles or len(row) != width:
                    if cell.text not in self.rules.missing and not _is_note(cell.text):
                        self._refuse_row(number, "row_does_not_fit", f"{cell.text[:_SHOWN]!r} is alone in its row")
                    continue
            if len(row) != width and (any(row[width:]) or len(row) < width):
                self._refuse_row(number, "row_does_not_fit", f"it has {len(row)} cells, and the table {width} headings")
                continue
            self._rows.append(number)
            self._titles.append(title)

    def _refuse_row(self, number: int, rule: str, reason: str) -> None:
        at = next((n for n, text in enumerate(self.table.texts[number]) if text), 0)
        cell = self.table.cell(number, at)
        self.refusals.append(Refusal(rule, reason, cell, "row", tuple(self.table.texts[number])))

    def _columns(self) -> list[_Cells]:
        width, table = len(self.headings), self.table
        columns = []
        for at in range(width):
            columns.append(
                _Cells(
                    [table.texts[row][at] for row in self._rows],
                    [table.lines[row][at] for row in self._rows],
                    [table.starts[row][at] for row in self._rows],
                )
            )
        return columns

    def _row_conditions(self, cells: Sequence[_Cells]) -> dict[str, list[Statement | None]]:
        """What the columns of conditions state of each row."""
        stated: dict[str, list[Statement | None]] = {}
        by: dict[str, str] = {}
        bad: dict[int, tuple[str, Cell]] = {}
        for heading, column in zip(self.headings, cells, strict=True):
            if heading.column is None or not heading.column.specs or heading.column.is_value:
                continue
            own = self._of_heading(heading)
            for name, found in self._column_statements(heading, column, bad).items():
                if name in stated:
                    if any(a and b for a, b in zip(stated[name], found, strict=True)):
                        raise _TableError("stated_twice", f"{by[name]!r} and {heading.text!r} both state `{name}`")
                    found = _over(found, stated[name])
                stated[name], by[name] = found, heading.text
            for name, statement in own.items():
                stated[name] = _over(stated.get(name) or [None] * len(self._rows), statement)
        for name in self.rules.fill_down & stated.keys():
            last: Statement | None = None
            stated[name] = [last := one or last for one in stated[name]]
        if bad:
            self._drop_rows(bad, cells, stated)
        return stated

    def _column_statements(
        self, heading: Heading, column: _Cells, bad: dict[int, tuple[str, Cell]]
    ) -> dict[str, list[Statement | None]]:
        assert heading.column is not None
        known: dict[str, dict[str, tuple[str, str, int]]] = {}
        faults: dict[str, str] = {}
        for text in set(column.texts):
            if " ".join(text.split()) in self.rules.missing:
                known[text] = {}
                continue
            said: dict[str, tuple[str, str, int]] | None = None
            for spec in heading.column.specs:
                try:
                    if (found := self._said(spec, text)) is not None:
                        said = {n: (self._value(n, part), part, start) for n, (part, start) in found.items()}
                        said |= {n: (self._value(n, v.removeprefix(UNPRINTED)), "", -1) for n, v in spec.constants.items()}
                        break
                except ValueError as error:
                    faults[text] = str(error)
                    break
            else:
                faults[text] = f"{text[:_SHOWN]!r} is not as the mapping says of {heading.text!r}"
            known[text] = said or {}
        if faults:
            for number, text in enumerate(column.texts):
                if text in faults:
                    cell = Cell(text, column.lines[number], column.starts[number], column.starts[number] + len(text))
                    bad.setdefault(number, (faults[text], cell))
        names = {name for said in known.values() for name in said}
        found: dict[str, list[Statement | None]] = {}
        for name in names:
            of_text = {text: said.get(name) for text, said in known.items()}
            found[name] = [
                None if (one := of_text[text]) is None
                else (one[0], "row", one[1], line, start + one[2]) if one[2] >= 0
                else (one[0], "mapping", "", 0, 0)
                for text, line, start in zip(column.texts, column.lines, column.starts, strict=True)
            ]  # fmt: skip
        return found

    def _drop_rows(
        self, bad: Mapping[int, tuple[str, Cell]], cells: Sequence[_Cells], stated: dict[str, list[Statement | None]]
    ) -> None:
        """Refuse the rows of which a condition cannot be read: what their numbers are of is not known."""
        for number, (reason, cell) in bad.items():
            row = tuple(self.table.texts[self._rows[number]])
            self.refusals.append(Refusal("unread_condition", reason, cell, "row", row))
        kept = [number for number in range(len(self._rows)) if number not in bad]
        self._rows = [self._rows[number] for number in kept]
        self._titles = [self._titles[number] for number in kept]
        for column in cells:
            column.texts = [column.texts[number] for number in kept]
            column.lines = [column.lines[number] for number in kept]
            column.starts = [column.starts[number] for number in kept]
        for name, found in stated.items():
            stated[name] = [found[number] for number in kept]

    def _state_where(self, conditions: dict[str, Statement | list[Statement | None]]) -> None:
        """Add the constants that hold for rows of certain conditions."""
        for part in self.rules.constants:
            if part.where:
                holds = self._where(part.where, conditions)
                for name, statement in self._constants(part.constants).items():
                    conditions[name] = _over([statement if h else None for h in holds], conditions.get(name))

    def _where(
        self, where: Mapping[str, str], conditions: Mapping[str, Statement | list[Statement | None]]
    ) -> list[bool]:
        holds = [True] * len(self._rows)
        for name, wanted in where.items():
            folded = {fold(wanted), fold(self._value(name, wanted))}
            stated = conditions.get(name)
            column = stated if isinstance(stated, list) else [stated] * len(self._rows)
            holds = [h and one is not None and fold(one[0]) in folded for h, one in zip(holds, column, strict=True)]
        return holds

    def _said(self, spec: Spec, text: str) -> dict[str, tuple[str, int]] | None:
        """The texts of a cell that state something, each with its first character; None where the spec does not fit."""
        if spec.match is None:
            return {spec.field: (text, 0)} if spec.field not in (None, VALUE) else {}  # type: ignore[dict-item]
        spans = compiled(spec.match).fullmatch(plain(text))
        if spans is None:
            return None
        said = {name: (text[start:end], start) for name, (start, end) in spans.items() if name != VALUE}
        if spec.field not in (None, VALUE):
            said[str(spec.field)] = text, 0
        return said

    def _of_heading(self, heading: Heading) -> dict[str, Statement]:
        """What the pattern of a heading has captured."""
        found = {}
        for name, span in heading.groups.items():
            cell = heading.part(*span)
            found[name] = self._statement(
                name, heading.text[slice(*span)], "column_heading", cell.text, cell.line, cell.start
            )
        return found

    def _constants(self, constants: Mapping[str, str]) -> dict[str, Statement]:
        return {
            name: (self._value(name, value.removeprefix(UNPRINTED)), "mapping", "", 0, 0)
            for name, value in constants.items()
            if not TEMPLATE.search(value)
        }

    def _statement(self, name: str, text: str, level: Level, printed: str, line: int, start: int) -> Statement:
        try:
            return self._value(name, text), level, printed, line, start
        except ValueError as error:
            raise _TableError("unread_condition", str(error), Cell(printed, line, start, start + len(printed))) from error

    def _value(self, name: str, text: str) -> str:
        """The value of a dimension that is printed so.

        Raises:
            ValueError: It is none.
        """
        words = " ".join(text.split())
        named = self.rules.names.get(name, {}).get(fold(words))
        return read_condition(name, words if named is None else named.removeprefix(UNPRINTED))

    # Measured columns

    def _values(
        self,
        heading: Heading,
        column: _Cells,
        conditions: Mapping[str, Statement | list[Statement | None]],
        near: Mapping[str, list[Statement | None]],
    ) -> Iterator[Block]:
        """One block for each way to read the cells of a column; a cell that none reads is refused."""
        assert heading.column is not None
        of_heading = self._of_heading(heading)
        left = [" ".join(text.split()) not in self.rules.missing for text in column.texts]
        spanned = {number for number, row in enumerate(self._rows) if (row, self.headings.index(heading)) in self.table.spans}
        for spec in heading.column.specs:
            if not spec.is_value:
                continue
            rows = [number for number, is_left in enumerate(left) if is_left and number not in spanned]
            if spec.where:
                holds = self._where(spec.where, conditions)
                rows = [number for number in rows if holds[number]]
            for kind, numbers in self._kinds(spec, heading, of_heading, conditions, rows).items():
                for block, read in self._blocks(spec, heading, column, numbers, kind, of_heading, conditions, near):
                    for number in read:
                        left[number] = False
                    yield block
        for number, is_left in enumerate(left):
            if is_left:
                text = column.texts[number]
                cell = Cell(text, column.lines[number], column.starts[number], column.starts[number] + len(text))
                row = tuple(self.table.texts[self._rows[number]])
                spans = " over several rows or columns" if number in spanned else ""
                reason = f"{text[:_SHOWN]!r}{spans} below {heading.text!r} is no number as the mapping says"
                self.refusals.append(Refusal("unread_value", reason, cell, "row", row))

    def _kinds(
        self,
        spec: Spec,
        heading: Heading,
        of_heading: Mapping[str, Statement],
        conditions: Mapping[str, Statement | list[Statement | None]],
        rows: Sequence[int],
    ) -> dict[tuple[str, str, str | None], list[int]]:
        """Rows by what is measured in them: metric, unit as given, statistic."""
        parts = []
        for name, own in ((METRIC, spec.metric), (UNIT, spec.unit), (STATISTIC, spec.statistic)):
            stated = of_heading.get(name) or conditions.get(name)
            groups = {n: one[0] for n, one in of_heading.items()}
            if own is not None:
                # A unit that the row prints is nearer than that of the column.
                nearer = stated if name == UNIT and isinstance(stated, list) else None
                given = _filled(own, groups)
                parts.append([one[0] if nearer and (one := nearer[number]) else given for number in rows])
            elif isinstance(stated, list):
                parts.append([one[0] if (one := stated[number]) else None for number in rows])
            else:
                parts.append([stated[0] if stated else None] * len(rows))
        kinds: dict[tuple[str, str, str | None], list[int]] = {}
        for number, metric, unit, statistic in zip(rows, *parts, strict=True):
            if metric is None:
                raise _TableError("no_metric", f"nothing says what {heading.text!r} measures", self._cell_of(heading))
            kinds.setdefault((metric, unit or "", statistic), []).append(number)
        return kinds

    def _cell_of(self, heading: Heading) -> Cell | None:
        return heading.parts[0] if heading.parts else None

    def _measures(
        self, heading: Heading, metric: str, unit: str
    ) -> tuple[str, str, MetricKind, Measure, Measure]:
        """Metric, its canonical unit and kind, and what its unit and that of the cells measure."""
        known = self.rules.mapping.metric(metric)
        if known is None:
            if (entry := find("metrics", metric)) is None:
                reason = f"{metric!r} is no metric: say under `names` or `metrics` what it is"
                raise _TableError("unknown_metric", reason, self._cell_of(heading))
            metric = entry.name
            known = self.rules.mapping.metric(metric)
        assert known is not None
        canonical, kind = known
        wanted = measure_of(canonical) or Measure(canonical, 1.0)
        measure = measure_of(unit) if unit else wanted if canonical not in _NEEDS_UNIT else None
        if measure is None or not measure.converts_to(wanted):
            said = f"{unit!r}" if unit else "no unit"
            reason = f"{heading.text!r} has {said}, and {metric} is measured in {canonical}"
            raise _TableError("no_unit", reason, self._cell_of(heading))
        return metric, canonical, kind, measure, wanted

    def _blocks(
        self,
        spec: Spec,
        heading: Heading,
        column: _Cells,
        rows: Sequence[int],
        kind: tuple[str, str, str | None],
        of_heading: Mapping[str, Statement],
        conditions: Mapping[str, Statement | list[Statement | None]],
        near: Mapping[str, list[Statement | None]],
    ) -> Iterator[tuple[Block, list[int]]]:
        """The numbers of one kind in a column by the unit that their cells print, each with its rows."""
        _, unit, statistic = kind
        metric, canonical, metric_kind, measure, wanted = self._measures(heading, *kind[:2])
        known: dict[str, _Number | None] = {}
        said: dict[str, dict[str, tuple[str, int]]] = {}
        by_unit: dict[tuple[str | None, str | None], list[int]] = {}
        for number in rows:
            text = column.texts[number]
            if text not in known:
                known[text] = self._measured(spec, text, unit, measure, wanted, said)
            if one := known[text]:
                by_unit.setdefault((one.unit, one.item), []).append(number)
        for (own_unit, item), kept in by_unit.items():
            found = [one for number in kept if (one := known[column.texts[number]])]
            block = Block(
                self.table, heading.text, metric, canonical, item, own_unit or unit, statistic, self._is_gain(metric),
                [self._rows[number] for number in kept],
                [one.quantity for one in found],
                [(one.text, column.lines[n], column.starts[n] + one.start) for n, one in zip(kept, found, strict=True)],
                ignored=self._ignored,
            )  # fmt: skip
            block.conditions = self._conditions_of(spec, metric_kind, kept, of_heading, conditions, near)
            self._state_unit(block, heading, unit, own_unit, measure, found)
            if statistic and STATISTIC not in block.conditions:
                block.conditions[STATISTIC] = _statistic_in(heading, statistic)
            for name in {name for texts in said.values() for name in texts}:
                own: list[Statement | None] = []
                for number in kept:
                    part = said.get(column.texts[number], {}).get(name)
                    place = column.lines[number], column.starts[number] + (part[1] if part else 0)
                    own.append(self._statement(name, part[0], "cell", part[0], *place) if part else None)
                block.conditions[name] = _over(own, block.conditions.get(name))
            self._fill_templates(block, spec)
            yield block, kept

    def _is_gain(self, metric: str) -> bool | None:
        declared = self.rules.mapping.metrics.get(metric)
        return declared.higher_is_better if declared else None

    def _state_unit(
        self, block: Block, heading: Heading, unit: str, own_unit: str | None, measure: Measure, found: Sequence[_Number]
    ) -> None:
        """Say where the unit is printed: in the cells, in a column of units, in the heading, or nowhere."""
        stated = block.conditions.get(UNIT)
        if own_unit:
            places = [(line, start + one.unit_at) for (_, line, start), one in zip(block.cells, found, strict=True)]
            block.conditions[UNIT] = [(own_unit, "cell", own_unit, *place) for place in places]
        elif own_unit is None:
            # A time in parts prints its units itself.
            block.conditions.pop(UNIT, None)
            block.unit_printed = ""
        elif isinstance(stated, list) and all(stated):
            block.unit_printed = unit
        elif (cell := unit_in(heading.parts, unit, measure)):
            block.conditions[UNIT] = cell.text, "column_heading", cell.text, cell.line, cell.start
            block.unit_printed = cell.text
        else:
            block.conditions.pop(UNIT, None)
            if unit:
                block.conditions[UNIT] = unit, "mapping", "", 0, 0

    def _conditions_of(
        self,
        spec: Spec,
        metric_kind: str,
        kept: Sequence[int],
        of_heading: Mapping[str, Statement],
        conditions: Mapping[str, Statement | list[Statement | None]],
        near: Mapping[str, list[Statement | None]],
    ) -> dict[str, Statement | list[Statement | None]]:
        """What holds for some rows of a column; what a quality is not lent is left out."""
        found: dict[str, Statement | list[Statement | None]] = {}
        for name, stated in conditions.items():
            if not self._is_lent(name, metric_kind, spec):
                if name in near:
                    found[name] = [near[name][number] for number in kept]
                continue
            found[name] = [stated[number] for number in kept] if isinstance(stated, list) else stated
        found |= self._constants(spec.constants)
        found |= of_heading
        return {name: stated for name, stated in found.items() if name != METRIC}

    def _is_lent(self, name: str, metric_kind: str, spec: Spec) -> bool:
        """Whether a condition of the whole table holds for numbers of this kind."""
        if name in spec.from_entry:
            return True
        known = dimensions().get(name)
        if metric_kind == "quality":
            return known is None or known.is_lent
        return not (name == "dataset" and self.rules.has_quality)

    def _measured(
        self, spec: Spec, text: str, unit: str, measure: Measure, wanted: Measure, said: dict[str, dict[str, tuple[str, int]]]
    ) -> tuple[Quantity, str, int, Measure, str | None] | None:
        """The number of a cell in the canonical unit with its characters; None where the cell is not as the spec says."""
        inner, at = text, 0
        if spec.match:
            pattern = compiled(spec.match)
            spans = pattern.fullmatch(plain(text))
            if spans is None or (VALUE in pattern.names and VALUE not in spans):
                return None
            if VALUE in spans:
                inner, at = text[slice(*spans[VALUE])], spans[VALUE][0]
            said[text] = self._said(spec, text) or {}
        found = read_number(inner, unit, measure, wanted)
        return found and found._replace(start=found.start + at)

    def _fill_templates(self, block: Block, spec: Spec) -> None:
        """Put constants together from what groups and columns say, then drop what only stands in them."""
        parts: list[tuple[Mapping[str, str], Mapping[str, str]]] = [(c.where, c.constants) for c in self.rules.constants]
        parts.append(({}, spec.constants))
        for where, constants in parts:
            for name, template in constants.items():
                if used := TEMPLATE.findall(template):
                    columns = [list(block.column(part)) for part in used]
                    holds = self._holds(where, block)
                    made: list[Statement | None] = []
                    for number in range(len(block.rows)):
                        stated = [column[number] for column in columns]
                        if not holds[number] or any(one is None for one in stated):
                            made.append(None)
                            continue
                        made.append(self._from_template(name, template, used, [one for one in stated if one]))
                    block.conditions[name] = _over(made, block.conditions.get(name))
        for name in [name for name in block.conditions if name.startswith("_")]:
            del block.conditions[name]

    def _holds(self, where: Mapping[str, str], block: Block) -> list[bool]:
        holds = [True] * len(block.rows)
        for name, wanted in where.items():
            folded = {fold(wanted), fold(self._value(name, wanted))}
            holds = [h and value is not None and fold(value) in folded for h, value in zip(holds, block.values_of(name), strict=True)]
        return holds

    def _from_template(self, name: str, template: str, used: Sequence[str], stated: Sequence[Statement]) -> Statement:
        text = _filled(template.removeprefix(UNPRINTED), {part: one[0] for part, one in zip(used, stated, strict=True)})
        known = dimensions().get(name)
        if known and known.type is Type.COUNT and "*" in text:
            factors = [part.strip().replace(",", "") for part in text.split("*")]
            if all(part.isdecimal() for part in factors):
                text = str(prod(map(int, factors)))
        printed = next((one for one in stated if one[3]), None)
        place = printed[1:] if printed else ("mapping", "", 0, 0)
        try:
            return (self._value(name, text), *place)  # type: ignore[return-value]
        except ValueError as error:
            raise _TableError("unread_condition", str(error)) from error


_NEEDS_UNIT = frozenset(
    {"items/s", "items/s/device", "items/s/user", "items/s/W", "s", "ms", "W", "J", "J/token", "GB", "USD", "USD/h"}
)


def _is_note(text: str) -> bool:
    """True for a row of words below a table's body: it holds no number that could be lost."""
    return not any(map(str.isdigit, text))


def _filled(template: str, groups: Mapping[str, str]) -> str:
    return TEMPLATE.sub(lambda part: groups.get(part[1], part[0]), template)


def _over(
    near: list[Statement | None], far: Statement | Sequence[Statement | None] | None
) -> list[Statement | None]:
    """Row by row what is stated nearer, else what is stated further out."""
    if far is None:
        return near
    others = far if isinstance(far, list) else repeat(far)
    return [a or b for a, b in zip(near, others, strict=False)]  # type: ignore[arg-type]


def _statistic_in(heading: Heading, statistic: str) -> Statement:
    """Where a heading prints a statistic: the number of a percentile, or the word itself."""
    wanted = statistic.removeprefix("p") if statistic[1:2].isdigit() else statistic
    at = plain(heading.text).casefold().find(wanted.casefold())
    if at < 0:
        return statistic, "mapping", "", 0, 0
    cell = heading.part(at, at + len(wanted))
    return statistic, "column_heading", cell.text, cell.line, cell.start


def unit_in(parts: Sequence[Cell], unit: str, measure: Measure) -> Cell | None:
    """The characters of a heading that print the unit of its column: what stands in brackets, or behind the last blank."""
    for part in parts:
        for match in _UNIT_PLACES.finditer(part.text):
            group = match.lastgroup or "inner"
            printed = measure_of(match[group]) if match[group].strip() else None
            if printed == measure:
                return part.matched(match, group)
        at = part.text.casefold().find(unit.casefold()) if unit else -1
        if at >= 0:
            return part.part(at, at + len(unit))
    return None


_UNIT_PLACES = re.compile(r"[(\[](?P<inner>[^()\[\]]{1,40})[)\]]")


class _Number(NamedTuple):
    """A measured cell.

    Attributes:
        quantity: In the canonical unit of its metric.
        text: The characters of the number.
        start: The first of them within the cell.
        item: What is counted, or None.
        unit: The unit behind it, "" for none, None for a time in parts, which prints several.
        unit_at: First character of the unit, counted from that of the number.
    """

    quantity: Quantity
    text: str
    start: int
    item: str | None
    unit: str | None = ""
    unit_at: int = 0


@lru_cache(1 << 16)
def read_number(text: str, unit: str, measure: Measure, wanted: Measure) -> _Number | None:
    """The number of a cell in a canonical unit, or None.

    The cell is a number alone, with a sign of a bound before it, with its unit, or with another unit of the same kind
    behind it; a time may be printed in parts, as `23h 43m`.
    """
    inner, begin = text.strip(), len(text) - len(text.lstrip())
    match = _MEASURED.fullmatch(inner)
    bound = (match["bound"] or "").strip() if match else ""
    if match and not (match["currency"] and wanted.kind not in ("USD", "USD/h")):
        printed = (match["unit"] or "").strip()
        own = measure if not printed or printed == unit else measure_of(printed)
        number = parse_number(match["number"].removeprefix("+"), bound)
        if number and own and not _is_letter(printed, measure) and own.kind == measure.kind and own.converts_to(measure):
            start = match.start("number")
            return _Number(
                number.scaled(decimal_ratio(own.scale, wanted.scale)), match["number"], begin + start,
                own.item or measure.item, printed, match.start("unit") - start,
            )  # fmt: skip
    if measure.kind != "s" or _LETTER_BEHIND.search(inner):
        return None
    start = match.start("number") if match and bound else 0
    duration = parse_duration(inner[start:], bound)
    return duration and _Number(
        duration.scaled(decimal_ratio(1.0, wanted.scale)), inner[start:], begin + start, None, None
    )


# `1.2M`, `108S`: millions, or a digit that was misread
_LETTER_BEHIND = re.compile(r"\d\s?[MHDS]\b")


def _is_letter(printed: str, measure: Measure) -> bool:
    """Whether a capital alone stands where a unit of time should."""
    return measure.kind == "s" and len(printed) == 1 and printed.isupper()


def decimal_ratio(scale: float, wanted: float) -> float:
    """How many of one unit another one is: 60000 for minutes in milliseconds."""
    if scale == wanted:
        return 1.0
    return decimal_product(scale, 1 / wanted) if wanted != 0.001 else decimal_product(scale, 1000.0)


@lru_cache(1 << 16)
def read_condition(name: str, text: str) -> str:
    """The value of a dimension that a text states: `65,536` is 65536, a name stays as printed.

    Raises:
        ValueError: The dimension takes no such value.
    """
    known = dimensions().get(name)
    if known is None:
        return text if name.startswith("_") or name in (METRIC, UNIT, STATISTIC) else typed(name, text) or text
    value = typed(name, text)
    if known.type in (Type.COUNT, Type.LENGTH) and (value is None or not value.isdecimal()):
        raise ValueError(f"{text[:_SHOWN]!r} is no {name}: it should be a whole number")
    if known.one_of:
        words = {fold(word).replace(" ", ""): word for word in known.one_of}
        if (value := words.get(fold(value or text).replace(" ", ""))) is None:
            raise ValueError(f"{text[:_SHOWN]!r} is no {name}: known are {', '.join(known.one_of)}")
    return value or text


class PrintedWords:
    """What a document prints, for the names that a mapping states."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[tuple[str, str], bool] = {}

    @cached_property
    def _text(self) -> str:
        return " ".join(self._document.texts).casefold()

    def holds(self, name: str, text: str) -> bool:
        """Whether a name is printed, under any of its known spellings; blanks and signs within it do not matter."""
        if (name, text) not in self._known:
            vocabulary = dimensions()[name].vocabulary
            spellings = {text, *(_spellings(vocabulary, text) if vocabulary else ())}
            self._known[name, text] = any(_in_print(spelling).search(self._text) for spelling in spellings)
        return self._known[name, text]


def _spellings(vocabulary: str, text: str) -> list[str]:
    kind: Kind = vocabulary  # type: ignore[assignment]
    entry = find(kind, text)
    return [spelling for (spelling, _), other in load(kind).items() if entry and other.name == entry.name]


@lru_cache(1 << 12)
def _in_print(name: str) -> re.Pattern[str]:
    """Finds a name that stands for itself: no letter or digit beside it, and `2.1` not within `2.1.3`."""
    signs = [re.escape(sign) for sign in name.casefold() if sign.isalnum()]
    behind = r"(?!\.?[0-9])" if name[-1:].isdigit() else ""
    before = r"(?<![0-9]\.)" if name[:1].isdigit() else ""
    return re.compile(rf"{before}(?<![a-z0-9]){r'[^a-z0-9]{0,3}'.join(signs)}(?![a-z0-9]){behind}" if signs else r"(?!)")


# Numbers that nothing tells apart


def refuse_ambiguous(result: Result) -> None:
    """Refuse different numbers of which all conditions are equal, and say what is printed that would tell them apart.

    Where something does, the mapping leaves it out, and the tables are refused whole; where nothing does, the page
    contradicts itself, and only these numbers are refused.
    """
    names = sorted({name for block in result.blocks for name in block.conditions if identity_of(name) is not Identity.NONE})
    names = [name for name in names if name != UNIT]
    seen: dict[tuple[object, ...], tuple[Quantity, int, int]] = {}
    pairs: list[tuple[tuple[int, int], tuple[int, int], str]] = []
    for number, block in enumerate(result.blocks):
        columns = [block.values_of(name) for name in names]
        what = block.metric, block.statistic, block.item
        for row, (value, key) in enumerate(zip(block.values, zip(*columns, strict=True) if columns else repeat(()), strict=False)):
            before, other, at = seen.setdefault((*what, *key), (value, number, row))
            if before.value != value.value:
                pairs.append(((other, at), (number, row), _telling(result.blocks[other], at, block, row)))
    if not pairs:
        return
    whole = {id(result.blocks[n].table) for first, second, told in pairs if told for n in (first[0], second[0])}
    alone = {place for first, second, told in pairs if not told for place in (first, second)}
    by_table: dict[int, list[tuple[tuple[int, int], tuple[int, int], str]]] = {}
    for pair in pairs:
        if pair[2]:
            for number in dict.fromkeys((pair[0][0], pair[1][0])):
                by_table.setdefault(id(result.blocks[number].table), []).append(pair)
    places = {id(table): number for number, table in enumerate(result.tables)}
    for key, found in by_table.items():
        table = result.tables[places[key]]
        first, second, told = found[0]
        reason = (
            f"{len(found)} pairs of different numbers have equal conditions, as {_shown(result, first)} and "
            f"{_shown(result, second)}: the mapping leaves out what tells them apart ({told})"
        )
        result.refused[places[key]] = "ambiguous"
        result.refusals.append(Refusal("ambiguous", _counted(table, reason), _value_cell(result, second)))
    for first, second, told in pairs:
        if not told:
            reason = f"{_shown(result, first)} and {_shown(result, second)} have equal conditions, and nothing printed tells them apart"
            for place in (first, second):
                block = result.blocks[place[0]]
                row = tuple(block.table.texts[block.rows[place[1]]])
                result.refusals.append(Refusal("ambiguous", reason, _value_cell(result, place), "row", row))
    kept = []
    for number, block in enumerate(result.blocks):
        if id(block.table) in whole:
            continue
        keep = [row for row in range(len(block.rows)) if (number, row) not in alone]
        if len(keep) < len(block.rows):
            block = _cut(block, keep)
        kept.append(block)
    result.blocks = kept


def _cut(block: Block, rows: Sequence[int]) -> Block:
    """Some numbers of a block."""
    conditions = {
        name: [stated[row] for row in rows] if isinstance(stated, list) else stated
        for name, stated in block.conditions.items()
    }
    return Block(
        block.table, block.heading, block.metric, block.unit, block.item, block.unit_printed, block.statistic, block.higher_is_better,
        [block.rows[row] for row in rows], [block.values[row] for row in rows], [block.cells[row] for row in rows],
        conditions, block.ignored,
    )  # fmt: skip


def _value_cell(result: Result, place: tuple[int, int]) -> Cell:
    text, line, start = result.blocks[place[0]].cells[place[1]]
    return Cell(text, line, start, start + len(text))


def _shown(result: Result, place: tuple[int, int]) -> str:
    cell = _value_cell(result, place)
    return f"{cell.text!r} in line {cell.line}"


def _telling(one: Block, row: int, other: Block, row_of_other: int) -> str:
    """The ignored columns, or the words above, in which two numbers differ."""
    if one.table is other.table:
        first, second = one.table.texts[one.rows[row]], one.table.texts[other.rows[row_of_other]]
        columns = [n for n in one.ignored if n < min(len(first), len(second)) and first[n] != second[n]]
        words = [f"an ignored column: {first[n][:_SHOWN]!r} or {second[n][:_SHOWN]!r}" for n in columns]
        if one.heading != other.heading:
            words.append(f"the headings {one.heading!r} and {other.heading!r}")
        return "; ".join(words[:_LISTED])
    here, there = ([passage.text for passage in block.table.near] for block in (one, other))
    differing = [(a, b) for a, b in zip(here, there, strict=False) if a != b]
    return "; ".join(f"above: {a[:_SHOWN]!r} or {b[:_SHOWN]!r}" for a, b in differing[:2]) or "they are in two tables"
