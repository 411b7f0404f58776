"""Small pages with the mapping of their source: what the reader of tables makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pipelines.extract.conditions import SUBJECTS, UNNAMED
from pipelines.extract.contract import Extraction
from pipelines.extract.results_page import extract
from pipelines.extract.rows import Condition, Measurement, Reject, Row
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.mapping import Constants, MappingEntry
from pipelines.read.files import open_file


def table(*rows: str) -> str:
    """A Markdown table: `table("Model | Rate", "BERT | 7")`."""
    first, *others = (f"| {row} |" for row in rows)
    return "\n".join([first, "|" + "---|" * (first.count("|") - 1), *others, ""])


def load(folder: Path, mapping: str) -> tuple[MappingEntry, ...]:
    """The entries of the text of a `mapping.yml`."""
    path = folder / "acme" / "results" / "mapping.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(mapping, "utf-8")
    return load_entries(path)


@dataclass
class Read:
    """What a page gives."""

    extraction: Extraction

    @cached_property
    def rows(self) -> list[Row]:
        return self.extraction.rows

    @property
    def measurements(self) -> list[Measurement]:
        return [row for row in self.rows if isinstance(row, Measurement)]

    def values(self, *fields: str) -> list[tuple[Any, ...]]:
        """The value of each measurement with some of its fields."""
        return [
            tuple(getattr(row, name) for name in ("value", *fields)) for row in self.measurements
        ]

    def conditions(self, number: int = 0) -> dict[str, str]:
        """What is said of a measurement, by dimension."""
        return {row.dimension: row.value for row in self._conditions(number)}

    def levels(self, number: int = 0) -> dict[str, str]:
        """Where it is said, by dimension."""
        return {row.dimension: row.level for row in self._conditions(number)}

    def places(self, number: int = 0) -> dict[str, tuple[int, str]]:
        """Line and characters of what is printed of it, by dimension."""
        return {
            row.dimension: (row.cell.line, row.cell.text)
            for row in self._conditions(number)
            if row.is_printed
        }

    def _conditions(self, number: int) -> list[Condition]:
        known = {row.number: row for row in self.rows if isinstance(row, Condition)}
        return [known[at] for at in self.measurements[number].conditions]

    @property
    def refused(self) -> list[tuple[str, str, str]]:
        """Rule, scope and printed characters of each reject."""
        return [
            (row.rule, row.scope, row.cell.text) for row in self.rows if isinstance(row, Reject)
        ]

    @property
    def reasons(self) -> list[str]:
        return [row.reason for row in self.rows if isinstance(row, Reject)]


def with_subjects(entries: tuple[MappingEntry, ...], mapping: str) -> tuple[MappingEntry, ...]:
    """The entries, which state that the page names no model or platform where the mapping has no
    word about it.
    """
    unnamed = {name: f"!{UNNAMED}" for name in SUBJECTS if name not in mapping}
    constants = [Constants.model_validate(unnamed)]
    return tuple(
        entry.model_copy(update={"constants": [*constants, *entry.constants]}) for entry in entries
    )


def read(
    folder: Path,
    page: str,
    mapping: str | None,
    name: str = "page.md",
    *,
    adds_subjects: bool = True,
) -> Read:
    """What a page gives with a mapping; without one nothing is read.

    `adds_subjects`: a mapping without a word about a model or a platform states that the page names
    none.
    """
    (folder / name).write_text(page, "utf-8")
    document = open_file(folder / name, "0" * 64)
    entries = load(folder, mapping) if mapping else None
    if entries and mapping and adds_subjects:
        entries = with_subjects(entries, mapping)
    extraction = extract(document, frozenset(), entries)
    found = Read(extraction)
    for row in found.rows:
        assert document.line(row.cell.line).text[row.cell.start : row.cell.end] == row.cell.text
    return found


Reader = Callable[..., Read]
