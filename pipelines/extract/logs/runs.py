"""Epochs put together to runs: which bar ends which epoch of which run, under which heading.

What a line says is read in `epochs.py`; rows of Keras runs are made in `extract/training_log.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pipelines.extract.condition_fields import fields_of
from pipelines.extract.logs.epochs import (
    EARLY_STOP,
    MODEL,
    Bar,
    Device,
    EpochHeader,
    EpochLine,
    PrintedValue,
    parse_loss,
    read_bar,
    read_batch_size,
    read_device,
    read_epoch_header,
    read_parameters,
    read_training_time,
    split_fields,
)
from pipelines.extract.logs.programs import Settings, said_on, visible
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.extract.scope import Stated
from pipelines.read.document import Cell, Line


@dataclass(frozen=True, slots=True)
class Fault:
    """Something printed in a log that was not let in, and why."""

    line: Line
    cell: Cell
    rule: str
    reason: str


@dataclass
class Part:
    """What stands under one epoch header; the first part of a run may have none."""

    header: EpochHeader | None
    bars: list[Bar] = field(default_factory=list)
    progress_total: int | None = None
    has_progress: bool = False
    # True while the bar added last is the last bar of any kind, so that the next one may be its final state.
    is_fresh: bool = False
    was_redrawn: bool = False

    @property
    def number(self) -> int | None:
        return self.header.number if self.header else None

    def add_progress(self, bar: Bar) -> None:
        """Notes an unfinished bar: it tells how many steps the epoch under this header has."""
        self.has_progress, self.is_fresh = True, False
        if not self.bars and self.progress_total is None:
            self.progress_total = bar.total

    def add(self, bar: Bar) -> None:
        """Adds a finished bar; Keras 3 prints `0s` with all steps done before it prints the time of the epoch."""
        if self.is_redrawn_by(bar):
            self.bars.pop()
            self.was_redrawn = True
        self.bars.append(bar)
        self.is_fresh = True

    def is_redrawn_by(self, bar: Bar) -> bool:
        """True when a bar is only the final state of the bar before it."""
        before = self.bars[-1] if self.bars and self.is_fresh else None
        if before is None or before.total != bar.total or before.epoch_time_s != 0 or bar.state != "finished":
            return False
        return self.has_progress or (bar.is_validated and not before.is_validated)


@dataclass
class RunDraft:
    """A run while its lines are being read."""

    first_line: Line | None
    device: Device | None
    batch_size: int | None
    total_parameters: int | None = None
    trainable_parameters: int | None = None
    parts: list[Part] = field(default_factory=list)
    samples: set[int] = field(default_factory=set)
    training_time: PrintedValue | None = None
    is_ended: bool = False
    # Whether a batch size is printed for it, readable or not.
    states_batch: bool = False
    # Its first lines stand among joined ones, so that its first bar need not be its first epoch.
    is_torn: bool = False
    # Bars after the last epoch, of an evaluation.
    after: list[Bar] = field(default_factory=list)
    # What command lines and settings above it say, by dimension.
    stated: Mapping[str, Stated] = field(default_factory=dict)

    @property
    def last_number(self) -> int:
        """Number of the last epoch header read, 0 before the first."""
        return next((part.number for part in reversed(self.parts) if part.number), 0)

    @property
    def epochs_planned(self) -> int | None:
        """Epochs planned as the last epoch header says."""
        return next((part.header.planned for part in reversed(self.parts) if part.header and part.header.planned), None)

    @property
    def is_complete(self) -> bool:
        """True when its time is stated, it stopped early, or the last of the planned epochs has its bar."""
        last = self.parts[-1] if self.parts else None
        return self.is_ended or bool(
            last and last.bars and last.number and last.number == self.epochs_planned and self.ends([last])[0]
        )

    def ends(self, parts: list[Part]) -> list[list[Bar]]:
        """For each part the bars that may end its epoch: those with the steps of the run, and no predictions.

        A damaged bar of unknown steps is among them: it keeps its place, so that no other bar takes its number.
        """
        has_metrics = any(bar.metrics for part in self.parts for bar in part.bars)
        steps = self.steps
        return [
            [
                bar
                for bar in part.bars
                if bar.may_end_epoch
                and (bar.state == "damaged" or bar.metrics or not has_metrics or self.is_cut_off(part, bar))
                and (bar.total == steps or (bar.state == "damaged" and bar.total is None))
                and not self._is_cut(part, bar)
            ]
            for part in parts
        ]

    def is_cut_off(self, part: Part, bar: Bar) -> bool:
        """True for a first bar below its header that shows no metrics while others do: predictions come later."""
        return (
            part.header is not None
            and part.bars[0] is bar
            and bar.state == "finished"
            and not bar.metrics
            and any(other.metrics for each in self.parts for other in each.bars)
        )

    def _is_cut(self, part: Part, bar: Bar) -> bool:
        """True for a `0s` bar that the log ends at, where the other epochs were redrawn with their time after it."""
        if bar.epoch_time_s != 0 or part.was_redrawn:
            return False
        others = [other for other in self.parts if other is not part]
        is_validated = any(other.is_validated for part in others for other in part.bars)
        return any(other.was_redrawn for other in others) or (is_validated and not bar.is_validated)

    @property
    def steps(self) -> int | None:
        """Steps of an epoch of this run: one `fit` has one number of steps, an evaluation beside it has another."""
        seen = [part.progress_total for part in self.parts if part.progress_total]
        seen = seen or [bar.total for part in self.parts for bar in part.bars if bar.is_validated and bar.total]
        if not seen:
            has_metrics = any(bar.metrics for part in self.parts for bar in part.bars)
            groups = [
                [
                    b.total
                    for b in part.bars
                    if b.may_end_epoch and (b.state == "damaged" or b.metrics or not has_metrics)
                ]
                for part in self.parts
            ]
            evaluations = {total for totals in groups for total in totals if total != totals[0]}
            firsts = [totals[0] for totals in groups if totals and totals[0] is not None]
            seen = [total for total in firsts if total not in evaluations] or firsts
        return Counter(seen).most_common(1)[0][0] if seen else None


def number_epochs(run: RunDraft) -> tuple[list[tuple[int, Bar]], list[Fault]]:
    """The epochs of a run with the bar that ends each, and the bars and headers that fit no epoch.

    A header's number is taken as printed. Without its header a bar has a number only where the next header gives it
    (the bar before `Epoch 3/3` ends epoch 2), or where the run has no headers at all.
    """
    numbers = _deduce_headers([part.number for part in run.parts if part.header])
    parts = list(zip(run.parts, run.ends(run.parts), strict=True))
    epochs: list[tuple[int, Bar]] = []
    faults: list[Fault] = []
    cut_off = [bar for part, ends in parts for bar in ends if run.is_cut_off(part, bar)]
    faults += map(_without_metrics, cut_off)
    if run.parts and run.parts[0].header is None:
        _, ends = parts.pop(0)
        first_number = 1 if run.is_torn else len(ends) + 1
        next_number = (numbers[0] or 1) if numbers else first_number
        count = min(len(ends), next_number - 1)
        epochs += zip(range(next_number - count, next_number), ends[len(ends) - count :], strict=True)
        faults += map(_without_header, ends[: len(ends) - count])
    for index, ((part, ends), number) in enumerate(zip(parts, numbers, strict=True)):
        following = numbers[index + 1] if index + 1 < len(numbers) else None
        if number is None:
            faults += map(_without_header, ends)
            continue
        if not ends and part.header:
            faults.append(_without_bar(part.header, part, run))
        count = len(ends) if following and len(ends) == following - number else min(1, len(ends))
        epochs += zip(range(number, number + count), ends[:count], strict=True)
        faults += map(_without_header, ends[count:])
    # A damaged bar is a fault of its own already.
    damaged = {bar.line.number for part in run.parts for bar in part.bars if bar.state == "damaged" or bar in cut_off}
    faults = [f for f in faults if f.rule != "epoch_without_header" or f.line.number not in damaged]
    return [(number, bar) for number, bar in epochs if bar.state == "finished" and bar not in cut_off], faults


def _deduce_headers(numbers: list[int | None]) -> list[int | None]:
    """The numbers of headers, those that cannot be read counted back from the next one that can."""
    deduced = list(numbers)
    for index in range(len(deduced) - 2, -1, -1):
        following = deduced[index + 1]
        if deduced[index] is not None or following is None:
            continue
        before = next((number for number in reversed(numbers[:index]) if number), 0)
        if following - 1 > before:
            deduced[index] = following - 1
    return deduced


def damaged_bars(bars: Iterable[Bar]) -> Iterator[Fault]:
    """A fault for every bar that cannot be read."""
    for bar in bars:
        if bar.state == "damaged":
            reason = f"line {bar.line.number} looks like a progress bar, but {bar.reason}"
            yield Fault(bar.line, bar.place, "bar_unreadable", reason)


def _without_header(bar: Bar) -> Fault:
    reason = (
        f"the finished bar in line {bar.line.number} stands under no epoch header of its own, "
        "and the next header does not say which epoch it ends"
    )
    return Fault(bar.line, bar.place, "epoch_without_header", reason)


def _without_metrics(bar: Bar) -> Fault:
    reason = f"the bar in line {bar.line.number} shows no loss, as those of other epochs do: it may be cut"
    return Fault(bar.line, bar.place, "bar_unreadable", reason)


def _without_bar(header: EpochHeader, part: Part, run: RunDraft) -> Fault:
    reason = f"no finished bar follows the epoch header in line {header.line.number}"
    if part.has_progress:
        reason += ", only unfinished ones"
    elif part.bars and run.steps:
        reason += f" with the {run.steps} steps of the other epochs"
    return Fault(header.line, header.line.cell, "epoch_without_bar", reason)


class Conditions:
    """What was printed since the last run, and what still holds from before.

    A device heading holds for the run below it and for every further run with a heading of its own (`bs 128`): a run
    without any may stand under a heading that was lost. The parameters hold until the next model summary, a batch size
    only for the run that it is stated for.

    Attributes:
        start: The heading or batch size line that starts the next run, or None.
        lines: Lines of headings above the next run; they belong to the log only when a run follows.
        faults: What of these lines could not be read.
        parameter_faults: What of the model summaries could not be read.
    """

    def __init__(self) -> None:
        self.start: Line | None = None
        self.lines: list[Line] = []
        self.faults: list[Fault] = []
        self.parameter_faults: list[Fault] = []
        self._device: Device | None = None
        self._batch_size: int | None = None
        self._states_batch = False
        self._parameters: dict[str, int | None] = {}
        self._samples: set[int] = set()

    def state_device(self, device: Device) -> None:
        """Takes a device heading: nothing stated before it but the model still holds."""
        self._device, self.start, self._batch_size, self._states_batch = device, device.line, None, False
        self.lines, self.faults, self._samples = [device.line], [], set()
        if device.name is None:
            reason = f"the number of devices in line {device.line.number} cannot be read"
            self.faults.append(Fault(device.line, device.line.cell, "heading_unreadable", reason))
        if device.batch_size:
            self._state_batch_size(device.line, device.batch_size)

    def forget_device(self) -> None:
        """Forgets the heading: what stands in a line that cannot be read may be another one."""
        self._device, self.start, self._batch_size, self._states_batch = None, None, None, False
        self.lines, self.faults, self._samples = [], [], set()

    def state_batch_size(self, line: Line, stated: PrintedValue) -> None:
        """Takes a line that states the batch size of the next run."""
        self.start = self.start or line
        self.lines.append(line)
        self._state_batch_size(line, stated)

    def state_samples(self, samples: int) -> None:
        """Takes the number of samples that bars of the next run count."""
        self._samples.add(samples)

    def state_parameters(self, line: Line, kind: str, cell: Cell, count: int | None) -> None:
        """Takes a line of a model summary; `Total params` starts a new one, a line printed twice does not."""
        is_repeated = kind != "total" and count is not None and self._parameters.get(kind) == count
        if kind == "total" or (kind in self._parameters and not is_repeated):
            self._parameters = {}
        self._parameters[kind] = count
        if count is None:
            reason = f"the number of parameters `{cell.text}` in line {line.number} is not a whole number"
            self.parameter_faults.append(Fault(line, cell, "parameters_unreadable", reason))

    def forget_model(self) -> None:
        """Starts a new model summary."""
        self._parameters = {}

    def start_run(self, parts: list[Part]) -> RunDraft:
        """A run under these conditions; the next one starts without a batch size and a heading of its own."""
        run = RunDraft(
            self.start,
            self._device if self.start else None,
            self._batch_size,
            self._parameters.get("total"),
            self._parameters.get("trainable"),
            parts,
            self._samples,
            states_batch=self._states_batch,
        )
        self.start, self._batch_size, self._states_batch, self._samples = None, None, False, set()
        self.lines, self.faults = [], []
        return run

    def _state_batch_size(self, line: Line, stated: PrintedValue) -> None:
        self._batch_size = int(stated.value) if stated.value is not None else None
        self._states_batch = True
        if stated.value is None:
            reason = f"the batch size `{stated.cell.text}` in line {line.number} is not a whole number"
            self.faults.append(Fault(line, stated.cell, "batch_size_unreadable", reason))


# ` ``` ` between two runs
_FENCE = re.compile(r"`{3,}\w*|~{3,}")


def is_joined(line: Line) -> bool:
    """True where a part between tabs is a bar, a header, a time or a count, or where all parts are lines of a log."""
    if "\t" not in line.text.strip():
        return False
    parts = [Line(line.number, part) for part in line.text.split("\t")]
    if any(read_bar(p) or read_epoch_header(p) or read_training_time(p) or read_parameters(p) for p in parts):
        return True
    parts = [part for part in parts if not part.is_blank and not _FENCE.fullmatch(part.text.strip())]
    # `A100 GPU` alone, without a count, may be a cell of a table.
    counted = [bool(read_batch_size(p)) or bool((device := read_device(p)) and device.count) for p in parts]
    return any(counted) and all(counted)


# A wrapped loss stands one or two lines below its bar; further down it would be something else.
_WRAPPED_WITHIN = 2


def with_wrapped_loss(bar: Bar, lines: Sequence[Line], index: int) -> tuple[Bar, int]:
    """The bar of line `index` with the loss that stands below it, and how many lines it takes."""
    if bar.state != "finished" or bar.loss is not None or index + 1 == len(lines):
        return bar, 1
    line = lines[index + 1]
    if line.number - bar.line.number > _WRAPPED_WITHIN:
        return bar, 1
    fields = list(split_fields(line))
    if "loss" in bar.metrics:
        value = fields[0].value if fields and fields[0].name is None else None
        names = bar.metrics
    elif visible(line.text).lstrip().startswith("- ") or visible(bar.line.text).rstrip().endswith(" -"):
        value = next((field.value for field in fields if field.name == "loss"), None)
        names = (*bar.metrics, *(field.name for field in fields if field.name))
    else:
        return bar, 1
    if value is None or " " in value.text:
        return bar, 1
    loss = parse_loss(value.text)
    if loss is not None:
        return replace(bar, loss=loss, metrics=names), 2
    if any(character.isdigit() for character in value.text) and read_bar(line) is None:
        reason = f"the loss `{value.text}` in line {line.number} is not a number"
        return replace(bar, state="damaged", place=value, reason=reason), 2
    return bar, 1


def forget_foreign_devices(runs: Sequence[RunDraft]) -> Iterator[Fault]:
    """Takes the device from runs that may not have been made on it; one fault for each, and for runs without heading.

    A device holds for further runs that state a batch size. Not where the first run below the heading stated none: its
    log prints no batch sizes, and the one below is of another device. Nor where a batch size comes again with another
    number of steps: the same samples in as many steps fewer are those of more devices.
    """
    device: Device | None = None
    first_states_batch, is_known, has_heading = False, True, False
    steps_of: dict[int, int | None] = {}
    for run in runs:
        if run.device and run.device is not device:
            device, is_known, steps_of = run.device, True, {}
            first_states_batch = run.states_batch
        elif run.device:
            steps = steps_of.get(run.batch_size or 0)
            is_known = is_known and first_states_batch and (steps is None or run.steps in (None, steps))
            if not is_known:
                yield _fault(run, f"the heading in line {run.device.line.number} seems to be of other runs")
                run.device = None
        elif run.first_line is None and has_heading and not run.is_torn:
            yield _fault(run, "no heading stands above the run, as above the others")
        if run.batch_size:
            steps_of.setdefault(run.batch_size, run.steps)
        has_heading = has_heading or run.first_line is not None


def _fault(run: RunDraft, reason: str) -> Fault:
    bars = [bar.line for part in run.parts for bar in part.bars]
    headers = [part.header.line for part in run.parts if part.header]
    line = next(iter([*([run.first_line] if run.first_line else []), *bars, *headers]))
    cell = run.training_time.cell if run.training_time else line.cell
    return Fault(line, cell, "heading_lost", f"{reason}; the run was stored without its device")


_NUMBER = re.compile(r"\d+\.\d+|\d+")
# `54.37938559206668`: no second run takes a time with the same so many digits
_LONG_TIME = 12


def repeated_runs(runs: Iterable[RunDraft]) -> Iterator[tuple[RunDraft, list[Fault]]]:
    """The runs that repeat an earlier one below another heading, each with what of it was not let in."""
    seen: dict[str, RunDraft] = {}
    for run in runs:
        time = _long_time(run)
        if time is None:
            continue
        first = seen.setdefault(time, run)
        if _differ(first, run):
            yield run, list(_faults(run, first))


def _long_time(run: RunDraft) -> str | None:
    text = run.training_time.cell.text if run.training_time else ""
    digits = text.replace(".", "").strip("0")
    return text if _NUMBER.fullmatch(text) and len(digits) >= _LONG_TIME else None


def _differ(first: RunDraft, run: RunDraft) -> bool:
    """Whether two runs state different devices or batch sizes; what only one of them states is no difference."""
    devices = [(draft.device.name, draft.device.count) for draft in (first, run) if draft.device]
    sizes = {draft.batch_size for draft in (first, run) if draft.batch_size}
    return len(set(devices)) > 1 or len(sizes) > 1


def _faults(run: RunDraft, first: RunDraft) -> Iterator[Fault]:
    where = f", which begins in line {first.first_line.number}" if first.first_line else ""
    reason = f"the run repeats the numbers of an earlier one{where}, below another heading"
    for part in run.parts:
        yield from (Fault(bar.line, bar.place, "run_repeated", reason) for bar in part.bars)
    if run.training_time and run.first_line:
        yield Fault(run.first_line, run.training_time.cell, "run_repeated", reason)


# `Train on 60000 samples, validate on 10000 samples`: the bars of old Keras count samples and say `/step`
_SAMPLES = re.compile(r"\s*Train on (?P<samples>\d+) samples\b.*")
# `2024-05-01 12:00:00.123456: I tensorflow/core/...`, `I0000 00:00:17 ...`, `WARNING:tensorflow:...`, `INFO ...`,
# `Epoch 3: val_loss improved from 0.35 to 0.31, saving model to best.keras`, `Restoring model weights from ...`
_NOISE = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*\s+\[?[IWEFDA-Z]+\b.*|[IWEF]\d{4} \d\d:.*"
    r"|(?:INFO|WARNING|ERROR|DEBUG)\b.*|Epoch \d+: \w.*|Restoring model weights.*)"
)
# Lines that say nothing by themselves and belong to the log where they stand at it: a code fence, `Training`, titles
_FRAME = re.compile(r"\s*(?:`{3,}\w*|~{3,}|Training|Model|(?:IPU|GPU|TPU|HPU)s)\s*")


class LogReader:
    """The runs of a log, in order.

    Attributes:
        runs: Finished runs.
        faults: What was not let in, without the bars and headers that `number_epochs` finds.
        read: Numbers of the lines read.
        has_bars: True once a finished or damaged progress bar was seen; without one the document is no log.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.runs: list[RunDraft] = []
        self.faults: list[Fault] = []
        self.read: set[int] = set()
        self.has_bars = False
        self._lines = [line for line in lines if not line.is_blank]
        self._run: RunDraft | None = None
        # Bars after a complete run: an evaluation, unless the next header says that they were epochs of a new run.
        self._loose = Part(None)
        self._conditions = Conditions()
        self._settings = Settings()
        # Lines from `Model: "..."` on, which are its summary when the parameter counts follow.
        self._summary: list[Line] = []
        # True behind joined lines, until a heading starts another run.
        self._is_torn = False

    def walk(self) -> None:
        """Reads all lines."""
        index = 0
        while index < len(self._lines):
            line = self._lines[index]
            bar = header = None
            following = 1
            if is_joined(line):
                self._add_joined(line)
            elif bar := read_bar(line):
                self._summary = []
                bar, following = with_wrapped_loss(bar, self._lines, index)
                self._take(*self._lines[index : index + following])
                self._add_bar(bar)
            elif header := read_epoch_header(line):
                self._take(line)
                self._add_header(header)
            elif stated := read_training_time(line):
                self._add_time(line, stated)
            elif parameters := read_parameters(line):
                self._take(line, *self._summary)
                self._summary = []
                self._close_after_bars()
                self._conditions.state_parameters(line, *parameters)
            elif MODEL.fullmatch(line.text):
                self._take(line)
                self._close_after_bars()
                self._conditions.forget_model()
                self._summary = [line]
            elif self._run and not self._run.is_complete and _NOISE.fullmatch(line.text):
                self._add_other(line)
            elif device := read_device(line):
                self._close()
                self._conditions.state_device(device)
                self._is_torn = False
            elif batch_size := read_batch_size(line):
                self._close()
                self._conditions.state_batch_size(line, batch_size)
                self._is_torn = False
            else:
                self._add_other(line)
            # `Model: "sequential"` is a name that Keras gives.
            if not bar and not header and not MODEL.fullmatch(line.text):
                self._settings.read(said_on(line))
            if self._summary:
                self._summary.append(line)
            index += following
        self._close()
        self.faults += self._conditions.parameter_faults
        self._take_frame()

    def _add_joined(self, line: Line) -> None:
        """Ends the run at lines that were joined into one: what of it stands in them is not known."""
        self._close()
        self._conditions.forget_device()
        self._summary, self._is_torn = [], True
        self._take(line)
        reason = f"line {line.number} holds several lines of the log, joined by tabs"
        self._fault(line, line.cell, "lines_joined", reason)

    def _add_bar(self, bar: Bar) -> None:
        run = self._run
        if bar.state == "progress":
            part = self._loose if run is None or run.is_complete else run.parts[-1]
            part.add_progress(bar)
            return
        self.has_bars = True
        if run is None:
            # `predict` prints a bar without any metric; only a header makes that an epoch.
            if bar.state == "finished" and not bar.metrics:
                if self._conditions.start is not None:
                    reason = f"the first bar below a heading, in line {bar.line.number}, shows no loss: it may be cut"
                    self._fault(bar.line, bar.place, "bar_unreadable", reason)
                    self._is_torn = True
                return
            run = self._open([self._loose])
        if run.is_complete and not run.parts[-1].is_redrawn_by(bar):
            self._loose.add(bar)
        else:
            run.parts[-1].add(bar)

    def _add_header(self, header: EpochHeader) -> None:
        run, number = self._run, header.number
        if number is None:
            reason = f"line {header.line.number} looks like an epoch header, but its numbers cannot be read"
            self._fault(header.line, header.line.cell, "header_unreadable", reason)
        if run is not None and run.is_complete:
            if number is not None and number == run.last_number + 1 and self._goes_on(run, header):
                run.parts[-1].bars += self._loose.bars
                self._loose = Part(None)
            else:
                count = (number or 1) - 1
                first = Part(None, self._loose.bars[-count:] if count else [])
                self._loose.bars = self._loose.bars[: len(self._loose.bars) - len(first.bars)]
                self._close()
                run = self._open([first] if first.bars else [])
        elif run is not None and number is not None and number <= run.last_number:
            self._close()
            run = None
        if run is None:
            run = self._open([])
        run.parts.append(Part(header))

    def _goes_on(self, run: RunDraft, header: EpochHeader) -> bool:
        """Whether a header continues a run that seemed complete; a time stated within a run is not its total."""
        if run.training_time is None:
            run.is_ended = False
            return True
        if header.planned != run.epochs_planned:
            return False
        cell = run.training_time.cell
        line = next(line for line in self._lines if line.number == cell.line)
        reason = f"line {cell.line} states a time between two epochs of one run, so it is not the time of the training"
        self._fault(line, cell, "training_time_within_run", reason)
        run.training_time, run.is_ended = None, False
        return True

    def _add_time(self, line: Line, stated: PrintedValue) -> None:
        run = self._run
        if run is not None and run.is_ended and run.training_time is not None:
            bars = [bar for bar in self._loose.bars if bar.metrics]
            if not bars or any(bar.total != run.steps for bar in bars):
                return
            loose, self._loose = self._loose, Part(None)
            self._close()
            run = self._open([loose])
        if run is None:
            if self._conditions.start is not None and self.has_bars:
                reason = f"no epoch stands between the heading and the training time in line {line.number}"
                self._take(line)
                self._fault(line, stated.cell, "training_time_without_run", reason)
            return
        self._take(line)
        run.is_ended = True
        if stated.value is None:
            reason = f"the training time `{stated.cell.text}` in line {line.number} is not a duration"
            self._fault(line, stated.cell, "training_time_unreadable", reason)
        else:
            run.training_time = stated

    def _add_other(self, line: Line) -> None:
        run = self._run
        if run is not None and EARLY_STOP.fullmatch(line.text):
            run.is_ended = True
            self._take(line)
        elif match := _SAMPLES.fullmatch(line.text):
            self._take(line)
            if run is None or run.is_complete:
                self._conditions.state_samples(int(match["samples"]))
            else:
                run.samples.add(int(match["samples"]))
        elif run is not None and _NOISE.fullmatch(line.text):
            self._take(line)

    def _open(self, parts: list[Part]) -> RunDraft:
        self._take(*self._conditions.lines)
        self.faults += self._conditions.faults
        self._run, self._loose = self._conditions.start_run(parts), Part(None)
        self._run.is_torn, self._is_torn = self._is_torn, False
        self._run.stated = self._settings.stated("training")
        return self._run

    def _close(self) -> None:
        """Ends the run; loose bars after it were an evaluation."""
        if self._run is not None:
            self._run.after = self._loose.bars
            self.runs.append(self._run)
            self._run, self._loose = None, Part(None)

    def _close_after_bars(self) -> None:
        if self._run is not None and any(part.bars for part in self._run.parts):
            self._close()

    def _take(self, *lines: Line) -> None:
        self.read.update(line.number for line in lines)

    def _take_frame(self) -> None:
        """Takes code fences and titles that stand at lines already read, from these outwards."""
        for lines in (self._lines, self._lines[::-1]):
            for line, neighbour in zip(lines[1:], lines, strict=False):
                if neighbour.number in self.read and _FRAME.fullmatch(line.text):
                    self.read.add(line.number)

    def _fault(self, line: Line, cell: Cell, rule: str, reason: str) -> None:
        self.faults.append(Fault(line, cell, rule, reason))


