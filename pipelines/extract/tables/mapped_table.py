"""A mapping laid upon a printed table: what each column is by a person's word, and what of it no longer fits.

Plain texts in, plain answers out: which cells are read, and as what, is decided by the readers of tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pipelines.extract.tables.mapping import MAPPING_FILE, ColumnMapping, Mapping, TableMapping
from pipelines.extract.tables.mapping_words import OTHERS, fold, nearest

# Where neither file nor mapping says how many rows are headings, the declared ones are looked for in so many.
_HEADER_ROWS_SEARCHED = 4
# A mapping without a section is of the tables that have more than this share of its headings.
_SHARE_OF_HEADINGS = 0.5

Texts = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class SchemaDrift:
    """A column that is not as the mapping says.

    Attributes:
        change: `gone` is declared and not there, `new` is there and not declared, `moved` a section that is not there.
        heading: The heading, as declared or as printed.
        column: Number of a new column, from 0; None for what is not there.
        reason: What is wrong and what to do, in a sentence.
    """

    change: Literal["gone", "new", "moved"]
    heading: str
    column: int | None
    reason: str


@dataclass(frozen=True)
class MappedTable:
    """What a mapping says of one printed table.

    Attributes:
        entry: The entry that declares its columns; None where all columns are as inferred.
        header_rows: Rows of headings (columns of headings where `transposed`); None where nothing is said of them.
        transposed: Whether headings stand in the first columns.
        headings: By column, its heading: the printed parts from top to bottom, each once.
        columns: By column, what it is; None for a column that is not read, and empty where all is inferred.
        unpivoted: Columns whose heading is a value of the dimension `entry.unpivot.field`.
        fill_down: Columns in which a blank cell repeats the one above.
        constants: Value by dimension, nearer than anything printed.
        drifts: What no longer fits.
    """

    entry: TableMapping | None
    header_rows: int | None = None
    transposed: bool = False
    headings: tuple[str, ...] = ()
    columns: tuple[ColumnMapping | None, ...] = ()
    unpivoted: frozenset[int] = frozenset()
    fill_down: frozenset[int] = frozenset()
    constants: dict[str, str] = field(default_factory=dict)
    drifts: tuple[SchemaDrift, ...] = ()


def map_table(
    mapping: Mapping, texts: Texts, sections: Sequence[str] = (), heading_rows: int = 0
) -> MappedTable | None:
    """What a mapping says of a table, or None when it says nothing of it.

    Args:
        mapping: A mapping that a person has checked.
        texts: Printed text of each cell, row by row; a spanning cell's text stands in each place.
        sections: Its caption and the headings above it, nearest first.
        heading_rows: Rows that the file itself marks as headings.
    """
    near = {fold(section): distance for distance, section in reversed(list(enumerate(sections)))}
    # What stands for all tables is said from further out than any heading.
    ranked = sorted(
        ((near.get(fold(entry.section), -1) if entry.section else len(near), entry) for entry in mapping.tables),
        key=lambda pair: pair[0],
    )
    concerned = [(distance, entry) for distance, entry in ranked if distance >= 0]
    fits = [
        (distance, -_share(found, entry), -len(found.names), found, entry)
        for distance, entry in concerned
        if entry.declares_columns
        and (found := _declared_columns(entry, texts, heading_rows))
        and (entry.section or not entry.declared or _share(found, entry) > _SHARE_OF_HEADINGS)
    ]
    best = min(fits, key=lambda fit: fit[:3], default=None)
    hints = [entry for _, entry in concerned if not entry.declares_columns or (best and entry is best[-1])]
    if not hints:
        return None
    # The nearest word counts.
    constants = {name: value for entry in reversed(hints) for name, value in entry.constants.items()}
    if best is None:
        return _hinted(hints, texts, heading_rows, constants)
    found, entry = best[3:]
    return _mapped(entry, found, constants)


def missing_sections(mapping: Mapping, mapped: Collection[TableMapping]) -> Iterator[SchemaDrift]:
    """Declared tables that a document does not have, by the entries that were found in it.

    Entries of one section are layouts that its table has had in the course of time: one of them is enough.
    """
    found = {fold(entry.section or "") for entry in mapped}
    missed: dict[str, TableMapping] = {}
    for entry in mapping.tables:
        if entry.declares_columns and (section := fold(entry.section or "")) not in found:
            missed.setdefault(section, entry)
    for entry in missed.values():
        where = f"under {entry.section!r}" if entry.section else "of the document"
        headings = ", ".join(list(entry.declared.values())[:3])
        reason = (
            f"no table {where} has the headings that {MAPPING_FILE} declares in line {entry.line} ({headings}): "
            "look whether the page has renamed its section or its headings, and write the new ones into the mapping"
        )
        yield SchemaDrift("moved", entry.section or headings, None, reason)


@dataclass(frozen=True, slots=True)
class _Found:
    """Where the declared headings stand: by column the folded heading that is declared, or None."""

    header_rows: int
    paths: tuple[tuple[str, ...], ...]
    declared: tuple[str | None, ...]
    is_blank: tuple[bool, ...]

    @property
    def names(self) -> set[str]:
        return {name for name in self.declared if name is not None}


def _share(found: _Found, entry: TableMapping) -> float:
    return len(found.names) / len(entry.declared) if entry.declared else 0.0


def _declared_columns(entry: TableMapping, texts: Texts, heading_rows: int) -> _Found | None:
    """The declared headings among the first rows; None where some are declared and none of them stands there."""
    turned = _upright(entry, texts)
    if entry.header_rows:
        rows: Sequence[int] = (entry.header_rows,)
    else:
        first = max(1, 0 if entry.transposed else heading_rows)
        rows = range(first, first + _HEADER_ROWS_SEARCHED)
    tried = [_found(entry, turned, count) for count in rows if count <= len(turned)]
    best = max(tried, key=lambda found: (len(found.names), -found.header_rows), default=None)
    return best if best and (best.names or not entry.declared) else None


def _upright(entry: TableMapping, texts: Texts) -> Texts:
    width = max(map(len, texts), default=0)
    whole = [[*row, *[""] * (width - len(row))] for row in texts]
    return [list(column) for column in zip(*whole, strict=True)] if entry.transposed else whole


def _found(entry: TableMapping, texts: Texts, header_rows: int) -> _Found:
    known = entry.declared
    paths = heading_paths(texts, header_rows)
    declared = []
    for path in paths:
        # `H100 Throughput` before `Throughput`: the longest declared end of what stands above the cells.
        ends = (fold(" ".join(path[start:])) for start in range(max(1, len(path))))
        declared.append(next((end for end in ends if end in known), None))
    is_blank = tuple(not any(row[column].strip() for row in texts) for column in range(len(paths)))
    return _Found(header_rows, paths, tuple(declared), is_blank)


def heading_paths(texts: Texts, header_rows: int) -> tuple[tuple[str, ...], ...]:
    """By column, the printed parts of its heading from top to bottom, a spanning one once."""
    return tuple(_path(texts, column, header_rows) for column in range(max(map(len, texts), default=0)))


def _path(texts: Texts, column: int, header_rows: int) -> tuple[str, ...]:
    """The printed parts of a heading from top to bottom, a spanning one once."""
    parts: list[str] = []
    for row in texts[:header_rows]:
        if len(row) > column and (text := " ".join(row[column].split())) and parts[-1:] != [text]:
            parts.append(text)
    return tuple(parts)


def _mapped(entry: TableMapping, found: _Found, constants: dict[str, str]) -> MappedTable:
    said = {fold(heading): column for heading, column in entry.columns.items() if heading != OTHERS}
    listed = set(map(fold, entry.unpivot.listed)) if entry.unpivot else set()
    unpivoted: set[int] = set()
    columns: list[ColumnMapping | None] = []
    for number, name in enumerate(found.declared):
        column = said.get(name) if name is not None else None
        if column is None and entry.unpivot and found.paths[number]:
            is_listed = name in listed or not listed
            column = entry.unpivot.column if is_listed else None
            unpivoted |= {number} if is_listed else set()
        columns.append(column or entry.others)
    filled = {fold(heading) for heading in entry.fill_down}
    headings = tuple(" ".join(path) for path in found.paths)
    new = [
        number
        for number, column in enumerate(columns)
        if column is None and not found.is_blank[number] and (found.paths[number] or not entry.unpivot)
    ]
    return MappedTable(
        entry=entry,
        header_rows=found.header_rows,
        transposed=entry.transposed,
        headings=headings,
        columns=tuple(columns),
        unpivoted=frozenset(unpivoted),
        fill_down=frozenset(n for n, name in enumerate(found.declared) if name in filled),
        constants=constants,
        drifts=tuple(_drifts(entry, found, headings, new)),
    )


def _drifts(entry: TableMapping, found: _Found, headings: Sequence[str], new: Sequence[int]) -> Iterator[SchemaDrift]:
    gone = [heading for name, heading in entry.declared.items() if name not in found.names]
    printed = [headings[number] for number in new if headings[number]]
    line = f"{MAPPING_FILE}, line {entry.line}"
    for heading in gone:
        meant = nearest(heading, printed)
        advice = f"if {meant!r} is its new name, write that" if meant else "write its new name, or take it out"
        yield SchemaDrift("gone", heading, None, f"the column {heading!r} is gone that is declared in {line}: {advice}")
    for number in new:
        heading = headings[number]
        meant = nearest(heading, gone) if heading else None
        advice = f"under the name of {meant!r}, or anew, or `ignore`" if meant else "name its field, or `ignore` it"
        what = f"the column {heading!r}" if heading else f"column {number + 1}, which has no heading,"
        reason = f"{what} is new and its cells were not read: declare it in {line}: {advice}"
        yield SchemaDrift("new", heading, number, reason)


def _hinted(
    hints: Sequence[TableMapping], texts: Texts, heading_rows: int, constants: dict[str, str]
) -> MappedTable | None:
    """What is said of a table whose columns are inferred; the nearest word counts."""
    header_rows = next((entry.header_rows for entry in hints if entry.header_rows), None)
    filled = {fold(heading) for entry in hints for heading in entry.fill_down}
    rows = header_rows or max(1, heading_rows)
    width = max(map(len, texts), default=0)
    whole = [[*row, *[""] * (width - len(row))] for row in texts]
    paths = heading_paths(whole, rows)
    return MappedTable(
        entry=None,
        header_rows=header_rows,
        transposed=any(entry.transposed for entry in hints),
        headings=tuple(" ".join(path) for path in paths),
        fill_down=frozenset(n for n, path in enumerate(paths) if path and fold(path[-1]) in filled),
        constants=constants,
    )
