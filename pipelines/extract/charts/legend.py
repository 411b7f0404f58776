"""The legend of a chart: which colour stands for which series, as small painted signs with a text beside them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.extract.charts.geometry import Rect, Style, is_alike, is_near, is_white, marker_form, style_of
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet
from pipelines.extract.charts.ticks import NumberToken, parse_label
from pipelines.read.page import Shape, Word

# A sign of a legend is no larger than this; more signs with a word beside them are points with labels of their own.
_MAX_WIDTH, _MAX_HEIGHT, _LEAST_STROKE, _MAX_SIGNS, _MOST_SIGNS = 48.0, 24.0, 9.0, 300, 3000
# A legend that serves several plots is at most so much farther from one of them.
_SHARED, _SHARED_PT = 3.0, 20.0
# Signs that are printed as characters.
_GLYPHS = frozenset("■●▬◆▲▼□○◼⬤▪•")
Sign = tuple[Rect, Style]


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of a legend: how its sign is painted, its text, the words of it, and the place of the sign."""

    style: Style
    text: str
    words: tuple[Word, ...]
    sign: Rect

    @property
    def is_stroke(self) -> bool:
        """True for a straight stroke."""
        return min(self.sign.width, self.sign.height) <= SETTINGS.straight


def read_legend(
    sheet: Sheet, used: Collection[int], data: Sequence[Rect], styles: Sequence[Style], markers: Sequence[Sign],
    numbers: Collection[int],
) -> list[LegendEntry]:  # fmt: skip
    """Every sign in one of the colours, or filled with one of the patterns, with a text beside it.

    Args:
        sheet: The page, not turned.
        used: Ids of words that are something else.
        data: Boxes of bars: they are no signs.
        styles: How what the chart shows is painted.
        markers: Markers of its plot, some of which may be signs.
        numbers: Ids of the words of numbers that name series.
    """
    words = [w for w in sheet.words if w.angle == 0 and id(w) not in used]
    signs = _signs(sheet.shapes, data) + [
        (Rect(*w.box), Style(w.colour)) for w in words if w.text in _GLYPHS and w.colour is not None
    ]
    words = [w for w in words if w.text not in _GLYPHS]
    signs = [s for s in signs if any(is_alike(s[1], style) for style in styles) and _has_text(s[0], words)]
    signs += [m for m in markers if _has_text(m[0], words) and not any(is_near(m[0], s[0], 0.8) for s in signs)]
    if len(signs) > _MAX_SIGNS:
        return []
    # Most producers print the text to the right of the sign; gnuplot prints it to the left.
    right, left = (_entries(signs, words, numbers, to_right) for to_right in (True, False))
    return left if len({e.text for e in left}) > len({e.text for e in right}) else right


def _entries(
    signs: Sequence[Sign], words: Sequence[Word], numbers: Collection[int], to_right: bool
) -> list[LegendEntry]:
    entries: list[LegendEntry] = []
    for box, style in signs:
        text = _text_at(box, words, [other for other, _ in signs], to_right)
        is_name = parse_label(" ".join(w.text for w in text)) is None or all(id(w) in numbers for w in text)
        if text and is_name:
            entries.append(LegendEntry(style, printed_name(text), tuple(text), box))
    return entries


def printed_name(words: Sequence[Word]) -> str:
    """Words as one name; some producers print each hyphen as a minus sign."""
    text = ""
    for before, word in zip((None, *words), words, strict=False):
        name = word.text.replace("−", "-")
        # A name may be broken before or after its hyphen: `EfficientNet`, `-B4`; `BERT-`, `Base`.
        is_wrapped = before is not None and name[0] == "-" and word.x0 < before.x1
        is_open = len(text) > 1 and text[-1] == "-" and text[-2].isalnum() and name[0].isalnum()
        text += name if before is None or is_wrapped or is_open else f" {name}"
    return text


def legend_numbers(sheet: Sheet) -> set[int]:
    """Ids of the words of numbers that name series: a column of signs of one size and several colours is beside them.

    `128`, `256` and `512` in a legend of batch sizes are equally far apart as ticks are.
    """
    signs = _signs(sheet.shapes, ())
    columns: defaultdict[tuple[float, ...], list[tuple[NumberToken, Style]]] = defaultdict(list)
    for token in sheet.tokens if len(signs) <= _MOST_SIGNS else ():
        for sign, style in signs:
            is_level = abs(token.box.y - sign.y) <= SETTINGS.sign_level * token.box.height
            gap = max(token.box.x0 - sign.x1, sign.x0 - token.box.x1)
            if is_level and -1 <= gap <= SETTINGS.sign_gap * token.box.height:
                columns[round(sign.x0), round(sign.width), round(sign.height)].append((token, style))
    found: set[int] = set()
    for column in columns.values():
        named, (first, style) = {token.number for token, _ in column}, column[0]
        # Points at an axis are beside some of its labels, and those farther apart than lines of a text.
        in_line = [t for t in sheet.tokens if abs(t.size - first.size) <= 0.1 and _is_aligned(t.box, first.box)]
        rows = sorted({token.box.top for token, _ in column})
        is_close = all(b - a <= SETTINGS.legend_row * first.box.height for a, b in pairwise(rows))
        is_other = any(not is_alike(style, other) for token, other in column if token is not first)
        if is_close and is_other and named.issuperset(t.number for t in in_line):
            found |= {id(word) for token, _ in column for word in token.words}
    return found


