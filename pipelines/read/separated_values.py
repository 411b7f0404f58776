"""Tables as comma-, semicolon- or tab-separated values to `Document`: a grid for each, mostly one
over the whole file.

A line keeps its number. A quoted cell that goes over several lines is written whole on its first
one, a blank for each line break, and what follows it stays where it is printed: so every cell is a
piece of one line.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest

from pipelines.read.document import Cell, Document, Grid, ReadError

# The first one of those that fit equally
_SEPARATORS = ("\t", ",", ";")
# Fewer columns or records are a list or a sentence with commas.
_MIN_COLUMNS, _MIN_RECORDS = 3, 2
_PROBE_LINES = 20
# Lines that show which separator a table has.
_MAX_PROBED = 1_000
# A cell may hold a whole answer of a model; the size of a file is limited.
csv.field_size_limit(sys.maxsize)


def read(document: Document) -> Document:
    """The lines of a file of separated values, and a grid for each of its tables.

    Raises:
        ReadError: `open_quote`, for a quoted cell without an end.
    """
    texts = [*document.texts]
    records = list(read_records(texts, separator_of(texts) or ","))
    grids, begin = list[Grid](), 1
    blocks = _blocks(records)
    for block, following in zip_longest(blocks, blocks[1:]):
        end = following[0][0].line - 1 if following else len(texts)
        grids.append(Grid(block, begin, end))
        begin = end + 1
    return replace(document, texts=tuple(texts), grids=tuple(grids))


def _blocks(records: Sequence[list[Cell]]) -> list[list[list[Cell]]]:
    """The records by table: after an empty line, two of another width than those above begin a new
    one.
    """
    blocks = [[*records[:1]]] if records else []
    for before, record, following in zip(records, records[1:], [*records[2:], None], strict=False):
        width, is_apart = len(record), record[0].line > before[-1].line + 1
        is_header = following and len(following) == width != len(blocks[-1][-1])
        if is_apart and is_header and width > 1 and len(blocks[-1]) > 1:
            blocks.append([])
        blocks[-1].append(record)
    return blocks


def is_separated(document: Document) -> bool:
    """True for a text that is nothing but records of one width, as a table saved without its
    suffix.
    """
    # Most texts are not such files; this is decided without reading them to the end.
    first = [text for text in document.texts[:_PROBE_LINES] if text.strip()]
    is_alike = len({any(mark in text for mark in _SEPARATORS) for text in first}) == 1
    # Dictionaries and JSON have commas between their fields, and are no records.
    is_dictionary = any(text.lstrip().startswith("{") for text in first)
    separator = separator_of(first) if is_alike and not is_dictionary else None
    if separator is None:
        return False
    try:
        widths = Counter(map(len, read_records([*document.texts], separator)))
    except ReadError:
        return False
    return widths.total() >= _MIN_RECORDS and len(widths) == 1 and min(widths) >= _MIN_COLUMNS


def separator_of(texts: Sequence[str]) -> str | None:
    """The separator that gives most records the same number of cells, or None where no line has
    one.
    """
    separators: dict[tuple[int, int, int], str] = {}
    for separator in _SEPARATORS:
        records: list[list[Cell]] = []
        # Of a file only the beginning may be given.
        with suppress(ReadError):
            records.extend(read_records([*texts[:_MAX_PROBED]], separator))
        # A quote within a cell shows the wrong separator.
        strays = sum(
            any('"' in cell.text.replace('""', "") for cell in record) for record in records
        )
        for width, number in Counter(map(len, records)).items():
            if width > 1:
                separators.setdefault((-strays, number, width), separator)
    return separators[max(separators)] if separators else None


def read_records(texts: list[str], separator: str) -> Iterator[list[Cell]]:
    """The records of these lines without empty ones. A cell over several lines is written on its
    first line.

    Raises:
        ReadError: `open_quote`, for a quoted cell without an end.
    """
    lines = [f"{text}\n" for text in texts]
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    first = 0
    try:
        for values in reader:
            if any(map(str.strip, lines[first : reader.line_num])):
                yield _record(texts, first, values)
            first = reader.line_num
    except csv.Error as error:
        reason = "a quoted cell is not closed: close its quote, or double a quote inside it"
        raise ReadError("open_quote", reason, first + 1) from error


def _record(texts: list[str], line: int, values: Sequence[str]) -> list[Cell]:
    """The cells of a record that begins on a line, where they are printed."""
    record = []
    start = 0
    for value in values:
        text = texts[line]
        while text[start : start + 1] == " ":
            start += 1
        is_quoted = text[start : start + 1] == '"'
        start += is_quoted
        printed, *others = (value.replace('"', '""') if is_quoted else value).split("\n")
        whole = " ".join([printed, *filter(None, map(str.strip, others))])
        record.append(Cell(whole, line + 1, start, start + len(whole)).stripped())
        if others:
            texts[line] = f'{text[:start]}{whole}"'
            texts[line + 1 : line + len(others)] = [""] * (len(others) - 1)
            line += len(others)
            printed, start = others[-1], 0
            behind = texts[line][len(printed) + 1 :]
            texts[line] = " " * (len(printed) + 1) + behind if behind.strip() else ""
        start += len(printed) + is_quoted + 1
    return record
