"""Result pages: tables of measured values, wherever they stand and however they are laid out.

Finds the grids, lets the search for the header choose a reading, and turns records into rows and what is refused into
rejects. Prose belongs in `claim_prose`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pipelines.extract.condition_fields import Numbering
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.mentions import known_name
from pipelines.extract.rows import Condition, Measurement, Price, Reject
from pipelines.extract.scope import Around, Scope, Stated
from pipelines.extract.tables.column_types import is_measure
from pipelines.extract.tables.footnotes import marks_of, releases_in, units_in, unmarked, unmatched_names
from pipelines.extract.tables.header import Reading
from pipelines.extract.tables.mapped_tables import drift_rejects, missing_rejects, missing_sections, sections_over
from pipelines.extract.tables.mapping import Mapping as MappingOfSource
from pipelines.extract.tables.mapping import TableMapping
from pipelines.extract.tables.measurements import row_of, several_items, task_of, telling_apart
from pipelines.extract.tables.records import Record, assemble
from pipelines.extract.tables.tables import Table, find_tables
from pipelines.extract.tables.values import is_numeric
from pipelines.read.document import Cell, Document, Grid
from pipelines.values.quantity import Quantity

FORMAT = "results_page"
DESCRIPTION = "tables of measured values, found by their headings."
ROWS = (Measurement, Condition, Price, Reject)
PRIORITY = 30

# `X is the precision for storing the activations & gradients, and Y is ... the weights`
_PAIR_NOTE = re.compile(
    r"\bX\.Y\b[^\n]{0,200}?\bX\b[^\n.;]{0,200}activation[^\n]{0,200}\bY\b[^\n]{0,200}weight", re.IGNORECASE
)


def recognise(document: Document) -> float:
    """0.9 where a table of results stands in the document, else 0."""
    return 0.9 if any(table.reading for table in find_tables(document, (), sample=True)) else 0.0


def extract(document: Document, taken: Collection[int], mapping: MappingOfSource | None = None) -> Extraction:
    """One `Measurement` per measured cell of every result table, one `Price` per list price.

    A table of which nothing decides between two readings, a row that does not fit its header and a value without a
    readable unit stand in the rejects.
    """
    extraction, numbering = Extraction(), Numbering()
    defines_pairs = any("X.Y" in line.text and _PAIR_NOTE.search(line.text) for line in document.lines)
    scope: Scope | None = None
    entries: list[TableMapping] = []
    sections: list[str] = []
    for table in find_tables(document, taken, mapping):
        sections += sections_over(table.around, table.line_above) if mapping else []
        if table.mapped:
            entries += table.mapped.mapped.entries
            extraction.rows += drift_rejects(table.mapped)
        if table.reading is None:
            extraction.rows += _unread(table)
            continue
        scope = scope or Scope(document, [table.grid])
        _extract_table(
            document, table, scope.notes_behind(table.grid), extraction, numbering, defines_pairs=defines_pairs
        )
    if mapping:
        extraction.rows += missing_rejects(list(missing_sections(mapping, entries, sections)))
    extraction.rows += numbering.conditions
    return extraction


def _extract_table(
    document: Document,
    table: Table,
    notes: Sequence[Cell],
    extraction: Extraction,
    numbering: Numbering,
    *,
    defines_pairs: bool,
) -> None:
    reading, around = table.reading, table.around
    assert reading is not None
    _mark(extraction, table)
    if table.other is not None:
        reason = (
            f"two readings fit: ({reading.described()}) and ({table.other.described()}); "
            "`benchledger map` shows both and drafts the mapping that settles it"
        )
        extraction.rows.append(_reject(around, _heading_cells(reading), "undecided_header", reason, scope="table"))
        return
    units, releases = units_in(notes), releases_in(notes)
    reading = _without_marks(reading, releases)
    found = table.records = assemble(reading, around, units)
    if found.titles:
        # A footnote may stand in a row of its own over the whole width.
        releases = releases_in([*found.titles, *notes])
    if table.mapped:
        found.records = [table.mapped.said(record) for record in found.records]
    records = found.records
    if releases or around.stated("sdk_version"):
        records = [_released(document, record, releases, reading.grid) for record in records]
    subjects = [record for record in records if record.is_of_something]
    headings = " | ".join(column.name for column in reading.columns)
    if records and not subjects:
        reason = f"no heading says whose results these are (the headings are {_names(reading)}): the table was not read"
        extraction.rows.append(_reject(around, _heading_cells(reading), "no_subject_column", reason, scope="table"))
        return
    for record in records if len(subjects) < len(records) else ():
        if not any(record is subject for subject in subjects):
            reason = f"nothing says whose number {record.cell.text!r} is"
            extraction.rows.append(_reject(around, [record.cell], "no_subject_column", reason))
    kept, is_repeated = telling_apart(subjects)
    contradicted = _contradicted(subjects, [*_unknown_columns(reading, around)]) if any(is_repeated) else set()
    several, task = several_items(subjects), task_of(subjects)
    for record, others, repeats in zip(subjects, kept, is_repeated, strict=True):
        if record.around.expects:
            reason = "the heading or the row says that this is expected, and not that it was measured"
            extraction.rows.append(_reject(around, [record.cell], "not_stated", reason))
        elif repeats and record.identity in contradicted:
            reason = (
                "another number of this table is of the same model, platform and conditions: nothing tells them apart"
            )
            extraction.rows.append(_reject(around, [record.cell], "repeated_heading", reason))
        else:
            extraction.rows.append(
                row_of(record, others, task, numbering, headings, defines_pairs=defines_pairs, counts_several=several)
            )
    for cell, reason, row in found.unread:
        extraction.rows.append(_reject(around, [cell], "unread_value", reason, row=reading.grid.texts[row]))
    extraction.marks += [
        Mark(cell, "unparsed", "row_does_not_fit") for damage in found.damages for cell in damage.cells
    ]
    for damage in found.damages:
        extraction.rows.append(_reject(around, damage.cells, "row_does_not_fit", damage.reason))
    extraction.rows += _unknown_columns(reading, around)
    for name in unmatched_names(notes):
        reason = f"a footnote below the table gives a unit for {name!r}, which no vocabulary knows"
        extraction.rows.append(
            _reject(around, [document.line(table.grid.last_line).cell], "unread_footnote", reason, scope="sentence")
        )


def _mark(extraction: Extraction, table: Table) -> None:
    """Note the lines of a table, its headings, and the cells below headings that nobody knows.

    The table has to have a reading.
    """
    reading = table.reading
    assert reading is not None
    grid = reading.grid
    extraction.lines |= {line for row in table.grid.lines for line in row}
    heading = ("table_header", "table_heading")
    for row in range(reading.first + reading.depth):
        extraction.roles |= dict.fromkeys(grid.lines[row], heading)
    extraction.roles |= {cell.line: heading for column in reading.columns for cell in column.cells}
    for column in reading.columns:
        if column.meaning.role in ("unknown", "ignored") or (
            column.meaning.role == "value" and not column.holds_values
        ):
            for row in reading.body:
                if len(grid.texts[row]) > column.place and grid.texts[row][column.place]:
                    cell = grid.cell(row, column.place)
                    is_ignored = table.mapped is not None and table.mapped.ignores(column.place)
                    unread = Mark(cell, "unparsed", "unknown_column")
                    extraction.marks.append(Mark(cell, "ignored", "mapping_ignores") if is_ignored else unread)


def _contradicted(records: Iterable[Record], unknown: Sequence[Reject]) -> set[object]:
    """The identities of records of which something unread may tell the values apart.

    Two columns of one row differ by their headings, and rows may differ by a column that nobody knows. Rows of which
    every column was read disagree as printed: that is a conflict, and not a number that was misread.
    """
    values: dict[tuple[object, ...], set[Quantity]] = {}
    for record in records:
        of = () if unknown else (record.row,)
        values.setdefault((record.identity, *of), set()).add(record.value.quantity)
    return {key[0] for key, found in values.items() if len(found) > 1}


def _without_marks(reading: Reading, known: Mapping[str, Stated | None]) -> Reading:
    distinct = {text for row in reading.grid.texts for text in row}
    changed = {text: bare for text in distinct if (bare := unmarked(text, known)) != text}
    if not changed:
        return reading
    texts = tuple(tuple(changed.get(text, text) for text in row) for row in reading.grid.texts)
    return replace(reading, grid=replace(reading.grid, texts=texts))


def _released(document: Document, record: Record, releases: Mapping[str, Stated | None], grid: Grid) -> Record:
    cells = [grid.cell(record.row, column) for column in range(len(grid.texts[record.row]))]
    marks = marks_of(document, cells, releases)
    release = next((found for mark in sorted(marks) if (found := releases.get(mark))), None)
    if not marks:
        return record
    # What cannot be found of a marked row may be another release than the page's.
    stated = {name: s for name, s in record.stated.items() if name != "sdk_version" or s.level == "row"}
    if release is not None:
        stated["sdk_version"] = release
    return replace(record, stated=stated)


def _unknown_columns(reading: Reading, around: Around) -> Iterator[Reject]:
    """A column of numbers that no heading explains is lost; one of words says nothing that is missed."""
    for column in reading.columns:
        if column.meaning.role not in ("unknown", "value") or column.holds_values or not column.cells:
            continue
        texts = [row[column.place] for row in reading.grid.texts[reading.body.start :] if len(row) > column.place]
        numbers = [text for text in texts if text and is_numeric(text)]
        if not numbers:
            continue
        reason = f"no vocabulary knows the heading {column.name!r}: the cells below it were not read"
        yield _reject(around, column.cells, "unknown_heading", reason, scope="table")


def _unread(table: Table) -> Iterator[Reject]:
    """A grid that names a measured quantity in its headings, above numbers, and cannot be read."""
    texts = table.grid.texts
    first = next((n for n, row in enumerate(texts) if len({t for t in row if t}) > 1), None)
    if first is None or not any(is_numeric(text) for row in texts[first + 1 :] for text in row):
        return
    named = [n for n, text in enumerate(texts[first]) if text and is_measure(text)]
    beside = {text for row in texts[first + 1 :] for text in row[:1] if text}
    is_subject = any(
        sum(any(known_name(kind, text) for kind in ("model", "platform")) for text in names) * 2 > len(names)
        for names in (beside, {text for text in texts[first][1:] if text})
    )
    if not named and not is_subject:
        return
    cells = [table.grid.cell(first, at) for at, text in enumerate(texts[first]) if text]
    names = ", ".join(repr(cell.text) for cell in cells)
    reason = (
        f"which numbers are measured, and of what, cannot be told (the headings are {names}): the table was not read"
    )
    yield _reject(table.around, cells, "no_measured_column", reason, scope="table")


def _heading_cells(reading: Reading) -> list[Cell]:
    return [cell for column in reading.columns for cell in column.cells] or [Cell("", reading.grid.first_line, 0, 0)]


def _names(reading: Reading) -> str:
    return ", ".join(repr(column.name) for column in reading.columns)


def _reject(
    around: Around,
    cells: Sequence[Cell],
    rule: str,
    reason: str,
    *,
    scope: str = "row",
    row: Sequence[str] | None = None,
) -> Reject:
    """A reject that stands at the first of the printed cells that is not blank."""
    place = next((cell for cell in cells if not cell.is_blank), cells[0])
    printed = row if row is not None else [cell.text.strip() for cell in cells]
    return Reject(
        cell=place,
        section=around.section,
        section_line=around.section_line,
        rule=rule,
        reason=reason,
        scope=scope,
        row_json=json.dumps(list(printed), ensure_ascii=False),
    )
