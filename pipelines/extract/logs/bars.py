"""One line of a Keras progress log to a `Bar`. Which epoch or run it belongs to is for `runs.py` to say."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pipelines.read.document import Cell, Line
from pipelines.values.durations import parse_clock, parse_duration
from pipelines.values.numbers import parse_count, parse_number

# Keras redraws a bar over the old one; no line it prints comes near this length, and longer lines cost time to match.
_MAX_LENGTH = 5_000

# `\x1b[1m`, the same in a copy that lost the escape character (`[1m`, `^[[1m`), backspaces before a redrawn bar
_TERMINAL = re.compile(r"(?:\x1b|\^\[)\[[0-9;?]*[A-Za-z]|\[\d{1,3}(?:;\d{1,3})*m|[\x00-\x08\x1b]")

# Begins with one letter, so that a long line is searched quickly.
_LOST_ESCAPE = re.compile(r"\[[\d;]+m")

# `7000/7000 [=====] - 22s`, `1875/1875 ━━━━━━━━ 3s`, `1875/1875 - 5s - loss: 0.2`, ` 938/Unknown 5s`
_LEAD = re.compile(
    r"[\s>#|]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,Z\]]*\s+)?"
    r"(?P<steps>(?P<done>[^\s/\[\]]{1,20})/(?P<total>[^\s/\[\]]{1,20}))"
    r"(?:\s*(?P<drawing>\[[=>.]{3,80}\]|━[━\s]*)|(?<=/Unknown)\s|\s+-\s+(?=(?:\S{0,8}\d\S{0,8}|[A-Za-z])s\s))"
)
# ` - 5s - loss: 0.2513 - acc: 0.9263` (verbose=2 before TensorFlow 2)
_LEAD_WITHOUT_STEPS = re.compile(r"\s*-\s+(?=(?:\S{0,8}\d\S{0,8}|[A-Za-z])s\s+-\s+[\w ]{1,40}:)")
# `[=====]` or `━━━━━` behind something that is not steps
_DRAWING = re.compile(r"\[={3}[=>.]*\]|━{5,}")
# The dash between two fields; not the sign of `-0.5` and not the one in `1e-05`
_DASH = re.compile(r"(?<!\S)-(?!\S)")
# `65ms/step`, `904us/step`, `5s/epoch`, `83us/sample`
_RATE = re.compile(r"(?P<time>\S+)/(?P<unit>step|epoch|sample|batch)")

State = Literal["finished", "progress", "damaged"]


@dataclass(frozen=True, slots=True)
class Field:
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
        may_end_epoch: False for a damaged bar of which the readable digits show that steps were missing.
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
    may_end_epoch: bool = True

    @property
    def is_validated(self) -> bool:
        """True where the bar shows metrics of a validation: only `fit` prints these, at the end of an epoch."""
        return any(name.startswith("val_") for name in self.metrics)


def visible(text: str) -> str:
    """The text with terminal codes and no-break spaces as blanks, every other character at its old offset."""
    if text.isprintable() and "^[" not in text and not _LOST_ESCAPE.search(text):
        return text
    return _TERMINAL.sub(lambda code: " " * len(code[0]), text).replace("\u00a0", " ")


def parse_loss(text: str) -> float | None:
    """A printed loss; `nan` and `inf` as such, None for anything that is no number."""
    if text.lower().lstrip("+-") in ("nan", "inf"):
        return float(text)
    quantity = parse_number(text)
    return quantity.value if quantity else None


def split_fields(line: Line, start: int = 0) -> Iterator[Field]:
    """The fields of a bar or of the line that continues it, from character `start` on."""
    text = visible(line.text)
    ends = [match.start() for match in _DASH.finditer(text, start)] + [len(text)]
    for end in ends:
        cell = Cell(text[start:end], line.number, start, end).stripped()
        name, colon, _ = cell.text.partition(":")
        if colon and re.fullmatch(r"[A-Za-z][\w .()/@%-]*", name):
            yield Field(name.strip(), cell.part(len(name) + 1, len(cell.text)).stripped())
        elif cell.text:
            yield Field(None, cell)
        start = end + 1


def read_bar(line: Line) -> Bar | None:
    """The progress bar on a line, or None when the line does not look like one."""
    if not 6 <= len(line.text) <= _MAX_LENGTH:
        return None
    text = visible(line.text)
    lead = _LEAD.match(text) or _LEAD_WITHOUT_STEPS.match(text)
    if lead is None:
        if _DRAWING.search(text) and re.search(r"/step|loss:", text):
            return _damaged(line, line.cell, "the steps before the bar cannot be read")
        return None
    fields = list(split_fields(line, lead.end()))
    steps = lead.groupdict().get("steps")
    if steps is None:
        return _finished(line, line.matched(lead).stripped(), None, fields)
    if not any(character.isdigit() for character in steps):
        return None
    place = line.matched(lead, "steps")
    if lead["total"] == "Unknown" or re.search("[>.]", lead["drawing"] or "") or any(f.name == "ETA" for f in fields):
        return Bar(line, "progress", place, total=parse_count(lead["total"]))
    done, total = parse_count(lead["done"]), parse_count(lead["total"])
    if done is None or total is None:
        reason = f"the steps `{steps}` are not two whole numbers"
        return _damaged(line, place, reason, total, _can_be_equal(lead["done"], lead["total"]))
    if done > total or total == 0:
        return _damaged(line, place, f"`{steps}` are more steps than there can be", total)
    if done < total:
        return Bar(line, "progress", place, total=total)
    return _finished(line, place, total, fields)


def _finished(line: Line, steps: Cell, total: int | None, fields: list[Field]) -> Bar:
    """A bar with all steps done; damaged when a time or the loss on the line cannot be read."""
    times: dict[str, tuple[Cell, float]] = {}
    is_after_metrics, counts_samples = False, False
    loss = None
    for field in fields:
        if field.name == "loss" and field.value.text:
            loss = parse_loss(field.value.text)
            if loss is None:
                return _damaged(line, field.value, f"the loss `{field.value.text}` is not a number", total)
        if field.name is not None:
            is_after_metrics = True
            continue
        for kind, cell in _times(field.value):
            seconds = _seconds(cell.text)
            if seconds is None and not (is_after_metrics and kind == "elapsed"):
                return _damaged(line, cell, f"the time `{cell.text}` is not a duration", total)
            if seconds is not None:
                times.setdefault(kind, (cell, seconds))
                counts_samples |= kind == "sample"
    place, seconds = _epoch_time(times)
    step = times.get("step") or times.get("batch")
    return Bar(
        line,
        "finished",
        place or steps,
        total=total,
        counts_samples=counts_samples,
        epoch_time_s=seconds,
        step_time_ms=round(step[1] * 1e3, 9) if step else None,
        loss=loss,
        metrics=tuple(field.name for field in fields if field.name),
    )


def _times(cell: Cell) -> Iterator[tuple[str, Cell]]:
    """The times of a field such as `22s 3ms/step`: (`elapsed` or what it is the time of, its characters)."""
    words = list(re.finditer(r"\S+", cell.text))
    rates = [word for word in words if _RATE.fullmatch(word[0])]
    plain = [word for word in words if not _RATE.fullmatch(word[0])]
    if plain:
        yield "elapsed", cell.part(plain[0].start(), plain[-1].end())
    for word in rates:
        rate = _RATE.fullmatch(cell.text, *word.span())
        if rate:
            yield rate["unit"], cell.matched(rate, "time")


def _epoch_time(times: dict[str, tuple[Cell, float]]) -> tuple[Cell | None, float | None]:
    """`358ms` of `358ms/epoch` says more than the `0s` before it; else the elapsed time."""
    per_epoch, elapsed = times.get("epoch"), times.get("elapsed")
    if per_epoch and (elapsed is None or not re.fullmatch(r"[\d.]+s", per_epoch[0].text)):
        return per_epoch
    return elapsed or (None, None)


def _seconds(text: str) -> float | None:
    quantity = parse_duration(text) or parse_clock(text)
    return quantity.value if quantity and math.isfinite(quantity.value) else None


def _can_be_equal(done: str, total: str) -> bool:
    """Whether two counts agree where both have digits: `70o0` and `7000` do, `4x1` and `7000` do not."""
    both = zip(done, total, strict=False)
    return len(done) == len(total) and all(a == b or not (a.isdigit() and b.isdigit()) for a, b in both)


def _damaged(line: Line, place: Cell, reason: str, total: int | None = None, may_end_epoch: bool = True) -> Bar:
    return Bar(line, "damaged", place, reason, total=total, may_end_epoch=may_end_epoch)
