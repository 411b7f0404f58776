"""Tables of a text that has one row per line: tabs, pipes or several blanks stand between the cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.read.document import Cell, Line
from pipelines.read.text_grids.segmentation import only_gap
from pipelines.read.text_grids.shapes import (
    BLANK,
    HARD,
    NOTHING,
    QUANTITIES,
    SENTENCE,
    Column,
    is_known_heading,
    shape_of,
)

# Of what `|---|:--:|`, `-----  ----` and `+====+====+` are drawn.
_DRAWN, _STROKES = "|+:=_-\u2500 \t\u00a0", ("--", "==", "__", "\u2500\u2500")
# The cells of `Llama 3.1 8B    H100   1`: what stands between two or more blanks
_BETWEEN_BLANKS = re.compile(r"\S+(?:[ \u00a0]\S+)*")
# Columns from which on lines parted by this layout are a table; two are as often a list of settings.
_MIN_COLUMNS = {"tabs": 2, "pipes": 2, "blanks": 3}
_MIN_ROWS = 2
# Share of the rows that are as long as the longest usual one.
_MIN_ALIKE = 0.5
# Share of the cells below the headings that are quantities.
_MIN_QUANTITIES = 0.1
# Share of those that are sentences: a column of remarks.
_MAX_SENTENCES = 0.2


@dataclass(frozen=True, slots=True)
class DelimitedTable:
    """A table with one row per line.

    Attributes:
        rows: Cells of each row.
        heading_rows: Rows at the top that are headings.
        layout: tabs, pipes or blanks.
        first_line: Its first line.
        last_line: Its last line; rules and titles are lines of it, too.
    """

    rows: tuple[tuple[Cell, ...], ...]
    heading_rows: int
    layout: str
    first_line: int
    last_line: int


def delimited_tables(lines: Sequence[Line], layout: str) -> Iterator[DelimitedTable]:
    """The tables in these lines that are printed in this layout, in order; gaps between their numbers are gaps."""
    split = _SPLITS[layout]
    block: list[tuple[Line, list[Cell]]] = []
    for place, line in enumerate(lines):
        follows = not block or line.number == block[-1][0].number + 1
        cells = split(line)
        if block and not (follows and (cells or _is_title(lines, place, split, block))):
            yield from _tables(block, layout)
            block = []
        if cells or (block and follows):
            block.append((line, cells or ([] if is_rule(line.text) else [line.cell])))
    yield from _tables(block, layout)


def is_rule(text: str) -> bool:
    """True for a line that is drawn, not written."""
    return not text.strip(_DRAWN) and any(stroke in text for stroke in _STROKES)


def _is_title(
    lines: Sequence[Line], place: int, split: Callable[[Line], list[Cell]], block: Sequence[tuple[Line, list[Cell]]]
) -> bool:
    """True for a line between rows: a rule, or a title over the whole width with a row as long as the others behind."""
    line = lines[place]
    if is_rule(line.text):
        return True
    if line.is_blank or place + 1 >= len(lines) or lines[place + 1].number != line.number + 1:
        return False
    behind = split(lines[place + 1])
    title = shape_of(line.cell.text)
    return len(block) > 1 and title not in (SENTENCE, BLANK) and len(behind) == len(block[-1][1]) > 2


def _split_tabs(line: Line) -> list[Cell]:
    # Tabs at both ends are blank cells only where another one stands between words.
    return cells_between(line, "\t") if "\t" in line.text.strip() else []


def _split_pipes(line: Line) -> list[Cell]:
    if "|" not in line.text or is_rule(line.text):
        return []
    cells = cells_between(line, "|")
    if line.text.lstrip().startswith("|"):
        cells = cells[1:-1] if line.text.rstrip().endswith("|") else cells[1:]
    return cells if len(cells) > 1 and any(cell.text for cell in cells) else []


def _split_blanks(line: Line) -> list[Cell]:
    if "  " not in line.text or "\t" in line.text or "|" in line.text or is_rule(line.text):
        return []
    cells = [line.matched(match) for match in _BETWEEN_BLANKS.finditer(line.text)]
    return cells if len(cells) > 1 else []


_SPLITS: dict[str, Callable[[Line], list[Cell]]] = {"tabs": _split_tabs, "pipes": _split_pipes, "blanks": _split_blanks}
LAYOUTS = tuple(_SPLITS)


def cells_between(line: Line, mark: str) -> list[Cell]:
    """The cells of a line before, between and behind its marks."""
    cells, start = [], 0
    for part in line.text.split(mark):
        cells.append(Cell(part, line.number, start, start + len(part)).stripped())
        start += len(part) + len(mark)
    return cells


def _tables(block: Sequence[tuple[Line, list[Cell]]], layout: str) -> Iterator[DelimitedTable]:
    """The tables in a block of lines; another row of headings within it begins another one."""
    start = 0
    for place in range(1, len(block) + 1):
        if place == len(block) or (place > start + 1 and _heads(block, place)):
            if table := _table(block[start:place], layout):
                yield table
            start = place


def _heads(block: Sequence[tuple[Line, list[Cell]]], place: int) -> bool:
    """True where a row within a block is headings: all words, most of them known, behind rows with numbers."""
    cells = block[place][1]
    texts = [cell.text for cell in cells if cell.text]
    if len(texts) < 2 or any(shape_of(text) in QUANTITIES for text in texts):
        return False
    return 2 * sum(is_known_heading(text) for text in texts) > len(texts)


def _table(block: Sequence[tuple[Line, list[Cell]]], layout: str) -> DelimitedTable | None:
    rows = [cells for _, cells in block if cells]
    while rows and len(rows[-1]) < 2:
        rows.pop()
    if len(rows) < _MIN_ROWS:
        return None
    if layout == "blanks":
        rows = [_below_headings(row, rows) for row in rows]
    if layout == "pipes" and not any(row[-1].text for row in rows):
        # Each cell has a bar behind it.
        rows = [row[:-1] if len(row) > 1 else row for row in rows]
    width, alike = Counter(map(len, rows)).most_common(1)[0]
    width = max(width, len(rows[0]))
    if width < _MIN_COLUMNS[layout] or alike < _MIN_ALIKE * len(rows):
        return None
    ruled = next((n for n, (line, cells) in enumerate(block) if not cells), 0)
    heading_rows = _heading_rows(rows)
    body = [cell.text for row in rows[1:] for cell in row]
    values = sum(shape_of(text) in QUANTITIES for text in body)
    if layout == "pipes" and not ruled and not _is_plain_header(block[0], rows[0]):
        return None
    sentences = sum(shape_of(text) == SENTENCE for text in body)
    if not heading_rows or values < max(1, _MIN_QUANTITIES * len(body)) or sentences > _MAX_SENTENCES * len(body):
        return None
    if 0 < ruled <= 3 and all(len(row) > 1 for row in rows[:ruled]):
        heading_rows = ruled
    placed = with_left_out(rows, heading_rows) if layout != "blanks" else map(tuple, rows)
    return DelimitedTable(tuple(placed), heading_rows, layout, block[0][0].number, rows[-1][-1].line)


def _heading_rows(rows: Sequence[Sequence[Cell]]) -> int:
    """1 where the first row is headings: words above a column of quantities, or a known heading; else 0."""
    first = [cell.text for cell in rows[0]]
    below = [[row[n].text for row in rows[1:] if n < len(row)] for n in range(len(first))]
    for text, cells in zip(first, below, strict=True):
        filled = [shape_of(cell) for cell in cells if shape_of(cell) not in (BLANK, NOTHING)]
        values = sum(shape in QUANTITIES for shape in filled)
        if shape_of(text) not in QUANTITIES and filled and 2 * values > len(filled):
            return 1
    return int(any(is_known_heading(text) for text in first))


def with_left_out(rows: Sequence[Sequence[Cell]], heading_rows: int) -> list[tuple[Cell, ...]]:
    """The rows with blank cells where several of them leave the same ones out, and only one place is left for them.

    A row that a page has filled up with blank cells at its end, its own standing too far to the left, loses these.
    """
    width = len(rows[0])
    body = [row for row in rows[heading_rows:] if len(row) == width]
    least = min(map(_blanks_at_end, body), default=0)
    columns = [
        Column([cell.text for cell in cells])
        for cells in zip(*(row for row in body if _blanks_at_end(row) == least), strict=True)
    ]
    printed = list(map(tuple, rows[:heading_rows]))
    gaps: list[tuple[int, ...]] = [()] * heading_rows
    for row in rows[heading_rows:]:
        cells = tuple(row)
        blank = _blanks_at_end(cells)
        if columns and 0 < blank < width - 1 and len(cells) == width:
            is_filled_up = sum(column.cost(cell.text) for column, cell in zip(columns, cells, strict=True)) >= HARD
            cells = cells[:-blank] if is_filled_up else cells
        lacks = width - len(cells)
        printed.append(cells)
        gaps.append(only_gap([cell.text for cell in cells], columns) if columns and 0 < lacks <= len(cells) else ())
    # Once is damage, twice is a habit.
    habits = {gap for gap, count in Counter(gaps).items() if count > 1}
    return [_with_gap(row, gap) if gap in habits else row for row, gap in zip(printed, gaps, strict=True)]


def _with_gap(row: Sequence[Cell], gap: Sequence[int]) -> tuple[Cell, ...]:
    cells = list(row)
    for column in gap:
        beside = cells[min(column, len(cells) - 1)]
        place = beside.start if column < len(cells) else beside.end
        cells.insert(column, Cell("", beside.line, place, place))
    return tuple(cells)


def _blanks_at_end(row: Sequence[Cell]) -> int:
    return next((n for n, cell in enumerate(reversed(row)) if cell.text), len(row))


def _is_plain_header(line: tuple[Line, list[Cell]], cells: Sequence[Cell]) -> bool:
    """True for a row that is headings though no rule stands below it; `4x B200 | FP16 | Batch Size 32` is a setting."""
    if line[0].text.lstrip().startswith("|"):
        return True
    texts = [cell.text for cell in cells]
    return any(map(is_known_heading, texts)) or not any(char.isdigit() for text in texts for char in text)


def _below_headings(row: list[Cell], rows: Sequence[Sequence[Cell]]) -> list[Cell]:
    """The cells with blank ones where none stands below a heading; as they are where it is not plain which is whose."""
    headings = rows[0]
    if len(row) >= len(headings):
        return row
    places = [[n for n, h in enumerate(headings) if c.start < h.end and h.start < c.end] for c in row]
    columns = [place[0] for place in places if len(place) == 1]
    if len(columns) < len(row) or columns != sorted(set(columns)):
        return row
    found = dict(zip(columns, row, strict=True))
    line, end = row[0].line, row[-1].end
    return [found.get(column, Cell("", line, end, end)) for column in range(len(headings))]
