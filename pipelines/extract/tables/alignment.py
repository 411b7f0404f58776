"""Cells one after the other to table rows: where each row starts and ends is found by the types of its cells.

Nothing printed says where a row ends. A row is let in only where no other reading of its borders is possible; all cells
that stand in no such row are given back as damage, so that none is dropped in silence. After one damage (cells lost,
added or unreadable in one place) every row let in is one of the rows printed. Finding the cells belongs in `flattened`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pipelines.extract.tables.cell_types import fits
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.running_text import is_sentence
from pipelines.extract.tables.width import is_width_proven
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
        is_framed: Whether the first cell starts a row and the last one ends a row.
    """

    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    used: int = 0
    is_framed: bool = False


class Aligner:
    """Finds the rows of one table in the cells below its header.

    Args:
        headings: The columns.
        cells: The cells, one after the other. One with empty text is a blank cell printed as an empty line.
        breaks: Indices of the cells that stand behind an empty line: the table may end before each of them.
        empty_is_blank: Whether an empty line is a blank cell, and then stands among the cells; else it only separates.
    """

    def __init__(
        self, headings: Sequence[Heading], cells: Sequence[Cell], breaks: Sequence[int], *, empty_is_blank: bool
    ) -> None:
        self._headings = headings
        self._cells = cells
        self._breaks = sorted(breaks)
        self._empty_is_blank = empty_is_blank
        self._width = len(headings)
        self._known: dict[tuple[int, str], bool] = {}
        # Rows but for the last cell, which may be the empty line behind the table.
        self._borrowing = set[int]()
        self._starts = list(self._fitting())
        self._end = self._find_end()

    def align(self) -> Alignment:
        """All rows that are certain, and the cells that stand in none of them."""
        candidates = self._undisputed()
        knows_all = all(heading.column != "unknown" for heading in self._headings)
        is_proven = is_width_proven(candidates, self._width, self._end, knows_all=knows_all)
        rows = self._certain(candidates) if is_proven else []
        result = Alignment([self._row(start) for start in rows], used=self._end)
        result.is_framed = bool(rows) and rows[0] == 0 and rows[-1] + self._width == self._end
        for start, end in self._gaps(rows):
            result.damages.append(Damage(self._printed(start, end), self._explain(start, end, bool(rows))))
        reason = "cells of the shape of rows stand behind the table, but other text parts them from its headings"
        result.damages += [Damage(self._printed(start, end), reason) for start, end in self._orphans()]
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
                end = start + self._width
                # What stands behind the last empty line is not the rest of a row, but other text.
                follows = end in behind or end in self._borrowing
                # An empty line behind the last row ends the table; taken for a blank cell it would hide a lost one.
                borrows = self._cells[end - 1].text == "" and not follows
                parted = not self._empty_is_blank and self._is_parted(start, end)
                if self._measures(start) and (follows or not (borrows or parted)):
                    behind.add(start)
                elif self._measures(start) and not parted:
                    self._borrowing.add(start)
        yield from sorted(behind)

    def _measures(self, start: int) -> bool:
        """True for a row with a value; without any it measures nothing, and is more likely prose in a row's shape."""
        places = zip(self._row(start), self._headings, strict=True)
        return any(heading.is_value and not is_nothing(cell) for cell, heading in places)

    def _undisputed(self) -> list[int]:
        """Starts of rows that overlap no other possible row.

        Rows that follow each other without a gap from the headings on, or up to the end, go before others, but for the
        one at the open end of such a chain: it may have taken a cell of the next row for one that is lost.
        """
        starts = {start for start in self._starts if start < self._end}
        down = list(self._chain(0, self._width, starts))
        up = list(self._chain(self._end - self._width, -self._width, starts))
        sure = {*down[:-1], *up[:-1], *(set(down) & set(up))}
        chained = {*down, *up}

        def disputes(other: int, start: int) -> bool:
            return other != start and other in starts and (other in chained or start not in sure)

        reach = range(1 - self._width, self._width)
        return sorted(start for start in starts if not any(disputes(start + n, start) for n in reach))

    @staticmethod
    def _chain(start: int, step: int, starts: set[int]) -> Iterator[int]:
        while start in starts:
            yield start
            start += step

    # Borders

    def _certain(self, candidates: list[int]) -> list[int]:
        ends = [0, *(start + self._width for start in candidates)]
        behind = [*candidates[1:], self._end]
        places = zip(ends, candidates, behind, strict=False)
        return [start for end, start, behind in places if not self._is_doubtful(end, start, behind)]

    def _is_doubtful(self, before: int, start: int, behind: int) -> bool:
        """True for a row that may hold foreign cells, because the cells beside it may be its own.

        A row with one more blank cell or number can fit without its last cell. `before` is the end of the row before,
        `behind` the start of the next. One damage has rows on one side of it.
        """
        end, width = start + self._width, self._width
        first, extra = (start - before) % width, (behind - end) % width
        parts = (n for n in {min(1, extra), extra} if self._is_part(n))
        if (first and extra) or any(all(self._fits(end + n, width - part + n) for n in range(part)) for part in parts):
            return True
        return self._is_part(first) and all(self._fits(start - first + n, n) for n in range(first))

    def _is_part(self, cells: int) -> bool:
        """True for a number of cells that may be pushed out of a row; all but one are a row that lost one."""
        return 0 < cells < max(self._width - 1, 2)

    # The end of the table

    def _is_parted(self, start: int, end: int) -> bool:
        """True when a table may end between two cells."""
        place = bisect_right(self._breaks, start)
        return place < len(self._breaks) and self._breaks[place] < end

    def _find_end(self) -> int:
        """Index behind the last cell that belongs to the table."""
        end = 0
        for start in self._starts:
            if start > end and self._is_behind(end, start):
                break
            end = max(end, start + self._width)
        text = (n for n in range(end, len(self._cells)) if is_sentence(self._cells[n].text))
        edges = sorted({*(place for place in self._breaks if place >= end), *text, len(self._cells)})
        rows_are_parted = any(start in self._breaks for start in self._starts if 0 < start < end)
        rest = rows_are_parted and len(edges) > 1 and self._is_rest_of_row(edges[0], edges[1])
        last = edges[1] if rest else edges[0]
        if end in self._borrowing:
            last = end + self._width
        # Empty lines behind the last row are no blank cells of it.
        while last > end and not self._cells[last - 1].text:
            last -= 1
        return last

    def _is_behind(self, end: int, start: int) -> bool:
        """True when a possible row is too far from the table to be a part of it."""
        parts = [place for place in self._breaks if end <= place <= start]
        # A line between empty lines is a heading or a footnote, and what follows it is another table.
        lone = not self._empty_is_blank and any(behind - place == 1 for place, behind in pairwise(parts))
        return bool(parts) and (lone or start - end >= _MAX_GAP_ROWS * self._width)

    def _is_rest_of_row(self, start: int, end: int) -> bool:
        """True for a block of lines that looks like a damaged last row, where empty lines part the rows."""
        values = [n for n, heading in enumerate(self._headings) if heading.is_value]
        return 1 < end - start < _MAX_GAP_ROWS * self._width and any(
            self._fits(place, column) and not is_nothing(self._cells[place])
            for place in range(start, end)
            for column in values
        )

    # Reports

    def _row(self, start: int) -> tuple[Cell, ...]:
        return tuple(self._cells[start : start + self._width])

    def _printed(self, start: int, end: int) -> tuple[Cell, ...]:
        return tuple(cell for cell in self._cells[start:end] if cell.text)

    def _gaps(self, rows: list[int]) -> Iterator[tuple[int, int]]:
        """Start and end of the cells that stand in no row."""
        ends = [0, *(start + self._width for start in rows)]
        for end, start in zip(ends, [*rows, self._end], strict=True):
            if self._printed(end, start):
                yield end, start

    def _orphans(self) -> list[tuple[int, int]]:
        """Start and end of the cells behind the table that could be rows, those one behind the other together."""
        found: list[tuple[int, int]] = []
        for start in (start for start in self._starts if start >= self._end):
            first, end = found[-1] if found else (0, 0)
            if start == end:
                found[-1] = first, start + self._width
            elif start > end:
                found.append((start, start + self._width))
        return found

    def _explain(self, start: int, end: int, has_rows: bool) -> str:
        found = len(self._printed(start, end))
        counts = "" if found == self._width else f"; {found} cells stand where {self._width} are expected"
        if not has_rows and end - start > self._width:
            counts += "; a heading may be missing or too many"
        for place, (cell, heading) in enumerate(zip(self._cells[start:end], self._headings, strict=False)):
            if not self._fits(start + place, place):
                return f"{cell.text.strip()!r} cannot be a cell of the column {heading.cell.text.strip()!r}{counts}"
        if end - start == self._width and not self._measures(start):
            return "the row holds no measured value"
        if end - start < self._width:
            return f"the row is cut: {found} cells stand where {self._width} are expected"
        return f"the row may have a cell too many{counts}"
