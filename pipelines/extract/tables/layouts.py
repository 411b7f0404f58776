"""Where the result tables of a document are, whatever the layout of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from pipelines.extract.tables.announced import announced_above, announced_in_lines
from pipelines.extract.tables.delimited import SPLITS, delimited_tables, is_header, runs
from pipelines.extract.tables.flattened import flattened_tables, header_runs
from pipelines.extract.tables.flattened_pivots import flattened_pivots
from pipelines.extract.tables.grid import ResultTable
from pipelines.extract.tables.gridded import gridded_tables
from pipelines.extract.tables.named_by_cells import named_by_cells
from pipelines.extract.tables.odd_cells import set_odd_rows_apart
from pipelines.extract.tables.piped_cells import piped_cells
from pipelines.extract.tables.records import record_tables
from pipelines.extract.tables.spacing import single_spaced
from pipelines.read.document import Document, Grid, Line


def find_tables(document: Document, taken: Collection[int]) -> list[ResultTable]:
    """Every result table in the lines that are not `taken`, in order of the lines."""
    shown = [table for table in _shown_tables(document) if not table.lines & set(taken)]
    covered = _covered(document)
    # Emptied, not left out: what stands around a table stays apart.
    lines = [line for line in _emptied(document.lines, covered) if line.number not in taken]
    found = list(_piped(document, lines))
    lines = _without(lines, found)
    found += delimited_tables(lines)
    for table in found:
        if table.rows:
            table.headings = named_by_cells(table.headings, [*zip(*table.rows, strict=True)])
    found += _pivots(runs(_without(lines, found)))
    found += flattened_tables(document, single_spaced(_without(lines, found), _has_headers))
    found += _pivots(flattened_pivots(_without(lines, found)))
    found += record_tables(document, _without(lines, found), taken)
    tables = sorted([*shown, *found], key=lambda table: table.first_line)
    set_odd_rows_apart(tables)
    return tables


def has_headings(document: Document) -> bool:
    """True where the headings of a result table stand in the document; its rows are not read."""
    if any(_shown_tables(document)):
        return True
    lines = _emptied(document.lines, _covered(document))
    if any(is_header(line, split) for line in lines for split in SPLITS):
        return True
    if _has_headers(single_spaced(lines, _has_headers)):
        return True
    if any(_piped(document, lines)) or any(_pivots(runs(lines))) or any(_pivots(flattened_pivots(lines))):
        return True
    return any(record_tables(document, lines, ()))


def _shown_tables(document: Document) -> Iterator[ResultTable]:
    for grid in document.grids:
        yield from gridded_tables(grid, announced_above(document, grid))


def _piped(document: Document, lines: Sequence[Line]) -> Iterator[ResultTable]:
    for grid in piped_cells(lines):
        yield from gridded_tables(grid, announced_above(document, grid))


def _pivots(grids: Iterable[tuple[Grid, list[Line]]]) -> Iterator[ResultTable]:
    for grid, above in grids:
        yield from gridded_tables(grid, announced_in_lines(above))


def _without(lines: Sequence[Line], tables: Sequence[ResultTable]) -> list[Line]:
    return _emptied(lines, set[int]().union(*(table.lines for table in tables)))


def _emptied(lines: Sequence[Line], numbers: Collection[int]) -> list[Line]:
    """The lines with those of these numbers emptied."""
    return [Line(line.number, "") if line.number in numbers else line for line in lines]


def _covered(document: Document) -> set[int]:
    """The lines of the tables that the file format shows."""
    return set[int]().union(*(range(grid.first_line, grid.last_line + 1) for grid in document.grids))


def _has_headers(lines: Sequence[Line]) -> bool:
    return next(header_runs(list(lines)), None) is not None
