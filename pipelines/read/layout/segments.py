"""Joins words side by side to segments: a line of a paragraph, a table cell, a label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from pipelines.read.document import runs_of
from pipelines.read.page import Placed, Shape, Word, around

_WHITE = (1.0, 1.0, 1.0)


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
