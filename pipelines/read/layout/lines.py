"""Pages to lines of text in the order of reading, with the place of every word in them.

A table row is one line with tabs between its cells; blocks are parted by an empty line, pages by a
form feed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from pipelines.read.document import PlacedLine, PlacedWord
from pipelines.read.layout.axis_labels import find_ticks, turned_runs
from pipelines.read.layout.blocks import Block, find_columns, in_order, join_segments
from pipelines.read.layout.segments import (
    NARROW,
    WIDE,
    Segment,
    Wall,
    join_words,
    parted,
    rows_of,
    walls_of,
)
from pipelines.read.layout.tables import find_table
from pipelines.read.page import Page, Shape, Word

_CELL_END = "\t"
_PAGE_START = "\f"


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
        groups = _arrange(upright, page.shapes, walls_of(page.shapes))
        # Rotated words name axes and categories; they are not part of the lines around them.
        for group in chain(groups, ([[run]] for run in turned_runs(page.words))):
            lines += [TextLine("", None)] if lines else []
            for cells in group:
                lines.append(_line(page.number, cells, begin))
                begin = ""
    return lines


def _arrange(
    words: Sequence[Word], shapes: Sequence[Shape], walls: Sequence[Wall]
) -> Iterator[list[list[list[Word]]]]:
    """Groups of lines in order, each line a list of cells, each cell a list of words."""
    if not words:
        return
    for blank in (NARROW, WIDE):
        rows = rows_of(join_words(words, blank, walls))
        if found := find_table(rows, shapes):
            first, end, table = found
            yield from _arrange(_words(rows[:first]), shapes, walls)
            yield [
                [[word for segment in cell for word in segment.words] for cell in row]
                for row in table
            ]
            yield from _arrange(_words(rows[end:]), shapes, walls)
            return
    if columns := find_columns(rows):
        first, end, middle = columns
        beside = [segment for row in rows[first:end] for segment in row]
        yield from _arrange(_words(rows[:first]), shapes, walls)
        yield from _arrange(_words([[s for s in beside if s.x1 <= middle]]), shapes, walls)
        yield from _arrange(_words([[s for s in beside if s.x1 > middle]]), shapes, walls)
        yield from _arrange(_words(rows[end:]), shapes, walls)
        return
    for block in in_order(_blocks([segment for row in rows for segment in row])):
        yield [[list(line.words)] for line in block.lines]


def _words(rows: Iterable[Iterable[Segment]]) -> list[Word]:
    return [word for row in rows for segment in row for word in segment.words]


def _blocks(segments: Sequence[Segment]) -> list[Block]:
    lying, standing = find_ticks(segments)
    ticks = {
        id(word)
        for segment in (*lying, *(tick for run in standing for tick in run))
        for word in segment.words
    }
    others = [segment for segment in segments if id(segment.words[0]) not in ticks]
    return [
        *join_segments(others),
        *(Block((axis,)) for axis in lying),
        *(Block(tuple(run)) for run in standing),
    ]


def _line(page: int, cells: Sequence[Sequence[Word]], text: str) -> TextLine:
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
