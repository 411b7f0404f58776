"""What a program says on one line of a log: behind the time stamps, levels and ranks that launchers and loggers put
before it names and values, settings, summaries and steps, as `programs.yml` describes its programs.

How a log is walked through belongs in `walker.py`, what becomes of a summary in `summaries.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from pipelines.extract.mentions import known_name, typed
from pipelines.extract.rows import Level
from pipelines.extract.scope import Stated
from pipelines.read.document import Cell, Line
from pipelines.vocabulary.lookup import find

# `\x1b[1m`, the same in a copy that lost the escape character (`[1m`, `^[[1m`), backspaces before a redrawn bar
_TERMINAL = re.compile(r"(?:\x1b|\^\[)\[[0-9;?]*[A-Za-z]|\[\d{1,3}(?:;\d{1,3})*m|[\x00-\x08\x1b]")
# Begins with one letter, so that a long line is searched quickly.
_LOST_ESCAPE = re.compile(r"\[[\d;]+m")

# `[rank0]:`, `[Rank 3]`, `[default0]:`, `[1,0]<stdout>:`, `(EngineCore_DP0 pid=123)`, `(RayTrainWorker pid=1, ip=...)`,
# `0: `, `12:  ` as srun and torchrun label their processes
_RANK = (
    r"\[(?:rank|default|worker|gpu|process)[\s:_-]?(?P<rank>\d{1,5})\]:?|\[\d{1,4},(?P<mpi>\d{1,5})\]<std(?:out|err)>:?"
    r"|\((?:\w+ )?\w*?(?<!\d)(?P<actor>\d*) ?pid=\d+(?:, ip=[\d.]+)?\)|(?P<label>\d{1,5}):(?=\s)"
)
# `2024-05-01 12:00:00,123`, `[2024-04-06 02:59:36]`, `[10/03/2024-10:47:59]`, `11/20/2023 12:00:00`, `12:00:00.123:`,
# `22-12-06 08:40:17.728`
_TIME = (
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d(?:T|\s|-)|\d\d/\d\d/\d{4}[\s-]|(?:\d\d-)?\d\d-\d\d\s)?"
    r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?!\d|:\d)\]?(?::(?=\s))?"
)
# `I1120 12:00:00.123456 140 trainer.py:12]`, `I0000 00:00:1712.1 12 file.cc:9]`
_GLOG = r"[IWEF]\d{4}\s\d\d:\d\d:\d\d(?:\.\d+)?\s+\d+\s+[\w./-]+:\d+\]"
# `INFO`, `[INFO]`, `[I]`, `WARNING:root:`, `INFO:transformers.trainer:`, `[INFO|trainer.py:1721]`
_LEVEL = (
    r"\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|NOTICE|CRITICAL|VERBOSE|TRACE)(?:\|[\w./-]+:\d+)?\]?(?::[\w.]*:|:(?=\s)|(?!\w))"
    r"|\[[IWEVF]\]"
)
# `[titan]` before a time stamp
_LOGGER_TAG = r"\[[a-z]\w*\](?=\s*\d{4}-\d\d-\d\d)"
# `[__init__.py:241]`, `trainer.py:12]`, `[timer.py:199:stop]`, `- __main__ -`, `>>`
_PLACE = r"\[[\w./-]+\.(?:py|cc|cpp|cu|h|rs|go)(?::\d+)?(?::\w+)?\]|[\w./-]+\.(?:py|cc|cpp):\d+\]?:?|>>|[-|](?=\s)"
# Words of a logger between dashes, `- INFO - __main__ -`: only behind a level; before one in `- root - INFO -`
_LOGGER = r"[A-Za-z_][\w.]*\s+-(?=\s)"
_LOGGER_BEFORE = re.compile(rf"\s*{_LOGGER}\s+(?:{_LEVEL})")
_LOGGER_BEHIND = re.compile(rf"\s*{_LOGGER}")
_PREFIX = re.compile(rf"\s*(?:(?P<time>{_GLOG}|{_TIME})|(?P<level>{_LEVEL})|{_LOGGER_TAG}|(?P<place>{_PLACE})|{_RANK})")
# What no prefix begins with; most lines of a log begin with one of these, or with nothing.
_MAY_BEGIN = re.compile(r"\s*[\[(\dIWEFDNCVT]")
_MAX_PREFIXES = 12
# `100%|██████████| 375/375 [02:03<00:00,  3.04it/s]` with a dictionary right behind it, as two streams run together
_BAR_BEFORE = re.compile(r"\s*\d{1,3}%\|[^|{]*\|[^\[{]*\[[^\]{]*\]\s*(?=\{)")

# `Request throughput (req/s):   15.68`, `train_runtime = 0:02:03`, `50.00 percentile latency (ns)   : 961910964272`
_FIELD = re.compile(r"(?P<name>[A-Za-z\[\d][^:=|{}]{0,79}?)\s*[:=]\s*(?P<value>(?:\S(?:.*\S)?)?)\s*")
# `min = 5.38672 ms`, `percentile(99%) = 1.0 ms`, `max 6.19507 ms` in a list behind one name
_PART = re.compile(r"\s*(?P<name>[A-Za-z]+(?:\(\d+(?:\.\d+)?%\))?)\s*=?\s*(?P<value>[^\s=].*)")
# `[TPOT] P50    : 204.0463`: the unit stands in the heading above
_TAGGED = re.compile(r"\[(?P<tag>[\w ]+)\]\s+(?P<statistic>P\d+(?:\.\d+)?|AVERAGE|MINIMUM|MAXIMUM)")
_WORDS_OF_TAG = {"Latency": "E2EL"}
# `-- Per-Request Time-per-Output-Token [TPOT] Breakdown (ms)`
_BREAKDOWN = re.compile(r"-- .*\bBreakdown\s*\((?P<unit>\w+)\)\s*-*")
# `percentile: 1.67065 ms at 99% (end to end 3.03931 ms at 99%)`
_AT_SHARE = re.compile(r"(?P<value>[^\s(]+ \w+) at (?P<share>\d+(?:\.\d+)?)%(?: \(.*\))?")
# `'train_runtime': 2218.55`, `"train_loss": '0.7228'`
_PAIR = re.compile(
    r"""(?P<quote>['"])(?P<name>[\w/. -]{1,60})(?P=quote)\s*:\s*(?P<value>'[^']*'|"[^"]*"|[^\s,{}\[\]'"]+)"""
)
_DICTIONARY = re.compile(r"\{.*\}")
# `DLL 2020-11-18 19:30:26.531456 - () train.total_ips : 2345.6 img/s`, `DLL 2020-11-18 19:30:26.53 - Summary: ...`
_DLL = re.compile(
    r"DLL \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? - (?:(?P<kind>PARAMETER)\s|(?:(?:\(\)|Summary:?)\s*+)?)\s*+"
    r"(?P<rest>[A-Za-z_]\S*\s*:\s.*)"
)
# `DLLL {"timestamp": "1605727826.53", ..., "type": "LOG", "step": [], "data": {"e2e_train_time": 543.2}}`
_DLL_JSON = re.compile(
    r"DLLL \{.*\"step\": (?:(?P<kind>\"PARAMETER\")|\[\]|\(\)|\"\"|\{\}), \"data\": (?P<rest>\{.*\})\}"
)
# `train.total_ips : 2345.6 img/s`, up to the next name
_DLL_PAIR = re.compile(
    r"(?P<name>[A-Za-z_][\w.\-]{0,80})\s*:\s+(?P<value>\S+(?:\s+[A-Za-z%][\w/%]*(?=\s|$)(?!\s*:\s))?)"
)
# The value of a summary, damaged ones too
_VALUE = r"[^\s,;\d]*\d[^\s,;]*"
# One of them stands in every line that is read, but in those that `may_be_of_program` names.
_SIGNS = (":", "=", "|", "{", "[", "%", "*", "...")
# Values by which a program says that it was told nothing
_NOTHING = frozenset({"", "none", "null", "auto", "n/a", "not set", "default", "*", "explicit", "inf", "[]"})
# Backends that say by which interface a server is asked, not what it runs
_INTERFACES = frozenset({"openai", "openai-chat", "openai-responses", "pytorch"})
# `Namespace(subparser='bench', model='Qwen/Qwen3-0.6B', batch_size=None)`
_NAMESPACE = re.compile(r"\b(?:Namespace|\w*Args|\w*Arguments|\w*Config)\(")
_ASSIGNED = re.compile(r"(?<![\w.])(?P<name>\w+)=(?P<value>'[^']*'|\"[^\"]*\"|[^\s,()\[\]]+)")
# `--model Qwen/Qwen3-0.6B`, `--batch-size=8`, `-m resnet50`
_OPTION = re.compile(r"(?<!\S)--?(?P<name>[A-Za-z][\w-]*)(?:=|\s+)(?P<value>'[^']*'|\"[^\"]*\"|[^\s-]\S*)")
_IS_COMMAND = re.compile(r"(?:^|\s)--?[A-Za-z][\w-]*(?:=|\s+[^\s-])")
# `Model:       resnet50`, `Batch size: 8`, `micro_batch_size ............ 4`
_LINE = re.compile(r"(?P<name>[A-Za-z][\w ()/,.&-]{0,79}?)\s*(?:[:=]|\s\.{3,}\s?)\s*(?P<value>\S(?:.*\S)?)\s*")
# `Total train batch size (w. parallel, distributed & accumulation)`
_REMARK = re.compile(r"(?:(?<!\s)\s++)?\(w\. .{0,200}\)$")
# `256 global`, `147.0000`, `8`
_COUNT = re.compile(r"(?P<count>\d[\d,]*)(?:\.0+)?(?:\s+(?P<kind>global|total|per step))?")
# `inf`, `24 inference requests per seconds`
_RATE_OF_REQUESTS = re.compile(r"\d+(?:\.\d+)?|inf\b")
_TASK = re.compile(r"(?P<task>train|infer)|forward", re.IGNORECASE)
# What PyTorch calls a format
_HALF = {"half": "FP16"}


def visible(text: str) -> str:
    """The text with terminal codes and no-break spaces as blanks, every other character at its old offset."""
    if text.isprintable() and "^[" not in text and not _LOST_ESCAPE.search(text):
        return text
    return _TERMINAL.sub(lambda code: " " * len(code[0]), text).replace("\u00a0", " ")


@dataclass(frozen=True, slots=True)
class Said:
    """A line of a log.

    Attributes:
        line: The line itself.
        text: Its text with blanks for terminal codes, every other character at its old offset.
        start: Where the words of the program begin in it.
        rank: Process that says it, where a label tells.
        is_message: True where a time stamp or a level stands before it, as only loggers print them.
    """

    line: Line
    text: str
    start: int
    rank: int | None
    is_message: bool

    @property
    def body(self) -> str:
        """The words of the program."""
        return self.text[self.start :].strip()

    @property
    def cell(self) -> Cell:
        """The words of the program with their place."""
        return self.part(self.start, len(self.text)).stripped()

    def part(self, start: int, end: int) -> Cell:
        """Characters of the line, counted in the line; terminal codes in it are blanks."""
        return Cell(self.text[start:end], self.line.number, start, end)


def said_on(line: Line) -> Said:
    """What the program says on a line."""
    text = visible(line.text)
    start, rank, is_message = 0, None, False
    if (":" in text or "[" in text or "(" in text or text[:1].isupper()) and _MAY_BEGIN.match(text):
        is_level = False
        for _ in range(_MAX_PREFIXES):
            match = _PREFIX.match(text, start)
            if match is None:
                match = _LOGGER_BEHIND.match(text, start) if is_level else _LOGGER_BEFORE.match(text, start)
                if match is None:
                    break
            else:
                groups = match.groupdict()
                if groups["place"] and not start:
                    break
                is_level |= bool(groups["level"])
                is_message |= bool(groups["time"] or groups["level"])
                label = groups["rank"] or groups["mpi"] or groups["label"] or groups["actor"]
                rank = int(label) if label else rank
            start = match.end()
    if "]" in text and text.endswith("}") and (bar := _BAR_BEFORE.match(text, start)):
        start = bar.end()
    return Said(line, text, start, rank, is_message)


@dataclass(frozen=True, slots=True)
class Field:
    """A name and what stands behind it."""

    name: Cell
    value: Cell

    @property
    def key(self) -> str:
        """The name by which fields are compared."""
        return " ".join(self.name.text.casefold().split())


def fields_on(said: Said, unit: str | None = None) -> list[Field]:
    """The fields that a line consists of; none for any other line.

    Args:
        said: The line.
        unit: Unit that a heading above gives for fields such as `[TPOT] P50: 204`.
    """
    cell = said.cell
    match = _FIELD.fullmatch(cell.text)
    if match is None:
        return []
    name, value = cell.matched(match, "name"), cell.matched(match, "value")
    if tagged := _TAGGED.fullmatch(name.text):
        words = _WORDS_OF_TAG.get(tagged["tag"], tagged["tag"])
        return [Field(replace(name, text=f"{tagged['statistic']} {words} ({unit})" if unit else name.text), value)]
    if at := _AT_SHARE.fullmatch(value.text):
        return [Field(replace(name, text=f"{at['share']}% {name.text}"), value.matched(at, "value"))]
    if "," in value.text and "=" in value.text:
        return list(_parts(name, value))
    return [Field(name, value)]


def breakdown_unit(text: str) -> str | None:
    """The unit that the heading of a breakdown gives to the fields below it."""
    match = _BREAKDOWN.fullmatch(text)
    return match["unit"] if match else None


def dictionary_on(said: Said) -> list[Field]:
    """The fields of a dictionary such as `{'train_runtime': 2218.55, 'epoch': 3.0}` that a line consists of."""
    cell = said.cell
    return _pairs_in(cell) if _DICTIONARY.fullmatch(cell.text) else []


def dll_fields(said: Said, *, parameters: bool = False) -> list[Field]:
    """The fields of a line of NVIDIA's DLLogger: of the summary, without a step, or the parameters of the run."""
    cell = said.cell
    match = _DLL.fullmatch(cell.text) or _DLL_JSON.fullmatch(cell.text)
    if match is None or bool(match["kind"]) is not parameters:
        return []
    rest = cell.matched(match, "rest")
    if match.re is _DLL_JSON or rest.text.startswith("{"):
        return _pairs_in(rest)
    return [Field(rest.matched(pair, "name"), rest.matched(pair, "value")) for pair in _DLL_PAIR.finditer(rest.text)]


