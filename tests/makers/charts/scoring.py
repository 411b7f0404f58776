"""How well read charts agree with what is known of their page."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pipelines.extract.charts.chart import Chart, DrawnMark, RefusedChart
from pipelines.extract.charts.labels import Label

HALF_PERCENT = 0.005
BARS = ("bar", "grouped", "stacked")


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


def known_marks(truth: dict[str, Any]) -> list[Known]:
    """What a page with one chart is known to show, from the truth that `plans` writes."""
    values = [value for row in truth["values"] for value in row]
    low, high = (min(values), max(values)) if truth["log"] else (0.0, _axis_range(truth, values))
    return [
        Known(
            "bar" if truth["kind"] in BARS else "point", series,
            truth["categories"][place] if truth["categories"] else "", truth["xs"][place] if truth["xs"] else None,
            value, low, high, truth["log"], max(truth["xs"]) - min(truth["xs"]) if truth["xs"] else 0.0,
        )
        for series, row in zip(truth["series"], truth["values"], strict=True) for place, value in enumerate(row)
    ]  # fmt: skip


def _axis_range(truth: dict[str, Any], values: list[float]) -> float:
    """From the least to the greatest value shown, zero among them for bars."""
    if truth["kind"] == "stacked":
        values = [sum(column) for column in zip(*truth["values"], strict=True)]
    values = [0.0, *values] if truth["kind"] in BARS else values
    return max(values) - min(values)


@dataclass
class Tally:
    """Counts over the marks of pages laid out in other ways than one plot.

    Attributes:
        marks: Marks that readers can see.
        exact: Of these, marks with their value within 0.5% of the axis and their place on the other
            axis as near.
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


def tally_marks(
    known: Sequence[Known], charts: Sequence[Chart], refused: Sequence[RefusedChart]
) -> Tally:
    """How well what was read on a page agrees with the marks that it shows."""
    stored = [mark for chart in charts for mark in chart.marks]
    offers = sorted(
        (fault + 0.002 * ((_text(mark.series) or "") != item.series), i, j)
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
        for label, printed in (
            (stored[j].series, known[i].series),
            (stored[j].category, known[i].category),
        ):
            got = _text(label)
            if got == f"{known[i].x:g}" if known[i].x is not None else False:
                # The label of the scale at its place.
                got = None
            if printed:
                tally.labels += 1
                tally.right += got == printed
                tally.wrong += (got or printed) != printed
    return tally


def _text(label: Label | None) -> str | None:
    return label.text if label else None


def _fault(mark: DrawnMark, item: Known) -> float:
    """Distance of a stored mark from a shown one as a share of the axis; infinite for what stands
    elsewhere.
    """
    if (mark.kind == "bar") != (item.mark == "bar"):
        return math.inf
    if item.log:
        value = abs(math.log10(max(mark.value, 1e-12) / item.value)) / max(
            1.0, math.log10(item.high / item.low)
        )
    else:
        value = abs(mark.value - item.value) / (item.high - item.low)
    if item.x is not None and _text(mark.category) != f"{item.x:g}":
        if mark.x_value is None:
            return math.inf
        away = abs(mark.x_value - item.x)
        value += 0.0 if away <= max(HALF_PERCENT * item.x_range, 0.01 * abs(item.x)) else math.inf
    if item.category and _text(mark.category) not in (None, item.category):
        # Another bar of the same length is another bar.
        value += 0.001
    return value
