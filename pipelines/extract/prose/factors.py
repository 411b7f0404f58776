"""Printed factors in running text: `2.6x`, `31%`, `two to three times`. Which one is a claim: `comparisons.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pipelines.values.numbers import BOUND, NUMBER, parse_number
from pipelines.values.quantity import Quantity, bounded

Kind = Literal["times", "percent"]
# up: more, higher. down: lower, less. good: better, improvement. fast: faster, speedup. bad: slower, worse.
Direction = Literal["up", "down", "good", "fast", "bad"]

# `over`, `more than`, `up to a`, `up to an impressive`, before a number
BOUND_PREFIX = (
    rf"(?:(?<![\w.])(?P<bound>{BOUND})\s*(?:an?\s+)?"
    r"(?:(?:whopping|staggering|impressive|remarkable|massive|incredible|full|further|additional)\s+)?)?"
)
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "hundred": 100,
    "twice": 2, "double": 2, "triple": 3,
}  # fmt: skip
_VALUE = rf"(?:{NUMBER}|(?:{'|'.join(list(_WORDS)[:10])})(?=[\s-]))"
# An entity `&times;` is read as blanks with the sign behind them, so that the sign ends where the entity does.
_SIGN = r"(?:(?:\s?x|\s{0,6}\u00d7)(?![\w/]|-\d|-fold|\s?(?:%|percent\b))|[\s-]times\b|[\s-]?fold\b)"
_PERCENT = r"(?:\s?(?:%|percent\b(?!\s+points?)|per\s+cent\b))"
# `2.6x`, `>60x`, `1.5 times`, `2.8-fold`, `31 percent`; `2x-3x`, `20% to 30%`, `between 2x and 3x`; `twice the`
_FACTOR = re.compile(
    rf"{BOUND_PREFIX}(?:(?P<between>\bbetween\s+)?(?<![\w.,/$-])(?:(?P<low>{_VALUE})(?P<first>\s?[x\u00d7]|{_PERCENT})?"
    rf"\s*(?(between)and|(?:-|to|or))\s*)?(?P<high>{_VALUE})(?:(?P<times>{_SIGN})|{_PERCENT})"
    # `3x+`, `3x or more`
    r"(?P<plus>\+|\s+(?:or|and)\s+(?:more|greater|better|above)\b)?"
    r"|\b(?P<word>twice|double|triple)(?=\s+(?:as|the|its|that|faster|higher|more)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Factor:
    """A printed factor.

    Attributes:
        outer: First character with the words of the bound before it.
        start: First character of the value; a sign glued to it (`>60x`) belongs to it.
        end: One past the last character of the value.
        kind: `times` (2.6x) or `percent` (31%: the quantity is 31).
        quantity: The number as printed, with its interval and bound.
    """

    outer: int
    start: int
    end: int
    kind: Kind
    quantity: Quantity


@lru_cache(maxsize=1024)
def find_factors(plain: str) -> tuple[Factor, ...]:
    """Every printed factor of a sentence in order; counts of hardware such as `8x H100` are still among them."""
    if not (any(map(str.isdigit, plain)) or "t" in plain.lower()):
        return ()
    return tuple(factor for match in _FACTOR.finditer(plain) if (factor := _factor(match)))


def _factor(match: re.Match[str]) -> Factor | None:
    words, low = match["bound"] or ("at least" if match["plus"] else ""), match["low"]
    kind: Kind = "times" if match["times"] or match["word"] else "percent"
    quantity = _number(match["word"] or match["high"], words)
    start = match.start("word" if match["word"] else "low" if low else "high")
    if low is not None:
        least = _number(low, "")
        is_mixed = match["first"] and ("%" in match["first"] or "per" in match["first"].lower()) == (kind == "times")
        if quantity is None or least is None or not 0 < least.value < quantity.value or is_mixed:
            return None
        quantity = Quantity(least.value, least.value, quantity.value, "eq")
    elif match["bound"] and not words[-1].isalpha() and match.end("bound") == start:
        start = match.start("bound")
    if quantity is None or quantity.value <= 0:
        return None
    return Factor(match.start(), start, match.end(), kind, quantity)


def _number(printed: str, words: str) -> Quantity | None:
    value = _WORDS.get(printed.lower())
    return parse_number(printed, words) if value is None else bounded(float(value), 1, words)


def advantage(factor: Factor, direction: Direction, *, is_lower_better: bool = False) -> Quantity:
    """The ratio with its interval: `2.6x` is 2.6, `31%` more 1.31, a reduction by `45%` 1 / (1 - 0.45).

    A time that is `31% faster` may take 31% less, or do 31% more in the same: it is both and all between.
    """
    quantity = factor.quantity
    if factor.kind != "percent":
        return quantity
    shares = [end / 100 for end in (quantity.value, quantity.low, quantity.high)]
    more = [round(1 + share, 9) for share in shares]
    less = [1 / (1 - share) if share < 1 else float("inf") for share in shares]
    if direction in ("fast", "good") and is_lower_better and quantity.value < 100:
        more[2] = less[2]
    value, low, high = less if direction == "down" else more
    return Quantity(value, low, high, quantity.bound)
