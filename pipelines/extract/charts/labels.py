"""Printed words with their place: one model for ticks, categories, entries of legends, values at
bars and titles.

What a number among them says is read here; which of them make up an axis belongs in `axis.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from pipelines.extract.charts.geometry import Rect, around, grouped, mirrored
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Word
from pipelines.values.numbers import FACTOR, read_factor
from pipelines.values.quantity import Quantity

DecimalMark = Literal[".", ","]

# `1,000.5`, `1 000`, `1'000`, `250000`, `.5`, `1e+06`, `$2.5M`, `40%`, `×2`
_NUMBER = re.compile(
    r"(?P<before>[$€£×])?(?P<sign>[-−–+]?)(?P<before2>[$€£])?"
    r"(?P<whole>[1-9]\d{0,2}(?:[,  '’]\d{3})+|\d*)(?:\.(?P<decimals>\d+))?(?:[eE](?P<exponent>[-+−]?\d{1,2}))?"
    r"\s?(?P<suffix>[^\d\s.,][^\d]{0,11})?"
)
# `10^3`, `2×10^-1`, `2^8`, as words with a raised exponent are put together
_POWER = re.compile(
    r"(?:(?P<sign>[-−–]?)(?P<mantissa>\d+(?:\.\d+)?)?\s?[×x·⋅*]\s?)?"
    r"(?P<base>10|2)\^(?P<exponent>[-−+–]?\d{1,2}(?:\.\d{1,2})?)"
)
_SWAPPED = str.maketrans(".,", ",.")
_MAGNITUDES = {
    "k": 1e3, "K": 1e3, "M": 1e6, "m": 1e-3, "mn": 1e6, "Mn": 1e6, "B": 1e9, "b": 1e9, "bn": 1e9, "Bn": 1e9,
    "G": 1e9, "T": 1e12, "P": 1e15, "µ": 1e-6, "μ": 1e-6, "n": 1e-9,
}  # fmt: skip
# What a number may begin with, where a blank is behind it.
_SIGNS = frozenset({"$", "-", "−", "–", "×", "x"})
# No chart shows more; the squares of such values are still finite.
_LARGEST = 1e100


class LabelValue(NamedTuple):
    """What a printed number says: its value, its unit, and what one more in its last digit adds
    (100000 for `2.5M`).
    """

    value: float
    unit: str
    step: float


class Label(NamedTuple):
    """Words that are read together.

    Attributes:
        text: As printed; a raised exponent is behind `^`.
        box: Their place on the sheet.
        height: Height of their characters in points.
        angle: Direction of reading on the sheet: 0 to the right, 90 upwards, 180 to the left, 270
            downwards.
        words: The words as the page has them, however the sheet is mirrored.
    """

    text: str
    box: Rect
    height: float
    angle: int
    words: tuple[Word, ...]

    @classmethod
    def of_word(cls, word: Word) -> Label:
        """One word of a page that is not mirrored."""
        box = Rect(*word.box)
        return cls(
            word.text,
            box,
            box.width if word.angle in (90, 270) else box.height,
            word.angle,
            (word,),
        )

    @classmethod
    def of_name(cls, parts: Sequence[Label]) -> Label:
        """Words as one name; some producers print each hyphen as a minus sign."""
        text, before = "", None
        for part in parts:
            name = part.text.replace("−", "-")
            # A name may be broken before or after its hyphen: `EfficientNet`, `-B4`; `BERT-`,
            # `Base`.
            is_wrapped = before is not None and name[0] == "-" and part.start < before.end
            is_open = len(text) > 1 and text[-1] == "-" and text[-2].isalnum() and name[0].isalnum()
            text += name if before is None or is_wrapped or is_open else f" {name}"
            before = part
        words = tuple(word for part in parts for word in part.words)
        return parts[0]._replace(text=text, box=around([part.box for part in parts]), words=words)

    @property
    def start(self) -> float:
        """Where it begins in its direction of reading."""
        return {90: -self.box.bottom, 180: -self.box.x1, 270: self.box.top}.get(
            self.angle, self.box.x0
        )

    @property
    def end(self) -> float:
        """Where it ends in its direction of reading."""
        return {90: -self.box.top, 180: -self.box.x0, 270: self.box.bottom}.get(
            self.angle, self.box.x1
        )

    @property
    def level(self) -> float:
        """Where its line is across the direction of reading; lines that follow are at greater
        levels.
        """
        word = Rect(*self.words[0].box)
        return {90: word.x, 180: -word.y, 270: -word.x}.get(self.words[0].angle, word.y)

    def is_whole(self, page: Rect) -> bool:
        """False for a name that the edge of the page cuts, or of which a word lies over another
        one.
        """
        over = any(
            right.x0 < left.x1 - 0.2 * self.height and abs(right.top - left.top) < 0.5 * self.height
            for left, right in pairwise(self.words)
        )
        return not over and all(
            page.holds_box((*w.box[:2], w.x1 + 0.1 * w.size, w.bottom)) for w in self.words
        )

    def is_of(self, words: Collection[Word]) -> bool:
        """True where any of its words is among others."""
        return any(word in words for word in self.words)

    def is_beside(self, sign: Rect) -> bool:
        """True for a text to the right of a sign or to the left of it, on its line."""
        is_level = self.angle == 0 and abs(self.box.y - sign.y) <= SETTINGS.sign_level * self.height
        return is_level and -1 <= self.gap(sign) <= SETTINGS.sign_gap * self.height

    def gap(self, sign: Rect) -> float:
        """How far a level text is from a sign to its left or right."""
        return max(self.box.x0 - sign.x1, sign.x0 - self.box.x1)

    def mirrored(self) -> Label:
        """The label on the mirrored sheet, or back on the page: what reads to the right there reads
        upwards here.
        """
        return self._replace(
            box=mirrored(self.box), angle={0: 90, 90: 0, 180: 270}.get(self.angle, 180)
        )


def parse_label(text: str, mark: DecimalMark = ".") -> LabelValue | None:
    """What a printed number says, or None when it is no single number.

    Args:
        text: The label, such as `2.5M` (2500000, no unit), `40%` (40, `%`), `10^3` (1000, no unit).
        mark: Decimal mark of the axis.
    """
    text = text.strip()
    if power := _POWER.fullmatch(text):
        mantissa = float(power["mantissa"] or 1) * (-1 if power["sign"] else 1)
        unit = float(power["base"]) ** _plain(power["exponent"])
        return LabelValue(
            mantissa * unit, "", unit * 10.0 ** -len((power["mantissa"] or "").partition(".")[2])
        )
    match = _NUMBER.fullmatch(text if mark == "." else text.translate(_SWAPPED))
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    whole = "".join(filter(str.isdigit, match["whole"]))
    suffix, currency = (match["suffix"] or "").strip(), match["before"] or match["before2"] or ""
    unit = 10.0 ** _plain(match["exponent"] or "0") * _MAGNITUDES.get(suffix, 1.0)
    value = (
        float(f"{whole or 0}.{match['decimals'] or 0}")
        * unit
        * (-1 if match["sign"] in ("-", "−", "–") else 1)
    )
    step = 10.0 ** -len(match["decimals"] or "") * unit
    if abs(value) > _LARGEST:
        return None
    return LabelValue(value, currency if suffix in _MAGNITUDES else suffix or currency, step)


def parse_multiplier(text: str) -> float | None:
    """The factor once at the end of an axis that all its labels are multiplied with: `1e6`,
    `×10^6`; else None.
    """
    plain = text.strip().lstrip("×x·* ")
    parsed = parse_label(plain) if plain.lower().startswith(("10^", "1e")) else None
    return parsed.value if parsed and not parsed.unit else None


def read_label(text: str) -> Quantity | None:
    """What printed characters at a bar say: a value (`581`, `2.5M`), or a factor (`>60x`)."""
    if number := parse_label(text):
        return Quantity(
            number.value, number.value - number.step / 2, number.value + number.step / 2
        )
    match = FACTOR.fullmatch(text)
    return read_factor(match) if match else None


def _plain(printed: str) -> float:
    return float(printed.replace("−", "-").replace("–", "-"))


def phrases(words: Sequence[Label], overlap: float = math.inf) -> list[list[list[Label]]]:
    """Words of one direction line by line, each line cut where its words are further apart than
    blanks are.

    `overlap` is the largest overlap of two words, in heights of the text.
    """
    ordered = sorted(words, key=lambda w: (w.level, w.start))
    lines = grouped(ordered, lambda line, word: word.level - line[0].level < 0.5 * word.height, 1)
    return [
        grouped(
            sorted(line, key=lambda w: w.start),
            lambda phrase, word: -overlap <= (word.start - phrase[-1].end) / word.height <= SETTINGS.name_gap, 1,
        )
        for line in lines
    ]  # fmt: skip


def number_labels(words: Sequence[Label]) -> tuple[Label, ...]:
    """Every printed number on a sheet, words that belong together (`10` and a raised `3`, `2.5 M`)
    put together.
    """
    found: list[Label] = []
    ordered, used = sorted(words, key=lambda word: (word.angle, word.start)), set[int]()
    for index, word in enumerate(ordered):
        if index in used or not (any(map(str.isdigit, word.text)) or word.text in _SIGNS):
            continue
        number, parts = word, {index}
        for place in range(index + 1, len(ordered)):
            other = ordered[place]
            if other.angle != word.angle or other.start > number.end + 0.5 * word.height:
                break
            if place not in used and (both := _joined(number, other)):
                number, parts = both, {*parts, place}
        if (
            parse_label(number.text)
            or parse_label(number.text, ",")
            or parse_multiplier(number.text)
        ):
            used |= parts
            found.append(number)
    return tuple(found)


def _joined(number: Label, word: Label) -> Label | None:
    """The number with the word behind it when they are one number, else None."""
    text, size = number.text, number.height
    gap, rise = (word.start - number.end) / size, (number.level - word.level) / size
    if gap < -0.3 or abs(rise) > 1:
        return None
    joined = None
    if word.height <= SETTINGS.grid * size and rise > 0.08:
        # A raised number at another one is no number of its own: an exponent, or the mark of a
        # footnote.
        joined = (
            text + word.text
            if "^" in text
            else f"{text}^{word.text}"
            if text[-1:].isdigit()
            else None
        )
    elif abs(rise) <= 0.2 and abs(word.height - size) <= 0.15 * size:
        if gap <= 0.35:
            # A blank between two numbers parts thousands: `1 000`.
            both = (
                f"{text} {word.text}"
                if text[-1:].isdigit() and word.text[:1].isdigit()
                else text + word.text
            )
            joined = both if parse_label(both) else None
        if text in ("$", "-", "−", "–") or word.text.startswith(("×", "x10")) or text.endswith("×"):
            joined = joined or text + word.text
    if joined is None:
        return None
    whole, line = around([number.box, word.box]), number.box
    # The middle across the line is that of the first characters; an exponent sticks out of it.
    is_level = number.angle in (0, 180)
    box = (
        whole._replace(top=line.top, bottom=line.bottom)
        if is_level
        else whole._replace(x0=line.x0, x1=line.x1)
    )
    return number._replace(text=joined, box=box, words=(*number.words, *word.words))
