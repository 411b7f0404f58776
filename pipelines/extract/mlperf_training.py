"""Logs of MLPerf Training to runs and to the scores of their systems, by the published rules.

Runs consist of events `:::MLLOG {...}`; output of other programs between them is ignored. A
submission, which `read/submission.py` makes one document, is read member by member: descriptions of
systems, factors, logs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, FiniteFloat

from pipelines.extract.conditions import NumberedConditions, Stated, fields_of
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.logs import LineRole, LogReading, measured
from pipelines.extract.mentions import condition_value, find_mentions
from pipelines.extract.named_quantities import Unit
from pipelines.extract.rows import Condition, Measurement, Reject, Run
from pipelines.read.document import Cell, Document, Line
from pipelines.read.submission import MEMBER
from pipelines.values.numbers import parse_count, parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import Entry
from pipelines.vocabulary.printed_names import read_platform
from pipelines.yaml_files import load_yaml

FORMAT = Format(
    name="mlperf_training",
    description="MLPerf Training logs: single logs, or a submission with its system descriptions.",
    rows=(Measurement, Condition, Run, Reject),
    # Before other formats, because the output of launchers between the events looks like results.
    priority=5,
    medium=Medium.LOG,
    gives_scores=True,
)

# Two events may be on one line: `:::MLLOG {"time_ms": 1, ...} 3: :::MLLOG {"time_ms": 2, ...}`.
_EVENT = re.compile(r":::MLLOG(?:(?!:::MLLOG).)*+")
# Events that describe a run; several processes may repeat them.
_STATED = (
    *("submission_org", "submission_benchmark", "submission_division", "submission_platform"),
    *("seed", "global_batch_size", "train_samples"),
)
# The log of a run has at least one of these.
_TELLING = ("submission_benchmark", "run_start", "run_stop")
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
_ROUNDING_S = 0.001
# Scores are scaled in reviews since 9 March 2022: a `scaling.json` beside older runs is no part of
# their publication, it was written later by the checker of reference runs.
_SCALED_FROM_MS = 1_646_784_000_000
# Keys of a system description without a column, by the name of their condition.
_DESCRIBED = {
    "submitter": "submitter",
    "availability": "status",
    "accelerator_model": "accelerator_model_name",
    "host_processor": "host_processor_model_name",
    "operating_system": "operating_system",
    "other_software": "other_software_stack",
}
_NODES, _PER_NODE = "number_of_nodes", "accelerators_per_node"
_SAYS_NOTHING = frozenset({"", "TODO", "N/A", "-"})
_MILLISECONDS = Unit("ms", "s", 1e-3)
# What a line is
_PATH: LineRole = "heading", "word_with_digits"
_DESCRIPTION: LineRole = "condition", "log_setting"
_SETTING: LineRole = "log", "log_setting"
_MESSAGE: LineRole = "log", "log_message"


class Benchmark(NamedTuple):
    """The rules of a benchmark, see `logs/mlperf_benchmarks.yml`."""

    suite: str
    name: str
    runs: int
    dropped: int
    dataset: str | None = None
    counts_samples: bool = False


@cache
def benchmarks() -> dict[str, Benchmark]:
    """The benchmarks of MLPerf by the name that logs print."""
    listed = load_yaml(Path(__file__).with_name("logs") / "mlperf_benchmarks.yml")
    return {
        entry["name"]: Benchmark(suite, **entry)
        for suite, entries in listed.items()
        for entry in entries
    }


def _fields(printed: Cell) -> dict[str, Cell]:
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

    def cell(self, name: str) -> Cell | None:
        """The value of its own field of a name, which is before those of its metadata."""
        own, _, _ = self.printed.text.partition('"metadata"')
        return _fields(self.printed.part(0, len(own))).get(name)


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
        return (stop.metadata.get("status") or "unstated") if stop else "unfinished"

    def fault(self) -> tuple[str, str] | None:
        """Rule and reason why no time is read from it; None if there is one, or no end."""
        for key in ("run_start", "run_stop"):
            times = [event.time_ms for event in self.of(key)]
            if times and max(times) - min(times) > _ONE_EVENT_MS:
                return "repeated_key", "the log starts or ends its run more than once"
        if self.start is None:
            return "run_without_start", "the log has no run_start"
        if self.stop and self.stop.time_ms <= self.start.time_ms:
            return "run_without_time", "the run ends before it starts"
        return None

    @property
    def time_ms(self) -> float | None:
        """The time from its start to its end; None if it is missing or ambiguous."""
        start, stop = self.start, self.stop
        return stop.time_ms - start.time_ms if start and stop and not self.fault() else None

    @property
    def rank(self) -> float:
        """Its time, by which the runs of a score are ordered; one that failed is the slowest."""
        return (self.time_ms if self.status == "success" else None) or math.inf

    def stated(self, key: str) -> Event | None:
        """The event with a key; None if there is none, or if two differ."""
        events = self.of(key)
        return events[0] if len({json.dumps(event.value) for event in events}) == 1 else None

    def number(self, key: str) -> int | None:
        return _whole(event.value) if (event := self.stated(key)) else None

    def printed(self, key: str) -> Cell | None:
        return event.cell("value") if (event := self.stated(key)) else None

    @property
    def benchmark(self) -> Benchmark | None:
        event = self.stated("submission_benchmark")
        return benchmarks().get(str(event.value)) if event else None


class TrainingLogs(LogReading):
    """The MLLOG events of a document, read in one pass over the members of a submission or the
    lines of a log.

    Attributes:
        is_log: Whether all of the document is a log, or the logs of a submission.
        scores: Measurements of time_to_train; their section is the folder of their runs.
    """

    def __init__(self, document: Document, taken: Collection[int] = ()) -> None:
        super().__init__(document)
        paths = [number for number, _ in document.levels]
        is_submission = all(MEMBER.fullmatch(document.texts[number - 1]) for number in paths)
        self.is_log = is_submission and not document.grids
        self.runs: list[LogRun] = []
        self.scores: list[Measurement] = []
        self.conditions = NumberedConditions()
        # The fields of the descriptions of systems, and of scaling factors, by path.
        self._described: dict[str, dict[str, Cell]] = {}
        starts = paths if is_submission and paths else [0]
        for first, following in pairwise([*starts, len(document.texts) + 1]):
            numbers = (number for number in range(first + 1, following) if number not in taken)
            lines = map(document.line, numbers)
            path = Cell("", 0, 0, 0)
            if first:
                path = document.line(first).cell
                self.take(_PATH, document.line(first))
            if path.text.endswith(".json"):
                self._described[path.text] = self._read_description(lines)
            else:
                self._read_log(LogRun(path.text, first, path), lines)
        # The logs of a folder follow each other.
        for group, runs in groupby(self.runs, key=lambda run: run.path.rpartition("/")[0]):
            if group:
                self._score(group, list(runs))

    def _read_description(self, lines: Iterable[Line]) -> dict[str, Cell]:
        fields: dict[str, Cell] = {}
        for line in lines:
            self.take(_DESCRIPTION, line)
            fields |= _fields(line.cell)
        return {
            name: cell for name, cell in fields.items() if cell.text.strip() not in _SAYS_NOTHING
        }

    def _read_log(self, run: LogRun, lines: Iterable[Line]) -> None:
        """Adds the run of a log, if there is one."""
        self.section = run.section
        for line in lines:
            printed = [line.matched(match) for match in _EVENT.finditer(line.text)]
            if self.is_log or printed:
                self.take(_MESSAGE, line)
            if printed and not run.first:
                run.first, run.heading = line.number, line.cell
            for cell in printed:
                found = _KEY.search(cell.text)
                key = found["key"] if found else ""
                if not key or key in _KEPT:
                    self._add_event(run, cell, key)
        # Other programs print settings as events, without a run.
        if run.damaged or run.of(*_TELLING):
            self._reject_faults(run)
        elif not run.path:
            return
        else:
            run.events.clear()
            reason = f"{run.path} contains no MLPerf event; it counts as a run that did not reach the quality"
            self.reject(run.heading, "log_without_run", reason)
        self.runs.append(run)

    def _add_event(self, run: LogRun, cell: Cell, key: str) -> None:
        try:
            content, _ = _DECODER.raw_decode(cell.text, cell.text.index("{"))
            run.events.append(Event(printed=cell, **content))
        except (ValueError, TypeError, RecursionError):
            run.damaged.add(key)
            reason = f"the event {key!r} cannot be read: it is cut off, or its time is not a number"
            # An event without its key may be any event.
            self.reject(cell, "log_line_damaged", reason, "row" if key else "note")
        else:
            if key not in _EVALUATIONS:
                self.lines[cell.line] = _SETTING

    def _reject_faults(self, run: LogRun) -> None:
        """Rejects what cannot be used of a run."""
        if evaluation := run.evaluation:
            self.lines[evaluation.printed.line] = _SETTING
        for key in _STATED:
            events = run.of(key)
            values = len({json.dumps(event.value) for event in events})
            if values > 1 and key != "seed":
                reason = f"the log has {values} values for {key!r}; none is used"
                self.reject(events[0].cell("time_ms") or run.heading, "repeated_key", reason)
        if fault := run.fault():
            rule, reason = fault
            self.reject(run.heading, rule, f"{reason}; no time is read from it")

    def _score(self, group: str, runs: list[LogRun]) -> None:
        """The score of the runs in a folder, or a reject with the reason."""
        self.section = runs[0].section
        # A log without a description belongs to the others and counts as a failed run.
        names, divisions = (
            {str(event.value) for run in runs if (event := run.stated(key))}
            for key in ("submission_benchmark", "submission_division")
        )
        benchmark = benchmarks().get(name := next(iter(names), ""))
        failed, many = sum(run.rank == math.inf for run in runs), len(runs)
        factor = self._described.get(f"{group}/scaling.json", {}).get("scaling_factor")
        if len(names) != 1 or len(divisions) != 1:
            said = ", ".join(sorted(names | divisions)) or "none"
            rule = "mixed_runs"
            reason = f"the logs in {group} have more than one benchmark or division: {said}"
        elif benchmark is None:
            rule = "unknown_benchmark"
            reason = f"the rules of {name!r} are unknown; its runs have no score"
        elif many != benchmark.runs:
            rule = "wrong_number_of_runs"
            reason = f"{group} has {many} runs, but a score of {name} needs {benchmark.runs}"
        elif failed > (most := benchmark.dropped):
            rule = "too_many_failed_runs"
            reason = f"{failed} of {many} runs in {group} did not reach the quality; the rules allow {most}"
        elif factor and not parse_number(factor.text):
            rule = "log_line_damaged"
            reason = f"the scaling factor `{factor.text}` of {group} is not a number"
        else:
            ranked = sorted(runs, key=attrgetter("rank"))
            counted = ranked[most : many - most]
            for place, run in enumerate(ranked):
                run.scored_as = "fastest" if place < most else "slowest"
            for run in counted:
                run.scored_as = "counted"
            self.scores.append(self._measurement(group, benchmark, counted, factor))
            return
        self.reject(runs[0].heading, rule, reason)

    def _measurement(
        self, group: str, benchmark: Benchmark, counted: list[LogRun], factor: Cell | None
    ) -> Measurement:
        """The mean time of the counted runs, scaled as in the review."""
        run = counted[len(counted) // 2]
        is_scaled = run.start is not None and run.start.time_ms >= _SCALED_FROM_MS
        time = sum(each.rank for each in counted) / len(counted) / 1000
        quantity = Quantity(time, time - _ROUNDING_S, time + _ROUNDING_S)
        if factor and is_scaled and (number := parse_number(factor.text)):
            quantity = quantity.scaled(number.value)
        stated = self._conditions(run, counted)
        stated += _stated("scaling_factor" if is_scaled else "scaling_factor_not_applied", factor)
        if benchmark.dataset:
            stated.append(Stated("dataset", benchmark.dataset, level="vocabulary"))
        said = {each.dimension: each.value for each in stated}
        columns = fields_of(said | {"task": "training", "suite": benchmark.suite}) | {
            "platform_printed": self._platform_printed(run),
            "accelerator_count": _accelerators(self._system(run)),
            "section": group,
            "section_line": counted[0].first,
            "row_line": run.first,
        }
        return measured(
            run.place, "time_to_train", quantity, _MILLISECONDS, stated, self.conditions, **columns
        )

    def _conditions(self, run: LogRun, counted: list[LogRun]) -> list[Stated]:
        """The conditions in the log of the middle run and in its system description."""
        system, key = self._system(run), "global_batch_size"
        stated = _stated("model", run.printed("submission_benchmark"))
        stated += _stated("division", run.printed("submission_division"))
        # A batch size that differs between runs is not a condition of the score.
        batch = run.stated(key)
        if batch and {run.number(key)} == {other.number(key) for other in counted}:
            stated += _stated("batch_size", batch.cell("value"))
            if printed := batch.cell("key"):
                stated += _stated("batch_size_kind", printed.part(0, len("global")))
        stated += [Stated("platform", cell.text, cell, "page") for cell in self._platform(run)]
        for dimension in ("framework", "sdk_version"):
            # Two releases in one text are ambiguous.
            parts = _mentioned(system.get("framework"), dimension)
            stated += _stated(dimension, parts[0] if len(parts) == 1 else None)
        for dimension, name in _DESCRIBED.items():
            stated += _stated(dimension, system.get(name))
        if count := _accelerators(system):
            per_node = system[_PER_NODE]
            if count == parse_count(per_node.text):
                return stated + _stated("accelerator_count", per_node)
            stated += _stated("nodes", system[_NODES])
            stated += _stated("accelerators_per_node", per_node)
        return stated

    def _system(self, run: LogRun) -> dict[str, Cell]:
        name = run.path.split("/")[1] if run.path else ""
        return self._described.get(f"systems/{name}.json", {})

    def _platform_printed(self, run: LogRun) -> str | None:
        return " ".join(cell.text for cell in self._platform(run)) or None

    def _platform(self, run: LogRun) -> list[Cell]:
        """The place of the name of the system of a run.

        The folder of a run is not trusted: what the description calls the system counts, with the
        chip it names where that says which of several it is (`DGX A100` with A100-SXM4-80GB);
        without a description what the log says.
        """
        system = self._system(run)
        if (name := system.get("system_name")) is None:
            cell = run.printed("submission_platform")
            return [cell] if cell else []
        # The longest known beginning of the name: `dgxa100` of `dgxa100_ngc21.05_mxnet`.
        beginnings = [name.part(0, end.start()) for end in re.finditer("_|$", name.text)]
        known = _known_platform(beginnings[::-1])
        # The last of two names of the chip is the specific one: `Graphcore IPU GC200`.
        model = system.get("accelerator_model_name")
        chip = _known_platform([*_mentioned(model, "platform")[::-1], model])
        if known is None or chip is None:
            return [known[0] if known else name]
        both = read_platform(f"{known[0].text} {chip[0].text}").entry
        if both is None:
            # If system and chip disagree, the chip was measured.
            is_same = known[1].facts.get("chip") == chip[1].facts.get("chip")
            return [known[0] if is_same else chip[0]]
        return [known[0]] if both == known[1] else [known[0], chip[0]]

    def run_rows(self) -> Iterator[Run]:
        """One row per run."""
        for run in self.runs:
            benchmark, evaluation = run.benchmark, run.evaluation
            of_evaluation = evaluation.metadata if evaluation else {}
            counts_samples = benchmark is not None and benchmark.counts_samples
            epochs = _whole(of_evaluation.get("epoch_num")) if benchmark else None
            passes = 1 if counts_samples else epochs
            size, samples = run.number("train_samples"), _whole(of_evaluation.get("samples_count"))
            if samples is None and size is not None and passes is not None:
                samples = _whole(size * passes)
            model, division, submitter = (
                cell.text.strip() if (cell := run.printed(f"submission_{key}")) else ""
                for key in ("benchmark", "division", "org")
            )
            yield Run(
                **run.section,
                cell=run.place,
                accelerator_printed=self._platform_printed(run),
                accelerator_count=_accelerators(self._system(run)),
                batch_size=run.number("global_batch_size"),
                epochs=None if counts_samples else epochs,
                training_time_s=run.time_ms / 1000 if run.time_ms else None,
                run_line=run.first,
                suite=benchmark.suite if benchmark else None,
                model_printed=model or None,
                division=condition_value("division", division) if division else None,
                submitter=submitter or None,
                status=run.status,
                quality_reached=_stored(evaluation.value) if evaluation else None,
                seed=run.number("seed"),
                samples=samples,
                scored_as=run.scored_as,
            )


def _whole(value: Any) -> int | None:
    number = _stored(value)
    return number if isinstance(number, int) and number >= 0 else None


def _stored(value: Any) -> float | None:
    """A value, if it is a number of a size that can be stored."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and abs(value) <= _LARGEST else None


