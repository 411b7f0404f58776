"""The newest snapshot of a source, looked at with its mapping: what is read, what is refused, what
would change.

No Dagster here: documents are opened one by one, within their limits. How a table is read belongs
in `extract/tables`, how a preview is printed in `cli`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rapidfuzz import process

from pipelines.exceptions import WrongUseError
from pipelines.extract.contract import lines_taken
from pipelines.extract.rows import Reject
from pipelines.extract.tables.draft import Printed, printed_in
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.preview import PreviewedNumber, TablePreview, preview
from pipelines.ingest.store import Stored, read_store
from pipelines.read.document import Cell, Document
from pipelines.read.files import ask_of, beginning_of, why_unread
from pipelines.run.trial import try_build
from pipelines.settings import MAPPING_FILE
from pipelines.terminal import plural
from pipelines.yaml_files import YamlError, load_yaml

# `'?'` in a draft
_QUESTION = re.compile(r"""(['"])\?\1""")
# Of 100: below it a suggestion shares hardly a word with what was typed.
_LEAST_LIKENESS = 70
# Characters of a document that a prompt contains whole.
_MOST_TEXT = 60_000


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

    def numbers(self) -> Iterator[tuple[TablePreview, PreviewedNumber]]:
        """The numbers that would be stored, each with its table."""
        for table in self.tables:
            for number in table.numbers:
                yield table, number


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
        PrintedPage(row["path"], *_look(raw / row["path"], row["charset"], row["format"]))
        for row in newest_documents(raw, source)
    ]


def preview_source(raw: Path, source: str, mapping: Path, warehouse: Path) -> SourcePreview:
    """What a mapping makes of the newest snapshot of a source."""
    # Files of known programs need none.
    expected = load_entries(mapping).source.expected if mapping.is_file() else {}
    # Columns are compared with those of the snapshot before.
    tried = try_build(newest_documents(raw, source, 2), mapping, raw, warehouse)
    shown: list[DocumentPreview] = []
    questions: list[Question] = []
    for row in newest_documents(raw, source):
        path, document_id = row["path"], row["document_id"]
        tables, refusals = _look(raw / path, row["charset"], row["format"], mapping)
        for one in tried.rejects:
            if one["document_id"] == document_id:
                start, end = one.get("char_start") or 0, one.get("char_end") or 0
                cell = Cell("", one.get("line") or 1, start, end)
                refusals.append(
                    Reject(cell=cell, rule=one["rule"], reason=one["reason"], scope=one["scope"])
                )
        shown.append(DocumentPreview(path, tables, refusals, tried.changes.get(document_id)))
        for of_document, key, places, line, reason in map(dict.values, tried.suspicions):
            if of_document == document_id:
                questions.append(Question(path, line, key, places, reason, expected.get(key, "")))
    return SourcePreview(source, mapping, shown, questions, tried.third_party)


def look_at_added(stored: Stored, mapping: Path, warehouse: Path) -> tuple[str, bool, list[str]]:
    """What of the tables of a document its mapping reads, in words, whether that is all of them,
    and how many of its results are of another vendor than the publisher.

    Of a long page whose first rows are all read, only these are looked at; the build reads it all.

    Args:
        stored: The document.
        mapping: The mapping of its source; it may not exist.
        warehouse: The published file or its folder, with the results of other publishers.

    Raises:
        MappingError: The mapping cannot be used.
        WrongUseError: The document cannot be read.
    """
    with beginning_of(stored.path) as part:
        found = words, is_understood, owners = _look_at_part(stored, part, mapping, warehouse)
        if part == stored.path:
            return found
        if is_understood or not mapping.is_file():
            words += f" in its first {part.stat().st_size / 1000:.0f} kB"
            return words, is_understood, owners
    return _look_at_part(stored, stored.path, mapping, warehouse)


def _look_at_part(
    stored: Stored, part: Path, mapping: Path, warehouse: Path
) -> tuple[str, bool, list[str]]:
    entry, raw = stored.entry, stored.path.parents[3]
    if mapping.is_file():
        load_entries(mapping)
    else:
        printed, _ = _look(part, entry.charset, entry.format)
        if printed:
            numbers = plural(sum(table.numbers for table in printed), "number")
            return f"no mapping for {plural(len(printed), 'table')} with {numbers}", False, []
    tables, refusals = _look(part, entry.charset, entry.format, mapping)
    words = summary(tables) if tables or mapping.is_file() else ""
    # What a build would refuse outside of the tables.
    store = read_store(raw)
    looked_at = [
        row | {"path": part.as_posix()}
        for row in store.documents
        if row["document_id"] == entry.sha256
    ]
    if not looked_at:
        # Its file is another one by now.
        reasons = [fault.reason for fault in store.faults if raw / fault.path == stored.path]
        return f"a build refuses it: {'; '.join(reasons) or 'its rejects say why'}", False, []
    tried = try_build(looked_at, mapping, raw, warehouse)
    if lost := tried.rejects:
        refused = f"{plural(len(lost), 'row')} refused: {lost[0]['reason']}"
        return f"{words}; {refused}" if words else refused, False, []
    if not words and entry.format is None:
        return "no format finds results in it", False, []
    return words, not refusals, tried.third_party


def lost_by_newest(raw: Path, source: str) -> str:
    """What the newest snapshot of a source does not give although the one before it does, in words;
    "" for nothing.
    """
    rows = newest_documents(raw, source, 2)
    newest, mapping = max(row["snapshot_at"] for row in rows), raw / source / MAPPING_FILE
    tried = try_build(rows, mapping, raw, raw)
    places, numbers = {True: 0, False: 0}, {True: 0, False: 0}
    for row in rows:
        is_newest = row["snapshot_at"] == newest
        places[is_newest] += tried.places.get(row["document_id"], 0)
        tables, _ = _look(raw / row["path"], row["charset"], row["format"], mapping)
        numbers[is_newest] += sum(len(table.numbers) for table in tables)
    # A claim in the text does not stand for the tables.
    if any(read[False] and not read[True] for read in (places, numbers)):
        return "nothing is read of it, while the snapshot before is"
    shown = {row["document_id"] for row in rows if row["snapshot_at"] == newest}
    refused = [one for one in tried.rejects if one["document_id"] in shown]
    return f"{plural(len(refused), 'reject')}: {refused[0]['reason']}" if refused else ""


def _look(path: Path, charset: str | None, format: str | None, mapping: Path | None = None) -> Any:
    """The tables with numbers that a file prints, and its text; with a mapping what this makes of
    them.
    """
    answer = ask_of(path, charset, partial(_answer, format=format, mapping=mapping))
    if answer is None:
        raise WrongUseError(f"{path.name} cannot be read: {why_unread(path, charset)}")
    return answer


def _answer(document: Document, *, format: str | None, mapping: Path | None) -> Any:
    taken = lines_taken(document, format)
    if mapping:
        return preview(document, taken, load_entries(mapping) if mapping.is_file() else ())
    text = "\n".join(document.texts)
    return printed_in(document, taken), text if len(text) <= _MOST_TEXT else ""


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


def questions_in(file: Path) -> list[tuple[int, str]]:
    """The open questions of a draft, each with its line; none for invalid YAML."""
    try:
        load_yaml(file, texts_only=True)
    except YamlError:
        return []
    lines = enumerate(file.read_text("utf-8").splitlines(), start=1)
    return [
        (number, line.strip())
        for number, line in lines
        if _QUESTION.search(re.split(r"(?:^|\s)#", line)[0])
    ]
