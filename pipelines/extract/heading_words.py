"""What a heading means for the cells below it: a field, a measured value, a condition of values, or nothing known.

A heading is the stack of texts that stand above a column, from the top. Which rows are headings belongs in `header.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from pipelines.extract.mentions import (
    LENGTHS,
    NAMES,
    Mention,
    batch_kind,
    field_of,
    find_mentions,
    known_name,
    metric_of,
    typed,
)
from pipelines.extract.scope import dimension_of
from pipelines.extract.printed_values import Unit, read_unit
from pipelines.values.durations import unit_seconds
from pipelines.values.numbers import parse_count
from pipelines.vocabulary.lookup import Entry, find
from pipelines.vocabulary.units import METRIC_OF_UNIT, find_unit

Role = Literal["field", "value", "pivot", "measure", "unit", "ignored", "unknown"]

_MEMORY = 1 << 14
# A longer text is a sentence, and no heading.
_MAX_LENGTH = 120
# Words that join a quantity and its condition, and such that say what any number of a result is.
_SAYS_NOTHING = frozenset(
    {
        *("a", "an", "the", "of", "on", "in", "at", "for", "with", "by", "using", "per", "and", "or", "to", "from"),
        *("as", "is", "are", "each", "all", "no", "number", "num", "nr", "results", "result", "performance", "perf"),
        *("metric", "metrics", "measured", "model", "models", "benchmark", "benchmarks", "output", "generation"),
        *("decode", "decoding", "prefill", "prompt", "value", "values", "size", "total", "overall", "data", "test"),
        *("tests", "time", "speed", "rate", "inference", "training", "train", "infer", "processed", "approx"),
        *("achieved", "bs", "gpu", "gpus", "device", "devices", "chip", "chips", "single", "stream", "obtained"),
        *("report", "reported", "real", "system", "hardware", "setup"),
    }
)
# Which phase of serving: the pass over the prompt is measured apart from the tokens that follow.
_PROMPT = re.compile(r"\b(?:prefill|prompt|context(?:\sencoding)?|pp)\b", re.IGNORECASE)
_OF_PROMPT = {"throughput": "prefill_throughput", "latency": "prefill_latency"}
# Times of one: `ms/step`, `s / iteration`, `sec per epoch`
_TIME_OF_ONE = re.compile(
    r"(?P<unit>[a-z\u00b5\u03bc]+)\s?(?:/|\bper\b)\s?(?:global\s)?(?P<one>step|iteration|iter|it|epoch|token|image|img|batch"
    r"|inference|inf|frame|sample|request|sentence)s?",
    re.IGNORECASE,
)
_METRIC_OF_ONE = {
    "step": "step_time", "iter": "step_time", "iteration": "step_time", "epoch": "epoch_time", "token": "token_latency",
    "batch": "step_time", "image": "latency", "it": "step_time", "img": "latency", "inference": "latency",
    "inf": "latency", "frame": "latency", "sample": "latency", "request": "request_latency", "sentence": "latency",
}  # fmt: skip
# Metrics whose name is a word of everyday: the unit has to be one of theirs.
_VAGUE = frozenset({"throughput", "latency", "cost", "power", "energy_consumption", "efficiency", "price"})
# Of these, words that may stand before times and rates alike: `Speed (ms)`, `Performance (img/s)`.
_ANY_UNIT = frozenset({"throughput", "efficiency"})
# Canonical units of how fast and how dear a run is; any other is that of a quality.
_OF_SPEED_AND_COST = frozenset(
    {
        *("items/s", "items/s/device", "items/s/user", "items/s/W", "s", "ms", "TFLOPS/device", "W", "J", "J/token"),
        *("USD", "USD/h", "ratio"),
    }
)
# `accuracy@3`, `F1 10`
_NUMBER_BEHIND = re.compile(r"[\s@]{0,2}(?P<number>\d+(?:\.\d+)?)(?![\w-])")
_MINUTE = 60
# `Speed CPU ONNX (ms)`
_SPEED = re.compile(r"\bspeed\b|\brun[\s-]?time\b", re.IGNORECASE)
# `Total Input Tokens`: what a whole run took, and no length
_TOTAL_TOKENS = re.compile(r"\btotal\s(?:input|output|generated|prompt|completion)\stok(?:en)?s\b", re.IGNORECASE)
_RESULTS = re.compile(r"\bresults?\b", re.IGNORECASE)
_OF_MINUTES = "time_to_train"
# What is measured where nothing says more than a unit of time.
DURATION = "duration"
_WORD = re.compile(r"[A-Za-z][A-Za-z+\u0370-\u03ff-]*|\d+(?:\.\d+)?")
_OTHER_DIMENSIONS = frozenset({"mode", "kv_cache", "quantization", "tuning", "epoch"})
_NO_CONDITION = frozenset(
    {"metric", "unit", "statistic", "field", "comparison", "expectation", "bound", "unknown_name", "lengths"}
)


class Condition(NamedTuple):
    """A condition that a heading states for its values, with its characters in one text of the stack."""

    dimension: str
    value: str
    level: int
    start: int
    end: int


class Named(NamedTuple):
    """A metric, unit or statistic of a heading, with its characters in one text of the stack."""

    value: str
    level: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a stack of headings means.

    Attributes:
        role: What the cells below it are.
        dimension: Of a field: the dimension of a result that its cells state; None for an attribute.
        attribute: Of a field: the vocabulary's name of an attribute (`Optimizer`), with `is_identity`.
        column: Of a field: its `column` in `headings.yml`.
        is_identity: Whether another value of the attribute is another benchmark.
        batch_kind: Of a field of batch sizes: `global`, `per_device`, `micro`.
        metric: Of a value: its metric, with its place; None where something else has to tell.
        unit: Of a value: the printed unit.
        statistic: Of a value: `p99`, `mean` ...
        conditions: What the heading states of its values.
        left: Words that say something that nobody knows.
        is_approximate: Whether the values are said to be about so.
        numbers: Bare numbers among the texts that no field explains.
        left_at: Level of the text in which the words that are left stand.
    """

    role: Role
    dimension: str | None = None
    attribute: str | None = None
    column: str | None = None
    is_identity: bool = False
    batch_kind: str | None = None
    metric: Named | None = None
    unit: Named | None = None
    statistic: Named | None = None
    conditions: tuple[Condition, ...] = ()
    left: tuple[str, ...] = ()
    is_approximate: bool = False
    numbers: int = 0
    left_at: int = 0

    @property
    def canonical(self) -> str | None:
        """The canonical unit of its metric."""
        return canonical_unit(self.metric.value) if self.metric else None


