"""The newest snapshot of a source, looked at with its mapping: what is read, what is refused, what
would change.

No Dagster here: documents are opened one by one, within their limits. How a table is read belongs
in `extract/tables`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from rapidfuzz import process

from pipelines.exceptions import WrongUseError
from pipelines.export.output import rows_of
from pipelines.extract.contract import lines_taken
from pipelines.extract.rows import Reject
from pipelines.extract.tables.draft import Printed, printed_in
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.preview import PreviewedNumber, TablePreview, preview
from pipelines.ingest.store import Stored, read_store
from pipelines.read.document import Cell, Document
from pipelines.read.files import ask_of
from pipelines.run.trial import can_check, try_build
from pipelines.terminal import plural
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.resolution import resolve_name
from pipelines.warehouse.reader import WarehouseError, query_published

# Numbers of tables as they were published, each with what is stated of it.
_PUBLISHED = """
select
    e.line, e.char_start, e.text_printed, r.metric, r.statistic, r.value,
    map_from_entries(list((c.dimension, c.value)) filter (where c.level <> 'vocabulary')) as conditions
from resolved.results as r
inner join resolved.evidence as e on r.evidence_id = e.evidence_id
left join resolved.result_conditions as c on r.result_id = c.result_id
where r.document_id = ? and e.extractor = 'results_page'
group by all
"""
# What is shown as not stated where no number has it.
_EXPECTED = ("task", "model", "platform")
# Conditions that are printed above or below a table.
_AROUND = ("caption", "heading", "sentence")
# Said of how a number is printed, and shown with its value.
_OF_THE_VALUE = ("unit", "statistic")
_LISTED = 12
# Of 100: below it a suggestion shares hardly a word with what was typed.
_LEAST_LIKENESS = 70
# Characters of a document that a prompt contains whole.
_MOST_TEXT = 60_000
# Rows of each table on a page; nobody reads more of one beside another.
_MOST_ROWS = 500

# A title, names of columns, and rows; a title without columns is a sentence.
Section = tuple[str, list[str], list[list[str]]]
_COLUMNS = ["heading", "becomes", "first_printed", "stored_as"]


class DocumentPreview(NamedTuple):
    """What a mapping reads in a document.

    Attributes:
        changes: Differences to the warehouse as rows of line, kind (`added`, `removed`, `changed`),
            printed, before and after; None if the warehouse has no numbers of the document.
    """

    path: str  #: Its path below `raw/`.
    tables: list[TablePreview]  #: The tables with numbers, and those that an entry claims.
    refusals: list[Reject]  #: The rejects.
    changes: list[list[str]] | None = None


class Question(NamedTuple):
    """What looks wrong in a document."""

    document: str  #: Its path below `raw/`.
    line: int  #: The first line that it is about, from 1.
    key: str  #: Its key under `expected`.
    places: int  #: How many lines it is about.
    question: str  #: What is found.
    expected: str  #: The answer in the mapping, or "".


class SourcePreview(NamedTuple):
    """What a mapping reads in the newest snapshot of a source."""

    source: str  #: `publisher/source`.
    mapping: Path  #: The mapping or the draft.
    documents: list[DocumentPreview]  #: The documents of the snapshot.
    questions: list[Question]  #: What looks wrong in the documents.
    third_party: list[str]  #: Results of platforms of another vendor, in words.

    def open_questions(self) -> list[str]:
        """The keys of the questions that the mapping does not answer."""
        return [question.key for question in self.questions if not question.expected]

    def tables(self) -> list[TablePreview]:
        """The tables with numbers, and those that an entry claims."""
        return [table for document in self.documents for table in document.tables]

    def refusals(self) -> list[Reject]:
        """The rejects; one with a `scope` other than `row` is an unread table, or an entry without
        a table.
        """
        return [refusal for document in self.documents for refusal in document.refusals]


def newest_documents(raw: Path, source: str, snapshots: int = 1) -> list[dict[str, Any]]:
    """The documents of the newest snapshots of a source."""
    rows = read_store(raw).documents
    own = [row for row in rows if row["source"] == source]
    if not own:
        meant = process.extractOne(
            source, {row["source"] for row in rows}, score_cutoff=_LEAST_LIKENESS
        )
        raise WrongUseError(
            f"no document of {source} is stored{f'; did you mean {meant[0]}?' if meant else ''}"
        )
    newest = sorted({row["snapshot_at"] for row in own})[-snapshots:]
    return [row for row in own if row["snapshot_at"] in newest]


class PrintedPage(NamedTuple):
    """A document of a source: its tables with numbers, and its text; "" for a long one."""

    path: str
    tables: list[Printed]
    text: str


def printed_pages(raw: Path, source: str) -> list[PrintedPage]:
    """The documents of the newest snapshot of a source."""
    return [
        PrintedPage(
            row["path"], *_look(row["path"], raw / row["path"], row["charset"], row["format"])
        )
        for row in newest_documents(raw, source)
    ]


def preview_source(raw: Path, source: str, mapping: Path, warehouse: Path) -> SourcePreview:
    """What a mapping makes of the newest snapshot of a source."""
    expected = load_entries(mapping).source.expected
    documents, shown = newest_documents(raw, source), []
    # Columns are compared with those of the snapshot before.
    tried = try_build(newest_documents(raw, source, 2), mapping, raw, warehouse)
    paths = {row["document_id"]: row["path"] for row in documents}
    for row in documents:
        tables, refusals = _look(
            row["path"], raw / row["path"], row["charset"], row["format"], mapping
        )
        refusals += [
            _reject(one) for one in tried.rejects if one["document_id"] == row["document_id"]
        ]
        changes = _changes(
            warehouse, row["document_id"], [number for table in tables for number in table.numbers]
        )
        shown.append(DocumentPreview(row["path"], tables, refusals, changes))
    questions = [
        Question(paths[document_id], line, key, places, reason, expected.get(key, ""))
        for document_id, key, places, line, reason in map(dict.values, tried.suspicions)
        if document_id in paths
    ]
    return SourcePreview(source, mapping, shown, questions, tried.third_party)


def _reject(row: dict[str, Any]) -> Reject:
    place = Cell("", row.get("line") or 1, row.get("char_start") or 0, row.get("char_end") or 0)
    return Reject(cell=place, rule=row["rule"], reason=row["reason"], scope=row["scope"])


def count_of_tables(stored: Stored, mapping: Path) -> tuple[str, bool]:
    """What of the tables of a document its mapping reads, in words, and whether that is all of
    them.
    """
    entry = stored.entry
    if mapping.is_file():
        load_entries(mapping)
        tables, refusals = _look("it", stored.path, entry.charset, entry.format, mapping)
        lost = _refused_elsewhere(stored, mapping)
        return "; ".join(filter(None, (summary(tables), lost))), not (refusals or lost)
    printed, _ = _look("it", stored.path, entry.charset, entry.format)
    if printed:
        numbers = plural(sum(table.numbers for table in printed), "number")
        return f"no mapping for {plural(len(printed), 'table')} with {numbers}", False
    if lost := _refused_elsewhere(stored, mapping):
        return lost, False
    return ("", True) if entry.format is not None else ("no format finds results in it", False)


def _refused_elsewhere(stored: Stored, mapping: Path) -> str:
    """What a build would refuse of a document outside of its tables, in words; "" for nothing."""
    raw = stored.path.parents[3]
    place = (stored.entry.sha256, stored.path.parents[1].relative_to(raw).as_posix())
    own = [row for row in read_store(raw).documents if (row["document_id"], row["source"]) == place]
    lost = try_build(own, mapping, raw, raw).rejects
    return f"{plural(len(lost), 'row')} refused: {lost[0]['reason']}" if lost else ""


def _look(
    name: str, path: Path, charset: str | None, format: str | None, mapping: Path | None = None
) -> Any:
    """The tables with numbers that a file prints, and its text; with a mapping what this makes of
    them.
    """
    answer = ask_of(path, charset, partial(_answer, format=format, mapping=mapping))
    if answer is None:
        raise WrongUseError(f"{name} cannot be read: `benchledger build` says why")
    return answer


def _answer(document: Document, *, format: str | None, mapping: Path | None) -> Any:
    taken = lines_taken(document, format)
    if mapping:
        return preview(document, taken, load_entries(mapping))
    text = "\n".join(document.texts)
    return printed_in(document, taken), text if len(text) <= _MOST_TEXT else ""


# Against the warehouse


def _changes(
    warehouse: Path, document_id: str, numbers: Sequence[PreviewedNumber]
) -> list[list[str]] | None:
    try:
        rows = query_published(warehouse, _PUBLISHED, [document_id]).to_pylist(
            maps_as_pydicts="strict"
        )
    except WarehouseError:
        return None
    before = {
        (row["line"], row["char_start"]): (row["text_printed"], _facts(**row)) for row in rows
    }
    after = {}
    for one in numbers:
        suite = _suite_of([one])
        stated = {name: c.value for name, c in one.conditions.items() if c.level != "vocabulary"}
        stated = {
            name: (_known(name, value, suite) or {}).get("name") or value
            for name, value in stated.items()
        }
        # Prices are in a table of their own.
        if not one.unit.startswith("USD"):
            after[one.line, one.start] = (
                one.printed,
                _facts(one.metric, one.statistic, one.value, stated),
            )
    found = []
    for place in sorted({*before, *after}):
        (was_printed, old), (printed, new) = before.get(place, ("", {})), after.get(place, ("", {}))
        if names := [name for name in {**old, **new} if old.get(name) != new.get(name)]:
            words = [
                ", ".join(f"{name} {facts[name]}" for name in names if name in facts)
                for facts in (old, new)
            ]
            kind = "changed" if old and new else "added" if new else "removed"
            found.append([str(place[0]), kind, printed or was_printed, *words])
    return found if rows else None


def _facts(
    metric: str,
    statistic: str | None,
    value: float,
    conditions: dict[str, str] | None,
    **_place: object,
) -> dict[str, str]:
    """What is stated of a number; a mean is the value itself, and has no statistic in the
    warehouse.
    """
    facts = {name: value for name, value in (conditions or {}).items() if name not in _OF_THE_VALUE}
    facts |= {"metric": metric, "value": f"{value:.12g}"}
    return facts | ({"statistic": statistic} if statistic and statistic != "mean" else {})


def _suite_of(numbers: Sequence[PreviewedNumber]) -> str | None:
    return next(
        (number.conditions["suite"].value for number in numbers if "suite" in number.conditions),
        None,
    )


@cache
def _known(dimension: str, value: str, suite: str | None) -> dict[str, Any] | None:
    """What the vocabulary of a dimension says of a printed name; None where it has none."""
    kind = dimensions()[dimension].vocabulary if dimension in dimensions() else None
    return resolve_name({"kind": kind, "name_printed": value, "suite": suite}) if kind else None


# For people


def _dimension_rows(numbers: Sequence[PreviewedNumber]) -> Iterator[list[str]]:
    """Dimension, value, canonical name, numbers, where it is stated; names that no vocabulary knows
    go first.
    """
    suite = _suite_of(numbers)
    stated: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in _EXPECTED}
    for number in numbers:
        for name, one in number.conditions.items():
            stated.setdefault(name, defaultdict(list))[one.value].append(one.level)
    order = [*dimensions(), *sorted(stated)]
    for name in sorted(stated.keys() - {*_OF_THE_VALUE}, key=order.index):
        rows = []
        for value, levels in stated[name].items():
            known = _known(name, value, suite) or {"name": ""}
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


def summary(tables: Sequence[TablePreview]) -> str:
    """How much is read, in one line."""
    skipped = [table.printed for table in tables if table.rule == "skip"]
    numbers = [len(table.numbers) for table in tables]
    ignored = sum(table.ignored for table in tables)
    parts = [f"{ignored} in ignored columns"] if ignored else []
    parts += (
        [f"{sum(skipped)} in {plural(len(skipped), 'table')} left out by `skip`"] if skipped else []
    )
    read = f"{sum(map(bool, numbers))} of {len(tables) - len(skipped)} tables are read"
    words = f"{read}, {sum(numbers)} of {sum(table.printed for table in tables)} numbers"
    return f"{words}: {', '.join(parts)}" if parts else words


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
        return [name for name in dict.fromkeys(names) if name not in _OF_THE_VALUE]

    found = [section for section in sections(shown) if section[1] != _COLUMNS][:-1]
    parts = {
        "summary": summary(shown.tables()),
        "sections": found,
        "stated": stated,
        "most": _MOST_ROWS,
    }
    return environment().get_template("mapping.html").render(shown=shown, **parts).encode()
