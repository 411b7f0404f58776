"""Lines and markers of a plot: strokes that run through points, put together where they are drawn in pieces, and signs.

Vertices that the plot or its clipping does not show are no points; nor is the place where a line is cut, nor what a
straight line through the whole plot says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from pipelines.extract.charts.geometry import (
    Rect,
    around,
    is_alike,
    is_near,
    is_white,
    marker_form,
    same_colour,
    shown,
    style_of,
    subpaths,
)
from pipelines.extract.charts.plots import DrawnLine, DrawnMarker, LostMarks, Plot
from pipelines.extract.charts.settings import SETTINGS
from pipelines.read.page import Point, Shape

# Of the lines painted before, so many may go on.
_REACH_BACK = 30


def find_lines(plot: Plot, shapes: Sequence[Shape]) -> None:
    """Put the lines and markers among the shapes of a plot into it; strokes within its bars are their hatching."""
    bars = [*(bar.box for bar in plot.bars), *(lost.box for lost in plot.lost)]
    signs = _legend_lines(shapes, plot)
    pieces = _pieces(shapes, plot, [*bars, *signs])
    markers = [m for m in _markers(shapes, plot, bars) if not any(sign.holds(m.place) for sign in signs)]
    if len(pieces) > SETTINGS.max_pieces or len(markers) > SETTINGS.max_pieces:
        plot.lose("too_many_strokes", len(pieces) + len(markers), plot.frame)
        return
    lines: dict[tuple[Point, ...], DrawnLine] = {}
    for joined in _joined(pieces):
        line = _in_order(joined)
        if line is None:
            plot.lose("no_function", len(joined.points), around(joined.points))
        elif cut := _uncut(line, plot, markers):
            # The same line painted twice (a halo below it) counts once, as it is painted last.
            lines.pop(line.points, None)
            lines[line.points] = line._replace(points=cut)
    _put_markers(plot, [*lines.values()], _families(markers))


def _pieces(shapes: Iterable[Shape], plot: Plot, bars: Sequence[Rect]) -> list[DrawnLine]:
    """The strokes in a plot that may be lines; gridlines, axes, frames, whiskers and hatching are left out."""
    frame = plot.frame.grown(SETTINGS.same_place)
    pieces: list[DrawnLine] = []
    for shape in shapes:
        is_line = shape.stroke and shape.kind != "shading" and shape.linewidth <= SETTINGS.max_width
        is_ground = is_white(shape.stroke_colour) or (shape.fill and shape.kind == "rect")
        if not is_line or is_ground or shown(shape) is None:
            continue
        style = style_of(shape, is_line=True)
        for points in subpaths(shape):
            visible = [point for point in points if _is_visible(point, shape)]
            inside = sum(map(frame.holds, visible))
            # What runs on beyond the plot is drawn over it, and no line of it.
            if not inside or inside < SETTINGS.covers * len(visible) or (len(points) > 3 and points[0] == points[-1]):
                continue
            hull = around(points)
            if _is_structure(points, plot.frame) or any(b.grown(SETTINGS.same).holds_box(hull) for b in bars):
                continue
            seen = {point for point in visible if frame.holds(point)}
            for is_seen, run in groupby(points, seen.__contains__):
                if is_seen:
                    pieces.append(DrawnLine(tuple(run), style, shape.linewidth))
    # Small strokes of one form at many places are markers; those alone are short lines.
    boxes = [around(piece.points) for piece in pieces]
    forms = [
        (round(b.width, 1), round(b.height, 1), len(p.points), p.style) for p, b in zip(pieces, boxes, strict=True)
    ]
    times = Counter(form for form in forms if max(form[:2]) <= SETTINGS.marker and form[2] > 1)
    return [piece for piece, form in zip(pieces, forms, strict=True) if times[form] < 2]


def _is_visible(point: Point, shape: Shape) -> bool:
    return shape.clip is None or Rect(*shape.clip).grown(SETTINGS.same_place).holds(point)


def _is_structure(points: Sequence[Point], frame: Rect) -> bool:
    """True for gridlines, axes and their ticks: straight along or across the axis, spanning the plot or one piece."""
    box = around(points)
    spans = box.width >= SETTINGS.grid * frame.width and len({round(x, 1) for x, _ in points}) <= 2
    return box.width <= SETTINGS.straight or (box.height <= SETTINGS.straight and (len(points) == 2 or spans))


def _joined(pieces: Sequence[DrawnLine]) -> list[DrawnLine]:
    """Pieces painted alike that follow each other, as one line."""
    lines: list[DrawnLine] = []
    for piece in pieces:
        # Pieces are painted one after the other: what goes on is among the last.
        for index in range(len(lines) - 1, max(-1, len(lines) - 1 - _REACH_BACK), -1):
            line = lines[index]
            if line.style != piece.style or abs(line.width - piece.width) > 0.1:
                continue
            orders = ((line.points, piece.points), (piece.points, line.points))
            pair = next(((one, two) for one, two in orders if is_near(one[-1], two[0], SETTINGS.same_place)), None)
            if pair is not None:
                lines[index] = line._replace(points=(*pair[0], *pair[1][1:]))
                break
        else:
            lines.append(piece)
    return lines


def _in_order(line: DrawnLine) -> DrawnLine | None:
    """The line from left to right, each place once; None for what runs to and fro, as an outline does."""
    points = line.points if line.points[0][0] <= line.points[-1][0] else line.points[::-1]
    if any(right[0] < left[0] - 0.5 for left, right in pairwise(points)):
        return None
    kept = [points[0]]
    kept += [point for before, point in pairwise(points) if not is_near(before, point, SETTINGS.same_place)]
    # A step or a whisker goes straight along the axis; a line through data moves on at every point.
    steps = sum(right[0] - left[0] <= 0.05 for left, right in pairwise(kept))
    return line._replace(points=tuple(kept)) if steps <= 0.2 * len(kept) else None


def _uncut(line: DrawnLine, plot: Plot, markers: Sequence[DrawnMarker]) -> tuple[Point, ...]:
    """The points without ends where an edge of the plot cuts the line: those are no points, but where a marker is."""
    points, inner = list(line.points), plot.frame.grown(-SETTINGS.straight)
    zero = plot.axis.position(0) if plot.axis.scale == "linear" else math.inf
    for end in (0, -1):
        if len(points) < 2 or not plot.is_framed:
            break
        (x, y), (_, before) = points[end], points[1 if end == 0 else -2]
        at_end = not inner.top <= y <= inner.bottom and abs(y - before) > SETTINGS.straight
        at_side = not inner.x0 <= x <= inner.x1 and _is_odd_step(points, end)
        is_cut = (at_end and abs(y - zero) > SETTINGS.straight) or at_side
        if is_cut and not any(is_near(m.place, (x, y), SETTINGS.same) for m in markers):
            plot.lose("cut_line", 1, Rect(x, y, x, y))
            del points[end]
    return tuple(points)


def _is_odd_step(points: Sequence[Point], end: int) -> bool:
    """True where all steps across the axis are of one length but the outermost one, which is shorter."""
    steps = [right[0] - left[0] for left, right in pairwise(points)]
    outer = steps.pop(end) if steps else 0.0
    return len(steps) > 1 and max(steps) - min(steps) <= 0.02 * max(steps) + 0.1 and outer < 0.97 * min(steps)


def _markers(shapes: Iterable[Shape], plot: Plot, bars: Sequence[Rect]) -> list[DrawnMarker]:
    """The small signs in a plot, each once; several strokes around one middle (a cross) are one sign."""
    found: list[DrawnMarker] = []
    strokes: list[tuple[DrawnMarker, float]] = []
    frame = plot.frame.grown(SETTINGS.same_place)
    for shape in shapes:
        box, place = Rect(*shape.box), _centre(shape)
        size = max(box.width, box.height)
        least = SETTINGS.min_breadth - (shape.linewidth if shape.stroke and shape.kind == "curve" else 0.0)
        is_seen = shape.kind != "shading" and frame.holds(place) and _is_visible(place, shape)
        if not is_seen or not least <= size <= SETTINGS.marker or any(is_near(b, box, SETTINGS.same) for b in bars):
            continue
        marker = DrawnMarker(place, box, style_of(shape)._replace(marker=marker_form(shape)))
        if shape.kind == "line" or (not shape.fill and len(shape.points) == 2):
            # One stroke is a tick, a whisker or a piece of a line; two through one middle are a sign.
            (x0, y0), (x1, y1) = shape.points[0], shape.points[-1]
            slope = math.atan2(y1 - y0, x1 - x0)
            if any(
                _at_one_place(m, marker) and m.style[:3] == marker.style[:3]
                and abs(math.sin(slope - other)) > SETTINGS.straight for m, other in strokes[-4:]
            ):  # fmt: skip
                _add(found, marker)
            else:
                strokes.append((marker, slope))
        # An open path of several pieces around one middle is a cross or a star.
        elif shape.fill or (len(shape.points) > 3 and (shape.points[0] == shape.points[-1] or _is_sign(shape))):
            _add(found, marker)
    filled = [m for m in found if m.style.marker and m.style.marker[3]]
    # Some producers draw all outlines after all insides.
    return [
        m for m in found
        if m.style.is_filled
        or not any(_at_one_place(m, f) and abs(m.box.width - f.box.width) <= SETTINGS.same for f in filled)
    ]  # fmt: skip


def _centre(shape: Shape) -> Point:
    """The place that a sign marks: the middle of its box, of a triangle broader than high its centre of gravity.

    R, gnuplot and pgfplots draw equilateral triangles around a point, matplotlib and Office such that fill a square.
    """
    corners, box = {*shape.points}, Rect(*shape.box)
    if len(corners) == 3 and shape.kind != "line" and box.width > SETTINGS.equilateral * box.height:
        return sum(x for x, _ in corners) / 3, sum(y for _, y in corners) / 3
    return box.x, box.y


def _legend_lines(shapes: Iterable[Shape], plot: Plot) -> list[Rect]:
    """The straight strokes of a legend, each with a margin: a text is beside them on their line."""
    ticks = {word for axis in (plot.axis, plot.cross) if axis for tick in axis.ticks for word in tick.label.words}
    texts = [word for word in plot.sheet.words if word.angle == 0 and not word.is_of(ticks)]
    longest = min(SETTINGS.legend_line, SETTINGS.grid * plot.frame.width)
    return [
        box.grown(1.0)
        for shape in shapes
        if shape.stroke and len(shape.points) <= 3 and (box := Rect(*shape.box)).height <= SETTINGS.straight
        # The stroke of a legend is longer than its text is high; the cap of a whisker is not.
        and box.width <= longest and any(1.2 * w.height < box.width and w.is_beside(box, 0.6, -1) for w in texts)
    ]  # fmt: skip


def _is_sign(shape: Shape) -> bool:
    operators = [operator for operator, _ in shape.path]
    return operators.count("m") > 1 or "h" in operators


def _at_one_place(left: DrawnMarker, right: DrawnMarker) -> bool:
    return is_near(left.place, right.place, SETTINGS.same_place)


def _add(found: list[DrawnMarker], marker: DrawnMarker) -> None:
    for index in range(len(found) - 1, max(-1, len(found) - 4), -1):
        other = found[index]
        is_other = other.style[:3] != marker.style[:3] and not (other.style.is_filled or marker.style.is_filled)
        if _at_one_place(other, marker) and not is_other:
            # A sign drawn in several strokes, or its inside and its outline.
            colour = other.style.colour or marker.style.colour
            found[index] = other._replace(
                box=around([other.box, marker.box]), style=other.style._replace(colour=colour)
            )
            return
    found.append(marker)


def _families(markers: Sequence[DrawnMarker]) -> list[list[DrawnMarker]]:
    """Markers of one size and look, together; single ones only where others of their form are beside them."""
    groups: dict[tuple[object, ...], list[DrawnMarker]] = {}
    for marker in markers:
        # Producers round a position up or down, and the size with it.
        width, height = round(marker.box.width / 0.4), round(marker.box.height / 0.4)
        look = (marker.style._replace(marker=None), (marker.style.marker or ())[2:])
        near = [(width + i, height + j, *look) for i in (0, -1, 1) for j in (0, -1, 1)]
        groups.setdefault(next((key for key in near if key in groups), near[0]), []).append(marker)
    forms = Counter((marker.style.marker or ())[2:] for marker in markers)
    return [group for group in groups.values() if len(group) > 1 or forms[(group[0].style.marker or ())[2:]] > 1]


def _put_markers(plot: Plot, lines: Sequence[DrawnLine], families: Sequence[list[DrawnMarker]]) -> None:
    """Keep lines with the markers on them, markers that are on none, and no lines that only lead through markers."""
    kept: list[DrawnLine] = []
    used: list[DrawnMarker] = []
    # A marker is of the line with the most points that it is on, and none of a stroke that leads there.
    for line in sorted(lines, key=lambda line: -len(line.points)):
        left = [[marker for marker in family if marker not in used] for family in families]
        own = max((_own_markers(line, family) for family in left), key=len, default=[])
        if not own:
            kept.append(line)
            continue
        used += own
        xs = [marker.place[0] for marker in own]
        at = {point for point in line.points if any(abs(x - point[0]) <= SETTINGS.same_place for x in xs)}
        between = {m.place for m in own if not any(abs(m.place[0] - x) <= SETTINGS.same_place for x, _ in at)}
        points = set(line.points)
        if len(line.points) > 2 * len(own):
            # A smooth line between its points.
            plot.lose("fitted_line", len(line.points) - len(at), around(line.points))
            points = at
        style = line.style._replace(marker=own[0].style.marker)
        kept.append(DrawnLine(tuple(sorted(points | between)), style, line.width, is_marked=True))
    plot.scatter = [[m for m in family if not any(is_near(m.place, u.place, 1.5) for u in used)] for family in families]
    # A single marker in the colour of a line is its sign in the legend.
    of_lines = [
        group for group in plot.scatter if len(group) == 1 and any(is_alike(group[0].style, k.style) for k in kept)
    ]
    has_signs = sum(map(len, plot.scatter)) - len(of_lines) > 2
    most = max((len(line.points) for line in kept), default=0)
    alike = Counter((line.style, line.width) for line in kept if not line.is_marked and len(line.points) == 2)
    for line in kept:
        rule = None if line.is_marked else _no_series(line, plot, has_signs, most, alike[line.style, line.width])
        if rule is None:
            plot.lines.append(line)
            continue
        plot.lose(rule, len(line.points), around(line.points))
        heads = [marker for group in plot.scatter for marker in group if _is_head(marker, line, plot)]
        plot.lost += [LostMarks("annotation", 1, marker.box) for marker in heads]
        plot.scatter = [[marker for marker in group if marker not in heads] for group in plot.scatter]
    plot.scatter = [group for group in plot.scatter if group]


def _no_series(line: DrawnLine, plot: Plot, has_signs: bool, most: int, alike: int) -> str | None:
    """Why a line without markers is no series; None where it may be one.

    `has_signs` says that markers are on no line, `most` how many vertices the longest line of the plot has, and `alike`
    how many lines of two vertices are painted as this one.
    """
    box, count = around(line.points), len(line.points)
    at_both_sides = box.width >= plot.frame.width - 2 * SETTINGS.straight
    is_level = box.height <= SETTINGS.straight < box.width
    if is_level or (at_both_sides and (line.style.dash or count == 2)):
        return "reference_line"
    if count == 2 and alike >= SETTINGS.hatching:
        return "too_many_strokes"
    if has_signs:
        return "fitted_line"
    # Leaders and arrows have two vertices beside lines of more.
    if count == 2 < most:
        return "annotation"
    inner = sum(
        abs((c[0] - a[0]) * (b[1] - a[1]) - (b[0] - a[0]) * (c[1] - a[1])) <= SETTINGS.in_line * math.dist(a, c)
        for a, b, c in zip(line.points, line.points[1:], line.points[2:], strict=False)
    )
    return "pieces" if count >= SETTINGS.hatching and inner >= SETTINGS.most * count else None


def _is_head(marker: DrawnMarker, line: DrawnLine, plot: Plot) -> bool:
    """True for the head of an arrow: at an end of a short stroke, painted as it is."""
    is_short = len(line.points) <= SETTINGS.leader_points and around(line.points).width < 0.4 * plot.frame.width
    reach = max(marker.box.width, marker.box.height) + SETTINGS.same
    at_end = any(math.dist(marker.place, end) <= reach for end in (line.points[0], line.points[-1]))
    return is_short and at_end and same_colour(marker.style.colour, line.style.colour)


def _own_markers(line: DrawnLine, family: Sequence[DrawnMarker]) -> list[DrawnMarker]:
    """The markers of one look on a line: at most of its points, or of a smooth line all but a few of them."""
    on = [m for m in family if _distance(m.place, line.points) <= SETTINGS.same_place]
    at_points = sum(any(abs(m.place[0] - x) <= SETTINGS.same_place for m in on) for x, _ in line.points)
    is_own = at_points >= SETTINGS.most * len(line.points) or len(on) >= SETTINGS.covers * len(family)
    return on if len(on) >= 2 and is_own else []


def _distance(place: Point, points: Sequence[Point]) -> float:
    """How far a place is from a line, in points."""
    least = math.inf
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 - SETTINGS.marker <= place[0] <= x1 + SETTINGS.marker:
            length = math.dist((x0, y0), (x1, y1)) or 1.0
            share = ((place[0] - x0) * (x1 - x0) + (place[1] - y0) * (y1 - y0)) / length**2
            share = max(0.0, min(1.0, share))
            least = min(least, math.dist((x0 + share * (x1 - x0), y0 + share * (y1 - y0)), place))
    return least
