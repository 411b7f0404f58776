"""What is printed around a plot: the category at each place, the value at each bar, the title of
the axis, the legend.

All of it is found by position alone, below a plot whose values grow upwards; series are found by
colour.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, pairwise, product
from typing import NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.chart import DrawnMark
from pipelines.extract.charts.geometry import (
    ALIGNED,
    LEGEND_LINE,
    MEETS,
    MOST,
    REACH,
    SAME,
    Rect,
    Style,
    around,
    is_alike,
    is_among,
    is_white,
    style_of,
)
from pipelines.extract.charts.labels import Label, parse_label, phrases
from pipelines.extract.charts.plots import Plot, Sheet
from pipelines.read.document import runs_of
from pipelines.read.page import Word

Labels = list[Label | None]

# Units of what compares two bars.
_RELATIVE = frozenset({"x", "X", "×", "%"})
# Bars whose gaps are greater than the least by this factor are in groups.
_CLOSER = 1.35
# In heights of their text: how far turned names, values and titles are from what they name, and the
# gap between two lines of a name.
_LYING_REACH, _VALUE_REACH, _TITLE_REACH = 8.0, 1.5, 3.5
_LINE_GAP = 0.34
# A sign of a legend is no larger than this; more signs with a word beside them are points with
# labels of their own.
_MAX_WIDTH, _MAX_HEIGHT, _LEAST_STROKE, _MAX_SIGNS = 48.0, 24.0, 9.0, 300
# A legend that serves several plots is at most so much farther from one of them.
_SHARED = 20.0


def group_middles(bars: Sequence[DrawnMark]) -> list[float]:
    """The middle of each group of bars across the axis: bars of several series at one category, or
    single bars.
    """
    ordered = sorted(bars, key=lambda bar: (bar.x, bar.is_stacked))
    columns = [c[0] for c in runs_of(ordered, lambda c, bar: bar.x - c[0].x <= SAME)]
    gaps = [right.box.x0 - left.box.x1 for left, right in pairwise(columns)]
    least, most = max(min(gaps, default=0.0), 0.0), max(gaps, default=0.0)
    if most <= _CLOSER * least + 0.5:
        return [bar.x for bar in columns]

    def goes_on(group: list[DrawnMark], bar: DrawnMark) -> bool:
        # A colour is in a group once.
        is_close = bar.box.x0 - group[-1].box.x1 <= (least + most) / 2
        return is_close and not any(is_alike(bar.style, other.style) for other in group)

    groups = runs_of(columns, goes_on)
    return [(group[0].box.x0 + group[-1].box.x1) / 2 for group in groups]


def category_labels(
    middles: Sequence[float], words: Sequence[Label], ground: Rect, blank: float = 0.0
) -> Labels:
    """The label at each place, None where there is none or it is not clear which one is.

    Args:
        middles: Middles of the places across the value axis, in order.
        words: Words that are nothing else.
        ground: The plot.
        blank: Points below `ground` that may still be plot.
    """
    if slanted := _slanted_labels(middles, words, ground):
        return slanted
    pitch = min((b - a for a, b in pairwise(middles)), default=ground.width)
    edges = [(a + b) / 2 for a, b in pairwise(middles)]
    ends = pairwise([middles[0] - pitch / 2, *edges, middles[-1] + pitch / 2])
    places = [
        _lines_below(words, middle, low, high, ground, blank)
        for middle, (low, high) in zip(middles, ends, strict=True)
    ]
    # Where there was no room for more, a line may be broken within a word (`MobileN`, `et`).
    widest = max((_width(row) for row in chain(*places)), default=0.0)
    labels: Labels = []
    for rows in places:
        is_broken = widest > MOST * pitch and _is_broken(rows, widest)
        labels.append(Label.of_name([*chain(*rows)]) if rows and not is_broken else None)
    present = [label.text for label in labels if label]
    # Where each name is at several places, it is half of one, of which a bracket has the other
    # half. Few labels are words of the title of the axis: a row of names has one for each place.
    is_halved = min(Counter(present).values(), default=1) > 1
    is_none = is_halved or len(present) <= MOST * len(labels)
    return [None] * len(labels) if is_none else labels


def _slanted_labels(middles: Sequence[float], words: Sequence[Label], ground: Rect) -> Labels:
    """As many slanted names as there are places, all as far from theirs; empty where there are
    others.
    """
    room = Rect(ground.x0, ground.bottom - 6, ground.x1 + REACH, ground.bottom + REACH)
    lines = phrases([word for word in words if word.angle % 90])
    names = map(Label.of_name, chain(*lines))
    row = sorted(
        (name for name in names if room.holds((name.box.x1, name.box.top))), key=lambda n: n.box.x
    )
    # Each has its middle at its place, or ends there.
    for share in (0.5, 1.0) if len(row) == len(middles) > 1 else ():
        offs = [
            name.box.x0 + share * name.box.width - middle
            for name, middle in zip(row, middles, strict=True)
        ]
        if max(offs) - min(offs) <= ALIGNED:
            return [*row]
    return []


def _width(row: Sequence[Label]) -> float:
    """How far a line of a level name reaches."""
    return row[-1].box.x1 - row[0].box.x0


def _is_broken(rows: Sequence[Sequence[Label]], widest: float) -> bool:
    """True for a name of which no further letter of a lower line would have fitted on the upper
    one.
    """
    for upper, (first, *_) in pairwise(rows):
        letter = first.box.width / len(first.text)
        is_within = (upper[-1].text[-1] + first.text[0]).isalnum()
        if is_within and _width(upper) + letter > widest - 1:
            return True
    return False


def _lines_below(
    words: Sequence[Label], middle: float, low: float, high: float, ground: Rect, blank: float
) -> list[list[Label]]:
    """The lines of the name below a place, nearest first: level ones, or upright ones.

    Upright lines are names beside lying bars on a mirrored page, or turned names.
    """
    slack, lowest = 0.2 * (high - low), ground.bottom + blank + REACH
    slot = [w for w in words if low <= w.box.x <= high and w.box.top >= ground.bottom - 6]
    level = [w for w in slot if w.angle == 0 and w.box.top >= ground.bottom - 3]
    label: list[list[Label]] = []
    for line in phrases([w for w in level if w.box.top <= lowest + 2 * REACH]):
        row = min(line, key=lambda phrase: abs(_box(phrase).x - middle))
        box, height = _box(row), row[0].height
        is_central = abs(box.x - middle) <= max(3.0, slack)
        is_within = is_central and box.x0 >= low - slack and box.x1 <= high + slack
        is_alike_high = not label or abs(height / label[0][0].height - 1) <= 0.15
        if not is_within or not is_alike_high or box.top > lowest:
            break
        label.append(row)
        # The next line of a name follows closely on this one.
        lowest = box.bottom + _LINE_GAP * height
    for angle in () if label else (90, 270):
        lines = phrases([w for w in slot if w.angle == angle])
        # Of each line what is nearest to the plot.
        rows = [min(line, key=lambda phrase: _box(phrase).top) for line in lines]
        top = ground.bottom + blank
        label = [r for r in rows if _box(r).top - top <= _LYING_REACH * r[0].height]
        if label:
            # The box of a text is not centred on its characters, by up to a third of its height.
            off = abs(_box([*chain(*label)]).x - middle)
            return label if off <= max(0.6 * label[0][0].height, 0.12 * (high - low)) else []
    return label


def _box(phrase: Sequence[Label]) -> Rect:
    """The box around the words of a phrase."""
    return around(word.box for word in phrase)


def values_at(
    bars: Sequence[DrawnMark], numbers: Sequence[Label], unit: str | None = None
) -> dict[int, Label]:
    """The printed number of each bar, by the bar's index; each number is of the bar whose end is
    nearest.

    Args:
        bars: Bars of one plot.
        numbers: Printed numbers that are neither ticks nor categories.
        unit: Unit printed at the ticks of the axis, empty where there is none; None without an
            axis.
    """
    offers: list[tuple[float, int, int]] = []
    for place, number in enumerate(numbers):
        read, box = parse_label(number.text), number.box
        # A factor or a share says nothing of an axis that counts something else: `2.6x` at 1,300
        # images per second.
        if read is None or (unit not in (None, read.unit) and read.unit in _RELATIVE):
            continue
        # What is printed in a piece of a stacked bar is of that one alone.
        within = [i for i, bar in enumerate(bars) if bar.is_stacked and bar.box.holds(box.middle)]
        for index in within or range(len(bars)):
            bar = bars[index]
            across, sign = abs(box.x - bar.x), 1 if bar.y >= bar.start else -1
            beyond = ((box.top if sign > 0 else box.bottom) - bar.y) * sign
            is_along = beyond <= _VALUE_REACH * number.height and (box.y - bar.start) * sign >= 0
            breadth = max(MEETS, 0.5 * min(bar.box.width, number.height) + 1)
            if is_along and across <= breadth:
                offers.append((abs(box.y - bar.y) + 0.1 * across, index, place))
    found: dict[int, Label] = {}
    for _, index, place in sorted(offers):
        if index not in found and numbers[place] not in found.values():
            found[index] = numbers[place]
    return found


def axis_title(axis: Axis, words: Sequence[Label]) -> Label | None:
    """The words along an axis, on the other side of its labels than the plot, in the order of
    reading.
    """
    (low, high), (first, _), size = axis.span, axis.label_edges, axis.size
    found: list[Label] = []
    for phrase in chain(*phrases([word for word in words if word.angle in (90, 270)])):
        title = Label.of_name(phrase)
        is_near_axis = -0.4 * size <= first - title.box.x1 <= _TITLE_REACH * size
        is_central = abs(title.box.y - (low + high) / 2) <= 0.3 * (high - low)
        # Numbers alone are ticks of another axis.
        if is_near_axis and is_central and any(map(str.isalpha, title.text)):
            found.append(title)
    return max(found, key=lambda title: title.box.x1, default=None)


class LegendEntry(NamedTuple):
    """One entry of a legend: how its sign is painted, where it is, the text beside it, and False
    where the lines of that are not known.
    """

    style: Style
    sign: Rect
    label: Label
    is_whole: bool = True


def read_legend(
    sheet: Sheet, plot: Plot, others: Sequence[Rect], used: Collection[Word]
) -> Iterator[LegendEntry]:
    """Every sign painted as something in a plot, with a text beside it, that is not much nearer to
    another plot.

    Args:
        sheet: The page, not mirrored.
        plot: The plot.
        others: The boxes of the other plots on the page.
        used: Words that are something else.
    """
    words = [word for word in sheet.free(used) if word.angle == 0]
    lines = list(map(Label.of_name, chain(*phrases(words, overlap=0.2))))
    beside = [
        LegendEntry(style, box, text)
        for (box, style), text in product(_signs(sheet, plot), lines)
        if text.is_beside(box)
    ]
    # A number is a value printed at a mark, but in a column of signs of several colours.
    beside = [e for e in beside if parse_label(e.label.text) is None or _is_batch(e, beside, plot)]
    if len(beside) > _MAX_SIGNS:
        return
    # Most producers print the text to the right of the sign; gnuplot prints it to the left.
    right = _nearest([entry for entry in beside if entry.label.box.x > entry.sign.x])
    left = _nearest([entry for entry in beside if entry.label.box.x <= entry.sign.x])
    entries = max(right, left, key=lambda side: len({entry.label.text for entry in side}))
    reach = max(LEGEND_LINE, 0.5 * min(plot.box.width, plot.box.height))
    drawn = [Rect(*shape.box) for shape in sheet.shapes]
    places = [mark.place for mark in plot.marks]
    signs = [box for box in drawn if box.width <= _MAX_WIDTH and box.height <= _MAX_HEIGHT]
    for entry in entries:
        away = plot.box.distance(entry.sign.middle)
        nearest = min((other.distance(entry.sign.middle) for other in others), default=math.inf)
        # What is in one of several plots is of that one alone.
        if away == 0 or (nearest > 0 and away <= min(reach, nearest + _SHARED)):
            # A number beside a point may say something else of it.
            place = plot.sheet.box_here(entry.sign).middle
            is_value = parse_label(entry.label.text) and is_among(place, places, SAME)
            yield entry._replace(is_whole=False) if is_value else _in_lines(entry, lines, signs)


def _in_lines(entry: LegendEntry, lines: Sequence[Label], signs: Sequence[Rect]) -> LegendEntry:
    """The entry with all lines of its name, whose middle is at its sign; each line is of the sign
    that is nearest.
    """
    _, sign, label, _ = entry
    colour = label.words[0].colour
    column = [line for line in lines if line.is_below(label) and line.words[0].colour == colour]
    column = sorted([label, *column], key=lambda line: line.box.top)
    blocks = runs_of(
        column, lambda block, line: line.box.top - block[-1].box.bottom <= _LINE_GAP * line.height
    )
    others = [other.y for other in signs if other.x0 <= sign.x <= other.x1 and not other.cut(sign)]

    def is_own(line: Label) -> bool:
        return all(abs(line.box.y - sign.y) < abs(line.box.y - other) for other in others)

    own = [line for line in next(b for b in blocks if label in b) if is_own(line)]
    if own == [label]:
        return entry
    whole = Label.of_name(own or [label])
    # A title is not where the lines begin.
    is_even = any(len({round(line.box[edge]) for line in own}) == 1 for edge in (0, 2))
    is_name = is_even and abs(whole.box.y - sign.y) <= _LINE_GAP * label.height
    return entry._replace(label=whole if is_name else label, is_whole=is_name)


def _is_batch(entry: LegendEntry, entries: Sequence[LegendEntry], plot: Plot) -> bool:
    """True for a number beside one of several signs of a legend, such as `32`; it states no value
    of a mark.
    """
    others = (
        other
        for other in entries
        if other.label.is_below(entry.label)
        and abs(other.sign.x - entry.sign.x) <= SAME
        and not is_alike(other.style, entry.style)
    )
    return any(others) and not plot.states(entry.label)


def _nearest(entries: Sequence[LegendEntry]) -> list[LegendEntry]:
    """Of each sign its nearest text."""
    nearest = sorted(entries, key=lambda e: e.label.gap(e.sign), reverse=True)
    return list({entry.sign: entry for entry in nearest}.values())


def _signs(sheet: Sheet, plot: Plot) -> Iterator[tuple[Rect, Style]]:
    """The shapes small enough for a sign that are painted as something in a plot, with how they are
    painted; no bars.
    """
    bars = [plot.sheet.page_box(mark.box) for mark in plot.marks if mark.kind == "bar"]
    points = [plot.sheet.page_box(mark.box) for mark in plot.marks if mark.kind == "scatter_point"]
    styles = {mark.style for mark in plot.marks}
    for shape in sheet.shapes:
        box, style = Rect(*shape.box), style_of(shape)
        least = _LEAST_STROKE if shape.kind == "line" else 2
        is_small = least <= box.size <= _MAX_WIDTH and box.height <= _MAX_HEIGHT
        # White boxes are ground, as that of a legend or of a text.
        is_sign = is_small and not is_white(style.colour) and not is_among(box, bars, SAME)
        # Some markers of the plot may be signs, however small or white they are.
        is_sign = is_sign or is_among(box, points, SAME)
        if is_sign and any(is_alike(style, other) for other in styles):
            yield box, style


def drop_signs(plot: Plot, entries: Sequence[LegendEntry]) -> None:
    """Drop the markers of a plot that are signs of its legend; points with labels of their own are
    none.
    """
    signs = [plot.sheet.box_here(e.sign).grown(0.5) for e in entries if entry_of(e.style, entries)]
    at_signs = [
        mark
        for mark in plot.marks
        if mark.kind == "scatter_point" and any(sign.holds(mark.place) for sign in signs)
    ]
    # A sign stands for other marks; a point with a name of its own may be the only one of its
    # colour.
    styles = {mark.style for mark in plot.marks if mark not in at_signs}
    for mark in at_signs:
        if any(is_alike(mark.style, style) for style in styles):
            plot.marks.remove(mark)


def entry_of(style: Style, entries: Sequence[LegendEntry]) -> LegendEntry | None:
    """The entry of the series that is painted so; None where there is none, or several with other
    names.
    """
    alike = [entry for entry in entries if is_alike(entry.style, style)]
    return alike[0] if len({entry.label.text for entry in alike}) == 1 else None
