"""Epochs put together to runs, as rows. What a line says of an epoch is read in `epochs.py`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pipelines.extract.logs.headings import Stated
from pipelines.extract.programs.epochs import EpochLine
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.read.document import Cell, Line

# From one epoch to the next a clock that was never set back goes on by about the time of the first epoch.
_LEAST_STEP = 0.5


@dataclass
class Training:
    """A run while its lines are being read.

    Attributes:
        facts: What the log says of how it is run.
        has_zero: True where some line before names an epoch 0.
        epochs: Its epochs, in order; of a bar that was drawn again the last state.
        time: The time that the log states for all of it, and its line.
    """

    facts: Mapping[str, Any]
    has_zero: bool = False
    epochs: list[EpochLine] = field(default_factory=list)
    time: tuple[Line, Stated] | None = None

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
        first = self.epochs[0].line
        planned = [epoch.planned for epoch in self.epochs if epoch.planned]
        stated = self.time[1] if self.time else None
        yield Run(
            cell=stated.cell if stated and stated.value is not None else first.cell,
            accelerator_printed=self.facts.get("platform_printed"),
            accelerator_count=self.facts.get("accelerator_count"),
            batch_size=self.facts.get("batch_size"),
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

    def add_epoch(self, epoch: EpochLine, facts: Mapping[str, Any]) -> None:
        """Adds an epoch to the run it is of, or to a new one."""
        if not self.runs or not self.runs[-1].takes(epoch):
            self.runs.append(Training(dict(facts), self.sees_zero))
            self.sees_zero = False
        self.runs[-1].add(epoch)

    def add_time(self, line: Line, stated: Stated) -> bool:
        """States the time of the run above; False where none is there that has no time yet."""
        if not self.runs or self.runs[-1].time is not None:
            return False
        self.runs[-1].time = line, stated
        return True


def _refused(line: Line, cell: Cell, rule: str, reason: str) -> Reject:
    row = {"line": line.number, "text": line.text}
    return Reject(cell=cell, rule=rule, reason=reason, row_json=json.dumps(row, ensure_ascii=False))
