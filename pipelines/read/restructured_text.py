"""reStructuredText to `Document`: its tables as grids, its headings without underlines and with
their levels.

Lines keep their numbers. Markup that says nothing of its own (underlines, labels, comments, the
options of a directive) is left out, as an empty line; in a cell and in a heading it becomes blanks:
what remains is where it is printed. docutils says what a block is: any directive, those of Sphinx
too, is one that may hold others; nothing is included, run or fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from docutils import frontend, nodes, utils
from docutils.languages import get_language
from docutils.parsers.rst import Directive, Parser, directives, roles, states

from pipelines.read.document import Cell, Document, Grid, Line, ReadError, runs_of
from pipelines.read.html_text import superscript
from pipelines.read.markup import Piece, in_place, mask_in_place
from pipelines.read.restructured_tables import (
    Written,
    drawn_lines,
    read_drawn,
    read_list,
    read_values,
)
from pipelines.read.split_numbers import BOUNDARY, masked

# `=====`, `-----`, `~~~~~`: under (and over) a heading
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}\s*")
# `.. tab-item:: MI300X`, `.. csv-table::`
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?P<name>[A-Za-z0-9][\w.:+-]*?)[ \t]?::(?:\s|$)")
# `:header: "Model", "Throughput (tokens/sec)"`
_OPTION = re.compile(r":(?P<name>[\w-]+):(?:\s+(?P<value>.*)|$)")
# `.. _inf2-performance:`, `.. |br| raw:: html`, `.. Footnotes should be appended`, `..`
_UNSEEN = re.compile(r"\s*\.\.(?:\s+(?P<kind>[_|])?.*)?")
# `.. [1] Measured ...`, `.. [#mi300x] Only on ...`
_NOTE = re.compile(r"\s*\.\.\s+\[(?P<label>\d{1,2}|#[\w.+-]*)\](?=\s|$)")
# Characters that docutils treats as line ends.
_OTHER_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
_CODE_NAMES = (
    "code code-block sourcecode literalinclude parsed-literal highlight math raw prompt console doctest testcode "
    "testoutput mermaid graphviz plot"
)
_CODE = frozenset(_CODE_NAMES.split())
# Directives whose content is not read.
_CLOSED = frozenset({"toctree", "contents", "include", "image", "meta"})
# Directives whose argument is text.
_WORDED_NAMES = (
    "attention caution danger error hint important note seealso table tip warning versionadded"
)
_WORDED = frozenset(_WORDED_NAMES.split())
_TABLES = frozenset({"csv-table", "list-table"})
# Directives whose argument is a heading of their content.
_TITLED_NAMES = (
    "rubric tab-item tab dropdown details collapse admonition topic sidebar card grid-item-card"
)
_TITLED = frozenset(_TITLED_NAMES.split())
# Below all sections, as a bold line in Markdown
_LEVEL_OF_TITLE = 7
# The sections of these are sections of the page.
_PARTS_OF_PAGE = frozenset({"only", "ifconfig"})

# Text without any of these needs no parsing.
_MARKS = re.compile(r"[\\`*|]|_(?!\w)|\.\. ")
# Longer texts are not cells of results, and unclosed markup is slow to parse.
_MAX_LENGTH = 500
# `:doc:`, `:py:class:`
_ROLE = re.compile(r":(?P<name>[\w.+-]+(?::[\w.+-]+){0,3}):`")
# `PyTorch <../compatibility/pytorch>`
_WITH_TARGET = re.compile(r"(?P<text>[^<]*\S)\s*<[^<>]*>")


def read_restructured_text(document: Document) -> Document:
    """The lines of a reStructuredText file, with a grid for each of its tables.

    Raises:
        ReadError: `too_large`, for a text nested deeper than any page of results.
    """
    page = _RestructuredPage([*map(masked, document.texts)])
    page.read()
    # The higher one of two headings on one line counts.
    levels = dict(sorted(((line + 1, level) for line, level in page.levels), reverse=True))
    grids = sorted(page.grids, key=lambda grid: grid.first_line)
    runs = runs_of(sorted(page.code), lambda run, line: line == run[-1] + 1)
    blocks = tuple(range(run[0] + 1, run[-1] + 2) for run in runs)
    numbered = tuple(sorted(levels.items()))
    return replace(
        document,
        texts=tuple(page.texts),
        grids=tuple(grids),
        levels=numbered,
        blocks=blocks,
    )


def _settings() -> Any:
    settings: Any = frontend.get_default_settings(Parser)
    # Without reports, and without reading other files.
    settings.report_level, settings.halt_level, settings.warning_stream = 5, 6, False
    settings.file_insertion_enabled = settings.raw_enabled = False
    return settings


class _RestructuredPage:
    """The lines and grids of a text; docutils calls it while parsing.

    Attributes:
        texts: The lines.
        grids: The tables.
        levels: Index of the line and level of each heading, and of each line that ends what a title
            heads.
        code: Indices of the lines of code.
        titles: How many blocks with a title are open.
        caption: The argument of the open directive `table`.
        drawn: Lines of what looks like a drawn table and is not read yet, by the index of the first
            one.
    """

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.grids: list[Grid] = []
        self.levels: list[tuple[int, int]] = []
        self.code: set[int] = set()
        self.titles = 0
        self.caption: Cell | None = None
        self.drawn = {lines.start: lines for lines in drawn_lines(texts)}
        notes = (match["label"] for text in texts if ".." in text and (match := _NOTE.match(text)))
        labels: dict[str, str] = {}
        for label in notes:
            labels.setdefault(label, str(len(labels) + 1) if label.startswith("#") else label)
        self.inline = _Inline(labels)

    def read(self) -> None:
        """Read all lines, and write them without markup."""
        source = [_OTHER_ENDS.sub(" ", text) for text in self.texts]
        for lines in self.drawn.values():
            # Lines of words in the place of the table, as it may be code, or the content of a
            # directive.
            indent = len(source[lines[0]]) - len(source[lines[0]].lstrip())
            source[lines.start : lines.stop] = [" " * indent + "table"] * len(lines)
        for line, text in enumerate(source):
            if text.rstrip().endswith("-+"):
                # The border of a broken table, which docutils would read again and again.
                source[line] = text.replace("+", "|")
            for match in _DIRECTIVE.finditer(text):
                directives.register_directive(match["name"].lower(), _Block)
        settings = _settings()
        settings.line_length_limit = max(map(len, source)) + 1
        settings.page = self
        document = utils.new_document("", settings)
        try:
            Parser(inliner=_Texts(self)).parse("\n".join(source), document)
        except RecursionError as error:
            reason = "the text is nested too deeply; save the part with the tables"
            raise ReadError("too_large", reason) from error
        self._walk(document)
        self._write_markup()

    def _walk(self, document: nodes.document) -> None:
        """Find the headings of sections and the code; a walk without recursion."""
        walk: list[tuple[nodes.Node, int]] = [(document, 0)]
        while walk:
            node, depth = walk.pop()
            if isinstance(node, (nodes.literal_block, nodes.doctest_block)):
                # Error messages repeat the source.
                if node.line is not None and not isinstance(node.parent, nodes.system_message):
                    self.code.update(range(node.line - 1, node.line + node.rawsource.count("\n")))
            elif (
                isinstance(node, nodes.title)
                and isinstance(node.parent, nodes.section)
                and node.children
            ):
                line = (node.children[0].line or 1) - 1
                words = self.texts[line].strip()
                self.write_words(line, words, self.texts[line].find(words))
                if self.texts[line]:
                    self.levels.append((line, depth))
            else:
                walk += [
                    (child, depth + isinstance(node, nodes.section)) for child in node.children
                ]

    def _write_markup(self) -> None:
        """Leave out underlines, labels and comments; the mark of a footnote is written as a raised
        number.
        """
        headings = {line for line, _ in self.levels}
        in_grids = {
            number - 1
            for grid in self.grids
            for number in range(grid.first_line, grid.last_line + 1)
        }
        position = 0
        while position < len(self.texts):
            line, text = position, self.texts[position]
            position += 1
            if line in self.code or line in in_grids:
                continue
            if _UNDERLINE.fullmatch(text) and line not in headings:
                self.texts[line] = ""
            elif match := _NOTE.match(text):
                number = superscript(self.inline.labels[match["label"]])
                self.texts[line] = f"{number}:".ljust(match.end()) + text[match.end() :]
            elif (match := _UNSEEN.fullmatch(text)) and not _DIRECTIVE.match(text.lstrip()):
                self.texts[line] = ""
                indent = len(text) - len(text.lstrip())
                while position < len(self.texts) and self.texts[position][: indent + 1].isspace():
                    self.texts[position] = ""
                    position += 1
            else:
                self.texts[line] = mask_in_place(text, self.inline.pieces)

    def write_words(self, line: int, words: str, start: int) -> Cell:
        """Write a line with these words only; returns them as rendered."""
        self.texts[line] = (" " * start + self.inline.shown(words)).rstrip()
        return Line(line + 1, self.texts[line]).cell

    def write_drawn(self, line: int) -> None:
        """Write the drawn table that begins on a line, if one does."""
        if (lines := self.drawn.pop(line, None)) and (table := read_drawn(self.texts, lines)):
            self.write_table(table, lines, self.caption)

    def write_table(self, table: Written, lines: range, caption: Cell | None) -> None:
        """Write a table in these lines, and add its grid with the cells as they are seen."""
        for line, text in table.texts.items():
            self.texts[line] = text
        seen: dict[int, Cell] = {}
        for cell in (cell for row in table.rows for cell in row):
            text = self.inline.shown(cell.text)
            if text != cell.text and id(cell) not in seen:
                before = self.texts[cell.line - 1]
                self.texts[cell.line - 1] = before[: cell.start] + text + before[cell.end :]
                seen[id(cell)] = Cell(text, cell.line, cell.start, cell.end).stripped()
        rows = [[seen.get(id(cell), cell) for cell in row] for row in table.rows]
        self.grids.append(Grid.of_cells(rows, lines.start + 1, lines.stop, caption))


class _Texts(states.Inliner):
    """Keep all text and its line, which the nodes of docutils do not always have."""

    def __init__(self, page: _RestructuredPage) -> None:
        super().__init__()
        self._page = page

    def init_customizations(self, settings: object) -> None:
        """No inline markup."""

    def adjust_uri(self, uri: str) -> str:
        """An address is unchanged."""
        return uri

    def parse(
        self, text: str, lineno: int, memo: object, parent: object
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The text, at its line."""
        node = nodes.inline(text, text)
        node.line = lineno
        if text.startswith("table"):
            self._page.write_drawn(lineno - 1)
        return [node], []


