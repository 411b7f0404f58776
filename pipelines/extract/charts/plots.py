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
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from statistics import median

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.chart import DrawnMark
from pipelines.extract.charts.geometry import (
    ALIGNED,
    HALF,
    LONG,
    MEETS,
    PART,
    REACH,
    SAME,
    STRAIGHT,
    Rect,
    Stroke,
    grouped,
    is_near,
    level_strokes,
    mirrored,
)
from pipelines.extract.charts.labels import (
    ROW_GAP,
    Label,
    number_labels,
    parse_label,
    phrases,
    words_of,
)
from pipelines.read.page import Box, Page, Point, Shape, Word

_MIN_PLOT = 15.0
# How far plots reach beyond their last label, in steps, and boxes around them as a share of the
# axis.
_STEPS_BEYOND, _FRAME_BEYOND = 1.05, 1.6
# What is added to all labels of an axis begins with one of these, or it is multiplied by.
_ADDED = "+-−–×x"


@dataclass(frozen=True)
class Sheet:
    """What is on a page, as it is or mirrored.

    Attributes:
        bounds: The page.
        words: Its words.
        numbers: Its printed numbers, those of several words put together.
        shapes: Its shapes.
        levels: Its level strokes.
        uprights: Its upright strokes.
        is_mirrored: True for the mirror image.
    """

    bounds: Rect
    words: tuple[Label, ...]
    numbers: tuple[Label, ...]
    shapes: tuple[Shape, ...]
    levels: tuple[Stroke, ...]
    uprights: tuple[Stroke, ...]
    is_mirrored: bool = False

    @cached_property
    def clips(self) -> list[Rect]:
        """The boxes that cut its shapes and are large enough for a plot."""
        return _large(shape.clip for shape in self.shapes if shape.clip)

    @cached_property
    def frames(self) -> list[Rect]:
        """The boxes that may frame plots: those that cut shapes, and drawn ones."""
        drawn = (s.box for s in self.shapes if s.kind != "line" and len(s.points) >= 4)
        return [*self.clips, *_large(drawn)]

    @cached_property
    def numerals(self) -> list[Label]:
        """Its numbers that have no other words beside them."""
        numeric = words_of(self.numbers)
        prose = set[Word]()
        for phrase in chain(*phrases(self.words)):
            words = words_of(phrase)
            prose |= words if words - numeric else set()
        return [number for number in self.numbers if not number.is_of(prose)]

    def framed_by(self, number: Label) -> list[Rect]:
        """The boxes with a tick mark at their left edge that stands just behind a number, on its
        line.
        """
        x = number.box.x1
        reach = number.box._replace(x0=x - 1, x1=x + 2 * number.height)
        ends = [s.end for s in self.levels if reach.holds((s.start, s.at, s.end, s.at))]
        return [box for box in self.frames if any(abs(box.x0 - end) <= 1 for end in ends)]

    def free(self, used: Collection[Word]) -> list[Label]:
        """The words that are nothing else; of a mirrored page those that the page prints level."""
        words = [word for word in self.words if word.angle == 90 or not self.is_mirrored]
        return [word for word in words if not word.is_of(used)]

    def page_box(self, box: Box) -> Rect:
        """The box on the page behind one on this sheet, to a hundredth of a point."""
        return Rect(*(round(edge, 2) for edge in self.box_here(box)))

    def box_here(self, box: Box) -> Rect:
        """The box on this sheet of one on the page."""
        return mirrored(box) if self.is_mirrored else Rect(*box)


def both_sheets(page: Page) -> tuple[Sheet, Sheet]:
    """The page as it is, and its mirror image."""
    words = tuple(label for label in map(Label.of_word, page.words) if label.height > 0)
    bounds, numbers = Rect(0.0, 0.0, page.width, page.height), tuple(number_labels(words))
    shapes = tuple(map(_mirrored_shape, page.shapes))
    across, down = tuple(level_strokes(page.shapes)), tuple(level_strokes(shapes))
    there, numbers_there = (
        tuple(label.mirrored() for label in labels) for labels in (words, numbers)
    )
    return (
        Sheet(bounds, words, numbers, page.shapes, across, _upright(down)),
        Sheet(
            mirrored(bounds), there, numbers_there, shapes, down, _upright(across), is_mirrored=True
        ),
    )


def _upright(levels: Sequence[Stroke]) -> tuple[Stroke, ...]:
    """The level strokes of the mirror image of a sheet as its upright ones."""
    return tuple(Stroke(-s.at, -s.end, -s.start, s.colour) for s in levels)


def _mirrored_point(point: Point) -> Point:
    """A point mirrored as `mirrored` does it with boxes."""
    return -point[1], -point[0]


def _mirrored_shape(shape: Shape) -> Shape:
    x0, top, x1, bottom = mirrored(shape.box)
    points = tuple(map(_mirrored_point, shape.points))
    path = tuple((operator, tuple(map(_mirrored_point, ends))) for operator, ends in shape.path)
    clip = mirrored(shape.clip) if shape.clip else None
    return replace(shape, x0=x0, top=top, x1=x1, bottom=bottom, points=points, path=path, clip=clip)


