"""Absolute numbers in running text: rates, times and list prices. Whose they are: `names.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.extract.mentions import Mention, find_mentions
from pipelines.extract.prose.comparisons import metrics_in, time_unit
from pipelines.extract.prose.factors import BOUND_PREFIX
from pipelines.extract.prose.names import canonical, is_other_side, part_around, platforms_in
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.durations import UNIT, parse_duration
from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import METRIC_OF_UNIT, find_unit

_MULTIPLES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9}
_MULTIPLE = r"(?P<multiple>\s?(?:thousand|million|billion)\b|[kKM](?![\w]))?"
# Where a number starts; the last group of `58 112` is none
_START = r"(?<![\w.,/$'-])(?<![\d,.]\d\s)"
_UNIT = rf"(?:{UNIT})(?![\w/-]|\.\d)"
_TIME = rf"{NUMBER}[\s-]?(?P<unit>{_UNIT}(?:(?:,|\s+and)?\s+{NUMBER}\s?{_UNIT}){{0,3}})"
# `9 minutes`, `1 hour 30 minutes`, `8-minute`, not `24 hours a day`; `58,112 `, `1.2 million `
_NUMBER = re.compile(
    rf"(?i:{BOUND_PREFIX}){_START}(?:(?P<time>{_TIME})(?!\s+(?:a\s+day|ago|old)\b)|(?P<rate>(?P<number>{NUMBER})(?i:{_MULTIPLE}))\s*)"
)
# `between 1,200 and `, `10 to `, `from 12 to`; `at a rate of 10 requests per second`: no result
_RANGE_BEFORE = re.compile(
    rf"(?:\bbetween\s+\S{{1,12}}(?:\s[a-z]+){{0,3}}\s+and|(?<![\w.,]){NUMBER}(?:\s[\w/]+){{0,3}}?(?<!\sup)\s+to"
    r"|\brate of|\b(?:down|up)?\s?from)\s+$",
    re.IGNORECASE,
)
_RANGE_REACH = 50
# Right before a time that something took: ` of `, ` in only `, ` takes `
_LASTS = re.compile(
    r"(?:\b(?:of|is|was|to|at|in|for|under|below|than|with|took|tak(?:es?|ing)|need(?:s|ed|ing)?)|[:=])\s*"
    r"(?:(?:only|just|the|an?)\s+)?$",
    re.IGNORECASE,
)
# Between a time and its metric right behind it: `2.5 ms average latency`
_BESIDE = re.compile(r"[\s-]{1,2}(?:of\s+)?(?:average\s+|mean\s+|end-to-end\s+)?")
_TRAINS = re.compile(r"\b(?:(?:pre-?)?train(?:s|ed|ing)?|fine-?tun\w+|converge[sd]?|to\s+convergence)\b", re.IGNORECASE)

# `$149,995`, `US$2 million`; not `$3.20 per hour`, and neither `$149` in `$149 995` nor `$149.995`
_PRICE = re.compile(
    rf"{BOUND_PREFIX}(?<![\w.,])(?P<value>(?:US)?\$\s?(?!\d+\.\d{{3}}(?!\d))(?P<number>{NUMBER}){_MULTIPLE})"
    r"(?!(?:\s|[,.]?')\d{3}(?!\d))(?![.,]?\w|\s*(?:/|per\b|an?\s+(?:hour|month)|-|\w*ly\b))",
    re.IGNORECASE,
)
_LIST_PRICE = re.compile(r"\b(?:list\s+price[ds]?|MSRP|retails?|sells\s+for|sold\s+for)\b[^,.;]{0,60}$", re.IGNORECASE)
# A ratio per dollar has two sides.
_SIDES = 2


@dataclass(frozen=True, slots=True)
class Number:
    """A printed absolute number.

    Attributes:
        start: First character of the value.
        end: One past its last character.
        metric: Canonical metric; None for a number with a unit of which nothing says what it measures.
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


def find_numbers(plain: str, claimed_metric: str | None) -> Iterator[Number]:
    """Rates and times of a sentence, in order; ends of ranges, changes and rates per dollar are left out.

    Args:
        plain: The sentence.
        claimed_metric: Metric of a claim in the same sentence, for the time that it is faster than.
    """
    read = (_time(plain, m, claimed_metric) if m["time"] else _rate(plain, m) for m in _NUMBER.finditer(plain))
    numbers = [number for number in read if number]
    ends = [number for number in numbers if ends_range(plain, number.start)]
    for number in numbers:
        # `10 minutes to 12 minutes`
        is_begin = any(number.end < end.start and "," not in plain[number.end : end.start] for end in ends)
        if number not in ends and not is_begin:
            yield number


