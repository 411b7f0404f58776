"""The rows of a claimed table with their conditions, from cells, titles and headings.

The texts around the table belong in `stated_conditions.py`, the measured columns in `apply.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pipelines.extract.conditions import SUBJECTS, Stated, missing_subject
from pipelines.extract.rows import Reject
from pipelines.extract.tables.cell_values import number_unit
from pipelines.extract.tables.claims import ClaimedTable, Heading, RowError, TableError
from pipelines.extract.tables.constant_check import PrintedConstants
from pipelines.extract.tables.language import METRIC, SHOWN
from pipelines.extract.tables.mapping import Spec
from pipelines.extract.tables.patterns import fold
from pipelines.extract.tables.printed import Passage
from pipelines.extract.tables.stated_conditions import (
    Conditions,
    TextsAround,
    constants_of,
    holds,
    stated_in,
)
from pipelines.read.document import Cell
from pipelines.vocabulary.units import measure_of

_LISTED = 8


@dataclass
class StatedRow:
    """A row of a table.

    Attributes:
        number: Its index in the table.
        titles: The titles over it.
        own: Conditions from its cells and titles.
        lent: Conditions of the whole table.
        fault: Why it is refused; None for a row that can be read.
    """

    number: int
    titles: list[Passage]
    own: Conditions
    lent: Conditions
    fault: RowError | None = None


class StatedRows:
    """The rows of a table that can be read, with their conditions. Methods also raise `TableError`.

    Attributes:
        around: The texts around the table.
        rows: The rows.
        refusals: The rows that are refused.
        notes: What a preview says about its reading, in sentences.

    Raises:
        TableError: The table does not match the entry.
    """

    def __init__(self, claim: ClaimedTable, printed: PrintedConstants) -> None:
        self.claim, self.entry, self.table = claim, claim.entry, claim.table
        self.refusals: list[Reject] = []
        self.notes: list[str] = []
        self._without_subject: set[int] = set()
        # Rows by dimension and heading of `coalesce`.
        self._filled_from: Counter[tuple[str, str]] = Counter()
        # What each text below a heading states, with the place of each part in it.
        self._known: dict[tuple[int, str, str | None], list[tuple[Stated, int]]] = {}
        self._unread = {
            at for at, one in enumerate(claim.headings) if one.is_ignored or one.is_value
        }
        self._check_headings()
        printed.check(self.entry)
        self.around = TextsAround(claim)
        self.around.stated |= printed.of_lists(self.entry)
        self.of_headings = [self._of_heading(heading) for heading in claim.headings]
        rows = [*self._all_rows()]
        for (name, heading), count in self._filled_from.items():
            self.notes.append(f"`coalesce: {name}` takes {heading!r} in {count} rows")
        for name in dict.fromkeys(self.entry.fill_down):
            self._fill_down(name, rows)
        for row in rows:
            if row.fault and row.fault.rule:
                self.refuse_row(row, row.fault)
        self.rows = [row for row in rows if row.fault is None]
        for part in self.entry.constants if self.rows else ():
            constants = constants_of(self.entry, part.constants) if part.where else {}
            for row in self.rows if part.where else ():
                if holds(self.entry, part.where, row.lent | row.own):
                    row.lent = row.lent | constants

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

    def _of_heading(self, heading: Heading) -> Conditions:
        if heading.is_ignored:
            return {}
        return stated_in(self.entry, heading.groups, heading.passage)

    # Rows

    def _all_rows(self) -> Iterator[StatedRow]:
        """The rows below the headings, those that are refused among them."""
        table, first = self.table, self.claim.first
        title: Conditions = {}
        over: list[Passage] = []
        unread, last = "", first - 1
        for number, texts in enumerate(table.texts[first:], start=first):
            is_repeated = first > 0 and texts == table.texts[first - 1]
            if is_repeated or table.is_rule(number):
                continue
            if self._is_skipped(texts):
                self.claim.skipped.add(number)
                continue
            row = StatedRow(number, over, dict(title), self.around.stated)
            if cell := self._title_cell(table.rows[number]):
                passage = Passage((cell,), "row_title")
                # Titles directly below each other belong together.
                over = [*(over if last != number - 1 else ()), passage]
                stated = self._of_title(passage)
                title, unread = stated or {}, cell.text if stated is None else ""
                if stated is None and self.entry.titles is None:
                    reason = f"{unread[:SHOWN]!r} is alone in its row: describe it with `titles`, or use `titles: ignore`"
                    row.fault = RowError("unread_title", reason)
                    yield row
                continue
            last = number
            if not self._fits(texts):
                reason = f"it has {len(texts)} cells, but the table has {len(self.claim.headings)} headings"
                has_digits = any(map(str.isdecimal, "".join(texts)))
                # A row of words without numbers is left out.
                row.fault = RowError("row_does_not_fit" if has_digits else "", reason)
            elif unread:
                reason = f"it is below {unread[:SHOWN]!r}, which no `titles` explains"
                row.fault = RowError("unread_condition", reason)
            else:
                self._read_cells(row)
            yield row

    def _is_skipped(self, texts: Sequence[str]) -> bool:
        """Whether a cell of a row that is no measured number is listed under `skip_rows`."""
        if not self.entry.skip_rows:
            return False
        cells = zip(texts, self.claim.headings, strict=False)
        others = (text for text, heading in cells if text and not heading.is_value)
        return any(map(self.entry.is_skipped, others))

    def _title_cell(self, row: Sequence[Cell]) -> Cell | None:
        """The one cell of a title row.

        A measured number alone in its row, of which nothing is stated, is no title.
        """
        headings, present = self.claim.headings, [at for at, cell in enumerate(row) if cell.text]
        # A cell over several columns counts once.
        is_alone = len({row[at] for at in present}) == 1 and present[-1] < len(headings)
        if len(headings) == 1 or not is_alone or self.table.path:
            return None
        cell = row[present[0]]
        is_number = len(present) == 1 and headings[present[0]].is_value
        is_number = is_number and not self.entry.titles and number_unit(cell.text) is not None
        return None if is_number else cell

    def _fits(self, texts: Sequence[str]) -> bool:
        """Whether a row has a cell below each heading.

        A blank cell behind a full row is no cell; behind other blank cells it may be one that was
        moved.
        """
        width = len(self.claim.headings)
        left, surplus = texts[:width], texts[width:]
        return len(left) == width and not any(surplus) and (not surplus or all(left))

    def _of_title(self, passage: Passage) -> Conditions | None:
        """The conditions of a title row; None for one that cannot be read."""
        spec = self.entry.titles
        if spec is None:
            return {} if self.entry.is_missing(passage.text) else None
        try:
            spans = spec.spans(passage.text)
            return None if spans is None else stated_in(self.entry, spans, passage)
        except TableError:
            return None

    def refuse_row(self, row: StatedRow, fault: RowError) -> None:
        """Refuse a row, at the cell of the fault; once for all numbers without a subject."""
        if fault.rule == "no_subject" and row.number in self._without_subject:
            return
        if fault.rule == "no_subject":
            self._without_subject.add(row.number)
        reject = self.claim.reject_row(row.number, fault.rule, fault.reason, fault.cell)
        self.refusals.append(reject)

    # Their cells

    def _read_cells(self, row: StatedRow) -> None:
        """Add the conditions of the cells of a row; one that cannot be read is its fault.

        Raises:
            TableError: Two columns state different values of one condition.
        """
        places: dict[str, Heading] = {}
        first_filled = self._first_filled(row)
        for at, heading in enumerate(self.claim.headings):
            name = first_filled.get(at)
            if name is None and at in self._unread:
                continue
            found, cell = self.of_headings[at], self.table.cell(row.number, at)
            try:
                found = found | self._of_text(at, cell, name)
            except TableError as error:
                row.fault = row.fault or RowError(error.rule, error.reason, cell)
            if name is None and at in self._coalesced:
                found = {key: one for key, one in found.items() if key != self._coalesced[at]}
            for name, one in found.items():
                other = places.setdefault(name, heading)
                if other is not heading and row.own[name].value != one.value:
                    reason = f"{other.text!r} and {heading.text!r} both state `{name}`"
                    raise TableError("stated_twice", reason)
            row.own |= found

    @cached_property
    def _coalesced(self) -> dict[int, str]:
        """The dimension of each column that `coalesce` lists, in its order."""
        headings = enumerate(self.claim.headings)
        columns = {fold(one.column.written): at for at, one in headings if one.column}
        found: dict[int, str] = {}
        for name, listed in self.entry.coalesce.items():
            found |= {columns[fold(text)]: name for text in listed if fold(text) in columns}
        return found

    def _first_filled(self, row: StatedRow) -> dict[int, str]:
        """The columns of `coalesce` that count in a row, with what they state."""
        found: dict[str, int] = {}
        for at, name in self._coalesced.items():
            if not self.entry.is_missing(self.table.cell(row.number, at).text):
                found.setdefault(name, at)
        for name, at in found.items():
            self._filled_from[name, self.claim.headings[at].text] += 1
        return {at: name for name, at in found.items()}

    def _of_text(self, at: int, cell: Cell, coalesced: str | None) -> Conditions:
        """As `_of_cell`, each distinct text below a heading read once.

        Args:
            at: The column.
            cell: The cell, which gives the places.
            coalesced: The dimension that `coalesce` takes from it, or None.

        Raises:
            TableError: The text cannot be read; it is read again at the next cell.
        """
        key = at, cell.text, coalesced
        known = self._known.get(key)
        if known is None:
            found = self._of_cell(self.claim.headings[at], cell, coalesced)
            self._known[key] = [(one, one.cell.start - cell.start) for one in found.values()]
            return found
        again: Conditions = {}
        for one, start in known:
            name, value, printed, level, *_ = one
            if printed.line:
                one = Stated(name, value, cell.part(start, start + len(printed.text)), level)
            again[name] = one
        return again

    def _of_cell(self, heading: Heading, cell: Cell, coalesced: str | None = None) -> Conditions:
        """The conditions of a cell, or the one that `coalesce` takes from it."""
        if self.entry.is_missing(cell.text):
            return {}
        specs = heading.specs
        if coalesced:
            stating = [spec for spec in specs if coalesced in spec.captures]
            specs = stating or [Spec(field=coalesced)]
        for spec in specs:
            spans = spec.spans(cell.text)
            if spans is not None:
                stated = stated_in(self.entry, spans, Passage((cell,), "row"))
                return stated | constants_of(self.entry, spec.constants)
        reason = f"{cell.text[:SHOWN]!r} does not match the mapping of {heading.text!r}"
        raise TableError("unread_condition", reason)

    def _columns_of(self, name: str) -> list[int]:
        """The columns whose headings or cells state a condition."""
        found = []
        for at, heading in enumerate(self.claim.headings):
            stated = {*heading.groups}
            for spec in heading.specs:
                stated.update(spec.captures, spec.constants)
            if name in stated and not heading.is_value:
                found.append(at)
        return found

    def _fill_down(self, name: str, rows: Sequence[StatedRow]) -> None:
        """Fill the blank cells of a condition from above; one from above a refused row is a fault.

        A cell with a text that does not state the condition, as `A6000` below `4090 * 2`, is not
        blank.
        """
        columns = self._columns_of(name)
        last: Stated | None = None
        filled: Counter[str] = Counter()
        is_lost = False
        titles: Sequence[Passage] = ()
        for row in rows if columns else ():
            own, is_refused = row.own.get(name), row.fault is not None
            if own and own.level == "row_title":
                # What a title states holds below it as far as no cell states another value.
                if row.titles != titles:
                    last, is_lost = own, False
                own = None
            titles = row.titles
            is_blank = own is None and (is_refused or self._is_blank(name, row, columns))
            is_lost = is_blank and (is_lost or is_refused)
            if is_lost:
                reason = f"its `{name}` comes from a refused row above"
                cell = self.table.cell(row.number, 0)
                row.fault = row.fault or RowError("unread_condition", reason, cell)
            if is_lost or not is_blank:
                last = own
            elif last and row.own.get(name) is not last:
                row.own[name] = last
                filled[last.value] += 1
        words = ", ".join(f"{value} in {count}" for value, count in filled.most_common(_LISTED))
        self.notes.append(f"`fill_down: {name}` fills {filled.total()} rows: {words or 'none'}")

    def _is_blank(self, name: str, row: StatedRow, columns: Sequence[int]) -> bool:
        """Whether the cells of a row take a condition from above.

        An alternative that states other conditions, as `- int8` below `Marian 1.11`, is blank for
        the framework.
        """
        for at in columns:
            specs, text = self.claim.headings[at].specs, self.table.texts[row.number][at]
            fitting = next((spec for spec in specs if spec.spans(text) is not None), None)
            stating = {one for spec in specs if name in spec.captures for one in spec.captures}
            is_other = fitting is not None and stating.isdisjoint(fitting.captures)
            if not (is_other or self.entry.is_missing(text)):
                return False
        return True

    def texts_of(self, row: StatedRow, column: int) -> Iterator[Passage]:
        """The texts of a row that may print the unit of a column: its titles, its metric, a unit
        that is ignored; in records one of an object around the number.
        """
        yield from row.titles
        of_number = self.claim.headings[column].passage.texts
        for at, heading, is_metric in self._units_beside:
            around = heading.passage.texts[:-1] if self.table.keys else ()
            if around != of_number[: len(around)]:
                continue
            cell = self.table.cell(row.number, at)
            is_unit = heading.is_ignored and measure_of(cell.text) is not None
            # `s` and `m` may be sizes of models.
            is_unit = is_unit and (len(cell.text) > 1 or "unit" in fold(heading.text))
            if is_metric or is_unit:
                yield Passage((cell,), "column_heading")

    @cached_property
    def _units_beside(self) -> list[tuple[int, Heading, bool]]:
        """The columns that may print a unit of another, and whether they print metrics."""
        found = []
        for at, heading in enumerate(self.claim.headings):
            is_metric = any(METRIC in spec.captures for spec in heading.specs)
            if is_metric or heading.is_ignored:
                found.append((at, heading, is_metric))
        return found

    # Numbers without a model or a platform

    def check_subject(self, row: StatedRow, conditions: Conditions, kind: str) -> None:
        """Refuse the row of a number without a model or a platform.

        What other rows of the table state, each row has to state.

        Args:
            row: The row.
            conditions: The conditions of the number.
            kind: The kind of its metric; "" if it needs neither.

        Raises:
            RowError: One is missing.
        """
        reason = missing_subject(conditions, kind) if kind else None
        for name in SUBJECTS:
            if name not in conditions and name in self._stated_subjects:
                reason = f"no cell states its `{name}`, which other rows state; `constants` with `where` can"
                break
        if reason is None:
            return
        for name, first in self._left_out.items():
            # A filled cell before it begins another group of rows.
            columns = self._columns_of(name)
            before = self.table.texts[row.number][: columns[-1] if columns else 0]
            if name not in row.own and first < row.number and not any(before):
                reason += f"; `fill_down: {name}` copies it from the row above"
        raise RowError("no_subject", reason)

    @cached_property
    def _stated_subjects(self) -> set[str]:
        return {name for row in self.rows for name in SUBJECTS if name in row.own}

    @cached_property
    def _left_out(self) -> dict[str, int]:
        """The first row of each condition of a model or a platform that the table may leave out where
        it repeats.

        Where two rows in turn print the same value, a blank cell means no value.
        """
        found: dict[str, int] = {}
        for name in self.entry.subjects:
            numbers = [row.number for row in self.rows if name in row.own]
            values = [row.own[name].value if name in row.own else None for row in self.rows]
            if numbers and not any(a and a == b for a, b in pairwise(values)):
                found[name] = numbers[0]
        return found
