"""The charts of a document as rows: where their words are printed, what their axes measure, what is claimed there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pipelines.extract.charts.chart import Chart, DrawnMark, RefusedChart
from pipelines.extract.charts.labels import Label, read_label
from pipelines.extract.charts.reading import read_charts
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.named_quantities import read_name
from pipelines.extract.rows import ChartValue, interval
from pipelines.read.document import Cell, Document, Line, PlacedLine
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
        return {placed.word: _part(line, placed.start, placed.end) for line, placed in reversed(words)}

    def cells(self, label: Label | None) -> list[Cell]:
        """The characters of each word of a label."""
        return [cell for word in (label.words if label else ()) if (cell := self._cells.get(word))]

    def cell(self, label: Label | None) -> Cell | None:
        """The characters of a label on their line; of one on several lines those on the first; None for none."""
        cells = self.cells(label)
        own = [cell for cell in cells if cell.line == cells[0].line]
        lines = (line for line in self.lines if own and line.number == own[0].line)
        return next((_part(line, min(c.start for c in own), max(c.end for c in own)) for line in lines), None)

    def heading(self, chart: Chart) -> Line | None:
        """The line in the largest type of the page, where it is larger than that of the chart's own words."""
        own = [word.size for mark in chart.marks if mark.category for word in mark.category.words]
        sizes = [max((placed.word.size for placed in place.words), default=0.0) for _, place in self.placed]
        is_larger = own and max(sizes, default=0.0) >= SETTINGS.heading * max(own)
        return self.lines[sizes.index(max(sizes))] if is_larger else None


# The charts of the last document: recognising and extracting ask for the same ones, one after the other.
_last: list[tuple[Document, list[PageCharts]]] = []


def charts_of(document: Document) -> list[PageCharts]:
    """The charts of each page, and what gives no number there."""
    if not _last or _last[0][0] is not document:
        placed: dict[int, list[tuple[Line, PlacedLine]]] = {page.number: [] for page in document.pages}
        for line, place in zip(document.lines, document.places, strict=True) if document.pages else ():
            if place is not None:
                placed[place.page].append((line, place))
        found = [PageCharts(page.number, *read_charts(page), placed[page.number]) for page in document.pages]
        _last[:] = [(document, found)]
    return _last[0][1]


def tick_cells(document: Document) -> frozenset[Cell]:
    """The numbers that label the axes of its charts: whoever reads its words finds no result in them."""
    return frozenset(
        cell
        for page in charts_of(document)
        for axes in (*(chart.axes for chart in page.charts), *(one.axes for one in page.refused))
        for axis in axes
        for tick in axis.ticks
        if (cell := page.cell(tick.label))
    )


def drawn_values(document: Document) -> Iterator[tuple[tuple[int, Box], Quantity]]:
    """Page and box of each bar and point of a document, with the value that it is drawn at."""
    for page in charts_of(document):
        yield from (((page.number, mark.box), mark.drawn) for chart in page.charts for mark in chart.marks)


def mark_words(extraction: Extraction, chart: Chart, page: PageCharts, taken: Collection[int]) -> None:
    """Note what the words around a chart are, and the role of the lines that no other format has read."""
    ticks = [tick.label for axis in chart.axes for tick in axis.ticks]
    for cell in filter(None, map(page.cell, ticks)):
        extraction.marks.append(Mark(cell, "condition", "axis_ticks"))
        if cell.line not in taken:
            extraction.roles[cell.line] = ("condition", "axis_ticks")
    for cell in filter(None, map(page.cell, [*(mark.category for mark in chart.marks), chart.title])):
        extraction.marks.append(Mark(cell, "name", "extracted_name"))
        if cell.line not in taken:
            extraction.roles.setdefault(cell.line, ("condition", "chart_label"))


def chart_values(chart: Chart, number: int, page: PageCharts) -> Iterator[ChartValue]:
    """One row per mark of a chart, the `number`th of its page; without axis one per bar longer than the shortest."""
    title, section = page.cell(chart.title), page.heading(chart)
    heading = read_name(title) if title and chart.axis else None
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
        # The same reading as that of the check of the evidence, from the characters as they stand in the line.
        read = read_label(at.text) if at else None
        printed = (at, read) if at and read else None if chart.axis else _claimed(mark, chart, page)
        # Without a printed value, the characters nearest to the mark: its category, the title or a tick of its axis.
        cell = printed[0] if printed else next(filter(None, map(page.cell, (mark.category, *nearest))), start)
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
    """The factor that a slide claims for its longest bar; None where it is not clear which one does."""
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
    agreeing = [one for one in factors.values() if one[1].low <= mark.high and mark.low <= one[1].high]
    # Two bars and one factor: the headline can only mean them.
    is_only = len(factors) == 1 and len(chart.marks) == 2
    return next(iter(agreeing or (factors.values() if is_only else ())), None)
