"""HTML to `Document`: the page as a reader sees it, in lines, and its tables as grids. Nothing in
it is ever executed.

The lines are made in one fixed way, so that a place in them is the same each time the page is
opened: a block of text is a line, white space in it one blank; a cell of a table is a line, a blank
cell a no-break space; an empty line stands between blocks; text in `pre` keeps its lines. Scripts,
styles, menus and struck-out text are left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lxml import etree

from pipelines.read.document import Document, Grid, Line, ReadError
from pipelines.read.html_tables import lay_out
from pipelines.read.html_text import (
    boundary_of,
    is_hidden,
    is_left_out,
    one_line,
    source_of,
    text_of,
)
from pipelines.read.split_numbers import settled

_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr legend li main ol p pre section summary table tbody td "
    "tfoot th thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_LEVELS = {f"h{level}": level for level in range(1, 7)}
# `<?xml version="1.0" encoding="UTF-8"?>`, which lxml refuses in text
_PROLOG = re.compile(r"\s*<\?xml[^>]*\?>")
# ` <!-- saved from --><?xml version="1.0"?><!DOCTYPE html>`, `<html lang="en">`,
# `<table class="results">`
_START = re.compile(
    r"(?:\s|<!--.*?-->|<\?xml.*?\?>)*+<(?:!doctype\s+html|html|head|body|table)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = 4096


def is_html(text: str) -> bool:
    """True for a text that begins as a page of HTML does."""
    return _START.match(text[:_HEAD]) is not None


def read_html(document: Document) -> Document:
    """The lines of a page, with a grid for each of its tables that holds no other table.

    Raises:
        ReadError: `empty_document` or `too_large`; the reason says what to do.
    """
    text = "\n".join(document.texts)
    prolog = _PROLOG.match(text)
    # Old pages nest hundreds of tags; the size of a page is limited.
    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(text[prolog.end() :] if prolog else text, parser=parser)
    if any(fault.level == etree.ErrorLevels.FATAL for fault in parser.error_log):
        # The text after such a place is lost.
        raise ReadError("too_large", "the page is nested too deeply; save the part with the tables")
    page = _Page()
    if root is not None:
        page.write(root)
    if not any(text.strip() for text in page.texts):
        raise ReadError(
            "empty_document", "the page has no text; if scripts load it, save the rendered page"
        )
    return replace(
        document,
        texts=tuple(page.texts),
        grids=tuple(page.grids),
        levels=tuple(page.levels),
        blocks=tuple(page.blocks),
    )


class _Page:
    """The lines and grids of a page, while it is written."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.grids: list[Grid] = []
        self.blocks: list[range] = []
        # Line and level of each heading.
        self.levels: list[tuple[int, int]] = []
        # The level of the heading that has begun, for the first line of it; 0 outside of one.
        self._level = 0
        self._words: list[str] = []

    def write(self, root: etree._Element) -> None:
        """Write all that is below an element. Without recursion, because pages may be nested
        deeply.
        """
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag
            if event == "end":
                if tag in _BLOCKS:
                    self._end_block()
                    if tag in _LEVELS:
                        self._level = 0
                self._words += [boundary_of(element), element.tail or ""]
                continue
            self._words.append(boundary_of(element))
            if is_left_out(element) or (tag not in _BLOCKS and is_hidden(element)):
                walk.skip_subtree()
                continue
            if tag in _BLOCKS or tag == "br":
                self._end_block(is_break=tag == "br")
                self._level = _LEVELS.get(tag, self._level)
            if tag == "table" and next(element.iterdescendants("table"), None) is None:
                self._write_table(element)
                walk.skip_subtree()
            elif tag == "pre":
                lines = settled(source_of(element, keeps_lines=True)).strip("\n").split("\n")
                self.blocks.append(range(len(self.texts) + 1, len(self.texts) + len(lines) + 1))
                self.texts += [*map(str.rstrip, lines), ""]
                walk.skip_subtree()
            else:
                self._words.append(text_of(element) if tag == "sup" else element.text or "")
                if tag == "sup":
                    walk.skip_subtree()
        self._end_block()

    def _end_block(self, *, is_break: bool = False) -> None:
        text = one_line("".join(self._words))
        self._words.clear()
        if text:
            self.texts.append(text)
            if self._level:
                self.levels.append((len(self.texts), self._level))
                self._level = 0
        if not is_break and self.texts and self.texts[-1]:
            self.texts.append("")

    def _write_table(self, table: etree._Element) -> None:
        caption = table.find("caption")
        title = ""
        if caption is not None:
            title, tail = text_of(caption), caption.tail
            caption.clear()
            caption.tail = tail
        cells: list[str] = []

        def write(_row: etree._Element, texts: list[str | None]) -> None:
            cells.extend([one_line(text or "") or "\u00a0" for text in texts])

        rows = lay_out(table, write, len(self.texts) + 1)
        # A browser shows text between the cells above the table.
        etree.strip_elements(table, "td", "th", with_tail=False)
        for text in filter(None, (text_of(table), title)):
            self.texts += [text, ""]
        if not cells:
            return
        first = len(self.texts) + 1
        placed = [Line(first + number, text).cell for number, text in enumerate(cells)]
        caption_cell = Line(first - 2, title).cell if title else None
        grid = [[placed[number] for number in row] for row in rows]
        self.grids.append(Grid.of_cells(grid, first, first + len(cells) - 1, caption_cell))
        self.texts += [*cells, ""]
