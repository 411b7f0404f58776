"""Drafts of a `mapping.yml`: what inference makes of the tables of a document, for a person to mend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import yaml
from pydantic_core import PydanticCustomError

from pipelines.extract.mentions import NAMES, known_name
from pipelines.extract.tables.explained import ExplainedColumn, ExplainedTable, in_words
from pipelines.extract.tables.header import Column, Reading, lent_metric
from pipelines.extract.tables.headings import Meaning, understand
from pipelines.extract.tables.mapped_table import heading_paths
from pipelines.extract.tables.mapping_words import DIMENSIONS, fold, unit_word
from pipelines.extract.tables.values import is_numeric

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
    is_read = tables[0].reading is not None
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
    if doubtful := [column for column in table.in_doubt if column in columns and not table.other]:
        said = (f"{headings[c.place]}: {in_words(c, reading.corner)}" for c in columns if c not in doubtful)
        yield "columns:\n"
        yield from _lines((headings[c.place], *_said(table, c, reading)) for c in doubtful)
        yield f"  others: inferred  # {'; '.join(said)[:_MOST_WORDS]}\n"
        return
    unpivot = _unpivot(table, reading, headings)
    columns = [column for column in columns if not (unpivot and column in reading.values)]
    if columns:
        yield "columns:\n"
        yield from _lines((headings[c.place], *_said(table, c, reading)) for c in columns)
    if unpivot:
        yield unpivot


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


def _said(table: ExplainedTable, column: Column, reading: Reading) -> tuple[str, str]:
    """What is written of a column, and the comment behind it."""
    meaning, comment = column.meaning, ""
    if table.other and len(table.other.columns) > column.place and table.other.is_turned == reading.is_turned:
        rival = in_words(table.other.columns[column.place], table.other.corner)
        comment = f"undecided: or {rival}" if rival != in_words(column, reading.corner) else ""
    if meaning.role in ("value", "pivot"):
        named = _measured(table, meaning, reading)
        if named and "unit" not in named and column in table.in_doubt and table.lacks_units:
            comment = comment or "its `unit`?"
        return (_flow(named), comment) if named else ("inferred", comment or in_words(column, reading.corner))
    if meaning.role == "field" and meaning.dimension in DIMENSIONS:
        kind = meaning.batch_kind
        return (_flow({"field": "batch_size", "kind": kind}) if kind else meaning.dimension, comment)
    if meaning.role == "field":
        is_variant = meaning.column == "variant"
        return ("variant", comment) if is_variant else ("inferred", comment or in_words(column))
    if meaning.role in ("measure", "unit"):
        return "metric" if meaning.role == "measure" else "unit", comment
    if column in table.in_doubt:
        return "other", comment or "unknown: give its `metric` and `unit`, name its field, or `ignore` it"
    if meaning.role == "unknown" and column.place < min((value.place for value in reading.values), default=0):
        # What stands before the values tells rows apart that are otherwise the same.
        rows = reading.grid.texts[reading.body.start :]
        is_number = any(is_numeric(row[column.place]) for row in rows[:_SAMPLE] if len(row) > column.place)
        return "other" if is_number else "inferred", comment or "unknown: name its field, or `ignore` it"
    return "ignore", comment or ("" if meaning.role == "ignored" else "unknown")


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


def _unpivot(table: ExplainedTable, reading: Reading, headings: Sequence[str]) -> str:
    """The line that unpivots, where the headings of all values are values of one dimension, and nothing else."""
    values = reading.values
    dimensions = {c.meaning.conditions[0].dimension if len(c.meaning.conditions) == 1 else "" for c in values}
    dimension = next(iter(dimensions)) if len(dimensions) == 1 else ""
    if dimension not in DIMENSIONS or any(c.meaning.role != "pivot" for c in values):
        return ""
    said = _measured(table, values[0].meaning, reading)
    if said is None:
        return ""
    listed = [headings[column.place] for column in values]
    if len({fold(heading) for heading in headings if heading}) < len([heading for heading in headings if heading]):
        # One heading twice cannot be said twice.
        return ""
    return f"unpivot: {_flow({'headings': listed, 'field': dimension, **said})}\n"


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


def _flow(value: Mapping[str, object]) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000)
    return text.strip()


def _scalar(text: str | None) -> str:
    """A text as a key or a value, in quotes where YAML would take it for something else."""
    dumped: str = yaml.safe_dump([text or ""], default_flow_style=True, allow_unicode=True, width=10_000)
    return dumped.strip()[1:-1]
