"""HTML to `Document`: the page as a reader sees it, in lines, and its tables as grids. Nothing in
it is ever executed.

The lines are made in one fixed way, so that a place in them is the same each time the page is
opened: a block of text is a line, white space in it one blank; a cell of a table is a line, a blank
cell a no-break space; an empty line stands between blocks; text in `pre` keeps its lines. Scripts,
styles, menus and struck-out text are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, groupby

from lxml import etree

from pipelines.read.blocks import BlockWriter, Inline, spread
from pipelines.read.document import Cell, Document, Line, ReadError
from pipelines.read.split_numbers import BOUNDARY, TYPOGRAPHIC, settled, superscript

_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr legend li main ol p pre section summary table tbody td "
    "tfoot th thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_LEFT_OUT = (
    "audio button canvas datalist del embed head iframe input map math nav noscript object option s script select "
    "strike style svg template textarea video"
)
LEFT_OUT = frozenset(_LEFT_OUT.split())
# Parts of a cell or a table whose words are separated.
PARTS = frozenset({"p", "div", "li", "td", "th", "tr", "caption"})
# They are read when they are hidden, too: a script shows the rows that one leafs through to.
_ROWS = frozenset({"tr", "thead", "tbody", "tfoot"})
# Nothing that is read goes on from one into the next.
_CELLS = ("tr", "td", "th")
# `<div role="navigation">`; `<a class="headerlink">`; text for screen readers, which repeats what
# is seen
_ROLES = ("navigation", "search", "menu", "menubar", "tablist")
_CLASSES = re.compile(
    r"(?<![\w-])(?:headerlink|sr-only|visually-hidden|screen-reader-text|breadcrumbs?)(?![\w-])"
)
# `style="display:none"`, `style="color: red; visibility: hidden"`
_UNSEEN = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE
)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
LEVELS = {f"h{level}": level for level in range(1, 7)}
# ` <!-- saved from --><?xml version="1.0"?><!DOCTYPE html>`, `<html lang="en">`,
# `<table class="results">`
_START = re.compile(
    r"(?:\s|<!--.*?-->|<\?xml.*?\?>)*+<(?:!doctype\s+html|html|head|body|table)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = 4096
_INVISIBLE = f" \t\r\n\f\v{BOUNDARY}"

# What a browser allows for `colspan`
_MAX_SPAN = 1000
# More digits are not a count of rows.
_MAX_DIGITS = 6
_ORDER = {"thead": 0, "tfoot": 2}
# The text of a cell, the line of its row, and the rows and columns that it covers
_HtmlCell = tuple[str, int, int, int]


def is_html(text: str) -> bool:
    """True for a text that begins as a page of HTML does."""
    return _START.match(text[:_HEAD]) is not None


def read(document: Document) -> Document:
    """The lines of a page, with a grid for each of its tables that holds no other table.

    Raises:
        ReadError: `empty_document` or `too_large`; the reason says what to do.
    """
    page = HtmlPage([], Inline())
    page.write(parse_html("\n".join(document.texts)))
    if not any(map(str.strip, page.texts)):
        raise ReadError(
            "empty_document", "the page has no text; if scripts load it, save the rendered page"
        )
    return page.document(document)


def parse_html(text: str) -> etree._Element | None:
    """The tree of HTML without what is hidden; None without any element. Nothing in it is ever
    executed.

    Raises:
        ReadError: `too_large`, for what is nested too deeply.
    """
    # Old pages nest hundreds of tags; the size of a page is limited.
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True
    )
    root = etree.fromstring(text.encode(), parser=parser)
    if any(fault.level == etree.ErrorLevels.FATAL for fault in parser.error_log):
        # The text after such a place is lost.
        raise ReadError("too_large", "the page is nested too deeply; save the part with the tables")
    if root is not None:
        _mark_up(root)
        _strip_hidden(root, _BLOCKS)
    return root


class HtmlPage(BlockWriter):
    """A page on which HTML is written: a line for each block and each cell.

    Attributes:
        levels: Level of each element that is a heading.
    """

    levels: Mapping[str, int] = LEVELS

    def __init__(self, texts: list[str], inline: Inline) -> None:
        super().__init__(texts, inline)
        # The words of the block that has begun, and its line.
        self._words: list[str] = []
        self._begin = 0
        # The level of the heading that has begun, for the first line of it; 0 outside of one.
        self._level = 0
        self._line = 1

    def put(self, words: str, line: int, *, is_cell: bool = False) -> Cell:
        """Write a block, or a cell of a row, that begins on a line of the HTML, from 1."""
        self.texts.append(words or ("\u00a0" if is_cell else ""))
        return Line(len(self.texts), self.texts[-1]).cell

    def end_block(self) -> None:
        """End a block."""
        if self.texts and self.texts[-1]:
            self.texts.append("")

    def write(self, root: etree._Element | None) -> None:
        """Write the blocks of a tree. Without recursion, because pages may be nested deeply.

        Raises:
            ReadError: `too_large`, for a table with more places than any table has.
        """
        if root is None:
            return
        self._line = 1
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag
            if event == "end":
                if tag in _BLOCKS:
                    self._end_block()
                    if tag in self.levels:
                        self._level = 0
                self._add(element.tail)
                continue
            self._line = _line_of(element, self._line)
            if tag in _BLOCKS or tag == "br":
                self._end_block(is_break=tag == "br")
                self._level = self.levels.get(tag, self._level)
            if tag == "table" and next(element.iterdescendants("table"), None) is None:
                self._read_table(element)
                walk.skip_subtree()
            elif tag == "pre":
                self._read_verbatim(element)
                walk.skip_subtree()
            elif tag != "br":
                self._add(element.text)
        self._end_block()

    def _add(self, text: str | None) -> None:
        if text:
            words = text.strip(_INVISIBLE)
            if words and not self._begin:
                self._begin = self._line + text[: text.index(words)].count("\n")
            self._words.append(text)
            self._line += text.count("\n")

    def _end_block(self, *, is_break: bool = False) -> None:
        text, line = one_line("".join(self._words)), self._begin or self._line
        self._words.clear()
        self._begin = 0
        if text:
            number = self.put(text, line).line
            if self._level:
                self.level(number - 1, self._level)
                self._level = 0
        if not is_break:
            self.end_block()

    def _read_verbatim(self, element: etree._Element) -> None:
        source = settled(str(element.xpath("string()"))).rstrip("\n")
        texts = source.lstrip("\n").split("\n")
        line = self._line + len(source) - len(source.lstrip("\n"))
        numbers = [self.put(text.rstrip(), line + below).line for below, text in enumerate(texts)]
        self.verbatim(range(numbers[0] - 1, numbers[-1]))
        self.end_block()

    def _read_table(self, table: etree._Element) -> None:
        first = self._line
        _strip_hidden(table, _ROWS)
        caption = table.find("caption")
        title = _text_of(caption) if caption is not None else ""
        parts = list(_parts_of(table, first))
        # A browser shows text between the cells above the table.
        if caption is not None:
            caption.tag = "th"
        etree.strip_elements(table, "td", "th", with_tail=False)
        between = _text_of(table)
        if any(map(str.isalnum, between)):
            self.put(between, first)
            self.end_block()
        title_cell = None
        if title:
            title_cell = self.put(title, first)
            self.end_block()
        if not any(cell[0] for cell in chain.from_iterable(chain.from_iterable(parts))):
            return
        rows: list[list[Cell]] = []
        numbers: list[int] = []
        for part in parts:
            placed = []
            for row in part:
                cells = [
                    (self.put(text, line, is_cell=True), height, width)
                    for text, line, height, width in row
                ]
                numbers += [cell.line for cell, _, _ in cells]
                placed.append(cells)
            rows += spread(placed, first)
        self.grid(range(min(numbers) - 1, max(numbers)), rows, title_cell)
        self.end_block()


def _line_of(element: etree._Element, default: int) -> int:
    return int(str(element.sourceline or default))


def _parts_of(table: etree._Element, line: int) -> Iterator[list[list[_HtmlCell]]]:
    """The cells in each row of each part of a table that holds no other.

    A browser shows the head first and the foot last, wherever the file has them; cells reach no
    further down than their part. Cells without a row are given one.
    """
    for part in (table, *table.iterchildren("thead", "tbody", "tfoot")):
        row: etree._Element | None = None
        for cell in list(part.iterchildren("td", "th")):
            if row is None or cell.getprevious() is not row:
                row = etree.Element("tr")
                row.sourceline = cell.sourceline
                cell.addprevious(row)
            row.append(cell)
    rows = sorted(
        table.iterdescendants("tr"), key=lambda row: _ORDER.get(next(row.iterancestors()).tag, 1)
    )
    for _, part_rows in groupby(rows, key=lambda row: row.getparent()):
        yield [
            [_printed(cell, _line_of(row, line)) for cell in row.iterchildren("td", "th")]
            for row in part_rows
        ]


def _printed(cell: etree._Element, line: int) -> _HtmlCell:
    # 0 rows means all remaining rows.
    height = _span(cell.get("rowspan")) or _MAX_SPAN
    return _text_of(cell), line, height, _span(cell.get("colspan")) or 1


def _span(text: str | None) -> int:
    """The `rowspan` or `colspan` of a cell; 1 if it is missing or invalid."""
    text = (text or "").strip()
    return min(int(text), _MAX_SPAN) if text.isdecimal() and len(text) <= _MAX_DIGITS else 1


def _is_hidden(element: etree._Element) -> bool:
    """True for an element that is hidden by its own attributes, such as sort keys in table cells."""
    return "hidden" in element.attrib or bool(_UNSEEN.search(element.get("style", "")))


def _strip_hidden(root: etree._Element, shown: Collection[str] = ()) -> None:
    """Take scripts, styles, menus, controls, struck-out text, what only screen readers read and
    hidden elements out of a tree; hidden elements of the tags `shown` stay.
    """
    for element in root.iterdescendants():
        if not element.keys():
            continue
        is_unread = element.get("role") in _ROLES or _CLASSES.search(element.get("class", ""))
        if is_unread or (element.tag not in shown and _is_hidden(element)):
            element.tag = "script"
    etree.strip_elements(root, *LEFT_OUT, with_tail=False)


def _mark_up(root: etree._Element) -> None:
    """Write into the text of a tree what its elements show: boundaries, breaks, raised digits
    (`40\u00b9`).
    """
    for raised in root.iter("sup"):
        raised.text = superscript(raised.text or "")
        for element in raised.iterdescendants():
            element.text = superscript(element.text or "")
            element.tail = superscript(element.tail or "")
    for element in root.iterdescendants():
        is_plain = element.tag in TYPOGRAPHIC and not element.keys()
        boundary = "" if is_plain else BOUNDARY
        # Two blocks in a cell are separate words.
        after = " " if element.tag in PARTS else boundary
        if element.tag not in _CELLS:
            element.text = f"{boundary}{element.text or ''}" if element.tag != "br" else "\n"
        element.tail = f"{after}{element.tail or ''}"


def _text_of(element: etree._Element) -> str:
    """The text of an element in one line."""
    text = element.xpath("string()") if len(element) else element.text
    return one_line(str(text or ""))


def one_line(text: str) -> str:
    """Text with one blank for each run of white space; a no-break space is kept."""
    if not text.isprintable() or "  " in text:
        text = _BLANKS.sub(" ", settled(text))
    return text.strip(" ")
