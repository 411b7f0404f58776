"""Footnotes of a table that name the release of a row, and the marks by which its cells point at them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from pipelines.extract.tables.footnote_marks import RAISED_LETTERS
from pipelines.read.document import Cell, Document
from pipelines.values.versions import STACK, VERSION

_RAISED = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079" + RAISED_LETTERS, "0123456789abcdefghij"
)
# `*`, `\u2020`, `[1]`, `<sup>1</sup>`, `\u00b9`, `(a)`
_SIGN = (
    r"(?:\*{1,3}|[\u2020\u2021\u00a7]{1,3}|\[\^?(?:\d{1,2}|[a-z])\]|<sup>[^<>]{1,8}</sup>|\((?:\d{1,2}|[a-z])\)"
    rf"|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{{1,2}}|[{RAISED_LETTERS}])"
)
_BEHIND = re.compile(rf"\s*\\?(?P<sign>{_SIGN})")
# `\u00b9 Measured with release 24.07.`, `[^1]: SDK 3.2`, `(1) ...`, `* ...`, `1. ...`
_NOTE = re.compile(rf"\s*\\?(?P<sign>{_SIGN}|\d{{1,2}}(?=[.:)]\s))[.:)]?\s*(?P<text>\S.*)")
# `\u2020 SDK 3.2. \u2021 SDK 3.1.`, `1. SDK 3.2. 2. SDK 3.1.`: where the next of several notes in a line begins
_NEXT = re.compile(
    rf"(?<=[.;])\s+(?=(?:{_SIGN}|\d{{1,2}}[.:)])\s*[^\W\d])|\s+(?=[\u2020\u2021\u00a7]{{1,3}}\s*[^\W\d])"
)
# `[1]`, `1` on a line of its own, and the words of the note below
_ALONE = re.compile(rf"^[^\S\n]*(?P<sign>{_SIGN}|\d{{1,2}})[.:)]?[^\S\n]*\n\s*(?=[^\W\d])", re.MULTILINE)
# `ResNet-50 (1)`, `46,466 (a)`: a mark only where a note below has it; else it may be part of a name
_IN_BRACKETS = re.compile(r"(?<=\S)\s*\((?P<sign>\d{1,2}|[a-z])\)$")
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
    for sign, text in _notes(notes):
        releases = {match["release"] for match in _RELEASE.finditer(text)}
        if len(releases) == 1 and not COMPARES.search(text):
            found[sign] = releases.pop()
    return found


def marks_in(notes: str) -> set[str]:
    """The marks of all footnotes, whatever they say."""
    return {sign for sign, _ in _notes(notes)}


def _notes(notes: str) -> Iterator[tuple[str, str]]:
    """Mark and words of each footnote."""
    for line in _ALONE.sub(lambda note: f"{note['sign']}{'.' * note['sign'].isdecimal()} ", notes).split("\n"):
        for part in _NEXT.split(line):
            if note := _NOTE.match(part):
                yield _plain(note["sign"]), note["text"]


def without_marks(row: Sequence[Cell], known: Collection[str]) -> tuple[tuple[Cell, ...], set[str]]:
    """The cells of a row without the marks of known footnotes in round brackets, and these marks."""
    if not known:
        return tuple(row), set()
    cells, found = list(row), set[str]()
    for place, cell in enumerate(row):
        match = _IN_BRACKETS.search(cell.text)
        if match and match["sign"] in known:
            cells[place] = cell.part(0, match.start())
            found.add(match["sign"])
    return tuple(cells), found


def mark_behind(document: Document, cell: Cell) -> str | None:
    """The mark of a footnote that is printed right behind a cell, without brackets, or None."""
    if cell.is_blank:
        return None
    match = _BEHIND.match(document.line(cell.line).text, cell.end)
    return _plain(match["sign"]) if match else None


def _plain(sign: str) -> str:
    return re.sub(r"</?sup>|[\[\]()^]", "", sign).translate(_RAISED)
