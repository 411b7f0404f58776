"""Extracted rows as the columns of their table: a page may have 180,000 of them, and none becomes a dictionary.

What the columns are belongs in `rows.py`, where they are written in `corpus.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pipelines.extract.rows import RowColumns
from pipelines.schemas.tables import Table, arrow_schema

_PLACE = ("document_id", "extractor", "line", "char_start", "char_end")
_BOX = ("page", "x0", "top", "x1", "bottom")
_WRONG_TYPE = (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one kind that one extractor gives of one document.

    Attributes:
        document_id: The document.
        extractor: Name of the format, or of the step that refuses.
        found: The rows.
    """

    document_id: str
    extractor: str
    found: RowColumns

    def __len__(self) -> int:
        return len(self.found.texts)

    def columns(self) -> dict[str, Sequence[Any]]:
        """The values of all rows by the name of the column."""
        found = self.found
        columns: dict[str, Sequence[Any]] = {
            **found.fields,
            "document_id": [self.document_id] * len(self),
            "extractor": [self.extractor] * len(self),
            "line": [line or 1 for line in found.lines],
            "char_start": found.starts,
            "char_end": [start + len(text) for start, text in zip(found.starts, found.texts, strict=True)],
            "text_printed": found.texts,
        }
        if found.boxes:
            nothing = None, (None,) * (len(_BOX) - 1)
            boxes = (found.boxes.get(number, nothing) for number in range(len(self)))
            columns |= zip(_BOX, zip(*((page, *box) for page, box in boxes), strict=True), strict=True)
        return columns


def plain_rows(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """The rows as dictionaries."""
    rows = []
    for part in parts:
        columns = part.columns()
        rows += [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return rows


def parts_to_arrow(parts: Sequence[Part], table: Table, rejects: list[dict[str, Any]]) -> pa.Table:
    """Rows with the Arrow schema of their table; a row whose values do not have the column's type goes to `rejects`."""
    schema = arrow_schema(table)
    columns: dict[str, list[Any]] = {column.name: [] for column in schema}
    for part in parts:
        found = part.columns()
        for name, values in columns.items():
            values += found.get(name) or [None] * len(part)
    try:
        return pa.Table.from_arrays([pa.array(columns[one.name], one.type) for one in schema], schema=schema)
    except _WRONG_TYPE:
        return to_arrow(plain_rows(parts), table, rejects)


def to_arrow(rows: list[dict[str, Any]], table: Table, rejects: list[dict[str, Any]]) -> pa.Table:
    """Plain rows with the Arrow schema of their table; what does not have the column's type goes to `rejects`."""
    schema = arrow_schema(table)
    good = []
    for row in rows:
        try:
            pa.Table.from_pylist([row], schema=schema)
        except _WRONG_TYPE as error:
            facts = {
                "text_printed": row["text_printed"],
                "rule": "wrong_type",
                "reason": f"a value does not have the type of its column: {error}",
                "scope": "row",
                "row_json": json.dumps(row, ensure_ascii=False, default=str),
            }
            rejects.append({name: row[name] for name in _PLACE} | facts)
        else:
            good.append(row)
    return pa.Table.from_pylist(good, schema=schema)
