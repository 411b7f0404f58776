"""Logs of MLPerf Training to runs and to the scores of their systems, by the published rules.

Runs consist of events `:::MLLOG {...}`; output of other programs between them is ignored. A
submission, which `read/submission.py` makes one document, is read member by member: descriptions of
systems, factors, logs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from pipelines.extract.conditions import Stated
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.logs import LineRole
from pipelines.extract.logs.mllog import Benchmark, LogRun, benchmarks, whole
from pipelines.extract.logs.submissions import SubmissionLogs
from pipelines.extract.logs.systems import (
    accelerators_of,
    conditions_of,
    stated_at,
)
from pipelines.extract.mentions import condition_value
from pipelines.extract.named_quantities import Unit
from pipelines.extract.rows import Condition, Measurement, Reject, Run
from pipelines.extract.tables.mapping import NO_MAPPING, SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.values.numbers import parse_number
from pipelines.values.quantity import Quantity

FORMAT = Format(
    name="mlperf_training",
    description="MLPerf Training logs: single logs, or a submission with its system descriptions.",
    rows=(Measurement, Condition, Run, Reject),
    # Before other formats, because the output of launchers between the events looks like results.
    priority=5,
    medium=Medium.LOG,
    mapping="constants",
    gives_scores=True,
)

_ROUNDING_S = 0.001
# Scores are scaled in reviews since 9 March 2022: a `scaling.json` beside older runs is no part of
# their publication, it was written later by the checker of reference runs.
_SCALED_FROM_MS = 1_646_784_000_000
_MILLISECONDS = Unit("ms", "s", 1e-3)
# Some descriptions say `close`.
_DIVISIONS = frozenset({"closed", "open"})
# What a line is
_SETTING: LineRole = "log", "log_setting"
_MESSAGE: LineRole = "log", "log_message"


class TrainingLogs(SubmissionLogs):
    """The MLLOG events of a document, read in one pass over the members of a submission or the
    lines of a log.

    Attributes:
        is_log: Whether all of the document is a log, or the logs of a submission.
        scores: Measurements of time_to_train; their section is the folder of their runs.
    """

    def __init__(
        self,
        document: Document,
        taken: Collection[int] = (),
        source: SourceMapping | None = None,
    ) -> None:
        super().__init__(document, source)
        self.is_log = self.is_submission and not document.grids
        self.runs: list[LogRun] = []
        self.scores: list[Measurement] = []
        for path, lines in self.members(taken):
            self._read_log(LogRun(path.text, path.line, path), lines)
        # The logs of a folder follow each other.
        for group, runs in groupby(self.runs, key=lambda run: run.path.rpartition("/")[0]):
            if group:
                self._score(group, list(runs))

    def _read_log(self, run: LogRun, lines: Iterable[Line]) -> None:
        """Adds the run of a log, if there is one."""
        self.section = run.section
        for line in lines:
            has_event = ":::MLLOG" in line.text
            if self.is_log or has_event:
                self.take(_MESSAGE, line)
            for key, printed in run.read(line) if has_event else ():
                reason = (
                    f"the event {key!r} cannot be read: it is cut off, or its time is not a number"
                )
                self.reject(printed, "log_line_damaged", reason, "row" if key else "note")
        last = run.evaluation
        for event in run.events:
            if not event.is_evaluation or event is last:
                self.lines[event.printed.line] = _SETTING
        if run.is_run:
            for place, rule, reason in run.faults():
                self.reject(place, rule, reason)
        elif not run.path:
            return
        else:
            run.events.clear()
            reason = f"{run.path} contains no MLPerf event; it counts as a run that did not reach the quality"
            self.reject(run.heading, "log_without_run", reason)
        self.runs.append(run)

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
            self._add_score(group, benchmark, counted, factor)
            return
        self.reject(runs[0].heading, rule, reason)

    def _add_score(
        self, group: str, benchmark: Benchmark, counted: list[LogRun], factor: Cell | None
    ) -> None:
        """Adds the mean time of the counted runs, scaled as in the review."""
        run = counted[len(counted) // 2]
        is_scaled = run.start is not None and run.start.time_ms >= _SCALED_FROM_MS
        time = sum(each.rank for each in counted) / len(counted) / 1000
        quantity = Quantity(time, time - _ROUNDING_S, time + _ROUNDING_S)
        if factor and is_scaled and (number := parse_number(factor.text)):
            quantity = quantity.scaled(number.value)
        stated = self._conditions(run, counted)
        stated += stated_at("scaling_factor" if is_scaled else "scaling_factor_not_applied", factor)
        if benchmark.dataset:
            stated.append(Stated("dataset", benchmark.dataset, level="vocabulary"))
        score = self.result(
            run.place,
            "time_to_train",
            quantity,
            _MILLISECONDS,
            stated,
            task="training",
            suite=benchmark.suite,
            section=group,
            section_line=counted[0].first,
            row_line=run.first,
            accelerator_count=accelerators_of(self._system(run)),
        )
        self.scores += [score] if score else []

    def _conditions(self, run: LogRun, counted: list[LogRun]) -> list[Stated]:
        """The conditions in the log of the middle run and in its system description."""
        system, key = self._system(run), "global_batch_size"
        stated = stated_at("model", run.printed("submission_benchmark"))
        described, printed = system.get("division"), run.printed("submission_division")
        # Results are published by the division of their description, some logs print another one.
        is_named = described is not None and described.text.strip().casefold() in _DIVISIONS
        stated += stated_at("division", described if is_named else printed)
        # A batch size that differs between runs is not a condition of the score.
        batch = run.stated(key)
        if batch and {run.number(key)} == {other.number(key) for other in counted}:
            stated += stated_at("batch_size", batch.cell("value"))
            if printed := batch.cell("key"):
                stated += stated_at("batch_size_kind", printed.part(0, len("global")))
        platforms = self._platform(run)
        stated += [Stated("platform", cell.text, cell, "page") for cell in platforms]
        return stated + conditions_of(system, platforms)

    def _system(self, run: LogRun) -> dict[str, Cell]:
        return self.fields(_description_of(run))

    def _platform(self, run: LogRun) -> list[Cell]:
        """The place of the name of the system of a run; without a description what the log says."""
        if "system_name" in self._system(run):
            return self.platforms(_description_of(run))
        cell = run.printed("submission_platform")
        return [cell] if cell else []

    def run_rows(self) -> Iterator[Run]:
        """One row per run."""
        source = self.source or NO_MAPPING
        for run in self.runs:
            benchmark, last = run.benchmark, run.evaluation
            counts_samples = benchmark is not None and benchmark.counts_samples
            epochs = last.count("epoch_num") if last and benchmark else None
            samples = last.count("samples_count") if last else None
            size, passes = run.number("train_samples"), 1 if counts_samples else epochs
            if samples is None and size is not None and passes is not None:
                samples = whole(size * passes)
            model, division, submitter = (
                cell.text.strip() if (cell := run.printed(f"submission_{key}")) else ""
                for key in ("benchmark", "division", "org")
            )
            yield Run(
                **run.section,
                cell=run.place,
                accelerator_printed=" ".join(cell.text for cell in self._platform(run)) or None,
                accelerator_count=accelerators_of(self._system(run)),
                batch_size=run.number("global_batch_size"),
                epochs=None if counts_samples else epochs,
                training_time_s=run.time_ms / 1000 if run.time_ms else None,
                run_line=run.first,
                suite=benchmark.suite if benchmark else None,
                model_printed=source.name_of("model", model) or None,
                division=condition_value("division", division) if division else None,
                submitter=submitter or None,
                status=run.status,
                quality_reached=last.number if last else None,
                seed=run.number("seed"),
                samples=samples,
                scored_as=run.scored_as,
            )


def _description_of(run: LogRun) -> str:
    """The path of the description of the system of a run; of one alone that of no file."""
    return f"systems/{run.path.split('/')[1]}.json" if run.path else ""


def recognise(document: Document) -> float:
    """1 for a log of a run of MLPerf, 0.3 for one within a page with tables or headings, else 0."""
    if not any(":::MLLOG" in text for text in document.texts):
        return 0.0
    logs = TrainingLogs(document)
    return (1.0 if logs.is_log else 0.3) if logs.runs else 0.0


def extract(
    document: Document, taken: Collection[int], source: SourceMapping | None = None
) -> Extraction:
    """One `Run` per log, one `Measurement` of time_to_train [s] per system and benchmark of a
    submission.

    Args:
        document: Lines with `:::MLLOG {"time_ms": ..., "key": "run_start", ...}`, of one log or of
            a submission.
        taken: Lines that another format has read.
        source: What the mapping of the source states of all its logs.

    Returns:
        Runs with their status and the time from run_start to run_stop. A score is the mean that the
        rules of MLPerf prescribe; `Run.scored_as` says of each run how it entered. Where there is
        no score, a reject says why.
    """
    if not any(":::MLLOG" in text for text in document.texts):
        return Extraction()
    logs = TrainingLogs(document, taken, source)
    if not logs.runs:
        return Extraction()
    rows = [*logs.conditions.rows, *logs.scores, *logs.run_rows(), *logs.rejects]
    return logs.extraction(rows, are_whole=True)
