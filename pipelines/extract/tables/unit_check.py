"""Finds the units printed in headings and texts, and compares them with the unit of a mapping.

Units printed in measured cells belong in `cell_values.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from math import isclose

from pipelines.extract.tables.printed import Passage
from pipelines.read.document import Cell
from pipelines.vocabulary.units import METRIC_OF_UNIT, Measure, measure_of, multiple_of

# The parts of `Latency (avg, ms)`
_PART = re.compile(r"[^()\[\],;:|\u2191\u2193]+")
_WORD = re.compile(r"\S+")
# A unit follows these: `in tokens per second`, `All times are milliseconds`
_BEFORE_UNIT = ("in", "are", "as", "unit", "units")
# `million tokens per second per GPU`
_MOST_WORDS = 6
# Units of what is counted in a time, over something or not, are compared with each other.
_RATE = "items/s"


def differing_unit(
    metric: str, unit: Measure, passages: Iterable[Passage], statistic: str | None = None
) -> tuple[str, Passage] | None:
    """The unit in the nearest passage with units of the same kind, if none of them is the given
    one.

    Args:
        metric: What is measured.
        unit: The unit of the mapping.
        passages: The heading of the column, and the texts around its table, nearest first.
        statistic: That of the numbers: `Min` above minima is no minutes.
    """
    for passage in passages:
        is_heading = passage.level == "column_heading"
        pieces = passage.pieces if is_heading else ()
        found: list[tuple[str, Measure]] = []
        for text in (*(piece.text for piece in pieces), passage.text):
            printed = _units_in(text, passage.level)
            if is_heading:
                printed = {
                    words: one for words, one in printed.items() if words.casefold() != statistic
                }
            units = [
                (words, one)
                for words, one in printed.items()
                if _is_of_kind(metric, unit, one, is_heading=is_heading)
            ]
            factors = [(words, one.scale) for words, one in printed.items() if not one.kind]
            if factors and unit.kind.startswith((_RATE, "USD")):
                words, factor = factors[0]
                scales = [one.scale for _, one in units] or [1.0]
                units = [(words, Measure(unit.kind, scale * factor, unit.item)) for scale in scales]
            found += units
        if any(_is_same(unit, one) for _, one in found):
            return None
        if found:
            return found[0][0], passage
    return None


def _is_of_kind(metric: str, unit: Measure, other: Measure, *, is_heading: bool) -> bool:
    # What is counted, and per what, is only compared in the column's own heading.
    if not is_heading:
        return other.kind == unit.kind and other.converts_to(unit)
    return other.kind == unit.kind or METRIC_OF_UNIT.get((metric, other.kind), metric) != metric


def _is_same(unit: Measure, other: Measure) -> bool:
    # FPS is also written where a network takes single images.
    items = ["images" if one.item == "frames" else one.item for one in (unit, other) if one.item]
    # `tokens/s` above `output tokens/s`
    shorter, longer = sorted(items, key=len) if len(items) == 2 else ("", "")
    is_same_item = longer.endswith(shorter)
    return other.kind == unit.kind and isclose(unit.scale, other.scale) and is_same_item


@cache
def _units_in(text: str, level: str) -> dict[str, Measure]:
    """What the units in a text measure, by their characters; a multiple alone (`in thousands`) has
    no kind.
    """
    found = {}
    text = text.replace("_", " ").replace(",000", "000")
    for start, end in _candidates(text, level):
        words = text[start:end]
        # The `(s)` of `GPU(s)` is no unit; nor is the `(d)` of a list.
        is_plural = text[:start].endswith(("(", "[")) and text[: start - 1][-1:].isalpha()
        is_letter = len(words) == 1 and words.isalpha() and level != "column_heading"
        if is_letter and (words != "s" or is_plural):
            continue
        if measure := _measure(words):
            found[words] = measure
    return found


def unit_in(parts: Iterable[Cell], unit: str) -> Cell | None:
    """The place of a unit in the parts of a heading."""
    measure = measure_of(unit)
    for part in parts:
        for start, end in _candidates(part.text, "column_heading"):
            words = part.text[start:end]
            # It is in brackets, or the last words.
            is_behind = part.text[end : end + 1] in ("", ")", "]")
            if is_behind and (words == unit or measure_of(words) == measure is not None):
                return part.part(start, end)
    return None


def _candidates(text: str, level: str) -> Iterator[tuple[int, int]]:
    """The places in a text that may be a unit."""
    is_sentence = level == "sentence"
    for part in _PART.finditer(text):
        words = list(_WORD.finditer(text, *part.span()))
        # `Benchmark duration (s): 68.19` is a value.
        behind = text[part.end() :].lstrip(")]")
        if not words or (is_sentence and behind[:1] == ":" and behind[1:].strip()[:1].isdecimal()):
            continue
        before, end = "", words[-1].end()
        for at, word in enumerate(words):
            if before.casefold() in _BEFORE_UNIT:
                yield from ((word.start(), last.end()) for last in words[at : at + _MOST_WORDS])
            # Of `K images/s` the whole is the unit; `10 s` is a value.
            is_number = before[:1].isdecimal() and before[-1:].isdecimal()
            is_apart = not is_number and not multiple_of(before)
            is_begin = is_apart and not is_sentence and not word[0][0].isdecimal()
            if is_begin or (at == 0 and not (is_sentence and word[0][0].isdecimal())):
                yield word.start(), end
            before = word[0]
        if level == "column_heading":
            yield max(text.rfind("/", 0, end) + 1, words[0].start()), end


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
    # `images/min`
    rate, over = measure_of(f"{first.strip()}/s"), measure_of(last)
    return (
        rate._replace(scale=rate.scale / over.scale) if rate and over and over.kind == "s" else None
    )
