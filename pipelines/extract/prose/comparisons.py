"""Which printed factors compare performance, in which metric and direction. Who is compared: `names.py`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice, pairwise

from pipelines.extract.mentions import find_mentions
from pipelines.extract.prose.factors import Direction, Factor, advantage, find_factors
from pipelines.extract.prose.names import COMPARATOR, LISTED, models_in, part_around, platforms_in
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find, spelling_body

Span = tuple[int, int]

# `at the lowest latency`, `in a lowest latency comparison`: a condition of the comparison, not what is compared
_AT = re.compile(
    r"\b(?:at|in|under|with)\s+(?:(?:an?|the|its|their|any)\s+)?(?:(?:lowest|low|lower|same|equal|similar|comparable|best)[\s-]+)+"
    r"(?:latency|latencies|power|accuracy|batch\s+sizes?|throughput|cost|price)(?:\s+and\s+(?:latency|power|accuracy|price))?"
    r"(?:\s+(?:comparison|scenario|configuration)|\s+achievable\s+by\s+the\s+[\w-]+)?"
    r"|\bat\s+(?:the\s+|any\s+)?batch\s+sizes?(?:\s+(?:of\s+)?\d+(?:,\d{3})*)?",
    re.IGNORECASE,
)
# `for PyTorch 2`, `in both TensorFlow & PyTorch`, `with FP8 precision`
_RUN_WITH = re.compile(r"\b(?:for|in|at|with|using)\s+(?:both\s+)?$", re.IGNORECASE)
# Words of comparison. `31% better`, `2x faster`, `45% reduction`: the first such word behind a factor
_BEHIND = re.compile(
    r"\b(?:(?P<up>more|higher|greater|increased?|longer)"
    r"|(?P<down>lower|less|fewer|shorter|reduc(?:ed|tions?)|decreased?|drop|cut|savings?|cheaper)"
    r"|(?P<good>better|improvements?|improved|gains?|boost|uplift|advantage|as\s+(?:many|much|high)|efficient)"
    r"|(?P<fast>faster|quicker|speed-?\s?ups?|acceleration|as\s+fast|as\s+quick(?:ly)?|the\s+speed)|(?P<bad>slower|worse))\b",
    re.IGNORECASE,
)
# `a factor of`, `the advantage for BERT is`; `outperforms the A100 by`, `performance rose by`; `latency is down`
_BEFORE = re.compile(
    r"\b(?:(?P<refers>factor\s+of|(?:advantage|lead)\b[^,;]{0,60}?\b(?:of|is|was))"
    r"|(?:(?P<good>improvements?|gains?|uplift|boost)|(?P<fast>speed-?ups?|acceleration)|(?P<down>reductions?|savings?))"
    r"\b[^,;]{0,60}?\b(?:of|is|was|to|by)"
    r"|(?:(?P<good2>outperform\w*|improv\w+|boost\w*|exceed\w*|beat\w*|surpass\w*)|(?P<up2>increas\w+|rais\w+|rose|gr[eo]w\w*)"
    r"|(?P<fast2>accelerat(?:e[sd]?|ing)|sped\s+up)|(?P<down2>reduc\w+|cut\w*|decreas\w+|lower\w*|drop\w*|fell))\b[^,;]{0,70}?\bby"
    r"|(?P<good3>improved)|(?P<up3>rose|grew|increased)|(?P<down3>fell|dropped|decreased))"
    r"\s*(?:an?\s+)?(?:(?:additional|further|average)\s+)?(?:factor\s+of\s+)?$",
    re.IGNORECASE,
)
# Words that end the phrase a factor belongs to: in `10% of the total training compute` nothing is compared.
_STOP = re.compile(
    r"\b(?:of|on|in|for|from|at|by|to(?!-)|and|or|when|is|are|was|were|that|which|who|with|than|vs|versus|over)\b(?!-)|[,;:.(](?:\s|$)",
    re.IGNORECASE,
)
# `as fast as`: the word of the comparison may end just behind the phrase.
_LONGEST_TAIL = 12
# Where the other side begins, or another statement; `as fast as` belongs to this side.
_NEXT = re.compile(r"[,;]|\band\b")
# What a data sheet promises is no benchmark: `4.7x increase in peak compute performance`
_SPECIFICATION = re.compile(r"\b(?:peak|theoretical|raw)\b|\b[TPGE]?FLOPS?\b", re.IGNORECASE)
# `2x the training throughput of`, `2x that of`
_OF_METRIC = re.compile(r"\s+(?:of\s+)?(?P<that>the\b|that\s+of|those\s+of)", re.IGNORECASE)
# `4x A100`, `8x H100 GPUs`, `16x 100GbE`
_COUNTED = re.compile(
    r"\s?(?:(?i:[gcinht]pus?|accelerators?|servers?|nodes?|chips?|cores?|cards?|devices?|sockets?)\b|[A-Z][\w-]*\d|\d+\s?G)"
)
# `, and `, ` and by `, ` and on BERT by `
_JOINED = re.compile(r"(?:,|\band\b|\bor|&)\s*(?:(?:on|for|in|with)\s+[^,;]{1,40}\s)?(?:by\s+|an?\s+)?$")
_SAME_AGAIN = re.compile(r"\s*(?:on|for|in|with|using|vs|versus|over|than|compared)\b|\s*+(?:[.,;]\s*+)?$")
# Words that only benchmarks use; `performance`, `training` and `cost` are everyday words.
_BENCHMARK = re.compile(
    r"\b(?:inferenc\w+|throughput|latenc(?:y|ies)|time[\s-]to[\s-]train\w*|(?:tokens|images|samples|sequences)\s+per\s+second|MLPerf"
    r"|[CGTIH]PUs?|accelerators?|neural\s+networks?)\b",
    re.IGNORECASE,
)
# Comparisons in words that are not read: `throughput doubled`, `half the latency`, `faster than 5 minutes`
_IN_WORDS = re.compile(
    r"\b(?:(?:doubl|tripl|quadrupl|hal[fv])(?:es|ed|ing)|(?:half|third|quarter|fifth|tenth)\s+(?:of\s+)?(?:the|that)|in\s+half"
    r"|thrice|\w+fold|(?:an?|one|two|three)\s+orders?\s+of\s+magnitude"
    r"|(?:faster|higher|lower|better)\s+than\s+(?:\w+\s+){0,2}?(?<![\w-])\d[\d.,]*(?![\w-])"
    r"|from\s+\d[\d.,]*(?:\s[\w/]+){0,4}?\s+(?:down\s+|up\s+)?to\s+\d[\d.,]*)",
    re.IGNORECASE,
)
# `trains in`, `to convergence`: then "faster" is said of the time a training takes
_TIME_TO_TRAIN = re.compile(
    r"\b(?:trains|trained|to\s+train|to\s+converge(?:nce)?|converge[sd]?|time[\s-]to[\s-]accuracy|to\s+(?:target|reference)\s+accurac\w+)\b",
    re.IGNORECASE,
)
_PERFORMANCE_UNITS = frozenset({"items/s", "s", "ms", "ratio", "items/s/W", "TFLOPS/device"})
_EXPENSES = frozenset({"USD", "USD/h"})
# What a sentence leaves out has been said in one of so many before it.
_SENTENCES = 5


@dataclass(frozen=True, slots=True)
class Comparison:
    """A factor that compares.

    Attributes:
        factor: The characters it is printed in.
        quantity: The advantage of the better side.
        metric: Canonical metric, or None where none is stated.
        is_reversed: True where the side named first is the worse one (`3x slower than`).
        direction: What the words of the comparison say of the subject.
    """

    factor: Factor
    quantity: Quantity
    metric: str | None
    is_reversed: bool
    direction: Direction


@dataclass(frozen=True, slots=True)
class Unread:
    """A factor that looks like a comparison and cannot be read, with the reason."""

    factor: Factor
    reason: str


def find_comparisons(sentence: Sentence, suite: str | None, *, is_benchmark: bool = False) -> list[Comparison | Unread]:
    """The factors of a sentence that compare performance, in order; counts and shares are left out.

    Args:
        sentence: The sentence.
        suite: Suite of benchmarks that it reports on, or None.
        is_benchmark: Whether it is known to be about benchmarks, as a headline is; else its words have to say so.
    """
    plain = sentence.plain
    factors = [factor for factor in find_factors(plain) if not _is_count(plain, factor)]
    if not factors or not (is_benchmark or is_about_benchmarks(sentence)):
        return []
    starts = [*(factor.outer for factor in factors), len(plain), len(plain)]
    found: list[Comparison | Unread] = []
    last: Comparison | Unread | None = None
    for index, factor in enumerate(factors):
        begin, limit = factor.end, starts[index + 1]
        # `2x and 3x higher throughput`: the words stand behind the last factor of the list
        for later in range(index + 1, len(factors)):
            if not LISTED.fullmatch(plain, begin, limit):
                break
            begin, limit = factors[later].end, starts[later + 1]
        before = plain[factors[index - 1].end if index else 0 : factor.outer]
        comparison = _compare(sentence, factor, before, plain[begin:limit], suite)
        last = comparison or _again(last, factor, before, plain[begin:limit])
        found += [last] if last else []
    return found


def _again(last: Comparison | Unread | None, factor: Factor, before: str, after: str) -> Comparison | None:
    """`by 2.1x on ResNet-50, 1.6x on BERT`: the words of the comparison stand at the factor before."""
    if not isinstance(last, Comparison) or factor.kind != last.factor.kind:
        return None
    if not _JOINED.search(before) or not _SAME_AGAIN.match(after):
        return None
    quantity = advantage(factor, last.direction, is_lower_better=is_lower_better(last.metric))
    return replace(last, factor=factor, quantity=quantity)


def _is_count(plain: str, factor: Factor) -> bool:
    """True for `8x H100`, which counts what is compared."""
    if plain[factor.end - 1] not in "xX\u00d7":
        return False
    is_counted = factor.quantity.value.is_integer() and _COUNTED.match(plain, factor.end) is not None
    starts = {factor.start, factor.end, factor.end + 1}
    return is_counted or any(m.start in starts for m in platforms_in(plain) if factor.quantity.value.is_integer())


def _compare(
    sentence: Sentence, factor: Factor, before: str, after: str, suite: str | None
) -> Comparison | Unread | None:
    """The comparison around a factor; None for a share, a count of things and what a data sheet promises.

    Args:
        sentence: The sentence.
        factor: The factor.
        before: Text between the factor before and this one.
        after: Text up to the next factor.
        suite: Suite of benchmarks that the sentence reports on, or None.
    """
    left, right = part_around(sentence.plain, factor.outer, factor.end)
    own = sentence.plain[max(left, factor.outer - len(before)) : factor.outer]
    if _SPECIFICATION.search(own) or _SPECIFICATION.search(after[: max(0, right - factor.end)]):
        return None
    stop = _STOP.search(after)
    phrase = after[: stop.start()] if stop else after
    word, word_before = _BEHIND.search(after[: len(phrase) + _LONGEST_TAIL]), _BEFORE.search(before)
    if word and word.start() > len(phrase):
        word = None
    side = next((m.start() for m in COMPARATOR.finditer(after) if not m[0].lower().startswith("as")), len(after))
    named = first_metric(after[:side])
    said = word or word_before
    if said is None:
        return _multiple(factor, before, after, phrase)
    group = (said.lastgroup or "good").rstrip("23")
    refers_back = group == "refers"
    direction: Direction = "good" if refers_back else group  # type: ignore[assignment]
    if word is None:
        named = last_metric(before) or first_metric(_NEXT.split(after, maxsplit=1)[0])
    if named is None and direction == "fast" and word is not None:
        named = metric_of_speed(sentence, suite)
    # `throughput is 4.6x higher`, but not `higher throughput and 2.4 times more memory`
    is_complete = word is None or direction in ("fast", "bad") or not phrase[word.end() :].strip()
    near = own if direction in ("fast", "bad") else before
    metric = named or (last_metric(near) if is_complete else None)
    if direction == "fast" and _fact(metric, "unit") in _EXPENSES:
        # `with an almost identical spot price ... a 4x speedup`: nothing is faster in money.
        metric = None
    if metric is None and refers_back and (previous := next(sentence.before(), None)):
        metric = last_metric(previous.plain)
    if metric is None and (direction in ("up", "down") or (direction == "good" and word is not None)):
        return Unread(factor, "the quantity that is compared is no metric of the vocabulary")
    if reason := _unreadable(factor, direction, metric, is_part=(word[0] if word else "").lower().startswith("as ")):
        return Unread(factor, reason)
    is_worse = direction == "bad"
    if direction in ("up", "down") and metric is not None:
        is_worse = (direction == "up") == is_lower_better(metric)
    quantity = advantage(factor, direction, is_lower_better=is_lower_better(metric))
    return Comparison(factor, quantity, metric, is_worse, direction)


def _unreadable(factor: Factor, direction: Direction, metric: str | None, *, is_part: bool) -> str | None:
    """Why the factor is no ratio of performance, in a sentence; None where it is one."""
    if metric is not None and _fact(metric, "unit") not in _PERFORMANCE_UNITS:
        return f"a difference in {metric} is no ratio of performance"
    if factor.kind == "percent" and is_part:
        return "a part of what the other side reaches is no gain"
    if factor.kind == "percent" and direction == "down" and factor.quantity.value >= 100:
        return "nothing can be reduced by a hundred per cent or more"
    return None


def _multiple(factor: Factor, before: str, after: str, phrase: str) -> Comparison | Unread | None:
    """`2x the throughput of`, `throughput is 2x that of`; `60x latency` does not say whether it is more or less."""
    if factor.kind == "percent":
        return None
    of = _OF_METRIC.match(after)
    metric = first_metric(after[: after.find(" of ") if " of " in after else len(after)]) if of else None
    if of and of["that"].lower() != "the":
        metric = last_metric(before)
    if metric and _fact(metric, "unit") in _PERFORMANCE_UNITS:
        return Comparison(factor, factor.quantity, metric, is_lower_better(metric), "up")
    if metric := first_metric(phrase):
        if is_lower_better(metric) or _fact(metric, "unit") not in _PERFORMANCE_UNITS:
            return Unread(factor, f"{metric} with a factor and no word that says whether it is more or less")
        return Comparison(factor, factor.quantity, metric, False, "up")
    return Unread(factor, "a factor beside a metric, and no word of comparison") if last_metric(before) else None


def is_about_benchmarks(sentence: Sentence) -> bool:
    """False where neither the sentence nor what stands above it names hardware, a model or a benchmark's own word.

    `Our team answers 3x faster` and `30% better performance of the sales team` compare as well.
    """
    near = [sentence, *islice(sentence.before(), _SENTENCES), *sentence.section.headings()]
    return any(_BENCHMARK.search(other.plain) or platforms_in(other.plain) or models_in(other.plain) for other in near)


def compared_in_words(plain: str, values: Collection[Span]) -> Span | None:
    """The first words of a comparison of benchmarks that are not read: `throughput doubled`, `from 12 to 9 minutes`.

    Args:
        plain: The sentence.
        values: Characters of every value of the sentence; words that hold one of them are read by it.
    """
    in_words = (
        match
        for match in _IN_WORDS.finditer(plain)
        if not any(match.start() < end and start < match.end() for start, end in values)
    )
    match = next(in_words, None)
    if match is None or not (platforms_in(plain) or models_in(plain)):
        return None
    # `an order of magnitude faster` names no metric and compares performance all the same.
    is_speed = any(said.lastgroup in ("fast", "bad") for said in _BEHIND.finditer(plain, match.start()))
    is_performance = is_speed or any(_fact(name, "unit") in _PERFORMANCE_UNITS for name, _, _ in metrics_in(plain))
    return match.span() if is_performance else None


# Metrics


@cache
def _metric_pattern() -> re.Pattern[str]:
    """Every spelling of a metric or of a unit that stands for one, also in the plural."""
    metrics, units = spelling_body("metrics"), spelling_body("units")
    # `training performance per dollar`: what is divided is no metric of its own
    divided = r"\s+per\s+(?:dollar|watt|chip|GPU|accelerator)\b"
    pattern = rf"(?<![\w-])(?:(?P<metric>{metrics})s?(?!{divided})|(?P<unit>{units}))(?![\w]|-\w)"
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(maxsize=1024)
def condition_spans(plain: str) -> tuple[Span, ...]:
    """Characters of the conditions that a comparison is printed with, in order."""
    found = [match.span() for match in _AT.finditer(plain)]
    run = [m for m in find_mentions(plain, True) if m.kind in ("framework", "precision")]
    for mention in run:
        if before := _RUN_WITH.search(plain, 0, mention.start):
            end = mention.end + len(" precision") * plain.startswith(" precision", mention.end)
            found.append((before.start(), end))
    for one, other in pairwise(run):
        if found and found[-1][1] == one.end and plain[one.end : other.start].strip() in ("and", "&"):
            found[-1] = (found[-1][0], other.end)
    return tuple(sorted(found))


@lru_cache(maxsize=1024)
def metrics_in(plain: str) -> tuple[tuple[str, int, int], ...]:
    """(canonical metric, start, end) of every metric named, in order; those in a condition are left out.

    `performance` is the vocabulary's word for throughput; beside another metric it says nothing of its own.
    """
    if not _metric_pattern().search(plain):
        return ()
    for start, end in condition_spans(plain):
        plain = plain[:start] + " " * (end - start) + plain[end:]
    return tuple(_metrics(plain))


def _metrics(plain: str) -> Iterator[tuple[str, int, int]]:
    for match in _metric_pattern().finditer(plain):
        entry = find("units", match["unit"]) if match["unit"] else find("metrics", match["metric"])
        if entry and match["unit"] and entry.facts.get("unit") == "items/s":
            yield "throughput", *match.span()
        elif entry and match["metric"]:
            yield entry.name, *match.span()


def first_metric(plain: str) -> str | None:
    """The first metric named, or None."""
    return next((name for name, _, _ in metrics_in(plain)), None)


def last_metric(plain: str) -> str | None:
    """The last metric named, or None."""
    return next((name for name, _, _ in reversed(metrics_in(plain))), None)


def _fact(metric: str | None, name: str) -> str | None:
    entry = find("metrics", metric) if metric else None
    return entry.facts.get(name) if entry else None


def is_lower_better(metric: str | None) -> bool:
    """True for latencies and times."""
    return _fact(metric, "better") == "lower"


def time_unit(metric: str | None) -> str | None:
    """Canonical unit (s or ms) of a metric that is a time, None of any other."""
    unit = _fact(metric, "unit")
    return unit if unit in ("s", "ms") else None


def metric_of_speed(sentence: Sentence, suite: str | None) -> str | None:
    """The time to train where the sentence says so, or where the suite measures nothing else; else None."""
    is_of_suite = suite is not None and suite.startswith("MLPerf Training")
    return "time_to_train" if is_of_suite or _TIME_TO_TRAIN.search(sentence.plain) else None
