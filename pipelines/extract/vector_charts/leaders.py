"""Labels that stand elsewhere: at the far end of a leader line or an arrow, beside the end of a curve, under a bracket.

What a stroke joins goes before what is near. Where a stroke may join two marks, or a mark two labels, nothing is
joined, and the reason is said. Labels at the place of a bar belong in `categories.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pipelines.extract.vector_charts.axis import Axis
from pipelines.extract.vector_charts.categories import printed_name
from pipelines.extract.vector_charts.geometry import Orientation, Style, View, same_colour, subpaths, view
from pipelines.extract.vector_charts.settings import SETTINGS
from pipelines.extract.vector_charts.tick_labels import end_of, height_of, parse_label, start_of
from pipelines.read.page import Point, Shape, Word
from pipelines.values.ratios import FACTOR

# A text and its words.
Name = tuple[str, tuple[Word, ...]]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a leader may end: the middle of a mark, how far the mark reaches around it, how it is painted, its form."""

    place: Point
    half: float
    style: Style
    form: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Leader:
    """A stroke from a text to a mark.

    Attributes:
        points: The stroke, from the text to the mark.
        words: The text.
        place: The mark; None where it may be one of two, or another stroke leads to the same mark or text.
        head: Middle of the head of an arrow, where it is drawn apart.
    """

    points: tuple[Point, ...]
    words: tuple[Word, ...]
    place: Point | None
    head: Point | None = None


def find_leaders(
    shapes: Sequence[Shape], texts: Sequence[tuple[Sequence[Word], View]], targets: Sequence[Target]
) -> list[Leader]:  # fmt: skip
    """The strokes that begin at a text, or at the frame around it, and end at a mark of an upright chart."""
    found: list[Leader] = []
    if not texts or not targets:
        return found
    for shape in shapes:
        if not shape.stroke or shape.fill or shape.dash or shape.kind == "shading":
            continue
        for piece in subpaths(shape):
            if len(piece) > SETTINGS.leader_points or piece[0] == piece[-1]:
                continue
            ends = [leader for way in (piece, piece[::-1]) if (leader := _leader(way, shape, texts, targets))]
            # What may lead either way is a stroke between marks, of which one has a text beside it.
            found += ends if len(ends) == 1 else []
    marks = Counter(leader.place for leader in found)
    words = Counter(leader.words for leader in found)
    return [
        leader if marks[leader.place] == 1 and words[leader.words] == 1 else replace(leader, place=None)
        for leader in dict.fromkeys(found)
    ]


def _leader(
    way: Sequence[Point], shape: Shape, texts: Sequence[tuple[Sequence[Word], View]], targets: Sequence[Target]
) -> Leader | None:
    """The leader that runs this way, None where it does not begin at a text and end at a mark."""
    start, before, tip = way[0], way[-2], way[-1]
    if math.dist(start, tip) < SETTINGS.least_leader:
        return None
    near = sorted((_gap(start, box), index) for index, (_, box) in enumerate(texts))
    if near[0][0] > SETTINGS.leader_text or _lies_on(start, targets):
        return None
    at = sorted((gap, index) for index, t in enumerate(targets) if (gap := _ahead(before, tip, t)) is not None)
    if not at:
        return None
    text, mark, head = tuple(texts[near[0][1]][0]), targets[at[0][1]], None
    # The head of an arrow is painted as its shaft, and lies before the mark that it points at.
    signs = [targets[index] for _, index in at if targets[index].half]
    heads = [sign for sign in signs if same_colour(sign.style.colour, shape.stroke_colour)]
    marks = [item for item in at if targets[item[1]] not in heads]
    if len(heads) == 1 and marks and _touch(heads[0], targets[marks[0][1]]):
        head, mark, at = heads[0].place, targets[marks[0][1]], marks
    hit = [targets[index] for _, index in at if math.dist(targets[index].place, tip) <= SETTINGS.leader_hit]
    rivals = hit or [
        t for gap, t in ((gap, targets[index]) for gap, index in at)
        if gap - at[0][0] <= SETTINGS.leader_clear
        or math.dist(t.place, mark.place) <= t.half + mark.half + SETTINGS.leader_clear
    ]  # fmt: skip
    mark = rivals[0]
    if len(rivals) > 1:
        # Of two ends in one place the colour tells.
        own = [t for t in rivals if any(same_colour(t.style.colour, c) for c in (shape.stroke_colour, text[0].colour))]
        mark = own[0] if own else mark
        rivals = own or rivals
    is_clear = len(rivals) == 1 and (len(near) == 1 or near[1][0] - near[0][0] > SETTINGS.leader_clear)
    return Leader(tuple(way), text, mark.place if is_clear else None, head)