def _stated(dimension: str, cell: Cell | None) -> list[Stated]:
    value = condition_value(dimension, cell.text) if cell else None
    return [Stated(dimension, value, cell, "page")] if cell and value else []


def _known_platform(cells: Iterable[Cell | None]) -> tuple[Cell, Entry] | None:
    """The first name of a known platform."""
    entries = ((cell, read_platform(cell.text).entry) for cell in cells if cell)
    return next(((cell, entry) for cell, entry in entries if entry), None)


def _mentioned(cell: Cell | None, kind: str) -> list[Cell]:
    """The parts of a text that mention a condition of a kind."""
    found = find_mentions(cell.text) if cell else ()
    return [cell.part(each.start, each.end) for each in found if cell and each.kind == kind]


def _accelerators(system: dict[str, Cell]) -> int | None:
    """Accelerators of all nodes; the product is not printed."""
    # `"number_of_nodes": 1.0`
    numbers = [parse_number(system[name].text) for name in (_NODES, _PER_NODE) if name in system]
    counts = [int(number.value) for number in numbers if number and number.value.is_integer()]
    return _whole(math.prod(counts)) if len(counts) == 2 and all(counts) else None


def recognise(document: Document) -> float:
    """1 for a log of a run of MLPerf, 0.3 for one within a page with tables or headings, else 0."""
    if not any(":::MLLOG" in text for text in document.texts):
        return 0.0
    logs = TrainingLogs(document)
    return (1.0 if logs.is_log else 0.3) if logs.runs else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One `Run` per log, one `Measurement` of time_to_train [s] per system and benchmark of a
    submission.

    Args:
        document: Lines with `:::MLLOG {"time_ms": ..., "key": "run_start", ...}`, of one log or of
            a submission.
        taken: Lines that another format has read.

    Returns:
        Runs with their status and the time from run_start to run_stop. A score is the mean that the
        rules of MLPerf prescribe; `Run.scored_as` says of each run how it entered. Where there is
        no score, a reject says why.
    """
    logs = TrainingLogs(document, taken)
    if not logs.runs:
        return Extraction()
    rows = [*logs.conditions.rows, *logs.scores, *logs.run_rows(), *logs.rejects]
    return logs.extraction(rows, are_whole=True)
