"""Tables of a dump that prints each cell on a line of its own with a bar behind it, and blank cells as bars alone.

The bars are counted: a row that lacks names at its beginning is filled up with bars at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipelines.extract.tables.grid import NUMBER_FIRST
from pipelines.extract.tables.headings import is_result_header
from pipelines.extract.tables.qualified import heading_of
from pipelines.read.document import Cell, Grid, Line

# `16364.9 |`, `|||`
_CELL = re.compile(r"\s*(?P<text>[^|]*?)\s*\|\s*")
_BARS = re.compile(r"\s*(?:\|\s*)+")
# `|---|---|---|`
_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*")
_DASHES = re.compile(r"-+")
# Fewer such lines are no table.
_MIN_LINES = 6
_MIN_WIDTH = 3


def piped_cells(lines: Sequence[Line]) -> Iterator[Grid]:
    """The tables in these lines that are printed so, as grids; none where more than one width is possible."""
    position = 0
    while position < len(lines):
        end = position
        while end < len(lines) and _is_part(lines[end].text):
            end += 1
        if end - position >= _MIN_LINES and (grid := _grid(lines[position:end])):
            yield grid
        position = max(end, position + 1)


def _is_part(text: str) -> bool:
    return "|" in text and any(form.fullmatch(text) for form in (_CELL, _BARS, _RULE))


def _grid(block: Sequence[Line]) -> Grid | None:
    cells: list[Cell] = []
    # Behind bars alone a row may end; only there a width can be wrong.
    ends, ruled = set[int](), 0
    for line in block:
        if "-" in line.text and _RULE.fullmatch(line.text):
            ruled = ruled or len(_DASHES.findall(line.text))
        elif _BARS.fullmatch(line.text):
            place = len(line.text)
            cells += [Cell("", line.number, place, place) for _ in range(line.text.count("|"))]
            ends.add(len(cells))
        elif match := _CELL.fullmatch(line.text):
            cells.append(line.matched(match, "text"))
    width = ruled or _width(cells, ends)
    if width < _MIN_WIDTH or len(cells) < 2 * width:
        return None
    rows = tuple(tuple(cells[start : start + width]) for start in range(0, len(cells), width))
    return Grid(rows, block[0].number, block[-1].number)


def _width(cells: Sequence[Cell], ends: set[int]) -> int:
    """How many cells a row has: all that stand above the first number, of which some may be of the first row."""
    first = next((n for n, cell in enumerate(cells) if NUMBER_FIRST.match(cell.text)), 0)
    found = [
        width
        for width in range(_MIN_WIDTH, first + 1)
        if not any(end % width for end in ends)
        and (ends or not len(cells) % width)
        and is_result_header([heading_of(cell) for cell in cells[:width]])
    ]
    return found[0] if len(found) == 1 else 0
