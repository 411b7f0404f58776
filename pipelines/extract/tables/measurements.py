"""Records to rows: what is stated of a number becomes the fields of a `Measurement` and its conditions, with their
places.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pipelines.extract.mentions import NAMES, condition_value, find_mentions, fold
from pipelines.extract.rows import Condition, Measurement, Price
from pipelines.extract.scope import Stated
from pipelines.extract.tables.cells import is_other, is_weak
from pipelines.extract.tables.headings import canonical_unit
from pipelines.extract.tables.records import Record
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision
from pipelines.values.variants import Variant, parse_variant
from pipelines.vocabulary.printed_names import read_model, read_platform, read_versioned

# Metrics that exist in only one of the tasks.
_TASK_OF_METRIC = {
    **dict.fromkeys(
        ("time_to_train", "epoch_time", "training_time", "step_time", "tflops_per_device", "model_flops_utilization",
         "hardware_flops_utilization", "training_loss"), "training",
    ),
    **dict.fromkeys(
        ("latency", "ttft", "tpot", "token_latency", "inter_token_latency", "request_latency", "prefill_latency",
         "throughput_per_user", "prefill_throughput", "request_throughput", "total_token_throughput"), "inference",
    ),
}  # fmt: skip
# Dimensions that only one of the tasks has.
_TASK_OF_DIMENSION = {
    **dict.fromkeys(("scenario", "output_length", "concurrency", "request_rate", "requests", "kv_cache"), "inference"),
    "gradient_accumulation": "training",
    "stage": "training",
}
# Dimensions without a column of their own, under the names by which they stand in `attributes`.
_LABELS = {
    "input_length": "Input Length", "output_length": "Output Length", "concurrency": "Concurrency", "requests":
    "Requests",
    "request_rate": "Request Rate", "scenario": "Scenario", "nodes": "Nodes", "tensor_parallel": "TP",
    "pipeline_parallel": "PP", "data_parallel": "DP", "expert_parallel": "EP", "context_parallel": "CP",
    "quantization": "Quantization", "kv_cache": "KV Cache",
}  # fmt: skip
# Ways to spread a model, each over accelerators of its own; a vendor that counts cores by them is left out.
_SHARDED = frozenset({"NVIDIA", "AMD", "Intel"})
# `2.5.1`, `v0.6.3`, `24.10-py3`: a version and no name
_VERSION_ALONE = re.compile(r"v?\.?\d[\w.+-]*", re.IGNORECASE)
# `25.02-py3`, `24.10-tf2-py3`, `nvcr.io/nvidia/pytorch:24.10-py3`
_CONTAINER_TAG = re.compile(r"(?:\S+:)?(?P<release>\d\d\.\d\d)(?:\.\d{1,2})?(?:-[\w.-]+)?", re.IGNORECASE)
# `5.0-0042`
_ROUND = re.compile(r"(?P<round>\d+\.\d+)(?:\.\d+)?-\d{4}")
# `pp512`, `pp 1024 @ d4096`; never `pp512+tg128`
_PROMPT_ALONE = re.compile(r"pp\d+(?!\s*\+)(?:\s*@.*)?$", re.IGNORECASE)
# What only an inference is counted in; frames are those of a training, too, in some vendors' tables.
_ANSWERED = frozenset({"inferences", "requests", "queries"})
# `tg 128`, `pp512+tg128`: the test of one phase of an answer
_PHASE = re.compile(r"(?:pp|tg)\s?\d")
# What is counted makes another metric of a throughput that stands beside one of something else.
_METRIC_OF_ITEM = {"requests": "request_throughput", "total tokens": "total_token_throughput"}
# Those of them that no heading makes anything else of: a latency may be that of a training step.
_OF_ONE_TASK = frozenset(
    {
        *("time_to_train", "epoch_time", "training_time", "training_loss", "step_time"),
        *("ttft", "tpot", "inter_token_latency", "prefill_latency", "prefill_throughput"),
    }
)
_FAR = frozenset({"caption", "heading", "sentence", "page"})
_MEMORY = 1 << 12
_NO_PLACE = Cell("", 1, 0, 0)
# Conditions that a row of the warehouse states by another column.
_NOT_KEPT = frozenset({"metric", "lengths"})


class Numbering:
    """The conditions of a document's results, each once, in the order in which they are met."""

    def __init__(self) -> None:
        self.conditions: list[Condition] = []
        self._numbers: dict[tuple[Stated, str | None], int] = {}
        # The same by the object alone, which the values of a row share and those below a heading; it is kept with its
        # number, so that no other object takes its place.
        self._known: dict[tuple[int, str | None], tuple[Stated, int]] = {}

    def number(self, stated: Stated, section: str | None, section_line: int | None) -> int:
        """The number of a condition; a new one is kept."""
        if found := self._known.get((id(stated), section)):
            return found[1]
        key = (stated, section)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.conditions)
            self.conditions.append(
                Condition(
                    cell=stated.cell,
                    section=section,
                    section_line=section_line,
                    number=known,
                    dimension=stated.dimension,
                    value=stated.value,
                    level=stated.level,
                )
            )
        self._known[id(stated), section] = stated, known
        return known


