"""Tables of a dump that prints a bar behind each cell, the cells on lines of their own, and blank ones as bars alone.

The bars are counted: a row that lacks names at its beginning is filled up with bars at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipelines.extract.tables.grid import NUMBER_FIRST
from pipelines.extract.tables.headings import is_result_header
from pipelines.extract.tables.qualified import heading_of
from pipelines.read.document import Cell, Grid, Line

# `16364.9 |`, `- |`
_CELL = re.compile(r"\s*[^|\s][^|]*\|\s*")
# `BERT-Large | 8x H100 |`; a line that begins with a bar is a whole row
_CELLS = re.compile(r"\s*[^|\s](?:[^|]*\|)+\s*")
# `|||`
_BARS = re.compile(r"\s*(?:\|\s*)+")
# `|---|---|---|`
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*\|(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*")
_DASHES = re.compile(r"-+")
# Fewer such lines are no table.
_MIN_LINES = 6
_MIN_WIDTH = 3


def piped_cells(lines: Sequence[Line]) -> Iterator[Grid]:
    """The tables in these lines that are printed so, as grids; none where more than one width is possible."""
    position = 0
    while position < len(lines):
        end = position
        while end < len(lines) and any(form.fullmatch(lines[end].text) for form in (_CELLS, _BARS, _RULE)):
            end += 1
        if end - position >= _MIN_LINES and (grid := _grid(lines[position:end])):
            yield grid
        position = max(end, position + 1)


def _grid(block: Sequence[Line]) -> Grid | None:
    rule = next((place for place, line in enumerate(block) if _RULE.fullmatch(line.text)), None)
    if rule is not None:
        width = len(_DASHES.findall(block[rule].text))
        header = [cell for line in block[:rule] for cell in _cells(line)]
        # One line of headings is that of a table with one row per line.
        if rule < 2 or len(header) != width:
            return None
    elif all(_CELL.fullmatch(line.text) or _BARS.fullmatch(line.text) for line in block):
        width = _width(block)
    else:
        return None
    rows = tuple(_rows(block, width))
    return Grid.of_cells(rows, block[0].number, block[-1].number) if width >= _MIN_WIDTH and len(rows) > 1 else None


def _rows(block: Iterable[Line], width: int) -> Iterator[tuple[Cell, ...]]:
    """The cells of a block in rows; one that has a cell too many or is cut has another length than `width`."""
    row: list[Cell] = []
    for line in block:
        row += [] if _RULE.fullmatch(line.text) else _cells(line)
        if len(row) >= width > 0:
            yield tuple(row)
            row = []
    if row:
        yield tuple(row)


def _cells(line: Line) -> list[Cell]:
    cells, start = [], 0
    for part in line.text.split("|")[:-1]:
        cells.append(Cell(part, line.number, start, start + len(part)).stripped())
        start += len(part) + 1
    return cells


def _width(block: Sequence[Line]) -> int:
    """How many cells a row has: all that stand above the first number, of which some may be of the first row."""
    cells: list[Cell] = []
    # Behind bars alone a row may end; only there a width can be wrong.
    ends = set[int]()
    for line in block:
        cells += _cells(line)
        if _BARS.fullmatch(line.text):
            ends.add(len(cells))
    first = next((n for n, cell in enumerate(cells) if NUMBER_FIRST.match(cell.text)), 0)
    found = [
        width
        for width in range(_MIN_WIDTH, first + 1)
        if not any(end % width for end in ends)
        and (ends or not len(cells) % width)
        and is_result_header([heading_of(cell) for cell in cells[:width]])
    ]
    return found[0] if len(found) == 1 else 0
