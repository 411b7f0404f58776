"""A document as numbered lines, and the place of printed characters in it.

No file format is known here (see `text.py`), and no meaning (see `extract`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import NamedTuple, TypeVar

from pipelines.exceptions import BenchledgerError
from pipelines.read.page import Box, Page, Word, around

T = TypeVar("T")


class ReadError(BenchledgerError):
    """A stored document that cannot be read.

    Attributes:
        rule: Short name of the error, as in `audit.rejects`.
        reason: The sentence a user reads, with a hint what to do.
        line: Line of the first fault, from 1.
    """

    def __init__(self, rule: str, reason: str, line: int = 1) -> None:
        super().__init__(reason, line=line)
        self.rule = rule

    def __str__(self) -> str:
        return f"{self.rule} in line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Note:
    """A part of a readable document that is lost or doubtful.

    Attributes:
        rule: Short name, as in `audit.rejects`.
        reason: The sentence a user reads.
        page: Page it is about, from 1; None for the document.
        scope: `page` where something of it is lost, `note` where nothing is known to be.
    """

    rule: str
    reason: str
    page: int | None
    scope: str


class Cell(NamedTuple):
    """Printed characters and their place: a table cell, a number in a sentence, a bar label.

    Attributes:
        text: The characters themselves.
        line: Their line, from 1.
        start: First character within the line, from 0.
        end: One past the last character.
    """

    text: str
    line: int
    start: int
    end: int

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    def part(self, start: int, end: int) -> Cell:
        """The characters `start`..`end` of this cell, counted within the cell."""
        return Cell(self.text[start:end], self.line, self.start + start, self.start + end)

    def matched(self, match: re.Match[str], group: int | str = 0) -> Cell:
        """The characters of a match that was made on this cell's text."""
        # RE2 has offsets of groups by number only.
        return self.part(
            *match.span(match.re.groupindex[group] if isinstance(group, str) else group)
        )

    def stripped(self) -> Cell:
        """The same cell without white space (no-break spaces too) at either end."""
        text = self.text.strip()
        if len(text) == len(self.text):
            return self
        start = self.text.find(text)
        return self.part(start, start + len(text))


class Line(NamedTuple):
    """One line of a document; `number` counts from 1, `text` is without its line ending."""

    number: int
    text: str

    @property
    def is_blank(self) -> bool:
        """True for a line without any visible character."""
        return not self.text.strip()

    @property
    def cell(self) -> Cell:
        """The line's text without white space at its ends, with its place."""
        return Cell(self.text, self.number, 0, len(self.text)).stripped()

    def matched(self, match: re.Match[str], group: int | str = 0) -> Cell:
        """The characters of a match that was made on this line's text."""
        return Cell(self.text, self.number, 0, len(self.text)).matched(match, group)


@dataclass(frozen=True)
class Grid:
    """A table with rows and columns.

    A row has as many cells as it prints, also where the format adds blank ones (Markdown, HTML) or
    drops those beyond its header (Markdown).

    Attributes:
        rows: The cells of each row, without white space at their ends. A cell that spans several
            rows or columns is one object in all of its places.
        first_line: First line that belongs to the table.
        last_line: Last line that belongs to it.
        caption: Title that the file gives the table, or None.
        path: Which list of records it is, such as `results[].metrics[]`; "" for other tables.
        keys: For each column of such a table the keys that lead to its values, from outside; the
            first has `^` before it for a value around the list.
    """

    rows: Sequence[Sequence[Cell]]
    first_line: int
    last_line: int
    caption: Cell | None = None
    path: str = ""
    keys: Sequence[tuple[Cell, ...]] = ()

    def __post_init__(self) -> None:
        # Documents are remembered by what they hold, so it must be hashable.
        object.__setattr__(self, "rows", tuple(map(tuple, self.rows)))

    @cached_property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """Printed text of each cell, row by row; "" for a blank cell. A heading of records is all of
        its keys, with dots between them.
        """
        texts = [tuple([cell.text for cell in row]) for row in self.rows]
        if self.keys:
            texts[0] = tuple([".".join(key.text for key in keys) for keys in self.keys])
        return tuple(texts)

    @cached_property
    def lines(self) -> tuple[tuple[int, ...], ...]:
        """Line of each cell, from 1."""
        return tuple(tuple([cell.line for cell in row]) for row in self.rows)

    @cached_property
    def spans(self) -> dict[tuple[int, int], tuple[int, int]]:
        """(row, column) of each place of a spanning cell -> (row, column) of its first place."""
        ids = [*map(id, chain.from_iterable(self.rows))]
        if len({*ids}) == len(ids):
            return {}
        places: dict[int, list[tuple[int, int]]] = {}
        for number, row in enumerate(self.rows):
            for column, cell in enumerate(row):
                places.setdefault(id(cell), []).append((number, column))
        spans: dict[tuple[int, int], tuple[int, int]] = {}
        for first, *others in places.values():
            if others:
                spans |= dict.fromkeys([first, *others], first)
        return spans

    @cached_property
    def has_line_per_cell(self) -> bool:
        """True where no two cells are on one line, as on a page of HTML."""
        cells = {id(cell): cell.line for row in self.rows for cell in row}
        return len(set(cells.values())) == len(cells)

    def cell(self, row: int, column: int) -> Cell:
        """The cell in a place, with its characters."""
        return self.rows[row][column]


