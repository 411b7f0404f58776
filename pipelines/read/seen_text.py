"""What a reader sees of a marked-up text, written where it is printed. What the marks are belongs to each format."""

from __future__ import annotations

from collections.abc import Sequence


def in_place(source: str, pieces: Sequence[tuple[str, str]]) -> str:
    """The source with blanks in the place of its markup, as long as before.

    Where blanks would tear a word (`23h&nbsp;43m`) the text stands together, and the blanks behind it.

    Args:
        source: The text as it is printed.
        pieces: What is seen of it, in order: each piece as it is printed and as it is read.
    """
    words = _words("".join(seen for _, seen in pieces))
    blanked, first = _blanked(source, pieces)
    if blanked is not None and _words(blanked) == words:
        return blanked
    text = " ".join(words)
    if len(text) > len(source):
        return source
    return (" " * min(first, len(source) - len(text)) + text).ljust(len(source))


def _words(text: str) -> list[str]:
    # A no-break space holds words together.
    return [word for word in text.split(" ") if word]


def _blanked(source: str, pieces: Sequence[tuple[str, str]]) -> tuple[str | None, int]:
    """The pieces where they are printed with blanks between them, or None; and where the first one stands."""
    parts, position, first = list[str](), 0, -1
    for printed, seen in pieces:
        at = source.find(printed, position)
        if at < 0:
            return None, max(first, 0)
        if seen.strip() and first < 0:
            first = at + len(seen) - len(seen.lstrip())
        if printed:
            # Of `\\-` the sign stands at the end.
            written = seen.rjust(len(printed)) if printed.startswith("\\") else seen.ljust(len(printed))
            parts.append(" " * (at - position) + written)
            position = at + len(printed)
    return "".join(parts).ljust(len(source)), max(first, 0)
