"""Characters to words, by their places. Lines and columns belong in `layout/`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pipelines.read.document import runs_of
from pipelines.read.page import Box, Colour, Word

# Parts of the font size. A blank is a quarter wide; letters of one word are set wider or closer by
# less than a seventh.
_GAP = 0.15
_OVERLAP = 0.4
# Letters of one word are on one line; a raised note mark is not.
_SHIFT = 0.1
# The same letter again, this near, is a shadow or bold type made by printing twice.
_SHADOW = 0.12
# `ABCDEF+Arial`
_SUBSET = 6
_LIGATURES = frozenset("\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06")

_Seen = dict[tuple[str, int, int], tuple[float, float]]


class Char(NamedTuple):
    """One printed character.

    `start`, `end` count in its direction of reading, `base` is its line across that direction; both
    grow to the right and downwards for upright text, and are those of the turned page for any
    other.
    """

    text: str
    angle: int
    start: float
    end: float
    base: float
    size: float
    box: Box
    font: str
    colour: Colour | None


def join_chars(chars: Iterable[Char]) -> list[Word]:
    """The words of a page in the order in which they are painted; blanks and shadows are left out."""
    seen: _Seen = {}
    kept = (char for char in chars if not char.text.strip() or not _is_shadow(char, seen))
    runs = runs_of(kept, lambda word, char: _goes_on(word[-1], char))
    return [_word(run) for run in runs if run[0].text.strip()]


def _goes_on(last: Char, char: Char) -> bool:
    # White space, and the no-break space too, parts words.
    if not last.text.strip() or not char.text.strip():
        return False
    size = max(last.size, char.size)
    return (
        last.angle == char.angle
        and abs(last.base - char.base) <= _SHIFT * size
        and -_OVERLAP * size <= char.start - last.end <= _GAP * size
        and char.start >= last.start
        and min(last.size, char.size) > 0.7 * size
    )


def _is_shadow(char: Char, seen: _Seen) -> bool:
    """True for a character that is printed at this place already; else the place is remembered."""
    reach = max(_SHADOW * char.size, 0.01)
    column, row = round(char.start / reach), round(char.base / reach)
    for near in ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
        place = seen.get((char.text, *near))
        if place and abs(place[0] - char.start) < reach and abs(place[1] - char.base) < reach:
            return True
    seen[char.text, column, row] = char.start, char.base
    return False


def _word(chars: Sequence[Char]) -> Word:
    first = chars[0]
    # The minus sign of Computer Modern is in a font that is twice as high as that of the digits.
    body = [char for char in chars if char.text.isalnum()] or chars
    text, starts = "", []
    for char in chars:
        # One ligature may be two letters; they share its width.
        letters = unicodedata.normalize("NFKC", char.text) if char.text in _LIGATURES else char.text
        width = (char.end - char.start) / len(letters)
        starts += [char.start + width * index for index in range(len(letters))]
        text += letters
    edges = [*starts, chars[-1].end]
    if first.angle in (90, 180):
        edges = [-edge for edge in edges]
    font = first.font[_SUBSET + 1 :] if first.font[_SUBSET : _SUBSET + 1] == "+" else first.font
    return Word(
        text=text,
        x0=min(char.box[0] for char in chars),
        top=min(char.box[1] for char in (chars if first.angle else body)),
        x1=max(char.box[2] for char in chars),
        bottom=max(char.box[3] for char in (chars if first.angle else body)),
        size=round(body[0].size, 3),
        font=font,
        colour=first.colour,
        angle=first.angle,
        edges=tuple(round(edge, 3) for edge in edges),
    )