def runs_of(items: Iterable[T], goes_on: Callable[[list[T], T], bool]) -> list[list[T]]:
    """Group consecutive items: each continues the previous group, or begins a new one."""
    runs: list[list[T]] = []
    for item in items:
        if runs and goes_on(runs[-1], item):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word of a page at the characters `start`..`end` of a line."""

    start: int
    end: int
    word: Word

    def box(self, start: int, end: int) -> Box:
        """The box around those of its characters that are at `start`..`end` of the line."""
        word = self.word
        first, last = max(start, self.start) - self.start, min(end, self.end) - self.start
        if word.angle not in (0, 90, 180, 270) or (first, last) == (0, len(word.text)):
            return word.box
        low, high = sorted((word.edges[first], word.edges[last]))
        if word.angle in (90, 270):
            return word.x0, low, word.x1, high
        return low, word.top, high, word.bottom


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a page: its page, from 1, and its words."""

    page: int
    words: tuple[PlacedWord, ...]

    def box(self, start: int, end: int) -> Box | None:
        """The box around the characters `start`..`end` of the line; None where no word is there."""
        boxes = [
            word.box(start, end) for word in self.words if word.start < end and word.end > start
        ]
        if not boxes:
            return None
        x0, top, x1, bottom = around(boxes)
        return round(x0, 3), round(top, 3), round(x1, 3), round(bottom, 3)


@dataclass(frozen=True)
class Document:
    """A stored document as lines.

    Attributes:
        document_id: sha256 of the stored bytes, in hex.
        format: Source format stated by the sidecar, or None when it shall be found from the
            content.
        texts: The texts of all lines, in order.
        grids: The tables that the file format shows, in order; a plain text shows none.
        pages: The contents of its pages; empty for a document without pages.
        places: The place of each line on its page, in the order of `lines`; empty for a document
            without pages.
        notes: What is lost or doubtful in it.
        levels: (line, level) of every heading, in order, where the file format says how deep it is:
            1 is the highest. A blank line among them ends the part that a heading of its level has
            begun.
        is_open_ended: Whether the last line of a text has no end: it may have been cut there.
        blocks: The lines of each part that a page shows as a program has written it: code, literal
            text, quotations.
        is_data: Whether it holds records, and no sentence or log.
    """

    document_id: str
    format: str | None
    texts: tuple[str, ...]
    grids: tuple[Grid, ...] = ()
    pages: tuple[Page, ...] = ()
    places: tuple[PlacedLine | None, ...] = ()
    notes: tuple[Note, ...] = ()
    levels: tuple[tuple[int, int], ...] = ()
    is_open_ended: bool = False
    blocks: tuple[range, ...] = ()
    is_data: bool = False

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All lines in order; `lines[n].number == n + 1`."""
        return tuple(map(Line, count(1), self.texts))

    def line(self, number: int) -> Line:
        """The line with this number, counted from 1."""
        return Line(number, self.texts[number - 1])

    def without(self, taken: Collection[int]) -> Iterator[Line]:
        """The lines whose numbers are not in `taken`, in order."""
        return (line for line in self.lines if line.number not in taken)

    def box(self, cell: Cell) -> tuple[int, Box] | None:
        """The page of printed characters, from 1, and the box around them; None in a document
        without pages.
        """
        place = self.places[cell.line - 1] if cell.line <= len(self.places) else None
        box = place.box(cell.start, cell.end) if place else None
        return (place.page, box) if place and box else None
