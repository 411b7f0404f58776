"""The marks of a plot: bars, lines and markers; what looks like one and is none is refused.

Bars are boxes that begin at the base line of the axis, or on one another. Lines are strokes that
run through points; vertices that the plot or its clipping does not show are no points, nor is the
place where a line is cut, nor what a straight line through the whole plot says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from pipelines.extract.charts.geometry import (
    Rect,
    Style,
    around,
    grouped,
    is_alike,
    is_box,
    is_near,
    is_white,
    shown,
    style_of,
    subpaths,
)
from pipelines.extract.charts.plots import Plot, PlotMark, Sheet
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Point, Shape


class BarBox(NamedTuple):
    """A box that may be a bar: what the plot shows of it, all of it, and how it is painted."""

    box: Rect
    whole: Rect
    style: Style


def find_bars(plot: Plot, shapes: Sequence[Shape]) -> float | None:
    """Put the bars of a plot into it, but no cells of a table and no markers; gives the base line,
    None without one.
    """
    boxes = filled_boxes(shapes, plot.sheet, plot.frame)
    base = _base_line(plot, boxes)
    bars, cut, loose = _on_base(base, boxes) if base is not None else ([], [], boxes)
    if bars and not _are_bars(bars, plot.frame):
        return None
    # Boxes of one breadth beside each other, as bars are; a single box may be anything.
    tall = [box.box for box in loose if max(box.box.width, box.box.height) > SETTINGS.sign]
    peers = [bar.box for bar in bars] or ([] if cut else tall)
    for box in tall:
        if any(
            abs(box.width - o.width) <= SETTINGS.same and (bars or abs(o.x0 - box.x0) > 1)
            for o in peers
        ):
            plot.lose("floating_bars", 1, box)
    for box in cut:
        plot.lose("bar_cut", 1, box)
    plot.marks = bars
    return base


def lose_unread_bars(plot: Plot, shapes: Sequence[Shape], base: float | None) -> None:
    """Refuse what stands on the base line and is no box: broad strokes and filled areas."""
    axis, frame = plot.axis, plot.frame
    bases = [
        axis.position(axis.ticks[0].value),
        frame.bottom,
        frame.bottom if base is None else base,
    ]
    bases += [axis.position(0 if axis.scale == "linear" else 1)]
    for shape in shapes:
        box, is_ground = Rect(*shape.box), is_white(shape.fill_colour)
        stands = any(
            abs(edge - at) <= SETTINGS.base_slack for edge in (box.top, box.bottom) for at in bases
        )
        is_stroke = (
            shape.kind == "line"
            and shape.linewidth >= SETTINGS.broad_stroke
            and box.width <= SETTINGS.same
        )
        # From end to end of the plot a stroke is its frame, or a gridline.
        is_part = SETTINGS.same < box.height < SETTINGS.grid * frame.height and frame.grown(
            1
        ).holds((box.x, box.y))
        if stands and is_part and not shape.dash and is_stroke:
            plot.lose("unread_bar", 1, box)
        is_path = shape.fill and shape.kind == "curve" and len(shape.points) > 4 and not is_ground
        is_large = (
            stands and box.height > SETTINGS.marker
        ) or box.width >= SETTINGS.part * frame.width
        if (
            is_path
            and is_large
            and frame.grown(SETTINGS.meets).holds_box(box)
            and not is_box(shape)
        ):
            plot.lose("filled_area", len({round(x) for x, _ in shape.points}), box)


def filled_boxes(shapes: Sequence[Shape], sheet: Sheet, frame: Rect) -> list[BarBox]:
    """Boxes that may be bars, each once, without backgrounds, strokes and legends; none where there
    are too many.
    """
    found: list[BarBox] = []
    # Bars may be drawn as outlines alone; the outline of a filled box is that box.
    for shape in sorted(shapes, key=lambda s: s.kind != "shading" and not s.fill):
        whole, visible = Rect(*shape.box), shown(shape)
        part = visible.cut(frame) if visible is not None else None
        is_painted = (
            shape.fill or shape.kind == "shading" or (shape.kind == "rect" and shape.stroke)
        )
        if part is None or not is_painted or not is_box(shape):
            continue
        # What lies mostly beside the plot is no part of it.
        least = max(SETTINGS.min_breadth, SETTINGS.half * whole.width)
        if not least <= part.width < SETTINGS.grid * frame.width:
            continue
        box = BarBox(part, whole, style_of(shape))
        is_empty = not box.style.pattern and (not box.style.is_filled or is_white(box.style.colour))
        # A bar holds a number at most; a white or empty box around words is the frame of a legend.
        # A white box without outline is ground.
        texts = (word.box for word in sheet.words if any(map(str.isalpha, word.text)))
        if is_empty and (
            (shape.fill and not shape.stroke) or any(part.holds_box(text) for text in texts)
        ):
            continue
        twin = next((i for i, f in enumerate(found) if is_near(f.box, part, SETTINGS.same)), None)
        if twin is None:
            found.append(box)
        elif box.style.is_filled and (box.style.colour is not None or box.style.pattern):
            # Painted twice: the later one lies above.
            found[twin] = box
        if len(found) > SETTINGS.max_boxes:
            return []
    return found


def _base_line(plot: Plot, boxes: Sequence[BarBox]) -> float | None:
    """Position where the bars begin: value zero, on a log scale its lower end or the value 1; None
    where it is none.
    """
    axis = plot.axis
    low, high = axis.span
    slack = max(
        SETTINGS.base_slack,
        SETTINGS.base_share * (high - low),
        0.0 if axis.marks else 0.6 * axis.size,
    )
    expected = (
        [axis.position(0)]
        if axis.scale == "linear"
        else [plot.frame.bottom, axis.position(axis.ticks[0].value)]
    )
    edges = [edge for box in boxes for edge in (*box.box[1::2], *box.whole[1::2])]
    near = [edge for edge in edges if min(abs(edge - place) for place in expected) <= slack]
    return max(
        near, key=lambda edge: sum(abs(edge - o) <= SETTINGS.straight for o in near), default=None
    )


def _on_base(
    base: float, boxes: Sequence[BarBox]
) -> tuple[list[PlotMark], list[Rect], list[BarBox]]:
    """The boxes that begin at the base line or where another one ends, those whose end is not
    shown, and the rest.
    """
    bars: list[PlotMark] = []
    cut: list[Rect] = []
    loose: list[BarBox] = []
    ordered = sorted(boxes, key=lambda b: b.box.x0)
    for column in grouped(
        ordered, lambda column, b: is_near(column[0].box[::2], b.box[::2], SETTINGS.same)
    ):
        left = list(column)
        for sign in (-1, 1):
            ends: list[float] = []
            # Nearest first: a box that begins where the one before it ends is stacked on it.
            for box in sorted(
                left, key=lambda b: [abs(edge - base) for edge in _ends(b.whole, sign)]
            ):
                begin, end = _ends(box.whole, sign)
                if (end - begin) * sign < -0.05 or (end - base) * sign < -0.05:
                    continue
                # What the base line hides, as the lower part of a plot with a broken axis, begins
                # there all the same.
                hidden = (
                    abs(_ends(box.box, sign)[0] - base) <= SETTINGS.same
                    and (base - begin) * sign > 0
                )
                stands = abs(begin - base) <= SETTINGS.same or hidden
                below = min(ends, key=lambda e: abs(begin - e), default=math.inf)
                if not stands and abs(begin - below) > SETTINGS.same:
                    continue
                left.remove(box)
                if abs(_ends(box.box, sign)[1] - end) > SETTINGS.same:
                    cut.append(box.box)
                    continue
                start = base if stands else below
                bars.append(PlotMark("bar", box.box, box.box.x, end, box.style, start, not stands))
                ends.append(end)
        loose += left
    return bars, cut, loose


def _ends(box: Rect, sign: int) -> tuple[float, float]:
    """Where a box begins and ends that grows downwards (1) or upwards (-1)."""
    return (box.top, box.bottom) if sign > 0 else (box.bottom, box.top)


def _are_bars(bars: Sequence[PlotMark], frame: Rect) -> bool:
    """False for what cannot be bars: markers, boxes of one size without a gap (cells of a table)."""
    if all(max(bar.box.width, bar.box.height) <= SETTINGS.sign for bar in bars):
        return False
    columns = sorted({(round(bar.box.x0, 1), round(bar.box.x1, 1)) for bar in bars})
    lengths = sorted(abs(bar.y - bar.start) for bar in bars)
    even = sum(abs(length - lengths[len(lengths) // 2]) <= 2 * SETTINGS.same for length in lengths)
    if len(bars) <= 2 or even < SETTINGS.covers * len(bars):
        return True
    touching = all(right[0] - left[1] <= SETTINGS.same for left, right in pairwise(columns))
    covered = sum(end - start for start, end in columns) / frame.width
    return len(bars) <= 2 * len(columns) and not (touching and covered > SETTINGS.most)


class DrawnLine(NamedTuple):
    """One line: its points from left to right, how it is painted, and how broad its stroke is."""

    points: tuple[Point, ...]
    style: Style
    width: float
    dash: tuple[float, ...]

    @property
    def hull(self) -> Rect:
        """The box around its points."""
        return around(self.points)


def find_points(plot: Plot, shapes: Sequence[Shape]) -> list[PlotMark]:
    """The vertices of lines and the markers among the shapes of a plot; strokes within its bars are
    their hatching.
    """
    bars = [
        *(mark.box for mark in plot.marks),
        *(box for lost in plot.lost.values() for _, box in lost),
    ]
    signs = _legend_lines(shapes, plot)
    pieces = _pieces(shapes, plot, [*bars, *signs])
    markers = [
        m for m in _markers(shapes, plot, bars) if not any(sign.holds((m.x, m.y)) for sign in signs)
    ]
    if len(pieces) > SETTINGS.max_pieces or len(markers) > SETTINGS.max_pieces:
        plot.lose("too_many_strokes", len(pieces) + len(markers), plot.frame)
        return []
    # Single signs are bullets and notes, but where others of their size are beside them.
    sizes = Counter((round(m.box.width), round(m.box.height)) for m in markers)
    markers = [m for m in markers if sizes[round(m.box.width), round(m.box.height)] > 1]
    # Small strokes are markers, or their pieces.
    small = [
        p
        for p in pieces
        if len(p.points) > 1 and max(p.hull.width, p.hull.height) <= SETTINGS.marker
    ]
    pieces = [piece for piece in pieces if piece not in small]
    ends = Counter(
        (piece.style, round(x), round(y))
        for piece in pieces
        for x, y in {*piece.points[:: len(piece.points) - 1 or 1]}
    )
    lines: dict[tuple[Point, ...], DrawnLine] = {}
    for piece in pieces:
        points = _in_order(piece.points)
        if not points:
            plot.lose("no_function", len(piece.points), piece.hull)
        elif any(ends[piece.style, round(x), round(y)] > 1 for x, y in (points[0], points[-1])):
            plot.lose("pieces", len(points), piece.hull)
        elif len(points) == 1:
            plot.lose("cut_line", 1, piece.hull)
        elif cut := _uncut(points, plot, markers):
            # The same line painted twice (a halo below it) counts once, as it is painted last.
            lines[points] = piece._replace(points=cut)
    found = _series(plot, [*lines.values()], markers)
    for piece in small:
        if not any(piece.hull.grown(SETTINGS.same).holds((point.x, point.y)) for point in found):
            plot.lose("stroke_markers", len(piece.points), piece.hull)
    return found


def _pieces(shapes: Iterable[Shape], plot: Plot, ground: Sequence[Rect]) -> list[DrawnLine]:
    """The strokes in a plot that may be lines; gridlines, axes, frames, whiskers and hatching are
    left out.
    """
    frame = plot.frame.grown(SETTINGS.same_place)
    pieces: list[DrawnLine] = []
    for shape in shapes:
        is_line = shape.stroke and shape.kind != "shading" and shape.linewidth <= SETTINGS.max_width
        is_ground = is_white(shape.stroke_colour) or (shape.fill and shape.kind == "rect")
        if not is_line or is_ground or shown(shape) is None:
            continue
        for points in subpaths(shape):
            visible = [point for point in points if _is_visible(point, shape)]
            seen = {point for point in visible if frame.holds(point)}
            inside, hull = sum(point in seen for point in visible), around(points)
            # What runs on beyond the plot is drawn over it, and no line of it.
            if (
                not inside
                or inside < SETTINGS.covers * len(visible)
                or (len(points) > 3 and points[0] == points[-1])
            ):
                continue
            # Gridlines, axes and ticks are straight, along the axis or across it.
            spans = (
                hull.width >= SETTINGS.grid * frame.width
                and len({round(x, 1) for x, _ in points}) <= 2
            )
            is_level = hull.height <= SETTINGS.straight and (len(points) == 2 or spans)
            is_upright = hull.width <= SETTINGS.straight
            if (
                is_level
                or is_upright
                or any(box.grown(SETTINGS.same).holds_box(hull) for box in ground)
            ):
                continue
            runs = (tuple(run) for is_seen, run in groupby(points, seen.__contains__) if is_seen)
            pieces += [
                DrawnLine(run, style_of(shape, is_line=True), shape.linewidth, shape.dash)
                for run in runs
            ]
    return pieces


def _is_visible(point: Point, shape: Shape) -> bool:
    return shape.clip is None or Rect(*shape.clip).grown(SETTINGS.same_place).holds(point)


def _in_order(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The points from left to right, each place once; empty for what runs to and fro, as an outline
    does.
    """
    points = points if points[0][0] <= points[-1][0] else points[::-1]
    kept = [points[0]]
    kept += [
        point
        for before, point in pairwise(points)
        if not is_near(before, point, SETTINGS.same_place)
    ]
    # A step or a whisker goes straight along the axis; a line through data moves on at every point.
    steps = sum(right[0] - left[0] <= 0.05 for left, right in pairwise(kept))
    turns = any(right[0] < left[0] - 0.5 for left, right in pairwise(points))
    return () if turns or steps > 0.2 * len(kept) else tuple(kept)


