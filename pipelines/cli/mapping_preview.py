"""The newest snapshot of a source, looked at with its mapping: what is read, what is refused, what would change.

No Dagster here: documents are opened one by one, within their limits. How a table is read belongs in `extract/tables`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from rapidfuzz import process

from pipelines.build.warehouse import WarehouseError, query_published
from pipelines.extract.contract import lines_taken
from pipelines.extract.tables.draft import Printed, tables_with_numbers
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.preview import Preview, PreviewedNumber, TablePreview, preview
from pipelines.extract.tables.printed import tables_of
from pipelines.ingest.store import Stored, read_store
from pipelines.own_files import replace_file
from pipelines.read.document import Document
from pipelines.read.files import ask_of
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.resolution import resolve_name

# Numbers of tables as they were published, each with what is stated of it.
_PUBLISHED = """
select
    e.line, e.char_start, e.text_printed, r.metric, r.statistic, r.value,
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
_LISTED = 12
# Of 100: below it a suggestion shares hardly a word with what was typed.
_LEAST_LIKENESS = 70
# Rows of each table on a page; nobody reads more of one beside another.
_MOST_ROWS = 500

Answer = TypeVar("Answer")
# A title, names of columns, and rows; a title without columns is a sentence.
Section = tuple[str, list[str], list[list[str]]]
_COLUMNS = ["heading", "becomes", "first_printed", "stored_as"]


class SourceError(Exception):
    """A source that cannot be looked at; the message says why."""


@dataclass
class SourcePreview:
    """The documents of the newest snapshot of a source, looked at with a mapping file."""

    source: str
    mapping: Path
    documents: list[Preview] = field(default_factory=list)

    @property
    def numbers(self) -> list[PreviewedNumber]:
        """Everything that would be stored."""
        return [number for document in self.documents for number in document.numbers]

    @property
    def is_open(self) -> bool:
        """Whether a table is not read, or an entry has no table."""
        return any(document.is_open for document in self.documents)

    @property
    def has_losses(self) -> bool:
        """Whether anything is refused."""
        return any(document.refusals for document in self.documents)


def newest_documents(raw: Path, source: str) -> list[dict[str, Any]]:
    """The documents of the newest snapshot of a source."""
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
    """The tables with numbers of some documents."""
    found = [_ask(r["path"], raw / r["path"], r["charset"], partial(_tables, format=r["format"])) for r in documents]
    return [table for tables in found for table in tables]


def preview_source(raw: Path, source: str, mapping: Path, warehouse: Path) -> SourcePreview:
    """What a mapping makes of the newest snapshot of a source."""
    load_entries(mapping)
    shown = SourcePreview(source, mapping)
    for row in newest_documents(raw, source):
        question = partial(_preview, format=row["format"], mapping=mapping)
        found = _ask(row["path"], raw / row["path"], row["charset"], question)
        found.path, found.changes = row["path"], _changes(warehouse, row["document_id"], found.numbers)
        shown.documents.append(found)
    return shown


def count_of_tables(stored: Stored, mapping: Path | None) -> tuple[str, bool]:
    """What of the tables of a document its mapping reads, in words, and whether that is all of them."""
    entry = stored.entry
    if mapping is None:
        tables = _ask("it", stored.path, entry.charset, partial(_tables, format=entry.format))
        if not tables:
            return ("", True) if entry.format is not None else ("no format finds results in it", False)
        numbers = sum(table.numbers for table in tables)
        return f"{len(tables)} table{'s' * (len(tables) != 1)} with {numbers} numbers have no mapping", False
    load_entries(mapping)
    found = _ask("it", stored.path, entry.charset, partial(_preview, format=entry.format, mapping=mapping))
    return summary(SourcePreview("", mapping, [found])), not found.refusals


def _ask(name: str, path: Path, charset: str | None, question: Callable[[Document], Answer]) -> Answer:
    answer = ask_of(path, charset, question)
    if answer is None:
        raise SourceError(f"{name} cannot be read: `benchledger build` says why")
    return answer


