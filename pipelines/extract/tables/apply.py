"""A mapping laid on the tables of a document: measured numbers with their conditions, and what is refused.

Nothing is inferred. A table is read where exactly one entry claims it; a cell is what the entry says, or it is refused.
What is stated of rows belongs in `stated_rows.py`, what becomes of the numbers in `measurements.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pipelines.extract.rows import Reject
from pipelines.extract.tables.blocks import Block, Result
from pipelines.extract.tables.claims import Claims, Heading, TableError
from pipelines.extract.tables.mapping import Entry, MetricKind
from pipelines.extract.tables.patterns import compiled
from pipelines.extract.tables.printed import Table
from pipelines.extract.tables.specs import METRIC, STATISTIC, UNIT, VALUE, Spec
from pipelines.extract.tables.stated_rows import CellsOfColumn, StatedRows
from pipelines.extract.tables.statements import (
    SHOWN,
    Number,
    PrintedWords,
    Statement,
    Statements,
    over_all,
    read_number,
    unit_in,
)
from pipelines.read.document import Cell, Document
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import Measure, measure_of

# Of these a bare number says too little: nobody knows in what it is counted.
_NEEDS_UNIT = frozenset(
    {"items/s", "items/s/device", "items/s/user", "items/s/W", "s", "ms", "W", "J", "J/token", "GB", "USD", "USD/h"}
)


def apply(document: Document, tables: Sequence[Table], entries: Sequence[Entry]) -> Result:
    """The numbers of all tables that the entries claim; those that nothing tells apart are among them.

    Args:
        document: The document.
        tables: Its tables, those that the `rows` of the entries have found among them.
        entries: The mapping of its source.
    """
    result, claims, printed = Result(tables), Claims(entries), PrintedWords(document)
    for number, table in enumerate(tables):
        try:
            claim = claims.claim(table)
        except TableError as error:
            if table.holds_numbers or error.rule == "claimed_twice":
                result.refuse(number, error.rule, str(error))
            continue
        result.claims[number] = claim
        if claim.entry.skip:
            continue
        table.heading = table.heading or claim.section
        try:
            rows = StatedRows(claim, table, printed)
            result.blocks += [
                block
                for at, heading in enumerate(claim.headings)
                if heading.is_value
                for block in _MeasuredColumn(rows, at, heading).blocks()
            ]
        except TableError as error:
            result.refuse(number, error.rule, str(error), error.cell)
        else:
            result.refusals += rows.refusals
    for reason in claims.gone():
        result.refusals.append(Reject(cell=Cell("", 1, 0, 0), rule="section_gone", reason=reason, scope="note"))
    return result


class _Measured(NamedTuple):
    """What numbers measure: the metric with its canonical unit and kind, and the unit that the mapping gives."""

    metric: str
    canonical: str
    kind: MetricKind
    unit: str
    measure: Measure
    wanted: Measure


class _MeasuredColumn:
    """The numbers of one column."""

    def __init__(self, rows: StatedRows, at: int, heading: Heading) -> None:
        self._rows, self._at, self._heading, self._entry = rows, at, heading, rows.entry
        self._cells: CellsOfColumn = rows.cells[at]
        self._specs = heading.column.specs if heading.column else ()
        # Characters of each cell that a spec has read.
        self._taken: dict[int, set[int]] = defaultdict(set)

    def blocks(self) -> Iterator[Block]:
        """The numbers, spec by spec; a cell that none reads is refused.

        Raises:
            TableError: The mapping does not say what they measure, or in which unit.
        """
        texts, table = self._cells.texts, self._rows.table
        missing = {text for text in set(texts) if self._entry.is_missing(text)}
        left = {number for number, text in enumerate(texts) if text not in missing}
        spans = table.spans
        spanned = {number for number in left if (self._rows.rows[number], self._at) in spans} if spans else set()
        present = sorted(left - spanned)
        for spec in self._specs:
            if not spec.is_value:
                continue
            near, full = self._near_and_full(spec)
            holds = self._rows.holds(spec.where, full)
            for block, read in self._blocks(spec, [n for n in present if holds[n]], near, full):
                left.difference_update(read)
                yield block
        for number in sorted(left):
            words = "stands over several rows or columns, and is" if number in spanned else "is"
            units = ", ".join(dict.fromkeys(spec.unit or spec.metric or VALUE for spec in self._specs))
            reason = f"{texts[number][:SHOWN]!r} below {self._heading.text!r} {words} no number of {units}"
            self._rows.refuse_row(self._rows.rows[number], "unread_value", reason, self._cells.cell(number))

    def _is_free(self, number: int, one: Number) -> bool:
        """Whether no spec before has read these characters of a cell: of several numbers each spec reads its own."""
        span = set(range(one.start, one.start + len(one.text)))
        is_free = self._taken[number].isdisjoint(span)
        self._taken[number] |= span
        return is_free

    def _near_and_full(self, spec: Spec) -> tuple[Mapping[str, Statements], dict[str, Statements]]:
        """What cells, heading, spec and rows of the column state; and the same with what holds for the table."""
        rows = self._rows
        of_column: list[dict[str, Statements]] = [
            {name: [one] * len(rows.rows) for name, one in part.items()}
            for part in (rows.of_heading(self._heading), rows.constants(spec.given))
        ]
        # A unit that the row itself prints is nearer than that of the column.
        of_rows = {UNIT: rows.own[UNIT]} if UNIT in rows.own else {}
        near = over_all(self._parts(spec), of_rows, *of_column, rows.own)
        return near, rows.filled(over_all(near, rows.lent))

    def _parts(self, spec: Spec) -> dict[str, Statements]:
        """What the parts of the measured cells themselves state."""
        if spec.match is None:
            return {}
        known: dict[str, dict[str, Statement]] = {}
        for number, text in enumerate(self._cells.texts):
            try:
                known[text] = known[text] if text in known else self._rows.parts(spec, text, "cell") or {}
            except ValueError as error:
                raise TableError("unread_condition", str(error), self._cells.cell(number)) from error
        return self._cells.stated(known)

    def _blocks(
        self, spec: Spec, rows: Sequence[int], near: Mapping[str, Statements], full: Mapping[str, Statements]
    ) -> Iterator[tuple[Block, list[int]]]:
        """The numbers that measure one thing and print one unit, each with their rows."""
        texts, is_alone = self._cells.texts, len(self._specs) == 1
        nothing: Statements = [None] * len(self._rows.rows)
        given: list[Statements] = [full.get(name, nothing) for name in (METRIC, UNIT, STATISTIC)]
        of_rows = list(zip(*([one.value if one else None for one in column] for column in given), strict=True))
        kinds: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
        for number in rows:
            kinds[of_rows[number]].append(number)
        for (metric, unit, statistic), numbers in kinds.items():
            if metric is None:
                line = self._rows.table.lines[self._rows.rows[numbers[0]]][0]
                reason = f"nothing says what {self._heading.text!r} measures in line {line}"
                raise TableError("no_metric", reason, self._shown_by())
            measured = self._measured(metric, unit or "")
            conditions = self._conditions(spec, measured.kind, near, full)
            read = {text: self._number(spec, text, measured) for text in dict.fromkeys(texts[n] for n in numbers)}
            by_unit: dict[tuple[str | None, str | None], list[int]] = defaultdict(list)
            for number in numbers:
                if (one := read[texts[number]]) and (is_alone or self._is_free(number, one)):
                    by_unit[one.unit, one.item].append(number)
            for kept in by_unit.values():
                found = [one for number in kept if (one := read[texts[number]])]
                yield self._block(measured, statistic, conditions, kept, found), kept

    def _measured(self, metric: str, unit: str) -> _Measured:
        known = self._entry.source.metric(metric)
        if known is None and (entry := find("metrics", metric)):
            metric = entry.name
            known = self._entry.source.metric(metric)
        if known is None:
            reason = f"{metric!r} is no metric: say under `names` or `metrics` what it is"
            raise TableError("unknown_metric", reason, self._shown_by())
        canonical, kind = known
        wanted = measure_of(canonical) or Measure(canonical, 1.0)
        measure = self._entry.source.measure(unit) if unit else wanted if canonical not in _NEEDS_UNIT else None
        if measure is None or not measure.converts_to(wanted):
            has = repr(unit) if unit else "no unit"
            reason = f"{self._heading.text!r} has {has}, and {metric} is measured in {canonical}"
            raise TableError("no_unit", reason, self._shown_by())
        return _Measured(metric, canonical, kind, unit, measure, wanted)

    def _shown_by(self) -> Cell | None:
        return self._heading.parts[0] if self._heading.parts else None

    def _conditions(
        self, spec: Spec, kind: MetricKind, near: Mapping[str, Statements], full: Mapping[str, Statements]
    ) -> dict[str, Statements]:
        """What is stated of numbers of a kind: what holds for the whole table is not lent to all of them."""
        conditions = {name: those for name, those in full.items() if name != METRIC and not name.startswith("_")}
        for name in [name for name in conditions if not self._is_lent(name, kind, spec)]:
            own = near.get(name, ())
            conditions[name] = [a and b for a, b in zip(own, conditions[name], strict=False)]
        return {name: those for name, those in conditions.items() if those}

    def _is_lent(self, name: str, kind: MetricKind, spec: Spec) -> bool:
        """A quality does not run on the machine of the speed test, and a speed not on the data of the quality."""
        if name in spec.from_entry:
            return True
        if kind == "quality":
            return name in dimensions() and dimensions()[name].is_lent
        return name != "dataset" or not self._entry.has_quality

    def _number(self, spec: Spec, text: str, measured: _Measured) -> Number | None:
        """The number of a cell; None where the cell is not as the spec says."""
        if spec.match is None:
            return read_number(text, *measured[3:])
        pattern = compiled(spec.match)
        spans = pattern.fullmatch(text)
        if spans is None or (VALUE in pattern.names and VALUE not in spans):
            return None
        start, end = spans.get(VALUE, (0, len(text)))
        found = read_number(text[start:end], *measured[3:])
        return found and found._replace(start=found.start + start)

    def _block(
        self,
        measured: _Measured,
        statistic: str | None,
        conditions: Mapping[str, Statements],
        kept: Sequence[int],
        found: Sequence[Number],
    ) -> Block:
        cells = self._cells
        declared = self._entry.source.metrics.get(measured.metric)
        rows = self._rows.rows
        if len(kept) < len(rows):
            rows = [rows[number] for number in kept]
            conditions = {name: [those[number] for number in kept] for name, those in conditions.items()}
        block = Block(
            self._rows.table, self._heading.text, measured.metric, measured.canonical, found[0].item, measured.unit,
            statistic, declared.higher_is_better if declared else None,
            rows, (), (), dict(conditions), self._rows.ignored,
        )  # fmt: skip
        block.values = [one.quantity for one in found]
        block.places = [
            (one.text, cells.lines[number], cells.starts[number] + one.start)
            for number, one in zip(kept, found, strict=True)
        ]
        self._state_unit(block, found)
        if statistic and all(one and one.level == "mapping" for one in block.conditions[STATISTIC]):
            block.conditions[STATISTIC] = [_statistic_in(self._heading, statistic)] * len(kept)
        return block

    def _state_unit(self, block: Block, found: Sequence[Number]) -> None:
        """Say where the unit is printed: in the cells, in a column of units, in the heading, or nowhere."""
        stated, own = block.conditions.pop(UNIT, []), found[0].unit
        if own is None:
            # A time in parts prints its units itself.
            block.unit_printed = ""
        elif own:
            block.unit_printed = own
            block.conditions[UNIT] = [
                Statement(own, "cell", own, line, start + one.unit_at)
                for (_, line, start), one in zip(block.places, found, strict=True)
            ]
        elif stated and all(one and one.level in ("row", "cell") for one in stated):
            block.conditions[UNIT] = stated
        elif unit := block.unit_printed:
            cell = unit_in(self._heading.parts, unit)
            one = Statement(cell.text, "column_heading", cell.text, cell.line, cell.start) if cell else None
            block.conditions[UNIT] = [one or Statement(unit, "mapping")] * len(block.rows)
            block.unit_printed = cell.text if cell else unit


def _statistic_in(heading: Heading, statistic: str) -> Statement:
    """Where a heading prints a statistic: the number of a percentile, or the word itself."""
    wanted = statistic.removeprefix("p") if statistic[1:2].isdigit() else statistic
    for word in (wanted, "median") if statistic == "p50" else (wanted,):
        if (at := heading.text.casefold().find(word)) >= 0:
            cell = heading.part(at, at + len(word))
            return Statement(statistic, "column_heading", cell.text, cell.line, cell.start)
    return Statement(statistic, "mapping")
