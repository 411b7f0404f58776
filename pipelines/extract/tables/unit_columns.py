"""Tables that print what was measured in a column of units: `Result` 31,712.1, `Units` Tokens/s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.extract.tables.headings import MEASURE, RESULT, Heading, read_unit
from pipelines.extract.tables.qualified import heading_of
from pipelines.read.document import Cell
from pipelines.vocabulary.lookup import find

_METRIC_OF_UNIT = {
    "items/s": "throughput",
    "items/s/device": "throughput_per_device",
    "items/s/W": "efficiency",
    "W": "power",
}


def with_results(headings: list[Heading]) -> list[Heading]:
    """The headings with a column of results taken as measured where a column beside it says what it counts."""
    is_told = any(heading.column in ("unit", MEASURE) for heading in headings)

    def taken(heading: Heading) -> Heading:
        return replace(heading, column="metric", metric=RESULT) if heading.column == RESULT and is_told else heading

    return [taken(heading) for heading in headings]


def measured_by(heading: Heading, headings: Sequence[Heading], row: Sequence[Cell], task: str | None) -> Heading | None:
    """The heading of a result with the metric that the row's own words make of it, or None for words of nothing known.

    The row's column of quantities says which metric it is; without one the unit does.
    """
    named = _cell_of(MEASURE, headings, row)
    printed = _cell_of("unit", headings, row)
    if named is not None:
        own = heading_of(named)
        if own.metric is None or own.canonical_unit is None:
            return None
        unit = own.unit or (read_unit(printed.text, own.canonical_unit) if printed else None)
        return replace(own, cell=heading.cell, unit=unit, qualifiers=(*heading.qualifiers, *own.qualifiers))
    if printed is None:
        return None
    own = heading_of(printed)
    if own.is_value and own.unit:
        # `Latency (ms)` in a column of units
        return replace(own, cell=heading.cell, qualifiers=heading.qualifiers)
    if unit_entry := find("units", printed.text):
        canonical, metric = str(unit_entry.facts["unit"]), _METRIC_OF_UNIT.get(str(unit_entry.facts["unit"]))
    else:
        canonical, metric = ("s", "time_to_train") if task == "training" else ("ms", "latency")
    scale = read_unit(printed.text, canonical) if metric else None
    if metric is None or scale is None:
        return None
    return replace(heading, metric=metric, canonical_unit=canonical, unit=scale)


def _cell_of(column: str, headings: Sequence[Heading], row: Sequence[Cell]) -> Cell | None:
    cells = (cell for place, cell in zip(headings, row, strict=True) if place.column == column)
    return next((cell for cell in cells if not cell.is_blank), None)
