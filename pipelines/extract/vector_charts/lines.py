"""Lines and markers of a plot: strokes that run through points, put together where they are drawn in pieces, and signs.

Vertices that the plot or its clipping does not show are no points; nor is the place where a line is cut.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from pipelines.extract.vector_charts.geometry import (
    Style,
    View,
    is_near,
    is_white,
    marker_form,
    same_colour,
    style_of,
    subpaths,
    view,
)  # fmt: skip
from pipelines.extract.vector_charts.leaders import Leader, Target, around, find_leaders, text_blocks, tick_words
from pipelines.extract.vector_charts.plots import Plot, shown
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.read.page import Box, Point, Shape, Word

_REACH_BACK = 30
# Markers that are printed as characters of a symbol font.
_GLYPHS = frozenset("■●▬◆▲▼□○◼▪•×+*◇△▽★")


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """One line: its points as (c, u) in the order of c, how it is painted, and how broad its stroke is."""

    points: tuple[Point, ...]
    style: Style
    width: float
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Marker:
    """One sign: its middle as (c, u), its size, and how it is painted."""

    c: float
    u: float
    breadth: float
    length: float
    style: Style
    form: tuple[float, ...] = ()

    @property
    def seen(self) -> View:
        """Its box as the axis sees it."""
        half_c, half_u = self.breadth / 2, self.length / 2
        return View(self.c - half_c, self.u - half_u, self.c + half_c, self.u + half_u)

    @property
    def look(self) -> Style:
        """How it is painted, with its form."""
        return self.style._replace(marker=self.form)


@dataclass(frozen=True, slots=True)
class Lost:
    """Drawings of a plot that look like marks and give no number: rule, how many, and where each of them is."""

    rule: str
    marks: int
    seen: View


@dataclass(frozen=True, slots=True)
class Curves:
    """The lines of a plot, its markers that belong to none of them by looks, and what gives no number."""

    lines: tuple[DrawnLine, ...] = ()
    scatter: tuple[tuple[Marker, ...], ...] = ()
    lost: tuple[Lost, ...] = ()
    leaders: tuple[Leader, ...] = ()


def find_curves(shapes: Sequence[Shape], words: Sequence[Word], plot: Plot, bars: Sequence[View]) -> Curves:
    """The lines and markers among the shapes of a plot.

    Args:
        shapes: Shapes of the page.
        words: Its words: some producers print markers as characters.
        plot: The plot.
        bars: Its bars, as the axis sees them: strokes within them are their hatching.
    """
    lost: list[Lost] = []
    letters = lettered_points(words, plot)
    lost += [Lost("lettered_points", len(letters), plot.frame)] if letters else []
    signs = _legend_lines(shapes, words, plot)
    pieces = _pieces(shapes, plot, [*bars, *signs], lost)
    markers = [m for m in _markers(shapes, words, plot, bars) if not any(s.holds((m.c, m.u)) for s in signs)]
    if not (pieces or markers or bars):
        dots = sum(max(s.x1 - s.x0, s.bottom - s.top) < SETTINGS.min_marker and _is_in(s.box, plot) for s in shapes)
        lost += [Lost("too_many_strokes", dots, plot.frame)] if dots > SETTINGS.dots else []
    leaders = _leaders(shapes, [w for w in words if w not in letters], plot, pieces, markers, bars)
    led = {point for leader in leaders for point in leader.points}
    pieces = [piece for piece in pieces if not led.issuperset(piece.points)]
    tips = [_around([leader.points[-1]]).grown(SETTINGS.same) for leader in leaders]
    pieces = [p for p in pieces if not (_is_small(p.points) and any(_around(p.points).meets(tip) for tip in tips))]
    heads = {leader.head for leader in leaders}
    markers = [m for m in markers if (m.c, m.u) not in heads]
    lost = [item for item in lost if not any(item.seen == _around(leader.points) for leader in leaders)]
    if len(pieces) > SETTINGS.max_pieces or len(markers) > SETTINGS.max_markers:
        return Curves(lost=(Lost("too_many_strokes", len(pieces) + len(markers), plot.frame),))
    lines: dict[tuple[Point, ...], DrawnLine] = {}
    for joined in _joined(pieces):
        line = _in_order(joined)
        if line is None:
            lost.append(Lost("no_function", len(joined.points), _around(joined.points)))
        else:
            # The same line painted twice (a halo below it) counts once, as it is painted last.
            lines.pop(line.points, None)
            lines[line.points] = line
    kept = [_uncut(_unpieced(line, markers, lost), plot, markers, lost) for line in lines.values()]
    lines_kept = [line for line in kept if line.points]
    markers = [m for m in markers if not _is_legend_sign(m, words, lines_kept)]
    return _with_markers(lines_kept, _families(markers), lost, leaders)


def lettered_points(words: Sequence[Word], plot: Plot) -> list[Word]:
    """Single letters of which one is printed in a plot again and again: points, of which the place is known roughly."""
    alone = [w for w in words if len(w.text) == 1 and w.text.isalpha() and _is_in(w.box, plot)]
    times = Counter(word.text for word in alone)
    return [word for word in alone if times[word.text] >= SETTINGS.letters]


def _is_in(box: Box, plot: Plot) -> bool:
    seen = view(box, plot.axis.orientation)
    return plot.frame.holds((seen.middle, seen.height))


def _leaders(
    shapes: Sequence[Shape], words: Sequence[Word], plot: Plot, pieces: Sequence[DrawnLine], markers: Sequence[Marker],
    bars: Sequence[View],
) -> list[Leader]:  # fmt: skip
    """The leaders from texts to the markers and bars of a plot, and to the vertices of lines that are none of them."""
    # What stands below a plot or left of it labels its axes.
    near = plot.frame.grown(SETTINGS.legend_line)
    blocks = text_blocks([w for w in words if near.holds((w.x0, w.top))], tick_words((plot.axis, plot.cross)))
    seen = [(block, around(block)) for block in blocks]
    texts = [block for block, box in seen if box.middle > plot.frame.c0 and box.u0 < plot.frame.u1 - SETTINGS.meets]
    strokes = [s for s in shapes if s.stroke and not s.fill and len(s.points) <= SETTINGS.leader_points]
    frames = _text_frames(shapes)
    texts_at = [(text, _framed(around(text), frames)) for text in texts]
    reach = [box.grown(SETTINGS.leader_text) for _, box in texts_at]
    strokes = [s for s in strokes if any(box.holds(p) for p in s.points for box in reach)]
    strokes = [s for s in strokes if not _is_of_axis(s, plot.frame)]
    if not strokes:
        return []
    targets = [Target((m.c, m.u), max(m.breadth, m.length) / 2, m.style, m.form[2:]) for m in markers]
    long = [piece for piece in pieces if len(piece.points) > 2 and not _is_small(piece.points)]
    # A bent stroke from the frame of a text is a leader itself.
    edges = [box.grown(SETTINGS.same) for text, box in texts_at if box != around(text)]
    long = [p for p in long if not any(e.holds(end) for e in edges for end in (p.points[0], p.points[-1]))]
    targets += [Target(p, 0.0, piece.style) for piece in long for p in piece.points if not _is_marked(p, markers)]
    targets += [Target((bar.middle, bar.u0), bar.breadth / 2, Style(None)) for bar in bars]
    return find_leaders(strokes, texts_at, targets)


def _text_frames(shapes: Sequence[Shape]) -> list[View]:
    """The outlined boxes of a page: a callout has one around its text."""
    found = [view(s.box, "vertical") for s in shapes if s.stroke and len(s.points) in (4, 5, 6)]
    return [box for box in found if box.length <= SETTINGS.legend_line][: SETTINGS.max_frames]


def _framed(text: View, frames: Sequence[View]) -> View:
    """The smallest frame around a text, with a margin no broader than the text is high; the text without one."""
    near = [f for f in frames if f.holds_box(text) and text.grown(text.length).holds((text.c0, f.u0))]
    return min((f for f in near if f.u1 <= text.u1 + text.length), key=lambda f: f.breadth * f.length, default=text)


def _is_of_axis(shape: Shape, frame: View) -> bool:
    """True for a tick, which is level or upright and begins at an edge of the plot, and for what spans the plot."""
    x0, top, x1, bottom = shape.box
    ends = min(abs(x0 - frame.c0), abs(x1 - frame.c1), abs(top - frame.u0), abs(bottom - frame.u1))
    is_tick = min(x1 - x0, bottom - top) <= SETTINGS.straight and ends <= SETTINGS.same
    return is_tick or bottom - top > SETTINGS.grid * frame.length or x1 - x0 > SETTINGS.grid * frame.breadth


def _is_marked(point: Point, markers: Sequence[Marker]) -> bool:
    return any(is_near((m.c, m.u), point, SETTINGS.same_place) for m in markers)


def _pieces(shapes: Iterable[Shape], plot: Plot, bars: Sequence[View], lost: list[Lost]) -> list[DrawnLine]:
    """The strokes in a plot that may be lines; gridlines, axes, frames, whiskers and hatching are left out."""
    upright = plot.axis.orientation == "vertical"
    frame = plot.frame.grown(SETTINGS.inside)
    cut: list[DrawnLine] = []
    free: list[DrawnLine] = []
    hatched = _hatched(shapes, plot)
    for shape in shapes:
        if not shape.stroke or shape.kind == "shading" or shape.linewidth > SETTINGS.max_width:
            continue
        if shape.clip in hatched and len(shape.points) == 2:
            continue
        if is_white(shape.stroke_colour) or (shape.fill and shape.kind == "rect") or (box := shown(shape)) is None:
            continue
        region = view(shape.clip, plot.axis.orientation).grown(SETTINGS.inside) if shape.clip else None
        if not view(box, plot.axis.orientation).meets(frame):
            continue
        for piece in subpaths(shape):
            points = piece if upright else [(y, x) for x, y in piece]
            if len(points) > 3 and points[0] == points[-1]:
                continue
            visible = [p for p in points if region is None or region.holds(p)]
            inside = sum(frame.holds(p) for p in visible)
            # What runs on beyond the plot is drawn over it, and no line of it.
            if not inside or inside < SETTINGS.covers * len(visible):
                continue
            if _is_structure(points, plot.frame) or any(_is_within(points, bar) for bar in bars):
                continue
            is_cut = shape.clip is not None
            for run in _runs(points, frame, region):
                (cut if is_cut else free).append(DrawnLine(tuple(run), style_of(shape, is_line=True), shape.linewidth))
    if cut and plot.is_clipped and free:
        # What the plot's clipping does not cut was laid over it: arrows and notes.
        lost += [
            Lost("annotation", len(line.points), _around(line.points)) for line in free if not _is_small(line.points)
        ]
        free = []
    pieces = [*cut, *free]
    # Small strokes of one form at many places are markers; those alone are short lines.
    forms = Counter(_form(piece) for piece in pieces)
    return [p for p in pieces if len(p.points) == 1 or not (_is_small(p.points) and forms[_form(p)] > 1)]


def _hatched(shapes: Iterable[Shape], plot: Plot) -> set[Box]:
    """The clipping boxes within a plot that cut many parallel strokes: PSTricks hatches bars and signs so."""
    strokes: Counter[tuple[Box, float]] = Counter()
    for shape in shapes:
        if shape.clip is not None and len(shape.points) == 2 and not is_near(shape.clip, plot.box, SETTINGS.same):
            (x0, y0), (x1, y1) = shape.points
            region = View(*shape.clip).grown(SETTINGS.inside)
            if not (region.holds((x0, y0)) and region.holds((x1, y1))):
                strokes[shape.clip, round(math.atan2(y1 - y0, x1 - x0) % math.pi, 1)] += 1
    return {clip for (clip, _), times in strokes.items() if times >= SETTINGS.hatching}


def _runs(points: Sequence[Point], frame: View, region: View | None) -> list[list[Point]]:
    """The vertices that are shown, those in a row together."""
    runs: list[list[Point]] = [[]]
    for point in points:
        if frame.holds(point) and (region is None or region.holds(point)):
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _around(points: Sequence[Point]) -> View:
    cs, us = [c for c, _ in points], [u for _, u in points]
    return View(min(cs), min(us), max(cs), max(us))


def _form(piece: DrawnLine) -> tuple[object, ...]:
    seen = _around(piece.points)
    return round(seen.breadth, 1), round(seen.length, 1), len(piece.points), piece.style


def _is_small(points: Sequence[Point]) -> bool:
    seen = _around(points)
    return max(seen.breadth, seen.length) <= SETTINGS.marker


def _is_within(points: Sequence[Point], bar: View) -> bool:
    grown = bar.grown(SETTINGS.same)
    return all(grown.holds(point) for point in points)


def _is_structure(points: Sequence[Point], frame: View) -> bool:
    """True for gridlines, axes and their ticks: straight along or across the axis, spanning the plot or one piece."""
    seen = _around(points)
    if seen.breadth <= SETTINGS.straight:
        return True
    spans = seen.breadth >= SETTINGS.grid * frame.breadth
    return seen.length <= SETTINGS.straight and (
        len(points) == 2 or (spans and len({round(c, 1) for c, _ in points}) <= 2)
    )


def _joined(pieces: Sequence[DrawnLine]) -> list[DrawnLine]:
    """Pieces painted alike that follow each other, as one line."""
    lines: list[DrawnLine] = []
    for piece in pieces:
        # Pieces are painted one after the other: what goes on is among the last.
        for index in range(len(lines) - 1, max(-1, len(lines) - 1 - _REACH_BACK), -1):
            line = lines[index]
            if line.style != piece.style or abs(line.width - piece.width) > 0.1:
                continue
            if _meet(line.points[-1], piece.points[0]):
                lines[index] = replace(line, points=(*line.points, *piece.points[1:]))
                break
            if _meet(line.points[0], piece.points[-1]):
                lines[index] = replace(line, points=(*piece.points[:-1], *line.points))
                break
        else:
            lines.append(piece)
    return lines


def _meet(left: Point, right: Point) -> bool:
    return is_near(left, right, SETTINGS.joins)


def _in_order(line: DrawnLine) -> DrawnLine | None:
    """The line from lower to higher c, each place once; None for what runs to and fro, as an outline does."""
    points = list(line.points)
    if points[0][0] > points[-1][0]:
        points.reverse()
    kept = [points[0]]
    for before, point in pairwise(points):
        if point[0] < before[0] - 0.5:
            return None
        if not _meet(kept[-1], point):
            kept.append(point)
    # A step or a whisker goes straight along the axis; a line through data moves on at every point.
    steps = sum(b[0] - a[0] <= 0.05 for a, b in pairwise(kept))
    return replace(line, points=tuple(kept)) if steps <= 0.2 * len(kept) else None


def _unpieced(line: DrawnLine, markers: Sequence[Marker], lost: list[Lost]) -> DrawnLine:
    """The line with its bends alone, where most of its vertices cut straight pieces into shorter ones."""
    points = line.points
    inner = [
        b for a, b, c in zip(points, points[1:], points[2:], strict=False)
        if abs((c[0] - a[0]) * (b[1] - a[1]) - (b[0] - a[0]) * (c[1] - a[1])) <= SETTINGS.in_line * math.dist(a, c)
    ]  # fmt: skip
    cuts = {point for point in inner if not _is_marked(point, markers)}
    if len(points) < SETTINGS.pieces or len(cuts) < SETTINGS.cut_pieces * len(points):
        return line
    lost.append(Lost("pieces", len(cuts), _around(points)))
    return replace(line, points=tuple(point for point in points if point not in cuts))


def _uncut(line: DrawnLine, plot: Plot, markers: Sequence[Marker], lost: list[Lost]) -> DrawnLine:
    """The line without ends where an edge of its plot cuts it: those are no points, unless a marker stands there."""
    points = list(line.points)
    frame = plot.frame
    if len(points) == 1:
        # One vertex of a line that goes on beyond the plot: at an edge it may be where the line is cut.
        inner = frame.grown(-SETTINGS.edge)
        lost += [] if inner.holds(points[0]) else [Lost("cut_line", 1, _around(points))]
        return line if inner.holds(points[0]) else replace(line, points=())
    zero = plot.axis.position(0) if plot.axis.scale == "linear" else None
    for first in (True, False):
        if len(points) < 2:
            break
        (c, u), (_, before) = (points[0], points[1]) if first else (points[-1], points[-2])
        at_end = min(abs(u - frame.u0), abs(u - frame.u1)) <= SETTINGS.edge and abs(u - before) > SETTINGS.straight
        at_zero = zero is not None and abs(u - zero) <= SETTINGS.edge
        at_side = min(abs(c - frame.c0), abs(c - frame.c1)) <= SETTINGS.edge
        if not plot.is_framed or not ((at_end and not at_zero) or (at_side and _is_odd_step(points, first))):
            continue
        if any(is_near((m.c, m.u), (c, u), SETTINGS.same) for m in markers):
            continue
        lost.append(Lost("cut_line", 1, View(c, u, c, u)))
        points = points[1:] if first else points[:-1]
    return replace(line, points=tuple(points))


def _is_odd_step(points: Sequence[Point], first: bool) -> bool:
    """True where all steps across the axis are of one length but the outermost one, which is shorter."""
    steps = [b[0] - a[0] for a, b in pairwise(points)]
    outer, inner = (steps[0], steps[1:]) if first else (steps[-1], steps[:-1])
    return len(inner) > 1 and max(inner) - min(inner) <= 0.02 * max(inner) + 0.1 and outer < 0.97 * min(inner)


def _markers(shapes: Iterable[Shape], words: Sequence[Word], plot: Plot, bars: Sequence[View]) -> list[Marker]:
    """The small signs in a plot, each once; several strokes around one middle (a cross) are one sign."""
    found: list[Marker] = []
    crossing: list[tuple[Marker, float]] = []
    frame = plot.frame.grown(SETTINGS.inside)
    orientation = plot.axis.orientation
    for shape in shapes:
        if shape.kind == "shading" or shown(shape) is None:
            continue
        seen = view(shape.box, orientation)
        size = max(seen.breadth, seen.length)
        middle = _centre(shape, plot)
        least = SETTINGS.min_marker - (shape.linewidth if shape.stroke and shape.kind == "curve" else 0.0)
        if not least <= size <= SETTINGS.marker or not frame.holds(middle):
            continue
        if shape.clip and not view(shape.clip, orientation).grown(SETTINGS.inside).holds(middle):
            continue
        if any(is_near(bar, seen, SETTINGS.same) for bar in bars):
            continue
        marker = Marker(*middle, seen.breadth, seen.length, style_of(shape), marker_form(shape))
        is_stroke = not shape.fill and (shape.kind == "line" or len(shape.points) == 2)
        if is_stroke or (shape.kind == "line"):
            # One stroke is a tick, a whisker or a piece of a line; two through one middle are a sign.
            (x0, y0), (x1, y1) = shape.points[0], shape.points[-1]
            slope = math.atan2(y1 - y0, x1 - x0) % math.pi
            at = [m for m, other in crossing[-4:] if _at_one_place(m, marker) and _crosses(slope, other)]
            partner = next((m for m in at if m.style == marker.style), None)
            if partner is None:
                crossing.append((marker, slope))
                continue
            marker = replace(
                partner, breadth=max(partner.breadth, marker.breadth), length=max(partner.length, marker.length)
            )
        elif (not shape.fill and len(shape.points) < 4) or (
            not shape.fill and shape.points[0] != shape.points[-1] and not _is_sign(shape)
        ):
            continue
        _add(found, marker)
    for word in words:
        seen = view(word.box, orientation)
        if word.text in _GLYPHS and frame.holds((seen.middle, seen.height)) and not _is_in_text(word, words):
            _add(found, Marker(seen.middle, seen.height, seen.breadth, seen.length, Style(word.colour)))
    return _with_faces(found)


def _centre(shape: Shape, plot: Plot) -> Point:
    """The place that a sign stands for: the middle of its box, of a triangle broader than high its centre of gravity.

    R, gnuplot and pgfplots draw equilateral triangles around a point, matplotlib and Office such that fill a square.
    """
    corners = {*shape.points}
    width, height = shape.x1 - shape.x0, shape.bottom - shape.top
    x, y = (shape.x0 + shape.x1) / 2, (shape.top + shape.bottom) / 2
    if len(corners) == 3 and shape.kind != "line" and width > SETTINGS.equilateral * height:
        x, y = sum(x for x, _ in corners) / 3, sum(y for _, y in corners) / 3
    return (x, y) if plot.axis.orientation == "vertical" else (y, x)


def _crosses(slope: float, other: float) -> bool:
    return abs(math.sin(slope - other)) > SETTINGS.straight


def _with_faces(markers: Sequence[Marker]) -> list[Marker]:
    """Each sign once, where all outlines are drawn after all insides."""
    faces: dict[tuple[int, int], list[Marker]] = {}
    for marker in markers:
        if marker.form[3:] == (1.0,):
            faces.setdefault((round(marker.c), round(marker.u)), []).append(marker)
    return [m for m in markers if m.style.is_filled or not any(_is_outline(m, face) for face in _near(m, faces))]


def _near(marker: Marker, by_place: Mapping[tuple[int, int], list[Marker]]) -> Iterator[Marker]:
    for i, j in product((-1, 0, 1), repeat=2):
        yield from by_place.get((round(marker.c) + i, round(marker.u) + j), ())


def _is_outline(marker: Marker, face: Marker) -> bool:
    return _at_one_place(marker, face) and abs(marker.breadth - face.breadth) <= SETTINGS.same


def _legend_lines(shapes: Iterable[Shape], words: Sequence[Word], plot: Plot) -> list[View]:
    """The straight strokes of a legend, each with a margin: a text stands beside them on their line."""
    found: list[View] = []
    labels, across = tick_words((plot.axis, plot.cross)), SETTINGS.grid * plot.frame.breadth
    texts = [word for word in words if id(word) not in labels]
    for shape in shapes:
        if (
            not shape.stroke
            or shape.x1 - shape.x0 > across
            or shape.bottom - shape.top > SETTINGS.straight
            or len(shape.points) > 3
        ):
            continue
        if not SETTINGS.least_sign < shape.x1 - shape.x0 <= SETTINGS.legend_line or len(found) > SETTINGS.max_strokes:
            continue
        # The stroke of a legend is longer than its text is high; the cap of a whisker is not.
        near = (w for w in texts if 1.2 * (w.bottom - w.top) < shape.x1 - shape.x0)
        if any(_is_beside(word, shape.x0, shape.x1, shape.top) for word in near):
            found.append(view(shape.box, plot.axis.orientation).grown(1.0))
    return found


def _is_beside(word: Word, x0: float, x1: float, y: float) -> bool:
    """True for a word on the line of a sign, right before or behind it."""
    height = word.bottom - word.top
    on_line = word.angle == 0 and abs((word.top + word.bottom) / 2 - y) <= 0.6 * height
    return on_line and -1 <= max(word.x0 - x1, x0 - word.x1) <= 2.5 * height


def _is_in_text(word: Word, words: Sequence[Word]) -> bool:
    """True for a character between two words: `FLAME + multithreaded MKL`."""
    level = [w for w in words if w.angle == word.angle == 0 and abs(w.bottom - word.bottom) <= SETTINGS.same]
    gap = SETTINGS.word_gap * word.size
    return any(0 <= word.x0 - w.x1 <= gap for w in level) and any(0 <= w.x0 - word.x1 <= gap for w in level)


def _is_legend_sign(marker: Marker, words: Sequence[Word], lines: Sequence[DrawnLine]) -> bool:
    """True for a sign with a text beside it, in the colour of a line that it does not stand on."""
    own = [line for line in lines if same_colour(line.style.colour, marker.style.colour)]
    if not own or any(_distance(marker, line.points) <= SETTINGS.same_place for line in own):
        return False
    half = marker.breadth / 2
    return any(_is_beside(word, marker.c - half, marker.c + half, marker.u) for word in words)


def _is_sign(shape: Shape) -> bool:
    """True for an open path of several pieces around one middle, as a cross or a star."""
    return sum(operator == "m" for operator, _ in shape.path) > 1 or any(op == "h" for op, _ in shape.path)


def _at_one_place(left: Marker, right: Marker) -> bool:
    return is_near((left.c, left.u), (right.c, right.u), SETTINGS.same_place)


def _add(found: list[Marker], marker: Marker) -> None:
    for index in range(len(found) - 1, max(-1, len(found) - 4), -1):
        other = found[index]
        is_other = other.style != marker.style and other.form[3:] == marker.form[3:] == (0.0,)
        # Of two signs that look the same one may be all but hidden.
        is_twin = other.look == marker.look and len(marker.form) > 2 and marker.form[2] > 2
        is_twin = is_twin and not is_near((other.c, other.u), (marker.c, marker.u), SETTINGS.position)
        if _at_one_place(other, marker) and not (is_other or is_twin):
            # A sign drawn in several strokes, or its inside and its outline.
            style = other.style if other.style.colour is not None else marker.style
            breadth, length = max(other.breadth, marker.breadth), max(other.length, marker.length)
            found[index] = Marker(other.c, other.u, breadth, length, style, other.form)
            return
    found.append(marker)


def _families(markers: Sequence[Marker]) -> list[list[Marker]]:
    """Markers of one size and look, together; single ones only where others of their form stand beside them."""
    groups: dict[tuple[object, ...], list[Marker]] = {}
    for marker in markers:
        # Producers round a position up or down, and the size with it.
        breadth, length = round(marker.breadth / 0.4), round(marker.length / 0.4)
        look = (marker.style, *marker.form[2:])
        near = ((breadth + i, length + j, *look) for i in (0, -1, 1) for j in (0, -1, 1))
        key = next((key for key in near if key in groups), (breadth, length, *look))
        groups.setdefault(key, []).append(marker)
    forms = Counter(marker.form[2:] for marker in markers)
    return [group for group in groups.values() if len(group) > 1 or forms[group[0].form[2:]] > 1]


def _with_markers(
    lines: Sequence[DrawnLine], families: Sequence[list[Marker]], lost: list[Lost], leaders: Sequence[Leader]
) -> Curves:
    """Lines with the markers on them, markers that are on none, and lines that only lead through markers."""
    marked: list[DrawnLine] = []
    used: list[Marker] = []
    for line in lines:
        best: list[Marker] = []
        for family in families:
            on = [m for m in family if _distance(m, line.points) <= SETTINGS.same_place]
            at_points = sum(any(abs(m.c - c) <= SETTINGS.same_place for m in on) for c, _ in line.points)
            # Markers at most points of a line are its own; those of a smooth line are all on it.
            is_own = at_points >= SETTINGS.marked * len(line.points) or len(on) >= SETTINGS.on_line * len(family)
            if len(on) >= 2 and is_own and len(on) > len(best):
                best = on
        if not best:
            marked.append(line)
            continue
        used += best
        at = {p for p in line.points if any(abs(m.c - p[0]) <= SETTINGS.same_place for m in best)}
        between = {(m.c, m.u) for m in best if not any(abs(m.c - c) <= SETTINGS.same_place for c, _ in line.points)}
        points = set(line.points)
        if len(line.points) > 2 * len(best):
            # A smooth line between its points.
            lost.append(Lost("fitted_line", len(line.points) - len(at), _around(line.points)))
            points = at
        style = line.style._replace(marker=best[0].form)
        marked.append(DrawnLine(tuple(sorted(points | between)), style, line.width, is_marked=True))
    taken = {(round(m.c), round(m.u)) for m in used}
    near = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    scatter = []
    for family in families:
        left = [m for m in family if not any((round(m.c) + i, round(m.u) + j) in taken for i, j in near)]
        scatter += [tuple(left)] if left else []
    if sum(map(len, scatter)) > 2:
        guides = [line for line in marked if not line.is_marked]
        lost += [Lost("fitted_line", len(line.points), _around(line.points)) for line in guides]
        marked = [line for line in marked if line.is_marked]
    return Curves(tuple(marked), tuple(scatter), tuple(lost), tuple(leaders))


def _distance(marker: Marker, points: Sequence[Point]) -> float:
    """How far a marker is from a line, in points."""
    least = math.inf
    for (c0, u0), (c1, u1) in pairwise(points):
        if c0 - SETTINGS.marker <= marker.c <= c1 + SETTINGS.marker:
            c, u, length = c1 - c0, u1 - u0, math.dist((c0, u0), (c1, u1)) or 1.0
            share = max(0.0, min(1.0, ((marker.c - c0) * c + (marker.u - u0) * u) / length**2))
            least = min(least, math.dist((c0 + share * c, u0 + share * u), (marker.c, marker.u)))
    return least
