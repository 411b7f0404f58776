"""Previews what a mapping reads in a document: plain data, which a worker process can return.

How it is printed belongs in `mapping_preview.py`, drafts in `draft.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipelines.extract.conditions import Stated, fields_of
from pipelines.extract.rows import Reject
from pipelines.extract.tables.apply import apply
from pipelines.extract.tables.claims import ClaimedTable, Heading
from pipelines.extract.tables.mapping import MappingEntry
from pipelines.extract.tables.measurements import (
    MeasuredNumber,
    Result,
    conditions_of,
    unread_numbers,
)
from pipelines.extract.tables.printed import PrintedTable, tables_of
from pipelines.extract.tables.statements import number_unit
from pipelines.read.document import Document
from pipelines.vocabulary.resolution import item_counted

# The conditions that tell what a rate counts.
_OF_ITEMS = ("task", "suite", "submission_id", "model", "model_size", "variant", "dataset")


class PreviewedNumber(NamedTuple):
    """A number as it would be stored: its place, its value in the canonical unit, and its
    conditions.
    """

    line: int  #: Its line, from 1.
    start: int  #: Offset in the line, from 0.
    printed: str  #: The printed characters.
    heading: str  #: The heading of its column.
    metric: str  #: The metric.
    statistic: str  #: The statistic, or "".
    value: float  #: The value in the unit below.
    unit: str  #: The canonical unit of the metric, with the item that is counted.
    conditions: dict[str, Stated]  #: By dimension: its value, printed characters and level.
    row: int  #: Its row in the table, from 0.


class TablePreview(NamedTuple):
    """A printed table and what is stored of it.

    Attributes:
        entry: Line of the entry that claims it, or 0.
        rule: The rule that refuses it, `skip` for a skipped table, or "".
        printed: Count of its numbers that are no conditions; of a table that is not read, of all
            numbers.
        ignored: How many of them are in ignored columns.
        columns: For each column its heading, what its cells become, and the first one as printed
            and as stored.
        texts: The cells, row by row.
        marks: `ignored` or `refused` for such cells, by row and column.
        numbers: The numbers that would be stored.
        notes: Which rows `fill_down` fills, and what a quality does not take from the entry.
    """

    line: int  #: Its first line, from 1.
    title: str  #: The heading or caption above it.
    entry: int
    rule: str
    printed: int
    ignored: int
    columns: list[list[str]]
    texts: list[tuple[str, ...]]
    marks: dict[tuple[int, int], str]
    numbers: list[PreviewedNumber]
    notes: list[str]


def preview(
    document: Document, taken: Collection[int], entries: Sequence[MappingEntry]
) -> tuple[list[TablePreview], list[Reject]]:
    """The tables of a document as read by the entries of a mapping, and the rejects.

    Args:
        document: The document.
        taken: Lines that are read as another format, such as a log.
        entries: The mapping.
    """
    result = apply(document, tables_of(document, taken, entries), entries)
    shown = [
        (n, table)
        for n, table in enumerate(result.tables)
        if table.holds_numbers or n in result.claims
    ]
    return [_table(result, n, table) for n, table in shown], result.refusals


def _table(result: Result, number: int, table: PrintedTable) -> TablePreview:
    claim = result.claims.get(number)
    rule = result.refused.get(number, "skip" if claim and claim.entry.skip else "")
    numbers = [_number(one) for one in result.numbers if one.table is table]
    numbers.sort(key=lambda one: (one.line, one.start))
    marks, ignored = _marks(result, table, claim)
    printed = table.count_numbers()
    if claim and not rule:
        read = [
            at
            for at, heading in enumerate(claim.headings)
            if heading.is_value or heading.reads_parts
        ]
        printed = len(numbers) + sum(1 for _ in unread_numbers(result, claim, read)) + ignored
    columns = [_column(heading, numbers) for heading in claim.headings] if claim else []
    title = (claim or table).section["section"] or ""
    line, texts = table.first_line, [*map(tuple, table.texts)]
    entry = claim.entry.line if claim else 0
    return TablePreview(
        line,
        title,
        entry,
        rule,
        printed,
        0 if rule else ignored,
        columns,
        texts,
        marks,
        numbers,
        result.notes.get(number, []),
    )


def _marks(
    result: Result, table: PrintedTable, claim: ClaimedTable | None
) -> tuple[dict[tuple[int, int], str], int]:
    """The cells that the mapping ignores, and those at which a row is refused; and the count of
    ignored numbers.
    """
    refused = {
        (refusal.cell.line, refusal.cell.start)
        for refusal in result.refusals
        if refusal.scope == "row"
    }
    marks, count = {}, 0
    for row, texts in enumerate(table.texts):
        for column, text in enumerate(texts):
            if claim and (column in claim.ignored or row in claim.skipped):
                marks[row, column] = "ignored"
                count += row >= claim.first and number_unit(text) is not None
            if (table.lines[row][column], table.starts[row][column]) in refused:
                marks[row, column] = "refused"
    return marks, count


def _number(number: MeasuredNumber) -> PreviewedNumber:
    conditions, item = conditions_of(number), number.item
    if number.unit.startswith("items/s"):
        of_items = ((name, one.value) for name, one in conditions.items() if name in _OF_ITEMS)
        item = _item_of(item, tuple(of_items))
    return PreviewedNumber(
        number.cell.line,
        number.cell.start,
        number.cell.text,
        number.heading,
        number.metric,
        number.statistic or "",
        number.quantity.value,
        number.unit.replace("items", item or "items", 1),
        conditions,
        number.row,
    )


@lru_cache(1 << 12)
def _item_of(item: str | None, values: tuple[tuple[str, str], ...]) -> str | None:
    fields = fields_of(dict(values))
    return item_counted(item, fields["model_printed"], fields["variant_name"], fields["suite"])


def _column(heading: Heading, numbers: Sequence[PreviewedNumber]) -> list[str]:
    """A heading, what its cells become, and the first one as printed and as stored."""
    own = (
        [number for number in numbers if number.heading == heading.text] if heading.is_value else []
    )
    column, names = heading.column, [name for name in heading.groups if not name.startswith("_")]
    if column is None or not column.specs:
        return [heading.text, "ignored" if column else "ignored: not in the mapping", "", ""]
    if column.is_value:
        becomes = (
            " or ".join(dict.fromkeys(f"{one.metric} {one.statistic}".strip() for one in own))
            or "no number"
        )
    else:
        of_cells = [name for spec in column.specs for name in (*spec.captures, *spec.constants)]
        becomes, names = ", ".join(dict.fromkeys(of_cells)), of_cells + names
    becomes += f", heading: {', '.join(heading.groups)}" if heading.groups else ""
    first = next(iter(own if heading.is_value else numbers), None)
    stated = {name: one for name in names if first and (one := first.conditions.get(name))}
    printed = next((one.cell.text for one in stated.values() if one.cell.text), "")
    facts = [f"{name} {one.value}" for name, one in stated.items()]
    if first and own:
        printed = first.printed
        facts.insert(0, f"{first.value:.12g} {first.unit} {first.metric} {first.statistic}".strip())
    return [heading.text, becomes, printed, ", ".join(facts)]
