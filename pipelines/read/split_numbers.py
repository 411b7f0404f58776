"""Numbers whose digits come from several inline elements: `1200<a href="#note">1</a>` is no 12001.

The styles of a page alone say how such a number looks, so its digits are masked: `\u278a\u278b` is
no number for any reader, and what is printed keeps its place. Readers put `BOUNDARY` where an
inline element begins or ends. Raised digits, the marks of notes, are written as such.
"""

from __future__ import annotations

import re

import re2

# Invisible, and not printed by any page of results
BOUNDARY = "\u2063"
# Elements that change the type and nothing else, unless they have attributes
TYPOGRAPHIC = frozenset({"b", "i", "em", "strong", "wbr"})
_DIGITS = "0123456789"
# Negative circled digits, which no vocabulary, pattern or normal form takes for digits
MASKED_DIGITS = "\U0001f10c\u278a\u278b\u278c\u278d\u278e\u278f\u2790\u2791\u2792"
_MASK = str.maketrans(_DIGITS, MASKED_DIGITS)
_UNMASK = str.maketrans(MASKED_DIGITS, _DIGITS)
# A boundary, a soft hyphen, a character of no width
_INVISIBLE = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_SIGNS = f"0-9.,:'\u2019\u00b9\u00b2\u00b3\u2070\u2074-\u2079{_INVISIBLE}"
_EXPONENT = "(?:[eE][+-]?)?"
# `1200|1`, `1,|200`, `1\u00b2|8`, `1.5|e3`, with a boundary in the place of the bar
_SPLIT = re2.compile(f"[0-9][{_SIGNS}]*{_EXPONENT}[{_INVISIBLE}]{_EXPONENT}[{_SIGNS}]*[0-9]")

# `<sup>1</sup>`, `<sup>[2]</sup>`, `<sup>(3, 4)</sup>`, `<sup>a</sup>`: the mark of a footnote, or an
# exponent; later letters are rather exponents, or `<sup>th</sup>`
_RAISED = re.compile(r"[a-j]|[\[(]?\s*-?\d+(?:\s*,\s*\d+)*\s*[\])]?")
_RAISED_SIGNS = str.maketrans(
    "0123456789-abcdefghij",
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b"
    "\u1d43\u1d47\u1d9c\u1d48\u1d49\u1da0\u1d4d\u02b0\u2071\u02b2",
    "[]() ",
)

RULE = "number_across_markup"
# One alone is printed by the page, as the mark of a note.
_LEAST = 2


def masked(text: str) -> str:
    """A text with the digits of split numbers masked; as long as before."""
    return text if text.isascii() else _SPLIT.sub(lambda match: match[0].translate(_MASK), text)


def settled(text: str) -> str:
    """A text with split numbers masked, and without boundaries."""
    return masked(text).replace(BOUNDARY, "")


def fault_of(text: str) -> str | None:
    """Why a text with a split number is not read; None without one."""
    if text.isascii() or sum(sign in MASKED_DIGITS for sign in text) < _LEAST:
        return None
    shown = text.translate(_UNMASK)[:60]
    return (
        f"the digits of a number in {shown!r} come from several elements of the page, such as a note behind a number, "
        "or hold an invisible character: which of them are the number cannot be known"
    )


def superscript(text: str) -> str:
    """Digits, a letter or a list of digits as raised characters, `[1]` too; any other text as it
    is.
    """
    sign = text.strip()
    return sign.translate(_RAISED_SIGNS) if _RAISED.fullmatch(sign) else text
