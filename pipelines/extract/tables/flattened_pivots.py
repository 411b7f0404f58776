"""Pivots flattened to text, one cell per line: platforms or models as headings, and no heading that names a quantity.

Only a block of lines whose length and cells leave one way to cut it into rows is taken for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.grid import NUMBER_FIRST
from pipelines.extract.tables.headings import read_heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.qualified import qualifier_in
from pipelines.read.document import Cell, Grid, Line

# Names that may be the columns of a pivot.
_NAMES = frozenset({"platform", "model"})
_MIN_NAMES = 2
# Lines above a block that may name the quantity.
_MAX_ABOVE = 3


def flattened_pivots(lines: Sequence[Line]) -> Iterator[tuple[Grid, list[Line]]]:
    """The blocks of lines that can be a pivot, as grids, with the few lines above each."""
    position = 0
    while position < len(lines):
        end = position
        while end < len(lines) and not lines[end].is_empty:
            end += 1
        for start in (position, position + 1):
            if start < end and (grid := _grid(lines[start:end])):
                above = [line for line in lines[:start] if not line.is_empty]
                yield grid, above[-_MAX_ABOVE:]
                break
        position = max(end, position + 1)


def _grid(block: Sequence[Line]) -> Grid | None:
    """The rows of a block, or None where it is no pivot."""
    first = read_heading(unmarked(block[0].cell))
    has_corner = block[0].is_blank or (first is not None and first.column in _NAMES)
    cells = [line.cell for line in block] if has_corner else [Cell("", block[0].number, 0, 0), *(b.cell for b in block)]
    kind, width = _kind(cells[1]) if len(cells) > 1 else None, 1
    while kind and width < len(cells) and _kind(cells[width]) == kind:
        width += 1
    if width <= _MIN_NAMES or len(cells) % width or len(cells) < 2 * width:
        return None
    rows = [tuple(cells[start : start + width]) for start in range(0, len(cells), width)]
    if not all(_is_row(row) for row in rows[1:]):
        return None
    return Grid.of_cells(rows, block[0].number, block[-1].number)


def _kind(cell: Cell) -> str | None:
    """`platform` or `model` for a known name of the one or the other."""
    qualifier = qualifier_in(" ".join(unmarked(cell).text.split())) if not cell.is_blank else None
    return qualifier.column if qualifier and qualifier.column in _NAMES else None


def _is_row(row: Sequence[Cell]) -> bool:
    """True for a name or a quantity in front of values, one of which at least is a number."""
    numbers = [bool(NUMBER_FIRST.match(cell.text)) for cell in row]
    holds_names = any(_kind(cell) for number, cell in zip(numbers[1:], row[1:], strict=True) if not number)
    return not numbers[0] and not is_nothing(row[0]) and any(numbers[1:]) and not holds_names
