"""What a reader sees of a piece of Markdown: a cell or a heading without its markup. Blocks belong in `markdown`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pipelines.read.html_text import LEFT_OUT, superscript
from pipelines.read.markup import in_place

# Text without any of these is what it says.
_MARKS = re.compile(r"[\\`*_\[\]<>&!~]")
# Longer ones are no cells of results, and markup that is never closed is slow to read.
_MAX_LENGTH = 1_000
# `40,112[^1]`; `Qwen\u5343\u95ee**\uff08Int4\uff09**`
_MARK = re.compile(r"\[\^(?P<note>\d{1,2})\]|\*\*(?P<bold>[^*]{1,80})\*\*(?!\*)")
# `<br/>`, `</sup>`, `<a href="#notes">`
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w-]*)")
# Left out, and without an end.
_VOID = frozenset({"embed", "input"})
# Words of two of them are two words.
_PARTS = frozenset({"br", "p", "div", "li", "ul", "ol", "td", "th", "tr"})


class Inline:
    """Texts as a reader sees them, each as long as its source; what a table repeats is read once."""

    def __init__(self, references: Mapping[str, str]) -> None:
        """`references` are the addresses that links may name: `[Llama][1]`, `[1]: https://...`."""
        self._parser = MarkdownIt("commonmark").enable("strikethrough").disable("text_join")
        normalized = {name: {"href": address, "title": ""} for name, address in references.items()}
        self._environment: dict[str, Any] = {"references": normalized}
        self._known: dict[str, str] = {}

    def shown(self, source: str) -> str:
        """The source with blanks in the place of markup and of pictures, where it is printed; as long as before."""
        if len(source) > _MAX_LENGTH or not _MARKS.search(source):
            return source
        text = self._known.get(source)
        if text is None:
            self._known[source] = text = self._read(source)
        return text

    def _read(self, source: str) -> str:
        # Bars are escaped for the table, before anything else is.
        [block] = self._parser.parseInline(source.replace("\\|", "|"), self._environment)
        return in_place(source, _pieces(block.children or []))


def _pieces(tokens: list[Token]) -> list[tuple[str, str]]:
    """The pieces of text that are seen, each as it is printed and as it is read."""
    pieces: list[tuple[str, str]] = []
    left_out = 0
    is_raised = False
    # One that is never closed is a matter of its size alone: `acc<br><sup>top5`.
    raises = any(token.type == "html_inline" and token.content.lower().startswith("</sup") for token in tokens)
    for token in tokens:
        if token.type in ("s_open", "s_close"):
            left_out += 1 if token.type == "s_open" else -1
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
    return pieces


def _words(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of plain text around marks of footnotes and marks of bold words that Markdown does not take for such.

    Beside characters of Chinese, Japanese and Korean `**` often is none.
    """
    position = 0
    for match in _MARK.finditer(text):
        yield text[position : match.start()], text[position : match.start()]
        if match["note"]:
            yield match[0], superscript(match["note"])
        else:
            yield from (("**", ""), (match["bold"], match["bold"]), ("**", ""))
        position = match.end()
    yield text[position:], text[position:]
