"""All charts of a page: axes first, then their plots, then the marks in each, then what is printed
around them.

What looks like a mark of a plot is a mark of the chart, or is in a refusal that says how many there
are and why.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, pairwise, product
from pathlib import Path
from typing import NamedTuple

from pipelines.extract.charts.axis import Axis, find_axes
from pipelines.extract.charts.chart import Chart, DrawnMark, RefusedChart, plain
from pipelines.extract.charts.geometry import (
    ALIGNED,
    LEGEND_LINE,
    MEETS,
    MIN_BREADTH,
    Rect,
    Stroke,
    Style,
    around,
    grouped,
    is_box,
    is_near,
    is_white,
    shown,
)
from pipelines.extract.charts.labels import Label, words_of
from pipelines.extract.charts.marks import filled_boxes, find_bars, find_points, lose_unread_bars
from pipelines.extract.charts.names import (
    Labels,
    LegendEntry,
    axis_title,
    category_labels,
    drop_signs,
    entry_of,
    group_middles,
    read_legend,
    values_at,
)
from pipelines.extract.charts.plots import (
    Plot,
    Sheet,
    both_sheets,
    find_cross,
    find_plot,
    second_scale,
    sharing,
)
from pipelines.read.document import runs_of
from pipelines.read.page import Page, Shape, Word
from pipelines.values.numbers import FACTOR, read_factor
from pipelines.yaml_files import load_yaml

# Why something gives no number, by rule
_REASONS = load_yaml(Path(__file__).with_name("reasons.yml"))
# A page with more shapes is a drawing or a map; reading it as a chart would take too long.
MAX_SHAPES = 20_000
_MARKER_CHARACTERS = frozenset("■●◆▲▼□○◼▪•◇△▽★")
# Bars without axis: how exactly they agree in breadth and foot, how small they may be, how exactly
# they end.
_SAME_RATIO, _RATIO_BREADTH, _RATIO_END = 1.0, 6.0, 0.4
_MAX_BARS = 12
# A reason quotes no more numbers.
_QUOTED = 5
# A logo, an icon or a portrait covers a smaller share of its page, or is less broad or high.
_PICTURE_SHARE, _PICTURE_SIDE = 0.06, 90.0
# A picture behind the whole page is its background when so many words are printed on it.
_BACKGROUND_SHARE, _BACKGROUND_WORDS = 0.9, 15


def read_charts(page: Page) -> tuple[list[Chart], list[RefusedChart]]:
    """The charts of a page, and what looks like one and gives no numbers; both empty for a page
    without charts.
    """
    if len(page.shapes) > MAX_SHAPES:
        reason = f"the page has {len(page.shapes)} drawn shapes; more than {MAX_SHAPES} are not read as charts"
        return [], [RefusedChart("too_many_shapes", reason, (0.0, 0.0, page.width, page.height))]
    sheets = both_sheets(page)
    found = [find_axes(sheet.numbers, sheet.levels) for sheet in sheets]
    ticks = {word for axis in chain(*found) for word in axis.words}
    for sheet, axes in zip(sheets, found, strict=True):
        free = [number for number in sheet.numbers if not number.is_of(ticks)]
        axes[:] = [axis.multiplied(free) for axis in axes]
    readings = [*_plots(sheets[0], *found), *_plots(sheets[1], *found[::-1])]
    kept = _one_each(readings)
    charts: list[Chart] = []
    refused: list[RefusedChart] = []
    # A word that one chart of the page uses is no scale of another one.
    used = set[Word]()
    for plot in kept:
        used.update(plot.words if plot.marks else ())
    found_words = [_words_around(plot, sheets[0], kept) for plot in kept]
    for words in found_words:
        used.update(words.words)
    for plot, words in zip(kept, found_words, strict=True):
        if plot.marks:
            plot.strays = second_scale(plot, used)
        if plot.strays:
            plot.lose("ambiguous_axis", len(plot.marks), plot.frame)
        elif plot.marks:
            charts.append(_named(plot, words, sheets[0]))
        refused += _refusals(plot)
    if not charts and not refused:
        charts = _stated_ratios(page, sheets)
    # The bars of a page that only compares them are in no plot with an axis.
    if not charts or charts[0].axis:
        refused += _without_scale(sheets, [plot.box for plot in readings])
    return charts, [*refused, *_pictures(page)]


def _refusals(plot: Plot) -> Iterator[RefusedChart]:
    """What looks like a mark of a plot and gives no number, one refusal a rule."""
    for rule, lost in plot.lost.items():
        marks = sum(count for count, _ in lost)
        box = plot.sheet.page_box(around(box for _, box in lost))
        reason = _REASONS[rule].format(marks)
        if rule == "ambiguous_axis" and plot.strays:
            texts = ", ".join(f"`{label.text}`" for label in plot.strays[:_QUOTED])
            reason += f"; beside it stand {texts}"
        yield RefusedChart(rule, reason, box, marks, plot.axes)


def _plots(sheet: Sheet, axes: Sequence[Axis], crosses: Sequence[Axis]) -> Iterator[Plot]:
    """The plots of the axes of a sheet; `crosses` are the axes of the other one."""
    across = [cross.across() for cross in crosses]
    found = [find_plot(axis, sheet, [o for o in axes if o is not axis]) for axis in axes]
    for plot in [*found, *chain(*map(sharing, found))]:
        axis = plot.axis
        plot.cross = find_cross(plot, across)
        shapes = [shape for shape in sheet.shapes if plot.frame.cut(shape.box)]
        base = find_bars(plot, shapes)
        feet = [Stroke(m.start, m.box.x0, m.box.x1, None) for m in plot.marks if m.start == base]
        if len(feet) > 2 and not axis.marks:
            # Labels alone are off by the middles of their texts, all by the same.
            axis = plot.axis = axis.from_foot(feet[0])
        if axis.marks:
            _add_points(plot, shapes)
            lose_unread_bars(plot, shapes, base)
        elif plot.marks and axis.scale == "linear":
            plot.lose("no_ticks", len(plot.marks), plot.frame)
            plot.marks = []
        else:
            # A column of numbers beside some rules is no axis.
            continue
        if plot.marks or plot.lost:
            yield plot


def _add_points(plot: Plot, shapes: Sequence[Shape]) -> None:
    """Put the points among the shapes of a plot into it, where they are not over bars."""
    has_bars = plot.marks or "floating_bars" in plot.lost
    if not plot.sheet.is_mirrored:
        points = find_points(plot, shapes)
        # What is over bars is a note, or of another axis; one or two signs are those of a legend.
        times = Counter(point.style for point in points if point.kind == "scatter_point")
        loose = [p.box for p in points if p.kind == "line_point" or times[p.style] > 2]
        if not has_bars:
            plot.marks += points
        elif loose:
            plot.lose("loose_markers", len(loose), around(loose))
    elif plot.is_framed and plot.cross is None and not plot.marks:
        points = find_points(Plot(plot.sheet, plot.axis, plot.frame), shapes)
        lying = sum(point.kind == "scatter_point" for point in points)
        if lying > 2:
            plot.lose("lying_points", lying, plot.frame)
    words = [word for word in plot.sheet.words if word.text in _MARKER_CHARACTERS]
    signs = sum(plot.frame.holds(word.box.middle) for word in words)
    if signs > 2:
        plot.lose("character_markers", signs, plot.frame)


def _one_each(readings: Sequence[Plot]) -> list[Plot]:
    """One reading of each plot, that of the most marks; an inset or a second scale makes it
    ambiguous.
    """

    def marks(plot: Plot) -> tuple[int, int]:
        return len(plot.marks), sum(count for count, _ in chain(*plot.lost.values()))

    kept: list[Plot] = []
    for plot in sorted(readings, key=marks, reverse=True):
        rival = next((other for other in kept if other.box.overlaps(plot.box)), None)
        if rival is None:
            kept.append(plot)
        elif plot.box.grown(-MEETS).holds(rival.box):
            rival.lose("ambiguous_axis", sum(marks(plot)), rival.frame)
            rival.marks = []
    return kept


def _without_scale(sheets: Sequence[Sheet], plots: Sequence[Rect]) -> Iterator[RefusedChart]:
    """Curves and rows of bars in a clipping box or over a grid that are in no plot with an axis."""
    refused: list[Rect] = []
    for sheet in sheets:
        gridlines: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for s in sheet.levels:
            if s.length > LEGEND_LINE:
                gridlines[round(s.start), round(s.end)].add(round(s.at))
        grids = {
            Rect(x0, min(ys), x1, max(ys)) for (x0, x1), ys in gridlines.items() if len(ys) > 1
        }
        taken = [sheet.box_here(plot) for plot in plots]
        free: list[tuple[Shape, Rect]] = []
        for shape in sheet.shapes:
            box = shown(shape)
            if box is None or is_white(shape.fill_colour):
                continue
            if not any(plot.holds(box.middle) for plot in taken):
                free.append((shape, box))
        for frame in sorted({*sheet.clips, *grids}, key=lambda b: b.width * b.height):
            inside = [(s, b) for s, b in free if frame.grown(1).holds((b.x, b.bottom))]
            marks = _count_marks([(s, b) for s, b in inside if frame in grids or s.clip == frame])
            page_box = sheet.page_box(frame)
            if marks and not any(page_box.overlaps(other) for other in refused):
                refused.append(page_box)
                yield RefusedChart("no_axis", _REASONS["no_axis"].format(marks), page_box, marks)


def _count_marks(shapes: Sequence[tuple[Shape, Rect]]) -> int:
    """Vertices of open polylines that run to one side, and boxes beside rows of several heights, as
    cards are not.
    """
    marks = boxes = 0
    heights: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for shape, box in shapes:
        xs = [x for x, _ in shape.points]
        ordered = sorted(set(xs))
        # Filled paths are areas, unfilled boxes are cells and frames, and thin boxes are rules.
        is_open = shape.stroke and not shape.fill
        if is_open and len(xs) > 2 and xs in (ordered, ordered[::-1]):
            marks += len(xs)
        if shape.fill and is_box(shape) and min(box.width, box.height) > MIN_BREADTH:
            heights[round(box.width), round(box.bottom)].add(round(box.height))
            boxes += 1
    return marks + (boxes if any(len(row) > 2 for row in heights.values()) else 0)


class WordsAround(NamedTuple):
    """What is printed around the marks of a plot.

    Attributes:
        entries: The entries of its legend.
        title: The title of its axis.
        bars: Its bars in order.
        printed: The number printed at each bar, by its index.
        places: Where it has marks across the axis.
        categories: The label at each place.
    """

    entries: list[LegendEntry]
    title: Label | None
    bars: list[DrawnMark]
    printed: dict[int, Label]
    places: list[float]
    categories: Labels

    @property
    def words(self) -> set[Word]:
        """All its words."""
        names = [entry.label for entry in self.entries if entry.is_whole]
        return words_of([*names, self.title, *self.printed.values(), *self.categories])


def _words_around(plot: Plot, page: Sheet, plots: Sequence[Plot]) -> WordsAround:
    """What is printed around one of the plots of a page; signs of its legend are no marks of it."""
    axis, sheet = plot.axis, plot.sheet
    used = {word for one in plots if one.sheet is sheet for word in one.axis.words}
    entries = list(read_legend(page, plot, [one.box for one in plots if one is not plot], used))
    used |= words_of(entry.label for entry in entries if entry.is_whole)
    drop_signs(plot, entries)
    title = axis_title(axis, sheet.free(used))
    used |= words_of([title])
    bars = [mark for mark in plot.marks if mark.kind == "bar"]
    bars.sort(key=lambda bar: (-bar.x if sheet.is_mirrored else bar.x, axis.slope * bar.start))
    # The numbers in the plot or just beyond the ends of its bars; on lying bars they are broader
    # than high. What is further away is a number of a heading.
    above = 2.5 * axis.size * (3 if sheet.is_mirrored else 1)
    room = plot.frame._replace(top=plot.frame.top - above)
    numbers = [n for n in sheet.numbers if not n.is_of(used) and room.holds(n.box.middle)]
    # A share may be announced in the title alone: `Accuracy (%)`.
    unit = axis.unit or ("%" if title and "%" in title.text else "")
    printed = values_at(bars, numbers, unit)
    used |= words_of(printed.values())
    places, categories = _categories(plot, bars, used) if plot.marks else ([], [])
    return WordsAround(entries, title, bars, printed, places, categories)


def _named(plot: Plot, words: WordsAround, page: Sheet) -> Chart:
    """The chart of a plot, with everything that is printed about its marks. What is left out is
    lost.
    """
    axis, sheet = plot.axis, plot.sheet
    entries, title, bars, printed, places, categories = words
    for sign in [entry.sign for entry in entries if not entry.is_whole]:
        plot.lose("name_lines", 0, sheet.box_here(sign))
    marks: list[DrawnMark] = []
    for index, mark in enumerate([*bars, *(mark for mark in plot.marks if mark.kind != "bar")]):
        at, box, x = _nearest(mark.x, places), mark.box, mark.x
        category, start = categories[at], mark.start if mark.is_stacked else None
        if mark.kind == "bar":
            x = places[at]
        else:
            box = around([mark.place]).grown(max(box.width, 1.0) / 2)
            if plot.cross is None and category is None:
                plot.lose("no_place", 1, box)
                continue
        value, low, high = axis.measure(mark.y, start)
        entry = entry_of(mark.style, entries)
        marks.append(
            mark._replace(
                box=sheet.page_box(box),
                value=value,
                low=low,
                high=high,
                category=category and category.whole(page.bounds),
                series=entry.label.whole(page.bounds) if entry and entry.is_whole else None,
                x_value=plain(plot.cross.value(x)) if plot.cross else None,
                printed=printed.get(index),
            )
        )
    return Chart(axis, plot.box, tuple(marks), title, plot.axes)


def _categories(
    plot: Plot, bars: Sequence[DrawnMark], used: Collection[Word]
) -> tuple[list[float], Labels]:
    """The places across the axis where a plot has marks, and the label at each."""
    if bars:
        places = group_middles(bars)
    else:
        xs = sorted(mark.x for mark in plot.marks)
        places = [xs[0] for xs in runs_of(xs, lambda run, x: x - run[0] <= ALIGNED)]
    if not bars and plot.cross:
        # The label of the scale across at each place, None between its labels.
        ticks = plot.cross.ticks
        labels = [
            next((t.label for t in ticks if t.label.words and abs(t.y - x) <= ALIGNED), None)
            for x in places
        ]
    else:
        # Without a frame around it, a plot is taken to reach a step below its lowest tick or bar.
        lowest = max([plot.axis.span[1], *(bar.box.bottom for bar in bars)])
        lowest = min(plot.frame.bottom, lowest)
        blank = plot.frame.bottom - lowest
        ground = plot.frame._replace(bottom=plot.ground.bottom - blank)
        labels = category_labels(places, plot.sheet.free(used), ground, blank)
    # A label between two points of one line names neither: the labels are fewer than the points,
    # or of something else.
    points = [mark for mark in plot.marks if mark.kind == "line_point"]
    at = Counter((mark.line, _nearest(mark.x, places)) for mark in points)
    between = {place for (_, place), count in at.items() if count > 1}
    return places, [None if place in between else label for place, label in enumerate(labels)]


def _nearest(middle: float, middles: Sequence[float]) -> int:
    """The index of the place that is nearest."""
    return min(range(len(middles)), key=lambda index: abs(middles[index] - middle))


def _stated_ratios(page: Page, sheets: Sequence[Sheet]) -> list[Chart]:
    """The bars of a page without axis of which one is as long as a factor that is printed; other
    boxes compare nothing.
    """
    matches = filter(None, (FACTOR.search(word.text) for word in page.words))
    factors = [factor for factor in map(read_factor, matches) if factor and factor.value > 1]
    for chart in filter(None, map(_ratios, sheets if factors else ())):
        longer = [mark for mark in chart.marks if mark.value > 1]
        for factor, mark in product(factors, longer):
            if factor.low <= mark.high and mark.low <= factor.high:
                return [chart]
    return []


def _ratios(sheet: Sheet) -> Chart | None:
    """The bars of a slide without axis, each with its length in lengths of the shortest; None where
    there are none.
    """
    # What spans most of the page is background.
    boxes = [
        box
        for box, _, style in filled_boxes(sheet.shapes, sheet, sheet.bounds)
        if _RATIO_BREADTH <= box.width <= 0.4 * sheet.bounds.width
    ]
    rows = grouped(
        boxes,
        lambda row, box: is_near(
            (box.bottom, box.width), (row[0].bottom, row[0].width), _SAME_RATIO
        ),
    )
    longest = max(rows, key=len, default=[])
    row = sorted(longest)
    lengths = [box.height for box in row]
    is_apart = all(right.x0 - left.x1 > 0.05 * left.width for left, right in pairwise(row))
    if not 2 <= len(row) <= _MAX_BARS or not is_apart:
        return None
    shortest, end = min(lengths), _RATIO_END
    bars = [DrawnMark("bar", box, box.x, box.top, Style(None), box.bottom) for box in row]
    printed, frame = values_at(bars, sheet.numbers), around(row)
    free = sheet.free(words_of(printed.values()))
    labels = category_labels([bar.x for bar in bars], free, frame)
    marks = [
        bar._replace(
            box=sheet.page_box(bar.box),
            value=length / shortest,
            low=(length - end) / (shortest + end),
            high=(length + end) / max(shortest - end, end / 4),
            category=labels[index],
            printed=printed.get(index),
        )
        for index, (bar, length) in enumerate(zip(bars, lengths, strict=True))
    ]
    return Chart(None, sheet.page_box(frame), tuple(marks[::-1] if sheet.is_mirrored else marks))


def _pictures(page: Page) -> Iterator[RefusedChart]:
    """One refusal per picture that is large enough to show a chart."""
    for image in page.images:
        box = Rect(*image.box)
        share = box.width * box.height / (page.width * page.height)
        is_small = share < _PICTURE_SHARE or min(box.width, box.height) < _PICTURE_SIDE
        is_background = share >= _BACKGROUND_SHARE and len(page.words) >= _BACKGROUND_WORDS
        if is_small or is_background:
            continue
        reason = (
            f"a picture of {image.width_px} x {image.height_px} pixels, {box.width:.0f} x {box.height:.0f} points in "
            "size, may show a chart; numbers are never read from pictures"
        )
        yield RefusedChart("image_chart", reason, Rect(*(round(edge, 2) for edge in box)))
