"""What a source format is: a module with `FORMAT`, `recognise` and `extract`, found by discovery.

A new format is one new module in this folder. Nothing has to be registered.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, cast

from pipelines.extract.rows import Row, RowColumns
from pipelines.read.document import Cell, Document

# The entries of a `mapping.yml`, ready to use (`tables/entries.py`).
Mapping = Sequence[Any]
# What becomes of a printed numeral, see `accounting/`.
Status = Literal["extracted", "condition", "name", "ignored", "unparsed"]


class Mark(NamedTuple):
    """The status and the rule (of `accounting/rules`) of characters that are not in a row."""

    cell: Cell
    status: Status
    rule: str


@dataclass
class Extraction:
    """What one format read in one document.

    Attributes:
        rows: Rows of any kind of `rows.ROW_KINDS`, rejects among them.
        lines: Numbers of the lines that this format has read; other formats skip them.
        roles: Role and rule of lines without a row, by number, if known.
        marks: Statuses of numerals around the rows, if known.
        whole: Status and rule of all numerals of a line, by number; such a line has no row and no
            mark.
        columns: More rows, many of a kind, as columns.
    """

    rows: list[Row] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    roles: dict[int, tuple[str, str]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    whole: dict[int, tuple[Status, str]] = field(default_factory=dict)
    columns: list[RowColumns] = field(default_factory=list)

    def all_columns(self) -> list[RowColumns]:
        """All rows as columns, those of one kind together."""
        by_kind: dict[type[Row], list[Row]] = {}
        for row in self.rows:
            by_kind.setdefault(type(row), []).append(row)
        return [*self.columns, *map(RowColumns.of, by_kind.values())]


class SourceFormat(Protocol):
    """The names that a module must have to be a source format."""

    FORMAT: str
    """Name of the format, the same as the module's."""
    DESCRIPTION: str
    """What documents of this format are, in one sentence."""
    ROWS: tuple[type[Row], ...]
    """Kinds of rows it can give; the lineage graph is drawn from it."""
    PRIORITY: int
    """Formats that know their lines more surely read first (lower number)."""

    @staticmethod
    def recognise(document: Document) -> float:
        """How certain it is that the document has this format, from 0 to 1.

        `HIGHEST_SCORE` is the maximum of a module; it is not called if another format has a higher
        score.
        """

    @staticmethod
    def extract(document: Document, taken: Collection[int]) -> Extraction:
        """Rows of this format in the lines that are not `taken` by another.

        A format of tables has a third parameter, `mapping: Mapping | None = None`, one of logs
        `source: SourceMapping | None = None`.
        """


@cache
def module_names() -> frozenset[str]:
    """Names of the modules that may be formats; nothing is imported."""
    folders = [Path(folder) for folder in importlib.import_module("pipelines.extract").__path__]
    modules = {info.name for info in pkgutil.iter_modules(map(str, folders)) if not info.ispkg}
    # A format in a folder is declared in its `__init__.py`.
    fronts = (front for folder in folders for front in folder.glob("*/__init__.py"))
    return frozenset(
        modules
        | {front.parent.name for front in fronts if "\nFORMAT = " in front.read_text("utf-8")}
    )


@cache
def formats() -> dict[str, SourceFormat]:
    """Every source format by name, in order of priority."""
    modules = [
        importlib.import_module(f"pipelines.extract.{name}") for name in sorted(module_names())
    ]
    found = [cast(SourceFormat, module) for module in modules if hasattr(module, "FORMAT")]
    return {module.FORMAT: module for module in sorted(found, key=lambda m: (m.PRIORITY, m.FORMAT))}


@cache
def formats_with(parameter: str) -> dict[str, Callable[..., Extraction]]:
    """The formats whose `extract` has a parameter, by name.

    Args:
        parameter: `mapping` of formats whose tables a `mapping.yml` can explain, `source` of those
            of logs, which use its constants, names and arguments.
    """
    return {
        name: m.extract
        for name, m in formats().items()
        if parameter in inspect.signature(m.extract).parameters
    }


def detect_format(document: Document) -> str | None:
    """Name of the format with the highest score for a document, or None."""
    best, best_score = None, 0.0
    for name, module in formats().items():
        # A format that cannot have a higher score is skipped, because recognising costs as much as
        # reading.
        is_asked = best_score < getattr(module, "HIGHEST_SCORE", 1.0)
        if is_asked and (score := module.recognise(document)) > best_score:
            best, best_score = name, score
    return best


def lines_taken(document: Document, stated_format: str | None) -> set[int]:
    """The lines of a document that other formats read before tables, such as those of a log.

    Args:
        document: The document.
        stated_format: Its format, if it is known.
    """
    main, taken = stated_format or detect_format(document), set[int]()
    for name in in_order(main):
        if name in formats_with("mapping"):
            break
        taken |= formats()[name].extract(document, frozenset(taken)).lines
    return taken


def in_order(main: str | None) -> list[str]:
    """The formats in the order in which they read a document of a format: its own, and logs, which
    know their lines.
    """
    return sorted(formats(), key=lambda name: name != main and name not in formats_with("source"))
