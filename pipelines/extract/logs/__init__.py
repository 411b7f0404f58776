"""What logs of all kinds have in common: results, rejects, the accounting of lines, the grammar of `programs.yml`, and
the arguments that a command states.

Rows are made in `training_log`, `program_log` and `mlperf_training`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import re2

from pipelines.extract.conditions import Stated, Statements
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.mentions import condition_value, known_name
from pipelines.extract.named_quantities import Unit, canonical_unit, read_unit
from pipelines.extract.rows import Condition, Level, Measurement, Reject, interval
from pipelines.read.document import Cell, Document
from pipelines.read.log_lines import Said
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.dimensions import dimensions
from pipelines.yaml_files import load_yaml

# What a line is: its role, and status and rule of its numerals.
LineRole = tuple[str, Status, str]
# The place of a condition that is printed nowhere
NO_PLACE = Cell("", 1, 0, 0)
# A longer line is not matched.
_LONGEST_LINE = 2_000
# `{ttft ms}`, `{latency p99 ms}`
_PLACEHOLDER = re.compile(r"\{(?P<metric>[a-z_]+) (?:(?P<statistic>mean|p[\d.]+) )?(?P<unit>[^{}]+)\}")
# The number of a placeholder, damaged ones too
_NUMBER = r"\d(?:[\w.,:]*\w)?"
_BLANK = re.compile(r" (?P<any>[?*])?")
# Values that mean that an argument was not set
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


def rejected(cell: Cell, rule: str, reason: str, scope: str = "row", **section: Any) -> Reject:
    """What of a log gives no row: its place, the rule, and the sentence a user reads; `scope` is what is lost."""
    text = json.dumps({"text": cell.text}, ensure_ascii=False)
    return Reject(cell=cell, rule=rule, reason=reason, scope=scope, row_json=text, **section)


def measured(
    cell: Cell, metric: str, value: Quantity, unit: Unit, said: Iterable[Stated], statements: Statements, **columns: Any
) -> Measurement:
    """A result of a log, with the conditions that hold for it; section, line and other columns are in `columns`."""
    place = columns["section"], columns["section_line"]
    return Measurement(
        cell=cell,
        metric=metric,
        **interval(value, "value"),
        unit=unit.name,
        unit_printed=unit.printed,
        item=unit.item,
        conditions=tuple(sorted({*statements.number(map(statements.add, said), *place)})),
        **columns,
    )


def account(
    extraction: Extraction, document: Document, lines: Mapping[int, LineRole], *, are_whole: bool = False
) -> None:
    """Notes what each line is that was read; `are_whole` where digits in names are no names, on lines without rows."""
    placed = {row.cell.line for row in extraction.rows if not isinstance(row, Condition) or row.is_printed}
    for number, (role, status, rule) in lines.items():
        extraction.lines.add(number)
        if not (text := document.texts[number - 1]).strip():
            continue
        extraction.roles[number] = (role, rule)
        if are_whole and number not in placed:
            extraction.whole[number] = (status, rule)
        else:
            extraction.marks.append(Mark(Cell(text, number, 0, len(text)), status, rule))


class ProgramsError(Exception):
    """A `programs.yml` that cannot be used."""


@dataclass(frozen=True)
class ProgramEntry:
    """An entry of `programs.yml`; what its fields mean is written there."""

    name: str
    source: str
    example: Mapping[str, Any]
    task: str
    lines: Sequence[str]
    begins: str | None = None
    ends: str | None = None
    needs: str | None = None


class LinePattern:
    """A pattern of whole lines of a program; `role` is its field in the entry.

    Raises:
        ProgramsError: A placeholder names no metric, or no unit of it.
    """

    def __init__(self, entry: ProgramEntry, role: str, pattern: str) -> None:
        self.entry, self.role = entry, role
        # Metric, statistic and unit of the groups `v0`, `v1` ...
        self.placeholders: list[tuple[str, str | None, Unit]] = []
        with_numbers = _PLACEHOLDER.sub(self._number, pattern)
        self.expression = _BLANK.sub(lambda blank: r"\s*" if blank["any"] else r"\s+", with_numbers)
        # RE2, as no line can hold it up.
        self.match = re2.compile(self.expression).fullmatch

    def _number(self, match: re.Match[str]) -> str:
        metric, statistic, printed = match.groups()
        unit = read_unit(printed, canonical_unit(metric) or "")
        if unit is None:
            raise ProgramsError(f"{match[0]}: no metric in the vocabulary has this name and unit")
        self.placeholders.append((metric, statistic, unit))
        return f"(?P<v{len(self.placeholders) - 1}>{_NUMBER})"


class Grammar:
    """The content of `programs.yml`: its entries, and the conditions of arguments by name."""

    def __init__(self) -> None:
        listed = load_yaml(Path(__file__).with_name("programs.yml"))
        self.arguments = {name: condition for condition, names in listed["arguments"].items() for name in names}
        self.entries = [ProgramEntry(**entry) for entry in listed["programs"]]
        self._patterns: list[LinePattern] = []
        # A set of patterns is matched in one pass over a line.
        self._set = re2.Set.FullMatchSet()
        for entry in self.entries:
            roles = {"begins": [entry.begins], "ends": [entry.ends], "needs": [entry.needs], "lines": entry.lines}
            for role, text in ((role, text) for role, texts in roles.items() for text in texts if text):
                self._patterns.append(LinePattern(entry, role, text))
                self._set.Add(self._patterns[-1].expression)
        self._set.Compile()

    def matching(self, said: Said) -> list[LinePattern]:
        """The patterns that a line matches, in the order of the entries."""
        matched = self._set.Match(said.cell.text) if len(said.text) <= _LONGEST_LINE else None
        return [self._patterns[number] for number in sorted(matched or ())]


programs = cache(Grammar)


class Arguments:
    """The arguments of the last command, by the condition that they state."""

    def __init__(self) -> None:
        self.stated: dict[str, Stated] = {}
        self._is_continued = False

    def read(self, said: Said) -> bool:
        """Takes a command line or printed arguments in place of those before; False for any other line.

        A condition that two arguments state otherwise is unknown.
        """
        cell = said.cell
        is_continued, self._is_continued = self._is_continued, cell.text.endswith("\\")
        if ("=" not in cell.text and "--" not in cell.text) or len(cell.text) > _LONGEST_LINE:
            return False
        is_printed = _NAMESPACE.fullmatch(cell.text) is not None
        if not is_printed and (said.start or (cell.text.startswith(("-", "|")) and not is_continued)):
            return False
        found: dict[str, set[Stated]] = {}
        for match in _ARGUMENT.finditer(cell.text):
            name = (match["name" if is_printed else "option"] or "").replace("-", "_").casefold()
            dimension = programs().arguments.get(name, "")
            stated = _read_condition(dimension, cell.matched(match, "value")) if dimension else None
            if stated and (dimension not in _KNOWN_ALONE or known_name(dimension, stated.cell.text)):
                found.setdefault(dimension, set()).add(stated)
        if found and not is_continued:
            self.stated.clear()
        for dimension, values in found.items():
            if len({stated.value for stated in values}) == 1:
                self.stated[dimension] = min(values, key=lambda stated: stated.cell.start)
        return bool(found)


def stated_in(match: re.Match[str], cell: Cell, level: Level) -> dict[str, Stated]:
    """What the groups of a match state that are called like dimensions."""
    names = [name for name, text in match.groupdict().items() if text and name in dimensions()]
    found = {name: _read_condition(name, cell.matched(match, name), level) for name in names}
    return {name: stated for name, stated in found.items() if stated}


def _read_condition(dimension: str, value: Cell, level: Level = "page") -> Stated | None:
    """What printed characters, in quotation marks or without, state of a dimension; None for nothing."""
    inner = value.part(len(value.text) - len(value.text.lstrip("'\" ")), len(value.text.rstrip("'\" ")))
    if dimension == "model":
        path = inner.part(0, len(inner.text.rstrip("/")))
        name = path.part(path.text.rfind("/") + 1, len(path.text))
        inner = name.part(0, len(_FILE.sub("", name.text)))
    if inner.text.casefold() in _NOTHING or inner.text.startswith(("<", "$", "{")):
        return None
    said = condition_value(dimension, inner.text)
    return Stated(dimension, said, inner, level) if said else None
