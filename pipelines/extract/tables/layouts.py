"""The layouts: shipped mappings of files that known programs write: `extract/layouts/<program>.yml`.

An entry lists the headings that show that a file is of its program; those that only some of the
files have are at the top. The language of mappings belongs in `mapping.py`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from pipelines.extract.tables.claims import ClaimedTable, Claims, headings_of
from pipelines.extract.tables.entries import Entries, load_entries
from pipelines.extract.tables.mapping import MappingEntry, SourceMapping
from pipelines.extract.tables.patterns import fold, is_pattern
from pipelines.extract.tables.printed import PrintedTable

_FOLDER = Path(__file__).parents[1] / "layouts"


class ShippedEntry(NamedTuple):
    """An entry of a file, without what is at the top of the file; the file; and its line in it."""

    entry: MappingEntry
    source: SourceMapping
    line: int


@cache
def layouts() -> dict[str, Entries]:
    """The entries of each layout, by the name of its file."""
    found = {path.name: load_entries(path) for path in sorted(_FOLDER.glob("*.yml"))}
    for name, entries in found.items():
        entries.source.as_layout(name)
    return found


@cache
def _signatures() -> list[tuple[frozenset[str], ShippedEntry]]:
    """The headings, as they are compared, that a table of each entry has."""
    found = []
    for loaded in layouts().values():
        for whole, entry in zip(loaded, loaded.source.tables, strict=True):
            written = (fold(name) for name in entry.columns if not is_pattern(name))
            found.append((frozenset(written), ShippedEntry(entry, loaded.source, whole.line)))
    return found


def layouts_of(table: PrintedTable) -> list[ShippedEntry]:
    """The layouts whose headings a table has; those that leave it out only where no other is."""
    headings = set[str]()
    for _, passages in headings_of(table):
        headings.update(fold(passage.text) for passage in passages)
    found = [layout for written, layout in _signatures() if written <= headings]
    return [layout for layout in found if not layout.entry.skip] or found[:1]


def claim_by_layout(table: PrintedTable, source: SourceMapping) -> ClaimedTable | None:
    """The table as a layout reads it, with the constants and names of a source; None if no program
    is known that writes it.

    Raises:
        TableError: `claimed_twice`.
    """
    entries = [
        entry.within(whole.with_constants_of(source), line)
        for entry, whole, line in layouts_of(table)
    ]
    return Claims(entries).claim(table) if entries else None
