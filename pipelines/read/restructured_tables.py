"""The tables of reStructuredText: `csv-table` and `list-table` directives; drawn tables have their own modules.

Each reader takes the lines and the position where a table may begin, and gives the grid with the lines that stand for
it, as many as the table has: a cell that is wrapped over several lines stands whole on its first one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pipelines.read.document import Cell, Grid, Line
from pipelines.read.restructured_grids import grid_table
from pipelines.read.restructured_list import list_rows
from pipelines.read.restructured_simple import simple_table
from pipelines.read.separated_values import read_records, separator_of

Found = tuple[Grid, list[Line]]
# `.. csv-table:: Encoder models - throughput`
_DIRECTIVE = re.compile(r"(?P<indent>\s*)\.\.\s+(?P<kind>csv-table|list-table)::(?P<title>.*)")
# `   :header: "Model", "Throughput (tokens/sec)"`
_HEADER_OPTION = re.compile(r"\s+:header:(?P<cells>.*)")
# `   :delim: ;`
_DELIMITER_OPTION = re.compile(r"\s+:delim:\s*(?P<mark>\S+)\s*")
_OPTION = re.compile(r"\s+:[\w-]+:(?:\s.*)?")
_DELIMITERS = {"tab": "\t", ";": ";", ",": ","}


def csv_table(lines: Sequence[Line], position: int) -> Found | None:
    """A `csv-table` directive with its records below it."""
    found = _directive(lines, position, "csv-table")
    if found is None:
        return None
    caption, options, body = found
    separator = next(
        (_DELIMITERS.get(m["mark"]) for line in options if (m := _DELIMITER_OPTION.fullmatch(line.text))), None
    )
    header = next((m for line in options if (m := _HEADER_OPTION.fullmatch(line.text))), None)
    rows: list[tuple[Cell, ...]] = []
    replaced = [caption, *(Line(line.number, "") for line in options)]
    if header is not None:
        at = next(n for n, line in enumerate(options) if _HEADER_OPTION.fullmatch(line.text))
        # Blanks stand for the name of the option, so that the cells stay where they are printed.
        line = Line(options[at].number, " " * header.start("cells") + header["cells"])
        replaced[1 + at] = line
        rows += read_records([line], separator or ",")[1]
    kept, records = read_records(body, separator or separator_of(body) or ",")
    rows += records
    replaced += kept
    return _grid(rows, replaced, caption), replaced


def list_table(lines: Sequence[Line], position: int) -> Found | None:
    """A `list-table` directive with its list of rows below it."""
    found = _directive(lines, position, "list-table")
    if found is None:
        return None
    caption, options, body = found
    rows, kept = list_rows(body)
    replaced = [caption, *(Line(line.number, "") for line in options), *kept]
    return _grid(rows, replaced, caption), replaced


def _grid(rows: Sequence[tuple[Cell, ...]], lines: Sequence[Line], caption: Line) -> Grid:
    title = None if caption.is_blank else caption.cell
    return Grid.of_cells(rows, lines[0].number, lines[-1].number, title, layout="rst")


def _directive(lines: Sequence[Line], position: int, kind: str) -> tuple[Line, list[Line], list[Line]] | None:
    """Title, options and body of a directive: the lines below it up to an empty one and text less indented."""
    match = _DIRECTIVE.fullmatch(lines[position].text)
    if match is None or match["kind"] != kind:
        return None
    end = position + 1
    while end < len(lines) and (
        lines[end].is_blank or _indent(lines[end]) > len(match["indent"]) or not lines[end - 1].is_blank
    ):
        # A line that is not indented ends the table behind an empty line only; else its blanks are lost.
        end += 1
    while lines[end - 1].is_blank and end > position + 1:
        end -= 1
    below = position + 1
    while below < end and _OPTION.fullmatch(lines[below].text):
        below += 1
    title = Line(lines[position].number, " " * match.start("title") + match["title"])
    return title, list(lines[position + 1 : below]), list(lines[below:end])


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())


TABLES: tuple[Callable[[Sequence[Line], int], Found | None], ...] = (csv_table, list_table, grid_table, simple_table)
