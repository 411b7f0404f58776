"""Which printed factors compare performance, in which metric and direction. Who is compared: `subjects.py`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from pipelines.extract.prose.clauses import COMPARATOR, clause_around
from pipelines.extract.prose.factors import Factor, Kind, find_factors
from pipelines.extract.prose.metrics import (
    first_metric,
    is_expense,
    is_lower_better,
    is_performance,
    last_metric,
    metric_of_speed,
    metrics_in,
    names_other_quantity,
)
from pipelines.extract.prose.names import models_in, platforms_in
from pipelines.extract.prose.sentences import Sentence
from pipelines.extract.prose.subjects import GLUE, baseline_of, is_against
from pipelines.values.quantity import Quantity

Span = tuple[int, int]
# up: more, higher. down: lower, less. good: better, improvement. fast: faster, speedup. bad: slower, worse.
# part: `90% as fast as`, where the percentage is no gain but a part of the other side.
Direction = Literal["up", "down", "good", "fast", "bad", "part"]

# Words of comparison. `31% better`, `2x faster`, `45% reduction`, `3x cheaper`: the first such word behind a factor
_BEHIND = re.compile(
    r"\b(?:(?P<up>more|higher|greater|increased?|longer)"
    r"|(?P<down>lower|less|fewer|shorter|reduc(?:ed|tions?)|decreased?|drop|cut|savings?|cheaper)"
    r"|(?P<good>better|improvements?|improved|gains?|boost|uplift|advantage|as\s+(?:many|much|high)|efficient)"
    r"|(?P<fast>faster|quicker|speed-?\s?ups?|acceleration|as\s+fast|as\s+quick(?:ly)?|the\s+(?:[\w.-]+(?:'s|s')\s+)?speed)"
    r"|(?P<bad>slower|worse))\b",
    re.IGNORECASE,
)
# Between the words and the number: `by up to an additional`, `by a factor of`
_END = r"\s*(?:an?\s+)?(?:(?:additional|further|average|average\s+of|estimated)\s+)?(?:factor\s+of\s+)?$"
_BEFORE = tuple(
    re.compile(pattern + _END, re.IGNORECASE)
    for pattern in (
        # `a factor of`, `the advantage for BERT is`, `a reduction of`
        r"\b(?:(?P<factor>factor)\s+of|(?:(?P<good>advantage|improvements?|gains?|increase|uplift|boost|lead)"
        r"|(?P<fast>speed-?ups?|acceleration)|(?P<down>reductions?|savings?))\b[^,;]{0,60}?\b(?:of|is|was|to|at|by))",
        # `outperforms the A100 by`, `cuts latency by`, `performance rose by`; not the first of `the improved X2 cuts`
        r"(?<!\bthe\s)(?<!\bour\s)(?<!\bits\s)(?<!\ba\s)(?<!\bnew\s)\b"
        r"(?:(?P<good>outperform\w*|improv\w+|boost\w*|exceed\w*|beat\w*|surpass\w*|better)"
        r"|(?P<up>increas\w+|rais\w+|higher|rose|gr[eo]w\w*|jump\w*|climb\w*)"
        r"|(?P<fast>accelerat(?:e[sd]?|ing)|speed\w*\s+up|sped\s+up|faster)"
        r"|(?P<down>reduc\w+|cut\w*|decreas\w+|lower\w*|shorten\w*|drop\w*|fell|fall\w*|declin\w+|slash\w*|shr[aiu]nk\w*))"
        r"\b[^,;]{0,70}?\bby",
        # `performance improved 20%`, `latency is down 35%`, `saves 40% on cost`
        r"\b(?:(?P<good>improv(?:ed|es)|gain(?:ed|s))|(?P<up>increase[ds]|rose|grew|jumped|climbed|up)"
        r"|(?P<fast>accelerated|sped\s+up)|(?P<down>fell|dropped|decreased|declined|down|sav(?:ed?|es|ing)))",
    )
)
# `cut latency in half`
_CUT_IN = re.compile(r"\b(?:cut\w*|reduc\w+|slash\w*|split\w*)\b[^,;]{0,70}?\bin\s+$", re.IGNORECASE)
# Only said of what was just compared: `this is a factor of 1.6x`, `the advantage for BERT is 1.3X`
_REFERS_BACK = re.compile(r"\b(?:factor\s+of|advantage|lead)\b", re.IGNORECASE)
_DIRECTIONS: dict[str, Direction] = {"up": "up", "down": "down", "fast": "fast", "bad": "bad"}
# Words that end the phrase a factor belongs to: in `10% of the total training compute` nothing is compared.
_STOP = re.compile(
    r"\b(?:of|on|in|for|from|at|by|to(?!-)|and|or|when|is|are|was|were|that|which|who|with|than|vs|versus|over)\b(?!-)|[,;.(](?:\s|$)",
    re.IGNORECASE,
)
# `as fast as`: the word of the comparison may end just behind the phrase.
_LONGEST_TAIL = 12
# What a data sheet promises is no benchmark: `4.7x increase in peak compute performance`
_SPECIFICATION = re.compile(r"\b(?:peak|theoretical|raw)\b|\b[TPGE]?FLOPS?\b", re.IGNORECASE)
# `has 4.7x the peak compute and trains`: another statement of the same subject begins
_NEXT_VERB = re.compile(r"\A.*,?\s(?:and|but|while)\s++(?=[a-z]+s\s)", re.DOTALL)
# `2x the training throughput of`, `one third of the cost`; `throughput is 2x that of`
_OF_METRIC = re.compile(r"\s+(?:of\s+)?(?:the|that\s+of|its)\b", re.IGNORECASE)
_THAT_OF = re.compile(r"\s+(?:that|those)\b", re.IGNORECASE)
# `throughput more than doubled`, `latency was halved`: behind it stand only circumstances, no object
_VERB = re.compile(r"(?:doubl|tripl|quadrupl|hal[fv])(?:ed?|es|ing)", re.IGNORECASE)
_NO_OBJECT = re.compile(
    r"\s*(?:[.,;:)]|$|(?:with|on|in|for|since|over|from|when|compared|versus|vs|thanks|between|after|while|using|and|at)\b)",
    re.IGNORECASE,
)
# `costs 30% less`, `is priced 2x higher`, `30% cheaper`: said of the price
_COSTS = re.compile(r"\b(?:costs?|costing|priced)\s+(?:at\s+)?(?:an?\s+)?$", re.IGNORECASE)
_CHEAP = re.compile(r"[^,;.]{0,20}?\b(?:cheaper|less\s+(?:expensive|costly))\b", re.IGNORECASE)
# `half the time`, `a third of the time`, `twice as long`
_TIME = re.compile(r"(?:\s+of)?\s+(?:the\s+|as\s+)(?:time|long)\b", re.IGNORECASE)
# `twice as many GPUs as before` compares no performance, `twice as many tokens per second` does
_AS_MANY = re.compile(r"as\s+(?:many|much)\b", re.IGNORECASE)
# How far from a factor a word of comparison may stand.
_REACH = 60
# `4x A100`, `8x H100 GPUs`, `2x Intel Xeon`, `16x 100GbE`
_COUNTED = re.compile(
    r"\s?(?:(?i:[gcinht]pus?|accelerators?|servers?|nodes?|chips?|cores?|cards?|devices?|sockets?)\b|[A-Z][\w-]*\d|\d+\s?G)"
)
# `if the performance claims are true, it trains 2x faster`: a time may be meant as well as a rate
_SAYS_NO_SPEED = re.compile(r"\bperformance\b(?!\s+per\b)", re.IGNORECASE)
# `, and `, ` and by `, ` and on BERT by `
_JOINED = re.compile(r"(?:,|\band\b|\bor|&)\s*(?:(?:on|for|in|with)\s+[^,;]{1,40}\s)?(?:by\s+|an?\s+)?$")
_SAME_AGAIN = re.compile(r"\s*(?:on|for|in|with|using|vs|versus|over|than|compared)\b|\s*+(?:[.,;]\s*+)?$")
# Words that only benchmarks use; `performance`, `training` and `cost` are everyday words.
_BENCHMARK = re.compile(
    r"\b(?:inferenc\w+|throughput|latenc(?:y|ies)|time[\s-]to[\s-]train\w*|(?:tokens|images|samples|sequences)\s+per\s+second|MLPerf"
    r"|[CGTIH]PUs?|AI\s+performance|Xeon|EPYC|Instinct|GeForce|accelerators?|neural\s+networks?)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:train|infer|fine-?tun|converg|simulat|comput|process|runs?\b|solv|epochs?\b)\w*", re.IGNORECASE
)
# What a sentence leaves out has been said in one of so many before it.
_SENTENCES = 5
# `faster than 5 minutes`: something is compared with a number
_THAN_NUMBER = re.compile(
    r"\b(?:faster|higher|lower|better)\s+than\s+(?:\w+\s+){0,2}?(?<![\w-])\d[\d.,]*(?![\w-])", re.IGNORECASE
)
# `the MI300X lags the H200 by 30%`
_TRAILS = re.compile(r"\b(?:trails?|trailed|trailing|lags?|lagged|lagging|falls?\s+(?:behind|short))\b", re.IGNORECASE)


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


@dataclass(frozen=True, slots=True)
class _Phrase:
    """How a factor is compared: in which direction and by which metric, as the words around it say.

    `is_before` is true for words of comparison before the factor (`improved by 3x`), `refers_back` for `this is a
    factor of 1.6x`, `says_time` for `half the time`, `is_bare` for `60x throughput`: neither more nor less.
    """

    direction: Direction
    metric: str | None
    is_before: bool = False
    refers_back: bool = False
    says_time: bool = False
    is_bare: bool = False


def find_comparisons(sentence: Sentence, suite: str | None, *, is_benchmark: bool = False) -> list[Comparison | Unread]:
    """The factors of a sentence that compare performance or prices, in order; counts and shares are left out.

    Args:
        sentence: The sentence.
        suite: Suite of benchmarks that it reports on, or None.
        is_benchmark: Whether it is known to be about benchmarks, as a headline is; else its words have to say so.
    """
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
            if not GLUE.fullmatch(plain[begin:limit]):
                break
            begin, limit = factors[later].end, starts[later + 1]
        previous = factors[index - 1].end if index else 0
        before = plain[max(left, previous) : factor.outer]
        comparison = _compare(sentence, factor, plain[begin : max(begin, min(right, limit))], before, suite)
        if not (is_benchmark or is_about_benchmarks(sentence)):
            comparison = None
        if isinstance(comparison, Comparison) and isinstance(last, Comparison) and _JOINED.search(before):
            comparison = replace(comparison, continues=True)
        last = comparison or _again(last, factor, plain[previous : factor.outer], plain[begin:limit])
        found += [last] if last else []
    return found


def _again(last: Comparison | Unread | None, factor: Factor, before: str, after: str) -> Comparison | None:
    """`..., 1.6x on BERT and 1.5x on EfficientNet`: the words of the comparison stand at the factor before."""
    if not isinstance(last, Comparison) or factor.kind != last.factor.kind:
        return None
    if not _JOINED.search(before) or not _SAME_AGAIN.match(after):
        return None
    return replace(last, factor=factor, quantity=advantage(factor, last.direction, last.metric), continues=True)


def _is_count(plain: str, factor: Factor) -> bool:
    """True for `8x H100`, which counts what is compared."""
    if plain[factor.end - 1] not in "xX\u00d7":
        return False
    is_counted = factor.quantity.value.is_integer() and _COUNTED.match(plain, factor.end) is not None
    return is_counted or any(mention.start == factor.start for mention in platforms_in(plain))


def _compare(
    sentence: Sentence, factor: Factor, after: str, before: str, suite: str | None
) -> Comparison | Unread | None:
    plain = sentence.plain
    phrase = _read_phrase(after, before, plain[factor.start : factor.end], factor.kind)
    if phrase is None:
        return None
    metric, direction = _metric(phrase, before, sentence, suite), phrase.direction
    if metric is None and phrase.says_time and not _WORK.search(plain):
        return None
    if metric is None and direction in ("up", "down") and not _names_subject(plain):
        return None
    if metric == "power":
        return None
    if is_expense(metric) and not (is_against(sentence, factor.end) or baseline_of(sentence, factor.outer, factor.end)):
        # `The IPU-POD16 is half the price`: a remark on prices that names no other side is no claim
        return None
    if reason := _unreadable(phrase, factor, metric):
        return Unread(factor, reason)
    is_worse = direction == "bad"
    if direction in ("up", "down") and metric is not None:
        is_worse = (direction == "up") == is_lower_better(metric)
    return Comparison(factor, advantage(factor, direction, metric), metric, is_worse, direction)


def _metric(phrase: _Phrase, before: str, sentence: Sentence, suite: str | None) -> str | None:
    """The metric behind the factor, what "faster" is said of, the one before the factor, or the sentence before's."""
    metric, is_fast = phrase.metric, phrase.direction == "fast"
    if is_fast and metric is None and not phrase.is_before:
        metric = metric_of_speed(sentence, suite)
    metric = metric or last_metric(_SAYS_NO_SPEED.sub("", before) if is_fast else before)
    if is_fast and is_expense(metric):
        # `with an almost identical spot price ... a 4x speedup`: nothing is faster in money.
        metric = None
    if metric is None and phrase.refers_back and (previous := next(sentence.before(), None)):
        metric = last_metric(previous.plain)
    return metric_of_speed(sentence, suite) if metric is None and phrase.says_time else metric