def _tables(document: Document, *, format: str | None) -> list[Printed]:
    return tables_with_numbers(tables_of(document, lines_taken(document, format)))


def _preview(document: Document, *, format: str | None, mapping: Path) -> Preview:
    return preview(document, lines_taken(document, format), load_entries(mapping))


# Against the warehouse


def _changes(warehouse: Path, document_id: str, numbers: Sequence[PreviewedNumber]) -> list[list[str]] | None:
    try:
        rows = query_published(warehouse, _PUBLISHED, [document_id]).to_pylist()
    except WarehouseError:
        return None
    if not rows:
        return None
    before = {
        (row["line"], row["char_start"]): (
            row["text_printed"],
            _facts(row, {one["dimension"]: one["stated"] for one in row["conditions"] or ()}),
        )
        for row in rows
    }
    # Prices are in a table of their own.
    after = {(one.line, one.start): (one.printed, _stated(one)) for one in numbers if not one.unit.startswith("USD")}
    found = []
    for place in sorted({*before, *after}):
        (printed, old), (_, new) = before.get(place, ("", {})), after.get(place, ("", {}))
        if old != new:
            differing = [name for name in {**old, **new} if old.get(name) != new.get(name)]
            words = [", ".join(f"{name} {facts[name]}" for name in differing if name in facts) for facts in (old, new)]
            kind = "changed" if old and new else "added" if new else "removed"
            found.append([str(place[0]), kind, after.get(place, (printed,))[0], *words])
    return found


def _stated(number: PreviewedNumber) -> dict[str, str]:
    """What would be stored of a number, in the words of the warehouse."""
    suite = number.conditions["suite"].value if "suite" in number.conditions else None
    value = {"metric": number.metric, "statistic": number.statistic, "value": number.value}
    conditions = number.conditions.items()
    return _facts(value, {name: _name(name, one.value, suite) for name, one in conditions if one.level != "vocabulary"})


def _facts(row: dict[str, Any], conditions: dict[str, str]) -> dict[str, str]:
    facts = {name: value for name, value in conditions.items() if name not in _OF_THE_VALUE}
    facts |= {"metric": row["metric"], "value": f"{row['value']:.12g}"}
    # A mean is the value itself: it has no statistic in the warehouse.
    return facts | ({"statistic": row["statistic"]} if row["statistic"] not in (None, "", "mean") else {})


@cache
def _name(dimension: str, value: str, suite: str | None) -> str:
    """The canonical name of a printed one; the value itself where no vocabulary knows it."""
    known = dimensions().get(dimension)
    kind = known.vocabulary if known else None
    return str((kind and resolve_name({"kind": kind, "name_printed": value, "suite": suite})["name"]) or value)


# For people


def _dimension_rows(numbers: Sequence[PreviewedNumber]) -> Iterator[list[str]]:
    """Dimension, value, canonical name, numbers, where it is stated; names that no vocabulary knows go first."""
    suite = next((number.conditions["suite"].value for number in numbers if "suite" in number.conditions), None)
    stated: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for number in numbers:
        for name, one in number.conditions.items():
            stated[name][one.value].append(one.level)
    for name in [*dimensions(), *sorted(stated.keys() - dimensions().keys())]:
        if name in _OF_THE_VALUE or name not in (*stated, *_EXPECTED):
            continue
        kind = dimensions()[name].vocabulary if name in dimensions() else None
        rows = []
        for value, levels in stated[name].items():
            known = resolve_name({"kind": kind, "name_printed": value, "suite": suite}) if kind else {"name": " "}
            nearest = f"; nearest: {known['suggestion']}" if known.get("suggestion") else ""
            words = (known["name"] or f"unknown{nearest}").strip()
            rows.append([name, value, words, str(len(levels)), ", ".join(dict.fromkeys(levels))])
        rows.sort(key=lambda row: (not row[2].startswith("unknown"), -int(row[3])))
        yield from rows[:_LISTED]
        if len(rows) > _LISTED:
            yield [name, f"{len(rows) - _LISTED} more values", "", "", ""]
        if lacking := len(numbers) - sum(map(len, stated[name].values())):
            yield [name, "(not stated)", "", str(lacking), ""]


