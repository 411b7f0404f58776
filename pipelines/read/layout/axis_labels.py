"""Labels of axes: the numbers along one are read together, and rotated words are not part of the
lines around them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter

from pipelines.read.document import runs_of
from pipelines.read.layout.segments import Segment
from pipelines.read.page import Word

# `0`, `1,000`, `0.5`, `-20`, `80%`, `10k`, `1e3`
_TICK = re.compile(r"[-\u2212]?\d[\d.,]*(?:e[-+]?\d+)?\s?[%kKMGx]?")
_MIN_TICKS = 3
# Ticks are on one line at equal steps, up to the rounding of their places; in parts of the font
# size.
_ALIGNED = 0.15
_STEP = 0.25
# Words of one rotated label are closer, on one line, in one font size.
_BLANK, _LINE, _SIZES = 0.9, 0.15, 0.1

Place = Callable[[Segment], float]


def find_ticks(segments: Sequence[Segment]) -> tuple[list[Segment], list[list[Segment]]]:
    """Horizontal axes, each as one segment from left to right, and vertical axes, each from top to
    bottom.
    """
    numbers = [segment for segment in segments if is_tick(segment.text)]
    lying = [
        Segment.of(word for segment in run for word in segment.words)
        for run in _runs(numbers, lambda s: s.bottom, _middle)
    ]
    used = {id(word) for segment in lying for word in segment.words}
    left = [segment for segment in numbers if id(segment.words[0]) not in used]
    standing: list[list[Segment]] = []
    for edge in (attrgetter("x1"), attrgetter("x0"), _middle):
        for run in _runs(left, edge, lambda s: (s.top + s.bottom) / 2):
            standing.append(run)
            taken = set(map(id, run))
            left = [segment for segment in left if id(segment) not in taken]
    return lying, standing


def is_tick(text: str) -> bool:
    """True for a number as axes print it."""
    return bool(_TICK.fullmatch(text))


def _middle(segment: Segment) -> float:
    return (segment.x0 + segment.x1) / 2


def _runs(segments: Sequence[Segment], line: Place, along: Place) -> Iterator[list[Segment]]:
    """Numbers of one size on one line, at equal steps."""
    sizes: dict[float, list[Segment]] = defaultdict(list)
    for segment in segments:
        sizes[round(segment.size, 1)].append(segment)
    for size, group in sizes.items():
        limit = _ALIGNED * size

        def is_on_line(row: list[Segment], one: Segment, limit: float = limit) -> bool:
            return line(one) - line(row[0]) <= limit

        for row in runs_of(sorted(group, key=line), is_on_line):
            yield from _even(sorted(row, key=along), along, size)


def _even(row: list[Segment], along: Place, size: float) -> Iterator[list[Segment]]:
    """The row if its numbers are at equal steps, unlike the labels of bars."""
    if len(row) < _MIN_TICKS:
        return
    steps = [along(right) - along(left) for left, right in pairwise(row)]
    if min(steps) > 0 and max(steps) - min(steps) <= _STEP * size:
        yield row


def turned_runs(words: Iterable[Word]) -> Iterator[list[Word]]:
    """The rotated words of each label in their reading direction; numbers along one line are one
    label.
    """
    turned = [word for word in words if word.angle]
    for line in _lines([word for word in turned if word.angle in (90, 180, 270)]):
        if len(line) >= _MIN_TICKS and all(is_tick(word.text) for word in line):
            yield line
        else:
            yield from runs_of(line, _goes_on)
    yield from runs_of((word for word in turned if word.angle not in (90, 180, 270)), _goes_on)


def _lines(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Words of one direction and size on one line, as they are read."""
    for _, group in groupby(sorted(words, key=_kind), key=_kind):
        for line in runs_of(
            sorted(group, key=_base),
            lambda line, one: _base(one) - _base(line[0]) <= _LINE * one.size,
        ):
            yield sorted(line, key=_start)


def _kind(word: Word) -> tuple[int, float]:
    return word.angle, round(word.size, 1)


def _base(word: Word) -> float:
    return word.bottom if word.angle == 180 else word.x0


def _start(word: Word) -> float:
    return word.edges[0] if word.angle == 270 else -word.edges[0]


def _goes_on(run: Sequence[Word], word: Word) -> bool:
    last = run[-1]
    if last.angle != word.angle or abs(last.size - word.size) > _SIZES * word.size:
        return False
    apart = max(
        word.x0 - last.x1, last.x0 - word.x1, word.top - last.bottom, last.top - word.bottom
    )
    return apart < _BLANK * word.size