class _Block(Directive):
    """Any directive: it is written without its name and options; its content is text, code or a
    table.
    """

    has_content = True

    def run(self) -> Sequence[nodes.Node]:
        """The node of the block, with what is nested in it."""
        page: _RestructuredPage = self.state.document.settings.page
        name, first = self.name.lower(), self.lineno - 1
        lines = [self.content.offset(number) for number in range(len(self.content))]
        last = max([first, *lines[-1:]])
        # The argument may be on the line of the name, and the options below it.
        begin = behind = 1 if lines and lines[0] == first else 0
        options: dict[str, tuple[int, str]] = {}
        option = ""
        while behind < len(lines):
            text = self.content[behind]
            if match := _OPTION.match(text):
                option = match["name"]
                start = page.texts[lines[behind]].find(match["value"] or "", len(option))
                options[option] = lines[behind], " " * max(start, 0) + (match["value"] or "")
            elif option and text.startswith(" "):
                options[option] = (
                    options[option][0],
                    f"{options[option][1].rstrip()} {text.strip()}",
                )
            else:
                break
            behind += 1
        words = self.content[0].strip() if begin else ""
        title = page.write_words(first, words, page.texts[first].rfind(words) if words else 0)
        if name not in _WORDED | _TITLED | _TABLES:
            page.texts[first] = ""
        for line in lines[begin:] if name in _CLOSED else lines[begin:behind]:
            page.texts[line] = ""
        if name in _CODE | _CLOSED:
            page.code.update(lines[behind:])
            return []
        content, offset = self.content[behind:], self.content_offset + behind
        block = nodes.container()
        caption = None if title.is_blank else title
        if name == "csv-table":
            at, header = options.get("header", (last + 1 - len(content), ""))
            if header:
                page.texts[at] = header
            self._write(
                read_values(
                    page.texts[at : last + 1], at, options.get("delim", (0, ""))[1].strip()
                ),
                caption,
            )
            return []
        if name in _PARTS_OF_PAGE:
            self.state.nested_parse(content, offset, match_titles=True)
            return []
        is_titled = name in _TITLED and bool(words)
        if is_titled:
            page.levels.append((first, _LEVEL_OF_TITLE + page.titles))
            if name != "rubric" and last + 1 < len(page.texts):
                # The text after it is no longer below its title.
                page.levels.append((last + 1, _LEVEL_OF_TITLE + page.titles))
        page.titles += is_titled
        page.caption = caption if name == "table" else None
        self.state.nested_parse(content, offset, block)
        page.caption = None
        page.titles -= is_titled
        if name == "list-table" and block.children:
            self._write(read_list(page.texts, block.children[0]), caption)
        return [block]

    def _write(self, table: Written | None, caption: Cell | None) -> None:
        page: _RestructuredPage = self.state.document.settings.page
        if table and table.rows:
            last = self.content.offset(len(self.content) - 1)
            page.write_table(table, range(self.lineno - 1, last + 1), caption)


