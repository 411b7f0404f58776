"""Cells in a row, one after the other, to table rows: where each row starts and ends is found by the types of its cells.

A row is let in only where no other reading of its boundaries is possible. After damage (a cell lost, added or unreadable)
the reading goes on at the next row whose start is beyond doubt, and everything in between is rejected as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipelines.extract.tables.cell_types import fits, is_nothing
from pipelines.extract.tables.headings import Heading
from pipelines.read.document import Cell


@dataclass(frozen=True, slots=True)
class Damage:
    """Cells that belong to a table and fit no row; `reason` says which cell does not fit what."""

    cells: tuple[Cell, ...]
    reason: str


@dataclass
class Alignment:
    """What a run of cells gives under a header.

    Attributes:
        rows: Cells of each row, one per heading, in order.
        damages: What fits no row.
        used: Number of cells from the first on that belong to the table.
    """

    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    used: int = 0


class Aligner:
    """Finds the rows of one table in the cells below its header.

    Args:
        headings: The columns.
        cells: One cell per line, empty lines among them (a cell with empty text).
        empty_is_blank: Whether an empty line can be a blank cell; otherwise it only separates.
    """

    def __init__(self, headings: Sequence[Heading], cells: Sequence[Cell], *, empty_is_blank: bool) -> None:
        self._headings = headings
        self._cells = cells
        self._width = len(headings)
        self._empty_is_blank = empty_is_blank

    def fits_at(self, start: int) -> bool:
        """True when a whole row can start at this cell."""
        row = self._cells[start : start + self._width]
        if len(row) < self._width or self._separates(start):
            return False
        if not self._empty_is_blank and any(cell.text == "" for cell in row):
            return False
        if not all(fits(cell, heading) for cell, heading in zip(row, self._headings, strict=True)):
            return False
        # A row without any value measures nothing; more likely it is prose in the shape of a row.
        return any(heading.is_value and not is_nothing(cell) for cell, heading in zip(row, self._headings, strict=True))

    def align(self) -> Alignment:
        """All rows that are certain, and the damage between them."""
        result = Alignment()
        position = 0
        while position < len(self._cells):
            if self._separates(position):
                if not self._table_goes_on(position):
                    break
                position += 1
                continue
            if self.fits_at(position) and self._ends_at(position + self._width):
                result.rows.append(tuple(self._cells[position : position + self._width]))
                position += self._width
            else:
                after = self._next_certain_start(position)
                damaged = tuple(cell for cell in self._cells[position:after] if cell.text)
                result.damages.append(Damage(damaged, self._explain(position, after)))
                position = after
            result.used = position
        return result

    def _separates(self, position: int) -> bool:
        """An empty line where a row would start stands between rows or ends the table."""
        return self._cells[position].text == ""

    def _table_goes_on(self, separator: int) -> bool:
        """True when the block behind empty lines still holds a row of this table."""
        start = separator
        while start < len(self._cells) and self._separates(start):
            start += 1
        end = start
        while end < len(self._cells) and (self._cells[end].text != "" or self._empty_is_blank):
            if self.fits_at(end):
                return end == start or not self._empty_is_blank
            if self._empty_is_blank:
                return False
            end += 1
        return False

    def _ends_at(self, end: int) -> bool:
        """True when the row before `end` cannot have one cell more or less than the header."""
        if end >= len(self._cells) or self._separates(end) or self.fits_at(end):
            return True
        return not fits(self._cells[end], self._headings[-1])

    def _next_certain_start(self, damaged: int) -> int:
        """First cell after damage at which a row starts beyond doubt, else the end of the block."""
        for position in range(damaged + 1, len(self._cells)):
            if self._separates(position) and not (self._empty_is_blank and not self._ends_block(position)):
                return position
            if self.fits_at(position) and self._starts_at(position, damaged):
                return position
        return len(self._cells)

    def _ends_block(self, position: int) -> bool:
        return not any(self.fits_at(later) for later in range(position, min(position + self._width, len(self._cells))))

    def _starts_at(self, position: int, damaged: int) -> bool:
        """A start is sure when a whole number of rows was damaged, or the cell before can only end a row."""
        if (position - damaged) % self._width == 0:
            return True
        before = self._cells[position - 1]
        return fits(before, self._headings[-1]) and not is_nothing(before) and not fits(before, self._headings[0])

    def _explain(self, start: int, end: int) -> str:
        found = sum(1 for cell in self._cells[start:end] if cell.text)
        if self.fits_at(start):
            return f"the row may have a cell too many: {found} cells stand where {self._width} are expected"
        for cell, heading in zip(self._cells[start:end], self._headings, strict=False):
            if not fits(cell, heading):
                what = f"{cell.text.strip()!r} cannot be a cell of the column {heading.cell.text!r}"
                counts = "" if found == self._width else f"; {found} cells stand where {self._width} are expected"
                return what + counts
        return f"the row is cut: {found} cells stand where {self._width} are expected"
