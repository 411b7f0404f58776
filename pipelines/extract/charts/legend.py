"""The legend of a chart: which colour stands for which series, as small painted signs with a text beside them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from pipelines.extract.charts.geometry import Rect, Style, is_alike, is_near, is_white, marker_form, style_of
from pipelines.extract.charts.labels import Label, parse_label
from pipelines.extract.charts.plots import Plot
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet
from pipelines.read.page import Shape, Word

# A sign of a legend is no larger than this; more signs with a word beside them are points with labels of their own.
_MAX_WIDTH, _MAX_HEIGHT, _LEAST_STROKE, _MAX_SIGNS, _MOST_SIGNS = 48.0, 24.0, 9.0, 300, 3000
# A legend that serves several plots is at most so much farther from one of them.
_SHARED = 20.0


class LegendEntry(NamedTuple):
    """One line of a legend: how its sign is painted, where the sign is, and the text beside it."""

    style: Style
    sign: Rect
    label: Label

    @property
    def text(self) -> str:
        """Name of the series."""
        return self.label.text

    @property
    def is_stroke(self) -> bool:
        """True for a straight stroke."""
        return min(self.sign.width, self.sign.height) <= SETTINGS.straight


Sign = tuple[Rect, Style]


def read_legend(
    sheet: Sheet, plot: Plot, others: Sequence[Rect], used: Collection[Word], numbers: Collection[Word]
) -> list[LegendEntry]:
    """Every sign painted as something in a plot, with a text beside it, that is not much nearer to another plot.

    Args:
        sheet: The page, not turned.
        plot: The plot.
        others: The boxes of the other plots on the page.
        used: Words that are something else.
        numbers: The words of numbers that name series.
    """
    words = [w for w in sheet.words if w.angle == 0 and not w.is_of(used)]
    signs = _signs(sheet.shapes, [plot.sheet.page_box(bar.box) for bar in plot.bars])
    signs = [s for s in signs if any(is_alike(s[1], style) for style in plot.styles)]
    # Some markers of the plot may be signs.
    markers = [(plot.sheet.page_box(m.box), m.style) for group in plot.scatter for m in group]
    signs += [m for m in markers if not any(is_near(m[0], s[0], 0.8) for s in signs)]
    signs = [sign for sign in signs if any(word.is_beside(sign[0], 1.0, -math.inf) for word in words)]
    if len(signs) > _MAX_SIGNS:
        return []
    # Most producers print the text to the right of the sign; gnuplot prints it to the left.
    right, left = (_entries(signs, words, numbers, to_right) for to_right in (True, False))
    entries = left if len({e.text for e in left}) > len({e.text for e in right}) else right
    reach = max(SETTINGS.legend_line, 0.5 * min(plot.box.width, plot.box.height))
    found = []
    for entry in entries:
        own = _distance(entry.sign, plot.box)
        nearest = min((_distance(entry.sign, other) for other in others), default=math.inf)
        # What is in one of several plots is of that one alone.
        if own == 0 or (nearest > 0 and own <= min(reach, nearest + _SHARED)):
            found.append(entry)
    return found


def _entries(
    signs: Sequence[Sign], words: Sequence[Label], numbers: Collection[Word], to_right: bool
) -> list[LegendEntry]:
    entries: list[LegendEntry] = []
    for box, style in signs:
        if text := _text_at(box, words, [other for other, _ in signs], to_right):
            label = Label.of_name(text)
            if parse_label(label.text) is None or all(word in numbers for word in label.words):
                entries.append(LegendEntry(style, box, label))
    # A text names the nearest sign, and no point in another colour that happens to be on its line.
    return [e for e in entries if not any(_is_nearer(o, e) and not is_alike(o.style, e.style) for o in entries)]


def _is_nearer(one: LegendEntry, other: LegendEntry) -> bool:
    """True for a sign that is nearer to the text of both than another one."""
    return one.label.words[0] == other.label.words[0] and one.label.gap(one.sign) < other.label.gap(other.sign) - 1


def legend_numbers(sheet: Sheet) -> set[Word]:
    """The words of numbers that name series: a column of signs of one size and several colours is beside them.

    `128`, `256` and `512` in a legend of batch sizes are equally far apart as ticks are.
    """
    signs = _signs(sheet.shapes, ())
    columns: defaultdict[tuple[float, ...], list[tuple[Label, Style]]] = defaultdict(list)
    for number in sheet.numbers if len(signs) <= _MOST_SIGNS else ():
        for sign, style in signs:
            if number.is_beside(sign, SETTINGS.sign_level):
                columns[round(sign.x0), round(sign.width), round(sign.height)].append((number, style))
    found: set[Word] = set()
    for column in columns.values():
        named, (first, style) = {id(number) for number, _ in column}, column[0]
        # Points at an axis are beside some of its labels, and those farther apart than lines of a text.
        in_line = [
            n
            for n in sheet.numbers
            if abs(n.height - first.height) <= 0.1
            and min(abs(n.box.x0 - first.box.x0), abs(n.box.x1 - first.box.x1)) <= 1
        ]
        rows = sorted({number.box.top for number, _ in column})
        is_close = all(b - a <= SETTINGS.sign_gap * first.height for a, b in pairwise(rows))
        is_other = any(not is_alike(style, other) for _, other in column)
        if is_close and is_other and named.issuperset(map(id, in_line)):
            found |= {word for number, _ in column for word in number.words}
    return found


def _signs(shapes: Sequence[Shape], data: Sequence[Rect]) -> list[Sign]:
    """The shapes small enough for a sign with how they are painted, without white ones and data."""
    found = []
    for shape in shapes:
        box = Rect(*shape.box)
        size = max(box.width, box.height)
        if box.width > _MAX_WIDTH or box.height > _MAX_HEIGHT or size < (_LEAST_STROKE if shape.kind == "line" else 2):
            continue
        style = style_of(shape)
        if size <= SETTINGS.marker and shape.kind != "line":
            style = style._replace(marker=marker_form(shape))
        is_painted = bool(style.pattern) or (style.colour is not None and not is_white(style.colour))
        if is_painted and not any(is_near(box, other, SETTINGS.same) for other in data):
            found.append((box, style))
    return found


def _text_at(sign: Rect, words: Sequence[Label], signs: Sequence[Rect], to_right: bool) -> list[Label]:
    """The words beside a sign, on its line, up to the next sign; in the order of reading."""
    row = [w for w in words if abs(w.box.y - sign.y) <= 0.65 * w.height]
    row = sorted(
        (w for w in row if (w.box.x - sign.x) * (1 if to_right else -1) > 0 and w.gap(sign) >= -1),
        key=lambda w: w.gap(sign),
    )
    others = [s for s in signs if s != sign and s.top <= sign.y + 3 and s.bottom >= sign.y - 3]
    text: list[Label] = []
    end = sign.x1 if to_right else sign.x0
    for word in row:
        low, high = (end, word.box.x0) if to_right else (word.box.x1, end)
        if high - low > (SETTINGS.name_gap if text else SETTINGS.sign_gap) * word.height:
            break
        if text and any(s.x0 >= low - 1 and s.x1 <= high + 1 for s in others):
            break
        text.append(word)
        end = word.box.x1 if to_right else word.box.x0
    return text if to_right else text[::-1]


def _distance(sign: Rect, plot: Rect) -> float:
    """How far a sign is from a plot, 0 within it."""
    return math.hypot(max(plot.x0 - sign.x, 0.0, sign.x - plot.x1), max(plot.top - sign.y, 0.0, sign.y - plot.bottom))


def drop_signs(plot: Plot, entries: Sequence[LegendEntry]) -> None:
    """Drop the markers of a plot that are signs of its legend; points with labels of their own are none."""
    pairs = [(e, o) for e in entries for o in entries if e.text != o.text]
    named = [e for e in entries if not any(e is one and _is_one_look(e.style, o.style) for one, o in pairs)]
    signs = [plot.sheet.box_here(entry.sign).grown(0.5) for entry in named]
    data = [[m for m in group if not any(sign.holds(m.place) for sign in signs)] for group in plot.scatter]
    # A sign stands for other marks; a point with a name of its own may be the only one of its colour.
    styles = [bar.style for bar in plot.bars] + [line.style for line in plot.lines]
    styles += [marker.style for group in data for marker in group]
    kept = [
        [m for m in group if m in points or not any(is_alike(m.style, style) for style in styles)]
        for group, points in zip(plot.scatter, data, strict=True)
    ]
    plot.scatter = [group for group in kept if group]


def _is_one_look(left: Style, right: Style) -> bool:
    """True for one colour or pattern, and one form of marker."""
    return is_alike(left, right) and _is_one_form(left.marker, right.marker)


def entry_of(style: Style, entries: Sequence[LegendEntry]) -> LegendEntry | None:
    """The entry of the series that is painted so; None where there is none, or several with other names."""
    alike = [entry for entry in entries if is_alike(entry.style, style)]
    # One colour under several names is told apart by the dashes of the line, and by its markers.
    for feature in ("dash", "marker"):
        if len({entry.text for entry in alike}) > 1:
            wanted = getattr(style, feature)
            same = {e.text for e in alike if _is_one_form(getattr(e.style, feature), wanted)}
            alike = [e for e in alike if e.text in same] if same else alike
    return alike[0] if len({entry.text for entry in alike}) == 1 else None


def _is_one_form(left: tuple[float, ...] | None, right: tuple[float, ...] | None) -> bool:
    if not left or not right:
        return not left and not right
    return len(left) == len(right) and all(abs(a - b) <= 0.15 * max(a, b) for a, b in zip(left, right, strict=True))
