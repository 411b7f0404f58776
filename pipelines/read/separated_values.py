"""Tables as comma-, semicolon- or tab-separated values to `Document`: a grid for each, mostly one
over the whole file.

A line keeps its number. A quoted cell that goes over several lines is written whole on its first
one, a blank for each line break, and what follows it stays where it is printed: so every cell is a
piece of one line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
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


def read_separated(document: Document) -> Document:
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
    if len({any(mark in text for mark in _SEPARATORS) for text in first}) != 1:
        return False
    if any(text.lstrip().startswith("{") for text in first):
        # Dictionaries and JSON have commas between their fields, and are no records.
        return False
    separator = separator_of(first)
    if separator is None:
        return False
    try:
        widths = Counter(len(record) for record in read_records([*document.texts], separator))
    except ReadError:
        return False
    return widths.total() >= _MIN_RECORDS and len(widths) == 1 and min(widths) >= _MIN_COLUMNS


def separator_of(texts: Sequence[str]) -> str | None:
    """The separator that gives most records the same number of cells, or None where no line has
    one.
    """
    best: tuple[tuple[int, int, int], str] | None = None
    for separator in _SEPARATORS:
        widths: Counter[int] = Counter()
        strays = 0
        try:
            for record in read_records([*texts[:_MAX_PROBED]], separator):
                widths[len(record)] += 1
                # A quote within a cell shows the wrong separator.
                strays += any('"' in cell.text.replace('""', "") for cell in record)
        except ReadError:
            # Of a file only the beginning may be given.
            pass
        scores = [(-strays, records, width) for width, records in widths.items() if width > 1]
        if scores and (best is None or max(scores) > best[0]):
            best = max(scores), separator
    return best[1] if best else None


def read_records(texts: list[str], separator: str) -> Iterator[list[Cell]]:
    """The records of these lines without empty ones. A cell over several lines is written on its
    first line.

    Raises:
        ReadError: `open_quote`, for a quoted cell without an end.
    """
    # `"BERT, ""large""",`, `1200;`: a quote inside is printed twice, blanks before one are skipped.
    # A quote that is not closed is matched with all that follows, so that it is sought once.
    pattern = re.compile(
        rf' *+(?:(?:"((?:[^"]|"")*+)"|(?!")[^{separator}\n]*+)({separator}|\n|\Z)|"[\s\S]*+)'
    )
    source = "".join(f"{text}\n" for text in texts)
    record: list[Cell] = []
    line = begin = position = first = 0
    while position < len(source):
        match = pattern.match(source, position)
        if match is None or match[2] is None:
            reason = "a quoted cell is not closed: close its quote, or double a quote inside it"
            raise ReadError("open_quote", reason, line + 1)
        low, high = (position, match.start(2)) if match[1] is None else match.span(1)
        printed, *others = source[low:high].split("\n")
        start, last = low - begin, line + len(others)
        if others:
            printed = " ".join([printed, *filter(None, map(str.strip, others))])
            begin = source.rindex("\n", low, high) + 1
            behind = texts[last][high + 1 - begin :]
            texts[line : last + 1] = [f'{texts[line][:start]}{printed}"', *[""] * len(others)]
            texts[last] = " " * (high + 1 - begin) + behind if behind.strip() else ""
        record.append(Cell(printed, line + 1, start, start + len(printed)).stripped())
        line, position = last, match.end()
        if match[2] == "\n":
            if not source[first:position].isspace():
                yield record
            record = []
            line += 1
            begin = first = position
