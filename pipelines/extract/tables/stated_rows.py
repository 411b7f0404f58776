"""The rows of a table with their conditions, from cells, titles, headings and the text around the
table.

Each distinct text of a column is read once. The measured columns belong in `apply.py`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, islice, pairwise
from math import prod

from pipelines.extract.conditions import (
    SUBJECTS,
    UNNAMED,
    ByDimension,
    Column,
    Stated,
    Statements,
    missing_subject,
)
from pipelines.extract.mentions import NAMES, Mention, find_mentions
from pipelines.extract.rows import Level, Reject
from pipelines.extract.tables.claims import ClaimedTable, TableError
from pipelines.extract.tables.mapping import (
    METRIC,
    TEMPLATE,
    UNPRINTED,
    VALUE,
    Constants,
    HeadingPattern,
    Spec,
)
from pipelines.extract.tables.measurements import NumberBlock
from pipelines.extract.tables.patterns import Spans, compiled, fold, is_pattern, plain
from pipelines.extract.tables.printed import Passage
from pipelines.extract.tables.printed_constants import PrintedConstants
from pipelines.extract.tables.statements import SHOWN, WORDS, number_unit, read_condition
from pipelines.read.document import Cell
from pipelines.vocabulary.dimensions import Type, dimensions
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.units import measure_of

_LISTED, _NEAREST = 8, 3
# Statements by dimension; and the conditions in a cell: value, characters, and offset.
Facts = dict[str, int]
Parts = Mapping[str, tuple[str, str, int]]


class StatedRows:
    """The rows of a table that can be read, with their conditions. Methods also raise `TableError`.

    Attributes:
        rows: The index of each row in the table.
        notes: What a preview says about its reading, in sentences.
        own: Conditions from their cells and titles, by dimension.
        lent: Conditions of the whole table.

    Raises:
        TableError: The table does not match the entry.
    """

    def __init__(
        self, claim: ClaimedTable, statements: Statements, printed: PrintedConstants
    ) -> None:
        self.claim, self.statements = claim, statements
        self.entry, self.table = claim.entry, claim.table
        self.refusals: list[Reject] = []
        self.notes: list[str] = []
        self._refused: set[int] = set()
        self._titles: dict[int, list[Passage]] = {}
        # Rows with a cell that cannot be read, by their index in `rows`, with the reason.
        self._bad: dict[int, tuple[str, Cell]] = {}
        self._without_subject: set[int] = set()
        self._check_headings()
        printed.check(self.entry)
        around: Facts = {}
        for part in self.entry.constants:
            around |= {} if part.where else self.constants(part.constants)
        for text in reversed(self.entry.below):
            around |= self._stated_by(text, self.table.below)
        for pattern in reversed(self.entry.headings):
            around |= self._stated_above(pattern)
        self._check_lower_headings(around)
        self.rows: list[int] = []
        # The columns of each condition in cells.
        self._places: dict[str, list[int]] = {}
        self.own = self._read_conditions(self._find_rows())
        self.lent = self.overlay(around)
        for part in self.entry.constants:
            if part.where:
                holds = self.holds(part.where, self.overlay(self.own, self.lent))
                self.lent = self.overlay(self._constants_where(holds, part), self.lent)

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

    def _stated_above(self, pattern: HeadingPattern) -> Facts:
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

    def texts_of_row(self, number: int) -> Iterator[Passage]:
        """The texts of a row that may print the unit of its numbers: its titles, its metric, a unit
        that is ignored.
        """
        row = self.rows[number]
        yield from self._titles[row]
        for at, heading in enumerate(self.claim.headings):
            text, specs = self.table.texts[row][at], heading.column.specs if heading.column else ()
            # `s` and `m` may be sizes of models.
            is_unit = (
                not specs and measure_of(text) and (len(text) > 1 or "unit" in fold(heading.text))
            )
            if is_unit or any(METRIC in spec.captures for spec in specs):
                yield Passage((self.table.cell(row, at),), "column_heading")

    def _stated_by(self, pattern: str, passages: Iterable[Passage]) -> Facts:
        """The conditions in the nearest passage that a pattern matches."""
        nearest: list[str] = []
        for passage in passages:
            matches = list(compiled(pattern).finditer(plain(passage.text)))
            if not matches:
                nearest += [repr(passage.text[:SHOWN])] if len(nearest) < _NEAREST else []
                continue
            found: Facts = {}
            for _, spans in matches:
                for name, one in self.facts(spans, passage).items():
                    values = [
                        self.statements[each].value for each in (found.setdefault(name, one), one)
                    ]
                    if values[0] != values[1]:
                        reason = f"`{pattern}` matches {values[0]!r} and {values[1]!r} in {passage.text[:SHOWN]!r}"
                        raise TableError("stated_twice", reason, passage.pieces[0])
            return found
        words = f", the nearest are {'; '.join(nearest)}" if nearest else ""
        raise TableError("not_stated", f"no text there matches `{pattern}`{words}")

    def _check_lower_headings(self, around: Facts) -> None:
        """Refuse a table below a heading that contradicts what is stated above it, or that nothing
        explains.

        A heading that no pattern or constant of the entry matches must have no number and no known
        name. Any heading, caption, or sentence that ends in a colon must have no other name of a
        condition stated above it or constant.
        """
        lines: dict[str, int] = {}
        marked = {
            name
            for _, part in self.entry.given()
            for name, text in part.items()
            if text.startswith(UNPRINTED)
        }
        for name, one in around.items():
            # What a template gives is different in each row.
            if name not in self.entry.templated | marked:
                lines[name] = self.statements[one].cell.line
        sections = [
            one[1:-1] if is_pattern(one) else f"^{re.escape(one)}$" for one in self.entry.section
        ]
        given = [words for _, part in self.entry.given() for words in part.values()]
        words = [rf"\b{re.escape(text)}\b" for text in given]
        for passage in (*self._rows_above(), *self.table.near):
            text = plain(passage.text)
            above = {name for name, line in lines.items() if line < passage.pieces[0].line}
            if not above or (passage.level == "sentence" and not text.endswith(":")):
                continue
            explained: set[int] = set()
            for pattern in (*self.entry.patterns_around, *sections, *words):
                for (start, end), _ in compiled(pattern).finditer(text):
                    explained.update(range(start, end))
            mentions = [one for one in find_mentions(text) if one.kind in NAMES]
            others = []
            for kind in above:
                names = [one for one in mentions if one.kind == kind]
                if not any(self._is_stated(one, explained, around) for one in names):
                    others += [text[one.start : one.end] for one in names]
            if passage.level == "heading" and not explained and any(lines[name] for name in above):
                parts = text.split()
                # `3.1. Results`: the number of the heading itself
                is_numbered = not parts[0].isdecimal() and not parts[0].strip("0123456789.)")
                others += [word for word in parts[is_numbered:] if any(map(str.isdecimal, word))]
                others += [one.value for one in mentions if one.kind not in around]
            if others:
                reason = f"no pattern of the entry explains {others[0]!r} in {text[:SHOWN]!r}"
                hint = "state it by a pattern in `headings`; one without groups only explains it"
                raise TableError("unread_heading", f"{reason}: {hint}", passage.pieces[0])

    def _is_stated(self, mention: Mention, explained: set[int], around: Facts) -> bool:
        """Whether a name is matched, or is the stated one in another spelling or with words around
        it.
        """
        names = [self.statements[around[mention.kind]].value, mention.value]
        entries = [find(NAMES[mention.kind], name) for name in names]
        known = [entry.name for entry in entries if entry]
        one, other = map(fold, names)
        is_same = one in other or other in one or (len(known) == 2 and known[0] == known[1])
        return is_same or not explained.isdisjoint(range(mention.start, mention.end))

    # Rows

    def _find_rows(self) -> list[Facts]:
        """Find the rows below the headings; returns the conditions of the titles over each."""
        table, first, width = self.table, self.claim.first, len(self.claim.headings)
        titles: list[Facts] = []
        title: Facts = {}
        unread: str | None = None
        over: list[Passage] = []
        headings = table.texts[first - 1] if first else ()
        for number, row in enumerate(islice(table.texts, first, None), start=first):
            if row == headings or table.is_rule(number):
                continue
            if self.entry.skip_rows and self._is_skipped(row):
                self.claim.skipped.add(number)
                continue
            present = len(row) - row.count("")
            if present > 1 and table.spans:
                # A cell over several columns counts once.
                cells = zip(row, table.lines[number], table.starts[number], strict=True)
                present = len({(line, start) for text, line, start in cells if text})
            is_surplus = any(row[width:])
            # A blank cell behind a full row is no cell; behind other blank cells it may be one that
            # was moved.
            is_moved = len(row) > width and not all(row[:width])
            if width > 1 and present == 1 and not is_surplus and not self._is_number_alone(row):
                title, unread = self._title(number, max(row), title)
                # Titles directly below each other belong together.
                over = [] if number - 1 in self._titles else over
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
                self.rows.append(number)
                self._titles[number] = over
                titles.append(title)
        return titles

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
        is_alone = self.entry.title is None and len(texts) == 1
        return (
            is_alone
            and self.claim.headings[row.index(texts[0])].is_value
            and number_unit(texts[0]) is not None
        )

    def _title(self, number: int, text: str, title: Facts) -> tuple[Facts, str | None]:
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
                else (self.facts(spans, Passage((cell,), "row_title")), None)
            )
        except TableError:
            return title, text

    def refuse_row(self, number: int, rule: str, reason: str, cell: Cell | None = None) -> None:
        """Refuse a row of the table."""
        self._refused.add(number)
        self.refusals.append(self.claim.reject_row(number, rule, reason, cell))

    def refuse_cell(self, number: int, at: int, rule: str, reason: str) -> None:
        """Refuse a row at its cell in a column; `number` is its index in `rows`."""
        self.refuse_row(self.rows[number], rule, reason, self.table.cell(self.rows[number], at))

    # Their conditions

    def _read_conditions(self, titles: list[Facts]) -> dict[str, Column]:
        """The conditions of each row from columns and titles; rows that cannot be read are removed."""
        stated: dict[str, Column] = {}
        for at, heading in enumerate(self.claim.headings):
            if heading.is_ignored or heading.is_value:
                continue
            for name, column in self.overlay(self._of_cells(at), self.of_heading(at)).items():
                if any(a and b for a, b in zip(stated.get(name, ()), column, strict=False)):
                    other = self.claim.headings[self._places[name][-1]].text
                    raise TableError(
                        "stated_twice", f"{other!r} and {heading.text!r} both state `{name}`"
                    )
                stated[name] = [
                    a or b for a, b in zip(column, stated.get(name, column), strict=True)
                ]
                self._places.setdefault(name, []).append(at)
        for name in [name for name in dict.fromkeys(self.entry.fill_down) if name in stated]:
            stated[name] = self._filled_down(name, stated[name])
        names = dict.fromkeys(chain.from_iterable(titles))
        stated = self.overlay(
            stated, {name: [title.get(name, 0) for title in titles] for name in names}
        )
        for number, (reason, cell) in self._bad.items():
            self.refuse_row(self.rows[number], "unread_condition", reason, cell)
        kept = [number for number in range(len(self.rows)) if number not in self._bad]
        self.rows = [self.rows[number] for number in kept]
        return {name: [column[number] for number in kept] for name, column in stated.items()}

    def _filled_down(self, name: str, column: Column) -> Column:
        """A condition with the blank cells of its columns filled from above; one from above a
        refused row is refused.

        A cell with a text that does not state the condition, as `A6000` below `4090 * 2`, is not
        blank.
        """
        are_blank = [
            [self._is_blank(name, at, text) for text in self.column(at)[0]]
            for at in self._places[name]
        ]
        blank = [all(row) for row in zip(*are_blank, strict=True)]
        whole: Column = []
        filled: Counter[str | None] = Counter()
        last, is_lost = 0, False
        for number, one in enumerate(column):
            before = self.rows[number - 1] if number else self.claim.first - 1
            is_broken = number in self._bad or not self._refused.isdisjoint(
                range(before, self.rows[number])
            )
            is_blank = not one and (number in self._bad or blank[number])
            is_lost = (is_lost or is_broken) and is_blank
            last = last if is_blank and not is_lost else one
            whole.append(last)
            if last and not one:
                filled[self.statements.values[last]] += 1
            if is_lost:
                reason = f"its `{name}` comes from a refused row above"
                self._bad.setdefault(number, (reason, self.table.cell(self.rows[number], 0)))
        words = ", ".join(f"{value} in {count}" for value, count in filled.most_common(_LISTED))
        self.notes.append(f"`fill_down: {name}` fills {filled.total()} rows: {words or 'none'}")
        return whole

    def _is_blank(self, name: str, at: int, text: str) -> bool:
        """Whether a cell takes a condition from above.

        An alternative that states other conditions, as `- int8` below `Marian 1.11`, is blank for
        the framework.
        """
        column = self.claim.headings[at].column
        specs = column.specs if column else ()
        fitting = next((spec for spec in specs if spec.spans(text) is not None), None)
        stating = {one for spec in specs if name in spec.captures for one in spec.captures}
        is_other = fitting is not None and stating.isdisjoint(fitting.captures)
        return is_other or self.entry.is_missing(text)

    def _of_cells(self, at: int) -> dict[str, Column]:
        """The conditions in a column whose cells are read."""
        heading, texts = self.claim.headings[at], self.column(at)[0]
        specs = heading.column.specs if heading.column else ()
        known: dict[str, Parts] = {}
        fitting: dict[str, Spec] = {}
        faults: dict[str, str] = {}
        for text in dict.fromkeys(texts):
            if self.entry.is_missing(text):
                continue
            faults[text] = f"{text[:SHOWN]!r} does not match the mapping of {heading.text!r}"
            try:
                for spec in specs:
                    if (parts := self.parts(spec, text)) is not None:
                        known[text], fitting[text] = parts, spec
                        del faults[text]
                        break
            except TableError as error:
                faults[text] = str(error)
        for number, text in enumerate(texts):
            if text in faults:
                self._bad.setdefault(number, (faults[text], self.table.cell(self.rows[number], at)))
        found = self.of_column(at, known, "row")
        for spec in specs:
            if spec.constants:
                found = self.overlay(
                    self._constants_where([fitting.get(text) is spec for text in texts], spec),
                    found,
                )
        return found

    def _constants_where(self, holds: Sequence[bool], part: Constants) -> dict[str, Column]:
        return {
            name: [one if h else 0 for h in holds]
            for name, one in self.constants(part.constants).items()
        }

    def column(self, at: int) -> tuple[list[str], list[int], list[int]]:
        """Texts, lines and offsets of the cells of a column."""
        rows = self.rows
        texts, lines, starts = self.table.texts, self.table.lines, self.table.starts
        return (
            [texts[row][at] for row in rows],
            [lines[row][at] for row in rows],
            [starts[row][at] for row in rows],
        )

    def of_column(self, at: int, known: Mapping[str, Parts], level: Level) -> dict[str, Column]:
        """The conditions in a column by dimension, looked up in `known` by text."""
        columns: dict[str, Column] = {}
        texts, lines, starts = self.column(at)
        # Without spans, every cell is a new place.
        are_new = level == "row" and not self.table.spans
        for name in dict.fromkeys(chain.from_iterable(known.values())):
            of_text = {text: parts[name] for text, parts in known.items() if name in parts}
            rows = [row for row, text in enumerate(texts) if text in of_text]
            values, printed, offsets = zip(*(of_text[texts[row]] for row in rows), strict=True)
            places = [starts[row] + offset for row, offset in zip(rows, offsets, strict=True)]
            at_lines = [lines[row] for row in rows]
            found = self.statements.add_column(
                name, level, values, printed, at_lines, places, are_new=are_new
            )
            stated = dict(zip(rows, found, strict=True))
            columns[name] = [stated.get(row, 0) for row in range(len(texts))]
        return columns

    # Numbers without a model or a platform

    def with_subjects(self, block: NumberBlock, kind: str) -> NumberBlock:
        """A block without the numbers that lack a model or a platform, which are refused by
        `no_subject`.

        A size or a price needs neither; what other rows of the table state, each row has to state.
        """
        lacking: set[int] = set()
        given = block.conditions
        is_result = kind != "size" and not block.unit.startswith("USD")
        of_cells = [name for name in SUBJECTS if any(self.own.get(name, ()))]
        is_whole = all(all(given.get(name, (0,))) for name in SUBJECTS)
        for at, row in enumerate(() if is_whole else block.rows):
            stated = {name for name in SUBJECTS if name in given and given[name][at]}
            reason = missing_subject(stated, kind) if is_result else None
            blank = next((name for name in of_cells if name not in stated), None)
            if blank:
                reason = f"no cell states its `{blank}`, which other rows state; `constants` with `where` can"
            if reason is None:
                continue
            lacking.add(at)
            if row not in self._without_subject:
                self._without_subject.add(row)
                hints = (
                    self._fill_down_hint(row, name)
                    for name in self._subject_columns
                    if name not in stated
                )
                self.refuse_row(row, "no_subject", reason + "".join(hints))
        for name in SUBJECTS:
            if name in given:
                given[name] = [
                    0 if self.statements.values[one] == UNNAMED else one for one in given[name]
                ]
        return block.without(lacking) if lacking else block

    @cached_property
    def _subject_columns(self) -> dict[str, int]:
        """The first filled row of each column that states a model or a platform, or a part of its
        template.

        A column that prints the same value in two rows in turn is not among them: a blank cell of
        it means no value.
        """
        found: dict[str, int] = {}
        for name in self.entry.subjects:
            values = self.statements.values_of(self.own.get(name, ()))
            if any(values) and not any(a and a == b for a, b in pairwise(values)):
                found[name] = next(number for number, value in enumerate(values) if value)
        return found

    def _fill_down_hint(self, row: int, name: str) -> str:
        """The advice to fill a blank cell from above; "" below no filled cell, or beside a filled
        one before it.

        A filled cell before it begins another group of rows.
        """
        number = bisect_left(self.rows, row)
        is_blank = not self.own[name][number] and not any(
            self.table.texts[row][: self._places.get(name, [0])[-1]]
        )
        is_below = self._subject_columns[name] < number
        return (
            f"; `fill_down: {name}` copies it from the row above" if is_blank and is_below else ""
        )

    # Single texts

    def overlay(self, *levels: Mapping[str, Column | int]) -> dict[str, Column]:
        """The conditions of each row from several levels, the first before the others; one alone
        holds for all rows.
        """
        found: dict[str, Column] = {}
        for level in levels:
            for name, column in level.items():
                column = [column] * len(self.rows) if isinstance(column, int) else column
                found[name] = (
                    [a or b for a, b in zip(found[name], column, strict=True)]
                    if name in found
                    else column
                )
        return found

    def facts(self, spans: Spans, passage: Passage) -> Facts:
        """The conditions in parts of a passage."""
        found: Facts = {}
        for name, span in spans.items():
            if name != VALUE:
                cell = passage.cell(*span)
                self._check_is_no_sum(name, passage.text[slice(*span)])
                value = self._value(name, passage.text[slice(*span)], cell)
                found[name] = self.statements.add(Stated(name, value, cell, passage.level))
        return found

    def parts(self, spec: Spec, text: str) -> Parts | None:
        """The conditions in a cell; None if the spec does not match."""
        if (spans := spec.spans(text)) is None:
            return None
        parts = [
            (name, text[start:end], start) for name, (start, end) in spans.items() if name != VALUE
        ]
        for name, part, _ in parts:
            self._check_is_no_sum(name, part)
        return {name: (self._value(name, part), part, start) for name, part, start in parts}

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

    def of_heading(self, at: int) -> Facts:
        """The conditions in a heading."""
        heading = self.claim.headings[at]
        return self.facts(heading.groups, heading.passage)

    def constants(self, constants: Mapping[str, str]) -> Facts:
        """Constants as statements; templates are filled later."""
        texts = {name: value.removeprefix(UNPRINTED) for name, value in constants.items()}
        return {
            name: self.statements.add(
                Stated(name, text if TEMPLATE.search(text) else self._value(name, text))
            )
            for name, text in texts.items()
        }

    def _value(self, name: str, text: str, cell: Cell | None = None) -> str:
        try:
            return read_condition(name, self.entry.name_of(name, " ".join(text.split())))
        except ValueError as error:
            raise TableError("unread_condition", str(error), cell) from error

    def holds(self, where: Mapping[str, str], conditions: ByDimension) -> list[bool]:
        """For each row, whether it states these conditions."""
        holds = [True] * len(self.rows)
        for name, wanted in where.items():
            folded = {fold(wanted), fold(self._value(name, wanted))}
            values = self.statements.values_of(conditions.get(name) or [0] * len(self.rows))
            holds = [
                h and fold(value or "") in folded for h, value in zip(holds, values, strict=True)
            ]
        return holds

    def filled(self, conditions: dict[str, Column]) -> dict[str, Column]:
        """Conditions with their templates filled from groups and columns."""
        made = cache(self._made)
        for name in sorted(self.entry.templated & conditions.keys()):
            whole: Column = []
            for row, one in enumerate(conditions[name]):
                parts = TEMPLATE.findall(self.statements.values[one] or "")
                used = tuple(
                    (part, conditions[part][row] if part in conditions else 0) for part in parts
                )
                whole.append(made(name, one, used) if used else one)
            conditions[name] = whole
        return conditions

    def _made(self, name: str, template: int, used: tuple[tuple[str, int], ...]) -> int:
        """A filled template; 0 if a statement is missing."""
        if not all(one for _, one in used):
            return 0
        values, known = dict(used), dimensions().get(name)
        text = TEMPLATE.sub(
            lambda part: self.statements[values[part[1]]].value, self.statements[template].value
        )
        factors = [part.strip().replace(",", "") for part in text.split("*")]
        if (
            known
            and known.type is Type.COUNT
            and len(factors) > 1
            and all(map(str.isdecimal, factors))
        ):
            text = str(prod(map(int, factors)))
        shown = next(
            (self.statements[one] for _, one in used if self.statements.texts[one]),
            Stated(name, text),
        )
        return self.statements.add(
            shown._replace(dimension=name, value=self._value(name, text, shown.cell))
        )
