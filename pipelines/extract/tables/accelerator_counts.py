"""How many accelerators a row of a table was measured on: as it prints, or as its model is spread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pipelines.values.numbers import parse_count
from pipelines.vocabulary.printed_names import read_platform

# Ways to spread a model, each over accelerators of its own; a vendor that counts cores by them is left out.
SHARDS = frozenset({"TP", "PP", "DP"})
_SHARDED = frozenset({"NVIDIA", "AMD", "Intel"})


def accelerators_of(texts: Mapping[str, str], shards: Mapping[str, str]) -> int | None:
    """The accelerators printed, those of the printed number of platforms (`Nodes`), or those a model is spread over."""
    if "accelerator_count" in texts:
        return parse_count(texts["accelerator_count"])
    platforms = parse_count(texts.get("platforms", ""))
    if "per_node" in texts:
        each = parse_count(texts["per_node"])
        return each * (platforms or 1) if each else None
    platform = read_platform(texts["platform"]) if "platform" in texts else None
    if platform is None or platform.entry is None:
        return None
    if platforms:
        chips = platform.entry.facts.get("chips")
        return platforms * (platform.multiplier or 1) * int(chips) if chips else None
    degrees = [parse_count(text) for text in shards.values()]
    is_counted = platform.multiplier or platform.entry.facts.get("vendor") not in _SHARDED
    if "TP" not in shards or None in degrees or is_counted:
        return None
    # One chip under its own name: `H100`, not `DGX H100`.
    is_chip = platform.entry.facts.get("chip") == platform.entry.name
    return math.prod(degree for degree in degrees if degree) if is_chip else None


def shards_in(attributes: Sequence[str]) -> dict[str, str]:
    """`TP 8` among the attributes of a row, by the way in which the model is spread."""
    parts = (attribute.split(" ") for attribute in attributes)
    return {part[0]: part[1] for part in parts if len(part) == 2 and part[0] in SHARDS}
