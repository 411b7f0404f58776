"""A page with its shapes, and the plots on it: the boxes that frame value axes, or what axes and
neighbours leave them.

A page is read as it is and as its mirror image, so that bars that grow upwards and to the right are
read by the same code. Mirrored, what is left of a plot is below it, and what is below it is left of
it. Words keep their places on the page. A mark belongs to the plot that its axes span; what lies
outside of it is not shown there: a PDF keeps the whole path of a bar or a curve although only the
part inside a clipping box is painted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from statistics import median
from typing import NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.chart import MarkKind
from pipelines.extract.charts.geometry import Rect, Stroke, Style, mirrored, straight_strokes
from pipelines.extract.charts.labels import Label, number_labels, parse_label, phrases
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Box, Page, Point, Shape, Word


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
        return frozenset(
            box for shape in self.shapes if shape.clip and _is_large(box := Rect(*shape.clip))
        )

    @cached_property
    def frames(self) -> tuple[Rect, ...]:
        """The boxes that may frame plots: those that cut shapes, and drawn ones."""
        drawn = {
            Rect(*s.box) for s in self.shapes if s.kind in ("rect", "curve") and len(s.points) >= 4
        }
        boxes = (*sorted(self.clips), *sorted(box for box in drawn - self.clips if _is_large(box)))
        return boxes[: SETTINGS.max_frames]

    @cached_property
    def numerals(self) -> tuple[Label, ...]:
        """Its numbers that have no other words beside them."""
        numeric = {word for number in self.numbers for word in number.words}
        lines = (
            phrases([w for w in self.words if w.angle == angle])
            for angle in {w.angle for w in self.words}
        )
        texts = [
            {word for part in phrase for word in part.words} for phrase in chain(*chain(*lines))
        ]
        prose = set().union(*(text for text in texts if not text <= numeric))
        return tuple(number for number in self.numbers if not number.is_of(prose))

    def page_box(self, box: Box) -> Rect:
        """The box on the page behind one on this sheet, to a hundredth of a point."""
        return Rect(*(round(edge, 2) for edge in self.box_here(box)))

    def box_here(self, box: Box) -> Rect:
        """The box on this sheet of one on the page."""
        return mirrored(box) if self.is_mirrored else Rect(*box)


def both_sheets(page: Page) -> tuple[Sheet, Sheet]:
    """The page as it is, and its mirror image."""
    words = tuple(label for label in map(Label.of_word, page.words) if label.height > 0)
    bounds, numbers = Rect(0.0, 0.0, page.width, page.height), number_labels(words)
    shapes = tuple(map(_mirrored_shape, page.shapes))
    there, numbers_there = (
        tuple(label.mirrored() for label in labels) for labels in (words, numbers)
    )
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
    """A bar or a piece of a stacked one, a vertex of a line, or a marker, where it is on the sheet
    of its plot.

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
        is_framed: True where its ends along the axis are drawn; False where they follow from its
            labels.
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
    lost: defaultdict[str, list[tuple[int, Rect]]] = field(
        default_factory=lambda: defaultdict(list)
    )

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


