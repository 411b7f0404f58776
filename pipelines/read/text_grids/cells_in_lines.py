"""Tables of a text that has one cell per line: the width of a row, and where its headings begin.

A width is read off the cells themselves: their shapes repeat. Which lines are headings is read off the edges of the
block and off the vocabulary; two readings that are nearly as good are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import eq

from pipelines.read.text_grids.segmentation import Piece, Segmentation
from pipelines.read.text_grids.shapes import (
    BLANK,
    NAMES,
    ODD,
    QUANTITIES,
    Column,
    is_known_heading,
)

MIN_WIDTH, MAX_WIDTH = 2, 30
# Rows by which readings are compared.
_PROBE_ROWS = 8
# Widths and places of the headings that are compared.
_MAX_WIDTHS, _MAX_PLACES = 5, 4
# Headings that may go on in a second line.
_MAX_WRAPPED = 4
# How much dearer the second best reading has to be.
_MARGIN = 2

# What speaks against a reading.
_UNKNOWN_HEADING, _CODE_HEADING, _REPEATED_HEADING = 1, 2, 2
_HEADING_ABOVE, _HEADING_AMONG_CELLS, _LINE_ABOVE = 4, 3, 1
# A row that nothing repeats, and a gap that repeats itself: a habit of the page.
_ONE_ROW, _HABIT = 4, 2
# A column that is not what its heading says.
_CONTRADICTION = 3
# Share of its headings that the vocabulary has to know of a table of one row.
_KNOWN_OF_ONE_ROW = 0.6
# Rows from which on a table without any known heading is one.
_MIN_UNKNOWN_ROWS = 3
_FIRST_WINDOW_ROWS = 32


@dataclass(frozen=True, slots=True)
class FlatTable:
    """A table in a stream of cells.

    Attributes:
        heading_rows: Indices of the cells of each row of headings; None where a heading has no second line.
        pieces: Rows and what stands between them, in order.
        width: Number of columns.
        known: How many of its headings the vocabulary knows.
    """

    heading_rows: tuple[tuple[int | None, ...], ...]
    pieces: tuple[Piece, ...]
    width: int
    known: int

    @property
    def is_announced(self) -> bool:
        """True where the vocabulary knows most of its headings."""
        return 2 * self.known > self.width

    @property
    def begin(self) -> int:
        """Index of its first heading."""
        return min(n for n in self.heading_rows[0] if n is not None)

    @property
    def end(self) -> int:
        """Index behind its last cell."""
        return self.pieces[-1].end

    def without_last(self) -> FlatTable | None:
        """The table without its last row; None where it has no other."""
        kept = replace(self, pieces=self.pieces[:-1])
        return kept if kept.whole_rows else None

    @property
    def whole_rows(self) -> int:
        return sum(piece.kind == "row" for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Where the headings begin (`first`), where the cells (`body`), and how many columns there are."""

    first: int
    body: int
    width: int
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Block:
    """Cells `begin` to `end` of a text, without a break between them.

    Attributes:
        texts: Cells of the whole text, without white space at their ends.
        shapes: Shape of each.
        begin: Index of the first cell of the block.
        end: Index behind its last.
        ends_at_blank: True where a table in it may end before any blank cell.
    """

    texts: Sequence[str]
    shapes: Sequence[str]
    begin: int
    end: int
    ends_at_blank: bool = False

    def first_value(self, begin: int, end: int) -> int | None:
        return next((n for n in range(begin, min(end, self.end)) if self.shapes[n] in QUANTITIES), None)


def flat_tables(block: Block) -> Iterator[FlatTable]:
    """The tables in a block, in order."""
    position = block.begin
    while (first_value := block.first_value(position, block.end)) is not None:
        if table := _table_at(block, position, first_value):
            yield table
            position = table.end
        else:
            position = next((n for n in range(first_value, block.end) if block.shapes[n] in NAMES), block.end)


def table_at_begin(block: Block) -> FlatTable | None:
    """The table whose headings stand at the beginning of a block."""
    first_value = block.first_value(block.begin, block.begin + 2 * MAX_WIDTH)
    table = None if first_value is None else _table_at(block, block.begin, first_value)
    return table if table and table.begin == block.begin else None


