"""Which entry of a mapping a table belongs to: by what is printed above it, and by its headings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pipelines.extract.tables.entries import Column, Rules
from pipelines.extract.tables.patterns import Compiled, Spans, plain
from pipelines.extract.tables.printed import Passage, Table, fold, tables_of
from pipelines.extract.tables.statements import MEASURED
from pipelines.read.document import Cell, Document
from pipelines.read.flat_text import Declared

# Rows in which the headings are looked for.
_HEADER_SEARCHED = 4
_LISTED, _SHOWN = 8, 60


@dataclass
class Heading:
    """A heading: its printed parts from top to bottom, each once, and what the mapping says of its column.

    Attributes:
        parts: The printed parts.
        column: What the mapping says of it, or None.
        groups: What the pattern of the heading has captured.
        rival: A second pattern that fits as well.
    """

    parts: list[Cell]
    column: Column | None = None
    groups: Spans = field(default_factory=dict)
    rival: str | None = None

    @cached_property
    def text(self) -> str:
        """The parts, joined by blanks."""
        return " ".join(part.text for part in self.parts)

    def part(self, start: int, end: int) -> Cell:
        """The characters of the text `start`..`end`, where they are printed."""
        return Passage(tuple(self.parts), "heading").cell(start, end)


def tables_for(document: Document, taken: Collection[int], entries: Sequence[Rules]) -> list[Table]:
    """The tables of a document in the lines that are not taken, those in its text as the entries of a mapping say."""
    rows = [(rules.line, rules.rows) for rules in entries if rules.rows]
    return tables_of(document, taken, rows, _declared(entries) if entries else None)


def _declared(entries: Sequence[Rules]) -> Declared:
    columns = [column for rules in entries if not rules.rows for column in rules.columns]
    missing = frozenset[str]().union(*(rules.missing for rules in entries))

    def named_by(some: Sequence[Column]) -> Callable[[str], bool]:
        headings = {column.heading for column in some}
        patterns = [column.pattern for column in some if column.pattern]
        return lambda text: fold(text) in headings or any(one.fullmatch(plain(text)) is not None for one in patterns)

    measured = [column for column in columns if column.is_value]
    return Declared(named_by(columns), named_by(measured), lambda text: " ".join(text.split()) in missing)


@dataclass(frozen=True)
class Claim:
    """A table that an entry claims.

    Attributes:
        rules: The entry.
        first: The row below the headings.
        headings: The headings.
        section: The text above the table that the entry names, or None.
    """

    rules: Rules
    first: int
    headings: list[Heading]
    section: Passage | None


@dataclass(frozen=True)
class Unclaimed:
    """Why no entry reads a table: rule and reason."""

    rule: str
    reason: str


class Claims:
    """Finds the entry of each table of a document; tables are asked for in their order."""

    def __init__(self, entries: Sequence[Rules]) -> None:
        self._entries = entries
        # Tables met so far by entry and line of the section, for an entry that is about the n-th of them.
        self._met: dict[tuple[int, int], int] = {}
        self._used: set[int] = set()

    def claim(self, table: Table) -> Claim | Unclaimed:
        """The one entry that claims a table, or why none does."""
        claims: list[Claim] = []
        nearly: list[str] = []
        headings = list(_headings_of(table))
        for rules in self._entries:
            if (rules.rows is not None or table.rows_of is not None) and rules.line != table.rows_of:
                continue
            section = next((p for p in table.near if any(_fits(p, one) for one in rules.sections)), None)
            if rules.sections and section is None:
                continue
            found = _bind(rules, headings, section)
            if isinstance(found, str):
                nearly.append(f"line {rules.line}: {found}")
            elif self._is_meant(rules, section):
                claims.append(found)
        self._used |= {claim.rules.line for claim in claims}
        if len(claims) == 1:
            return claims[0]
        if claims:
            lines = " and ".join(str(claim.rules.line) for claim in claims)
            reason = f"the entries of lines {lines} of the mapping claim this table: tell them apart by `section`"
            return Unclaimed("claimed_twice", counted(table, reason))
        if nearly:
            reason = f"no entry of the mapping claims this table ({'; '.join(nearly[:_LISTED])})"
            return Unclaimed("schema_drift", counted(table, reason))
        reason = "no mapping says what this table means; `benchledger map SOURCE` drafts one"
        return Unclaimed("no_mapping", counted(table, reason))

    def _is_meant(self, rules: Rules, section: Passage | None) -> bool:
        """Whether an entry about the n-th table below its section is about this one, among those it could read."""
        if rules.entry.nth is None:
            return True
        place = rules.line, section.pieces[0].line if section else 0
        self._met[place] = self._met.get(place, 0) + 1
        return self._met[place] == rules.entry.nth

    def gone(self) -> Iterator[tuple[Rules, str]]:
        """The entries that no table was claimed by, each with the sentence that says so."""
        for rules in self._entries:
            if rules.line not in self._used:
                words = [f"section `{text}`" for text in rules.entry.section]
                words += [f"heading `{column.written}`" for column in rules.columns if column.is_own]
                looked_for = f" ({', '.join(words[:_LISTED])})" if words else ""
                yield rules, f"no table is as line {rules.line} of the mapping says{looked_for}"


def counted(table: Table, reason: str) -> str:
    """A reason with the headings of the table and how many numbers it holds."""
    headings = next((row for n, row in enumerate(table.texts) if not table.is_rule(n) and len(set(row)) > 1), ())
    names = ", ".join(repr(text[:_SHOWN]) for text in dict.fromkeys(headings) if text)
    count = sum(1 for row in table.texts[1:] for text in row if MEASURED.fullmatch(text))
    return f"{reason}. The table has {count} numbers below {names or 'no headings'}"


def _fits(passage: Passage, section: str | Compiled) -> bool:
    if isinstance(section, str):
        return fold(passage.text) == section
    return section.search(plain(passage.text)) is not None


def _headings_of(table: Table) -> Iterator[tuple[int, list[list[Cell]]]]:
    """What may be the headings of a table, each with the row below: one of its first rows, or all down to one."""
    for last in range(min(_HEADER_SEARCHED, len(table.texts))):
        for first in (last, 0) if last else (0,):
            rows = [row for row in range(first, last + 1) if not table.is_rule(row)]
            headings: list[list[Cell]] = []
            for column in range(max((len(table.texts[row]) for row in rows), default=0)):
                cells = (table.cell(row, column) for row in rows if column < len(table.texts[row]))
                headings.append(list({cell.text: cell for cell in cells if cell.text}.values()))
            yield last + 1, headings


def _bind(rules: Rules, candidates: Sequence[tuple[int, list[list[Cell]]]], section: Passage | None) -> Claim | str:
    """Where the headings of an entry are in a table; a sentence where they are not."""
    if rules.entry.skip and not rules.columns:
        return Claim(rules, 0, [], section)
    missing: list[str] | None = None
    best: tuple[int, Claim] | None = None
    for first, parts in candidates:
        headings = [Heading(cells) for cells in parts]
        lacking = _declare(rules, headings)
        if lacking:
            missing = lacking if missing is None or len(lacking) < len(missing) else missing
        elif rules.entry.skip or rules.rows or any(heading.column and heading.column.is_value for heading in headings):
            unnamed = sum(1 for heading in headings if heading.parts and heading.column is None)
            if best is None or unnamed < best[0]:
                best = unnamed, Claim(rules, first, headings, section)
            if unnamed == 0:
                break
    if best:
        return best[1]
    if missing is None:
        return "none of its headings is that of a measured column"
    return f"it has no heading {', '.join(f'`{name}`' for name in missing[:_LISTED])}"


def _declare(rules: Rules, headings: Sequence[Heading]) -> list[str]:
    """Say of each heading what the entry says; gives the declared ones that are not there.

    A heading that is written out goes before a pattern, and what the entry says before what the file says.
    """
    found = set[str]()
    for heading in headings:
        folded, text = fold(heading.text), plain(heading.text)
        fitting: list[tuple[Column, Spans]] = []
        for column in rules.columns:
            spans: Spans | None = {} if column.heading is not None and column.heading == folded else None
            if column.pattern is not None:
                spans = column.pattern.fullmatch(text)
            if spans is not None:
                fitting.append((column, spans))
        if fitting:
            rank = min(_rank(column) for column, _ in fitting)
            best = [(column, spans) for column, spans in fitting if _rank(column) == rank]
            heading.column, heading.groups = best[0]
            heading.rival = best[1][0].written if len(best) > 1 else None
            found |= {column.written for column, _ in best}
    return [column.written for column in rules.columns if column.is_own and column.written not in found]


def _rank(column: Column) -> tuple[bool, bool]:
    return not column.is_own, column.pattern is not None
