"""The charts of a document as rows, and as tables that the mapping of a source explains.

Rows say where words are printed, what axes measure and what is claimed. A table has series as
headings and categories as rows; a cell without a printed number has its place on the page, where
its mark is drawn.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.chart import Chart, DrawnMark, RefusedChart
from pipelines.extract.charts.labels import Label, read_label, words_of
from pipelines.extract.charts.reading import read_charts
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.named_quantities import quantity_of
from pipelines.extract.rows import ChartValue, Reject, interval
from pipelines.extract.tables.measurements import Result
from pipelines.extract.tables.printed import Passage, PrintedTable, tables_in
from pipelines.read.document import Cell, Document, Grid, Line, PlacedLine, PlacedWord
from pipelines.read.page import Box, Word
from pipelines.values.numbers import FACTOR, read_factor
from pipelines.values.quantity import Quantity

# Where a value is printed, and what it says in the unit of the axis.
_Printed = tuple[Cell, Quantity]
# What no label at the place, or no legend, says.
UNKNOWN = "unknown"
# A heading is set in type larger by this factor than what is below it.
_HEADING = 1.2


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
    def start(self) -> Cell:
        """The start of its first line; of the document for a page without lines."""
        return Cell("", self.placed[0][0].number if self.placed else 1, 0, 0)

    @property
    def axes(self) -> Iterator[Axis]:
        """The scales of its charts, and of what gives no number there."""
        of_charts = [chart.axes for chart in self.charts]
        return chain(*of_charts, *(refusal.axes for refusal in self.refused))

    @cached_property
    def _places(self) -> dict[Word, tuple[Line, PlacedWord]]:
        words = [(line, word) for line, place in self.placed for word in place.words]
        return {placed.word: (line, placed) for line, placed in reversed(words)}

    def cells(self, label: Label | None) -> list[Cell]:
        """The characters of a label on each of its lines; none for None."""
        by_line: defaultdict[Line, list[PlacedWord]] = defaultdict(list)
        for word in label.words if label else ():
            if word in self._places:
                line, placed = self._places[word]
                by_line[line].append(placed)
        cells: list[Cell] = []
        for line, words in by_line.items():
            start, end = min(word.start for word in words), max(word.end for word in words)
            cells.append(Cell(line.text[start:end], line.number, start, end))
        return cells

    def cell(self, label: Label | None) -> Cell | None:
        """The characters of a label, of one on several lines those on the first; None for none."""
        return next(iter(self.cells(label)), None)

    def name(self, label: Label | None) -> Cell | None:
        """Where a name is printed; None for none, and for one that is not on one line."""
        cells = self.cells(label)
        return cells[0] if len(cells) == 1 else None

    def heading(self, chart: Chart) -> Cell | None:
        """The line in the largest type of the page, where it is larger than that of the chart's own
        words.
        """
        own = [word.size for word in words_of(mark.category for mark in chart.marks)]
        sizes = {
            line: max((placed.word.size for placed in place.words), default=0.0)
            for line, place in self.placed
        }
        largest = max(sizes, key=sizes.__getitem__, default=None)
        is_larger = own and largest and sizes[largest] >= _HEADING * max(own)
        return largest.cell if largest and is_larger else None


# The charts of the last document: recognising and extracting ask for the same ones, one after the
# other.
_last: list[tuple[Document, list[PageCharts]]] = []


def charts_of(document: Document) -> list[PageCharts]:
    """The charts of each page, and what gives no number there."""
    if not _last or _last[0][0] is not document:
        placed: defaultdict[int, list[tuple[Line, PlacedLine]]] = defaultdict(list)
        for line, place in zip(document.lines, document.places, strict=False):
            if place is not None:
                placed[place.page].append((line, place))
        found = [
            PageCharts(page.number, *read_charts(page), placed[page.number])
            for page in document.pages
        ]
        _last[:] = [(document, found)]
    return _last[0][1]


def tick_cells(document: Document) -> set[Cell]:
    """The numbers that label the axes of its charts: whoever reads its words finds no result in
    them.
    """
    found: set[Cell | None] = set()
    for page in charts_of(document):
        for axis in page.axes:
            found.update(map(page.cell, axis.labels))
    return {cell for cell in found if cell}


def mark_words(
    extraction: Extraction, chart: Chart, page: PageCharts, taken: Collection[int]
) -> None:
    """Note what the words around a chart are, and the role of the lines that no other format has
    read.
    """
    ticks = [page.cell(label) for axis in chart.axes for label in axis.labels]
    names = [page.cell(label) for label in (*(mark.category for mark in chart.marks), chart.title)]
    extraction.marks += [Mark(cell, "axis_ticks") for cell in ticks if cell]
    extraction.marks += [Mark(cell, "extracted_name") for cell in names if cell]
    for cells, rule in ((ticks, "axis_ticks"), (names, "chart_label")):
        for cell in cells:
            if cell and cell.line not in taken:
                extraction.roles.setdefault(cell.line, ("condition", rule))


def chart_values(chart: Chart, number: int, page: PageCharts) -> Iterator[ChartValue]:
    """One row per mark of a chart, the `number`th of its page; without axis one per bar longer than
    the shortest.
    """
    axis, title, section = chart.axis, page.cell(chart.title), page.heading(chart)
    heading = quantity_of(title.text.strip()) if title and axis else None
    unit = heading.unit if heading else None
    scale = unit.scale if unit else 1.0
    # Without a printed value, the characters nearest to a mark: its category, the title or a tick
    # of its axis.
    nearest = (chart.title, axis.labels[-1] if axis else None)
    for index, mark in enumerate(chart.marks if page.placed else (), start=1):
        if axis is None and mark.value <= 1:
            continue
        at = page.cell(mark.printed)
        # The same reading as that of the check of the evidence, from the characters as they stand
        # in the line.
        read = read_label(at.text) if at else None
        printed = (at, read) if at and read else None if axis else _claimed(mark, chart, page)
        cells = [printed[0] if printed else None, *map(page.cell, (mark.category, *nearest))]
        drawn, stated = mark.drawn.scaled(scale), printed[1].scaled(scale) if printed else None
        x0, top, x1, bottom = mark.box
        yield ChartValue(
            cell=next(filter(None, cells), page.start),
            drawn_page=page.number,
            drawn_x0=x0,
            drawn_top=top,
            drawn_x1=x1,
            drawn_bottom=bottom,
            chart_number=number,
            mark_number=index,
            mark=mark.kind,
            method="ratio" if axis is None else "printed" if printed else "geometry",
            series_printed=mark.series.text if mark.series else UNKNOWN,
            category_printed=mark.category.text if mark.category else UNKNOWN,
            x_value=mark.x_value,
            section=section.text if section else None,
            section_line=section.line if section else None,
            axis_printed=chart.title.text if chart.title else None,
            axis_scale=axis.scale if axis else None,
            metric=heading.metric if heading else None,
            unit=unit.name if unit else None,
            unit_printed=unit.printed if unit else (axis.unit or None) if axis else None,
            **interval(stated if stated and axis else drawn, "value"),
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
    for line, _ in page.placed:
        for match in FACTOR.finditer(line.text):
            factor = read_factor(match)
            # `2x DGX A100` counts systems.
            is_before_name = line.text[match.end() :].lstrip()[:1].isupper()
            if (
                factor is None
                or factor.value <= 1
                or (is_before_name and factor.value.is_integer())
            ):
                continue
            if factor.low <= mark.high and mark.low <= factor.high:
                return line.matched(match), factor
    return None


# Headings of what no chart names.
CATEGORY, VALUE = Cell("category", 0, 0, 0), Cell("value", 0, 0, 0)
_BLANK = Cell("", 0, 0, 0)
_UNCLAIMED = ("no_mapping", "schema_drift")


class ChartTables:
    """The charts of a document as tables.

    Attributes:
        tables: A table per chart with an axis.
    """

    def __init__(self, document: Document) -> None:
        self.tables: list[PrintedTable] = []
        self._document = document
        # The marks of cells that are drawn and not printed, with their pages.
        self._drawn: dict[Cell, tuple[int, DrawnMark]] = {}
        self._lost: dict[int, Reject] = {}
        for page in charts_of(document):
            for chart in page.charts if page.placed else ():
                if chart.axis is not None:
                    self._add(chart, page)

    def _add(self, chart: Chart, page: PageCharts) -> None:
        is_named = any(mark.series for mark in chart.marks)
        names = [
            (page.name(mark.category), page.name(mark.series) if is_named else VALUE)
            for mark in chart.marks
        ]
        times, lost = Counter(names), 0
        rows: dict[Cell, dict[str, Cell]] = {}
        series: dict[str, Cell] = {}
        for mark, (category, name) in zip(chart.marks, names, strict=True):
            value = None
            if category and name and times[category, name] == 1:
                value = page.cell(mark.printed) or self._drawn_cell(mark, category, page.number)
            if category is None or name is None or value is None:
                # A number of which no printed word says what it is of is none of a table.
                lost += 1
                continue
            series[name.text] = name
            rows.setdefault(category, {})[name.text] = value
        if not rows:
            return
        title, heading = page.cell(chart.title), page.heading(chart)
        table = [[CATEGORY, *([title] * len(series))]] if title else []
        table += [[CATEGORY, *series.values()]] if is_named or not title else []
        table += [[at, *(row.get(name, _BLANK) for name in series)] for at, row in rows.items()]
        lines = [category.line for category in rows]
        # Each place has a cell of its own: a title is no spanning cell.
        own_cells = [[Cell(*cell) for cell in row] for row in table]
        near = [Passage((title,), "caption")] if title else []
        near += [Passage((heading,), "heading")] if heading else []
        own = {*lines, *(cell.line for cell in (*series.values(), heading) if cell)}
        sentences = [
            Passage((line.cell,), "sentence") for line, _ in page.placed if line.number not in own
        ]
        [printed] = tables_in(Grid(own_cells, min(lines), max(lines)))
        if lost:
            reason = f"{lost} marks have no name on one line, at their place or in a legend"
            self._lost[len(self.tables)] = Reject(
                cell=Cell("", min(lines), 0, 0),
                rule="unnamed_marks",
                reason=reason,
                row_json=json.dumps({"page": page.number, "marks": lost}),
            )
        above = near[0] if near else None
        self.tables.append(replace(printed, near=near + sentences, heading=above))

    def _drawn_cell(self, mark: DrawnMark, category: Cell, page: int) -> Cell | None:
        """The drawn value at a free place on the line of its category; None where the line is too
        short.
        """
        line = category.line
        at = sum(cell.line == line for cell in self._drawn)
        if at > len(self._document.line(line).text):
            return None
        text = f"{mark.drawn.value:.12f}".rstrip("0").rstrip(".")
        drawn = Cell(text, line, at, at + len(text))
        self._drawn[drawn] = page, mark
        return drawn

    def place(self, result: Result, count: int) -> None:
        """Give the drawn numbers that a mapping has read their interval and their place, and list
        the marks that no table holds.

        Args:
            result: What the mapping has made of the document, the tables of charts behind so many
                others.
            count: How many others.
        """
        of_charts = result.tables[count:]
        for number in chain.from_iterable(reading.numbers for reading in of_charts):
            if number.cell in self._drawn:
                _, mark = self._drawn[number.cell]
                drawn = float(number.cell.text)
                scale = number.quantity.value / drawn if drawn else 1.0
                number.quantity, number.cell = mark.drawn.scaled(scale), number.cell.part(0, 0)
        # A chart that no entry claims stays what it is, a drawing.
        kept = [one for one in result.refusals if one.cell.line or one.rule not in _UNCLAIMED]
        result.refusals = [replace(one, cell=self._printed_cell(one.cell)) for one in kept]
        result.refusals += [lost for at, lost in self._lost.items() if of_charts[at].claim]

    def _printed_cell(self, cell: Cell) -> Cell:
        """A cell without the text that is drawn and not printed; line 1 for what no chart names."""
        return cell.part(0, 0) if cell in self._drawn else cell._replace(line=max(cell.line, 1))

    @property
    def boxes(self) -> dict[tuple[int, int], tuple[int, Box]]:
        """The page and the box of each drawn number, by its line and its place there."""
        return {
            (cell.line, cell.start): (page, mark.box) for cell, (page, mark) in self._drawn.items()
        }
