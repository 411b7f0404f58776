"""The rows of a table with what is stated of them: by their cells, their titles, their headings, and around the table.

Columns are read as columns: each distinct text of one is understood once. The measured columns belong in `apply.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, repeat
from math import prod

from pipelines.extract.rows import Level, Reject
from pipelines.extract.tables.claims import Claim, Heading, TableError
from pipelines.extract.tables.patterns import compiled, fold
from pipelines.extract.tables.printed import Passage, Table
from pipelines.extract.tables.specs import TEMPLATE, UNPRINTED, VALUE, Spec
from pipelines.extract.tables.statements import (
    SHOWN,
    ByDimension,
    PrintedWords,
    Statement,
    Statements,
    over,
    over_all,
    read_condition,
)
from pipelines.read.document import Cell
from pipelines.vocabulary.dimensions import Type, dimensions

_LISTED, _NEAREST = 8, 3
_DIGIT = re.compile(r"\d")
# What numbers are of: a row that does not say it, where others of its table do, is not read.
_SUBJECTS = frozenset({"model", "platform"})
# `Statement._make` without its check, in half the time.
_statement_of = partial(tuple.__new__, Statement)


@dataclass(slots=True)
class CellsOfColumn:
    """The cells of a column below its heading: texts, lines, first characters."""

    texts: Sequence[str]
    lines: Sequence[int]
    starts: Sequence[int]

    def cell(self, number: int) -> Cell:
        """The characters of a cell with their place."""
        text, start = self.texts[number], self.starts[number]
        return Cell(text, self.lines[number], start, start + len(text))

    def stated(self, known: Mapping[str, Mapping[str, Statement]]) -> dict[str, Statements]:
        """What the cells state by dimension: `known` says it of each text, with places counted within it."""
        columns: dict[str, Statements] = {}
        for name in dict.fromkeys(name for said in known.values() for name in said):
            of_text = {text: said.get(name) for text, said in known.items()}
            if all(one and one.text == text for text, one in of_text.items()):
                # Whole cells, as in most columns: without a call for each.
                values = map({text: one.value for text, one in of_text.items() if one}.__getitem__, self.texts)
                levels = repeat(next(one.level for one in of_text.values() if one))
                rows = zip(values, levels, self.texts, self.lines, self.starts, strict=False)
                columns[name] = list(map(_statement_of, rows))
                continue
            cells = zip(map(of_text.get, self.texts), self.lines, self.starts, strict=True)
            columns[name] = [one and _placed(one, line, start) for one, line, start in cells]
        return columns


def _placed(one: Statement, line: int, start: int) -> Statement:
    """A statement of a part of a cell at its place in the document."""
    return _statement_of((*one[:3], line, start + one.start)) if one.text else one


class StatedRows:
    """The rows of a table that can be read, and what is stated of them.

    Attributes:
        rows: Row of each in the table.
        cells: The columns of these rows, below each heading.
        own: What their own cells and titles state, by dimension.
        lent: What holds for the table as a whole.
        ignored: Columns that the mapping leaves out.

    Raises:
        TableError: The table cannot be read as the entry says.
    """

    def __init__(self, claim: Claim, table: Table, printed: PrintedWords) -> None:
        self.claim, self.entry, self.headings, self.table = claim, claim.entry, claim.headings, table
        self.refusals: list[Reject] = []
        self._refused: set[int] = set()
        self.ignored = self._check_headings()
        for name, text in self.entry.printed_words:
            if not printed.holds(name, text):
                reason = f"the mapping says {name} {text!r}, which the document does not print"
                raise TableError("not_printed", f"{reason}; `'!{text}'` in quotes says it all the same")
        around = self._around()
        self.rows: list[int] = []
        titles = self._find_rows()
        self.cells = self._columns()
        self.own = self._read_conditions(titles, around)
        self.lent: dict[str, Statements] = {name: [one] * len(self.rows) for name, one in around.items()}
        for part in self.entry.constants:
            if part.where:
                holds = self.holds(part.where, over_all(self.own, self.lent))
                for name, one in self.constants(part.constants).items():
                    self.lent[name] = over([one if h else None for h in holds], self.lent.get(name))

    # Headings, and what is said around the table

    def _check_headings(self) -> list[int]:
        for heading in self.headings:
            if len(heading.names) > 1:
                reason = f"{heading.text!r} fits {' and '.join(heading.names[:2])}: which one counts?"
                raise TableError("claimed_twice", reason, heading.parts[0])
        below = self.table.texts[self.claim.first :]
        ignored = [
            at
            for at, heading in enumerate(self.headings)
            if heading.is_ignored
            and (heading.column or heading.parts or any(at < len(row) and row[at] for row in below))
        ]
        unnamed = [self.headings[at] for at in ignored if self.headings[at].column is None]
        if unnamed and self.entry.others is None and self.entry.rows is None:
            names = ", ".join(repr(heading.text) for heading in unnamed[:_LISTED])
            reason = f"the mapping does not say what the columns {names} are; `others: ignore` leaves them out"
            raise TableError("schema_drift", reason, next((part for one in unnamed for part in one.parts), None))
        return ignored

    def _around(self) -> dict[str, Statement]:
        """What holds for the whole table: constants, then what the texts below and above it state."""
        found: dict[str, Statement] = {}
        for part in self.entry.constants:
            found |= {} if part.where else self.constants(part.constants)
        for text in reversed(self.entry.below):
            found |= self._stated_by(text, lambda: self.table.below)
        for text in reversed(self.entry.headings):
            found |= self._stated_by(text, self._above)
        return found

    def _above(self) -> Iterator[Passage]:
        """Rows of one text above the headings, then what is printed above the table, nearest first."""
        for row in range(self.claim.first - 2, -1, -1):
            present = {text: at for at, text in enumerate(self.table.texts[row]) if text}
            if len(present) == 1 and not self.table.is_rule(row):
                yield Passage((self.table.cell(row, *present.values()),), "caption")
        yield from self.table.near
        yield from self.table.far()

    def _stated_by(self, text: str, passages: Callable[[], Iterable[Passage]]) -> dict[str, Statement]:
        pattern = compiled(text)
        for passage in passages():
            if (spans := pattern.search(passage.text)) is not None:
                return {
                    name: self.statement(name, passage.text[slice(*span)], passage.cell(*span), passage.level)
                    for name, span in spans.items()
                }
        nearest = "; ".join(repr(passage.text[:SHOWN]) for passage in islice(passages(), _NEAREST))
        words = f", the nearest are {nearest}" if nearest else ""
        raise TableError("not_stated", f"no text there is as `{text}` says{words}")

    # Rows

    def _find_rows(self) -> list[dict[str, Statement]]:
        """Find the rows below the headings that hold cells; gives what the titles over each state."""
        table, first, width = self.table, self.claim.first, len(self.headings)
        titles: list[dict[str, Statement]] = []
        title: dict[str, Statement] = {}
        unread: str | None = None
        headings = table.texts[first - 1] if first else ()
        for number, row in enumerate(table.texts[first:], start=first):
            if row == headings or table.is_rule(number):
                continue
            present = len(row) - row.count("")
            if present > 1 and table.spans:
                # A cell over several columns is one.
                cells = zip(row, table.lines[number], table.starts[number], strict=True)
                present = len({(line, start) for text, line, start in cells if text})
            if width > 1 and present == 1:
                cell = table.cell(number, next(at for at, text in enumerate(row) if text))
                title, unread = self._title(number, cell, title)
            elif len(row) != width and not any(map(_DIGIT.search, row)):
                self._refused.add(number)
            elif len(row) != width:
                reason = f"it has {len(row)} cells, and the table {width} headings"
                self.refuse_row(number, "row_does_not_fit", reason)
            elif unread is not None:
                reason = f"it is below {unread[:SHOWN]!r}, which is not as `titles` says"
                self.refuse_row(number, "unread_condition", reason)
            else:
                self.rows.append(number)
                titles.append(title)
        return titles

    def _title(self, number: int, cell: Cell, title: dict[str, Statement]) -> tuple[dict[str, Statement], str | None]:
        """What holds below a row of one text, and that text where it cannot be read.

        What is printed below a title that cannot be read is not below the one before it.
        """
        if self.entry.title is None:
            if not self.entry.is_missing(cell.text):
                shown = repr(cell.text[:SHOWN])
                reason = f"{shown} is alone in its row: `titles` says what it states, or `titles: ignore`"
                self.refuse_row(number, "unread_title", reason)
            return title, None
        try:
            parts = self.parts(self.entry.title, cell.text, "row_title")
        except ValueError:
            parts = None
        if parts is None:
            return title, cell.text
        return {name: _placed(one, cell.line, cell.start) for name, one in parts.items()}, None

    def refuse_row(self, number: int, rule: str, reason: str, cell: Cell | None = None) -> None:
        """Refuse a row of the table."""
        self._refused.add(number)
        self.refusals.append(self.table.reject_row(number, rule, reason, cell))

    def _columns(self) -> list[CellsOfColumn]:
        parts = (self.table.texts, self.table.lines, self.table.starts)
        columns = [list(zip(*(part[row] for row in self.rows), strict=True)) for part in parts]
        if not self.rows:
            return [CellsOfColumn((), (), ()) for _ in self.headings]
        return [CellsOfColumn(*column) for column in zip(*columns, strict=True)]

    # Their conditions

    def _read_conditions(
        self, titles: list[dict[str, Statement]], around: Mapping[str, Statement]
    ) -> dict[str, Statements]:
        """What the columns of conditions and the titles state of each row; rows that cannot be read go."""
        stated: dict[str, Statements] = {}
        by: dict[str, str] = {}
        bad: dict[int, tuple[str, Cell]] = {}
        for heading, column in zip(self.headings, self.cells, strict=True):
            if heading.is_ignored or heading.is_value:
                continue
            found = self._column_conditions(heading, column, bad)
            for name, one in self.of_heading(heading).items():
                found[name] = over(found.get(name, [None] * len(self.rows)), [one] * len(self.rows))
            for name, those in found.items():
                if name in stated:
                    if any(a and b for a, b in zip(stated[name], those, strict=True)):
                        raise TableError("stated_twice", f"{by[name]!r} and {heading.text!r} both state `{name}`")
                    those = over(those, stated[name])
                stated[name], by[name] = those, heading.text
        for name in {*self.entry.fill_down} & stated.keys():
            stated[name] = self._filled_down(name, stated[name], bad)
        for name in dict.fromkeys(name for title in titles if title for name in title):
            stated[name] = over(stated.get(name, [None] * len(titles)), [title.get(name) for title in titles])
        for name in sorted(_SUBJECTS & stated.keys() - around.keys()):
            for number in [n for n, one in enumerate(stated[name]) if one is None] if any(stated[name]) else ():
                reason = f"no cell states its `{name}`; `fill_down: {name}` takes it from the row above"
                bad.setdefault(number, (reason, Cell("", self.table.lines[self.rows[number]][0], 0, 0)))
        if bad:
            for number, (reason, cell) in bad.items():
                # What its numbers are of is not known.
                self.refuse_row(self.rows[number], "unread_condition", reason, cell)
            kept = [number for number in range(len(self.rows)) if number not in bad]
            self.rows = [self.rows[number] for number in kept]
            self.cells = self._columns()
            stated = {name: [column[number] for number in kept] for name, column in stated.items()}
        return stated

    def _filled_down(self, name: str, column: Statements, bad: dict[int, tuple[str, Cell]]) -> Statements:
        """A column with the blank cells taken from above; what would come over a refused row is refused as well."""
        whole: Statements = []
        last: Statement | None = None
        is_lost = False
        for number, one in enumerate(column):
            before = self.rows[number - 1] if number else self.claim.first - 1
            is_broken = number in bad or not self._refused.isdisjoint(range(before, self.rows[number]))
            is_lost = (is_lost or is_broken) and not one
            last = None if is_lost else one or last
            whole.append(last)
            if is_lost:
                reason = f"its `{name}` is that of a row above which is refused"
                bad.setdefault(number, (reason, self.cells[0].cell(number)))
        return whole

    def _column_conditions(
        self, heading: Heading, column: CellsOfColumn, bad: dict[int, tuple[str, Cell]]
    ) -> dict[str, Statements]:
        """What the cells of a column state; rows of which a cell cannot be read are put into `bad`."""
        known: dict[str, dict[str, Statement]] = {}
        faults: dict[str, str] = {}
        for text in dict.fromkeys(column.texts):
            try:
                known[text] = self._cell_conditions(heading, text)
            except ValueError as error:
                known[text], faults[text] = {}, str(error)
        for number, text in enumerate(column.texts) if faults else ():
            if text in faults:
                bad.setdefault(number, (faults[text], column.cell(number)))
        return column.stated(known)

    def _cell_conditions(self, heading: Heading, text: str) -> dict[str, Statement]:
        """What a cell states, its places counted within it.

        Raises:
            ValueError: It is not as the mapping says.
        """
        if self.entry.is_missing(text):
            return {}
        for spec in heading.column.specs if heading.column else ():
            if (parts := self.parts(spec, text, "row")) is not None:
                return parts | self.constants(spec.constants)
        raise ValueError(f"{text[:SHOWN]!r} is not as the mapping says of {heading.text!r}")

    # What single texts state

    def parts(self, spec: Spec, text: str, level: Level) -> dict[str, Statement] | None:
        """What the parts of a cell state, their places counted within it; None where the spec does not fit.

        Raises:
            ValueError: A part is nothing that its dimension may be.
        """
        spans = compiled(spec.match).fullmatch(text) if spec.match else {}
        if spans is None:
            return None
        whole = {spec.field: (0, len(text))} if spec.field else {}
        return {
            name: Statement(self._value(name, text[start:end]), level, text[start:end], 0, start)
            for name, (start, end) in (whole | spans).items()
            if name != VALUE
        }

    def of_heading(self, heading: Heading) -> dict[str, Statement]:
        """What a heading states."""
        return {
            name: self.statement(name, heading.text[slice(*span)], heading.part(*span), "column_heading")
            for name, span in heading.groups.items()
        }

    def constants(self, constants: Mapping[str, str]) -> dict[str, Statement]:
        """Constants as statements; a template waits for what it is made of."""
        texts = {name: value.removeprefix(UNPRINTED) for name, value in constants.items()}
        return {
            name: Statement(text if TEMPLATE.search(text) else self._value(name, text), "mapping")
            for name, text in texts.items()
        }

    def statement(self, name: str, text: str, cell: Cell, level: Level) -> Statement:
        """What a text states of a dimension.

        Raises:
            TableError: Nothing that the dimension may be.
        """
        try:
            return Statement(self._value(name, text), level, cell.text, cell.line, cell.start)
        except ValueError as error:
            raise TableError("unread_condition", str(error), cell) from error

    def _value(self, name: str, text: str) -> str:
        """The value of a dimension that is printed so.

        Raises:
            ValueError: It is none.
        """
        return read_condition(name, self.entry.name_of(name, " ".join(text.split())))

    def holds(self, where: Mapping[str, str], conditions: ByDimension) -> list[bool]:
        """Row by row whether conditions are met."""
        holds = [True] * len(self.rows)
        for name, wanted in where.items():
            folded = {fold(wanted), fold(self._value(name, wanted))}
            column = conditions.get(name, [None] * len(self.rows))
            holds = [h and one is not None and fold(one.value) in folded for h, one in zip(holds, column, strict=True)]
        return holds

    def filled(self, conditions: dict[str, Statements]) -> dict[str, Statements]:
        """Conditions with templates put together from what groups and columns say."""
        for name in sorted(self.entry.templated & conditions.keys()):
            made: Statements = []
            for number, one in enumerate(conditions[name]):
                used = TEMPLATE.findall(one.value) if one else ()
                row = {part: those[number] if (those := conditions.get(part)) else None for part in used}
                made.append(self._made(name, one.value, row) if one and used else one)
            conditions[name] = made
        return conditions

    def _made(self, name: str, template: str, row: Mapping[str, Statement | None]) -> Statement | None:
        stated = {part: one for part, one in row.items() if one}
        if len(stated) < len(row):
            return None
        text = TEMPLATE.sub(lambda part: stated[part[1]].value, template)
        known = dimensions().get(name)
        factors = [part.strip().replace(",", "") for part in text.split("*")]
        if known and known.type is Type.COUNT and len(factors) > 1 and all(map(str.isdecimal, factors)):
            text = str(prod(map(int, factors)))
        printed = next((one for one in stated.values() if one.text), Statement("", "mapping"))
        cell = Cell(printed.text, printed.line, printed.start, printed.start + len(printed.text))
        return self.statement(name, text, cell, printed.level)
