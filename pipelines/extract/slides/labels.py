"""What stands at a chart: headlines (`40x higher throughput`), labels that repeat them, axes, values at bars."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard

from pipelines.extract.named_quantities import QuantityName, read_name
from pipelines.extract.prose.comparisons import Comparison, find_comparisons
from pipelines.extract.prose.sentences import Section, Sentence
from pipelines.extract.slides.titles import printed
from pipelines.read.document import Cell, Line
from pipelines.values.numbers import FACTOR, NUMBER, parse_number, read_factor
from pipelines.values.quantity import Quantity

# `at lowest latency`, `with standard EN-B4`: what the comparison holds for
_CONDITION = re.compile(r"\b(?:at|with|using|under|when|for)\s[^|]*", re.IGNORECASE)
# A headline is a label; a longer line with a factor is prose, whose claims need their sentence.
_MAX_HEADLINE = 120


@dataclass(frozen=True, slots=True)
class Headline:
    """One factor of a headline.

    Attributes:
        cell: The printed factor with its bound (`>60x`).
        factor: The factor with its interval; 1.3 for `30% higher`.
        metric: Canonical metric, or None where the headline names none.
        condition: Words such as `at lowest latency`, as printed.
        text: The whole headline as printed.
        is_worse: True for `2x higher latency`: the deck's own system is never said to be the worse one.
    """

    cell: Cell
    factor: Quantity
    metric: str | None
    condition: str | None
    text: str
    is_worse: bool = False


def read_headlines(cell: Cell, following: str = "") -> list[Headline]:
    """The factors that a line claims, read as those of a sentence.

    Args:
        cell: The line.
        following: The next visible line: where it says `Higher Throughput`, a factor alone on its line is a headline.
    """
    if len(cell.text) > _MAX_HEADLINE or not any(map(str.isdigit, cell.text)):
        return []
    text = (
        f"{cell.text} {following.strip()}"
        if FACTOR.fullmatch(cell.text) and not FACTOR.search(following)
        else cell.text
    )
    sentence = Sentence(text, ((0, cell.line, cell.start, len(text)),), Section(), 0, 0)
    found = [each for each in find_comparisons(sentence, None, is_benchmark=True) if isinstance(each, Comparison)]
    ends = [*(each.factor.outer for each in found[1:]), len(text)]
    headlines = []
    for each, end in zip(found, ends, strict=False):
        condition = _CONDITION.search(text, each.factor.end, end)
        headlines.append(
            Headline(
                cell.part(each.factor.outer, each.factor.end),
                each.quantity,
                each.metric,
                printed(condition[0]).rstrip(" .,;") if condition else None,
                printed(text),
                each.is_reversed,
            )
        )
    return headlines


# `58`, `0 200 400 600 800`: a line of nothing but numbers
_NUMBERS = re.compile(rf"{NUMBER}(?:\s+{NUMBER})*")
# `2.6xA100`: bar label and name run together; only with a fraction, as `16xIPU-M2000` counts
_RUN_TOGETHER = re.compile(r"(?P<factor>[<>~]?\s*\d+\.\d+[xX×])(?=[^\W\d_])")
# `2x DGX A100`: a count and a system
_COUNTED = re.compile(r"(?P<count>\d{1,6})\s?[xX×]\s?(?P<name>[^\W\d].*)")
# Fewer numbers at equal steps may be bars.
_MIN_TICKS = 3
# What the ticks of a logarithmic axis are multiplied by, upwards or downwards.
_POWERS = frozenset({2.0, 10.0, 100.0, 1000.0, 0.5, 0.1, 0.01, 0.001})


@dataclass(frozen=True, slots=True)
class Repeat:
    """A bar label with the factor of a headline, or with no headline's (`headline` is None)."""

    cell: Cell
    factor: Quantity
    headline: Headline | None


@dataclass(frozen=True, slots=True)
class Bars:
    """Measured bars of a slide.

    Attributes:
        axes: Titles of its axes, such as `Throughput (images/sec)`.
        values: Numbers printed at bars, with their places.
        unsure: Numbers beyond the ticks of the axis, where no bar can end, and numbers in one run with a zero,
            which may be ticks.
        ticks: Numbers that are ticks of the axis.
    """

    axes: list[QuantityName]
    values: list[tuple[Cell, Quantity]]
    unsure: list[Cell]
    ticks: list[Cell]


def is_label(cell: Cell) -> bool:
    """True for what stands at a chart, not in notes: a factor in front, nothing but numbers, the title of an axis."""
    place = _factor_label(cell)
    if place and place.start == cell.start:
        return True
    return bool(_NUMBERS.fullmatch(cell.text)) or _is_axis_title(read_name(cell))


