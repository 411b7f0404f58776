"""What stands below (or beside) the bars of a plot: the printed category of each place, by position alone."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from pipelines.extract.vector_charts.bars import Bar
from pipelines.extract.vector_charts.geometry import Orientation, Style, View, is_alike
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import height_of
from pipelines.read.page import Word

Labels = list[tuple[str, tuple[Word, ...]] | None]


def group_middles(bars: Sequence[Bar]) -> list[float]:
    """The middle of each group of bars across the axis: bars of several series at one category, or single bars."""
    columns = _columns(bars)
    middles = [middle for middle, _, _, _ in columns]
    if len(columns) < 2:
        return middles
    colours: list[Style] = []
    for *_, colour in columns:
        if not any(is_alike(colour, known) for known in colours):
            colours.append(colour)
    gaps = [right[1] - left[2] for left, right in pairwise(columns)]
    least, most = min(gaps), max(gaps)
    if len(colours) == 1 or most <= SETTINGS.closer * max(least, 0.0) + 0.5:
        return middles
    limit = (max(least, 0.0) + most) / 2
    groups: list[list[tuple[float, float, float, Style]]] = [[columns[0]]]
    for gap, column in zip(gaps, columns[1:], strict=True):
        repeats = any(is_alike(column[3], other[3]) for other in groups[-1])
        if gap > limit or repeats:
            groups.append([column])
        else:
            groups[-1].append(column)
    largest = max(len(group) for group in groups)
    full = [group for group in groups if len(group) == largest]
    centres = [(group[0][1] + group[-1][2]) / 2 for group in groups]
    for index, group in enumerate(groups):
        if len(group) < largest:
            # A bar of no height is missing: where its neighbour stands in a full group tells the middle.
            model = next((f for f in full for column in f if is_alike(column[3], group[0][3])), None)
            if model is not None:
                twin = next(column for column in model if is_alike(column[3], group[0][3]))
                centres[index] = group[0][0] - (twin[0] - (model[0][1] + model[-1][2]) / 2)
    return centres


def _columns(bars: Sequence[Bar]) -> list[tuple[float, float, float, Style]]:
    """Middle, edges and colour of each column of bars; of a stacked column the colour of its first piece."""
    found: list[tuple[float, float, float, Style]] = []
    for bar in sorted(bars, key=lambda bar: (bar.seen.middle, bar.is_stacked)):
        if not found or bar.seen.middle - found[-1][0] > SETTINGS.same_column:
            found.append((bar.seen.middle, bar.seen.c0, bar.seen.c1, bar.style))
    return found


def category_labels(
    middles: Sequence[float],
    words: Sequence[Word],
    frame: View,
    orientation: Orientation,
    used: Collection[int],
    blank: float = 0.0,
) -> Labels:
    """The label at each place, None where none stands at it or it is not clear which one does.

    Args:
        middles: Middles of the places across the value axis, in order.
        words: Words of the page.
        frame: The plot.
        orientation: Direction of the values.
        used: Ids of words that are something else: ticks of the value axis, legend, printed values.
        blank: Points below (or beside) `frame` that may still be plot.
    """
    if not middles:
        return []
    free = [word for word in words if id(word) not in used]
    pitch = min((b - a for a, b in pairwise(middles)), default=frame.c1 - frame.c0)
    if orientation == "vertical" and (slanted := _slanted(middles, free, frame, blank)):
        return slanted
    places: list[list[list[Word]]] = []
    for index, middle in enumerate(middles):
        # Where a bar of no height is left out, its label stands between two others.
        low = max((middles[index - 1] + middle) / 2, middle - SETTINGS.place * pitch) if index else middle - pitch / 2
        last = index + 1 == len(middles)
        high = middle + pitch / 2 if last else min((middle + middles[index + 1]) / 2, middle + SETTINGS.place * pitch)
        places.append((_below if orientation == "vertical" else _beside)(free, middle, low, high, frame, blank))
    if orientation == "vertical":
        # What begins further down than the labels beside it is text below the chart.
        level = min((rows[0][0].top + SETTINGS.label_rows * _tall(rows[0][0]) for rows in places if rows), default=0.0)
        places = [rows if rows and rows[0][0].top <= level else [] for rows in places]
    widest = max((row[-1].x1 - row[0].x0 for rows in places for row in rows), default=0.0)
    labels: list[tuple[str, tuple[Word, ...]] | None] = []
    for rows in places:
        # Where there was room for more, lines are broken between words.
        is_tight = widest > SETTINGS.tight * pitch
        is_broken = is_tight and any(_may_be_one_word(upper, lower, widest) for upper, lower in pairwise(rows))
        words_of = [word for row in rows for word in row]
        labels.append((printed_name(words_of), tuple(words_of)) if words_of and not is_broken else None)
    if orientation == "vertical":
        labels = _without_title(labels, middles)
    return labels


def _tall(word: Word) -> float:
    return word.bottom - word.top if word.angle == 0 else word.x1 - word.x0


def printed_name(words: Sequence[Word]) -> str:
    """Words as one name; some producers print each hyphen as a minus sign."""
    text = ""
    for before, word in zip((None, *words), words, strict=False):
        # A name may be broken before its hyphen: `EfficientNet`, `-B4`.
        is_broken = before is None or (word.text[0] in "-−" and word.x0 < before.x1)
        text += word.text if is_broken else f" {word.text}"
    text = text.replace("−", "-")
    # A name broken at its hyphen goes on without a blank: `BERT-`, `Base`.
    return re.sub(r"(?<=\w)- (?=\w)", "-", text)


def _below(
    words: Sequence[Word], middle: float, low: float, high: float, frame: View, blank: float
) -> list[list[Word]]:
    """The lines of an upright chart's label, nearest first; of one printed upwards all words as one line."""
    slot = [w for w in words if low <= (w.x0 + w.x1) / 2 <= high and w.angle in (0, 90, 270)]
    reach = SETTINGS.name_reach + blank
    upright = [w for w in slot if w.angle == 0 and frame.u1 - 3 <= w.top <= frame.u1 + reach + 2 * SETTINGS.name_reach]
    rows = _rows(upright)
    turned = [w for w in slot if w.angle in (90, 270) and -6 <= w.top - frame.u1 <= reach]
    if turned and not rows:
        return _turned(turned, middle)
    label: list[list[Word]] = []
    for whole in rows:
        row = _nearest_phrase(whole, middle)
        height = row[0].bottom - row[0].top
        if label:
            gap = min(w.top for w in row) - max(w.bottom for w in label[-1])
            if gap > SETTINGS.line_gap * height or abs(height - height_of(label[0][0])) > 0.15 * height:
                break
        elif min(w.top for w in row) > frame.u1 + blank + SETTINGS.name_reach:
            break
        if not _is_within(row, middle, low, high):
            break
        label.append(row)
    return label


