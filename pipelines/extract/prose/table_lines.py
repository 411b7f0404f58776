"""Lines that are rows of tables, and therefore no sentences, whether the table was read or not."""

from __future__ import annotations

import re
from collections import Counter

from pipelines.read.document import Document

# Between the cells of a row: `9,000 tokens/sec | 8,100 tokens/sec`
_CELL_BOUNDARY = re.compile(r"(?<=\S)(?:\t+|\s+\|\s+)(?=\S)")


def rows_of_tables(document: Document) -> set[int]:
    """The lines that hold several cells of a table: `Llama 2 7B | 9,000 tokens/sec | 8,100 tokens/sec` says nothing."""
    shown = {
        (line, start)
        for grid in document.grids
        if not grid.has_line_per_cell
        for row in zip(grid.lines, grid.starts, grid.texts, strict=True)
        for line, start, text in zip(*row, strict=True)
        if text
    }
    several = {number for number, count in Counter(number for number, _ in shown).items() if count > 1}
    return several | {number for number, text in enumerate(document.texts, start=1) if _has_cells(text)}


def _has_cells(text: str) -> bool:
    # Few lines hold one of the two marks, and the search is slow where many blanks stand together.
    return ("|" in text or "\t" in text) and len(_CELL_BOUNDARY.findall(text)) > 1