def find_plot(axis: Axis, sheet: Sheet, neighbours: Sequence[Axis]) -> Plot:
    """The plot of an axis: the broadest box that begins at it, else what is drawn and printed
    around it.

    Args:
        axis: A scale whose values grow upwards.
        sheet: The page.
        neighbours: The other ones.
    """
    (low, high), (_, last) = axis.span, axis.label_edges
    gridlines = [s for s in axis.marks if s.length >= SETTINGS.long]
    # The plot begins where gridlines begin, tick marks end, or tick marks begin that stand inside
    # of it.
    starts = [min(s.start for s in gridlines)] if gridlines else [last]
    if axis.marks and not gridlines:
        starts = [min(s.end for s in axis.marks), min(s.start for s in axis.marks)]
    step = SETTINGS.steps_beyond * axis.step_pt
    # Labels that could not be read may be missing at an end of the axis.
    beyond = SETTINGS.frame_beyond * (high - low)
    boxes = [
        box for box in sheet.frames
        if low - beyond <= box.top <= low + 1 and high - 1 <= box.bottom <= high + beyond
        and min(abs(box.x0 - start) for start in starts) <= SETTINGS.meets
    ]  # fmt: skip
    if boxes:
        return Plot(sheet, axis, max(boxes, key=lambda box: round(box.width / 2)))
    # A line along the axis that is longer than its labels reach shows more of it, if not where the
    # plot ends.
    spines = [
        s for s in sheet.uprights if min(abs(s.at - start) for start in starts) <= SETTINGS.meets
        and s.length >= SETTINGS.covers * (high - low) and s.start >= low - step and s.end <= high + step
    ]  # fmt: skip
    near = spines[0].at if spines else starts[0]
    top, bottom = (
        min([low, *(s.start for s in spines)]) - step,
        max([high, *(s.end for s in spines)]) + step,
    )
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
    """The scale that runs across the axis of a plot, along its lower edge; None where there is
    none.
    """
    frame, found = plot.frame, list[tuple[float, Axis]]()
    bottom = frame.bottom if plot.is_framed else plot.axis.span[1]
    for cross in (axis for axis in crosses if axis.marks):
        (low, high), gap = cross.span, min(tick.label.box.top for tick in cross.ticks) - bottom
        spans = (
            low >= frame.x0 - 4
            and high <= frame.x1 + 4
            and high - low >= SETTINGS.part * frame.width
        )
        if spans and -4 <= gap <= SETTINGS.reach:
            found.append((gap, cross))
    best = min(found, key=lambda ranked: ranked[0], default=(0.0, None))[1]
    if best is None:
        return None
    # A number in line with the labels may not be where the scale has it: `105`, `1005`, `5005`,
    # `10005`.
    others, first = (
        (n for n in plot.sheet.numbers if not n.is_of(best.words)),
        best.ticks[0].label.box,
    )
    level = [
        number.mirrored() for number in others if abs(number.box.y - first.y) <= SETTINGS.aligned
    ]
    return None if _off_scale(best.across(), mirrored(frame), level, ()) else best


def is_ambiguous(
    plot: Plot, used: Collection[Word], scales: Collection[Word], others: Sequence[Rect]
) -> bool:
    """True where numerals that nothing explains stand beside a plot with marks, as those of a
    second scale do.

    Explained are `used` words. Of all `scales` of the page with tick marks, those within the plot
    are of an inset. `others` are the frames of the other plots.
    """
    frame, axis = plot.frame, plot.axis
    numerals = [n for n in plot.sheet.numerals if not n.is_of(used)]
    # What is added to all labels of an axis is printed at its upper end: `+1e6`.
    top = frame.top if plot.is_framed else axis.span[0] - 0.5 * axis.size
    end = Rect(frame.x0 - SETTINGS.reach, top - 3 * axis.size, frame.x0 + SETTINGS.reach, top)
    stray = [n for n in numerals if end.holds((n.box.x0, n.box.y))]
    stray += [n for n in numerals if frame.holds((n.box.x, n.box.y)) and n.is_of(scales)]
    if frame.x1 >= plot.sheet.bounds.x1:
        # Without a frame, gridlines or a neighbour, a plot ends where its marks do.
        frame = frame._replace(x1=max(mark.box.x1 for mark in plot.marks))
    stray += _off_scale(axis, frame, numerals, others)
    if plot.cross:
        # What is above a plot or below it may be of the next one.
        places = ((numeral, (numeral.box.x, numeral.box.y)) for numeral in numerals)
        own = [
            n.mirrored()
            for n, at in places
            if all(frame.distance(at) <= other.distance(at) for other in others)
        ]
        stray += _off_scale(plot.cross.across(), mirrored(frame), own, ())
    return bool(stray)


def _off_scale(
    axis: Axis, frame: Rect, numerals: Sequence[Label], others: Sequence[Rect]
) -> list[Label]:
    """Numerals beside a plot, up to other plots and as far as second axes are drawn, that its axis
    does not explain.
    """
    reach = max(3 * SETTINGS.reach, SETTINGS.half * frame.width)
    level, shift = (
        frame.grown(0.5 * axis.size),
        median(tick.label.box.y - tick.y for tick in axis.ticks),
    )
    found: list[Label] = []
    for numeral in numerals:
        (x, y), edge = (
            (numeral.box.x, numeral.box.y),
            frame.x0 if numeral.box.x < frame.x else frame.x1,
        )
        between = Rect(min(x, edge), y, max(x, edge), y)
        is_beside = (
            not frame.x0 <= x <= frame.x1
            and between.width <= reach
            and level.top <= y <= level.bottom
        )
        if is_beside and not any(other.cut(between) for other in others):
            read = [value for mark in (".", ",") if (value := parse_label(numeral.text, mark))]
            places = [
                axis.position(one.value) for one in read if axis.scale == "linear" or one.value > 0
            ]
            found += (
                []
                if any(abs(place + shift - y) <= SETTINGS.same for place in places)
                else [numeral]
            )
    return found
