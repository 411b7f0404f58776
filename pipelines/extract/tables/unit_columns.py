"""Tables that print what was measured in a column of units: `Result` 31,712.1, `Units` Tokens/s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.extract.tables.headings import Heading, read_unit, unknown_heading
from pipelines.read.document import Cell
from pipelines.vocabulary.lookup import find

# The metric of a column of results until the unit of the row says which one it is.
RESULT = "result"
_METRIC_OF_UNIT = {
    "items/s": "throughput",
    "items/s/device": "throughput_per_device",
    "items/s/W": "efficiency",
    "W": "power",
}


def with_results(headings: list[Heading]) -> list[Heading]:
    """The headings with a column of results taken as measured where a column of units stands beside it."""
    has_units = any(heading.column == "unit" for heading in headings)

    def taken(heading: Heading) -> Heading:
        if heading.column != RESULT:
            return heading
        return replace(heading, column="metric", metric=RESULT) if has_units else unknown_heading(heading.cell)

    return [taken(heading) for heading in headings]


def measured_by(heading: Heading, headings: Sequence[Heading], row: Sequence[Cell], task: str | None) -> Heading | None:
    """The heading of a result with the metric that the row's unit makes of it, or None for a unit of nothing known."""
    printed = next((cell.text for place, cell in zip(headings, row, strict=True) if place.column == "unit"), "")
    if unit := find("units", printed):
        canonical, metric = str(unit.facts["unit"]), _METRIC_OF_UNIT.get(str(unit.facts["unit"]))
    else:
        canonical, metric = ("s", "time_to_train") if task == "training" else ("ms", "latency")
    scale = read_unit(printed, canonical) if metric else None
    if metric is None or scale is None:
        return None
    return replace(heading, metric=metric, canonical_unit=canonical, unit=scale)
