"""Logs of training and benchmark programs other than Keras: the summaries they end with, and the
steady state of their steps.

Programs are entries of `logs/programs.yml`.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Any

from pipelines.extract.conditions import NumberedConditions, Stated, fields_of, reads_again
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.logs import (
    NO_PLACE,
    LineMatch,
    LinePattern,
    LineRole,
    LogReading,
    ProgramEntry,
    Settings,
    condition_rows,
    measured,
    programs,
    rejected,
    stated_in,
)
from pipelines.extract.named_quantities import Unit
from pipelines.extract.prose.sentences import is_heading
from pipelines.extract.rows import Condition, Measurement, Reject
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import Said, said_on, shared_by
from pipelines.values.durations import parse_clock
from pipelines.values.numbers import parse_count, parse_number
from pipelines.values.quantity import Quantity

FORMAT = Format(
    name="program_log",
    description="Logs of training and benchmark programs: summaries of measured values, and steps.",
    rows=(Measurement, Condition, Reject),
    # Behind the logs of Keras, before tables and prose.
    priority=15,
    medium=Medium.LOG,
    mapping="constants",
)
# Of a page with blocks of output: below that of its tables.
_SCORE_OF_BLOCKS, _SCORE_OF_NOTES = 0.85, 0.05

# A text is a log where this share of its lines is read, refused, or begins with a time stamp, a
# level or a rank.
_LOG_SHARE = 0.25
# What a line is, and its numerals that are no result
_RESULT: LineRole = ("log", "unparsed", "summary_not_kept")
_STEP: LineRole = ("log", "ignored", "log_step")
_DECORATION: LineRole = _STEP
_MESSAGE: LineRole = ("log", "ignored", "log_message")
_SETTING: LineRole = ("condition", "condition", "log_setting")
_OTHER: LineRole = ("log", "unparsed", "log_line_unread")
# By which of several ways a program counts or estimates, and which of its results counts.
MEASURED_AS, _STATUS = "measured_as", "result_status"
# Fewer steps show no steady state.
_MIN_STEPS = 3
# The highest percentile that benchmarks of servers print is P99: where more requests are lost, it
# is not of all.
_LOST_SHARE = 0.01
# Groups that say what became of the requests, or whether a result counts.
_COUNTED = frozenset({"completed", "failed", "valid", "invalid"})
# Texts above results that a reason shows.
_SHOWN = 5
# So many interquartile ranges beyond the quartiles a value is an outlier (Tukey's fences).
_FENCE = 1.5


@dataclass
class Summary:
    """The conditions of a summary, of a line with a result, or of the steps of one run.

    `above` is the last line above it that no entry reads; `others` are the arguments of its command
    that state no dimension; `counted` are the requests by what became of them, and the line that
    says whether it counts; `part_of` is the summary that it continues; `steps` are what the steps
    print, by metric, on `lines`.
    """

    entry: ProgramEntry
    first: Cell
    above: str
    stated: dict[str, Stated]
    others: dict[str, Stated]
    is_logged: bool = False
    counted: dict[str, Cell] = field(default_factory=dict)
    part_of: Summary | None = None
    has_results: bool = False
    last_step: int = -1
    steps: dict[tuple[str, str | None], list[LogResult]] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)

    @property
    def whole(self) -> Summary:
        """The summary of the whole run."""
        return self.part_of or self

    def fault(self) -> str | None:
        """Why its results are no results of the program; None if they are.

        A share of the requests that is larger than `_LOST_SHARE` was not answered, or the program
        says so.
        """
        if verdict := self.counted.get("invalid"):
            text = " ".join(verdict.text.split())
            return f"{self.entry.name} prints `{text}`: a run without results that count"
        if self.entry.has_verdict and "valid" not in self.counted:
            return f"{self.entry.name} does not report that this result is valid"
        failed, completed = self.count("failed"), self.count("completed")
        if failed > _LOST_SHARE * (failed + completed):
            lost = (
                f"{failed:,} of {failed + completed:,} requests failed, more than {_LOST_SHARE:.0%}"
            )
            return f"{lost}: what {self.entry.name} prints is of those that were answered"
        return None

    def has_settings_of(self, other: Summary) -> bool:
        own, others = self.stated.values(), other.stated.values()
        return {each[:2] for each in own} == {each[:2] for each in others}

    def state(self, match: re.Match[str], cell: Cell) -> bool:
        """Takes what a line says of the requests, or of the whole result; above its results also
        its conditions, below them False.
        """
        counted = [name for name, text in match.groupdict().items() if name in _COUNTED and text]
        for name in counted:
            self.counted[name] = cell if name == "invalid" else cell.matched(match, name)
            if name == "failed" and (count := self.count(name)):
                printed = Stated("failed_requests", str(count), self.counted[name], "row")
                self.stated["failed_requests"] = printed
        if not (counted or self.has_results):
            self.stated |= stated_in(match, cell, "row")
            return True
        return bool(counted)

    def count(self, name: str) -> int:
        return (parse_count(self.counted[name].text) or 0) if name in self.counted else 0


@dataclass(frozen=True, slots=True)
class LogResult:
    """One result that a log prints, in the canonical unit.

    `stated` are conditions of its own; of what is printed nowhere, such as the number of steps, the
    cell is empty.
    """

    summary: Summary
    cell: Cell
    metric: str
    statistic: str | None
    quantity: Quantity
    unit: Unit
    stated: dict[str, Stated]
    rank: int

    @property
    def conditions(self) -> dict[str, Stated]:
        return self.summary.stated | self.stated

    def state(self, name: str, value: str) -> None:
        """Adds a condition that is printed nowhere."""
        self.stated[name] = Stated(name, value, NO_PLACE, "vocabulary")

    @property
    def key(self) -> tuple[object, ...]:
        """What it is of: results of one key are the same measurement."""
        said = sorted(
            (each.dimension, each.value)
            for each in self.conditions.values()
            if each.cell.text or each.dimension == MEASURED_AS
        )
        return self.metric, self.statistic, self.unit.item, self.summary.entry.task, *said


def _steady_state(results: list[LogResult]) -> LogResult | None:
    """The step in the middle of those after warm-up (of an even number the lower one), with the
    interval of quartiles.

    The steps of the warm-up are those at the beginning that are slower than Tukey's fence of all
    steps. None where too few are left.
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
    low, _, high = (
        float(f"{end:.12g}") for end in statistics.quantiles(kept, n=4, method="inclusive")
    )
    printed = middle.quantity
    # What changes from step to step holds for none of them.
    said = {
        name: {each.stated[name].value for each in results if name in each.stated}
        for name in middle.stated
    }
    stated = {name: each for name, each in middle.stated.items() if len(said[name]) == 1}
    counts = {"statistic": "median", "steps": str(len(kept))} | (
        {"warm_up_steps": str(warm_up)} if warm_up else {}
    )
    stated |= {name: Stated(name, value, NO_PLACE, "vocabulary") for name, value in counts.items()}
    quantity = Quantity(
        printed.value, min(low, printed.low), max(high, printed.high), printed.bound
    )
    return replace(middle, statistic="median", quantity=quantity, stated=stated)


