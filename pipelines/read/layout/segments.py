"""Words that stand side by side to segments: a line of a paragraph, a table cell, a label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pipelines.read.page import Word

# Parts of the font size. Blanks in justified text grow to most of it; columns of a table stand further apart.
_BLANK = 0.9
# Words that touch are one word that was painted in two parts.
_TOUCH = 0.1
# Words of one row stand on one line, whatever their size.
_ROW = 0.3
# A headline beside a label is no sentence with it.
_SIZES = 1.25


@dataclass(frozen=True)
class Segment:
    """Words of one row that are read on as one.

    Attributes:
        words: The words from left to right, or one turned word.
    """

    words: tuple[Word, ...]

    @cached_property
    def x0(self) -> float:
        return min(word.x0 for word in self.words)

    @cached_property
    def top(self) -> float:
        return min(word.top for word in self.words)

    @cached_property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @cached_property
    def bottom(self) -> float:
        return max(word.bottom for word in self.words)

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
    """True when a blank stands between two words that follow each other in a line."""
    if left.angle or right.angle:
        return True
    if right.top > left.bottom or right.x0 < left.x0:
        return True
    return right.x0 - left.x1 > _TOUCH * max(left.size, right.size)


def join_words(words: Iterable[Word]) -> list[Segment]:
    """The segments of upright words, in no order."""
    segments: list[Segment] = []
    for row in _rows(sorted(words, key=lambda word: word.bottom)):
        run: list[Word] = []
        for word in sorted(row, key=lambda word: word.x0):
            if run and not _goes_on(run[-1], word):
                segments.append(Segment(tuple(run)))
                run = []
            run.append(word)
        segments.append(Segment(tuple(run)))
    return _with_raised(segments)


def rows_of(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Segments side by side, from top to bottom, each row from left to right."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda segment: (segment.bottom, segment.x0)):
        if rows and segment.bottom - rows[-1][0].bottom <= _ROW * max(segment.size, rows[-1][0].size):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [sorted(row, key=lambda segment: segment.x0) for row in rows]


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    rows: list[list[Word]] = []
    for word in words:
        if rows and word.bottom - rows[-1][0].bottom <= _ROW * min(word.size, rows[-1][0].size):
            rows[-1].append(word)
        else:
            rows.append([word])
    return rows


def _goes_on(left: Word, right: Word) -> bool:
    small, large = sorted((left.size, right.size))
    gap = right.x0 - left.x1
    if large > _SIZES * small and gap > _TOUCH * large:
        return False
    return -small <= gap <= _BLANK * small


def _with_raised(segments: list[Segment]) -> list[Segment]:
    """Note marks and units in small type join the segment that they stand at, raised or lowered."""
    joined: dict[int, Segment] = dict(enumerate(segments))
    for mark, segment in enumerate(segments):
        if len(segment.words) > 1 or len(segment.text) > 3:
            continue
        for key, other in joined.items():
            if (
                key != mark
                and segment.size < 0.8 * other.size
                and abs(segment.x0 - other.x1) <= 0.15 * other.size
                and min(segment.bottom, other.bottom) - max(segment.top, other.top) > 0.4 * segment.size
            ):
                joined[key] = Segment((*other.words, *segment.words))
                del joined[mark]
                break
    return list(joined.values())
