"""Footnotes of a table that name the release of a row, and the marks by which its cells point at them."""

from __future__ import annotations

import re

from pipelines.read.document import Cell, Document
from pipelines.values.versions import STACK, VERSION

_RAISED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
# `*`, `\u2020`, `[1]`, `<sup>1</sup>`, `\u00b9`
_SIGN = (
    r"(?:\*{1,3}|[\u2020\u2021\u00a7]{1,3}|\[\^?(?:\d{1,2}|[a-z])\]|<sup>[^<>]{1,8}</sup>|\(\d{1,2}\)"
    r"|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,2})"
)
_BEHIND = re.compile(rf"\s*\\?(?P<sign>{_SIGN})")
# `\u00b9 Measured with release 24.07.`, `[^1]: SDK 3.2`, `(1) ...`, `* ...`, `1. ...`
_NOTE = re.compile(rf"\s*\\?(?P<sign>{_SIGN}|\d{{1,2}}(?=[.:)]\s))[.:)]?\s*(?P<text>\S.*)")
# `release 24.07`, `SDK 3.2.0`, `Neuron 2.20.1`, `software version v1.18.0`
_RELEASE = re.compile(
    rf"\b(?:SDK|release|version|software|container|{STACK}|driver)\s+(?:(?:SDK|release|version)\s+)?v?(?P<release>{VERSION})",
    re.IGNORECASE,
)
# A note that compares two releases says of neither that the row was measured with it.
COMPARES = re.compile(r"\b(?:than|compared|versus|vs|over|since|before|baseline)\b", re.IGNORECASE)


def releases_in(notes: str) -> dict[str, str]:
    """The release that each footnote names, by its mark; a note with several releases or a comparison names none."""
    found = {}
    for line in notes.split("\n"):
        note = _NOTE.match(line)
        releases = {match["release"] for match in _RELEASE.finditer(note["text"])} if note else set()
        if note and len(releases) == 1 and not COMPARES.search(note["text"]):
            found[_plain(note["sign"])] = releases.pop()
    return found


def marks_in(notes: str) -> set[str]:
    """The marks of all footnotes, whatever they say."""
    return {_plain(note["sign"]) for line in notes.split("\n") if (note := _NOTE.match(line))}


def mark_behind(document: Document, cell: Cell) -> str | None:
    """The mark of a footnote that is printed right behind a cell, without brackets, or None."""
    if cell.is_blank:
        return None
    match = _BEHIND.match(document.line(cell.line).text, cell.end)
    return _plain(match["sign"]) if match else None


def _plain(sign: str) -> str:
    return re.sub(r"</?sup>|[\[\]()^]", "", sign).translate(_RAISED)
