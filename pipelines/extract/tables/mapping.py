"""The mapping language: what the tables of a source mean, said by a person.

One pydantic model, its checks, and errors that name file, line and the nearest word. How a mapping is laid on a printed
table belongs in `apply.py`; how its patterns are read in `patterns.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from pipelines.extract.tables.patterns import PatternError, fits_anything, groups_of, is_pattern
from pipelines.vocabulary.dimensions import Type, dimensions
from pipelines.vocabulary.lookup import entries, find
from pipelines.vocabulary.units import Measure, measure_of
from pipelines.yaml_files import Fields, Items, YamlError, load_yaml

MAPPING_FILE, DRAFT_FILE = "mapping.yml", "mapping.draft.yml"
# These two, further drafts, and a mapping that another one has replaced.
MAPPING_FILES = "mapping*.yml"
# Far above what a person writes.
_MOST_BYTES = 200_000
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
MetricKind = Literal["performance", "quality", "size"]


class MappingError(Exception):
    """A mapping that cannot be used; the message names file, line and what is wrong.

    Attributes:
        reason: What is wrong, without the place.
        line: Line of the file, from 1.
    """

    def __init__(self, path: Path, reason: str, line: int = 1) -> None:
        super().__init__(f"{'/'.join(path.parts[-3:])}:{line}: {reason}")
        self.reason, self.line = reason, line


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


def _constant(name: str, value: Any) -> str:
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


def _pattern(text: str, *, matches_heading: bool = False) -> str:
    try:
        for group in groups_of(text):
            if group != VALUE:
                dimension_word(group)
        if matches_heading and fits_anything(text):
            raise fault(f"`{text}` would fit any heading: say which ones it may")
    except PatternError as error:
        raise fault(str(error)) from error
    return text


def _listed(given: Any) -> Any:
    return given if isinstance(given, list) else [given]


def _conditions(given: Any) -> Any:
    if not isinstance(given, dict):
        raise fault("it should hold names with values, as `{model: BERT}`")
    return {name: _constant(name, value) for name, value in given.items()}


Text = Annotated[str, Field(min_length=1)]
Pattern = Annotated[str, Field(min_length=1, max_length=1000), BeforeValidator(lambda text: _pattern(str(text)))]
Word = Annotated[str, BeforeValidator(lambda text: dimension_word(str(text)))]
Conditions = Annotated[dict[str, str], BeforeValidator(_conditions)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _WithConstants(BaseModel):
    """Keys that it does not have are constants: `{metric: latency, unit: ms, precision: FP16}`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    where: Conditions = {}

    @model_validator(mode="after")
    def _check_constants(self) -> _WithConstants:
        for name, value in (self.model_extra or {}).items():
            _constant(name, value)
        return self

    @property
    def constants(self) -> dict[str, str]:
        """What holds for the cells, or the rows, that it is about."""
        return dict(self.model_extra or {})


class Constants(_WithConstants):
    """What holds for all rows of a table, or with `where` for the rows that fit: `{where: {model: BERT}, epochs: 3}`."""


class Spec(_WithConstants):
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
    from_entry: Annotated[list[Word], BeforeValidator(_listed)] = []

    @property
    def is_value(self) -> bool:
        """Whether its cells are measured numbers."""
        groups = groups_of(self.match) if self.match else ()
        return (
            self.field == VALUE
            or VALUE in groups
            or self.metric is not None
            or (self.unit is not None and self.field is None)
        )

    @model_validator(mode="after")
    def _says_something(self) -> Spec:
        groups = groups_of(self.match) if self.match else ()
        if self.match and not groups:
            raise fault(f"`{self.match}` has no named group, as `(?P<model>.*)`", "match")
        if not (self.field or self.match or self.is_value):
            raise fault("it does not say what a cell is: give a `field`, a `match`, or a `metric` with its `unit`")
        if self.metric and self.field not in (None, VALUE):
            raise fault(f"a cell is a number of `{self.metric}` or states `{self.field}`, not both", "field")
        return self


def _specs(given: Any) -> Any:
    if given == IGNORE:
        return []
    return [{"field": each} if isinstance(each, str) else each for each in _listed(given)]


def _heading(text: str) -> str:
    return f"/{_pattern(text[1:-1], matches_heading=True)}/" if is_pattern(text) else text


Columns = dict[Annotated[str, BeforeValidator(_heading)], Annotated[list[Spec], BeforeValidator(_specs)]]


def _section(given: Any) -> Any:
    for text in _listed(given):
        if is_pattern(str(text)):
            _pattern(text[1:-1])
    return _listed(given)