def _large(boxes: Iterable[Box]) -> list[Rect]:
    """The boxes that are large enough for a plot, each once, in order of their places."""
    found = {Rect(*box) for box in boxes}
    return sorted(box for box in found if min(box.width, box.height) >= _MIN_PLOT)


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
        strays: Numbers beside it that stand as those of a second scale do.
        lost: What looks like a mark and gives no number: by rule how many, and where.
    """

    sheet: Sheet
    axis: Axis
    frame: Rect
    is_framed: bool = True
    cross: Axis | None = None
    marks: list[DrawnMark] = field(default_factory=list)
    strays: list[Label] = field(default_factory=list)
    lost: defaultdict[str, list[tuple[int, Rect]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    @property
    def ground(self) -> Rect:
        """The lowest one of the plots with its left and right edge below it that have no words
        between them: its labels across are below that one.
        """
        ground = self.frame
        for box in sorted(self.sheet.frames, key=lambda box: box.top):
            below = ground._replace(top=ground.bottom, bottom=ground.bottom + 2 * self.axis.size)
            is_free = not any(below.cut(word.box) for word in self.sheet.words)
            is_even = is_near(box[::2], ground[::2], STRAIGHT)
            if self.is_framed and is_even and is_free and box.top > ground.bottom:
                ground = box
        return ground

    @property
    def box(self) -> Rect:
        """The plot on the page."""
        return self.sheet.page_box(self.frame)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Its scales."""
        return (self.axis, self.cross) if self.cross else (self.axis,)

    def states(self, number: Label) -> bool:
        """True for a number within two heights of a mark whose value it states."""
        read, near = parse_label(number.text), number.box.grown(2 * number.height)
        ends = [self.axis.value(mark.y) for mark in self.marks if near.cut(mark.box)]
        return read is not None and any(abs(end - read.value) <= read.step / 2 for end in ends)

    @property
    def words(self) -> set[Word]:
        """The words of its scales."""
        return {word for axis in self.axes for word in axis.words}

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
    gridlines = [s for s in axis.marks if s.length >= LONG]
    # The plot begins where gridlines begin, tick marks end, or tick marks begin that stand inside
    # of it.
    if gridlines or not axis.marks:
        starts = [min((s.start for s in gridlines), default=last)]
    else:
        starts = [min(s.end for s in axis.marks), min(s.start for s in axis.marks)]

    def begins(x: float) -> bool:
        return any(abs(x - start) <= MEETS for start in starts)

    # Labels that could not be read may be missing at an end of the axis.
    length = high - low
    beyond, step = _FRAME_BEYOND * length, _STEPS_BEYOND * axis.step_pt
    boxes = [
        box
        for box in sheet.frames
        if begins(box.x0)
        and low - beyond <= box.top <= low + 1
        and high - 1 <= box.bottom <= high + beyond
    ]
    if boxes:
        return Plot(sheet, axis, max(boxes, key=lambda box: round(box.width / 2)))
    near, top, bottom = starts[0], low - step, high + step
    far = max((s.end for s in gridlines), default=sheet.bounds.x1)
    long = [s for s in sheet.uprights if near - 1 <= s.at <= far + 1 and s.length >= length - 1]
    grid = [s for s in long if top <= s.start and s.end <= bottom]
    is_framed = len(grid) >= 3
    if is_framed:
        top, bottom = min(low, *(s.start for s in grid)), max(high, *(s.end for s in grid))
    for other in neighbours:
        (above, below), (begin, _) = other.span, other.label_edges
        if below > low and high > above and begin > last + LONG:
            far = min(far, begin)
        # Plots above and below end half way to the labels of this one: without a frame, their
        # marks would be read on this axis.
        if begin <= far:
            bottom = min(bottom, (high + above) / 2) if above >= high else bottom
            top = max(top, (low + below) / 2) if below <= low else top
    return Plot(sheet, axis, Rect(near, top, far, bottom), is_framed)


def _has_ticks(axis: Axis, strokes: Sequence[Stroke], edge: float) -> bool:
    """True where a stroke from an edge of a plot is at each tick of an axis."""
    at = [s.at for s in strokes if s.start - MEETS <= edge <= s.end + MEETS]
    return all(any(abs(y - tick.y) <= STRAIGHT for y in at) for tick in axis.ticks)


def sharing(plot: Plot) -> Iterator[Plot]:
    """The plots to the right of one with its upper and lower edge that have its ticks, and no words
    to the left of them.
    """
    sheet, axis, last = plot.sheet, plot.axis, plot.frame
    for box in sheet.frames if plot.is_framed and axis.marks else ():
        beside = box._replace(x0=box.x0 - 2 * axis.size, x1=box.x0)
        is_free = not any(beside.cut(word.box) for word in sheet.words)
        is_even = is_near(box[1::2], plot.frame[1::2], STRAIGHT)
        is_own = _has_ticks(axis, sheet.levels, box.x0)
        if is_even and is_free and is_own and box.x0 > last.x1:
            last = box
            yield Plot(sheet, axis, box)