def _nearest_phrase(row: Sequence[Word], middle: float) -> list[Word]:
    """The words around the middle of a place that stand no further apart than blanks."""
    phrases: list[list[Word]] = [[row[0]]]
    for before, word in pairwise(row):
        if word.x0 - before.x1 > SETTINGS.name_gap * height_of(word):
            phrases.append([])
        phrases[-1].append(word)
    return min(phrases, key=lambda phrase: abs((phrase[0].x0 + phrase[-1].x1) / 2 - middle))


def _may_be_one_word(upper: Sequence[Word], lower: Sequence[Word], widest: float) -> bool:
    """True where a line may have been broken within a word (`MobileN`, `et`): no further letter would have fitted."""
    inside = upper[-1].text[-1:].isalnum() and lower[0].text[:1].isalnum()
    letter = (lower[0].x1 - lower[0].x0) / len(lower[0].text)
    return inside and len(upper) == 1 and upper[-1].x1 - upper[0].x0 + letter > widest - 1


def _is_within(row: Sequence[Word], middle: float, low: float, high: float) -> bool:
    """True for a line of words in the middle of its place that does not reach far into the next ones."""
    left, right = row[0].x0, row[-1].x1
    reach = 0.2 * (high - low)
    return left >= low - reach and right <= high + reach and abs((left + right) / 2 - middle) <= max(3.0, reach)


def _turned(words: Sequence[Word], middle: float) -> list[list[Word]]:
    """The words of a label printed upwards or downwards, in the order of reading."""
    angle = words[0].angle
    same = [w for w in words if w.angle == angle]
    same.sort(key=lambda w: (round(w.x0), -w.bottom) if angle == 90 else (-round(w.x0), w.top))
    left, right = min(w.x0 for w in same), max(w.x1 for w in same)
    return [same] if abs((left + right) / 2 - middle) <= 0.6 * (same[0].x1 - same[0].x0) else []


def _beside(
    words: Sequence[Word], middle: float, low: float, high: float, frame: View, blank: float
) -> list[list[Word]]:
    """The lines of a lying chart's label, of the words next to the plot only."""
    slot = [w for w in words if w.angle == 0 and low <= (w.top + w.bottom) / 2 <= high and w.x1 <= frame.u0 + 4]
    phrases = [_last_phrase(row) for row in _rows(slot)]
    near = [p for p in phrases if frame.u0 - p[-1].x1 <= SETTINGS.lying_reach * height_of(p[-1]) + blank]
    # Names of one column begin at one line, so that short ones end far from their bars.
    label = [p for p in phrases if p in near or any(abs(p[0].x0 - n[0].x0) <= 1 for n in near)]
    if not label:
        return []
    top, bottom = min(w.top for row in label for w in row), max(w.bottom for row in label for w in row)
    # The box of a text is not centred on its characters, by up to a third of its height.
    near_middle = abs((top + bottom) / 2 - middle) <= max(0.6 * height_of(label[0][0]), 0.12 * (high - low))
    return label if near_middle else []


