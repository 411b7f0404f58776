"""A plot with its names: category by position, series by the colour of a legend, numbers printed at its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.bars import Bar
from pipelines.extract.vector_charts.categories import category_labels, group_middles
from pipelines.extract.vector_charts.chart import Bound, Chart, Mark
from pipelines.extract.vector_charts.geometry import View, page_box, same_colour, view
from pipelines.extract.vector_charts.legend import Entry, read_legend, series_of
from pipelines.extract.vector_charts.printed_values import Printed, at_bars, free_tokens
from pipelines.extract.vector_charts.scale import interval, multiplied, multiplier_of
from pipelines.extract.vector_charts.tick_labels import Token, parse_multiplier
from pipelines.extract.vector_charts.titles import axis_title
from pipelines.read.page import Box, Colour, Page, Word

if TYPE_CHECKING:
    from pipelines.extract.vector_charts.reading import Plot

Label = tuple[str, tuple[Word, ...]] | None
# Points of several lines at one category stand within this distance of each other.
_SAME_PLACE_PT = 1.5


def name_chart(plot: Plot, page: Page, tokens: Sequence[Token]) -> Chart:
    """The chart with everything that is printed about its marks."""
    factor = multiplier_of(plot.axis, tokens)
    axis = multiplied(plot.axis, factor)
    used = {id(word) for tick in axis.ticks for word in tick.label.words}
    if factor != 1.0:
        used |= {id(word) for token in tokens if parse_multiplier(token.text) == factor for word in token.words}
    data = [page_box(bar.seen, axis.orientation) for bar in plot.bars]
    entries = read_legend(page, used, data, _colours(plot))
    plot = _without_signs(plot, entries)
    used |= {id(word) for entry in entries for word in entry.words}
    title = axis_title(axis, page.words, used)
    used |= {id(word) for word in title}
    # A share may be announced in the title alone: `Accuracy (%)`.
    unit = axis.unit or ("%" if any("%" in word.text for word in title) else "")
    marks = (
        _bars(plot, axis, page, tokens, entries, used, unit) if plot.bars else _points(plot, axis, page, entries, used)
    )
    return Chart(axis, page_box(plot.frame, axis.orientation), tuple(marks), title, factor)


def _without_signs(plot: Plot, entries: Sequence[Entry]) -> Plot:
    """The plot without the markers that are signs of its legend; points with labels of their own are none."""
    named = [e for e in entries if not any(same_colour(e.colour, o.colour) and o.text != e.text for o in entries)]
    signs = [view(entry.sign, plot.axis.orientation) for entry in named]
    scatter = tuple(
        tuple(m for m in group if not any(_covers(sign, m.c, m.u) for sign in signs)) for group in plot.scatter
    )
    return replace(plot, scatter=tuple(group for group in scatter if group))


def _covers(seen: View, c: float, u: float) -> bool:
    return seen.c0 - 0.5 <= c <= seen.c1 + 0.5 and seen.u0 - 0.5 <= u <= seen.u1 + 0.5


def _colours(plot: Plot) -> list[Colour | None]:
    return [
        *(bar.colour for bar in plot.bars),
        *(line.colour for line in plot.lines),
        *(group[0].colour for group in plot.scatter),
    ]


def _bars(
    plot: Plot,
    axis: Axis,
    page: Page,
    tokens: Sequence[Token],
    entries: Sequence[Entry],
    used: set[int],
    unit: str,
) -> list[Mark]:
    bars = sorted(plot.bars, key=lambda bar: (bar.seen.middle, axis.slope * bar.start))
    inner = [t for t in free_tokens(tokens, used) if _inside(t.box, plot, axis)]
    printed = at_bars(bars, inner, axis.orientation, unit)
    taken = used | {id(word) for value in printed.values() for word in value.token.words}
    middles = group_middles(bars)
    labels = category_labels(middles, page.words, _ground(plot), axis.orientation, taken, _blank(plot))
    if not any(labels) and axis.orientation == "vertical":
        # With negative values the labels may stand at the base line, within the plot.
        base = next(bar.start for bar in bars if not bar.is_stacked)
        labels = category_labels(middles, page.words, plot.frame._replace(u1=base), axis.orientation, taken)
    places = [_nearest(bar.seen.middle, middles) for bar in bars]
    labels = _unambiguous(bars, places, labels)
    return [
        _bar(bar, axis, entries, labels[place], printed.get(i))
        for i, (bar, place) in enumerate(zip(bars, places, strict=True))
    ]


def _ground(plot: Plot) -> View:
    """The plot down to its lowest tick or bar: without a frame around it, it is taken to reach a step further."""
    lowest = [plot.axis.span[1], *(bar.seen.u1 for bar in plot.bars)]
    highest = [plot.axis.span[0], *(bar.seen.u0 for bar in plot.bars)]
    frame = plot.frame
    if plot.axis.orientation == "horizontal":
        return frame._replace(u0=max(frame.u0, min(highest)))
    return frame._replace(u1=min(frame.u1, max(lowest)))


def _blank(plot: Plot) -> float:
    """Points between the lowest tick or bar and the end of the plot."""
    ground = _ground(plot)
    if plot.axis.orientation == "horizontal":
        return ground.u0 - plot.frame.u0
    return plot.frame.u1 - ground.u1


def _tick_labels(places: Sequence[float], cross: Axis | None) -> list[Label]:
    """Where the other axis is a scale, its label at each place, None between its labels; empty without such a scale."""
    if cross is None:
        return []
    found: list[Label] = []
    for place in places:
        tick = next((t for t in cross.ticks if abs(t.u - place) <= _SAME_PLACE_PT), None)
        found.append((tick.label.text, tick.label.words) if tick else None)
    return found


def _inside(box: Box, plot: Plot, axis: Axis) -> bool:
    """True for what stands in the plot or just beyond the end of its bars."""
    x0, top, x1, bottom = page_box(plot.frame, axis.orientation)
    slack = 2.5 * max(tick.label.size for tick in axis.ticks)
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    if axis.orientation == "vertical":
        return x0 <= middle[0] <= x1 and top - slack <= middle[1] <= bottom
    return x0 <= middle[0] <= x1 + 3 * slack and top <= middle[1] <= bottom


def _bar(bar: Bar, axis: Axis, entries: Sequence[Entry], label: Label, printed: Printed | None) -> Mark:
    value = axis.value(bar.end) - (axis.value(bar.start) if bar.is_stacked else 0.0)
    low, high = interval(axis, bar.end, bar.start if bar.is_stacked else None)
    bound: Bound = "eq"
    if bar.is_cut:
        bound = "gt" if (bar.end - bar.start) * axis.slope > 0 else "lt"
    return Mark(
        kind="bar",
        box=page_box(bar.seen, axis.orientation),
        value=value,
        low=low,
        high=high,
        bound=bound,
        series=series_of(bar.colour, entries),
        category=label[0] if label else None,
        category_words=label[1] if label else (),
        x_value=None,
        printed=printed,
        colour=bar.colour,
    )


def _nearest(middle: float, middles: Sequence[float]) -> int:
    return min(range(len(middles)), key=lambda index: abs(middles[index] - middle))


def _unambiguous(bars: Sequence[Bar], places: Sequence[int], labels: Sequence[Label]) -> list[Label]:
    """No labels at all where many places have none in between: then it is not clear which one a label belongs to."""
    present = sum(label is not None for label in labels)
    return list(labels) if present >= 0.4 * len(labels) or present == 0 else [None] * len(labels)


def _points(plot: Plot, axis: Axis, page: Page, entries: Sequence[Entry], used: set[int]) -> list[Mark]:
    marks: list[Mark] = []
    places = _places(plot)
    labels = _tick_labels(places, plot.cross) or category_labels(
        places, page.words, _ground(plot), axis.orientation, used, _blank(plot)
    )
    for line in plot.lines:
        for c, u in line.points:
            place = _nearest(c, places)
            marks.append(_point("line_point", c, u, line.width, axis, plot.cross, line.colour, entries, labels[place]))
    for group in plot.scatter:
        for m in group:
            marks.append(_point("scatter_point", m.c, m.u, m.breadth, axis, plot.cross, m.colour, entries, None))
    return marks


def _places(plot: Plot) -> list[float]:
    """The places across the axis at which lines have points."""
    places: list[float] = []
    for c in sorted(c for line in plot.lines for c, _ in line.points):
        if not places or c - places[-1] > _SAME_PLACE_PT:
            places.append(c)
    return places


def _point(
    kind: str, c: float, u: float, size: float, axis: Axis, cross: Axis | None, colour: Colour | None,
    entries: Sequence[Entry], label: Label,
) -> Mark:  # fmt: skip
    low, high = interval(axis, u)
    x_value = cross.value(c) if cross is not None else None
    return Mark(
        kind=kind,  # type: ignore[arg-type]
        box=_box(c, u, max(size, 1.0), max(size, 1.0), axis),
        value=axis.value(u),
        low=low,
        high=high,
        bound="eq",
        series=series_of(colour, entries),
        category=label[0] if label else None,
        category_words=label[1] if label else (),
        x_value=x_value,
        printed=None,
        colour=colour,
    )


def _box(c: float, u: float, breadth: float, length: float, axis: Axis) -> Box:
    return page_box(View(c - breadth / 2, u - length / 2, c + breadth / 2, u + length / 2), axis.orientation)
