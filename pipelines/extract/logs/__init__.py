"""What logs of all kinds have in common: results, rejects, the accounting of lines, and what the
mapping of the source states.

Rows are made in `training_log`, `program_log`, `mlperf_training` and `mlperf_inference`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

from pipelines.extract.conditions import NumberedConditions, Stated, fields_of, missing_subject
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.logs.arguments import Arguments
from pipelines.extract.named_quantities import Unit
from pipelines.extract.rows import Measurement, Reject, Row
from pipelines.extract.tables.claims import TableError
from pipelines.extract.tables.constant_check import PrintedConstants
from pipelines.extract.tables.language import UNPRINTED, read_condition
from pipelines.extract.tables.mapping import NO_MAPPING, SourceMapping
from pipelines.extract.tables.patterns import fold
from pipelines.read.document import Cell, Document, Line
from pipelines.values.quantity import Quantity

# What a line is: its role, and the rule of its numerals.
LineRole = tuple[str, str]


class LogReading:
    """What is read of a log beside its results, and what the mapping of its source states.

    Args:
        document: The log.
        source: The mapping; None for a log of no source, of which results without a subject are
            rows.

    Attributes:
        rejects: What gives no row.
        marks: Numerals that are no result.
        lines: What each line is that was read, by number.
        section: `section` and `section_line` of what is read now, for rejects.
        conditions: What holds for results, once each.
    """

    def __init__(self, document: Document, source: SourceMapping | None = None) -> None:
        self.document, self.source = document, source
        self.rejects: list[Reject] = []
        self.marks: list[Mark] = []
        self.lines: dict[int, LineRole] = {}
        self.section: dict[str, Any] = {}
        self.arguments = Arguments(source.arguments if source else {})
        self.conditions = NumberedConditions()

    def reject(self, cell: Cell, rule: str, reason: str, scope: str = "row") -> None:
        """What of a log gives no row: its place, the rule, and the sentence a user reads; `scope`
        is what is lost.
        """
        text = json.dumps({"text": cell.text}, ensure_ascii=False)
        self.rejects.append(
            Reject(cell=cell, rule=rule, reason=reason, scope=scope, row_json=text, **self.section)
        )

    def mark(self, cell: Cell, rule: str) -> None:
        self.marks.append(Mark(cell, rule))

    def take(self, role: LineRole, *lines: Line) -> None:
        self.lines.update((line.number, role) for line in lines)

    def is_cut(self, line: int) -> bool:
        """Whether a line ends a text without a line break: digits of it may be missing."""
        return self.document.is_open_ended and line == len(self.document.lines)

    def with_mapping(self, stated: Mapping[str, Stated]) -> dict[str, Stated]:
        """The conditions that a log prints, with the names and the constants that the mapping of
        its source states.

        What is printed comes before a constant.
        """
        source = self.source or NO_MAPPING
        found = dict(stated)
        for name, each in stated.items():
            if (value := source.name_of(name, each.value)) != each.value:
                found[name] = each._replace(value=value, value_printed=each.cell.text or None)
        for part in sorted(source.constants, key=lambda part: not part.where):
            if all(
                name in found and fold(found[name].value) == fold(text)
                for name, text in part.where.items()
            ):
                for name, text in part.constants.items():
                    value = read_condition(name, text.removeprefix(UNPRINTED))
                    found.setdefault(name, Stated(name, value))
        return found

    def result(
        self,
        cell: Cell,
        metric: str,
        value: Quantity,
        unit: Unit,
        stated: Iterable[Stated],
        else_suite: str = "",
        **columns: Any,
    ) -> Measurement | None:
        """A result of a log, or None for a reject, see `accepts`.

        Args:
            cell: Its characters.
            metric: Its metric.
            value: Its value [unit].
            unit: Its unit, as the log prints it.
            stated: What the log states of it. Two platforms are the two parts of one name: that of
                a system and that of its chip.
            else_suite: Its suite, where neither log nor mapping states one.
            columns: Section, line and other columns, which come before what is stated.
        """
        printed = list(stated)
        found = self.with_mapping({each.dimension: each for each in printed})
        if not self.accepts(cell, found):
            return None
        values = {name: each.value for name, each in found.items()}
        platforms = [each for each in printed if each.dimension == "platform"]
        if len(platforms) > 1:
            values["platform"] = " ".join(each.value for each in platforms)
        conditions = [*platforms[:-1], *found.values()]
        place = columns["section"], columns["section_line"]
        columns = fields_of({"suite": else_suite} | values) | columns
        return Measurement(
            cell=cell,
            metric=metric,
            **unit.columns(value),
            conditions=self.conditions.numbers(conditions, *place),
            **columns,
        )

    def accepts(self, cell: Cell, stated: Collection[str]) -> bool:
        """Whether a result is a row: else the mapping has a constant that the log does not print,
        or nothing states its model or platform.
        """
        rule, reason = "not_printed", self._fault
        if self.source and not reason:
            rule, reason = "no_subject", missing_subject(stated)
        if reason:
            self.reject(cell, rule, reason)
        return not reason

    @cached_property
    def _fault(self) -> str | None:
        try:
            PrintedConstants(self.document, ()).check(self.source or NO_MAPPING)
        except TableError as error:
            return str(error)
        return None

    def extraction(self, rows: list[Row], *, are_whole: bool = False) -> Extraction:
        """The rows of the log with what each of its lines is.

        Args:
            rows: Its rows.
            are_whole: On lines without rows, digits in names are no names.
        """
        extraction = Extraction(rows, set(self.lines), marks=self.marks)
        placed = {row.cell.line for row in rows}
        for number, (role, rule) in self.lines.items():
            line = self.document.line(number)
            if line.is_blank:
                continue
            extraction.roles[number] = role, rule
            if are_whole and number not in placed:
                extraction.whole[number] = rule
            else:
                self.mark(line.cell, rule)
        return extraction
