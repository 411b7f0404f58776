"""Tables of a text that prints a bar behind each cell, the cells on lines of their own and blank ones as bars alone.

The bars are counted, so that a width is not guessed: a rule states it, or the bars that end rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipelines.read.document import Cell, Line
from pipelines.read.text_grids.delimited import DelimitedTable, cells_between, is_rule, with_left_out
from pipelines.read.text_grids.shapes import ODD, QUANTITIES, Column, is_known_heading, shape_of

# `16364.9 |`, `BERT-Large | 8x H100 |`, `|||`; a line that begins with a bar and holds words is a whole row
_CELLS = re.compile(r"\s*[^|\s].*\|\s*|[\s|]*\|\s*")
_DASHES = re.compile(r"-+")
_MIN_LINES, _MIN_WIDTH = 6, 3
# Cells of a row that may be unlike the others of their columns.
_MAX_ODD = 1


@dataclass(frozen=True, slots=True)
class _Stream:
    """The cells of a block in order, and after how many of them a line ends, or one of bars alone."""

    cells: list[Cell]
    line_ends: set[int]
    bar_ends: set[int]


def piped_tables(lines: Sequence[Line]) -> Iterator[DelimitedTable]:
    """The tables that are printed so, in order; none where more than one width is possible."""
    block: list[Line] = []
    for line in lines:
        is_part = "|" in line.text and (_CELLS.fullmatch(line.text) or is_rule(line.text))
        if block and not (is_part and line.number == block[-1].number + 1):
            yield from _tables(block)
            block = []
        if is_part:
            block.append(line)
    yield from _tables(block)


def _tables(block: Sequence[Line]) -> Iterator[DelimitedTable]:
    rules = [n for n, line in enumerate(block) if is_rule(line.text)]
    if len(block) < _MIN_LINES or len(rules) > 1:
        return
    above = _stream(block[: rules[0]] if rules else ())
    stream = _stream([line for n, line in enumerate(block) if n not in rules])
    if rules:
        width = len(_DASHES.findall(block[rules[0]].text))
        # One line of headings is that of a table with one row per line.
        if rules[0] < 2 or width < _MIN_WIDTH or not above.cells or len(above.cells) % width:
            return
        heading_rows = len(above.cells) // width
    else:
        width, heading_rows = _width(stream), 1
    rows = _rows(stream, width, heading_rows) if width else []
    if len(rows) > heading_rows:
        first, last = block[0].number, rows[-1][-1].line
        yield DelimitedTable(tuple(with_left_out(rows, heading_rows)), heading_rows, "pipes", first, last)


def _stream(lines: Sequence[Line]) -> _Stream:
    stream = _Stream([], set(), set())
    for line in lines:
        stream.cells.extend(cells_between(line, "|")[:-1])
        stream.line_ends.add(len(stream.cells))
        if not line.text.strip("| \t"):
            stream.bar_ends.add(len(stream.cells))
    return stream


def _width(stream: _Stream) -> int:
    """How many cells a row has: as many as headings, so that bars alone end rows; 0 where that leaves no or two."""
    texts = [cell.text for cell in stream.cells]
    first = next((n for n, text in enumerate(texts) if shape_of(text) in QUANTITIES), 0)
    ends = stream.bar_ends or {len(texts)}
    found = [
        width
        for width in range(_MIN_WIDTH, first + 1)
        if not any(end % width for end in ends) and 2 * sum(map(is_known_heading, texts[:width])) >= width
    ]
    return found[0] if len(found) == 1 else 0


def _rows(stream: _Stream, width: int, heading_rows: int) -> list[tuple[Cell, ...]]:
    """The rows up to the first that no line ends, or whose cells cannot be those of their columns."""
    starts = range(0, len(stream.cells) - width + 1, width)
    rows = [tuple(stream.cells[start : start + width]) for start in starts]
    # A row that lacks names at its beginning is filled up with bars at its end, and says nothing of the columns.
    full = [row for row in rows[heading_rows:] if row[-1].text]
    columns = [Column([cell.text for cell in cells]) for cells in zip(*full, strict=True)]
    for n, row in enumerate(rows):
        odd = sum(column.cost(cell.text) >= ODD for column, cell in zip(columns, row, strict=False) if row[-1].text)
        if (n + 1) * width not in stream.line_ends or (n >= heading_rows and odd > _MAX_ODD):
            return rows[:n]
    # The bars that fill up the last row may be lost with what stood behind it.
    rest = tuple(stream.cells[len(rows) * width :])
    return [*rows, rest] if len(rest) > 1 else rows
