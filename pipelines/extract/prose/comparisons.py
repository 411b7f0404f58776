"""Which printed factors compare performance, in which metric and direction. Who is compared: `names.py`."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from pipelines.extract.prose.names import MULTIPLE_OF, names_in, ratios_in
from pipelines.extract.prose.quantities import (
    COMPARATOR,
    Direction,
    Factor,
    advantage,
    fact,
    is_lower_better,
    metric_in,
    part_around,
)
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.quantity import Quantity

# Words of comparison. `31% better`, `2x faster`, `45% reduction`: the first such word after a factor
_BEHIND = re.compile(
    r"(?i)\b(?:(?P<up>more|higher|greater|increased?|longer)"
    r"|(?P<down>lower|less|fewer|shorter|reduc(?:ed|tions?)|decreased?|drop|cut|savings?|cheaper)"
    r"|(?P<good>better|improvements?|improved|gains?|boost|uplift|advantage|as\s+(?:many|much|high)|efficient)"
    r"|(?P<fast>faster|quicker|speed-?\s?ups?|acceleration|as\s+fast|as\s+quick(?:ly)?|the\s+speed)|(?P<bad>slower|worse))\b"
)
# Right before a factor: `a factor of`, `outperforms the A100 by`, `the advantage for BERT is`, `rose`
_BEFORE = re.compile(
    r"(?i)\b(?:(?P<refers>factor\s+of|advantage\b[^,;]{0,60}?\b(?:of|is|was))"
    r"|(?:(?P<good>improv\w+|gains?|uplift|boost\w*|outperform\w*|exceed\w*|beat\w*|surpass\w*)"
    r"|(?P<fast>speed-?ups?|accelerat\w+|sped\s+up)|(?P<up>increas\w+|rais\w+|rose|gr[eo]w\w*)"
    r"|(?P<down>reduc\w+|savings?|cut\w*|decreas\w+|lower(?:s|ed|ing)|drop\w*|fell))\b(?:[^,;]{0,70}?\b(?:of|is|was|by))?)"
    r"\s*(?:an?\s+)?(?:(?:additional|further|average)\s+)?(?:factor\s+of\s+)?$"
)
# Words that end the phrase a factor belongs to: in `10% of the total training compute` nothing is compared.
_STOP = re.compile(
    r"(?i)\b(?:of|on|in|for|from|at|by|to(?!-)|and|or|when|is|are|was|were|that|which|who|with|than|vs|versus|over)\b(?!-)|[,;:.(](?:\s|$)"
)
# What a data sheet promises is no benchmark: `4.7x increase in peak compute performance`
_SPECIFICATION = re.compile(r"(?i)\b(?:peak|theoretical|raw)\b|\b[TPGE]?FLOPS?\b")
# `, and `, ` and by `, ` and on BERT by `: the words of the comparison are at the previous factor.
_JOINED = re.compile(r"(?:,|\band\b|\bor|&)\s*(?:(?:on|for|in|with)\s+[^,;]{1,40}\s)?(?:by\s+|an?\s+)?$")
_SAME_AGAIN = re.compile(r"\s*(?:on|for|in|with|using|vs|versus|over|than|compared)\b|\s*+(?:[.,;]\s*+)?$")
# `trains in`, `to convergence`: then "faster" refers to the time of a training
_TIME_TO_TRAIN = re.compile(
    r"(?i)\b(?:trains|trained|to\s+train|to\s+converge(?:nce)?|converge[sd]?|time[\s-]to[\s-]accuracy|to\s+(?:target|reference)\s+accurac\w+)\b"
)
_PERFORMANCE_UNITS = frozenset({"items/s", "s", "ms", "ratio", "items/s/W", "TFLOPS/device"})
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
    """

    factor: Factor
    quantity: Quantity
    metric: str | None = None
    is_reversed: bool = False
    direction: Direction = "good"
    fault: str | None = None


