"""`mapping.yml` as a file: read with the place of each field, and refused where it says what it cannot.

Every scalar is the text as written: a heading `On` is no truth and a precision `16.16` no number.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import (
    BaseModel,
    ValidationError,
)
from pydantic_core import ErrorDetails

from pipelines.extract.tables.mapping import LONGEST_WORD, ColumnMapping, Mapping, TableMapping, Unpivot, nearest

MAPPING_FILE = "mapping.yml"

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
# Far above what a person writes; a file of more was made to exhaust a reader.
_MOST_BYTES = 100_000
_MOST_DEPTH = 20

# Keys and indexes from the top of the file to a value.
Place = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class MappingFile:
    """The mapping of a source as the store lists it: where it is, and the sha256 of its bytes."""

    path: Path
    sha256: str


class MappingError(Exception):
    """A mapping that does not say what it must; the message names file, line, and the word that may be meant."""

    def __init__(self, path: Path, reason: str, line: int | None = None, column: int | None = None) -> None:
        place = "/".join(path.parts[-3:]) + "".join(f":{part}" for part in (line, column) if part)
        super().__init__(f"{place}: {reason}")
        self.reason, self.line, self.column = reason, line, column


class _LocatedError(Exception):
    """A file that is no YAML of this kind, with line and column from 1 where they are known."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.line, self.column = line, column


def _read_located(path: Path) -> tuple[Any, dict[Place, tuple[int, int]]]:
    """Dictionaries, lists and strings of a file, and (line, column) of each key or list item by its place.

    Raises:
        _LocatedError: It cannot be read, is too large or too deep, is no YAML, uses an alias, or states a key twice.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise _LocatedError(f"the file is larger than {_MOST_BYTES // 1000} KB")
        text = content.decode("utf-8-sig")
        _check_events(text)
        node = yaml.compose(text, Loader=_LOADER)
    except OSError as error:
        raise _LocatedError(f"it cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _LocatedError("it is not UTF-8", content[: error.start].count(b"\n") + 1) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(part for part in (error.context, error.problem) if part)
        raise _LocatedError(f"no YAML: {words}", *((mark.line + 1, mark.column + 1) if mark else ())) from error
    except yaml.YAMLError as error:
        raise _LocatedError(f"no YAML: {' '.join(str(error).split())}") from error
    places: dict[Place, tuple[int, int]] = {(): (1, 1)}
    return (None if node is None else _plain(node, (), places)), places


def _check_events(text: str) -> None:
    """Refuse what must not be composed, before it is."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line, column = _position(event)
        if isinstance(event, yaml.AliasEvent):
            raise _LocatedError("an alias (`*name`) means nothing here: write the value out", line, column)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MOST_DEPTH:
                raise _LocatedError(f"nested more than {_MOST_DEPTH} deep", line, column)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _position(part: yaml.Node | yaml.Event) -> tuple[int, int]:
    return (part.start_mark.line + 1, part.start_mark.column + 1) if part.start_mark else (1, 1)


def _plain(node: yaml.Node, place: Place, places: dict[Place, tuple[int, int]]) -> Any:
    if isinstance(node, yaml.SequenceNode):
        items = []
        for number, part in enumerate(node.value):
            places[*place, number] = _position(part)
            items.append(_plain(part, (*place, number), places))
        return items
    if isinstance(node, yaml.MappingNode):
        fields: dict[str, Any] = {}
        for key, value in node.value:
            line, column = _position(key)
            if not isinstance(key, yaml.ScalarNode):
                raise _LocatedError("a field's name must be a word", line, column)
            if key.value in fields:
                raise _LocatedError(f"{key.value[:60]!r} stands twice; which one counts?", line, column)
            places[*place, key.value] = line, column
            fields[key.value] = _plain(value, (*place, key.value), places)
        return fields
    return node.value


def load_mapping(path: Path) -> Mapping:
    """The mapping of a source, checked field by field.

    Raises:
        MappingError: The file is no YAML, too large or too deep, or a field, type, name or unit in it is wrong.
    """
    try:
        content, places = _read_located(path)
    except _LocatedError as error:
        raise MappingError(path, str(error), error.line, error.column) from error
    if not isinstance(content, dict):
        raise MappingError(path, "a mapping must hold fields with values, such as `checked: true`", 1)
    try:
        mapping = Mapping.model_validate(content)
    except ValidationError as error:
        # A field that is misspelt is missing, too: what is there and wrong says more.
        first = min(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
        line, column = _place_of((*first["loc"], *first.get("ctx", {}).get("at", ())), places)
        raise MappingError(path, _worded(first), line, column) from error
    for number, table in enumerate(mapping.tables):
        table._line = places["tables", number][0]
    return mapping


def load_listed(listed: MappingFile) -> Mapping:
    """The mapping of a source, whose bytes are those that the store has listed.

    Raises:
        MappingError: As of `load_mapping`, or the file was changed since.
    """
    mapping = load_mapping(listed.path)
    if hashlib.sha256(listed.path.read_bytes()).hexdigest() != listed.sha256:
        raise MappingError(listed.path, "it was changed while the build was running; build again")
    return mapping


def _place_of(loc: tuple[int | str, ...], places: dict[Place, tuple[int, int]]) -> tuple[int, int]:
    """Where the field of an error stands, or what is nearest around it: what is missing stands nowhere."""
    while loc and loc not in places:
        loc = loc[:-1]
    return places.get(loc, (1, 1))


_MODELS: tuple[type[BaseModel], ...] = (Mapping, TableMapping, ColumnMapping, Unpivot)
_TYPES = {
    "int_parsing": "must be a whole number",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "string_too_short": "is empty",
    "too_short": "is empty",
    "missing": "is missing",
    "list_type": "must be a list",
    "dict_type": "must hold fields with values",
    "model_type": "must hold fields with values",
    "model_attributes_type": "must hold fields with values",
}


def _worded(error: ErrorDetails) -> str:
    """What is wrong with a field, as a sentence for whoever wrote it."""
    where = ".".join(str(part) for part in error["loc"] if part != "[key]")
    if error["type"] == "extra_forbidden":
        word = str(error["loc"][-1])
        known = _known_beside(error["loc"])
        meant = nearest(word, known)
        hint = f"did you mean {meant!r}?" if meant else f"known are: {', '.join(known)}"
        return f"there is no field {word[:LONGEST_WORD]!r} here; {hint}"
    if error["type"] == "mapping":
        return error["msg"]
    return f"`{where}` {_TYPES.get(error['type'], error['msg'])}"


def _known_beside(loc: tuple[int | str, ...]) -> list[str]:
    """The fields that may stand where an unknown one does."""
    inner = [part for part in loc[:-1] if not isinstance(part, int)]
    model: type[BaseModel] = Mapping
    if inner[-1:] == ["unpivot"]:
        model = Unpivot
    elif "columns" in inner:
        model = ColumnMapping
    elif inner == ["tables"]:
        model = TableMapping
    return list(model.model_fields)
