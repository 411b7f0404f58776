"""Finds the mapping entry of a table, by the text above it and by its headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from operator import itemgetter
from typing import Any

from pipelines.exceptions import BenchledgerError
from pipelines.extract.rows import Reject
from pipelines.extract.tables.mapping import DeclaredColumn, MappingEntry, Spec
from pipelines.extract.tables.patterns import Spans
from pipelines.extract.tables.printed import Passage, PrintedTable, rejected, section_of
from pipelines.read.document import Cell

# Rows that are searched for the headings.
_HEADER_SEARCHED = 4
_LISTED = 8


@dataclass
class Heading:
    """A heading: its printed parts from top to bottom, each once, and its column in the mapping.

    `groups` is captured by the pattern of the heading; `names` lists the best matches, of which two
    are an error.
    """

    passage: Passage
    column: DeclaredColumn | None = None
    groups: Spans = field(default_factory=dict)
    names: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The parts, joined by blanks."""
        return self.passage.text

    @property
    def specs(self) -> Sequence[Spec]:
        """What its cells are; nothing for a column that is not read."""
        return self.column.specs if self.column else ()

    @property
    def is_value(self) -> bool:
        """Whether measured numbers are below it."""
        return any(spec.is_value for spec in self.specs)

    @property
    def reads_parts(self) -> bool:
        """Whether parts of its cells may be left unread."""
        return any(spec.match for spec in self.specs)

    @property
    def is_ignored(self) -> bool:
        """Whether its column is not read."""
        return not self.specs


@dataclass(frozen=True)
class ClaimedTable:
    """A claimed table: the first row below the headings, the headings, and the text that matched
    `section`.

    `gone` are its measured columns that the table lacks, `skipped` the rows that the mapping leaves
    out.
    """

    table: PrintedTable
    entry: MappingEntry
    first: int
    headings: list[Heading]
    below: Passage | None
    gone: Sequence[str] = ()
    skipped: set[int] = field(default_factory=set)

    @cached_property
    def ignored(self) -> list[int]:
        """The columns that the mapping ignores."""
        return [at for at, heading in enumerate(self.headings) if heading.is_ignored]

    @property
    def section(self) -> dict[str, Any]:
        """The heading above its rows, with its line; in text without headings, the matched section."""
        return section_of(self.table.heading or self.below)

    def reject_row(self, row: int, rule: str, reason: str, cell: Cell | None = None) -> Reject:
        """The reject of a row, placed at a cell: by default the first one."""
        texts = self.table.texts[row]
        cell = cell or self.table.cell(row, next((at for at, text in enumerate(texts) if text), 0))
        return rejected(texts, cell, rule, reason, **self.section)

    def reject_gone(self) -> Reject:
        """The reject that names the measured columns that are gone."""
        names = ", ".join(f"`{name}`" for name in self.gone)
        reason = f"the measured columns {names} are gone, the others are read: delete them from the mapping"
        cell = next(piece for heading in self.headings for piece in heading.passage.pieces)
        return rejected([cell.text], cell, "column_gone", reason, scope="table", **self.section)


class TableError(BenchledgerError):
    """A table that is refused: rule, reason, and the cell with the problem."""

    def __init__(self, rule: str, reason: str, cell: Cell | None = None) -> None:
        super().__init__(reason)
        self.rule, self.reason, self.cell = rule, reason, cell


class RowError(TableError):
    """A row that is refused."""


