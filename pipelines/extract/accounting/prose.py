"""The numerals that no format accounts for, judged within their sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping

from pipelines.extract.accounting.statuses import UNREAD_NUMBER, Passage, status_in_text
from pipelines.extract.accounting.words import Span, Verdict
from pipelines.extract.prose.sentences import Sentence, plain_text, read_sections
from pipelines.read.document import Document

# A longer run without a stop is a flattened table or code: the patterns of grammar would cost much and say nothing.
_MAX_SENTENCE = 2000


def statuses_of_prose(
    document: Document, left: Mapping[int, list[Span]], taken: Collection[int]
) -> dict[tuple[int, Span], Verdict]:
    """Status and rule of the numerals that are left, by line and span.

    Args:
        document: The document.
        left: The numerals, by line.
        taken: Lines that another format than prose has read: each of them is a passage of its own.
    """
    if not left:
        return {}
    verdicts: dict[tuple[int, Span], Verdict] = {}
    blocks = _blocks_around(document, [number for number in left if number not in taken], taken)
    others = {line.number for line in document.lines} - blocks
    for section in read_sections(document, others) if blocks else ():
        for sentence in section.sentences:
            if len(sentence.text) <= _MAX_SENTENCE:
                _judge(sentence, left, verdicts)
    for number, spans in left.items():
        passage: Passage | None = None
        for span in spans:
            if (number, span) not in verdicts:
                if span[1] > _MAX_SENTENCE:
                    # Grammar says nothing in so long a line, and every rule would read it once for each number.
                    verdicts[number, span] = UNREAD_NUMBER
                    continue
                passage = passage or Passage(plain_text(document.line(number).text[:_MAX_SENTENCE]))
                verdicts[number, span] = status_in_text(passage, *span)
    return verdicts


def _judge(sentence: Sentence, left: Mapping[int, list[Span]], verdicts: dict[tuple[int, Span], Verdict]) -> None:
    passage: Passage | None = None
    for offset, number, column, length in sentence.pieces:
        spans = left.get(number, [])
        # A line may hold thousands of sentences: only the numerals from this one's first character on are looked at.
        for at in range(bisect_left(spans, (column, 0)), len(spans)):
            start, end = spans[at]
            if end > column + length:
                break
            passage = passage or Passage(sentence.plain)
            shift = offset - column
            verdicts[number, (start, end)] = status_in_text(passage, start + shift, end + shift)


def _blocks_around(document: Document, numbers: Collection[int], taken: Collection[int]) -> set[int]:
    """The lines of the blocks, between blank or taken lines, in which these lines stand."""
    found: set[int] = set()
    for number in numbers:
        for step in (-1, 1):
            at = number
            while 1 <= at <= len(document.lines) and at not in taken and not document.line(at).is_blank:
                if at in found and at != number:
                    break
                found.add(at)
                at += step
    return found
