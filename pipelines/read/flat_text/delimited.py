"""Tables of a text that has one row per line: tabs, pipes, or two blanks and more between the cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pipelines.read.document import Cell, Grid, Line
from pipelines.read.flat_text.cells_in_lines import BEGINS_WITH_NUMBER

# The cells of `Llama 3.1 8B    H100   1`: what is between two or more blanks
_BETWEEN_BLANKS = re.compile(r"\S+(?:[ \u00a0]\S+)*")
# Columns from which on lines with this delimiter are a table; two between blanks are as often a list of settings.
_MIN_COLUMNS = {"tabs": 2, "pipes": 2, "blanks": 3}


def _between(line: Line, mark: str) -> list[Cell]:
    cells, start = [], 0
    for part in line.text.split(mark):
        cells.append(Cell(part, line.number, start, start + len(part)).stripped())
        start += len(part) + len(mark)
    return cells


def _tabs(line: Line) -> list[Cell]:
    # Tabs at both ends are blank cells only where another one is between words.
    return _between(line, "\t") if "\t" in line.text.strip() else []


def _pipes(line: Line) -> list[Cell]:
    text = line.text.strip()
    if "|" not in text:
        return []
    cells = _between(line, "|")
    if text.startswith("|"):
        # Bars around a row; one at its end alone is before a blank cell.
        cells = cells[1 : len(cells) - text.endswith("|")]
    return cells


def _blanks(line: Line) -> list[Cell]:
    if "  " not in line.text or "\t" in line.text or "|" in line.text:
        return []
    return [line.matched(match) for match in _BETWEEN_BLANKS.finditer(line.text)]


_CELLS: dict[str, Callable[[Line], list[Cell]]] = {"tabs": _tabs, "pipes": _pipes, "blanks": _blanks}
DELIMITERS = tuple(_CELLS)


def delimited_table(block: Sequence[Line], delimiter: str) -> Grid | None:
    """The table of a block of lines that has this delimiter, or None.

    It goes from the first line with a delimiter to the last one; a line without one between them is a row of one cell.
    At least half of its rows are as long as its first, and a number is below it.
    """
    rows = [_CELLS[delimiter](line) for line in block]
    parted = [n for n, cells in enumerate(rows) if len(cells) > 1]
    if len(parted) < 2:
        return None
    first, last = parted[0], parted[-1]
    width = len(rows[first])
    alike = sum(len(rows[n]) == width for n in parted)
    has_numbers = any(BEGINS_WITH_NUMBER.match(cell.text) for n in parted[1:] for cell in rows[n])
    headings = sum(1 for cell in rows[first] if cell.text)
    if headings < _MIN_COLUMNS[delimiter] or 2 * alike <= last - first or not has_numbers:
        return None
    cells = [rows[n] if len(rows[n]) > 1 else [block[n].cell] for n in range(first, last + 1)]
    return Grid.of_cells(cells, block[first].number, block[last].number, heading_rows=1, layout=delimiter)
