"""Reads constants, and the captured parts of printed texts, as conditions of an entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from pipelines.extract.conditions import Stated
from pipelines.extract.tables.cell_values import WORDS
from pipelines.extract.tables.claims import TableError
from pipelines.extract.tables.language import SHOWN, TEMPLATE, UNPRINTED, VALUE, read_condition
from pipelines.extract.tables.mapping import MappingEntry
from pipelines.extract.tables.patterns import Spans, fold
from pipelines.extract.tables.printed import Passage
from pipelines.read.document import Cell
from pipelines.vocabulary.dimensions import Type, dimensions

# Conditions by dimension.
Conditions = dict[str, Stated]


def stated_in(entry: MappingEntry, spans: Spans, passage: Passage) -> Conditions:
    """The conditions in parts of a passage.

    Raises:
        TableError: One cannot be read.
    """
    found: Conditions = {}
    for name, (start, end) in spans.items():
        if name != VALUE:
            text, cell = passage.text[start:end], passage.cell(start, end)
            _check_is_no_sum(entry, name, text)
            found[name] = Stated(name, _value(entry, name, text, cell), cell, passage.level)
    return found


def _check_is_no_sum(entry: MappingEntry, name: str, text: str) -> None:
    """Refuse the word of a sum or a mean, `Average` or `Geomean of 12 models`, as the name of a
    model.
    """
    words = {word for word in fold(text).split() if not word.isdecimal()}
    is_sum = not words.isdisjoint(WORDS["sums"])
    is_sum = is_sum and words.issubset(WORDS["sums"] + WORDS["of_sums"])
    if is_sum and name in entry.subjects and not entry.is_named(name, text):
        shown = " ".join(text.split())[:SHOWN]
        hint = f"`skip_rows: ['{shown}']` leaves it out, and `names: {{{name}: {{'{shown}': '!{shown}'}}}}` keeps it"
        reason = f"{shown!r} is the word of a sum or a mean, no {name}: {hint}"
        raise TableError("unread_condition", reason)


def constants_of(entry: MappingEntry, constants: Mapping[str, str]) -> Conditions:
    """Constants as conditions; templates are filled later."""
    found: Conditions = {}
    for name, text in constants.items():
        value = text.removeprefix(UNPRINTED)
        if not TEMPLATE.search(value):
            value = _value(entry, name, value)
        found[name] = Stated(name, value)
    return found


def _value(entry: MappingEntry, name: str, text: str, cell: Cell | None = None) -> str:
    try:
        return read_condition(name, entry.name_of(name, " ".join(text.split())))
    except ValueError as error:
        raise TableError("unread_condition", str(error), cell) from error


def holds(entry: MappingEntry, where: Mapping[str, str], conditions: Conditions) -> bool:
    """Whether the conditions of a row are those of a `where`."""
    for name, wanted in where.items():
        stated = fold(conditions[name].value) if name in conditions else None
        if stated not in (fold(wanted), fold(_value(entry, name, wanted))):
            return False
    return True


def filled(entry: MappingEntry, conditions: Conditions) -> Conditions:
    """Conditions with their templates filled from each other; one that lacks a part is left out."""
    for name in sorted(entry.templated & conditions.keys()):
        parts = TEMPLATE.findall(conditions[name].value)
        if any(part not in conditions for part in parts):
            del conditions[name]
        elif parts:
            conditions[name] = _made(entry, conditions[name], conditions, parts)
    return conditions


def _made(
    entry: MappingEntry, template: Stated, conditions: Conditions, parts: Sequence[str]
) -> Stated:
    """A filled template, placed at the first part that is printed."""
    name = template.dimension
    text = TEMPLATE.sub(lambda part: conditions[part[1]].value, template.value)
    factors = [part.strip().replace(",", "") for part in text.split("*")]
    known = dimensions().get(name)
    if known and known.type is Type.COUNT and all(map(str.isdecimal, factors)):
        text = str(prod(map(int, factors)))
    printed = (conditions[part] for part in parts if conditions[part].cell.text)
    place = next(printed, Stated(name, text))
    return place._replace(dimension=name, value=_value(entry, name, text, place.cell))
