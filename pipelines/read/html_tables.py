"""The grid of an HTML table: which cell stands in which row and column, and which of them are marked as headings.

What a cell reads as belongs in `html_text`, on which line it stands in the reader of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from pipelines.read.document import ReadError
from pipelines.read.html_text import is_hidden

# What a browser allows for `colspan`, and more places than any table of benchmarks has.
_MAX_SPAN, _MAX_PLACES = 1000, 500_000
# More digits are no number of rows, and none that `int` has to read.
_MAX_DIGITS = 6

# A row's part of the table (head, body, foot), its cells, which may be none, and whether any has an attribute.
_Row = tuple[etree._Element | None, list[etree._Element], bool]


@dataclass(slots=True)
class Layout:
    """Where the cells of a table stand; they are numbered from 0 as they are printed.

    Attributes:
        rows: Number of the cell in each place, row by row; a cell that spans rows or columns stands in each of them.
            A row that no spanning cell stands in is a `range`.
        spans: (row, column) of a place that repeats a spanning cell -> (row, column) of that cell's first place.
        heading_rows: Rows at the top that are marked as headings; 0 where all rows are, as such a mark says nothing.
        heading_columns: Columns at the left whose cells below those rows are marked as headings; 0 where all are.
    """

    rows: list[Sequence[int]] = field(default_factory=list)
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    heading_rows: int = 0
    heading_columns: int = 0


def lay_out(table: etree._Element, write: Callable[[list[etree._Element]], None], line: int = 1) -> Layout:
    """The layout of a table that holds no other; its cells are written row by row, in the order of the file.

    Args:
        table: The table.
        write: Takes the cells of a row as they are printed; they are what the numbers of the layout count.
        line: Line the table begins on, for the message of an error.

    Raises:
        ReadError: `too_large`, for a table whose cells span more places than any table has.
    """
    layout = Layout()
    in_head: list[bool] = []
    is_marked: list[bool] = []
    headings: set[int] = set()
    printed = places = 0
    # Cells that reach down from rows above, by column: the cell and how many rows it still covers. As in a browser
    # they reach no further than their part of the table does.
    reaching: dict[int, tuple[int, int]] = {}
    part_before = None
    for part, cells, has_attributes in _rows_of(table):
        if part is not part_before:
            reaching, part_before = {}, part
        if not cells:
            # A row without a cell of its own is none.
            reaching = {column: (cell, left - 1) for column, (cell, left) in reaching.items() if left > 1}
            continue
        write(cells)
        in_head.append(part is not None and part.tag == "thead")
        marked = (
            [n for n, cell in enumerate(cells) if cell.tag == "th"] if "th" in (cells[0].tag, cells[-1].tag) else []
        )
        headings.update(printed + number for number in marked)
        is_marked.append(bool(marked) and all(n in marked or _is_blank(cell) for n, cell in enumerate(cells)))
        places += len(cells)
        spans = _spans_of(cells) if has_attributes else {}
        if spans or reaching:
            row, reaching = _place(printed, len(cells), spans, reaching)
            places += len(row) - len(cells)
            layout.rows.append(row)
        else:
            layout.rows.append(range(printed, printed + len(cells)))
        printed += len(cells)
        if places > _MAX_PLACES:
            raise ReadError("too_large", f"a table of the page has more than {_MAX_PLACES:,} cells", line)
    if places > printed:
        layout.spans = _repeats(layout.rows)
    layout.heading_rows = _heading_rows(layout.rows, in_head, is_marked)
    layout.heading_columns = _heading_columns(layout.rows[layout.heading_rows :], headings)
    return layout


def _rows_of(table: etree._Element) -> Iterator[_Row]:
    for row in table.iterdescendants("tr"):
        cells = [*row.iterchildren("td", "th")]
        has_attributes = [cell for cell in cells if cell.keys()]
        if any(is_hidden(cell) for cell in has_attributes):
            cells = [cell for cell in cells if not is_hidden(cell)]
        yield row.getparent(), cells, bool(has_attributes)


def _is_blank(cell: etree._Element) -> bool:
    return not len(cell) and not (cell.text or "").strip()


def _spans_of(cells: Iterable[etree._Element]) -> dict[int, tuple[int, int]]:
    """Rows and columns of the cells that cover more than one place, by their number in the row."""
    spans = {}
    for number, cell in enumerate(cells):
        rows, columns = _span(cell, "rowspan"), _span(cell, "colspan")
        if rows > 1 or columns > 1:
            spans[number] = rows, columns
    return spans


def _span(cell: etree._Element, name: str) -> int:
    """The number of rows or columns a cell covers; 0 means the rest of the rows, anything unreadable one."""
    text = (cell.get(name) or "1").strip()
    if not text.isdecimal():
        return 1
    return min(int(text.lstrip("0")[:_MAX_DIGITS] or 0), _MAX_SPAN) or (_MAX_SPAN if name == "rowspan" else 1)


def _place(
    printed: int, count: int, spans: dict[int, tuple[int, int]], reaching: dict[int, tuple[int, int]]
) -> tuple[tuple[int, ...], dict[int, tuple[int, int]]]:
    """The numbers of the cells of a row by column, and the cells that reach into the next one."""
    row = {column: cell for column, (cell, _) in reaching.items()}
    behind = {column: (cell, left - 1) for column, (cell, left) in reaching.items() if left > 1}
    column = 0
    for number in range(count):
        while column in row:
            column += 1
        rows, columns = spans.get(number, (1, 1))
        for place in range(column, column + columns):
            row[place] = printed + number
            if rows > 1:
                behind[place] = printed + number, rows - 1
        if len(row) > _MAX_PLACES:
            break
        column += 1
    # A gap is a place that only a cell from above reaches over; nothing is printed there.
    return tuple(row[place] for place in sorted(row)), behind


def _repeats(rows: Iterable[Sequence[int]]) -> dict[tuple[int, int], tuple[int, int]]:
    firsts: dict[int, tuple[int, int]] = {}
    repeats = {}
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            place = number, column
            if (first := firsts.setdefault(cell, place)) != place:
                repeats[place] = first
    return repeats


def _heading_rows(rows: Sequence[Sequence[int]], in_head: Sequence[bool], is_marked: Sequence[bool]) -> int:
    """The rows of `thead` at the top, or without one those of nothing but `th` and blank cells.

    One cell over all columns below other headings is the title of what stands below it.
    """
    count = 0
    for row, is_head in zip(rows, in_head if in_head[:1] == [True] else is_marked, strict=True):
        if not is_head or (count and len(set(row)) == 1 and not in_head[count]):
            break
        count += 1
    return count if count < len(rows) else 0


def _heading_columns(rows: Iterable[Sequence[int]], headings: set[int]) -> int:
    """The columns at the left that are `th` in all rows; a title over all columns is no row of them."""
    if not headings:
        return 0
    fewest: int | None = None
    widest = 0
    for row in rows:
        if len(row) > 1 and len(set(row)) == 1:
            continue
        count = next((column for column, cell in enumerate(row) if cell not in headings), len(row))
        fewest = count if fewest is None else min(fewest, count)
        widest = max(widest, len(row))
        if not fewest:
            return 0
    return fewest if fewest is not None and fewest < widest else 0
