"""What commands and printed arguments state: `--model Qwen/Qwen3-0.6B`, `Namespace(batch_size=8)`.

Which argument states which condition is written in `programs.yml`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipelines.extract.conditions import Stated
from pipelines.extract.logs.programs import LONGEST_LINE, programs, read_stated, stated_in
from pipelines.extract.mentions import known_name
from pipelines.extract.tables.language import IGNORE
from pipelines.read.log_lines import Said

# `Namespace(subparser='bench', model='Qwen/Qwen3-0.6B', batch_size=None)`,
# `--model Qwen/Qwen3-0.6B`, `--batch-size=8`, `--enable-prefix-caching`
_ARGUMENT = re.compile(
    r"(?:(?<!\S)--(?P<option>[A-Za-z][\w-]*)(?:=|\s+|$)|(?<![\w.-])(?P<name>\w+)=)"
    r"(?P<value>'[^']*'|\"[^\"]*\"|[^\s,()\[\]'\"\\-][^\s,()\[\]'\"]*)?"
)
_NAMESPACE = re.compile(r"(?:.*\s)?(?:Namespace|\w*Args|\w*Arguments|\w*Config)\(.*\)?")
# `$ ./run.sh`, `python3 bench.py`: a command without arguments
_COMMANDS = ("$ ", "./", "python ", "python3 ")
_KNOWN_ALONE = frozenset({"platform", "framework", "dataset"})


@dataclass
class Settings:
    """What a command or a program states for the output below it, down to a heading of its level or
    a higher one.

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

    def __init__(self, own: Mapping[str, str]) -> None:
        self._dimensions = programs().arguments | {name: [each] for name, each in own.items()}
        self.server, self.client = Settings(), Settings()
        self._command = self.client
        self.is_asked = False
        self._is_continued = False

    def in_force(self) -> Settings:
        """What holds for output: nothing of the server for a client that asks for another model."""
        server, client = self.server, self.client
        asked = client.stated.get("model")
        if asked and asked.value != server.stated.get("model", asked).value:
            server = Settings()
        return Settings(0, server.stated | client.stated, server.others | client.others)

    def end(self, level: int = 0) -> None:
        """Forgets what a heading ends; a server that no client has asked yet runs in the next
        section, too.
        """
        self.server.end(level if self.is_asked or not level else level + 1)
        self.client.end(level)

    def read(self, said: Said, level: int = 0) -> bool:
        """Takes a command line or printed arguments in place of those before; False for any other
        line.
        """
        cell = said.cell
        is_continued, self._is_continued = self._is_continued, cell.text.endswith("\\")
        if len(cell.text) > LONGEST_LINE:
            return False
        is_printed = _NAMESPACE.fullmatch(cell.text) is not None
        is_option = cell.text.startswith(("-", "|")) and not is_continued
        if not is_printed and (said.is_logged or is_option):
            return False
        server = None if said.is_logged else programs().server.match(cell.text)
        stated = [*stated_in(server, cell, "page").values()] if server else []
        others: dict[str, Stated] = {}
        is_command = cell.text.startswith(_COMMANDS)
        group = "name" if is_printed else "option"
        for match in _ARGUMENT.finditer(cell.text):
            name = (match[group] or "").replace("-", "_").casefold()
            value = cell.matched(match, "value" if match["value"] else group)
            known = self._dimensions.get(name, [])
            if not name or IGNORE in known:
                continue
            is_command |= bool(known)
            # The first dimension that has such a value: `fp8` is a precision, `awq` a quantization.
            read = (read_stated(dimension, value) for dimension in known if match["value"])
            if first := next((each for each in read if each and _is_known(each)), None):
                stated.append(first)
            elif not known and (other := read_stated(name, value)):
                others[name] = other
        is_command |= bool(stated)
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
        values = Counter(dimension for dimension, _ in {each[:2] for each in stated})
        for each in reversed(stated):
            # A condition that two arguments state otherwise is unknown.
            if values[each.dimension] == 1:
                self._command.stated[each.dimension] = each
        return bool(stated)


def _is_known(stated: Stated) -> bool:
    return stated.dimension not in _KNOWN_ALONE or known_name(stated.dimension, stated.cell.text)
