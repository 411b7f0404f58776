"""Rows with two cells in each other's place, as the other rows tell: each cell could be the other column's, too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations

from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.nothing import is_nothing
from pipelines.read.document import Cell

_Row = tuple[Cell, ...]
# Fewer other rows show no habit.
_MIN_OTHERS = 3
# `58,112`, `97` and `2.56`, `0.77`
_WHOLE = re.compile(r"\d{1,3}(?:,\d{3})*|\d+")
_DECIMAL = re.compile(r"\d+\.\d+")


def swapped_rows(tables: Sequence[ResultTable]) -> Iterator[tuple[ResultTable, int, str]]:
    """The rows of these tables that have two cells swapped: table, position of the row, reason."""
    pairs = Counter(pair for table in tables for pair in _names(table) if pair)
    for table in tables:
        for position, pair in enumerate(_names(table)):
            if pair and 0 < pairs[pair] <= pairs[pair[::-1]]:
                model, variant = pair
                yield table, position, f"{model!r} and {variant!r} stand the other way round in other rows"
        values = [place for place, heading in enumerate(table.headings) if heading.is_value]
        for whole, decimal in permutations(values, 2):
            odd = _with_values_swapped(table.rows, whole, decimal)
            if odd is not None:
                names = (" ".join(table.headings[place].cell.text.split()) for place in (whole, decimal))
                reason = "the values of the columns {!r} and {!r} look like each other's".format(*names)
                yield table, odd, reason


def _names(table: ResultTable) -> list[tuple[str, str] | None]:
    """Model and variant of each row, None where one of them is blank or the table has no such columns."""
    columns = [heading.column for heading in table.headings]
    if "model" not in columns or "variant" not in columns:
        return []
    places = columns.index("model"), columns.index("variant")
    found: list[tuple[str, str] | None] = []
    for row in table.rows:
        model, variant = (row[place].text.strip() for place in places)
        is_stated = not any(is_nothing(row[place]) for place in places) and model != variant
        found.append((model, variant) if is_stated else None)
    return found


def _with_values_swapped(rows: Sequence[_Row], whole: int, decimal: int) -> int | None:
    """The one row with a decimal among whole numbers and a whole number among decimals."""
    stated = [n for n, row in enumerate(rows) if not is_nothing(row[whole]) and not is_nothing(row[decimal])]
    odd = [n for n in stated if not _WHOLE.fullmatch(rows[n][whole].text.strip())]
    if len(odd) != 1 or len(stated) <= _MIN_OTHERS:
        return None
    others = [rows[n] for n in stated if n != odd[0]]
    is_swapped = _DECIMAL.fullmatch(rows[odd[0]][whole].text.strip()) and _WHOLE.fullmatch(
        rows[odd[0]][decimal].text.strip()
    )
    return odd[0] if is_swapped and all(_DECIMAL.fullmatch(row[decimal].text.strip()) for row in others) else None
