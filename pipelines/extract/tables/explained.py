"""What each table of a document is taken for, for people, and the draft of a `mapping.yml` for them to mend.

Its columns in words, the rows it gives, what is in doubt. Nothing is read here that a build would not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import yaml
from pydantic_core import PydanticCustomError

from pipelines.extract.contract import formats, formats_with_mapping
from pipelines.extract.mentions import NAMES, known_name
from pipelines.extract.reading import advice_on_format
from pipelines.extract.rows import Measurement, Price, Reject, Row
from pipelines.extract.scope import Around
from pipelines.extract.tables.header import Column, Reading, lent_metric
from pipelines.extract.tables.headings import Meaning, understand
from pipelines.extract.tables.mapped_tables import MappedReading, heading_paths, sections_over
from pipelines.extract.tables.mapping import DIMENSIONS, Mapping, fold, unit_word
from pipelines.extract.tables.tables import Table, find_tables
from pipelines.extract.tables.values import is_numeric
from pipelines.read.document import Document, Grid

# Rows of a table that are shown as they would be stored.
SHOWN_ROWS = 3
# Rejects that stand at a heading or at a cell below it.
_OF_COLUMNS = frozenset({"unknown_heading", "unread_value", "repeated_heading", "schema_drift"})
# Lines of tables that one sentence names.
_LINES_TOLD = 5
_HEAD = """\
# A draft: what was inferred of the tables of this source. Look through it, mend what is wrong, and write
# `checked: true`; builds do not use it before. `benchledger map {source}` shows what each column becomes.
checked: false
tables:
"""
_AS_INFERRED = "# Read as they are, and not named here: what stands at line{s} {lines}.\n"
_NOT_READ = "# Not read: nothing says what its numbers measure. Write that for each `?`, and uncomment the lines."
_TWICE = "# Another entry has the same headings: name a `section` that tells the two apart, or only the first counts."
# Of a reading in a comment.
_MOST_WORDS = 300
# Of a heading that names a section.
_SHORT = 80
# Cells by which a column without a known heading is taken for names.
_SAMPLE = 60


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

    @cached_property
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
        about = Counter[int]()
        for reject in self.rejects:
            if reject.rule in _OF_COLUMNS:
                for place in places.get((reject.cell.line, reject.cell.start), ()):
                    about[place] += len(body) if reject.scope == "table" else 1
            else:
                named = (c.place for c in self.reading.columns if reject.reason.endswith(f" of the column {c.name!r}"))
                about.update(named)
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


# Drafts


def draft_mapping(source: str, tables: Iterable[ExplainedTable]) -> str:
    """A whole `mapping.yml`, `checked: false`, with an entry for each layout of the tables that are not understood."""
    tables = list(tables)
    lines = [str(table.grid.first_line) for table in tables if table.is_understood]
    read = _AS_INFERRED.format(s="s" * (len(lines) > 1), lines=", ".join(lines)) if lines else ""
    return _HEAD.format(source=source) + read + "".join(draft_entries(tables))


def draft_entries(tables: Iterable[ExplainedTable]) -> list[str]:
    """The entries of tables that are not understood, one for each layout; what cannot be an entry yet is a comment."""
    alike: dict[str, list[ExplainedTable]] = {}
    understood = []
    for table in tables:
        if table.is_understood:
            understood.append(table)
        else:
            alike.setdefault("".join(_entry(table)), []).append(table)
    return [
        _with_section(body, group, [*(t for other in alike.values() if other is not group for t in other), *understood])
        for body, group in alike.items()
    ]


def _with_section(body: str, tables: Sequence[ExplainedTable], others: Sequence[ExplainedTable]) -> str:
    """An entry that names the nearest section that all its tables stand in, and none of another layout does."""
    shared = {fold(section) for table in others for section in table.sections}
    own = set.intersection(*({fold(section) for section in table.sections} for table in tables)) - shared
    of_all = [section for section in tables[0].sections if fold(section) in own]
    # A short heading says more to a reader than the end of the sentence above.
    is_far_fetched = {tables[0].line_above} if tables[0].line_above != tables[0].section else set()
    named = min(of_all, key=lambda text: (len(text) > _SHORT, text in is_far_fetched), default=None)
    is_read = not _lacks_metric(tables[0])
    comments = [line for line in body.splitlines() if line.startswith("#")]
    lines = [line for line in body.splitlines() if not line.startswith("#")]
    lines = [f"section: {_scalar(named)}", *lines] if named else lines
    whole = [*comments, f"- {lines[0]}", *(f"  {line}" for line in lines[1:])]
    if not is_read:
        whole = [_NOT_READ, *(f"# {line}" for line in whole)]
    elif named is None and {_headings(t) for t in tables} & {_headings(t) for t in others if t.reading}:
        whole = [_TWICE, *whole]
    return "".join(f"{line}\n" for line in whole)


def _headings(table: ExplainedTable) -> frozenset[str]:
    return frozenset(fold(column.heading) for column in table.columns)


def _entry(table: ExplainedTable) -> Iterator[str]:
    reading = table.reading
    if reading is None:
        named = _named_headings(table)
        yield "columns:\n"
        others = (column for column in table.columns if column.heading not in named)
        yield from _lines((column.heading, *_guessed(table, column)) for column in others)
        if named:
            dimension = next(iter(named.values()))
            yield f"unpivot: {_flow({'headings': list(named), 'field': dimension})[:-1]}, metric: ?, unit: ?}}\n"
        return
    if _lacks_metric(table):
        yield "constants: {metric: ?, unit: ?}\n"
        return
    rows = reading.first + reading.depth
    if table.other:
        yield f"# undecided; as good a reading is: {' '.join(table.other.described().split())[:_MOST_WORDS]}\n"
    if reading.is_turned:
        yield "transposed: true\n"
    if rows > 1:
        yield f"header_rows: {rows}\n"
    paths = heading_paths(reading.grid.texts[reading.first :], reading.depth)
    headings = [" ".join(path) for path in paths]
    columns = [column for column in reading.columns if _is_there(column, reading)]
    # A reading is settled by one of its columns, where nothing is wrong with any.
    doubtful = [column for column in columns if column in table.in_doubt or _rival(table, column)] or columns[:1]
    said = (f"{headings[c.place]}: {in_words(c, reading.corner)}" for c in columns if c not in doubtful)
    yield "columns:\n"
    yield from _lines((headings[c.place], *_said(table, c, reading)) for c in doubtful)
    yield f"  others: inferred  # {'; '.join(said)[:_MOST_WORDS]}\n"


def _lacks_metric(table: ExplainedTable) -> bool:
    """Whether nothing says what is measured in any of its columns."""
    reading = table.reading
    return reading is None or (
        bool(reading.values)
        and all(c in table.in_doubt and not _measured(table, c.meaning, reading) for c in reading.values)
    )


def _is_there(column: Column, reading: Reading) -> bool:
    body = reading.grid.texts[reading.body.start :]
    return bool(column.name) or any(row[column.place] for row in body if len(row) > column.place)


def _lines(columns: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """The lines of columns, a heading that stands twice once."""
    seen: set[str] = set()
    for heading, said, comment in columns:
        if fold(heading) not in seen:
            yield f"  {_scalar(heading)}: {said}{f'  # {comment}' if comment else ''}\n"
        seen.add(fold(heading))


def _rival(table: ExplainedTable, column: Column) -> str:
    """What the other reading of a table takes a column for; blank where both agree, or read it from another side."""
    reading, other = table.reading, table.other
    if reading is None or other is None or other.is_turned != reading.is_turned or len(other.columns) <= column.place:
        return ""
    words = in_words(other.columns[column.place], other.corner)
    return words if words != in_words(column, reading.corner) else ""


def _said(table: ExplainedTable, column: Column, reading: Reading) -> tuple[str, str]:
    """What is written of a column in doubt, and the comment behind it."""
    meaning, rival = column.meaning, _rival(table, column)
    comment = f"undecided: or {rival}" if rival else ""
    if meaning.role in ("value", "pivot") and (named := _measured(table, meaning, reading)):
        lacks_unit = "unit" not in named and table.lacks_units
        return _flow(named), comment or ("its `unit`?" if lacks_unit else "")
    if meaning.role == "field" and meaning.dimension in DIMENSIONS:
        kind = meaning.batch_kind
        said = _flow({"field": "batch_size", "kind": kind}) if kind else meaning.dimension
        is_odd = column in table.in_doubt
        return said, comment or ("cells of it are none: `other` takes them as they stand" if is_odd else "")
    if column in table.in_doubt and meaning.role in ("unknown", "value", "pivot"):
        return "other", comment or "unknown: give its `metric` and `unit`, name its field, or `ignore` it"
    return "inferred", comment or in_words(column, reading.corner)


def _measured(table: ExplainedTable, meaning: Meaning, reading: Reading) -> dict[str, str] | None:
    """Metric, statistic and unit of a column of values; None where its cells or its row say what is measured."""
    sources = [meaning, reading.corner, lent_metric(table.around)]
    named = next((source for source in sources if source and source.metric), None)
    if meaning.column == "evaluation" or named is None or named.metric is None:
        return None
    said = {"metric": named.metric.value}
    if statistic := meaning.statistic or named.statistic:
        said["statistic"] = statistic.value
    unit = meaning.unit or named.unit
    if unit and _is_unit(unit.value):
        said["unit"] = unit.value
    return said


def _is_unit(printed: str) -> bool:
    try:
        unit_word(printed)
    except PydanticCustomError:
        return False
    return True


def _named_headings(table: ExplainedTable) -> dict[str, str]:
    """Headings above numbers that name values of one dimension, each with it; none where there is only one such."""
    named = {
        column.heading: meaning.conditions[0].dimension
        for column in table.columns
        if len((meaning := understand((column.heading,))).conditions) == 1
        and meaning.role == "pivot"
        and any(map(is_numeric, _cells(table, column)))
    }
    return named if len(named) > 1 and len(set(named.values())) == 1 else {}


def _cells(table: ExplainedTable, column: ExplainedColumn) -> list[str]:
    place = table.columns.index(column)
    return [row[place] for row in table.grid.texts[1 : _SAMPLE + 1] if len(row) > place and row[place]]


def _guessed(table: ExplainedTable, column: ExplainedColumn) -> tuple[str, str]:
    """What a column of a table that is not read may be, by its cells alone."""
    cells, named = _cells(table, column), understand((column.heading,))
    if named.role == "field" and named.dimension in DIMENSIONS:
        return named.dimension, ""
    for dimension in NAMES:
        if cells and 2 * sum(known_name(dimension, text) for text in cells) >= len(cells):
            return dimension, "by its cells"
    if any(map(is_numeric, cells)):
        return "{metric: ?, unit: ?}", "or a field, or `ignore`"
    return "ignore", "unknown"


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000)
    return text.strip()


def _scalar(text: str | None) -> str:
    """A text as a key or a value, in quotes where YAML would take it for something else."""
    dumped: str = yaml.safe_dump([text or ""], default_flow_style=True, allow_unicode=True, width=10_000)
    return dumped.strip()[1:-1]
