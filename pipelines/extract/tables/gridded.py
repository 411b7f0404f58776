"""Result tables in the grids that a file format shows: HTML, Markdown, reStructuredText, CSV.

Rows and columns are certain here. What a row means is still told by the headings, and each cell must fit its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pipelines.extract.tables.alignment import Damage
from pipelines.extract.tables.announced import NOTHING, Announced
from pipelines.extract.tables.cell_types import fits
from pipelines.extract.tables.context import names_subject
from pipelines.extract.tables.footnote_marks import unmarked
from pipelines.extract.tables.grid import NUMBER_FIRST, ResultTable, over_rest, rejected_header, unread_table
from pipelines.extract.tables.groups import is_group
from pipelines.extract.tables.header_rows import header_at, is_of_results
from pipelines.extract.tables.headings import Heading, is_result_header
from pipelines.extract.tables.joined import holds_headings
from pipelines.extract.tables.left_out import LeftOut, filled_up, left_out_in
from pipelines.extract.tables.nothing import is_nothing
from pipelines.extract.tables.pivots import kind_of_names
from pipelines.extract.tables.spans import hides_headings, spanning_value, spans_from_damage, spans_rows
from pipelines.extract.tables.turned import holds_values, is_title, set_upright, tells_twice, turned, unread_pivot
from pipelines.read.document import Cell, Grid
from pipelines.values.numbers import parse_number

_Row = tuple[Cell, ...]
# `SDK 3.1`
_RELEASE = re.compile(r"\s*SDK\s*\d[\w.]*\s*", re.IGNORECASE)
# In a drawn table of so few rows one name may be left out; in a longer one, and among records, it is lost.
_SHORT_TABLE = 4


def gridded_tables(grid: Grid, announced: Announced = NOTHING) -> list[ResultTable]:
    """The result tables of a grid: one below each header that announces results; other rows give none.

    A grid without such a header is read as one that stands on its side, and one that names a measured quantity and
    cannot be read either way is an unread table.

    Args:
        grid: The grid.
        announced: What the words above it name, for headings that do not.
    """
    if any(is_title(row) and names_subject(row[0].text) for row in grid.rows):
        announced = replace(announced, has_subject=True)
    tables = list(_upright_tables(grid, announced))
    if any(table.rule is None or any(heading.is_value for heading in table.headings) for table in tables):
        # Headings of measured quantities stand upright, whatever else cannot be read of them.
        return tables
    if not _stands_upright(grid) and (on_side := turned(grid)) is not None:
        found = list(_upright_tables(on_side, announced, names=kind_of_names(grid.rows[0][1:]) or ""))
        if found and all(table.rule is None and holds_values(table) and not tells_twice(table) for table in found):
            return [set_upright(table, grid) for table in found]
    return tables or [over_rest(table, grid) for table in unread_pivot(grid, announced.quantity)]


def _stands_upright(grid: Grid) -> bool:
    """True for rows of results, or with a release each: they are no columns, though their headings are lost."""
    releases = [place for row in grid.rows for place, cell in enumerate(row) if _RELEASE.fullmatch(cell.text)]
    return len(releases) > len(set(releases)) or (bool(grid.rows) and is_of_results(grid.rows[0]))


def _upright_tables(grid: Grid, announced: Announced, names: str | None = None) -> Iterator[ResultTable]:
    """The tables of a grid whose headings stand above their cells.

    `names` is what the first column of a turned grid holds, empty if unknown; None for a grid as printed.
    """
    table, behind_header, leaves_out, is_torn, left_out = None, 0, False, False, LeftOut()
    header: tuple[str, ...] = ()
    for position, row in enumerate(grid.rows):
        if position < behind_header or not row:
            continue
        if table and any(parse_number(cell.text) for cell in row):
            # A bare number is no heading, and to look up each cell of a long table as one would take most of the time.
            _place_row(table, row, left_out, leaves_out=leaves_out, is_torn=is_torn)
            is_torn = is_torn or holds_headings(row, table.headings)
            continue
        if table and tuple(cell.text for cell in row) == header and not _is_broken_off(table):
            # The header is printed again for those who scroll.
            table.lines |= {cell.line for cell in row}
            table.header_lines |= {cell.line for cell in row}
            continue
        if names is not None and table is None and position > 0:
            return  # Only the first column of a table on its side names its quantities.
        headings, count = header_at(grid.rows, position, announced)
        if names and position == 0:
            headings[0] = replace(headings[0], column=names)
        if is_result_header(headings, has_subject=announced.has_subject):
            behind_header = position + count
            if table:
                yield table
            if not announced.has_model and _may_hide_models(headings, grid.rows[behind_header:]):
                lack = "no heading of the models can be read"
                yield over_rest(unread_table(headings, "no_subject_column", lack), grid)
                return
            if hides_headings(headings, grid.rows[behind_header:]):
                lack = "a heading spans columns that nothing tells apart"
                yield over_rest(unread_table(headings, "repeated_heading", lack), grid)
                return
            table, is_torn = _begin(headings, grid.rows[position:behind_header]), False
            header = tuple(cell.text for cell in row) if count == 1 else ()
            short = 0 if grid.holds_records else _SHORT_TABLE
            leaves_out = _leaves_models_out(headings, grid.rows[behind_header:], short)
            spans = spans_rows(grid.rows[behind_header:])
            # Where names span the rows that they are of, a row without one has lost it.
            left_out = LeftOut() if spans else left_out_in(headings, grid.rows[behind_header:])
        elif table is None and _is_cut(headings, grid.rows[position + 1 : position + 2]):
            lack = "the rows have more cells than there are headings"
            yield over_rest(unread_table(headings, "no_measured_column", lack), grid)
            return
        elif table is None and _may_measure(headings):
            numbers_follow = any(
                NUMBER_FIRST.match(cell.text) for below in grid.rows[position + 1 : position + 3] for cell in below
            )
            if rejected := rejected_header(headings, numbers_follow=numbers_follow):
                yield over_rest(rejected, grid)
                return
        elif table:
            _place_row(table, row, left_out, leaves_out=leaves_out, is_torn=is_torn)
            is_torn = is_torn or holds_headings(row, table.headings)
    if table:
        yield table


def _is_broken_off(table: ResultTable) -> bool:
    """True where the last row fits no header or has lines joined to it: what stands behind may be another table's."""
    if table.damages and table.damages[-1].cells[-1].line == table.last_line:
        return True
    return bool(table.rows) and any("\t" in cell.text for cell in table.rows[-1])