def task_of(records: Sequence[Record]) -> str | None:
    """The task that the metrics and the dimensions of a table allow, where they agree on one."""
    tasks = {task for record in records if (task := _TASK_OF_METRIC.get(record.metric))}
    tasks |= {task for record in records for name in record.stated if (task := _TASK_OF_DIMENSION.get(name))}
    tests = {other.value for record in records for other in record.others if other.dimension == "+Test"}
    tasks |= {"inference" for test in tests if _PHASE.match(test)}
    tasks |= {"inference" for record in records if record.value.unit.item in _ANSWERED}
    tasks |= {
        "training"
        for record in records
        if (kind := record.stated.get("batch_size_kind")) and kind.value in ("global", "micro")
    }
    return tasks.pop() if len(tasks) == 1 else None


def several_items(records: Sequence[Record]) -> bool:
    """True where a table counts a throughput in several items under the same conditions."""
    by_row: dict[int, set[str]] = {}
    for record in records:
        if record.metric == "throughput" and record.value.unit.item:
            by_row.setdefault(record.row, set()).add(record.value.unit.item)
    return any(len(items) > 1 for items in by_row.values())


def row_of(
    record: Record,
    others: Sequence[Stated],
    task: str | None,
    numbering: Numbering,
    headings: str,
    *,
    defines_pairs: bool = False,
    counts_several: bool = False,
) -> Measurement | Price:
    """The row of a record; a list price is a row of its own kind.

    Args:
        record: The record.
        others: Its conditions that are no dimension, as far as they tell it apart.
        task: The task that its table allows.
        numbering: Where its conditions are kept.
        headings: The headings of its table.
        defines_pairs: Whether the document says what X and Y of a precision `X.Y` are.
        counts_several: Whether its table counts throughput in several items.
    """
    around, quantity, unit = record.around, record.value.quantity, record.value.unit
    place: dict[str, Any] = {"cell": record.cell, "section": around.section, "section_line": around.section_line}
    stated = dict(record.stated)
    known = _TASK_OF_METRIC.get(record.metric) if record.metric in _OF_ONE_TASK else None
    if known and "task" in stated and stated["task"].value != known and stated["task"].level in _FAR:
        # What is measured stands nearer than a heading of the page.
        del stated["task"]
    if "task" not in stated and (task := known or task or _TASK_OF_METRIC.get(record.metric)):
        stated["task"] = Stated("task", task, _NO_PLACE, "vocabulary")
    if record.metric == "price":
        return Price(
            **place,
            platform_printed=_value(stated, "platform"),
            price_usd=quantity.value,
            price_low_usd=quantity.low,
            price_high_usd=quantity.high,
            bound=quantity.bound,
        )
    metric = record.metric
    phase = next(("".join(o.value.split()) for o in record.others if o.dimension == "+Test"), "")
    if metric == "throughput" and _PROMPT_ALONE.match(phase):
        metric = "prefill_throughput"
    if metric == "throughput" and counts_several:
        metric = _METRIC_OF_ITEM.get(unit.item or "", metric)
    counted = stated.get("accelerator_count")
    if counted and counted.level in _FAR and _platform(_value(stated, "platform") or "").multiplier:
        # `8x H100` says for itself how many there are.
        del stated["accelerator_count"]
    fields = fields_of(stated, others, defines_pairs=defines_pairs)
    container = next((o for o in record.others if o.dimension == "-Container"), None)
    if fields["sdk_version"] is None and container and (release := _release_of_container(container.value)):
        fields["sdk_version"] = release
        stated["sdk_version"] = container._replace(dimension="sdk_version", value=release)
    for name in ("suite", "accelerator_count"):
        if name not in stated and fields[name] is not None:
            # What follows from other conditions is printed nowhere.
            stated[name] = Stated(name, str(fields[name]), _NO_PLACE, "vocabulary")
    kept = [s for name, s in stated.items() if name not in _NOT_KEPT]
    kept += [_condition_of(o) for o in (*others, *(o for o in record.others if o.dimension.startswith("-")))]
    if record.statistic:
        kept.append(record.statistic)
    readable = [s for s in kept if _reads_again(s[:2], s.cell.text)]
    numbers = {numbering.number(s, around.section, around.section_line) for s in readable}
    return Measurement(
        **place,
        metric=_with_statistic(metric, record.statistic),
        value=quantity.value,
        value_low=quantity.low,
        value_high=quantity.high,
        bound=quantity.bound,
        unit=canonical_unit(metric) or unit.name,
        unit_printed=unit.printed or None,
        item=unit.item,
        row_line=_row_line(record),
        headings_printed=headings,
        conditions=tuple(sorted(numbers)),
        **fields,
    )


