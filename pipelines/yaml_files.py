"""Loads YAML as dictionaries and lists, without anchors and aliases.

Nothing in a file can multiply or change what another part of it says: no aliases, anchors, merge
keys, tags, dates or numbers to base 60. What the fields of a file may be is for its model to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from pipelines.exceptions import BenchledgerError

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
# A vocabulary, or the mapping of a source: the longest of the project has 75 KB.
MOST_BYTES = 1 << 20
_MOST_DEPTH = 20
_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]{1,18}")
# `16.16`, `-0.5`, `1e-6`
_NUMBER = re.compile(
    r"[-+]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][-+]?[0-9]{1,2})?"
)
_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}


class YamlError(BenchledgerError):
    """A file that is no YAML of this project."""


class _Placed:
    """A collection with its place.

    Attributes:
        line: Where it begins, from 1.
        lines: Where the name of each field, or each item by its number, begins.
    """

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[Any, int] = {}


class Fields(_Placed, dict[str, Any]):
    """Fields with their values in the order of the file."""


class Items(_Placed, list[Any]):
    """The items of a list."""


def load_yaml(
    source: Path | str | bytes, *, most_bytes: int = MOST_BYTES, texts_only: bool = False
) -> Any:
    """The content of a YAML file or text: `Fields`, `Items`, texts, and None for an empty file.

    With `texts_only` every scalar is the text as written: a heading `On` is no flag, a precision
    `16.10` no number, and `!ResNet-50` keeps its mark. Without it whole numbers, decimal numbers,
    true, false and null are values.

    Raises:
        YamlError: It cannot be read, is too large or too deep, is no YAML or not UTF-8, uses an
            alias, an anchor, a merge key or a tag, or names a field twice.
    """
    try:
        return _built(_text(source, most_bytes), texts_only)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(part for part in (error.context, error.problem) if part)
        raise YamlError(f"no YAML: {words}", line=mark.line + 1 if mark else 0) from error
    except yaml.YAMLError as error:
        raise YamlError(f"no YAML: {' '.join(str(error).split())}") from error


def _text(source: Path | str | bytes, most_bytes: int) -> str:
    if isinstance(source, Path):
        try:
            with source.open("rb") as file:
                source = file.read(most_bytes + 1)
        except OSError as error:
            raise YamlError(f"it cannot be read: {error.strerror}") from error
    content = source.encode("utf-8", "replace") if isinstance(source, str) else source
    if len(content) > most_bytes:
        raise YamlError(f"it is larger than {most_bytes // 1000:,} KB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise YamlError("it is not UTF-8", line=content[: error.start].count(b"\n") + 1) from error


def _built(text: str, texts_only: bool) -> Any:
    """The value of the one document of a text, made from its events: PyYAML's own tree takes three
    times as long, and nests without end.
    """
    values: list[Any] = []
    events = yaml.parse(text, Loader=_LOADER)
    for event in events:
        if isinstance(event, yaml.NodeEvent):
            if values:
                words = "a second document starts here; only one is allowed"
                raise YamlError(words, line=_line(event))
            values.append(_value(event, events, texts_only))
    return values[0] if values else None


def _line(event: yaml.Event) -> int:
    mark: Any = event.start_mark
    return int(mark.line) + 1


def _value(event: yaml.NodeEvent, events: Iterator[Any], texts_only: bool, depth: int = 0) -> Any:
    """The value that begins with an event; those within it are taken from the rest."""
    line = _line(event)
    if event.anchor:
        is_alias = isinstance(event, yaml.AliasEvent)
        sign = "an alias (`*name`)" if is_alias else "an anchor (`&name`)"
        raise YamlError(f"{sign} is not supported: write the value", line=line)
    tag = getattr(event, "tag", None)
    if tag and not (texts_only and isinstance(event, yaml.ScalarEvent)):
        raise YamlError(f"a tag (`{tag[:60]}`) is not supported", line=line)
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event, texts_only)
    if depth == _MOST_DEPTH:
        raise YamlError(f"nested more than {_MOST_DEPTH} deep", line=line)
    if isinstance(event, yaml.SequenceStartEvent):
        items = Items(line)
        for inner in events:
            if isinstance(inner, yaml.SequenceEndEvent):
                break
            items.lines[len(items)] = _line(inner)
            items.append(_value(inner, events, texts_only, depth + 1))
        return items
    fields = Fields(line)
    for inner in events:
        if isinstance(inner, yaml.MappingEndEvent):
            break
        name = _name(inner, fields)
        fields[name] = _value(next(events), events, texts_only, depth + 1)
    return fields


def _name(event: yaml.NodeEvent, inside: Fields) -> str:
    """The name of a field, noted with its place."""
    line = _line(event)
    if not isinstance(event, yaml.ScalarEvent) or event.tag or event.anchor:
        raise YamlError("a field name must be text", line=line)
    name: str = event.value
    if name == "<<":
        raise YamlError("a merge key (`<<`) is not supported: write the fields", line=line)
    if name in inside.lines:
        raise YamlError(f"{name[:60]!r} is given twice; keep one", line=line)
    inside.lines[name] = line
    return name


def _scalar(event: yaml.ScalarEvent, texts_only: bool) -> Any:
    text: str = event.value
    if event.tag:
        return f"{event.tag} {text}".rstrip()
    if texts_only or not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
