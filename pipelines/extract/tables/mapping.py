"""The mapping language: what the tables of a source mean, said by a person.

One pydantic model and its checks. What it says of a cell belongs in `specs.py`, how a file is loaded in `entries.py`,
how a mapping is laid on a printed table in `apply.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, model_validator

from pipelines.extract.tables.patterns import Compiled, Spans, compiled, fold, groups_of, is_pattern
from pipelines.extract.tables.specs import (
    IGNORE,
    METRIC,
    TEMPLATE,
    UNIT,
    UNPRINTED,
    VALUE,
    Constants,
    Pattern,
    Spec,
    Text,
    Word,
    constant_word,
    dimension_word,
    fault,
    listed,
    nearest,
    pattern_word,
)
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import entries, find
from pipelines.vocabulary.units import Measure, measure_of

MAPPING_FILE, DRAFT_FILE = "mapping.yml", "mapping.draft.yml"
# These two, further drafts, and a mapping that another one has replaced.
MAPPING_FILES = "mapping*.yml"
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


def _section(given: Any) -> Any:
    for text in listed(given):
        if is_pattern(str(text)):
            pattern_word(text[1:-1])
    return listed(given)


def _specs(given: Any) -> Any:
    if given == IGNORE:
        return []
    return [{"field": each} if isinstance(each, str) else each for each in listed(given)]


def _heading(text: str) -> str:
    return f"/{pattern_word(text[1:-1], matches_heading=True)}/" if is_pattern(text) else text


def _single_blanks(text: str) -> str:
    return " ".join(text.split())


def _new_metric(name: str) -> str:
    if find("metrics", name):
        raise fault(f"the vocabulary has a metric {name!r} already")
    return name


Columns = dict[Annotated[str, BeforeValidator(_heading)], Annotated[list[Spec], BeforeValidator(_specs)]]


@dataclass(frozen=True)
class DeclaredColumn:
    """What the cells below a heading are.

    Attributes:
        written: The heading as the mapping writes it.
        specs: What its cells are, tried in order; none where it is ignored.
        is_own: Whether the entry itself names it: then its tables must have it.
    """

    written: str
    specs: Sequence[Spec]
    is_own: bool

    @cached_property
    def pattern(self) -> Compiled | None:
        """The pattern of its headings, or None where the heading is written out."""
        return compiled(self.written[1:-1], folds_case=True) if is_pattern(self.written) else None

    @cached_property
    def is_value(self) -> bool:
        """Whether measured numbers stand below it."""
        return any(spec.is_value for spec in self.specs)

    @property
    def rank(self) -> tuple[bool, bool]:
        """A heading that is written out goes before a pattern, what the entry says before what the file says."""
        return not self.is_own, self.pattern is not None

    def fit(self, text: str) -> Spans | None:
        """What is captured of a heading that it is about; None for another one."""
        if self.pattern is not None:
            return self.pattern.fullmatch(text)
        return {} if fold(text) == fold(self.written) else None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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
    headings: Annotated[list[Pattern], BeforeValidator(listed)] = []
    below: Annotated[list[Pattern], BeforeValidator(listed)] = []
    constants: Annotated[list[Constants], BeforeValidator(listed)] = []
    titles: Text | None = None
    fill_down: Annotated[list[Word], BeforeValidator(listed)] = []
    missing: Annotated[list[Annotated[str, AfterValidator(_single_blanks)]], BeforeValidator(listed)] = []
    names: dict[Word, dict[str, Text]] = {}
    others: Literal["ignore"] | None = None
    skip: bool = False
    rows: Pattern | None = None

    # Of an entry that is ready to use: its line in the file, the whole file, the headings that are its own.
    _line: int = PrivateAttr(1)
    _source: SourceMapping | None = PrivateAttr(None)
    _own: frozenset[str] = PrivateAttr(frozenset())

    @model_validator(mode="after")
    def _check_parts(self) -> Entry:
        if self.titles not in (None, IGNORE):
            (pattern_word if "(?P<" in self.titles else dimension_word)(self.titles)
        for name, known in self.names.items():
            for text in known.values():
                constant_word(name, text)
        return self

    def within(self, shared: SourceMapping, line: int) -> Entry:
        """The entry with what the file says of all entries, ready to use.

        Raises:
            PydanticCustomError: A condition is a constant and captured by a pattern.
        """
        fixed = {name for part in self.constants if not part.where for name in part.constants}
        for text in self.headings:
            if name := next((name for name in groups_of(text) if name in fixed), None):
                raise fault(f"`{name}` is a constant and a group of `{text}`: which one counts?", "headings")
        own = fixed | {name for text in (*self.headings, *self.below) for name in groups_of(text)}
        lent = [
            part if part.where else Constants.model_validate({n: t for n, t in part.constants.items() if n not in own})
            for part in shared.constants
        ]
        written = {heading if is_pattern(heading) else fold(heading) for heading in self.columns}
        others = {
            heading: specs
            for heading, specs in shared.columns.items()
            if (heading if is_pattern(heading) else fold(heading)) not in written
        }
        names = {name: shared.names.get(name, {}) | self.names.get(name, {}) for name in (*shared.names, *self.names)}
        update = {
            name: getattr(self, name) or getattr(shared, name) for name in ("section", "titles", "others", "rows")
        }
        update |= {name: getattr(self, name) + getattr(shared, name) for name in ("below", "fill_down", "missing")}
        headings = [*self.headings, *(text for text in shared.headings if own.isdisjoint(groups_of(text)))]
        constants = [*lent, *self.constants]
        update |= {"columns": self.columns | others, "headings": headings, "constants": constants, "names": names}
        whole = self.model_copy(update=update)
        whole._line, whole._source, whole._own = line, shared, frozenset(self.columns)
        return whole

    @property
    def line(self) -> int:
        """Its line in the file."""
        return self._line

    @property
    def source(self) -> SourceMapping:
        """The whole mapping, which knows its metrics."""
        assert self._source is not None
        return self._source

    @property
    def nth(self) -> int | None:
        """Which of the tables below its section it is about, from 1; None for all."""
        return int(self.section[1]) if len(self.section) == 2 and self.section[1].isdecimal() else None

    def is_below(self, text: str) -> bool:
        """Whether a text is one that its tables stand below."""
        texts = self.section[:1] if self.nth else self.section
        folded = fold(text)
        return any(compiled(t[1:-1]).search(text) is not None if is_pattern(t) else fold(t) == folded for t in texts)

    @cached_property
    def declared(self) -> tuple[DeclaredColumn, ...]:
        """Its columns: its own, those of the file, and the groups of `rows`."""
        named = {fold(heading) for heading in self._own}
        groups = [group for group in groups_of(self.rows) if fold(group) not in named]
        return (
            *(DeclaredColumn(name, specs, name in self._own) for name, specs in self.columns.items()),
            *(DeclaredColumn(group, [Spec(field=group)], is_own=True) for group in groups),
        )

    @cached_property
    def row_pattern(self) -> Compiled | None:
        """The pattern of a row in running text."""
        return compiled(self.rows, in_lines=True) if self.rows else None

    @cached_property
    def title(self) -> Spec | None:
        """What a row of one text states; one that is ignored states nothing."""
        if self.titles is None or self.titles == IGNORE:
            return Spec(field=VALUE) if self.titles else None
        return Spec(match=self.titles) if "(?P<" in self.titles else Spec(field=self.titles)

    def is_missing(self, text: str) -> bool:
        """Whether a text is printed where nothing was measured or stated."""
        return " ".join(text.split()) in ("", *self.missing)

    @cached_property
    def _named(self) -> dict[str, dict[str, str]]:
        return {name: {fold(text): value for text, value in known.items()} for name, known in self.names.items()}

    def name_of(self, dimension: str, text: str) -> str:
        """The canonical name that the mapping gives to a printed text, or the text itself."""
        return self._named.get(dimension, {}).get(fold(text), text).removeprefix(UNPRINTED)

    def given(self) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, str]]]:
        """All that it states itself, each with the place in the file."""
        for part in self.constants:
            yield ("constants",), part.constants
        for column in self.declared:
            for number, spec in enumerate(column.specs):
                yield ("columns", column.written, number), spec.given

    @cached_property
    def printed_words(self) -> tuple[tuple[str, str], ...]:
        """Dimension and text of what the document has to print: the fixed words of what the entry states itself."""
        given = [pair for _, part in self.given() for pair in part.items()]
        given += [(name, text) for name, known in self.names.items() for text in known.values()]
        return tuple(
            (name, words.strip())
            for name, value in dict.fromkeys(given)
            if name in dimensions() and dimensions()[name].is_printed and not value.startswith(UNPRINTED)
            for words in TEMPLATE.split(value)[::2]
            if any(map(str.isalnum, words))
        )

    @cached_property
    def templated(self) -> frozenset[str]:
        """Dimensions of which something stated is a template."""
        return frozenset(name for _, part in self.given() for name, text in part.items() if TEMPLATE.search(text))

    @cached_property
    def has_quality(self) -> bool:
        """Whether any of its columns is a quality of a model, such as an accuracy."""
        metrics = {spec.metric for column in self.declared for spec in column.specs if spec.metric}
        found = [known for name in metrics if (known := self.source.metric(name))]
        return any(kind == "quality" for _, kind in found)


class DeclaredMetric(_Strict):
    """A metric that the vocabulary lacks.

    Attributes:
        unit: Its canonical unit; a word that is no unit is the name of a score.
        higher_is_better: Whether more of it is a gain.
        kind: A quality takes the machine and its settings from its own row alone; a size is that of a model.
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
    metrics: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$"), AfterValidator(_new_metric)], DeclaredMetric] = {}

    def check_metric(self, given: Mapping[str, str], at: Sequence[str | int]) -> None:
        """Refuse a metric and a unit that nobody knows, or that do not go together.

        Raises:
            PydanticCustomError: As of `fault`.
        """
        name, unit = given.get(METRIC), given.get(UNIT)
        metric, measure = self.metric(name or ""), self.measure(unit or "")
        if name and metric is None and not TEMPLATE.search(name):
            known = [str(item["name"]) for item in entries("metrics")] + list(self.metrics)
            declared = f"`metrics: {{{name[:40]}: {{unit: ..., higher_is_better: true}}}}` declares one"
            raise fault(f"{name[:60]!r} is no metric{nearest(name, known)}; {declared}", *at)
        if unit and measure is None and not TEMPLATE.search(unit):
            names = [str(item["name"]) for item in entries("units")]
            raise fault(f"{unit[:60]!r} is no unit{nearest(unit, names)}", *at)
        if metric and measure and not measure.converts_to(self.measure(metric[0]) or measure):
            raise fault(f"{unit!r} is no unit of {name}, which is measured in {metric[0]}", *at)

    def measure(self, unit: str) -> Measure | None:
        """What a unit measures; that of a declared metric measures itself."""
        is_own = any(metric.unit == unit for metric in self.metrics.values())
        return measure_of(unit) or (Measure(unit, 1.0) if is_own else None)

    def metric(self, name: str) -> tuple[str, MetricKind] | None:
        """Canonical unit and kind of a metric of the vocabulary or of the mapping, by its canonical name."""
        if own := self.metrics.get(name):
            return own.unit, own.kind
        entry = find("metrics", name)
        if entry is None or entry.name != name:
            return None
        return str(entry.facts["unit"]), entry.facts.get("kind", "performance")
