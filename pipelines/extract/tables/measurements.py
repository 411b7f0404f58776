"""The numbers that a mapping reads in a document, as rows with their conditions, and the rejects.

Different numbers of a document with equal conditions are refused here. How numbers are read belongs
in `apply.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain

from pipelines.extract.conditions import NumberedConditions, Stated, fields_of
from pipelines.extract.contract import Extraction, Mark
from pipelines.extract.rows import Condition, Measurement, Price, Reject, interval
from pipelines.extract.tables.claims import ClaimedTable, TableError
from pipelines.extract.tables.language import SHOWN, UNIT, read_condition
from pipelines.extract.tables.printed import PrintedTable, rejected
from pipelines.read.document import Cell, Document
from pipelines.values.numbers import NUMBER
from pipelines.values.quantity import Quantity
from pipelines.values.variants import places_in
from pipelines.vocabulary.dimensions import Identity, identity_of

_LISTED = 8
# `X is the precision for storing the activations & gradients, and Y is ... the weights`
_PAIR_NOTE = re.compile(
    r"\bX\.Y\b[^\n]{0,200}?\bX\b[^\n.;]{0,200}activation[^\n]{0,200}\bY\b[^\n]{0,200}weight",
    re.IGNORECASE,
)
# `0.3`; the digits of `p99` are part of a word
_NUMERAL = re.compile(rf"(?<![\w.]){NUMBER}")
_HEADING = ("table_header", "table_heading")
_places_in = lru_cache(1 << 14)(places_in)
# Conditions that the vocabulary adds to a row.
_FOLLOWING = ("suite", "accelerator_count")


@dataclass
class MeasuredNumber:
    """A measured number of a table.

    Attributes:
        row: Its row in the table.
        heading: The heading of its column.
        unit: Canonical unit of the metric.
        item: What is counted, or None.
        quantity: Its value in the canonical unit.
        cell: Its printed characters.
        conditions: Its conditions by dimension.
    """

    claim: ClaimedTable
    row: int
    heading: str
    metric: str
    statistic: str | None
    unit: str
    item: str | None
    quantity: Quantity
    cell: Cell
    conditions: dict[str, Stated]

    @property
    def table(self) -> PrintedTable:
        """The table that it is in."""
        return self.claim.table


@dataclass
class TableReading:
    """What a mapping makes of a table.

    Attributes:
        claim: The entry that claims it, with its headings; None for a table without one.
        rule: The rule that refuses it; "" for a table that is read.
        numbers: The numbers that are read.
        notes: What a preview says about the reading, in sentences.
    """

    table: PrintedTable
    claim: ClaimedTable | None = None
    rule: str = ""
    numbers: list[MeasuredNumber] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def refuse(self, error: TableError) -> Reject:
        """Refuse the whole table."""
        self.rule, self.numbers, table = error.rule, [], self.table
        printed = (cell for cell in chain(*table.rows) if cell.text)
        cell = error.cell or next(printed, Cell("", table.first_line, 0, 0))
        rows = (row for n, row in enumerate(table.texts) if not table.is_rule(n))
        headings = next((row for row in rows if len(set(row)) > 1), ())
        names = ", ".join(repr(text[:SHOWN]) for text in dict.fromkeys(headings) if text)
        count = f"The table has {table.count_numbers()} numbers below {names or 'no headings'}"
        section = (self.claim or table).section
        reason = f"{error.reason}. {count}"
        return rejected([cell.text], cell, error.rule, reason, scope="table", **section)


@dataclass
class Result:
    """What a mapping makes of a document: its tables in order, and the rejects."""

    tables: Sequence[TableReading]
    refusals: list[Reject] = field(default_factory=list)


def refuse_ambiguous(result: Result) -> None:
    """Refuse different numbers with equal conditions; the reason names the printed text that
    distinguishes them.

    If a text does, the mapping is incomplete, and the whole tables are refused; if none does, the
    page contradicts itself, and only these numbers are refused.
    """
    alone: set[int] = set()
    by_table: dict[int, list[tuple[MeasuredNumber, MeasuredNumber, str]]] = defaultdict(list)
    for first, second in _equal_pairs(result):
        if told := _telling(first, second):
            for key in {id(first.table), id(second.table)}:
                by_table[key].append((first, second, told))
            continue
        reason = f"{_shown(first)} and {_shown(second)} have the same conditions, and no printed text distinguishes them"
        for number in (first, second):
            alone.add(id(number))
            reject = number.claim.reject_row(number.row, "ambiguous", reason, number.cell)
            result.refusals.append(reject)
    for reading in result.tables:
        reading.numbers = [number for number in reading.numbers if id(number) not in alone]
        if pairs := by_table.get(id(reading.table)):
            first, second, told = pairs[0]
            reason = (
                f"{len(pairs)} pairs of different numbers have the same conditions, such as {_shown(first)} and "
                f"{_shown(second)}: the mapping leaves out what tells them apart ({told})"
            )
            number = second if second.table is reading.table else first
            error = TableError("ambiguous", reason, number.cell)
            result.refusals.append(reading.refuse(error))


def _equal_pairs(result: Result) -> Iterator[tuple[MeasuredNumber, MeasuredNumber]]:
    """Pairs of different numbers of one metric that have equal conditions."""
    seen: dict[object, MeasuredNumber] = {}
    for number in chain.from_iterable(reading.numbers for reading in result.tables):
        identity = frozenset(
            (name, one.value)
            for name, one in number.conditions.items()
            if name != UNIT and identity_of(name) is not Identity.NONE
        )
        key = number.metric, number.statistic, number.item, identity
        other = seen.setdefault(key, number)
        if other.quantity.value != number.quantity.value:
            yield other, number


def _shown(number: MeasuredNumber) -> str:
    return f"{number.cell.text!r} in line {number.cell.line}"


def _telling(first: MeasuredNumber, second: MeasuredNumber) -> str:
    """The ignored columns, headings or texts above in which two numbers differ; "" if there are
    none.
    """
    table = first.table
    if table is not second.table:
        pairs = zip(table.near, second.table.near, strict=False)
        above = [
            f"above: {a.text[:SHOWN]!r} or {b.text[:SHOWN]!r}" for a, b in pairs if a.text != b.text
        ]
        return "; ".join(above[:2]) or "they are in two tables"
    row, other = table.texts[first.row], table.texts[second.row]
    shared = [at for at in first.claim.ignored if at < min(len(row), len(other))]
    compared = [("an ignored column", row[at], other[at]) for at in shared]
    compared.append(("a title", _title_over(table, first.row), _title_over(table, second.row)))
    words = [f"{what}: {a[:SHOWN]!r} or {b[:SHOWN]!r}" for what, a, b in compared if a != b]
    if first.heading != second.heading:
        words.append(f"the headings {first.heading!r} and {second.heading!r}")
    return "; ".join(words[:_LISTED])


def _title_over(table: PrintedTable, row: int) -> str:
    """The one text of the nearest row that has one, at a row or above it."""
    for texts in table.texts[row::-1]:
        if len({*texts} - {""}) == 1:
            return max(texts)
    return ""


# Rows


def to_rows(document: Document, result: Result, printed: int | None = None) -> Extraction:
    """The result of a mapping as rows, with the accounting of its tables.

    Args:
        document: The document.
        result: The result.
        printed: How many tables are printed, if the others are charts, whose lines have a role.
    """
    extraction, conditions = Extraction(), NumberedConditions()
    text = "\n".join(document.texts)
    defines_pairs = "X.Y" in text and _PAIR_NOTE.search(text) is not None
    numbers = chain.from_iterable(reading.numbers for reading in result.tables)
    rows = [_row_of(number, conditions, defines_pairs) for number in numbers]
    extraction.rows = [*rows, *map(_with_printed_value, conditions.rows), *result.refusals]
    for reading in result.tables[:printed]:
        _account(extraction, reading)
    return extraction


def _with_printed_value(row: Condition) -> Condition:
    """A condition, with its printed characters where only the mapping gives them its value."""
    text = row.cell.text
    try:
        read = read_condition(row.dimension, " ".join(text.split())) if text else row.value
    except ValueError:
        read = None
    return row if row.value in (text, read) else replace(row, value_printed=text)


def _row_of(
    number: MeasuredNumber, numbered: NumberedConditions, defines_pairs: bool
) -> Measurement | Price:
    conditions, section = number.conditions, number.claim.section
    values = {name: one.value for name, one in conditions.items()}
    fields = fields_of(values, defines_pairs=defines_pairs, is_row=True)
    if number.metric == "price":
        return Price(
            cell=number.cell,
            **section,
            platform_printed=fields["platform_printed"],
            price_usd=number.quantity.value,
            price_low_usd=number.quantity.low,
            price_high_usd=number.quantity.high,
            bound=number.quantity.bound,
        )
    # Conditions that follow from others by the vocabulary are not printed.
    following = [
        Stated(name, str(fields[name]), level="vocabulary")
        for name in _FOLLOWING
        if fields[name] and name not in conditions
    ]
    stated = [*following, *conditions_of(number).values()]
    declared = number.claim.entry.source.metrics.get(number.metric)
    headings = dict.fromkeys(filter(None, number.table.texts[0]))
    return Measurement(
        cell=number.cell,
        **section,
        metric=number.metric,
        statistic=number.statistic,
        **interval(number.quantity, "value"),
        unit=number.unit,
        unit_printed=values.get(UNIT),
        item=number.item,
        row_line=min(number.table.lines[number.row]),
        headings_printed=" | ".join(headings) or None,
        higher_is_better=declared.higher_is_better if declared else None,
        conditions=numbered.numbers(stated, **section),
        **fields,
    )


def conditions_of(number: MeasuredNumber) -> dict[str, Stated]:
    """The conditions of a number, with the stage, phase and sizes in the names of model and
    variant.
    """
    found: dict[str, Stated] = {}
    for whole in ("model", "variant"):
        one = number.conditions.get(whole)
        # A value given by the mapping replaces the whole text.
        if one is None or one.value != " ".join(one.cell.text.split()):
            continue
        for name, (low, high) in _places_in(one.cell.text).items():
            part = one.cell.part(low, high)
            with suppress(ValueError):
                found[name] = Stated(name, read_condition(name, part.text), part, one.level)
    return found | number.conditions


def _account(extraction: Extraction, reading: TableReading) -> None:
    """Account for the lines and cells of a table that are not in a row."""
    table, claim, rule = reading.table, reading.claim, reading.rule
    if claim is None and not table.holds_numbers:
        return
    extraction.lines.update(*table.lines)
    read = None if claim is None or rule or claim.entry.skip else claim
    for number, row in enumerate(table.rows):
        if read is None or number in read.skipped:
            left = [cell for cell in row if any(map(str.isdecimal, cell.text))]
        else:
            left = [row[at] for at in read.ignored if at < len(row)]
        extraction.marks += [Mark(cell, rule or "mapping_ignores") for cell in left]
    if read:
        for heading in read.headings:
            extraction.roles |= {part.line: _HEADING for part in heading.passage.pieces}
        parts = [at for at, heading in enumerate(read.headings) if heading.reads_parts]
        for cell in unread_numbers(reading.numbers, read, parts):
            extraction.marks.append(Mark(cell, "unread_part"))


def unread_numbers(
    numbers: Iterable[MeasuredNumber], claim: ClaimedTable, columns: Collection[int]
) -> Iterator[Cell]:
    """The numbers in some columns of a table that are neither a value nor a condition; digits
    within a word are no number.
    """
    table, printed = claim.table, set[Cell]()
    for number in numbers if columns else ():
        printed.update([number.cell], [one.cell for one in number.conditions.values()])
    taken: set[tuple[int, int]] = set()
    for cell in printed:
        taken.update((cell.line, at) for at in range(cell.start, cell.end))
    for row in range(claim.first, len(table.rows)):
        for at in columns if row not in claim.skipped else ():
            cell = table.cell(row, at) if at < len(table.rows[row]) else Cell("", 0, 0, 0)
            if not claim.entry.is_missing(cell.text):
                for match in _NUMERAL.finditer(cell.text):
                    if (cell.line, cell.start + match.start()) not in taken:
                        yield cell.matched(match)
