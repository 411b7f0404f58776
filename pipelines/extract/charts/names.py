"""What is printed around a plot: the category at each place, the value at each bar, the title of
the axis, the legend.

All of it is found by position alone, below a plot whose values grow upwards; series are found by
colour.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.geometry import (
    Rect,
    Style,
    around,
    grouped,
    is_alike,
    is_near,
    is_white,
    style_of,
)
from pipelines.extract.charts.labels import Label, parse_label, phrases
from pipelines.extract.charts.plots import Plot, PlotMark, Sheet
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Shape, Word

# Units of what compares two bars.
_RELATIVE = frozenset({"x", "X", "×", "%"})
Labels = list[Label | None]


def group_middles(bars: Sequence[PlotMark]) -> list[float]:
    """The middle of each group of bars across the axis: bars of several series at one category, or
    single bars.
    """
    lowest = sorted(bars, key=lambda bar: (bar.box.x, bar.is_stacked))
    columns = [
        c[0] for c in grouped(lowest, lambda c, bar: bar.box.x - c[0].box.x <= SETTINGS.same, 1)
    ]
    gaps = [right.box.x0 - left.box.x1 for left, right in pairwise(columns)]
    least, most = max(min(gaps, default=0.0), 0.0), max(gaps, default=0.0)
    if most <= SETTINGS.closer * least + 0.5:
        return [bar.box.x for bar in columns]
    # A colour is in a group once.
    groups = grouped(
        columns,
        lambda group, bar: bar.box.x0 - group[-1].box.x1 <= (least + most) / 2
        and not any(is_alike(bar.style, other.style) for other in group), 1,
    )  # fmt: skip
    return [(group[0].box.x0 + group[-1].box.x1) / 2 for group in groups]


def category_labels(
    middles: Sequence[float], words: Sequence[Label], ground: Rect, blank: float = 0.0
) -> Labels:
    """The label at each place, None where there is none or it is not clear which one is.

    Args:
        middles: Middles of the places across the value axis, in order.
        words: Words that are nothing else, read to the right or upwards.
        ground: The plot.
        blank: Points below `ground` that may still be plot.
    """
    pitch = min((b - a for a, b in pairwise(middles)), default=ground.width)
    edges = [(a + b) / 2 for a, b in pairwise(middles)]
    ends = zip([middles[0] - pitch / 2, *edges], [*edges, middles[-1] + pitch / 2], strict=True)
    places = [
        _lines_below(words, middle, *slot, ground, blank)
        for middle, slot in zip(middles, ends, strict=True)
    ]
    # What begins further down than the labels beside it is text below the chart.
    tops = [rows[0][0] for rows in places if rows and rows[0][0].angle == 0]
    level = min((word.box.top + SETTINGS.label_rows * word.height for word in tops), default=0.0)
    places = [
        rows if rows and (rows[0][0].angle or rows[0][0].box.top <= level) else []
        for rows in places
    ]
    # Where there was no room for more, a line may be broken within a word (`MobileN`, `et`).
    widest = max((row[-1].box.x1 - row[0].box.x0 for row in chain(*places)), default=0.0)
    labels: Labels = []
    for rows in places:
        is_broken = widest > SETTINGS.most * pitch and any(
            (upper[-1].text[-1:] + lower[0].text[:1]).isalnum()
            # No further letter of the lower line would have fitted on the upper one.
            and upper[-1].box.x1 - upper[0].box.x0 + lower[0].box.width / len(lower[0].text)
            > widest - 1
            for upper, lower in pairwise(rows)
        )
        labels.append(Label.of_name([*chain(*rows)]) if rows and not is_broken else None)
    present = [label.text for label in labels if label]
    # Where each name is at several places, it is half of one, of which a bracket has the other
    # half. Few labels in a broad plot are the title of its axis, or it is not clear which bar each
    # is of.
    is_halved = min(Counter(present).values(), default=1) > 1
    return [None] * len(labels) if is_halved or len(present) < 0.4 * len(labels) else labels


def _lines_below(
    words: Sequence[Label], middle: float, low: float, high: float, ground: Rect, blank: float
) -> list[list[Label]]:
    """The lines of the name below a place, nearest first: level ones, or upright ones.

    Upright lines are names beside lying bars on a mirrored page, or turned names.
    """
    slack, reach = 0.2 * (high - low), ground.bottom + blank + SETTINGS.reach
    slot = [w for w in words if low <= w.box.x <= high and w.box.top >= ground.bottom - 6]
    level = [
        w
        for w in slot
        if w.angle == 0 and ground.bottom - 3 <= w.box.top <= reach + 2 * SETTINGS.reach
    ]
    label: list[list[Label]] = []
    for line in phrases(level):
        row, box = min(
            ((p, around([w.box for w in p])) for p in line),
            key=lambda pair: abs(pair[1].x - middle),
        )
        is_within = (
            box.x0 >= low - slack
            and box.x1 <= high + slack
            and abs(box.x - middle) <= max(3.0, slack)
        )
        gap = box.top - max(w.box.bottom for w in label[-1]) if label else 0.0
        is_next = gap <= SETTINGS.line_gap * row[0].height if label else box.top <= reach
        if (
            not is_within
            or not is_next
            or (label and abs(row[0].height / label[0][0].height - 1) > 0.15)
        ):
            break
        label.append(row)
    for angle in () if label else (90, 270):
        lines = phrases([w for w in slot if w.angle == angle])
        rows = [
            min(line, key=lambda phrase: phrase[0].box.top if angle == 270 else phrase[-1].box.top)
            for line in lines
        ]
        tops = [min(w.box.top for w in row) - ground.bottom - blank for row in rows]
        label = [
            row
            for row, top in zip(rows, tops, strict=True)
            if top <= SETTINGS.lying_reach * row[0].height
        ]
        if label:
            # The box of a text is not centred on its characters, by up to a third of its height.
            off = abs(around([word.box for word in chain(*label)]).x - middle)
            return label if off <= max(0.6 * label[0][0].height, 0.12 * (high - low)) else []
    return label


def values_at(
    bars: Sequence[PlotMark], numbers: Sequence[Label], unit: str | None = None
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
        read = parse_label(number.text)
        # A factor or a share says nothing of an axis that counts something else: `2.6x` at 1,300
        # images per second.
        if read is None or (unit is not None and read.unit in _RELATIVE and read.unit != unit):
            continue
        # What is printed in a piece of a stacked bar is of that one alone.
        within = [
            i
            for i, bar in enumerate(bars)
            if bar.is_stacked and bar.box.holds((number.box.x, number.box.y))
        ]
        for index in within or range(len(bars)):
            bar, box = bars[index], number.box
            across, sign = abs(box.x - bar.x), 1 if bar.y >= bar.start else -1
            beyond = ((box.top if sign > 0 else box.bottom) - bar.y) * sign
            is_along = (
                beyond <= SETTINGS.value_reach * number.height and (box.y - bar.start) * sign >= 0
            )
            if is_along and across <= max(
                SETTINGS.meets, 0.5 * min(bar.box.width, number.height) + 1
            ):
                offers.append((abs(box.y - bar.y) + 0.1 * across, index, place))
    found: dict[int, int] = {}
    for _, index, place in sorted(offers):
        if index not in found and place not in found.values():
            found[index] = place
    return {index: numbers[place] for index, place in found.items()}


def axis_title(axis: Axis, words: Sequence[Label]) -> Label | None:
    """The words along an axis, on the other side of its labels than the plot, in the order of
    reading.
    """
    (low, high), (first, _) = axis.span, axis.label_edges
    found: list[tuple[float, Label]] = []
    for angle in (90, 270):
        for phrase in chain(*phrases([word for word in words if word.angle == angle])):
            title = Label.of_name(phrase)
            gap = first - title.box.x1
            # Numbers alone are ticks of another axis.
            is_name = any(map(str.isalpha, title.text))
            is_central = abs(title.box.y - (low + high) / 2) <= 0.3 * (high - low)
            if (
                is_name
                and is_central
                and -0.4 * axis.size <= gap <= SETTINGS.title_reach * axis.size
            ):
                found.append((gap, title))
    return min(found, key=lambda pair: pair[0], default=(0.0, None))[1]


# A sign of a legend is no larger than this; more signs with a word beside them are points with
# labels of their own.
_MAX_WIDTH, _MAX_HEIGHT, _LEAST_STROKE, _MAX_SIGNS = 48.0, 24.0, 9.0, 300
# A legend that serves several plots is at most so much farther from one of them.
_SHARED = 20.0


class LegendEntry(NamedTuple):
    """One line of a legend: how its sign is painted, where it is, the text beside it, and how far
    that is.
    """

    style: Style
    sign: Rect
    label: Label
    gap: float


def read_legend(
    sheet: Sheet, plot: Plot, others: Sequence[Rect], used: Collection[Word]
) -> list[LegendEntry]:
    """Every sign painted as something in a plot, with a text beside it, that is not much nearer to
    another plot.

    Args:
        sheet: The page, not mirrored.
        plot: The plot.
        others: The boxes of the other plots on the page.
        used: Words that are something else.
    """
    words = [w for w in sheet.words if w.angle == 0 and not w.is_of(used)]
    texts = [Label.of_name(phrase) for phrase in chain(*phrases(words, overlap=0.2))]
    # A number is a value printed at a mark.
    texts = [text for text in texts if parse_label(text.text) is None]
    signs = _signs(
        sheet.shapes, [plot.sheet.page_box(mark.box) for mark in plot.marks if mark.kind == "bar"]
    )
    signs = [s for s in signs if any(is_alike(s[1], mark.style) for mark in plot.marks)]
    # Some markers of the plot may be signs.
    markers = [
        (plot.sheet.page_box(m.box), m.style) for m in plot.marks if m.kind == "scatter_point"
    ]
    signs += [m for m in markers if not any(is_near(m[0], s[0], 0.8) for s in signs)]
    beside = [
        LegendEntry(style, box, t, t.gap(box))
        for box, style in signs
        for t in texts
        if t.is_beside(box)
    ]
    if len(beside) > _MAX_SIGNS:
        return []
    # Most producers print the text to the right of the sign; gnuplot prints it to the left.
    sides = (
        [e for e in beside if (e.label.box.x > e.sign.x) is to_right] for to_right in (True, False)
    )
    entries = max(map(_nearest, sides), key=lambda side: len({entry.label.text for entry in side}))
    reach = max(SETTINGS.legend_line, 0.5 * min(plot.box.width, plot.box.height))

    def is_own(sign: Rect) -> bool:
        own = plot.box.distance((sign.x, sign.y))
        nearest = min((other.distance((sign.x, sign.y)) for other in others), default=math.inf)
        # What is in one of several plots is of that one alone.
        return own == 0 or (nearest > 0 and own <= min(reach, nearest + _SHARED))

    return [entry for entry in entries if is_own(entry.sign)]


def _nearest(entries: Sequence[LegendEntry]) -> list[LegendEntry]:
    """Of each sign its nearest text, without a text that is nearer to a sign in another colour."""
    own = {entry.sign: entry for entry in sorted(entries, key=lambda entry: -entry.gap)}
    return [
        entry for entry in own.values()
        if not any(
            o.label is entry.label and o.gap < entry.gap - 1 and not is_alike(o.style, entry.style)
            for o in own.values()
        )
    ]  # fmt: skip


def _signs(shapes: Sequence[Shape], data: Sequence[Rect]) -> list[tuple[Rect, Style]]:
    """The shapes small enough for a sign with how they are painted, without white ones and data."""
    found = []
    for shape in shapes:
        box = Rect(*shape.box)
        size = max(box.width, box.height)
        if (
            box.width > _MAX_WIDTH
            or box.height > _MAX_HEIGHT
            or size < (_LEAST_STROKE if shape.kind == "line" else 2)
        ):
            continue
        style = style_of(shape)
        is_painted = bool(style.pattern) or (
            style.colour is not None and not is_white(style.colour)
        )
        if is_painted and not any(is_near(box, other, SETTINGS.same) for other in data):
            found.append((box, style))
    return found


def drop_signs(plot: Plot, entries: Sequence[LegendEntry]) -> None:
    """Drop the markers of a plot that are signs of its legend; points with labels of their own are
    none.
    """
    signs = [plot.sheet.box_here(e.sign).grown(0.5) for e in entries if entry_of(e.style, entries)]
    at_signs = [
        m
        for m in plot.marks
        if m.kind == "scatter_point" and any(sign.holds((m.x, m.y)) for sign in signs)
    ]
    # A sign stands for other marks; a point with a name of its own may be the only one of its
    # colour.
    data = [m for m in plot.marks if m not in at_signs]
    plot.marks = [
        m for m in plot.marks if m in data or not any(is_alike(m.style, o.style) for o in data)
    ]


def entry_of(style: Style, entries: Sequence[LegendEntry]) -> LegendEntry | None:
    """The entry of the series that is painted so; None where there is none, or several with other
    names.
    """
    alike = [entry for entry in entries if is_alike(entry.style, style)]
    return alike[0] if len({entry.label.text for entry in alike}) == 1 else None
