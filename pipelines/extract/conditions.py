"""Conditions of results, with their places, and the columns that follow; used by all formats."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pipelines.extract.mentions import NAMES, condition_value, find_mentions, fold
from pipelines.extract.rows import Condition, Level
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision
from pipelines.values.variants import Variant, parse_variant
from pipelines.vocabulary.printed_names import read_model, read_platform

# Columns with the value of the dimension of their name.
_ALONE = (
    "task",
    "sdk_version",
    "precision",
    "division",
    "quality_target",
    "ranking",
    "submission_id",
)
# `2.5.1`, `v0.6.3`, `24.10-py3`: a version without a name
_VERSION_ALONE = re.compile(r"(?i)v?\.?\d[\w.+-]*")
# `5.0-0042`
_ROUND = re.compile(r"(?P<round>\d+\.\d+)(?:\.\d+)?-\d{4}")
_MEMORY = 1 << 12
# The conditions that make a number a result; a quality of a model was not measured on a machine.
SUBJECTS = ("model", "platform")
# What a mapping states (`model: '!unnamed'`) of a model or a platform that its source does not
# name.
UNNAMED = "unnamed"


# What a number is of, by the kind of its metric; of another kind, a model.
_NEEDED = {"performance": SUBJECTS, "platform": SUBJECTS[1:]}


def missing_subject(stated: Container[str], kind: str = "performance") -> str | None:
    """Why a number is no result: no model, or no platform of a performance or of a fact of one, is
    stated; None if they are.

    Args:
        stated: The dimensions that are stated of it, also as `UNNAMED`.
        kind: The kind of its metric, as in `metrics.yml`.
    """
    needed = _NEEDED.get(kind, SUBJECTS[:1])
    missing = [name for name in needed if name not in stated]
    if not missing:
        return None
    written = ", ".join(f"{name}: ..." for name in missing)
    return (
        f"no {' and no '.join(missing)} is stated for it: add `constants: {{{written}}}` to the `mapping.yml` of the "
        "source, with a name that the document prints or with `'!NAME'`; `'!unnamed'` if the source names none"
    )


class Stated(NamedTuple):
    """One condition.

    Attributes:
        dimension: Its name: `platform`, `precision`, `metric`, `unit` ...
        value: The typed value, or a name as printed.
        cell: The printed characters.
        level: The kind of place.
        value_printed: The characters, where only a mapping gives them the value.
    """

    dimension: str
    value: str
    cell: Cell = Cell("", 0, 0, 0)
    level: Level = "mapping"
    value_printed: str | None = None


class NumberedConditions:
    """The conditions that the results of a document use, each once, as rows in order of first use."""

    def __init__(self) -> None:
        self._rows: dict[Stated, Condition] = {}

    @property
    def rows(self) -> list[Condition]:
        """The conditions; the line of one that is printed nowhere is 0."""
        return list(self._rows.values())

    def numbers(
        self, conditions: Iterable[Stated], section: str | None, section_line: int | None
    ) -> tuple[int, ...]:
        """The numbers of the conditions of a result, which is below a heading."""
        found: set[int] = set()
        for one in conditions:
            # That a source names no model is no condition.
            if one.value == UNNAMED and one.level == "mapping":
                continue
            row = self._rows.get(one)
            if row is None:
                place: dict[str, Any] = {"section": section, "section_line": section_line}
                row = Condition(number=len(self._rows), **place, **one._asdict())
                self._rows[one] = row
            found.add(row.number)
        return tuple(sorted(found))


def reads_again(stated: Stated) -> bool:
    """Whether reading the printed characters of a condition gives its value."""
    printed = stated.cell.text
    again = condition_value(stated.dimension, printed) if printed else stated.value
    is_name = stated.dimension in NAMES
    return again == stated.value or (
        again is not None and is_name and fold(again) == fold(stated.value)
    )


# Rows of a table repeat the same texts.
_platform = lru_cache(_MEMORY)(read_platform)
_model = lru_cache(_MEMORY)(read_model)
_variant = lru_cache(_MEMORY)(parse_variant)


def fields_of(
    values: Mapping[str, str], *, defines_pairs: bool = False, is_row: bool = False
) -> dict[str, Any]:
    """The columns of a measurement, from its conditions.

    Args:
        values: Values by dimension.
        defines_pairs: `16.16` means the bits of activations and weights.
        is_row: The conditions are of one row of a table, where nodes multiply the platform.
    """
    values = {
        name: each for name, each in values.items() if name not in SUBJECTS or each != UNNAMED
    }
    model, task = values.get("model"), values.get("task")
    if model and "model_size" in values:
        model = f"{model} {values['model_size']}"
    variant = _variant(values.get("variant"), values.get("dataset"))
    named = _model(model) if model else None
    of_model = _variant(named.stage, None) if named and named.stage else Variant()
    bits = parse_precision(values.get("precision", "")) if defines_pairs else None
    alone = {name: values.get(name) for name in _ALONE}
    return {
        **alone,
        "suite": values.get("suite") or _suite_of(values.get("submission_id"), task),
        "model_printed": model,
        "variant_printed": values.get("variant"),
        "variant_name": variant.name,
        "stage": variant.stage or of_model.stage or values.get("stage"),
        "phase": variant.phase or of_model.phase or _count(values, "phase"),
        "sequence_length": _count(values, "sequence_length")
        or _of_variant(values)
        or variant.sequence_length,
        "is_packed": variant.is_packed,
        "image_size": values.get("image_size")
        or variant.image_size
        or (named.image_size if named else None),
        "configuration": variant.configuration or values.get("tuning"),
        "platform_printed": values.get("platform"),
        "accelerator_count": _accelerators(values, is_row=is_row),
        **_framework(values),
        "dataset_printed": values.get("dataset"),
        "batch_size": _count(values, "batch_size"),
        "epoch": _count(values, "epoch"),
        "activation_bits": bits.activation_bits if bits else None,
        "weight_bits": bits.weight_bits if bits else None,
    }


def _count(values: Mapping[str, str], dimension: str) -> int | None:
    return parse_count(values[dimension]) if dimension in values else None


def _of_variant(values: Mapping[str, str]) -> int | None:
    """`SL=2,048` in a cell of variants."""
    found = {
        m.value for m in find_mentions(values.get("variant", "")) if m.kind == "sequence_length"
    }
    return parse_count(found.pop()) if len(found) == 1 else None


def _framework(values: Mapping[str, str]) -> dict[str, str | None]:
    """The framework and its version; a framework that is a version without a name is the version."""
    name, version = values.get("framework"), values.get("framework_version")
    if name and _VERSION_ALONE.fullmatch(name):
        name, version = None, version or name
    return {"framework_printed": name, "framework_version": version}


def _accelerators(values: Mapping[str, str], *, is_row: bool) -> int | None:
    """The printed count of accelerators, or that of the printed number of nodes."""
    if (count := _count(values, "accelerator_count")) is not None:
        return count
    nodes = _count(values, "nodes")
    if (each := _count(values, "accelerators_per_node")) is not None:
        return each * (nodes or 1)
    platform = _platform(values.get("platform", ""))
    chips = platform.entry.facts.get("chips") if platform.entry else None
    return nodes * (platform.multiplier or 1) * int(chips) if nodes and is_row and chips else None


def _suite_of(submission: str | None, task: str | None) -> str | None:
    """The MLPerf round at the beginning of a submission identifier: `5.0-0042`."""
    match = _ROUND.match(submission or "")
    if match is None:
        return None
    of_task = f" {task.capitalize()}" if task else ""
    return f"MLPerf{of_task} v{match['round']}"
