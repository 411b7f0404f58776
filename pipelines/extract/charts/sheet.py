"""A page as it is and turned once, so that bars that grow upwards and to the right are read by the same code.

Turned to the left, what is left of a plot is below it, and what is above it is left of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from pipelines.extract.charts.geometry import Rect, Stroke, level_strokes
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.ticks import NumberToken, number_tokens
from pipelines.read.page import Box, Page, Point, Shape, Word


@dataclass(frozen=True, slots=True)
class Frames:
    """The boxes that may frame plots (drawn, clipping, and of two strokes with a corner), and those that clip."""

    boxes: tuple[Rect, ...]
    clips: frozenset[Rect]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is on a page, as it is or turned.

    Attributes:
        bounds: The page.
        words: Its words.
        shapes: Its shapes.
        tokens: Its printed numbers, in one order however the page is turned.
        levels: Its level strokes.
        uprights: Its upright strokes.
        frames: The boxes that may frame plots.
        printed: Each word as the page has it, by the id of the word here.
    """

    bounds: Rect
    words: tuple[Word, ...]
    shapes: tuple[Shape, ...]
    tokens: tuple[NumberToken, ...]
    levels: tuple[Stroke, ...]
    uprights: tuple[Stroke, ...]
    frames: Frames
    printed: dict[int, Word]

    def words_of(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """The words as the page has them."""
        return tuple(self.printed[id(word)] for word in words)


def both_sheets(page: Page) -> tuple[Sheet, Sheet]:
    """The page as it is, and turned to the left."""
    shapes = tuple(_turned_shape(shape) for shape in page.shapes)
    levels, turned_levels = tuple(level_strokes(page.shapes)), tuple(level_strokes(shapes))
    uprights = tuple(Stroke(-s.at, s.start, s.end) for s in turned_levels)
    turned_uprights = tuple(Stroke(s.at, -s.end, -s.start) for s in levels)
    frames = _frames(page.shapes, levels, uprights)
    words = {id(word): _turned_word(word) for word in page.words}
    tokens = tuple(number_tokens(page.words))
    upright = Sheet(
        Rect(0.0, 0.0, page.width, page.height), page.words, page.shapes, tokens, levels, uprights, frames,
        {id(word): word for word in page.words},
    )  # fmt: skip
    turned = Sheet(
        turned_box(upright.bounds), tuple(words.values()), shapes,
        tuple(
            replace(t, box=turned_box(t.box), angle=(t.angle + 90) % 360, words=tuple(words[id(w)] for w in t.words))
            for t in tokens
        ),
        turned_levels, turned_uprights,
        Frames(tuple(map(turned_box, frames.boxes)), frozenset(map(turned_box, frames.clips))),
        {id(words[id(word)]): word for word in page.words},
    )  # fmt: skip
    return upright, turned


def turned_box(box: Box) -> Rect:
    """A box on the page turned to the left."""
    x0, top, x1, bottom = box
    return Rect(top, -x1, bottom, -x0)


def page_box(box: Box, is_turned: bool) -> Rect:
    """The box on the page behind one on a sheet."""
    x0, top, x1, bottom = box
    return Rect(-bottom, x0, -top, x1) if is_turned else Rect(*box)


def _turned_point(point: Point) -> Point:
    return point[1], -point[0]


def _turned_word(word: Word) -> Word:
    x0, top, x1, bottom = turned_box(word.box)
    return replace(word, x0=x0, top=top, x1=x1, bottom=bottom, angle=(word.angle + 90) % 360)


def _turned_shape(shape: Shape) -> Shape:
    x0, top, x1, bottom = turned_box(shape.box)
    return replace(
        shape, x0=x0, top=top, x1=x1, bottom=bottom, points=tuple(map(_turned_point, shape.points)),
        path=tuple((operator, tuple(map(_turned_point, points))) for operator, points in shape.path),
        clip=turned_box(shape.clip) if shape.clip else None,
    )  # fmt: skip


def _frames(shapes: Sequence[Shape], levels: Sequence[Stroke], uprights: Sequence[Stroke]) -> Frames:
    """Every box of a page that may frame a plot, each once."""
    clips = {Rect(*shape.clip) for shape in shapes if shape.clip and _is_large(Rect(*shape.clip))}
    drawn = {Rect(*s.box) for s in shapes if s.kind in ("rect", "curve") and len(s.points) >= 4}
    drawn = {box for box in drawn - clips if _is_large(box)}
    long = [
        sorted({(round(s.at, 1), round(s.start, 1), round(s.end, 1)) for s in strokes if s.length >= SETTINGS.long})
        for strokes in (levels, uprights)
    ]
    corners: set[Rect] = set()
    if len(long[0]) * len(long[1]) <= SETTINGS.max_strokes**2:
        # At a corner two strokes meet.
        for (y, x0, x1), (x, top, bottom) in product(*long):
            if min(abs(x - x0), abs(x - x1)) <= SETTINGS.same and min(abs(y - top), abs(y - bottom)) <= (SETTINGS.same):
                corners.add(Rect(x0, top, x1, bottom))
    boxes = (*sorted(clips), *sorted(drawn), *sorted(corners - clips - drawn))
    return Frames(boxes[: SETTINGS.max_frames], frozenset(clips))


def _is_large(box: Rect) -> bool:
    return min(box.width, box.height) >= SETTINGS.min_plot
