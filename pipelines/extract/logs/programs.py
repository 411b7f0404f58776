"""The logs of programs that `programs.yml` describes: its grammar, and the results that the lines of a log print.

Rows are made of them in `extract/program_log.py`.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import re2

from pipelines.extract.conditions import Stated
from pipelines.extract.logs import NO_PLACE, LineRole, rejected
from pipelines.extract.mentions import condition_value, known_name
from pipelines.extract.named_quantities import Unit, canonical_unit, read_unit
from pipelines.extract.rows import Level, Reject
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import Said, said_on
from pipelines.values.durations import parse_clock
from pipelines.values.numbers import parse_number
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.dimensions import dimensions
from pipelines.yaml_files import load_yaml

# What a line is, and its numerals that are no result
RESULT: LineRole = ("log", "unparsed", "summary_not_kept")
STEP: LineRole = ("log", "ignored", "log_step")
MESSAGE: LineRole = ("log", "ignored", "log_message")
SETTING: LineRole = ("condition", "condition", "log_setting")
OTHER: LineRole = ("log", "unparsed", "log_line_unread")

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
    """A `programs.yml` that cannot be used."""


@dataclass(frozen=True)
class ProgramEntry:
    """An entry of `programs.yml`; what its fields mean is written there."""

    name: str
    source: str
    example: Mapping[str, Any]
    task: str
    lines: Sequence[str]
    begins: str | None = None
    ends: str | None = None
    needs: str | None = None


class LinePattern:
    """A pattern of whole lines of a program, `role` being the field of its entry that it stands in.

    Raises:
        ProgramsError: A placeholder names no metric, or no unit of it.
    """

    def __init__(self, entry: ProgramEntry, role: str, pattern: str) -> None:
        self.entry, self.role = entry, role
        # Metric, statistic and unit of the groups `v0`, `v1` ...
        self.placeholders: list[tuple[str, str | None, Unit]] = []
        with_numbers = _PLACEHOLDER.sub(self._number, pattern)
        self.expression = _BLANK.sub(lambda blank: r"\s*" if blank["any"] else r"\s+", with_numbers)
        # RE2, as no line can hold it up.
        self.match = re2.compile(self.expression).fullmatch

    def _number(self, match: re.Match[str]) -> str:
        metric, statistic, printed = match.groups()
        unit = read_unit(printed, canonical_unit(metric) or "")
        if unit is None:
            raise ProgramsError(f"{match[0]}: no metric of the vocabulary is called so and measured in this unit")
        self.placeholders.append((metric, statistic, unit))
        return f"(?P<v{len(self.placeholders) - 1}>{_NUMBER})"


class Grammar:
    """What `programs.yml` says: its entries, and the conditions that arguments state by the names of these."""

    def __init__(self) -> None:
        listed = load_yaml(Path(__file__).with_name("programs.yml"))
        self.arguments = {name: condition for condition, names in listed["arguments"].items() for name in names}
        self.entries = [ProgramEntry(**entry) for entry in listed["programs"]]
        self._patterns: list[LinePattern] = []
        # A set of patterns says in one walk over a line which of them it matches.
        self._set = re2.Set.FullMatchSet()
        for entry in self.entries:
            roles = {"begins": [entry.begins], "ends": [entry.ends], "needs": [entry.needs], "lines": entry.lines}
            for role, text in ((role, text) for role, texts in roles.items() for text in texts if text):
                self._patterns.append(LinePattern(entry, role, text))
                self._set.Add(self._patterns[-1].expression)
        self._set.Compile()

    def matching(self, said: Said) -> list[LinePattern]:
        """The patterns that a line matches, in the order of the entries."""
        matched = self._set.Match(said.cell.text) if len(said.text) <= _LONGEST else None
        return [self._patterns[number] for number in sorted(matched or ())]


programs = cache(Grammar)


class Arguments:
    """The arguments of the last command, by the condition that they state."""

    def __init__(self) -> None:
        self.stated: dict[str, Stated] = {}
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
            name = (match["name" if is_printed else "option"] or "").replace("-", "_").casefold()
            dimension = programs().arguments.get(name, "")
            stated = _read_condition(dimension, cell.matched(match, "value")) if dimension else None
            if stated and (dimension not in _KNOWN_ALONE or known_name(dimension, stated.cell.text)):
                found.setdefault(dimension, set()).add(stated)
        if found and not is_continued:
            self.stated.clear()
        for dimension, values in found.items():
            if len({stated.value for stated in values}) == 1:
                self.stated[dimension] = min(values, key=lambda stated: stated.cell.start)
        return bool(found)


def _stated_in(match: re.Match[str], cell: Cell, level: Level) -> dict[str, Stated]:
    """What the groups of a match state that are called like dimensions."""
    names = [name for name, text in match.groupdict().items() if text and name in dimensions()]
    found = {name: _read_condition(name, cell.matched(match, name), level) for name in names}
    return {name: stated for name, stated in found.items() if stated}


def _read_condition(dimension: str, value: Cell, level: Level = "page") -> Stated | None:
    """What printed characters, in quotation marks or without, state of a dimension; None for nothing."""
    inner = value.part(len(value.text) - len(value.text.lstrip("'\" ")), len(value.text.rstrip("'\" ")))
    if dimension == "model":
        path = inner.part(0, len(inner.text.rstrip("/")))
        name = path.part(path.text.rfind("/") + 1, len(path.text))
        inner = name.part(0, len(_FILE.sub("", name.text)))
    if inner.text.casefold() in _NOTHING or inner.text.startswith(("<", "$", "{")):
        return None
    said = condition_value(dimension, inner.text)
    return Stated(dimension, said, inner, level) if said else None


@dataclass
class Summary:
    """What holds for the results of a summary, of a line that is one of its own, or of the steps of one run.

    `above` is the last line above it that no entry reads; `steps` are what the steps print, by metric, on `lines`.
    """

    entry: ProgramEntry
    first: Cell
    above: str
    stated: dict[str, Stated]
    is_valid: bool = True
    has_results: bool = False
    last_step: int = -1
    steps: dict[str, list[LogResult]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LogResult:
    """One result that a log prints, in the canonical unit; the percentile is in the name of the metric.

    `stated` are conditions of its own; of what is printed nowhere, such as the number of steps, the cell is empty.
    """

    summary: Summary
    cell: Cell
    metric: str
    quantity: Quantity
    unit: Unit
    stated: dict[str, Stated]

    @property
    def conditions(self) -> dict[str, Stated]:
        return self.summary.stated | self.stated

    @property
    def key(self) -> tuple[object, ...]:
        """What it is of: results of one key are the same measurement."""
        said = sorted((each.dimension, each.value) for each in self.conditions.values() if each.cell.text)
        return self.metric, self.unit.item, self.summary.entry.task, *said


def _steady_state(results: list[LogResult]) -> LogResult | None:
    """The step in the middle of those after warm-up (of an even number the lower one), with the interval of quartiles.

    The steps of the warm-up are those at the beginning that are slower than Tukey's fence of all steps. None where too
    few are left.
    """
    values = [result.quantity.value for result in results]
    if len(values) < _MIN_STEPS:
        return None
    # Of a time more is slower, of a rate less.
    slowness = values if results[0].unit.name in ("s", "ms") else [-value for value in values]
    first, _, third = statistics.quantiles(slowness, n=4, method="inclusive")
    fence = third + _FENCE * (third - first)
    warm_up = next((at for at, each in enumerate(slowness) if each <= fence), len(values))
    kept = values[warm_up:]
    if len(kept) < _MIN_STEPS:
        return None
    middle = results[warm_up + kept.index(statistics.median_low(kept))]
    low, _, high = (float(f"{end:.12g}") for end in statistics.quantiles(kept, n=4, method="inclusive"))
    printed = middle.quantity
    # What changes from step to step holds for none of them.
    said = {name: {each.stated[name].value for each in results if name in each.stated} for name in middle.stated}
    stated = {name: each for name, each in middle.stated.items() if len(said[name]) == 1}
    counts = {"statistic": "median", "steps": str(len(kept))} | ({"warm_up_steps": str(warm_up)} if warm_up else {})
    stated |= {name: Stated(name, value, NO_PLACE, "vocabulary") for name, value in counts.items()}
    quantity = Quantity(printed.value, min(low, printed.low), max(high, printed.high), printed.bound)
    return replace(middle, quantity=quantity, stated=stated)


class ProgramLog:
    """The results that a document prints as the log of known programs.

    Attributes:
        results: Its results, steady states of steps among them.
        repeated: Numbers that print a result again.
        lines: What each line is, by number; blank lines are in none.
    """

    def __init__(self, document: Document, taken: frozenset[int] = frozenset()) -> None:
        self.results: list[LogResult] = []
        self.rejects: list[Reject] = []
        self.repeated: list[Cell] = []
        self.lines: dict[int, LineRole] = {}
        # Of a value that ends a text without an end of line digits may be missing.
        self._cut_line = len(document.lines) if document.is_open_ended else None
        self._arguments = Arguments()
        # Settings by the name of their program.
        self._settings: dict[str, dict[str, Stated]] = {}
        self._summary: Summary | None = None
        self._series: list[Summary] = []
        self._above = ""
        lines = [said_on(line) for line in document.without(taken) if not line.is_blank]
        matched = [programs().matching(said) for said in lines]
        has_needed = {pattern.entry.name for patterns in matched for pattern in patterns if pattern.role == "needs"}
        for said, patterns in zip(lines, matched, strict=True):
            kept = [each for each in patterns if each.entry.needs is None or each.entry.name in has_needed]
            role = self.lines[said.number] = self._read(said, kept)
            if role == OTHER:
                self._above = said.cell.text
                if said.start == 0 and _is_heading(document.line(said.number), document):
                    self._summary = None
                    self._arguments.stated.clear()
                    self._settings.clear()
        for series in self._series:
            for results in series.steps.values():
                if state := _steady_state(results):
                    self.results.append(state)
                else:
                    reason = f"{len(results)} steps of {series.entry.name}: too few for a steady state"
                    self.rejects.append(rejected(results[0].cell, "log_steps_too_few", reason))
                    self.lines |= dict.fromkeys(series.lines, OTHER)
        self._refuse_ambiguous()

    def _read(self, said: Said, patterns: list[LinePattern]) -> LineRole:
        """Takes a line; what begins or ends a summary comes before what the line says."""
        cell = said.cell
        role = OTHER
        for pattern in patterns:
            if pattern.role == "begins" and (match := pattern.match(cell.text)):
                self._summary = self._open(pattern.entry, cell)
                self._summary.stated |= _stated_in(match, cell, "row")
                return MESSAGE
            if pattern.role == "ends" and self._summary and self._summary.entry is pattern.entry:
                self._summary, role = None, MESSAGE
        current = self._summary
        # The program of the summary comes before others.
        for pattern in sorted(patterns, key=lambda pattern: current is None or pattern.entry is not current.entry):
            entry, match = pattern.entry, pattern.match(cell.text)
            if match is None or pattern.role != "lines":
                continue
            summary = current if current and current.entry is entry else None
            if "step" in match.groupdict():
                self._add_step(pattern, match, cell)
                return STEP
            if pattern.placeholders and (summary or entry.begins is None):
                summary = summary or self._open(entry, cell)
                summary.has_results = True
                self.results += self._results(pattern, match, cell, summary)
                return RESULT
            if summary and "invalid" in match.groupdict():
                summary.is_valid = False
                return MESSAGE
            if summary and not summary.has_results:
                summary.stated |= _stated_in(match, cell, "row")
                return SETTING
            if not pattern.placeholders:
                self._settings.setdefault(entry.name, {}).update(_stated_in(match, cell, "page"))
                role = SETTING
        return SETTING if len(said.text) <= _LONGEST and self._arguments.read(said) else role

    def _open(self, entry: ProgramEntry, cell: Cell) -> Summary:
        return Summary(entry, cell, self._above, self._arguments.stated | self._settings.get(entry.name, {}))

    def _results(self, pattern: LinePattern, match: re.Match[str], cell: Cell, summary: Summary) -> Iterator[LogResult]:
        """The results on a line with its own conditions."""
        own = _stated_in(match, cell, "row")
        for at, (metric, statistic, unit) in enumerate(pattern.placeholders):
            if match[f"v{at}"] is None:
                continue
            printed = cell.matched(match, f"v{at}")
            number = parse_number(printed.text)
            # `12:34` may be hours and minutes or minutes and seconds.
            is_clock = unit.name == "s" and printed.text.count(":") == 2
            value = parse_clock(printed.text) if is_clock else number.scaled(unit.scale) if number else None
            fault = "" if value else f"is no number of `{metric}`"
            if value and value.value == 0:
                fault = "is 0: nothing was measured"
            elif printed.line == self._cut_line and printed.end == cell.end:
                fault = "ends the log, which has no end of line: it may be cut"
            if value is None or fault:
                self.rejects.append(rejected(printed, "log_value_unreadable", f"`{printed.text}` {fault}"))
                continue
            said = statistic or (own["statistic"].value if "statistic" in own else "mean")
            full = metric if said == "mean" else f"{metric}_{said.replace('.', '_')}"
            yield LogResult(summary, printed, full, value, unit, own)

    def _add_step(self, pattern: LinePattern, match: re.Match[str], cell: Cell) -> None:
        """Takes a step; a lower number begins another run, another process prints the same number again."""
        number = int(match["step"])
        series = next((each for each in reversed(self._series) if each.entry is pattern.entry), None)
        if series is None or number < series.last_step:
            series = self._open(pattern.entry, cell)
            self._series.append(series)
        series.lines.append(cell.line)
        if number > series.last_step:
            series.last_step = number
            for result in self._results(pattern, match, cell, series):
                series.steps.setdefault(result.metric, []).append(result)

    def _refuse_ambiguous(self) -> None:
        """Of results that are the same measurement the first one is kept; where their values differ none is."""
        by_key: dict[tuple[object, ...], list[LogResult]] = {}
        for result in self.results:
            if result.summary.is_valid:
                by_key.setdefault(result.key, []).append(result)
            else:
                reason = f"{result.summary.entry.name} reports that this result is invalid"
                self.rejects.append(rejected(result.cell, "log_result_invalid", reason))
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
                other = next(each.cell for each in results if each.quantity != result.quantity)
                both = f"`{result.cell.text}` and `{other.text}` in line {other.line} have equal conditions"
                reason = f"{both}; only words that are not read may tell them apart, above them: {above}"
                self.rejects.append(rejected(result.cell, "ambiguous", reason))


def _is_heading(line: Line, document: Document) -> bool:
    """Whether an unread line is a heading: marked as one, or short and alone between blank lines."""
    if line.text.startswith("#"):
        return True
    # `-- Breakdown (ms)` and `= WORLD + RUNTIME INFORMATION` are rules of a program.
    if len(line.text) > _LONGEST_HEADING or not line.text.lstrip()[0].isalnum() or not any(map(str.isalpha, line.text)):
        return False
    around = (line.number - 1, line.number + 1)
    return all(not 1 <= number <= len(document.lines) or document.line(number).is_blank for number in around)


# Both to recognise a log and to extract it.
read_log = lru_cache(maxsize=1)(ProgramLog)
