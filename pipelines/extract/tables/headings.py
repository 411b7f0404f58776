"""Column headings of result tables: `Throughput (items/sec)`, `Platform`, `OGB-LSC 2022 Ranking`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pipelines.extract.tables.counting_headings import counted_spelling
from pipelines.extract.tables.phase_headings import metric_of_phase
from pipelines.extract.tables.unit_behind import UNIT_BEHIND, without_unit
from pipelines.read.document import Cell
from pipelines.values.durations import UNIT, unit_seconds
from pipelines.values.numbers import parse_number
from pipelines.values.quantity import decimal_product
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import METRIC_OF_UNIT, find_unit

# `Throughput (items/sec)`, `Performance [seq/sec]`
_UNIT = re.compile(r"(?P<base>.*?)\s*[(\[](?P<unit>[^()\[\]]+)[)\]]\s*(?P<rest>[^()\[\]]*)")
# `OGB-LSC 2022 Ranking`, `MLPerf v2.0 Rank`
_RANKING = re.compile(r"(?P<suite>.+\d.*?)\s+rank(?:ing)?", re.IGNORECASE)
# `Time spent on 2nd epoch (seconds)`, `Epoch 3 Time`
_EPOCH = re.compile(r"\b(?:(?P<ordinal>\d+)(?:st|nd|rd|th)\s+epoch|epoch\s+(?P<number>\d+))\b", re.IGNORECASE)
# `infer_batch_size`: a setting of a run, named after what was run
_TASK_BEFORE = re.compile(r"(?:infer|train)(?:ence|ing)?\s+(?P<setting>.+)", re.IGNORECASE)
# `Approx. tokens/sec/chip`, `~ Latency (ms)`
_APPROXIMATE = re.compile(r"(?:approx(?:\.|imate(?:ly)?)?|~|\u2248)\s*(?P<base>\S.*)", re.IGNORECASE)
# `GlobalBatchSize`, `SeqLen (T)`
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
# `Model TFLOP/s/GPU`, `Achieved teraFLOP/s per GPU`
_OF_WORK = re.compile(r"(?:achieved|model|measured|average|avg\.?)\s+(?=t)", re.IGNORECASE)
# `ms/step`, `s / iteration`, `sec per epoch`
_TIME_OF_ONE = re.compile(rf"(?P<unit>{UNIT})\s*(?:/|per)\s*(?P<one>step|iter|iteration|epoch|token)", re.IGNORECASE)
_METRIC_OF_ONE = {
    "step": "step_time", "iter": "step_time", "iteration": "step_time", "epoch": "epoch_time", "token": "token_latency",
}  # fmt: skip
_DOLLARS = frozenset({"$", "us$", "usd", "dollars", "us dollars"})

# The metric of a column of results until the row says which one it is.
RESULT = "result"
# A column whose cells name what is measured: `Throughput (seq/s)`, `Latency P99`.
MEASURE = "measure"

# Columns that do not say how something was run.
_SAYS_NOTHING = frozenset({"metric", "evaluation", "unknown", RESULT, MEASURE, "unit"})

_MINUTE = 60
# A heading is a label; a longer line is a sentence that happens to begin alike.
_MAX_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Unit:
    """A printed unit of a metric: multiply a printed number by `scale` to get the canonical `name`."""

    printed: str
    name: str
    scale: float
    item: str | None = None


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A condition that a heading states for all values below it: `platform` is `8x H100`."""

    column: str
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """One column of a table.

    Attributes:
        cell: The heading as printed.
        column: What the cells are: `model`, `platform`, ..., `metric`, `attribute`, or `unknown`.
        metric: Canonical metric of a `metric` column.
        canonical_unit: Unit its values are stored in.
        unit: Unit printed in the heading, or None when the cells carry it.
        suite: Suite that a ranking heading names.
        qualifiers: Conditions that the heading states for its values.
        spelling: Words by which the vocabulary knows it, where they are not those of the cell.
        epoch: Epoch that a `metric` heading names, from 1.
        is_approximate: Whether it says that its values are about so (`Approx. tokens/sec`).
    """

    cell: Cell
    column: str
    metric: str | None = None
    canonical_unit: str | None = None
    unit: Unit | None = None
    suite: str | None = None
    qualifiers: tuple[Qualifier, ...] = ()
    spelling: str | None = None
    epoch: int | None = None
    is_approximate: bool = False

    @property
    def is_value(self) -> bool:
        """True for columns whose cells are measured values."""
        return self.column in ("metric", "evaluation")


