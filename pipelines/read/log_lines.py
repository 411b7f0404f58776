"""What stands on one line of a log: the words of the program behind time stamps, levels and ranks that launchers and
loggers put before them, and the names and values among them.

What programs mean by them is read in `extract/logs/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pipelines.read.document import Cell, Line

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
# `INFO`, `[INFO]`, `[ INFO ]`, `[I]`, `WARNING:root:`, `INFO:transformers.trainer:`, `[INFO|trainer.py:1721]`
_LEVEL = (
    r"\[?\s?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|NOTICE|CRITICAL|VERBOSE|TRACE)(?:\|[\w./-]+:\d+)?\s?\]?(?::[\w.]*:|:(?=\s)|(?!\w))"
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
