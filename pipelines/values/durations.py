"""Printed durations in seconds: `23h 43m`, `19.64 min`, `453s`, `704us`, "3 hours"."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.values.numbers import NUMBER, parse_number, step_of
from pipelines.values.quantity import Quantity, bounded, decimal_product
from pipelines.yaml_files import load_yaml

_LISTED = load_yaml(Path(__file__).with_suffix(".yml"))
_SECONDS: dict[str, float] = _LISTED["seconds"]
_WORDS: dict[str, str] = _LISTED["words"]
# Longest first, so that `min` is not read as `m`.
UNIT = "|".join(
    [rf"{word}s?" for word in sorted(_WORDS, key=len, reverse=True)]
    + sorted(_SECONDS, key=len, reverse=True)
)

# `23h 43m`, `8h39m`, `1d 2h`, `1 hour 30 minutes`: at least two parts, each unit smaller than the
# one before; never the `1S.94 ms` that a letter makes of `11.94 ms`
_PART = re.compile(rf"\s*({NUMBER})\s*({UNIT})(?![a-z])(?:\.(?!\d))?,?", re.IGNORECASE)
# `1:02:03` and `12:34`
_CLOCK = re.compile(r"(?:(\d{1,5}):)?([0-5]?\d):([0-5]\d(?:\.\d+)?)")


def unit_seconds(unit: str) -> float | None:
    """Seconds in one of a printed unit of time (`ms`, `mins`, `hours`), or None."""
    unit = unit.strip().rstrip(".").lower()
    if unit in _SECONDS:
        return _SECONDS[unit]
    word = _WORDS.get(unit) or _WORDS.get(unit.removesuffix("s"))
    return _SECONDS[word] if word else None


def parse_duration(text: str, words: str = "") -> Quantity | None:
    """Seconds of a duration printed with its units, or None when the text is not exactly that.

    The interval follows the last printed digit of the smallest unit: `23h 43m` is known to half a
    minute.
    """
    text = text.strip()
    total, scale, position, step = 0.0, float("inf"), 0, 0.0
    while match := _PART.match(text, position):
        number, seconds = parse_number(match[1]), unit_seconds(match[2])
        if number is None or seconds is None or seconds >= scale:
            return None
        total += decimal_product(number.value, seconds)
        step = decimal_product(step_of(match[1].replace(",", "")), seconds)
        scale, position = seconds, match.end()
    if position == 0 or text[position:].strip():
        return None
    return bounded(total, step, words)


def parse_clock(text: str) -> Quantity | None:
    """Seconds of `h:mm:ss` or `mm:ss`, or None. Only if the context is a duration."""
    match = _CLOCK.fullmatch(text.strip())
    if not match:
        return None
    hours, minutes, seconds = match.groups()
    return bounded(int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds), step_of(seconds))
