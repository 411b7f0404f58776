"""Applies a mapping to the tables of a document: measured numbers with their conditions, and
rejects.

Nothing is inferred: a table is read if exactly one entry claims it, and a cell that does not match
is refused. The conditions of rows belong in `stated_rows.py`, the stored rows in `measurements.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from pipelines.extract.conditions import SUBJECTS, UNNAMED, Stated
from pipelines.extract.named_quantities import quantity_of
from pipelines.extract.ranges import OUT_OF_RANGE, range_fault
from pipelines.extract.tables.cell_values import SWAPPED, CellNumber, read_number
from pipelines.extract.tables.claims import Claims, Heading, RowError, TableError
from pipelines.extract.tables.constant_check import PrintedConstants
from pipelines.extract.tables.entries import Entries
from pipelines.extract.tables.language import METRIC, SHOWN, STATISTIC, UNIT, UNPRINTED, VALUE
from pipelines.extract.tables.layouts import claim_by_layout
from pipelines.extract.tables.mapping import NO_MAPPING, MappingEntry, Measured, MetricKind, Spec
from pipelines.extract.tables.measurements import (
    MeasuredNumber,
    Result,
    TableReading,
    refuse_ambiguous,
)
from pipelines.extract.tables.printed import Passage, PrintedTable, rejected
from pipelines.extract.tables.stated_conditions import (
    Conditions,
    constants_of,
    filled,
    holds,
    stated_in,
)
from pipelines.extract.tables.stated_rows import StatedRow, StatedRows
from pipelines.extract.tables.unit_check import differing_unit, unit_in
from pipelines.read.document import Cell, Document
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import find

# A column in these units needs a declared unit.
_NEEDS_UNIT = frozenset({"%", "s", "ms", "W", "J", "J/token", "GB", "USD", "USD/h"})
# What no text prints.
_IN_MAPPING = Stated("", "")


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
    source = entries.source if isinstance(entries, Entries) else NO_MAPPING
    claims, printed = Claims(entries), PrintedConstants(document, tables)
    unclaimed: list[tuple[TableReading, TableError]] = []
    for reading in result.tables:
        try:
            # What a source says of its tables comes before what a program is known to write.
            by_layout = None if source.tables else claim_by_layout(reading.table, source)
            reading.claim = by_layout or claims.claim(reading.table)
        except TableError as error:
            if reading.table.holds_numbers or error.rule == "claimed_twice":
                unclaimed.append((reading, error))
    for reading, cause in unclaimed:
        if cause.rule == "schema_drift":
            reading.claim = claims.claim_part(reading.table)
        reject = reading.claim.reject_gone() if reading.claim else reading.refuse(cause)
        result.refusals.append(reject)
    for reading in result.tables:
        if reading.claim is None or reading.claim.entry.skip:
            continue
        try:
            rows = StatedRows(reading.claim, printed)
            for at, heading in enumerate(reading.claim.headings):
                if heading.is_value:
                    reading.numbers += _MeasuredColumn(rows, at).numbers()
        except TableError as error:
            result.refusals.append(reading.refuse(error))
        else:
            result.refusals += rows.refusals
            reading.notes = [*dict.fromkeys(rows.notes)]
    for reason in claims.gone():
        reject = rejected([""], Cell("", 1, 0, 0), "section_gone", reason, scope="note")
        result.refusals.append(reject)
    refuse_ambiguous(result)
    return result


class _MeasuredColumn:
    """The numbers of one column."""

    def __init__(self, rows: StatedRows, at: int) -> None:
        self._rows, self._entry = rows, rows.entry
        self._at, self._heading = at, rows.claim.headings[at]
        self._source = rows.entry.source
        # By the metric and the unit that are stated: what is measured, with the statistic.
        self._known: dict[tuple[str, str], tuple[Measured, str | None]] = {}
        # The place of each unit in the heading.
        self._in_heading: dict[str, Stated] = {}
        # Row, and place within the line, of each number that was read.
        self._taken: set[tuple[int, int]] = set()
        # Rows whose cell states a condition that cannot be read.
        self._refused: set[int] = set()
        # What is measured, as compared with the units printed around the table.
        self._agreeing: set[tuple[Measured, str | None]] = set()

    def numbers(self) -> Iterator[MeasuredNumber]:
        """The numbers, spec by spec; a cell that no spec reads is refused.

        Raises:
            TableError: The metric or the unit is missing or unknown.
        """
        rows, specs, spans = self._rows, self._heading.specs, self._rows.table.spans
        cells: list[tuple[StatedRow, Cell]] = []
        for row in rows.rows:
            cell = rows.table.cell(row.number, self._at)
            if not self._entry.is_missing(cell.text):
                cells.append((row, cell))
        for spec in specs:
            given = constants_of(self._entry, spec.given)
            for row, cell in cells if spec.is_value else ():
                if row.number in self._refused or (row.number, self._at) in spans:
                    continue
                try:
                    number = self._number(spec, given, row, cell)
                except RowError as error:
                    rows.refuse_row(row, error)
                    continue
                if number:
                    yield number
        read = self._refused.union(number for number, _ in self._taken)
        units = ", ".join(dict.fromkeys(spec.unit or spec.metric or VALUE for spec in specs))
        for row, cell in cells:
            if row.number not in read:
                is_spanned = (row.number, self._at) in spans
                words = "spans several rows or columns, and is" if is_spanned else "is"
                reason = f"{cell.text[:SHOWN]!r} below {self._heading.text!r} {words} no number of {units}"
                rows.refuse_row(row, RowError("unread_value", reason, cell))

    def _number(
        self, spec: Spec, given: Conditions, row: StatedRow, cell: Cell
    ) -> MeasuredNumber | None:
        """The number of a spec in a cell, if it has one.

        Raises:
            RowError: The row is refused.
            TableError: As in `numbers`.
        """
        entry, heading = self._entry, self._heading
        spans = spec.spans(cell.text)
        if spans is None:
            return None
        try:
            parts = stated_in(entry, spans, Passage((cell,), "cell"))
        except TableError as error:
            self._refused.add(row.number)
            raise RowError(error.rule, error.reason, cell) from error
        of_heading = self._rows.of_headings[self._at]
        if spec.where:
            # The constants of the spec itself do not satisfy it.
            around = row.lent | row.own | of_heading | parts
            if not holds(entry, spec.where, filled(entry, around)):
                return None
        # A unit in the row takes precedence over that of the column.
        unit_of_row = {UNIT: row.own[UNIT]} if UNIT in row.own else {}
        near = row.own | given | of_heading | unit_of_row | parts
        conditions = filled(entry, row.lent | near)
        measured, statistic = self._measured(conditions, row)
        if VALUE in spec.captures and VALUE not in spans:
            return None
        value = cell.part(*spans.get(VALUE, (0, len(cell.text))))
        number = read_number(value.text.translate(SWAPPED if entry.decimal else {}), measured)
        if number is None or (row.number, value.start + number.start) in self._taken:
            return None
        printed = value.part(number.start, number.end)
        self._taken.add((row.number, printed.start))
        if STATISTIC in conditions:
            statistic = conditions[STATISTIC].value
        own, amount = self._source.metrics.get(measured.metric), number.quantity.value
        fault = range_fault(
            measured.metric,
            measured.canonical,
            amount,
            is_score=measured.kind == "quality",
            declared=own.range if own else None,
        )
        # All measurements may be the same.
        if fault and not (statistic == "std" and amount == 0):
            advice = "if nothing was measured, list the text under `missing`"
            reason = f"{printed.text!r} below {heading.text!r} {fault}; {advice}"
            raise RowError(OUT_OF_RANGE, reason, cell)
        stated = conditions.pop(UNIT, None)
        unit = self._unit(measured, statistic, row, value, number, stated)
        conditions = self._lent(spec, measured.kind, near, conditions)
        if unit:
            conditions[UNIT] = unit
        if statistic and conditions.get(STATISTIC, _IN_MAPPING).level == "mapping":
            place = _statistic_in(heading, statistic)
            conditions[STATISTIC] = _in_heading(STATISTIC, statistic, place)
        is_free = measured.kind == "size" or measured.canonical.startswith("USD")
        self._rows.check_subject(row, conditions, "" if is_free else measured.kind)
        for name in SUBJECTS:
            if name in conditions and conditions[name].value == UNNAMED:
                del conditions[name]
        return MeasuredNumber(
            claim=self._rows.claim,
            row=row.number,
            heading=heading.text,
            metric=measured.metric,
            statistic=statistic,
            unit=measured.canonical,
            item=number.item,
            quantity=number.quantity,
            cell=printed,
            conditions=conditions,
        )

    def _refuse(self, rule: str, reason: str) -> TableError:
        return TableError(rule, reason, *self._heading.passage.pieces[:1])

    def _measured(self, conditions: Conditions, row: StatedRow) -> tuple[Measured, str | None]:
        """What a number measures, and the statistic in the name of its metric."""
        source, heading = self._source, self._heading.text
        unit = conditions[UNIT].value if UNIT in conditions else ""
        key = conditions[METRIC].value if METRIC in conditions else "", unit
        if key in self._known:
            return self._known[key]
        if METRIC not in conditions:
            line = self._rows.table.lines[row.number][0]
            reason = f"the metric of {heading!r} in line {line} is not defined"
            raise self._refuse("no_metric", reason)
        metric, statistic = conditions[METRIC].value, None
        if source.metric(metric) is None:
            if entry := find("metrics", metric):
                metric = entry.name
            elif named := quantity_of(metric):
                # `P99 TTFT` in a column of metrics
                metric, statistic, *_ = named
        known = source.metric(metric)
        if known is None:
            reason = f"{metric!r} is not a metric: define it under `names` or `metrics`"
            raise self._refuse("unknown_metric", reason)
        canonical, _ = known
        if unit == "" and (canonical in _NEEDS_UNIT or canonical.startswith("items/s")):
            reason = f"{heading!r} has no unit, and {metric} is measured in {canonical}"
            raise self._refuse("no_unit", reason)
        try:
            self._known[key] = source.measured(metric, unit), statistic
        except ValueError as error:
            raise self._refuse("no_unit", f"{heading!r}: {error}") from error
        return self._known[key]

    def _unit(
        self, measured: Measured, statistic: str | None, row: StatedRow, value: Cell, number: CellNumber,
        stated: Stated | None,
    ) -> Stated | None:  # fmt: skip
        """The unit of a number as printed in the cell, in a column of units or in the heading, else
        that of the mapping; None for a time in parts, which contains its units.

        Raises:
            RowError: The row prints another unit.
            TableError: The heading or a text around the table does.
        """
        if number.unit is None:
            return None
        if number.unit:
            start = number.start + number.unit_at
            place = value.part(start, start + len(number.unit))
            return Stated(UNIT, place.text, place, "cell")
        if stated and stated.level in ("row", "cell"):
            return stated
        rows, pieces = self._rows, self._heading.passage.pieces
        if f"{UNPRINTED}{measured.unit}" not in self._entry.units:
            if (measured, statistic) not in self._agreeing:
                around = chain([self._heading.passage], rows.around)
                if other := differing_unit(measured.metric, measured.measure, around, statistic):
                    raise TableError("unit_differs", *_other_unit(measured, *other))
                self._agreeing.add((measured, statistic))
            for passage in rows.texts_of(row, self._at):
                if other := differing_unit(measured.metric, measured.measure, [passage]):
                    raise RowError("unit_differs", *_other_unit(measured, *other))
        if not measured.unit:
            return None
        if measured.unit not in self._in_heading:
            printed = unit_in(pieces, measured.unit)
            words = printed.text if printed else measured.unit
            self._in_heading[measured.unit] = _in_heading(UNIT, words, printed)
        return self._in_heading[measured.unit]

    def _lent(self, spec: Spec, kind: MetricKind, near: Conditions, full: Conditions) -> Conditions:
        """The conditions of a number of a kind of metric.

        A quality was not measured on the machine of the speed test, nor a speed on the data set of
        the quality: conditions of the whole table do not apply to all metrics.
        """
        found: Conditions = {}
        for name, one in full.items():
            is_lent = name != "dataset" or not self._entry.has_quality
            if kind == "quality":
                is_lent = name in dimensions() and dimensions()[name].is_lent
            if name == METRIC or name.startswith("_"):
                continue
            if is_lent or name in spec.from_entry or name in near:
                found[name] = one
            elif name in SUBJECTS:
                self._rows.notes.append(
                    f"the quality below {self._heading.text!r} gets no {name} from the entry ({one.value[:SHOWN]}): "
                    f"`from_entry: [{name}]` in its column states it"
                )
        return found


def _other_unit(measured: Measured, unit: str, passage: Passage) -> tuple[str, Cell]:
    """Says that a text prints another unit than the mapping, and where."""
    reason = f"{passage.text[:SHOWN]!r} prints {unit!r}, and the mapping says {measured.unit!r}"
    return f"{reason}; `unit: '!{measured.unit}'` states it anyway", passage.pieces[0]


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
