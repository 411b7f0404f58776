"""Result tables flattened to text: the headings stand one below the other, and so do the cells of all rows."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.extract.tables.alignment import Aligner, Alignment
from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.grid import (
    MAX_UNKNOWN,
    MIN_HEADINGS,
    NUMBER_FIRST,
    ResultTable,
    rejected_header,
    unread_table,
)
from pipelines.extract.tables.groups import is_lone_group
from pipelines.extract.tables.headings import Heading, is_result_header, read_heading, unknown_heading
from pipelines.extract.tables.joined import holds_headings
from pipelines.extract.tables.qualified import of_unit
from pipelines.extract.tables.sparse_rows import sparse_rows
from pipelines.read.document import Cell, Document, Line
from pipelines.values.numbers import parse_number

# Columns of which a header has one.
_NAMES = frozenset({"model", "platform"})
# Rows looked at when the number of unknown headings has to be found from the data.
_PROBE_ROWS = 12


def header_runs(lines: list[Line]) -> Iterator[tuple[int, int]]:
    """Index ranges of lines that are the headings of a result table; the first and the last of them are known."""
    read: dict[int, Heading | None] = {}

    def known(place: int) -> Heading | None:
        if place not in read:
            read[place] = _heading_of(lines[place]) if place < len(lines) else None
        return read[place]

    position = 0
    while position < len(lines):
        if known(position) is None:
            position += 1
            continue
        end, seen, columns, last_known = position, set[str](), set[str](), position
        while end < len(lines):
            heading = known(end)
            if lines[end].is_blank:
                # It only interrupts a header: two known headings stand before it, and a new one behind it.
                behind = known(end + 1)
                if not (behind and end >= 2 and known(end - 1) and known(end - 2) and _spelling(behind) not in seen):
                    break
            elif heading is not None:
                if _spelling(heading) in seen or (end - last_known > 1 and heading.column in _NAMES & columns):
                    # `albert-base-v2`, `Benchmark` behind the last heading: the cells of a row have begun.
                    break
                seen.add(_spelling(heading))
                columns.add(heading.column)
                last_known = end
            elif end - last_known >= MAX_UNKNOWN or parse_number(lines[end].cell.text) is not None:
                break
            end += 1
        found = [heading for place in range(position, last_known + 1) if (heading := known(place))]
        if _announces_results(found, lines, last_known + 1):
            yield position, last_known + 1
        position = last_known + 1


def flattened_tables(document: Document, lines: list[Line]) -> Iterator[ResultTable]:
    """Every result table in these lines that is printed one cell per line."""
    # A page that prints its blank cells as no-break spaces uses empty lines between things only.
    empty_may_be_blank = not any(line.text and not line.is_empty and line.is_blank for line in document.lines)
    headers = list(header_runs(lines))
    for (start, end), (behind, _) in zip(headers, [*headers[1:], (len(lines), 0)], strict=False):
        printed = [line for line in lines[start:end] if not line.is_blank]
        headings = [_heading_of(line) or unknown_heading(line.cell) for line in printed]
        # As it is printed: joined headings may have been taken for a table of their own.
        below = [document.line(line.number) for line in lines[end:behind]]
        joined = (n for n, line in enumerate(below, end) if "\t" in line.text and holds_headings([line.cell], headings))
        limit = next(joined, behind)
        if rejected := rejected_header(headings, numbers_follow=_numbers_follow(lines, end, len(headings))):
            yield rejected
        elif start and _heading_of(lines[start - 1]):
            # The run ended there because of the repetition, so that these headings are not all.
            yield unread_table(headings, "repeated_heading", "the heading above these, or one of them, stands twice")
        else:
            yield _table(lines, (start, end, limit), headings, empty_may_be_blank)


def _spelling(heading: Heading) -> str:
    return " ".join(heading.cell.text.casefold().split())


def _heading_of(line: Line) -> Heading | None:
    if line.is_blank or "\t" in line.text.strip() or "|" in line.text:
        return None
    cell = unmarked(line.cell)
    return read_heading(cell) or of_unit(cell)


def _announces_results(found: list[Heading], lines: list[Line], end: int) -> bool:
    numbers_follow = _numbers_follow(lines, end, len(found))
    if is_result_header(found):
        # Two headings are two words of a menu, unless numbers follow.
        return len(found) >= MIN_HEADINGS or numbers_follow
    return rejected_header(found, numbers_follow=numbers_follow) is not None


def _numbers_follow(lines: list[Line], end: int, width: int) -> bool:
    """True when a cell of the first rows below the headings starts with a digit."""
    block = lines[end : end + 2 * width + MAX_UNKNOWN]
    return any(NUMBER_FIRST.match(line.text) for line in block[: _until_empty(block)])


def _until_empty(lines: list[Line]) -> int:
    return next((n for n, line in enumerate(lines) if line.is_empty), len(lines))


def _table(
    lines: list[Line], place: tuple[int, int, int], headings: list[Heading], empty_may_be_blank: bool
) -> ResultTable:
    start, end, limit = place
    above = next((n for n in range(MAX_UNKNOWN) if start == n or lines[start - n - 1].is_blank), MAX_UNKNOWN)
    behind = lines[end : min(end + MAX_UNKNOWN, limit)]
    below = next((n for n, line in enumerate(behind) if line.is_blank or NUMBER_FIRST.match(line.text)), len(behind))

    def header(leading: int, trailing: int) -> list[Heading]:
        around = [*lines[start - leading : start], *lines[end : end + trailing]]
        unknown = [unknown_heading(line.cell) for line in around]
        return [*unknown[:leading], *headings, *unknown[leading:]]

    def read(choice: tuple[int, int, bool], rows: int | None = None) -> tuple[Alignment, list[Cell]]:
        """The alignment when so many lines around the known headings are headings too; of the first rows or of all."""
        leading, trailing, blank = choice
        tried, first = header(leading, trailing), end + trailing
        last = limit if rows is None else min(first + rows * len(tried), limit)
        return _align(tried, lines[first:last], blank)

    def rank(choice: tuple[int, int, bool]) -> tuple[int, int]:
        """Most rows, then fewest unknown headings."""
        return len(read(choice, _PROBE_ROWS)[0].rows), -choice[0] - choice[1]

    readings = (False, True) if empty_may_be_blank else (False,)
    choice = (0, 0, False)
    alignment, used = read(choice)
    if not alignment.rows or alignment.damages:
        # How many unknown headings there are is not printed.
        choice = max(
            ((a, b, blank) for a in range(above + 1) for b in range(below + 1) for blank in readings), key=rank
        )
        alignment, used = read(choice)
    if any(choice[:2]) and not alignment.is_framed:
        # Where a heading is lost, the first cell taken for an unknown heading gives rows too, each shifted by one.
        choice = max(((0, 0, blank) for blank in readings), key=rank)
        alignment, used = read(choice)
    if len(readings) > 1 and not choice[2] and alignment.damages:
        # The first rows may hold no blank cell while others do.
        other, others = read((*choice[:2], True))
        if len(other.rows) > len(alignment.rows):
            choice, alignment, used = (*choice[:2], True), other, others
    if not alignment.rows and empty_may_be_blank:
        # A page that prints its blank cells drops none.
        block = [_blank_kept(line) for line in lines[end : end + _until_empty(lines[end:limit])]]
        if rows := sparse_rows(headings, block):
            return _sparse(headings, rows, block)
    headings = header(*choice[:2])
    if any(choice[:2]) and not any(heading.column == "model" for heading in headings):
        # The unknown heading may be the model's, or the first cell of the first row: either would name rows wrongly.
        return unread_table(headings, "no_subject_column", "no heading of the models can be read")
    table = ResultTable(headings, headings[0].cell.line, (used or [headings[-1].cell])[-1].line)
    table.rows, table.damages = alignment.rows, alignment.damages
    table.lines = {heading.cell.line for heading in headings} | {cell.line for cell in used if cell.text}
    table.titles = [line.cell for line in lines[end:limit] if _is_title(line, headings)]
    table.titles = [title for title in table.titles if title.line <= table.last_line]
    table.lines |= {title.line for title in table.titles}
    if table.titles:
        # A title may be lost among what cannot be read.
        table.titles += [damage.cells[0] for damage in table.damages]
        table.titles.sort(key=lambda title: title.line)
    return table


def _is_title(line: Line, headings: list[Heading]) -> bool:
    return not line.is_blank and is_lone_group(line.cell, headings)


def _sparse(headings: list[Heading], rows: list[tuple[Cell, ...]], block: list[Cell]) -> ResultTable:
    lines = {cell.line for cell in block}
    table = ResultTable(headings, headings[0].cell.line, block[-1].line, rows=rows)
    table.lines = {heading.cell.line for heading in headings} | lines
    # The names of the row above stand there.
    above = [0, *(max(cell.line for cell in row) for row in rows)]
    table.row_lines = [min(c.line for c in row if c.line > last) for row, last in zip(rows, above, strict=False)]
    return table


def _align(headings: list[Heading], lines: list[Line], empty_is_blank: bool) -> tuple[Alignment, list[Cell]]:
    """Rows of these lines, and the cells that belong to the table."""
    cells: list[Cell] = []
    breaks: list[int] = []
    for number, line in enumerate(lines):
        if _is_title(line, headings):
            continue
        if empty_is_blank or not line.is_empty:
            if number and lines[number - 1].is_empty and not line.is_empty:
                breaks.append(len(cells))
            cells.append(_blank_kept(line))
    alignment = Aligner(headings, cells, breaks, empty_is_blank=empty_is_blank).align()
    return alignment, cells[: alignment.used]


def _blank_kept(line: Line) -> Cell:
    """The line as a cell; a no-break space stays as it is, an empty line has no text at all."""
    return Cell("", line.number, 0, 0) if line.is_empty else unmarked(Cell(line.text, line.number, 0, len(line.text)))
