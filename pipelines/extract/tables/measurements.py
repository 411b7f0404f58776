"""The numbers that a mapping reads in a document, as rows with their conditions, and the rejects.

Different numbers of a document with equal conditions are refused here. How numbers are read belongs
in `apply.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pipelines.extract.conditions import NumberedConditions, Stated, fields_of
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.rows import Condition, Measurement, Price, Reject, RowColumns, interval
from pipelines.extract.tables.claims import ClaimedTable
from pipelines.extract.tables.mapping import UNIT
from pipelines.extract.tables.printed import PrintedTable, rejected
from pipelines.extract.tables.statements import SHOWN, read_condition
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
        unit_printed: The unit as printed in the cell or the heading, else as written in the mapping.
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
    unit_printed: str
    quantity: Quantity
    cell: Cell
    conditions: dict[str, Stated]

    @property
    def table(self) -> PrintedTable:
        """The table that it is in."""
        return self.claim.table


@dataclass
class Result:
    """The result of a mapping on a document: its tables, the numbers, and the rejects.

    `claims`, `refused` and `notes` have the claim of a table, the rule that refuses it, and
    sentences for a preview, by its index in `tables`.
    """

    tables: Sequence[PrintedTable]
    numbers: list[MeasuredNumber] = field(default_factory=list)
    refusals: list[Reject] = field(default_factory=list)
    claims: dict[int, ClaimedTable] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)

    def refuse(self, number: int, rule: str, reason: str, cell: Cell | None = None) -> None:
        """Refuse a whole table."""
        table, claim = self.tables[number], self.claims.get(number)
        if cell is None:
            places = (
                (r, c) for r, row in enumerate(table.texts) for c, text in enumerate(row) if text
            )
            cell = next((table.cell(*place) for place in places), Cell("", table.first_line, 0, 0))
        headings = next(
            (
                row
                for n, row in enumerate(table.texts)
                if not table.is_rule(n) and len(set(row)) > 1
            ),
            (),
        )
        names = (
            ", ".join(repr(text[:SHOWN]) for text in dict.fromkeys(headings) if text)
            or "no headings"
        )
        reason = f"{reason}. The table has {table.count_numbers()} numbers below {names}"
        self.refused[number] = rule
        section = claim.section if claim else table.section
        self.refusals.append(rejected([cell.text], cell, rule, reason, scope="table", **section))


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
    for at, table in enumerate(result.tables):
        if pairs := by_table.get(id(table)):
            first, second, told = pairs[0]
            reason = (
                f"{len(pairs)} pairs of different numbers have the same conditions, such as {_shown(first)} and "
                f"{_shown(second)}: the mapping leaves out what tells them apart ({told})"
            )
            number = second if second.table is table else first
            result.refuse(at, "ambiguous", reason, number.cell)
    result.numbers = [
        number
        for number in result.numbers
        if id(number.table) not in by_table and id(number) not in alone
    ]


def _equal_pairs(result: Result) -> Iterator[tuple[MeasuredNumber, MeasuredNumber]]:
    """Pairs of different numbers of one metric that have equal conditions."""
    seen: dict[object, MeasuredNumber] = {}
    for number in result.numbers:
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


def to_rows(document: Document, result: Result) -> Extraction:
    """The result of a mapping as rows, with the accounting of its tables."""
    extraction, conditions = Extraction(), NumberedConditions()
    text = "\n".join(document.texts)
    defines_pairs = "X.Y" in text and _PAIR_NOTE.search(text) is not None
    rows = [_row_of(number, conditions, defines_pairs) for number in result.numbers]
    measurements = [row for row in rows if isinstance(row, Measurement)]
    prices = [row for row in rows if isinstance(row, Price)]
    stated = [_with_printed_value(row) for row in conditions.rows]
    # Their ranges are checked already.
    extraction.columns = [RowColumns.of(kind) for kind in (measurements, prices, stated) if kind]
    extraction.rows += result.refusals
    for number in range(len(result.tables)):
        _account(extraction, result, number)
    return extraction


def _with_printed_value(row: Condition) -> Condition:
    """A condition, with its printed characters where only the mapping gives them its value."""
    text = row.cell.text
    if not text or text == row.value or _says(row.dimension, text, row.value):
        return row
    return replace(row, value_printed=text)


@lru_cache(1 << 16)
def _says(name: str, text: str, value: str) -> bool:
    """Whether a printed text has this value itself, and not through the mapping."""
    try:
        return read_condition(name, " ".join(text.split())) == value
    except ValueError:
        return False


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
        unit_printed=number.unit_printed or None,
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
        if one := number.conditions.get(whole):
            for name, value, low, high in _parts_of(one.cell.text, one.value):
                found[name] = Stated(name, value, one.cell.part(low, high), one.level)
    return found | number.conditions


@lru_cache(1 << 16)
def _parts_of(text: str, value: str) -> tuple[tuple[str, str, int, int], ...]:
    found = []
    # A value given by the mapping replaces the whole text.
    for name, (low, high) in places_in(text).items() if value == " ".join(text.split()) else ():
        try:
            found.append((name, read_condition(name, text[low:high]), low, high))
        except ValueError:
            continue
    return tuple(found)


def _account(extraction: Extraction, result: Result, number: int) -> None:
    """Account for the lines and cells of a table that are not in a row."""
    table, claim, rule = (
        result.tables[number],
        result.claims.get(number),
        result.refused.get(number),
    )
    if claim is None and not table.holds_numbers:
        return
    extraction.lines.update(*table.lines)
    read = None if claim is None or rule or claim.entry.skip else claim
    status: Status = "unparsed" if rule else "ignored"
    for row, texts in enumerate(table.texts):
        if read is None or row in read.skipped:
            left = [at for at, text in enumerate(texts) if any(map(str.isdecimal, text))]
        else:
            left = [at for at in read.ignored if at < len(texts)]
        extraction.marks += [
            Mark(table.cell(row, at), status, rule or "mapping_ignores") for at in left
        ]
    if read:
        extraction.roles |= {
            part.line: _HEADING for heading in read.headings for part in heading.passage.pieces
        }
        parts = [at for at, heading in enumerate(read.headings) if heading.reads_parts]
        unread = unread_numbers(result, read, parts) if parts else ()
        extraction.marks += [Mark(cell, "unparsed", "unread_part") for cell in unread]


def unread_numbers(result: Result, claim: ClaimedTable, columns: Collection[int]) -> Iterator[Cell]:
    """The numbers in some columns that are neither a value nor a condition; digits within a word
    are no number.
    """
    table = claim.table
    taken: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number in result.numbers:
        if number.table is table:
            for cell in (number.cell, *(one.cell for one in number.conditions.values())):
                taken[cell.line].append((cell.start, cell.end))
    for row in range(claim.first, len(table.texts)):
        for at in columns if row not in claim.skipped else ():
            text = table.texts[row][at] if at < len(table.texts[row]) else ""
            if claim.entry.is_missing(text):
                continue
            cell = table.cell(row, at)
            for match in _NUMERAL.finditer(text):
                start = cell.start + match.start()
                if not any(low <= start < high for low, high in taken[cell.line]):
                    yield cell.matched(match)