def find_comparisons(sentence: Sentence, suite: str | None, *, is_benchmark: bool = False) -> list[Comparison]:
    """The factors of a sentence that compare performance, in order; counts and shares are left out.

    Args:
        sentence: The sentence.
        suite: Suite of benchmarks that it reports on, or None.
        is_benchmark: Whether it is known to be about benchmarks, as a headline is; else its words have to say so.
    """
    plain, ratios = sentence.plain, ratios_in(sentence.plain)
    # `We answer 3x faster`: neither the sentence nor the text above it names hardware or a model.
    near = [] if is_benchmark or not ratios else [sentence, *islice(sentence.before(), _SENTENCES), *sentence.heading()]
    is_benchmark = is_benchmark or any(names_in(other.plain, kind) for other in near for kind in ("platform", "model"))
    if not ratios or not is_benchmark or _SPECIFICATION.search(plain):
        return []
    found: list[Comparison] = []
    last: Comparison | None = None
    begins, limits = [0, *(ratio.end for ratio in ratios)], [*(ratio.outer for ratio in ratios[1:]), len(plain)]
    for factor, begin, limit in zip(ratios, begins, limits, strict=False):
        before, after = plain[begin : factor.outer], plain[factor.end : limit]
        comparison = _compare(sentence, factor, before, after, suite)
        is_list = last and not last.fault and factor.kind == last.factor.kind and _JOINED.search(before)
        if comparison is None and last and is_list and _SAME_AGAIN.match(after):
            # `by 2.1x on ResNet-50, 1.6x on BERT`
            quantity = advantage(factor, last.direction, is_lower_better=is_lower_better(last.metric))
            comparison = last._replace(factor=factor, quantity=quantity)
        if comparison and factor.fault:
            comparison = comparison._replace(fault=factor.fault)
        last = comparison
        found += [last] if last else []
    return found


def _compare(sentence: Sentence, factor: Factor, before: str, after: str, suite: str | None) -> Comparison | None:
    """The comparison around a factor; None for a share of something.

    `before` is the text between the factor before and this one, `after` the text up to the next factor.
    """
    left, right = part_around(sentence.plain, factor.outer, factor.end)
    own = sentence.plain[max(left, factor.outer - len(before)) : factor.outer]
    stop = _STOP.search(after)
    phrase = after[: stop.start()] if stop else after
    word, word_before = _BEHIND.search(phrase), _BEFORE.search(before)
    said = word or word_before
    if said is None:
        return _multiple(factor, before, after, phrase)
    refers_back = said.lastgroup == "refers"
    direction: Direction = "good" if refers_back else said.lastgroup  # type: ignore[assignment]
    side = next((m.start() for m in COMPARATOR.finditer(after) if not m[0].lower().startswith("as")), len(after))
    metric = (
        metric_in(after[:side])
        if word
        else metric_in(before, at=-1) or metric_in(after[: max(0, right - factor.end)].partition(" and ")[0])
    )
    # "Faster" means the time to train if the sentence says so, or if the suite measures only that.
    is_training = (suite or "").startswith("MLPerf Training") or _TIME_TO_TRAIN.search(sentence.plain)
    if metric is None and direction == "fast" and word and is_training:
        metric = "time_to_train"
    # `throughput is 4.6x higher`, but not `higher throughput and 2.4 times more memory`
    if metric is None and (word is None or direction in ("fast", "bad") or not phrase[word.end() :].strip()):
        metric = metric_in(own if direction in ("fast", "bad") else before, at=-1)
    if metric is None and refers_back and (previous := next(sentence.before(), None)):
        metric = metric_in(previous.plain, at=-1)
    if direction == "fast" and (fact(metric, "unit") or "").startswith("USD"):
        # `with an almost identical spot price ... a 4x speedup`: nothing is faster in money.
        metric = None
    fault = None
    if metric is None and (direction in ("up", "down") or (direction == "good" and word)):
        fault = "the compared quantity is not a metric in the vocabulary"
    elif metric is not None and fact(metric, "unit") not in _PERFORMANCE_UNITS:
        fault = f"a difference in {metric} is not a ratio of performance"
    elif factor.kind == "percent" and word and word[0].lower().startswith("as "):
        fault = "a fraction of the other side is not a gain"
    elif factor.kind == "percent" and direction == "down" and factor.quantity.value >= 100:
        fault = "a reduction by 100% or more is impossible"
    is_worse = direction == "bad"
    if direction in ("up", "down") and metric is not None:
        is_worse = (direction == "up") == is_lower_better(metric)
    quantity = advantage(factor, direction, is_lower_better=is_lower_better(metric))
    return Comparison(factor, quantity, metric, is_worse, direction, fault)


def _multiple(factor: Factor, before: str, after: str, phrase: str) -> Comparison | None:
    """`2x the throughput of`; a factor beside a metric alone does not say whether it is more or less."""
    if factor.kind != "times":
        return None
    of = MULTIPLE_OF.match(after)
    metric = metric_in(of["metric"]) if of and of["metric"] else metric_in(before, at=-1) if of else None
    if metric and fact(metric, "unit") in _PERFORMANCE_UNITS:
        return Comparison(factor, factor.quantity, metric, is_lower_better(metric), "up")
    fault = "a factor beside a metric, without a word of comparison"
    return Comparison(factor, factor.quantity, fault=fault) if metric_in(before) or metric_in(phrase) else None
