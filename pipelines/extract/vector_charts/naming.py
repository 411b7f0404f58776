"""A plot with its names: category by position, series by the colour of a legend, numbers printed at its marks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pipelines.extract.vector_charts.axis import Axis, interval, multiplied, multiplier_of
from pipelines.extract.vector_charts.categories import category_labels, group_middles, printed_name
from pipelines.extract.vector_charts.chart import Chart, Mark, MarkKind
from pipelines.extract.vector_charts.geometry import Style, View, is_alike, page_box, view
from pipelines.extract.vector_charts.leaders import (
    Name,
    around,
    bracket_labels,
    label_of,
    names_at_ends,
    text_blocks,
    tick_words,
)
from pipelines.extract.vector_charts.legend import Entry, are_signs, is_one_look, own_entries, read_legend, series_of
from pipelines.extract.vector_charts.lines import Lost, lettered_points
from pipelines.extract.vector_charts.plots import Plot
from pipelines.extract.vector_charts.printed_values import at_bars, free_tokens
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import Token, parse_label, parse_multiplier
from pipelines.extract.vector_charts.titles import axis_title
from pipelines.read.page import Box, Page, Point, Word

if TYPE_CHECKING:
    from pipelines.extract.vector_charts.reading import Marks

Label = Name | None


def name_chart(
    marks: Marks,
    page: Page,
    tokens: Sequence[Token],
    others: Sequence[Plot],
    numbers: Collection[int],
    ticks: Collection[int],
) -> tuple[Chart, list[Lost]]:
    """The chart with everything that is printed about its marks, and the marks that lie beyond the ends of its axis.

    Args:
        marks: What stands in its plot.
        page: Its page.
        tokens: Numbers printed there.
        others: The other plots of the page: a legend in or at one of them is that one's, and so are its ticks.
        numbers: Ids of the words of numbers that name series.
        ticks: Ids of the tokens that label axes: `10^-1` may be the first label of another one.
    """
    plot = marks.plot
    factor = multiplier_of(plot.axis, [token for token in tokens if id(token) not in ticks])
    axis = multiplied(plot.axis, factor)
    used = tick_words([axis, *(other.axis for other in others if other.axis.orientation == axis.orientation)])
    if factor != 1.0:
        used |= {id(word) for token in tokens if parse_multiplier(token.text) == factor for word in token.words}
    data = [page_box(bar.seen, axis.orientation) for bar in marks.bars]
    # Where most bars have their value printed, one beside a legend is a value all the same.
    values = at_bars(marks.bars, [t for t in free_tokens(tokens, used) if _inside(t.box, plot, axis)], axis.orientation)
    values = values if len(values) > 0.5 * len(marks.bars) else {}
    names = used | {id(word) for value in values.values() for word in value.token.words}
    names |= {id(word) for leader in marks.leaders for word in leader.words}
    signs = [(page_box(m.seen, axis.orientation), m.look) for group in marks.scatter for m in group]
    entries = read_legend(page, names, data, _styles(marks), signs, numbers)
    entries = own_entries(entries, plot.box, [other.box for other in others])
    # A sign of a legend stands beside its lines, a marker on one.
    entries = [entry for entry in entries if not _is_on_line(entry.sign, marks)]
    marks = _without_signs(marks, entries)
    used |= {id(word) for entry in entries for word in entry.words}
    used |= {id(word) for word in lettered_points(page.words, plot)}
    title = axis_title(axis, plot.frame, page.words, used)
    used |= {id(word) for word in title}
    # A share may be announced in the title alone: `Accuracy (%)`.
    led, ends = _led(marks), _ends(marks, page, entries, used)
    used |= {id(word) for name in (*led.values(), *ends.values()) for word in name[1]}
    unit = axis.unit or ("%" if any("%" in word.text for word in title) else "")
    found: list[Mark] = []
    if marks.bars:
        found += _bars(marks, axis, page, tokens, entries, used, unit, led)
    found += _points(marks, axis, page, entries, used, led, ends)
    unplaced = _unplaced(found, plot)
    found = [mark for mark in found if mark not in unplaced]
    span = sorted((axis.value(plot.frame.u0), axis.value(plot.frame.u1)))
    kept = [mark for mark in found if _is_between(mark, span)]
    beyond = [Lost("beyond_axis", 1, view(mark.box, axis.orientation)) for mark in found if not _is_between(mark, span)]
    beyond += [Lost("no_place", 1, view(mark.box, axis.orientation)) for mark in unplaced]
    beyond += [Lost("unclear_label", 0, around(leader.words)) for leader in marks.leaders if leader.place is None]
    return Chart(axis, plot.box, tuple(kept), title, factor, plot.cross), beyond


def _unplaced(marks: Sequence[Mark], plot: Plot) -> list[Mark]:
    """The points without a label where others are labelled with numbers of a scale that could not be read."""
    points = [mark for mark in marks if mark.kind != "bar"]
    numbers = {mark.category for mark in points if mark.category and parse_label(mark.category)}
    return [mark for mark in points if mark.category is None] if len(numbers) > 1 and plot.cross is None else []


def _is_on_line(sign: Box, marks: Marks) -> bool:
    seen = view(sign, marks.plot.axis.orientation)
    u = (seen.u0 + seen.u1) / 2
    return any(max(abs(c - seen.middle), abs(v - u)) <= SETTINGS.same for line in marks.lines for c, v in line.points)


def _led(marks: Marks) -> dict[Point, Name]:
    """What a leader joins to a place, where it is a name."""
    vertices = [point for line in marks.lines for point in line.points]
    found = {}
    for leader in marks.leaders:
        label = label_of(leader.words) if leader.place else None
        if leader.place and label:
            # A marker and the vertex that it stands on are one place.
            vertex = min(vertices, key=partial(math.dist, leader.place), default=leader.place)
            found[vertex if math.dist(vertex, leader.place) <= SETTINGS.same_place else leader.place] = label
    return found


def _ends(marks: Marks, page: Page, entries: Sequence[Entry], used: Collection[int]) -> dict[int, Name]:
    """The name at the end of each line that no legend names, by the line's index: led there, or right beside it."""
    if marks.plot.axis.orientation != "vertical":
        return {}
    free = [i for i, line in enumerate(marks.lines) if series_of(line.style, entries) is None]
    led = _led(marks)
    last = {marks.lines[i].points[-1]: i for i in free}
    found = {last[place]: label for place, label in led.items() if place in last}
    # Leaders to places within lines name those, and then the ends are places, too.
    if set(led) - set(last):
        return {}
    ends = [(marks.lines[i].points[-1], marks.lines[i].style) for i in free]
    texts = text_blocks(page.words, used)
    beside = names_at_ends(ends, texts, {id(w) for label in led.values() for w in label[1]})
    return {free[i]: label for i, label in beside.items()} | found


