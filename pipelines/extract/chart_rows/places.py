"""Where the words of a page are printed: the lines of the document that they stand on."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.extract.vector_charts.chart import Chart
from pipelines.read.document import Cell, Document, Line
from pipelines.read.page import Page, Word

# A heading of a page is set in larger type than what it stands above.
_LARGER = 1.2


class PagePlaces:
    """The lines of one page.

    Attributes:
        lines: Its lines in order.
        first_line: Number of the first one; 1 for a page without lines.
    """

    def __init__(self, document: Document, page: Page) -> None:
        self._cells: dict[Word, Cell] = {}
        self._sizes: dict[int, float] = {}
        self.lines: list[Line] = []
        for line, place in zip(document.lines, document.places, strict=True):
            if place is None or place.page != page.number:
                continue
            self.lines.append(line)
            for placed in place.words:
                text = line.text[placed.start : placed.end]
                self._cells.setdefault(placed.word, Cell(text, line.number, placed.start, placed.end))
                self._sizes[line.number] = max(self._sizes.get(line.number, 0.0), placed.word.size)
        self._text = {line.number: line for line in self.lines}
        self.first_line = self.lines[0].number if self.lines else 1

    def cell(self, words: Sequence[Word]) -> Cell | None:
        """The characters of words on their line; of words on several lines those on the first; None for no words."""
        cells = [cell for word in words if (cell := self._cells.get(word))]
        if not cells:
            return None
        number = cells[0].line
        start = min(cell.start for cell in cells if cell.line == number)
        end = max(cell.end for cell in cells if cell.line == number)
        return Cell(self._text[number].text[start:end], number, start, end)

    def heading(self, charts: Sequence[Chart]) -> Line | None:
        """The line in the largest type of the page, where it is larger than that of the charts' own words."""
        own = [word.size for chart in charts for mark in chart.marks for word in mark.category_words]
        largest = max(self._sizes.values(), default=0.0)
        if not own or largest < _LARGER * max(own):
            return None
        return next(line for line in self.lines if self._sizes.get(line.number) == largest)
