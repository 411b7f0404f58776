"""Names with a letter where a digit belongs: `2x DGX A1OO`, `ImageNet2O12`. Numbers are for `damaged.py`."""

from __future__ import annotations

import string

from pipelines.read.document import Cell
from pipelines.vocabulary.lookup import Kind, find

# A longer text is a sentence, and every letter beside a digit would be tried.
_MAX_LENGTH = 60


def is_misprinted(text: str, kind: Kind) -> bool:
    """True for a name that no vocabulary knows, but with a digit in place of one of its letters."""
    text = " ".join(text.split())
    if len(text) > _MAX_LENGTH or find(kind, text):
        return False
    places = [place for place, letter in enumerate(text) if letter.isalpha() and _stands_at_digit(text, place)]
    return any(find(kind, text[:place] + digit + text[place + 1 :]) for place in places for digit in string.digits)


def misprinted_names(parts: tuple[Cell, ...], kind: Kind) -> list[tuple[Cell, str]]:
    """The parts of a line, or words of them, that are such names, with the reason."""
    found = []
    for part in parts:
        start = 0
        for word in part.text.split(" "):
            cell = part.part(start, start + len(word))
            if any(map(str.isdigit, word)) and is_misprinted(word, kind):
                found.append((cell, f"{word!r} looks like a known name with a letter in place of a digit"))
            start += len(word) + 1
    return found


def _stands_at_digit(text: str, place: int) -> bool:
    return any(letter.isdigit() for letter in (text[max(0, place - 1) : place] + text[place + 1 : place + 2]))
