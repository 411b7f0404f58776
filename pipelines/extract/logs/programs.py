"""The logs of programs that `programs.yml` describes: its grammar, and the results that the lines of a log print.

Rows are made of them in `extract/program_log.py`.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import re2

from pipelines.extract.conditions import Stated
from pipelines.extract.logs import LogFault
from pipelines.extract.mentions import condition_value, known_name
from pipelines.extract.named_quantities import Unit, canonical_unit, read_unit
from pipelines.extract.rows import Level
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import Said, said_on
from pipelines.values.durations import parse_clock
from pipelines.values.numbers import parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.dimensions import dimensions
from pipelines.yaml_files import load_yaml

Kind = Literal["result", "step", "setting", "begin", "other"]

# A longer line is not matched.
_LONGEST = 2_000
_LONGEST_HEADING = 100
# `{ttft ms}`, `{latency p99 ms}`
_PLACEHOLDER = re.compile(r"\{(?P<metric>[a-z_]+) (?:(?P<statistic>mean|p[\d.]+) )?(?P<unit>[^{}]+)\}")
# The number of a placeholder, damaged ones too
_NUMBER = r"\d(?:[\w.,:]*\w)?"
_BLANK = re.compile(r" (?P<any>[?*])?")
# Fewer steps show no steady state.
_MIN_STEPS = 3
# So many interquartile ranges beyond the quartiles a value is an outlier (Tukey's fences).
_FENCE = 1.5
# Values by which a program says that it was told nothing
_NOTHING = frozenset({"", "none", "null", "auto", "default", "[]"})
# `Namespace(subparser='bench', model='Qwen/Qwen3-0.6B', batch_size=None)`, `--model Qwen/Qwen3-0.6B`, `--batch-size=8`
_ARGUMENT = re.compile(
    r"(?:(?<!\S)--(?P<option>[A-Za-z][\w-]*)(?:=|\s+)|(?<![\w.-])(?P<name>\w+)=)"
    r"(?P<value>'[^']*'|\"[^\"]*\"|[^\s,()\[\]'\"-][^\s,()\[\]'\"]*)"
)
_NAMESPACE = re.compile(r"(?:.*\s)?(?:Namespace|\w*Args|\w*Arguments|\w*Config)\(.*\)?")
# `resnet50.onnx`; the `.3` of `DeepSeek-V3.2-Exp` is a part of the name
_FILE = re.compile(r"(?i)\.(?:onnx|gguf|engine|plan|tflite|hef|xml|pt|pth|safetensors|py|json)$")
_KNOWN_ALONE = frozenset({"platform", "framework", "dataset"})


class ProgramsError(Exception):
    """A `programs.yml` that cannot be read."""


class Placeholder(NamedTuple):
    """A number that a pattern stands for."""

    metric: str
    statistic: str | None
    unit: Unit


class LinePattern:
    """A pattern of whole lines, see `programs.yml`.

    Args:
        pattern: As it is written there.

    Raises:
        ProgramsError: A placeholder names no metric, or no unit of it.
    """

    def __init__(self, pattern: str) -> None:
        self.placeholders: list[Placeholder] = []
        with_numbers = _PLACEHOLDER.sub(self._number, pattern)
        blanks = _BLANK.sub(lambda blank: r"\s*" if blank["any"] else r"\s+", with_numbers)
        # RE2, as no line can hold it up.
        self.match = re2.compile(blanks).fullmatch

    def _number(self, match: re.Match[str]) -> str:
        metric, statistic, printed = match.groups()
        unit = read_unit(printed, canonical_unit(metric) or "")
        if unit is None:
            raise ProgramsError(f"{match[0]}: no metric of the vocabulary is called so and measured in this unit")
        self.placeholders.append(Placeholder(metric, statistic, unit))
        return f"(?P<v{len(self.placeholders) - 1}>{_NUMBER})"


@dataclass(frozen=True)
class ProgramEntry:
    """An entry of `programs.yml`; what its fields mean is written there."""

    name: str
    source: str
    example: Mapping[str, Any]
    task: str
    settings: tuple[LinePattern, ...] = ()
    begins: LinePattern | None = None
    ends: LinePattern | None = None
    invalid: LinePattern | None = None
    needs: LinePattern | None = None
    lines: tuple[LinePattern, ...] = ()
    steps: tuple[LinePattern, ...] = ()


@cache
def programs() -> tuple[tuple[ProgramEntry, ...], Mapping[str, str]]:
    """The entries of `programs.yml`, and the conditions that arguments state, by their names.

    Raises:
        ProgramsError: It cannot be read.
    """
    path = Path(__file__).with_name("programs.yml")
    try:
        listed = load_yaml(path)
        entries = []
        for entry in listed["programs"]:
            several = {key: tuple(map(LinePattern, entry.get(key, ()))) for key in ("settings", "lines", "steps")}
            single = {key: LinePattern(entry[key]) for key in ("begins", "ends", "invalid", "needs") if key in entry}
            entries.append(ProgramEntry(**entry | several | single))
        return tuple(entries), {name: to for to, names in listed["arguments"].items() for name in names}
    except (TypeError, KeyError, AttributeError, re.error, ProgramsError) as error:
        raise ProgramsError(f"{path.name}: {error}") from error


class Arguments:
    """The arguments of the last command, by the condition that they state.

    Args:
        names: Condition by name of an argument.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.stated: dict[str, Stated] = {}
        self._names = names
        self._is_continued = False

    def read(self, said: Said) -> bool:
        """Takes a command line or printed arguments in place of those before; False for any other line.

        A condition that two arguments state otherwise is unknown.
        """
        cell = said.cell
        is_continued, self._is_continued = self._is_continued, cell.text.endswith("\\")
        if "=" not in cell.text and "--" not in cell.text:
            return False
        is_printed = _NAMESPACE.fullmatch(cell.text) is not None
        if not is_printed and (said.start or (cell.text.startswith(("-", "|")) and not is_continued)):
            return False
        found: dict[str, set[Stated]] = {}
        for match in _ARGUMENT.finditer(cell.text):
            name = match["name"] if is_printed else match["option"]
            if dimension := self._names.get((name or "").replace("-", "_").casefold()):
                for stated in read_condition(dimension, cell.matched(match, "value"), is_known_alone=True):
                    found.setdefault(stated.dimension, set()).add(stated)
        if found and not is_continued:
            self.stated.clear()
        for dimension, values in found.items():
            if len({stated.value for stated in values}) == 1:
                self.stated[dimension] = min(values, key=lambda stated: stated.cell.start)
        return bool(found)


