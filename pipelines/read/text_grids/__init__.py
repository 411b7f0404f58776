"""The tables in flattened text, as grids: one cell per line, or one row per line parted by tabs, pipes or blanks.

A row may also name its values itself, as programs print them: `min = 11.73  max = 11.88`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from pipelines.read.document import Cell, Document, Grid, Line
from pipelines.read.text_grids.cells_in_lines import FlatTable, flat_tables, table_at_begin
from pipelines.read.text_grids.delimited import LAYOUTS, DelimitedTable, delimited_tables, is_rule
from pipelines.read.text_grids.flat_readings import Block
from pipelines.read.text_grids.key_values import key_value_tables
from pipelines.read.text_grids.piped_cells import piped_tables
from pipelines.read.text_grids.shapes import SENTENCE, is_known_heading, shape_of
from pipelines.read.text_grids.single_blanks import single_blank_tables

# Lines with an empty one behind each that are spaced; fewer are paragraphs.
_MIN_SPACED = 8


def find_grids(document: Document, covered: Collection[int]) -> list[Grid]:
    """The tables in the lines that are not `covered`, in order.

    Args:
        document: Any document; its own grids are not looked at.
        covered: Numbers of lines that belong to grids of the file format or to other readers.

    Returns:
        Grids without captions. A row that lacks cells or has too many keeps those it has; a title over the whole width
        is a row of one cell. A blank cell stands in a place only where it is printed, or where no other can be lacking.
    """
    free = [line for line in document.lines if line.number not in covered]
    grids = [_of_delimited(table) for table in piped_tables(free)]
    free = list(_outside(free, grids))
    grids += [_of_delimited(table) for table in key_value_tables(free)]
    free = list(_outside(free, grids))
    for layout in LAYOUTS:
        found = [_of_delimited(table) for table in delimited_tables(free, layout)]
        free = list(_outside(free, found))
        grids += found
    found = [_of_delimited(table) for table in single_blank_tables(free)]
    grids += [*found, *_in_lines(list(_outside(free, found)))]
    return sorted(grids, key=lambda grid: grid.first_line)


def _outside(lines: Iterable[Line], grids: Iterable[Grid]) -> Iterator[Line]:
    taken = set[int]().union(*(range(grid.first_line, grid.last_line + 1) for grid in grids))
    return (line for line in lines if line.number not in taken)


def _of_delimited(table: DelimitedTable) -> Grid:
    return Grid.of_cells(
        table.rows, table.first_line, table.last_line, heading_rows=table.heading_rows, layout=table.layout
    )


# One cell per line


def _in_lines(lines: Sequence[Line]) -> Iterator[Grid]:
    for stretch in _stretches(lines):
        printed = _single_spaced(stretch)
        texts = [line.cell.text for line in printed]
        shapes = [shape_of(text) for text in texts]
        position = 0
        while position < len(printed):
            end = next((n for n in range(position, len(printed)) if printed[n].is_empty), len(printed))
            tables = list(flat_tables(Block(texts, shapes, position, end)))
            if position < end < len(printed):
                # Empty lines may be blank cells, or one may have got between two cells.
                wide = _with_blanks(Block(texts, shapes, position, len(printed), ends_at_blank=True), end)
                if wide and wide.whole_rows > sum(table.whole_rows for table in tables):
                    tables, end = [wide], wide.end - 1
            yield from (_of_flat(table, printed) for table in tables)
            position = end + 1


def _with_blanks(block: Block, end: int) -> FlatTable | None:
    """The table at the beginning of a block whose empty lines, of which the first is at `end`, are blank cells."""
    table = table_at_begin(block)
    # A heading above is the first one, with an empty line behind it, too.
    above = block.texts[max(0, block.begin - 2) : block.begin]
    if not table or not table.is_announced or any(map(is_known_heading, above)):
        return None
    # An empty line behind the last row ends the table; taken for a blank cell it would hide a lost one.
    while table and not block.texts[table.end - 1]:
        table = table.without_last()
    return table if table and table.end > end + 1 else None


def _stretches(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines that follow each other without a sentence or a covered line between them."""
    stretch: list[Line] = []
    for line in lines:
        if stretch and line.number != stretch[-1].number + 1:
            yield stretch
            stretch = []
        text = line.cell.text
        if shape_of(text) == SENTENCE or "\t" in text or "|" in text or (text and is_rule(text)):
            yield stretch
            stretch = []
        else:
            stretch.append(line)
    yield stretch


def _single_spaced(lines: Sequence[Line]) -> list[Line]:
    """The lines without the empty ones that only space them, in stretches where every other line is empty."""
    kept: list[Line] = []
    position = 0
    while position < len(lines):
        end = position + 1
        while end < len(lines) and (lines[end].is_empty or lines[end - 1].is_empty):
            end += 1
        printed = sum(not line.is_empty for line in lines[position:end])
        if printed >= _MIN_SPACED:
            empty = 0
            for line in lines[position:end]:
                empty = empty + 1 if line.is_empty else 0
                kept += [line] if not line.is_empty or empty % 2 == 0 else []
        else:
            kept += lines[position:end]
        position = end
    return kept


def _of_flat(table: FlatTable, lines: Sequence[Line]) -> Grid:
    rows: list[list[Cell]] = []
    for headings in table.heading_rows:
        rows.append([Cell("", lines[table.begin].number, 0, 0) if n is None else lines[n].cell for n in headings])
    habits = _habits(table, lines)
    for piece in table.pieces:
        cells = [line.cell for line in lines[piece.start : piece.end]]
        if piece.kind == "unsure" and len(cells) <= table.width:
            # As long as a row, it would be taken for one.
            continue
        for column in piece.gap if piece.gap in habits else ():
            place = cells[column] if column < len(cells) else cells[-1]
            cells.insert(column, Cell("", place.line, 0, 0))
        rows.append(cells)
    first, last = rows[0][0].line, lines[table.end - 1].number
    return Grid.of_cells(rows, first, last, heading_rows=len(table.heading_rows), layout="lines")


def _habits(table: FlatTable, lines: Sequence[Line]) -> set[tuple[int, ...]]:
    """Which columns rows leave out: once is damage, twice is a habit; a table that prints blank cells drops none."""
    if any(lines[n].is_blank for piece in table.pieces if piece.kind == "row" for n in range(piece.start, piece.end)):
        return set()
    gaps = Counter(piece.gap for piece in table.pieces if piece.gap)
    return {gap for gap, count in gaps.items() if count > 1}
