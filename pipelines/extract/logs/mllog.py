"""Events `:::MLLOG {...}` of MLPerf Training to runs, descriptions of systems, and the scores of the published rules.

Rows are made of them in `extract/mlperf_training.py`. Output of other programs between the events is not looked at.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pipelines.extract.logs import LogFault
from pipelines.read.document import Cell, Document
from pipelines.read.submission import MEMBER
from pipelines.values.quantity import Quantity
from pipelines.yaml_files import load_yaml

MARK = ":::MLLOG"
# What a run says of itself; several processes may repeat it.
_STATED = (
    *("submission_org", "submission_benchmark", "submission_division", "submission_platform"),
    *("seed", "global_batch_size", "train_samples"),
)
# One of them at least is in the log of a run.
_TELLING = frozenset({"submission_benchmark", "run_start", "run_stop"})
# Printed again and again, of which the last one counts.
_EVALUATIONS = frozenset({"eval_accuracy", "eval_error"})
_KEPT = frozenset({*_STATED, *_EVALUATIONS, "run_start", "run_stop"})
# `"key": "run_start"`
_KEY = re.compile(r'"key"\s*+:\s*+"(?P<key>\w++)"')
# `"time_ms": 1621399781294`, `"system_name": "IPU-POD16"`
_FIELD = re.compile(r'"(?P<name>[\w-]++)"\s*+:\s*+(?:"(?P<text>[^"\\]*+)"|(?P<number>-?\d[\d.eE+-]*+))')
_DECODER = json.JSONDecoder()
# Several processes print one event within a moment of each other; what is further apart are two events.
_ONE_EVENT_MS = 1000
_LARGEST = 2**63 - 1
_ROUNDING_S = 0.001
# Scores are scaled in reviews since 9 March 2022: a `scaling.json` beside older runs is no part of their publication,
# it was written later by the checker of reference runs.
_SCALED_FROM_MS = 1_646_784_000_000


class MllogError(Exception):
    """A table of benchmarks that cannot be read."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What the rules say of a benchmark, see `mlperf_benchmarks.yml` beside this module."""

    suite: str
    name: str
    runs: int
    dropped: int
    dataset: str | None = None
    counts_samples: bool = False


@cache
def benchmarks() -> dict[str, Benchmark]:
    """The benchmarks of MLPerf by the name that logs print."""
    path = Path(__file__).with_name("mlperf_benchmarks.yml")
    try:
        listed = load_yaml(path)
        return {entry["name"]: Benchmark(suite, **entry) for suite, entries in listed.items() for entry in entries}
    except (TypeError, KeyError, AttributeError) as error:
        raise MllogError(f"{path.name}: {error}") from error


def _fields(text: str, line: int, start: int = 0) -> Iterator[tuple[str, Cell]]:
    """The fields of JSON text that are plain texts or numbers, with the characters of their values."""
    for match in _FIELD.finditer(text, start):
        group = "text" if match["text"] is not None else "number"
        yield match["name"], Cell(match[group], line, *match.span(group))


class Event(NamedTuple):
    """One event: where it is, and what it says."""

    line: int
    text: str
    at: int
    content: dict[str, Any]

    @property
    def time_ms(self) -> float:
        """Its time."""
        return float(self.content["time_ms"])

    @property
    def value(self) -> Any:
        """Its value."""
        return self.content.get("value")

    def metadata(self, name: str) -> Any:
        """What it says beside its value."""
        found = self.content.get("metadata")
        return found.get(name) if isinstance(found, dict) else None

    def cell(self, name: str) -> Cell | None:
        """The characters of a field; None for one that is neither a plain text nor a number."""
        return next((cell for key, cell in _fields(self.text, self.line, self.at) if key == name), None)


