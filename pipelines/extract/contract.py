"""What a source format is: a module with `FORMAT`, `recognise` and `extract`, found by discovery.

A new format is one new module in this folder. Nothing has to be registered: what else the project
has to know of it, SQL and other modules read from its `FORMAT`.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, cast

from pipelines.extract.rows import Row
from pipelines.read.document import Cell, Document
from pipelines.read.page import Box

# The entries of a `mapping.yml`, ready to use (`tables/entries.py`).
Mapping = Sequence[Any]
# What becomes of a printed numeral, see `accounting/`.
Status = Literal["extracted", "condition", "name", "ignored", "unparsed"]


# A page, from 1, and a box on it.
PageBox = tuple[int, Box]


class Mark(NamedTuple):
    """The rule (of `accounting/rules.yml`) that gives characters that are not in a row their status."""

    cell: Cell
    rule: str


@dataclass
class Extraction:
    """What one format read in one document.

    Attributes:
        rows: Rows of any kind of `rows.ROW_KINDS`, rejects among them.
        lines: Numbers of the lines that this format has read; other formats skip them.
        roles: Role and rule of lines without a row, by number, if known.
        marks: Rules of numerals around the rows, if known.
        whole: Rule of all numerals of a line, by number; such a line has no row and no mark.
        boxes: Page and box of drawn marks whose value is printed nowhere, by line and first
            character of the empty cells that stand for them.
    """

    rows: list[Row] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    roles: dict[int, tuple[str, str]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    whole: dict[int, str] = field(default_factory=dict)
    boxes: dict[tuple[int, int], PageBox] = field(default_factory=dict)


class Medium(IntEnum):
    """What numbers are printed in, from the nearest to the measurement to the farthest.

    Of two documents that print one result, the nearer one counts.
    """

    LOG = 1
    TABLE = 2
    SLIDE = 3
    SENTENCE = 4
    DRAWING = 5


@dataclass(frozen=True, kw_only=True)
class Format:
    """What a module declares of its source format.

    Attributes:
        name: Name of the format, the same as the module's.
        description: What documents of this format are, in one sentence.
        rows: Kinds of rows it can give; the lineage graph is drawn from it.
        priority: Formats that know their lines more surely read first (lower number).
        highest_score: The maximum of `recognise`, which is not called if another format has a
            higher score.
        medium: What its numbers are printed in.
        mapping: What it takes of the mapping of a source, as a third argument of `extract`: the
            entries of its tables, or its constants, names and arguments.
        is_republished_whole: Whether its documents are published again as a whole: a number that
            the next snapshot of the source leaves out is withdrawn.
        gives_scores: Whether its results are scores of a suite: each is computed of several runs,
            and the source has the round of the suite.
    """

    name: str
    description: str
    rows: tuple[type[Row], ...]
    priority: int
    medium: Medium
    highest_score: float = 1.0
    mapping: Literal["tables", "constants"] | None = None
    is_republished_whole: bool = False
    gives_scores: bool = False


class SourceFormat(Protocol):
    """The names that a module must have to be a source format."""

    FORMAT: Format

    @staticmethod
    def recognise(document: Document) -> float:
        """How certain it is that the document has this format, from 0 to 1."""

    @staticmethod
    def extract(document: Document, taken: Collection[int], *mapping: Any) -> Extraction:
        """Rows of this format in the lines that are not `taken` by another."""


@cache
def module_names() -> frozenset[str]:
    """Names of the source formats; nothing is imported."""
    fronts = dict[str, Path]()
    for folder in importlib.import_module("pipelines.extract").__path__:
        fronts |= {path.stem: path for path in Path(folder).glob("*.py")}
        # A format in a folder is declared in its `__init__.py`.
        fronts |= {path.parent.name: path for path in Path(folder).glob("*/__init__.py")}
    return frozenset(
        name for name, path in fronts.items() if "\nFORMAT = " in path.read_text("utf-8")
    )


@cache
def formats() -> dict[str, SourceFormat]:
    """Every source format by name, in order of priority."""
    found = [
        cast(SourceFormat, importlib.import_module(f"pipelines.extract.{name}"))
        for name in sorted(module_names())
    ]
    found.sort(key=lambda module: module.FORMAT.priority)
    return {module.FORMAT.name: module for module in found}


def medium_of(name: str | None) -> Medium | None:
    """What the numbers of a format are printed in; None for what is no format."""
    return formats()[name].FORMAT.medium if name in formats() else None


def gives_scores(name: str) -> bool:
    """Whether a format gives scores; False for what is no format."""
    return name in formats() and formats()[name].FORMAT.gives_scores


def formats_macro() -> str:
    """The statement that makes a macro for queries: `source_format(name)` is what a format
    declares, null for what is no format.
    """
    facts = [
        f"'{name}': {{medium: '{one.medium.name.lower()}', distance: {one.medium:d}, "
        f"takes_mapping: {one.mapping == 'tables'}, is_republished_whole: {one.is_republished_whole}, "
        f"gives_scores: {one.gives_scores}}}"
        for name, one in ((name, module.FORMAT) for name, module in formats().items())
    ]
    return f"create or replace temp macro source_format(name) as map {{{', '.join(facts)}}}[name]"


def detect_format(document: Document) -> str | None:
    """Name of the format with the highest score for a document, or None."""
    best, best_score = None, 0.0
    for name in in_order(None, document):
        module = formats()[name]
        # A format that cannot have a higher score is skipped, because recognising costs as much as
        # reading.
        if best_score >= module.FORMAT.highest_score:
            continue
        score = module.recognise(document)
        if score > best_score:
            best, best_score = name, score
    return best


def lines_taken(document: Document, stated_format: str | None) -> set[int]:
    """The lines of a document that other formats read before tables, such as those of a log.

    Args:
        document: The document.
        stated_format: Its format, if it is known.
    """
    main, taken = stated_format or detect_format(document), set[int]()
    for name in in_order(main, document):
        if formats()[name].FORMAT.mapping == "tables":
            break
        taken |= formats()[name].extract(document, frozenset(taken)).lines
    return taken


def in_order(main: str | None, document: Document) -> list[str]:
    """The formats in the order in which they read a document of a format: its own, and logs, which
    know their lines. Records hold nothing but tables.
    """
    known = formats()
    tables = [name for name, module in known.items() if module.FORMAT.mapping == "tables"]
    return sorted(
        tables if document.is_data else known,
        key=lambda name: name != main and known[name].FORMAT.mapping != "constants",
    )
