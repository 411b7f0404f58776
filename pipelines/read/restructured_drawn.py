"""The drawn tables of reStructuredText, `+---+---+` and `====  ====`; cells may span, and be wrapped over lines.

docutils says which cells there are; here each finds its characters. A row stands where it is printed; where a cell of
it is wrapped, on its first line with bars between its cells.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from docutils.parsers.rst.tableparser import GridTableParser, SimpleTableParser, TableMarkupError
from docutils.statemachine import StringList

from pipelines.read.document import Cell

# `+------+-----+`
_BORDER = re.compile(r"\s*\+-[-+]+-\+\s*")
# `======  =====  ====`
_RULER = re.compile(r"\s*=+(?: +=+)+\s*")
_COLUMN = re.compile(r"=+")
# Nothing printed; stands behind a character that is two columns wide.
_FILL = "\x00"
# The parser looks at each corner and each line of a block several times; no table of benchmarks is as large.
_MAX_PLACES = 2_000_000
_MAX_CORNERS = 500


class Drawn(NamedTuple):
    """A drawn table.

    Attributes:
        rows: Its cells, one that spans in each place; lines are counted from 1 within the whole text.
        texts: What stands for its lines.
        heading_rows: Rows above the ruler below the headings.
    """

    rows: list[list[Cell]]
    texts: list[str]
    heading_rows: int


class _Place(NamedTuple):
    """A cell: its first line, row and column, how many of these it covers, its pieces as (line, place, text)."""

    top: int
    row: int
    column: int
    rows: int
    columns: int
    pieces: list[tuple[int, int, str]]


def drawn_lines(texts: Sequence[str]) -> list[range]:
    """The lines that look like drawn tables, from border to border, whether they are sound or not."""
    found, position = list[range](), 0
    # A ruler belongs to the next one or two of them.
    rulers = [line for line, text in enumerate(texts) if "==" in text and _RULER.fullmatch(text)]
    next_ruler = 0
    while position < len(texts):
        end = position
        if "+-" in texts[position] and _BORDER.fullmatch(texts[position]):
            end = _end_of_grid(texts, position)
        elif "==" in texts[position]:
            while next_ruler < len(rulers) and rulers[next_ruler] < position:
                next_ruler += 1
            if next_ruler < len(rulers) and rulers[next_ruler] == position:
                end = _end_of_simple(texts, rulers[next_ruler + 1 : next_ruler + 3])
        if end > position:
            found.append(range(position, end))
        position = max(end, position + 1)
    return found


def _end_of_grid(texts: Sequence[str], position: int) -> int:
    end = position
    while end < len(texts) and texts[end].lstrip()[:1] in ("+", "|"):
        end += 1
    return end if end > position + 2 and _BORDER.fullmatch(texts[end - 1]) else position


def _end_of_simple(texts: Sequence[str], rulers: Sequence[int]) -> int:
    for count, ruler in enumerate(rulers, start=1):
        if count == 2 or ruler + 1 == len(texts) or not texts[ruler + 1].strip():
            return ruler + 1
    return 0


def read_drawn(texts: Sequence[str], lines: range) -> Drawn | None:
    """The table in lines that look like one; None where it is none, as a border is broken or a program printed it."""
    block = [texts[line].rstrip() for line in lines]
    if sum(map(len, block)) > _MAX_PLACES or block[0].count("+") > _MAX_CORNERS:
        return None
    is_grid = block[0].lstrip().startswith("+")
    indents = [len(text) - len(text.lstrip()) for text in block]
    views = [_View(text, indent if is_grid else indents[0]) for text, indent in zip(block, indents, strict=True)]
    if is_grid and len({len(view.shown) for view in views}) > 1:
        return None
    parser = GridTableParser() if is_grid else SimpleTableParser()
    source = StringList([view.shown.replace(_FILL, " ") for view in views], source="")
    try:
        widths, head, body = parser.parse(source)
    except (TableMarkupError, AssertionError, IndexError):
        # docutils asserts what a broken border does not keep.
        return None
    if is_grid:
        edges = [0]
        for width in widths:
            edges.append(edges[-1] + width + 1)
        bounds = [(low + 1, high) for low, high in pairwise(edges)]
    else:
        starts = [match.start() - indents[0] for match in _COLUMN.finditer(block[0])]
        bounds = list(zip(starts, [*starts[1:], max(len(view.shown) for view in views)], strict=True))
    places = []
    for row, cells in enumerate([*head, *body]):
        for column, cell in enumerate(_by_column(cells, is_grid=is_grid)):
            if cell is not None:
                more_rows, more_columns, top, content = cell
                low, high = bounds[column][0], bounds[column + more_columns][1]
                pieces = [
                    (line, *views[line].piece(low, high)) for line in range(top, min(top + len(content), len(block)))
                ]
                places.append(_Place(top, row, column, more_rows + 1, more_columns + 1, [p for p in pieces if p[2]]))
    if is_grid and not head and _is_printed(places):
        return None
    return _written(places, lines, len(head), len(head) + len(body), len(bounds))


_ParsedCell = tuple[int, int, int, list[str]] | None


def _by_column(cells: Sequence[_ParsedCell], *, is_grid: bool) -> list[_ParsedCell]:
    """The cells of a row by column; a simple table leaves out the places that a cell spans."""
    if is_grid:
        return list(cells)
    by_column: list[_ParsedCell] = []
    for cell in cells:
        by_column += [cell, *([None] * (cell[1] if cell else 0))]
    return by_column


def _is_printed(places: Sequence[_Place]) -> bool:
    """True where a row is rather many, as programs print them without lines between: two cells fill all of its lines.

    docutils would put `BERT ViT` into one cell and `123 456` into the next.
    """
    by_row: dict[int, list[set[int]]] = {}
    for place in places:
        by_row.setdefault(place.row, []).append({piece[0] for piece in place.pieces})
    for filled in by_row.values():
        lines = set().union(*filled)
        if len(lines) > 1 and filled.count(lines) > 1:
            return True
    return False


def _written(places: Sequence[_Place], lines: range, heading_rows: int, count: int, width: int) -> Drawn:
    texts = [""] * len(lines)
    rows: list[list[Cell | None]] = [[None] * width for _ in range(count)]
    by_row: dict[int, list[_Place]] = {}
    for place in places:
        by_row.setdefault(place.row, []).append(place)
    tops = {row: band[0].top for row, band in by_row.items()}
    for row, band in sorted(by_row.items()):
        starts = {piece[0] for place in band for piece in place.pieces}
        at = min(starts, default=tops[row])
        # What spans rows may stand on a line of the next one.
        is_wrapped = len(starts) > 1 or at >= tops.get(row + 1, len(texts))
        at = tops[row] if is_wrapped else at
        text = ""
        for place in band:
            words = " ".join(piece[2] for piece in place.pieces)
            if is_wrapped:
                start = len(text) + 2
                text = f"{text}| {words} "
            else:
                start = place.pieces[0][1] if place.pieces else 0
                text = text.ljust(start) + words
            cell = Cell(words, lines[at] + 1, start, start + len(words))
            for covered in range(place.row, place.row + place.rows):
                rows[covered][place.column : place.column + place.columns] = [cell] * place.columns
        texts[at] = text
    return Drawn([[cell for cell in row if cell is not None] for row in rows], texts, heading_rows)


class _View:
    """A line in columns of one width, as docutils counts them, and where each of these stands in the line."""

    def __init__(self, text: str, indent: int) -> None:
        self.text = text
        if text.isascii() and "\t" not in text:
            self.shown = text[indent:]
            self._places: Sequence[int] = range(indent, len(text) + 1)
            return
        shown, places = list[str](), list[int]()
        for place, character in enumerate(text):
            if unicodedata.combining(character):
                continue
            columns = character
            if character == "\t":
                columns = " " * (8 - len(shown) % 8)
            elif unicodedata.east_asian_width(character) in "WF":
                columns = character + _FILL
            shown += columns
            places += [place] * len(columns)
        self.shown, self._places = "".join(shown[indent:]), [*places[indent:], len(text)]

    def piece(self, low: int, high: int) -> tuple[int, str]:
        """First character and text of what stands in these columns, without blanks around it."""
        start, end = (self._places[min(column, len(self.shown))] for column in (low, high))
        part = self.text[start:end]
        return start + len(part) - len(part.lstrip()), part.strip()
