"""One walk over the blocks of a page, which the readers of Markdown, reStructuredText and HTML find:
headings, tables, code and text become a `Document`.

Lines keep their numbers. What a reader sees of marked-up words is written where they are printed.
How a text is parsed belongs in the readers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import TypeVar

from pipelines.read.document import Cell, Document, Grid, ReadError, runs_of
from pipelines.read.split_numbers import BOUNDARY, TYPOGRAPHIC, masked, superscript

T = TypeVar("T")

# Text of a line as it is printed, and as it is read.
Piece = tuple[str, str]
# Below the headings of a page: a bold line, the title of a block, `<summary>`
LEVEL_OF_TITLE = 7
# A bar between cells, not `\|`
_BAR = re.compile(r"(?<!\\)\|")
# `1200<sup>`, `1200[^1]`: a sign of markup behind one of a number
_SPLITS = re.compile(r"[0-9.,:][\\`*_\[<&~|!]")
# The longest cell and sentence that are read: unclosed markup is slow to parse
_MAX_CELL, _MAX_SENTENCE = 1_000, 2_000
# More places than any table of benchmarks has
_MAX_PLACES = 500_000


class Inline:
    """Texts as a reader sees them, each as long as its source.

    Attributes:
        marks: Text without any of these needs no parsing.
    """

    marks: re.Pattern[str]

    def pieces(self, source: str, whole: Collection[str]) -> list[Piece]:
        """The pieces of a text that are seen, with boundaries of the elements not in `whole`."""
        raise NotImplementedError

    def shown(self, source: str) -> str:
        """The source with blanks in the place of markup, where it is printed; as long as before."""
        if len(source) > _MAX_CELL or not self.marks.search(source):
            return source
        return _in_place(source, self.pieces(source, TYPOGRAPHIC))

    def masked(self, source: str) -> str:
        """A line of running text, which keeps its markup, with the digits of split numbers masked."""
        sentences = source.split(". ")
        for number, text in enumerate(sentences):
            # Markup right behind a digit is rare.
            if len(text) > _MAX_SENTENCE or not _SPLITS.search(text):
                continue
            behind, found = 0, self.pieces(text, ())
            for (printed, before), (_, seen) in zip(found, _settled(found), strict=True):
                at = text.find(printed, behind)
                if at >= 0 and len(seen) == len(printed):
                    behind = at + len(seen)
                    # A raised digit stays as it is written.
                    text = text[:at] + (seen if seen != before else printed) + text[behind:]
            sentences[number] = text
        return ". ".join(sentences)


class BlockWriter:
    """The lines of a page, and what its blocks make of them. Lines are given by their index.

    Attributes:
        texts: The lines, which are written anew in place.
        inline: What is seen of marked-up words.
        done: The lines of headings, of tables and of what is not seen.
    """

    def __init__(self, texts: list[str], inline: Inline) -> None:
        self.texts = texts
        self.inline = inline
        self.done: set[int] = set()
        self._grids: list[Grid] = []
        self._levels: list[tuple[int, int]] = []
        self._verbatim: list[range] = []

    def text(self, line: int) -> None:
        """Write a line of running text."""
        self.texts[line] = self.inline.masked(self.texts[line])

    def hide(self, lines: range) -> None:
        """Leave out lines that are not seen."""
        self.texts[lines.start : lines.stop] = [""] * len(lines)
        self.done.update(lines)

    def heading(self, lines: range, cell: Cell, level: int = 0) -> None:
        """Write a heading: all but its words is markup. Words of level 0 head nothing."""
        self.hide(lines)
        words = " " * cell.start + self.inline.shown(cell.text)
        self.texts[cell.line - 1] = words.rstrip()
        if level and words.strip():
            self.level(cell.line - 1, level)

    def level(self, line: int, level: int) -> None:
        """Keep a heading that is written, or a blank line that ends what one heads."""
        self._levels.append((line + 1, level))

    def note(self, line: int, label: str, end: int) -> None:
        """Write the label of a footnote in place of what is before its text."""
        self.texts[line] = f"{superscript(label)}:".ljust(end) + self.texts[line][end:]

    def verbatim(self, lines: range) -> None:
        """Keep lines as a program has written them."""
        self._verbatim.append(range(lines.start + 1, lines.stop + 1))

    def table(
        self, lines: range, rows: Sequence[Sequence[Cell]], caption: Cell | None = None
    ) -> None:
        """Write the cells of a table; one that spans is the same object in each of its places."""
        shown = {id(cell): self._write_cell(cell) for cell in chain.from_iterable(rows)}
        seen = [[shown[id(cell)] for cell in row] for row in rows]
        self.grid(lines, seen, self._write_cell(caption) if caption else None)

    def grid(self, lines: range, rows: Sequence[Sequence[Cell]], caption: Cell | None) -> None:
        """Keep a table that is written."""
        self.done.update(lines)
        self._grids.append(Grid(rows, lines.start + 1, lines.stop, caption))

    def _write_cell(self, cell: Cell) -> Cell:
        text, line = self.inline.shown(cell.text), self.texts[cell.line - 1]
        self.texts[cell.line - 1] = line[: cell.start] + text + line[cell.end :]
        return Cell(text, cell.line, cell.start, cell.end).stripped()

    def document(self, document: Document) -> Document:
        """A document with these lines and what was found in them."""
        # The higher one of two headings on one line counts.
        levels = dict(sorted(self._levels, reverse=True))
        return replace(
            document,
            texts=tuple(self.texts),
            grids=tuple(sorted(self._grids, key=lambda grid: grid.first_line)),
            levels=tuple(sorted(levels.items())),
            blocks=tuple(sorted(self._verbatim, key=lambda lines: lines.start)),
        )


def spread(rows: Sequence[Sequence[tuple[T, int, int]]], line: int) -> list[list[T]]:
    """The rows of a table, with a cell in each of the places that it spans.

    Args:
        rows: The cells that each row prints, with the number of rows and columns they cover. A row
            without cells counts, and is left out.
        line: Line of the table, for the message of an error.

    Raises:
        ReadError: `too_large`, for a table whose cells span more places than any table has.
    """
    cells_of_one = all(height == width == 1 for _, height, width in chain.from_iterable(rows))
    if cells_of_one and sum(map(len, rows)) <= _MAX_PLACES:
        return [[cell for cell, _, _ in cells] for cells in rows if cells]
    places = 0
    table: list[dict[int, T]] = [{} for _ in rows]
    for number, cells in enumerate(rows):
        column = 0
        for cell, height, width in cells:
            while column in table[number]:
                column += 1
            spanned = table[number : number + height]
            places += len(spanned) * width
            if places > _MAX_PLACES:
                reason = f"a table of the page has more than {_MAX_PLACES:,} cells"
                raise ReadError("too_large", reason, line)
            for row in spanned:
                row.update(dict.fromkeys(range(column, column + width), cell))
    # A gap is a place that only a cell from above reaches over; nothing is printed there.
    printed = [row for row, cells in zip(table, rows, strict=True) if cells]
    return [[row[column] for column in sorted(row)] for row in printed]


def ranges_of(lines: Iterable[int]) -> list[range]:
    """The ranges that these numbers make."""
    runs = runs_of(sorted(lines), lambda run, line: line == run[-1] + 1)
    return [range(run[0], run[-1] + 1) for run in runs]


def cells_between_bars(text: str, start: int = 0) -> list[tuple[int, int]]:
    """The start and end of the cells of a row, with blanks, without bars at its ends."""
    bars = [match.start() for match in _BAR.finditer(text, start)]
    edges = [start - 1, *bars, len(text)]
    if bars and not text[start : bars[0]].strip():
        edges = edges[1:]
    if bars and not text[bars[-1] + 1 :].strip():
        edges = edges[:-1]
    return [(low + 1, high) for low, high in pairwise(edges)]


def _in_place(source: str, pieces: Sequence[Piece]) -> str:
    """The source with blanks in the place of its markup, as long as before.

    Where blanks would part a word (`23h&nbsp;43m`) the words follow each other, and the blanks are
    behind them.

    Args:
        source: The text as it is printed.
        pieces: What is seen of it, in order.
    """
    pieces = _settled(pieces)
    words = _words("".join(seen for _, seen in pieces))
    written, first = "", -1
    for printed, seen in pieces:
        at = source.find(printed, len(written))
        if at < 0:
            written = ""
            break
        if seen.strip() and first < 0:
            first = at + len(seen) - len(seen.lstrip())
        if printed:
            # Of `\\-` the sign is at the end.
            seen = seen.rjust(len(printed)) if printed[0] == "\\" else seen.ljust(len(printed))
            written = written.ljust(at) + seen
    if _words(written) != words:
        text = " ".join(words)
        written = " " * min(max(first, 0), len(source) - len(text)) + text
    return written.ljust(len(source)) if len(written) <= len(source) else source


def _settled(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with split numbers masked, and without boundaries."""
    whole, behind = masked("".join(seen for _, seen in pieces)), 0
    found: list[Piece] = []
    for printed, seen in pieces:
        found.append((printed, whole[behind : behind + len(seen)].replace(BOUNDARY, "")))
        behind += len(seen)
    return found


def _words(text: str) -> list[str]:
    # A no-break space holds words together.
    return [word for word in text.split(" ") if word]
