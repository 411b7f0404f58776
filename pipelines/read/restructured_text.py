"""reStructuredText to `Document`: its tables as grids, its headings without underlines.

Lines keep their numbers. Markup that says nothing of its own (underlines, labels, the options of a directive) is left
out, as an empty line. How each kind of table is printed belongs in `restructured_tables`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.read.document import Document, Grid, Line
from pipelines.read.restructured_grids import grid_table
from pipelines.read.restructured_simple import simple_table
from pipelines.read.restructured_tables import TABLES
from pipelines.read.text import read_text

SUFFIXES = frozenset({".rst", ".rest"})
# `=====`, `-----`, `~~~~~`: under (and over) a heading
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}\s*")
# `.. _inf2-performance:`, `.. contents:: Table of contents`, `.. tab-set::`, `.. note::`
_MARKUP = re.compile(r"\s*\.\.\s+(?:_[^:]*:.*|[\w-]+::.*|\|[^|]*\|.*)")
# `   :header-rows: 1`
_OPTION = re.compile(r"\s+:[\w-]+:(?:\s.*)?")


def read_restructured_text(content: bytes, document_id: str, format: str | None) -> Document:
    """The lines of a reStructuredText file, with a grid for each of its tables.

    Raises:
        ReadError: As `read_text`.
    """
    document = read_text(content, document_id, format)
    lines, grids = list(document.lines), list[Grid]()
    position = 0
    while position < len(lines):
        for read_table in TABLES:
            if found := read_table(lines, position):
                grid, replaced = found
                lines[position : position + len(replaced)] = replaced
                grids.append(grid)
                position += len(replaced)
                break
        else:
            position = _leave_markup_out(lines, position)
    return Document(document_id, format, tuple(lines), tuple(grids))


def _leave_markup_out(lines: list[Line], position: int) -> int:
    """Empty the line where it is only markup, and its options; returns the next position."""
    line = lines[position]
    if _MARKUP.fullmatch(line.text):
        lines[position] = Line(line.number, "")
        position += 1
        while position < len(lines) and _OPTION.fullmatch(lines[position].text):
            lines[position] = Line(lines[position].number, "")
            position += 1
        return position
    if _UNDERLINE.fullmatch(line.text):
        lines[position] = Line(line.number, "")
    return position + 1


def is_restructured_text(document: Document) -> bool:
    """True for a text with a table of reStructuredText, as nothing else prints one."""
    return any(_begins_table(document.lines, position) for position in range(len(document.lines)))


def _begins_table(lines: Sequence[Line], position: int) -> bool:
    text = lines[position].text
    if ".." in text and _TABLE_DIRECTIVE.fullmatch(text):
        return True
    return text.lstrip()[:2] in ("+-", "==") and _is_drawn(lines, position)


def _is_drawn(lines: Sequence[Line], position: int) -> bool:
    return (grid_table(lines, position) or simple_table(lines, position)) is not None


# `.. csv-table:: Throughput`
_TABLE_DIRECTIVE = re.compile(r"\s*\.\.\s+(?:csv-table|list-table)::.*")
