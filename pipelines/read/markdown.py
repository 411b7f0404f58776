"""Markdown to `Document`: its tables as grids, with or without pipes at the ends of a row; HTML tables in it as well.

Lines keep their numbers. In a table row and in a heading, markup (`**`, backticks, `#`, the address of a link) becomes
blanks, so that what is left stands where it is printed. A row of an HTML table stands on the line it begins on.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lxml import etree, html

from pipelines.read.document import Cell, Document, Grid, Line
from pipelines.read.html_tables import lay_out
from pipelines.read.html_text import text_of
from pipelines.read.text import read_text

SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".mkd"})
# `|---|:--:|`, `--- | ---`
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*|\s*\|\s*:?-+:?\s*\|\s*")
# A bar between cells, not `\|`
_BAR = re.compile(r"(?<!\\)\|")
# `## Training`, `**Training results**`, `===`
_HEADING = re.compile(r"\s{0,3}(?P<depth>#{1,6})\s+(?P<text>.*?)\s*#*\s*")
_BOLD_LINE = re.compile(r"\s*(?P<mark>\*\*|__)(?P<text>[^*]+)(?P=mark):?\s*")
_LEVEL_OF_BOLD = 7
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{2,})\s*")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
# What becomes blanks in a cell: `![alt](file)`, the ends of `[text](address)`, `**`, backticks, tags
_MARKUP = re.compile(
    r"!\[[^\]]*\]\([^)]*\)|\[(?=[^\]^]+\]\()|\]\([^)]*\)|\*\*|__|`|</?(?:b|strong|i|em|br|code|span|p|div|font)\b[^<>]*>|\\(?=[-|*_<>~+#])"
)
# `40,112<sup>1</sup>`, `40,112[^1]`
_MARK_OF_NOTE = re.compile(r"<sup>\s*(\d{1,2})\s*</sup>|\[\^(\d{1,2})\]")
_NOTE = re.compile(r"\[\^(\d{1,2})\]:")
_RAISED = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
_HTML_TABLE = re.compile(r"<table\b.*?</table\s*>", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_VISIBLE = re.compile(r"[^\n]")


def read_markdown(content: bytes, document_id: str, format: str | None) -> Document:
    """The lines of a Markdown file, with a grid for each of its tables.

    Raises:
        ReadError: As `read_text`.
    """
    document = read_text(content, document_id, format)
    text = _COMMENT.sub(lambda match: _VISIBLE.sub(" ", match[0]), "\n".join(line.text for line in document.lines))
    lines = [Line(number, part) for number, part in enumerate(text.split("\n"), start=1)]
    grids = [_html_table(lines, text, match) for match in _HTML_TABLE.finditer(text)]
    taken = {number for grid in grids for number in range(grid.first_line, grid.last_line + 1)}
    levels: list[tuple[int, int]] = []
    position, is_code = 0, False
    while position < len(lines):
        line = lines[position]
        is_code ^= _FENCE.match(line.text) is not None
        if line.number in taken or is_code:
            position += 1
        elif is_table(lines, position):
            end = _end_of_table(lines, position)
            grids.append(_pipe_table(lines, position, end))
            position = end
        else:
            if level := _level(lines, position):
                levels.append((line.number, level))
            lines[position] = _without_markup(lines, position)
            position += 1
    grids.sort(key=lambda grid: grid.first_line)
    return Document(document_id, format, tuple(lines), tuple(grids), levels=tuple(levels))


def is_table(lines: list[Line] | tuple[Line, ...], position: int) -> bool:
    """True where a header with its rule below stands: as many cells in the one as in the other."""
    if position + 1 >= len(lines) or not _RULE.fullmatch(lines[position + 1].text):
        return False
    return len(_cells(lines[position])) == len(_cells(lines[position + 1]))


def is_markdown(document: Document) -> bool:
    """True for a text with a table of Markdown that has no pipes at the ends of its rows, which nothing else reads."""
    return any(
        is_table(document.lines, n) and not document.lines[n].text.lstrip().startswith("|")
        for n in range(len(document.lines) - 1)
        if "|" in document.lines[n].text
    )


def _end_of_table(lines: list[Line], position: int) -> int:
    end = position + 2
    while end < len(lines) and "|" in lines[end].text:
        end += 1
    return end


def _pipe_table(lines: list[Line], start: int, end: int) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    width = len(_cells(lines[start]))
    for position in range(start, end):
        line = lines[position]
        if position == start + 1:
            lines[position] = Line(line.number, "")
            continue
        lines[position] = Line(line.number, _blanked(line.text))
        cells = _cells(lines[position], line)
        if len(cells) == width - 1 and _begins_with_bar(line) and not _begins_with_bar(lines[start]):
            # Where the rows begin without a bar, a bar at the beginning stands behind a blank cell.
            cells = [Cell("", line.number, 0, 0), *cells]
        rows.append(tuple(cells))
    return Grid.of_cells(rows, lines[start].number, lines[end - 1].number, heading_rows=1, layout="markdown")


def _begins_with_bar(line: Line) -> bool:
    return line.text.lstrip().startswith("|")


def _cells(line: Line, printed: Line | None = None) -> list[Cell]:
    """The cells between the bars of a line; where the bars are, the line as printed says."""
    bars = [match.start() for match in _BAR.finditer((printed or line).text)]
    text = line.text
    edges = [-1, *bars, len(text)]
    if bars and not text[: bars[0]].strip():
        edges = edges[1:]
    if bars and not text[bars[-1] + 1 :].strip():
        edges = edges[:-1]
    places = pairwise(edges)
    return [Cell(line.text[low + 1 : high], line.number, low + 1, high).stripped() for low, high in places]


def _blanked(text: str) -> str:
    """The text with blanks in the place of markup, and marks of footnotes as raised digits; as long as before."""
    text = _MARK_OF_NOTE.sub(lambda match: (match[1] or match[2]).translate(_RAISED).ljust(len(match[0])), text)
    return _MARKUP.sub(lambda match: " " * len(match[0]), text)


def _level(lines: list[Line], position: int) -> int | None:
    """How deep a heading is: the number of its `#`, or deeper than all of these where a whole line is bold."""
    text = lines[position].text
    if match := _HEADING.fullmatch(text):
        return len(match["depth"])
    below = lines[position + 1].text.strip() if position + 1 < len(lines) else ""
    if text.strip() and len(below) > 1 and _UNDERLINE.fullmatch(below):
        return 1 if below[0] == "=" else 2
    return _LEVEL_OF_BOLD if _BOLD_LINE.fullmatch(text) else None


def _without_markup(lines: list[Line], position: int) -> Line:
    line = lines[position]
    if match := _HEADING.fullmatch(line.text) or _BOLD_LINE.fullmatch(line.text):
        low, high = match.span("text")
        return Line(line.number, " " * low + line.text[low:high])
    if match := _NOTE.match(line.text):
        # `[^1]: Measured with ...`
        return Line(line.number, f"{match[1].translate(_RAISED)}:".ljust(match.end()) + line.text[match.end() :])
    is_below_text = position > 0 and not lines[position - 1].is_blank
    return Line(line.number, "") if is_below_text and _UNDERLINE.fullmatch(line.text) else line


def _html_table(lines: list[Line], text: str, match: re.Match[str]) -> Grid:
    """The grid of an HTML table inside the text; its rows take the place of its source."""
    first, last = text.count("\n", 0, match.start()), text.count("\n", 0, match.end())
    table = html.fragment_fromstring(match[0])
    for position in range(first, last + 1):
        lines[position] = Line(position + 1, "")

    cells: list[Cell] = []

    def write(row: list[etree._Element]) -> None:
        below = row[0].getparent()
        number = below.sourceline if below is not None else None
        position = min(first + (number if isinstance(number, int) else 1) - 1, last)
        for element in row:
            line, words = lines[position], text_of(element)
            start = len(line.text) + 2
            lines[position] = Line(line.number, f"{line.text}| {words} ")
            cells.append(Cell(words, line.number, start, start + len(words)))

    layout = lay_out(table, write, first + 1)
    return Grid.of_cells(
        [[cells[number] for number in row] for row in layout.rows],
        first + 1,
        last + 1,
        heading_rows=layout.heading_rows,
        heading_columns=layout.heading_columns,
        layout="html",
    )
