"""Boxes and straight segments seen along a value axis, so that upright and lying charts are read by the same code.

In a view, `u` runs along the value axis and `c` across it: for a vertical axis u is y and c is x, for a horizontal
one the other way round. What stands there is not known here.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.read.page import Box, Colour, Point, Shape

Orientation = Literal["vertical", "horizontal"]

WHITE: Colour = (1.0, 1.0, 1.0)


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

    def begin(self, sign: int) -> float:
        """Where a box begins that grows to greater (1) or lesser positions (-1)."""
        return self.u0 if sign > 0 else self.u1

    def end(self, sign: int) -> float:
        """Where it ends."""
        return self.u1 if sign > 0 else self.u0

    def cut(self, frame: View) -> View | None:
        """The part inside a frame; None where nothing of it is left."""
        part = View(max(self.c0, frame.c0), max(self.u0, frame.u0), min(self.c1, frame.c1), min(self.u1, frame.u1))
        return part if part.c0 < part.c1 and part.u0 <= part.u1 else None

    def grown(self, by: float) -> View:
        """The box with a margin around it."""
        return View(self.c0 - by, self.u0 - by, self.c1 + by, self.u1 + by)

    def holds(self, point: Point) -> bool:
        """True for a point (c, u) inside."""
        return self.c0 <= point[0] <= self.c1 and self.u0 <= point[1] <= self.u1

    def holds_box(self, other: View) -> bool:
        """True for a box inside."""
        return self.holds((other.c0, other.u0)) and self.holds((other.c1, other.u1))

    def has_edge(self, u: float) -> bool:
        """True where the box begins or ends at a position along the axis."""
        return min(abs(self.u0 - u), abs(self.u1 - u)) <= SETTINGS.same

    def meets(self, other: View) -> bool:
        """True for boxes that have a point in common."""
        across = min(self.c1, other.c1) >= max(self.c0, other.c0)
        return across and min(self.u1, other.u1) >= max(self.u0, other.u0)

    @property
    def height(self) -> float:
        """Middle along the axis."""
        return (self.u0 + self.u1) / 2


@dataclass(frozen=True, slots=True)
class Segment:
    """A straight stroke across a value axis, at `u`, from `c0` to `c1`."""

    u: float
    c0: float
    c1: float

    @property
    def length(self) -> float:
        return self.c1 - self.c0


class Style(NamedTuple):
    """How a mark is painted: what tells the series of a chart apart.

    Attributes:
        colour: Its fill, or its stroke where it has none; None for a gradient or pattern.
        pattern: Name of the pattern that fills it; empty without one.
        dash: Lengths of dashes and gaps of a line; empty for a solid one.
        marker: Width, height and number of pieces of the markers on a line, None without them.
        is_filled: False for an outline.
    """

    colour: Colour | None
    pattern: str = ""
    dash: tuple[float, ...] = ()
    marker: tuple[float, ...] | None = None
    is_filled: bool = True


def style_of(shape: Shape, is_line: bool = False) -> Style:
    """How a shape is painted; of a line its stroke alone."""
    if is_line or shape.kind == "line":
        return Style(shape.stroke_colour, "", shape.dash)
    if shape.pattern:
        return Style(None, shape.pattern)
    if shape.fill and (not is_white(shape.fill_colour) or not shape.stroke):
        return Style(shape.fill_colour)
    return Style(shape.fill_colour) if shape.fill else Style(shape.stroke_colour, is_filled=False)


def marker_form(shape: Shape) -> tuple[float, ...]:
    """What tells markers of one colour apart: width, height, number of pieces, filled or not."""
    return round(shape.x1 - shape.x0, 1), round(shape.bottom - shape.top, 1), float(len(shape.path)), float(shape.fill)


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
        if shape.fill and seen.length <= SETTINGS.thin and seen.breadth > seen.length:
            found.append(Segment((seen.u0 + seen.u1) / 2, seen.c0, seen.c1))
            continue
        if not shape.stroke:
            continue
        for piece in subpaths(shape):
            for start, end in pairwise(piece):
                if abs(start[along] - end[along]) > SETTINGS.straight:
                    continue
                c0, c1 = sorted((start[1 - along], end[1 - along]))
                if c1 - c0 > SETTINGS.straight:
                    found.append(Segment((start[along] + end[along]) / 2, c0, c1))
    return found


def fold_hatching(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """The shapes with each box that is hatched stroke by stroke as one box with a pattern.

    Some producers (LibreOffice) paint the ground of a hatched box and right after it parallel strokes from edge to
    edge. The pattern says colour, directions and distance of the strokes, so that a legend tells series apart.
    """
    folded: list[Shape] = []
    known: list[_Hatching] = []
    index = 0
    while index < len(shapes):
        ground, end = shapes[index], index + 1
        if ground.fill and not ground.stroke:
            while end < len(shapes) and _is_hatch(shapes[end], shapes[index + 1], ground):
                end += 1
        hatching = _hatching(shapes[index + 1 : end]) if end > index + 2 else None
        if hatching is None:
            folded.append(ground)
            index += 1
            continue
        alike = [name for name, other in enumerate(known) if other.is_like(hatching)]
        if len(alike) != 1:
            # Strokes too few to tell their distance may be those of any hatching in their directions.
            alike = [len(known)]
            known.append(hatching)
        folded.append(replace(ground, fill_colour=None, pattern=f"hatching {alike[0] + 1}"))
        index = end
    return tuple(folded)


class _Hatching(NamedTuple):
    """Colour, directions in degrees and distance in points of the strokes of a hatched box; 0 where it is not known."""

    colour: Colour | None
    directions: frozenset[int]
    distance: float

    def is_like(self, other: _Hatching) -> bool:
        near = min(self.distance, other.distance) >= 0.9 * max(self.distance, other.distance)
        return self[:2] == other[:2] and (near or not self.distance or not other.distance)


def _is_hatch(shape: Shape, first: Shape, ground: Shape) -> bool:
    """True for a stroke within a box that begins or ends at its edge, painted as the first one."""
    if len(shape.points) != 2 or shape.dash or (shape.stroke_colour, shape.linewidth) != (
        first.stroke_colour, first.linewidth
    ):  # fmt: skip
        return False
    inside = view(ground.box, "vertical").grown(SETTINGS.straight).holds_box(view(shape.box, "vertical"))
    offs = (abs(place - edge) for x, y in shape.points for place, edge in zip((x, y, x, y), ground.box, strict=True))
    return inside and min(offs) <= SETTINGS.straight


def _hatching(strokes: Sequence[Shape]) -> _Hatching | None:
    """What strokes in one box have in common; None where they are not parallel at even distances, as curves are."""
    places: defaultdict[int, list[float]] = defaultdict(list)
    for stroke in strokes:
        (x0, y0), (x1, y1) = stroke.points
        if math.dist((x0, y0), (x1, y1)) < SETTINGS.min_breadth:
            # In a corner, too short to tell its direction.
            continue
        angle = round(math.degrees(math.atan2(y1 - y0, x1 - x0))) % 180
        turn = math.radians(angle)
        places[angle].append(x0 * math.sin(turn) - y0 * math.cos(turn))
    gaps = [b - a for of_one in places.values() for a, b in pairwise(sorted(of_one)) if b - a > SETTINGS.straight]
    # Gridlines are level and upright, too, but farther from each other.
    most = SETTINGS.hatch if all(angle % 90 for angle in places) else SETTINGS.hatch / 2
    if not 0 < len(places) <= 2 or (gaps and (max(gaps) > most or max(gaps) > 1.2 * min(gaps))):
        return None
    return _Hatching(strokes[0].stroke_colour, frozenset(places), min(gaps, default=0.0))


def area(points: Sequence[Point]) -> float:
    """Area inside a closed polyline."""
    closed = [*points, points[0]]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(closed))) / 2


def overlap(a: Box, b: Box) -> float:
    """What two boxes have in common, as a share of the smaller one."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    smaller = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return width * height / smaller if width > 0 and height > 0 else 0.0


def is_near(a: Sequence[float], b: Sequence[float], slack: float) -> bool:
    """True for boxes whose edges agree, and for points whose coordinates do."""
    return all(abs(one - other) <= slack for one, other in zip(a, b, strict=True))


def is_white(colour: Colour | None) -> bool:
    """True for the colour of paper."""
    return colour is not None and min(colour) > 0.985


def same_colour(left: Colour | None, right: Colour | None) -> bool:
    """True for two known colours that the eye takes for one (rounded to 8 bits and back)."""
    if left is None or right is None:
        return False
    return max(abs(a - b) for a, b in zip(left, right, strict=True)) < 0.012


def is_alike(left: Style, right: Style) -> bool:
    """True for one colour, or one pattern."""
    return left.pattern == right.pattern and (bool(left.pattern) or same_colour(left.colour, right.colour))
