"""Previews what a mapping reads in a document: plain data, which a worker process can return.

How it is printed belongs in `mapping_preview.py`, drafts in `draft.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipelines.extract.conditions import Stated, Statements, fields_of
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Condition, Epoch, Measurement, Run
from pipelines.extract.tables.claims import ClaimedTable, Heading
from pipelines.extract.tables.measurements import NumberBlock, Result, conditions_of, unread_numbers
from pipelines.extract.tables.printed import PrintedTable
from pipelines.extract.tables.statements import number_unit
from pipelines.read.document import Cell
from pipelines.vocabulary.resolution import item_counted

# The conditions that tell what a rate counts.
_OF_ITEMS = ("task", "suite", "submission_id", "model", "model_size", "variant", "dataset")
# What rows of logs hold: the column, the metric and its unit.
_TIMES = {
    Run: (("training_time_s", "training_time", "s"),),
    Epoch: (("epoch_time_s", "epoch_time", "s"), ("step_time_ms", "step_time", "ms")),
}


class PreviewedNumber(NamedTuple):
    """A number as it would be stored: its place, its value in the canonical unit, and its conditions."""

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
        line: Its first line, from 1.
        title: The heading or caption above it.
        entry: Line of the entry that claims it, or 0.
        rule: The rule that refuses it, `skip` for a skipped table, or "".
        printed: Count of its numbers that are no conditions; of a table that is not read, of all numbers.
        ignored: How many of them are in ignored columns.
        columns: For each column its heading, what its cells become, and the first one as printed and as stored.
        texts: The cells, row by row.
        marks: `ignored` or `refused` for such cells, by row and column.
        numbers: The numbers that would be stored.
        notes: Which rows `fill_down` fills, and what a quality does not take from the entry.
        format: What reads numbers outside tables, such as `program_log`, or "".
    """

    line: int
    title: str
    entry: int
    rule: str
    printed: int
    ignored: int
    columns: list[list[str]]
    texts: list[tuple[str, ...]]
    marks: dict[tuple[int, int], str]
    numbers: list[PreviewedNumber]
    notes: list[str]
    format: str = ""


def preview(extractions: Mapping[str, Extraction]) -> list[TablePreview]:
    """The tables of a document as a mapping reads them, and the numbers that are read elsewhere, as a table a format.

    Args:
        extractions: What the formats give, by name.
    """
    found: list[TablePreview] = []
    for name, extraction in extractions.items():
        result: Result | None = extraction.tables
        if result is None:
            found += _elsewhere(name, _numbers_of_rows(extraction))
            continue
        shown = [(n, table) for n, table in enumerate(result.tables) if table.holds_numbers or n in result.claims]
        found += [_table(result, n, table) for n, table in shown]
        drawn = [block for block in result.blocks if not any(block.table is table for table in result.tables)]
        found += _elsewhere("charts", [one for block in drawn for one in _numbers(block, result.statements)])
    return found


def _elsewhere(format: str, numbers: list[PreviewedNumber]) -> Iterator[TablePreview]:
    if numbers:
        rows = [number._replace(row=row) for row, number in enumerate(numbers)]
        texts: list[tuple[str, ...]] = [(number.printed,) for number in rows]
        yield TablePreview(rows[0].line, "", 0, "", len(rows), 0, [], texts, {}, rows, [], format)


def _numbers_of_rows(extraction: Extraction) -> list[PreviewedNumber]:
    """The numbers of a format with rows of its own: measurements with their conditions, times of epochs and runs."""
    rows = [*extraction.rows, *(row for columns in extraction.columns for row in columns.rows())]
    conditions = {row.number: row for row in rows if isinstance(row, Condition)}
    numbers = []
    for row in rows:
        place = row.cell.line, row.cell.start, row.cell.text, ""
        if isinstance(row, Measurement):
            stated = {}
            for one in map(conditions.__getitem__, row.conditions):
                stated[one.dimension] = Stated(one.dimension, one.value, one.cell, one.level)
            unit = _unit(row.unit, row.item, stated)
            numbers.append(PreviewedNumber(*place, row.metric, row.statistic or "", row.value, unit, stated, 0))
        for name, metric, unit in _TIMES.get(type(row), ()):
            if (value := getattr(row, name)) is not None:
                numbers.append(PreviewedNumber(*place, metric, "", value, unit, {}, 0))
    return numbers


