"""Headings and captions above a table: which lines are labels and not sentences. What they say belongs in `context`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.platform_named import read_platform_in
from pipelines.extract.tables.qualified import qualifier_in
from pipelines.extract.tables.turned import is_title
from pipelines.read.document import Document, Line

# A section heading is a label on a line of its own.
_MAX_HEADING = 80
# `TABLE 4: Performance of the representative model on ...`, `**Table 1** FSDP on ...`: a caption may be long.
_CAPTION = re.compile(r"\s*(?:\*\*)?table\s+\d+(?:\s*[:.]|\*\*|\s{2,}(?=\S)|\s+[-\u2013\u2014])", re.IGNORECASE)
# Deeper than any heading of a file
_LOWEST = 99
# `| 2 | 170.38 img/s |<tab><tab>##### Inference on DGX-1`: a heading on a line with others
_JOINED = re.compile(r"\t\s*#{1,6}\s")
_TASK = re.compile(r"\b(?:training|inference)\b", re.IGNORECASE)
# Words that mark a line as the text of a picture, not as a heading.
_PICTURE = re.compile(r"\blogo$", re.IGNORECASE)


def intro_of(document: Document, lines: range, taken: Collection[int], above: Sequence[Line]) -> range:
    """The lines before the first section; where the page has one heading only, those before its first table."""
    if not above:
        return lines
    own = above[-1]
    if len(above) > 1 and _says_nothing(above[-2].cell.text) and _is_right_below(document, lines, above[-2].number):
        own = above[-2]
    is_only = next(_labels(document, range(lines.start, own.number), taken), None) is None
    return lines if is_only else range(lines.start, above[-1].number)


def headings_above(document: Document, lines: range, taken: Collection[int]) -> list[Line]:
    """The nearest heading above a table; behind a caption, a mere `FP16` or `Results`, that of the section too."""
    captions = {grid.caption.line for grid in document.grids if grid.caption}
    # `Max throughput` over the whole width, above the headings
    captions |= {row[0].line for grid in document.grids for row in grid.rows[:1] if is_title(row)}
    found: list[Line] = []
    for line in _labels(document, lines, taken):
        found.append(line)
        text = line.cell.text
        is_part = line.number in captions or is_caption(text) or is_condition(text)
        if not is_part and not (_says_nothing(text) and _is_right_below(document, lines, line.number)):
            break
    return found


def headings_over(document: Document, above: Sequence[Line]) -> list[Line]:
    """The headings that the one above a table stands below, where the file says how deep each is; the nearest first.

    A heading right above another one of its level, with nothing between them, is a part of what stands below both:
    `#### 2 x H100`, `#### FP8 TP2`.
    """
    levels = dict(document.levels)
    known = [line.number for line in above if line.number in levels]
    # A label that is no heading stands below the one before it, whatever its level.
    first = min(known, default=min((line.number for line in above), default=0))
    least, found = min((levels[number] for number in known), default=_LOWEST), list[Line]()
    behind, level_behind = first, 0
    for number, level in reversed(document.levels):
        is_part = level == least == level_behind and _is_bare(document, number, behind)
        if number < first and (level < least or is_part):
            if any(_JOINED.search(document.line(between).text) for between in range(number + 1, first)):
                # The heading in it may be of the same level as this one.
                break
            found.append(document.line(number))
            least = level
        behind, level_behind = number, level
    return found


def _is_bare(document: Document, number: int, behind: int) -> bool:
    """True where nothing stands between a heading and the next one."""
    return all(document.line(between).is_blank for between in range(number + 1, behind))


def title_of(document: Document, lines: range, taken: Collection[int]) -> str | None:
    """The first heading in these lines."""
    # From the first line on: a page may have hundreds of tables, and each asks for the title above it.
    return next(
        (document.line(number).cell.text for number in lines if _stands_alone(document, lines, number, taken)), None
    )


def is_condition(text: str) -> bool:
    """True for a label that is one condition (`FP16`, `Batch size 8`); a platform or a model makes a heading."""
    qualifier = qualifier_in(text)
    return qualifier is not None and qualifier.column in ("precision", "batch_size", "sequence_length", "attribute")


def _labels(document: Document, lines: range, taken: Collection[int]) -> Iterator[Line]:
    """Those of the lines that stand alone and are labels, not sentences; the last one first."""
    return (document.line(number) for number in reversed(lines) if _stands_alone(document, lines, number, taken))


def _stands_alone(document: Document, lines: range, number: int, taken: Collection[int]) -> bool:
    """True for the number of a line that is a label, with nothing below it."""
    line = document.line(number)
    if number in taken or line.is_blank or not is_label(line.cell.text):
        return False
    return number == lines.stop - 1 or document.line(number + 1).is_blank


def _says_nothing(text: str) -> bool:
    """True for a label that names neither a task nor a platform nor a model: `Results`."""
    return not _TASK.search(text) and read_platform_in(text) is None and not conditions_in([text])


def _is_right_below(document: Document, lines: range, number: int) -> bool:
    """True where the next line above that is not blank is a label, too; the title of the page is none of a table."""
    above = next((n for n in range(number - 1, lines.start - 1, -1) if not document.line(n).is_blank), None)
    if above is None or above == number - 1 or not is_label(document.line(above).cell.text):
        return False
    return any(not document.line(n).is_blank for n in range(1, above))


def is_caption(text: str) -> bool:
    """True for a line that says by its words that it is the caption of a table."""
    return _CAPTION.match(text) is not None


def is_label(text: str) -> bool:
    """True for a short line that is a label and no sentence, or the caption of a table."""
    if _CAPTION.match(text):
        return True
    return (
        # One letter is what a wrong encoding leaves of a blank line.
        1 < len(text) <= _MAX_HEADING
        and "|" not in text
        and "\t" not in text
        and not text.startswith(("<", "\u2022", "*", "- ", "+ "))
        and not text.endswith((".", ":", "!", "?", ","))
        and any(character.isalpha() for character in text)
        and not _PICTURE.search(text)
    )
