"""The grid of an HTML table: which cell is in which row and column.

What a cell reads as belongs in `html_text`, on which line it is written in the reader of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lxml import etree

from pipelines.read.document import ReadError
from pipelines.read.html_text import is_hidden, source_of

# What a browser allows for `colspan`, and more places than any table of benchmarks has.
_MAX_SPAN, _MAX_PLACES = 1000, 500_000
# More digits are not a count of rows.
_MAX_DIGITS = 6
_ORDER = {"thead": 0, "tfoot": 2}


def lay_out(
    table: etree._Element, write: Callable[[etree._Element, list[str | None]], None], line: int
) -> list[Sequence[int]]:
    """The rows of a table that holds no other; its cells are written row by row, in the order of
    the file.

    Args:
        table: The table. Cells without a row are given one.
        write: Takes a row and the texts of its cells as the file has them; these the layout counts.
        line: Line the table begins on, for the message of an error.

    Returns:
        The number of the cell in each place, from 0 in the order of the file; one that spans is in
        each of its places.

    Raises:
        ReadError: `too_large`, for a table whose cells span more places than any table has.
    """
    _add_rows(table)
    # The rows with a cell that may span, be hidden or hold more than its text; the cells of others
    # need no look.
    odd_rows = {
        cell.getparent() for cell in table.iterdescendants("td", "th") if len(cell) or cell.keys()
    }
    rows: list[Sequence[int]] = []
    printed = places = 0
    # Cells that reach down from rows above, by column: the cell and how many rows it still covers.
    # As in a browser they reach no further than their part of the table does.
    reaching: dict[int, tuple[int, int]] = {}
    part = None
    # A browser shows the head first and the foot last, wherever the file has them.
    for row in sorted(
        table.iterdescendants("tr"), key=lambda row: _ORDER.get(next(row.iterancestors()).tag, 1)
    ):
        if row.getparent() is not part:
            reaching, part = {}, row.getparent()
        spans: dict[int, tuple[int, int]] = {}
        if row in odd_rows:
            cells = cells_of(row)
            spans = _spans_of(cells)
            texts = [source_of(cell) if len(cell) else cell.text for cell in cells]
        else:
            texts = [cell.text for cell in row.iterchildren("td", "th")]
        if not texts:
            # A row without cells is ignored.
            reaching = {
                column: (cell, left - 1) for column, (cell, left) in reaching.items() if left > 1
            }
            continue
        write(row, texts)
        placed: Sequence[int] = range(printed, printed + len(texts))
        if spans or reaching:
            placed, reaching = _place(printed, len(texts), spans, reaching)
        rows.append(placed)
        places += len(placed)
        printed += len(texts)
        if places > _MAX_PLACES:
            raise ReadError(
                "too_large", f"a table of the page has more than {_MAX_PLACES:,} cells", line
            )
    return rows


def _add_rows(table: etree._Element) -> None:
    """Put a row around cells of a table, or of a part of it, that have none, as a browser does."""
    for part in (table, *table.iterchildren("thead", "tbody", "tfoot")):
        row: etree._Element | None = None
        for cell in list(part.iterchildren("td", "th")):
            if row is None or cell.getprevious() is not row:
                row = etree.Element("tr")
                row.sourceline = cell.sourceline
                cell.addprevious(row)
            row.append(cell)


def cells_of(row: etree._Element) -> list[etree._Element]:
    """The visible cells of a row, in the order of the file."""
    return [cell for cell in row.iterchildren("td", "th") if not is_hidden(cell)]


def _spans_of(cells: Sequence[etree._Element]) -> dict[int, tuple[int, int]]:
    """Rows and columns of the cells that cover more than one place, by their number in the row."""
    spans = {}
    for number, cell in enumerate(cells):
        rows, columns = cell.get("rowspan"), cell.get("colspan")
        if rows or columns:
            # 0 rows means all remaining rows.
            spans[number] = _span(rows) or _MAX_SPAN, _span(columns) or 1
    return spans


def _span(text: str | None) -> int:
    """The `rowspan` or `colspan` of a cell; 1 if it is missing or invalid."""
    text = (text or "1").strip()
    return min(int(text.lstrip("0")[:_MAX_DIGITS] or 0), _MAX_SPAN) if text.isdecimal() else 1


def _place(
    printed: int,
    count: int,
    spans: dict[int, tuple[int, int]],
    reaching: dict[int, tuple[int, int]],
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