def _table_at(block: Block, begin: int, first_value: int) -> FlatTable | None:
    """The table whose first value stands at an index, with its headings behind `begin`."""
    begin = max(begin, first_value - 2 * MAX_WIDTH)
    if first_value - begin < MIN_WIDTH:
        return None
    readings: list[_Reading] = []
    for width in _widths(block, begin, first_value):
        readings += _places(block, begin, first_value, width)
    found = sorted((_weighed(block, reading) for reading in readings), key=lambda reading: reading.cost)
    if not found or (len(found) > 1 and found[1].cost < found[0].cost + _MARGIN):
        return None
    return _read(block, begin, found[0])


def _widths(block: Block, begin: int, first_value: int) -> list[int]:
    """Widths at which the shapes of the cells repeat themselves best, and those that the headings suggest."""
    most = min(MAX_WIDTH, first_value - begin)
    shares = []
    for width in range(MIN_WIDTH, most + 1):
        count = max(0, min(block.end - width, first_value + (_PROBE_ROWS - 1) * width) - first_value)
        cells = block.shapes[first_value : first_value + count]
        alike = sum(map(eq, cells, block.shapes[first_value + width : first_value + width + count]))
        shares.append((alike / count if count else 0.0, -width))
    best = [-width for _, width in sorted(shares, reverse=True)[:_MAX_WIDTHS]]
    known = next((n for n in range(begin, first_value) if not is_known_heading(block.texts[n])), first_value) - begin
    # A block of two rows is headings and one row.
    return list(dict.fromkeys([*best, *(n for n in ((block.end - begin) // 2, known) if MIN_WIDTH <= n <= most)]))


def _places(block: Block, begin: int, first_value: int, width: int) -> Iterator[_Reading]:
    """The likeliest places of the headings for a width."""
    found = []
    for body in range(first_value, first_value - width, -1):
        for length in range(width, width + _MAX_WRAPPED + 1):
            first = body - length
            if first < begin or (length > width and len(_wrapped(block.texts[first:body])) != length - width):
                continue
            if any(shape not in NAMES and shape != BLANK for shape in block.shapes[first:body]):
                continue
            found.append(_Reading(first, body, width, _against(block, begin, first_value, first, body)))
    found.sort(key=lambda reading: reading.cost - 2 * ((block.end - reading.body) % width == 0))
    yield from found[:_MAX_PLACES]


def _wrapped(headings: Sequence[str]) -> list[int]:
    """Which lines of headings go on with the line above them: `(items/sec)`, `size`."""
    return [
        n
        for n, text in enumerate(headings)
        if n
        and text
        and (text[0] in "([" or (not is_known_heading(text) and is_known_heading(f"{headings[n - 1]} {text}")))
    ]


def _against(block: Block, begin: int, first_value: int, first: int, body: int) -> int:
    """What speaks against these lines as headings."""
    texts = block.texts
    headings = texts[first:body]
    cost = sum(_UNKNOWN_HEADING for text in headings if not is_known_heading(text))
    cost += _REPEATED_HEADING * (len(headings) - len(set(headings)))
    cost += sum(_HEADING_AMONG_CELLS for text in texts[body:first_value] if is_known_heading(text))
    above = texts[max(begin, first - 3) : first]
    return cost + sum(_HEADING_ABOVE if is_known_heading(text) else _LINE_ABOVE for text in above)


def _weighed(block: Block, reading: _Reading) -> _Reading:
    """The reading with what speaks against its rows, too."""
    width = reading.width
    cells = block.texts[reading.body : min(block.end, reading.body + _PROBE_ROWS * width)]
    if len(cells) < width:
        return replace(reading, cost=reading.cost + len(cells) + _ONE_ROW)
    columns: Sequence[Column] = _seed(cells, width)
    cost = reading.cost + _ONE_ROW * (len(cells) < 2 * width)
    if _whole_rows(cells, columns) * width < len(cells):
        cut = _segmented(cells, width)
        columns, cost = cut.columns, cost + cut.cost
        lacking = Counter(piece.end - piece.start for piece in cut.pieces if piece.kind == "lacking")
        cost -= sum(_HABIT * (count - 1) for count in lacking.values())
    return replace(reading, cost=cost + _contradictions(columns, _headings(block, reading)))


def _whole_rows(cells: Sequence[str], columns: Sequence[Column]) -> int:
    """How many rows follow each other from the first cell on, each cell like the others of its column."""
    width = len(columns)
    for start in range(0, len(cells) - width + 1, width):
        row = cells[start : start + width]
        if not any(row) or any(column.cost(text) >= ODD for column, text in zip(columns, row, strict=True)):
            return start // width
    return len(cells) // width


def _headings(block: Block, reading: _Reading) -> Sequence[str]:
    """The headings of the columns; none where some go on in a second line."""
    headings = block.texts[reading.first : reading.body]
    return headings if len(headings) == reading.width else ()


def _contradictions(columns: Sequence[Column], headings: Sequence[str]) -> int:
    """What it costs that columns are not what their headings say."""
    return _CONTRADICTION * sum(map(Column.contradicts, columns, headings))


def _seed(cells: Sequence[str], width: int, offset: int = 0) -> list[Column]:
    """The columns as the first rows from a place on show them, as long as one is like the other."""
    columns = [Column([text]) for text in cells[offset : offset + width]]
    count = 1
    while count < _PROBE_ROWS and len(row := cells[offset + count * width : offset + (count + 1) * width]) == width:
        if any(column.cost(text) >= ODD for column, text in zip(columns, row, strict=True)):
            break
        count += 1
    return [Column(cells[offset + n : offset + count * width : width]) for n in range(width)]


def _segmented(cells: Sequence[str], width: int, offset: int = 0) -> Segmentation:
    """The cells cut into rows, by columns as these rows show them."""
    cut = Segmentation(cells, _seed(cells, width, offset))
    if cut.cost and (rows := cut.exemplary_rows()):
        cut = Segmentation(cells, [Column([cells[start + n] for start in rows]) for n in range(width)])
    return cut


def _certain(cells: Sequence[str], width: int, headings: Sequence[str], ends_at_blank: bool) -> list[Piece]:
    """The cells cut into rows, without what another cut nearly as good would read otherwise.

    Where the first row lacks a cell, all rows behind it look like rows whose columns are turned by one; so do those of
    an undamaged table whose last row lacks one. What the headings say tells them apart, or nothing does.
    """
    end = _whole_rows(cells, _seed(cells, width)) * width
    if end == len(cells) or (ends_at_blank and end and not cells[end]):
        return [Piece(start, start + width, "row") for start in range(0, end, width)]
    offsets = [0, *(offset for offset in (width - 1, width - 2, 1, 2) if 0 < offset <= len(cells) - width)]
    cuts = [_segmented(cells, width, offset) for offset in dict.fromkeys(offsets)]
    costs = [cut.cost + _contradictions(cut.columns, headings) for cut in cuts]
    near = [cut for cut, cost in zip(cuts, costs, strict=True) if cost < min(costs) + _MARGIN]
    parted = _parted_otherwise(near, len(cells))
    return [
        replace(piece, kind="unsure", gap=()) if any(parted[piece.start : piece.end]) else piece
        for piece in near[0].pieces
    ]


def _parted_otherwise(cuts: Sequence[Segmentation], size: int) -> list[bool]:
    """For each cell whether it stands in different rows."""
    spans: list[set[tuple[int, int]]] = [set() for _ in range(size)]
    for cut in cuts:
        for piece in cut.pieces:
            for n in range(piece.start, piece.end) if piece.kind in ("row", "lacking") else ():
                spans[n].add((piece.start, piece.end))
    return [len(found) > 1 for found in spans]


def _read(block: Block, begin: int, reading: _Reading) -> FlatTable | None:
    """The whole table of a reading, or None where too little says that it is one."""
    width, body = reading.width, reading.body
    rows, pieces = _FIRST_WINDOW_ROWS, list[Piece]()
    while True:
        cells = block.texts[body : min(block.end, body + rows * width)]
        if len(cells) < width:
            return None
        is_cut_off = body + len(cells) < block.end
        pieces = _until_end(_certain(cells, width, _headings(block, reading), block.ends_at_blank), width)
        if block.ends_at_blank and pieces and pieces[-1].kind != "row":
            cells = cells[: _last_filled(block, body, pieces[-1].end)]
            pieces = _until_end(_certain(cells, width, _headings(block, reading), block.ends_at_blank), width)
        if not pieces or not is_cut_off or pieces[-1].end < len(cells) - 2 * width:
            break
        rows *= 2
    if not pieces:
        return None
    known = sum(is_known_heading(text) for text in block.texts[reading.first : body])
    moved = tuple(Piece(p.start + body, p.end + body, p.kind, p.gap) for p in pieces)
    table = FlatTable(_heading_rows(block.texts, reading), moved, width, known)
    return table if _is_table(block, begin, reading, table) else None


def _last_filled(block: Block, body: int, end: int) -> int:
    """Up to where the cells go on without a blank one behind the last value."""
    last = next((n for n in range(end - 1, -1, -1) if block.shapes[body + n] in QUANTITIES), end - 1)
    return next((n for n in range(last + 1, end) if not block.texts[body + n]), end)


def _until_end(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """The pieces up to the last row before text that is no part of the table."""
    kept: list[Piece] = []
    others = 0
    for piece in pieces:
        others = 0 if piece.kind in ("row", "lacking") else others + piece.end - piece.start
        if others > 3 * width or (piece.kind == "unsure" and piece.end - piece.start > 3 * width):
            break
        kept.append(piece)
    while kept and kept[-1].kind == "other":
        kept.pop()
    return kept if any(piece.kind == "row" for piece in kept) else []


def _heading_rows(texts: Sequence[str], reading: _Reading) -> tuple[tuple[int | None, ...], ...]:
    wrapped = set(_wrapped(texts[reading.first : reading.body])) if reading.body - reading.first > reading.width else ()
    top: list[int | None] = []
    below: list[int | None] = []
    for n in range(reading.body - reading.first):
        if n in wrapped:
            below[-1] = reading.first + n
        else:
            top.append(reading.first + n)
            below.append(None)
    return (tuple(top), tuple(below)) if wrapped else (tuple(top),)


def _is_table(block: Block, begin: int, reading: _Reading, table: FlatTable) -> bool:
    """True where headings, width and rows together say that this is a table."""
    width, whole = reading.width, table.whole_rows
    rows = [piece for piece in table.pieces if piece.kind in ("row", "lacking")]
    measured = any(block.shapes[n] in QUANTITIES for piece in rows for n in range(piece.start, piece.end))
    unsure = sum(piece.kind == "unsure" for piece in table.pieces)
    if (
        not measured
        or 3 * unsure > whole + 2
        or 2 * sum(piece.end - piece.start for piece in rows) < table.end - reading.body
    ):
        return False
    is_clean = table.end == block.end and whole == len(table.pieces)
    above = any(map(is_known_heading, block.texts[begin : reading.first]))
    if above and not (is_clean and table.known == width):
        # What stands above may be the first of the headings.
        return False
    starts_block = reading.first == block.begin
    if whole == 1:
        return is_clean and starts_block and table.known >= _KNOWN_OF_ONE_ROW * width
    if width == MIN_WIDTH:
        return table.known == width and whole >= _MIN_UNKNOWN_ROWS and starts_block
    if table.known >= max(1, width // 4):
        return True
    # Where all columns but the first are measured, two rows are as plain as three of another kind.
    cells = block.shapes[reading.body : table.end]
    is_matrix = width > MIN_WIDTH and all((shape in QUANTITIES) == (n % width > 0) for n, shape in enumerate(cells))
    return is_clean and starts_block and whole >= _MIN_UNKNOWN_ROWS - is_matrix