def _metric_rows(numbers: Sequence[PreviewedNumber]) -> Iterator[list[str]]:
    """Metric, statistic, unit, numbers, and the lowest and the highest value."""
    kinds = defaultdict(list)
    for number in numbers:
        kinds[number.metric, number.statistic or "", number.unit].append(number.value)
    for kind, values in sorted(kinds.items()):
        yield [*kind, str(len(values)), f"{min(values):.6g}", f"{max(values):.6g}"]


def summary(shown: SourcePreview) -> str:
    """How much is read, in one line."""
    tables = [table for document in shown.documents for table in document.tables]
    skipped = sum(1 for table in tables if table.rule == "skip")
    read = sum(1 for table in tables if table.numbers)
    printed = sum(document.printed for document in shown.documents)
    words = f"{read} of {len(tables) - skipped} tables are read, {len(shown.numbers)} of {printed} numbers"
    return words + (f"; {skipped} left out by `skip`" if skipped else "")


def sections(shown: SourcePreview) -> Iterator[Section]:
    """What is shown of a source."""
    for document in shown.documents:
        yield document.path, [], []
        tables = sorted(document.tables, key=_layout)
        yield from (_of_layout([*same], shown.mapping.name) for _, same in groupby(tables, key=_layout))
    if numbers := shown.numbers:
        names = ["dimension", "value", "canonical_name", "numbers", "stated_in"]
        yield "Dimensions", names, [*_dimension_rows(numbers)]
        names = ["metric", "statistic", "unit", "numbers", "lowest", "highest"]
        yield "Metrics", names, [*_metric_rows(numbers)]
    for document in shown.documents:
        refusals = document.refusals
        for rule, count in Counter(refusal.rule for refusal in refusals).most_common():
            lost = [[str(one.cell.line), one.scope, one.reason] for one in refusals if one.rule == rule][:_LISTED]
            more = f", the first {_LISTED}" if count > _LISTED else ""
            yield f"Refused, {rule}: {count}{more}", ["line", "scope", "reason"], lost
        if document.changes is None:
            yield "The warehouse has no numbers of this document yet", [], []
            continue
        kinds = Counter(kind for _, kind, *_ in document.changes)
        words = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"
        names = ["line", "change", "printed", "published", "now"] if document.changes else []
        yield f"Changes against the warehouse: {words}", names, document.changes[:_LISTED]
    yield summary(shown), [], []


def _layout(table: TablePreview) -> tuple[int, str, list[str]]:
    return table.entry or 0, table.rule or "", [heading for heading, *_ in table.columns]


def _of_layout(tables: Sequence[TablePreview], name: str) -> Section:
    """What an entry of a mapping file makes of tables with the same headings."""
    first = tables[0]
    lines = ", ".join(str(table.line) for table in tables)
    verb = "leaves out" if first.rule == "skip" else "refuses" if first.rule else "reads"
    which = f"line {first.entry} of {name} {verb}" if first.entry else f"no entry of {name} is about"
    numbers = f"{sum(len(t.numbers) for t in tables)} of {sum(t.printed for t in tables)} numbers"
    titles = " | ".join(dict.fromkeys(table.title for table in tables if table.title))
    title = f"{which} the table at line {lines}: {numbers}" + (f", below {titles}" if titles else "")
    columns = [] if first.rule else first.columns
    return title, _COLUMNS if columns else [], columns


def write_page(shown: SourcePreview, path: Path) -> None:
    """Write the preview as one local page, the printed table left, the stored rows right: no script, no address."""
    from pipelines.report.rendering import environment

    def stated(table: TablePreview) -> list[str]:
        return list(dict.fromkeys(name for number in table.numbers for name in number.conditions))

    found = [section for section in sections(shown) if section[1] != _COLUMNS][:-1]
    template = environment().get_template("mapping.html")
    text = template.render(shown=shown, summary=summary(shown), sections=found, stated=stated, most=_MOST_ROWS)
    replace_file(path, text.encode())
