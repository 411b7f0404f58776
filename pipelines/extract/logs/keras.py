"""Progress logs of Keras: what a line says (a bar, an epoch header, a heading of devices and batch sizes, a count of
parameters), and the runs that the lines make.

Rows are made of runs in `extract/training_log.py`; the epochs of other programs are read in `epochs.py`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from pipelines.extract.conditions import Stated
from pipelines.extract.logs.epochs import PrintedValue, parse_loss, read_training_time
from pipelines.extract.logs.settings import Settings
from pipelines.extract.mentions import find_mentions
from pipelines.read.document import Cell, Line
from pipelines.read.log_lines import said_on, visible
from pipelines.values.durations import parse_clock, parse_duration
from pipelines.values.numbers import parse_count

# Keras redraws a bar over the old one; no line it prints comes near this length, and longer lines cost time to match.
_LONGEST_BAR = 5_000
# No heading of a log is longer; sentences are.
_LONGEST_HEADING = 200

# `7000/7000 [=====] - 22s`, `1875/1875 ━━━━━━━━ 3s`, `1875/1875 - 5s - loss: 0.2`, ` 938/Unknown 5s`
_LEAD = re.compile(
    r"[\s>#|]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,Z\]]*\s+)?"
    r"(?P<steps>(?P<done>[^\s/\[\]]{1,20})/(?P<total>[^\s/\[\]]{1,20}))"
    r"(?:\s*(?P<drawing>\[[=>.]{3,80}\]|━[━\s]*)|(?<=/Unknown)\s|\s+-\s+(?=(?:\S{0,8}\d\S{0,8}|[A-Za-z])s\s))"
)
# ` - 5s - loss: 0.2513 - acc: 0.9263` (verbose=2 before TensorFlow 2)
_LEAD_WITHOUT_STEPS = re.compile(r"\s*-\s+(?=(?:\S{0,8}\d\S{0,8}|[A-Za-z])s\s+-\s+[\w ]{1,40}:)")
# The dash between two fields; not the sign of `-0.5` and not the one in `1e-05`
_DASH = re.compile(r"(?<!\S)-(?!\S)")
_NAME = re.compile(r"[A-Za-z][\w .()/@%-]*")
# `65ms/step`, `904us/step`, `5s/epoch`, `83us/sample`
_RATE = re.compile(r"(?P<time>\S+)/(?P<unit>step|epoch|sample|batch)")
# `Epoch 2/3`, `Epoch 1 of 10:`
_HEADER = re.compile(
    r"[\s>#*]*Epoch:?\s+(?P<number>\S{1,12}?)\s*+(?:/|\bof\b)\s*+(?P<planned>\S{1,12}?)\s*+(?::\s*+)?", re.IGNORECASE
)
# `## 8 GPUs`, `1 H100-GPU`, `**16x H100 (bs=32)**`, `A100 ×4, bs 128`, and `x ipus` with a letter for the digit, with D
# for the device and B for the batch size
_HEADING = re.compile(
    r"[\W_]*+(?:(?:(?P<before>\d\w{0,5}?|[A-Za-z])\s*+(?:[x\u00d7]\s*+)?)?D(?:\s*+[x\u00d7]\s*+(?P<behind>\d+))?[\W_]*+)?"
    r"(?:B[\W_]*+)?"
)
# `2 x A100`, `4 ipus`, `Gaudi2 x 8` as one name
_COUNTED = re.compile(
    r"(?:(?P<before>\d+)(?:\s*+[x\u00d7]\s*+|\s++))?(?P<name>.*?)(?:(?<!\s)\s*+[x\u00d7]\s*+(?P<behind>\d+))?"
)
_HEADED = {"platform": "D", "accelerator_count": "D", "batch_size": "B"}
_NUMBER = re.compile(r"\d[\d,]*")
# Of an evaluation, not of the training
_OTHER_BATCH = re.compile(r"\b(?:global|total|effective|eval\w*|val\w*|test|predict\w*|inference)\b", re.IGNORECASE)
# A wrapped loss stands one or two lines below its bar; further down it would be something else.
_WRAPPED_WITHIN = 2
# `Epoch 00007: early stopping`
_EARLY_STOP = re.compile(r"\s*Epoch \d+: early stopping\s*", re.IGNORECASE)
# `Total params: 8,922,155`, ` Trainable params: 4,512,347 (17.21 MB)`; `8 922 155` is one value that cannot be read
PARAMETERS = re.compile(
    r"\W*(?P<kind>Total|Trainable|Non-trainable|Optimizer) params:\s*(?P<value>\S+(?:\s\d+)*).*", re.IGNORECASE
)
# `Model: "sequential"`, which is a name that Keras gives
_MODEL = re.compile(r"(?<!\s)\s*Model: \"[^\"]*\"\s*")
# `Train on 60000 samples, validate on 10000 samples`: the bars of old Keras count samples and say `/step`
_SAMPLES = re.compile(r"\s*Train on (?P<samples>\d+) samples\b.*")
# `2024-05-01 12:00:00.123456: I tensorflow/core/...`, `I0000 00:00:17 ...`, `WARNING:tensorflow:...`, `INFO ...`,
# `Epoch 3: val_loss improved from 0.35 to 0.31, saving model to best.keras`, `Restoring model weights from ...`
_MESSAGE = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*\s+\[?[IWEFDA-Z]+\b.*|[IWEF]\d{4} \d\d:.*"
    r"|(?:INFO|WARNING|ERROR|DEBUG)\b.*|Epoch \d+: \w.*|Restoring model weights.*)"
)

State = Literal["finished", "progress", "damaged"]
# What a line that is read is, for the accounting.
Kind = Literal["bar", "header", "time", "model", "parameters", "summary", "condition", "message"]


class BarField(NamedTuple):
    """What stands between two dashes of a bar; `name` is None for a time, `value` is the rest, without white space."""

    name: str | None
    value: Cell


@dataclass(frozen=True, slots=True)
class Bar:
    """One printed state of a progress bar.

    Attributes:
        line: The line it stands on.
        state: `finished` when all steps are done, `progress` while some are not, `damaged` when it cannot be read.
        place: The printed time of the epoch; the steps where no time is printed.
        reason: For a damaged bar, what cannot be read.
        total: Steps of the whole bar; None where none are printed or they cannot be read.
        counts_samples: True where the bar counts samples, not steps (`83us/sample`).
        epoch_time_s: Printed time of the epoch [s].
        step_time_ms: Printed time of one step [ms].
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