def _with_statistic(metric: str, statistic: Stated | None) -> str:
    if statistic is None or statistic.value == "mean":
        return metric
    return f"{metric}_{statistic.value.replace('.', '_')}"


def _row_line(record: Record) -> int:
    lines = [s.cell.line for s in record.stated.values() if s.level == "row"]
    return min([record.cell.line, *lines])


@lru_cache(1 << 16)
def _reads_again(said: tuple[str, str], printed: str) -> bool:
    """Whether the printed characters of a condition give its value; one that they do not give is no evidence."""
    dimension, value = said
    again = condition_value(dimension, printed) if printed else value
    return again == value or (again is not None and dimension in NAMES and fold(again) == fold(value))


def _attribute_of(other: Stated) -> str:
    """`Optimizer LAMB`: a condition without a column of its own, as it stands in `attributes`."""
    if not is_other(other.dimension) or other.dimension in ("mode", "dataset_split", "left"):
        return other.value
    label = other.dimension[1:]
    value = "".join(other.value.split()) if label == "Test" else other.value
    return f"{label} {value}".strip()


def _condition_of(other: Stated) -> Stated:
    """The same as a condition, under a name in small letters; words left over stand with the whole of their heading."""
    if other.dimension == "left":
        return Stated("other", " ".join(other.cell.text.split()), other.cell, other.level)
    if other.dimension in ("mode", "dataset_split"):
        return other
    if other.dimension == "+Task":
        return Stated("model_task", other.value, other.cell, other.level)
    name = "_".join(re.findall(r"[a-z0-9]+", other.dimension.casefold())) or "other"
    return Stated(name, other.value, other.cell, other.level)


def _value(stated: Mapping[str, Stated], dimension: str) -> str | None:
    found = stated.get(dimension)
    return found.value if found else None


def _count(stated: Mapping[str, Stated], dimension: str) -> int | None:
    found = stated.get(dimension)
    return _number(found.value) if found else None


# What the rows of a table repeat is understood once.
_platform = lru_cache(_MEMORY)(read_platform)
_model = lru_cache(_MEMORY)(read_model)
_precision = lru_cache(_MEMORY)(parse_precision)
_number = lru_cache(_MEMORY)(parse_count)


@lru_cache(_MEMORY)
def _variant(text: str | None, dataset: str | None) -> Variant:
    return parse_variant(text, dataset)


def fields_of(stated: Mapping[str, Stated], others: Sequence[Stated], *, defines_pairs: bool) -> dict[str, Any]:
    """The columns of a measurement that conditions fill, by name.

    Args:
        stated: What is stated, by dimension.
        others: Conditions without a dimension of their own.
        defines_pairs: Whether `16.16` stands for the bits of activations and weights.
    """
    model, platform = _value(stated, "model"), _value(stated, "platform")
    if model and "model_size" in stated:
        model = f"{model} {stated['model_size'].value}"
    variant = _variant(_value(stated, "variant"), _value(stated, "dataset"))
    named = _model(model) if model else None
    of_model = _variant(named.stage, None) if named and named.stage else Variant()
    bits = _precision(stated["precision"].cell.text) if "precision" in stated else None
    attributes = [_attribute_of(other) for other in others]
    attributes += [f"{label} {stated[name].value}" for name, label in _LABELS.items() if name in stated]
    framework, library = _framework(stated)
    if library:
        attributes.append(library)
    task = _value(stated, "task")
    suite = _value(stated, "suite") or _suite_of(_value(stated, "submission_id"), task)
    return {
        "suite": suite,
        "task": task,
        "model_printed": model,
        "variant_printed": _value(stated, "variant"),
        "variant_name": variant.name,
        "stage": variant.stage or of_model.stage or _value(stated, "stage"),
        "phase": variant.phase or of_model.phase,
        "sequence_length": _count(stated, "sequence_length")
        or _of_variant(stated, "sequence_length")
        or variant.sequence_length,
        "is_packed": variant.is_packed,
        "image_size": _value(stated, "image_size") or variant.image_size or (named.image_size if named else None),
        "configuration": variant.configuration or _value(stated, "tuning"),
        # In one order, whatever the order of the columns: they are a part of the benchmark's identity.
        "attributes": ", ".join(sorted(set(attributes))) or None,
        "platform_printed": platform,
        "accelerator_count": _accelerators(stated),
        "sdk_version": _value(stated, "sdk_version"),
        "framework_printed": framework,
        "dataset_printed": _value(stated, "dataset"),
        "batch_size": _count(stated, "batch_size"),
        "precision": _value(stated, "precision"),
        "activation_bits": bits.activation_bits if bits and defines_pairs else None,
        "weight_bits": bits.weight_bits if bits and defines_pairs else None,
        "division": _value(stated, "division"),
        "submission_id": _value(stated, "submission_id"),
        "quality_target": _value(stated, "quality_target"),
        "ranking": _value(stated, "ranking"),
        "epoch": _count(stated, "epoch"),
    }


