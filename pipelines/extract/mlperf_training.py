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
from pipelines.extract.contract import Extraction
from pipelines.extract.logs import NO_PLACE, LineRole, account, measured, rejected
from pipelines.extract.mentions import condition_value, find_mentions
from pipelines.extract.named_quantities import Unit
from pipelines.extract.rows import Condition, Measurement, Reject, Row, Run
from pipelines.read.document import Cell, Document
from pipelines.read.submission import MEMBER
from pipelines.values.numbers import parse_count, parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.printed_names import read_platform
from pipelines.yaml_files import load_yaml

FORMAT = "mlperf_training"
DESCRIPTION = "MLPerf Training logs: single logs, or a submission with its system descriptions."
ROWS: tuple[type[Row], ...] = (Measurement, Condition, Run, Reject)
# Before other formats, because the output of launchers between the events looks like results.
PRIORITY = 5

_MARK = ":::MLLOG"
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
# Keys of the counts of nodes and accelerators.
_COUNTS = {"nodes": "number_of_nodes", "accelerators_per_node": "accelerators_per_node"}
_COUNTS_OF_ONE_NODE = {"accelerator_count": "accelerators_per_node"}
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


def _fields(text: str, line: int, start: int, end: int) -> Iterator[tuple[str, Cell]]:
    """The fields of JSON text that are plain texts or numbers, with the characters of their values."""
    for match in _FIELD.finditer(text, start, end):
        group = "text" if match["text"] is not None else "number"
        yield match["name"], Cell(match[group], line, *match.span(group))


class Event(NamedTuple):
    """One event, with the characters of its fields that are plain texts or numbers."""

    line: int
    time_ms: float
    value: Any
    metadata: dict[str, Any]
    cells: dict[str, Cell]


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
    start_ms: float | None = None
    evaluation: Event | None = None
    time_ms: float | None = None
    status: str = "unfinished"
    scored_as: str | None = None

    @property
    def section(self) -> dict[str, Any]:
        return {"section": str(self.path), "section_line": self.first} if self.path else {}

    @property
    def has_reached(self) -> bool:
        return self.status == "success" and self.time_ms is not None

    def stated(self, key: str) -> Event | None:
        """The event with a key; None if there is none, or if two differ."""
        events = self.events.get(key, [])
        return events[0] if len({json.dumps(event.value) for event in events}) == 1 else None

    def number(self, key: str) -> int | None:
        event = self.stated(key)
        return _whole(event.value) if event else None

    def printed(self, key: str) -> Cell | None:
        event = self.stated(key)
        return event.cells.get("value") if event else None


def _whole(value: Any) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST
    return value if is_whole else None


