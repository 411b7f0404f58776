"""Tables of a program that prints the heading of each value before it: `resnet18  min =  61.13  max =  61.84`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipelines.read.document import Cell, Line
from pipelines.read.text_grids.delimited import DelimitedTable

# `min =   11.73`, `max = 34.283 ms`; behind it stands the next one, or nothing
_PAIR = re.compile(
    r"(?P<key>[A-Za-z][\w.%]{0,30})\s{0,8}=\s{0,12}(?P<value>[-+]?\d[\d.,]{0,20}(?:\s?[A-Za-z%][\w/%]{0,12})?)(?=,?\s{2,}|\s*$)"
)
_DIGITS = re.compile(r"\d+")
# One value beside a name is a setting.
_MIN_PAIRS = 2
_MIN_ROWS = 3


def key_value_tables(lines: Sequence[Line]) -> Iterator[DelimitedTable]:
    """The tables in these lines, in order: rows follow each other, name the same keys, begin with names that differ.

    The keys of the first row are the headings. Steps of a log, which differ by their number alone, are none.
    """
    block: list[tuple[Line, list[Cell]]] = []
    for line in lines:
        cells = _cells(line) if "=" in line.text else []
        follows = bool(block) and line.number == block[-1][0].number + 1 and _keys(cells) == _keys(block[0][1])
        if block and not follows:
            yield from _table(block)
            block = []
        if cells:
            block.append((line, cells))
    yield from _table(block)


def _cells(line: Line) -> list[Cell]:
    """The name at the beginning of a line, then keys and values in turn; none where anything else stands there."""
    pairs = list(_PAIR.finditer(line.text))
    if len(pairs) < _MIN_PAIRS or any(
        line.text[left.end() : right.start()].strip(" \t,") for left, right in pairwise(pairs)
    ):
        return []
    name = line.text[: pairs[0].start()]
    if not name.strip() or not name[-1].isspace() or "=" in name:
        return []
    start = len(name) - len(name.lstrip())
    cells = [line.cell.part(start - line.cell.start, len(name.rstrip()) - line.cell.start)]
    for pair in pairs:
        cells += [line.matched(pair, "key"), line.matched(pair, "value")]
    return cells


def _keys(cells: Sequence[Cell]) -> list[str]:
    return [cell.text for cell in cells[1::2]]


def _table(block: Sequence[tuple[Line, list[Cell]]]) -> Iterator[DelimitedTable]:
    names = {_DIGITS.sub("", cells[0].text) for _, cells in block}
    if len(block) < _MIN_ROWS or len(names) * 2 <= len(block):
        return
    first = block[0][1]
    headings = (Cell("", first[0].line, first[0].start, first[0].start), *first[1::2])
    rows = tuple((cells[0], *cells[2::2]) for _, cells in block)
    yield DelimitedTable((headings, *rows), 1, "key_values", block[0][0].number, block[-1][0].number)
