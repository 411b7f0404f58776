"""Absolute numbers in running text: throughputs. Times: `times.py`; prices: `prices.py`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipelines.extract.prose.factors import BOUND_PREFIX, bound_words
from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find, spelling_pattern
from pipelines.vocabulary.units import METRIC_OF_UNIT, find_unit

_MULTIPLES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9}
MULTIPLE = r"(?P<multiple>\s?(?:thousand|million|billion)\b|[kKM](?![\w]))?"
_NUMBER = rf"{BOUND_PREFIX}(?<![\w.,/$-])(?P<number>{NUMBER}){MULTIPLE}"
# `58,112`, `1.2 million`, `300K`
_PRINTED = re.compile(rf"(?P<number>{NUMBER}){MULTIPLE}", re.IGNORECASE)
# `58,112 images per second`
_PER_EACH = re.compile(
    r"\s*+(?:per|/)\s*+(?:second\s*+(?:/\s*+)?)?(?:user|dollar|\$|watt|W\b|chip|GPU|accelerator|core|device|socket|day|node)",
    re.IGNORECASE,
)
# `images/sec per chip`, `tokens per second per GPU`, `TFLOP/s/device`
_RATE_OF_ONE = re.compile(r"[A-Za-z]+(?: [a-z]+)?(?:\s?/\s?|\s+per\s+)[A-Za-z]+(?:(?:\s?/\s?|\s+per\s+)[A-Za-z]+)?")
# `between 1,200 and `, `10 to `
_RANGE_BEFORE = re.compile(
    rf"(?:\bbetween\s+\S{{1,12}}(?:\s[a-z]+){{0,3}}\s+and|(?<![\w.,]){NUMBER}\s+to)\s+$", re.IGNORECASE
)
_RANGE_REACH = 50
_OF_CLIENTS = frozenset({"requests", "queries"})
# `sent 100 prompts at a rate of 10 requests per second`: how often a client asks
_ASKED = re.compile(
    r"\b(?:at (?:a |an )?(?:\w+ )?rate of|request[- ]rates? (?:of|is|was|to)|arriv\w+ (?:rate )?(?:at|of))\s+$",
    re.IGNORECASE,
)
_ASKED_REACH = 40
_NO_BENCHMARK = re.compile(r"\b(?:camera|video\s+(?:stream|feed)|playback|real[\s-]time\s+video)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A printed absolute number.

    Attributes:
        start: First character of the value.
        end: One past its last character.
        metric: Canonical metric; None for a time of which another number of the sentence says what it is.
        quantity: The value in the canonical unit.
        unit: Canonical unit.
        unit_printed: The unit as printed.
        item: What is counted, for a throughput.
    """

    start: int
    end: int
    metric: str | None
    quantity: Quantity
    unit: str
    unit_printed: str | None = None
    item: str | None = None


def find_throughputs(plain: str, new_values: Collection[int] = ()) -> Iterator[Number]:
    """Numbers of items per second, also per device, per user or per watt; rates per dollar or of a video are none.

    Args:
        plain: The sentence.
        new_values: Where values start that hold after a change, and end no range: `from 1,000 to 1,500`.
    """
    if _NO_BENCHMARK.search(plain):
        return
    for match in re.finditer(_NUMBER, plain, re.IGNORECASE):
        behind = match.end() + len(plain[match.end() :]) - len(plain[match.end() :].lstrip())
        if number := _rate_of_one(plain, match, behind, new_values):
            yield number
            continue
        printed = spelling_pattern("units").match(plain, behind)
        entry = find("units", printed[0]) if printed else None
        if not printed or not entry or entry.facts.get("unit") != "items/s" or _PER_EACH.match(plain, printed.end()):
            continue
        quantity = parse_number(match["number"], bound_words(match["bound"]))
        start = match.start("number")
        is_asked = _ASKED.search(plain, max(0, start - _ASKED_REACH), start) and entry.facts.get("item") in _OF_CLIENTS
        if quantity and not is_asked and (start in new_values or not ends_range(plain, start)):
            # `58 k images/s`: the thousand may stand in the unit.
            quantity = multiplied(quantity, match["multiple"]).scaled(float(entry.facts["scale"]))
            yield Number(
                start,
                match.end(),
                "throughput",
                quantity,
                "items/s",
                printed[0],
                entry.facts.get("item"),
            )


def _rate_of_one(plain: str, match: re.Match[str], behind: int, new_values: Collection[int]) -> Number | None:
    """What one device, user or watt gives: another quantity than the throughput of the system."""
    printed = _RATE_OF_ONE.match(plain, behind)
    unit = find_unit(printed[0]) if printed else None
    metric = find("metrics", METRIC_OF_UNIT.get(("throughput", unit.canonical), "")) if unit else None
    quantity, start = parse_number(match["number"], bound_words(match["bound"])), match.start("number")
    if (
        not printed
        or not unit
        or not metric
        or not quantity
        or not (start in new_values or not ends_range(plain, start))
    ):
        return None
    quantity = multiplied(quantity, match["multiple"]).scaled(unit.scale)
    item = unit.entry.facts.get("item")
    return Number(start, match.end(), metric.name, quantity, str(metric.facts["unit"]), printed[0], item)


def ends_range(plain: str, start: int) -> bool:
    """True for the second number of `between 10 and 12 minutes`, which alone is no result."""
    return _RANGE_BEFORE.search(plain, max(0, start - _RANGE_REACH), start) is not None


def read_multiple(printed: str, words: str = "") -> Quantity | None:
    """The number of a text that is one, with the word behind it (`1.2 million`), or None."""
    match = _PRINTED.fullmatch(printed)
    quantity = parse_number(match["number"], words) if match else None
    return multiplied(quantity, match["multiple"]) if match and quantity else None


def multiplied(quantity: Quantity, multiple: str | None) -> Quantity:
    """The quantity times the word behind its number: `1.2 million`, `300K`."""
    return quantity.scaled(_MULTIPLES[multiple.strip().lower()]) if multiple else quantity
