"""What a reader sees of a cell or a heading of reStructuredText, without its markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from docutils import frontend, nodes, utils
from docutils.languages import get_language
from docutils.parsers.rst import Parser, roles, states

from pipelines.read.html_text import superscript
from pipelines.read.markup import in_place

# Text without any of these is what it says.
_MARKS = re.compile(r"[\\`*|]|_(?!\w)|\.\. ")
# Longer ones are no cells of results, and markup that is never closed is slow to read.
_MAX_LENGTH = 500
# `:doc:`, `:py:class:`
_ROLE = re.compile(r":(?P<name>[\w.+-]+(?::[\w.+-]+){0,3}):`")
# `PyTorch <../compatibility/pytorch>`
_WITH_TARGET = re.compile(r"(?P<text>[^<]*\S)\s*<[^<>]*>")
# `.. _commlibs-support:`: a target, alone in its cell
_TARGET = re.compile(r"\.\. _[^:]+:")
# `.. [1] Measured ...`, `.. [#mi300x] Only on ...`
_NOTE = re.compile(r"(?P<mark>\s*\.\.\s+\[(?P<label>\d{1,2}|#[\w.+-]*)\])(?:\s|$)")
# `.. |MI300X| replace:: AMD Instinct MI300X`, `.. |br| raw:: html`
_SUBSTITUTION = re.compile(r"\s*\.\.\s+\|(?P<name>[^|]+)\|\s+(?P<kind>\w+)::(?P<text>.*)")


class Inline:
    """Texts as a reader sees them, each as long as its source; what a table repeats is read once."""

    def __init__(self, texts: Sequence[str], code: set[int]) -> None:
        """`texts` are the lines of the page, which define its footnotes and substitutions; `code` those that do not."""
        settings = frontend.get_default_settings(Parser)
        settings.report_level, settings.halt_level, settings.warning_stream = 5, 6, False
        self._document = utils.new_document("", settings)
        self._inliner = states.Inliner()
        self._inliner.init_customizations(settings)
        language = get_language("en", self._document.reporter)
        self._memo: Any = SimpleNamespace(document=self._document, reporter=self._document.reporter, language=language)
        self._known: dict[str, str] = {}
        self._substitutions: dict[str, str] = {}
        self.notes: dict[int, tuple[int, str]] = {}
        labels: dict[str, str] = {}
        for line, text in enumerate(texts):
            if ".." not in text or line in code:
                continue
            if match := _SUBSTITUTION.fullmatch(text):
                if match["kind"] in ("replace", "raw"):
                    self._substitutions[match["name"]] = match["text"].strip() if match["kind"] == "replace" else " "
            elif match := _NOTE.match(text):
                number = match["label"]
                if number.startswith("#"):
                    number = str(len(labels) + 1)
                labels[match["label"]] = number
                self.notes[line] = match.end("mark"), number
        self._labels: Mapping[str, str] = labels

    def shown(self, source: str) -> str:
        """The source with blanks in the place of markup, where it is printed; as long as before."""
        if len(source) > _MAX_LENGTH or not _MARKS.search(source):
            return source
        text = self._known.get(source)
        if text is None:
            self._known[source] = text = self._read(source)
        return text

    def _read(self, source: str) -> str:
        if _TARGET.fullmatch(source) or source == "\\":
            return " " * len(source)
        for match in _ROLE.finditer(source):
            roles.register_local_role(match["name"].lower(), _role)
        parsed, _ = self._inliner.parse(source, 1, self._memo, self._document)
        return in_place(source, list(self._pieces(parsed)))

    def _pieces(self, parsed: Sequence[nodes.Node]) -> Iterator[tuple[str, str]]:
        for node in parsed:
            if isinstance(node, nodes.footnote_reference):
                label = f"#{node.get('refname', '')}" if node.get("auto") else node.astext()
                number = self._labels.get(label, "")
                yield f"[{label}]", superscript(number) if number else f"[{label}]"
            elif isinstance(node, nodes.substitution_reference):
                # A reader sees a picture as a sign.
                name = node.astext()
                yield (name, self._substitutions[name]) if name in self._substitutions else (f"|{name}|",) * 2
            elif isinstance(node, nodes.superscript):
                yield node.astext(), superscript(node.astext())
            elif isinstance(node, nodes.Text):
                yield from _without_escapes(str(node))
            elif not isinstance(node, nodes.target):
                yield from self._pieces(node.children)


def _without_escapes(text: str) -> Iterator[tuple[str, str]]:
    """The text by its parts around escaped characters; an escaped blank is none."""
    first, *others = text.split("\x00")
    yield first, first
    for other in others:
        yield f"\\{other[:1]}", other[:1].strip()
        yield other[1:], other[1:]


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
    shown = match["text"] if match else text
    node: nodes.Element = nodes.superscript() if role in ("sup", "superscript") else nodes.inline()
    node += nodes.Text(shown)
    return [node], []  # type: ignore[list-item]
