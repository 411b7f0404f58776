"""Category labels that are printed at a slant below an upright chart, as `45` degrees upwards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from pipelines.extract.vector_charts.geometry import View
from pipelines.read.page import Word

Labels = list[tuple[str, tuple[Word, ...]] | None]

_REACH_PT = 14.0
# Words on one slanted line differ in their distance from its origin by less than this share of their size.
_SAME_LINE = 0.5


def slanted_labels(middles: Sequence[float], words: Sequence[Word], frame: View, blank: float) -> Labels:
    """The slanted label at each place; empty where the labels are not slanted or do not stand one at each place.

    A slanted label has its end (read upwards) or its beginning (read downwards) at its place; some producers put its
    middle there. What holds for all labels is taken.
    """
    slanted = [w for w in words if _is_slanted(w) and frame.u1 - 4 <= w.top]
    lines = [line for line in _lines(slanted) if min(w.top for w in line) <= frame.u1 + blank + _REACH_PT]
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


def _lines(words: Sequence[Word]) -> list[list[Word]]:
    """Words on one slanted line, in the order of reading."""
    lines: list[tuple[float, list[Word]]] = []
    for word in sorted(words, key=lambda w: _along(w)):
        across = _across(word)
        for base, line in lines:
            near = _along(word) - _along(line[-1]) < 0.5 * (_length(word) + _length(line[-1])) + word.size
            if abs(base - across) <= _SAME_LINE * word.size and line[0].angle == word.angle and near:
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
