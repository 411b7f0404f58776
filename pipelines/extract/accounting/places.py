"""Stretches of characters on one line, and which of them lie around others. What they mean is in `ledger.py`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from pipelines.extract.accounting.words import Span

What = TypeVar("What")


class Places(Generic[What]):
    """Stretches of one line with what is said of each; a long line may hold thousands of them."""

    def __init__(self, places: Iterable[tuple[int, int, What]] = ()) -> None:
        self._said = [*places]
        self._sorted = sorted((start, end, number) for number, (start, end, _) in enumerate(self._said))
        self._widest = max((end - start for start, end, _ in self._sorted), default=0)

    def __len__(self) -> int:
        return len(self._said)

    def touching(self, span: Span) -> What | None:
        """What the first stretch that was added and shares a character with `span` says, or None."""
        return self._first(span, lambda start, end: span[0] < end and start < span[1])

    def around(self, span: Span) -> What | None:
        """What the first stretch that was added and holds all of `span` says, or None."""
        return self._first(span, lambda start, end: start <= span[0] and span[1] <= end)

    def _first(self, span: Span, fits: Callable[[int, int], bool]) -> What | None:
        if not self._said:
            return None
        order = len(self._said)
        for at in range(bisect_left(self._sorted, (span[0] - self._widest,)), len(self._sorted)):
            start, end, number = self._sorted[at]
            if start > span[1]:
                break
            if number < order and fits(start, end):
                order = number
        return self._said[order][2] if order < len(self._said) else None
