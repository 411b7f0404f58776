"""A value axis: a straight scale, linear or log10, through labelled ticks.

How exactly a position tells a value is here too. How its labels are found is in `scales.py`, how it is moved to its
tick marks in `snapping.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pipelines.extract.vector_charts.geometry import Orientation, Segment, view
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import Token, parse_multiplier

Scale = Literal["linear", "log"]
Side = Literal["before", "behind"]

MIN_TICKS = 3


@dataclass(frozen=True, slots=True)
class Tick:
    """One tick: where it is along the axis, what it says, and its label; a minor one has that of its neighbour."""

    u: float
    value: float
    label: Token
    unit: str
    is_minor: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """A straight scale.

    Attributes:
        orientation: Direction of the values.
        scale: `linear` or `log` (to base ten).
        intercept: Position of value 0 (linear) or 1 (log) along the axis.
        slope: Points per unit or per decade; negative for a vertical axis that grows upwards.
        ticks: Its ticks, in order of their values; positions are those of the marks where it is snapped.
        is_snapped: True where the positions are those of tick marks or gridlines.
        side: Whether the labels stand before the plot (left of it, above it) or behind it.
        marks: The tick marks and gridlines it was snapped to.
        residual: Largest distance of a tick from the scale, in points.
    """

    orientation: Orientation
    scale: Scale
    intercept: float
    slope: float
    ticks: tuple[Tick, ...]
    is_snapped: bool
    side: Side | None
    marks: tuple[Segment, ...]
    residual: float

    def value(self, u: float) -> float:
        """The value at a position."""
        plain = (u - self.intercept) / self.slope
        if self.scale == "linear":
            return plain
        return 10.0**plain if abs(plain) < 300 else math.inf

    def position(self, value: float) -> float:
        """Where a value is; on a log scale it is greater than zero."""
        return self.intercept + self.slope * (math.log10(value) if self.scale == "log" else value)

    @property
    def low(self) -> float:
        """Least labelled value."""
        return self.ticks[0].value

    @property
    def high(self) -> float:
        """Greatest labelled value."""
        return self.ticks[-1].value

    @property
    def span(self) -> tuple[float, float]:
        """Positions of the outermost ticks, in order on the page."""
        ends = sorted((self.ticks[0].u, self.ticks[-1].u))
        return ends[0], ends[1]

    @property
    def step_pt(self) -> float:
        """Mean distance of neighbouring ticks in points."""
        low, high = self.span
        return (high - low) / (len(self.ticks) - 1)

    @property
    def label_edge(self) -> tuple[float, float]:
        """Least and greatest position of the labels across the axis."""
        views = [view(tick.label.box, self.orientation) for tick in self.ticks]
        return min(v.c0 for v in views), max(v.c1 for v in views)

    @property
    def unit(self) -> str:
        """What is printed behind the numbers of all ticks but zero; empty where nothing is."""
        units = {tick.unit for tick in self.ticks if tick.value != 0}
        return units.pop() if len(units) == 1 else ""

    def shifted(self, distance: float, *, is_snapped: bool = False) -> Axis:
        """The same scale moved along its axis."""
        ticks = tuple(replace(tick, u=tick.u + distance) for tick in self.ticks)
        return replace(self, intercept=self.intercept + distance, ticks=ticks, is_snapped=is_snapped)


def tolerance(axis: Axis) -> float:
    """How far in points a label may be off its scale."""
    low, high = axis.span
    return max(SETTINGS.text_off, SETTINGS.max_residual * (high - low))


def plain(value: float, scale: Scale) -> float:
    """What is straight on the scale: the value, or its logarithm to base ten."""
    return math.log10(value) if scale == "log" else value


def fit(points: Sequence[tuple[float, float]], scale: Scale) -> tuple[float, float, float]:
    """Least squares: position of value 0 (or 1), points per unit (or decade), largest distance in points."""
    xs = [plain(value, scale) for _, value in points]
    us = [u for u, _ in points]
    mean_x, mean_u = sum(xs) / len(xs), sum(us) / len(us)
    spread = sum((x - mean_x) ** 2 for x in xs)
    slope = sum((x - mean_x) * (u - mean_u) for x, u in zip(xs, us, strict=True)) / spread
    intercept = mean_u - slope * mean_x
    residual = max(abs(intercept + slope * x - u) for x, u in zip(xs, us, strict=True))
    return intercept, slope, residual


def interval(axis: Axis, u: float, start: float | None = None) -> tuple[float, float]:
    """Least and greatest value that a mark at a position may have.

    Args:
        axis: The scale.
        u: Where the mark ends.
        start: Where a piece of a stacked bar begins; None for what is measured from the axis.
    """
    slack = uncertainty_pt(axis)
    if start is None:
        ends = sorted((axis.value(u - slack), axis.value(u + slack)))
        return ends[0], ends[1]
    # Both ends of a piece are off by the same fault of the scale, so only the rounding counts twice.
    value = axis.value(u) - axis.value(start)
    ends = sorted((axis.value(u - slack), axis.value(u + slack)))
    half = (ends[1] - ends[0]) / 2
    return value - half, value + half


def uncertainty_pt(axis: Axis) -> float:
    """How far off a position may be, in points."""
    if axis.is_snapped:
        return SETTINGS.position + axis.residual
    return SETTINGS.text_share * max(tick.label.size for tick in axis.ticks) + axis.residual


def multiplier_of(axis: Axis, tokens: Sequence[Token]) -> float:
    """The factor at the end of an axis (`1e6` above it, or behind its last label); 1 where none is printed."""
    edges = axis.label_edge
    size = max(tick.label.size for tick in axis.ticks)
    end = axis.ticks[-1].u
    labels = {id(tick.label) for tick in axis.ticks}
    for token in tokens:
        factor = parse_multiplier(token.text) if id(token) not in labels else None
        if factor is None:
            continue
        seen = view(token.box, axis.orientation)
        across = seen.c1 >= edges[0] - 2 * size and seen.c0 <= edges[1] + 4 * size
        middle = (seen.u0 + seen.u1) / 2
        beyond = (middle - end) * (1 if axis.slope > 0 else -1)
        if across and -3 * size <= beyond <= 1.5 * axis.step_pt + 3 * size:
            return factor
    return 1.0


def multiplied(axis: Axis, factor: float) -> Axis:
    """The same axis with all its values multiplied."""
    if factor == 1.0 or axis.scale == "log":
        return axis
    ticks = tuple(replace(tick, value=tick.value * factor) for tick in axis.ticks)
    return replace(axis, slope=axis.slope / factor, ticks=ticks)
