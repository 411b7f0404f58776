"""A page with its shapes, and the plots on it: the boxes that frame value axes, or what axes and neighbours leave them.

A page is read as it is and as its mirror image, so that bars that grow upwards and to the right are read by the same
code. Mirrored, what is left of a plot is below it, and what is below it is left of it. Words keep their places on the
page. A mark belongs to the plot that its axes span; what lies outside of it is not shown there: a PDF keeps the whole
path of a bar or a curve although only the part inside a clipping box is painted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.chart import MarkKind
from pipelines.extract.charts.geometry import Rect, Stroke, Style, mirrored, straight_strokes
from pipelines.extract.charts.labels import Label, number_labels, parse_label
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Box, Page, Point, Shape


@dataclass(frozen=True)
class Sheet:
    """What is on a page, as it is or mirrored.

    Attributes:
        bounds: The page.
        words: Its words.
        numbers: Its printed numbers, those of several words put together.
        shapes: Its shapes.
        is_mirrored: True for the mirror image.
    """

    bounds: Rect
    words: tuple[Label, ...]
    numbers: tuple[Label, ...]
    shapes: tuple[Shape, ...]
    is_mirrored: bool = False

    @cached_property
    def levels(self) -> tuple[Stroke, ...]:
        """Its level strokes."""
        return straight_strokes(self.shapes, along=0)

    @cached_property
    def uprights(self) -> tuple[Stroke, ...]:
        """Its upright strokes."""
        return straight_strokes(self.shapes, along=1)

    @cached_property
    def clips(self) -> frozenset[Rect]:
        """The boxes that cut its shapes and are large enough for a plot."""
        return frozenset(box for shape in self.shapes if shape.clip and _is_large(box := Rect(*shape.clip)))

    @cached_property
    def frames(self) -> tuple[Rect, ...]:
        """The boxes that may frame plots: those that cut shapes, and drawn ones."""
        drawn = {Rect(*s.box) for s in self.shapes if s.kind in ("rect", "curve") and len(s.points) >= 4}
        boxes = (*sorted(self.clips), *sorted(box for box in drawn - self.clips if _is_large(box)))
        return boxes[: SETTINGS.max_frames]

    def page_box(self, box: Box) -> Rect:
        """The box on the page behind one on this sheet, to a hundredth of a point."""
        return Rect(*(round(edge, 2) for edge in self.box_here(box)))

    def box_here(self, box: Box) -> Rect:
        """The box on this sheet of one on the page."""
        return mirrored(box) if self.is_mirrored else Rect(*box)


def both_sheets(page: Page) -> tuple[Sheet, Sheet]:
    """The page as it is, and its mirror image."""
    words = tuple(map(Label.of_word, page.words))
    bounds, numbers = Rect(0.0, 0.0, page.width, page.height), number_labels(words)
    shapes = tuple(map(_mirrored_shape, page.shapes))
    there, numbers_there = (tuple(label.mirrored() for label in labels) for labels in (words, numbers))
    return (
        Sheet(bounds, words, numbers, page.shapes),
        Sheet(mirrored(bounds), there, numbers_there, shapes, is_mirrored=True),
    )


def _mirrored_point(point: Point) -> Point:
    return -point[1], -point[0]


def _mirrored_shape(shape: Shape) -> Shape:
    x0, top, x1, bottom = mirrored(shape.box)
    return replace(
        shape, x0=x0, top=top, x1=x1, bottom=bottom, points=tuple(map(_mirrored_point, shape.points)),
        path=tuple((operator, tuple(map(_mirrored_point, points))) for operator, points in shape.path),
        clip=mirrored(shape.clip) if shape.clip else None,
    )  # fmt: skip


def _is_large(box: Rect) -> bool:
    return min(box.width, box.height) >= SETTINGS.min_plot


class PlotMark(NamedTuple):
    """A bar or a piece of a stacked one, a vertex of a line, or a marker, where it is on the sheet of its plot.

    Attributes:
        kind: What it is.
        box: Its box.
        x: Its place across the axis.
        y: Its place along the axis, of a bar where it ends.
        style: How it is painted.
        start: Where a bar begins: at the base line, or where the piece below ends.
        is_stacked: True for a piece of a bar that begins where another one ends.
        line: Number of the line that a vertex is of.
    """

    kind: MarkKind
    box: Rect
    x: float
    y: float
    style: Style
    start: float = 0.0
    is_stacked: bool = False
    line: int = 0


@dataclass(slots=True)
class Plot:
    """Where the marks of a value axis are, and which ones.

    Attributes:
        sheet: The page, mirrored where values grow to the right.
        axis: The value axis.
        frame: The plot.
        is_framed: True where its ends along the axis are drawn; False where they follow from its labels.
        cross: The scale across the value axis, where there is one.
        marks: Its bars and points.
        lost: What looks like a mark and gives no number: by rule how many, and where.
    """

    sheet: Sheet
    axis: Axis
    frame: Rect
    is_framed: bool = True
    cross: Axis | None = None
    marks: list[PlotMark] = field(default_factory=list)
    lost: defaultdict[str, list[tuple[int, Rect]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def box(self) -> Rect:
        """The plot on the page."""
        return self.sheet.page_box(self.frame)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Its scales."""
        return tuple(axis for axis in (self.axis, self.cross) if axis)

    def lose(self, rule: str, marks: int, box: Rect) -> None:
        """Keep what gives no number, with its rule."""
        self.lost[rule].append((marks, box))


def find_plot(axis: Axis, sheet: Sheet, neighbours: Sequence[Axis], crosses: Sequence[Axis]) -> Plot:
    """The plot of an axis: the broadest box that begins at it, else what is drawn and printed around it.

    Args:
        axis: A scale whose values grow upwards.
        sheet: The page.
        neighbours: The other ones.
        crosses: Scales whose values grow to the right.
    """
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


def find_cross(plot: Plot, crosses: Sequence[Axis]) -> Axis | None:
    """The scale that runs across the axis of a plot, along its lower edge; None where there is none."""
    frame, found = plot.frame, list[tuple[float, Axis]]()
    bottom = frame.bottom if plot.is_framed else plot.axis.span[1]
    for cross in (axis for axis in crosses if axis.marks):
        (low, high), gap = cross.span, min(tick.label.box.top for tick in cross.ticks) - bottom
        spans = low >= frame.x0 - 4 and high <= frame.x1 + 4 and high - low >= SETTINGS.part * frame.width
        if spans and -4 <= gap <= SETTINGS.reach:
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
