"""Metrics named in running text, and what "faster" means where none is named. Factors: `comparisons.py`."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise

from pipelines.extract.mentions import find_mentions
from pipelines.extract.prose.sentences import Sentence
from pipelines.vocabulary.lookup import find, spelling_body

# `at the lowest latency`, `in a lowest latency comparison`: a condition of the comparison, not what is compared
_AT = re.compile(
    r"\b(?:at|in|under|with)\s+(?:an?\s+|the\s+|its\s+|their\s+|any\s+)?(?:(?:lowest|low|lower|same|equal|similar|comparable|minimum|best)[\s-]+)+"
    r"(?:latency|latencies|power|accuracy|batch\s+sizes?|throughput|cost|price)(?:\s+and\s+(?:latency|power|accuracy|cost|price))?"
    r"(?:\s+(?:comparison|scenario|configuration)|\s+achievable\s+by\s+the\s+[\w-]+)?"
    r"|\bat\s+(?:the\s+|any\s+)?batch\s+sizes?(?:\s+(?:of\s+)?\d+(?:,\d{3})*)?",
    re.IGNORECASE,
)
# `for PyTorch 2`, `in both TensorFlow & PyTorch`, `with FP8 precision`
_RUN_WITH = re.compile(r"\b(?:for|in|at|with|using)\s+(?:both\s+)?$", re.IGNORECASE)
_JOINT = re.compile(r"\s+(?:and|&)\s+")
# Hardware, money and people are compared in the same words; they are no benchmark.
_OTHER_QUANTITY = re.compile(
    r"\s*(?:[\w-]+\s+){0,2}?(?:memory|bandwidth|power(?!\s+efficien)|energy(?!\s+efficien)|cores?|capacity|parameters?|money"
    r"|customers?|users?|storage|FLOPS?|flops|compute|data|revenue|density|nodes?|chips?|GPUs?|accelerators?|servers?|space|cache|transistors?"
    r"|models?|jobs|developers?|members?|people|water|carbon|emissions|scale|complex\w*|sparsity|HBM|SRAM|context)\b(?!\s+(?:throughput|training|inference))",
    re.IGNORECASE,
)
_PERFORMANCE_UNITS = frozenset({"items/s", "s", "ms", "ratio", "items/s/W", "TFLOPS/device"})
_EXPENSE_UNITS = frozenset({"USD", "USD/h"})
# `trains in`, `to convergence`, `time-to-train`: then "faster" is said of the time a training takes
_TIME_TO_TRAIN = re.compile(
    r"\b(?:trains|trained|to\s+train|to\s+converge(?:nce)?|converge[sd]?|time[\s-]to[\s-]accuracy|to\s+(?:target|reference)\s+accurac\w+)\b",
    re.IGNORECASE,
)


@cache
def _metric_pattern() -> re.Pattern[str]:
    """Every spelling of a metric or of a unit that stands for one, also in the plural."""
    metrics, units = spelling_body("metrics"), spelling_body("units")
    # `training performance per dollar`: what is divided is no metric of its own
    divided = r"\s+per\s+(?:dollar|watt|chip|GPU|accelerator)\b"
    pattern = rf"(?<![\w-])(?:(?P<metric>{metrics})s?(?!{divided})|(?P<unit>{units}))(?![\w]|-\w)"
    return re.compile(pattern, re.IGNORECASE)


def condition_spans(plain: str) -> list[tuple[int, int]]:
    """Characters of the conditions that a comparison is printed with, in order."""
    found = [match.span() for match in _AT.finditer(plain)]
    run = [m for m in find_mentions(plain, True) if m.kind in ("framework", "precision")]
    for mention in run:
        if before := _RUN_WITH.search(plain, 0, mention.start):
            end = mention.end + len(" precision") * plain.startswith(" precision", mention.end)
            found.append((before.start(), end))
    for one, other in pairwise(run):
        if found and found[-1][1] == one.end and _JOINT.fullmatch(plain, one.end, other.start):
            found[-1] = (found[-1][0], other.end)
    return sorted(found)


@lru_cache(maxsize=1024)
def metrics_in(plain: str) -> tuple[tuple[str, int, int], ...]:
    """(canonical metric, start, end) of every metric named, in order; those in a condition are left out.

    `performance` is the vocabulary's word for throughput; beside another metric it says nothing of its own.
    """
    for start, end in condition_spans(plain):
        plain = plain[:start] + " " * (end - start) + plain[end:]
    found = []
    for match in _metric_pattern().finditer(plain):
        entry = find("units", match["unit"]) if match["unit"] else find("metrics", match["metric"])
        if match["metric"] or (entry and entry.facts.get("unit") == "items/s"):
            name = "throughput" if match["unit"] else entry.name if entry else None
            found += [(name, match.start(), match.end())] if name else []
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


def is_performance(metric: str) -> bool:
    """True for rates, times and what they give per dollar or watt; False for accuracy and other qualities."""
    return _fact(metric, "unit") in _PERFORMANCE_UNITS


def is_expense(metric: str | None) -> bool:
    """True for prices and other costs in money."""
    return _fact(metric, "unit") in _EXPENSE_UNITS


def names_other_quantity(after: str) -> bool:
    """True where the words behind `3x more` are memory, cost, customers and the like."""
    return _OTHER_QUANTITY.match(after) is not None


def metric_of_speed(sentence: Sentence, suite: str | None) -> str | None:
    """The time to train where the sentence says so, or where the suite measures nothing else; else None."""
    if _TIME_TO_TRAIN.search(sentence.plain):
        return "time_to_train"
    return "time_to_train" if suite and suite.startswith("MLPerf Training") else None
