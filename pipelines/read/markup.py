"""What Markdown and reStructuredText have in common: how a text is known to be one of them without its name saying so,
what a reader sees of marked-up words, written where they are printed, and how far a heading reaches.

Reading either belongs in `markdown` and `restructured_text`, which are imported for such texts alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from pipelines.read.document import Document, Grid

# `|---|:--:|`, `--- | ---`
_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-+:?\s*+(?:\|\s*+:?-+:?\s*+)+(?:\|\s*+)?")
# A bar between cells, not `\|`
_BAR = re.compile(r"(?<!\\)\|")
# `.. csv-table:: Throughput`
_TABLE_DIRECTIVE = re.compile(r"\s*\.\.\s+(?:csv-table|list-table)::.*")

# `+-----+----+`, `=====  ====`
_DRAWN = re.compile(r"\s*(?:\+-[-+]+-\+|=+(?: +=+)+)\s*")


def is_markdown(document: Document) -> bool:
    """True for a text with a table of Markdown that has no pipes at the ends of its rows, which nothing else reads."""
    return any(
        "|" in text and not text.lstrip().startswith("|") and _RULE.fullmatch(below) and _width(text) == _width(below)
        for text, below in pairwise(document.texts)
    )


def _width(text: str) -> int:
    """How many cells the bars of a row part."""
    return len(_BAR.findall(text.strip().strip("|"))) + 1


def is_restructured_text(document: Document) -> bool:
    """True for a text with a table of reStructuredText, as nothing else prints one."""
    texts = document.texts
    if any(".." in text and _TABLE_DIRECTIVE.fullmatch(text) for text in texts):
        return True
    if not any(text.lstrip()[:2] in ("+-", "==") and _DRAWN.fullmatch(text) for text in texts):
        return False
    # Imported here: hardly any text has such a line.
    from pipelines.read.restructured_drawn import drawn_lines, read_drawn

    return any(read_drawn(texts, lines) for lines in drawn_lines(texts))


def in_place(source: str, pieces: Sequence[tuple[str, str]]) -> str:
    """The source with blanks in the place of its markup, as long as before.

    Where blanks would tear a word (`23h&nbsp;43m`) the text stands together, and the blanks behind it.

    Args:
        source: The text as it is printed.
        pieces: What is seen of it, in order: each piece as it is printed and as it is read.
    """
    words = _words("".join(seen for _, seen in pieces))
    blanked, first = _blanked(source, pieces)
    if blanked is not None and _words(blanked) == words:
        return blanked
    text = " ".join(words)
    if len(text) > len(source):
        return source
    return (" " * min(first, len(source) - len(text)) + text).ljust(len(source))


def _words(text: str) -> list[str]:
    # A no-break space holds words together.
    return [word for word in text.split(" ") if word]


def _blanked(source: str, pieces: Sequence[tuple[str, str]]) -> tuple[str | None, int]:
    """The pieces where they are printed with blanks between them, or None; and where the first one stands."""
    parts, position, first = list[str](), 0, -1
    for printed, seen in pieces:
        at = source.find(printed, position)
        if at < 0:
            return None, max(first, 0)
        if seen.strip() and first < 0:
            first = at + len(seen) - len(seen.lstrip())
        if printed:
            # Of `\\-` the sign stands at the end.
            written = seen.rjust(len(printed)) if printed.startswith("\\") else seen.ljust(len(printed))
            parts.append(" " * (at - position) + written)
            position = at + len(printed)
    return "".join(parts).ljust(len(source)), max(first, 0)


def with_ends(
    levels: Iterable[tuple[int, int]], ends: Mapping[int, int], grids: Collection[Grid], texts: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    """The levels of headings, and of the blank lines that end the parts of some.

    A heading reaches to the next one. Where a table stands behind the block that a heading is the title of, as behind
    `</details>` or the last tab, the end of the block is in the place of another one; without a blank line there the
    heading is none: a table below no heading is better than below a wrong one.

    Args:
        levels: Line, from 1, and level of each heading.
        ends: Line behind the block, or the last of it, that a heading on a line is the title of.
        grids: The tables.
        texts: The lines.
    """
    kept: list[tuple[int, int]] = []
    tables = sorted(grid.first_line for grid in grids)
    # Of two headings on one line the higher one counts.
    headings = sorted(dict(sorted(levels, reverse=True)).items())
    for heading, (below, _) in pairwise([*headings, (len(texts) + 1, 0)]):
        kept.append(heading)
        for table in tables[bisect_right(tables, heading[0]) : bisect_right(tables, below)]:
            first = len(kept)
            while first and ends.get(kept[first - 1][0], table) < table:
                first -= 1
            if first < len(kept):
                end = max(ends[line] for line, _ in kept[first:])
                level = min(level for _, level in kept[first:])
                kept[first:] = [*kept[first:], (end, level)] if not texts[end - 1].strip() else []
    return tuple(kept)
