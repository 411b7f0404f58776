"""Joins words side by side to segments: a line of a paragraph, a table cell, a label."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from pipelines.read.document import runs_of
from pipelines.read.page import Placed, Shape, Word, around

# Parts of the font size. Blanks in justified text grow to most of it; columns of a dense table are
# closer than that, but further apart than two blanks of text that is not justified.
WIDE, NARROW = 0.9, 0.5
# Words that touch are one word that was painted in two parts.
_TOUCH = 0.1
# Words of one row are on one line, in any size.
_ROW = 0.3
# A headline and a label beside it are separate.
_SIZES = 1.25


# A note mark has at most so many characters, is smaller than its word, and close to it.
_MARK, _SMALL, _AT = 3, 0.8, 0.15
# A ruling is thinner than this, in points; characters reach into it by less than the second figure.
_WALL, _INTO = 2.5, 0.3
_WHITE = (1.0, 1.0, 1.0)

Wall = tuple[float, float, float]
"""x, top, bottom of an upright line."""


@dataclass(frozen=True)
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


def parted(left: Word, right: Word) -> bool:
    """True if two consecutive words of a line are separated by a blank."""
    if left.angle or right.angle:
        return True
    if right.top > left.bottom or right.x0 < left.x0:
        # `Pre-` / `Training`: a line broken at a hyphen continues without a blank.
        return not (len(left.text) > 1 and left.text[-1] == "-" and left.text[-2].isalpha())
    return right.x0 - left.x1 > _TOUCH * max(left.size, right.size)


def join_words(
    words: Iterable[Word], blank: float = WIDE, walls: Sequence[Wall] = ()
) -> list[Segment]:
    """The segments of upright words, in no order.

    Args:
        words: The words.
        blank: White between words that may be a blank, in parts of the font size.
        walls: Upright lines from left to right, which no segment crosses.
    """
    segments: list[Segment] = []
    ordered = sorted(words, key=lambda word: word.bottom)
    for row in runs_of(
        ordered, lambda row, one: one.bottom - row[0].bottom <= _ROW * min(one.size, row[0].size)
    ):
        line = sorted(row, key=lambda word: word.x0)
        segments += [
            Segment.of(r) for r in runs_of(line, lambda run, w: _goes_on(run[-1], w, blank, walls))
        ]
    return _with_raised(segments)


def rows_of(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Segments side by side, from top to bottom, each row from left to right."""
    ordered = sorted(segments, key=lambda segment: (segment.bottom, segment.x0))
    rows = runs_of(
        ordered, lambda row, one: one.bottom - row[0].bottom <= _ROW * max(one.size, row[0].size)
    )
    return [sorted(row, key=lambda segment: segment.x0) for row in rows]


def walls_of(shapes: Iterable[Shape]) -> list[Wall]:
    """The upright lines on a page, from left to right: rulings of tables, and edges of narrow areas
    used as such.
    """
    found = []
    for shape in shapes:
        if shape.x1 - shape.x0 <= _WALL and shape.bottom - shape.top > 3 * _WALL:
            found.append((shape.x0, shape.top, shape.bottom))
        elif shape.kind == "rect" and shape.stroke and shape.stroke_colour != _WHITE:
            found += [(x, shape.top, shape.bottom) for x in (shape.x0, shape.x1)]
    return sorted(found)


def _goes_on(left: Word, right: Word, blank: float, walls: Sequence[Wall]) -> bool:
    small, large = sorted((left.size, right.size))
    gap = right.x0 - left.x1
    if large > _SIZES * small and gap > _TOUCH * large:
        return False
    if not -small <= gap <= blank * small:
        return False
    middle = (right.top + right.bottom) / 2
    first = bisect_left(walls, (left.x1 - _INTO, 0.0, 0.0))
    for x, top, bottom in islice(walls, first, None):
        if x > right.x0 + _INTO:
            break
        if top <= middle <= bottom:
            return False
    return True


def _with_raised(segments: list[Segment]) -> list[Segment]:
    """Join note marks and units in small type, raised or lowered, to their segment."""
    largest = max((segment.size for segment in segments), default=0.0)
    ends = sorted((segment.x1, index) for index, segment in enumerate(segments))
    marks: dict[int, list[Segment]] = {}
    joined: set[int] = set()
    for index, segment in enumerate(segments):
        if len(segment.words) > 1 or len(segment.text) > _MARK or segment.size >= _SMALL * largest:
            continue
        for end, other in islice(ends, bisect_left(ends, (segment.x0 - _AT * largest, 0)), None):
            if end > segment.x0 + _AT * largest:
                break
            if _is_mark_of(segment, segments[other]):
                marks.setdefault(other, []).append(segment)
                joined.add(index)
                break
    return [
        Segment.of(
            (*segment.words, *(word for mark in marks.get(index, ()) for word in mark.words))
        )
        for index, segment in enumerate(segments)
        if index not in joined
    ]


def _is_mark_of(mark: Segment, other: Segment) -> bool:
    return (
        mark.size < _SMALL * other.size
        and abs(mark.x0 - other.x1) <= _AT * other.size
        and min(mark.bottom, other.bottom) - max(mark.top, other.top) > 0.4 * mark.size
    )
