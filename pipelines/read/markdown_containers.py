"""The containers of MkDocs in Markdown, admonitions and tabs: their indented contents would be code elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

# `=== "Detection (COCO)"`, `!!! performance`, `??? note "Other sizes"`
_BEGIN = re.compile(
    r' {0,3}(?:===[+!]?[ \t]+"(?P<tab>[^"]+)"|(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+"(?P<title>[^"]*)")?)[ \t]*'
)
# "```python", `~~~`
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<words>[^`]*)")
_INDENT = 4


@dataclass
class Containers:
    """A page whose containers are taken off their contents.

    Attributes:
        texts: The lines as they read without them; as many as before.
        removed: How many blanks at the beginning of each line are gone.
        titles: Index of the line, first character, end and level of each title; the level is 0 for the outermost ones.
        begins: Lines that begin a container.
        ends: Index of the line behind the container that a title on a line belongs to.
    """

    texts: list[str]
    removed: list[int]
    titles: list[tuple[int, int, int, int]] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=dict)


def without_containers(texts: Sequence[str]) -> Containers:
    """The page with the contents of its containers where those of the page stand; code is left as it is."""
    page = Containers(list(texts), [0] * len(texts))
    if not any(text.lstrip()[:3] in ("===", "!!!", "???") for text in texts):
        return page
    # Where the contents of what is open begin, and the line of its title.
    opened: list[tuple[int, int | None]] = []
    fence, last = "", -1
    following = _indents_below(texts)
    for line, text in enumerate(texts):
        if not text.strip():
            continue
        indent = len(text) - len(text.lstrip(" "))
        while opened and indent < opened[-1][0]:
            _, title = opened.pop()
            fence = ""
            if title is not None:
                page.ends[title] = last + 1
        last = line
        base = opened[-1][0] if opened else 0
        page.texts[line], page.removed[line] = text[base:], base
        match = _FENCE.match(text[base:])
        if fence:
            if match and match["mark"].startswith(fence) and not match["words"].strip():
                fence = ""
        elif match:
            fence = match["mark"]
        elif (begin := _BEGIN.fullmatch(text[base:])) and following[line] >= indent + _INDENT:
            name = "tab" if begin["tab"] else "title"
            if begin[name]:
                low, high = begin.span(name)
                depth = sum(title is not None for _, title in opened)
                page.titles.append((line, base + low, base + high, depth))
            page.begins.append(line)
            page.texts[line] = ""
            opened.append((indent + _INDENT, line if begin[name] else None))
    page.ends |= {title: last + 1 for _, title in opened if title is not None}
    return page


def _indents_below(texts: Sequence[str]) -> list[int]:
    """How far the next line with words below each line is indented."""
    found, below = [0] * len(texts), 0
    for line in range(len(texts) - 1, -1, -1):
        found[line] = below
        if texts[line].strip():
            below = len(texts[line]) - len(texts[line].lstrip(" "))
    return found
