"""HTML inside Markdown: tables as grids, headings, and the invisible parts: comments and tags.

All of it works on the lines of a page, which are written anew in place, and never changes how many
there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from html import unescape
from io import StringIO

import re2
from lxml import etree

from pipelines.read.document import Cell, Grid
from pipelines.read.html_tables import cells_of, lay_out
from pipelines.read.html_text import PARTS, one_line, text_of
from pipelines.read.split_numbers import BOUNDARY, masked

# Below the headings of Markdown, as a bold line is.
LEVEL_OF_SUMMARY = 7
# `<table border="1">`, `</table>`
_TABLE = re.compile(r"<(?P<end>/?)table\b[^<>]*>?", re.IGNORECASE)
# `<h2 align="center">`, `<summary>`: text that heads what is below it; `</details>` ends what a
# summary heads
_HEADING = re.compile(
    r"<(?:(?P<name>h(?P<level>[1-6])|summary)\b[^<>]*>|(?P<end>/details)\b)", re.IGNORECASE
)
# `<!-- 12 ms -->`, `<p align="center">`, `</details>`, `<img src="a.png"\n width="640">`
_COMMENT = re2.compile(r"(?s)<!--.*?-->")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# `&nbsp;`, `&#8211;`, `&lt;`
_ENTITY = re.compile(r"&#?\w{1,32};")
# The text of a heading, with its tags, is no longer.
_MAX_HEADING = 500


def blank_comments(texts: list[str], lines: range) -> None:
    """A text with comments replaced by blanks; an unclosed comment is text."""
    source = "\n".join(texts[lines.start : lines.stop])
    end = source.rfind("-->") + 3
    if end > 2:
        texts[lines.start : lines.stop] = (
            _COMMENT.sub(_blanks, source[:end]) + source[end:]
        ).split("\n")


def blank_tags(texts: list[str], lines: range, taken: Collection[int]) -> Iterator[tuple[int, int]]:
    """Blanks in the place of tags, and signs in that of their names, on the lines that are not
    `taken`.

    Yields:
        Index of the line and level of each heading, and of the end of each block of details.
    """
    source = "\n".join("" if line in taken else texts[line] for line in lines)
    blanked = masked(_TAG.sub(_boundaries, source)).replace(BOUNDARY, " ")
    blanked = _ENTITY.sub(lambda match: unescape(match[0]).ljust(len(match[0])), blanked)
    for line, text in zip(lines, blanked.split("\n"), strict=True):
        if line not in taken:
            texts[line] = text
    folded = source.lower()
    line = lines.start
    position = 0
    for match in _HEADING.finditer(source):
        start = match.start()
        if not match["end"]:
            end = folded.find(f"</{match['name'].lower()}", match.end(), match.end() + _MAX_HEADING)
            text = blanked[match.end() : max(end, match.end())]
            if not text.strip():
                continue
            start = match.end() + len(text) - len(text.lstrip())
        line += source.count("\n", position, start)
        position = start
        yield line, int(match["level"] or LEVEL_OF_SUMMARY)


def _blanks(match: re.Match[str]) -> str:
    return "\n".join(" " * len(part) for part in match[0].split("\n"))


def _boundaries(match: re.Match[str]) -> str:
    """Blanks in the place of a tag; of one within a line, boundaries."""
    is_inline = match[0].strip("</>").split()[0].lower() not in (*PARTS, "br")
    return _blanks(match).replace(" ", BOUNDARY) if is_inline else _blanks(match)


def write_tables(
    texts: list[str],
    blocks: Sequence[range],
    in_tables: frozenset[int],
    shown: Callable[[str], str],
) -> list[Grid]:
    """The grids of the tables of HTML; their cells take the place of their source.

    A row is written on the line it begins on, with bars before its cells. A table without an end is
    none.

    Args:
        texts: The lines of a page.
        blocks: Indices of the lines that may hold HTML, in order.
        in_tables: Lines of tables of Markdown: what is around one is no table but lays the page
            out.
        shown: What a reader sees of a text of Markdown.
    """
    grids: list[Grid] = []
    marks = [
        (line, match)
        for block in blocks
        for line in block
        for match in _TABLE.finditer(texts[line])
    ]
    opened: tuple[int, int] | None = None
    for last, match in marks:
        if not match["end"]:
            opened = last, match.start()
        elif opened:
            (first, start), opened = opened, None
            # Only the first of two tables on one line is read.
            is_free = not grids or grids[-1].last_line <= first
            if is_free and in_tables.isdisjoint(range(first, last + 1)):
                grid = _write_table(texts, range(first, last + 1), start, match.end(), shown)
                grids += [grid] if grid else []
    return grids


def _write_table(
    texts: list[str], lines: range, start: int, end: int, shown: Callable[[str], str]
) -> Grid | None:
    before, behind = texts[lines[0]][:start], texts[lines[-1]][end:]
    source = "\n".join(texts[lines.start : lines.stop])
    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(source[start : len(source) - len(behind)], parser=parser)
    table = next(root.iter("table"), None) if root is not None else None
    if table is None or any(fault.level == etree.ErrorLevels.FATAL for fault in parser.error_log):
        return None
    written = [StringIO() for _ in lines]
    cells: list[Cell] = []

    def put(element: etree._Element, words: str) -> Cell:
        place = min(int(str(element.sourceline or 1)), len(lines)) - 1
        at = written[place].tell()
        written[place].write(words)
        return Cell(words, lines[place] + 1, at, at + len(words)).stripped()

    def write(row: etree._Element, _texts: list[str | None]) -> None:
        for element in cells_of(row):
            put(row, "| ")
            words = text_of(element)
            # Many tables in HTML have bold words as in Markdown, although a page shows the stars.
            cells.append(put(row, one_line(shown(words) if "**" in words else words)))
            put(row, " ")

    written[0].write(_words(before))
    title = next(table.iterchildren("caption"), None)
    caption = put(title, text_of(title)) if title is not None and text_of(title) else None
    rows = lay_out(table, write, lines[0] + 1)
    written[-1].write(_words(behind))
    texts[lines.start : lines.stop] = [line.getvalue() for line in written]
    return Grid.of_cells(
        [[cells[number] for number in row] for row in rows], lines[0] + 1, lines.stop, caption
    )


def _words(text: str) -> str:
    """The words before or after a table, without marks such as `>`."""
    words = _TAG.sub(" ", text)
    return words if any(map(str.isalnum, words)) else ""