def split_fields(line: Line, start: int = 0) -> Iterator[BarField]:
    """The fields of a bar or of the line that continues it, from character `start` on."""
    text = visible(line.text)
    for end in [*(match.start() for match in _DASH.finditer(text, start)), len(text)]:
        cell = Cell(text[start:end], line.number, start, end).stripped()
        name, colon, _ = cell.text.partition(":")
        if colon and _NAME.fullmatch(name):
            yield BarField(name.strip(), cell.part(len(name) + 1, len(cell.text)).stripped())
        elif cell.text:
            yield BarField(None, cell)
        start = end + 1


def read_bar(line: Line) -> Bar | None:
    """The progress bar on a line, or None when the line does not look like one."""
    if not 6 <= len(line.text) <= _LONGEST_BAR:
        return None
    text = visible(line.text)
    lead = _LEAD.match(text) or _LEAD_WITHOUT_STEPS.match(text)
    if lead is None:
        return None
    fields = list(split_fields(line, lead.end()))
    steps = lead.groupdict().get("steps")
    if steps is None:
        return _finished(line, line.matched(lead).stripped(), None, fields)
    if not any(map(str.isdigit, steps)):
        return None
    place = line.matched(lead, "steps")
    done, total = parse_count(lead["done"]), parse_count(lead["total"])
    if lead["total"] == "Unknown" or re.search("[>.]", lead["drawing"] or "") or any(f.name == "ETA" for f in fields):
        return Bar(line, "progress", place, total=total)
    if done is None or total is None:
        return Bar(line, "damaged", place, f"the steps `{steps}` are not two whole numbers", total)
    if done > total or total == 0:
        return Bar(line, "damaged", place, f"`{steps}` are more steps than there can be", total)
    return Bar(line, "progress", place, total=total) if done < total else _finished(line, place, total, fields)


