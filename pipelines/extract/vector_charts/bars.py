"""Bars of a plot: boxes that stand on the base line of its axis, or on one another; what stands nowhere is refused.

Colours are kept as they are; what they mean belongs in `legend.py`, what stands below the bars in `categories.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.geometry import (
    WHITE,
    Style,
    View,
    area,
    is_near,
    is_white,
    style_of,
    subpaths,
    view,
)
from pipelines.extract.vector_charts.plots import Plot, shown
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.read.page import Shape, Word

_MAX_BACKGROUNDS = 30


@dataclass(frozen=True, slots=True)
class Filled:
    """A box in a plot, not yet known to be a bar.

    Attributes:
        seen: What the plot shows of it, as its axis sees it.
        whole: All of it, before anything is cut.
        style: How it is painted.
        is_cut: True where it goes on across the axis, beyond what is shown.
    """

    seen: View
    whole: View
    style: Style
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, or one piece of a stacked bar.

    Attributes:
        seen: Its box as the axis sees it, cut to the plot.
        start: Position where it begins: the base line, or the end of the piece below it.
        end: Position where it ends.
        style: How it is painted.
        is_stacked: True for a piece that stands on another one.
    """

    seen: View
    start: float
    end: float
    style: Style
    is_stacked: bool


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars of a plot, and the boxes in it that give no number.

    Attributes:
        bars: Bars from the base line, and pieces on top of one another.
        base: Position of the base line, None without bars.
        cut: Bars whose end the plot, its clipping or the page does not show.
        floating: Boxes of the breadth of bars that stand on nothing.
    """

    bars: tuple[Bar, ...] = ()
    base: float | None = None
    cut: tuple[View, ...] = ()
    floating: tuple[View, ...] = ()


def find_bars(shapes: Sequence[Shape], words: Sequence[Word], plot: Plot) -> Bars:
    """The bars among the shapes of a plot; none where its boxes are cells of a table or markers."""
    boxes = [box for box in _boxes(shapes, plot) if not _is_legend(box, words, plot)]
    base = _base_line(plot, boxes)
    if base is None:
        return Bars(floating=tuple(_alike(boxes)))
    bars, cut, loose = _on_base(base, plot, boxes)
    if not bars or not _are_bars(bars, plot.frame):
        return Bars() if bars else Bars(cut=tuple(cut), floating=tuple(_alike(boxes)) if not cut else ())
    breadths = [bar.seen.breadth for bar in bars]
    floating = [
        box.seen for box in loose
        if max(box.seen.breadth, box.seen.length) > SETTINGS.sign
        and any(abs(box.seen.breadth - breadth) <= SETTINGS.same for breadth in breadths)
    ]  # fmt: skip
    if len(floating) > SETTINGS.loose * len(bars):
        # Ranges, of which some begin at the base line by chance.
        return Bars((), base, tuple(cut), (*floating, *(bar.seen for bar in bars)))
    return Bars(tuple(bars), base, tuple(cut), tuple(floating))


def _boxes(shapes: Sequence[Shape], plot: Plot) -> list[Filled]:
    """Boxes that may be bars, each once, without backgrounds and strokes; none where there are too many."""
    axis, frame = plot.axis, plot.frame
    dark = sorted(
        (view(s.box, axis.orientation) for s in shapes if s.kind == "rect" and not is_white(s.fill_colour or WHITE)),
        key=lambda d: -d.breadth,
    )[:_MAX_BACKGROUNDS]  # fmt: skip
    found: list[Filled] = []
    outlined: list[Filled] = []
    for shape in shapes:
        whole = _whole(shape, plot)
        box = shown(shape) if whole is not None else None
        if whole is None or box is None:
            continue
        visible = whole if shape.kind == "line" else view(box, axis.orientation)
        part = visible.cut(frame)
        if part is None or part.breadth < SETTINGS.min_breadth or part.breadth >= SETTINGS.band * frame.breadth:
            continue
        if part.breadth < 0.5 * whole.breadth:
            # What lies mostly beside the plot is no part of it.
            continue
        style = style_of(shape)
        is_cut = part.breadth < 0.9 * whole.breadth
        if not shape.fill and shape.kind != "line":
            outlined.append(Filled(part, whole, style, is_cut))
            continue
        if is_white(style.colour) and not style.pattern and not shape.stroke and not _is_on_dark(part, dark):
            continue
        twin = next((i for i, f in enumerate(found) if is_near(f.seen, part, SETTINGS.same)), None)
        if twin is None:
            found.append(Filled(part, whole, style, is_cut))
            if len(found) > SETTINGS.max_boxes:
                return []
        elif style.colour is not None or style.pattern:
            # Painted twice: the later one lies above.
            found[twin] = Filled(part, whole, style, is_cut)
    # Bars may be drawn as outlines alone; the outline of a filled box is that box.
    empty = [o for o in outlined if not any(is_near(f.seen, o.seen, SETTINGS.same) for f in found)]
    return found + (empty if len(empty) <= SETTINGS.max_boxes else [])


def _is_legend(box: Filled, words: Sequence[Word], plot: Plot) -> bool:
    """True for the frame of a legend: a white or empty box around words; a bar holds a number at most."""
    if box.style.pattern or (box.style.is_filled and not is_white(box.style.colour)):
        return False
    inside = (w for w in words if box.seen.holds_box(view(w.box, plot.axis.orientation)))
    return any(character.isalpha() for word in inside for character in word.text)


def _is_on_dark(seen: View, dark: Sequence[View]) -> bool:
    """True for a box on a larger coloured one: white bars stand on dark slides."""
    return any(
        d.c0 < seen.c0 and d.c1 > seen.c1 and d.u0 <= seen.u0 and d.u1 >= seen.u1 and d.breadth > 3 * seen.breadth
        for d in dark
    )


def _whole(shape: Shape, plot: Plot) -> View | None:
    """The box of a shape that may be a bar, before it is cut; None for what is no bar by its form."""
    seen = view(shape.box, plot.axis.orientation)
    if shape.kind == "line":
        if not shape.stroke or shape.linewidth < SETTINGS.thick_stroke or shape.dash or seen.breadth > SETTINGS.same:
            return None
        half = shape.linewidth / 2
        # A thick stroke from end to end at the edge of the plot is its frame.
        at_edge = min(abs(seen.middle - plot.frame.c0), abs(seen.middle - plot.frame.c1)) <= shape.linewidth
        if at_edge and seen.length >= 0.95 * plot.frame.length:
            return None
        return View(seen.middle - half, seen.u0, seen.middle + half, seen.u1)
    if shape.kind == "shading":
        return seen
    if not shape.fill and not (shape.kind == "rect" and shape.stroke):
        return None
    return seen if shape.kind == "rect" or is_box(shape, seen) else None


def is_box(shape: Shape, seen: View) -> bool:
    """True for a path that all but fills its box, its corners rounded or not."""
    pieces = [piece for piece in subpaths(shape) if len(piece) > 2]
    if len(pieces) != 1 or seen.breadth <= 0 or seen.length <= 0:
        return False
    # End points of Bezier pieces cut a rounded corner straight, so a little less is measured than is filled.
    share = area(pieces[0]) / (seen.breadth * seen.length)
    straight = sum(1 for operator, _ in shape.path if operator == "l")
    # The edges of a box run along it or across: an area with a nearly level edge is none.
    level = all(min(abs(a[0] - b[0]), abs(a[1] - b[1])) <= SETTINGS.straight for a, b in pairwise(pieces[0]))
    if straight + 1 >= len(shape.points) and not level:
        return False
    return share >= SETTINGS.bar_fill or (share >= SETTINGS.rounded_fill and straight >= 2)


def _base_line(plot: Plot, boxes: Sequence[Filled]) -> float | None:
    """Position where the bars begin: value zero, or the end of an axis that does not show it; None where it is neither.

    An axis without marks is taken as it is here; its zero is moved to where the bars begin afterwards.
    """
    axis = plot.axis
    edges = [edge for box in boxes for edge in (box.seen.u0, box.seen.u1, box.whole.u0, box.whole.u1)]
    if not edges:
        return None
    low, high = axis.span
    slack = max(1.2, SETTINGS.base_share * (high - low))
    if not axis.is_snapped:
        slack = max(slack, 0.6 * max(tick.label.size for tick in axis.ticks))
    lower_end = plot.frame.u1 if axis.slope < 0 else plot.frame.u0
    if axis.scale == "log":
        # Bars of a log axis begin at its lower end, or at the value 1 (ggplot).
        expected = [lower_end, axis.position(axis.low)]
        expected += [axis.position(1)] if axis.low <= 1 <= axis.high else []
    else:
        step = (axis.high - axis.low) / (len(axis.ticks) - 1)
        expected = [axis.position(0)]
        expected += [] if axis.low - step <= 0 <= axis.high + step else [lower_end, axis.position(axis.low)]
    near = [edge for edge in edges if min(abs(edge - place) for place in expected) <= slack]
    if not near:
        return None
    base = max(near, key=lambda edge: sum(abs(edge - other) <= SETTINGS.straight for other in near))
    is_zero = axis.scale == "linear" and abs(base - axis.position(0)) <= slack
    # Where the axis does not show zero, one box at its end may be anything.
    return base if is_zero or len({round(b.seen.c0) for b in boxes if b.seen.has_edge(base)}) > 1 else None


def _on_base(base: float, plot: Plot, boxes: Sequence[Filled]) -> tuple[list[Bar], list[View], list[Filled]]:
    """The boxes that begin at the base line or where another one ends, those whose end is not shown, and the rest."""
    columns: list[list[Filled]] = []
    for box in sorted(boxes, key=lambda b: b.seen.c0):
        for column in columns:
            if max(abs(column[0].seen.c0 - box.seen.c0), abs(column[0].seen.c1 - box.seen.c1)) <= SETTINGS.same:
                column.append(box)
                break
        else:
            columns.append([box])
    bars: list[Bar] = []
    cut: list[View] = []
    loose: list[Filled] = []
    for column in columns:
        left = list(column)
        for sign in (-1, 1):
            ends: list[float] = []
            # Nearest first: a box that begins where the one before it ends is stacked on it.
            for box in sorted(left, key=lambda b: (abs(b.whole.begin(sign) - base), abs(b.whole.end(sign) - base))):
                begin, end = box.whole.begin(sign), box.whole.end(sign)
                if (end - begin) * sign < -0.05 or (end - base) * sign < -0.05:
                    continue
                # What the base line hides, as the lower part of a plot with a broken axis, begins there all the same.
                at_edge = abs(begin - base) > SETTINGS.same and abs(box.seen.begin(sign) - base) <= SETTINGS.same
                stands = abs(begin - base) <= SETTINGS.same or (at_edge and (base - begin) * sign > 0)
                below = min(ends, key=lambda e: abs(begin - e), default=None)
                if not stands and (below is None or abs(begin - below) > SETTINGS.same):
                    continue
                left.remove(box)
                if box.is_cut or abs(box.seen.end(sign) - end) > SETTINGS.same:
                    cut.append(box.seen)
                    continue
                start = base if stands else below if below is not None else base
                bars.append(Bar(box.seen, start, end, box.style, not stands))
                ends.append(end)
        loose += left
    return bars, cut, loose


def _are_bars(bars: Sequence[Bar], frame: View) -> bool:
    """False for what cannot be bars: markers, boxes of one size without a gap (cells of a table)."""
    if all(max(bar.seen.breadth, bar.seen.length) <= SETTINGS.sign for bar in bars):
        return False
    columns = sorted({(round(bar.seen.c0, 1), round(bar.seen.c1, 1)) for bar in bars})
    lengths = sorted(abs(bar.end - bar.start) for bar in bars)
    even = sum(abs(length - lengths[len(lengths) // 2]) <= 2 * SETTINGS.same for length in lengths)
    is_even = len(bars) > 2 and even >= SETTINGS.covers * len(bars)
    if is_even and len(bars) > 2 * len(columns):
        return False
    touching = all(right[0] - left[1] <= SETTINGS.same for left, right in pairwise(columns))
    covered = sum(end - start for start, end in columns) / frame.breadth
    return not (is_even and touching and covered > SETTINGS.cells)


def _alike(boxes: Sequence[Filled]) -> list[View]:
    """Boxes of one breadth beside each other, as bars are, or three in one style; a single box may be anything."""
    tall = [b for b in boxes if max(b.seen.breadth, b.seen.length) > SETTINGS.sign]
    styles = Counter(box.style for box in tall)
    return [
        box.seen for box in tall
        if styles[box.style] > 2 or any(
            o is not box and abs(o.seen.breadth - box.seen.breadth) <= SETTINGS.same
            and abs(o.seen.c0 - box.seen.c0) > 1 for o in tall
        )
    ]  # fmt: skip


def anchored(axis: Axis, base: float) -> Axis:
    """An axis without marks moved so that its zero is where the bars begin; others as they are."""
    if axis.is_snapped or axis.scale == "log" or not axis.low <= 0 <= axis.high:
        return axis
    return axis.shifted(base - axis.position(0), is_snapped=True)
