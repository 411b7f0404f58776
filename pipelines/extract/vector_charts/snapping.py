"""An axis moved to its tick marks or gridlines: the middle of a label is not exactly where its tick is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pipelines.extract.vector_charts.axis import MIN_TICKS, Axis, Side, fit
from pipelines.extract.vector_charts.geometry import Segment
from pipelines.extract.vector_charts.settings import SETTINGS


def snap(axis: Axis, segments: Sequence[Segment]) -> Axis:
    """The axis fitted again to the marks that its labels stand at; unchanged where there are none.

    The middle of a text is not the middle of its digits, so all labels are off by one and the same shift.
    """
    edges = axis.label_edge
    low, high = axis.span
    near = [
        s
        for s in segments
        if low - axis.step_pt <= s.u <= high + axis.step_pt
        and s.c1 >= edges[0] - SETTINGS.mark_reach
        and s.c0 <= edges[1] + SETTINGS.mark_reach
    ]
    # Axes and gridlines are painted before what is drawn over them.
    near = near[: SETTINGS.max_strokes]
    best: tuple[tuple[float, ...], dict[int, Segment], Side] | None = None
    sides: tuple[Side, ...] = ("before", "behind")
    for side in sides:
        beside = [s for s in near if _is_beside(s, edges, side)]
        for shift in _shifts(axis, beside):
            matched = _matched(axis, beside, shift)
            if len(matched) < max(MIN_TICKS, math.ceil(0.6 * len(axis.ticks))):
                continue
            # Major ticks are longer than the minor ones beside them.
            lengths = sorted(s.length for s in matched.values())
            # Labels between two plots belong to the one whose strokes are on their scale, or else to the nearer one.
            *_, off = fit([(stroke.u, axis.ticks[i].value) for i, stroke in matched.items()], axis.scale)
            gaps = [s.c0 - edges[1] if side == "before" else edges[0] - s.c1 for s in matched.values()]
            rank = (
                len(matched),
                round(lengths[len(lengths) // 2]),
                -round(4 * off),
                -round(abs(min(gaps))),
                -abs(shift),
            )
            if best is None or rank > best[0]:
                best = (rank, matched, side)
    if best is None:
        return _on_its_foot(axis, near)
    _, matched, side = best
    ticks = [replace(tick, u=matched[i].u) for i, tick in enumerate(axis.ticks) if i in matched]
    intercept, slope, residual = fit([(t.u, t.value) for t in ticks], axis.scale)
    snapped = replace(axis, intercept=intercept, slope=slope, residual=residual)
    if residual > max(0.35, SETTINGS.max_residual / 2 * (high - low)):
        return axis
    everywhere = tuple(replace(tick, u=snapped.position(tick.value)) for tick in axis.ticks)
    return replace(snapped, ticks=everywhere, is_snapped=True, side=side, marks=tuple(matched.values()))


def _on_its_foot(axis: Axis, near: Sequence[Segment]) -> Axis:
    """An axis without marks moved so that its zero, or its lowest label, is on the long line that runs there."""
    reach = 0.6 * max(tick.label.size for tick in axis.ticks)
    feet = [tick for tick in axis.ticks if tick.value == 0 or tick is axis.ticks[0]]
    edges = axis.label_edge
    for tick in reversed(feet):
        lines = [
            s
            for s in near
            if s.length >= SETTINGS.foot
            and abs(s.u - tick.u) <= reach
            and (-2 <= s.c0 - edges[1] <= SETTINGS.mark_reach or -2 <= edges[0] - s.c1 <= SETTINGS.mark_reach)
        ]
        if lines:
            line = min(lines, key=lambda s: (-round(s.length), abs(s.u - tick.u)))
            side: Side = "before" if line.c1 > edges[1] else "behind"
            return replace(axis.shifted(line.u - tick.u, is_snapped=True), side=side, marks=(line,))
    return axis


def _is_beside(segment: Segment, edges: tuple[float, float], side: Side) -> bool:
    """True for a stroke that begins just behind the labels (`before` the plot) or ends just before them."""
    if side == "before":
        return -2 <= segment.c0 - edges[1] <= SETTINGS.mark_reach or (segment.c0 < edges[1] < segment.c1 - 40)
    return -2 <= edges[0] - segment.c1 <= SETTINGS.mark_reach or (segment.c1 > edges[0] > segment.c0 + 40)


def _shifts(axis: Axis, segments: Sequence[Segment]) -> list[float]:
    """Shifts worth trying: those that bring one of the first labels to a stroke beside it."""
    reach = SETTINGS.max_shift * max(tick.label.size for tick in axis.ticks)
    return [s.u - tick.u for tick in (*axis.ticks[:2], axis.ticks[-1]) for s in segments if abs(s.u - tick.u) <= reach]


def _matched(axis: Axis, segments: Sequence[Segment], shift: float) -> dict[int, Segment]:
    """The stroke at each tick under one shift, by the tick's index.

    Marks of one axis are of one length and begin at one place; the edge of a bar that happens to lie at a tick is none.
    """
    slack = max(SETTINGS.same_shift, axis.residual)
    at: dict[int, list[Segment]] = {}
    looks: Counter[tuple[int, int]] = Counter()
    for index, tick in enumerate(axis.ticks):
        found = [s for s in segments if abs(s.u - tick.u - shift) <= slack]
        if found:
            at[index] = sorted(found, key=lambda s: abs(s.u - tick.u - shift))
            looks.update({(round(s.c0), round(s.c1)) for s in found})
    if not looks:
        return {}
    (start, end), times = max(looks.items(), key=lambda item: (item[1], item[0][1] - item[0][0]))
    if times < MIN_TICKS:
        return {index: max(found, key=lambda s: round(s.length)) for index, found in at.items()}
    return {
        index: alike[0]
        for index, found in at.items()
        if (alike := [s for s in found if abs(s.c0 - start) <= 1 and abs(s.c1 - end) <= 1])
    }
