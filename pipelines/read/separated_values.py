"""Tables as comma-, semicolon- or tab-separated values to `Document`: one grid over the lines of the file.

A line keeps its number. A record whose quoted cell holds line breaks stands whole on its first line, a blank for each
break, and its other lines are empty: so every cell is a piece of one line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import PurePath
from typing import NamedTuple

from pipelines.read.document import Cell, Document, Grid, Line, Lines
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
    texts = read_text(content, document_id, format).texts
    separator = "\t" if PurePath(name).suffix.lower() in (".tsv", ".tab") else _separator_of(texts)
    joined, records = _read(texts, separator or ",")
    if not records:
        return Document(document_id, format, Lines(joined))
    grid = Grid(
        tuple([record.texts for record in records]),
        tuple([(record.line,) * len(record.texts) for record in records]),
        tuple([record.starts for record in records]),
        1,
        len(joined),
        holds_records=True,
        layout="csv",
    )
    return Document(document_id, format, Lines(joined), (grid,))


def is_separated(document: Document) -> bool:
    """True for a text that is nothing but records of one width, as a table saved without its suffix."""
    # Most texts are none, and are not read to their end to see it.
    first = [text for text in document.texts[:_PROBE_LINES] if text.strip()]
    if len({any(mark in text for mark in _SEPARATORS) for text in first}) != 1:
        return False
    if any(text.lstrip().startswith("{") for text in first):
        # Dictionaries and JSON have commas between their fields, and are no records.
        return False
    separator = _separator_of(document.texts[:_PROBE_LINES])
    if separator is None:
        return False
    widths = _widths(document.texts, separator)
    return widths.total() >= _MIN_RECORDS and len(widths) == 1 and min(widths) >= _MIN_COLUMNS


def separator_of(lines: Sequence[Line]) -> str | None:
    """The separator that gives most records the same number of cells, or None where no line has one."""
    return _separator_of([line.text for line in lines])


def read_records(lines: Sequence[Line], separator: str) -> tuple[tuple[Line, ...], list[tuple[Cell, ...]]]:
    """The lines with each record on one of them, and the cells of each record; an empty line is no record."""
    joined, records = _read([line.text for line in lines], separator)
    first = lines[0].number - 1 if lines else 0
    rows = [
        tuple(
            Cell(text, first + record.line, start, start + len(text))
            for text, start in zip(record.texts, record.starts, strict=True)
        )
        for record in records
    ]
    return tuple(Line(line.number, text) for line, text in zip(lines, joined, strict=True)), rows


class _Record(NamedTuple):
    """A record: the line it stands on, from 1, and the text and first character of each of its cells."""

    line: int
    texts: tuple[str, ...]
    starts: tuple[int, ...]


def _separator_of(texts: Sequence[str]) -> str | None:
    def score(separator: str) -> tuple[int, int]:
        widths = ((width, records) for width, records in _widths(texts, separator).items() if width > 1)
        width, records = max(widths, key=lambda item: (item[1], item[0]), default=(0, 0))
        return records, width

    printed = [separator for separator in _SEPARATORS if any(separator in text for text in texts)]
    scores = {separator: score(separator) for separator in printed}
    best = max(printed, key=scores.__getitem__, default=None)
    return best if best is not None and scores[best] > (0, 0) else None


def _widths(texts: Sequence[str], separator: str) -> Counter[int]:
    """How many records have each number of cells."""
    records = (text for _, text, _ in _join(texts, separator) if text.strip())
    return Counter(
        sum(1 for _ in _quoted_cells(text, separator)) if '"' in text else text.count(separator) + 1 for text in records
    )


def _read(texts: Sequence[str], separator: str) -> tuple[list[str], list[_Record]]:
    """The lines with each record on one of them, and the records."""
    joined: list[str] = []
    records: list[_Record] = []
    for position, text, taken in _join(texts, separator):
        joined.append(text)
        joined += [""] * (taken - 1)
        if text.strip():
            records.append(_Record(position + 1, *_cells(text, separator)))
    return joined, records


def _join(texts: Sequence[str], separator: str) -> Iterator[tuple[int, str, int]]:
    """The lines with those joined that one record stands on: position of the first, text, and how many they are."""
    position = 0
    while position < len(texts):
        text, taken = texts[position], 1
        if '"' in text:
            while _is_open(text, separator) and position + taken < len(texts) and taken < _MAX_LINES_OF_CELL:
                text, taken = f"{text} {texts[position + taken]}", taken + 1
            if taken > 1 and _is_open(text, separator):
                # The quote is never closed: it is a mark of inches, not the begin of a cell.
                text, taken = texts[position], 1
        yield position, text, taken
        position += taken


def _cells(text: str, separator: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Text and first character of each cell of a record, without quotes; a doubled quote inside stays as printed."""
    if '"' in text:
        parts, starts = zip(*_quoted_cells(text, separator), strict=True)
    else:
        parts = tuple(text.split(separator))
        starts = (0, *accumulate(len(part) + 1 for part in parts[:-1]))
    texts = tuple([part.strip() for part in parts])
    if texts != parts:
        starts = tuple(
            start + part.find(text) if text else start for start, part, text in zip(starts, parts, texts, strict=True)
        )
    return texts, starts


def _pattern(separator: str) -> re.Pattern[str]:
    # `"FP32, BF16",` or `2.18.0,`
    mark = re.escape(separator)
    return re.compile(rf'[^\S{mark}]*"(?P<quoted>(?:[^"]|"")*)"[^\S{mark}]*(?={mark}|$)|(?P<plain>[^{mark}]*)')


_PATTERNS = {separator: _pattern(separator) for separator in _SEPARATORS}


def _quoted_cells(text: str, separator: str) -> Iterator[tuple[str, int]]:
    """What stands between the separators of a record, or between the quotes there, and where it begins."""
    position = 0
    while position <= len(text):
        match = _PATTERNS[separator].match(text, position)
        if match is None:
            return
        group = "quoted" if match["quoted"] is not None else "plain"
        yield match[group], match.start(group)
        position = match.end() + 1


def _is_open(text: str, separator: str) -> bool:
    """True where a quoted cell begins and does not end."""
    if text.count('"') % 2 == 0:
        return False
    last = text.rfind(separator + '"')
    return last >= 0 or text.lstrip().startswith('"')
