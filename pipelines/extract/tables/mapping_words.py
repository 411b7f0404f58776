"""The words that a mapping may use, each checked against what the project knows, with the word that may be meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from pydantic_core import PydanticCustomError
from rapidfuzz import fuzz, process

from pipelines.values.durations import unit_seconds
from pipelines.values.numbers import parse_number
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.resolution import suggest
from pipelines.vocabulary.units import find_unit

# What a heading, a row title or a person can state of a measured value, beside what the value is.
DIMENSIONS: tuple[str, ...] = (
    "task", "stage", "suite", "division", "submission_id", "scenario", "model", "model_size", "variant",
    "platform", "accelerator_count", "nodes", "sdk_version", "framework", "dataset", "precision", "batch_size",
    "batch_size_kind", "sequence_length", "input_length", "output_length", "concurrency", "request_rate",
    "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "quantization", "image_size",
    "metric", "statistic", "unit", "other",
)  # fmt: skip
_COUNTS = frozenset(
    {
        *("accelerator_count", "nodes", "batch_size", "sequence_length", "input_length", "output_length"),
        *("concurrency", "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel"),
    }
)
BATCH_KINDS = ("global", "per_device", "micro", "client")
IGNORE, VALUE, INFERRED, MENTIONS = "ignore", "value", "inferred", "mentions"
# What a column can be beside a dimension or a metric.
COLUMN_WORDS = (IGNORE, VALUE, INFERRED, MENTIONS)
# In place of a heading: all columns that are not named.
OTHERS = "others"
# In place of a constant: nothing is stated of it, whatever is printed around the table.
NONE = "none"
_STATISTICS = ("mean", "min", "max", "std", "p50", "p90", "p95", "p99", "p99.9")
# `p50`, `p99.9`
_PERCENTILE = re.compile(r"p\d{1,2}(?:\.\d{1,3})?")
# Units that no vocabulary has to list: they are the canonical ones of their metrics.
_PLAIN_UNITS = frozenset({"%", "USD", "ratio", "MAE", "MRR"})
# Below this likeness (0 to 100) a suggestion is noise.
_LIKE_ENOUGH = 60
# Longer words cannot be meant, and are not repeated in an error.
LONGEST_WORD = 60


def fold(text: str) -> str:
    """A heading without what carries no meaning: case, blanks, punctuation.

    `Throughput-Average(seq/sec)` is `Throughput Average (seq/sec)`; a heading of signs alone stays what it is.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(sign if sign.isalnum() else " " for sign in plain).split()) or plain.strip()


def nearest(word: str, known: Collection[str]) -> str | None:
    """The known word most like another one, or None when none is like it; for people to judge, never applied."""
    best = process.extractOne(
        word, known, scorer=fuzz.WRatio, processor=str.casefold, score_cutoff=_LIKE_ENOUGH if len(word) > 2 else 90
    )
    return str(best[0]) if best else None


def fault(words: str, *at: str | int) -> PydanticCustomError:
    """An error in a mapping; `at` leads from the part that is checked to the one that is wrong."""
    return PydanticCustomError("mapping", "{words}", {"words": words, "at": at})


def unknown_word(
    what: str, word: str, meant: str | None, more: str = "", at: Sequence[str | int] = ()
) -> PydanticCustomError:
    """An error about a word, with the one that may be meant."""
    hint = f"; did you mean {meant!r}?" if meant else more
    return fault(f"{word[:LONGEST_WORD]!r} is no {what}{hint}", *at)


def dimension_word(word: str) -> str:
    """A dimension."""
    if word not in DIMENSIONS:
        raise unknown_word("field", word, nearest(word, DIMENSIONS), f"; known are: {', '.join(DIMENSIONS)}")
    return word


def field_word(word: str) -> str:
    """A dimension, or what else a column can be."""
    if word in COLUMN_WORDS:
        return word
    if word not in DIMENSIONS:
        known = (*DIMENSIONS, *COLUMN_WORDS)
        raise unknown_word("field", word, nearest(word, known), f"; known are: {', '.join(known)}")
    return word


def metric_word(word: str) -> str:
    """Canonical name of a metric."""
    entry = find("metrics", word)
    if entry is None:
        raise unknown_word("metric", word, suggest("metrics", word), "; those known stand in vocabulary/metrics.yml")
    return entry.name


def unit_word(word: str) -> str:
    """A unit that the vocabulary, or a clock, knows."""
    if word not in _PLAIN_UNITS and find_unit(word) is None and unit_seconds(word) is None:
        raise unknown_word("unit", word, suggest("units", word), "; those known stand in vocabulary/units.yml")
    return word


def statistic_word(word: str) -> str:
    """A statistic or a percentile."""
    if word not in _STATISTICS and not _PERCENTILE.fullmatch(word):
        raise unknown_word("statistic", word, nearest(word, _STATISTICS), f"; known are: {', '.join(_STATISTICS)}")
    return word


def batch_kind_word(word: str) -> str:
    """What a batch size counts."""
    if word not in BATCH_KINDS:
        known = ", ".join(BATCH_KINDS)
        raise unknown_word("kind of a batch size", word, nearest(word, BATCH_KINDS), f"; known are: {known}")
    return word


def check_constant(dimension: str, value: str) -> str:
    """A constant, refused where its dimension takes no such value."""
    if value == NONE and dimension not in ("metric", "unit"):
        return value
    checks = {"metric": metric_word, "unit": unit_word, "statistic": statistic_word, "batch_size_kind": batch_kind_word}
    if dimension in _COUNTS and parse_number(value) is None:
        raise unknown_word(f"number, and `{dimension}` must be one", value, None)
    return checks[dimension](value) if dimension in checks else value
