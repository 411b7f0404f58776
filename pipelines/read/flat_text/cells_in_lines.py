"""Tables of a text that has one cell per line: a block of lines without an empty one, headings first, then the rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from pipelines.read.document import Grid, Line

_MAX_WIDTH = 30
# Rows below the headings from which on the cells alone show how wide a table is.
_MIN_ROWS = 3
# A cell is no sentence.
_MAX_CELL = 120
# `54,784`, `~12.3`, `$1.50`, `23h 43m`
BEGINS_WITH_NUMBER = re.compile(r"[~<>\u2248\u2264\u2265]?\s?(?:US)?[$\u20ac+\u2212-]?\s?\.?\d")


@dataclass(frozen=True, slots=True)
class Declared:
    """What a mapping declares, as far as it shows which lines are one table.

    Attributes:
        is_heading: Whether a text is the heading of some column.
        is_measured: Whether it is the heading of measured numbers.
        is_missing: Whether a text is printed where nothing was measured.
    """

    is_heading: Callable[[str], bool]
    is_measured: Callable[[str], bool]
    is_missing: Callable[[str], bool]


def table_of_cells(block: Sequence[Line], declared: Declared | None = None) -> Grid | None:
    """The table that a block of lines is, or None.

    With a mapping it begins at the first two declared headings after one another, and is as wide as declared headings
    follow each other. Where its cells are not whole rows of this width, with numbers alone below each heading of
    measured numbers, it is a table of one column: nothing is split, and it is refused and not overlooked.

    Without a mapping it is as wide as the one width that fits: no heading is a number, and below one are numbers alone.

    Args:
        block: Lines that follow each other; a blank cell is a line of blanks.
        declared: What a mapping declares.
    """
    texts = [line.cell.text for line in block]
    if declared is None:
        width = _width(texts)
        return grid_of_cells(block, width) if width else None
    known = list(map(declared.is_heading, texts))
    begin = next((n for n in range(len(texts) - 1) if known[n] and known[n + 1]), None)
    if begin is None:
        return None
    width = sum(1 for _ in takewhile(bool, known[begin:]))
    cells, rows = texts[begin + width :], (len(texts) - begin) / width - 1
    measured = [column for column in range(width) if declared.is_measured(texts[begin + column])]
    is_whole = rows >= 1 and rows.is_integer()
    fits = is_whole and all(_are_numbers(cells[column::width], declared) for column in measured)
    return grid_of_cells(block[begin:], width if fits and measured else 1)


def grid_of_cells(block: Sequence[Line], width: int) -> Grid:
    """These lines as rows of a width."""
    rows = [[line.cell for line in block[n : n + width]] for n in range(0, len(block), width)]
    return Grid.of_cells(rows, block[0].number, block[-1].number, heading_rows=1, layout="lines")


def _width(texts: Sequence[str]) -> int | None:
    """The one width that fits, or None where none does, or several that are no multiples of one."""
    fitting: list[int] = []
    if max(map(len, texts)) <= _MAX_CELL:
        for width in range(2, min(_MAX_WIDTH, len(texts) // (_MIN_ROWS + 1)) + 1):
            is_multiple = any(width % other == 0 for other in fitting)
            if not is_multiple and len(texts) % width == 0 and _fits(texts, width):
                fitting.append(width)
    return fitting[0] if len(fitting) == 1 else None


def _fits(texts: Sequence[str], width: int) -> bool:
    columns = (texts[column + width :: width] for column in range(width))
    are_headings = all(any(map(str.isalpha, text)) for text in texts[:width])
    return are_headings and any(_are_numbers(cells) for cells in columns)


def _are_numbers(cells: Sequence[str], declared: Declared | None = None) -> bool:
    """Whether the cells of a column begin with a number, but for blank ones and signs alone; one of them does."""
    filled = (text for text in cells if any(map(str.isalnum, text)) and not (declared and declared.is_missing(text)))
    found = [BEGINS_WITH_NUMBER.match(text) is not None for text in filled]
    return all(found) and (bool(found) or declared is not None)
