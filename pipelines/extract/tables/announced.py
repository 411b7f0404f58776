"""What the words above a table say that its cells hold: `Throughput (tokens/s)`, `Training time in minutes`.

A table whose headings are only platforms, models or batch sizes prints its quantity there and nowhere else. Where the
words name two quantities, none is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pipelines.extract.tables.headings import Heading, read_heading
from pipelines.read.document import Cell, Document, Grid, Line
from pipelines.values.durations import UNIT
from pipelines.vocabulary.lookup import find, spelling_pattern

# `time to train (minutes)`, `latency in ms`, `Latency, ms`
_TIME_UNIT = re.compile(rf"(?:[(\[]|\bin\s|,\s)\s*(?P<unit>{UNIT})\s*(?=[)\],.;:]|$|\s)", re.IGNORECASE)
# `(%)`, `in percent`
_PERCENT = re.compile(r"[(\[]\s*%\s*[)\]]|\bin\s+(?:%|percent\b)", re.IGNORECASE)
# Lines above a table that may be its title; further up stands something else.
_MAX_LINES = 3
# A longer line tells a story in which many a quantity is named.
_MAX_LENGTH = 240


def announced_above(document: Document, grid: Grid) -> Heading | None:
    """The quantity that the caption of a grid or the lines right above it name; the nearest line counts."""
    below = max((other.last_line for other in document.grids if other.last_line < grid.first_line), default=0)
    lines = [document.line(number) for number in range(grid.first_line - 1, below, -1)]
    above = [line.cell for line in lines if not line.is_blank][:_MAX_LINES]
    return announced_in([grid.caption, *above] if grid.caption else above)


def announced_in_lines(lines: Sequence[Line]) -> Heading | None:
    """The same for lines in order, the last one right above the table."""
    return announced_in([line.cell for line in reversed(lines) if not line.is_blank][:_MAX_LINES])


def announced_in(texts: Iterable[Cell]) -> Heading | None:
    """The quantity of the first text that names one, as a heading at its place."""
    for cell in texts:
        if len(cell.text) > _MAX_LENGTH:
            return None
        found = {(h.metric, h.unit.printed.casefold() if h.unit else ""): h for h in _quantities(cell)}
        if found:
            return next(iter(found.values())) if len(found) == 1 else None
    return None


def _quantities(cell: Cell) -> Iterator[Heading]:
    text = " ".join(cell.text.split())
    units = {match[0] for match in spelling_pattern("units").finditer(text) if _is_rate(match[0])}
    metrics = {match[0].casefold(): match[0] for match in spelling_pattern("metrics").finditer(text)}
    entries = {word: entry for word in metrics.values() if (entry := find("metrics", word))}
    times = {match["unit"] for match in _TIME_UNIT.finditer(text)}
    for unit in sorted(units):
        # `Performance`, `tokens per second` and the like are all words for a throughput.
        yield from _heading(f"Throughput ({unit})", cell)
    for word, entry in sorted(entries.items()):
        canonical = entry.facts["unit"]
        if canonical in ("s", "ms"):
            for unit in sorted(times) or [""]:
                yield from _heading(f"{word} ({unit})" if unit else word, cell)
        elif canonical == "%" and _PERCENT.search(text):
            yield from _heading(f"{word} (%)", cell)


def _heading(text: str, cell: Cell) -> Iterator[Heading]:
    if heading := read_heading(replace(cell, text=text)):
        yield replace(heading, cell=cell, spelling=text)


def _is_rate(printed: str) -> bool:
    entry = find("units", printed)
    return entry is not None and "/s" in str(entry.facts["unit"])
