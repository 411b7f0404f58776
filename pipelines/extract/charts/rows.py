"""The charts of a document as rows: where their words are printed, what their axes measure, what is claimed there."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from pipelines.extract.charts.chart import Chart, DrawnMark, RefusedChart
from pipelines.extract.charts.labels import Label, read_label
from pipelines.extract.charts.reading import read_charts
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.named_quantities import read_name
from pipelines.extract.rows import ChartValue
from pipelines.read.document import Cell, Document, Line
from pipelines.read.page import Box, Page, Word
from pipelines.values.numbers import FACTOR, read_factor
from pipelines.values.quantity import Quantity

_Found = list[tuple[list[Chart], list[RefusedChart]]]
# The charts of the last document: recognising and extracting ask for the same ones, one after the other.
_last: list[tuple[Document, _Found]] = []

# Drawn values are kept to more digits than a drawing has.
_VALUE_DIGITS = 9
# Where a value is printed, and what it says in the unit of the axis.
_Printed = tuple[Cell, Quantity]
# What no label at the place, or no legend, says.
UNKNOWN = "unknown"


def charts_of(document: Document) -> _Found:
    """The charts of each page, and what gives no number there."""
    if not _last or _last[0][0] is not document:
        _last[:] = [(document, [read_charts(page) for page in document.pages])]
    return _last[0][1]


def tick_cells(document: Document) -> frozenset[Cell]:
    """The numbers that label the axes of its charts: whoever reads its words finds no result in them."""
    found: list[Cell | None] = []
    for page, (charts, refused) in zip(document.pages, charts_of(document), strict=True):
        axes = [*(axis for chart in charts for axis in chart.axes), *(axis for one in refused for axis in one.axes)]
        ticks = [tick for axis in axes for tick in axis.ticks]
        places = PagePlaces(document, page) if ticks else None
        found += [places.cell(tick.label) for tick in ticks] if places else []
    return frozenset(filter(None, found))


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

    def cell(self, label: Label | None) -> Cell | None:
        """The characters of a label on their line; of one on several lines those on the first; None for none."""
        cells = self.cells(label)
        if not cells:
            return None
        number = cells[0].line
        start = min(cell.start for cell in cells if cell.line == number)
        end = max(cell.end for cell in cells if cell.line == number)
        return Cell(self._text[number].text[start:end], number, start, end)

    def cells(self, label: Label | None) -> list[Cell]:
        """The characters of each word of a label."""
        return [cell for word in (label.words if label else ()) if (cell := self._cells.get(word))]

    def heading(self, chart: Chart) -> Line | None:
        """The line in the largest type of the page, where it is larger than that of the chart's own words."""
        own = [word.size for mark in chart.marks if mark.category for word in mark.category.words]
        largest = max(self._sizes.values(), default=0.0)
        if not own or largest < SETTINGS.heading * max(own):
            return None
        return next(line for line in self.lines if self._sizes.get(line.number) == largest)


def mark_words(extraction: Extraction, chart: Chart, places: PagePlaces, taken: Collection[int]) -> None:
    """Note what the words around a chart are, and the role of the lines that no other format has read."""
    ticks = [tick.label for axis in chart.axes for tick in axis.ticks]
    for cell in filter(None, map(places.cell, ticks)):
        extraction.marks.append(Mark(cell, "condition", "axis_ticks"))
        if cell.line not in taken:
            extraction.roles[cell.line] = ("condition", "axis_ticks")
    for cell in filter(None, map(places.cell, [*(mark.category for mark in chart.marks), chart.title])):
        extraction.marks.append(Mark(cell, "name", "extracted_name"))
        if cell.line not in taken:
            extraction.roles.setdefault(cell.line, ("condition", "chart_label"))


