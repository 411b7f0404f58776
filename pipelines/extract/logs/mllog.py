"""Logs of MLPerf: the events `:::MLLOG {...}` of a run, and the rules of the benchmarks.

What rows they give belongs in `mlperf_training`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, FiniteFloat, field_validator

from pipelines.read.document import Cell, Line
from pipelines.yaml_files import load_yaml

# Two events may be on one line: `:::MLLOG {"time_ms": 1, ...} 3: :::MLLOG {"time_ms": 2, ...}`.
_EVENT = re.compile(r":::MLLOG(?:(?!:::MLLOG).)*+")
# Events that describe a run; several processes may repeat them.
_STATED = (
    *("submission_org", "submission_benchmark", "submission_division", "submission_platform"),
    *("seed", "global_batch_size", "train_samples"),
)
# Repeated events, of which the last one counts.
_EVALUATIONS = ("eval_accuracy", "eval_error")
_KEPT = frozenset({*_STATED, *_EVALUATIONS, "run_start", "run_stop"})
# `"key": "run_start"`
_KEY = re.compile(r'"key"\s*+:\s*+"(?P<key>\w++)"')
# `"time_ms": 1621399781294`, `"system_name": "IPU-POD16"`, `"number of nodes": "2"`
_FIELD = re.compile(
    r'"(?P<name>[\w -]++)"\s*+:\s*+"?(?P<value>(?<=")[^"\\]*+(?=")|(?<!")-?\d[\d.eE+-]*+)'
)
_DECODER = json.JSONDecoder()
# Several processes print one event within this time; events further apart are different.
_ONE_EVENT_MS = 1000
_LARGEST = 2**63 - 1


class Benchmark(NamedTuple):
    """The rules of a benchmark, see `mlperf_benchmarks.yml`."""

    suite: str
    name: str
    runs: int
    dropped: int
    dataset: str | None = None
    counts_samples: bool = False


@cache
def benchmarks() -> dict[str, Benchmark]:
    """The benchmarks of MLPerf by the name that logs print."""
    listed = load_yaml(Path(__file__).with_name("mlperf_benchmarks.yml"))
    return {
        entry["name"]: Benchmark(suite, **entry)
        for suite, entries in listed.items()
        for entry in entries
    }


def fields_in(printed: Cell) -> dict[str, Cell]:
    """The fields of JSON text that are plain texts or numbers, with the characters of their values;
    of several with one name the last one.
    """
    matches = _FIELD.finditer(printed.text)
    return {m["name"].replace(" ", "_"): printed.matched(m, "value") for m in matches}


class Event(BaseModel):
    """One event, as `printed`.

    Raises:
        ValidationError: It has no key, or its time is not a number.
    """

    printed: Cell
    key: str
    time_ms: FiniteFloat = Field(strict=True)
    value: Any = None
    metadata: dict[str, Any] = {}

    @field_validator("metadata", mode="before")
    @classmethod
    def _is_object(cls, printed: Any) -> Any:
        """Some programs print `"metadata": null`."""
        return printed if isinstance(printed, dict) else {}

    @property
    def number(self) -> float | None:
        """Its value, if that is a number of a size that can be stored."""
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        return self.value if is_number and abs(self.value) <= _LARGEST else None

    @property
    def is_evaluation(self) -> bool:
        return self.key in _EVALUATIONS

    def count(self, name: str) -> int | None:
        """A whole number of its metadata."""
        return whole(self.metadata.get(name))

    def cell(self, name: str) -> Cell | None:
        """The value of its own field of a name, which is before those of its metadata."""
        own, _, _ = self.printed.text.partition('"metadata"')
        return fields_in(self.printed.part(0, len(own))).get(name)


def _events_on(line: Line) -> Iterator[tuple[str, Cell]]:
    """The key of each event on a line, "" of one without a key, with its characters."""
    for match in _EVENT.finditer(line.text):
        key = _KEY.search(match[0])
        yield key["key"] if key else "", line.matched(match)


_time_of = attrgetter("time_ms")


@dataclass
class LogRun:
    """One run, as one log prints it, from its `first` line, in a submission its `path`, else "".

    Attributes:
        heading: Its path, or the line of its first event.
        events: Its events, in the order they are printed.
        damaged: The keys of events that cannot be read; "" of one without a key.
    """

    path: str
    first: int
    heading: Cell
    events: list[Event] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)
    scored_as: str | None = None

    def read(self, line: Line) -> Iterator[tuple[str, Cell]]:
        """Adds the events on a line that are kept; gives key and characters of those that cannot be
        read, as any event that has no key may be kept.
        """
        if not self.first:
            self.first, self.heading = line.number, line.cell
        for key, printed in _events_on(line):
            if key and key not in _KEPT:
                continue
            try:
                content, _ = _DECODER.raw_decode(printed.text, printed.text.index("{"))
                self.events.append(Event(**content | {"printed": printed}))
            except (ValueError, TypeError, RecursionError):
                self.damaged.add(key)
                yield key, printed

    @property
    def is_run(self) -> bool:
        """Whether it is the log of a run: other programs print settings as events, too."""
        return bool(self.damaged or self.of("submission_benchmark", "run_start", "run_stop"))

    @property
    def section(self) -> dict[str, Any]:
        return {"section": self.path, "section_line": self.first} if self.path else {}

    def of(self, *keys: str) -> list[Event]:
        """The events with one of some keys."""
        return [event for event in self.events if event.key in keys]

    @property
    def start(self) -> Event | None:
        return min(self.of("run_start"), key=_time_of, default=None)

    @property
    def stop(self) -> Event | None:
        return max(self.of("run_stop"), key=_time_of, default=None)

    @property
    def evaluation(self) -> Event | None:
        """Its last evaluation; None if a damaged one may be the last."""
        is_damaged = self.damaged.intersection(_EVALUATIONS)
        return None if is_damaged else max(self.of(*_EVALUATIONS), key=_time_of, default=None)

    @property
    def place(self) -> Cell:
        """The time of its end, else of its start, else of its first event, else its heading."""
        event = self.stop or self.start or next(iter(self.events), None)
        return (event and event.cell("time_ms")) or self.heading

    @property
    def status(self) -> str:
        """As in the log: `success`, `aborted` ...; `unfinished` without an end, `unstated` without
        a status.
        """
        stop = self.stop
        status = stop.metadata.get("status") if stop else "unfinished"
        return status if isinstance(status, str) and status else "unstated"

    def _fault(self) -> tuple[str, str] | None:
        """Rule and reason why no time is read from it; None if there is one, or no end."""
        for key in ("run_start", "run_stop"):
            times = [event.time_ms for event in self.of(key)]
            if times and max(times) - min(times) > _ONE_EVENT_MS:
                return "repeated_key", "the log starts or ends its run more than once"
        if self.stop and self.start is None:
            return "run_without_start", "the log has no run_start"
        if self.stop and self.start and self.stop.time_ms <= self.start.time_ms:
            return "run_without_time", "the run ends before it starts"
        return None

    def faults(self) -> Iterator[tuple[Cell, str, str]]:
        """Place, rule and reason of all that cannot be used of it."""
        for key in _STATED:
            events = self.of(key)
            values = len({json.dumps(event.value) for event in events})
            if values > 1 and key != "seed":
                reason = f"the log has {values} values for {key!r}; none is used"
                yield events[0].cell("time_ms") or self.heading, "repeated_key", reason
        if fault := self._fault():
            yield self.heading, fault[0], f"{fault[1]}; no time is read from it"

    @property
    def time_ms(self) -> float | None:
        """The time from its start to its end; None if it is missing or ambiguous."""
        start, stop = self.start, self.stop
        return stop.time_ms - start.time_ms if start and stop and not self._fault() else None

    @property
    def rank(self) -> float:
        """Its time, by which the runs of a score are ordered; one that failed is the slowest."""
        return (self.time_ms if self.status == "success" else None) or math.inf

    def stated(self, key: str) -> Event | None:
        """The event with a key; None if there is none, or if two differ."""
        events = self.of(key)
        return events[0] if len({json.dumps(event.value) for event in events}) == 1 else None

    def number(self, key: str) -> int | None:
        return whole(event.value) if (event := self.stated(key)) else None

    def printed(self, key: str) -> Cell | None:
        return event.cell("value") if (event := self.stated(key)) else None

    @property
    def benchmark(self) -> Benchmark | None:
        event = self.stated("submission_benchmark")
        return benchmarks().get(str(event.value)) if event else None


def whole(value: Any) -> int | None:
    """A whole number of a size that can be stored; None for anything else."""
    is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST
    return value if is_whole else None
