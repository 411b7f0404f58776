"""What a declared column is, and the kinds of values that several columns share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ColumnType = Literal["text", "integer", "number", "flag", "date", "timestamp", "texts", "integers"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the warehouse.

    Attributes:
        name: Name, the same in every table.
        type: Its type; `texts` and `integers` are lists.
        meaning: What it says, with the unit where the name does not carry it.
        one_of: The only values allowed, or None.
        pattern: Regular expression that each text matches, or None.
        at_least: Least value allowed, or None.
        table: The one table in which the name means this; elsewhere it means something else. None for all tables.
    """

    name: str
    type: ColumnType
    meaning: str
    one_of: tuple[str, ...] | None = None
    pattern: str | None = None
    at_least: float | None = None
    table: str | None = None

    @property
    def key(self) -> str:
        """What the column is listed under: its name, with its table where it has one of its own."""
        return f"{self.table}.{self.name}" if self.table else self.name


# Shapes of identifiers: the sha256 of a document, and pieces of hashes of places and benchmarks.
SHA256 = r"^[0-9a-f]{64}$"
ID = r"^[0-9a-f]{16,64}$"

BOUNDS = ("eq", "gt", "lt", "approx", "up_to")
# What a line of a document is, and what becomes of a numeral in it.
LINE_ROLES = (
    "blank", "heading", "table_header", "table_cell", "condition", "claim", "measurement", "log", "prose",
    "boilerplate", "unparsed",
)  # fmt: skip
NUMERAL_STATUSES = ("extracted", "condition", "name", "ignored", "unparsed")

# Where a condition may be stated, nearest first.
LEVELS = (
    "cell", "row", "column_heading", "row_title", "caption", "heading", "sentence", "page", "mapping", "vocabulary",
)  # fmt: skip

SCOPES = ("document", "page", "table", "row", "sentence", "note")
