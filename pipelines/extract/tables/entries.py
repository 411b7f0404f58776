"""The entries of a mapping made ready to be laid on tables: what stands at the top of the file is in each of them.

What the keys of a mapping mean belongs in `mapping.py`, how an entry meets a table in `apply.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.extract.tables.mapping import (
    IGNORE,
    METRIC,
    STATISTIC,
    TEMPLATE,
    UNIT,
    UNPRINTED,
    VALUE,
    Entry,
    MappingError,
    SourceMapping,
    Spec,
    line_of,
    load_mapping,
)
from pipelines.extract.tables.patterns import Compiled, compiled, groups_of, is_pattern
from pipelines.extract.tables.printed import fold
from pipelines.vocabulary.dimensions import dimensions

# Conditions of a row, and what holds for the rows that meet them.
Stated = tuple[Mapping[str, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Column:
    """What the cells below a heading are.

    Attributes:
        written: The heading as the mapping writes it.
        heading: The folded heading, or None for a pattern.
        pattern: The pattern of headings, or None.
        specs: What its cells are, tried in order; none where it is ignored.
        is_own: Whether the entry itself names it: then its tables must have it.
    """

    written: str
    heading: str | None
    pattern: Compiled | None
    specs: tuple[Spec, ...]
    is_own: bool

    @property
    def is_value(self) -> bool:
        """Whether measured numbers stand below it."""
        return any(spec.is_value for spec in self.specs)


@dataclass(frozen=True, slots=True)
class Rules:
    """An entry of a mapping with what the whole file says.

    Attributes:
        line: Its line in the file.
        entry: What the entry itself says.
        sections: Folded texts and patterns of what stands above its tables; empty for any.
        columns: Its own columns, then those of the file.
        headings: Patterns of the texts above a table, as written.
        below: Patterns of the notes below it.
        constants: Conditions of rows, and what holds for the rows that meet them.
        titles: What a row of one text states, or None.
        fill_down: Dimensions that a blank cell takes from the row above.
        missing: Texts printed where nothing was measured.
        names: Values of printed texts, by dimension and folded text.
        ignores_others: Whether columns may be left out.
        rows: The pattern of a row in running text, or None.
        templated: Dimensions of which a constant is a template.
        claims: Dimension and text of what the document has to print.
        mapping: The whole mapping, which knows its metrics.
    """

    line: int
    entry: Entry
    sections: tuple[str | Compiled, ...]
    columns: tuple[Column, ...]
    headings: tuple[str, ...]
    below: tuple[str, ...]
    constants: tuple[Stated, ...]
    titles: Spec | None
    fill_down: frozenset[str]
    missing: frozenset[str]
    names: Mapping[str, Mapping[str, str]]
    ignores_others: bool
    rows: Compiled | None
    templated: frozenset[str]
    claims: tuple[tuple[str, str], ...]
    mapping: SourceMapping

    @property
    def has_quality(self) -> bool:
        """Whether any of its columns is a quality of a model, such as an accuracy."""
        metrics = {spec.metric for column in self.columns for spec in column.specs if spec.metric}
        found = [known for name in metrics if (known := self.mapping.metric(name))]
        return any(kind == "quality" for _, kind in found)


def load_entries(path: Path) -> tuple[Rules, ...]:
    """The entries of a `mapping.yml`, ready to use.

    Raises:
        MappingError: As of `load_mapping`, or an entry contradicts itself or the file.
    """
    mapping, tree = load_mapping(path)
    rules = []
    for number, entry in enumerate(mapping.tables):
        try:
            rules.append(_rules(entry, mapping, line_of(("tables", number), tree)))
        except _ContradictionError as error:
            raise MappingError(path, str(error), line_of(("tables", number, *error.at), tree)) from error
    return tuple(rules)


@dataclass(frozen=True, slots=True)
class MappingFile:
    """The mapping of a source as the store lists it: where it is, and the sha256 of its bytes."""

    path: Path
    sha256: str


def load_listed(listed: MappingFile) -> tuple[Rules, ...]:
    """The entries of a mapping whose bytes are those that the store has listed.

    Raises:
        MappingError: As of `load_entries`, or the file was changed since.
    """
    entries = load_entries(listed.path)
    if hashlib.sha256(listed.path.read_bytes()).hexdigest() != listed.sha256:
        raise MappingError(listed.path, "it was changed while the build was running; build again")
    return entries


class _ContradictionError(Exception):
    def __init__(self, reason: str, *at: str | int) -> None:
        super().__init__(reason)
        self.at = at


def _rules(entry: Entry, shared: SourceMapping, line: int) -> Rules:
    constants, headings = _stated_around(entry, shared)
    columns = (*_columns(entry, shared), *_groups_of_rows(entry))
    names = {
        name: {fold(text): value for part in (shared, entry) for text, value in part.names.get(name, {}).items()}
        for name in (*shared.names, *entry.names)
    }
    titles = entry.titles or shared.titles
    pattern = entry.rows or shared.rows
    rules = Rules(
        line,
        entry,
        tuple(_section(text) for text in (entry.section[:1] if entry.nth else entry.section or shared.section)),
        columns,
        headings,
        (*entry.below, *shared.below),
        constants,
        _titles(titles) if titles else None,
        frozenset((*entry.fill_down, *shared.fill_down)),
        frozenset(("", *(" ".join(text.split()) for text in (*entry.missing, *shared.missing)))),
        names,
        "ignore" in (entry.others, shared.others),
        compiled(pattern, in_lines=True) if pattern else None,
        frozenset(
            name for _, part in _given(constants, columns) for name, text in part.items() if TEMPLATE.search(text)
        ),
        tuple(_claims(constants, columns, names)),
        shared,
    )
    _check(rules)
    return rules


def _section(text: str) -> str | Compiled:
    return compiled(text[1:-1]) if is_pattern(text) else fold(text)


def _titles(text: str) -> Spec:
    if text == IGNORE:
        return Spec(field=VALUE)
    return Spec.model_validate({"match": text} if "(?P<" in text else {"field": text})


def _columns(entry: Entry, shared: SourceMapping) -> tuple[Column, ...]:
    """Own columns before those of the file, headings before patterns."""
    own = [_column(heading, specs, is_own=True) for heading, specs in entry.columns.items()]
    known = {column.heading or column.written for column in own}
    others = [_column(heading, specs, is_own=False) for heading, specs in shared.columns.items()]
    return (*own, *(column for column in others if (column.heading or column.written) not in known))


def _groups_of_rows(entry: Entry) -> Iterator[Column]:
    """The named groups of `rows` are its columns, those that are not named as such, too."""
    named = {fold(heading) for heading in entry.columns}
    for group in groups_of(entry.rows) if entry.rows else ():
        if fold(group) not in named:
            yield Column(group, fold(group), None, (Spec(field=group),), is_own=True)


def _column(heading: str, specs: Sequence[Spec], *, is_own: bool) -> Column:
    pattern = compiled(heading[1:-1], folds_case=True) if is_pattern(heading) else None
    return Column(heading, None if pattern else fold(heading), pattern, tuple(specs), is_own)


def _stated_around(entry: Entry, shared: SourceMapping) -> tuple[tuple[Stated, ...], tuple[str, ...]]:
    """The constants and the patterns of an entry, and those of the file that state nothing that the entry states."""
    own = {name for part in entry.constants if not part.where for name in part.constants}
    own |= {name for text in (*entry.headings, *entry.below) for name in groups_of(text)}
    for text in entry.headings:
        for name in groups_of(text):
            if any(name in part.constants and not part.where for part in entry.constants):
                raise _ContradictionError(
                    f"`{name}` is a constant and a group of `{text}`: which one counts?", "headings"
                )
    constants = [
        (part.where, {name: value for name, value in part.constants.items() if part.where or name not in own})
        for part in shared.constants
    ]
    constants += [(part.where, part.constants) for part in entry.constants]
    headings = [text for text in shared.headings if own.isdisjoint(groups_of(text))]
    return tuple(constants), (*entry.headings, *headings)


def _claims(
    constants: Sequence[Stated], columns: Sequence[Column], names: Mapping[str, Mapping[str, str]]
) -> Iterable[tuple[str, str]]:
    """What the mapping states of a dimension that documents print: the fixed words of it."""
    parts = [part for _, part in constants]
    parts += [spec.constants for column in columns for spec in column.specs]
    given = [pair for part in parts for pair in part.items()]
    given += [(name, value) for name, known in names.items() for value in known.values()]
    for name, value in dict.fromkeys(given):
        known = dimensions().get(name)
        if known and known.is_printed and not value.startswith(UNPRINTED):
            for words in TEMPLATE.split(value)[::2]:
                if any(sign.isalnum() for sign in words):
                    yield name, words.strip()


def _check(rules: Rules) -> None:
    """Refuse an entry that says too little, or uses a word in a template that nothing captures."""
    if rules.entry.skip:
        return
    known = {name for text in (*rules.headings, *rules.below) for name in groups_of(text)}
    known |= {name for _, part in rules.constants for name in part}
    known |= set(groups_of(rules.titles.match)) if rules.titles and rules.titles.match else set()
    known |= {rules.titles.field} if rules.titles and rules.titles.field else set()
    known |= set(rules.rows.names) if rules.rows else set()
    for column in rules.columns:
        known |= set(column.pattern.names) if column.pattern else set()
        for spec in column.specs:
            known |= {spec.field} if spec.field else set()
            known |= set(groups_of(spec.match)) if spec.match else set()
            known |= set(spec.constants)
    for at, part in _given(rules.constants, rules.columns):
        for value in part.values():
            if unknown := next((name for name in TEMPLATE.findall(value) if name not in known), None):
                raise _ContradictionError(f"nothing captures {{{unknown}}} of `{value}`", *at)
    if rules.rows is None and not any(column.is_value for column in rules.columns):
        raise _ContradictionError(
            "no column holds measured numbers: give one a `metric` with its `unit`, or write `skip: true`", "columns"
        )
    has_metric = METRIC in known
    for column in rules.columns:
        for spec in column.specs:
            if spec.is_value and spec.metric is None and not has_metric:
                raise _ContradictionError(
                    f"`{column.written}` does not say what is measured: give it a `metric`", "columns", column.written
                )


def _given(
    constants: Sequence[Stated], columns: Sequence[Column]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, str]]]:
    """All that an entry states itself, each with the place in the file."""
    for _, part in constants:
        yield ("constants",), part
    for column in columns:
        for spec in column.specs:
            of_value = {METRIC: spec.metric, UNIT: spec.unit, STATISTIC: spec.statistic}
            yield ("columns", column.written), spec.constants | {n: text for n, text in of_value.items() if text}
