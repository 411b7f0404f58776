"""What is on one line of a log: the words of the program behind time stamps, levels and ranks that
launchers and loggers put before them.

What programs mean by them is read in `extract/logs/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix

from pipelines.read.document import Cell, Line

# `\x1b[1m`, the same in a copy that lost the escape character (`[1m`, `^[[1m`), backspaces before a
# redrawn bar
_TERMINAL = re.compile(r"(?:\x1b|\^\[)\[[0-9;?]*[A-Za-z]|\[\d{1,3}(?:;\d{1,3})*m|[\x00-\x08\x1b]")
_PREFIXES = (
    # `2024-05-01 12:00:00,123`, `[2024-04-06 02:59:36]`, `[10/03/2024-10:47:59]`, `08-28 22:41:28`
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d(?:T|\s|-)|\d\d/\d\d/\d{4}[\s-]|(?:\d\d-)?\d\d-\d\d\s)?"
    r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?!\d|:\d)\]?(?::(?=\s))?",
    # `I1120 12:00:00.123456 140 trainer.py:12]`
    r"[IWEF]\d{4}\s\d\d:\d\d:\d\d(?:\.\d+)?\s+\d+\s+[\w./-]+:\d+\]",
    # `INFO`, `[INFO]`, `[I]`, `WARNING:root:`, `[INFO|trainer.py:1721]`
    r"\[?\s?(?:INFO|WARN(?:ING)?|ERROR|DEBUG)(?:\|[\w./-]+:\d+)?\s?\]?(?::[\w.]*:|:(?=\s)|(?!\w))|\[[IWEVF]\]",
    # `[rank0]:`, `[default0]:`, `[worker :0]`, `[1,0]<stdout>:`, `(EngineCore_DP0 pid=123)`, `0: `
    # of srun, `vllm-1  |`
    r"\[[A-Za-z]+[\s:_-]{0,2}\d{1,5}\]:?|\[\d{1,4},\d{1,5}\]<std(?:out|err)>:?|\(\w[\w ]*pid=\d+(?:, ip=[\d.]+)?\)"
    r"|\d{1,5}:(?=\s)|[a-z][\w.-]*[-_]\d{1,3}\s+\|(?=\s)",
    # `[titan]` before a time stamp, `[__init__.py:241]`, `[timer.py:199:stop]`, `>>`, `- root -`,
    # `-`
    r"\[[a-z]\w*\](?=\s*\d{4}-\d\d-\d\d)|\[[\w./-]+\.(?:py|cc|cpp):\d+(?::\w+)?\]|>>|-\s+[A-Za-z_][\w.]*\s+-(?=\s)|-(?=\s)",
)
_PREFIX = re.compile(rf"(?:\s*(?:{'|'.join(_PREFIXES)}))*\s*")
# First characters of lines without a prefix.
_MAY_BEGIN = re.compile(r"\s*(?:[\[(\dIWEFD]|[\w.-]+\s+\|)")


def visible(text: str) -> str:
    """The text with terminal codes and no-break spaces as blanks, every other character at its old
    offset.
    """
    if text.isprintable() and "[" not in text:
        return text
    return _TERMINAL.sub(lambda code: " " * len(code[0]), text).replace("\u00a0", " ")


@dataclass(frozen=True, slots=True)
class Said:
    """A line of a log: its number, its text with blanks for terminal codes, and where the program's
    words begin.

    `shared` is the length of what every line of its block begins with, such as `[worker :0]`.
    """

    number: int
    text: str
    start: int
    shared: int = 0

    @property
    def is_logged(self) -> bool:
        """Whether a launcher or a logger has put something of its own before the words."""
        return self.start > self.shared

    @property
    def cell(self) -> Cell:
        """The words of the program with their place."""
        return Cell(self.text[self.start :], self.number, self.start, len(self.text)).stripped()


def said_on(line: Line, shared: int = 0) -> Said:
    """The output of the program on a line, behind the characters that all lines of its block share."""
    text = visible(line.text)
    match = _PREFIX.match(text, shared) if _MAY_BEGIN.match(text, shared) else None
    return Said(line.number, text, match.end() if match else shared, shared)


def shared_by(lines: Sequence[Line]) -> int:
    """The length of what all lines of a block begin with, up to a sign: `[worker :0] `, `> `,
    `bench  | `.
    """
    texts = [visible(line.text) for line in lines]
    # Of characters, not of the parts of a path
    shared = commonprefix(texts)  # noqa: RUF071
    signs = (at for at, sign in enumerate(shared, 1) if not (sign.isalnum() or sign.isspace()))
    return max(signs, default=0)
