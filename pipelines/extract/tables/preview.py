"""What a mapping makes of the tables of a document, for a person to look at: plain data, which a worker can return.

How it is shown belongs in `mapping_preview.py`, what a draft asks in `draft.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pipelines.extract.tables.ambiguous import refuse_ambiguous
from pipelines.extract.tables.apply import Block, Result, apply
from pipelines.extract.tables.claims import Claim, Heading, tables_for
from pipelines.extract.tables.column_facts import number_unit
from pipelines.extract.tables.entries import Rules
from pipelines.extract.tables.measurements import conditions_of
from pipelines.extract.tables.patterns import groups_of
from pipelines.extract.tables.printed import Table
from pipelines.read.document import Document


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of a number: its value, the printed words ("" where nothing is printed), and where they are."""

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
        heading: Heading of its column.
        metric: What it measures.
        statistic: Which of many measurements it is, or None.
        value: In the canonical unit.
        unit: The canonical unit with what is counted.
        conditions: What is stated of it, by dimension.
    """

    line: int
    start: int
    printed: str
    heading: str
    metric: str
    statistic: str | None
    value: float
    unit: str
    conditions: dict[str, Stated]

    @property
    def stored(self) -> str:
        """Value, unit, metric and statistic."""
        parts = (f"{self.value:.12g}", self.unit, self.metric, self.statistic or "")
        return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class ColumnPreview:
    """What the cells below a heading become, with the first one as printed and as stored."""

    heading: str
    becomes: str
    printed: str
    stored: str


@dataclass
class TablePreview:
    """A printed table beside what is stored of it.

    Attributes:
        line: Its first line.
        title: The nearest caption or heading, or "".
        entry: Line of the entry that claims it, or None.
        rule: The rule that refuses it, `skip` where the mapping leaves it out, or None.
        printed: Numbers of its measured columns; of a table that is not read, all numbers.
        columns: Its headings.
        texts: Its cells, row by row.
        numbers: What would be stored.
    """

    line: int
    title: str
    entry: int | None
    rule: str | None
    printed: int
    columns: list[ColumnPreview] = field(default_factory=list)
    texts: list[tuple[str, ...]] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RefusalPreview:
    """What is refused: rule, line, what is lost (`table`, `row` or `note`), and why."""

    rule: str
    line: int
    scope: str
    reason: str


@dataclass
class Preview:
    """What a mapping makes of a document."""

    tables: list[TablePreview]
    refusals: list[RefusalPreview]

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
        return any(refusal.scope != "row" for refusal in self.refusals)


def preview(document: Document, taken: Collection[int], entries: Sequence[Rules]) -> Preview:
    """What the entries of a mapping make of a document.

    Args:
        document: The document.
        taken: Lines that are read as another format, such as a log.
        entries: The mapping.
    """
    tables = tables_for(document, taken, entries)
    result = apply(document, tables, entries)
    refuse_ambiguous(result)
    numbers: dict[int, list[Number]] = {}
    for block in result.blocks:
        numbers.setdefault(id(block.table), []).extend(_numbers(block))
    shown = [_table(number, table, result, numbers.get(id(table), [])) for number, table in enumerate(tables)]
    kept = [one for table, one in zip(tables, shown, strict=True) if table.holds_numbers or one.entry is not None]
    return Preview(kept, [RefusalPreview(r.rule, r.cell.line, r.scope, r.reason) for r in result.refusals])


def _table(number: int, table: Table, result: Result, numbers: list[Number]) -> TablePreview:
    claim = result.claims.get(number)
    rule = result.refused.get(number) or ("skip" if claim and claim.rules.entry.skip else None)
    numbers.sort(key=lambda one: (one.line, one.start))
    return TablePreview(
        table.first_line,
        table.heading.text if table.heading else "",
        claim.rules.line if claim else None,
        rule,
        _count_printed(table, claim, rule),
        [_column(heading, numbers) for heading in claim.headings] if claim else [],
        [tuple(row) for row in table.texts],
        numbers,
    )


def _count_printed(table: Table, claim: Claim | None, rule: str | None) -> int:
    if rule == "skip":
        return 0
    if claim is None or rule:
        return sum(1 for row in table.texts[1:] for text in row if number_unit(text) is not None)
    at = [n for n, heading in enumerate(claim.headings) if heading.column and heading.column.is_value]
    cells = [row[n] for row in table.texts[claim.first :] for n in at if n < len(row)]
    return sum(1 for text in cells if any(map(str.isdigit, text)) and " ".join(text.split()) not in claim.rules.missing)


def _numbers(block: Block) -> list[Number]:
    unit = block.unit.replace("items", block.item, 1) if block.item else block.unit
    columns = conditions_of(block)
    known: dict[int, Stated] = {}
    found = []
    for at, ((text, line, start), quantity) in enumerate(zip(block.cells, block.values, strict=True)):
        stated = {}
        for name, column in columns.items():
            if (one := column[at]) is not None:
                stated[name] = known.setdefault(id(one), Stated(one.value, one.text, one.level))
        found.append(
            Number(line, start, text, block.heading, block.metric, block.statistic, quantity.value, unit, stated)
        )
    return found


def _column(heading: Heading, numbers: Sequence[Number]) -> ColumnPreview:
    column, printed, stored = heading.column, "", ""
    names: list[str] = []
    if column is None or not column.specs:
        becomes = "ignored" if column else "ignored: not in the mapping"
    elif column.is_value:
        own = [number for number in numbers if number.heading == heading.text]
        becomes = " or ".join(dict.fromkeys(f"{n.metric} {n.statistic or ''}".strip() for n in own)) or "no number"
        printed, stored = (own[0].printed, own[0].stored) if own else ("", "")
    else:
        for spec in column.specs:
            names += [spec.field] if spec.field else []
            names += [*groups_of(spec.match)] if spec.match else []
            names += [*spec.constants]
        becomes = ", ".join(dict.fromkeys(names))
    names += [name for name in heading.groups if not name.startswith("_")]
    if heading.groups:
        becomes += f", heading: {', '.join(heading.groups)}"
    first = next((n for n in numbers if n.heading == heading.text or not (column and column.is_value)), None)
    stated = {name: first.conditions[name] for name in names if first and name in first.conditions}
    printed = printed or next((one.printed for one in stated.values() if one.printed), "")
    parts = [stored] * bool(stored) + [f"{name} {one.value}" for name, one in stated.items()]
    return ColumnPreview(heading.text, becomes, printed, ", ".join(parts))
