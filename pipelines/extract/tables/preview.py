"""What a mapping makes of the tables of a document, for a person to look at: plain data, which a worker can return.

How it is shown belongs in `mapping_preview.py`, what a draft asks in `draft.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pipelines.extract.rows import Reject
from pipelines.extract.tables.apply import apply
from pipelines.extract.tables.blocks import Block, Result, refuse_ambiguous
from pipelines.extract.tables.claims import Heading
from pipelines.extract.tables.mapping import Entry
from pipelines.extract.tables.measurements import conditions_of
from pipelines.extract.tables.printed import tables_of
from pipelines.extract.tables.statements import Statement
from pipelines.read.document import Document


@dataclass(frozen=True, slots=True)
class PreviewedNumber:
    """A number as it would be stored: its place, its value in the canonical unit, and what is stated of it."""

    line: int
    start: int
    printed: str
    heading: str
    metric: str
    statistic: str | None
    value: float
    unit: str
    conditions: dict[str, Statement]


@dataclass(frozen=True, slots=True)
class TablePreview:
    """A printed table beside what is stored of it.

    Attributes:
        entry: Line of the entry that claims it, or None.
        rule: The rule that refuses it, `skip` where the mapping leaves it out, or None.
        printed: Numbers of its measured columns; of a table that is not read, all numbers.
        columns: Of each column its heading, what its cells become, and the first one as printed and as stored.
    """

    line: int
    title: str
    entry: int | None
    rule: str | None
    printed: int
    columns: list[list[str]]
    texts: list[tuple[str, ...]]
    numbers: list[PreviewedNumber]


@dataclass
class Preview:
    """What a mapping makes of a document.

    Attributes:
        tables: Its tables.
        refusals: What is refused.
        path: Its path in the store.
        changes: What a build would store otherwise than the warehouse has it, as rows of line, kind (`added`,
            `removed`, `changed`), printed, before and after; None where the warehouse has no number of it.
    """

    tables: list[TablePreview]
    refusals: list[Reject]
    path: str = ""
    changes: list[list[str]] | None = None

    @property
    def numbers(self) -> list[PreviewedNumber]:
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


def preview(document: Document, taken: Collection[int], entries: Sequence[Entry]) -> Preview:
    """What the entries of a mapping make of a document.

    Args:
        document: The document.
        taken: Lines that are read as another format, such as a log.
        entries: The mapping.
    """
    result = apply(document, tables_of(document, taken, entries), entries)
    refuse_ambiguous(result)
    shown = range(len(result.tables))
    tables = [_table(n, result) for n in shown if result.tables[n].holds_numbers or n in result.claims]
    return Preview(tables, result.refusals)


def _table(number: int, result: Result) -> TablePreview:
    table, claim = result.tables[number], result.claims.get(number)
    rule = result.refused.get(number) or ("skip" if claim and claim.entry.skip else None)
    numbers = [one for block in result.blocks if block.table is table for one in _numbers(block)]
    numbers.sort(key=lambda one: (one.line, one.start))
    return TablePreview(
        table.first_line,
        table.heading.text if table.heading else "",
        claim.entry.line if claim else None,
        rule,
        _count_printed(number, result, rule),
        [_column(heading, numbers) for heading in claim.headings] if claim else [],
        [tuple(row) for row in table.texts],
        numbers,
    )


def _count_printed(number: int, result: Result, rule: str | None) -> int:
    table, claim = result.tables[number], result.claims.get(number)
    if rule == "skip":
        return 0
    if claim is None or rule:
        return table.count_numbers()
    at = [n for n, heading in enumerate(claim.headings) if heading.is_value]
    cells = [row[n] for row in table.texts[claim.first :] for n in at if n < len(row)]
    return sum(1 for text in cells if any(map(str.isdigit, text)) and not claim.entry.is_missing(text))


def _numbers(block: Block) -> list[PreviewedNumber]:
    unit = block.unit.replace("items", block.item, 1) if block.item else block.unit
    columns = conditions_of(block)
    return [
        PreviewedNumber(
            line, start, text, block.heading, block.metric, block.statistic, quantity.value, unit,
            {name: one for name, column in columns.items() if (one := column[at])},
        )
        for at, ((text, line, start), quantity) in enumerate(zip(block.places, block.values, strict=True))
    ]  # fmt: skip


def _column(heading: Heading, numbers: Sequence[PreviewedNumber]) -> list[str]:
    """A heading, what its cells become, and the first one as printed and as stored."""
    column, own = heading.column, [number for number in numbers if number.heading == heading.text]
    shown = own if heading.is_value else numbers
    names = [name for name in heading.groups if not name.startswith("_")]
    if column is None or not column.specs:
        becomes = "ignored" if column else "ignored: not in the mapping"
    elif column.is_value:
        becomes = " or ".join(dict.fromkeys(f"{n.metric} {n.statistic or ''}".strip() for n in own)) or "no number"
    else:
        names = [name for spec in column.specs for name in (*spec.captures, *spec.constants)] + names
        becomes = ", ".join(dict.fromkeys(name for name in names if name not in heading.groups))
    becomes += f", heading: {', '.join(heading.groups)}" if heading.groups else ""
    stated = {name: one for name in names if shown and (one := shown[0].conditions.get(name))}
    first = own[0] if heading.is_value and own else None
    parts = [f"{first.value:.12g}", first.unit, first.metric, first.statistic or ""] if first else []
    printed = first.printed if first else next((one.text for one in stated.values() if one.text), "")
    facts = [" ".join(filter(None, parts))] if parts else []
    facts += [*(f"{name} {one.value}" for name, one in stated.items())]
    return [heading.text, becomes, printed, ", ".join(facts)]
