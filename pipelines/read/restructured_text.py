"""reStructuredText to `Document`: its tables as grids, its headings without underlines and with
their levels.

Lines keep their numbers. Markup that says nothing of its own (underlines, labels, comments, the
options of a directive) is left out, as an empty line; in a cell and in a heading it becomes blanks:
what remains is where it is printed. docutils says what a block is: any directive, those of Sphinx
too, is one that may hold others; nothing is included, run or fetched.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Directive, Parser, directives, states

from pipelines.read.blocks import LEVEL_OF_TITLE, BlockWriter, Inline, Piece, ranges_of
from pipelines.read.document import Cell, Document, ReadError
from pipelines.read.restructured_tables import (
    drawn_lines,
    read_drawn,
    read_list,
    read_values,
)
from pipelines.read.split_numbers import BOUNDARY, masked, superscript
from pipelines.yaml_files import load_yaml

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
# The names of directives by what their content, or else their argument, is
_DIRECTIVES = load_yaml(Path(__file__).with_name("restructured_text.yml"))
_KINDS = {name: kind for kind, names in _DIRECTIVES.items() for name in names}

# `PyTorch <../compatibility/pytorch>`
_WITH_TARGET = re.compile(r"(?P<text>[^<]*\S)\s*<[^<>]*>")


def read(document: Document) -> Document:
    """The lines of a reStructuredText file, with a grid for each of its tables.

    Raises:
        ReadError: `too_large`, for a text nested deeper than any page of results.
    """
    reading = _Reading([*map(masked, document.texts)])
    reading.parse()
    for lines in ranges_of(reading.code):
        reading.verbatim(lines)
    reading.write_lines()
    return reading.document(document)


def _settings() -> Any:
    settings: Any = frontend.get_default_settings(Parser)
    # Without reports, and without reading other files.
    settings.report_level, settings.halt_level, settings.warning_stream = 5, 6, False
    settings.file_insertion_enabled = settings.raw_enabled = False
    return settings


class _Reading(BlockWriter):
    """The lines of a text, some of which are written while docutils parses it.

    Attributes:
        code: Indices of the lines of code.
        titles: How many blocks with a title are open.
        captions: The argument of each directive `table`, by the lines of its content.
    """

    def __init__(self, texts: list[str]) -> None:
        notes = (match["label"] for text in texts if ".." in text and (match := _NOTE.match(text)))
        self._labels: dict[str, str] = {}
        for label in notes:
            number = str(len(self._labels) + 1) if label.startswith("#") else label
            self._labels.setdefault(label, number)
        self._document = utils.new_document("", _settings())
        super().__init__(texts, _RestructuredInline(self._labels, self._document))
        self.code: set[int] = set()
        self.titles = 0
        self.captions: dict[int, Cell] = {}
        self._drawn = {lines.start: lines for lines in drawn_lines(texts)}

    def parse(self) -> None:
        """Write headings and the tables of directives, and find code."""
        source = [_OTHER_ENDS.sub(" ", text) for text in self.texts]
        for lines in self._drawn.values():
            # Lines of words in the place of the table, as it may be code, or the content of a
            # directive.
            indent = len(source[lines[0]]) - len(source[lines[0]].lstrip())
            source[lines.start : lines.stop] = [" " * indent + "table"] * len(lines)
        for text in source:
            for match in _DIRECTIVE.finditer(text):
                directives.register_directive(match["name"].lower(), _Block)
        settings = self._document.settings
        settings.line_length_limit = max(map(len, source)) + 1
        settings.reading = self
        inliner = states.Inliner()
        inliner.parse = _text  # type: ignore[method-assign, assignment]
        try:
            Parser(inliner=inliner).parse("\n".join(source), self._document)
            self._walk(self._document)
        except RecursionError as error:
            reason = "the text is nested too deeply; save the part with the tables"
            raise ReadError("too_large", reason) from error

    def _walk(self, document: nodes.document) -> None:
        """Write the headings of sections, and find code."""
        literal = document.findall(nodes.literal_block)
        for code in (*literal, *document.findall(nodes.doctest_block)):
            # Error messages repeat the source.
            if code.line is not None and not isinstance(code.parent, nodes.system_message):
                self.code.update(range(code.line - 1, code.line + code.rawsource.count("\n")))
        for title in document.findall(nodes.title):
            if isinstance(title.parent, nodes.section) and title.children:
                line = (title.children[0].line or 1) - 1
                self.add_words(line, self.texts[line].strip(), len(title.section_hierarchy()))

    def write_lines(self) -> None:
        """Write the lines outside of code, headings and tables, and the tables drawn in them."""
        done = self.code | self.done
        line = 0
        while line < len(self.texts):
            text, end = self.texts[line], line + 1
            drawn = self._drawn.get(line)
            if line in done:
                pass
            elif drawn and (rows := read_drawn(self.texts, drawn)):
                end = drawn.stop
                self.table(drawn, rows, self.captions.get(line))
            elif _UNDERLINE.fullmatch(text):
                self.hide(range(line, end))
            elif match := _NOTE.match(text):
                self.note(line, self._labels[match["label"]], match.end())
            elif _UNSEEN.fullmatch(text) and not _DIRECTIVE.match(text.lstrip()):
                # A comment goes on in the lines that are indented more.
                indent = len(text) - len(text.lstrip())
                while end < len(self.texts) and self.texts[end][: indent + 1].isspace():
                    end += 1
                self.hide(range(line, end))
            else:
                self.text(line)
            line = end

    def add_words(self, line: int, words: str, level: int = 0) -> Cell:
        """Write a line of which these words only are seen; returns their cell."""
        start = self.texts[line].rfind(words) if words else 0
        cell = Cell(words, line + 1, start, start + len(words))
        self.heading(range(line, line + 1), cell, level)
        return cell


def _text(
    text: str, lineno: int, _: object, __: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """All text as it is and its line, which the nodes of docutils do not always have."""
    node = nodes.inline(text, text)
    node.line = lineno
    return [node], []


class _Block(Directive):
    """Any directive: it is written without its name and options; its content is text, code or a
    table.
    """

    has_content = True

    def run(self) -> Sequence[nodes.Node]:
        """The node of the block, with what is nested in it."""
        reading: _Reading = self.state.document.settings.reading
        kind, first = _KINDS.get(self.name.lower(), ""), self.lineno - 1
        lines = [self.content.offset(number) for number in range(len(self.content))]
        last = max([first, *lines[-1:]])
        # The argument may be on the line of the name, and the options below it.
        begin = 1 if lines and lines[0] == first else 0
        words = self.content[0].strip() if begin else ""
        options, behind = self._options(reading.texts, lines, begin)
        for line in lines[begin:] if kind == "closed" else lines[begin:behind]:
            reading.texts[line] = ""
        if kind not in ("worded", "titled", "heading", "list", "values"):
            words = ""
        is_heading = bool(words) and kind in ("titled", "heading")
        level = LEVEL_OF_TITLE + reading.titles if is_heading else 0
        title = reading.add_words(first, words, level)
        caption = title if words else None
        if kind in ("code", "closed"):
            reading.code.update(lines[behind:])
            return []
        content, offset = self.content[behind:], self.content_offset + behind
        rows, block = None, nodes.container()
        if kind == "part":
            self.state.nested_parse(content, offset, match_titles=True)
            return []
        if kind == "values":
            at, header = options.get("header", (last + 1 - len(content), ""))
            if header:
                reading.texts[at] = header
            delimiter = options.get("delim", (0, ""))[1].strip()
            rows = read_values(reading.texts, range(at, last + 1), delimiter)
        else:
            is_titled = kind == "titled" and bool(words)
            if is_titled and last + 1 < len(reading.texts):
                # The text after it is no longer below its title.
                reading.level(last + 1, level)
            if caption:
                reading.captions |= dict.fromkeys(lines[behind:], caption)
            reading.titles += is_titled
            self.state.nested_parse(content, offset, block)
            reading.titles -= is_titled
        if kind == "list" and block.children:
            rows = read_list(reading.texts, block.children[0])
        if rows:
            reading.table(range(first, last + 1), rows, caption)
        return [block]

    def _options(
        self, texts: Sequence[str], lines: Sequence[int], begin: int
    ) -> tuple[dict[str, tuple[int, str]], int]:
        """The line and the value of each option, where it is printed, and how many lines of the
        content they end behind.
        """
        options: dict[str, tuple[int, str]] = {}
        option = ""
        for behind in range(begin, len(lines)):
            text = self.content[behind]
            if match := _OPTION.match(text):
                option, value = match["name"], match["value"] or ""
                start = texts[lines[behind]].find(value, len(option))
                options[option] = lines[behind], " " * max(start, 0) + value
            elif option and text.startswith(" "):
                line, value = options[option]
                options[option] = line, f"{value.rstrip()} {text.strip()}"
            else:
                return options, behind
        return options, len(lines)


class _RestructuredInline(Inline):
    """Marked-up words of reStructuredText."""

    # Text without any of these needs no parsing.
    marks = re.compile(r"[\\`*|]|_(?!\w)|\.\. ")

    def __init__(self, labels: Mapping[str, str], document: nodes.document) -> None:
        """`labels` are the footnotes of the page and their numbers."""
        self._labels = labels
        self._inliner = states.Inliner()
        self._inliner.init_customizations(document.settings)
        # Any role, those of Sphinx too.
        self._inliner.interpreted = _interpreted  # type: ignore[method-assign, assignment]
        self._memo: Any = SimpleNamespace(
            document=document, reporter=document.reporter, language=None
        )

    def pieces(self, source: str, whole: Collection[str]) -> list[Piece]:
        if source == "\\" or (source.startswith(".. _") and source.endswith(":")):
            # The mark of a blank cell, and a target, alone in its cell, are not seen.
            return []
        parsed, _ = self._inliner.parse(source, 1, self._memo, self._memo.document)
        return list(self._pieces(parsed))

    def _pieces(self, parsed: Sequence[nodes.Node]) -> Iterator[Piece]:
        for node in parsed:
            boundary = "" if isinstance(node, nodes.Text) else BOUNDARY
            yield "", boundary
            if isinstance(node, nodes.footnote_reference):
                label = f"#{node.get('refname', '')}" if node.get("auto") else node.astext()
                number = self._labels.get(label, "")
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


def _interpreted(
    _: str, text: str, role: str | None, __: int
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    match = _WITH_TARGET.fullmatch(text) if role else None
    node: nodes.Element = nodes.superscript() if role in ("sup", "superscript") else nodes.inline()
    node += nodes.Text(match["text"] if match else text)
    return [node], []
