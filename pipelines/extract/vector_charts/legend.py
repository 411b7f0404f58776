"""The legend of a chart: which colour stands for which series, as small painted signs with a text to their right."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.extract.vector_charts.categories import printed_name
from pipelines.extract.vector_charts.geometry import (
    Style,
    is_alike,
    is_near,
    is_white,
    marker_form,
    style_of,
)
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import Token, parse_label
from pipelines.read.page import Box, Page, Shape, Word

# A sign of a legend is no larger than this.
_MAX_WIDTH_PT, _MAX_HEIGHT_PT = 48.0, 24.0
# A legend that serves several plots is at most so much farther from one of them.
_SHARED, _SHARED_PT = 3.0, 20.0
# More signs with a word beside them are points of the chart with labels of their own.
_MAX_SIGNS = 150
# A page with more shapes of their size has no legend whose signs could be told from them.
_MOST_SIGNS = 3000
# Signs that are printed as characters.
_GLYPHS = frozenset("■●▬◆▲▼□○◼⬤▪•")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a legend: how its sign is painted, its text, the words of it, and the place of the sign."""

    style: Style
    text: str
    words: tuple[Word, ...]
    sign: Box

    @property
    def is_stroke(self) -> bool:
        """True for a straight stroke."""
        return min(self.sign[2] - self.sign[0], self.sign[3] - self.sign[1]) <= SETTINGS.straight


def read_legend(
    page: Page, used: Collection[int], data: Sequence[Box], styles: Sequence[Style],
    markers: Sequence[tuple[Box, Style]], numbers: Collection[int],
) -> list[Entry]:  # fmt: skip
    """Every sign in one of the colours, or filled with one of the patterns, with a text beside it.

    Args:
        page: The page.
        used: Ids of words that are something else.
        data: Boxes of bars: they are no signs.
        styles: How what the chart shows is painted.
        markers: Markers of its plot, some of which may be signs: a cross is several strokes.
        numbers: Ids of the words of numbers that name series.
    """
    words = [w for w in page.words if w.angle == 0 and id(w) not in used]
    signs = [(shape.box, style) for shape in page.shapes if (style := _sign_style(shape, data))]
    signs += [(w.box, Style(w.colour)) for w in words if w.text in _GLYPHS and w.colour is not None]
    looks = {style._replace(dash=(), marker=None) for style in styles}
    signs = [sign for sign in signs if any(is_alike(sign[1], look) for look in looks)]
    words = [w for w in words if w.text not in _GLYPHS]
    signs = [sign for sign in signs if any(_is_beside(sign[0], word) for word in words)]
    beside = [marker for marker in markers if any(_is_beside(marker[0], word) for word in words)]
    if len(signs) + len(beside) > 2 * _MAX_SIGNS:
        return []
    signs += [m for m in beside if not any(is_near(m[0], box, SETTINGS.same) for box, _ in signs)]
    boxes = [box for box, _ in signs]
    # Most producers print the text to the right of the sign; gnuplot prints it to the left.
    right = _aligned(_entries(signs, words, boxes, numbers, to_right=True))
    left = _aligned(_entries(signs, words, boxes, numbers, to_right=False))
    return left if len({e.text for e in left}) > len({e.text for e in right}) else right


