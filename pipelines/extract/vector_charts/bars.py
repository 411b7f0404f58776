"""Bars of a plot: filled boxes that stand on the base line of the axis, or on one another.

Colours are kept as they are; what they mean belongs in `legend.py`, what stands below the bars in `categories.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.frame import cut, shown
from pipelines.extract.vector_charts.geometry import View, area, is_white, same_colour, subpaths, view
from pipelines.read.page import Colour, Shape

# Boxes whose edges differ by less are the same box, or stand on one line.
_SAME_PT = 0.8
# A path that fills less of its box is no bar: a circle fills 0.785.
_BAR_FILL = 0.86
# A rounded end may fill less, when the bar is not short.
_ROUNDED_FILL = 0.79
# Thinner boxes are strokes; a thicker stroke is a bar.
_MIN_BREADTH_PT = 1.0
_THICK_STROKE_PT = 3.0
# A box as broad as this share of the plot is a background or a band.
_BAND = 0.92
# How far off the value zero the base line may be, as a share of the axis.
_BASE_SHARE = 0.012


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, or one piece of a stacked bar.

    Attributes:
        seen: Its box as the axis sees it, cut to the plot.
        start: Position where it begins: the base line, or the end of the piece below it.
        end: Position where it ends.
        colour: Its fill; None for a gradient or a pattern.
        is_stacked: True for a piece that stands on another one.
        is_cut: True where the plot ends before the bar does.
    """

    seen: View
    start: float
    end: float
    colour: Colour | None
    is_stacked: bool
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled box in a plot, not yet known to be a bar."""

    seen: View
    whole: View
    colour: Colour | None
    order: int


def filled_boxes(shapes: Iterable[Shape], axis: Axis, frame: View) -> list[Filled]:
    """Boxes in the plot that may be bars, each once; backgrounds, markers and strokes are left out."""
    found: list[Filled] = []
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
        if is_white(colour) and not shape.stroke:
            continue
        twin = next((f for f in found if _is_same(f.seen, part)), None)
        if twin is None:
            found.append(Filled(part, visible, colour, shape.order))
        elif colour is not None and not same_colour(colour, twin.colour):
            # Painted twice: the later one lies above.
            found[found.index(twin)] = Filled(part, visible, colour, shape.order)
    return found


def _whole(shape: Shape, axis: Axis) -> View | None:
    """The box of a shape that may be a bar, before it is cut; None for what is no bar by its form."""
    seen = view(shape.box, axis.orientation)
    if shape.kind == "line":
        if not shape.stroke or shape.linewidth < _THICK_STROKE_PT or shape.dash or seen.breadth > _SAME_PT:
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


def _is_same(left: View, right: View) -> bool:
    return all(abs(a - b) <= _SAME_PT for a, b in zip(left, right, strict=True))


def base_line(axis: Axis, frame: View, boxes: Sequence[Filled]) -> float | None:
    """Position where the bars begin: value zero, or the end of an axis that does not show it; None where it is neither.

    An axis without marks is taken as it is here; `anchored` moves it so that its zero is where the bars begin.
    """
    edges = [edge for box in boxes for edge in (box.seen.u0, box.seen.u1)]
    if not edges:
        return None
    low, high = axis.span
    slack = max(1.2, _BASE_SHARE * (high - low))
    if not axis.is_snapped:
        slack = max(slack, 0.6 * max(tick.label.size for tick in axis.ticks))
    shows_zero = axis.scale == "linear" and axis.low - axis_step(axis) <= 0 <= axis.high + axis_step(axis)
    expected = axis.position(0) if shows_zero else _lower_end(axis, frame)
    near = [edge for edge in edges if abs(edge - expected) <= slack]
    if not near and not shows_zero:
        near = [edge for edge in edges if abs(edge - axis.position(axis.low)) <= slack]
    if not near:
        return None
    return max(near, key=lambda edge: sum(abs(edge - other) <= 0.3 for other in near))


def axis_step(axis: Axis) -> float:
    """Mean difference of neighbouring labels of a linear axis."""
    return (axis.high - axis.low) / (len(axis.ticks) - 1)


def _lower_end(axis: Axis, frame: View) -> float:
    return frame.u1 if axis.slope < 0 else frame.u0


def bars_on(base: float, axis: Axis, frame: View, boxes: Sequence[Filled]) -> list[Bar]:
    """The boxes that begin at the base line, and those that begin where another one ends, to either side."""
    columns: list[list[Filled]] = []
    for box in sorted(boxes, key=lambda b: b.seen.c0):
        for column in columns:
            if abs(column[0].seen.c0 - box.seen.c0) <= _SAME_PT and abs(column[0].seen.c1 - box.seen.c1) <= _SAME_PT:
                column.append(box)
                break
        else:
            columns.append([box])
    return [bar for column in columns for bar in _in_column(base, axis, frame, column)]


def _in_column(base: float, axis: Axis, frame: View, column: Sequence[Filled]) -> list[Bar]:
    bars: list[Bar] = []
    for sign in (-1, 1):
        # Nearest first: a box that begins where the one before it ends is stacked on it.
        side = sorted(
            (box for box in column if _grows(box.seen, base, sign)),
            key=lambda box: (abs(_begin(box.seen, sign) - base), abs(_end(box.seen, sign) - base)),
        )
        ends: list[float] = []
        for box in side:
            begin, end = _begin(box.seen, sign), _end(box.seen, sign)
            is_cut = abs(_end(box.whole, sign) - end) > _SAME_PT
            if abs(begin - base) <= _SAME_PT:
                bars.append(Bar(box.seen, base, end, box.colour, False, is_cut))
            elif ends and min(abs(begin - e) for e in ends) <= _SAME_PT:
                start = min(ends, key=lambda e: abs(begin - e))
                bars.append(Bar(box.seen, start, end, box.colour, True, is_cut))
            else:
                continue
            ends.append(end)
    flat = [bar for bar in bars if abs(bar.end - bar.start) <= 0.05]
    # A bar of no height is found on both sides.
    return [bar for bar in bars if bar not in flat] + flat[:1] * (len(flat) == len(bars))


def _begin(seen: View, sign: int) -> float:
    return seen.u1 if sign < 0 else seen.u0


def _end(seen: View, sign: int) -> float:
    return seen.u0 if sign < 0 else seen.u1


def _grows(seen: View, base: float, sign: int) -> bool:
    return (_begin(seen, sign) - base) * sign >= -_SAME_PT and (_end(seen, sign) - base) * sign >= -0.05


def has_bars(bars: Sequence[Bar], frame: View) -> bool:
    """False for what cannot be bars: none, boxes of one size side by side without a gap (cells of a table)."""
    if not bars:
        return False
    starts: defaultdict[float, list[Bar]] = defaultdict(list)
    for bar in bars:
        starts[round(bar.seen.c0, 0)].append(bar)
    lengths = {round(bar.end - bar.start, 0) for bar in bars}
    ordered = sorted(bars, key=lambda bar: bar.seen.c0)
    touching = sum(abs(left.seen.c1 - right.seen.c0) <= _SAME_PT for left, right in pairwise(ordered))
    covered = sum(bar.seen.breadth for bar in ordered) / (frame.c1 - frame.c0)
    return not (len(bars) > 2 and len(lengths) == 1 and touching == len(bars) - 1 and covered > _BAND)
