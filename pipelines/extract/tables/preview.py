"""What a mapping makes of the tables of a document, for a person to look at: plain data, which a worker can return.

How it is shown belongs in `mapping_preview.py`, what a draft asks in `draft.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipelines.extract.tables.apply import Block, Heading, Result, apply
from pipelines.extract.tables.entries import Rules
from pipelines.extract.tables.measurements import Conditions, rows_of
from pipelines.extract.tables.patterns import groups_of
from pipelines.extract.tables.printed import Table, tables_of
from pipelines.read.document import Document

_IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of a number: its value, the printed words ("" where nothing is printed), and where they stand."""

    value: str
    printed: str
    level: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it would be stored.

    Attributes:
        line: Its line.
        start: Its first character within the line.
        printed: Its characters.
        metric: What it measures.
        statistic: Which of many measurements it is, or None.
        value: In the canonical unit.
        unit: The canonical unit with what is counted.
        conditions: What is stated of it, by dimension.
    """

    line: int
    start: int
    printed: str
    metric: str
    statistic: str | None
    value: float
    unit: str
    conditions: dict[str, Stated]


@dataclass(frozen=True, slots=True)
class ColumnShown:
    """What the cells below a heading become, with the first one as printed and as stored."""

    heading: str
    becomes: str
    printed: str
    stored: str


@dataclass
class TableShown:
    """A printed table beside what is stored of it.

    Attributes:
        line: Its first line.
        title: The nearest caption or heading, or "".
        entry: Line of the entry that reads it, or None.
        rule: The rule that refuses it, `skip` where the mapping leaves it out, or None.
        printed: Numbers of its measured columns; of a table that is not read all numbers.
        columns: Its headings.
        texts: Its cells, row by row.
        numbers: What would be stored.
    """

    line: int
    title: str
    entry: int | None
    rule: str | None
    printed: int
    columns: list[ColumnShown] = field(default_factory=list)
    texts: list[tuple[str, ...]] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RefusalShown:
    """What is refused: rule, line, what is lost (`table`, `row` or `note`), and why."""

    rule: str
    line: int
    scope: str
    reason: str


@dataclass
class Preview:
    """What a mapping makes of a document."""

    tables: list[TableShown]
    refusals: list[RefusalShown]

    @property
    def numbers(self) -> list[Number]:
        """Everything that would be stored."""
        return [number for table in self.tables for number in table.numbers]

    @property
    def printed(self) -> int:
        """Numbers of measured columns, and all of the tables that are not read."""
        return sum(table.printed for table in self.tables)

    @property
    def is_open(self) -> bool:
        """Whether a table with numbers is not read, or an entry has no table."""
        return any(refusal.scope == "table" for refusal in self.refusals)


def preview(document: Document, taken: Sequence[int], entries: Sequence[Rules]) -> Preview:
    """What the entries of a mapping make of a document.

    Args:
        document: The document.
        taken: Lines that are read as another format, such as a log.
        entries: The mapping.
    """
    tables = tables_of(document, taken, [(rules.line, rules.rows) for rules in entries if rules.rows])
    result = apply(document, tables, entries)
    shown = [_table(number, table, result) for number, table in enumerate(tables)]
    places = {id(table): number for number, table in enumerate(tables)}
    samples: dict[tuple[int, str], tuple[str, str, str]] = {}
    for block in result.blocks:
        numbers = _numbers(block)
        shown[places[id(block.table)]].numbers += numbers
        if numbers:
            first = numbers[0]
            statistic = f" {first.statistic}" if first.statistic else ""
            stored = f"{first.value:.12g} {first.unit}".strip()
            samples.setdefault((places[id(block.table)], block.heading), (f"{first.metric}{statistic}", first.printed, stored))
    for number, table in enumerate(shown):
        table.columns = [_column(number, heading, table, samples) for heading in result.headings.get(number, ())]
    kept = [table for n, table in enumerate(shown) if tables[n].holds_numbers or table.entry is not None]
    refusals = [RefusalShown(r.rule, r.cell.line, r.scope, r.reason) for r in result.refusals]
    return Preview(kept, refusals)


def _table(number: int, table: Table, result: Result) -> TableShown:
    rules, heading = result.claims[number], result.headings.get(number)
    rule = result.refused.get(number) or ("skip" if rules and rules.entry.skip else None)
    columns = range(max(map(len, table.texts), default=0))
    texts = [tuple(row) for row in table.texts]
    missing: frozenset[str] = frozenset()
    if heading is not None and rules:
        columns = [n for n, one in enumerate(heading) if one.column and one.column.is_value]  # type: ignore[assignment]
        missing = rules.missing
    own = {(part.line, part.start) for one in heading or () for part in one.parts}
    printed = sum(
        1
        for r, row in enumerate(table.texts)
        for c in columns
        if (r or heading) and c < len(row) and row[c][:1] and any(map(str.isdigit, row[c]))
        and row[c] not in missing and (table.lines[r][c], table.starts[r][c]) not in own
        and (heading is not None or number_unit(row[c]) is not None)
    )  # fmt: skip
    if rule == "skip":
        printed = 0
    title = table.heading.text if table.heading else ""
    return TableShown(table.first_line, title, rules.line if rules else None, rule, printed, texts=texts)


def _numbers(block: Block) -> list[Number]:
    # What follows from other conditions, such as the phase in a name, is added by this.
    list(rows_of(block, Conditions(), defines_pairs=False))
    names = [name for name in block.conditions if name not in ("unit", "statistic")]
    known: dict[tuple[str, str, str], Stated] = {}
    columns = [list(block.column(name)) for name in names]
    unit = block.unit.replace("items", block.item, 1) if block.item else block.unit
    found = []
    for at, (quantity, (text, line, start)) in enumerate(zip(block.values, block.cells, strict=True)):
        conditions = {}
        for name, column in zip(names, columns, strict=True):
            if (one := column[at]) is not None:
                conditions[name] = known.setdefault((one[0], one[2], one[1]), Stated(one[0], one[2], one[1]))
        found.append(Number(line, start, text, block.metric, block.statistic, quantity.value, unit, conditions))
    return found


def _column(
    number: int, heading: Heading, table: TableShown, samples: dict[tuple[int, str], tuple[str, str, str]]
) -> ColumnShown:
    text, column = heading.text, heading.column
    if column is None or not column.specs:
        return ColumnShown(text, _IGNORED if column else f"{_IGNORED} (others)", "", "")
    if column.is_value:
        becomes, printed, stored = samples.get((number, text), ("no number", "", ""))
    else:
        names = [spec.field for spec in column.specs if spec.field]
        names += [name for spec in column.specs if spec.match for name in groups_of(spec.match)]
        becomes, printed, stored = ", ".join(dict.fromkeys(names)), "", ""
        for name in names:
            stated = [one.conditions[name] for one in table.numbers[:1] if name in one.conditions]
            printed = printed or next((one.printed for one in stated), "")
            stored = ", ".join([stored] * bool(stored) + [one.value for one in stated])
    if heading.groups:
        becomes += f"; {', '.join(name for name in heading.groups)} from the heading"
    return ColumnShown(text, becomes, printed, stored)
