"""Turned words to labels: titles of axes, slanted names of categories, ticks along an upright axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pipelines.read.layout.ticks import is_tick
from pipelines.read.page import Word

# Parts of the font size: words of one label stand closer, on one line, and in type of one size.
_BLANK = 0.9
_LINE = 0.15
_SIZES = 0.1
_MIN_TICKS = 3


def turned_runs(words: Iterable[Word]) -> Iterator[list[Word]]:
    """The turned words of each label in their direction of reading; numbers along one line are one label."""
    turned = [word for word in words if word.angle]
    for line in _lines([word for word in turned if word.angle in (90, 180, 270)]):
        if len(line) >= _MIN_TICKS and all(is_tick(word.text) for word in line):
            yield line
        else:
            yield from _split(line)
    yield from _split([word for word in turned if word.angle not in (90, 180, 270)])


def _lines(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Words of one direction and size on one line, as they are read."""
    for _, group in groupby(sorted(words, key=_kind), key=_kind):
        line: list[Word] = []
        for word in sorted(group, key=_base):
            if line and _base(word) - _base(line[0]) > _LINE * word.size:
                yield sorted(line, key=_start)
                line = []
            line.append(word)
        yield sorted(line, key=_start)


def _kind(word: Word) -> tuple[int, float]:
    return word.angle, round(word.size, 1)


def _base(word: Word) -> float:
    return word.bottom if word.angle == 180 else word.x0


def _start(word: Word) -> float:
    return word.edges[0] if word.angle == 270 else -word.edges[0]


def _split(words: Iterable[Word]) -> Iterator[list[Word]]:
    run: list[Word] = []
    for word in words:
        if run and not _goes_on(run[-1], word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _goes_on(last: Word, word: Word) -> bool:
    if last.angle != word.angle or abs(last.size - word.size) > _SIZES * word.size:
        return False
    apart = max(word.x0 - last.x1, last.x0 - word.x1, word.top - last.bottom, last.top - word.bottom)
    return apart < _BLANK * word.size
