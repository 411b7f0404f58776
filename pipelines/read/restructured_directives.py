"""The `csv-table` and `list-table` directives of reStructuredText; drawn tables belong in `restructured_drawn`.

A cell or a record that is wrapped over several lines stands whole on its first one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipelines.read.document import Cell, Line, ReadError
from pipelines.read.separated_values import read_records, separator_of

# `.. csv-table:: Encoder models - throughput`
_DIRECTIVE = re.compile(r"(?P<indent>\s*)\.\.\s+(?P<kind>csv-table|list-table)::(?P<title>.*)")
# `   :header: "Model", "Throughput (tokens/sec)"`
_OPTION = re.compile(r"\s+:(?P<name>[\w-]+):(?P<value>.*)")
_DELIMITERS = {"tab": "\t", ";": ";", ",": ","}
# `   * - Model`, `   - - Model`
_ROW = re.compile(r"(?P<indent>\s*)(?P<row>[*+-])\s+(?P<mark>[*+-])(?:\s+(?P<text>.*))?")
# `     - 1,234`, `     -`
_ITEM = re.compile(r"(?P<indent>\s*)(?P<mark>[*+-])(?:\s+(?P<text>.*))?")
# Of a row whose first cell stands below its mark.
_ANY_COLUMN = 1_000


class DirectiveTable(NamedTuple):
    """A table of a directive.

    Attributes:
        rows: Its cells; their lines are counted from 1 within the whole text.
        texts: What stands for its lines.
        caption: Its title, blank where it has none.
        heading_rows: Rows at the top that its options name as headings.
        heading_columns: Columns at the left that they name so.
    """

    rows: list[tuple[Cell, ...]]
    texts: list[str]
    caption: Cell
    heading_rows: int
    heading_columns: int


def read_directive(texts: Sequence[str], position: int) -> DirectiveTable | None:
    """The table of a directive that begins on this line, or None where none does."""
    match = _DIRECTIVE.fullmatch(texts[position])
    if match is None:
        return None
    end = _end(texts, position, len(match["indent"]))
    lines = [Line(number + 1, texts[number]) for number in range(position, end)]
    title = Line(position + 1, " " * match.start("title") + match["title"])
    options, body = _options(lines[1:])
    values = {name: line.text.strip() for name, (line, _) in options.items()}
    heading_rows, heading_columns = (_count(values.get(name)) for name in ("header-rows", "stub-columns"))
    rows: list[tuple[Cell, ...]] = []
    written = {title.number: title.text}
    if match["kind"] == "list-table":
        rows, kept = _list_rows(body)
    else:
        separator = _DELIMITERS.get(values.get("delim", ""))
        try:
            if "header" in options:
                # Blanks stand for the name of the option, so that the cells stay where they are printed.
                [header, _] = options["header"]
                header_lines, rows = read_records([header], separator or ",")
                written |= {line.number: line.text for line in header_lines}
                heading_rows += 1
            joined, records = read_records(body, separator or separator_of(body) or ",")
        except ReadError:
            # docutils shows the lines of such a table, and the rest of the page.
            return None
        rows, kept = [*rows, *records], list(joined)
    written |= {line.number: line.text for line in kept}
    return DirectiveTable(
        rows,
        [written.get(line.number, "") for line in lines],
        title.cell,
        min(heading_rows, len(rows)),
        heading_columns,
    )


def _end(texts: Sequence[str], position: int, indent: int) -> int:
    """The lines below a directive up to an empty one and text less indented.

    A line that is not indented ends the table behind an empty line only; else its blanks are lost.
    """
    end = position + 1
    while end < len(texts) and (not texts[end].strip() or _indent(texts[end]) > indent or texts[end - 1].strip()):
        end += 1
    while not texts[end - 1].strip() and end > position + 1:
        end -= 1
    return end


def _options(lines: Sequence[Line]) -> tuple[dict[str, tuple[Line, int]], list[Line]]:
    """The value of each option on its line, where it is printed, and how many lines it has; the lines behind them."""
    options: dict[str, tuple[Line, int]] = {}
    position = 0
    while position < len(lines) and (match := _OPTION.fullmatch(lines[position].text)):
        text = " " * match.start("value") + match["value"]
        indent, count = _indent(lines[position].text), 1
        for line in lines[position + 1 :]:
            if line.is_blank or _indent(line.text) <= indent or _OPTION.fullmatch(line.text):
                break
            text, count = f"{text.rstrip()} {line.text.strip()}", count + 1
        options[match["name"]] = Line(lines[position].number, text), count
        position += count
    return options, list(lines[position:])


def _count(value: str | None) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 4 else 0


def _list_rows(body: Sequence[Line]) -> tuple[list[tuple[Cell, ...]], list[Line]]:
    """The rows of a list of lists, and the lines that stand for it."""
    rows: list[list[Cell]] = []
    kept: list[Line] = []
    first = next((line.text for line in body if not line.is_blank), "")
    row_indent, row_mark = _indent(first), first.strip()[:1]
    # Where the cells of the row begin, and where the line of the last one does.
    column, depth = row_indent, row_indent
    for line in body:
        indent = _indent(line.text)
        match = _ROW.fullmatch(line.text)
        if match and indent == row_indent and match["row"] == row_mark:
            rows.append([_cell(line, match)])
            column, depth = match.start("mark"), indent
        elif indent == row_indent and line.text.strip() == row_mark:
            rows.append([])
            column, depth = _ANY_COLUMN, indent
        elif rows and (match := _ITEM.fullmatch(line.text)) and indent <= column:
            rows[-1].append(_cell(line, match))
            column, depth = min(column, indent), indent
        elif rows and rows[-1] and not line.is_blank and indent <= depth:
            # Less indented than the list it is none of the words above it, and may be a cell that lost its mark.
            rows[-1].append(line.cell)
        elif rows and rows[-1] and not line.is_blank:
            _go_on(rows[-1], kept, line)
            line = Line(line.number, "")
        kept.append(line)
    return [tuple(row) for row in rows], kept


def _cell(line: Line, match: re.Match[str]) -> Cell:
    return line.matched(match, "text").stripped() if (match["text"] or "").strip() else Cell("", line.number, 0, 0)


def _go_on(row: list[Cell], kept: list[Line], line: Line) -> None:
    """Put the words of a wrapped cell behind those on its first line."""
    at = row[-1].line - kept[0].number
    before = kept[at].text.rstrip()
    text = f"{before} {line.text.strip()}"
    start = row[-1].start if row[-1].text else len(before) + 1
    kept[at] = Line(row[-1].line, text)
    row[-1] = Cell(text[start:], row[-1].line, start, len(text))


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
