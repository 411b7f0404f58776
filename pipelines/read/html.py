"""HTML to `Document`: the page as a reader sees it, in lines, and its tables as grids. Nothing in it is ever executed.

The lines are made in one fixed way, so that a place in them is the same each time the page is opened: a block of text
is a line, white space in it one blank; a cell of a table is a line, a blank cell a no-break space; an empty line stands
between blocks; text in `pre` keeps its lines. Scripts, styles, menus and struck-out text are left out.
"""

from __future__ import annotations

import codecs
import re

from lxml import etree, html

from pipelines.read.document import Cell, Document, Grid, Line, ReadError
from pipelines.read.html_tables import lay_out, rows_of
from pipelines.read.html_text import is_hidden, is_left_out, one_line, text_of
from pipelines.read.text import check_size

SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr legend li main ol p pre section summary table tbody td "
    "tfoot th thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
# `<meta charset="utf-8">`, `<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">`
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
# `<?xml version="1.0" encoding="UTF-8"?>`, which lxml refuses in text
_PROLOG = re.compile(r"\s*<\?xml[^>]*\?>")
# `<!DOCTYPE html>`, `<html lang="en">`, `<table class="results">`, behind comments
_START = re.compile(
    rb"(?:\s|\xef\xbb\xbf|<!--.*?-->|<\?xml[^>]*\?>)*<(?:!doctype\s+html|html|head|body|table)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = 4096


def is_html(content: bytes) -> bool:
    """True for bytes that begin as a page of HTML does."""
    return _START.match(content[:_HEAD]) is not None


def read_html(content: bytes, document_id: str, format: str | None) -> Document:
    """The lines of a page, with a grid for each of its tables that holds no other table.

    Raises:
        ReadError: `empty_document`, `too_large` or `wrong_encoding`; the reason says what to do.
    """
    check_size(len(content))
    text = _PROLOG.sub("", _decode(content), count=1)
    # Old pages nest hundreds of tags; the size of a page is limited already.
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = html.document_fromstring(text, parser=parser)
    except etree.ParserError as error:
        raise ReadError("empty_document", "the page holds no text; capture it again") from error
    if any(fault.level == etree.ErrorLevels.FATAL for fault in parser.error_log):
        # What stands behind such a place is lost.
        raise ReadError(
            "too_large", "the page is nested deeper than any page of results; save the part with the tables"
        )
    page = _Page()
    page.write(root)
    if not any(not line.is_blank for line in page.lines):
        raise ReadError("empty_document", "the page holds no text; scripts may load it: save it as seen")
    return Document(document_id, format, tuple(page.lines), tuple(page.grids))


def _number(item: etree._Element) -> str:
    """The number that a reader sees before an item of a list, `2. `: a footnote may have no other."""
    parent = item.getparent()
    if parent is None or parent.tag != "ol":
        return ""
    start = parent.get("start", "").strip()
    before = sum(1 for other in item.itersiblings("li", preceding=True))
    return f"{before + (int(start) if start.isdecimal() else 1)}. "


def _decode(content: bytes) -> str:
    stated = _CHARSET.search(content[:_HEAD])
    encoding = stated[1].decode("ascii") if stated else "utf-8"
    # A mark at the beginning goes before what the page says further down.
    if content.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    elif content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise ReadError("wrong_encoding", f"the page says that it is in {encoding!r}, which is no encoding") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        who = "which the page says it is in" if stated else "and neither the page nor its server says what it is"
        reason = f"byte {error.start} is not {encoding}, {who}; save it as UTF-8 and add that"
        raise ReadError("wrong_encoding", reason, line) from error


class _Page:
    """The lines and grids of a page as far as it has been written."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.grids: list[Grid] = []
        self._words: list[str] = []
        # The number of an item, for the first line of it.
        self._number = ""

    def write(self, root: etree._Element) -> None:
        """Write all that is below an element. A walk without recursion: a page may be nested as deep as it likes."""
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag
            if event == "end":
                if tag in _BLOCKS:
                    self._end_block()
                    self._number = ""
                self._words.append(element.tail or "")
                continue
            if is_left_out(element) or (tag not in _BLOCKS and is_hidden(element)):
                walk.skip_subtree()
                continue
            if tag in _BLOCKS or tag == "br":
                self._end_block(is_break=tag == "br")
                self._number = _number(element) if tag == "li" else self._number
            if tag == "table" and element.find(".//table") is None:
                self._write_table(element)
                walk.skip_subtree()
            elif tag == "pre":
                self._write_preformatted(element)
                walk.skip_subtree()
            else:
                self._words.append(text_of(element) if tag == "sup" else element.text or "")
                if tag == "sup":
                    walk.skip_subtree()
        self._end_block()

    def _add(self, text: str) -> Line:
        line = Line(len(self.lines) + 1, text)
        self.lines.append(line)
        return line

    def _end_block(self, *, is_break: bool = False) -> None:
        text = one_line("".join(self._words))
        self._words.clear()
        if text:
            self._add(self._number + text)
            self._number = ""
        if not is_break and self.lines and self.lines[-1].text:
            self._add("")

    def _write_preformatted(self, element: etree._Element) -> None:
        for text in text_of(element, keeps_lines=True).strip("\n").split("\n"):
            self._add(text.rstrip())
        self._add("")

    def _write_table(self, table: etree._Element) -> None:
        caption = next(iter(table.iterfind("caption")), None)
        title = self._add(text_of(caption)) if caption is not None and text_of(caption) else None
        if title:
            self._add("")
        first = len(self.lines) + 1
        rows = lay_out(rows_of(table), self._write_cell)
        if len(self.lines) >= first:
            self.grids.append(Grid.of_cells(rows, first, len(self.lines), title.cell if title else None, layout="html"))
            self._add("")

    def _write_cell(self, element: etree._Element) -> Cell:
        line = self._add(text_of(element) or "\u00a0")
        return Cell(line.text, line.number, 0, len(line.text)).stripped()
