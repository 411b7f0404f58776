"""The scales on a page: printed numbers in one line that lie on one straight axis."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from pipelines.extract.vector_charts.axis import MIN_TICKS, Axis, Scale, Side, Tick, fit, plain, tolerance
from pipelines.extract.vector_charts.geometry import Orientation, Segment, View, view
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.snapping import snap
from pipelines.extract.vector_charts.tick_labels import DecimalMark, Token, parse_label

# More numbers in one line than these are a column of a table.
_MAX_LABELS = 60
# Of the numbers in line with an axis so many may be something else, as a printed value in a column of labels.
_MAX_ALIENS = 0.25
# So many ticks need no round values.
_ODD_TICKS = 4
# A log axis with one label has at least so many ticks.
_MIN_MINOR = 6
_MAX_POWER = 15
# A decimal point is tried before a decimal comma, a straight scale before a logarithmic one.
_READINGS: tuple[tuple[DecimalMark, Scale], ...] = (
    (".", "linear"),
    (".", "log"),
    (",", "linear"),
    (",", "log"),
)


def find_axes(tokens: Sequence[Token], segments: Sequence[Segment], orientation: Orientation) -> list[Axis]:
    """Every run of labels that is a scale, best supported first; no label belongs to two of them.

    Args:
        tokens: Numbers printed on the page.
        segments: Straight strokes across this direction.
        orientation: Direction of the values.
    """
    found: list[Axis] = []
    for cluster in _aligned(tokens, orientation):
        found += _scales_in(cluster, orientation)
    snapped = [axis for axis in (snap(axis, segments) for axis in found) if _is_credible(axis)]
    snapped.sort(key=lambda axis: (-axis.is_snapped, -len(axis.ticks), axis.residual))
    chosen: list[Axis] = []
    used: set[int] = set()
    for axis in snapped:
        labels = {id(tick.label) for tick in axis.ticks}
        if not labels & used:
            chosen.append(axis)
            used |= labels
    for token in tokens:
        if id(token) not in used and (minor := _from_minor_ticks(token, tokens, segments, orientation)):
            chosen.append(minor)
            used |= {id(tick.label) for tick in minor.ticks}
    return chosen


def _from_minor_ticks(
    token: Token, tokens: Sequence[Token], segments: Sequence[Segment], orientation: Orientation
) -> Axis | None:
    """A log axis with one or two labels: its minor ticks stand where 2 to 9 are; None where they do not."""
    read = parse_label(token.text)
    if read is None or read[0] <= 0 or not math.log10(read[0]).is_integer():
        return None
    if any(_is_behind(token, other) for other in tokens):
        # It may be the exponent of this one, of which a sign was lost.
        return None
    seen = view(token.box, orientation)
    middle, power = (seen.u0 + seen.u1) / 2, math.log10(read[0])
    sign = -1 if orientation == "vertical" else 1
    short = [s for s in segments if s.length <= SETTINGS.tick]
    sides: tuple[tuple[Side, float], ...] = (("before", seen.c1), ("behind", seen.c0))
    for side, edge in sides:
        # Major and minor ticks differ in length and have one end on the line of the axis.
        near = [s for s in short if (s.c0 - edge >= -2 if side == "before" else edge - s.c1 >= -2)]
        near = [s for s in near if min(abs(s.c0 - edge), abs(s.c1 - edge)) <= SETTINGS.tick_reach]
        for line in sorted({round(end, 1) for s in near for end in (s.c0, s.c1)}, key=lambda end: abs(end - edge)):
            ticks = sorted({round(s.u, 2): s for s in near if min(abs(s.c0 - line), abs(s.c1 - line)) <= 0.1}.items())
            # The major tick is the longest of those at the label.
            at = [(u, s) for u, s in ticks if abs(u - middle) <= 0.75 * token.size]
            if len(ticks) < _MIN_MINOR or not at:
                continue
            major, _ = min(at, key=lambda t: (-round(t[1].length, 1), abs(t[0] - middle)))
            for decade in _decades(major, [u for u, _ in ticks], sign):
                powers = {u: power + (u - major) / (decade * sign) for u, _ in ticks}
                found = _on_decades(powers, dict(ticks), token, tokens, orientation, side, major - middle)
                if found is not None:
                    return found
    return None


def _decades(major: float, places: Sequence[float], sign: int) -> Iterator[float]:
    """Lengths of a decade that put the ticks next to a power of ten at 2, or those before it at 9, 8, 7 ..."""
    above = sorted((u - major) * sign for u in places if (u - major) * sign > 1)
    below = sorted((major - u) * sign for u in places if (major - u) * sign > 1)
    if above:
        yield above[0] / math.log10(2)
    count = min(len(below), 8)
    if count:
        yield below[count - 1] / -math.log10((10 - count) / 10)


def _on_decades(
    powers: dict[float, float], strokes: dict[float, Segment], token: Token, tokens: Sequence[Token],
    orientation: Orientation, side: Side, shift: float,
) -> Axis | None:  # fmt: skip
    """The axis, where all ticks are at one digit and a power of ten."""
    found: list[Tick] = []
    for u, power in powers.items():
        # The place of a tick tells its digit when it is as near to it as positions are exact.
        value = float(f"{10**power:.0e}") if abs(power) < _MAX_POWER else 0.0
        if value <= 0 or abs(10**power / value - 1) > SETTINGS.digit_fault:
            return None
        at = [t for t in tokens if _is_label(t, u - shift, token, orientation)]
        label = next((t for t in at if _says(t, value)), None)
        if at and label is None:
            return None
        found.append(Tick(u, value, label or token, "", label is None))
    found.sort(key=lambda tick: tick.value)
    if len({tick.value for tick in found}) < len(found):
        return None
    intercept, slope, residual = fit([(t.u, t.value) for t in found], "log")
    axis = Axis(orientation, "log", intercept, slope, tuple(found), True, side, tuple(strokes.values()), residual)
    return axis if residual <= tolerance(axis) else None


def _is_behind(token: Token, other: Token) -> bool:
    height = token.box[3] - token.box[1]
    level = other.box[1] < token.box[3] and other.box[3] > token.box[1]
    return level and -0.1 * height < other.box[0] - token.box[2] < height


def _is_label(label: Token, middle: float, first: Token, orientation: Orientation) -> bool:
    """True for a number of the same look whose middle is there."""
    seen, beside = view(label.box, orientation), view(first.box, orientation)
    off = min(abs(seen.c0 - beside.c0), abs(seen.c1 - beside.c1), abs(seen.middle - beside.middle))
    is_alike = label.angle == first.angle and abs(label.size - first.size) <= SETTINGS.exact
    return max(off, abs((seen.u0 + seen.u1) / 2 - middle)) <= SETTINGS.aligned and is_alike


def _says(label: Token, value: float) -> bool:
    read = parse_label(label.text)
    return read is not None and math.isclose(read[0], value, rel_tol=1e-6)


def _is_credible(axis: Axis) -> bool:
    """False for few odd numbers without tick marks exactly where they would be."""
    exact = axis.is_snapped and len(axis.marks) >= len(axis.ticks) and axis.residual <= SETTINGS.exact
    return exact or _is_round(axis.ticks, axis.scale)


def _aligned(tokens: Iterable[Token], orientation: Orientation) -> list[list[Token]]:
    """Tokens of one size and direction whose ends or middles stand on one line along the axis."""
    clusters: list[list[Token]] = []
    seen: set[frozenset[int]] = set()
    for edge in ("c1", "c0", "middle"):
        keyed = sorted(((getattr(view(t.box, orientation), edge), t) for t in tokens), key=lambda pair: pair[0])
        run: list[Token] = []
        last = -math.inf
        for place, token in [*keyed, (math.inf, None)]:
            if token is None or place - last > SETTINGS.aligned:
                names = frozenset(map(id, run))
                if MIN_TICKS <= len(run) <= _MAX_LABELS and names not in seen:
                    seen.add(names)
                    clusters += [same for same in _by_look(run) if len(same) >= MIN_TICKS]
                run = []
            if token is not None:
                run.append(token)
                last = place
    return clusters


def _by_look(run: Iterable[Token]) -> list[list[Token]]:
    looks: defaultdict[tuple[int, int], list[Token]] = defaultdict(list)
    for token in run:
        looks[token.angle, round(token.size * 2)].append(token)
    return list(looks.values())


def _scales_in(cluster: Sequence[Token], orientation: Orientation) -> list[Axis]:
    """The scales within one line of labels; one column of a page may hold those of several charts."""
    axes: list[Axis] = []
    left = list(cluster)
    while len(left) >= MIN_TICKS:
        best: Axis | None = None
        for mark, scale in _READINGS:
            axis = _best_scale(left, orientation, scale, mark)
            if axis and (best is None or len(axis.ticks) > len(best.ticks)):
                best = axis
        if best is None:
            break
        axes.append(best)
        taken = {id(tick.label) for tick in best.ticks}
        left = [token for token in left if id(token) not in taken]
    return axes


def _best_scale(tokens: Sequence[Token], orientation: Orientation, scale: Scale, mark: DecimalMark) -> Axis | None:
    """The scale on which the most neighbouring labels lie, or None where fewer than three do."""
    ticks = []
    for token in tokens:
        read = parse_label(token.text, mark)
        if read is not None and (scale == "linear" or read[0] > 0):
            seen = view(token.box, orientation)
            ticks.append(Tick((seen.u0 + seen.u1) / 2, read[0], token, read[1]))
    ticks.sort(key=lambda tick: tick.u)
    best: list[Tick] = []
    for start in range(len(ticks)):
        # The next label or, where one in between belongs elsewhere, the one behind it.
        for end in range(start + 1, min(start + 3, len(ticks))):
            on_line = _on_line(ticks, ticks[start], ticks[end], scale)
            if len(on_line) > len(best) and _is_scale(on_line, ticks, orientation, scale):
                best = on_line
    if len(best) < MIN_TICKS:
        return None
    intercept, slope, residual = fit([(t.u, t.value) for t in best], scale)
    best.sort(key=lambda tick: tick.value)
    axis = Axis(orientation, scale, intercept, slope, tuple(best), False, None, (), residual)
    return axis if residual <= tolerance(axis) else None


def _is_scale(on_line: Sequence[Tick], ticks: Sequence[Tick], orientation: Orientation, scale: Scale) -> bool:
    # Three odd numbers may be ticks that were put where the data is; their marks have to show it.
    is_odd = len(on_line) == MIN_TICKS
    return _grows(on_line, orientation) and not _is_mixed(on_line, ticks) and (is_odd or _is_round(on_line, scale))


def _is_round(ticks: Sequence[Tick], scale: Scale) -> bool:
    """True for values that a scale is labelled with: equal steps, or on a log scale equal factors."""
    values = sorted(tick.value for tick in ticks)
    if scale == "log":
        even = {round(math.log10(right / left), 3) for left, right in pairwise(values)}
        return len(even) == 1 or len(values) >= _ODD_TICKS
    # That many numbers of any kind are on one straight scale only when they are its ticks, put where the data is.
    if len(values) >= _ODD_TICKS:
        return True
    steps = [right - left for left, right in pairwise(values)]
    least = min(steps)
    return all(abs(step / least - round(step / least)) <= SETTINGS.step_fault for step in steps)


def _is_mixed(on_line: Sequence[Tick], ticks: Sequence[Tick]) -> bool:
    """True where many numbers stand between the ticks that do not lie on the scale: then it is none."""
    between = sum(on_line[0].u <= tick.u <= on_line[-1].u for tick in ticks) - len(on_line)
    return between > _MAX_ALIENS * len(on_line)


def _on_line(ticks: Sequence[Tick], first: Tick, second: Tick, scale: Scale) -> list[Tick]:
    a, b = plain(first.value, scale), plain(second.value, scale)
    if a == b or first.u == second.u:
        return []
    slope = (second.u - first.u) / (b - a)
    # A pair close together says little of the far end: the line may turn by the fault of both labels.
    found = []
    for tick in ticks:
        far = abs(plain(tick.value, scale) - a) / abs(b - a)
        slack = 0.45 * max(1.0, min(far, 6.0))
        if abs(first.u + slope * (plain(tick.value, scale) - a) - tick.u) <= slack:
            found.append(tick)
    return found


def _grows(ticks: Sequence[Tick], orientation: Orientation) -> bool:
    """True for values that grow upwards or to the right, each printed once."""
    values = [tick.value for tick in ticks]
    ordered = sorted(set(values), reverse=orientation == "vertical")
    return values == ordered


def two_label_axis(
    frame: View, tokens: Sequence[Token], segments: Sequence[Segment], orientation: Orientation
) -> Axis | None:
    """The axis of a framed plot with two labels, each at one of its two major ticks; None where more could be meant.

    Args:
        frame: The plot, as the axis sees it.
        tokens: Numbers that are no ticks of another axis.
        segments: Straight strokes across this direction.
        orientation: Direction of the values.
    """
    # A vertical axis is labelled at the left, a horizontal one below.
    edge, is_before = (frame.c0, True) if orientation == "vertical" else (frame.c1, False)
    near: list[Tick] = []
    for token in tokens:
        seen, read = view(token.box, orientation), parse_label(token.text)
        gap = edge - seen.c1 if is_before else seen.c0 - edge
        middle = (seen.u0 + seen.u1) / 2
        slack = 0.75 * token.size
        inside = frame.u0 - slack <= middle <= frame.u1 + slack
        if read and "^" not in token.text and -1 <= gap <= SETTINGS.tick_reach and inside:
            near.append(Tick(middle, read[0], token, read[1]))
    near.sort(key=lambda tick: tick.value)
    if len(near) != 2 or not _grows(sorted(near, key=lambda t: t.u), orientation):
        return None
    step = near[1].value - near[0].value
    # Ticks of a straight scale are multiples of their step; 10 and 100 may be those of a logarithmic one.
    if abs(near[0].value / step - round(near[0].value / step)) > SETTINGS.step_fault:
        return None
    at_edge = [
        s for s in segments
        if min(abs(s.c0 - edge), abs(s.c1 - edge)) <= 1 and frame.u0 - 1 <= s.u <= frame.u1 + 1
    ]  # fmt: skip
    # Without tick marks, gridlines tell.
    marks = [s for s in at_edge if s.length <= SETTINGS.tick]
    marks = marks or [s for s in at_edge if s.length >= SETTINGS.grid * frame.breadth]
    major = {round(s.u, 1): s for s in marks if s.length >= max(m.length for m in marks) - 0.3}
    ticks = sorted(near, key=lambda tick: tick.u)
    pairs = [
        pair for pair in combinations(sorted(major), 2)
        if max(abs(place - tick.u) for place, tick in zip(pair, ticks, strict=True)) <= 0.75 * near[0].label.size
        and abs((pair[1] - pair[0]) - (ticks[1].u - ticks[0].u)) <= 2 * SETTINGS.exact
    ]  # fmt: skip
    inner = [place for place in sorted(major) if min(place - frame.u0, frame.u1 - place) > SETTINGS.same]
    if len(pairs) != 1 or not (len(major) == 2 or _are_minor(inner, pairs[0])):
        return None
    placed = sorted(
        (replace(tick, u=major[place].u) for place, tick in zip(pairs[0], ticks, strict=True)), key=lambda t: t.value
    )
    intercept, slope, residual = fit([(t.u, t.value) for t in placed], "linear")
    side: Side = "before" if is_before else "behind"
    return Axis(
        orientation,
        "linear",
        intercept,
        slope,
        tuple(placed),
        True,
        side,
        tuple(major[place] for place in pairs[0]),
        residual,
    )


def _are_minor(places: Sequence[float], labelled: tuple[float, float]) -> bool:
    """True where all strokes but the labelled ones divide the steps between labels evenly, and none is at a step."""
    gaps = [right - left for left, right in pairwise(places)]
    steps = ((place - labelled[0]) / (labelled[1] - labelled[0]) for place in places if place not in labelled)
    return (
        bool(gaps)
        and max(gaps) - min(gaps) <= 2 * SETTINGS.exact
        and all(abs(step - round(step)) > SETTINGS.step_fault for step in steps)
    )