# From one epoch to the next a clock that was never set back goes on by about the time of the first epoch.
_LEAST_STEP = 0.5


@dataclass
class Training:
    """A run while its lines are being read.

    Attributes:
        stated: What the log says of how it is run, by dimension.
        has_zero: True where some line before names an epoch 0.
        epochs: Its epochs, in order; of a bar that was drawn again the last state.
        time: The time that the log states for all of it, and its line.
    """

    stated: Mapping[str, Stated]
    has_zero: bool = False
    epochs: list[EpochLine] = field(default_factory=list)
    time: tuple[Line, PrintedValue] | None = None

    def takes(self, epoch: EpochLine) -> bool:
        """Whether an epoch is of this run: its number follows, or its bar is drawn once more."""
        if self.time is not None:
            return False
        last = next((each.number for each in reversed(self.epochs) if each.number is not None), None)
        if last is None or epoch.number is None or epoch.number > last:
            return True
        return epoch.number == last and epoch.steps is not None and epoch.steps == self.epochs[-1].steps

    def add(self, epoch: EpochLine) -> None:
        """Adds an epoch."""
        if self.epochs and epoch.number is not None and self.epochs[-1].number == epoch.number:
            self.epochs.pop()
        self.epochs.append(epoch)

    def rows(self) -> Iterator[Run | Epoch | Reject]:
        """The run, its epochs, and what of them was not let in."""
        rejects = list(self._rejects())
        refused = {row.cell.line for row in rejects}
        kept = [epoch for epoch in self.epochs if epoch.line.number not in refused]
        first, fields = self.epochs[0].line, fields_of(self.stated)
        planned = [epoch.planned for epoch in self.epochs if epoch.planned]
        stated = self.time[1] if self.time else None
        yield Run(
            cell=stated.cell if stated and stated.value is not None else first.cell,
            accelerator_printed=fields["platform_printed"],
            accelerator_count=fields["accelerator_count"],
            batch_size=fields["batch_size"],
            model_printed=fields["model_printed"],
            epochs=len(kept),
            epochs_planned=max(planned, default=None),
            training_time_s=stated.value if stated else None,
            run_line=first.number,
        )
        shift = 1 if self._counts_from() == 0 else 0
        for epoch in kept:
            assert epoch.number is not None
            is_nan = epoch.loss is not None and math.isnan(epoch.loss)
            yield Epoch(
                cell=epoch.place,
                run_line=first.number,
                epoch=epoch.number + shift,
                steps=epoch.steps,
                epoch_time_s=epoch.seconds,
                loss=None if is_nan else epoch.loss,
                loss_is_nan=is_nan,
            )
        yield from rejects

    def _rejects(self) -> Iterator[Reject]:
        if self.time and self.time[1].value is None:
            line, stated = self.time
            reason = f"the training time `{stated.cell.text}` in line {line.number} is not a duration"
            yield _refused(line, stated.cell, "training_time_unreadable", reason)
        if self._goes_on():
            reason = "from epoch to epoch the printed times add up: they may be counted from the start of the training"
            for epoch in self.epochs:
                yield _refused(epoch.line, epoch.place, "epoch_time_ambiguous", reason)
            return
        for epoch in self.epochs:
            if epoch.reason:
                yield _refused(
                    epoch.line, epoch.place, "epoch_unreadable", f"{epoch.reason} (line {epoch.line.number})"
                )
            elif self._counts_from() is None:
                reason = (
                    "whether the epochs are counted from 0 or from 1 cannot be told from the epochs that are printed"
                )
                yield _refused(epoch.line, epoch.place, "epoch_unreadable", reason)

    def _counts_from(self) -> int | None:
        """0 or 1, or None where neither an epoch 0 or 1 nor the last of the planned ones is printed."""
        known = {epoch.counts_from for epoch in self.epochs} - {None}
        if known:
            return known.pop()
        numbers = [epoch.number for epoch in self.epochs if epoch.number is not None]
        if 0 in numbers or self.has_zero:
            return 0
        is_from_one = min(numbers, default=0) == 1 or any(e.planned and e.number == e.planned for e in self.epochs)
        return 1 if is_from_one else None

    def _goes_on(self) -> bool:
        """Whether the times look like those of a clock that was never set back."""
        times = [epoch.seconds for epoch in self.epochs if epoch.seconds is not None]
        if len(times) < 2 or any(epoch.steps or epoch.counts_from == 0 for epoch in self.epochs):
            # A bar begins anew with each epoch, and these programs say that it is the time of the epoch.
            return False
        steps = pairwise(times)
        return times[0] > 0 and all(after - before >= _LEAST_STEP * times[0] for before, after in steps)


class Trainings:
    """The runs of a log that prints the time of its epochs."""

    def __init__(self) -> None:
        self.runs: list[Training] = []
        # An epoch 0 was named, and the run that it is of is not there yet.
        self.sees_zero = False

    def add_epoch(self, epoch: EpochLine, stated: Mapping[str, Stated]) -> None:
        """Adds an epoch to the run it is of, or to a new one."""
        if not self.runs or not self.runs[-1].takes(epoch):
            self.runs.append(Training(dict(stated), self.sees_zero))
            self.sees_zero = False
        self.runs[-1].add(epoch)

    def add_time(self, line: Line, stated: PrintedValue) -> bool:
        """States the time of the run above; False where none is there that has no time yet."""
        if not self.runs or self.runs[-1].time is not None:
            return False
        self.runs[-1].time = line, stated
        return True


def _refused(line: Line, cell: Cell, rule: str, reason: str) -> Reject:
    row = {"line": line.number, "text": line.text}
    return Reject(cell=cell, rule=rule, reason=reason, row_json=json.dumps(row, ensure_ascii=False))
