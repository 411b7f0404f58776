"""All charts of a page: axes first, then their plots, then the marks in each, then what is printed around them.

What looks like a mark of a plot is a mark of the chart, or is in a refusal that says how many there are and why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from pipelines.extract.charts.axis import Axis, find_axes, multiplier_of
from pipelines.extract.charts.bars import find_bars, is_box
from pipelines.extract.charts.chart import Chart, DrawnMark, LostMarks, MarkKind, PlotMarks, RefusedChart
from pipelines.extract.charts.geometry import Rect, around, around_boxes, is_alike, is_white, shown
from pipelines.extract.charts.legend import (
    LegendEntry,
    are_signs,
    entry_of,
    is_one_look,
    legend_numbers,
    own_entries,
    read_legend,
)
from pipelines.extract.charts.lines import find_lines
from pipelines.extract.charts.names import (
    Label,
    Labels,
    axis_title,
    category_labels,
    free_tokens,
    group_middles,
    values_at,
)
from pipelines.extract.charts.plots import Plot, find_plots
from pipelines.extract.charts.ratios import picture_charts, read_ratios
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet, both_sheets, page_box
from pipelines.extract.charts.ticks import NumberToken, parse_label
from pipelines.read.page import Box, Page, Shape, Word

_REASONS = {
    "floating_bars": "{} boxes begin neither at the base line nor on one another, and where they do is not printed",
    "bar_cut": "{} bars go on beyond what is shown, so that their ends are not known",
    "cut_line": "{} ends of lines are where the plot cuts them, and no points",
    "fitted_line": "{} vertices of lines lead through or past the markers of the plot, and are no points of their own",
    "reference_line": "{} vertices are of a line through the whole plot without markers, as reference lines are",
    "annotation": "{} vertices of strokes lie over the plot, as arrows and notes do, and not in it",
    "pieces": "{} vertices cut straight pieces of lines into shorter ones, and are no points",
    "no_function": "{} vertices of strokes turn back or run along the axis: steps, outlines or notes",
    "filled_area": "{} vertices of filled areas: which of their edges counts is not known",
    "no_box": "{} filled shapes stand on the axis and are no bars by their form",
    "too_many_strokes": "{} strokes and signs are a texture or a map",
    "lying_points": "{} markers are over an axis that runs to the right, with names instead of a scale across it",
    "loose_markers": "{} markers are in a plot of bars, and what they count is not known",
    "ambiguous_axis": "the chart has two value axes, and which of them its {} marks belong to is not printed",
    "no_place": "where {} points are on the other axis is not known, as its labels could not be read",
    "beyond_axis": "{} marks lie beyond the ends of their axis",
}


def read_charts(page: Page) -> tuple[list[Chart], list[RefusedChart]]:
    """The charts of a page, and what looks like one and gives no numbers; both empty for a page without charts."""
    if len(page.shapes) > SETTINGS.max_shapes:
        reason = f"the page has {len(page.shapes)} drawn shapes; more than {SETTINGS.max_shapes} are not read as charts"
        return [], [RefusedChart("too_many_shapes", reason, (0.0, 0.0, page.width, page.height))]
    sheets = both_sheets(page)
    named = legend_numbers(sheets[0])
    numbers = {token.number for token in free_tokens(sheets[0].tokens, named)}
    axes = [find_axes([t for t in sheet.tokens if t.number in numbers], sheet.levels) for sheet in sheets]
    readings: list[PlotMarks] = []
    for turns, sheet in enumerate(sheets):
        crosses = [axis.across(sheet.tokens, 1 if turns else -1) for axis in axes[1 - turns]]
        plots = find_plots(sheet, axes[turns], crosses)
        insets = [[other.frame for other in plots if other.is_within(plot)] for plot in plots]
        found = [_marks(plot, sheet, inset, bool(turns)) for plot, inset in zip(plots, insets, strict=True)]
        readings += [marks for marks in found if marks]
    kept = _one_each(readings)
    refused: list[RefusedChart] = []
    ticks = {tick.label.number for of_page in axes for axis in of_page for tick in axis.ticks}
    charts = []
    for marks in kept:
        if marks.count:
            others = [other for other in kept if other is not marks]
            charts.append(_Naming(marks, sheets, others, named, ticks).chart)
        refused += _refusals(marks, sheets[0].tokens)
    if not charts and not refused and (ratios := read_ratios(sheets)):
        return [ratios], list(picture_charts(page, [ratios]))
    refused += _without_scale(sheets, [marks.box for marks in readings])
    return charts, [*refused, *picture_charts(page, charts)]


def _marks(plot: Plot, sheet: Sheet, insets: Sequence[Rect], is_turned: bool) -> PlotMarks | None:
    """What is in a plot, None where nothing is; what is in an inset is a mark of that."""
    axis = plot.axis
    shapes = [
        s for s in sheet.shapes
        if plot.frame.meets(s.box)
        and not any(inset.grown(0.5).holds_box(s.box) or s.clip == inset for inset in insets)
    ]  # fmt: skip
    marks = PlotMarks(plot, is_turned)
    base = find_bars(marks, shapes, sheet)
    if not axis.is_snapped and not (marks.bars and axis.scale == "linear"):
        # A column of numbers beside some rules is no axis.
        return None
    if base is not None and marks.bars and not axis.is_snapped and axis.low <= 0 <= axis.high:
        # An axis without marks has its zero where the bars begin.
        marks.plot = replace(plot, axis=axis.shifted(base - axis.position(0)))
    if not is_turned:
        find_lines(marks, shapes, sheet)
    elif plot.is_framed and plot.cross is None and not marks.bars:
        lying = PlotMarks(plot, is_turned)
        find_lines(lying, shapes, sheet)
        for group in (group for group in lying.scatter if len(group) > 2):
            marks.lose("lying_points", len(group), plot.frame)
    if boxes := [lost.box for lost in marks.lost if lost.rule == "floating_bars"] + [bar.box for bar in marks.bars]:
        _keep_at_bars(marks, boxes)
    marks.lost += _areas(shapes, plot)
    is_known = plot.is_framed or base is not None or (plot.cross is not None and plot.cross.is_snapped)
    is_known = is_known or any(item.rule == "too_many_strokes" for item in marks.lost)
    return marks if marks.count or (marks.lost and axis.is_snapped and is_known) else None


def _keep_at_bars(marks: PlotMarks, boxes: Sequence[Rect]) -> None:
    """Of what is over bars, keep the lines alone that have all their vertices in the middle of bars or groups."""
    middles = {*group_middles(marks.bars), *(box.x for box in boxes)}
    lines, marks.lines = marks.lines, []
    for line in lines:
        if all(min(abs(x - middle) for middle in middles) <= SETTINGS.same_c for x, _ in line.points):
            marks.lines.append(line)
        else:
            marks.lose("annotation", len(line.points), around(line.points))
    for group in (group for group in marks.scatter if len(group) > 2):
        marks.lose("loose_markers", len(group), marks.plot.frame)
    marks.scatter = []


def _areas(shapes: Sequence[Shape], plot: Plot) -> Iterator[LostMarks]:
    """Filled areas that span a part of the plot and are no boxes: which of their edges counts is not drawn."""
    frame, axis = plot.frame.grown(SETTINGS.meets), plot.axis
    for shape in shapes:
        box = Rect(*shape.box)
        is_filled = shape.fill and shape.kind == "curve" and not is_white(shape.fill_colour) and len(shape.points) > 4
        if not is_filled or not frame.holds_box(box) or is_box(shape):
            continue
        if box.width >= SETTINGS.least_area * plot.frame.width:
            yield LostMarks("filled_area", len({round(x) for x, _ in shape.points}), box)
        elif axis.scale == "linear" and box.height > SETTINGS.marker:
            zero = axis.position(0)
            if min(abs(box.top - zero), abs(box.bottom - zero)) <= SETTINGS.same:
                yield LostMarks("no_box", 1, box)


def _refusals(marks: PlotMarks, tokens: Sequence[NumberToken]) -> Iterator[RefusedChart]:
    """One refusal per rule for what a plot loses, with the box around it."""
    by_rule: defaultdict[str, list[LostMarks]] = defaultdict(list)
    for item in marks.lost:
        by_rule[item.rule].append(item)
    axes = tuple(axis.across(tokens, 1) for axis in (marks.plot.axis, marks.plot.cross) if axis)
    for rule, items in by_rule.items():
        count = sum(item.marks for item in items)
        box = page_box(around_boxes(item.box for item in items), marks.is_turned)
        yield RefusedChart(rule, _REASONS[rule].format(count), box, count, axes)


def _one_each(readings: Sequence[PlotMarks]) -> list[PlotMarks]:
    """One reading of each plot, the weightiest; two scales of one direction that differ make it ambiguous."""
    kept: list[PlotMarks] = []
    for marks in sorted(readings, key=lambda m: (m.count == 0, -m.weight, not m.plot.axis.is_snapped)):
        rival = next((k for k in kept if _is_one_plot(k, marks)), None)
        if rival is None:
            kept.append(marks)
        elif marks.is_turned == rival.is_turned and _is_second_scale(rival.plot.axis, marks.plot.axis) and rival.count:
            rival.lose("ambiguous_axis", rival.count, rival.plot.frame)
            rival.bars, rival.lines, rival.scatter = [], [], []
    return kept


def _is_one_plot(left: PlotMarks, right: PlotMarks) -> bool:
    if left.is_turned == right.is_turned and (left.plot.is_within(right.plot) or right.plot.is_within(left.plot)):
        return False
    return left.box.share(right.box) > SETTINGS.same_plot


def _is_second_scale(one: Axis, other: Axis) -> bool:
    """True for two snapped scales of one direction that give one position different values."""
    low, high = one.span
    reach = abs(one.value(high) - one.value(low))
    differ = any(abs(one.value(y) - other.value(y)) > 0.01 * reach for y in (low, high))
    return one.is_snapped and other.is_snapped and differ


def _without_scale(sheets: Sequence[Sheet], plots: Sequence[Rect]) -> Iterator[RefusedChart]:
    """Curves in a clipping box or over a grid, and bars on a stroke, that are in no plot with an axis."""

    def is_free(box: Rect) -> bool:
        return not any(plot.holds((box.x, box.y)) for plot in plots)

    rows = dict(row for turns, sheet in enumerate(sheets) for row in _standing_bars(sheet, bool(turns), plots))
    grids: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for s in sheets[0].levels:
        if s.length > SETTINGS.least_grid:
            grids[round(s.start), round(s.end)].append(s.at)
    grid = {Rect(x0, min(ys), x1, max(ys)) for (x0, x1), ys in grids.items() if len({round(y) for y in ys}) > 1}
    free = [s for s in sheets[0].shapes if s.stroke and not s.fill and _is_curve(s) and is_free(Rect(*s.box))]
    refused: list[Rect] = []
    for box in sorted(sheets[0].frames.clips | grid | rows.keys(), key=lambda b: b.width * b.height):
        if any(box.share(other) > SETTINGS.same_plot for other in refused):
            continue
        near = box.grown(1)
        curves = [s for s in free if near.holds_box(s.box) and (box in grid or s.clip == box)]
        marks = sum(len(s.points) for s in curves) + sum(count for row, count in rows.items() if near.holds_box(row))
        if marks:
            refused.append(box)
            reason = f"{marks} bars or vertices of lines are in a plot whose axis cannot be read"
            yield RefusedChart("no_axis", reason, box, marks)


def _is_curve(shape: Shape) -> bool:
    """True for an open polyline that runs to one side and bends."""
    xs = [x for x, _ in shape.points]
    return len(xs) > 2 and xs in (sorted(xs), sorted(xs, reverse=True)) and len({*xs}) == len(xs)


def _standing_bars(sheet: Sheet, is_turned: bool, plots: Sequence[Rect]) -> Iterator[tuple[Rect, int]]:
    """Rows of bars in a clipping box or on a stroke that are in no plot: around them, and how many they are."""
    rows: defaultdict[tuple[Box | None, float, int], set[Rect]] = defaultdict(set)
    for shape in sheet.shapes:
        box = shown(shape) if shape.fill and not is_white(shape.fill_colour) else None
        is_bar = shape.kind == "rect" or is_box(shape)
        if box is None or min(box.width, box.height) <= SETTINGS.min_breadth or not is_bar:
            continue
        seen = page_box(box, is_turned)
        if not any(plot.holds((seen.x, seen.y)) for plot in plots):
            for foot in (box.top, box.bottom):
                rows[shape.clip, round(foot), round(box.width)].add(Rect(*(round(edge, 1) for edge in box)))
    for (clip, foot, width), boxes in rows.items() if len(rows) <= SETTINGS.max_boxes else ():
        page = sheet.bounds.width * sheet.bounds.height
        is_clip = clip is not None and Rect(*clip).width * Rect(*clip).height < SETTINGS.grid * page
        bases = {(round(s.start), round(s.end)) for s in sheet.levels if abs(s.at - foot) <= 1}
        for x0, x1 in {(round(clip[0]), round(clip[2]))} if clip and is_clip else bases:
            row = [box for box in boxes if x0 - 1 <= box.x0 and box.x1 <= x1 + 1]
            # Cards are in a row, too, but all are of one height.
            if len({round(box.height) for box in row}) < 3:
                continue
            # Boxes on a line are decoration; ticks or gridlines, which are no edges of theirs, make it a chart.
            around_row = around_boxes(row)
            near = Rect(x0, around_row.top, x1, around_row.bottom).grown(1)
            others = {
                round(s.at) for s in sheet.levels
                if abs(s.length - width) > 1 and near.meets((s.start, s.at, s.end, s.at))
            }  # fmt: skip
            if is_clip or len(others) > 1:
                piled = {box for of_row in rows.values() for box in of_row if near.x0 <= box.x <= near.x1}
                yield page_box(around_row, is_turned), len(piled | {*row})


class _Naming:
    """One plot with everything that is printed about its marks, as `chart`; what is left out is lost."""

    def __init__(
        self, marks: PlotMarks, sheets: Sequence[Sheet], others: Sequence[PlotMarks], numbers: Collection[int],
        ticks: Collection[int],
    ) -> None:  # fmt: skip
        self.marks, self.plot = marks, marks.plot
        self.sheet, self.upright = sheets[marks.is_turned], sheets[0]
        factor, factor_at = multiplier_of(self.plot.axis, [t for t in self.sheet.tokens if t.number not in ticks])
        self.axis, self.cross = self.plot.axis.multiplied(factor), self.plot.cross
        self.used = {id(word) for token in factor_at for word in token.words}
        for axis in (self.axis, *(other.plot.axis for other in others if other.is_turned == marks.is_turned)):
            labels = [self.sheet.tokens[tick.label.number] for tick in axis.ticks]
            self.used |= {id(word) for label in labels for word in label.words}
        self.entries = self._legend(others, numbers)
        _drop_signs(marks, self.entries)
        title = axis_title(self.axis, self._free())
        self.used |= {id(word) for word in title}
        # A share may be announced in the title alone: `Accuracy (%)`.
        self.unit = self.axis.unit or ("%" if any("%" in word.text for word in title) else "")
        # The plot down to its lowest tick or bar: without a frame around it, it is taken to reach a step further.
        bottom = max([self.axis.span[1], *(bar.box.bottom for bar in marks.bars)])
        self.ground = self.plot.frame._replace(bottom=min(self.plot.frame.bottom, bottom))
        found = [*self._bars(), *self._points()]
        span = sorted((self.axis.value(self.plot.frame.top), self.axis.value(self.plot.frame.bottom)))
        beyond = [mark for mark in found if not _is_between(mark, span)]
        unplaced = _unplaced(found) if self.cross is None else []
        marks.lost += [LostMarks("no_place", 1, Rect(*mark.box)) for mark in unplaced]
        marks.lost += [LostMarks("beyond_axis", 1, Rect(*mark.box)) for mark in beyond]
        kept = (mark for mark in found if mark not in unplaced and mark not in beyond)
        tokens = self.upright.tokens
        self.chart = Chart(
            self.axis.across(tokens, 1), marks.box,
            tuple(replace(mark, box=page_box(mark.box, marks.is_turned)) for mark in kept),
            self.sheet.words_of(title), self.cross and self.cross.across(tokens, 1), factor,
        )  # fmt: skip

    def _free(self, used: Collection[int] = ()) -> list[Word]:
        """The words that are nothing else; on the turned page those that the page prints level."""
        free = [w for w in self.sheet.words if id(w) not in self.used and id(w) not in used]
        return [w for w in free if w.angle == 90] if self.marks.is_turned else free

    def _legend(self, others: Sequence[PlotMarks], numbers: Collection[int]) -> list[LegendEntry]:
        """The entries of the legend; their words and signs are those of the page."""
        marks = self.marks
        printed = {id(self.sheet.printed[word]) for word in self.used}
        signs = [(page_box(m.box, marks.is_turned), m.style._replace(marker=m.form)) for g in marks.scatter for m in g]
        data = [page_box(bar.box, marks.is_turned) for bar in marks.bars]
        entries = read_legend(self.upright, printed, data, marks.styles, signs, numbers)
        entries = own_entries(entries, marks.box, [other.box for other in others])
        names = {id(word) for entry in entries for word in entry.words}
        self.used |= {word for word, original in self.sheet.printed.items() if id(original) in names}
        return entries

    def _inner(self) -> list[NumberToken]:
        """The numbers in the plot or just beyond the ends of its bars that are nothing else."""
        frame, slack = self.plot.frame, 2.5 * self.axis.size * (3 if self.marks.is_turned else 1)
        room = frame._replace(top=frame.top - slack)
        return [t for t in free_tokens(self.sheet.tokens, self.used) if room.holds((t.box.x, t.box.y))]

    def _labels(self, middles: Sequence[float], used: Collection[int] = ()) -> Labels:
        """The category at each place, none of which is cut by the edge of the page: half a name is none."""
        blank = self.plot.frame.bottom - self.ground.bottom
        labels = category_labels(middles, self._free(used), self.ground, blank)
        return [None if label and any(_is_cut(word, self.sheet) for word in label[1]) else label for label in labels]

    def _bars(self) -> Iterator[DrawnMark]:
        axis = self.axis
        bars = sorted(self.marks.bars, key=lambda bar: (bar.box.x, axis.slope * bar.start))
        if not bars:
            return
        printed = values_at(bars, self._inner(), self.unit)
        taken = {id(word) for value in printed.values() for word in value.token.words}
        middles = group_middles(bars)
        labels = self._labels(middles, taken)
        if not any(labels):
            # With negative values the labels may be at the base line, within the plot.
            base = next(bar.start for bar in bars if not bar.is_stacked)
            labels = category_labels(middles, self._free(taken), self.plot.frame._replace(bottom=base))
        for index, bar in enumerate(bars):
            place = _nearest(bar.box.x, middles)
            start = bar.start if bar.is_stacked else None
            value = axis.value(bar.end) - (axis.value(start) if start is not None else 0.0)
            x_value = self.cross.value(middles[place]) if self.cross else None
            mark = DrawnMark("bar", bar.box, value, *axis.interval(bar.end, start), x_value=x_value)
            number = printed.get(index)
            yield replace(self._named(mark, entry_of(bar.style, self.entries), labels[place]),
                          printed=number and number._replace(token=self.upright.tokens[number.token.number]),
                          is_piece=bar.is_stacked)  # fmt: skip

    def _points(self) -> Iterator[DrawnMark]:
        points: list[tuple[MarkKind, float, float, float, LegendEntry | None]] = [
            ("line_point", x, y, line.width, entry_of(line.style, self.entries))
            for line in self.marks.lines for x, y in line.points
        ]  # fmt: skip
        # A stroke stands for a line.
        entries = [entry for entry in self.entries if not entry.is_stroke]
        for group in self.marks.scatter:
            for m in group:
                entry = entry_of(m.style._replace(marker=m.form), entries)
                points.append(("scatter_point", *m.place, m.box.width, entry))
        places: list[float] = []
        for x in sorted(x for _, x, *_ in points):
            if not places or x - places[-1] > SETTINGS.same_c:
                places.append(x)
        labels = self._tick_labels(places) if self.cross else self._labels(places)
        # A label between two points of one line names neither.
        for line in self.marks.lines:
            at = [_nearest(x, places) for x, _ in line.points]
            labels = [None if at.count(place) > 1 else label for place, label in enumerate(labels)]
        for kind, x, y, size, entry in points:
            half = max(size, 1.0) / 2
            x_value = self.cross.value(x) if self.cross else None
            box = Rect(x - half, y - half, x + half, y + half)
            mark = DrawnMark(kind, box, self.axis.value(y), *self.axis.interval(y), x_value=x_value)
            yield self._named(mark, entry, labels[_nearest(x, places)])

    def _tick_labels(self, places: Sequence[float]) -> Labels:
        """The label of the scale across at each place, None between its labels."""
        ticks = self.cross.ticks if self.cross else ()
        at = (next((t.label for t in ticks if abs(t.y - place) <= SETTINGS.same_c), None) for place in places)
        return [(label.text, label.words) if label else None for label in at]

    def _named(self, mark: DrawnMark, entry: LegendEntry | None, label: Label | None) -> DrawnMark:
        category, words = label or (None, ())
        mark = replace(mark, category=category, category_words=self.sheet.words_of(words))
        if entry is None or any(_is_cut(word, self.upright) for word in entry.words):
            return mark
        return replace(mark, series=entry.text, series_words=entry.words)


def _drop_signs(marks: PlotMarks, entries: Sequence[LegendEntry]) -> None:
    """Drop the markers that are signs of a legend; points with labels of their own are none."""
    named = [e for e in entries if not any(is_one_look(e.style, o.style) and o.text != e.text for o in entries)]
    if not are_signs(entries):
        return
    signs = [entry.sign.grown(0.5) for entry in named]
    shown_ones = [[m for m in group if not any(sign.holds(m.place) for sign in signs)] for group in marks.scatter]
    # A sign stands for other marks; a point with a name of its own may be the only one of its colour.
    of_lines = PlotMarks(marks.plot, marks.is_turned, marks.bars, marks.lines).styles
    styles = [*of_lines, *(m.style for group in shown_ones for m in group)]
    kept = [
        [m for m in group if m in others or not any(is_alike(m.style, style) for style in styles)]
        for group, others in zip(marks.scatter, shown_ones, strict=True)
    ]
    marks.scatter = [group for group in kept if group]


def _is_between(mark: DrawnMark, ends: Sequence[float]) -> bool:
    """True for a value between the ends of its axis, within its own precision; a piece of a bar fits in it."""
    if mark.is_piece:
        return mark.high - mark.low <= 2 * abs(mark.value) or abs(mark.value) <= ends[1] - ends[0]
    return mark.high >= ends[0] and mark.low <= ends[1]


def _unplaced(marks: Sequence[DrawnMark]) -> list[DrawnMark]:
    """The points without a label where others have numbers of a scale that could not be read, or none has a label."""
    points = [mark for mark in marks if mark.kind != "bar"]
    numbers = {mark.category for mark in points if mark.category and parse_label(mark.category)}
    free = [mark for mark in points if mark.category is None]
    return free if len(numbers) > 1 or len(free) == len(points) else []


def _is_cut(word: Word, sheet: Sheet) -> bool:
    """True for a word that the edge of the page cuts."""
    edge = 0.1 * word.size if word.angle == 0 else 0.0
    return not sheet.bounds._replace(x1=sheet.bounds.x1 - edge).holds_box(word.box)


def _nearest(middle: float, middles: Sequence[float]) -> int:
    return min(range(len(middles)), key=lambda index: abs(middles[index] - middle))