def _uncut(line: tuple[Point, ...], plot: Plot, markers: Sequence[PlotMark]) -> tuple[Point, ...]:
    """The points without ends where an edge of the plot cuts the line: those are no points, but
    where a marker is.
    """
    points = list(line)
    zero = plot.axis.position(0) if plot.axis.scale == "linear" else math.inf
    edges = (plot.frame.top, plot.frame.bottom) if plot.is_framed else plot.axis.span
    for end in (0, -1):
        if len(points) < 2:
            break
        (x, y), (_, before) = points[end], points[1 if end == 0 else -2]
        is_at_edge = min(abs(y - edge) for edge in edges) <= SETTINGS.same_place
        is_cut = is_at_edge and abs(y - before) > SETTINGS.straight < abs(y - zero)
        if is_cut and not any(is_near((m.x, m.y), (x, y), SETTINGS.same) for m in markers):
            plot.lose("cut_line", 1, Rect(x, y, x, y))
            del points[end]
    return tuple(points)


def _markers(shapes: Iterable[Shape], plot: Plot, bars: Sequence[Rect]) -> list[PlotMark]:
    """The small signs in a plot, each once: its inside and its outline are one sign."""
    found: list[PlotMark] = []
    frame = plot.frame.grown(SETTINGS.same_place)
    for shape in shapes:
        box, place = Rect(*shape.box), _centre(shape)
        size = max(box.width, box.height)
        least = SETTINGS.min_breadth - (
            shape.linewidth if shape.stroke and shape.kind == "curve" else 0.0
        )
        is_seen = shape.kind != "shading" and frame.holds(place) and _is_visible(place, shape)
        if (
            not is_seen
            or not least <= size <= SETTINGS.marker
            or any(is_near(b, box, SETTINGS.same) for b in bars)
        ):
            continue
        operators = [operator for operator, _ in shape.path]
        is_closed = (
            shape.points[:1] == shape.points[-1:] or operators.count("m") > 1 or "h" in operators
        )
        if shape.kind == "line" or not (shape.fill or (len(shape.points) > 3 and is_closed)):
            continue
        # Some producers draw all outlines after all insides.
        recent = (
            m
            for m in found[-3 if shape.fill else 0 :]
            if is_near(m[2:4], place, SETTINGS.same_place)
        )
        if not any(shape.fill or other.style.is_filled for other in recent):
            found.append(PlotMark("scatter_point", box, *place, style_of(shape)))
    return found


