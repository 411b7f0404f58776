"""What a result table says of its cells that are no measured value, for the accounting of lines and numerals."""

from __future__ import annotations

from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.tables.grid import ResultTable
from pipelines.read.document import Document


def mark_table(extraction: Extraction, document: Document, table: ResultTable) -> None:
    """Note the heading lines, the cells below unknown or unread headings and the rows that fit no header."""
    extraction.roles |= {heading.cell.line: ("table_header", "table_heading") for heading in table.headings}
    extraction.roles |= dict.fromkeys(table.header_lines, ("table_header", "table_heading"))
    unknown = [index for index, heading in enumerate(table.headings) if heading.column == "unknown"]
    extraction.marks += [Mark(row[index], "unparsed", "unknown_column") for row in table.rows for index in unknown]
    if table.rule:
        extraction.marks += [Mark(table.headings[index].cell, "unparsed", "unread_table") for index in unknown]
        below = table.lines - {heading.cell.line for heading in table.headings} - table.header_lines
        extraction.marks += [Mark(document.line(number).cell, "unparsed", "unread_table") for number in sorted(below)]
    extraction.marks += [
        Mark(cell, "unparsed", "row_does_not_fit") for damage in table.damages for cell in damage.cells
    ]