def in_legend(shapes: Sequence[Shape], tokens: Sequence[Token]) -> set[int]:
    """Ids of the words of numbers that name series: a column of signs of one size and several colours is beside them.

    `128`, `256` and `512` in a legend of batch sizes are equally far apart as ticks are.
    """
    signs = [(shape.box, style) for shape in shapes if (style := _sign_style(shape, ()))]
    if len(signs) > _MOST_SIGNS:
        return set()
    columns: defaultdict[tuple[float, ...], list[tuple[Token, Style]]] = defaultdict(list)
    for token in tokens:
        x0, top, x1, bottom = token.box
        for sign, style in signs:
            is_level = abs(top + bottom - sign[1] - sign[3]) / 2 <= SETTINGS.sign_level * (bottom - top)
            if is_level and -1 <= max(x0 - sign[2], sign[0] - x1) <= SETTINGS.sign_gap * (bottom - top):
                width, height = sign[2] - sign[0], sign[3] - sign[1]
                columns[round(sign[0]), round(width), round(height)].append((token, style))
    found: set[int] = set()
    for column in columns.values():
        named, (first, style) = {id(token) for token, _ in column}, column[0]
        # Points at an axis stand beside some of its labels, and those farther apart than lines of a text.
        ends = [t for t in tokens if abs(t.size - first.size) <= 0.1 and _is_aligned(t.box, first.box)]
        rows = sorted({token.box[1] for token, _ in column})
        is_close = all(b - a <= SETTINGS.legend_row * (first.box[3] - first.box[1]) for a, b in pairwise(rows))
        is_other = any(not is_alike(style, other) for token, other in column if token is not first)
        if is_close and is_other and named.issuperset(map(id, ends)):
            found |= {id(word) for token, _ in column for word in token.words}
    return found


def _is_aligned(one: Box, other: Box) -> bool:
    return min(abs(one[0] - other[0]), abs(one[2] - other[2])) <= 1


def _entries(
    signs: Sequence[tuple[Box, Style]], words: Sequence[Word], boxes: Sequence[Box], numbers: Collection[int],
    to_right: bool,
) -> list[Entry]:  # fmt: skip
    entries: list[Entry] = []
    for box, style in signs:
        text = _text_at(box, words, boxes, to_right)
        is_name = parse_label(" ".join(w.text for w in text)) is None or all(id(w) in numbers for w in text)
        if text and is_name:
            entries.append(Entry(style, printed_name(text), tuple(text), box))
    return entries


def _is_beside(sign: Box, word: Word) -> bool:
    height = word.bottom - word.top
    on_line = abs((word.top + word.bottom) - (sign[1] + sign[3])) / 2 <= height
    return on_line and max(word.x0 - sign[2], sign[0] - word.x1) <= SETTINGS.sign_gap * height


def _sign_style(shape: Shape, data: Sequence[Box]) -> Style | None:
    """How a shape is painted that is small enough for a sign; None for all others, for white ones and for data."""
    width, height = shape.x1 - shape.x0, shape.bottom - shape.top
    if width > _MAX_WIDTH_PT or height > _MAX_HEIGHT_PT or (width < 2 and height < 2):
        return None
    if shape.kind == "line" and max(width, height) < SETTINGS.sign_stroke:
        return None
    if any(is_near(shape.box, box, SETTINGS.same) for box in data):
        return None
    style = style_of(shape)
    if max(width, height) <= SETTINGS.marker and shape.kind != "line":
        style = style._replace(marker=marker_form(shape))
    if style.pattern or (style.colour is not None and not is_white(style.colour)):
        return style
    # A white sign with an outline stands for a white bar, or for a line in the colour of the outline.
    return style if shape.stroke and is_white(style.colour) else None


def _text_at(sign: Box, words: Sequence[Word], signs: Sequence[Box], to_right: bool) -> list[Word]:
    """The words beside a sign, on its line, up to the next sign; in the order of reading."""
    middle = (sign[1] + sign[3]) / 2
    row = [w for w in words if abs((w.top + w.bottom) / 2 - middle) <= 0.65 * (w.bottom - w.top)]
    row = [w for w in row if (w.x0 >= sign[2] - 1 if to_right else w.x1 <= sign[0] + 1)]
    row.sort(key=lambda w: w.x0 if to_right else -w.x1)
    text: list[Word] = []
    end = sign[2] if to_right else sign[0]
    others = [s for s in signs if s != sign and s[1] <= middle + 3 and s[3] >= middle - 3]
    for word in row:
        gap = word.x0 - end if to_right else end - word.x1
        if gap > (SETTINGS.entry_gap if text else SETTINGS.sign_gap) * (word.bottom - word.top):
            break
        low, high = (end, word.x0) if to_right else (word.x1, end)
        if text and any(s[0] >= low - 1 and s[2] <= high + 1 for s in others):
            break
        text.append(word)
        end = word.x1 if to_right else word.x0
    return text if to_right else text[::-1]