def _is_cut(headings: list[Heading], below: Sequence[_Row]) -> bool:
    """True for headings that name models or platforms above a row with more cells, numbers among them."""
    named = any(heading.column in ("model", "platform") for heading in headings)
    return named and any(len(row) > len(headings) and any(parse_number(cell.text) for cell in row) for row in below)


def _may_measure(headings: list[Heading]) -> bool:
    """False where all headings are known, none is measured, and not both a model and a platform are named."""
    columns = {heading.column for heading in headings}
    return "unknown" in columns or {"model", "platform"} <= columns or any(heading.is_value for heading in headings)


def _may_hide_models(headings: list[Heading], rows: Sequence[_Row]) -> bool:
    """True where no column names the models, and words stand below an unknown heading before the first value."""
    known = {heading.column for heading in headings} | {q.column for heading in headings for q in heading.qualifiers}
    first = next(place for place, heading in enumerate(headings) if heading.is_value)
    unknown = [place for place in range(first) if headings[place].column == "unknown"]
    cells = [row[place] for row in rows for place in unknown if len(row) > place]
    return "model" not in known and any(any(map(str.isalpha, cell.text)) for cell in cells)


def _begin(headings: list[Heading], rows: Sequence[_Row]) -> ResultTable:
    lines = {cell.line for row in rows for cell in row}
    return ResultTable(headings, min(lines), max(lines), lines=lines, header_lines=set(lines))


