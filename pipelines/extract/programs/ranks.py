"""Which process of a run a log is read of, where several print into one log."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from pipelines.extract.programs.fields import Field, dictionary_on, fields_on
from pipelines.extract.programs.said import Said


class Ranks:
    """The first process of a log is read; of the others it is kept what they print in its place.

    Args:
        lines: All that is said in the log.
    """

    def __init__(self, lines: Sequence[Said]) -> None:
        counts = Counter(said.rank for said in lines if said.rank is not None)
        # Numbered lines have a number each.
        are_ranks = len(counts) > 1 and 2 * len(counts) <= counts.total()
        self._first = min(counts) if are_ranks else None
        self._printed: defaultdict[str, set[str]] = defaultdict(set)

    def is_other(self, said: Said) -> bool:
        """Whether a line is of another process than the one that is read."""
        if self._first is None or said.rank is None or said.rank == self._first:
            return False
        for field in fields_on(said) or dictionary_on(said):
            self._printed[_key(field)].add(field.value.text)
        return True

    def differ(self, field: Field) -> bool:
        """Whether other processes print another value under the same name: then it is of one process alone."""
        return bool(self._printed.get(_key(field), set()) - {field.value.text})


def _key(field: Field) -> str:
    return " ".join(field.name.text.casefold().split())
