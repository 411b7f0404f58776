"""The text of an HTML element in one line, without invisible parts."""

from __future__ import annotations

import re
from collections.abc import Collection

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
# `<sup>1</sup>`, `<sup>[2]</sup>`, `<sup>(3, 4)</sup>`, `<sup>a</sup>`: the mark of a footnote, or an
# exponent; later letters are rather exponents, or `<sup>th</sup>`
_RAISED = re.compile(r"[a-j]|[\[(]?\s*-?\d+(?:\s*,\s*\d+)*\s*[\])]?")
_SIGNS = str.maketrans(
    "0123456789-abcdefghij",
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b"
    "\u1d43\u1d47\u1d9c\u1d48\u1d49\u1da0\u1d4d\u02b0\u2071\u02b2",
    "[]() ",
)


def is_hidden(element: etree._Element) -> bool:
    """True for an element that is hidden by its own attributes, such as sort keys in table cells."""
    return "hidden" in element.attrib or bool(_UNSEEN.search(element.get("style", "")))


def strip_hidden(root: etree._Element, shown: Collection[str] = ()) -> None:
    """Take scripts, styles, menus, controls, struck-out text, what only screen readers read and
    hidden elements out of a tree; hidden elements of the tags `shown` stay.
    """
    for element in root.iterdescendants():
        is_unread = element.get("role") in _ROLES or _CLASSES.search(element.get("class", ""))
        if is_unread or (element.tag not in shown and is_hidden(element)):
            element.tag = "script"
    etree.strip_elements(root, *LEFT_OUT, with_tail=False)


def mark_up(root: etree._Element) -> None:
    """Write into the text of a tree what its elements show: boundaries, breaks, raised digits
    (`40\u00b9`).
    """
    for raised in root.iter("sup"):
        raised.text = superscript(raised.text or "")
        for element in raised.iterdescendants():
            element.text = superscript(element.text or "")
            element.tail = superscript(element.tail or "")
    for element in root.iterdescendants():
        is_plain = element.tag in TYPOGRAPHIC and not element.keys()
        boundary = "" if is_plain else BOUNDARY
        # Two blocks in a cell are separate words.
        after = " " if element.tag in PARTS else boundary
        element.text = f"{boundary}{element.text or ''}" if element.tag != "br" else "\n"
        element.tail = f"{after}{element.tail or ''}"


def text_of(element: etree._Element) -> str:
    """The text of an element in one line."""
    return one_line(str(element.xpath("string()")))


def one_line(text: str) -> str:
    """Text with one blank for each run of white space; a no-break space is kept."""
    if not text.isprintable() or "  " in text:
        text = _BLANKS.sub(" ", settled(text))
    return text.strip(" ")


def superscript(text: str) -> str:
    """Digits, a letter or a list of digits as raised characters, `[1]` too; any other text as it
    is.
    """
    sign = text.strip()
    return sign.translate(_SIGNS) if _RAISED.fullmatch(sign) else text
