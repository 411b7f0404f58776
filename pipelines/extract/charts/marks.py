"""The marks of a plot: bars, lines and markers; what looks like one and is none is refused.

Bars are boxes that begin at the base line of the axis, or on one another. Lines are strokes that
run through points; vertices that the plot or its clipping does not show are no points, nor is the
place where a line is cut, nor what a straight line through the whole plot says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise, product
from typing import NamedTuple

from pipelines.extract.charts.chart import DrawnMark
from pipelines.extract.charts.geometry import (
    COVERS,
    GRID,
    HALF,
    LEGEND_LINE,
    MEETS,
    MIN_BREADTH,
    MOST,
    PART,
    SAME,
    SAME_PLACE,
    STRAIGHT,
    Rect,
    Style,
    around,
    grouped,
    is_alike,
    is_among,
    is_box,
    is_near,
    is_white,
    shown,
    style_of,
    subpaths,
)
from pipelines.extract.charts.plots import Plot, Sheet
from pipelines.read.page import Point, Shape

# A plot with more filled boxes, or more strokes or signs, is a map, a raster or a texture.
_MAX_BOXES, _MAX_PIECES = 500, 4000
# Signs of a legend and markers are no larger.
_SIGN, _MARKER = 10.0, 16.0
# Thicker strokes are no lines; upright ones may be bars.
_MAX_WIDTH, _BROAD_STROKE = 8.0, 3.0
# Bars begin no farther from the base line of an axis.
_BASE_SLACK = 1.2
# A triangle broader than high by this factor is drawn around its centre of gravity.
_EQUILATERAL = 1.1
# So many vertices without bends cut a line in pieces; one off its neighbours by a smaller share of
# their distance is no bend.
_HATCHING, _IN_LINE = 8, 0.02
# An arrow has at most so many vertices.
_LEADER_POINTS = 4


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
    bars, cut, loose = ([], [], boxes) if base is None else _on_base(base, boxes)
    if bars and not _are_bars(bars, plot.frame):
        return None
    # Boxes of one breadth beside each other, as bars are; a single box may be anything.
    tall = [box.box for box in loose if box.box.size > _SIGN]
    for box in tall:
        peers = [bar.box for bar in bars] or [other for other in tall if other != box]
        if any(abs(box.width - peer.width) <= SAME for peer in peers):
            plot.lose("floating_bars", 1, box)
    for box in cut:
        plot.lose("bar_cut", 1, box)
    plot.marks = bars
    return base


def lose_unread_bars(plot: Plot, shapes: Sequence[Shape], base: float | None) -> None:
    """Refuse what stands on the base line and is no box: broad upright strokes and filled areas."""
    frame, bases = plot.frame, _bases(plot, base)
    for shape in shapes:
        box, is_stroke = Rect(*shape.box), shape.kind == "line" and not shape.dash
        ends = [abs(edge - at) for edge, at in product((box.top, box.bottom), bases)]
        stands = min(ends) <= _BASE_SLACK
        # From end to end of the plot a stroke is its frame, or a gridline.
        is_part = SAME < box.height < GRID * frame.height and frame.grown(1).holds(box.middle)
        is_broad = is_stroke and box.width <= SAME and shape.linewidth >= _BROAD_STROKE
        if stands and is_part and is_broad:
            plot.lose("unread_bar", 1, box)
        is_area = shape.fill and not is_white(shape.fill_colour) and not is_box(shape)
        # Small ones are markers and arrows; what floats is an area where it is broad.
        is_large = box.width >= PART * frame.width or (stands and box.height > _MARKER)
        if is_area and is_large and len(shape.points) > 4 and frame.grown(MEETS).holds(box):
            plot.lose("filled_area", len({round(x) for x, _ in shape.points}), box)


def _bases(plot: Plot, base: float | None) -> list[float]:
    """Where bars may begin: the lowest tick, the value zero (on a log scale the value one), the
    lower edge of the plot, and where its boxes begin.
    """
    axis, bottom = plot.axis, plot.frame.bottom
    lowest, zero = axis.ticks[0].value, 0 if axis.scale == "linear" else 1
    return [axis.position(lowest), axis.position(zero), bottom, bottom if base is None else base]


def filled_boxes(shapes: Sequence[Shape], sheet: Sheet, frame: Rect) -> list[BarBox]:
    """Boxes that may be bars, each once, without backgrounds, strokes and legends; none where there
    are too many.
    """
    found: list[BarBox] = []
    texts = [word.box for word in sheet.words if any(map(str.isalpha, word.text))]
    # Bars may be drawn as outlines alone; the outline of a filled box is that box.
    for shape in sorted(shapes, key=lambda shape: not shape.fill):
        whole, visible, style = Rect(*shape.box), shown(shape), style_of(shape)
        part = visible and visible.cut(frame)
        # An outline that is no plain rectangle is put around something.
        is_painted = shape.fill or (shape.kind == "rect" and shape.stroke)
        if not part or not is_painted or not is_box(shape):
            continue
        # What lies mostly beside the plot is no part of it.
        least = max(MIN_BREADTH, HALF * whole.width)
        if not least <= part.width < GRID * frame.width:
            continue
        # A bar holds a number at most; a white or empty box around words is the frame of a legend.
        # A white box without outline is ground.
        if not style.is_filled or is_white(style.colour):
            is_ground = shape.fill and not shape.stroke
            if is_ground or any(part.holds(text) for text in texts):
                continue
        box = BarBox(part, whole, style)
        twins = [i for i, other in enumerate(found) if is_near(other.box, part, SAME)]
        if not twins:
            found.append(box)
        elif style.is_filled:
            # Painted twice: the later one lies above.
            found[twins[0]] = box
        if len(found) > _MAX_BOXES:
            return []
    return found


def _base_line(plot: Plot, boxes: Sequence[BarBox]) -> float | None:
    """Position where the bars begin: value zero, on a log scale its lower end or the value 1; None
    where it is none.
    """
    axis = plot.axis
    # Without tick marks, an axis is off by as much as the middles of its labels.
    slack = _BASE_SLACK if axis.marks else max(_BASE_SLACK, 0.6 * axis.size)
    expected = [axis.position(0 if axis.scale == "linear" else axis.ticks[0].value)]
    if axis.scale == "log":
        expected.append(plot.frame.bottom)
    edges = [edge for box in boxes for edge in (*box.box[1::2], *box.whole[1::2])]
    near = [edge for edge in edges if any(abs(edge - place) <= slack for place in expected)]

    def support(edge: float) -> tuple[bool, int]:
        # The upper edges of thin pieces are near the value zero, too, and may be as many.
        is_exact = bool(axis.marks) and any(abs(edge - at) <= STRAIGHT for at in expected)
        # Producers round positions, so edges on one line are not all the same number.
        return is_exact, sum(abs(edge - other) <= STRAIGHT for other in near)

    return max(near, key=support, default=None)


def _on_base(
    base: float, boxes: Sequence[BarBox]
) -> tuple[list[DrawnMark], list[Rect], list[BarBox]]:
    """The boxes that begin at the base line or where another one ends, those whose end is not
    shown, and the rest.
    """
    bars: list[DrawnMark] = []
    cut: list[Rect] = []
    loose: list[BarBox] = []
    columns = grouped(
        sorted(boxes, key=lambda b: b.box.x0),
        lambda column, b: is_near(column[0].box[::2], b.box[::2], SAME),
    )
    for left in columns:
        for sign in (-1, 1):
            ends = [base]
            # Nearest first: a box that begins where the one before it ends is stacked on it.
            for box in sorted(left, key=lambda b: [abs(at - base) for at in _ends(b.whole, sign)]):
                (begin, end), (seen, seen_end) = _ends(box.whole, sign), _ends(box.box, sign)
                # What the base line hides, as the lower part of a plot with a broken axis, begins
                # there all the same.
                is_hidden = abs(seen - begin) > SAME >= abs(seen - base)
                begin = base if is_hidden else begin
                start = min(ends, key=lambda at: abs(begin - at))
                if abs(begin - start) > SAME:
                    continue
                left.remove(box)
                if abs(seen_end - end) > SAME:
                    cut.append(box.box)
                    continue
                place, is_stacked = box.box.x, start != base
                bars.append(DrawnMark("bar", box.box, place, end, box.style, start, is_stacked))
                ends.append(end)
        loose += left
    return bars, cut, loose


def _ends(box: Rect, sign: int) -> tuple[float, float]:
    """Where a box begins and ends that grows downwards (1) or upwards (-1)."""
    return (box.top, box.bottom) if sign > 0 else (box.bottom, box.top)


def _are_bars(bars: Sequence[DrawnMark], frame: Rect) -> bool:
    """False for what cannot be bars: markers, and boxes of one size above each other or without a
    gap (cells of a table, a coloured ground).
    """
    if all(bar.box.size <= _SIGN for bar in bars):
        return False
    columns = sorted({(round(bar.box.x0, 1), round(bar.box.x1, 1)) for bar in bars})
    lengths = sorted(abs(bar.y - bar.start) for bar in bars)
    middle = lengths[len(lengths) // 2]
    even = sum(abs(length - middle) <= 2 * SAME for length in lengths)
    if len(bars) <= 2 or even < COVERS * len(bars):
        return True
    # Bars of one height have gaps between them, or leave a part of the plot free.
    touching = all(right[0] - left[1] <= SAME for left, right in pairwise(columns))
    covered = sum(end - start for start, end in columns) / frame.width
    return len(bars) <= 2 * len(columns) and not (touching and covered > MOST)


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


def find_points(plot: Plot, shapes: Sequence[Shape]) -> list[DrawnMark]:
    """The vertices of lines and the markers among the shapes of a plot; strokes within its bars are
    their hatching.
    """
    lost = [box for places in plot.lost.values() for _, box in places]
    bars, named = [*(mark.box for mark in plot.marks), *lost], list(_legend_lines(shapes, plot))
    signs = [sign.hull.grown(1.0) for sign in named]
    pieces = list(_pieces(shapes, plot, [*bars, *signs]))
    crosses = list(_crosses(shapes, plot))
    found = [*_markers(shapes, plot, bars), *crosses]
    markers = [m for m in found if not any(s.holds(m.place) for s in signs)]
    if len(pieces) + len(markers) > _MAX_PIECES:
        plot.lose("too_many_strokes", len(pieces) + len(markers), plot.frame)
        return []
    # Single signs may be bullets and notes, but where others of their size are beside them, or where
    # a frame with two scales holds nothing else.
    sizes = Counter(map(_size, markers))
    is_only = len(markers) == 1 and not pieces and plot.is_framed and plot.cross is not None
    for marker in [m for m in markers if sizes[_size(m)] == 1 and not is_only]:
        plot.lose("lone_marker", 1, marker.box)
        markers.remove(marker)
    # Small strokes are markers, or their pieces.
    small = [piece for piece in pieces if len(piece.points) > 1 and piece.hull.size <= _MARKER]
    pieces = [piece for piece in pieces if piece not in small]
    ends = Counter(end for piece in pieces for end in _line_ends(piece))
    lines: dict[tuple[tuple[Point, ...], Style | bool], DrawnLine] = {}
    for piece in pieces:
        points = _in_order(piece.points)
        if not points:
            rule = "no_function"
        elif any(ends[end] > 1 for end in _line_ends(piece)):
            rule = "pieces"
        elif len(points) == 1:
            rule = "cut_line"
        else:
            # The same line painted twice (a halo below it) counts once, as it is painted last; with
            # markers of its own it is another line.
            is_own = any(_is_painted(marker, [piece.style]) for marker in markers)
            lines[points, is_own and piece.style] = piece._replace(
                points=_uncut(points, plot, markers)
            )
            continue
        plot.lose(rule, len(points or piece.points), piece.hull)
    # Crosses on no line may be anything.
    found = _series(plot, list(lines.values()), markers, [sign[1:] for sign in named])
    found = [point for point in found if point not in crosses]
    for piece in small:
        if not any(piece.hull.grown(SAME).holds(point.place) for point in found):
            plot.lose("stroke_markers", len(piece.points), piece.hull)
    return found


def _size(marker: DrawnMark) -> tuple[int, int]:
    """Width and height of a marker, to a point."""
    return round(marker.box.width), round(marker.box.height)


def _line_ends(line: DrawnLine) -> set[tuple[Style, int, int]]:
    """Where a line begins and ends, to a point, with how it is painted."""
    return {(line.style, round(x), round(y)) for x, y in (line.points[0], line.points[-1])}


def _pieces(shapes: Iterable[Shape], plot: Plot, ground: Sequence[Rect]) -> Iterator[DrawnLine]:
    """The strokes in a plot that may be lines; gridlines, axes, frames, whiskers and hatching are
    left out.
    """
    frame = plot.frame.grown(SAME_PLACE)
    for shape in shapes:
        is_line = shape.stroke and shape.linewidth <= _MAX_WIDTH
        # A stroked area is no line.
        is_ground = is_white(shape.stroke_colour) or (shape.fill and shape.kind == "rect")
        if not is_line or is_ground:
            continue
        for points in subpaths(shape):
            visible, hull = [point for point in points if _is_visible(point, shape)], around(points)
            seen = set(filter(frame.holds, visible))
            inside = sum(point in seen for point in visible)
            is_closed = len(points) > 3 and points[0] == points[-1]
            # What runs on beyond the plot is drawn over it, and no line of it.
            if is_closed or inside < max(1, COVERS * len(visible)):
                continue
            # Gridlines, axes and ticks are straight, along the axis or across it.
            # A short level stroke of several vertices may be a line through data.
            is_level = hull.height <= STRAIGHT and len(points) == 2
            is_straight = is_level or hull.width <= STRAIGHT
            if is_straight or any(box.grown(SAME).holds(hull) for box in ground):
                continue
            style = style_of(shape, is_line=True)
            for is_seen, run in groupby(points, seen.__contains__):
                if is_seen:
                    yield DrawnLine(tuple(run), style, shape.linewidth, shape.dash)


def _is_visible(point: Point, shape: Shape) -> bool:
    """False for a point that the clipping of its shape hides."""
    return shape.clip is None or Rect(*shape.clip).grown(SAME_PLACE).holds(point)


def _in_order(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The points from left to right, each place once; empty for what runs to and fro, as an outline
    does.
    """
    points = points if points[0][0] <= points[-1][0] else points[::-1]
    pairs = list(pairwise(points))
    kept = [
        points[0],
        *(point for before, point in pairs if not is_near(before, point, SAME_PLACE)),
    ]
    # A step or a whisker goes straight along the axis; a line through data moves on at every point.
    steps = sum(right[0] - left[0] <= 0.05 for left, right in pairwise(kept))
    turns = any(right[0] < left[0] - 0.5 for left, right in pairs)
    return () if turns or steps > 0.2 * len(kept) else tuple(kept)


