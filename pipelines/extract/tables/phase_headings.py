"""Headings that name a phase of serving and a unit, where together they say what was measured: `Decode (tok/s)`."""

from __future__ import annotations

import re

from pipelines.values.durations import unit_seconds
from pipelines.vocabulary.units import find_unit

# `Decode`, `Fixed decode speed`, `Token generation`
_DECODE = re.compile(
    r"(?:fixed\s+|tput\s+|throughput\s+)?(?:decode|decoding|(?:token\s+|text\s+)?generation|gen|eval)(?:\s+(?:speed|rate|tput))?",
    re.IGNORECASE,
)
# `Prefill`, `Prompt processing`, `Prompt eval rate`
_PREFILL = re.compile(
    r"(?:tput\s+|throughput\s+)?(?:prefill|prompt(?:\s+(?:processing|eval(?:uation)?))?)(?:\s+(?:speed|rate|tput))?",
    re.IGNORECASE,
)
# `E2E (s)`, `End-to-end (ms)`
_WHOLE = re.compile(r"e2e|end[\s-]to[\s-]end", re.IGNORECASE)


def metric_of_phase(base: str, unit: str) -> str | None:
    """The metric that a phase with such a unit is, as a spelling of the vocabulary; None for another heading."""
    rate = find_unit(unit)
    if rate is not None and rate.canonical == "items/s":
        if "token" not in str(rate.entry.facts.get("item")):
            # `eval_steps_per_second`: the evaluation within a training
            return None
        if _DECODE.fullmatch(base):
            return "Decode Throughput"
        return "Prefill Throughput" if _PREFILL.fullmatch(base) else None
    if unit_seconds(unit) is None:
        return None
    if _WHOLE.fullmatch(base):
        return "E2E Latency"
    return "Prefill Latency" if _PREFILL.fullmatch(base) else None
