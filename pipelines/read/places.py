"""Where the characters of a line stand on the page."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.read.page import Box, Word


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word at the characters `start`..`end` of a line."""

    start: int
    end: int
    word: Word

    def box(self, start: int, end: int) -> Box:
        """The box around those of its characters that stand at `start`..`end` of the line."""
        word = self.word
        first, last = max(start, self.start) - self.start, min(end, self.end) - self.start
        if word.angle not in (0, 90, 180, 270) or (first, last) == (0, len(word.text)):
            return word.box
        low, high = sorted((word.edges[first], word.edges[last]))
        if word.angle in (90, 270):
            return word.x0, low, word.x1, high
        return low, word.top, high, word.bottom


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a page: its page, from 1, and its words."""

    page: int
    words: tuple[PlacedWord, ...]

    def box(self, start: int, end: int) -> Box | None:
        """The box around the characters `start`..`end` of the line; None where no word stands."""
        boxes = [word.box(start, end) for word in self.words if word.start < end and word.end > start]
        if not boxes:
            return None
        return (
            round(min(box[0] for box in boxes), 3),
            round(min(box[1] for box in boxes), 3),
            round(max(box[2] for box in boxes), 3),
            round(max(box[3] for box in boxes), 3),
        )
