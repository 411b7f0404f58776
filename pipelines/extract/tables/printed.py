"""The tables of a document, each with the texts above and below it; their meaning belongs in
`apply.py`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from operator import attrgetter
from typing import Any

from pipelines.extract.rows import Level, Reject
from pipelines.extract.tables.cell_values import number_unit
from pipelines.extract.tables.mapping import DeclaredColumn, MappingEntry
from pipelines.extract.tables.patterns import INNER_BLANKS, LONGEST_TEXT, compiled
from pipelines.read.document import Cell, Document, Grid, Line, runs_of
from pipelines.read.flat_text import Declared, find_grids
from pipelines.read.split_numbers import RULE, fault_of

# `|---|:--:|`, the rule below headings in a table of text characters
_RULE_SIGNS = frozenset(" :|=+-")
# What is printed before a number.
_SIGNS = "~<>\u2248\u2264\u2265$\u20ac+\u2212- "
# Level of the title of a collapsed part of a page, which is not a heading.
_FOLDED = 7
# `- `, `* `, `> `: marks of a list or a quotation, not part of the text
_MARKS = re.compile(r"\s*(?:[-*+>\u2022]\s+)*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A caption, a heading or a paragraph: the text of each line, without marks of lists, with its
    place. A heading of records has dots between its keys.
    """

    pieces: tuple[Cell, ...]
    level: Level
    separator: str = field(default=" ", kw_only=True)

    @property
    def text(self) -> str:
        """The whole text."""
        return self.separator.join(self.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each piece."""
        return tuple(piece.text for piece in self.pieces)

    @property
    def line(self) -> int:
        """Its first line."""
        return self.pieces[0].line

    def cell(self, start: int, end: int) -> Cell:
        """The characters `start`..`end` of the text; the part on the first line, if they are on
        several.
        """
        for piece in self.pieces:
            length = len(piece.text)
            if start < length:
                break
            start, end = start - length - 1, end - length - 1
        # At the end of the text is an empty part.
        return piece.part(min(start, length), min(end, length))


def section_of(heading: Passage | None) -> dict[str, Any]:
    """The columns `section` and `section_line` of rows below a heading."""
    if heading is None:
        return {"section": None, "section_line": None}
    return {"section": heading.text, "section_line": heading.line}


def rejected(row: Sequence[str], cell: Cell, rule: str, reason: str, **columns: Any) -> Reject:
    """The reject of a row of texts, placed at a cell."""
    if split := fault_of(cell.text):
        rule, reason = RULE, split
    return Reject(
        cell=cell, rule=rule, reason=reason, row_json=json.dumps(row, ensure_ascii=False), **columns
    )


@dataclass(frozen=True)
class PrintedTable(Grid):
    """A printed table: a grid, and what is printed around it.

    Attributes:
        near: Captions and texts between the table and the previous one, and the headings over it,
            nearest first.
        far: Returns the texts further up in its section, and below each heading over it.
        earlier: Last line of the nearest earlier table, or 0; one found by `rows` counts for the
            same `rows` and grids.
        below: The notes between the table and the next table or heading.
        notes: Those that are not also above the next table.
        heading: The nearest heading, else the caption.
        rows_of: Line in the mapping of the entry whose `rows` found it; None for other tables.
    """

    near: Sequence[Passage] = ()
    far: Callable[[], Iterable[Passage]] = tuple
    earlier: int = 0
    below: Sequence[Passage] = ()
    notes: Sequence[Passage] = ()
    heading: Passage | None = None
    rows_of: int | None = None

    @cached_property
    def holds_numbers(self) -> bool:
        """Whether any cell below the first row begins with a digit, or with a currency or sign
        before one.
        """
        return any(text.lstrip(_SIGNS)[:1].isdecimal() for row in self.texts[1:] for text in row)

    @property
    def section(self) -> dict[str, Any]:
        """The heading above its rows, with its line."""
        return section_of(self.heading)

    def count_numbers(self) -> int:
        """How many cells below the first row are numbers, alone or with a unit."""
        return sum(1 for row in self.texts[1:] for text in row if number_unit(text) is not None)

    def is_rule(self, row: int) -> bool:
        """Whether a row is a drawn line without text."""
        return all(not text or _is_drawn(text) for text in self.texts[row])


def _is_drawn(text: str) -> bool:
    return _RULE_SIGNS.issuperset(text) and ("-" in text or "=" in text)


def _unmarked(line: Line) -> Cell:
    """The text of a line without marks of lists and quotations at its beginning."""
    cell = line.cell
    text = _MARKS.sub("", cell.text, count=1) or cell.text
    return cell.part(len(cell.text) - len(text), len(cell.text))


class Surroundings:
    """The texts of a document outside its tables."""

    def __init__(self, document: Document, covered: Collection[int]) -> None:
        self._lines, self._covered = document.lines, covered
        self._levels = dict(document.levels)
        self._headings = sorted(self._levels)

    @cached_property
    def _paragraphs(self) -> list[Passage]:
        """All paragraphs; a blank line, a table or a list mark ends one."""
        ends = [0, *accumulate(len(line.text) for line in self._lines)]

        def continues(run: list[Line], line: Line) -> bool:
            # Flattened text has no paragraphs: each line is a text.
            if not self._levels or line.number > run[-1].number + 1:
                return False
            is_item = _unmarked(line).start > line.cell.start
            length = ends[run[-1].number] - ends[run[0].number - 1]
            return not is_item and length <= LONGEST_TEXT

        free = (line for line in self._lines if line.number not in self._covered)
        words = (line for line in free if not line.is_blank and line.number not in self._levels)
        return [
            Passage(tuple(map(_unmarked, run)), "sentence") for run in runs_of(words, continues)
        ]

    def _between(self, after: int, before: int) -> list[Passage]:
        """The paragraphs that begin after one line and before another."""
        begin = bisect_right(self._paragraphs, after, key=attrgetter("line"))
        end = bisect_left(self._paragraphs, before, key=attrgetter("line"))
        return self._paragraphs[begin:end]

    def surround(self, table: PrintedTable) -> PrintedTable:
        """A table with the texts around it."""
        first, last = table.first_line, table.last_line
        at = bisect_left(self._headings, first) - 1
        own = self._headings[at] if at >= 0 else 0
        begin = next((line for line in range(first - 1, own, -1) if line in self._covered), own)
        over = (self._lines[self._headings[n] - 1] for n in self._headings_over(at))
        headings = [Passage((_unmarked(line),), "heading") for line in over if not line.is_blank]
        captions = [Passage((table.caption,), "caption")] if table.caption else []
        end = last + 1
        # The title of a collapsed part does not end the notes.
        while end <= len(self._lines) and self._levels.get(end, _FOLDED) >= _FOLDED:
            if end in self._covered:
                break
            end += 1
        return replace(
            table,
            near=[*captions, *reversed(self._between(begin, first)), *headings],
            far=partial(self._far, at, own, begin),
            below=self._between(last, end),
            heading=next(iter([*headings, *captions]), None),
        )

    @cached_property
    def _parents(self) -> list[int]:
        """Index of the heading over each heading, or -1."""
        levels = [self._levels[line] for line in self._headings]
        parents, open_ones = list[int](), list[int]()
        for at, level in enumerate(levels):
            while open_ones and levels[open_ones[-1]] >= level:
                open_ones.pop()
            parents.append(open_ones[-1] if open_ones else -1)
            open_ones.append(at)
        return parents

    def _headings_over(self, at: int) -> Iterator[int]:
        """A heading and those over it.

        Headings directly above each other, `#### H100` over `#### FP8`, belong together at any
        level.
        """
        while at > 0 and self._parents[at] != at - 1:
            between = self._lines[self._headings[at - 1] : self._headings[at] - 1]
            if not all(line.is_blank for line in between):
                break
            yield at
            at -= 1
        while at >= 0:
            yield at
            at = self._parents[at]

    def _far(self, at: int, own: int, begin: int) -> Iterator[Passage]:
        """The texts further up in a section, then those below each heading over it, nearest first."""
        yield from reversed(self._between(own, begin + 1))
        over = self._parents[at] if at >= 0 else -1
        while over >= 0:
            yield from self._between(self._headings[over], self._headings[over + 1])
            over = self._parents[over]


def tables_of(
    document: Document, taken: Collection[int], entries: Sequence[MappingEntry] = ()
) -> list[PrintedTable]:
    """Every table of a document, in order.

    Args:
        document: The document.
        taken: Lines of other formats.
        entries: The mapping of its source, which describes rows and headings of flattened text.
    """
    covered = set(taken).union(*map(_lines_of, document.grids))
    if document.is_data:
        covered.update(range(1, len(document.texts) + 1))
    written = [table for entry in entries for table in _written(document, covered, entry)]
    for table in written:
        covered.update(*table.lines[1:])
    in_blocks = {line for block in document.blocks for line in block}
    grids = [grid for grid in document.grids if grid.first_line not in taken]
    for grid in find_grids(document, covered, _declared(entries) if entries else None):
        # In output of programs only what has headings is a table:
        # `Network net-a: 100% | 404 | FPS: 26.93` has none.
        has_headings = all(number_unit(text) is None for text in grid.texts[0])
        if has_headings or grid.first_line not in in_blocks:
            grids.append(grid)
    around = Surroundings(document, covered.union(*map(_lines_of, grids)))
    tables = [*written, *(table for grid in grids for table in tables_in(grid))]
    found: list[PrintedTable] = []
    ends: dict[int | None, int] = {None: 0}
    for table in sorted(map(around.surround, tables), key=lambda table: table.first_line):
        entry = table.rows_of
        earlier = max(ends.values()) if entry is None else max(ends[None], ends.get(entry, 0))
        if found:
            above = {passage.line for passage in table.near}
            notes = [passage for passage in found[-1].below if passage.line not in above]
            found[-1] = replace(found[-1], notes=notes)
        found.append(replace(table, earlier=earlier, notes=table.below))
        ends[entry] = table.last_line
    return found


def _lines_of(grid: Grid) -> range:
    return range(grid.first_line, grid.last_line + 1)


def _declared(entries: Sequence[MappingEntry]) -> Declared:
    columns: list[DeclaredColumn] = []
    for entry in entries:
        columns += entry.declared if entry.rows is None else ()
    measured = [column for column in columns if column.is_value]

    def is_one_of(some: Sequence[DeclaredColumn], text: str) -> bool:
        return any(column.fit(text) is not None for column in some)

    def is_missing(text: str) -> bool:
        return any(entry.is_missing(text) for entry in entries)

    return Declared(partial(is_one_of, columns), partial(is_one_of, measured), is_missing)


def tables_in(grid: Grid) -> Iterator[PrintedTable]:
    """The tables of a grid; rules within it separate tables, each with its headings above the rule."""
    if grid.path:
        begin, end = grid.first_line, grid.last_line
        yield PrintedTable(grid.rows, begin, end, grid.caption, grid.path, grid.keys)
        return
    rules = [n for n, row in enumerate(grid.texts) if row and all(map(_is_drawn, row))]
    begins = [0]
    for rule in rules:
        begin = rule - 1
        while begin > 0 and sum(1 for text in grid.texts[begin - 1] if text) == 1:
            begin -= 1
        if begin > begins[-1]:
            begins.append(begin)
    for first, last in zip(begins, [*begins[1:], len(grid.texts)], strict=True):
        rows = grid.rows[first:last]
        lines = [cell.line for row in rows for cell in row]
        begin, end = grid.first_line if first == 0 else min(lines), max(lines)
        end = grid.last_line if last == len(grid.texts) else end
        caption = grid.caption if first == 0 else None
        yield PrintedTable(rows, begin, end, caption)


def _written(document: Document, covered: set[int], entry: MappingEntry) -> Iterator[PrintedTable]:
    """The matches of an entry's `rows`: consecutive matches are one table with a column for each
    group.
    """
    if entry.rows is None:
        return
    pattern, texts = compiled(entry.rows, in_lines=True), document.texts
    begins = [0, *accumulate(len(line) + 1 for line in texts)]
    # The lines of each match, and its cells.
    matches: list[tuple[range, list[Cell]]] = []
    matched = set(covered)
    for (begin, stop), spans in pattern.finditer("\n".join(texts).translate(INNER_BLANKS)):
        first, last = bisect_right(begins, begin), bisect_right(begins, max(begin, stop - 1))
        if first in covered:
            continue
        cells = []
        for name in pattern.names:
            start, end = spans.get(name, (begin, begin))
            line = bisect_right(begins, start)
            at = start - begins[line - 1]
            # A group over several lines is cut at the end of the first.
            printed = texts[line - 1][at : at + end - start]
            cells.append(Cell(printed, line, at, at + len(printed)))
        matches.append((range(first, last + 1), cells))
        matched.update(range(first, last + 1))

    def is_next(run: list[tuple[range, list[Cell]]], match: tuple[range, list[Cell]]) -> bool:
        """Whether only blank lines are between a match and the previous one."""
        return not any(map(str.strip, texts[run[-1][0][-1] : match[0][0] - 1]))

    # Matches outside the section of the entry are not tables.
    around = Surroundings(document, matched)
    for run in runs_of(matches, is_next):
        first, last = run[0][0][0], run[-1][0][-1]
        headings = [Cell(name, first, 0, 0) for name in pattern.names]
        rows = (tuple(headings), *(tuple(cells) for _, cells in run))
        table = PrintedTable(rows, first, last, rows_of=entry.line)
        near = around.surround(table).near
        if not entry.section or any(entry.is_below(passage.text) for passage in near):
            yield table
