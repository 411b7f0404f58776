"""A small YAML file that a person wrote, as plain text values, with the line and column of each.

Every scalar is the text as written: a heading `On` is no truth and a precision `16.16` no number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
# Far above what a person writes; a file of more was made to exhaust a reader.
_MOST_BYTES = 100_000
_MOST_DEPTH = 20

# Keys and indexes from the top of the file to a value.
Place = tuple[int | str, ...]


class LocatedError(Exception):
    """A file that is no YAML of this kind, with line and column from 1 where they are known."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.line, self.column = line, column


def read_located(path: Path) -> tuple[Any, dict[Place, tuple[int, int]]]:
    """Dictionaries, lists and strings of a file, and (line, column) of each key or list item by its place.

    Raises:
        LocatedError: It cannot be read, is too large or too deep, is no YAML, uses an alias, or states a key twice.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise LocatedError(f"the file is larger than {_MOST_BYTES // 1000} KB")
        text = content.decode("utf-8-sig")
        _check_events(text)
        node = yaml.compose(text, Loader=_LOADER)
    except OSError as error:
        raise LocatedError(f"it cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LocatedError("it is not UTF-8", content[: error.start].count(b"\n") + 1) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(part for part in (error.context, error.problem) if part)
        raise LocatedError(f"no YAML: {words}", *((mark.line + 1, mark.column + 1) if mark else ())) from error
    except yaml.YAMLError as error:
        raise LocatedError(f"no YAML: {' '.join(str(error).split())}") from error
    places: dict[Place, tuple[int, int]] = {(): (1, 1)}
    return (None if node is None else _plain(node, (), places)), places


def _check_events(text: str) -> None:
    """Refuse what must not be composed, before it is."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line, column = _position(event)
        if isinstance(event, yaml.AliasEvent):
            raise LocatedError("an alias (`*name`) means nothing here: write the value out", line, column)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MOST_DEPTH:
                raise LocatedError(f"nested more than {_MOST_DEPTH} deep", line, column)
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
                raise LocatedError("a field's name must be a word", line, column)
            if key.value in fields:
                raise LocatedError(f"{key.value[:60]!r} stands twice; which one counts?", line, column)
            places[*place, key.value] = line, column
            fields[key.value] = _plain(value, (*place, key.value), places)
        return fields
    return node.value
