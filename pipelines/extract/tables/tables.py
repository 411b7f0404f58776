"""The tables of a document, each with the reading that is chosen for it: as its mapping says, or the best of a search.

What the rows of a table become, and what of it is refused, belongs in `results_page.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pipelines.extract.logs.programs import program_beginning
from pipelines.extract.scope import Around, Scope
from pipelines.extract.tables.column_types import is_measure
from pipelines.extract.tables.header import Reading, choose, readings
from pipelines.extract.tables.headings import understand
from pipelines.extract.tables.mapped_tables import MappedReading, read_mapped
from pipelines.extract.tables.mapping import Mapping
from pipelines.extract.tables.records import Records, assemble, said_of_numbers
from pipelines.extract.tables.values import is_numeric
from pipelines.read.document import Cell, Document, Grid
from pipelines.read.text_grids import find_grids

# `Request throughput (req/s):              14.67`, `*   **Mean TTFT:** 50.26 seconds *(with the first load)*`
_ENTRY = re.compile(
    r"\s*(?:[*+-]\s+)?(?:\*\*)?(?P<key>[A-Za-z][^:|*]{0,80}?)\s?(?::\s+|:?\*\*:?\s+)"
    r"(?P<value>[^\s*(](?:[^*(]*[^\s*(])?)\s*(?:[*(].*)?"
)
# Fewer quantities may be a sentence's or a table's.
_MIN_ENTRIES = 3
# Lines between two quantities of one list: a rule with words in it, a count.
_MAX_BETWEEN = 4
# Lines between a table and what names it: a blank one, the rule of a drawn table.
_MAX_ABOVE = 3
# Rows of a long table by which the records of two readings are compared.
_SAMPLE = 12


@dataclass
class Table:
    """One table of a document, as it was understood.

    Attributes:
        grid: The grid.
        around: What holds for it.
        reading: The reading that was chosen; None where it holds no results.
        other: A second reading that nothing decides against.
        records: What the reading gives.
        mapped: What a person says of it, or None.
        line_above: The line right above it, such as `- K80 (single GPU)`; blank where none stands near.
    """

    grid: Grid
    around: Around
    reading: Reading | None = None
    other: Reading | None = None
    records: Records = field(default_factory=Records)
    mapped: MappedReading | None = None
    line_above: str = ""


def find_tables(
    document: Document, taken: Collection[int], mapping: Mapping | None = None, *, sample: bool = False
) -> Iterator[Table]:
    """Every table of a document, with the reading that was chosen.

    Args:
        document: The document.
        taken: Lines of other formats.
        mapping: What a person says that its tables mean, or None.
        sample: Whether the first rows of each table are enough.
    """
    covered = {line for grid in document.grids for line in range(grid.first_line, grid.last_line + 1)} | set(taken)
    shown = [grid for grid in document.grids if grid.first_line not in taken]
    found = find_grids(document, covered)
    covered |= {line for grid in found for line in range(grid.first_line, grid.last_line + 1)}
    grids = sorted([*shown, *found, *lists_of_quantities(document, covered)], key=lambda grid: grid.first_line)
    scope = Scope(document, grids, taken)
    for whole in grids:
        for grid in _split(whole):
            around = scope.around(whole if grid.first_line == whole.first_line else grid)
            if title := _title_over(grid):
                around = around.within(title)
            if grid.layout == "program" and around.stated("model") is None:
                # The summary of a known program is read with its log, unless a heading says of what it is.
                continue
            above = _line_above(document, grid)
            mapped = read_mapped(mapping, grid, around, above) if mapping else None
            if mapped is None:
                yield replace(understand_table(grid, around, sample=sample), line_above=above)
            elif mapped.reading:
                yield Table(mapped.grid, mapped.around, mapped.reading, mapped=mapped, line_above=above)
            else:
                table = understand_table(mapped.grid, mapped.around, sample=sample)
                yield replace(table, mapped=mapped, line_above=above)


def _line_above(document: Document, grid: Grid) -> str:
    """The last line that is not blank before a table, where it stands near."""
    near = range(grid.first_line - 1, max(grid.first_line - _MAX_ABOVE, 1) - 1, -1)
    return next((line.text.strip() for line in map(document.line, near) if not line.is_blank), "")


def lists_of_quantities(document: Document, covered: Collection[int]) -> Iterator[Grid]:
    """Lists with one quantity a line, `Mean TTFT (ms): 1040.36`, as benchmark programs end: each is a table of one
    row.
    """
    entries: list[tuple[Cell, Cell]] = []
    for line in document.lines:
        match = _ENTRY.fullmatch(line.text) if ":" in line.text and line.number not in covered else None
        entry = (line.matched(match, "key"), line.matched(match, "value")) if match else None
        if entry and not (is_measure(entry[0].text) and is_numeric(entry[1].text)):
            entry = None
        is_far = bool(entries) and line.number - entries[-1][0].line > _MAX_BETWEEN
        if entries and (is_far or (entry and any(entry[0].text == key.text for key, _ in entries))):
            yield from _list(document, entries)
            entries = []
        entries += [entry] if entry else []
    yield from _list(document, entries)


def _list(document: Document, entries: Sequence[tuple[Cell, Cell]]) -> Iterator[Grid]:
    if len(entries) < _MIN_ENTRIES:
        return
    first = entries[0][0].line
    while first > 1 and not document.line(first - 1).is_blank:
        first -= 1
    is_program = any(program_beginning(document.line(number).cell.text) for number in range(first, entries[0][0].line))
    rows = tuple(zip(*entries, strict=True))
    yield Grid.of_cells(
        rows, entries[0][0].line, entries[-1][0].line, heading_rows=1, layout="program" if is_program else "list"
    )


def understand_table(grid: Grid, around: Around, *, sample: bool = False) -> Table:
    """A grid with the best of its readings."""
    table = Table(grid, around)
    choice = choose(readings(grid, around), lambda reading: said_of_numbers(assemble(reading, around, limit=_SAMPLE)))
    if choice.best is None:
        return table
    table.reading, table.other = choice.best, choice.other
    return table


def _title_over(grid: Grid) -> Cell | None:
    """The one text in the rows above the headings: what they are of."""
    for row, texts in enumerate(grid.texts[:2]):
        present = {text for text in texts if text}
        if len(present) != 1:
            return None
        at = next(n for n, text in enumerate(texts) if text)
        return Cell(texts[at], grid.lines[row][at], grid.starts[row][at], grid.starts[row][at] + len(texts[at]))
    return None


def _split(grid: Grid) -> Iterator[Grid]:
    """The parts of a grid with headings of their own: a row in the midst of it that consists of headings alone."""
    header = next((row for row in grid.texts if len({t for t in row if t}) > 1), ())
    starts = [0]
    for row in range(max(grid.heading_rows, 2), len(grid.texts) - 1):
        texts = grid.texts[row]
        if texts != header and len(texts) > 2 and _is_header(texts) and not _is_header(grid.texts[row - 1]):
            starts.append(row)
    if len(starts) == 1:
        yield grid
        return
    for start, end in zip(starts, [*starts[1:], len(grid.texts)], strict=True):
        lines = [line for row in grid.lines[start:end] for line in row]
        yield replace(
            grid,
            texts=grid.texts[start:end],
            lines=grid.lines[start:end],
            starts=grid.starts[start:end],
            first_line=grid.first_line if start == 0 else min(lines),
            last_line=max(lines) if end < len(grid.texts) else grid.last_line,
            heading_rows=grid.heading_rows if start == 0 else 0,
            caption=grid.caption if start == 0 else None,
            spans={
                (r - start, c): (fr - start, fc)
                for (r, c), (fr, fc) in grid.spans.items()
                if start <= r < end and start <= fr
            },
        )


def _is_header(texts: Sequence[str]) -> bool:
    """True for a row of names of fields and quantities alone."""
    present = {text for text in texts if text}
    if len(present) < 3 or any(is_numeric(text) for text in present):
        return False
    known = [understand((text,)).role for text in present]
    return known.count("field") >= 1 and all(role in ("field", "value", "measure", "unit") for role in known)
