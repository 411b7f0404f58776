"""The plot of a value axis: the box that frames it, or what its axes and neighbours leave it, and what is drawn there.

A mark belongs to the plot that its axes span, in both directions; what lies outside of it is not shown there. A PDF
keeps the whole path of a bar or a curve although only the part inside a clipping box is painted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.geometry import Rect, Stroke, Style
from pipelines.extract.charts.labels import parse_label
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet
from pipelines.read.page import Point


class DrawnBar(NamedTuple):
    """A bar, or a piece of a stacked one, from `start` (the base line, or the end of the piece below) to `end`."""

    box: Rect
    start: float
    end: float
    style: Style
    is_stacked: bool = False


class DrawnLine(NamedTuple):
    """One line: its points from left to right, how it is painted, and how broad its stroke is."""

    points: tuple[Point, ...]
    style: Style
    width: float
    is_marked: bool = False


class DrawnMarker(NamedTuple):
    """One sign: the place that it marks, its box, and how it is painted."""

    place: Point
    box: Rect
    style: Style


class LostMarks(NamedTuple):
    """Drawings of a plot that look like marks and give no number: rule, how many, and where."""

    rule: str
    marks: int
    box: Rect


@dataclass(slots=True)
class Plot:
    """Where the marks of a value axis are, and which ones.

    Attributes:
        sheet: The page, turned so that values grow upwards.
        axis: The value axis.
        frame: The plot.
        is_framed: True where its ends along the axis are drawn; False where they follow from its labels.
        is_clipped: True where the frame is a clipping box: what it does not cut is no mark of the plot.
        cross: The scale across the value axis, where there is one.
        bars: Its bars.
        lines: Its lines.
        scatter: Its markers that are on no line, in families of one look.
        lost: What looks like a mark and gives no number.
    """

    sheet: Sheet
    axis: Axis
    frame: Rect
    is_framed: bool = True
    is_clipped: bool = False
    cross: Axis | None = None
    bars: list[DrawnBar] = field(default_factory=list)
    lines: list[DrawnLine] = field(default_factory=list)
    scatter: list[list[DrawnMarker]] = field(default_factory=list)
    lost: list[LostMarks] = field(default_factory=list)

    @property
    def box(self) -> Rect:
        """The plot on the page."""
        return self.sheet.page_box(self.frame)

    @property
    def count(self) -> int:
        """How many bars and points there are."""
        return len(self.bars) + sum(len(line.points) for line in self.lines) + sum(map(len, self.scatter))

    @property
    def styles(self) -> list[Style]:
        """How the bars, lines and families of markers are painted."""
        painted: tuple[DrawnBar | DrawnLine, ...] = (*self.bars, *self.lines)
        return [*(each.style for each in painted), *(group[0].style for group in self.scatter)]

    def lose(self, rule: str, marks: int, box: Rect) -> None:
        """Keep what gives no number, with its rule."""
        self.lost.append(LostMarks(rule, marks, box))

    def is_within(self, other: Plot) -> bool:
        """True for a plot that lies within another one, with room for its labels: an inset."""
        if not (self.is_framed and other.is_framed and self.axis.is_snapped and other.axis.is_snapped):
            return False
        a, b = self.frame, other.frame
        return b.grown(1).holds_box(a) and a.x0 > b.x0 + 1 and a.width * a.height < SETTINGS.half * b.width * b.height


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
    long = [s for s in axis.marks if s.length >= SETTINGS.long]
    starts = _near_edges(axis, long)
    framed = _framed(axis, sheet, starts, [t.label.box for a in (*neighbours, *crosses) for t in a.ticks])
    if framed is not None:
        return Plot(sheet, axis, framed, is_clipped=framed in sheet.clips)
    low, high = axis.span
    is_left = axis.side != "right"
    step = SETTINGS.steps_beyond * axis.step_pt
    # A line along the axis that is longer than its labels reach shows more of it, if not where the plot ends.
    spines = [
        s for s in sheet.uprights if min(abs(s.at - start) for start in starts) <= SETTINGS.meets
        and s.length >= SETTINGS.covers * (high - low) and s.start >= low - step and s.end <= high + step
    ]  # fmt: skip
    near = spines[0].at if spines else starts[0]
    top, bottom = min([low, *(s.start for s in spines)]) - step, max([high, *(s.end for s in spines)]) + step
    ends = [s.end if is_left else s.start for s in long]
    far = max(ends, default=sheet.bounds.x1) if is_left else min(ends, default=sheet.bounds.x0)
    left, right = sorted((near, far))
    grid = [
        s for s in sheet.uprights
        if s.start >= top and s.end <= bottom and s.length >= high - low - 1 and left - 1 <= s.at <= right + 1
    ]  # fmt: skip
    is_framed = len(grid) >= 3 and any(s.length > high - low + 2 for s in grid)
    if is_framed:
        top, bottom = min(low, *(s.start for s in grid)), max(high, *(s.end for s in grid))
    elif axis.scale == "linear" and axis.low == 0:
        bottom = axis.position(0)
    if not ends:
        foot = [s for s in sheet.levels if top - 1 <= s.at <= bottom + 1 and s.length >= SETTINGS.long]
        ends = [s.end if is_left else s.start for s in foot if abs((s.start if is_left else s.end) - near) <= 8]
    first, last = axis.label_edges
    beside = [other.label_edges for other in neighbours if _is_beside(other, axis)]
    if is_left:
        stops = [edge[0] for edge in beside if edge[0] > last + SETTINGS.long]
        x0, x1 = near, min([max(ends, default=sheet.bounds.x1), *stops])
    else:
        stops = [edge[1] for edge in beside if edge[1] < first - SETTINGS.long]
        x0, x1 = max([min(ends, default=sheet.bounds.x0), *stops]), near
    # Plots above and below end half way to the labels of this one.
    for other in neighbours:
        (first, last), (above, below) = other.label_edges, other.span
        if last >= x0 - 4 * SETTINGS.long and first <= x1:
            bottom = min(bottom, (high + above) / 2) if above >= high else bottom
            top = max(top, (low + below) / 2) if below <= low else top
    return Plot(sheet, axis, Rect(x0, top, x1, bottom), is_framed)


def _framed(axis: Axis, sheet: Sheet, starts: Sequence[float], labels: Sequence[Rect]) -> Rect | None:
    """The broadest box that begins at an axis and reaches not far beyond it; None where there is none."""
    low, high = axis.span
    beyond = max(SETTINGS.steps_beyond * axis.step_pt, SETTINGS.most * (high - low))
    # Without marks, the plot begins a little beyond the labels.
    slack = SETTINGS.meets if axis.marks else SETTINGS.label_gap
    best: tuple[tuple[int, bool], Rect] | None = None
    for box in sheet.frames:
        near = box.x1 if axis.side == "right" else box.x0
        if min(abs(near - start) for start in starts) > slack or box.top > low + 1 or box.bottom < high - 1:
            continue
        is_clip = box in sheet.clips
        # Labels that could not be read may be missing at an end of the axis.
        far = SETTINGS.clip_beyond * (high - low) if is_clip else beyond
        # A plot holds no labels of another one, unless that lies within it with its axes.
        is_other = not is_clip and any(box.grown(-1).holds((label.x, label.y)) for label in labels)
        rank = (round(box.width / 2), is_clip)
        if box.top >= low - far and box.bottom <= high + far and not is_other and (best is None or rank > best[0]):
            best = (rank, box)
    return best[1] if best else None


def _near_edges(axis: Axis, long: Sequence[Stroke]) -> list[float]:
    """Where the plot may begin: where gridlines begin, tick marks end, or tick marks begin that stand inside of it."""
    first, last = axis.label_edges
    marks = long or axis.marks
    if axis.side == "right":
        ends = [max(s.end for s in marks), max(s.start for s in marks)] if marks else [first]
    else:
        ends = [min(s.start for s in marks), min(s.end for s in marks)] if marks else [last]
    return ends[:1] if long else ends[::-1]


def _is_beside(left: Axis, right: Axis) -> bool:
    (a, b), (c, d) = left.span, right.span
    return min(b, d) - max(a, c) > 0.3 * min(b - a, d - c)


def _cross_of(plot: Plot, crosses: Sequence[Axis]) -> Axis | None:
    """The scale that runs across the axis of a plot, along its upper or lower edge; None where there is none."""
    frame = plot.frame
    top, bottom = (frame.top, frame.bottom) if plot.is_framed else plot.axis.span
    best: tuple[float, Axis] | None = None
    for cross in crosses:
        low, high = cross.span
        if low < frame.x0 - 4 or high > frame.x1 + 4 or high - low < SETTINGS.part * frame.width:
            continue
        label_top = min(tick.label.box.top for tick in cross.ticks)
        label_bottom = max(tick.label.box.bottom for tick in cross.ticks)
        gap = label_top - bottom if label_top > (top + bottom) / 2 else top - label_bottom
        if -4 <= gap <= SETTINGS.reach and (best is None or gap < best[0]):
            best = (gap, cross)
    return best[1] if best and not _is_contradicted(best[1], plot) else None


def _is_contradicted(cross: Axis, plot: Plot) -> bool:
    """True where a number in line with the labels is not where the scale has it: `105`, `1005`, `5005`, `10005`."""
    first, frame = cross.ticks[0].label, plot.frame
    for label in plot.sheet.numbers:
        is_alike = label.angle == first.angle and abs(label.height - first.height) <= SETTINGS.straight
        is_level = abs(label.box.y - first.box.y) <= SETTINGS.aligned and frame.x0 <= label.box.x <= frame.x1
        read = parse_label(label.text) if is_alike and is_level else None
        if read and (cross.scale == "linear" or read.value > 0):
            if abs(cross.position(read.value) - label.box.x) > SETTINGS.half * cross.step_pt:
                return True
    return False
