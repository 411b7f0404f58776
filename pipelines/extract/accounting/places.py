"""Stretches of characters on one line, and which of them lie around others. What they mean is in `ledger.py`."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import Generic, TypeVar

from pipelines.extract.accounting.words import Span

What = TypeVar("What")


class Places(Generic[What]):
    """Stretches of one line with what is said of each; a long line may hold thousands of them."""

    def __init__(self) -> None:
        self._sorted: list[tuple[int, int, int]] = []
        self._said: list[What] = []
        self._widest = 0

    def add(self, place: Span, what: What) -> None:
        """Keep a stretch and what is said of it."""
        insort(self._sorted, (place[0], place[1], len(self._said)))
        self._said.append(what)
        self._widest = max(self._widest, place[1] - place[0])

    def touching(self, span: Span) -> What | None:
        """What the first stretch that was added and shares a character with `span` says, or None."""
        return self._first(span, lambda start, end: span[0] < end and start < span[1])

    def around(self, span: Span) -> What | None:
        """What the first stretch that was added and holds all of `span` says, or None."""
        return self._first(span, lambda start, end: start <= span[0] and span[1] <= end)

    def _first(self, span: Span, fits: Callable[[int, int], bool]) -> What | None:
        order = len(self._said)
        for at in range(bisect_left(self._sorted, (span[0] - self._widest,)), len(self._sorted)):
            start, end, number = self._sorted[at]
            if start > span[1]:
                break
            if number < order and fits(start, end):
                order = number
        return self._said[order] if order < len(self._said) else None
