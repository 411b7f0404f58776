"""Units that stand behind the quantity in a heading: `Latency, ms`, `Output throughput in TPS`."""

from __future__ import annotations

import re

from pipelines.values.durations import UNIT
from pipelines.vocabulary.units import find_unit

# `Latency, ms`, `Time to train in minutes`, `latency ms`; never `Latency P50`
UNIT_BEHIND = re.compile(
    rf"(?P<base>.+?)(?:,|\s+in|\s)\s*(?P<unit>(?:{UNIT})|\S+/\S+|\w+ per \w+|%|percent|TPS|FPS|QPS|RPS)", re.IGNORECASE
)


def without_unit(base: str, unit: str) -> str:
    """The quantity alone where its unit stands in words and in brackets: `Throughput in tokens per second (TPS)`."""
    match = UNIT_BEHIND.fullmatch(base)
    if match and (named := find_unit(match["unit"])) and named.entry == getattr(find_unit(unit), "entry", None):
        return match["base"]
    return base
