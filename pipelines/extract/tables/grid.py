"""What a result table is, whatever its layout, and which headings make none that can be read.

The layouts have a module each: `flattened` (one cell per line), `delimited` (tabs or pipes between the cells).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipelines.extract.tables.alignment import Damage
from pipelines.extract.tables.headings import Heading
from pipelines.read.document import Cell, Grid
from pipelines.vocabulary.printed_names import read_platform

# Unknown headings in a row of them. More would be data taken for headings.
MAX_UNKNOWN = 3

# Fewer headings than this are a few words, unless they name what was measured and on what.
MIN_HEADINGS = 3
# `6,044`, `23h 43m`, `>60 images/sec`
NUMBER_FIRST = re.compile(r"\s*[<>~\u2248]?\s*\d")


@dataclass
class ResultTable:
    """One result table as it stands in the document.

    Attributes:
        headings: Its columns in order.
        rows: Cells of each row, one per heading.
        row_lines: First line of each row, where its first cell may stand above it (a spanning one); None where several
            rows begin on one line; empty where each begins with its first cell.
        damages: Cells that fit no row.
        first_line: Line of the first heading.
        last_line: Line of the last cell.
        lines: All lines that belong to it.
        header_lines: Lines of all rows of headings, where they stand in more than one.
        titles: Cells over the whole width that stand between the rows, in order: each holds for the rows below it.
        rule: Short name of why nothing in it can be read, or None.
        fault: The same in a sentence.
    """

    headings: list[Heading]
    first_line: int
    last_line: int
    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    rule: str | None = None
    fault: str | None = None
    row_lines: list[int | None] = field(default_factory=list)
    header_lines: set[int] = field(default_factory=set)
    titles: list[Cell] = field(default_factory=list)


def unread_table(headings: list[Heading], rule: str, lack: str) -> ResultTable:
    """A table that is not read because of its headings; `lack` says what is wrong."""
    numbers = [heading.cell.line for heading in headings]
    names = ", ".join(repr(" ".join(heading.cell.text.split())) for heading in headings)
    fault = f"{lack} (the headings are {names}): the table below them was not read"
    return ResultTable(headings, numbers[0], numbers[-1], lines=set(numbers), rule=rule, fault=fault)


def over_rest(table: ResultTable, grid: Grid) -> ResultTable:
    """An unread table with all lines of the grid below its headings."""
    table.lines |= set(range(table.first_line, grid.last_line + 1))
    table.last_line = grid.last_line
    return table


def rejected_header(headings: list[Heading], *, numbers_follow: bool) -> ResultTable | None:
    """The unread table of headings that announce results and lack what makes them readable, else None.

    `numbers_follow` tells a table whose measured heading is lost from a list of models.
    """
    known = [heading for heading in headings if heading.column != "unknown"]
    subjects = {heading.column for heading in known} & {"model", "platform"}
    measures = any(heading.is_value for heading in known)
    if len(known) < MIN_HEADINGS or bool(subjects) == measures:
        return None
    if measures:
        return unread_table(headings, "no_subject_column", "no heading says whose results these are")
    if len(subjects) == 2 or numbers_follow:
        return unread_table(headings, "no_measured_column", "no heading of a measured column can be read")
    return None


def vendors_of(table: ResultTable) -> set[str]:
    """The vendors of the known platforms that the rows and the headings of a table name."""
    columns = [place for place, heading in enumerate(table.headings) if heading.column == "platform"]
    texts = {row[place].text for row in table.rows for place in columns}
    texts |= {q.text for heading in table.headings for q in heading.qualifiers if q.column == "platform"}
    entries = [read_platform(" ".join(text.split())).entry for text in texts]
    return {str(entry.facts["vendor"]) for entry in entries if entry and "vendor" in entry.facts}
