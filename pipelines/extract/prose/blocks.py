"""Running text as blocks of lines: what stands between blank lines, and between the blank ones in joined lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from pipelines.read.document import Document, Line

# What a blank line between two others becomes where lines are joined by tabs
_BLANK_LINE = re.compile(r"\t\s*\t")
# `Graphcore: first MLPerf results` is a heading; a row of a table has a cell that is only a number.
_WORDS_OF_PROSE = 4
# Between the cells of a row: `9,000 tokens/sec | 8,100 tokens/sec`
_CELL_BOUNDARY = re.compile(r"(?<=\S)(?:\t+|\s+\|\s+)(?=\S)")
_BARE_NUMBER = re.compile(r"(?=\D*\d)[\W\d]+[A-Za-z%]{0,2}")


def read_blocks(document: Document, taken: Collection[int]) -> Iterator[list[Line]]:
    """The blocks in order, without the lines that are `taken` and the rows of tables.

    Lines that were joined by tabs are parted again at their blank lines; each part keeps its place in the line.
    """
    block: list[Line] = []
    rows = rows_of_tables(document)
    for number, text in enumerate(document.texts, start=1):
        parts = [] if number in taken or not text.strip() else _parts(document, Line(number, text))
        if number in rows and len(parts) == 1:
            parts = []
        if (not parts or len(parts) > 1) and block:
            yield block
            block = []
        block += parts[-1:]
        yield from ([part] for part in parts[:-1])
    if block:
        yield block


def _parts(document: Document, line: Line) -> list[Line]:
    if "\t" not in line.text or _is_row(document, line):
        return [line]
    borders = [0, *(place for match in _BLANK_LINE.finditer(line.text) for place in match.span()), len(line.text)]
    # Blanks stand for what is before a part, so that its characters stay where they are printed.
    parts = [
        Line(line.number, " " * start + line.text[start:end])
        for start, end in zip(borders[::2], borders[1::2], strict=True)
    ]
    parts = [part for part in parts if not part.is_blank]
    texts = [piece.strip() for part in parts for piece in part.text.split("\t")]
    if any(map(_BARE_NUMBER.fullmatch, texts)) or all(len(text.split()) < _WORDS_OF_PROSE for text in texts):
        return [line]
    return parts


def _is_row(document: Document, line: Line) -> bool:
    """True for a line with another line of cells beside it, as a row of a table has; its empty cells part nothing."""
    beside = (number for number in (line.number - 1, line.number + 1) if 1 <= number <= len(document.lines))
    return any("\t" in document.line(number).text.strip() for number in beside)


def rows_of_tables(document: Document) -> set[int]:
    """The lines that hold several cells of a table: `Llama 2 7B | 9,000 tokens/sec | 8,100 tokens/sec` says nothing."""
    shown = {
        (line, start)
        for grid in document.grids
        if not grid.has_line_per_cell
        for row in zip(grid.lines, grid.starts, grid.texts, strict=True)
        for line, start, text in zip(*row, strict=True)
        if text
    }
    several = {number for number, count in Counter(number for number, _ in shown).items() if count > 1}
    return several | {number for number, text in enumerate(document.texts, start=1) if _has_cells(text)}


def _has_cells(text: str) -> bool:
    # Few lines hold one of the two marks, and the search is slow where many blanks stand together.
    return ("|" in text or "\t" in text) and len(_CELL_BOUNDARY.findall(text)) > 1
