"""Lines of a page that were joined into one by tabs: what stands in them may be the end of a table or a heading."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.headings import Heading
from pipelines.read.document import Cell, Document


def holds_headings(cells: Iterable[Cell], headings: Sequence[Heading]) -> bool:
    """True where cells below a header hold one of its headings again, joined to others: another table begins there."""
    known = {_plain(heading.cell.text) for heading in headings}
    parts = [part for cell in cells for part in cell.text.split("\t")]
    return len(parts) > len(headings) and any(_plain(part) in known for part in parts if part.strip())


def ends_joined(document: Document, table: ResultTable) -> bool:
    """True where lines behind a table seem to be joined to its last row, or to what follows that."""
    whole = [row[-1].line for row in table.rows if not any("\t" in cell.text for cell in row)]
    behind = range(max(whole, default=table.first_line) + 1, table.last_line + 1)
    tabs = [document.line(number).text.strip().count("\t") for number in behind]
    return any(count not in (0, len(table.headings) - 1) for count in tabs)


def joined_lines(document: Document, lines: range, taken: Collection[int]) -> list[int]:
    """The lines with a tab between words, but for rows of a table: those have other such lines beside them."""

    def is_tabbed(number: int) -> bool:
        return 1 <= number <= len(document.lines) and "\t" in document.line(number).text.strip()

    tabbed = [number for number in lines if number not in taken and is_tabbed(number)]
    return [number for number in tabbed if not is_tabbed(number - 1) and not is_tabbed(number + 1)]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
