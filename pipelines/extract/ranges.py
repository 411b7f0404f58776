"""Which values a number of a metric can have, from `vocabulary/ranges.yml`. What a cell prints is
read elsewhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from pipelines.extract.rows import Measurement, Price, Reject, Row
from pipelines.vocabulary.lookup import FOLDER
from pipelines.yaml_files import load_yaml

OUT_OF_RANGE = "value_out_of_range"
_ABOVE_ZERO: Mapping[str, float] = {"above": 0}


@cache
def ranges() -> dict[str, Mapping[str, float]]:
    """The ranges by metric and by canonical unit."""
    found: dict[str, Mapping[str, float]] = {}
    for item in load_yaml(FOLDER / "ranges.yml"):
        limits = {name: limit for name, limit in item.items() if name != "of"}
        found |= dict.fromkeys(item["of"], limits)
    return found


def range_fault(
    metric: str,
    unit: str,
    value: float,
    *,
    is_score: bool = True,
    declared: Sequence[float] | None = None,
) -> str | None:
    """Why a number is no value of a metric, in words; None for one that can be.

    Args:
        metric: Its canonical name, or that of a metric of the mapping's own.
        unit: Its canonical unit.
        value: The number in that unit.
        is_score: False for a metric of the mapping's own that is a performance or a size, which is
            above 0.
        declared: The least and the greatest value that the mapping declares.
    """
    limits = ranges().get(metric, ranges().get(unit, {} if is_score else _ABOVE_ZERO))
    if declared:
        limits = {"least": declared[0], "most": declared[1]}
    above, least = limits.get("above", -math.inf), limits.get("least", -math.inf)
    most = limits.get("most", math.inf)
    # `-0.00` is a negative number that was rounded.
    is_negative = max(above, least) >= 0 and math.copysign(1.0, value) < 0
    if above < value <= most and value >= least and not is_negative:
        return None
    words = f"above {above:g}" if above > -math.inf else f"at least {least:g}"
    words += f" and at most {most:g}" if most < math.inf else ""
    return f"is {value:g} {unit}, and values of {metric} are {words}"


def within_ranges(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows, with a reject in the place of each number that its metric cannot have."""
    for row in rows:
        fault = None
        if isinstance(row, Measurement):
            fault = range_fault(row.metric, row.unit, row.value)
        elif isinstance(row, Price):
            fault = range_fault("price", "USD", row.price_usd)
        text = row.cell.text
        yield (
            row
            if fault is None
            else Reject(
                cell=row.cell,
                section=row.section,
                section_line=row.section_line,
                rule=OUT_OF_RANGE,
                reason=f"{text!r} {fault}",
                row_json=json.dumps({"text": text}),
            )
        )
