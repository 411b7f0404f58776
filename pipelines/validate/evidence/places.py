"""Printed places in a stored document that is opened again. What the characters mean belongs in
`readings.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pipelines.read.document import Cell, Document, Line

# Words of the next line that may belong to a number at the end of a line: `1 hour` /
# `and 30 minutes`.
_WRAPPED_WORDS = 4
# `dgxa100_ngc21.05` holds the word `dgxa100`
_WORD = re.compile(r"[^\W_]+")
# `7 B`, which a name holds as `7b`
_SIZE = re.compile(r"\b(\d+) ([bkm])\b")
_EVENT = ":::MLLOG"
_DIGITS = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def words_of(text: str) -> frozenset[str]:
    """The words of a text in lower case."""
    return frozenset(_WORD.findall(text.casefold()))


@dataclass
class TimedRun:
    """A run of MLPerf as its log prints it: the time of its first start and its last stop [ms], and
    how it ended.
    """

    first: int
    folder: str | None
    start: float = math.inf
    stop: float = -math.inf
    status: str | None = None

    @property
    def time_s(self) -> float:
        """Seconds from start to stop; infinite for a run that has not reached its quality."""
        return (self.stop - self.start) / 1000 if self.status == "success" else math.inf


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
        return words_of(text) | {"".join(size) for size in _SIZE.findall(text.casefold())}

    @cached_property
    def runs(self) -> list[TimedRun]:
        """Its runs of MLPerf, one per log."""
        starts = {number for number, level in self.document.levels if level == 1}
        runs = [TimedRun(1, None)]
        for number, text in enumerate(self.document.texts, start=1):
            if number in starts and text.endswith(".txt"):
                runs.append(TimedRun(number, text.strip().rpartition("/")[0]))
            run = runs[-1]
            for printed in text.split(_EVENT)[1:] if '"run_st' in text else ():
                with suppress(ValueError, KeyError, TypeError, AttributeError):
                    event, _ = json.JSONDecoder().raw_decode(printed.lstrip())
                    if event["key"] == "run_start":
                        run.start = min(run.start, event["time_ms"])
                    elif event["key"] == "run_stop" and event["time_ms"] > run.stop:
                        run.stop, run.status = event["time_ms"], None
                        run.status = event["metadata"].get("status")
        return runs

    @cached_property
    def scaling_factors(self) -> list[float]:
        """What the reviewers of MLPerf have scaled scores by."""
        text = "\n".join(self.document.texts)
        return [float(digits) for digits in re.findall(r'"scaling_factor"\s*:\s*"?([\d.]+)', text)]

    @cached_property
    def numbers(self) -> frozenset[float]:
        """Every number that it prints somewhere, digit for digit."""
        return frozenset(map(float, _DIGITS.findall("\n".join(self.document.texts))))

    def prints(self, text: str) -> bool:
        """Whether every word of a text is printed somewhere in the document."""
        return words_of(text) <= self._words


class Place(NamedTuple):
    """The characters at `start`..`end` of a line, as the opened document has them."""

    opened: Opened
    line: Line
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.line.text[self.start : self.end]

    @property
    def cell(self) -> Cell:
        return Cell(self.text, self.line.number, self.start, self.end)

    @property
    def run(self) -> TimedRun:
        """The run of MLPerf whose log it is in."""
        return next(run for run in reversed(self.opened.runs) if run.first <= self.line.number)

    @property
    def before(self) -> str:
        """What its line prints before it, as far as a bound reaches."""
        return self.line.text[max(0, self.start - 40) : self.start]

    def texts(self) -> Iterator[str]:
        """The printed text; at the end of a line also with the first words of the next line."""
        text, texts = self.text, self.opened.document.texts
        yield text
        is_last = not self.line.text[self.end :].strip() and self.line.number < len(texts)
        for word in texts[self.line.number].split()[:_WRAPPED_WORDS] if is_last else ():
            text = f"{text} {word.rstrip('.,;:!?)')}"
            yield text