def _finished(line: Line, steps: Cell, total: int | None, fields: Sequence[BarField]) -> Bar:
    """A bar with all steps done; damaged when a time or the loss on the line cannot be read."""
    times: dict[str, tuple[Cell, float]] = {}
    loss, is_behind_metrics = None, False
    for name, value in fields:
        if name == "loss" and value.text and (loss := parse_loss(value.text)) is None:
            return Bar(line, "damaged", value, f"the loss `{value.text}` is not a number", total)
        is_behind_metrics |= name is not None
        for kind, cell in _bar_times(value) if name is None else ():
            seconds = _seconds(cell.text)
            if seconds is not None:
                times.setdefault(kind, (cell, seconds))
            elif not (is_behind_metrics and kind == "elapsed"):
                return Bar(line, "damaged", cell, f"the time `{cell.text}` is not a duration", total)
    # `358ms` of `358ms/epoch` says more than the `0s` before it.
    elapsed, per_epoch = times.get("elapsed"), times.get("epoch")
    if per_epoch and (elapsed is None or not re.fullmatch(r"[\d.]+s", per_epoch[0].text)):
        elapsed = per_epoch
    step = times.get("step") or times.get("batch")
    return Bar(
        line,
        "finished",
        elapsed[0] if elapsed else steps,
        total=total,
        counts_samples="sample" in times,
        epoch_time_s=elapsed[1] if elapsed else None,
        step_time_ms=round(step[1] * 1e3, 9) if step else None,
        loss=loss,
        metrics=tuple(name for name, _ in fields if name),
    )


def _bar_times(cell: Cell) -> Iterator[tuple[str, Cell]]:
    """The times of a field such as `22s 3ms/step`: (`elapsed` or what it is the time of, its characters)."""
    plain: list[re.Match[str]] = []
    for word in re.finditer(r"\S+", cell.text):
        if rate := _RATE.fullmatch(cell.text, *word.span()):
            yield rate["unit"], cell.matched(rate, "time")
        else:
            plain.append(word)
    if plain:
        yield "elapsed", cell.part(plain[0].start(), plain[-1].end())


def _seconds(text: str) -> float | None:
    quantity = parse_duration(text) or parse_clock(text)
    return quantity.value if quantity and math.isfinite(quantity.value) else None


