"""Cells one after the other to table rows: where each row starts and ends is found by the types of its cells.

Nothing printed says where a row ends. A row is let in only where no other reading of its borders is possible; all cells
that stand in no such row are given back as damage, so that none is dropped in silence. After one damage (cells lost,
added or unreadable in one place) every row let in is one of the rows printed. Finding the cells belongs in `flattened`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipelines.extract.tables.cell_types import fits, is_nothing
from pipelines.extract.tables.headings import Heading
from pipelines.read.document import Cell

# A table goes on behind an empty line when its next row starts within this many rows' cells: one damaged row, and
# parts of its neighbours.
_MAX_GAP_ROWS = 2


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
        damages: What fits no row, or cannot be told to be one.
        used: Number of cells from the first on that belong to the table.
    """

    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    used: int = 0


class Aligner:
    """Finds the rows of one table in the cells below its header.

    Args:
        headings: The columns.
        cells: The cells, one after the other. One with empty text is a blank cell printed as an empty line.
        breaks: Indices of the cells behind an empty line that is no cell: the table may end there.
    """

    def __init__(self, headings: Sequence[Heading], cells: Sequence[Cell], breaks: Sequence[int]) -> None:
        self._headings = headings
        self._cells = cells
        self._breaks = sorted(breaks)
        self._width = len(headings)
        self._known: dict[tuple[int, str], bool] = {}
        self._starts = list(self._fitting())
        self._end = self._find_end()

    def align(self) -> Alignment:
        """All rows that are certain, and the cells that stand in none of them."""
        candidates = self._undisputed()
        rows = [start for start in candidates if not self._is_doubtful(start, candidates)]
        if not self._is_proven(candidates):
            rows = []
        result = Alignment([self._row(start) for start in rows], used=self._end)
        for start, end in self._gaps(rows):
            result.damages.append(Damage(self._printed(start, end), self._explain(start, end, bool(rows))))
        orphans = [start for start in self._starts if start >= self._end]
        if orphans:
            reason = "cells of the shape of a row stand behind the table, but other text parts them from its headings"
            result.damages.append(Damage(self._printed(orphans[0], orphans[0] + self._width), reason))
        return result

    # Candidates

    def _fits(self, index: int, column: int) -> bool:
        cell = self._cells[index]
        place = (column, cell.text)
        if place not in self._known:
            self._known[place] = fits(cell, self._headings[column])
        return self._known[place]

    def _fitting(self) -> Iterator[int]:
        """Indices at which a whole row can start."""
        behind = set[int]()
        for start in range(len(self._cells) - self._width, -1, -1):
            if self._cells[start].text and all(self._fits(start + n, n) for n in range(self._width)):
                # A row without any value measures nothing; more likely it is prose in the shape of a row.
                measures = any(
                    heading.is_value and not is_nothing(cell)
                    for cell, heading in zip(self._row(start), self._headings, strict=True)
                )
                # What stands behind the last empty line is no longer the row before it, but other text.
                if measures and (not self._is_parted(start, start + self._width) or start + self._width in behind):
                    behind.add(start)
        yield from sorted(behind)

    def _undisputed(self) -> list[int]:
        """Starts of rows that overlap no other possible row.

        Rows that follow each other without a gap from the headings on, or up to the end, go before others.
        """
        starts = {start for start in self._starts if start < self._end}
        sure = {*self._chain(0, self._width, starts), *self._chain(self._end - self._width, -self._width, starts)}

        def disputes(other: int, start: int) -> bool:
            return other != start and other in starts and (other in sure or start not in sure)

        reach = range(1 - self._width, self._width)
        return sorted(start for start in starts if not any(disputes(start + n, start) for n in reach))

    @staticmethod
    def _chain(start: int, step: int, starts: set[int]) -> Iterator[int]:
        while start in starts:
            yield start
            start += step

    # Borders

    def _is_doubtful(self, start: int, candidates: list[int]) -> bool:
        """True for a row that may hold a cell too many, because the cells beside it may be its own.

        Blank cells and numbers fit several columns: a row with one more of them fits when it loses its last cell.
        """
        place = candidates.index(start) if len(candidates) < 2 else self._place(candidates, start)
        before = candidates[place - 1] + self._width if place else 0
        behind = candidates[place + 1] if place + 1 < len(candidates) else self._end
        end, extra = start + self._width, (behind - start) % self._width
        if behind > end and extra and all(self._fits(end + n, self._width - extra + n) for n in range(extra)):
            return True
        extra = (start - before) % self._width
        return start > before and bool(extra) and all(self._fits(start - extra + n, n) for n in range(extra))

    @staticmethod
    def _place(candidates: list[int], start: int) -> int:
        from bisect import bisect_left

        return bisect_left(candidates, start)

    def _is_proven(self, candidates: list[int]) -> bool:
        """True when the distance of two rows shows that a row has as many cells as there are headings."""
        if len(candidates) == 1:
            return self._end % self._width == 0
        pairs = zip(candidates, candidates[1:], strict=False)
        return any((second - first) % self._width == 0 for first, second in pairs)
