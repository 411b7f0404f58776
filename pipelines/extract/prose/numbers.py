"""Absolute numbers in running text: rates, times, changes from one to another, list prices."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipelines.extract.mentions import find_mentions
from pipelines.extract.prose.clauses import clause_around
from pipelines.extract.prose.comparisons import Comparison, Unread
from pipelines.extract.prose.factors import BOUND_PREFIX, Factor, bound_words
from pipelines.extract.prose.metrics import metrics_in
from pipelines.extract.prose.names import Mention, canonical, platforms_in, vendor_of, vendors_in
from pipelines.extract.prose.sentences import Sentence
from pipelines.extract.prose.subjects import is_other_side
from pipelines.values.durations import UNIT, parse_duration
from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import METRIC_OF_UNIT, PrintedUnit, find_unit

_MULTIPLES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9}
_MULTIPLE = r"(?P<multiple>\s?(?:thousand|million|billion)\b|[kKM](?![\w]))?"
# Where a number starts; the last group of `58 112` is none
_START = r"(?<![\w.,/$'-])(?<![\d,.]\d\s)"
# `58,112`, `1.2 million`, `300K`
_RATE = re.compile(rf"{BOUND_PREFIX}{_START}(?P<number>{NUMBER}){_MULTIPLE}\s*", re.IGNORECASE)
_PRINTED = re.compile(rf"(?P<number>{NUMBER}){_MULTIPLE}", re.IGNORECASE)
# `images per second per dollar`: no rate of a system
_PER_EACH = re.compile(r"\s*+(?:per|/)\s*+\w", re.IGNORECASE)
# `between 1,200 and `, `10 to `
_RANGE_BEFORE = re.compile(
    rf"(?:\bbetween\s+\S{{1,12}}(?:\s[a-z]+){{0,3}}\s+and|(?<![\w.,]){NUMBER}\s+to)\s+$", re.IGNORECASE
)
_RANGE_REACH = 50
# How often a client asks is no result: `at a rate of 10 requests per second`
_ASKED = re.compile(r"\brate of\s+$", re.IGNORECASE)

_TIME = rf"{NUMBER}[\s-]?(?:{UNIT})(?![\w/-]|\.\d)(?:(?:,|\s+and)?\s+{NUMBER}\s?(?:{UNIT})(?![\w/-]|\.\d)){{0,3}}"
# `9 minutes`, `14.5 min`, `1 hour 30 minutes`, `8-minute`; not `24 hours a day`
_DURATION = re.compile(rf"(?i:{BOUND_PREFIX}){_START}(?P<value>{_TIME})(?!\s+(?:a\s+day|ago|old)\b)")
# Right before a time that something took: ` of `, ` in only `, ` takes `, ` versus `
_LASTS = re.compile(
    r"(?:\b(?:of|is|was|to|at|in|and|for|under|below|than|against|versus|vs\.|with|took|tak(?:es?|ing)|need(?:s|ed|ing)?)|[:=])\s*"
    r"(?:(?:only|just|the|an?)\s+)?$",
    re.IGNORECASE,
)
# Between a time and its metric right behind it: `2.5 ms average latency`
_BESIDE = re.compile(r"[\s-]{1,2}(?:of\s+)?(?:average\s+|mean\s+|end-to-end\s+)?")
_TRAINS = re.compile(r"\b(?:(?:pre-?)?train(?:s|ed|ing)?|fine-?tun\w+|converge[sd]?|to\s+convergence)\b", re.IGNORECASE)
# `11 minutes to train BERT`, `29.1 minutes for ResNet-50 training`
_TO_TRAIN = re.compile(r"\s+(?:to\s+(?:train|converge)|for\s+(?:[\w./-]+\s+){0,4}?training)\b", re.IGNORECASE)

_AMOUNT = rf"(?:{_TIME}|{NUMBER}(?:\s+[a-z]+(?:\s?/\s?|\s+per\s+)[a-z]+)?)"
_CHANGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # `from 12 to 9 minutes`, `from 1,000 to 1,500 images per second`
        rf"\bfrom\s+(?P<span>(?P<old>{_AMOUNT})\s+(?:down\s+|up\s+)?to\s+(?:just\s+|only\s+)?(?P<new>{_AMOUNT}))",
        # `9 minutes, down from 12 minutes`, `1,500 images per second (up from 1,000)`
        rf"(?<![\w.,/$-])(?P<span>(?P<new>{_AMOUNT}),?\s+\(?(?:down|up)\s+from\s+(?P<old>{_AMOUNT}))",
    )
)
_SPLIT = re.compile(rf"(?P<number>{NUMBER})[\s-]?(?P<unit>.*)", re.DOTALL)
_SAYS_CHANGE = re.compile(
    r"\b(?:reduc|cut|improv|drop|decreas|lower|short|fell|fall|went|brought|bring|down|increas|rais|grew|rose|up|took|push)\w*\b",
    re.IGNORECASE,
)

_CURRENCY = r"(?:US)?\$\s?"
# `$149,995`, `US$2 million`; not `$3.20 per hour`, and neither `$149` in `$149 995` nor `$149.995`
_PRICE = re.compile(
    rf"{BOUND_PREFIX}(?<![\w.,])(?P<value>{_CURRENCY}(?!\d+\.\d{{3}}(?!\d))(?P<number>{NUMBER}){_MULTIPLE})"
    r"(?!(?:\s|[,.]?')\d{3}(?!\d))(?![.,]?\w|\s*(?:/|per\b|an?\s+(?:hour|month)|-|\w*ly\b))",
    re.IGNORECASE,
)
_PRICE_WORDS = re.compile(
    r"\b(?:price[ds]?|MSRP|costs?|costing|available\s+(?:for|at)|s(?:ells|old)\s+(?:for|at)|retails?|estimated)\b[^.;]{0,60}$",
    re.IGNORECASE,
)
# `Training BERT on the A100 costs`: what a run costs is no price of a system
_RUN = re.compile(
    r"\b(?:pre-?|fine-?)?(?:trained|tuned|served)\b[^;]*$|(?:^|[,;]\s|\bthat\s)\s*(?:to\s+)?(?:(?:pre|fine)-?)?(?:train|tun|run|serv|infer)(?:e|ing|ning|ence)?\b[^,;]*$",
    re.IGNORECASE,
)
# `an H100 server costs $300,000`, `the Gaudi 3 baseboard`: the price of more than the chip that is named
_AROUND_CHIP = re.compile(
    r"\s+(?:(?:based|powered)\s+)?(?:base-?boards?|servers?|nodes?|racks?|clusters?|box(?:es)?)\b", re.IGNORECASE
)
# A ratio per dollar has two sides.
_SIDES = 2


@dataclass(frozen=True, slots=True)
class Number:
    """A printed absolute number.

    Attributes:
        start: First character of the value.
        end: One past its last character.
        metric: Canonical metric.
        quantity: The value in the canonical unit.
        unit: Canonical unit.
        unit_printed: The unit as printed.
        item: What is counted, for a throughput.
    """

    start: int
    end: int
    metric: str
    quantity: Quantity
    unit: str
    unit_printed: str | None = None
    item: str | None = None


@dataclass(frozen=True, slots=True)
class PrintedPrice:
    """A list price in dollars, the characters it is printed in, and the platform as printed."""

    start: int
    end: int
    dollars: Quantity
    platform_printed: str


# Rates


def find_throughputs(plain: str, new_values: Collection[int] = ()) -> Iterator[Number]:
    """Numbers of items per second, also per device, per user or per watt; rates per dollar are none.

    Args:
        plain: The sentence.
        new_values: Where values start that hold after a change, and end no range: `from 1,000 to 1,500`.
    """
    for match in _RATE.finditer(plain):
        unit, printed = _unit_at(plain, match.end())
        quantity = parse_number(match["number"], bound_words(match["bound"]))
        start = match.start("number")
        name = METRIC_OF_UNIT.get(("throughput", unit.canonical)) if unit else None
        if unit and unit.canonical == "items/s":
            name = "throughput"
        if not (unit and name and quantity) or (ends_range(plain, start) and start not in new_values):
            continue
        if _ASKED.search(plain, max(0, start - _RANGE_REACH), start):
            continue
        # `58 k images/s`: the thousand may stand in the unit.
        value = _multiplied(quantity, match["multiple"]).scaled(unit.scale)
        metric = find("metrics", name)
        end = match.end("multiple") if match["multiple"] else match.end("number")
        canonical_unit = str(metric.facts["unit"]) if metric else ""
        yield Number(start, end, name, value, canonical_unit, printed, unit.entry.facts.get("item"))


def _unit_at(plain: str, start: int) -> tuple[PrintedUnit | None, str]:
    """The unit that begins here, or around here where its multiple was read with the number."""
    for mention in find_mentions(plain, True):
        if mention.kind == "unit" and mention.start <= start < mention.end:
            printed = plain[start : mention.end].rstrip(".")
            return (None if _PER_EACH.match(plain, mention.end) else find_unit(printed)), printed
    return None, ""


def ends_range(plain: str, start: int) -> bool:
    """True for the second number of `between 10 and 12 minutes`, which alone is no result."""
    return _RANGE_BEFORE.search(plain, max(0, start - _RANGE_REACH), start) is not None


def read_multiple(printed: str, words: str = "") -> Quantity | None:
    """The number of a text that is one, with the word behind it (`1.2 million`), or None."""
    match = _PRINTED.fullmatch(printed)
    quantity = parse_number(match["number"], words) if match else None
    return _multiplied(quantity, match["multiple"]) if match and quantity else None


def _multiplied(quantity: Quantity, multiple: str | None) -> Quantity:
    return quantity.scaled(_MULTIPLES[multiple.strip().lower()]) if multiple else quantity


# Times that say what they measure: `a time-to-train of 14.5 minutes`


def find_times(
    plain: str, claimed_metric: str | None, scored_metric: str | None = None, new_values: Collection[int] = ()
) -> Iterator[Number]:
    """Times of a sentence that name what they measure, in order.

    Args:
        plain: The sentence.
        claimed_metric: Metric of a claim in the same sentence, for the time that it is faster than.
        scored_metric: The only metric that the benchmark of the sentence has.
        new_values: Where values start that hold after a change, and end no range: `from 12 to 9 minutes`.
    """
    for match in _DURATION.finditer(plain):
        begin, start = match.start(), match.start("value")
        is_new = start in new_values
        metric = _metric_of_time(plain, begin, match.end())
        if metric is None and time_unit(claimed_metric) and (is_new or is_other_side(plain, begin)):
            metric = claimed_metric
        if metric is None and time_unit(scored_metric) and (is_new or _LASTS.search(plain, 0, begin)):
            metric = scored_metric
        quantity, unit = read_time(match["value"], bound_words(match["bound"])), time_unit(metric)
        if metric is None or unit is None or quantity is None or (ends_range(plain, start) and not is_new):
            continue
        printed = _SPLIT.sub(r"\g<unit>", match["value"])
        yield Number(start, match.end("value"), metric, in_unit(quantity, unit), unit, printed)


def _metric_of_time(plain: str, start: int, end: int) -> str | None:
    """The time that is named beside a value, or before it in its clause, or that of a training told of there."""
    left, right = clause_around(plain, start, end)
    named = [(name, low, high) for name, low, high in metrics_in(plain) if time_unit(name)]
    for name, low, high in named:
        if _BESIDE.fullmatch(plain, end, low) or (high <= start and not plain[high:start].strip(" :=(")):
            return name
    if _LASTS.search(plain, left, start):
        before = [name for name, low, _ in named if left <= low < start]
        return before[-1] if before else "time_to_train" if _TRAINS.search(plain, left, right) else None
    return "time_to_train" if _TO_TRAIN.match(plain, end) else None


def read_time(printed: str, words: str = "") -> Quantity | None:
    """Seconds of a time in running text (`14.5 minutes`, `8-minute`, `1 hour and 30 minutes`), or None."""
    return parse_duration(printed.replace("-", " ").replace(" and ", " "), words)


def time_unit(metric: str | None) -> str | None:
    """Canonical unit (s or ms) of a metric that is a time, None of any other."""
    entry = find("metrics", metric) if metric else None
    unit = entry.facts.get("unit") if entry else None
    return unit if unit in ("s", "ms") else None


def in_unit(seconds: Quantity, unit: str) -> Quantity:
    """A quantity in seconds in the canonical unit of its metric."""
    return seconds.scaled(1000) if unit == "ms" else seconds


# Changes printed as two values: `time-to-train fell from 12 to 9 minutes`


def find_changes(plain: str) -> Iterator[tuple[int, Comparison | Unread]]:
    """Changes from one value to another, each with the first character of the new value, which is a result as well.

    One whose direction or metric is not clear is unread.
    """
    for match in (match for pattern in _CHANGES for match in pattern.finditer(plain)):
        old, new = _SPLIT.fullmatch(match["old"]), _SPLIT.fullmatch(match["new"])
        if old is None or new is None:
            continue
        end = match.end("span")
        before, after = read_time(match["old"] if old["unit"] else f"{old[0]} {new['unit']}"), read_time(match["new"])
        metrics = {name for name, _, _ in metrics_in(plain) if time_unit(name)}
        is_time = after is not None
        if is_time:
            metrics = metrics or ({"time_to_train"} if _TRAINS.search(plain) else set())
        else:
            rate, _ = _unit_at(plain, match.start("new") + new.start("unit"))
            if rate is None or rate.canonical != "items/s":
                continue
            end = match.start("new") + new.end("number") if match.end("new") == end else end
            before, after, metrics = parse_number(old["number"]), parse_number(new["number"]), {"throughput"}
        if before is None or after is None or min(before.value, after.value) <= 0:
            continue
        better, worse = (before, after) if is_time else (after, before)
        high = better.high / worse.low if worse.low > 0 else math.inf
        ratio = Quantity(better.value / worse.value, better.low / worse.high, high)
        factor = Factor(match.start(), match.start("span"), end, "times", ratio)
        if len(metrics) != 1 or not _SAYS_CHANGE.search(plain) or ratio.value <= 1:
            reason = "two values of one quantity; which metric changed, or for the better, is not stated"
            yield match.start("new"), Unread(factor, reason)
        else:
            yield match.start("new"), Comparison(factor, ratio, metrics.pop(), False)


# List prices, and the platforms they are printed for


def find_prices(sentence: Sentence) -> Iterator[PrintedPrice]:
    """Every list price of a platform; hourly rates, savings and markets are none."""
    last, plain = 0, sentence.plain
    for match in _PRICE.finditer(plain):
        start, end = match.span("value")
        dollars = read_dollars(match["value"], bound_words(match["bound"]))
        mention, last = _sold(sentence, start, end, last), match.end()
        if dollars is None or mention is None:
            continue
        if not _PRICE_WORDS.search(plain, 0, match.start()) or _RUN.search(plain, 0, match.start()):
            continue
        entry = find("platforms", mention.name)
        if not (_AROUND_CHIP.match(plain, mention.end) and entry and entry.facts.get("chips") == 1):
            yield PrintedPrice(start, end, dollars, sentence.name(mention.start, mention.end))


def _sold(sentence: Sentence, start: int, end: int, since: int) -> Mention | None:
    """The platform that a price is of, as far as this sentence tells; what stands before `since` has its price."""
    plain = sentence.plain
    before = [mention for mention in platforms_in(plain) if since <= mention.start < start]
    return before[-1] if before else None


def read_dollars(printed: str, words: str = "") -> Quantity | None:
    """Dollars of a price (`$149,995`, `US$2 million`), or None."""
    currency = re.match(_CURRENCY, printed, re.IGNORECASE)
    return read_multiple(printed[currency.end() :], words) if currency else None


def sides_by_price(sentence: Sentence, subject: str | None) -> tuple[str | None, str | None]:
    """Subject and baseline of a ratio per dollar that names no baseline.

    Such a ratio needs both prices: where the section has printed those of exactly two platforms, these are the two
    sides. A vendor named in the sentence stands for its priced platform.
    """
    printed = [price.platform_printed for other in (*sentence.before(), sentence) for price in find_prices(other)]
    priced = {canonical(name): name for name in printed}
    if len(priced) != _SIDES:
        return subject, None
    named = vendors_in(sentence.plain)
    if subject is None and len(named) == 1:
        own = [name for name in priced.values() if vendor_of(name) == named[0]]
        subject = own[0] if len(own) == 1 else None
    others = [name for key, name in priced.items() if subject and key != canonical(subject)]
    return subject, others[0] if len(others) == 1 else None
