"""The mapping language: what the tables of a source mean. One pydantic model and its checks.

Its words belong in `language.py`, how a file is loaded in `entries.py`, how a mapping is applied to
a printed table in `apply.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    WithJsonSchema,
    model_validator,
)

from pipelines.exceptions import BenchledgerError
from pipelines.extract.conditions import SUBJECTS, UNNAMED
from pipelines.extract.tables.language import (
    CELL_WORDS,
    IGNORE,
    METRIC,
    STATISTIC,
    TEMPLATE,
    UNIT,
    UNPRINTED,
    VALUE,
    dimension_word,
    fault,
    nearest,
    read_condition,
)
from pipelines.extract.tables.patterns import (
    Compiled,
    PatternError,
    Spans,
    compiled,
    fits_anything,
    fold,
    groups_of,
    is_pattern,
)
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import entries, find
from pipelines.vocabulary.units import METRIC_OF_UNIT, Measure, measure_of

MetricKind = Literal["performance", "quality", "size", "platform"]
# What a document has to print of a constant: a name, a number, or a number that is a part of a
# template.
PrintedKind = Literal["name", "number", "part"]
# A precision has too many spellings to be looked for.
_UNCOUNTED = (METRIC, UNIT, STATISTIC, "precision")


class MappingError(BenchledgerError):
    """A mapping that cannot be used; the message names file, line and what is wrong.

    Attributes:
        reason: What is wrong, without the place.
        line: Line of the file, from 1.
    """

    def __init__(self, path: Path, reason: str, line: int = 1) -> None:
        super().__init__(reason, document="/".join(path.parts[-3:]), line=line)


# Checks of values


def _constant(name: str, value: Any) -> None:
    """Refuse a constant that its dimension cannot have."""
    dimension_word(name)
    if not isinstance(value, str):
        hint = f": `coalesce: {{{name}: [...]}}` lists columns" if isinstance(value, list) else ""
        raise fault(f"`{name}` should be a text{hint}", name)
    text = value.removeprefix(UNPRINTED)
    if not text.strip():
        raise fault(f"`{name}` is empty", name)
    if value == UNPRINTED + UNNAMED and name not in SUBJECTS:
        raise fault(f"`{value}` is for a model or a platform: delete `{name}`", name)
    if not TEMPLATE.search(text):
        try:
            read_condition(name, text)
        except ValueError as error:
            raise fault(str(error), name) from error


def _conditions(given: Any) -> Any:
    if not isinstance(given, dict):
        raise fault("it should contain names with values, as `{model: BERT}`")
    for name, value in given.items():
        _constant(name, value)
    return given


def _names(given: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    for name, known in given.items():
        for value in known.values():
            _constant(name, value)
    return given


def _coalesced(given: dict[str, list[str]]) -> dict[str, list[str]]:
    for heading, count in Counter(map(fold, chain.from_iterable(given.values()))).items():
        if count > 1:
            raise fault(f"`{heading}` is listed {count} times under `coalesce`", "coalesce")
    return given


def _statistic(word: str) -> str:
    _constant(STATISTIC, word)
    return word


def _pattern(text: str, *, matches_heading: bool = False) -> str:
    """A pattern whose groups are words of the language."""
    try:
        for group in groups_of(text):
            dimension_word(group)
        if matches_heading and fits_anything(text):
            raise fault(f"`{text}` matches any heading: make it more specific")
    except PatternError as error:
        raise fault(str(error)) from error
    return text


def _heading(text: str) -> str:
    return f"/{_pattern(text[1:-1], matches_heading=True)}/" if is_pattern(text) else text


def _section(text: str) -> str:
    return f"/{_pattern(text[1:-1])}/" if is_pattern(text) else text


def _listed(given: Any) -> Any:
    return given if isinstance(given, list) else [given]


def _heading_patterns(given: Any) -> Any:
    return [each if isinstance(each, dict) else {"pattern": each} for each in _listed(given)]


def _specs(given: Any) -> Any:
    if given == IGNORE:
        return []
    return [{"field": each} if isinstance(each, str) else each for each in _listed(given)]


def _title(given: Any) -> Any:
    """An ignored title states nothing."""
    if "(?P<" in str(given):
        return {"match": given}
    return {"field": VALUE if given == IGNORE else given}


def _new_metric(name: str) -> str:
    if find("metrics", name):
        raise fault(f"the vocabulary already has a metric {name!r}")
    return name


def _new_word(name: str) -> str:
    if name in (*dimensions(), *CELL_WORDS):
        raise fault(f"`{name}` is a word of the language: give the cells another name")
    return dimension_word(name)


def _is_one_of(texts: Iterable[str], text: str) -> bool:
    """Whether a text is one of some texts, or a `/pattern/` among them matches a part of it."""
    for one in texts:
        is_same = compiled(one[1:-1]).is_in(text) if is_pattern(one) else fold(one) == fold(text)
        if is_same:
            return True
    return False


Text = Annotated[str, Field(min_length=1)]
Pattern = Annotated[
    str, Field(min_length=1, max_length=1000), BeforeValidator(lambda text: _pattern(str(text)))
]
Section = Annotated[Text, AfterValidator(_section)]
ColumnHeading = Annotated[str, BeforeValidator(_heading)]
Word = Annotated[str, BeforeValidator(lambda text: dimension_word(str(text)))]
Plain = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
Conditions = Annotated[dict[str, str], BeforeValidator(_conditions)]


# Cells


class Constants(BaseModel):
    """Conditions of all rows of a table, or of those that match:
    `{where: {model: BERT}, epochs: 3}`.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    where: Conditions = {}

    @model_validator(mode="after")
    def _check_constants(self) -> Constants:
        _conditions(self.constants)
        return self

    @property
    def constants(self) -> dict[str, str]:
        """The stated conditions: the keys that are not of the language."""
        return dict(self.model_extra or {})

    @property
    def given(self) -> dict[str, str]:
        """All that it states without a pattern."""
        return self.constants


