"""Markdown to `Document`: its tables as grids, its headings with their levels, HTML in it as well.

Lines keep their numbers. In a row of a table and in a heading, markup (`**`, backticks, `#`, the address of a link)
becomes blanks, so that what is left stands where it is printed; code stays as it is, and holds neither. What is a block
says markdown-it, as on the pages of a repository. How a text is known as Markdown belongs in `markup`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import table as header_with_rule
from markdown_it.token import Token

from pipelines.read.document import Document, Grid, Lines
from pipelines.read.html_text import superscript
from pipelines.read.markdown_containers import Containers, without_containers
from pipelines.read.markdown_html import LEVEL_OF_SUMMARY, HtmlTables, blank_comments, blank_tags, ends_of_details
from pipelines.read.markdown_inline import Inline
from pipelines.read.markup import with_ends
from pipelines.read.text import read_text

# A bar between cells, not `\|`
_BAR = re.compile(r"(?<!\\)\|")
# `**Training results**`, `__Latency__:`
_BOLD_LINE = re.compile(r"\s*(?P<mark>\*\*|__)(?P<text>[^*]+)(?P=mark):?\s*")
# `title: "Inference Time"`
_TITLE = re.compile(r"title:[ \t]++(?P<title>\S.*)")
_LEVEL_OF_TITLE = 0
_LEVEL_OF_BOLD = 7
# `[^1]: Measured with ...`
_NOTE = re.compile(r"\[\^(\d{1,2})\]:")
# `[paper]: https://example.com/paper`
_REFERENCE = re.compile(r" {0,3}\[(?P<name>[^\[\]^]{1,100})\]:\s*(?P<address>\S+)")


class _Table(NamedTuple):
    """A table: the indices of its lines, and where each begins behind the marks of items and quotes."""

    lines: range
    starts: list[int]


@dataclass
class _Blocks:
    """The blocks of a page, as ranges of indices of its lines.

    Attributes:
        html: Blocks of HTML.
        paragraphs: Text, that of items and quotes too.
        headings: Lines, level and text of each heading.
        tables: The tables drawn with bars.
    """

    html: list[range] = field(default_factory=list)
    paragraphs: list[range] = field(default_factory=list)
    headings: list[tuple[range, int, str]] = field(default_factory=list)
    tables: list[_Table] = field(default_factory=list)


def read_markdown(content: bytes, document_id: str, format: str | None) -> Document:
    """The lines of a Markdown file, with a grid for each of its tables.

    Raises:
        ReadError: As `read_text`.
    """
    document = read_text(content, document_id, format)
    texts = list(document.texts)
    containers = without_containers(texts)
    blocks = _read_blocks(containers)
    for lines in blocks.html:
        blank_comments(texts, lines, is_block=True)
    for lines in blocks.paragraphs:
        blank_comments(texts, lines, is_block=False)
    inline = Inline(_references(texts, blocks.paragraphs))
    in_tables = frozenset(line for table in blocks.tables for line in table.lines)
    with_html = sorted([*blocks.html, *blocks.paragraphs], key=lambda lines: lines.start)
    grids = HtmlTables(texts, inline).read(with_html, in_tables)
    # What stands in them is written already.
    taken = {number - 1 for grid in grids for number in range(grid.first_line, grid.last_line + 1)}
    grids += [_write_table(texts, table, inline) for table in blocks.tables]
    free_headings = [heading for heading in blocks.headings if not taken.intersection(heading[0])]
    levels = [*_write_title(texts), *_write_headings(texts, free_headings, inline)]
    for line in containers.begins:
        texts[line] = "" if line not in taken else texts[line]
    for line, low, high, depth in containers.titles:
        if line not in taken:
            texts[line] = " " * low + inline.shown(document.texts[line][low:high])
            levels.append((line, _LEVEL_OF_BOLD + depth))
    summaries, details = list[int](), list[tuple[int, bool]]()
    for lines in blocks.html:
        headings, found = blank_tags(texts, _without(lines, taken))
        levels += headings
        summaries += [line + 1 for line, level in headings if level == LEVEL_OF_SUMMARY]
        details += [(line + 1, is_end) for line, is_end in found]
    for line in (line for lines in blocks.paragraphs for line in lines if line not in taken):
        if match := _BOLD_LINE.fullmatch(texts[line]):
            low, high = match.span("text")
            texts[line] = " " * low + inline.shown(texts[line][low:high])
            levels.append((line, _LEVEL_OF_BOLD))
        elif match := _NOTE.match(texts[line]):
            texts[line] = f"{superscript(match[1])}:".ljust(match.end()) + texts[line][match.end() :]
    grids.sort(key=lambda grid: grid.first_line)
    numbers = ((line + 1, level) for line, level in levels)
    ends = ends_of_details(summaries, details) | {line + 1: end + 1 for line, end in containers.ends.items()}
    kept = with_ends(numbers, ends, grids, texts)
    return Document(document_id, format, Lines(texts), tuple(grids), levels=kept)


def _without(lines: range, taken: Collection[int]) -> range:
    """The lines up to the first one that is taken, or behind the last one where they begin with such."""
    while lines and lines[0] in taken:
        lines = lines[1:]
    return range(lines.start, next((line for line in lines if line in taken), lines.stop))


def _references(texts: Sequence[str], paragraphs: Iterable[range]) -> dict[str, str]:
    """The addresses that links may name."""
    matches = (_REFERENCE.match(texts[line]) for lines in paragraphs for line in lines)
    return {normalizeReference(match["name"]): match["address"] for match in matches if match}


def _read_blocks(page: Containers) -> _Blocks:
    texts = page.texts
    parser = MarkdownIt("commonmark").enable("table")
    parser.block.ruler.at("table", _read_table, {"alt": ["paragraph", "reference"]})
    # Many addresses, one right below the other, take a time that grows with the square of their number.
    parser.disable("reference")
    front = _end_of_front_matter(texts)
    source = "\n".join([*("" for _ in range(front)), *texts[front:]])
    begins = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
    tokens: list[Token] = []
    parser.block.parse(source, parser, {"begins": begins}, tokens)
    blocks = _Blocks()
    for number, token in enumerate(tokens):
        lines = range(*token.map) if token.map else range(0)
        if token.type == "html_block":
            blocks.html.append(lines)
        elif token.type == "table":
            starts = [page.removed[line] + start for line, start in zip(lines, token.meta["starts"], strict=True)]
            blocks.tables.append(_Table(lines, starts))
        elif token.type == "heading_open":
            blocks.headings.append((lines, int(token.tag[1:]), tokens[number + 1].content))
        elif token.type == "paragraph_open":
            blocks.paragraphs.append(lines)
    return blocks


def _end_of_front_matter(texts: Sequence[str]) -> int:
    """How many lines at the beginning are fields about the page between two lines of `---`, and none of its text."""
    if texts[0].rstrip() != "---":
        return 0
    return next((number + 1 for number, text in enumerate(texts) if number and text.rstrip() == "---"), 0)


def _write_title(texts: list[str]) -> Iterator[tuple[int, int]]:
    """The line of the page's title among the fields in front of its text, over all its headings."""
    for line in range(_end_of_front_matter(texts)):
        if match := _TITLE.fullmatch(texts[line]):
            title = match["title"].rstrip()
            is_quoted = len(title) > 2 and title[0] == title[-1] and title[0] in "\"'"
            low, high = match.start("title") + is_quoted, match.start("title") + len(title) - is_quoted
            texts[line] = " " * low + texts[line][low:high]
            yield line, _LEVEL_OF_TITLE
            return


