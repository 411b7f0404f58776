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
from itertools import repeat
from operator import attrgetter
from typing import Any

from pipelines.extract.conditions import Column, Stated, Statements, columns_of
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.rows import Measurement, Price, Reject, RowColumns
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
class NumberBlock:
    """Numbers of one column with the same metric and unit; the lists have one item per number.

    Attributes:
        unit: Canonical unit of the metric.
        item: What is counted, or None.
        unit_printed: The unit as printed in the cells or the heading, else as written in the
            mapping.
        texts: Printed characters of each, with their `lines` and `starts`.
    """

    claim: ClaimedTable
    heading: str
    metric: str
    unit: str
    item: str | None
    unit_printed: str
    statistic: str | None
    rows: list[int]
    values: list[Quantity]
    texts: list[str]
    lines: list[int]
    starts: list[int]
    conditions: dict[str, Column]

    @property
    def table(self) -> PrintedTable:
        """The table that they are in."""
        return self.claim.table

    def cell(self, number: int) -> Cell:
        """The characters of a number."""
        text, start = self.texts[number], self.starts[number]
        return Cell(text, self.lines[number], start, start + len(text))

    def without(self, refused: Collection[int]) -> NumberBlock:
        """The block without some numbers."""
        kept = [number for number in range(len(self.rows)) if number not in refused]
        lists = [(name, column) for name, column in vars(self).items() if isinstance(column, list)]
        changed: dict[str, Any] = {name: [column[at] for at in kept] for name, column in lists}
        changed["conditions"] = {
            name: [column[at] for at in kept] for name, column in self.conditions.items()
        }
        return replace(self, **changed)


@dataclass
class Result:
    """The result of a mapping on a document: its tables, the numbers, and the rejects.

    `claims`, `refused` and `notes` have the claim of a table, the rule that refuses it, and
    sentences for a preview, by its index in `tables`.
    """

    tables: Sequence[PrintedTable]
    statements: Statements = field(default_factory=Statements)
    blocks: list[NumberBlock] = field(default_factory=list)
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


# A number: its block, and its index there.
_Place = tuple[NumberBlock, int]


def refuse_ambiguous(result: Result) -> None:
    """Refuse different numbers with equal conditions; the reason names the printed text that
    distinguishes them.

    If a text does, the mapping is incomplete, and the whole tables are refused; if none does, the
    page contradicts itself, and only these numbers are refused.
    """
    alone: dict[int, set[int]] = defaultdict(set)
    by_table: dict[int, list[tuple[_Place, _Place, str]]] = defaultdict(list)
    for pair in _equal_pairs(result):
        if told := _telling(*pair):
            for key in {id(block.table) for block, _ in pair}:
                by_table[key].append((*pair, told))
            continue
        reason = f"{' and '.join(map(_shown, pair))} have the same conditions, and no printed text distinguishes them"
        for block, at in pair:
            alone[id(block)].add(at)
            result.refusals.append(
                block.claim.reject_row(block.rows[at], "ambiguous", reason, block.cell(at))
            )
    for number, table in enumerate(result.tables):
        if pairs := by_table.get(id(table)):
            first, second, told = pairs[0]
            reason = (
                f"{len(pairs)} pairs of different numbers have the same conditions, such as {_shown(first)} and "
                f"{_shown(second)}: the mapping leaves out what tells them apart ({told})"
            )
            block, at = second if second[0].table is table else first
            result.refuse(number, "ambiguous", reason, block.cell(at))
    kept = (block for block in result.blocks if id(block.table) not in by_table)
    result.blocks = [
        block.without(alone[id(block)]) if id(block) in alone else block for block in kept
    ]


def _equal_pairs(result: Result) -> Iterator[tuple[_Place, _Place]]:
    """Pairs of different numbers of one metric that have equal conditions."""
    stated = {name for block in result.blocks for name in block.conditions} - {UNIT}
    names = sorted(name for name in stated if identity_of(name) is not Identity.NONE)
    seen: dict[tuple[str | None, ...], dict[tuple[str | None, ...], _Place]] = defaultdict(dict)
    for block in result.blocks:
        known, nothing = seen[block.metric, block.statistic, block.item], [0] * len(block.rows)
        columns = (
            result.statements.values_of(block.conditions.get(name, nothing)) for name in names
        )
        for at, key in enumerate(zip(*columns, strict=True) if names else repeat((), len(nothing))):
            other, place = known.setdefault(key, (block, at))
            if other.values[place].value != block.values[at].value:
                yield (other, place), (block, at)


def _shown(place: _Place) -> str:
    cell = place[0].cell(place[1])
    return f"{cell.text!r} in line {cell.line}"


