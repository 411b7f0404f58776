"""`mapping.yml` as a file: read with the place of each field, and refused where it says what it cannot.

Every scalar is the text as written: a heading `On` is no truth and a precision `16.16` no number.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pipelines.extract.tables.mapping import LONGEST_WORD, ColumnMapping, Mapping, TableMapping, Unpivot, nearest
from pipelines.yaml_files import Fields, Items, YamlError, load_yaml

MAPPING_FILE = "mapping.yml"

# Far above what a person writes; a file of more was made to exhaust a reader.
_MOST_BYTES = 100_000


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


def load_mapping(path: Path) -> Mapping:
    """The mapping of a source, checked field by field.

    Raises:
        MappingError: The file is no YAML, too large or too deep, or a field, type, name or unit in it is wrong.
    """
    try:
        content = load_yaml(path, most_bytes=_MOST_BYTES, texts_only=True)
    except YamlError as error:
        raise MappingError(path, error.reason, error.line, error.column) from error
    if not isinstance(content, dict):
        raise MappingError(path, "a mapping must hold fields with values, such as `checked: true`", 1)
    try:
        mapping = Mapping.model_validate(content)
    except ValidationError as error:
        # A field that is misspelt is missing, too: what is there and wrong says more.
        first = min(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
        line, column = _place_of((*first["loc"], *first.get("ctx", {}).get("at", ())), content)
        raise MappingError(path, _worded(first), line, column) from error
    for number, table in enumerate(mapping.tables):
        table._line = content["tables"].lines[number]
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


def _place_of(loc: tuple[int | str, ...], content: Any) -> tuple[int, int]:
    """Line and column of the field of an error, or of what is nearest around it: what is missing is nowhere."""
    place = 1, 1
    for part in loc:
        if isinstance(content, Fields) and part in content:
            place = content.lines[str(part)], content.columns[str(part)]
        elif isinstance(content, Items) and isinstance(part, int) and part < len(content):
            place = content.lines[part], content.columns[part]
        else:
            break
        content = content[part]
    return place


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
