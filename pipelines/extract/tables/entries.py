"""Loads and checks the entries of a `mapping.yml`; errors name file, line and the nearest word.

The keys of the language belong in `mapping.py`, how an entry is applied to a table in `apply.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from pipelines.extract.tables.language import METRIC, TEMPLATE, fault, nearest
from pipelines.extract.tables.mapping import (
    DeclaredMetric,
    MappingEntry,
    MappingError,
    SourceMapping,
)
from pipelines.extract.tables.patterns import groups_of
from pipelines.yaml_files import Fields, Items, YamlError, load_yaml

# Far more than a person writes.
_MOST_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class MappingFile:
    """The mapping of a source in the store: its path and the sha256 of its bytes."""

    path: Path
    sha256: str


class Entries(tuple[MappingEntry, ...]):
    """The entries of a mapping; `source` is all of it, also where it has no tables."""

    source: SourceMapping


def load_listed(listed: MappingFile) -> Entries:
    """The entries of a mapping in the store.

    Raises:
        MappingError: As in `load_entries`, or the file has changed since it was listed.
    """
    entries = load_entries(listed.path)
    if hashlib.sha256(listed.path.read_bytes()).hexdigest() != listed.sha256:
        raise MappingError(listed.path, "it changed during the build; build again")
    return entries


def load_entries(path: Path) -> Entries:
    """The entries of a `mapping.yml`, combined with the keys at its top.

    Raises:
        MappingError: The file is not YAML, is too large, has an invalid key or value, or an entry
            contradicts itself.
    """
    mapping, tree = _load(path)
    entries = []
    for number, part in enumerate(mapping.tables):
        place: tuple[str | int, ...] = ("tables", number)
        try:
            entry = part.within(mapping, _line_of(place, tree))
            _check(entry)
        except PydanticCustomError as error:
            at, own = (error.context or {})["at"], tree["tables"][number]
            # The error may be in a key at the top of the file.
            is_own = at[0] not in tree or (at[0] in own and (len(at) == 1 or at[1] in own[at[0]]))
            raise MappingError(
                path, error.message(), _line_of((*place, *at) if is_own else at, tree)
            ) from error
        entries.append(entry)
    loaded = Entries(entries)
    loaded.source = mapping
    return loaded


def _load(path: Path) -> tuple[SourceMapping, Fields]:
    try:
        tree = load_yaml(path, most_bytes=_MOST_BYTES, texts_only=True)
    except YamlError as error:
        raise MappingError(path, error.reason, error.line or 1) from error
    if not isinstance(tree, Fields):
        raise MappingError(
            path, "a mapping contains keys with values, including a list of `tables`"
        )
    if question := next(_questions(tree), None):
        reason = f"`{question[-1]}` is an open question (`?`): answer it"
        raise MappingError(path, reason, _line_of(question, tree))
    try:
        return SourceMapping.model_validate(tree), tree
    except ValidationError as error:
        # A misspelt key is also missing: the wrong key is the better message.
        order = ("extra_forbidden", "missing")
        first = min(
            error.errors(),
            key=lambda found: order.index(found["type"]) + 1 if found["type"] in order else 0,
        )
        place = (*first["loc"], *first.get("ctx", {}).get("at", ()))
        raise MappingError(path, _worded(first), _line_of(place, tree)) from error


def _questions(tree: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of open questions: keys and values that are `?`."""
    if tree == "?":
        yield place
    parts = enumerate(tree) if isinstance(tree, list) else ()
    for name, part in tree.items() if isinstance(tree, dict) else parts:
        yield from _questions("?" if name == "?" else part, (*place, name))


def _line_of(place: Sequence[str | int], tree: Any) -> int:
    """The line of a place in the file, or of the nearest part around it."""
    line, part = 1, tree
    for name in place:
        # A single item has no list, and some names of the model are not in the file.
        if isinstance(part, Fields) and name in part:
            line, part = part.lines[str(name)], part[str(name)]
        elif isinstance(part, Items) and isinstance(name, int) and name < len(part):
            line, part = part.lines[name], part[name]
    return line


_TYPES = {
    "string_type": "should be a text", "string_too_short": "is empty", "too_short": "is empty", "missing": "is missing",
    "list_type": "should be a list", "dict_type": "should have names with values", "bool_parsing": "is not true/false",
    "model_type": "should have names with values", "string_too_long": "is too long",
}  # fmt: skip


def _worded(error: ErrorDetails) -> str:
    if error["type"] == "mapping":
        return error["msg"]
    names = [str(part) for part in error["loc"] if isinstance(part, str)]
    if error["type"] == "extra_forbidden":
        model = (
            SourceMapping
            if len(error["loc"]) == 1
            else DeclaredMetric
            if "metrics" in names
            else MappingEntry
        )
        known = model.model_fields
        return (
            f"{names[-1][:60]!r} is not a key{nearest(names[-1], known)}; known: {', '.join(known)}"
        )
    if error["type"] == "literal_error":
        return f"`{names[-1]}` is {error['ctx']['expected']}"
    return f"`{'.'.join(names) or 'the file'}` {_TYPES.get(error['type'], error['msg'])}"


def _check(entry: MappingEntry) -> None:
    """Refuse an entry without measured numbers, with an unknown metric, or with a template of an
    unknown name.

    Raises:
        PydanticCustomError: As in `fault`.
    """
    if entry.skip:
        return
    known = {*groups_of(entry.rows)}
    for text in entry.patterns_around:
        known.update(groups_of(text))
    specs = [entry.titles] if entry.titles else []
    for column in entry.declared:
        known.update(column.pattern.names if column.pattern else ())
        specs += column.specs
    for spec in specs:
        known.update(spec.captures, spec.constants)
    for part in entry.constants:
        known.update(part.constants)
    for at, given in entry.given():
        entry.source.check_metric(given, at)
        for value in given.values():
            for name in TEMPLATE.findall(value):
                if name not in known:
                    raise fault(f"no group captures {{{name}}} of `{value}`", *at)
    if entry.rows is None and not any(column.is_value for column in entry.declared):
        words = "no column has measured numbers: give one a `metric` with its `unit`, or write `skip: true`"
        raise fault(words, "columns")
    for column in entry.declared if METRIC not in known else ():
        if any(spec.is_value and spec.metric is None for spec in column.specs):
            words = f"`{column.written}` has no metric: add a `metric`"
            raise fault(words, "columns", column.written)
