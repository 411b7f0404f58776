"""Drawn charts as tables, so that the mapping of a source says what they mean: series as headings, categories as rows.

A cell without a printed number has its place on the page, where its mark is drawn; mappings belong in `tables`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from pipelines.extract.charts.chart import Chart, DrawnMark
from pipelines.extract.charts.labels import Label
from pipelines.extract.charts.rows import PagePlaces, charts_of, drawn_value, rounded, rounded_value
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Reject
from pipelines.extract.tables.blocks import Result
from pipelines.extract.tables.printed import Passage, Table, tables_in
from pipelines.read.document import Cell, Document, Grid
from pipelines.read.page import Box
from pipelines.values.quantity import Quantity

# Headings of what no chart names.
CATEGORY, VALUE = "category", "value"
# A drawn cell begins at a multiple of this below zero, by which its mark is found again in what a mapping reads.
_STEP = 16
_UNCLAIMED = ("no_mapping", "schema_drift")


class ChartTables:
    """The charts of a document as tables.

    Attributes:
        tables: A table per chart with an axis.
    """

    def __init__(self, document: Document) -> None:
        self.tables: list[Table] = []
        self._document, self._marks = document, list[tuple[DrawnMark, int, Cell]]()
        self._lost: dict[int, Reject] = {}
        self._used: set[tuple[int, int]] = set()
        for page, (charts, _) in zip(document.pages, charts_of(document), strict=True):
            places = PagePlaces(document, page)
            for chart in charts:
                if chart.axis is not None and places.lines:
                    self._add(chart, page.number, places)

    def _add(self, chart: Chart, page: int, places: PagePlaces) -> None:
        is_named = any(mark.series for mark in chart.marks)
        rows: dict[Cell, dict[str, tuple[DrawnMark, Cell]]] = {}
        series: dict[str, Cell] = {} if is_named else {VALUE: Cell(VALUE, 0, 0, 0)}
        named = [(mark, _on_one_line(mark.category, places), _on_one_line(mark.series, places)) for mark in chart.marks]
        twice = Counter((category, name) for _, category, name in named)
        lost = 0
        for mark, category, name in named:
            drawn = self._place(category) if category else None
            if category is None or drawn is None or (is_named and not name) or twice[category, name] > 1:
                # A number of which no printed word says what it is of is none of a table.
                lost += 1
                continue
            if name:
                series[name.text] = name
            rows.setdefault(category, {})[name.text if name else VALUE] = (mark, drawn)
        if not rows:
            return
        title, first = places.cell(chart.title), Cell(CATEGORY, 0, 0, 0)
        headings = [[first, *([title] * len(series))]] if title else []
        headings += [[first, *series.values()]] if is_named or not title else []
        cells = [
            [category, *(self._value(row.get(name), page, places) for name in series)] for category, row in rows.items()
        ]
        lines = [category.line for category in rows]
        grid = Grid.of_cells([*headings, *cells], min(lines), max(lines))
        [table] = tables_in(replace(grid, spans={}))
        heading = places.heading(chart)
        above = [Passage((title,), "caption")] if title else []
        above += [Passage((heading.cell,), "heading")] if heading else []
        own = {cell.line for cell in (*rows, *series.values())} | {heading.number if heading else 0}
        table.near = [*above, *(Passage((line.cell,), "sentence") for line in places.lines if line.number not in own)]
        table.heading = above[0] if above else None
        if lost:
            reason = f"{lost} marks have no name of their own, printed on one line, at their place or in a legend"
            facts = json.dumps({"page": page, "marks": lost})
            self._lost[len(self.tables)] = Reject(
                cell=Cell("", min(lines), 0, 0), rule="unnamed_marks", reason=reason, row_json=facts
            )
        self.tables.append(table)

    def _place(self, category: Cell) -> Cell | None:
        """A place of no length on the line of a category for a drawn value; None where the line is too short."""
        size = len(self._document.line(category.line).text)
        places = (*range(category.start, size + 1), *range(category.start))
        at = next((at for at in places if (category.line, at) not in self._used), None)
        if at is None:
            return None
        self._used.add((category.line, at))
        return Cell("", category.line, at, at)

    def _value(self, drawn: tuple[DrawnMark, Cell] | None, page: int, places: PagePlaces) -> Cell:
        if drawn is None:
            return Cell("", 0, 0, 0)
        mark, place = drawn
        if printed := places.cell(mark.printed):
            return printed
        self._marks.append((mark, page, place))
        text = f"{rounded_value(mark.value):.12f}".rstrip("0").rstrip(".")
        start = -_STEP * len(self._marks)
        return Cell(text, place.line, start, start + len(text))

    def place(self, result: Result, count: int) -> None:
        """Give the drawn numbers that a mapping has read their interval and their place.

        Args:
            result: What the mapping has made of the document, the tables of charts behind so many others.
            count: How many others.
        """
        for block in result.blocks:
            values, places = list(block.values), list(block.places)
            for at, (text, _, start) in enumerate(block.places):
                if start >= 0:
                    continue
                mark, _, place = self._marks[(-start - 1) // _STEP]
                values[at] = drawn_value(mark).scaled(values[at].value / float(text) if float(text) else 1.0)
                places[at] = ("", place.line, place.start)
            block.values, block.places = values, places
        # A chart that no entry claims stays what it is, a drawing.
        kept = [refusal for refusal in result.refusals if refusal.cell.line or refusal.rule not in _UNCLAIMED]
        places_of = [Cell(one.cell.text, max(one.cell.line, 1), max(one.cell.start, 0), one.cell.end) for one in kept]
        result.refusals = [replace(one, cell=cell) for one, cell in zip(kept, places_of, strict=True)]
        self._lost = {number: lost for number, lost in self._lost.items() if count + number in result.claims}
        result.tables = result.tables[:count]

    def add_boxes(self, extraction: Extraction) -> None:
        """Give the rows of drawn numbers their boxes on the page, and list the marks that no table holds."""
        boxes = {(place.line, place.start): (page, rounded(mark.box)) for mark, page, place in self._marks}
        for columns in extraction.columns:
            for number, (text, line, start) in enumerate(
                zip(columns.texts, columns.lines, columns.starts, strict=True)
            ):
                if not text and (line, start) in boxes:
                    columns.boxes[number] = boxes[line, start]
        extraction.rows += self._lost.values()


def _on_one_line(label: Label | None, places: PagePlaces) -> Cell | None:
    """Where a name is printed; None for none, and for one that is not on one line."""
    return places.cell(label) if len({cell.line for cell in places.cells(label)}) == 1 else None


def drawn_values(document: Document) -> Iterator[tuple[tuple[int, Box], Quantity]]:
    """Page and box of each bar and point of a document, with the value that it is drawn at."""
    for page, (charts, _) in zip(document.pages, charts_of(document), strict=True):
        for mark in (mark for chart in charts for mark in chart.marks):
            yield (page.number, rounded(mark.box)), drawn_value(mark)
