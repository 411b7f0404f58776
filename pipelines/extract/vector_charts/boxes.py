"""Filled boxes in a plot that may be bars, by their form and place alone. Which of them are belongs in `bars.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.frame import cut, shown
from pipelines.extract.vector_charts.geometry import View, area, is_white, same_colour, subpaths, view
from pipelines.read.page import Colour, Shape

# Boxes whose edges differ by less are the same box, or stand on one line.
SAME_PT = 0.8
# A path that fills less of its box is no bar: a circle fills 0.785.
_BAR_FILL = 0.86
# A rounded end may fill less, when the bar is not short.
_ROUNDED_FILL = 0.79
# Thinner boxes are strokes; a thicker stroke is a bar.
_MIN_BREADTH_PT = 1.0
_THICK_STROKE_PT = 3.0
# A box as broad as this share of the plot is a background or a band.
_BAND = 0.92
# A plot with more filled boxes is a map or a raster, and no bar chart.
MAX_BOXES = 500
_MAX_BACKGROUNDS = 30


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled box in a plot, not yet known to be a bar."""

    seen: View
    whole: View
    colour: Colour | None
    order: int


def filled_boxes(shapes: Sequence[Shape], axis: Axis, frame: View) -> list[Filled]:
    """Boxes in the plot that may be bars, each once, without backgrounds and strokes; none where there are too many."""
    found: list[Filled] = []
    dark = [
        view(shape.box, axis.orientation)
        for shape in shapes
        if shape.kind == "rect" and shape.fill and not is_white(shape.fill_colour) and shape.fill_colour
    ]
    dark = sorted(dark, key=lambda d: d.breadth, reverse=True)[:_MAX_BACKGROUNDS]
    for shape in shapes:
        whole = _whole(shape, axis)
        box = shown(shape) if whole is not None else None
        if whole is None or box is None:
            continue
        visible = view(box, axis.orientation)
        if shape.kind == "line":
            visible = whole
            # A thick stroke from end to end at the edge of the plot is its frame.
            at_edge = min(abs(whole.middle - frame.c0), abs(whole.middle - frame.c1)) <= 2 * whole.breadth
            if at_edge and whole.length >= 0.95 * (frame.u1 - frame.u0):
                continue
        part = cut(visible, frame)
        if part is None or part.breadth < _MIN_BREADTH_PT or part.breadth >= _BAND * (frame.c1 - frame.c0):
            continue
        # What lies mostly beside the plot is no part of it.
        if part.breadth < 0.9 * visible.breadth:
            continue
        colour = shape.stroke_colour if shape.kind == "line" else shape.fill_colour
        if is_white(colour) and not shape.stroke and not _is_on_dark(part, dark):
            continue
        twin = next((f for f in found if is_same(f.seen, part)), None)
        if twin is None:
            found.append(Filled(part, visible, colour, shape.order))
            if len(found) > MAX_BOXES:
                return []
        elif colour is not None and not same_colour(colour, twin.colour):
            # Painted twice: the later one lies above.
            found[found.index(twin)] = Filled(part, visible, colour, shape.order)
    return found


def _is_on_dark(seen: View, dark: Sequence[View]) -> bool:
    """True for a box on a larger coloured one: white bars stand on dark slides."""
    return any(
        d.c0 < seen.c0 and d.c1 > seen.c1 and d.u0 <= seen.u0 and d.u1 >= seen.u1 and d.breadth > 3 * seen.breadth
        for d in dark
    )


def _whole(shape: Shape, axis: Axis) -> View | None:
    """The box of a shape that may be a bar, before it is cut; None for what is no bar by its form."""
    seen = view(shape.box, axis.orientation)
    if shape.kind == "line":
        if not shape.stroke or shape.linewidth < _THICK_STROKE_PT or shape.dash or seen.breadth > SAME_PT:
            return None
        half = shape.linewidth / 2
        return View(seen.middle - half, seen.u0, seen.middle + half, seen.u1)
    if shape.kind == "shading":
        return seen
    if not shape.fill:
        return None
    if shape.kind == "curve" and not _is_box(shape, seen):
        return None
    return seen


def _is_box(shape: Shape, seen: View) -> bool:
    """True for a path that all but fills its box, its corners rounded or not."""
    pieces = [piece for piece in subpaths(shape) if len(piece) > 2]
    if len(pieces) != 1 or seen.breadth <= 0 or seen.length <= 0:
        return False
    # End points of Bezier pieces cut a rounded corner straight, so a little less is measured than is filled.
    share = area(pieces[0]) / (seen.breadth * seen.length)
    straight = sum(1 for operator, _ in shape.path if operator == "l")
    return share >= _BAR_FILL or (share >= _ROUNDED_FILL and straight >= 2)


def is_same(left: View, right: View) -> bool:
    """True for two boxes whose edges agree."""
    return all(abs(a - b) <= SAME_PT for a, b in zip(left, right, strict=True))
