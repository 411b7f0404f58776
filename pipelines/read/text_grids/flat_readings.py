"""How a text with one cell per line may be read as a table: where the headings begin, and how wide a row is.

A width is read off the cells themselves: their shapes repeat. Which lines are headings is read off the edges of the
block and off the vocabulary; two readings that are nearly as good are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import eq

from pipelines.read.text_grids.segmentation import MARGIN, contradictions, seeded_columns, segmented, whole_rows
from pipelines.read.text_grids.shapes import BLANK, CODE, NAMES, QUANTITIES, Column, is_known_heading, shape_of

MIN_WIDTH, MAX_WIDTH = 2, 30
# Rows by which readings are compared.
_PROBE_ROWS = 8
# Share of the cells that are like those a row below.
_MIN_ALIKE = 0.3
# Widths and places of the headings that are compared.
_MAX_WIDTHS, _MAX_PLACES = 5, 4
# Headings that may go on in a second line.
_MAX_WRAPPED = 4

# Known headings one behind the other that begin another table.
_MIN_NEXT_HEADINGS = 3

# What speaks against a reading.
_UNKNOWN_HEADING, _CODE_HEADING, _REPEATED_HEADING = 1, 1, 2
_HEADING_ABOVE, _HEADING_AMONG_CELLS, _LINE_ABOVE = 4, 5, 1
# An unknown heading that is a cell, too, one too few of them, and rows that do not come out even.
_HEADING_AS_CELL, _LOST_HEADING, _UNEVEN_END = 5, 2, 3
# What is dearer is no reading.
_MAX_COST, _MAX_COST_PER_COLUMN = 6, 2
# A row that nothing repeats, and a gap that repeats itself: a habit of the page.
_ONE_ROW, _HABIT = 4, 2


@dataclass(frozen=True, slots=True)
class Reading:
    """Where the headings begin (`first`), where the cells (`body`), and how many columns there are."""

    first: int
    body: int
    width: int
    cost: int = 0

    def headings(self, block: Block) -> Sequence[str]:
        """The headings of the columns; none where some go on in a second line."""
        headings = block.texts[self.first : self.body]
        return headings if len(headings) == self.width else ()


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


def best_reading(block: Block, begin: int, first_value: int) -> Reading | None:
    """How the cells around the first value behind `begin` are read; None where no reading is clearly the best."""
    readings: list[Reading] = []
    for width in _widths(block, begin, first_value):
        readings += _places(block, begin, first_value, width)
    found: list[Reading] = []
    for reading in sorted(readings, key=lambda reading: reading.cost):
        # What is dearer by its headings alone is no rival.
        if found and reading.cost >= found[0].cost + MARGIN:
            break
        found = sorted([*found, _weighed(block, reading)], key=lambda reading: reading.cost)
    if not found or found[0].cost > _MAX_COST + _MAX_COST_PER_COLUMN * found[0].width:
        return None
    if len(found) > 1 and found[1].cost < found[0].cost + MARGIN:
        return None
    # Which column lacks its heading is not printed.
    return found[0] if found[0].body - found[0].first >= found[0].width else None


def _widths(block: Block, begin: int, first_value: int) -> list[int]:
    """Widths at which the shapes of the cells repeat themselves best, and those that the headings suggest."""
    most = min(MAX_WIDTH, first_value - begin)
    shares = []
    for width in range(MIN_WIDTH, most + 1):
        count = max(0, min(block.end - width, first_value + (_PROBE_ROWS - 1) * width) - first_value)
        cells = block.shapes[first_value : first_value + count]
        alike = sum(map(eq, cells, block.shapes[first_value + width : first_value + width + count]))
        shares.append((alike / count if count else 0.0, -width))
    best = [-width for share, width in sorted(shares, reverse=True)[:_MAX_WIDTHS] if share >= _MIN_ALIKE]
    known = next((n for n in range(begin, first_value) if not is_known_heading(block.texts[n])), first_value) - begin
    # A block of two rows is headings and one row.
    return list(dict.fromkeys([*best, *(n for n in ((block.end - begin) // 2, known) if MIN_WIDTH <= n <= most)]))


def _places(block: Block, begin: int, first_value: int, width: int) -> Iterator[Reading]:
    """The likeliest places of the headings for a width."""
    found = []
    # The first row may lack its values.
    for body in range(first_value, max(begin, first_value - 2 * width), -1):
        for length in range(width - 1, width + _MAX_WRAPPED + 1):
            first = body - length
            if not begin <= first < body or (
                length > width and len(wrapped_headings(block.texts[first:body])) != length - width
            ):
                continue
            if any(shape not in NAMES and shape != BLANK for shape in block.shapes[first:body]):
                continue
            cost = _against(block, begin, first_value, first, body) + _LOST_HEADING * (length < width)
            found.append(Reading(first, body, width, cost))
    found.sort(key=lambda reading: reading.cost - 2 * ((block.end - reading.body) % width == 0))
    yield from found[:_MAX_PLACES]


def wrapped_headings(headings: Sequence[str]) -> list[int]:
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
    cost += sum(_CODE_HEADING for text in headings if shape_of(text) == CODE and not is_known_heading(text))
    cost += _REPEATED_HEADING * (len(headings) - len(set(headings)))
    cost += sum(_HEADING_AMONG_CELLS for text in texts[body:first_value] if is_known_heading(text))
    above = texts[max(begin, first - 3) : first]
    return cost + sum(_HEADING_ABOVE if is_known_heading(text) else _LINE_ABOVE for text in above)


def _weighed(block: Block, reading: Reading) -> Reading:
    """The reading with what speaks against its rows, too."""
    width = reading.width
    end = min(block.end, reading.body + _PROBE_ROWS * width)
    next_table = next_headings(block.texts, reading.body, end)
    cells = block.texts[reading.body : next_table or end]
    if len(cells) < width:
        return replace(reading, cost=reading.cost + len(cells) + _ONE_ROW)
    columns: Sequence[Column] = seeded_columns(cells, width)
    cost = reading.cost + _ONE_ROW * (len(cells) < 2 * width)
    unknown = {text for text in block.texts[reading.first : reading.body] if text and not is_known_heading(text)}
    cost += _HEADING_AS_CELL * len(unknown.intersection(cells))
    is_seen_whole = bool(next_table) or end == block.end or block.ends_at_blank
    cost += 0 if is_seen_whole or (block.end - reading.body) % width == 0 else _UNEVEN_END
    if whole_rows(cells, columns) * width < len(cells):
        cut = segmented(cells, width)
        columns, cost = cut.columns, cost + cut.cost
        lacking = Counter(piece.end - piece.start for piece in cut.pieces if piece.kind == "lacking")
        cost -= sum(_HABIT * (count - 1) for count in lacking.values())
    return replace(reading, cost=cost + contradictions(columns, reading.headings(block)))


def next_headings(texts: Sequence[str], begin: int, end: int) -> int | None:
    """Where the headings of another table begin, if they do: known ones, one behind the other."""
    run = 0
    for n in range(begin, end):
        run = run + 1 if is_known_heading(texts[n]) else 0
        if run == _MIN_NEXT_HEADINGS:
            return n - run + 1
    return None
