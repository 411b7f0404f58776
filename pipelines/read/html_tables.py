"""The grid of an HTML table: which cell stands in which row and column, with `rowspan` and `colspan`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from pipelines.read.document import Cell, ReadError
from pipelines.read.html_text import is_hidden

# What a browser allows for `colspan`, and more places than any table of benchmarks has.
_MAX_SPAN, _MAX_PLACES = 1000, 500_000

Row = tuple[etree._Element | None, list[etree._Element]]


def rows_of(table: etree._Element) -> Iterator[Row]:
    """The part of the table that each row belongs to (head, body, foot), and its cells; a row may have none."""
    for row in table.iter("tr"):
        yield row.getparent(), [cell for cell in row if cell.tag in ("td", "th") and not is_hidden(cell)]


def lay_out(rows: Iterator[Row], write: Callable[[etree._Element], Cell]) -> list[tuple[Cell, ...]]:
    """The cells of each row by column; a cell that spans rows or columns stands in each place that it covers.

    As in a browser it reaches no further than its part of the table does. A row without a cell of its own is none.

    Args:
        rows: Part of the table and elements of the cells, row by row.
        write: Gives the printed cell of an element; called once for each, in order.

    Raises:
        ReadError: `too_large`, for a table whose cells span more places than any table has.
    """
    grid: list[tuple[Cell, ...]] = []
    # Cells that reach down from rows above, by column: the cell and how many rows it still covers.
    reaching: dict[int, tuple[Cell, int]] = {}
    places, part_before = 0, None
    for part, elements in rows:
        if part is not part_before:
            reaching, part_before = {}, part
        row: dict[int, Cell] = {}
        behind: dict[int, tuple[Cell, int]] = {}
        for column, (cell, left) in reaching.items():
            row[column] = cell
            if left > 1:
                behind[column] = cell, left - 1
        column = 0
        for element in elements:
            while column in row:
                column += 1
            cell = write(element)
            rows_covered = _span(element, "rowspan")
            for place in range(column, column + _span(element, "colspan")):
                row[place] = cell
                if rows_covered > 1:
                    behind[place] = cell, rows_covered - 1
            column += 1
        reaching = behind
        if not elements:
            continue
        places += len(row)
        if places > _MAX_PLACES:
            raise ReadError("too_large", f"a table of the page has more than {_MAX_PLACES:,} cells", cell.line)
        # A gap is a place that only a cell from above reaches over; nothing is printed there.
        width = max(row) + 1
        if len(row) == width:
            grid.append(tuple(row[place] for place in range(width)))
        else:
            grid.append(tuple(row[place] for place in sorted(row)))
    return grid


def _span(element: etree._Element, name: str) -> int:
    """The number of rows or columns a cell covers; 0 means the rest of the rows, anything unreadable one."""
    text = (element.get(name) or "1").strip()
    if not text.isdecimal():
        return 1
    return min(int(text), _MAX_SPAN) or (_MAX_SPAN if name == "rowspan" else 1)
