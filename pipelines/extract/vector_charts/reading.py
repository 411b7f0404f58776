"""All charts of a page: axes first, then their plots, then the marks in each. Their names are found in `naming.py`.

What looks like a mark of a plot is a mark of the chart, or stands in a refusal that says how many there are and why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from pipelines.extract.vector_charts.axis import MIN_TICKS, Axis
from pipelines.extract.vector_charts.bars import Bar, anchored, find_bars, is_box
from pipelines.extract.vector_charts.chart import Chart, Refused
from pipelines.extract.vector_charts.geometry import (
    Orientation,
    Segment,
    View,
    cross_segments,
    fold_hatching,
    is_white,
    overlap,
    page_box,
    view,
)
from pipelines.extract.vector_charts.leaders import Leader
from pipelines.extract.vector_charts.legend import in_legend
from pipelines.extract.vector_charts.lines import Curves, DrawnLine, Lost, Marker, find_curves
from pipelines.extract.vector_charts.naming import name_chart
from pipelines.extract.vector_charts.plots import Frames, Plot, find_frames, find_plots
from pipelines.extract.vector_charts.scales import find_axes, two_label_axis
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import Token, number_tokens
from pipelines.extract.vector_charts.without_axis import picture_charts, read_ratios
from pipelines.read.page import Box, Page, Shape

_ORIENTATIONS: tuple[Orientation, ...] = ("vertical", "horizontal")
_REASONS = {
    "floating_bars": "{} boxes begin neither at the base line nor on one another, and where they do is not printed",
    "bar_cut": "{} bars go on beyond what is shown, so that their ends are not known",
    "cut_line": "{} ends of lines are where the plot cuts them, and no points",
    "fitted_line": "{} vertices of lines lead through or past the markers of the plot, and are no points of their own",
    "annotation": "{} vertices of strokes lie over the plot, as arrows and notes do, and not in it",
    "pieces": "{} vertices cut straight pieces of lines into shorter ones, and are no points",
    "no_function": "{} vertices of strokes turn back or run along the axis: steps, outlines or notes",
    "filled_area": "{} vertices of filled areas: which of their edges counts is not known",
    "no_box": "{} filled shapes stand on the axis and are no bars by their form",
    "too_many_strokes": "{} strokes and signs are a texture or a map",
    "lying_points": "{} markers stand over an axis that runs to the right, with names instead of a scale across it",
    "lettered_points": "{} letters stand in the plot again and again, as points whose places are not known exactly",
    "loose_markers": "{} markers stand in a plot of bars, and what they count is not known",
    "ambiguous_axis": "the chart has two value axes, and which of them its {} marks belong to is not printed",
    "axis_without_marks": "nothing but text tells where the values of the axis are, too inexactly for {} marks",
    "unclear_label": "a stroke leads from a text to a mark, and which of two it joins is not clear",
    "no_place": "where {} points are on the other axis is not known, as not all of its labels could be read",
    "beyond_axis": "{} marks lie beyond the ends of their axis",
}


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands in one plot.

    Attributes:
        plot: The plot; an axis without marks of its own is moved to where its bars begin.
        bars: Its bars.
        lines: Its lines.
        scatter: Its markers that belong to no line.
        lost: What looks like a mark and gives no number.
        leaders: Strokes from texts to marks.
    """

    plot: Plot
    bars: tuple[Bar, ...] = ()
    lines: tuple[DrawnLine, ...] = ()
    scatter: tuple[tuple[Marker, ...], ...] = ()
    lost: tuple[Lost, ...] = ()
    leaders: tuple[Leader, ...] = ()

    @property
    def count(self) -> int:
        """How many bars and points there are."""
        return len(self.bars) + sum(len(line.points) for line in self.lines) + sum(map(len, self.scatter))

    @property
    def weight(self) -> float:
        """How much speaks for this reading of a plot: bars of one breadth count fully, others half; lines twice."""
        breadths = sorted(bar.seen.breadth for bar in self.bars)
        even = sum(abs(b - breadths[len(breadths) // 2]) <= SETTINGS.same for b in breadths)
        bars = even + 0.5 * (len(breadths) - even)
        return bars + 1.5 * len(self.lines) + 0.5 * len(self.scatter) + 0.01 * sum(lost.marks for lost in self.lost)


def read_charts(page: Page) -> tuple[list[Chart], list[Refused]]:
    """The charts of a page, and what looks like one and gives no numbers; both empty for a page without charts."""
    whole = (0.0, 0.0, page.width, page.height)
    if len(page.shapes) > SETTINGS.max_shapes:
        reason = f"the page has {len(page.shapes)} drawn shapes; more than {SETTINGS.max_shapes} are not read as charts"
        return [], [Refused("too_many_shapes", reason, whole)]
    page = replace(page, shapes=fold_hatching(page.shapes))
    tokens = number_tokens(page.words, page.shapes)
    strokes = {o: cross_segments(page.shapes, o) for o in _ORIENTATIONS}
    named = in_legend(page.shapes, tokens)
    ticks = [token for token in tokens if id(token.words[0]) not in named]
    axes = {o: find_axes(ticks, strokes[o], o)[: SETTINGS.max_axes] for o in _ORIENTATIONS}
    frames = find_frames(page, strokes)
    _add_two_label_axes(axes, frames, ticks, strokes)
    plots = find_plots(page, tokens, axes, strokes, frames) if any(axes.values()) else []
    readings = [marks for plot in plots if (marks := _marks(plot, page, [p.box for p in plots if p.is_within(plot)]))]
    labels = {id(tick.label) for found in axes.values() for axis in found for tick in axis.ticks}
    kept, refused = _one_each(readings)
    found = [marks.plot for marks in readings]
    charts = []
    for marks in kept:
        refused += _refusals(marks.plot, marks.lost)
        if marks.count:
            others = [other.plot for other in kept if other is not marks]
            chart, beyond = name_chart(marks, page, tokens, others, named, labels)
            charts.append(chart)
            refused += _refusals(marks.plot, beyond)
    if not charts and not refused and (ratios := read_ratios(page, tokens)):
        charts = [ratios]
    refused += _without_scale(page, frames, strokes, found) if not (charts and charts[0].axis is None) else []
    refused += picture_charts(page, [chart.frame for chart in charts])
    return charts, refused


def _add_two_label_axes(
    axes: dict[Orientation, list[Axis]], frames: Frames, tokens: Sequence[Token],
    strokes: dict[Orientation, list[Segment]],
) -> None:  # fmt: skip
    """Add the axes with two labels of the drawn plots; what stands beside another axis is its own."""
    used = {id(tick.label) for found in axes.values() for axis in found for tick in axis.ticks}
    free = [token for token in tokens if id(token) not in used]
    for orientation in _ORIENTATIONS:
        for box in (*frames.boxes, *_grids(strokes)) if len(free) > 1 else ():
            axis = two_label_axis(view(box, orientation), free, strokes[orientation], orientation)
            if axis is not None and not {id(tick.label) for tick in axis.ticks} & used:
                axes[orientation].append(axis)
                used |= {id(tick.label) for tick in axis.ticks}


def _grids(strokes: dict[Orientation, list[Segment]]) -> Iterator[Box]:
    """The boxes that gridlines in both directions make, where no frame is drawn around them."""
    ends: dict[Orientation, defaultdict[tuple[float, float], set[float]]] = {o: defaultdict(set) for o in _ORIENTATIONS}
    for orientation, found in ends.items():
        for s in strokes[orientation]:
            if s.length > SETTINGS.least_grid:
                found[round(s.c0, 1), round(s.c1, 1)].add(s.u)
    lying, upright = ({e: us for e, us in found.items() if len(us) > 1} for found in ends.values())
    for ((x0, x1), ys), ((top, bottom), xs) in product(lying.items(), upright.items()):
        if top < min(ys) and max(ys) < bottom and x0 < min(xs) and max(xs) < x1:
            yield x0, top, x1, bottom


def _without_scale(
    page: Page, frames: Frames, strokes: dict[Orientation, list[Segment]], plots: Sequence[Plot]
) -> Iterator[Refused]:
    """Curves in a clipping box or over a grid, and bars on a stroke, that are in no plot with an axis."""
    grids: defaultdict[tuple[float, float], list[float]] = defaultdict(list)
    for s in strokes["vertical"]:
        if s.length > SETTINGS.least_grid:
            grids[round(s.c0), round(s.c1)].append(s.u)
    grid = {(x0, min(us), x1, max(us)) for (x0, x1), us in grids.items() if len({round(u) for u in us}) > 1}
    taken = [view(plot.box, "vertical") for plot in plots]

    def is_free(box: Box) -> bool:
        return not any(plot.holds((view(box, "vertical").middle, view(box, "vertical").height)) for plot in taken)

    rows = {row: count for row, count in _standing_bars(page, strokes) if is_free(row)}
    free = [s for s in page.shapes if s.stroke and not s.fill and is_curve(s) and is_free(s.box)]
    refused: list[Box] = []
    for box in sorted(frames.clips | grid | rows.keys(), key=lambda b: (b[2] - b[0]) * (b[1] - b[3])):
        if any(overlap(box, other) > SETTINGS.same_plot for other in refused):
            continue
        curves = [s for s in free if _is_inside(s.box, box) and (box in grid or s.clip == box)]
        marks = sum(len(s.points) for s in curves) + sum(count for row, count in rows.items() if _is_inside(row, box))
        if marks:
            refused.append(box)
            reason = f"{marks} bars or vertices of lines stand in a plot whose axis cannot be read"
            yield Refused("no_axis", reason, box, marks)


def _standing_bars(page: Page, strokes: dict[Orientation, list[Segment]]) -> Iterator[tuple[Box, int]]:
    """Rows of bars on a stroke, with the boxes on top of them: around them, and how many they are."""
    filled = [s for s in page.shapes if s.fill and is_bar_like(s)]
    for orientation in _ORIENTATIONS if len(filled) <= SETTINGS.max_boxes else ():
        feet: defaultdict[tuple[int, int], set[View]] = defaultdict(set)
        boxes = {View(*(round(edge, 1) for edge in view(s.box, orientation))) for s in filled}
        sign = -1 if orientation == "vertical" else 1
        for box in boxes:
            feet[round(box.begin(sign)), round(box.breadth)].add(box)
        for (foot, breadth), row in feet.items():
            # Cards stand in a row, too, but all are of one height.
            if len({round(box.length) for box in row}) < 3:
                continue
            c0, c1 = min(box.c0 for box in row), max(box.c1 for box in row)
            columns = {round(box.c0) for box in row}
            piled = [b for b in boxes if round(b.c0) in columns and round(b.breadth) == breadth]
            u0, u1 = min(b.u0 for b in piled), max(b.u1 for b in piled)
            across = strokes[orientation]
            base = [s for s in across if abs(s.u - foot) <= 1 and s.c0 <= c0 + 1 and s.c1 >= c1 - 1]
            # Boxes on a line are decoration; ticks or gridlines, which are no edges of theirs, make it a chart.
            near = View(min((s.c0 for s in base), default=c0), u0, max((s.c1 for s in base), default=c1), u1).grown(1)
            others = [s for s in across if abs(s.length - breadth) > 1 and near.meets(View(s.c0, s.u, s.c1, s.u))]
            if base and len({round(s.u) for s in others}) >= MIN_TICKS:
                yield page_box(View(c0, u0, c1, u1), orientation), len(piled)


def is_curve(shape: Shape) -> bool:
    """True for an open polyline that runs to the right and bends."""
    xs = [x for x, _ in shape.points]
    return len(xs) > 2 and (xs == sorted(xs) or xs == sorted(xs, reverse=True)) and len({*xs}) == len(xs)


def is_bar_like(shape: Shape) -> bool:
    """True for a filled box of the size of a bar that is not white."""
    seen = view(shape.box, "vertical")
    return min(seen.breadth, seen.length) > SETTINGS.min_breadth and not is_white(shape.fill_colour) and (
        shape.kind == "rect" or is_box(shape, seen)
    )  # fmt: skip


def _marks(plot: Plot, page: Page, insets: Sequence[Box]) -> Marks | None:
    """What stands in a plot, None where nothing does; what stands in an inset is a mark of that."""
    axis = plot.axis
    shapes = [s for s in page.shapes if _meet(s.box, plot.box)]
    if insets:
        shapes = [s for s in shapes if not any(_is_inside(s.box, inset) or s.clip == inset for inset in insets)]
    found = find_bars(shapes, page.words, plot)
    lost = [Lost("floating_bars", 1, box) for box in found.floating] + [Lost("bar_cut", 1, box) for box in found.cut]
    is_sure = axis.is_snapped or (axis.scale == "linear" and bool(found.bars))
    if found.base is not None and found.bars:
        plot = replace(plot, axis=anchored(axis, found.base))
    curves = Curves()
    if axis.orientation == "vertical":
        bars = [bar.seen for bar in found.bars]
        curves = find_curves(shapes, page.words, plot, [*bars, *found.floating, *found.cut])
        lost += curves.lost
    elif axis.is_snapped and plot.is_framed and plot.cross is None and not found.bars:
        lying = find_curves(shapes, page.words, plot, found.floating).scatter
        lost += [Lost("lying_points", len(group), plot.frame) for group in lying if len(group) > 2]
    lost += _areas(shapes, plot)
    scatter = curves.scatter
    if found.bars or (plot.cross is None and not axis.is_snapped):
        lost += [Lost("loose_markers", len(g), plot.frame) for g in scatter if len(g) > 2 and found.bars]
        scatter = ()
    marks = Marks(plot, found.bars, curves.lines, scatter, tuple(lost), curves.leaders)
    if not (axis.is_snapped or plot.cross or found.bars) or not is_sure:
        # A column of numbers beside some rules is no axis.
        if not (plot.is_framed and curves.lines):
            return None
        return Marks(plot, lost=(*lost, Lost("axis_without_marks", marks.count, plot.frame)))
    is_known = plot.is_framed or found.base is not None or (plot.cross is not None and plot.cross.is_snapped)
    if not marks.count and not (axis.is_snapped and is_known):
        return None
    return marks if marks.count or marks.lost else None


def _areas(shapes: Sequence[Shape], plot: Plot) -> Iterator[Lost]:
    """Filled areas that span a part of the plot and are no boxes: which of their edges counts is not drawn."""
    axis = plot.axis
    for shape in shapes:
        if not shape.fill or shape.kind != "curve" or is_white(shape.fill_colour) or len(shape.points) < 5:
            continue
        seen = view(shape.box, plot.axis.orientation)
        inside = plot.frame.grown(SETTINGS.meets).holds_box(seen) and not is_box(shape, seen)
        if inside and seen.breadth >= SETTINGS.least_area * plot.frame.breadth:
            yield Lost("filled_area", len({round(x) for x, _ in shape.points}), seen)
        elif inside and axis.scale == "linear" and seen.length > SETTINGS.marker and seen.has_edge(axis.position(0)):
            yield Lost("no_box", 1, seen)


def _refusals(plot: Plot, lost: Sequence[Lost]) -> Iterator[Refused]:
    """One refusal per rule for what a plot loses, with the box around it."""
    by_rule: defaultdict[str, list[Lost]] = defaultdict(list)
    for item in lost:
        by_rule[item.rule].append(item)
    for rule, items in by_rule.items():
        seen = [item.seen for item in items]
        around = View(
            min(v.c0 for v in seen), min(v.u0 for v in seen), max(v.c1 for v in seen), max(v.u1 for v in seen)
        )
        marks = sum(item.marks for item in items)
        axes = (plot.axis, plot.cross) if plot.cross else (plot.axis,)
        yield Refused(rule, _REASONS[rule].format(marks), page_box(around, plot.axis.orientation), marks, axes)


def _one_each(readings: Sequence[Marks]) -> tuple[list[Marks], list[Refused]]:
    """One reading of each plot, the weightiest; two scales of one direction that differ make it ambiguous."""
    kept: list[Marks] = []
    refused: list[Refused] = []
    for marks in sorted(readings, key=lambda m: (m.count == 0, -m.weight, not m.plot.axis.is_snapped)):
        rival = next((k for k in kept if _is_one_plot(k.plot, marks.plot)), None)
        if rival is None:
            kept.append(marks)
        elif _is_second_scale(rival.plot.axis, marks.plot.axis) and rival.count:
            refused += _refusals(rival.plot, [Lost("ambiguous_axis", rival.count, rival.plot.frame)])
            kept[kept.index(rival)] = Marks(rival.plot, lost=rival.lost)
    return kept, refused


def _is_one_plot(left: Plot, right: Plot) -> bool:
    if left.is_within(right) or right.is_within(left):
        return False
    return overlap(left.box, right.box) > SETTINGS.same_plot


def _meet(a: Box, b: Box) -> bool:
    return a[2] >= b[0] and a[0] <= b[2] and a[3] >= b[1] and a[1] <= b[3]


def _is_inside(a: Box, b: Box) -> bool:
    x, y = (a[0] + a[2]) / 2, (a[1] + a[3]) / 2
    return b[0] <= x <= b[2] and b[1] <= y <= b[3] and a[2] - a[0] <= b[2] - b[0] + 1 and a[3] - a[1] <= b[3] - b[1] + 1


def _is_second_scale(one: Axis, other: Axis) -> bool:
    """True for two snapped scales of one direction that give one position different values."""
    if one.orientation != other.orientation or not (one.is_snapped and other.is_snapped):
        return False
    low, high = one.span
    reach = abs(one.value(high) - one.value(low))
    return any(abs(one.value(u) - other.value(u)) > 0.01 * reach for u in (low, high))
