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

from pipelines.extract.rows import KIND_OF, Row
from pipelines.read.page import Box
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import Table

_PLACE = {"line": "cell.line", "char_start": "cell.start", "char_end": "cell.end", "text_printed": "cell.text"}
_BOX = ("page", "x0", "top", "x1", "bottom")
_WRONG_TYPE = (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one kind that one extractor gives of one document.

    Attributes:
        document_id: The document.
        extractor: Name of the format, or of the step that refuses.
        rows: The rows, in order.
        boxes: Page and box of the rows that stand on a page, by the position of the row.
    """

    document_id: str
    extractor: str
    rows: list[Row] = field(default_factory=list)
    boxes: dict[int, tuple[int, Box]] = field(default_factory=dict)

    def columns(self) -> dict[str, Sequence[Any]]:
        """The values of all rows by the name of the column."""
        if not self.rows:
            return {}
        names, values_of = _FIELDS[type(self.rows[0])]
        columns: dict[str, Sequence[Any]] = dict.fromkeys(names, ())
        columns["document_id"] = [self.document_id] * len(self.rows)
        columns["extractor"] = [self.extractor] * len(self.rows)
        columns |= zip((*names, *_PLACE), zip(*map(values_of, self.rows), strict=True), strict=True)
        if self.boxes:
            nothing = None, (None,) * (len(_BOX) - 1)
            boxes = (self.boxes.get(number, nothing) for number in range(len(self.rows)))
            columns |= dict(zip(_BOX, zip(*((page, *box) for page, box in boxes), strict=True), strict=True))
        return columns


def _fields(kind: type[Row]) -> tuple[tuple[str, ...], Callable[[Row], tuple[Any, ...]]]:
    names = [name.name for name in dataclasses.fields(kind) if name.name != "cell"]
    return tuple(names), attrgetter(*names, *_PLACE.values())


# Names of the fields of each kind of row but its cell, and what gives their values and those of its place.
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
            values += found[name] if name in found else [None] * len(part.rows)
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
