"""What a program says on a line, behind the time stamps, levels and ranks that launchers and loggers put before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.extract.logs.bars import visible
from pipelines.read.document import Cell, Line

# `[rank0]:`, `[Rank 3]`, `[default0]:`, `[1,0]<stdout>:`, `(EngineCore_DP0 pid=123)`, `(RayTrainWorker pid=1, ip=...)`,
# `0: `, `12:  ` as srun and torchrun label their processes
_RANK = (
    r"\[(?:rank|default|worker|gpu|process)[\s:_-]?(?P<rank>\d{1,5})\]:?|\[\d{1,4},(?P<mpi>\d{1,5})\]<std(?:out|err)>:?"
    r"|\((?:\w+ )?\w*?(?<!\d)(?P<actor>\d*) ?pid=\d+(?:, ip=[\d.]+)?\)|(?P<label>\d{1,5}):(?=\s)"
)
# `2024-05-01 12:00:00,123`, `[2024-04-06 02:59:36]`, `[10/03/2024-10:47:59]`, `11/20/2023 12:00:00`, `12:00:00.123:`
_TIME = (
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d(?:T|\s|-)|\d\d/\d\d/\d{4}[\s-]|\d\d-\d\d\s)?"
    r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?!\d|:\d)\]?(?::(?=\s))?"
)
# `I1120 12:00:00.123456 140 trainer.py:12]`, `I0000 00:00:1712.1 12 file.cc:9]`
_GLOG = r"[IWEF]\d{4}\s\d\d:\d\d:\d\d(?:\.\d+)?\s+\d+\s+[\w./-]+:\d+\]"
# `INFO`, `[INFO]`, `[I]`, `WARNING:root:`, `INFO:transformers.trainer:`, `[INFO|trainer.py:1721]`
_LEVEL = (
    r"\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|NOTICE|CRITICAL|VERBOSE|TRACE)(?:\|[\w./-]+:\d+)?\]?(?::[\w.]*:|:(?=\s)|(?!\w))"
    r"|\[[IWEVF]\]"
)
# `[titan]` before a time stamp, `[__init__.py:241]`, `trainer.py:12]`, `[timer.py:199:stop]`, `- __main__ -`, `>>`
_PLACE = (
    r"\[[a-z]\w*\](?=\s*\d{4}-\d\d-\d\d)"
    r"|\[[\w./-]+\.(?:py|cc|cpp|cu|h|rs|go)(?::\d+)?(?::\w+)?\]|[\w./-]+\.(?:py|cc|cpp):\d+\]?:?|>>|[-|](?=\s)"
)
# Words of a logger between dashes, `- INFO - __main__ -`: only behind a level; before one in `- root - INFO -`
_LOGGER = r"[A-Za-z_][\w.]*\s+-(?=\s)"
_LOGGER_BEFORE = re.compile(rf"\s*{_LOGGER}\s+(?:{_LEVEL})")

_PREFIX = re.compile(rf"\s*(?:(?P<time>{_GLOG}|{_TIME})|(?P<level>{_LEVEL})|(?P<place>{_PLACE})|{_RANK})")
_LOGGER_BEHIND = re.compile(rf"\s*{_LOGGER}")
# What no prefix begins with; most lines of a log begin with one of these, or with nothing.
_MAY_BEGIN = re.compile(r"\s*[\[(\dIWEFDNCVT]")
_MAX_PREFIXES = 8
# `100%|██████████| 375/375 [02:03<00:00,  3.04it/s]` with a dictionary right behind it, as two streams run together
_BAR_BEFORE = re.compile(r"\s*\d{1,3}%\|[^|{]*\|[^\[{]*\[[^\]{]*\]\s*(?=\{)")


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