def _pairs_in(cell: Cell) -> list[Field]:
    """The names and plain values of a dictionary."""
    fields = []
    for match in _PAIR.finditer(cell.text):
        value = cell.matched(match, "value")
        if value.text[0] in "'\"":
            value = value.part(1, len(value.text) - 1)
        fields.append(Field(cell.matched(match, "name"), value))
    return fields


def _parts(name: Cell, value: Cell) -> Iterator[Field]:
    """`Latency: min = 5.3 ms, max = 13.3 ms` as `min Latency` and `max Latency`."""
    start = 0
    for text in value.text.split(","):
        part = value.part(start, start + len(text))
        start += len(text) + 1
        if match := _PART.fullmatch(part.text):
            inner = part.matched(match, "name")
            yield Field(replace(inner, text=f"{inner.text} {name.text}"), part.matched(match, "value").stripped())


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
    is_aligned: bool = False
    starts_run: bool = False
    is_final: bool = False
    after_final: bool = False
    example: Mapping[str, Any] = field(default_factory=dict)


# A quantity on a line of its own, `Throughput: 1234.5 samples/sec`, of whatever program the log is.
ANY_PROGRAM = Program("the log")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of an entry; `{value}` stands for a printed value."""
    return re.compile(pattern.replace("{value}", _VALUE))


@dataclass(frozen=True)
class Programs:
    """The content of `programs.yml`.

    Attributes:
        dimensions: The dimension that a setting states, by its name.
        phrases: Sentences that state settings.
        progress: What the words of a line begin with that only shows how far a program is.
        programs: All entries, in order.
    """

    dimensions: Mapping[str, str]
    phrases: tuple[Mapping[str, Any], ...]
    progress: re.Pattern[str]
    programs: tuple[Program, ...]

    @cached_property
    def marks(self) -> re.Pattern[str]:
        """Words without which no line is of a known program."""
        marks = {program.mark for program in self.programs} | {phrase["mark"] for phrase in self.phrases}
        return re.compile("|".join(sorted(marks)))

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
        listed = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return Programs(
            {name: dimension for dimension, names in listed["settings"].items() for name in names},
            tuple(listed["phrases"]),
            re.compile("|".join(entry["pattern"] for entry in listed["progress"]), re.IGNORECASE),
            tuple(Program(**entry | {"gives": tuple(entry.get("gives", ()))}) for entry in listed["programs"]),
        )
    except (TypeError, KeyError, AttributeError, re.error) as error:
        raise ProgramsError(f"{path.name}: {error}") from error


def may_be_of_program(text: str) -> bool:
    """False for words that no line of a program consists of, such as the cell of a table: most lines of a page."""
    return any(sign in text for sign in _SIGNS) or " -" in text or content().marks.search(text) is not None


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
            return [Summary(program, _values(program, match, said.cell), tuple(_stated_in(match, said.cell, "row")))]
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
        number: Number of the step; None where it has none.
        fields: Its quantities that are kept.
        settings: What it states of how the program runs.
    """

    program: Program
    number: int | None
    fields: list[Field]
    settings: tuple[Stated, ...] = ()


