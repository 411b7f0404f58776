"""Walks through the lines of a log and says of each what it is: summaries, steps, settings, messages.

What a line says is read in `programs.py`, what becomes of summaries in `summaries.py`; rows of all of it are made in
`extract/program_log.py`.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Literal

from pipelines.extract.conditions import Stated
from pipelines.extract.logs.epochs import Trainings, epoch_on, names_epoch_zero, training_time_on
from pipelines.extract.logs.programs import (
    ANY_PROGRAM,
    TRAINING,
    Program,
    Step,
    Summary,
    compiled,
    content,
    may_be_of_program,
    program_beginning,
    step_fields,
    step_on,
    summaries_on,
)
from pipelines.extract.logs.settings import Settings
from pipelines.extract.logs.summaries import (
    NO_PLACE,
    WORK_OF_STEPS,
    Block,
    Measured,
    Ranks,
    SummaryRows,
    Unread,
    read_measured,
)
from pipelines.extract.mentions import find_mentions
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import Field, Said, breakdown_unit, fields_on, said_on
from pipelines.values.quantity import Quantity

Kind = Literal[
    "begin", "field", "setting", "step", "maybe_step", "epoch", "rank", "message", "rate", "summary", "other"
]

# So many lines that say nothing known end a block.
_MAX_STRANGE = 3
# A label in flattened text stands no further above what it is the heading of.
_REACH = 20
# `step: 10  loss:  7.1234`, `Step 10: loss = 7.1 (0.3 sec)`, `[step 10] loss: 0.3`, `global step 500: loss = 2.3`,
# `Iteration 100, loss = 0.3`, `iter: 20/720 loss: 1.2`; a numbered heading of a text (`Step 2: Install PyTorch 2.1`)
# has no named number behind it
_MAYBE_STEP = re.compile(
    r"\[?(?:train |training |global[ _])?(?:step|iter(?:ation)?|batch|update)s?\b\]?\s*+(?:[:=#\[]\s*+)?(?>\d[\d,]*\b)"
    r".*?[A-Za-z)]\s*+[:=]\s*+[-+]?\d",
    re.IGNORECASE,
)
# ` 98%|█████████▊| 2086/2120 [26:01<00:22,  1.49it/s]`, `Epoch 0:   1%|  | 795/77225 [9:07:58<878:01:48, 41.36s/it]`,
# `128it [00:12, 10.1it/s]`
_BAR = re.compile(
    r"(?:[^|]{0,80}?:?\s*)?\d{1,3}(?:\.\d+)?%\|[^|]*\|\s*[^\s/]+\s*/\s*[^\s\[]+\s*\[.*"
    r"|(?:[^|]{0,80}?: )?\d+it \[\d+:\d\d.*"
)
# `{'loss': 2.2607, 'learning_rate': 5.26e-06, 'epoch': 0.02}`
_DICTIONARY = re.compile(r"\{(?:\s*+['\"][\w/. -]{1,60}['\"]\s*+:\s*+(?:'[^']*'|\"[^\"]*\"|[-+\w.]+)\s*+,?)+\}")
_OF_STEP = re.compile(
    r"['\"](?:loss|step|epoch|learning_rate|grad_norm|\w*_loss|\w*_runtime|global_step|iteration)['\"]\s*:"
)
# `811.2 samples/sec`, `30.1 tok/s`: a rate that a message prints; of steps (`1.49it/s`) it says nothing
_RATE = re.compile(r"\d\s?[A-Za-z]{2,12}(?<!it)(?:/s(?:ec)?\b|\sper\ssecond\b)")


# Fewer steps show no steady state.
MIN_STEPS = 3
# So many interquartile ranges beyond the quartiles a value is an outlier (Tukey's fences).
_FENCE = 1.5
# `-100.00%`, `nan`, `0.0`, as programs print for the first step
_NOT_MEASURED = re.compile(r"-|nan|inf|0*\.?0+(?![\d.])", re.IGNORECASE)
# What a line of steps of an unknown program may say of its speed
_SPEEDS = frozenset(
    {"throughput", "throughput_per_device", "step_time", "tflops_per_device", "model_flops_utilization", "latency"}
)


@dataclass
class StepSeries:
    """The steps of one run of one program.

    Attributes:
        program: What printed them.
        first: The line of the first step.
        run: Number of the run.
        stated: What the log and its steps say of the run.
        last: Number of the last step.
        fields: Its quantities by name, one of each step.
        lines: Lines of the steps.
    """

    program: Program
    first: Said
    run: int
    stated: dict[str, Stated]
    last: tuple[int, ...] | None = None
    fields: dict[str, list[Field]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)

    def goes_on(self, step: Step) -> bool:
        """Whether a step is of this run: its number is not a lower one."""
        return step.program is self.program and (self.last is None or step.number is None or step.number >= self.last)

    def add(self, said: Said, step: Step) -> None:
        """Adds a step; another process prints a step with the same number, and the first one is read."""
        self.lines.append(said.line.number)
        is_repeated = step.number is not None and step.number == self.last
        self.last = step.number if step.number is not None else self.last
        if is_repeated:
            return
        for each in step.fields:
            self.fields.setdefault(each.key, []).append(each)
        for stated in step.settings:
            known = self.stated.setdefault(stated.dimension, stated)
            if known.value != stated.value:
                # What changes from step to step holds for none of them.
                self.stated[stated.dimension] = stated._replace(value="")

    @cached_property
    def _read(self) -> list[list[tuple[Field, Measured | Unread | None]]]:
        return [
            [(each, read_measured(each.name, each.value, self.program)) for each in fields]
            for fields in self.fields.values()
        ]

    def steady_states(self) -> Iterator[tuple[Field, Measured | None, SteadyState | None]]:
        """Each quantity with its steady state and the step in the middle; where too few steps print it the first."""
        for read in self._read:
            measured = [(each, one) for each, one in read if isinstance(one, Measured) and one.quantity.value > 0]
            if found := steady_state([one for _, one in measured]):
                median = next(each for each, one in measured if one is found.median)
                yield median, found.median, found
            elif any(one is not None for _, one in read):
                yield read[0][0], next((one for _, one in measured), None), None

    def unread(self) -> Iterator[tuple[Field, Unread]]:
        """What of quantities that most steps print in a known way cannot be read; what was not measured says so."""
        for read in self._read:
            unread = [(each, one) for each, one in read if isinstance(one, Unread)]
            if 2 * len(unread) < len(read):
                yield from (pair for pair in unread if not _NOT_MEASURED.match(pair[0].value.text))


@dataclass(frozen=True, slots=True)
class SteadyState:
    """A quantity over the steps of a run after warm-up.

    Attributes:
        median: The step in the middle, of an even number the lower one of the two; its characters are the evidence.
        quantity: Its value with the interval of the quartiles.
        steps: Steps that it is of.
        warm_up: Steps before them that were left out.
    """

    median: Measured
    quantity: Quantity
    steps: int
    warm_up: int


def steady_state(measured: Sequence[Measured]) -> SteadyState | None:
    """The steady state of a quantity that steps print; None for too few of them.

    The steps of the warm-up are those at the beginning that are slower than Tukey's fence of all steps.
    """
    values = [one.quantity.value for one in measured]
    if len(values) < MIN_STEPS:
        return None
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    slow = _FENCE * (third - first)
    is_time = measured[0].heading.canonical_unit in ("s", "ms")
    warm_up = 0
    while warm_up < len(values) and (values[warm_up] > third + slow if is_time else values[warm_up] < first - slow):
        warm_up += 1
    kept = measured[warm_up:]
    if len(kept) < MIN_STEPS:
        return None
    values = values[warm_up:]
    middle = statistics.median_low(values)
    median = next(one for one in kept if one.quantity.value == middle)
    low, _, high = (float(f"{end:.12g}") for end in statistics.quantiles(values, n=4, method="inclusive"))
    quantity = replace(median.quantity, low=min(low, median.quantity.low), high=max(high, median.quantity.high))
    return SteadyState(median, quantity, len(kept), warm_up)


def add_steps(rows: SummaryRows, series: StepSeries, damaged: Collection[int]) -> bool:
    """Adds the steady states of a run; False where one of its quantities gives none.

    Args:
        rows: Where they are added.
        series: The steps.
        damaged: Lines that are known to be damaged.
    """
    block = Block(series.program, series.first, series.run, stated={n: s for n, s in series.stated.items() if s.value})
    for each, unread in series.unread():
        if each.value.line not in damaged:
            rows.refuse_field(block, each, unread.cell, "log_value_unreadable", unread.reason)
    too_few: list[Field] = []
    for printed, read, state in series.steady_states():
        if read and rows.has_summary_of(read, block.program.task):
            continue
        if read is None or state is None:
            too_few.append(printed)
            continue
        counts = [("statistic", "median"), ("steps", str(state.steps))]
        counts += [("warm_up_steps", str(state.warm_up))] if state.warm_up else []
        more = [Stated(name, value, NO_PLACE, "vocabulary") for name, value in counts]
        rows.add_result(block, printed, read, state.quantity, more)
    if too_few:
        names = ", ".join(f"`{each.name.text.strip()}`" for each in too_few)
        count = max(len(series.fields[each.key]) for each in too_few)
        who = f"{count} step{'s' * (count > 1)} of {series.program.name}"
        reason = f"{who} print {names}: too few that can be read for a steady state"
        rows.refuse_field(block, too_few[0], too_few[0].value, "log_steps_too_few", reason)
    return not too_few


def speeds_in(cell: Cell) -> list[Field]:
    """What the line of a step of an unknown program says of its speed: `step: 100, throughput: 811.2 samples/sec`."""
    fields, start = [], 0
    for part in _PARTS.split(cell.text):
        at = cell.text.index(part, start)
        start = at + len(part)
        if match := _NAMED.fullmatch(part):
            inner = cell.part(at, start)
            name, value = inner.matched(match, "name"), inner.matched(match, "value")
            read = read_measured(name, value, TRAINING)
            if isinstance(read, Measured) and read.metric in _SPEEDS and read.item not in WORK_OF_STEPS:
                fields.append(Field(name, value))
    return fields


# Between two values of a step
_PARTS = re.compile(r"[,;|]\s|\s{2,}|\t")
_NAMED = re.compile(r"\s*(?P<name>[A-Za-z][\w ()/%-]{0,60}?)\s*[:=]\s*(?P<value>\S(?:[^:=]*\S)?)\s*")


class ProgramReader:
    """Walks through the lines of a log and says of each what it is.

    Attributes:
        blocks: The summaries, in order.
        singles: Quantities on lines of their own, by name.
        series: The steps by run.
        damaged: Lines of steps that are damaged, with what of them.
        trainings: The runs whose epochs print their time.
        ranks: What other processes print.
        kinds: What each line is, by number; blank lines are in none.
        has_left: True where a summary was left to another format.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.singles: dict[str, list[Block]] = {}
        self.series: list[StepSeries] = []
        self.damaged: list[tuple[Cell, str]] = []
        self.trainings = Trainings()
        self.ranks = Ranks(())
        self.kinds: dict[int, Kind] = {}
        self.has_left = False
        self._settings = Settings()
        self._block: Block | None = None
        self._is_paused = False
        self._strange = 0
        self._unit: str | None = None
        self._run = 0
        self._has_ended = False
        # Something was done or set since the last summary.
        self._goes_step = True
        self._continued: Program | None = None

    def walk(self, lines: Iterable[Line]) -> None:
        """Reads all lines."""
        all_said = [said_on(line) for line in lines if not line.is_blank]
        self.ranks = Ranks(all_said)
        for said in all_said:
            kind = "rank" if self.ranks.is_other(said) else self._take(said)
            self.kinds[said.line.number] = kind
            # What a command prints of its arguments stands right below it.
            self._settings.goes_on = kind == "setting"
        self._close()

    def leave(self, block: Block) -> None:
        """Leaves a summary to another format, with its lines."""
        self.blocks.remove(block)
        self.has_left = True
        last = block.fields[-1].value.line
        self.kinds |= {number: "other" for number in self.kinds if block.first.line.number <= number <= last}

    def _take(self, said: Said) -> Kind:
        text = said.body
        if self._block is None and not may_be_of_program(text):
            return self._message(said)
        if self._continued and self._take_continued(said, self._continued):
            return "step"
        if step := step_on(said):
            return self._take_step(said, step)
        is_of_step = _is_step(text)
        if "poch" in text[:12] and (kind := self._take_epoch(said, is_of_step=is_of_step)):
            return kind
        if is_of_step:
            if text.startswith("{") and (kind := self._take_dictionary(said)):
                return kind
            self._note_damage(said)
            self._goes_step = True
            return "step"
        if (program := program_beginning(text)) and not self._goes_on(program, said):
            self._begin(program, said)
            return "begin"
        if summaries := summaries_on(said, after_final=False):
            return self._add_summaries(summaries, said)
        if self._block is not None and (kind := self._take_in_block(said, self._block)):
            return kind
        if "raining" in text and (stated := training_time_on(said.line)):
            return "epoch" if self.trainings.add_time(said.line, stated) else "other"
        if _MAYBE_STEP.match(text):
            return self._take_maybe_step(said)
        if self._settings.read(said):
            self._goes_step = True
            return "setting"
        if text.startswith("{"):
            self._note_damage(said)
        elif (found := fields_on(said)) and len(found) == 1 and any(map(str.isdigit, found[0].value.text)):
            block = Block(ANY_PROGRAM, said, self._run, found, stated=self._settings.stated(None))
            self.singles.setdefault(found[0].key, []).append(block)
        return self._message(said)

    def _message(self, said: Said) -> Kind:
        # A rate that no rule reads is no mere message.
        return ("rate" if _RATE.search(said.body) else "message") if said.is_message else "other"

    def _take_step(self, said: Said, step: Step) -> Kind:
        self._note_damage(said)
        self._goes_step = True
        if self._block is None or not step.fields:
            self._continued = step.program if step.program.continued else None
            self._add_step(said, step)
        return "step"

    def _take_maybe_step(self, said: Said) -> Kind:
        self._note_damage(said)
        fields = speeds_in(said.cell)
        if fields and self.ranks.first is not None:
            # The speed of one process of an unknown program is not that of the run.
            return "rate"
        if fields:
            # Only a training has a loss.
            self._add_step(said, Step(TRAINING if "loss" in said.body else ANY_PROGRAM, None, fields))
        return "maybe_step"

    def _add_step(self, said: Said, step: Step) -> None:
        series = next((each for each in reversed(self.series) if each.program is step.program), None)
        if series is None or not series.goes_on(step):
            # Runs of steps are numbered below the summaries'.
            run = -1 - len(self.series)
            series = StepSeries(step.program, said, run, self._settings.stated(step.program.task))
            self.series.append(series)
        series.add(said, step)

    def _take_continued(self, said: Said, program: Program) -> bool:
        if program.continued and compiled(program.continued).fullmatch(said.body):
            series = next(each for each in reversed(self.series) if each.program is program)
            series.lines.append(said.line.number)
            for each in step_fields(program, said.cell):
                series.fields.setdefault(each.key, []).append(each)
            return True
        self._continued = None
        return False

    def _take_epoch(self, said: Said, *, is_of_step: bool) -> Kind | None:
        if ("%|" in said.body or not is_of_step) and (epoch := epoch_on(said)):
            self.trainings.add_epoch(epoch, self._settings.stated("training"))
            return "epoch"
        self.trainings.sees_zero |= names_epoch_zero(said.body)
        return None

    def _take_dictionary(self, said: Said) -> Kind | None:
        """What the end of a training prints as a dictionary; None for the dictionary of a step."""
        if summaries := summaries_on(said, after_final=self._has_ended):
            return self._add_summaries(summaries, said)
        self._has_ended &= "loss'" not in said.body
        return None

    def _note_damage(self, said: Said) -> None:
        if damage := _damage_in(said.body):
            self.damaged.append((said.cell, damage))

    def _goes_on(self, program: Program, said: Said) -> bool:
        """Whether a line that may begin a summary stands in one that has begun: its count of requests, for one."""
        block = self._block
        if block is None or block.program is not program or not said.body.startswith("Successful"):
            return False
        names = {each.name.text for each in (*block.fields, *fields_on(block.first))}
        return any(each.name.text not in names for each in fields_on(said))

    def _begin(self, program: Program, said: Said) -> None:
        self._close()
        if program.starts_run:
            self._settings.clear()
        if program.attribute is None and not self._has_ended:
            self._run += 1
        self._block = Block(program, said, self._run)
        self._is_paused, self._strange, self._unit = False, 0, None
        self._settings.read(said)

    def _take_in_block(self, said: Said, block: Block) -> Kind | None:
        """What a line of a block is; None for one that says nothing known there."""
        text, program = said.body, block.program
        for pattern, is_paused in ((program.pauses, True), (program.resumes, False)):
            if pattern and compiled(pattern).fullmatch(text):
                self._is_paused = is_paused
                return "other"
        if unit := breakdown_unit(text):
            self._unit, self._strange = unit, 0
            return "other"
        if text.startswith(("--", "==")):
            # A rule, with the heading of a part in it or without
            return "begin"
        found = fields_on(said, self._unit)
        if not found:
            is_strange = any(map(str.isalpha, text)) and not said.is_message
            self._strange += is_strange
            if self._strange > _MAX_STRANGE:
                self._close()
            return None
        self._strange = 0
        if text.startswith("Result is") and "INVALID" in text:
            block.is_valid = False
        if self._settings.read(said):
            return "setting"
        (block.not_measured if self._is_paused else block.fields).extend(found)
        # What is set behind the last field is of what runs next.
        block.stated = self._settings.stated(program.task)
        return "field"

    def _add_summaries(self, summaries: Sequence[Summary], said: Said) -> Kind:
        for summary in summaries:
            program = summary.program
            if program.is_final:
                self._close()
                self._run += 1
                self._has_ended = bool(program.dictionary)
            elif self._block is None and not self._has_ended and self._goes_step:
                self._run += 1
                self._goes_step = False
            stated = self._settings.stated(program.task) | {each.dimension: each for each in summary.settings}
            self.blocks.append(Block(program, said, self._run, summary.fields, stated=stated))
        return "summary" if summaries[0].program.line else "field"

    def _close(self) -> None:
        """Ends the block."""
        if self._block is not None:
            self.blocks.append(self._block)
            self._block = None