def _last_phrase(row: Sequence[Word]) -> list[Word]:
    """The last words of a line that stand no further apart than blanks."""
    phrase = [row[-1]]
    for word in reversed(row[:-1]):
        if phrase[0].x0 - word.x1 > SETTINGS.name_gap * height_of(word):
            break
        phrase.insert(0, word)
    return phrase


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words line by line, each from the left."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda w: ((w.top + w.bottom) / 2, w.x0)):
        if rows and abs((word.top + word.bottom) - (rows[-1][0].top + rows[-1][0].bottom)) < height_of(word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda w: w.x0) for row in rows]


def _without_title(labels: Labels, middles: Sequence[float]) -> Labels:
    """No labels where only the middle of a broad plot has one: that is the title of its axis."""
    present = [index for index, label in enumerate(labels) if label]
    return [None] * len(labels) if len(middles) > 2 and len(present) == 1 else labels


def _slanted(middles: Sequence[float], words: Sequence[Word], frame: View, blank: float) -> Labels:
    """The slanted label at each place; empty where the labels are not slanted or do not stand one at each place.

    A slanted label has its end (read upwards) or its beginning (read downwards) at its place; some producers put its
    middle there. What holds for all labels is taken.
    """
    slanted = [w for w in words if _is_slanted(w) and frame.u1 - 4 <= w.top]
    lines = [
        line
        for line in _slanted_lines(slanted)
        if min(w.top for w in line) <= frame.u1 + blank + SETTINGS.slanted_reach
    ]
    if len(lines) < 2:
        return []
    pitch = min((b - a for a, b in pairwise(middles)), default=frame.c1 - frame.c0)
    best: tuple[float, Labels] | None = None
    for anchor in (_upper_end, _middle):
        places = [anchor(line) for line in lines]
        # One shift for all: the end of a text is its corner, not the middle of its last letter.
        shifts = [min((m - p for m in middles), key=abs) for p in places]
        shift = sorted(shifts)[len(shifts) // 2]
        found: Labels = [None] * len(middles)
        fault = 0.0
        for line, place in zip(lines, places, strict=True):
            index = min(range(len(middles)), key=lambda i: abs(middles[i] - place - shift))
            off = abs(middles[index] - place - shift)
            fault = max(fault, off)
            if off <= 0.2 * pitch:
                found[index] = (" ".join(w.text for w in line), tuple(line))
        if abs(shift) <= 0.4 * pitch and (best is None or fault < best[0]):
            best = (fault, found)
    return best[1] if best and best[0] <= 0.25 * pitch else []


def _is_slanted(word: Word) -> bool:
    return word.angle % 90 != 0 and (word.angle < 90 or word.angle > 270)


def _slanted_lines(words: Sequence[Word]) -> list[list[Word]]:
    """Words on one slanted line, in the order of reading."""
    lines: list[tuple[float, list[Word]]] = []
    for word in sorted(words, key=lambda w: _along(w)):
        across = _across(word)
        for base, line in lines:
            near = _along(word) - _along(line[-1]) < 0.5 * (_length(word) + _length(line[-1])) + word.size
            if abs(base - across) <= SETTINGS.slanted_line * word.size and line[0].angle == word.angle and near:
                line.append(word)
                break
        else:
            lines.append((across, [word]))
    return [line for _, line in lines]


def _centre(word: Word) -> tuple[float, float]:
    return (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2


def _along(word: Word) -> float:
    (x, y), angle = _centre(word), math.radians(word.angle)
    return x * math.cos(angle) - y * math.sin(angle)


def _across(word: Word) -> float:
    (x, y), angle = _centre(word), math.radians(word.angle)
    return x * math.sin(angle) + y * math.cos(angle)


def _length(word: Word) -> float:
    return math.hypot(word.x1 - word.x0, word.bottom - word.top)


def _upper_end(line: Sequence[Word]) -> float:
    """Where the end next to the plot is: the right one of a label read upwards, the left one of one read downwards."""
    return max(w.x1 for w in line) if line[0].angle < 90 else min(w.x0 for w in line)


def _middle(line: Sequence[Word]) -> float:
    return (min(w.x0 for w in line) + max(w.x1 for w in line)) / 2
