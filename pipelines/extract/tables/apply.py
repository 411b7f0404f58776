"""Applies a mapping to the tables of a document: measured numbers with their conditions, and
rejects.

Nothing is inferred: a table is read if exactly one entry claims it, and a cell that does not match
is refused. The conditions of rows belong in `stated_rows.py`, the stored rows in `measurements.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, NoReturn

from pipelines.extract.conditions import SUBJECTS, ByDimension, Column, Stated
from pipelines.extract.named_quantities import quantity_of
from pipelines.extract.ranges import OUT_OF_RANGE, range_fault
from pipelines.extract.tables.claims import ClaimedTable, Claims, Heading, TableError
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
from pipelines.extract.tables.measurements import NumberBlock, Result, refuse_ambiguous
from pipelines.extract.tables.patterns import groups_of
from pipelines.extract.tables.printed import Passage, PrintedTable, rejected
from pipelines.extract.tables.printed_constants import PrintedConstants
from pipelines.extract.tables.printed_units import differing_unit, unit_in
from pipelines.extract.tables.stated_rows import Parts, StatedRows
from pipelines.extract.tables.statements import SHOWN, SWAPPED, CellNumber, read_number
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
    result, claims, printed = Result(tables), Claims(entries), PrintedConstants(document, tables)
    unclaimed: dict[int, TableError] = {}
    for number, table in enumerate(tables):
        try:
            result.claims[number] = claims.claim(table)
        except TableError as error:
            if table.holds_numbers or error.rule == "claimed_twice":
                unclaimed[number] = error
    for number, cause in unclaimed.items():
        claim = claims.claim_part(tables[number]) if cause.rule == "schema_drift" else None
        if claim is None:
            result.refuse(number, cause.rule, str(cause), cause.cell)
            continue
        result.claims[number] = claim
        names = ", ".join(f"`{name}`" for name in claim.gone)
        reason = f"the measured columns {names} are gone, the others are read: delete them from the mapping"
        cell = next(piece for heading in claim.headings for piece in heading.passage.pieces)
        result.refusals.append(
            rejected([cell.text], cell, "column_gone", reason, scope="table", **claim.section)
        )
    for number, claim in sorted(result.claims.items()):
        try:
            _read(result, number, claim, printed)
        except TableError as error:
            result.refuse(number, error.rule, str(error), error.cell)
    for reason in claims.gone():
        result.refusals.append(
            rejected([""], Cell("", 1, 0, 0), "section_gone", reason, scope="note")
        )
    refuse_ambiguous(result)
    return result


def _read(result: Result, number: int, claim: ClaimedTable, printed: PrintedConstants) -> None:
    """Add the numbers of a claimed table and its refused rows.

    Raises:
        TableError: The table is refused.
    """
    if claim.entry.skip:
        return
    rows = StatedRows(claim, result.statements, printed)
    columns = (
        _MeasuredColumn(rows, at) for at, heading in enumerate(claim.headings) if heading.is_value
    )
    result.blocks += [block for column in columns for block in column.blocks()]
    result.refusals += rows.refusals
    result.notes[number] = [*dict.fromkeys(rows.notes)]


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
        self._texts, self._lines, self._starts = rows.column(at)
        self._statements = rows.statements
        self._specs = self._heading.column.specs if self._heading.column else ()
        # Row, and offset within the cell, of each number that was read.
        self._taken: set[tuple[int, int]] = set()
        # Rows whose cell states a condition that cannot be read.
        self._refused: set[int] = set()

    def blocks(self) -> Iterator[NumberBlock]:
        """The numbers, spec by spec; a cell that no spec reads is refused.

        Raises:
            TableError: The metric or the unit is missing or unknown.
        """
        rows, texts, spans = self._rows, self._texts, self._rows.table.spans
        missing = {text for text in set(texts) if rows.entry.is_missing(text)}
        spanned = (
            {n for n, row in enumerate(rows.rows) if (row, self._at) in spans} if spans else set()
        )
        present = [n for n, text in enumerate(texts) if text not in missing and n not in spanned]
        for spec in self._specs:
            if spec.is_value:
                yield from self._of_spec(spec, present)
        read = self._refused.union(number for number, _ in self._taken)
        for number in [n for n, text in enumerate(texts) if text not in missing and n not in read]:
            words = "spans several rows or columns, and is" if number in spanned else "is"
            units = ", ".join(
                dict.fromkeys(spec.unit or spec.metric or VALUE for spec in self._specs)
            )
            reason = f"{texts[number][:SHOWN]!r} below {self._heading.text!r} {words} no number of {units}"
            rows.refuse_cell(number, self._at, "unread_value", reason)

    def _of_spec(self, spec: Spec, present: Sequence[int]) -> Iterator[NumberBlock]:
        """The numbers of a spec, one block per metric, statistic and printed unit."""
        rows, texts = self._rows, self._texts
        # Conditions of cell, heading, spec and row, and the same with those of the table. A unit in
        # the row takes precedence over that of the column.
        unit_of_row = {name: column for name, column in rows.own.items() if name == UNIT}
        parts, of_heading, given = (
            self._parts(spec),
            rows.of_heading(self._at),
            rows.constants(spec.given),
        )
        near = rows.overlay(parts, unit_of_row, of_heading, given, rows.own)
        full = rows.filled(rows.overlay(near, rows.lent))
        stated = [
            self._statements.values_of(full.get(name) or [0] * len(texts))
            for name in (METRIC, UNIT, STATISTIC)
        ]
        # The constants of the spec itself do not satisfy its `where`.
        around = (
            rows.filled(rows.overlay(parts, of_heading, rows.own, rows.lent)) if spec.where else {}
        )
        holds, of_rows = rows.holds(spec.where, around), list(zip(*stated, strict=True))
        kinds: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
        for number in present:
            is_read = spec.match is None or spec.spans(texts[number]) is not None
            if is_read and holds[number] and number not in self._refused:
                kinds[of_rows[number]].append(number)
        for (metric, unit, statistic), numbers in kinds.items():
            if metric is None:
                line = rows.table.lines[rows.rows[numbers[0]]][0]
                self._refuse(
                    "no_metric",
                    f"the metric of {self._heading.text!r} in line {line} is not defined",
                )
            measured = self._measured(metric, unit or "")
            statistic = statistic or measured.statistic
            read = {
                text: self._number(spec, text, measured)
                for text in {texts[number] for number in numbers}
            }
            by_unit: dict[tuple[str | None, str | None], dict[int, CellNumber]] = defaultdict(dict)
            faults = {
                text: self._range_fault(measured, statistic, one)
                for text, one in read.items()
                if one
            }
            for number in numbers:
                if (one := read[texts[number]]) and (
                    place := (number, one.start)
                ) not in self._taken:
                    self._taken.add(place)
                    if fault := faults[texts[number]]:
                        advice = "if nothing was measured, list the text under `missing`"
                        reason = f"{one.text!r} below {self._heading.text!r} {fault}; {advice}"
                        rows.refuse_cell(number, self._at, OUT_OF_RANGE, reason)
                        continue
                    by_unit[one.unit, one.item][number] = one
            for found in by_unit.values():
                self._check_units(measured, statistic, found, full.get(UNIT))
                if not found:
                    continue
                conditions = self._conditions(spec, measured.kind, near, full, found)
                yield rows.with_subjects(
                    self._block(measured, statistic, conditions, found), measured.kind
                )

    def _check_units(
        self,
        measured: _Measured,
        statistic: str | None,
        found: dict[int, CellNumber],
        stated: Column | None,
    ) -> None:
        """Remove numbers of rows that print another unit than the mapping, which numbers without
        one would be in.

        Raises:
            TableError: The heading or a text around the table prints another unit.
        """
        rows, unit = self._rows, measured.unit
        if next(iter(found.values())).unit != "" or f"{UNPRINTED}{unit}" in rows.entry.units:
            return
        levels = (
            {self._statements.levels[stated[number]] for number in found} if stated else {"mapping"}
        )
        if not levels.isdisjoint({"row", "cell"}):
            return
        around = chain([self._heading.passage], rows.texts_around())
        if error := _differs(measured, around, statistic):
            raise error
        for number in list(found):
            errors = (_differs(measured, [passage]) for passage in rows.texts_of_row(number))
            if error := next(filter(None, errors), None):
                rows.refuse_row(rows.rows[number], error.rule, error.reason, error.cell)
                del found[number]

    def _range_fault(
        self, measured: _Measured, statistic: str | None, number: CellNumber
    ) -> str | None:
        own, value = self._rows.entry.source.metrics.get(measured.metric), number.quantity.value
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

    def _parts(self, spec: Spec) -> dict[str, Column]:
        known: dict[str, Parts] = {}
        for number, text in enumerate(self._texts if spec.match else ()):
            try:
                if text not in known:
                    known[text] = self._rows.parts(spec, text) or {}
            except TableError as error:
                if number not in self._refused:
                    self._rows.refuse_cell(number, self._at, error.rule, error.reason)
                self._refused.add(number)
        return self._rows.of_column(self._at, known, "cell")

    def _refuse(self, rule: str, reason: str) -> NoReturn:
        raise TableError(rule, reason, *self._heading.passage.pieces[:1])

    def _measured(self, metric: str, unit: str) -> _Measured:
        source = self._rows.entry.source
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

    def _conditions(
        self,
        spec: Spec,
        kind: MetricKind,
        near: ByDimension,
        full: ByDimension,
        numbers: Collection[int],
    ) -> dict[str, Column]:
        """The conditions of numbers of a kind of metric.

        A quality was not measured on the machine of the speed test, nor a speed on the data set of
        the quality: conditions of the whole table do not apply to all metrics.
        """
        found: dict[str, Column] = {}
        for name, column in full.items():
            is_lent = name != "dataset" or not self._rows.entry.has_quality
            if kind == "quality":
                is_lent = name in dimensions() and dimensions()[name].is_lent
            if (
                name != METRIC
                and not name.startswith("_")
                and (is_lent or name in spec.from_entry or name in near)
            ):
                own = column if is_lent or name in spec.from_entry else near[name]
                found[name] = [column[number] if own[number] else 0 for number in numbers]
            elif name in SUBJECTS and any(column[number] for number in numbers):
                shown = ", ".join(
                    dict.fromkeys(
                        filter(None, self._statements.values_of(column[n] for n in numbers))
                    )
                )
                self._rows.notes.append(
                    f"the quality below {self._heading.text!r} gets no {name} from the entry ({shown[:SHOWN]}): "
                    f"`from_entry: [{name}]` in its column states it"
                )
        return found

    def _number(self, spec: Spec, text: str, measured: _Measured) -> CellNumber | None:
        start, end = 0, len(text)
        if spec.match:
            spans = spec.spans(text)
            if spans is None or (VALUE in groups_of(spec.match) and VALUE not in spans):
                return None
            start, end = spans.get(VALUE, (start, end))
        part = text[start:end].translate(SWAPPED if self._rows.entry.decimal else {})
        found = read_number(part, measured.unit, measured.measure, measured.wanted)
        begin = start + found.start if found else 0
        return (
            found._replace(start=begin, text=text[begin : begin + len(found.text)])
            if found
            else None
        )

    def _block(
        self,
        measured: _Measured,
        statistic: str | None,
        conditions: dict[str, Column],
        found: dict[int, CellNumber],
    ) -> NumberBlock:
        heading, statements = self._heading, self._statements
        numbers, first, size = list(found.values()), next(iter(found.values())), len(found)
        lines = [self._lines[row] for row in found]
        starts = [self._starts[row] + one.start for row, one in found.items()]
        # The unit is printed in the cells, in a column of units, in the heading, or nowhere.
        stated, unit = conditions.pop(UNIT, []), measured.unit
        if first.unit is None:
            # A time in parts contains its units.
            unit = ""
        elif first.unit:
            unit = first.unit
            places = [start + one.unit_at for start, one in zip(starts, numbers, strict=True)]
            units = [unit] * size
            conditions[UNIT] = list(
                statements.add_column(UNIT, "cell", units, units, lines, places)
            )
        elif stated and all(one and statements.levels[one] in ("row", "cell") for one in stated):
            conditions[UNIT] = stated
        elif unit:
            cell = unit_in(heading.passage.pieces, unit)
            unit = cell.text if cell else unit
            conditions[UNIT] = [statements.add(_in_heading(UNIT, unit, cell))] * size
        if statistic and all(
            one and statements.levels[one] == "mapping" for one in conditions.get(STATISTIC, ())
        ):
            place = _in_heading(STATISTIC, statistic, _statistic_in(heading, statistic))
            conditions[STATISTIC] = [statements.add(place)] * size
        return NumberBlock(
            self._rows.claim, heading.text, measured.metric, measured.canonical, first.item, unit, statistic,
            [self._rows.rows[row] for row in found], [one.quantity for one in numbers],
            [one.text for one in numbers], lines, starts, conditions,
        )  # fmt: skip


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
