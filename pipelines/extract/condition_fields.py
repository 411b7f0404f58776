"""What is stated of a result as the columns of its row and as conditions with their places, for tables, prose and logs
alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pipelines.extract.mentions import NAMES, condition_value, find_mentions, fold
from pipelines.extract.rows import Condition
from pipelines.extract.scope import Stated
from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision
from pipelines.values.variants import Variant, parse_variant
from pipelines.vocabulary.printed_names import read_model, read_platform, read_versioned

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
_MEMORY = 1 << 12


# Conditions of which a number may have several.
_OTHERS = frozenset({"mode", "dataset_split", "left"})


def is_other(dimension: str) -> bool:
    """True for a condition that has no column: `+Optimizer` tells benchmarks apart, `-Server` does not, `~Kind` may."""
    return dimension in _OTHERS or dimension[0] in "+-~"


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


def reads_again(stated: Stated) -> bool:
    """Whether the printed characters of a condition give its value; one that they do not give is no evidence."""
    return _reads_again(stated[:2], stated.cell.text)


@lru_cache(1 << 16)
def _reads_again(said: tuple[str, str], printed: str) -> bool:
    # The same few cells stand in thousands of rows.
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


def value_of(stated: Mapping[str, Stated], dimension: str) -> str | None:
    """What is stated of a dimension."""
    found = stated.get(dimension)
    return found.value if found else None


def _count(stated: Mapping[str, Stated], dimension: str) -> int | None:
    found = stated.get(dimension)
    return _number(found.value) if found else None


# What the rows of a table repeat is understood once.
platform_of = lru_cache(_MEMORY)(read_platform)
_model = lru_cache(_MEMORY)(read_model)
_precision = lru_cache(_MEMORY)(parse_precision)
_number = lru_cache(_MEMORY)(parse_count)


@lru_cache(_MEMORY)
def _variant(text: str | None, dataset: str | None) -> Variant:
    return parse_variant(text, dataset)


def fields_of(
    stated: Mapping[str, Stated], others: Sequence[Stated] = (), *, defines_pairs: bool = False
) -> dict[str, Any]:
    """The columns of a measurement that conditions fill, by name.

    Args:
        stated: What is stated, by dimension.
        others: Conditions without a dimension of their own.
        defines_pairs: Whether `16.16` stands for the bits of activations and weights.
    """
    model, platform = value_of(stated, "model"), value_of(stated, "platform")
    if model and "model_size" in stated:
        model = f"{model} {stated['model_size'].value}"
    variant = _variant(value_of(stated, "variant"), value_of(stated, "dataset"))
    named = _model(model) if model else None
    of_model = _variant(named.stage, None) if named and named.stage else Variant()
    bits = _precision(stated["precision"].cell.text) if "precision" in stated else None
    attributes = [_attribute_of(other) for other in others]
    attributes += [f"{label} {stated[name].value}" for name, label in _LABELS.items() if name in stated]
    framework, library = _framework(stated)
    if library:
        attributes.append(library)
    task = value_of(stated, "task")
    suite = value_of(stated, "suite") or _suite_of(value_of(stated, "submission_id"), task)
    return {
        "suite": suite,
        "task": task,
        "model_printed": model,
        "variant_printed": value_of(stated, "variant"),
        "variant_name": variant.name,
        "stage": variant.stage or of_model.stage or value_of(stated, "stage"),
        "phase": variant.phase or of_model.phase,
        "sequence_length": _count(stated, "sequence_length")
        or _of_variant(stated, "sequence_length")
        or variant.sequence_length,
        "is_packed": variant.is_packed,
        "image_size": value_of(stated, "image_size") or variant.image_size or (named.image_size if named else None),
        "configuration": variant.configuration or value_of(stated, "tuning"),
        # In one order, whatever the order of the columns: they are a part of the benchmark's identity.
        "attributes": ", ".join(sorted(set(attributes))) or None,
        "platform_printed": platform,
        "accelerator_count": _accelerators(stated),
        "sdk_version": value_of(stated, "sdk_version"),
        "framework_printed": framework,
        "dataset_printed": value_of(stated, "dataset"),
        "batch_size": _count(stated, "batch_size"),
        "precision": value_of(stated, "precision"),
        "activation_bits": bits.activation_bits if bits and defines_pairs else None,
        "weight_bits": bits.weight_bits if bits and defines_pairs else None,
        "division": value_of(stated, "division"),
        "submission_id": value_of(stated, "submission_id"),
        "quality_target": value_of(stated, "quality_target"),
        "ranking": value_of(stated, "ranking"),
        "epoch": _count(stated, "epoch"),
    }


def _of_variant(stated: Mapping[str, Stated], dimension: str) -> int | None:
    """`SL=2,048` in a cell of variants."""
    text = value_of(stated, "variant")
    found = {m.value for m in find_mentions(text) if m.kind == dimension} if text else set()
    return _number(found.pop()) if len(found) == 1 else None


def _framework(stated: Mapping[str, Stated]) -> tuple[str | None, str | None]:
    """The framework with its version, and a library on top of it that is named where its version belongs."""
    name, version = value_of(stated, "framework") or "", value_of(stated, "framework_version") or ""
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
    platform = platform_of(value_of(stated, "platform") or "")
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


def release_of_container(text: str) -> str | None:
    """The release in the tag of a container: `25.02` of `nvcr.io/nvidia/pytorch:25.02-py3`."""
    tag = _CONTAINER_TAG.fullmatch(text)
    return tag["release"] if tag else None


def _suite_of(submission: str | None, task: str | None) -> str | None:
    """The round of MLPerf that the identifier of a submission begins with: `5.0-0042`."""
    match = _ROUND.match(submission or "")
    if match is None:
        return None
    return f"MLPerf {task.capitalize()} v{match['round']}" if task else f"MLPerf v{match['round']}"
