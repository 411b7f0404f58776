"""What a line of a log says of the epochs of a training: progress bars of Keras, lines of other programs that end an
epoch, and the devices, batch sizes, headers, times and parameters around them.

Which epoch or run a line belongs to is for `runs.py` to say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pipelines.extract.logs.programs import Said, said_on, visible
from pipelines.read.document import Cell, Line
from pipelines.values.durations import parse_clock, parse_duration, unit_seconds
from pipelines.values.numbers import parse_count, parse_number
from pipelines.vocabulary.lookup import find

# Keras redraws a bar over the old one; no line it prints comes near this length, and longer lines cost time to match.
_LONGEST_BAR = 5_000

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
class BarField:
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


def parse_loss(text: str) -> float | None:
    """A printed loss; `nan` and `inf` as such, None for anything that is no number."""
    if text.lower().lstrip("+-") in ("nan", "inf"):
        return float(text)
    quantity = parse_number(text)
    return quantity.value if quantity else None


def split_fields(line: Line, start: int = 0) -> Iterator[BarField]:
    """The fields of a bar or of the line that continues it, from character `start` on."""
    text = visible(line.text)
    ends = [match.start() for match in _DASH.finditer(text, start)] + [len(text)]
    for end in ends:
        cell = Cell(text[start:end], line.number, start, end).stripped()
        name, colon, _ = cell.text.partition(":")
        if colon and re.fullmatch(r"[A-Za-z][\w .()/@%-]*", name):
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


def _finished(line: Line, steps: Cell, total: int | None, fields: list[BarField]) -> Bar:
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
        for kind, cell in _bar_times(field.value):
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


def _bar_times(cell: Cell) -> Iterator[tuple[str, Cell]]:
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


# Devices, batch sizes, headers, times, parameters

# No heading of a log is longer; sentences are.
_LONGEST_HEADING = 200

# `Epoch 2/3`, `Epoch 1 of 10:`
_HEADER = re.compile(
    r"[\s>#*]*Epoch:?\s+(?P<number>\S{1,12}?)\s*+(?:/|\bof\b)\s*+(?P<planned>\S{1,12}?)\s*+(?::\s*+)?", re.IGNORECASE
)
# `Epoch 00007: early stopping`
EARLY_STOP = re.compile(r"\s*Epoch \d+: early stopping\s*", re.IGNORECASE)

# `Batch size 10`, `bs 128`, `batch_size=128`, `Micro batch size: 10`
_BATCH_LINE = re.compile(
    r"\W*(?:(?:micro|mini|training|train)[\s_-]?)?(?:batch[\s_-]?size|bs)\s*+(?:(?:[:=]|\bis\b|\bof\b)\s*+)?"
    r"(?P<value>[^\s;:=]*\d[^\s;:=]*|[A-Za-z])[\s.,;:*`]*",
    re.IGNORECASE,
)
# `python train.py --batch-size 64`, `Namespace(batch_size=128, epochs=3)`, `INFO:root:batch size: 128`
_BATCH_INSIDE = re.compile(
    r"(?<![\w-])(?:--batch[_-]size[\s=]+|['\"]?batch[\s_-]?size['\"]?\s*[=:]\s*)"
    r"(?P<value>\d+(?:,\d+)*|[^\s,;)}\]]*\d[^\s,;)}\]]*)(?=[\s,;.)}\]'\"`]|$)",
    re.IGNORECASE,
)
# Batch sizes of something other than one device's training step
_OTHER_BATCH = re.compile(
    r"(?:global|total|effective|eval|evaluation|val|validation|test|predict|inference)[\s_-]*$", re.IGNORECASE
)

# `1 ipu, batch_size 10`, `2 x A100`, `1 H100-GPU`, `8 GPUs (DGX)`
_COUNT_FIRST = re.compile(
    r"(?P<count>\w{1,6}?)(?P<times>\s*[x×]\s*|\s+)(?P<device>[^\s,;:(x×][^,;:(]{0,39}?)\s*(?:[,;:(]\s*(?P<rest>.{0,80}))?"
)
# `Gaudi2 x 8`, `A100 ×4, bs 128`
_COUNT_LAST = re.compile(
    r"(?P<device>[^,;:(]{2,40}?)\s{0,9}[x×]\s*+(?P<count>\d{1,6})\s*+(?:[,;:(]\s*(?P<rest>.{0,80}))?"
)
# `A100-GPU`, `IPUs`
_NO_COUNT = re.compile(r"(?P<device>[^,;:(]{2,40}?)\s*(?:[,;:(]\s*(?P<rest>.{0,80}))?")
_DEVICE_WORD = re.compile(r"(?:.*[\s-])?(?:ipu|gpu|tpu|hpu|npu|cpu|accelerator|device|chip|replica)s?", re.IGNORECASE)
# `H100`, `Gaudi2`, `MI300X`, in words that start with a capital or a digit
_DEVICE_CODE = re.compile(r"[A-Z][A-Za-z]{0,20}-?\d\w*")
# `1 Physical GPUs, 1 Logical GPUs`: what TensorFlow found, not what it trained on
_FOUND = re.compile(r"(?:physical|logical|available|visible)\b.*", re.IGNORECASE)
# One digit of a count turned into a letter: `x ipus`, `1o ipus`
_DAMAGED_COUNT = re.compile(r"[A-Za-z]|\d+[A-Za-z]\d*|\d*[A-Za-z]\d+")

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

# `Total params: 8,922,155`, ` Trainable params: 4,512,347 (17.21 MB)`; `8 922 155` is one value that cannot be read
_PARAMETERS = re.compile(
    r"\W*(?P<kind>Total|Trainable|Non-trainable|Optimizer) params:\s*(?P<value>\S+(?:\s\d+)*).*", re.IGNORECASE
)
# `Model: "sequential"`
MODEL = re.compile(r"(?<!\s)\s*Model: \"[^\"]*\"\s*")


@dataclass(frozen=True, slots=True)
class EpochHeader:
    """`Epoch 2/3`; both numbers are None where one of them cannot be read."""

    line: Line
    number: int | None
    planned: int | None


@dataclass(frozen=True, slots=True)
class PrintedValue:
    """A printed value: its characters and what they say, None where they cannot be read."""

    cell: Cell
    value: float | None


@dataclass(frozen=True, slots=True)
class Device:
    """A heading that names what was trained on.

    Attributes:
        line: The heading's line.
        name: The device word as printed; None where the count before it cannot be read.
        count: Devices, None where no number is printed.
        batch_size: The batch size stated in the same heading.
    """

    line: Line
    name: str | None
    count: int | None
    batch_size: PrintedValue | None


def read_epoch_header(line: Line) -> EpochHeader | None:
    """The header `Epoch 2/3` that a line consists of, or None."""
    match = _HEADER.fullmatch(visible(line.text)) if len(line.text) <= _LONGEST_HEADING else None
    if match is None:
        return None
    number, planned = parse_count(match["number"]), parse_count(match["planned"])
    if number is None or planned is None or not 1 <= number <= planned:
        return EpochHeader(line, None, None)
    return EpochHeader(line, number, planned)


def read_batch_size(line: Line) -> PrintedValue | None:
    """The batch size that a line states, or None when it states none; the value is None when it is no whole number."""
    if len(line.text) > _LONGEST_HEADING * 5 or "\t" in line.cell.text:
        return None
    return _batch_size(line.cell)


def read_device(line: Line) -> Device | None:
    """The device heading that a line consists of (`2 x A100`, `1 ipu, batch_size 10`), or None."""
    cell = line.cell
    if not cell.text or len(cell.text) > _LONGEST_HEADING or "\t" in cell.text:
        return None
    # `## 8 GPUs`, `**2 x A100**`, `=== 4 ipus ===`
    text = visible(cell.text).strip("#*=_-: \u00a0")
    for pattern in (_COUNT_FIRST, _COUNT_LAST, _NO_COUNT):
        match = pattern.fullmatch(text)
        if match is None or not _is_condition(match["rest"]):
            continue
        parts = match.groupdict()
        name, has_times = match["device"], pattern is _COUNT_LAST or "x" in (parts.get("times") or "").replace("×", "x")
        if not _is_device(name, has_times, pattern is _NO_COUNT):
            continue
        start = visible(cell.text).find(match["rest"]) if match["rest"] else 0
        batch_size = _batch_size(cell.part(start, len(cell.text))) if match["rest"] else None
        printed = parts.get("count")
        count = parse_count(printed) if printed else None
        if count:
            return Device(line, name, count, batch_size)
        if printed is None:
            return Device(line, name, None, batch_size)
        if _DAMAGED_COUNT.fullmatch(printed):
            return Device(line, None, None, batch_size)
    return None


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


def read_parameters(line: Line) -> tuple[str, Cell, int | None] | None:
    """The count that a model summary states: (`total`, `trainable`, ..., its characters, the count or None)."""
    match = _PARAMETERS.fullmatch(visible(line.text)) if len(line.text) <= _LONGEST_HEADING else None
    if match is None:
        return None
    return match["kind"].lower(), line.matched(match, "value"), parse_count(match["value"])


def _batch_size(cell: Cell) -> PrintedValue | None:
    text = visible(cell.text)
    match = _BATCH_LINE.fullmatch(text) or _BATCH_INSIDE.search(text)
    if match is None or _OTHER_BATCH.search(text[: match.start()]):
        return None
    value = cell.matched(match, "value")
    value = value.part(0, len(value.text.rstrip(".,`*)'\"")))
    return PrintedValue(value, parse_count(value.text) or None)


def _is_condition(rest: str | None) -> bool:
    """Whether the words after a device are a condition, not the rest of a sentence."""
    return (
        rest is None or bool(_BATCH_LINE.fullmatch(rest)) or (len(rest.split()) <= 4 and not rest.endswith((".", ",")))
    )


def _is_device(text: str, has_times: bool, stands_alone: bool) -> bool:
    if find("platforms", text) or find("platforms", text.removesuffix("s")):
        return True
    words = text.split()
    if _FOUND.fullmatch(text):
        return False
    if stands_alone and (len(words) > 3 or not _DEVICE_CODE.search(text)):
        return False
    if not 1 <= len(words) <= 5 or not all(word[0].isupper() or word[0].isdigit() for word in words[:-1]):
        return False
    return bool(_DEVICE_WORD.fullmatch(text)) or (has_times and bool(_DEVICE_CODE.fullmatch(words[-1])))


# Epochs of other programs

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
