"""Printed factors in running text: `2.6x`, `31%`, "twice", `2x-3x`. Whether one is a claim: `comparisons.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import BOUND_WORDS, Quantity, bounded
from pipelines.values.ratios import BOUND

Kind = Literal["times", "percent", "share"]

# More spellings of bounds in running text, by the words of `quantity.BOUND_WORDS` that mean the same.
_BOUNDS = {
    "as much as": "up to", "as high as": "up to", "as many as": "up to", "close to": "about", "approx.": "about",
    "well over": "over", "well above": "over", "upwards of": "over", "north of": "over", "better than": "over",
    "no less than": "at least", "not less than": "at least", "a minimum of": "at least", "up to about": "up to",
    "no more than": "at most", "a maximum of": "up to", "just about": "about", "circa": "about",
}  # fmt: skip
_MORE_BOUNDS = "|".join(re.escape(words).replace(r"\ ", r"\s+") for words in _BOUNDS)
_PRAISE = r"(?:whopping|staggering|impressive|remarkable|massive|incredible|full|whole|further|additional)\s+"
# `over`, `more than`, `up to a`, `up to an impressive`, before a number
BOUND_PREFIX = rf"(?:(?P<bound>(?<![\w.])(?:{_MORE_BOUNDS}|{BOUND}))\s*(?:an?\s+)?(?:{_PRAISE})?)?"
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100,
    "thousand": 1000,
}  # fmt: skip
_WORD = "|".join(_WORDS)
# `three and a half`: what is added, and how far the next such number is
_ADDED = {"half": 0.5, "third": 0.333, "quarter": 0.25}
_STEP_OF_PART = 0.25
_START = r"(?<![\w.,/$-])"
# An entity `&times;` is read as blanks with the sign behind them, so that the sign ends where the entity does.
_SIGN = r"(?:\s?[xX]|\s{0,6}\u00d7)"
# Not where a range goes on that was not read as one, nor where the `x` of `1x-fold` and of `3x%` was a digit
_X = rf"{_SIGN}(?![\w/]|-\d|-fold|\s?(?:%|percent\b))"
_PERCENT = r"\s?(?:%|percent\b(?!\s+points?)|per\s+cent\b)"
# `3x+`, `3x or more`
_PLUS = r"(?P<plus>\+|\s+(?:or|and)\s+(?:more|greater|better|above)\b)?"

# `2x-3x`, `2-3x`, `2x to 3x`, `20% to 30%`; both ends in one unit
_RANGE = re.compile(
    rf"{BOUND_PREFIX}{_START}(?P<low>{NUMBER})(?P<first>{_SIGN}|{_PERCENT})?\s*(?:-|to|and(?<=\d.{{4}}))\s*(?P<high>{NUMBER})"
    rf"(?:(?P<times>{_X})|(?P<percent>{_PERCENT}))"
)
# `between 2x and 3x`
_BETWEEN = re.compile(
    rf"\bbetween\s+(?P<span>(?P<low>{NUMBER})(?P<first>{_SIGN}|{_PERCENT})?\s+and\s+(?P<high>{NUMBER})(?:(?P<times>{_X})|(?P<percent>{_PERCENT})))"
)
# `2.6x`, `>60x`, `1.5 times`, `three times`, `three and a half times`, `2.8-fold`, `tenfold`, `3x+`
_TIMES = re.compile(
    rf"{BOUND_PREFIX}(?:{_START}(?P<number>{NUMBER})(?:{_X}{_PLUS}|[\s-]times\b|[\s-]?fold\b)"
    rf"|\b(?P<word>{_WORD}|one(?=[\s-]and[\s-]))(?:[\s-]and[\s-](?:a|one)[\s-](?P<part>half|third|quarter))?"
    r"(?:[\s-]times\b|[\s-]?fold\b))",
    re.IGNORECASE,
)
# `31%`, `31 percent`
_SHARE_OF_HUNDRED = re.compile(rf"{BOUND_PREFIX}{_START}(?P<number>{NUMBER}){_PERCENT}{_PLUS}", re.IGNORECASE)
# `a factor of 3`; with an x behind it is read as any other factor
_FACTOR_OF = re.compile(rf"\bfactor\s+of\s+{BOUND_PREFIX}(?P<number>{NUMBER})(?![\w%.,]|\s?[xX\u00d7])", re.IGNORECASE)
# `twice as fast`, `double the throughput`, `doubles throughput`, `triples`
_MULTIPLE = re.compile(
    rf"{BOUND_PREFIX}\b(?P<word>twice(?=\s+(?:as|the|its|that|faster|higher|more))|thrice"
    r"|(?:doubl|tripl|quadrupl)(?:e[sd]?|ing)(?![-\w/])(?!\s+(?:precision|layer|click|check|digits?)))",
    re.IGNORECASE,
)
_MULTIPLES = {"tw": 2, "th": 3, "do": 2, "tr": 3, "qu": 4}
# `half the latency of`, `two thirds of the time`, `a third of the latency`, `halves the latency`, `cut in half`
_FRACTION = re.compile(
    rf"{BOUND_PREFIX}\b(?P<word>half(?=\s+(?:the|of|that))|(?<=in\s)half\b(?!\s+an?\b)|hal(?:ves|ved|ving)\b"
    r"|(?:one|an?)[\s-](?:half|third|quarter|fourth|fifth|sixth|eighth|tenth)(?=\s+(?:the|of|that))"
    r"|two[\s-]thirds(?=\s+(?:the|of|that))|three[\s-](?:quarters|fourths)(?=\s+(?:the|of|that)))",
    re.IGNORECASE,
)
_FRACTIONS = {
    "half": 2, "halves": 2, "halved": 2, "halving": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "eighth": 8, "tenth": 10,
}  # fmt: skip
# What one part of that many parts is of the whole: two of three are the whole divided by 1.5, give or take a quarter.
_PARTS = {"thirds": (1.5, 0.3), "quarters": (1.333, 0.16), "fourths": (1.333, 0.16)}
# `cuts the time by a third`, `by half`: a percentage in words
_CUT = re.compile(
    rf"{BOUND_PREFIX}(?<=\bby\s)(?P<word>half\b|(?:an?|one)[\s-](?:third|quarter|fourth|fifth|tenth)\b|two[\s-]thirds\b)",
    re.IGNORECASE,
)
_CUTS = {"half": 50.0, "third": 33.3, "quarter": 25.0, "fourth": 25.0, "fifth": 20.0, "tenth": 10.0, "thirds": 66.7}
# `less than half the cost` is an advantage of more than two.
_TURNED = {"gt": "under", "lt": "over"}
_TURNED_NEAR = {"just over": "just under", "just under": "just over"}
# How far a share in words may be from the one that is meant, in per cent.
_CUT_STEP = 5.0
# `an order of magnitude`, `two orders of magnitude`; bare `orders of magnitude` says no number
_MAGNITUDE = re.compile(
    rf"{BOUND_PREFIX}\b(?P<word>an?|one|two|three)\s+(?:full\s+)?orders?[\s-]of[\s-]magnitude\b", re.IGNORECASE
)
_MAGNITUDES = {"a": 10, "an": 10, "one": 10, "two": 100, "three": 1000}


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
    found: list[Factor] = []
    for pattern in (_BETWEEN, _RANGE, _FACTOR_OF, _TIMES, _SHARE_OF_HUNDRED, _MULTIPLE, _CUT, _FRACTION, _MAGNITUDE):
        for match in pattern.finditer(plain):
            factor = _factor(match)
            if factor and not any(factor.outer < other.end and other.outer < factor.end for other in found):
                found.append(factor)
    return tuple(sorted(found, key=lambda factor: factor.start))


def bound_words(printed: str | None) -> str:
    """The words of `quantity.BOUND_WORDS` for a bound as printed; empty without one."""
    words = " ".join((printed or "").lower().split())
    return _BOUNDS.get(words, words)


def _factor(match: re.Match[str]) -> Factor | None:
    groups = match.groupdict()
    words = bound_words(groups.get("bound"))
    if groups.get("plus"):
        words = words or "at least"
    if groups.get("low"):
        return _range(match)
    kind: Kind = "times"
    if match.re in (_SHARE_OF_HUNDRED, _CUT):
        kind = "percent"
    elif match.re is _FRACTION:
        kind = "share"
    if number := groups.get("number"):
        quantity = parse_number(number, words)
    elif match.re is _MAGNITUDE:
        value = _MAGNITUDES[groups["word"].lower()]
        quantity = bounded(float(value), value, words or "about")
    else:
        quantity = _in_words(match, _turned(words) if kind == "share" else words)
    if quantity is None or quantity.value <= 0:
        return None
    start = _value_start(match, groups)
    return Factor(match.start(), start, match.end(), kind, quantity)


def _turned(words: str) -> str:
    return _TURNED_NEAR.get(words) or _TURNED.get(BOUND_WORDS.get(words, "eq"), words)


def _in_words(match: re.Match[str], words: str) -> Quantity:
    """`three and a half times`, `two thirds of`, `by a third`, `twice`; what they round to is told by their words."""
    word = match["word"].lower()
    last = re.split(r"[\s-]", word)[-1]
    if match.re is _CUT:
        return bounded(_CUTS[last], _CUT_STEP, words)
    if last in _PARTS:
        return bounded(*_PARTS[last], words)
    value = float(_WORDS.get(word) or _FRACTIONS.get(last) or _MULTIPLES.get(word[:2], 1))
    part = match.groupdict().get("part")
    if part is None:
        return bounded(value, 1, words)
    return bounded(value + _ADDED[part.lower()], _STEP_OF_PART, words)


def _value_start(match: re.Match[str], groups: dict[str, str | None]) -> int:
    value = match.start("number") if groups.get("number") else match.start("word")
    if groups.get("bound") and not match["bound"][-1].isalpha() and match.end("bound") == value:
        return match.start("bound")
    return value


def _range(match: re.Match[str]) -> Factor | None:
    low, high = parse_number(match["low"]), parse_number(match["high"])
    if low is None or high is None or not 0 < low.value < high.value:
        return None
    if match["first"] and (match["first"].strip() in ("x", "X", "\u00d7")) != bool(match["times"]):
        return None
    start, end = match.start("low"), match.end("high")
    end = match.end("times") if match["times"] else match.end("percent")
    quantity = Quantity(low.value, low.value, high.value, "eq")
    return Factor(match.start(), start, end, "times" if match["times"] else "percent", quantity)
