"""Pivots with a row of headings for each of their conditions, named in the first cells: `GPU`, `TP Size`, `ISL, OSL`.

What is measured stands in the words above the table. Headings in one or two rows belong in `header_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.headings import Heading, Qualifier, unknown_heading
from pipelines.extract.tables.qualified import heading_of
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_number
from pipelines.vocabulary.lookup import find

Row = tuple[Cell, ...]
# What a row of headings can say of the columns below it.
_CONDITIONS = frozenset({"platform", "model", "precision", "batch_size", "framework", "accelerator_count", "attribute"})
# One such row is an ordinary pivot; more than four were never seen.
_MIN_ROWS, _MAX_ROWS = 2, 4


def stacked_header_at(rows: Sequence[Row], position: int, quantity: Heading | None) -> tuple[list[Heading], int] | None:
    """The headings of such a table and in how many rows they stand, or None for another one.

    Args:
        rows: The rows of a grid.
        position: Its first row of headings.
        quantity: What the words above it say that its cells hold.
    """
    if quantity is None:
        return None
    named: list[tuple[Heading, Row]] = []
    corner: Heading | None = None
    corner_row: Row = ()
    count = 0
    for row in rows[position : position + _MAX_ROWS]:
        first = next((place for place, cell in enumerate(row) if not cell.is_blank), None)
        heading = heading_of(row[first]) if first is not None else None
        if heading is None or first is None or heading.column not in _CONDITIONS:
            break
        rest = row[first + 1 :]
        if all(cell.is_blank for cell in rest):
            corner, corner_row, count = heading, row, count + 1
            break
        named.append((heading, row))
        count += 1
    while position + count < len(rows) and all(cell.is_blank for cell in rows[position + count]):
        count += 1
    values = rows[position + count : position + count + 1]
    if not count >= _MIN_ROWS or not named or not any(heading.column == "platform" for heading, _ in named):
        return None
    if corner is None or not values or not any(parse_number(cell.text) for cell in values[0][1:]):
        return None
    start = next(place for place, cell in enumerate(named[0][1]) if not cell.is_blank)
    headings = []
    for place, cell in enumerate(corner_row):
        if not cell.is_blank:
            headings.append(corner)
        elif place > start and (qualifiers := _conditions_of(named, place)):
            below = named[-1][1][place]
            headings.append(replace(quantity, cell=below, qualifiers=qualifiers))
        else:
            headings.append(unknown_heading(cell))
    return headings, count


def _conditions_of(named: Sequence[tuple[Heading, Row]], place: int) -> tuple[Qualifier, ...]:
    """What the rows of headings say of one column; nothing where the last of them has no cell there."""
    found = []
    for heading, row in named:
        cell = row[place]
        if cell.is_blank and row is not named[-1][1]:
            # A name that holds for several columns stands in the first of them.
            cell = next((other for other in reversed(row[1:place]) if not other.is_blank), cell)
        text = " ".join(unmarked(cell).text.split())
        if not text:
            return ()
        entry = find("headings", heading.spelling or heading.cell.text)
        if heading.column == "attribute" and entry:
            text = f"{entry.name} {text}"
        found.append(Qualifier(heading.column, text))
    return tuple(found)
