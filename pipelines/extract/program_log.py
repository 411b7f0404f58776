"""Logs of training and benchmark programs other than Keras: where in a document their output is, and
what its lines say.

Programs are entries of `logs/programs.yml`; what a summary is belongs in `logs/summaries.py`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from pipelines.extract.conditions import Stated, reads_again
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.logs import LineRole, LogReading
from pipelines.extract.logs.arguments import Settings
from pipelines.extract.logs.programs import (
    LineMatch,
    LinePattern,
    ProgramEntry,
    matches_of,
    stated_in,
)
from pipelines.extract.logs.summaries import MEASURED_AS, LogResult, Summary, steady_state
from pipelines.extract.named_quantities import Unit
from pipelines.extract.prose.sentences import is_heading
from pipelines.extract.rows import Condition, Measurement, Reject
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import Said, said_on, shared_by
from pipelines.values.durations import parse_clock
from pipelines.values.numbers import NUMBER, parse_number
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
_SCORE_OF_BLOCKS = 0.85

# A text is a log where this share of its lines is read, refused, or begins with a time stamp, a
# level or a rank.
_LOG_SHARE = 0.25
# What a line is, and its numerals that are no result
_RESULT: LineRole = "log", "summary_not_kept"
_STEP: LineRole = "log", "log_step"
_DECORATION: LineRole = _STEP
_MESSAGE: LineRole = "log", "log_message"
_SETTING: LineRole = "condition", "log_setting"
_OTHER: LineRole = "log", "log_line_unread"
# A number with its name: `Peak concurrent requests: 77.00`, `FPS (hw_only) = 26.9`
_NAMED_NUMBER = re.compile(rf"(?i)[:=]\s*[,;+-]*(?:nan|inf|\.?{NUMBER})[,;+-]*(?=[\s:=]|$)")
# Texts above results that a reason shows.
_SHOWN = 5


class ProgramLog(LogReading):
    """The results that a document prints as the log of known programs.

    Attributes:
        results: Its results, steady states of steps among them.
        lines: What each line is, by number; blank lines and blocks without output are in none.
        rejects: What gives no row.
    """

    def __init__(
        self,
        document: Document,
        source: SourceMapping | None = None,
        taken: Collection[int] = frozenset(),
    ) -> None:
        super().__init__(document, source)
        self.results: list[LogResult] = []
        # What programs print of themselves.
        self._settings: dict[ProgramEntry, Settings] = defaultdict(Settings)
        self._summary: Summary | None = None
        # Runs of steps: all, and the last one of each program.
        self._series: list[Summary] = []
        self._running: dict[ProgramEntry, Summary] = {}
        # The last line that nothing reads.
        self._above = ""
        # The level of the last heading.
        self._level = 0
        # A text without headings is all output.
        whole = range(1, len(document.lines) + 1)
        is_page = document.levels and document.format != FORMAT.name
        headings = list(document.levels)
        for block in document.blocks or (() if is_page else (whole,)):
            while headings and headings[0][0] < block.start:
                number, level = headings.pop(0)
                self._begin_section(document.line(number).cell.text, level)
            lines = (document.line(number) for number in block if number not in taken)
            self._read_block([line for line in lines if not line.is_blank])
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
        refused = {reject.cell.line for reject in self.rejects}
        if not (self.results or refused):
            return False
        if document.blocks or document.format == FORMAT.name:
            return True
        read = {number for number, role in self.lines.items() if role != _OTHER} | refused
        # What looks like a table may be printed by a program:
        # `iter 10: loss 3.2202, time 893.76ms, mfu 16.68%`.
        for grid in document.grids:
            if read.isdisjoint(range(grid.first_line, grid.last_line + 1)):
                return False
        logged = (number for number in self.lines if said_on(document.line(number)).start)
        return len(read.union(logged)) >= _LOG_SHARE * len(self.lines)

    def _begin_section(self, heading: str, level: int) -> None:
        """A heading ends the settings of the sections that it does not belong to."""
        self._summary, self._above, self._level = None, heading, level
        self.arguments.end(level)
        for settings in self._settings.values():
            settings.end(level)

    def _read_block(self, lines: list[Line]) -> None:
        self._summary, count = None, self._count_of_output
        roles: dict[int, LineRole] = {}
        for said, matches in _matched(lines):
            role = roles[said.number] = self._read(said, matches)
            if said.start:
                prefix = Cell(said.text[: said.start], said.number, 0, said.start)
                self.mark(prefix, "log_message")
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
        known = current.entry if current else None
        printed = [each for each in matches if each[0].role == "lines"]
        # The program of the summary comes before others.
        for pattern, match in sorted(printed, key=lambda each: each[0].entry is not known):
            entry = pattern.entry
            summary = current if entry is known else None
            is_read = summary or entry.begins is None
            if "step" in match.groupdict():
                self._add_step(pattern, match, said)
                return _STEP
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
            self._summary = None if role == _OTHER else current
            return _DECORATION if role == _MESSAGE else role
        if (
            role == _OTHER
            and said.is_logged == current.is_logged
            and _NAMED_NUMBER.search(cell.text)
        ):
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
        settings = self._settings[entry]
        settings.level = self._level
        for name in match.groupdict():
            # A group that is not there says that there is none: of a run in `sync` mode no number
            # of requests.
            settings.stated.pop(name, None)
        settings.stated |= stated_in(match, cell, "page")

    def _open(self, entry: ProgramEntry, said: Said) -> Summary:
        if entry.continues and self._summary:
            whole = self._summary.whole
            stated = dict(whole.stated)
            return replace(whole, entry=entry, first=said.cell, stated=stated, part_of=whole)
        self.arguments.is_asked = True
        of_command = self.arguments.in_force()
        stated = of_command.stated | self._settings[entry].stated
        return Summary(entry, said.cell, self._above, stated, of_command.others, said.is_logged)

    def _state_differences(self) -> None:
        """Arguments of which the summaries of a program have several values are conditions of
        these.
        """
        summaries = dict.fromkeys([*(result.summary for result in self.results), *self._series])
        # The summaries of each program, and those with each value of an argument.
        counts: Counter[object] = Counter(summary.entry for summary in summaries)
        for summary in summaries:
            said = summary.others.items()
            counts.update((summary.entry, name, each.value) for name, each in said)
        for summary in summaries:
            for name, each in summary.others.items():
                if counts[summary.entry, name, each.value] < counts[summary.entry]:
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
            value = _quantity(printed.text, unit)
            if value is None:
                fault = f"is not a number of `{metric}`"
            elif value.value <= 0:
                fault = "is not above 0: nothing was measured"
            elif self.is_cut(printed.line) and printed.end == cell.end:
                fault = "is the last line of the log and has no line break: it may be cut"
            else:
                of_value = statistic or of_line
                stated = dict(own)
                yield LogResult(
                    summary, printed, metric, of_value, value, unit, stated, pattern.rank
                )
                continue
            self.reject(printed, "log_value_unreadable", f"`{printed.text}` {fault}")

    def _add_step(self, pattern: LinePattern, match: re.Match[str], said: Said) -> None:
        """Takes a step; a lower number or other settings begin another run, processes print a
        number again.
        """
        entry, number = pattern.entry, int(match["step"])
        series, opened = self._running.get(entry), self._open(entry, said)
        if not series or number < series.last_step or series.settings() != opened.settings():
            series = self._running[entry] = opened
            self._series.append(series)
        series.lines.append(self.document.line(said.number))
        if number > series.last_step:
            series.last_step = number
            for result in self._results(pattern, match, said.cell, series):
                series.steps[result.metric, result.statistic].append(result)

    def _end_series(self, series: Summary) -> None:
        for results in series.steps.values():
            if state := steady_state(results):
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
        runs: dict[Summary, list[LogResult]] = defaultdict(list)
        for result in self.results:
            runs[result.summary.whole].append(result)
        for run, results in runs.items():
            counting = [each for each in results if each.summary.entry.official]
            # An unknown scenario has rules of its own.
            if not (run.entry.official and counting and "scenario" in run.stated):
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
                    each.state("result_status", "official")

    def _refuse_ambiguous(self) -> None:
        """Of equal results of one measurement the first is kept; runs of steps that only overlap
        are not.
        """
        names = {result.summary.entry.name for result in self.results}
        by_key: dict[object, list[LogResult]] = defaultdict(list)
        repeated: list[LogResult] = []
        for result in self.results:
            if result.summary.entry.repeats in names:
                repeated.append(result)
            elif fault := result.summary.whole.fault():
                self.reject(result.cell, "log_result_invalid", fault)
            else:
                by_key[result.key].append(result)
        self.results = []
        for first, *others in by_key.values():
            differing = [each for each in others if each.quantity != first.quantity]
            low = max(each.quantity.low for each in (first, *others))
            high = min(each.quantity.high for each in (first, *others))
            if low <= high and not (differing and "steps" in first.stated):
                self.results.append(first)
                repeated += others
                continue
            texts = dict.fromkeys(f"`{each.summary.above[:60]}`" for each in (first, *others))
            above = ", ".join([*texts][:_SHOWN])
            for result in (first, *others):
                other = first if result in differing else differing[0]
                both = f"`{result.cell.text}` and `{other.cell.text}` in line {other.cell.line} have the same conditions"
                reason = f"{both}; only unread text may distinguish them, above them: {above}"
                self.reject(result.cell, "ambiguous", reason)
        for result in repeated:
            self.mark(result.cell, "log_repeated")


def _matched(lines: Sequence[Line]) -> list[tuple[Said, list[LineMatch]]]:
    """The words on each line of a block, with the patterns that match them: behind what all lines
    begin with only where nothing else is known.
    """
    for shared in (0, shared_by(lines), 0):
        found = [said_on(line, shared) for line in lines]
        matches = [matches_of(said.cell.text) for said in found]
        if any(matches):
            break
    needs = [pattern for pattern, _ in chain.from_iterable(matches) if pattern.role == "needs"]
    needed = {pattern.entry for pattern in needs}
    known = [
        [each for each in of_line if each[0].entry.needs is None or each[0].entry in needed]
        for of_line in matches
    ]
    return list(zip(found, known, strict=True))


def _quantity(text: str, unit: Unit) -> Quantity | None:
    # `12:34` may be hours and minutes or minutes and seconds.
    if unit.name == "s" and text.count(":") == 2:
        return parse_clock(text)
    number = parse_number(text)
    return number.scaled(unit.scale) if number else None


def _is_heading(line: Line, document: Document) -> bool:
    """Whether an unread line is a heading: marked as one, or one alone between blank lines."""
    texts, number = document.texts, line.number
    around = texts[max(0, number - 2) : number - 1] + texts[number : number + 1]
    return line.text.startswith("#") or (is_heading(line) and not "".join(around).strip())


def recognise(document: Document) -> float:
    """1 for the log of a known program that prints results, less for a page with blocks of its
    output, else 0.
    """
    score = _SCORE_OF_BLOCKS if document.blocks else 1.0
    return score if ProgramLog(document).has_output else 0.0


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
        return log.extraction([])
    rows = [row for result in log.results if (row := _row(log, result))]
    conditions = []
    for one in log.conditions.rows:
        # Of one that `names` of a mapping gives, the printed characters are kept.
        stated = Stated(one.dimension, one.value, one.cell, one.level)
        is_own = not one.is_printed or reads_again(stated)
        conditions.append(one if is_own else replace(one, value_printed=one.cell.text))
    return log.extraction([*conditions, *rows, *log.rejects])


def _row(log: ProgramLog, result: LogResult) -> Measurement | None:
    """The row of a result; None for a reject."""
    summary, entry = result.summary, result.summary.entry
    task = Stated("task", entry.task or "", level="vocabulary")
    return log.result(
        result.cell,
        result.metric,
        result.quantity,
        result.unit,
        [*filter(reads_again, result.conditions.values()), task],
        statistic=result.statistic,
        section=summary.first.text if entry.begins else None,
        section_line=summary.first.line,
        row_line=summary.first.line,
    )
