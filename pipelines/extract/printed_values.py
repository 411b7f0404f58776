"""One measured cell to a quantity in a canonical unit, and the characters of its number.

Units in headings and what is measured belong in `header.py`; prices and counts are quantities like any other.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pipelines.values.durations import is_doubtful, parse_clock, parse_duration, unit_seconds
from pipelines.values.numbers import NUMBER, NUMBER_AND_UNIT, parse_multiple, parse_number
from pipelines.values.quantity import Quantity, decimal_product
from pipelines.values.ratios import BOUND
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import METRIC_OF_UNIT, find_unit

_MEMORY = 1 << 16


class Unit(NamedTuple):
    """A printed unit: multiply a printed number by `scale` to get the canonical `name`; `item` is what is counted."""

    printed: str
    name: str
    scale: float
    item: str | None = None


class Value(NamedTuple):
    """A measured cell.

    Attributes:
        quantity: In the canonical unit.
        unit: The unit it is printed in; its `printed` is empty where none stands beside it or in its heading.
        start: First character of the number within the cell's text.
        end: One past its last.
        metric: What the cell itself says is measured (`0.0719 MAE`), or None.
    """

    quantity: Quantity
    unit: Unit
    start: int
    end: int
    metric: str | None = None


# What tables print for "nothing"
_NOTHING = frozenset(
    {
        *("", "-", "$ -", "$-", "--", "---", "\u2013", "\u2014", "none", "null", "nan", "/"),
        *("n/a", "na", "n.a.", "n/s", "tbd", "tba", "n/a.", "#n/a", "todo"),
        # Why there is no number.
        *("oom", "out of memory", "not supported", "unsupported", "not available", "not tested", "not applicable"),
        *(
            "coming soon",
            "pending",
            "wip",
            "did not run",
            "did not fit",
            "dnf",
            "\u2717",
            "\u274c",
            "\u2716",
            "fail",
            "failed",
        ),
    }
)
# `- images/sec/watt`: the unit stands there, the number does not
_DASH_AND_UNIT = re.compile(r"(?:-|--|\u2013|\u2014|n/a)\s(?P<unit>[^\d\s].*)", re.IGNORECASE)
# `>60`, `~12.3`, `about 9 minutes`, `up to 400 images/sec`
_BOUNDED = re.compile(rf"(?P<bound>{BOUND})\s*(?P<rest>\S.*)", re.IGNORECASE)
# `132.19 \u00b1 0.55`, `12.3 +/- 0.4 ms`: the mean, and how far the runs lie apart
_DEVIATION = re.compile(
    r"(?P<mean>\d[\d.,]*(?:\s?[A-Za-z/%]+)?)\s*(?:\u00b1|\+/?-)\s*\d[\d.,]*(?P<unit>\s?[A-Za-z/%]+)?"
)
# `21.4 ms (-46.0%)`, `1,234 (1.5x)`: how it compares with another value
_COMPARED = re.compile(
    r"(?P<value>\S(?:[^(]*[^\s(])?)\s*\(\s*[-+\u2212]?\d[\d.,]*\s*(?:%|[x\u00d7])(?:\s++[a-z]++){0,6}\s*+\)",
    re.IGNORECASE,
)
# `23.4 (90E)`, `76.3 (50 epochs)`: after how much of the training
_DETAILED = re.compile(
    r"(?P<value>\d[\d.,]*\s?%?)\s*\(\s*(?P<detail>\d{1,5}\s?(?:E|epochs?|steps?|K))\s*\)", re.IGNORECASE
)
# `0.0719 MAE`, `75.9% accuracy`, `.96 Hit Rate at 10`, `-5.8 Training Loss`
_EVALUATION = re.compile(
    rf"(?P<sign>[-\u2212]?)(?P<number>{NUMBER}|\.\d+)\s*+(?:(?P<percent>%)\s*+)?(?P<metric>[A-Za-z].*)"
)
# Quantities that a bare number says nothing of.
_UNIT_NEEDED = ("items/s", "s", "ms", "USD", "items/s/device", "items/s/user", "items/s/W", "W", "J", "J/token")
# Where the name of the metric says per what a rate is, its unit may leave that out, and the other way round.
_SAME_KIND = frozenset({("items/s", "items/s/device"), ("items/s", "items/s/user"), ("items/s/device", "items/s")})
# `3 m`, `2 d`, `5 h`: metres, dimensions, heads
_LETTERS_OF_MUCH = frozenset({"m", "d", "h"})
_LETTERS = re.compile(r"[A-Za-z]+")
# Scores of a hundred at most, printed with the sign of a percentage or without.
_SCORES = frozenset({"mAP", "mIoU", "F1", "DICE", "AUC", "WER", "CER"})
_GLUED_BILLION = re.compile(r"G\s")
_TIMES_AND_SHARES = frozenset({"s", "ms", "%"})
# A share of one is a hundred times as many hundredths.
_PERCENT = {"%": 1.0, "percent": 1.0, "ratio": 100.0}
_CURRENCY = re.compile(r"(?:US)?\$\s?")
_DOLLARS = frozenset({"$", "us$", "usd", "dollars", "us dollars"})


@lru_cache(_MEMORY)
def is_nothing(text: str) -> bool:
    """True for a blank cell and for what is printed in place of a value (`-`, `N/A`, `OOM`)."""
    if text.casefold() in _NOTHING:
        return True
    match = _DASH_AND_UNIT.fullmatch(text)
    return match is not None and (find_unit(match["unit"]) or unit_seconds(match["unit"])) is not None


@lru_cache(_MEMORY)
def read_unit(printed: str, canonical: str) -> Unit | None:
    """A printed unit in terms of a canonical one (`items/s`, `s`, `ms`), or None when it is no unit of that."""
    text = " ".join(printed.split())
    if canonical in ("s", "ms"):
        seconds = unit_seconds(text)
        scale = decimal_product(seconds, 1000.0 if canonical == "ms" else 1.0) if seconds else None
        return Unit(text, canonical, scale) if scale else None
    if canonical == "%":
        return Unit(text, "%", _PERCENT[text.lower()]) if text.lower() in _PERCENT else None
    if canonical in _SCORES and text == "%":
        return Unit(text, canonical, 1.0)
    if canonical == "USD":
        return Unit(text, "USD", 1.0) if text.lower() in _DOLLARS else None
    unit = find_unit(text)
    if unit is None:
        return None
    if unit.canonical != canonical and (unit.canonical, canonical) not in _SAME_KIND:
        return None
    return Unit(text, canonical, unit.scale, unit.entry.facts.get("item"))


def metric_in_unit(metric: str, unit_printed: str) -> str:
    """The metric that a unit makes of another one: a throughput in `tokens/s/GPU` is one per device."""
    unit = find_unit(unit_printed)
    return METRIC_OF_UNIT.get((metric, unit.canonical), metric) if unit else metric


@lru_cache(_MEMORY)
def read_value(text: str, canonical: str, unit: Unit | None = None, approximate: bool = False) -> Value | None:
    """The value of a cell in canonical units, or None when it cannot be read.

    The unit in the cell goes before that of the heading; without either there is no value where a bare number says too
    little: `28.1` below `Latency` may be anything. `>60` and `about 12.3` are read with their bounds.

    Args:
        text: The stripped cell.
        canonical: Canonical unit of the metric.
        unit: Unit that the heading gives.
        approximate: Whether the heading says that its values are about so.
    """
    start, end = 0, len(text)
    words = "~" if approximate else ""
    if match := _BOUNDED.fullmatch(text):
        words, start = match["bound"], match.start("rest")
    if (canonical != "ratio" and (match := _COMPARED.fullmatch(text, start))) or (
        match := _DETAILED.fullmatch(text, start)
    ):
        end = match.end("value")
    behind = ""
    if match := _DEVIATION.fullmatch(text, start, end):
        end, behind = match.end("mean"), match["unit"] or ""
    if canonical.startswith("USD") and (match := _CURRENCY.match(text, start)):
        unit = Unit(match[0].strip(), canonical, 1.0)
        found = _read_number(text[match.end() : end].rstrip(), behind, words, canonical, unit, match.end(), end)
        return found._replace(start=start) if found else None
    while start < end and text[end - 1].isspace():
        end -= 1
    return _read_number(text[start:end], behind, words, canonical, unit, start, end)


def _read_number(
    part: str, behind: str, words: str, canonical: str, unit: Unit | None, start: int, end: int
) -> Value | None:
    number = parse_number(part, words)
    if number is None and unit and canonical not in _TIMES_AND_SHARES:
        number = parse_multiple(part, words)
    if number is not None and behind.strip():
        unit = read_unit(behind.strip(), canonical)
        if unit is None:
            return None
    if number is not None:
        if number.value < 0:
            return None
        if unit is not None:
            return Value(number.scaled(unit.scale), unit, start, end)
        if canonical == "%":
            # A share of one is printed with a point and no sign, a percentage goes above one.
            is_plain = 1 < number.value <= 100
            return Value(number, Unit("", canonical, 1.0), start, end) if is_plain else None
        return None if canonical in _UNIT_NEEDED else Value(number, Unit("", canonical, 1.0), start, end)
    if canonical in ("s", "ms"):
        if is_doubtful(part, unit.printed if unit else None):
            return None
        # `12:34` may be hours and minutes or minutes and seconds.
        clock = parse_clock(part) if part.count(":") == 2 and not words else None
        if duration := parse_duration(part, words) or clock:
            return Value(duration.scaled(1000 if canonical == "ms" else 1), Unit("", canonical, 1.0), start, end)
        return None
    if (match := NUMBER_AND_UNIT.fullmatch(part)) and not _GLUED_BILLION.match(match["unit"]):
        own, number = read_unit(match["unit"], canonical), parse_number(match["number"], words)
        if own and number:
            # The words of a bound stand outside the number, as they do in a sentence; then its unit does, too.
            stop = start + match.end("number") if words else end
            return Value(number.scaled(own.scale), own, start, stop)
    return None


@lru_cache(_MEMORY)
def read_evaluation(text: str) -> Value | None:
    """Value, metric and unit of a cell such as `0.0719 MAE`, or None.

    A percentage needs its sign, unless it is a share that names its measure (`.76 Top1`); other metrics have none.
    """
    match = _EVALUATION.fullmatch(text)
    entry = find("metrics", match["metric"]) if match else None
    if match is None or entry is None:
        return None
    digits = match["number"]
    number = parse_number(match["sign"] + (f"0{digits}" if digits.startswith(".") else digits))
    if number is None:
        return None
    unit = str(entry.facts["unit"])
    if unit == "%" and not match["percent"]:
        if match["sign"] or number.value >= 1:
            return None
        number = number.scaled(100)
    elif unit != "%" and match["percent"]:
        return None
    return Value(number, Unit("", unit, 1.0), 0, len(text), entry.name)


@lru_cache(_MEMORY)
def cell_unit(text: str) -> str | None:
    """The unit printed behind the number of a cell (`951.2 img/s`, `8.4 ms`), or None."""
    if match := _BOUNDED.fullmatch(text):
        text = match["rest"]
    if match := _COMPARED.fullmatch(text):
        text = match["value"]
    match = NUMBER_AND_UNIT.fullmatch(text)
    if match is None:
        return None
    printed = match["unit"].strip()
    return printed if find_unit(printed) or unit_seconds(printed) or printed == "%" else None


@lru_cache(_MEMORY)
def states_unit(text: str) -> bool:
    """True for a cell that says in what its number is counted: `951.2 img/s`, `8.4 ms`, `31 min 1 sec`."""
    unit = cell_unit(text)
    return states_time(text) or (unit is not None and find_unit(unit) is not None)


@lru_cache(_MEMORY)
def states_time(text: str) -> bool:
    """True for a cell that is a time by itself: `8.4 ms`, `46m12s`; `1.66 M` and `3 m` may be something else."""
    if unit := cell_unit(text):
        return unit == unit.lower() and unit not in _LETTERS_OF_MUCH and unit_seconds(unit) is not None
    return parse_duration(text) is not None and len(_LETTERS.findall(text)) > 1


@lru_cache(_MEMORY)
def is_numeric(text: str) -> bool:
    """True for a cell whose content is a number, with a bound, a unit or a deviation or without."""
    if not text or not any(map(str.isdigit, text)):
        return False
    if parse_number(text) is not None or parse_multiple(text) is not None:
        return True
    if match := _BOUNDED.fullmatch(text):
        return is_numeric(match["rest"])
    if cell_unit(text) or parse_duration(text) is not None or _CURRENCY.match(text):
        return True
    return bool(_DEVIATION.fullmatch(text) or _COMPARED.fullmatch(text) or _DETAILED.fullmatch(text))
