"""The role of each line of a document: what its rows, its format or its words make of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from pipelines.extract.contract import Extraction
from pipelines.extract.prose.sentences import is_heading
from pipelines.extract.rows import (
    ChartValue,
    Claim,
    Condition,
    Configuration,
    Epoch,
    Measurement,
    Price,
    Reject,
    Run,
    Submission,
)
from pipelines.read.document import Document, Line

Role = tuple[str, str]

_TABLE_ROW: Role = ("table_cell", "table_row")
# What a line becomes by the rows on it; the first that fits counts.
_OF_ROWS: tuple[tuple[type, Role], ...] = (
    (Claim, ("claim", "claim")),
    (Measurement, ("measurement", "measurement")),
    (Price, ("measurement", "price")),
    (Epoch, ("log", "epoch")),
    (Run, ("log", "run")),
    (Submission, ("condition", "submission")),
    (Configuration, ("condition", "chart_notes")),
    (ChartValue, ("measurement", "chart_value")),
    (Reject, ("unparsed", "rejected")),
)
_RANK = {kind: rank for rank, (kind, _) in enumerate(_OF_ROWS)}
# Roles that stand although a numeral of the line is not read: something else of the line is.
_READ = frozenset({"claim", "measurement", "log"})

_BOILERPLATE = (
    ("markup", re.compile(r"(?:<[^<>]*>\s*+)+|`{3,}\w*|[-=_*~#]{3,}")),
    ("url", re.compile(r"\(?(?:https?://|www\.)\S++[\s.]*")),
    (
        "legal",
        re.compile(
            r"\A.*(?:\b(?:trademarks?|all rights reserved|copyright|unauthori[sz]ed use|privacy policy"
            r"|terms of (?:use|service)|subject to change|cookies?)\b|©).*",
            re.IGNORECASE | re.DOTALL,
        ),
    ),
    ("page_date", re.compile(r"\A.{0,40}\b(?:last updated|updated on|published on|posted on)\b.{0,60}", re.IGNORECASE)),
)
# A longer line is a paragraph that only mentions a trademark.
_MAX_BOILERPLATE = 400


class Roles:
    """Gives the lines of one document their roles.

    Args:
        document: The document.
        extractions: What each format has read in it, by name.
        taken: Format by line, for the lines that a format other than prose has read.
        tables: Name of the format that reads tables.
    """

    def __init__(
        self,
        document: Document,
        extractions: Mapping[str, Extraction],
        taken: Mapping[int, str],
        tables: str,
    ) -> None:
        self._document, self._taken, self._tables = document, taken, tables
        self._stated: dict[int, Role] = {}
        self._ranks: dict[int, int] = {}
        self._conditions: set[int] = set()
        for extraction in extractions.values():
            self._stated |= extraction.roles
            for row in extraction.rows:
                if isinstance(row, Condition):
                    # It may stand in a heading or a cell, which the line then is.
                    if row.is_printed:
                        self._conditions.add(row.cell.line)
                    continue
                if isinstance(row, ChartValue) and row.printed_value is None:
                    # A drawn value is printed nowhere; its row only stands at the label next to it.
                    continue
                rank = _RANK[type(row)]
                self._ranks[row.cell.line] = min(rank, self._ranks.get(row.cell.line, rank))
            for columns in extraction.columns:
                lines = {line for line in columns.lines if line}
                if columns.kind is Condition:
                    self._conditions |= lines
                else:
                    rank = _RANK[columns.kind]
                    self._ranks |= {line: min(rank, self._ranks.get(line, rank)) for line in lines}

    def of_lines(self, unread: Collection[int]) -> list[Role]:
        """Role and rule of each line; `unread` are the lines with a numeral that is not accounted for."""
        texts = self._document.texts
        in_tables = {number for number, home in self._taken.items() if home == self._tables}
        in_tables -= self._ranks.keys() | self._stated.keys() | set(unread)
        return [
            _TABLE_ROW if number in in_tables and text.strip() else self._of(Line(number, text), number in unread)
            for number, text in enumerate(texts, start=1)
        ]

    def _of(self, line: Line, is_unread: bool) -> Role:
        number = line.number
        if line.is_blank:
            is_cell = self._taken.get(number) == self._tables and line.text
            return ("table_cell", "blank_cell") if is_cell else ("blank", "blank")
        if (rank := self._ranks.get(number)) is not None:
            role = _OF_ROWS[rank][1]
        else:
            role = self._stated.get(number) or self._of_words(line)
        if is_unread and role[0] not in _READ and role[0] != "unparsed":
            return "unparsed", "unread_number"
        return role

    def _of_words(self, line: Line) -> Role:
        home = self._taken.get(line.number)
        if home == self._tables:
            return _TABLE_ROW
        if home is not None:
            return "prose", home
        if len(line.text) <= _MAX_BOILERPLATE:
            for rule, pattern in _BOILERPLATE:
                if pattern.fullmatch(line.cell.text):
                    return "boilerplate", rule
        if is_heading(line):
            return "heading", "heading"
        return ("condition", "condition") if line.number in self._conditions else ("prose", "text")
