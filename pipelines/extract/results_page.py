"""Result pages: tables of measured numbers and drawn charts, read with the mapping of their source."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipelines.extract.charts.chart_tables import ChartTables
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.rows import Condition, Measurement, Price, Reject
from pipelines.extract.tables.apply import apply
from pipelines.extract.tables.mapping import MappingEntry
from pipelines.extract.tables.measurements import to_rows
from pipelines.extract.tables.printed import tables_of
from pipelines.read.document import Document

FORMAT = Format(
    name="results_page",
    description="tables of measured values, read with the mapping of their source.",
    rows=(Measurement, Condition, Price, Reject),
    priority=30,
    medium=Medium.TABLE,
    mapping="tables",
    is_republished_whole=True,
)


def recognise(document: Document) -> float:
    """0.9 where a table with numbers is in the document, else 0."""
    return 0.9 if any(table.holds_numbers for table in tables_of(document, ())) else 0.0


def extract(
    document: Document, taken: Collection[int], mapping: Sequence[MappingEntry] | None = None
) -> Extraction:
    """One `Measurement` per measured cell of every table that the mapping claims, one `Price` per
    list price.

    Tables without an entry, and rows and cells that do not match, are rejects.
    """
    entries = () if mapping is None else mapping
    tables = tables_of(document, taken, entries)
    charts = ChartTables(document) if entries and document.pages else None
    result = apply(document, [*tables, *(charts.tables if charts else ())], entries)
    if charts is None:
        extraction = to_rows(document, result)
        if document.is_data:
            # A value of one table may be around another one, which reads it.
            read = {(row.cell.line, row.cell.start) for row in extraction.rows}
            marks = extraction.marks
            extraction.marks = [one for one in marks if (one.cell.line, one.cell.start) not in read]
            extraction.lines.update(range(1, len(document.texts) + 1))
        return extraction
    charts.place(result, len(tables))
    extraction = to_rows(document, result, len(tables))
    extraction.boxes = charts.boxes
    return extraction
