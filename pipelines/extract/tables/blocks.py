"""What a mapping makes of a document: numbers with their conditions, and what is refused.

One benchmark, one value: different numbers of a document with equal conditions are refused here. How numbers are read
belongs in `apply.py`, how they become rows in `measurements.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.extract.conditions import Column, Statements
from pipelines.extract.rows import Reject
from pipelines.extract.tables.claims import ClaimedTable
from pipelines.extract.tables.mapping import UNIT
from pipelines.extract.tables.printed import Passage, PrintedTable
from pipelines.extract.tables.statements import SHOWN
from pipelines.read.document import Cell
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.dimensions import Identity, identity_of

_LISTED = 8


@dataclass
class NumberBlock:
    """Numbers of one column that are read one way; rows, values, places and conditions have an item for each.

    Attributes:
        unit: Canonical unit of the metric.
        item: What is counted, or None.
        unit_printed: The unit as printed beside them or in the heading, else as the mapping writes it.
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
        lists: dict[str, Any] = {
            name: [column[at] for at in kept] for name, column in vars(self).items() if isinstance(column, list)
        }
        conditions = {name: [column[at] for at in kept] for name, column in self.conditions.items()}
        return replace(self, conditions=conditions, **lists)


@dataclass
class Result:
    """What a mapping makes of a document: its tables, the numbers that are read, and what is refused.

    `claims` and `refused` hold by the place of a table in `tables` the claim on one that is read or skipped, and the
    rule by which the numbers of one are not read.
    """

    tables: Sequence[PrintedTable]
    statements: Statements = field(default_factory=Statements)
    blocks: list[NumberBlock] = field(default_factory=list)
    refusals: list[Reject] = field(default_factory=list)
    claims: dict[int, ClaimedTable] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)

    def heading(self, number: int) -> Passage | None:
        """The heading of a table."""
        return self.claims[number].heading if number in self.claims else self.tables[number].heading

    def refuse(self, number: int, rule: str, reason: str, cell: Cell | None = None) -> None:
        """Refuse a whole table."""
        table = self.tables[number]
        if cell is None:
            places = ((r, c) for r, row in enumerate(table.texts) for c, text in enumerate(row) if text)
            cell = next((table.cell(*place) for place in places), Cell("", table.first_line, 0, 0))
        headings = next((row for n, row in enumerate(table.texts) if not table.is_rule(n) and len(set(row)) > 1), ())
        names = ", ".join(repr(text[:SHOWN]) for text in dict.fromkeys(headings) if text) or "no headings"
        reason = f"{reason}. The table has {table.count_numbers()} numbers below {names}"
        self.refused[number] = rule
        self.refusals.append(Reject(cell=cell, rule=rule, reason=reason, scope="table"))


# A number: its block, and its place there.
_Place = tuple[NumberBlock, int]


def refuse_ambiguous(result: Result) -> None:
    """Refuse different numbers of which all conditions are equal, and say what is printed that would tell them apart.

    Where something does, the mapping leaves it out, and the tables are refused whole; where nothing does, the page
    contradicts itself, and these numbers alone are refused.
    """
    alone: dict[int, set[int]] = defaultdict(set)
    by_table: dict[int, list[tuple[_Place, _Place, str]]] = defaultdict(list)
    for pair in _equal_pairs(result):
        if told := _telling(*pair):
            for key in {id(block.table) for block, _ in pair}:
                by_table[key].append((*pair, told))
            continue
        reason = f"{' and '.join(map(_shown, pair))} have equal conditions, and nothing printed tells them apart"
        for block, at in pair:
            alone[id(block)].add(at)
            result.refusals.append(block.table.reject_row(block.rows[at], "ambiguous", reason, block.cell(at)))
    for number, table in enumerate(result.tables):
        if pairs := by_table.get(id(table)):
            first, second, told = pairs[0]
            reason = (
                f"{len(pairs)} pairs of different numbers have equal conditions, as {_shown(first)} and "
                f"{_shown(second)}: the mapping leaves out what tells them apart ({told})"
            )
            block, at = second if second[0].table is table else first
            result.refuse(number, "ambiguous", reason, block.cell(at))
    kept = (block for block in result.blocks if id(block.table) not in by_table)
    result.blocks = [block.without(alone[id(block)]) if id(block) in alone else block for block in kept]


def _equal_pairs(result: Result) -> Iterator[tuple[_Place, _Place]]:
    """Pairs of different numbers of one metric that have equal conditions."""
    stated = {name for block in result.blocks for name in block.conditions} - {UNIT}
    names = sorted(name for name in stated if identity_of(name) is not Identity.NONE)
    alike: dict[tuple[object, ...], list[NumberBlock]] = defaultdict(list)
    for block in result.blocks:
        alike[block.metric, block.statistic, block.item].append(block)
    for blocks in alike.values():
        places = [(block, at) for block in blocks for at in range(len(block.rows))]
        columns = [
            [
                value
                for block in blocks
                for value in result.statements.values_of(block.conditions.get(name) or [0] * len(block.rows))
            ]
            for name in names
        ]
        keys = list(zip(*columns, strict=True)) if names else [()] * len(places)
        first: dict[tuple[str | None, ...], _Place] = {}
        for place, key in zip(places, keys, strict=True) if len(set(keys)) < len(keys) else ():
            other = first.setdefault(key, place)
            if other[0].values[other[1]].value != place[0].values[place[1]].value:
                yield other, place


def _shown(place: _Place) -> str:
    cell = place[0].cell(place[1])
    return f"{cell.text!r} in line {cell.line}"


def _telling(first: _Place, second: _Place) -> str:
    """The ignored columns, the headings, or the words above, in which two numbers differ; nothing where none do."""
    one, other = first[0], second[0]
    if one.table is not other.table:
        texts = ([passage.text for passage in block.table.near] for block in (one, other))
        above = [f"above: {a[:SHOWN]!r} or {b[:SHOWN]!r}" for a, b in zip(*texts, strict=False) if a != b]
        return "; ".join(above[:2]) or "they are in two tables"
    table, places = one.table, (one.rows[first[1]], other.rows[second[1]])
    a_row, another = (table.texts[row] for row in places)
    ignored = [at for at, heading in enumerate(one.claim.headings) if heading.is_ignored]
    pairs = [("an ignored column", a_row[at], another[at]) for at in ignored if at < min(len(a_row), len(another))]
    titles = [next((max(t) for t in table.texts[row::-1] if len({*t} - {""}) == 1), "") for row in places]
    words = [f"{what}: {a[:SHOWN]!r} or {b[:SHOWN]!r}" for what, a, b in (*pairs, ("a title", *titles)) if a != b]
    if one.heading != other.heading:
        words.append(f"the headings {one.heading!r} and {other.heading!r}")
    return "; ".join(words[:_LISTED])