class Spec(Constants):
    """What the cells of a column are. Every other key is a condition of the cells that match.

    Attributes:
        field: The dimension that the whole cell states, `value` for a measured number, `metric`,
            `unit` or `statistic`.
        match: Pattern of the whole cell, with case; its named groups are conditions, and `value` is
            the number.
        metric: The metric of the numbers, from the list below or `metrics`.
        unit: The unit of the numbers; a unit printed in a cell may be another one of the same kind.
            `'!ms'` if a text around the table prints another one that is not theirs.
        statistic: `mean`, `min`, `max`, `std`, `median`, `total`, or a percentile such as `p99`.
        where: Only rows that state these conditions, as printed or as `names` gives them.
        from_entry: Dimensions that a quality also takes from `constants`, `headings` and `below`.
    """

    field: Word | None = None
    match: Pattern | None = None
    metric: Text | None = None
    unit: Text | None = None
    statistic: Annotated[Text, BeforeValidator(_statistic)] | None = None
    from_entry: Annotated[list[Word], BeforeValidator(_listed)] = []

    @cached_property
    def is_value(self) -> bool:
        """Whether it describes measured numbers."""
        return (
            VALUE in self.captures
            or self.metric is not None
            or (self.unit is not None and self.field is None)
        )

    @property
    def given(self) -> dict[str, str]:
        """Metric, unit, statistic and constants of its cells."""
        own = {METRIC: self.metric, UNIT: self.unit, STATISTIC: self.statistic}
        return self.constants | {name: text for name, text in own.items() if text}

    @cached_property
    def captures(self) -> tuple[str, ...]:
        """The conditions that its cells state."""
        return (*([self.field] if self.field else ()), *groups_of(self.match))

    def spans(self, text: str) -> Spans | None:
        """First and last character of each condition in a cell; None if the cell does not match."""
        spans = compiled(self.match).fullmatch(text) if self.match else {}
        if spans is None or self.field is None:
            return spans
        return {self.field: (0, len(text))} | spans

    @model_validator(mode="after")
    def _says_something(self) -> Spec:
        if self.field == IGNORE:
            raise fault(
                "`ignore` is for a whole column, not for some of its cells: use `missing`", "field"
            )
        if self.match and not groups_of(self.match):
            raise fault(f"`{self.match}` has no named group, as `(?P<model>.*)`", "match")
        if not (self.field or self.match or self.is_value):
            raise fault(
                "it does not define the cell: give a `field`, a `match`, or a `metric` with its `unit`"
            )
        if self.metric and self.field not in (None, VALUE):
            raise fault(
                f"a cell is a number of `{self.metric}` or a `{self.field}`, not both", "field"
            )
        return self


