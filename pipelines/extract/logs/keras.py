"""The lines that Keras prints: progress bars with their times and losses, and headings of devices
and batch sizes.

Their patterns are in `programs.yml`; which runs and epochs they are belongs in `training_log`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from pipelines.extract.logs.programs import programs
from pipelines.extract.mentions import find_mentions
from pipelines.read.document import Cell, Line
from pipelines.read.log_lines import visible
from pipelines.values.durations import parse_clock, parse_duration
from pipelines.values.numbers import parse_count, parse_number

# A wrapped loss is one or two lines below its bar; further down it would be something else.
_WRAPPED_WITHIN = 2
# No heading of a log is longer, nor a part of a bar that is wrapped; sentences are.
_LONGEST_HEADING = 200
# `0.1113` below a bar that ends with `loss:`, `loss: 0.1113` below one that ends with a dash
_WRAPPED = re.compile(
    r"(?i)\s*(?P<name>[A-Za-z]\w*:\s)?(?:[-+]?(?:nan|inf)|\S*\d\S*)(?:\s-\s.*|\s*)"
)

# Lines are read to recognise a log, and to extract it.
_MEMORY = 1 << 14
_CONDITIONS = frozenset({"platform", "accelerator_count", "batch_size"})


@lru_cache(_MEMORY)
def said_by(line: Line) -> dict[str, Cell] | None:
    """What a line of Keras says, by the groups of its pattern; None for any other line."""
    for _, match in programs().epochs.matching(visible(line.text)):
        groups = match.groupdict().items()
        return {name: line.matched(match, name) for name, text in groups if text}
    return None


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
    place: Cell
    total: int | None
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


def read_bar(line: Line, following: Line | None = None) -> Bar | None:
    """The progress bar on a line, with the part wrapped to the next line; None if there is none."""
    # Most documents have no bar, and most of their lines no slash: the patterns cost ten times more.
    said = (said_by(line) or {}) if "/" in line.text else {}
    steps = said.get("steps")
    if steps is None or not any(map(str.isdigit, steps.text)):
        return None
    done, total = map(parse_count, steps.text.split("/"))
    bar, words = Bar([line], steps, steps, total or None), _words(said.get("words"))
    is_drawn_on = "head" in said or any(word.text == "ETA:" for word in words)
    if is_drawn_on or steps.text.endswith("/Unknown"):
        bar.is_progress = True
    elif done is None or not total or done > total:
        bar.fault = f"the steps `{steps.text}` are not two whole numbers"
    elif done < total:
        bar.is_progress = True
    else:
        if words and following and _is_wrapped(words[-1].text, following, line):
            bar.lines.append(following)
            words += _words(following.cell)
        _read_words(bar, words)
    return bar


def _words(cell: Cell | None) -> list[Cell]:
    return [cell.matched(word) for word in re.finditer(r"\S+", visible(cell.text))] if cell else []


def _is_wrapped(last_word: str, line: Line, bar: Line) -> bool:
    """Whether a line goes on with the bar above it, of which the last word ends with `:` or `-`."""
    if line.number - bar.number > _WRAPPED_WITHIN or len(line.text) > _LONGEST_HEADING:
        return False
    wrapped = _WRAPPED.fullmatch(visible(line.text))
    if wrapped is None:
        return False
    is_bar = "steps" in (said_by(line) or {})
    return not is_bar and last_word.endswith("-" if wrapped["name"] else ":")


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
            time, seconds = word.part(0, len(printed)), read_seconds(printed)
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


def read_seconds(text: str) -> float | None:
    """Seconds of a duration such as `22s`, `1h 2m`, `0:01:05`."""
    quantity = parse_duration(text) or parse_clock(text)
    return quantity.value if quantity else None


def read_heading(line: Line, said: Mapping[str, Cell]) -> dict[str, str] | None:
    """The conditions of a line that names known devices, or a batch size, and nothing else: `1 ipu,
    batch_size 10`, `bs 128`.

    One of unknown devices has none; None for a line that is no heading, such as a row of a table
    with tabs.
    """
    if "\t" in line.text or len(line.text) > _LONGEST_HEADING:
        return None
    texts = {name: cell.text for name, cell in said.items()}
    if not texts or not texts.keys() <= _CONDITIONS:
        return None
    if device := texts.get("platform"):
        # A known platform, or a word for devices, such as `GPUs`, that may follow a count.
        counted = f"2 {device}"
        named = [m for m in find_mentions(counted) if m.start <= 2 and m.end == len(counted)]
        if not any(m.kind in ("platform", "accelerator_count") for m in named):
            is_batch = device.casefold().startswith(("batch", "bs", "micro"))
            return {} if "accelerator_count" in texts and not is_batch else None
    return texts
