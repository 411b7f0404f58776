"""Where the result tables of a document are, whatever the layout of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipelines.extract.tables.delimited import SPLITS, delimited_tables, is_header
from pipelines.extract.tables.flattened import flattened_tables, header_runs
from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.gridded import announces_results, gridded_tables
from pipelines.extract.tables.spacing import single_spaced
from pipelines.read.document import Document, Line


def find_tables(document: Document, taken: Collection[int]) -> list[ResultTable]:
    """Every result table in the lines that are not `taken`, in order of the lines."""
    shown = [table for grid in document.grids for table in gridded_tables(grid) if not table.lines & set(taken)]
    covered = set[int]().union(*(range(grid.first_line, grid.last_line + 1) for grid in document.grids))
    # Emptied, not left out: what stands around a table stays apart.
    others = [Line(line.number, "") if line.number in covered else line for line in document.lines]
    lines = [line for line in others if line.number not in taken]
    delimited = list(delimited_tables(lines))
    used = set[int]().union(*(table.lines for table in delimited))
    others = [Line(line.number, "") if line.number in used else line for line in lines]
    others = single_spaced(others, _has_headers)
    return sorted([*shown, *delimited, *flattened_tables(document, others)], key=lambda table: table.first_line)


def has_headings(document: Document) -> bool:
    """True where the headings of a result table stand in the document; its rows are not read."""
    if any(announces_results(grid) for grid in document.grids):
        return True
    if any(is_header(line, split) for line in document.lines for split in SPLITS):
        return True
    return _has_headers(single_spaced(document.lines, _has_headers))


def _has_headers(lines: Sequence[Line]) -> bool:
    return next(header_runs(list(lines)), None) is not None
