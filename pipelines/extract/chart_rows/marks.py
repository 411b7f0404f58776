"""What the words around a chart are, for the accounting of lines and numerals."""

from __future__ import annotations

from collections.abc import Collection

from pipelines.extract.chart_rows.places import PagePlaces
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.vector_charts.chart import Chart


def mark_words(extraction: Extraction, chart: Chart, places: PagePlaces, taken: Collection[int]) -> None:
    """Note what the words around a chart are, and the role of the lines that no other format has read."""
    ticks = chart.axis.ticks if chart.axis else ()
    for cell in filter(None, (places.cell(tick.label.words) for tick in ticks)):
        extraction.marks.append(Mark(cell, "condition", "axis_ticks"))
        if cell.line not in taken:
            extraction.roles[cell.line] = ("condition", "axis_ticks")
    names = [mark.category_words for mark in chart.marks] + [chart.title]
    for cell in filter(None, map(places.cell, names)):
        extraction.marks.append(Mark(cell, "name", "extracted_name"))
        if cell.line not in taken:
            extraction.roles.setdefault(cell.line, ("condition", "chart_label"))