@lru_cache(maxsize=1)
def read_log(document: Document, taken: frozenset[int]) -> ProgramReader:
    """What a document says in the lines that are not taken, line by line."""
    reader = ProgramReader()
    reader.walk(document.without(taken))
    for block in [*reader.blocks]:
        if not block.fields or "model" in block.stated:
            continue
        model = _model_above(document, block.first.line.number, reader)
        if model:
            if ":" in document.line(block.fields[0].value.line).text:
                # A summary below a heading that names the model is a table of its page.
                reader.leave(block)
            else:
                block.stated = {**block.stated, "model": model}
    return reader


def _model_above(document: Document, line: int, reader: ProgramReader) -> Stated | None:
    """The model that the nearest heading over a line names, or a line alone in flattened text; None for no one model.

    What a logger says above a summary is no heading of a page.
    """
    headings = [number for number, _ in document.levels if number < line]
    above = () if headings else range(line - 1, max(0, line - _REACH), -1)
    alone = (n for n in above if not document.line(n).is_blank and document.line(n + 1).is_blank)
    number = headings[-1] if headings else next(alone, None)
    if number is None or reader.kinds.get(number) in ("message", "rate", "step"):
        return None
    cell = document.line(number).cell
    named = [mention for mention in find_mentions(cell.text) if mention.kind == "model"]
    model = named[0] if len(named) == 1 else None
    return model and Stated("model", model.value, cell.part(model.start, model.end), "heading")


def _is_step(text: str) -> bool:
    """Whether the words of a program are what only a program prints for a step, or for how far it is."""
    if text.startswith("{"):
        return bool(_OF_STEP.search(text) and _DICTIONARY.fullmatch(text))
    if content().progress.match(text):
        return True
    return ("%|" in text or "it [" in text) and bool(_BAR.fullmatch(text))


def _damage_in(text: str) -> str | None:
    """What of the words of a step is damaged, as a sentence; None where nothing is seen to be."""
    if text.startswith("{") and _OF_STEP.search(text) and not text.endswith("}"):
        return "the dictionary is not closed: the line may be cut"
    if "%|" in text and "[" in text and "]" not in text[text.rindex("[") :]:
        return "the progress bar is not closed: the line may be cut"
    return None


def steady_states(document: Document) -> dict[tuple[Cell, str], SteadyState]:
    """The steady states of all steps in a document, by the characters of the middle step and their metric."""
    found = (state for series in read_log(document, frozenset()).series for _, _, state in series.steady_states())
    return {(state.median.cell, state.median.metric): state for state in found if state}
