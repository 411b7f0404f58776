"""The column check: whether each cell has the type and the shape of its column. What does not fit is reported, not
repaired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pipelines.extract.mentions import NAMES
from pipelines.extract.tabular.header import Column, Reading, fits
from pipelines.extract.tabular.values import is_nothing, is_numeric
from pipelines.read.document import Cell
from pipelines.read.wrong_characters import WRONG_CHARACTERS

if TYPE_CHECKING:
    Placed = Mapping[int, tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]]


class Damage(NamedTuple):
    """A row that is set apart, with its cells and the reason."""

    row: int
    cells: tuple[Cell, ...]
    reason: str


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
    if "\t" in text or (not text.isascii() and WRONG_CHARACTERS.search(text)):
        # Lines of a page that were joined, or another character than was printed.
        return False
    if meaning.role == "field":
        return meaning.column == "label" or fits(meaning, text)
    if meaning.role in ("value", "pivot") and len(reading.values) == 1 and meaning.metric is not None:
        return True
    return True


def _reason(column: Column, text: str) -> str:
    what = f"{text!r} cannot be a cell" if text else "a blank cell cannot be one"
    return f"{what} of the column {column.name!r}"


__all__ = ["NAMES", "Damage", "check_columns", "is_numeric"]
