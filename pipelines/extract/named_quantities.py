"""Names of measured quantities outside tables, with their units: axes of charts, keys of summaries,
titles of bars.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from pipelines.extract.mentions import Mention, field_of, find_mentions
from pipelines.extract.rows import interval
from pipelines.values.quantity import Quantity, decimal_product
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import METRIC_OF_UNIT, find_unit, measure_of

# A longer text is a sentence, and no name.
_MAX_LENGTH = 120
_WORD = re.compile(r"[A-Za-z]+")
_JOINTS = frozenset({"a", "of", "the", "in", "per", "for"})
# What a name may say beside its metric: nothing of another dimension.
_OF_QUANTITIES = frozenset({"metric", "unit", "statistic", "field", "task", "bound"})
# Which phase of serving: the pass over the prompt is measured apart from the tokens that follow.
_PROMPT = re.compile(r"(?i)\b(?:prefill|prompt|context(?:\sencoding)?|pp)\b")
_OF_PROMPT = {"throughput": "prefill_throughput", "latency": "prefill_latency"}
# Metrics with a common word as name: the other word of a text is more specific, `TTFT` in
# `Latency (TTFT)`.
_VAGUE = frozenset(
    {"throughput", "latency", "cost", "power", "energy_consumption", "efficiency", "price"}
)
# Of these, words that occur with times and with rates: `Speed (ms)`, `Performance (img/s)`.
_ANY_UNIT = frozenset({"throughput", "efficiency"})
_DOLLARS = frozenset({"$", "us$", "usd", "dollars", "us dollars"})
_MEMORY = 1 << 14


class Unit(NamedTuple):
    """A printed unit: multiply a printed number by `scale` to get the canonical `name`; `item` is
    what is counted.
    """

    printed: str
    name: str
    scale: float
    item: str | None = None

    def columns(self, value: Quantity) -> dict[str, Any]:
        """The columns of a measurement of a value in the canonical unit."""
        of_unit = {"unit": self.name, "unit_printed": self.printed, "item": self.item}
        return interval(value, "value") | of_unit


class QuantityName(NamedTuple):
    """What the name of a measured quantity says.

    Attributes:
        metric: Canonical metric.
        statistic: `p99`, `mean`, or None.
        canonical_unit: Unit its values are stored in.
        unit: Unit printed with the name, or None.
    """

    metric: str
    statistic: str | None
    canonical_unit: str
    unit: Unit | None = None


@lru_cache(_MEMORY)
def quantity_of(text: str) -> QuantityName | None:
    """The measured quantity that a text names, or None for a text that names none or something else
    as well.
    """
    if len(text) > _MAX_LENGTH or field_of(text):
        return None
    mentions = find_mentions(text)
    # The last of a kind is the unit, and the statistic.
    last = {mention.kind: mention.value for mention in mentions}
    if not _OF_QUANTITIES.issuperset(last) or _says_more(text, mentions):
        return None
    unit = last.get("unit")
    metric = _metric(text, [m for m in mentions if m.kind == "metric"], unit)
    canonical = fact(metric, "unit")
    if metric is None or canonical is None:
        return None
    printed = read_unit(unit, canonical) if unit else None
    return QuantityName(metric, last.get("statistic"), canonical, printed)


def _says_more(text: str, mentions: tuple[Mention, ...]) -> bool:
    """True for words that no mention covers: `Total Latency` of a benchmark is no latency of its
    requests.
    """
    words = (
        w
        for w in _WORD.finditer(text)
        if not any(m.start < w.end() and w.start() < m.end for m in mentions)
    )
    return any(word[0].casefold() not in _JOINTS for word in words)


def fact(metric: str | None, name: str) -> str | None:
    """The vocabulary entry of a metric: `unit`, `better`."""
    entry = find("metrics", metric) if metric else None
    return entry.facts.get(name) if entry else None


def _metric(text: str, metrics: list[Mention], unit: str | None) -> str | None:
    """The metric that the names and the unit give together; None where neither does."""
    of_phase = _OF_PROMPT if _PROMPT.search(text) else {}
    # `/GPU` makes a share of a rate.
    found = find_unit(unit) if unit else None
    kind = found.canonical if found else ""
    for mention in sorted(metrics, key=lambda m: (m.value in _VAGUE, m.start - m.end)):
        name = METRIC_OF_UNIT.get((mention.value, kind), mention.value)
        canonical = fact(name, "unit")
        if canonical is None or canonical == "ratio":
            continue
        if unit is None or read_unit(unit, canonical):
            return of_phase.get(name, name)
        if name not in _ANY_UNIT:
            return None
    if kind.startswith(("items/s", "TFLOPS")):
        name = METRIC_OF_UNIT.get(("throughput", kind), "throughput")
        return of_phase.get(name, name)
    return None


@lru_cache(_MEMORY)
def read_unit(printed: str, canonical: str) -> Unit | None:
    """A printed unit in terms of a canonical one (`items/s`, `s`, `ms`), or None when it is no unit
    of that.
    """
    text = " ".join(printed.split())
    if canonical == "USD":
        return Unit(text, canonical, 1.0) if text.casefold() in _DOLLARS else None
    own, wanted = measure_of(text), measure_of(canonical)
    if own is None or wanted is None or not own.converts_to(wanted):
        return None
    scale = decimal_product(own.scale, 1000.0) if canonical == "ms" else own.scale
    return Unit(text, canonical, scale, own.item)