def _touch(head: Target, mark: Target) -> bool:
    """True for the head of an arrow at a mark; the tip of a slanted one is a corner of its box."""
    return math.dist(head.place, mark.place) <= math.sqrt(2) * head.half + mark.half + SETTINGS.same


def _lies_on(point: Point, targets: Sequence[Target]) -> bool:
    return any(math.dist(point, target.place) <= SETTINGS.same_place for target in targets)


def _ahead(before: Point, tip: Point, target: Target) -> float | None:
    """How far a mark is from the tip of a stroke that points at it; None where it does not."""
    (x, y), (mx, my) = tip, target.place
    gap = max(0.0, math.dist(tip, target.place) - target.half)
    length = math.dist(before, tip)
    if gap > SETTINGS.leader_gap or length == 0:
        return None
    along = ((mx - x) * (x - before[0]) + (my - y) * (y - before[1])) / length
    beside = abs((mx - x) * (y - before[1]) - (my - y) * (x - before[0])) / length
    points_at = beside <= max(SETTINGS.leader_off, target.half) and along >= -target.half - SETTINGS.same
    return gap if points_at or math.dist(tip, target.place) <= SETTINGS.same_place else None


def _gap(point: Point, box: View) -> float:
    x, y = point
    return math.hypot(max(box.c0 - x, 0.0, x - box.c1), max(box.u0 - y, 0.0, y - box.u1))


def around(words: Sequence[Word]) -> View:
    """The box around words."""
    return View(
        min(w.x0 for w in words), min(w.top for w in words), max(w.x1 for w in words), max(w.bottom for w in words)
    )


def text_blocks(words: Sequence[Word], used: Collection[int], angle: int = 0) -> list[list[Word]]:
    """Words that stand together, line below line, in the order of reading."""
    lines: list[list[Word]] = []
    for word in sorted((w for w in words if w.angle == angle and id(w) not in used), key=_line_order):
        last, height = lines[-1][-1] if lines else word, height_of(word)
        is_next = -0.2 * height <= start_of(word) - end_of(last) <= SETTINGS.word_gap * height
        if (
            is_next
            and abs(_level(last) - _level(word)) <= 0.3 * height
            and 0.87 * height < height_of(last) < 1.15 * height
        ):
            lines[-1].append(word)
        else:
            lines.append([word])
    return lines if angle else _stacked(lines)


def _stacked(lines: Sequence[list[Word]]) -> list[list[Word]]:
    """Lines of one text, put together."""
    blocks: list[tuple[View, list[Word]]] = []
    for line in lines:
        box = around(line)
        for index in range(len(blocks) - 1, -1, -1):
            other, block = blocks[index]
            gap, overlap = box.u0 - other.u1, min(box.c1, other.c1) - max(box.c0, other.c0)
            if gap > 2 * box.length:
                # Lines come from above.
                blocks.append((box, list(line)))
                break
            near = -0.2 * box.length <= gap <= SETTINGS.line_gap * box.length
            if near and overlap >= 0.5 * min(box.breadth, other.breadth):
                blocks[index] = (box, [*block, *line])
                break
        else:
            blocks.append((box, list(line)))
    return [block for _, block in blocks]


def _level(word: Word) -> float:
    return (word.x0 + word.x1) / 2 if word.angle else (word.top + word.bottom) / 2


def _line_order(word: Word) -> tuple[float, float]:
    return round(_level(word) / 2), start_of(word)


def label_of(words: Sequence[Word]) -> Name | None:
    """A text as a name; None for what is a number or a factor, which names nothing."""
    text = printed_name(words)
    is_number = parse_label(text) is not None or FACTOR.search(text) is not None or text[:1] in "+-−<>~≈"
    return None if is_number or not any(c.isalpha() for c in text) else (text, tuple(words))