def _of_variant(stated: Mapping[str, Stated], dimension: str) -> int | None:
    """`SL=2,048` in a cell of variants."""
    text = _value(stated, "variant")
    found = {m.value for m in find_mentions(text) if m.kind == dimension} if text else set()
    return _number(found.pop()) if len(found) == 1 else None


def _framework(stated: Mapping[str, Stated]) -> tuple[str | None, str | None]:
    """The framework with its version, and a library on top of it that is named where its version belongs."""
    name, version = _value(stated, "framework") or "", _value(stated, "framework_version") or ""
    other = read_versioned("frameworks", version).entry if name and version else None
    library = None
    if other is not None:
        if other == read_versioned("frameworks", name).entry:
            name, version = version, ""
        else:
            library, version = other.name, ""
    full = f"{name} {version}".strip()
    if _VERSION_ALONE.fullmatch(full):
        # A version without the name it belongs to.
        return None, library
    return full or None, library


def _accelerators(stated: Mapping[str, Stated]) -> int | None:
    """The accelerators printed, those of the printed number of nodes, or those a model is spread over."""
    if (count := _count(stated, "accelerator_count")) is not None:
        return count
    nodes = _count(stated, "nodes")
    if (each := _count(stated, "accelerators_per_node")) is not None:
        return each * (nodes or 1)
    platform = _platform(_value(stated, "platform") or "")
    if platform.entry is None:
        return None
    if nodes and stated["nodes"].level in ("row", "cell", "column_heading"):
        chips = platform.entry.facts.get("chips")
        return nodes * (platform.multiplier or 1) * int(chips) if chips else None
    degrees = [_count(stated, name) or 1 for name in ("tensor_parallel", "pipeline_parallel", "data_parallel")]
    is_counted = platform.multiplier or platform.entry.facts.get("vendor") not in _SHARDED
    if "tensor_parallel" not in stated or is_counted:
        return None
    # One chip under its own name: `H100`, not `DGX H100`.
    return math.prod(degrees) if platform.entry.facts.get("chip") == platform.entry.name else None


def _release_of_container(text: str) -> str | None:
    tag = _CONTAINER_TAG.fullmatch(text)
    return tag["release"] if tag else None


def _suite_of(submission: str | None, task: str | None) -> str | None:
    """The round of MLPerf that the identifier of a submission begins with: `5.0-0042`."""
    match = _ROUND.match(submission or "")
    if match is None:
        return None
    return f"MLPerf {task.capitalize()} v{match['round']}" if task else f"MLPerf v{match['round']}"


def telling_apart(records: Sequence[Record]) -> tuple[list[Sequence[Stated]], list[bool]]:
    """Of each record the conditions that it keeps beside its dimensions, and whether nothing tells it from another.

    Words that nobody knows and columns that say nothing known count only where records of one table are the same
    without.
    """
    kept: list[Sequence[Stated]] = [[o for o in record.others if not is_weak(o.dimension)] for record in records]
    identities = [record.identity_with(others) for record, others in zip(records, kept, strict=True)]
    counts = Counter(identities)
    for weak in ("left", "~"):
        for number in [number for number, identity in enumerate(identities) if counts[identity] > 1]:
            more = [o for o in records[number].others if o.dimension.startswith(weak)]
            kept[number] = [*kept[number], *more]
            identities[number] = records[number].identity_with(kept[number])
        counts = Counter(identities)
    return kept, [counts[identity] > 1 for identity in identities]
