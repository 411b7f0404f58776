"""Applies a mapping to the tables of a document: measured numbers with their conditions, and
rejects.

Nothing is inferred: a table is read if exactly one entry claims it, and a cell that does not match
is refused. The conditions of rows belong in `stated_rows.py`, the stored rows in `measurements.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, NoReturn

from pipelines.extract.conditions import SUBJECTS, UNNAMED, Stated
from pipelines.extract.named_quantities import quantity_of
from pipelines.extract.ranges import OUT_OF_RANGE, range_fault
from pipelines.extract.rows import Reject
from pipelines.extract.tables.cell_values import SHOWN, SWAPPED, CellNumber, read_number
from pipelines.extract.tables.claims import Claims, Heading, TableError
from pipelines.extract.tables.constant_check import PrintedConstants
from pipelines.extract.tables.mapping import (
    METRIC,
    STATISTIC,
    UNIT,
    UNPRINTED,
    VALUE,
    MappingEntry,
    MetricKind,
    Spec,
)
from pipelines.extract.tables.measurements import (
    MeasuredNumber,
    Result,
    TableReading,
    refuse_ambiguous,
)
from pipelines.extract.tables.patterns import Spans
from pipelines.extract.tables.printed import Passage, PrintedTable, rejected
from pipelines.extract.tables.stated_rows import Conditions, StatedRow, StatedRows
from pipelines.extract.tables.unit_check import differing_unit, unit_in
from pipelines.read.document import Cell, Document
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import METRIC_OF_UNIT, Measure, measure_of

# A column in these units needs a declared unit.
_NEEDS_UNIT = frozenset({"%", "s", "ms", "W", "J", "J/token", "GB", "USD", "USD/h"})


def apply(
    document: Document, tables: Sequence[PrintedTable], entries: Sequence[MappingEntry]
) -> Result:
    """The numbers of all claimed tables, and the rejects.

    Args:
        document: The document.
        tables: Its tables, including those found by the `rows` of the entries.
        entries: The mapping of its source.
    """
    result = Result([TableReading(table) for table in tables])
    claims, printed = Claims(entries), PrintedConstants(document, tables)
    unclaimed: list[tuple[TableReading, TableError]] = []
    for reading in result.tables:
        try:
            reading.claim = claims.claim(reading.table)
        except TableError as error:
            if reading.table.holds_numbers or error.rule == "claimed_twice":
                unclaimed.append((reading, error))
    for reading, cause in unclaimed:
        claim = claims.claim_part(reading.table) if cause.rule == "schema_drift" else None
        if claim is None:
            result.refusals.append(reading.refuse(cause))
            continue
        reading.claim = claim
        names = ", ".join(f"`{name}`" for name in claim.gone)
        reason = f"the measured columns {names} are gone, the others are read: delete them from the mapping"
        cell = next(piece for heading in claim.headings for piece in heading.passage.pieces)
        result.refusals.append(
            rejected([cell.text], cell, "column_gone", reason, scope="table", **claim.section)
        )
    for reading in result.tables:
        if reading.claim is None or reading.claim.entry.skip:
            continue
        try:
            result.refusals += _read(reading, StatedRows(reading.claim, printed))
        except TableError as error:
            result.refusals.append(reading.refuse(error))
    for reason in claims.gone():
        reject = rejected([""], Cell("", 1, 0, 0), "section_gone", reason, scope="note")
        result.refusals.append(reject)
    refuse_ambiguous(result)
    return result


def _read(reading: TableReading, rows: StatedRows) -> list[Reject]:
    """Add the numbers of a claimed table; returns its refused rows.

    Raises:
        TableError: The table is refused.
    """
    for at, heading in enumerate(rows.claim.headings):
        if heading.is_value:
            reading.numbers += _MeasuredColumn(rows, at).numbers()
    reading.notes = [*dict.fromkeys(rows.notes)]
    return rows.refusals


class _Measured(NamedTuple):
    """What numbers measure: the metric with its canonical unit and kind, and the unit of the
    mapping.
    """

    metric: str
    canonical: str
    kind: MetricKind
    unit: str
    measure: Measure
    wanted: Measure
    statistic: str | None


class _MeasuredColumn:
    """The numbers of one column."""

    def __init__(self, rows: StatedRows, at: int) -> None:
        self._rows, self._at, self._heading = rows, at, rows.claim.headings[at]
        self._of_heading, self._source = rows.of_heading(at), rows.entry.source
        # Row, and place within the line, of each number that was read.
        self._taken: set[tuple[int, int]] = set()
        # Rows whose cell states a condition that cannot be read.
        self._refused: set[int] = set()
        # What is measured, as compared with the units printed around the table.
        self._agreeing: set[tuple[_Measured, str | None]] = set()
        # Models and platforms that a quality does not get from the entry.
        self._withheld: dict[str, dict[str, None]] = {}

    def numbers(self) -> Iterator[MeasuredNumber]:
        """The numbers, spec by spec; a cell that no spec reads is refused.

        Raises:
            TableError: The metric or the unit is missing or unknown.
        """
        rows, specs, spans = self._rows, self._heading.specs, self._rows.table.spans
        cells: list[tuple[StatedRow, Cell]] = []
        for row in rows.rows:
            cell = rows.table.cell(row.number, self._at)
            if not rows.entry.is_missing(cell.text):
                cells.append((row, cell))
        for spec in specs:
            given = rows.constants(spec.given)
            for row, cell in cells if spec.is_value else ():
                if (row.number, self._at) not in spans:
                    yield from self._of_cell(spec, given, row, cell)
        for name, values in self._withheld.items():
            shown = ", ".join(values)[:SHOWN]
            rows.notes.append(
                f"the quality below {self._heading.text!r} gets no {name} from the entry ({shown}): "
                f"`from_entry: [{name}]` in its column states it"
            )
        read = self._refused.union(number for number, _ in self._taken)
        units = ", ".join(dict.fromkeys(spec.unit or spec.metric or VALUE for spec in specs))
        for row, cell in cells:
            if row.number not in read:
                is_spanned = (row.number, self._at) in spans
                words = "spans several rows or columns, and is" if is_spanned else "is"
                reason = f"{cell.text[:SHOWN]!r} below {self._heading.text!r} {words} no number of {units}"
                rows.refuse_cell(row, self._at, "unread_value", reason)

    def _of_cell(
        self, spec: Spec, given: Conditions, row: StatedRow, cell: Cell
    ) -> Iterator[MeasuredNumber]:
        """The number of a spec in a cell, if it has one."""
        rows, spans = self._rows, spec.spans(cell.text)
        if spans is None or row.number in self._refused:
            return
        try:
            parts = rows.stated_in(spans, Passage((cell,), "cell"))
        except TableError as error:
            rows.refuse_cell(row, self._at, error.rule, error.reason)
            self._refused.add(row.number)
            return
        # The constants of the spec itself do not satisfy its `where`.
        around = row.lent | row.own | self._of_heading | parts
        if spec.where and not rows.holds(spec.where, rows.filled(around)):
            return
        # A unit in the row takes precedence over that of the column.
        unit_of_row = {UNIT: row.own[UNIT]} if UNIT in row.own else {}
        near = row.own | given | self._of_heading | unit_of_row | parts
        conditions = rows.filled(row.lent | near)
        measured = self._measured(conditions, row)
        number = self._number(spec, spans, cell, measured)
        if number is None or (row.number, number.start) in self._taken:
            return
        self._taken.add((row.number, number.start))
        statistic = conditions[STATISTIC].value if STATISTIC in conditions else measured.statistic
        if fault := self._range_fault(measured, statistic, number):
            advice = "if nothing was measured, list the text under `missing`"
            reason = f"{number.text!r} below {self._heading.text!r} {fault}; {advice}"
            rows.refuse_cell(row, self._at, OUT_OF_RANGE, reason)
            return
        if not self._has_unit(measured, statistic, number, row, conditions.get(UNIT)):
            return
        conditions = self._lent(spec, measured.kind, near, conditions)
        unit = self._place_unit(measured, number, cell, conditions)
        stated = conditions.get(STATISTIC)
        if statistic and (stated is None or stated.level == "mapping"):
            place = _statistic_in(self._heading, statistic)
            conditions[STATISTIC] = _in_heading(STATISTIC, statistic, place)
        found = MeasuredNumber(
            rows.claim, row.number, self._heading.text, measured.metric, statistic, measured.canonical, number.item,
            unit, number.quantity, cell.part(number.start, number.start + len(number.text)), conditions,
        )  # fmt: skip
        if rows.lacks_subject(found, row, measured.kind):
            return
        for name in SUBJECTS:
            if name in conditions and conditions[name].value == UNNAMED:
                del conditions[name]
        yield found

    def _has_unit(
        self,
        measured: _Measured,
        statistic: str | None,
        number: CellNumber,
        row: StatedRow,
        stated: Stated | None,
    ) -> bool:
        """Whether a number without a unit is in that of the mapping; a row that prints another one
        is refused.

        Raises:
            TableError: The heading or a text around the table prints another unit.
        """
        rows = self._rows
        if number.unit != "" or f"{UNPRINTED}{measured.unit}" in rows.entry.units:
            return True
        if stated and stated.level in ("row", "cell"):
            return True
        if (measured, statistic) not in self._agreeing:
            around = chain([self._heading.passage], rows.texts_around())
            if error := _differs(measured, around, statistic):
                raise error
            self._agreeing.add((measured, statistic))
        for passage in rows.texts_of_row(row):
            if error := _differs(measured, [passage]):
                rows.refuse_row(row.number, error.rule, error.reason, error.cell)
                return False
        return True

    def _range_fault(
        self, measured: _Measured, statistic: str | None, number: CellNumber
    ) -> str | None:
        own, value = self._source.metrics.get(measured.metric), number.quantity.value
        # All measurements may be the same.
        if statistic == "std" and value == 0:
            return None
        is_score = measured.kind == "quality"
        return range_fault(
            measured.metric,
            measured.canonical,
            value,
            is_score=is_score,
            declared=own.range if own else None,
        )

    def _refuse(self, rule: str, reason: str) -> NoReturn:
        raise TableError(rule, reason, *self._heading.passage.pieces[:1])

    def _measured(self, conditions: Conditions, row: StatedRow) -> _Measured:
        if METRIC not in conditions:
            line = self._rows.table.lines[row.number][0]
            reason = f"the metric of {self._heading.text!r} in line {line} is not defined"
            self._refuse("no_metric", reason)
        metric = conditions[METRIC].value
        unit = conditions[UNIT].value if UNIT in conditions else ""
        source = self._source
        known, statistic = source.metric(metric), None
        if known is None and (entry := find("metrics", metric)):
            metric = entry.name
            known = source.metric(metric)
        elif known is None and (named := quantity_of(metric)):
            # `P99 TTFT` in a column of metrics
            metric, statistic, *_ = named
            known = source.metric(metric)
        if known is None:
            self._refuse(
                "unknown_metric",
                f"{metric!r} is not a metric: define it under `names` or `metrics`",
            )
        canonical, kind = known
        wanted = measure_of(canonical) or Measure(canonical, 1.0)
        needs_unit = canonical in _NEEDS_UNIT or canonical.startswith("items/s")
        measure = source.measure(unit) if unit else None if needs_unit else wanted
        is_other = (
            measure is not None and METRIC_OF_UNIT.get((metric, measure.kind), metric) != metric
        )
        if measure is None or is_other or not measure.converts_to(wanted):
            has = repr(unit) if unit else "no unit"
            self._refuse(
                "no_unit",
                f"{self._heading.text!r} has {has}, and {metric} is measured in {canonical}",
            )
        return _Measured(metric, canonical, kind, unit, measure, wanted, statistic)

    def _lent(self, spec: Spec, kind: MetricKind, near: Conditions, full: Conditions) -> Conditions:
        """The conditions of a number of a kind of metric.

        A quality was not measured on the machine of the speed test, nor a speed on the data set of
        the quality: conditions of the whole table do not apply to all metrics.
        """
        found: Conditions = {}
        for name, one in full.items():
            is_lent = name != "dataset" or not self._rows.entry.has_quality
            if kind == "quality":
                is_lent = name in dimensions() and dimensions()[name].is_lent
            if name == METRIC or name.startswith("_"):
                continue
            if is_lent or name in spec.from_entry or name in near:
                found[name] = one
            elif name in SUBJECTS:
                self._withheld.setdefault(name, {})[one.value] = None
        return found

    def _number(
        self, spec: Spec, spans: Spans, cell: Cell, measured: _Measured
    ) -> CellNumber | None:
        """The number in a cell, with its place in the cell."""
        if VALUE in spec.captures and VALUE not in spans:
            return None
        start, end = spans.get(VALUE, (0, len(cell.text)))
        part = cell.text[start:end].translate(SWAPPED if self._rows.entry.decimal else {})
        found = read_number(part, measured.unit, measured.measure, measured.wanted)
        if found is None:
            return None
        begin = start + found.start
        return found._replace(start=begin, text=cell.text[begin : begin + len(found.text)])

    def _place_unit(
        self, measured: _Measured, number: CellNumber, cell: Cell, conditions: Conditions
    ) -> str:
        """The printed unit of a number; its place is added to the conditions.

        It is printed in the cell, in a column of units, in the heading, or nowhere.
        """
        stated, unit = conditions.pop(UNIT, None), measured.unit
        if number.unit is None:
            # A time in parts contains its units.
            return ""
        if number.unit:
            unit, start = number.unit, number.start + number.unit_at
            place = Cell(unit, cell.line, cell.start + start, cell.start + start + len(unit))
            conditions[UNIT] = Stated(UNIT, unit, place, "cell")
        elif stated and stated.level in ("row", "cell"):
            conditions[UNIT] = stated
        elif unit:
            printed = unit_in(self._heading.passage.pieces, unit)
            unit = printed.text if printed else unit
            conditions[UNIT] = _in_heading(UNIT, unit, printed)
        return unit


def _differs(
    measured: _Measured, passages: Iterable[Passage], statistic: str | None = None
) -> TableError | None:
    """Says that the nearest text with units prints another one than the mapping."""
    other = differing_unit(measured.metric, measured.measure, passages, statistic)
    if other is None:
        return None
    unit, passage = other
    reason = f"{passage.text[:SHOWN]!r} prints {unit!r}, and the mapping says {measured.unit!r}"
    hint = f"`unit: '!{measured.unit}'` states it anyway"
    return TableError("unit_differs", f"{reason}; {hint}", passage.pieces[0])


def _in_heading(name: str, value: str, cell: Cell | None) -> Stated:
    """A condition printed in a heading; without a cell, one of the mapping."""
    return Stated(name, value, cell, "column_heading") if cell else Stated(name, value)


def _statistic_in(heading: Heading, statistic: str) -> Cell | None:
    """The place of a statistic in a heading: the number of a percentile, or the word."""
    wanted = statistic.removeprefix("p") if statistic[1:2].isdigit() else statistic
    for word in (wanted, "median") if statistic == "p50" else (wanted,):
        if (at := heading.text.casefold().find(word)) >= 0:
            return heading.passage.cell(at, at + len(word))
    return None
