"""Result pages: tables of measured values, found and read by their headings wherever they stand.

Layouts: one cell per line (a page flattened to text), tab-separated, pipe-separated. Prose belongs in `claim_prose`.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Measurement, Reject
from pipelines.extract.tables.context import Context, defines_precision_pairs, read_context, unmatched_notes
from pipelines.extract.tables.grid import ResultTable, find_tables
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.rows import read_row
from pipelines.read.document import Document

FORMAT = "results_page"
DESCRIPTION = "tables of measured values, found by their headings."
ROWS = (Measurement, Reject)
PRIORITY = 30

# Footnotes stand right behind a table; text further down belongs to something else.
_NOTE_LINES = 6


def recognise(document: Document) -> float:
    """0.9 where the document holds a result table, else 0."""
    return 0.9 if any(True for _ in find_tables(document, ())) else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One `Measurement` per measured cell of every result table.

    A row that does not fit its header, a value without a readable unit, a heading that no vocabulary knows and a unit
    footnote about an unknown name stand in the rejects.
    """
    extraction = Extraction()
    defines_pairs = defines_precision_pairs(document)
    tables = list(find_tables(document, taken))
    for table in tables:
        notes = _notes_behind(document, table, tables)
        context = read_context(document, table.first_line, notes, taken, defines_pairs=defines_pairs)
        extraction.lines |= table.lines
        if table.fault:
            extraction.rows.append(_table_reject(table.headings, "no_measured_column", table.fault, context))
            continue
        for heading in table.headings:
            if heading.column == "unknown":
                fault = (
                    f"no vocabulary knows the heading {heading.cell.text.strip()!r}: the cells below it were not read"
                )
                extraction.rows.append(_table_reject([heading], "unknown_heading", fault, context))
        for row in table.rows:
            reading = read_row(table, row, context)
            extraction.rows += reading.measurements
            extraction.rows += reading.rejects
        for damage in table.damages:
            cell = damage.cells[0].stripped()
            texts = [part.text.strip() for part in damage.cells]
            extraction.rows.append(
                Reject(
                    cell=cell,
                    section=context.section,
                    section_line=context.section_line,
                    rule="row_does_not_fit",
                    reason=damage.reason,
                    row_json=json.dumps(texts, ensure_ascii=False),
                )
            )
        for name in unmatched_notes(notes):
            extraction.rows.append(
                Reject(
                    cell=document.line(table.last_line).cell,
                    section=context.section,
                    section_line=context.section_line,
                    rule="unread_footnote",
                    reason=f"a footnote below the table gives a unit for {name!r}, which no vocabulary knows",
                    scope="sentence",
                    row_json=json.dumps(notes, ensure_ascii=False),
                )
            )
    return extraction


def _table_reject(headings: list[Heading], rule: str, reason: str, context: Context) -> Reject:
    return Reject(
        cell=headings[0].cell.stripped(),
        section=context.section,
        section_line=context.section_line,
        rule=rule,
        reason=reason,
        scope="table",
        row_json=json.dumps([heading.cell.text.strip() for heading in headings], ensure_ascii=False),
    )


def _notes_behind(document: Document, table: ResultTable, tables: list[ResultTable]) -> str:
    """The text between a table and the next one, as far as footnotes go."""
    end = min(
        (other.first_line for other in tables if other.first_line > table.last_line), default=len(document.lines) + 1
    )
    last = min(end, table.last_line + 1 + _NOTE_LINES)
    return "\n".join(document.line(number).text for number in range(table.last_line + 1, last))
