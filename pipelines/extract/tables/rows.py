"""A table row to measurements: which cells qualify, which are measured, and what the text around the table adds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from pipelines.extract.rows import Measurement, Price, Reject
from pipelines.extract.tables.cell_types import is_nothing, number_of, read_evaluation, read_value
from pipelines.extract.tables.context import Context
from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.headings import Heading, Unit, read_unit
from pipelines.read.document import Cell
from pipelines.values.batch_sizes import parse_batch_sizes
from pipelines.values.numbers import parse_count, parse_number
from pipelines.values.precisions import parse_precision
from pipelines.values.quantity import Quantity
from pipelines.values.variants import parse_variant
from pipelines.values.versions import parse_sdk
from pipelines.vocabulary.lookup import find

# Metrics that exist in only one of the tasks, by the first word of their names, so that they tell the task where the
# heading does not: `latency_p99`, `ttft_p50`, `epoch_time`.
_TASK_OF_METRIC = {
    "time_to_train": "training",
    "epoch_time": "training",
    "training_time": "training",
    "latency": "inference",
    "ttft": "inference",
    "tpot": "inference",
}

# `2.5.1`, `v0.6.3`, `24.10-py3`: a version and no name
_VERSION_ALONE = re.compile(r"v?\.?\d[\w.+-]*", re.IGNORECASE)
# `PyTorch Version`
_OF_VERSION = re.compile(r"(?P<name>.+?)\s+version", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RowReading:
    """What one row gives."""

    measurements: list[Measurement | Price]
    rejects: list[Reject]


def read_row(table: ResultTable, row: tuple[Cell, ...], context: Context) -> RowReading:
    """What one row measures, one per measured cell that is not blank; a list price is a row of its own kind."""
    facts = _facts(table.headings, row, context)
    facts["task"] = facts["task"] or context.task or _task_of(table.headings)
    unit_of_row = _unit_in_variant(table.headings, row)
    if unit_of_row:
        facts.update(variant_printed=None, variant_name=None)
    measured = [
        (heading, cell)
        for heading, cell in zip(table.headings, row, strict=True)
        if heading.is_value and not is_nothing(cell)
    ]
    measurements: list[Measurement | Price] = []
    rejects = []
    for heading, cell in measured:
        counted = (unit_of_row or context.unit_for(facts)) if heading.metric == "throughput" else None
        value = _read(replace(heading, unit=counted) if counted else heading, cell)
        if value is None:
            rejects.append(_reject(cell, row, context, _why_unread(heading, cell)))
            continue
        quantity, metric, unit, printed = value
        if metric == "price":
            measurements.append(_price(number_of(cell), quantity, facts["platform_printed"], context))
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
                row_line=row[0].line,
                **facts,
            )
        )
    return RowReading(measurements, rejects)


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
    value = read_value(cell, heading)
    if value is None or heading.metric is None:
        return None
    quantity, unit = value
    return quantity, heading.metric, unit.name, unit


def _why_unread(heading: Heading, cell: Cell) -> str:
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
    return tasks.pop() if len(tasks) == 1 else None


def _unit_in_variant(headings: list[Heading], row: tuple[Cell, ...]) -> Unit | None:
    """The unit that stands in a variant cell (`frames/s`): it is no variant but says what the row counts."""
    for heading, cell in zip(headings, row, strict=True):
        if heading.column == "variant" and not is_nothing(cell):
            return read_unit(cell.text.strip(), "items/s")
    return None


def _facts(headings: list[Heading], row: tuple[Cell, ...], context: Context) -> dict[str, Any]:
    texts: dict[str, str] = {}
    attributes = []
    for heading, cell in zip(headings, row, strict=True):
        text = " ".join(cell.text.split())
        if is_nothing(cell) or heading.is_value:
            continue
        if heading.column == "attribute":
            entry = find("headings", heading.cell.text)
            if entry and entry.facts.get("identity"):
                attributes.append(f"{entry.name} {text}")
        elif heading.column in texts:
            # A second column of one kind (`System` and `Accelerator`) tells tests apart as well.
            attributes.append(f"{' '.join(heading.cell.text.split())} {text}")
        elif heading.column != "unknown":
            texts[heading.column] = text
    variant = parse_variant(texts.get("variant"), texts.get("dataset"))
    precision = parse_precision(texts["precision"]) if "precision" in texts else None
    batch = parse_batch_sizes(texts["batch_size"]) if "batch_size" in texts else None
    framework = " ".join(texts[name] for name in ("framework", "framework_version") if name in texts)
    if _VERSION_ALONE.fullmatch(framework):
        # A version without the name it belongs to; a merged cell above may hold that, or the heading.
        name = _framework_of(headings)
        framework = f"{name} {framework}" if name else ""
    return {
        "suite": context.suite or next((heading.suite for heading in headings if heading.suite), None),
        "task": _task(texts.get("task")),
        "model_printed": texts.get("model"),
        "variant_printed": texts.get("variant"),
        "variant_name": variant.name,
        "stage": variant.stage,
        "phase": variant.phase,
        "sequence_length": parse_count(texts["sequence_length"])
        if "sequence_length" in texts
        else variant.sequence_length,
        "is_packed": variant.is_packed,
        "image_size": texts.get("image_size") or variant.image_size,
        "configuration": variant.configuration,
        "attributes": ", ".join(attributes) or None,
        "platform_printed": texts.get("platform"),
        "accelerator_count": parse_count(texts["accelerator_count"]) if "accelerator_count" in texts else None,
        "sdk_version": parse_sdk(texts["sdk_version"]) if "sdk_version" in texts else None,
        "framework_printed": framework or None,
        "dataset_printed": texts.get("dataset"),
        "batch_size": batch.single if batch else None,
        "precision": precision.name if precision else None,
        "activation_bits": precision.activation_bits if precision and context.defines_pairs else None,
        "weight_bits": precision.weight_bits if precision and context.defines_pairs else None,
        "division": texts.get("division"),
        "submission_id": texts.get("submission_id"),
        "quality_target": texts.get("quality_target"),
        "ranking": texts.get("ranking"),
    }


def _framework_of(headings: list[Heading]) -> str | None:
    """The framework that the heading of a column of versions names: `PyTorch Version`."""
    column = next((heading for heading in headings if heading.column == "framework_version"), None)
    named = _OF_VERSION.fullmatch(" ".join(column.cell.text.split())) if column else None
    return named["name"] if named and find("frameworks", named["name"]) else None


def _task(text: str | None) -> str | None:
    """`Training` and `Inference` in a task column; other tasks (`Text Generation`) say something else."""
    return text.casefold() if text and text.casefold() in ("training", "inference") else None


def _reject(cell: Cell, row: tuple[Cell, ...], context: Context, reason: str) -> Reject:
    return Reject(
        cell=cell.stripped(),
        section=context.section,
        section_line=context.section_line,
        rule="unread_value",
        reason=reason,
        row_json=json.dumps([part.text.strip() for part in row], ensure_ascii=False),
    )
