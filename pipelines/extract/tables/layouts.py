"""Where the result tables of a document are, whatever the layout of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pipelines.extract.tables.announced import announced_above, announced_in_lines
from pipelines.extract.tables.delimited import SPLITS, delimited_tables, is_header, runs
from pipelines.extract.tables.flattened import flattened_tables, header_runs
from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.gridded import gridded_tables
from pipelines.extract.tables.odd_cells import set_odd_rows_apart
from pipelines.extract.tables.spacing import single_spaced
from pipelines.read.document import Document, Line


def find_tables(document: Document, taken: Collection[int]) -> list[ResultTable]:
    """Every result table in the lines that are not `taken`, in order of the lines."""
    shown = [table for table in _shown_tables(document) if not table.lines & set(taken)]
    covered = _covered(document)
    # Emptied, not left out: what stands around a table stays apart.
    others = [Line(line.number, "") if line.number in covered else line for line in document.lines]
    lines = [line for line in others if line.number not in taken]
    delimited = list(delimited_tables(lines))
    used = set[int]().union(*(table.lines for table in delimited))
    others = [Line(line.number, "") if line.number in used else line for line in lines]
    delimited += _tables_in_runs(others)
    used = set[int]().union(*(table.lines for table in delimited))
    others = [Line(line.number, "") if line.number in used else line for line in lines]
    others = single_spaced(others, _has_headers)
    tables = sorted([*shown, *delimited, *flattened_tables(document, others)], key=lambda table: table.first_line)
    set_odd_rows_apart(tables)
    return tables


def has_headings(document: Document) -> bool:
    """True where the headings of a result table stand in the document; its rows are not read."""
    if any(_shown_tables(document)):
        return True
    if any(is_header(line, split) for line in document.lines for split in SPLITS):
        return True
    if _has_headers(single_spaced(document.lines, _has_headers)):
        return True
    return any(_tables_in_runs(list(document.without(_covered(document)))))


def _shown_tables(document: Document) -> Iterator[ResultTable]:
    for grid in document.grids:
        yield from gridded_tables(grid, announced_above(document, grid))


def _tables_in_runs(lines: list[Line]) -> Iterator[ResultTable]:
    for grid, above in runs(lines):
        yield from gridded_tables(grid, announced_in_lines(above))


def _covered(document: Document) -> set[int]:
    """The lines of the tables that the file format shows."""
    return set[int]().union(*(range(grid.first_line, grid.last_line + 1) for grid in document.grids))


def _has_headers(lines: Sequence[Line]) -> bool:
    return next(header_runs(list(lines)), None) is not None