@lru_cache(_MEMORY)
def canonical_unit(metric: str) -> str | None:
    """The canonical unit of a metric of the vocabulary."""
    entry = find("metrics", metric)
    return str(entry.facts["unit"]) if entry else None


@lru_cache(_MEMORY)
def understand(stack: tuple[str, ...]) -> Meaning:
    """The meaning of the texts above a column, from the top; blank ones say nothing."""
    texts = [text if len(text) <= _MAX_LENGTH else "" for text in stack]
    if not any(text.strip() for text in texts):
        return Meaning("unknown")
    if any(_TOTAL_TOKENS.search(text) for text in texts) and not any(
        m.kind == "unit" for t in texts for m in find_mentions(t)
    ):
        return Meaning("ignored", left=tuple(text for text in texts if text))
    if field := _whole_field(texts):
        if field.column == "ranking" and (named := _OF_RANKING.fullmatch(texts[0].strip())):
            return replace(field, conditions=(Condition("suite", named["suite"], 0, *named.span("suite")),))
        return field
    mentions = [(level, mention) for level, text in enumerate(texts) for mention in find_mentions(text)]
    kinds = {mention.kind for _, mention in mentions}
    pivot = _counted_field(texts, mentions)
    if pivot is None and (kinds & {"comparison", "expectation"}) and not _is_metric_of_comparison(texts):
        return Meaning("ignored", left=tuple(_left(texts, mentions)))
    if meaning := _value(texts, mentions, pivot):
        return meaning
    conditions = _conditions(mentions) + ((pivot,) if pivot else ())
    conditions = conditions or _known_names(texts)
    fields = [(level, mention) for level, mention in mentions if mention.kind == "field"]
    if fields and not pivot and not (kinds - {"field", "statistic", "unit", "task", "bound", "accelerator_count"}):
        # `model version` is a model's, `GPU model` a platform's own name of it
        last = -2 if len(fields) > 1 and fields[-1][1].value == "Framework Version" else -1
        left = tuple(_left(texts, mentions))
        field = _field(fields[last][1].value, " ".join(texts))
        return replace(field, left=left) if field else Meaning("unknown", left=left)
    left = tuple(_left(texts, mentions))
    numbers = sum(parse_count(text.strip()) is not None for text in texts) if not pivot else 0
    left = tuple(word for word in left if not pivot or word != pivot.value)
    statistics = [(level, m) for level, m in mentions if m.kind == "statistic"]
    if conditions or (statistics and not left):
        return Meaning(
            "pivot",
            statistic=_named(statistics[-1]) if statistics else None,
            conditions=conditions,
            left=left,
            numbers=numbers,
            left_at=len(texts) - 1,
        )
    return Meaning(
        "unknown", left=left or tuple(text for text in texts if text.strip()), numbers=numbers, left_at=len(texts) - 1
    )


