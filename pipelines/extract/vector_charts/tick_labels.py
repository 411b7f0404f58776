"""Printed numbers that may be tick labels: `1,000`, `2.5M`, `40%`, `10` with a raised `3`, `1e6`, each with its middle.

Which of them make up an axis belongs in `axis.py`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.read.page import Box, Shape, Word

DecimalMark = Literal[".", ","]

_SIGN = r"(?P<sign>[-−–+]?)"
_SUFFIX = r"\s?(?P<suffix>[^\d\s.,][^\d]{0,11})?"
# `1,000.5`, `1 000`, `1'000`, `250000`, `.5`, `1e+06`
_WITH_POINT = re.compile(
    rf"(?P<before>[$€£])?{_SIGN}(?P<before2>[$€£])?"
    rf"(?P<whole>[1-9]\d{{0,2}}(?:[,  '’]\d{{3}})+|\d*)(?:\.(?P<decimals>\d+))?(?:[eE](?P<exponent>[-+−]?\d{{1,3}}))?"
    rf"{_SUFFIX}"
)
# `1.000,5`, `2,5`
_WITH_COMMA = re.compile(
    rf"(?P<before>[$€£])?{_SIGN}(?P<before2>[$€£])?"
    rf"(?P<whole>[1-9]\d{{0,2}}(?:[.  '’]\d{{3}})+|\d*)(?:,(?P<decimals>\d+))?(?:[eE](?P<exponent>[-+−]?\d{{1,3}}))?"
    rf"{_SUFFIX}"
)
# `10^3`, `2×10^-1`, `2^8`, as words with a raised exponent are put together
_POWER = re.compile(
    r"(?:(?P<sign>[-−–]?)(?P<mantissa>\d+(?:\.\d+)?)?\s?[×x·⋅*]\s?)?"
    r"(?P<base>10|2)\^(?P<exponent>[-−+–]?\d{1,3}(?:\.\d{1,2})?)"
)
# `1e6`, `×10^6`, `x1000`: a factor at the end of an axis that all its labels are multiplied with
_MULTIPLIER = re.compile(r"[×x·*]?\s?(?:1[eE](?P<exponent>[-+−]?\d{1,2})|10\^(?P<power>[-+−]?\d{1,2}))")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED = re.compile(r"(?<=10)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+$")
_MAGNITUDES = {
    "k": 1e3, "K": 1e3, "M": 1e6, "m": 1e-3, "mn": 1e6, "Mn": 1e6, "B": 1e9, "b": 1e9, "bn": 1e9, "Bn": 1e9,
    "G": 1e9, "T": 1e12, "P": 1e15, "µ": 1e-6, "μ": 1e-6, "n": 1e-9,
}  # fmt: skip
_MAX_EXPONENT = 2


@dataclass(frozen=True, slots=True)
class Token:
    """Words that together are one printed number.

    Attributes:
        text: As printed; a raised exponent stands behind `^`.
        box: Box around its words.
        size: Height of its characters in points.
        angle: Direction of reading.
        words: The words themselves.
    """

    text: str
    box: Box
    size: float
    angle: int
    words: tuple[Word, ...]


def parse_label(text: str, mark: DecimalMark = ".") -> tuple[float, str] | None:
    """Value and unit of a tick label, or None when it is no single number.

    Args:
        text: The label, such as `2.5M` (2500000, no unit), `40%` (40, `%`), `10^3` (1000, no unit).
        mark: Decimal mark of the axis.
    """
    text = _RAISED.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text.strip())
    if power := _POWER.fullmatch(text):
        mantissa = float(power["mantissa"] or 1) * (-1 if power["sign"] else 1)
        return mantissa * float(power["base"]) ** _number(power["exponent"]), ""
    match = (_WITH_POINT if mark == "." else _WITH_COMMA).fullmatch(text)
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    whole = re.sub(r"\D", "", match["whole"])
    value = float(f"{whole or 0}.{match['decimals'] or 0}") * 10.0 ** _number(match["exponent"] or "0")
    if match["sign"] in ("-", "−", "–"):
        value = -value
    suffix = (match["suffix"] or "").strip()
    currency = match["before"] or match["before2"] or ""
    if suffix in _MAGNITUDES:
        return value * _MAGNITUDES[suffix], currency
    return value, suffix or currency


def parse_multiplier(text: str) -> float | None:
    """The factor that stands once at the end of an axis (`1e6`), or None."""
    match = _MULTIPLIER.fullmatch(text.strip())
    return 10.0 ** _number(match["exponent"] or match["power"]) if match else None


def _number(printed: str) -> float:
    return float(printed.replace("−", "-").replace("–", "-"))


def number_tokens(words: Sequence[Word], shapes: Sequence[Shape] = ()) -> list[Token]:
    """Every printed number on the page, words that belong together (`10` and a raised `3`, `2.5 M`) put together.

    Args:
        words: Words of the page.
        shapes: What is drawn there: matplotlib draws the minus of some fonts as a small bar.
    """
    tokens: list[Token] = []
    by_angle: dict[int, list[Word]] = {}
    bars = [s.box for s in shapes if s.fill and not s.stroke and s.kind != "shading" and _may_be_minus(s.box)]
    printed: dict[int, Word] = {}
    for word in words:
        bar = next((box for box in bars if _is_minus(box, word)), None) if word.text[:1].isdigit() else None
        signed = replace(word, text=f"−{word.text}", x0=bar[0]) if bar else word
        printed[id(signed)] = word
        by_angle.setdefault(word.angle, []).append(signed)
    for group in by_angle.values():
        ordered = sorted(group, key=start_of)
        starts = [start_of(word) for word in ordered]
        used: set[int] = set()
        for index, word in enumerate(ordered):
            if index in used or not _may_begin(word.text):
                continue
            tokens += _read_from(index, ordered, starts, used)
    return [replace(token, words=tuple(printed[id(word)] for word in token.words)) for token in tokens]


def _may_be_minus(box: Box) -> bool:
    return 1.5 <= box[2] - box[0] <= 12 and 0 < box[3] - box[1] <= 0.25 * (box[2] - box[0])


def _is_minus(box: Box, word: Word) -> bool:
    """True for a bar as broad as a letter, right before a number, a little below the middle of its characters."""
    size = word.bottom - word.top
    level = 0.1 * size < word.bottom - (box[1] + box[3]) / 2 < 0.9 * size
    return (
        word.angle == 0
        and level
        and -0.05 * size <= word.x0 - box[2] <= 0.25 * size
        and 0.4 * size <= box[2] - box[0] <= size
    )


def _read_from(index: int, ordered: Sequence[Word], starts: Sequence[float], used: set[int]) -> list[Token]:
    """The number that begins at a word, with the words behind it that belong to it; none or one."""
    places, text = [index], ordered[index].text
    while True:
        last, size = ordered[places[-1]], height_of(ordered[index])
        low, high = bisect_left(starts, end_of(last) - 0.3 * size), bisect_right(starts, end_of(last) + 0.5 * size)
        for place in range(low, high):
            free = place not in used and place not in places
            joined = _join(text, ordered[index], last, ordered[place]) if free else None
            if joined is not None:
                places.append(place)
                text = joined
                break
        else:
            break
    if parse_label(text) is not None or parse_label(text, ",") is not None or parse_multiplier(text) is not None:
        # What makes no number together is free for other numbers.
        used.update(places[1:])
        return [_token(text, [ordered[place] for place in places])]
    alone = ordered[index].text
    return [_token(alone, [ordered[index]])] if len(places) > 1 and parse_label(alone) is not None else []


def _may_begin(text: str) -> bool:
    return any(character.isdigit() for character in text) or text in ("$", "-", "−", "–", "×", "x")


def _token(text: str, group: Sequence[Word]) -> Token:
    boxes = [word.box for word in group]
    box = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
    raised = len(group) > 1 and "^" in text
    if raised:
        # The middle across the lines is that of the characters on the line; the exponent sticks out of it.
        first = group[0]
        box = (
            (box[0], first.top, box[2], first.bottom)
            if first.angle in (0, 180)
            else (first.x0, *box[1:2], first.x1, box[3])
        )
    return Token(text, box, height_of(group[0]), group[0].angle, tuple(group))


def height_of(word: Word) -> float:
    """How high its characters are."""
    return word.x1 - word.x0 if word.angle in (90, 270) else word.bottom - word.top


def start_of(word: Word) -> float:
    """Where a word begins in its direction of reading."""
    return -word.bottom if word.angle == 90 else word.top if word.angle == 270 else word.x0


def end_of(word: Word) -> float:
    """Where it ends in its direction of reading."""
    return -word.top if word.angle == 90 else word.bottom if word.angle == 270 else word.x1


def _join(text: str, first: Word, last: Word, following: Word) -> str | None:
    """The text of both when they are one number, else None."""
    size, height = height_of(first), height_of(following)
    gap, rise = start_of(following) - end_of(last), _rise(first, following)
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


def _rise(first: Word, following: Word) -> float:
    """How much the middle of a word is raised above that of the first."""
    if first.angle == 90:
        return (first.x0 + first.x1) / 2 - (following.x0 + following.x1) / 2
    if first.angle == 270:
        return (following.x0 + following.x1) / 2 - (first.x0 + first.x1) / 2
    return (first.top + first.bottom) / 2 - (following.top + following.bottom) / 2