def _centre(shape: Shape) -> Point:
    """The place that a sign marks: the middle of its box, of a triangle broader than high its
    centre of gravity.

    R, gnuplot and pgfplots draw equilateral triangles around a point, matplotlib and Office such
    that fill a square.
    """
    corners, box = {*shape.points}, Rect(*shape.box)
    if len(corners) == 3 and box.width > SETTINGS.equilateral * box.height:
        return sum(x for x, _ in corners) / 3, sum(y for _, y in corners) / 3
    return box.x, box.y


def _legend_lines(shapes: Iterable[Shape], plot: Plot) -> list[Rect]:
    """The straight strokes of a legend, each with a margin: a text is beside them on their line."""
    ticks = {word for axis in plot.axes for tick in axis.ticks for word in tick.label.words}
    texts = [word for word in plot.sheet.words if word.angle == 0 and not word.is_of(ticks)]
    longest = min(SETTINGS.legend_line, SETTINGS.grid * plot.frame.width)
    return [
        box.grown(1.0)
        for shape in shapes
        if shape.stroke and len(shape.points) <= 3 and (box := Rect(*shape.box)).height <= SETTINGS.straight
        # The stroke of a legend is longer than its text is high; the cap of a whisker is not.
        and box.width <= longest and any(1.2 * w.height < box.width and w.is_beside(box) for w in texts)
    ]  # fmt: skip