def _whole_field(texts: list[str]) -> Meaning | None:
    """The field that all texts together are, or one of them where the others are blank."""
    printed = [text.strip() for text in texts if text.strip()]
    joined = " ".join(printed)
    entry = field_of(joined) or next((find("headings", name) for name, form in _FORMS if form.fullmatch(joined)), None)
    if entry is None and len(printed) == 1 and metric_of(joined) is None and (match := _BRACKETS.fullmatch(joined)):
        inner, base = field_of(match["inner"]), field_of(match["base"])
        # `Sequence Length (ISL/OSL)`; `TP (1)`, `Batch size (per GPU)`
        # `GPU (Memory)` names GPUs.
        is_detail = inner is not None and base is not None and base.facts["column"] not in NAMES
        is_plain = not find_unit(match["inner"]) or (base is not None and base.facts.get("rate"))
        entry = (
            inner if is_detail else base if base is not None and is_plain and not unit_seconds(match["inner"]) else None
        )
    return _field(entry.name, joined) if entry else None


# `# of GPU`, `Number of HPUs`, `#-Cards`, `Num. accelerators`
_COUNTING = re.compile(
    r"(?:#|no\.?|nums?\.?|number)[\s-]{0,2}(?:of\s)?(?:\w+\s)?(?:GPU|chip|card|HPU|IPU|TPU|NPU|RDU|LPU|accelerator|device)s?",
    re.IGNORECASE,
)
# `Pytorch Neuron(torch-neuronx) Version`, `MindSpore Version`
_VERSION_OF = re.compile(r"\S.{1,60}\sversion", re.IGNORECASE)
# `OGB-LSC 2022 Ranking`, `MLPerf v2.0 Rank`
_OF_RANKING = re.compile(r"(?P<suite>.{1,40}?\d\S{0,20})\s+rank(?:ing)?", re.IGNORECASE)
# `Sequence Length (ISL/OSL)`
_BRACKETS = re.compile(r"(?P<base>[^()\[\]]*[^()\[\]\s])\s*[(\[](?P<inner>[^()\[\]]+)[)\]]")
# Fields whose headings have a form.
_FORMS = (("Devices", _COUNTING), ("Ranking", _OF_RANKING), ("Framework Version", _VERSION_OF))


def _field(name: str, printed: str) -> Meaning | None:
    entry = find("headings", name)
    if entry is None:
        return None
    column = str(entry.facts["column"])
    if column in ("result", "evaluation"):
        return Meaning("value", column=column)
    if column == "unit":
        return Meaning("unit", column=column)
    dimension = dimension_of(name, column)
    kind = batch_kind(printed) if dimension == "batch_size" else None
    return Meaning(
        "field", dimension, name if dimension is None else None, column, bool(entry.facts.get("identity")), kind
    )


def entry_of(meaning: Meaning) -> Entry | None:
    """The entry of `headings.yml` of an attribute."""
    return find("headings", meaning.attribute) if meaning.attribute else None


def _counted_field(texts: list[str], mentions: list[tuple[int, Mention]]) -> Condition | None:
    """`Batch size` above `8`: a number below the name of a field is a condition of the values."""
    for level, text in enumerate(texts[1:], start=1):
        if (value := text.strip()) and parse_count(value) is not None:
            for above, mention in reversed(mentions):
                if above < level and mention.kind == "field" and (entry := find("headings", mention.value)):
                    dimension = dimension_of(entry.name, str(entry.facts["column"]))
                    if dimension and (number := typed(dimension, value)):
                        start = text.index(value)
                        return Condition(dimension, number, level, start, start + len(value))
    return None


def _known_names(texts: list[str]) -> tuple[Condition, ...]:
    """A name that a vocabulary knows only as a whole, or only in a suite: `BERT` above the times of MLPerf."""
    for level, text in reversed([*enumerate(texts)]):
        name = text.strip() if not find_mentions(text) else ""
        for dimension in NAMES:
            if name and known_name(dimension, name):
                return (Condition(dimension, " ".join(name.split()), level, 0, len(text)),)
    return ()


def _is_metric_of_comparison(texts: list[str]) -> bool:
    return (entry := metric_of(" ".join(texts))) is not None and entry.facts["unit"] == "%"


