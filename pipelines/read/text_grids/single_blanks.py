"""Tables with one row per line and single blanks between the cells, where headings and types leave one reading.

A blank stands within `Llama 3 8B` as it does between two cells. The headings that the vocabulary knows say how many
columns there are, and only one column may have cells of several words. What else could be read is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipelines.read.document import Cell, Line
from pipelines.read.text_grids.delimited import DelimitedTable
from pipelines.read.text_grids.shapes import (
    DECIMAL,
    DURATION,
    INTEGER,
    NOTHING,
    QUANTITIES,
    Column,
    heading_kind,
    is_known_heading,
    shape_of,
)
from pipelines.vocabulary.lookup import find

_WORD = re.compile(r"\S+")
# Words of a line of a table; a paragraph has more, and a list of two things fewer.
_MIN_WORDS, _MAX_WORDS = 3, 40
_MAX_HEADING_WORDS = 6
_MIN_ROWS = 2

_Words = list[Cell]


def single_blank_tables(lines: Sequence[Line]) -> Iterator[DelimitedTable]:
    """The tables that are printed so, in order."""
    position = 0
    while position + _MIN_ROWS < len(lines):
        end = position + 1
        if _may_be_headings(lines[position], lines[position + 1]):
            while end < len(lines) and lines[end].number == lines[end - 1].number + 1 and _words(lines[end]):
                end += 1
            rows = [_with_units(_words(line)) for line in lines[position + 1 : end]]
            if table := _table(_in_brackets(_words(lines[position])), rows):
                yield table
                end = position + len(table.rows)
        position = end


def _may_be_headings(line: Line, below: Line) -> bool:
    """True for a line of words, most of them headings, above one with numbers."""
    if below.number != line.number + 1 or not any(map(str.isdigit, below.text)):
        return False
    words, values = _words(line), _words(below)
    if not words or not values:
        return False
    if any(shape_of(word.text) in QUANTITIES for word in words):
        return False
    return any(shape_of(word.text) in QUANTITIES for word in values) and any(is_known_heading(w.text) for w in words)


def _words(line: Line) -> _Words:
    if len(line.text) > _MAX_WORDS * 20 or "|" in line.text or "\t" in line.text.strip():
        return []
    if not _MIN_WORDS <= len(line.text.split()) <= _MAX_WORDS:
        return []
    return [line.matched(match) for match in _WORD.finditer(line.text)]


def _joined(words: Sequence[Cell]) -> Cell:
    """Neighbouring words as one cell, as they stand if one blank parts them."""
    return Cell(" ".join(word.text for word in words), words[0].line, words[0].start, words[-1].end)


def _in_brackets(words: _Words) -> _Words:
    """The words of headings, with a unit joined to the word before it: `Throughput (tokens/s)`, `Output tok/s`."""
    kept: _Words = []
    for word in words:
        is_inside = bool(kept) and kept[-1].text.count("(") > kept[-1].text.count(")")
        if kept and (word.text.startswith("(") or is_inside or _is_rate(word.text)):
            kept[-1] = _joined([kept[-1], word])
        else:
            kept.append(word)
    return kept


def _with_units(words: _Words) -> _Words:
    """The words of a row, with a unit joined to its number and the parts of a duration to each other."""
    kept: _Words = []
    for word in words:
        before = shape_of(kept[-1].text) if kept else ""
        is_unit = before in (INTEGER, DECIMAL) and (find("units", word.text) is not None or _is_rate(word.text))
        is_part = before == DURATION and shape_of(f"{kept[-1].text} {word.text}") == DURATION
        if is_unit or is_part:
            kept[-1] = _joined([kept[-1], word])
        else:
            kept.append(word)
    return kept


def _is_rate(text: str) -> bool:
    item, slash, time = text.partition("/")
    return bool(slash) and item.isalpha() and time.rstrip(".").isalpha()


def _table(headings: _Words, rows: Sequence[_Words]) -> DelimitedTable | None:
    lengths = {len(row) for row in rows}
    if len(rows) < _MIN_ROWS:
        return None
    found = _headings(headings, lengths.pop() if len(lengths) == 1 else None)
    if not found or len(found) < _MIN_WORDS or min(map(len, rows)) < len(found):
        return None
    readings: dict[int, list[_Words]] = {}
    for several in range(len(found)):
        read = [_cells(row, several, len(found)) for row in rows]
        if _is_homogeneous(read, several) and not _contradicts(found, read):
            readings[several] = read
    # Of names and, say, precisions it is the names that have several words.
    names = [n for n in readings if heading_kind(found[n].text) == "name"]
    likely = [readings[n] for n in names or readings]
    # Where each row has as many words as there are columns, all readings are the same.
    several = next(iter(names or readings), 0)
    if not likely or any(reading != likely[0] for reading in likely) or _is_doubtful(likely[0], several, bool(names)):
        return None
    whole = [found, *likely[0]]
    if any(cell.end - cell.start != len(cell.text) for row in whole for cell in row):
        # More than one blank between two words: another layout.
        return None
    return DelimitedTable(tuple(map(tuple, whole)), 1, "blanks", found[0].line, rows[-1][-1].line)


def _headings(words: _Words, width: int | None) -> _Words:
    """The only cut of these words into headings, so many if that is known; else all of them known and the longest."""
    # For each place and number of headings before it: words in known ones, in how many ways, and where the last begins.
    best: list[dict[int, tuple[int, int, int]]] = [{0: (0, 1, 0)}, *({} for _ in words)]
    for end in range(1, len(words) + 1):
        for start in range(max(0, end - _MAX_HEADING_WORDS), end):
            is_known = is_known_heading(" ".join(word.text for word in words[start:end]))
            if not is_known and (end - start > 1 or width is None):
                continue
            for count, (covered, ways, _) in best[start].items():
                known, other = covered + (end - start) * is_known, best[end].get(count + 1)
                if other is None or known > other[0]:
                    best[end][count + 1] = known, ways, start
                elif known == other[0]:
                    best[end][count + 1] = known, other[1] + ways, other[2]
    count = min(best[-1], default=0) if width is None else width
    covered, ways, _ = best[-1].get(count, (0, 0, 0))
    if ways != 1 or 2 * covered < len(words):
        return []
    cells: _Words = []
    end = len(words)
    while end:
        start = best[end][count][2]
        cells.insert(0, _joined(words[start:end]))
        end, count = start, count - 1
    return cells


def _cells(words: _Words, several: int, width: int) -> _Words:
    """The words as a row whose cell in one column takes all that are too many."""
    end = len(words) - (width - several - 1)
    return [*words[:several], _joined(words[several:end]), *words[end:]]


def _is_homogeneous(rows: Sequence[_Words], several: int) -> bool:
    """True where the cells of each column are all numbers, all durations, all numbers with a unit, or all names."""
    for n, column in enumerate(zip(*rows, strict=True)):
        shapes = {shape_of(cell.text) for cell in column} - {NOTHING}
        kinds = {"number" if s in (INTEGER, DECIMAL) else s if s in QUANTITIES else "name" for s in shapes}
        if len(kinds) > 1 or (n == several and kinds != {"name"} and any(" " in cell.text for cell in column)):
            return False
    return True


def _is_doubtful(rows: Sequence[_Words], several: int, is_name: bool) -> bool:
    """True where a cell of several words holds a number that may be the next column's: a name at its end, else any."""
    for row in rows:
        name, *words = row[several].text.split(" ")
        for word in words[-1:] if is_name else [name, *words] if words else []:
            if shape_of(word) in (INTEGER, DECIMAL):
                return True
    return False


def _contradicts(headings: _Words, rows: Sequence[_Words]) -> bool:
    columns = [Column([cell.text for cell in cells]) for cells in zip(*rows, strict=True)]
    return any(column.contradicts(heading.text) for column, heading in zip(columns, headings, strict=True))
