"""One benchmark, one value: different numbers of a document with equal conditions are refused."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import repeat

from pipelines.extract.tables.apply import Block, Refusal, Result
from pipelines.extract.tables.claims import counted
from pipelines.extract.tables.mapping import UNIT
from pipelines.vocabulary.dimensions import Identity, identity_of

# A number: its block, and its place there.
_Place = tuple[int, int]
_SHOWN, _LISTED = 60, 8


def refuse_ambiguous(result: Result) -> None:
    """Refuse different numbers of which all conditions are equal, and say what is printed that would tell them apart.

    Where something does, the mapping leaves it out, and the tables are refused whole; where nothing does, the page
    contradicts itself, and these numbers alone are refused.
    """
    alone: set[_Place] = set()
    by_table: dict[int, list[tuple[_Place, _Place, str]]] = defaultdict(list)
    places = {id(table): number for number, table in enumerate(result.tables)}
    for first, second in _equal_pairs(result.blocks):
        blocks = result.blocks[first[0]], result.blocks[second[0]]
        if told := _telling(blocks[0], first[1], blocks[1], second[1]):
            for number in {places[id(block.table)] for block in blocks}:
                by_table[number].append((first, second, told))
        else:
            alone |= {first, second}
            pair = f"{_shown(result, first)} and {_shown(result, second)}"
            reason = f"{pair} have equal conditions, and nothing printed tells them apart"
            for place, block in zip((first, second), blocks, strict=True):
                row = tuple(block.table.texts[block.rows[place[1]]])
                result.refusals.append(Refusal("ambiguous", reason, block.cell(place[1]), "row", row))
    for number, pairs in by_table.items():
        first, second, told = pairs[0]
        reason = (
            f"{len(pairs)} pairs of different numbers have equal conditions, as {_shown(result, first)} and "
            f"{_shown(result, second)}: the mapping leaves out what tells them apart ({told})"
        )
        own = next(place for place in (second, first) if result.blocks[place[0]].table is result.tables[number])
        cell = result.blocks[own[0]].cell(own[1])
        result.refuse(number, "ambiguous", counted(result.tables[number], reason), cell)
    whole = {id(result.tables[number]) for number in by_table}
    result.blocks = [
        _without(block, {at for number, at in alone if number == n})
        for n, block in enumerate(result.blocks)
        if id(block.table) not in whole
    ]


def _equal_pairs(blocks: list[Block]) -> list[tuple[_Place, _Place]]:
    """Pairs of different numbers of one metric that have equal conditions."""
    stated = {name for block in blocks for name in block.conditions} - {UNIT}
    names = sorted(name for name in stated if identity_of(name) is not Identity.NONE)
    seen: dict[tuple[object, ...], tuple[float, _Place]] = {}
    pairs = []
    for number, block in enumerate(blocks):
        what = block.metric, block.statistic, block.item
        keys = zip(*(block.values_of(name) for name in names), strict=True) if names else repeat(())
        for at, (quantity, key) in enumerate(zip(block.values, keys, strict=False)):
            value, first = seen.setdefault((what, key), (quantity.value, (number, at)))
            if value != quantity.value:
                pairs.append((first, (number, at)))
    return pairs


def _without(block: Block, places: set[int]) -> Block:
    if not places:
        return block
    kept = [at for at in range(len(block.rows)) if at not in places]
    return replace(
        block,
        rows=[block.rows[at] for at in kept],
        values=[block.values[at] for at in kept],
        cells=[block.cells[at] for at in kept],
        conditions={name: [column[at] for at in kept] for name, column in block.conditions.items()},
    )


def _shown(result: Result, place: _Place) -> str:
    cell = result.blocks[place[0]].cell(place[1])
    return f"{cell.text!r} in line {cell.line}"


def _telling(one: Block, row: int, other: Block, row_of_other: int) -> str:
    """The ignored columns, the headings, or the words above, in which two numbers differ; nothing where none do."""
    if one.table is not other.table:
        texts = ([passage.text for passage in block.table.near] for block in (one, other))
        differing = [(a, b) for a, b in zip(*texts, strict=False) if a != b]
        return (
            "; ".join(f"above: {a[:_SHOWN]!r} or {b[:_SHOWN]!r}" for a, b in differing[:2]) or "they are in two tables"
        )
    first, second = one.table.texts[one.rows[row]], one.table.texts[other.rows[row_of_other]]
    columns = [at for at in one.ignored if at < min(len(first), len(second)) and first[at] != second[at]]
    words = [f"an ignored column: {first[at][:_SHOWN]!r} or {second[at][:_SHOWN]!r}" for at in columns]
    if one.heading != other.heading:
        words.append(f"the headings {one.heading!r} and {other.heading!r}")
    return "; ".join(words[:_LISTED])
