"""The tables in flattened text, as grids: one cell a line, or one row a line with one delimiter
between its cells.

What is laid out otherwise is read by the `rows` of a mapping. No vocabulary is asked: what a
heading means is for the mapping to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile

from pipelines.read.document import Cell, Document, Grid, Line, runs_of

# Delimiters and the columns from which on lines with them are a table; two between blanks are as
# often a list of settings.
_MIN_COLUMNS = {"\t": 2, "|": 2, "  ": 3}
# The cells of `Llama 3.1 8B    H100   1`: what is between two or more blanks
_BETWEEN_BLANKS = re.compile(r"\S+(?:[ \u00a0]\S+)*")
# `\u2502`, `\u2503` and `\u2551` between cells; `\u251c\u2500\u2500\u253c\u2500\u2500\u2524`,
# `+---+---+` between rows
_BOX = dict.fromkeys(range(0x2500, 0x2580), "+") | str.maketrans(
    "\u2502\u2503\u2551\u2500\u2501\u2550", "|||---"
)
_BORDER_SIGNS = frozenset(" +-=|:")
_MAX_WIDTH = 30
# Rows below the headings from which on the cells alone show how wide a table is.
_MIN_ROWS = 3
# Longest cell; longer texts are sentences.
_MAX_CELL = 120
# `54,784`, `~12.3`, `$1.50`, `23h 43m`
_BEGINS_WITH_NUMBER = re.compile(r"[~<>\u2248\u2264\u2265]?\s?(?:US)?[$\u20ac+\u2212-]?\s?\.?\d")


@dataclass(frozen=True, slots=True)
class Declared:
    """The part of a mapping that shows which lines are one table.

    Attributes:
        is_heading: Whether a text is the heading of some column.
        is_measured: Whether it is the heading of measured numbers.
        is_missing: Whether a text is printed where nothing was measured.
    """

    is_heading: Callable[[str], bool]
    is_measured: Callable[[str], bool]
    is_missing: Callable[[str], bool]


def find_grids(
    document: Document, covered: Collection[int], declared: Declared | None = None
) -> list[Grid]:
    """The tables in the lines that are not `covered`, in order.

    Args:
        document: Any document; its own grids are not looked at.
        covered: Numbers of lines that belong to grids of the file format or to other readers.
        declared: What a mapping declares.

    Returns:
        Grids without captions. A row that lacks cells or has too many keeps those it has. Cells
        that cannot be split into rows, though a mapping declares their headings, are a grid of one
        column.
    """
    grids: list[Grid] = []
    # Lines without an empty or a covered one between them; a blank cell is a line of blanks.
    lines = (
        Line(line.number, line.text.translate(_BOX))
        for line in document.without(covered)
        # A no-break space is a blank cell.
        if line.text.strip(" \t\r\f\v")
    )
    for block in runs_of(lines, lambda block, line: line.number == block[-1].number + 1):
        # The borders of a drawn table are no rows.
        rows = [
            line
            for line in block
            if "+" not in line.text or not _BORDER_SIGNS.issuperset(line.text)
        ]
        tables = (_delimited_table(rows, mark) for mark in _MIN_COLUMNS)
        grid = next(filter(None, tables), None) or _table_of_cells(block, declared)
        grids += [grid] if grid else []
    return grids


def _delimited_table(block: Sequence[Line], mark: str) -> Grid | None:
    """The table of a block of lines that has this delimiter, or None.

    It begins at the first line with a delimiter and ends at the last one; a line without one
    between them is a row of one cell. At least half of its rows are as long as its first, and a
    number is below it.
    """
    rows = [_parts(line, mark) for line in block]
    parted = [n for n, cells in enumerate(rows) if len(cells) > 1]
    if len(parted) < 2:
        return None
    first, last = parted[0], parted[-1]
    alike = sum(len(rows[n]) == len(rows[first]) for n in parted)
    has_numbers = any(_BEGINS_WITH_NUMBER.match(cell.text) for n in parted[1:] for cell in rows[n])
    headings = sum(1 for cell in rows[first] if cell.text)
    if headings < _MIN_COLUMNS[mark] or 2 * alike <= last - first or not has_numbers:
        return None
    return Grid(rows[first : last + 1], block[first].number, block[last].number)


def _parts(line: Line, mark: str) -> list[Cell]:
    """The cells of a line between its delimiters; the whole line without this delimiter, or with
    another one.
    """
    text = line.text.strip()
    # Tabs at both ends are blank cells only where another one is between words.
    if mark not in text or (mark == "  " and ("\t" in text or "|" in text)):
        return [line.cell]
    if mark == "  ":
        return list(map(line.matched, _BETWEEN_BLANKS.finditer(line.text)))
    cells, start = [], 0
    for part in line.text.split(mark):
        cells.append(Cell(part, line.number, start, start + len(part)).stripped())
        start += len(part) + 1
    # Bars around a row; one at its end alone is before a blank cell.
    if mark == text[0] == "|":
        cells = cells[1 : len(cells) - text.endswith("|")]
    return cells if len(cells) > 1 else [line.cell]


def _table_of_cells(block: Sequence[Line], declared: Declared | None) -> Grid | None:
    """The table that a block of lines with one cell each is, headings first; or None.

    With a mapping it begins at the first two declared headings after one another, and is as wide as
    declared headings follow each other. Where its cells are not whole rows of this width, with
    numbers alone below each heading of measured numbers, it is a table of one column: nothing is
    split, and it is refused and not overlooked.

    Without a mapping it is as wide as the one width that fits: no heading is a number, and below
    one are numbers alone.
    """
    texts = [line.cell.text for line in block]
    if declared is None:
        width = _width(texts)
        return _grid_of_cells(block, width) if width else None
    known = list(map(declared.is_heading, texts))
    begin = next((n for n in range(len(texts) - 1) if known[n] and known[n + 1]), None)
    if begin is None:
        return None
    width = sum(1 for _ in takewhile(bool, known[begin:]))
    cells, rows = texts[begin + width :], (len(texts) - begin) / width - 1
    measured = [column for column in range(width) if declared.is_measured(texts[begin + column])]
    is_whole = rows >= 1 and rows.is_integer()
    fits = is_whole and all(_are_numbers(cells[column::width], declared) for column in measured)
    return _grid_of_cells(block[begin:], width if fits and measured else 1)


def _grid_of_cells(block: Sequence[Line], width: int) -> Grid:
    rows = [[line.cell for line in block[n : n + width]] for n in range(0, len(block), width)]
    return Grid(rows, block[0].number, block[-1].number)


def _width(texts: Sequence[str]) -> int | None:
    """The only matching width; None if there is none, or several that are not multiples of one."""
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
    """Whether the cells of a column begin with a number, except blanks and signs; at least one has
    to.
    """
    filled = (
        text
        for text in cells
        if any(map(str.isalnum, text)) and not (declared and declared.is_missing(text))
    )
    found = [_BEGINS_WITH_NUMBER.match(text) is not None for text in filled]
    return all(found) and (bool(found) or declared is not None)
