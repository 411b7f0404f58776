"""The tables of reStructuredText: drawn ones, `+---+---+` and `====  ====`, lists of lists and
separated values.

Each finds the characters of its cells in the lines of the page. A cell that is wrapped over several
lines is written whole on its first one; a drawn row with such a cell, on its first line with bars
between its cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from docutils import nodes
from docutils.parsers.rst.tableparser import GridTableParser, SimpleTableParser, TableMarkupError
from docutils.statemachine import StringList

from pipelines.read.document import Cell, ReadError
from pipelines.read.separated_values import read_records, separator_of

# `+------+-----+`
_BORDER = re.compile(r"\s*\+-[-+]+-\+\s*")
# `======  =====  ====`
_RULER = re.compile(r"\s*=+(?: +=+)+\s*")
# The parser looks at each corner and each line of a block several times; no table of benchmarks is
# as large.
_MAX_PLACES = 2_000_000
_MAX_CORNERS = 500
_DELIMITERS = {"tab": "\t", ";": ";", ",": ","}


class Written(NamedTuple):
    """A table: its cells, one that spans in each of its places, and the new texts of lines by their
    index.
    """

    rows: list[list[Cell]]
    texts: dict[int, str]


class _Place(NamedTuple):
    """A cell of a drawing: its first line, row and column, how many of these it covers, the lines
    of its text.
    """

    top: int
    row: int
    column: int
    rows: int
    columns: int
    texts: list[str]


def drawn_lines(texts: Sequence[str]) -> list[range]:
    """The lines that look like drawn tables, from border to border, whether they are sound or not."""
    found: list[range] = []
    rulers = [line for line, text in enumerate(texts) if "==" in text and _RULER.fullmatch(text)]
    for number, first in enumerate(rulers):
        # A table ends with its third ruler, or with the second one before an empty line.
        ends = [
            line
            for line in rulers[number + 1 : number + 2]
            if not "".join(texts[line + 1 : line + 2]).strip()
        ]
        ends += rulers[number + 2 : number + 3]
        if ends and not (found and first < found[-1].stop):
            found.append(range(first, ends[0] + 1))
    covered = {line for lines in found for line in lines}
    behind = 0
    for first, text in enumerate(texts):
        if first >= behind and first not in covered and "+-" in text and _BORDER.fullmatch(text):
            others = (
                line
                for line in range(first, len(texts))
                if texts[line].lstrip()[:1] not in ("+", "|")
            )
            behind = next(others, len(texts))
            if behind > first + 2 and _BORDER.fullmatch(texts[behind - 1]):
                found.append(range(first, behind))
    return sorted(found, key=lambda lines: lines.start)


def read_drawn(texts: Sequence[str], lines: range) -> Written | None:
    """The table in lines that look like one; None if a border is broken or a program printed it."""
    block = [texts[line].rstrip() for line in lines]
    if sum(map(len, block)) > _MAX_PLACES or block[0].count("+") > _MAX_CORNERS:
        return None
    is_grid = block[0].lstrip().startswith("+")
    indent = len(block[0]) - len(block[0].lstrip())
    source = StringList([text.expandtabs()[indent:] for text in block], source="")
    source.pad_double_width("\x00")
    if is_grid and len(set(map(len, source))) > 1:
        return None
    try:
        widths, head, body = (GridTableParser if is_grid else SimpleTableParser)().parse(source)
    except (TableMarkupError, AssertionError, IndexError):
        # docutils asserts what a broken border does not keep.
        return None
    places = list[_Place]()
    for row, cells in enumerate([*head, *body]):
        column = 0
        for cell in cells:
            if cell is not None:
                more_rows, more_columns, top, content = cell
                pieces = [text.strip() for text in content]
                places.append(_Place(top, row, column, more_rows + 1, more_columns + 1, pieces))
            # A simple table leaves out the places that a cell spans.
            column += 1 if is_grid or cell is None else cell[1] + 1
    found = _find(block, places)
    if found is None or (is_grid and not head and _is_printed(places, found)):
        return None
    return _write(places, found, lines, len(head) + len(body), len(widths))


_Found = list[list[tuple[int, int, str]]]


def _find(block: Sequence[str], places: Sequence[_Place]) -> _Found | None:
    """Line, first character and text of each line of each cell; None where one is not printed so,
    as it has a tab.
    """
    found: _Found = [[] for _ in places]
    ends = [0] * len(block)
    pieces = [
        (place.top + below, place.column, number, text)
        for number, place in enumerate(places)
        for below, text in enumerate(place.texts)
        if text
    ]
    for line, _, number, text in sorted(pieces):
        start = block[line].find(text, ends[line])
        if start < 0:
            return None
        ends[line] = start + len(text)
        found[number].append((line, start, text))
    return found


def _is_printed(places: Sequence[_Place], found: _Found) -> bool:
    """True where a row is rather many, as programs print them without lines between: two cells fill
    all of its lines.

    docutils would put `BERT ViT` into one cell and `123 456` into the next.
    """
    by_row: dict[int, list[set[int]]] = {}
    for place, pieces in zip(places, found, strict=True):
        by_row.setdefault(place.row, []).append({line for line, _, _ in pieces})
    rows = ((filled, set().union(*filled)) for filled in by_row.values())
    return any(len(lines) > 1 and filled.count(lines) > 1 for filled, lines in rows)


def _write(
    places: Sequence[_Place], found: _Found, lines: range, count: int, width: int
) -> Written:
    texts = dict.fromkeys(lines, "")
    rows: list[list[Cell | None]] = [[None] * width for _ in range(count)]
    bands: list[list[tuple[_Place, list[tuple[int, int, str]]]]] = [[] for _ in range(count)]
    for place, pieces in zip(places, found, strict=True):
        bands[place.row].append((place, pieces))
    tops = [band[0][0].top if band else len(lines) for band in [*bands, []]]
    for row, band in enumerate(bands):
        starts = {line for _, pieces in band for line, _, _ in pieces}
        at = min(starts, default=tops[row])
        # What spans rows may be printed on a line of the next one.
        is_wrapped = len(starts) > 1 or at >= tops[row + 1]
        at = tops[row] if is_wrapped else at
        text = ""
        for place, pieces in band:
            words = " ".join(piece for _, _, piece in pieces)
            if is_wrapped:
                start = len(text) + 2
                text = f"{text}| {words} "
            else:
                start = pieces[0][1] if pieces else 0
                text = text.ljust(start) + words
            cell = Cell(words, lines[at] + 1, start, start + len(words))
            for covered in range(place.row, place.row + place.rows):
                rows[covered][place.column : place.column + place.columns] = [cell] * place.columns
        if band:
            texts[lines[at]] = text
    return Written([[cell for cell in row if cell is not None] for row in rows], texts)


def read_list(texts: Sequence[str], rows: nodes.Node) -> Written | None:
    """The table of a list of lists as docutils reads it from the lines of the page; None for other
    lists.
    """
    written, found = dict[int, str](), list[list[Cell]]()
    for row in rows.children:
        if [type(child) for child in row.children] != [nodes.bullet_list]:
            return None
        found.append([])
        for item in row.children[0].children:
            first = (item.line or 1) - 1
            raw = item.rawsource.split("\n") if isinstance(item, nodes.list_item) else []
            pieces = [
                (first + below, text.strip()) for below, text in enumerate(raw) if text.strip()
            ]
            words = " ".join(text for _, text in pieces)
            line, text = pieces[0] if pieces else (first, "")
            before = texts[line].rstrip().removesuffix(text)
            if any(not texts[number].rstrip().endswith(piece) for number, piece in pieces):
                return None
            for number, _ in pieces[1:]:
                written[number] = ""
            if words:
                written[line] = before + words
            start = len(before) if words else 0
            found[-1].append(Cell(words, line + 1, start, start + len(words)))
    return Written(found, written)


def read_values(texts: list[str], first: int, delimiter: str) -> Written | None:
    """The table of separated values in these lines, from the index `first` on; None where a quoted
    cell has no end.
    """
    separator = _DELIMITERS.get(delimiter) or separator_of(texts) or ","
    try:
        rows = list(read_records(texts, separator))
    except ReadError:
        # docutils shows the lines of such a table, and the rest of the page.
        return None
    for row in rows:
        row[:] = [Cell(cell.text, first + cell.line, cell.start, cell.end) for cell in row]
    return Written(rows, dict(enumerate(texts, start=first)))
