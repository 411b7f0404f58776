"""The newest snapshot of a source, looked at with its mapping: what is read, what is refused, what would change.

No Dagster here: documents are opened one by one, within their limits. How a table is read belongs in `extract/tables`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

from rapidfuzz import process

from pipelines.build.warehouse import WarehouseError, query_published
from pipelines.extract.contract import lines_taken
from pipelines.extract.tables.draft import Printed, tables_with_numbers
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.preview import Preview, PreviewedNumber, preview
from pipelines.extract.tables.printed import tables_of
from pipelines.extract.tables.statements import Statement
from pipelines.ingest.store import Stored, read_store
from pipelines.read.document import Document
from pipelines.read.files import ask_of
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.resolution import resolve_name

# Numbers of tables as they were published, each with what is stated of it.
_PUBLISHED = """
select
    e.line, e.char_start, e.text_printed, r.metric, r.statistic, r.value, r.unit,
    list({dimension: c.dimension, stated: c.value}) filter (where c.level <> 'vocabulary') as conditions
from resolved.results as r
inner join resolved.evidence as e on r.evidence_id = e.evidence_id
left join resolved.result_conditions as c on r.result_id = c.result_id
where r.document_id = ? and e.extractor = 'results_page'
group by all
"""
# What is shown as not stated where no number has it.
_EXPECTED = ("task", "model", "platform")
# Said of how a number is printed, and shown with its value.
_OF_THE_VALUE = ("unit", "statistic")
_LISTED, _MOST_NAMES = 12, 30
# Of 100: below it a suggestion shares hardly a word with what was typed.
_LEAST_LIKENESS = 70


class SourceError(Exception):
    """A source that cannot be looked at; the message says why."""


@dataclass(frozen=True, slots=True)
class Change:
    """A number that a build would store otherwise than the warehouse has it: `added`, `removed` or `changed`."""

    kind: str
    line: int
    printed: str
    before: str
    after: str


@dataclass
class DocumentPreview:
    """A document with what its mapping makes of it.

    Attributes:
        path: Its path in the store.
        preview: What the mapping makes of it.
        changes: How that differs from the warehouse; None where the warehouse has no number of it.
    """

    path: str
    preview: Preview
    changes: list[Change] | None = None


@dataclass
class SourcePreview:
    """All documents of the newest snapshot of a source.

    Attributes:
        source: Name of the source.
        mapping: The file that was laid on them.
        documents: The documents.
    """

    source: str
    mapping: Path
    documents: list[DocumentPreview] = field(default_factory=list)

    @property
    def numbers(self) -> list[PreviewedNumber]:
        """Everything that would be stored."""
        return [number for document in self.documents for number in document.preview.numbers]

    @property
    def printed(self) -> int:
        """Numbers of measured columns, and all of the tables that are not read."""
        return sum(document.preview.printed for document in self.documents)

    @property
    def is_open(self) -> bool:
        """Whether a table is not read, or an entry has no table."""
        return any(document.preview.is_open for document in self.documents)

    @property
    def has_losses(self) -> bool:
        """Whether anything is refused."""
        return any(document.preview.refusals for document in self.documents)


def newest_documents(raw: Path, source: str) -> list[dict[str, Any]]:
    """The documents of the newest snapshot of a source.

    Raises:
        SourceError: None is stored.
    """
    rows = read_store(raw).documents
    known = sorted({row["source"] for row in rows})
    if source not in known:
        meant = process.extractOne(source, known, score_cutoff=_LEAST_LIKENESS)
        hint = f"; did you mean {meant[0]}?" if meant else ""
        raise SourceError(f"no document of {source} is stored{hint}")
    own = [row for row in rows if row["source"] == source]
    newest = max(row["snapshot_at"] for row in own)
    return [row for row in own if row["snapshot_at"] == newest]


def printed_tables(raw: Path, documents: Sequence[dict[str, Any]]) -> list[Printed]:
    """The tables with numbers of some documents.

    Raises:
        SourceError: A document cannot be read.
    """
    found: list[Printed] = []
    for row in documents:
        tables = ask_of(raw / row["path"], row["charset"], partial(_tables, format=row["format"]))
        if tables is None:
            raise SourceError(f"{row['path']} cannot be read: `benchledger build` says why")
        found += tables
    return found


def preview_source(raw: Path, source: str, mapping: Path, warehouse: Path) -> SourcePreview:
    """What a mapping makes of the newest snapshot of a source.

    Raises:
        SourceError: A document cannot be read.
        MappingError: The mapping cannot be used, or still has a question.
    """
    load_entries(mapping)
    shown = SourcePreview(source, mapping)
    for row in newest_documents(raw, source):
        found = ask_of(raw / row["path"], row["charset"], partial(_preview, format=row["format"], mapping=mapping))
        if found is None:
            raise SourceError(f"{row['path']} cannot be read: `benchledger build` says why")
        changes = _changes(warehouse, row["document_id"], found.numbers)
        shown.documents.append(DocumentPreview(row["path"], found, changes))
    return shown


def count_of_tables(stored: Stored, mapping: Path | None) -> tuple[str, bool]:
    """What of the tables of a document its mapping reads, in words, and whether that is all of them.

    Raises:
        SourceError: The document cannot be read.
        MappingError: The mapping cannot be used.
    """
    entry = stored.entry
    if mapping is None:
        tables = ask_of(stored.path, entry.charset, partial(_tables, format=entry.format))
        if tables is None:
            raise SourceError("it cannot be read: the build will say why")
        count = f"{len(tables)} table{'s' * (len(tables) != 1)} with {sum(table.numbers for table in tables)} numbers"
        if not tables and entry.format is not None:
            return "", True
        return (f"{count} have no mapping", False) if tables else ("no format finds results in it", False)
    load_entries(mapping)
    found = ask_of(stored.path, entry.charset, partial(_preview, format=entry.format, mapping=mapping))
    if found is None:
        raise SourceError("it cannot be read: the build will say why")
    words = summary(SourcePreview("", mapping, [DocumentPreview("", found)]))
    return words, not found.refusals


def _tables(document: Document, *, format: str | None) -> list[Printed]:
    return tables_with_numbers(tables_of(document, lines_taken(document, format)))


def _preview(document: Document, *, format: str | None, mapping: Path) -> Preview:
    return preview(document, lines_taken(document, format), load_entries(mapping))


# Against the warehouse


def _changes(warehouse: Path, document_id: str, numbers: Sequence[PreviewedNumber]) -> list[Change] | None:
    try:
        rows = query_published(warehouse, _PUBLISHED, [document_id]).to_pylist()
    except WarehouseError:
        return None
    if not rows:
        return None
    before = {(row["line"], row["char_start"]): row for row in rows}
    # Prices are in a table of their own.
    after = {(number.line, number.start): number for number in numbers if not number.unit.startswith("USD")}
    found = []
    for place in sorted({*before, *after}):
        row, number = before.get(place), after.get(place)
        old = _facts(row["metric"], row["statistic"], row["value"], _stated(row)) if row else {}
        new = {} if number is None else _facts(
            number.metric, number.statistic, number.value,
            {
                name: _name(name, one.value, number.conditions["suite"].value if "suite" in number.conditions else None)
                for name, one in number.conditions.items()
                if one.level != "vocabulary"
            },
        )  # fmt: skip
        if old == new:
            continue
        differing = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        words = [", ".join(f"{name} {facts[name]}" for name in differing if name in facts) for facts in (old, new)]
        kind = "changed" if row and number else "added" if number else "removed"
        printed = number.printed if number else row["text_printed"] if row else ""
        found.append(Change(kind, place[0], printed, *words))
    return found


@cache
def _name(dimension: str, value: str, suite: str | None) -> str:
    known = dimensions().get(dimension)
    return (canonical(known.vocabulary, value, suite) if known and known.vocabulary else None) or value


def _stated(row: dict[str, Any]) -> dict[str, str]:
    return {one["dimension"]: one["stated"] for one in row["conditions"] or ()}


def _facts(metric: str, statistic: str | None, value: float, conditions: dict[str, str]) -> dict[str, str]:
    facts = {name: value for name, value in conditions.items() if name not in _OF_THE_VALUE}
    facts |= {"metric": metric, "value": f"{value:.12g}"}
    # A mean is the value itself: it has no statistic in the warehouse.
    return facts | ({"statistic": statistic} if statistic and statistic != "mean" else {})


# For people


def dimension_rows(numbers: Sequence[PreviewedNumber]) -> Iterator[list[str]]:
    """Dimension, value, canonical name, numbers, where it is stated: a row for each name, unknown ones first.

    Other dimensions have one row with all their values. How many numbers a dimension is not stated of is a value, too.
    """
    stated: dict[str, dict[str, list[Statement]]] = defaultdict(lambda: defaultdict(list))
    suite = next((number.conditions["suite"].value for number in numbers if "suite" in number.conditions), None)
    for number in numbers:
        for name, one in number.conditions.items():
            stated[name][one.value].append(one)
    for name in sorted({*stated, *_EXPECTED} - {*_OF_THE_VALUE}, key=_order):
        known = dimensions().get(name)
        kind = known.vocabulary if known else None
        counts = {value: len(found) for value, found in stated[name].items()}
        lacking = {"(not stated)": len(numbers) - sum(counts.values())}
        if kind is None or not counts:
            words = [f"{value} ({count})" for value, count in Counter(counts).most_common(_LISTED)]
            words += [f"{len(counts) - _LISTED} more values"] if len(counts) > _LISTED else []
            words += [f"{word} ({count})" for word, count in lacking.items() if count]
            levels = dict.fromkeys(one.level for found in stated[name].values() for one in found)
            yield [name, ", ".join(words), "", str(sum(counts.values())), ", ".join(levels)]
            continue
        names = {value: canonical(kind, value, suite) for value in counts}
        order = sorted(counts, key=lambda value: (names[value] is not None, -counts[value]))
        for value in order[:_MOST_NAMES]:
            levels = dict.fromkeys(one.level for one in stated[name][value])
            words_of = names[value] or _unknown(kind, value, suite)
            yield [name, value, words_of, str(counts[value]), ", ".join(levels)]
        if rest := order[_MOST_NAMES:]:
            yield [name, f"{len(rest)} more names", "", str(sum(counts[value] for value in rest)), ""]
        yield from ([name, word, "", str(count), ""] for word, count in lacking.items() if count)


def _order(name: str) -> tuple[int, str]:
    known = list(dimensions())
    return (known.index(name) if name in known else len(known), name)


def canonical(kind: str, value: str, suite: str | None) -> str | None:
    """The canonical name of a printed one, or None for one that no vocabulary knows."""
    name = resolve_name({"kind": kind, "name_printed": value, "suite": suite})["name"]
    return str(name) if name else None


def _unknown(kind: str, value: str, suite: str | None) -> str:
    nearest = resolve_name({"kind": kind, "name_printed": value, "suite": suite})["suggestion"]
    return f"unknown; nearest: {nearest}" if nearest else "unknown"


def metric_rows(numbers: Sequence[PreviewedNumber]) -> Iterator[list[str]]:
    """Metric, statistic, unit, numbers, and the lowest and the highest value."""
    kinds = defaultdict(list)
    for number in numbers:
        kinds[number.metric, number.statistic or "", number.unit].append(number.value)
    for kind, values in sorted(kinds.items()):
        yield [*kind, str(len(values)), f"{min(values):.6g}", f"{max(values):.6g}"]


def summary(shown: SourcePreview) -> str:
    """How much is read, in one line."""
    tables = [table for document in shown.documents for table in document.preview.tables]
    skipped = sum(1 for table in tables if table.rule == "skip")
    wanted = len(tables) - skipped
    read = sum(1 for table in tables if table.numbers)
    words = f"{read} of {wanted} tables are read, {len(shown.numbers)} of {shown.printed} numbers"
    return words + (f"; {skipped} left out by `skip`" if skipped else "")


def sections(shown: SourcePreview) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """What is shown of a source: titles, names of columns, and rows; a title without columns is a sentence."""
    name = shown.mapping.name
    for document in shown.documents:
        yield document.path, [], []
        found = document.preview
        for _, same in groupby(sorted(found.tables, key=_layout), key=_layout):
            tables = list(same)
            first = tables[0]
            lines = ", ".join(str(table.line) for table in tables)
            titles = " | ".join(dict.fromkeys(table.title for table in tables if table.title))
            which = f"line {first.entry} of {name}" if first.entry else f"no entry of {name}"
            verb = "refuses" if first.rule not in (None, "skip") else "leaves out" if first.rule else "reads"
            verb = verb if first.entry else "is about"
            numbers = f"{sum(len(t.numbers) for t in tables)} of {sum(t.printed for t in tables)} numbers"
            title = f"{which} {verb} the table at line {lines}: {numbers}" + (f", below {titles}" if titles else "")
            columns = [[c.heading, c.becomes, c.printed, c.stored] for c in first.columns if not first.rule]
            yield title, ["heading", "becomes", "first_printed", "stored_as"] if columns else [], columns
    if shown.numbers:
        yield (
            "Dimensions",
            ["dimension", "value", "canonical_name", "numbers", "stated_in"],
            [*dimension_rows(shown.numbers)],
        )
        names = ["metric", "statistic", "unit", "numbers", "lowest", "highest"]
        yield "Metrics", names, [*metric_rows(shown.numbers)]
    for document in shown.documents:
        rules = Counter(refusal.rule for refusal in document.preview.refusals)
        for rule, count in rules.most_common():
            refused = [r for r in document.preview.refusals if r.rule == rule]
            lost = [[str(r.cell.line), r.scope, r.reason] for r in refused[:_LISTED]]
            more = f", the first {_LISTED}" if count > _LISTED else ""
            yield f"Refused, {rule}: {count}{more}", ["line", "scope", "reason"], lost
        if document.changes is None:
            yield "The warehouse has no numbers of this document yet", [], []
            continue
        kinds = Counter(change.kind for change in document.changes)
        words = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())) or "none"
        rows = [[str(c.line), c.kind, c.printed, c.before, c.after] for c in document.changes[:_LISTED]]
        title = f"Changes against the warehouse: {words}"
        yield title, ["line", "change", "printed", "published", "now"] if rows else [], rows
    yield summary(shown), [], []


def _layout(table: Any) -> tuple[int, str, list[str]]:
    return table.entry or 0, table.rule or "", [column.heading for column in table.columns]
