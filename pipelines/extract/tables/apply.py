"""A mapping laid on the tables of a document: measured numbers with their conditions, and what is refused.

Nothing is inferred. A table is read where exactly one entry claims it; a cell is what the entry says, or it is refused.
Columns are read as columns: each distinct text of one is understood once. What becomes of the numbers belongs in
`measurements.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import prod

from pipelines.extract.tables.claims import Claim, Claims, Heading, Unclaimed, counted
from pipelines.extract.tables.entries import Rules
from pipelines.extract.tables.mapping import METRIC, STATISTIC, TEMPLATE, UNIT, UNPRINTED, VALUE, MetricKind, Spec
from pipelines.extract.tables.patterns import compiled, plain
from pipelines.extract.tables.printed import Passage, Table, fold
from pipelines.extract.tables.statements import (
    Column,
    Number,
    PrintedWords,
    Statement,
    filled,
    over,
    read_condition,
    read_number,
    unit_in,
)
from pipelines.read.document import Cell, Document
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.dimensions import Type, dimensions
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import Measure, measure_of

_SHOWN, _LISTED, _NEAREST = 60, 8, 3
_DIGIT = re.compile(r"\d")
# What numbers are of: a row that does not say it, where others of its table do, is not read.
_SUBJECTS = frozenset({"model", "platform"})
# Of these a bare number says too little: nobody knows in what it is counted.
_NEEDS_UNIT = frozenset(
    {"items/s", "items/s/device", "items/s/user", "items/s/W", "s", "ms", "W", "J", "J/token", "GB", "USD", "USD/h"}
)


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


@dataclass
class Block:
    """Numbers of one column that are read one way.

    Attributes:
        table: Their table.
        heading: Heading of their column.
        metric: What they measure.
        unit: Canonical unit of the metric.
        item: What is counted, or None.
        unit_printed: The unit as printed beside them or in the heading, else as the mapping writes it.
        statistic: Which of many measurements they are, or None.
        higher_is_better: Whether more is a gain, of a metric that only the mapping knows.
        rows: Row of each in the table.
        values: Each in the canonical unit.
        cells: Characters of each: text, line, first character.
        conditions: What is stated of each, by dimension.
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
    conditions: dict[str, Column] = field(default_factory=dict)
    ignored: Sequence[int] = ()

    def cell(self, number: int) -> Cell:
        """The characters of a number."""
        text, line, start = self.cells[number]
        return Cell(text, line, start, start + len(text))

    def values_of(self, name: str) -> list[str | None]:
        """The values of a dimension, number by number."""
        stated = self.conditions.get(name)
        return [one[0] if one else None for one in stated] if stated else [None] * len(self.rows)


@dataclass
class Result:
    """What a mapping makes of a document.

    Attributes:
        tables: Every table of the document, in order.
        blocks: The numbers that are read.
        refusals: What is refused.
        claims: The claim on each table that is read or skipped, by its place in `tables`.
        refused: The rule by which the numbers of a table are not read, by its place.
    """

    tables: Sequence[Table]
    blocks: list[Block] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    claims: dict[int, Claim] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)

    def refuse(self, number: int, rule: str, reason: str, cell: Cell | None = None) -> None:
        """Refuse a whole table."""
        self.refused[number] = rule
        self.refusals.append(Refusal(rule, reason, cell or _first_cell(self.tables[number])))


def _first_cell(table: Table) -> Cell:
    places = ((r, c) for r, row in enumerate(table.texts) for c, text in enumerate(row) if text)
    return next((table.cell(*place) for place in places), Cell("", table.first_line, 0, 0))


class _TableError(Exception):
    """Why a whole table is refused: rule, reason, and a cell that shows it."""

    def __init__(self, rule: str, reason: str, cell: Cell | None = None) -> None:
        super().__init__(reason)
        self.rule, self.reason, self.cell = rule, reason, cell


