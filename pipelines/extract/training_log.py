"""Progress logs of Keras to runs and epochs: bars, epoch headers, headings of devices and batch
sizes, training times.

The logs of other programs are read in `program_log.py` and `mlperf_training.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pipelines.extract.conditions import fields_of, missing_subject
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs import Arguments, LineRole, account, not_printed, rejected, with_mapping
from pipelines.extract.mentions import find_mentions
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import said_on, visible
from pipelines.values.durations import parse_clock, parse_duration, unit_seconds
from pipelines.values.numbers import parse_count, parse_number

FORMAT = "training_log"
DESCRIPTION = "Keras training logs: progress bars, losses and training times under headings with devices and batch sizes."
ROWS = (Run, Epoch, Reject)
PRIORITY = 10

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
# ` 938/Unknown 5s`
_LEAD = re.compile(
    r"[\s>#|]*(?P<steps>(?P<done>[^\s/\[\]]{1,20})/(?P<total>[^\s/\[\]]{1,20}))"
    r"(?:\s*(?P<drawing>\[[=>.]{3,80}\]|━[━\s]*)|(?<=/Unknown)\s|\s+-\s+(?=(?:\S{0,8}\d\S{0,8}|[A-Za-z])s\s))"
)
_WORD = re.compile(r"\S+")
# `0.1113` below a bar that ends with `loss:`, `loss: 0.1113` below one that ends with a dash
_WRAPPED = re.compile(
    r"(?i)\s*(?P<name>[A-Za-z]\w*:\s)?(?:[-+]?(?:nan|inf)|\S*\d\S*)(?:\s-\s.*|\s*)"
)
# `## 8 GPUs`, `**16x H100 (bs=32)**`, `A100 ×4, bs 128`, `1 ipu, batch_size 10`, `bs 128`
_HEADING = re.compile(
    r"(?i)[\W_]*+(?:(?:(?P<before>\d+)\s*+(?:[x\u00d7]\s*+)?)?(?!(?:micro\W*+)?(?:batch|bs\b))(?P<device>[a-z][\w.+-]*(?:\s[\w.+-]+){0,3}?)"
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
    r"|Train on (?P<samples>\d+) samples\b.*|Epoch \d+: (?P<stop>early stopping)|(?P<model>Model): \"[^\"]*\")\s*"
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
    """One printed state of a progress bar.

    `lines` are its line and the one below it that a part of it is wrapped to. `place` is the
    printed time of the epoch, else the steps; of a damaged bar it is what cannot be read. `times`
    [s] are by what they are of (`step`, `epoch`, `sample`, `batch`, or `elapsed`), `metrics` the
    names printed; `read` are the characters of times and loss.
    """

    lines: list[Line]
    steps: Cell
    total: int | None
    place: Cell
    state: Literal["finished", "progress", "damaged"] = "finished"
    reason: str = ""
    times: dict[str, float] = field(default_factory=dict)
    metrics: list[str] = field(default_factory=list)
    loss: float | None = None
    read: list[Cell] = field(default_factory=list)

    @property
    def epoch_time_s(self) -> float | None:
        return self.times.get("epoch", self.times.get("elapsed"))

    def damage(self, place: Cell, reason: str) -> Bar:
        self.state, self.place, self.reason = "damaged", place, reason
        return self


def read_bar(line: Line, following: Line | None = None) -> Bar | None:
    """The progress bar on a line, with the part wrapped to the next line; None if there is none."""
    text = visible(line.text) if 6 <= len(line.text) <= _LONGEST_BAR and "/" in line.text else ""
    lead = _LEAD.match(text)
    if lead is None or not any(map(str.isdigit, lead["steps"])):
        return None
    steps, words = (
        line.matched(lead, "steps"),
        [line.matched(word) for word in _WORD.finditer(text, lead.end())],
    )
    done, total = parse_count(lead["done"]), parse_count(lead["total"])
    bar = Bar([line], steps, total, steps)
    is_drawn_on = any(sign in (lead["drawing"] or "") for sign in ">.") or any(
        word.text == "ETA:" for word in words
    )
    is_read = done is not None and total and done <= total
    if lead["total"] == "Unknown" or is_drawn_on or (is_read and done != total):
        bar.state = "progress"
        return bar
    if not is_read:
        return bar.damage(steps, f"the steps `{steps.text}` are not two whole numbers")
    if (
        words
        and following
        and following.number - line.number <= _WRAPPED_WITHIN
        and not _LEAD.match(following.text)
    ):
        wrapped = (
            _WRAPPED.fullmatch(visible(following.text))
            if len(following.text) <= _LONGEST_HEADING
            else None
        )
        if wrapped and words[-1].text.endswith("-" if wrapped["name"] else ":"):
            bar.lines.append(following)
            words += map(following.matched, _WORD.finditer(visible(following.text)))
    return _read_words(bar, words)


def _read_words(bar: Bar, words: Iterable[Cell]) -> Bar:
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
            time = word.part(0, len(printed))
            if (seconds := _seconds(printed)) is None:
                return bar.damage(time, f"the time `{printed}` is not a duration")
            if unit == "epoch" or (not unit and not bar.times.keys() & {"epoch", "elapsed"}):
                bar.place = time
            bar.times.setdefault(unit or "elapsed", seconds)
            bar.read.append(word)
        # Behind a shorter bar stands the end of the one that it is drawn over:
        # `accuracy: 0.8999: 0s - loss: 0`
        elif name == "loss" and bar.loss is None:
            bar.loss = _parse_loss(word.text)
            if bar.loss is None:
                return bar.damage(word, f"the loss `{word.text}` is not a number")
            bar.read.append(word)
    return bar


def _parse_loss(text: str) -> float | None:
    """A printed loss; `nan` and `inf` as such, None for anything that is no number."""
    if text.lower().lstrip("+-") in ("nan", "inf"):
        return float(text)
    quantity = parse_number(text)
    return quantity.value if quantity else None


def _seconds(text: str) -> float | None:
    quantity = parse_duration(text) or parse_clock(text)
    return quantity.value if quantity and math.isfinite(quantity.value) else None


class _Heading(NamedTuple):
    """A line that names known devices, or a batch size, and nothing else: `1 ipu, batch_size 10`,
    `bs 128`.
    """

    line: Line
    device: str | None = None
    devices: int | None = None
    batch: str | None = None


def _read_heading(line: Line) -> _Heading | None:
    """The heading that a line consists of, or None; one of unknown devices has neither device nor
    batch size.
    """
    text = visible(line.text)
    match = (
        _HEADING.fullmatch(text)
        if text.strip() and len(text) <= _LONGEST_HEADING and "\t" not in text
        else None
    )
    if match is None or not (match["device"] or match["batch"]):
        return None
    count, device = match["before"] or match["behind"], match["device"]
    # A known platform, or a word for devices, such as `GPUs`, that may follow a count.
    kinds, counted = ("platform", "accelerator_count"), f"2 {device}"
    mentions = find_mentions(counted) if device else ()
    if device and not any(
        m.kind in kinds and m.start <= 2 and m.end == len(counted) for m in mentions
    ):
        return _Heading(line) if count else None
    return _Heading(line, device, parse_count(count) if count else None, match["batch"])


@dataclass
class _Part:
    """The bars that may end an epoch under one header; the first part of a run has none. `last` is
    its last bar.
    """

    header: Line | None = None
    number: int = 0
    planned: int | None = None
    bars: list[Bar] = field(default_factory=list)
    last: Bar | None = None
    has_progress: bool = False

    def add(self, bar: Bar, *, may_end: bool) -> None:
        """Adds a bar; Keras 3 prints `0s` with all steps done before it prints the time of the
        epoch.
        """
        last, self.last = (self.last if self.last in self.bars[-1:] else None), bar
        self.has_progress |= bar.state == "progress"
        if may_end:
            # Without these signs it may be an evaluation with as many steps: only `fit` prints
            # metrics of a validation.
            validated = [
                any(name.startswith("val_") for name in each.metrics)
                for each in (bar, last)
                if each
            ]
            is_redrawn = self.has_progress or validated == [True, False]
            if (
                is_redrawn
                and last
                and last.total == bar.total
                and last.epoch_time_s == 0
                and bar.state == "finished"
            ):
                self.bars.pop()
            self.bars.append(bar)


@dataclass
class _KerasRun:
    """A run while its lines are being read: what is known of it before its first epoch, as columns,
    and its epochs.

    `start` is the heading that starts it, if any; `stated` are the dimensions that are known of it;
    bars with other `steps` than its first one end no epoch; `time` is stated for all of it, with
    its place, and is None where it cannot be read.
    """

    start: Line | None
    section: dict[str, Any]
    columns: dict[str, Any]
    stated: set[str]
    parts: list[_Part] = field(default_factory=lambda: [_Part()])
    steps: int | None = None
    time: tuple[Cell, float | None] | None = None

    @property
    def bars(self) -> list[Bar]:
        return [bar for part in self.parts for bar in part.bars]

    def epochs(self) -> tuple[list[tuple[int, Bar]], list[Bar]]:
        """The bars that end an epoch, with its number, and those of an unknown epoch.

        A header's number is taken as printed. Bars above the first header end the epochs before it;
        where no header is in the whole run, they are counted from 1.
        """
        above, *others = self.parts
        if (
            not others
            and self.start is None
            and self.time is None
            and [bar.state for bar in above.bars] == ["finished"]
        ):
            # `evaluate` prints such a bar, too.
            return [], above.bars
        skipped = max(0, len(above.bars) - others[0].number + 1) if others else 0
        kept, left = above.bars[skipped:], above.bars[:skipped]
        epochs = [*enumerate(kept, start=others[0].number - len(kept) if others else 1)]
        for part in others:
            epochs += [(part.number, bar) for bar in part.bars[:1]]
            # Behind the last of the planned epochs are evaluations.
            left += part.bars[1:] if part.number != part.planned else []
        return epochs, [bar for bar in left if bar.state == "finished"]


class _KerasLog:
    """The rows of a log, made while its lines are read.

    A device heading holds for the run below it and for every further run with a batch size of its
    own (`bs 128`), up to the next heading, known or not: a run without any may be under a heading
    that was lost. So do the arguments of a command. Parameters hold until the next model summary, a
    batch size only for the run that it is stated for.
    """

    def __init__(
        self, document: Document, lines: Sequence[Line], source: SourceMapping | None
    ) -> None:
        self._source = source
        self._fault = not_printed(document, source)
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
        # Where the first run below a device states no batch size, one that states it is of another
        # device.
        self._device_states_batch = False
        # Headings and command lines since the last run; those of a command name nothing here.
        self._pending: list[_Heading] = []
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
            elif (
                match := _STATEMENT.fullmatch(visible(line.text))
                if len(line.text) <= _LONGEST_HEADING
                else None
            ):
                self._add_statement(line, match)
            else:
                self._add_other(line)
        self._close()
        self._rejects.sort(key=lambda row: (row.cell.line, row.cell.start, row.rule))
        self.extraction.rows += self._rejects
        self._lines |= {
            row.cell.line: _REJECTED for row in self._rejects if row.cell.line in self._lines
        }
        account(self.extraction, document, self._lines)
        of_epochs = (number for number, role in self._lines.items() if role == _EPOCH)
        self.extraction.roles |= dict.fromkeys(of_epochs, ("log", "epoch"))

    def _add_bar(self, bar: Bar) -> None:
        self._take(_PROGRESS if bar.state == "progress" else _EVALUATION, *bar.lines)
        # `predict` prints a bar without any metric.
        may_end = bar.state == "damaged" or (bar.state == "finished" and bool(bar.metrics))
        if not may_end and not self._run:
            return
        run = self._run or self._open()
        run.steps = run.steps or (bar.total if may_end else None)
        # A damaged bar of unknown steps keeps its place and its number.
        run.parts[-1].add(bar, may_end=may_end and bar.total in (run.steps, None))
        if bar.state == "damaged":
            self._reject_bar(bar)

    def _add_statement(self, line: Line, match: re.Match[str]) -> None:
        if match["epoch"]:
            self._add_header(_Part(line, int(match["epoch"]), int(match["planned"])), line)
        elif match["time"]:
            self._add_time(line.matched(match, "time"), unit_seconds(match["unit"] or "s"), line)
        elif match["samples"]:
            self._take(_CONDITION, line)
            self._samples.add(int(match["samples"]))
        elif match["stop"]:
            self._take(_MESSAGE, line)
        else:
            self._close(only_after_bars=True)
            if match["model"]:
                self._take(_MESSAGE, line)
                self._parameters, self._summary = {}, [line]
            else:
                self._add_parameters(line.matched(match, "count"), match["kind"].lower(), line)

    def _add_header(self, part: _Part, line: Line) -> None:
        if part.planned is None or not 1 <= part.number <= part.planned:
            return
        self._take(_HEADER, line)
        run, last = self._run, self._run.parts[-1] if self._run else _Part()
        if run and run.time and (last.number, last.planned) == (part.number - 1, part.planned):
            reason = f"line {run.time[0].line} states a time between two epochs, not the time of the training"
            self._reject(run.time[0], "training_time_within_run", reason)
            run.time = None
        elif run and (
            run.time
            or (last.number and (part.number <= last.number or part.planned != last.planned))
        ):
            self._close()
        (self._run or self._open()).parts.append(part)

    def _add_time(self, cell: Cell, unit: float | None, line: Line) -> None:
        """Takes the time of a whole training; a number without unit is in seconds."""
        if self._run and not self._run.time and any(map(str.isdigit, cell.text)):
            self._take(_MESSAGE, line)
            number = parse_number(cell.text)
            seconds = (number.value * unit if unit else None) if number else _seconds(cell.text)
            self._run.time = cell, None if line.number == self._cut_line else seconds
            if self._run.time[1] is None:
                reason = f"the training time `{cell.text}` is not a duration, or ends the log and may be cut"
                self._reject(cell, "training_time_unreadable", reason)

    def _add_parameters(self, cell: Cell, kind: str, line: Line) -> None:
        self._take(_SUMMARY, *self._summary, line)
        self._summary, count = [], parse_count(cell.text)
        # `Total params` starts a new summary, a line printed twice does not.
        if kind == "total" or self._parameters.get(kind, count) != count:
            self._parameters = {}
        self._parameters[kind] = count
        if kind not in ("total", "trainable"):
            self._mark(cell, "condition", "model_size")
        else:
            self._mark(
                cell,
                *(("unparsed", "log_line_unread") if count is None else ("extracted", "run_field")),
            )

    def _add_other(self, line: Line) -> None:
        """Read a line that Keras does not print, if it has conditions."""
        if heading := _read_heading(line):
            self._close()
            if heading.batch is None or heading.device:
                self._end_scope()
                self._device = heading if heading.device else None
            if heading.device or heading.batch:
                self._pending.append(heading)
        elif self._arguments.read(said := said_on(line)):
            self._close(only_after_bars=True)
            self._pending.append(_Heading(line))
        elif said.start and self._run:
            self._take(_MESSAGE, line)
        elif said.text.startswith("#"):
            self._end_scope()
        elif self._summary:
            self._summary.append(line)

    def _end_scope(self) -> None:
        """A heading ends the device, the batch size and the arguments above it."""
        self._device, self._pending = None, []
        self._arguments.end()

    def _open(self) -> _KerasRun:
        self._take(_CONDITION, *(heading.line for heading in self._pending))
        headings = [heading for heading in self._pending if heading.device or heading.batch]
        self._pending = []
        sizes = [heading.batch for heading in headings if heading.batch]
        names_device = any(heading.device for heading in headings)
        if names_device:
            self._device_states_batch = bool(sizes)
        device = self._device if names_device or (headings and self._device_states_batch) else None
        self._section = (
            {"section": device.line.cell.text, "section_line": device.line.number} if device else {}
        )
        stated = with_mapping(self._arguments.stated, self._source)
        subjects = {*stated, *(("platform",) if device else ())}
        fields = fields_of({name: each.value for name, each in stated.items()})
        columns = {
            "accelerator_printed": device.device if device else fields["platform_printed"],
            "accelerator_count": device.devices if device else fields["accelerator_count"],
            "model_printed": fields["model_printed"],
            "batch_size": (parse_count(sizes[-1]) if sizes else fields["batch_size"]) or None,
            "total_parameters": self._parameters.get("total"),
            "trainable_parameters": self._parameters.get("trainable"),
        }
        self._run = _KerasRun(
            headings[0].line if headings else None, self._section, columns, subjects
        )
        return self._run

    def _close(self, *, only_after_bars: bool = False) -> None:
        """Adds the rows of the run, and a reject for each bar and header that makes no epoch."""
        run = self._run
        if run is None or (only_after_bars and not run.bars):
            return
        self._run = None
        numbered, left = run.epochs()
        for bar in left:
            reason = f"the finished bar in line {bar.lines[0].number} has no epoch header"
            self._reject(bar.place, "epoch_without_header", reason)
        for header in (part.header for part in run.parts if part.header and not part.bars):
            reason = f"the epoch header in line {header.number} has no finished bar with the steps of the other epochs"
            self._reject(header.cell, "epoch_without_bar", reason)
        epochs = [(number, bar) for number, bar in numbered if bar.state == "finished"]
        for _, bar in epochs:
            if bar.lines[-1].number == self._cut_line:
                self._reject_bar(
                    bar.damage(bar.place, "the log ends there without a line break: it may be cut")
                )
            elif bar.loss is None and "loss" in bar.metrics:
                reason = f"line {bar.lines[0].number} ends at the word loss without a number"
                self._reject(bar.lines[0].cell, "loss_missing", reason)
        begins = [
            *(bar.lines[0] for _, bar in epochs),
            *(part.header for part in run.parts if part.header),
        ]
        start = run.start or next(iter(begins), None)
        if start:
            self._add_rows(
                run, start, [(number, bar) for number, bar in epochs if bar.state == "finished"]
            )

    def _add_rows(self, run: _KerasRun, start: Line, epochs: list[tuple[int, Bar]]) -> None:
        cell, seconds = run.time if run.time and run.time[1] is not None else (start.cell, None)
        if fault := self._fault:
            self._reject(cell, "not_printed", fault)
            return
        if self._source and (reason := missing_subject(run.stated)):
            self._reject(cell, "no_subject", reason)
            return
        planned = run.parts[-1].planned
        of_run: dict[str, Any] = {
            "epochs": len(epochs),
            "epochs_planned": planned,
            "training_time_s": seconds,
            "run_line": start.number,
        }
        self.extraction.rows.append(Run(**run.section, **run.columns, cell=cell, **of_run))
        for number, bar in epochs:
            # Old Keras prints the time of a sample as that of a step.
            counts_samples = "sample" in bar.times or bar.total in self._samples
            step, is_nan = (
                bar.times.get("step", bar.times.get("batch")),
                bar.loss is not None and math.isnan(bar.loss),
            )
            self.extraction.rows.append(
                Epoch(
                    **run.section,
                    cell=bar.place,
                    run_line=start.number,
                    epoch=number,
                    steps=None if counts_samples else bar.total,
                    epoch_time_s=bar.epoch_time_s,
                    step_time_ms=None if counts_samples or step is None else round(step * 1e3, 9),
                    loss=None if is_nan else bar.loss,
                    loss_is_nan=is_nan,
                )
            )
            self._take(_EPOCH, *bar.lines)
            self._mark(bar.steps, "condition", "epoch_steps")
            for read in bar.read:
                self._mark(read, "extracted", "epoch_field")

    def _reject_bar(self, bar: Bar) -> None:
        self._reject(
            bar.place,
            "bar_unreadable",
            f"the progress bar in line {bar.lines[0].number}: {bar.reason}",
        )

    def _reject(self, cell: Cell, rule: str, reason: str) -> None:
        self._rejects.append(rejected(cell, rule, reason, **self._section))

    def _take(self, role: LineRole, *lines: Line) -> None:
        self._lines.update((line.number, role) for line in lines)

    def _mark(self, cell: Cell, status: Status, rule: str) -> None:
        self.extraction.marks.append(Mark(cell, status, rule))


def recognise(document: Document) -> float:
    """0 without a finished progress bar, 0.5 for one bar in a long text, 1 where every fifth line
    is a bar.
    """
    lines = [line for line in document.lines if not line.is_blank]
    bars = sum(1 for line in lines if (bar := read_bar(line)) and bar.state == "finished")
    return 0.5 + 0.5 * min(1.0, bars / len(lines) / _FULL_SHARE) if bars else 0.0


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
    if not any(bar.state != "progress" for line in lines if (bar := read_bar(line))):
        return Extraction()
    return _KerasLog(document, lines, source).extraction
