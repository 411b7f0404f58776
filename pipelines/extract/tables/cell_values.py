"""Reads printed texts: the value of a condition, a measured number in its canonical unit, a name in
a document.

Which text is what is defined by the mapping, see `apply.py`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pipelines.extract.tables.mapping import Measured
from pipelines.values.durations import parse_duration
from pipelines.values.numbers import NUMBER, parse_number
from pipelines.values.quantity import Quantity, decimal_product
from pipelines.vocabulary.units import Measure, measure_of
from pipelines.yaml_files import load_yaml

# `~12.3`, `>60`, `54,784 images/s`, `$1.5`
MEASURED = re.compile(
    rf"(?P<bound>[~<>\u2248\u2264\u2265]=?\s*)?(?P<currency>(?:US)?\$\s?)?(?P<number>[-\u2212+]?(?:{NUMBER}|\.[0-9]+))\s*"
    r"(?P<unit>[^\d\s].*)?"
)
# `1.2M`, `108S`: millions, or a digit that was misread
_LETTER_BEHIND = re.compile(r"\d\s?[MHDS]\b")
# `1.234,5` as `1,234.5`
SWAPPED = str.maketrans(".,", ",.")
# Words by their use.
WORDS: dict[str, list[str]] = load_yaml(Path(__file__).with_name("words.yml"), texts_only=True)


@cache
def number_unit(text: str) -> str | None:
    """The unit after a number, "" for a number alone; None for other texts."""
    match = MEASURED.fullmatch(text)
    unit = (match["unit"] or "").strip() if match else None
    if unit == "" or (unit and measure_of(unit)):
        return unit
    return "s" if parse_duration(text) else None


class CellNumber(NamedTuple):
    """A measured number in the canonical unit, and the characters `start`..`end` of its cell that
    print it.

    `item` is what is counted; `unit` is printed after the number: "" for none, None for a time in
    parts, which has several; `unit_at` is its offset from the number.
    """

    quantity: Quantity
    start: int
    end: int
    item: str | None = None
    unit: str | None = None
    unit_at: int = 0


def read_number(text: str, measured: Measured) -> CellNumber | None:
    """The number of a cell in a canonical unit; None if the cell is anything else.

    The cell is a number, with or without a bound before it and a unit of the same kind after it; a
    time may be printed in parts, as `23h 43m`.

    Args:
        text: The cell.
        measured: The metric, with the unit in the mapping.
    """
    measure, wanted = measured.measure, measured.wanted
    inner, begin = text.strip(), len(text) - len(text.lstrip())
    whole = begin, begin + len(inner)
    if inner[:1].isdigit() and (number := parse_number(inner)):
        return CellNumber(number.scaled(_ratio(measure, wanted)), *whole, measure.item, "")
    match = MEASURED.fullmatch(inner)
    bound = (match["bound"] or "").strip() if match else ""
    if match and not (match["currency"] and wanted.kind not in ("USD", "USD/h")):
        printed = (match["unit"] or "").strip()
        own = measure if printed in ("", measured.unit) else measure_of(printed)
        number = parse_number(match["number"].removeprefix("+"), bound)
        # A single capital may mean millions.
        is_time = measure.kind != "s" or len(printed) != 1 or not printed.isupper()
        # A score may be printed as a percentage.
        is_same = own is not None and own.kind in (measure.kind, "%") and own.converts_to(measure)
        if number and own and is_time and is_same:
            ratio = _ratio(own if own.kind == measure.kind else measure, wanted)
            start, end = match.span("number")
            return CellNumber(
                number.scaled(ratio), begin + start, begin + end, own.item or measure.item, printed,
                match.start("unit") - start,
            )  # fmt: skip
    if measure.kind != "s" or _LETTER_BEHIND.search(inner):
        return None
    start = match.start("number") if match and bound else 0
    duration = parse_duration(inner[start:], bound)
    ratio = _ratio(Measure("s", 1.0), wanted)
    return CellNumber(duration.scaled(ratio), begin + start, whole[1]) if duration else None


@cache
def _ratio(own: Measure, wanted: Measure) -> float:
    """The factor between two units: 60000 for minutes in milliseconds."""
    if own.scale == wanted.scale:
        return 1.0
    return decimal_product(own.scale, 1000.0 if wanted.scale == 0.001 else 1 / wanted.scale)
