"""What numbers printed characters can mean: the parser of the evidence check.

It shares no code with the readers (`values/`, `extract/`), so that a fault of theirs does not
confirm itself. It knows less of the context, so it gives every reading that the characters and the
stored bound allow.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pipelines.vocabulary.units import find_unit
from pipelines.yaml_files import load_yaml

# `54,784`, `0.0719`, `.55`, `1.5e-3`, and the word or sign after it
_NUMBER = r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
# `20%-80%` is a range.
_SIGN = r"(?:(?<![^\W_])(?<!%)[-\u2212])?(?<![\d.,])"
_AMOUNT = re.compile(
    rf"(?P<number>{_SIGN}(?:{_NUMBER})(?:[eE][+-]?\d+)?)(?![.,]?\d)[\s-]*(?P<word>[^\W\d_]+|[%\u00d7])?"
)
# `2:03:04.20`, `0:12:34`, `00:12`, `1 day, 2:03:04`
_CLOCK = re.compile(r"(?:(\d+) days?, )?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
_WORDS = load_yaml(Path(__file__).with_suffix(".yml"))
_SECONDS: dict[str, float] = _WORDS["seconds"]
_BOUNDS: dict[str, str] = _WORDS["bounds"]


class Amount(NamedTuple):
    """A printed number: value, step of its last digit, the word after it, step of its last non-zero
    digit.
    """

    value: float
    step: float
    word: str = ""
    rough_step: float = 0.0

    def times(self, scale: float) -> Amount:
        """The same in a unit of which `scale` make one of this amount's."""
        return Amount(self.value * scale, self.step * scale, self.word, self.rough_step * scale)


class Range(NamedTuple):
    """A value and the interval that its printed form allows."""

    value: float
    low: float
    high: float


def amounts(text: str) -> list[Amount]:
    """All numbers of a text in order; digits that a point or a comma joins in another way are not
    numbers.
    """
    found = []
    for match in _AMOUNT.finditer(text):
        digits = match["number"].replace(",", "").replace("\u2212", "-")
        mantissa, _, exponent = digits.lower().partition("e")
        step = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        rough_step = (
            10.0 ** len(zeros[0])
            if (zeros := re.search(r"0*(?=\.0$)", str(float(digits))))
            else 0.0
        )
        found.append(Amount(float(digits), step, match["word"] or "", rough_step))
    return found


@lru_cache(1 << 12)
def said_bound(before: str) -> str | None:
    """The bound that the words at the end of a text state: `gt` for `more than`; None without such
    words.
    """
    before = " ".join(before.lower().split()).removesuffix(" a").removesuffix(" an")
    ends = [words for words in _BOUNDS if before.endswith(words)]
    # A word does not begin after a letter: `turnover`.
    found = [
        words
        for words in ends
        if not (words[0].isalpha() and re.search(r"\w$", before.removesuffix(words)))
    ]
    words = max(found, key=len, default="")
    bound = _BOUNDS.get(words)
    # `up to ~`
    return (said_bound(before.removesuffix(words)) if bound == "approx" else None) or bound


def ranges(amount: Amount, bound: str) -> Iterator[Range]:
    """The intervals that a bound allows; `just over 9 minutes` ends one step on, `over 9 minutes`
    nowhere.
    """
    value, step, _, rough_step = amount
    if bound == "gt":
        yield from (Range(value, value, math.inf), Range(value, value, value + step))
    elif bound in ("lt", "up_to"):
        yield from (Range(value, 0.0, value), Range(value, max(0.0, value - step), value))
    else:
        step = max(step, rough_step) if bound == "approx" and amount.value else step
        yield Range(value, value - step / 2, value + step / 2)


def measured(text: str, unit: str, printed: str | None) -> Amount | None:
    """The one amount that a text states in a canonical unit: `54,784`, `23h 43m`, `1.2 million`;
    None for others.

    Args:
        text: The printed characters, with their unit or without.
        unit: The canonical unit.
        printed: The unit as printed elsewhere, such as in a heading.
    """
    if unit in ("s", "ms"):
        seconds = _time(text, printed)
        return seconds.times(1000.0) if seconds and unit == "ms" else seconds
    found = amounts(text)
    if len(found) != 1:
        return None
    scale = _WORDS["multiples"].get(found[0].word, 1.0)
    if printed and (known := find_unit(printed)):
        if known.canonical.partition("/")[0] != unit.partition("/")[0] and known.canonical != "%":
            return None
        scale *= known.scale
    return found[0].times(scale)


def _time(text: str, printed: str | None) -> Amount | None:
    """Seconds: the sum of `1 hour and 30 minutes`, a clock, or a number in a unit that is printed
    elsewhere.
    """
    if match := _CLOCK.fullmatch(text.strip()):
        days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return Amount(
            86400 * days + 3600 * hours + 60 * minutes + seconds,
            0.1 ** len(match[4].partition(".")[2]),
        )
    found = amounts(text)
    scales = [
        seconds_in(each.word or (printed or "" if len(found) == 1 else "")) or 0.0 for each in found
    ]
    if not scales or 0.0 in scales or scales != sorted(scales, reverse=True):
        return None
    parts = [each.times(scale) for each, scale in zip(found, scales, strict=True)]
    return parts[-1]._replace(value=math.fsum(part.value for part in parts), word="")


def seconds_in(unit: str) -> float | None:
    """Seconds in one of a unit of time (`ms`, `Mins.`, `hours`), also per item (`s/im`); None of
    any other.
    """
    word = unit.lower().split(" per ")[0].split("/")[0].strip().rstrip(".")
    return _SECONDS.get(word) or _SECONDS.get(word.removesuffix("s"))


def factors(text: str, bound: str) -> Iterator[Range]:
    """The ratios that a text can state: `2.6x`, `31%`, `twice`, `2x-3x`."""
    plain = html.unescape(text).lower().strip()
    is_open = re.search(r"\+$|\b(?:more|greater|better|above|higher)$", plain)
    if bound != (said_bound(plain[:1]) or ("gt" if is_open else bound)):
        return
    found = amounts(plain)
    is_share = "%" in plain or "percent" in plain or "per cent" in plain
    if not found:
        yield from _worded(plain, bound)
    elif len(found) == 1:
        yield from _ratios(ranges(found[0], bound), is_share=is_share)
    else:
        yield from _ratios(_spans(found), is_share=is_share)


def _spans(found: list[Amount]) -> Iterator[Range]:
    if len(found) == 2 and found[0].value < found[1].value:
        yield Range(found[0].value, found[0].value, found[1].value)


def _worded(plain: str, bound: str) -> Iterator[Range]:
    words = re.findall(r"[a-z]+", plain)
    found = [
        Amount(float(number), 1.0)
        for word in words
        for known, number in _WORDS["counts"].items()
        if word.startswith(known)
    ]
    if len(found) == 1:
        yield from ranges(found[0], bound)
    # `two to three times`
    yield from _spans(found)


def _ratios(found: Iterator[Range], *, is_share: bool) -> Iterator[Range]:
    """The ratios of shares: 31% more is 1.31, 31% less 1 / 0.69, and a time that is 31% faster
    either.
    """
    for share in found:
        if not is_share:
            yield share
            continue
        more = Range(*(1 + each / 100 for each in share))
        less = Range(*(100 / (100 - each) if each < 100 else math.inf for each in share))
        yield from (more, less, more._replace(high=less.high))
