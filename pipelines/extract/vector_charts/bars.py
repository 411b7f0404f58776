"""Bars of a plot: filled boxes that stand on the base line of the axis, or on one another.

Colours are kept as they are; what they mean belongs in `legend.py`, what stands below the bars in `categories.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.boxes import SAME_PT, Filled, is_same
from pipelines.extract.vector_charts.geometry import View
from pipelines.read.page import Colour

# Boxes of one size that cover this much of the plot without a gap are cells of a table or a map.
_CELLS = 0.7
# A box no larger than this is a marker.
_MARKER_PT = 10.0
# So many boxes to a bar may stand alone; with more of them it is no chart of bars from a base line.
_LOOSE = 0.5
# How far off the value zero the base line may be, as a share of the axis.
_BASE_SHARE = 0.012


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, or one piece of a stacked bar.

    Attributes:
        seen: Its box as the axis sees it, cut to the plot.
        start: Position where it begins: the base line, or the end of the piece below it.
        end: Position where it ends.
        colour: Its fill; None for a gradient or a pattern.
        is_stacked: True for a piece that stands on another one.
        is_cut: True where the plot ends before the bar does.
    """

    seen: View
    start: float
    end: float
    colour: Colour | None
    is_stacked: bool
    is_cut: bool


def base_line(axis: Axis, frame: View, boxes: Sequence[Filled]) -> float | None:
    """Position where the bars begin: value zero, or the end of an axis that does not show it; None where it is neither.

    An axis without marks is taken as it is here; `anchored` moves it so that its zero is where the bars begin.
    """
    edges = [edge for box in boxes for edge in (box.seen.u0, box.seen.u1)]
    if not edges:
        return None
    low, high = axis.span
    slack = max(1.2, _BASE_SHARE * (high - low))
    if not axis.is_snapped:
        slack = max(slack, 0.6 * max(tick.label.size for tick in axis.ticks))
    if axis.scale == "linear" and axis.low - axis_step(axis) <= 0 <= axis.high + axis_step(axis):
        expected = [axis.position(0)]
    else:
        # Bars of a log axis begin at its lower end, or at the value 1 (ggplot).
        expected = [_lower_end(axis, frame), axis.position(axis.low)]
        expected += [axis.position(1)] if axis.scale == "log" and axis.low <= 1 <= axis.high else []
    near = [edge for edge in edges if min(abs(edge - place) for place in expected) <= slack]
    if not near:
        return None
    return max(near, key=lambda edge: sum(abs(edge - other) <= 0.3 for other in near))


def axis_step(axis: Axis) -> float:
    """Mean difference of neighbouring labels of a linear axis."""
    return (axis.high - axis.low) / (len(axis.ticks) - 1)


def _lower_end(axis: Axis, frame: View) -> float:
    return frame.u1 if axis.slope < 0 else frame.u0


def bars_on(base: float, axis: Axis, frame: View, boxes: Sequence[Filled]) -> list[Bar]:
    """The boxes that begin at the base line, and those that begin where another one ends, to either side."""
    columns: list[list[Filled]] = []
    for box in sorted(boxes, key=lambda b: b.seen.c0):
        for column in columns:
            if abs(column[0].seen.c0 - box.seen.c0) <= SAME_PT and abs(column[0].seen.c1 - box.seen.c1) <= SAME_PT:
                column.append(box)
                break
        else:
            columns.append([box])
    return [bar for column in columns for bar in _in_column(base, axis, frame, column)]


def _in_column(base: float, axis: Axis, frame: View, column: Sequence[Filled]) -> list[Bar]:
    bars: list[Bar] = []
    for sign in (-1, 1):
        # Nearest first: a box that begins where the one before it ends is stacked on it.
        side = sorted(
            (box for box in column if _grows(box.seen, base, sign)),
            key=lambda box: (abs(_begin(box.seen, sign) - base), abs(_end(box.seen, sign) - base)),
        )
        ends: list[float] = []
        for box in side:
            begin, end = _begin(box.seen, sign), _end(box.seen, sign)
            is_cut = abs(_end(box.whole, sign) - end) > SAME_PT
            if abs(begin - base) <= SAME_PT:
                bars.append(Bar(box.seen, base, end, box.colour, False, is_cut))
            elif ends and min(abs(begin - e) for e in ends) <= SAME_PT:
                start = min(ends, key=lambda e: abs(begin - e))
                bars.append(Bar(box.seen, start, end, box.colour, True, is_cut))
            else:
                continue
            ends.append(end)
    flat = [bar for bar in bars if abs(bar.end - bar.start) <= 0.05]
    # A bar of no height is found on both sides.
    return [bar for bar in bars if bar not in flat] + flat[:1] * (len(flat) == len(bars))


def _begin(seen: View, sign: int) -> float:
    return seen.u1 if sign < 0 else seen.u0


def _end(seen: View, sign: int) -> float:
    return seen.u0 if sign < 0 else seen.u1


def _grows(seen: View, base: float, sign: int) -> bool:
    return (_begin(seen, sign) - base) * sign >= -SAME_PT and (_end(seen, sign) - base) * sign >= -0.05


def has_bars(bars: Sequence[Bar], frame: View) -> bool:
    """False for what cannot be bars: none, markers, boxes of one size without a gap (cells of a table)."""
    if not bars or all(max(bar.seen.breadth, bar.seen.length) <= _MARKER_PT for bar in bars):
        return False
    columns = sorted({(round(bar.seen.c0, 1), round(bar.seen.c1, 1)) for bar in bars})
    lengths = {round(abs(bar.end - bar.start)) for bar in bars}
    touching = all(right[0] - left[1] <= SAME_PT for left, right in pairwise(columns))
    covered = sum(end - start for start, end in columns) / (frame.c1 - frame.c0)
    return not (len(bars) > 2 and len(lengths) == 1 and touching and covered > _CELLS)


def are_floating(bars: Sequence[Bar], boxes: Sequence[Filled]) -> bool:
    """True where many boxes as broad as the bars begin at no base line and on no bar: nothing tells their values."""
    breadths = [bar.seen.breadth for bar in bars]
    loose = [
        box
        for box in boxes
        if max(box.seen.breadth, box.seen.length) > _MARKER_PT
        and any(abs(box.seen.breadth - breadth) <= SAME_PT for breadth in breadths)
        and not any(is_same(box.seen, bar.seen) for bar in bars)
    ]
    return len(loose) > _LOOSE * len(bars)