def read_repeats(lines: Iterable[Line], headlines: Sequence[Headline]) -> list[Repeat]:
    """The factors that stand at bars, with the headline that says the same; `1x` is the bar all are compared with."""
    repeats = []
    for line in lines:
        cell = line.cell
        if place := _factor_label(cell):
            match = FACTOR.fullmatch(place.text)
            factor = read_factor(match) if match else None
            if factor is None or factor.value == 1:
                continue
            headline = next((known for known in headlines if known.factor.value == factor.value), None)
            if headline or place == cell or _RUN_TOGETHER.match(cell.text):
                repeats.append(Repeat(place, factor, headline))
    return repeats


def counted_systems(lines: Iterable[Line]) -> list[tuple[int, str]]:
    """The labels that count systems, (2, `DGX A100`); a label that is the name alone counts one of them."""
    labels = [line.cell.text for line in lines]
    matches = (_COUNTED.fullmatch(label) for label in labels)
    counted = [(int(match["count"]), " ".join(match["name"].split())) for match in matches if match]
    names = {name.casefold() for _, name in counted}
    alone = (" ".join(label.split()) for label in labels)
    return counted + [(1, name) for name in alone if name.casefold() in names]


def read_bars(lines: Iterable[Line], on_axes: Collection[Cell] = ()) -> Bars:
    """The axes of a chart and the numbers at its bars, in lines that are no notes, headlines or page numbers.

    Args:
        lines: Lines of one slide.
        on_axes: Numbers that label an axis, where the drawing of the slide tells.
    """
    axes: list[QuantityName] = []
    groups: list[list[tuple[Cell, Quantity]]] = [[]]
    bars: list[tuple[Cell, Quantity]] = []
    ticks: list[tuple[Cell, Quantity]] = []
    for line in lines:
        if line.is_blank:
            continue
        if numbers := _numbers(line.cell):
            drawn = [number for number in numbers if number[0] in on_axes]
            if drawn:
                ticks += drawn
                groups.append([])
                numbers = [number for number in numbers if number not in drawn]
            if not numbers:
                continue
            if len(numbers) == 1:
                groups[-1] += numbers
                continue
            printed = [number for _, number in numbers]
            if _is_axis(printed) or any(number.value == 0 for number in printed):
                ticks += numbers
            else:
                bars += numbers
        elif _is_axis_title(heading := read_name(line.cell)):
            axes.append(heading)
        groups.append([])
    unsure: list[Cell] = []
    for group in groups:
        axis = _axis_within(group)
        ticks += group[axis]
        others = [*group[: axis.start], *group[axis.stop :]]
        if any(number.value == 0 for _, number in others):
            unsure += [cell for cell, _ in others]
        else:
            bars += others
    on_axis = [number.value for _, number in ticks]
    low, high = (min(on_axis), max(on_axis)) if on_axis else (0.0, math.inf)
    inside = [(cell, number) for cell, number in bars if low <= number.value <= high]
    unsure += [cell for cell, number in bars if not low <= number.value <= high]
    values = sorted(inside, key=lambda bar: (bar[0].line, bar[0].start))
    return Bars(axes, values, unsure, [cell for cell, _ in ticks])


def _is_axis_title(heading: QuantityName | None) -> TypeGuard[QuantityName]:
    return heading is not None and heading.metric is not None and heading.unit is not None


def _factor_label(cell: Cell) -> Cell | None:
    """The factor of a line that is one, starts with one run into a name, or ends with one."""
    if match := FACTOR.fullmatch(cell.text):
        return cell.matched(match).stripped()
    if match := _RUN_TOGETHER.match(cell.text):
        return cell.matched(match, "factor").stripped()
    factors = list(FACTOR.finditer(cell.text))
    if len(factors) == 1 and (factors[0].end() == len(cell.text) or "." in factors[0]["number"]):
        return cell.matched(factors[0]).stripped()
    return None


def _numbers(cell: Cell) -> list[tuple[Cell, Quantity]]:
    if not _NUMBERS.fullmatch(cell.text):
        return []
    parts = (cell.matched(match) for match in re.finditer(NUMBER, cell.text))
    return [(part, number) for part in parts if (number := parse_number(part.text))]


def _is_axis(values: Sequence[Quantity]) -> bool:
    """True for numbers at equal steps: `0 200 400 600 800`; or at equal powers: `10 100 1,000`, `1 2 4 8`."""
    pairs = list(pairwise(number.value for number in values))
    steps = {round(after - before, 9) for before, after in pairs}
    powers = {round(after / before, 9) if before else 0.0 for before, after in pairs}
    is_even = len(steps) == 1 and steps != {0.0}
    return len(values) >= _MIN_TICKS and (is_even or (len(powers) == 1 and powers <= _POWERS))


def _axis_within(group: Sequence[tuple[Cell, Quantity]]) -> slice:
    """The longest run of ticks among numbers that stand one per line; empty where there is none."""
    values = [number for _, number in group]
    runs = [
        slice(start, end)
        for start in range(len(values))
        for end in range(start + _MIN_TICKS, len(values) + 1)
        if _is_axis(values[start:end])
    ]
    return max(runs, key=lambda run: run.stop - run.start, default=slice(0, 0))