def _is_between(mark: Mark, ends: Sequence[float]) -> bool:
    """True for a value between the ends of its axis, within its own precision; a piece of a bar fits in it."""
    if mark.is_piece:
        return mark.high - mark.low <= 2 * abs(mark.value) or abs(mark.value) <= ends[1] - ends[0]
    return mark.high >= ends[0] and mark.low <= ends[1]


def _without_signs(marks: Marks, entries: Sequence[Entry]) -> Marks:
    """The marks without the markers that are signs of a legend; points with labels of their own are none."""
    named = [e for e in entries if not any(is_one_look(e.style, o.style) and o.text != e.text for o in entries)]
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
    led: Mapping[Point, Name],
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
    brackets = bracket_labels(page.shapes, page.words, used, _ground(marks), axis.orientation)
    # Where bars have labels of their own, the name of their bracket alone is half of one.
    outer = {word for _, _, name in brackets for word in name[1]}
    has_inner = any(label and not outer.issuperset(label[1]) for label in labels)
    found = []
    for index, (bar, place) in enumerate(zip(bars, places, strict=True)):
        start = bar.start if bar.is_stacked else None
        low, high = interval(axis, bar.end, start)
        label = _bracketed(labels[place], bar.seen.middle, brackets, has_inner) or led.get(
            (bar.seen.middle, bar.seen.u0)
        )
        value = axis.value(bar.end) - (axis.value(start) if start is not None else 0.0)
        x_value = cross.value(middles[place]) if cross is not None else None
        series = _whole_name(series_of(bar.style, entries), entries, page)
        box, (category, words) = page_box(bar.seen, axis.orientation), label or (None, ())
        found.append(
            Mark(
                "bar", box, value, low, high, "eq", series, category, words, x_value, printed.get(index),
                bar.style.colour, bar.is_stacked,
            )
        )  # fmt: skip
    return found


def _bracketed(label: Label, middle: float, brackets: Sequence[tuple[float, float, Name]], has_inner: bool) -> Label:
    """The label of a bar with the name of the bracket that it stands over."""
    group = next((name for c0, c1, name in brackets if c0 <= middle <= c1), None)
    if group is None:
        return label
    inner = tuple(word for word in label[1] if word not in group[1]) if label else ()
    if not inner:
        return None if has_inner else group
    return f"{printed_name(inner)} {group[0]}", (*inner, *group[1])


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


def _points(
    marks: Marks, axis: Axis, page: Page, entries: Sequence[Entry], used: set[int],
    led: Mapping[Point, Name], ends: Mapping[int, Name],
) -> list[Mark]:  # fmt: skip
    points: list[tuple[MarkKind, float, float, float, Style, str | None]] = [
        ("line_point", c, u, line.width, line.style, ends[i][0] if i in ends else None)
        for i, line in enumerate(marks.lines) for c, u in line.points
    ]  # fmt: skip
    points += [("scatter_point", m.c, m.u, m.breadth, m.look, None) for group in marks.scatter for m in group]
    led = {place: label for place, label in led.items() if label not in ends.values()}
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
    for kind, c, u, size, style, name in points:
        category, words = led.get((c, u)) or labels[_nearest(c, places)] or (None, ())
        low, high = interval(axis, u)
        half = max(size, 1.0) / 2
        box = page_box(View(c - half, u - half, c + half, u + half), axis.orientation)
        # A stroke stands for a line.
        signs = [e for e in entries if not e.is_stroke] if kind == "scatter_point" else entries
        series = name or _whole_name(series_of(style, signs), entries, page)
        x_value = cross.value(c) if cross is not None else None
        found.append(
            Mark(kind, box, axis.value(u), low, high, "eq", series, category, words, x_value, None, style.colour)
        )
    return found
