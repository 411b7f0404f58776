"""Rows of a text dump that lack their first or their last cells, because blank ones were left out of it.

A row that lacks cells may as well be a damaged one: only what several rows of a table lack in the same way, and what
can be read in no other way, is taken for left out. Rows one cell per line belong in `sparse_rows`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipelines.extract.tables.cell_types import fits
from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.nothing import is_nothing
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_number

Row = Sequence[Cell]
# Once is damage, twice is a habit.
_MIN_ROWS = 2
# What a table prints once for the rows below it.
_NAMES = frozenset({"model", "platform", "framework", "dataset", "variant"})
# What it prints once beside them, where rows filled up with blanks show how many cells are left out.
_CONDITIONS = frozenset(
    {"framework_version", "precision", "attribute", "batch_size", "sequence_length", "accelerator_count"}
)
# Cells of a row as printed that cannot stand in their columns; one may be a misprint.
_MIN_MISFITS = 2


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many cells rows of a table may lack at their beginning and at their end; empty where no habit is seen."""

    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()


def left_out_in(headings: Sequence[Heading], rows: Iterable[Row]) -> LeftOut:
    """What rows of a table leave out, as all of them together show."""
    rows = list(rows)
    width = len(headings)
    lacking = [row for row in rows if len(row) < width or (row and row[-1].is_blank)]
    first = Counter(count for row in lacking if (count := _lacks_first(headings, row)))
    # A row that is filled up with blanks shows by itself that its cells stand too far to the left.
    shown = {_lacks_first(headings, row, _NAMES | _CONDITIONS) for row in lacking if len(row) == width} - {0}
    last = Counter(count for row in lacking if (count := _lacks_last(headings, row)))
    full = [row for row in rows if len(row) == width]
    return LeftOut(
        frozenset(count for count, times in first.items() if times >= _MIN_ROWS) | frozenset(shown),
        frozenset(
            count
            for count, times in last.items()
            if times >= _MIN_ROWS
            and full
            and not any(parse_number(row[-n].text) for row in full for n in range(1, count + 1))
        ),
    )


def filled_up(headings: Sequence[Heading], row: Row, above: Row | None, left_out: LeftOut) -> tuple[Cell, ...] | None:
    """The row with what it leaves out, or None for one that leaves nothing out.

    Args:
        headings: The columns.
        row: The row as printed.
        above: The row above, whose names are the row's; None where that one cannot be read.
        left_out: What rows of this table leave out.
    """
    if (count := _lacks_first(headings, row, _NAMES | _CONDITIONS) if left_out.first else 0) in left_out.first:
        return (*above[:count], *_printed(row)) if above is not None and count else None
    if left_out.last and (count := _lacks_last(headings, row)) in left_out.last:
        end = row[-1]
        return (*row, *(Cell("", end.line, end.end, end.end) for _ in range(count)))
    return None


def _remarks(row: Row) -> int:
    return next((n for n, cell in enumerate(reversed(row)) if parse_number(cell.text)), len(row))


def _printed(row: Row) -> Row:
    """The row without the blank cells at its end."""
    end = len(row)
    while end and row[end - 1].is_blank:
        end -= 1
    return row[:end]


def _lacks_first(headings: Sequence[Heading], row: Row, columns: frozenset[str] = _NAMES) -> int:
    """How many names the row lacks at its beginning; 0 where it lacks none, or may lack something else.

    `columns` are the kinds of cells that may be left out there.
    """
    printed = _printed(row)
    count = len(headings) - len(printed)
    names = [heading.column for heading in headings[: max(count, 0)]]
    if not names or not printed or not set(names) <= columns or not set(names) & {"model", "platform"}:
        return 0
    misfits = [place for place in zip(printed, headings, strict=False) if not _fits(*place)]
    if len(misfits) < _MIN_MISFITS or not _is_row_of(printed, headings[count:]):
        return 0
    # A row that lacks fewer names and its last values would look alike.
    return 0 if any(_is_row_of(printed, headings[shift:]) for shift in range(1, count)) else count


def _is_row_of(cells: Row, headings: Sequence[Heading]) -> bool:
    return all(_fits(*place) for place in zip(cells, headings, strict=False)) and _measures(cells, headings)


def _lacks_last(headings: Sequence[Heading], row: Row) -> int:
    """How many remarks the row lacks at its end; 0 where it lacks none, or may lack something else."""
    count = len(headings) - len(row)
    remarks = headings[len(row) :]
    if count <= 0 or not row or not all(heading.column in ("attribute", "unknown") for heading in remarks):
        return 0
    is_read = all(_fits(*place) for place in zip(row, headings, strict=False))
    return count if is_read and _measures(row, headings) and not _lacks_first(headings, row) else 0


def _fits(cell: Cell, heading: Heading) -> bool:
    return fits(unmarked(cell), heading)


def _measures(cells: Row, headings: Sequence[Heading]) -> bool:
    return any(heading.is_value and not is_nothing(cell) for cell, heading in zip(cells, headings, strict=False))
