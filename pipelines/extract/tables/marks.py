"""What a table says of its cells that are no measured value, for the accounting of lines and numerals."""

from __future__ import annotations

from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.tables.tables import Table
from pipelines.read.document import Cell


def mark_table(extraction: Extraction, table: Table) -> None:
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
                if len(grid.texts[row]) > column.place and (text := grid.texts[row][column.place]):
                    start = grid.starts[row][column.place]
                    cell = Cell(text, grid.lines[row][column.place], start, start + len(text))
                    is_ignored = table.mapped is not None and table.mapped.ignores(column.place)
                    unread = Mark(cell, "unparsed", "unknown_column")
                    extraction.marks.append(Mark(cell, "ignored", "mapping_ignores") if is_ignored else unread)
