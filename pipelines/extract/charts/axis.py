"""A value axis: a straight scale, linear or log10, through printed numbers in one line, fitted to
its tick marks.

Values grow upwards here, and the labels are left of the plot; the mirrored page has those that grow
to the right and have their labels below (`plots.py`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product, takewhile
from operator import attrgetter
from statistics import linear_regression
from typing import Literal, NamedTuple

from pipelines.extract.charts.geometry import Stroke, grouped, is_near
from pipelines.extract.charts.labels import DecimalMark, Label, parse_label, parse_multiplier
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Word

Scale = Literal["linear", "log"]

MIN_TICKS = 3
# More numbers in one line than these are a column of a table.
_MAX_LABELS = 60
# A decimal point is tried before a decimal comma, a straight scale before a logarithmic one.
_MARKS: tuple[DecimalMark, ...] = (".", ",")
_SCALES: tuple[Scale, ...] = ("linear", "log")


class AxisTick(NamedTuple):
    """One tick: where it is along the axis, its value, its label, and the unit printed with it."""

    y: float
    value: float
    label: Label
    unit: str


class Axis(NamedTuple):
    """A straight scale.

    Attributes:
        scale: `linear` or `log` (to base ten).
        intercept: Position of value 0 (linear) or 1 (log) along the axis.
        slope: Points per unit or per decade; negative where values grow upwards.
        ticks: Its ticks, in order of their values; positions are those of the marks where there are
            any.
        marks: The tick marks and gridlines that it is fitted to; without them its values are not
            exact.
        residual: Largest distance of a tick from the scale, in points.
        factor_at: The factor of its labels (`1e6`), where one is printed at its upper end.
    """

    scale: Scale
    intercept: float
    slope: float
    ticks: tuple[AxisTick, ...]
    marks: tuple[Stroke, ...] = ()
    residual: float = 0.0
    factor_at: tuple[Label, ...] = ()

    def value(self, y: float) -> float:
        """The value at a position."""
        plain = (y - self.intercept) / self.slope
        if self.scale == "linear":
            return plain
        return 10.0**plain if abs(plain) < 300 else math.inf

    def position(self, value: float) -> float:
        """Where a value is; on a log scale it is greater than zero."""
        return self.intercept + self.slope * _straight(value, self.scale)

    @property
    def span(self) -> tuple[float, float]:
        """Positions of the outermost ticks, in order on the page."""
        first, last = sorted((self.ticks[0].y, self.ticks[-1].y))
        return first, last

    @property
    def step_pt(self) -> float:
        """Mean distance of neighbouring ticks in points."""
        return (self.span[1] - self.span[0]) / (len(self.ticks) - 1)

    @property
    def label_edges(self) -> tuple[float, float]:
        """Left and right edge of its labels."""
        return min(tick.label.box.x0 for tick in self.ticks), max(
            tick.label.box.x1 for tick in self.ticks
        )

    @property
    def size(self) -> float:
        """Height of its labels."""
        return max(tick.label.height for tick in self.ticks)

    @property
    def unit(self) -> str:
        """The unit printed with all ticks but zero; empty where there is none."""
        units = {tick.unit for tick in self.ticks if tick.value != 0}
        return units.pop() if len(units) == 1 else ""

    @property
    def words(self) -> set[Word]:
        """The words of its labels, and of the factor at its end."""
        return {
            word
            for label in (*(tick.label for tick in self.ticks), *self.factor_at)
            for word in label.words
        }

    def multiplied(self, numbers: Sequence[Label]) -> Axis:
        """The axis with its values multiplied by the factor at its upper end (`1e6` above it), if
        there is one.
        """
        left, right = self.label_edges
        for label in numbers if self.scale == "linear" else ():
            beyond = (label.box.y - self.ticks[-1].y) * (1 if self.slope > 0 else -1)
            is_at_end = -3 * self.size <= beyond <= 1.5 * self.step_pt + 3 * self.size
            is_in_line = (
                label.box.x1 >= left - 2 * self.size and label.box.x0 <= right + 4 * self.size
            )
            if is_at_end and is_in_line and (factor := parse_multiplier(label.text)) is not None:
                ticks = tuple(tick._replace(value=tick.value * factor) for tick in self.ticks)
                return self._replace(slope=self.slope / factor, ticks=ticks, factor_at=(label,))
        return self

    def across(self) -> Axis:
        """The axis as a scale across the sheet that is the mirror image of its own."""
        ticks = tuple(tick._replace(y=-tick.y, label=tick.label.mirrored()) for tick in self.ticks)
        return self._replace(intercept=-self.intercept, slope=-self.slope, ticks=ticks)

    def measure(self, y: float, start: float | None = None) -> tuple[float, float, float]:
        """The value of a mark at a position, the least and the greatest one; of a stacked bar from
        its `start`.
        """
        slack, value = self.residual + SETTINGS.position, self.value(y)
        low, high = sorted((self.value(y - slack), self.value(y + slack)))
        if start is None:
            return value, low, high
        # Both ends of a piece are off by the same fault of the scale, so only the rounding counts
        # twice.
        value -= self.value(start)
        return value, value - (high - low) / 2, value + (high - low) / 2


def find_axes(numbers: Sequence[Label], strokes: Sequence[Stroke]) -> list[Axis]:
    """Every run of labels that is a scale, best supported first; no label belongs to two of them.

    Args:
        numbers: Numbers printed on the page.
        strokes: Level strokes.
    """
    # A number such as `0.5` says what the decimal mark of the page is.
    read = [[parse_label(number.text, mark) for mark in _MARKS] for number in numbers]
    marks = [
        mark
        for place, mark in enumerate(_MARKS)
        if any(one[place] and not one[1 - place] for one in read)
    ]
    found = [
        _on_marks(axis, strokes)
        for line in _aligned(numbers)
        for axis in _scales_in(line, marks or _MARKS)
    ]
    found.sort(key=lambda axis: (not axis.marks, -len(axis.ticks), axis.residual))
    chosen: list[Axis] = []
    used: set[int] = set()
    for axis in found:
        labels = {id(tick.label) for tick in axis.ticks}
        if not labels & used:
            chosen.append(axis)
            used |= labels
    return chosen[: SETTINGS.max_axes]


def _aligned(numbers: Sequence[Label]) -> Iterator[list[Label]]:
    """Numbers of one size and direction whose right or left ends are on one upright line, in order."""
    looks: defaultdict[tuple[int, int], list[Label]] = defaultdict(list)
    for number in numbers:
        looks[number.angle, round(number.height * 2)].append(number)
    for look, edge in product(looks.values(), ("x1", "x0")):
        end = attrgetter(f"box.{edge}")
        yield from (
            run for run in _runs(sorted(look, key=end), end) if MIN_TICKS <= len(run) <= _MAX_LABELS
        )


def _runs(line: Sequence[Label], end: Callable[[Label], float]) -> list[list[Label]]:
    return grouped(line, lambda run, label: end(label) - end(run[-1]) <= SETTINGS.aligned, 1)


def _scales_in(line: Sequence[Label], marks: Sequence[DecimalMark]) -> Iterator[Axis]:
    """The scales within one line of labels; one column of a page may hold those of several charts."""
    left = list(line)
    while len(left) >= MIN_TICKS:
        found = [
            axis
            for mark, scale in product(marks, _SCALES)
            if (axis := _best_scale(left, scale, mark))
        ]
        if not found:
            return
        best = max(found, key=lambda axis: len(axis.ticks))
        # `1.000` alone on its page is one or a thousand; `1,000` is a thousand.
        ends = {axis.ticks[-1].value for axis in found if len(axis.ticks) == len(best.ticks)}
        if len(ends) == 1 or not all("." in tick.label.text for tick in best.ticks if tick.value):
            yield best
        taken = {id(tick.label) for tick in best.ticks}
        left = [label for label in left if id(label) not in taken]


def _best_scale(labels: Sequence[Label], scale: Scale, mark: DecimalMark) -> Axis | None:
    """The scale that most labels lie on, one after the other; None where fewer than three do."""
    read = (
        (label, parse_label(label.text, mark))
        for label in sorted(labels, key=lambda label: label.box.y)
    )
    ticks = [
        AxisTick(t.box.y, v.value, t, v.unit)
        for t, v in read
        if v and (scale == "linear" or v.value > 0)
    ]
    best = max((_run(ticks[start:], scale) for start in range(len(ticks) - 1)), key=len, default=[])
    if len(best) < MIN_TICKS:
        return None
    intercept, slope, residual = _fit([(t.y, t.value) for t in best], scale)
    axis = Axis(scale, intercept, slope, tuple(best[::-1]), residual=residual)
    low, high = axis.span
    return axis if residual <= max(SETTINGS.half, SETTINGS.max_residual * (high - low)) else None


def _run(ticks: Sequence[AxisTick], scale: Scale) -> list[AxisTick]:
    """The first ticks that are on one scale, whose values grow upwards."""
    first, second = ticks[:2]
    origin, step = (
        _straight(first.value, scale),
        _straight(first.value, scale) - _straight(second.value, scale),
    )
    if step <= 0 or first.y == second.y:
        return []

    def is_on_scale(tick: AxisTick) -> bool:
        steps = (origin - _straight(tick.value, scale)) / step
        # A pair close together says little of the far end: the line may turn by the fault of both
        # labels.
        return abs(first.y + (second.y - first.y) * steps - tick.y) <= 0.45 * max(
            1.0, min(steps, 6.0)
        )

    run = list(takewhile(is_on_scale, ticks))
    return run if len({tick.value for tick in run}) == len(run) else []


def _straight(value: float, scale: Scale) -> float:
    """What is straight on the scale: the value, or its logarithm to base ten."""
    return math.log10(value) if scale == "log" else value


def _fit(points: Sequence[tuple[float, float]], scale: Scale) -> tuple[float, float, float]:
    """Least squares: position of value 0 (or 1), points per unit (or decade), largest distance in
    points.
    """
    ys, xs = [y for y, _ in points], [_straight(value, scale) for _, value in points]
    slope, intercept = linear_regression(xs, ys)
    return (
        intercept,
        slope,
        max(abs(intercept + slope * x - y) for x, y in zip(xs, ys, strict=True)),
    )


def _on_marks(axis: Axis, strokes: Sequence[Stroke]) -> Axis:
    """The axis fitted again to the marks beside its labels; unchanged where there are none.

    The middle of a text is not the middle of its digits, so all labels are off by one and the same
    shift. The marks of one axis are of one length and colour and begin at one place; the signs of a
    legend of numbers are of several colours, and the edge of a bar that happens to lie at a tick is
    no mark.
    """
    (left, right), (low, high), reach = axis.label_edges, axis.span, SETTINGS.reach
    near = [
        s for s in strokes
        if low - axis.step_pt <= s.at <= high + axis.step_pt and s.end >= left - reach and s.start <= right + reach
    ]  # fmt: skip
    looks = grouped(
        near[: SETTINGS.max_strokes],
        lambda look, s: is_near(look[0][1:3], s[1:3], 1) and look[0].colour == s.colour,
    )
    found: list[tuple[tuple[float, ...], Axis]] = []
    for look in looks:
        # Marks begin just behind the labels, or are gridlines.
        gap = look[0].start - right
        if not (-2 <= gap <= reach or (gap < 0 and right < look[0].end and look[0].length > 40)):
            continue
        # Shifts worth trying are those that bring one of the first labels or the last one to a
        # mark.
        offs = (s.at - tick.y for tick in (*axis.ticks[:2], axis.ticks[-1]) for s in look)
        for shift in {
            round(off, 2): off for off in offs if abs(off) <= SETTINGS.max_shift * axis.size
        }.values():
            if moved := _moved(axis, look, shift):
                # Major ticks are longer than the minor ones beside them; labels between plots are
                # of the nearer.
                found.append(
                    (
                        (len(moved.marks), round(max(s.length for s in moved.marks)), -abs(gap)),
                        moved,
                    )
                )
    best = max(found, key=lambda ranked: ranked[0], default=((), axis))[1]
    # Numbers that are no steps of a scale may lie on one by chance.
    return best if best.residual <= SETTINGS.straight else axis


def _moved(axis: Axis, look: Sequence[Stroke], shift: float) -> Axis | None:
    """The axis on the strokes at its labels under one shift; None where most labels have none."""
    pairs: list[tuple[Stroke, AxisTick]] = []
    for tick in axis.ticks:
        nearest = min(look, key=lambda stroke: abs(stroke.at - tick.y - shift))
        if abs(nearest.at - tick.y - shift) <= SETTINGS.half:
            pairs.append((nearest, tick))
    if len(pairs) < max(MIN_TICKS, SETTINGS.most * len(axis.ticks)):
        return None
    intercept, slope, residual = _fit(
        [(stroke.at, tick.value) for stroke, tick in pairs], axis.scale
    )
    marks = tuple(stroke for stroke, _ in pairs)
    moved = axis._replace(intercept=intercept, slope=slope, residual=residual, marks=marks)
    return moved._replace(
        ticks=tuple(tick._replace(y=moved.position(tick.value)) for tick in axis.ticks)
    )