def step_on(said: Said) -> Step | None:
    """The step that a line is of."""
    cell = said.cell
    for program in content().marked(cell.text):
        if program.step and (match := compiled(program.step).match(cell.text)):
            printed = match.groupdict().get("step")
            fields = _values(program, match, cell) if program.gives else step_fields(program, cell)
            settings = (
                Field(cell.matched(found, "name"), cell.matched(found, "value"))
                for found in _named_values(tuple(program.settings)).finditer(cell.text)
            )
            stated = [s for each in settings for s in read_setting(program.settings[each.key], each.value, "row")]
            return Step(program, int(printed) if printed else None, fields, tuple(stated))
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


class Settings:
    """What is known of the run that a log is of, until the next one starts."""

    def __init__(self) -> None:
        self._stated: dict[str, tuple[Stated, str | None]] = {}
        # Whether the line before is one of settings, too.
        self.goes_on = False

    def clear(self) -> None:
        """Starts a new run: nothing is known of it."""
        self._stated.clear()

    def stated(self, task: str | None) -> dict[str, Stated]:
        """What holds for a task, by dimension."""
        return {name: stated for name, (stated, of) in self._stated.items() if of is None or of == task}

    def read(self, said: Said) -> bool:
        """Takes what a line states; True where the line is one of settings."""
        text, cell = said.body, said.cell
        if text.startswith("DLL"):
            parameters = dll_fields(said, parameters=True)
            self._state_all(parameters)
            return bool(parameters)
        if len(text) > 6 and _NAMESPACE.search(text) and text.count("=") > 1:
            if not self.goes_on:
                self.clear()
            self._state_all(_fields(_ASSIGNED, cell))
            return True
        is_phrase = self._read_phrase(cell)
        if "-" in text and _IS_COMMAND.search(text) and not text.startswith(("-", "|")):
            options = _fields(_OPTION, cell)
            if any(each.name.text.casefold().replace("-", "_") in content().dimensions for each in options):
                self._state_all(options)
                return True
        if is_phrase and not text.startswith("&&&&"):
            return True
        match = _LINE.fullmatch(cell.text)
        if match is None:
            return False
        name = cell.matched(match, "name")
        name = name.part(0, len(_REMARK.sub("", name.text)))
        if name.text.casefold() not in content().dimensions:
            return False
        self._state_all([Field(name, cell.matched(match, "value"))])
        return True

    def _read_phrase(self, cell: Cell) -> bool:
        for phrase in content().phrases:
            if match := compiled(phrase["pattern"]).match(cell.text):
                if phrase.get("starts_run"):
                    self.clear()
                for stated in _stated_in(match, cell):
                    self._stated[stated.dimension] = stated, phrase.get("task")
                return True
        return False

    def state(self, settings: tuple[Stated, ...]) -> None:
        """Takes settings that a step states."""
        self._stated |= {stated.dimension: (stated, None) for stated in settings}

    def _state_all(self, fields: list[Field]) -> None:
        for each in fields:
            dimension = content().dimensions.get(each.key.replace("-", "_")) or content().dimensions.get(each.key)
            for stated in read_setting(dimension, each.value) if dimension else ():
                self._stated[stated.dimension] = stated, None


