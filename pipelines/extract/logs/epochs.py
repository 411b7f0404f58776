"""Epochs of trainings by programs other than Keras: what a line says of one that has ended, of the time of all of them,
and which run they are of.

Bars of Keras are read in `keras.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from pipelines.extract.conditions import Stated, fields_of
from pipelines.extract.rows import Epoch, Reject, Run
from pipelines.read.document import Cell, Line
from pipelines.read.log_lines import Said, said_on, visible
from pipelines.values.durations import parse_clock, parse_duration, unit_seconds
from pipelines.values.numbers import parse_count, parse_number

# No line that states a time is longer; sentences are.
_LONGEST_HEADING = 200
# `training time: 499.7363388000522`, `Total training time: 1h 2m`, `Elapsed time (s): 12.3`, `Training took 12.3 s`
_TRAINING_TIME = re.compile(
    r"\W*(?:(?:total|overall)\s+)?(?:model\s+)?"
    r"(?:(?:training|train|fit|elapsed|wall(?:[\s-]?clock)?)[\s_-]?(?:time|duration)|time\s+(?:taken|elapsed)|total\s+time)"
    r"(?:\s+(?:taken|elapsed|for\s+training))?\s*+(?:[(\[](?P<unit>[a-z]{1,12})[)\]]\s*+)?[:=]\s*(?P<value>\S.{0,60})"
    r"|\W*training\s+(?:took|(?:was\s+)?(?:finished|completed|done)\s+in)\s*:?\s*(?P<spent>\S.{0,60})",
    re.IGNORECASE,
)
# What may follow the time: ` (8.3 min)`, a full stop
_AFTER_TIME = re.compile(r"\s{0,20}+(?:\([^()]{0,80}\))?[\s.]{0,20}+$")

# `Epoch 3`, `End of epoch 3`, `Epoch: [3]`, `Epoch [3/10]`, `Epoch 3/10`, `epoch 003`, `Epoch #3`
_EPOCH = re.compile(
    r"(?:End of )?Epoch\s*+(?:[:=#]\s*+)?(?:(?P<open>[\[(])\s*+)?(?P<number>(?=[\w.]*\d)[\w.]+|[A-Za-z](?=/))"
    r"(?:\s*+(?:/|\bof\b)\s*+(?P<planned>(?=[\w.]*\d)[\w.]+))?\s*+(?(open)[\])])",
    re.IGNORECASE,
)
# `: 100%|██████████| 938/938 [00:12<00:00, 75.12it/s, loss=0.1]` behind the number of the epoch
_BAR_BEHIND = re.compile(
    r"\s*+(?:[:\-]\s*+)?(?P<percent>\d{1,3})%\|[^|]*\|\s*(?P<done>[^\s/]+)/(?P<total>[^\s/\[]+)\s*\[(?P<time>[^<\]]+)<(?P<rest>.*)"
)
# `Epoch 0:  45%|████▌     |`, `Epoch [0] ...`: whatever the line says, these epochs are counted from 0
_ZERO = re.compile(r"Epoch\s*+(?:[:=#]\s*+)?(?:[\[(]\s*+)?0+(?![\d.])", re.IGNORECASE)
_LOSS = re.compile(r"(?<![\w-])loss\s*[:=]\s*(?P<loss>[-+\w.]+)", re.IGNORECASE)
# `Total time: 0:12:34 (0.31 s / it)` behind `Epoch: [3]`: what torchvision, DINO and MAE end an epoch with
_TOTAL = re.compile(r"\s*Total time: (?P<time>\S+)(?:\s*\(.*\))?")
# `, Time: 12.3s`, ` | epoch_time = 12.3 sec`, ` took 12.3 seconds`, ` completed in 12.3s`, ` - 22s - loss`, ` (12.3 s)`
_TIME = re.compile(
    r"(?:^|[\s,|;(-])(?:(?:epoch[\s_]?)?(?:time|duration|runtime)(?:[\s_](?:taken|spent|per[\s_]epoch))?\s*+(?:[:=]\s*+)?"
    r"|(?:took|(?:completed|finished|done)\s+in)\s*+(?::\s*+)?)"
    r"(?P<time>(?=[^\s,|;()]{0,40}\d)[^\s,|;()]+(?:\s?(?:s|secs?|seconds?|min|mins|minutes?|ms|h|hours?)\b(?:\s\d+(?:\.\d+)?\s?s(?:ec(?:onds)?)?\b)?)?)",
    re.IGNORECASE,
)
_BARE_TIME = re.compile(r"\s+-\s+(?P<time>[^\s\d]*\d\S*s)\s+-\s")
# Words by which the time is not that of the epoch alone, or the line not of a whole one
_OTHER_TIME = re.compile(
    r"\b(?:eta|remaining|elapsed|wall|total|cumulative|steps?|iter(?:ation)?s?|batch(?:es)?|data|val(?:idation)?|test|eval)"
    r"[\s_-]*(?:time|duration|runtime)|\btime[\s_](?:per|for|since)[\s_](?!epoch)|\beta\b",
    re.IGNORECASE,
)
# `Training time 0:12:34`, `Training time 1 day, 2:03:04`
_TRAINING_CLOCK = re.compile(
    r"(?:Total )?Training time:? (?P<time>(?:(?P<days>\d+) days?, )?(?P<clock>\d{1,2}:\d\d:\d\d(?:\.\d+)?))"
)
_TIMEDELTA = re.compile(r"(?:(?P<days>\d+) days?, )?(?P<clock>\d{1,3}:[0-5]\d:[0-5]\d(?:\.\d+)?)")
_LONGEST_EPOCH = 2_000


# From one epoch to the next a clock that was never set back goes on by about the time of the first epoch.
_LEAST_STEP = 0.5


@dataclass(frozen=True, slots=True)
class PrintedValue:
    """A printed value: its characters and what they say, None where they cannot be read."""

    cell: Cell
    value: float | None


def parse_loss(text: str) -> float | None:
    """A printed loss; `nan` and `inf` as such, None for anything that is no number."""
    if text.lower().lstrip("+-") in ("nan", "inf"):
        return float(text)
    quantity = parse_number(text)
    return quantity.value if quantity else None


def read_training_time(line: Line) -> PrintedValue | None:
    """The time [s] of a whole training that a line states; a number without unit is in seconds."""
    if len(line.text) > _LONGEST_HEADING:
        return None
    match = _TRAINING_TIME.fullmatch(visible(line.text))
    if match is None:
        return None
    cell = line.matched(match, "value" if match["value"] else "spent").stripped()
    after = _AFTER_TIME.search(cell.text)
    cell = cell.part(0, after.start() if after else len(cell.text)).stripped()
    if not any(character.isdigit() for character in cell.text):
        return None
    unit = unit_seconds(match["unit"]) if match["unit"] else 1.0
    number = parse_number(cell.text)
    if number is not None:
        return PrintedValue(cell, number.value * unit if unit else None)
    quantity = parse_duration(cell.text) or parse_clock(cell.text)
    return PrintedValue(cell, quantity.value if quantity else None)


@dataclass(frozen=True, slots=True)
class EpochLine:
    """An epoch that has ended.

    Attributes:
        line: The line it stands on.
        number: Its number as printed.
        planned: Epochs planned, where they are printed.
        counts_from: 0 or 1 where the program is known to count so, else None.
        place: The printed time.
        seconds: Its time [s]; None where it cannot be read.
        steps: Its steps, where a progress bar prints them.
        loss: The loss as printed; None where none is.
        reason: What cannot be read.
    """

    line: Line
    number: int | None
    planned: int | None
    counts_from: int | None
    place: Cell
    seconds: float | None
    steps: int | None = None
    loss: float | None = None
    reason: str = ""


def read_epoch_line(line: Line) -> EpochLine | None:
    """The epoch that a line ends, or None for a line that prints no time of an epoch."""
    return epoch_on(said_on(line))


def names_epoch_zero(text: str) -> bool:
    """Whether the words of a program begin with an epoch 0."""
    return bool(_ZERO.match(text))


def epoch_on(said: Said) -> EpochLine | None:
    """The same of a line whose prefixes are known."""
    cell = said.cell
    if "epoch" not in cell.text[:12].casefold() or len(cell.text) > _LONGEST_EPOCH:
        return None
    head = _EPOCH.match(cell.text)
    if head is None:
        return None
    rest = cell.text[head.end() :]
    for time, counts_from, steps in _times(rest):
        place = cell.part(head.end() + time[0], head.end() + time[1]).stripped()
        number, seconds = parse_count(head["number"]), seconds_of(place.text)
        planned = parse_count(head["planned"]) if head["planned"] else None
        loss = _LOSS.search(rest)
        value = parse_loss(loss["loss"]) if loss else None
        reason = ""
        if seconds is None:
            reason = f"`{place.text}` is no time of an epoch"
        elif number is None or (head["planned"] and planned is None):
            reason = f"`{head[0].strip()}` holds no number of an epoch"
        elif loss and value is None:
            reason = f"the loss `{loss['loss']}` is not a number"
        elif steps == "?":
            reason = "the steps of the bar cannot be read"
        count = parse_count(steps) if steps and steps != "?" else None
        return EpochLine(said.line, number, planned, counts_from, place, seconds, count, value, reason)
    return None


def training_time_on(line: Line) -> PrintedValue | None:
    """The time [s] of a whole training that a line states, behind its prefixes."""
    said = said_on(line)
    if match := _TRAINING_CLOCK.fullmatch(said.cell.text):
        return PrintedValue(said.cell.matched(match, "time"), seconds_of(match["time"]))
    # Blanks in place of the prefixes keep every character at its place.
    return read_training_time(Line(line.number, " " * said.start + said.text[said.start :]))


def parts_of(epoch: EpochLine) -> tuple[Cell, Cell | None, Cell | None, Cell]:
    """The number of an epoch, its steps, its loss and all that stands behind the number, where they are printed."""
    cell = said_on(epoch.line).cell
    head = _EPOCH.match(cell.text)
    end = head.end() if head else 0
    bar = _BAR_BEHIND.match(cell.text, end) if epoch.steps else None
    loss = _LOSS.search(cell.text, end)
    return (
        cell.part(0, end),
        cell.part(bar.start("done"), bar.end("total")) if bar else None,
        cell.matched(loss, "loss") if loss else None,
        cell.part(end, len(cell.text)),
    )


def seconds_of(text: str) -> float | None:
    """Seconds of a printed time with its unit: `12.3s`, `0:12:34`, `1 day, 2:03:04`, `00:12`."""
    if match := _TIMEDELTA.fullmatch(text):
        clock = parse_clock(match["clock"])
        return clock.value + 86400 * int(match["days"] or 0) if clock else None
    duration = parse_duration(text) or parse_clock(text)
    return duration.value if duration else None


def _times(rest: str) -> Iterator[tuple[tuple[int, int], int | None, str | None]]:
    """Where the time of the epoch stands behind its number, from which number the program counts, and the steps."""
    if bar := _BAR_BEHIND.match(rest):
        done, total = parse_count(bar["done"]), parse_count(bar["total"])
        if bar["percent"] == "100" and (done == total or done is None or total is None):
            yield bar.span("time"), None, bar["total"] if done is not None and done == total else "?"
        return
    if total_time := _TOTAL.fullmatch(rest):
        yield total_time.span("time"), 0, None
    elif not _OTHER_TIME.search(rest):
        found = [*_TIME.finditer(rest)]
        bare = _BARE_TIME.match(rest)
        if len(found) == 1 and not bare and parse_number(found[0]["time"]) is None:
            yield found[0].span("time"), None, None
        elif bare and not found:
            yield bare.span("time"), None, None


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
        first, fields = self.epochs[0].line, fields_of({name: each.value for name, each in self.stated.items()})
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