def stated_in(match: re.Match[str], cell: Cell, level: Level) -> Iterator[Stated]:
    """What the groups of a match state that are called like dimensions."""
    for name, text in match.groupdict().items():
        if text and name in dimensions():
            yield from read_condition(name, cell.matched(match, name), level)


def read_condition(
    dimension: str, value: Cell, level: Level = "page", *, is_known_alone: bool = False
) -> Iterator[Stated]:
    """What printed characters state of a dimension; nothing where they say nothing that is known.

    Args:
        dimension: The dimension.
        value: The printed characters, with quotation marks or without.
        level: Where they are.
        is_known_alone: Whether names of platforms, frameworks and datasets count only where a vocabulary has them.
    """
    inner = value.part(len(value.text) - len(value.text.lstrip("'\" ")), len(value.text.rstrip("'\" ")))
    if dimension == "model":
        path = inner.part(0, len(inner.text.rstrip("/")))
        name = path.part(path.text.rfind("/") + 1, len(path.text))
        inner = name.part(0, len(_FILE.sub("", name.text)))
    if inner.text.casefold() in _NOTHING or inner.text.startswith(("<", "$", "{")):
        return
    if is_known_alone and dimension in _KNOWN_ALONE and not known_name(dimension, inner.text):
        return
    if said := condition_value(dimension, inner.text):
        yield Stated(dimension, said, inner, level)


@dataclass
class Summary:
    """What holds for the results of a summary, or of a line that is one of its own.

    Attributes:
        entry: What printed it.
        first: The words of its first line.
        above: The last line above it that no entry reads; empty where there is none.
        stated: Its conditions.
        is_valid: False where the program says that its results do not count.
    """

    entry: ProgramEntry
    first: Cell
    above: str
    stated: dict[str, Stated]
    is_valid: bool = True


@dataclass(frozen=True, slots=True)
class LogResult:
    """One result that a log prints.

    Attributes:
        summary: Where it is printed.
        cell: The printed number.
        metric: Canonical metric with its percentile.
        quantity: Its value in the canonical unit.
        unit: The unit that its entry gives.
        stated: Conditions of its own.
        counts: Of a steady state `steps` and `warm_up_steps`, which are printed nowhere.
    """

    summary: Summary
    cell: Cell
    metric: str
    quantity: Quantity
    unit: Unit
    stated: tuple[Stated, ...] = ()
    counts: tuple[tuple[str, str], ...] = ()

    def key(self) -> tuple[object, ...]:
        """What it is of: results of one key are the same measurement."""
        said = {name: stated.value for name, stated in self.conditions().items()}
        return self.metric, self.unit.item, self.summary.entry.task, *sorted(said.items())

    def conditions(self) -> dict[str, Stated]:
        """What holds for it, by dimension; the statistic of a percentile is a part of the metric."""
        return self.summary.stated | {each.dimension: each for each in self.stated}


