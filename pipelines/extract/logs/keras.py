"""Progress logs of Keras: what a line is (a bar, an epoch header, a heading of devices and batch sizes, a training
time, a count of parameters), and the runs that the lines make.

Rows are made of runs in `extract/training_log.py`; the logs of other programs are read in `programs.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from pipelines.extract.conditions import Stated
from pipelines.extract.logs import LogFault
from pipelines.extract.logs.programs import Arguments, programs
from pipelines.extract.mentions import find_mentions
from pipelines.read.document import Cell, Line
from pipelines.read.log_lines import said_on, visible
from pipelines.values.durations import parse_clock, parse_duration, unit_seconds
from pipelines.values.numbers import parse_count, parse_number

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
# `Total params: 8,922,155`, ` Trainable params: 4,512,347 (17.21 MB)`; `8 922 155` is one value that cannot be read
PARAMETERS = re.compile(
    r"\W*(?P<kind>Total|Trainable|Non-trainable|Optimizer) params:\s*(?P<value>\S+(?:\s\d+)*).*", re.IGNORECASE
)
# `Train on 60000 samples, validate on 10000 samples`: the bars of old Keras count samples and say `/step`
_SAMPLES = re.compile(r"\s*Train on (?P<samples>\d+) samples\b.*")
# `Epoch 00007: early stopping`, and `Model: "sequential"`, a name that Keras gives
_EARLY_STOP = re.compile(r"\s*Epoch \d+: early stopping\s*|(?P<model>\s*Model: \"[^\"]*\"\s*)", re.IGNORECASE)

State = Literal["finished", "progress", "damaged"]
# What a line that is read is, for the accounting.
Kind = Literal["bar", "header", "time", "parameters", "condition", "message"]


class PrintedValue(NamedTuple):
    """A printed value: its characters and what they say, None where they cannot be read."""

    cell: Cell
    value: float | None


@dataclass(frozen=True, slots=True)
class Bar:
    """One printed state of a progress bar.

    Attributes:
        place: The printed time of the epoch; the steps where no time is printed.
        reason: For a damaged bar, what cannot be read.
        total: Steps of the whole bar; None where they cannot be read.
        counts_samples: True where the bar counts samples, not steps (`83us/sample`).
        loss: The printed loss, `nan` among them; None where it is not on this line.
        metrics: Names of the metrics printed, `loss` among them.
    """

    line: Line
    state: State
    place: Cell
    reason: str = ""
    total: int | None = None
    counts_samples: bool = False
    epoch_time_s: float | None = None
    step_time_ms: float | None = None
    loss: float | None = None
    metrics: tuple[str, ...] = ()

    @property
    def is_validated(self) -> bool:
        """True where the bar shows metrics of a validation: only `fit` prints these, at the end of an epoch."""
        return any(name.startswith("val_") for name in self.metrics)


def split_fields(line: Line, start: int = 0) -> Iterator[tuple[str | None, Cell]]:
    """Name (None for times) and value of each field of a bar or of the line that continues it, from `start` on."""
    text = visible(line.text)
    for end in [*(match.start() for match in _DASH.finditer(text, start)), len(text)]:
        cell = Cell(text[start:end], line.number, start, end).stripped()
        start = end + 1
        if match := _FIELD.fullmatch(cell.text):
            value = cell.matched(match, "value").stripped()
            if match["name"] or value.text:
                yield match["name"], value


def read_bar(line: Line) -> Bar | None:
    """The progress bar on a line, or None when the line does not look like one."""
    text = visible(line.text) if 6 <= len(line.text) <= _LONGEST_BAR and "/" in line.text else ""
    lead = _LEAD.match(text)
    if lead is None or not any(map(str.isdigit, lead["steps"])):
        return None
    fields = list(split_fields(line, lead.end()))
    place = line.matched(lead, "steps")
    done, total = parse_count(lead["done"]), parse_count(lead["total"])
    is_drawn_on = any(sign in (lead["drawing"] or "") for sign in ">.") or any(name == "ETA" for name, _ in fields)
    is_read = done is not None and total and done <= total
    if lead["total"] == "Unknown" or is_drawn_on or (is_read and done != total):
        return Bar(line, "progress", place, total=total)
    if not is_read:
        return Bar(line, "damaged", place, f"the steps `{lead['steps']}` are not two whole numbers", total)
    times: dict[str, PrintedValue] = {}
    loss, metrics = None, tuple(name for name, _ in fields if name)
    for name, value in fields:
        if name == "loss" and value.text and (loss := parse_loss(value.text)) is None:
            return Bar(line, "damaged", value, f"the loss `{value.text}` is not a number", total)
        for match in _TIME.finditer(value.text) if name is None else ():
            time = value.matched(match, "time")
            if (seconds := _seconds(time.text)) is None:
                return Bar(line, "damaged", time, f"the time `{time.text}` is not a duration", total)
            times.setdefault(match["unit"] or "elapsed", PrintedValue(time, seconds))
    elapsed = times.get("epoch") or times.get("elapsed")
    step = times.get("step") or times.get("batch")
    return Bar(
        line,
        "finished",
        elapsed.cell if elapsed else place,
        total=total,
        counts_samples="sample" in times,
        epoch_time_s=elapsed.value if elapsed else None,
        step_time_ms=round(step.value * 1e3, 9) if step and step.value is not None else None,
        loss=loss,
        metrics=metrics,
    )


def _seconds(text: str) -> float | None:
    quantity = parse_duration(text) or parse_clock(text)
    return quantity.value if quantity and math.isfinite(quantity.value) else None


def parse_loss(text: str) -> float | None:
    """A printed loss; `nan` and `inf` as such, None for anything that is no number."""
    if text.lower().lstrip("+-") in ("nan", "inf"):
        return float(text)
    quantity = parse_number(text)
    return quantity.value if quantity else None


def with_wrapped_loss(bar: Bar, following: Line | None) -> tuple[Bar, int]:
    """A bar with the loss that is printed below it, and how many lines it takes."""
    if bar.state != "finished" or bar.loss is not None or following is None:
        return bar, 1
    fields = list(split_fields(following))
    if following.number - bar.line.number > _WRAPPED_WITHIN or not fields or read_bar(following):
        return bar, 1
    values, names = dict(reversed(fields)), bar.metrics
    if "loss" in names:
        value = values.get(None) if fields[0][0] is None else None
    else:
        value = values.get("loss") if visible(bar.line.text).rstrip().endswith(" -") else None
        names += tuple(name for name, _ in fields if name)
    if value is None or " " in value.text:
        return bar, 1
    if (loss := parse_loss(value.text)) is not None:
        return replace(bar, loss=loss, metrics=names), 2
    if any(map(str.isdigit, value.text)):
        reason = f"the loss `{value.text}` in line {following.number} is not a number"
        return replace(bar, state="damaged", place=value, reason=reason), 2
    return bar, 1


def read_training_time(line: Line) -> PrintedValue | None:
    """The time [s] of a whole training that a line states; a number without unit is in seconds."""
    match = _TRAINING_TIME.fullmatch(visible(line.text)) if len(line.text) <= _LONGEST_HEADING else None
    if match is None or not any(map(str.isdigit, match["value"])):
        return None
    cell = line.matched(match, "value")
    unit = unit_seconds(match["unit"]) if match["unit"] else 1.0
    if number := parse_number(cell.text):
        return PrintedValue(cell, number.value * unit if unit else None)
    return PrintedValue(cell, _seconds(cell.text))


class EpochHeader(NamedTuple):
    """`Epoch 2/3`; both numbers are None where one of them cannot be read."""

    line: Line
    number: int | None
    planned: int | None


def read_epoch_header(line: Line) -> EpochHeader | None:
    """The header `Epoch 2/3` that a line consists of, or None."""
    match = _HEADER.fullmatch(visible(line.text)) if len(line.text) <= _LONGEST_HEADING else None
    if match is None:
        return None
    number, planned = parse_count(match["number"]), parse_count(match["planned"])
    is_read = number is not None and planned is not None and 1 <= number <= planned
    return EpochHeader(line, number, planned) if is_read else EpochHeader(line, None, None)


class DeviceHeading(NamedTuple):
    """A line that names what was trained on, or a batch size, and nothing else: `1 ipu, batch_size 10`, `bs 128`.

    `device` is None where none is known, `devices` where none are counted, a batch size where several are printed.
    """

    line: Line
    device: str | None = None
    devices: int | None = None
    batch_size: PrintedValue | None = None


def read_heading(line: Line) -> DeviceHeading | None:
    """The heading that a line consists of, or None; one of unknown devices has neither device nor batch size."""
    text = visible(line.text)
    match = _HEADING.fullmatch(text) if text.strip() and len(text) <= _LONGEST_HEADING and "\t" not in text else None
    if match is None or not (match["device"] or match["batch"]):
        return None
    count = match["before"] or match["behind"]
    if (device := match["device"]) and not _is_device(device):
        return DeviceHeading(line) if count else None
    size = PrintedValue(line.matched(match, "batch"), parse_count(match["batch"]) or None) if match["batch"] else None
    return DeviceHeading(line, device, parse_count(count) if count else None, size)


def _is_device(text: str) -> bool:
    """Whether words are a known platform, or a word for devices, such as `GPUs`, that may follow a count."""
    counted = f"2 {text}"
    kinds = ("platform", "accelerator_count")
    return any(m.kind in kinds and m.start <= 2 and m.end == len(counted) for m in find_mentions(counted))


@dataclass
class EpochBars:
    """What is under one epoch header; the first part of a run may have none."""

    header: EpochHeader | None
    bars: list[Bar] = field(default_factory=list)
    has_progress: bool = False
    # True while the bar added last is the last bar of any kind, so that the next one may be its final state.
    is_fresh: bool = False

    def add(self, bar: Bar) -> None:
        """Adds a bar; Keras 3 prints `0s` with all steps done before it prints the time of the epoch."""
        self.has_progress |= bar.state == "progress"
        if bar.state != "progress":
            before = self.bars[-1] if self.bars and self.is_fresh else None
            if before and before.total == bar.total and before.epoch_time_s == 0 and bar.state == "finished":
                is_final_state = self.has_progress or (bar.is_validated and not before.is_validated)
                self.bars = self.bars[:-1] if is_final_state else self.bars
            self.bars.append(bar)
        self.is_fresh = bar.state != "progress"


@dataclass
class KerasRun:
    """A run while its lines are being read.

    Attributes:
        heading: The heading of a device that it is under.
        start: The heading or batch size line that starts it; None where it has none of its own.
        parameters: Parameters of its model by kind.
        samples: Samples of its data sets, which bars of old Keras count.
        stated: What the command line above it states, by dimension.
        parts: Its epoch headers with the bars under them.
        time: The time that is stated for all of it.
        is_ended: Whether its time is stated, or it stopped early.
    """

    heading: DeviceHeading | None
    start: Line | None
    batch_size: int | None
    parameters: Mapping[str, int | None]
    samples: set[int]
    stated: Mapping[str, Stated]
    parts: list[EpochBars]
    time: PrintedValue | None = None
    is_ended: bool = False

    @property
    def bars(self) -> list[Bar]:
        """All its bars, those of evaluations among them."""
        return [bar for part in self.parts for bar in part.bars]

    @property
    def last_header(self) -> EpochHeader | None:
        """The last epoch header whose numbers can be read."""
        return next((p.header for p in reversed(self.parts) if p.header and p.header.number), None)

    @property
    def is_complete(self) -> bool:
        """True when its time is stated, it stopped early, or the last of the planned epochs has its bar."""
        last = self.last_header
        return self.is_ended or bool(last and last.number == last.planned and self._ends()[-1])

    def _ends(self) -> list[list[Bar]]:
        """For each part the bars that may end its epoch: those with the steps of the first one of the run.

        `predict` prints bars without metrics. A damaged bar of unknown steps keeps its place and its number.
        """
        has_metrics = any(bar.metrics for bar in self.bars)
        of_parts = [
            [b for b in part.bars if b.metrics or not has_metrics or b.state == "damaged"] for part in self.parts
        ]
        steps = next((bar.total for bars in of_parts for bar in bars if bar.total), None)
        return [[bar for bar in bars if bar.total in (steps, None)] for bars in of_parts]

    def epochs(self) -> tuple[list[tuple[int, Bar]], list[LogFault]]:
        """Its epochs with the bar that ends each, and the bars and headers that fit no epoch.

        A header's number is taken as printed. Bars above the first header end the epochs before it; where no header
        is in the whole run, they are counted from 1.
        """
        epochs: list[tuple[int, Bar]] = []
        faults: list[LogFault] = []
        following = next((p.header.number for p in self.parts if p.header and p.header.number), None)
        for part, ends in zip(self.parts, self._ends(), strict=True):
            number = part.header.number if part.header else None
            if part.header is None:
                count = min(len(ends), following - 1) if following else len(ends)
                kept, others = ends[len(ends) - count :], ends[: len(ends) - count]
                first = following - count if following else 1
            else:
                kept, others, first = (ends[:1], ends[1:], number) if number else ([], ends, 0)
                if not ends:
                    faults.append(_without_bar(part.header))
                elif number and number == part.header.planned:
                    # Behind the last of the planned epochs are evaluations.
                    others = []
            epochs += enumerate(kept, start=first)
            faults += (without_header(bar) for bar in others if bar.state == "finished")
        return [(number, bar) for number, bar in epochs if bar.state == "finished"], faults


def without_header(bar: Bar) -> LogFault:
    """A finished bar of which no epoch header tells the number."""
    reason = f"no epoch header tells which epoch the finished bar in line {bar.line.number} ends"
    return LogFault(bar.place, "epoch_without_header", reason)


def _without_bar(header: EpochHeader) -> LogFault:
    line = header.line
    reason = f"no finished bar with the steps of the other epochs follows the epoch header in line {line.number}"
    return LogFault(line.cell, "epoch_without_bar", reason)


class KerasReader:
    """The runs of a log, in order.

    A device heading holds for the run below it and for every further run with a batch size of its own (`bs 128`), up to
    the next heading, known or not: a run without any may be under a heading that was lost. So do the arguments of a
    command. Parameters hold until the next model summary, a batch size only for the run that it is stated for.

    Attributes:
        runs: Finished runs.
        faults: What gives no row, without the bars and headers that `KerasRun.epochs` finds.
        kinds: What each line that was read is, by number.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.runs: list[KerasRun] = []
        self.faults: list[LogFault] = []
        self.kinds: dict[int, Kind] = {}
        self._run: KerasRun | None = None
        self._arguments = Arguments(programs()[1])
        self._device: DeviceHeading | None = None
        # Where the first run below a device states no batch size, one that states it is of another device.
        self._device_states_batch = False
        self._headings: list[DeviceHeading] = []
        self._argument_lines: list[Line] = []
        self._parameters: dict[str, int | None] = {}
        self._samples: set[int] = set()
        # `Model: "sequential"` and the lines below it, up to the counts of parameters.
        self._summary: list[Line] = []
        lines = [line for line in lines if not line.is_blank]
        index = 0
        while index < len(lines):
            line, taken = lines[index], 1
            if bar := read_bar(line):
                bar, taken = with_wrapped_loss(bar, next(iter(lines[index + 1 : index + 2]), None))
                self._take("bar", *lines[index : index + taken])
                self._add_bar(bar)
            elif header := read_epoch_header(line):
                self._take("header", line)
                self._add_header(header)
            else:
                self._add_other(line)
            index += taken
        self._close()

    def _add_other(self, line: Line) -> None:
        """Takes a line that is neither a bar nor a header, where it says something."""
        text = visible(line.text)
        if time := read_training_time(line):
            self._add_time(line, time)
        elif match := PARAMETERS.fullmatch(text):
            self._close_after_bars()
            self._take("parameters", *self._summary, line)
            self._summary = []
            kind, count = match["kind"].lower(), parse_count(match["value"])
            # `Total params` starts a new summary, a line printed twice does not.
            if kind == "total" or self._parameters.get(kind, count) != count:
                self._parameters = {}
            self._parameters[kind] = count
        elif heading := read_heading(line):
            self._close()
            if heading.batch_size is None or heading.device:
                self._end_scope()
                self._device = heading if heading.device else None
            if heading.device or heading.batch_size:
                self._headings.append(heading)
        elif match := _SAMPLES.fullmatch(line.text):
            self._take("condition", line)
            run = self._run if self._run and not self._run.is_complete else None
            (run.samples if run else self._samples).add(int(match["samples"]))
        elif match := _EARLY_STOP.fullmatch(line.text):
            self._take("message", line)
            if match["model"]:
                self._close_after_bars()
                self._parameters, self._summary = {}, [line]
            elif self._run is not None:
                self._run.is_ended = True
        elif self._arguments.read(said := said_on(line)):
            self._close_after_bars()
            self._argument_lines.append(line)
        elif said.start and self._run is not None:
            self._take("message", line)
        elif text.startswith("#"):
            self._end_scope()
        elif self._summary:
            self._summary.append(line)

    def _end_scope(self) -> None:
        """A heading ends the device, the batch size and the arguments above it."""
        self._device, self._headings = None, []
        self._arguments.stated.clear()

    def _add_bar(self, bar: Bar) -> None:
        # `predict` prints a bar without any metric; only a header makes that an epoch.
        if self._run is None and (bar.state == "progress" or (bar.state == "finished" and not bar.metrics)):
            return
        run = self._run or self._open(EpochBars(None))
        run.parts[-1].add(bar)

    def _add_header(self, header: EpochHeader) -> None:
        run, last = self._run, self._run.last_header if self._run else None
        if header.number is None:
            reason = f"line {header.line.number} looks like an epoch header, but its numbers cannot be read"
            self.faults.append(LogFault(header.line.cell, "header_unreadable", reason))
        elif run is not None and (run.is_complete or (last and last.number and header.number <= last.number)):
            if run.is_ended and last and (last.number, last.planned) == (header.number - 1, header.planned):
                if run.time is not None:
                    reason = f"line {run.time.cell.line} states a time between two epochs, so it is not that of all"
                    self.faults.append(LogFault(run.time.cell, "training_time_within_run", reason))
                run.time, run.is_ended = None, False
            else:
                self._close()
        if self._run is None:
            self._open(EpochBars(header))
        else:
            self._run.parts.append(EpochBars(header))

    def _add_time(self, line: Line, time: PrintedValue) -> None:
        run = self._run
        if run is None or run.time is not None:
            return
        self._take("time", line)
        run.is_ended = True
        if time.value is None:
            reason = f"the training time `{time.cell.text}` in line {line.number} is not a duration"
            self.faults.append(LogFault(time.cell, "training_time_unreadable", reason))
        else:
            run.time = time

    def _open(self, part: EpochBars) -> KerasRun:
        lines = [heading.line for heading in self._headings]
        self._take("condition", *lines, *self._argument_lines)
        stated = dict(self._arguments.stated)
        sizes = [heading.batch_size.value for heading in self._headings if heading.batch_size]
        size = sizes[-1] if sizes else parse_count(stated["batch_size"].value) if "batch_size" in stated else None
        names_device = any(heading.device for heading in self._headings)
        if names_device:
            self._device_states_batch = bool(sizes)
        self._run = KerasRun(
            self._device if names_device or (lines and self._device_states_batch) else None,
            lines[0] if lines else None,
            int(size) if size else None,
            dict(self._parameters),
            self._samples,
            stated,
            [part],
        )
        self._headings, self._argument_lines, self._samples = [], [], set()
        return self._run

    def _close(self) -> None:
        if self._run is not None:
            self.runs.append(self._run)
            self._run = None

    def _close_after_bars(self) -> None:
        if self._run is not None and self._run.bars:
            self._close()

    def _take(self, kind: Kind, *lines: Line) -> None:
        self.kinds.update(dict.fromkeys((line.number for line in lines), kind))
