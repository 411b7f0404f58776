"""Boxes and straight segments seen along a value axis, so that upright and lying charts are read by the same code.

In a view, `u` runs along the value axis and `c` across it: for a vertical axis u is y and c is x, for a horizontal
one the other way round. What stands there is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from pipelines.read.page import Box, Colour, Point, Shape

Orientation = Literal["vertical", "horizontal"]

# A stroke that leaves its direction by less is straight for the eye.
STRAIGHT_PT = 0.3
# A filled box thinner than this is drawn as a line: LibreOffice and browsers fill their ticks and gridlines.
THIN_PT = 1.6


class View(NamedTuple):
    """A box as a value axis sees it: across (c0, c1) and along (u0, u1)."""

    c0: float
    u0: float
    c1: float
    u1: float

    @property
    def breadth(self) -> float:
        return self.c1 - self.c0

    @property
    def length(self) -> float:
        return self.u1 - self.u0

    @property
    def middle(self) -> float:
        """Middle across the axis."""
        return (self.c0 + self.c1) / 2


@dataclass(frozen=True, slots=True)
class Segment:
    """A straight stroke across a value axis, at `u`, from `c0` to `c1`."""

    u: float
    c0: float
    c1: float

    @property
    def length(self) -> float:
        return self.c1 - self.c0


def view(box: Box, orientation: Orientation) -> View:
    """A box of the page as the value axis sees it."""
    x0, top, x1, bottom = box
    return View(x0, top, x1, bottom) if orientation == "vertical" else View(top, x0, bottom, x1)


def page_box(seen: View, orientation: Orientation) -> Box:
    """The box on the page behind a view."""
    c0, u0, c1, u1 = seen
    return (c0, u0, c1, u1) if orientation == "vertical" else (u0, c0, u1, c1)


def subpaths(shape: Shape) -> Iterator[list[Point]]:
    """The pieces of a path as polylines; of a Bezier piece its end point; a closed piece ends where it begins."""
    if not shape.path:
        if shape.points:
            yield list(shape.points)
        return
    piece: list[Point] = []
    for operator, points in shape.path:
        if operator == "m":
            if len(piece) > 1:
                yield piece
            piece = list(points[-1:])
        elif operator == "h":
            if piece and piece[0] != piece[-1]:
                piece.append(piece[0])
        elif points:
            piece.append(points[-1])
    if len(piece) > 1:
        yield piece


def cross_segments(shapes: Iterable[Shape], orientation: Orientation) -> list[Segment]:
    """All straight strokes across the value axis: ticks, gridlines, edges of outlined boxes, thin filled boxes."""
    along = 1 if orientation == "vertical" else 0
    found: list[Segment] = []
    for shape in shapes:
        if shape.kind == "shading":
            continue
        seen = view(shape.box, orientation)
        if shape.fill and seen.length <= THIN_PT and seen.breadth > seen.length:
            found.append(Segment((seen.u0 + seen.u1) / 2, seen.c0, seen.c1))
            continue
        if not shape.stroke:
            continue
        for piece in subpaths(shape):
            for start, end in pairwise(piece):
                if abs(start[along] - end[along]) > STRAIGHT_PT:
                    continue
                c0, c1 = sorted((start[1 - along], end[1 - along]))
                if c1 - c0 > STRAIGHT_PT:
                    found.append(Segment((start[along] + end[along]) / 2, c0, c1))
    return found


def area(points: Sequence[Point]) -> float:
    """Area inside a closed polyline."""
    closed = [*points, points[0]]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(closed))) / 2


def is_white(colour: Colour | None) -> bool:
    """True for the colour of paper."""
    return colour is not None and min(colour) > 0.985


def same_colour(left: Colour | None, right: Colour | None) -> bool:
    """True for two known colours that the eye takes for one (rounded to 8 bits and back)."""
    if left is None or right is None:
        return False
    return max(abs(a - b) for a, b in zip(left, right, strict=True)) < 0.012
