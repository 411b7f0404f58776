"""All charts of a page: axes first, then their plots, then the marks in each, then what is printed around them.

What looks like a mark of a plot is a mark of the chart, or is in a refusal that says how many there are and why.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from pipelines.extract.charts.axis import Axis, find_axes, multiplier_of
from pipelines.extract.charts.bars import find_bars, lose_unread_bars
from pipelines.extract.charts.chart import Chart, DrawnMark, MarkKind, Plot, RefusedChart
from pipelines.extract.charts.geometry import Rect, around, grouped, is_box, is_white, shown
from pipelines.extract.charts.labels import Label
from pipelines.extract.charts.legend import LegendEntry, drop_signs, entry_of, read_legend
from pipelines.extract.charts.lines import find_lines
from pipelines.extract.charts.names import axis_title, category_labels, group_middles, values_at
from pipelines.extract.charts.plots import find_plots
from pipelines.extract.charts.ratios import picture_charts, read_ratios
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet, both_sheets
from pipelines.read.page import Page, Shape, Word

_REASONS = {
    "floating_bars": "{} boxes begin neither at the base line nor on one another, and where they do is not printed",
    "bar_cut": "{} bars go on beyond what is shown, so that their ends are not known",
    "cut_line": "{} ends of lines are where the plot cuts them, and no points",
    "fitted_line": "{} vertices of lines lead through or past the markers of the plot, and are no points of their own",
    "reference_line": "{} vertices are of a line through the whole plot without markers, as reference lines are",
    "annotation": "{} vertices of strokes lie over the plot, as arrows and notes do, and not in it",
    "pieces": "{} vertices cut straight pieces of lines into shorter ones, and are no points",
    "no_function": "{} vertices of strokes turn back or run along the axis: steps, outlines or notes",
    "unread_bar": "{} bars are broad strokes, or white without an outline, and such bars are not read",
    "character_markers": "{} markers are printed as characters, whose places are not exact",
    "filled_area": "{} vertices of filled areas: which of their edges counts is not known",
    "too_many_strokes": "{} strokes and signs are a texture or a map",
    "lying_points": "{} markers are over an axis that runs to the right, with names instead of a scale across it",
    "loose_markers": "{} markers are in a plot of bars, and what they count is not known",
    "ambiguous_axis": "the chart has two value axes or an inset, and which of them its {} marks are of is not printed",
    "no_place": "where {} points are on the other axis is not known, as its labels could not be read",
    "no_ticks": "{} bars are over an axis without tick marks or gridlines, whose scale is not exact",
    "no_axis": "{} bars or vertices of lines are in a plot whose axis cannot be read",
}

_MARKER_CHARACTERS = frozenset("■●◆▲▼□○◼▪•◇△▽★")


def read_charts(page: Page) -> tuple[list[Chart], list[RefusedChart]]:
    """The charts of a page, and what looks like one and gives no numbers; both empty for a page without charts."""
    if len(page.shapes) > SETTINGS.max_shapes:
        reason = f"the page has {len(page.shapes)} drawn shapes; more than {SETTINGS.max_shapes} are not read as charts"
        return [], [RefusedChart("too_many_shapes", reason, (0.0, 0.0, page.width, page.height))]
    upright, turned = sheets = both_sheets(page)
    own, across = (find_axes(sheet.numbers, sheet.levels) for sheet in sheets)
    readings = [
        *_plots(upright, own, [axis.across(-1) for axis in across]),
        *_plots(turned, across, [axis.across(1) for axis in own]),
    ]
    kept = _one_each(readings)
    ticks = {word for axis in (*own, *across) for tick in axis.ticks for word in tick.label.words}
    charts: list[Chart] = []
    refused: list[RefusedChart] = []
    for plot in kept:
        if plot.count:
            charts.append(_named(plot, upright, [other for other in kept if other is not plot], ticks))
        for rule, lost in plot.lost.items():
            count, box = sum(marks for marks, _ in lost), plot.sheet.page_box(around([box for _, box in lost]))
            refused.append(RefusedChart(rule, _REASONS[rule].format(count), box, count, plot.axes))
    if not charts and not refused and (ratios := read_ratios(sheets)):
        return [ratios], list(picture_charts(page, [ratios]))
    refused += _without_scale(sheets, [plot.box for plot in readings])
    return charts, [*refused, *picture_charts(page, charts)]


def _plots(sheet: Sheet, axes: Sequence[Axis], crosses: Sequence[Axis]) -> Iterator[Plot]:
    """The plots with something in them."""
    for plot in find_plots(sheet, axes, crosses):
        shapes = [shape for shape in sheet.shapes if plot.frame.meets(shape.box)]
        base = find_bars(plot, shapes)
        if plot.axis.marks:
            _find_marks(plot, shapes, base)
        elif plot.bars and plot.axis.scale == "linear":
            plot.lose("no_ticks", len(plot.bars), plot.frame)
            plot.bars = []
        else:
            # A column of numbers beside some rules is no axis.
            continue
        if plot.count or plot.lost:
            yield plot


def _find_marks(plot: Plot, shapes: Sequence[Shape], base: float | None) -> None:
    """Put the marks among the shapes of a plot into it, beside its bars."""
    if not plot.sheet.is_turned:
        find_lines(plot, shapes)
    elif plot.is_framed and plot.cross is None and not plot.bars:
        find_lines(lying := Plot(plot.sheet, plot.axis, plot.frame), shapes)
        if len(lying.scatter) > 2:
            plot.lose("lying_points", len(lying.scatter), plot.frame)
    if plot.bars or "floating_bars" in plot.lost:
        # What is over bars is a note, or of another axis.
        for line in plot.lines:
            plot.lose("annotation", len(line.points), around(line.points))
        if loose := sum(times for times in Counter(marker.look for marker in plot.scatter).values() if times > 2):
            plot.lose("loose_markers", loose, plot.frame)
        plot.lines, plot.scatter = [], []
    lose_unread_bars(plot, shapes, base)
    signs = sum(w.text in _MARKER_CHARACTERS and plot.frame.holds((w.box.x, w.box.y)) for w in plot.sheet.words)
    if signs > 2:
        plot.lose("character_markers", signs, plot.frame)


def _one_each(readings: Sequence[Plot]) -> list[Plot]:
    """One reading of each plot, that of the most marks; an inset or a second scale makes it ambiguous."""
    kept: list[Plot] = []
    unread = {id(plot): sum(marks for marks, _ in chain(*plot.lost.values())) for plot in readings}
    for plot in sorted(readings, key=lambda plot: (-plot.count, -unread[id(plot)])):
        rival = next((other for other in kept if other.box.share(plot.box) > SETTINGS.half), None)
        if rival is None:
            kept.append(plot)
            continue
        one, other = rival.axis, plot.axis
        differ = any(abs(one.value(y) - other.value(y)) > 0.01 * (one.high - one.low) for y in one.span)
        if plot.sheet is rival.sheet and rival.count and one.marks and other.marks and differ:
            marks = max(rival.count, plot.count + unread[id(plot)])
            rival.lose("ambiguous_axis", marks, around([rival.frame, plot.frame]))
            rival.bars, rival.lines, rival.scatter = [], [], []
    return kept


def _without_scale(sheets: Sequence[Sheet], plots: Sequence[Rect]) -> Iterator[RefusedChart]:
    """Curves and rows of bars in a clipping box or over a grid that are in no plot with an axis."""
    refused: list[Rect] = []
    for sheet in sheets:
        grids: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for s in sheet.levels:
            if s.length > SETTINGS.legend_line:
                grids[round(s.start), round(s.end)].add(round(s.at))
        grid = {Rect(x0, min(ys), x1, max(ys)) for (x0, x1), ys in grids.items() if len(ys) > 1}
        shapes = [(shape, box) for shape in sheet.shapes if (box := shown(shape)) and not is_white(shape.fill_colour)]
        taken = [sheet.box_here(plot) for plot in plots]
        free = [(shape, box) for shape, box in shapes if not any(plot.holds((box.x, box.y)) for plot in taken)]
        for frame in sorted(sheet.clips | grid, key=lambda b: b.width * b.height):
            box, near = sheet.page_box(frame), frame.grown(1)
            if any(box.share(other) > SETTINGS.half for other in refused):
                continue
            inside = [(s, b) for s, b in free if near.holds((b.x, b.bottom)) and (frame in grid or s.clip == frame)]
            curves = [len(s.points) for s, _ in inside if not sheet.is_turned and _is_curve(s)]
            if marks := sum(curves) + _count_bars(inside):
                refused.append(box)
                yield RefusedChart("no_axis", _REASONS["no_axis"].format(marks), box, marks)


def _count_bars(shapes: Sequence[tuple[Shape, Rect]]) -> int:
    """How many boxes are as broad as those of a row on one line that are of several heights, as cards are not."""
    boxes = {
        Rect(*(round(edge, 1) for edge in box)) for shape, box in shapes
        if shape.fill and is_box(shape) and min(box.width, box.height) > SETTINGS.min_breadth
    }  # fmt: skip
    rows: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for box in boxes:
        rows[round(box.width), round(box.bottom)].add(round(box.height))
    breadths = {breadth for (breadth, _), heights in rows.items() if len(heights) > 2}
    return sum(any(abs(box.width - breadth) <= 1 for breadth in breadths) for box in boxes)


def _is_curve(shape: Shape) -> bool:
    """True for an open polyline that runs to one side and bends."""
    xs = [x for x, _ in shape.points]
    is_open = shape.stroke and not shape.fill and len(xs) > 2 and len({*xs}) == len(xs)
    return is_open and xs in (sorted(xs), sorted(xs, reverse=True))


def _named(plot: Plot, page: Sheet, others: Sequence[Plot], ticks: Collection[Word]) -> Chart:
    """The chart of a plot with everything that is printed about its marks; what is left out is lost.

    Args:
        plot: The plot.
        page: The page, not turned.
        others: The other plots of the page.
        ticks: The words of all axes.
    """
    factor, factor_at = multiplier_of(plot.axis, [n for n in plot.sheet.numbers if not n.is_of(ticks)])
    plot.axis = axis = plot.axis.multiplied(factor)
    labels = [*factor_at, *(t.label for p in (plot, *others) if p.sheet is plot.sheet for t in p.axis.ticks)]
    used = {word for label in labels for word in label.words}
    entries = read_legend(page, plot, [other.box for other in others], used)
    used |= {word for entry in entries for word in entry.label.words}
    drop_signs(plot, entries)
    # On the turned page, the words that the page prints level.
    free = [w for w in plot.sheet.words if not w.is_of(used) and (w.angle == 90 or not plot.sheet.is_turned)]
    title = axis_title(axis, free)
    free = [word for word in free if title is None or not word.is_of(title.words)]
    used |= {*title.words} if title else set()
    values = [n for n in plot.sheet.numbers if not n.is_of(used)]
    marks: list[DrawnMark] = []
    for mark in _marks(plot, values, free, entries, title):
        if mark.kind != "bar" and plot.cross is None and mark.category is None:
            plot.lose("no_place", 1, Rect(*mark.box))
            continue
        category, series = (
            name if name and name.is_whole(page.bounds) else None for name in (mark.category, mark.series)
        )
        marks.append(replace(mark, box=plot.sheet.page_box(mark.box), category=category, series=series))
    return Chart(axis, plot.box, tuple(marks), title, plot.axes)


def _marks(
    plot: Plot, values: Sequence[Label], free: Sequence[Label], entries: Sequence[LegendEntry], title: Label | None
) -> Iterator[DrawnMark]:
    """The bars of a plot, the points of its lines, and its markers."""
    axis, cross = plot.axis, plot.cross
    bars = sorted(plot.bars, key=lambda bar: (bar.box.x, axis.slope * bar.start))
    # The numbers in the plot or just beyond the ends of its bars; on lying bars they are broader than high.
    room = plot.frame._replace(top=plot.frame.top - 2.5 * axis.size * (3 if plot.sheet.is_turned else 1))
    # A share may be announced in the title alone: `Accuracy (%)`.
    unit = axis.unit or ("%" if title and "%" in title.text else "")
    printed = values_at(bars, [n for n in values if room.holds((n.box.x, n.box.y))], unit)
    words = [word for word in free if not any(word.is_of(label.words) for label in printed.values())]
    # A stroke stands for a line.
    signs = [e for e in entries if min(e.sign.width, e.sign.height) > SETTINGS.straight]
    drawn: list[tuple[MarkKind, Rect, float, float, float | None, LegendEntry | None]] = [
        ("bar", b.box, b.box.x, b.end, b.start if b.is_stacked else None, entry_of(b.style, entries)) for b in bars
    ]
    for line in plot.lines:
        entry, half = entry_of(line.style, entries), max(line.width, 1.0) / 2
        drawn += [("line_point", Rect(x, y, x, y).grown(half), x, y, None, entry) for x, y in line.points]
    for m in plot.scatter:
        box = Rect(*m.place, *m.place).grown(max(m.box.width, 1.0) / 2)
        drawn.append(("scatter_point", box, *m.place, None, entry_of(m.style, signs)))
    if not drawn:
        return
    xs = sorted(x for _, _, x, *_ in drawn)
    places = [group[0] for group in grouped(xs, lambda group, x: x - group[0] <= SETTINGS.aligned, 1)]
    places = group_middles(bars) if bars else places
    if bars or cross is None:
        # Without a frame around it, a plot is taken to reach a step below its lowest tick or bar.
        lowest = max([axis.span[1], *(bar.box.bottom for bar in bars)])
        ground = plot.frame._replace(bottom=min(plot.frame.bottom, lowest))
        labels = category_labels(places, words, ground, plot.frame.bottom - ground.bottom)
    else:
        # The label of the scale across at each place, None between its labels.
        labels = [next((t.label for t in cross.ticks if abs(t.y - x) <= SETTINGS.aligned), None) for x in places]
    # A label between two points of one line names neither.
    for line in plot.lines:
        at = [_nearest(x, places) for x, _ in line.points]
        labels = [None if at.count(place) > 1 else label for place, label in enumerate(labels)]
    for index, (kind, box, x, y, start, entry) in enumerate(drawn):
        place = _nearest(x, places)
        yield DrawnMark(
            kind, box, axis.value(y) - (axis.value(start) if start is not None else 0.0), *axis.interval(y, start),
            labels[place], entry.label if entry else None,
    cross.value(places[place] if kind == "bar" else x) if cross else None, printed.get(index),
        )  # fmt: skip


def _nearest(middle: float, middles: Sequence[float]) -> int:
    return min(range(len(middles)), key=lambda index: abs(middles[index] - middle))