def _conditions(mentions: list[tuple[int, Mention]]) -> tuple[Condition, ...]:
    """The conditions of a heading; of two of one dimension the lower one stands, which details the upper."""
    found: dict[str, Condition] = {}
    for level, mention in mentions:
        if mention.kind in _NO_CONDITION:
            continue
        dimension, value = mention.kind, mention.value
        if dimension == "batch_size":
            kind, _, value = value.rpartition(":")
            if kind:
                found["batch_size_kind"] = Condition("batch_size_kind", kind, level, mention.start, mention.end)
        if dimension in _OTHER_DIMENSIONS and dimension in found:
            dimension = f"{dimension} {value}"
        found[dimension] = Condition(dimension.split(" ")[0], value, level, mention.start, mention.end)
    return tuple(found.values())


def _value(texts: list[str], mentions: list[tuple[int, Mention]], pivot: Condition | None) -> Meaning | None:
    """A heading of measured values: it names a metric, or a unit that only one metric has."""
    metrics = [(level, m) for level, m in mentions if m.kind == "metric"]
    units = [(level, m) for level, m in mentions if m.kind == "unit"]
    if not metrics and not units:
        return None
    unit = _named(units[-1]) if units else None
    metric = _metric(texts, metrics, unit)
    if metric is None and (
        unit is None or (find_unit(unit.value) is None and unit_seconds(unit.value) is None and unit.value != "%")
    ):
        return None
    fields = [m for _, m in mentions if m.kind == "field"]
    if metric is None and fields and pivot is None:
        # `Latency Constraint (ms)`, `Request rate (req/s)`: a condition with a unit; no name has one
        field = _field(fields[-1].value, " ".join(texts))
        if field and field.dimension not in NAMES and not _is_word(field):
            return field
        if unit is None or unit_seconds(unit.value) is None:
            return Meaning("unknown", left=tuple(_left(texts, mentions)))
    if metric is not None and (_is_cut_off(texts, mentions, metric) or _is_sum(metrics, metric)):
        return Meaning("unknown", left=tuple(_left(texts, mentions)))
    # A second metric says something of the first: `mAP (e2e)`.
    telling = [(level, m) for level, m in mentions if m.kind != "metric" or _is_same(metrics, m, metric)]
    if left := tuple(_left(texts, telling)):
        named = {text[c.start : c.end] for c in _known_names(texts) for text in texts[c.level : c.level + 1]}
        left = tuple(word for word in left if not any(word in name for name in named))
    statistics = [(level, m) for level, m in mentions if m.kind == "statistic"]
    if unit is not None and unit.value in ("min", "h", "s") and metric is None and _is_plural(texts, unit):
        return None
    return Meaning(
        "value",
        metric=metric,
        unit=unit if _fits(metric, unit) else None,
        statistic=_named(statistics[-1]) if statistics else None,
        conditions=_conditions(mentions) + ((pivot,) if pivot else ()) or _known_names(texts),
        left=left if _fits(metric, unit) else (*left, unit.value if unit else ""),
        is_approximate=any(m.kind == "bound" for _, m in mentions),
        numbers=0,
        left_at=len(texts) - 1,
    )


def _is_word(field: Meaning) -> bool:
    """True for an attribute whose cells are words: `CPU-RPI (ms)` is no column of processors."""
    entry = entry_of(field)
    return entry is not None and not entry.facts.get("number")


def _is_plural(texts: list[str], unit: Named) -> bool:
    """True for the `s` of `GPU(s)`, and for `min` as the name of a statistic: a unit stands apart."""
    before = texts[unit.level][: unit.start].rstrip("([")
    return not before or before[-1].isalnum()


def _is_same(metrics: list[tuple[int, Mention]], mention: Mention, metric: Named | None) -> bool:
    chosen = [m.value for level, m in metrics if metric and (level, m.start) == (metric.level, metric.start)]
    return not chosen or mention.value in chosen


def _is_sum(metrics: list[tuple[int, Mention]], metric: Named) -> bool:
    """True for `Forward + Backward (ms)`: two quantities of one kind, of which neither is what the heading means."""
    of_level = {m.value for level, m in metrics if level == metric.level and m.value not in _VAGUE}
    return sum(canonical_unit(name) == canonical_unit(metric.value) for name in of_level) > 1


def _is_cut_off(texts: list[str], mentions: list[tuple[int, Mention]], metric: Named) -> bool:
    """True where a number behind the name of a quality is a part of it that nobody knows: `accuracy@3`, `F1 10`."""
    if canonical_unit(metric.value) in _OF_SPEED_AND_COST:
        return False
    found = _NUMBER_BEHIND.match(texts[metric.level], metric.end)
    places = [m for level, m in mentions if level == metric.level]
    return found is not None and not any(m.start < found.end() and found.start("number") < m.end for m in places)


