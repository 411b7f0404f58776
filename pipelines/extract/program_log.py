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
from typing import Any

from pipelines.extract.conditions import (
    NumberedConditions,
    Stated,
    fields_of,
    missing_subject,
    reads_again,
)
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.logs import (
    NO_PLACE,
    Arguments,
    LinePattern,
    LineRole,
    ProgramEntry,
    Settings,
    account,
    condition_rows,
    measured,
    not_printed,
    programs,
    rejected,
    stated_in,
    with_mapping,
)
from pipelines.extract.named_quantities import Unit
from pipelines.extract.prose.sentences import is_heading
from pipelines.extract.rows import Condition, Measurement, Reject, Row
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import Said, said_on, shared_by
from pipelines.values.durations import parse_clock
from pipelines.values.numbers import parse_count, parse_number
from pipelines.values.quantity import Quantity

FORMAT = "program_log"
DESCRIPTION = "Logs of training and benchmark programs: summaries of measured values, and steps."
ROWS: tuple[type[Row], ...] = (Measurement, Condition, Reject)
# Behind the logs of Keras, before tables and prose.
PRIORITY = 15
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
    that state no dimension; `counts` are the requests by what became of them; `verdict` is the line
    that says that it does not count; `part_of` is the summary that it continues; `steps` are what
    the steps print, by metric, on `lines`.
    """

    entry: ProgramEntry
    first: Cell
    above: str
    stated: dict[str, Stated]
    others: dict[str, Stated]
    is_logged: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    verdict: str = ""
    part_of: Summary | None = None
    has_results: bool = False
    last_step: int = -1
    steps: dict[tuple[str, str | None], list[LogResult]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)

    @property
    def whole(self) -> Summary:
        """The summary of the whole run."""
        return self.part_of or self

    def fault(self) -> str | None:
        """Why its results are no results of the program; None if they are.

        A share of the requests that is larger than `_LOST_SHARE` was not answered, or the program
        says so.
        """
        counts = self.counts
        if self.verdict:
            return f"{self.entry.name} prints `{self.verdict}`: a run without results that count"
        if self.entry.has_verdict and "valid" not in counts:
            return f"{self.entry.name} does not report that this result is valid"
        failed, completed = counts.get("failed", 0), counts.get("completed", 0)
        if failed > _LOST_SHARE * (failed + completed):
            share = (
                f"{failed:,} of {failed + completed:,} requests failed, more than {_LOST_SHARE:.0%}"
            )
            return f"{share}: what {self.entry.name} prints is of those that were answered"
        return None


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


class ProgramLog:
    """The results that a document prints as the log of known programs.

    Attributes:
        results: Its results, steady states of steps among them.
        notes: Summaries that are in no block.
        marks: Numbers that print a result again, and what launchers print before a line.
        lines: What each line is, by number; blank lines and blocks without output are in none.
    """

    def __init__(
        self,
        document: Document,
        taken: frozenset[int] = frozenset(),
        own: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.results: list[LogResult] = []
        self.rejects: list[Reject] = []
        self.notes: list[Reject] = []
        self.marks: list[Mark] = []
        self.lines: dict[int, LineRole] = {}
        # Of a value that ends a text without an end of line digits may be missing.
        self._cut_line = len(document.lines) if document.is_open_ended else None
        self._arguments = Arguments(own)
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
        is_page = document.levels and document.format != FORMAT
        blocks = document.blocks or (() if is_page else (range(1, len(document.lines) + 1),))
        end = 0
        for block in blocks:
            self._pass_text(range(end + 1, block.start), document)
            end = block.stop - 1
            lines = [document.line(number) for number in block if number not in taken]
            self._read_block([line for line in lines if not line.is_blank], document)
        self._pass_text(range(end + 1, len(document.lines) + 1), document)
        self._state_differences()
        for series in self._series:
            for results in series.steps.values():
                if state := _steady_state(results):
                    self.results.append(state)
                else:
                    reason = (
                        f"{len(results)} steps of {series.entry.name}: too few for a steady state"
                    )
                    self.rejects.append(rejected(results[0].cell, "log_steps_too_few", reason))
                    self.lines |= dict.fromkeys(series.lines, _OTHER)
        self._mark_official()
        self._refuse_ambiguous()

    def _begin_section(self, heading: str, level: int) -> None:
        """A heading ends the settings of the sections that it does not belong to."""
        self._summary, self._above, self._level = None, heading, level
        self._arguments.end(level)
        for settings in self._settings.values():
            settings.end(level)

    def _pass_text(self, numbers: Iterable[int], document: Document) -> None:
        """Takes the headings of the text between blocks; a summary in it is not read, and said to
        be there.
        """
        begun: Cell | None = None
        for line in map(document.line, numbers):
            for pattern in programs().matching(said_on(line)):
                if pattern.role == "begins":
                    begun = line.cell
                elif pattern.placeholders and pattern.entry.begins and begun:
                    reason = f"output of {pattern.entry.name} in running text: on a page only blocks of code are read"
                    self.notes.append(rejected(begun, "log_outside_block", reason, "note"))
                    begun = None
            if line.number in self._levels:
                self._begin_section(line.cell.text, self._levels[line.number])

    def _read_block(self, lines: list[Line], document: Document) -> None:
        found = [said_on(line) for line in lines]
        matched = [programs().matching(said) for said in found]
        if not any(matched) and (shared := shared_by(lines)):
            behind = [said_on(line, shared) for line in lines]
            matched = [programs().matching(said) for said in behind]
            found = behind if any(matched) else found
        has_needed = {
            pattern.entry.name
            for patterns in matched
            for pattern in patterns
            if pattern.role == "needs"
        }
        count = len(self.results) + len(self.rejects) + len(self._series)
        self._summary = None
        roles: dict[int, LineRole] = {}
        for said, patterns in zip(found, matched, strict=True):
            kept = [
                each
                for each in patterns
                if each.entry.needs is None or each.entry.name in has_needed
            ]
            role = roles[said.number] = self._read(said, kept)
            prefix = Cell(said.text[: said.start], said.number, 0, said.start)
            if said.start:
                self.marks.append(Mark(prefix, "ignored", "log_message"))
            if role == _OTHER:
                self._above = said.cell.text
                if not (said.start or document.blocks) and _is_heading(
                    document.line(said.number), document
                ):
                    self._begin_section(said.cell.text, 0)
        if document.blocks and count == len(self.results) + len(self.rejects) + len(self._series):
            roles = {number: role for number, role in roles.items() if role != _OTHER}
        self.lines |= roles

    def _read(self, said: Said, patterns: list[LinePattern]) -> LineRole:
        """Read a line: first the beginning or end of a summary, then its values."""
        cell = said.cell
        role = _OTHER
        for pattern in patterns:
            match = pattern.match(cell.text) if pattern.role == "begins" else None
            if match and self._continues(pattern.entry):
                self._summary, role = self._open(pattern.entry, said), _MESSAGE
                self._summary.stated |= stated_in(match, cell, "row")
                break
            if (
                pattern.role == "ends"
                and self._summary
                and self._summary.whole.entry is pattern.entry
            ):
                self._summary, role = None, _MESSAGE
        current = self._summary
        # The program of the summary comes before others.
        for pattern in sorted(
            patterns, key=lambda pattern: current is None or pattern.entry is not current.entry
        ):
            entry, match = pattern.entry, pattern.match(cell.text)
            if match is None or pattern.role != "lines":
                continue
            summary = current if current and current.entry is entry else None
            if "step" in match.groupdict():
                self._add_step(pattern, match, said)
                return _STEP
            if entry.task is None:
                if summary or entry.begins is None:
                    return _DECORATION
                continue
            if pattern.placeholders and (summary or entry.begins is None):
                summary = summary or self._open(entry, said)
                summary.has_results = True
                self.results += self._results(pattern, match, cell, summary)
                return _RESULT
            if summary and self._count(summary, match, cell):
                return _SETTING
            if summary and not summary.has_results:
                summary.stated |= stated_in(match, cell, "row")
                return _SETTING
            if not pattern.placeholders:
                settings = self._settings[entry.name]
                for name, text in match.groupdict().items():
                    if text is None:
                        # The line says that there is none: of a run in `sync` mode no number of
                        # requests.
                        settings.stated.pop(name, None)
                settings.stated |= stated_in(match, cell, "page")
                settings.level = self._level
                role = _SETTING
        if role == _OTHER and self._arguments.read(said, self._level):
            return _SETTING
        if current and role == _OTHER:
            if current.entry.task is None:
                self._summary = None
            elif said.is_logged == current.is_logged and _names_number(cell.text):
                reason = f"no line of {current.entry.name} is known that prints this"
                self.rejects.append(rejected(cell, "log_line_unread", reason))
        if current and current.entry.task is None and role == _MESSAGE:
            return _DECORATION
        return role

    def _count(self, summary: Summary, match: re.Match[str], cell: Cell) -> bool:
        """Takes what a line says of the requests, or of the whole result."""
        found = {
            name: text for name, text in match.groupdict().items() if name in _COUNTED and text
        }
        for name, text in found.items():
            count = summary.counts[name] = parse_count(text) or 0
            if name == "invalid":
                summary.verdict = " ".join(cell.text.split())
            if name == "failed" and count:
                printed = cell.matched(match, name)
                summary.stated["failed_requests"] = Stated(
                    "failed_requests", str(count), printed, "row"
                )
        return bool(found)

    def _continues(self, entry: ProgramEntry) -> bool:
        """Whether a summary of an entry may begin: a part of another one only within that."""
        return entry.continues in (None, self._summary and self._summary.whole.entry.name)

    def _open(self, entry: ProgramEntry, said: Said) -> Summary:
        if entry.continues and self._summary:
            whole = self._summary.whole
            return replace(
                whole, entry=entry, first=said.cell, stated=dict(whole.stated), part_of=whole
            )
        stated = self._arguments.stated | self._settings[entry.name].stated
        self._arguments.is_asked = True
        return Summary(
            entry, said.cell, self._above, stated, self._arguments.others, said.is_logged
        )

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
        for at, (metric, statistic, unit) in enumerate(pattern.placeholders):
            if match[f"v{at}"] is None:
                continue
            printed = cell.matched(match, f"v{at}")
            number = parse_number(printed.text)
            # `12:34` may be hours and minutes or minutes and seconds.
            is_clock = unit.name == "s" and printed.text.count(":") == 2
            value = (
                parse_clock(printed.text)
                if is_clock
                else number.scaled(unit.scale)
                if number
                else None
            )
            fault = "" if value else f"is not a number of `{metric}`"
            if value and value.value <= 0:
                fault = "is not above 0: nothing was measured"
            elif printed.line == self._cut_line and printed.end == cell.end:
                fault = "is the last line of the log and has no line break: it may be cut"
            if value is None or fault:
                self.rejects.append(
                    rejected(printed, "log_value_unreadable", f"`{printed.text}` {fault}")
                )
                continue
            of_line = own["statistic"].value if "statistic" in own else None
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
        is_same = series and {one[:2] for one in series.stated.values()} == {
            one[:2] for one in opened.stated.values()
        }
        if series is None or not is_same or number < series.last_step:
            series = self._running[pattern.entry.name] = opened
            self._series.append(series)
        series.lines.append(cell.line)
        if number > series.last_step:
            series.last_step = number
            for result in self._results(pattern, match, cell, series):
                series.steps.setdefault((result.metric, result.statistic), []).append(result)

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
        printed = {result.summary.entry.name for result in self.results}
        by_key: dict[tuple[object, ...], list[LogResult]] = {}
        repeated: list[LogResult] = []
        for result in self.results:
            if result.summary.entry.repeats in printed:
                repeated.append(result)
            elif fault := result.summary.whole.fault():
                self.rejects.append(rejected(result.cell, "log_result_invalid", fault))
            else:
                by_key.setdefault(result.key, []).append(result)
        self.results = []
        for results in by_key.values():
            first, *others = results
            low = max(result.quantity.low for result in results)
            high = min(result.quantity.high for result in results)
            if low <= high and (
                "steps" not in first.stated or len({each.quantity for each in results}) == 1
            ):
                self.results.append(first)
                repeated += others
                continue
            second = next(each for each in others if each.quantity != first.quantity)
            texts = list(dict.fromkeys(f"`{result.summary.above[:60]}`" for result in results))
            above = ", ".join(texts[:_SHOWN])
            for result in results:
                other = second.cell if result.quantity == first.quantity else first.cell
                both = f"`{result.cell.text}` and `{other.text}` in line {other.line} have the same conditions"
                reason = f"{both}; only unread text may distinguish them, above them: {above}"
                self.rejects.append(rejected(result.cell, "ambiguous", reason))
        self.marks += (Mark(result.cell, "ignored", "log_repeated") for result in repeated)


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


# Both to recognise a log and to extract it.
_read_log = lru_cache(maxsize=1)(ProgramLog)


def recognise(document: Document) -> float:
    """1 for the log of a known program that prints results, less for a page with blocks of its
    output, else 0.
    """
    log = _read_log(document, frozenset(), ())
    if _has_output(document, log):
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
    own = tuple(source.arguments.items()) if source else ()
    log, extraction = _read_log(document, frozenset(taken), own), Extraction()
    lines = log.lines
    if _has_output(document, log):
        conditions = NumberedConditions()
        fault = not_printed(document, source)
        rows: list[Row] = list(log.rejects)
        for result in log.results:
            rows.append(_row(result, source, fault, conditions))
        extraction.rows = [*condition_rows(conditions), *rows]
        extraction.marks = list(log.marks)
    else:
        # What only looks like a table.
        lines = {number: role for number, role in lines.items() if role == _DECORATION}
    extraction.rows += log.notes
    account(extraction, document, lines)
    return extraction


def _has_output(document: Document, log: ProgramLog) -> bool:
    """Whether a document is a log of results, as a person has stated or by its lines, or a page
    with blocks of them.
    """
    if not (log.results or log.rejects):
        return False
    if document.blocks or document.format == FORMAT:
        return True
    refused = {reject.cell.line for reject in log.rejects}
    others = {number for number, role in log.lines.items() if role == _OTHER} - refused
    read = log.lines.keys() - others
    # What looks like a table may be printed by a program:
    # `iter 10: loss 3.2202, time 893.76ms, mfu 16.68%`.
    if any(read.isdisjoint(range(grid.first_line, grid.last_line + 1)) for grid in document.grids):
        return False
    unread = sum(said_on(document.line(number)).start == 0 for number in others)
    return len(log.lines) - unread >= _LOG_SHARE * len(log.lines)


def _row(
    result: LogResult,
    source: SourceMapping | None,
    fault: str | None,
    conditions: NumberedConditions,
) -> Row:
    """The row of a result, or its reject."""
    summary, entry = result.summary, result.summary.entry
    printed = {name: each for name, each in result.conditions.items() if reads_again(each)}
    stated = with_mapping(printed, source)
    if fault:
        return rejected(result.cell, "not_printed", fault)
    if source and (reason := missing_subject(stated)):
        return rejected(result.cell, "no_subject", reason)
    stated["task"] = Stated("task", entry.task or "", NO_PLACE, "vocabulary")
    said: dict[str, str] = {}
    for name, each in stated.items():
        if each.cell.text or each.level == "mapping" or name in ("task", MEASURED_AS):
            said[name] = each.value
    fields: dict[str, Any] = fields_of(said) | {
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
        **fields,
    )
