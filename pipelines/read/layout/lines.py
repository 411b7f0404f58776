"""Pages to lines of text in the order of reading, with the place of every word in them.

A table row is one line with tabs between its cells; blocks are parted by an empty line, pages by a
form feed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.read.document import PlacedLine, PlacedWord, runs_of
from pipelines.read.layout.blocks import in_order, join_segments
from pipelines.read.layout.segments import Wall, join_words, parted, walls_of, words_of
from pipelines.read.layout.tables import find_table
from pipelines.read.page import Page, Shape, Word

_CELL_END = "\t"
_PAGE_START = "\f"
# White between words that may be a blank, in parts of the font size. Blanks in justified text grow
# to most of it; columns of a dense table are closer than that, but further apart than two blanks of
# text that is not justified.
_WIDE, _NARROW = 0.9, 0.5

Cells = list[list[Word]]


@dataclass(frozen=True)
class TextLine:
    """A line of text.

    Attributes:
        text: Its characters.
        place: The place of its words; None for an empty line.
        cells: Start and end of the cells of a table row; empty for any other line.
    """

    text: str
    place: PlacedLine | None
    cells: tuple[tuple[int, int], ...] = ()


def lines_of_pages(pages: Iterable[Page]) -> list[TextLine]:
    """The lines of all pages; every word of a page is on exactly one of them."""
    lines: list[TextLine] = []
    for page in pages:
        begin = _PAGE_START if lines else ""
        upright = [word for word in page.words if word.angle == 0]
        groups = list(_groups(upright, page.shapes, walls_of(page.shapes)))
        # Rotated words name axes and categories; they are not part of the lines around them.
        turned = runs_of((word for word in page.words if word.angle), _goes_on)
        groups += [[[run]] for run in turned]
        for group in groups:
            lines += [TextLine("", None)] if lines else []
            for cells in group:
                lines.append(_line(page.number, cells, begin))
                begin = ""
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


def _line(page: int, cells: Cells, text: str) -> TextLine:
    """The line of these cells, after a text without a word."""
    placed, spans = [], []
    for index, cell in enumerate(cells):
        text += _CELL_END if index else ""
        start = len(text)
        for position, word in enumerate(cell):
            if position and parted(cell[position - 1], word):
                text += " "
            placed.append(PlacedWord(len(text), len(text) + len(word.text), word))
            text += word.text
        spans.append((start, len(text)))
    return TextLine(text, PlacedLine(page, tuple(placed)), tuple(spans) if len(spans) > 1 else ())
