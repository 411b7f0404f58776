"""Whether a text can be a cell of a column: its type and shape against what the heading says.

Which column a row's cell stands in belongs in `row_alignment.py`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pipelines.extract.mentions import NAMES, field_of, find_mentions, known_name, metric_of, typed
from pipelines.extract.scope import dimension_of
from pipelines.extract.tables.headings import Meaning, entry_of, is_length, understand
from pipelines.extract.tables.values import is_numeric, states_unit
from pipelines.values.batch_sizes import parse_batch_sizes
from pipelines.values.durations import parse_duration, unit_seconds
from pipelines.values.numbers import parse_number
from pipelines.vocabulary.units import find_unit

_MEMORY = 1 << 16
# `350m`, `7B` below `Model`: its parameters
_SIZE_ALONE = re.compile(r"\d{1,4}(?:\.\d{1,2})?\s?[MBmb]")


# What a link to something beside the results is called.
_REFERENCES = frozenset({"json", "csv", "yaml", "yml", "log", "logs", "link", "links", "download", "github", "here"})


@lru_cache(_MEMORY)
def _fits(dimension: str | None, column: str | None, is_number: bool, text: str) -> bool:
    if dimension in NAMES:
        if known_name(dimension or "", text) or (dimension == "model" and _SIZE_ALONE.fullmatch(text)):
            return True
        return is_name(text) and not any(known_name(other, text) for other in NAMES if other != dimension)
    if dimension == "sdk_version":
        return typed("sdk_version", text) is not None
    if dimension == "batch_size":
        return parse_batch_sizes(text) is not None or is_paired(text)
    if dimension in ("precision",):
        return typed("precision", text) is not None or is_paired(text)
    if dimension == "lengths":
        # `128/2048`, `1024-128`
        parts = (part.strip() for sign in "/,:|-+" for part in text.split(sign))
        return any(typed("input_length", part) for part in parts) or is_name(text)
    if dimension in (
        "task",
        "division",
        "submission_id",
        "scenario",
        "quantization",
        "kv_cache",
        "image_size",
        "request_rate",
    ):
        return parse_duration(text) is None
    if dimension:
        return (
            typed(dimension, text) is not None
            or is_paired(text)
            or any(
                m.kind == dimension or (m.kind == "image_size" and is_length(dimension)) for m in find_mentions(text)
            )
        )
    if column == "variant":
        return is_name(text) or find_unit(text) is not None
    if not is_number or parse_number(text) is not None or is_paired(text):
        return True
    # `23.9 ms` below `CPU, 4 threads` counts no threads.
    return any(map(str.isdigit, text)) and not states_unit(text)


def fits(meaning: Meaning, text: str) -> bool:
    """True for a cell that can be one of a field's."""
    entry = entry_of(meaning)
    return _fits(meaning.dimension, meaning.column, bool(entry and entry.facts.get("number")), text)


def is_paired(text: str) -> bool:
    """True for `128 / 256`, `128 and 256`, `16 x 8`: several counts in one cell."""
    parts = text.replace(" and ", "/").replace(" x ", "/").replace("+", "/").split("/")
    return len(parts) > 1 and all(part.strip() and part.strip()[0].isdigit() for part in parts)


@lru_cache(_MEMORY)
def is_name(text: str) -> bool:
    """True for words that may name something: not a quantity, not a unit, not the name of a field or a metric."""
    return (
        len(text) <= 160
        and any(map(str.isalpha, text))
        and text.casefold() not in _REFERENCES
        and not is_numeric(text)
        and find_unit(text) is None
        and unit_seconds(text) is None
        and (metric_of(text) is None or len(text) < 4)
        and not _names_dimension(text)
        and not any(m.kind == "statistic" and m.end - m.start == len(text) for m in find_mentions(text))
        and typed("precision", text) is None
    )


def _names_dimension(text: str) -> bool:
    entry = field_of(text)
    is_field = entry is not None and dimension_of(entry.name, str(entry.facts["column"])) is not None
    return is_field and not any(known_name(dimension, text) for dimension in NAMES)


@lru_cache(_MEMORY)
def is_measure(text: str) -> bool:
    """True for a cell that names what its row measures: `Throughput (seq/s)`, `Latency P99`."""
    meaning = understand((text,))
    return not is_numeric(text) and meaning.role == "value" and (meaning.metric is not None or meaning.unit is not None)
