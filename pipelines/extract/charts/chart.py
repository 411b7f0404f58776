"""What is drawn in one plot, and what the chart says: one mark per bar or point, with its value, place and names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.geometry import Rect, Style
from pipelines.extract.charts.plots import Plot
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import page_box
from pipelines.extract.charts.ticks import NumberToken
from pipelines.read.page import Box, Point, Word

MarkKind = Literal["bar", "line_point", "scatter_point"]


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
    """One sign: the place that it marks, its box, how it is painted, and its form."""

    place: Point
    box: Rect
    style: Style
    form: tuple[float, ...] = ()


class LostMarks(NamedTuple):
    """Drawings of a plot that look like marks and give no number: rule, how many, and where."""

    rule: str
    marks: int
    box: Rect


@dataclass(slots=True)
class PlotMarks:
    """What is drawn in one plot: bars, lines, markers on no line, and what looks like a mark and gives no number."""

    plot: Plot
    is_turned: bool
    bars: list[DrawnBar] = field(default_factory=list)
    lines: list[DrawnLine] = field(default_factory=list)
    scatter: list[list[DrawnMarker]] = field(default_factory=list)
    lost: list[LostMarks] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many bars and points there are."""
        return len(self.bars) + sum(len(line.points) for line in self.lines) + sum(map(len, self.scatter))

    @property
    def weight(self) -> float:
        """How much speaks for this reading of a plot: bars of one breadth count fully, others half; lines more."""
        widths = sorted(bar.box.width for bar in self.bars)
        even = sum(abs(width - widths[len(widths) // 2]) <= SETTINGS.same for width in widths)
        lost = 0.01 * sum(lost.marks for lost in self.lost)
        return even + 0.5 * (len(widths) - even) + 1.5 * len(self.lines) + 0.5 * len(self.scatter) + lost

    @property
    def styles(self) -> list[Style]:
        """How the bars, lines and families of markers are painted."""
        painted: tuple[DrawnBar | DrawnLine, ...] = (*self.bars, *self.lines)
        return [*(each.style for each in painted), *(group[0].style for group in self.scatter)]

    @property
    def box(self) -> Rect:
        """The plot on the page."""
        return page_box(self.plot.frame, self.is_turned)

    def lose(self, rule: str, marks: int, box: Rect) -> None:
        """Keep what gives no number, with its rule."""
        self.lost.append(LostMarks(rule, marks, box))


class PrintedNumber(NamedTuple):
    """A number printed at a mark: its place, what it says with the interval of its rounding, and its unit."""

    token: NumberToken
    value: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """One bar, or one point of a line or a scatter.

    Attributes:
        kind: What it is.
        box: Its box on the page, cut to the plot.
        value: What its geometry says, in the unit of the axis; of a bar without axis its ratio to the shortest one.
        low: Least value that the precision of the drawing allows.
        high: Greatest value that it allows.
        series: Name that the legend gives its colour, None where no legend does.
        series_words: Words of that name.
        category: Label printed at its place, None where there is none or it is not clear which one is.
        category_words: Words of that label.
        x_value: Its value on the other axis, where that is a scale.
        printed: Number printed at it.
        is_piece: True for a bar that stands on another one.
    """

    kind: MarkKind
    box: Box
    value: float
    low: float
    high: float
    series: str | None = None
    series_words: tuple[Word, ...] = ()
    category: str | None = None
    category_words: tuple[Word, ...] = ()
    x_value: float | None = None
    printed: PrintedNumber | None = None
    is_piece: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart.

    Attributes:
        axis: Its value axis; None where it has none and only ratios are known.
        frame: Its plot on the page.
        marks: Its bars and points, in order of their places.
        title: Words along the value axis that say what it measures; empty where there are none.
        cross: The scale across the value axis, where there is one.
        multiplier: Factor printed once at the end of the axis (`1e6`), already in the values.
    """

    axis: Axis | None
    frame: Box
    marks: tuple[DrawnMark, ...]
    title: tuple[Word, ...] = ()
    cross: Axis | None = None
    multiplier: float = 1.0

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Its scales."""
        return tuple(axis for axis in (self.axis, self.cross) if axis)


@dataclass(frozen=True, slots=True)
class RefusedChart:
    """Something that looks like a chart or a mark and gives no number.

    Attributes:
        rule: Why, in one word.
        reason: Why, as a sentence.
        box: Where on the page.
        marks: How many bars and points it would have given, 0 where that is not known.
        axes: The scales of its plot, as far as they could be read.
    """

    rule: str
    reason: str
    box: Box
    marks: int = 0
    axes: tuple[Axis, ...] = ()
