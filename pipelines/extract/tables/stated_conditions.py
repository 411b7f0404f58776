"""What constants and printed texts state: parts of passages, and all the texts around a table.

Texts within the rows of a table belong in `stated_rows.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import prod

from pipelines.extract.conditions import Stated
from pipelines.extract.mentions import NAMES, Mention, find_mentions
from pipelines.extract.tables.cell_values import WORDS
from pipelines.extract.tables.claims import ClaimedTable, TableError
from pipelines.extract.tables.language import SHOWN, TEMPLATE, UNPRINTED, VALUE, read_condition
from pipelines.extract.tables.mapping import MappingEntry
from pipelines.extract.tables.patterns import Spans, compiled, fold, is_pattern, plain
from pipelines.extract.tables.printed import Passage
from pipelines.read.document import Cell
from pipelines.vocabulary.dimensions import Type, dimensions
from pipelines.vocabulary.lookup import find

_NEAREST = 3
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


class TextsAround:
    """The texts around a claimed table.

    Attributes:
        stated: The conditions of all rows, from constants and from these texts.

    Raises:
        TableError: A pattern matches no text, or a text contradicts what is stated.
    """

    def __init__(self, claim: ClaimedTable) -> None:
        self._claim, self._table, self._entry = claim, claim.table, claim.entry
        self.stated: Conditions = {}
        for part in self._entry.constants:
            if not part.where:
                self.stated |= constants_of(self._entry, part.constants)
        for text in reversed(self._entry.below):
            self.stated |= self._stated_by(text, self._table.below)
        for one in reversed(self._entry.headings):
            further = self._table.far() if one.far else self._below_headings
            above = chain(self._rows_above(), self._table.near, further)
            of_level = (passage for passage in above if one.only in (None, passage.level))
            self.stated |= self._stated_by(one.pattern, of_level, self._table.far())
        self._check_lower_headings()

    def __iter__(self) -> Iterator[Passage]:
        """The first heading, and the texts above and below that are about the table, nearest first."""
        for heading in self._claim.headings[:1]:
            if not heading.is_value:
                yield heading.passage
        yield from self._rows_above()
        yield from (*self._table.near, *self._table.notes, *self._below_headings)

    def _rows_above(self) -> Iterator[Passage]:
        """Rows with one text above the headings, nearest first."""
        for row in range(self._claim.first - 2, -1, -1):
            present = {text: at for at, text in enumerate(self._table.texts[row]) if text}
            if len(present) == 1 and not self._table.is_rule(row):
                yield Passage((self._table.cell(row, *present.values()),), "caption")

    @cached_property
    def _below_headings(self) -> list[Passage]:
        """The texts below the headings over the table, as far as no earlier table is between."""
        earlier = self._table.earlier
        return [passage for passage in self._table.far() if passage.line > earlier]

    def _stated_by(
        self, pattern: str, passages: Iterable[Passage], further: Iterable[Passage] = ()
    ) -> Conditions:
        """The conditions in the nearest passage that a pattern matches.

        A passage of `further` that it matches is a hint.
        """
        others: list[str] = []
        for passage in passages:
            found: Conditions = {}
            matches = [*compiled(pattern).finditer(plain(passage.text))]
            for _, spans in matches:
                for name, one in stated_in(self._entry, spans, passage).items():
                    first = found.setdefault(name, one).value
                    if one.value != first:
                        reason = f"`{pattern}` matches {first!r} and {one.value!r} in {passage.text[:SHOWN]!r}"
                        raise TableError("stated_twice", reason, passage.pieces[0])
            if matches:
                return found
            others.append(repr(passage.text[:SHOWN]))
        reason = f"no text there matches `{pattern}`"
        if others:
            reason += f", the nearest are {'; '.join(others[:_NEAREST])}"
        for passage in further:
            if compiled(pattern).is_in(passage.text):
                reason += f"; above an earlier table, line {passage.line} does: `far: true` uses it"
                break
        raise TableError("not_stated", reason)

    # Headings that contradict

    def _check_lower_headings(self) -> None:
        """Refuse a table below a heading that contradicts what is stated above it, or that nothing
        explains.

        A heading that no pattern or constant of the entry matches must have no number and no known
        name. Any heading, caption, or sentence that ends in a colon must have no other name of a
        condition stated above it or constant.
        """
        # What a template gives is different in each row.
        free = {name for name, text in self._entry.stated if text.startswith(UNPRINTED)}
        free |= self._entry.templated
        for passage in (*self._rows_above(), *self._table.near):
            line = passage.line
            of_above = (name for name, one in self.stated.items() if one.cell.line < line)
            above = [name for name in of_above if name not in free]
            if not above or (passage.level == "sentence" and not passage.text.endswith(":")):
                continue
            if other := next(self._unexplained(passage, above), None):
                reason = f"no pattern of the entry explains {other!r} in {passage.text[:SHOWN]!r}"
                hint = "state it by a pattern in `headings`; one without groups only explains it"
                raise TableError("unread_heading", f"{reason}: {hint}", passage.pieces[0])

    def _unexplained(self, passage: Passage, above: list[str]) -> Iterator[str]:
        """The words of a passage that contradict conditions stated above it, or that nothing
        explains.
        """
        text = plain(passage.text)
        explained: set[int] = set()
        for pattern in self._explaining:
            for (start, end), _ in compiled(pattern).finditer(text):
                explained.update(range(start, end))
        mentions = [one for one in find_mentions(text) if one.kind in NAMES]
        for kind in above:
            names = [one for one in mentions if one.kind == kind]
            if not any(self._is_stated(one, explained) for one in names):
                yield from (text[one.start : one.end] for one in names)
        is_printed = any(self.stated[name].cell.line for name in above)
        if passage.level == "heading" and not explained and is_printed:
            parts = text.split()
            # `3.1. Results`: the number of the heading itself
            is_numbered = not parts[0].isdecimal() and not parts[0].strip("0123456789.)")
            yield from (word for word in parts[is_numbered:] if any(map(str.isdecimal, word)))
            yield from (one.value for one in mentions if one.kind not in self.stated)

    @cached_property
    def _explaining(self) -> list[str]:
        """Patterns of all that the entry states, and of its sections."""
        patterns = self._entry.patterns_around
        for text in self._entry.section:
            patterns.append(text[1:-1] if is_pattern(text) else f"^{re.escape(text)}$")
        return patterns + [rf"\b{re.escape(text)}\b" for _, text in self._entry.stated]

    def _is_stated(self, mention: Mention, explained: set[int]) -> bool:
        """Whether a name is matched, or is the stated one in another spelling or with words around
        it.
        """
        stated, kind = self.stated[mention.kind].value, NAMES[mention.kind]
        one, other, known = fold(stated), fold(mention.value), find(kind, stated)
        is_same = known is not None and known == find(kind, mention.value)
        is_matched = not explained.isdisjoint(range(mention.start, mention.end))
        return is_matched or is_same or one in other or other in one
