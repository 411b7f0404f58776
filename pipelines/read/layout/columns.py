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
    """The first stretch of rows that stand in two columns: its first row, one past its last, and where they part."""
    reach = 0
    for first in range(len(rows)):
        gaps, end = _gaps(rows[first]), first + 1
        while end < len(rows) and (met := _inner(_meet(gaps, _gaps(rows[end])))):
            gaps, end = met, end + 1
        # What starts later and ends at the same row is part of what was looked at.
        if end <= reach or end - first < _MIN_ROWS:
            continue
        reach = end
        for gap in _inner(gaps):
            middle = sum(gap) / 2
            if _is_prose(rows[first:end], middle, gap):
                return first, end, middle
    return None


_FAR = 1e9


def _gaps(row: Row) -> list[Gap]:
    """The white to the left, between and to the right of a row's segments."""
    edges = [(-_FAR, -_FAR), *((segment.x0, segment.x1) for segment in row), (_FAR, _FAR)]
    return [(left[1], right[0]) for left, right in pairwise(edges) if right[0] > left[1]]


def _meet(one: Sequence[Gap], other: Sequence[Gap]) -> list[Gap]:
    met = [(max(a[0], b[0]), min(a[1], b[1])) for a in one for b in other]
    return [gap for gap in met if gap[1] - gap[0] > 0]


def _inner(gaps: Sequence[Gap]) -> list[Gap]:
    """The gaps that have text on both sides."""
    return [gap for gap in gaps if gap[0] != -_FAR and gap[1] != _FAR]


def _is_prose(rows: Sequence[Row], middle: float, gap: Gap) -> bool:
    left = [segment for row in rows for segment in row if segment.x1 <= middle]
    right = [segment for row in rows for segment in row if segment.x0 >= middle]
    if min(len(left), len(right)) < _MIN_ROWS:
        return False
    size = max(mean(s.size for s in left), mean(s.size for s in right))
    if gap[1] - gap[0] < _GUTTER * size:
        return False
    return min(mean(len(s.text.split()) for s in side) for side in (left, right)) >= _MIN_WORDS
