"""What is read of a page: charts, with one mark per bar or point, and what looks like one and gives
no number.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.geometry import Rect, Style
from pipelines.extract.charts.labels import Label
from pipelines.read.page import Box, Point
from pipelines.values.quantity import Quantity

MarkKind = Literal["bar", "line_point", "scatter_point"]


def plain(value: float) -> float:
    """A drawn value without the noise of its arithmetic; nine digits are more than a drawing has."""
    return float(f"{value:.9g}")


class DrawnMark(NamedTuple):
    """A bar or a piece of a stacked one, a vertex of a line, or a marker.

    Attributes:
        kind: What it is.
        box: Its box on the sheet of its plot; of a chart its box on the page, cut to the plot.
        x: Its place across the axis, on the sheet.
        y: Its place along the axis, of a bar where it ends.
        style: How it is painted.
        start: Where a bar begins: at the base line, or where the piece below ends.
        is_stacked: True for a piece of a bar that begins where another one ends.
        line: Number of the line that a vertex is of.
        value: What its geometry says, in the unit of the axis; of a bar without axis its ratio to
            the shortest one.
        low: Least value that the precision of the drawing allows.
        high: Greatest value that it allows.
        category: Label printed at its place, None where there is none or it is not clear which one
            is.
        series: Name that the legend gives its colour, None where no legend does.
        x_value: Its value on the other axis, where that is a scale.
        printed: Number printed at it.
    """

    kind: MarkKind
    box: Rect
    x: float
    y: float
    style: Style
    start: float = 0.0
    is_stacked: bool = False
    line: int = 0
    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    category: Label | None = None
    series: Label | None = None
    x_value: float | None = None
    printed: Label | None = None

    @property
    def place(self) -> Point:
        """Its place on the sheet of its plot."""
        return self.x, self.y

    @property
    def drawn(self) -> Quantity:
        """What its geometry says, in the unit of the axis."""
        return Quantity(plain(self.value), plain(self.low), plain(self.high))


class Chart(NamedTuple):
    """A chart.

    Attributes:
        axis: Its value axis; None where it has none and only ratios are known.
        frame: Its plot on the page.
        marks: Its bars and points, in order of their places.
        title: What the words along the value axis say that it measures.
        axes: Its scales: the value axis, and the one across it.
    """

    axis: Axis | None
    frame: Rect
    marks: tuple[DrawnMark, ...]
    title: Label | None = None
    axes: tuple[Axis, ...] = ()


class RefusedChart(NamedTuple):
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