@dataclass
class StepSeries:
    """The steps of one run of a program.

    Attributes:
        summary: What holds for them.
        last: Number of the last one.
        results: What its steps print, by metric.
        lines: Their lines.
    """

    summary: Summary
    last: int = -1
    results: dict[str, list[LogResult]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)

    def steady_states(self) -> Iterator[LogResult | LogFault]:
        """Of each metric the median after warm-up with the interval of the quartiles, or why there is none."""
        for results in self.results.values():
            if (state := _steady_state(results)) is not None:
                yield state
            else:
                reason = f"{len(results)} steps of {self.summary.entry.name}: too few for a steady state"
                yield LogFault(results[0].cell, "log_steps_too_few", reason)


def _steady_state(results: list[LogResult]) -> LogResult | None:
    """The step in the middle of those after warm-up, of an even number the lower one; None for too few steps.

    The steps of the warm-up are those at the beginning that are slower than Tukey's fence of all steps.
    """
    values = [result.quantity.value for result in results]
    if len(values) < _MIN_STEPS:
        return None
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    slow = _FENCE * (third - first)
    is_time = results[0].unit.name in ("s", "ms")
    warm_up = 0
    while warm_up < len(values) and (values[warm_up] > third + slow if is_time else values[warm_up] < first - slow):
        warm_up += 1
    kept = values[warm_up:]
    if len(kept) < _MIN_STEPS:
        return None
    middle = results[warm_up + kept.index(statistics.median_low(kept))]
    low, _, high = (float(f"{end:.12g}") for end in statistics.quantiles(kept, n=4, method="inclusive"))
    printed = middle.quantity
    counts = [("statistic", "median"), ("steps", str(len(kept)))]
    counts += [("warm_up_steps", str(warm_up))] if warm_up else []
    # What changes from step to step holds for none of them.
    values_of = {
        each.dimension: {s.value for r in results for s in r.stated if s.dimension == each.dimension}
        for each in middle.stated
    }
    stated = tuple(each for each in middle.stated if len(values_of[each.dimension]) == 1)
    quantity = Quantity(printed.value, min(low, printed.low), max(high, printed.high), printed.bound)
    return LogResult(middle.summary, middle.cell, middle.metric, quantity, middle.unit, stated, tuple(counts))


