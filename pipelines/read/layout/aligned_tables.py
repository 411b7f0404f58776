"""Tables by alignment: a row of headings, and numbers in the columns below it.

Rulings are not needed: half of the printed tables have none. What the headings mean belongs in
`extract`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from statistics import median

from pipelines.read.document import runs_of
from pipelines.read.layout.page_blocks import Row, Segment, words_of
from pipelines.read.page import Shape

# `54,784`, `4.19`, `>60x`, `22s`, `$1,200`, `16.16`
_NUMERIC = re.compile(r"\W{0,2}\d[\d.,:]*\s?\D{0,10}")
# Headings and cells are short; longer ones are columns of prose.
_MAX_WORDS = 6
# At least these shares of the headings, and of the cells below them, are filled.
_MIN_HEADINGS, _MIN_FILLED = 0.6, 0.5

Column = tuple[float, float]
"""Its left and its right edge."""
Table = list[list[Row]]
"""The segments of each cell, row by row; none where nothing is printed."""


def find_table(rows: Sequence[Row], shapes: Sequence[Shape]) -> tuple[int, int, Table] | None:
    """The first table among rows: its first row, one past its last one, and its cells; None without
    a table.
    """
    for first, row in enumerate(rows):
        if len(row) < 2 or any(map(_is_numeric, row)):
            continue
        end = _end(rows, first)
        printed = list(rows[first:end])
        columns = _columns(list(chain.from_iterable(printed)))
        table = [_cells(run, columns) for run in _logical_rows(printed, len(columns))]
        if _is_table(table) and not _has_bars(printed, shapes):
            return first, end, table
    return None


def _is_numeric(segment: Segment) -> bool:
    return bool(_NUMERIC.fullmatch(segment.text))


def _gap(above: Row, below: Row) -> float:
    return min(segment.top for segment in below) - max(segment.bottom for segment in above)


def _columns(row: Row, known: Iterable[Column] = ()) -> list[Column]:
    """The stretches that known columns and the segments of a row cover, from left to right."""
    columns: list[Column] = []
    for x0, x1 in sorted([*known, *((segment.x0, segment.x1) for segment in row)]):
        if columns and x0 < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], x1)
        else:
            columns.append((x0, x1))
    return columns


def _end(rows: Sequence[Row], first: int, white: float = 4.0, sizes: float = 1.15) -> int:
    """One past the last row that keeps to the columns, no further apart than `white`, in parts of
    the font size.
    """
    columns, widest, end = _columns(rows[first]), len(rows[first]), first + 1
    while end < len(rows):
        row, above = rows[end], rows[end - 1]
        columns, widest = _columns(row, columns), max(widest, len(row))
        is_far = _gap(above, row) > white * max(segment.size for segment in row)
        is_heading = len(row) == 1 and row[0].size > sizes * above[-1].size
        if is_far or is_heading or len(columns) < widest:
            break
        end += 1
    # A caption or footnote below the first column only is not a row.
    while end > first + 1 and len(rows[end - 1]) == 1 and _words(rows[end - 1]) > _MAX_WORDS:
        end -= 1
    return end


def _words(cell: Row) -> int:
    return sum(len(segment.text.split()) for segment in cell)


def _logical_rows(rows: list[Row], columns: int, wrapped: float = 0.5) -> list[list[Row]]:
    """The rows of a table, each as its printed rows: lines of one cell are closer than rows, and
    closer than `wrapped`, in parts of the font size.
    """
    full = [row for row in rows if len(row) >= max(2, _MIN_HEADINGS * columns)]
    size = median(segment.size for row in rows for segment in row)
    tight = min([wrapped * size, *(_gap(above, below) for above, below in pairwise(full))])
    return runs_of(rows, lambda run, row: _gap(run[-1], row) < tight)


def _cells(rows: list[Row], columns: Sequence[Column]) -> list[Row]:
    segments = [segment for row in rows for segment in row]
    return [[one for one in segments if x0 <= one.middle[0] <= x1] for x0, x1 in columns]


def _is_table(table: Table) -> bool:
    """True for headings above short cells, most of them filled, and a column of numbers."""
    head, *body = table
    if not body or (len(head) == 2 and len(body) < 2):
        return False
    cells = list(chain.from_iterable(body))
    columns = [[cell for cell in column if cell] for column in zip(*body, strict=True)]
    columns = [column for column in columns if column]
    return (
        sum(map(bool, head)) >= max(2, _MIN_HEADINGS * len(head))
        and sum(map(bool, cells)) >= _MIN_FILLED * len(cells)
        and all(median(map(_words, column)) <= _MAX_WORDS for column in columns)
        and any(_has_numbers(column) for column in columns)
    )


def _has_numbers(column: Sequence[Row]) -> bool:
    return 2 * sum(_is_numeric(cell[0]) for cell in column) >= len(column)


def _has_bars(rows: Sequence[Row], shapes: Sequence[Shape], least: float = 0.5) -> bool:
    """True if filled areas without text are among the cells: a chart, whose labels are not a
    table.
    """
    segments = list(chain.from_iterable(rows))
    area = Segment.of(words_of(rows))
    size = least * median(segment.size for segment in segments)
    bars = 0
    for shape in shapes:
        is_large = min(shape.x1 - shape.x0, shape.bottom - shape.top) >= size
        if shape.fill and is_large and area.has(*shape.middle):
            bars += not any(shape.has(*segment.middle) for segment in segments)
    return bars >= 2
