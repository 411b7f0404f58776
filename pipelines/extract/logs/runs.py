"""Which bar ends which epoch of a run. Lines are read in `bars.py` and `headings.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pipelines.extract.logs.bars import Bar
from pipelines.extract.logs.headings import Device, EpochHeader, Stated
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
    training_time: Stated | None = None
    is_ended: bool = False
    # Whether a batch size is printed for it, readable or not.
    states_batch: bool = False
    # Its first lines stand among joined ones, so that its first bar need not be its first epoch.
    is_torn: bool = False
    # Bars after the last epoch, of an evaluation.
    after: list[Bar] = field(default_factory=list)

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
