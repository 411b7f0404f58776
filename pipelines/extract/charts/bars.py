"""Bars of a plot: boxes that begin at the base line of its axis, or on one another; what begins nowhere is refused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pipelines.extract.charts.chart import DrawnBar, Plot
from pipelines.extract.charts.geometry import Rect, Style, is_box, is_near, is_white, shown, style_of
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Shape


class BarBox(NamedTuple):
    """A box that may be a bar: what the plot shows of it, all of it, and how it is painted."""

    box: Rect
    whole: Rect
    style: Style


def find_bars(plot: Plot, shapes: Sequence[Shape]) -> float | None:
    """Put the bars among the shapes of a plot into it; none where its boxes are cells of a table or markers.

    Returns:
        Position of the base line, None without one.
    """
    boxes = _boxes(shapes, plot)
    base = _base_line(plot, boxes)
    bars, cut, loose = _on_base(base, boxes) if base is not None else ([], [], boxes)
    if bars and not _are_bars(bars, plot.frame):
        return None
    tall = [box for box in loose if max(box.box.width, box.box.height) > SETTINGS.sign]
    if bars:
        floating = [box.box for box in tall if any(_is_as_broad(box.box, bar.box) for bar in bars)]
    else:
        # Boxes of one breadth beside each other, as bars are; a single box may be anything.
        beside = [b.box for b in tall if any(_is_as_broad(b.box, o.box) and abs(o.box.x0 - b.box.x0) > 1 for o in tall)]
        floating = [] if cut else beside
    if len(floating) > SETTINGS.half * len(bars):
        # Ranges, of which some begin at the base line by chance.
        floating, bars = [*floating, *(bar.box for bar in bars)], []
    for rule, lost in (("floating_bars", floating), ("bar_cut", cut)):
        for box in lost:
            plot.lose(rule, 1, box)
    plot.bars = bars
    return base


def lose_unread_bars(plot: Plot, shapes: Sequence[Shape]) -> None:
    """Refuse bars drawn as broad strokes, and white bars without an outline on a dark ground."""
    axis, frame = plot.axis, plot.frame
    bases = [frame.bottom, axis.position(axis.low), *([axis.position(0)] if axis.scale == "linear" else [])]
    dark = [Rect(*s.box) for s in shapes if s.kind == "rect" and s.fill and not is_white(s.fill_colour)]
    for shape in shapes:
        box = Rect(*shape.box)
        is_stroke = shape.kind == "line" and shape.linewidth >= SETTINGS.broad_stroke and box.width <= SETTINGS.same
        is_bare = shape.fill and not shape.stroke and is_white(shape.fill_colour) and is_box(shape)
        is_on_dark = is_bare and any(d.width > 3 * box.width and d.holds_box(box) for d in dark)
        if shape.dash or not (is_stroke or is_on_dark) or not frame.grown(1).holds((box.x, box.y)):
            continue
        # From end to end of the plot a stroke is its frame, or a gridline.
        stands = any(abs(edge - base) <= SETTINGS.base_slack for edge in (box.top, box.bottom) for base in bases)
        if stands and SETTINGS.same < box.height < SETTINGS.grid * frame.height:
            plot.lose("unread_bar", 1, box)


def _is_as_broad(one: Rect, other: Rect) -> bool:
    return abs(one.width - other.width) <= SETTINGS.same


def _boxes(shapes: Sequence[Shape], plot: Plot) -> list[BarBox]:
    """Boxes that may be bars, each once, without backgrounds, strokes and legends; none where there are too many."""
    found: list[BarBox] = []
    # Bars may be drawn as outlines alone; the outline of a filled box is that box.
    for shape in sorted(shapes, key=lambda s: s.kind != "shading" and not s.fill):
        whole, visible = Rect(*shape.box), shown(shape)
        part = visible.cut(plot.frame) if visible is not None else None
        is_painted = shape.fill or shape.kind == "shading" or (shape.kind == "rect" and shape.stroke)
        if part is None or not is_painted or not is_box(shape):
            continue
        is_broad_enough = SETTINGS.min_breadth <= part.width < SETTINGS.grid * plot.frame.width
        # What lies mostly beside the plot is no part of it.
        if not is_broad_enough or part.width < 0.5 * whole.width:
            continue
        box = BarBox(part, whole, style_of(shape))
        is_empty = not box.style.pattern and (not box.style.is_filled or is_white(box.style.colour))
        # A white box without outline is ground.
        if is_empty and shape.fill and not shape.stroke:
            continue
        # A bar holds a number at most; a white or empty box around words is the frame of a legend.
        texts = (word.box for word in plot.sheet.words if any(map(str.isalpha, word.text)))
        if is_empty and any(part.holds_box(text) for text in texts):
            continue
        twin = next((i for i, f in enumerate(found) if is_near(f.box, part, SETTINGS.same)), None)
        if twin is None:
            found.append(box)
        elif box.style.is_filled and (box.style.colour is not None or box.style.pattern):
            # Painted twice: the later one lies above.
            found[twin] = box
        if len(found) > SETTINGS.max_boxes:
            return []
    return found


def _base_line(plot: Plot, boxes: Sequence[BarBox]) -> float | None:
    """Position where the bars begin: value zero, or the end of an axis that does not show it; None where it is neither.

    An axis without marks is taken as it is here; its zero is moved to where the bars begin afterwards.
    """
    axis = plot.axis
    low, high = axis.span
    slack = max(SETTINGS.base_slack, SETTINGS.base_share * (high - low), 0.0 if axis.marks else 0.6 * axis.size)
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
        sides = box.box[::2]
        column = next((c for c in columns if is_near(c[0].box[::2], sides, SETTINGS.same)), None)
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
                is_narrowed = box.box.width < 0.9 * box.whole.width
                if is_narrowed or abs(_ends(box.box, sign)[1] - end) > SETTINGS.same:
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
