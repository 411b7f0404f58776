"""Lines that are rows of tables, and therefore no sentences, whether the table was read or not."""

from __future__ import annotations

import re
from collections import Counter

from pipelines.read.document import Document

# Between the cells of a row: `9,000 tokens/sec | 8,100 tokens/sec`
_CELL_BOUNDARY = re.compile(r"(?<=\S)(?:\t+|\s+\|\s+)(?=\S)")


def rows_of_tables(document: Document) -> set[int]:
    """The lines that hold several cells of a table: `Llama 2 7B | 9,000 tokens/sec | 8,100 tokens/sec` says nothing."""
    cells = {(cell.line, cell.start) for grid in document.grids for row in grid.rows for cell in row if cell.text}
    shown = {number for number, count in Counter(number for number, _ in cells).items() if count > 1}
    return shown | {line.number for line in document.lines if _has_cells(line.text)}


def _has_cells(text: str) -> bool:
    # Few lines hold one of the two marks, and the search is slow where many blanks stand together.
    return ("|" in text or "\t" in text) and len(_CELL_BOUNDARY.findall(text)) > 1