def _telling(first: _Place, second: _Place) -> str:
    """The ignored columns, headings or texts above in which two numbers differ; "" if there are
    none.
    """
    one, other = first[0], second[0]
    if one.table is not other.table:
        texts = ([passage.text for passage in block.table.near] for block in (one, other))
        above = [
            f"above: {a[:SHOWN]!r} or {b[:SHOWN]!r}" for a, b in zip(*texts, strict=False) if a != b
        ]
        return "; ".join(above[:2]) or "they are in two tables"
    table, places = one.table, (one.rows[first[1]], other.rows[second[1]])
    a_row, another = (table.texts[row] for row in places)
    shared = [at for at in one.claim.ignored if at < min(len(a_row), len(another))]
    pairs = [("an ignored column", a_row[at], another[at]) for at in shared]
    titles = [
        next((max(t) for t in table.texts[row::-1] if len({*t} - {""}) == 1), "") for row in places
    ]
    words = [
        f"{what}: {a[:SHOWN]!r} or {b[:SHOWN]!r}"
        for what, a, b in (*pairs, ("a title", *titles))
        if a != b
    ]
    if one.heading != other.heading:
        words.append(f"the headings {one.heading!r} and {other.heading!r}")
    return "; ".join(words[:_LISTED])


# Rows


def to_rows(document: Document, result: Result) -> Extraction:
    """The result of a mapping as rows, with the accounting of its tables."""
    extraction = Extraction()
    text = "\n".join(document.texts)
    defines_pairs = "X.Y" in text and _PAIR_NOTE.search(text) is not None
    for block in result.blocks:
        if block.rows:
            extraction.columns.append(
                _rows_of(block, result.statements, defines_pairs=defines_pairs)
            )
    extraction.rows += result.refusals
    if extraction.columns:
        conditions = result.statements.to_rows()
        facts = (
            conditions.fields["dimension"],
            conditions.fields["value"],
            conditions.texts,
            conditions.lines,
        )
        conditions.fields["value_printed"] = [
            None if not line or text == value or _says(name, text, value) else text
            for name, value, text, line in zip(*facts, strict=True)
        ]
        extraction.columns.append(conditions)
    for number in range(len(result.tables)):
        _account(extraction, result, number)
    return extraction


@lru_cache(1 << 16)
def _says(name: str, text: str, value: str) -> bool:
    """Whether a printed text has this value itself, and not through the mapping."""
    try:
        return read_condition(name, " ".join(text.split())) == value
    except ValueError:
        return False


def _rows_of(block: NumberBlock, statements: Statements, *, defines_pairs: bool) -> RowColumns:
    table, size = block.table, len(block.rows)
    stated_values = {
        name: statements.values_of(column) for name, column in block.conditions.items()
    }
    fields = columns_of(stated_values, size, defines_pairs=defines_pairs)
    value, low, high, bound = zip(
        *map(attrgetter("value", "low", "high", "bound"), block.values), strict=True
    )
    columns: dict[str, Sequence[Any]] = {
        name: [one] * size for name, one in block.claim.section.items()
    }
    if block.metric == "price":
        columns |= {
            "price_usd": value,
            "price_low_usd": low,
            "price_high_usd": high,
            "bound": bound,
        }
        columns["platform_printed"] = fields.get("platform_printed", [None] * size)
    else:
        declared = block.claim.entry.source.metrics.get(block.metric)
        own = {
            "metric": block.metric, "statistic": block.statistic, "unit": block.unit,
            "unit_printed": block.unit_printed or None, "item": block.item,
            "higher_is_better": declared.higher_is_better if declared else None,
            "headings_printed": " | ".join(dict.fromkeys(filter(None, table.texts[0]))) or None,
        }  # fmt: skip
        # Conditions that follow from others by the vocabulary are not printed.
        following: dict[str, Column] = {}
        for name in _FOLLOWING:
            if name in fields and name not in block.conditions:
                stated = {
                    each: statements.add(Stated(name, str(each), level="vocabulary"))
                    for each in {*fields[name]} - {None}
                }
                following[name] = [stated.get(each, 0) for each in fields[name]]
        columns_stated = (following | conditions_of(block, statements)).values()
        numbers = [statements.number(column, **block.claim.section) for column in columns_stated]
        by_row = zip(*numbers, strict=True) if numbers else [()] * size
        of_rows = [tuple(number for number in row if number >= 0) for row in by_row]
        columns |= {name: [one] * size for name, one in own.items()} | fields
        columns |= {
            "value": value,
            "value_low": low,
            "value_high": high,
            "bound": bound,
            "conditions": of_rows,
        }
        columns["row_line"] = [min(table.lines[row]) for row in block.rows]
    kind = Price if block.metric == "price" else Measurement
    return RowColumns(kind, block.texts, block.lines, block.starts, columns)


def conditions_of(block: NumberBlock, statements: Statements) -> dict[str, Column]:
    """The conditions of a block, with the stage, phase and sizes in the names of models and
    variants.
    """
    found: dict[str, Column] = {}
    for whole in ("model", "variant"):
        column = block.conditions.get(whole, [])
        printed = list(
            zip(
                map(statements.texts.__getitem__, column), statements.values_of(column), strict=True
            )
        )
        parts = {each: _parts_of(*each) for each in set(printed) if each[1]}
        for row, each in enumerate(printed) if any(parts.values()) else ():
            for name, value, low, high in parts.get(each, ()):
                one = statements[column[row]]
                part = Stated(name, value, one.cell.part(low, high), one.level)
                found.setdefault(name, [0] * len(printed))[row] = statements.add(part)
    return {**found, **block.conditions}


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
    for block in result.blocks:
        if block.table is table:
            cells = [block.cell(number) for number in range(len(block.rows))]
            used = {one for column in block.conditions.values() for one in column if one}
            for cell in (*cells, *(result.statements[one].cell for one in used)):
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