def read_unit(printed: str, canonical: str) -> Unit | None:
    """A printed unit in terms of a canonical one (`items/s`, `s`, `ms`), or None when it is no unit of that."""
    if canonical in ("s", "ms"):
        seconds = unit_seconds(printed)
        return (
            Unit(printed, canonical, decimal_product(seconds, 1000.0 if canonical == "ms" else 1.0))
            if seconds
            else None
        )
    if canonical == "%":
        return Unit(printed, "%", 1.0) if printed.strip().lower() in ("%", "percent") else None
    if canonical == "USD":
        return Unit(printed, "USD", 1.0) if printed.strip().lower() in _DOLLARS else None
    unit = find_unit(printed)
    if unit is None or unit.canonical != canonical:
        return None
    return Unit(printed, canonical, unit.scale, unit.entry.facts.get("item"))


def read_heading(cell: Cell) -> Heading | None:
    """The column that a heading announces, or None when no vocabulary knows it."""
    text = " ".join(cell.text.split())
    if not text or len(text) > _MAX_LENGTH:
        return None
    if match := _APPROXIMATE.fullmatch(text):
        heading = read_heading(replace(cell, text=match["base"]))
        about = replace(heading, cell=cell, spelling=match["base"], is_approximate=True) if heading else None
        return about if about and about.is_value else None
    return next((heading for spelling in _spellings(text) if (heading := _read(spelling, cell))), None)


def _spellings(text: str) -> Iterator[str]:
    """A heading as printed, then in the words that a program or a mark made one of."""
    yield text
    if "_" in text:
        # `latency_p99`, `batch_size`: names of columns in files that programs write
        words = " ".join(text.replace("_", " ").split())
        yield words
        if (match := _TASK_BEFORE.fullmatch(words)) and find("headings", match["setting"]):
            yield match["setting"]
    if " " not in text.partition("(")[0].strip() and _CAMEL.search(text):
        yield _CAMEL.sub(" ", text)


