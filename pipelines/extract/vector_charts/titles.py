"""What an axis says it measures: words along it, or a short line above its upper end."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.geometry import View, view
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.read.page import Word


def axis_title(axis: Axis, frame: View, words: Sequence[Word], used: Collection[int]) -> tuple[Word, ...]:
    """The words of an axis title in the order of reading; empty where none stands beside the labels.

    Args:
        axis: The value axis.
        frame: Its plot.
        words: Words of the page.
        used: Ids of words that are something else.
    """
    free = [word for word in words if id(word) not in used]
    title = _beside(axis, free) or (_above(axis, frame, free) if axis.orientation == "vertical" else ())
    # Numbers alone are ticks of another axis.
    return title if any(character.isalpha() for word in title for character in word.text) else ()


def _beside(axis: Axis, words: Sequence[Word]) -> tuple[Word, ...]:
    """Words that run along the axis, on the other side of its labels than the plot."""
    angles = (90, 270) if axis.orientation == "vertical" else (0,)
    low, high = axis.span
    first, last = axis.label_edge
    is_before = axis.side != "behind"
    size = max(tick.label.size for tick in axis.ticks)
    near: list[Word] = []
    for word in words:
        seen = view(word.box, axis.orientation)
        gap = first - seen.c1 if is_before else seen.c0 - last
        inside = seen.u0 >= low - axis.step_pt and seen.u1 <= high + axis.step_pt
        if word.angle in angles and inside and -0.4 * size <= gap <= SETTINGS.title_reach * size:
            near.append(word)
    if not near:
        return ()
    line = min(near, key=lambda w: abs(view(w.box, axis.orientation).middle - (first if is_before else last)))
    middle = view(line.box, axis.orientation).middle
    title = [
        w for w in near if abs(view(w.box, axis.orientation).middle - middle) <= 0.5 * size and w.angle == line.angle
    ]
    title.sort(key=lambda w: -w.bottom if w.angle == 90 else w.top if w.angle == 270 else w.x0)
    ends = [view(w.box, axis.orientation) for w in title]
    centre = (min(v.u0 for v in ends) + max(v.u1 for v in ends)) / 2
    return tuple(title) if abs(centre - (low + high) / 2) <= 0.3 * (high - low) else ()


def _above(axis: Axis, frame: View, words: Sequence[Word]) -> tuple[Word, ...]:
    """A line that begins at the labels, just above the plot, and is no longer than it: others are sentences."""
    low, _ = axis.span
    first, last = axis.label_edge
    size = max(tick.label.size for tick in axis.ticks)
    near = [
        w
        for w in words
        if w.angle == 0 and 0 <= low - w.bottom <= SETTINGS.title_reach * size and first - 3 * size <= w.x0
    ]
    near.sort(key=lambda w: (-round(w.bottom), w.x0))
    title: list[Word] = []
    for word in near:
        if not title:
            if word.x0 <= last + size:
                title.append(word)
        elif abs(word.bottom - title[0].bottom) < 1.5 and word.x0 - title[-1].x1 <= 0.8 * size:
            title.append(word)
    if not title or title[-1].x1 > frame.c1:
        return ()
    start = title[0]
    before = (w for w in words if w.angle == 0 and abs(w.bottom - start.bottom) < 1.5 and w.x0 < start.x0)
    above = (w for w in words if w.angle == 0 and abs(w.x0 - start.x0) <= 1 and abs(w.size - start.size) <= 0.1)
    # Nor is the last line of several.
    is_last = any(0 <= start.top - w.bottom <= 0.8 * start.size for w in above)
    return () if is_last or any(start.x0 - w.x1 <= start.size for w in before) else tuple(title)
