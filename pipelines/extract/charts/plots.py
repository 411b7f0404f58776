"""The plot of a value axis: the box that frames it, or what its axes and neighbours leave it.

A mark belongs to the plot that its axes span, in both directions; what lies outside of it is not shown there. A PDF
keeps the whole path of a bar or a curve although only the part inside a clipping box is painted.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.chart import Plot
from pipelines.extract.charts.geometry import Rect
from pipelines.extract.charts.labels import parse_label
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet


def find_plots(sheet: Sheet, axes: Sequence[Axis], crosses: Sequence[Axis]) -> list[Plot]:
    """The plot of each axis, with the scale across it.

    Args:
        sheet: The page.
        axes: Scales whose values grow upwards.
        crosses: Scales whose values grow to the right.
    """
    plots = [_plot(axis, sheet, [a for a in axes if a is not axis], crosses) for axis in axes]
    for plot in plots:
        plot.cross = _cross_of(plot, crosses)
    return [plot for plot in plots if plot.frame.width > 0 and plot.frame.height > 0]


def _plot(axis: Axis, sheet: Sheet, neighbours: Sequence[Axis], crosses: Sequence[Axis]) -> Plot:
    """The plot of one axis: the broadest box that begins at it, else what is drawn and printed around it."""
    (low, high), (_, last) = axis.span, axis.label_edges
    gridlines = [s for s in axis.marks if s.length >= SETTINGS.long]
    # The plot begins where gridlines begin, tick marks end, or tick marks begin that stand inside of it.
    starts = [min(s.start for s in gridlines)] if gridlines else [last]
    if axis.marks and not gridlines:
        starts = [min(s.end for s in axis.marks), min(s.start for s in axis.marks)]
    step = SETTINGS.steps_beyond * axis.step_pt
    labels = [tick.label.box for other in (*neighbours, *crosses) for tick in other.ticks]
    # Labels that could not be read may be missing at an end of the axis. A plot holds no labels of another one, but
    # where that is within it with its axes.
    beyond = SETTINGS.frame_beyond * (high - low)
    boxes = [
        box for box in sheet.frames
        if low - beyond <= box.top <= low + 1 and high - 1 <= box.bottom <= high + beyond
        and min(abs(box.x0 - start) for start in starts) <= SETTINGS.meets
        and (box in sheet.clips or not any(box.grown(-1).holds((label.x, label.y)) for label in labels))
    ]  # fmt: skip
    if boxes:
        return Plot(sheet, axis, max(boxes, key=lambda box: round(box.width / 2)))
    # A line along the axis that is longer than its labels reach shows more of it, if not where the plot ends.
    spines = [
        s for s in sheet.uprights if min(abs(s.at - start) for start in starts) <= SETTINGS.meets
        and s.length >= SETTINGS.covers * (high - low) and s.start >= low - step and s.end <= high + step
    ]  # fmt: skip
    near = spines[0].at if spines else starts[0]
    top, bottom = min([low, *(s.start for s in spines)]) - step, max([high, *(s.end for s in spines)]) + step
    far = max((s.end for s in gridlines), default=sheet.bounds.x1)
    grid = [
        s for s in sheet.uprights
        if s.start >= top and s.end <= bottom and s.length >= high - low - 1 and near - 1 <= s.at <= far + 1
    ]  # fmt: skip
    is_framed = len(grid) >= 3 and any(s.length > high - low + 2 for s in grid)
    if is_framed:
        top, bottom = min(low, *(s.start for s in grid)), max(high, *(s.end for s in grid))
    for other in neighbours:
        (above, below), (begin, end) = other.span, other.label_edges
        overlap = min(high, below) - max(low, above)
        if overlap > 0.3 * min(high - low, below - above) and begin > last + SETTINGS.long:
            far = min(far, begin)
        # Plots above and below end half way to the labels of this one.
        if end >= near - 4 * SETTINGS.long and begin <= far:
            bottom = min(bottom, (high + above) / 2) if above >= high else bottom
            top = max(top, (low + below) / 2) if below <= low else top
    return Plot(sheet, axis, Rect(near, top, far, bottom), is_framed)


def _cross_of(plot: Plot, crosses: Sequence[Axis]) -> Axis | None:
    """The scale that runs across the axis of a plot, along its lower edge; None where there is none."""
    frame, found = plot.frame, list[tuple[float, Axis]]()
    bottom = frame.bottom if plot.is_framed else plot.axis.span[1]
    for cross in crosses:
        low, high = cross.span
        gap = min(tick.label.box.top for tick in cross.ticks) - bottom
        spans = low >= frame.x0 - 4 and high <= frame.x1 + 4 and high - low >= SETTINGS.part * frame.width
        if cross.marks and spans and -4 <= gap <= SETTINGS.reach:
            found.append((gap, cross))
    best = min(found, key=lambda ranked: ranked[0], default=(0.0, None))[1]
    return best if best and not _is_contradicted(best, plot) else None


def has_second_scale(plot: Plot, axes: Sequence[Axis]) -> bool:
    """True for a scale whose labels are right of a plot and have no marks there that begin a plot of their own."""
    low, high = plot.axis.span
    others = [axis for axis in axes if not axis.marks and axis.span[0] < high and axis.span[1] > low]
    return any(-2 <= axis.label_edges[0] - plot.frame.x1 <= SETTINGS.reach for axis in others)


def _is_contradicted(cross: Axis, plot: Plot) -> bool:
    """True where a number in line with the labels is not where the scale has it: `105`, `1005`, `5005`, `10005`."""
    first, frame = cross.ticks[0].label, plot.frame
    for label in (number for number in plot.sheet.numbers if number.angle == first.angle):
        is_level = abs(label.box.y - first.box.y) <= SETTINGS.aligned and frame.x0 <= label.box.x <= frame.x1
        read = parse_label(label.text) if is_level else None
        is_on_scale = read is not None and (cross.scale == "linear" or read.value > 0)
        if read and is_on_scale and abs(cross.position(read.value) - label.box.x) > SETTINGS.half * cross.step_pt:
            return True
    return False
