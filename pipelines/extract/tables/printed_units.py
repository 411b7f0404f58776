"""Finds the units printed in headings and texts, and compares them with the unit of a mapping.

Units printed in measured cells belong in `statements.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from math import isclose

from pipelines.extract.tables.printed import Passage
from pipelines.vocabulary.units import METRIC_OF_UNIT, Measure, measure_of, multiple_of

# The parts of `Latency (avg, ms)`
_PART = re.compile(r"[^()\[\],;:|\u2191\u2193]+")
# A unit follows these: `in tokens per second`, `All times are milliseconds`
_BEFORE_UNIT = frozenset({"in", "are", "as", "unit", "units"})
# `million tokens per second per GPU`
_MOST_WORDS = 6
# Units of what is counted in a time, over something or not, are compared with each other.
_RATE = "items/s"


def differing_unit(metric: str, unit: Measure, passages: Iterable[Passage]) -> tuple[str, Passage] | None:
    """The unit in the nearest passage with units of the same kind, if none of them is the given one.

    Args:
        metric: What is measured.
        unit: The unit of the mapping.
        passages: The heading of the column, and the texts around its table, nearest first.
    """
    for passage in passages:
        is_heading = passage.level == "column_heading"
        texts = [piece.text for piece in passage.pieces] if is_heading else []
        of_kind: list[tuple[str, Measure]] = []
        for text in (*texts, passage.text):
            found = list(_units_in(text, passage.level))
            factors = [(words, one) for words, one in found if not one.kind]
            units = [(words, one) for words, one in found if _is_of_kind(metric, unit, one, is_heading=is_heading)]
            if factors and unit.kind.startswith((_RATE, "USD")):
                words, factor = factors[0]
                scales = [one.scale for _, one in units] or [1.0]
                units = [(words, Measure(unit.kind, scale * factor.scale, unit.item)) for scale in scales]
            of_kind += units
        if of_kind and not any(_is_same(unit, one) for _, one in of_kind):
            return of_kind[0][0], passage
        if of_kind:
            return None
    return None


def _is_of_kind(metric: str, unit: Measure, other: Measure, *, is_heading: bool) -> bool:
    # What is counted, and per what, is only compared in the column's own heading.
    if not is_heading:
        return other.kind == unit.kind and other.converts_to(unit)
    return other.kind == unit.kind or METRIC_OF_UNIT.get((metric, other.kind), metric) != metric


def _is_same(unit: Measure, other: Measure) -> bool:
    counted = [one.item for one in (unit, other) if one.item]
    # `tokens/s` above `output tokens/s`
    is_same_item = len(counted) < 2 or counted[0].endswith(counted[1]) or counted[1].endswith(counted[0])
    return other.kind == unit.kind and isclose(unit.scale, other.scale) and is_same_item


@cache
def _units_in(text: str, level: str) -> tuple[tuple[str, Measure], ...]:
    """Units in a text as printed, with what they measure; a multiple alone (`in thousands`) has no kind."""
    found = {}
    for start, words in _candidates(text.replace("_", " ").replace(",000", "000"), level):
        # The `(s)` of `GPU(s)` is no unit; nor is the `(d)` of a list.
        is_letter = len(words) == 1 and words.isalpha() and level != "column_heading"
        if is_letter and (words != "s" or text[max(0, start - 2) : start - 1].isalpha()):
            continue
        if measure := _measure(words):
            found[words] = measure
    return tuple(found.items())


def _candidates(text: str, level: str) -> Iterator[tuple[int, str]]:
    """Parts of a text that may be a unit, each with its offset."""
    is_sentence = level == "sentence"
    for part in _PART.finditer(text):
        words = part[0].split()
        # `Benchmark duration (s): 68.19` is a value.
        behind = text[part.end() :].lstrip(")]")
        if is_sentence and behind[:1] == ":" and behind[1:].strip()[:1].isdecimal():
            continue
        for at, word in enumerate(words):
            before = words[at - 1] if at else ""
            if before.casefold() in _BEFORE_UNIT:
                yield from ((0, " ".join(words[at:end])) for end in range(at + 1, at + 1 + _MOST_WORDS))
            # Of `K images/s` the whole is the unit; `10 s` is a value.
            is_apart = not before[:1].isdecimal() and not multiple_of(before)
            if at == 0 and not (is_sentence and word[0].isdecimal()):
                yield part.start() + part[0].index(word), " ".join(words)
            elif is_apart and not is_sentence and not word[0].isdecimal():
                yield 0, " ".join(words[at:])
        if level == "column_heading":
            yield 0, part[0].rpartition("/")[2].strip()


# Scale to a second
_TIMES_OF_RATES = {"ms": 1e3, "min": 1 / 60, "minute": 1 / 60, "h": 1 / 3600, "hour": 1 / 3600, "day": 1 / 86400}


def _measure(words: str) -> Measure | None:
    words = words.rstrip(".")
    words = words.lstrip("x\u00d7") if words[1:2].isdecimal() else words
    if factor := multiple_of(words):
        return Measure("", factor)
    if measure := measure_of(words):
        return measure
    first, _, last = words.replace(" per ", "/").rpartition("/")
    # A time of something: `ms/token`, `seconds per step`
    time = measure_of(first.split("/")[0])
    if time and time.kind == "s":
        return time
    rate = measure_of(f"{first.strip()}/s") if last.strip() in _TIMES_OF_RATES else None
    return replace(rate, scale=rate.scale * _TIMES_OF_RATES[last.strip()]) if rate else None
