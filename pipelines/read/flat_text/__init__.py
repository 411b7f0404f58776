"""The tables in flattened text, as grids: one cell a line, or one row a line with one delimiter between its cells.

What is laid out otherwise is read by the `rows` of a mapping. No vocabulary is asked: what a heading means is for the
mapping to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pipelines.read.document import Document, Grid, Line
from pipelines.read.flat_text.cells_in_lines import Declared, grid_of_cells, table_of_cells
from pipelines.read.flat_text.delimited import DELIMITERS, delimited_table

__all__ = ["Declared", "find_grids"]


def find_grids(document: Document, covered: Collection[int], declared: Declared | None = None) -> list[Grid]:
    """The tables in the lines that are not `covered`, in order.

    Args:
        document: Any document; its own grids are not looked at.
        covered: Numbers of lines that belong to grids of the file format or to other readers.
        declared: What a mapping declares.

    Returns:
        Grids without captions. A row that lacks cells or has too many keeps those it has. Cells that cannot be split
        into rows, though a mapping declares their headings or the table before them breaks off, are a grid of one
        column.
    """
    grids: list[Grid] = []
    for block in _blocks(line for line in document.lines if line.number not in covered):
        found = (grid for name in DELIMITERS if (grid := delimited_table(block, name)))
        grid = next(found, None) or table_of_cells(block, declared)
        if grid is None and declared and _goes_on(grids, block):
            grid = grid_of_cells(block, 1)
        if grid:
            grids.append(grid)
    return grids


def _goes_on(grids: list[Grid], block: list[Line]) -> bool:
    """Whether a block is as long as a row of the table of cells that ends one empty line before it."""
    last = grids[-1] if grids else None
    is_behind = last is not None and last.layout == "lines" and last.last_line == block[0].number - 2
    return is_behind and last is not None and len(block) >= len(last.texts[0]) > 1


def _blocks(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Lines that follow each other without an empty or a covered one between them; a blank cell is a line of blanks."""
    block: list[Line] = []
    for line in lines:
        if block and (line.is_empty or line.number != block[-1].number + 1):
            yield block
            block = []
        if not line.is_empty:
            block.append(line)
    if block:
        yield block