Specs = Annotated[list[Spec], BeforeValidator(_specs)]


@dataclass(frozen=True)
class DeclaredColumn:
    """What the cells below a heading are.

    Attributes:
        written: The heading as written in the mapping.
        specs: What its cells are, tried in order; none for an ignored column.
        is_own: Whether the entry itself lists it: then its tables must have it.
    """

    written: str
    specs: Sequence[Spec]
    is_own: bool

    @cached_property
    def pattern(self) -> Compiled | None:
        """The pattern of its headings; None if the heading is written out."""
        return compiled(self.written[1:-1], folds_case=True) if is_pattern(self.written) else None

    @cached_property
    def is_value(self) -> bool:
        """Whether its cells are measured numbers."""
        return any(spec.is_value for spec in self.specs)

    @property
    def rank(self) -> tuple[bool, bool]:
        """Sort key: the entry before the file, a heading that is written out before a pattern."""
        return not self.is_own, self.pattern is not None

    def fit(self, text: str) -> Spans | None:
        """The groups captured from a heading; None for a heading of another column."""
        if self.pattern is not None:
            return self.pattern.fullmatch(text)
        return {} if fold(text) == fold(self.written) else None


# Tables


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HeadingPattern(_Strict):
    """A pattern of the texts above a table.

    Attributes:
        pattern: The pattern; its named groups are conditions.
        far: `true`: it is also tried on texts further up than the nearest earlier table.
        only: `heading`, `caption` or `sentence`: it is tried on texts of this kind alone.
    """

    pattern: Pattern
    far: bool = False
    only: Literal["heading", "caption", "sentence"] | None = None


