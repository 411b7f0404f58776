"""What a sentence prints: the parts it falls into, factors (`2.6x`, `31%`), metrics, rates and
times.

Which factor is a claim: `comparisons.py`. Whose they are: `names.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from pipelines.extract.mentions import find_mentions
from pipelines.values.durations import UNIT, parse_duration
from pipelines.values.numbers import BOUND, NUMBER, parse_number
from pipelines.values.quantity import Quantity, bounded
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import METRIC_OF_UNIT, find_unit

Span = tuple[int, int]
Kind = Literal["times", "percent"]
# up: more, higher. down: lower, less. good: better, improvement. fast: faster, speedup. bad:
# slower, worse.
Direction = Literal["up", "down", "good", "fast", "bad"]

# Where another part of a sentence starts, and where a separate clause does
PART = re.compile(
    r"(?i)(?P<clause>,\s+and\s|[;:]\s|\s(?:while|whereas|but|although|though)\s|\s-\s)|,\s"
    r"|\b(?:resulting in|leading to)\b"
)
# `than`, `vs the`, `compared to`, `outperforms`; `over` and `than` only where they are no bound
# (`over 5x`)
COMPARATOR = re.compile(
    r"(?i)(?<![\w-])(?:(?P<first>(?:in\s+)?compar(?:ed|ing|ison)\s+(?:to|with|against)|relative\s+to)"
    r"|(?P<verb>outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|beat(?:s|ing|en)?|trail(?:s|ed)|lag(?:s|ged)(?:\s+behind)?|los(?:es|t)\s+to)|than(?!\s+\$?\d+(?![\dx]|\s?x))|vs\.?|versus"
    r"|against|unlike|instead\s+of|rather\s+than|since\s+(?:our|its|their|the|last|previous)"
    r"|over(?!\s+(?:an?\s+)?(?:[\d$]|(?:\w+\s+)?(?:range|variety|set|number|period)\b))(?!\s+(?:the\s+)?(?:last|past|next|previous\s+(?:\w+\s+)?(?:months?|years?)))"
    r"|as\s+(?:fast|quick|quickly|much|many|high|efficient|good)(?:\s+[\w-]+){0,3}?\s+as)(?![\w-])"
)


@lru_cache(maxsize=4096)
def part_around(plain: str, start: int, end: int, *, is_clause: bool = False) -> Span:
    """First and last offset of the part, between commas and the like, or of the clause that holds a
    value.
    """
    left, right = 0, len(plain)
    for part in PART.finditer(plain):
        if is_clause and not part["clause"]:
            continue
        if part.end() <= start:
            left = part.end()
        elif part.start() >= end:
            return left, part.start()
    return left, right


def is_other_side(plain: str, start: int) -> bool:
    """True for a number that another one is set against: `faster than the 48 hours`,
    `1,107 vs. 395`.
    """
    ends = [match.end() for match in COMPARATOR.finditer(plain)]
    return any(end <= start and plain[end:start].strip() in ("", "the") for end in ends)


# `over`, `more than`, `up to a`, `up to an impressive`, `up to ~`, before a number
BOUND_PREFIX = (
    rf"(?:(?<![\w.])(?P<bound>{BOUND})\s*(?:an?\s+)?"
    r"(?:(?:whopping|staggering|impressive|remarkable|massive|incredible|full|further|additional|about|around|roughly)\s+|~)?)?"
)
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "hundred": 100,
    "twice": 2, "double": 2, "triple": 3,
}  # fmt: skip
_VALUE = rf"(?:{NUMBER}|(?:{'|'.join(list(_WORDS)[:10])})(?=[\s-]))"
# An entity `&times;` becomes blanks and the sign, so that the sign ends where the entity does.
_SIGN = (
    r"(?:(?:\s?x|\s{0,6}\u00d7)(?![\w/]|-\d|-fold|\s?(?:%|percent\b))|[\s-]times\b|[\s-]?fold\b)"
)
_PERCENT = r"(?:\s?(?:%|percent\b(?!\s+points?)|per\s+cent\b))"
# `2.6x`, `>60x`, `1.5 times`, `2.8-fold`, `31 percent`; `2x-3x`, `20% to 30%`, `between 2x and 3x`;
# `twice the`; `between about 20% and 80%`, `20% to more than 80%`
_FACTOR = re.compile(
    rf"(?i){BOUND_PREFIX}(?:(?P<between>\bbetween\s+(?:(?P<least>{BOUND})\s*)?)?(?<![\w.,/$-])"
    rf"(?:(?P<low>{_VALUE})(?P<first>\s?[x\u00d7]|{_PERCENT})?\s*(?(between)and|(?:-|to|or|~))\s*(?:(?P<most>{BOUND})\s*)?)?"
    rf"(?P<high>{_VALUE})(?:(?P<times>{_SIGN})|{_PERCENT})"
    # `3x+`, `3x or more`
    r"(?P<plus>\+|\s+(?:or|and)\s+(?:more|greater|better|above|higher)\b)?"
    r"|\b(?P<word>twice|double|triple)(?=\s+(?:as|the|its|that|faster|higher|more)\b))"
)


class Factor(NamedTuple):
    """A printed factor.

    Attributes:
        outer: First character with the words of the bound before it.
        start: First character of the value; a sign glued to it (`>60x`) belongs to it.
        end: One past the last character of the value.
        kind: `times` (2.6x) or `percent` (31%: the quantity is 31).
        quantity: The number as printed, with its interval and bound.
        fault: Why it cannot be read, or None.
    """

    outer: int
    start: int
    end: int
    kind: Kind
    quantity: Quantity
    fault: str | None = None


@lru_cache(maxsize=1024)
def find_factors(plain: str) -> tuple[Factor, ...]:
    """Every printed factor of a sentence in order; counts of hardware such as `8x H100` are still
    among them.
    """
    if not (any(map(str.isdigit, plain)) or "t" in plain.lower()):
        return ()
    return tuple(factor for match in _FACTOR.finditer(plain) if (factor := _factor(match)))


def _factor(match: re.Match[str]) -> Factor | None:
    words, low, fault = match["bound"] or ("at least" if match["plus"] else ""), match["low"], None
    kind: Kind = "times" if match["times"] or match["word"] else "percent"
    quantity = _value(match["word"] or match["high"], words)
    start = match.start("word" if match["word"] else "low" if low else "high")
    if low is not None:
        least = _value(low, "")
        is_mixed = match["first"] and (
            "%" in match["first"] or "per" in match["first"].lower()
        ) == (kind == "times")
        if quantity is None or least is None or not 0 < least.value < quantity.value or is_mixed:
            return None
        hedges = [
            words,
            match["least"] or "",
            match["most"] or "",
            "at least" if match["plus"] else "",
        ]
        bounds = {bounded(1.0, 1.0, hedge).bound for hedge in hedges} - {"eq"}
        if bounds - {"approx"}:
            fault = "the bound of a range is not `about`, so the ends that are meant are not stated"
        quantity = Quantity(least.value, least.value, quantity.value, "approx" if bounds else "eq")
    elif match["bound"] and not words[-1].isalpha() and match.end("bound") == start:
        start = match.start("bound")
    if quantity is None or quantity.value <= 0:
        return None
    return Factor(match.start(), start, match.end(), kind, quantity, fault)


def _value(printed: str, words: str) -> Quantity | None:
    value = _WORDS.get(printed.lower())
    return parse_number(printed, words) if value is None else bounded(float(value), 1, words)


def advantage(factor: Factor, direction: Direction, *, is_lower_better: bool = False) -> Quantity:
    """The ratio with its interval: `2.6x` is 2.6, `31%` more 1.31, a reduction by `45%` 1 / (1 -
    0.45).

    A time that is `31% faster` may take 31% less, or do 31% more in the same: it is both and all
    between.
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


