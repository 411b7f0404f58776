"""One printed number to a quantity in a canonical unit, for the summaries of logs and for the check of all evidence.

The cells of tables are read in `tables/`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pipelines.values.durations import is_doubtful, parse_clock, parse_duration
from pipelines.values.numbers import NUMBER_AND_UNIT, parse_multiple, parse_number
from pipelines.values.quantity import Quantity, decimal_product
from pipelines.vocabulary.units import Measure, measure_of

_MEMORY = 1 << 16


class Unit(NamedTuple):
    """A printed unit: multiply a printed number by `scale` to get the canonical `name`; `item` is what is counted."""

    printed: str
    name: str
    scale: float
    item: str | None = None


class Value(NamedTuple):
    """A measured number in the canonical unit; the printed unit is empty where none is behind it or in its name."""

    quantity: Quantity
    unit: Unit


# What tables print for "nothing"
_NOTHING = frozenset(
    {
        *("", "-", "$ -", "$-", "--", "---", "\u2013", "\u2014", "none", "null", "nan", "/"),
        *("n/a", "na", "n.a.", "n/s", "tbd", "tba", "n/a.", "#n/a", "todo"),
        # Why there is no number.
        *("oom", "out of memory", "not supported", "unsupported", "not available", "not tested", "not applicable"),
        *("coming soon", "pending", "wip", "did not run", "did not fit", "dnf", "fail", "failed"),
        *("\u2717", "\u274c", "\u2716"),
    }
)
# Quantities that a bare number says nothing of.
_UNIT_NEEDED = frozenset(
    {"items/s", "s", "ms", "USD", "items/s/device", "items/s/user", "items/s/W", "W", "J", "J/token"}
)
_TIMES_AND_SHARES = frozenset({"s", "ms", "%"})
_DOLLARS = frozenset({"$", "us$", "usd", "dollars", "us dollars"})


def is_nothing(text: str) -> bool:
    """True for a blank cell and for what is printed in place of a value (`-`, `N/A`, `OOM`)."""
    return text.casefold() in _NOTHING


@lru_cache(_MEMORY)
def read_unit(printed: str, canonical: str) -> Unit | None:
    """A printed unit in terms of a canonical one (`items/s`, `s`, `ms`), or None when it is no unit of that."""
    text = " ".join(printed.split())
    if canonical == "USD":
        return Unit(text, canonical, 1.0) if text.casefold() in _DOLLARS else None
    own, wanted = measure_of(text), measure_of(canonical)
    if own is None or wanted is None or not own.converts_to(Measure(wanted.kind, wanted.scale)):
        return None
    return Unit(text, canonical, decimal_product(own.scale, 1000.0) if canonical == "ms" else own.scale, own.item)


@lru_cache(_MEMORY)
def read_value(text: str, canonical: str, unit: Unit | None = None, approximate: bool = False) -> Value | None:
    """The value of a printed number in the canonical unit, or None when it cannot be read.

    The unit behind the number goes before that of its name; without either there is no value where a bare number says
    too little: `28.1` of a latency may be anything.

    Args:
        text: The number, without white space at its ends.
        canonical: Canonical unit of the metric.
        unit: Unit that the name gives.
        approximate: Whether the number is said to be about so.
    """
    words = "~" if approximate else ""
    number = parse_number(text, words)
    if number is None and unit and canonical not in _TIMES_AND_SHARES:
        number = parse_multiple(text, words)
    if number is not None:
        if unit is not None:
            return Value(number.scaled(unit.scale), unit)
        is_known = 1 < number.value <= 100 if canonical == "%" else canonical not in _UNIT_NEEDED
        return Value(number, Unit("", canonical, 1.0)) if is_known else None
    if canonical in ("s", "ms"):
        if is_doubtful(text, unit.printed if unit else None):
            return None
        # `12:34` may be hours and minutes or minutes and seconds.
        duration = parse_duration(text, words) or (parse_clock(text) if text.count(":") == 2 and not words else None)
        if duration is None:
            return None
        return Value(duration.scaled(1000 if canonical == "ms" else 1), Unit("", canonical, 1.0))
    match = NUMBER_AND_UNIT.fullmatch(text)
    own, number = (read_unit(match["unit"], canonical), parse_number(match["number"], words)) if match else (None, None)
    return Value(number.scaled(own.scale), own) if own and number else None
