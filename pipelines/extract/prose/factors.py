"""Printed factors in running text: `2.6x`, `31%`, "twice", `2x-3x`. Whether one is a claim: `comparisons.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pipelines.values.numbers import BOUND, NUMBER, parse_number
from pipelines.values.quantity import BOUND_WORDS, Quantity, bounded

Kind = Literal["times", "percent", "share"]

# More spellings of bounds in running text, by the words of `quantity.BOUND_WORDS` that mean the same.
_BOUNDS = {
    "as much as": "up to", "as high as": "up to", "as many as": "up to", "close to": "about", "well over": "over",
    "upwards of": "over", "north of": "over", "better than": "over", "no less than": "at least", "up to about": "up to",
    "no more than": "at most",
}  # fmt: skip
_MORE_BOUNDS = "|".join(re.escape(words).replace(r"\ ", r"\s+") for words in _BOUNDS)
# `over`, `more than`, `up to a`, `up to an impressive`, before a number
BOUND_PREFIX = (
    rf"(?:(?P<bound>(?<![\w.])(?:{_MORE_BOUNDS}|{BOUND}))\s*(?:an?\s+)?"
    r"(?:(?:whopping|staggering|impressive|remarkable|massive|incredible|full|further|additional)\s+)?)?"
)
_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100,
    "thousand": 1000, "twice": 2, "thrice": 3, "doubl": 2, "tripl": 3, "quadrupl": 4,
}  # fmt: skip
# What so large a part of something is less by, and how far such words may be from what is meant.
_SHARES = {
    "half": (2.0, 1), "halv": (2.0, 1), "third": (3.0, 1), "quarter": (4.0, 1), "fifth": (5.0, 1), "tenth": (10.0, 1),
    "thirds": (1.5, 0.3), "quarters": (1.333, 0.16),
}  # fmt: skip
# The same of what is cut `by a third`, in per cent.
_CUTS = {"half": 50.0, "third": 33.3, "quarter": 25.0, "fifth": 20.0, "tenth": 10.0, "thirds": 66.7}
_CUT_STEP = 5.0
_MAGNITUDES = {"a": 10, "an": 10, "one": 10, "two": 100, "three": 1000}
_START = r"(?<![\w.,/$-])"
# An entity `&times;` is read as blanks with the sign behind them, so that the sign ends where the entity does.
_SIGN = r"(?:\s?x|\s{0,6}\u00d7)"
# Not where a range goes on that was not read as one, nor where the `x` of `1x-fold` and of `3x%` was a digit
_X = rf"{_SIGN}(?![\w/]|-\d|-fold|\s?(?:%|percent\b))"
_PERCENT = r"\s?(?:%|percent\b(?!\s+points?)|per\s+cent\b)"
# `3x+`, `3x or more`
_PLUS = r"(?P<plus>\+|\s+(?:or|and)\s+(?:more|greater|better|above)\b)?"
# `2x-3x`, `2-3x`, `20% to 30%`, `between 2x and 3x`; both ends in one unit
_RANGE = re.compile(
    rf"{BOUND_PREFIX}(?P<between>\bbetween\s+)?{_START}(?P<low>{NUMBER})(?:(?P<first>{_SIGN})|{_PERCENT})?"
    rf"\s*(?(between)and|(?:-|to))\s*(?P<high>{NUMBER})(?:(?P<times>{_X})|(?P<percent>{_PERCENT}))",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    # `2.6x`, `>60x`, `3x+`, `1.5 times`, `2.8-fold`; `31%`, `31 percent`
    rf"{BOUND_PREFIX}(?:{_START}(?P<number>{NUMBER})(?:(?:{_X}|(?P<percent>{_PERCENT})){_PLUS}|[\s-]times\b|[\s-]?fold\b)"
    # `a factor of 3`; with an x behind it is read as any other factor
    rf"|\bfactor\s+of\s+(?P<of>{NUMBER})(?![\w%.,]|\s?[x\u00d7])"
    # `three times`, `one and a half times`, `tenfold`; `twice as fast`, `double the throughput`, `triples`
    rf"|\b(?P<word>(?:{'|'.join(_WORDS)})(?:[\s-]and[\s-](?:a|one)[\s-](?P<part>half|third|quarter))?(?:[\s-]times|[\s-]?fold)\b"
    r"|twice(?=\s+(?:as|the|its|that|faster|higher|more))|thrice"
    r"|(?:doubl|tripl|quadrupl)(?:e[sd]?|ing)(?![-\w/])(?!\s+(?:precision|layer|click|check|digits?)))"
    # `cuts the time by a third`, `by half`
    r"|(?<=\bby\s)(?P<cut>(?:(?:an?|one|two)[\s-])?(?:half|thirds?|quarter|fifth|tenth)\b)"
    # `half the latency of`, `two thirds of the time`, `halves the latency`, `cut in half`
    r"|\b(?P<share>(?:(?:an?|one|two|three)[\s-])?(?:half|thirds?|quarters?|fifth|tenth)(?=\s+(?:the|of|that))"
    r"|(?<=in\s)half\b(?!\s+an?\b)|halv(?:es|ed|ing)\b)"
    # `an order of magnitude`, `two orders of magnitude`; bare `orders of magnitude` says no number
    r"|\b(?P<magnitude>(?:an?|one|two|three)\s+(?:full\s+)?orders?[\s-]of[\s-]magnitude\b))",
    re.IGNORECASE,
)
# `less than half the cost` is an advantage of more than two.
_TURNED = {"gt": "under", "lt": "over"}


@dataclass(frozen=True, slots=True)
class Factor:
    """A printed factor.

    Attributes:
        outer: First character with the words of the bound before it.
        start: First character of the value; a sign glued to it (`>60x`) belongs to it.
        end: One past the last character of the value.
        kind: `times` (2.6x), `percent` (31%: the quantity is 31; by a third: 33.3), `share` (half the ...: it is 2).
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
    found = [factor for match in _RANGE.finditer(plain) if (factor := _range(match))]
    for match in _SINGLE.finditer(plain):
        factor = _single(match)
        if factor and not any(factor.outer < other.end and other.outer < factor.end for other in found):
            found.append(factor)
    return tuple(sorted(found, key=lambda factor: factor.start))


