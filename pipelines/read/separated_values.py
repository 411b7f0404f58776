"""Tables as comma-, semicolon- or tab-separated values to `Document`: one grid over the lines of the file.

A line keeps its number. A record whose quoted cell holds line breaks stands whole on its first line, a blank for each
break, and its other lines are empty: so every cell is a piece of one line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from pipelines.read.document import Cell, Document, Grid, Line
from pipelines.read.text import read_text

SUFFIXES = frozenset({".csv", ".tsv", ".tab"})
_SEPARATORS = (",", "\t", ";")
# Fewer columns or records are a list or a sentence with commas.
_MIN_COLUMNS, _MIN_RECORDS = 3, 2
_PROBE_LINES = 20
# So many quotes open a cell that the file is broken, not the cell long.
_MAX_LINES_OF_CELL = 20


def read_separated(content: bytes, document_id: str, format: str | None, name: str) -> Document:
    """The lines of a file of separated values, and one grid over all of its records.

    Raises:
        ReadError: As `read_text`.
    """
    document = read_text(content, document_id, format)
    separator = "\t" if PurePath(name).suffix.lower() in (".tsv", ".tab") else separator_of(document.lines)
    lines, rows = read_records(document.lines, separator or ",")
    grid = Grid.of_cells(rows, 1, len(lines), holds_records=True, layout="csv")
    return Document(document_id, format, lines, (grid,) if rows else ())


def is_separated(document: Document) -> bool:
    """True for a text that is nothing but records of one width, as a table saved without its suffix."""
    # Most texts are none, and are not read to their end to see it.
    first = [line for line in document.lines[:_PROBE_LINES] if not line.is_blank]
    if len({sum(line.text.count(mark) for mark in _SEPARATORS) > 0 for line in first}) != 1:
        return False
    if any(line.text.lstrip().startswith("{") for line in first):
        # Dictionaries and JSON have commas between their fields, and are no records.
        return False
    separator = separator_of(document.lines[:_PROBE_LINES])
    if separator is None:
        return False
    widths = [len(row) for row in read_records(document.lines, separator)[1]]
    return len(widths) >= _MIN_RECORDS and len(set(widths)) == 1 and widths[0] >= _MIN_COLUMNS


def separator_of(lines: Sequence[Line]) -> str | None:
    """The separator that gives most records the same number of cells, or None where no line has one."""

    def score(separator: str) -> tuple[int, int]:
        widths = Counter(len(row) for row in read_records(lines, separator)[1] if len(row) > 1)
        width, records = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return records, width

    printed = [separator for separator in _SEPARATORS if any(separator in line.text for line in lines)]
    scores = {separator: score(separator) for separator in printed}
    best = max(printed, key=scores.__getitem__, default=None)
    return best if best is not None and scores[best] > (0, 0) else None


def read_records(lines: Sequence[Line], separator: str) -> tuple[tuple[Line, ...], list[tuple[Cell, ...]]]:
    """The lines with each record on one of them, and the cells of each record; an empty line is no record."""
    joined: list[Line] = []
    rows: list[tuple[Cell, ...]] = []
    position = 0
    while position < len(lines):
        line, text, taken = lines[position], lines[position].text, 1
        while _is_open(text, separator) and position + taken < len(lines) and taken < _MAX_LINES_OF_CELL:
            text, taken = f"{text} {lines[position + taken].text}", taken + 1
        if taken > 1 and _is_open(text, separator):
            # The quote is never closed: it is a mark of inches, not the begin of a cell.
            text, taken = line.text, 1
        joined.append(Line(line.number, text))
        joined += [Line(other.number, "") for other in lines[position + 1 : position + taken]]
        if text.strip():
            rows.append(tuple(_cells(Line(line.number, text), separator)))
        position += taken
    return tuple(joined), rows


def _pattern(separator: str) -> re.Pattern[str]:
    # `"FP32, BF16",` or `2.18.0,`
    mark = re.escape(separator)
    return re.compile(rf'[^\S{mark}]*"(?P<quoted>(?:[^"]|"")*)"[^\S{mark}]*(?={mark}|$)|(?P<plain>[^{mark}]*)')


_PATTERNS = {separator: _pattern(separator) for separator in _SEPARATORS}


def _cells(line: Line, separator: str) -> Iterator[Cell]:
    """The cells of a record without their quotes; a doubled quote inside stays as printed."""
    position = 0
    while position <= len(line.text):
        match = _PATTERNS[separator].match(line.text, position)
        if match is None:
            return
        yield line.matched(match, "quoted" if match["quoted"] is not None else "plain").stripped()
        position = match.end() + 1


def _is_open(text: str, separator: str) -> bool:
    """True where a quoted cell begins and does not end."""
    if text.count('"') % 2 == 0:
        return False
    last = text.rfind(separator + '"')
    return last >= 0 or text.lstrip().startswith('"')
