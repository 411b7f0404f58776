"""Rectangles, strokes and styles of what is drawn on a page. What is drawn there is not known here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeVar

from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Box, Colour, Point, Shape

_T = TypeVar("_T")


class Rect(NamedTuple):
    """A box on a page: left, upper, right and lower edge."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def x(self) -> float:
        """Middle across."""
        return (self.x0 + self.x1) / 2

    @property
    def y(self) -> float:
        """Middle from above."""
        return (self.top + self.bottom) / 2

    def cut(self, other: Box) -> Rect | None:
        """The part in another box; None where nothing of it is left."""
        part = Rect(*map(max, self[:2], other[:2]), *map(min, self[2:], other[2:]))
        return part if part.x0 <= part.x1 and part.top <= part.bottom else None

    def grown(self, by: float) -> Rect:
        """The box with a margin around it."""
        return Rect(self.x0 - by, self.top - by, self.x1 + by, self.bottom + by)

    def holds(self, point: Point) -> bool:
        """True for a point inside."""
        return self.x0 <= point[0] <= self.x1 and self.top <= point[1] <= self.bottom

    def holds_box(self, other: Box) -> bool:
        """True for a box inside."""
        return self.holds(other[:2]) and self.holds(other[2:])

    def distance(self, point: Point) -> float:
        """How far a point is from the box, 0 within it."""
        across = max(self.x0 - point[0], 0.0, point[0] - self.x1)
        return math.hypot(across, max(self.top - point[1], 0.0, point[1] - self.bottom))

    def share(self, other: Rect) -> float:
        """What two boxes have in common, as a share of the smaller one."""
        common = self.cut(other)
        smaller = min(self.width * self.height, other.width * other.height)
        return common.width * common.height / smaller if common and smaller > 0 else 0.0


class Stroke(NamedTuple):
    """A straight stroke: a tick mark, a gridline, the edge of a box; a level one is `at` a y, an
    upright one an x.
    """

    at: float
    start: float
    end: float
    colour: Colour | None

    @property
    def length(self) -> float:
        return self.end - self.start


class Style(NamedTuple):
    """How a mark is painted: what tells the series of a chart apart.

    Attributes:
        colour: Its fill, or its stroke where it has none; None for a gradient or pattern.
        pattern: Name of the pattern that fills it; empty without one.
        is_filled: False for an outline.
    """

    colour: Colour | None
    pattern: str = ""
    is_filled: bool = True


def grouped(
    items: Iterable[_T], belongs: Callable[[list[_T], _T], bool], last: int = 0
) -> list[list[_T]]:
    """Items in groups: each is in the first group that it belongs to, of the `last` ones or of all
    (0).
    """
    groups: list[list[_T]] = []
    for item in items:
        if group := next((group for group in groups[-last:] if belongs(group, item)), None):
            group.append(item)
        else:
            groups.append([item])
    return groups


def style_of(shape: Shape, is_line: bool = False) -> Style:
    """How a shape is painted; of a line its stroke alone."""
    if is_line or shape.kind == "line":
        return Style(shape.stroke_colour)
    if shape.pattern:
        return Style(None, shape.pattern)
    return Style(shape.fill_colour) if shape.fill else Style(shape.stroke_colour, is_filled=False)


def shown(shape: Shape) -> Rect | None:
    """The box of a shape cut to its clipping box; None where nothing of it is left."""
    return Rect(*shape.box) if shape.clip is None else Rect(*shape.box).cut(shape.clip)


def subpaths(shape: Shape) -> Iterator[list[Point]]:
    """The pieces of a path as polylines; of a Bezier piece its end point; a closed piece ends where
    it begins.
    """
    piece: list[Point] = [] if shape.path else list(shape.points)
    for operator, points in shape.path:
        if operator == "m":
            if len(piece) > 1:
                yield piece
            piece = list(points[-1:])
        elif operator == "h":
            piece += piece[:1] if piece and piece[0] != piece[-1] else []
        elif points:
            piece.append(points[-1])
    if len(piece) > 1:
        yield piece


def straight_strokes(shapes: Iterable[Shape], along: Literal[0, 1]) -> tuple[Stroke, ...]:
    """All strokes across the page (`along` 0) or down it (1): ticks, gridlines, edges of outlined
    boxes, thin boxes.
    """
    found: list[Stroke] = []
    for shape in shapes:
        box = shape.box
        (start, low), (end, high) = (box[along], box[1 - along]), (box[along + 2], box[3 - along])
        if shape.kind == "shading":
            continue
        if shape.fill and high - low <= min(SETTINGS.thin, end - start):
            found.append(Stroke((low + high) / 2, start, end, shape.fill_colour))
            continue
        for piece in subpaths(shape) if shape.stroke else ():
            line = [(point[along], point[1 - along]) for point in piece]
            for (a, at), (b, other) in pairwise(line):
                if abs(at - other) <= SETTINGS.straight < abs(a - b):
                    found.append(
                        Stroke((at + other) / 2, min(a, b), max(a, b), shape.stroke_colour)
                    )
    return tuple(found)


def around(places: Iterable[Sequence[float]]) -> Rect:
    """The box around points or boxes."""
    listed = list(places)
    xs, ys = (
        [x for place in listed for x in place[::2]],
        [y for place in listed for y in place[1::2]],
    )
    return Rect(min(xs), min(ys), max(xs), max(ys))


def mirrored(box: Box) -> Rect:
    """A box mirrored in the line from the lower left to the upper right; mirrored again it is the
    same box.
    """
    x0, top, x1, bottom = box
    return Rect(-bottom, -x1, -top, -x0)


def is_box(shape: Shape) -> bool:
    """True for a rectangle, a gradient, and for a path that all but fills its box, its corners
    rounded or not.
    """
    if shape.kind in ("rect", "shading"):
        return True
    pieces, box = [piece for piece in subpaths(shape) if len(piece) > 2], Rect(*shape.box)
    if len(pieces) != 1 or box.width <= 0 or box.height <= 0:
        return False
    sides = list(pairwise([*pieces[0], pieces[0][0]]))
    # End points of Bezier pieces cut a rounded corner straight, so a little less is measured than
    # is filled.
    share = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in sides)) / 2 / (box.width * box.height)
    straight = sum(1 for operator, _ in shape.path if operator == "l")
    # The edges of a box run along it or across: an area with a nearly level edge is none.
    level = all(
        min(abs(a[0] - b[0]), abs(a[1] - b[1])) <= SETTINGS.straight for a, b in pairwise(pieces[0])
    )
    return share >= SETTINGS.covers and (level or straight + 1 < len(shape.points))


def is_near(a: Sequence[float], b: Sequence[float], slack: float) -> bool:
    """True for boxes whose edges agree, and for points whose coordinates do."""
    return all(abs(one - other) <= slack for one, other in zip(a, b, strict=True))


def is_white(colour: Colour | None) -> bool:
    """True for the colour of paper."""
    return colour is not None and min(colour) > 0.985


def is_alike(left: Style, right: Style) -> bool:
    """True for one pattern, or for two known colours that the eye takes for one (rounded to 8 bits
    and back).
    """
    if left.pattern or right.pattern or left.colour is None or right.colour is None:
        return bool(left.pattern) and left.pattern == right.pattern
    return is_near(left.colour, right.colour, 0.012)
