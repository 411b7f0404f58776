"""Numerals in the lines of result tables that are no measured value: names and conditions."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from operator import attrgetter

from pipelines.extract.accounting.words import Span, Verdict
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Measurement
from pipelines.read.document import Document

_NAMES_OF = attrgetter("model_printed", "variant_name", "platform_printed", "framework_printed", "dataset_printed")
_ROW: Verdict = ("condition", "table_row")
_HEADING: Verdict = ("condition", "table_heading")
_NAME: Verdict = ("name", "extracted_name")
_CELL = re.compile(r"[^\t|]+")


class TableNames:
    """The names that the rows of a document's tables hold, by which a cell is told from a condition."""

    def __init__(self, extraction: Extraction | None) -> None:
        names: set[str | None] = set()
        for row in extraction.rows if extraction else ():
            if isinstance(row, Measurement):
                names.update(_NAMES_OF(row))
        self._names = {name for name in names if name}

    def status_of(
        self, text: str, role: tuple[str, str] | None, shown: list[Span] | None = None
    ) -> Callable[[Span], Verdict]:
        """Gives the status of a numeral of a table's line; `shown` are the cells that the file format shows on it."""
        if (role and role[0] == "table_header") or (shown is None and "\t" not in text and "|" not in text):
            verdict = self.status_of_cell(text, role)
            return lambda span: verdict
        cells = shown if shown is not None else [match.span() for match in _CELL.finditer(text)]
        names = [(low, high) for low, high in cells if " ".join(text[low:high].split()) in self._names]
        return lambda span: _NAME if any(low <= span[0] < high for low, high in names) else _ROW

    def status_of_cell(self, text: str, role: tuple[str, str] | None) -> Verdict:
        """The status of the numerals of a line that is one cell."""
        if role and role[0] == "table_header":
            return _HEADING
        return _NAME if " ".join(text.split()) in self._names else _ROW


class ShownCells:
    """The cells that the file format shows as tables.

    Attributes:
        lone: Lines that are one cell each.
    """

    def __init__(self, document: Document) -> None:
        self.lone: set[int] = set()
        self._on: dict[int, set[Span]] = {}
        texts = document.texts
        for grid in document.grids:
            if grid.has_line_per_cell:
                cells = dict(zip(chain.from_iterable(grid.lines), chain.from_iterable(grid.texts), strict=True))
                if all(texts[line - 1].strip() == text for line, text in cells.items()):
                    self.lone |= cells.keys()
                    continue
            for row in zip(grid.lines, grid.starts, grid.texts, strict=True):
                for line, start, text in zip(*row, strict=True):
                    self._on.setdefault(line, set()).add((start, start + len(text)))

    def on(self, line: int) -> list[Span] | None:
        """The cells on a line, in order; None where the file format shows none."""
        return sorted(self._on[line]) if line in self._on else None


def without_separators(text: str, cells: list[Span]) -> str:
    """The text of a line with a blank for each character between its cells: `1,234` may be two cells."""
    masked = [" "] * len(text)
    for low, high in cells:
        masked[low:high] = text[low:high]
    return "".join(masked)
