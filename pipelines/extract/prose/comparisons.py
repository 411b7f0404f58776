"""Which printed factors compare performance, in which metric and direction. Who is compared: `names.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise

from pipelines.extract.mentions import find_mentions
from pipelines.extract.prose.factors import Direction, Factor, advantage
from pipelines.extract.prose.names import COMPARATOR, MULTIPLE, models_in, part_around, platforms_in, ratios_in
from pipelines.extract.prose.sentences import Sentence
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import find_unit

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
# Right before a factor: `a factor of`, `outperforms the A100 by`, `the advantage for BERT is`, `rose`
_BEFORE = re.compile(
    r"\b(?:(?P<refers>factor\s+of|advantage\b[^,;]{0,60}?\b(?:of|is|was))"
    r"|(?:(?P<good>improv\w+|gains?|uplift|boost\w*|outperform\w*|exceed\w*|beat\w*|surpass\w*)"
    r"|(?P<fast>speed-?ups?|accelerat\w+|sped\s+up)|(?P<up>increas\w+|rais\w+|rose|gr[eo]w\w*)"
    r"|(?P<down>reduc\w+|savings?|cut\w*|decreas\w+|lower(?:s|ed|ing)|drop\w*|fell))\b(?:[^,;]{0,70}?\b(?:of|is|was|by))?)"
    r"\s*(?:an?\s+)?(?:(?:additional|further|average)\s+)?(?:factor\s+of\s+)?$",
    re.IGNORECASE,
)
# Words that end the phrase a factor belongs to: in `10% of the total training compute` nothing is compared.
_STOP = re.compile(
    r"\b(?:of|on|in|for|from|at|by|to(?!-)|and|or|when|is|are|was|were|that|which|who|with|than|vs|versus|over)\b(?!-)|[,;:.(](?:\s|$)",
    re.IGNORECASE,
)
# What a data sheet promises is no benchmark: `4.7x increase in peak compute performance`
_SPECIFICATION = re.compile(r"\b(?:peak|theoretical|raw)\b|\b[TPGE]?FLOPS?\b", re.IGNORECASE)
# `, and `, ` and by `, ` and on BERT by `: the words of the comparison stand at the factor before.
_JOINED = re.compile(r"(?:,|\band\b|\bor|&)\s*(?:(?:on|for|in|with)\s+[^,;]{1,40}\s)?(?:by\s+|an?\s+)?$")
_SAME_AGAIN = re.compile(r"\s*(?:on|for|in|with|using|vs|versus|over|than|compared)\b|\s*+(?:[.,;]\s*+)?$")
# `trains in`, `to convergence`: then "faster" is said of the time a training takes
_TIME_TO_TRAIN = re.compile(
    r"\b(?:trains|trained|to\s+train|to\s+converge(?:nce)?|converge[sd]?|time[\s-]to[\s-]accuracy|to\s+(?:target|reference)\s+accurac\w+)\b",
    re.IGNORECASE,
)
_PERFORMANCE_UNITS = frozenset({"items/s", "s", "ms", "ratio", "items/s/W", "TFLOPS/device"})
# What a sentence leaves out has been said in one of so many before it.
_SENTENCES = 5
_NO_METRIC = "the quantity that is compared is no metric of the vocabulary"


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
    plain, ratios = sentence.plain, ratios_in(sentence.plain)
    if not ratios or _SPECIFICATION.search(plain) or not (is_benchmark or is_about_benchmarks(sentence)):
        return []
    found: list[Comparison | Unread] = []
    last: Comparison | Unread | None = None
    begins, limits = [0, *(ratio.end for ratio in ratios)], [*(ratio.outer for ratio in ratios[1:]), len(plain)]
    for factor, begin, limit in zip(ratios, begins, limits, strict=False):
        before, after = plain[begin : factor.outer], plain[factor.end : limit]
        comparison = _compare(sentence, factor, before, after, suite)
        is_list = isinstance(last, Comparison) and factor.kind == last.factor.kind and _JOINED.search(before)
        if comparison is None and isinstance(last, Comparison) and is_list and _SAME_AGAIN.match(after):
            # `by 2.1x on ResNet-50, 1.6x on BERT`
            quantity = advantage(factor, last.direction, is_lower_better=is_lower_better(last.metric))
            comparison = replace(last, factor=factor, quantity=quantity)
        last = comparison
        found += [last] if last else []
    return found


def _compare(
    sentence: Sentence, factor: Factor, before: str, after: str, suite: str | None
) -> Comparison | Unread | None:
    """The comparison around a factor; None for a share of something.

    Args:
        sentence: The sentence.
        factor: The factor.
        before: Text between the factor before and this one.
        after: Text up to the next factor.
        suite: Suite of benchmarks that the sentence reports on, or None.
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
        first_metric(after[:side])
        if word
        else last_metric(before) or first_metric(after[: max(0, right - factor.end)].partition(" and ")[0])
    )
    if metric is None and direction == "fast" and word:
        metric = metric_of_speed(sentence, suite)
    # `throughput is 4.6x higher`, but not `higher throughput and 2.4 times more memory`
    if metric is None and (word is None or direction in ("fast", "bad") or not phrase[word.end() :].strip()):
        metric = last_metric(own if direction in ("fast", "bad") else before)
    if metric is None and refers_back and (previous := next(sentence.before(), None)):
        metric = last_metric(previous.plain)
    if direction == "fast" and (_fact(metric, "unit") or "").startswith("USD"):
        # `with an almost identical spot price ... a 4x speedup`: nothing is faster in money.
        metric = None
    if metric is None and (direction in ("up", "down") or (direction == "good" and word)):
        return Unread(factor, _NO_METRIC)
    if metric is not None and _fact(metric, "unit") not in _PERFORMANCE_UNITS:
        return Unread(factor, f"a difference in {metric} is no ratio of performance")
    if factor.kind == "percent" and word and word[0].lower().startswith("as "):
        return Unread(factor, "a part of what the other side reaches is no gain")
    if factor.kind == "percent" and direction == "down" and factor.quantity.value >= 100:
        return Unread(factor, "nothing can be reduced by a hundred per cent or more")
    is_worse = direction == "bad"
    if direction in ("up", "down") and metric is not None:
        is_worse = (direction == "up") == is_lower_better(metric)
    quantity = advantage(factor, direction, is_lower_better=is_lower_better(metric))
    return Comparison(factor, quantity, metric, is_worse, direction)


