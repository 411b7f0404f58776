"""The scales on a page: printed numbers in one line that lie on one straight axis."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pipelines.extract.vector_charts.axis import MIN_TICKS, Axis, Scale, Tick, fit, plain, tolerance
from pipelines.extract.vector_charts.geometry import Orientation, Segment, view
from pipelines.extract.vector_charts.snapping import snap
from pipelines.extract.vector_charts.tick_labels import DecimalMark, Token, parse_label

# Labels of one axis end, begin or have their middle at one line.
_ALIGNED_PT = 1.6
# More numbers in one line than these are a column of a table.
_MAX_LABELS = 60
# Of the numbers in line with an axis so many may be something else, as a printed value in a column of labels.
_MAX_ALIENS = 0.2
# Printed ticks are rounded: 0.33, 0.67, 1.
_STEP_FAULT = 0.05
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
    snapped = [snap(axis, segments) for axis in found]
    snapped.sort(key=lambda axis: (-axis.is_snapped, -len(axis.ticks), axis.residual))
    chosen: list[Axis] = []
    used: set[int] = set()
    for axis in snapped:
        labels = {id(tick.label) for tick in axis.ticks}
        if not labels & used:
            chosen.append(axis)
            used |= labels
    return chosen


def _aligned(tokens: Iterable[Token], orientation: Orientation) -> list[list[Token]]:
    """Tokens of one size and direction whose ends or middles stand on one line along the axis."""
    clusters: list[list[Token]] = []
    seen: set[frozenset[int]] = set()
    for edge in ("c1", "c0", "middle"):
        keyed = sorted(((getattr(view(t.box, orientation), edge), t) for t in tokens), key=lambda pair: pair[0])
        run: list[Token] = []
        last = -math.inf
        for place, token in [*keyed, (math.inf, None)]:
            if token is None or place - last > _ALIGNED_PT:
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
    return _grows(on_line, orientation) and not _is_mixed(on_line, ticks) and _is_round(on_line, scale)


def _is_round(ticks: Sequence[Tick], scale: Scale) -> bool:
    """True for values that a scale is labelled with: equal steps, or on a log scale one digit or a power of two."""
    values = sorted(tick.value for tick in ticks)
    if scale == "log":
        return all(_has_one_digit(value) or math.log2(value).is_integer() for value in values)
    steps = [right - left for left, right in pairwise(values)]
    least = min(steps)
    return all(abs(step / least - round(step / least)) <= _STEP_FAULT for step in steps)


def _has_one_digit(value: float) -> bool:
    mantissa = value / 10.0 ** math.floor(math.log10(value))
    return abs(mantissa - round(mantissa)) < 1e-6


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
