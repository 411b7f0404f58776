"""The plot of a value axis: the box that frames it, or what its axes and neighbours leave it.

A mark belongs to the plot that its axes span, in both directions; what lies outside of it is not shown there. A PDF
keeps the whole path of a bar or a curve although only the part inside a clipping box is painted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from pipelines.extract.vector_charts.axis import MIN_TICKS, Axis
from pipelines.extract.vector_charts.geometry import Orientation, Segment, View, is_near, page_box, view
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import Token, parse_label
from pipelines.read.page import Box, Page, Shape


@dataclass(frozen=True, slots=True)
class Plot:
    """Where the marks of a value axis stand.

    Attributes:
        axis: The value axis.
        frame: The plot as the axis sees it.
        cross: The scale across the value axis, where there is one.
        is_framed: True where its ends along the axis are drawn; False where they follow from its labels.
        is_clipped: True where the frame is a clipping box: what it does not cut is no mark of the plot.
    """

    axis: Axis
    frame: View
    cross: Axis | None = None
    is_framed: bool = True
    is_clipped: bool = False

    def is_within(self, other: Plot) -> bool:
        """True for a plot that lies within another one, with room for its labels: an inset."""
        if not (self.is_framed and other.is_framed and self.axis.is_snapped and other.axis.is_snapped):
            return False
        a, b = self.box, other.box
        inside = a[0] > b[0] + 1 and a[1] > b[1] - 1 and a[2] < b[2] + 1 and a[3] < b[3] - 1
        return inside and (a[2] - a[0]) * (a[3] - a[1]) < SETTINGS.inset * (b[2] - b[0]) * (b[3] - b[1])

    @property
    def box(self) -> Box:
        """The plot on the page."""
        return page_box(self.frame, self.axis.orientation)


@dataclass(frozen=True, slots=True)
class Frames:
    """The boxes on a page that may frame plots: drawn ones, clipping boxes, and corners that straight strokes make."""

    boxes: tuple[Box, ...]
    clips: frozenset[Box]
    corners: frozenset[Box]


def shown(shape: Shape) -> Box | None:
    """The box of a shape cut to its clipping box; None where nothing of it is left."""
    if shape.clip is None:
        return shape.box
    x0, top, x1, bottom = shape.box
    cut = (max(x0, shape.clip[0]), max(top, shape.clip[1]), min(x1, shape.clip[2]), min(bottom, shape.clip[3]))
    return cut if cut[0] <= cut[2] and cut[1] <= cut[3] else None


def find_frames(page: Page, strokes: dict[Orientation, list[Segment]]) -> Frames:
    """Every box of the page that may frame a plot, each once."""
    clips = {shape.clip for shape in page.shapes if shape.clip and _is_large(shape.clip)}
    drawn = {s.box for s in page.shapes if s.kind in ("rect", "curve") and len(s.points) >= 4 and _is_large(s.box)}
    # Strokes across a vertical axis lie, those across a horizontal one stand; at a corner two of them meet.
    lying = {(round(s.c0, 1), round(s.u, 1), round(s.c1, 1)) for s in strokes["vertical"] if s.length >= SETTINGS.long}
    upright = {
        (round(s.u, 1), round(s.c0, 1), round(s.c1, 1)) for s in strokes["horizontal"] if s.length >= SETTINGS.long
    }
    corners: set[Box] = set()
    if len(lying) * len(upright) <= SETTINGS.max_strokes**2:
        for (x0, y, x1), (x, top, bottom) in product(lying, upright):
            at_side = min(abs(x - x0), abs(x - x1)) <= SETTINGS.same
            if at_side and min(abs(y - top), abs(y - bottom)) <= SETTINGS.same:
                corners.add((x0, top, x1, bottom))
    boxes = tuple(clips) + tuple(drawn - clips) + tuple(corners - clips - drawn)
    return Frames(boxes[: SETTINGS.max_frames], frozenset(clips), frozenset(corners - clips - drawn))


def _is_large(box: Box) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) >= SETTINGS.min_plot


def find_plots(
    page: Page, tokens: Sequence[Token], axes: dict[Orientation, list[Axis]],
    strokes: dict[Orientation, list[Segment]], frames: Frames,
) -> list[Plot]:  # fmt: skip
    """The plot of each axis, and those beside it in the same frames that share its labels (facets)."""
    plots: list[Plot] = []
    for orientation, of_direction in axes.items():
        other: Orientation = "horizontal" if orientation == "vertical" else "vertical"
        for axis in of_direction:
            neighbours = [a for a in of_direction if a is not axis]
            plot = _plot(axis, page, frames, strokes[orientation], strokes[other], neighbours, axes[other])
            if plot.frame.c1 > plot.frame.c0 and plot.frame.u1 > plot.frame.u0:
                plots.append(plot)
    for plot in [p for p in plots if p.is_framed and p.axis.is_snapped]:
        orientation = plot.axis.orientation
        own = [p.box for p in plots if p.axis.orientation == orientation]
        for box in (*frames.boxes, *_grid_twins(plot, strokes[orientation])):
            seen = view(box, orientation)
            if _is_twin(seen, plot.frame) and not any(is_near(box, b, SETTINGS.meets) for b in own):
                between = _between(seen, plot.frame)
                # A number in between may be the label of a scale that could not be read.
                if not any(_overlaps(view(t.box, orientation), between) for t in tokens):
                    plots.append(Plot(plot.axis, seen, None, True, box in frames.clips))
    return [_with_cross(plot, tokens, axes, plots) for plot in plots]


def _plot(
    axis: Axis, page: Page, frames: Frames, across: Sequence[Segment], along: Sequence[Segment],
    neighbours: Sequence[Axis], others: Sequence[Axis],
) -> Plot:  # fmt: skip
    """The plot of one axis: the broadest box that begins at it, else what is drawn and printed around it."""
    low, high = axis.span
    is_before = axis.side != "behind"
    long = [s for s in axis.marks if s.length >= SETTINGS.long]
    starts = _near_edges(axis, long)
    step = SETTINGS.steps_beyond * axis.step_pt
    beyond = max(step, SETTINGS.share_beyond * (high - low))
    labels = [view(t.label.box, axis.orientation) for a in (*neighbours, *others) for t in a.ticks]
    best: tuple[tuple[int, bool], View] | None = None
    for box in frames.boxes:
        seen = view(box, axis.orientation)
        near = seen.c0 if is_before else seen.c1
        # Without marks, the plot begins a little beyond the labels.
        slack = SETTINGS.meets if axis.marks else SETTINGS.label_gap
        if min(abs(near - start) for start in starts) > slack or seen.u0 > low + 1 or seen.u1 < high - 1:
            continue
        is_clip = box in frames.clips
        # Labels that could not be read may be missing at an end of the axis.
        far = SETTINGS.clip_beyond * (high - low) if is_clip else beyond
        if seen.u0 < low - far or seen.u1 > high + far:
            continue
        # R draws an axis no longer than its labels reach: with a gridline it makes a corner that is none of the plot.
        if box in frames.corners and abs(seen.u0 - low) <= 1 and abs(seen.u1 - high) <= 1:
            continue
        # A plot holds no labels of another one, unless that lies within it with its axes.
        if not is_clip and any(_holds(seen, label) for label in labels):
            continue
        rank = (round(seen.breadth / 2), is_clip)
        if best is None or rank > best[0]:
            best = (rank, seen)
    if best is not None:
        return Plot(axis, best[1], None, True, best[0][1])
    # A line along the axis that is longer than its labels reach shows more of it, if not where the plot ends.
    spines = [
        s for s in along if min(abs(s.u - start) for start in starts) <= SETTINGS.meets
        and s.length >= SETTINGS.covers * (high - low) and s.c0 >= low - beyond and s.c1 <= high + beyond
    ]  # fmt: skip
    near = spines[0].u if spines else starts[0]
    u0, u1 = min([low, *(s.c0 for s in spines)]) - step, max([high, *(s.c1 for s in spines)]) + step
    far = max((s.c1 for s in long), default=page.width) if is_before else min((s.c0 for s in long), default=0.0)
    left, right = sorted((near, far))
    grid = [
        s for s in along if s.c0 >= u0 and s.c1 <= u1 and s.length >= high - low - 1 and left - 1 <= s.u <= right + 1
    ]
    is_framed = len(grid) >= 3 and any(s.length > high - low + 2 for s in grid)
    if is_framed:
        u0, u1 = min(low, *(s.c0 for s in grid)), max(high, *(s.c1 for s in grid))
    elif axis.scale == "linear" and axis.low == 0:
        u0, u1 = (u0, axis.position(0)) if axis.slope < 0 else (axis.position(0), u1)
    ends = [s.c1 if is_before else s.c0 for s in long]
    if not ends:
        foot = [s for s in across if u0 - 1 <= s.u <= u1 + 1 and s.length >= SETTINGS.long]
        ends = [
            s.c1 if is_before else s.c0 for s in foot if abs((s.c0 if is_before else s.c1) - near) <= 8
        ]  # fmt: skip
    whole = page.width if axis.orientation == "vertical" else page.height
    first, last = axis.label_edge
    beside = [o.label_edge for o in neighbours if _share(o, axis)]
    if is_before:
        stops = [edge[0] for edge in beside if edge[0] > last + SETTINGS.long]
        c0, c1 = near, min([max(ends, default=whole), *stops])
    else:
        stops = [edge[1] for edge in beside if edge[1] < first - SETTINGS.long]
        c0, c1 = max([min(ends, default=0.0), *stops]), near
    # Plots above and below end half way to the labels of this one.
    for o in neighbours:
        (edge0, edge1), (a, b) = o.label_edge, o.span
        if edge1 < c0 - 4 * SETTINGS.long or edge0 > c1:
            continue
        u1 = min(u1, (high + a) / 2) if a >= high else u1
        u0 = max(u0, (low + b) / 2) if b <= low else u0
    return Plot(axis, View(c0, u0, c1, u1), None, is_framed)


def _near_edges(axis: Axis, long: Sequence[Segment]) -> list[float]:
    """Where the plot may begin: where gridlines begin, tick marks end, or tick marks begin that stand inside of it."""
    first, last = axis.label_edge
    if axis.side == "behind":
        if long:
            return [max(s.c1 for s in long)]
        return [max(s.c0 for s in axis.marks), max(s.c1 for s in axis.marks)] if axis.marks else [first]
    if long:
        return [min(s.c0 for s in long)]
    return [min(s.c1 for s in axis.marks), min(s.c0 for s in axis.marks)] if axis.marks else [last]


def _share(left: Axis, right: Axis) -> bool:
    """True for axes of one direction that stand beside each other."""
    (a, b), (c, d) = left.span, right.span
    return min(b, d) - max(a, c) > 0.3 * min(b - a, d - c)


def _holds(seen: View, label: View) -> bool:
    c, u = label.middle, (label.u0 + label.u1) / 2
    return seen.c0 + 1 < c < seen.c1 - 1 and seen.u0 + 1 < u < seen.u1 - 1


def _grid_twins(plot: Plot, segments: Sequence[Segment]) -> Iterator[Box]:
    """The boxes that gridlines make which continue those of a plot beside it."""
    levels = {round(mark.u, 1) for mark in plot.axis.marks if mark.length >= SETTINGS.grid * plot.frame.breadth}
    at: Counter[tuple[float, float]] = Counter()
    for c0, c1, _ in {(round(s.c0, 1), round(s.c1, 1), round(s.u, 1)) for s in segments if round(s.u, 1) in levels}:
        at[c0, c1] += 1
    for (c0, c1), times in at.items():
        if times >= max(MIN_TICKS, len(levels)):
            yield page_box(plot.frame._replace(c0=c0, c1=c1), plot.axis.orientation)


def _is_twin(seen: View, frame: View) -> bool:
    """True for a box of the same size beside a plot, at the same place along its axis."""
    along = abs(seen.u0 - frame.u0) <= SETTINGS.same and abs(seen.u1 - frame.u1) <= SETTINGS.same
    size = abs(seen.breadth - frame.breadth) <= SETTINGS.same
    return along and size and (seen.c0 >= frame.c1 or seen.c1 <= frame.c0)


def _between(seen: View, frame: View) -> View:
    """The room between two plots."""
    return View(min(seen.c1, frame.c1), frame.u0, max(seen.c0, frame.c0), frame.u1)


def _overlaps(left: View, right: View) -> bool:
    return min(left.c1, right.c1) > max(left.c0, right.c0) and min(left.u1, right.u1) > max(left.u0, right.u0)


def _with_cross(
    plot: Plot, tokens: Sequence[Token], axes: dict[Orientation, list[Axis]], plots: Sequence[Plot]
) -> Plot:
    """The plot with the scale that runs across its axis, along its edge or, in facets, along that of a plot beyond."""
    frame, orientation = plot.frame, plot.axis.orientation
    edges = (frame.u0, frame.u1) if plot.is_framed else plot.axis.span
    best: tuple[float, Axis] | None = None
    for candidate in axes["horizontal" if orientation == "vertical" else "vertical"]:
        (low, high), labels = candidate.span, candidate.label_edge
        if low < frame.c0 - 4 or high > frame.c1 + 4 or high - low < SETTINGS.least_cross * frame.breadth:
            continue
        is_below = labels[0] > (edges[0] + edges[1]) / 2
        gap = labels[0] - edges[1] if is_below else edges[0] - labels[1]
        if gap < -4:
            continue
        if gap > SETTINGS.cross_reach:
            # The labels of a facet stand at the last plot of its column, with no number in between.
            room = View(frame.c0, *((edges[1], frame.c1, labels[0]) if is_below else (labels[1], frame.c1, edges[0])))
            shares = any(p is not plot and _is_column(p, plot, labels) for p in plots)
            if not shares or any(_overlaps(view(t.box, orientation), room) for t in tokens):
                continue
        if best is None or gap < best[0]:
            best = (gap, candidate)
    return replace(plot, cross=best[1]) if best and not _is_contradicted(best[1], frame, tokens) else plot


def _is_contradicted(cross: Axis, frame: View, tokens: Sequence[Token]) -> bool:
    """True where a number in line with the labels is not where the scale has it: `105`, `1005`, `5005`, `10005`."""
    label, labels = cross.ticks[0].label, {id(tick.label) for tick in cross.ticks}
    line = view(label.box, cross.orientation).middle
    for token in tokens:
        seen = view(token.box, cross.orientation)
        is_alike = token.angle == label.angle and abs(token.size - label.size) <= SETTINGS.straight
        if not is_alike or id(token) in labels or abs(seen.middle - line) > SETTINGS.same_c:
            continue
        read = parse_label(token.text) if frame.c0 <= seen.height <= frame.c1 else None
        if read is None or (cross.scale == "log" and read[0] <= 0):
            continue
        is_off = abs(cross.position(read[0]) - seen.height) > SETTINGS.off_scale * cross.step_pt
        if is_off and not _is_run_together(token, cross):
            return True
    return False


def _is_run_together(token: Token, cross: Axis) -> bool:
    """True for labels printed over one another, each at its place on the scale: `8287` for 82 and 87."""
    text, edges = token.text, token.words[0].edges
    if token.angle or len(edges) != len(text) + 1:
        return False
    ends = {0}
    for end in range(1, len(text) + 1):
        for start in sorted(ends):
            read = parse_label(text[start:end])
            middle = (edges[start] + edges[end]) / 2
            if read and read[0] > 0 and abs(cross.position(read[0]) - middle) <= SETTINGS.run_together * token.size:
                ends.add(end)
                break
    return len(text) in ends


def _is_column(other: Plot, plot: Plot, labels: tuple[float, float]) -> bool:
    """True for a plot of the same breadth and place across, next to whose edge the labels stand."""
    if other.axis.orientation != plot.axis.orientation:
        return False
    same = abs(other.frame.c0 - plot.frame.c0) <= SETTINGS.same and abs(other.frame.c1 - plot.frame.c1) <= SETTINGS.same
    return same and min(abs(labels[0] - other.frame.u1), abs(other.frame.u0 - labels[1])) <= SETTINGS.cross_reach