class Claims:
    """Finds the entry of each table of a document; called for the tables in their order."""

    def __init__(self, entries: Sequence[MappingEntry]) -> None:
        self._entries = entries
        # Tables so far by entry and line of the section, for entries that read the n-th one.
        self._met: Counter[tuple[int, int]] = Counter()
        self._used: set[int] = set()

    def claim(self, table: PrintedTable) -> ClaimedTable:
        """The one entry that claims a table.

        Raises:
            TableError: No entry does, or several do.
        """
        claims: list[ClaimedTable] = []
        nearly: list[str] = []
        for entry, section, found in self._bound(table):
            if isinstance(found, str):
                nearly.append(f"line {entry.line}: {found}")
                continue
            # The n-th table below a section is counted among those that the entry could read.
            place = entry.line, section.line if section else 0
            self._met[place] += 1
            if entry.nth in (None, self._met[place]):
                claims.append(found)
        self._used |= {claim.entry.line for claim in claims}
        if len(claims) == 1:
            return claims[0]
        if claims:
            lines = " and ".join(str(claim.entry.line) for claim in claims)
            reason = (
                f"the mapping entries in lines {lines} match this table: separate them by `section`"
            )
            raise TableError("claimed_twice", reason)
        if nearly:
            reason = f"no mapping entry matches this table ({'; '.join(nearly[:_LISTED])})"
            raise TableError("schema_drift", reason)
        reason = "the source has no mapping; `benchledger map SOURCE` drafts one"
        if self._entries:
            reason = (
                "no `section` of the mapping is above this table: add an entry, or `skip: true`"
            )
        if self._entries and table.path:
            reason = f"no entry of the mapping is for these records: add one with `records: {table.path}`, or `skip: true`"
        raise TableError("no_mapping", reason)

    def claim_part(self, table: PrintedTable) -> ClaimedTable | None:
        """The one entry without a table that a table lacks nothing but measured columns of, and
        adds none to.
        """
        claims = []
        for entry, _, found in self._bound(table, lacks_measured=True):
            is_free = entry.line not in self._used and not (entry.skip or entry.rows or entry.nth)
            if is_free and isinstance(found, ClaimedTable):
                claims.append(found)
        if len(claims) != 1:
            return None
        self._used.add(claims[0].entry.line)
        return claims[0]

    def _bound(
        self, table: PrintedTable, *, lacks_measured: bool = False
    ) -> Iterator[tuple[MappingEntry, Passage | None, ClaimedTable | str]]:
        """The entries whose section is above a table, with that text, and what `_bind` finds."""
        headings = list(headings_of(table))
        for entry in self._entries:
            if (entry.rows or table.rows_of) and entry.line != table.rows_of:
                continue
            if entry.records and table.path not in entry.records:
                continue
            above = (passage for passage in table.near if entry.is_below(passage.text))
            section = next(above, None)
            if section or not entry.section:
                found = _bind(table, entry, headings, section, lacks_measured=lacks_measured)
                yield entry, section, found

    def gone(self) -> Iterator[str]:
        """A sentence for each entry that should read a table and has claimed none."""
        for entry in self._entries:
            if entry.line not in self._used and not entry.skip:
                words = [f"section `{text}`" for text in entry.section]
                words += [
                    f"heading `{column.written}`" for column in entry.declared if column.is_own
                ]
                looked_for = f" ({', '.join(words[:_LISTED])})" if words else ""
                yield f"no table matches line {entry.line} of the mapping{looked_for}"


def headings_of(table: PrintedTable) -> Iterator[tuple[int, list[Passage]]]:
    """Candidates for the headings, each with the next row: one of the first rows, or all rows down
    to one. Those of records are their keys.
    """
    if table.keys:
        yield 1, [Passage(keys, "column_heading", separator=".") for keys in table.keys]
        return
    for last in range(min(_HEADER_SEARCHED, len(table.texts))):
        for first in dict.fromkeys([last, 0]):
            numbers = [row for row in range(first, last + 1) if not table.is_rule(row)]
            passages = []
            for column in zip_longest(*(table.rows[row] for row in numbers)):
                parts = {cell.text: cell for cell in column if cell is not None}
                parts.pop("", None)
                passages.append(Passage(tuple(parts.values()), "column_heading"))
            yield last + 1, passages


def _bind(
    table: PrintedTable, entry: MappingEntry, candidates: Iterable[tuple[int, list[Passage]]],
    section: Passage | None, *, lacks_measured: bool = False,
) -> ClaimedTable | str:  # fmt: skip
    """The candidate with all headings of an entry and fewest others; if there is none, a sentence.

    `lacks_measured`: it may lack measured columns, and has no other headings unless the entry
    ignores them.
    """
    if entry.skip and not entry.declared:
        return ClaimedTable(table, entry, 0, [], section)
    lacking: list[tuple[list[str], list[Heading]]] = []
    found: list[tuple[int, ClaimedTable]] = []
    for first, passages in candidates:
        headings = [_heading(entry, passage) for passage in passages]
        names = {name for heading in headings for name in heading.names}
        absent = [one for one in entry.declared if one.is_own and one.written not in names]
        missing = [one.written for one in absent if not (lacks_measured and one.is_value)]
        if missing:
            lacking.append((missing, headings))
        elif entry.skip or entry.rows or any(heading.is_value for heading in headings):
            unknown = [one for one in headings if one.passage.pieces and one.column is None]
            if lacks_measured and unknown and entry.others is None:
                continue
            gone = [one.written for one in absent]
            claim = ClaimedTable(table, entry, first, headings, section, gone)
            found.append((len(unknown) + len(gone), claim))
            if not (unknown or lacks_measured):
                break
    if found:
        return min(found, key=itemgetter(0))[1]
    if not lacking:
        return "none of its headings is a measured column"
    missing, headings = min(lacking, key=lambda one: len(one[0]))
    others = [one.text for one in headings if one.passage.pieces and one.column is None]
    if len(missing) == len(others) == 1 < len(headings) - 1:
        agree = f"{len(headings) - 1} of {len(headings)} headings agree"
        return f"`{missing[0]}` is now `{others[0]}`: {agree}"
    return f"it has no heading {', '.join(f'`{name}`' for name in missing[:_LISTED])}"


def _heading(entry: MappingEntry, passage: Passage) -> Heading:
    fits = [(column, column.fit(passage.text)) for column in entry.declared]
    fitting = [(column, spans) for column, spans in fits if spans is not None]
    if not fitting:
        return Heading(passage)
    rank = min(column.rank for column, _ in fitting)
    best = [(column, spans) for column, spans in fitting if column.rank == rank]
    return Heading(passage, *best[0], [column.written for column, _ in best])
