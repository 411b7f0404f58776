"""What stands behind a name in a summary: a measured value in its unit, or why it is none."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pipelines.extract.named_quantities import QuantityName, read_value
from pipelines.extract.programs.known import Program
from pipelines.extract.programs.names import quantity
from pipelines.read.document import Cell
from pipelines.values.numbers import NUMBER
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.units import find_unit

# ` +/- 0.4 (jitter = 1.1)`, ` +-9.6`, ` (standard deviation 771 usec)`, a comma
_BEHIND = re.compile(r"(?:(?<!\s)\s++)?(?:(?:\+/-|\+-|\u00b1).*|\([^()]*\)|[,;])\s*$")
# `2067.2 infer/sec`, `812.5`, `14.5tokens/s`
_NUMBER_AND_UNIT = re.compile(rf"(?P<number>{NUMBER})(?:\s*(?P<unit>[A-Za-z\u00b5\u03bc%$][^\d]*))?")
# No program prints minutes so: it is what is left of `ms`.
_CUT_UNIT = "m"
# `0:36:58.55`, and the day before it in a long training
_CLOCK = re.compile(r"\d{1,5}:[0-5]\d:[0-5]\d(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Measured:
    """A value of a summary: the printed number, what it is of, and its quantity in the canonical unit."""

    cell: Cell
    heading: QuantityName
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Unread:
    """A value of a known quantity that cannot be read, and why."""

    cell: Cell
    reason: str


def is_rate(value: Cell) -> bool:
    """Whether a value has a unit of work in a time behind it."""
    match = _NUMBER_AND_UNIT.fullmatch(_BEHIND.sub("", value.text))
    unit = find_unit(match["unit"]) if match and match["unit"] else None
    return unit is not None and unit.canonical.startswith("items/s")


def read_measured(name: Cell, value: Cell, program: Program) -> Measured | Unread | None:
    """The value of a quantity; None where the name means no quantity that is kept."""
    if not value.text:
        is_known = quantity(name, "", program.spellings)
        return Unread(name, f"the line ends before the value of `{name.text.strip()}`") if is_known else None
    plain = value.part(0, len(_BEHIND.sub("", value.text))).stripped()
    match = _NUMBER_AND_UNIT.fullmatch(plain.text)
    unit = (match["unit"] or "").strip() if match else ""
    heading = quantity(name, unit, program.spellings)
    if heading is None:
        return None
    if match is None and not _CLOCK.fullmatch(plain.text):
        return Unread(plain, f"`{plain.text}` is no value of `{name.text.strip()}`")
    number = plain.matched(match, "number") if match else plain
    if unit and (heading.unit is None or heading.unit.printed != unit or unit == _CUT_UNIT):
        return Unread(plain, f"`{unit}` is no known unit of `{name.text.strip()}`")
    if program.number and not program.number.fullmatch(number.text):
        return Unread(plain, f"`{plain.text}` is not printed as {program.name} prints its values; it may be cut")
    if (read := read_value(number, heading)) is None:
        return Unread(plain, f"neither `{plain.text}` nor its name `{name.text.strip()}` gives a known unit")
    value_read, printed = read
    if value_read.value == 0:
        return Unread(number, f"`{name.text.strip()}` is 0: nothing was measured")
    heading = replace(heading, canonical_unit=printed.name, unit=printed)
    return Measured(number, heading, value_read)
