"""Running text as sections and sentences whose characters keep their place. Nothing is understood
here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from html import unescape
from itertools import accumulate, groupby

from pipelines.extract.grammar import GRAMMAR
from pipelines.extract.tables.printed import Passage
from pipelines.read.document import Cell, Document, Line, runs_of

# One character for one, so that offsets stay: no-break spaces, typographic quotes, dashes,
# trademark signs.
_PLAIN = str.maketrans(
    "\u00a0\u202f\u2009\u2018\u2019\u201c\u201d\u2010\u2011\u2012\u2013\u2014\u2122\u00ae",
    "   ''\"\"-----  ",
)
_MARKS = frozenset("#-*\u2022\u25cf\u2013>|")
_MAX_HEADING_CHARACTERS = 90
_MAX_HEADING_WORDS = 12
# `It` and `this advantage` refer to at most this many sentences before.
_REACH = 40


@dataclass(frozen=True, eq=False)
class Sentence(Passage):
    """One sentence, bullet or heading; a line break inside is one blank.

    Attributes:
        section: Section it belongs to.
        index: Position in the section's sentences.
    """

    section: Section = field(repr=False)
    index: int

    @cached_property
    def plain(self) -> str:
        """The text with plain quotes, dashes and blanks, and without addresses and tags."""
        return plain_text(self.text)

    @cached_property
    def offsets(self) -> list[int]:
        """The first character of each piece."""
        return [0, *accumulate(len(piece.text) + 1 for piece in self.pieces[:-1])]

    def name(self, start: int, end: int) -> str:
        """A name as printed; one with an entity inside (`A100&nbsp;80GB`) with the entity replaced."""
        printed = self.text[start:end]
        return " ".join(self.plain[start:end].split()) if "&" in printed else printed

    def near(self, reach: int = _REACH) -> list[Sentence]:
        """The sentence, up to `reach` sentences of its section before it, nearest first, and the
        heading of the section.
        """
        section, first = self.section, max(0, self.index - reach)
        above = section.heading
        heading = [above] if above and above is not self else []
        return [self, *reversed(section.sentences[first : self.index]), *heading]

    def around(self) -> list[Sentence]:
        """The sentences of the same section shortly before and after this one, and this one, in
        order.
        """
        return self.section.sentences[max(0, self.index - _REACH) : self.index + _REACH + 1]


@dataclass(eq=False)
class Section:
    """A heading and the sentences below it."""

    heading: Sentence | None = None
    sentences: list[Sentence] = field(default_factory=list)


def sentences_of(sections: Iterable[Section]) -> list[Sentence]:
    """The sentences of all sections, in order."""
    return [sentence for section in sections for sentence in section.sentences]


def plain_text(text: str) -> str:
    """The same number of characters with plain quotes, dashes and blanks.

    Addresses, tags, entities and marks of emphasis are blanks in it.
    """
    plain = GRAMMAR["no_text"].sub(lambda match: " " * len(match[0]), text)
    if "&" in plain:
        plain = GRAMMAR["entity"].sub(_character, plain)
    return plain.translate(_PLAIN)


def _character(entity: re.Match[str]) -> str:
    """The character of an entity, padded with blanks to its length."""
    character = unescape(entity[0])
    if len(character) != 1:
        return entity[0]
    # A multiplication sign belongs to the text before it, any other sign to the text after it.
    return (
        character.rjust(len(entity[0]))
        if character == "\u00d7"
        else character.ljust(len(entity[0]))
    )


@lru_cache(maxsize=1)
def read_sections(document: Document, taken: frozenset[int]) -> list[Section]:
    """The document's sections in order, without the lines that are `taken`; headings are sentences
    as well.

    Claims and the accounting read the same sections of a document one after the other.
    """
    sections = [Section()]
    for passage in _passages(document, taken):
        is_title = is_heading(*passage)
        if is_title:
            sections.append(Section())
        section = sections[-1]
        section.sentences += _sentences(passage, section)
        if is_title and section.sentences:
            section.heading = section.sentences[-1]
    return sections


def pieces_by_line(
    document: Document, taken: frozenset[int]
) -> defaultdict[int, list[tuple[Cell, int, Sentence]]]:
    """The pieces of sentences on each line, each with its offset in the sentence, and the sentence."""
    found = defaultdict[int, list[tuple[Cell, int, Sentence]]](list)
    for sentence in sentences_of(read_sections(document, taken)):
        for offset, cell in zip(sentence.offsets, sentence.pieces, strict=True):
            found[cell.line].append((cell, offset, sentence))
    return found


def _passages(document: Document, taken: Collection[int]) -> Iterator[list[Line]]:
    """The passages of a document, without the lines that are `taken` and the rows of tables: those
    say nothing.

    A passage ends where a heading, a paragraph or a bullet does. Lines that all begin large are a
    list: each says something of its own. Where one begins small, the text is wrapped.
    """
    shown = set[tuple[int, int]]()
    for grid in document.grids:
        if not grid.has_line_per_cell:
            for row in grid.rows:
                shown.update((cell.line, cell.start) for cell in row if cell.text)
    cells = Counter(line for line, _ in shown)

    def says(line: Line) -> bool:
        is_row = cells[line.number] > 1 or line.text.count("|") + line.text.strip().count("\t") > 1
        return line.number not in taken and not is_row and not line.is_blank

    for block in (list(lines) for is_text, lines in groupby(document.lines, says) if is_text):
        if any(line.text.strip()[0].islower() for line in block[1:]):
            yield from runs_of(block, _goes_on)
        else:
            yield from ([line] for line in block)


def _goes_on(passage: list[Line], line: Line) -> bool:
    """True for a line that a wrapped passage continues on: no `- 2x on BERT`, `1. First`, nor the
    text below `# Results`.
    """
    text = line.text.strip()
    starts_anew = text[0] in _MARKS or text.partition(" ")[0].rstrip(".)").isdecimal()
    is_below_heading = GRAMMAR["markdown_heading"].match(passage[-1].text.strip())
    return not starts_anew and not is_below_heading


def is_heading(line: Line, *following: Line) -> bool:
    """True for a line that is a heading, as a separate passage or at the start of one."""
    text = line.text.strip()
    if GRAMMAR["markdown_heading"].match(text):
        return True
    if not text or following or text[0] in _MARKS or GRAMMAR["value_in_heading"].search(text):
        return False
    is_short = len(text) <= _MAX_HEADING_CHARACTERS and len(text.split()) <= _MAX_HEADING_WORDS
    starts_large = text[0].isupper() or (text[0].isdigit() and any(c.isupper() for c in text))
    return is_short and starts_large and text[-1] not in ".!?;," and "MLPerf ID" not in text


def _sentences(passage: list[Line], section: Section) -> Iterator[Sentence]:
    cells = list[Cell]()
    for line in passage:
        marks = GRAMMAR["markdown_heading"].match(line.cell.text)
        cells.append(line.cell.part(marks.end() if marks else 0, len(line.cell.text)))
    text, index = " ".join(cell.text for cell in cells), len(section.sentences)
    offsets = [0, *accumulate(len(cell.text) + 1 for cell in cells)]
    blanks = [match.span("blank") for match in GRAMMAR["sentence_end"].finditer(text)]
    starts, ends = [0, *(end for _, end in blanks)], [*(start for start, _ in blanks), len(text)]
    for start, end in zip(starts, ends, strict=True):
        pieces = list[Cell]()
        for number in range(bisect_right(offsets, start) - 1, bisect_left(offsets, end)):
            cell, offset = cells[number], offsets[number]
            pieces.append(cell.part(max(0, start - offset), min(end - offset, len(cell.text))))
        inside = tuple(piece for piece in pieces if piece.text)
        if inside:
            yield Sentence(inside, "sentence", section, index)
            index += 1
