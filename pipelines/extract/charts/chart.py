"""What one chart on a page says: its axis, and one mark per bar or point, each with its value, place and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.names import PrintedNumber
from pipelines.read.page import Box, Word

MarkKind = Literal["bar", "line_point", "scatter_point"]


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
