"""A mapping laid upon a printed table: what each column is by a person's word, and what of it no longer fits.

It becomes a reading like those of the search for headers, and adds to the records of it what a person says.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

from pipelines.extract.mentions import find_mentions, typed
from pipelines.extract.rows import Reject
from pipelines.extract.scope import Around, Stated
from pipelines.extract.tables.header import Column, Reading, readings, turned
from pipelines.extract.tables.headings import Condition, Meaning, Named, understand
from pipelines.extract.tables.mapping import (
    IGNORE,
    MENTIONS,
    NONE,
    OTHERS,
    VALUE,
    ColumnMapping,
    Mapping,
    TableMapping,
    fold,
    nearest,
)
from pipelines.extract.tables.mapping_file import MAPPING_FILE
from pipelines.extract.tables.records import Record
from pipelines.extract.tables.values import is_nothing
from pipelines.read.document import Cell, Grid
from pipelines.vocabulary.units import METRIC_OF_UNIT, find_unit

# Where neither file nor mapping says how many rows are headings, the declared ones are looked for in so many.
_HEADER_ROWS_SEARCHED = 4
# A mapping without a section is of the tables that have more than this share of its headings.
_SHARE_OF_HEADINGS = 0.5

# What a person says stands in no heading of the table.
_SAID = 1000
_NO_PLACE = Cell("", 1, 0, 0)
_METRIC_OF_ONE = {"throughput": "throughput_per_device", "tflops": "tflops_per_device"}
# Dimensions whose cells the readers of fields know; of the others the text counts as it stands.
_READ_AS_FIELDS = frozenset(
    {
        *("task", "division", "submission_id", "scenario", "model", "platform", "accelerator_count", "nodes"),
        *("sdk_version", "framework", "dataset", "precision", "batch_size", "sequence_length", "input_length"),
        *("output_length", "concurrency", "request_rate", "tensor_parallel", "pipeline_parallel", "data_parallel"),
        *("expert_parallel", "quantization", "image_size", "inferred", "mentions", "variant"),
    }
)
_OF_VALUES = ("metric", "unit", "statistic")
_IN_TABLE = frozenset({"cell", "row", "row_title", "column_heading"})

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
        entries: All entries that say something of it.
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
    entries: tuple[TableMapping, ...] = ()
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
    mapped = _mapped(best[-1], best[-2], constants) if best else _hinted(hints, texts, heading_rows, constants)
    return replace(mapped, entries=tuple(hints))


def missing_sections(
    mapping: Mapping, mapped: Collection[TableMapping], sections: Collection[str] = ()
) -> Iterator[SchemaDrift]:
    """Declared tables and sections that a document does not have.

    Entries of one section are layouts that its table has had in the course of time: one of them is enough.

    Args:
        mapping: The mapping.
        mapped: The entries that say something of a table of the document.
        sections: What stands above its tables.
    """
    found = {(entry.declares_columns, fold(entry.section or "")) for entry in mapped}
    missed: dict[tuple[bool, str], TableMapping] = {}
    for entry in mapping.tables:
        key = entry.declares_columns, fold(entry.section or "")
        if key not in found and (entry.declares_columns or entry.section):
            missed.setdefault(key, entry)
    for entry in missed.values():
        where = f"under {entry.section!r}" if entry.section else "of the document"
        headings = ", ".join(list(entry.declared.values())[:3])
        what = f"no table {where} has the headings that {MAPPING_FILE} declares in line {entry.line} ({headings})"
        if not entry.declares_columns:
            what = f"no table stands {where}, which {MAPPING_FILE} names in line {entry.line}"
        is_there = entry.section and fold(entry.section) in map(fold, sections)
        meant = nearest(entry.section, sections) if entry.section and not is_there else None
        advice = (
            f"if {meant!r} is its new name" if meant else "look whether the page has renamed its section or headings"
        )
        reason = f"{what}: {advice}, write {'that' if meant else 'the new ones into the mapping'}"
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


def _hinted(hints: Sequence[TableMapping], texts: Texts, heading_rows: int, constants: dict[str, str]) -> MappedTable:
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


@dataclass(frozen=True)
class MappedReading:
    """How a mapping reads one table.

    Attributes:
        mapped: What the mapping says of it.
        grid: The grid with what is filled down; on its side where its headings stand at the left.
        around: What holds for it; what a person says of all its rows is nearest.
        reading: The reading that is said; None where columns are as inferred.
    """

    mapped: MappedTable
    grid: Grid
    around: Around
    reading: Reading | None

    def said(self, record: Record) -> Record:
        """A record with what the mapping says of its row, its column and the table."""
        stated = dict(record.stated)
        others = list(record.others)
        statistic = record.statistic
        for place, column in self._stating:
            text, cell = self._cell(record.row, place)
            if is_nothing(text):
                continue
            if column.field == "statistic":
                value = typed("statistic", text)
                statistic = Stated("statistic", value, cell, "row") if value else statistic
            elif column.field == "other" or place in self._further_batches:
                others.append(Stated(f"+{self.mapped.headings[place]}", text, cell, "row"))
            elif column.field == "batch_size":
                if column.kind and "batch_size" in stated:
                    stated["batch_size_kind"] = Stated("batch_size_kind", column.kind, _NO_PLACE, "mapping")
            elif column.field:
                stated[column.field] = Stated(column.field, typed(column.field, text) or text, cell, "row")
        nearest = [words for level in record.around.words[:1] for words in level]
        if self._titles and nearest and nearest[0].level == "row_title":
            title = nearest[0].cell
            value = typed(self._titles, title.text) or title.text
            stated[self._titles] = Stated(self._titles, value, title, "row_title")
        # What a constant of another section says of a column's own words holds for other tables.
        constants = {name: value for name, value in self.mapped.constants.items() if name not in self._declared}
        own = self.mapped.columns[record.column.place] if self.reading else None
        constants |= own.constants if own else {}
        if own and own.statistic:
            constants["statistic"] = own.statistic
        for dimension, value in constants.items():
            said = Stated(dimension, typed(dimension, value) or value, _NO_PLACE, "mapping") if value != NONE else None
            if dimension == "statistic":
                statistic = said
            elif said is None:
                # What the table itself prints of it counts all the same.
                if dimension in stated and stated[dimension].level not in _IN_TABLE:
                    del stated[dimension]
            elif dimension not in _OF_VALUES:
                stated[dimension] = said
        if "other" in stated:
            # What has no column of its own tells benchmarks apart as an attribute.
            others.append(stated.pop("other")._replace(dimension="+"))
        return replace(record, stated=stated, others=tuple(others), statistic=statistic)

    def ignores(self, place: int) -> bool:
        """Whether a person says that a column is of no interest."""
        column = self.mapped.columns[place] if self.reading else None
        return column is not None and column.is_ignored

    @cached_property
    def _stating(self) -> list[tuple[int, ColumnMapping]]:
        """The columns whose cells state what the readers of fields do not take from them."""
        read = _READ_AS_FIELDS - {"batch_size"} | {"metric", "unit", IGNORE, VALUE, None}
        columns = enumerate(self.mapped.columns) if self.reading else ()
        return [
            (place, column)
            for place, column in columns
            if column and column.field not in read and place not in self.mapped.unpivoted
        ]

    @cached_property
    def _declared(self) -> set[str]:
        entry = self.mapped.entry
        fields = {column.field for column in self.mapped.columns if column and column.field}
        return fields | ({entry.unpivot.field} if entry and entry.unpivot else set())

    @property
    def _titles(self) -> str | None:
        return self.mapped.entry.titles if self.mapped.entry else None

    @cached_property
    def _further_batches(self) -> frozenset[int]:
        return _further_batches(self.mapped.columns)

    def _cell(self, row: int, place: int) -> tuple[str, Cell]:
        texts = self.grid.texts[row]
        if len(texts) <= place:
            return "", _NO_PLACE
        start = self.grid.starts[row][place]
        cell = Cell(texts[place], self.grid.lines[row][place], start, start + len(texts[place]))
        return " ".join(texts[place].split()), cell


def read_mapped(mapping: Mapping, grid: Grid, around: Around, line_above: str = "") -> MappedReading | None:
    """How a mapping reads a table, or None when it says nothing of it."""
    mapped = map_table(mapping, grid.texts, sections_over(around, line_above), grid.heading_rows)
    if mapped is None:
        return None
    if mapped.transposed:
        grid = turned(_padded(grid)) or grid
    if mapped.header_rows:
        grid = replace(grid, heading_rows=mapped.header_rows)
    grid = _filled_down(grid, mapped)
    around = _with_constants(around, mapped.constants)
    reading = _reading(mapped, grid, around) if mapped.entry else None
    return MappedReading(mapped, grid, around, reading)


def sections_over(around: Around, line_above: str = "") -> list[str]:
    """The texts above a table by which a mapping can name it, the nearest first: captions, headings, the last line."""
    texts = [words.cell.text for level in around.words for words in level if words.level != "sentence"]
    return [text for text in (line_above, *texts, around.section) if text]


def drift_rejects(found: MappedReading) -> Iterator[Reject]:
    """What of a table is not as its mapping says; the declared columns are read all the same."""
    first = found.grid.first_line
    for drift in found.mapped.drifts:
        cells = found.reading.columns[drift.column].cells if found.reading and drift.column is not None else ()
        cell = next((cell for cell in cells if not cell.is_blank), Cell("", first, 0, 0))
        yield _drift_reject(drift, cell, f"table at line {first}: {drift.reason}", "table", found.around)


def missing_rejects(drifts: Sequence[SchemaDrift]) -> Iterator[Reject]:
    """Declared tables that a document does not have: an earlier snapshot may have been without them."""
    for drift in drifts:
        yield _drift_reject(drift, Cell("", 1, 0, 0), drift.reason, "note", Around())


def _drift_reject(drift: SchemaDrift, cell: Cell, reason: str, scope: str, around: Around) -> Reject:
    return Reject(
        cell=cell,
        section=around.section,
        section_line=around.section_line,
        rule="schema_drift",
        reason=reason,
        scope=scope,
        row_json=json.dumps([drift.heading], ensure_ascii=False),
    )


def _padded(grid: Grid) -> Grid:
    width = max(map(len, grid.texts), default=0)
    short = [width - len(row) for row in grid.texts]
    return replace(
        grid,
        texts=tuple(row + ("",) * n for row, n in zip(grid.texts, short, strict=True)),
        lines=tuple(row + (row[-1] if row else 1,) * n for row, n in zip(grid.lines, short, strict=True)),
        starts=tuple(row + (0,) * n for row, n in zip(grid.starts, short, strict=True)),
    )


def _filled_down(grid: Grid, mapped: MappedTable) -> Grid:
    """The grid with what the cell above says in the blank cells of columns that are filled down."""
    texts, lines, starts = list(grid.texts), list(grid.lines), list(grid.starts)
    # A row with one text is a title, and no row whose cells were left out.
    rows = [row for row in range(mapped.header_rows or 1, len(texts)) if len({text for text in texts[row] if text}) > 1]
    for above, row in pairwise(rows):
        for place in mapped.fill_down:
            if len(texts[row]) > place < len(texts[above]) and not texts[row][place]:
                texts[row] = (*texts[row][:place], texts[above][place], *texts[row][place + 1 :])
                lines[row] = (*lines[row][:place], lines[above][place], *lines[row][place + 1 :])
                starts[row] = (*starts[row][:place], starts[above][place], *starts[row][place + 1 :])
    return replace(grid, texts=tuple(texts), lines=tuple(lines), starts=tuple(starts))


def _with_constants(around: Around, constants: dict[str, str]) -> Around:
    """What holds for a table, with what a person says nearer than all that is printed."""
    if not constants:
        return around
    nearest: dict[str, Stated | None] = {
        # The readers of units look at the characters.
        name: Stated(name, value, Cell(value, 1, 0, len(value)) if name in _OF_VALUES else _NO_PLACE, "mapping")
        if value != NONE
        else None
        for name, value in constants.items()
    }
    return _SaidAround(around.section, around.section_line, around.words, given=nearest)


@dataclass
class _SaidAround(Around):
    """What holds for a table, with what a person says of it as the nearest level."""

    given: dict[str, Stated | None] = field(default_factory=dict)

    @cached_property
    def by_level(self) -> list[dict[str, Stated | None]]:
        return [self.given, *Around(words=self.words).by_level]

    def within(self, title: Cell) -> Around:
        return _SaidAround(self.section, self.section_line, super().within(title).words, given=self.given)


def _reading(mapped: MappedTable, grid: Grid, around: Around) -> Reading:
    depth = mapped.header_rows or 1
    further = _further_batches(mapped.columns)
    has_inferred = any(said and said.is_inferred for said in mapped.columns)
    best = _inferred(grid, depth, around) if has_inferred else None
    inferred = {column.place: column for column in best.columns} if best else {}
    columns = []
    for place, said in enumerate(mapped.columns):
        cells = _heading_cells(grid, place, depth)
        if place in mapped.unpivoted and mapped.entry and mapped.entry.unpivot:
            meaning = _value(said, cells, mapped.constants, _named_by(cells, mapped.entry.unpivot.field))
        elif said is None or said.is_ignored:
            meaning = Meaning("ignored")
        elif said.is_inferred and place in inferred:
            columns.append(inferred[place])
            continue
        elif said.is_inferred:
            meaning = understand(tuple(cell.text for cell in cells))
        elif said.is_value:
            meaning = _value(said, cells, mapped.constants)
        else:
            meaning = _field(said, is_further=place in further)
        columns.append(Column(place, meaning, cells))
    reading = Reading(grid, 0, depth, tuple(columns), is_turned=mapped.transposed, score=1.0)
    return replace(reading, corner=best.corner, corner_cells=best.corner_cells) if best else reading


def _inferred(grid: Grid, depth: int, around: Around) -> Reading | None:
    """The best reading with so many rows of headings."""
    found = (reading for reading in readings(grid, around) if not reading.is_turned)
    return next((reading for reading in found if reading.first + reading.depth == depth), None)


def _heading_cells(grid: Grid, place: int, depth: int) -> tuple[Cell, ...]:
    """The headings above a column from the top, one that spans several rows once."""
    found: list[Cell] = []
    for row in range(depth):
        if len(grid.texts[row]) > place and (text := grid.texts[row][place]):
            start = grid.starts[row][place]
            cell = Cell(text, grid.lines[row][place], start, start + len(text))
            found += [cell] if cell not in found else []
    return tuple(found)


def _field(said: ColumnMapping, *, is_further: bool) -> Meaning:
    if said.field == "metric":
        return Meaning("measure", column="measure")
    if said.field == "unit":
        return Meaning("unit")
    if said.field == MENTIONS:
        return Meaning("field", column="label")
    if said.field == "variant":
        return Meaning("field", column="variant")
    if said.field in _READ_AS_FIELDS and not is_further:
        return Meaning("field", dimension=said.field)
    # Its cells say nothing to the readers of fields; `MappedReading.said` takes them as they stand.
    return Meaning("field", column="said")


def _value(
    said: ColumnMapping | None,
    cells: Sequence[Cell],
    constants: dict[str, str],
    condition: Condition | None = None,
) -> Meaning:
    """Measured values: what is not said of them is what their heading prints."""
    printed = understand(tuple(cell.text for cell in cells))
    metric = (said.metric if said else None) or constants.get("metric")
    unit = (said.unit if said else None) or constants.get("unit")
    if metric and unit and (known := find_unit(unit)):
        metric = METRIC_OF_UNIT.get((metric, known.canonical), metric)
    if metric and said and said.per_device:
        metric = _METRIC_OF_ONE.get(metric, metric)
    # What stands in a heading that is a name belongs to the name: `bert-base-squad` says nothing of a dataset.
    conditions = [other for other in printed.conditions if condition is None or other.level != condition.level]
    return Meaning(
        "value",
        metric=Named(metric, _SAID, 0, 0) if metric else None,
        unit=Named(unit, _SAID, 0, 0) if unit else printed.unit,
        statistic=printed.statistic,
        conditions=tuple([condition, *conditions] if condition else conditions),
        is_approximate=printed.is_approximate,
        # Two columns that are said to hold one metric are told apart by their headings.
        left=tuple(cells[-1].text.split()) if cells else (),
        left_at=len(cells) - 1,
    )


def _named_by(cells: Sequence[Cell], dimension: str) -> Condition | None:
    """What the heading of an unpivoted column names: its last part, typed."""
    if not cells:
        return None
    text = cells[-1].text
    level = len(cells) - 1
    mention = next((m for m in find_mentions(text) if m.kind == dimension), None)
    value = typed(dimension, text)
    if value is None and mention:
        return Condition(dimension, mention.value.rpartition(":")[2], level, mention.start, mention.end)
    return Condition(dimension, value or " ".join(text.split()), level, 0, len(text))


def _further_batches(columns: Sequence[ColumnMapping | None]) -> frozenset[int]:
    """Columns of batch sizes beside the one that counts: the global one, else the first."""
    batches = [place for place, column in enumerate(columns) if column and column.field == "batch_size"]
    kinds = {place: column.kind for place in batches if (column := columns[place])}
    first = next((place for place in batches if kinds[place] == "global"), batches[0] if batches else None)
    return frozenset(batches) - {first}
