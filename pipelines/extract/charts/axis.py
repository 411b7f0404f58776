"""A value axis: a straight scale, linear or log10, through printed numbers in one line, fitted to
its tick marks.

Values grow upwards here, and the labels are left of the plot; the mirrored page has those that grow
to the right and have their labels below (`plots.py`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product, takewhile
from statistics import linear_regression
from typing import Literal, NamedTuple

from pipelines.extract.charts.geometry import (
    ALIGNED,
    HALF,
    LONG,
    MOST,
    REACH,
    STRAIGHT,
    Stroke,
    grouped,
    is_near,
)
from pipelines.extract.charts.labels import (
    DecimalMark,
    Label,
    parse_label,
    parse_multiplier,
    words_of,
)
from pipelines.read.document import runs_of
from pipelines.read.page import Word

Scale = Literal["linear", "log"]

_MIN_TICKS = 3
# So many counted marks lie on no log scale by chance.
_COUNTED = 8
# More numbers in one line than these are a column of a table; a page has no more axes in each
# direction, and near an axis only as many strokes are compared with labels.
_MAX_LABELS, _MAX_AXES, _MAX_STROKES = 60, 48, 300
# A decimal point is tried before a decimal comma, a straight scale before a logarithmic one.
_MARKS: tuple[DecimalMark, ...] = (".", ",")
_SCALES: tuple[Scale, ...] = ("linear", "log")
# How far marks are from the middles of their labels, in heights of the text.
_MAX_SHIFT = 0.75
# How exactly labels are on their scale, as a share of it.
_MAX_RESIDUAL = 0.006
# Producers round positions to this at worst.
_POSITION = 0.12


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

    @classmethod
    def fitted(cls, scale: Scale, ys: Sequence[float], ticks: tuple[AxisTick, ...]) -> Axis:
        """The scale through ticks at positions, by least squares."""
        values = [_straight(tick.value, scale) for tick in ticks]
        slope, intercept = linear_regression(values, ys)
        faults = [abs(intercept + slope * value - y) for value, y in zip(values, ys, strict=True)]
        return cls(scale, intercept, slope, ticks, residual=max(faults))

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
        ys = [tick.y for tick in self.ticks]
        return min(ys), max(ys)

    @property
    def step_pt(self) -> float:
        """Mean distance of neighbouring ticks in points."""
        low, high = self.span
        return (high - low) / (len(self.ticks) - 1)

    @property
    def labels(self) -> list[Label]:
        """Its labels, in order of their values."""
        return [tick.label for tick in self.ticks]

    @property
    def label_edges(self) -> tuple[float, float]:
        """Left and right edge of its labels."""
        boxes = [label.box for label in self.labels]
        return min(box.x0 for box in boxes), max(box.x1 for box in boxes)

    @property
    def size(self) -> float:
        """Height of its labels."""
        return max(label.height for label in self.labels)

    @property
    def unit(self) -> str:
        """The unit printed with all ticks but zero; empty where there is none."""
        units = {tick.unit for tick in self.ticks if tick.value != 0}
        return units.pop() if len(units) == 1 else ""

    @property
    def words(self) -> set[Word]:
        """The words of its labels, and of the factor at its end."""
        return words_of((*self.labels, *self.factor_at))

    def multiplied(self, numbers: Sequence[Label]) -> Axis:
        """The axis with its values multiplied by the factor at its upper end (`1e6` above it), if
        there is one.
        """
        (left, right), size = self.label_edges, self.size
        for label in numbers if self.scale == "linear" else ():
            factor, box = parse_multiplier(label.text), label.box
            beyond = self.ticks[-1].y - box.y
            is_at_end = -3 * size <= beyond <= 1.5 * self.step_pt + 3 * size
            is_in_line = box.x1 >= left - 2 * size and box.x0 <= right + 4 * size
            if factor is not None and is_at_end and is_in_line:
                ticks = tuple(tick._replace(value=tick.value * factor) for tick in self.ticks)
                return self._replace(slope=self.slope / factor, ticks=ticks, factor_at=(label,))
        return self

    def from_foot(self, foot: Stroke) -> Axis:
        """An axis without tick marks, moved such that its value zero is at the common foot of bars;
        unchanged where its labels say nothing of zero, or are not straight.
        """
        if self.residual > STRAIGHT or all(tick.value for tick in self.ticks):
            return self
        shift = foot.at - self.intercept
        ticks = tuple(tick._replace(y=tick.y + shift) for tick in self.ticks)
        return self._replace(intercept=foot.at, ticks=ticks, marks=(foot,))

    def across(self) -> Axis:
        """The axis as a scale across the sheet that is the mirror image of its own."""
        ticks = tuple(tick._replace(y=-tick.y, label=tick.label.mirrored()) for tick in self.ticks)
        return self._replace(intercept=-self.intercept, slope=-self.slope, ticks=ticks)

    def measure(self, y: float, start: float | None) -> tuple[float, float, float]:
        """The value of a mark at a position, the least and the greatest one; of a stacked bar from
        its `start`.
        """
        slack, value = self.residual + _POSITION, self.value(y)
        low, high = sorted((self.value(y - slack), self.value(y + slack)))
        if start is None:
            return value, low, high
        # Both ends of a piece are off by the same fault of the scale, so only the rounding counts
        # twice.
        value, slack = value - self.value(start), (high - low) / 2
        return value, value - slack, value + slack


def find_axes(numbers: Sequence[Label], strokes: Sequence[Stroke]) -> list[Axis]:
    """Every run of labels that is a scale, best supported first; no label belongs to two of them.

    Args:
        numbers: Numbers printed on the page.
        strokes: Level strokes.
    """
    # A number such as `0.5` says what the decimal mark of the page is.
    read = {mark: {n for n in numbers if parse_label(n.text, mark)} for mark in _MARKS}
    marks = [mark for mark, other in (_MARKS, _MARKS[::-1]) if read[mark] - read[other]]
    found = [
        _on_marks(axis, strokes)
        for column in _columns(numbers)
        for axis in _scales_in(column, marks or _MARKS)
    ]
    found.sort(key=lambda axis: (not axis.marks, -len(axis.ticks), axis.residual))
    chosen: list[Axis] = []
    used: set[Label] = set()
    for axis in found:
        if used.isdisjoint(axis.labels):
            chosen.append(axis)
            used.update(axis.labels)
    for power in numbers:
        if power not in used and power.text.startswith("10^"):
            scales = _scales_in(list(_counted(power, strokes)), _MARKS[:1])
            chosen += [
                axis
                for axis in (_on_marks(scale, strokes) for scale in scales)
                if len(axis.marks) >= _COUNTED and axis.words
            ]
    return chosen[:_MAX_AXES]


def _counted(power: Label, strokes: Sequence[Stroke]) -> Iterator[Label]:
    """Labels for the marks in the line of one at a power of ten: counted from there, they are the
    numbers from 1 to 9 of each decade. Only its own has words.
    """
    read = parse_label(power.text)
    near = [s for s in strokes if s.length < LONG and -2 <= s.start - power.box.x1 <= REACH]
    level = [s for s in near if abs(s.at - power.box.y) <= _MAX_SHIFT * power.height]
    if read is None or not level:
        return
    first = max(level, key=lambda stroke: stroke.length)
    line = sorted(s.at for s in near if abs(s.end - first.end) <= STRAIGHT)[::-1]
    for k, at in enumerate(line, -line.index(first.at)):
        label = power._replace(box=power.box._replace(top=at, bottom=at))
        yield (
            label._replace(text=f"{(1 + k % 9) * 10.0 ** (k // 9) * read.value:g}", words=())
            if k
            else label
        )


def _columns(numbers: Sequence[Label]) -> Iterator[list[Label]]:
    """Numbers of one size and direction whose right or left ends are on one upright line."""
    looks: defaultdict[tuple[int, int], list[Label]] = defaultdict(list)
    for number in numbers:
        looks[number.angle, round(number.height * 2)].append(number)
    for look, edge in product(looks.values(), (2, 0)):
        yield from _runs(look, edge)


def _runs(look: Sequence[Label], edge: int) -> list[list[Label]]:
    """As many labels as an axis has that end, or begin, on one upright line."""
    ordered = sorted(look, key=lambda label: label.box[edge])
    runs = runs_of(ordered, lambda run, one: one.box[edge] - run[-1].box[edge] <= ALIGNED)
    return [run for run in runs if _MIN_TICKS <= len(run) <= _MAX_LABELS]


def _scales_in(column: Sequence[Label], marks: Sequence[DecimalMark]) -> Iterator[Axis]:
    """The scales within a column of labels; one column of a page may hold those of several charts."""
    left = sorted(column, key=lambda label: label.box.y)
    while left:
        scales = [_best_scale(left, scale, mark) for mark, scale in product(marks, _SCALES)]
        found = [axis for axis in scales if axis]
        if not found:
            return
        best = max(found, key=lambda axis: len(axis.ticks))
        # `1.000` alone on its page is one or a thousand; `1,000` is a thousand.
        ends = {axis.ticks[-1].value for axis in found if len(axis.ticks) == len(best.ticks)}
        if len(ends) == 1 or not all("." in tick.label.text for tick in best.ticks if tick.value):
            yield best
        left = [label for label in left if label not in best.labels]


def _best_scale(labels: Sequence[Label], scale: Scale, mark: DecimalMark) -> Axis | None:
    """The scale that most labels lie on, one after the other; None where fewer than three do."""
    ticks: list[AxisTick] = []
    for label in labels:
        read = parse_label(label.text, mark)
        if read and (scale == "linear" or read.value > 0):
            ticks.append(AxisTick(label.box.y, read.value, label, read.unit))
    runs = [_run(ticks[start:], scale) for start in range(len(ticks) - 1)]
    best = max(runs, key=len, default=[])
    if len(best) < _MIN_TICKS:
        return None
    ticks = best[::-1]
    axis = Axis.fitted(scale, [tick.y for tick in ticks], tuple(ticks))
    low, high = axis.span
    # Each number is near the line through the two before it, and yet all may be on a curve.
    return axis if axis.residual <= max(HALF, _MAX_RESIDUAL * (high - low)) else None


def _run(ticks: Sequence[AxisTick], scale: Scale) -> list[AxisTick]:
    """The first ticks that are on one scale, whose values grow upwards."""
    first, second = ticks[:2]
    origin = _straight(first.value, scale)
    step, pitch = origin - _straight(second.value, scale), second.y - first.y
    if step <= 0 or pitch == 0:
        return []

    def is_on_scale(tick: AxisTick) -> bool:
        steps = (origin - _straight(tick.value, scale)) / step
        # A pair close together says little of the far end: the line may turn by the fault of both
        # labels.
        return abs(first.y + pitch * steps - tick.y) <= 0.45 * max(1.0, min(steps, 6.0))

    return list(takewhile(is_on_scale, ticks))


def _straight(value: float, scale: Scale) -> float:
    """What is straight on the scale: the value, or its logarithm to base ten."""
    return math.log10(value) if scale == "log" else value


def _on_marks(axis: Axis, strokes: Sequence[Stroke]) -> Axis:
    """The axis fitted again to the marks beside its labels; unchanged where there are none.

    The middle of a text is not the middle of its digits, so all labels are off by one and the same
    shift. The marks of one axis are of one length and colour and begin at one place; the signs of a
    legend of numbers are of several colours, and the edge of a bar that happens to lie at a tick is
    no mark.
    """
    (left, right), (low, high), step = axis.label_edges, axis.span, axis.step_pt
    near = [
        s
        for s in strokes
        if low - step <= s.at <= high + step and s.end >= left - REACH and s.start <= right + REACH
    ]
    looks = grouped(
        near[:_MAX_STROKES],
        lambda look, s: is_near(look[0][1:3], s[1:3], 1) and look[0].colour == s.colour,
    )
    found: list[Axis] = []
    for look in looks:
        first, gap = look[0], look[0].start - right
        # Marks begin just behind the labels, or are gridlines.
        is_grid = gap < 0 and right < first.end and first.length > 40
        if not (is_grid or -2 <= gap <= REACH):
            continue
        # Shifts worth trying are those that bring one of the first labels or the last one to a
        # mark.
        offs = [s.at - tick.y for tick in (*axis.ticks[:2], axis.ticks[-1]) for s in look]
        shifts = {round(off, 2): off for off in offs if abs(off) <= _MAX_SHIFT * axis.size}
        found += filter(None, (_moved(axis, look, shift) for shift in shifts.values()))

    def support(moved: Axis) -> tuple[float, ...]:
        # Major ticks are longer than the minor ones beside them; labels between plots are of the
        # nearer.
        longest = max(mark.length for mark in moved.marks)
        return len(moved.marks), round(longest), -abs(moved.marks[0].start - right)

    best = max(found, key=support, default=axis)
    # Numbers that are no steps of a scale may lie on one by chance.
    return best if best.residual <= STRAIGHT else axis


def _moved(axis: Axis, look: Sequence[Stroke], shift: float) -> Axis | None:
    """The axis on the strokes at its labels under one shift; None where most labels have none."""
    pairs: list[tuple[Stroke, AxisTick]] = []
    for tick in axis.ticks:
        nearest = min(look, key=lambda stroke: abs(stroke.at - tick.y - shift))
        if abs(nearest.at - tick.y - shift) <= HALF:
            pairs.append((nearest, tick))
    if len(pairs) < max(_MIN_TICKS, MOST * len(axis.ticks)):
        return None
    marks, ticks = zip(*pairs, strict=True)
    moved = Axis.fitted(axis.scale, [mark.at for mark in marks], ticks)
    ticks = tuple(tick._replace(y=moved.position(tick.value)) for tick in axis.ticks)
    return moved._replace(ticks=ticks, marks=marks)
