"""Bars of a plot: boxes that begin at the base line of its axis, or on one another; what begins nowhere is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pipelines.extract.charts.chart import DrawnBar, PlotMarks
from pipelines.extract.charts.geometry import Rect, Style, area, is_near, is_white, shown, style_of, subpaths
from pipelines.extract.charts.plots import Plot
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet
from pipelines.read.page import Shape


class BarBox(NamedTuple):
    """A box that may be a bar: what the plot shows of it, all of it, and whether it goes on across the axis."""

    box: Rect
    whole: Rect
    style: Style
    is_cut: bool


def find_bars(marks: PlotMarks, shapes: Sequence[Shape], sheet: Sheet) -> float | None:
    """Put the bars among the shapes of a plot into its marks; none where its boxes are cells of a table or markers.

    Returns:
        Position of the base line, None without one.
    """
    boxes = [box for box in _boxes(shapes, marks.plot) if not _is_legend(box, sheet)]
    base = _base_line(marks.plot, boxes)
    bars, cut, loose = _on_base(base, boxes) if base is not None else ([], [], boxes)
    if bars and not _are_bars(bars, marks.plot.frame):
        return None
    widths = [bar.box.width for bar in bars]
    floating = _alike(boxes) if not bars and not cut else [
        box.box for box in loose
        if max(box.box.width, box.box.height) > SETTINGS.sign
        and any(abs(box.box.width - width) <= SETTINGS.same for width in widths)
    ]  # fmt: skip
    if bars and len(floating) > SETTINGS.loose * len(bars):
        # Ranges, of which some begin at the base line by chance.
        floating, bars = [*floating, *(bar.box for bar in bars)], []
    for box in floating:
        marks.lose("floating_bars", 1, box)
    for box in cut:
        marks.lose("bar_cut", 1, box)
    marks.bars = bars
    return base


def _boxes(shapes: Sequence[Shape], plot: Plot) -> list[BarBox]:
    """Boxes that may be bars, each once, without backgrounds and strokes; none where there are too many."""
    dark = [Rect(*s.box) for s in shapes if s.kind == "rect" and s.fill and not is_white(s.fill_colour)]
    found: list[BarBox] = []
    outlined: list[BarBox] = []
    for shape in shapes:
        whole = _whole(shape, plot)
        visible = shown(shape) if whole is not None else None
        if whole is None or visible is None:
            continue
        part = (whole if shape.kind == "line" else visible).cut(plot.frame)
        if part is None or not SETTINGS.min_breadth <= part.width < SETTINGS.band * plot.frame.width:
            continue
        if part.width < 0.5 * whole.width:
            # What lies mostly beside the plot is no part of it.
            continue
        box = BarBox(part, whole, style_of(shape), part.width < 0.9 * whole.width)
        if not shape.fill and shape.kind != "line":
            outlined.append(box)
            continue
        # White bars are drawn on dark slides; other white boxes are ground.
        is_paper = is_white(box.style.colour) and not shape.stroke and not box.style.pattern
        if is_paper and not any(d.width > 3 * part.width and d.holds_box(part) for d in dark):
            continue
        twin = next((i for i, f in enumerate(found) if is_near(f.box, part, SETTINGS.same)), None)
        if twin is None:
            found.append(box)
        elif box.style.colour is not None or box.style.pattern:
            # Painted twice: the later one lies above.
            found[twin] = box
        if len(found) > SETTINGS.max_boxes:
            return []
    # Bars may be drawn as outlines alone; the outline of a filled box is that box.
    empty = [o for o in outlined if not any(is_near(f.box, o.box, SETTINGS.same) for f in found)]
    return found + (empty if len(empty) <= SETTINGS.max_boxes else [])


def _is_legend(box: BarBox, sheet: Sheet) -> bool:
    """True for the frame of a legend: a white or empty box around words; a bar holds a number at most."""
    if box.style.pattern or (box.style.is_filled and not is_white(box.style.colour)):
        return False
    return any(any(map(str.isalpha, word.text)) for word in sheet.words if box.box.holds_box(word.box))


def _whole(shape: Shape, plot: Plot) -> Rect | None:
    """The box of a shape that may be a bar, before it is cut; None for what is no bar by its form."""
    box, frame = Rect(*shape.box), plot.frame
    if shape.kind == "line":
        if not shape.stroke or shape.linewidth < SETTINGS.thick_stroke or shape.dash or box.width > SETTINGS.same:
            return None
        # A thick stroke from end to end at the edge of the plot is its frame.
        at_edge = min(abs(box.x - frame.x0), abs(box.x - frame.x1)) <= shape.linewidth
        if at_edge and box.height >= 0.95 * frame.height:
            return None
        return Rect(box.x - shape.linewidth / 2, box.top, box.x + shape.linewidth / 2, box.bottom)
    if shape.kind == "shading":
        return box
    if not shape.fill and not (shape.kind == "rect" and shape.stroke):
        return None
    return box if shape.kind == "rect" or is_box(shape) else None


def is_box(shape: Shape) -> bool:
    """True for a path that all but fills its box, its corners rounded or not."""
    pieces = [piece for piece in subpaths(shape) if len(piece) > 2]
    box = Rect(*shape.box)
    if len(pieces) != 1 or box.width <= 0 or box.height <= 0:
        return False
    # End points of Bezier pieces cut a rounded corner straight, so a little less is measured than is filled.
    share = area(pieces[0]) / (box.width * box.height)
    straight = sum(1 for operator, _ in shape.path if operator == "l")
    # The edges of a box run along it or across: an area with a nearly level edge is none.
    level = all(min(abs(a[0] - b[0]), abs(a[1] - b[1])) <= SETTINGS.straight for a, b in pairwise(pieces[0]))
    if straight + 1 >= len(shape.points) and not level:
        return False
    return share >= SETTINGS.bar_fill or (share >= SETTINGS.rounded_fill and straight >= 2)


def _base_line(plot: Plot, boxes: Sequence[BarBox]) -> float | None:
    """Position where the bars begin: value zero, or the end of an axis that does not show it; None where it is neither.

    An axis without marks is taken as it is here; its zero is moved to where the bars begin afterwards.
    """
    axis = plot.axis
    low, high = axis.span
    slack = max(1.2, SETTINGS.base_share * (high - low))
    if not axis.is_snapped:
        slack = max(slack, 0.6 * axis.size)
    ends = [plot.frame.bottom, axis.position(axis.low)]
    if axis.scale == "log":
        # Bars of a log axis begin at its lower end, or at the value 1 (ggplot).
        expected = ends + ([axis.position(1)] if axis.low <= 1 <= axis.high else [])
    else:
        step = (axis.high - axis.low) / (len(axis.ticks) - 1)
        expected = [axis.position(0)] + ([] if axis.low - step <= 0 <= axis.high + step else ends)
    edges = [edge for box in boxes for edge in (box.box.top, box.box.bottom, box.whole.top, box.whole.bottom)]
    near = [edge for edge in edges if min(abs(edge - place) for place in expected) <= slack]
    if not near:
        return None
    base = max(near, key=lambda edge: sum(abs(edge - other) <= SETTINGS.straight for other in near))
    is_zero = axis.scale == "linear" and abs(base - axis.position(0)) <= slack
    # Where the axis does not show zero, one box at its end may be anything.
    at_base = [b for b in boxes if min(abs(b.box.top - base), abs(b.box.bottom - base)) <= SETTINGS.same]
    return base if is_zero or len({round(b.box.x0) for b in at_base}) > 1 else None


def _on_base(base: float, boxes: Sequence[BarBox]) -> tuple[list[DrawnBar], list[Rect], list[BarBox]]:
    """The boxes that begin at the base line or where another one ends, those whose end is not shown, and the rest."""
    columns: list[list[BarBox]] = []
    for box in sorted(boxes, key=lambda b: b.box.x0):
        column = next(
            (c for c in columns if max(abs(c[0].box.x0 - box.box.x0), abs(c[0].box.x1 - box.box.x1)) <= SETTINGS.same),
            None,
        )
        if column is None:
            columns.append([box])
        else:
            column.append(box)
    bars: list[DrawnBar] = []
    cut: list[Rect] = []
    loose: list[BarBox] = []
    for column in columns:
        left = list(column)
        for sign in (-1, 1):
            ends: list[float] = []
            # Nearest first: a box that begins where the one before it ends is stacked on it.
            for box in sorted(left, key=lambda b: [abs(edge - base) for edge in _ends(b.whole, sign)]):
                begin, end = _ends(box.whole, sign)
                if (end - begin) * sign < -0.05 or (end - base) * sign < -0.05:
                    continue
                # What the base line hides, as the lower part of a plot with a broken axis, begins there all the same.
                at_edge = abs(begin - base) > SETTINGS.same and abs(_ends(box.box, sign)[0] - base) <= SETTINGS.same
                stands = abs(begin - base) <= SETTINGS.same or (at_edge and (base - begin) * sign > 0)
                below = min(ends, key=lambda e: abs(begin - e), default=base)
                if not stands and (not ends or abs(begin - below) > SETTINGS.same):
                    continue
                left.remove(box)
                if box.is_cut or abs(_ends(box.box, sign)[1] - end) > SETTINGS.same:
                    cut.append(box.box)
                    continue
                bars.append(DrawnBar(box.box, base if stands else below, end, box.style, not stands))
                ends.append(end)
        loose += left
    return bars, cut, loose


def _ends(box: Rect, sign: int) -> tuple[float, float]:
    """Where a box begins and ends that grows downwards (1) or upwards (-1)."""
    return (box.top, box.bottom) if sign > 0 else (box.bottom, box.top)


def _are_bars(bars: Sequence[DrawnBar], frame: Rect) -> bool:
    """False for what cannot be bars: markers, boxes of one size without a gap (cells of a table)."""
    if all(max(bar.box.width, bar.box.height) <= SETTINGS.sign for bar in bars):
        return False
    columns = sorted({(round(bar.box.x0, 1), round(bar.box.x1, 1)) for bar in bars})
    lengths = sorted(abs(bar.end - bar.start) for bar in bars)
    even = sum(abs(length - lengths[len(lengths) // 2]) <= 2 * SETTINGS.same for length in lengths)
    if len(bars) <= 2 or even < SETTINGS.covers * len(bars):
        return True
    touching = all(right[0] - left[1] <= SETTINGS.same for left, right in pairwise(columns))
    covered = sum(end - start for start, end in columns) / frame.width
    return len(bars) <= 2 * len(columns) and not (touching and covered > SETTINGS.cells)


def _alike(boxes: Sequence[BarBox]) -> list[Rect]:
    """Boxes of one breadth beside each other, as bars are, or three in one style; a single box may be anything."""
    tall = [b for b in boxes if max(b.box.width, b.box.height) > SETTINGS.sign]
    styles = Counter(box.style for box in tall)
    return [
        box.box for box in tall
        if styles[box.style] > 2 or any(
            abs(o.box.width - box.box.width) <= SETTINGS.same and abs(o.box.x0 - box.box.x0) > 1 for o in tall
        )
    ]  # fmt: skip
