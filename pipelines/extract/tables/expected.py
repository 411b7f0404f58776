"""Tables and rows that print what is hoped for: `Expected impact`, `Projected total`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.read.document import Cell

NOT_MEASURED = "the heading or the row says that this is expected, and not that it was measured"
_HOPED_FOR = re.compile(
    r"\b(?:expected|projected|estimated|theoretical|planned|predicted|simulated)\b(?!\s+accuracy)|\broadmap\b",
    re.IGNORECASE,
)
# A longer text tells more than what stands below it.
_MAX_LENGTH = 60


def is_expected(section: str | None, row: Sequence[Cell]) -> bool:
    """True below a heading, or in a row whose first cell says, that the values are not measured ones."""
    first = next((cell.text for cell in row if not cell.is_blank), "")
    return any(len(text) <= _MAX_LENGTH and _HOPED_FOR.search(text) for text in (section or "", first))
