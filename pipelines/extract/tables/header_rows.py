"""Where the headings of a grid stand: in one row or in two, with cells above that hold for several below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from pipelines.extract.tables.announced import Announced
from pipelines.extract.tables.grid import NUMBER_FIRST
from pipelines.extract.tables.headings import Heading, is_result_header, unknown_heading
from pipelines.extract.tables.pivots import completed
from pipelines.extract.tables.qualified import heading_of, heading_of_two, qualifier_in
from pipelines.extract.tables.stacked_headers import stacked_header_at
from pipelines.read.document import Cell
from pipelines.values.durations import unit_seconds
from pipelines.values.numbers import parse_number
from pipelines.vocabulary.units import find_unit

Row = tuple[Cell, ...]
# What cells of a row of results hold. Of one kind they may be headings: of releases, of lengths.
_VALUES = (
    # `SDK 3.1`
    re.compile(r"SDK\s*\d[\w.]*", re.IGNORECASE),
    # `54,784`
    re.compile(r"\d{1,3}(?:,\d{3})+"),
    # `16.16`
    re.compile(r"(?:8|16|32)\.(?:8|16|32)"),
)


def header_at(rows: Sequence[Row], position: int, announced: Announced) -> tuple[list[Heading], int]:
    """The headings that the rows from here on would be, and in how many rows they stand.

    `announced` is what the words above the table name, for headings that do not.
    """
    row = rows[position]
    if is_of_results(row):
        return [unknown_heading(cell) for cell in row], 1
    if stacked := stacked_header_at(rows, position, announced.quantity):
        return stacked
    below = rows[position + 1] if position + 1 < len(rows) else ()
    if _stands_above(row, below):
        groups = _filled(row, below)
        both = [heading_of_two(above, part) for above, part in zip(groups, below, strict=True)]
        both = completed(both, rows[position + 2 :], announced.quantity)
        if is_result_header(both, has_subject=announced.has_subject):
            return both, 2
    return completed([heading_of(cell) for cell in row], rows[position + 1 :], announced.quantity), 1


def is_of_results(row: Row) -> bool:
    """True for a row with values of two kinds, whose own headings are lost or stand elsewhere."""
    if sum(any(kind.fullmatch(cell.text.strip()) for cell in row) for kind in _VALUES) > 1:
        return True
    # `LLaMA 3.1 8B | 1 | fp8 | 128 | 24,311`: headings that are numbers have no name among them.
    numbers = [cell for cell in row if parse_number(cell.text) is not None]
    named = (qualifier_in(" ".join(cell.text.split())) for cell in row)
    return len(numbers) > 1 and any(qualifier and qualifier.column in ("model", "platform") for qualifier in named)


def _stands_above(row: Row, below: Row) -> bool:
    """True where the second row goes on with the headings: it has cells below one that spans, or below blank ones."""
    if len(row) != len(below) or len(row) < 2 or all(cell is row[0] for cell in row):
        return False
    spans = any(left is right for left, right in pairwise(row)) or any(
        above is part for above, part in zip(row, below, strict=True)
    )
    opens = any(above.is_blank and not part.is_blank for above, part in zip(row, below, strict=True))
    own = [part for above, part in zip(row, below, strict=True) if part is not above and not part.is_blank]
    if own and all(_is_unit(part) for part in own) and not any(map(_is_unit, row)):
        return True
    if not own or not (spans or opens):
        return False
    # A row of values begins with numbers where a heading says what they are: `1`, `8` below `Batch` alone are headings.
    return not any(NUMBER_FIRST.match(part.text) for part in own) or (spans and _are_below_one_cell(row, below, own))


def _is_unit(cell: Cell) -> bool:
    """True for a cell that holds a unit and nothing else, in brackets or not: `img/s`, `(ms)`, `%`."""
    text = cell.text.strip().strip("()[]").strip()
    return text == "%" or unit_seconds(text) is not None or find_unit(text) is not None


def _are_below_one_cell(row: Row, below: Row, own: list[Cell]) -> bool:
    """True where all cells of the second row stand below cells that span columns, as rows of values never do."""
    spanning = {id(left) for left, right in pairwise(row) if left is right}
    return all(id(above) in spanning for above, part in zip(row, below, strict=True) if part in own)


def _filled(row: Row, below: Row) -> Row:
    """The first row with each blank cell that has a heading below it taken for a part of the cell to its left."""
    filled: list[Cell] = []
    for place, cell in enumerate(row):
        joins = cell.is_blank and place and not below[place].is_blank and not below[place - 1].is_blank
        filled.append(filled[-1] if joins else cell)
    return tuple(filled)
