"""The legend of a chart: which colour stands for which series, as small painted signs with a text beside them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import chain
from typing import NamedTuple

from pipelines.extract.charts.chart import Plot
from pipelines.extract.charts.geometry import Rect, Style, is_alike, is_near, is_white, style_of
from pipelines.extract.charts.labels import Label, parse_label, phrases
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet
from pipelines.read.page import Shape, Word

# A sign of a legend is no larger than this; more signs with a word beside them are points with labels of their own.
_MAX_WIDTH, _MAX_HEIGHT, _LEAST_STROKE, _MAX_SIGNS = 48.0, 24.0, 9.0, 300
# A legend that serves several plots is at most so much farther from one of them.
_SHARED = 20.0


class LegendEntry(NamedTuple):
    """One line of a legend: how its sign is painted, where the sign is, and the text beside it."""

    style: Style
    sign: Rect
    label: Label

    @property
    def gap(self) -> float:
        """How far the text is from the sign."""
        return self.label.gap(self.sign)


def read_legend(sheet: Sheet, plot: Plot, others: Sequence[Rect], used: Collection[Word]) -> list[LegendEntry]:
    """Every sign painted as something in a plot, with a text beside it, that is not much nearer to another plot.

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
    signs = _signs(sheet.shapes, [plot.sheet.page_box(mark.box) for mark in plot.marks if mark.kind == "bar"])
    signs = [s for s in signs if any(is_alike(s[1], mark.style) for mark in plot.marks)]
    # Some markers of the plot may be signs.
    markers = [(plot.sheet.page_box(m.box), m.style) for m in plot.marks if m.kind == "scatter_point"]
    signs += [m for m in markers if not any(is_near(m[0], s[0], 0.8) for s in signs)]
    beside = [LegendEntry(style, box, t) for box, style in signs for t in texts if t.is_beside(box)]
    if len(beside) > _MAX_SIGNS:
        return []
    # Most producers print the text to the right of the sign; gnuplot prints it to the left.
    sides = ([e for e in beside if (e.label.box.x > e.sign.x) is to_right] for to_right in (True, False))
    entries = max(map(_nearest, sides), key=lambda side: len({entry.label.text for entry in side}))
    reach = max(SETTINGS.legend_line, 0.5 * min(plot.box.width, plot.box.height))

    def is_own(sign: Rect) -> bool:
        own = _distance(sign, plot.box)
        nearest = min((_distance(sign, other) for other in others), default=math.inf)
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
        if box.width > _MAX_WIDTH or box.height > _MAX_HEIGHT or size < (_LEAST_STROKE if shape.kind == "line" else 2):
            continue
        style = style_of(shape)
        is_painted = bool(style.pattern) or (style.colour is not None and not is_white(style.colour))
        if is_painted and not any(is_near(box, other, SETTINGS.same) for other in data):
            found.append((box, style))
    return found


def _distance(sign: Rect, plot: Rect) -> float:
    """How far a sign is from a plot, 0 within it."""
    return math.hypot(max(plot.x0 - sign.x, 0.0, sign.x - plot.x1), max(plot.top - sign.y, 0.0, sign.y - plot.bottom))


def drop_signs(plot: Plot, entries: Sequence[LegendEntry]) -> None:
    """Drop the markers of a plot that are signs of its legend; points with labels of their own are none."""
    signs = [plot.sheet.box_here(e.sign).grown(0.5) for e in entries if entry_of(e.style, entries)]
    at_signs = [m for m in plot.marks if m.kind == "scatter_point" and any(sign.holds((m.x, m.y)) for sign in signs)]
    # A sign stands for other marks; a point with a name of its own may be the only one of its colour.
    data = [m for m in plot.marks if m not in at_signs]
    plot.marks = [m for m in plot.marks if m in data or not any(is_alike(m.style, o.style) for o in data)]


def entry_of(style: Style, entries: Sequence[LegendEntry]) -> LegendEntry | None:
    """The entry of the series that is painted so; None where there is none, or several with other names."""
    alike = [entry for entry in entries if is_alike(entry.style, style)]
    return alike[0] if len({entry.label.text for entry in alike}) == 1 else None
