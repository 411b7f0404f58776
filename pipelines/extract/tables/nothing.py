"""What tables print where no value stands: `-`, `N/A`, `OOM`. What a value looks like is told in `cell_types`."""

from __future__ import annotations

import re

from pipelines.read.document import Cell
from pipelines.values.durations import unit_seconds
from pipelines.vocabulary.units import find_unit

# What tables print for "nothing"
_NOTHING = frozenset(
    {
        *("", "-", "$ -", "$-", "--", "---", "\u2013", "\u2014", "none", "null", "nan"),
        *("n/a", "na", "n.a.", "n/s", "tbd", "tba"),
        # Why there is no number.
        *("oom", "out of memory", "not supported", "unsupported", "not available", "not tested", "not applicable"),
        *("coming soon", "pending", "wip", "did not run", "did not fit", "dnf", "\u2717", "\u274c", "\u2716"),
    }
)
# `- images/sec/watt`: the unit stands there, the number does not
_DASH_AND_UNIT = re.compile(r"(?:-|--|\u2013|\u2014|n/a)\s+(?P<unit>[^\d\s].*)", re.IGNORECASE)


def is_nothing(cell: Cell) -> bool:
    """True for a blank cell and for what is printed in place of a value (`-`, `N/A`)."""
    text = cell.text.strip()
    if text.casefold() in _NOTHING:
        return True
    match = _DASH_AND_UNIT.fullmatch(text)
    return match is not None and (find_unit(match["unit"]) or unit_seconds(match["unit"])) is not None
