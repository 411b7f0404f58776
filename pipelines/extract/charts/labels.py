"""Printed words with their place: one model for ticks, categories, entries of legends, values at
bars and titles.

What a number among them says is read here; which of them make up an axis belongs in `axis.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from pipelines.extract.charts.geometry import GRID, HALF, Rect, around, mirrored
from pipelines.read.document import runs_of
from pipelines.read.page import Word
from pipelines.values.numbers import FACTOR, read_factor
from pipelines.values.quantity import Quantity
from pipelines.yaml_files import load_yaml

DecimalMark = Literal[".", ","]

# `1,000.5`, `1 000`, `1'000`, `250000`, `.5`, `1e+06`, `$2.5M`, `40%`, `×2`
_NUMBER = re.compile(
    r"(?P<before>[$€£×])?(?P<sign>[-+]?)"
    r"(?P<whole>[1-9]\d{0,2}(?:[,  '’]\d{3})+|\d*)(?:\.(?P<decimals>\d+))?(?:[eE](?P<exponent>[-+]?\d{1,2}))?"
    r"\s?(?P<suffix>[^\d\s.,][^\d]{0,11})?"
)
# `10^3`, `2×10^-1`, `2^8`, as words with a raised exponent are put together
_POWER = re.compile(
    r"(?:(?P<mantissa>-?\d+(?:\.\d+)?)?\s?[×x·⋅*]\s?)?"
    r"(?P<base>10|2)\^(?P<exponent>[-+]?\d{1,2}(?:\.\d{1,2})?)"
)
# Two of the dashes that are printed as a minus sign.
_DASHES = str.maketrans("−–", "--")
_SWAPPED = str.maketrans(".,", ",.")
_MAGNITUDES: dict[str, float] = load_yaml(Path(__file__).with_name("magnitudes.yml"))
# What a number may begin with, where a blank is behind it.
_SIGNS = frozenset({"$", "-", "−", "–", "×", "x"})
# No chart shows more; the squares of such values are still finite.
_LARGEST = 1e100
# A sign of a legend and its text are on one line, at most so many heights apart.
_SIGN_LEVEL, _SIGN_GAP = 0.65, 2.5
# The name of a row of a table is at most so many heights from its numbers.
ROW_GAP = 15.0
# Words of a name are no further apart, in heights of their text.
_NAME_GAP = 0.9


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
        angle: Direction of reading on the sheet in degrees: 0 to the right, 90 upwards, 180 to the
            left, 270 downwards; another one is slanted.
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
        upright = box.width if word.angle in (90, 270) else box.height
        height = word.size if word.angle % 90 else upright
        return cls(word.text, box, height, word.angle, (word,))

    @classmethod
    def of_name(cls, parts: Sequence[Label]) -> Label:
        """Words as one name; some producers print each hyphen as a minus sign."""
        first, *others = parts
        text = first.text.replace("−", "-")
        for before, part in zip(parts, others, strict=False):
            name = part.text.replace("−", "-")
            # A name may be broken before or after its hyphen: `EfficientNet`, `-B4`; `BERT-`,
            # `Base`.
            is_wrapped = name[0] == "-" and part.start < before.end
            is_open = text[-1] == "-" and text[-2:-1].isalnum() and name[0].isalnum()
            text += name if is_wrapped or is_open else f" {name}"
        words = tuple(word for part in parts for word in part.words)
        return first._replace(text=text, box=around(part.box for part in parts), words=words)

    @property
    def start(self) -> float:
        """Where it begins in its direction of reading."""
        return _turned(self.box, self.angle, self.height).x0

    @property
    def end(self) -> float:
        """Where it ends in its direction of reading."""
        return _turned(self.box, self.angle, self.height).x1

    @property
    def level(self) -> float:
        """Where its line is across the direction of reading; lines that follow are at greater
        levels.
        """
        return _turned(Rect(*self.words[0].box), self.words[0].angle, self.height).y

    def whole(self, page: Rect) -> Label | None:
        """The name; None for one that the edge of the page cuts."""
        boxes = [(w.x0, w.top, w.x1 + 0.1 * w.size, w.bottom) for w in self.words]
        return self if all(map(page.holds, boxes)) else None

    def is_of(self, words: Collection[Word]) -> bool:
        """True where any of its words is among others."""
        return any(word in words for word in self.words)

    def is_below(self, other: Label) -> bool:
        """True for a label of the size of another one, above or below it, as those of a scale are."""
        is_alike = abs(self.height - other.height) <= HALF
        is_in_line = self.box.x0 <= other.box.x1 and other.box.x0 <= self.box.x1
        return is_alike and is_in_line and abs(self.box.y - other.box.y) > HALF * self.height

    def is_beside(self, sign: Rect, reach: float = _SIGN_GAP) -> bool:
        """True for a text to the right of a sign or to the left of it, on its line."""
        is_level = self.angle == 0 and abs(self.box.y - sign.y) <= _SIGN_LEVEL * self.height
        return is_level and -1 <= self.gap(sign) <= reach * self.height

    def gap(self, sign: Rect) -> float:
        """How far a level text is from a sign to its left or right."""
        return max(self.box.x0 - sign.x1, sign.x0 - self.box.x1)

    def mirrored(self) -> Label:
        """The label on the mirrored sheet, or back on the page: what reads to the right there reads
        upwards here.
        """
        return self._replace(box=mirrored(self.box), angle=(90 - self.angle) % 360)


def words_of(labels: Iterable[Label | None]) -> set[Word]:
    """The words of labels."""
    return {word for label in labels if label for word in label.words}


def _turned(box: Rect, angle: int, height: float) -> Rect:
    """The box of a text turned such that it is read to the right."""
    turn = math.radians(angle)
    cos, sin = round(math.cos(turn), 9), round(math.sin(turn), 9)
    x, y = box.x * cos - box.y * sin, box.x * sin + box.y * cos
    # The box around a slanted text is longer by the height of the text at both of its ends.
    length = box.width * abs(cos) + box.height * abs(sin) - 2 * height * abs(cos * sin)
    return Rect(x - length / 2, y - height / 2, x + length / 2, y + height / 2)


def parse_label(text: str, mark: DecimalMark = ".") -> LabelValue | None:
    """What a printed number says, or None when it is no single number.

    Args:
        text: The label, such as `2.5M` (2500000, no unit), `40%` (40, `%`), `10^3` (1000, no unit).
        mark: Decimal mark of the axis.
    """
    text = text.strip().translate(_DASHES)
    if power := _POWER.fullmatch(text):
        unit = float(power["base"]) ** float(power["exponent"])
        mantissa = power["mantissa"] or "1"
        step = unit * 10.0 ** -len(mantissa.partition(".")[2])
        return LabelValue(float(mantissa) * unit, "", step)
    match = _NUMBER.fullmatch(text if mark == "." else text.translate(_SWAPPED))
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    whole, decimals = "".join(filter(str.isdigit, match["whole"])), match["decimals"] or ""
    suffix, currency = (match["suffix"] or "").strip(), match["before"] or ""
    unit = 10.0 ** int(match["exponent"] or 0) * _MAGNITUDES.get(suffix, 1.0)
    value = float(f"{match['sign']}{whole}.{decimals}") * unit
    if abs(value) > _LARGEST:
        return None
    name = currency if suffix in _MAGNITUDES else suffix or currency
    return LabelValue(value, name, 10.0 ** -len(decimals) * unit)


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
        half = number.step / 2
        return Quantity(number.value, number.value - half, number.value + half)
    match = FACTOR.fullmatch(text)
    return read_factor(match) if match else None


def phrases(words: Sequence[Label], overlap: float = math.inf) -> list[list[list[Label]]]:
    """Words line by line, each line cut where its words are further apart than blanks are.

    `overlap` is the largest overlap of two words, in heights of the text.
    """

    def is_on_line(line: list[Label], word: Label) -> bool:
        first = line[0]
        return word.angle == first.angle and word.level - first.level < 0.5 * word.height

    def goes_on(phrase: list[Label], word: Label) -> bool:
        return -overlap <= (word.start - phrase[-1].end) / word.height <= _NAME_GAP

    lines = runs_of(sorted(words, key=lambda w: (w.angle, w.level, w.start)), is_on_line)
    return [runs_of(sorted(line, key=lambda w: w.start), goes_on) for line in lines]


def number_labels(words: Sequence[Label]) -> Iterator[Label]:
    """Every printed number on a sheet, words that belong together (`10` and a raised `3`, `2.5 M`)
    put together.
    """
    ordered, used = sorted(words, key=lambda word: (word.angle, word.start)), set[Word]()
    for index, number in enumerate(ordered):
        is_begun = any(map(str.isdigit, number.text)) or number.text in _SIGNS
        if number.is_of(used) or not is_begun:
            continue
        word = number
        for other in islice(ordered, index + 1, None):
            if other.angle != word.angle or other.start > number.end + 0.5 * word.height:
                break
            if not other.is_of(used):
                number = _joined(number, other) or number
        read = parse_label(number.text) or parse_label(number.text, ",")
        if read or parse_multiplier(number.text):
            used.update(number.words)
            yield number


def _joined(number: Label, word: Label) -> Label | None:
    """The number with the word behind it when they are one number, else None."""
    text, size = number.text, number.height
    gap, rise = (word.start - number.end) / size, (number.level - word.level) / size
    joined, plain = None, text + word.text
    if gap < -0.3 or abs(rise) > 1:
        return None
    if word.height <= GRID * size and rise > 0.08:
        # A raised number at another one is no number of its own: an exponent, or the mark of a
        # footnote.
        if "^" in text:
            joined = plain
        elif text[-1].isdigit():
            joined = f"{text}^{word.text}"
    elif abs(rise) <= 0.2 and abs(word.height - size) <= 0.15 * size:
        # A blank between two numbers parts thousands: `1 000`.
        is_parted = text[-1].isdigit() and word.text[0].isdigit()
        both = f"{text} {word.text}" if is_parted else plain
        is_sign = text in ("$", "-", "−", "–") or text[-1] == "×"
        if gap <= 0.35 and parse_label(both):
            joined = both
        elif is_sign or word.text.startswith(("×", "x10")):
            joined = plain
    if joined is None:
        return None
    box, words = around([number.box, word.box]), (*number.words, *word.words)
    # The middle across the line is that of the first characters; an exponent sticks out of it.
    if number.angle in (0, 180):
        box = box._replace(top=number.box.top, bottom=number.box.bottom)
    else:
        box = box._replace(x0=number.box.x0, x1=number.box.x1)
    return number._replace(text=joined, box=box, words=words)
