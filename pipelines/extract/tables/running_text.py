"""Running text among the cells of a table that was flattened to lines: a sentence is no cell, and no name."""

from __future__ import annotations

# The longest cell seen has half as many characters; a longer text is a sentence.
MAX_CELL = 120
# `Containers with a hyphen indicate a pre-release container`: no name has so many words.
_MAX_WORDS = 10
# A note among the remarks may end with a point, too.
_MIN_WORDS = 9


def is_sentence(text: str) -> bool:
    """True for a text that is too long for a cell, or ends as sentences do behind many words."""
    text = text.strip()
    return len(text) > MAX_CELL or (text.endswith((".", "!", "?", ":")) and len(text.split()) >= _MIN_WORDS)


def is_too_long_for_name(text: str) -> bool:
    """True for a text that is no name of anything: a footnote, a sentence."""
    return len(text) > MAX_CELL or len(text.split()) > _MAX_WORDS
