"""Columns of prose side by side: where they part, and which rows they take."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import mean

from pipelines.read.layout.segments import Segment

Row = list[Segment]
Gap = tuple[float, float]

# Parts of the font size: the white between two columns is wider than a blank.
_GUTTER = 1.0
# Fewer rows, or fewer words in each, are labels or cells.
_MIN_ROWS = 4
_MIN_WORDS = 2.5


def find_columns(rows: Sequence[Row]) -> tuple[int, int, float] | None:
    """The longest stretch of rows that stand in two columns: its first row, one past its last, and where they part."""
    best: tuple[int, int, float] | None = None
    for first in range(len(rows)):
        gaps: list[Gap] | None = None
        for end in range(first, len(rows)):
            own = _gaps(rows[end])
            gaps = own if gaps is None else _meet(gaps, own)
            if not gaps:
                break
            if best and end + 1 - first <= best[1] - best[0]:
                continue
            for gap in gaps:
                if gap[0] == -_FAR or gap[1] == _FAR:
                    continue
                middle = sum(gap) / 2
                if _is_prose(rows[first : end + 1], middle, gap):
                    best = first, end + 1, middle
                    break
    return best


_FAR = 1e9


def _gaps(row: Row) -> list[Gap]:
    """The white to the left, between and to the right of a row's segments."""
    edges = [(-_FAR, -_FAR), *((segment.x0, segment.x1) for segment in row), (_FAR, _FAR)]
    return [(left[1], right[0]) for left, right in pairwise(edges) if right[0] > left[1]]


def _meet(one: Sequence[Gap], other: Sequence[Gap]) -> list[Gap]:
    met = [(max(a[0], b[0]), min(a[1], b[1])) for a in one for b in other]
    return [gap for gap in met if gap[1] - gap[0] > 0]


def _is_prose(rows: Sequence[Row], middle: float, gap: Gap) -> bool:
    left = [segment for row in rows for segment in row if segment.x1 <= middle]
    right = [segment for row in rows for segment in row if segment.x0 >= middle]
    if min(len(left), len(right)) < _MIN_ROWS:
        return False
    size = max(mean(s.size for s in left), mean(s.size for s in right))
    if gap[1] - gap[0] < _GUTTER * size:
        return False
    return min(mean(len(s.text.split()) for s in side) for side in (left, right)) >= _MIN_WORDS
