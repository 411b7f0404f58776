"""The summaries of a log as rows: which quantity a name means, what its value is, and signs that it is damaged."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from pipelines.extract.conditions import Numbering, Stated, fields_of, reads_again
from pipelines.extract.contract import Mark
from pipelines.extract.logs.programs import ANY_PROGRAM, Program, compiled
from pipelines.extract.named_quantities import QuantityName, read_name, read_share, read_value
from pipelines.extract.rows import Condition, Measurement, Reject
from pipelines.read.document import Cell
from pipelines.read.log_lines import Field, Said, dictionary_on, fields_on
from pipelines.values.numbers import NUMBER
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.units import find_unit

# Counts and settings that a summary prints beside what it has measured.
_COUNTED = re.compile(
    r"(?:successful|failed|completed|total|number|num|count|execution|inference|request|benchmark duration|concurrency"
    r"|traffic|burstiness|max(?:imum)? request|backend|epoch\b|\w+_samples$|total_flos|memory_allocated|max_memory"
    r"|total_memory|sequence count|delayed|input|output tokens|measurement|sut name|mode\b|scenario\b|batch size)",
    re.IGNORECASE,
)
# `[TTFT]`, `[1/TPOT]`: an abbreviation beside the words; never `[ms]`
_TAG = re.compile(r"(?:(?<!\s)\s++)?\[(?:1/)?[A-Z]{3,5}\]")
# `50.00 percentile latency`, `90th percentile latency`, `99% percentile latency`, `percentile(99%) Latency`
_PERCENTILE = re.compile(
    r"(?:(?P<number>\d{1,2}(?:\.\d+)?)\s*+(?:(?:th|%)\s*+)?percentile|percentile\s*\((?P<share>\d{1,2}(?:\.\d+)?)\s*%\))\s+(?P<what>.+)",
    re.IGNORECASE,
)
_MEAN = re.compile(r"(?:mean|average|avg\.?)\s+(?P<what>.+)", re.IGNORECASE)
# `End to End Latency (ms) p50`, `Prompt throughput (tokens/second) avg`
_STATISTIC_BEHIND = re.compile(
    r"(?P<what>.+\([^()]+\))\s+(?P<statistic>avg\.?|average|mean|median|p\d{1,2}(?:\.\d+)?)", re.IGNORECASE
)
_MEANS = frozenset({"avg", "avg.", "average", "mean"})
_MEAN_WORD = re.compile(r"\b(?:mean|average|avg)\b", re.IGNORECASE)
# `mean`, `99% percentile`: a statistic of what the summary is of
_BARE_STATISTIC = re.compile(r"(?:mean|median|min|max|\d+(?:\.\d+)?% percentile)", re.IGNORECASE)
_MEDIAN = re.compile(r"median\s+(?P<what>.+)", re.IGNORECASE)
# `latency(ms)`: the unit stands right behind the name
_UNIT_GLUED = re.compile(r"(?<=\w)\((?=[\w/]+\)$)")
# A name that says for itself that it is no typical value
_EXTREME = re.compile(r"\b(?:min(?:imum)?|max(?:imum)?|peak|std|stdev|deviation|jitter|variance)\b", re.IGNORECASE)
# ` (standard deviation 771 usec)`, ` (jitter = 1.1)`, a comma
_BEHIND = re.compile(r"(?:(?<!\s)\s++)?(?:\([^()]*\)|[,;])\s*$")
# `2067.2 infer/sec`, `812.5`, `14.5tokens/s`, `20.88 \u00b1 0.47 ms`, `2299.2 +-9.6`
_NUMBER_AND_UNIT = re.compile(
    rf"(?P<number>{NUMBER})(?:\s*+(?:\+/-|\+-|\u00b1)\s*+{NUMBER})?(?:\s*+(?P<unit>[A-Za-z\u00b5\u03bc%$][^\d]*))?"
)
# No program prints minutes so: it is what is left of `ms`.
_CUT_UNIT = "m"
# `0:36:58.55`, and the day before it in a long training
_CLOCK = re.compile(r"\d{1,5}:[0-5]\d:[0-5]\d(?:\.\d+)?")
# What is counted makes another metric of a throughput.
_METRIC_OF_ITEM = {"requests": "request_throughput", "total tokens": "total_token_throughput"}
# The speed of a program in its own steps, which says nothing of the work in them.
WORK_OF_STEPS = frozenset({"steps", "batches"})
NO_PLACE = Cell("", 1, 0, 0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A value of a summary: the printed number, what it is of, and its quantity in the canonical unit."""

    cell: Cell
    heading: QuantityName
    quantity: Quantity

    @property
    def metric(self) -> str:
        """The metric; what is counted may make another one of a throughput."""
        metric = self.heading.metric
        return _METRIC_OF_ITEM.get(self.item or "", metric) if metric == "throughput" else metric

    @property
    def item(self) -> str | None:
        """What is counted."""
        return self.heading.unit.item if self.heading.unit else None


