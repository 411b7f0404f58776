"""Which printed factors compare performance, in which metric and direction. Who is compared: `subjects.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pipelines.extract.prose.advantages import Direction, advantage, is_disadvantage, unreadable
from pipelines.extract.prose.clauses import clause_around
from pipelines.extract.prose.factors import Factor, find_factors
from pipelines.extract.prose.metrics import (
    is_expense,
    last_metric,
    metric_of_speed,
    metric_told_before,
)
from pipelines.extract.prose.names import platforms_in
from pipelines.extract.prose.phrases import Phrase, read_phrase
from pipelines.extract.prose.sentences import Sentence
from pipelines.extract.prose.subjects import baseline_of, is_against
from pipelines.extract.prose.topics import is_about_benchmarks, names_subject, says_work
from pipelines.values.quantity import Quantity

# `4x A100`, `8x H100 GPUs`, `2x Intel Xeon`, `16x 100GbE`
_COUNTED = re.compile(
    r"\s?(?:(?:NVIDIA|AMD|Intel|AWS|Google)\s"
    r"|(?i:[gcinht]pus?|accelerators?|servers?|nodes?|chips?|cores?|cards?|devices?|sockets?)\b|[A-Z][\w-]*\d|\d+\s?G)"
)
# `if the performance claims are true, it trains 2x faster`: a time may be meant as well as a rate
_SAYS_NO_SPEED = re.compile(r"\bperformance\b(?!\s+per\b)", re.IGNORECASE)
_GLUE = re.compile(r"(?:,|\s|and|or|&|to|/)*")
# `, and `, ` and by `, ` and on BERT by `
_JOINED = re.compile(r"(?:,|\band|\bor|&)\s*(?:(?:on|for|in|with)\s+[^,;]{1,40}\s)?(?:by\s+|an?\s+)?$")
_SAME_AGAIN = re.compile(r"\s*(?:on|for|in|with|using|vs|versus|over|than|compared)\b|\s*+(?:[.,;]\s*+)?$")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A factor that compares.

    Attributes:
        factor: The characters it is printed in.
        quantity: The advantage of the better side.
        metric: Canonical metric, or None where none is stated.
        is_reversed: True where the side named first is the worse one (`3x slower than`).
        direction: What the words of the comparison say of the subject.
        continues: True where the factor is joined to the one before (`, and 1.6x on BERT`) and shares its other side.
    """

    factor: Factor
    quantity: Quantity
    metric: str | None
    is_reversed: bool
    direction: Direction = "good"
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """A factor that looks like a comparison and cannot be read, with the reason."""

    factor: Factor
    reason: str


def find_comparisons(sentence: Sentence, suite: str | None) -> list[Comparison | Unread]:
    """The factors of a sentence that compare performance or prices, in order; counts and shares are left out."""
    plain = sentence.plain
    factors = [factor for factor in find_factors(plain) if not is_count(plain, factor)]
    starts = [*(factor.outer for factor in factors), len(plain), len(plain)]
    found: list[Comparison | Unread] = []
    last: Comparison | Unread | None = None
    for index, factor in enumerate(factors):
        left, right = clause_around(plain, factor.outer, factor.end)
        begin, limit = factor.end, starts[index + 1]
        # `2x and 3x higher throughput`: the words stand behind the last factor of the list
        for later in range(index + 1, len(factors)):
            if not _GLUE.fullmatch(plain[begin:limit]):
                break
            begin, limit = factors[later].end, starts[later + 1]
        previous = factors[index - 1].end if index else 0
        before = plain[max(left, previous) : factor.outer]
        rest = plain[begin : max(begin, min(right, limit))]
        comparison = _compare(sentence, factor, rest, before, suite)
        if isinstance(comparison, Comparison) and isinstance(last, Comparison) and _JOINED.search(before):
            comparison = replace(comparison, continues=True)
        last = comparison or _again(last, factor, plain[previous : factor.outer], plain[begin:limit])
        if last is not None:
            found.append(last)
    return found


def is_count(plain: str, factor: Factor) -> bool:
    """True for `8x H100`, which counts what is compared."""
    if plain[factor.end - 1] not in "xX\u00d7":
        return False
    counted = _COUNTED.match(plain, factor.end)
    return (bool(counted) and factor.quantity.value.is_integer()) or any(
        mention.start == factor.start for mention in platforms_in(plain)
    )


def _compare(
    sentence: Sentence, factor: Factor, after: str, before: str, suite: str | None
) -> Comparison | Unread | None:
    phrase = read_phrase(after, before, sentence.plain[factor.start : factor.end], factor.kind)
    if phrase is None:
        return None
    metric, direction = _metric(phrase, sentence, suite), phrase.direction
    if metric is None and phrase.says_time and direction != "bad":
        direction = "fast"
    if metric == "power" or not is_about_benchmarks(sentence):
        return None
    if metric is None and phrase.says_time and not says_work(sentence.plain):
        return None
    if metric is None and direction in ("up", "down") and not names_subject(sentence.plain):
        return None
    if is_expense(metric) and not _names_other_side(sentence, factor):
        return None
    if phrase.is_bare:
        return Unread(factor, f"{metric} with a factor and no word that says whether it is more or less")
    if reason := unreadable(factor, metric, direction):
        return Unread(factor, reason)
    return Comparison(
        factor, advantage(factor, direction, metric), metric, is_disadvantage(metric, direction), direction
    )


def _names_other_side(sentence: Sentence, factor: Factor) -> bool:
    """False for `The IPU-POD16 is half the price`: a remark on prices that names no other side is no claim."""
    return is_against(sentence, factor.end) or baseline_of(sentence, factor.outer, factor.end) is not None


def _metric(phrase: Phrase, sentence: Sentence, suite: str | None) -> str | None:
    """The metric behind the factor, what "faster" is said of, the one before the factor, or the sentence before's."""
    metric = phrase.metric
    if metric is None and phrase.direction == "fast" and not phrase.is_before:
        metric = metric_of_speed(sentence, suite)
    metric = metric or last_metric(
        _SAYS_NO_SPEED.sub("", phrase.before) if phrase.direction == "fast" else phrase.before
    )
    if phrase.direction == "fast" and is_expense(metric):
        # `with an almost identical spot price ... a 4x speedup`: nothing is faster in money.
        metric = None
    if metric is None and phrase.refers_back:
        metric = metric_told_before(sentence)
    return metric_of_speed(sentence, suite) if metric is None and phrase.says_time else metric


def _again(last: Comparison | Unread | None, factor: Factor, before: str, after: str) -> Comparison | None:
    """`..., 1.6x on BERT and 1.5x on EfficientNet`: the words of the comparison stand at the factor before."""
    if not isinstance(last, Comparison) or factor.kind != last.factor.kind:
        return None
    if not _JOINED.search(before) or not _SAME_AGAIN.match(after):
        return None
    return replace(last, factor=factor, quantity=advantage(factor, last.direction, last.metric), continues=True)
