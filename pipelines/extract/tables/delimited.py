"""Result tables with one row per line and tabs, pipes (Markdown) or several blanks between the cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pipelines.extract.tables.alignment import Damage
from pipelines.extract.tables.blank_columns import below_headings, is_cut_off, last_columns, split_blanks
from pipelines.extract.tables.cell_types import fits
from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.grid import NUMBER_FIRST, ResultTable, rejected_header, unread_table
from pipelines.extract.tables.headings import Heading, is_result_header
from pipelines.extract.tables.joined import holds_headings
from pipelines.extract.tables.left_out import LeftOut, filled_up, left_out_in
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.qualified import heading_of
from pipelines.read.document import Cell, Grid, Line
from pipelines.values.numbers import parse_number
from pipelines.vocabulary.asked import remembered

# `|---|:--:|`
_RULE_LINE = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|?\s*")
# Lines below a header in which a habit shows.
_PROBE_LINES = 200
# `-----  ----`, `=====  ====`
_DRAWN_LINE = re.compile(r"\s*[-=+_]{2,}[-=+_\s]*")
# Lines that a table is looked for behind one that is none of its rows: an empty one, a broken one.
_MAX_INTERRUPTION = 3

Split = Callable[[Line], list[Cell]]


def delimited_tables(lines: list[Line]) -> Iterator[ResultTable]:
    """Every result table in these lines that is printed one row per line."""
    for split in SPLITS:
        position = 0
        while position < len(lines):
            table = _table_at(lines, position, split)
            if table:
                yield table
            position += 1
            while table and position < len(lines) and lines[position].number <= table.last_line:
                position += 1


def is_header(line: Line, split: Split) -> bool:
    """True for the header of a table with results."""
    return _announces_results(tuple(cell.text for cell in split(line)))


@remembered(maxsize=1024)
def _announces_results(texts: tuple[str, ...]) -> bool:
    """Whether cells with these texts are a header; each line of a long table is asked for it several times."""
    return is_result_header([_heading_alone(text) for text in texts])


@remembered(maxsize=4096)
def _heading_alone(text: str) -> Heading:
    """The heading that a text would be, wherever it stands; rows of a table repeat most of their cells."""
    return heading_of(Cell(text, 1, 0, len(text)))


def runs(lines: list[Line]) -> Iterator[tuple[Grid, list[Line]]]:
    """Lines with as many cells each as grids, with the few lines above each; two cells a line are no table."""
    for separator in ("\t", "|"):
        position = 0
        while position < len(lines):
            end, rows = position, list[tuple[Cell, ...]]()
            while end < len(lines) and (cells := _cells_of(lines[end], separator)):
                if rows and len(cells) != len(rows[0]):
                    break
                rows += [] if _RULE_LINE.fullmatch(lines[end].text) else [cells]
                end += 1
            if len(rows) > 1 and len(rows[0]) > 2:
                yield (
                    Grid.of_cells(rows, lines[position].number, lines[end - 1].number),
                    lines[max(0, position - 3) : position],
                )
            position = max(end, position + 1)


def _cells_of(line: Line, separator: str) -> tuple[Cell, ...]:
    if separator not in line.text:
        return ()
    cells = _split(line, separator)
    is_closed = separator == "|" and line.text.strip().startswith("|")
    cells = cells[1:] if is_closed else cells
    return tuple(cells[:-1] if is_closed and line.text.strip().endswith("|") else cells)


def _split_tabs(line: Line) -> list[Cell]:
    return _split(line, "\t") if "\t" in line.text else []


def _split_pipes(line: Line) -> list[Cell]:
    if not line.text.strip().startswith("|") or line.text.count("|") < 3:
        return []
    return _split(line, "|")[1:-1] if line.text.rstrip().endswith("|") else _split(line, "|")[1:]


def _split(line: Line, separator: str) -> list[Cell]:
    cells, start = [], 0
    for part in line.text.split(separator):
        cells.append(unmarked(Cell(part, line.number, start, start + len(part)).stripped()))
        start += len(part) + len(separator)
    return cells


SPLITS: tuple[Split, ...] = (_split_tabs, _split_pipes, split_blanks)


def _table_at(lines: list[Line], start: int, split: Split) -> ResultTable | None:
    cells = split(lines[start])
    if len(cells) < 2:
        return None
    headings = [heading_of(cell) for cell in cells]
    numbers_follow = any(NUMBER_FIRST.match(cell.text) for line in lines[start + 1 : start + 3] for cell in split(line))
    if rejected := rejected_header(headings, numbers_follow=numbers_follow):
        return rejected
    if not is_result_header(headings):
        return None
    if any(heading.column == "unknown" and parse_number(heading.cell.text) for heading in headings):
        return unread_table(headings, "no_line_breaks", "headings and cells stand on one line")
    table = ResultTable(headings, lines[start].number, lines[start].number, lines={lines[start].number})
    position = start + 1
    left_out = left_out_in(headings, _rows_below(lines, position, split))
    ends = last_columns(_rows_below(lines, position, split) if split is split_blanks else (), headings)
    while position < len(lines) and not is_header(lines[position], split):
        line = lines[position]
        is_row = len(split(line)) > 1 or _is_start_of_row(line, table)
        if not is_row and not _goes_on(lines[position + 1 : position + 1 + _MAX_INTERRUPTION], table, split):
            break
        position += 1
        if line.is_blank:
            continue
        table.last_line = line.number
        table.lines.add(line.number)
        # Pipes alone stand for the cells that the row above spans or lacks.
        is_rule = not line.text.strip("| \t") or _RULE_LINE.fullmatch(line.text) or _DRAWN_LINE.fullmatch(line.text)
        if not is_rule:
            cells = split(line) or [line.cell]
            if split is split_blanks and is_cut_off(cells := below_headings(cells, headings), headings, ends):
                table.damages.append(Damage(tuple(cells), "the row ends before a measured value"))
            else:
                _place_row(table, cells, left_out)
            if holds_headings(split(line), table.headings):
                break
    return table


def _rows_below(lines: list[Line], start: int, split: Split) -> Iterator[list[Cell]]:
    """The rows from here on up to the next header."""
    for line in lines[start : start + _PROBE_LINES]:
        if is_header(line, split):
            return
        if len(row := split(line)) > 1 and not _RULE_LINE.fullmatch(line.text):
            yield row


def _is_start_of_row(line: Line, table: ResultTable) -> bool:
    """True for a line right below a row that begins like one: the document was cut in the first cell of a row."""
    text = line.text.strip("| \t")
    return bool(text) and line.number == table.last_line + 1 and any(row[0].text.startswith(text) for row in table.rows)


def _goes_on(lines: list[Line], table: ResultTable, split: Split) -> bool:
    """True when a row of the table stands in these lines, before the header of another."""
    for line in lines:
        row = split(line)
        if is_header(line, split):
            return False
        if len(row) == len(table.headings) and not _misfits(table, row):
            return True
    return False


def _misfits(table: ResultTable, row: list[Cell]) -> list[tuple[Cell, Heading]]:
    return [place for place in zip(row, table.headings, strict=True) if not fits(*place)]


def _place_row(table: ResultTable, row: list[Cell], left_out: LeftOut) -> None:
    width, first = len(table.headings), row[0].line
    if all(is_nothing(cell) for cell in row):
        return
    is_broken = bool(table.damages) and (not table.rows or table.damages[-1].cells[-1].line > table.rows[-1][-1].line)
    above = table.rows[-1] if table.rows and not is_broken else None
    row = list(filled_up(table.headings, row, above, left_out) or row)
    if len(row) != width:
        reason = f"{len(row)} cells stand where {width} are expected; the row is cut or has a cell too many"
        table.damages.append(Damage(tuple(row), reason))
        return
    misfits = _misfits(table, row)
    # The columns are told by the tabs: one value that cannot be read leaves the others where they are.
    if len(misfits) == 1 and misfits[0][1].is_value and _other_values(table, row, misfits[0][0]):
        misfits = []
    if not misfits:
        table.rows.append(tuple(row))
        table.row_lines.append(first)
        return
    cell, heading = misfits[0]
    table.damages.append(Damage(tuple(row), f"{cell.text!r} cannot be a cell of the column {heading.cell.text!r}"))


def _other_values(table: ResultTable, row: list[Cell], unread: Cell) -> bool:
    values = [cell for cell, heading in zip(row, table.headings, strict=True) if heading.is_value]
    return any(cell is not unread and not is_nothing(cell) for cell in values)