def with_wrapped_loss(bar: Bar, lines: Sequence[Line], index: int) -> tuple[Bar, int]:
    """The bar of line `index` with the loss that stands below it, and how many lines it takes."""
    line = lines[index + 1] if index + 1 < len(lines) else None
    if bar.state != "finished" or bar.loss is not None or line is None:
        return bar, 1
    fields = list(split_fields(line))
    if line.number - bar.line.number > _WRAPPED_WITHIN or not fields:
        return bar, 1
    value, names = None, bar.metrics
    if "loss" in names:
        value = fields[0].value if fields[0].name is None else None
    elif visible(line.text).lstrip().startswith("- ") or visible(bar.line.text).rstrip().endswith(" -"):
        value = next((each.value for each in fields if each.name == "loss"), None)
        names = (*names, *(each.name for each in fields if each.name))
    if value is None or " " in value.text:
        return bar, 1
    if (loss := parse_loss(value.text)) is not None:
        return replace(bar, loss=loss, metrics=names), 2
    if any(map(str.isdigit, value.text)) and read_bar(line) is None:
        reason = f"the loss `{value.text}` in line {line.number} is not a number"
        return replace(bar, state="damaged", place=value, reason=reason), 2
    return bar, 1


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


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that names what was trained on, or a batch size, and nothing else: `1 ipu, batch_size 10`, `bs 128`.

    Attributes:
        line: The line.
        device: The device as printed, without the count.
        count: Devices; None where no number is printed.
        batch_size: The batch size; its value is None where several are printed.
    """

    line: Line
    device: str | None
    count: int | None
    batch_size: PrintedValue | None


def read_heading(line: Line) -> Heading | None:
    """The heading that a line consists of, or None."""
    cell = line.cell
    text = visible(cell.text)
    if not text.strip() or len(text) > _LONGEST_HEADING or "\t" in text or _OTHER_BATCH.search(text):
        return None
    masked, start = "", 0
    found = [mention for mention in find_mentions(text) if mention.kind in _HEADED]
    for mention in found:
        masked += text[start : mention.start] + _HEADED[mention.kind]
        start = mention.end
    outer = _HEADING.fullmatch(masked + text[start:])
    if not found or outer is None:
        return None
    name, count, size = None, None, None
    for mention in found:
        printed = cell.part(mention.start, mention.end)
        if mention.kind == "batch_size":
            if number := _NUMBER.search(printed.text):
                size = PrintedValue(printed.matched(number), parse_count(number[0]) or None)
        elif inner := _COUNTED.fullmatch(visible(printed.text)):
            name = inner["name"]
            count = next((parse_count(m[g]) for m in (inner, outer) for g in ("before", "behind") if m[g]), None)
    return Heading(line, name, count, size)


@dataclass
class Part:
    """What stands under one epoch header; the first part of a run may have none."""

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
        heading: The heading of a device that it stands under.
        start: The heading or batch size line that starts it; None where it has none of its own.
        batch_size: Its batch size.
        parameters: Parameters of its model by kind.
        samples: Samples of its data sets, which bars of old Keras count.
        stated: What command lines and settings above it say, by dimension.
        parts: Its epoch headers with the bars under them.
        time: The time that is stated for all of it.
        is_ended: Whether its time is stated, or it stopped early.
    """

    heading: Heading | None
    start: Line | None
    batch_size: int | None
    parameters: Mapping[str, int | None]
    samples: set[int]
    stated: Mapping[str, Stated]
    parts: list[Part] = field(default_factory=list)
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
        return self.is_ended or bool(last and last.number == last.planned and self.ends(self.parts[-1]))

    @property
    def steps(self) -> int | None:
        """Steps of an epoch: one `fit` has one number of steps, an evaluation beside it has another."""
        of_parts = [[bar.total for bar in part.bars if bar.total and self._may_end(bar)] for part in self.parts]
        others = {total for totals in of_parts for total in totals if total != totals[0]}
        firsts = [totals[0] for totals in of_parts if totals]
        seen = [total for total in firsts if total not in others] or firsts
        return Counter(seen).most_common(1)[0][0] if seen else None

    def _may_end(self, bar: Bar) -> bool:
        return bar.state == "damaged" or bool(bar.metrics) or not any(other.metrics for other in self.bars)

    def ends(self, part: Part) -> list[Bar]:
        """The bars that may end the epoch of a part: those with the steps of the run, and no predictions.

        A damaged bar of unknown steps is among them: it keeps its place, so that no other bar takes its number.
        """
        steps = self.steps
        return [
            bar
            for bar in part.bars
            if self._may_end(bar) and (bar.total == steps or (bar.state == "damaged" and bar.total is None))
        ]

    def epochs(self) -> tuple[list[tuple[int, Bar]], list[Fault]]:
        """Its epochs with the bar that ends each, and the bars and headers that fit no epoch.

        A header's number is taken as printed. Bars above the first header end the epochs before it; where no header
        stands in the whole run, they are counted from 1.
        """
        epochs: list[tuple[int, Bar]] = []
        faults: list[Fault] = []
        for part in self.parts:
            ends = self.ends(part)
            number = part.header.number if part.header else None
            if part.header is None:
                following = next((p.header.number for p in self.parts if p.header and p.header.number), None)
                count = min(len(ends), following - 1) if following else len(ends)
                first = following - count if following else 1
            else:
                count, first = (min(1, len(ends)), number) if number else (0, 1)
                if not ends:
                    faults.append(_without_bar(part, self.steps))
            kept = ends[:count] if part.header else ends[len(ends) - count :]
            epochs += zip(range(first, first + count), kept, strict=True)
            # Behind the last of the planned epochs stand evaluations.
            is_last = bool(part.header and number == part.header.planned and kept)
            faults += (_without_header(bar) for bar in ends if bar not in kept and not is_last)
        faults = [each for each in faults if each.rule == "epoch_without_bar" or each.bar_state != "damaged"]
        return [(number, bar) for number, bar in epochs if bar.state == "finished"], faults


