"""What the command lines, the printed arguments and the named groups of the lines in a log state of how a program is
run.

The names of arguments are in `programs.yml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipelines.extract.conditions import Stated
from pipelines.extract.mentions import condition_value, known_name
from pipelines.extract.rows import Level
from pipelines.read.document import Cell
from pipelines.read.log_lines import Said
from pipelines.vocabulary.dimensions import dimensions

# Values by which a program says that it was told nothing
_NOTHING = frozenset({"", "none", "null", "auto", "default", "[]"})
# `Namespace(subparser='bench', model='Qwen/Qwen3-0.6B', batch_size=None)`, `--model Qwen/Qwen3-0.6B`, `--batch-size=8`
_ARGUMENT = re.compile(
    r"(?:(?<!\S)--(?P<option>[A-Za-z][\w-]*)(?:=|\s+)|(?<![\w.-])(?P<name>\w+)=)"
    r"(?P<value>'[^']*'|\"[^\"]*\"|[^\s,()\[\]'\"-][^\s,()\[\]'\"]*)"
)
_NAMESPACE = re.compile(r"(?:.*\s)?(?:Namespace|\w*Args|\w*Arguments|\w*Config)\(.*\)?")
# `resnet50.onnx`; the `.3` of `DeepSeek-V3.2-Exp` is a part of the name
_FILE = re.compile(r"(?i)\.(?:onnx|gguf|engine|plan|tflite|hef|xml|pt|pth|safetensors|py|json)$")
_KNOWN_ALONE = frozenset({"platform", "framework", "dataset"})


class Arguments:
    """The arguments of the last command, by the condition that they state.

    Args:
        names: Condition by name of an argument.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.stated: dict[str, Stated] = {}
        self._names = names
        self._is_continued = False

    def read(self, said: Said) -> bool:
        """Takes a command line or printed arguments in place of those before; False for any other line.

        A condition that two arguments state otherwise is unknown.
        """
        cell = said.cell
        is_continued, self._is_continued = self._is_continued, cell.text.endswith("\\")
        if "=" not in cell.text and "--" not in cell.text:
            return False
        is_printed = _NAMESPACE.fullmatch(cell.text) is not None
        if not is_printed and (said.start or (cell.text.startswith(("-", "|")) and not is_continued)):
            return False
        found: dict[str, set[Stated]] = {}
        for match in _ARGUMENT.finditer(cell.text):
            name = match["name"] if is_printed else match["option"]
            if dimension := self._names.get((name or "").replace("-", "_").casefold()):
                for stated in read_condition(dimension, cell.matched(match, "value"), is_known_alone=True):
                    found.setdefault(stated.dimension, set()).add(stated)
        if found and not is_continued:
            self.stated.clear()
        for dimension, values in found.items():
            if len({stated.value for stated in values}) == 1:
                self.stated[dimension] = min(values, key=lambda stated: stated.cell.start)
        return bool(found)


def stated_in(match: re.Match[str], cell: Cell, level: Level) -> Iterator[Stated]:
    """What the groups of a match state that are called like dimensions."""
    for name, text in match.groupdict().items():
        if text and name in dimensions():
            yield from read_condition(name, cell.matched(match, name), level)


def read_condition(
    dimension: str, value: Cell, level: Level = "page", *, is_known_alone: bool = False
) -> Iterator[Stated]:
    """What printed characters state of a dimension; nothing where they say nothing that is known.

    Args:
        dimension: The dimension.
        value: The printed characters, with quotation marks or without.
        level: Where they are.
        is_known_alone: Whether names of platforms, frameworks and datasets count only where a vocabulary has them.
    """
    inner = value.part(len(value.text) - len(value.text.lstrip("'\" ")), len(value.text.rstrip("'\" ")))
    if dimension == "model":
        path = inner.part(0, len(inner.text.rstrip("/")))
        name = path.part(path.text.rfind("/") + 1, len(path.text))
        inner = name.part(0, len(_FILE.sub("", name.text)))
    if inner.text.casefold() in _NOTHING or inner.text.startswith(("<", "$", "{")):
        return
    if is_known_alone and dimension in _KNOWN_ALONE and not known_name(dimension, inner.text):
        return
    if said := condition_value(dimension, inner.text):
        yield Stated(dimension, said, inner, level)
