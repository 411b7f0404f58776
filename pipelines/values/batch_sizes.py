"""Printed batch sizes: `65,536`, `4 through 360`, `4,8,12`, `1,2,8+`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.values.numbers import parse_count

# `4 through 360`, `1-16`, `1 to 512`
_RANGE = re.compile(r"(\d[\d,]*)\s*(?:through|to|-|\u2013)\s*(\d[\d,]*)", re.IGNORECASE)
# `4,8,12`, `1, 2, 8+`: a list, as its commas do not group three digits
_LIST = re.compile(r"\d+(?:\s*,\s*\d+)+\+?")


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """Least and greatest batch size printed; `high` is None where the list is open (`8+`)."""

    low: int
    high: int | None

    @property
    def single(self) -> int | None:
        """The batch size, where only one is printed."""
        return self.low if self.low == self.high else None


def parse_batch_sizes(text: str) -> BatchSizes | None:
    """One batch size, a range or a list, or None when the text is none of these."""
    text = text.strip()
    if (count := parse_count(text)) is not None:
        return BatchSizes(count, count)
    if match := _RANGE.fullmatch(text):
        low, high = parse_count(match[1]), parse_count(match[2])
        return BatchSizes(low, high) if low is not None and high is not None and low <= high else None
    if _LIST.fullmatch(text):
        counts = [parse_count(part) for part in re.findall(r"\d+", text)]
        sizes = [count for count in counts if count is not None]
        if len(sizes) == len(counts):
            return BatchSizes(min(sizes), None if text.endswith("+") else max(sizes))
    return None
