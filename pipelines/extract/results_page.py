"""Result pages: tables of measured values, found and read by their headings wherever they stand.

Layouts: one cell per line (a page flattened to text), tab-separated, pipe-separated. Prose belongs in `claim_prose`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Condition, Measurement, Price, Reject, Row
from pipelines.extract.tables.context import Context, read_context, within
from pipelines.extract.tables.decimal_commas import AMBIGUOUS, is_ambiguous, writes_commas
from pipelines.extract.tables.expected import NOT_MEASURED, is_expected
from pipelines.extract.tables.footnotes import mark_behind, marks_in, releases_in, without_marks
from pipelines.extract.tables.grid import ResultTable, vendors_of
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.joined import ends_joined, joined_lines
from pipelines.extract.tables.layouts import find_tables, has_headings
from pipelines.extract.tables.marks import mark_table
from pipelines.extract.tables.platform_named import read_platform_in
from pipelines.extract.tables.rows import read_row
from pipelines.extract.tables.told_apart import told_apart, without_contradicted
from pipelines.extract.tables.unit_notes import unmatched_notes
from pipelines.extract.tabular.mapping import Mapping
from pipelines.read.document import Cell, Document

FORMAT = "results_page"
DESCRIPTION = "tables of measured values, found by their headings."
ROWS = (Measurement, Condition, Price, Reject)
PRIORITY = 30

# Footnotes stand right behind a table; text further down belongs to something else.
_NOTE_LINES = 12


def recognise(document: Document) -> float:
    """0.9 where the headings of a result table stand in the document, else 0."""
    return 0.9 if has_headings(document) else 0.0


def extract(document: Document, taken: Collection[int], mapping: Mapping | None = None) -> Extraction:
    """One `Measurement` per measured cell of every result table, one `Price` per list price.

    A row that does not fit its header, a value without a readable unit, a heading that no vocabulary knows and a unit
    footnote about an unknown name stand in the rejects.
    """
    extraction = Extraction()
    tables = find_tables(document, taken)
    ends = [*(table.first_line for table in tables[1:]), len(document.lines) + 1]
    context, last_line, is_torn = None, 0, False
    for table, end in zip(tables, ends, strict=False):
        notes = _notes_behind(document, table, end)
        joined = joined_lines(document, range(last_line + 1, table.first_line), taken)
        lines = range(joined[-1] + 1 if joined else last_line + 1, table.first_line)
        context = read_context(document, lines, notes, taken, context, is_torn=is_torn or bool(joined))
        extraction.rows += [_joined(context, document, number) for number in joined]
        extraction.lines |= set(joined)
        last_line, is_torn = table.last_line, ends_joined(document, table)
        extraction.lines |= table.lines
        mark_table(extraction, document, table)
        extraction.rows += _read_table(document, table, context, notes)
    return extraction


def _read_table(document: Document, table: ResultTable, context: Context, notes: str) -> Iterator[Row]:
    releases, known_marks = releases_in(notes), marks_in(notes)
    states_release = bool(releases or context.release_of_page)
    if context.release_of_page and not context.release_of_page.vendor and len(vendors_of(table)) > 1:
        # It is the release of one of them, and which is not told.
        context = replace(context, release_of_page=None)
    if table.rule:
        yield _reject(context, table.headings, table.rule, table.fault or "", scope="table")
        return
    for place, heading in enumerate(table.headings):
        is_empty = heading.cell.is_blank and all(row[place].is_blank for row in table.rows)
        if heading.column == "unknown" and not is_empty:
            name = " ".join(heading.cell.text.split())
            fault = f"no vocabulary knows the heading {name!r}: the cells below it were not read"
            yield _reject(context, [heading], "unknown_heading", fault, scope="table")
    names_platforms = any(read_platform_in(title.text) for title in table.titles)
    context = without_contradicted(table, context)
    found: list[tuple[tuple[Cell, ...], Row]] = []
    has_commas = writes_commas(table)
    for number, printed in enumerate(table.rows):
        row, in_brackets = without_marks(printed, known_marks)
        marks = {mark for cell in row if (mark := mark_behind(document, cell))} if states_release else set()
        marks |= in_brackets
        own = replace(context, release=next((releases[mark] for mark in sorted(marks) if mark in releases), None))
        if marks - known_marks:
            # What cannot be found of such a row may be another release.
            own = replace(own, release_of_page=None)
        behind = max(cell.line for cell in row)
        if title := next((cell for cell in reversed(table.titles) if cell.line < behind), None):
            own = within(own, " ".join(title.text.split()), names_platforms=names_platforms)
        reading = read_row(table, row, own, table.row_lines[number] if table.row_lines else row[0].line)
        read = [*reading.measurements, *reading.rejects]
        if is_expected(own.section, row):
            read = [_reject(own, [part.cell], "not_stated", NOT_MEASURED) for part in read]
        if has_commas:
            read = [
                _reject(own, [part.cell], "unread_value", AMBIGUOUS) if is_ambiguous(part.cell.text) else part
                for part in read
            ]
        found += [(row, part) for part in read]
    yield from told_apart(table, found)
    for damage in table.damages:
        yield _reject(context, damage.cells, "row_does_not_fit", damage.reason)
    if not table.rows and not table.damages:
        fault = "no rows stand below the headings; the document may be cut"
        yield _reject(context, table.headings, "no_rows", fault, scope="table")
    for name in unmatched_notes(notes):
        reason = f"a footnote below the table gives a unit for {name!r}, which no vocabulary knows"
        yield replace(
            _reject(context, [document.line(table.last_line).cell], "unread_footnote", reason, scope="sentence"),
            row_json=json.dumps(notes, ensure_ascii=False),
        )


def _joined(context: Context, document: Document, line: int) -> Reject:
    reason = "several lines stand on this one, joined by tabs; the heading of the table below may be among them"
    return _reject(context, [document.line(line).cell], "lines_joined", reason)


def _reject(
    context: Context, printed: Sequence[Cell | Heading], rule: str, reason: str, *, scope: str = "row"
) -> Reject:
    """A reject that stands at the first of the printed cells that is not blank."""
    cells = [part.cell if isinstance(part, Heading) else part for part in printed]
    return Reject(
        cell=next((cell for cell in cells if not cell.is_blank), cells[0]).stripped(),
        section=context.section,
        section_line=context.section_line,
        rule=rule,
        reason=reason,
        scope=scope,
        row_json=json.dumps([cell.text.strip() for cell in cells], ensure_ascii=False),
    )


def _notes_behind(document: Document, table: ResultTable, end: int) -> str:
    """The cells over the whole width of a table and the text between it and the next one, as far as footnotes go."""
    last = min(end, table.last_line + 1 + _NOTE_LINES)
    behind = [document.line(number).text for number in range(table.last_line + 1, last)]
    return "\n".join([*(title.text for title in table.titles), *behind])
