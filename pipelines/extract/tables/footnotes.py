"""Footnotes of a table: units that they give for a dataset or a model, and releases that they name for marked rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pipelines.extract.scope import Stated
from pipelines.extract.tables.values import Unit, read_unit
from pipelines.read.document import Cell, Document
from pipelines.values.versions import STACK, VERSION
from pipelines.vocabulary.lookup import find

# `tokens/s/GPU`, `k images/sec`, `thousands of samples/s`, `million tokens per second`
_UNIT = (
    r"(?P<unit>(?:(?:[kMG]|thousands?(?: of)?|millions?(?: of)?|billions?(?: of)?) )?"
    r"[A-Za-z]+(?: ?/ ?[A-Za-z]+)+|(?:(?:thousands?|millions?|billions?)(?: of)? )?[A-Za-z]+(?: per [A-Za-z]+)+)"
)
_MEASURED = r"throughput\s(?:is\s|was\s)?(?:measured|given|reported|shown|stated)\sin\s"
# `PQM4Mv2 throughput measured in graphs/s`
_UNIT_NOTE = re.compile(rf"(?P<name>[\w+.-]{{0,40}}[\w+-](?: [\w+.-]{{1,40}})?)\s{_MEASURED}{_UNIT}", re.IGNORECASE)
# `All throughput is measured in k images/sec`: words that name nothing
_EVERY = frozenset(["all", "the", "training", "inference", "reported", "and", "note", "that"])
# `Throughput is measured in k images/sec`
_TABLE_NOTE = re.compile(rf"(?:^|[.;:*\n])\s?(?:(?:{'|'.join(sorted(_EVERY))})\s)*{_MEASURED}{_UNIT}", re.IGNORECASE)
_RAISED_LETTERS = "\u1d43\u1d47\u1d9c\u1d48\u1d49\u1da0\u1d4d\u02b0\u2071\u02b2"
_RAISED = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079" + _RAISED_LETTERS, "0123456789abcdefghij"
)
# `*`, `\u2020`, `[1]`, `<sup>1</sup>`, `\u00b9`, `(a)`
_SIGN = (
    r"(?:\*{1,3}|[\u2020\u2021\u00a7]{1,3}|\[\^?(?:\d{1,2}|[a-z])\]|<sup>[^<>]{1,8}</sup>|\((?:\d{1,2}|[a-z])\)"
    rf"|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{{1,2}}|[{_RAISED_LETTERS}])"
)
_BEHIND = re.compile(rf"\s?\\?(?P<sign>{_SIGN})")
# A mark at the end of a cell: `46,466 [1]`, `ResNet-50*`
_MARKED = re.compile(
    rf"(?<=\S)\s?\\?(?P<sign>\*{{1,3}}|[\u2020\u2021\u00a7]{{1,3}}|\[\^?(?:\d{{1,2}}|[a-z])\]|<sup>[^<>]{{1,8}}</sup>|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{{1,2}}|[{_RAISED_LETTERS}])$"
)
_IN_BRACKETS = re.compile(r"(?<=\S)\s?\((?P<sign>\d{1,2}|[a-z])\)$")
# `\u00b9 Measured with release 24.07.`, `[^1]: SDK 3.2`, `(1) ...`, `* ...`, `1. ...`
_NOTE = re.compile(rf"\s?\\?(?P<sign>{_SIGN}|\d{{1,2}}(?=[.:)]\s))[.:)]?\s?(?P<text>\S.*)")
# `\u2020 SDK 3.2. \u2021 SDK 3.1.`, `1. SDK 3.2. 2. SDK 3.1.`: where the next of several notes in a line begins
_NEXT = re.compile(rf"(?<=[.;])\s(?=(?:{_SIGN}|\d{{1,2}}[.:)])\s?[^\W\d])|\s(?=[\u2020\u2021\u00a7]{{1,3}}\s?[^\W\d])")
# `release 24.07`, `SDK 3.2.0`, `Neuron 2.20.1`, `software version v1.18.0`
_RELEASE = re.compile(
    rf"\b(?:SDK|release|version|software|container|{STACK}|driver)\s(?:(?:SDK|release|version)\s)?v?(?P<release>{VERSION})",
    re.IGNORECASE,
)
# A note that compares two releases says of neither that the row was measured with it.
_COMPARES = re.compile(r"\b(?:than|compared|versus|vs|over|since|before|baseline)\b", re.IGNORECASE)


def units_in(notes: Sequence[Cell]) -> dict[str, Unit | None]:
    """The unit of each dataset and model that a footnote names, None for one that is no unit; under `""` that of
    all.
    """
    text = "\n".join(note.text for note in notes)
    found: dict[str, Unit | None] = {}
    for match in _UNIT_NOTE.finditer(text):
        if (name := _named(match["name"])) is not None:
            found[name] = read_unit(match["unit"], "items/s")
    of_table = {unit for match in _TABLE_NOTE.finditer(text) if (unit := read_unit(match["unit"], "items/s"))}
    if len(of_table) == 1:
        found[""] = of_table.pop()
    return found


def unmatched_names(notes: Sequence[Cell]) -> list[str]:
    """Names in unit footnotes that neither the datasets nor the models know."""
    return [
        match["name"]
        for note in notes
        for match in _UNIT_NOTE.finditer(note.text)
        if not set(match["name"].casefold().split()) <= _EVERY and _named(match["name"]) is None
    ]


def _named(printed: str) -> str | None:
    # The word before a name (`and Wikipedia`) may be none of it.
    for text in (printed, printed.split()[-1]):
        if entry := find("datasets", text) or find("models", text):
            return entry.name
    return None


def releases_in(notes: Sequence[Cell]) -> dict[str, Stated | None]:
    """The release that each footnote names, by its mark; None for a note that names none, several or compares."""
    found: dict[str, Stated | None] = {}
    for sign, cell in _notes(notes):
        releases = {match["release"]: match for match in _RELEASE.finditer(cell.text)}
        release = next(iter(releases.values())) if len(releases) == 1 and not _COMPARES.search(cell.text) else None
        found[sign] = (
            Stated("sdk_version", release["release"], cell.matched(release, "release"), "row") if release else None
        )
    return found


def _notes(notes: Sequence[Cell]) -> Iterator[tuple[str, Cell]]:
    held: str | None = None
    for line in notes:
        start = 0
        for end in [*(match.start() for match in _NEXT.finditer(line.text)), len(line.text)]:
            part = line.part(start, end).stripped()
            start = end
            if note := _NOTE.match(part.text):
                yield _plain(note["sign"]), part.matched(note, "text")
            elif held and part.text:
                yield held, part
            # `[1]`, `1` on a line of its own, and the words of the note below
            held = _plain(part.text.rstrip(".:)")) if re.fullmatch(rf"{_SIGN}|\d{{1,2}}[.:)]?", part.text) else None


def marks_of(document: Document, cells: Sequence[Cell], known: Mapping[str, Stated | None]) -> set[str]:
    """The marks of footnotes in and right behind the cells of a row."""
    found = set()
    for cell in cells:
        if not cell.text:
            continue
        text = document.line(cell.line).text
        if match := _BEHIND.match(text, cell.end):
            found.add(_plain(match["sign"]))
        if match := _MARKED.search(cell.text):
            found.add(_plain(match["sign"]))
        if (match := _IN_BRACKETS.search(cell.text)) and match["sign"] in known:
            found.add(match["sign"])
    return found


def unmarked(text: str, known: Mapping[str, Stated | None]) -> str:
    """A cell's text without the mark of a footnote at its end."""
    if match := _MARKED.search(text):
        return text[: match.start()].rstrip()
    match = _IN_BRACKETS.search(text)
    return text[: match.start()].rstrip() if match and match["sign"] in known else text


def _plain(sign: str) -> str:
    return re.sub(r"</?sup>|[\[\]()^]", "", sign).translate(_RAISED)