def _series(plot: Plot, lines: Sequence[DrawnLine], markers: list[PlotMark]) -> list[PlotMark]:
    """Lines with markers at most of their vertices, markers that are on none, and lines in a plot
    without any.
    """
    marked: list[DrawnLine] = []
    unmarked: list[DrawnLine] = []
    # A marker is of the line with the most points that it is on, and none of a stroke that leads
    # there.
    for line in sorted(lines, key=lambda line: -len(line.points)):
        on = [
            m
            for m in markers
            if any(is_near((m.x, m.y), p, SETTINGS.same_place) for p in line.points)
        ]
        look = max((m.style for m in on), key=[m.style for m in on].count, default=None)
        own = [m for m in on if m.style == look]
        if len(own) < max(2, SETTINGS.most * len(line.points)):
            unmarked.append(line)
            continue
        markers = [m for m in markers if not any(is_near(m[2:4], other[2:4], 1.5) for other in own)]
        marked.append(line)
    has_markers = len(markers) > 2
    for line in unmarked:
        rule = _no_series(line, plot, has_markers)
        if rule is None:
            marked.append(line)
            continue
        plot.lose(rule, len(line.points), line.hull)
        # The head of an arrow is at an end of a short stroke, painted as it is.
        ends = (
            (line.points[0], line.points[-1]) if len(line.points) <= SETTINGS.leader_points else ()
        )
        for marker in [m for m in markers if is_alike(m.style, line.style)]:
            reach = max(marker.box.width, marker.box.height) + SETTINGS.same
            if any(math.dist(marker[2:4], end) <= reach for end in ends):
                plot.lose("annotation", 1, marker.box)
                markers.remove(marker)
    return [
        PlotMark("line_point", Rect(x, y, x, y).grown(line.width / 2), x, y, line.style, line=number)
        for number, line in enumerate(marked) for x, y in line.points
    ] + markers  # fmt: skip


def _no_series(line: DrawnLine, plot: Plot, has_markers: bool) -> str | None:
    """Why a line without markers is no series, in a plot that has other markers or not; None where
    it may be one.
    """
    box, count = line.hull, len(line.points)
    at_both_sides = box.width >= plot.frame.width - 2 * SETTINGS.straight
    if box.height <= SETTINGS.straight < box.width or (at_both_sides and (line.dash or count == 2)):
        return "reference_line"
    if has_markers:
        return "fitted_line"
    # Leaders, arrows and hatching have two vertices.
    if count == 2:
        return "annotation"
    inner = sum(
        abs((c[0] - a[0]) * (b[1] - a[1]) - (b[0] - a[0]) * (c[1] - a[1]))
        <= SETTINGS.in_line * math.dist(a, c)
        for a, b, c in zip(line.points, line.points[1:], line.points[2:], strict=False)
    )
    return "pieces" if count >= SETTINGS.hatching and inner >= SETTINGS.most * count else None