def ends_range(plain: str, start: int) -> bool:
    """True for the second number of `between 10 and 12 minutes`, which alone is no result."""
    return _RANGE_BEFORE.search(plain, max(0, start - _RANGE_REACH), start) is not None


def _rate(plain: str, match: re.Match[str]) -> Number | None:
    """A number of items per second, also per device, per user or per watt."""
    unit = next((m for m in find_mentions(plain, True) if m.kind == "unit" and m.start <= match.end() < m.end), None)
    quantity = _number(match)
    # `images per second per dollar` is no rate of a system.
    if unit is None or quantity is None or plain[unit.end :].lstrip().startswith(("per ", "/")):
        return None
    # `58 k images/s`: the thousand may stand in the unit.
    printed = plain[match.end() : unit.end].rstrip(".")
    known = find_unit(printed)
    name = METRIC_OF_UNIT.get(("throughput", known.canonical)) if known else None
    name = "throughput" if known and known.canonical == "items/s" else name
    metric = find("metrics", name) if name else None
    if known is None or metric is None:
        return None
    span = match.span("rate")
    return Number(
        *span, name, quantity.scaled(known.scale), str(metric.facts["unit"]), printed, known.entry.facts.get("item")
    )


def _time(plain: str, match: re.Match[str], claimed_metric: str | None) -> Number | None:
    start, end = match.span("time")
    metric = _metric_of_time(plain, match.start(), end)
    if metric is None and time_unit(claimed_metric) and is_other_side(plain, match.start()):
        metric = claimed_metric
    # `8-minute`, `1 hour and 30 minutes`
    quantity = parse_duration(match["time"].replace("-", " ").replace(" and ", " "), _words(match))
    if quantity is None:
        return None
    unit = time_unit(metric) or "s"
    return Number(start, end, metric, quantity.scaled(1000 if unit == "ms" else 1), unit, match["unit"])


def _words(match: re.Match[str]) -> str:
    return " ".join((match["bound"] or "").lower().split())


def _metric_of_time(plain: str, start: int, end: int) -> str | None:
    """The time that is named beside a value, or before it in its part, or that of a training told of there."""
    left, right = part_around(plain, start, end)
    named = [(name, low, high) for name, low, high in metrics_in(plain) if time_unit(name)]
    for name, low, high in named:
        if _BESIDE.fullmatch(plain, end, low) or (high <= start and not plain[high:start].strip(" :=(")):
            return name
    if not _LASTS.search(plain, left, start):
        return None
    before = [name for name, low, _ in named if left <= low < start]
    return before[-1] if before else "time_to_train" if _TRAINS.search(plain, left, right) else None


def _number(match: re.Match[str]) -> Quantity | None:
    """The number of a rate or a price, with the word behind it (`1.2 million`), or None."""
    quantity = parse_number(match["number"], _words(match))
    if quantity is None or not match["multiple"]:
        return quantity
    return quantity.scaled(_MULTIPLES[match["multiple"].strip().lower()])


# List prices, and the platforms they are printed for


@dataclass(frozen=True, slots=True)
class PrintedPrice:
    """A list price in dollars, the characters it is printed in, and its platform."""

    start: int
    end: int
    dollars: Quantity
    platform: Mention


def find_prices(plain: str) -> Iterator[PrintedPrice]:
    """Every list price of a system; hourly rates, savings and markets are none, and a chip stands for its server."""
    last = 0
    for match in _PRICE.finditer(plain):
        dollars = _number(match)
        before = [mention for mention in platforms_in(plain) if last <= mention.start < match.start()]
        entry = find("platforms", before[-1].value) if before else None
        last = match.end()
        if dollars and entry and entry.facts.get("chips") != 1 and _LIST_PRICE.search(plain, 0, match.start()):
            yield PrintedPrice(*match.span("value"), dollars, before[-1])


def sides_by_price(sentence: Sentence, subject: str | None) -> tuple[str | None, str | None]:
    """Subject and baseline of a ratio per dollar that names no baseline.

    Such a ratio needs both prices: where the section has printed those of exactly two platforms, these are the two
    sides. A vendor named in the sentence stands for its priced platform.
    """
    priced = {
        canonical(price.platform.value): other.name(price.platform.start, price.platform.end)
        for other in (*sentence.before(), sentence)
        for price in find_prices(other.plain)
    }
    if len(priced) != _SIDES:
        return subject, None
    entries = {key: find("platforms", name) for key, name in priced.items()}
    makers = {key: str(entry.facts.get("vendor")) for key, entry in entries.items() if entry}
    named = [key for key, maker in makers.items() if re.search(rf"\b{re.escape(maker)}\b", sentence.plain)]
    if subject is None and len(named) == 1:
        subject = priced[named[0]]
    others = [name for key, name in priced.items() if subject and key != canonical(subject)]
    return subject, others[0] if len(others) == 1 else None
