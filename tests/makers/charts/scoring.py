"""How well a read chart agrees with what is known of it."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pipelines.extract.charts.chart import Chart, DrawnMark, RefusedChart

# Points of a line are told apart by their place on the other axis, to this part of it.
SAME_X = 0.02
HALF_PERCENT = 0.005
UNKNOWN = "unknown"


@dataclass
class Score:
    """Counts over marks (bars or points) and their labels.

    Attributes:
        marks: Marks that the chart is known to have.
        found: Of these, marks that were found.
        half: Marks within 0.5% of the axis range.
        one: Marks within 1% of it.
        extra: Marks that were found and are not in the chart.
        labels: Categories and series names that the chart prints at found marks.
        right: Of these, labels read exactly.
        wrong: Labels read as something else; the rest is unknown.
        printed: Numbers printed at found marks.
        printed_right: Of these, numbers found at their mark.
    """

    marks: int = 0
    found: int = 0
    half: int = 0
    one: int = 0
    extra: int = 0
    labels: int = 0
    right: int = 0
    wrong: int = 0
    printed: int = 0
    printed_right: int = 0

    def add(self, other: Score) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


@dataclass(frozen=True)
class _Known:
    series: str
    category: str
    x: float | None
    value: float


def score_chart(truth: dict[str, Any], charts: Sequence[Chart]) -> Score:
    """The score of one page with one chart.

    Args:
        truth: What the chart shows, as `plans.Plan.truth` writes it.
        charts: What was read on its page.
    """
    known = _known(truth)
    left = [mark for chart in charts for mark in chart.marks]
    pairs: list[tuple[_Known, DrawnMark | None]] = []
    # First what agrees in its labels, then whatever value is nearest, so that a wrong label is counted as one.
    waiting = []
    for item in known:
        same = [m for m in left if _is_at(m, item, truth) and (m.series or UNKNOWN) == item.series]
        best = min(same, key=lambda m: _distance(m, item, truth), default=None)
        if best is None:
            waiting.append(item)
        else:
            left.remove(best)
            pairs.append((item, best))
    for item in waiting:
        near = [m for m in left if item.x is None or _is_at(m, item, truth)]
        # Of two marks of one value the one at its own label.
        best = min(near, key=lambda m: (round(_distance(m, item, truth), 4), m.category != item.category), default=None)
        if best is not None:
            left.remove(best)
        pairs.append((item, best))
    score = Score(marks=len(known), extra=len(left))
    for item, mark in pairs:
        if mark is not None:
            _count(score, item, mark, truth)
    return score


def _known(truth: dict[str, Any]) -> list[_Known]:
    found = []
    for series, row in zip(truth["series"], truth["values"], strict=True):
        for place, value in enumerate(row):
            category = truth["categories"][place] if truth["categories"] else ""
            x = truth["xs"][place] if truth["xs"] else None
            found.append(_Known(series or UNKNOWN, category, x, value))
    return found


def _is_at(mark: DrawnMark, item: _Known, truth: dict[str, Any]) -> bool:
    if item.x is None:
        return (mark.category or UNKNOWN) == item.category
    reach = SAME_X * (max(truth["xs"]) - min(truth["xs"]))
    return mark.x_value is not None and abs(mark.x_value - item.x) <= reach


def axis_range(truth: dict[str, Any]) -> float:
    """What faults are measured against: from the least to the greatest value shown, zero among them for bars."""
    values = [v for row in truth["values"] for v in row]
    if truth["log"]:
        return max(1.0, math.log10(max(values)) - math.log10(min(values)))
    if truth["kind"] == "stacked":
        values = [sum(column) for column in zip(*truth["values"], strict=True)]
    if truth["kind"] in ("bar", "grouped", "stacked"):
        values = [0.0, *values]
    return max(values) - min(values)


def _distance(mark: DrawnMark, item: _Known, truth: dict[str, Any]) -> float:
    if truth["log"]:
        if mark.value <= 0:
            return math.inf
        return abs(math.log10(mark.value) - math.log10(item.value)) / axis_range(truth)
    return abs(mark.value - item.value) / axis_range(truth)


def _count(score: Score, item: _Known, mark: DrawnMark, truth: dict[str, Any]) -> None:
    fault = _distance(mark, item, truth)
    score.found += 1
    score.half += fault <= 0.005
    score.one += fault <= 0.01
    expected = [(mark.series, item.series)]
    if item.category:
        expected.append((mark.category, item.category))
    for got, printed in expected:
        score.labels += 1
        score.right += (got or UNKNOWN) == printed
        score.wrong += (got or UNKNOWN) not in (printed, UNKNOWN)
    if truth.get("printed"):
        score.printed += 1
        # What is printed is rounded by the producer.
        score.printed_right += mark.printed is not None and mark.printed.low <= item.value <= mark.printed.high


@dataclass(frozen=True)
class Known:
    """One bar or point that a reader can see on a page with one or more plots.

    Attributes:
        mark: `bar` or `point`.
        series: Name that the legend gives it; empty without one.
        category: Label at its place; empty for a number.
        x: Number on the other axis; None for a label.
        value: What it shows.
        low: Lower end of its value axis.
        high: Upper end of its value axis.
        log: True for a value axis to base ten.
        x_range: Length of the other axis where it is a scale; 0 elsewhere.
    """

    mark: str
    series: str
    category: str
    x: float | None
    value: float
    low: float
    high: float
    log: bool
    x_range: float


def read_marks(path: Path) -> list[Known]:
    """What a page is known to show, one mark per row."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Known(
                row["mark"], row["series"], row["category"], float(row["x"]) if row["x"] else None,
                *(float(row[name]) for name in ("value", "low", "high")), row["log"] == "True", float(row["x_range"]),
            )
            for row in csv.DictReader(file)
        ]  # fmt: skip


