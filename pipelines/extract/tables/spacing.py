"""Text with an empty line between all its lines, as some copies of a page have it: every other line is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines.read.document import Line

# Fewer lines with empty ones between them are paragraphs.
_MIN_LINES = 8
# Lines by which is seen that behind a lost or an added one the spacing goes on as before.
_GOES_ON = 4


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
        spaced = list(lines[position:end:2])
        while end - position >= _GOES_ON and _goes_on(lines, end):
            # A lost line leaves two empty ones, of which the second is no cell.
            spaced = spaced[:-1] if spaced[-1].is_empty else spaced
            behind = _end_of_stretch(lines, end)
            spaced += lines[end:behind:2]
            end = behind
        is_spaced = len(spaced) >= _MIN_LINES and not is_table(lines[position:end]) and is_table(spaced)
        kept += spaced if is_spaced else lines[position:end]
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


def _goes_on(lines: Sequence[Line], position: int) -> bool:
    """True where the same spacing goes on behind one line that is lost, added or swapped with an empty one."""

    def is_spaced(start: int) -> bool:
        ahead = lines[start : start + _GOES_ON]
        is_whole = len(ahead) == _GOES_ON or (ahead and start + len(ahead) == len(lines))
        return bool(is_whole) and not ahead[0].is_empty and all(line.is_empty for line in ahead[1::2])

    return is_spaced(position) or is_spaced(position + 1)