# `at the lowest latency`, `in a lowest latency comparison`: a condition of the comparison, not what
# is compared
_AT = re.compile(
    r"(?i)\b(?:at|in|under|with)\s+(?:(?:an?|the|its|their|any)\s+)?(?:(?:lowest|low|lower|same|equal|similar|comparable|best)[\s-]+)+"
    r"(?:latency|latencies|power|accuracy|batch\s+sizes?|throughput|cost|price)(?:\s+and\s+(?:latency|power|accuracy|price))?"
    r"(?:\s+(?:comparison|scenario|configuration)|\s+achievable\s+by\s+the\s+[\w-]+)?"
    r"|\bat\s+(?:the\s+|any\s+)?batch\s+sizes?\b(?!\s+(?:of\s+)?\d)"
)
# Conditions that a sentence states: `at concurrency 64`, `with an input length of 2048`
IN_SENTENCE = frozenset(name for name, known in dimensions().items() if known.in_sentence)
# ` on `, ` for our `, ` (`: the text after a value belongs to it
LINK = re.compile(
    r"(?i)(?:\b(?:on|for|in|with|using|across|running|training|at)\s+(?:(?:the|an?|our|both|one|single|new|latest"
    r"|\d{1,6}x?|[\d,]{5,7}|two|four|eight)\s+)*|\((?:on\s+)?)(?:[A-Z]\w+\s)?$"
)


