"""Tables that stand on their side: platforms or models as column headings, quantities as row names.

They are read as the same table turned round, so that a column becomes a row.
"""

from __future__ import annotations

from collections import Counter

from pipelines.extract.tables.cell_types import read_evaluation, read_value
from pipelines.extract.tables.grid import NUMBER_FIRST, ResultTable, unread_table
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.qualified import heading_of, qualifier_in
from pipelines.read.document import Cell, Grid
from pipelines.values.numbers import NUMBER_AND_UNIT, parse_number
from pipelines.vocabulary.units import find_unit

Row = tuple[Cell, ...]
# What a platform costs or draws is printed in lists that measure nothing.
_NOT_RUN = frozenset({"price", "cost", "power", "on_demand_hourly_price", "reserved_hourly_price"})
# What is set for a run; a list of parts has no such column.
_SETTINGS = frozenset({"batch_size", "precision", "sequence_length", "framework", "dataset", "sdk_version"})
# One row beside the names of the columns says one thing of each.
_MIN_ROWS, _MIN_COLUMNS = 2, 2


def turned(grid: Grid) -> Grid | None:
    """The grid with its columns as rows, or None where its rows are not of one width.

    Rows that are one cell over all columns are left out: they are titles of what stands below them, and below two of
    them one quantity may stand twice.
    """
    rows = [row for row in grid.rows if not is_title(row)]
    titles = [position for position, row in enumerate(grid.rows) if is_title(row)]
    is_inner = any(position > 0 for position in titles)
    if len(rows) < _MIN_ROWS or is_inner or len({len(row) for row in rows}) != 1 or len(rows[0]) < _MIN_COLUMNS:
        return None
    upright = zip(*rows, strict=True)
    return Grid.of_cells(upright, grid.first_line, grid.last_line, grid.caption, holds_records=grid.holds_records)


def is_title(row: Row) -> bool:
    """True for a row that is one cell over all columns: a heading inside the table."""
    return len(row) > 1 and all(cell is row[0] for cell in row)


def set_upright(table: ResultTable, grid: Grid) -> ResultTable:
    """A table read from a turned grid with the lines that it has in the document."""
    starts = Counter(row[0].line for row in table.rows)
    table.first_line, table.last_line = grid.first_line, grid.last_line
    table.lines |= set(range(grid.first_line, grid.last_line + 1))
    # Names that stand on one line begin no row each: what belongs together is told by the columns there.
    table.row_lines = [row[0].line if starts[row[0].line] == 1 else None for row in table.rows]
    return table


def holds_values(table: ResultTable) -> bool:
    """True where a cell below a heading of a measured quantity is a value of it."""
    cells = [*table.rows, *(damage.cells for damage in table.damages)]
    return any(_is_value(cell, heading) for row in cells for cell, heading in zip(row, table.headings, strict=False))


def tells_twice(table: ResultTable) -> bool:
    """True where the first column would name models, and so do the headings of the values: one of them is misread."""
    kinds = {qualifier.column for heading in table.headings for qualifier in heading.qualifiers}
    return table.headings[0].column in kinds


def _is_value(cell: Cell, heading: Heading) -> bool:
    if not heading.is_value or is_nothing(cell):
        return False
    if heading.column == "evaluation":
        return read_evaluation(cell) is not None
    return read_value(cell, heading) is not None


def unread_pivot(grid: Grid, announced: Heading | None) -> list[ResultTable]:
    """The unread table of a grid that names a measured quantity beside numbers, in whatever layout; else nothing."""
    if not grid.rows:
        return []
    first_row, first_column = grid.rows[0], [row[0] for row in grid.rows if row]
    inner = [cell for row in grid.rows[1:] for cell in row[1:] if not is_nothing(cell)]
    numbers = [cell for cell in inner if NUMBER_FIRST.match(cell.text)]
    if not numbers:
        return []
    headings = [heading_of(cell) for cell in first_row]
    names = [*headings, *(heading_of(cell) for cell in first_column[1:])]
    is_measured = any(heading.is_value and heading.metric not in _NOT_RUN and heading.unit for heading in names)
    is_measured |= any(_has_rate(cell) for cell in numbers)
    columns = {heading.column for heading in headings}
    is_measured |= bool(columns & {"model", "platform"} and columns & _SETTINGS and "unknown" in columns)
    is_pivot = any(qualifier_in(" ".join(cell.text.split())) for cell in [*first_row, *first_column])
    is_measured |= announced is not None and is_pivot and any(parse_number(cell.text) for cell in numbers)
    if not is_measured:
        return []
    return [unread_table(headings, "no_measured_column", "which numbers are measured, and of what, cannot be told")]


def _has_rate(cell: Cell) -> bool:
    match = NUMBER_AND_UNIT.fullmatch(cell.text.strip())
    unit = find_unit(match["unit"]) if match else None
    return unit is not None and unit.canonical.startswith("items/s")
