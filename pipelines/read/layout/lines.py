"""Pages to lines of text in the order of reading, with the place of every word in them.

A table row is one line with tabs between its cells; blocks are parted by an empty line, pages by a
form feed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.read.document import Cell, Document, Grid, PlacedLine, PlacedWord, runs_of
from pipelines.read.layout.aligned_tables import find_table
from pipelines.read.layout.page_blocks import (
    in_order,
    is_wall,
    join_segments,
    join_words,
    parted,
    words_of,
)
from pipelines.read.page import Page, Shape, Word

_CELL_END = "\t"
_PAGE_START = "\f"
# White between words that may be a blank, in parts of the font size. Blanks in justified text grow
# to most of it; columns of a dense table are closer than that, but further apart than two blanks of
# text that is not justified.
_WIDE, _NARROW = 0.9, 0.5

Cells = list[list[Word]]


def document_of(pages: Sequence[Page]) -> Document:
    """A document of the lines of all pages, without its own facts; every word of a page is on
    exactly one line.
    """
    texts: list[str] = []
    places: list[PlacedLine | None] = []
    grids: list[Grid] = []
    for page in pages:
        begin = _PAGE_START if texts else ""
        upright = [word for word in page.words if word.angle == 0]
        walls = [shape for shape in page.shapes if is_wall(shape)]
        groups = list(_groups(upright, page.shapes, walls))
        # Rotated words name axes and categories; they are not part of the lines around them.
        turned = runs_of((word for word in page.words if word.angle), _goes_on)
        groups += [[[run]] for run in turned]
        for group in groups:
            if texts:
                texts.append("")
                places.append(None)
            rows = []
            for cells in group:
                text, row, words = _line(cells, len(texts) + 1, begin)
                texts.append(text)
                places.append(PlacedLine(page.number, tuple(words)))
                rows.append(row)
                begin = ""
            if len(rows[0]) > 1:
                grids.append(Grid(rows, rows[0][0].line, rows[-1][0].line))
    return Document("", None, tuple(texts), tuple(grids), tuple(pages), tuple(places))


def _goes_on(run: Sequence[Word], word: Word) -> bool:
    """True for the next word of a rotated label, in one direction and size."""
    last = run[-1]
    aside = max(word.x0 - last.x1, last.x0 - word.x1)
    apart = max(aside, word.top - last.bottom, last.top - word.bottom)
    is_alike = last.angle == word.angle and abs(last.size - word.size) <= 0.1 * word.size
    return is_alike and apart < _WIDE * word.size


def _groups(
    words: Sequence[Word], shapes: Sequence[Shape], walls: Sequence[Shape]
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


def _line(cells: Cells, number: int, text: str) -> tuple[str, list[Cell], list[PlacedWord]]:
    """The line of these cells, after a text without a word: its text, its cells, its words."""
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
    return text, row, placed