def _named(found: tuple[int, Mention]) -> Named:
    level, mention = found
    return Named(mention.value, level, mention.start, mention.end)


def _fits(metric: Named | None, unit: Named | None) -> bool:
    if metric is None or unit is None:
        return True
    return unit_of(metric.value, unit.value) is not None


@lru_cache(_MEMORY)
def unit_of(metric: str, printed: str) -> Unit | None:
    """A printed unit of a metric's kind, or None for a unit of another kind: no rate is lent to an accuracy."""
    canonical = canonical_unit(metric)
    if canonical is None:
        return None
    if (match := _TIME_OF_ONE.fullmatch(printed)) and unit_seconds(match["unit"]):
        printed = match["unit"]
    return read_unit(printed, canonical)


def _metric(texts: list[str], metrics: list[tuple[int, Mention]], unit: Named | None) -> Named | None:
    """The metric that the names and the unit tell together; None where neither does."""
    is_prompt = any(_PROMPT.search(text) for text in texts)
    # The word that says more goes before: `TTFT` in `Inference latency (TTFT)`, `Top-5` below `Accuracy`.
    for level, mention in sorted(metrics, key=lambda m: (m[1].value in _VAGUE, -m[0], m[1].start - m[1].end)):
        name = mention.value
        if canonical_unit(name) == "ratio":
            continue
        place = (level, mention.start, mention.end)
        if unit is None:
            return Named(_OF_PROMPT.get(name, name) if is_prompt else name, *place)
        name = _in_unit(name, unit.value)
        if unit_of(name, unit.value) is not None:
            return Named(_OF_PROMPT.get(name, name) if is_prompt else name, *place)
        if name not in _ANY_UNIT and level == unit.level:
            return Named(name, *place)
    if unit is None:
        return None
    place = (unit.level, unit.start, unit.end)
    if (unit_seconds(unit.value) or 0) >= _MINUTE and any(_RESULTS.search(text) for text in texts):
        # `Benchmark results (minutes)`: what is measured of a benchmark in minutes is how long its training takes.
        return Named(_OF_MINUTES, *place)
    is_statistic = any(m.kind == "statistic" for text in texts for m in find_mentions(text))
    is_short = 0 < (unit_seconds(unit.value) or 0) < 1 and is_statistic
    # `Mean (ms)`: the time of one answer; `Speed (ms)`
    if is_short or (unit_seconds(unit.value) and any(_SPEED.search(text) for text in texts)):
        return Named("latency", *place)
    found = find_unit(unit.value)
    if found and found.canonical == "J/token":
        return Named("energy_per_token", *place)
    if match := _TIME_OF_ONE.fullmatch(unit.value):
        return Named(_METRIC_OF_ONE[match["one"].casefold()], *place) if unit_seconds(match["unit"]) else None
    if found and found.canonical.startswith(("items/s", "TFLOPS")):
        name = METRIC_OF_UNIT.get(("throughput", found.canonical), "throughput")
        return Named(_OF_PROMPT.get(name, name) if is_prompt else name, *place)
    return None


def _in_unit(metric: str, unit: str) -> str:
    """The metric that a unit makes of another: minutes make a time to train of a latency, `/GPU` a share of a rate."""
    if metric == "latency" and (unit_seconds(unit) or 0) >= _MINUTE:
        # MLPerf prints `Latency (in minutes)` for how long a training takes.
        return _OF_MINUTES
    if (
        (match := _TIME_OF_ONE.fullmatch(unit))
        and metric in ("latency", "training_time")
        and unit_seconds(match["unit"])
    ):
        return _METRIC_OF_ONE[match["one"].casefold()]
    found = find_unit(unit)
    return METRIC_OF_UNIT.get((metric, found.canonical), metric) if found else metric


def _left(texts: list[str], mentions: list[tuple[int, Mention]]) -> Iterator[str]:
    """The words of a heading that no mention covers and that say something."""
    for level, text in enumerate(texts):
        places = [(m.start, m.end) for at, m in mentions if at == level and m.kind != "unknown_name"]
        for match in _WORD.finditer(text.replace("_", " ")):
            # `Provider A`: a capital by itself is a name, no article.
            if match[0].casefold() in _SAYS_NOTHING and match[0] != "A":
                continue
            if not any(start < match.end() and match.start() < end for start, end in places):
                yield match[0]


def is_length(dimension: str | None) -> bool:
    """True for the dimensions whose cells may be written `8k`."""
    return dimension in LENGTHS
