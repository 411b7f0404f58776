"""Names with one character that was printed otherwise, or without their ends: what other cells and vocabularies tell.

A name that no vocabulary knows is let in as printed; one that is plainly another name's misprint is not.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from pipelines.vocabulary.asked import remembered
from pipelines.vocabulary.printed_names import read_model, read_platform

# Letters that stand in the place of a digit where characters were recognised from a picture, or typed beside it.
_LIKE_DIGITS = frozenset("OoDlIiSsGbZzBx")
# A shorter name is many names' beginning.
_MIN_CUT = 2
_READ: dict[str, Callable[[str], bool]] = {
    "model": lambda text: read_model(text).entry is not None,
    "platform": lambda text: read_platform(text).entry is not None,
}


def is_known_name(column: str, text: str) -> bool:
    """True for a known model or platform in its column."""
    return column in _READ and _READ[column](text)


@remembered(maxsize=4096)
def misprinted_name(column: str, text: str) -> str | None:
    """The known model or platform that an unknown name is, but for a letter in place of one digit, or None.

    `MI3O0X` is `MI300X`; `A10G` is known itself.
    """
    if is_known_name(column, text):
        return None
    return next((other for other in _with_digits(text) if is_known_name(column, other)), None)


def _with_digits(text: str) -> Iterator[str]:
    for place, character in enumerate(text):
        beside = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
        # `O` alone is a word of its own, and so is each letter among letters.
        if character in _LIKE_DIGITS and not any(map(str.isalpha, beside[:1])):
            yield from (text[:place] + digit + text[place + 1 :] for digit in string.digits)


def cut_short(column: str, texts: Sequence[str]) -> dict[str, str]:
    """Cells of a column that are another of its cells without its end, each with that one: `H100-SX`, `Mi`.

    Only what breaks off within a word, stands there once, and is no known name itself.
    """
    times = Counter(texts)
    ordered = sorted(times)
    found: dict[str, str] = {}
    for place, text in enumerate(ordered):
        # Texts that begin with this one stand right behind it.
        wholes = list(takewhile(lambda other: other.startswith(text), islice(ordered, place + 1, None)))  # noqa: B023
        is_name = times[text] > 1 or len(text) < _MIN_CUT or not any(map(str.isalpha, text))
        if not wholes or is_name or is_known_name(column, text):
            continue
        sure = (other for other in wholes if is_known_name(column, other) or (column not in _READ and times[other] > 1))
        if whole := next((other for other in sure if _breaks_off(other, len(text))), None):
            found[text] = whole
    return found


def _breaks_off(whole: str, end: int) -> bool:
    """True where a text is cut behind a mark that goes on, or between two letters of one word."""
    last, following = whole[end - 1], whole[end]
    if not last.isalnum():
        return not last.isspace() and last not in ")]%"
    return last.isalpha() and following.isalpha() and not (last.islower() and following.isupper())