def bound_words(printed: str | None) -> str:
    """The words of `quantity.BOUND_WORDS` for a bound as printed; empty without one."""
    words = " ".join((printed or "").lower().split())
    return _BOUNDS.get(words, words)


def _single(match: re.Match[str]) -> Factor | None:
    groups = match.groupdict()
    name = next(n for n in ("number", "of", "word", "cut", "share", "magnitude") if groups[n])
    words = bound_words(groups["bound"]) or ("at least" if groups["plus"] else "")
    kind: Kind = "percent" if groups["percent"] or name == "cut" else "share" if name == "share" else "times"
    start, printed = match.start(name), re.split(r"[\s-]", match[name].lower())
    if name in ("number", "of"):
        quantity = parse_number(match[name], words)
        if groups["bound"] and not match["bound"][-1].isalpha() and match.end("bound") == start:
            start = match.start("bound")
    elif name == "magnitude":
        value = float(_MAGNITUDES[printed[0]])
        quantity = bounded(value, value, words or "about")
    elif name == "cut":
        quantity = bounded(_CUTS[printed[-1]], _CUT_STEP, words)
    elif name == "share":
        word = next(
            word for word in _SHARES if word == printed[-1] or (word == "halv" and printed[-1].startswith(word))
        )
        quantity = bounded(*_SHARES[word], _TURNED.get(BOUND_WORDS.get(words, "eq"), words))
    else:
        word = next(word for word in sorted(_WORDS, key=len, reverse=True) if printed[0].startswith(word))
        part = match["part"]
        quantity = (
            bounded(_WORDS[word] + round(1 / _SHARES[part][0], 3), 0.25, words)
            if part
            else bounded(float(_WORDS[word]), 1, words)
        )
    if quantity is None or quantity.value <= 0:
        return None
    return Factor(match.start(), start, match.end(), kind, quantity)


def _range(match: re.Match[str]) -> Factor | None:
    low, high = parse_number(match["low"]), parse_number(match["high"])
    if low is None or high is None or not 0 < low.value < high.value:
        return None
    if match["first"] is not None and not match["times"]:
        return None
    kind: Kind = "times" if match["times"] else "percent"
    return Factor(
        match.start(), match.start("low"), match.end(), kind, Quantity(low.value, low.value, high.value, "eq")
    )