@dataclass
class LogRun:
    """One run, as one log prints it.

    Attributes:
        path: Path of the log within its submission, or None where the document is one log.
        first: First line of the log (its path, in a submission).
        events: Its events by key, in order.
        faults: What of it cannot be used.
        damaged: Keys of events that cannot be read.
    """

    path: PurePosixPath | None
    first: int
    events: dict[str, list[Event]] = field(default_factory=dict)
    faults: list[LogFault] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)

    def stated(self, key: str) -> Event | None:
        """The event that states something of the run; None where it is not stated, or two events differ."""
        events = self.events.get(key, [])
        return events[0] if len({json.dumps(event.value) for event in events}) == 1 else None

    def number(self, key: str) -> int | None:
        """A whole number that the run states."""
        event = self.stated(key)
        return _whole(event.value) if event else None

    def printed(self, key: str) -> Cell | None:
        """The characters of what the run states."""
        event = self.stated(key)
        return event.cell("value") if event else None

    @cached_property
    def start(self) -> Event | None:
        """The event that begins the time of the run."""
        return min(self.events.get("run_start", []), key=lambda event: event.time_ms, default=None)

    @cached_property
    def stop(self) -> Event | None:
        """The event that ends it."""
        return max(self.events.get("run_stop", []), key=lambda event: event.time_ms, default=None)

    @cached_property
    def evaluation(self) -> Event | None:
        """The last evaluation; None where one is damaged, which may be the last one."""
        is_whole = not self.damaged & _EVALUATIONS
        found = [event for key in _EVALUATIONS for event in self.events.get(key, []) if is_whole]
        return max(found, key=lambda event: event.time_ms, default=None)

    @cached_property
    def is_ambiguous(self) -> bool:
        """Whether starts, or stops, are apart: then nobody can tell which one counts."""
        times = ([event.time_ms for event in self.events.get(key, [])] for key in ("run_start", "run_stop"))
        return any(max(each) - min(each) > _ONE_EVENT_MS for each in times if each)

    @property
    def time_ms(self) -> float | None:
        """The time between start and stop, in ms."""
        time = self.stop.time_ms - self.start.time_ms if self.start and self.stop and not self.is_ambiguous else 0
        return time if time > 0 else None

    @property
    def place(self) -> Cell:
        """The time at which it ends, else begins; of a log without either its first event, else its path."""
        event = self.stop or self.start or next((events[0] for events in self.events.values()), None)
        if event is None:
            return Cell(str(self.path), self.first, 0, len(str(self.path)))
        return event.cell("time_ms") or Cell(MARK, event.line, event.at, event.at + len(MARK))

    @property
    def status(self) -> str:
        """`success`, `aborted` or what else the log says; `unfinished` without an end, `unstated` where it has none."""
        status = self.stop.metadata("status") if self.stop else "unfinished"
        return status if isinstance(status, str) and status else "unstated"

    @property
    def has_reached(self) -> bool:
        """Whether it has reached the quality it had to, in a time that is known."""
        return self.status == "success" and self.time_ms is not None

    @property
    def quality(self) -> float | None:
        """The quality that the last evaluation found."""
        value = self.evaluation.value if self.evaluation else None
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return float(value) if is_number and value is not None else None

    @property
    def benchmark(self) -> Benchmark | None:
        """What the rules say of its benchmark."""
        event = self.stated("submission_benchmark")
        return benchmarks().get(str(event.value)) if event else None

    @property
    def epochs(self) -> int | None:
        """Epochs trained on, where the log counts in them."""
        is_counted = self.evaluation and self.benchmark and not self.benchmark.counts_samples
        return _whole(self.evaluation.metadata("epoch_num")) if is_counted and self.evaluation else None

    @property
    def samples(self) -> int | None:
        """Samples trained on."""
        counted = _whole(self.evaluation.metadata("samples_count")) if self.evaluation else None
        size = self.number("train_samples")
        if counted is not None or size is None or self.benchmark is None:
            return counted
        epochs = 1 if self.benchmark.counts_samples else self.epochs
        return size * epochs if epochs is not None else None


def _whole(value: Any) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST
    return value if is_whole else None


class SystemDescription:
    """A description of a system: the characters of each of its fields."""

    def __init__(self, fields: dict[str, Cell]) -> None:
        self._fields = fields

    def text(self, name: str) -> Cell | None:
        """A field that says something."""
        cell = self._fields.get(name)
        return cell if cell and cell.text.strip() not in ("", "TODO", "N/A", "-") else None

    def count(self, name: str) -> int | None:
        """A field that counts something."""
        cell = self.text(name)
        return int(cell.text) if cell and cell.text.strip().isdecimal() else None


