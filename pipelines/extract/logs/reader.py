"""Walks through the lines of a log and cuts it into runs. What a line says is read in `bars.py` and `headings.py`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.extract.logs.bars import Bar, read_bar
from pipelines.extract.logs.conditions import Conditions
from pipelines.extract.logs.headings import (
    EARLY_STOP,
    MODEL,
    EpochHeader,
    Stated,
    read_batch_size,
    read_device,
    read_epoch_header,
    read_parameters,
    read_training_time,
)
from pipelines.extract.logs.joined import is_joined
from pipelines.extract.logs.runs import Fault, Part, RunDraft
from pipelines.extract.logs.wrapped import with_wrapped_loss
from pipelines.read.document import Cell, Line

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
        # Lines from `Model: "..."` on, which are its summary when the parameter counts follow.
        self._summary: list[Line] = []
        # True behind joined lines, until a heading starts another run.
        self._is_torn = False

    def walk(self) -> None:
        """Reads all lines."""
        index = 0
        while index < len(self._lines):
            line = self._lines[index]
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

    def _add_time(self, line: Line, stated: Stated) -> None:
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
