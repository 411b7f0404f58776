"""Names of measured quantities outside tables: axes of charts, keys of summaries, titles of bars, with their units.

The words are understood as those of a table's heading (`tables/headings.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.extract.mentions import find_mentions
from pipelines.extract.heading_words import Meaning, canonical_unit, understand, unit_of
from pipelines.extract.printed_values import Unit
from pipelines.extract.printed_values import read_value as read_text
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_number
from pipelines.values.quantity import Quantity


@dataclass(frozen=True, slots=True)
class QuantityName:
    """The name of a measured quantity.

    Attributes:
        cell: The printed characters.
        metric: Canonical metric, with its percentile: `latency_p99`.
        canonical_unit: Unit its values are stored in.
        unit: Unit printed with the name, or None.
    """

    cell: Cell
    metric: str
    canonical_unit: str
    unit: Unit | None = None


def read_name(cell: Cell) -> QuantityName | None:
    """The measured quantity that a text names, or None for a text that names none or something else as well."""
    meaning = understand((cell.text.strip(),))
    if meaning.role != "value" or meaning.metric is None or _says_more(cell.text.strip(), meaning):
        return None
    metric, statistic = meaning.metric.value, meaning.statistic.value if meaning.statistic else "mean"
    unit = unit_of(metric, meaning.unit.value) if meaning.unit else None
    name = metric if statistic == "mean" else f"{metric}_{statistic.replace('.', '_')}"
    return QuantityName(cell, name, canonical_unit(metric) or "", unit)


def _says_more(text: str, meaning: Meaning) -> bool:
    """True for words that no mention covers: `Total Latency` of a benchmark is no latency of its requests."""
    if any(condition.dimension != "task" for condition in meaning.conditions):
        return True
    places = [(mention.start, mention.end) for mention in find_mentions(text)]
    words = (w for w in _WORD.finditer(text) if not any(low < w.end() and w.start() < high for low, high in places))
    return any(word[0].casefold() not in _JOINTS for word in words)


_WORD = re.compile(r"[A-Za-z]+")
_JOINTS = frozenset({"a", "of", "the", "in", "per", "for"})


def read_value(cell: Cell, name: QuantityName) -> tuple[Quantity, Unit] | None:
    """The value of a cell in canonical units and the unit it is printed in, or None when it cannot be read."""
    value = read_text(cell.text.strip(), name.canonical_unit, name.unit)
    return (value.quantity, value.unit) if value else None


def read_share(cell: Cell, name: QuantityName) -> tuple[Quantity, Unit] | None:
    """The same of a share of one, such as 0.39, which is stored as a percentage."""
    number = parse_number(cell.text.strip())
    return (number.scaled(100), Unit("", name.canonical_unit, 100.0)) if number else None
