"""Lines and markers of a plot: strokes that run through points, put together where they are drawn in pieces, and signs.

Vertices that the plot or its clipping does not show are no points; nor is the place where a line is cut, nor what a
straight line through the whole plot says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

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


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """One line: its points from left to right, how it is painted, and how broad its stroke is."""

    points: tuple[Point, ...]
    style: Style
    width: float
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class DrawnMarker:
    """One sign: the place that it marks, its box, how it is painted, and its form."""

    place: Point
    box: Rect
    style: Style
    form: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class LostMarks:
    """Drawings of a plot that look like marks and give no number: rule, how many, and where."""

    rule: str
    marks: int
    box: Rect


@dataclass(frozen=True, slots=True)
class PlotLines:
    """The lines of a plot, its markers that belong to none of them by looks, and what gives no number."""

    lines: tuple[DrawnLine, ...] = ()
    scatter: tuple[tuple[DrawnMarker, ...], ...] = ()
    lost: tuple[LostMarks, ...] = ()


def find_lines(shapes: Sequence[Shape], sheet: Sheet, plot: Plot, bars: Sequence[Rect]) -> PlotLines:
    """The lines and markers among the shapes of a plot.

    Args:
        shapes: Shapes of the page.
        sheet: The page: some producers print markers as characters.
        plot: The plot.
        bars: Its bars: strokes within them are their hatching.
    """
    lost: list[LostMarks] = []
    signs = _legend_lines(shapes, sheet, plot)
    pieces = _pieces(shapes, plot, [*bars, *signs], lost)
    markers = [m for m in _markers(shapes, sheet, plot, bars) if not any(s.holds(m.place) for s in signs)]
    if len(pieces) > SETTINGS.max_pieces or len(markers) > SETTINGS.max_markers:
        return PlotLines(lost=(LostMarks("too_many_strokes", len(pieces) + len(markers), plot.frame),))
    lines: dict[tuple[Point, ...], DrawnLine] = {}
    for joined in _joined(pieces):
        line = _in_order(joined)
        if line is None:
            lost.append(LostMarks("no_function", len(joined.points), around(joined.points)))
        else:
            # The same line painted twice (a halo below it) counts once, as it is painted last.
            lines.pop(line.points, None)
            lines[line.points] = line
    kept = [cut for line in lines.values() if (cut := _uncut(line, plot, markers, lost)).points]
    markers = [m for m in markers if not _is_legend_sign(m, sheet.words, kept)]
    return _with_markers(kept, _families(markers), plot, lost)


def _pieces(shapes: Iterable[Shape], plot: Plot, bars: Sequence[Rect], lost: list[LostMarks]) -> list[DrawnLine]:
    """The strokes in a plot that may be lines; gridlines, axes, frames, whiskers and hatching are left out."""
    frame = plot.frame.grown(SETTINGS.inside)
    cut: list[DrawnLine] = []
    free: list[DrawnLine] = []
    for shape in shapes:
        if not shape.stroke or shape.kind == "shading" or shape.linewidth > SETTINGS.max_width:
            continue
        box = shown(shape)
        if (
            is_white(shape.stroke_colour)
            or (shape.fill and shape.kind == "rect")
            or box is None
            or not box.meets(frame)
        ):
            continue
        seen = frame.cut(Rect(*shape.clip).grown(SETTINGS.inside)) if shape.clip else frame
        for points in subpaths(shape):
            if seen is None or (len(points) > 3 and points[0] == points[-1]):
                continue
            clip = Rect(*shape.clip).grown(SETTINGS.inside) if shape.clip else None
            visible = [p for p in points if clip is None or clip.holds(p)]
            inside = sum(frame.holds(p) for p in visible)
            # What runs on beyond the plot is drawn over it, and no line of it.
            if not inside or inside < SETTINGS.covers * len(visible):
                continue
            if _is_structure(points, plot.frame) or any(
                bar.grown(SETTINGS.same).holds_box(around(points)) for bar in bars
            ):
                continue
            to = free if shape.clip is None else cut
            to += [DrawnLine(tuple(run), style_of(shape, is_line=True), shape.linewidth) for run in _runs(points, seen)]
    if cut and plot.is_clipped and free:
        # What the plot's clipping does not cut was laid over it: arrows and notes.
        lost += [LostMarks("annotation", len(p.points), around(p.points)) for p in free if not _is_small(p.points)]
        free = []
    pieces = [*cut, *free]
    # Small strokes of one form at many places are markers; those alone are short lines.
    forms = Counter(map(_form, pieces))
    return [p for p in pieces if len(p.points) == 1 or not (_is_small(p.points) and forms[_form(p)] > 1)]


def _runs(points: Sequence[Point], seen: Rect) -> list[list[Point]]:
    """The vertices that are shown, those in a row together."""
    runs: list[list[Point]] = [[]]
    for point in points:
        if seen.holds(point):
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
                lines[index] = replace(line, points=(*line.points, *piece.points[1:]))
                break
            if is_near(line.points[0], piece.points[-1], SETTINGS.joins):
                lines[index] = replace(line, points=(*piece.points[:-1], *line.points))
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
    return replace(line, points=tuple(kept)) if steps <= 0.2 * len(kept) else None


def _uncut(line: DrawnLine, plot: Plot, markers: Sequence[DrawnMarker], lost: list[LostMarks]) -> DrawnLine:
    """The line without ends where an edge of its plot cuts it: those are no points, unless a marker is there."""
    points, inner = list(line.points), plot.frame.grown(-SETTINGS.edge)
    if len(points) == 1:
        # One vertex of a line that goes on beyond the plot: at an edge it may be where the line is cut.
        lost += [] if inner.holds(points[0]) else [LostMarks("cut_line", 1, around(points))]
        return line if inner.holds(points[0]) else replace(line, points=())
    zero = plot.axis.position(0) if plot.axis.scale == "linear" else math.inf
    for end in (0, -1):
        if len(points) < 2 or not plot.is_framed:
            break
        (x, y), (_, before) = points[end], points[1 if end == 0 else -2]
        at_end = not inner.top <= y <= inner.bottom and abs(y - before) > SETTINGS.straight
        at_side = not inner.x0 <= x <= inner.x1 and _is_odd_step(points, end)
        if not ((at_end and abs(y - zero) > SETTINGS.edge) or at_side):
            continue
        if not any(is_near(m.place, (x, y), SETTINGS.same) for m in markers):
            lost.append(LostMarks("cut_line", 1, Rect(x, y, x, y)))
            del points[end]
    return replace(line, points=tuple(points))


def _is_odd_step(points: Sequence[Point], end: int) -> bool:
    """True where all steps across the axis are of one length but the outermost one, which is shorter."""
    steps = [b[0] - a[0] for a, b in pairwise(points)]
    outer = steps.pop(end)
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
                _add(found, replace(partner, box=_larger(partner.box, box)))
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


def _is_legend_sign(marker: DrawnMarker, words: Sequence[Word], lines: Sequence[DrawnLine]) -> bool:
    """True for a sign with a text beside it, in the colour of a line that it is not on."""
    own = [line for line in lines if same_colour(line.style.colour, marker.style.colour)]
    if not own or any(_distance(marker.place, line.points) <= SETTINGS.same_place for line in own):
        return False
    return any(_is_beside(word, marker.box) for word in words)


def _is_sign(shape: Shape) -> bool:
    """True for an open path of several pieces around one middle, as a cross or a star."""
    return sum(operator == "m" for operator, _ in shape.path) > 1 or any(op == "h" for op, _ in shape.path)


def _at_one_place(left: DrawnMarker, right: DrawnMarker) -> bool:
    return is_near(left.place, right.place, SETTINGS.same_place)


def _add(found: list[DrawnMarker], marker: DrawnMarker) -> None:
    for index in range(len(found) - 1, max(-1, len(found) - 4), -1):
        other = found[index]
        is_other = other.style != marker.style and other.form[3:] == marker.form[3:] == (0.0,)
        # Of two signs that look the same one may be all but hidden.
        is_twin = other.style == marker.style and other.form == marker.form and marker.form[2:3] > (2.0,)
        is_twin = is_twin and not is_near(other.place, marker.place, SETTINGS.position)
        if _at_one_place(other, marker) and not (is_other or is_twin):
            # A sign drawn in several strokes, or its inside and its outline.
            style = other.style if other.style.colour is not None else marker.style
            found[index] = replace(other, box=_larger(other.box, marker.box), style=style)
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


def _with_markers(
    lines: Sequence[DrawnLine], families: Sequence[list[DrawnMarker]], plot: Plot, lost: list[LostMarks]
) -> PlotLines:
    """Lines with the markers on them, markers that are on none, and lines that only lead through markers."""
    kept: list[DrawnLine] = []
    used: list[DrawnMarker] = []
    for line in lines:
        own = max((_own_markers(line, family) for family in families), key=len, default=[])
        if not own:
            kept.append(line)
            continue
        used += own
        at = {p for p in line.points if any(abs(m.place[0] - p[0]) <= SETTINGS.same_place for m in own)}
        between = {m.place for m in own if not any(abs(m.place[0] - x) <= SETTINGS.same_place for x, _ in at)}
        points = set(line.points)
        if len(line.points) > 2 * len(own):
            # A smooth line between its points.
            lost.append(LostMarks("fitted_line", len(line.points) - len(at), around(line.points)))
            points = at
        style = line.style._replace(marker=own[0].form)
        kept.append(DrawnLine(tuple(sorted(points | between)), style, line.width, is_marked=True))
    scatter = []
    for family in families:
        left = [m for m in family if not any(is_near(m.place, u.place, 1.5) for u in used)]
        scatter += [tuple(left)] if left else []
    most = max((len(line.points) for line in kept), default=0)
    count = sum(map(len, scatter))
    alike = Counter((line.style, line.width) for line in kept if not line.is_marked and len(line.points) == 2)
    series: list[DrawnLine] = []
    for line in kept:
        why = None if line.is_marked else _no_series(line, plot, count, most, alike[line.style, line.width])
        if why is None:
            series.append(line)
            continue
        lost.append(why)
        for index, group in enumerate(scatter):
            heads = [m for m in group if _is_head(m, line, plot)]
            lost += [LostMarks("annotation", 1, m.box) for m in heads]
            scatter[index] = tuple(m for m in group if m not in heads)
    return PlotLines(tuple(series), tuple(group for group in scatter if group), tuple(lost))


def _no_series(line: DrawnLine, plot: Plot, signs: int, most: int, alike: int) -> LostMarks | None:
    """Why a line without markers is no series; None where it may be one.

    Args:
        line: The line.
        plot: Its plot.
        signs: How many markers of the plot are on no line.
        most: Vertices of the longest line of the plot.
        alike: Lines of two vertices that are painted as this one.
    """
    box, count = around(line.points), len(line.points)
    at_both_sides = box.width >= plot.frame.width - 2 * SETTINGS.edge
    is_level = box.height <= SETTINGS.straight and box.width >= SETTINGS.grid * plot.frame.width
    if is_level or (at_both_sides and (line.style.dash or count == 2)):
        return LostMarks("reference_line", count, box)
    if count == 2 and alike >= SETTINGS.hatching:
        return LostMarks("too_many_strokes", count, box)
    if signs > 2:
        return LostMarks("fitted_line", count, box)
    # Leaders and arrows have few vertices beside lines of more.
    if count == 2 and most > 2:
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