def _is_aligned(one: Rect, other: Rect) -> bool:
    return min(abs(one.x0 - other.x0), abs(one.x1 - other.x1)) <= 1


def _has_text(sign: Rect, words: Sequence[Word]) -> bool:
    return any(
        abs((w.top + w.bottom) / 2 - sign.y) <= w.bottom - w.top
        and max(w.x0 - sign.x1, sign.x0 - w.x1) <= SETTINGS.sign_gap * (w.bottom - w.top)
        for w in words
    )


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
        # A white sign with an outline stands for a white bar.
        is_painted = bool(style.pattern) or (style.colour is not None and not is_white(style.colour))
        is_painted = is_painted or (shape.stroke and is_white(style.colour))
        if is_painted and not any(is_near(box, other, SETTINGS.same) for other in data):
            found.append((box, style))
    return found


def _text_at(sign: Rect, words: Sequence[Word], signs: Sequence[Rect], to_right: bool) -> list[Word]:
    """The words beside a sign, on its line, up to the next sign; in the order of reading."""
    row = [w for w in words if abs((w.top + w.bottom) / 2 - sign.y) <= 0.65 * (w.bottom - w.top)]
    row = [w for w in row if (w.x0 >= sign.x1 - 1 if to_right else w.x1 <= sign.x0 + 1)]
    row.sort(key=lambda w: w.x0 if to_right else -w.x1)
    others = [s for s in signs if s != sign and s.top <= sign.y + 3 and s.bottom >= sign.y - 3]
    text: list[Word] = []
    end = sign.x1 if to_right else sign.x0
    for word in row:
        low, high = (end, word.x0) if to_right else (word.x1, end)
        if high - low > (SETTINGS.entry_gap if text else SETTINGS.sign_gap) * (word.bottom - word.top):
            break
        if text and any(s.x0 >= low - 1 and s.x1 <= high + 1 for s in others):
            break
        text.append(word)
        end = word.x1 if to_right else word.x0
    return text if to_right else text[::-1]


def own_entries(entries: Sequence[LegendEntry], plot: Rect, others: Sequence[Rect]) -> list[LegendEntry]:
    """The entries that may be a plot's own: those in it, and those near one that are not much nearer to another."""
    reach = max(SETTINGS.legend_line, 0.5 * min(plot.width, plot.height))
    found = []
    for entry in entries:
        own = _distance(entry.sign, plot)
        nearest = min((_distance(entry.sign, other) for other in others), default=math.inf)
        # One legend may serve several plots in a row; what is in one of them is of that one alone.
        if own == 0 or (nearest > 0 and min(own, nearest) <= reach and own <= _SHARED * nearest + _SHARED_PT):
            found.append(entry)
    return found


def _distance(sign: Rect, plot: Rect) -> float:
    """How far a sign is from a plot, 0 within it."""
    return math.hypot(max(plot.x0 - sign.x, 0.0, sign.x - plot.x1), max(plot.top - sign.y, 0.0, sign.y - plot.bottom))


def are_signs(entries: Sequence[LegendEntry]) -> bool:
    """False for signs of which no two are in a column or a row: points with labels of their own."""
    pairs = [(e, o) for e in entries for o in entries if e.text != o.text]
    return len({entry.text for entry in entries}) == 1 or any(_in_line(e, o) for e, o in pairs)


def _in_line(left: LegendEntry, right: LegendEntry) -> bool:
    one, other = left.words, right.words
    height, down = one[0].bottom - one[0].top, abs(one[0].top - other[0].top)
    same_column = min(abs(one[0].x0 - other[0].x0), abs(one[-1].x1 - other[-1].x1)) <= 1.5
    # Entries of a row follow each other; points that happen to be at one level are apart.
    first, second = sorted((left, right), key=lambda entry: entry.sign.x0)
    follows = min(second.sign.x0 - first.words[-1].x1, second.words[0].x0 - first.sign.x1) <= 12 * height
    return (same_column and down <= 6 * height) or (down <= 1.5 and follows)


def is_one_look(left: Style, right: Style) -> bool:
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
            same &= {e.text for e in alike if e.style.marker is None or feature == "marker"}
            alike = [e for e in alike if e.text in same] if same else alike
    return alike[0] if len({entry.text for entry in alike}) == 1 else None


def _is_one_form(left: tuple[float, ...] | None, right: tuple[float, ...] | None) -> bool:
    if not left or not right:
        return not left and not right
    return len(left) == len(right) and all(abs(a - b) <= 0.15 * max(a, b) for a, b in zip(left, right, strict=True))
