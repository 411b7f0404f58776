"""What logs of all kinds have in common: results, rejects, the accounting of lines, the grammar of
`programs.yml`, and the arguments that a command states.

Rows are made in `training_log`, `program_log` and `mlperf_training`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import re2

from pipelines.exceptions import BenchledgerError
from pipelines.extract.conditions import NumberedConditions, Stated, missing_subject, reads_again
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.mentions import condition_value, known_name
from pipelines.extract.named_quantities import Unit, canonical_unit, read_unit
from pipelines.extract.rows import Condition, Level, Measurement, Reject, Row, interval
from pipelines.extract.tables.cell_values import read_condition
from pipelines.extract.tables.claims import TableError
from pipelines.extract.tables.constant_check import PrintedConstants
from pipelines.extract.tables.mapping import IGNORE, NO_MAPPING, UNPRINTED, SourceMapping
from pipelines.extract.tables.patterns import fold
from pipelines.read.document import Cell, Document, Line
from pipelines.read.log_lines import Said, said_on
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
_PLACEHOLDER = re.compile(
    r"\{(?P<metric>[a-z_]+) (?:(?P<statistic>mean|p[\d.]+) )?(?P<unit>[^{}]+)\}"
)
# The number of a placeholder, damaged ones too: `2.5e+06`, `1e-05`, `1,234.5`, `-1`
_NUMBER = r"[-+]?\d(?:(?:[\w.,:]|[eE][-+])*\w)?"
_BLANK = re.compile(r" (?P<any>[?*])?")
# Values that mean that an argument was not set
_NOTHING = frozenset({"", "none", "null", "auto", "default", "[]", "model", "openvino_model"})
# `Namespace(subparser='bench', model='Qwen/Qwen3-0.6B', batch_size=None)`,
# `--model Qwen/Qwen3-0.6B`, `--batch-size=8`, `--enable-prefix-caching`
_ARGUMENT = re.compile(
    r"(?:(?<!\S)--(?P<option>[A-Za-z][\w-]*)(?:=|\s+|$)|(?<![\w.-])(?P<name>\w+)=)"
    r"(?P<value>'[^']*'|\"[^\"]*\"|[^\s,()\[\]'\"\\-][^\s,()\[\]'\"]*)?"
)
_NAMESPACE = re.compile(r"(?:.*\s)?(?:Namespace|\w*Args|\w*Arguments|\w*Config)\(.*\)?")
# `$ ./run.sh`, `python3 bench.py`: a command without arguments
_COMMANDS = ("$ ", "./", "python ", "python3 ")
# `resnet50.onnx`; the `.3` of `DeepSeek-V3.2-Exp` is a part of the name
_FILE = re.compile(r"(?i)\.(?:onnx|gguf|engine|plan|tflite|hef|xml|pt|pth|safetensors|py|json)$")
_KNOWN_ALONE = frozenset({"platform", "framework", "dataset"})


def rejected(cell: Cell, rule: str, reason: str, scope: str = "row", **section: Any) -> Reject:
    """What of a log gives no row: its place, the rule, and the sentence a user reads; `scope` is
    what is lost.
    """
    text = json.dumps({"text": cell.text}, ensure_ascii=False)
    return Reject(cell=cell, rule=rule, reason=reason, scope=scope, row_json=text, **section)


def measured(
    cell: Cell,
    metric: str,
    value: Quantity,
    unit: Unit,
    said: Iterable[Stated],
    conditions: NumberedConditions,
    **columns: Any,
) -> Measurement:
    """A result of a log, with the conditions that hold for it; section, line and other columns are
    in `columns`.
    """
    place = columns["section"], columns["section_line"]
    return Measurement(
        cell=cell,
        metric=metric,
        **interval(value, "value"),
        unit=unit.name,
        unit_printed=unit.printed,
        item=unit.item,
        conditions=conditions.numbers(said, *place),
        **columns,
    )


class LogReading:
    """What is read of a log beside its results, and what the mapping of its source states.

    Args:
        document: The log.
        source: The mapping; None for a log of no source, of which results without a subject are
            rows.

    Attributes:
        rejects: What gives no row.
        marks: Numerals that are no result.
        lines: What each line is that was read, by number.
    """

    def __init__(self, document: Document, source: SourceMapping | None = None) -> None:
        self.document, self.source = document, source
        self.rejects: list[Reject] = []
        self.marks: list[Mark] = []
        self.lines: dict[int, LineRole] = {}
        self.arguments = Arguments(source.arguments if source else {})

    def reject(
        self, cell: Cell, rule: str, reason: str, scope: str = "row", **section: Any
    ) -> None:
        self.rejects.append(rejected(cell, rule, reason, scope, **section))

    def mark(self, cell: Cell, status: Status, rule: str) -> None:
        self.marks.append(Mark(cell, status, rule))

    def take(self, role: LineRole, *lines: Line) -> None:
        self.lines.update((line.number, role) for line in lines)

    def is_cut(self, line: int) -> bool:
        """Whether a line ends a text without a line break: digits of it may be missing."""
        return self.document.is_open_ended and line == len(self.document.lines)

    def with_mapping(self, stated: Mapping[str, Stated]) -> dict[str, Stated]:
        """The conditions that a log prints, with the names and the constants that the mapping of
        its source states.

        What is printed comes before a constant.
        """
        if (source := self.source) is None:
            return dict(stated)
        found = {
            name: each._replace(value=source.name_of(name, each.value))
            for name, each in stated.items()
        }
        for part in sorted(source.constants, key=lambda part: not part.where):
            if all(
                name in found and fold(found[name].value) == fold(text)
                for name, text in part.where.items()
            ):
                for name, text in part.constants.items():
                    value = read_condition(name, text.removeprefix(UNPRINTED))
                    found.setdefault(name, Stated(name, value))
        return found

    def accepts(self, cell: Cell, stated: Collection[str], **section: Any) -> bool:
        """Whether a result is a row: else the mapping has a constant that the log does not print,
        or nothing states its model or platform.
        """
        if self._fault:
            self.reject(cell, "not_printed", self._fault, **section)
            return False
        if self.source and (reason := missing_subject(stated)):
            self.reject(cell, "no_subject", reason, **section)
            return False
        return True

    @cached_property
    def _fault(self) -> str | None:
        try:
            PrintedConstants(self.document, ()).check(self.source or NO_MAPPING)
        except TableError as error:
            return str(error)
        return None

    def extraction(self, rows: list[Row], *, are_whole: bool = False) -> Extraction:
        """The rows of the log with what each of its lines is.

        Args:
            rows: Its rows.
            are_whole: On lines without rows, digits in names are no names.
        """
        extraction = Extraction(rows, set(self.lines), marks=self.marks)
        placed = {row.cell.line for row in rows if not isinstance(row, Condition) or row.is_printed}
        for number, (role, status, rule) in self.lines.items():
            if not (text := self.document.texts[number - 1]).strip():
                continue
            extraction.roles[number] = (role, rule)
            if are_whole and number not in placed:
                extraction.whole[number] = (status, rule)
            else:
                self.mark(Cell(text, number, 0, len(text)), status, rule)
        return extraction


def condition_rows(conditions: NumberedConditions) -> Iterable[Row]:
    """The conditions of a log as rows; of one that `names` of a mapping gives, with the printed
    characters.
    """
    for row in conditions.rows:
        is_own = not row.is_printed or reads_again(
            Stated(row.dimension, row.value, row.cell, row.level)
        )
        yield row if is_own else replace(row, value_printed=row.cell.text)


class ProgramsError(BenchledgerError):
    """A `programs.yml` that cannot be used."""


@dataclass(frozen=True)
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
        self.expression = _BLANK.sub(_any_blanks, with_numbers)
        # RE2, as no line can hold it up.
        self.match = re2.compile(self.expression).fullmatch

    def _number(self, match: re.Match[str]) -> str:
        metric, statistic, printed = match.groups()
        unit = read_unit(printed, canonical_unit(metric) or "")
        if unit is None:
            raise ProgramsError(f"{match[0]}: no metric in the vocabulary has this name and unit")
        self.placeholders.append((metric, statistic, unit))
        return f"(?P<v{len(self.placeholders) - 1}>{_NUMBER})"


def _any_blanks(blank: re.Match[str]) -> str:
    return r"\s*" if blank["any"] else r"\s+"


LineMatch = tuple[LinePattern, Any]


class Grammar:
    """The content of `programs.yml`: its entries, the conditions of arguments by name, the commands
    of servers.
    """

    def __init__(self) -> None:
        listed = load_yaml(Path(__file__).with_name("programs.yml"))
        self.arguments: dict[str, list[str]] = {}
        for dimension, names in listed["arguments"].items():
            for name in names:
                self.arguments.setdefault(name, []).append(dimension)
        self.server = re2.compile(_BLANK.sub(_any_blanks, listed["servers"]))
        self.entries = [ProgramEntry(**entry) for entry in listed["programs"]]
        self._patterns: list[LinePattern] = []
        decoration = [ProgramEntry(**entry) for entry in listed["decoration"]]
        for entry in (*self.entries, *decoration):
            texts = [("begins", entry.begins), ("ends", entry.ends), ("needs", entry.needs)]
            for role, text in (*texts, *(("lines", line) for line in entry.lines)):
                if text:
                    self._patterns.append(LinePattern(entry, role, text, len(self._patterns)))
        # A set of patterns is matched in one pass over a line.
        self._set = re2.Set.FullMatchSet()
        for pattern in self._patterns:
            self._set.Add(pattern.expression)
        self._set.Compile()

    def matching(self, said: Said) -> list[LineMatch]:
        """The patterns that a line matches, in the order of the entries."""
        text = said.cell.text
        matched = self._set.Match(text) if len(said.text) <= _LONGEST_LINE else None
        patterns = [self._patterns[number] for number in sorted(matched or ())]
        return [(pattern, pattern.match(text)) for pattern in patterns]

    def read(self, lines: Iterable[Line], shared: int = 0) -> list[tuple[Said, list[LineMatch]]]:
        """What each line says behind the characters that all share, and the patterns it matches."""
        found = [said_on(line, shared) for line in lines]
        return [(said, self.matching(said)) for said in found]


programs = cache(Grammar)


@dataclass
class Settings:
    """What a command states for the output below it, down to a heading of its level or a higher
    one.

    `others` are the arguments that state no dimension, by their names.
    """

    level: int = 0
    stated: dict[str, Stated] = field(default_factory=dict)
    others: dict[str, Stated] = field(default_factory=dict)

    def end(self, level: int = 0) -> None:
        """Forgets them at a heading of a level."""
        if level <= self.level:
            self.stated.clear()
            self.others.clear()


class Arguments:
    """The arguments of the last command, and of the server that it asks.

    Args:
        own: What arguments state by the mapping of the source, by name.
    """

    def __init__(self, own: Mapping[str, str] = MappingProxyType({})) -> None:
        self.server, self.client = Settings(), Settings()
        self._own, self._command = own, self.client
        self.is_asked = False
        self._is_continued = False

    @property
    def stated(self) -> dict[str, Stated]:
        return self._server.stated | self.client.stated

    @property
    def others(self) -> dict[str, Stated]:
        return self._server.others | self.client.others

    @property
    def _server(self) -> Settings:
        """What holds of the server: nothing for a client that asks for another model."""
        models = [
            each.stated["model"].value
            for each in (self.server, self.client)
            if "model" in each.stated
        ]
        return self.server if len(set(models)) < 2 else Settings()

    def end(self, level: int = 0) -> None:
        """Forgets what a heading ends; a server that no client has asked yet runs in the next
        section, too.
        """
        self.server.end(level if self.is_asked or not level else level + 1)
        self.client.end(level)

    def read(self, said: Said, level: int = 0) -> bool:
        """Takes a command line or printed arguments in place of those before; False for any other
        line.

        A condition that two arguments state otherwise is unknown.
        """
        cell = said.cell
        is_continued, self._is_continued = self._is_continued, cell.text.endswith("\\")
        if len(cell.text) > _LONGEST_LINE:
            return False
        server = None if said.is_logged else programs().server.match(cell.text)
        is_printed = _NAMESPACE.fullmatch(cell.text) is not None
        if not is_printed and (
            said.is_logged or (cell.text.startswith(("-", "|")) and not is_continued)
        ):
            return False
        found = (
            {name: {stated} for name, stated in stated_in(server, cell, "page").items()}
            if server
            else {}
        )
        others: dict[str, Stated] = {}
        names_known = False
        for match in _ARGUMENT.finditer(cell.text):
            group = "name" if is_printed else "option"
            name = (match[group] or "").replace("-", "_").casefold()
            value = cell.matched(match, "value" if match["value"] else group)
            known = [self._own[name]] if name in self._own else programs().arguments.get(name, [])
            if IGNORE in known:
                continue
            names_known |= bool(known)
            # The first dimension that has such a value: `fp8` is a precision, `awq` a quantization.
            read = (_read_condition(dimension, value) for dimension in known if match["value"])
            if stated := next((each for each in read if each and _is_known(each)), None):
                found.setdefault(stated.dimension, set()).add(stated)
            elif name and not known and (other := _read_condition(name, value)):
                others[name] = other
        is_command = bool(found) or names_known or cell.text.startswith(_COMMANDS)
        # The image of a server may be on a line of its own.
        if server or (not is_continued and (is_command or others)):
            self._command = self.server if server else self.client
            if server:
                self.client.end()
                self.is_asked = False
            # Also where it states nothing: `--model $MODEL` is another model than before.
            if is_command:
                self._command.end()
            self._command.others.clear()
        self._command.level = level
        self._command.others |= others
        for dimension, values in found.items():
            if len({stated.value for stated in values}) == 1:
                self._command.stated[dimension] = min(values, key=lambda stated: stated.cell.start)
        return bool(found)


def _is_known(stated: Stated) -> bool:
    return stated.dimension not in _KNOWN_ALONE or known_name(stated.dimension, stated.cell.text)


def stated_in(match: re.Match[str], cell: Cell, level: Level) -> dict[str, Stated]:
    """What the groups of a match state that are called like dimensions."""
    names = [name for name, text in match.groupdict().items() if text and name in dimensions()]
    found = {name: _read_condition(name, cell.matched(match, name), level) for name in names}
    return {name: stated for name, stated in found.items() if stated}


def _read_condition(dimension: str, value: Cell, level: Level = "page") -> Stated | None:
    """What printed characters, in quotation marks or without, state of a dimension; None for
    nothing.
    """
    inner = value.part(
        len(value.text) - len(value.text.lstrip("'\" ")), len(value.text.rstrip("'\" "))
    )
    if dimension == "model":
        path = inner.part(0, len(inner.text.rstrip("/")))
        name = path.part(path.text.rfind("/") + 1, len(path.text))
        inner = name.part(0, len(_FILE.sub("", name.text)))
    if inner.text.casefold() in _NOTHING or inner.text.startswith(("<", "$", "{")):
        return None
    said = condition_value(dimension, inner.text)
    return Stated(dimension, said, inner, level) if said else None
