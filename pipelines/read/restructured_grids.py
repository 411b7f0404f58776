"""The grid tables of reStructuredText, drawn with `+---+---+`; cells may span rows and columns.

Where a cell of a row is wrapped, the row stands on its first line with bars between its cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.read.document import Cell, Grid, Line

# `+------+-----+`, `+======+=====+`
_BORDER = re.compile(r"\s*\+(?:[-=]+\+)+\s*")


@dataclass(frozen=True, slots=True)
class _Box:
    """A drawn cell: its borders, as indices of lines and of characters."""

    top: int
    left: int
    bottom: int
    right: int


def grid_table(lines: Sequence[Line], position: int) -> tuple[Grid, list[Line]] | None:
    """The grid of the table that begins at this position and the lines that stand for it, or None where none does."""
    if not _BORDER.fullmatch(lines[position].text):
        return None
    end = position
    while end < len(lines) and lines[end].text.strip()[:1] in ("+", "|") and lines[end].text.strip()[-1:] in ("+", "|"):
        end += 1
    block = [line.text.rstrip() for line in lines[position:end]]
    if len(block) < 3 or not _BORDER.fullmatch(block[-1]):
        return None
    boxes = _boxes(block)
    if not boxes:
        return None
    tops = sorted({box.top for box in boxes})
    lefts = sorted({box.left for box in boxes})
    kept = {box: _pieces(block, box) for box in boxes}
    replaced = [Line(line.number, "") for line in lines[position:end]]
    cells: dict[_Box, Cell] = {}
    for top in tops:
        band = sorted((box for box in boxes if box.top == top), key=lambda box: box.left)
        _place(band, kept, lines[position + top + 1], replaced, top + 1, cells)
    rows = []
    for top in tops:
        covering = {box.left: box for box in boxes if box.top <= top < box.bottom}
        row = []
        for left in lefts:
            box = next((box for box in covering.values() if box.left <= left < box.right), None)
            if box is not None:
                row.append(cells[box])
        rows.append(tuple(row))
    return Grid.of_cells(rows, lines[position].number, lines[end - 1].number, layout="rst"), replaced


def _place(
    band: list[_Box],
    kept: dict[_Box, list[tuple[int, int, str]]],
    first: Line,
    replaced: list[Line],
    at: int,
    cells: dict[_Box, Cell],
) -> None:
    """Put the cells that begin in one row onto one line: the printed one where none is wrapped."""
    starts = {piece[0] for box in band for piece in kept[box]}
    if len(starts) <= 1:
        at = starts.pop() if starts else at
        line = Line(first.number - (band[0].top + 1) + at, "")
        text = ""
        for box in band:
            for _, start, words in kept[box]:
                text = text.ljust(start) + words
        replaced[at] = Line(line.number, text)
        for box in band:
            start, words = next(((start, words) for _, start, words in kept[box]), (box.left + 1, ""))
            cells[box] = Cell(words, line.number, start, start + len(words)) if words else Cell("", line.number, 0, 0)
        return
    text = ""
    for box in band:
        words = " ".join(piece[2] for piece in kept[box])
        start = len(text) + 2
        text = f"{text}| {words} "
        cells[box] = Cell(words, first.number, start, start + len(words))
    replaced[at] = Line(first.number, text)


def _pieces(block: list[str], box: _Box) -> list[tuple[int, int, str]]:
    """Line, first character and words of each line of a cell that is not blank."""
    found = [(row, *_piece(block[row], box.left + 1, box.right)) for row in range(box.top + 1, box.bottom)]
    return [piece for piece in found if piece[2]]


def _piece(text: str, low: int, high: int) -> tuple[int, str]:
    part = text[low:high]
    words = part.strip()
    return low + len(part) - len(part.lstrip()), words


def _boxes(block: list[str]) -> list[_Box]:
    """The cells of a drawn grid, found from their upper left corners."""
    boxes = []
    seen: set[tuple[int, int]] = set()
    for top, text in enumerate(block):
        for left in (n for n, mark in enumerate(text) if mark == "+"):
            if (top, left) not in seen and (box := _box_at(block, top, left)):
                seen.add((top, left))
                boxes.append(box)
    return boxes


def _box_at(block: list[str], top: int, left: int) -> _Box | None:
    """The smallest box with this upper left corner."""
    for right in range(left + 1, len(block[top])):
        mark = block[top][right]
        if mark == "+":
            for bottom in range(top + 1, len(block)):
                line = block[bottom].ljust(right + 1)
                if line[left] not in "+|" or line[right] not in "+|":
                    break
                if line[left] == line[right] == "+" and set(line[left + 1 : right]) <= set("-=+"):
                    return _Box(top, left, bottom, right)
        elif mark not in "-=":
            return None
    return None
