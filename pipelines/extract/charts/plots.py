"""The plot of a value axis: the box that frames it, or what its axes and neighbours leave it, and what is drawn there.

A mark belongs to the plot that its axes span, in both directions; what lies outside of it is not shown there. A PDF
keeps the whole path of a bar or a curve although only the part inside a clipping box is painted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.geometry import Rect, Style
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
    """The plot of one axis: the broadest box that begins at it, else what is drawn and printed around it.

    All is seen from the labels of the axis: a plot to the left of them lies to the right in the mirror.
    """
    (low, high), sign = axis.span, -1 if axis.side == "right" else 1

    def mirrored(*edges: float) -> list[float]:
        return sorted(sign * edge for edge in edges)

    _, last = mirrored(*axis.label_edges)
    marks = [mirrored(s.start, s.end) for s in axis.marks if s.length >= SETTINGS.long]
    # The plot begins where gridlines begin, tick marks end, or tick marks begin that stand inside of it.
    starts = [min(begin for begin, _ in marks)] if marks else [last]
    if axis.marks and not marks:
        starts = [min(edges) for edges in zip(*(mirrored(s.start, s.end)[::-1] for s in axis.marks), strict=True)]
    step = SETTINGS.steps_beyond * axis.step_pt
    # Without marks, the plot begins a little beyond the labels.
    slack = SETTINGS.meets if axis.marks else SETTINGS.label_gap
    labels = [tick.label.box for other in (*neighbours, *crosses) for tick in other.ticks]
    boxes = []
    for box in sheet.frames:
        is_clip = box in sheet.clips
        # Labels that could not be read may be missing at an end of the axis.
        beyond = SETTINGS.clip_beyond * (high - low) if is_clip else max(step, SETTINGS.most * (high - low))
        reaches = low - beyond <= box.top <= low + 1 and high - 1 <= box.bottom <= high + beyond
        begins = min(abs(mirrored(box.x0, box.x1)[0] - start) for start in starts) <= slack
        # A plot holds no labels of another one, unless that lies within it with its axes.
        if begins and reaches and (is_clip or not any(box.grown(-1).holds((label.x, label.y)) for label in labels)):
            boxes.append((round(box.width / 2), is_clip, box))
    if boxes:
        return Plot(sheet, axis, max(boxes, key=lambda ranked: ranked[:2])[2])
    # A line along the axis that is longer than its labels reach shows more of it, if not where the plot ends.
    spines = [
        s for s in sheet.uprights if min(abs(sign * s.at - start) for start in starts) <= SETTINGS.meets
        and s.length >= SETTINGS.covers * (high - low) and s.start >= low - step and s.end <= high + step
    ]  # fmt: skip
    near = sign * spines[0].at if spines else starts[0]
    top, bottom = min([low, *(s.start for s in spines)]) - step, max([high, *(s.end for s in spines)]) + step
    far = max((end for _, end in marks), default=mirrored(sheet.bounds.x0, sheet.bounds.x1)[1])
    grid = [
        s for s in sheet.uprights
        if s.start >= top and s.end <= bottom and s.length >= high - low - 1 and near - 1 <= sign * s.at <= far + 1
    ]  # fmt: skip
    is_framed = len(grid) >= 3 and any(s.length > high - low + 2 for s in grid)
    if is_framed:
        top, bottom = min(low, *(s.start for s in grid)), max(high, *(s.end for s in grid))
    if not marks:
        feet = [mirrored(s.start, s.end) for s in sheet.levels if top <= s.at <= bottom and s.length >= SETTINGS.long]
        far = max((end for begin, end in feet if abs(begin - near) <= 8), default=far)
    for other in neighbours:
        (above, below), (begin, end) = other.span, mirrored(*other.label_edges)
        overlap = min(high, below) - max(low, above)
        if overlap > 0.3 * min(high - low, below - above) and begin > last + SETTINGS.long:
            far = min(far, begin)
        # Plots above and below end half way to the labels of this one.
        if end >= near - 4 * SETTINGS.long and begin <= far:
            bottom = min(bottom, (high + above) / 2) if above >= high else bottom
            top = max(top, (low + below) / 2) if below <= low else top
    x0, x1 = mirrored(near, far)
    return Plot(sheet, axis, Rect(x0, top, x1, bottom), is_framed)


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
        is_on_scale = read is not None and (cross.scale == "linear" or read.value > 0)
        if read and is_on_scale and abs(cross.position(read.value) - label.box.x) > SETTINGS.half * cross.step_pt:
            return True
    return False
