"""A page of a document as plain data: words, drawn shapes, pictures, each with its place.

No file format is known here (see `pdf/`), and no meaning: what a shape stands for belongs in
`extract`. All coordinates are in points (1/72 inch) from the upper left corner of the page as it is
shown; `top` and `bottom` grow downwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Point = tuple[float, float]
"""x from the left edge, y from the upper edge."""
Box = tuple[float, float, float, float]
"""x0, top, x1, bottom."""
Colour = tuple[float, float, float]
"""Red, green and blue from 0 to 1, in any colour space of the file."""
ShapeKind = Literal["rect", "line", "curve", "shading"]


@dataclass(frozen=True, slots=True)
class Placed:
    """Something with a place on a page.

    Attributes:
        x0: Left edge of the box around it.
        top: Upper edge.
        x1: Right edge.
        bottom: Lower edge.
    """

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def box(self) -> Box:
        return self.x0, self.top, self.x1, self.bottom

    @property
    def middle(self) -> Point:
        return (self.x0 + self.x1) / 2, (self.top + self.bottom) / 2

    def has(self, x: float, y: float) -> bool:
        """True for a point on it."""
        return self.x0 <= x <= self.x1 and self.top <= y <= self.bottom


def around(boxes: Iterable[Box]) -> Box:
    """The box around one or more others."""
    x0s, tops, x1s, bottoms = zip(*boxes, strict=True)
    return min(x0s), min(tops), max(x1s), max(bottoms)


@dataclass(frozen=True, slots=True)
class Word(Placed):
    """Characters without a blank between them.

    Attributes:
        text: The characters as Unicode.
        size: Font size in points.
        font: Name of the font, without the prefix of a subset; empty where the file has none.
        colour: Colour of the characters, None where it is a pattern or not known.
        angle: Direction of reading: 0 to the right, 90 upwards, 180 to the left, 270 downwards.
        edges: Where each character begins in the direction of reading (x, or y for 90 and 270), and
            where the last one ends; `len(edges) == len(text) + 1`.
    """

    text: str
    size: float
    font: str
    colour: Colour | None
    angle: int
    edges: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Shape(Placed):
    """One painted path, before any clipping: a rectangle, a straight line, another path, an area
    filled by a gradient.

    Attributes:
        kind: `rect`, `line` (one straight stroke), `curve` (any other path, polylines too),
            `shading` (a gradient).
        points: Corners and end points of the path in order (of a Bezier piece its end point); empty
            for a shading.
        path: The path as drawn: an operator `m`, `l`, `c`, `v`, `y` or `h` with its points; empty
            for a shading.
        stroke: True when the outline is painted.
        fill: True when the inside is painted.
        stroke_colour: Colour of the outline; None where it is not painted, or is a pattern.
        fill_colour: Colour of the inside; None where it is not painted, or is a pattern or
            gradient.
        linewidth: Width of the outline in points.
        dash: Lengths of dashes and gaps; empty for a solid line.
        clip: Box outside of which nothing of the shape is shown; None where nothing is cut, or it
            is not known.
        pattern: Name of the pattern that fills the inside, as the page calls it; empty without one.
    """

    kind: ShapeKind
    points: tuple[Point, ...]
    path: tuple[tuple[str, tuple[Point, ...]], ...]
    stroke: bool
    fill: bool
    stroke_colour: Colour | None
    fill_colour: Colour | None
    linewidth: float
    dash: tuple[float, ...]
    clip: Box | None
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Image(Placed):
    """One picture: its place, and how many pixels it has."""

    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on one page.

    Attributes:
        number: Number of the page, from 1.
        width: Width of the page as shown, in points.
        height: Height of the page as shown, in points.
        words: Words in reading order.
        shapes: Painted paths and gradients in the order of painting.
        images: Pictures in the order of painting.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    shapes: tuple[Shape, ...]
    images: tuple[Image, ...]