def _uncut(
    points: tuple[Point, ...], plot: Plot, markers: Sequence[DrawnMark]
) -> tuple[Point, ...]:
    """The points without ends where an edge of the plot cuts the line: those are no points, but
    where a marker is.
    """
    zero = plot.axis.position(0) if plot.axis.scale == "linear" else math.inf
    edges = plot.frame[1::2] if plot.is_framed else plot.axis.span
    # First the left end, then the right one, which is the first of the points turned round.
    for _ in range(2):
        end, (_, before) = points[0], points[1 % len(points)]
        is_at_edge = any(abs(end[1] - edge) <= SAME_PLACE for edge in edges)
        is_cut = is_at_edge and abs(end[1] - before) > STRAIGHT < abs(end[1] - zero)
        if is_cut and not is_among(end, (marker.place for marker in markers), SAME):
            plot.lose("cut_line", 1, around([end]))
            points = points[1:]
        points = points[::-1]
    return points


def _markers(shapes: Iterable[Shape], plot: Plot, bars: Sequence[Rect]) -> list[DrawnMark]:
    """The small signs in a plot, each once: its inside and its outline are one sign."""
    found: list[DrawnMark] = []
    frame = plot.frame.grown(SAME_PLACE)
    for shape in shapes:
        box, place = Rect(*shape.box), _centre(shape)
        is_closed = any(piece[0] == piece[-1] for piece in subpaths(shape))
        is_sign = shape.fill or (is_closed and len(shape.points) > 3)
        if (
            shape.kind in ("line", "shading")
            or not is_sign
            or not MIN_BREADTH <= box.size <= _MARKER
        ):
            continue
        is_seen = frame.holds(place) and _is_visible(place, shape)
        if not is_seen or is_among(box, bars, SAME):
            continue
        # A sign between two words is a character of their line, such as `≈`.
        beside = {word.box.x < box.x for word in plot.sheet.words if word.is_beside(box, HALF)}
        if len(beside) > 1:
            plot.lose("annotation", 1, box)
            continue
        # Some producers draw all outlines after all insides.
        recent = [marker.place for marker in found[-3 if shape.fill else 0 :]]
        if not is_among(place, recent, SAME_PLACE):
            found.append(DrawnMark("scatter_point", box, *place, style_of(shape)))
    return found