def _read_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """The rule for a table: markdown-it finds the header and the line below it, here its rows are only counted.

    Of a table of 30,000 rows it would make 800,000 tokens. A line without any bar is a row where others follow it.
    """
    if not header_with_rule(state, first, end, True):
        return False
    if silent:
        return True
    parent, state.parentType = state.parentType, "table"
    rules = state.md.block.ruler.getRules("blockquote")
    line = behind = first + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.isEmpty(line):
        if header_with_rule(state, line, end, True):
            # The header of another table, without a blank line before it.
            break
        if state.is_code_block(line) or any(rule(state, line, end, True) for rule in rules):
            break
        line += 1
        if state.src.find("|", state.bMarks[line - 1], state.eMarks[line - 1]) >= 0:
            behind = line
    begins = state.env["begins"]
    token = state.push("table", "table", 0)
    token.map = [first, behind]
    token.meta["starts"] = [state.bMarks[row] + state.tShift[row] - begins[row] for row in range(first, behind)]
    state.parentType = parent
    state.line = behind
    return True


def _write_table(texts: list[str], table: _Table, inline: Inline) -> Grid:
    """The grid of a table; its rows are written without markup."""
    header, rule = table.lines[:2]
    has_bar = texts[header][table.starts[0]] == "|"
    rows: list[list[tuple[str, int]]] = []
    for line, start in zip(table.lines, table.starts, strict=True):
        if line == rule:
            texts[line] = ""
            continue
        source = texts[line]
        places = _cells(source, start)
        if rows and len(places) == len(rows[0]) - 1 and not has_bar and source[start] == "|":
            # Where the rows begin without a bar, a bar at the beginning stands behind a blank cell.
            places = [(start, start), *places]
        shown, behind, row = list[str](), 0, list[tuple[str, int]]()
        for low, high in places:
            cell = source[low:high]
            text = cell.strip()
            at = low + cell.find(text)
            seen = inline.shown(text)
            shown += [source[behind:at], seen]
            behind = at + len(text)
            words = seen.strip()
            row.append((words, at + seen.find(words)))
        texts[line] = "".join(shown) + source[behind:]
        rows.append(row)
    numbers = [table.lines[0] + 1, *range(table.lines[2:].start + 1, table.lines.stop + 1)]
    return Grid(
        tuple([tuple([text for text, _ in row]) for row in rows]),
        tuple([(number,) * len(row) for number, row in zip(numbers, rows, strict=True)]),
        tuple([tuple([start for _, start in row]) for row in rows]),
        table.lines.start + 1,
        table.lines.stop,
        heading_rows=1,
        layout="markdown",
    )


def _cells(text: str, start: int) -> list[tuple[int, int]]:
    """Where the cells between the bars of a row begin and end, blanks included."""
    bars = [match.start() for match in _BAR.finditer(text, start)]
    edges = [start - 1, *bars, len(text)]
    if bars and not text[start : bars[0]].strip():
        edges = edges[1:]
    if bars and not text[bars[-1] + 1 :].strip():
        edges = edges[:-1]
    return [(low + 1, high) for low, high in pairwise(edges)]


def _write_headings(
    texts: list[str], headings: Iterable[tuple[range, int, str]], inline: Inline
) -> Iterator[tuple[int, int]]:
    """The line and the level of each heading that says something; it is written without its marks."""
    for lines, level, content in headings:
        # The last line of text: those above it were hardly meant to be a heading, too.
        is_underlined = len(lines) > 1
        line = lines[-2] if is_underlined else lines[0]
        text = content.rsplit("\n", 1)[-1].strip()
        low = texts[line].find(text)
        texts[line] = (" " * low + inline.shown(text)).rstrip()
        if is_underlined:
            texts[lines[-1]] = ""
        if texts[line]:
            yield line, level
