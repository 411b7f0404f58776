"""The words of the mapping language: dimensions, conditions of a mapping's own, and their values.

The keys of a mapping belong in `mapping.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from pydantic_core import PydanticCustomError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from pipelines.extract.mentions import typed
from pipelines.read.split_numbers import fault_of
from pipelines.schemas.tables import TABLES
from pipelines.values.numbers import parse_count
from pipelines.vocabulary.dimensions import Type, dimension_of_synonym, dimensions

# What a cell can be, apart from a dimension.
VALUE, IGNORE, METRIC, UNIT, STATISTIC = "value", "ignore", "metric", "unit", "statistic"
CELL_WORDS = (VALUE, IGNORE, METRIC, UNIT, STATISTIC)
# Marks a name, number or unit that the document need not print.
UNPRINTED = "!"
# `{name}` in a constant: the value of a group or a column of this name.
TEMPLATE = re.compile(r"\{(\w+)\}")
# A condition name this close to a known one is a spelling mistake: one letter of four, two of
# eight.
_LETTERS_PER_EDIT, _MOST_EDITS = 4, 2
# Of 100: how similar a word has to be to another one that is meant.
_SIMILAR = 60
STATISTICS = ("mean", "min", "max", "std", "median", "total", "p99")
STATISTIC_WORD = re.compile(rf"{'|'.join(STATISTICS)}|p(?:100|\d{{1,2}}(?:\.\d{{1,3}})?)")
# What is left of a cell after a wrong decoding: replacement characters, the first half of a
# no-break space
_LOST = "?\ufffd\u00c2\u00a0 "
_MEMORY = 1 << 16
# How much of a text a message shows.
SHOWN = 60


def fault(words: str, *at: str | int) -> PydanticCustomError:
    """An error in a mapping; `at` leads from the part that is checked to the one that is wrong."""
    return PydanticCustomError("mapping", "{words}", {"words": words, "at": at})


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` for the known word most like another one, or nothing."""
    best = process.extractOne(word, list(known), processor=str.casefold, score_cutoff=_SIMILAR)
    return f"; did you mean {best[0]!r}?" if best else ""


def dimension_word(word: str) -> str:
    """A dimension, or a condition name of the mapping's own that is not similar to one."""
    known = (*dimensions(), *CELL_WORDS)
    if word in known:
        return word
    if not (word.isascii() and word.isidentifier()) or word != word.casefold():
        raise fault(
            f"{word[:SHOWN]!r} is not a condition name: use small letters, digits, `_`{nearest(word, known)}"
        )
    if meant := dimension_of_synonym().get(word):
        raise fault(f"`{word}` is no condition of its own: it means the dimension `{meant}`")
    if word in [column.name for column in TABLES["main.current_results"].columns]:
        raise fault(
            f"`{word}` is a column that follows from the dimensions of a result: use another name"
        )
    most = min(_MOST_EDITS, len(word) // _LETTERS_PER_EDIT)
    near = process.extractOne(word, known, scorer=OSA.distance, score_cutoff=most)
    if near and not word.startswith("_"):
        raise fault(f"{word!r} is not a dimension; did you mean {near[0]!r}?")
    return word


@lru_cache(_MEMORY)
def read_condition(name: str, text: str) -> str:
    """The value of a dimension in a text: `65,536` is 65536, a name stays as printed.

    Raises:
        ValueError: The text is not a value of the dimension.
    """
    if not text.strip(_LOST):
        raise ValueError(f"{text[:SHOWN]!r} is not a valid {name}: characters were lost")
    if split := fault_of(text):
        raise ValueError(split)
    known = dimensions().get(name)
    one_of = known.one_of if known else ()
    if known is None or (known.type in (Type.NAME, Type.WORD) and not one_of):
        # `2,048` and `2048` are the same value of a condition of the mapping's own.
        is_own = known is None and not name.startswith("_") and name not in (METRIC, UNIT)
        counted = parse_count(text) if is_own else None
        return text if counted is None else str(counted)
    value = typed(name, text)
    is_number = known.type in (Type.COUNT, Type.LENGTH)
    if is_number and not (value and value.isdecimal()):
        raise ValueError(f"{text[:SHOWN]!r} is not a valid {name}: it should be a whole number")
    value = value or text
    is_statistic = name != STATISTIC or STATISTIC_WORD.fullmatch(value)
    if not is_statistic or (one_of and value not in one_of):
        words = one_of or STATISTICS
        hint = f"known are {', '.join(words)}{nearest(text, words)}"
        raise ValueError(f"{text[:SHOWN]!r} is not a valid {name}: {hint}")
    return value