def _crosses(shapes: Iterable[Shape], plot: Plot) -> Iterator[DrawnMark]:
    """The signs of two strokes in a plot, `x` and `+`: drawn one after the other with one middle,
    as no tick and no cap of a whisker is.
    """
    strokes = [
        (around(points), sorted(points), shape)
        for shape in shapes
        for points in subpaths(shape)
        if shape.stroke and len(points) == 2
    ]
    for (box, ends, shape), (other, others, _) in pairwise(strokes):
        is_cross = ends != others and is_near(box.middle, other.middle, STRAIGHT)
        if is_cross and plot.frame.holds(box.middle):
            place = around([box, other])
            yield DrawnMark("scatter_point", place, *place.middle, style_of(shape, is_line=True))


def _centre(shape: Shape) -> Point:
    """The place that a sign marks: the middle of its box, of a triangle broader than high its
    centre of gravity.

    R, gnuplot and pgfplots draw equilateral triangles around a point, matplotlib and Office such
    that fill a square.
    """
    corners, box = {*shape.points}, Rect(*shape.box)
    if len(corners) == 3 and box.width > _EQUILATERAL * box.height:
        return sum(x for x, _ in corners) / 3, sum(y for _, y in corners) / 3
    return box.middle


def _legend_lines(shapes: Iterable[Shape], plot: Plot) -> Iterator[DrawnLine]:
    """The straight strokes of legends: a text is beside them on their line."""
    texts = [word for word in plot.sheet.words if not word.is_of(plot.words)]
    for shape in shapes:
        box = Rect(*shape.box)
        # A level line through more points is data, and a thin filled box is a bar.
        is_sign = shape.stroke and len(shape.points) <= 3 and box.height <= STRAIGHT
        if not is_sign or box.width > min(LEGEND_LINE, GRID * plot.frame.width):
            continue
        # The stroke of a legend is longer than its text is high; the cap of a whisker is not.
        if any(1.2 * text.height < box.width and text.is_beside(box) for text in texts):
            style = style_of(shape, is_line=True)
            yield DrawnLine(shape.points, style, shape.linewidth, shape.dash)