class Entry(_Strict):
    """What tables of one layout mean.

    Attributes:
        section: A caption or a heading above the tables, or `/pattern/`; a list means any of them, and with a number as
            its second item the n-th table below it.
        columns: What the cells below each heading are: `ignore`, a dimension, or what `Spec` says; a list is tried in
            order. A heading may be a `/pattern/`, whose named groups are conditions.
        headings: Patterns of the text above a table: captions, headings, sentences; the nearest that matches counts.
        below: The same for the notes between a table and the next one.
        constants: What holds for all rows, or for those that fit `where`.
        titles: What a row that holds one text alone states for the rows below it: a dimension, a pattern, or `ignore`.
        fill_down: Dimensions that a blank cell takes from the row above.
        missing: Texts printed where nothing was measured or stated; a blank cell always is.
        names: Canonical names of printed texts, by dimension.
        others: `ignore`, where the columns that are not named may be left out.
        skip: The tables hold no results.
        rows: Pattern of one row in running text; its named groups are the columns.
    """

    section: Annotated[list[Text], BeforeValidator(_section)] = []
    columns: Columns = {}
    headings: Annotated[list[Pattern], BeforeValidator(_listed)] = []
    below: Annotated[list[Pattern], BeforeValidator(_listed)] = []
    constants: Annotated[list[Constants], BeforeValidator(_listed)] = []
    titles: Text | None = None
    fill_down: Annotated[list[Word], BeforeValidator(_listed)] = []
    missing: Annotated[list[str], BeforeValidator(_listed)] = []
    names: dict[Word, dict[str, Text]] = {}
    others: Literal["ignore"] | None = None
    skip: bool = False
    rows: Pattern | None = None

    @model_validator(mode="after")
    def _check_parts(self) -> Entry:
        if self.titles not in (None, IGNORE):
            (_pattern if "(?P<" in self.titles else dimension_word)(self.titles)
        for name, known in self.names.items():
            for text in known.values():
                _constant(name, text)
        return self

    @property
    def nth(self) -> int | None:
        """Which of the tables below its section it is about, from 1; None for all."""
        return int(self.section[1]) if len(self.section) == 2 and self.section[1].isdecimal() else None


class DeclaredMetric(_Strict):
    """A metric that the vocabulary lacks.

    Attributes:
        unit: Its canonical unit; a word that is no unit is the name of a score.
        higher_is_better: Whether more of it is a gain.
        kind: A quality takes the machine and its settings from its own row alone; `size` is that of a model or a memory.
    """

    unit: Text
    higher_is_better: bool
    kind: MetricKind = "quality"


class SourceMapping(Entry):
    """A whole `mapping.yml`. What stands beside `tables` holds for all of them and may be absent there.

    Attributes:
        tables: What the tables of the source mean.
        metrics: Metrics that the vocabulary lacks.
    """

    tables: Annotated[list[Entry], Field(min_length=1)]
    metrics: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], DeclaredMetric] = {}

    @model_validator(mode="after")
    def _check_metrics(self) -> SourceMapping:
        for name in self.metrics:
            if find("metrics", name):
                raise fault(f"the vocabulary has a metric {name!r} already", "metrics", name)
        for at, entry in [((), self), *((("tables", n), entry) for n, entry in enumerate(self.tables))]:
            for heading, specs in entry.columns.items():
                for number, spec in enumerate(specs):
                    place = (*at, "columns", heading, *([number] if len(specs) > 1 else []))
                    self._check_metric(spec, place)
            for part in entry.constants:
                if metric := part.constants.get(METRIC):
                    self._metric(metric, (*at, "constants"))
                self._check_unit(part.constants.get(UNIT), (*at, "constants"))
        return self

    def _check_metric(self, spec: Spec, at: tuple[str | int, ...]) -> None:
        unit = self._check_unit(spec.unit, at)
        metric = self._metric(spec.metric, at) if spec.metric else None
        if metric and unit and not unit.converts_to(self.measure(metric[0]) or unit):
            raise fault(f"{spec.unit!r} is no unit of {spec.metric}, which is measured in {metric[0]}", *at)

    def _check_unit(self, unit: str | None, at: tuple[str | int, ...]) -> Measure | None:
        if unit is None or TEMPLATE.search(unit):
            return None
        if (found := self.measure(unit)) is None:
            names = [str(item["name"]) for item in entries("units")]
            raise fault(f"{unit[:60]!r} is no unit{nearest(unit, names)}", *at)
        return found

    def measure(self, unit: str) -> Measure | None:
        """What a unit measures; that of a declared metric measures itself."""
        is_own = any(metric.unit == unit for metric in self.metrics.values())
        return measure_of(unit) or (Measure(unit, 1.0) if is_own else None)

    def _metric(self, name: str, at: tuple[str | int, ...]) -> tuple[str, MetricKind] | None:
        if TEMPLATE.search(name):
            return None
        if (found := self.metric(name)) is None:
            known = [str(item["name"]) for item in entries("metrics")] + list(self.metrics)
            declared = f"`metrics: {{{name[:40]}: {{unit: ..., higher_is_better: true}}}}` declares one"
            raise fault(f"{name[:60]!r} is no metric{nearest(name, known)}; {declared}", *at)
        return found

    def metric(self, name: str) -> tuple[str, MetricKind] | None:
        """Canonical unit and kind of a metric of the vocabulary or of the mapping, by its canonical name."""
        if own := self.metrics.get(name):
            return own.unit, own.kind
        entry = find("metrics", name)
        if entry is None or entry.name != name:
            return None
        return str(entry.facts["unit"]), entry.facts.get("kind", "performance")


