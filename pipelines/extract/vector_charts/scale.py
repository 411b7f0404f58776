"""How exactly a position tells a value, and the factor that is printed once for a whole axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.geometry import view
from pipelines.extract.vector_charts.tick_labels import Token, parse_multiplier

# Positions in a PDF are rounded by its producer: to a tenth of a point at worst.
_POSITION_PT = 0.12
# Without tick marks, a scale is known only as well as text is placed.
_TEXT_SHARE = 0.4


def interval(axis: Axis, u: float, start: float | None = None) -> tuple[float, float]:
    """Least and greatest value that a mark at a position may have.

    Args:
        axis: The scale.
        u: Where the mark ends.
        start: Where a piece of a stacked bar begins; None for what is measured from the axis.
    """
    slack = uncertainty_pt(axis)
    if start is None:
        ends = sorted((axis.value(u - slack), axis.value(u + slack)))
        return ends[0], ends[1]
    # Both ends of a piece are off by the same fault of the scale, so only the rounding counts twice.
    value = axis.value(u) - axis.value(start)
    ends = sorted((axis.value(u - slack), axis.value(u + slack)))
    half = (ends[1] - ends[0]) / 2
    return value - half, value + half


def uncertainty_pt(axis: Axis) -> float:
    """How far off a position may be, in points."""
    if axis.is_snapped:
        return _POSITION_PT + axis.residual
    return _TEXT_SHARE * max(tick.label.size for tick in axis.ticks) + axis.residual


def multiplier_of(axis: Axis, tokens: Sequence[Token]) -> float:
    """The factor at the end of an axis (`1e6` above it, or behind its last label); 1 where none is printed."""
    edges = axis.label_edge
    size = max(tick.label.size for tick in axis.ticks)
    end = axis.ticks[-1].u
    labels = {id(tick.label) for tick in axis.ticks}
    for token in tokens:
        factor = parse_multiplier(token.text) if id(token) not in labels else None
        if factor is None:
            continue
        seen = view(token.box, axis.orientation)
        across = seen.c1 >= edges[0] - 2 * size and seen.c0 <= edges[1] + 4 * size
        middle = (seen.u0 + seen.u1) / 2
        beyond = (middle - end) * (1 if axis.slope > 0 else -1)
        if across and -3 * size <= beyond <= 1.5 * axis.step_pt + 3 * size:
            return factor
    return 1.0


def multiplied(axis: Axis, factor: float) -> Axis:
    """The same axis with all its values multiplied."""
    if factor == 1.0 or axis.scale == "log":
        return axis
    ticks = tuple(replace(tick, value=tick.value * factor) for tick in axis.ticks)
    return replace(axis, slope=axis.slope / factor, ticks=ticks)
