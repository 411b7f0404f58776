"""The structure of a reStructuredText as docutils sees it: which lines are headings and how deep, which are code.

Any directive is read as a block that may hold others, as those of Sphinx are unknown to docutils; nothing is included,
run or fetched. Tables belong in `restructured_drawn` and `restructured_directives`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Directive, Parser, directives, states

from pipelines.read.document import ReadError

# `.. tab-item:: MI300X`, `.. csv-table::`
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?P<name>[A-Za-z0-9][\w.:+-]*?)[ \t]?::(?:\s|$)")
# `   :header-rows: 1`
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s.*)?")
# What docutils would take for the end of a line, or for a table: a broken one is read by nobody else, either.
_OTHER_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
_CODE_NAMES = (
    "code code-block sourcecode literalinclude parsed-literal highlight math raw prompt console doctest testcode "
    "testoutput mermaid graphviz plot"
)
_CODE = frozenset(_CODE_NAMES.split())
# Their contents are no text.
_CLOSED_NAMES = "csv-table list-table toctree contents include image meta"
_CLOSED = frozenset(_CLOSED_NAMES.split())
# What stands behind these heads what stands below.
_TITLED_NAMES = "rubric tab-item tab dropdown details collapse admonition topic sidebar card grid-item-card"
_TITLED = frozenset(_TITLED_NAMES.split())
# The sections of these are sections of the page.
_PARTS_OF_PAGE = frozenset({"only", "ifconfig"})
# Below all sections, as a bold line in Markdown
_LEVEL_OF_TITLE = 7


@dataclass
class Blocks:
    """What stands on which line, as indices of lines.

    Attributes:
        levels: Line and level of each heading, in order.
        code: Lines of code, of any kind.
        ends: Last line of the block that a heading on a line is the title of.
    """

    levels: list[tuple[int, int]] = field(default_factory=list)
    code: set[int] = field(default_factory=set)
    ends: dict[int, int] = field(default_factory=dict)


def read_blocks(texts: Sequence[str], drawn: Sequence[range]) -> Blocks:
    """The headings and the code of a text.

    Args:
        texts: Its lines.
        drawn: Lines that look like drawn tables, which are none of docutils' business here.

    Raises:
        ReadError: `too_large`, for a text nested deeper than any page of results.
    """
    source = [_OTHER_ENDS.sub(" ", text) for text in texts]
    for lines in drawn:
        # A line of words in the place of the table, as it may be code, or the content of a directive.
        indent = len(source[lines[0]]) - len(source[lines[0]].lstrip())
        source[lines.start : lines.stop] = [" " * indent + "table", *("" for _ in lines[1:])]
    for line, text in enumerate(source):
        if text.rstrip().endswith("-+"):
            source[line] = text.replace("+", "|")
        for match in _DIRECTIVE.finditer(text):
            directives.register_directive(match["name"].lower(), _Block)
    settings = frontend.get_default_settings(Parser)
    # Nothing is reported, or read besides the text.
    settings.report_level, settings.halt_level, settings.warning_stream = 5, 6, False
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.line_length_limit = max(map(len, source)) + 1
    document = utils.new_document("", settings)
    try:
        Parser(inliner=_Lines()).parse("\n".join(source), document)
    except RecursionError as error:
        reason = "the text is nested deeper than any page of results; save the part with the tables"
        raise ReadError("too_large", reason) from error
    return _found(document)


def _found(document: nodes.document) -> Blocks:
    blocks = Blocks()
    # A walk without recursion, with the sections and the titled blocks around.
    walk: list[tuple[nodes.Node, int, int]] = [(document, 0, 0)]
    while walk:
        node, depth, titles = walk.pop()
        if isinstance(node, (nodes.literal_block, nodes.doctest_block)):
            # A message of an error repeats what it is about.
            if node.line is not None and not isinstance(node.parent, nodes.system_message):
                blocks.code.update(range(node.line - 1, node.line + node.rawsource.count("\n")))
            continue
        if isinstance(node, nodes.title) and isinstance(node.parent, nodes.section):
            line = node.children[0].line if node.children else None
            if line is not None:
                blocks.levels.append((line - 1, depth))
            continue
        if isinstance(node, _Titled):
            blocks.levels.append((node.title_line, _LEVEL_OF_TITLE + titles))
            blocks.ends[node.title_line] = node.last_line
            titles += 1
        elif isinstance(node, _Code):
            blocks.code.update(node.lines)
        depth += isinstance(node, nodes.section)
        walk += [(child, depth, titles) for child in reversed(node.children)]
    blocks.levels.sort()
    return blocks


class _Lines(states.Inliner):
    """Takes all text as it is, and notes its line: the nodes of docutils do not always."""

    def init_customizations(self, settings: object) -> None:
        """Nothing is looked for."""

    def adjust_uri(self, uri: str) -> str:
        """An address is as it stands."""
        return uri

    def parse(
        self, text: str, lineno: int, memo: object, parent: object
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The text, at its line."""
        node = nodes.inline(text, text)
        node.line = lineno
        return [node], []


class _Titled(nodes.container):
    title_line = last_line = 0


class _Code(nodes.container):
    lines: Sequence[int] = ()


class _Block(Directive):
    """Any directive: its contents, without the words behind its name and its options."""

    has_content = True

    def run(self) -> Sequence[nodes.Node]:
        """The node of the block, with what is nested in it."""
        name = self.name.lower()
        lines = [self.content.offset(number) for number in range(len(self.content))]
        if name in _CLOSED:
            return []
        block: nodes.container = nodes.container()
        # The words behind the name may be on its line, and the options below it.
        begin = 1 if lines and lines[0] == self.lineno - 1 else 0
        if begin and name in _TITLED:
            block = titled = _Titled()
            titled.title_line, titled.last_line = lines[0], lines[-1]
            if name == "rubric":
                # It heads what stands below it, as it holds nothing.
                titled.last_line = sys.maxsize
        while begin < len(lines) and _OPTION.fullmatch(self.content[begin]):
            begin += 1
        if name in _CODE:
            code = _Code()
            code.lines = lines[begin:]
            return [code]
        content, offset = self.content[begin:], self.content_offset + begin
        if name in _PARTS_OF_PAGE:
            self.state.nested_parse(content, offset, match_titles=True)
            return []
        self.state.nested_parse(content, offset, block)
        return [block]