def _unit(unit: str, item: str | None, stated: Mapping[str, Stated]) -> str:
    """A canonical unit with the item that is counted."""
    if unit.startswith("items/s"):
        item = _item_of(item, tuple((name, one.value) for name, one in stated.items() if name in _OF_ITEMS))
    return unit.replace("items", item or "items", 1)


def _table(result: Result, number: int, table: PrintedTable) -> TablePreview:
    claim = result.claims.get(number)
    rule = result.refused.get(number, "skip" if claim and claim.entry.skip else "")
    numbers = [one for block in result.blocks if block.table is table for one in _numbers(block, result.statements)]
    numbers.sort(key=lambda one: (one.line, one.start))
    printed, ignored = table.count_numbers(), 0
    if claim and not rule:
        ignored = _in_ignored_columns(table, claim)
        read = [at for at, h in enumerate(claim.headings) if h.is_value or (h.column and h.column.reads_parts)]
        printed = len(numbers) + sum(1 for _ in unread_numbers(result, claim, read)) + ignored
    columns = [_column(heading, numbers) for heading in claim.headings] if claim else []
    title = (claim or table).section["section"] or ""
    line, texts = table.first_line, [*map(tuple, table.texts)]
    marks = _marks(result, table, claim)
    entry = claim.entry.line if claim else 0
    return TablePreview(
        line, title, entry, rule, printed, ignored, columns, texts, marks, numbers, result.notes.get(number, [])
    )


def _marks(result: Result, table: PrintedTable, claim: ClaimedTable | None) -> dict[tuple[int, int], str]:
    """The cells of ignored columns, and those at which a row is refused."""
    refused = {(refusal.cell.line, refusal.cell.start) for refusal in result.refusals if refusal.scope == "row"}
    ignored = {at for at, heading in enumerate(claim.headings) if heading.is_ignored} if claim else set()
    marks = {}
    for row, texts in enumerate(table.texts):
        for column in range(len(texts)):
            cell = table.cell(row, column)
            if (cell.line, cell.start) in refused:
                marks[row, column] = "refused"
            elif column in ignored or (claim and row in claim.skipped):
                marks[row, column] = "ignored"
    return marks


def _cells(table: PrintedTable, claim: ClaimedTable, columns: Sequence[int]) -> list[Cell]:
    """The cells of some columns below the headings, without those of skipped rows."""
    rows = [row for row in range(claim.first, len(table.texts)) if row not in claim.skipped]
    places = [(row, at) for row in rows for at in columns]
    return [table.cell(row, at) for row, at in places if at < len(table.texts[row])]


def _in_ignored_columns(table: PrintedTable, claim: ClaimedTable) -> int:
    """The count of numbers, alone or with a unit, in columns and rows that the mapping ignores."""
    columns = [at for at, heading in enumerate(claim.headings) if heading.is_ignored]
    texts = [cell.text for cell in _cells(table, claim, columns)]
    texts += [text for row in claim.skipped for text in table.texts[row]]
    return sum(1 for text in texts if number_unit(text) is not None)


def _numbers(block: NumberBlock, statements: Statements) -> Iterator[PreviewedNumber]:
    measured, columns = (block.metric, block.statistic or ""), conditions_of(block, statements)
    places = zip(block.texts, block.lines, block.starts, block.values, strict=True)
    for at, (text, line, start, quantity) in enumerate(places):
        stated = {name: statements[one] for name, column in columns.items() if (one := column[at])}
        unit = _unit(block.unit, block.item, stated)
        yield PreviewedNumber(line, start, text, block.heading, *measured, quantity.value, unit, stated, block.rows[at])


@lru_cache(1 << 12)
def _item_of(item: str | None, values: tuple[tuple[str, str], ...]) -> str | None:
    fields = fields_of(dict(values))
    return item_counted(item, fields["model_printed"], fields["variant_name"], fields["suite"])


def _column(heading: Heading, numbers: Sequence[PreviewedNumber]) -> list[str]:
    """A heading, what its cells become, and the first one as printed and as stored."""
    own = [number for number in numbers if number.heading == heading.text] if heading.is_value else []
    column, names = heading.column, [name for name in heading.groups if not name.startswith("_")]
    if column is None or not column.specs:
        return [heading.text, "ignored" if column else "ignored: not in the mapping", "", ""]
    if column.is_value:
        becomes = " or ".join(dict.fromkeys(f"{one.metric} {one.statistic}".strip() for one in own)) or "no number"
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