class TrainingLogs:
    """The MLLOG events of a document, read in one pass over the members of a submission or the
    lines of a log.

    Attributes:
        is_log: Whether all of the document is a log, or the logs of a submission.
        scores: Measurements of time_to_train; their section is the folder of their runs.
        lines: The role of each line that is read.
    """

    def __init__(self, document: Document, taken: Collection[int] = ()) -> None:
        paths = [number for number, _ in document.levels]
        is_submission = all(MEMBER.fullmatch(document.texts[number - 1]) for number in paths)
        self.is_log = is_submission and not document.grids
        self.runs: list[LogRun] = []
        self.scores: list[Measurement] = []
        self.conditions = NumberedConditions()
        self.rejects: list[Reject] = []
        self.lines: dict[int, LineRole] = {}
        # Descriptions by file name, scaling factors by folder.
        self._systems: dict[str, dict[str, Cell]] = {}
        self._factors: dict[str, Cell] = {}
        groups: defaultdict[str, list[LogRun]] = defaultdict(list)
        starts = paths if is_submission and paths else [0]
        for first, following in zip(starts, [*starts[1:], len(document.texts) + 1], strict=True):
            numbered = enumerate(document.texts[first : following - 1], start=first + 1)
            lines = [(number, text) for number, text in numbered if number not in taken]
            path = PurePosixPath(document.texts[first - 1]) if first else None
            if path:
                self.lines[first] = _PATH
            if path and path.suffix == ".json":
                self._read_description(path, lines)
            elif (run := self._read_log(path, first, lines)) and path:
                groups[path.parent.as_posix()].append(run)
        for group, runs in groups.items():
            self._score(group, runs)

    def _read_description(self, path: PurePosixPath, lines: list[tuple[int, str]]) -> None:
        self.lines.update((number, _DESCRIPTION) for number, _ in lines)
        # As in JSON, the last of several fields with one name counts.
        found = (each for number, text in lines for each in _fields(text, number, 0, len(text)))
        fields = {name.replace(" ", "_"): cell for name, cell in found}
        if path.parts[0] == "systems":
            said = {
                name: cell
                for name, cell in fields.items()
                if cell.text.strip() not in _SAYS_NOTHING
            }
            self._systems[path.stem] = said
        elif factor := fields.get("scaling_factor"):
            self._factors[path.parent.as_posix()] = factor

    def _read_log(
        self, path: PurePosixPath | None, first: int, lines: list[tuple[int, str]]
    ) -> LogRun | None:
        """The run of a log; None for a document without one."""
        beginning = Cell(str(path), first, 0, len(str(path)))
        run = LogRun(path, first, beginning) if path else None
        damaged: set[str | None] = set()
        for number, text in lines:
            at = text.find(_MARK)
            if self.is_log or at >= 0:
                self.lines[number] = _MESSAGE
            while at >= 0:
                run = run or LogRun(None, number, Cell(text, number, 0, len(text)))
                following = text.find(_MARK, at + 1)
                end = following if following >= 0 else len(text)
                match = _KEY.search(text, at, end)
                key = match["key"] if match else None
                if (key is None or key in _KEPT) and not self._add_event(
                    run, number, text, (at, end), key
                ):
                    damaged.add(key)
                at = following
        # Other programs print settings as events, without a run.
        if run and (damaged or run.events.keys() & _TELLING):
            self._close(run, damaged)
        elif path:
            run = LogRun(path, first, beginning)
            reason = f"{path} contains no MLPerf event; it counts as a run that did not reach the quality"
            self._reject(run, beginning, "log_without_run", reason)
        else:
            return None
        self.runs.append(run)
        return run

    def _add_event(
        self, run: LogRun, number: int, text: str, span: tuple[int, int], key: str | None
    ) -> bool:
        """Add an event; False if it cannot be read."""
        at, end = span
        try:
            content, _ = _DECODER.raw_decode(text, text.index("{", at, end))
            time, metadata = content["time_ms"], content.get("metadata")
            if content["key"] != key or isinstance(time, bool) or not math.isfinite(time):
                raise ValueError
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            # An event without its key may be any event.
            reason = f"the event {key or ''!r} cannot be read: it is cut off, or its time is not a number"
            place, scope = Cell(text[at:end], number, at, end), "row" if key else "note"
            self._reject(run, place, "log_line_damaged", reason, scope)
            return False
        if key not in _EVALUATIONS:
            self.lines[number] = _SETTING
        # The first field of a name belongs to the event itself.
        cells = dict(reversed([*_fields(text, number, at, end)]))
        metadata = metadata if isinstance(metadata, dict) else {}
        event = Event(number, float(time), content.get("value"), metadata, cells)
        run.events.setdefault(content["key"], []).append(event)
        return True

    def _close(self, run: LogRun, damaged: set[str | None]) -> None:
        """Set the start, the end and the status of a run, and reject what cannot be used."""
        events, beginning = run.events, run.place
        starts, stops = (events.get(key, []) for key in ("run_start", "run_stop"))
        start, stop = (
            min(starts, key=_time_of, default=None),
            max(stops, key=_time_of, default=None),
        )
        if stop:
            status = stop.metadata.get("status")
            run.status = status if isinstance(status, str) and status else "unstated"
        if event := stop or start or next((first for first, *_ in events.values()), None):
            run.place = event.cells.get("time_ms", beginning)
        run.start_ms = start.time_ms if start else None
        if not damaged & _EVALUATIONS:
            found = [event for key in sorted(_EVALUATIONS) for event in events.get(key, [])]
            run.evaluation = max(found, key=_time_of, default=None)
        if run.evaluation:
            self.lines[run.evaluation.line] = _SETTING
        for key in _STATED:
            if key in events and key != "seed" and run.stated(key) is None:
                values = len({json.dumps(event.value) for event in events[key]})
                place = events[key][0].cells.get("time_ms", beginning)
                self._reject(
                    run,
                    place,
                    "repeated_key",
                    f"the log has {values} values for {key!r}; none is used",
                )
        times = [sorted(map(_time_of, each)) for each in (starts, stops) if each]
        fault = None
        if any(each[-1] - each[0] > _ONE_EVENT_MS for each in times):
            fault = (
                "repeated_key",
                "the log starts or ends its run more than once; no time is read from it",
            )
        elif start is None:
            fault = "run_without_start", "the log has no run_start; no time is read from it"
        elif stop and stop.time_ms <= start.time_ms:
            fault = "run_without_time", "the run ends before it starts; no time is read from it"
        elif stop:
            run.time_ms = stop.time_ms - start.time_ms
        if fault:
            self._reject(run, beginning, *fault)

    def _reject(self, run: LogRun, cell: Cell, rule: str, reason: str, scope: str = "row") -> None:
        self.rejects.append(rejected(cell, rule, reason, scope, **run.section))

    def _score(self, group: str, runs: list[LogRun]) -> None:
        """The score of the runs in a folder, or a reject with the reason."""
        # A log without a description belongs to the others and counts as a failed run.
        names, divisions = (
            {str(event.value) for run in runs if (event := run.stated(key))}
            for key in ("submission_benchmark", "submission_division")
        )
        benchmark = benchmarks().get(name := next(iter(names), ""))
        failed, many = sum(not run.has_reached for run in runs), len(runs)
        if len(names) != 1 or len(divisions) != 1:
            said = ", ".join(sorted(names | divisions)) or "none"
            rule, reason = (
                "mixed_runs",
                f"the logs in {group} have more than one benchmark or division: {said}",
            )
        elif benchmark is None:
            rule, reason = (
                "unknown_benchmark",
                f"the rules of {name!r} are unknown; its runs have no score",
            )
        elif many != benchmark.runs:
            rule = "wrong_number_of_runs"
            reason = f"{group} has {many} runs, but a score of {name} needs {benchmark.runs}"
        elif failed > (most := benchmark.dropped):
            rule = "too_many_failed_runs"
            reason = f"{failed} of {many} runs in {group} did not reach the quality; the rules allow {most}"
        elif (factor := self._factors.get(group)) and not parse_number(factor.text):
            rule, reason = (
                "log_line_damaged",
                f"the scaling factor `{factor.text}` of {group} is not a number",
            )
        else:
            ranked = sorted(
                runs, key=lambda run: (run.time_ms or math.inf) if run.has_reached else math.inf
            )
            for place, run in enumerate(ranked):
                run.scored_as = (
                    "fastest" if place < most else "counted" if place < many - most else "slowest"
                )
            self.scores.append(self._measurement(group, benchmark, ranked[most : many - most]))
            return
        self._reject(
            runs[0], Cell(str(runs[0].path), runs[0].first, 0, len(str(runs[0].path))), rule, reason
        )

    def _measurement(self, group: str, benchmark: Benchmark, counted: list[LogRun]) -> Measurement:
        """The mean time of the counted runs, scaled as in the review."""
        run, first, factor = counted[len(counted) // 2], counted[0].first, self._factors.get(group)
        is_scaled = (run.start_ms or 0) >= _SCALED_FROM_MS
        time = sum(each.time_ms or 0.0 for each in counted) / len(counted) / 1000
        quantity = Quantity(time, time - _ROUNDING_S, time + _ROUNDING_S)
        if factor and is_scaled and (number := parse_number(factor.text)):
            quantity = quantity.scaled(number.value)
        stated = [
            *self._conditions(run, counted),
            *_stated("scaling_factor" if is_scaled else "scaling_factor_not_applied", factor),
        ]
        if benchmark.dataset:
            stated.append(Stated("dataset", benchmark.dataset, NO_PLACE, "vocabulary"))
        said = {each.dimension: each.value for each in stated if each.dimension in _COLUMNS}
        columns = fields_of(said | {"task": "training", "suite": benchmark.suite}) | {
            "platform_printed": " ".join(cell.text for cell in self._platform(run)) or None,
            "accelerator_count": _accelerators(self._system(run)),
        }
        columns |= {"section": group, "section_line": first, "row_line": run.first}
        return measured(
            run.place, "time_to_train", quantity, _MILLISECONDS, stated, self.conditions, **columns
        )

    def _conditions(self, run: LogRun, counted: list[LogRun]) -> Iterator[Stated]:
        """The conditions in the log of the middle run and in its system description."""
        system, key = self._system(run), "global_batch_size"
        yield from _stated("model", run.printed("submission_benchmark"))
        yield from _stated("division", run.printed("submission_division"))
        # A batch size that differs between runs is not a condition of the score.
        if (batch := run.stated(key)) and all(
            run.number(key) == other.number(key) for other in counted
        ):
            yield from _stated("batch_size", batch.cells.get("value"))
            yield from _stated("batch_size_kind", batch.cells["key"].part(0, len("global")))
        for cell in self._platform(run):
            yield Stated("platform", cell.text, cell, "page")
        for dimension in ("framework", "sdk_version") if "framework" in system else ():
            # Two releases in one text are ambiguous.
            parts = _mentioned(system["framework"], dimension)
            yield from _stated(dimension, parts[0] if len(parts) == 1 else None)
        for dimension, name in _DESCRIBED.items():
            yield from _stated(dimension, system.get(name))
        if all_nodes := _accelerators(system):
            is_one = all_nodes == parse_count(system["accelerators_per_node"].text)
            for dimension, name in (_COUNTS_OF_ONE_NODE if is_one else _COUNTS).items():
                yield from _stated(dimension, system[name])

    def _system(self, run: LogRun) -> dict[str, Cell]:
        return self._systems.get(run.path.parts[1], {}) if run.path else {}

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
        known = next(
            (part for end in ends if read_platform((part := name.part(0, end)).text).entry), None
        )
        # The last of two names of the chip is the specific one: `Graphcore IPU GC200`.
        model = system.get("accelerator_model_name")
        parts = [model, *_mentioned(model, "platform")] if model else []
        chip = next((part for part in reversed(parts) if read_platform(part.text).entry), None)
        if known is None or chip is None:
            return [known or name]
        of_name, of_chip, of_both = (
            read_platform(text).entry
            for text in (known.text, chip.text, f"{known.text} {chip.text}")
        )
        if (
            of_name
            and of_chip
            and of_both is None
            and of_name.facts.get("chip") != of_chip.facts.get("chip")
        ):
            # If system and chip disagree, the chip was measured.
            return [chip]
        return [known] if of_both in (None, of_name) else [known, chip]

    def run_rows(self) -> Iterator[Run]:
        """One row per run."""
        for run in self.runs:
            named = {
                key: run.printed(f"submission_{key}") for key in ("benchmark", "division", "org")
            }
            said = {
                key: cell.text.strip() for key, cell in named.items() if cell and cell.text.strip()
            }
            event = run.stated("submission_benchmark")
            benchmark = benchmarks().get(str(event.value)) if event else None
            counts_samples = benchmark is not None and benchmark.counts_samples
            quality = epochs = samples = None
            if run.evaluation:
                value, counted = run.evaluation.value, run.evaluation.metadata
                if (
                    isinstance(value, int | float)
                    and not isinstance(value, bool)
                    and abs(value) <= _LARGEST
                ):
                    quality = float(value)
                epochs = (
                    None
                    if counts_samples or benchmark is None
                    else _whole(counted.get("epoch_num"))
                )
                samples = _whole(counted.get("samples_count"))
            size, passes = run.number("train_samples"), 1 if counts_samples else epochs
            if samples is None and size is not None and passes is not None:
                samples = _whole(size * passes)
            yield Run(
                **run.section,
                cell=run.place,
                accelerator_printed=" ".join(cell.text for cell in self._platform(run)) or None,
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


def _mentioned(cell: Cell, kind: str) -> list[Cell]:
    return [
        cell.part(found.start, found.end)
        for found in find_mentions(cell.text)
        if found.kind == kind
    ]


def _accelerators(system: dict[str, Cell]) -> int | None:
    """Accelerators of all nodes; the product is not printed."""
    # `"number_of_nodes": 1.0`
    numbers = [parse_number(system[name].text) for name in _COUNTS.values() if name in system]
    counts = [int(number.value) for number in numbers if number and number.value.is_integer()]
    return _whole(math.prod(counts)) if len(counts) == 2 and all(counts) else None


def recognise(document: Document) -> float:
    """1 for a log of a run of MLPerf, 0.3 for one within a page with tables or headings, else 0."""
    if (
        not any(_MARK in text for text in document.texts)
        or not (logs := TrainingLogs(document)).runs
    ):
        return 0.0
    return 1.0 if logs.is_log else 0.3


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
    extraction = Extraction([*logs.conditions.rows, *logs.scores, *logs.run_rows(), *logs.rejects])
    account(extraction, document, logs.lines, are_whole=True)
    return extraction
