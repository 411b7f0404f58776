"""Numerals in the lines of result tables that are no measured value: names and conditions."""

from __future__ import annotations

import re
from collections.abc import Callable

from pipelines.extract.accounting.words import Span, Verdict
from pipelines.extract.contract import Extraction
from pipelines.extract.rows import Measurement
from pipelines.read.document import Document, Line

_NAME_COLUMNS = ("model_printed", "variant_name", "platform_printed", "framework_printed", "dataset_printed")
_ROW: Verdict = ("condition", "table_row")
_HEADING: Verdict = ("condition", "table_heading")
_NAME: Verdict = ("name", "extracted_name")
_CELL = re.compile(r"[^\t|]+")


class TableNames:
    """The names that the rows of a document's tables hold, by which a cell is told from a condition."""

    def __init__(self, extraction: Extraction | None) -> None:
        rows = [row for row in extraction.rows if isinstance(row, Measurement)] if extraction else []
        self._names = {name for row in rows for column in _NAME_COLUMNS if (name := getattr(row, column))}

    def status_of(
        self, line: Line, role: tuple[str, str] | None, shown: list[Span] | None = None
    ) -> Callable[[Span], Verdict]:
        """Gives the status of a numeral of a table's line; `shown` are the cells that the file format shows on it."""
        if role and role[0] == "table_header":
            return lambda span: _HEADING
        if shown is None and "\t" not in line.text and "|" not in line.text:
            verdict = _NAME if " ".join(line.text.split()) in self._names else _ROW
            return lambda span: verdict
        cells = shown if shown is not None else [match.span() for match in _CELL.finditer(line.text)]
        names = [(low, high) for low, high in cells if " ".join(line.text[low:high].split()) in self._names]
        return lambda span: _NAME if any(low <= span[0] < high for low, high in names) else _ROW


def shown_cells(document: Document) -> dict[int, list[Span]]:
    """The cells of each line that the file format shows as a table."""
    cells: dict[int, set[Span]] = {}
    for grid in document.grids:
        for row in grid.rows:
            for cell in row:
                cells.setdefault(cell.line, set()).add((cell.start, cell.end))
    return {line: sorted(spans) for line, spans in cells.items()}


def without_separators(text: str, cells: list[Span]) -> str:
    """The text of a line with a blank for each character between its cells: `1,234` may be two cells."""
    masked = [" "] * len(text)
    for low, high in cells:
        masked[low:high] = text[low:high]
    return "".join(masked)