@dataclass
class Tally:
    """Counts over the marks of pages laid out in other ways than one plot.

    Attributes:
        marks: Marks that readers can see.
        exact: Of these, marks with their value within 0.5% of the axis and their place on the other axis as near.
        false: Marks that were stored and are not shown there.
        missing: Marks that were not stored, or without their place.
        silent: Of these, marks that no refusal counts either.
        labels: Categories and series that are printed at exact marks.
        right: Of these, labels read exactly.
        wrong: Labels read as something else.
    """

    marks: int = 0
    exact: int = 0
    false: int = 0
    missing: int = 0
    silent: int = 0
    labels: int = 0
    right: int = 0
    wrong: int = 0

    def add(self, other: Tally) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def tally_marks(known: Sequence[Known], charts: Sequence[Chart], refused: Sequence[RefusedChart]) -> Tally:
    """How well what was read on a page agrees with the marks that it shows."""
    stored = [mark for chart in charts for mark in chart.marks]
    offers = sorted(
        (fault + 0.002 * ((mark.series or "") != item.series), i, j)
        for i, item in enumerate(known)
        for j, mark in enumerate(stored)
        if (fault := _fault(mark, item)) <= HALF_PERCENT
    )
    matched: dict[int, int] = {}
    used: set[int] = set()
    for _, i, j in offers:
        if i not in matched and j not in used:
            matched[i] = j
            used.add(j)
    tally = Tally(marks=len(known), exact=len(matched), missing=len(known) - len(matched))
    tally.false = len(stored) - len(used)
    tally.silent = max(0, tally.missing - sum(refusal.marks for refusal in refused))
    for i, j in matched.items():
        for got, printed in ((stored[j].series, known[i].series), (stored[j].category, known[i].category)):
            if got == f"{known[i].x:g}" if known[i].x is not None else False:
                # The label of the scale at its place.
                got = None
            if printed:
                tally.labels += 1
                tally.right += got == printed
                tally.wrong += (got or printed) != printed
    return tally


def _fault(mark: DrawnMark, item: Known) -> float:
    """Distance of a stored mark from a shown one as a share of the axis; infinite for what stands elsewhere."""
    if (mark.kind == "bar") != (item.mark == "bar"):
        return math.inf
    if item.log:
        value = abs(math.log10(max(mark.value, 1e-12) / item.value)) / max(1.0, math.log10(item.high / item.low))
    else:
        value = abs(mark.value - item.value) / (item.high - item.low)
    if item.x is not None and mark.category != f"{item.x:g}":
        if mark.x_value is None:
            return math.inf
        away = abs(mark.x_value - item.x)
        value += 0.0 if away <= max(HALF_PERCENT * item.x_range, 0.01 * abs(item.x)) else math.inf
    if item.category and mark.category not in (None, item.category):
        # Another bar of the same length is another bar.
        value += 0.001
    return value
