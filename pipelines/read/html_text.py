"""The text of an HTML element in one line, without invisible parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from pipelines.read.split_numbers import BOUNDARY, TYPOGRAPHIC, settled

_LEFT_OUT = (
    "audio button canvas datalist del embed head iframe input map math nav noscript object option s script select "
    "strike style svg template textarea video"
)
LEFT_OUT = frozenset(_LEFT_OUT.split())
# Parts of a cell or a table whose words are separated.
PARTS = frozenset({"p", "div", "li", "td", "th", "tr", "caption"})
# `<div role="navigation">`; `<a class="headerlink">`; text for screen readers, which repeats what
# is seen
_ROLES = frozenset({"navigation", "search", "menu", "menubar", "tablist"})
_CLASSES = re.compile(
    r"(?<![\w-])(?:headerlink|sr-only|visually-hidden|screen-reader-text|breadcrumbs?)(?![\w-])"
)
# `style="display:none"`, `style="color: red; visibility: hidden"`
_UNSEEN = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE
)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
# `<sup>1</sup>`, `<sup>[2]</sup>`, `<sup>(3, 4)</sup>`: the mark of a footnote, or an exponent
_RAISED = re.compile(r"[\[(]?\s*(-?\d+(?:\s*,\s*\d+)*)\s*[\])]?")
# `<sup>a</sup>`, another mark of a footnote; later letters are rather exponents, or `<sup>th</sup>`
_LETTERS = dict(
    zip("abcdefghij", "\u1d43\u1d47\u1d9c\u1d48\u1d49\u1da0\u1d4d\u02b0\u2071\u02b2", strict=True)
)
_DIGITS = str.maketrans(
    "0123456789-", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b", " "
)


def is_left_out(element: etree._Element) -> bool:
    """True for scripts, styles, menus, controls, struck-out text and what only screen readers read."""
    tag = element.tag
    if not isinstance(tag, str) or tag in LEFT_OUT:
        return True
    if not element.keys():
        return False
    return element.get("role") in _ROLES or _CLASSES.search(element.get("class") or "") is not None


def is_hidden(element: etree._Element) -> bool:
    """True for an element that is hidden by its own attributes, such as sort keys in table cells.

    A whole block may say so, too, and be one of several that a reader leafs through.
    """
    if not element.keys():
        return False
    style = element.get("style")
    return element.get("hidden") is not None or (
        style is not None and _UNSEEN.search(style) is not None
    )


def boundary_of(element: etree._Element) -> str:
    """The mark where an inline element begins or ends."""
    return "" if element.tag in TYPOGRAPHIC and not element.keys() else BOUNDARY


def text_of(element: etree._Element) -> str:
    """The text of an element in one line, raised digits as such (`40\u00b9`)."""
    return one_line(source_of(element))


def source_of(element: etree._Element, *, keeps_lines: bool = False) -> str:
    """The text of an element with the white space of the file, and with its own line breaks on
    demand.
    """
    has_parts = len(element) or element.tag == "sup"
    return "".join(_pieces(element, keeps_lines)) if has_parts else element.text or ""


def one_line(text: str) -> str:
    """Text with one blank for each run of white space; a no-break space is kept."""
    if not text.isprintable() or "  " in text:
        text = _BLANKS.sub(" ", settled(text))
    return text.strip(" ")


def _pieces(element: etree._Element, keeps_lines: bool) -> Iterator[str]:
    """The pieces of text in an element. Without recursion, because elements may be nested deeply."""
    between = "" if keeps_lines else " "
    raised: etree._Element | None = None
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, part in walk:
        is_end, is_whole = event == "end", part is element
        text = part.text
        if is_end:
            raised = None if part is raised else raised
            text = None if is_whole else part.tail
        elif not is_whole and (is_left_out(part) or is_hidden(part)):
            walk.skip_subtree()
            text = None
        elif part.tag == "sup" and raised is None:
            raised = part
        if not is_whole:
            # Two blocks in a cell are separate words.
            yield between if is_end and part.tag in PARTS else boundary_of(part)
        if part.tag == "br" and not is_end:
            yield "\n" if keeps_lines else " "
        if text:
            yield superscript(text) if raised is not None else text


def superscript(text: str) -> str:
    """Digits, a letter or a list of digits as raised characters, `[1]` too; any other text as it
    is.
    """
    sign = text.strip()
    if len(sign) == 1 and sign in _LETTERS:
        return _LETTERS[sign]
    match = _RAISED.fullmatch(sign)
    return match[1].replace(" ", "").replace("-", "\u207b").translate(_DIGITS) if match else text
