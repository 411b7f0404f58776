"""Pages to lines of text in the order of reading, with the place of every word in them.

A table row is one line with tabs between its cells; blocks are parted by an empty line, pages by a
form feed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipelines.read.document import Cell, Grid, PlacedLine, PlacedWord, runs_of
from pipelines.read.layout.aligned_tables import find_table
from pipelines.read.layout.page_blocks import in_order, join_segments
from pipelines.read.layout.segments import Wall, join_words, parted, walls_of, words_of
from pipelines.read.page import Page, Shape, Word

_CELL_END = "\t"
_PAGE_START = "\f"
# White between words that may be a blank, in parts of the font size. Blanks in justified text grow
# to most of it; columns of a dense table are closer than that, but further apart than two blanks of
# text that is not justified.
_WIDE, _NARROW = 0.9, 0.5

Cells = list[list[Word]]


class PageLines(NamedTuple):
    """The lines of pages.

    Attributes:
        texts: The characters of each.
        places: The place of the words of each; None for an empty line.
        grids: The tables.
    """

    texts: list[str]
    places: list[PlacedLine | None]
    grids: list[Grid]


def lines_of_pages(pages: Iterable[Page]) -> PageLines:
    """The lines of all pages; every word of a page is on exactly one of them."""
    lines = PageLines([], [], [])
    for page in pages:
        begin = _PAGE_START if lines.texts else ""
        upright = [word for word in page.words if word.angle == 0]
        groups = list(_groups(upright, page.shapes, walls_of(page.shapes)))
        # Rotated words name axes and categories; they are not part of the lines around them.
        turned = runs_of((word for word in page.words if word.angle), _goes_on)
        groups += [[[run]] for run in turned]
        for group in groups:
            if lines.texts:
                lines.texts.append("")
                lines.places.append(None)
            rows = []
            for cells in group:
                rows.append(_add_line(lines, page.number, cells, begin))
                begin = ""
            if len(rows[0]) > 1:
                lines.grids.append(Grid(rows, rows[0][0].line, rows[-1][0].line))
    return lines


def _goes_on(run: Sequence[Word], word: Word, blank: float = 0.9, sizes: float = 0.1) -> bool:
    """True for the next word of a rotated label, in one direction and size."""
    last = run[-1]
    aside = max(word.x0 - last.x1, last.x0 - word.x1)
    apart = max(aside, word.top - last.bottom, last.top - word.bottom)
    is_alike = last.angle == word.angle and abs(last.size - word.size) <= sizes * word.size
    return is_alike and apart < blank * word.size


def _groups(
    words: Sequence[Word], shapes: Sequence[Shape], walls: Sequence[Wall]
) -> Iterator[list[Cells]]:
    """Tables and blocks in the order of reading: their lines, each a list of cells."""
    for blank in (_NARROW, _WIDE):
        rows = join_words(words, walls, blank)
        if found := find_table(rows, shapes):
            first, end, table = found
            yield from _groups(words_of(rows[:first]), shapes, walls)
            yield [[words_of([cell]) for cell in row] for row in table]
            yield from _groups(words_of(rows[end:]), shapes, walls)
            return
    for block in in_order(join_segments(rows)):
        yield [[list(line.words)] for line in block.lines]


def _add_line(lines: PageLines, page: int, cells: Cells, text: str) -> list[Cell]:
    """Add the line of these cells, after a text without a word; the cells with their characters."""
    number = len(lines.texts) + 1
    row, placed = [], []
    for index, words in enumerate(cells):
        text += _CELL_END if index else ""
        start = len(text)
        for position, word in enumerate(words):
            if position and parted(words[position - 1], word):
                text += " "
            placed.append(PlacedWord(len(text), len(text) + len(word.text), word))
            text += word.text
        row.append(Cell(text[start:], number, start, len(text)))
    lines.texts.append(text)
    lines.places.append(PlacedLine(page, tuple(placed)))
    return row