def _multiple(factor: Factor, before: str, after: str, phrase: str) -> Comparison | Unread | None:
    """`2x the throughput of`; a factor beside a metric alone does not say whether it is more or less."""
    of = MULTIPLE.match(after)
    metric = first_metric(of["metric"]) if of and of["metric"] else last_metric(before) if of else None
    if factor.kind == "times" and metric and _fact(metric, "unit") in _PERFORMANCE_UNITS:
        return Comparison(factor, factor.quantity, metric, is_lower_better(metric), "up")
    has_metric = factor.kind == "times" and (last_metric(before) or first_metric(phrase))
    return Unread(factor, "a factor beside a metric, and no word of comparison") if has_metric else None


def is_about_benchmarks(sentence: Sentence) -> bool:
    """False where neither the sentence nor what stands above it names hardware or a model: `We answer 3x faster`."""
    near = [sentence, *islice(sentence.before(), _SENTENCES), *sentence.heading()]
    return any(platforms_in(other.plain) or models_in(other.plain) for other in near)


# Metrics


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
    spans, found = condition_spans(plain), []
    for mention in find_mentions(plain, True):
        if any(start <= mention.start < end for start, end in spans):
            continue
        known = find_unit(mention.value) if mention.kind == "unit" else None
        if mention.kind == "metric" or (known and known.canonical == "items/s"):
            found.append((mention.value if mention.kind == "metric" else "throughput", mention.start, mention.end))
    return tuple(found)


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