def find_cross(plot: Plot, crosses: Sequence[Axis]) -> Axis | None:
    """The scale that runs across the axis of a plot, along its lower edge; None where there is
    none.
    """
    frame, found, ground = plot.frame, list[Axis](), plot.ground
    bottom = ground.bottom if plot.is_framed else plot.axis.span[1]
    for cross in crosses:
        (low, high), gap = cross.span, cross.labels[0].box.top - bottom
        is_within = low >= frame.x0 - 4 and high <= frame.x1 + 4
        is_along = is_within and high - low >= PART * frame.width
        # A plot above another one has the marks of its labels.
        is_own = ground == frame or _has_ticks(cross, plot.sheet.uprights, frame.bottom)
        if cross.marks and is_along and is_own and -4 <= gap <= REACH:
            found.append(cross)
    if not found:
        return None
    best = min(found, key=lambda cross: cross.labels[0].box.top)
    # A number in line with the labels may not be where the scale has it, be it one alone: `105`,
    # `1005`, `5005`, `10005`.
    y, near = best.labels[0].box.y, frame.grown(0.5 * best.size)
    level = [n for n in plot.sheet.numbers if abs(n.box.y - y) <= ALIGNED]
    own = [n.mirrored() for n in level if near.x0 <= n.box.x <= near.x1]
    return None if _off_scale(best.across(), own) else best


def second_scale(plot: Plot, used: Collection[Word]) -> list[Label]:
    """The numerals beside a plot with marks that stand as those of a second scale do; empty where
    none do.

    Args:
        plot: The plot.
        used: Words that are something else.
    """
    frame, axis = plot.frame, plot.axis
    numerals = [n for n in plot.sheet.numerals if not n.is_of(used)]
    # What is added to all labels of an axis is printed at its upper end: `+1e6`.
    top = frame.top if plot.is_framed else axis.span[0] - 0.5 * axis.size
    end = Rect(frame.x0 - REACH, top - 3 * axis.size, frame.x0 + REACH, top)
    stray = [n for n in numerals if end.holds((n.box.x0, n.box.y)) and n.text[0] in _ADDED]
    # Numerals at the tick marks of a box within the plot are the scale of an inset, and some of the
    # marks are of that one.
    inner = [n for n in numerals if frame.holds(n.box.middle) and plot.sheet.framed_by(n)]
    stray += chain(*_in_columns(inner))
    if frame.x1 >= plot.sheet.bounds.x1:
        # Without a frame, gridlines or a neighbour, a plot ends where its marks do.
        frame = frame._replace(x1=max(mark.box.x1 for mark in plot.marks))
    # A column of numbers that each have a name on their line is one of a table. The words of an
    # upright title are beside the labels of its axis, and on no line with them.
    free = plot.sheet.free({*used, *words_of(plot.sheet.numbers)})
    level = [word for word in free if word.angle == 0]
    names = [word.box for word in level if any(map(str.isalpha, word.text))]
    tests = (
        plot.states,
        lambda n: any(n.is_beside(name, ROW_GAP) for name in names),
        lambda n: any(not box.overlaps(frame) for box in plot.sheet.framed_by(n)),
    )
    columns = _scales_beside(axis, frame, numerals, tests)
    if plot.cross:
        there = [numeral.mirrored() for numeral in numerals]
        columns += _scales_beside(
            plot.cross.across(), mirrored(frame), there, (lambda n: plot.states(n.mirrored()),)
        )
    return [*stray, *chain(*columns)]


def _scales_beside(
    axis: Axis, frame: Rect, numerals: Sequence[Label], explained: Sequence[Callable[[Label], bool]]
) -> list[list[Label]]:
    """Columns of numerals beside a plot, as far as second axes are drawn, that its axis does not
    explain; nor does one of the tests in `explained` hold for all of a column.

    A numeral alone is no scale: it is the number of a page, a factor of a headline, the title of a
    facet.
    """
    reach, level = max(3 * REACH, HALF * frame.width), frame.grown(0.5 * axis.size)
    beside: list[Label] = []
    for numeral in numerals:
        x, y = numeral.box.middle
        away = max(frame.x0 - x, x - frame.x1)
        if level.top <= y <= level.bottom and 0 < away <= reach:
            beside.append(numeral)
    scales = [c for c in _in_columns(beside) if _off_scale(axis, c)]
    return [c for c in scales if not any(all(map(test, c)) for test in explained)]


def _in_columns(numerals: Sequence[Label]) -> list[list[Label]]:
    """Two or more numerals of one size one above the other; one alone is no scale."""
    columns = grouped(numerals, lambda column, one: any(map(one.is_below, column)))
    return [column for column in columns if len(column) > 1]


def _off_scale(axis: Axis, numerals: Sequence[Label]) -> bool:
    """True where numerals do not stand where the axis has their values, as those of its own labels
    do that are repeated at the other side of the plot.
    """
    shift = median(tick.label.box.y - tick.y for tick in axis.ticks)
    for numeral in numerals:
        read = (parse_label(numeral.text, mark) for mark in (".", ","))
        values = [one.value for one in read if one and (axis.scale == "linear" or one.value > 0)]
        if all(abs(axis.position(value) + shift - numeral.box.y) > SAME for value in values):
            return True
    return False