@dataclass(frozen=True, slots=True)
class Unread:
    """A value of a known quantity that cannot be read, and why."""

    cell: Cell
    reason: str


def is_rate(value: Cell) -> bool:
    """Whether a value has a unit of work in a time behind it."""
    match = _NUMBER_AND_UNIT.fullmatch(_BEHIND.sub("", value.text))
    unit = find_unit(match["unit"]) if match and match["unit"] else None
    return unit is not None and unit.canonical.startswith("items/s")


def read_measured(name: Cell, value: Cell, program: Program) -> Measured | Unread | None:
    """The value of a quantity; None where the name means no quantity that is kept."""
    if not value.text:
        is_known = _quantity(name, "", program)
        return Unread(name, f"the line ends before the value of `{name.text.strip()}`") if is_known else None
    plain = value.part(0, len(_BEHIND.sub("", value.text))).stripped()
    match = _NUMBER_AND_UNIT.fullmatch(plain.text)
    unit = (match["unit"] or "").strip() if match else ""
    heading = _quantity(name, unit, program)
    if heading is None:
        return None
    if match is None and not _CLOCK.fullmatch(plain.text):
        return Unread(plain, f"`{plain.text}` is no value of `{name.text.strip()}`")
    number = plain.matched(match, "number") if match else plain
    if unit and (heading.unit is None or heading.unit.printed != unit or unit == _CUT_UNIT):
        known = find_unit(unit)
        # A step may print the unit that its entry states in other words: `112.9TFLOPS` of `flops per GPU`.
        if program.step is None or (known is None and unit != "TFLOPS") or unit == _CUT_UNIT:
            return Unread(plain, f"`{unit}` is no known unit of `{name.text.strip()}`")
    if program.number and not compiled(program.number).fullmatch(number.text):
        return Unread(plain, f"`{plain.text}` is not printed as {program.name} prints its values; it may be cut")
    is_share = " ".join(name.text.casefold().split()) in program.shares
    if (read := read_share(number, heading) if is_share else read_value(number, heading)) is None:
        return Unread(plain, f"neither `{plain.text}` nor its name `{name.text.strip()}` gives a known unit")
    value_read, printed = read
    if value_read.value == 0:
        return Unread(number, f"`{name.text.strip()}` is 0: nothing was measured")
    return Measured(number, replace(heading, canonical_unit=printed.name, unit=printed), value_read)


def _quantity(name: Cell, unit: str, program: Program) -> QuantityName | None:
    """The measured quantity that a name means, or None for a name that no vocabulary knows."""
    text = name.text
    if program.of and _BARE_STATISTIC.fullmatch(text):
        text = f"{text} {program.of}"
    heading = _read(text, unit, tuple(sorted(program.fields.items())))
    return heading and replace(heading, cell=name)


@lru_cache(maxsize=4096)
def _read(name: str, unit: str, spellings: tuple[tuple[str, str], ...]) -> QuantityName | None:
    text = " ".join(name.split())
    if match := _STATISTIC_BEHIND.fullmatch(text):
        # A mean is what the name alone says.
        statistic = match["statistic"].casefold()
        text = match["what"] if statistic in _MEANS else f"{statistic} {match['what']}"
    text = dict(spellings).get(text.casefold(), text)
    if not text or _EXTREME.search(text.replace("_", " ")):
        return None
    for spelling in _spellings(_TAG.sub("", text)):
        for full in (f"{spelling} ({unit})", spelling) if unit else (spelling,):
            if heading := read_name(Cell(full, 1, 0, len(full))):
                return heading
    return None


