"""Tables as comma-, semicolon- or tab-separated values to `Document`: one grid over the lines of the file.

A line keeps its number. A quoted cell that goes over several lines stands whole on its first one, a blank for each line
break, and what follows it stays where it is printed: so every cell is a piece of one line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import PurePath
from typing import NamedTuple

from pipelines.read.document import Cell, Document, Grid, Line, Lines, ReadError
from pipelines.read.text import read_text

SUFFIXES = frozenset({".csv", ".tsv", ".tab"})
_SEPARATORS = (",", "\t", ";")
# Fewer columns or records are a list or a sentence with commas.
_MIN_COLUMNS, _MIN_RECORDS = 3, 2
_PROBE_LINES = 20
# The rest of a quoted cell that began on a line above
_REST = re.compile(r'(?:[^"]|"")*+"')


def read_separated(content: bytes, document_id: str, format: str | None, name: str) -> Document:
    """The lines of a file of separated values, and one grid over all of its records.

    Raises:
        ReadError: As `read_text`; `open_quote` for a quoted cell without an end.
    """
    texts = [*read_text(content, document_id, format).texts]
    separator = "\t" if PurePath(name).suffix.lower() in (".tsv", ".tab") else _separator_of(texts)
    records = list(_records(texts, separator or ","))
    if not records:
        return Document(document_id, format, Lines(texts))
    grid = Grid(
        tuple([record.texts for record in records]),
        tuple([record.lines for record in records]),
        tuple([record.starts for record in records]),
        1,
        len(texts),
        holds_records=True,
        layout="csv",
    )
    return Document(document_id, format, Lines(texts), (grid,))


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
    try:
        widths = Counter(len(record.texts) for record in _records([*document.texts], separator))
    except ReadError:
        return False
    return widths.total() >= _MIN_RECORDS and len(widths) == 1 and min(widths) >= _MIN_COLUMNS


def separator_of(lines: Sequence[Line]) -> str | None:
    """The separator that gives most records the same number of cells, or None where no line has one."""
    return _separator_of([line.text for line in lines])


def read_records(lines: Sequence[Line], separator: str) -> tuple[tuple[Line, ...], list[tuple[Cell, ...]]]:
    """The lines with each cell on one of them, and the cells of each record; an empty line is no record.

    Raises:
        ReadError: `open_quote`, for a quoted cell without an end.
    """
    texts = [line.text for line in lines]
    first = lines[0].number - 1 if lines else 0
    rows = [
        tuple(Cell(text, first + line, start, start + len(text)) for text, line, start in zip(*record, strict=True))
        for record in _records(texts, separator)
    ]
    return tuple(Line(line.number, text) for line, text in zip(lines, texts, strict=True)), rows


class _Record(NamedTuple):
    """A record: the text, the line, from 1, and the first character of each of its cells."""

    texts: tuple[str, ...]
    lines: tuple[int, ...]
    starts: tuple[int, ...]


def _separator_of(texts: Sequence[str]) -> str | None:
    def score(separator: str) -> tuple[int, int, int]:
        found, strays = _widths(texts, separator)
        widths = ((width, records) for width, records in found.items() if width > 1)
        width, records = max(widths, key=lambda item: (item[1], item[0]), default=(0, 0))
        return -strays if records else -len(texts), records, width

    printed = [separator for separator in _SEPARATORS if any(separator in text for text in texts)]
    scores = {separator: score(separator) for separator in printed}
    best = max(printed, key=scores.__getitem__, default=None)
    return best if best is not None and scores[best][1] else None


def _widths(texts: Sequence[str], separator: str) -> tuple[Counter[int], int]:
    """How many records have each number of cells, up to one without an end, and how many have a quote within a cell."""
    widths: Counter[int] = Counter()
    strays = 0
    try:
        for record in _records([*texts], separator):
            widths[len(record.texts)] += 1
            strays += any('"' in text and '"' in text.replace('""', "") for text in record.texts)
    except ReadError:
        # Of a file only the beginning may be given.
        pass
    return widths, strays


def _records(texts: list[str], separator: str) -> Iterator[_Record]:
    """The records of these lines; a cell over several of them is written on its first one.

    Raises:
        ReadError: `open_quote`, for a quoted cell without an end.
    """
    position = 0
    while position < len(texts):
        text, number = texts[position], position + 1
        position = number
        if not text.strip():
            continue
        if '"' in text:
            cells = list(_quoted_cells(texts, number, separator))
            parts, lines, starts = zip(*cells, strict=True)
            position = lines[-1]
        else:
            parts = tuple(text.split(separator))
            lines = (number,) * len(parts)
            starts = (0, *accumulate(len(part) + 1 for part in parts[:-1]))
        stripped = tuple([part.strip() for part in parts])
        if stripped != parts:
            starts = tuple(
                start + part.find(text) if text else start
                for start, part, text in zip(starts, parts, stripped, strict=True)
            )
        yield _Record(stripped, lines, starts)


def _pattern(separator: str) -> re.Pattern[str]:
    # `"FP32, BF16",`, `"Throughput` at the end of a line or `2.18.0,`
    mark = re.escape(separator)
    return re.compile(
        rf'[^\S{mark}]*"(?P<quoted>(?:[^"]|"")*+)(?:"[^\S{mark}]*(?={mark}|$)|(?P<open>$))|(?P<plain>[^{mark}]*)'
    )


_PATTERNS = {separator: _pattern(separator) for separator in _SEPARATORS}


def _quoted_cells(texts: list[str], number: int, separator: str) -> Iterator[tuple[str, int, int]]:
    """What stands between the separators of a record, or between the quotes there, and the line and place it begins."""
    place = 0
    while place <= len(texts[number - 1]):
        match = _PATTERNS[separator].match(texts[number - 1], place)
        assert match is not None, "a plain cell may be empty"
        if match["open"] is not None:
            first, start = number, match.start("quoted")
            number, place = _join(texts, first, start, separator)
            yield texts[first - 1][start:-1], first, start
        else:
            group = "quoted" if match["quoted"] is not None else "plain"
            yield match[group], number, match.start(group)
            place = match.end()
        place += 1


def _join(texts: list[str], number: int, start: int, separator: str) -> tuple[int, int]:
    """Write a quoted cell that is open at the end of its line on that line; gives the line and place behind it."""
    parts = [texts[number - 1]]
    for last in range(number + 1, len(texts) + 1):
        text = texts[last - 1]
        texts[last - 1] = ""
        if (rest := _REST.match(text)) is None:
            parts += [text.strip()] if text.strip() else []
            continue
        texts[number - 1] = " ".join([*parts, rest[0].lstrip()])
        behind = text[rest.end() :]
        texts[last - 1] = " " * rest.end() + behind if behind.strip() else ""
        between = behind.partition(separator)[0]
        if between.strip():
            break
        return last, rest.end() + len(between)
    reason = f"a quoted cell begins at character {start} and has no end: close its quote, or double a quote inside it"
    raise ReadError("open_quote", reason, number)
