"""Rows one cell per line in a dump that has dropped the blank cells, or prints a name only once for several rows.

Where one row ends and the next begins is told by the types of the cells alone, and a lost cell looks like a dropped
one. So a block is read only where exactly one way to cut it uses up all its cells, and where every gap is seen twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from pipelines.extract.tables.cell_types import fits
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.read.document import Cell

# Columns that a row lacks, by their places.
Gap = tuple[int, ...]
# Once is damage, twice is a habit.
_MIN_ROWS = 2
# Two names may be left out at the beginning of a row (`Framework`, `Network`); elsewhere one cell.
_MAX_NAMES = 2
_NAMES = frozenset({"model", "platform", "framework", "dataset", "variant"})
# A longer block than any table seen; each cut of it would be tried.
_MAX_CELLS = 4000


def sparse_rows(headings: Sequence[Heading], cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
    """The rows of a block with its gaps filled, or nothing where they are not certain.

    A name that is left out at the beginning of a row is that of the row above; any other gap is a blank cell.
    """
    if not 0 < len(cells) <= _MAX_CELLS or len(headings) < 3:
        return []
    cut = _only_cut(headings, cells)
    gaps = Counter(gap for gap in cut if gap)
    if not gaps or cut[0] or min(gaps.values()) < _MIN_ROWS:
        return []
    rows: list[tuple[Cell, ...]] = []
    position = 0
    for gap in cut:
        above = rows[-1] if rows else ()
        row: list[Cell] = []
        for column in range(len(headings)):
            if column not in gap:
                row.append(cells[position])
                position += 1
            elif _is_first(gap, headings):
                row.append(above[column])
            else:
                row.append(Cell("", cells[position - 1].line, 0, 0))
        rows.append(tuple(row))
    return rows


def _is_first(gap: Gap, headings: Sequence[Heading]) -> bool:
    """True for names left out at the beginning of a row."""
    return gap == tuple(range(len(gap))) and all(headings[column].column in _NAMES for column in gap)


def _gaps(headings: Sequence[Heading]) -> list[Gap]:
    """What a row may lack: nothing, its first names, or one cell that need not be there."""
    names = [tuple(range(count)) for count in range(1, _MAX_NAMES + 1)]
    first = [gap for gap in names if _is_first(gap, headings)]
    inner = [
        (place,) for place, heading in enumerate(headings) if place and heading.column not in ("model", "platform")
    ]
    return [(), *first, *inner]


def _only_cut(headings: Sequence[Heading], cells: Sequence[Cell]) -> list[Gap]:
    """The gaps of the rows, one after the other, where there is one way to cut the cells into rows; else nothing."""
    gaps = _gaps(headings)

    @cache
    def fit(position: int, column: int) -> bool:
        return fits(cells[position], headings[column])

    def is_row(start: int, gap: Gap) -> bool:
        columns = [column for column in range(len(headings)) if column not in gap]
        if start + len(columns) > len(cells):
            return False
        places = list(zip(range(start, start + len(columns)), columns, strict=True))
        measures = any(headings[column].is_value and not is_nothing(cells[place]) for place, column in places)
        return measures and all(fit(*place) for place in places)

    # From the end: in how many ways the rest can be cut (two are as bad as many), and how the one begins.
    ways, first = [0] * len(cells) + [1], dict[int, Gap]()
    for start in range(len(cells) - 1, -1, -1):
        for gap in gaps:
            behind = start + len(headings) - len(gap)
            if behind <= len(cells) and ways[behind] and is_row(start, gap):
                ways[start] += ways[behind]
                first[start] = gap
    if ways[0] != 1:
        return []
    cut, position = list[Gap](), 0
    while position < len(cells):
        cut.append(first[position])
        position += len(headings) - len(first[position])
    return cut
