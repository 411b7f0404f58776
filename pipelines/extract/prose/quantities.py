"""What a sentence prints: the parts it falls into, factors (`2.6x`, `31%`), metrics, rates and
times.

Which factor is a claim: `comparisons.py`. Whose they are: `names.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from pipelines.extract.grammar import CONTENT, GRAMMAR
from pipelines.extract.mentions import Mention, mentions_in
from pipelines.extract.named_quantities import Unit, fact, quantity_of
from pipelines.values.durations import parse_duration
from pipelines.values.numbers import parse_number
from pipelines.values.quantity import Quantity, bounded
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.units import find_unit

Span = tuple[int, int]
Kind = Literal["times", "percent"]
# up: more, higher. down: lower, less. good: better, improvement. fast: faster, speedup. bad:
# slower, worse.
Direction = Literal["up", "down", "good", "fast", "bad"]

# Conditions that a sentence states: `at concurrency 64`, `with an input length of 2048`
IN_SENTENCE = frozenset(name for name, known in dimensions().items() if known.in_sentence)
# No range is longer.
_RANGE_REACH = 50


@lru_cache
def part_around(plain: str, start: int, end: int, *, is_clause: bool = False) -> Span:
    """First and last offset of the part, between commas and the like, or of the clause that holds a
    value.
    """
    left, right = 0, len(plain)
    for part in GRAMMAR["part"].finditer(plain):
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
    ends = [word.end() for word in GRAMMAR["comparator"].finditer(plain)]
    return any(end <= start and plain[end:start].strip() in ("", "the") for end in ends)


class Factor(NamedTuple):
    """A printed factor.

    Attributes:
        outer: First character with the words of the bound before it.
        start: First character of the value; a sign glued to it (`>60x`) belongs to it.
        end: One past the last character of the value.
        kind: `times` (2.6x) or `percent` (31%: the quantity is 31).
        quantity: The number as printed, with its interval and bound.
        fault: Why it cannot be read, or None.
        hedge: The words of its bound.
        begin: End of the factor before it, or 0.
        limit: Start of the next factor, or the end of the sentence.
    """

    outer: int
    start: int
    end: int
    kind: Kind
    quantity: Quantity
    fault: str | None = None
    hedge: str = ""
    begin: int = 0
    limit: int = 0


@lru_cache
def find_factors(plain: str) -> tuple[Factor, ...]:
    """Every printed factor of a sentence in order; counts of hardware such as `8x H100` are still
    among them.
    """
    return tuple(filter(None, map(_factor, GRAMMAR["factor"].finditer(plain))))


def _factor(match: re.Match[str]) -> Factor | None:
    words, low, fault = match["bound"] or ("at least" if match["plus"] else ""), match["low"], None
    kind: Kind = "times" if match["times"] or match["word"] else "percent"
    quantity = _value(match["word"] or match["high"], words)
    if quantity is None or quantity.value <= 0:
        return None
    start = match.start("word" if match["word"] else "low" if low else "high")
    if low:
        least, first = _value(low, ""), (match["first"] or "").lower()
        is_mixed = first and ("%" in first or "per" in first) == (kind == "times")
        if least is None or is_mixed or not 0 < least.value < quantity.value:
            return None
        hedges = (words, match["least"], match["most"], match["plus"] and "at least")
        bounds = {bounded(1.0, 1.0, hedge).bound for hedge in hedges if hedge}
        if bounds - {"approx"}:
            fault = "the bound of a range is not `about`, so the ends that are meant are not stated"
        quantity = Quantity(least.value, least.value, quantity.value, "approx" if bounds else "eq")
    elif match["bound"] and not words[-1].isalpha() and match.end("bound") == start:
        start = match.start("bound")
    return Factor(match.start(), start, match.end(), kind, quantity, fault, words)


def _value(printed: str, words: str) -> Quantity | None:
    return parse_number(CONTENT["numbers"].get(printed.lower(), printed), words)


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


def until_next(starts: Iterable[int], start: int, stop: int) -> int:
    """The first of some starts from `start` on, at most `stop`."""
    return min([stop, *(each for each in starts if each >= start)])


@lru_cache
def condition_spans(plain: str, *, with_platforms: bool = False) -> tuple[Span, ...]:
    """Characters of the conditions that a comparison is printed with, in order; also of where both
    sides ran.
    """
    found, kind = list[Span](), ""
    platform = ("platform",) if with_platforms else ()
    for mention in mentions_in(plain, *IN_SENTENCE, *platform):
        link = GRAMMAR["link"].search(plain, 0, mention.start)
        words = link[0].lower() if link else "("
        is_place = mention.kind == "platform"
        if words[0] != "(" and (not is_place or words[:2] in ("on", "ac")):
            end = mention.end + len(" precision") * plain.startswith(" precision", mention.end)
            found.append((mention.start - len(words), end))
            kind = mention.kind
        elif kind == mention.kind:
            between = plain[found[-1][1] : mention.start].strip(" ,")
            if between in ("", "and", "&", "/"):
                found[-1] = found[-1][0], mention.end
    terms = [match.span() for match in GRAMMAR["equal_terms"].finditer(plain)]
    return tuple(sorted({*found, *terms}))


@lru_cache
def metrics_in(plain: str) -> tuple[Mention, ...]:
    """Every metric that a sentence names, in order; those in a condition are left out.

    `performance` is the vocabulary's word for throughput; beside another metric it says nothing of
    its own.
    """
    spans, found = condition_spans(plain), list[Mention]()
    for mention in mentions_in(plain, "metric", "unit"):
        known = find_unit(mention.value) if mention.kind == "unit" else None
        if any(start <= mention.start < end for start, end in spans):
            continue
        if known and known.canonical == "items/s":
            found.append(mention._replace(kind="metric", value="throughput"))
        elif mention.kind == "metric":
            found.append(mention)
    return tuple(found)


def metric_in(plain: str, low: int, high: int, *, at: int = 0) -> str | None:
    """The first metric named from `low` to `high`, or the last one (`at` -1); None where none is."""
    found = [each.value for each in metrics_in(plain) if low <= each.start and each.end <= high]
    return found[at] if found else None


def is_lower_better(metric: str | None) -> bool:
    """True for latencies and times."""
    return fact(metric, "better") == "lower"


def _is_time(metric: str | None) -> bool:
    return fact(metric, "unit") in ("s", "ms")


class Number(NamedTuple):
    """A printed absolute number.

    Attributes:
        start: First character of the value.
        end: One past its last character.
        metric: Canonical metric; None if only the unit is stated.
        quantity: The value in the canonical unit.
        unit: Its unit.
    """

    start: int
    end: int
    metric: str | None
    quantity: Quantity
    unit: Unit


def find_numbers(plain: str, claimed_metric: str | None) -> Iterator[Number]:
    """Rates and times of a sentence, in order; ends of ranges, changes and rates per dollar are
    left out.

    Args:
        plain: The sentence.
        claimed_metric: Metric of a claim in the same sentence, for the time that it is faster than.
    """
    numbers = list[Number]()
    for match in GRAMMAR["rate_or_time"].finditer(plain):
        number = _time(plain, match, claimed_metric) if match["time"] else _rate(plain, match)
        if number:
            numbers.append(number)
    ends = [number for number in numbers if ends_range(plain, number.start)]
    for number in numbers:
        # `10 minutes to 12 minutes`
        behind = [plain[number.end : end.start] for end in ends if number.end < end.start]
        if number not in ends and all("," in between for between in behind):
            yield number


def ends_range(plain: str, start: int) -> bool:
    """True for the second number of `between 10 and 12 minutes`, which alone is no result."""
    reach = max(0, start - _RANGE_REACH)
    return GRAMMAR["range_before"].search(plain, reach, start) is not None


def _rate(plain: str, match: re.Match[str]) -> Number | None:
    """A number of items per second, also per device, per user or per watt."""
    quantity, end = number_of(match), match.end()
    units = [m for m in mentions_in(plain, "unit") if m.start <= end < m.end]
    # `images per second per dollar` is no rate of a system.
    if quantity is None or not units or plain[units[0].end :].lstrip().startswith(("per ", "/")):
        return None
    # `58 k images/s`: the thousand may be in the unit.
    printed = plain[end : units[0].end].rstrip(".")
    named = quantity_of(printed)
    if named is None or named.unit is None:
        return None
    scaled = quantity.scaled(named.unit.scale)
    return Number(*match.span("rate"), named.metric, scaled, named.unit)


def _time(plain: str, match: re.Match[str], claimed_metric: str | None) -> Number | None:
    start, end = match.span("time")
    metric = _metric_of_time(plain, match.start(), end)
    if metric is None and _is_time(claimed_metric) and is_other_side(plain, match.start()):
        metric = claimed_metric
    # `8-minute`, `1 hour and 30 minutes`
    printed = match["time"].replace("-", " ").replace(" and ", " ")
    quantity = parse_duration(printed, match["bound"] or "")
    if quantity is None:
        return None
    name = fact(metric, "unit") or "s"
    unit = Unit(match["unit"], name, 1000 if name == "ms" else 1)
    return Number(start, end, metric, quantity.scaled(unit.scale), unit)


def _metric_of_time(plain: str, start: int, end: int) -> str | None:
    """The metric of a time: named beside the value, before it in its clause, or that of a training."""
    left, right = part_around(plain, start, end)
    named = [metric for metric in metrics_in(plain) if _is_time(metric.value)]
    for metric in named:
        is_before = metric.end <= start and not plain[metric.end : start].strip(" :=(")
        if is_before or GRAMMAR["beside"].fullmatch(plain, end, metric.start):
            return metric.value
    if not GRAMMAR["lasts"].search(plain, left, start):
        return None
    if before := [metric.value for metric in named if left <= metric.start < start]:
        return before[-1]
    return "time_to_train" if GRAMMAR["trains"].search(plain, left, right) else None


def number_of(match: re.Match[str]) -> Quantity | None:
    """The number of a rate or a price, with the word after it (`1.2 million`), or None."""
    quantity = parse_number(match["number"], match["bound"] or "")
    multiple = (match["multiple"] or "").strip().lower()
    return quantity and quantity.scaled(CONTENT["multiples"].get(multiple, 1))
