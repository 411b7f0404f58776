"""Footnotes behind a table that give a unit for its throughputs: all of them, or those of one dataset or model."""

from __future__ import annotations

import re

from pipelines.extract.tables.headings import Unit, read_unit
from pipelines.vocabulary.lookup import find

# `tokens/s/GPU`, `k images/sec`, `thousands of samples/s`, `million tokens per second`
_UNIT = (
    r"(?P<unit>(?:(?:[kMG]|thousands?(?: of)?|millions?(?: of)?|billions?(?: of)?) )?"
    r"[A-Za-z]+(?: ?/ ?[A-Za-z]+)+|(?:(?:thousands?|millions?|billions?)(?: of)? )?[A-Za-z]+(?: per [A-Za-z]+)+)"
)
_MEASURED = r"throughput\s+(?:is\s+|was\s+)?(?:measured|given|reported|shown|stated)\s+in\s+"
# `PQM4Mv2 throughput measured in graphs/s`
_UNIT_NOTE = re.compile(rf"(?P<name>[\w+.-]*[\w+-](?: [\w+.-]+)?)\s+{_MEASURED}{_UNIT}", re.IGNORECASE)
# `All throughput is measured in k images/sec`: words that name nothing
_EVERY = frozenset(["all", "the", "training", "inference", "reported", "and", "note", "that"])
# `Throughput is measured in k images/sec`
_TABLE_NOTE = re.compile(rf"(?:^|[.;:*\n])\s*(?:(?:{'|'.join(sorted(_EVERY))})\s+)*{_MEASURED}{_UNIT}", re.IGNORECASE)


def unmatched_notes(notes: str) -> list[str]:
    """Names in unit footnotes that neither the datasets nor the models know."""
    return [
        match["name"]
        for match in _UNIT_NOTE.finditer(notes)
        if not set(match["name"].casefold().split()) <= _EVERY and _named(match["name"]) is None
    ]


def units_in(notes: str) -> dict[str, Unit | None]:
    """The unit of each dataset and model that a footnote names; None for one that no vocabulary knows."""
    return {
        name: read_unit(match["unit"], "items/s")
        for match in _UNIT_NOTE.finditer(notes)
        if (name := _named(match["name"])) is not None
    }


def unit_of_table(notes: str) -> Unit | None:
    """The one unit that the footnotes give for all throughputs."""
    units = {unit for match in _TABLE_NOTE.finditer(notes) if (unit := read_unit(match["unit"], "items/s"))}
    return units.pop() if len(units) == 1 else None


def _named(printed: str) -> str | None:
    # The word before a name (`and Wikipedia`) may be none of it.
    for text in (printed, printed.split()[-1]):
        if entry := find("datasets", text) or find("models", text):
            return entry.name
    return None
