"""HTML inside Markdown: its tables as grids, its headings, and what nobody sees of it: comments and tags.

All of it works on the lines of a page, which are written anew in place, and never changes how many there are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from html import unescape

from lxml import etree

from pipelines.read.document import Cell, Grid
from pipelines.read.html_tables import cells_of, lay_out
from pipelines.read.html_text import one_line, text_of
from pipelines.read.markdown_inline import Inline

# Below the headings of Markdown, as a bold line is.
LEVEL_OF_SUMMARY = 7
# `<table border="1">`, `</table>`
_TABLE = re.compile(r"<(?P<end>/?)table\b", re.IGNORECASE)
# `<h2 align="center">`, `<summary>`: text that heads what stands below it
_HEADING = re.compile(r"<(?P<name>h(?P<level>[1-6])|summary)\b[^<>]*>", re.IGNORECASE)
# `<details open>`, `</details>`
_DETAILS = re.compile(r"<(?P<end>/?)details\b", re.IGNORECASE)
# `<p align="center">`, `</details>`, `<img src="a.png"\n width="640">`
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# `&nbsp;`, `&#8211;`, `&lt;`
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]\w{1,31});")
_VISIBLE = re.compile(r"[^\n]")
# An empty line: what stands behind it is Markdown again.
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
# The text of a heading, with its tags, is no longer.
_MAX_HEADING = 500


def blank_comments(texts: list[str], lines: range, *, is_block: bool) -> None:
    """Blanks in the place of comments; one that is never closed ends with its block, and in a sentence is none."""
    source = "\n".join(texts[lines.start : lines.stop])
    position = source.find("<!--")
    if position < 0:
        return
    parts, behind = list[str](), 0
    while position >= 0:
        end = source.find("-->", position)
        if end < 0 and not is_block:
            break
        end = len(source) if end < 0 else end + len("-->")
        parts += [source[behind:position], _VISIBLE.sub(" ", source[position:end])]
        behind, position = end, source.find("<!--", end)
    texts[lines.start : lines.stop] = ("".join(parts) + source[behind:]).split("\n")


def blank_tags(texts: list[str], lines: range) -> tuple[list[tuple[int, int]], list[tuple[int, bool]]]:
    """Blanks in the place of tags, and signs in that of their names.

    Returns:
        The headings among the tags as (index of the line, level); where blocks of details begin, and, with True, end.
    """
    if not lines:
        return [], []
    source = "\n".join(texts[lines.start : lines.stop])
    blanked = _TAG.sub(lambda match: _VISIBLE.sub(" ", match[0]), source)
    blanked = _ENTITY.sub(lambda match: unescape(match[0]).ljust(len(match[0])), blanked)
    folded = source.lower()
    headings = []
    for match in _HEADING.finditer(source):
        end = folded.find(f"</{match['name'].lower()}", match.end(), match.end() + _MAX_HEADING)
        text = blanked[match.end() : end] if end >= 0 else ""
        if text.strip():
            start = match.end() + len(text) - len(text.lstrip())
            line = lines.start + source.count("\n", 0, start)
            headings.append((line, int(match["level"] or LEVEL_OF_SUMMARY)))
    texts[lines.start : lines.stop] = blanked.split("\n")
    details, line, position = list[tuple[int, bool]](), lines.start, 0
    for match in _DETAILS.finditer(source):
        line += source.count("\n", position, match.start())
        position = match.start()
        details.append((line, bool(match["end"])))
    return headings, details


def ends_of_details(summaries: Collection[int], details: Sequence[tuple[int, bool]]) -> dict[int, int]:
    """The line that ends the block of each summary; all lines are counted from 1 here."""
    ends: dict[int, int] = {}
    opened: list[list[int]] = []
    places = [*((line, 0, False) for line, is_end in details if not is_end), *((line, 1, False) for line in summaries)]
    places += [(line, 2, True) for line, is_end in details if is_end]
    for line, kind, is_end in sorted(places):
        if kind == 0:
            opened.append([])
        elif opened and not is_end:
            opened[-1].append(line)
        elif opened:
            ends |= dict.fromkeys(opened.pop(), line)
    return ends


class HtmlTables:
    """The tables of HTML in the lines of a page; their cells take the place of their source.

    A row stands on the line it begins on, with bars before its cells.
    """

    def __init__(self, texts: list[str], inline: Inline) -> None:
        self._texts, self._inline = texts, inline
        # What is written on a line, and how long it is.
        self._parts: dict[int, list[str]] = {}
        self._lengths: dict[int, int] = {}

    def read(self, lines: Sequence[range], layout_of: frozenset[int]) -> list[Grid]:
        """The grids of the tables in these lines, which are in order.

        Args:
            lines: Blocks of lines that may hold HTML.
            layout_of: Lines of tables of Markdown: what is around one is no table but lays the page out.
        """
        grids = []
        for first, start, last, end in self._spans(lines):
            if not any(line in layout_of for line in range(first, last + 1)):
                grid = self._table(first, start, last, end)
                grids += [grid] if grid else []
        for line, parts in self._parts.items():
            self._texts[line] = "".join(parts)
        return grids

    def _spans(self, blocks: Sequence[range]) -> Iterator[tuple[int, int, int, int]]:
        """First line, first character, last line and last character of each table that holds no other."""
        # Line, character and block of what is open, and whether it holds a table.
        opened: list[tuple[int, int, range]] = []
        is_inner = False
        for block in blocks:
            for line in block:
                for match in _TABLE.finditer(self._texts[line]):
                    if not match["end"]:
                        opened.append((line, match.start(), block))
                        is_inner = True
                    elif opened:
                        first, start, _ = opened.pop()
                        end = self._texts[line].find(">", match.end()) + 1 or len(self._texts[line])
                        if is_inner:
                            yield first, start, line, end
                        is_inner = False
        if is_inner:
            # Never closed: it ends with the block it begins in.
            first, start, block = opened[-1]
            yield first, start, block.stop - 1, len(self._texts[block.stop - 1])

    def _table(self, first: int, start: int, last: int, end: int) -> Grid | None:
        texts = self._texts
        parser = etree.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True)
        inside = [texts[first][start:], *texts[first + 1 : last + 1]]
        behind = texts[last][end:]
        inside[-1] = inside[-1][: len(inside[-1]) - len(behind)]
        root = etree.fromstring("\n".join(inside), parser=parser)
        table = next(root.iter("table"), None) if root is not None else None
        if table is None or any(fault.level == etree.ErrorLevels.FATAL for fault in parser.error_log):
            return None
        before = texts[first][:start]
        for line in range(first, last + 1):
            texts[line] = ""
        self._write(first, _without_tags(before))
        title = next(table.iterchildren("caption"), None)
        caption = None
        if title is not None and text_of(title):
            line = _line_of(title, first, last)
            at = self._write(line, text_of(title))
            caption = Cell(text_of(title), line + 1, at, at + len(text_of(title))).stripped()
        cells: list[Cell] = []

        def write(row: etree._Element, _texts: list[str | None]) -> None:
            line = _line_of(row, first, last)
            for element in cells_of(row):
                words = self._words(element)
                at = self._write(line, f"| {words} ") + 2
                cells.append(Cell(words, line + 1, at, at + len(words)).stripped())

        layout = lay_out(table, write, first + 1)
        self._write(last, _without_tags(behind))
        return Grid.of_cells(
            [[cells[number] for number in row] for row in layout.rows],
            first + 1,
            last + 1,
            caption,
            heading_rows=layout.heading_rows,
            heading_columns=layout.heading_columns,
            layout="html",
        )

    def _words(self, cell: etree._Element) -> str:
        words = text_of(cell)
        # Many a writer of a table puts bold words as in Markdown, though a page shows the stars.
        if "**" in words or _EMPTY_LINE.search(text_of(cell, keeps_lines=True)):
            words = self._inline.shown(words)
        return one_line(words)

    def _write(self, line: int, text: str) -> int:
        """Write behind what stands on a line; gives the place of the first character."""
        start = self._lengths.get(line, 0)
        self._parts.setdefault(line, []).append(text)
        self._lengths[line] = start + len(text)
        return start


def _line_of(element: etree._Element | None, first: int, last: int) -> int:
    number = element.sourceline if element is not None else None
    return min(first + (number if isinstance(number, int) else 1) - 1, last)


def _without_tags(text: str) -> str:
    """The words before or behind a table; a mark such as `>` before it is none."""
    words = _TAG.sub(" ", text)
    return words if any(character.isalpha() for character in words) else ""
