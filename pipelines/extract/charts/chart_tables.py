"""The charts of a document as rows, and as tables that the mapping of a source explains.

Rows say where words are printed, what axes measure and what is claimed. A table has series as
headings and categories as rows; a cell without a printed number has its place on the page, where
its mark is drawn.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pipelines.extract.charts.chart import Chart, DrawnMark, RefusedChart
from pipelines.extract.charts.labels import Label, read_label
from pipelines.extract.charts.reading import read_charts
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.named_quantities import quantity_of
from pipelines.extract.rows import ChartValue, Reject, interval
from pipelines.extract.tables.measurements import Result
from pipelines.extract.tables.printed import Passage, PrintedTable, tables_in
from pipelines.read.document import Cell, Document, Grid, Line, PlacedLine
from pipelines.read.page import Box, Word
from pipelines.values.numbers import FACTOR, read_factor
from pipelines.values.quantity import Quantity

# Where a value is printed, and what it says in the unit of the axis.
_Printed = tuple[Cell, Quantity]
# What no label at the place, or no legend, says.
UNKNOWN = "unknown"


def _part(line: Line, start: int, end: int) -> Cell:
    return Cell(line.text[start:end], line.number, start, end)


@dataclass
class PageCharts:
    """The charts of one page and its printed words.

    Attributes:
        number: Number of the page, from 1.
        charts: Its charts.
        refused: What looks like a chart there and gives no number.
        placed: Its lines in order, with the places of their words.
    """

    number: int
    charts: list[Chart]
    refused: list[RefusedChart]
    placed: list[tuple[Line, PlacedLine]]

    @property
    def lines(self) -> list[Line]:
        """Its lines in order."""
        return [line for line, _ in self.placed]

    @property
    def first_line(self) -> int:
        """Number of its first line; 1 for a page without lines."""
        return self.placed[0][0].number if self.placed else 1

    @cached_property
    def _cells(self) -> dict[Word, Cell]:
        words = [(line, word) for line, place in self.placed for word in place.words]
        return {
            placed.word: _part(line, placed.start, placed.end) for line, placed in reversed(words)
        }

    def cells(self, label: Label | None) -> list[Cell]:
        """The characters of each word of a label."""
        return [cell for word in (label.words if label else ()) if (cell := self._cells.get(word))]

    def cell(self, label: Label | None) -> Cell | None:
        """The characters of a label on their line; of one on several lines those on the first; None
        for none.
        """
        cells = self.cells(label)
        own = [cell for cell in cells if cell.line == cells[0].line]
        lines = (line for line in self.lines if own and line.number == own[0].line)
        return next(
            (_part(line, min(c.start for c in own), max(c.end for c in own)) for line in lines),
            None,
        )

    def heading(self, chart: Chart) -> Line | None:
        """The line in the largest type of the page, where it is larger than that of the chart's own
        words.
        """
        own = [word.size for mark in chart.marks if mark.category for word in mark.category.words]
        sizes = [
            max((placed.word.size for placed in place.words), default=0.0)
            for _, place in self.placed
        ]
        is_larger = own and max(sizes, default=0.0) >= SETTINGS.heading * max(own)
        return self.lines[sizes.index(max(sizes))] if is_larger else None


# The charts of the last document: recognising and extracting ask for the same ones, one after the
# other.
_last: list[tuple[Document, list[PageCharts]]] = []


def charts_of(document: Document) -> list[PageCharts]:
    """The charts of each page, and what gives no number there."""
    if not _last or _last[0][0] is not document:
        placed: dict[int, list[tuple[Line, PlacedLine]]] = {
            page.number: [] for page in document.pages
        }
        for line, place in (
            zip(document.lines, document.places, strict=True) if document.pages else ()
        ):
            if place is not None:
                placed[place.page].append((line, place))
        found = [
            PageCharts(page.number, *read_charts(page), placed[page.number])
            for page in document.pages
        ]
        _last[:] = [(document, found)]
    return _last[0][1]


def tick_cells(document: Document) -> frozenset[Cell]:
    """The numbers that label the axes of its charts: whoever reads its words finds no result in
    them.
    """
    return frozenset(
        cell
        for page in charts_of(document)
        for axes in (*(chart.axes for chart in page.charts), *(one.axes for one in page.refused))
        for axis in axes
        for tick in axis.ticks
        if (cell := page.cell(tick.label))
    )


def mark_words(
    extraction: Extraction, chart: Chart, page: PageCharts, taken: Collection[int]
) -> None:
    """Note what the words around a chart are, and the role of the lines that no other format has
    read.
    """
    ticks = [page.cell(tick.label) for axis in chart.axes for tick in axis.ticks]
    names = [page.cell(label) for label in (*(mark.category for mark in chart.marks), chart.title)]
    extraction.marks += [Mark(cell, "condition", "axis_ticks") for cell in ticks if cell]
    extraction.marks += [Mark(cell, "name", "extracted_name") for cell in names if cell]
    for cells, rule in ((ticks, "axis_ticks"), (names, "chart_label")):
        for cell in cells:
            if cell and cell.line not in taken:
                extraction.roles.setdefault(cell.line, ("condition", rule))


def chart_values(chart: Chart, number: int, page: PageCharts) -> Iterator[ChartValue]:
    """One row per mark of a chart, the `number`th of its page; without axis one per bar longer than
    the shortest.
    """
    title, section = page.cell(chart.title), page.heading(chart)
    heading = quantity_of(title.text.strip()) if title and chart.axis else None
    unit = heading.unit if heading else None
    scale = unit.scale if unit else 1.0
    nearest = (chart.title, chart.axis.ticks[-1].label if chart.axis else None)
    start = Cell("", page.first_line, 0, 0) if page.placed else None
    of_chart: dict[str, Any] = {
        "section": section.cell.text if section else None,
        "section_line": section.number if section else None,
        "axis_printed": chart.title.text if chart.title else None,
        "axis_scale": chart.axis.scale if chart.axis else None,
        "metric": heading.metric if heading else None,
        "unit": unit.name if unit else None,
        "unit_printed": unit.printed if unit else (chart.axis.unit or None) if chart.axis else None,
    }
    for index, mark in enumerate(chart.marks, start=1):
        if chart.axis is None and mark.value <= 1:
            continue
        at = page.cell(mark.printed)
        # The same reading as that of the check of the evidence, from the characters as they stand
        # in the line.
        read = read_label(at.text) if at else None
        printed = (at, read) if at and read else None if chart.axis else _claimed(mark, chart, page)
        # Without a printed value, the characters nearest to the mark: its category, the title or a
        # tick of its axis.
        cell = (
            printed[0]
            if printed
            else next(filter(None, map(page.cell, (mark.category, *nearest))), start)
        )
        if cell is None:
            continue
        drawn, stated = mark.drawn.scaled(scale), printed[1].scaled(scale) if printed else None
        x0, top, x1, bottom = mark.box
        yield ChartValue(
            cell=cell,
            drawn_page=page.number,
            drawn_x0=x0,
            drawn_top=top,
            drawn_x1=x1,
            drawn_bottom=bottom,
            chart_number=number,
            mark_number=index,
            mark=mark.kind,
            method="ratio" if chart.axis is None else "printed" if printed else "geometry",
            series_printed=mark.series.text if mark.series else UNKNOWN,
            category_printed=mark.category.text if mark.category else UNKNOWN,
            x_value=mark.x_value,
            **of_chart,
            **interval(stated if stated and chart.axis else drawn, "value"),
            printed_value=stated.value if stated else None,
            printed_low=stated.low if stated else None,
            printed_high=stated.high if stated else None,
            drawn_value=drawn.value,
            drawn_low=drawn.low,
            drawn_high=drawn.high,
        )


def _claimed(mark: DrawnMark, chart: Chart, page: PageCharts) -> _Printed | None:
    """The factor that a slide claims for its longest bar; None where it is not clear which one
    does.
    """
    if mark.value < max(other.value for other in chart.marks):
        return None
    factors: dict[float, _Printed] = {}
    for line in page.lines:
        for match in FACTOR.finditer(line.text):
            factor = read_factor(match)
            # `2x DGX A100` counts systems.
            is_before_name = line.text[match.end() :].lstrip()[:1].isupper()
            if factor and factor.value > 1 and not (is_before_name and factor.value.is_integer()):
                factors.setdefault(factor.value, (line.matched(match), factor))
    agreeing = [
        one for one in factors.values() if one[1].low <= mark.high and mark.low <= one[1].high
    ]
    # Two bars and one factor: the headline can only mean them.
    is_only = len(factors) == 1 and len(chart.marks) == 2
    return next(iter(agreeing or (factors.values() if is_only else ())), None)


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
        # The marks of cells that are drawn and not printed, by text, line and first character;
        # their boxes by place.
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
        named = [
            (mark, _on_one_line(mark.category, page), _on_one_line(mark.series, page))
            for mark in chart.marks
        ]
        twice = Counter((category, name) for _, category, name in named)
        lost = 0
        for mark, category, name in named:
            is_clear = category and (name or not is_named) and twice[category, name] == 1
            value = (
                (page.cell(mark.printed) or self._drawn_cell(mark, category, page.number))
                if is_clear
                else None
            )
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
        cells = [
            [category, *(row.get(name, Cell("", 0, 0, 0)) for name in series)]
            for category, row in rows.items()
        ]
        lines = [category.line for category in rows]
        # Each place has a cell of its own: a title is no spanning cell.
        own_cells = [[replace(cell) for cell in row] for row in (*headings, *cells)]
        grid = Grid(own_cells, min(lines), max(lines))
        heading = page.heading(chart)
        above = [Passage((title,), "caption")] if title else []
        above += [Passage((heading.cell,), "heading")] if heading else []
        own = {cell.line for cell in (*rows, *series.values())} | {heading.number if heading else 0}
        near = [
            *above,
            *(Passage((line.cell,), "sentence") for line in page.lines if line.number not in own),
        ]
        [table] = tables_in(grid)
        table = replace(table, near=near, heading=above[0] if above else None)
        if lost:
            reason = f"{lost} marks have no name on one line, at their place or in a legend"
            facts, cell = (
                json.dumps({"page": page.number, "marks": lost}),
                Cell("", min(lines), 0, 0),
            )
            self._lost[len(self.tables)] = Reject(
                cell=cell, rule="unnamed_marks", reason=reason, row_json=facts
            )
        self.tables.append(table)

    def _drawn_cell(self, mark: DrawnMark, category: Cell | None, page: int) -> Cell | None:
        """The drawn value at a free place on the line of its category; None where the line is too
        short.
        """
        line = category.line if category else 0
        free = (
            at
            for at in range(len(self._document.line(line).text) + 1)
            if (line, at) not in self._boxes
        )
        if (at := next(free, None)) is None:
            return None
        text = f"{mark.drawn.value:.12f}".rstrip("0").rstrip(".")
        self._drawn[text, line, at], self._boxes[line, at] = mark, (page, mark.box)
        return Cell(text, line, at, at + len(text))

    def _printed_cell(self, cell: Cell) -> Cell:
        """A cell without the text that is drawn and not printed; line 1 for what no chart names."""
        is_drawn = (cell.text, cell.line, cell.start) in self._drawn
        return (
            Cell("", cell.line, cell.start, cell.start)
            if is_drawn
            else replace(cell, line=max(cell.line, 1))
        )

    def place(self, result: Result, count: int) -> None:
        """Give the drawn numbers that a mapping has read their interval and their place.

        Args:
            result: What the mapping has made of the document, the tables of charts behind so many
                others.
            count: How many others.
        """
        of_charts = [number for reading in result.tables[count:] for number in reading.numbers]
        for number in of_charts:
            cell = number.cell
            if mark := self._drawn.get((cell.text, cell.line, cell.start)):
                drawn = float(cell.text)
                scale = number.quantity.value / drawn if drawn else 1.0
                number.quantity = mark.drawn.scaled(scale)
                number.cell = cell.part(0, 0)
        # A chart that no entry claims stays what it is, a drawing.
        kept = [
            refusal
            for refusal in result.refusals
            if refusal.cell.line or refusal.rule not in _UNCLAIMED
        ]
        result.refusals = [replace(one, cell=self._printed_cell(one.cell)) for one in kept]
        self._lost = {
            number: lost
            for number, lost in self._lost.items()
            if result.tables[count + number].claim
        }

    def add_boxes(self, extraction: Extraction) -> None:
        """Give the rows of drawn numbers their boxes on the page, and list the marks that no table
        holds.
        """
        extraction.boxes = self._boxes
        extraction.rows += self._lost.values()


def _on_one_line(label: Label | None, page: PageCharts) -> Cell | None:
    """Where a name is printed; None for none, and for one that is not on one line."""
    return page.cell(label) if len({cell.line for cell in page.cells(label)}) == 1 else None
