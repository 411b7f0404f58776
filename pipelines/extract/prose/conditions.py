"""Conditions printed beside a number or a claim: batch size, precision, sequence length. Devices: `counts.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from pipelines.extract.prose.factors import Factor
from pipelines.extract.prose.metrics import CONDITION
from pipelines.extract.prose.moods import forecast
from pipelines.values.numbers import parse_count
from pipelines.values.precisions import parse_precision
from pipelines.values.versions import VERSION
from pipelines.vocabulary.lookup import spelling_pattern

# `at a batch size of 64`, `batch 32`, `BS=1`, `batch-size-1 latency`; not `batch sizes of 1 and 8`
_BATCH = re.compile(
    r"\b(?:batch(?:[\s-]size)?(?:\s+of|\s*[=:-])?|BS(?:\s*[=:])?)\s*+(?P<value>\d{1,3}(?:,\d{3})+|\d+)"
    r"(?![\w%]|\.\d|-\d|\s-\s\d+(?![\d.]|\s?[xX\u00d7%])|\s*(?:to\b|and\s\d|or\s\d|,\s?\d))",
    re.IGNORECASE,
)
# `in FP8`, `with BF16 precision`, `INT8`
_PRECISION = re.compile(
    r"(?<![\w.-])(?P<value>(?:NVFP|MXFP|BFLOAT|FLOAT|BF|FP|TF|INT)[\s-]?(?:\d{1,2}\.\d{1,2}|\d{1,2}))(?!\w|\.\d)",
    re.IGNORECASE,
)
_COMMA = re.compile(r"[,;]\s")
# ` tokens/s with vLLM (FP16, batch=1)`: the commas inside end nothing
_BRACKET = re.compile(r"[^(),;]{0,60}\([^()]*\)")
_PART_ENDS = re.compile(r"[,;]\s|\s(?:and|or|while|whereas|versus|vs\.?|against|compared|up|down)\s", re.IGNORECASE)
# `with vLLM v0.6.1`, `running TensorRT-LLM 0.9`
_FRAMEWORK_BEFORE = re.compile(r"\b(?:with|using|in|on|running|via)\s+(?:the\s+)?$", re.IGNORECASE)
_FRAMEWORK_VERSION = re.compile(rf"\s+v?(?:{VERSION}|\d+)(?![\w%]|\.\d|\s?[xX])")
# `in the offline scenario`, `24,110 tokens/s offline`: how MLPerf asks, which makes other tests
_SCENARIO = re.compile(
    r"\b(?P<value>offline|server|single-?stream|multi-?stream|interactive)\s+(?:scenario|mode|test)\b", re.IGNORECASE
)
_SCENARIO_BEHIND = re.compile(
    r"\s*(?:[A-Za-z]+/s(?:ec)?(?:ond)?|[A-Za-z]+ per second)"
    r"\s+\(?(?P<value>offline|server|interactive)\b(?!\s+(?:with|GPU|node))",
    re.IGNORECASE,
)
# `Llama 2 70B AWQ`: how the weights were made smaller
_QUANTIZATION = re.compile(r"\b(?P<value>AWQ|GPTQ|SmoothQuant|NF4|Q\d_K(?:_[SML])?|Q\d_\d)\b", re.IGNORECASE)
# `a sequence length of 384`
_SEQUENCE = re.compile(
    r"\bsequence[\s-]length(?:\s+of|\s*[=:])?\s*(?P<value>\d{1,3}(?:,\d{3})+|\d+)(?![\w%-]|\.\d)", re.IGNORECASE
)


def conditions_of(plain: str, start: int, end: int, values: Collection[tuple[int, int]]) -> dict[str, Any]:
    """Fields of a measurement that the words beside its number state; what several values are printed for is left out.

    Args:
        plain: The sentence.
        start: First character of the number.
        end: One past its last character.
        values: Characters of every value of the sentence. What stands right behind a number holds for it alone, what
            stands before the first for all of them.
    """
    places = _places(plain, start, end, values)
    precision = parse_precision(_one(_PRECISION, plain, places, str.upper) or "")
    return {
        "batch_size": parse_count(_one(_BATCH, plain, places) or ""),
        "sequence_length": parse_count(_one(_SEQUENCE, plain, places) or ""),
        "precision": precision.name if precision else None,
        "activation_bits": precision.activation_bits if precision else None,
        "weight_bits": precision.weight_bits if precision else None,
        "framework_printed": _framework(plain, places),
        "attributes": _attributes(plain, end, places),
    }


def _attributes(plain: str, end: int, places: Iterable[tuple[int, int]]) -> str | None:
    """`Quantization AWQ`, `Scenario Offline` as a table's row has them."""
    places = list(places)
    right_behind = _SCENARIO_BEHIND.match(plain, end)
    scenario = right_behind["value"] if right_behind else _one(_SCENARIO, plain, places, str.casefold)
    way = _one(_QUANTIZATION, plain, places, str.upper)
    found = [f"Quantization {way}"] if way else []
    found += [f"Scenario {scenario.capitalize()}"] if scenario else []
    return ", ".join(found) or None


def _places(plain: str, start: int, end: int, values: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where conditions of a number stand: right behind it, before it, at the head; of the last one up to the end."""
    later = [low for low, _ in values if low >= end]
    ends = _PART_ENDS if later else _COMMA
    bracket = _BRACKET.match(plain, end)
    stop = ends.search(plain, bracket.end() if bracket else end)
    behind = (end, min([stop.start() if stop else len(plain), *later]))
    previous = max([high for _, high in values if high <= start], default=0)
    before = (max([match.end() for match in ends.finditer(plain, previous, start)], default=previous), start)
    return [behind, before, (0, min(values)[0]), *([] if later else [(end, len(plain))])]


def _framework(plain: str, places: Iterable[tuple[int, int]]) -> str | None:
    """The one framework in the first of these places that has any; `lightning` in small letters is an everyday word."""
    for low, high in places:
        found = set()
        for match in spelling_pattern("frameworks").finditer(plain):
            is_name = low <= match.start() < high and any(map(str.isupper, match[0]))
            if is_name and _FRAMEWORK_BEFORE.search(plain, 0, match.start()):
                version = _FRAMEWORK_VERSION.match(plain, match.end())
                found.add(plain[match.start() : version.end() if version else match.end()])
        if found:
            return found.pop() if len(found) == 1 else None
    return None


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
