"""A page of HTML for damage: what a reader sees is damaged line by line, and written again with the tags around it.

How a document is damaged stands in `damages.py`.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from damages import Variant

from pipelines.read.document import Cell, Document, Grid


@dataclass(frozen=True)
class Tags:
    """What stands around one line.

    Attributes:
        before: Tags of the table and of the row that begin here; they stay where the line is lost.
        opening: The tag of the cell or of the paragraph.
        closing: The end of it.
        behind: Ends of the row and of the table.
    """

    before: str = ""
    opening: str = "<p>"
    closing: str = "</p>"
    behind: str = ""

    @property
    def is_cell(self) -> bool:
        return self.opening.startswith("<td")


def tags_of(document: Document) -> dict[int, Tags]:
    """The tags around each line of a page that was read."""
    found = {}
    for above, line in pairwise((None, *document.lines)):
        # Lines without an empty one between them are parted by a break.
        is_broken = above is not None and line is not None and above.text and line.text
        found[line.number] = Tags("<br>" if is_broken else "", *(("", "") if is_broken else ("<p>", "</p>")))
    for grid in document.grids:
        found |= dict(_tags_of_table(grid))
    return found


def _tags_of_table(grid: Grid) -> Iterator[tuple[int, Tags]]:
    if grid.caption:
        yield grid.caption.line, Tags("<table>", "<caption>", "</caption>")
    seen: set[Cell] = set()
    for number, row in enumerate(grid.rows):
        own = list(dict.fromkeys(cell for cell in row if cell not in seen))
        seen |= set(own)
        for place, cell in enumerate(own):
            spans = sum(cell in other for other in grid.rows), row.count(cell)
            before = "<tr>" if place == 0 else ""
            if number == place == 0 and not grid.caption:
                before = f"<table>{before}"
            behind = "</tr>" if place == len(own) - 1 else ""
            if behind and number == len(grid.rows) - 1:
                behind += "</table>"
            yield cell.line, Tags(before, '<td rowspan="{}" colspan="{}">'.format(*spans), "</td>", behind)


def written(variant: Variant, tags: Mapping[int, Tags]) -> bytes:
    """The page of a variant whose content is what a reader sees."""
    try:
        text, encoding = variant.content.decode(), "utf-8"
    except UnicodeDecodeError:
        text, encoding = variant.content.decode("latin-1"), "latin-1"
    lines = _lines(text)
    # In a page of as many lines each stands where it stood, though the texts of two be swapped.
    is_whole = len(lines) == len(tags) and not variant.removed
    parts = ["<!doctype html><html><body>"]
    last, is_in_table = 0, False
    for number, (line, origins) in enumerate(zip(lines, variant.origins, strict=False), start=1):
        first, end = (number, number) if is_whole else (origins[0][1], origins[-1][1]) if origins else (0, 0)
        own = tags.get(first, Tags("", "<td>", "</td>") if is_in_table else Tags())
        if end != first:
            own = replace(own, closing=tags[end].closing, behind=tags[end].behind)
        if first:
            lost = set(range(last + 1, first)) & variant.removed
            parts += [tags[gone].before + tags[gone].behind for gone in sorted(lost)]
            last = end
        is_in_table = own.is_cell and "</table>" not in own.behind
        inner = html.escape(line)
        if first in variant.removed and not line.strip():
            # Cut off before its first character.
            own = replace(own, opening="", closing="")
        shown = f"{own.opening}{inner}{own.closing}" if own.is_cell or line.strip(" ") else inner
        parts.append(f"{own.before}{shown}{own.behind}\n")
    return "".join(parts).encode(encoding)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def as_read(variant: Variant, document: Document) -> Variant:
    """The variant with the numbers of the lines that its page is read as: a page has empty lines of its own."""
    lines = _lines(variant.content.decode(errors="replace"))
    seen = [number for number, line in enumerate(lines, start=1) if line.strip(" \t")]
    number_read: dict[int, int] = {}
    for line in document.lines:
        if line.text and seen and _is_same(line.text, lines[seen[0] - 1]):
            number_read[seen.pop(0)] = line.number
    added = {line.number for line in document.lines if line.text} - set(number_read.values())
    origins: list[tuple[tuple[int, int], ...]] = [()] * len(document.lines)
    for number, read in number_read.items():
        origins[read - 1] = variant.origins[number - 1]
    changed = {number_read[number] for number in variant.changed if number in number_read}
    return replace(variant, origins=tuple(origins), changed=frozenset(changed | added))


def _is_same(read: str, written: str) -> bool:
    return read.split() == written.split()
