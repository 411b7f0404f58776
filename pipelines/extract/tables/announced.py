"""What the words above a table say that its cells hold: `Throughput (tokens/s)`, `Training time in minutes`.

A table whose headings are only platforms, models or batch sizes prints its quantity there and nowhere else. Where the
words name two quantities, none is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.context import names_subject
from pipelines.extract.tables.environment import stated_in_environment
from pipelines.extract.tables.headings import Heading, read_heading
from pipelines.extract.tables.labels import headings_above, headings_over, intro_of, is_caption, is_label, title_of
from pipelines.extract.tables.page_title import title_over
from pipelines.extract.tables.sentences_above import of_all_tables, stated_above, stated_in_intro
from pipelines.read.document import Cell, Document, Grid, Line
from pipelines.values.durations import UNIT
from pipelines.vocabulary.lookup import find, spelling_pattern

# `time to train (minutes)`, `latency in ms`, `Latency, ms`
_TIME_UNIT = re.compile(rf"(?:[(\[]|\bin\s|,\s)\s*(?P<unit>{UNIT})\s*(?=[)\],.;:]|$|\s)", re.IGNORECASE)
# `(%)`, `in percent`
_PERCENT = re.compile(r"[(\[]\s*%\s*[)\]]|\bin\s+(?:%|percent\b)", re.IGNORECASE)
# A framework, a precision or a batch size does not say whose results these are.
_NO_SUBJECT = frozenset({"framework_printed", "precision", "batch_size"})
# Lines above a table that may be its title; further up stands something else.
_MAX_LINES = 3
# A longer line tells a story in which many a quantity is named.
_MAX_LENGTH = 240


@dataclass(frozen=True, slots=True)
class Announced:
    """What the words above a table name.

    Attributes:
        quantity: What its cells hold, as a heading; None where no quantity or several are named.
        has_subject: True where they name one model or one platform.
        has_model: True where they name one model.
    """

    quantity: Heading | None = None
    has_subject: bool = False
    has_model: bool = False


NOTHING = Announced()


def announced_above(document: Document, grid: Grid) -> Announced:
    """What the caption of a grid and the lines right above it name; of quantities the nearest line counts."""
    below = max((other.last_line for other in document.grids if other.last_line < grid.first_line), default=0)
    lines = [document.line(number) for number in range(grid.first_line - 1, below, -1)]
    above = list(_as_far_as_heading(line for line in lines if not line.is_blank))
    over = headings_above(document, range(below + 1, grid.first_line), ())
    labels = [line.cell.text for line in (*over, *headings_over(document, over))]
    title = title_of(document, range(1, grid.first_line), ())
    quantity = announced_in([grid.caption, *above] if grid.caption else above)
    if quantity is None or quantity.unit is None:
        # A sentence may name the quantity of which the heading above gives the unit as well.
        of_heading = announced_in(line.cell for line in (*over, *headings_over(document, over)))
        is_same = of_heading is not None and (quantity is None or of_heading.metric == quantity.metric)
        quantity = of_heading if is_same else quantity
    if quantity is None:
        before = (document.line(number) for number in range(1, grid.first_line))
        quantity = next((found for cell in of_all_tables(before) if (found := announced_in([cell]))), None)
    stated = stated_above(
        document.line(number) for number in range(_below_heading(document, below, grid), grid.first_line)
    )
    if not stated:
        intro = intro_of(document, range(1, grid.first_line), (), over)
        stated = stated_in_intro(document.line(number) for number in intro)
        stated |= stated_in_environment(document, grid.first_line)
    # The platform of a title is not that of each table.
    title = title_over(title, labels)
    has_model = "model_printed" in {**conditions_in([*labels, title or ""]), **stated}
    has_subject = has_model or any(map(names_subject, labels)) or bool(stated.keys() - _NO_SUBJECT)
    return Announced(quantity, has_subject, has_model)


def _below_heading(document: Document, below: int, grid: Grid) -> int:
    """The line behind the heading of a grid, or behind the table before."""
    labels = headings_above(document, range(below + 1, grid.first_line), ())
    return labels[0].number + 1 if labels else below + 1


def announced_in_lines(lines: Sequence[Line]) -> Announced:
    """The same for lines in order, the last one right above the table."""
    above = list(_as_far_as_heading(line for line in reversed(lines) if not line.is_blank))
    return Announced(announced_in(above), any(is_label(cell.text) and names_subject(cell.text) for cell in above))


def _as_far_as_heading(lines: Iterable[Line]) -> Iterator[Cell]:
    """The nearest lines above a table up to its heading; what stands further up speaks of something else."""
    for line in islice(lines, _MAX_LINES):
        yield line.cell
        if is_label(line.cell.text) and not is_caption(line.cell.text):
            return


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
        elif canonical == "%":
            yield from _heading(f"{word} (%)" if _PERCENT.search(text) else word, cell)
        elif canonical == "TFLOPS/device":
            yield from _heading(word, cell)


def _heading(text: str, cell: Cell) -> Iterator[Heading]:
    if heading := read_heading(replace(cell, text=text)):
        yield replace(heading, cell=cell, spelling=text)


def _is_rate(printed: str) -> bool:
    entry = find("units", printed)
    return entry is not None and "/s" in str(entry.facts["unit"])
