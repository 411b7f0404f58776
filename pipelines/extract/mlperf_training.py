"""Logs of MLPerf Training to runs and to the scores of their systems, by the published rules.

Runs consist of events `:::MLLOG {...}`; output of other programs between them is ignored. A
submission, which `read/submission.py` makes one document, is read member by member: descriptions of
systems, factors, logs.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

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
_TELLING = frozenset({"submission_benchmark", "run_start", "run_stop"})
# Repeated events, of which the last one counts.
_EVALUATIONS = frozenset({"eval_accuracy", "eval_error"})
_KEPT = frozenset({*_STATED, *_EVALUATIONS, "run_start", "run_stop"})
# `"key": "run_start"`
_KEY = re.compile(r'"key"\s*+:\s*+"(?P<key>\w++)"')
# `"time_ms": 1621399781294`, `"system_name": "IPU-POD16"`, `"number of nodes": "2"`
_FIELD = re.compile(
    r'"(?P<name>[\w -]++)"\s*+:\s*+(?:"(?P<text>[^"\\]*+)"|(?P<number>-?\d[\d.eE+-]*+))'
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
# Conditions of a score that columns hold
_COLUMNS = frozenset({"model", "division", "batch_size", "framework", "sdk_version", "dataset"})
_SAYS_NOTHING = frozenset({"", "TODO", "N/A", "-"})
_MILLISECONDS = Unit("ms", "s", 1e-3)
# What a line is
_PATH: LineRole = ("heading", "name", "word_with_digits")
_DESCRIPTION: LineRole = ("condition", "condition", "log_setting")
_SETTING: LineRole = ("log", "condition", "log_setting")
_MESSAGE: LineRole = ("log", "ignored", "log_message")


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


def _fields(line: Line, start: int = 0, end: int | None = None) -> dict[str, Cell]:
    """The fields of JSON text that are plain texts or numbers, with the characters of their values;
    of several with one name the last one.
    """
    found: dict[str, Cell] = {}
    for match in _FIELD.finditer(line.text, start, len(line.text) if end is None else end):
        group = "number" if match["text"] is None else "text"
        found[match["name"].replace(" ", "_")] = line.matched(match, group)
    return found


class Event(NamedTuple):
    """One event: `time_ms`, `value`, `metadata`, with its place."""

    line: Line
    span: tuple[int, int]
    time_ms: float
    value: Any
    metadata: dict[str, Any]

    @property
    def number(self) -> float | None:
        """Its value, if that is a number of a size that can be stored."""
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        return self.value if is_number and abs(self.value) <= _LARGEST else None

    def cell(self, name: str) -> Cell | None:
        """The value of its own field of a name, which is before those of its metadata."""
        start, end = self.span
        at = self.line.text.find('"metadata"', start, end)
        return _fields(self.line, start, end if at < 0 else at).get(name)


_time_of = attrgetter("time_ms")


@dataclass
class LogRun:
    """One run, as one log prints it, from its `first` line, in a submission its `path`.

    Attributes:
        place: The event of its end, else of its start, else its first event, else its path.
        evaluation: Its last evaluation; None if a damaged one may be the last.
        time_ms: The time from its start to its end in ms; None if it is missing or ambiguous.
        status: As in the log: `success`, `aborted` ...; `unfinished` without an end, `unstated`
            without a status.
    """

    path: PurePosixPath | None
    first: int
    place: Cell
    events: dict[str, list[Event]] = field(default_factory=dict)
    start_ms: float = 0
    evaluation: Event | None = None
    time_ms: float | None = None
    status: str = "unfinished"
    scored_as: str | None = None

    @property
    def section(self) -> dict[str, Any]:
        return {"section": str(self.path), "section_line": self.first} if self.path else {}

    @property
    def rank(self) -> float:
        """Its time, by which the runs of a score are ordered; one that failed is the slowest."""
        return self.time_ms if self.status == "success" and self.time_ms else math.inf

    def stated(self, key: str) -> Event | None:
        """The event with a key; None if there is none, or if two differ."""
        events = self.events.get(key, [])
        return events[0] if len({json.dumps(event.value) for event in events}) == 1 else None

    def number(self, key: str) -> int | None:
        return _whole(event.value) if (event := self.stated(key)) else None

    def printed(self, key: str) -> Cell | None:
        return event.cell("value") if (event := self.stated(key)) else None


def _whole(value: Any) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST
    return value if is_whole else None


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
        # Descriptions by file name, scaling factors by folder.
        self._systems: dict[str, dict[str, Cell]] = {}
        self._factors: dict[str, Cell] = {}
        groups: defaultdict[str, list[LogRun]] = defaultdict(list)
        starts = paths if is_submission and paths else [0]
        for first, following in zip(starts, [*starts[1:], len(document.texts) + 1], strict=True):
            numbers = (number for number in range(first + 1, following) if number not in taken)
            lines = map(document.line, numbers)
            if first == 0:
                self._read_log(None, lines)
                continue
            heading = document.line(first)
            path = PurePosixPath(heading.text)
            self.take(_PATH, heading)
            if path.suffix == ".json":
                self._read_description(path, list(lines))
            else:
                run = LogRun(path, first, heading.cell)
                self._read_log(run, lines)
                groups[path.parent.as_posix()].append(run)
        for group, runs in groups.items():
            self._score(group, runs)

    def _read_description(self, path: PurePosixPath, lines: list[Line]) -> None:
        self.take(_DESCRIPTION, *lines)
        fields: dict[str, Cell] = {}
        for line in lines:
            fields |= _fields(line)
        if path.parts[0] == "systems":
            says = {
                name: cell
                for name, cell in fields.items()
                if cell.text.strip() not in _SAYS_NOTHING
            }
            self._systems[path.stem] = says
        elif factor := fields.get("scaling_factor"):
            self._factors[path.parent.as_posix()] = factor

    def _read_log(self, run: LogRun | None, lines: Iterator[Line]) -> None:
        """Adds the run of a log, if there is one: `run` where the log is in a submission."""
        damaged: set[str | None] = set()
        for line in lines:
            events = list(_EVENT.finditer(line.text)) if ":::MLLOG" in line.text else []
            if self.is_log or events:
                self.take(_MESSAGE, line)
            for match in events:
                run = run or LogRun(None, line.number, line.cell)
                key = _KEY.search(line.text, *match.span())
                name = key["key"] if key else None
                if (name is None or name in _KEPT) and not self._add_event(run, line, match, name):
                    damaged.add(name)
        if run is None:
            return
        # Other programs print settings as events, without a run.
        if damaged or run.events.keys() & _TELLING:
            self._close(run, damaged)
        elif run.path is None:
            return
        else:
            run.events.clear()
            reason = f"{run.path} contains no MLPerf event; it counts as a run that did not reach the quality"
            self._reject(run, run.place, "log_without_run", reason)
        self.runs.append(run)

    def _add_event(self, run: LogRun, line: Line, match: re.Match[str], key: str | None) -> bool:
        """Add an event; False if it cannot be read."""
        try:
            content, _ = _DECODER.raw_decode(line.text, line.text.index("{", *match.span()))
            time, metadata = content["time_ms"], content.get("metadata")
            if content["key"] != key or isinstance(time, bool) or not math.isfinite(time):
                raise ValueError
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            # An event without its key may be any event.
            reason = f"the event {key or ''!r} cannot be read: it is cut off, or its time is not a number"
            scope = "row" if key else "note"
            self._reject(run, line.matched(match), "log_line_damaged", reason, scope)
            return False
        if key not in _EVALUATIONS:
            self.take(_SETTING, line)
        metadata = metadata if isinstance(metadata, dict) else {}
        event = Event(line, match.span(), float(time), content.get("value"), metadata)
        run.events.setdefault(content["key"], []).append(event)
        return True

    def _close(self, run: LogRun, damaged: set[str | None]) -> None:
        """Set the start, the end and the status of a run, and reject what cannot be used."""
        beginning = run.place
        starts, stops = (run.events.get(key, []) for key in ("run_start", "run_stop"))
        start = min(starts, key=_time_of, default=None)
        stop = max(stops, key=_time_of, default=None)
        if stop:
            status = stop.metadata.get("status")
            run.status = status if isinstance(status, str) and status else "unstated"
        if event := stop or start or next((first for first, *_ in run.events.values()), None):
            run.place = event.cell("time_ms") or beginning
        if not damaged & _EVALUATIONS:
            found = [event for key in sorted(_EVALUATIONS) for event in run.events.get(key, [])]
            run.evaluation = max(found, key=_time_of, default=None)
        if run.evaluation:
            self.take(_SETTING, run.evaluation.line)
        for key in _STATED:
            events = run.events.get(key)
            if events and key != "seed" and run.stated(key) is None:
                values = len({json.dumps(event.value) for event in events})
                reason = f"the log has {values} values for {key!r}; none is used"
                self._reject(run, events[0].cell("time_ms") or beginning, "repeated_key", reason)
        times = [sorted(map(_time_of, each)) for each in (starts, stops) if each]
        if any(each[-1] - each[0] > _ONE_EVENT_MS for each in times):
            reason = "the log starts or ends its run more than once; no time is read from it"
            self._reject(run, beginning, "repeated_key", reason)
        elif start is None:
            reason = "the log has no run_start; no time is read from it"
            self._reject(run, beginning, "run_without_start", reason)
        elif stop and stop.time_ms <= start.time_ms:
            reason = "the run ends before it starts; no time is read from it"
            self._reject(run, beginning, "run_without_time", reason)
        elif stop:
            run.start_ms, run.time_ms = start.time_ms, stop.time_ms - start.time_ms

    def _reject(self, run: LogRun, cell: Cell, rule: str, reason: str, scope: str = "row") -> None:
        self.reject(cell, rule, reason, scope, **run.section)

    def _score(self, group: str, runs: list[LogRun]) -> None:
        """The score of the runs in a folder, or a reject with the reason."""
        # A log without a description belongs to the others and counts as a failed run.
        names, divisions = (
            {str(event.value) for run in runs if (event := run.stated(key))}
            for key in ("submission_benchmark", "submission_division")
        )
        benchmark = benchmarks().get(name := next(iter(names), ""))
        failed, many = sum(run.rank == math.inf for run in runs), len(runs)
        factor = self._factors.get(group)
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
        self._reject(runs[0], self.document.line(runs[0].first).cell, rule, reason)

    def _measurement(
        self, group: str, benchmark: Benchmark, counted: list[LogRun], factor: Cell | None
    ) -> Measurement:
        """The mean time of the counted runs, scaled as in the review."""
        run = counted[len(counted) // 2]
        is_scaled = run.start_ms >= _SCALED_FROM_MS
        time = sum(each.rank for each in counted) / len(counted) / 1000
        quantity = Quantity(time, time - _ROUNDING_S, time + _ROUNDING_S)
        if factor and is_scaled and (number := parse_number(factor.text)):
            quantity = quantity.scaled(number.value)
        stated = [
            *self._conditions(run, counted),
            *_stated("scaling_factor" if is_scaled else "scaling_factor_not_applied", factor),
        ]
        if benchmark.dataset:
            stated.append(Stated("dataset", benchmark.dataset, level="vocabulary"))
        said = {each.dimension: each.value for each in stated if each.dimension in _COLUMNS}
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

    def _conditions(self, run: LogRun, counted: list[LogRun]) -> Iterator[Stated]:
        """The conditions in the log of the middle run and in its system description."""
        system, key = self._system(run), "global_batch_size"
        yield from _stated("model", run.printed("submission_benchmark"))
        yield from _stated("division", run.printed("submission_division"))
        # A batch size that differs between runs is not a condition of the score.
        batch = run.stated(key)
        if batch and {run.number(key)} == {other.number(key) for other in counted}:
            yield from _stated("batch_size", batch.cell("value"))
            if printed := batch.cell("key"):
                yield from _stated("batch_size_kind", printed.part(0, len("global")))
        for cell in self._platform(run):
            yield Stated("platform", cell.text, cell, "page")
        for dimension in ("framework", "sdk_version") if "framework" in system else ():
            # Two releases in one text are ambiguous.
            parts = _mentioned(system["framework"], dimension)
            yield from _stated(dimension, parts[0] if len(parts) == 1 else None)
        for dimension, name in _DESCRIBED.items():
            yield from _stated(dimension, system.get(name))
        if count := _accelerators(system):
            per_node = system[_PER_NODE]
            if count == parse_count(per_node.text):
                yield from _stated("accelerator_count", per_node)
            else:
                yield from _stated("nodes", system[_NODES])
                yield from _stated("accelerators_per_node", per_node)

    def _system(self, run: LogRun) -> dict[str, Cell]:
        return self._systems.get(run.path.parts[1], {}) if run.path else {}

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
        ends = [
            len(name.text),
            *(at for at in range(len(name.text) - 1, 0, -1) if name.text[at] == "_"),
        ]
        known = _known_platform([name.part(0, end) for end in ends])
        # The last of two names of the chip is the specific one: `Graphcore IPU GC200`.
        model = system.get("accelerator_model_name")
        parts = [model, *_mentioned(model, "platform")] if model else []
        chip = _known_platform(parts[::-1])
        if known is None or chip is None:
            return [known or name]
        of_name, of_chip, of_both = (
            read_platform(text).entry
            for text in (known.text, chip.text, f"{known.text} {chip.text}")
        )
        if of_name and of_chip and of_both is None:
            # If system and chip disagree, the chip was measured.
            is_same = of_name.facts.get("chip") == of_chip.facts.get("chip")
            return [known] if is_same else [chip]
        return [known] if of_both in (None, of_name) else [known, chip]

    def run_rows(self) -> Iterator[Run]:
        """One row per run."""
        for run in self.runs:
            said: dict[str, str] = {}
            for key in ("benchmark", "division", "org"):
                if (cell := run.printed(f"submission_{key}")) and cell.text.strip():
                    said[key] = cell.text.strip()
            event = run.stated("submission_benchmark")
            benchmark = benchmarks().get(str(event.value)) if event else None
            quality = epochs = samples = None
            passes = 1 if benchmark and benchmark.counts_samples else None
            if evaluation := run.evaluation:
                quality = evaluation.number
                samples = _whole(evaluation.metadata.get("samples_count"))
                if benchmark and not passes:
                    epochs = passes = _whole(evaluation.metadata.get("epoch_num"))
            size = run.number("train_samples")
            if samples is None and size is not None and passes is not None:
                samples = _whole(size * passes)
            yield Run(
                **run.section,
                cell=run.place,
                accelerator_printed=self._platform_printed(run),
                accelerator_count=_accelerators(self._system(run)),
                batch_size=run.number("global_batch_size"),
                epochs=epochs,
                training_time_s=run.time_ms / 1000 if run.time_ms else None,
                run_line=run.first,
                suite=benchmark.suite if benchmark else None,
                model_printed=said.get("benchmark"),
                division=condition_value("division", said["division"])
                if "division" in said
                else None,
                submitter=said.get("org"),
                status=run.status,
                quality_reached=quality,
                seed=run.number("seed"),
                samples=samples,
                scored_as=run.scored_as,
            )


def _stated(dimension: str, cell: Cell | None) -> Iterator[Stated]:
    if cell and (value := condition_value(dimension, cell.text)):
        yield Stated(dimension, value, cell, "page")


def _known_platform(cells: list[Cell]) -> Cell | None:
    return next((cell for cell in cells if read_platform(cell.text).entry), None)


def _mentioned(cell: Cell, kind: str) -> list[Cell]:
    found = [each for each in find_mentions(cell.text) if each.kind == kind]
    return [cell.part(each.start, each.end) for each in found]


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
