"""Units as printed: those of `units.yml`, with a multiple before them or a device after them."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from pipelines.values.durations import unit_seconds
from pipelines.vocabulary.lookup import FOLDER, Entry, entries, find
from pipelines.yaml_files import load_yaml

# `k images/sec`, `Mtokens/s`, `thousands of tokens/s`, `million samples/sec`, `1000 images/s`; a
# small m would be a thousandth
_MULTIPLE = re.compile(
    r"(?:(?P<letter>[kKMG])[\s-]?|(?P<word>thousand|million|billion)s?\s+(?:of\s+)?|(?P<number>1,?000|1e[369]|10\^[369]|10[\u00b3\u2076\u2079])\s*+(?:[x\u00d7]\s*+)?)"
    r"(?P<unit>[A-Za-z].*)",
)
_FORMS = load_yaml(FOLDER / "unit_forms.yml")
_TIMES: dict[str, float] = _FORMS["multiples"]
# `img / sec / chip`, `samples per second per GPU`, `seq/s/watt`, `t/s/u`: what is counted, in a
# second, over what
_RATE = re.compile(
    r"(?P<item>[a-z][a-z -]*?)?(?:(?<!\s)\s++)?(?:/|\bper\b)\s*s(?:ec(?:ond)?s?)?\b\.?"
    r"(?:\s*(?:/|\bper\b)\s*(?:(?P<device>gpu|chip|card|device|accelerator|hpu|ipu|tpu|npu|rdu|lpu)"
    r"|(?P<user>u(?:ser)?)|(?P<watt>w(?:att)?s?)))?",
    re.IGNORECASE,
)
# `Gb/s`, `Tbps`, without the prefix
_BITS = frozenset({"b/s", "b/sec", "bps"})
# `TFLOP/s/GPU`, `TFLOPs per chip`, `teraFLOP/s per GPU`, `TFLOP/chip/s`
_DEVICE = r"(?:gpu|chip|card|device|accelerator|hpu|ipu|tpu)"
_SECOND = r"\s*/\s*s(?:ec(?:ond)?)?"
_FLOPS = re.compile(
    rf"t(?:era)?\s?flop/?s?(?:{_SECOND})?\s*(?:/|\bper\b)\s*{_DEVICE}(?:{_SECOND})?",
    re.IGNORECASE,
)
# The metric that a metric and a unit make.
METRIC_OF_UNIT: dict[tuple[str, str], str] = {
    (metric, unit): made for metric, unit, made in _FORMS["metrics"]
}
_OVER = {"device": "device", "user": "user", "watt": "W"}


def multiple_of(text: str) -> float | None:
    """What a multiple alone is: 1000 for `thousands`, `K` and `x1000`; None for other texts."""
    word = text.strip("x\u00d7 ")
    return _TIMES.get(word) or _TIMES.get(word.casefold().removesuffix("s"))


class PrintedUnit(NamedTuple):
    """A printed unit.

    Attributes:
        entry: Its entry in the vocabulary.
        multiple: How many of them the multiple before it makes one.
    """

    entry: Entry
    multiple: float = 1.0

    @property
    def canonical(self) -> str:
        """The canonical unit."""
        return str(self.entry.facts["unit"])

    @property
    def scale(self) -> float:
        """What one printed unit is in the canonical one."""
        return float(self.entry.facts["scale"]) * self.multiple


def find_unit(printed: str) -> PrintedUnit | None:
    """The unit in a text, from the vocabulary or its parts; None for other texts."""
    text = " ".join(printed.split())
    if entry := _entry_of(text):
        return PrintedUnit(entry)
    match = _MULTIPLE.fullmatch(text)
    entry = _entry_of(match["unit"]) if match else None
    # `k thousand images/s` is no unit.
    if match is None or entry is None or entry.facts["scale"] != 1:
        return None
    return PrintedUnit(entry, _TIMES[match["letter"] or match["word"] or match["number"]])


def _entry_of(text: str) -> Entry | None:
    """The entry of a unit without a multiple: the vocabulary's own, or a known item in a second
    over something.
    """
    # Spellings are compared without case, and a bit is no byte.
    if text[1:] in _BITS:
        return None
    if entry := find("units", text):
        return entry
    if _FLOPS.fullmatch(text):
        return find("units", "TFLOPS/device")
    match = _RATE.fullmatch(text)
    if match is None:
        return None
    # `/sec` in a throughput counts the items of the model.
    item = (
        find("units", f"{match['item'].strip()}/s") if match["item"] else find("units", "items/s")
    )
    over = next((name for name in _OVER if match[name]), None)
    if item is None or over is None:
        return item
    unit = f"{item.facts['unit']}/{_OVER[over]}"
    return Entry("units", f"{item.name}/{_OVER[over]}", {**item.facts, "unit": unit})


class Measure(NamedTuple):
    """What a unit measures.

    Attributes:
        kind: Its canonical unit; `s` for all times.
        scale: What one of it is in the canonical unit.
        item: What is counted, or None.
    """

    kind: str
    scale: float
    item: str | None = None

    def converts_to(self, other: Measure) -> bool:
        """Whether numbers of this unit can be given in another one; what is counted must not
        differ.
        """
        if (self.kind, other.kind) in _SAME_KIND:
            return True
        return self.kind == other.kind and (
            self.item is None or other.item is None or self.item == other.item
        )


# The name of a metric may say per what a rate is (`throughput_per_device`), and a score may be
# printed as a percentage.
_SAME_KIND = frozenset({("items/s/device", "items/s"), ("items/s", "items/s/user")}) | {
    ("%", score) for score in ("mAP", "mIoU", "F1", "DICE", "AUC", "WER", "CER")
}


@cache
def measure_of(printed: str) -> Measure | None:
    """What a unit measures, a unit of time or the name of a score included, or None for no known
    unit.
    """
    text = " ".join(printed.split())
    if seconds := unit_seconds(text):
        return Measure("s", seconds)
    if found := find_unit(text):
        return Measure(found.canonical, found.scale, found.entry.facts.get("item"))
    return Measure(text, 1.0) if text in _scores() else None


@cache
def _scores() -> frozenset[str]:
    """Canonical units of metrics that no file of units lists: `MAE`, `mAP`, `PPL`."""
    return frozenset(str(item["unit"]) for item in entries("metrics"))
