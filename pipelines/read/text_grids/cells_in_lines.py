"""Tables of a text that has one cell per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipelines.read.text_grids.flat_readings import (
    MAX_WIDTH,
    MIN_WIDTH,
    Block,
    Reading,
    best_reading,
    next_headings,
    wrapped_headings,
)
from pipelines.read.text_grids.segmentation import Piece, certain_pieces
from pipelines.read.text_grids.shapes import NAMES, QUANTITIES, is_known_heading

# Share of its headings that the vocabulary has to know of a table of one row.
_KNOWN_OF_ONE_ROW = 0.75
# Rows from which on a table without any known heading is one.
_MIN_UNKNOWN_ROWS = 3
_MIN_ALL_KNOWN = 4
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
    def is_known(self) -> bool:
        """True where the vocabulary knows all of its headings, and they are too many to be cells by chance."""
        return self.known == self.width >= _MIN_ALL_KNOWN

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


def flat_tables(block: Block) -> Iterator[FlatTable]:
    """The tables in a block, in order."""
    position, is_doubtful = block.begin, False
    while (first_value := block.first_value(position, block.end)) is not None:
        table, end = _table_at(block, position, first_value)
        # Behind numbers that nothing explains, words are as likely cells as headings.
        is_doubtful = table is None or (is_doubtful and not table.is_known)
        if table and not is_doubtful:
            yield table
        # What a reading has looked at is not looked at again.
        position = end if table else next((n for n in range(end, block.end) if block.shapes[n] in NAMES), block.end)


def table_at_begin(block: Block) -> FlatTable | None:
    """The table whose headings stand at the beginning of a block."""
    first_value = block.first_value(block.begin, block.begin + 2 * MAX_WIDTH)
    table = None if first_value is None else _table_at(block, block.begin, first_value)[0]
    return table if table and table.begin == block.begin else None


def _table_at(block: Block, begin: int, first_value: int) -> tuple[FlatTable | None, int]:
    """The table whose first value stands at an index, with its headings behind `begin`, and where to go on."""
    begin = max(begin, first_value - 2 * MAX_WIDTH)
    if first_value - begin < MIN_WIDTH:
        return None, first_value
    reading = best_reading(block, begin, first_value)
    return _read(block, begin, reading) if reading else (None, first_value)


def _read(block: Block, begin: int, reading: Reading) -> tuple[FlatTable | None, int]:
    """The whole table of a reading, or None where too little says that it is one; and where to go on."""
    width, body = reading.width, reading.body
    known = sum(is_known_heading(text) for text in block.texts[reading.first : body])
    headings, rows = _heading_rows(block.texts, reading), _FIRST_WINDOW_ROWS
    while True:
        end = min(block.end, body + rows * width)
        end = next_headings(block.texts, body, end) or end
        pieces = _pieces(block, reading, end)
        if not pieces:
            return None, body + width
        moved = tuple(Piece(p.start + body, p.end + body, p.kind, p.gap) for p in pieces)
        table = FlatTable(headings, moved, width, known)
        goes_on = end == body + rows * width < block.end and table.end >= end - 2 * width
        if not _is_table(replace(block, end=table.end if goes_on else block.end), begin, reading, table):
            return None, table.end
        if not goes_on:
            return table, table.end
        rows *= 2


def _pieces(block: Block, reading: Reading, end: int) -> list[Piece]:
    """The rows of a table that ends before `end`, and what stands between them."""
    cells, headings = block.texts[reading.body : end], reading.headings(block)
    if len(cells) < reading.width:
        return []
    pieces = _until_end(
        certain_pieces(cells, reading.width, headings, ends_at_blank=block.ends_at_blank), reading.width
    )
    if block.ends_at_blank and pieces and pieces[-1].kind != "row":
        cells = cells[: _last_filled(block, reading.body, pieces[-1].end)]
        pieces = _until_end(
            certain_pieces(cells, reading.width, headings, ends_at_blank=block.ends_at_blank), reading.width
        )
        if pieces and not all(cells[pieces[-1].start : pieces[-1].end]):
            # The blank cell behind it may be its own, and the one within it none.
            pieces.pop()
    return pieces


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


def _heading_rows(texts: Sequence[str], reading: Reading) -> tuple[tuple[int | None, ...], ...]:
    wrapped = (
        set(wrapped_headings(texts[reading.first : reading.body]))
        if reading.body - reading.first > reading.width
        else ()
    )
    top: list[int | None] = []
    below: list[int | None] = []
    for n in range(reading.body - reading.first):
        if n in wrapped:
            below[-1] = reading.first + n
        else:
            top.append(reading.first + n)
            below.append(None)
    return (tuple(top), tuple(below)) if wrapped else (tuple(top),)


def _is_table(block: Block, begin: int, reading: Reading, table: FlatTable) -> bool:
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
    headings = block.texts[reading.first : reading.body]
    if above and not (is_clean and table.known == width == len(set(headings))):
        # What stands above may be the first of the headings.
        return False
    starts_block = reading.first == block.begin
    if whole == 1:
        has_headings = any(map(is_known_heading, block.texts[reading.body : table.end]))
        return is_clean and starts_block and not has_headings and table.known >= _KNOWN_OF_ONE_ROW * width
    if width == MIN_WIDTH:
        return table.known == width and whole >= _MIN_UNKNOWN_ROWS and starts_block
    if table.known >= max(1, width // 4):
        return True
    # Where all columns but the first are measured, two rows are as plain as three of another kind.
    cells = block.shapes[reading.body : table.end]
    is_matrix = width > MIN_WIDTH and all((shape in QUANTITIES) == (n % width > 0) for n, shape in enumerate(cells))
    return is_clean and starts_block and whole >= _MIN_UNKNOWN_ROWS - is_matrix
