"""Units of measured values as printed, with the multiple that may stand before them: `k images/sec`, `Mtokens/s`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.vocabulary.lookup import Entry, find

# `k images/sec`, `Mtokens/s`, `thousands of tokens/s`, `million samples/sec`, `1000 images/s`; a small m
# would be a thousandth
_MULTIPLE = re.compile(
    r"(?:(?P<letter>[kKMG])[\s-]?|(?P<word>thousand|million|billion)s?\s+(?:of\s+)?|(?P<number>1,?000|10\^[369])\s*[x\u00d7]?\s*)"
    r"(?P<unit>[A-Za-z].*)",
)
_TIMES = {
    "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9,
    "1000": 1e3, "1,000": 1e3, "10^3": 1e3, "10^6": 1e6, "10^9": 1e9,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PrintedUnit:
    """A printed unit.

    Attributes:
        entry: What the vocabulary says of it.
        multiple: How many of them the multiple before it makes one.
    """

    entry: Entry
    multiple: float = 1.0

    @property
    def canonical(self) -> str:
        """The canonical unit."""
        return str(self.entry.facts["unit"])

    @property
    def scale(self) -> float:
        """What one printed unit is in the canonical one."""
        return float(self.entry.facts["scale"]) * self.multiple


def find_unit(printed: str) -> PrintedUnit | None:
    """The unit that a text means, or None for one that the vocabulary does not know."""
    text = " ".join(printed.split())
    if entry := find("units", text):
        return PrintedUnit(entry)
    match = _MULTIPLE.fullmatch(text)
    entry = find("units", match["unit"]) if match else None
    # `k thousand images/s` is no unit.
    if match is None or entry is None or entry.facts["scale"] != 1:
        return None
    return PrintedUnit(entry, _TIMES[match["letter"] or match["word"] or match["number"]])
