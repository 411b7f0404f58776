"""The simple tables of reStructuredText, between rulers of `====  ====`.

A row begins where its first column is not blank; other lines go on with the row above. A row whose cells are wrapped
stands on its first line with bars between its cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.read.document import Cell, Grid, Line

# `======  =====  ====`
_RULER = re.compile(r"\s*=+(?:\s+=+)+\s*")
# `------  -----`: under headings that span
_SPAN_RULER = re.compile(r"\s*-+(?:\s+-+)*\s*")
_COLUMN = re.compile(r"=+")

Span = tuple[int, int]


def simple_table(lines: Sequence[Line], position: int) -> tuple[Grid, list[Line]] | None:
    """The grid of the table that begins at this position and the lines that stand for it, or None where none does."""
    if not _RULER.fullmatch(lines[position].text):
        return None
    rulers = _rulers(lines, position)
    if len(rulers) < 2:
        return None
    end = rulers[-1] + 1
    columns = [match.span() for match in _COLUMN.finditer(lines[position].text)]
    replaced = [Line(line.number, "") for line in lines[position:end]]
    rows = []
    for group in _groups(lines, range(position + 1, end), columns[0]):
        row, line = _row(group, columns)
        replaced[line.number - lines[position].number] = line
        rows.append(row)
    return Grid.of_cells(rows, lines[position].number, lines[end - 1].number, layout="rst"), replaced


def _rulers(lines: Sequence[Line], position: int) -> list[int]:
    """Positions of the rulers of one table: above, below the header, at the end; a table without header has two."""
    found = [position]
    for at in range(position + 1, len(lines)):
        if _RULER.fullmatch(lines[at].text):
            found.append(at)
            if len(found) == 3 or at + 1 >= len(lines) or lines[at + 1].is_blank:
                return found
    return []


def _groups(lines: Sequence[Line], positions: range, first: Span) -> list[list[Line]]:
    """The lines of each row."""
    groups: list[list[Line]] = []
    begins = True
    for at in positions:
        text = lines[at].text
        if not text.strip() or _RULER.fullmatch(text) or _SPAN_RULER.fullmatch(text):
            begins = True
        elif begins or text[slice(*first)].strip():
            groups.append([lines[at]])
            begins = False
        else:
            groups[-1].append(lines[at])
    return groups


def _row(group: list[Line], columns: list[Span]) -> tuple[tuple[Cell, ...], Line]:
    """The cells of a row and the line they stand on."""
    cells: list[Cell] = []
    number, text = group[0].number, group[0].text
    merged = _merged(group, columns)
    if len(group) > 1:
        text = ""
    for low, high, count in merged:
        if len(group) == 1:
            cell = Cell(text[low:high], number, low, len(text[:high])).stripped()
            # A lone backslash begins a row with a blank cell.
            cell = Cell("", number, 0, 0) if cell.text == "\\" else cell
        else:
            words = " ".join(word for line in group if (word := line.text[low:high].strip()))
            start = len(text) + 2
            text = f"{text}| {words} "
            cell = Cell(words, number, start, start + len(words))
        cells += [cell] * count
    return tuple(cells), Line(number, text)


def _merged(group: list[Line], columns: list[Span]) -> list[tuple[int, int | None, int]]:
    """Where each cell begins and ends, and how many columns it covers: text between two columns joins them."""
    found: list[tuple[int, int | None, int]] = []
    for place, (low, _) in enumerate(columns):
        high = columns[place + 1][0] if place + 1 < len(columns) else None
        joins = place > 0 and any(line.text[columns[place - 1][1] : low].strip() for line in group)
        if joins:
            start, _, count = found.pop()
            found.append((start, high, count + 1))
        else:
            found.append((low, high, 1))
    return found
