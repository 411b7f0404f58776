"""Signs that the summary of a program is damaged although each of its numbers can be read."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from itertools import pairwise

from pipelines.extract.programs.fields import Field
from pipelines.extract.rows import Measurement, Reject

# `ttft_p99`, `latency_p99_9`
_PERCENTILE = re.compile(r"(?P<family>\w+?)_p(?P<whole>\d\d)(?:_(?P<part>\d))?")
# So many lines that end at one column, and more than half of all, show that they are flush.
_MIN_FLUSH = 3


def cut_fields(fields: Collection[Field]) -> list[Field]:
    """The fields of a block that is printed flush right whose lines end before those of the others."""
    [(end, count)] = Counter(field.value.end for field in fields).most_common(1) or [(0, 0)]
    is_flush = count >= _MIN_FLUSH and 2 * count > len(fields)
    return [field for field in fields if is_flush and field.value.end < end]


def family_of(metric: str) -> str:
    """What a percentile is of: `ttft` for `ttft_p99`; the metric itself where it is none."""
    match = _PERCENTILE.fullmatch(metric)
    return match["family"] if match else metric


def disordered(rows: Iterable[Measurement | Reject]) -> frozenset[str]:
    """The families of percentiles of one summary in which a higher one has a lower value."""
    families: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if isinstance(row, Measurement) and (match := _PERCENTILE.fullmatch(row.metric)):
            families[match["family"]].append((float(f"{match['whole']}.{match['part'] or 0}"), row.value))
    return frozenset(
        family
        for family, values in families.items()
        if any(after < before for (_, before), (_, after) in pairwise(sorted(values)))
    )
