"""Lines of a plot: strokes of one colour that run through their points, put together where they are drawn in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.frame import shown
from pipelines.extract.vector_charts.geometry import STRAIGHT_PT, View, is_white, same_colour, subpaths
from pipelines.read.page import Colour, Point, Shape

# Pieces of one line meet, and points of a line lie in the plot, within this distance.
_MEETS_PT = 0.6
_OUTSIDE_PT = 1.5
# A line runs over at least this share of the plot's breadth; what is shorter is a sign of the legend or a marker.
_MIN_SHARE = 0.15
# Strokes broader than this are bars.
_MAX_WIDTH_PT = 8.0
# More pieces are a map or a texture.
MAX_PIECES = 4000
_REACH_BACK = 30
# A stroke at one position along the axis that spans the plot is a gridline.
_GRID_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """One line: its points as (c, u) in the order of c, its colour."""

    points: tuple[Point, ...]
    colour: Colour | None
    width: float


def drawn_lines(shapes: Iterable[Shape], axis: Axis, frame: View) -> list[DrawnLine]:
    """The lines in a plot; gridlines, axes, frames and whiskers are left out."""
    pieces: list[DrawnLine] = []
    for shape in shapes:
        if (
            not shape.stroke
            or shape.kind == "shading"
            or shape.linewidth > _MAX_WIDTH_PT
            or is_white(shape.stroke_colour)
        ):
            continue
        if shape.fill and shape.kind == "rect":
            continue
        if shown(shape) is None:
            continue
        for piece in subpaths(shape):
            points = [_turn(point, axis) for point in piece]
            if not _in_plot(points, frame) or (len(points) > 3 and points[0] == points[-1]):
                continue
            pieces.append(DrawnLine(tuple(points), shape.stroke_colour, shape.linewidth))
    pieces = [p for p in pieces if not _is_structure(p, frame)]
    if len(pieces) > MAX_PIECES:
        return []
    lines = [_clean(line) for line in _joined(pieces)]
    broad = _MIN_SHARE * (frame.c1 - frame.c0)
    found: dict[tuple[Point, ...], DrawnLine] = {}
    for line in lines:
        if line is None or line.points[-1][0] - line.points[0][0] < broad or len(line.points) < 2:
            continue
        # The same line painted twice (a halo below it) counts once, in the colour painted last.
        found.pop(line.points, None)
        found[line.points] = line
    return list(found.values())


def _turn(point: Point, axis: Axis) -> Point:
    return point if axis.orientation == "vertical" else (point[1], point[0])


def _in_plot(points: Sequence[Point], frame: View) -> bool:
    inside = sum(frame.c0 - _OUTSIDE_PT <= c <= frame.c1 + _OUTSIDE_PT for c, _ in points)
    within = sum(frame.u0 - _OUTSIDE_PT <= u <= frame.u1 + _OUTSIDE_PT for _, u in points)
    return inside >= 0.9 * len(points) and within >= 0.5 * len(points)


def _is_structure(piece: DrawnLine, frame: View) -> bool:
    """True for gridlines, axes and their ticks: straight along or across the axis, spanning the plot or very short."""
    us = [u for _, u in piece.points]
    cs = [c for c, _ in piece.points]
    if max(cs) - min(cs) <= STRAIGHT_PT:
        return True
    flat = max(us) - min(us) <= STRAIGHT_PT
    return (
        flat
        and (max(cs) - min(cs) >= _GRID_SHARE * (frame.c1 - frame.c0) or len(piece.points) == 2)
        and not (len(piece.points) > 2 and len({round(c, 1) for c in cs}) > 2)
    )


def _joined(pieces: Sequence[DrawnLine]) -> list[DrawnLine]:
    """Pieces of one colour and width that follow each other, as one line."""
    lines: list[DrawnLine] = []
    for piece in pieces:
        # Pieces are painted one after the other: what goes on is among the last.
        for index in range(len(lines) - 1, max(-1, len(lines) - 1 - _REACH_BACK), -1):
            line = lines[index]
            if not (same_colour(line.colour, piece.colour) or line.colour == piece.colour):
                continue
            if abs(line.width - piece.width) > 0.1:
                continue
            if _meet(line.points[-1], piece.points[0]):
                lines[index] = DrawnLine((*line.points, *piece.points[1:]), line.colour, line.width)
                break
            if _meet(line.points[0], piece.points[-1]):
                lines[index] = DrawnLine((*piece.points[:-1], *line.points), line.colour, line.width)
                break
        else:
            lines.append(piece)
    return lines


def _meet(left: Point, right: Point) -> bool:
    return abs(left[0] - right[0]) <= _MEETS_PT and abs(left[1] - right[1]) <= _MEETS_PT


def _clean(line: DrawnLine) -> DrawnLine | None:
    """The line from lower to higher c, each place once; None for what runs to and fro, as an outline does."""
    points = list(line.points)
    if points[0][0] > points[-1][0]:
        points.reverse()
    kept = [points[0]]
    for before, point in pairwise(points):
        if point[0] < before[0] - 0.5:
            return None
        if not _meet(kept[-1], point):
            kept.append(point)
    # A step or a whisker goes straight along the axis; a line through data moves on at every point.
    steps = sum(b[0] - a[0] <= 0.05 for a, b in pairwise(kept))
    return DrawnLine(tuple(kept), line.colour, line.width) if len(kept) > 1 and steps <= 0.2 * len(kept) else None
