"""What a benchmark key is made of, and how the values under one key stand to each other."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import product
from typing import Any

Row = Mapping[str, Any]

# The columns of `resolved.results` that `benchmark_key` hashes, in the order of `sql/resolved/results.sql`.
_PARTS = (
    "task", "stage", "phase", "model", "variant_name", "sequence_length", "is_packed", "image_size", "attributes",
    "platform", "accelerator_count", "framework", "dataset", "precision", "division", "metric", "epoch",
)  # fmt: skip
_KEY_LENGTH = 32


def key_parts(result: Row, source: str) -> dict[str, Any] | None:
    """The columns that make the result's benchmark, by name; null is a part too.

    The batch size and the configuration are among them only where they define the benchmark: the key itself tells.
    None where no reading of the row gives the key: the warehouse was built by another version.
    """
    parts: dict[str, Any] = {name: result[name] for name in _PARTS}
    within = {"model": source, "platform": result["unnamed_platform"]}
    tokens = [
        _token(parts[name]) + (f"@{within[name]}" if parts[name] is None and name in within else "") for name in _PARTS
    ]
    if (unnamed := result["unnamed_platform"]) is not None:
        # A bar that its chart's drawing names later keeps the benchmark of its place.
        tokens[_PARTS.index("platform")] = f"{_token(None)}@{unnamed}"
        parts["unnamed_platform"] = unnamed
    configuration = _token(result["configuration"]) if result["task"] == "inference" else "-"
    at, statistic = _PARTS.index("metric"), _token(result["statistic"]).replace(".", "_")
    # A percentile is part of what is measured, a mean is not.
    of_statistic = [*tokens[:at], f"{tokens[at]}_{statistic}", *tokens[at + 1 :]]
    for known, batch_size in product((tokens, of_statistic), ("-", _token(result["batch_size"]))):
        text = "|".join([*known, batch_size, configuration])
        if hashlib.sha256(text.encode()).hexdigest()[:_KEY_LENGTH] == result["benchmark_key"]:
            if known is of_statistic:
                parts["statistic"] = result["statistic"]
            if batch_size != "-":
                parts["batch_size"] = result["batch_size"]
            if configuration != "-":
                parts["configuration"] = result["configuration"]
            return parts
    return None


def relation(own: Row | None, other: Row) -> str:
    """How another row of `main.result_history` of the same benchmark stands to the result's own."""
    if own is None:
        return ""
    if (own["sdk_order"], own["value"]) == (other["sdk_order"], other["value"]):
        return "this value"
    before, after = other["sdk_order"] or [], own["sdk_order"] or []
    if before != after:
        return "superseded by" if before > after else "supersedes"
    if "conflicting" in (own["status"], other["status"]):
        return "conflicts with"
    return "restated as" if other["stands_in_release"] else "restates"


def _token(value: Any) -> str:
    return "<null>" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