class ProgramLog:
    """The results that a document prints as the log of known programs.

    Args:
        document: The document.
        taken: Lines that another format has read.

    Attributes:
        results: Its results, steady states of steps among them.
        unread: What cannot be a result, and why.
        repeated: Numbers that print a result again.
        kinds: What each line is, by number; blank lines are in none.
    """

    def __init__(self, document: Document, taken: frozenset[int]) -> None:
        self.results: list[LogResult] = []
        self.unread: list[LogFault] = []
        self.repeated: list[Cell] = []
        self.kinds: dict[int, Kind] = {}
        entries, names = programs()
        lines = [said_on(line) for line in document.without(taken) if not line.is_blank]
        texts = {said.cell.text for said in lines if len(said.text) <= _LONGEST}
        self._entries = [entry for entry in entries if entry.needs is None or any(map(entry.needs.match, texts))]
        self._arguments = Arguments(names)
        self._settings: dict[str, dict[str, Stated]] = {}
        self._summary: Summary | None = None
        self._series: list[StepSeries] = []
        self._above = ""
        for said in lines:
            kind = self._read(said) if len(said.text) <= _LONGEST else "other"
            self.kinds[said.number] = kind
            if kind == "other":
                self._above = said.cell.text
                if said.start == 0 and _is_heading(document.line(said.number), document):
                    self._summary = None
                    self._arguments.stated.clear()
                    self._settings.clear()
        self._finish_steps()
        self._refuse_ambiguous()

    def _read(self, said: Said) -> Kind:
        cell = said.cell
        text = cell.text
        for entry in self._entries:
            if entry.begins and (match := entry.begins.match(text)):
                self._summary = self._open(entry, cell)
                self._summary.stated |= {each.dimension: each for each in stated_in(match, cell, "row")}
                return "begin"
        if self._summary is not None and (kind := self._read_in_summary(self._summary, cell)):
            return kind
        is_setting = False
        for entry in self._entries:
            for pattern in entry.lines if entry.begins is None else ():
                if match := pattern.match(text):
                    self.results += self._results(pattern, match, cell, self._open(entry, cell))
                    return "result"
            for pattern in entry.steps:
                if match := pattern.match(text):
                    self._add_step(entry, pattern, match, cell)
                    return "step"
            for pattern in entry.settings:
                if match := pattern.match(text):
                    stated = {each.dimension: each for each in stated_in(match, cell, "page")}
                    self._settings.setdefault(entry.name, {}).update(stated)
                    is_setting = True
        return "setting" if self._arguments.read(said) or is_setting else "other"

    def _read_in_summary(self, summary: Summary, cell: Cell) -> Kind | None:
        entry = summary.entry
        if entry.invalid and entry.invalid.match(cell.text):
            summary.is_valid = False
            return "begin"
        for pattern in entry.lines:
            if match := pattern.match(cell.text):
                self.results += self._results(pattern, match, cell, summary)
                return "result" if pattern.placeholders else "setting"
        if entry.ends and entry.ends.match(cell.text):
            self._summary = None
            return "begin"
        return None

    def _open(self, entry: ProgramEntry, cell: Cell) -> Summary:
        return Summary(entry, cell, self._above, self._arguments.stated | self._settings.get(entry.name, {}))

    def _results(self, pattern: LinePattern, match: re.Match[str], cell: Cell, summary: Summary) -> Iterator[LogResult]:
        """The results on a line with its own conditions; those of a line without results hold for the summary."""
        own = tuple(stated_in(match, cell, "row"))
        if not pattern.placeholders:
            summary.stated |= {each.dimension: each for each in own}
        statistic = next((each.value for each in own if each.dimension == "statistic"), "mean")
        for at, (metric, fixed, unit) in enumerate(pattern.placeholders):
            if match[f"v{at}"] is None:
                continue
            printed = cell.matched(match, f"v{at}")
            number = parse_number(printed.text)
            value = number.scaled(unit.scale) if number else None
            if unit.name == "s" and printed.text.count(":") == 2:
                # `12:34` may be hours and minutes or minutes and seconds.
                value = parse_clock(printed.text)
            if value is None or value.value == 0:
                what = "is 0: nothing was measured" if value else f"is no number of `{metric}`"
                self.unread.append(LogFault(printed, "log_value_unreadable", f"`{printed.text}` {what}"))
                continue
            said = fixed or statistic
            full = metric if said == "mean" else f"{metric}_{said.replace('.', '_')}"
            yield LogResult(summary, printed, full, value, unit, own)

    def _add_step(self, entry: ProgramEntry, pattern: LinePattern, match: re.Match[str], cell: Cell) -> None:
        """Takes a step; a lower number begins another run, another process prints the same number again."""
        number = int(match["step"])
        series = next((each for each in reversed(self._series) if each.summary.entry is entry), None)
        if series is None or number < series.last:
            series = StepSeries(self._open(entry, cell))
            self._series.append(series)
        series.lines.append(cell.line)
        if number == series.last:
            return
        series.last = number
        for result in self._results(pattern, match, cell, series.summary):
            series.results.setdefault(result.metric, []).append(result)

    def _finish_steps(self) -> None:
        for series in self._series:
            for state in series.steady_states():
                if isinstance(state, LogResult):
                    self.results.append(state)
                else:
                    self.unread.append(state)
                    self.kinds |= dict.fromkeys(series.lines, "other")

    def _refuse_ambiguous(self) -> None:
        """Of results that are the same measurement the first one is kept; where their values differ none is."""
        by_key: dict[tuple[object, ...], list[LogResult]] = {}
        for result in self.results:
            if result.summary.is_valid:
                by_key.setdefault(result.key(), []).append(result)
            else:
                reason = f"{result.summary.entry.name} reports that this result is invalid"
                self.unread.append(LogFault(result.cell, "log_result_invalid", reason))
        self.results = []
        for results in by_key.values():
            low = max(result.quantity.low for result in results)
            high = min(result.quantity.high for result in results)
            if low <= high:
                self.results.append(results[0])
                self.repeated += (result.cell for result in results[1:])
                continue
            above = ", ".join(dict.fromkeys(f"`{result.summary.above[:60]}`" for result in results))
            for result in results:
                other = next(each for each in results if each.quantity != result.quantity)
                reason = (
                    f"`{result.cell.text}` and `{other.cell.text}` in line {other.cell.line} have equal conditions; "
                    f"only words that are not read may tell them apart, above them: {above}"
                )
                self.unread.append(LogFault(result.cell, "ambiguous", reason))


def _is_heading(line: Line, document: Document) -> bool:
    """Whether an unread line is a heading: marked as one, or short and alone between blank lines."""
    if line.text.startswith("#"):
        return True
    # `-- Breakdown (ms)` and `= WORLD + RUNTIME INFORMATION` are rules of a program.
    begins_with_word = line.text.lstrip()[0].isalnum()
    around = (line.number - 1, line.number + 1)
    is_alone = all(not 1 <= number <= len(document.lines) or document.line(number).is_blank for number in around)
    is_short = len(line.text) <= _LONGEST_HEADING and any(map(str.isalpha, line.text))
    return begins_with_word and is_alone and is_short


@lru_cache(maxsize=1)
def read_log(document: Document, taken: frozenset[int] = frozenset()) -> ProgramLog:
    """What a document says in the lines that are not taken."""
    return ProgramLog(document, taken)