def _fields(pattern: re.Pattern[str], cell: Cell) -> list[Field]:
    return [Field(cell.matched(m, "name"), cell.matched(m, "value")) for m in pattern.finditer(cell.text)]


def _stated_in(match: re.Match[str], cell: Cell, level: Level = "page") -> Iterator[Stated]:
    for name, text in match.groupdict().items():
        if text and name in {*content().dimensions.values()}:
            yield from read_setting(name, cell.matched(match, name), level)


def read_setting(dimension: str, value: Cell, level: Level = "page") -> Iterator[Stated]:
    """What a value states of a dimension, with its characters; nothing where it says nothing that is known."""
    plain = value.part(*_inner(value.text)).stripped()
    if plain.text.casefold() in _NOTHING and dimension != "request_rate":
        return
    if dimension == "known_platform":
        if known_name("platform", plain.text):
            yield Stated("platform", plain.text, plain, level)
    elif dimension == "model":
        if name := _model(plain):
            yield Stated("model", name.text, name, level)
    elif dimension == "framework":
        if plain.text.casefold() not in _INTERFACES and find("frameworks", plain.text):
            yield Stated("framework", plain.text, plain, level)
    elif dimension == "precision":
        plain = plain.part(len("torch.") if plain.text.startswith("torch.") else 0, len(plain.text))
        if said := typed("precision", _HALF.get(plain.text, plain.text)):
            yield Stated("precision", said, plain, level)
    elif dimension == "task":
        # How a load generator runs (`PerformanceOnly`) is no task.
        if match := _TASK.search(plain.text):
            is_training = (match["task"] or "").casefold() == "train"
            yield Stated("task", "training" if is_training else "inference", plain.matched(match), level)
    elif match := _COUNT.fullmatch(plain.text):
        count = plain.matched(match, "count")
        said = typed(dimension, count.text)
        if said and said != "0":
            yield Stated(dimension, said, count, level)
        if dimension == "batch_size" and match["kind"] in ("global", "total"):
            yield Stated("batch_size_kind", "global", plain.matched(match, "kind"), level)
    elif match := _RATE_OF_REQUESTS.match(plain.text) if dimension == "request_rate" else None:
        yield Stated(dimension, match[0], plain.matched(match), level)
    elif dimension in ("platform", "scenario"):
        yield Stated(dimension, plain.text, plain, level)


def _inner(text: str) -> tuple[int, int]:
    """Without quotation marks."""
    start = len(text) - len(text.lstrip("'\" "))
    return start, max(start, len(text.rstrip("'\" ")))


def _model(printed: Cell) -> Cell | None:
    """The name at the end of a path or of `organisation/name`, as printed; `<class ...>` is none."""
    text = printed.text.rstrip("/")
    name = printed.part(text.rfind("/") + 1, len(text))
    stem = name.text.rpartition(".")[0]
    if stem and find("models", stem):
        return name.part(0, len(stem))
    return name if name.text and not name.text.startswith(("<", "$", "{")) else None
