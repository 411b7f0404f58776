"""What a declared table is: layer, grain, columns in order, key. The tables themselves stand beside this module."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pipelines.schemas.columns import COLUMNS, Column

# The schemas of the published file, what is looked at most first.
LAYERS = ("main", "audit", "resolved", "raw")


class SchemaError(Exception):
    """A table whose declaration contradicts itself or the columns."""


@dataclass(frozen=True)
class Table:
    """One table of the warehouse.

    Attributes:
        layer: Its schema in DuckDB and its group in Dagster.
        name: Its name.
        meaning: What it holds, in a sentence.
        grain: What one row is.
        layout: Column names in order, separated by blanks; `?` behind a name allows null.
        key: Columns that no two rows share.
        rejects_up_to: Share of rows that may fail the contract before the whole frame counts as broken.
        filled_with: Table that, when it has rows, obliges this one to have rows.
    """

    layer: str
    name: str
    meaning: str
    grain: str
    layout: str
    key: tuple[str, ...] = ()
    rejects_up_to: float = 0.0
    filled_with: str | None = None

    @property
    def full_name(self) -> str:
        return f"{self.layer}.{self.name}"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in order.

        Raises:
            SchemaError: A name that `columns.py` does not know.
        """
        names = [word.rstrip("?") for word in self.layout.split()]
        keys = [own if (own := f"{self.full_name}.{name}") in COLUMNS else name for name in names]
        unknown = [key for key in keys if key not in COLUMNS]
        if unknown:
            raise SchemaError(f"{self.full_name} has columns that columns.py does not know: {unknown}")
        return tuple(COLUMNS[key] for key in keys)

    @cached_property
    def nullable(self) -> frozenset[str]:
        """Names of the columns that may hold null."""
        return frozenset(word[:-1] for word in self.layout.split() if word.endswith("?"))


# A tenth of the rows may be refused one by one; above that the reader no longer fits what it reads. Derived tables
# (audit, main) may refuse none: their rows come from rows that were checked.
SOME = 0.1