@lru_cache(maxsize=1024)
def condition_spans(plain: str, *, with_platforms: bool = False) -> tuple[Span, ...]:
    """Characters of the conditions that a comparison is printed with, in order; also of where both
    sides ran.
    """
    found, kind = list[Span](), ""
    for mention in find_mentions(plain, True):
        link = LINK.search(plain, 0, mention.start)
        is_place = with_platforms and mention.kind == "platform"
        if mention.kind not in IN_SENTENCE and not is_place:
            continue
        if (
            link
            and link[0][0] != "("
            and not (is_place and link[0][:2].lower() not in ("on", "ac"))
        ):
            end = mention.end + len(" precision") * plain.startswith(" precision", mention.end)
            found.append((link.start(), end))
            kind = mention.kind
        elif kind == mention.kind and plain[found[-1][1] : mention.start].strip(" ,") in (
            "",
            "and",
            "&",
            "/",
        ):
            found[-1] = (found[-1][0], mention.end)
    return tuple(sorted({*found, *(match.span() for match in _AT.finditer(plain))}))


@lru_cache(maxsize=1024)
def metrics_in(plain: str) -> tuple[tuple[str, int, int], ...]:
    """(canonical metric, start, end) of every metric named, in order; those in a condition are left
    out.

    `performance` is the vocabulary's word for throughput; beside another metric it says nothing of
    its own.
    """
    spans, found = condition_spans(plain), []
    for mention in find_mentions(plain, True):
        if any(start <= mention.start < end for start, end in spans):
            continue
        known = find_unit(mention.value) if mention.kind == "unit" else None
        if mention.kind == "metric" or (known and known.canonical == "items/s"):
            found.append(
                (
                    mention.value if mention.kind == "metric" else "throughput",
                    mention.start,
                    mention.end,
                )
            )
    return tuple(found)


def metric_in(plain: str, *, at: int = 0) -> str | None:
    """The first metric named, or the last one (`at` -1); None where none is."""
    return found[at][0] if (found := metrics_in(plain)) else None


def fact(metric: str | None, name: str) -> str | None:
    """The vocabulary entry of a metric: `unit`, `better`."""
    entry = find("metrics", metric) if metric else None
    return entry.facts.get(name) if entry else None


def is_lower_better(metric: str | None) -> bool:
    """True for latencies and times."""
    return fact(metric, "better") == "lower"


def time_unit(metric: str | None) -> str | None:
    """Canonical unit (s or ms) of a metric that is a time, None of any other."""
    unit = fact(metric, "unit")
    return unit if unit in ("s", "ms") else None


