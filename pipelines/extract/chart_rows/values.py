"""The rows of one chart: printed and drawn value side by side, in the unit that its axis names."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipelines.extract.chart_rows.places import PagePlaces
from pipelines.extract.chart_rows.printed import in_scale, read_label
from pipelines.extract.named_quantities import read_name
from pipelines.extract.rows import ChartMethod, ChartValue
from pipelines.extract.vector_charts.categories import printed_name
from pipelines.extract.vector_charts.chart import Chart, Mark
from pipelines.read.document import Cell
from pipelines.read.page import Page
from pipelines.values.quantity import Quantity
from pipelines.values.ratios import FACTOR, read_factor

# Boxes are kept to a hundredth of a point, drawn values to more digits than a drawing has.
_BOX_DIGITS, _VALUE_DIGITS = 2, 9

# What no label at the place, or no legend, says.
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class _Printed:
    """A printed value with its place, in the unit of the axis."""

    cell: Cell
    quantity: Quantity


def chart_values(chart: Chart, number: int, page: Page, places: PagePlaces) -> list[ChartValue]:
    """One row per mark of a chart; of a chart without axis one per bar that is longer than the shortest.

    Args:
        chart: The chart.
        number: Its number on the page, from 1.
        page: The page.
        places: Where the words of the page are printed.
    """
    title = places.cell(chart.title)
    heading = read_name(title) if title else None
    factors = _factors(places) if chart.axis is None else []
    section = places.heading([chart])
    rows = []
    for index, mark in enumerate(chart.marks, start=1):
        if chart.axis is None and mark.value <= 1:
            continue
        printed = _printed(mark, places)
        if printed is None and chart.axis is None:
            printed = _claimed(mark, chart, factors)
        cell = printed.cell if printed else _own_cell(mark, chart, places)
        if cell is None:
            continue
        unit = heading.unit if heading and chart.axis else None
        scale = unit.scale if unit else 1.0
        drawn = in_scale(Quantity(_rounded(mark.value), _rounded(mark.low), _rounded(mark.high), mark.bound), scale)
        stated = in_scale(printed.quantity, scale) if printed else None
        chosen = stated if stated and chart.axis else drawn
        x0, top, x1, bottom = (round(edge, _BOX_DIGITS) for edge in mark.box)
        rows.append(
            ChartValue(
                cell=cell,
                section=section.cell.text if section else None,
                section_line=section.number if section else None,
                drawn_page=page.number,
                drawn_x0=x0,
                drawn_top=top,
                drawn_x1=x1,
                drawn_bottom=bottom,
                chart_number=number,
                mark_number=index,
                mark=mark.kind,
                method=_method(chart, printed),
                series_printed=mark.series or UNKNOWN,
                category_printed=mark.category or UNKNOWN,
                x_value=None if mark.x_value is None else _rounded(mark.x_value),
                axis_printed=printed_name(chart.title) or None,
                axis_scale=chart.axis.scale if chart.axis else None,
                metric=heading.metric if heading and chart.axis else None,
                unit=unit.name if unit else None,
                unit_printed=unit.printed if unit else (chart.axis.unit or None) if chart.axis else None,
                value=chosen.value,
                value_low=chosen.low,
                value_high=chosen.high,
                bound=chosen.bound,
                printed_value=stated.value if stated else None,
                printed_low=stated.low if stated else None,
                printed_high=stated.high if stated else None,
                drawn_value=drawn.value,
                drawn_low=drawn.low,
                drawn_high=drawn.high,
            )
        )
    return rows


def _method(chart: Chart, printed: _Printed | None) -> ChartMethod:
    if chart.axis is None:
        return "ratio"
    return "printed" if printed else "geometry"


def _rounded(value: float) -> float:
    """A drawn value without the noise of its arithmetic."""
    return float(f"{value:.{_VALUE_DIGITS}g}") if math.isfinite(value) else value


def _claimed(mark: Mark, chart: Chart, factors: list[_Printed]) -> _Printed | None:
    """The factor that a slide claims for its longest bar; None where it is not clear which one does."""
    if mark.value < max(other.value for other in chart.marks):
        return None
    agreeing = [f for f in factors if f.quantity.low <= mark.high and mark.low <= f.quantity.high]
    if agreeing:
        return agreeing[0]
    # Two bars and one factor: the headline can only mean them.
    return factors[0] if len(factors) == 1 and len(chart.marks) == 2 else None


def _own_cell(mark: Mark, chart: Chart, places: PagePlaces) -> Cell | None:
    """Printed characters nearest to a mark without a printed value: its category, the title or a tick of its axis."""
    ticks = chart.axis.ticks[-1].label.words if chart.axis else ()
    candidates = (places.cell(words) for words in (mark.category_words, chart.title, ticks))
    named = next((cell for cell in candidates if cell), None)
    return named or (Cell("", places.first_line, 0, 0) if places.lines else None)


def _printed(mark: Mark, places: PagePlaces) -> _Printed | None:
    if mark.printed is None or (cell := places.cell(mark.printed.token.words)) is None:
        return None
    # The same reading as that of the check of the evidence, from the characters as they stand in the line.
    read = next(read_label(cell.text), None)
    return _Printed(cell, read) if read else None


def _factors(places: PagePlaces) -> list[_Printed]:
    """The factors above 1 that a page prints, each once."""
    found: dict[float, _Printed] = {}
    for line in places.lines:
        for match in FACTOR.finditer(line.text):
            factor = read_factor(match)
            # `2x DGX A100` counts systems.
            counts = (
                line.text[match.end() :].lstrip()[:1].isupper() and factor is not None and factor.value.is_integer()
            )
            if factor and factor.value > 1 and not counts:
                cell = line.matched(match)
                found.setdefault(factor.value, _Printed(cell, factor))
    return list(found.values())
