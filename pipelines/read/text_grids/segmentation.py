"""A stream of cells cut into rows: the cheapest cut by the shapes of its columns, and what of it is certain.

A row may lack cells or have some too many. Whatever another cut as cheap would read otherwise is left in one piece: a
row with more cells than columns, that nobody can take for a row. Nothing is moved to where it would fit better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from pipelines.read.text_grids.shapes import BLANK, NAMES, ODD, Column, shape_of

# A cell that stands in no row, or in a row that has one too many.
_LEFT_OVER = 2
# More for a name that stands in several rows.
_FAMILIAR = 2
# A row that lacks a cell, and each further one that it lacks.
_LACKS_FIRST, _LACKS_NEXT = 3, 1
# A name that stands in another column elsewhere, and never in this one.
_FOREIGN = 2
# How much dearer another cut has to be.
MARGIN = 2
_MAX_EXTRA = 2
# Rows that show what the columns are.
_SEED_ROWS = 8
# A column that is not what its heading says.
_CONTRADICTION = 4
_MAX_LACKING = 3
# Cells that are more unlike their columns make no row.
_MAX_MISFIT = 7
_FAR = 1 << 30

# A piece that may begin at a place: where it ends, what it costs, its kind and its gap.
_Edge = tuple[int, int, str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring cells of a stream.

    Attributes:
        start: Index of the first one.
        end: Index behind the last.
        kind: `row` for a whole row, `lacking` for one with a cell too few, `other` for one cell that is in no row,
            `unsure` where several cuts are possible.
        gap: Columns that a lacking row lacks, where only these can be.
    """

    start: int
    end: int
    kind: str
    gap: tuple[int, ...] = ()


