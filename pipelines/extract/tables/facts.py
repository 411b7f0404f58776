"""What the cells of a row that are no measured value say: model, platform, release, batch size, attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pipelines.extract.tables.accelerator_counts import SHARDS, accelerators_of, shards_in
from pipelines.extract.tables.conditions import with_conditions
from pipelines.extract.tables.context import Context
from pipelines.extract.tables.headings import Heading, Qualifier
from pipelines.extract.tables.model_cells import read_model_cell, with_size
from pipelines.extract.tables.named_within import named_within
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.qualified import OF_VERSION
from pipelines.extract.tables.settings import with_settings
from pipelines.read.document import Cell
from pipelines.values.batch_sizes import parse_batch_sizes
from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision
from pipelines.values.variants import parse_variant
from pipelines.values.versions import parse_sdk
from pipelines.vocabulary.lookup import Entry, find
from pipelines.vocabulary.printed_names import read_model, read_platform, read_versioned

# `2.5.1`, `v0.6.3`, `24.10-py3`: a version and no name
_VERSION_ALONE = re.compile(r"v?\.?\d[\w.+-]*", re.IGNORECASE)
# `25.02-py3`, `24.10-tf2-py3`, `nvcr.io/nvidia/pytorch:24.10-py3`
_CONTAINER_TAG = re.compile(r"(?:\S+:)?(?P<release>\d\d\.\d\d)(?:\.\d{1,2})?(?:-[\w.-]+)?", re.IGNORECASE)
# `5.0-0042`
_ROUND = re.compile(r"(?P<round>\d+\.\d+)(?:\.\d+)?-\d{4}")
# `CUDA` below `Backend`
_BACKENDS = frozenset({"cuda", "rocm", "hip", "metal", "vulkan", "sycl", "opencl", "cpu", "blas", "cann", "musa"})
# Columns of which a table may have two, with what the first one is where the second one names the known thing.
_SECOND = {"platform": "System", "model": "Benchmark"}
# `Micro batch size`, `MicroBatchSize`, `Batch size per GPU`, `Batch Size/GPU`
_SHARE_OF_BATCH = re.compile(r"\bmicro|\bper\b|/", re.IGNORECASE)


def heading_facts(heading: Heading) -> dict[str, Any]:
    """What the vocabulary says of a heading: `identity`, `task`, `counts`."""
    entry = _entry_of(heading)
    return entry.facts if entry else {}


def _entry_of(heading: Heading) -> Entry | None:
    return find("headings", heading.spelling or heading.cell.text)


def read_facts(
    headings: list[Heading], row: tuple[Cell, ...], context: Context, qualifiers: tuple[Qualifier, ...] = ()
) -> dict[str, Any]:
    """The fields of a `Measurement` that its row, its heading and the text around the table give, by name."""
    texts: dict[str, str] = {}
    shards: dict[str, str] = {}
    attributes = []
    for heading, cell in zip(headings, row, strict=True):
        text = " ".join(cell.text.split())
        if is_nothing(cell) or heading.is_value or heading.column in ("unit", "measure"):
            continue
        if heading.column == "attribute":
            entry = _entry_of(heading)
            if entry and entry.facts.get("identity"):
                # `2,048` and `2048` are one length.
                count = parse_count(text)
                text = "".join(text.split()) if entry.facts.get("phases") else text
                attributes.append(f"{entry.name} {text if count is None else count}")
            if entry and entry.name in SHARDS:
                shards[entry.name] = text
            if entry and entry.facts.get("counts"):
                texts[str(entry.facts["counts"])] = text
            if entry and entry.name == "Container":
                texts["container"] = text
        elif heading.column == "framework" and text.casefold() in _BACKENDS:
            # What a framework was compiled for; its own name stands elsewhere.
            attributes.append(f"Backend {text}")
        elif heading.column == "task" and _task(text) is None:
            # `Text Generation`, `Image Classification`: what the model does, which is another test.
            attributes.append(f"Task {text}")
        elif heading.column in _SECOND and heading.column in texts and not _is_known(heading.column, texts):
            # `System` Acme Pod, `Accelerator` H100: the one that is known names the platform.
            known = _is_known(heading.column, {heading.column: text})
            attributes.append(
                f"{_SECOND[heading.column]} {texts[heading.column]}"
                if known
                else f"{' '.join(heading.cell.text.split())} {text}"
            )
            texts[heading.column] = text if known else texts[heading.column]
        elif heading.column == "batch_size" and _is_share_of_batch(heading) and _has_other_batch(headings):
            # One step's share of the batch that another column prints.
            continue
        elif heading.column in texts:
            # A second column of one kind (`System` and `Accelerator`) tells tests apart as well.
            attributes.append(f"{' '.join(heading.cell.text.split())} {text}")
        elif heading.column != "unknown":
            texts[heading.column] = text
    attributes += [qualifier.text for qualifier in qualifiers if qualifier.column == "attribute"]
    texts |= {qualifier.column: qualifier.text for qualifier in qualifiers if qualifier.column != "attribute"}
    inner = named_within(headings, row, texts)
    attributes += [text for text in inner.pop("settings", ()) if text not in attributes]
    texts = inner | texts
    if "model" in texts:
        cell_of_model = read_model_cell(with_size(texts["model"], headings, row))
        texts["model"] = cell_of_model.printed
        attributes += [part.text for part in cell_of_model.qualifiers if part.column == "attribute"]
        texts = {part.column: part.text for part in cell_of_model.qualifiers if part.column != "attribute"} | texts
    variant = parse_variant(texts.get("variant"), texts.get("dataset"))
    named = read_model(texts["model"]) if "model" in texts else None
    of_model = parse_variant(named.stage if named else None)
    precision = parse_precision(texts["precision"]) if "precision" in texts else None
    batch = parse_batch_sizes(texts["batch_size"]) if "batch_size" in texts else None
    framework, library = _framework(texts)
    attributes += [library] if library else []
    attributes = with_settings(attributes, context.settings)
    if _VERSION_ALONE.fullmatch(framework):
        # A version without the name it belongs to; a merged cell above may hold that, or the heading.
        name = _framework_of(headings)
        framework = f"{name} {framework}" if name else ""
    task = _task(texts.get("task"))
    suite = context.suite or next((heading.suite for heading in headings if heading.suite), None)
    suite = suite or _suite_of(texts.get("submission_id"), task or context.task)
    # What a label says of all devices goes before how it says the model is spread.
    spread = {} if context.stated.get("accelerator_count") else shards_in(attributes)
    facts = {
        "suite": suite,
        "task": task,
        "model_printed": texts.get("model"),
        "variant_printed": texts.get("variant"),
        "variant_name": variant.name,
        "stage": variant.stage or of_model.stage,
        "phase": variant.phase or of_model.phase,
        "sequence_length": parse_count(texts["sequence_length"])
        if "sequence_length" in texts
        else variant.sequence_length,
        "is_packed": variant.is_packed,
        "image_size": texts.get("image_size") or variant.image_size or (named.image_size if named else None),
        "configuration": variant.configuration or context.tuning,
        # In one order, whatever the order of the columns: they are a part of the benchmark's identity.
        "attributes": ", ".join(sorted(attributes)) or None,
        "platform_printed": texts.get("platform") or context.platform,
        "accelerator_count": accelerators_of({"platform": context.platform or ""} | texts, shards | spread),
        "sdk_version": context.release or _release(texts) or _release_of_page(headings, texts, context),
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
    return with_conditions(facts, context.stated)


def _framework(texts: Mapping[str, str]) -> tuple[str, str | None]:
    """The framework with its version, and a library on top of it that is named where its version belongs.

    `PyTorch 2.3.1` beside `DeepSpeed 0.14.0`: the library without its version, which changes from release to release.
    """
    name, version = texts.get("framework", ""), texts.get("framework_version", "")
    other = read_versioned("frameworks", version).entry if name else None
    if other is None:
        return f"{name} {version}".strip(), None
    return (version, None) if other == read_versioned("frameworks", name).entry else (name, other.name)


def _framework_of(headings: list[Heading]) -> str | None:
    """The framework that the heading of a column of versions names: `PyTorch Version`."""
    column = next((heading for heading in headings if heading.column == "framework_version"), None)
    named = OF_VERSION.fullmatch(" ".join(column.cell.text.split())) if column else None
    return named["name"] if named and find("frameworks", named["name"]) else None


def _suite_of(submission: str | None, task: str | None) -> str | None:
    """The round of MLPerf that the identifier of a submission begins with: `5.0-0042`."""
    match = _ROUND.match(submission or "")
    if match is None:
        return None
    return f"MLPerf {task.capitalize()} v{match['round']}" if task else f"MLPerf v{match['round']}"


def _release_of_page(headings: list[Heading], texts: Mapping[str, str], context: Context) -> str | None:
    """The release stated for all results; None for a table with a place for it, for submissions and for prices."""
    is_printed = any(heading.column == "sdk_version" or _is_container(heading) for heading in headings)
    is_measured = any(heading.is_value and not (heading.canonical_unit or "").startswith("USD") for heading in headings)
    stated = context.release_of_page
    if stated is None or is_printed or not is_measured or "submission_id" in texts:
        return None
    platform = read_platform(texts.get("platform") or context.platform or "").entry
    is_other = platform is not None and stated.vendor is not None and platform.facts.get("vendor") != stated.vendor
    return None if is_other else stated.release


def _is_container(heading: Heading) -> bool:
    entry = _entry_of(heading) if heading.column == "attribute" else None
    return entry is not None and entry.name == "Container"


def _release(texts: dict[str, str]) -> str | None:
    """The release of the software: as a column of releases says, else as the tag of the container does."""
    if "sdk_version" in texts:
        return parse_sdk(texts["sdk_version"])
    tag = _CONTAINER_TAG.fullmatch(texts.get("container", ""))
    return tag["release"] if tag else None


def _is_known(column: str, texts: Mapping[str, str]) -> bool:
    """True where the vocabulary knows the model or the platform among the texts."""
    if column == "platform":
        return read_platform(texts[column]).entry is not None
    return (read_model(texts[column]).entry or read_model(texts[column], "MLPerf").entry) is not None


def _has_other_batch(headings: list[Heading]) -> bool:
    return any(heading.column == "batch_size" and not _is_share_of_batch(heading) for heading in headings)


def _is_share_of_batch(heading: Heading) -> bool:
    return _SHARE_OF_BATCH.search(heading.spelling or heading.cell.text) is not None


def _task(text: str | None) -> str | None:
    """`Training` and `Inference` in a task column; other tasks (`Text Generation`) say something else."""
    return text.casefold() if text and text.casefold() in ("training", "inference") else None