def _unreadable(phrase: _Phrase, factor: Factor, metric: str | None) -> str | None:
    """Why the factor is no ratio of performance or price, in a sentence; None where it is one."""
    if phrase.is_bare:
        return f"{metric} with a factor and no word that says whether it is more or less"
    if metric is not None and not is_performance(metric) and not is_expense(metric):
        return f"a difference in {metric} is no ratio of performance"
    if metric is None and phrase.direction in ("up", "down"):
        return "the quantity that is compared is no metric of the vocabulary"
    if factor.kind == "percent" and phrase.direction == "part":
        return "a part of what the other side reaches is no gain"
    if factor.kind == "percent" and phrase.direction == "down" and factor.quantity.value >= 100:
        return "nothing can be reduced by a hundred per cent or more"
    return None


def advantage(factor: Factor, direction: Direction, metric: str | None = None) -> Quantity:
    """The ratio with its interval: `2.6x` is 2.6, `31%` more 1.31, a reduction by `45%` 1 / (1 - 0.45).

    A time that is `31% faster` may take 31% less, or do 31% more in the same: it is both and all between.
    """
    quantity = factor.quantity
    if factor.kind != "percent":
        return quantity
    shares = [end / 100 for end in (quantity.value, quantity.low, quantity.high)]
    more = [round(1 + share, 9) for share in shares]
    less = [1 / (1 - share) if share < 1 else float("inf") for share in shares]
    if direction in ("fast", "good") and is_lower_better(metric) and quantity.value < 100:
        more[2] = less[2]
    value, low, high = less if direction == "down" else more
    return Quantity(value, low, high, quantity.bound)


