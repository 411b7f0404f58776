"""Tables by alignment: a row of headings, and numbers in the columns below it.

Rulings are not needed: half of the printed tables have none. What the headings mean belongs in
`extract`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from pipelines.read.document import runs_of
from pipelines.read.layout.segments import Segment, rows_of
from pipelines.read.page import Shape, around

Row = list[Segment]
Span = tuple[float, float]

# `54,784`, `4.19`, `>60x`, `22s`, `$1,200`, `16.16`
_NUMERIC = re.compile(r"\W{0,2}\d[\d.,:]*\s?\D{0,10}")
# Headings and cells are short; longer ones are columns of prose.
_MAX_WORDS = 6
# Rows further apart than this part of the font size are not in one table.
_MAX_GAP = 4.0
# At least this share of the cells below the headings is filled.
_MIN_FILLED = 0.5
_SIZES = 1.15
# Lines of one cell are closer than rows; in parts of the font size.
_WRAPPED = 0.5


def find_table(
    rows: Sequence[Row], shapes: Sequence[Shape]
) -> tuple[int, int, list[list[Row]]] | None:
    """The first table among rows: its first row, one past its last one, and its logical rows; None
    without a table.

    A logical row has the segments of each column, none where nothing is printed.
    """
    for first, row in enumerate(rows):
        if len(row) < 2 or any(_is_numeric(segment) for segment in row):
            continue
        end = _end(rows, first)
        if end - first >= 2 and (table := _table(rows[first:end], shapes)):
            return first, end, table
    return None


def _is_numeric(segment: Segment) -> bool:
    return bool(_NUMERIC.fullmatch(segment.text))


def _end(rows: Sequence[Row], first: int) -> int:
    """One past the last row that keeps to the columns."""
    kept = list(rows[first])
    spans = _merged([], kept)
    widest = len(kept)
    end = first + 1
    while end < len(rows):
        row = rows[end]
        size = max(segment.size for segment in row)
        if min(s.top for s in row) - max(s.bottom for s in rows[end - 1]) > _MAX_GAP * size:
            break
        # A heading is larger than the row above it.
        if len(row) == 1 and row[0].size > _SIZES * kept[-1].size:
            break
        wider = _merged(spans, row)
        if len(wider) < max(widest, len(row)):
            break
        kept += row
        spans = wider
        widest = max(widest, len(row))
        end += 1
    # A caption or footnote below the first column only is not a row.
    while end > first + 1 and len(rows[end - 1]) == 1 and _words(rows[end - 1][0]) > _MAX_WORDS:
        end -= 1
    return end


def _merged(known: Sequence[Span], segments: Sequence[Segment]) -> list[Span]:
    """Where columns begin and end: stretches that known ones and segments cover, from left to
    right.
    """
    spans: list[Span] = []
    for x0, x1 in sorted([*known, *((segment.x0, segment.x1) for segment in segments)]):
        if spans and x0 < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], x1)
        else:
            spans.append((x0, x1))
    return spans


def _table(rows: Sequence[Row], shapes: Sequence[Shape]) -> list[list[Row]] | None:
    segments = [segment for row in rows for segment in row]
    columns = _merged([], segments)
    logical = [_cells(row, columns) for row in _logical_rows(rows, columns)]
    head, *body = logical
    if not body or sum(map(bool, head)) < max(2, 0.6 * len(columns)):
        return None
    cells = [cell for row in body for cell in row]
    filled = [cell for cell in cells if cell]
    if len(filled) < _MIN_FILLED * len(cells) or (len(columns) == 2 and len(body) < 2):
        return None
    if any(
        median(sum(map(_words, cell)) for cell in column) > _MAX_WORDS
        for column in zip(*body, strict=True)
        if any(column)
    ):
        return None
    if not any(_has_numbers(column) for column in zip(*body, strict=True)) or _has_bars(
        segments, shapes
    ):
        return None
    return logical


def _has_numbers(column: Sequence[Row]) -> bool:
    filled = [cell for cell in column if cell]
    return bool(filled) and 2 * sum(_is_numeric(cell[0]) for cell in filled) >= len(filled)


def _words(segment: Segment) -> int:
    return len(segment.text.split())


def _cells(row: Row, columns: Sequence[Span]) -> list[Row]:
    ordered = [segment for line in rows_of(row) for segment in line]
    return [[s for s in ordered if x0 <= (s.x0 + s.x1) / 2 <= x1] for x0, x1 in columns]


def _logical_rows(rows: Sequence[Row], columns: Sequence[Span]) -> list[Row]:
    """Rows with wrapped cells joined: the lines beside the lines of a cell are in its row."""
    full = [row for row in rows if len(row) >= max(2, 0.6 * len(columns))]
    tops = [(min(s.top for s in row), max(s.bottom for s in row)) for row in full]
    gaps = [below[0] - above[1] for above, below in pairwise(tops)]
    size = median(segment.size for row in rows for segment in row)
    tight = min(_WRAPPED * size, 0.8 * max(min(gaps, default=size), 0.0))
    bands: list[tuple[float, float, Row]] = []
    for x0, x1 in columns:
        column = sorted(
            (s for row in rows for s in row if x0 <= (s.x0 + s.x1) / 2 <= x1), key=lambda s: s.top
        )
        runs = runs_of(column, lambda run, segment: segment.top - run[-1].bottom < tight)
        bands += [(run[0].top, run[-1].bottom, run) for run in runs]
    found: list[tuple[float, float, Row]] = []
    for top, bottom, cell in sorted(bands, key=lambda band: (band[0], band[1])):
        if found and min(bottom, found[-1][1]) - top > 0.3 * min(
            bottom - top, found[-1][1] - found[-1][0]
        ):
            found[-1] = found[-1][0], max(bottom, found[-1][1]), [*found[-1][2], *cell]
        else:
            found.append((top, bottom, cell))
    return [cells for _, _, cells in found]


def _has_bars(segments: Sequence[Segment], shapes: Sequence[Shape]) -> bool:
    """True if filled areas without text are among the cells: a chart, whose labels are not a table."""
    left, top, right, bottom = around(segment.box for segment in segments)
    size = median(s.size for s in segments)
    bars = 0
    for shape in shapes:
        if (
            not shape.fill
            or shape.x1 - shape.x0 < 0.5 * size
            or shape.bottom - shape.top < 0.5 * size
        ):
            continue
        inside = (
            left <= (shape.x0 + shape.x1) / 2 <= right
            and top <= (shape.top + shape.bottom) / 2 <= bottom
        )
        if inside and not any(_is_on(s, shape) for s in segments):
            bars += 1
    return bars >= 2


def _is_on(segment: Segment, shape: Shape) -> bool:
    middle = (segment.x0 + segment.x1) / 2, (segment.top + segment.bottom) / 2
    return shape.x0 <= middle[0] <= shape.x1 and shape.top <= middle[1] <= shape.bottom
