"""The grammar of `programs.yml`: the patterns of the lines that programs print, and the arguments
that commands state.

What is made of the lines belongs in `program_log` and `training_log`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import re2

from pipelines.exceptions import BenchledgerError
from pipelines.extract.conditions import Stated
from pipelines.extract.mentions import condition_value
from pipelines.extract.named_quantities import Unit, fact, read_unit
from pipelines.extract.rows import Level
from pipelines.read.document import Cell
from pipelines.vocabulary.dimensions import dimensions
from pipelines.yaml_files import load_yaml

# A longer line is not matched.
LONGEST_LINE = 2_000
# Keras redraws a bar over the old one, behind so many backspaces.
_LONGEST_BAR = 5_000
# Lines of logs repeat each other, and are read to recognise a log and to extract it.
_MEMORY = 1 << 14
# `{ttft ms}`, `{latency p99 ms}`
_PLACEHOLDER = re.compile(
    r"\{(?P<metric>[a-z_]+) (?:(?P<statistic>mean|p[\d.]+) )?(?P<unit>[^{}]+)\}"
)
# The number of a placeholder, damaged ones too: `2.5e+06`, `1e-05`, `1,234.5`, `-1`
_NUMBER = r"[-+]?\d(?:(?:[\w.,:]|[eE][-+])*\w)?"
# Values that mean that an argument was not set
_NOTHING = frozenset({"", "none", "null", "auto", "default", "[]", "model", "openvino_model"})
# `resnet50` of `models/resnet50.onnx`; the `.3` of `DeepSeek-V3.2-Exp` is a part of the name
_MODEL = re.compile(
    r"(?i)(?<![^/])(?P<name>[^/]+?)(?:\.(?:onnx|gguf|engine|plan|tflite|hef|xml|pt|pth|safetensors|py|json))?/*$"
)


class ProgramsError(BenchledgerError):
    """A `programs.yml` that cannot be used."""


@dataclass(frozen=True, eq=False)
class ProgramEntry:
    """An entry of `programs.yml`; what its fields mean is written there."""

    name: str
    source: str
    example: Mapping[str, Any]
    lines: Sequence[str]
    task: str | None = None
    begins: str | None = None
    ends: str | None = None
    needs: str | None = None
    continues: str | None = None
    official: bool = False
    repeats: str | None = None

    @property
    def has_verdict(self) -> bool:
        """Whether the program says of each result that it is valid."""
        return any("(?P<valid>" in line for line in self.lines)


class LinePattern:
    """A pattern of whole lines of a program; `role` is its field in the entry, `rank` its number in
    `programs.yml`.

    Raises:
        ProgramsError: A placeholder names no metric, or no unit of it.
    """

    def __init__(self, entry: ProgramEntry, role: str, pattern: str, rank: int = 0) -> None:
        self.entry, self.role, self.rank = entry, role, rank
        # Metric, statistic and unit of the groups `v0`, `v1` ...
        self.placeholders: list[tuple[str, str | None, Unit]] = []
        with_numbers = _PLACEHOLDER.sub(self._number, pattern.replace("{number}", _NUMBER))
        self.expression = _with_blanks(with_numbers)
        # RE2, as no line can hold it up.
        self.match = re2.compile(self.expression).fullmatch

    def _number(self, match: re.Match[str]) -> str:
        metric, statistic, printed = match.groups()
        unit = read_unit(printed, fact(metric, "unit") or "")
        if unit is None:
            raise ProgramsError(f"{match[0]}: no metric in the vocabulary has this name and unit")
        self.placeholders.append((metric, statistic, unit))
        return f"(?P<v{len(self.placeholders) - 1}>{_NUMBER})"


def _with_blanks(pattern: str) -> str:
    """A pattern in which a blank is any run of blanks, also none before `?` and `*`."""
    optional = pattern.replace(" ?", r"\s*").replace(" *", r"\s*")
    return optional.replace(" ", r"\s+")


LineMatch = tuple[LinePattern, Any]


class Patterns:
    """The patterns of entries, all matched in one pass over a line of no more than the `longest`."""

    def __init__(self, entries: Iterable[ProgramEntry], longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._patterns: list[LinePattern] = []
        for entry in entries:
            texts = [("begins", entry.begins), ("ends", entry.ends), ("needs", entry.needs)]
            for role, text in (*texts, *(("lines", line) for line in entry.lines)):
                if text:
                    self._patterns.append(LinePattern(entry, role, text, len(self._patterns)))
        self._set = re2.Set.FullMatchSet()
        for pattern in self._patterns:
            self._set.Add(pattern.expression)
        self._set.Compile()

    def matching(self, text: str) -> list[LineMatch]:
        """The patterns that the words on a line match, in the order of the entries."""
        matched = self._set.Match(text) if len(text) <= self._longest else None
        patterns = [self._patterns[number] for number in sorted(matched or ())]
        return [(pattern, pattern.match(text)) for pattern in patterns]


class Grammar:
    """The content of `programs.yml`.

    Attributes:
        arguments: The conditions that an argument may state, by its name.
        server: The command of a server.
        entries: The programs that print results.
        output: The patterns of these, and of decoration.
        epochs: The patterns of programs that print epochs.
    """

    def __init__(self) -> None:
        listed = load_yaml(Path(__file__).with_name("programs.yml"))
        self.arguments: dict[str, list[str]] = {}
        for dimension, names in listed["arguments"].items():
            for name in names:
                self.arguments.setdefault(name, []).append(dimension)
        self.server = re2.compile(_with_blanks(listed["servers"]))
        self.entries, decoration, epochs = (
            [ProgramEntry(**entry) for entry in listed[part]]
            for part in ("programs", "decoration", "epochs")
        )
        self.output = Patterns([*self.entries, *decoration])
        self.epochs = Patterns(epochs, _LONGEST_BAR)


programs = cache(Grammar)


@lru_cache(_MEMORY)
def matches_of(text: str) -> list[LineMatch]:
    """The patterns of all programs that the words on a line match."""
    return programs().output.matching(text)


def stated_in(match: re.Match[str], cell: Cell, level: Level) -> dict[str, Stated]:
    """What the groups of a match state that are called like dimensions."""
    names = [name for name, text in match.groupdict().items() if text and name in dimensions()]
    found = (read_stated(name, cell.matched(match, name), level) for name in names)
    return {stated.dimension: stated for stated in found if stated}


def read_stated(dimension: str, value: Cell, level: Level = "page") -> Stated | None:
    """What printed characters, in quotation marks or without, state of a dimension; None for
    nothing.
    """
    inner = value.part(
        len(value.text) - len(value.text.lstrip("'\" ")), len(value.text.rstrip("'\" "))
    )
    if dimension == "model" and (path := _MODEL.search(inner.text)):
        inner = inner.matched(path, "name")
    if inner.text.casefold() in _NOTHING or inner.text.startswith(("<", "$", "{")):
        return None
    said = condition_value(dimension, inner.text)
    return Stated(dimension, said, inner, level) if said else None
