"""reStructuredText to `Document`: its tables as grids, its headings without underlines and with their levels.

Lines keep their numbers. Markup that says nothing of its own (underlines, labels, comments, the options of a directive)
is left out, as an empty line; in a cell and in a heading it becomes blanks, so that what is left stands where it is
printed. How each kind of table is printed belongs in `restructured_drawn` and `restructured_directives`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.read.document import Cell, Document, Grid, Line, Lines
from pipelines.read.html_text import superscript
from pipelines.read.markup import with_ends
from pipelines.read.restructured_blocks import Blocks, read_blocks
from pipelines.read.restructured_directives import read_directive
from pipelines.read.restructured_drawn import drawn_lines, read_drawn
from pipelines.read.restructured_inline import Inline
from pipelines.read.text import read_text

# `=====`, `-----`, `~~~~~`: under (and over) a heading
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}\s*")
# `.. note:: Measured with ...`, `.. tab-item:: MI300X`
_DIRECTIVE = re.compile(r"\s*\.\.\s+(?P<name>[\w.:+-]+?)::(?P<text>.*)")
# `.. _inf2-performance:`, `.. |br| raw:: html`
_LABEL = re.compile(r"\s*\.\.\s+(?:_[^:]*:.*|\|[^|]*\|.*)")
# `.. Footnotes should be appended`, `..`
_COMMENT = re.compile(r"\s*\.\.(?:\s+(?![_|\[]).*)?")
# `   :header-rows: 1`
_OPTION = re.compile(r"(?<!\s)\s+:[\w-]+:(?:\s.*)?")
# `.. table:: Throughput`, above a drawn table
_TABLE = "table"
# The words behind the names of these are text.
_WORDED_NAMES = "attention caution danger error hint important note seealso tip warning versionadded versionchanged"
_WORDED = frozenset(_WORDED_NAMES.split())
# Nobody reads the contents of these.
_UNSEEN = frozenset({"meta", "toctree"})


def read_restructured_text(content: bytes, document_id: str, format: str | None) -> Document:
    """The lines of a reStructuredText file, with a grid for each of its tables.

    Raises:
        ReadError: As `read_text`; `too_large` for a text nested deeper than any page of results.
    """
    document = read_text(content, document_id, format)
    page = _Page(list(document.texts))
    page.write()
    levels = ((line + 1, level) for line, level in page.blocks.levels if page.texts[line].strip())
    ends = {line + 1: end + 2 for line, end in page.blocks.ends.items()}
    kept = with_ends(levels, ends, page.grids, page.texts)
    return Document(document_id, format, Lines(page.texts), tuple(page.grids), levels=kept)


class _Page:
    """The lines and grids of a text as far as it has been written."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.grids: list[Grid] = []
        self._drawn = drawn_lines(texts)
        self.blocks: Blocks = read_blocks(texts, self._drawn)
        self._inline = Inline(texts, self.blocks.code)

    def write(self) -> None:
        """Write all lines."""
        drawn = {lines.start: lines for lines in self._drawn}
        titled = dict(self.blocks.levels)
        caption: Cell | None = None
        position = 0
        while position < len(self.texts):
            text = self.texts[position]
            if position in self.blocks.code or not text.strip():
                position += 1
                continue
            begin = position
            if lines := drawn.get(position):
                position = self._write_drawn(lines, caption)
            elif ".." in text:
                position = self._write_explicit(position, is_titled=position in titled)
            elif position in titled:
                self._write_shown(position, text.strip(), text.find(text.strip()))
                position += 1
            else:
                self.texts[position] = "" if _UNDERLINE.fullmatch(text) else text
                position += 1
            match = _DIRECTIVE.fullmatch(text)
            is_above = match is not None and match["name"] == _TABLE
            caption = Line(begin + 1, self.texts[begin]).cell if is_above else None

    def _write_drawn(self, lines: range, caption: Cell | None) -> int:
        if table := read_drawn(self.texts, lines):
            self.texts[lines.start : lines.stop] = table.texts
            self._add(table.rows, lines, caption, table.heading_rows, 0)
        return lines.stop

    def _write_explicit(self, position: int, *, is_titled: bool) -> int:
        """Write a line with `..` on it, and what belongs to it; gives the position behind."""
        text = self.texts[position]
        if table := read_directive(self.texts, position):
            lines = range(position, position + len(table.texts))
            self.texts[lines.start : lines.stop] = table.texts
            if table.rows:
                caption = None if table.caption.is_blank else table.caption
                self._add(table.rows, lines, caption, table.heading_rows, table.heading_columns)
            return lines.stop
        if note := self._inline.notes.get(position):
            end, number = note
            # `.. [1] Measured with ...`
            self.texts[position] = f"{superscript(number)}:".ljust(end) + text[end:]
        elif match := _DIRECTIVE.fullmatch(text):
            if match["name"] in _UNSEEN:
                return self._leave_block_out(position)
            self.texts[position] = ""
            if is_titled or match["name"] in _WORDED or match["name"] == _TABLE:
                self._write_shown(position, match["text"].strip(), match.start("text") + 1)
            return self._leave_out(position + 1, _OPTION)
        elif _LABEL.fullmatch(text):
            self.texts[position] = ""
            return self._leave_out(position + 1, _OPTION)
        elif _COMMENT.fullmatch(text):
            return self._leave_block_out(position)
        return position + 1

    def _leave_block_out(self, position: int) -> int:
        indent, end = _indent(self.texts[position]), position + 1
        while end < len(self.texts) and (not self.texts[end].strip() or _indent(self.texts[end]) > indent):
            end += 1
        self.texts[position:end] = [""] * (end - position)
        return end

    def _leave_out(self, position: int, pattern: re.Pattern[str]) -> int:
        while position < len(self.texts) and pattern.fullmatch(self.texts[position]):
            self.texts[position] = ""
            position += 1
        return position

    def _write_shown(self, position: int, words: str, start: int) -> None:
        self.texts[position] = (" " * start + self._inline.shown(words)).rstrip()

    def _add(
        self,
        rows: Sequence[Sequence[Cell]],
        lines: range,
        caption: Cell | None,
        heading_rows: int,
        heading_columns: int,
    ) -> None:
        """Add the grid of a table, with its cells as they are seen."""
        seen: dict[int, Cell] = {}
        for cell in (cell for row in rows for cell in row):
            text = self._inline.shown(cell.text)
            if text != cell.text and id(cell) not in seen:
                line = self.texts[cell.line - 1]
                self.texts[cell.line - 1] = line[: cell.start] + text + line[cell.end :]
                seen[id(cell)] = Cell(text, cell.line, cell.start, cell.end).stripped()
        self.grids.append(
            Grid.of_cells(
                [[seen.get(id(cell), cell) for cell in row] for row in rows] if seen else rows,
                lines.start + 1,
                lines.stop,
                caption,
                heading_rows=heading_rows,
                heading_columns=heading_columns,
                layout="rst",
            )
        )


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
