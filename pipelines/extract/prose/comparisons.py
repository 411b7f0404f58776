"""Which printed factors compare performance, in which metric and direction. What is compared with what: `subjects.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.extract.prose.advantages import Direction, advantage, is_disadvantage, unreadable
from pipelines.extract.prose.clauses import COMPARATOR, clause_around
from pipelines.extract.prose.factors import Factor, find_factors
from pipelines.extract.prose.metrics import (
    first_metric,
    is_expense,
    is_lower_better,
    last_metric,
    metric_of_speed,
    metric_told_before,
    names_other_quantity,
)
from pipelines.extract.prose.names import models_in, platforms_in
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.quantity import Quantity

# Words that end the phrase a factor belongs to: in `10% of the total training compute` nothing is compared.
_STOP = re.compile(
    r"\b(?:of|on|in|for|from|at|by|to(?!-)|and|or|when|is|are|was|were|that|which|who|with|than|vs|versus|over)\b(?!-)|[,;.(](?:\s|$)",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"\b(?:(?P<up>more|higher|greater|larger|increased?|longer)|(?P<down>lower|less|fewer|smaller|shorter|reduc(?:ed|tion)|decreased?|drop|cut)"
    r"|(?P<good>better|improvements?|improved|gains?|boost|uplift|advantage|as\s+(?:many|much|high)|efficient)"
    r"|(?P<fast>faster|quicker|speed-?\s?ups?|acceleration|as\s+fast|as\s+quick(?:ly)?|the\s+speed)|(?P<bad>slower|worse))\b",
    re.IGNORECASE,
)
# `a factor of`, `the advantage for BERT is`, `outperforms the A100 by`, `cuts latency by`
_WORDS_BEFORE = re.compile(
    r"(?:\b(?P<factor>factor)\s+of|\b(?:(?P<good>advantage|improvements?|gains?|increase|uplift|boost|lead)|(?P<fast>speed-?ups?|acceleration)"
    r"|(?P<down>reduction))\b[^,;]{0,60}?\b(?:of|is|was|to|at|by)"
    r"|\b(?:(?P<good_by>outperform\w*|improv\w+|boost\w*|exceed\w*|beat\w*|surpass\w*|better)|(?P<up_by>increas\w+|rais\w+|higher)"
    r"|(?P<fast_by>accelerat\w+|speeds?\s+up|faster)|(?P<down_by>reduc\w+|cut\w*|decreas\w+|lower\w*|shorten\w*|drop\w*))\b[^,;]{0,70}?\bby)"
    r"\s*(?:an?\s+)?(?:factor\s+of\s+)?$",
    re.IGNORECASE,
)
# `4x A100`, `8x H100 GPUs`, `2x Intel Xeon`, `16x 100GbE`
_COUNTED = re.compile(
    r"\s?(?:(?:NVIDIA|AMD|Intel|AWS|Google)\s"
    r"|(?i:[gcinht]pus?|accelerators?|servers?|nodes?|chips?|cores?|cards?|devices?|sockets?)\b|[A-Z][\w-]*\d|\d+\s?G)"
)
# `costs 30% less`
_COSTS = re.compile(r"\b(?:costs?|costing|priced?|cheaper)\b", re.IGNORECASE)
_GLUE = re.compile(r"(?:,|\s|and|or|&|to|/)*")
_SAME_AGAIN = re.compile(r"\s*(?:on|for|in|with|using|vs|versus|over|than|compared)\b|\s*[.,;]?\s*$")
# Only said of what was just compared: `this is a factor of 1.6x`, `the advantage for BERT is 1.3X`
_REFERS_BACK = re.compile(r"\b(?:factor\s+of|advantage|lead)\b", re.IGNORECASE)


_DIRECTIONS: dict[str, Direction] = {"up": "up", "down": "down", "fast": "fast", "bad": "bad"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A factor that compares.

    Attributes:
        factor: The characters it is printed in.
        quantity: The advantage of the better side.
        metric: Canonical metric, or None where none is stated.
        is_reversed: True where the side named first is the worse one (`3x slower than`).
    """

    factor: Factor
    quantity: Quantity
    metric: str | None
    is_reversed: bool


