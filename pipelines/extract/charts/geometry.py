"""Rectangles, strokes and styles of what is drawn on a page. What is drawn there is not known here.

The tolerances that several modules use are here, in points or as a share; those of one module are
beside their use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from pipelines.read.page import Box, Colour, Point, Shape

_T = TypeVar("_T")

# A stroke that leaves its direction by less is straight, a filled box thinner than `_THIN` is a
# stroke.
STRAIGHT, _THIN = 0.3, 1.6
# Boxes whose edges differ by less are one box, or are on one line; signs nearer than that are at
# one place.
SAME, SAME_PLACE = 0.8, 0.7
# Edges of a frame, ends of gridlines and labels meet within this distance; points of several lines
# at one category.
MEETS, ALIGNED = 3.0, 1.6
# Shorter strokes are tick marks, thinner boxes are strokes.
LONG, MIN_BREADTH = 25.0, 1.0
# Strokes of a legend are no longer, bars no smaller than signs; shorter level strokes are no grid.
LEGEND_LINE = 60.0
# Marks and names are within this distance of the labels and the plot.
REACH = 34.0
# Shares: what is as good as all of a length, nearly all of it, most of it, half of it, and a part
# that counts.
GRID, COVERS, MOST, HALF, PART = 0.9, 0.85, 0.6, 0.5, 0.15


class Rect(NamedTuple):
    """A box on a page: left, upper, right and lower edge."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def width(self) -> float:
        """From the left edge to the right one."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """From the upper edge to the lower one."""
        return self.bottom - self.top

    @property
    def size(self) -> float:
        """The longer one of its sides."""
        return max(self.width, self.height)

    @property
    def x(self) -> float:
        """Middle across."""
        return (self.x0 + self.x1) / 2

    @property
    def y(self) -> float:
        """Middle from above."""
        return (self.top + self.bottom) / 2

    @property
    def middle(self) -> Point:
        """Middle across and from above."""
        return self.x, self.y

    def cut(self, other: Box) -> Rect | None:
        """The part in another box; None where nothing of it is left."""
        part = Rect(*map(max, self[:2], other[:2]), *map(min, self[2:], other[2:]))
        return part if part.x0 <= part.x1 and part.top <= part.bottom else None

    def grown(self, by: float) -> Rect:
        """The box with a margin around it."""
        return Rect(self.x0 - by, self.top - by, self.x1 + by, self.bottom + by)

    def holds(self, other: Point | Box) -> bool:
        """True for a point or a box inside."""
        (x0, top), (x1, bottom) = other[:2], other[-2:]
        return self.x0 <= x0 and x1 <= self.x1 and self.top <= top and bottom <= self.bottom

    def distance(self, point: Point) -> float:
        """How far a point is from the box, 0 within it."""
        x, y = point
        across = max(self.x0 - x, 0.0, x - self.x1)
        return math.hypot(across, max(self.top - y, 0.0, y - self.bottom))

    def overlaps(self, other: Rect) -> bool:
        """True for boxes that have more than half of the smaller one in common."""
        common = self.cut(other)
        smaller = min(self.width * self.height, other.width * other.height)
        return common is not None and common.width * common.height > HALF * smaller


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
        """From end to end."""
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


def grouped(items: Iterable[_T], belongs: Callable[[list[_T], _T], bool]) -> list[list[_T]]:
    """Items in groups: each is in the first group that it belongs to."""
    groups: list[list[_T]] = []
    for item in items:
        group = next((group for group in groups if belongs(group, item)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
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
    return Rect(*shape.box).cut(shape.clip or shape.box)


def subpaths(shape: Shape) -> Iterator[list[Point]]:
    """The pieces of a path as polylines; of a Bezier piece its end point; a closed piece ends where
    it begins.
    """
    piece: list[Point] = []
    for operator, points in (*shape.path, ("m", ())):
        if operator == "m":
            if len(piece) > 1:
                yield piece
            piece = []
        elif operator == "h" and piece and piece[0] != piece[-1]:
            piece.append(piece[0])
        piece += points[-1:]


def level_strokes(shapes: Iterable[Shape]) -> Iterator[Stroke]:
    """All strokes across the page: ticks, gridlines, edges of outlined boxes, thin boxes."""
    for shape in shapes:
        box = Rect(*shape.box)
        # A thin gradient is the key of a map of colours, or a shadow.
        if shape.kind == "shading":
            continue
        if shape.fill and box.height <= min(_THIN, box.width):
            yield Stroke(box.y, box.x0, box.x1, shape.fill_colour)
            continue
        for piece in subpaths(shape) if shape.stroke else ():
            for (x, y), (x_next, y_next) in pairwise(piece):
                start, end = sorted((x, x_next))
                if abs(y - y_next) <= STRAIGHT < end - start:
                    yield Stroke((y + y_next) / 2, start, end, shape.stroke_colour)


def around(places: Iterable[Point | Box]) -> Rect:
    """The box around points or boxes."""
    listed = list(places)
    xs = [x for place in listed for x in place[::2]]
    ys = [y for place in listed for y in place[1::2]]
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
    pieces = [piece for piece in subpaths(shape) if len(piece) > 2]
    if len(pieces) != 1:
        return False
    [piece] = pieces
    sides, box = list(pairwise(piece)), Rect(*shape.box)
    # The area is that of the closed piece. End points of Bezier pieces cut a rounded corner
    # straight, so a little less is measured than is filled.
    closed = [*sides, (piece[-1], piece[0])]
    area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in closed)) / 2
    # The edges of a box run along it or across: an area with a nearly level edge is none.
    is_level = all(min(abs(a[0] - b[0]), abs(a[1] - b[1])) <= STRAIGHT for a, b in sides)
    is_rounded = any(operator in "cvy" for operator, _ in shape.path)
    return area >= COVERS * box.width * box.height > 0 and (is_level or is_rounded)


def is_near(a: Sequence[float], b: Sequence[float], slack: float) -> bool:
    """True for boxes whose edges agree, and for points whose coordinates do."""
    return all(abs(one - other) <= slack for one, other in zip(a, b, strict=True))


def is_among(place: Sequence[float], others: Iterable[Sequence[float]], slack: float) -> bool:
    """True for a box or a point that is near one of others."""
    return any(is_near(place, other, slack) for other in others)


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
