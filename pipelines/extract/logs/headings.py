"""The lines around progress bars: devices, batch sizes, epoch headers, times, parameters. Bars are in `bars.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.extract.logs.bars import visible
from pipelines.read.document import Cell, Line
from pipelines.values.durations import parse_clock, parse_duration, unit_seconds
from pipelines.values.numbers import parse_count, parse_number
from pipelines.vocabulary.lookup import find

# No heading of a log is longer; sentences are.
_MAX_LENGTH = 200

# `Epoch 2/3`, `Epoch 1 of 10:`
_EPOCH = re.compile(
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
class Stated:
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
    batch_size: Stated | None


def read_epoch_header(line: Line) -> EpochHeader | None:
    """The header `Epoch 2/3` that a line consists of, or None."""
    match = _EPOCH.fullmatch(visible(line.text)) if len(line.text) <= _MAX_LENGTH else None
    if match is None:
        return None
    number, planned = parse_count(match["number"]), parse_count(match["planned"])
    if number is None or planned is None or not 1 <= number <= planned:
        return EpochHeader(line, None, None)
    return EpochHeader(line, number, planned)


def read_batch_size(line: Line) -> Stated | None:
    """The batch size that a line states, or None when it states none; the value is None when it is no whole number."""
    if len(line.text) > _MAX_LENGTH * 5 or "\t" in line.cell.text:
        return None
    return _batch_size(line.cell)


def read_device(line: Line) -> Device | None:
    """The device heading that a line consists of (`2 x A100`, `1 ipu, batch_size 10`), or None."""
    cell = line.cell
    if not cell.text or len(cell.text) > _MAX_LENGTH or "\t" in cell.text:
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


def read_training_time(line: Line) -> Stated | None:
    """The time [s] of a whole training that a line states; a number without unit is in seconds."""
    if len(line.text) > _MAX_LENGTH:
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
        return Stated(cell, number.value * unit if unit else None)
    quantity = parse_duration(cell.text) or parse_clock(cell.text)
    return Stated(cell, quantity.value if quantity else None)


def read_parameters(line: Line) -> tuple[str, Cell, int | None] | None:
    """The count that a model summary states: (`total`, `trainable`, ..., its characters, the count or None)."""
    match = _PARAMETERS.fullmatch(visible(line.text)) if len(line.text) <= _MAX_LENGTH else None
    if match is None:
        return None
    return match["kind"].lower(), line.matched(match, "value"), parse_count(match["value"])


def _batch_size(cell: Cell) -> Stated | None:
    text = visible(cell.text)
    match = _BATCH_LINE.fullmatch(text) or _BATCH_INSIDE.search(text)
    if match is None or _OTHER_BATCH.search(text[: match.start()]):
        return None
    value = cell.matched(match, "value")
    value = value.part(0, len(value.text.rstrip(".,`*)'\"")))
    return Stated(value, parse_count(value.text) or None)


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