def _spellings(text: str) -> Iterator[str]:
    """A name in the words that a vocabulary may know it by."""
    text = _UNIT_GLUED.sub(" (", text)
    yield text
    if match := _PERCENTILE.fullmatch(text):
        yield f"P{float(match['number'] or match['share']):g} {match['what']}"
    elif match := _MEAN.fullmatch(text):
        yield match["what"]
    elif match := _MEDIAN.fullmatch(text):
        yield f"P50 {match['what']}"


class Ranks:
    """The first process of a log is read; of the others it is kept what they print in its place.

    Args:
        lines: All that is said in the log.
    """

    def __init__(self, lines: Sequence[Said]) -> None:
        counts = Counter(said.rank for said in lines if said.rank is not None)
        # Numbered lines have a number each.
        are_ranks = len(counts) > 1 and 2 * len(counts) <= counts.total()
        self.first = min(counts) if are_ranks else None
        self._printed: defaultdict[str, set[str]] = defaultdict(set)

    def is_other(self, said: Said) -> bool:
        """Whether a line is of another process than the one that is read."""
        if self.first is None or said.rank is None or said.rank == self.first:
            return False
        for each in fields_on(said) or dictionary_on(said):
            self._printed[each.key].add(each.value.text)
        return True

    def differ(self, printed: Field) -> bool:
        """Whether other processes print another value under the same name: then it is of one process alone."""
        return bool(self._printed.get(printed.key, set()) - {printed.value.text})


@dataclass
class Block:
    """A summary while its lines are being read.

    Attributes:
        program: What printed it.
        first: The line that announces it.
        run: Number of the run that it is of; a run may have several blocks.
        fields: Its fields, in order.
        not_measured: Fields in parts of it that state how it was run, or are of another quantity.
        stated: What the log says of the run up to the last field.
        is_valid: False where it says that its own result does not count.
    """

    program: Program
    first: Said
    run: int
    fields: list[Field] = field(default_factory=list)
    not_measured: list[Field] = field(default_factory=list)
    stated: Mapping[str, Stated] = field(default_factory=dict)
    is_valid: bool = True


# Run, metric, item, task and attribute: a summary gives one value for each, unless it repeats itself.
_Key = tuple[int, str, str | None, str | None, str | None]


