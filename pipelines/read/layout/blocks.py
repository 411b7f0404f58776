"""Segments to blocks (a paragraph, a label of two lines), blocks in the order of reading, and
columns of prose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

from pipelines.read.layout.segments import Segment, rows_of
from pipelines.read.page import Box, around

# Parts of the font size: lines of one block are set closer than this, and overlap sideways.
_LEADING = 0.75
_SIZES = 1.15
# White between blocks that parts them for the order of reading; lines of neighbours may reach into
# each other.
_PARTS = -0.2
# The white between two columns of prose is wider than a blank; fewer rows, or fewer words in each,
# are labels or cells.
_GUTTER, _MIN_ROWS, _MIN_WORDS = 1.0, 4, 2.5
_FAR = 1e9

Row = list[Segment]
Gap = tuple[float, float]


@dataclass(frozen=True)
class Block:
    """Lines that belong together, from top to bottom."""

    lines: tuple[Segment, ...]

    @property
    def box(self) -> Box:
        return around(line.box for line in self.lines)


def join_segments(segments: Sequence[Segment]) -> list[Block]:
    """The blocks of upright segments: a line joins the line below it if no other line is close to
    either.
    """
    rows = rows_of(segments)
    below: dict[int, list[Segment]] = {}
    above: dict[int, list[Segment]] = {}
    for index, row in enumerate(rows):
        for segment in row:
            for other in (other for later in rows[index + 1 : index + 4] for other in later):
                if _follows(segment, other):
                    below.setdefault(id(segment), []).append(other)
                    above.setdefault(id(other), []).append(segment)
    blocks: list[Block] = []
    taken: set[int] = set()
    for segment in (segment for row in rows for segment in row):
        if id(segment) in taken:
            continue
        lines = [segment]
        taken.add(id(segment))
        while (
            len(following := below.get(id(lines[-1]), [])) == 1
            and len(above[id(following[0])]) == 1
        ):
            lines.append(following[0])
            taken.add(id(following[0]))
        blocks.append(Block(tuple(lines)))
    return blocks


def _follows(upper: Segment, lower: Segment) -> bool:
    small, large = sorted((upper.size, lower.size))
    gap = lower.top - upper.bottom
    overlap = min(upper.x1, lower.x1) - max(upper.x0, lower.x0)
    return (
        large <= _SIZES * small
        and -0.5 * small <= gap <= _LEADING * small
        and lower.bottom - upper.bottom > 0.5 * small
        and overlap > 0.3 * min(upper.x1 - upper.x0, lower.x1 - lower.x0)
    )


def in_order(blocks: Sequence[Block]) -> Iterator[Block]:
    """Blocks from top to bottom where white runs across the page between them, else from left to
    right.
    """
    if len(blocks) < 2:
        yield from blocks
        return
    for axis in (1, 0):
        parts = list(_cut(blocks, axis))
        if len(parts) > 1:
            for part in parts:
                yield from in_order(part)
            return
    yield from sorted(blocks, key=lambda block: (block.box[1], block.box[0]))


def _cut(blocks: Sequence[Block], axis: int) -> Iterator[list[Block]]:
    """Groups of blocks with white between them, along x (0) or y (1)."""
    group: list[Block] = []
    reach = 0.0
    for block in sorted(blocks, key=lambda block: block.box[axis]):
        start, end = block.box[axis], block.box[axis + 2]
        if group and start - reach > _PARTS * block.lines[0].size:
            yield group
            group, reach = [], end
        group.append(block)
        reach = max(reach, end) if len(group) > 1 else end
    yield group


def find_columns(rows: Sequence[Row]) -> tuple[int, int, float] | None:
    """The first range of rows in two columns: its first row, one past its last, and the gap between
    the columns.
    """
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
