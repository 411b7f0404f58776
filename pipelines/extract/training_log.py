"""Progress logs of Keras to runs and epochs: bars, epoch headers, headings of devices and batch
sizes, training times.

The logs of other programs are read in `program_log.py` and `mlperf_training.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.extract.conditions import fields_of
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.logs import LineRole, LogReading
from pipelines.extract.mentions import find_mentions
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import said_on, visible
from pipelines.values.durations import parse_clock, parse_duration, unit_seconds
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
# Keras redraws a bar over the old one; no line it prints comes near this length, and longer lines
# cost time to match.
_LONGEST_BAR = 5_000
# No heading of a log is longer; sentences are.
_LONGEST_HEADING = 200
# A wrapped loss is one or two lines below its bar; further down it would be something else.
_WRAPPED_WITHIN = 2

# `7000/7000 [=====] - 22s`, `1875/1875 ━━━━━━━━ 3s`, `1875/1875 - 5s - loss: 0.2`,
# ` 938/Unknown 5s`; the group `head` is the
# head of a bar in progress: `[==>...]`
_LEAD = re.compile(
    r"[\s>#|]*(?P<steps>(?P<done>[^\s/\[\]]{1,20})/(?P<total>[^\s/\[\]]{1,20}))"
    r"(?:\s*(?:\[(?=.{3,80}\])=*(?P<head>[>.][=>.]*)?\]|━[━\s]*)|(?<=/Unknown)\s|\s+-\s+(?=(?:\S{0,8}\d\S{0,8}|[A-Za-z])s\s))"
)
_WORD = re.compile(r"\S+")
# `0.1113` below a bar that ends with `loss:`, `loss: 0.1113` below one that ends with a dash
_WRAPPED = re.compile(
    r"(?i)\s*(?P<name>[A-Za-z]\w*:\s)?(?:[-+]?(?:nan|inf)|\S*\d\S*)(?:\s-\s.*|\s*)"
)
# `## 8 GPUs`, `**16x H100 (bs=32)**`, `A100 ×4, bs 128`, `1 ipu, batch_size 10`, `bs 128`
_HEADING = re.compile(
    r"(?i)(?!.*\t)[\W_]*+(?:(?:(?P<before>\d+)\s*+(?:[x\u00d7]\s*+)?)?(?!(?:micro\W*+)?(?:batch|bs\b))(?P<device>[a-z][\w.+-]*(?:\s[\w.+-]+){0,3}?)"
    r"(?:\s*+[x\u00d7]\s*+(?P<behind>\d+))?)?(?:\W*+(?:micro\W*+)?\b(?:batch[\s_-]?size|bs)[\s:=]*(?P<batch>\d[\d,]*))?[\W_]*"
)
# `Epoch 2/3`, `Epoch 1 of 10:`; `training time: 499.7363388000522`, `Total training time: 1h 2m`,
# `Elapsed time (s): 12.3`, `Training took 0:01:05`; `Total params: 8,922,155`,
# ` Trainable params: 4,512,347 (17.21 MB)` (`8 922 155` is one value);
# `Train on 60000 samples, validate on 10000 samples`, `Epoch 00007: early stopping`
_STATEMENT = re.compile(
    r"(?i)\W*+(?:Epoch:?\s++(?P<epoch>\d{1,9})\s*+(?:/|\bof\b)\s*+(?P<planned>\d{1,9})\s*+:?"
    r"|(?:(?:total\s+)?(?:training|elapsed|wall(?:[\s-]?clock)?)\s+time\s*+(?:\((?P<unit>[a-z]{1,12})\)\s*+)?[:=]"
    r"|training\s+took)\s+(?P<time>[^\s(].{0,60}?)\s*+(?:\([^()]{0,80}\))?[\s.]*+"
    r"|(?P<kind>Total|Trainable|Non-trainable|Optimizer) params:\s*(?P<count>\S+(?:\s\d+)*).*"
    r"|Train on (?P<samples>\d+) samples\b.*|Epoch \d+: early stopping|(?P<model>Model): \"[^\"]*\")\s*"
)

# Roles of lines, and the statuses of their other numerals
_EPOCH: LineRole = ("log", "unparsed", "metric_not_kept")
_PROGRESS: LineRole = ("log", "ignored", "log_bar_without_epoch")
_EVALUATION: LineRole = ("log", "unparsed", "log_evaluation")
_HEADER: LineRole = ("log", "condition", "epoch_number")
_MESSAGE: LineRole = ("log", "ignored", "log_message")
_SUMMARY: LineRole = ("log", "ignored", "model_summary")
_CONDITION: LineRole = ("condition", "condition", "run_condition")
_REJECTED: LineRole = ("log", "unparsed", "rejected")


@dataclass
class Bar:
    """One printed state of a progress bar, finished unless it `is_progress` or has a `fault`.

    `lines` are its line and the one below it that a part of it is wrapped to. `place` is the
    printed time of the epoch, else the steps; of a damaged bar it is what cannot be read. `times`
    [s] are by what they are of (`step`, `epoch`, `sample`, `batch`, or `elapsed`), `metrics` the
    names printed; `read` are the characters of times and loss.
    """

    lines: list[Line]
    steps: Cell
    total: int | None
    place: Cell
    is_progress: bool = False
    fault: str = ""
    times: dict[str, float] = field(default_factory=dict)
    metrics: list[str] = field(default_factory=list)
    loss: float | None = None
    read: list[Cell] = field(default_factory=list)

    @property
    def is_finished(self) -> bool:
        return not (self.is_progress or self.fault)

    @property
    def may_end(self) -> bool:
        """Whether it may end an epoch: `predict` prints a bar without any metric."""
        return bool(self.fault or self.metrics)

    @property
    def is_validated(self) -> bool:
        return any(name.startswith("val_") for name in self.metrics)

    @property
    def epoch_time_s(self) -> float | None:
        return self.times.get("epoch", self.times.get("elapsed"))

    def damage(self, place: Cell, fault: str) -> None:
        self.place, self.fault = place, fault


def read_bar(line: Line, following: Line | None = None) -> Bar | None:
    """The progress bar on a line, with the part wrapped to the next line; None if there is none."""
    text = visible(line.text) if "/" in line.text and len(line.text) <= _LONGEST_BAR else ""
    lead = _LEAD.match(text)
    if lead is None or not any(map(str.isdigit, lead["steps"])):
        return None
    steps, words = line.matched(lead, "steps"), _words(line, lead.end())
    done, total = parse_count(lead["done"]), parse_count(lead["total"]) or None
    bar = Bar([line], steps, total, steps)
    is_read = done is not None and total and done <= total
    is_drawn_on = lead["head"] or any(word.text == "ETA:" for word in words)
    if lead["total"] == "Unknown" or is_drawn_on or (is_read and done != total):
        bar.is_progress = True
    elif not is_read:
        bar.fault = f"the steps `{steps.text}` are not two whole numbers"
    else:
        if words and following and _is_wrapped(words[-1].text, following, line):
            bar.lines.append(following)
            words += _words(following)
        _read_words(bar, words)
    return bar


def _words(line: Line, start: int = 0) -> list[Cell]:
    found = _WORD.finditer(visible(line.text), start)
    return [line.matched(word) for word in found]


def _is_wrapped(last_word: str, line: Line, bar: Line) -> bool:
    """Whether a line goes on with the bar above it, of which the last word ends with `:` or `-`."""
    if line.number - bar.number > _WRAPPED_WITHIN or len(line.text) > _LONGEST_HEADING:
        return False
    wrapped = _WRAPPED.fullmatch(visible(line.text))
    is_bar = _LEAD.match(line.text)
    return bool(wrapped and not is_bar and last_word.endswith("-" if wrapped["name"] else ":"))


def _read_words(bar: Bar, words: Iterable[Cell]) -> None:
    """Read `22s`, `65ms/step` and `loss: 0.1113` after the steps of a finished bar."""
    name = None
    for word in words:
        if word.text == "-":
            name = None
        elif word.text.endswith(":"):
            name = word.text[:-1]
            bar.metrics.append(name)
        elif name is None:
            printed, _, unit = word.text.partition("/")
            time, seconds = word.part(0, len(printed)), _seconds(printed)
            if seconds is None:
                bar.place, bar.fault = time, f"the time `{printed}` is not a duration"
                return
            if unit == "epoch" or (not unit and bar.epoch_time_s is None):
                bar.place = time
            bar.times.setdefault(unit or "elapsed", seconds)
            bar.read.append(word)
        # Behind a shorter bar stands the end of the one that it is drawn over:
        # `accuracy: 0.8999: 0s - loss: 0`
        elif name == "loss" and bar.loss is None:
            number = parse_number(word.text)
            if number is None and word.text.lower().lstrip("+-") not in ("nan", "inf"):
                bar.place, bar.fault = word, f"the loss `{word.text}` is not a number"
                return
            bar.loss = number.value if number else float(word.text)
            bar.read.append(word)


def _seconds(text: str) -> float | None:
    quantity = parse_duration(text) or parse_clock(text)
    return quantity.value if quantity and math.isfinite(quantity.value) else None


def _read_heading(line: Line) -> dict[str, str] | None:
    """The conditions of a line that names known devices, or a batch size, and nothing else: `1 ipu,
    batch_size 10`, `bs 128`.

    One of unknown devices has none; None for a line that is no heading.
    """
    text = visible(line.text)
    match = _HEADING.fullmatch(text) if len(text) <= _LONGEST_HEADING else None
    if match is None or not (match["device"] or match["batch"]):
        return None
    count, device = match["before"] or match["behind"], match["device"]
    if device:
        # A known platform, or a word for devices, such as `GPUs`, that may follow a count.
        counted = f"2 {device}"
        named = [m for m in find_mentions(counted) if m.start <= 2 and m.end == len(counted)]
        if not any(m.kind in ("platform", "accelerator_count") for m in named):
            return {} if count else None
    said = {"platform": device, "accelerator_count": count, "batch_size": match["batch"]}
    return {name: text for name, text in said.items() if text}


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
            is_same = last and last.epoch_time_s == 0 and last.total == bar.total
            if last and is_same and bar.is_finished:
                is_redrawn = has_progress or (bar.is_validated and not last.is_validated)
                found = found[:-1] if is_redrawn else found
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
        (_, above), *others = [(part, part.ends(steps)) for part in self.parts]
        if not others and self.start is None and self.time is None and len(above) == 1:
            # `evaluate` prints such a bar, too.
            return [], above, []
        first = others[0][0].number if others else len(above) + 1
        left = above[: max(0, len(above) - first + 1)]
        kept = above[len(left) :]
        epochs = list(enumerate(kept, start=first - len(kept)))
        for part, bars in others:
            epochs += [(part.number, bar) for bar in bars[:1]]
            # Behind the last of the planned epochs are evaluations.
            left += bars[1:] if part.number != part.planned else []
        without = [part.header for part, bars in others if part.header and not bars]
        return epochs, left, without


class _KerasLog(LogReading):
    """The rows of a log, made while its lines are read.

    A device heading holds for the run below it and for every further run with a batch size of its
    own (`bs 128`), up to the next heading, known or not: a run without any may be under a heading
    that was lost. So do the arguments of a command. Parameters hold until the next model summary, a
    batch size only for the run that it is stated for.
    """

    def __init__(
        self, document: Document, source: SourceMapping | None, lines: Sequence[Line]
    ) -> None:
        super().__init__(document, source)
        self.rows: list[Run | Epoch] = []
        self._run: _KerasRun | None = None
        # The section and the conditions of the last run below a heading of devices.
        self._device: tuple[dict[str, Any], dict[str, str]] = ({}, {})
        # Headings and command lines since the last run, with the conditions of the headings.
        self._pending: list[tuple[Line, dict[str, str]]] = []
        self._parameters: dict[str, int | None] = {}
        # Sizes of data sets: bars of old Keras count samples and say `/step`.
        self._samples: set[int] = set()
        # `Model: "sequential"` and the lines below it, up to the counts of parameters.
        self._summary: list[Line] = []
        wrapped: Line | None = None
        for line, following in zip(lines, [*lines[1:], None], strict=True):
            if line is wrapped:
                continue
            if bar := read_bar(line, following):
                wrapped = bar.lines[-1]
                self._add_bar(bar)
            elif not self._add_statement(line):
                self._add_other(line)
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

    def _add_statement(self, line: Line) -> bool:
        """Takes a line that Keras prints beside its bars; False for any other line."""
        is_short = len(line.text) <= _LONGEST_HEADING
        match = _STATEMENT.fullmatch(visible(line.text)) if is_short else None
        if match is None:
            return False
        if match["epoch"]:
            self._add_header(_Part(line, int(match["epoch"]), int(match["planned"])), line)
        elif match["time"]:
            self._add_time(line.matched(match, "time"), unit_seconds(match["unit"] or "s"), line)
        elif match["samples"]:
            self.take(_CONDITION, line)
            self._samples.add(int(match["samples"]))
        elif match["count"]:
            self._close_after_bars()
            self._add_parameters(line.matched(match, "count"), match["kind"].lower(), line)
        else:
            self.take(_MESSAGE, line)
            if match["model"]:
                self._close_after_bars()
                self._parameters, self._summary = {}, [line]
        return True

    def _add_header(self, part: _Part, line: Line) -> None:
        if part.planned is None or not 1 <= part.number <= part.planned:
            return
        self.take(_HEADER, line)
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
        seconds = number.value * unit if number and unit else _seconds(cell.text)
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
            self.mark(cell, "condition", "model_size")
        elif count is None:
            self.mark(cell, "unparsed", "log_line_unread")
        else:
            self.mark(cell, "extracted", "run_field")

    def _add_other(self, line: Line) -> None:
        """Read a line that Keras does not print, if it has conditions."""
        said, heading = said_on(line), _read_heading(line)
        if heading is not None:
            self._close()
            if heading.keys() != {"batch_size"}:
                self._end_scope()
            if heading:
                self._pending.append((line, heading))
        elif self.arguments.read(said):
            self._close_after_bars()
            self._pending.append((line, {}))
        elif said.start and self._run:
            self.take(_MESSAGE, line)
        elif said.text.startswith("#"):
            self._end_scope()
        elif self._summary:
            self._summary.append(line)

    def _end_scope(self) -> None:
        """A heading ends the device, the batch size and the arguments above it."""
        self._device, self._pending = ({}, {}), []
        self.arguments.end()

    def _open(self) -> _KerasRun:
        self.take(_CONDITION, *(line for line, _ in self._pending))
        headings = [(line, heading) for line, heading in self._pending if heading]
        start = headings[0][0] if headings else None
        self._pending = []
        own: dict[str, str] = {}
        for _, heading in headings:
            own |= heading
        if start and "platform" in own:
            self._device = {"section": start.cell.text, "section_line": start.number}, own
        self.section, device = self._device
        # Where the first run below a device states no batch size, one that states it is of another
        # device.
        if own and "batch_size" in device:
            own = device | own
        elif "platform" not in own:
            self.section = {}
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
        epochs = [(number, bar) for number, bar in numbered if bar.is_finished]
        begins = [
            run.start,
            *(bar.lines[0] for _, bar in epochs),
            *(part.header for part in run.parts),
        ]
        for _, bar in epochs:
            if self.is_cut(bar.lines[-1].number):
                bar.fault = "the log ends there without a line break: it may be cut"
                self._reject_damaged(bar)
            elif bar.loss is None and "loss" in bar.metrics:
                reason = f"line {bar.lines[0].number} ends at the word loss without a number"
                self.reject(bar.lines[0].cell, "loss_missing", reason)
        if start := next(filter(None, begins), None):
            self._add_rows(run, start, [each for each in epochs if each[1].is_finished])

    def _add_rows(self, run: _KerasRun, start: Line, epochs: list[tuple[int, Bar]]) -> None:
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
        for number, bar in epochs:
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
            self.mark(bar.steps, "condition", "epoch_steps")
            for read in bar.read:
                self.mark(read, "extracted", "epoch_field")


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
    if not any(bar and not bar.is_progress for bar in map(read_bar, lines)):
        return Extraction()
    log = _KerasLog(document, source, lines)
    log.rejects.sort(key=lambda row: (row.cell.line, row.cell.start, row.rule))
    refused = {row.cell.line for row in log.rejects}
    log.lines |= dict.fromkeys(refused & log.lines.keys(), _REJECTED)
    extraction = log.extraction([*log.rows, *log.rejects])
    of_epochs = (number for number, role in log.lines.items() if role == _EPOCH)
    extraction.roles |= dict.fromkeys(of_epochs, ("log", "epoch"))
    return extraction
