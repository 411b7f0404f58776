"""Which cell of a row stands in which column: titles between rows, names left out, cut rows, cells of another type.

What does not fit is reported with its reason, and not repaired. What a cell states belongs in `cells.py`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipelines.extract.mentions import NAMES, find_mentions
from pipelines.extract.tables.column_types import fits
from pipelines.extract.tables.header import Column, Reading
from pipelines.extract.tables.values import is_nothing, is_numeric
from pipelines.read.document import Cell, Grid
from pipelines.read.wrong_characters import WRONG_CHARACTERS

# In a table of so few rows one name may be left out; in a longer one a single blank cell has lost it.
_SHORT_TABLE = 4
# What a wrong encoding leaves of a no-break space.
_LEFT_OF_BLANKS = "?\u00c2\ufffd "
# Titles over rows that say how these were run.
_TITLED = frozenset(
    {
        *("platform", "precision", "batch_size", "sequence_length", "task", "suite", "framework", "scenario"),
        *("accelerator_count", "input_length", "output_length"),
    }
)
# `64,5`, `17,63`: a comma before one or two digits, or before more than three
_DECIMAL_COMMA = re.compile(r"\d{1,9},(?:\d{1,2}|\d{4,9})(?!\d)[^,\d]{0,20}")
# `1.815`, `1,815`: what stands before exactly three digits may be a decimal sign or group thousands
_THREE_DIGITS = re.compile(r"\d{1,3}[.,]\d{3}(?!\d)[^,.\d]{0,20}")
AMBIGUOUS = "the table writes decimals with a comma, so what a sign before three digits means is not clear"


class Row(NamedTuple):
    """The cells of a row, one for each column: texts, lines from 1, first characters."""

    texts: tuple[str, ...]
    lines: tuple[int, ...]
    starts: tuple[int, ...]

    def cut(self, end: int) -> Row:
        """Its first cells."""
        return Row(self.texts[:end], self.lines[:end], self.starts[:end])

    def behind(self, first: Row) -> Row:
        """The cells of another row, then its own from there on."""
        n = len(first.texts)
        return Row(first.texts + self.texts[n:], first.lines + self.lines[n:], first.starts + self.starts[n:])

    def cell(self, at: int) -> Cell:
        return Cell(self.texts[at], self.lines[at], self.starts[at], self.starts[at] + len(self.texts[at]))

    def cells(self) -> tuple[Cell, ...]:
        return tuple(self.cell(at) for at in range(len(self.texts)))


class Damage(NamedTuple):
    """A row that is set apart, with its cells and the reason."""

    row: int
    cells: tuple[Cell, ...]
    reason: str


@dataclass
class Aligned:
    """The rows below a header, by their place in the grid.

    Attributes:
        rows: Rows with a cell for each column.
        titles: Rows that hold for those below them.
        damages: Rows that cannot be what the header says.
    """

    rows: dict[int, Row] = field(default_factory=dict)
    titles: dict[int, Cell] = field(default_factory=dict)
    damages: list[Damage] = field(default_factory=list)


def align_rows(reading: Reading, limit: int | None = None) -> Aligned:
    """The rows of a reading, each with a cell for each column.

    Args:
        reading: The reading.
        limit: Rows to read, for a sample.
    """
    grid, found = reading.grid, Aligned()
    width = len(reading.columns)
    header = {tuple(grid.texts[row]) for row in range(reading.first, reading.first + reading.depth)}
    for number in list(reading.body)[:limit]:
        row = Row(tuple(grid.texts[number]), tuple(grid.lines[number]), tuple(grid.starts[number]))
        if row.texts in header or not any(row.texts):
            continue
        if title := _title(reading, number, row):
            found.titles[number] = title
        elif whole := _aligned(reading, row):
            found.rows[number] = whole
        else:
            reason = f"{len(row.texts)} cells stand where {width} are expected; the row is cut or has a cell too many"
            found.damages.append(Damage(number, row.cells(), reason))
    if found.titles and (last := max(found.titles)) > max(found.rows, default=-1):
        # Nothing stands below it that it could be the title of.
        meaning, title = reading.columns[0].meaning, found.titles[last]
        begins = title.text[:1]
        is_name = meaning.role == "field" and meaning.dimension in NAMES and fits(meaning, title.text)
        # `* Measured with SDK 3.2` is a footnote.
        if is_name and begins.isascii() and begins.isalnum():
            del found.titles[last]
            found.damages.append(Damage(last, (title,), f"of a row only {title.text!r} is left"))
    _forward_fill(reading, found.rows)
    for damage in _of_other_types(reading.columns, found.rows):
        found.damages.append(damage)
        del found.rows[damage.row]
    return found


def _title(reading: Reading, number: int, row: Row) -> Cell | None:
    """The one text of a row that is no value: it holds for the rows below it."""
    texts, width = row.texts, len(reading.columns)
    present = {text for text in texts if text}
    if len(present) != 1 or width < 2:
        return None
    text = next(iter(present))
    if is_numeric(text) or is_nothing(text) or not texts[0]:
        return None
    spans = len(texts) == 1 or (number, 1) in reading.grid.spans or sum(bool(t) for t in texts) > 1
    is_named = reading.columns[0].meaning.dimension in NAMES and not text.startswith("**")
    if not spans and is_named and len(texts) == width and not any(m.kind in _TITLED for m in find_mentions(text)):
        # A row that only names its model has lost its values, unless what it says is a condition.
        return None
    return row.cell(0)


def _aligned(reading: Reading, row: Row) -> Row | None:
    """A row with a cell for each column; None where they are too many or where they belong is not clear."""
    grid, width = reading.grid, len(reading.columns)
    while len(row.texts) > width and not row.texts[-1]:
        row = row.cut(-1)
    if len(row.texts) == width and (row.texts[-1] or grid.holds_records or _fits_at(reading, row.texts, 0)):
        return row
    if len(row.texts) == width:
        # A file pads a row that lacks its first cells at the end.
        printed = next(n for n in range(width, 0, -1) if row.texts[n - 1])
        row = row.cut(printed)
    missing = width - len(row.texts)
    if missing <= 0 or grid.holds_records:
        return None
    blank = ("",) * missing
    # A name printed once for several rows was left out: the cells move right where only that fits. A row of which
    # only values are left says nothing of its own.
    leading, kept = reading.columns[:missing], reading.columns[missing:]
    is_left_out = all(c.meaning.role == "field" for c in leading) and any(c.meaning.role == "field" for c in kept)
    if is_left_out and _fits_at(reading, row.texts, missing) and not _fits_at(reading, row.texts, 0):
        return Row(blank + row.texts, row.lines[:1] * missing + row.lines, row.starts[:1] * missing + row.starts)
    if grid.layout == "markdown":
        # What no row says is left out at the end.
        return Row(row.texts + blank, row.lines + row.lines[-1:] * missing, row.starts + row.starts[-1:] * missing)
    return None


def _fits_at(reading: Reading, texts: Sequence[str], shift: int) -> bool:
    """Whether each text can be a cell of the column so many places further right."""
    for at, text in enumerate(texts):
        if not text or is_nothing(text):
            continue
        meaning = reading.columns[at + shift].meaning
        if meaning.role == "field" and not fits(meaning, text):
            return False
        if meaning.role in ("value", "pivot") and not is_numeric(text):
            return False
    return True


def _forward_fill(reading: Reading, rows: dict[int, Row]) -> None:
    """Fill leading blank cells of names from the row above, where a table prints a name once for several rows."""
    grid: Grid = reading.grid
    leading = [c.place for c in itertools.takewhile(lambda c: c.meaning.role == "field", reading.columns)]
    if not leading or grid.holds_records:
        return
    pairs = list(itertools.pairwise(rows))
    fillable = set()
    for place in leading:
        blanks = sum(not rows[row].texts[place] for _, row in pairs)
        if not blanks or (blanks == 1 and len(rows) > _SHORT_TABLE):
            continue
        if not any(
            rows[above].texts[place]
            and rows[above].texts[place] == rows[row].texts[place]
            and (row, place) not in grid.spans
            for above, row in pairs
        ):
            fillable.add(place)
    for above, row in pairs if fillable else ():
        filled = 0
        for place in leading:
            if rows[row].texts[place] or place not in fillable:
                break
            filled = place + 1
        rows[row] = rows[row].behind(rows[above].cut(filled))


def _of_other_types(columns: Sequence[Column], rows: dict[int, Row]) -> list[Damage]:
    """The rows of which a cell has neither the type nor the shape of its column."""
    faults: dict[int, tuple[Column, str]] = {}
    for column in columns:
        bad = {text for text in {row.texts[column.place] for row in rows.values()} if not _holds(column, text)}
        for number, row in rows.items() if bad else ():
            if number not in faults and row.texts[column.place] in bad:
                faults[number] = column, row.texts[column.place]
    return [Damage(number, rows[number].cells(), _reason(*faults[number])) for number in rows if number in faults]


def _holds(column: Column, text: str) -> bool:
    meaning = column.meaning
    if not text or is_nothing(text):
        # A name that is left out shows a row that has lost it.
        return not (meaning.role == "field" and meaning.dimension in ("model", "platform") and not column.is_label)
    if not text.strip(_LEFT_OF_BLANKS) or "\t" in text or (not text.isascii() and WRONG_CHARACTERS.search(text)):
        # Lines of a page that were joined, or another character than was printed.
        return False
    return meaning.role != "field" or meaning.column == "label" or fits(meaning, text)


def _reason(column: Column, text: str) -> str:
    what = f"{text!r} cannot be a cell" if text else "a blank cell cannot be one"
    return f"{what} of the column {column.name!r}"


def writes_decimal_commas(reading: Reading, rows: Iterable[Row]) -> bool:
    """True for a table in whose values a comma stands where a decimal point would."""
    texts = {row.texts[column.place] for row in rows for column in reading.values}
    return any(map(_DECIMAL_COMMA.fullmatch, texts))


def is_ambiguous(text: str) -> bool:
    """True for a number that such a table may mean in two ways."""
    return _THREE_DIGITS.fullmatch(text) is not None