# The words around a factor


def _read_phrase(after: str, before: str, printed: str, kind: Kind) -> _Phrase | None:
    """The comparison around a factor; None for a share, a count of things, and a comparison of memory or people.

    Args:
        after: Text of the clause behind the factor, up to the next one.
        before: Text of the clause before it, from the factor before.
        printed: The factor.
        kind: Kind of the factor.
    """
    if _is_specified(after, before):
        return None
    named = first_metric(after[: _other_side(after)])
    if kind != "percent" and _TIME.match(after):
        return _Phrase("fast" if kind == "share" else "bad", None, says_time=True)
    stop = _STOP.search(after)
    phrase = after[: stop.start()] if stop else after
    word, word_before = _BEHIND.search(after[: len(phrase) + _LONGEST_TAIL]), _before_factor(before, kind)
    if word and word.start() > len(phrase):
        word = None
    if _CHEAP.match(after) or (_COSTS.search(before) and (word or kind == "share")):
        is_more = kind != "share" and word is not None and word.lastgroup == "up"
        return _Phrase("up" if is_more else "down", named or "price")
    own_words = phrase[word.end() :] if word else phrase
    if first_metric(own_words) is None and names_other_quantity(own_words):
        return None
    said = word or word_before
    if said is None:
        return _multiple(after, before, phrase, printed, kind)
    if word is None:
        # `latency fell 2.3x, and the throughput of ...`: behind such a factor another statement may start
        named = last_metric(before) or first_metric(re.split(r"[,;]|\band\b", after, maxsplit=1)[0])
    if named is None and word and _AS_MANY.match(word[0]):
        return None
    direction = _DIRECTIONS.get(said.lastgroup or "", "good")
    if kind == "share":
        direction = "down"
    elif kind == "percent" and word and word[0].lower().startswith("as"):
        direction = "part"
    return _Phrase(
        direction, named, is_before=word is None, refers_back=bool(word_before and _REFERS_BACK.search(word_before[0]))
    )


