"""Words to segments (a line of a paragraph, a table cell, a label), segments to blocks (a paragraph, a
label of two lines), and blocks in the order of reading.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, product
from statistics import mean

from pipelines.read.document import runs_of
from pipelines.read.page import Box, Placed, Shape, Word, around

_WHITE = (1.0, 1.0, 1.0)
# `0`, `1,000`, `0.5`, `-20`, `80%`, `10k`, `1e3`: a number as axes print it
_TICK = re.compile(r"[-\u2212]?\d[\d.,]*(?:e[-+]?\d+)?\s?[%kKMGx]?")
_MIN_TICKS = 3
# A line is joined to one of the rows below it; labels side by side end at different heights.
_ROWS_BELOW = 3


@dataclass(frozen=True, eq=False)
class Segment(Placed):
    """Words of one row that are read as one text.

    Attributes:
        words: The words from left to right, or one turned word.
    """

    words: tuple[Word, ...]

    @classmethod
    def of(cls, words: Iterable[Word]) -> Segment:
        """The segment of these words."""
        kept = tuple(words)
        return cls(*around(word.box for word in kept), kept)

    @cached_property
    def size(self) -> float:
        return max(word.size for word in self.words)

    @cached_property
    def text(self) -> str:
        text = self.words[0].text
        for left, right in pairwise(self.words):
            text += (" " if parted(left, right) else "") + right.text
        return text


Row = list[Segment]
"""Segments side by side, from left to right."""


def words_of(rows: Iterable[Row]) -> list[Word]:
    """The words of rows, in order."""
    segments = [segment for row in rows for segment in row]
    return [word for segment in segments for word in segment.words]


def parted(left: Word, right: Word, touch: float = 0.1) -> bool:
    """True if two consecutive words of a line are separated by a blank.

    Words that are closer than `touch`, in parts of the font size, are one that was painted in two
    parts.
    """
    if left.angle or right.angle:
        return True
    if right.top > left.bottom or right.x0 < left.x0:
        # `Pre-` / `Training`: a line broken at a hyphen continues without a blank.
        return not (len(left.text) > 1 and left.text[-1] == "-" and left.text[-2].isalpha())
    return right.x0 - left.x1 > touch * max(left.size, right.size)


def join_words(words: Iterable[Word], walls: Sequence[Shape], blank: float) -> list[Row]:
    """The rows of upright words, from top to bottom.

    Args:
        words: The words, each raised mark behind the word that it marks.
        walls: Upright lines, which no segment crosses.
        blank: White between words that may be a blank, in parts of the font size.
    """
    marked = sorted(runs_of(words, _is_marked), key=lambda run: run[0].bottom)
    rows: list[Row] = []
    for group in runs_of(marked, lambda group, run: _is_beside(group[0][0], run[0])):
        ordered = sorted(group, key=lambda run: run[0].x0)
        joined = runs_of(ordered, lambda runs, run: _goes_on(runs[-1], run[0], walls, blank))
        rows.append([Segment.of(chain.from_iterable(runs)) for runs in joined])
    return rows


def is_wall(shape: Shape, width: float = 2.5) -> bool:
    """True for upright lines: rulings of tables, which are thinner than `width` points, and framed
    areas, whose edges are used as such.
    """
    is_framed = shape.kind == "rect" and shape.stroke and shape.stroke_colour != _WHITE
    is_thin = shape.x1 - shape.x0 <= width
    return (is_framed or is_thin) and shape.bottom - shape.top > 3 * width


def _is_beside(word: Word, other: Word, line: float = 0.3) -> bool:
    """True for words on one line, in any size."""
    return abs(other.bottom - word.bottom) <= line * min(word.size, other.size)


def _is_marked(run: Sequence[Word], mark: Word, small: float = 0.8, near: float = 0.15) -> bool:
    """True for a note mark or unit of at most three characters in small type, raised or lowered,
    right behind a word.
    """
    word = run[0]
    overlap = min(mark.bottom, word.bottom) - max(mark.top, word.top)
    return (
        len(mark.text) <= 3
        and mark.size < small * word.size
        and abs(mark.x0 - run[-1].x1) <= near * word.size
        and overlap > 0.4 * mark.size
    )


def _goes_on(
    left: Sequence[Word],
    right: Word,
    walls: Sequence[Shape],
    blank: float,
    sizes: float = 1.25,
    touch: float = 0.1,
    into: float = 0.3,
) -> bool:
    """True if a word continues the one left of it: with `blank` between them at most, no headline
    and the label beside it, and no wall between them, into which characters reach by `into` points.
    """
    small, large = sorted((left[0].size, right.size))
    gap = right.x0 - left[-1].x1
    if not -small <= gap <= blank * small or (large > sizes * small and gap > touch * large):
        return False
    begin, end, middle = left[-1].x1 - into, right.x0 + into, (right.top + right.bottom) / 2
    near = (wall for wall in walls if wall.top <= middle <= wall.bottom)
    return not any(begin <= wall.x0 <= end or begin <= wall.x1 <= end for wall in near)


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
    continued = set(below.values())
    for segment in chain.from_iterable(lines):
        if segment not in continued:
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