def _aligned(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without points that lie beside a name and not in the column of the signs."""
    columns = {id(e): sum(abs(e.sign[0] - o.sign[0]) <= 0.6 for o in entries if o.text != e.text) for e in entries}
    best = {e.text: max(columns[id(o)] for o in entries if o.text == e.text) for e in entries}
    return [e for e in entries if columns[id(e)] == best[e.text]]


def _in_line(left: Entry, right: Entry) -> bool:
    same_column = min(abs(left.words[0].x0 - right.words[0].x0), abs(left.words[-1].x1 - right.words[-1].x1)) <= 1.5
    height = left.words[0].bottom - left.words[0].top
    same_row = abs(left.words[0].top - right.words[0].top) <= 1.5
    near = abs(left.words[0].top - right.words[0].top) <= 6 * height
    # Entries of a row follow each other; points that happen to be at one level stand apart.
    first, second = sorted((left, right), key=lambda entry: entry.sign[0])
    follows = min(second.sign[0] - first.words[-1].x1, second.words[0].x0 - first.sign[2]) <= 12 * height
    return (same_column and near) or (same_row and follows)


def own_entries(entries: Sequence[Entry], plot: Box, others: Sequence[Box]) -> list[Entry]:
    """The entries that may be a plot's own: those in it, and those near one that stand not much nearer to another."""
    found = []
    reach = max(SETTINGS.legend_line, 0.5 * min(plot[2] - plot[0], plot[3] - plot[1]))
    for entry in entries:
        own = _distance(entry.sign, plot)
        nearest = min((_distance(entry.sign, other) for other in others), default=math.inf)
        # One legend may serve several plots in a row; what stands in one of them is of that one alone.
        if own == 0 or (nearest > 0 and min(own, nearest) <= reach and own <= _SHARED * nearest + _SHARED_PT):
            found.append(entry)
    return found


def _distance(sign: Box, plot: Box) -> float:
    """How far a sign is from a plot, 0 within it."""
    x, y = (sign[0] + sign[2]) / 2, (sign[1] + sign[3]) / 2
    return math.hypot(max(plot[0] - x, 0.0, x - plot[2]), max(plot[1] - y, 0.0, y - plot[3]))


def are_signs(entries: Sequence[Entry]) -> bool:
    """False for signs of which no two stand in a column or a row: points with labels of their own."""
    texts = {entry.text for entry in entries}
    return len(texts) == 1 or any(_in_line(e, o) for e in entries for o in entries if e.text != o.text)


def is_one_look(left: Style, right: Style) -> bool:
    """True for one colour or pattern, and one form of marker."""
    return is_alike(left, right) and _is_one_look(left.marker, right.marker)


def series_of(style: Style, entries: Sequence[Entry]) -> str | None:
    """Name of the series that is painted so; None where no entry is, or several with other names are."""
    alike = [entry for entry in entries if is_alike(entry.style, style)]
    # One colour under several names is told apart by the dashes of the line, and by its markers.
    for feature in ("dash", "marker"):
        if len({entry.text for entry in alike}) > 1:
            wanted = getattr(style, feature)
            same = {e.text for e in alike if _is_one_look(getattr(e.style, feature), wanted)}
            others = {e.text for e in alike if e.style.marker is None or feature == "marker"}
            alike = [e for e in alike if e.text in same & others] if same & others else alike
    names = {entry.text for entry in alike}
    return names.pop() if len(names) == 1 else None


def _is_one_look(left: tuple[float, ...] | None, right: tuple[float, ...] | None) -> bool:
    if not left or not right:
        return not left and not right
    return len(left) == len(right) and all(abs(a - b) <= 0.15 * max(a, b) for a, b in zip(left, right, strict=True))
