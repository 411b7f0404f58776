"""Printed places in a stored document that is opened again. What the characters mean belongs in `readings.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pipelines.extract.logs.mllog import Logs, read_logs
from pipelines.extract.logs.programs import steady_states
from pipelines.extract.prose.sentences import plain_text
from pipelines.read.document import Cell, Document, Line
from pipelines.values.quantity import Quantity

# Characters to either side of a place that decide how it is read: no phrase around a factor is longer.
_WINDOW = 200
# Words of the next line that may belong to a number at the end of a line: `1 hour` / `and 30 minutes`.
_WRAPPED_WORDS = 4
# `dgxa100_ngc21.05` holds the word `dgxa100`
_WORD = re.compile(r"[^\W_]+")
# `7 B`, which a name holds as `7b`
_SIZE = re.compile(r"\b(\d+) ([bkm])\b")
_VISIBLE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Window:
    """Text around a place in plain characters, and where the place's characters stand in it."""

    text: str
    start: int
    end: int


def words_of(text: str) -> frozenset[str]:
    """The words of a text, whatever their case."""
    return frozenset(_WORD.findall(text.casefold()))


class Opened:
    """A stored document that is opened again.

    Attributes:
        document: What it reads.
    """

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def _words(self) -> frozenset[str]:
        text = "\n".join(self.document.texts)
        return words_of(text) | {f"{number}{unit}" for number, unit in _SIZE.findall(text.casefold())}

    @cached_property
    def mlperf_logs(self) -> Logs:
        """What it says in the events of MLPerf."""
        return read_logs(self.document)

    @cached_property
    def steady_states(self) -> dict[tuple[Cell, str], Quantity]:
        """The steady states of the steps that it prints."""
        return steady_states(self.document)

    def prints(self, text: str) -> bool:
        """Whether every word of a text is printed somewhere in the document."""
        return words_of(text) <= self._words


@dataclass(frozen=True, slots=True)
class Place:
    """The characters at `start`..`end` of a line, as the opened document has them."""

    opened: Opened
    line: Line
    start: int
    end: int

    @property
    def document(self) -> Document:
        return self.opened.document

    @property
    def text(self) -> str:
        return self.line.text[self.start : self.end]

    @property
    def cell(self) -> Cell:
        return Cell(self.text, self.line.number, self.start, self.end)

    @property
    def ends_line(self) -> bool:
        """True where nothing is printed behind the place, so that what it says may go on in the next line."""
        return _VISIBLE.search(self.line.text, self.end) is None

    def texts(self) -> Iterator[str]:
        """The printed text; at the end of a line also with the first words of the next line."""
        text = self.text
        yield text
        words = self._next_line().split()[:_WRAPPED_WORDS] if self.ends_line else []
        for word in words:
            text = f"{text} {word.rstrip('.,;:!?)')}"
            yield text

    def windows(self) -> Iterator[Window]:
        """The text around the place: on its line, then with the lines above and below, as a sentence may be wrapped."""
        first = max(0, self.start - _WINDOW)
        around = self.line.text[first : self.end + _WINDOW]
        start, end = self.start - first, self.end - first
        yield Window(plain_text(around), start, end)
        if first == 0:
            lead = len(around) - len(around.lstrip())
            before = f"{self._line_before()[-_WINDOW:]} "
            around, start, end = before + around[lead:], len(before) + start - lead, len(before) + end - lead
        if self.end + _WINDOW >= len(self.line.text):
            around = f"{around.rstrip()} {self._next_line()[:_WINDOW]}"
        yield Window(plain_text(around), start, end)

    def _line_before(self) -> str:
        number = self.line.number - 1
        return self.document.line(number).text.strip() if number >= 1 else ""

    def _next_line(self) -> str:
        number = self.line.number + 1
        return self.document.line(number).text.strip() if number <= len(self.document.lines) else ""
