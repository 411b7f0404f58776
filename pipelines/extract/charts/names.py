"""What is printed around a plot: the category at each place, the value at each bar, the title of the axis.

All of it is found by position alone, below a plot whose values grow upwards (`sheet.py`). Series belong in `legend.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from pipelines.extract.charts.axis import Axis
from pipelines.extract.charts.chart import DrawnBar, PrintedNumber
from pipelines.extract.charts.geometry import Rect, Style, around_boxes, is_alike
from pipelines.extract.charts.legend import printed_name
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.ticks import NumberToken, end_of, height_of, level_of, parse_label, read_number, start_of
from pipelines.read.page import Word

# Units of what compares two bars.
_RELATIVE = frozenset({"x", "X", "×", "%"})

# A text and its words.
Label = tuple[str, tuple[Word, ...]]
Labels = list[Label | None]


def group_middles(bars: Sequence[DrawnBar]) -> list[float]:
    """The middle of each group of bars across the axis: bars of several series at one category, or single bars."""
    columns: list[tuple[Rect, Style]] = []
    for bar in sorted(bars, key=lambda bar: (bar.box.x, bar.is_stacked)):
        if not columns or bar.box.x - columns[-1][0].x > SETTINGS.same_column:
            columns.append((bar.box, bar.style))
    middles = [box.x for box, _ in columns]
    gaps = [right.x0 - left.x1 for (left, _), (right, _) in pairwise(columns)]
    least, most = max(min(gaps, default=0.0), 0.0), max(gaps, default=0.0)
    is_one_series = all(is_alike(style, columns[0][1]) for _, style in columns)
    if is_one_series or most <= SETTINGS.closer * least + 0.5:
        return middles
    groups: list[list[tuple[Rect, Style]]] = [[columns[0]]]
    for gap, column in zip(gaps, columns[1:], strict=True):
        repeats = any(is_alike(column[1], style) for _, style in groups[-1])
        if gap > (least + most) / 2 or repeats:
            groups.append([])
        groups[-1].append(column)
    return [(group[0][0].x0 + group[-1][0].x1) / 2 for group in groups]


def category_labels(middles: Sequence[float], words: Sequence[Word], ground: Rect, blank: float = 0.0) -> Labels:
    """The label at each place, None where there is none or it is not clear which one is.

    Args:
        middles: Middles of the places across the value axis, in order.
        words: Words that are nothing else, read to the right or upwards.
        ground: The plot.
        blank: Points below `ground` that may still be plot.
    """
    pitch = min((b - a for a, b in pairwise(middles)), default=ground.width)
    places: list[list[list[Word]]] = []
    for index, middle in enumerate(middles):
        # Where a bar of no height is left out, its label is between two others.
        low = max((middles[index - 1] + middle) / 2, middle - SETTINGS.place * pitch) if index else middle - pitch / 2
        last = index + 1 == len(middles)
        high = middle + pitch / 2 if last else min((middle + middles[index + 1]) / 2, middle + SETTINGS.place * pitch)
        slot = [w for w in words if low <= (w.x0 + w.x1) / 2 <= high]
        places.append(
            _level(slot, middle, low, high, ground, blank) or _upright(slot, middle, low, high, ground, blank)
        )
    # What begins further down than the labels beside it is text below the chart.
    tops = [rows[0][0] for rows in places if rows and rows[0][0].angle == 0]
    level = min((word.top + SETTINGS.label_rows * height_of(word) for word in tops), default=0.0)
    places = [rows if rows and (rows[0][0].angle or rows[0][0].top <= level) else [] for rows in places]
    widest = max((row[-1].x1 - row[0].x0 for rows in places for row in rows), default=0.0)
    labels: Labels = []
    for rows in places:
        # Where there was room for more, lines are broken between words.
        is_tight = widest > SETTINGS.tight * pitch and bool(rows) and rows[0][0].angle == 0
        is_broken = is_tight and any(_may_be_one_word(upper, lower, widest) for upper, lower in pairwise(rows))
        found = tuple(word for row in rows for word in row)
        labels.append((printed_name(found), found) if found and not is_broken else None)
    # Where each name is at several places, it is half of one, of which a bracket has the other half.
    if min(Counter(label[0] for label in labels if label).values(), default=1) > 1:
        return [None] * len(labels)
    present = sum(label is not None for label in labels)
    # One label in the middle of a broad plot is the title of its axis; of few it is not clear which bar each is of.
    is_title = len(middles) > 2 and present == 1
    return [None] * len(labels) if is_title or present < 0.4 * len(labels) else labels


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words line by line, each in its direction of reading."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda w: (level_of(w), start_of(w))):
        if rows and level_of(word) - level_of(rows[-1][0]) < 0.5 * height_of(word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=start_of) for row in rows]


def _phrases(row: Sequence[Word]) -> list[list[Word]]:
    """The parts of a line whose words are no further apart than blanks."""
    phrases: list[list[Word]] = [[row[0]]]
    for before, word in pairwise(row):
        if start_of(word) - end_of(before) > SETTINGS.name_gap * height_of(word):
            phrases.append([])
        phrases[-1].append(word)
    return phrases


def _level(
    slot: Sequence[Word], middle: float, low: float, high: float, ground: Rect, blank: float
) -> list[list[Word]]:
    """The level lines below a place, nearest first."""
    reach = ground.bottom + blank + SETTINGS.name_reach
    words = [w for w in slot if w.angle == 0 and ground.bottom - 3 <= w.top <= reach + 2 * SETTINGS.name_reach]
    slack = 0.2 * (high - low)
    label: list[list[Word]] = []
    for whole in _rows(words):
        row = min(_phrases(whole), key=lambda phrase: abs((phrase[0].x0 + phrase[-1].x1) / 2 - middle))
        height, top = height_of(row[0]), min(w.top for w in row)
        if label:
            gap = top - max(w.bottom for w in label[-1])
            if gap > SETTINGS.line_gap * height or abs(height - height_of(label[0][0])) > 0.15 * height:
                break
        is_within = row[0].x0 >= low - slack and row[-1].x1 <= high + slack
        if (top > reach and not label) or not is_within or abs((row[0].x0 + row[-1].x1) / 2 - middle) > max(3.0, slack):
            break
        label.append(row)
    return label


def _upright(
    slot: Sequence[Word], middle: float, low: float, high: float, ground: Rect, blank: float
) -> list[list[Word]]:
    """The upright lines below a place: names beside lying bars on a turned page, or turned names."""
    for angle in (90, 270):
        words = [w for w in slot if w.angle == angle and w.top >= ground.bottom - 6]
        phrases = [min(_phrases(row), key=lambda p: min(w.top for w in p)) for row in _rows(words)]
        near = [
            p for p in phrases
            if min(w.top for w in p) - ground.bottom <= SETTINGS.lying_reach * height_of(p[0]) + blank
        ]  # fmt: skip
        # Names of one column begin at one line, so that short ones end far from their bars.
        label = [p for p in phrases if p in near or any(abs(start_of(p[0]) - start_of(n[0])) <= 1 for n in near)]
        if label:
            box = around_boxes(word.box for row in label for word in row)
            # The box of a text is not centred on its characters, by up to a third of its height.
            is_near = abs(box.x - middle) <= max(0.6 * height_of(label[0][0]), 0.12 * (high - low))
            return label if is_near else []
    return []


def _may_be_one_word(upper: Sequence[Word], lower: Sequence[Word], widest: float) -> bool:
    """True where a line may have been broken within a word (`MobileN`, `et`): no further letter would have fitted."""
    inside = upper[-1].text[-1:].isalnum() and lower[0].text[:1].isalnum()
    letter = (lower[0].x1 - lower[0].x0) / len(lower[0].text)
    return inside and len(upper) == 1 and upper[-1].x1 - upper[0].x0 + letter > widest - 1


def values_at(
    bars: Sequence[DrawnBar], tokens: Sequence[NumberToken], unit: str | None = None
) -> dict[int, PrintedNumber]:
    """The printed number of each bar, by the bar's index; each number is of the bar whose end is nearest.

    Args:
        bars: Bars of one plot.
        tokens: Printed numbers that are neither ticks nor categories.
        unit: Unit printed at the ticks of the axis, empty where there is none; None without an axis.
    """
    offers: list[tuple[float, int, int]] = []
    for number, token in enumerate(tokens):
        # What is printed in a piece of a stacked bar is of that one alone.
        within = [i for i, bar in enumerate(bars) if bar.is_stacked and bar.box.holds((token.box.x, token.box.y))]
        for index in within or range(len(bars)):
            if (distance := _distance(bars[index], token)) is not None:
                offers.append((distance, index, number))
    found: dict[int, PrintedNumber] = {}
    used: set[int] = set()
    for _, index, number in sorted(offers):
        printed = _printed_number(tokens[number]) if index not in found and number not in used else None
        # A factor or a share says nothing of an axis that counts something else: `2.6x` at 1,300 images per second.
        if printed and (unit is None or printed.unit not in _RELATIVE or printed.unit == unit):
            found[index] = printed
            used.add(number)
    return found


def _printed_number(token: NumberToken) -> PrintedNumber | None:
    # A raised digit at a value is the mark of a footnote.
    text = token.text if parse_label(token.text) else token.text.partition("^")[0]
    number, read = read_number(text), parse_label(text)
    return PrintedNumber(token, *number, read[1]) if number and read else None


def _distance(bar: DrawnBar, token: NumberToken) -> float | None:
    """How far a number is from the end of a bar, None where it is not at it; inside is farther than beyond."""
    box, across = token.box, abs(token.box.x - bar.box.x)
    if across > max(SETTINGS.value_off, 0.5 * min(bar.box.width, token.size) + 1):
        return None
    sign = 1 if bar.end >= bar.start else -1
    near, far = (box.top, box.bottom) if sign > 0 else (box.bottom, box.top)
    beyond = (near - bar.end) * sign
    if -0.45 * token.size <= beyond <= SETTINGS.value_reach * token.size and (box.y - bar.end) * sign > 0:
        return max(0.0, beyond) + 0.1 * across
    if (box.y - bar.start) * sign >= -0.1 * token.size and (bar.end - box.y) * sign >= -0.5:
        return 2 * token.size + min(abs(far - bar.end), abs(box.y - (bar.start + bar.end) / 2)) + 0.1 * across
    return None


def axis_title(axis: Axis, words: Sequence[Word]) -> tuple[Word, ...]:
    """The words along an axis, on the other side of its labels than the plot, in the order of reading."""
    (low, high), (first, last) = axis.span, axis.label_edges
    is_left = axis.side != "right"
    near = [
        w for w in words
        if w.angle in (90, 270) and w.top >= low - axis.step_pt and w.bottom <= high + axis.step_pt
        and -0.4 * axis.size <= (first - w.x1 if is_left else w.x0 - last) <= SETTINGS.title_reach * axis.size
    ]  # fmt: skip
    if not near:
        return ()
    line = min(near, key=lambda w: abs((w.x0 + w.x1) / 2 - (first if is_left else last)))
    title = [w for w in near if abs(w.x0 + w.x1 - line.x0 - line.x1) <= axis.size and w.angle == line.angle]
    centre = around_boxes(w.box for w in title).y
    # Numbers alone are ticks of another axis.
    is_text = any(character.isalpha() for word in title for character in word.text)
    is_central = abs(centre - (low + high) / 2) <= 0.3 * (high - low)
    return tuple(sorted(title, key=start_of)) if is_text and is_central else ()


def free_tokens(tokens: Sequence[NumberToken], used: Collection[int]) -> list[NumberToken]:
    """The numbers none of whose words is something else."""
    return [token for token in tokens if not any(id(word) in used for word in token.words)]
