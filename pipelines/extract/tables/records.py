"""Results printed as a list of quantities, one `Mean TTFT (ms): 1040.36` per line, as benchmark programs end.

A list is one row of results. Whose they are the heading above it says; below none that names a model it is not read.
The summary of a known program that stands below no model is left to the logs of programs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from pipelines.extract.programs.known import program_beginning
from pipelines.extract.tables.cell_types import read_value
from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.environment import stated_in_environment
from pipelines.extract.tables.grid import ResultTable, unread_table
from pipelines.extract.tables.headings import Heading
from pipelines.extract.tables.labels import headings_above
from pipelines.extract.tables.qualified import heading_of
from pipelines.read.document import Cell, Document, Line

# `Request throughput (req/s):              14.67`, `*   **Mean TTFT:** 50.26 seconds *(with the first load)*`
_ENTRY = re.compile(
    r"\s*(?:[*+-]\s+)?(?:\*\*)?(?P<name>[A-Za-z][^:|*]*?)\s*(?::\s+|:?\*\*:?\s+)(?P<value>[^\s*(][^*(]*?)\s*(?:[*(].*)?"
)
# Fewer quantities may be a sentence's or a table's.
_MIN_ENTRIES = 3
# Lines between two quantities of one list: a rule with words in it, a count.
_MAX_BETWEEN = 4

Entry = tuple[Heading, Cell]


def record_tables(document: Document, lines: Sequence[Line], taken: Collection[int]) -> Iterator[ResultTable]:
    """One table for each list of measured quantities in these lines, but those that a known program announces."""
    last = 0
    for entries in _lists(lines):
        headings, row = [heading for heading, _ in entries], tuple(cell for _, cell in entries)
        top = _top_of_block(document, row[0].line)
        labels = headings_above(document, range(last + 1, top), taken)
        last = row[-1].line
        environment = stated_in_environment(document, top)
        if "model_printed" in conditions_in(label.cell.text for label in labels) | environment:
            table = ResultTable(headings, top, last, rows=[row], row_lines=[row[0].line])
        elif any(program_beginning(document.line(number).cell.text) for number in range(top, row[0].line)):
            continue
        else:
            table = unread_table(headings, "no_subject_column", "no heading above it names the model")
        table.lines |= {cell.line for cell in row}
        table.last_line = last
        yield table


def _top_of_block(document: Document, line: int) -> int:
    """The first of the lines up to this one without a blank one between; counts stand above the quantities."""
    while line > 1 and not document.line(line - 1).is_blank:
        line -= 1
    return line


def _lists(lines: Sequence[Line]) -> Iterator[list[Entry]]:
    """Quantities that stand close to each other, each of them once."""
    entries: list[Entry] = []
    for line in lines:
        entry = _entry(line)
        is_far = bool(entries) and line.number - entries[-1][1].line > _MAX_BETWEEN
        if entries and (is_far or (entry and any(entry[0].metric == heading.metric for heading, _ in entries))):
            if len(entries) >= _MIN_ENTRIES:
                yield entries
            entries = []
        entries += [entry] if entry else []
    if len(entries) >= _MIN_ENTRIES:
        yield entries


def _entry(line: Line) -> Entry | None:
    match = _ENTRY.fullmatch(line.text) if ":" in line.text else None
    if match is None:
        return None
    heading, cell = heading_of(line.matched(match, "name")), line.matched(match, "value")
    return (heading, cell) if heading.column == "metric" and read_value(cell, heading) else None
