"""Programs that print summaries and steps, as `programs.yml` describes them: what a line of a log says in their words.

How a log is walked through belongs in `walker.py`, what becomes of a summary in `summaries.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pipelines.extract.conditions import Stated
from pipelines.extract.logs.settings import names, read_setting, stated_in
from pipelines.read.document import Cell
from pipelines.read.log_lines import Field, Said, dictionary_on, dll_fields
from pipelines.yaml_files import load_yaml

# The value of a summary, damaged ones too
_VALUE = r"[^\s,;\d]*\d[^\s,;]*"
# One of them stands in every line that is read, but in those that `may_be_of_program` names.
_SIGNS = (":", "=", "|", "{", "[", "%", "*", "...")


class ProgramsError(Exception):
    """A `programs.yml` that cannot be read."""


@dataclass(frozen=True, slots=True)
class Program:
    """An entry of `programs.yml`; what its fields mean stands there."""

    name: str
    mark: str = ""
    begins: str | None = None
    line: str | None = None
    dictionary: str | None = None
    dll: bool = False
    step: str | None = None
    continued: str | None = None
    task: str | None = None
    task_of_name: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    shares: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    of: str | None = None
    number: str | None = None
    pauses: str | None = None
    resumes: str | None = None
    attribute: str | None = None
    starts_run: bool = False
    is_final: bool = False
    after_final: bool = False
    example: Mapping[str, Any] = field(default_factory=dict)


# A quantity on a line of its own, `Throughput: 1234.5 samples/sec`, of whatever program the log is.
ANY_PROGRAM = Program("the log")
# The steps of a training by whatever program: `loss: 8.53 | dt: 991.09ms | tok/sec: 529,000`
TRAINING = Program("the log", task="training", fields={"dt": "Step Time"})


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of an entry; `{value}` stands for a printed value."""
    return re.compile(pattern.replace("{value}", _VALUE))


@dataclass(frozen=True)
class Programs:
    """The content of `programs.yml`.

    Attributes:
        progress: What the words of a line begin with that only shows how far a program is.
        programs: All entries, in order.
    """

    progress: re.Pattern[str]
    programs: tuple[Program, ...]

    @cached_property
    def marks(self) -> re.Pattern[str]:
        """Words without which no line is of a known program."""
        return re.compile("|".join(sorted({program.mark for program in self.programs} | {names().marks})))

    def marked(self, text: str) -> Iterator[Program]:
        """The programs whose words stand in a text."""
        if self.marks.search(text):
            yield from (program for program in self.programs if compiled(program.mark).search(text))


@cache
def content() -> Programs:
    """`programs.yml`.

    Raises:
        ProgramsError: It cannot be read.
    """
    path = Path(__file__).with_name("programs.yml")
    try:
        listed = load_yaml(path)
        return Programs(
            re.compile("|".join(entry["pattern"] for entry in listed["progress"]), re.IGNORECASE),
            tuple(Program(**entry | {"gives": tuple(entry.get("gives", ()))}) for entry in listed["programs"]),
        )
    except (TypeError, KeyError, AttributeError, re.error) as error:
        raise ProgramsError(f"{path.name}: {error}") from error


def may_be_of_program(text: str) -> bool:
    """False for words that no line of a program consists of, such as the cell of a table: most lines of a page."""
    return (
        any(sign in text for sign in _SIGNS)
        or " -" in text
        or text.startswith("--")
        or content().marks.search(text) is not None
    )


def program_beginning(text: str) -> Program | None:
    """The program whose summary begins with a line, or None."""
    found = (p for p in content().marked(text) if p.begins and compiled(p.begins).fullmatch(text))
    return next(found, None)


@dataclass(frozen=True, slots=True)
class Summary:
    """A line that is a summary of its own: what printed it, its fields, and the settings that it states itself."""

    program: Program
    fields: list[Field]
    settings: tuple[Stated, ...] = ()


def summaries_on(said: Said, *, after_final: bool) -> list[Summary]:
    """The summary that a line is, one for each task it is of; none for any other line."""
    text = said.body
    for program in content().marked(text):
        if program.dll and text.startswith("DLL"):
            return list(_of_dll(program, said))
        if program.dictionary and text.startswith("{") and (after_final or not program.after_final):
            fields = dictionary_on(said)
            if any(compiled(program.dictionary).fullmatch(each.name.text) for each in fields):
                return [Summary(program, fields)]
        if program.line and (match := compiled(program.line).fullmatch(text)):
            return [Summary(program, _values(program, match, said.cell), tuple(stated_in(match, said.cell, "row")))]
    return []


def _values(program: Program, match: re.Match[str], cell: Cell) -> list[Field]:
    groups = match.groupdict()
    found = [(name.format(**groups), f"v{n}") for n, name in enumerate(program.gives) if groups.get(f"v{n}")]
    return [Field(replace(cell, text=name), cell.matched(match, group)) for name, group in found]


def _of_dll(program: Program, said: Said) -> Iterator[Summary]:
    """The fields by what was run, as their names say it."""
    found: dict[str | None, list[Field]] = {}
    for each in dll_fields(said):
        tasks = (task for task, names in program.task_of_name.items() if compiled(names).search(each.key))
        found.setdefault(next(tasks, None), []).append(each)
    yield from (Summary(replace(program, task=task), fields) for task, fields in found.items())


@dataclass(frozen=True, slots=True)
class Step:
    """A line that a known program prints for a step.

    Attributes:
        program: What printed it.
        number: Number of the step, behind that of its epoch where steps begin anew; None where it has none.
        fields: Its quantities that are kept.
        settings: What it states of how the program runs.
    """

    program: Program
    number: tuple[int, ...] | None
    fields: list[Field]
    settings: tuple[Stated, ...] = ()


def step_on(said: Said) -> Step | None:
    """The step that a line is of."""
    cell = said.cell
    for program in content().marked(cell.text):
        if program.step and (match := compiled(program.step).match(cell.text)):
            groups = match.groupdict()
            number = tuple(int(groups[name]) for name in ("epoch", "step") if groups.get(name))
            fields = _values(program, match, cell) if program.gives else step_fields(program, cell)
            settings = (
                Field(cell.matched(found, "name"), cell.matched(found, "value"))
                for found in _named_values(tuple(program.settings)).finditer(cell.text)
            )
            stated = [s for each in settings for s in read_setting(program.settings[each.key], each.value, "row")]
            return Step(program, number or None, fields, tuple(stated))
    return None


def step_fields(program: Program, cell: Cell) -> list[Field]:
    """The quantities of a step that its program names."""
    found = _named_values(tuple(program.fields)).finditer(cell.text)
    return [Field(cell.matched(match, "name"), cell.matched(match, "value")) for match in found]


@cache
def _named_values(names: tuple[str, ...]) -> re.Pattern[str]:
    # `tps: 7,282`, `SamplesPerSec=83.48`, `time 893.76ms`, `approx flops per GPU: 112.9TFLOPS`
    listed = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"(?!)"
    return re.compile(rf"(?<![\w/.-])(?P<name>{listed})\s*[:= ]\s*(?P<value>[^\s,|;\]]+(?:,\d{{3}})*)", re.IGNORECASE)
