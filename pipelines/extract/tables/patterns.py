r"""Compares texts: folded, or by patterns of RE2, which never backtrack.

A blank in a pattern is one or more blanks of any kind (a no-break space, a tab), ` ?` any number of
them; after a backslash and within `[...]` it is that character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import re2

from pipelines.exceptions import BenchledgerError

# Kinds of blanks, each replaced by one plain blank, so that offsets stay.
_BLANKS = str.maketrans(
    dict.fromkeys(
        "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000\t\n\r",
        " ",
    )
)
# Without line ends.
INNER_BLANKS = {sign: blank for sign, blank in _BLANKS.items() if sign not in map(ord, "\n\r")}
# An escaped character, a character class, a run of blanks with its quantifier
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]?|(?P<blanks> +)(?P<often>[?*+]?)", re.DOTALL)
# Headings that no page has: a pattern that matches them matches any heading.
_NO_HEADINGS = ("Quxzork", "Qux zork")
# Texts are cut here before matching; no heading, cell or caption is as long.
LONGEST_TEXT = 4000
# Memory limit of a pattern in bytes, and size of its cache of matches.
_MOST_MEMORY, _MOST_KNOWN = 4 << 20, 1 << 14
# First and last character of each non-empty group, by its name.
Spans = dict[str, tuple[int, int]]


class PatternError(BenchledgerError):
    """An invalid pattern."""


def plain(text: str) -> str:
    """A text prepared for matching: of bounded length, with plain blanks, all offsets unchanged."""
    return text[:LONGEST_TEXT].translate(_BLANKS)


@lru_cache(1 << 14)
def fold(text: str) -> str:
    """A text without case, extra blanks and punctuation, as headings are compared; a text of signs
    only stays, and the `^` of values around records.
    """
    normal = unicodedata.normalize("NFKC", text).casefold()
    return (
        " ".join("".join(sign if sign.isalnum() or sign == "^" else " " for sign in normal).split())
        or normal.strip()
    )


def is_pattern(text: str) -> bool:
    r"""Whether a heading or section is written as a pattern: `/Latency P\d+/`."""
    return len(text) > 2 and text.startswith("/") and text.endswith("/")


class Compiled:
    """A compiled pattern.

    Attributes:
        names: Its named groups, in their order.
        fullmatch: Returns its groups if it matches a whole text, else None; cached.
    """

    def __init__(self, pattern: Any) -> None:
        self._pattern = pattern
        self._groups = sorted(pattern.groupindex.items(), key=lambda item: item[1])
        self.names = tuple(name for name, _ in self._groups)
        self.fullmatch = lru_cache(_MOST_KNOWN)(self._fullmatch)

    def _fullmatch(self, text: str) -> Spans | None:
        match = self._pattern.fullmatch(plain(text))
        return self._spans(match) if match else None

    def is_in(self, text: str) -> bool:
        """Whether it matches a part of a text."""
        return self._pattern.search(plain(text)) is not None

    def finditer(self, text: str) -> Iterator[tuple[tuple[int, int], Spans]]:
        """All matches in a text with plain blanks, each with its groups."""
        for match in self._pattern.finditer(text):
            yield match.span(), self._spans(match)

    def _spans(self, match: Any) -> Spans:
        spans = {name: match.span(group) for name, group in self._groups}
        return {name: span for name, span in spans.items() if span[1] > span[0]}


@cache
def compiled(text: str, *, folds_case: bool = False, in_lines: bool = False) -> Compiled:
    """Compile a pattern.

    Args:
        text: The pattern as written.
        folds_case: Ignore case.
        in_lines: `^` and `$` match at the ends of lines.

    Raises:
        PatternError: It is invalid, or uses look-around or back-references, which RE2 does not
            have.
    """
    options = re2.Options()
    options.log_errors, options.case_sensitive = False, not folds_case
    options.max_mem = _MOST_MEMORY
    body = _PART.sub(_with_blanks, text)
    try:
        return Compiled(re2.compile(f"(?m){body}" if in_lines else body, options))
    except re2.error as error:
        [reason] = error.args
        words = reason.decode(errors="replace")
        hint = "; look-ahead and look-behind are not supported" if "(?" in words else ""
        raise PatternError(f"`{text}` is not a valid pattern: {words}{hint}") from error


def _with_blanks(part: re.Match[str]) -> str:
    if not part["blanks"]:
        return part[0]
    return " *" if part["often"] in ("?", "*") else " +"


def groups_of(text: str | None) -> tuple[str, ...]:
    """The names of the groups of a pattern, if there is one.

    Raises:
        PatternError: It is invalid.
    """
    return compiled(text).names if text else ()


def fits_anything(text: str) -> bool:
    """Whether a pattern matches any heading."""
    pattern = compiled(text, folds_case=True)
    return any(pattern.fullmatch(heading) is not None for heading in _NO_HEADINGS)