def _before_factor(before: str, kind: Kind) -> re.Match[str] | None:
    """The words of comparison that end right before a factor, or None."""
    if kind == "share":
        return _CUT_IN.search(before)
    return next((match for pattern in _BEFORE if (match := pattern.search(before))), None)


def _is_specified(after: str, before: str) -> bool:
    """True where the words around a factor, in its own statement, are about what a data sheet promises."""
    near = (after[:_REACH], _NEXT_VERB.sub("", before)[-_REACH:])
    return any(_SPECIFICATION.search(words) for words in near)


def _multiple(after: str, before: str, phrase: str, printed: str, kind: Kind) -> _Phrase | None:
    """`60x throughput`, `double the throughput of`, `throughput is 2x that of`, `throughput doubled`.

    A percentage needs a word of comparison: `95% accuracy`.
    """
    if kind == "percent":
        return None
    direction: Direction = "down" if kind == "share" else "up"
    is_verb = _VERB.fullmatch(printed) is not None
    if _OF_METRIC.match(after) and (metric := first_metric(after[: min(_REACH, _other_side(after))])):
        return _Phrase(direction, metric)
    told = last_metric(before)
    if told and (_THAT_OF.match(after) or (is_verb and _NO_OBJECT.match(after))):
        return _Phrase(direction, told)
    if metric := first_metric(phrase):
        return _Phrase(direction, metric, is_bare=is_lower_better(metric) and not is_verb)
    return None


