"""A table row to measurements: which cells qualify, which are measured, and what the text around the table adds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from pipelines.extract.rows import Measurement, Price, Reject
from pipelines.extract.tables.cell_types import number_of, read_evaluation, read_value
from pipelines.extract.tables.context import Context
from pipelines.extract.tables.facts import heading_facts, read_facts
from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.headings import RESULT, Heading, Unit, read_unit
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.qualified import condition_behind
from pipelines.extract.tables.unit_columns import measured_by
from pipelines.read.document import Cell
from pipelines.values.numbers import NUMBER_AND_UNIT, parse_number
from pipelines.values.quantity import Quantity

# Metrics that exist in only one of the tasks, by the first word of their names, so that they tell the task where the
# heading does not: `latency_p99`, `ttft_p50`, `epoch_time`.
_TASK_OF_METRIC = {
    "time_to_train": "training",
    "epoch_time": "training",
    "training_time": "training",
    "latency": "inference",
    "ttft": "inference",
    "tpot": "inference",
    "token_latency": "inference",
    "inter_token_latency": "inference",
    "request_latency": "inference",
    "prefill_latency": "inference",
    "throughput_per_user": "inference",
    "prefill_throughput": "inference",
    "step_time": "training",
    "tflops_per_device": "training",
    "model_flops_utilization": "training",
}


# `pp512`, `pp 1024 @ d4096`; never `pp512+tg128`
_PROMPT_ALONE = re.compile(r"\s*pp\s?\d+(?!\s*\+)(?:\s*@.*)?\s*$", re.IGNORECASE)
# `Decode (tok/s)`, `Prefill (tok/s)`: phases of serving
_OF_SERVING = re.compile(r"(?:fixed\s+)?(?:decode|decoding|prefill|prompt)\b", re.IGNORECASE)
# What is counted makes another metric of a throughput that stands beside one of something else.
_METRIC_OF_ITEM = {"requests": "request_throughput", "total tokens": "total_token_throughput"}


@dataclass(frozen=True, slots=True)
class RowReading:
    """What one row gives."""

    measurements: list[Measurement | Price]
    rejects: list[Reject]


def read_row(table: ResultTable, row: tuple[Cell, ...], context: Context, row_line: int | None) -> RowReading:
    """What one row measures, one per measured cell that is not blank; a list price is a row of its own kind.

    `row_line` is the line that the row begins on; None where several rows begin on one.
    """
    facts = read_facts(table.headings, row, context)
    facts["task"] = facts["task"] or context.task or _task_of(table.headings)
    unit_of_row = _unit_in_variant(table.headings, row)
    if unit_of_row:
        facts.update(variant_printed=None, variant_name=None)
    measured = [
        (heading, cell)
        for heading, cell in zip(table.headings, row, strict=True)
        if heading.is_value and not is_nothing(cell)
    ]
    headings = " | ".join(" ".join(heading.cell.text.split()) for heading in table.headings)
    measurements: list[Measurement | Price] = []
    rejects = []
    for heading, cell in measured:
        if heading.metric == RESULT and (named := measured_by(heading, table.headings, row, facts["task"])):
            heading = named
        own = facts | _own_facts(table.headings, row, context, heading, facts["task"])
        counted = None
        if heading.metric == "throughput":
            counted = unit_of_row or context.unit_for(facts)
            if counted is None and context.has_unread_unit(facts):
                reason = "a footnote gives this row a unit that pipelines/vocabulary/units.yml does not know"
                rejects.append(_reject(cell, row, context, reason))
                continue
            if counted is None and heading.unit is None:
                counted = context.unit_of_table
        if (behind := condition_behind(cell)) and read_value(cell, heading) is None:
            # `0.308 images/s (batch size = 8)`
            cell, heading = behind[0], replace(heading, qualifiers=(*heading.qualifiers, *behind[1]))
            own = facts | _own_facts(table.headings, row, context, heading, facts["task"])
        value = _read(replace(heading, unit=counted) if counted else heading, cell)
        if value is None:
            rejects.append(_reject(cell, row, context, _why_unread(heading, cell)))
            continue
        quantity, metric, unit, printed = value
        if metric == "throughput" and _is_of_prompt(table.headings, row):
            metric = "prefill_throughput"
        if metric == "throughput" and printed and _counts_several(table.headings, heading):
            metric = _METRIC_OF_ITEM.get(printed.item or "", metric)
        if metric == "price":
            measurements.append(_price(number_of(cell), quantity, own["platform_printed"], context))
            continue
        measurements.append(
            Measurement(
                cell=number_of(cell),
                section=context.section,
                section_line=context.section_line,
                metric=metric,
                value=quantity.value,
                value_low=quantity.low,
                value_high=quantity.high,
                bound=quantity.bound,
                unit=unit,
                unit_printed=(printed.printed or None) if printed else None,
                item=printed.item if printed else None,
                row_line=row_line,
                headings_printed=headings,
                epoch=heading.epoch,
                **own,
            )
        )
    has_foreign_unit = any(_has_unit(reject.cell) for reject in rejects)
    if has_foreign_unit and measurements and not (facts["model_printed"] or facts["dataset_printed"] or facts["suite"]):
        # `1 MHz` below `Throughput`: what the row measures is something else, and so is its latency.
        reason = "no model is named, and another quantity of the row cannot be read"
        return RowReading([], [*rejects, *(_reject(read.cell, row, context, reason) for read in measurements)])
    return RowReading(measurements, rejects)


def _own_facts(
    headings: list[Heading], row: tuple[Cell, ...], context: Context, heading: Heading, task: str | None
) -> dict[str, Any]:
    """What a heading says of its values beyond the row: `FP16 Throughput`, `H100 (tokens/sec)`."""
    if not heading.qualifiers:
        return {}
    facts = read_facts(headings, row, context, heading.qualifiers)
    facts["task"] = facts["task"] or task
    return facts


def _is_of_prompt(headings: list[Heading], row: tuple[Cell, ...]) -> bool:
    """True where a column of tests says that the row measures the pass over the prompt alone: `pp 512`."""
    tests = (cell for heading, cell in zip(headings, row, strict=True) if heading_facts(heading).get("phases"))
    return any(_PROMPT_ALONE.match(cell.text) for cell in tests)


def _counts_several(headings: list[Heading], heading: Heading) -> bool:
    """True where another column beside this one prints, under the same conditions, a throughput of other items."""
    same = [other.unit for other in headings if other.metric == "throughput" and other.qualifiers == heading.qualifiers]
    return len({unit.item for unit in same if unit}) > 1


def _price(cell: Cell, dollars: Quantity, platform: str | None, context: Context) -> Price:
    return Price(
        cell=cell,
        section=context.section,
        section_line=context.section_line,
        platform_printed=platform,
        price_usd=dollars.value,
        price_low_usd=dollars.low,
        price_high_usd=dollars.high,
        bound=dollars.bound,
    )


def _read(heading: Heading, cell: Cell) -> tuple[Quantity, str, str, Unit | None] | None:
    if heading.column == "evaluation":
        evaluation = read_evaluation(cell)
        return (*evaluation, None) if evaluation else None
    value = None if heading.metric == RESULT else read_value(cell, heading)
    if value is None and heading.metric == "accuracy" and (evaluation := read_evaluation(cell)):
        # A column of qualities names the measure in the cell: `.96 Hit Rate at 10`.
        return (*evaluation, None)
    if value is None or heading.metric is None:
        return None
    quantity, unit = value
    return quantity, heading.metric, unit.name, unit


def _has_unit(cell: Cell) -> bool:
    match = NUMBER_AND_UNIT.fullmatch(cell.text)
    return match is not None and any(map(str.isalpha, match["unit"]))


def _why_unread(heading: Heading, cell: Cell) -> str:
    if heading.metric == RESULT:
        return f"the unit beside {cell.text.strip()!r} is of no known metric"
    if parse_number(cell.text) is not None:
        return f"neither {cell.text.strip()!r} nor its heading {heading.cell.text.strip()!r} names a unit"
    return f"{cell.text.strip()!r} cannot be read as a value of the column {heading.cell.text.strip()!r}"


def _task_of(headings: list[Heading]) -> str | None:
    """The task that the measured columns of a table allow, where they agree on one."""
    tasks = {
        task
        for heading in headings
        for metric, task in _TASK_OF_METRIC.items()
        if heading.metric and (heading.metric == metric or heading.metric.startswith(f"{metric}_"))
    }
    # Only training has an optimizer or a global batch.
    if any(qualifier.text.startswith("Scenario ") for heading in headings for qualifier in heading.qualifiers):
        # `Server` and `Offline` are ways to ask a trained model.
        tasks.add("inference")
    if any(_OF_SERVING.match(heading.cell.text.strip()) for heading in headings if heading.is_value):
        tasks.add("inference")
    tasks |= {str(task) for heading in headings if (task := heading_facts(heading).get("task"))}
    return tasks.pop() if len(tasks) == 1 else None


def _unit_in_variant(headings: list[Heading], row: tuple[Cell, ...]) -> Unit | None:
    """The unit that stands in a variant cell (`frames/s`): it is no variant but says what the row counts."""
    for heading, cell in zip(headings, row, strict=True):
        if heading.column == "variant" and not is_nothing(cell):
            return read_unit(cell.text.strip(), "items/s")
    return None


def _reject(cell: Cell, row: tuple[Cell, ...], context: Context, reason: str) -> Reject:
    return Reject(
        cell=cell.stripped(),
        section=context.section,
        section_line=context.section_line,
        rule="unread_value",
        reason=reason,
        row_json=json.dumps([part.text.strip() for part in row], ensure_ascii=False),
    )