def names_at_ends(
    ends: Sequence[tuple[Point, Style]], texts: Sequence[Sequence[Word]], used: Collection[int]
) -> dict[int, Name]:  # fmt: skip
    """The text beside the right end of each line, by the line's index; no text beside two ends, none beside a text."""
    offers: list[tuple[int, int]] = []
    for index, ((x, y), style) in enumerate(ends):
        for number, text in enumerate(texts):
            box, colour = around(text), text[0].colour
            height = height_of(text[0])
            beside = -0.3 * height <= box.c0 - x <= SETTINGS.end_gap * height and abs((box.u0 + box.u1) / 2 - y) <= (
                SETTINGS.end_off * height
            )
            # A text in a colour of its own is of the line in that colour.
            is_other = colour is not None and max(colour) - min(colour) > 0.1 and not same_colour(colour, style.colour)
            if beside and not is_other and not any(id(word) in used for word in text):
                offers.append((index, number))
    lines, names = Counter(i for i, _ in offers), Counter(n for _, n in offers)
    clear = {i: label_of(texts[n]) for i, n in offers if lines[i] == 1 and names[n] == 1}
    return {i: label for i, label in clear.items() if label}


def bracket_labels(
    shapes: Sequence[Shape], words: Sequence[Word], used: Collection[int], ground: View, orientation: Orientation
) -> list[tuple[float, float, Name]]:  # fmt: skip
    """The brackets below (or left of) a plot that have a name each: from where to where, and the name.

    Args:
        shapes: Shapes of the page.
        words: Its words.
        used: Ids of words that are something else.
        ground: The plot.
        orientation: Direction of the values.
    """
    upright = orientation == "vertical"
    edge = ground.u1 if upright else ground.u0
    sign = 1 if upright else -1
    seen = [view(s.box, orientation) for s in shapes if s.stroke and not s.fill and s.kind != "shading"]
    depths = [(v, ((v.u1 if upright else v.u0) - edge) * sign) for v in seen]
    at_plot = ground.grown(SETTINGS.same)
    near = [(v, d) for v, d in depths if 0 < d <= SETTINGS.bracket_reach and v.c1 > at_plot.c0 and v.c0 < at_plot.c1]
    slots = [
        (v.c0, v.c1, d) for v, d in near
        if v.breadth >= SETTINGS.bracket and v.breadth >= 2 * v.length and v.breadth < SETTINGS.grid * ground.breadth
        and (min(v.u0 * sign, v.u1 * sign) - edge * sign) > -SETTINGS.meets
    ]  # fmt: skip
    # Fences between groups run from the axis, longer than those between their bars.
    posts = [(v.middle, d) for v, d in near if v.breadth <= SETTINGS.straight and abs(v.begin(sign) - edge) <= 1]
    deepest = max((d for _, d in posts), default=0.0)
    places = sorted({round(c, 1) for c, d in posts if d >= deepest - 0.5})
    if deepest >= SETTINGS.bracket and len(places) > 2:
        slots += [(a, b, 0.0) for a, b in pairwise(places)]
    # Names between fences stand beyond those of single bars, where shorter fences end.
    floor = max((d for _, d in posts if d < deepest - 0.5), default=0.0) if len(places) > 2 else 0.0
    beyond = [w for w in words if (view(w.box, orientation).begin(sign) - edge) * sign >= floor - SETTINGS.meets]
    blocks = text_blocks(beyond, used) + ([] if upright else text_blocks(beyond, used, 90))
    found: list[tuple[float, float, Name]] = []
    for c0, c1, depth in sorted(set(slots)):
        at = [(v, b) for b in blocks if (v := _seen(b, orientation)) and _is_under(v, c0, c1, edge, depth, sign)]
        at = [(v, b) for v, b in at if depth or ((v.u0 + v.u1) / 2 - edge) * sign <= deepest]
        # Of a bracket the next text, between fences the outermost one.
        at.sort(key=lambda item: abs(item[0].u0 - edge), reverse=not depth)
        label = label_of(at[0][1]) if at else None
        if label and not any(min(c1, b) - max(c0, a) > 1 for a, b, _ in found):
            found.append((c0, c1, label))
    return found if len(found) > 1 else []


def _seen(words: Sequence[Word], orientation: Orientation) -> View:
    box = around(words)
    return view((box.c0, box.u0, box.c1, box.u1), orientation)


def _is_under(seen: View, c0: float, c1: float, edge: float, depth: float, sign: int) -> bool:
    """True for a text in the middle of a bracket, right beyond it."""
    start = (seen.begin(sign) - edge) * sign
    height = min(seen.length, seen.breadth)
    in_middle = abs(seen.middle - (c0 + c1) / 2) <= max(3.0, 0.1 * (c1 - c0))
    is_next = depth - 0.5 * height <= start <= depth + SETTINGS.bracket_text * height if depth else start > 0
    return in_middle and is_next


def tick_words(axes: Sequence[Axis | None]) -> set[int]:
    """Ids of the words that label scales."""
    return {id(word) for axis in axes if axis for tick in axis.ticks for word in tick.label.words}
