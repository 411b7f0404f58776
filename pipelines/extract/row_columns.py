"""Extracted rows as the columns of their table: a page may have 180,000 of them, and none becomes a dictionary.

What the columns are belongs in `rows.py`, where they are written in `corpus.py`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import pyarrow as pa

from pipelines.extract.rows import KIND_OF, Row, RowColumns
from pipelines.read.page import Box
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import Table

# A field whose default is a value and not null.
_SAME_FOR_ALL = frozenset({"bound"})
_BOX = ("page", "x0", "top", "x1", "bottom")
_WRONG_TYPE = (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one kind that one extractor gives of one document.

    Attributes:
        document_id: The document.
        extractor: Name of the format, or of the step that refuses.
        rows: The rows, in order; none where they are columns.
        columns_of_rows: The rows as columns, or None.
        boxes: Page and box of the rows that stand on a page, by the position of the row.
    """

    document_id: str
    extractor: str
    rows: list[Row] = field(default_factory=list)
    boxes: dict[int, tuple[int, Box]] = field(default_factory=dict)
    columns_of_rows: RowColumns | None = None

    def __len__(self) -> int:
        return len(self.rows) if self.columns_of_rows is None else len(self.columns_of_rows.texts)

    def columns(self) -> dict[str, Sequence[Any]]:
        """The values of all rows by the name of the column."""
        if self.columns_of_rows is not None:
            return self._of_columns(self.columns_of_rows)
        if not self.rows:
            return {}
        columns: dict[str, Sequence[Any]] = {
            name: [*map(value_of, self.rows)] for name, value_of in _FIELDS[type(self.rows[0])].items()
        }
        cells = [row.cell for row in self.rows]
        return columns | {
            "document_id": [self.document_id] * len(cells),
            "extractor": [self.extractor] * len(cells),
            "line": [cell.line for cell in cells],
            "char_start": [cell.start for cell in cells],
            "char_end": [cell.end for cell in cells],
            "text_printed": [cell.text for cell in cells],
            **self._boxes(),
        }

    def _of_columns(self, found: RowColumns) -> dict[str, Sequence[Any]]:
        ends = [start + len(text) for start, text in zip(found.starts, found.texts, strict=True)]
        defaults = {
            field.name: field.default for field in dataclasses.fields(found.kind) if field.name in _SAME_FOR_ALL
        }
        return {
            **{name: [value] * len(self) for name, value in defaults.items()},
            **found.fields,
            "document_id": [self.document_id] * len(self),
            "extractor": [self.extractor] * len(self),
            "line": [line or 1 for line in found.lines],
            "char_start": found.starts,
            "char_end": ends,
            "text_printed": found.texts,
            **self._boxes(),
        }

    def _boxes(self) -> dict[str, Sequence[Any]]:
        if not self.boxes:
            return {}
        nothing = None, (None,) * (len(_BOX) - 1)
        boxes = (self.boxes.get(number, nothing) for number in range(len(self)))
        return dict(zip(_BOX, zip(*((page, *box) for page, box in boxes), strict=True), strict=True))


def _fields(kind: type[Row]) -> dict[str, Callable[[Row], Any]]:
    return {field.name: attrgetter(field.name) for field in dataclasses.fields(kind) if field.name != "cell"}


# The fields of each kind of row but its cell, and what gives their values.
_FIELDS = {kind: _fields(kind) for kind in KIND_OF}


def plain_rows(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """The rows as dictionaries; those that stand on no page have no box."""
    rows = []
    for part in parts:
        columns = part.columns()
        names = list(columns)
        for number, values in enumerate(zip(*columns.values(), strict=True)):
            row = dict(zip(names, values, strict=True))
            if part.boxes and number not in part.boxes:
                for name in _BOX:
                    del row[name]
            rows.append(row)
    return rows


def parts_to_arrow(parts: Sequence[Part], table: Table, rejects: list[dict[str, Any]]) -> pa.Table:
    """Rows with the Arrow schema of their table; a row whose values do not have the column's type goes to `rejects`."""
    schema = arrow_schema(table)
    columns: dict[str, list[Any]] = {column.name: [] for column in schema}
    for part in parts:
        found = part.columns()
        for name, values in columns.items():
            values += found[name] if name in found else [None] * len(part)
    try:
        arrays = [pa.array(columns[column.name], column.type) for column in schema]
    except _WRONG_TYPE:
        return to_arrow(plain_rows(parts), table, rejects)
    return pa.Table.from_arrays(arrays, schema=schema)


def to_arrow(rows: list[dict[str, Any]], table: Table, rejects: list[dict[str, Any]]) -> pa.Table:
    """Plain rows with the Arrow schema of their table; what does not have the column's type goes to `rejects`."""
    schema = arrow_schema(table)
    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except _WRONG_TYPE:
        good = []
        for row in rows:
            try:
                pa.Table.from_pylist([row], schema=schema)
            except _WRONG_TYPE as error:
                place = {name: row[name] for name in ("document_id", "extractor", "line", "char_start", "char_end")}
                rejects.append(
                    place
                    | {
                        "text_printed": row["text_printed"],
                        "rule": "wrong_type",
                        "reason": f"a value does not have the type of its column: {error}",
                        "scope": "row",
                        "row_json": json.dumps(row, ensure_ascii=False, default=str),
                    }
                )
            else:
                good.append(row)
        return pa.Table.from_pylist(good, schema=schema)