@dataclass
class SummaryRows:
    """The rows of all summaries of a log.

    Attributes:
        ranks: What other processes print.
        rows: Measurements, and what could not be let in.
        marks: What the other numbers of the summaries are.
        numbering: The conditions of the measurements.
    """

    ranks: Ranks
    rows: list[Measurement | Reject] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    numbering: Numbering = field(default_factory=Numbering)
    _seen: dict[_Key, Quantity] = field(default_factory=dict)
    _summed: set[_Key] = field(default_factory=set)

    @property
    def conditions(self) -> list[Condition]:
        """What holds for the measurements."""
        return self.numbering.conditions

    def add(self, block: Block) -> None:
        """Adds what a summary says."""
        for each in block.fields:
            read = read_measured(each.name, each.value, block.program)
            if isinstance(read, Unread):
                self.refuse_field(block, each, read.cell, "log_value_unreadable", read.reason)
            elif read is None:
                is_count = _COUNTED.match(each.name.text.strip())
                self.marks.append(Mark(each.value, "ignored", "log_count") if is_count else _not_kept(each.value))
            else:
                self._add_measured(block, each, read)
        self.marks += (Mark(each.value, "ignored", "log_count") for each in block.not_measured)

    def _add_measured(self, block: Block, printed: Field, read: Measured) -> None:
        if not block.is_valid:
            reason = f"{block.program.name} says of this result that it is INVALID"
            self.refuse_field(block, printed, read.cell, "log_result_invalid", reason)
            return
        # What known programs print is of the whole run, even where each process prints it with its own clock.
        is_unknown = block.program is ANY_PROGRAM
        if is_unknown and (read.heading.canonical_unit or "").startswith("items/s") and self.ranks.differ(printed):
            reason = "several processes print it with different values: it is the rate of one of them"
            self.refuse_field(block, printed, read.cell, "log_value_of_one_process", reason)
            return
        if is_unknown and (read.item in WORK_OF_STEPS or self._is_printed(read)):
            is_work = read.item in WORK_OF_STEPS
            self.marks.append(_not_kept(read.cell) if is_work else Mark(read.cell, "ignored", "log_repeated"))
            return
        if added := self.add_result(block, printed, read, read.quantity, [*_stated_mean(printed.name)]):
            self._summed.add(added)
        rest = printed.value.part(read.cell.end - printed.value.start, len(printed.value.text))
        if any(map(str.isdigit, rest.text)):
            # The deviation behind a value: ` +-9.6`
            self.marks.append(_not_kept(rest))

    def add_result(
        self, block: Block, printed: Field, read: Measured, quantity: Quantity, more: Sequence[Stated]
    ) -> _Key | None:
        """Adds one measured value, unless its run has printed it before; `more` is what else holds for it."""
        stated = dict(block.stated)
        if block.program.task:
            stated.pop("task", None)
        task = stated["task"].value if "task" in stated else block.program.task
        extra = block.program.attribute
        key = (block.run, read.metric, read.item, task, extra)
        if (before := self._seen.get(key)) is not None:
            if before.low <= quantity.high and quantity.low <= before.high:
                self.marks.append(Mark(read.cell, "ignored", "log_repeated"))
            else:
                reason = f"the log gives `{printed.name.text.strip()}` of one run twice, with different values"
                self.refuse_field(block, printed, read.cell, "log_field_repeated", reason)
            return None
        if any(other[:2] == key[:2] and other[3:] == key[3:] for other in self._seen):
            # Samples and tokens are two counts of one run.
            extra = f"Items {read.item}" if extra is None else f"{extra}, Items {read.item}"
        self._seen[key] = quantity
        self.rows.append(self._row(block, read, quantity, {**stated, "task": _said_task(task)}, extra, more))
        return key

    def _row(
        self,
        block: Block,
        read: Measured,
        quantity: Quantity,
        stated: dict[str, Stated | None],
        extra: str | None,
        more: Sequence[Stated],
    ) -> Measurement:
        known = {name: each for name, each in stated.items() if each is not None}
        fields: dict[str, Any] = fields_of({name: each.value for name, each in known.items()}) | {"configuration": None}
        fields["attributes"] = ", ".join(filter(None, (fields["attributes"], extra))) or None
        begins = block.program.begins
        section = block.first.cell.text if begins and compiled(begins).fullmatch(block.first.body) else None
        line = block.first.line.number
        kept = [each for each in (*known.values(), *more) if each.cell is NO_PLACE or reads_again(each)]
        assert read.heading.unit is not None
        return Measurement(
            cell=read.cell,
            section=section,
            section_line=line,
            metric=read.metric,
            value=quantity.value,
            value_low=quantity.low,
            value_high=quantity.high,
            bound=quantity.bound,
            unit=read.heading.canonical_unit or "",
            unit_printed=read.heading.unit.printed or None,
            item=read.item,
            row_line=line,
            conditions=tuple(sorted({self.numbering.number(each, section, line) for each in kept})),
            **fields,
        )

    def has_summary_of(self, read: Measured, task: str | None) -> bool:
        """Whether a program sums up a quantity that its steps print."""
        return any(key[1:3] == (read.metric, read.item) and key[3] in (task, None) for key in self._summed)

    def _is_printed(self, read: Measured) -> bool:
        """Whether some summary has printed the same value."""
        seen = (before for key, before in self._seen.items() if key[1] == read.metric)
        return any(before.low <= read.quantity.high and read.quantity.low <= before.high for before in seen)

    def refuse_field(self, block: Block, printed: Field, cell: Cell, rule: str, reason: str) -> None:
        """Adds a reject."""
        row = {"name": printed.name.text, "value": printed.value.text, "summary": block.program.name}
        self.rows.append(Reject(cell=cell, rule=rule, reason=reason, row_json=json.dumps(row, ensure_ascii=False)))


def _stated_mean(name: Cell) -> Iterator[Stated]:
    """The word of a name that says that it is a mean: `Mean TTFT (ms)`, and `mean` alone of a list behind one name."""
    match, length = _MEAN_WORD.search(name.text), name.end - name.start
    if match and length in (len(name.text), match.end()):
        yield Stated("statistic", "mean", name.matched(match), "row")


def _said_task(task: str | None) -> Stated | None:
    return Stated("task", task, NO_PLACE, "vocabulary") if task else None


def _not_kept(cell: Cell) -> Mark:
    """A deviation, a minimum, a quality."""
    return Mark(cell, "unparsed", "summary_not_kept")
