"""What is read of a page: charts, with one mark per bar or point, and what looks like one and gives
no number.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.labels import Label
from pipelines.read.page import Box
from pipelines.values.quantity import Quantity

MarkKind = Literal["bar", "line_point", "scatter_point"]


def plain(value: float) -> float:
    """A drawn value without the noise of its arithmetic; nine digits are more than a drawing has."""
    return float(f"{value:.9g}")


class DrawnMark(NamedTuple):
    """One bar, or one point of a line or a scatter.

    Attributes:
        kind: What it is.
        box: Its box on the page, cut to the plot.
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
    box: Box
    value: float
    low: float
    high: float
    category: Label | None = None
    series: Label | None = None
    x_value: float | None = None
    printed: Label | None = None

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
    frame: Box
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
