"""The plot area that belongs to a value axis, and shapes cut to it: what lies outside of it is not shown.

A PDF keeps the whole path of a bar although only the part inside a clipping box is painted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.geometry import Segment, View, view
from pipelines.read.page import Box, Page, Shape

# Edges of a frame and ends of gridlines meet within this distance.
_MEETS_PT = 3.0
# Shorter strokes are tick marks.
_LONG_PT = 25.0
# A box that frames a plot is at least this much of the axis long.
_COVERS = 0.85
# A plot reaches beyond its last label by up to one step; on a log axis with few labels by more.
_STEPS_BEYOND = 1.05
_SHARE_BEYOND = 0.3
_UNFRAMED = 0.8
_OUTSIDE_PT = 8.0


def plot_frame(axis: Axis, page: Page, segments: Sequence[Segment], others: Iterable[Axis]) -> View:
    """The plot area of an axis, as the axis sees it.

    Args:
        axis: The value axis.
        page: The page it is on.
        segments: Straight strokes across the axis.
        others: The other axes in the same direction; a plot ends before the labels of the next one.
    """
    low, high = axis.span
    labels = axis.label_edge
    is_before = axis.side != "behind"
    long = [s for s in axis.marks if s.length >= _LONG_PT]
    near = _near_edge(axis, long)
    outlines = _outlines(axis, page, near, is_before)
    beyond = max(_STEPS_BEYOND * axis.step_pt, _SHARE_BEYOND * (high - low))
    u0, u1 = low - beyond, high + beyond
    if not outlines:
        # Nothing is drawn around the plot, so nothing is cut off: R labels an axis to far below its longest bar.
        u0, u1 = low - _UNFRAMED * (high - low), high + _UNFRAMED * (high - low)
    else:
        u0, u1 = max(u0, min(o.u0 for o in outlines)), min(u1, max(o.u1 for o in outlines))
    ends = [s.c1 if is_before else s.c0 for s in long]
    ends += [o.c1 if is_before else o.c0 for o in outlines]
    if not ends:
        edge = [s for s in segments if u0 - 1 <= s.u <= u1 + 1 and s.length >= _LONG_PT]
        ends = [s.c1 if is_before else s.c0 for s in edge if abs((s.c0 if is_before else s.c1) - near) <= _OUTSIDE_PT]
    page_end = page.width if axis.orientation == "vertical" else page.height
    if is_before:
        far = max(ends, default=page_end)
        # The next plot to the right begins with its labels.
        stops = [o.label_edge[0] for o in others if _overlaps(o, axis) and o.label_edge[0] > labels[1] + _LONG_PT]
        return View(near - _MEETS_PT, u0, min([far, *(stop for stop in stops if not ends)]), u1)
    far = min(ends, default=0.0)
    stops = [o.label_edge[1] for o in others if _overlaps(o, axis) and o.label_edge[1] < labels[0] - _LONG_PT]
    return View(max([far, *(stop for stop in stops if not ends)]), u0, near + _MEETS_PT, u1)


def _near_edge(axis: Axis, long: Sequence[Segment]) -> float:
    """The edge of the plot at the labels: where gridlines begin, or tick marks end."""
    labels = axis.label_edge
    if axis.side == "behind":
        return max([s.c1 for s in long] or [max((s.c0 for s in axis.marks), default=labels[0])])
    return min([s.c0 for s in long] or [min((s.c1 for s in axis.marks), default=labels[1])])


def _outlines(axis: Axis, page: Page, near: float, is_before: bool) -> list[View]:
    """Boxes that frame the plot: as long as the axis, beginning at its near edge."""
    low, high = axis.span
    found = []
    for shape in page.shapes:
        if shape.kind not in ("rect", "curve") or len(shape.points) < 4:
            continue
        seen = view(shape.box, axis.orientation)
        meets = abs((seen.c0 if is_before else seen.c1) - near) <= _MEETS_PT
        covers = seen.u0 <= low + 1 and seen.u1 >= high - 1 and seen.length >= _COVERS * (high - low)
        reaches = seen.length <= (high - low) + 2 * max(_STEPS_BEYOND * axis.step_pt, _SHARE_BEYOND * (high - low))
        if meets and covers and reaches and seen.breadth >= 2 * _LONG_PT:
            found.append(seen)
    return found


def _overlaps(left: Axis, right: Axis) -> bool:
    (a, b), (c, d) = left.span, right.span
    return min(b, d) - max(a, c) > 0.3 * min(b - a, d - c)


def shown(shape: Shape) -> Box | None:
    """The box of a shape cut to its clipping box; None where nothing of it is left."""
    if shape.clip is None:
        return shape.box
    x0, top, x1, bottom = shape.box
    cut = (max(x0, shape.clip[0]), max(top, shape.clip[1]), min(x1, shape.clip[2]), min(bottom, shape.clip[3]))
    return cut if cut[0] <= cut[2] and cut[1] <= cut[3] else None


def cut(seen: View, frame: View) -> View | None:
    """The part of a box inside the frame; None where nothing of it is left."""
    part = View(max(seen.c0, frame.c0), max(seen.u0, frame.u0), min(seen.c1, frame.c1), min(seen.u1, frame.u1))
    return part if part.c0 < part.c1 and part.u0 <= part.u1 else None
