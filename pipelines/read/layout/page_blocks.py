"""Segments to blocks (a paragraph, a label of two lines), and blocks in the order of reading."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from statistics import mean

from pipelines.read.document import runs_of
from pipelines.read.layout.segments import Row, Segment, words_of
from pipelines.read.page import Box, around

# `0`, `1,000`, `0.5`, `-20`, `80%`, `10k`, `1e3`: a number as axes print it
_TICK = re.compile(r"[-\u2212]?\d[\d.,]*(?:e[-+]?\d+)?\s?[%kKMGx]?")
_MIN_TICKS = 3
# A line is joined to one of the rows below it; labels side by side end at different heights.
_ROWS_BELOW = 3


@dataclass(frozen=True)
class Block:
    """Lines that belong together, from top to bottom."""

    lines: tuple[Segment, ...]

    @cached_property
    def box(self) -> Box:
        return around(line.box for line in self.lines)


def join_segments(rows: Sequence[Row]) -> list[Block]:
    """The blocks of rows: a line joins the line below it if no other line is close to either; the
    numbers along a horizontal axis are one line.
    """
    axes, lines = _split_axes(rows)
    blocks = [Block((Segment.of(words_of([axis])),)) for axis in axes]
    pairs: list[tuple[Segment, Segment]] = []
    for index, row in enumerate(lines):
        later = chain.from_iterable(lines[index + 1 : index + 1 + _ROWS_BELOW])
        for upper, lower in product(row, later):
            if _follows(upper, lower):
                pairs.append((upper, lower))
    uppers = Counter(upper for upper, _ in pairs)
    lowers = Counter(lower for _, lower in pairs)
    below = {upper: lower for upper, lower in pairs if uppers[upper] == lowers[lower] == 1}
    for segment in chain.from_iterable(lines):
        if segment not in below.values():
            joined = [segment]
            while joined[-1] in below:
                joined.append(below[joined[-1]])
            blocks.append(Block(tuple(joined)))
    return blocks


def _split_axes(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Three and more numbers side by side, and the rows without them."""
    axes, lines = [], []
    for row in rows:
        runs = runs_of(row, lambda run, segment: _is_tick(run[-1]) and _is_tick(segment))
        axes += [run for run in runs if len(run) >= _MIN_TICKS]
        lines.append([segment for run in runs if len(run) < _MIN_TICKS for segment in run])
    return axes, lines


def _is_tick(segment: Segment) -> bool:
    return bool(_TICK.fullmatch(segment.text))


def _follows(upper: Segment, lower: Segment, leading: float = 0.75, sizes: float = 1.15) -> bool:
    """True for lines of one size that are closer than `leading` and overlap sideways."""
    small, large = sorted((upper.size, lower.size))
    gap = lower.top - upper.bottom
    overlap = min(upper.x1, lower.x1) - max(upper.x0, lower.x0)
    return (
        large <= sizes * small
        and -0.5 * small <= gap <= leading * small
        and lower.bottom - upper.bottom > 0.5 * small
        and overlap > 0.3 * min(upper.x1 - upper.x0, lower.x1 - lower.x0)
    )


def in_order(blocks: Sequence[Block]) -> Iterator[Block]:
    """Blocks from top to bottom where white runs across the page between them, else from left to
    right.
    """
    bands = runs_of(_cut(blocks, 1), _are_columns)
    for band in bands:
        group = list(chain.from_iterable(band))
        parts = _cut(group, 0)
        if len(bands) == len(parts) == 1:
            yield from sorted(group, key=lambda block: (block.box[1], block.box[0]))
            return
        for part in parts:
            yield from in_order(part)


def _are_columns(bands: Sequence[list[Block]], band: list[Block]) -> bool:
    """True for columns of prose, with white across all of them between two paragraphs."""
    columns = _cut([*chain.from_iterable(bands), *band], 0)
    return len(columns) > 1 and all(map(_is_prose, columns))


def _is_prose(blocks: Sequence[Block], lines: int = 4, words: float = 2.5) -> bool:
    """True for as many lines at least, of more words on average than labels and cells have."""
    sizes = [len(line.words) for block in blocks for line in block.lines]
    return len(sizes) >= lines and mean(sizes) >= words


def _cut(blocks: Sequence[Block], axis: int, white: float = -0.2) -> list[list[Block]]:
    """Groups of blocks with white between them, along x (0) or y (1).

    The white is in parts of the font size; less than none, because lines of neighbours may reach
    into each other.
    """
    groups: list[list[Block]] = []
    reach = -math.inf
    for block in sorted(blocks, key=lambda block: block.box[axis]):
        if not groups or block.box[axis] - reach > white * block.lines[0].size:
            groups.append([])
            reach = -math.inf
        groups[-1].append(block)
        reach = max(reach, block.box[axis + 2])
    return groups
