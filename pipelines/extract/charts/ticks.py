"""Printed numbers of a page: `1,000`, `2.5M`, `40%`, `10` with a raised `3`, `1e6`, each with its place.

Which of them make up an axis belongs in `axis.py`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pipelines.extract.charts.geometry import Rect, around_boxes
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Word
from pipelines.values.numbers import FACTOR, read_factor
from pipelines.values.quantity import Quantity

DecimalMark = Literal[".", ","]

# `1,000.5`, `1 000`, `1'000`, `250000`, `.5`, `1e+06`, `$2.5M`, `40%`
_NUMBER = re.compile(
    r"(?P<before>[$€£])?(?P<sign>[-−–+]?)(?P<before2>[$€£])?"
    r"(?P<whole>[1-9]\d{0,2}(?:[,  '’]\d{3})+|\d*)(?:\.(?P<decimals>\d+))?(?:[eE](?P<exponent>[-+−]?\d{1,3}))?"
    r"\s?(?P<suffix>[^\d\s.,][^\d]{0,11})?"
)
# `10^3`, `2×10^-1`, `2^8`, as words with a raised exponent are put together
_POWER = re.compile(
    r"(?:(?P<sign>[-−–]?)(?P<mantissa>\d+(?:\.\d+)?)?\s?[×x·⋅*]\s?)?"
    r"(?P<base>10|2)\^(?P<exponent>[-−+–]?\d{1,3}(?:\.\d{1,2})?)"
)
_SWAPPED = str.maketrans(".,", ",.")
_SUPERSCRIPTS = tuple("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_RAISED = str.maketrans("".join(_SUPERSCRIPTS), "0123456789-+")
_MAGNITUDES = {
    "k": 1e3, "K": 1e3, "M": 1e6, "m": 1e-3, "mn": 1e6, "Mn": 1e6, "B": 1e9, "b": 1e9, "bn": 1e9, "Bn": 1e9,
    "G": 1e9, "T": 1e12, "P": 1e15, "µ": 1e-6, "μ": 1e-6, "n": 1e-9,
}  # fmt: skip
_MAX_EXPONENT = 2


@dataclass(frozen=True, slots=True)
class NumberToken:
    """Words that together are one printed number.

    Attributes:
        text: As printed; a raised exponent is behind `^`.
        box: Box around its words.
        size: Height of its characters in points.
        angle: Direction of reading.
        words: The words themselves.
        number: Its place among the numbers of the page.
    """

    text: str
    box: Rect
    size: float
    angle: int
    words: tuple[Word, ...]
    number: int = 0


def parse_label(text: str, mark: DecimalMark = ".") -> tuple[float, str] | None:
    """Value and unit of a tick label, or None when it is no single number.

    Args:
        text: The label, such as `2.5M` (2500000, no unit), `40%` (40, `%`), `10^3` (1000, no unit).
        mark: Decimal mark of the axis.
    """
    parsed = _parsed(text, mark)
    return parsed[:2] if parsed else None


def read_number(text: str) -> tuple[float, float, float] | None:
    """Value, least and greatest value of a printed number; None for what is no single number."""
    parsed = _parsed(text, ".")
    return (parsed[0], parsed[0] - parsed[2] / 2, parsed[0] + parsed[2] / 2) if parsed else None


def _parsed(text: str, mark: DecimalMark) -> tuple[float, str, float] | None:
    """Value, unit, and what one more in the last printed digit adds: 0.1 for `2.6x`, 100000 for `2.5M`."""
    text = text.strip()
    if text[:2] == "10" and text[2:3] in _SUPERSCRIPTS:
        text = f"10^{text[2:].translate(_RAISED)}"
    if power := _POWER.fullmatch(text):
        mantissa = float(power["mantissa"] or 1) * (-1 if power["sign"] else 1)
        unit = float(power["base"]) ** _plain(power["exponent"])
        return mantissa * unit, "", unit * 10.0 ** -len((power["mantissa"] or "").partition(".")[2])
    match = _NUMBER.fullmatch(text if mark == "." else text.translate(_SWAPPED))
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    whole = "".join(filter(str.isdigit, match["whole"]))
    suffix, currency = (match["suffix"] or "").strip(), match["before"] or match["before2"] or ""
    unit = 10.0 ** _plain(match["exponent"] or "0") * _MAGNITUDES.get(suffix, 1.0)
    value = float(f"{whole or 0}.{match['decimals'] or 0}") * unit * (-1 if match["sign"] in ("-", "−", "–") else 1)
    step = 10.0 ** -len(match["decimals"] or "") * unit
    return value, currency if suffix in _MAGNITUDES else suffix or currency, step


def parse_multiplier(text: str) -> float | None:
    """The factor once at the end of an axis that all its labels are multiplied with: `1e6`, `×10^6`; else None."""
    plain = text.strip().lstrip("×x·* ")
    if plain[:3] != "10^" and plain[:2] not in ("1e", "1E"):
        return None
    parsed = parse_label(plain)
    return parsed[0] if parsed and not parsed[1] else None


def read_label(text: str) -> Iterator[Quantity]:
    """What printed characters may say: a value at a bar (`581`, `2.5M`), a factor (`>60x`)."""
    if number := read_number(text):
        yield Quantity(*number)
    match = FACTOR.fullmatch(text)
    if match and (factor := read_factor(match)):
        yield factor


def _plain(printed: str) -> float:
    return float(printed.replace("−", "-").replace("–", "-"))


def number_tokens(words: Sequence[Word]) -> list[NumberToken]:
    """Every printed number on the page, words that belong together (`10` and a raised `3`, `2.5 M`) put together."""
    tokens: list[NumberToken] = []
    for angle in dict.fromkeys(word.angle for word in words):
        ordered = sorted((word for word in words if word.angle == angle), key=start_of)
        starts = [start_of(word) for word in ordered]
        used: set[int] = set()
        for index, word in enumerate(ordered):
            is_number = any(c.isdigit() for c in word.text) or word.text in ("$", "-", "−", "–", "×", "x")
            if index not in used and is_number:
                tokens += _tokens_from(index, ordered, starts, used, len(tokens))
    return tokens


def _tokens_from(
    index: int, ordered: Sequence[Word], starts: Sequence[float], used: set[int], number: int
) -> list[NumberToken]:
    """The number that begins at a word, with the words behind it that belong to it; none or one."""
    group, text = [index], ordered[index].text
    size = height_of(ordered[index])
    while True:
        end = end_of(ordered[group[-1]])
        near = range(bisect_left(starts, end - 0.3 * size), bisect_right(starts, end + 0.5 * size))
        joined = (
            (place, both) for place in near if place not in used and place not in group
            and (both := _join(text, ordered[index], ordered[group[-1]], ordered[place])) is not None
        )  # fmt: skip
        if (following := next(joined, None)) is None:
            break
        group.append(following[0])
        text = following[1]
    if parse_label(text) is None and parse_label(text, ",") is None and parse_multiplier(text) is None:
        # What makes no number together is free for other numbers.
        group, text = group[:1], ordered[index].text
        if parse_label(text) is None:
            return []
    used.update(group[1:])
    words = tuple(ordered[place] for place in group)
    box, first = around_boxes(word.box for word in words), words[0]
    if "^" in text and len(words) > 1:
        # The middle across the line is that of its characters; the exponent sticks out of it.
        box = Rect(box.x0, first.top, box.x1, first.bottom) if first.angle in (0, 180) else (
            Rect(first.x0, box.top, first.x1, box.bottom)
        )  # fmt: skip
    return [NumberToken(text, box, size, first.angle, words, number)]


def height_of(word: Word) -> float:
    """How high its characters are."""
    return word.x1 - word.x0 if word.angle in (90, 270) else word.bottom - word.top


def start_of(word: Word) -> float:
    """Where a word begins in its direction of reading."""
    return {90: -word.bottom, 180: -word.x1, 270: word.top}.get(word.angle, word.x0)


def end_of(word: Word) -> float:
    """Where it ends in its direction of reading."""
    return {90: -word.top, 180: -word.x0, 270: word.bottom}.get(word.angle, word.x1)


def level_of(word: Word) -> float:
    """Where its line is across the direction of reading; lines that follow are at greater levels."""
    x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
    return {90: x, 180: -y, 270: -x}.get(word.angle, y)


def _join(text: str, first: Word, last: Word, following: Word) -> str | None:
    """The text of both when they are one number, else None."""
    size, height = height_of(first), height_of(following)
    gap, rise = start_of(following) - end_of(last), level_of(first) - level_of(following)
    if abs(rise) > size:
        return None
    # An exponent in letters of the same size is short; what is longer is the label of a taller neighbour.
    is_short = len(following.text) <= _MAX_EXPONENT and 0.2 * size < rise < 0.7 * size and gap < 0.15 * size
    if (height <= SETTINGS.raised_size * size and rise > 0.08 * size) or is_short:
        if "^" in text:
            return text + following.text
        # A raised number at another one is no number of its own: an exponent, or the mark of a footnote.
        return f"{text}^{following.text}" if text[-1:].isdigit() else None
    if abs(rise) > 0.2 * size or abs(height - size) > 0.15 * size:
        return None
    for joined in (text + following.text, f"{text} {following.text}"):
        if gap <= 0.35 * size and parse_label(joined) is not None:
            return joined
    is_open = text in ("$", "-", "−", "–") or following.text.startswith(("×", "x10")) or text.endswith("×")
    return text + following.text if is_open else None
