"""Markers of a plot: small signs of one form and size, at the points of a line or alone (a scatter)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.frame import shown
from pipelines.extract.vector_charts.geometry import View, is_white, view
from pipelines.read.page import Colour, Shape, Word

_MAX_PT = 16.0
_MIN_PT = 1.2
_SAME_SIZE_PT = 0.4
_SAME_PLACE_PT = 0.7
_INSIDE_PT = 1.0
_STROKE_PT = 0.5
# More signs are a texture or a map.
MAX_MARKERS = 3000
# Markers that are printed as characters of a symbol font.
_GLYPHS = frozenset("■●▬◆▲▼□○◼▪•×+*◇△▽★")


@dataclass(frozen=True, slots=True)
class Marker:
    """One sign: its middle as (c, u), its size and colour."""

    c: float
    u: float
    breadth: float
    length: float
    colour: Colour | None


def find_markers(shapes: Iterable[Shape], words: Sequence[Word], axis: Axis, frame: View) -> list[Marker]:
    """The small signs in a plot, each once; several strokes around one middle (a cross) are one sign."""
    found: list[Marker] = []
    for shape in shapes:
        box = shown(shape)
        if box is None or shape.kind == "shading":
            continue
        seen = view(shape.box, axis.orientation)
        if max(seen.breadth, seen.length) > _MAX_PT or max(seen.breadth, seen.length) < _MIN_PT:
            continue
        # One straight stroke along or across the axis is a tick.
        if shape.kind == "line" and min(seen.breadth, seen.length) < _STROKE_PT:
            continue
        colour = shape.fill_colour if shape.fill and not is_white(shape.fill_colour) else None
        colour = colour or (shape.stroke_colour if shape.stroke else None)
        _add(found, seen, colour, frame)
    for word in words:
        if word.text in _GLYPHS:
            _add(found, view(word.box, axis.orientation), word.colour, frame)
    return found


def _add(found: list[Marker], seen: View, colour: Colour | None, frame: View) -> None:
    c, u = seen.middle, (seen.u0 + seen.u1) / 2
    if not (
        frame.c0 - _INSIDE_PT <= c <= frame.c1 + _INSIDE_PT and frame.u0 - _INSIDE_PT <= u <= frame.u1 + _INSIDE_PT
    ):
        return
    for index in range(len(found) - 1, max(-1, len(found) - 4), -1):
        other = found[index]
        if abs(other.c - c) <= _SAME_PLACE_PT and abs(other.u - u) <= _SAME_PLACE_PT:
            # A sign drawn in several strokes, or its inside and its outline.
            kept = other.colour if other.colour is not None else colour
            breadth, length = max(other.breadth, seen.breadth), max(other.length, seen.length)
            found[index] = Marker(other.c, other.u, breadth, length, kept)
            return
    found.append(Marker(c, u, seen.breadth, seen.length, colour))


def families(markers: Sequence[Marker]) -> list[list[Marker]]:
    """Markers of one size and colour, together; none of a plot with too many."""
    if len(markers) > MAX_MARKERS:
        return []
    groups: dict[tuple[int, int, Colour | None], list[Marker]] = {}
    for marker in markers:
        # Producers round a position up or down, and the size with it.
        breadth, length = round(marker.breadth / _SAME_SIZE_PT), round(marker.length / _SAME_SIZE_PT)
        near = ((breadth + i, length + j, marker.colour) for i in (0, -1, 1) for j in (0, -1, 1))
        key = next((key for key in near if key in groups), (breadth, length, marker.colour))
        groups.setdefault(key, []).append(marker)
    return list(groups.values())
