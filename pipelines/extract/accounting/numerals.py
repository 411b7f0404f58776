"""Where the numerals of a line stand. What they are belongs in `statuses.py`."""

from __future__ import annotations

import re

_CORE = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*(?:[eE][+-]?\d{1,3}(?!\w))?"
# `2021-06-30`, `12:34`, `2.0-2045`, `23h`, `453s`, `54,784`, `16.16`, `2.4.0`, `1e-3`. A comma only where it groups
# three digits, so that `4,8,12` is three numerals; a unit of time only where it ends the word that the digits start.
_NUMERAL = re.compile(
    r"\d{4}-\d\d-\d\d(?!\d)"
    r"|\d+(?::\d\d)+(?:\.\d+)?(?!\d)"
    r"|\d{1,2}\.\d-\d{4,5}(?!\d)"
    rf"|(?<![\w-]){_CORE}(?:ns|us|µs|μs|ms|min|s|m|h|d)(?!\w)"
    rf"|{_CORE}"
    r"|[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+"
)


# What every numeral begins with. It is looked for alone: the patterns above would be tried at every letter.
_BEGIN = re.compile(r"[\d\u00b2\u00b3\u00b9\u2070\u2074-\u2079]")


def find_numerals(text: str) -> list[tuple[int, int]]:
    """Start and end of every numeral of a text, in order; each digit stands in exactly one of them."""
    found: list[tuple[int, int]] = []
    begin = _BEGIN.search(text)
    while begin and (match := _NUMERAL.match(text, begin.start())):
        found.append(match.span())
        begin = _BEGIN.search(text, match.end())
    return found


def is_raised(text: str) -> bool:
    """True for raised digits, which mark footnotes: `²`."""
    return not text[0].isdecimal()
