"""Submissions to MLPerf, which `read/submission.py` makes one document: logs, member by member, with
the descriptions of their systems.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import pairwise

from pipelines.extract.logs import LineRole, LogReading
from pipelines.extract.logs.mllog import fields_in
from pipelines.extract.logs.systems import described, platform_of
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.read.submission import MEMBER

# What a line is
_PATH: LineRole = "heading", "word_with_digits"
_DESCRIPTION: LineRole = "condition", "log_setting"


class SubmissionLogs(LogReading):
    """The logs of a submission, or one log alone.

    Attributes:
        is_submission: Whether every heading is the path of a member; also of a log without any.
        fields: What a description states, by name, by its path; nothing where there is none.
        platforms: The place of the name of the system that it describes, by its path.
    """

    def __init__(self, document: Document, source: SourceMapping | None) -> None:
        super().__init__(document, source)
        self._paths = [number for number, _ in document.levels]
        self.is_submission = all(
            MEMBER.fullmatch(document.texts[number - 1]) for number in self._paths
        )
        # The fields of the descriptions of systems, and of scaling factors, by path.
        self._described: dict[str, dict[str, Cell]] = {}
        # A submission has hundreds of logs of one system.
        self.fields, self.platforms = cache(self._fields), cache(self._platforms)

    def members(self, taken: Collection[int] = ()) -> Iterator[tuple[Cell, Iterator[Line]]]:
        """The path of each log, "" in line 0 of one alone, with its lines that are not taken. The
        other members are read as descriptions.
        """
        document = self.document
        starts = self._paths if self.is_submission and self._paths else [0]
        for first, following in pairwise([*starts, len(document.texts) + 1]):
            path = Cell("", 0, 0, 0)
            if first:
                path = document.line(first).cell
                self.take(_PATH, document.line(first))
            numbers = (number for number in range(first + 1, following) if number not in taken)
            lines = map(document.line, numbers)
            if not path.text.endswith(".json"):
                yield path, lines
                continue
            fields = self._described[path.text] = {}
            for line in lines:
                self.take(_DESCRIPTION, line)
                fields |= fields_in(line.cell)

    def _fields(self, path: str) -> dict[str, Cell]:
        return described(self._described.get(path, {}))

    def _platforms(self, path: str) -> list[Cell]:
        return platform_of(self.fields(path))