def apply(document: Document, tables: Sequence[Table], entries: Sequence[Rules]) -> Result:
    """The numbers of all tables that the entries claim; those that nothing tells apart are among them.

    Args:
        document: The document.
        tables: Its tables, those that the `rows` of the entries have found among them.
        entries: The mapping of its source.
    """
    result, claims, printed = Result(tables), Claims(entries), PrintedWords(document)
    for number, table in enumerate(tables):
        claim = claims.claim(table)
        if isinstance(claim, Unclaimed):
            if table.holds_numbers or claim.rule == "claimed_twice":
                result.refuse(number, claim.rule, claim.reason)
            continue
        result.claims[number] = claim
        if claim.rules.entry.skip:
            continue
        table.heading = table.heading or claim.section
        reader = _TableReader(claim, table, printed)
        try:
            result.blocks += list(reader.blocks())
        except _TableError as error:
            result.refuse(number, error.rule, counted(table, error.reason), error.cell)
        else:
            result.refusals += reader.refusals
    for _, reason in claims.gone():
        result.refusals.append(Refusal("section_gone", reason, Cell("", 1, 0, 0), "note"))
    return result


@dataclass
class _Cells:
    """A column below its heading."""

    texts: list[str]
    lines: list[int]
    starts: list[int]

    def cell(self, number: int) -> Cell:
        text, start = self.texts[number], self.starts[number]
        return Cell(text, self.lines[number], start, start + len(text))

    def kept(self, numbers: Sequence[int]) -> _Cells:
        return _Cells(
            [self.texts[n] for n in numbers], [self.lines[n] for n in numbers], [self.starts[n] for n in numbers]
        )