class _Inline:
    """Texts as a reader sees them, each as long as its source; what a table repeats is read once."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        """`labels` are the footnotes of the page and their numbers."""
        settings = _settings()
        self.labels = labels
        self._document = utils.new_document("", settings)
        self._inliner = states.Inliner()
        self._inliner.init_customizations(settings)
        language = get_language("en", self._document.reporter)
        self._memo: Any = SimpleNamespace(
            document=self._document, reporter=self._document.reporter, language=language
        )
        self._known: dict[str, str] = {}

    def shown(self, source: str) -> str:
        """The source with blanks in the place of markup, where it is printed; as long as before."""
        if len(source) > _MAX_LENGTH or not _MARKS.search(source):
            return source
        if source not in self._known:
            # A target, alone in its cell, and the mark of a blank cell are not seen.
            is_unseen = source == "\\" or (source.startswith(".. _") and source.endswith(":"))
            self._known[source] = (
                " " * len(source) if is_unseen else in_place(source, self.pieces(source))
            )
        return self._known[source]

    def pieces(self, source: str) -> list[Piece]:
        """The pieces of a text that are seen, with boundaries of the elements."""
        for match in _ROLE.finditer(source):
            roles.register_local_role(match["name"].lower(), _role)
        parsed, _ = self._inliner.parse(source, 1, self._memo, self._document)
        return list(self._pieces(parsed))

    def _pieces(self, parsed: Sequence[nodes.Node]) -> Iterator[Piece]:
        for node in parsed:
            boundary = "" if isinstance(node, nodes.Text) else BOUNDARY
            yield "", boundary
            if isinstance(node, nodes.footnote_reference):
                label = f"#{node.get('refname', '')}" if node.get("auto") else node.astext()
                number = self.labels.get(label, "")
                yield f"[{label}]", superscript(number) if number else f"[{label}]"
            elif isinstance(node, nodes.substitution_reference):
                # A picture is one character.
                yield (f"|{node.astext()}|",) * 2
            elif isinstance(node, nodes.superscript):
                yield node.astext(), superscript(node.astext())
            elif isinstance(node, nodes.Text):
                first, *others = str(node).split("\x00")
                yield first, first
                for other in others:
                    # An escaped blank is removed.
                    yield f"\\{other[:1]}", other[:1].strip()
                    yield other[1:], other[1:]
            elif not isinstance(node, nodes.target):
                yield from self._pieces(node.children)
            yield "", boundary


def _role(
    role: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: states.Inliner,
    options: Mapping[str, Any] | None = None,
    content: Sequence[str] | None = None,
) -> tuple[list[nodes.reference], list[nodes.reference]]:
    match = _WITH_TARGET.fullmatch(text)
    node: nodes.Element = nodes.superscript() if role in ("sup", "superscript") else nodes.inline()
    node += nodes.Text(match["text"] if match else text)
    return [node], []  # type: ignore[list-item]