def _series(
    plot: Plot,
    lines: Sequence[DrawnLine],
    markers: list[DrawnMark],
    named: Sequence[tuple[object, ...]],
) -> list[DrawnMark]:
    """Lines with markers at most of their vertices, markers that are on none, and lines in a plot
    without any.

    `named` is how the strokes of its legend are painted.
    """
    marked: list[DrawnLine] = []
    unmarked: list[DrawnLine] = []
    # A marker is of the line with the most points that it is on, and none of a stroke that leads
    # there.
    for line in sorted(lines, key=lambda line: -len(line.points)):
        on = [marker for marker in markers if is_among(marker.place, line.points, SAME_PLACE)]
        looks = Counter(marker.style for marker in on)
        # Markers of another line may be at the same places.
        look = max(looks, key=lambda s: (is_alike(s, line.style), looks[s]), default=None)
        own = [marker.place for marker in on if marker.style == look]
        if len(own) < max(2, MOST * len(line.points)):
            unmarked.append(line)
        else:
            others = [o.style for o in lines if not is_alike(o.style, line.style)]
            kept = [m for m in markers if m.style != look and _is_painted(m, others)]
            markers = [m for m in markers if m in kept or not is_among(m.place, own, 1.5)]
            marked.append(line)
    has_markers = len(markers) > 2
    times = Counter(line[1:] for line in lines)
    for line in unmarked:
        # What a legend names is no note, if it is the only one that is painted so.
        is_named = line[1:] in named and times[line[1:]] == 1
        rule = _no_series(line, plot, has_markers, is_named)
        if rule is None:
            marked.append(line)
            continue
        plot.lose(rule, len(line.points), line.hull)
        # The head of an arrow is at an end of a short stroke, painted as it is.
        if len(line.points) <= _LEADER_POINTS:
            for marker in list(_heads(line, markers)):
                plot.lose("annotation", 1, marker.box)
                markers.remove(marker)
    points = [
        DrawnMark(
            "line_point", around([point]).grown(line.width / 2), *point, line.style, line=number
        )
        for number, line in enumerate(marked)
        for point in line.points
    ]
    return points + markers


