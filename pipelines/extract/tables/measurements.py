"""Records to rows: what is stated of a number becomes the fields of a `Measurement` and its conditions, with their
places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pipelines.extract.condition_fields import (
    Numbering,
    fields_of,
    platform_of,
    reads_again,
    release_of_container,
    value_of,
)
from pipelines.extract.rows import Measurement, Price
from pipelines.extract.scope import Stated
from pipelines.extract.tables.cells import is_weak
from pipelines.extract.tables.headings import canonical_unit
from pipelines.extract.tables.records import Record
from pipelines.read.document import Cell

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
# `pp512`, `pp 1024 @ d4096`; never `pp512+tg128`
_PROMPT_ALONE = re.compile(r"pp\d+(?!\s*\+)(?:\s*@.*)?$", re.IGNORECASE)
# What only an inference is counted in; frames are those of a training, too, in some vendors' tables.
_ANSWERED = frozenset({"inferences", "requests", "queries"})
# `generation speed [tokens/sec]`, `Output token throughput`: the phases of an answer
_OF_ANSWERS = re.compile(
    r"\b(?:generation|generate|decod(?:e|ing)|prefill|output)\s(?:tok|speed|throughput|rate)", re.I
)
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


def task_of(records: Sequence[Record]) -> str | None:
    """The task that the metrics and the dimensions of a table allow, where they agree on one."""
    tasks = {task for record in records if (task := _TASK_OF_METRIC.get(record.metric))}
    tasks |= {task for record in records for name in record.stated if (task := _TASK_OF_DIMENSION.get(name))}
    tests = {other.value for record in records for other in record.others if other.dimension in ("+Test", "mode")}
    tasks |= {"inference" for test in tests if _PHASE.match(test)}
    tasks |= {"inference" for record in records if record.value.unit.item in _ANSWERED}
    tasks |= {"inference" for record in records if _OF_ANSWERS.search(record.column.name)}
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
            platform_printed=value_of(stated, "platform"),
            price_usd=quantity.value,
            price_low_usd=quantity.low,
            price_high_usd=quantity.high,
            bound=quantity.bound,
        )
    metric = record.metric
    phase = next(("".join(o.value.split()) for o in record.others if o.dimension in ("+Test", "mode")), "")
    if metric == "throughput" and _PROMPT_ALONE.match(phase):
        metric = "prefill_throughput"
    if metric == "throughput" and counts_several:
        metric = _METRIC_OF_ITEM.get(unit.item or "", metric)
    counted = stated.get("accelerator_count")
    if counted and counted.level in _FAR and platform_of(value_of(stated, "platform") or "").multiplier:
        # `8x H100` says for itself how many there are.
        del stated["accelerator_count"]
    fields = fields_of(stated, others, defines_pairs=defines_pairs)
    container = next((o for o in record.others if o.dimension == "-Container"), None)
    if fields["sdk_version"] is None and container and (release := release_of_container(container.value)):
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
    readable = [s for s in kept if reads_again(s)]
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


def telling_apart(records: Sequence[Record]) -> tuple[list[Sequence[Stated]], list[bool]]:
    """Of each record the conditions that it keeps beside its dimensions, and whether nothing tells it from another.

    Words that nobody knows and columns that say nothing known count only where records of one table are the same
    without, and where they still are, the whole of their headings.
    """
    kept: list[Sequence[Stated]] = [[o for o in record.others if not is_weak(o.dimension)] for record in records]
    identities = [record.identity_with(others) for record, others in zip(records, kept, strict=True)]
    counts = Counter(identities)
    for weak in ("left", "~", "heading"):
        for number in [number for number, identity in enumerate(identities) if counts[identity] > 1]:
            more = [o for o in records[number].others if o.dimension.startswith(weak)]
            if weak == "heading" and (cells := records[number].column.cells):
                more = [Stated("left", records[number].column.name, cells[-1], "column_heading")]
            kept[number] = [*kept[number], *more]
            identities[number] = records[number].identity_with(kept[number])
        counts = Counter(identities)
    return kept, [counts[identity] > 1 for identity in identities]
