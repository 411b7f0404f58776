"""Drawn charts as tables, so that the mapping of a source says what they mean: series as headings, categories as rows.

A cell without a printed number has its place on the page, where its mark is drawn; mappings belong in `tables`.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from pipelines.extract.charts.chart import Chart, DrawnMark
from pipelines.extract.charts.labels import Label
from pipelines.extract.charts.rows import PageCharts, charts_of
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Reject
from pipelines.extract.tables.measurements import Result
from pipelines.extract.tables.printed import Passage, PrintedTable, tables_in
from pipelines.read.document import Cell, Document, Grid
from pipelines.read.page import Box

# Headings of what no chart names.
CATEGORY, VALUE = "category", "value"
_UNCLAIMED = ("no_mapping", "schema_drift")


class ChartTables:
    """The charts of a document as tables.

    Attributes:
        tables: A table per chart with an axis.
    """

    def __init__(self, document: Document) -> None:
        self.tables: list[PrintedTable] = []
        self._document = document
        # The marks of cells that are drawn and not printed, by text, line and first character; their boxes by place.
        self._drawn: dict[tuple[str, int, int], DrawnMark] = {}
        self._boxes: dict[tuple[int, int], tuple[int, Box]] = {}
        self._lost: dict[int, Reject] = {}
        for page in charts_of(document):
            for chart in page.charts if page.placed else ():
                if chart.axis is not None:
                    self._add(chart, page)

    def _add(self, chart: Chart, page: PageCharts) -> None:
        is_named = any(mark.series for mark in chart.marks)
        rows: dict[Cell, dict[str, Cell]] = {}
        series: dict[str, Cell] = {} if is_named else {VALUE: Cell(VALUE, 0, 0, 0)}
        named = [(mark, _on_one_line(mark.category, page), _on_one_line(mark.series, page)) for mark in chart.marks]
        twice = Counter((category, name) for _, category, name in named)
        lost = 0
        for mark, category, name in named:
            is_clear = category and (name or not is_named) and twice[category, name] == 1
            value = (page.cell(mark.printed) or self._drawn_cell(mark, category, page.number)) if is_clear else None
            if category is None or value is None:
                # A number of which no printed word says what it is of is none of a table.
                lost += 1
                continue
            if name:
                series[name.text] = name
            rows.setdefault(category, {})[name.text if name else VALUE] = value
        if not rows:
            return
        title, first = page.cell(chart.title), Cell(CATEGORY, 0, 0, 0)
        headings = [[first, *([title] * len(series))]] if title else []
        headings += [[first, *series.values()]] if is_named or not title else []
        cells = [[category, *(row.get(name, Cell("", 0, 0, 0)) for name in series)] for category, row in rows.items()]
        lines = [category.line for category in rows]
        grid = Grid.of_cells([*headings, *cells], min(lines), max(lines))
        heading = page.heading(chart)
        above = [Passage((title,), "caption")] if title else []
        above += [Passage((heading.cell,), "heading")] if heading else []
        own = {cell.line for cell in (*rows, *series.values())} | {heading.number if heading else 0}
        near = [*above, *(Passage((line.cell,), "sentence") for line in page.lines if line.number not in own)]
        [table] = tables_in(replace(grid, spans={}))
        table = replace(table, near=near, heading=above[0] if above else None)
        if lost:
            reason = f"{lost} marks have no name on one line, at their place or in a legend"
            facts, cell = json.dumps({"page": page.number, "marks": lost}), Cell("", min(lines), 0, 0)
            self._lost[len(self.tables)] = Reject(cell=cell, rule="unnamed_marks", reason=reason, row_json=facts)
        self.tables.append(table)

    def _drawn_cell(self, mark: DrawnMark, category: Cell | None, page: int) -> Cell | None:
        """The drawn value at a free place on the line of its category; None where the line is too short."""
        line = category.line if category else 0
        free = (at for at in range(len(self._document.line(line).text) + 1) if (line, at) not in self._boxes)
        if (at := next(free, None)) is None:
            return None
        text = f"{mark.drawn.value:.12f}".rstrip("0").rstrip(".")
        self._drawn[text, line, at], self._boxes[line, at] = mark, (page, mark.box)
        return Cell(text, line, at, at + len(text))

    def _printed_cell(self, cell: Cell) -> Cell:
        """A cell without the text that is drawn and not printed; line 1 for what no chart names."""
        is_drawn = (cell.text, cell.line, cell.start) in self._drawn
        return Cell("", cell.line, cell.start, cell.start) if is_drawn else replace(cell, line=max(cell.line, 1))

    def place(self, result: Result, count: int) -> None:
        """Give the drawn numbers that a mapping has read their interval and their place.

        Args:
            result: What the mapping has made of the document, the tables of charts behind so many others.
            count: How many others.
        """
        for block in (block for block in result.blocks if any(block.table is table for table in self.tables)):
            places = list(zip(block.texts, block.lines, block.starts, strict=True))
            marks = [self._drawn.get(place) for place in places]
            block.values = [
                mark.drawn.scaled(value.value / float(text) if float(text) else 1.0) if mark else value
                for mark, value, text in zip(marks, block.values, block.texts, strict=True)
            ]
            block.texts = ["" if mark else text for mark, text in zip(marks, block.texts, strict=True)]
        # A chart that no entry claims stays what it is, a drawing.
        kept = [refusal for refusal in result.refusals if refusal.cell.line or refusal.rule not in _UNCLAIMED]
        result.refusals = [replace(one, cell=self._printed_cell(one.cell)) for one in kept]
        self._lost = {number: lost for number, lost in self._lost.items() if count + number in result.claims}
        result.tables = result.tables[:count]

    def add_boxes(self, extraction: Extraction) -> None:
        """Give the rows of drawn numbers their boxes on the page, and list the marks that no table holds."""
        for columns in extraction.columns:
            places = zip(columns.texts, columns.lines, columns.starts, strict=True)
            for number, (text, line, start) in enumerate(places):
                if not text and (line, start) in self._boxes:
                    columns.boxes[number] = self._boxes[line, start]
        extraction.rows += self._lost.values()


def _on_one_line(label: Label | None, page: PageCharts) -> Cell | None:
    """Where a name is printed; None for none, and for one that is not on one line."""
    return page.cell(label) if len({cell.line for cell in page.cells(label)}) == 1 else None