class MappingEntry(_Strict):
    """What tables of one layout mean.

    Attributes:
        section: A caption, heading or sentence above the tables as a whole, or a `/pattern/` of a
            part of it. A list is any of them; with a number as its second item, the n-th table
            below the first.
        records: In JSON or YAML the list of objects that is the table, as `results[].metrics[]`, or `.` for
            the one object of a file; a list is any of them.
        columns: What the cells below each heading are: `ignore`, a dimension, a description with
            the keys below, or a list of alternatives. A heading may be a `/pattern/` of the whole
            heading, whose groups are conditions.
        headings: Patterns of captions, headings and sentences above a table; the nearest match
            states its groups. With `far: true` a pattern is also tried on texts further up than the
            nearest earlier table.
        below: The same for the text between a table and the next table or heading.
        constants: Conditions of all rows, or of those that state `where`.
        coalesce: Dimensions that one of several columns states: `{platform: [Accelerator, Processor]}`
            is the first of them that is filled, per row. That cell states nothing else, even if
            `columns` describes it.
        titles: What a row with one text states for the rows below it: a dimension, a pattern, or
            `ignore`.
        fill_down: Dimensions that a blank cell takes from the row above.
        missing: Texts of cells, in full, that mean a blank cell.
        skip_rows: Texts of cells, or `/pattern/`s of a part of them, whose rows are not read.
        decimal: `,` if the page prints measured numbers as `1.234,5`.
        names: Names of printed texts, by dimension.
        others: `ignore`: columns that are not listed are ignored.
        skip: `true`: the tables are not read.
        rows: Pattern of one row in running text; its named groups are the columns.
    """

    section: Annotated[list[Section], BeforeValidator(_listed)] = []
    records: Annotated[list[Text], BeforeValidator(_listed)] = []
    columns: dict[ColumnHeading, Specs] = {}
    headings: Annotated[list[HeadingPattern], BeforeValidator(_heading_patterns)] = []
    below: Annotated[list[Pattern], BeforeValidator(_listed)] = []
    constants: Annotated[list[Constants], BeforeValidator(_listed)] = []
    coalesce: Annotated[dict[Word, list[ColumnHeading]], AfterValidator(_coalesced)] = {}
    titles: Annotated[
        Spec | None, BeforeValidator(_title), WithJsonSchema({"type": "string", "minLength": 1})
    ] = None
    fill_down: Annotated[list[Word], BeforeValidator(_listed)] = []
    missing: Annotated[list[Plain], BeforeValidator(_listed)] = []
    skip_rows: Annotated[list[Section], BeforeValidator(_listed)] = []
    decimal: Literal[","] | None = None
    names: Annotated[dict[Word, dict[str, Text]], AfterValidator(_names)] = {}
    others: Literal["ignore"] | None = None
    skip: bool = False
    rows: Pattern | None = None

    # Set by `within`: the line in the file, and the whole file.
    _line: int = PrivateAttr(1)
    _source: SourceMapping | None = PrivateAttr(None)

    def within(self, shared: SourceMapping, line: int) -> MappingEntry:
        """The entry combined with the keys at the top of the file.

        Raises:
            PydanticCustomError: A condition is a constant and captured by a pattern.
        """
        own, of_file = _unconditional(self.constants), _unconditional(shared.constants)
        for one in self.headings:
            if name := next((name for name in groups_of(one.pattern) if name in own), None):
                raise fault(
                    f"`{name}` is a constant and a group of `{one.pattern}`: keep one", "headings"
                )
        stated = {name for text in self.patterns_around for name in groups_of(text)} | own.keys()
        left = {name: text for name, text in of_file.items() if name not in stated}
        parts = [part for part in (*shared.constants, *self.constants) if part.where]
        above = [one for one in shared.headings if stated.isdisjoint(groups_of(one.pattern))]
        update: dict[str, Any] = {
            "headings": [*self.headings, *above],
            "constants": [Constants.model_validate(left | own), *parts],
            "coalesce": shared.coalesce | self.coalesce,
            "names": {
                name: shared.names.get(name, {}) | self.names.get(name, {})
                for name in shared.names | self.names
            },
        }
        for key in ("section", "records", "titles", "others", "rows", "decimal"):
            update[key] = getattr(self, key) or getattr(shared, key)
        for key in ("below", "fill_down", "missing", "skip_rows"):
            update[key] = getattr(self, key) + getattr(shared, key)
        whole = self.model_copy(update=update)
        whole._line, whole._source = line, shared
        return whole

    @property
    def line(self) -> int:
        """Its line in the file."""
        return self._line

    @property
    def source(self) -> SourceMapping:
        """The whole mapping."""
        assert self._source is not None
        return self._source

    @property
    def patterns_around(self) -> list[str]:
        """The patterns of the texts above and below a table."""
        return [one.pattern for one in self.headings] + self.below

    @property
    def nth(self) -> int | None:
        """Which of the tables below its section it reads, from 1; None for all."""
        return (
            int(self.section[1]) if len(self.section) == 2 and self.section[1].isdecimal() else None
        )

    def is_below(self, text: str) -> bool:
        """Whether a text above a table is one of its sections."""
        return _is_one_of(self.section[:1] if self.nth else self.section, text)

    def is_skipped(self, text: str) -> bool:
        """Whether a cell is listed under `skip_rows`."""
        return _is_one_of(self.skip_rows, text)

    @cached_property
    def declared(self) -> tuple[DeclaredColumn, ...]:
        """Its columns, those of the file, those of `coalesce`, and the groups of `rows`."""
        described = self.source.described
        found = [
            DeclaredColumn(name, described(specs), True) for name, specs in self.columns.items()
        ]
        found += [
            DeclaredColumn(name, described(specs), False)
            for name, specs in self.source.columns.items()
        ]
        for name, headings in self.coalesce.items():
            is_own = headings != self.source.coalesce.get(name)
            found += [DeclaredColumn(heading, [Spec(field=name)], is_own) for heading in headings]
        found += [
            DeclaredColumn(group, [Spec(field=group)], True) for group in groups_of(self.rows)
        ]
        # The first of a heading counts.
        by_heading = {fold(column.written): column for column in reversed(found)}
        return tuple(reversed(by_heading.values()))

    def is_missing(self, text: str) -> bool:
        """Whether a cell is blank or listed under `missing`."""
        return not text.strip() or " ".join(text.split()) in self.missing

    @cached_property
    def _named(self) -> dict[tuple[str, str], str]:
        return {
            (name, fold(text)): value
            for name, known in self.names.items()
            for text, value in known.items()
        }

    def is_named(self, dimension: str, text: str) -> bool:
        """Whether `names` has a printed text."""
        return (dimension, fold(text)) in self._named

    def name_of(self, dimension: str, text: str) -> str:
        """The name of a printed text under `names`, or the text itself."""
        return self._named.get((dimension, fold(text)), text).removeprefix(UNPRINTED)

    def given(self) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, str]]]:
        """Everything that it states without a pattern, each with the place in the file."""
        for part in self.constants:
            yield ("constants",), part.constants
        for column in self.declared:
            for number, spec in enumerate(column.specs):
                yield ("columns", column.written, number), spec.given

    @cached_property
    def stated(self) -> list[tuple[str, str]]:
        """Name and text of everything that it states without a pattern."""
        return [pair for _, part in self.given() for pair in part.items()]

    @cached_property
    def printed_words(self) -> tuple[tuple[str, str, PrintedKind], ...]:
        """Condition and text of the names and numbers that the document has to print."""
        translated = [(name, text) for name, known in self.names.items() for text in known.values()]
        found: list[tuple[str, str, PrintedKind]] = []
        for name, value in dict.fromkeys([*self.stated, *translated]):
            known = dimensions().get(name)
            parts = [] if value.startswith(UNPRINTED) else TEMPLATE.split(value)[::2]
            words = [
                word.strip("()[],;:") for part in parts for word in part.replace("/", " ").split()
            ]
            is_number = not any(map(str.isalpha, value.lstrip("vV")))
            if known and known.is_printed:
                found += [
                    (name, text.strip(), "name") for text in parts if any(map(str.isalnum, text))
                ]
            # Of the texts under `names` only numbers are printed as given.
            elif (
                name not in _UNCOUNTED
                and not (known and known.one_of)
                and (is_number or (name, value) in self.stated)
            ):
                kind: PrintedKind = "number" if len(words) == len(parts) == 1 else "part"
                found += [(name, word, kind) for word in words if any(map(str.isdecimal, word))]
        return tuple(found)

    @cached_property
    def units(self) -> frozenset[str]:
        """The units that it states, as written."""
        return frozenset(text for name, text in self.stated if name == UNIT)

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """A model, a platform, and the parts of their templates."""
        texts = [text for name, text in self.stated if name in SUBJECTS]
        return (*SUBJECTS, *TEMPLATE.findall(" ".join(texts)))

    @cached_property
    def templated(self) -> frozenset[str]:
        """Dimensions stated by a template."""
        return frozenset(name for name, text in self.stated if TEMPLATE.search(text))

    @cached_property
    def has_quality(self) -> bool:
        """Whether any of its columns is a quality of a model, such as an accuracy."""
        metrics = (self.source.metric(text) for name, text in self.stated if name == METRIC)
        return any(metric is not None and metric[1] == "quality" for metric in metrics)


