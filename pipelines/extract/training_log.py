"""Progress logs of Keras to runs and epochs.

The lines of Keras are read in `logs/keras.py`, the logs of other programs in `program_log.py` and
`mlperf_training.py`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.extract.conditions import fields_of
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.logs import LineRole, LogReading
from pipelines.extract.logs.keras import Bar, read_bar, read_heading, read_seconds, said_by
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import said_on
from pipelines.values.durations import unit_seconds
from pipelines.values.numbers import parse_count, parse_number

FORMAT = Format(
    name="training_log",
    description="Keras training logs: progress bars, losses and training times under headings with devices and batch sizes.",
    rows=(Run, Epoch, Reject),
    priority=10,
    medium=Medium.LOG,
    mapping="constants",
)

# Share of finished bars among the lines from which on a document is nothing but a log.
_FULL_SHARE = 0.2
# Roles of lines, and the statuses of their other numerals
_EPOCH: LineRole = "log", "metric_not_kept"
_PROGRESS: LineRole = "log", "log_bar_without_epoch"
_EVALUATION: LineRole = "log", "log_evaluation"
_HEADER: LineRole = "log", "epoch_number"
_MESSAGE: LineRole = "log", "log_message"
_SUMMARY: LineRole = "log", "model_summary"
_CONDITION: LineRole = "condition", "run_condition"
_REJECTED: LineRole = "log", "rejected"


@dataclass
class _Part:
    """The bars below one header; the first part of a run has none."""

    header: Line | None = None
    number: int = 0
    planned: int | None = None
    bars: list[Bar] = field(default_factory=list)

    def ends(self, steps: int | None) -> list[Bar]:
        """Its bars that may end an epoch of so many steps.

        A damaged bar of unknown steps keeps its place and its number. Keras 3 prints `0s` with all
        steps done before it prints the time of the epoch; without a bar in progress that may be an
        evaluation with as many steps: only `fit` prints metrics of a validation.
        """
        found: list[Bar] = []
        has_progress, last = False, None
        for bar in self.bars:
            has_progress |= bar.is_progress
            if not bar.may_end or bar.total not in (steps, None):
                last = None
                continue
            is_again = last and last.epoch_time_s == 0 and last.total == bar.total
            is_redrawn = has_progress or (last and bar.is_validated and not last.is_validated)
            if is_again and is_redrawn and bar.is_finished:
                found.pop()
            found.append(bar)
            last = bar
        return found


@dataclass
class _KerasRun:
    """A run while its lines are being read: what is known of it before its first epoch, as columns,
    and its epochs.

    `start` is the heading that starts it, if any; `stated` are the dimensions that are known of it;
    `time` is stated for all of it, with its place, and is None where it cannot be read.
    """

    start: Line | None
    columns: dict[str, Any]
    stated: Collection[str]
    parts: list[_Part] = field(default_factory=lambda: [_Part()])
    time: tuple[Cell, float | None] | None = None

    @property
    def ending(self) -> list[Bar]:
        return [bar for part in self.parts for bar in part.bars if bar.may_end]

    def epochs(self) -> tuple[list[tuple[int, Bar]], list[Bar], list[Line]]:
        """The bars that end an epoch, with its number, those of an unknown epoch, and the headers
        without a bar.

        A header's number is taken as printed. Bars above the first header end the epochs before it;
        where no header is in the whole run, they are counted from 1. Bars with other steps than the
        first one end no epoch.
        """
        steps = next((bar.total for bar in self.ending if bar.total), None)
        (_, above), *headed = [(part, part.ends(steps)) for part in self.parts]
        first = headed[0][0].number if headed else len(above) + 1
        surplus = max(0, len(above) - first + 1)
        if not headed and self.start is None and self.time is None and len(above) == 1:
            # `evaluate` prints such a bar, too.
            surplus = 1
        left, kept = above[:surplus], above[surplus:]
        epochs = list(enumerate(kept, start=first - len(kept)))
        for part, bars in headed:
            epochs += [(part.number, bar) for bar in bars[:1]]
            # Behind the last of the planned epochs are evaluations.
            left += bars[1:] if part.number != part.planned else []
        without = [part.header for part, bars in headed if part.header and not bars]
        return epochs, left, without


class _KerasLog(LogReading):
    """The rows of a log, made while its lines are read.

    A device heading holds for the run below it and for every further run with a batch size of its
    own (`bs 128`), up to the next heading, known or not: a run without any may be under a heading
    that was lost. So do the arguments of a command. Parameters hold until the next model summary, a
    batch size only for the run that it is stated for.

    Attributes:
        rows: Runs and epochs.
    """

    def __init__(
        self, document: Document, source: SourceMapping | None, lines: Sequence[Line]
    ) -> None:
        super().__init__(document, source)
        self.rows: list[Run | Epoch] = []
        self._run: _KerasRun | None = None
        # The heading of devices, and the headings of batch sizes below it, with their conditions;
        # where a run is below them already, they hold for the next batch size only.
        self._headings: list[tuple[Line, dict[str, str]]] = []
        # What has been stated since the last run.
        self._pending: list[Line] = []
        self._parameters: dict[str, int | None] = {}
        # Sizes of data sets: bars of old Keras count samples and say `/step`.
        self._samples: set[int] = set()
        # `Model: "sequential"` and the lines below it, up to the counts of parameters.
        self._summary: list[Line] = []
        wrapped: Line | None = None
        for line, following in zip(lines, [*lines[1:], None], strict=False):
            if line is wrapped:
                continue
            said = said_by(line)
            if bar := read_bar(line, following):
                wrapped = bar.lines[-1]
                self._add_bar(bar)
            elif said is None or not self._add_statement(line, said):
                self._add_other(line, read_heading(line, said or {}))
        self._close()

    def _add_bar(self, bar: Bar) -> None:
        self.take(_PROGRESS if bar.is_progress else _EVALUATION, *bar.lines)
        if bar.may_end or self._run:
            run = self._run or self._open()
            run.parts[-1].bars.append(bar)
            self._reject_damaged(bar)

    def _reject_damaged(self, bar: Bar) -> None:
        if bar.fault:
            reason = f"the progress bar in line {bar.lines[0].number}: {bar.fault}"
            self.reject(bar.place, "bar_unreadable", reason)

    def _add_statement(self, line: Line, said: dict[str, Cell]) -> bool:
        """Takes a line that Keras prints beside its bars; False for any other line."""
        if "epoch" in said:
            number, planned = int(said["epoch"].text), int(said["planned"].text)
            if 1 <= number <= planned:
                self.take(_HEADER, line)
                self._add_part(_Part(line, number, planned))
        elif "time" in said:
            unit = said["unit"].text if "unit" in said else "s"
            self._add_time(said["time"], unit_seconds(unit), line)
        elif "samples" in said:
            self.take(_CONDITION, line)
            self._samples.add(int(said["samples"].text))
        elif "count" in said:
            self._close_after_bars()
            self._add_parameters(said["count"], said["kind"].text.lower(), line)
        elif not said or "layers" in said:
            self.take(_MESSAGE, line)
            if said:
                self._close_after_bars()
                self._parameters, self._summary = {}, [line]
        else:
            return False
        return True

    def _add_part(self, part: _Part) -> None:
        if run := self._run:
            last = run.parts[-1]
            goes_on = last.number < part.number and last.planned == part.planned
            if run.time and goes_on and last.number == part.number - 1:
                reason = f"line {run.time[0].line} states a time between two epochs, not the time of the training"
                self.reject(run.time[0], "training_time_within_run", reason)
                run.time = None
            elif run.time or (last.header and not goes_on):
                self._close()
        (self._run or self._open()).parts.append(part)

    def _add_time(self, cell: Cell, unit: float | None, line: Line) -> None:
        """Takes the time of a whole training; a number without unit is in seconds."""
        if self._run is None or self._run.time or not any(map(str.isdigit, cell.text)):
            return
        self.take(_MESSAGE, line)
        number = parse_number(cell.text)
        seconds = number.value * unit if number and unit else read_seconds(cell.text)
        if seconds is None or self.is_cut(cell.line):
            seconds = None
            reason = (
                f"the training time `{cell.text}` is not a duration, or ends the log and may be cut"
            )
            self.reject(cell, "training_time_unreadable", reason)
        self._run.time = cell, seconds

    def _add_parameters(self, cell: Cell, kind: str, line: Line) -> None:
        self.take(_SUMMARY, *self._summary, line)
        self._summary, count = [], parse_count(cell.text)
        # `Total params` starts a new summary, a line printed twice does not.
        if kind == "total" or self._parameters.get(kind, count) != count:
            self._parameters = {}
        self._parameters[kind] = count
        if kind not in ("total", "trainable"):
            self.mark(cell, "model_size")
        elif count is None:
            self.mark(cell, "log_line_unread")
        else:
            self.mark(cell, "run_field")

    def _add_other(self, line: Line, heading: dict[str, str] | None) -> None:
        """Read a line that Keras does not print, if it has conditions."""
        said = said_on(line)
        if heading is not None:
            self._close()
            if heading.keys() != {"batch_size"}:
                self._end_scope()
            if heading:
                self._headings.append((line, heading))
                self._pending.append(line)
        elif self.arguments.read(said):
            self._close_after_bars()
            self._pending.append(line)
        elif said.start and self._run:
            self.take(_MESSAGE, line)
        elif said.text.startswith("#"):
            self._end_scope()
        elif self._summary:
            self._summary.append(line)

    def _end_scope(self) -> None:
        """A heading ends the device, the batch size and the arguments above it."""
        self._headings, self._pending = [], []
        self.arguments.end()

    def _open(self) -> _KerasRun:
        self.take(_CONDITION, *self._pending)
        start = next((line for line, _ in self._headings if line in self._pending), None)
        own: dict[str, str] = {}
        for _, heading in self._headings if start else ():
            own |= heading
        self.section, self._pending = {}, []
        if "platform" in own:
            device = self._headings[0][0]
            self.section = {"section": device.cell.text, "section_line": device.number}
        # Where the first run below a device states no batch size, one that states it is of another
        # device.
        if start:
            self._headings = [(self._headings[0][0], own)] if "batch_size" in own else []
        stated = self.with_mapping(self.arguments.in_force().stated)
        said = {name: each.value for name, each in stated.items()} | own
        fields = fields_of(said)
        columns = {
            "accelerator_printed": fields["platform_printed"],
            "accelerator_count": fields["accelerator_count"],
            "model_printed": fields["model_printed"],
            "batch_size": fields["batch_size"] or None,
            "total_parameters": self._parameters.get("total"),
            "trainable_parameters": self._parameters.get("trainable"),
        }
        self._run = _KerasRun(start, columns, said.keys())
        return self._run

    def _close_after_bars(self) -> None:
        if self._run and self._run.ending:
            self._close()

    def _close(self) -> None:
        """Adds the rows of the run, and a reject for each bar and header that makes no epoch."""
        run, self._run = self._run, None
        if run is None:
            return
        numbered, left, without = run.epochs()
        for bar in left:
            if bar.is_finished:
                reason = f"the finished bar in line {bar.lines[0].number} has no epoch header"
                self.reject(bar.place, "epoch_without_header", reason)
        for header in without:
            reason = f"the epoch header in line {header.number} has no finished bar with the steps of the other epochs"
            self.reject(header.cell, "epoch_without_bar", reason)
        for _, bar in numbered:
            # Only now, as a bar that is redrawn at the end takes the place of the one above it.
            if bar.is_finished and self.is_cut(bar.lines[-1].number):
                bar.fault = "the log ends there without a line break: it may be cut"
                self._reject_damaged(bar)
        epochs = {number: bar for number, bar in numbered if bar.is_finished}
        begins = [bar.lines[0] for bar in epochs.values()] + [part.header for part in run.parts]
        start = next(filter(None, [run.start, *begins]), None)
        for bar in epochs.values():
            if bar.loss is None and "loss" in bar.metrics:
                reason = f"line {bar.lines[0].number} ends at the word loss without a number"
                self.reject(bar.lines[0].cell, "loss_missing", reason)
        if start:
            self._add_rows(run, start, epochs)

    def _add_rows(self, run: _KerasRun, start: Line, epochs: dict[int, Bar]) -> None:
        cell, seconds = run.time if run.time and run.time[1] is not None else (start.cell, None)
        if not self.accepts(cell, run.stated):
            return
        place: dict[str, Any] = {**self.section, "run_line": start.number}
        self.rows.append(
            Run(
                **place,
                **run.columns,
                cell=cell,
                epochs=len(epochs),
                epochs_planned=run.parts[-1].planned,
                training_time_s=seconds,
            )
        )
        for number, bar in epochs.items():
            # Old Keras prints the time of a sample as that of a step.
            counts_samples = "sample" in bar.times or bar.total in self._samples
            step = bar.times.get("step", bar.times.get("batch"))
            is_nan = bar.loss is not None and math.isnan(bar.loss)
            self.rows.append(
                Epoch(
                    **place,
                    cell=bar.place,
                    epoch=number,
                    steps=None if counts_samples else bar.total,
                    epoch_time_s=bar.epoch_time_s,
                    step_time_ms=None if counts_samples or step is None else round(step * 1e3, 9),
                    loss=None if is_nan else bar.loss,
                    loss_is_nan=is_nan,
                )
            )
            self.take(_EPOCH, *bar.lines)
            self.mark(bar.steps, "epoch_steps")
            for read in bar.read:
                self.mark(read, "epoch_field")


def recognise(document: Document) -> float:
    """0 without a finished progress bar, 0.5 for one bar in a long text, 1 where every fifth line
    is a bar.
    """
    lines = [line for line in document.lines if not line.is_blank]
    bars = [bar for line in lines if (bar := read_bar(line)) and bar.is_finished]
    return 0.5 + 0.5 * min(1.0, len(bars) / len(lines) / _FULL_SHARE) if bars else 0.0


def extract(
    document: Document, taken: Collection[int], source: SourceMapping | None = None
) -> Extraction:
    """One row per training run and one per finished epoch.

    Args:
        document: Lines such as `7000/7000 [=====] - 22s 3ms/step - loss: 0.1113` under a heading
            such as `16 ipus`.
        taken: Lines that another format has read.
        source: The mapping of its source; None for a log of no source, of which runs without a
            subject are rows.

    Returns:
        Runs with their training time [s], epochs with epoch_time [s], step_time [ms], loss [1];
        `nan` is a null loss with `loss_is_nan`. An epoch is a row only when everything printed of
        it can be read; else it is in the rejects and `Run.epochs` does not count it. Bars of
        evaluations and predictions are read and give no row.
    """
    lines = [line for line in document.without(set(taken)) if not line.is_blank]
    bars = filter(None, map(read_bar, lines))
    if all(bar.is_progress for bar in bars):
        return Extraction()
    log = _KerasLog(document, source, lines)
    log.rejects.sort(key=lambda row: (row.cell.line, row.cell.start, row.rule))
    refused = {row.cell.line for row in log.rejects}
    log.lines |= dict.fromkeys(refused & log.lines.keys(), _REJECTED)
    extraction = log.extraction([*log.rows, *log.rejects])
    of_epochs = (number for number, role in log.lines.items() if role == _EPOCH)
    extraction.roles |= dict.fromkeys(of_epochs, ("log", "epoch"))
    return extraction
