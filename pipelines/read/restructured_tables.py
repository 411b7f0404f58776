"""The tables of reStructuredText: drawn ones, `+---+---+` and `====  ====`, lists of lists and
separated values.

Each finds the characters of its cells in the lines of the page. A cell that is wrapped over several
lines is written whole on its first one; a drawn row with such a cell, on its first line with bars
between its cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from docutils import nodes
from docutils.parsers.rst.tableparser import GridTableParser, SimpleTableParser, TableMarkupError
from docutils.statemachine import StringList

from pipelines.read.blocks import ranges_of, spread
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
_DELIMITERS = {"tab": "\t", ";": ";", ",": ",", "|": "|"}


def drawn_lines(texts: Sequence[str]) -> list[range]:
    """The lines that look like drawn tables, from border to border, whether they are sound or not."""
    found: list[range] = []
    rulers = [line for line, text in enumerate(texts) if "==" in text and _RULER.fullmatch(text)]
    for number, first in enumerate(rulers):
        second, third = [*rulers[number + 1 : number + 3], -1, -1][:2]
        # A table ends with its third ruler, or with the second one before an empty line.
        end = third if "".join(texts[second + 1 : second + 2]).strip() else second
        if end > first and not (found and first < found[-1].stop):
            found.append(range(first, end + 1))
    drawn = [line for line, text in enumerate(texts) if text.lstrip()[:1] in ("+", "|")]
    for lines in ranges_of(drawn):
        borders = [line for line in lines if _BORDER.fullmatch(texts[line])]
        if borders and borders[0] + 1 < borders[-1] == lines[-1]:
            found.append(range(borders[0], borders[-1] + 1))
    return sorted(found, key=lambda lines: lines.start)


def read_drawn(texts: list[str], lines: range) -> list[list[Cell]] | None:
    """The table in lines that look like one; None if a border is broken."""
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
        _, head, body = (GridTableParser if is_grid else SimpleTableParser)().parse(source)
    except (TableMarkupError, AssertionError, IndexError):
        # docutils asserts what a broken border does not keep.
        return None
    rows = [*head, *body]
    pieces = _pieces(block, rows)
    if pieces is None:
        return None
    tops = [min((cell[2] for cell in row if cell), default=len(block)) for row in (*rows, [])]
    texts[lines.start : lines.stop] = [""] * len(lines)
    cells = []
    for number, row in enumerate(rows):
        of_row = [pieces[number, column] for column, cell in enumerate(row) if cell]
        starts = {line for piece in of_row for line, _, _ in piece}
        line = min(starts, default=tops[number])
        # What spans rows may be printed on a line of the next one.
        is_wrapped = len(starts) > 1 or line >= tops[number + 1]
        line = lines[tops[number] if is_wrapped else line] if of_row else 0
        text, printed = "", []
        for piece, (height, width, _, _) in zip(of_row, filter(None, row), strict=True):
            words = " ".join(part for _, _, part in piece)
            if is_wrapped:
                text += "| "
            elif piece:
                text = text.ljust(piece[0][1])
            start = len(text) if is_wrapped or piece else 0
            text += f"{words} " if is_wrapped else words
            cell = Cell(words, line + 1, start, start + len(words))
            printed.append((cell, height + 1, width + 1))
        cells.append(printed)
        if printed:
            texts[line] = text
    return spread(cells, lines.start + 1)


def _pieces(
    block: Sequence[str], rows: Sequence[Sequence[Any]]
) -> dict[tuple[int, int], list[tuple[int, int, str]]] | None:
    """Line, first character and text of each line of each cell, by row and column; None where one is
    not printed so, as it has a tab.
    """
    found: dict[tuple[int, int], list[tuple[int, int, str]]] = {}
    printed = []
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            # A place that another cell spans has none.
            if cell:
                found[number, column] = []
                for line, text in enumerate(cell[3], start=cell[2]):
                    printed.append((line, column, number, text.strip()))
    ends = [0] * len(block)
    for line, column, number, text in sorted(printed):
        start = block[line].find(text, ends[line])
        if start < 0:
            return None
        if text:
            ends[line] = start + len(text)
            found[number, column].append((line, start, text))
    return found


def read_list(texts: list[str], rows: Any) -> list[list[Cell]] | None:
    """The table of a list of lists as docutils reads it from the lines of the page; None for other
    lists.
    """
    written: dict[int, str] = {}
    found: list[list[Cell]] = []
    for row in rows.children:
        if [type(child) for child in row.children] != [nodes.bullet_list]:
            return None
        found.append([])
        for item in row.children[0].children:
            first = item.line - 1
            lines = enumerate(item.rawsource.split("\n"), start=first)
            pieces = [(line, text.strip()) for line, text in lines if text.strip()]
            if not all(texts[line].rstrip().endswith(text) for line, text in pieces):
                return None
            written |= {line: "" for line, _ in pieces}
            words = " ".join(text for _, text in pieces)
            line, text = pieces[0] if pieces else (first, "")
            before = texts[line].rstrip().removesuffix(text) if words else ""
            if words:
                written[line] = before + words
            found[-1].append(Cell(words, line + 1, len(before), len(before + words)))
    for line, text in written.items():
        texts[line] = text
    return found


def read_values(texts: list[str], lines: range, delimiter: str) -> list[list[Cell]] | None:
    """The table of separated values in these lines; None where a quoted cell has no end."""
    written = texts[lines.start : lines.stop]
    separator = _DELIMITERS.get(delimiter) or separator_of(written) or ","
    try:
        rows = list(read_records(written, separator))
    except ReadError:
        # docutils shows the lines of such a table, and the rest of the page.
        return None
    texts[lines.start : lines.stop] = written
    return [[cell._replace(line=lines.start + cell.line) for cell in row] for row in rows]