# Loading


def load_mapping(path: Path) -> tuple[SourceMapping, Fields]:
    """The mapping in a file, checked, and the file with the lines of its keys.

    Raises:
        MappingError: The file is no YAML, too large, or says what it cannot.
    """
    try:
        tree = load_yaml(path, most_bytes=_MOST_BYTES, texts_only=True)
    except YamlError as error:
        raise MappingError(path, error.reason, error.line or 1) from error
    if isinstance(tree, dict) and "checked" in tree:
        reason = (
            "this is a mapping of version 1. Remove `checked`: a draft is mapping.draft.yml, and `benchledger map SOURCE "
            "--accept` makes it the mapping. Write `{field: x, match: ...}` or a `/pattern/` for `unpivot`, and leave "
            "`header_rows` and `transposed` out; `benchledger map SOURCE` drafts it anew"
        )
        raise MappingError(path, reason, line_of(("checked",), tree))
    if not isinstance(tree, Fields):
        raise MappingError(path, "a mapping holds keys with values, a list of `tables` among them")
    if question := next((place for place, value in _leaves(tree) if value == "?"), None):
        raise MappingError(path, f"`{question[-1]}` is still a question (`?`): answer it", line_of(question, tree))
    try:
        return SourceMapping.model_validate(tree), tree
    except ValidationError as error:
        # A key that is misspelt is missing, too: what is there and wrong says more.
        order = ("extra_forbidden", "missing")
        first = min(error.errors(), key=lambda found: order.index(found["type"]) + 1 if found["type"] in order else 0)
        place = (*first["loc"], *first.get("ctx", {}).get("at", ()))
        raise MappingError(path, _worded(first), line_of(place, tree)) from error


def _leaves(tree: Any, place: tuple[str | int, ...] = ()) -> Iterable[tuple[tuple[str | int, ...], Any]]:
    if isinstance(tree, dict):
        for name, part in tree.items():
            if name == "?":
                yield (*place, name), "?"
            yield from _leaves(part, (*place, name))
    elif isinstance(tree, list):
        for number, part in enumerate(tree):
            yield from _leaves(part, (*place, number))
    else:
        yield place, tree


def line_of(place: Sequence[str | int], tree: Any) -> int:
    """Line of what a place of the file leads to, or of what is nearest around it."""
    line, part = 1, tree
    for name in place:
        # A lone item stands without a list, and a name of the model is not in the file.
        if isinstance(part, Fields) and name in part:
            line, part = part.lines[str(name)], part[str(name)]
        elif isinstance(part, Items) and isinstance(name, int) and name < len(part):
            line, part = part.lines[name], part[name]
    return line


_TYPES = {
    "string_type": "should be a text", "string_too_short": "is empty", "too_short": "is empty", "missing": "is missing",
    "list_type": "should be a list", "dict_type": "should hold names with values", "bool_parsing": "is true or false",
    "model_type": "should hold names with values", "string_too_long": "is too long",
}  # fmt: skip


def _worded(error: ErrorDetails) -> str:
    if error["type"] == "mapping":
        return error["msg"]
    names = [str(part) for part in error["loc"] if isinstance(part, str)]
    if error["type"] == "extra_forbidden":
        model = SourceMapping if len(error["loc"]) == 1 else DeclaredMetric if "metrics" in names else Entry
        return f"{names[-1][:60]!r} is no key{nearest(names[-1], model.model_fields)}; known: {', '.join(model.model_fields)}"
    if error["type"] == "literal_error":
        return f"`{names[-1]}` is {error['ctx']['expected']}"
    return f"`{'.'.join(names) or 'the file'}` {_TYPES.get(error['type'], error['msg'])}"
