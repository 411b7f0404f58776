"""All charts of a page: axes first, then their plots, then the marks in each, then what is printed
around them.

What looks like a mark of a plot is a mark of the chart, or is in a refusal that says how many there
are and why.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path

from pipelines.extract.charts.axis import Axis, find_axes
from pipelines.extract.charts.chart import Chart, DrawnMark, RefusedChart, plain
from pipelines.extract.charts.geometry import (
    Rect,
    Style,
    around,
    grouped,
    is_box,
    is_near,
    is_white,
    shown,
)
from pipelines.extract.charts.labels import Label
from pipelines.extract.charts.marks import filled_boxes, find_bars, find_points, lose_unread_bars
from pipelines.extract.charts.names import (
    Labels,
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
    PlotMark,
    Sheet,
    both_sheets,
    find_cross,
    find_plot,
    is_ambiguous,
)
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Page, Shape, Word
from pipelines.values.numbers import FACTOR
from pipelines.yaml_files import load_yaml

# Why something gives no number, by rule
_REASONS = load_yaml(Path(__file__).with_name("reasons.yml"))

_MARKER_CHARACTERS = frozenset("■●◆▲▼□○◼▪•◇△▽★")


def read_charts(page: Page) -> tuple[list[Chart], list[RefusedChart]]:
    """The charts of a page, and what looks like one and gives no numbers; both empty for a page
    without charts.
    """
    if len(page.shapes) > SETTINGS.max_shapes:
        reason = f"the page has {len(page.shapes)} drawn shapes; more than {SETTINGS.max_shapes} are not read as charts"
        return [], [RefusedChart("too_many_shapes", reason, (0.0, 0.0, page.width, page.height))]
    upright, mirrored = sheets = both_sheets(page)
    found = [(sheet.numbers, find_axes(sheet.numbers, sheet.levels)) for sheet in sheets]
    ticks = {word for _, axes in found for axis in axes for word in axis.words}
    own, across = (
        [axis.multiplied([n for n in numbers if not n.is_of(ticks)]) for axis in axes]
        for numbers, axes in found
    )
    readings = [
        *_plots(upright, own, [axis.across() for axis in across]),
        *_plots(mirrored, across, [axis.across() for axis in own]),
    ]
    kept = _one_each(readings)
    scales = {word for axis in (*own, *across) if axis.marks for word in axis.words}
    charts: list[Chart] = []
    refused: list[RefusedChart] = []
    for plot in kept:
        if plot.marks:
            charts += _named(plot, upright, [other for other in kept if other is not plot], scales)
        for rule, lost in plot.lost.items():
            count, box = (
                sum(marks for marks, _ in lost),
                plot.sheet.page_box(around([box for _, box in lost])),
            )
            refused.append(RefusedChart(rule, _REASONS[rule].format(count), box, count, plot.axes))
    # Without any factor, a page with bars and no axis compares nothing.
    if not charts and not refused and any(FACTOR.search(word.text) for word in upright.words):
        ratios = [chart for sheet in sheets if (chart := _ratios(sheet))]
        charts = sorted(ratios, key=lambda chart: -len(chart.marks))[:1]
    refused += (
        _without_scale(sheets, [plot.box for plot in readings])
        if not charts or charts[0].axis
        else ()
    )
    return charts, [*refused, *picture_charts(page, charts)]


def _plots(sheet: Sheet, axes: Sequence[Axis], crosses: Sequence[Axis]) -> Iterator[Plot]:
    for axis in axes:
        plot = find_plot(axis, sheet, [other for other in axes if other is not axis])
        plot.cross = find_cross(plot, crosses)
        if min(plot.frame.width, plot.frame.height) <= 0:
            continue
        shapes = [shape for shape in sheet.shapes if plot.frame.cut(shape.box)]
        base = find_bars(plot, shapes)
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
    if not plot.sheet.is_mirrored:
        points = find_points(plot, shapes)
        if plot.marks or "floating_bars" in plot.lost:
            # What is over bars is a note, or of another axis; one or two signs are those of a
            # legend.
            times = Counter(point.style for point in points if point.kind == "scatter_point")
            if loose := [p for p in points if p.kind == "line_point" or times[p.style] > 2]:
                plot.lose("loose_markers", len(loose), around([point.box for point in loose]))
        else:
            plot.marks += points
    elif plot.is_framed and plot.cross is None and not plot.marks:
        lying = [
            m
            for m in find_points(Plot(plot.sheet, plot.axis, plot.frame), shapes)
            if m.kind == "scatter_point"
        ]
        if len(lying) > 2:
            plot.lose("lying_points", len(lying), plot.frame)
    signs = sum(
        w.text in _MARKER_CHARACTERS and plot.frame.holds((w.box.x, w.box.y))
        for w in plot.sheet.words
    )
    if signs > 2:
        plot.lose("character_markers", signs, plot.frame)


def _one_each(readings: Sequence[Plot]) -> list[Plot]:
    """One reading of each plot, that of the most marks; an inset or a second scale makes it
    ambiguous.
    """
    kept: list[Plot] = []
    unread = {id(plot): sum(marks for marks, _ in chain(*plot.lost.values())) for plot in readings}
    for plot in sorted(readings, key=lambda plot: (-len(plot.marks), -unread[id(plot)])):
        rival = next((other for other in kept if other.box.share(plot.box) > SETTINGS.half), None)
        if rival is None:
            kept.append(plot)
            continue
        first, *_, last = plot.axis.ticks
        differ = any(
            abs(rival.axis.value(t.y) - t.value) > 0.01 * abs(last.value - first.value)
            for t in (first, last)
        )
        if plot.sheet is rival.sheet and rival.marks and plot.axis.marks and differ:
            marks = max(len(rival.marks), len(plot.marks) + unread[id(plot)])
            rival.lose("ambiguous_axis", marks, around([rival.frame, plot.frame]))
            rival.marks = []
    return kept


def _without_scale(sheets: Sequence[Sheet], plots: Sequence[Rect]) -> Iterator[RefusedChart]:
    """Curves and rows of bars in a clipping box or over a grid that are in no plot with an axis."""
    refused: list[Rect] = []
    for sheet in sheets:
        gridlines: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for s in sheet.levels:
            if s.length > SETTINGS.legend_line:
                gridlines[round(s.start), round(s.end)].add(round(s.at))
        grids = {
            Rect(x0, min(ys), x1, max(ys)) for (x0, x1), ys in gridlines.items() if len(ys) > 1
        }
        taken = [sheet.box_here(plot) for plot in plots]
        shapes = [
            (shape, box)
            for shape in sheet.shapes
            if (box := shown(shape)) and not is_white(shape.fill_colour)
        ]
        free = [
            (shape, box)
            for shape, box in shapes
            if not any(plot.holds((box.x, box.y)) for plot in taken)
        ]
        for frame in sorted(sheet.clips | grids, key=lambda b: b.width * b.height):
            inside = [(s, b) for s, b in free if frame.grown(1).holds((b.x, b.bottom))]
            marks = _count_marks([(s, b) for s, b in inside if frame in grids or s.clip == frame])
            box = sheet.page_box(frame)
            if marks and not any(box.share(other) > SETTINGS.half for other in refused):
                refused.append(box)
                yield RefusedChart("no_axis", _REASONS["no_axis"].format(marks), box, marks)


def _count_marks(shapes: Sequence[tuple[Shape, Rect]]) -> int:
    """Vertices of open polylines that run to one side, and boxes beside rows of several heights, as
    cards are not.
    """
    marks, heights, boxes = 0, defaultdict[tuple[int, int], set[int]](set), set[Rect]()
    for shape, box in shapes:
        xs = [x for x, _ in shape.points]
        is_curve = shape.stroke and not shape.fill and len(xs) > 2 and len({*xs}) == len(xs)
        marks += len(xs) if is_curve and xs in (sorted(xs), sorted(xs, reverse=True)) else 0
        if shape.fill and is_box(shape) and min(box.width, box.height) > SETTINGS.min_breadth:
            heights[round(box.width), round(box.bottom)].add(round(box.height))
            boxes.add(Rect(*(round(edge, 1) for edge in box)))
    return marks + (len(boxes) if any(len(row) > 2 for row in heights.values()) else 0)


def _named(
    plot: Plot, page: Sheet, others: Sequence[Plot], scales: Collection[Word]
) -> Iterator[Chart]:
    """The chart of a plot that is clear, with everything that is printed about its marks; what is
    left out is lost.
    """
    axis, used = (
        plot.axis,
        {word for one in (plot, *others) if one.sheet is plot.sheet for word in one.axis.words},
    )
    entries = read_legend(page, plot, [other.box for other in others], used)
    used |= {word for entry in entries for word in entry.label.words}
    drop_signs(plot, entries)
    # On the mirrored page, the words that the page prints level.
    free = [
        w
        for w in plot.sheet.words
        if not w.is_of(used) and (w.angle == 90 or not plot.sheet.is_mirrored)
    ]
    title = axis_title(axis, free)
    used |= {*title.words} if title else set()
    bars = [mark for mark in plot.marks if mark.kind == "bar"]
    bars.sort(key=lambda bar: (-bar.x if plot.sheet.is_mirrored else bar.x, axis.slope * bar.start))
    # The numbers in the plot or just beyond the ends of its bars; on lying bars they are broader
    # than high.
    room = plot.frame._replace(
        top=plot.frame.top - 2.5 * axis.size * (3 if plot.sheet.is_mirrored else 1)
    )
    values = [n for n in plot.sheet.numbers if not n.is_of(used) and room.holds((n.box.x, n.box.y))]
    # A share may be announced in the title alone: `Accuracy (%)`.
    printed = values_at(bars, values, axis.unit or ("%" if title and "%" in title.text else ""))
    used |= {word for label in printed.values() for word in label.words}
    places, categories = _categories(plot, bars, [word for word in free if not word.is_of(used)])
    used |= {word for label in categories if label for word in label.words}
    used |= {
        word for one in (plot, *others) if one.marks for axis in one.axes for word in axis.words
    }
    if is_ambiguous(plot, used, scales, [plot.sheet.box_here(other.box) for other in others]):
        plot.lose("ambiguous_axis", len(plot.marks), plot.frame)
        return
    # A stroke stands for a line.
    signs = [e for e in entries if min(e.sign.width, e.sign.height) > SETTINGS.straight]
    marks: list[DrawnMark] = []
    for index, m in enumerate([*bars, *(mark for mark in plot.marks if mark.kind != "bar")]):
        at = _nearest(m.x, places)
        entry = entry_of(m.style, signs if m.kind == "scatter_point" else entries)
        series, category = entry and entry.label, categories[at]
        box = (
            m.box if m.kind == "bar" else Rect(m.x, m.y, m.x, m.y).grown(max(m.box.width, 1.0) / 2)
        )
        if m.kind != "bar" and plot.cross is None and category is None:
            plot.lose("no_place", 1, box)
            continue
        marks.append(
            DrawnMark(
                m.kind,
                plot.sheet.page_box(box),
                *axis.measure(m.y, m.start if m.is_stacked else None),
                category=category if category and category.is_whole(page.bounds) else None,
                series=series if series and series.is_whole(page.bounds) else None,
                x_value=plain(plot.cross.value(places[at] if m.kind == "bar" else m.x))
                if plot.cross
                else None,
                printed=printed.get(index),
            )
        )
    yield Chart(axis, plot.box, tuple(marks), title, plot.axes)


def _categories(
    plot: Plot, bars: Sequence[PlotMark], words: Sequence[Label]
) -> tuple[list[float], Labels]:
    """The places across the axis where a plot has marks, and the label at each."""
    if bars:
        places = group_middles(bars)
    else:
        xs = sorted(mark.x for mark in plot.marks)
        places = [
            group[0] for group in grouped(xs, lambda group, x: x - group[0] <= SETTINGS.aligned, 1)
        ]
    if bars or plot.cross is None:
        # Without a frame around it, a plot is taken to reach a step below its lowest tick or bar.
        lowest = max([plot.axis.span[1], *(bar.box.bottom for bar in bars)])
        ground = plot.frame._replace(bottom=min(plot.frame.bottom, lowest))
        labels = (
            category_labels(places, words, ground, plot.frame.bottom - ground.bottom)
            if places
            else []
        )
    else:
        # The label of the scale across at each place, None between its labels.
        labels = [
            next((t.label for t in plot.cross.ticks if abs(t.y - x) <= SETTINGS.aligned), None)
            for x in places
        ]
    # A label between two points of one line names neither.
    at = Counter(
        (mark.line, _nearest(mark.x, places)) for mark in plot.marks if mark.kind == "line_point"
    )
    between = {place for (_, place), points in at.items() if points > 1}
    return places, [None if place in between else label for place, label in enumerate(labels)]


def _nearest(middle: float, middles: Sequence[float]) -> int:
    return min(range(len(middles)), key=lambda index: abs(middles[index] - middle))


_MAX_BARS = 12
# A picture behind the whole page is its background when so many words are printed on it.
_BACKGROUND_SHARE = 0.9
_BACKGROUND_WORDS = 15


def _ratios(sheet: Sheet) -> Chart | None:
    """The bars of a slide without axis, each with its length in lengths of the shortest; None where
    there are none.
    """
    found = [box for box in filled_boxes(sheet.shapes, sheet, sheet.bounds) if box.style.is_filled]
    # What spans most of the page is background.
    boxes = [b for b, *_ in found if SETTINGS.ratio_breadth <= b.width <= 0.4 * sheet.bounds.width]
    rows = grouped(
        boxes,
        lambda row, b: is_near(
            (b.bottom, b.width), (row[0].bottom, row[0].width), SETTINGS.same_ratio
        ),
    )
    longest = max(rows, key=len, default=[])
    row = sorted(longest)
    apart = all(right.x0 - left.x1 > 0.05 * left.width for left, right in pairwise(row))
    lengths = [b.height for b in row]
    if (
        not 2 <= len(row) <= _MAX_BARS
        or not apart
        or max(lengths) < min(lengths) + 2 * SETTINGS.same_ratio
    ):
        return None
    frame, shortest, end = around(row), min(lengths), SETTINGS.ratio_end
    printed = values_at(
        [PlotMark("bar", b, b.x, b.top, Style(None), b.bottom) for b in row], sheet.numbers
    )
    used = {word for label in printed.values() for word in label.words}
    free = [
        w for w in sheet.words if not w.is_of(used) and (not sheet.is_mirrored or w.angle == 90)
    ]
    labels = category_labels([b.x for b in row], free, frame)
    # Boxes that nothing names are decoration.
    if sum(label is not None for label in labels) < 2 and not printed:
        return None
    marks = []
    for index, (box, label) in enumerate(zip(row, labels, strict=True)):
        low, high = (
            (box.height - end) / (shortest + end),
            (box.height + end) / max(shortest - end, end / 4),
        )
        span = (low, high) if box.height > shortest else (1.0, 1.0)
        place, ratio = sheet.page_box(box), box.height / shortest
        marks.append(
            DrawnMark("bar", place, ratio, *span, category=label, printed=printed.get(index))
        )
    return Chart(None, sheet.page_box(frame), tuple(marks[::-1] if sheet.is_mirrored else marks))


def picture_charts(page: Page, charts: Sequence[Chart]) -> Iterator[RefusedChart]:
    """One refusal per picture that is large enough to show a chart and lies in no drawn one."""
    for image in page.images:
        box = Rect(*image.box)
        share = box.width * box.height / (page.width * page.height)
        is_small = (
            share < SETTINGS.picture_share or min(box.width, box.height) < SETTINGS.picture_side
        )
        is_background = share >= _BACKGROUND_SHARE and len(page.words) >= _BACKGROUND_WORDS
        if (
            is_small
            or is_background
            or any(Rect(*chart.frame).holds((box.x, box.y)) for chart in charts)
        ):
            continue
        reason = (
            f"a picture of {image.width_px} x {image.height_px} pixels, {box.width:.0f} x {box.height:.0f} points in "
            "size, may show a chart; numbers are never read from pictures"
        )
        yield RefusedChart("image_chart", reason, Rect(*(round(edge, 2) for edge in image.box)))
