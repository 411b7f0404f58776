"""What looks like a comparison and was not read as one. Damaged numbers: `damages.py`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pipelines.extract.prose.clauses import clause_around
from pipelines.extract.prose.comparisons import is_count
from pipelines.extract.prose.factors import Factor, find_factors
from pipelines.extract.prose.metrics import is_performance, metrics_in, names_other_quantity
from pipelines.extract.prose.phrases import is_business, is_specification, is_specified
from pipelines.extract.prose.sentences import Sentence
from pipelines.extract.prose.topics import is_about_benchmarks, names_subject
from pipelines.extract.prose.wording import BEHIND, before_factor, direction_of

Span = tuple[int, int]

# `faster than 5 minutes`: something is compared with a number
_THAN_NUMBER = re.compile(
    r"\b(?:faster|higher|lower|better)\s+than\s+(?:\w+\s+){0,2}?(?<![\w-])\d[\d.,]*(?![\w-])", re.IGNORECASE
)
_FACTOR_WITH_WORDS = re.compile(
    r"(?<![\w.,])\d[\d.,]{0,8}\s?(?:[xX\u00d7]|%)\s(?:faster|higher|lower|better|more)\b", re.IGNORECASE
)
# `H200 gives 1.9X H100`
_NAME_BEHIND = re.compile(r"\s+(?:the\s+|an?\s+)?[A-Z][\w-]*\d")
# `H100 vs A100: 3.5X`
_VERSUS = re.compile(r"\b(?:vs\.?|versus)\s", re.IGNORECASE)
# `the MI300X lags the H200 by 30%`
_TRAILS = re.compile(r"\b(?:trails?|trailed|trailing|lags?|lagged|lagging|falls?\s+(?:behind|short))\b", re.IGNORECASE)
# How far from a factor a word of comparison may stand.
_REACH = 60


def compared_with_number(plain: str) -> Span | None:
    """The first words that compare something with a number: `faster than 5 minutes`."""
    match = _THAN_NUMBER.search(plain)
    return match.span() if match else None


def claim_in_run(plain: str) -> Span | None:
    """The first words that look like a claim in a text that is no sentence."""
    match = _THAN_NUMBER.search(plain) or _FACTOR_WITH_WORDS.search(plain)
    return match.span() if match else None


def left_factors(sentence: Sentence, read: Collection[Span]) -> Iterator[Factor]:
    """Factors beside a metric or a word of comparison, of benchmarks, that lie in none of the characters `read`."""
    plain = sentence.plain
    for factor in find_factors(plain):
        if any(low < factor.end and factor.start < high for low, high in read) or is_count(plain, factor):
            continue
        if _is_compared(plain, factor) and is_about_benchmarks(sentence):
            yield factor


def _is_compared(plain: str, factor: Factor) -> bool:
    left, right = clause_around(plain, factor.outer, factor.end)
    sentence_before = plain[max(0, factor.outer - _REACH) : factor.outer]
    before = plain[max(left, factor.outer - _REACH) : factor.outer]
    after = plain[factor.end : min(right, factor.end + _REACH)]
    if is_specification(after) or is_specified(before) or names_other_quantity(after):
        return False
    word = BEHIND.search(after)
    if word and direction_of(word) in ("fast", "bad"):
        return True
    if before_factor(before, factor.kind) and names_subject(plain) and not is_business(before):
        return True
    if factor.kind == "percent":
        return bool(_TRAILS.search(before)) and names_subject(plain) and not is_business(before)
    is_printed_factor = plain[factor.end - 1] in "xX\u00d7"
    if is_printed_factor and names_subject(plain) and (_NAME_BEHIND.match(after) or _VERSUS.search(sentence_before)):
        return True
    return any(is_performance(name) for name, _, _ in (*metrics_in(before), *metrics_in(after)))
