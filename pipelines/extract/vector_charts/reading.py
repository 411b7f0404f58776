"""All charts of a page: axes first, then what stands in their plots. The names beside it are found in `naming.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.bars import Bar, are_floating, bars_on, base_line, has_bars
from pipelines.extract.vector_charts.boxes import filled_boxes
from pipelines.extract.vector_charts.chart import Chart, Refused
from pipelines.extract.vector_charts.frame import plot_frame
from pipelines.extract.vector_charts.geometry import Orientation, Segment, View, cross_segments, page_box
from pipelines.extract.vector_charts.lines import DrawnLine, drawn_lines
from pipelines.extract.vector_charts.naming import name_chart
from pipelines.extract.vector_charts.pictures import picture_charts
from pipelines.extract.vector_charts.points import Marker, families, find_markers
from pipelines.extract.vector_charts.ratios import read_ratios
from pipelines.extract.vector_charts.scales import find_axes
from pipelines.extract.vector_charts.tick_labels import number_tokens
from pipelines.read.page import Page

# A page with more shapes is a drawing or a map; reading it as a chart would take longer than it is worth.
MAX_SHAPES = 20_000
# A page has no more charts than this in each direction; a long table has as many columns of numbers.
_MAX_AXES = 24
# Fewer signs of one kind may be decoration.
_MIN_SCATTER = 3
# Plots of which more than this share is common are one plot.
_SAME_PLOT = 0.5
# The labels of the other scale stand within this distance of the plot.
_CROSS_REACH_PT = 40.0
_ORIENTATIONS: tuple[Orientation, ...] = ("vertical", "horizontal")


@dataclass(frozen=True, slots=True)
class Plot:
    """What stands in the plot of one value axis.

    Attributes:
        axis: The value axis, moved to where bars begin if it has no marks of its own.
        frame: The plot as the axis sees it.
        bars: Its bars.
        lines: Its lines.
        scatter: Its markers that belong to no line.
        cross: The scale across the value axis, where there is one.
        is_floating: True where too many of its boxes are no bars from the base line.
    """

    axis: Axis
    frame: View
    bars: tuple[Bar, ...] = ()
    lines: tuple[DrawnLine, ...] = ()
    scatter: tuple[tuple[Marker, ...], ...] = ()
    cross: Axis | None = None
    is_floating: bool = False

    @property
    def weight(self) -> float:
        """How much speaks for this reading of a plot: bars of one breadth count fully, others half; lines twice."""
        if not self.bars:
            return 1.5 * len(self.lines) + 0.5 * len(self.scatter)
        breadths = sorted(bar.seen.breadth for bar in self.bars)
        middle = breadths[len(breadths) // 2]
        even = sum(abs(b - middle) <= 0.8 for b in breadths)
        return even + 0.5 * (len(breadths) - even)


def read_charts(page: Page) -> tuple[list[Chart], list[Refused]]:
    """The charts of a page, and what looks like one and gives no numbers; both empty for a page without charts."""
    whole = (0.0, 0.0, page.width, page.height)
    if len(page.shapes) > MAX_SHAPES:
        reason = f"the page has {len(page.shapes)} drawn shapes; more than {MAX_SHAPES} are not read as charts"
        return [], [Refused("too_many_shapes", reason, whole)]
    tokens = number_tokens(page.words)
    strokes = {o: cross_segments(page.shapes, o) for o in _ORIENTATIONS}
    axes = {o: find_axes(tokens, strokes[o], o)[:_MAX_AXES] for o in _ORIENTATIONS}
    plots = [plot for o in _ORIENTATIONS for axis in axes[o] if (plot := _plot(axis, page, axes, strokes[o]))]
    kept, refused = _one_each(plots)
    refused += [_floating(plot) for plot in kept if plot.is_floating]
    charts = [name_chart(plot, page, tokens) for plot in kept if not plot.is_floating]
    if not charts and not refused and (ratios := read_ratios(page, tokens)):
        charts = [ratios]
    refused += picture_charts(page, [chart.frame for chart in charts])
    return charts, refused


def _plot(axis: Axis, page: Page, axes: dict[Orientation, list[Axis]], strokes: Sequence[Segment]) -> Plot | None:
    """What stands in the plot of an axis, None where nothing does."""
    orientation = axis.orientation
    if axis.scale == "log" and not axis.is_snapped:
        # Nothing but marks says where the bars of such an axis begin.
        return None
    frame = plot_frame(axis, page, strokes, [other for other in axes[orientation] if other is not axis])
    if frame.c1 <= frame.c0 or frame.u1 <= frame.u0:
        return None
    boxes = filled_boxes(page.shapes, axis, frame)
    base = base_line(axis, frame, boxes)
    bars = bars_on(base, axis, frame, boxes) if base is not None else []
    if base is not None and has_bars(bars, frame):
        return Plot(anchored(axis, base), frame, tuple(bars), is_floating=are_floating(bars, boxes))
    if orientation == "horizontal":
        return None
    cross = _cross_axis(axis, frame, axes["horizontal"])
    lines = drawn_lines(page.shapes, axis, frame)
    markers = find_markers(page.shapes, page.words, axis, frame)
    alone = [group for group in families(markers) if len(group) >= _MIN_SCATTER and not _on_a_line(group, lines)]
    scatter = tuple(tuple(group) for group in alone) if cross is not None and not lines else ()
    if not axis.is_snapped and cross is None:
        return None
    return Plot(axis, frame, (), tuple(lines), scatter, cross) if lines or scatter else None


def _floating(plot: Plot) -> Refused:
    reason = "boxes of this chart begin neither at its base line nor on one another, and where they do is not printed"
    return Refused("floating_bars", reason, page_box(plot.frame, plot.axis.orientation))


def anchored(axis: Axis, base: float) -> Axis:
    """An axis without marks moved so that its zero is where the bars begin; others as they are."""
    if axis.is_snapped or axis.scale == "log" or not axis.low <= 0 <= axis.high:
        return axis
    return replace(axis.shifted(base - axis.position(0)), is_snapped=True)


def _cross_axis(axis: Axis, frame: View, candidates: Sequence[Axis]) -> Axis | None:
    """The scale that runs across an upright axis, along the lower or upper edge of its plot."""
    for other in candidates:
        low, high = other.span
        edges = other.label_edge
        below = axis.span[1] - 4 <= edges[0] <= frame.u1 + _CROSS_REACH_PT
        above = frame.u0 - _CROSS_REACH_PT <= edges[1] <= axis.span[0] + 4
        beside = below or above
        if low >= frame.c0 - 4 and high <= frame.c1 + 4 and beside and high - low >= 0.3 * (frame.c1 - frame.c0):
            return other
    return None


def _on_a_line(group: Sequence[Marker], lines: Sequence[DrawnLine]) -> bool:
    points = {(round(c), round(u)) for line in lines for c, u in line.points}
    near = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    hits = sum(any((round(m.c) + i, round(m.u) + j) in points for i, j in near) for m in group)
    return hits >= 0.5 * len(group)


def _one_each(plots: Sequence[Plot]) -> tuple[list[Plot], list[Refused]]:
    """One reading of each plot, the weightiest; two scales of one direction that differ make it ambiguous."""
    kept: list[Plot] = []
    refused: list[Refused] = []
    for plot in sorted(plots, key=lambda p: (-p.weight, not p.axis.is_snapped)):
        rival = next((k for k in kept if _same_plot(k, plot)), None)
        if rival is None:
            kept.append(plot)
        elif _is_second_scale(rival.axis, plot.axis):
            reason = "the chart has two value axes, and which of them a bar or a line belongs to is not printed"
            refused.append(Refused("ambiguous_axis", reason, page_box(rival.frame, rival.axis.orientation)))
            kept.remove(rival)
    return kept, refused


def _same_plot(left: Plot, right: Plot) -> bool:
    a, b = page_box(left.frame, left.axis.orientation), page_box(right.frame, right.axis.orientation)
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return False
    smaller = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return width * height > _SAME_PLOT * smaller


def _is_second_scale(one: Axis, other: Axis) -> bool:
    """True for two snapped scales of one direction that give one position different values."""
    if one.orientation != other.orientation or not (one.is_snapped and other.is_snapped):
        return False
    low, high = one.span
    reach = abs(one.value(high) - one.value(low))
    return any(abs(one.value(u) - other.value(u)) > 0.01 * reach for u in (low, high))