@dataclass
class Score:
    """The score of one system at one benchmark.

    Attributes:
        group: Folder of its runs.
        benchmark: What the rules say of it.
        counted: The runs whose mean it is, from the fastest.
        fastest: Runs that were dropped for being the fastest.
        slowest: Runs that were dropped for being the slowest; what did not reach the quality is the slowest.
        scaling_factor: What `scaling.json` beside the logs says.
    """

    group: str
    benchmark: Benchmark
    counted: list[LogRun]
    fastest: list[LogRun]
    slowest: list[LogRun]
    scaling_factor: Cell | None = None

    @property
    def median(self) -> LogRun:
        """The run in the middle of those that count."""
        return self.counted[len(self.counted) // 2]

    @property
    def is_scaled(self) -> bool:
        """Whether the review has scaled it with the factor that is beside its logs."""
        start = self.median.start
        return self.scaling_factor is not None and start is not None and start.time_ms >= _SCALED_FROM_MS

    @property
    def quantity(self) -> Quantity:
        """Mean time of the runs that count, in s, as the review has scaled it; times are printed in whole ms."""
        time = sum(run.time_ms or 0.0 for run in self.counted) / len(self.counted) / 1000
        quantity = Quantity(time, time - _ROUNDING_S, time + _ROUNDING_S)
        return quantity.scaled(float(self.scaling_factor.text)) if self.scaling_factor and self.is_scaled else quantity


@dataclass
class Logs:
    """What a document says in MLLOG.

    Attributes:
        runs: The runs, in order.
        systems: Descriptions of systems by the name of their file.
        scores: The scores.
        faults: What cannot be used.
        kept: Lines of the events that were decoded.
    """

    runs: list[LogRun] = field(default_factory=list)
    systems: dict[str, SystemDescription] = field(default_factory=dict)
    scores: list[Score] = field(default_factory=list)
    faults: list[LogFault] = field(default_factory=list)
    kept: set[int] = field(default_factory=set)

    def run_at(self, line: int) -> LogRun | None:
        """The run that a line belongs to."""
        return next((run for run in reversed(self.runs) if run.first <= line), None)


def read_logs(document: Document, taken: Collection[int] = ()) -> Logs:
    """All runs, systems and scores of a document."""
    logs = Logs()
    factors: dict[str, Cell] = {}
    groups: defaultdict[str, list[LogRun]] = defaultdict(list)
    for path, first, last in _files(document):
        if path is None or path.suffix == ".txt":
            run = _read_run(document, path, first, last, taken, logs)
            if run is None and path:
                reason = f"{path} holds no event of MLPerf; it counts as a run that did not reach the quality"
                run = LogRun(path, first, faults=[LogFault(document.line(first).cell, "log_without_run", reason)])
            if run:
                logs.runs.append(run)
                logs.faults += run.faults
            if run and path:
                groups[path.parent.as_posix()].append(run)
            continue
        numbered = enumerate(document.texts[first:last], start=first + 1)
        # Of several fields of one name the last one counts, as JSON says.
        fields = {name: cell for number, text in numbered for name, cell in _fields(text, number)}
        if path.parts[0] == "systems":
            logs.systems[path.stem] = SystemDescription(fields)
        elif factor := fields.get("scaling_factor"):
            factors[path.parent.as_posix()] = factor
    for group, runs in groups.items():
        found = _score(group, runs, factors.get(group))
        if isinstance(found, Score):
            logs.scores.append(found)
        else:
            logs.faults.append(found)
    return logs


def _files(document: Document) -> Iterator[tuple[PurePosixPath | None, int, int]]:
    """Path, first and last line of each file of a submission; one log has no path."""
    starts = [number for number, level in document.levels if level == 1]
    if not starts or not all(MEMBER.fullmatch(document.texts[number - 1]) for number in starts):
        yield None, 1, len(document.lines)
        return
    for number, following in zip(starts, [*starts[1:], len(document.lines) + 1], strict=True):
        yield PurePosixPath(document.texts[number - 1]), number, following - 1


def _read_run(
    document: Document, path: PurePosixPath | None, first: int, last: int, taken: Collection[int], logs: Logs
) -> LogRun | None:
    run: LogRun | None = None
    for number, text in enumerate(document.texts[first - 1 : last], start=first):
        if MARK not in text or number in taken:
            continue
        run = run or LogRun(path, first if path else number)
        at = text.find(MARK)
        while at >= 0:
            following = text.find(MARK, at + 1)
            match = _KEY.search(text, at, following if following >= 0 else len(text))
            if match is None or match["key"] in _KEPT:
                _add_event(run, logs, number, text, at, match["key"] if match else None)
            at = following
    # Other programs print settings as events, too, and no run.
    if run is None or not (run.events.keys() & _TELLING or run.faults):
        return None
    run.faults += _faults_of(run, document.line(run.first).cell)
    if run.evaluation:
        logs.kept.add(run.evaluation.line)
    return run


def _add_event(run: LogRun, logs: Logs, number: int, text: str, at: int, key: str | None) -> None:
    try:
        content, _ = _DECODER.raw_decode(text, text.index("{", at))
        time = content["time_ms"]
        if content["key"] != key or isinstance(time, bool) or not math.isfinite(time):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        # Of an event without its key nothing is known, not even whether it is one that counts.
        reason = f"the event {key or ''!r} cannot be read: it is cut off, or its time is no number"
        scope = "row" if key else "note"
        run.damaged |= {key or ""}
        run.faults.append(LogFault(Cell(text[at:], number, at, len(text)), "log_line_damaged", reason, scope))
        return
    if key not in _EVALUATIONS:
        logs.kept.add(number)
    run.events.setdefault(content["key"], []).append(Event(number, text, at, content))


def _faults_of(run: LogRun, place: Cell) -> Iterator[LogFault]:
    for key in _STATED:
        if key in run.events and key != "seed" and run.stated(key) is None:
            event = run.events[key][0]
            values = ", ".join(sorted({json.dumps(event.value) for event in run.events[key]}))
            reason = f"the log says of {key!r} {values}; none is taken"
            yield LogFault(event.cell("time_ms") or place, "repeated_key", reason)
    if run.is_ambiguous:
        yield LogFault(place, "repeated_key", "the log begins or ends its run more than once; no time is taken from it")
    elif run.start is None:
        yield LogFault(place, "run_without_start", "the log has no run_start; no time is taken from it")
    elif run.stop and run.time_ms is None:
        yield LogFault(place, "run_without_time", "the run ends before it begins; no time is taken from it")


def _score(group: str, runs: list[LogRun], factor: Cell | None) -> Score | LogFault:
    """The score of the runs in a folder, or why there is none."""
    place = Cell(str(runs[0].path), runs[0].first, 0, len(str(runs[0].path)))
    # A log that says nothing of itself belongs to the others, and counts as a run that failed.
    names, divisions = (
        {str(event.value) for run in runs if (event := run.stated(key))}
        for key in ("submission_benchmark", "submission_division")
    )
    benchmark = benchmarks().get(name := next(iter(names), ""))
    failed = sum(not run.has_reached for run in runs)
    said = ", ".join(sorted(names | divisions)) or "none"
    if len(names) != 1 or len(divisions) != 1:
        rule, reason = "mixed_runs", f"the logs in {group} name not one benchmark and one division: {said}"
    elif benchmark is None:
        rule, reason = "unknown_benchmark", f"the rules of {name!r} are not known; its runs are kept without score"
    elif len(runs) != benchmark.runs:
        rule = "wrong_number_of_runs"
        reason = f"{group} holds {len(runs)} runs, and a score of {name} is made of {benchmark.runs}"
    elif failed > benchmark.dropped:
        rule = "too_many_failed_runs"
        reason = (
            f"{failed} of {len(runs)} runs in {group} did not reach the quality; the rules allow {benchmark.dropped}"
        )
    else:
        ranked = sorted(runs, key=lambda run: (run.time_ms or math.inf) if run.has_reached else math.inf)
        low, high = benchmark.dropped, len(runs) - benchmark.dropped
        return Score(group, benchmark, ranked[low:high], ranked[:low], ranked[high:], factor)
    return LogFault(place, rule, reason)