class Fault(NamedTuple):
    """Something printed in a log that was not let in, and why."""

    line: Line
    cell: Cell
    rule: str
    reason: str
    bar_state: State = "finished"


def damaged_bar(bar: Bar) -> Fault:
    """A bar that cannot be read."""
    reason = f"line {bar.line.number} looks like a progress bar, but {bar.reason}"
    return Fault(bar.line, bar.place, "bar_unreadable", reason)


def _without_header(bar: Bar) -> Fault:
    reason = (
        f"the finished bar in line {bar.line.number} stands under no epoch header of its own, "
        "and the next header does not say which epoch it ends"
    )
    return Fault(bar.line, bar.place, "epoch_without_header", reason, bar.state)


def _without_bar(part: Part, steps: int | None) -> Fault:
    assert part.header is not None
    line = part.header.line
    reason = f"no finished bar follows the epoch header in line {line.number}"
    if part.bars and steps:
        reason += f" with the {steps} steps of the other epochs"
    elif part.has_progress:
        reason += ", only unfinished ones"
    return Fault(line, line.cell, "epoch_without_bar", reason)


class KerasReader:
    """The runs of a log, in order.

    A device heading holds for the run below it and for every further run with a batch size of its own (`bs 128`): a run
    without any may stand under a heading that was lost. Parameters hold until the next model summary, a batch size
    only for the run that it is stated for.

    Attributes:
        runs: Finished runs.
        faults: What was not let in, without the bars and headers that `KerasRun.epochs` finds.
        kinds: What each line that was read is, by number.
        has_bars: True once a finished or damaged progress bar was seen; without one the document is no log.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.runs: list[KerasRun] = []
        self.faults: list[Fault] = []
        self.kinds: dict[int, Kind] = {}
        self.has_bars = False
        self._lines = [line for line in lines if not line.is_blank]
        self._run: KerasRun | None = None
        self._settings = Settings()
        self._device: Heading | None = None
        # Where the first run below a device states no batch size, one that states it is of another device.
        self._device_states_batch = False
        self._headings: list[Heading] = []
        self._setting_lines: list[Line] = []
        self._parameters: dict[str, int | None] = {}
        self._samples: set[int] = set()
        # Lines from `Model: "..."` on, which are its summary when the parameter counts follow.
        self._summary: list[Line] | None = None

    def walk(self) -> None:
        """Reads all lines."""
        index = 0
        while index < len(self._lines):
            line, following = self._lines[index], 1
            if bar := read_bar(line):
                bar, following = with_wrapped_loss(bar, self._lines, index)
                self._take("bar", *self._lines[index : index + following])
                self._add_bar(bar)
            elif header := read_epoch_header(line):
                self._take("header", line)
                self._add_header(header)
            # `Model: "sequential"` is no setting.
            elif not self._take_other(line) and self._settings.read(said_on(line)):
                self._setting_lines.append(line)
            index += following
        self._close()

    def _take_other(self, line: Line) -> bool:
        """Takes a line that is neither a bar nor a header; False where others may read it, too."""
        if time := read_training_time(line):
            self._add_time(line, time)
        elif match := PARAMETERS.fullmatch(visible(line.text)):
            self._close_after_bars()
            self._take("summary", *(self._summary or ()))
            self._take("parameters", line)
            self._summary = None
            self._add_parameters(match["kind"].lower(), parse_count(match["value"]))
        elif _MODEL.fullmatch(line.text):
            self._take("model", line)
            self._close_after_bars()
            self._parameters, self._summary = {}, []
        elif heading := read_heading(line):
            self._close()
            if heading.device:
                self._device, self._headings = heading, []
            self._headings.append(heading)
            return False
        elif match := _SAMPLES.fullmatch(line.text):
            self._take("condition", line)
            run = self._run if self._run and not self._run.is_complete else None
            (run.samples if run else self._samples).add(int(match["samples"]))
        elif self._run is not None and _EARLY_STOP.fullmatch(line.text):
            self._take("message", line)
            self._run.is_ended = True
        elif self._run is not None and _MESSAGE.fullmatch(line.text):
            self._take("message", line)
        else:
            if self._summary is not None:
                self._summary.append(line)
            return False
        return True

    def _add_bar(self, bar: Bar) -> None:
        self._summary = None
        self.has_bars |= bar.state != "progress"
        # `predict` prints a bar without any metric; only a header makes that an epoch.
        if self._run is None and (bar.state == "progress" or (bar.state == "finished" and not bar.metrics)):
            return
        run = self._run or self._open(Part(None))
        run.parts[-1].add(bar)

    def _add_header(self, header: EpochHeader) -> None:
        run, last = self._run, self._run.last_header if self._run else None
        if header.number is None:
            reason = f"line {header.line.number} looks like an epoch header, but its numbers cannot be read"
            self.faults.append(Fault(header.line, header.line.cell, "header_unreadable", reason))
        elif run is not None and (run.is_complete or (last and last.number and header.number <= last.number)):
            if run.is_ended and last and (last.number, last.planned) == (header.number - 1, header.planned):
                self._continue(run)
            else:
                self._close()
        if self._run is None:
            self._open(Part(header))
        else:
            self._run.parts.append(Part(header))

    def _continue(self, run: KerasRun) -> None:
        """Goes on with a run that seemed ended: a time stated within it is not its total."""
        if run.time is not None:
            cell = run.time.cell
            reason = (
                f"line {cell.line} states a time between two epochs of one run, so it is not the time of the training"
            )
            line = next(line for line in self._lines if line.number == cell.line)
            self.faults.append(Fault(line, cell, "training_time_within_run", reason))
        run.time, run.is_ended = None, False

    def _add_time(self, line: Line, time: PrintedValue) -> None:
        run = self._run
        if run is None or run.time is not None:
            if self.has_bars and self._headings:
                reason = f"no epoch stands between the heading and the training time in line {line.number}"
                self._take("time", line)
                self.faults.append(Fault(line, time.cell, "training_time_without_run", reason))
            return
        self._take("time", line)
        run.is_ended = True
        if time.value is None:
            reason = f"the training time `{time.cell.text}` in line {line.number} is not a duration"
            self.faults.append(Fault(line, time.cell, "training_time_unreadable", reason))
        else:
            run.time = time

    def _add_parameters(self, kind: str, count: int | None) -> None:
        """Takes a count of a model summary; `Total params` starts a new one, a line printed twice does not."""
        if kind == "total" or (kind in self._parameters and self._parameters[kind] != count):
            self._parameters = {}
        self._parameters[kind] = count

    def _open(self, part: Part) -> KerasRun:
        lines = [heading.line for heading in self._headings]
        self._take("condition", *lines, *self._setting_lines)
        stated = self._settings.stated("training")
        sizes = [heading.batch_size.value for heading in self._headings if heading.batch_size]
        size = sizes[-1] if sizes else parse_count(stated["batch_size"].value) if "batch_size" in stated else None
        if any(heading.device for heading in self._headings):
            self._device_states_batch = bool(sizes)
        is_known = lines and (self._device_states_batch or any(heading.device for heading in self._headings))
        self._run = KerasRun(
            self._device if is_known else None,
            lines[0] if lines else None,
            int(size) if size else None,
            dict(self._parameters),
            self._samples,
            stated,
            [part],
        )
        self._headings, self._setting_lines, self._samples = [], [], set()
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
