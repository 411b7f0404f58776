"""How the preview of a mapping is shown: in the terminal, as lists for programs, as a page.

What a mapping reads belongs in `benchledger/source_preview.py`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby

import pyarrow as pa

from benchledger.source_preview import DocumentPreview, Question, SourcePreview, summary
from pipelines.cli.output import rows_of
from pipelines.exceptions import install_command
from pipelines.extract.tables.preview import TablePreview
from pipelines.run.trial import can_check
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.resolution import resolve_name
from pipelines.warehouse.queries import internal_query
from pipelines.warehouse.reader import query_frames

# Said of how a number is printed, and shown with its value.
_OF_THE_VALUE = ("unit", "statistic")
_LISTED = 12
# Rows of each table on a page; nobody reads more of one beside another.
_MOST_ROWS = 500

# A title, names of columns, and rows; a title without columns is a sentence.
Section = tuple[str, list[str], list[list[str]]]
_COLUMNS = ["heading", "becomes", "first_printed", "stored_as"]


def _frames(documents: Sequence[DocumentPreview]) -> dict[str, pa.Table]:
    """The numbers of documents and their conditions, one row each, and the list of dimensions."""
    numbers, conditions = [], list[tuple[object, ...]]()
    for document in documents:
        for table, one in document.numbers():
            stated = {name: condition.value for name, condition in one.conditions.items()}
            measured = one.metric, one.statistic or None, one.value, one.unit, stated
            numbers.append((document.path, one.line, one.printed, *measured))
            for name, (_, value, cell, level, *_) in one.conditions.items():
                known = _canonical_name(name, value, stated.get("suite"))
                place = table.line, cell.line, level, len(conditions)
                conditions.append((name, value, known, *place))
    return {
        "numbers": rows_of("document line printed metric statistic value unit conditions", numbers),
        "conditions": rows_of(
            "dimension value canonical_name table_line line level number", conditions
        ),
        "dimensions": rows_of("position dimension", enumerate(dimensions())),
    }


@cache
def _canonical_name(dimension: str, value: str, suite: str | None) -> str:
    """What the vocabulary of a dimension calls a printed name; "" for a dimension without one."""
    kind = dimensions()[dimension].vocabulary if dimension in dimensions() else None
    if kind is None:
        return ""
    known = resolve_name({"kind": kind, "name_printed": value, "suite": suite})
    nearest = f"unknown; nearest: {known['suggestion']}" if known["suggestion"] else "unknown"
    return known["name"] or nearest


def _queried(title: str, query: str, frames: dict[str, pa.Table]) -> Section:
    """The rows of `sql/internal/preview_<query>.sql`."""
    rows = query_frames(internal_query(f"preview_{query}"), frames)
    return title, rows.column_names, [[*row.values()] for row in rows.to_pylist()]


def sections(shown: SourcePreview) -> Iterator[Section]:
    """What is shown of a source; those without rows are left out."""
    return (section for section in _sections(shown) if section[2] or not section[1])


def _sections(shown: SourcePreview) -> Iterator[Section]:
    for document in shown.documents:
        yield document.path, [], []
        tables = sorted(document.tables, key=_layout)
        for _, same in groupby(tables, key=_layout):
            yield _of_layout([*same], shown.mapping.name)
        frames = _frames([document])
        yield _queried("Read from the text around tables", "around", frames)
        notes = [[str(table.line), note] for table in document.tables for note in table.notes]
        yield "Notes", ["table_at_line", "note"], notes
    frames = _frames(shown.documents)
    yield _queried("Dimensions", "dimensions", frames)
    yield _queried("Metrics", "metrics", frames)
    for document in shown.documents:
        by_rule = defaultdict[str, list[list[str]]](list)
        for one in document.refusals:
            by_rule[one.rule].append([str(one.cell.line), one.scope, one.reason])
        for rule, rows in sorted(by_rule.items(), key=lambda item: -len(item[1])):
            more = f", the first {_LISTED}" if len(rows) > _LISTED else ""
            title = f"Refused, {rule}: {len(rows)}{more}"
            yield title, ["line", "scope", "reason"], rows[:_LISTED]
        if document.changes:
            kinds = sorted(Counter(kind for _, kind, *_ in document.changes).items())
            words = ", ".join(f"{count} {kind}" for kind, count in kinds)
            names = ["line", "change", "printed", "published", "now"]
            title = f"Changes against the warehouse: {words}"
            yield title, names, document.changes[:_LISTED]
        elif document.changes is not None:
            yield "Changes against the warehouse: none", [], []
        elif can_check():
            yield "The warehouse has no numbers of this document yet", [], []
    title = "Questions: correct the mapping, or answer under `expected`"
    yield title, [*Question._fields[1:]], [[*map(str, one[1:])] for one in shown.questions]
    if not can_check():
        yield (
            f"What a build checks, and changes against the warehouse, are not shown: `{install_command('build')}`",
            [],
            [],
        )
    for words in (*shown.third_party, summary(shown.tables())):
        yield words, [], []


def lists(shown: SourcePreview) -> dict[str, tuple[str, pa.Table]]:
    """What is shown of a source, for programs: all tables, numbers, refusals and changes, with
    their document.
    """
    tables, refusals, changes = [], [], []
    for path, found, refused, changed in shown.documents:
        for one in found:
            about = one.title or None, one.entry or None, one.rule or None
            tables.append((path, one.line, *about, one.printed, len(one.numbers)))
        refusals += [(path, one.cell.line, one.scope, one.rule, one.reason) for one in refused]
        changes += [(path, int(line), *words) for line, *words in changed or ()]
    return {
        "tables": (
            "Tables",
            rows_of("document line title entry rule numbers numbers_read", tables),
        ),
        "numbers": ("Numbers", _frames(shown.documents)["numbers"]),
        "refusals": ("Refused", rows_of("document line scope rule reason", refusals)),
        "questions": ("Questions", rows_of(" ".join(Question._fields), shown.questions)),
        "changes": ("Changes", rows_of("document line change printed published now", changes)),
    }


def _layout(table: TablePreview) -> tuple[int, str, list[str]]:
    return table.entry, table.rule, [heading for heading, *_ in table.columns]


def _of_layout(tables: Sequence[TablePreview], name: str) -> Section:
    """What an entry of a mapping file makes of tables with the same headings."""
    first, lines = tables[0], ", ".join(str(table.line) for table in tables)
    verb = {"": "reads", "skip": "leaves out"}.get(first.rule, "refuses")
    which = (
        f"line {first.entry} of {first.layout or name} {verb}"
        if first.entry
        else f"no entry of {name} is about"
    )
    numbers = f"{sum(len(t.numbers) for t in tables)} of {sum(t.printed for t in tables)} numbers"
    titles = " | ".join(dict.fromkeys(table.title for table in tables if table.title))
    title = f"{which} the table at line {lines}: {numbers}" + (
        f", below {titles}" if titles else ""
    )
    return (title, [], []) if first.rule or not first.columns else (title, _COLUMNS, first.columns)


def _stated(table: TablePreview) -> list[str]:
    """What the numbers of a table state, beside what is shown with their values."""
    names = dict.fromkeys(name for number in table.numbers for name in number.conditions)
    return [name for name in names if name not in _OF_THE_VALUE]


def page(shown: SourcePreview) -> bytes:
    """The preview as one local page, the printed table left, the stored rows right: no script, no
    address.
    """
    from pipelines.report.rendering import environment

    given = {
        "shown": shown,
        "summary": summary(shown.tables()),
        "sections": [section for section in sections(shown) if section[1] != _COLUMNS][:-1],
        "stated": _stated,
        "most": _MOST_ROWS,
    }
    return environment().get_template("mapping.html").render(given).encode()
