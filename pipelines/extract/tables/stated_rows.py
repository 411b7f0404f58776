"""The rows of a table with what is stated of them: by their cells, their titles, their headings, and around the table.

Columns are read as columns: each distinct text of one is understood once. The measured columns belong in `apply.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, repeat
from math import prod

from pipelines.extract.rows import Level, Reject
from pipelines.extract.tables.claims import ClaimedTable, TableError
from pipelines.extract.tables.mapping import TEMPLATE, UNPRINTED, VALUE, Spec
from pipelines.extract.tables.patterns import Spans, compiled, fold
from pipelines.extract.tables.printed import Passage, PrintedTable
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
# What numbers are of: a row that does not say it, where others of its table do, is not read.
_SUBJECTS = frozenset({"model", "platform"})
# `Statement._make` without its check, in half the time.
_statement_of = partial(tuple.__new__, Statement)
# What one text states, by dimension; in a column its places are counted within the cell.
Said = dict[str, Statement]


class StatedRows:
    """The rows of a table that can be read, and what is stated of them.

    Attributes:
        rows: Row of each in the table.
        own: What their own cells and titles state, by dimension.
        lent: What holds for the table as a whole.
        ignored: Columns that the mapping leaves out.

    Raises:
        TableError: The table cannot be read as the entry says.
    """

    def __init__(self, claim: ClaimedTable, table: PrintedTable, printed: PrintedWords) -> None:
        self.entry, self.headings, self.table, self._first = claim.entry, claim.headings, table, claim.first
        self.refusals: list[Reject] = []
        self._refused: set[int] = set()
        self.ignored = self._check_headings()
        for name, text in self.entry.printed_words:
            if not printed.holds(name, text):
                reason = f"the mapping says {name} {text!r}, which the document does not print"
                raise TableError("not_printed", f"{reason}; `'!{text}'` in quotes says it all the same")
        around: Said = {}
        for part in self.entry.constants:
            around |= {} if part.where else self.constants(part.constants)
        for pattern in reversed(self.entry.below):
            around |= self._stated_by(pattern, lambda: table.below)
        for pattern in reversed(self.entry.headings):
            around |= self._stated_by(pattern, self._above)
        self.rows: list[int] = []
        self.own = self._read_conditions(self._find_rows(), around)
        self.lent = self.of_all_rows(around)
        for part in self.entry.constants:
            if part.where:
                holds = self.holds(part.where, over_all(self.own, self.lent))
                for name, one in self.constants(part.constants).items():
                    self.lent[name] = over([one if h else None for h in holds], self.lent.get(name))

    # Headings, and what is said around the table

    def _check_headings(self) -> list[int]:
        ignored, unnamed = [], []
        for at, heading in enumerate(self.headings):
            if len(heading.names) > 1:
                reason = f"{heading.text!r} fits {' and '.join(heading.names[:2])}: which one counts?"
                raise TableError("claimed_twice", reason, *heading.passage.pieces[:1])
            below = (at < len(row) and row[at] for row in self.table.texts[self._first :])
            if heading.is_ignored and (heading.column or heading.passage.pieces or any(below)):
                ignored.append(at)
                unnamed += [] if heading.column else [heading]
        if unnamed and self.entry.others is None and self.entry.rows is None:
            names = ", ".join(repr(heading.text) for heading in unnamed[:_LISTED])
            reason = f"the mapping does not say what the columns {names} are; `others: ignore` leaves them out"
            shown = next((cell for heading in unnamed for cell in heading.passage.pieces), None)
            raise TableError("schema_drift", reason, shown)
        return ignored

    def _above(self) -> Iterator[Passage]:
        """Rows of one text above the headings, then what is printed above the table, nearest first."""
        for row in range(self._first - 2, -1, -1):
            present = {text: at for at, text in enumerate(self.table.texts[row]) if text}
            if len(present) == 1 and not self.table.is_rule(row):
                yield Passage((self.table.cell(row, *present.values()),), "caption")
        yield from self.table.near
        yield from self.table.far()

    def _stated_by(self, pattern: str, passages: Callable[[], Iterable[Passage]]) -> Said:
        for passage in passages():
            if (spans := compiled(pattern).search(passage.text)) is not None:
                return self.said(spans, passage.text, passage.cell, passage.level)
        nearest = "; ".join(repr(passage.text[:SHOWN]) for passage in islice(passages(), _NEAREST))
        words = f", the nearest are {nearest}" if nearest else ""
        raise TableError("not_stated", f"no text there is as `{pattern}` says{words}")

    # Rows

    def _find_rows(self) -> list[Said]:
        """Find the rows below the headings that hold cells; gives what the titles over each state."""
        table, first, width = self.table, self._first, len(self.headings)
        titles: list[Said] = []
        title: Said = {}
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
            elif len(row) != width:
                if any(character.isdecimal() for text in row for character in text):
                    reason = f"it has {len(row)} cells, and the table {width} headings"
                    self.refuse_row(number, "row_does_not_fit", reason)
                self._refused.add(number)
            elif unread is not None:
                reason = f"it is below {unread[:SHOWN]!r}, which is not as `titles` says"
                self.refuse_row(number, "unread_condition", reason)
            else:
                self.rows.append(number)
                titles.append(title)
        return titles

    def _title(self, number: int, cell: Cell, title: Said) -> tuple[Said, str | None]:
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
            said = self.parts(self.entry.title, cell, "row_title")
        except TableError:
            said = None
        return (title, cell.text) if said is None else (said, None)

    def refuse_row(self, number: int, rule: str, reason: str, cell: Cell | None = None) -> None:
        """Refuse a row of the table."""
        self._refused.add(number)
        self.refusals.append(self.table.reject_row(number, rule, reason, cell))

    # Their conditions

    def _read_conditions(self, titles: list[Said], around: Said) -> dict[str, Statements]:
        """What the columns of conditions and the titles state of each row; rows that cannot be read go."""
        stated: dict[str, Statements] = {}
        by: dict[str, str] = {}
        bad: dict[int, tuple[str, Cell]] = {}
        for at, heading in enumerate(self.headings):
            if heading.is_ignored or heading.is_value:
                continue
            found = over_all(self._of_cells(at, bad), self.of_all_rows(self.of_heading(at)))
            for name, those in found.items():
                if any(a and b for a, b in zip(stated.get(name, ()), those, strict=False)):
                    raise TableError("stated_twice", f"{by[name]!r} and {heading.text!r} both state `{name}`")
                stated[name], by[name] = over(those, stated.get(name)), heading.text
        for name in [name for name in dict.fromkeys(self.entry.fill_down) if name in stated]:
            stated[name] = self._filled_down(name, stated[name], bad)
        names = dict.fromkeys(name for title in titles for name in title)
        stated = over_all(stated, {name: [title.get(name) for title in titles] for name in names})
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
            stated = {name: [column[number] for number in kept] for name, column in stated.items()}
        return stated

    def _filled_down(self, name: str, column: Statements, bad: dict[int, tuple[str, Cell]]) -> Statements:
        """A column with the blank cells taken from above; what would come over a refused row is refused as well."""
        whole: Statements = []
        last: Statement | None = None
        is_lost = False
        for number, one in enumerate(column):
            before = self.rows[number - 1] if number else self._first - 1
            is_broken = number in bad or not self._refused.isdisjoint(range(before, self.rows[number]))
            is_lost = (is_lost or is_broken) and not one
            last = None if is_lost else one or last
            whole.append(last)
            if is_lost:
                reason = f"its `{name}` is that of a row above which is refused"
                bad.setdefault(number, (reason, self.table.cell(self.rows[number], 0)))
        return whole

    def _of_cells(self, at: int, bad: dict[int, tuple[str, Cell]]) -> dict[str, Statements]:
        """What the cells of a column state; rows of which a cell cannot be read are put into `bad`."""
        heading, texts = self.headings[at], self.texts(at)
        known: dict[str, Said] = {}
        faults: dict[str, str] = {}
        for text in dict.fromkeys(texts):
            known[text] = {}
            if self.entry.is_missing(text):
                continue
            faults[text] = f"{text[:SHOWN]!r} is not as the mapping says of {heading.text!r}"
            try:
                for spec in heading.column.specs if heading.column else ():
                    if (said := self.parts(spec, Cell(text, 0, 0, len(text)), "row")) is not None:
                        known[text] = said | self.constants(spec.constants)
                        del faults[text]
                        break
            except TableError as error:
                faults[text] = error.reason
        for number, text in enumerate(texts) if faults else ():
            if text in faults:
                bad.setdefault(number, (faults[text], self.table.cell(self.rows[number], at)))
        return self.of_column(at, known)

    def texts(self, at: int) -> Sequence[str]:
        """The texts of a column below its heading."""
        return [self.table.texts[row][at] for row in self.rows]

    def places(self, at: int) -> tuple[Sequence[int], Sequence[int]]:
        """Line and first character of each cell of a column."""
        lines, starts = self.table.lines, self.table.starts
        return [lines[row][at] for row in self.rows], [starts[row][at] for row in self.rows]

    def of_column(self, at: int, known: Mapping[str, Said]) -> dict[str, Statements]:
        """What the cells of a column state by dimension: `known` says it of each text, with places counted within."""
        columns: dict[str, Statements] = {}
        if not any(known.values()):
            return columns
        texts, (lines, starts) = self.texts(at), self.places(at)
        for name in dict.fromkeys(name for said in known.values() for name in said):
            of_text = {text: said.get(name) for text, said in known.items()}
            if all(one and one.text == text for text, one in of_text.items()):
                # Whole cells, as in most columns: without a call for each.
                values = map({text: one.value for text, one in of_text.items() if one}.__getitem__, texts)
                levels = repeat(next(one.level for one in of_text.values() if one))
                columns[name] = list(map(_statement_of, zip(values, levels, texts, lines, starts, strict=False)))
                continue
            cells = zip(map(of_text.get, texts), lines, starts, strict=True)
            columns[name] = [
                _statement_of((*one[:3], line, start + one.start)) if one and one.text else one
                for one, line, start in cells
            ]
        return columns

    def of_all_rows(self, said: Said) -> dict[str, Statements]:
        """What is stated once as what is stated of each row."""
        return {name: [one] * len(self.rows) for name, one in said.items()}

    # What single texts state

    def said(self, spans: Spans, text: str, cell_of: Callable[[int, int], Cell], level: Level) -> Said:
        """What parts of a text state, each with its characters, of which `cell_of` says where they are printed.

        Raises:
            TableError: A part is nothing that its dimension may be.
        """
        found: Said = {}
        for name, span in spans.items():
            if name != VALUE:
                cell = cell_of(*span)
                value = self._value(name, text[slice(*span)], cell)
                found[name] = Statement(value, level, cell.text, cell.line, cell.start)
        return found

    def parts(self, spec: Spec, cell: Cell, level: Level) -> Said | None:
        """What the parts of a cell state; None where the spec does not fit.

        Raises:
            TableError: As of `said`.
        """
        spans = compiled(spec.match).fullmatch(cell.text) if spec.match else {}
        if spans is None:
            return None
        whole = {spec.field: (0, len(cell.text))} if spec.field else {}
        return self.said(whole | spans, cell.text, cell.part, level)

    def of_heading(self, at: int) -> Said:
        """What a heading states."""
        heading = self.headings[at]
        return self.said(heading.groups, heading.text, heading.passage.cell, "column_heading")

    def constants(self, constants: Mapping[str, str]) -> Said:
        """Constants as statements; a template waits for what it is made of."""
        texts = {name: value.removeprefix(UNPRINTED) for name, value in constants.items()}
        return {
            name: Statement(text if TEMPLATE.search(text) else self._value(name, text), "mapping")
            for name, text in texts.items()
        }

    def _value(self, name: str, text: str, cell: Cell | None = None) -> str:
        """The value of a dimension that is printed so.

        Raises:
            TableError: It is none.
        """
        try:
            return read_condition(name, self.entry.name_of(name, " ".join(text.split())))
        except ValueError as error:
            raise TableError("unread_condition", str(error), cell) from error

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
        return printed._replace(value=self._value(name, text, cell))
