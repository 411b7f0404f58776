"""The rows of a table with their conditions, from cells, titles, headings and the text around the
table.

The measured columns belong in `apply.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice, pairwise
from math import prod

from pipelines.extract.conditions import SUBJECTS, Stated, missing_subject
from pipelines.extract.mentions import NAMES, Mention, find_mentions
from pipelines.extract.rows import Reject
from pipelines.extract.tables.cell_values import SHOWN, WORDS, number_unit, read_condition
from pipelines.extract.tables.claims import ClaimedTable, TableError
from pipelines.extract.tables.constant_check import PrintedConstants
from pipelines.extract.tables.mapping import (
    METRIC,
    TEMPLATE,
    UNPRINTED,
    VALUE,
    HeadingPattern,
)
from pipelines.extract.tables.measurements import MeasuredNumber
from pipelines.extract.tables.patterns import Spans, compiled, fold, is_pattern, plain
from pipelines.extract.tables.printed import Passage
from pipelines.read.document import Cell
from pipelines.vocabulary.dimensions import Type, dimensions
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import measure_of

_LISTED, _NEAREST = 8, 3
# Conditions by dimension.
Conditions = dict[str, Stated]


@dataclass
class StatedRow:
    """A row of a table that can be read.

    Attributes:
        number: Its index in the table.
        titles: The titles over it.
        of_titles: The conditions that they state.
        own: Conditions from its cells and titles.
        lent: Conditions of the whole table.
        fault: Why a cell cannot be read, and the cell; None if all can.
    """

    number: int
    titles: list[Passage]
    of_titles: Conditions
    own: Conditions = field(default_factory=dict)
    lent: Conditions = field(default_factory=dict)
    fault: tuple[str, Cell] | None = None


class StatedRows:
    """The rows of a table that can be read, with their conditions. Methods also raise `TableError`.

    Attributes:
        rows: The rows.
        notes: What a preview says about its reading, in sentences.

    Raises:
        TableError: The table does not match the entry.
    """

    def __init__(self, claim: ClaimedTable, printed: PrintedConstants) -> None:
        self.claim, self.entry, self.table = claim, claim.entry, claim.table
        self.refusals: list[Reject] = []
        self.notes: list[str] = []
        self._refused: set[int] = set()
        # The columns of each condition in cells.
        self._places: dict[str, list[int]] = {}
        self._without_subject: set[int] = set()
        self._check_headings()
        printed.check(self.entry)
        around = self._read_around()
        self._check_lower_headings(around)
        rows = self._find_rows()
        self._read_cells(rows)
        for name in dict.fromkeys(self.entry.fill_down):
            if name in self._places:
                self._fill_down(name, rows)
        self.rows: list[StatedRow] = []
        for row in rows:
            if row.fault:
                reason, cell = row.fault
                self.refuse_row(row.number, "unread_condition", reason, cell)
                continue
            row.own, row.lent = row.of_titles | row.own, around
            self.rows.append(row)
        self._read_constants_of_rows()

    def _read_around(self) -> Conditions:
        """What constants, and the texts around the table, state of all rows."""
        around: Conditions = {}
        for part in self.entry.constants:
            if not part.where:
                around |= self.constants(part.constants)
        for text in reversed(self.entry.below):
            around |= self._stated_by(text, self.table.below)
        for pattern in reversed(self.entry.headings):
            around |= self._stated_above(pattern)
        return around

    def _read_constants_of_rows(self) -> None:
        for part in self.entry.constants:
            constants = self.constants(part.constants) if part.where else {}
            for row in self.rows if part.where else ():
                if self.holds(part.where, row.lent | row.own):
                    row.lent = row.lent | constants

    # Headings, and what is stated around the table

    def _check_headings(self) -> None:
        unnamed = []
        for at, heading in enumerate(self.claim.headings):
            if len(heading.names) > 1:
                reason = f"{heading.text!r} matches {' and '.join(heading.names[:2])}: keep one"
                raise TableError("claimed_twice", reason, *heading.passage.pieces[:1])
            below = (at < len(row) and row[at] for row in self.table.texts[self.claim.first :])
            if heading.column is None and (heading.passage.pieces or any(below)):
                unnamed.append(heading)
        if unnamed and self.entry.others is None and self.entry.rows is None:
            names = ", ".join(repr(heading.text) for heading in unnamed[:_LISTED])
            reason = f"the mapping does not list the columns {names}; `others: ignore` ignores them"
            shown = next((cell for heading in unnamed for cell in heading.passage.pieces), None)
            raise TableError("schema_drift", reason, shown)

    def _rows_above(self) -> Iterator[Passage]:
        """Rows with one text above the headings, nearest first."""
        for row in range(self.claim.first - 2, -1, -1):
            present = {text: at for at, text in enumerate(self.table.texts[row]) if text}
            if len(present) == 1 and not self.table.is_rule(row):
                yield Passage((self.table.cell(row, *present.values()),), "caption")

    def _stated_above(self, pattern: HeadingPattern) -> Conditions:
        """The conditions in the nearest text above the table that a pattern matches."""
        further = self.table.far() if pattern.far else self._below_headings
        texts = chain(self._rows_above(), self.table.near, further)
        above = (passage for passage in texts if pattern.only in (None, passage.level))
        try:
            return self._stated_by(pattern.pattern, above)
        except TableError as error:
            others = (
                passage
                for passage in self.table.far()
                if compiled(pattern.pattern).search(passage.text)
            )
            if error.rule == "not_stated" and (passage := next(others, None)):
                words = f"above an earlier table, line {passage.pieces[0].line} does: `far: true` uses it"
                raise TableError(error.rule, f"{error}; {words}") from error
            raise

    @cached_property
    def _below_headings(self) -> list[Passage]:
        """The texts below the headings over the table, as far as no earlier table is between."""
        return [
            passage for passage in self.table.far() if passage.pieces[0].line > self.table.earlier
        ]

    def texts_around(self) -> Iterator[Passage]:
        """The first heading, and the texts above and below that are about the table, nearest first."""
        yield from (heading.passage for heading in self.claim.headings[:1] if not heading.is_value)
        yield from chain(
            self._rows_above(), self.table.near, self.table.notes, self._below_headings
        )

    def texts_of_row(self, row: StatedRow) -> Iterator[Passage]:
        """The texts of a row that may print the unit of its numbers: its titles, its metric, a unit
        that is ignored.
        """
        yield from row.titles
        for at, heading in enumerate(self.claim.headings):
            text, is_unit = self.table.texts[row.number][at], False
            if heading.is_ignored and measure_of(text):
                # `s` and `m` may be sizes of models.
                is_unit = len(text) > 1 or "unit" in fold(heading.text)
            if is_unit or any(METRIC in spec.captures for spec in heading.specs):
                yield Passage((self.table.cell(row.number, at),), "column_heading")

    def _stated_by(self, pattern: str, passages: Iterable[Passage]) -> Conditions:
        """The conditions in the nearest passage that a pattern matches."""
        nearest: list[str] = []
        for passage in passages:
            matches = list(compiled(pattern).finditer(plain(passage.text)))
            if not matches:
                nearest += [repr(passage.text[:SHOWN])] if len(nearest) < _NEAREST else []
                continue
            found: Conditions = {}
            for _, spans in matches:
                for name, one in self.stated_in(spans, passage).items():
                    other = found.setdefault(name, one)
                    if one.value != other.value:
                        reason = f"`{pattern}` matches {other.value!r} and {one.value!r} in {passage.text[:SHOWN]!r}"
                        raise TableError("stated_twice", reason, passage.pieces[0])
            return found
        words = f", the nearest are {'; '.join(nearest)}" if nearest else ""
        raise TableError("not_stated", f"no text there matches `{pattern}`{words}")

    def _check_lower_headings(self, around: Conditions) -> None:
        """Refuse a table below a heading that contradicts what is stated above it, or that nothing
        explains.

        A heading that no pattern or constant of the entry matches must have no number and no known
        name. Any heading, caption, or sentence that ends in a colon must have no other name of a
        condition stated above it or constant.
        """
        entry = self.entry
        marked = {name for name, text in entry.stated if text.startswith(UNPRINTED)}
        # What a template gives is different in each row.
        checked = {
            name: one.cell.line
            for name, one in around.items()
            if name not in entry.templated | marked
        }
        patterns = [*entry.patterns_around]
        for text in entry.section:
            patterns.append(text[1:-1] if is_pattern(text) else f"^{re.escape(text)}$")
        patterns += [rf"\b{re.escape(text)}\b" for _, text in entry.stated]
        for passage in (*self._rows_above(), *self.table.near):
            text = plain(passage.text)
            above = [name for name, line in checked.items() if line < passage.pieces[0].line]
            if not above or (passage.level == "sentence" and not text.endswith(":")):
                continue
            explained: set[int] = set()
            for pattern in patterns:
                for (start, end), _ in compiled(pattern).finditer(text):
                    explained.update(range(start, end))
            mentions = [one for one in find_mentions(text) if one.kind in NAMES]
            others = []
            for kind in above:
                names = [one for one in mentions if one.kind == kind]
                if not any(self._is_stated(one, explained, around) for one in names):
                    others += [text[one.start : one.end] for one in names]
            if passage.level == "heading" and not explained and any(map(checked.get, above)):
                parts = text.split()
                # `3.1. Results`: the number of the heading itself
                is_numbered = not parts[0].isdecimal() and not parts[0].strip("0123456789.)")
                others += [word for word in parts[is_numbered:] if any(map(str.isdecimal, word))]
                others += [one.value for one in mentions if one.kind not in around]
            if others:
                reason = f"no pattern of the entry explains {others[0]!r} in {text[:SHOWN]!r}"
                hint = "state it by a pattern in `headings`; one without groups only explains it"
                raise TableError("unread_heading", f"{reason}: {hint}", passage.pieces[0])

    def _is_stated(self, mention: Mention, explained: set[int], around: Conditions) -> bool:
        """Whether a name is matched, or is the stated one in another spelling or with words around
        it.
        """
        names = [around[mention.kind].value, mention.value]
        entries = [find(NAMES[mention.kind], name) for name in names]
        known = [entry.name for entry in entries if entry]
        one, other = map(fold, names)
        is_same = one in other or other in one or (len(known) == 2 and known[0] == known[1])
        return is_same or not explained.isdisjoint(range(mention.start, mention.end))

    # Rows

    def _find_rows(self) -> list[StatedRow]:
        """The rows below the headings, with the conditions of the titles over each."""
        table, first, width = self.table, self.claim.first, len(self.claim.headings)
        found: list[StatedRow] = []
        title: Conditions = {}
        unread: str | None = None
        over: list[Passage] = []
        headings = table.texts[first - 1] if first else ()
        for number, row in enumerate(islice(table.texts, first, None), start=first):
            if row == headings or table.is_rule(number):
                continue
            if self.entry.skip_rows and self._is_skipped(row):
                self.claim.skipped.add(number)
                continue
            # A cell over several columns counts once.
            present = {cell for cell in table.rows[number] if cell.text}
            is_surplus = any(row[width:])
            # A blank cell behind a full row is no cell; behind other blank cells it may be one that
            # was moved.
            is_moved = len(row) > width and not all(row[:width])
            if (
                width > 1
                and len(present) == 1
                and not is_surplus
                and not self._is_number_alone(row)
            ):
                title, unread = self._title(number, max(row), title)
                # Titles directly below each other belong together.
                over = [] if found and found[-1].number == number - 1 else over
                over = [*over, Passage((table.cell(number, row.index(max(row))),), "row_title")]
            elif len(row) < width or is_surplus or is_moved:
                if any(character.isdecimal() for text in row for character in text):
                    reason = f"it has {len(row)} cells, but the table has {width} headings"
                    self.refuse_row(number, "row_does_not_fit", reason)
                self._refused.add(number)
            elif unread is not None:
                reason = f"it is below {unread[:SHOWN]!r}, which no `titles` explains"
                self.refuse_row(number, "unread_condition", reason)
            else:
                found.append(StatedRow(number, over, title))
        return found

    def _is_skipped(self, row: Sequence[str]) -> bool:
        """Whether a cell of a row that is no measured number is listed under `skip_rows`."""
        cells = zip(row, self.claim.headings, strict=False)
        return any(
            text and not heading.is_value and self.entry.is_skipped(text) for text, heading in cells
        )

    def _is_number_alone(self, row: Sequence[str]) -> bool:
        """Whether the one text of a row is a measured number, of which nothing is stated, rather
        than a title.
        """
        texts = [text for text in row if text]
        if self.entry.title or len(texts) > 1 or number_unit(texts[0]) is None:
            return False
        return self.claim.headings[row.index(texts[0])].is_value

    def _title(self, number: int, text: str, title: Conditions) -> tuple[Conditions, str | None]:
        """The conditions of a title row, and its text if it cannot be read.

        A title that cannot be read, or that no `titles` explains, also ends the previous one.
        """
        spec = self.entry.title
        if spec is None:
            if not self.entry.is_missing(text):
                reason = f"{text[:SHOWN]!r} is alone in its row: describe it with `titles`, or use `titles: ignore`"
                self.refuse_row(number, "unread_title", reason)
                return {}, text
            return title, None
        try:
            spans = spec.spans(text)
            cell = self.table.cell(number, self.table.texts[number].index(text))
            return (
                (title, text)
                if spans is None
                else (self.stated_in(spans, Passage((cell,), "row_title")), None)
            )
        except TableError:
            return title, text

    def refuse_row(self, number: int, rule: str, reason: str, cell: Cell | None = None) -> None:
        """Refuse a row of the table."""
        self._refused.add(number)
        self.refusals.append(self.claim.reject_row(number, rule, reason, cell))

    def refuse_cell(self, row: StatedRow, at: int, rule: str, reason: str) -> None:
        """Refuse a row at its cell in a column."""
        self.refuse_row(row.number, rule, reason, self.table.cell(row.number, at))

    # Their conditions

    def _read_cells(self, rows: Sequence[StatedRow]) -> None:
        """Read the conditions of the rows, column by column."""
        for at, heading in enumerate(self.claim.headings):
            if heading.is_ignored or heading.is_value:
                continue
            of_heading, names = self.of_heading(at), dict[str, None]()
            for row in rows:
                found = of_heading | self._of_cell(row, at)
                for name in found:
                    if name in row.own:
                        other = self.claim.headings[self._places[name][-1]].text
                        reason = f"{other!r} and {heading.text!r} both state `{name}`"
                        raise TableError("stated_twice", reason)
                row.own |= found
                names |= dict.fromkeys(found)
            for name in names:
                self._places.setdefault(name, []).append(at)

    def _of_cell(self, row: StatedRow, at: int) -> Conditions:
        """The conditions in a cell; one that cannot be read is the fault of its row."""
        heading, cell = self.claim.headings[at], self.table.cell(row.number, at)
        if self.entry.is_missing(cell.text):
            return {}
        reason = f"{cell.text[:SHOWN]!r} does not match the mapping of {heading.text!r}"
        for spec in heading.specs:
            try:
                spans = spec.spans(cell.text)
                if spans is None:
                    continue
                found = self.stated_in(spans, Passage((cell,), "row"))
            except TableError as error:
                reason = str(error)
                break
            return found | self.constants(spec.constants)
        row.fault = row.fault or (reason, cell)
        return {}

    def _fill_down(self, name: str, rows: Sequence[StatedRow]) -> None:
        """Fill the blank cells of a condition from above; one from above a refused row is a fault.

        A cell with a text that does not state the condition, as `A6000` below `4090 * 2`, is not
        blank.
        """
        last: Stated | None = None
        filled: Counter[str] = Counter()
        is_lost, previous = False, self.claim.first - 1
        for row in rows:
            own = row.own.get(name)
            between = range(previous, row.number)
            is_broken = row.fault is not None or not self._refused.isdisjoint(between)
            is_blank = own is None and (row.fault is not None or self._is_blank(name, row))
            is_lost = is_blank and (is_lost or is_broken)
            previous = row.number
            if is_lost:
                reason = f"its `{name}` comes from a refused row above"
                row.fault = row.fault or (reason, self.table.cell(row.number, 0))
            if is_lost or not is_blank:
                last = own
            elif last:
                row.own[name] = last
                filled[last.value] += 1
        words = ", ".join(f"{value} in {count}" for value, count in filled.most_common(_LISTED))
        self.notes.append(f"`fill_down: {name}` fills {filled.total()} rows: {words or 'none'}")

    def _is_blank(self, name: str, row: StatedRow) -> bool:
        """Whether the cells of a row take a condition from above.

        An alternative that states other conditions, as `- int8` below `Marian 1.11`, is blank for
        the framework.
        """
        for at in self._places[name]:
            specs, text = self.claim.headings[at].specs, self.table.texts[row.number][at]
            fitting = next((spec for spec in specs if spec.spans(text) is not None), None)
            stating = {one for spec in specs if name in spec.captures for one in spec.captures}
            is_other = fitting is not None and stating.isdisjoint(fitting.captures)
            if not (is_other or self.entry.is_missing(text)):
                return False
        return True

    # Numbers without a model or a platform

    def lacks_subject(self, number: MeasuredNumber, row: StatedRow, kind: str) -> bool:
        """Whether a number lacks a model or a platform; its row is refused by `no_subject`.

        A size or a price needs neither; what other rows of the table state, each row has to state.
        """
        stated = number.conditions.keys() & {*SUBJECTS}
        is_result = kind != "size" and not number.unit.startswith("USD")
        reason = missing_subject(stated, kind) if is_result else None
        for name in SUBJECTS:
            if name not in stated and name in self._subjects_of_cells:
                reason = f"no cell states its `{name}`, which other rows state; `constants` with `where` can"
                break
        if reason is None:
            return False
        if row.number not in self._without_subject:
            self._without_subject.add(row.number)
            for name in self._subject_columns:
                reason += "" if name in stated else self._fill_down_hint(row, name)
            self.refuse_row(row.number, "no_subject", reason)
        return True

    @cached_property
    def _subjects_of_cells(self) -> set[str]:
        return {name for row in self.rows for name in SUBJECTS if name in row.own}

    @cached_property
    def _subject_columns(self) -> dict[str, int]:
        """The first filled row of each column that states a model or a platform, or a part of its
        template.

        A column that prints the same value in two rows in turn is not among them: a blank cell of
        it means no value.
        """
        found: dict[str, int] = {}
        for name in self.entry.subjects:
            stated = [row.own.get(name) for row in self.rows]
            values = [one and one.value for one in stated]
            if any(values) and not any(a and a == b for a, b in pairwise(values)):
                found[name] = next(row.number for row in self.rows if name in row.own)
        return found

    def _fill_down_hint(self, row: StatedRow, name: str) -> str:
        """The advice to fill a blank cell from above; "" below no filled cell, or beside a filled
        one before it.

        A filled cell before it begins another group of rows.
        """
        before = self.table.texts[row.number][: self._places.get(name, [0])[-1]]
        is_below = self._subject_columns[name] < row.number
        if name in row.own or any(before) or not is_below:
            return ""
        return f"; `fill_down: {name}` copies it from the row above"

    # Single texts

    def stated_in(self, spans: Spans, passage: Passage) -> Conditions:
        """The conditions in parts of a passage."""
        found: Conditions = {}
        for name, (start, end) in spans.items():
            if name != VALUE:
                text, cell = passage.text[start:end], passage.cell(start, end)
                self._check_is_no_sum(name, text)
                found[name] = Stated(name, self._value(name, text, cell), cell, passage.level)
        return found

    def _check_is_no_sum(self, name: str, text: str) -> None:
        """Refuse the word of a sum or a mean, `Average` or `Geomean of 12 models`, as the name of a
        model.
        """
        words = {word for word in fold(text).split() if not word.isdecimal()}
        sums = WORDS["sums"]
        is_sum = not words.isdisjoint(sums) and words.issubset([*sums, *WORDS["of_sums"]])
        if is_sum and name in self.entry.subjects and not self.entry.is_named(name, text):
            shown = " ".join(text.split())[:SHOWN]
            hint = f"`skip_rows: ['{shown}']` leaves it out, and `names: {{{name}: {{'{shown}': '!{shown}'}}}}` keeps it"
            raise TableError(
                "unread_condition", f"{shown!r} is the word of a sum or a mean, no {name}: {hint}"
            )

    def of_heading(self, at: int) -> Conditions:
        """The conditions in a heading."""
        heading = self.claim.headings[at]
        return self.stated_in(heading.groups, heading.passage)

    def constants(self, constants: Mapping[str, str]) -> Conditions:
        """Constants as conditions; templates are filled later."""
        found: Conditions = {}
        for name, text in constants.items():
            value = text.removeprefix(UNPRINTED)
            found[name] = Stated(
                name, value if TEMPLATE.search(value) else self._value(name, value)
            )
        return found

    def _value(self, name: str, text: str, cell: Cell | None = None) -> str:
        try:
            return read_condition(name, self.entry.name_of(name, " ".join(text.split())))
        except ValueError as error:
            raise TableError("unread_condition", str(error), cell) from error

    def holds(self, where: Mapping[str, str], conditions: Conditions) -> bool:
        """Whether a row states some conditions."""
        for name, wanted in where.items():
            stated = fold(conditions[name].value) if name in conditions else None
            if stated not in (fold(wanted), fold(self._value(name, wanted))):
                return False
        return True

    def filled(self, conditions: Conditions) -> Conditions:
        """Conditions with their templates filled from each other; one that lacks a part is left out."""
        for name in sorted(self.entry.templated & conditions.keys()):
            parts = TEMPLATE.findall(conditions[name].value)
            if any(part not in conditions for part in parts):
                del conditions[name]
            elif parts:
                conditions[name] = self._made(conditions[name], conditions, parts)
        return conditions

    def _made(self, template: Stated, conditions: Conditions, parts: Sequence[str]) -> Stated:
        """A filled template, placed at the first part that is printed."""
        name = template.dimension
        text = TEMPLATE.sub(lambda part: conditions[part[1]].value, template.value)
        factors = [part.strip().replace(",", "") for part in text.split("*")]
        known = dimensions().get(name)
        if known and known.type is Type.COUNT and all(map(str.isdecimal, factors)):
            text = str(prod(map(int, factors)))
        shown = next(
            (conditions[part] for part in parts if conditions[part].cell.text), Stated(name, text)
        )
        return shown._replace(dimension=name, value=self._value(name, text, shown.cell))