class Segmentation:
    """The cheapest cut of a stream of cells into rows of `width` columns.

    Attributes:
        cost: What does not fit in it, see the constants above; 0 for a stream of rows.
        pieces: Its parts in order.
        columns: The columns by which it was cut.
    """

    def __init__(self, texts: Sequence[str], columns: Sequence[Column]) -> None:
        self._texts, self.columns, self._width = texts, columns, len(columns)
        self._familiar = Counter[str]()
        for column in columns:
            self._familiar.update(column.texts)
        self._costs: dict[str, tuple[list[int], int]] = {}
        self._measured = [n for n, column in enumerate(columns) if column.is_measured]
        self._limit = min(self._width, _MAX_MISFIT)
        self._values = [0, *accumulate(map(self._can_be_value, texts))]
        self._heads = [self._head(start) for start in range(len(texts) + 1)]
        self._tails = [self._tail(end) for end in range(len(texts) + 1)]
        self._edges = self._all_edges()
        self.cost, self.pieces = self._cut()

    def exemplary_rows(self) -> list[int]:
        """Where whole rows begin whose cells are like the rest of their columns, with whole rows on both sides."""
        kinds = [None, *(piece.kind for piece in self.pieces), None]
        rows = []
        for piece, before, behind in zip(self.pieces, kinds, kinds[2:], strict=False):
            if piece.kind == "row" and {before, behind} <= {"row", None} and not self._misfits(piece):
                rows.append(piece.start)
        return rows

    def odd_rows(self) -> set[int]:
        """Which pieces are rows with an odd cell beside a damaged one, or that damaged one: either may be cut amiss."""
        found = set[int]()
        for n, (piece, behind) in enumerate(pairwise(self.pieces)):
            for row, other in ((piece, behind), (behind, piece)):
                if row.kind == "row" and other.kind in ("lacking", "unsure") and self._misfits(row):
                    found |= {n, n + 1}
        return found

    def _misfits(self, row: Piece) -> bool:
        texts = self._texts[row.start : row.end]
        return any(column.cost(text) >= ODD for column, text in zip(self.columns, texts, strict=True))

    # Costs

    def _cost(self, text: str) -> tuple[list[int], int]:
        """What a text costs in each column, and in none."""
        if text not in self._costs:
            is_known = self._familiar[text] and shape_of(text) in NAMES
            costs = [
                column.cost(text) + (_FOREIGN if is_known and text not in column.texts else 0)
                for column in self.columns
            ]
            familiar = self._familiar[text] > 1 and shape_of(text) in NAMES
            self._costs[text] = costs, _LEFT_OVER + _FAMILIAR * familiar
        return self._costs[text]

    def _head(self, start: int) -> list[int]:
        """What the first n cells of a row from here on cost, for each n as long as it is not too much."""
        sums, total = [0], 0
        for column, text in enumerate(self._texts[start : start + self._width]):
            total += self._cost(text)[0][column]
            if total > self._limit:
                break
            sums.append(total)
        return sums

    def _tail(self, end: int) -> list[int]:
        """What the last n cells of a row up to here cost."""
        sums, total = [0], 0
        for place in range(1, min(self._width, end) + 1):
            total += self._cost(self._texts[end - place])[0][-place]
            if total > self._limit:
                break
            sums.append(total)
        return sums

    def _lacking(self, start: int, end: int) -> tuple[int, tuple[int, ...]]:
        """What a row with too few cells costs, and the columns it lacks if that is plain."""
        count = end - start
        head, tail = self._heads[start], self._tails[end]
        if len(head) + len(tail) < count + 2:
            return _FAR, ()
        lacks = self._width - count
        found = sorted(
            (head[first] + tail[count - first], first)
            for first in range(max(0, count - len(tail) + 1), min(count, len(head) - 1) + 1)
        )
        if not found:
            return _FAR, ()
        cost, first = found[0]
        plain = len(found) == 1 or found[1][0] >= cost + MARGIN
        return cost, tuple(range(first, first + lacks)) if plain else ()

    def _with_extra(self, start: int, end: int) -> int:
        """What a row costs that has cells too many between its first and its last."""
        head, tail = self._heads[start], self._tails[end]
        if len(head) + len(tail) < self._width + 2:
            return _FAR
        extra = end - start - self._width
        places = range(max(1, self._width - len(tail) + 1), min(self._width - 1, len(head) - 1) + 1)
        texts = self._texts
        return min(
            (
                head[first]
                + tail[self._width - first]
                + sum(self._cost(text)[1] for text in texts[start + first : start + first + extra])
                for first in places
            ),
            default=_FAR,
        )

    def _row(self, start: int) -> int:
        head = self._heads[start]
        return head[-1] if len(head) > self._width else _FAR

    def _can_be_value(self, text: str) -> bool:
        return shape_of(text) != BLANK and any(self.columns[column].cost(text) == 0 for column in self._measured)

    def _holds_value(self, start: int, end: int) -> bool:
        """True where a cell can be a measured value; without one a row measures nothing."""
        return self._values[end] > self._values[start]

    # The cheapest cut

    def _all_edges(self) -> list[list[_Edge]]:
        """For each place the pieces that can begin there."""
        size, width = len(self._texts), self._width
        lacking = min(_MAX_LACKING, width - 2, width // 2)
        edges: list[list[_Edge]] = []
        for start in range(size):
            found: list[_Edge] = [(start + 1, self._cost(self._texts[start])[1], "other", ())]
            if self._heads[start][1:] and start + width <= size and (cost := self._row(start)) < _FAR:
                found.append((start + width, cost, "row", ()))
            for lacks in range(1, lacking + 1):
                end = start + width - lacks
                measures = end <= size and self._holds_value(start, end)
                if end <= size and (measures or lacks == 1):
                    cost, gap = self._lacking(start, end)
                    if cost < self._limit:
                        cost += _LACKS_FIRST + _LACKS_NEXT * (lacks - measures)
                        found.append((end, cost, "lacking", gap))
            if 1 < (count := size - start) < width and len(self._heads[start]) > count:
                # The text may be cut off.
                found.append((size, self._heads[start][count] + _LACKS_FIRST + _LACKS_NEXT, "lacking", ()))
            for extra in range(1, _MAX_EXTRA + 1):
                end = start + width + extra
                if end <= size and (cost := self._with_extra(start, end)) < _FAR:
                    found.append((end, cost, "unsure", ()))
            edges.append(found)
        return edges

    def _cut(self) -> tuple[int, list[Piece]]:
        size = len(self._texts)
        behind = [_FAR] * size + [0]
        for start in range(size - 1, -1, -1):
            behind[start] = min(cost + behind[end] for end, cost, _, _ in self._edges[start])
        before = [0] + [_FAR] * size
        for start in range(size):
            for end, cost, _, _ in self._edges[start]:
                before[end] = min(before[end], before[start] + cost)
        best = behind[0]
        near = [before[place] + behind[place] < best + MARGIN for place in range(size + 1)]
        spanned = [False] * (size + 1)
        for start in range(size):
            for end, cost, _, _ in self._edges[start]:
                if end - start > 1 and before[start] + cost + behind[end] < best + MARGIN:
                    spanned[start + 1 : end] = [True] * (end - start - 1)
        sure = [place for place in range(size + 1) if near[place] and not spanned[place]]
        return best, [self._piece(start, end, behind, near) for start, end in pairwise(sure)]

    def _piece(self, start: int, end: int, behind: Sequence[int], near: Sequence[bool]) -> Piece:
        """What stands between two places where every cut as cheap parts the cells."""
        if not any(near[start + 1 : end]):
            for stop, cost, kind, gap in self._edges[start]:
                if stop == end and cost + behind[end] == behind[start]:
                    return Piece(start, end, kind, gap)
        return Piece(start, end, "unsure")


def whole_rows(cells: Sequence[str], columns: Sequence[Column]) -> int:
    """How many rows follow each other from the first cell on, each cell like the others of its column."""
    width = len(columns)
    for start in range(0, len(cells) - width + 1, width):
        row = cells[start : start + width]
        if not any(row) or any(column.cost(text) >= ODD for column, text in zip(columns, row, strict=True)):
            return start // width
    return len(cells) // width


def contradictions(columns: Sequence[Column], headings: Sequence[str]) -> int:
    """What it costs that columns are not what their headings say."""
    return _CONTRADICTION * sum(map(Column.contradicts, columns, headings))


def seeded_columns(cells: Sequence[str], width: int, offset: int = 0) -> list[Column]:
    """The columns as the first rows from a place on show them, as long as one is like the other."""
    columns = [Column([text]) for text in cells[offset : offset + width]]
    count = 1
    while count < _SEED_ROWS and len(row := cells[offset + count * width : offset + (count + 1) * width]) == width:
        if any(column.cost(text) >= ODD for column, text in zip(columns, row, strict=True)):
            break
        count += 1
    return [Column(cells[offset + n : offset + count * width : width]) for n in range(width)]


def segmented(cells: Sequence[str], width: int, offset: int = 0) -> Segmentation:
    """The cells cut into rows, by columns as these rows show them."""
    cut = Segmentation(cells, seeded_columns(cells, width, offset))
    if cut.cost and (rows := cut.exemplary_rows()):
        cut = Segmentation(cells, [Column([cells[start + n] for start in rows]) for n in range(width)])
    return cut


def certain_pieces(cells: Sequence[str], width: int, headings: Sequence[str], *, ends_at_blank: bool) -> list[Piece]:
    """The cells cut into rows, without what another cut nearly as good would read otherwise.

    Where the first row lacks a cell, all rows behind it look like rows whose columns are turned by one; so do those of
    an undamaged table whose last row lacks one. What the headings say tells them apart, or nothing does.
    """
    columns = seeded_columns(cells, width)
    end = whole_rows(cells, columns) * width
    if end == len(cells) or (ends_at_blank and end and not cells[end]):
        if contradictions(columns, headings) > _CONTRADICTION:
            return []
        return [Piece(start, start + width, "row") for start in range(0, end, width)]
    cut = segmented(cells, width)
    ends_in_rows = len(cut.pieces) > 3 and {piece.kind for piece in (*cut.pieces[:2], *cut.pieces[-2:])} == {"row"}
    offsets = (
        [] if ends_in_rows else [offset for offset in (width - 1, width - 2, 1, 2) if 0 < offset <= len(cells) - width]
    )
    cuts = [cut, *(segmented(cells, width, offset) for offset in dict.fromkeys(offsets))]
    costs = [cut.cost + contradictions(cut.columns, headings) for cut in cuts]
    near = [cut for cut, cost in zip(cuts, costs, strict=True) if cost < min(costs) + 2 * MARGIN]
    if contradictions(near[0].columns, headings) > _CONTRADICTION:
        # Two headings that are not those of their columns are no accident.
        return []
    parted = _parted_otherwise(near, len(cells))
    pieces, odd = near[0].pieces, near[0].odd_rows()
    return [
        replace(piece, kind="unsure", gap=()) if n in odd or any(parted[piece.start : piece.end]) else piece
        for n, piece in enumerate(pieces)
    ]


def _parted_otherwise(cuts: Sequence[Segmentation], size: int) -> list[bool]:
    """For each cell whether it stands in different rows."""
    spans: list[set[tuple[int, int]]] = [set() for _ in range(size)]
    for cut in cuts:
        for piece in cut.pieces:
            for n in range(piece.start, piece.end) if piece.kind in ("row", "lacking") else ():
                spans[n].add((piece.start, piece.end))
    return [len(found) > 1 for found in spans]


def only_gap(texts: Sequence[str], columns: Sequence[Column]) -> tuple[int, ...]:
    """The neighbouring columns that a row with too few cells lacks; none where several places are as good."""
    lacks = len(columns) - len(texts)
    found = []
    for first in range(len(texts) + 1):
        places = [*columns[:first], *columns[first + lacks :]]
        found.append((sum(column.cost(text) for column, text in zip(places, texts, strict=True)), first))
    (cost, first), *others = sorted(found)
    plain = cost < ODD and (not others or others[0][0] >= cost + MARGIN)
    return tuple(range(first, first + lacks)) if plain else ()
