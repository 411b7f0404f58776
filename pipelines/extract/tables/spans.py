"""Cells of a grid that span rows or columns: which rows they hold for, and where that is not certain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pipelines.extract.tables.cell_types import fits
from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_number

Row = Sequence[Cell]


def spans_rows(rows: Sequence[Row]) -> bool:
    """True where a printed cell of a table stands in two of its rows."""
    return any(_shared(above, below) for above, below in pairwise(rows))


def hides_headings(headings: Sequence[Heading], rows: Sequence[Row]) -> bool:
    """True where one heading spans several columns of numbers and nothing below it tells them apart."""
    places: dict[tuple[int, int, object], list[int]] = {}
    for column, heading in enumerate(headings):
        if heading.is_value:
            key = heading.cell.line, heading.cell.start, heading.qualifiers
            places.setdefault(key, []).append(column)
    shared = [columns for columns in places.values() if len(columns) > 1]
    return any(
        all(len(row) > column and parse_number(row[column].text) is not None for column in columns)
        for columns in shared
        for row in rows
    )


def spans_from_damage(table: ResultTable, row: Row) -> bool:
    """True for a row with a cell that stands in a damaged row, too, and may stand in another column there.

    A row of the right width of which only a measured value cannot be read leaves all cells in their places.
    """
    if not table.damages or all(cell.line > table.damages[-1].cells[-1].line for cell in row):
        # All of it is printed behind the last damage; to look at each would take minutes where most rows are damaged.
        return False
    shared = [damage.cells for damage in table.damages if _shared(damage.cells, row)]
    return any(len(cells) != len(table.headings) or _is_displaced(table, cells) for cells in shared)


def spanning_value(table: ResultTable, row: Row) -> tuple[Cell, Heading] | None:
    """A measured value that stands in several cells of the grid, and its heading."""
    values = [(cell, heading) for cell, heading in zip(row, table.headings, strict=True) if heading.is_value]
    above = {(cell.line, cell.start) for cell in table.rows[-1]} if table.rows else set()
    seen = set[int]()
    for cell, heading in values:
        if not is_nothing(cell) and (id(cell) in seen or (cell.line, cell.start) in above):
            return cell, heading
        seen.add(id(cell))
    return None


def _is_displaced(table: ResultTable, cells: Row) -> bool:
    places = zip(cells, table.headings, strict=True)
    return any(not heading.is_value and not fits(cell, heading) for cell, heading in places)


def _shared(above: Row, below: Row) -> bool:
    places = {(cell.line, cell.start) for cell in above if not cell.is_blank}
    return any((cell.line, cell.start) in places for cell in below)
