"""How the preview of a mapping is shown: in the terminal, as lists for programs, as a page.

What a mapping reads belongs in `benchledger/source_preview.py`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

import pyarrow as pa

from benchledger.source_preview import (
    OF_THE_VALUE,
    SourcePreview,
    canonical_entry,
    suite_of,
    summary,
)
from pipelines.cli.output import rows_of
from pipelines.extract.tables.preview import PreviewedNumber, TablePreview
from pipelines.run.trial import can_check
from pipelines.vocabulary.dimensions import dimensions

# What is shown as not stated where no number has it.
_EXPECTED = ("task", "model", "platform")
# Conditions that are printed above or below a table.
_AROUND = ("caption", "heading", "sentence")
_LISTED = 12
# Rows of each table on a page; nobody reads more of one beside another.
_MOST_ROWS = 500

# A title, names of columns, and rows; a title without columns is a sentence.
Section = tuple[str, list[str], list[list[str]]]
_COLUMNS = ["heading", "becomes", "first_printed", "stored_as"]


def _dimension_rows(numbers: Sequence[PreviewedNumber]) -> Iterator[list[str]]:
    """Dimension, value, canonical name, numbers, where it is stated; names that no vocabulary knows
    go first.
    """
    suite = suite_of(numbers)
    stated: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in _EXPECTED}
    for number in numbers:
        for name, one in number.conditions.items():
            stated.setdefault(name, defaultdict(list))[one.value].append(one.level)
    order = [*dimensions(), *sorted(stated)]
    for name in sorted(stated.keys() - {*OF_THE_VALUE}, key=order.index):
        rows = []
        for value, levels in stated[name].items():
            known = canonical_entry(name, value, suite) or {"name": ""}
            nearest = f"; nearest: {known['suggestion']}" if known.get("suggestion") else ""
            words = f"unknown{nearest}" if known["name"] is None else known["name"]
            rows.append([name, value, words, str(len(levels)), ", ".join(dict.fromkeys(levels))])
        rows.sort(key=lambda row: (not row[2].startswith("unknown"), -int(row[3])))
        yield from rows[:_LISTED]
        if len(rows) > _LISTED:
            yield [name, f"{len(rows) - _LISTED} more values", "", "", ""]
        if lacking := len(numbers) - sum(int(row[3]) for row in rows):
            yield [name, "(not stated)", "", str(lacking), ""]


def _around_rows(tables: Sequence[TablePreview]) -> list[list[str]]:
    """Dimension, value, the line of the text around tables that states it, and the lines of these
    tables.
    """
    found: dict[tuple[str, str, int], dict[str, None]] = defaultdict(dict)
    for table in tables:
        for number in table.numbers:
            for name, one in number.conditions.items():
                if one.level in _AROUND:
                    found[name, one.value, one.cell.line][str(table.line)] = None
    return [
        [name, value, str(line), ", ".join(lines)] for (name, value, line), lines in found.items()
    ]


def _metric_rows(numbers: Sequence[PreviewedNumber]) -> Iterator[list[str]]:
    """Metric, statistic, unit, numbers, and the lowest and the highest value."""
    kinds = defaultdict(list)
    for number in numbers:
        kinds[number.metric, number.statistic, number.unit].append(number.value)
    for kind, values in sorted(kinds.items()):
        yield [*kind, str(len(values)), f"{min(values):.6g}", f"{max(values):.6g}"]


def sections(shown: SourcePreview) -> Iterator[Section]:
    """What is shown of a source."""
    for document in shown.documents:
        yield document.path, [], []
        tables = sorted(document.tables, key=_layout)
        yield from (
            _of_layout([*same], shown.mapping.name) for _, same in groupby(tables, key=_layout)
        )
        if around := _around_rows(document.tables):
            yield (
                "Read from the text around tables",
                ["dimension", "value", "line", "tables_at_line"],
                around,
            )
        if notes := [[str(table.line), note] for table in document.tables for note in table.notes]:
            yield "Notes", ["table_at_line", "note"], notes
    if numbers := [number for table in shown.tables() for number in table.numbers]:
        names = ["dimension", "value", "canonical_name", "numbers", "stated_in"]
        yield "Dimensions", names, [*_dimension_rows(numbers)]
        names = ["metric", "statistic", "unit", "numbers", "lowest", "highest"]
        yield "Metrics", names, [*_metric_rows(numbers)]
    for document in shown.documents:
        for rule, count in Counter(refusal.rule for refusal in document.refusals).most_common():
            lost = [
                [str(one.cell.line), one.scope, one.reason]
                for one in document.refusals
                if one.rule == rule
            ]
            more = f", the first {_LISTED}" if count > _LISTED else ""
            yield f"Refused, {rule}: {count}{more}", ["line", "scope", "reason"], lost[:_LISTED]
        if document.changes is None:
            yield "The warehouse has no numbers of this document yet", [], []
            continue
        kinds = Counter(kind for _, kind, *_ in document.changes)
        words = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"
        names = ["line", "change", "printed", "published", "now"] if document.changes else []
        yield f"Changes against the warehouse: {words}", names, document.changes[:_LISTED]
    if shown.questions:
        title = "Questions: correct the mapping, or answer under `expected`"
        rows = [
            [one.key, str(one.line), str(one.places), one.question, one.expected]
            for one in shown.questions
        ]
        yield title, ["key", "line", "places", "question", "expected"], rows
    if not can_check():
        yield "What a build checks is not checked here: `pip install 'benchledger[build]'`", [], []
    for words in (*shown.third_party, summary(shown.tables())):
        yield words, [], []


def lists(shown: SourcePreview) -> dict[str, tuple[str, pa.Table]]:
    """What is shown of a source, for programs: all tables, numbers, refusals and changes, with
    their document.
    """
    tables, numbers, refusals, changes = [], [], [], []
    for path, found, refused, changed in shown.documents:
        for table in found:
            read = table.printed, len(table.numbers)
            tables.append(
                (
                    path,
                    table.line,
                    table.title or None,
                    table.entry or None,
                    table.rule or None,
                    *read,
                )
            )
            for one in table.numbers:
                stated = {name: condition.value for name, condition in one.conditions.items()}
                measured = one.metric, one.statistic or None, one.value, one.unit, stated
                numbers.append((path, one.line, one.printed, *measured))
        refusals += [(path, one.cell.line, one.scope, one.rule, one.reason) for one in refused]
        changes += [(path, int(line), *words) for line, *words in changed or ()]
    return {
        "tables": (
            "Tables",
            rows_of("document line title entry rule numbers numbers_read", tables),
        ),
        "numbers": (
            "Numbers",
            rows_of("document line printed metric statistic value unit conditions", numbers),
        ),
        "refusals": ("Refused", rows_of("document line scope rule reason", refusals)),
        "questions": (
            "Questions",
            rows_of("document line key places question expected", shown.questions),
        ),
        "changes": ("Changes", rows_of("document line change printed published now", changes)),
    }


def _layout(table: TablePreview) -> tuple[int, str, list[str]]:
    return table.entry, table.rule, [heading for heading, *_ in table.columns]


def _of_layout(tables: Sequence[TablePreview], name: str) -> Section:
    """What an entry of a mapping file makes of tables with the same headings."""
    first, lines = tables[0], ", ".join(str(table.line) for table in tables)
    verb = {"": "reads", "skip": "leaves out"}.get(first.rule, "refuses")
    which = (
        f"line {first.entry} of {name} {verb}" if first.entry else f"no entry of {name} is about"
    )
    numbers = f"{sum(len(t.numbers) for t in tables)} of {sum(t.printed for t in tables)} numbers"
    titles = " | ".join(dict.fromkeys(table.title for table in tables if table.title))
    title = f"{which} the table at line {lines}: {numbers}" + (
        f", below {titles}" if titles else ""
    )
    return (title, [], []) if first.rule or not first.columns else (title, _COLUMNS, first.columns)


def page(shown: SourcePreview) -> bytes:
    """The preview as one local page, the printed table left, the stored rows right: no script, no
    address.
    """
    from pipelines.report.rendering import environment

    def stated(table: TablePreview) -> list[str]:
        names = (name for number in table.numbers for name in number.conditions)
        return [name for name in dict.fromkeys(names) if name not in OF_THE_VALUE]

    found = [section for section in sections(shown) if section[1] != _COLUMNS][:-1]
    parts = {
        "summary": summary(shown.tables()),
        "sections": found,
        "stated": stated,
        "most": _MOST_ROWS,
    }
    return environment().get_template("mapping.html").render(shown=shown, **parts).encode()