@lru_cache(maxsize=1)
def _read_lines(texts: tuple[str, ...]) -> list[tuple[Said, list[LineMatch]]]:
    """Both to recognise a log and to extract it."""
    return programs().read(Line(number, text) for number, text in enumerate(texts, start=1))


class ProgramLog(LogReading):
    """The results that a document prints as the log of known programs.

    Attributes:
        results: Its results, steady states of steps among them.
        notes: Summaries that are in no block.
        lines: What each line is, by number; blank lines and blocks without output are in none.
    """

    def __init__(
        self,
        document: Document,
        source: SourceMapping | None = None,
        taken: Collection[int] = frozenset(),
    ) -> None:
        super().__init__(document, source)
        self.results: list[LogResult] = []
        self.notes: list[Reject] = []
        self._found = _read_lines(document.texts)
        # What programs print of themselves, by their names.
        self._settings: dict[str, Settings] = defaultdict(Settings)
        self._summary: Summary | None = None
        # Runs of steps: all, and the last one of each program.
        self._series: list[Summary] = []
        self._running: dict[str, Summary] = {}
        self._above = ""
        # The levels of headings by line, and that of the last one.
        self._levels, self._level = dict(document.levels), 0
        # A text without headings is all output.
        whole = range(1, len(document.lines) + 1)
        is_page = document.levels and document.format != FORMAT.name
        end = 0
        for block in document.blocks or (() if is_page else (whole,)):
            self._pass_text(range(end + 1, block.start))
            end = block.stop - 1
            lines = [document.line(number) for number in block if number not in taken]
            self._read_block([line for line in lines if not line.is_blank])
        self._pass_text(range(end + 1, whole.stop))
        self._state_differences()
        for series in self._series:
            self._end_series(series)
        self._mark_official()
        self._refuse_ambiguous()

    @property
    def has_output(self) -> bool:
        """Whether a document is a log of results, as a person has stated or by its lines, or a page
        with blocks of them.
        """
        document = self.document
        if not (self.results or self.rejects):
            return False
        if document.blocks or document.format == FORMAT.name:
            return True
        refused = {reject.cell.line for reject in self.rejects}
        others = {number for number, role in self.lines.items() if role == _OTHER} - refused
        read = self.lines.keys() - others
        # What looks like a table may be printed by a program:
        # `iter 10: loss 3.2202, time 893.76ms, mfu 16.68%`.
        for grid in document.grids:
            if read.isdisjoint(range(grid.first_line, grid.last_line + 1)):
                return False
        unread = sum(said_on(document.line(number)).start == 0 for number in others)
        return len(self.lines) - unread >= _LOG_SHARE * len(self.lines)

    def _begin_section(self, heading: str, level: int) -> None:
        """A heading ends the settings of the sections that it does not belong to."""
        self._summary, self._above, self._level = None, heading, level
        self.arguments.end(level)
        for settings in self._settings.values():
            settings.end(level)

    def _pass_text(self, numbers: Iterable[int]) -> None:
        """Takes the headings of the text between blocks; a summary in it is not read, and said to
        be there.
        """
        begun: Cell | None = None
        for line in map(self.document.line, numbers):
            for pattern, _ in self._found[line.number - 1][1]:
                if pattern.role == "begins":
                    begun = line.cell
                elif pattern.placeholders and pattern.entry.begins and begun:
                    reason = f"output of {pattern.entry.name} in running text: on a page only blocks of code are read"
                    self.notes.append(rejected(begun, "log_outside_block", reason, "note"))
                    begun = None
            if line.number in self._levels:
                self._begin_section(line.cell.text, self._levels[line.number])

    def _read_block(self, lines: list[Line]) -> None:
        found = [self._found[line.number - 1] for line in lines]
        if not any(matches for _, matches in found) and (shared := shared_by(lines)):
            behind = programs().read(lines, shared)
            found = behind if any(matches for _, matches in behind) else found
        matched = chain.from_iterable(matches for _, matches in found)
        needed = {pattern.entry.name for pattern, _ in matched if pattern.role == "needs"}
        count = self._count_of_output
        self._summary = None
        roles: dict[int, LineRole] = {}
        for said, matches in found:
            kept = [
                each
                for each in matches
                if each[0].entry.needs is None or each[0].entry.name in needed
            ]
            role = roles[said.number] = self._read(said, kept)
            if said.start:
                prefix = Cell(said.text[: said.start], said.number, 0, said.start)
                self.mark(prefix, "ignored", "log_message")
            if role == _OTHER:
                self._above = said.cell.text
                is_plain = not (said.start or self.document.blocks)
                if is_plain and _is_heading(self.document.line(said.number), self.document):
                    self._begin_section(said.cell.text, 0)
        if self.document.blocks and count == self._count_of_output:
            roles = {number: role for number, role in roles.items() if role != _OTHER}
        self.lines |= roles

    @property
    def _count_of_output(self) -> int:
        return len(self.results) + len(self.rejects) + len(self._series)

    def _read(self, said: Said, matches: list[LineMatch]) -> LineRole:
        """Read a line: first the beginning or end of a summary, then its values."""
        cell, role = said.cell, self._begin_or_end(said, matches)
        current = self._summary
        # The program of the summary comes before others.
        for pattern, match in sorted(
            matches, key=lambda each: current is None or each[0].entry is not current.entry
        ):
            entry = pattern.entry
            if pattern.role != "lines":
                continue
            if "step" in match.groupdict():
                self._add_step(pattern, match, said)
                return _STEP
            summary = current if current and current.entry is entry else None
            is_read = summary or entry.begins is None
            if entry.task is None:
                if is_read:
                    return _DECORATION
            elif pattern.placeholders:
                if is_read:
                    summary = summary or self._open(entry, said)
                    summary.has_results = True
                    self.results += self._results(pattern, match, cell, summary)
                    return _RESULT
            elif summary and summary.state(match, cell):
                return _SETTING
            else:
                self._set(entry, match, cell)
                role = _SETTING
        if role == _OTHER and self.arguments.read(said, self._level):
            return _SETTING
        if current is None:
            return role
        if current.entry.task is None:
            self._summary = None if role == _OTHER else self._summary
            return _DECORATION if role == _MESSAGE else role
        if role == _OTHER and said.is_logged == current.is_logged and _names_number(cell.text):
            reason = f"no line of {current.entry.name} is known that prints this"
            self.reject(cell, "log_line_unread", reason)
        return role

    def _begin_or_end(self, said: Said, matches: list[LineMatch]) -> LineRole:
        role = _OTHER
        for pattern, match in matches:
            entry, whole = pattern.entry, self._summary and self._summary.whole
            # A part of another summary begins only within that.
            if pattern.role == "begins" and entry.continues in (None, whole and whole.entry.name):
                self._summary = self._open(entry, said)
                self._summary.stated |= stated_in(match, said.cell, "row")
                return _MESSAGE
            if pattern.role == "ends" and whole and whole.entry is entry:
                self._summary, role = None, _MESSAGE
        return role

    def _set(self, entry: ProgramEntry, match: re.Match[str], cell: Cell) -> None:
        """Takes what a program says of itself outside its summaries."""
        settings = self._settings[entry.name]
        for name, text in match.groupdict().items():
            if text is None:
                # The line says that there is none: of a run in `sync` mode no number of requests.
                settings.stated.pop(name, None)
        settings.stated |= stated_in(match, cell, "page")
        settings.level = self._level

    def _open(self, entry: ProgramEntry, said: Said) -> Summary:
        if entry.continues and self._summary:
            whole = self._summary.whole
            stated = dict(whole.stated)
            return replace(whole, entry=entry, first=said.cell, stated=stated, part_of=whole)
        stated = self.arguments.stated | self._settings[entry.name].stated
        self.arguments.is_asked = True
        others = self.arguments.others
        return Summary(entry, said.cell, self._above, stated, others, said.is_logged)

    def _state_differences(self) -> None:
        """Arguments of which the summaries of a program have several values are conditions of
        these.
        """
        summaries = {
            id(each): each for each in [*(result.summary for result in self.results), *self._series]
        }
        counts = Counter(summary.entry.name for summary in summaries.values())
        # How many summaries of a program have each value of an argument.
        values: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for summary in summaries.values():
            for name, each in summary.others.items():
                values[summary.entry.name, name][each.value] += 1
        for summary in summaries.values():
            program = summary.entry.name
            for name, each in summary.others.items():
                if max(values[program, name].values()) < counts[program]:
                    summary.stated.setdefault(name, each)

    def _results(
        self, pattern: LinePattern, match: re.Match[str], cell: Cell, summary: Summary
    ) -> Iterator[LogResult]:
        own = stated_in(match, cell, "row")
        of_line = own["statistic"].value if "statistic" in own else None
        for at, (metric, statistic, unit) in enumerate(pattern.placeholders):
            if match[f"v{at}"] is None:
                continue
            printed = cell.matched(match, f"v{at}")
            number = parse_number(printed.text)
            value = number.scaled(unit.scale) if number else None
            # `12:34` may be hours and minutes or minutes and seconds.
            if unit.name == "s" and printed.text.count(":") == 2:
                value = parse_clock(printed.text)
            fault = "" if value else f"is not a number of `{metric}`"
            if value and value.value <= 0:
                fault = "is not above 0: nothing was measured"
            elif self.is_cut(printed.line) and printed.end == cell.end:
                fault = "is the last line of the log and has no line break: it may be cut"
            if value is None or fault:
                self.reject(printed, "log_value_unreadable", f"`{printed.text}` {fault}")
                continue
            yield LogResult(
                summary, printed, metric, statistic or of_line, value, unit, own, pattern.rank
            )

    def _add_step(self, pattern: LinePattern, match: re.Match[str], said: Said) -> None:
        """Takes a step; a lower number or other settings begin another run, processes print a
        number again.
        """
        cell, number = said.cell, int(match["step"])
        series = self._running.get(pattern.entry.name)
        opened = self._open(pattern.entry, said)
        if series is None or number < series.last_step or not series.has_settings_of(opened):
            series = self._running[pattern.entry.name] = opened
            self._series.append(series)
        series.lines.append(self.document.line(cell.line))
        if number > series.last_step:
            series.last_step = number
            for result in self._results(pattern, match, cell, series):
                series.steps.setdefault((result.metric, result.statistic), []).append(result)

    def _end_series(self, series: Summary) -> None:
        for results in series.steps.values():
            if state := _steady_state(results):
                self.results.append(state)
            else:
                reason = f"{len(results)} steps of {series.entry.name}: too few for a steady state"
                self.reject(results[0].cell, "log_steps_too_few", reason)
                self.take(_OTHER, *series.lines)

    def _mark_official(self) -> None:
        """Marks the result of each run that counts by the rules of its program.

        It is the plain result of its metric; others of the same metric and statistic say what they
        count or observe.
        """
        runs: dict[int, list[LogResult]] = {}
        for result in self.results:
            if result.summary.whole.entry.official:
                runs.setdefault(id(result.summary.whole), []).append(result)
        for results in runs.values():
            counting = [each for each in results if each.summary.entry.official]
            # An unknown scenario has rules of its own.
            if not counting or "scenario" not in counting[0].conditions:
                continue
            official = min(counting, key=lambda each: each.rank)
            official.stated.pop(MEASURED_AS, None)
            for each in results:
                is_other = (each.metric, each.statistic) != (official.metric, official.statistic)
                if is_other or MEASURED_AS in each.stated:
                    continue
                if each.unit.item != official.unit.item:
                    each.state(MEASURED_AS, each.unit.item or "items")
                elif each.quantity != official.quantity:
                    each.state(MEASURED_AS, "observed")
                else:
                    each.state(_STATUS, "official")

    def _refuse_ambiguous(self) -> None:
        """Of equal results of one measurement the first is kept; runs of steps that only overlap
        are not.
        """
        programs_of_log = {result.summary.entry.name for result in self.results}
        by_key: dict[tuple[object, ...], list[LogResult]] = {}
        repeated: list[LogResult] = []
        for result in self.results:
            if result.summary.entry.repeats in programs_of_log:
                repeated.append(result)
            elif fault := result.summary.whole.fault():
                self.reject(result.cell, "log_result_invalid", fault)
            else:
                by_key.setdefault(result.key, []).append(result)
        self.results = []
        for results in by_key.values():
            first, *others = results
            low = max(result.quantity.low for result in results)
            high = min(result.quantity.high for result in results)
            differing = [each for each in others if each.quantity != first.quantity]
            if low <= high and not (differing and "steps" in first.stated):
                self.results.append(first)
                repeated += others
                continue
            texts = list(dict.fromkeys(f"`{result.summary.above[:60]}`" for result in results))
            above = ", ".join(texts[:_SHOWN])
            for result in results:
                other = first if result in differing else differing[0]
                both = f"`{result.cell.text}` and `{other.cell.text}` in line {other.cell.line} have the same conditions"
                reason = f"{both}; only unread text may distinguish them, above them: {above}"
                self.reject(result.cell, "ambiguous", reason)
        for result in repeated:
            self.mark(result.cell, "ignored", "log_repeated")


