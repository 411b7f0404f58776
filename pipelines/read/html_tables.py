"""The rows of an HTML table and the spans of its cells, as a browser lays them out.

What a cell reads as belongs in `html_text`, on which line it is written in the reader of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from lxml import etree

# What a browser allows for `colspan`
_MAX_SPAN = 1000
# More digits are not a count of rows.
_MAX_DIGITS = 6
_ORDER = {"thead": 0, "tfoot": 2}
# A cell, and the rows and columns that it covers
SpanningCell = tuple[etree._Element, int, int]


def parts_of(table: etree._Element) -> Iterator[list[list[SpanningCell]]]:
    """The cells in each row of each part of a table that holds no other.

    A browser shows the head first and the foot last, wherever the file has them; cells reach no
    further down than their part. Cells without a row are given one.
    """
    for part in (table, *table.iterchildren("thead", "tbody", "tfoot")):
        row: etree._Element | None = None
        for cell in list(part.iterchildren("td", "th")):
            if row is None or cell.getprevious() is not row:
                row = etree.Element("tr")
                row.sourceline = cell.sourceline
                cell.addprevious(row)
            row.append(cell)
    rows = sorted(
        table.iterdescendants("tr"), key=lambda row: _ORDER.get(next(row.iterancestors()).tag, 1)
    )
    for _, part_rows in groupby(rows, key=lambda row: row.getparent()):
        yield [[_spanning(cell) for cell in row.iterchildren("td", "th")] for row in part_rows]


def _spanning(cell: etree._Element) -> SpanningCell:
    # 0 rows means all remaining rows.
    return cell, _span(cell.get("rowspan")) or _MAX_SPAN, _span(cell.get("colspan")) or 1


def _span(text: str | None) -> int:
    """The `rowspan` or `colspan` of a cell; 1 if it is missing or invalid."""
    text = (text or "1").strip()
    return min(int(text.lstrip("0")[:_MAX_DIGITS] or 0), _MAX_SPAN) if text.isdecimal() else 1