def _place_row(table: ResultTable, row: _Row, left_out: LeftOut, *, leaves_out: bool, is_torn: bool) -> None:
    first = min(cell.line for cell in row if cell.line > table.last_line or cell is row[-1])
    table.last_line = max(table.last_line, *(cell.line for cell in row))
    table.lines |= {cell.line for cell in row}
    if all(is_nothing(cell) for cell in row):
        return
    if is_title(row) or is_group(row, table.headings):
        table.titles.append(row[0])
        return
    if len(row) == 1 and table.titles:
        # A title that cannot be read ends what the one above it says.
        table.titles.append(row[0])
    if spans_from_damage(table, row):
        reason = "a cell that spans the rows begins in a damaged one, so that the cells beside it may be displaced"
        table.damages.append(Damage(row, reason))
        return
    if is_torn:
        table.damages.append(Damage(row, "the headings of another table stand above it, joined to other lines"))
        return
    row = filled_up(table.headings, row, _row_above(table), left_out) or row
    width = len(table.headings)
    while len(row) > width and row[-1].is_blank:
        row = row[:-1]
    if len(row) != width:
        reason = f"{len(row)} cells stand where {width} are expected; the row is cut or has a cell too many"
        table.damages.append(Damage(row, reason))
        return
    if spanning := spanning_value(table, row):
        name = " ".join(spanning[1].cell.text.split())
        reason = (
            f"{spanning[0].text!r} below {name!r} spans several cells, and which of them it belongs to is not shown"
        )
        table.damages.append(Damage(row, reason))
        return
    row = tuple(unmarked(cell) for cell in (_carried_down(table, row) if leaves_out else row))
    misfits = [place for place in zip(row, table.headings, strict=True) if not fits(*place)]
    # The grid says which column a cell stands in: a value that cannot be read leaves the others where they are.
    if misfits and all(heading.is_value for _, heading in misfits) and _has_other_values(table, row, misfits):
        misfits = []
    if misfits:
        cell, heading = misfits[0]
        name = " ".join(heading.cell.text.split())
        what = f"{cell.text.strip()!r} cannot be a cell" if cell.text.strip() else "a blank cell cannot be one"
        table.damages.append(Damage(row, f"{what} of the column {name!r}"))
        return
    table.rows.append(row)
    table.row_lines.append(first)


def _carried_down(table: ResultTable, row: _Row) -> _Row:
    """The row with its leading blank cells filled from the row above, where the model or the platform is one of them.

    A table that prints a name once for several rows leaves the cells below it blank, from the left on. A blank cell
    anywhere else says that nothing is stated.
    """
    leading = next((n for n, cell in enumerate(row) if not cell.is_blank), len(row))
    named = any(heading.column in ("model", "platform") for heading in table.headings[:leading])
    above = _row_above(table)
    return (*above[:leading], *row[leading:]) if named and above else row


def _row_above(table: ResultTable) -> _Row | None:
    """The last row, or None where a damaged one stands below it."""
    if not table.rows or (table.damages and table.damages[-1].cells[-1].line > table.rows[-1][-1].line):
        return None
    return table.rows[-1]


def _leaves_models_out(headings: list[Heading], rows: Sequence[_Row], short: int) -> bool:
    """True where a blank model is that of the row above.

    Not where one model is printed in two cells one below the other, or where only one cell of a table with more than
    `short` rows is blank: there the name in it is lost.
    """
    column = next((place for place, heading in enumerate(headings) if heading.column == "model"), None)
    cells = [row[column] for row in rows if column is not None and len(row) > column]
    repeats = any(
        above is not below and not above.is_blank and above.text == below.text for above, below in pairwise(cells)
    )
    return not repeats and (len(cells) <= short or sum(cell.is_blank for cell in cells) > 1)


def _has_other_values(table: ResultTable, row: _Row, misfits: Sequence[tuple[Cell, Heading]]) -> bool:
    unread = {id(cell) for cell, _ in misfits}
    places = zip(row, table.headings, strict=True)
    return any(heading.is_value and id(cell) not in unread and not is_nothing(cell) for cell, heading in places)
