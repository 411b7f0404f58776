"""Text with an empty line between all its lines, as some copies of a page have it: every other line is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines.read.document import Line

# Fewer lines with empty ones between them are paragraphs.
_MIN_LINES = 8


def single_spaced(lines: Sequence[Line], is_table: Callable[[Sequence[Line]], bool]) -> list[Line]:
    """The lines without the empty ones that only space them, in stretches where that makes a table readable.

    Args:
        lines: Lines of a document in order.
        is_table: Tells whether a table can be read in lines as they are given.
    """
    kept: list[Line] = []
    position = 0
    while position < len(lines):
        end = _end_of_stretch(lines, position)
        stretch = lines[position:end]
        spaced = stretch[::2]
        if len(spaced) >= _MIN_LINES and not is_table(stretch) and is_table(spaced):
            kept += spaced
        else:
            kept += stretch
        position = end
    return kept


def _end_of_stretch(lines: Sequence[Line], start: int) -> int:
    """Index behind the lines from here on of which every other one is empty; an empty line is one by itself."""
    end = start + 1
    if lines[start].is_empty:
        return end
    while end < len(lines) and lines[end].is_empty:
        end += 2
    return min(end, len(lines))
