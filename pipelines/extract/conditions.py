"""Conditions of results, with their places, and as columns of their rows; used by all formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, count
from typing import Any, NamedTuple

from pipelines.extract.mentions import NAMES, condition_value, find_mentions, fold
from pipelines.extract.rows import Condition, Level, RowColumns
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision
from pipelines.values.variants import Variant, parse_variant
from pipelines.vocabulary.dimensions import Type, dimensions
from pipelines.vocabulary.printed_names import read_model, read_platform

# Columns that are filled by one dimension; in these the rows of a table differ most.
_ALONE = (
    "sdk_version",
    "precision",
    "division",
    "quality_target",
    "ranking",
    "batch_size",
    "epoch",
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


def missing_subject(stated: Container[str], kind: str = "performance") -> str | None:
    """Why a number is no result: no model, or no platform of a performance, is stated; None if they
    are.

    Args:
        stated: The dimensions that are stated of it, also as `UNNAMED`.
        kind: The kind of its metric, as in `metrics.yml`.
    """
    needed = SUBJECTS if kind == "performance" else SUBJECTS[:1]
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
    """

    dimension: str
    value: str
    cell: Cell = Cell("", 0, 0, 0)
    level: Level = "mapping"


# The index of a statement for each row of a table, 0 for none.
Column = list[int]
ByDimension = Mapping[str, Column]


class Statements:
    """The statements of a document as columns; a statement is its index, and 0 is none.

    Attributes:
        values: Value of each, None for 0.
        levels: Level of each.
        texts: Printed characters of each.
    """

    def __init__(self) -> None:
        self.values: list[str | None] = [None]
        self.levels: list[Level] = ["mapping"]
        self.texts, self._lines, self._starts, self._names = [""], [0], [0], [""]
        self._known: dict[tuple[str | int, ...], int] = {}
        # Statements that are used by rows, with their condition number, and the heading above each.
        self._numbers: dict[int, int] = {0: -1}
        self._sections: list[tuple[str | None, int | None]] = []

    def __getitem__(self, at: int) -> Stated:
        text, start = self.texts[at], self._starts[at]
        cell = Cell(text, self._lines[at], start, start + len(text))
        return Stated(self._names[at], self.values[at] or "", cell, self.levels[at])

    def add(self, stated: Stated) -> int:
        """The index of a statement, which is added if it is new."""
        name, value, cell, level = stated
        return self.add_column(name, level, [value], [cell.text], [cell.line], [cell.start])[0]

    def add_column(
        self, name: str, level: Level, values: Sequence[str], texts: Sequence[str], lines: Sequence[int],
        starts: Sequence[int], *, are_new: bool = False,
    ) -> Sequence[int]:  # fmt: skip
        """The indices of statements on one dimension; `are_new`: each has a different place."""
        first = len(self.values)
        keys = (
            []
            if are_new
            else [(name, level, *each) for each in zip(values, texts, lines, starts, strict=True)]
        )
        if not are_new:
            fresh = {key: at for at, key in enumerate(keys) if key not in self._known}
            self._known.update(zip(fresh, count(first), strict=False))
            values, texts = (
                [values[at] for at in fresh.values()],
                [texts[at] for at in fresh.values()],
            )
            lines, starts = (
                [lines[at] for at in fresh.values()],
                [starts[at] for at in fresh.values()],
            )
        self.values += values
        self.texts += texts
        self._lines += lines
        self._starts += starts
        self.levels += [level] * len(values)
        self._names += [name] * len(values)
        return [self._known[key] for key in keys] or range(first, len(self.values))

    def values_of(self, column: Iterable[int]) -> list[str | None]:
        """The value of each statement."""
        return list(map(self.values.__getitem__, column))

    def number(
        self, column: Iterable[int], section: str | None, section_line: int | None
    ) -> list[int]:
        """The condition number of each statement, in order of first use; -1 for none."""
        # That a source names no model is no condition.
        column = [
            0 if self.values[one] == UNNAMED and self.levels[one] == "mapping" else one
            for one in column
        ]
        fresh = [one for one in dict.fromkeys(column) if one not in self._numbers]
        self._numbers.update(zip(fresh, count(len(self._sections)), strict=False))
        self._sections += [(section, section_line)] * len(fresh)
        return list(map(self._numbers.__getitem__, column))

    def to_rows(self) -> RowColumns:
        """The numbered statements as conditions."""
        order = [*self._numbers][1:]
        kept: list[list[Any]] = [
            self.texts,
            self._lines,
            self._starts,
            self._names,
            self.values,
            self.levels,
        ]
        texts, lines, starts, names, values, levels = (
            list(map(each.__getitem__, order)) for each in kept
        )
        sections, section_lines = zip(*self._sections, strict=True) if order else ((), ())
        fields = {"section": sections, "section_line": section_lines, "number": range(len(order))}
        return RowColumns(
            Condition,
            texts,
            lines,
            starts,
            {**fields, "dimension": names, "value": values, "level": levels},
        )


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
    return {
        "suite": values.get("suite") or _suite_of(values.get("submission_id"), task),
        "task": task,
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
        "activation_bits": bits.activation_bits if bits else None,
        "weight_bits": bits.weight_bits if bits else None,
        "submission_id": values.get("submission_id"),
        **dict.fromkeys(_ALONE),
        **_alone(values),
    }


def columns_of(
    values: Mapping[str, Sequence[str | None]], size: int, *, defines_pairs: bool = False
) -> dict[str, Sequence[Any]]:
    """The columns of the rows of a table, from their conditions; columns without values are
    omitted.

    Args:
        values: Values of each row, by dimension.
        size: Count of rows.
        defines_pairs: As in `fields_of`.
    """
    unlabelled = {name for name, known in dimensions().items() if not known.label}
    joined = [
        name for name in values if name == "nodes" or (name in unlabelled and name not in _ALONE)
    ]
    parts: list[tuple[list[str], Callable[[dict[str, str]], dict[str, Any]]]] = [
        (joined, partial(fields_of, is_row=True)),
        ([name for name in _ALONE if name in values], _alone),
    ]
    if defines_pairs and "precision" in values:
        parts.append((["precision"], partial(fields_of, defines_pairs=True)))
    found: dict[str, Sequence[Any]] = {}
    for names, fields in parts:
        # Equal rows are read once.
        rows = list(zip(*(values[name] for name in names), strict=True)) if names else [()] * size
        at = {row: number for number, row in enumerate(dict.fromkeys(rows))}
        given = [
            fields({name: each for name, each in zip(names, row, strict=True) if each is not None})
            for row in at
        ]
        order = list(map(at.__getitem__, rows))
        for name in dict.fromkeys(chain.from_iterable(given)):
            column = [one.get(name) for one in given]
            if any(each is not None for each in column):
                found[name] = list(map(column.__getitem__, order))
    return found


def _alone(values: Mapping[str, str]) -> dict[str, Any]:
    """The columns that are filled by one dimension."""
    return {
        name: parse_count(each) if dimensions()[name].type is Type.COUNT else each
        for name, each in values.items()
        if name in _ALONE
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
    return (
        " ".join(("MLPerf", *([task.capitalize()] if task else ()), f"v{match['round']}"))
        if match
        else None
    )
