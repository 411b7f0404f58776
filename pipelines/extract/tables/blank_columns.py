"""Rows whose cells are parted by several blanks: which cell stands below which heading, and which row is cut off."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.read.document import Cell, Line

# The cells of `Llama 3.1 8B    H100   1`: what stands between two or more blanks
_BETWEEN_BLANKS = re.compile(r"\S+(?:[ \u00a0]\S+)*")
# Once is damage, twice is a habit.
_MIN_ROWS = 2


def split_blanks(line: Line) -> list[Cell]:
    """The cells of a line with three or more of them, and no other mark between them."""
    if "\t" in line.text or "|" in line.text:
        return []
    cells = [unmarked(line.matched(match)) for match in _BETWEEN_BLANKS.finditer(line.text)]
    return cells if len(cells) > 2 else []


def below_headings(cells: list[Cell], headings: Sequence[Heading]) -> list[Cell]:
    """The cells with blank ones where none stands below a heading; as they are where it is not plain which is whose."""
    places = [[n for n, h in enumerate(headings) if c.start < h.cell.end and h.cell.start < c.end] for c in cells]
    columns = [place[0] for place in places if len(place) == 1]
    if len(columns) < len(cells) or columns != sorted(set(columns)) or len(cells) >= len(headings):
        return cells
    found = dict(zip(columns, cells, strict=True))
    line, end = cells[0].line, cells[-1].end
    return [found.get(column, Cell("", line, end, end)) for column in range(len(headings))]


def last_columns(rows: Iterable[list[Cell]], headings: Sequence[Heading]) -> Counter[int]:
    """How many of the rows end in each column."""
    return Counter(_last_column(below_headings(row, headings)) for row in rows)


def is_cut_off(row: Sequence[Cell], headings: Sequence[Heading], ends: Counter[int]) -> bool:
    """True for a row below its headings that ends before a measured column, as no other row of the table does."""
    last = _last_column(row)
    behind = headings[last + 1 :]
    if len(row) != len(headings) or not any(heading.is_value for heading in behind):
        return False
    measures = any(heading.is_value and not is_nothing(cell) for cell, heading in zip(row, headings, strict=True))
    return ends[last] < _MIN_ROWS or not measures


def _last_column(row: Sequence[Cell]) -> int:
    return max((place for place, cell in enumerate(row) if cell.text), default=-1)
