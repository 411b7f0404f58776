"""Times in running text that say what they measure: `a time-to-train of 14.5 minutes`. Rates: `quantities.py`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pipelines.extract.prose.factors import BOUND_PREFIX, bound_words
from pipelines.extract.prose.metrics import metrics_in
from pipelines.extract.prose.quantities import Number, ends_range
from pipelines.values.durations import UNIT, parse_duration
from pipelines.values.numbers import NUMBER
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import find

# `9 minutes`, `14.5 min`, `1 hour 30 minutes`, `8-minute`; not `24 hours a day`, nor the `1S.92 minutes` and
# `8.2S minutes` that a letter makes
_DURATION = re.compile(
    rf"{BOUND_PREFIX}(?<![\w.,/$-])(?P<value>{NUMBER}[\s-]?(?:{UNIT})(?:(?:,|\s+and)?\s+{NUMBER}\s?(?:{UNIT}))*)"
    r"(?![\w/-]|\.\d|\s+(?:a\s+day|ago|old|milliseconds?|seconds?|minutes?|mins?|hours?|ms)\b)",
    re.IGNORECASE,
)
# `from 12 minutes to`: the value before a change, whatever the new one is
_OLD_BEFORE = re.compile(r"\bfrom\s+$", re.IGNORECASE)
_OLD_BEHIND = re.compile(r"\s+(?:down\s+|up\s+)?to\s", re.IGNORECASE)
# Between a metric and its value: ` of `, ` on the A100 from `, ` was only `
_LINK = re.compile(
    r"[^.,;]{0,50}?(?:\bof|\bis|\bwas|\bto|\bfrom|\bat|\bin|:|=|\bunder|\bbelow)\s*(?:only\s+|just\s+)?|\s*",
    re.IGNORECASE,
)
# `from 12 minutes on the A100 to 9 minutes`, `24.3 ms on MI300X versus 31.0 ms`: the link of the second value
_FROM_TO = re.compile(
    r"[^.;]{0,60}?\b(?:to|versus|vs\.?|against|compared\s+(?:to|with))\s+(?:only\s+|just\s+)?$", re.IGNORECASE
)
# `5.67 min on the IPU-POD128 and 3.79 mins on the IPU-POD256`: the link of the second value
_LISTED = re.compile(r"\s+(?:on|for|with|using)\s[^.;:]{1,60}?,?\s+and\s+(?:in\s+)?(?:only\s+|just\s+)?", re.IGNORECASE)
_TRAINED_IN = re.compile(
    r"\b(?:trains?|trained|training|converge[sd]?|fine-?tun\w+)\b(?:[^.,;]|(?<=\d)[.,](?=\d)){0,70}?"
    r"\b(?:in|took|takes|needs|needed)\s+(?:only\s+|just\s+)?$",
    re.IGNORECASE,
)
# `finished ResNet-50 in 19.6 minutes`, `BERT: 13.27 minutes`, in a round where nothing but the time to train counts
_SCORED = re.compile(
    r"(?:\b(?:in|took|takes|taking|needs|needed|needing|was|is|of|at|to)|:)\s*(?:only\s+|just\s+)?$", re.IGNORECASE
)
# `11 minutes to train BERT`, `29.1 minutes for ResNet-50 training`
_TO_TRAIN = re.compile(r"\s+(?:to\s+(?:train|converge)|for\s+(?:[\w./-]+\s+){0,4}?training)\b", re.IGNORECASE)
# `17x faster than the 48 hours`: the claim of the sentence says what the time is
_COMPARED = re.compile(r"\b(?:faster|quicker|shorter|slower)\s+than\s+(?:the\s+|an?\s+)?$", re.IGNORECASE)


def find_times(
    plain: str, claimed_metric: str | None, scored_metric: str | None = None, new_values: Collection[int] = ()
) -> Iterator[Number]:
    """Times of a sentence that name what they measure, in order.

    Args:
        plain: The sentence.
        claimed_metric: Metric of a claim in the same sentence, for the time that it is faster than.
        scored_metric: The only metric that the benchmark of the sentence has.
        new_values: Where values start that hold after a change, and end no range: `from 12 to 9 minutes`.
    """
    if not _DURATION.search(plain):
        return
    metrics = [(name, end) for name, _, end in metrics_in(plain) if time_unit(name)]
    last_metric, last_end = None, 0
    for match in _DURATION.finditer(plain):
        before = plain[: match.start()]
        metric = _metric_behind(plain, match.end()) or _metric_ahead(plain, metrics, match.start())
        between = plain[last_end : match.start()]
        if metric is None and last_metric and (_FROM_TO.fullmatch(between) or _LISTED.fullmatch(between)):
            metric = last_metric
        if metric is None and (_TRAINED_IN.search(before) or _TO_TRAIN.match(plain, match.end())):
            metric = "time_to_train"
        is_new = match.start("value") in new_values
        if metric is None and time_unit(claimed_metric) and (is_new or _COMPARED.search(before)):
            metric = claimed_metric
        if metric is None and time_unit(scored_metric) and (is_new or _SCORED.search(before)):
            metric = scored_metric
        quantity = read_time(match["value"], bound_words(match["bound"]))
        unit = time_unit(metric)
        if metric is None or unit is None or quantity is None:
            continue
        if not is_new and _OLD_BEFORE.search(before) and _OLD_BEHIND.match(plain, match.end()):
            continue
        if not is_new and ends_range(plain, match.start("value")):
            continue
        last_metric, last_end = metric, match.end()
        printed = re.sub(rf"{NUMBER}[\s-]?", "", match["value"], count=1)
        start, end = match.span("value")
        yield Number(start, end, metric, in_unit(quantity, unit), unit, printed)


def read_time(printed: str, words: str = "") -> Quantity | None:
    """Seconds of a time in running text (`14.5 minutes`, `8-minute`, `1 hour and 30 minutes`), or None."""
    return parse_duration(printed.replace("-", " ").replace(" and ", " "), words)


def time_unit(metric: str | None) -> str | None:
    """Canonical unit (s or ms) of a metric that is a time, None of any other."""
    entry = find("metrics", metric) if metric else None
    unit = entry.facts.get("unit") if entry else None
    return unit if unit in ("s", "ms") else None


def in_unit(seconds: Quantity, unit: str) -> Quantity:
    """A quantity in seconds in the canonical unit of its metric."""
    return seconds.scaled(1000) if unit == "ms" else seconds


def _metric_ahead(plain: str, metrics: list[tuple[str, int]], start: int) -> str | None:
    for name, end in reversed(metrics):
        if end <= start:
            return name if _LINK.fullmatch(plain[end:start]) else None
    return None


def _metric_behind(plain: str, end: int) -> str | None:
    for name, start, _ in metrics_in(plain):
        if start >= end and time_unit(name):
            return (
                name
                if re.fullmatch(r"[\s-]{1,2}(?:of\s+)?(?:average\s+|mean\s+|end-to-end\s+)?", plain[end:start])
                else None
            )
    return None