def _read(text: str, cell: Cell) -> Heading | None:
    if match := _RANKING.fullmatch(text):
        return Heading(cell, "ranking", suite=match["suite"])
    spelling = _spelling_of(text, cell)
    if entry := find("headings", text):
        return Heading(cell, entry.facts["column"], spelling=spelling)
    if counted := counted_spelling(text):
        entry = find("headings", counted)
        return Heading(cell, entry.facts["column"], spelling=counted) if entry else None
    if "(" in text and (entry := find("metrics", text)) and entry.facts["unit"] != "ratio":
        # `Time (1 epoch)`: what stands in brackets is no unit.
        return Heading(cell, "metric", entry.name, str(entry.facts["unit"]))
    base, unit = text, None
    if match := _UNIT.fullmatch(text):
        base, unit = f"{match['base']} {match['rest']}".strip(), match["unit"].removeprefix("in ")
        base = metric_of_phase(base, unit) or without_unit(base, unit)
    elif match := UNIT_BEHIND.fullmatch(text):
        # `Prefill tokens/s`
        of_phase = metric_of_phase(match["base"], match["unit"])
        if of_phase or find("metrics", match["base"]):
            base, unit = of_phase or match["base"], match["unit"]
    base, epoch = _without_epoch(base)
    if (entry := find("metrics", base)) and entry.facts["unit"] != "ratio":
        canonical = str(entry.facts["unit"])
        if unit is None:
            return Heading(cell, "metric", entry.name, canonical, epoch=epoch)
        if entry.name == "latency" and (unit_seconds(unit) or 0) >= _MINUTE:
            # MLPerf prints `Latency (in minutes)` for how long a training takes.
            return _read(f"Time to Train ({unit})", cell)
        if (known := read_unit(unit, canonical)) is not None:
            return Heading(cell, "metric", entry.name, canonical, known, epoch=epoch)
        if canonical.endswith("/user") and (rate := read_unit(unit, "items/s")):
            # `Throughput per user (tokens/s)`: the name says per whom.
            return Heading(cell, "metric", entry.name, canonical, replace(rate, name=canonical))
        if (short := find("metrics", unit)) and short.name == entry.name:
            # `Time to First Token (TTFT)`
            return Heading(cell, "metric", entry.name, canonical, epoch=epoch)
        return _metric_of_unit(cell, entry.name, unit)
    if (match := _TIME_OF_ONE.fullmatch(text)) and (entry := find("metrics", _METRIC_OF_ONE[match["one"].casefold()])):
        canonical = str(entry.facts["unit"])
        return Heading(cell, "metric", entry.name, canonical, read_unit(match["unit"], canonical))
    if work := find_unit(_OF_WORK.sub("", text)):
        return _metric_of_unit(cell, "throughput", text) if work.canonical == "TFLOPS/device" else None
    if unit and (entry := find("headings", unit)) and entry.facts["column"] == "attribute" and find("headings", base):
        # `Sequence Length (ISL/OSL)`
        return Heading(cell, "attribute", spelling=unit)
    if (entry := find("headings", base)) and (not (unit and find_unit(unit)) or entry.facts.get("rate")):
        return Heading(cell, entry.facts["column"], spelling=base)
    return None


def _spelling_of(text: str, cell: Cell) -> str | None:
    return None if text == cell.text else text


def _metric_of_unit(cell: Cell, metric: str, printed: str) -> Heading | None:
    """The column whose unit makes another metric of the one it names: `Throughput (tokens/s/GPU)`."""
    unit = find_unit(_OF_WORK.sub("", printed))
    other = find("metrics", METRIC_OF_UNIT.get((metric, unit.canonical), "")) if unit else None
    if unit is None or other is None:
        return None
    canonical = str(other.facts["unit"])
    scale = Unit(printed, canonical, unit.scale, unit.entry.facts.get("item"))
    return Heading(cell, "metric", other.name, canonical, scale)


def _without_epoch(base: str) -> tuple[str, int | None]:
    """`Time spent on 2nd epoch` as `Time spent on epoch` and 2: which epoch is no part of the metric's name."""
    match = _EPOCH.search(base)
    number = int(match["ordinal"] or match["number"]) if match else 0
    return (base[: match.start()] + "epoch" + base[match.end() :], number) if match and number else (base, None)


def unknown_heading(cell: Cell) -> Heading:
    """A column whose heading no vocabulary knows: its cells are kept out, its place in the row is kept."""
    return Heading(cell, "unknown")


def is_result_header(headings: list[Heading], *, has_subject: bool = False) -> bool:
    """True for the header of a table with results: it names what was measured and on what.

    `has_subject` says that the words above the table name a model or a platform.
    """
    columns = {heading.column for heading in headings}
    columns |= {qualifier.column for heading in headings for qualifier in heading.qualifiers}
    if not any(heading.is_value for heading in headings):
        return False
    if columns & {"model", "platform"}:
        return True
    # A row of values that begins with a quantity is no header: `Throughput (seq/s)`, 2,950.
    # `1`, `8` below `Batch size` are conditions.
    holds_values = any(parse_number(heading.cell.text) for heading in headings if not heading.qualifiers)
    return has_subject and bool(columns - _SAYS_NOTHING) and not holds_values
