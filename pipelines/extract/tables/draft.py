"""A draft of a mapping: what the vocabularies know of the tables of a page, and `?` for every open question.

Nothing is ranked or searched, and what is not known is asked. What is known of a column belongs in `column_facts.py`,
what a mapping makes of a page in `preview.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from pipelines.extract.printed_values import is_nothing
from pipelines.extract.tables.column_facts import (
    ASK,
    KINDS,
    ColumnFacts,
    column_facts,
    escaped,
    name_of,
    number_unit,
    scalar,
)
from pipelines.extract.tables.printed import Table, fold
from pipelines.terminal import visible
from pipelines.vocabulary.lookup import spelling_pattern

# What every benchmark is of, beside its task.
_OF_ALL = ("model", "platform")
_HEADER_ROWS, _SHOWN, _LONGEST, _LINES = 4, 3, 60, 8


@dataclass(frozen=True, slots=True)
class Printed:
    """A table that holds numbers.

    Attributes:
        line: Its first line.
        headings: Text of each heading.
        rows: The cells below the headings, without the rows that hold one text alone.
        titles: The texts of those.
        above: Captions and headings above it, then sentences, nearest first.
        numbers: How many cells are numbers.
    """

    line: int
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    above: tuple[str, ...]
    numbers: int


def tables_with_numbers(tables: Iterable[Table]) -> list[Printed]:
    """The tables that hold numbers, as a draft sees them."""
    return [_printed(table) for table in tables if table.holds_numbers and table.rows_of is None]


def _printed(table: Table) -> Printed:
    texts = [tuple(" ".join(text.split()) for text in row) for row in table.texts]
    first = last = next((n for n, row in enumerate(texts[:_HEADER_ROWS]) if len({*row} - {""}) > 1), 0)
    # A heading over several columns, or several rows, has others below it.
    while last + 2 < len(texts) and last - first < 2 and any((last, c) in table.spans for c in range(len(texts[last]))):
        last += 1
    rows = [row for n, row in enumerate(texts) if n > last and not table.is_rule(n) and any(row)]
    width = max(len(row) for row in texts[first : last + 1])
    parts = [[row[c] for row in texts[first : last + 1] if c < len(row) and row[c]] for c in range(width)]
    is_title = [len({*row} - {""}) == 1 and width > 1 for row in rows]
    return Printed(
        table.first_line,
        tuple(" ".join(dict.fromkeys(part)) for part in parts),
        tuple(row for row, alone in zip(rows, is_title, strict=True) if not alone),
        tuple(max(row) for row, alone in zip(rows, is_title, strict=True) if alone),
        tuple(p.text[:_LONGEST] for p in sorted(table.near, key=lambda p: p.level == "sentence")),
        sum(1 for row in rows for text in row if number_unit(text) is not None),
    )


# Layouts: tables of equal headings


@dataclass
class _Layout:
    """Tables that one entry is about: the headings that all of them have, those of any, and those that it declares."""

    tables: list[Printed]
    headings: set[str]
    every: set[str]


def _layouts(tables: Sequence[Printed]) -> list[_Layout]:
    """Tables by their headings; those that only have further headings are of one layout."""
    kept: list[_Layout] = []
    for table in sorted(tables, key=lambda table: len({*table.headings})):
        headings = {fold(heading) for heading in table.headings}
        if layout := next((one for one in kept if one.headings <= headings), None):
            layout.tables.append(table)
            layout.every |= headings
        else:
            kept.append(_Layout([table], headings, {*headings}))
    for layout in kept:
        layout.tables.sort(key=lambda table: table.line)
    return sorted(kept, key=lambda layout: layout.tables[0].line)


def _declared(layout: _Layout, layouts: Sequence[_Layout]) -> set[str]:
    """The headings that an entry declares: those of no other layout, and what else tells it from each of them."""
    others = [other.every for other in layouts if other is not layout]
    own = layout.headings.difference(*others)
    for other in others:
        if own <= other:
            own |= {*sorted(layout.headings - other)[:1]}
    return own


# The draft


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a draft, and how many `?` it has."""

    text: str
    questions: int


def draft(tables: Sequence[Printed], source: str) -> Draft:
    """A draft for tables that hold numbers; `source` is for its first line."""
    cells: dict[str, list[str]] = {}
    printed: dict[str, str] = {}
    for table in tables:
        for at, heading in enumerate(table.headings):
            printed.setdefault(fold(heading), heading)
            cells.setdefault(fold(heading), []).extend(row[at] for row in table.rows if at < len(row))
    columns = {key: column_facts(heading, cells[key]) for key, heading in printed.items() if heading or any(cells[key])}
    layouts = _layouts(tables)
    declared = [_declared(layout, layouts) for layout in layouts]
    shared = {key for layout in layouts for key in layout.every}.difference(*declared)
    stated = [_stated(layout, columns) for layout in layouts]
    asked = ["task"] if not any("task" in names for names in stated) else []
    if not any(len(layout.tables) > 1 for layout in layouts):
        asked += [name for name in _OF_ALL if tables and not any(name in names for names in stated)]
    lines = _constants(asked, tables)
    nothing = dict.fromkeys(text for column in cells.values() for text in column if text and is_nothing(text))
    lines += [f"missing: [{', '.join(map(scalar, nothing))}]"] if nothing else []
    lines += _columns([column for key, column in columns.items() if key in shared])
    lines.append("tables:")
    for layout, own, names in zip(layouts, declared, stated, strict=True):
        lines += _entry(layout, own, columns, names | {*asked})
    if not tables:
        lines.append(
            f"- rows: {ASK}  # no table is found: the pattern of a row, as '(?P<model>\\S+) (?P<value>[\\d.]+) ms'"
        )
        lines.append(f"  columns: {{value: {{metric: {ASK}, unit: {ASK}}}}}")
    body = "".join(f"{visible(line)}\n" for line in lines)
    count, numbers = body.count(ASK), sum(table.numbers for table in tables)
    head = (
        f"# Draft for {source}: {len(tables)} tables with {numbers} numbers; answer or delete {count} questions (?).\n"
        f"# The other lines are look-ups by heading: read them, too. `benchledger map {source}` previews the file.\n"
    )
    return Draft(head + body, count)


