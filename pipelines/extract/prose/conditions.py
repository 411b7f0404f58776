"""Conditions printed beside a number or a claim: batch size, precision, sequence length. Devices: `counts.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pipelines.extract.prose.clauses import clause_around
from pipelines.extract.prose.factors import Factor
from pipelines.extract.prose.metrics import CONDITION
from pipelines.extract.prose.moods import forecast
from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision

# `at a batch size of 64`, `batch 32`, `BS=1`, `batch-size-1 latency`; not `batch sizes of 1 and 8`
_BATCH = re.compile(
    r"\b(?:batch(?:[\s-]size)?(?:\s+of|\s*[=:-])?|BS\s*[=:]?)\s*(?P<value>\d{1,3}(?:,\d{3})+|\d+)"
    r"(?![\w%-]|\.\d|\s*(?:-|to\b|and\s\d|or\s\d|,\s?\d))",
    re.IGNORECASE,
)
# `in FP8`, `with BF16 precision`, `INT8`
_PRECISION = re.compile(
    r"(?<![\w.-])(?P<value>(?:NVFP|MXFP|BFLOAT|FLOAT|BF|FP|TF|INT)[\s-]?(?:\d{1,2}\.\d{1,2}|\d{1,2}))(?!\w|\.\d)",
    re.IGNORECASE,
)
# `a sequence length of 384`
_SEQUENCE = re.compile(
    r"\bsequence[\s-]length(?:\s+of|\s*[=:])?\s*(?P<value>\d{1,3}(?:,\d{3})+|\d+)(?![\w%-]|\.\d)", re.IGNORECASE
)


def conditions_of(plain: str, start: int, end: int, first: int) -> dict[str, Any]:
    """Fields of a measurement that the words beside its number state; what several values are printed for is left out.

    Args:
        plain: The sentence.
        start: First character of the number.
        end: One past its last character.
        first: First character of the first number of the sentence; what stands before it holds for all of them.
    """
    places = (clause_around(plain, start, end), (0, first))
    precision = parse_precision(_one(_PRECISION, plain, places, str.upper) or "")
    return {
        "batch_size": parse_count(_one(_BATCH, plain, places) or ""),
        "sequence_length": parse_count(_one(_SEQUENCE, plain, places) or ""),
        "precision": precision.name if precision else None,
        "activation_bits": precision.activation_bits if precision else None,
        "weight_bits": precision.weight_bits if precision else None,
    }


def words_of_conditions(plain: str, factor: Factor) -> Iterator[str]:
    """The conditions of a claim as printed, and the words that say that it is only expected."""
    yield from (" ".join(match[0].split()) for match in CONDITION.finditer(plain))
    if words := forecast(plain, factor.outer, factor.end):
        yield words


def _one(
    pattern: re.Pattern[str],
    plain: str,
    places: Iterable[tuple[int, int]],
    same: Callable[[str], str] = str.strip,
) -> str | None:
    """The one value in the first of these places that has any; None where it has two."""
    for low, high in places:
        found = {same(match["value"]) for match in pattern.finditer(plain, low, high)}
        if found:
            return found.pop() if len(found) == 1 else None
    return None
