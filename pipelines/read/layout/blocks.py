"""Segments to blocks (a paragraph, a label of two lines), and blocks in the order of reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipelines.read.layout.segments import Segment, rows_of

# Parts of the font size: lines of one block are set closer than this, and overlap sideways.
_LEADING = 0.75
_SIZES = 1.15
# White between blocks that parts them for the order of reading; lines of neighbours may reach into each other.
_PARTS = -0.2


@dataclass(frozen=True)
class Block:
    """Lines that belong together, from top to bottom."""

    lines: tuple[Segment, ...]

    @property
    def box(self) -> tuple[float, float, float, float]:
        return (
            min(line.x0 for line in self.lines),
            min(line.top for line in self.lines),
            max(line.x1 for line in self.lines),
            max(line.bottom for line in self.lines),
        )


def join_segments(segments: Sequence[Segment]) -> list[Block]:
    """The blocks of upright segments: a line goes on in the only one close below it, itself the only one above that."""
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
        while len(following := below.get(id(lines[-1]), [])) == 1 and len(above[id(following[0])]) == 1:
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
    """Blocks from top to bottom where white runs across the page between them, else from left to right."""
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
