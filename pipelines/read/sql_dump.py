"""INSERT statements of SQL, as `llama-bench -o sql` and dumps of databases have them, to `Document`:
a grid for each list of columns.

Nothing is executed, and other statements are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipelines.read.document import Cell, Document, Grid, ReadError

# `-- a comment`, `'12th Gen Core'`, `"avg_ts"`, `-7324.5`, `(`, a quote that is not closed
_TOKEN = re.compile(r"--.*+|'(?:[^']|'')*+'|\"[^\"]*+\"|[^\s(),;'\"]++|[(),;'\"]")


def read(document: Document) -> Document:
    """The lines of a file of SQL, and a grid with the rows of all INSERT statements that name the
    same columns of a table.

    Raises:
        ReadError: `bad_records`, for a statement that is not complete, names no columns, or has
            other values than columns.
    """
    rows: dict[tuple[str, ...], list[list[Cell]]] = {}
    for statement in _statements(document):
        words = [cell.text.lower() for cell in statement[:4]]
        if words[:2] != ["insert", "into"]:
            continue
        line = statement[0].line
        if words[3:] != ["("]:
            raise ReadError("bad_records", "the INSERT names no columns before VALUES", line)
        columns, *values = _lists(statement)
        for row in values:
            if len(row) != len(columns):
                reason = f"the INSERT has {len(row)} values for {len(columns)} columns"
                raise ReadError("bad_records", reason, line)
        names = (words[2], *(cell.text for cell in columns))
        rows.setdefault(names, [columns]).extend(values)
    grids = [Grid(table, table[0][0].line, table[-1][-1].line) for table in rows.values()]
    return replace(document, grids=tuple(grids), is_data=True)


def _statements(document: Document) -> Iterator[list[Cell]]:
    """The words, texts and signs of each statement."""
    statement: list[Cell] = []
    for number, line in enumerate(document.texts, start=1):
        for match in _TOKEN.finditer(line):
            token = match[0]
            if token in ("'", '"'):
                raise ReadError("bad_records", "a text is not closed in its line", number)
            if token == ";":
                yield statement
                statement = []
            elif not token.startswith("--"):
                statement.append(Cell(token, number, *match.span()))
    if statement:
        reason = "the statement has no `;` at its end: the file is cut off"
        raise ReadError("bad_records", reason, statement[0].line)


def _lists(statement: Sequence[Cell]) -> list[list[Cell]]:
    """What is in each pair of brackets, texts without their quotes and NULL as a blank."""
    found: list[list[Cell]] = []
    for cell in statement:
        if cell.text == "(":
            found.append([])
        elif found and cell.text[0] in "'\"":
            found[-1].append(cell.part(1, len(cell.text) - 1).stripped())
        elif found and cell.text.upper() == "NULL":
            found[-1].append(cell.part(0, 0))
        elif found and cell.text not in (")", ",") and cell.text.upper() != "VALUES":
            found[-1].append(cell)
    return found
