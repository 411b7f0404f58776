"""Progress logs of Keras to runs and epochs: bars, epoch headers, headings of devices and batch sizes, training times.

The logs of other programs are read in `program_log.py` and `mlperf_training.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pipelines.extract.conditions import fields_of
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs import LineRole, account, rejected
from pipelines.extract.logs.programs import Arguments
from pipelines.extract.mentions import find_mentions
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import said_on, visible
from pipelines.values.durations import parse_clock, parse_duration, unit_seconds
from pipelines.values.numbers import parse_count, parse_number

FORMAT = "training_log"
DESCRIPTION = (
    "Progress logs of Keras trainings: bars, losses and training times under headings of devices and batch sizes."
)
ROWS = (Run, Epoch, Reject)
PRIORITY = 10

# Share of finished bars among the lines from which on a document is nothing but a log.
_FULL_SHARE = 0.2
# Keras redraws a bar over the old one; no line it prints comes near this length, and longer lines cost time to match.
_LONGEST_BAR = 5_000
# No heading of a log is longer; sentences are.
_LONGEST_HEADING = 200
# A wrapped loss is one or two lines below its bar; further down it would be something else.
_WRAPPED_WITHIN = 2

# `7000/7000 [=====] - 22s`, `1875/1875 ━━━━━━━━ 3s`, `1875/1875 - 5s - loss: 0.2`, ` 938/Unknown 5s`
_LEAD = re.compile(
    r"[\s>#|]*(?P<steps>(?P<done>[^\s/\[\]]{1,20})/(?P<total>[^\s/\[\]]{1,20}))"
    r"(?:\s*(?P<drawing>\[[=>.]{3,80}\]|━[━\s]*)|(?<=/Unknown)\s|\s+-\s+(?=(?:\S{0,8}\d\S{0,8}|[A-Za-z])s\s))"
)
# `65ms/step` and `22s` among the times of a bar, `loss: 0.1113` between two dashes
_TIME = re.compile(r"(?P<time>[^\s/]+)(?:/(?P<unit>step|epoch|sample|batch))?(?!\S)")
_FIELD = re.compile(r"(?:(?P<name>[A-Za-z][\w .()/@%-]*):)?(?P<value>.*)")
# The dash between two fields; not the sign of `-0.5` and not the one in `1e-05`
_DASH = re.compile(r"(?<!\S)-(?!\S)")
# `Epoch 2/3`, `Epoch 1 of 10:`
_HEADER = re.compile(
    r"[\s>#*]*+Epoch:?\s++(?P<number>\S{1,12}?)\s*+(?:/|\bof\b)\s*+(?P<planned>\S{1,12}?)\s*+:?\s*+", re.I
)
# `## 8 GPUs`, `**16x H100 (bs=32)**`, `A100 ×4, bs 128`, `1 ipu, batch_size 10`, `bs 128`
_HEADING = re.compile(
    r"[\W_]*+(?:(?:(?P<before>\d+)\s*+(?:[x\u00d7]\s*+)?)?(?!(?:micro\W*+)?(?:batch|bs\b))(?P<device>[a-z][\w.+-]*(?:\s[\w.+-]+){0,3}?)"
    r"(?:\s*+[x\u00d7]\s*+(?P<behind>\d+))?)?(?:\W*+(?:micro\W*+)?\b(?:batch[\s_-]?size|bs)[\s:=]*(?P<batch>\d[\d,]*))?[\W_]*",
    re.IGNORECASE,
)
# `training time: 499.7363388000522`, `Total training time: 1h 2m`, `Elapsed time (s): 12.3`, `Training took 0:01:05`
_TRAINING_TIME = re.compile(
    r"\W*(?:total\s+)?(?:(?:training|elapsed|wall(?:[\s-]?clock)?)\s+time\s*+(?:\((?P<unit>[a-z]{1,12})\)\s*+)?[:=]"
    r"|training\s+took)\s+(?P<value>[^\s(].{0,60}?)\s*+(?:\([^()]{0,80}\))?[\s.]*+",
    re.IGNORECASE,
)
# `Total params: 8,922,155`, ` Trainable params: 4,512,347 (17.21 MB)`; `8 922 155` is one value that cannot be read;
# `Train on 60000 samples, validate on 10000 samples`, `Epoch 00007: early stopping`, `Model: "sequential"`
_STATEMENT = re.compile(
    r"\W*(?:(?P<kind>Total|Trainable|Non-trainable|Optimizer) params:\s*(?P<count>\S+(?:\s\d+)*).*"
    r"|Train on (?P<samples>\d+) samples\b.*|Epoch \d+: (?P<stop>early stopping)\s*|(?P<model>Model): \"[^\"]*\"\s*)",
    re.IGNORECASE,
)

# What a line is; the numerals of an epoch are told apart by their place.
_PROGRESS: LineRole = ("log", "ignored", "log_bar_without_epoch")
_EVALUATION: LineRole = ("log", "unparsed", "log_evaluation")
_HEADER_LINE: LineRole = ("log", "condition", "epoch_number")
_MESSAGE: LineRole = ("log", "ignored", "log_message")
_SUMMARY: LineRole = ("log", "ignored", "model_summary")
_CONDITION: LineRole = ("condition", "condition", "run_condition")
_REJECTED: LineRole = ("log", "unparsed", "rejected")


@dataclass
class Bar:
    """One printed state of a progress bar.

    `lines` are its line and the one below it that a part of it is wrapped to; the name of a field is None for times.
    `place` is the printed time of the epoch, else the steps; of a damaged bar it is what cannot be read.
    """

    lines: list[Line]
    steps: Cell
    total: int | None
    fields: list[tuple[str | None, Cell]]
    place: Cell
    state: Literal["finished", "progress", "damaged"] = "finished"
    reason: str = ""
    counts_samples: bool = False
    epoch_time_s: float | None = None
    step_time_ms: float | None = None
    loss: float | None = None

    @property
    def metrics(self) -> list[str]:
        return [name for name, _ in self.fields if name]

    @property
    def is_validated(self) -> bool:
        # Only `fit` prints metrics of a validation, at the end of an epoch.
        return any(name.startswith("val_") for name in self.metrics)

    def damage(self, place: Cell, reason: str) -> Bar:
        self.state, self.place, self.reason = "damaged", place, reason
        return self


def read_bar(line: Line, following: Line | None = None) -> Bar | None:
    """The progress bar on a line, with what is wrapped to the following one; None where there is none."""
    text = visible(line.text) if 6 <= len(line.text) <= _LONGEST_BAR and "/" in line.text else ""
    lead = _LEAD.match(text)
    if lead is None or not any(map(str.isdigit, lead["steps"])):
        return None
    steps = line.matched(lead, "steps")
    done, total = parse_count(lead["done"]), parse_count(lead["total"])
    bar = Bar([line], steps, total, list(_split_fields(line, lead.end())), steps)
    is_drawn_on = any(sign in (lead["drawing"] or "") for sign in ">.") or "ETA" in bar.metrics
    is_read = done is not None and total and done <= total
    if lead["total"] == "Unknown" or is_drawn_on or (is_read and done != total):
        bar.state = "progress"
        return bar
    if not is_read:
        return bar.damage(steps, f"the steps `{steps.text}` are not two whole numbers")
    if following and following.number - line.number <= _WRAPPED_WITHIN:
        _add_wrapped(bar, following, has_dash=text.rstrip().endswith(" -"))
    times: dict[str, tuple[Cell, float]] = {}
    for name, value in bar.fields:
        if name == "loss" and value.text:
            bar.loss = _parse_loss(value.text)
            if bar.loss is None:
                return bar.damage(value, f"the loss `{value.text}` is not a number")
        for match in _TIME.finditer(value.text) if name is None else ():
            time = value.matched(match, "time")
            if (seconds := _seconds(time.text)) is None:
                return bar.damage(time, f"the time `{time.text}` is not a duration")
            times.setdefault(match["unit"] or "elapsed", (time, seconds))
    if elapsed := times.get("epoch") or times.get("elapsed"):
        bar.place, bar.epoch_time_s = elapsed
    if step := times.get("step") or times.get("batch"):
        bar.step_time_ms = round(step[1] * 1e3, 9)
    bar.counts_samples = "sample" in times
    return bar


def _split_fields(line: Line, start: int = 0) -> Iterator[tuple[str | None, Cell]]:
    text = visible(line.text)
    for end in [*(match.start() for match in _DASH.finditer(text, start)), len(text)]:
        cell = Cell(text[start:end], line.number, start, end).stripped()
        start = end + 1
        if match := _FIELD.fullmatch(cell.text):
            value = cell.matched(match, "value").stripped()
            if match["name"] or value.text:
                yield match["name"], value


def _add_wrapped(bar: Bar, line: Line, *, has_dash: bool) -> None:
    """Adds `0.1113` below a bar that ends with `loss:`, or `loss: 0.1113` below one that ends with a dash."""
    fields = list(_split_fields(line))
    name, value = fields[0] if fields else (None, bar.steps)
    is_number = any(map(str.isdigit, value.text)) or _parse_loss(value.text) is not None
    is_dangling = has_dash if name else bool(bar.fields) and not bar.fields[-1][1].text
    if fields and is_number and is_dangling and " " not in value.text and not read_bar(line):
        if name is None:
            fields[0] = (bar.fields.pop()[0], value)
        bar.fields += fields
        bar.lines.append(line)


def _parse_loss(text: str) -> float | None:
    """A printed loss; `nan` and `inf` as such, None for anything that is no number."""
    if text.lower().lstrip("+-") in ("nan", "inf"):
        return float(text)
    quantity = parse_number(text)
    return quantity.value if quantity else None


def _seconds(text: str) -> float | None:
    quantity = parse_duration(text) or parse_clock(text)
    return quantity.value if quantity and math.isfinite(quantity.value) else None


def _read_training_time(line: Line) -> tuple[Cell, float | None] | None:
    """The printed time of a whole training [s], None where it cannot be read; a number without unit is in seconds."""
    match = _TRAINING_TIME.fullmatch(visible(line.text)) if len(line.text) <= _LONGEST_HEADING else None
    if match is None or not any(map(str.isdigit, match["value"])):
        return None
    cell, unit = line.matched(match, "value"), unit_seconds(match["unit"] or "s")
    number = parse_number(cell.text)
    return cell, (number.value * unit if unit else None) if number else _seconds(cell.text)


class _Heading(NamedTuple):
    """A line that names known devices, or a batch size, and nothing else: `1 ipu, batch_size 10`, `bs 128`."""

    line: Line
    device: str | None = None
    devices: int | None = None
    batch: str | None = None


def _read_heading(line: Line) -> _Heading | None:
    """The heading that a line consists of, or None; one of unknown devices has neither device nor batch size."""
    text = visible(line.text)
    match = _HEADING.fullmatch(text) if text.strip() and len(text) <= _LONGEST_HEADING and "\t" not in text else None
    if match is None or not (match["device"] or match["batch"]):
        return None
    count, device = match["before"] or match["behind"], match["device"]
    # A known platform, or a word for devices, such as `GPUs`, that may follow a count.
    kinds, counted = ("platform", "accelerator_count"), f"2 {device}"
    mentions = find_mentions(counted) if device else ()
    if device and not any(m.kind in kinds and m.start <= 2 and m.end == len(counted) for m in mentions):
        return _Heading(line) if count else None
    return _Heading(line, device, parse_count(count) if count else None, match["batch"])


@dataclass
class _Part:
    """The bars that may end an epoch under one header; the first part of a run may have no header.

    What the header says is None where it cannot be read; `last` is the last bar of any kind.
    """

    header: Line | None = None
    number: int | None = None
    planned: int | None = None
    bars: list[Bar] = field(default_factory=list)
    last: Bar | None = None
    has_progress: bool = False

    def add(self, bar: Bar, *, may_end: bool) -> None:
        """Adds a bar; Keras 3 prints `0s` with all steps done before it prints the time of the epoch."""
        last, self.last = (self.last if self.last in self.bars[-1:] else None), bar
        self.has_progress |= bar.state == "progress"
        if may_end:
            # Without these signs it may be an evaluation with as many steps.
            is_redrawn = self.has_progress or (last and bar.is_validated and not last.is_validated)
            if is_redrawn and last and last.total == bar.total and last.epoch_time_s == 0 and bar.state == "finished":
                self.bars.pop()
            self.bars.append(bar)


def _read_header(line: Line) -> _Part | None:
    match = _HEADER.fullmatch(visible(line.text)) if len(line.text) <= _LONGEST_HEADING else None
    if match is None:
        return None
    number, planned = parse_count(match["number"]), parse_count(match["planned"])
    is_read = number is not None and planned is not None and 1 <= number <= planned
    return _Part(line, number, planned) if is_read else _Part(line)


@dataclass
class _KerasRun:
    """A run while its lines are being read: what is known of it before its first epoch, as columns, and its epochs.

    `start` is the heading that starts it, if any; bars with other `steps` than its first one end no epoch; `time` is
    stated for all of it, with its place, and is None where it cannot be read.
    """

    start: Line | None
    section: dict[str, Any]
    columns: dict[str, Any]
    parts: list[_Part] = field(default_factory=list)
    steps: int | None = None
    time: tuple[Cell, float | None] | None = None

    @property
    def bars(self) -> list[Bar]:
        return [bar for part in self.parts for bar in part.bars]

    @property
    def last(self) -> _Part:
        # Under the last epoch header whose numbers can be read
        return next((part for part in reversed(self.parts) if part.number), _Part())


class _KerasLog:
    """The rows of a log, made while its lines are read.

    A device heading holds for the run below it and for every further run with a batch size of its own (`bs 128`), up to
    the next heading, known or not: a run without any may be under a heading that was lost. So do the arguments of a
    command. Parameters hold until the next model summary, a batch size only for the run that it is stated for.
    """

    def __init__(self, document: Document, lines: Sequence[Line]) -> None:
        self.extraction = Extraction()
        # The last line of a text that has no end, which may lack a part.
        self._cut_line = len(document.lines) if document.is_open_ended else None
        self._lines: dict[int, LineRole] = {}
        self._rejects: list[Reject] = []
        self._run: _KerasRun | None = None
        # The heading of a device above the last run.
        self._section: dict[str, Any] = {}
        self._arguments = Arguments()
        self._device: _Heading | None = None
        # Where the first run below a device states no batch size, one that states it is of another device.
        self._device_states_batch = False
        # Headings and command lines since the last run; those of a command name nothing here.
        self._pending: list[_Heading] = []
        self._parameters: dict[str, int | None] = {}
        # Sizes of data sets: bars of old Keras count samples and say `/step`.
        self._samples: set[int | None] = set()
        # `Model: "sequential"` and the lines below it, up to the counts of parameters.
        self._summary: list[Line] = []
        wrapped: Line | None = None
        for line, following in zip(lines, [*lines[1:], None], strict=True):
            if line is wrapped:
                continue
            if bar := read_bar(line, following):
                wrapped = bar.lines[-1]
                self._add_bar(bar)
            elif part := _read_header(line):
                self._add_header(part, line)
            else:
                self._add_other(line)
        self._close()
        self._rejects.sort(key=lambda row: (row.cell.line, row.cell.start, row.rule))
        self.extraction.rows += self._rejects
        for row in self._rejects:
            if row.cell.line in self._lines:
                self._lines[row.cell.line] = _REJECTED
        account(self.extraction, document, self._lines)

    def _add_bar(self, bar: Bar) -> None:
        self._take(_PROGRESS if bar.state == "progress" else _EVALUATION, *bar.lines)
        # `predict` prints a bar without any metric.
        may_end = bar.state == "damaged" or (bar.state == "finished" and bool(bar.metrics))
        if not may_end and not self._run:
            return
        run = self._run or self._open()
        run.parts = run.parts or [_Part()]
        run.steps = run.steps or (bar.total if may_end else None)
        # A damaged bar of unknown steps keeps its place and its number.
        run.parts[-1].add(bar, may_end=may_end and bar.total in (run.steps, None))
        if bar.state == "damaged":
            self._reject_bar(bar)

    def _add_header(self, part: _Part, line: Line) -> None:
        self._take(_HEADER_LINE, line)
        run, last = self._run, self._run.last if self._run else _Part()
        if part.number is None:
            reason = f"line {line.number} looks like an epoch header, but its numbers cannot be read"
            self._reject(line.cell, "header_unreadable", reason)
        elif run and run.time and (last.number, last.planned) == (part.number - 1, part.planned):
            reason = f"line {run.time[0].line} states a time between two epochs, so it is not that of all"
            self._reject(run.time[0], "training_time_within_run", reason)
            run.time = None
        elif run and (run.time or (last.number and (part.number <= last.number or part.planned != last.planned))):
            self._close()
        (self._run or self._open()).parts.append(part)

    def _add_other(self, line: Line) -> None:
        """Takes a line that is neither a bar nor a header, where it says something."""
        text, run = visible(line.text), self._run
        if time := _read_training_time(line):
            if run and not run.time:
                self._take(_MESSAGE, line)
                cell, seconds = run.time = time
                if seconds is None or line.number == self._cut_line:
                    run.time = cell, None
                    reason = f"the training time `{cell.text}` is not a duration, or it ends the log and may be cut"
                    self._reject(cell, "training_time_unreadable", reason)
        elif match := _STATEMENT.fullmatch(text):
            self._add_statement(line, match)
        elif heading := _read_heading(line):
            self._close()
            if heading.batch is None or heading.device:
                self._end_scope()
                self._device = heading if heading.device else None
            if heading.device or heading.batch:
                self._pending.append(heading)
        elif self._arguments.read(said := said_on(line)):
            self._close(only_after_bars=True)
            self._pending.append(_Heading(line))
        elif said.start and run:
            self._take(_MESSAGE, line)
        elif text.startswith("#"):
            self._end_scope()
        elif self._summary:
            self._summary.append(line)

    def _add_statement(self, line: Line, match: re.Match[str]) -> None:
        if match["samples"] or match["stop"]:
            self._take(_CONDITION if match["samples"] else _MESSAGE, line)
            self._samples.add(parse_count(match["samples"] or ""))
            return
        self._close(only_after_bars=True)
        if match["model"]:
            self._take(_MESSAGE, line)
            self._parameters, self._summary = {}, [line]
            return
        self._take(_SUMMARY, *self._summary, line)
        self._summary = []
        kind, count = match["kind"].lower(), parse_count(match["count"])
        # `Total params` starts a new summary, a line printed twice does not.
        if kind == "total" or self._parameters.get(kind, count) != count:
            self._parameters = {}
        self._parameters[kind] = count
        status: tuple[Status, str] = ("condition", "model_size")
        if kind in ("total", "trainable"):
            status = ("unparsed", "log_line_unread") if count is None else ("extracted", "run_field")
        self._mark(line.matched(match, "count"), *status)

    def _end_scope(self) -> None:
        """A heading ends the device, the batch size and the arguments above it."""
        self._device, self._pending = None, []
        self._arguments.stated.clear()

    def _open(self) -> _KerasRun:
        self._take(_CONDITION, *(heading.line for heading in self._pending))
        headings = [heading for heading in self._pending if heading.device or heading.batch]
        self._pending = []
        sizes = [heading.batch for heading in headings if heading.batch]
        names_device = any(heading.device for heading in headings)
        if names_device:
            self._device_states_batch = bool(sizes)
        device = self._device if names_device or (headings and self._device_states_batch) else None
        self._section = {"section": device.line.cell.text, "section_line": device.line.number} if device else {}
        fields = fields_of({name: each.value for name, each in self._arguments.stated.items()})
        columns = {
            "accelerator_printed": device.device if device else fields["platform_printed"],
            "accelerator_count": device.devices if device else fields["accelerator_count"],
            "model_printed": fields["model_printed"],
            "batch_size": (parse_count(sizes[-1]) if sizes else fields["batch_size"]) or None,
            "total_parameters": self._parameters.get("total"),
            "trainable_parameters": self._parameters.get("trainable"),
        }
        self._run = _KerasRun(headings[0].line if headings else None, self._section, columns)
        return self._run

    def _close(self, *, only_after_bars: bool = False) -> None:
        """Adds the rows of the run."""
        run = self._run
        if run is None or (only_after_bars and not run.bars):
            return
        self._run = None
        headers = [part.header for part in run.parts if part.header]
        finished = [bar for bar in run.bars if bar.state == "finished"]
        if not (run.start or run.time or headers) and run.bars == finished and len(finished) == 1:
            # `evaluate` prints such a bar, too.
            self._reject_without_header(finished[0])
            return
        epochs = self._epochs(run)
        start = run.start or next(iter([*(bar.lines[0] for bar in finished), *headers]), None)
        if start is None:
            return
        cell, seconds = run.time if run.time and run.time[1] is not None else (start.cell, None)
        self.extraction.rows.append(
            Run(
                **run.section,
                **run.columns,
                cell=cell,
                epochs=len(epochs),
                epochs_planned=run.last.planned,
                training_time_s=seconds,
                run_line=start.number,
            )
        )
        for number, bar in epochs:
            counts_samples = bar.counts_samples or bar.total in self._samples
            is_nan = bar.loss is not None and math.isnan(bar.loss)
            self.extraction.rows.append(
                Epoch(
                    **run.section,
                    cell=bar.place,
                    run_line=start.number,
                    epoch=number,
                    steps=None if counts_samples else bar.total,
                    epoch_time_s=bar.epoch_time_s,
                    step_time_ms=None if counts_samples else bar.step_time_ms,
                    loss=None if is_nan else bar.loss,
                    loss_is_nan=is_nan,
                )
            )
            for line in bar.lines:
                del self._lines[line.number]
                self.extraction.lines.add(line.number)
                self.extraction.roles[line.number] = ("log", "epoch")
            # Steps, times and loss are columns of the epoch, other metrics are not.
            self._mark(bar.steps, "condition", "epoch_steps")
            for name, value in bar.fields:
                is_kept = name in (None, "loss")
                rule = "epoch_field" if is_kept else "metric_not_kept"
                self._mark(value, "extracted" if is_kept else "unparsed", rule)

    def _epochs(self, run: _KerasRun) -> list[tuple[int, Bar]]:
        """The epochs of a run with the bar that ends each; bars and headers that fit no epoch become faults.

        A header's number is taken as printed. Bars above the first header end the epochs before it; where no header is
        in the whole run, they are counted from 1.
        """
        following = next((part.number for part in run.parts if part.number), None)
        epochs: list[tuple[int, Bar]] = []
        for part in run.parts:
            skipped, count, first, bars = 0, int(part.number is not None), part.number or 1, part.bars
            if part.header is None:
                count = min(len(bars), following - 1) if following else len(bars)
                skipped, first = len(bars) - count, following - count if following else 1
            elif not bars:
                number = part.header.number
                reason = f"no finished bar with the steps of the other epochs follows the epoch header in line {number}"
                self._reject(part.header.cell, "epoch_without_bar", reason)
            epochs += enumerate(bars[skipped : skipped + count], start=first)
            # Behind the last of the planned epochs are evaluations.
            if part.number is None or part.number != part.planned:
                for bar in bars[:skipped] + bars[skipped + count :]:
                    self._reject_without_header(bar)
        for _, bar in epochs:
            if bar.state == "finished" and bar.lines[-1].number == self._cut_line:
                self._reject_bar(bar.damage(bar.place, "the log ends there, without an end of line: it may be cut"))
            elif bar.state == "finished" and "loss" in bar.metrics and bar.loss is None:
                reason = f"line {bar.lines[0].number} ends at the word loss, and no number follows it"
                self._reject(bar.lines[0].cell, "loss_missing", reason)
        return [(number, bar) for number, bar in epochs if bar.state == "finished"]

    def _reject_bar(self, bar: Bar) -> None:
        self._reject(bar.place, "bar_unreadable", f"the progress bar in line {bar.lines[0].number}: {bar.reason}")

    def _reject_without_header(self, bar: Bar) -> None:
        if bar.state == "finished":
            reason = f"no epoch header tells which epoch the finished bar in line {bar.lines[0].number} ends"
            self._reject(bar.place, "epoch_without_header", reason)

    def _reject(self, cell: Cell, rule: str, reason: str) -> None:
        self._rejects.append(rejected(cell, rule, reason, **self._section))

    def _take(self, role: LineRole, *lines: Line) -> None:
        self._lines.update((line.number, role) for line in lines)

    def _mark(self, cell: Cell, status: Status, rule: str) -> None:
        self.extraction.marks.append(Mark(cell, status, rule))


def recognise(document: Document) -> float:
    """0 without a finished progress bar, 0.5 for one bar in a long text, 1 where every fifth line is a bar."""
    lines = [line for line in document.lines if not line.is_blank]
    bars = sum(1 for line in lines if (bar := read_bar(line)) and bar.state == "finished")
    return 0.5 + 0.5 * min(1.0, bars / len(lines) / _FULL_SHARE) if bars else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One row per training run and one per finished epoch.

    Args:
        document: Lines such as `7000/7000 [=====] - 22s 3ms/step - loss: 0.1113` under a heading such as `16 ipus`.
        taken: Lines that another format has read.

    Returns:
        Runs with their training time [s], epochs with epoch_time [s], step_time [ms], loss [1]; `nan` is a null loss
        with `loss_is_nan`. An epoch is a row only when everything printed of it can be read; else it is in the rejects
        and `Run.epochs` does not count it. Bars of evaluations and predictions are read and give no row.
    """
    lines = [line for line in document.without(set(taken)) if not line.is_blank]
    if not any(bar.state != "progress" for line in lines if (bar := read_bar(line))):
        return Extraction()
    return _KerasLog(document, lines).extraction
