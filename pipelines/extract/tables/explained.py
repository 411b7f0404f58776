"""What each table of a document is taken for, for people: its columns in words, the rows it gives, what is in doubt.

Nothing is read here that a build would not read. The draft that is made of it belongs in `drafts.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipelines.extract.contract import formats, formats_with_mapping
from pipelines.extract.reading import advice_on_format
from pipelines.extract.rows import Measurement, Price, Reject, Row
from pipelines.extract.scope import Around
from pipelines.extract.tables.header import Column, Reading
from pipelines.extract.tables.headings import Meaning
from pipelines.extract.tables.mapped_reading import MappedReading, sections_over
from pipelines.extract.tables.mapping import Mapping
from pipelines.extract.tables.tables import Table, find_tables
from pipelines.extract.tables.values import is_numeric
from pipelines.read.document import Document, Grid

# Rows of a table that are shown as they would be stored.
SHOWN_ROWS = 3
# Rejects that stand at a heading or at a cell below it.
_OF_COLUMNS = frozenset({"unknown_heading", "unread_value", "repeated_heading", "schema_drift"})
# Lines of tables that one sentence names.
_LINES_TOLD = 5


@dataclass(frozen=True)
class ExplainedColumn:
    """One column of a table.

    Attributes:
        heading: Its heading, the parts from top to bottom.
        meaning: What it becomes, in words.
        sample: Its first cell that is not blank.
        column: The column of the reading; None where the table has none.
        is_read: Whether anything is read of it.
    """

    heading: str
    meaning: str
    sample: str
    column: Column | None = None
    is_read: bool = True


@dataclass
class ExplainedTable:
    """One table of a document, as it is understood.

    Attributes:
        grid: The grid.
        around: What holds for it.
        columns: Its columns.
        reading: The reading, or None where nothing says that results stand in it.
        other: A second reading that nothing decides against.
        mapped: What the mapping says of it, or None.
        rows: What it gives.
        rejects: What of it is refused.
        line_above: The line right above it.
    """

    grid: Grid
    around: Around
    columns: list[ExplainedColumn]
    reading: Reading | None = None
    other: Reading | None = None
    mapped: MappedReading | None = None
    rows: list[Measurement | Price] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    line_above: str = ""

    @property
    def section(self) -> str | None:
        """The heading it stands under."""
        return self.around.section

    @property
    def is_understood(self) -> bool:
        """Whether all of it is read: no second reading, no reject of the table or of a column, few of its cells."""
        is_read = self.reading is not None and self.other is None and not self.refusals and not self.in_doubt
        return is_read and len(self.rejects) <= len(self.rows)

    @property
    def lacks_units(self) -> bool:
        """Whether cells of it are refused that name no unit."""
        return any(reject.rule == "unread_value" for reject in self.rejects)

    @property
    def in_doubt(self) -> list[Column]:
        """The columns that rejects are about: of the whole of it, or of half its cells."""
        if self.reading is None:
            return []
        places: dict[tuple[int, int], set[int]] = {}
        grid, body = self.reading.grid, self.reading.body
        for column in self.reading.columns:
            for cell in column.cells:
                places.setdefault((cell.line, cell.start), set()).add(column.place)
        for row in body:
            for place, at in enumerate(zip(grid.lines[row], grid.starts[row], strict=True)):
                places.setdefault(at, set()).add(place)
        rejects = [reject for reject in self.rejects if reject.rule in _OF_COLUMNS]
        about = Counter[int]()
        for reject in rejects:
            for place in places.get((reject.cell.line, reject.cell.start), ()):
                about[place] += len(body) if reject.scope == "table" else 1
        return [column for column in self.reading.columns if about[column.place] * 2 >= max(len(body), 1)]

    @property
    def sections(self) -> list[str]:
        """The texts above it by which a mapping can name it."""
        return sections_over(self.around, self.line_above)

    @property
    def readings_in_words(self) -> list[str]:
        """The reading, and the one that nothing decides against."""
        return [f"({reading.described()})" for reading in (self.reading, self.other) if reading]

    @property
    def is_doubtful(self) -> bool:
        """Whether results stand in it that are not read for want of a word."""
        return not self.is_understood and (self.reading is not None or bool(self.rejects))

    @property
    def refusals(self) -> list[Reject]:
        """What of it is refused that a mapping may settle."""
        return [reject for reject in self.rejects if reject.scope == "table"]

    @property
    def holds_numbers(self) -> bool:
        """Whether any of its cells is a number: one of words alone has no results."""
        return any(is_numeric(text) for row in self.grid.texts[1:] for text in row if text)


def explain_tables(
    document: Document, mapping: Mapping | None = None, format: str | None = None
) -> list[ExplainedTable]:
    """Every table of a document that holds numbers, in order, with what a build would read of it.

    Args:
        document: The document.
        mapping: What a person says of its tables, a draft too, or None.
        format: Source format that it is stored as.
    """
    taken = _taken_before(document, format)
    explained = [_explained(table) for table in find_tables(document, taken, mapping)]
    [extract] = formats_with_mapping().values()
    extraction = extract(document, taken, mapping)
    for table in explained:
        table.rows = [row for row in _inside(table.grid, extraction.rows) if isinstance(row, Measurement | Price)]
        table.rejects = [row for row in _inside(table.grid, extraction.rows) if isinstance(row, Reject)]
    return [table for table in explained if table.holds_numbers or table.reading]


def summed_up(tables: Sequence[ExplainedTable]) -> str:
    """How many of the tables are read, and where the others stand, in a sentence."""
    parts = [f"{len(tables)} {'table' if len(tables) == 1 else 'tables'} with numbers"]
    understood = sum(table.is_understood for table in tables)
    parts += [f"{understood} understood"] if tables else []
    for name, chosen in (
        ("undecided", [table for table in tables if table.other]),
        ("with columns that are not read", [t for t in tables if t.reading and not t.other and not t.is_understood]),
        ("refused", [t for t in tables if t.reading is None and t.rejects]),
        ("in which nothing says that its numbers are results", [t for t in tables if not t.reading and not t.rejects]),
    ):
        if chosen:
            lines = ", ".join(str(table.grid.first_line) for table in chosen[:_LINES_TOLD])
            parts.append(f"{len(chosen)} {name} (line {lines}{', ...' if len(chosen) > _LINES_TOLD else ''})")
    return f"{parts[0]}: {', '.join(parts[1:])}" if tables else parts[0].replace("0", "no")


def advised(
    document: Document, source: str, format: str | None, mapping: Mapping | None
) -> tuple[list[ExplainedTable], str]:
    """The tables of a document just stored, and what to do where a build will not read all of it; else no words."""
    tables = explain_tables(document, mapping, format)
    if any(table.rows for table in tables) and not any(table.is_doubtful for table in tables):
        return tables, ""
    if tables:
        return tables, f"`benchledger map {source}` shows them and drafts the mapping in which you say what they mean"
    return tables, advice_on_format(document)


def _taken_before(document: Document, format: str | None) -> frozenset[int]:
    """The lines that formats read which come before the one of tables."""
    if format is None or format in formats_with_mapping():
        return frozenset()
    taken: set[int] = set()
    for name in sorted(formats(), key=lambda name: name != format):
        if name in formats_with_mapping():
            break
        taken |= formats()[name].extract(document, frozenset(taken)).lines
    return frozenset(taken)


def _inside(grid: Grid, rows: list[Row]) -> Iterator[Row]:
    return (row for row in rows if grid.first_line <= row.cell.line <= grid.last_line)


def _explained(table: Table) -> ExplainedTable:
    reading = table.reading
    columns = [_column(reading, column) for column in reading.columns] if reading else list(_unread_columns(table.grid))
    return ExplainedTable(
        table.grid, table.around, columns, reading, other=table.other, mapped=table.mapped, line_above=table.line_above
    )


def _column(reading: Reading, column: Column) -> ExplainedColumn:
    texts = (row[column.place] for row in reading.grid.texts[reading.body.start :] if len(row) > column.place)
    sample = next((text for text in texts if text), "")
    is_read = column.holds_values or column.meaning.role in ("field", "measure", "unit")
    return ExplainedColumn(column.name, in_words(column, reading.corner), sample, column, is_read)


def _unread_columns(grid: Grid) -> Iterator[ExplainedColumn]:
    header = next((row for row in grid.texts if len({text for text in row if text}) > 1), ())
    body = grid.texts[list(grid.texts).index(header) + 1 :] if header else ()
    for place, heading in enumerate(header):
        sample = next((row[place] for row in body if len(row) > place and row[place]), "")
        yield ExplainedColumn(heading, "not read", sample, is_read=False)


def in_words(column: Column, corner: Meaning | None = None) -> str:
    """What a column becomes, for people."""
    meaning = column.meaning
    if meaning.role in ("value", "pivot"):
        named = meaning if meaning.metric else corner
        parts = [named.metric.value if named and named.metric else "values"]
        parts += [part.value for part in (meaning.statistic, meaning.unit or (corner.unit if corner else None)) if part]
        of = ", ".join(f"{condition.dimension} {condition.value}" for condition in meaning.conditions)
        return f"{', '.join(parts)}{f' of {of}' if of else ''}"
    if meaning.role == "field":
        kind = f" ({meaning.batch_kind})" if meaning.batch_kind else ""
        what = meaning.dimension or meaning.attribute or ("names" if column.is_label else meaning.column or "other")
        return f"{what}{kind}"
    if meaning.role in ("measure", "unit"):
        return {"measure": "metric of its row", "unit": "unit of its row"}[meaning.role]
    return "ignored" if meaning.role == "ignored" else "unknown: not read"
