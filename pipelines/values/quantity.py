"""A number with the interval that its printed form allows. How it is printed belongs in the sibling
modules.
"""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Literal, NamedTuple

from pipelines.yaml_files import load_yaml

Bound = Literal["eq", "gt", "lt", "approx", "up_to"]

_WORDS: dict[Bound, list[str]] = load_yaml(Path(__file__).with_name("bounds.yml"))
# The words of `bounds.yml` before a number, by what they say of it.
BOUND_WORDS: dict[str, Bound] = {}
for _bound, _words in _WORDS.items():
    BOUND_WORDS |= dict.fromkeys(_words, _bound)
# Bounds that stay close to the number: "just over 9 minutes" is below 10 minutes, not anything
# above 9.
NEAR_BOUNDS = frozenset({"just over", "just under"})


class Quantity(NamedTuple):
    """A printed number.

    Attributes:
        value: The number as printed, in the unit of the context.
        low: Least value that the printed form allows.
        high: Greatest value that the printed form allows; `inf` for "over 5".
        bound: `eq` for a plain number, else what the word before it says.
    """

    value: float
    low: float
    high: float
    bound: Bound = "eq"

    def scaled(self, factor: float) -> Quantity:
        """The same quantity in another unit. `factor` is greater than zero."""
        if factor == 1:
            return self
        low, high = decimal_product(self.low, factor), decimal_product(self.high, factor)
        return Quantity(decimal_product(self.value, factor), low, high, self.bound)


def decimal_product(value: float, factor: float) -> float:
    """The product of two printed decimals as a person would write it: 2.67 x 60 is 160.2, not
    160.20000000000002.
    """
    return float(Decimal(repr(value)) * Decimal(repr(factor)))


def bounded(value: float, step: float, words: str = "") -> Quantity:
    """A number with the interval that its last printed digit and the words before it allow.

    Args:
        value: The number.
        step: What one more in its last printed digit would add.
        words: A key of `BOUND_WORDS`, or nothing.

    Raises:
        KeyError: The words are no known bound.
    """
    words = " ".join(words.lower().split())
    bound = BOUND_WORDS[words] if words else "eq"
    if bound == "gt":
        return Quantity(value, value, value + step if words in NEAR_BOUNDS else math.inf, bound)
    if bound in ("lt", "up_to"):
        return Quantity(
            value, max(0.0, value - step) if words in NEAR_BOUNDS else 0.0, value, bound
        )
    step = max(step, _last_nonzero_step(value)) if bound == "approx" else step
    # Half a step to either side, in decimal arithmetic: 4.9 is 4.85..4.95, not
    # 4.8500000000000005..4.95.
    middle, half = Decimal(repr(value)), Decimal(repr(step)) / 2
    return Quantity(value, float(middle - half), float(middle + half), bound)


def _last_nonzero_step(value: float) -> float:
    """10^k of the last digit that is not zero: "around 300,000" is rounded to a hundred thousand."""
    if value == 0 or not float(value).is_integer():
        return 0.0
    step, whole = 1, abs(int(value))
    while whole % (step * 10) == 0:
        step *= 10
    return float(step)
