"""Which printed factors compare performance, in which metric and direction. Who is compared:
`names.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from pipelines.extract.grammar import GRAMMAR
from pipelines.extract.mentions import mentions_in
from pipelines.extract.named_quantities import fact
from pipelines.extract.prose.names import names_in, ratios_in
from pipelines.extract.prose.quantities import (
    Direction,
    Factor,
    advantage,
    is_lower_better,
    metric_in,
    part_around,
)
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.quantity import Quantity, bounded

_PERFORMANCE_UNITS = frozenset({"items/s", "s", "ms", "ratio", "items/s/W", "TFLOPS/device"})
# What a factor may be of; `with the new kernels`, `than the stock kernel`;
# `the kernels of Llama 3`, `on the H100`
_SUBJECTS = ("metric", "model", "platform", "framework")
_MEANS = frozenset(["with", "using", "via", "thanks", "from", "by", "than", "over", "if"])
_LINKS = frozenset(["of", "on", "in", "for", "across", "at"])
_NO_WORD = "no word beside the factor says what is more or less"
_NO_NAME = "neither the sentence nor the text above it names hardware or a model"
# What a sentence leaves out has been said in one of so many before it.
_SENTENCES = 5


class Comparison(NamedTuple):
    """A factor that compares, or that looks like a comparison and cannot be read.

    Attributes:
        factor: The characters it is printed in.
        quantity: The advantage of the better side.
        metric: Canonical metric, or None where none is stated.
        is_reversed: True where the side named first is the worse one (`3x slower than`).
        direction: What the words of the comparison say of the subject.
        fault: Why it cannot be read, or None; then nothing else of it holds but the factor.
        head: The first factor of the list that this one continues; they have the same sides.
    """

    factor: Factor
    quantity: Quantity
    metric: str | None = None
    is_reversed: bool = False
    direction: Direction = "good"
    fault: str | None = None
    head: Factor | None = None


def find_comparisons(
    sentence: Sentence, suite: str | None, *, is_benchmark: bool = False
) -> list[Comparison]:
    """The factors of a sentence that compare performance, in order; counts and shares are left out.

    Args:
        sentence: The sentence.
        suite: Suite of benchmarks that it reports on, or None.
        is_benchmark: Whether it is known to be about benchmarks, as a headline is; else its words
            have to say so.
    """
    plain, ratios = sentence.plain, ratios_in(sentence.plain)
    if not ratios:
        return []
    # `We answer 3x faster`: neither the sentence nor the text above it names hardware or a model.
    near = sentence.near(_SENTENCES)
    is_benchmark = is_benchmark or any(names_in(s.plain, "platform", "model") for s in near)
    is_compared = GRAMMAR["direction_behind"].search(plain) or GRAMMAR["comparator"].search(plain)
    found: list[Comparison] = []
    last: Comparison | None = None
    for factor in ratios:
        joined = GRAMMAR["joined"].search(plain, factor.begin, factor.outer)
        is_new = joined and mentions_in(joined[0], "platform", "framework")
        head = last if joined and last and not last.fault and not is_new else None
        last = _compare(sentence, factor, suite, head)
        if last is None and factor.kind == "times" and is_compared:
            last = Comparison(factor, factor.quantity, fault=_NO_WORD)
        if last is None or not (is_benchmark or last.metric):
            continue
        fault = factor.fault or (None if is_benchmark else _NO_NAME)
        fault = fault or _fault_of_subject(plain, factor) or last.fault
        last = last._replace(fault=fault, head=head and (head.head or head.factor))
        found.append(last)
    return found


def _fault_of_subject(plain: str, factor: Factor) -> str | None:
    """Why a factor is not about the performance of a model: `peak compute`,
    `2x faster attention kernels`.
    """
    _, right = part_around(plain, factor.outer, factor.end)
    right = min(factor.limit, right, _until_and(plain, factor.end))
    # `uses grouped attention and is 2x faster`
    begin = max(factor.begin, plain.rfind(" and ", 0, factor.outer))
    if GRAMMAR["specification"].search(plain, begin, right):
        return "a peak or theoretical value is named beside the factor"
    # `made paged attention up to 4x faster`, `the kernel improves throughput by 2x`: the nearest is
    # meant.
    nearest = None
    for mention in mentions_in(plain, "component", *_SUBJECTS):
        if not begin <= mention.start < right:
            continue
        is_before = mention.start < factor.outer
        words = plain[begin if is_before else factor.end : mention.start].lower().split()
        if mention.kind == "component" and _MEANS.isdisjoint(words):
            nearest = mention.value
        elif mention.kind != "component" and is_before and _LINKS.isdisjoint(words[-2:]):
            nearest = None
    return nearest and f"the factor is of a component ({nearest}), not of a model"


def _until_and(plain: str, start: int) -> int:
    end = plain.find(" and ", start)
    return len(plain) if end < 0 else end


def _compare(
    sentence: Sentence, factor: Factor, suite: str | None, head: Comparison | None
) -> Comparison | None:
    """The comparison around a factor; None for a share of something.

    `head` is the comparison that the factor continues as a list.
    """
    plain, outer, end = sentence.plain, factor.outer, factor.end
    begin, limit = factor.begin, factor.limit
    left, right = part_around(plain, outer, end)
    stop = GRAMMAR["phrase_end"].search(plain, end, limit)
    phrase_end = stop.start() if stop else limit
    word = GRAMMAR["direction_behind"].search(plain, end, phrase_end)
    said = word or GRAMMAR["direction_before"].search(plain, begin, outer)
    of_before = metric_in(plain, begin, outer, at=-1)
    if said is None:
        is_listed = head and not plain[end:phrase_end].strip(" .,;)")
        if head and is_listed and factor.kind == head.factor.kind:
            # `by 2.1x on ResNet-50, 1.6x on BERT`, `throughput by 2x and TPOT by 1.4x`
            factor = _bounded_as(head.factor, factor)
            return _directed(factor, head.direction, of_before or head.metric)
        return _multiple(plain, factor, of_before, phrase_end)
    refers_back = said.lastgroup == "refers"
    direction: Direction = "good" if refers_back else said.lastgroup  # type: ignore[assignment]
    # Nothing of the phrase is behind the word of comparison: `throughput is 4.6x higher`, but not
    # `higher throughput and 2.4 times more memory`.
    is_last = word is not None and not plain[word.end() : phrase_end].strip()
    if word:
        side = GRAMMAR["comparator"].search(plain, end, limit)
        metric = metric_in(plain, end, side.start() if side else limit)
    else:
        metric = of_before or metric_in(plain, end, min(limit, right, _until_and(plain, end)))
    # "Faster" means the time to train if the sentence says so, or if the suite measures only that.
    is_of_training = (suite or "").startswith("MLPerf Training")
    is_of_training = is_of_training or GRAMMAR["time_to_train"].search(plain) is not None
    if metric is None and word and direction == "fast" and is_of_training:
        metric = "time_to_train"
    if metric is None and direction in ("fast", "bad"):
        metric = metric_in(plain, max(left, begin), outer, at=-1)
    elif metric is None and (word is None or is_last):
        metric = of_before
    if metric is None and refers_back:
        for previous in sentence.near(1)[1:2]:
            metric = metric_in(previous.plain, 0, len(previous.plain), at=-1)
    if metric is None and head and head.direction == direction and is_last:
        # `14% higher throughput than B300, and 8x higher`
        metric = head.metric
    if direction == "fast" and (fact(metric, "unit") or "").startswith("USD"):
        # `with an almost identical spot price ... a 4x speedup`: nothing is faster in money.
        metric = None
    if direction == "bad" and metric:
        # `20% worse throughput` is a reduction.
        direction = "up" if is_lower_better(metric) else "down"
    fault = None
    if metric is None and (direction in ("up", "down") or (direction == "good" and word)):
        fault = "the compared quantity is not a metric in the vocabulary"
    elif metric is not None and fact(metric, "unit") not in _PERFORMANCE_UNITS:
        fault = f"a difference in {metric} is not a ratio of performance"
    elif factor.kind == "percent" and word and word[0].lower().startswith("as "):
        fault = "a fraction of the other side is not a gain"
    elif factor.kind == "percent" and direction == "down" and factor.quantity.value >= 100:
        fault = "a reduction by 100% or more is impossible"
    if head and head.factor.quantity.bound == "up_to":
        factor = _bounded_as(head.factor, factor)
    return _directed(factor, direction, metric)._replace(fault=fault)


def _directed(factor: Factor, direction: Direction, metric: str | None) -> Comparison:
    """The comparison of a factor in one direction."""
    is_worse = direction == "bad"
    if direction in ("up", "down") and metric is not None:
        is_worse = (direction == "up") == is_lower_better(metric)
    quantity = advantage(factor, direction, is_lower_better=is_lower_better(metric))
    return Comparison(factor, quantity, metric, is_worse, direction)


def _bounded_as(head: Factor, factor: Factor) -> Factor:
    """A factor of a list with the bound before its first: `as much as 2x, 1.6x and 1.5x`."""
    own = factor.quantity
    # A range has no bound of its own.
    if own.bound != "eq" or own.low == own.value:
        return factor
    quantity = bounded(own.value, 2 * (own.high - own.value), head.hedge)
    return factor._replace(quantity=quantity, hedge=head.hedge)


def _multiple(
    plain: str, factor: Factor, of_before: str | None, phrase_end: int
) -> Comparison | None:
    """`2x the throughput of`; a factor beside a metric alone does not say whether it is more or
    less.
    """
    if factor.kind != "times":
        return None
    of = GRAMMAR["multiple_of"].match(plain, factor.end)
    of_phrase, metric = metric_in(plain, factor.end, phrase_end), None
    if of:
        metric = metric_in(plain, *of.span("metric")) if of["metric"] else of_before
    elif GRAMMAR["comparator"].search(plain, factor.end, factor.limit) and not is_lower_better(
        of_phrase
    ):
        # `1.9x performance compared to`
        metric = of_phrase
    if fact(metric, "unit") in _PERFORMANCE_UNITS:
        return _directed(factor, "up", metric)
    is_beside = of or of_before or of_phrase
    return Comparison(factor, factor.quantity, fault=_NO_WORD) if is_beside else None
