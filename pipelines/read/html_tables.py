"""The grid of an HTML table: which cell stands in which row and column, and which of them are marked as headings.

What a cell reads as belongs in `html_text`, on which line it stands in the reader of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from lxml import etree

from pipelines.read.document import ReadError
from pipelines.read.html_text import is_hidden, source_of

# What a browser allows for `colspan`, and more places than any table of benchmarks has.
_MAX_SPAN, _MAX_PLACES = 1000, 500_000
# More digits are no number of rows, and none that `int` has to read.
_MAX_DIGITS = 6


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


def lay_out(table: etree._Element, write: Callable[[etree._Element, list[str | None]], None], line: int = 1) -> Layout:
    """The layout of a table that holds no other; its cells are written row by row, in the order of the file.

    Cells without a row are given one.

    Args:
        table: The table.
        write: Takes a row and the texts of its cells as they stand in the file; these the layout counts.
        line: Line the table begins on, for the message of an error.

    Raises:
        ReadError: `too_large`, for a table whose cells span more places than any table has.
    """
    layout = Layout()
    _add_rows(table)
    # The rows with a cell that may span, be hidden or hold more than its text; the cells of others need no look.
    odd_rows = {cell.getparent() for cell in table.iterdescendants("td", "th") if len(cell) or cell.keys()}
    rows_with_headings = {cell.getparent() for cell in table.iterdescendants("th")}
    # Numbers of rows: those of a head, and those of nothing but headings and blank cells.
    in_head: set[int] = set()
    marked: set[int] = set()
    headings: set[int] = set()
    printed = places = 0
    # Cells that reach down from rows above, by column: the cell and how many rows it still covers. As in a browser
    # they reach no further than their part of the table does.
    reaching: dict[int, tuple[int, int]] = {}
    part_before, is_head = None, False
    for row in table.iterdescendants("tr"):
        part = row.getparent()
        if part is not part_before:
            reaching, part_before, is_head = {}, part, part is not None and part.tag == "thead"
        spans: dict[int, tuple[int, int]] = {}
        if row in odd_rows:
            cells = cells_of(row)
            spans = _spans_of(cells)
            texts = [source_of(cell) if len(cell) else cell.text for cell in cells]
        else:
            texts = [cell.text for cell in row.iterchildren("td", "th")]
        if not texts:
            # A row without a cell of its own is none.
            reaching = {column: (cell, left - 1) for column, (cell, left) in reaching.items() if left > 1}
            continue
        write(row, texts)
        if is_head:
            in_head.add(len(layout.rows))
        if row in rows_with_headings:
            own = {number for number, cell in enumerate(cells_of(row)) if cell.tag == "th"}
            headings.update([printed + number for number in own])
            if own and all(n in own or not (text or "").strip() for n, text in enumerate(texts)):
                marked.add(len(layout.rows))
        places += len(texts)
        if spans or reaching:
            placed, reaching = _place(printed, len(texts), spans, reaching)
            places += len(placed) - len(texts)
            layout.rows.append(placed)
        else:
            layout.rows.append(range(printed, printed + len(texts)))
        printed += len(texts)
        if places > _MAX_PLACES:
            raise ReadError("too_large", f"a table of the page has more than {_MAX_PLACES:,} cells", line)
    if places > printed:
        layout.spans = _repeats(layout.rows)
    layout.heading_rows = _heading_rows(layout.rows, in_head, marked)
    layout.heading_columns = _heading_columns(layout.rows[layout.heading_rows :], headings)
    return layout


def _add_rows(table: etree._Element) -> None:
    """Put a row around cells that stand in a table or a part of it without one, as a browser does."""
    for part in (table, *table.iterchildren("thead", "tbody", "tfoot")):
        row: etree._Element | None = None
        for cell in list(part.iterchildren("td", "th")):
            if row is None or cell.getprevious() is not row:
                row = etree.Element("tr")
                row.sourceline = cell.sourceline
                cell.addprevious(row)
            row.append(cell)


def cells_of(row: etree._Element) -> list[etree._Element]:
    """The cells of a row that are seen, in the order of the file."""
    return [cell for cell in row.iterchildren("td", "th") if not is_hidden(cell)]


def _spans_of(cells: Iterable[etree._Element]) -> dict[int, tuple[int, int]]:
    """Rows and columns of the cells that cover more than one place, by their number in the row."""
    spans = {}
    for number, cell in enumerate(cells):
        rows, columns = cell.get("rowspan"), cell.get("colspan")
        if rows or columns:
            # No number of rows means the rest of them.
            spans[number] = _span(rows) or _MAX_SPAN, _span(columns) or 1
    return spans


def _span(text: str | None) -> int:
    """The number of rows or columns that a cell says it covers; one where it says nothing that can be read."""
    text = (text or "1").strip()
    return min(int(text.lstrip("0")[:_MAX_DIGITS] or 0), _MAX_SPAN) if text.isdecimal() else 1


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


def _heading_rows(rows: Sequence[Sequence[int]], in_head: set[int], marked: set[int]) -> int:
    """The rows of `thead` at the top, or without one those of nothing but `th` and blank cells.

    One cell over all columns below other headings is the title of what stands below it.
    """
    has_head = 0 in in_head
    for number, row in enumerate(rows):
        is_title = number > 0 and not has_head and len(set(row)) == 1
        if is_title or number not in (in_head if has_head else marked):
            return number
    return 0


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