def _other_side(after: str) -> int:
    """Where the other side of the comparison starts; `as fast as` belongs to this side."""
    match = COMPARATOR.search(after)
    return match.start() if match and not match[0].lower().startswith("as") else len(after)


# Whether a comparison is one of benchmarks at all, and what looks like one and was not read


def is_about_benchmarks(sentence: Sentence) -> bool:
    """False where neither the sentence nor what stands above it names hardware, a model or a benchmark's own word.

    `Our team answers 3x faster` and `30% better performance of the sales team` compare as well.
    """
    near = [sentence, *islice(sentence.before(), _SENTENCES), *sentence.section.headings()]
    return any(_BENCHMARK.search(other.plain) or _names_subject(other.plain) for other in near)


def _names_subject(plain: str) -> bool:
    """True where a name is known, or has a digit as products do; grammar alone takes a `Sales Team` for one."""
    mentions = (*platforms_in(plain), *models_in(plain))
    return any(mention.is_known or any(c.isdigit() for c in mention.name) for mention in mentions)


def compared_with_number(plain: str) -> Span | None:
    """The first words that compare something with a number: `faster than 5 minutes`."""
    match = _THAN_NUMBER.search(plain)
    return match.span() if match else None


def left_factors(sentence: Sentence, read: Collection[Span]) -> Iterator[Factor]:
    """Factors beside a metric or a word of comparison, of benchmarks, that lie in none of the characters `read`."""
    plain = sentence.plain
    for factor in find_factors(plain):
        if any(low < factor.end and factor.start < high for low, high in read) or _is_count(plain, factor):
            continue
        if _looks_compared(plain, factor) and is_about_benchmarks(sentence):
            yield factor


def _looks_compared(plain: str, factor: Factor) -> bool:
    left, right = clause_around(plain, factor.outer, factor.end)
    before = plain[max(left, factor.outer - _REACH) : factor.outer]
    after = plain[factor.end : min(right, factor.end + _REACH)]
    if _is_specified(after, before) or names_other_quantity(after):
        return False
    word = _BEHIND.search(after)
    if word and word.lastgroup in ("fast", "bad"):
        return True
    if (_before_factor(before, factor.kind) or _TRAILS.search(before)) and _names_subject(plain):
        return True
    near = (*metrics_in(before), *metrics_in(after)) if factor.kind != "percent" else ()
    return any(is_performance(name) for name, _, _ in near)
