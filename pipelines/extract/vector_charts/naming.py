"""A plot with its names: category by position, series by the colour of a legend, numbers printed at its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.extract.vector_charts.axis import Axis, interval, multiplied, multiplier_of
from pipelines.extract.vector_charts.categories import category_labels, group_middles
from pipelines.extract.vector_charts.chart import Chart, Mark, MarkKind
from pipelines.extract.vector_charts.geometry import Style, View, page_box, view
from pipelines.extract.vector_charts.legend import Entry, are_signs, is_alike, own_entries, read_legend, series_of
from pipelines.extract.vector_charts.lines import Lost
from pipelines.extract.vector_charts.plots import Plot
from pipelines.extract.vector_charts.printed_values import at_bars, free_tokens
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import Token, parse_multiplier
from pipelines.extract.vector_charts.titles import axis_title
from pipelines.read.page import Box, Page, Word

if TYPE_CHECKING:
    from pipelines.extract.vector_charts.reading import Marks

Label = tuple[str, tuple[Word, ...]] | None


def name_chart(marks: Marks, page: Page, tokens: Sequence[Token], others: Sequence[Box]) -> tuple[Chart, list[Lost]]:
    """The chart with everything that is printed about its marks, and the marks that lie beyond the ends of its axis.

    Args:
        marks: What stands in its plot.
        page: Its page.
        tokens: Numbers printed there.
        others: The other plots of the page: a legend in or at one of them is that one's.
    """
    plot = marks.plot
    factor = multiplier_of(plot.axis, tokens)
    axis = multiplied(plot.axis, factor)
    used = {id(word) for tick in axis.ticks for word in tick.label.words}
    if factor != 1.0:
        used |= {id(word) for token in tokens if parse_multiplier(token.text) == factor for word in token.words}
    data = [page_box(bar.seen, axis.orientation) for bar in marks.bars]
    # Where most bars have their value printed, one beside a legend is a value all the same.
    values = at_bars(marks.bars, [t for t in free_tokens(tokens, used) if _inside(t.box, plot, axis)], axis.orientation)
    values = values if len(values) > 0.5 * len(marks.bars) else {}
    names = used | {id(word) for value in values.values() for word in value.token.words}
    entries = own_entries(read_legend(page, names, data, _styles(marks)), plot.box, others)
    marks = _without_signs(marks, entries)
    used |= {id(word) for entry in entries for word in entry.words}
    title = axis_title(axis, page.words, used)
    used |= {id(word) for word in title}
    # A share may be announced in the title alone: `Accuracy (%)`.
    unit = axis.unit or ("%" if any("%" in word.text for word in title) else "")
    found: list[Mark] = []
    if marks.bars:
        found += _bars(marks, axis, page, tokens, entries, used, unit)
    found += _points(marks, axis, page, entries, used)
    ends = sorted((axis.value(plot.frame.u0), axis.value(plot.frame.u1)))
    kept = [mark for mark in found if _is_between(mark, ends)]
    beyond = [Lost("beyond_axis", 1, view(mark.box, axis.orientation)) for mark in found if not _is_between(mark, ends)]
    return Chart(axis, plot.box, tuple(kept), title, factor, plot.cross), beyond


def _is_between(mark: Mark, ends: Sequence[float]) -> bool:
    """True for a value between the ends of its axis, within its own precision; a piece of a bar fits in it."""
    if mark.is_piece:
        return mark.high - mark.low <= 2 * abs(mark.value) or abs(mark.value) <= ends[1] - ends[0]
    return mark.high >= ends[0] and mark.low <= ends[1]


def _without_signs(marks: Marks, entries: Sequence[Entry]) -> Marks:
    """The marks without the markers that are signs of a legend; points with labels of their own are none."""
    named = [e for e in entries if not any(is_alike(e.style, o.style) and o.text != e.text for o in entries)]
    if not are_signs(entries):
        return marks
    signs = [view(entry.sign, marks.plot.axis.orientation).grown(0.5) for entry in named]
    shown = [m for group in marks.scatter for m in group if not any(s.holds((m.c, m.u)) for s in signs)]
    # A sign stands for other marks; a point with a name of its own may be the only one of its colour.
    styles = [*(bar.style for bar in marks.bars), *(line.style for line in marks.lines), *(m.style for m in shown)]
    scatter = (
        tuple(m for m in group if m in shown or not any(is_alike(m.style, style) for style in styles))
        for group in marks.scatter
    )
    return replace(marks, scatter=tuple(group for group in scatter if group))


def _styles(marks: Marks) -> list[Style]:
    return [
        *(bar.style for bar in marks.bars),
        *(line.style for line in marks.lines),
        *(group[0].style for group in marks.scatter),
    ]


def _bars(
    marks: Marks, axis: Axis, page: Page, tokens: Sequence[Token], entries: Sequence[Entry], used: set[int], unit: str,
) -> list[Mark]:  # fmt: skip
    bars = sorted(marks.bars, key=lambda bar: (bar.seen.middle, axis.slope * bar.start))
    inner = [t for t in free_tokens(tokens, used) if _inside(t.box, marks.plot, axis)]
    printed = at_bars(bars, inner, axis.orientation, unit)
    taken = used | {id(word) for value in printed.values() for word in value.token.words}
    middles = group_middles(bars)
    labels = category_labels(middles, page.words, _ground(marks), axis.orientation, taken, _blank(marks))
    if not any(labels) and axis.orientation == "vertical":
        # With negative values the labels may stand at the base line, within the plot.
        base = next(bar.start for bar in bars if not bar.is_stacked)
        labels = category_labels(middles, page.words, marks.plot.frame._replace(u1=base), axis.orientation, taken)
    places = [_nearest(bar.seen.middle, middles) for bar in bars]
    labels = _unambiguous(_whole(labels, page))
    cross = marks.plot.cross
    found = []
    for index, (bar, place) in enumerate(zip(bars, places, strict=True)):
        start = bar.start if bar.is_stacked else None
        low, high = interval(axis, bar.end, start)
        label = labels[place]
        found.append(
            Mark(
                kind="bar",
                box=page_box(bar.seen, axis.orientation),
                value=axis.value(bar.end) - (axis.value(start) if start is not None else 0.0),
                low=low,
                high=high,
                bound="eq",
                series=_whole_name(series_of(bar.style, entries), entries, page),
                category=label[0] if label else None,
                category_words=label[1] if label else (),
                x_value=cross.value(middles[place]) if cross is not None else None,
                printed=printed.get(index),
                colour=bar.style.colour,
                is_piece=bar.is_stacked,
            )
        )
    return found


def _whole(labels: Sequence[Label], page: Page) -> list[Label]:
    """Labels none of whose words is cut by the edge of the page: half a name is none."""
    return [None if label and any(_is_cut(word, page) for word in label[1]) else label for label in labels]


def _whole_name(name: str | None, entries: Sequence[Entry], page: Page) -> str | None:
    words = next((entry.words for entry in entries if entry.text == name), ())
    return None if any(_is_cut(word, page) for word in words) else name


def _is_cut(word: Word, page: Page) -> bool:
    return word.x0 < 0 or word.x1 > page.width or word.top < 0 or word.bottom > page.height or (
        word.angle == 0 and word.x1 > page.width - 0.1 * word.size
    )  # fmt: skip


def _ground(marks: Marks) -> View:
    """The plot down to its lowest tick or bar: without a frame around it, it is taken to reach a step further."""
    plot = marks.plot
    lowest = [plot.axis.span[1], *(bar.seen.u1 for bar in marks.bars)]
    highest = [plot.axis.span[0], *(bar.seen.u0 for bar in marks.bars)]
    if plot.axis.orientation == "horizontal":
        return plot.frame._replace(u0=max(plot.frame.u0, min(highest)))
    return plot.frame._replace(u1=min(plot.frame.u1, max(lowest)))


def _blank(marks: Marks) -> float:
    """Points between the lowest tick or bar and the end of the plot."""
    ground, frame = _ground(marks), marks.plot.frame
    return ground.u0 - frame.u0 if marks.plot.axis.orientation == "horizontal" else frame.u1 - ground.u1


def _tick_labels(places: Sequence[float], cross: Axis | None) -> list[Label]:
    """Where the other axis is a scale, its label at each place, None between its labels; empty without such a scale."""
    if cross is None:
        return []
    found: list[Label] = []
    for place in places:
        tick = next((t for t in cross.ticks if not t.is_minor and abs(t.u - place) <= SETTINGS.same_c), None)
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


def _nearest(middle: float, middles: Sequence[float]) -> int:
    return min(range(len(middles)), key=lambda index: abs(middles[index] - middle))


def _unambiguous(labels: Sequence[Label]) -> list[Label]:
    """No labels at all where many places have none in between: then it is not clear which one a label belongs to."""
    present = sum(label is not None for label in labels)
    return list(labels) if present >= 0.4 * len(labels) or present == 0 else [None] * len(labels)


def _points(marks: Marks, axis: Axis, page: Page, entries: Sequence[Entry], used: set[int]) -> list[Mark]:
    points: list[tuple[MarkKind, float, float, float, Style]] = [
        ("line_point", c, u, line.width, line.style) for line in marks.lines for c, u in line.points
    ]
    points += [("scatter_point", m.c, m.u, m.breadth, m.style) for group in marks.scatter for m in group]
    cross = marks.plot.cross
    places: list[float] = []
    for c in sorted(c for _, c, *_ in points):
        if not places or c - places[-1] > SETTINGS.same_c:
            places.append(c)
    labels: list[Label] = _tick_labels(places, cross) or _whole(
        category_labels(places, page.words, _ground(marks), axis.orientation, used, _blank(marks)), page
    )
    # A label between two points of one line names neither.
    for line in marks.lines:
        at = [_nearest(c, places) for c, _ in line.points]
        labels = [None if at.count(place) > 1 else label for place, label in enumerate(labels)]
    found = []
    for kind, c, u, size, style in points:
        label = labels[_nearest(c, places)]
        low, high = interval(axis, u)
        half = max(size, 1.0) / 2
        found.append(
            Mark(
                kind=kind,
                box=page_box(View(c - half, u - half, c + half, u + half), axis.orientation),
                value=axis.value(u),
                low=low,
                high=high,
                bound="eq",
                series=_whole_name(series_of(style, entries), entries, page),
                category=label[0] if label else None,
                category_words=label[1] if label else (),
                x_value=cross.value(c) if cross is not None else None,
                printed=None,
                colour=style.colour,
            )
        )
    return found
