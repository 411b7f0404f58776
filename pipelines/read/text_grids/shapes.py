"""The shape of a printed cell: a number, a duration, a release, words. What the words mean is not known here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from pipelines.values.durations import parse_duration
from pipelines.values.numbers import NUMBER
from pipelines.vocabulary.lookup import find

BLANK, NOTHING, SENTENCE = "blank", "nothing", "sentence"
INTEGER, DECIMAL, QUANTITY, DURATION = "integer", "decimal", "quantity", "duration"
CODE, MIXED, WORDS = "code", "mixed", "words"
QUANTITIES = frozenset({INTEGER, DECIMAL, QUANTITY, DURATION})
NAMES = frozenset({CODE, MIXED, WORDS})

# The longest cell of a real page has half as many characters; a longer text is a sentence.
_MAX_CELL = 120
# `Containers with a hyphen indicate a pre-release container.`
_MIN_SENTENCE_WORDS = 8
_MAX_LINK_WORDS = 4
# No name has so many words.
_MAX_WORDS = 14
# `-`, `n/a`, `—`, `TBD`
_NOTHING = re.compile(r"[-\u2010-\u2015*]{1,3}|n/?a|n\.a\.|tbd|none", re.IGNORECASE)
# `>1,900`, `~ 850`, `-5.8`, `$1.20`
_BOUND = re.compile(r"[<>~\u2248\u2264\u2265=+$\u20ac\u00b1\u2212-]{1,2}\s?")
# `1,902 images/sec`, `.53 Training Loss`, `76.04%`, `9x`, `5,51`; not `24.12-py3`, `2.1.0`
_NUMBER_FIRST = re.compile(rf"(?:{NUMBER}|\.\d+|\d+,\d+)(?P<unit>[^\w.,:-].*|[a-zA-Z\u00b5\u03bc%]+(?:[/ ].*)?)?")
_DIGIT = re.compile(r"\d")
# `Throughput (items/sec)`, `Performance [seq/sec]`
_BRACKETS_BEHIND = re.compile(r"[(\[][^()\[\]]*[)\]]$")
# Words of a unit: `308,404 total output mels/sec`
_MAX_UNIT_WORDS = 4

# Columns of counts, and of names.
_COUNTS = frozenset({"batch_size", "sequence_length", "accelerator_count"})
_NAMES = frozenset({"model", "platform", "framework", "dataset", "variant"})

# What it costs to take a cell of one shape for a cell of a column of another.
SOFT, ODD, HARD = 1, 2, 3
# Cells of a column that a shape needs to belong to it.
_SHARE = 0.15


@lru_cache(maxsize=1 << 16)
def shape_of(text: str) -> str:
    """The shape of a cell's text without white space at its ends."""
    if not text:
        return BLANK
    if len(text) <= 4 and _NOTHING.fullmatch(text):
        return NOTHING
    words = text.split()
    if len(text) > _MAX_CELL:
        # A link, or its text and its address.
        return CODE if len(words) == 1 else SENTENCE if len(words) > _MAX_LINK_WORDS else MIXED
    if len(words) > _MAX_WORDS or (len(words) >= _MIN_SENTENCE_WORDS and text[-1] in ".!?:"):
        return SENTENCE
    if not _DIGIT.search(text):
        return WORDS
    bound = _BOUND.match(text)
    plain = text[bound.end() :] if bound else text
    if match := _NUMBER_FIRST.fullmatch(plain):
        unit = match["unit"]
        if not unit:
            return DECIMAL if "." in plain else INTEGER
        if parse_duration(plain) is not None:
            return DURATION
        # `8x H100` and `8x AcmeOne` are names.
        if not _DIGIT.search(unit) and not unit.casefold().startswith("x "):
            return QUANTITY if len(unit.split()) <= _MAX_UNIT_WORDS else MIXED
    if parse_duration(plain) is not None:
        return DURATION
    return CODE if len(words) == 1 else MIXED


@lru_cache(maxsize=1 << 14)
def heading_kind(text: str) -> str:
    """What the vocabulary knows of a heading: `value`, `name` for what its cells are, `known`, or nothing."""
    bare = _BRACKETS_BEHIND.sub("", text).strip() or text
    if find("metrics", text) or find("metrics", bare):
        return "value"
    entry = find("headings", text) or find("headings", bare)
    if entry is None:
        return ""
    if entry.facts.get("number") or entry.facts.get("column") in _COUNTS:
        return "value"
    return "name" if entry.facts.get("column") in _NAMES else "known"


def is_known_heading(text: str) -> bool:
    """True for a text that the vocabulary knows as the heading of a column."""
    return bool(heading_kind(text))


class Column:
    """What cells of a column look like, as its cells so far show."""

    def __init__(self, texts: Collection[str]) -> None:
        shapes = Counter(shape_of(text) for text in texts)
        filled = sum(count for shape, count in shapes.items() if shape not in (BLANK, NOTHING))
        self.has_blanks = len(texts) > filled
        self.shapes = frozenset(
            shape for shape, count in shapes.items() if shape not in (BLANK, NOTHING) and count >= _SHARE * filled
        )
        self.texts = Counter(texts)

    @property
    def is_measured(self) -> bool:
        """True where most cells are quantities."""
        return bool(self.shapes & QUANTITIES)

    def contradicts(self, heading: str) -> bool:
        """True where its cells cannot be what the vocabulary knows of its heading."""
        kind = heading_kind(heading)
        if not self.shapes:
            return False
        return (kind == "value" and not self.shapes & QUANTITIES) or (kind == "name" and self.shapes <= QUANTITIES)

    def cost(self, text: str) -> int:
        """How ill a text would stand in this column: 0 where it is like the others."""
        shape = shape_of(text)
        if shape in self.shapes:
            return 0
        if shape in (BLANK, NOTHING):
            return 0 if self.has_blanks else SOFT
        if shape == SENTENCE:
            return 2 * HARD
        if not self.shapes:
            return SOFT
        return min(_distance(shape, other) for other in self.shapes)


def _distance(one: str, other: str) -> int:
    if {one, other} <= {INTEGER, DECIMAL} or {one, other} <= {MIXED, WORDS}:
        return 0
    if {one, other} <= QUANTITIES or {one, other} <= NAMES:
        return SOFT
    return HARD if WORDS in (one, other) else ODD


def measures(rows: Iterable[Sequence[str]]) -> bool:
    """True where a cell of the rows is a quantity; a table of words measures nothing."""
    return any(shape_of(text) in QUANTITIES for row in rows for text in row)
