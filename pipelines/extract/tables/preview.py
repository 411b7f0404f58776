"""Previews what a mapping reads in a document: plain data, which a worker process can return.

How it is printed belongs in `mapping_preview.py`, drafts in `draft.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from pipelines.extract.conditions import Stated, fields_of
from pipelines.extract.rows import Reject
from pipelines.extract.tables.apply import apply
from pipelines.extract.tables.cell_values import number_unit
from pipelines.extract.tables.claims import Heading
from pipelines.extract.tables.mapping import MappingEntry
from pipelines.extract.tables.measurements import (
    MeasuredNumber,
    TableReading,
    conditions_of,
    unread_numbers,
)
from pipelines.extract.tables.printed import tables_of
from pipelines.read.document import Document
from pipelines.vocabulary.resolution import item_counted


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
        layout: The file of that entry, if it is a shipped layout, or "".
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
    layout: str
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
    refused = [reject.cell for reject in result.refusals if reject.scope == "row"]
    places = {(cell.line, cell.start) for cell in refused}
    tables = [
        _table(reading, places)
        for reading in result.tables
        if reading.claim or reading.table.holds_numbers
    ]
    return tables, result.refusals


def _table(reading: TableReading, refused: set[tuple[int, int]]) -> TablePreview:
    """The preview of a table; `refused` has the places of the cells at which rows are refused."""
    table, claim = reading.table, reading.claim
    rule = reading.rule or ("skip" if claim and claim.entry.skip else "")
    numbers = sorted(map(_number, reading.numbers), key=lambda one: (one.line, one.start))
    marks: dict[tuple[int, int], str] = {}
    ignored = 0
    for row, cells in enumerate(table.rows):
        for column, cell in enumerate(cells):
            if claim and (column in claim.ignored or row in claim.skipped):
                marks[row, column] = "ignored"
                ignored += row >= claim.first and number_unit(cell.text) is not None
            if (cell.line, cell.start) in refused:
                marks[row, column] = "refused"
    printed, headings = table.count_numbers(), claim.headings if claim else []
    if claim and not rule:
        read = [at for at, one in enumerate(headings) if one.is_value or one.reads_parts]
        unread = list(unread_numbers(reading.numbers, claim, read))
        printed = len(numbers) + len(unread) + ignored
    return TablePreview(
        line=table.first_line,
        title=(claim or table).section["section"] or "",
        entry=claim.entry.line if claim else 0,
        layout=claim.entry.source.layout if claim else "",
        rule=rule,
        printed=printed,
        ignored=0 if rule else ignored,
        columns=[_column(heading, numbers) for heading in headings],
        texts=[*map(tuple, table.texts)],
        marks=marks,
        numbers=numbers,
        notes=reading.notes,
    )


def _number(number: MeasuredNumber) -> PreviewedNumber:
    conditions, item, cell = conditions_of(number), number.item, number.cell
    if number.unit.startswith("items/s"):
        fields = fields_of({name: one.value for name, one in conditions.items()})
        variant, suite = fields["variant_name"], fields["suite"]
        item = item_counted(item, fields["model_printed"], variant, suite)
    return PreviewedNumber(
        line=cell.line,
        start=cell.start,
        printed=cell.text,
        heading=number.heading,
        metric=number.metric,
        statistic=number.statistic or "",
        value=number.quantity.value,
        unit=number.unit.replace("items", item or "items", 1),
        conditions=conditions,
        row=number.row,
    )


def _column(heading: Heading, numbers: Sequence[PreviewedNumber]) -> list[str]:
    """A heading, what its cells become, and the first one as printed and as stored."""
    if heading.is_ignored:
        becomes = "ignored" if heading.column else "ignored: not in the mapping"
        return [heading.text, becomes, "", ""]
    own: list[str] = []
    if heading.is_value:
        numbers = [number for number in numbers if number.heading == heading.text]
        metrics = dict.fromkeys(f"{one.metric} {one.statistic}".strip() for one in numbers)
        becomes = " or ".join(metrics) or "no number"
    else:
        for spec in heading.specs:
            own += [*spec.captures, *spec.constants]
        becomes = ", ".join(dict.fromkeys(own))
    if heading.groups:
        becomes += f", heading: {', '.join(heading.groups)}"
    if not numbers:
        return [heading.text, becomes, "", ""]
    first = numbers[0]
    named = [name for name in heading.groups if not name.startswith("_")]
    names = dict.fromkeys([*own, *named])
    stated = [first.conditions[name] for name in names if name in first.conditions]
    words = [f"{one.dimension} {one.value}" for one in stated]
    printed = next((one.cell.text for one in stated if one.cell.text), "")
    if heading.is_value:
        value = f"{first.value:.12g} {first.unit} {first.metric} {first.statistic}".strip()
        words, printed = [value, *words], first.printed
    return [heading.text, becomes, printed, ", ".join(words)]