def _stated(layout: _Layout, columns: Mapping[str, ColumnFacts]) -> set[str]:
    """The dimensions that columns or titles of a layout state; a price is of no model."""
    known = [columns[key] for key in layout.every if key in columns]
    titles = [title for table in layout.tables for title in table.titles]
    found = {column.states for column in known} | ({name_of(titles)} if titles else set())
    measured = [column.said for column in known if column.is_value]
    return {name for name in found if name} | (
        {"model"} if measured and all("price" in said for said in measured) else set()
    )


def _constants(names: Sequence[str], tables: Sequence[Printed]) -> list[str]:
    lines = ["constants:"] if names else []
    for name in names:
        words = "training or inference"
        if kind := KINDS.get(name):
            above = (
                match[0] for table in tables for text in table.above for match in spelling_pattern(kind).finditer(text)
            )
            hints = _quoted(dict.fromkeys(above))
            words = (
                f"{sum(table.numbers for table in tables)} numbers; the text above says {hints or 'none that is known'}"
            )
        lines.append(f"  {name}: {ASK}  # {words}")
    return lines


def _entry(layout: _Layout, own: set[str], columns: Mapping[str, ColumnFacts], stated: set[str]) -> Iterator[str]:
    tables = layout.tables
    lines = ", ".join(str(table.line) for table in tables[:_LINES]) + ", ..." * (len(tables) > _LINES)
    numbers = sum(table.numbers for table in tables)
    yield f"# {numbers} numbers, {len(tables)} table{'s' * (len(tables) > 1)}, line {lines}"
    declared = [column for key, column in columns.items() if key in own]
    known = [columns[key] for key in layout.every if key in columns]
    parts: list[str] = []
    if not any(column.is_value for column in known):
        parts.append(f"skip: {ASK}  # true where it holds no results; no column is known to hold measured numbers")
        declared = [ColumnFacts(column.heading, (), "ignore", "") for column in declared]
    else:
        lacking = [name for name in _OF_ALL if name not in stated]
        levels = zip_longest(*(table.above for table in tables), fillvalue="")
        if above := next((texts for level in levels if len(texts := dict.fromkeys(level)) > 1), None):
            words = f"; no column states {' or '.join(lacking)}" if lacking else ""
            parts.append(
                f"headings: [{ASK}]  # what the texts above say, as '(?P<platform>...)': {_quoted(above)}{words}"
            )
        else:
            parts += _constants(lacking, tables)
        if titles := dict.fromkeys(title for table in tables for title in table.titles):
            parts.append(f"titles: {name_of(titles) or ASK}  # alone in their rows: {_quoted(titles)}")
        blank = [
            c.heading for c in known if c.states and not c.is_value and any(_repeats(c, table) for table in tables)
        ]
        parts += [f"# fill_down: blank cells below {_quoted(blank)} may repeat the one above"] if blank else []
    parts += _columns(declared)
    first = next((n for n, part in enumerate(parts) if not part.startswith("#")), None)
    if first is None:
        yield "- {}"
    yield from (f"{'- ' if n == first else '  '}{part}" for n, part in enumerate(parts))


def _repeats(column: ColumnFacts, table: Printed) -> bool:
    """Whether a blank cell is below a filled one."""
    if column.heading not in table.headings:
        return False
    cells = [row[at] for at in [table.headings.index(column.heading)] for row in table.rows if at < len(row)]
    return any(before and not text for before, text in pairwise(cells))


def _columns(columns: Sequence[ColumnFacts]) -> list[str]:
    """What a draft says of columns; those of one kind that are asked about have one line."""
    lines = ["columns:"] if columns else []
    facts = [column for column in columns if column.said == "model_facts"]
    for column in columns:
        if not column.kind:
            # Two columns cannot state one thing.
            lines.append(f"  {_key([column])}: {'ignore' if column in facts[1:] else column.said}")
    for kind in dict.fromkeys(column.kind for column in columns if column.kind):
        same = [column for column in columns if column.kind == kind]
        samples = _quoted(dict.fromkeys(text for column in same for text in column.cells[:_SHOWN]))
        hint = "; several headings: a line for each where they differ" if len(same) > 1 and same[0].said == ASK else ""
        lines.append(f"  {_key(same)}: {same[0].said}  # {samples or 'no cells'}{hint}")
    return lines


def _key(columns: Sequence[ColumnFacts]) -> str:
    """One heading as it is printed, or a pattern of several."""
    pattern, headings = columns[0].pattern, [escaped(column.heading) or "^$" for column in columns]
    if "(?P<" in pattern or (pattern and len(columns) > 1):
        return scalar(f"/{pattern.replace('{}', '|'.join(headings))}/")
    is_one = len(columns) == 1 and columns[0].heading
    return scalar(columns[0].heading if is_one else f"/{'|'.join(headings)}/")


def _quoted(texts: Iterable[str]) -> str:
    """The first of some texts, for a comment."""
    return ", ".join(f'"{text[:_LONGEST]}"' for text in [*texts][:_SHOWN])
