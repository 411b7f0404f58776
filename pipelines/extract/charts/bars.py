"""Bars of a plot: boxes that begin at the base line of its axis, or on one another; what begins nowhere is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pipelines.extract.charts.geometry import Rect, Style, grouped, is_box, is_near, is_white, shown, style_of
from pipelines.extract.charts.plots import Plot, PlotMark, Sheet
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
    boxes = filled_boxes(shapes, plot.sheet, plot.frame)
    base = _base_line(plot, boxes)
    bars, cut, loose = _on_base(base, boxes) if base is not None else ([], [], boxes)
    if bars and not _are_bars(bars, plot.frame):
        return None
    # Boxes of one breadth beside each other, as bars are; a single box may be anything.
    tall = [box.box for box in loose if max(box.box.width, box.box.height) > SETTINGS.sign]
    peers = [bar.box for bar in bars] or ([] if cut else tall)
    for box in tall:
        if any(abs(box.width - o.width) <= SETTINGS.same and (bars or abs(o.x0 - box.x0) > 1) for o in peers):
            plot.lose("floating_bars", 1, box)
    for box in cut:
        plot.lose("bar_cut", 1, box)
    plot.marks = bars
    return base


def lose_unread_bars(plot: Plot, shapes: Sequence[Shape], base: float | None) -> None:
    """Refuse what stands on the base line and is no box: broad strokes, white boxes on a dark ground, filled areas."""
    axis, frame = plot.axis, plot.frame
    bases = {frame.bottom, axis.position(axis.ticks[0].value), axis.position(0 if axis.scale == "linear" else 1)}
    bases |= {base} if base is not None else set()
    dark = [Rect(*s.box) for s in shapes if s.kind == "rect" and s.fill and not is_white(s.fill_colour)]
    for shape in shapes:
        box, is_ground = Rect(*shape.box), is_white(shape.fill_colour)
        stands = any(abs(edge - at) <= SETTINGS.base_slack for edge in (box.top, box.bottom) for at in bases)
        is_stroke = shape.kind == "line" and shape.linewidth >= SETTINGS.broad_stroke and box.width <= SETTINGS.same
        is_bare = shape.fill and not shape.stroke and is_ground and is_box(shape)
        is_on_dark = is_bare and any(d.width > 3 * box.width and d.holds_box(box) for d in dark)
        # From end to end of the plot a stroke is its frame, or a gridline.
        is_part = SETTINGS.same < box.height < SETTINGS.grid * frame.height and frame.grown(1).holds((box.x, box.y))
        if stands and is_part and not shape.dash and (is_stroke or is_on_dark):
            plot.lose("unread_bar", 1, box)
        is_path = shape.fill and shape.kind == "curve" and len(shape.points) > 4 and not is_ground
        is_large = (stands and box.height > SETTINGS.marker) or box.width >= SETTINGS.part * frame.width
        if is_path and is_large and frame.grown(SETTINGS.meets).holds_box(box) and not is_box(shape):
            plot.lose("filled_area", len({round(x) for x, _ in shape.points}), box)


def filled_boxes(shapes: Sequence[Shape], sheet: Sheet, frame: Rect) -> list[BarBox]:
    """Boxes that may be bars, each once, without backgrounds, strokes and legends; none where there are too many."""
    found: list[BarBox] = []
    # Bars may be drawn as outlines alone; the outline of a filled box is that box.
    for shape in sorted(shapes, key=lambda s: s.kind != "shading" and not s.fill):
        whole, visible = Rect(*shape.box), shown(shape)
        part = visible.cut(frame) if visible is not None else None
        is_painted = shape.fill or shape.kind == "shading" or (shape.kind == "rect" and shape.stroke)
        if part is None or not is_painted or not is_box(shape):
            continue
        # What lies mostly beside the plot is no part of it.
        least = max(SETTINGS.min_breadth, SETTINGS.half * whole.width)
        if not least <= part.width < SETTINGS.grid * frame.width:
            continue
        box = BarBox(part, whole, style_of(shape))
        is_empty = not box.style.pattern and (not box.style.is_filled or is_white(box.style.colour))
        # A bar holds a number at most; a white or empty box around words is the frame of a legend. A white box without
        # outline is ground.
        texts = (word.box for word in sheet.words if any(map(str.isalpha, word.text)))
        if is_empty and ((shape.fill and not shape.stroke) or any(part.holds_box(text) for text in texts)):
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
    """Position where the bars begin: value zero, on a log scale its lower end or the value 1; None where it is none."""
    axis = plot.axis
    low, high = axis.span
    slack = max(SETTINGS.base_slack, SETTINGS.base_share * (high - low), 0.0 if axis.marks else 0.6 * axis.size)
    expected = [axis.position(0)] if axis.scale == "linear" else [plot.frame.bottom, axis.position(axis.ticks[0].value)]
    edges = [edge for box in boxes for edge in (*box.box[1::2], *box.whole[1::2])]
    near = [edge for edge in edges if min(abs(edge - place) for place in expected) <= slack]
    return max(near, key=lambda edge: sum(abs(edge - o) <= SETTINGS.straight for o in near), default=None)


def _on_base(base: float, boxes: Sequence[BarBox]) -> tuple[list[PlotMark], list[Rect], list[BarBox]]:
    """The boxes that begin at the base line or where another one ends, those whose end is not shown, and the rest."""
    bars: list[PlotMark] = []
    cut: list[Rect] = []
    loose: list[BarBox] = []
    ordered = sorted(boxes, key=lambda b: b.box.x0)
    for column in grouped(ordered, lambda column, b: is_near(column[0].box[::2], b.box[::2], SETTINGS.same)):
        left = list(column)
        for sign in (-1, 1):
            ends: list[float] = []
            # Nearest first: a box that begins where the one before it ends is stacked on it.
            for box in sorted(left, key=lambda b: [abs(edge - base) for edge in _ends(b.whole, sign)]):
                begin, end = _ends(box.whole, sign)
                if (end - begin) * sign < -0.05 or (end - base) * sign < -0.05:
                    continue
                # What the base line hides, as the lower part of a plot with a broken axis, begins there all the same.
                hidden = abs(_ends(box.box, sign)[0] - base) <= SETTINGS.same and (base - begin) * sign > 0
                stands = abs(begin - base) <= SETTINGS.same or hidden
                below = min(ends, key=lambda e: abs(begin - e), default=math.inf)
                if not stands and abs(begin - below) > SETTINGS.same:
                    continue
                left.remove(box)
                if abs(_ends(box.box, sign)[1] - end) > SETTINGS.same:
                    cut.append(box.box)
                    continue
                start = base if stands else below
                bars.append(PlotMark("bar", box.box, box.box.x, end, box.style, start, not stands))
                ends.append(end)
        loose += left
    return bars, cut, loose


def _ends(box: Rect, sign: int) -> tuple[float, float]:
    """Where a box begins and ends that grows downwards (1) or upwards (-1)."""
    return (box.top, box.bottom) if sign > 0 else (box.bottom, box.top)


def _are_bars(bars: Sequence[PlotMark], frame: Rect) -> bool:
    """False for what cannot be bars: markers, boxes of one size without a gap (cells of a table)."""
    if all(max(bar.box.width, bar.box.height) <= SETTINGS.sign for bar in bars):
        return False
    columns = sorted({(round(bar.box.x0, 1), round(bar.box.x1, 1)) for bar in bars})
    lengths = sorted(abs(bar.y - bar.start) for bar in bars)
    even = sum(abs(length - lengths[len(lengths) // 2]) <= 2 * SETTINGS.same for length in lengths)
    if len(bars) <= 2 or even < SETTINGS.covers * len(bars):
        return True
    touching = all(right[0] - left[1] <= SETTINGS.same for left, right in pairwise(columns))
    covered = sum(end - start for start, end in columns) / frame.width
    return len(bars) <= 2 * len(columns) and not (touching and covered > SETTINGS.most)
