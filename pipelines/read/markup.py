"""What Markdown and reStructuredText have in common: how a text is known to be one of them without
its name saying so, and what a reader sees of marked-up words, written where they are printed.

Reading either belongs in `markdown` and `restructured_text`, which are imported for such texts
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from pipelines.read.document import Document
from pipelines.read.split_numbers import BOUNDARY, masked

# Text of a line as it is printed, and as it is read.
Piece = tuple[str, str]
# A bar between cells, not `\|`
_BAR = re.compile(r"(?<!\\)\|")
# `|---|:--:|`, `--- | ---`
_RULE_SIGNS = frozenset("|:- \t")
# Signs of markup, those of a number, and the longest sentence that prose is read in: unclosed
# markup is slow to parse
_OPENING = frozenset("\\`*_[<&~|!")
_IN_NUMBER = frozenset("0123456789.,:")
_MAX_SENTENCE = 2_000
# `.. csv-table:: Throughput`
_TABLE_DIRECTIVE = re.compile(r"\s*\.\.\s+(?:csv-table|list-table)::.*")


def is_markdown(document: Document) -> bool:
    """True for a text with a Markdown table without bars at the ends of its rows, which no other
    reader takes.
    """
    for text, below in pairwise(document.texts):
        if (
            "|" in text
            and "|" in below
            and text.lstrip()[0] != "|"
            and _RULE_SIGNS.issuperset(below)
        ):
            rules = [below[low:high] for low, high in cells_between_bars(below)]
            if len(rules) == len(cells_between_bars(text)) and all("-" in rule for rule in rules):
                return True
    return False


def is_restructured_text(document: Document) -> bool:
    """True for a text with a table of reStructuredText."""
    texts = document.texts
    if any(".." in text and _TABLE_DIRECTIVE.fullmatch(text) for text in texts):
        return True
    if not any(text.lstrip()[:2] in ("+-", "==") for text in texts):
        return False
    # Imported here: rarely needed.
    from pipelines.read.restructured_tables import drawn_lines, read_drawn

    return any(read_drawn(texts, lines) for lines in drawn_lines(texts))


def cells_between_bars(text: str, start: int = 0) -> list[tuple[int, int]]:
    """The start and end of the cells of a row, with blanks, without bars at its ends."""
    bars = [match.start() for match in _BAR.finditer(text, start)]
    edges = [start - 1, *bars, len(text)]
    if bars and not text[start : bars[0]].strip():
        edges = edges[1:]
    if bars and not text[bars[-1] + 1 :].strip():
        edges = edges[:-1]
    return [(low + 1, high) for low, high in pairwise(edges)]


def in_place(source: str, pieces: Sequence[Piece]) -> str:
    """The source with blanks in the place of its markup, as long as before.

    Where blanks would part a word (`23h&nbsp;43m`) the words follow each other, and the blanks are
    behind them.

    Args:
        source: The text as it is printed.
        pieces: What is seen of it, in order.
    """
    pieces = _settled(pieces)
    words = _words(seen for _, seen in pieces)
    written, first = "", -1
    for printed, seen in pieces:
        at = source.find(printed, len(written))
        if at < 0:
            written = ""
            break
        if seen.strip() and first < 0:
            first = at + len(seen) - len(seen.lstrip())
        if printed:
            # Of `\\-` the sign is at the end.
            seen = seen.rjust(len(printed)) if printed[0] == "\\" else seen.ljust(len(printed))
            written = written.ljust(at) + seen
    if _words([written]) != words:
        text = " ".join(words)
        written = " " * min(max(first, 0), len(source) - len(text)) + text
    return written.ljust(len(source)) if len(written) <= len(source) else source


def _settled(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with split numbers masked, and without boundaries."""
    whole, behind = masked("".join(seen for _, seen in pieces)), 0
    found: list[Piece] = []
    for printed, seen in pieces:
        found.append((printed, whole[behind : behind + len(seen)].replace(BOUNDARY, "")))
        behind += len(seen)
    return found


def mask_in_place(source: str, pieces: Callable[[str], Sequence[Piece]]) -> str:
    """A line of running text, which keeps its markup, with the digits of split numbers masked.

    Args:
        source: The line.
        pieces: Returns what is seen of a sentence, in order, with boundaries.
    """
    sentences = source.split(". ")
    for number, text in enumerate(sentences):
        # Markup right behind a digit is rare.
        opens = (sign in _OPENING and before in _IN_NUMBER for before, sign in pairwise(text))
        if len(text) > _MAX_SENTENCE or not any(opens):
            continue
        behind, found = 0, pieces(text)
        for (printed, before), (_, seen) in zip(found, _settled(found), strict=True):
            at = text.find(printed, behind)
            if at >= 0 and len(seen) == len(printed):
                behind = at + len(seen)
                # A raised digit stays as it is written.
                text = text[:at] + (seen if seen != before else printed) + text[behind:]
        sentences[number] = text
    return ". ".join(sentences)


def _words(texts: Iterable[str]) -> list[str]:
    # A no-break space holds words together.
    return [word for word in "".join(texts).split(" ") if word]
