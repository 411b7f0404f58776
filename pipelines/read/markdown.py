"""Markdown to `Document`: its tables as grids, its headings with their levels, HTML in it as well.

Lines keep their numbers. In a row of a table and in a heading, markup (`**`, backticks, `#`, the
address of a link) becomes blanks, so that what is left is where it is printed; code is left
unchanged, and holds neither. markdown-it says what a block is, as on the pages of a repository.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import table as header_with_rule
from markdown_it.token import Token

from pipelines.read.document import Cell, Document, Grid
from pipelines.read.html_text import LEFT_OUT, PARTS, superscript
from pipelines.read.markdown_html import blank_comments, blank_tags, write_tables
from pipelines.read.markup import Piece, cells_between_bars, in_place, mask_in_place
from pipelines.read.split_numbers import BOUNDARY, TYPOGRAPHIC, masked

# `**Training results**`, `__Latency__:`
_BOLD_LINE = re.compile(r"\s*(?P<mark>\*\*|__)(?P<text>[^*]+)(?P=mark):?\s*")
_LEVEL_OF_BOLD = 7
# `[^1]: Measured with ...`, `[paper]: https://example.com/paper`
_DEFINITION = re.compile(
    r" {0,3}\[(?:\^(?P<note>\d{1,2})|(?P<name>[^\[\]^]{1,100}))\]:\s*(?P<address>\S*)"
)

# Text without any of these needs no parsing.
_MARKS = re.compile(r"[\\`*_\[\]<>&!~]")
# Longer texts are not cells of results, and unclosed markup is slow to parse.
_MAX_LENGTH = 1_000
# `40,112[^1]`; `Qwen\u5343\u95ee**\uff08Int4\uff09**`
_MARK = re.compile(r"\[\^(?P<note>\d{1,2})\]|\*\*(?P<bold>[^*]{1,80})\*\*(?!\*)")
# `<br/>`, `</sup>`, `<a href="#notes">`
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w-]*)")
# Left out, and without an end.
_VOID = frozenset({"embed", "input"})
# They separate words.
_PARTS = PARTS | {"br", "ul", "ol"}
_VERBATIM = frozenset({"fence", "code_block", "blockquote_open"})


class _Blocks(NamedTuple):
    """The blocks of a page, as ranges of indices of its lines.

    Attributes:
        html: Blocks of HTML.
        paragraphs: Text, that of items and quotes too.
        headings: Lines, level and text of each heading.
        tables: The lines of each table drawn with bars, and the length of each line after marks of
            lists and quotes.
        verbatim: Code and quotations; what is in a quotation is a part of it.
    """

    html: list[range]
    paragraphs: list[range]
    headings: list[tuple[range, int, str]]
    tables: list[tuple[range, list[int]]]
    verbatim: list[range]


def read_markdown(document: Document) -> Document:
    """The lines of a Markdown file, with a grid for each of its tables."""
    texts = [*map(masked, document.texts)]
    blocks = _read_blocks(texts)
    with_html = sorted([*blocks.html, *blocks.paragraphs], key=lambda lines: lines.start)
    for lines in with_html:
        blank_comments(texts, lines)
    definitions = {
        line: match
        for lines in blocks.paragraphs
        for line in lines
        if texts[line].lstrip()[:1] == "[" and (match := _DEFINITION.match(texts[line]))
    }
    inline = Inline(
        {match["name"]: match["address"] for match in definitions.values() if match["name"]}
    )
    in_tables = frozenset(line for lines, _ in blocks.tables for line in lines)
    grids = write_tables(texts, with_html, in_tables, inline.shown)
    # What is in them is written already.
    taken = {number - 1 for grid in grids for number in range(grid.first_line, grid.last_line + 1)}
    grids += [_write_table(texts, lines, lengths, inline) for lines, lengths in blocks.tables]
    levels = list(
        _write_headings(
            texts, (found for found in blocks.headings if taken.isdisjoint(found[0])), inline
        )
    )
    for lines in blocks.html:
        levels += blank_tags(texts, lines, taken)
    for line in (line for lines in blocks.paragraphs for line in lines if line not in taken):
        if match := _BOLD_LINE.fullmatch(texts[line]):
            low, high = match.span("text")
            texts[line] = " " * low + inline.shown(texts[line][low:high])
            levels.append((line, _LEVEL_OF_BOLD))
        elif (match := definitions.get(line)) and match["note"]:
            texts[line] = (
                f"{superscript(match['note'])}:".ljust(match.end("note") + 2)
                + texts[line][match.end("note") + 2 :]
            )
        else:
            texts[line] = mask_in_place(texts[line], partial(inline.pieces, whole=()))
    # The higher one of two headings on one line counts.
    levels.sort(reverse=True)
    numbered = sorted({line + 1: level for line, level in levels}.items())
    grids.sort(key=lambda grid: grid.first_line)
    verbatim = tuple(range(lines.start + 1, lines.stop + 1) for lines in blocks.verbatim)
    return replace(
        document,
        texts=tuple(texts),
        grids=tuple(grids),
        levels=tuple(numbered),
        blocks=verbatim,
    )


def _read_blocks(texts: Sequence[str]) -> _Blocks:
    parser = MarkdownIt("commonmark").enable("table")
    # A header ends the table above it, too.
    parser.block.ruler.at("table", _read_table, {"alt": ["paragraph", "reference", "blockquote"]})
    # Parsing many addresses below each other takes quadratic time.
    parser.disable("reference")
    front = 0
    if texts[0].rstrip() == "---":
        # Front matter between two such lines is not part of the text.
        front = next(
            (number + 1 for number, text in enumerate(texts) if number and text.rstrip() == "---"),
            0,
        )
    tokens: list[Token] = []
    parser.block.parse("\n".join([*[""] * front, *texts[front:]]), parser, {}, tokens)
    blocks = _Blocks([], [], [], [], [])
    for token, following in pairwise([*tokens, Token("", "", 0)]):
        lines = range(*token.map) if token.map else range(0)
        is_quoted = bool(blocks.verbatim) and lines.start < blocks.verbatim[-1].stop
        if token.type == "html_block":
            blocks.html.append(lines)
        elif token.type == "table":
            blocks.tables.append((lines, token.meta["lengths"]))
        elif token.type == "heading_open" and not (is_quoted and token.markup in "=-"):
            # A line `=====` below quoted output ends a summary.
            blocks.headings.append((lines, int(token.tag[1:]), following.content))
        elif token.type == "paragraph_open":
            blocks.paragraphs.append(lines)
        elif token.type in _VERBATIM and not is_quoted:
            # Without the marks of a fence.
            marks = (
                token.type == "fence",
                token.type == "fence" and token.markup in texts[lines[-1]],
            )
            blocks.verbatim.append(lines[marks[0] : len(lines) - marks[1]])
    return blocks


def _read_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """The rule for a table: markdown-it finds the header and the line below it, here its rows are
    only counted.

    Of a table of 30,000 rows it would make 800,000 tokens. A line without any bar is a row where
    others follow it.
    """
    if silent or not header_with_rule(state, first, end, True):
        return silent and header_with_rule(state, first, end, True)
    parent, state.parentType = state.parentType, "table"
    rules = state.md.block.ruler.getRules("blockquote")
    line = behind = first + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.isEmpty(line):
        if state.is_code_block(line) or any(rule(state, line, end, True) for rule in rules):
            break
        line += 1
        if state.src.find("|", state.bMarks[line - 1], state.eMarks[line - 1]) >= 0:
            behind = line
    token = state.push("table", "table", 0)
    token.map = [first, behind]
    token.meta["lengths"] = [
        state.eMarks[row] - state.bMarks[row] - state.tShift[row] for row in range(first, behind)
    ]
    state.parentType = parent
    state.line = behind
    return True


def _write_table(texts: list[str], lines: range, lengths: Sequence[int], inline: Inline) -> Grid:
    """The grid of a table; its rows are written without markup."""
    rows: list[list[Cell]] = []
    has_bar = False
    for line, length in zip(lines, lengths, strict=True):
        source, begin = texts[line], len(texts[line]) - length
        places = cells_between_bars(source, begin)
        if not rows:
            has_bar = source[begin] == "|"
        elif len(places) == len(rows[0]) - 1 and not has_bar and source[begin] == "|":
            # If the rows begin without a bar, a leading bar follows a blank cell.
            places = [(begin, begin), *places]
        rows.append([])
        for low, high in places:
            text = source[low:high].strip()
            at = low + source[low:high].find(text)
            seen = inline.shown(text)
            texts[line] = texts[line][:at] + seen + texts[line][at + len(text) :]
            rows[-1].append(Cell(seen, line + 1, at, at + len(text)).stripped())
    texts[lines[1]] = ""
    del rows[1]
    return Grid.of_cells(rows, lines.start + 1, lines.stop)


def _write_headings(
    texts: list[str], headings: Iterable[tuple[range, int, str]], inline: Inline
) -> Iterator[tuple[int, int]]:
    """The line and the level of each heading with text; it is written without its marks."""
    for lines, level, content in headings:
        # The last line of text: those above it were hardly meant to be a heading, too.
        is_underlined = len(lines) > 1
        line = lines[-2] if is_underlined else lines[0]
        text = content.rsplit("\n", 1)[-1].strip()
        texts[line] = (" " * texts[line].find(text) + inline.shown(text)).rstrip()
        if is_underlined:
            texts[lines[-1]] = ""
        if texts[line]:
            yield line, level


class Inline:
    """Texts as a reader sees them, each as long as its source; what a table repeats is read once."""

    def __init__(self, references: Mapping[str, str]) -> None:
        """`references` are the addresses that links may name: `[Llama][1]`, `[1]: https://...`."""
        self._parser = MarkdownIt("commonmark").enable("strikethrough").disable("text_join")
        links = {
            normalizeReference(name): {"href": address, "title": ""}
            for name, address in references.items()
        }
        self._environment: dict[str, Any] = {"references": links}
        self._known: dict[str, str] = {}

    def shown(self, source: str) -> str:
        """The source with blanks in the place of markup and of pictures, where it is printed; as
        long as before.
        """
        if len(source) > _MAX_LENGTH or not _MARKS.search(source):
            return source
        if source not in self._known:
            # Bars are escaped for the table, before anything else is.
            self._known[source] = in_place(source, self.pieces(source.replace("\\|", "|")))
        return self._known[source]

    def pieces(self, source: str, whole: Collection[str] = TYPOGRAPHIC) -> list[Piece]:
        """The pieces of a text that are seen, with boundaries of the elements that are not in
        `whole`.
        """
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
        if token.type in ("s_open", "s_close"):
            left_out += token.nesting
        elif token.type == "html_inline":
            match = _TAG.match(token.content)
            name = match["name"].lower() if match else ""
            is_end = bool(match and match["end"])
            if name in LEFT_OUT and name not in _VOID:
                left_out = max(0, left_out + (-1 if is_end else 1))
            elif name == "sup":
                is_raised = raises and not is_end
            elif name in _PARTS:
                pieces.append(("", " "))
        elif left_out or token.type == "image":
            continue
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append(("", " "))
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
