"""The column check: whether each cell has the type and the shape of its column. What does not fit is reported, not
repaired.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pipelines.extract.tables.header import Column, Reading, fits
from pipelines.extract.tables.values import is_nothing
from pipelines.read.document import Cell
from pipelines.read.wrong_characters import WRONG_CHARACTERS

if TYPE_CHECKING:
    Placed = Mapping[int, tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]]


class Damage(NamedTuple):
    """A row that is set apart, with its cells and the reason."""

    row: int
    cells: tuple[Cell, ...]
    reason: str


# What a wrong encoding leaves of a no-break space.
_LEFT_OF_BLANKS = "?\u00c2\ufffd "


def check_columns(reading: Reading, rows: Sequence[int], placed: Placed) -> list[Damage]:
    """The rows of which a cell cannot be what its column holds.

    Args:
        reading: The reading of the table.
        rows: Rows of the grid, in order.
        placed: Cells of each row as texts, lines and starts, one for each column.
    """
    faults: dict[int, tuple[Column, str]] = {}
    for column in reading.columns:
        bad = {text for text in {placed[row][0][column.place] for row in rows} if not _holds(column, text, reading)}
        for row in rows if bad else ():
            if row not in faults and placed[row][0][column.place] in bad:
                faults[row] = column, placed[row][0][column.place]
    return [Damage(row, _cells(placed[row]), _reason(*faults[row])) for row in rows if row in faults]


def _cells(placed: tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]) -> tuple[Cell, ...]:
    return tuple(Cell(text, line, start, start + len(text)) for text, line, start in zip(*placed, strict=True))


def _holds(column: Column, text: str, reading: Reading) -> bool:
    meaning = column.meaning
    if not text or is_nothing(text):
        # A name that is left out shows a row that has lost it.
        return not (meaning.role == "field" and meaning.dimension in ("model", "platform") and not column.is_label)
    if not text.strip(_LEFT_OF_BLANKS) or "\t" in text or (not text.isascii() and WRONG_CHARACTERS.search(text)):
        # Lines of a page that were joined, or another character than was printed.
        return False
    if meaning.role == "field":
        return meaning.column == "label" or fits(meaning, text)
    return True


def _reason(column: Column, text: str) -> str:
    what = f"{text!r} cannot be a cell" if text else "a blank cell cannot be one"
    return f"{what} of the column {column.name!r}"


AMBIGUOUS = "the table writes decimals with a comma, so what a sign before three digits means is not clear"
# `64,5`, `17,63`: a comma before one or two digits, or before more than three
_DECIMAL_COMMA = re.compile(r"\d{1,9},(?:\d{1,2}|\d{4,9})(?!\d)[^,\d]{0,20}")
# `1.815`, `1,815`: what stands before exactly three digits may be a decimal sign or group thousands
_THREE_DIGITS = re.compile(r"\d{1,3}[.,]\d{3}(?!\d)[^,.\d]{0,20}")


def writes_decimal_commas(reading: Reading, rows: Sequence[int], placed: Placed) -> bool:
    """True for a table in whose values a comma stands where a decimal point would."""
    return any(_DECIMAL_COMMA.fullmatch(placed[row][0][c.place]) for c in reading.values for row in rows)


def is_ambiguous(text: str) -> bool:
    """True for a number that such a table may mean in two ways."""
    return _THREE_DIGITS.fullmatch(text) is not None
