"""From a printed factor and the direction of its words to the better side's advantage. Words: `comparisons.py`."""

from __future__ import annotations

from typing import Literal

from pipelines.extract.prose.factors import Factor
from pipelines.extract.prose.metrics import is_expense, is_lower_better, is_performance
from pipelines.values.quantity import Quantity

# up: more, higher. down: lower, less. good: better, improvement. fast: faster, speedup. bad: slower, worse.
# part: `90% as fast as`, where the percentage is no gain but a part of the other side.
Direction = Literal["up", "down", "good", "fast", "bad", "part"]


def unreadable(factor: Factor, metric: str | None, direction: Direction) -> str | None:
    """Why the factor is no ratio of performance or price, in a sentence; None where it is one."""
    if metric is not None and not is_performance(metric) and not is_expense(metric):
        return f"a difference in {metric} is no ratio of performance"
    if metric is None and direction in ("up", "down"):
        return "the quantity that is compared is no metric of the vocabulary"
    if factor.kind != "percent":
        return None
    if direction == "part":
        return "a part of what the other side reaches is no gain"
    if direction == "down" and factor.quantity.value >= 100:
        return "nothing can be reduced by a hundred per cent or more"
    return None


def is_disadvantage(metric: str | None, direction: Direction) -> bool:
    """True where the side that the words are about is the worse one: `3x slower`, `20% lower throughput`."""
    if direction in ("up", "down") and metric is not None:
        return (direction == "up") == is_lower_better(metric)
    return direction == "bad"


def advantage(factor: Factor, direction: Direction, metric: str | None = None) -> Quantity:
    """The ratio with its interval: `2.6x` is 2.6, `31%` more 1.31, a reduction by `45%` 1 / (1 - 0.45).

    A time that is `31% faster` may take 31% less, or do 31% more in the same: it is both and all between.
    """
    quantity = factor.quantity
    if factor.kind != "percent":
        return quantity
    if direction in ("fast", "good") and is_lower_better(metric) and quantity.value < 100:
        ends = [round(1 + end / 100, 9) for end in (quantity.value, quantity.low)] + [_one_over_rest(quantity.high)]
    elif direction == "down":
        ends = [_one_over_rest(end) for end in (quantity.value, quantity.low, quantity.high)]
    else:
        ends = [round(1 + end / 100, 9) for end in (quantity.value, quantity.low, quantity.high)]
    return Quantity(ends[0], ends[1], ends[2], quantity.bound)


def _one_over_rest(percent: float) -> float:
    return float("inf") if percent >= 100 else 1 / (1 - percent / 100)
