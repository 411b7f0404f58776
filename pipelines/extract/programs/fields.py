"""The fields of a summary: names and values as `name: value`, `name = value`, or several behind one name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pipelines.extract.programs.said import Said
from pipelines.read.document import Cell

# `Request throughput (req/s):   15.68`, `train_runtime = 0:02:03`, `50.00 percentile latency (ns)   : 961910964272`
_FIELD = re.compile(r"(?P<name>[A-Za-z\[\d][^:=|{}]{0,79}?)\s*[:=]\s*(?P<value>(?:\S(?:.*\S)?)?)\s*")
# `min = 5.38672 ms`, `percentile(99%) = 1.0 ms`, `max 6.19507 ms` in a list behind one name
_PART = re.compile(r"\s*(?P<name>[A-Za-z]+(?:\(\d+(?:\.\d+)?%\))?)\s*=?\s*(?P<value>[^\s=].*)")
# `[TPOT] P50    : 204.0463`: the unit stands in the heading above
_TAGGED = re.compile(r"\[(?P<tag>[\w ]+)\]\s+(?P<statistic>P\d+(?:\.\d+)?|AVERAGE|MINIMUM|MAXIMUM)")
_WORDS_OF_TAG = {"Latency": "E2EL"}
# `-- Per-Request Time-per-Output-Token [TPOT] Breakdown (ms)`
_BREAKDOWN = re.compile(r"-- .*\bBreakdown\s*\((?P<unit>\w+)\)\s*-*")
# `'train_runtime': 2218.55`, `"train_loss": '0.7228'`
_PAIR = re.compile(
    r"""(?P<quote>['"])(?P<name>[\w/. -]{1,60})(?P=quote)\s*:\s*(?P<value>'[^']*'|"[^"]*"|[^\s,{}\[\]'"]+)"""
)
_DICTIONARY = re.compile(r"\{.*\}")


@dataclass(frozen=True, slots=True)
class Field:
    """A name and what stands behind it."""

    name: Cell
    value: Cell


def fields_on(said: Said, unit: str | None = None) -> list[Field]:
    """The fields that a line consists of; none for any other line.

    Args:
        said: The line.
        unit: Unit that a heading above gives for fields such as `[TPOT] P50: 204`.
    """
    cell = said.cell
    match = _FIELD.fullmatch(cell.text)
    if match is None:
        return []
    name, value = cell.matched(match, "name"), cell.matched(match, "value")
    if tagged := _TAGGED.fullmatch(name.text):
        words = _WORDS_OF_TAG.get(tagged["tag"], tagged["tag"])
        return [Field(replace(name, text=f"{tagged['statistic']} {words} ({unit})" if unit else name.text), value)]
    if "," in value.text and "=" in value.text:
        return list(_parts(name, value))
    return [Field(name, value)]


def breakdown_unit(text: str) -> str | None:
    """The unit that the heading of a breakdown gives to the fields below it."""
    match = _BREAKDOWN.fullmatch(text)
    return match["unit"] if match else None


def dictionary_on(said: Said) -> list[Field]:
    """The fields of a dictionary such as `{'train_runtime': 2218.55, 'epoch': 3.0}` that a line consists of."""
    cell = said.cell
    return pairs_in(cell) if _DICTIONARY.fullmatch(cell.text) else []


def pairs_in(cell: Cell) -> list[Field]:
    """The names and plain values of a dictionary."""
    fields = []
    for match in _PAIR.finditer(cell.text):
        value = cell.matched(match, "value")
        if value.text[0] in "'\"":
            value = value.part(1, len(value.text) - 1)
        fields.append(Field(cell.matched(match, "name"), value))
    return fields


def _parts(name: Cell, value: Cell) -> Iterator[Field]:
    """`Latency: min = 5.3 ms, max = 13.3 ms` as `min Latency` and `max Latency`."""
    start = 0
    for text in value.text.split(","):
        part = value.part(start, start + len(text))
        start += len(text) + 1
        if match := _PART.fullmatch(part.text):
            inner = part.matched(match, "name")
            yield Field(replace(inner, text=f"{inner.text} {name.text}"), part.matched(match, "value").stripped())
