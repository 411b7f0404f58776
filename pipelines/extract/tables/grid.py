"""Result tables found in a document, whatever their layout: one cell per line, tabs, or pipes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from pipelines.extract.tables.alignment import Aligner, Damage
from pipelines.extract.tables.cell_types import fits
from pipelines.extract.tables.headings import (
    Heading,
    is_broken_header,
    is_result_header,
    read_heading,
    unknown_heading,
)
from pipelines.read.document import Cell, Document, Line
from pipelines.values.numbers import parse_number

# Fewer headings than this in a row of lines may be words of a sentence list; a result table names at least model,
# platform and value.
_MIN_HEADINGS = 3
# Headings that no vocabulary knows, in a row. More of them would be data taken for headings.
_MAX_UNKNOWN = 3
# Rows looked at when the number of unknown headings has to be found from the data.
_PROBE_ROWS = 6
# `|---|:--:|`
_RULE_LINE = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|?\s*")


@dataclass
class ResultTable:
    """One result table as it stands in the document.

    Attributes:
        headings: Its columns in order.
        rows: Cells of each row, one per heading.
        damages: Rows that do not fit the header.
        first_line: Line of the first heading.
        last_line: Line of the last cell.
        lines: All lines that belong to it.
        fault: Why nothing in it can be read, or None.
    """

    headings: list[Heading]
    first_line: int
    last_line: int
    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    fault: str | None = None


def find_tables(document: Document, taken: Collection[int]) -> Iterator[ResultTable]:
    """Every result table in the lines that are not `taken`, in order of the lines."""
    lines = [line for line in document.lines if line.number not in taken]
    yield from sorted([*_delimited(lines), *_flattened(document, lines)], key=lambda table: table.first_line)


# One cell per line


def _flattened(document: Document, lines: list[Line]) -> Iterator[ResultTable]:
    # A page that prints its blank cells as no-break spaces uses empty lines between things only.
    empty_is_blank = not any(line.text and not line.is_empty and line.is_blank for line in document.lines)
    known = [_heading_of(line) for line in lines]
    headers = list(_header_runs(lines, known))
    for number, (start, end) in enumerate(headers):
        limit = headers[number + 1][0] if number + 1 < len(headers) else len(lines)
        cells = [_blank_kept(line) for line in lines[end:limit]]
        headings = [known[i] or unknown_heading(lines[i].cell) for i in range(start, end)]
        if is_broken_header(headings):
            yield _broken(headings, "no measured column can be read")
            continue
        leading, trailing = _unknown_around(lines, start, headings, cells, empty_is_blank)
        headings = [*leading, *headings, *(unknown_heading(cell) for cell in cells[:trailing])]
        if (leading or trailing) and not any(heading.column == "model" for heading in headings):
            # The unknown heading may be the model's, or the first cell of the first row: either would name rows wrongly.
            yield _broken(headings, "no column of models can be read")
            continue
        alignment = Aligner(headings, cells[trailing:], empty_is_blank=empty_is_blank).align()
        used = cells[trailing : trailing + alignment.used]
        table = ResultTable(headings, headings[0].cell.line, used[-1].line if used else headings[-1].cell.line)
        table.rows, table.damages = alignment.rows, alignment.damages
        table.lines = {heading.cell.line for heading in headings} | {cell.line for cell in used if cell.text}
        yield table


def _broken(headings: list[Heading], what: str) -> ResultTable:
    """A table that is not read because of its headings; `what` says what they lack."""
    numbers = [heading.cell.line for heading in headings]
    names = ", ".join(repr(heading.cell.text.strip()) for heading in headings)
    fault = f"{what} among the headings {names}: the table below them was not read"
    return ResultTable(headings, numbers[0], numbers[-1], lines=set(numbers), fault=fault)


def _heading_of(line: Line) -> Heading | None:
    if line.is_blank or "\t" in line.text.strip() or "|" in line.text:
        return None
    return read_heading(line.cell)


def _blank_kept(line: Line) -> Cell:
    """The line as a cell; a no-break space stays as it is, an empty line has no text at all."""
    return Cell("", line.number, 0, 0) if line.is_empty else Cell(line.text, line.number, 0, len(line.text))


def _header_runs(lines: list[Line], known: list[Heading | None]) -> Iterator[tuple[int, int]]:
    """Index ranges of lines that are the headings of a result table, one below the other."""
    position = 0
    while position < len(lines):
        if known[position] is None:
            position += 1
            continue
        end, seen, last_known = position, set[str](), position
        while end < len(lines) and not lines[end].is_blank:
            heading = known[end]
            if heading is not None:
                text = " ".join(heading.cell.text.casefold().split())
                if text in seen:
                    break
                seen.add(text)
                last_known = end
            elif end - last_known >= _MAX_UNKNOWN or parse_number(lines[end].cell.text) is not None:
                break
            end += 1
        found = [heading for heading in known[position : last_known + 1] if heading]
        if len(found) >= _MIN_HEADINGS and (is_result_header(found) or is_broken_header(found)):
            yield position, last_known + 1
        position = last_known + 1


def _unknown_around(
    lines: list[Line], start: int, headings: list[Heading], cells: list[Cell], empty_is_blank: bool
) -> tuple[list[Heading], int]:
    """Headings before the run and a number of lines behind it that are headings nobody knows.

    How many there are is not printed: it is the number with which the rows below fit.
    """
    above = 0
    while above < _MAX_UNKNOWN and start - above > 0 and not lines[start - above - 1].is_blank:
        above += 1

    def rows_that_fit(leading: int, trailing: int) -> int:
        tried = [unknown_heading(lines[start - n].cell) for n in range(leading, 0, -1)] + headings
        tried += [unknown_heading(cell) for cell in cells[:trailing]]
        probe = cells[trailing : trailing + len(tried) * _PROBE_ROWS]
        aligner = Aligner(tried, probe, empty_is_blank=empty_is_blank)
        rows = 0
        while aligner.fits_at(rows * len(tried)):
            rows += 1
        return rows

    trailing_limit = next((n for n, cell in enumerate(cells[:_MAX_UNKNOWN]) if not cell.text.strip()), _MAX_UNKNOWN)
    choices = [(a, b) for a in range(above + 1) for b in range(min(trailing_limit, len(cells)) + 1)]
    # The fewest unknown headings win where the rows fit as well.
    leading, trailing = max(choices, key=lambda choice: (rows_that_fit(*choice) > 0, -sum(choice)))
    return [unknown_heading(lines[start - n].cell) for n in range(leading, 0, -1)], trailing


# One row per line


def _delimited(lines: list[Line]) -> Iterator[ResultTable]:
    for split in (_split_tabs, _split_pipes):
        position = 0
        while position < len(lines):
            table = _table_at(lines, position, split)
            if table:
                yield table
                while position < len(lines) and lines[position].number <= table.last_line:
                    position += 1
            else:
                position += 1


def _table_at(lines: list[Line], start: int, split: Callable[[Line], list[Cell]]) -> ResultTable | None:
    cells = split(lines[start])
    if len(cells) < 2:
        return None
    headings = [read_heading(cell) or unknown_heading(cell) for cell in cells]
    if is_broken_header(headings):
        return _broken(headings, "no measured column can be read")
    if not is_result_header(headings):
        return None
    table = ResultTable(headings, lines[start].number, lines[start].number, lines={lines[start].number})
    for line in lines[start + 1 :]:
        row = split(line)
        if len(row) < 2:
            break
        if _is_result_row(row):
            break
        table.last_line = line.number
        table.lines.add(line.number)
        if _RULE_LINE.fullmatch(line.text):
            continue
        _place_row(table, row)
    return table


def _is_result_row(cells: list[Cell]) -> bool:
    """True for a line that is the header of another table."""
    return is_result_header([heading for cell in cells if (heading := read_heading(cell))])


def _place_row(table: ResultTable, row: list[Cell]) -> None:
    width = len(table.headings)
    if len(row) != width:
        table.damages.append(
            Damage(
                tuple(row), f"{len(row)} cells stand where {width} are expected; the row is cut or has a cell too many"
            )
        )
        return
    for cell, heading in zip(row, table.headings, strict=True):
        if not fits(cell, heading):
            reason = f"{cell.text!r} cannot be a cell of the column {heading.cell.text!r}"
            table.damages.append(Damage(tuple(row), reason))
            return
    table.rows.append(tuple(row))


def _split_tabs(line: Line) -> list[Cell]:
    return _split(line, "\t") if "\t" in line.text else []


def _split_pipes(line: Line) -> list[Cell]:
    if not line.text.strip().startswith("|") or line.text.count("|") < 3:
        return []
    return _split(line, "|")[1:-1] if line.text.rstrip().endswith("|") else _split(line, "|")[1:]


def _split(line: Line, separator: str) -> list[Cell]:
    cells, start = [], 0
    for part in line.text.split(separator):
        cells.append(Cell(part, line.number, start, start + len(part)).stripped())
        start += len(part) + len(separator)
    return cells