def _is_heading(line: Line, document: Document) -> bool:
    """Whether an unread line is a heading: marked as one, or one alone between blank lines."""
    around = (
        document.texts[max(0, line.number - 2) : line.number - 1]
        + document.texts[line.number : line.number + 1]
    )
    return line.text.startswith("#") or (is_heading(line) and not any(map(str.strip, around)))


def _names_number(text: str) -> bool:
    """Whether a line is a number with its name: `Peak concurrent requests: 77.00`,
    `FPS (hw_only) = 26.9`.
    """
    parts = [part.split() for part in text.replace("=", ":").split(":")[1:]]
    first = [words[0].strip(",;+-").casefold() for words in parts if words]
    return any(word in ("nan", "inf") or parse_number(word) is not None for word in first)


def recognise(document: Document) -> float:
    """1 for the log of a known program that prints results, less for a page with blocks of its
    output, else 0.
    """
    log = ProgramLog(document)
    if log.has_output:
        return _SCORE_OF_BLOCKS if document.blocks else 1.0
    return _SCORE_OF_NOTES if log.notes else 0.0


def extract(
    document: Document, taken: Collection[int], source: SourceMapping | None = None
) -> Extraction:
    """One `Measurement` per value that a known program prints as a result, and per quantity that
    the steps of a run print, with its `Condition`s.

    Args:
        document: Lines such as `Mean TTFT (ms): 154.82` below a line that announces the summary of
            a known program.
        taken: Lines that another format has read.
        source: The mapping of its source; None for a log of no source, of which results without a
            subject are rows.

    Returns:
        Results with the settings that the log prints and the mapping states. Of steps the median
        over those after the warm-up, with the interval of its quartiles and the number of steps.
        Every line of a log is read, of a page those of the blocks with output. Values that cannot
        be read, of which nothing tells which is which, or without a model or a platform, are
        rejects.
    """
    log = ProgramLog(document, source, taken)
    if not log.has_output:
        # What only looks like a table.
        log.lines = {number: role for number, role in log.lines.items() if role == _DECORATION}
        log.marks.clear()
        return log.extraction(list(log.notes))
    conditions = NumberedConditions()
    rows = [row for result in log.results if (row := _row(log, result, conditions))]
    return log.extraction([*condition_rows(conditions), *rows, *log.rejects, *log.notes])


def _row(log: ProgramLog, result: LogResult, conditions: NumberedConditions) -> Measurement | None:
    """The row of a result; None for a reject."""
    summary, entry = result.summary, result.summary.entry
    printed = {name: each for name, each in result.conditions.items() if reads_again(each)}
    stated = log.with_mapping(printed)
    if not log.accepts(result.cell, stated):
        return None
    stated["task"] = Stated("task", entry.task or "", NO_PLACE, "vocabulary")
    said = {
        name: each.value
        for name, each in stated.items()
        if each.cell.text or each.level == "mapping" or name in ("task", MEASURED_AS)
    }
    columns: dict[str, Any] = fields_of(said) | {
        "statistic": result.statistic,
        "configuration": None,
        "section": summary.first.text if entry.begins else None,
        "section_line": summary.first.line,
        "row_line": summary.first.line,
    }
    return measured(
        result.cell,
        result.metric,
        result.quantity,
        result.unit,
        stated.values(),
        conditions,
        **columns,
    )