def chart_values(chart: Chart, number: int, page: Page, places: PagePlaces) -> list[ChartValue]:
    """One row per mark of a chart; of a chart without axis one per bar that is longer than the shortest.

    Args:
        chart: The chart.
        number: Its number on the page, from 1.
        page: The page.
        places: Where the words of the page are printed.
    """
    title = places.cell(chart.title)
    heading = read_name(title) if title and chart.axis else None
    unit = heading.unit if heading else None
    scale = unit.scale if unit else 1.0
    factors = _factors(places) if chart.axis is None else []
    section = places.heading(chart)
    nearest = (chart.title, chart.axis.ticks[-1].label if chart.axis else None)
    start = Cell("", places.first_line, 0, 0) if places.lines else None
    of_chart: dict[str, Any] = {
        "section": section.cell.text if section else None,
        "section_line": section.number if section else None,
        "axis_printed": chart.title.text if chart.title else None,
        "axis_scale": chart.axis.scale if chart.axis else None,
        "metric": heading.metric if heading else None,
        "unit": unit.name if unit else None,
        "unit_printed": unit.printed if unit else (chart.axis.unit or None) if chart.axis else None,
    }
    rows = []
    for index, mark in enumerate(chart.marks, start=1):
        if chart.axis is None and mark.value <= 1:
            continue
        at, printed = places.cell(mark.printed), None
        # The same reading as that of the check of the evidence, from the characters as they stand in the line.
        if at and (read := read_label(at.text)):
            printed = at, read
        elif chart.axis is None:
            printed = _claimed(mark, chart, factors)
        # Without a printed value, the characters nearest to the mark: its category, the title or a tick of its axis.
        cell = printed[0] if printed else next(filter(None, map(places.cell, (mark.category, *nearest))), start)
        if cell is None:
            continue
        drawn = drawn_value(mark).scaled(scale)
        stated = printed[1].scaled(scale) if printed else None
        chosen = stated if stated and chart.axis else drawn
        quantities = {"value": chosen, "drawn": drawn, **({"printed": stated} if stated else {})}
        drawing: dict[str, Any] = {
            f"{name}_{end}": getattr(quantity, end) for name, quantity in quantities.items() for end in ("low", "high")
        }
        drawing |= zip(("drawn_x0", "drawn_top", "drawn_x1", "drawn_bottom"), rounded(mark.box), strict=True)
        rows.append(
            ChartValue(
                cell=cell,
                drawn_page=page.number,
                chart_number=number,
                mark_number=index,
                mark=mark.kind,
                method="ratio" if chart.axis is None else "printed" if printed else "geometry",
                series_printed=mark.series.text if mark.series else UNKNOWN,
                category_printed=mark.category.text if mark.category else UNKNOWN,
                x_value=None if mark.x_value is None else rounded_value(mark.x_value),
                bound=chosen.bound,
                **of_chart,
                **drawing,
                value=chosen.value,
                printed_value=stated.value if stated else None,
                drawn_value=drawn.value,
            )
        )
    return rows


def rounded(box: Box) -> Box:
    """A box as rows keep it, to a hundredth of a point."""
    x0, top, x1, bottom = (round(edge, 2) for edge in box)
    return x0, top, x1, bottom


def drawn_value(mark: DrawnMark) -> Quantity:
    """The value of a mark, in the unit of its axis."""
    return Quantity(rounded_value(mark.value), rounded_value(mark.low), rounded_value(mark.high))


def rounded_value(value: float) -> float:
    """A drawn value without the noise of its arithmetic."""
    return float(f"{value:.{_VALUE_DIGITS}g}") if math.isfinite(value) else value


def _claimed(mark: DrawnMark, chart: Chart, factors: list[_Printed]) -> _Printed | None:
    """The factor that a slide claims for its longest bar; None where it is not clear which one does."""
    if mark.value < max(other.value for other in chart.marks):
        return None
    agreeing = [factor for factor in factors if factor[1].low <= mark.high and mark.low <= factor[1].high]
    # Two bars and one factor: the headline can only mean them.
    is_only = len(factors) == 1 and len(chart.marks) == 2
    return next(iter(agreeing or (factors if is_only else ())), None)


def _factors(places: PagePlaces) -> list[_Printed]:
    """The factors above 1 that a page prints, each once."""
    found: dict[float, _Printed] = {}
    for line in places.lines:
        for match in FACTOR.finditer(line.text):
            factor = read_factor(match)
            # `2x DGX A100` counts systems.
            is_before_name = line.text[match.end() :].lstrip()[:1].isupper()
            if factor and factor.value > 1 and not (is_before_name and factor.value.is_integer()):
                found.setdefault(factor.value, (line.matched(match), factor))
    return list(found.values())
