"""Numbers printed at bars: which bar each belongs to. They are kept beside the geometry, never mixed with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pipelines.extract.vector_charts.bars import Bar
from pipelines.extract.vector_charts.geometry import Orientation, view
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import Token, parse_label

# Units of what compares two bars.
_RELATIVE = frozenset({"x", "X", "×", "%"})


@dataclass(frozen=True, slots=True)
class Printed:
    """A number printed at a mark.

    Attributes:
        token: The number and its place.
        value: What it says.
        low: Least value that its rounding allows.
        high: Greatest value that its rounding allows.
        unit: What is printed behind it.
    """

    token: Token
    value: float
    low: float
    high: float
    unit: str


def read_printed(token: Token) -> Printed | None:
    """What a printed number says, with the interval of its rounding; None for what is no single number."""
    # A raised digit at a value is the mark of a footnote.
    text = token.text if parse_label(token.text) else token.text.partition("^")[0]
    if (number := read_number(text)) is None or (read := parse_label(text)) is None:
        return None
    return Printed(token, *number, read[1])


def read_number(text: str) -> tuple[float, float, float] | None:
    """Value, least and greatest value of a printed number; None for what is no single number."""
    read = parse_label(text)
    if read is None:
        return None
    half = _step(text, read[0]) / 2
    return read[0], read[0] - half, read[0] + half


def _step(text: str, value: float) -> float:
    """What one more in the last printed digit adds: 0.1 for `2.6x`, 100000 for `2.5M`."""
    digits = re.sub(r"[,\s](?=\d{3})", "", text)
    whole = re.search(r"\d+(?:\.(\d+))?", digits)
    if whole is None:
        return 1.0
    plain = float(whole[0])
    magnitude = abs(value) / plain if plain else 1.0
    return float(10.0 ** -len(whole[1] or "") * magnitude)


def at_bars(
    bars: Sequence[Bar], tokens: Sequence[Token], orientation: Orientation, unit: str | None = None
) -> dict[int, Printed]:
    """The printed number of each bar, by the bar's index; a number nearest to two bars is nobody's.

    Args:
        bars: Bars of one plot.
        tokens: Printed numbers that are neither ticks nor categories.
        orientation: Direction of the values.
        unit: Unit printed at the ticks of the axis, empty where there is none; None without an axis.
    """
    offers: list[tuple[float, int, int]] = []
    for number, token in enumerate(tokens):
        seen = view(token.box, orientation)
        # What is printed in a piece of a stacked bar is of that one alone.
        within = [
            index for index, bar in enumerate(bars) if bar.is_stacked and bar.seen.holds((seen.middle, seen.height))
        ]
        for index in within or range(len(bars)):
            distance = _distance(bars[index], token, orientation)
            if distance is not None:
                offers.append((distance, index, number))
    found: dict[int, Printed] = {}
    used: set[int] = set()
    for _, index, number in sorted(offers):
        if index in found or number in used:
            continue
        printed = read_printed(tokens[number])
        if printed and _measures(printed, unit):
            found[index] = printed
            used.add(number)
    return found


def _measures(printed: Printed, unit: str | None) -> bool:
    """False for a factor or a share at a bar whose axis counts something else: `2.6x` at 1,300 images per second."""
    return unit is None or printed.unit not in _RELATIVE or printed.unit == unit


def _distance(bar: Bar, token: Token, orientation: Orientation) -> float | None:
    """How far a number is from the end of a bar, None where it does not stand at it; inside is farther than beyond."""
    seen = view(token.box, orientation)
    across = abs(seen.middle - bar.seen.middle)
    if across > max(SETTINGS.value_off, 0.5 * min(bar.seen.breadth, token.size) + 1):
        return None
    sign = 1 if bar.end >= bar.start else -1
    near, far = (seen.u0, seen.u1) if sign > 0 else (seen.u1, seen.u0)
    middle = (seen.u0 + seen.u1) / 2
    beyond = (near - bar.end) * sign
    if -0.45 * token.size <= beyond <= SETTINGS.value_reach * token.size and (middle - bar.end) * sign > 0:
        return max(0.0, beyond) + 0.1 * across
    if (middle - bar.start) * sign >= -0.1 * token.size and (bar.end - middle) * sign >= -0.5:
        inside = min(abs(far - bar.end), abs(middle - (bar.start + bar.end) / 2))
        return 2 * token.size + inside + 0.1 * across
    return None


def free_tokens(tokens: Sequence[Token], used: Collection[int]) -> list[Token]:
    """The numbers none of whose words is something else."""
    return [token for token in tokens if not any(id(word) in used for word in token.words)]
