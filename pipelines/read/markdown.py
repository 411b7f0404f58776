"""Markdown to `Document`: its tables as grids, its headings with their levels, HTML in it as well.

Lines keep their numbers. In a row of a table and in a heading, markup (`**`, backticks, `#`, the
address of a link) becomes blanks, so that what is left is where it is printed; code is left
unchanged, and holds neither. markdown-it says what a block is, as on the pages of a repository.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

import re2
from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from pipelines.read.blocks import (
    LEVEL_OF_TITLE,
    Inline,
    Piece,
    cells_between_bars,
)
from pipelines.read.document import Cell, Document, ReadError
from pipelines.read.html import LEFT_OUT, LEVELS, PARTS, HtmlPage, one_line, parse_html
from pipelines.read.split_numbers import BOUNDARY, masked, superscript

# `**Training results**`, `__Latency__:`
_BOLD_LINE = re.compile(r"\s*(?P<mark>\*\*|__)(?P<text>[^*]+)(?P=mark):?\s*")
# `[^1]: Measured with ...`, `[paper]: https://example.com/paper`
_DEFINITION = re.compile(
    r" {0,3}\[(?:\^(?P<note>\d{1,2})|(?P<name>[^\[\]^]{1,100}))\]:\s*(?P<address>\S*)"
)
# `40,112[^1]`; `Qwen\u5343\u95ee**\uff08Int4\uff09**`
_MARK = re.compile(r"\[\^(?P<note>\d{1,2})\]|\*\*(?P<bold>[^*]{1,80})\*\*(?!\*)")
# `<br/>`, `</sup>`, `<a href="#notes">`
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w-]*)")
# `<table border="1">`, `</table>`
_TABLE = re.compile(r"<(?P<end>/?)table\b", re.IGNORECASE)
# `<!-- 12 ms -->`
_COMMENT = re2.compile(r"(?s)<!--.*?-->")
# `---`, `:--:`: a cell of the rule below the headings
_RULE = re.compile(r":?-+:?")
# `> > `, `- `, `1. `
_MARKS = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s)?[\s>]*")
# Left out, and without an end.
_VOID = ("embed", "input")
# They separate words.
_PARTS = PARTS | {"br", "ul", "ol"}
_VERBATIM = ("fence", "code_block", "blockquote_open")


def read(document: Document) -> Document:
    """The lines of a Markdown file, with a grid for each of its tables."""
    texts = [*map(masked, document.texts)]
    tokens = _parse(texts)
    blocks: dict[str, list[range]] = {"html_block": [], "paragraph_open": [], "table_open": []}
    for token in tokens:
        if token.type in blocks and token.map:
            blocks[token.type].append(range(*token.map))
    html, paragraphs, tables = blocks.values()
    for lines in [*html, *paragraphs]:
        _blank_comments(texts, lines)
    running = set(chain.from_iterable(paragraphs))
    definitions = {line: match for line in running if (match := _DEFINITION.match(texts[line]))}
    inline = _MarkdownInline(
        {match["name"]: match["address"] for match in definitions.values() if match["name"]}
    )
    bars = set(chain.from_iterable(tables))
    page = _MarkdownPage(texts, inline)
    regions = _html_regions(texts, html, running, bars)
    for lines in regions:
        page.write_html(lines)
    page.write_blocks(tokens, set(chain.from_iterable(regions)), definitions)
    return page.document(document)


def _parse(texts: Sequence[str]) -> list[Token]:
    parser = MarkdownIt("commonmark").enable("table")
    # Parsing many addresses below each other takes quadratic time.
    parser.disable("reference")
    front = 0
    if texts[0].rstrip() == "---":
        # Front matter between two such lines is not part of the text.
        ends = (line for line, text in enumerate(texts) if line and text.rstrip() == "---")
        front = next(ends, -1) + 1
    tokens: list[Token] = []
    parser.block.parse("\n".join([*[""] * front, *texts[front:]]), parser, {}, tokens)
    return tokens


class _MarkdownPage(HtmlPage):
    """The lines of a page, which keep their numbers, those of HTML too."""

    levels: Mapping[str, int] = {**LEVELS, "summary": LEVEL_OF_TITLE}
    # The lines of HTML that are written.
    _region = range(0)

    def write_blocks(
        self, tokens: Sequence[Token], taken: set[int], definitions: Mapping[int, re.Match[str]]
    ) -> None:
        """Write the blocks that are not HTML; `taken` are the lines of HTML, `definitions` those of
        notes and addresses.
        """
        quoted_to = 0
        for token, following in pairwise([*tokens, Token("", "", 0)]):
            lines = range(*token.map) if token.map else range(0)
            is_quoted = lines.start < quoted_to
            if token.type == "table_open":
                self._write_tables(lines)
            elif token.type in _VERBATIM and not is_quoted and not taken.issuperset(lines):
                quoted_to = lines.stop
                if token.type == "fence":
                    # Without its marks
                    has_end = token.markup in self.texts[lines[-1]]
                    lines = lines[1 : len(lines) - has_end]
                self.verbatim(lines)
            elif token.type == "heading_open" and taken.isdisjoint(lines):
                # A line `=====` below quoted output ends a summary.
                if is_quoted and token.markup in "=-":
                    continue
                # The last line of text: those above it were hardly meant to be a heading, too.
                lines = lines[-2:]
                words = following.content.rsplit("\n", 1)[-1].strip()
                start = self.texts[lines[0]].find(words)
                cell = Cell(words, lines[0] + 1, start, start + len(words))
                self.heading(lines, cell, int(token.tag[1:]))
            elif token.type == "paragraph_open":
                for line in lines:
                    if line not in taken:
                        self._write_line(line, definitions.get(line))

    def _write_line(self, line: int, definition: re.Match[str] | None = None) -> None:
        if match := _BOLD_LINE.fullmatch(self.texts[line]):
            cell = Cell(match["text"], line + 1, *match.span("text"))
            self.heading(range(line, line + 1), cell, LEVEL_OF_TITLE)
        elif definition and definition["note"]:
            self.note(line, definition["note"], definition.end("note") + 2)
        else:
            self.text(line)

    def _write_tables(self, lines: range) -> None:
        """Write the tables in the lines of one, as a header ends the table above it, too.

        A line without any bar is a row where others follow it.
        """
        texts = self.texts
        rows: dict[int, list[Cell]] = {}
        headers = []
        has_bar = False
        for line in lines:
            marks = _MARKS.match(texts[line])
            begin = marks.end() if marks else 0
            places = cells_between_bars(texts[line], begin)
            is_barred = texts[line][begin : begin + 1] == "|"
            if not rows:
                has_bar = is_barred
            elif is_barred and not has_bar and len(places) == len(rows[lines.start]) - 1:
                # If the rows begin without a bar, a leading bar follows a blank cell.
                places = [(begin, begin), *places]
            row = [
                Cell(texts[line][low:high], line + 1, low, high).stripped() for low, high in places
            ]
            is_rule = all(_RULE.fullmatch(cell.text) for cell in row)
            if is_rule and len(row) == len(rows.get(line - 1, ())):
                headers.append(line - 1)
            rows[line] = row
        for first, stop in pairwise([*headers, lines.stop]):
            end = stop
            while "|" not in texts[end - 1]:
                end -= 1
            body = [rows[line] for line in range(first, end) if line != first + 1]
            self.table(range(first, end), body)
            self.hide(range(first + 1, first + 2))
            for line in range(end, stop):
                self._write_line(line)

    def write_html(self, lines: range) -> None:
        """Write lines of HTML as the reader of HTML reads them."""
        texts = self.texts[lines.start : lines.stop]
        if all(text.lstrip().startswith(">") for text in texts):
            # The marks of a quotation
            texts = [text.lstrip(" >") for text in texts]
        source = "\n".join(texts).replace("<!--", "&lt;!--")
        marks, closed = [*_TABLE.finditer(source)], set[int]()
        for begin, end in pairwise(marks):
            if end["end"] and not begin["end"]:
                closed |= {begin.start(), end.start()}
        # A table without an end is none.
        source = _TABLE.sub(
            lambda mark: mark[0] if mark.start() in closed else f"<{mark['end']}div", source
        )
        try:
            root = parse_html(source)
        except ReadError:
            # What is nested too deeply is left as it is.
            return
        ends = [line for line in lines if "</details" in self.texts[line].lower()]
        self._region = lines
        self.texts[lines.start : lines.stop] = [""] * len(lines)
        self.write(root)
        for line in ends:
            self.level(line, LEVEL_OF_TITLE)

    def put(self, words: str, line: int, *, is_cell: bool = False) -> Cell:
        """Write words behind those of the line; a cell behind a bar."""
        at = min(self._region.start + line, self._region.stop) - 1
        before, after = ("| ", " ") if is_cell else (" " * bool(self.texts[at]), "")
        if is_cell and "**" in words:
            # Many tables in HTML have bold words as in Markdown, although a page shows the stars.
            words = one_line(self.inline.shown(words))
        start = len(self.texts[at] + before)
        self.texts[at] += before + words + after
        return Cell(words, at + 1, start, start + len(words)).stripped()

    def end_block(self) -> None:
        """Nothing separates blocks."""


def _blank_comments(texts: list[str], lines: range) -> None:
    """Blanks in the place of comments; an unclosed comment is text."""
    source = "\n".join(texts[lines.start : lines.stop])
    end = source.rfind("-->") + 3
    if end > 2:
        blanked = (
            _COMMENT.sub(lambda comment: re.sub(".", " ", comment[0]), source[:end]) + source[end:]
        )
        texts[lines.start : lines.stop] = blanked.split("\n")


def _html_regions(
    texts: Sequence[str], html: Sequence[range], text: set[int], bars: set[int]
) -> list[range]:
    """The lines of HTML, in order: its blocks, and tables over empty lines and text of Markdown.

    What is around a table drawn with `bars` is no table but lays the page out.
    """
    regions = list(html)
    places = sorted(text.union(*html))
    marks = [(line, mark) for line in places for mark in _TABLE.finditer(texts[line])]
    for (first, begin), (last, end) in pairwise(marks):
        lines = range(first, last + 1)
        if end["end"] and not begin["end"] and bars.isdisjoint(lines):
            regions.append(lines)
    merged: list[range] = []
    for lines in sorted(regions, key=lambda lines: lines.start):
        # Blocks that only follow each other stay apart.
        if merged and lines.start < merged[-1].stop:
            before = merged.pop()
            lines = range(before.start, max(before.stop, lines.stop))
        merged.append(lines)
    return merged


class _MarkdownInline(Inline):
    """Marked-up words of Markdown."""

    # Text without any of these needs no parsing.
    marks = re.compile(r"[\\`*_\[\]<>&!~]")

    def __init__(self, references: Mapping[str, str]) -> None:
        """`references` are the addresses that links may name: `[Llama][1]`, `[1]: https://...`."""
        self._parser = MarkdownIt("commonmark").enable("strikethrough").disable("text_join")
        links = {
            normalizeReference(name): {"href": address, "title": ""}
            for name, address in references.items()
        }
        self._environment: dict[str, Any] = {"references": links}

    def pieces(self, source: str, whole: Collection[str]) -> list[Piece]:
        if whole:
            # Bars of a cell are escaped for the table, before anything else is.
            source = source.replace("\\|", "|")
        [block] = self._parser.parseInline(source, self._environment)
        return _pieces(block.children or [], whole)


def _pieces(tokens: Sequence[Token], whole: Collection[str]) -> list[Piece]:
    """The pieces of text that are seen, each as it is printed and as it is read."""
    pieces: list[Piece] = []
    left_out = 0
    is_raised = False
    # An unclosed tag changes only the size of the text: `acc<br><sup>top5`.
    raises = any(
        token.type == "html_inline" and token.content.lower().startswith("</sup")
        for token in tokens
    )
    for token in tokens:
        element = token.content.strip("</>").lower() if token.type == "html_inline" else token.tag
        if element and element not in whole:
            pieces.append(("", BOUNDARY))
        name, nesting = token.tag, token.nesting
        if match := _TAG.match(token.content) if token.type == "html_inline" else None:
            name, nesting = match["name"].lower(), -1 if match["end"] else 1
        if name in LEFT_OUT and name not in _VOID:
            left_out = max(0, left_out + nesting)
        elif token.type == "html_inline":
            if name == "sup":
                is_raised = raises and nesting > 0
            elif name in _PARTS:
                pieces.append(("", " "))
        elif left_out or token.type == "image":
            continue
        elif token.type == "text_special":
            pieces.append((token.markup, token.content))
        elif is_raised:
            pieces.append((token.content, superscript(token.content)))
        else:
            pieces += _words(token.content)
            if token.type == "code_inline":
                # It has no token for its end.
                pieces.append(("", BOUNDARY))
    return pieces


def _words(text: str) -> Iterator[Piece]:
    """The pieces of plain text around marks of footnotes and marks of bold words that Markdown does
    not take for such.

    Beside characters of Chinese, Japanese and Korean `**` often is none.
    """
    position = 0
    for match in _MARK.finditer(text):
        yield text[position : match.start()], text[position : match.start()]
        if match["note"]:
            yield from (("", BOUNDARY), (match[0], superscript(match["note"])), ("", BOUNDARY))
        else:
            yield from (("**", ""), (match["bold"], match["bold"]), ("**", ""))
        position = match.end()
    yield text[position:], text[position:]