_MULTIPLES = {"": 1, "thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9}
MULTIPLE = r"(?P<multiple>\s?(?:thousand|million|billion)\b|[kKM](?![\w]))?"
# Where a number starts; the last group of `58 112` is none
_START = r"(?<![\w.,/$'-])(?<![\d,.]\d\s)"
_UNIT = rf"(?:{UNIT})(?![\w/-]|\.\d)"
_TIME = rf"{NUMBER}[\s-]?(?P<unit>{_UNIT}(?:(?:,|\s+and)?\s+{NUMBER}\s?{_UNIT}){{0,3}})"
# `9 minutes`, `1 hour 30 minutes`, `8-minute`, not `24 hours a day`; `58,112 `, `1.2 million `
_NUMBER = re.compile(
    rf"(?i:{BOUND_PREFIX}){_START}(?:(?P<time>{_TIME})(?!\s+(?:a\s+day|ago|old)\b)|(?P<rate>(?P<number>{NUMBER})(?i:{MULTIPLE}))\s*)"
)
# `between 1,200 and `, `10 to `, `from 12 to`; `at a rate of 10 requests per second`: no result
_RANGE_BEFORE = re.compile(
    rf"(?i)(?:\bbetween\s+\S{{1,12}}(?:\s[a-z]+){{0,3}}\s+and|(?<![\w.,]){NUMBER}(?:\s[\w/]+){{0,3}}?(?<!\sup)\s+to"
    r"|\brate of|\b(?:down|up)?\s?from)\s+$"
)
_RANGE_REACH = 50
# Right before a time that something took: ` of `, ` in only `, ` takes `
_LASTS = re.compile(
    r"(?i)(?:\b(?:of|is|was|to|at|in|for|under|below|than|with|took|tak(?:es?|ing)|need(?:s|ed|ing)?)|[:=])\s*"
    r"(?:(?:only|just|the|an?)\s+)?$"
)
# Between a time and the metric after it: `2.5 ms average latency`
_BESIDE = re.compile(r"[\s-]{1,2}(?:of\s+)?(?:average\s+|mean\s+|end-to-end\s+)?")
_TRAINS = re.compile(
    r"(?i)\b(?:(?:pre-?)?train(?:s|ed|ing)?|fine-?tun\w+|converge[sd]?|to\s+convergence)\b"
)


class Number(NamedTuple):
    """A printed absolute number.

    Attributes:
        start: First character of the value.
        end: One past its last character.
        metric: Canonical metric; None if only the unit is stated.
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
    """Rates and times of a sentence, in order; ends of ranges, changes and rates per dollar are
    left out.

    Args:
        plain: The sentence.
        claimed_metric: Metric of a claim in the same sentence, for the time that it is faster than.
    """
    read = (
        _time(plain, m, claimed_metric) if m["time"] else _rate(plain, m)
        for m in _NUMBER.finditer(plain)
    )
    numbers = [number for number in read if number]
    ends = [number for number in numbers if ends_range(plain, number.start)]
    for number in numbers:
        # `10 minutes to 12 minutes`
        is_begin = any(
            number.end < end.start and "," not in plain[number.end : end.start] for end in ends
        )
        if number not in ends and not is_begin:
            yield number


def ends_range(plain: str, start: int) -> bool:
    """True for the second number of `between 10 and 12 minutes`, which alone is no result."""
    return _RANGE_BEFORE.search(plain, max(0, start - _RANGE_REACH), start) is not None


def _rate(plain: str, match: re.Match[str]) -> Number | None:
    """A number of items per second, also per device, per user or per watt."""
    unit = next(
        (
            m
            for m in find_mentions(plain, True)
            if m.kind == "unit" and m.start <= match.end() < m.end
        ),
        None,
    )
    quantity = number_of(match)
    # `images per second per dollar` is no rate of a system.
    if unit is None or quantity is None or plain[unit.end :].lstrip().startswith(("per ", "/")):
        return None
    # `58 k images/s`: the thousand may be in the unit.
    printed = plain[match.end() : unit.end].rstrip(".")
    known = find_unit(printed)
    canonical = known.canonical if known else ""
    metric = (
        "throughput" if canonical == "items/s" else METRIC_OF_UNIT.get(("throughput", canonical))
    )
    if known is None or metric is None or (name := fact(metric, "unit")) is None:
        return None
    span = match.span("rate")
    return Number(
        *span, metric, quantity.scaled(known.scale), name, printed, known.entry.facts.get("item")
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
    return Number(
        start, end, metric, quantity.scaled(1000 if unit == "ms" else 1), unit, match["unit"]
    )


def _words(match: re.Match[str]) -> str:
    return " ".join((match["bound"] or "").lower().split())


def _metric_of_time(plain: str, start: int, end: int) -> str | None:
    """The metric of a time: named beside the value, before it in its clause, or that of a training."""
    left, right = part_around(plain, start, end)
    named = [(name, low, high) for name, low, high in metrics_in(plain) if time_unit(name)]
    for name, low, high in named:
        if _BESIDE.fullmatch(plain, end, low) or (
            high <= start and not plain[high:start].strip(" :=(")
        ):
            return name
    if not _LASTS.search(plain, left, start):
        return None
    before = [name for name, low, _ in named if left <= low < start]
    return before[-1] if before else "time_to_train" if _TRAINS.search(plain, left, right) else None


def number_of(match: re.Match[str]) -> Quantity | None:
    """The number of a rate or a price, with the word after it (`1.2 million`), or None."""
    quantity = parse_number(match["number"], _words(match))
    return quantity and quantity.scaled(_MULTIPLES[(match["multiple"] or "").strip().lower()])