class _TableReader:
    """Reads one table as its entry says."""

    def __init__(self, claim: Claim, table: Table, printed: PrintedWords) -> None:
        self.refusals: list[Refusal] = []
        self._rules, self._first, self._headings = claim.rules, claim.first, claim.headings
        self._table, self._printed = table, printed
        self._rows: list[int] = []
        self._refused: set[int] = set()
        self._ignored: list[int] = []
        # What is stated of the rows: by their own cells and titles, and for the table as a whole.
        self._own: dict[str, Column] = {}
        self._lent: dict[str, Column] = {}

    def blocks(self) -> Iterator[Block]:
        """The numbers of all columns.

        Raises:
            _TableError: The table cannot be read as the entry says.
        """
        self._check_headings()
        for name, text in self._rules.claims:
            if not self._printed.holds(name, text):
                reason = f"the mapping says {name} {text!r}, which the document does not print"
                raise _TableError("not_printed", f"{reason}; `'!{text}'` in quotes says it all the same")
        around = self._around()
        titles = self._find_rows()
        cells = self._columns()
        self._read_conditions(cells, titles, around)
        self._lent = {name: [one] * len(self._rows) for name, one in around.items()}
        for where, constants in self._rules.constants:
            holds = self._holds(where, over_all(self._own, self._lent), len(self._rows)) if where else ()
            for name, one in self._constants(constants).items() if where else ():
                self._lent[name] = over([one if h else None for h in holds], self._lent.get(name))
        for at, (heading, column) in enumerate(zip(self._headings, cells, strict=True)):
            if heading.column is not None and heading.column.is_value:
                yield from self._values(at, heading, column)

    # Headings, and what is said around the table

    def _check_headings(self) -> None:
        unnamed = []
        for at, heading in enumerate(self._headings):
            if heading.rival and heading.column:
                reason = f"{heading.text!r} fits {heading.column.written} and {heading.rival}: which one counts?"
                raise _TableError("claimed_twice", reason, heading.parts[0])
            if heading.column is None:
                if heading.parts or any(at < len(row) and row[at] for row in self._table.texts[self._first :]):
                    unnamed.append(heading)
                    self._ignored.append(at)
            elif not heading.column.specs:
                self._ignored.append(at)
        if unnamed and not self._rules.ignores_others and self._rules.rows is None:
            names = ", ".join(repr(heading.text) for heading in unnamed[:_LISTED])
            parts = [part for heading in unnamed for part in heading.parts]
            reason = f"the mapping does not say what the columns {names} are; `others: ignore` leaves them out"
            raise _TableError("schema_drift", reason, parts[0] if parts else None)

    def _around(self) -> dict[str, Statement]:
        """What holds for the whole table: constants, then what the texts below and above it state."""
        found: dict[str, Statement] = {}
        for where, constants in self._rules.constants:
            found |= {} if where else self._constants(constants)
        for text in reversed(self._rules.below):
            found |= self._stated_by(text, lambda: self._table.below)
        for text in reversed(self._rules.headings):
            found |= self._stated_by(text, self._above)
        return found

    def _above(self) -> Iterator[Passage]:
        """Rows of one text above the headings, then what is printed above the table, nearest first."""
        for row in range(self._first - 2, -1, -1):
            filled_cells = {text: at for at, text in enumerate(self._table.texts[row]) if text}
            if len(filled_cells) == 1 and not self._table.is_rule(row):
                yield Passage((self._table.cell(row, *filled_cells.values()),), "caption")
        yield from self._table.near
        yield from self._table.far()

    def _stated_by(self, text: str, passages: Callable[[], Iterable[Passage]]) -> dict[str, Statement]:
        pattern = compiled(text)
        for passage in passages():
            if (spans := pattern.search(plain(passage.text))) is not None:
                found = {}
                for name, span in spans.items():
                    cell = passage.cell(*span)
                    found[name] = self._statement(name, passage.text[slice(*span)], cell, passage.level)
                return found
        nearest = "; ".join(repr(passage.text[:_SHOWN]) for passage in islice(passages(), _NEAREST))
        words = f", the nearest are {nearest}" if nearest else ""
        raise _TableError("not_stated", f"no text there is as `{text}` says{words}")

    # Rows and their conditions

    def _find_rows(self) -> list[dict[str, Statement]]:
        """Find the rows below the headings that hold cells; gives what the titles over each state."""
        table, width = self._table, len(self._headings)
        titles: list[dict[str, Statement]] = []
        title: dict[str, Statement] = {}
        unread: str | None = None
        headings = table.texts[self._first - 1] if self._first else ()
        for number in range(self._first, len(table.texts)):
            row = table.texts[number]
            if row == headings or table.is_rule(number):
                continue
            if len(row) == width and width - row.count("") > 1 and not table.spans and unread is None:
                self._rows.append(number)
                titles.append(title)
                continue
            present = [at for at, text in enumerate(row) if text]
            is_alone = width > 1 and len({(table.lines[number][at], table.starts[number][at]) for at in present}) == 1
            if is_alone:
                cell = table.cell(number, present[0])
                said = self._said(self._rules.titles, cell.text) if self._rules.titles else None
                # What stands below a title that cannot be read is not below the one before it.
                unread = cell.text if said is None and self._rules.titles else None
                if said is not None:
                    title = {n: self._statement(n, t, _part(cell, t, at), "row_title") for n, (t, at) in said.items()}
                elif not self._rules.titles and cell.text not in self._rules.missing:
                    reason = (
                        f"{cell.text[:_SHOWN]!r} is alone in its row: `titles` says what it states, or `titles: ignore`"
                    )
                    self._refuse_row(number, "unread_title", reason)
            elif len(row) != width and not any(map(_DIGIT.search, row)):
                self._refused.add(number)
            elif len(row) != width:
                self._refuse_row(number, "row_does_not_fit", f"it has {len(row)} cells, and the table {width} headings")
            elif unread is not None:
                reason = f"it is below {unread[:_SHOWN]!r}, which is not as `titles` says"
                self._refuse_row(number, "unread_condition", reason)
            else:
                self._rows.append(number)
                titles.append(title)
        return titles

    def _refuse_row(self, number: int, rule: str, reason: str, cell: Cell | None = None) -> None:
        row = self._table.texts[number]
        at = next((n for n, text in enumerate(row) if text), 0)
        self._refused.add(number)
        self.refusals.append(Refusal(rule, reason, cell or self._table.cell(number, at), "row", tuple(row)))

    def _columns(self) -> list[_Cells]:
        table, rows = self._table, self._rows
        return [
            _Cells(
                [table.texts[row][at] for row in rows],
                [table.lines[row][at] for row in rows],
                [table.starts[row][at] for row in rows],
            )
            for at in range(len(self._headings))
        ]

    def _read_conditions(
        self, cells: list[_Cells], titles: list[dict[str, Statement]], around: Mapping[str, Statement]
    ) -> None:
        """Read what the columns of conditions and the titles state of each row; rows that cannot be read go."""
        stated: dict[str, Column] = {}
        by: dict[str, str] = {}
        bad: dict[int, tuple[str, Cell]] = {}
        for heading, column in zip(self._headings, cells, strict=True):
            if heading.column is None or not heading.column.specs or heading.column.is_value:
                continue
            found = self._column_conditions(heading, column, bad)
            for name, one in self._of_heading(heading).items():
                found[name] = over(found.get(name, [None] * len(self._rows)), [one] * len(self._rows))
            for name, those in found.items():
                if name in stated:
                    if any(a and b for a, b in zip(stated[name], those, strict=True)):
                        raise _TableError("stated_twice", f"{by[name]!r} and {heading.text!r} both state `{name}`")
                    those = over(those, stated[name])
                stated[name], by[name] = those, heading.text
        for name in self._rules.fill_down & stated.keys():
            stated[name] = self._filled_down(name, stated[name], cells, bad)
        for name in dict.fromkeys(name for title in titles for name in title):
            stated[name] = over(stated.get(name, [None] * len(titles)), [title.get(name) for title in titles])
        for name in _SUBJECTS & stated.keys() - around.keys():
            for number, subject in enumerate(stated[name]):
                if subject is None and any(stated[name]):
                    row = self._rows[number]
                    reason = f"no cell states its `{name}`; `fill_down: {name}` takes it from the row above"
                    bad.setdefault(number, (reason, Cell("", self._table.lines[row][0], 0, 0)))
        for number, (reason, cell) in bad.items():
            # What its numbers are of is not known.
            self._refuse_row(self._rows[number], "unread_condition", reason, cell)
        kept = [number for number in range(len(self._rows)) if number not in bad]
        self._rows = [self._rows[number] for number in kept]
        self._own = {name: [column[number] for number in kept] for name, column in stated.items()}
        cells[:] = [column.kept(kept) for column in cells] if bad else cells

    def _filled_down(
        self, name: str, column: Column, cells: Sequence[_Cells], bad: dict[int, tuple[str, Cell]]
    ) -> Column:
        """A column with the blank cells taken from above; what would come over a refused row is refused as well."""
        filled_column: Column = []
        last: Statement | None = None
        is_lost = False
        for number, one in enumerate(column):
            before = self._rows[number - 1] if number else self._first - 1
            is_lost = (
                is_lost or number in bad or not self._refused.isdisjoint(range(before, self._rows[number]))
            ) and not one
            last = None if is_lost else one or last
            filled_column.append(last)
            if is_lost:
                reason = f"its `{name}` is that of a row above which is refused"
                bad.setdefault(number, (reason, cells[0].cell(number)))
        return filled_column

    def _column_conditions(
        self, heading: Heading, column: _Cells, bad: dict[int, tuple[str, Cell]]
    ) -> dict[str, Column]:
        """What the cells of a column state; rows of which a cell cannot be read are put into `bad`."""
        assert heading.column is not None
        known: dict[str, dict[str, Statement]] = {}
        faults: dict[str, str] = {}
        for text in set(column.texts):
            try:
                known[text] = self._cell_conditions(heading, heading.column.specs, text)
            except ValueError as error:
                known[text], faults[text] = {}, str(error)
        for number, text in enumerate(column.texts if faults else ()):
            if text in faults:
                bad.setdefault(number, (faults[text], column.cell(number)))
        columns: dict[str, Column] = {}
        for name in dict.fromkeys(name for said in known.values() for name in said):
            of_text = {text: said.get(name) for text, said in known.items()}
            columns[name] = [
                one and (one if not one.text else Statement(*one[:3], line, start + one.start))
                for one, line, start in zip(map(of_text.get, column.texts), column.lines, column.starts, strict=True)
            ]
        return columns

    def _cell_conditions(self, heading: Heading, specs: Sequence[Spec], text: str) -> dict[str, Statement]:
        """What a cell states, its places counted within it.

        Raises:
            ValueError: It is not as the mapping says.
        """
        if " ".join(text.split()) in self._rules.missing:
            return {}
        for spec in specs:
            if (said := self._said(spec, text)) is not None:
                found = {name: Statement(self._value(name, t), "row", t, 0, at) for name, (t, at) in said.items()}
                return found | self._constants(spec.constants)
        raise ValueError(f"{text[:_SHOWN]!r} is not as the mapping says of {heading.text!r}")

    def _said(self, spec: Spec, text: str) -> dict[str, tuple[str, int]] | None:
        """The parts of a cell that state something, each with its first character; None where the spec does not fit."""
        whole = {spec.field: (text, 0)} if spec.field and spec.field != VALUE else {}
        if spec.match is None:
            return whole
        spans = compiled(spec.match).fullmatch(plain(text))
        if spans is None:
            return None
        return whole | {name: (text[start:end], start) for name, (start, end) in spans.items() if name != VALUE}

    def _of_heading(self, heading: Heading) -> dict[str, Statement]:
        return {
            name: self._statement(name, heading.text[slice(*span)], heading.part(*span), "column_heading")
            for name, span in heading.groups.items()
        }

    def _constants(self, constants: Mapping[str, str]) -> dict[str, Statement]:
        """Constants as statements; a template waits for what it is made of."""
        texts = {name: value.removeprefix(UNPRINTED) for name, value in constants.items()}
        return {
            name: Statement(text if TEMPLATE.search(text) else self._value(name, text), "mapping")
            for name, text in texts.items()
        }

    def _statement(self, name: str, text: str, cell: Cell, level: str) -> Statement:
        try:
            return Statement(self._value(name, text), level, cell.text, cell.line, cell.start)  # type: ignore[arg-type]
        except ValueError as error:
            raise _TableError("unread_condition", str(error), cell) from error

    def _value(self, name: str, text: str) -> str:
        """The value of a dimension that is printed so.

        Raises:
            ValueError: It is none.
        """
        words = " ".join(text.split())
        named = self._rules.names.get(name, {}).get(fold(words))
        return read_condition(name, words if named is None else named.removeprefix(UNPRINTED))

    def _holds(self, where: Mapping[str, str], conditions: Mapping[str, Column], count: int) -> list[bool]:
        """Row by row whether conditions are met."""
        holds = [True] * count
        for name, wanted in where.items():
            folded = {fold(wanted), fold(self._value(name, wanted))}
            column = conditions.get(name, [None] * count)
            holds = [h and one is not None and fold(one.value) in folded for h, one in zip(holds, column, strict=True)]
        return holds

    # Measured columns

    def _values(self, at: int, heading: Heading, column: _Cells) -> Iterator[Block]:
        """The numbers of a column, spec by spec; a cell that none reads is refused."""
        assert heading.column is not None
        left = {n for n, text in enumerate(column.texts) if " ".join(text.split()) not in self._rules.missing}
        spanned = {n for n in left if (self._rows[n], at) in self._table.spans}
        present = sorted(left - spanned)
        # Of several numbers in one cell each spec reads its own; where two would read the same, the first one does.
        taken: dict[int, set[int]] = defaultdict(set)
        for spec in heading.column.specs:
            if spec.is_value:
                near, full = self._near_and_full(spec, heading, column)
                holds = self._holds(spec.where, full, len(self._rows))
                rows = [n for n in present if holds[n] and self._is_free(spec, column.texts[n], taken[n])]
                for kind, numbers in self._kinds(heading, full, rows).items():
                    for block, read in self._blocks(spec, heading, column, numbers, kind, near, full):
                        left.difference_update(read)
                        if len(heading.column.specs) > 1:
                            for number, (text, _, start) in zip(read, block.cells, strict=True):
                                begin = start - column.starts[number]
                                taken[number].update(range(begin, begin + len(text)))
                        yield block
        for number in sorted(left):
            words = "stands over several rows or columns, and is" if number in spanned else "is"
            units = ", ".join(dict.fromkeys(spec.unit or spec.metric or VALUE for spec in heading.column.specs))
            reason = f"{column.texts[number][:_SHOWN]!r} below {heading.text!r} {words} no number of {units}"
            self._refuse_row(self._rows[number], "unread_value", reason, column.cell(number))

    def _is_free(self, spec: Spec, text: str, taken: set[int]) -> bool:
        """Whether a spec would read other characters of a cell than those before it have."""
        if not taken:
            return True
        spans = compiled(spec.match).fullmatch(plain(text)) if spec.match else None
        return spans is not None and VALUE in spans and taken.isdisjoint(range(*spans[VALUE]))

    def _near_and_full(
        self, spec: Spec, heading: Heading, column: _Cells
    ) -> tuple[Mapping[str, Column], dict[str, Column]]:
        """What cells, heading, spec and rows of a column state; and the same with what holds for the table."""
        count = len(self._rows)
        given = {name: text for name, text in ((METRIC, spec.metric), (STATISTIC, spec.statistic)) if text}
        if spec.unit:
            given[UNIT] = spec.unit
        constants = self._constants(spec.constants | given)
        # A unit that the row itself prints is nearer than that of the column.
        levels: list[dict[str, Statement]] = [self._of_heading(heading), constants]
        of_rows = {UNIT: self._own[UNIT]} if UNIT in self._own else {}
        of_column: list[dict[str, Column]] = [{name: [one] * count for name, one in part.items()} for part in levels]
        near = over_all(self._parts(spec, column), of_rows, *of_column, self._own)
        return near, self._filled(over_all(near, self._lent))

    def _parts(self, spec: Spec, column: _Cells) -> dict[str, Column]:
        """What the parts of the measured cells themselves state."""
        if spec.match is None:
            return {}
        said = {text: self._said(spec, text) or {} for text in set(column.texts)}
        columns: dict[str, Column] = {}
        for name in dict.fromkeys(name for parts in said.values() for name in parts):
            columns[name] = [
                self._statement(name, part[0], _part(column.cell(n), *part), "cell")
                if (part := said[text].get(name))
                else None
                for n, text in enumerate(column.texts)
            ]
        return columns

    def _kinds(
        self, heading: Heading, conditions: Mapping[str, Column], rows: Sequence[int]
    ) -> dict[tuple[str, str, str | None], list[int]]:
        """Rows by what is measured in them: metric, unit as given, statistic."""
        nothing: Column = [None] * len(self._rows)
        metrics, units, statistics = (conditions.get(name, nothing) for name in (METRIC, UNIT, STATISTIC))
        kinds: dict[tuple[str, str, str | None], list[int]] = defaultdict(list)
        for number in rows:
            metric, unit, statistic = metrics[number], units[number], statistics[number]
            if metric is None:
                line = self._table.lines[self._rows[number]][0]
                raise _TableError(
                    "no_metric", f"nothing says what {heading.text!r} measures in line {line}", _shown_by(heading)
                )
            kinds[metric.value, unit.value if unit else "", statistic.value if statistic else None].append(number)
        return kinds

    def _measures(self, heading: Heading, metric: str, unit: str) -> tuple[str, str, MetricKind, Measure, Measure]:
        """A metric, its canonical unit and kind, and what the unit of the cells and its own measure."""
        known = self._rules.mapping.metric(metric)
        if known is None and (entry := find("metrics", metric)):
            metric = entry.name
            known = self._rules.mapping.metric(metric)
        if known is None:
            reason = f"{metric!r} is no metric: say under `names` or `metrics` what it is"
            raise _TableError("unknown_metric", reason, _shown_by(heading))
        canonical, kind = known
        wanted = measure_of(canonical) or Measure(canonical, 1.0)
        measure = self._rules.mapping.measure(unit) if unit else wanted if canonical not in _NEEDS_UNIT else None
        if measure is None or not measure.converts_to(wanted):
            reason = (
                f"{heading.text!r} has {repr(unit) if unit else 'no unit'}, and {metric} is measured in {canonical}"
            )
            raise _TableError("no_unit", reason, _shown_by(heading))
        return metric, canonical, kind, measure, wanted

    def _blocks(
        self,
        spec: Spec,
        heading: Heading,
        column: _Cells,
        rows: Sequence[int],
        kind: tuple[str, str, str | None],
        near: Mapping[str, Column],
        full: Mapping[str, Column],
    ) -> Iterator[tuple[Block, list[int]]]:
        """The numbers of one kind by the unit that their cells print, each with its rows."""
        _, unit, statistic = kind
        metric, canonical, metric_kind, measure, wanted = self._measures(heading, *kind[:2])
        numbers = {text: self._number(spec, text, unit, measure, wanted) for text in {column.texts[n] for n in rows}}
        by_unit: dict[tuple[str | None, str | None], list[int]] = defaultdict(list)
        for number in rows:
            if one := numbers[column.texts[number]]:
                by_unit[one.unit, one.item].append(number)
        declared = self._rules.mapping.metrics.get(metric)
        conditions = {name: those for name, those in full.items() if name != METRIC and not name.startswith("_")}
        for name in [name for name in conditions if not self._is_lent(name, metric_kind, spec)]:
            own = near.get(name)
            conditions[name] = [a and b for a, b in zip(own, conditions[name], strict=True)] if own else []
        for (own_unit, item), kept in by_unit.items():
            found = [one for number in kept if (one := numbers[column.texts[number]])]
            is_whole = len(kept) == len(self._rows)
            block = Block(
                self._table, heading.text, metric, canonical, item, own_unit or unit, statistic,
                declared.higher_is_better if declared else None,
                [self._rows[number] for number in kept],
                [one.quantity for one in found],
                [(one.text, column.lines[n], column.starts[n] + one.start) for n, one in zip(kept, found, strict=True)],
                {name: those if is_whole else [those[n] for n in kept] for name, those in conditions.items() if those},
                self._ignored,
            )  # fmt: skip
            self._state_unit(block, heading, unit, own_unit, found)
            if statistic and all(one and one.level == "mapping" for one in block.conditions[STATISTIC]):
                block.conditions[STATISTIC] = [_statistic_in(heading, statistic)] * len(kept)
            yield block, kept

    def _number(self, spec: Spec, text: str, unit: str, measure: Measure, wanted: Measure) -> Number | None:
        """The number of a cell; None where the cell is not as the spec says."""
        if spec.match is None:
            return read_number(text, unit, measure, wanted)
        pattern = compiled(spec.match)
        spans = pattern.fullmatch(plain(text))
        if spans is None or (VALUE in pattern.names and VALUE not in spans):
            return None
        start, end = spans.get(VALUE, (0, len(text)))
        found = read_number(text[start:end], unit, measure, wanted)
        return found and found._replace(start=found.start + start)

    def _state_unit(
        self, block: Block, heading: Heading, unit: str, own_unit: str | None, found: Sequence[Number]
    ) -> None:
        """Say where the unit is printed: in the cells, in a column of units, in the heading, or nowhere."""
        stated = block.conditions.pop(UNIT, [])
        if own_unit is None:
            # A time in parts prints its units itself.
            block.unit_printed = ""
        elif own_unit:
            block.conditions[UNIT] = [
                Statement(own_unit, "cell", own_unit, line, start + one.unit_at)
                for (_, line, start), one in zip(block.cells, found, strict=True)
            ]
        elif stated and all(one and one.level in ("row", "cell") for one in stated):
            block.conditions[UNIT] = stated
        elif unit:
            cell = unit_in(heading.parts, unit)
            one = Statement(cell.text, "column_heading", cell.text, cell.line, cell.start) if cell else None
            block.conditions[UNIT] = [one or Statement(unit, "mapping")] * len(block.rows)
            block.unit_printed = cell.text if cell else unit

    def _is_lent(self, name: str, metric_kind: MetricKind, spec: Spec) -> bool:
        """Whether what holds for the whole table holds for numbers of this kind.

        A quality does not run on the machine of the speed test, and a speed not on the data of the quality.
        """
        if name in spec.from_entry:
            return True
        if metric_kind == "quality":
            return name in dimensions() and dimensions()[name].is_lent
        return name != "dataset" or not self._rules.has_quality

    def _filled(self, conditions: dict[str, Column]) -> dict[str, Column]:
        """The same with templates put together from what groups and columns say."""
        for name in self._rules.templated & conditions.keys():
            column = conditions[name]
            made: Column = []
            for number, one in enumerate(column):
                used = TEMPLATE.findall(one.value) if one else ()
                row = [those[number] if (those := conditions.get(part)) else None for part in used]
                made.append(self._made(name, one.value, used, row) if one and used else one)
            conditions[name] = made
        return conditions

    def _made(self, name: str, template: str, used: Sequence[str], row: Sequence[Statement | None]) -> Statement | None:
        stated = [one for one in row if one]
        if len(stated) < len(row):
            return None
        values = {part: one.value for part, one in zip(used, stated, strict=True)}
        text = filled(template, values)
        known = dimensions().get(name)
        factors = [part.strip().replace(",", "") for part in text.split("*")]
        if known and known.type is Type.COUNT and len(factors) > 1 and all(map(str.isdecimal, factors)):
            text = str(prod(map(int, factors)))
        printed = next((one for one in stated if one.text), Statement("", "mapping"))
        cell = Cell(printed.text, printed.line, printed.start, printed.start + len(printed.text))
        return self._statement(name, text, cell, printed.level)


def over_all(*levels: Mapping[str, Column]) -> dict[str, Column]:
    """What is stated of the rows on several levels, the nearest first."""
    found: dict[str, Column] = {}
    for level in levels:
        for name, column in level.items():
            found[name] = over(found[name], column) if name in found else column
    return found


def _part(cell: Cell, text: str, start: int) -> Cell:
    return Cell(text, cell.line, cell.start + start, cell.start + start + len(text))


def _shown_by(heading: Heading) -> Cell | None:
    return heading.parts[0] if heading.parts else None


def _statistic_in(heading: Heading, statistic: str) -> Statement:
    """Where a heading prints a statistic: the number of a percentile, or the word itself."""
    wanted = statistic.removeprefix("p") if statistic[1:2].isdigit() else statistic
    words = [wanted, "median"] if statistic == "p50" else [wanted]
    places = [(heading.text.casefold().find(word), len(word)) for word in words]
    at, length = next((place for place in places if place[0] >= 0), (-1, 0))
    if at < 0:
        return Statement(statistic, "mapping")
    cell = heading.part(at, at + length)
    return Statement(statistic, "column_heading", cell.text, cell.line, cell.start)
