"""Lines and markers of a plot: strokes that run through points, put together where they are drawn in pieces, and signs.

Vertices that the plot or its clipping does not show are no points; nor is the place where a line is cut, nor what a
straight line through the whole plot says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from pipelines.extract.charts.chart import DrawnLine, DrawnMarker, LostMarks, PlotMarks
from pipelines.extract.charts.geometry import (
    Rect,
    Style,
    around,
    is_near,
    is_white,
    marker_form,
    same_colour,
    shown,
    style_of,
    subpaths,
)
from pipelines.extract.charts.plots import Plot
from pipelines.extract.charts.settings import SETTINGS
from pipelines.extract.charts.sheet import Sheet
from pipelines.read.page import Point, Shape, Word

_REACH_BACK = 30
# Markers that are printed as characters of a symbol font.
_GLYPHS = frozenset("■●◆▲▼□○◼▪•◇△▽★")


def find_lines(marks: PlotMarks, shapes: Sequence[Shape], sheet: Sheet) -> None:
    """Put the lines and markers among the shapes of a plot into its marks; its bars are found before.

    Args:
        marks: The marks of the plot; strokes within its bars are their hatching.
        shapes: Shapes of the plot.
        sheet: The page: some producers print markers as characters.
    """
    plot = marks.plot
    bars = [*(bar.box for bar in marks.bars), *(lost.box for lost in marks.lost)]
    signs = _legend_lines(shapes, sheet, plot)
    pieces = _pieces(shapes, marks, [*bars, *signs])
    markers = [m for m in _markers(shapes, sheet, plot, bars) if not any(s.holds(m.place) for s in signs)]
    if len(pieces) > SETTINGS.max_pieces or len(markers) > SETTINGS.max_markers:
        marks.lose("too_many_strokes", len(pieces) + len(markers), plot.frame)
        return
    lines: dict[tuple[Point, ...], DrawnLine] = {}
    for joined in _joined(pieces):
        line = _in_order(joined)
        if line is None:
            marks.lose("no_function", len(joined.points), around(joined.points))
        elif cut := _uncut(line, marks, markers):
            # The same line painted twice (a halo below it) counts once, as it is painted last.
            lines.pop(line.points, None)
            lines[line.points] = line._replace(points=cut)
    _put_markers(marks, [*lines.values()], _families(markers))


def _pieces(shapes: Iterable[Shape], marks: PlotMarks, bars: Sequence[Rect]) -> list[DrawnLine]:
    """The strokes in a plot that may be lines; gridlines, axes, frames, whiskers and hatching are left out."""
    frame = marks.plot.frame.grown(SETTINGS.inside)
    pieces: list[tuple[DrawnLine, bool]] = []
    for shape in shapes:
        box = shown(shape)
        is_line = shape.stroke and shape.kind != "shading" and shape.linewidth <= SETTINGS.max_width
        is_ground = is_white(shape.stroke_colour) or (shape.fill and shape.kind == "rect")
        if not is_line or is_ground or box is None or not box.meets(frame):
            continue
        clip = Rect(*shape.clip).grown(SETTINGS.inside) if shape.clip else frame.grown(math.inf)
        for points in subpaths(shape):
            visible = [point for point in points if clip.holds(point)]
            inside = sum(map(frame.holds, visible))
            # What runs on beyond the plot is drawn over it, and no line of it.
            if not inside or inside < SETTINGS.covers * len(visible) or (len(points) > 3 and points[0] == points[-1]):
                continue
            hull = around(points)
            if not _is_structure(points, marks.plot.frame) and not any(
                b.grown(SETTINGS.same).holds_box(hull) for b in bars
            ):
                style = style_of(shape, is_line=True)
                runs = _runs(points, lambda point, clip=clip: frame.holds(point) and clip.holds(point))  # type: ignore[misc]
                pieces += [(DrawnLine(tuple(run), style, shape.linewidth), shape.clip is not None) for run in runs]
    if marks.plot.is_clipped and any(is_cut for _, is_cut in pieces):
        # What the plot's clipping does not cut was laid over it: arrows and notes.
        for piece in (piece for piece, is_cut in pieces if not is_cut and not _is_small(piece.points)):
            marks.lose("annotation", len(piece.points), around(piece.points))
        pieces = [item for item in pieces if item[1]]
    # Small strokes of one form at many places are markers; those alone are short lines.
    forms = Counter(_form(piece) for piece, _ in pieces)
    return [p for p, _ in pieces if len(p.points) == 1 or not (_is_small(p.points) and forms[_form(p)] > 1)]


def _runs(points: Sequence[Point], is_seen: Callable[[Point], bool]) -> list[list[Point]]:
    """The vertices that are shown, those in a row together."""
    runs: list[list[Point]] = [[]]
    for point in points:
        if is_seen(point):
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _form(piece: DrawnLine) -> tuple[object, ...]:
    box = around(piece.points)
    return round(box.width, 1), round(box.height, 1), len(piece.points), piece.style


def _is_small(points: Sequence[Point]) -> bool:
    box = around(points)
    return max(box.width, box.height) <= SETTINGS.marker


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
            if is_near(line.points[-1], piece.points[0], SETTINGS.joins):
                lines[index] = line._replace(points=(*line.points, *piece.points[1:]))
                break
            if is_near(line.points[0], piece.points[-1], SETTINGS.joins):
                lines[index] = line._replace(points=(*piece.points[:-1], *line.points))
                break
        else:
            lines.append(piece)
    return lines


def _in_order(line: DrawnLine) -> DrawnLine | None:
    """The line from left to right, each place once; None for what runs to and fro, as an outline does."""
    points = list(line.points)
    if points[0][0] > points[-1][0]:
        points.reverse()
    kept = [points[0]]
    for before, point in pairwise(points):
        if point[0] < before[0] - 0.5:
            return None
        if not is_near(kept[-1], point, SETTINGS.joins):
            kept.append(point)
    # A step or a whisker goes straight along the axis; a line through data moves on at every point.
    steps = sum(b[0] - a[0] <= 0.05 for a, b in pairwise(kept))
    return line._replace(points=tuple(kept)) if steps <= 0.2 * len(kept) else None


def _uncut(line: DrawnLine, marks: PlotMarks, markers: Sequence[DrawnMarker]) -> tuple[Point, ...]:
    """The points without ends where an edge of the plot cuts the line: those are no points, but where a marker is."""
    points, plot, inner = list(line.points), marks.plot, marks.plot.frame.grown(-SETTINGS.edge)
    zero = plot.axis.position(0) if plot.axis.scale == "linear" else math.inf
    for end in (0, -1):
        if not points or (len(points) > 1 and not plot.is_framed):
            break
        (x, y), (_, before) = points[end], points[min(1, len(points) - 1) if end == 0 else max(-2, -len(points))]
        at_end = not inner.top <= y <= inner.bottom and abs(y - before) > SETTINGS.straight
        at_side = not inner.x0 <= x <= inner.x1 and _is_odd_step(points, end)
        # One vertex of a line that goes on beyond the plot may be where the line is cut.
        is_cut = not inner.holds((x, y)) if len(points) == 1 else (at_end and abs(y - zero) > SETTINGS.edge) or at_side
        if is_cut and not any(is_near(m.place, (x, y), SETTINGS.same) for m in markers):
            marks.lose("cut_line", 1, Rect(x, y, x, y))
            del points[end]
    return tuple(points)


def _is_odd_step(points: Sequence[Point], end: int) -> bool:
    """True where all steps across the axis are of one length but the outermost one, which is shorter."""
    steps = [b[0] - a[0] for a, b in pairwise(points)]
    outer = steps.pop(end) if steps else 0.0
    return len(steps) > 1 and max(steps) - min(steps) <= 0.02 * max(steps) + 0.1 and outer < 0.97 * min(steps)


def _markers(shapes: Iterable[Shape], sheet: Sheet, plot: Plot, bars: Sequence[Rect]) -> list[DrawnMarker]:
    """The small signs in a plot, each once; several strokes around one middle (a cross) are one sign."""
    found: list[DrawnMarker] = []
    crossing: list[tuple[DrawnMarker, float]] = []
    frame = plot.frame.grown(SETTINGS.inside)
    for shape in shapes:
        if shape.kind == "shading" or shown(shape) is None:
            continue
        box, place = Rect(*shape.box), _centre(shape)
        size = max(box.width, box.height)
        least = SETTINGS.min_marker - (shape.linewidth if shape.stroke and shape.kind == "curve" else 0.0)
        is_hidden = shape.clip is not None and not Rect(*shape.clip).grown(SETTINGS.inside).holds(place)
        if not least <= size <= SETTINGS.marker or not frame.holds(place) or is_hidden:
            continue
        if any(is_near(bar, box, SETTINGS.same) for bar in bars):
            continue
        marker = DrawnMarker(place, box, style_of(shape), marker_form(shape))
        if shape.kind == "line" or (not shape.fill and len(shape.points) == 2):
            # One stroke is a tick, a whisker or a piece of a line; two through one middle are a sign.
            (x0, y0), (x1, y1) = shape.points[0], shape.points[-1]
            slope = math.atan2(y1 - y0, x1 - x0) % math.pi
            partner = next(
                (
                    m for m, other in crossing[-4:]
                    if _at_one_place(m, marker) and m.style == marker.style
                    and abs(math.sin(slope - other)) > SETTINGS.straight
                ),
                None,
            )  # fmt: skip
            if partner is None:
                crossing.append((marker, slope))
            else:
                _add(found, partner._replace(box=_larger(partner.box, box)))
        elif shape.fill or (len(shape.points) > 3 and (shape.points[0] == shape.points[-1] or _is_sign(shape))):
            _add(found, marker)
    for word in sheet.words:
        box = Rect(*word.box)
        if word.text in _GLYPHS and frame.holds((box.x, box.y)):
            _add(found, DrawnMarker((box.x, box.y), box, Style(word.colour)))
    filled = [m for m in found if m.form[3:] == (1.0,)]
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


def _larger(left: Rect, right: Rect) -> Rect:
    """A box around the middle of the first one, as broad and as high as the larger of both."""
    width, height = max(left.width, right.width) / 2, max(left.height, right.height) / 2
    return Rect(left.x - width, left.y - height, left.x + width, left.y + height)


def _legend_lines(shapes: Iterable[Shape], sheet: Sheet, plot: Plot) -> list[Rect]:
    """The straight strokes of a legend, each with a margin: a text is beside them on their line."""
    labels = {id(word) for axis in (plot.axis, plot.cross) if axis for t in axis.ticks for word in t.label.words}
    texts = [word for word in sheet.words if id(word) not in labels]
    found: list[Rect] = []
    for shape in shapes:
        box = Rect(*shape.box)
        is_level = shape.stroke and box.height <= SETTINGS.straight and len(shape.points) <= 3
        # The stroke of a legend is longer than its text is high; the cap of a whisker is not.
        if is_level and box.width <= min(SETTINGS.legend_line, SETTINGS.grid * plot.frame.width) and any(
            1.2 * (w.bottom - w.top) < box.width and _is_beside(w, box) for w in texts
        ):  # fmt: skip
            found.append(box.grown(1.0))
    return found


def _is_beside(word: Word, sign: Rect) -> bool:
    """True for a word on the line of a sign, right before or behind it."""
    height = word.bottom - word.top
    on_line = word.angle == 0 and abs((word.top + word.bottom) / 2 - sign.y) <= 0.6 * height
    return on_line and -1 <= max(word.x0 - sign.x1, sign.x0 - word.x1) <= SETTINGS.sign_gap * height


def _is_sign(shape: Shape) -> bool:
    """True for an open path of several pieces around one middle, as a cross or a star."""
    return sum(operator == "m" for operator, _ in shape.path) > 1 or any(op == "h" for op, _ in shape.path)


def _at_one_place(left: DrawnMarker, right: DrawnMarker) -> bool:
    return is_near(left.place, right.place, SETTINGS.same_place)


def _add(found: list[DrawnMarker], marker: DrawnMarker) -> None:
    for index in range(len(found) - 1, max(-1, len(found) - 4), -1):
        other = found[index]
        is_other = other.style != marker.style and other.form[3:] == marker.form[3:] == (0.0,)
        if _at_one_place(other, marker) and not is_other:
            # A sign drawn in several strokes, or its inside and its outline.
            style = other.style if other.style.colour is not None else marker.style
            found[index] = other._replace(box=_larger(other.box, marker.box), style=style)
            return
    found.append(marker)


def _families(markers: Sequence[DrawnMarker]) -> list[list[DrawnMarker]]:
    """Markers of one size and look, together; single ones only where others of their form are beside them."""
    groups: dict[tuple[object, ...], list[DrawnMarker]] = {}
    for marker in markers:
        # Producers round a position up or down, and the size with it.
        width, height = round(marker.box.width / 0.4), round(marker.box.height / 0.4)
        look = (marker.style, *marker.form[2:])
        near = [(width + i, height + j, *look) for i in (0, -1, 1) for j in (0, -1, 1)]
        groups.setdefault(next((key for key in near if key in groups), near[0]), []).append(marker)
    forms = Counter(marker.form[2:] for marker in markers)
    return [group for group in groups.values() if len(group) > 1 or forms[group[0].form[2:]] > 1]


def _put_markers(marks: PlotMarks, lines: Sequence[DrawnLine], families: Sequence[list[DrawnMarker]]) -> None:
    """Keep lines with the markers on them, markers that are on none, and no lines that only lead through markers."""
    kept: list[DrawnLine] = []
    used: list[DrawnMarker] = []
    # A marker is of the line with the most points that it is on, and none of a stroke that leads there.
    for line in sorted(lines, key=lambda line: -len(line.points)):
        taken = {id(marker) for marker in used}
        left = [[marker for marker in family if id(marker) not in taken] for family in families]
        own = max((_own_markers(line, family) for family in left), key=len, default=[])
        if not own:
            kept.append(line)
            continue
        used += own
        at = {p for p in line.points if any(abs(m.place[0] - p[0]) <= SETTINGS.same_place for m in own)}
        between = {m.place for m in own if not any(abs(m.place[0] - x) <= SETTINGS.same_place for x, _ in at)}
        points = set(line.points)
        if len(line.points) > 2 * len(own):
            # A smooth line between its points.
            marks.lose("fitted_line", len(line.points) - len(at), around(line.points))
            points = at
        style = line.style._replace(marker=own[0].form)
        kept.append(DrawnLine(tuple(sorted(points | between)), style, line.width, is_marked=True))
    scatter = [[m for m in family if not any(is_near(m.place, u.place, 1.5) for u in used)] for family in families]
    has_signs = sum(map(len, scatter)) > 2
    most = max((len(line.points) for line in kept), default=0)
    alike = Counter((line.style, line.width) for line in kept if not line.is_marked and len(line.points) == 2)
    for line in kept:
        why = None
        if not line.is_marked:
            why = _no_series(line, marks.plot, has_signs, most, alike[line.style, line.width])
        if why is None:
            marks.lines.append(line)
            continue
        marks.lost.append(why)
        for index, group in enumerate(scatter):
            heads = [m for m in group if _is_head(m, line, marks.plot)]
            marks.lost += [LostMarks("annotation", 1, m.box) for m in heads]
            scatter[index] = [m for m in group if m not in heads]
    marks.scatter = [group for group in scatter if group]


def _no_series(line: DrawnLine, plot: Plot, has_signs: bool, most: int, alike: int) -> LostMarks | None:
    """Why a line without markers is no series; None where it may be one.

    Args:
        line: The line.
        plot: Its plot.
        has_signs: Whether markers of the plot are on no line.
        most: Vertices of the longest line of the plot.
        alike: Lines of two vertices that are painted as this one.
    """
    box, count = around(line.points), len(line.points)
    at_both_sides = box.width >= plot.frame.width - 2 * SETTINGS.edge
    is_level = box.height <= SETTINGS.straight < box.width
    if is_level or (at_both_sides and (line.style.dash or count == 2)):
        return LostMarks("reference_line", count, box)
    if count == 2 and alike >= SETTINGS.hatching:
        return LostMarks("too_many_strokes", count, box)
    if has_signs:
        return LostMarks("fitted_line", count, box)
    # Leaders and arrows have two vertices beside lines of more.
    if count == 2 < most:
        return LostMarks("annotation", count, box)
    inner = sum(
        abs((c[0] - a[0]) * (b[1] - a[1]) - (b[0] - a[0]) * (c[1] - a[1])) <= SETTINGS.in_line * math.dist(a, c)
        for a, b, c in zip(line.points, line.points[1:], line.points[2:], strict=False)
    )
    is_pieced = count >= SETTINGS.pieces and inner >= SETTINGS.cut_pieces * count
    return LostMarks("pieces", count, box) if is_pieced else None


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
    is_own = at_points >= SETTINGS.marked * len(line.points) or len(on) >= SETTINGS.on_line * len(family)
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