def _unconditional(parts: Iterable[Constants]) -> dict[str, str]:
    """The constants of all rows."""
    found: dict[str, str] = {}
    for part in parts:
        found |= {} if part.where else part.constants
    return found


class DeclaredMetric(_Strict):
    """A metric that is not in the vocabulary.

    Attributes:
        unit: The unit in which it is stored; a word that is not a unit is the name of a score.
        higher_is_better: `true` or `false`.
        kind: `quality` (a score of a model, the default), `performance`, `size`, or `platform` (what a
            data sheet states).
        range: The least and the greatest value; by default any of a quality, and above 0 of other
            kinds.
    """

    unit: Text
    higher_is_better: bool
    kind: MetricKind = "quality"
    range: tuple[float, float] | None = None


class Measured(NamedTuple):
    """What numbers measure.

    Attributes:
        metric: The metric.
        canonical: Its canonical unit.
        kind: Its kind.
        unit: The unit of the mapping.
        measure: What that unit measures.
        wanted: What the canonical unit measures.
    """

    metric: str
    canonical: str
    kind: MetricKind
    unit: str
    measure: Measure
    wanted: Measure


class SourceMapping(MappingEntry):
    """A whole `mapping.yml`. The other keys at the top hold for every entry of `tables`.

    Attributes:
        tables: The entries: each describes tables of one layout. A source of logs has `constants`,
            `names` or `arguments` instead.
        cells: Descriptions of cells by a name of your own, which `columns` uses like a dimension.
        metrics: Metrics that are not in the vocabulary.
        arguments: What the arguments of the commands in logs state, by their names:
            `{tp: tensor_parallel}`; `ignore`.
        expected: Values that look wrong and are right: the key of the question in the preview, and
            why.
    """

    tables: list[MappingEntry] = []
    cells: dict[Annotated[str, AfterValidator(_new_word)], Specs] = {}
    arguments: dict[str, Word] = {}
    metrics: dict[
        Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$"), AfterValidator(_new_metric)],
        DeclaredMetric,
    ] = {}
    expected: dict[Text, Text] = {}

    # Of a shipped layout the name of its file.
    _layout: str = PrivateAttr("")

    @model_validator(mode="after")
    def _says_something(self) -> SourceMapping:
        if not (self.tables or self.constants or self.names or self.arguments):
            raise fault(
                f"`tables` is {'empty' if 'tables' in self.model_fields_set else 'missing'}",
                "tables",
            )
        return self

    @property
    def source(self) -> SourceMapping:
        """The mapping itself."""
        return self

    @property
    def layout(self) -> str:
        """The name of its file, if it is a shipped layout, or ""."""
        return self._layout

    def as_layout(self, name: str) -> None:
        """Make it a shipped layout."""
        self._layout = name

    def with_constants_of(self, other: SourceMapping) -> SourceMapping:
        """The mapping with what another one states of all rows; that of the other one counts."""
        names = {
            name: self.names.get(name, {}) | other.names.get(name, {})
            for name in self.names | other.names
        }
        constants = [*self.constants, *other.constants]
        return self.model_copy(update={"constants": constants, "names": names})

    def described(self, specs: Sequence[Spec]) -> Sequence[Spec]:
        """What cells are; those that `cells` describes are given by their name alone."""
        name = specs[0].field if len(specs) == 1 else None
        is_name = name in self.cells and specs[0] == Spec(field=name)
        return self.cells[name] if name and is_name else specs

    def check_metric(self, given: Mapping[str, str], at: Sequence[str | int]) -> None:
        """Refuse an unknown metric, an unknown unit, or a unit that does not fit the metric.

        Raises:
            PydanticCustomError: As of `fault`.
        """
        name, unit = given.get(METRIC, ""), given.get(UNIT, "").removeprefix(UNPRINTED)
        is_known = self.metric(name) is not None
        if name and not is_known and not TEMPLATE.search(name):
            known = [*(str(item["name"]) for item in entries("metrics")), *self.metrics]
            declared = (
                f"`metrics: {{{name[:40]}: {{unit: ..., higher_is_better: true}}}}` declares one"
            )
            raise fault(f"{name[:60]!r} is not a metric{nearest(name, known)}; {declared}", *at)
        if unit and not TEMPLATE.search(unit):
            try:
                self.measured(name, unit) if is_known else self.measure(unit)
            except ValueError as error:
                raise fault(str(error), *at) from error

    def measure(self, unit: str) -> Measure:
        """What a unit measures; the unit of a declared metric measures itself.

        Raises:
            ValueError: It is not a unit.
        """
        is_own = any(metric.unit == unit for metric in self.metrics.values())
        measure = measure_of(unit) or (Measure(unit, 1.0) if is_own else None)
        if measure is None:
            names = [str(item["name"]) for item in entries("units")]
            raise ValueError(f"{unit[:60]!r} is not a unit{nearest(unit, names)}")
        return measure

    def measured(self, metric: str, unit: str) -> Measured:
        """What numbers of a known metric measure in a unit, "" for its canonical one.

        Raises:
            ValueError: It is not a unit of the metric.
        """
        canonical, kind = self.metric(metric) or ("", "performance")
        wanted = measure_of(canonical) or Measure(canonical, 1.0)
        measure = self.measure(unit) if unit else wanted
        other = METRIC_OF_UNIT.get((metric, measure.kind), metric)
        if other != metric:
            raise ValueError(f"{unit!r} is a unit of {other}, not of {metric}")
        if not measure.converts_to(wanted):
            raise ValueError(
                f"{unit!r} is not a unit of {metric}, which is measured in {canonical}"
            )
        return Measured(metric, canonical, kind, unit, measure, wanted)

    def metric(self, name: str) -> tuple[str, MetricKind] | None:
        """Canonical unit and kind of a metric of the vocabulary or of the mapping, by its canonical
        name.
        """
        if own := self.metrics.get(name):
            return own.unit, own.kind
        entry = find("metrics", name)
        if entry is None or entry.name != name:
            return None
        return str(entry.facts["unit"]), entry.facts.get("kind", "performance")


# Of a source without a `mapping.yml`: it states nothing.
NO_MAPPING = SourceMapping.model_construct()