def _is_painted(marker: DrawnMark, styles: Iterable[Style]) -> bool:
    """True for a marker that is painted as one of several lines."""
    return any(is_alike(marker.style, style) for style in styles)


def _heads(line: DrawnLine, markers: Sequence[DrawnMark]) -> Iterator[DrawnMark]:
    """The markers at the ends of a stroke that are painted as it is."""
    for marker in markers:
        gap = min(math.dist(marker.place, end) for end in (line.points[0], line.points[-1]))
        if gap <= marker.box.size + SAME and is_alike(marker.style, line.style):
            yield marker


def _no_series(line: DrawnLine, plot: Plot, has_markers: bool, is_named: bool) -> str | None:
    """Why a line without markers is no series, in a plot that has other markers or not, be it named
    by a legend or not; None where it may be one.
    """
    box, points = line.hull, line.points
    is_level = box.height <= STRAIGHT < box.width
    is_across = box.width >= plot.frame.width - 2 * STRAIGHT
    if is_level or (is_across and (line.dash or len(points) == 2)):
        return "reference_line"
    if has_markers:
        return "fitted_line"
    # Leaders, arrows and hatching have two vertices.
    if len(points) == 2 and not is_named:
        return "annotation"
    inner = 0
    for a, b, c in zip(points, points[1:], points[2:], strict=False):
        off = abs((c[0] - a[0]) * (b[1] - a[1]) - (b[0] - a[0]) * (c[1] - a[1]))
        inner += off <= _IN_LINE * math.dist(a, c)
    return "pieces" if len(points) >= _HATCHING and inner >= MOST * len(points) else None
