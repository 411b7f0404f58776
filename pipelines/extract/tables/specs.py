"""What a mapping says of a cell or of rows: words, patterns, constants, and what the cells of a column are.

What it says of a whole table belongs in `mapping.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from pipelines.extract.tables.patterns import PatternError, fits_anything, groups_of
from pipelines.vocabulary.dimensions import Type, dimensions

# What a cell can be beside a dimension.
VALUE, IGNORE, METRIC, UNIT, STATISTIC = "value", "ignore", "metric", "unit", "statistic"
CELL_WORDS = (VALUE, IGNORE, METRIC, UNIT, STATISTIC)
# A person's word for what the document does not print.
UNPRINTED = "!"
# `{name}` in a constant: what a group or a column of this name says.
TEMPLATE = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"[a-z_][a-z0-9_]*")
# An own word so near to a known one is a slip of the pen: one letter of four, two of eight.
_LETTERS_PER_EDIT, _MOST_EDITS = 4, 2
_PERCENTILE = re.compile(r"p\d{1,2}(?:\.\d{1,3})?")
_STATISTICS = ("mean", "min", "max", "std", "median", "total")


def fault(words: str, *at: str | int) -> PydanticCustomError:
    """An error in a mapping; `at` leads from the part that is checked to the one that is wrong."""
    return PydanticCustomError("mapping", "{words}", {"words": words, "at": at})


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` for the known word most like another one, or nothing."""
    best = process.extractOne(word, list(known), processor=str.casefold, score_cutoff=60)
    return f"; did you mean {best[0]!r}?" if best else ""


def dimension_word(word: str) -> str:
    """A dimension, or a word of the mapping's own that is not like one."""
    known = (*dimensions(), *CELL_WORDS)
    if word in dimensions() or word in (METRIC, UNIT, STATISTIC):
        return word
    if not _WORD.fullmatch(word):
        raise fault(f"{word[:60]!r} is no name of a condition: use small letters, digits and `_`{nearest(word, known)}")
    most = min(_MOST_EDITS, len(word) // _LETTERS_PER_EDIT)
    near = [name for name in known if 0 < OSA.distance(word, name, score_cutoff=most) <= most]
    if near and not word.startswith("_"):
        raise fault(f"{word!r} is no dimension; did you mean {near[0]!r}?")
    return word


def _statistic(word: str) -> str:
    if word not in _STATISTICS and not _PERCENTILE.fullmatch(word) and not TEMPLATE.search(word):
        raise fault(f"{word[:60]!r} is no statistic{nearest(word, _STATISTICS)}; known: {', '.join(_STATISTICS)}, p99")
    return word


def constant_word(name: str, value: Any) -> str:
    """A constant that its dimension may have."""
    dimension_word(name)
    if not isinstance(value, str):
        raise fault(f"`{name}` should be a text", name)
    text = value.removeprefix(UNPRINTED)
    known = dimensions().get(name)
    if not text.strip():
        raise fault(f"`{name}` is empty", name)
    if name == STATISTIC:
        _statistic(text)
    elif known and not TEMPLATE.search(text):
        if known.one_of and text not in known.one_of:
            raise fault(f"`{name}` is one of {', '.join(known.one_of)}{nearest(text, known.one_of)}", name)
        if known.type in (Type.COUNT, Type.LENGTH) and not text.replace(",", "").isdecimal():
            raise fault(f"`{name}` should be a whole number, and {text[:60]!r} is none", name)
    return value


def pattern_word(text: str, *, matches_heading: bool = False) -> str:
    """A pattern whose groups are words of the language."""
    try:
        for group in groups_of(text):
            if group != VALUE:
                dimension_word(group)
        if matches_heading and fits_anything(text):
            raise fault(f"`{text}` would fit any heading: say which ones it may")
    except PatternError as error:
        raise fault(str(error)) from error
    return text


def listed(given: Any) -> Any:
    """A lone item as a list of one."""
    return given if isinstance(given, list) else [given]


def _conditions(given: Any) -> Any:
    if not isinstance(given, dict):
        raise fault("it should hold names with values, as `{model: BERT}`")
    return {name: constant_word(name, value) for name, value in given.items()}


Text = Annotated[str, Field(min_length=1)]
Pattern = Annotated[str, Field(min_length=1, max_length=1000), BeforeValidator(lambda text: pattern_word(str(text)))]
Word = Annotated[str, BeforeValidator(lambda text: dimension_word(str(text)))]
Conditions = Annotated[dict[str, str], BeforeValidator(_conditions)]


class Constants(BaseModel):
    """What holds for all rows of a table, or for those that fit: `{where: {model: BERT}, epochs: 3}`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    where: Conditions = {}

    @model_validator(mode="after")
    def _check_constants(self) -> Constants:
        for name, value in self.constants.items():
            constant_word(name, value)
        return self

    @property
    def constants(self) -> dict[str, str]:
        """What holds for the cells, or the rows, that it is about: the keys that are none of its own."""
        return dict(self.model_extra or {})


class Spec(Constants):
    """What the cells of a column are. Every other key is a constant of the cells that it fits.

    Attributes:
        field: The dimension that the whole cell states, `value` for a measured number, `metric`, `unit` or `statistic`.
        match: Pattern of the whole cell; its named groups state dimensions, and `value` is the measured number.
        metric: What is measured.
        unit: The unit of the number; one printed in the cell may be another one of the same kind.
        statistic: `mean`, `p99` ...; which of many measurements the number is.
        where: Conditions of the row under which the spec is meant.
        from_entry: Dimensions that a quality takes from around the table all the same.
    """

    field: Word | None = None
    match: Pattern | None = None
    metric: Text | None = None
    unit: Text | None = None
    statistic: Annotated[Text, BeforeValidator(_statistic)] | None = None
    from_entry: Annotated[list[Word], BeforeValidator(listed)] = []

    @cached_property
    def is_value(self) -> bool:
        """Whether its cells are measured numbers."""
        states_unit = self.unit is not None and self.field is None
        return self.field == VALUE or VALUE in groups_of(self.match) or self.metric is not None or states_unit

    @cached_property
    def given(self) -> dict[str, str]:
        """What it says of its cells: metric, unit, statistic and constants."""
        own = {METRIC: self.metric, UNIT: self.unit, STATISTIC: self.statistic}
        return self.constants | {name: text for name, text in own.items() if text}

    @cached_property
    def captures(self) -> tuple[str, ...]:
        """What its cells state."""
        return (*([self.field] if self.field else ()), *groups_of(self.match))

    @model_validator(mode="after")
    def _says_something(self) -> Spec:
        if self.match and not groups_of(self.match):
            raise fault(f"`{self.match}` has no named group, as `(?P<model>.*)`", "match")
        if not (self.field or self.match or self.is_value):
            raise fault("it does not say what a cell is: give a `field`, a `match`, or a `metric` with its `unit`")
        if self.metric and self.field not in (None, VALUE):
            raise fault(f"a cell is a number of `{self.metric}` or states `{self.field}`, not both", "field")
        return self
