"""The `list-table` directive of reStructuredText: a list of rows, each a list of cells.

A cell that is wrapped stands whole on its first line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.read.document import Cell, Line

# `   * - Model`, `     - 1,234`, `   * -`
_ITEM = re.compile(r"(?P<indent>\s*)(?P<row>[*+]\s+)?-(?:\s+(?P<text>.*))?")


def list_rows(body: Sequence[Line]) -> tuple[list[tuple[Cell, ...]], list[Line]]:
    """The rows of the list below a `list-table`, and the lines that stand for it."""
    rows: list[list[Cell]] = []
    replaced: list[Line] = []
    depth = 0
    for line in body:
        match = _ITEM.fullmatch(line.text)
        if match and (match["row"] or rows):
            if match["row"]:
                rows.append([])
            is_blank = not (match["text"] or "").strip()
            rows[-1].append(Cell("", line.number, 0, 0) if is_blank else line.matched(match, "text").stripped())
            depth = len(match["indent"])
            replaced.append(line)
        elif rows and rows[-1] and not line.is_blank and _indent(line) <= depth:
            # Less indented than the list it is none of the words above it, and may be a cell that lost its mark.
            rows[-1].append(line.cell)
            replaced.append(line)
        elif rows and rows[-1] and not line.is_blank:
            _go_on(rows[-1], replaced, line)
            replaced.append(Line(line.number, ""))
        else:
            replaced.append(line)
    return [tuple(row) for row in rows], replaced


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())


def _go_on(row: list[Cell], replaced: list[Line], line: Line) -> None:
    """Put the words of a wrapped cell behind those on its first line."""
    at = row[-1].line - replaced[0].number
    before = replaced[at].text.rstrip()
    text = f"{before} {line.text.strip()}"
    start = row[-1].start if row[-1].text else len(before) + 1
    replaced[at] = Line(row[-1].line, text)
    row[-1] = Cell(text[start:], row[-1].line, start, len(text))
