"""Lines that end an epoch and print its time, and lines that print the time of a whole training."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.extract.logs.headings import Stated, read_training_time
from pipelines.extract.programs.said import Said, said_on
from pipelines.read.document import Cell, Line
from pipelines.values.durations import parse_clock, parse_duration
from pipelines.values.numbers import parse_count, parse_number

# `Epoch 3`, `Epoch: [3]`, `Epoch [3/10]`, `Epoch 3/10`, `epoch 003`, `Epoch #3`
_EPOCH = re.compile(
    r"Epoch\s*+(?:[:=#]\s*+)?(?:(?P<open>[\[(])\s*+)?(?P<number>(?=[\w.]*\d)[\w.]+|[A-Za-z](?=/))"
    r"(?:\s*+(?:/|\bof\b)\s*+(?P<planned>(?=[\w.]*\d)[\w.]+))?\s*+(?(open)[\])])",
    re.IGNORECASE,
)
# `: 100%|██████████| 938/938 [00:12<00:00, 75.12it/s, loss=0.1]` behind the number of the epoch
_BAR = re.compile(
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
_TRAINING = re.compile(
    r"(?:Total )?Training time:? (?P<time>(?:(?P<days>\d+) days?, )?(?P<clock>\d{1,2}:\d\d:\d\d(?:\.\d+)?))"
)
_TIMEDELTA = re.compile(r"(?:(?P<days>\d+) days?, )?(?P<clock>\d{1,3}:[0-5]\d:[0-5]\d(?:\.\d+)?)")
_MAX_LENGTH = 2_000


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
    if cell.text[:5].casefold() != "epoch" or len(cell.text) > _MAX_LENGTH:
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
        value = _loss(loss["loss"]) if loss else None
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


def training_time_on(line: Line) -> Stated | None:
    """The time [s] of a whole training that a line states, behind its prefixes."""
    said = said_on(line)
    if match := _TRAINING.fullmatch(said.cell.text):
        return Stated(said.cell.matched(match, "time"), seconds_of(match["time"]))
    # Blanks in place of the prefixes keep every character at its place.
    return read_training_time(Line(line.number, " " * said.start + said.text[said.start :]))


def parts_of(epoch: EpochLine) -> tuple[Cell, Cell | None, Cell | None, Cell]:
    """The number of an epoch, its steps, its loss and all that stands behind the number, where they are printed."""
    cell = said_on(epoch.line).cell
    head = _EPOCH.match(cell.text)
    end = head.end() if head else 0
    bar = _BAR.match(cell.text, end) if epoch.steps else None
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
    if bar := _BAR.match(rest):
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


def _loss(text: str) -> float | None:
    if text.casefold().lstrip("+-") in ("nan", "inf"):
        return float(text)
    number = parse_number(text)
    return number.value if number else None