@dataclass(frozen=True, slots=True)
class Unread:
    """A factor that looks like a comparison and cannot be read, with the reason."""

    factor: Factor
    reason: str


def find_comparisons(sentence: Sentence, suite: str | None) -> list[Comparison | Unread]:
    """The factors of a sentence that compare performance, in order; counts, shares and prices are left out."""
    plain = sentence.plain
    factors = [factor for factor in find_factors(plain) if not _is_count(plain, factor)]
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
        before = plain[max(left, factors[index - 1].end if index else 0) : factor.outer]
        last = _compare(sentence, factor, plain[begin : max(begin, min(right, limit))], before, suite) or _again(
            last, factor, plain[factor.end : starts[index + 1]]
        )
        if last is not None:
            found.append(last)
    return found


def _is_count(plain: str, factor: Factor) -> bool:
    if plain[factor.end - 1] not in "xX\u00d7":
        return False
    counted = _COUNTED.match(plain, factor.end)
    return bool(counted) or any(mention.start == factor.start for mention in platforms_in(plain))


def _compare(
    sentence: Sentence, factor: Factor, after: str, before: str, suite: str | None
) -> Comparison | Unread | None:
    stop = _STOP.search(after)
    phrase = after[: stop.start()] if stop else after
    word, word_before = _WORDS.search(after[: len(phrase) + 12]), _WORDS_BEFORE.search(before)
    if word and word.start() > len(phrase):
        word = None
    metric = first_metric(after[: _comparator(after)])
    if not word and not word_before and (factor.kind == "percent" or first_metric(phrase) is None):
        if factor.kind == "percent" or not re.match(r"\s+(?:the|that\s+of)\b", after) or not first_metric(after[:60]):
            return None
    own_words = phrase[word.end() :] if word else phrase
    if first_metric(own_words) is None and (names_other_quantity(own_words) or _COSTS.search(before)):
        return None
    direction = _direction(word or word_before, factor)
    if metric is None and direction == "fast" and not word_before:
        metric = metric_of_speed(sentence, suite)
    if metric is None:
        metric = last_metric(before)
    if metric is None and word_before and _REFERS_BACK.search(word_before[0]):
        metric = metric_told_before(sentence)
    if metric is None and word and re.match(r"\s*time\b", after[word.end() :]):
        metric = metric_of_speed(sentence, suite)
        direction = "fast" if metric is None else direction
    if is_expense(metric) or (factor.kind == "share" and not is_lower_better(metric)):
        return None
    if (
        metric is None
        and direction in ("up", "down")
        and not (platforms_in(sentence.plain) or models_in(sentence.plain))
    ):
        return None
    if reason := unreadable(factor, metric, direction):
        return Unread(factor, reason)
    return Comparison(factor, advantage(factor, direction), metric, is_disadvantage(metric, direction))


def _comparator(after: str) -> int:
    """Where the other side of the comparison starts; `as fast as` belongs to this side."""
    match = COMPARATOR.search(after)
    return match.start() if match and not match[0].lower().startswith("as") else len(after)


def _direction(word: re.Match[str] | None, factor: Factor) -> Direction:
    if factor.kind == "share":
        return "down"
    group = (word.lastgroup or "good").removesuffix("_by") if word else "good"
    return _DIRECTIONS.get(group, "good")


def _again(last: Comparison | Unread | None, factor: Factor, after: str) -> Comparison | None:
    """`..., 1.6x on BERT and 1.5x on EfficientNet`: the words of the comparison stand at the factor before."""
    if not isinstance(last, Comparison) or factor.kind != last.factor.kind or factor.kind == "percent":
        return None
    return Comparison(factor, factor.quantity, last.metric, last.is_reversed) if _SAME_AGAIN.match(after) else None
