"""The tables that are built per document: their rows depend only on its bytes and the code.

Their rows are put in the working copy for the documents that are new or have changed, and stay for
all others. Tables that look across documents belong in `steps.py`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.extract.reading import StoredDocument
from pipelines.extract.tables.entries import MappingFile
from pipelines.run.canonical_rows import (
    DOCUMENTS,
    EVIDENCE_RULE,
    Resolved,
    Task,
    resolve,
    resolve_task,
    resolved_checks,
    resolved_in_order,
    rows_in,
    write_given,
)
from pipelines.run.checked_tables import refuse_emptiness
from pipelines.run.corpus import (
    Corpus,
    Engine,
    Progress,
    process_pool,
    read_corpus,
    written_tables,
)
from pipelines.run.rejects import ACCOUNTING, document_tables, refused_rows
from pipelines.run.working_copy import WorkingCopy
from pipelines.sandbox import Call
from pipelines.schemas.tables import TABLES, Table, arrow_schema
from pipelines.settings import MAPPING_FILE
from pipelines.validate.quarantine import (
    REFUSED,
    refuse_share,
    rule_of,
    valid_and_refused,
)
from pipelines.warehouse.database import EXTRACTED, Tables
from pipelines.warehouse.queries import internal_query
from pipelines.warehouse.reader import WarehouseError, query_frames

_STORED = ("document_id", "path", "format", "charset", "mapping_sha256", "bytes")
# Rows of documents that are looked at together: it bounds the memory, and each round costs some
# milliseconds.
_PRINTED_ROWS_AT_ONCE = 60_000
# Approximate seconds of a round, and the number of rounds from which workers are used: each needs
# 300 MiB.
_ROUND_S, _ROUNDS_FOR_OTHERS = 1.0, 64
_CHANGED = "select document_id from (from now except from before) order by document_id"
_BY_NAMES = internal_query("documents_by_names")


def take_up_documents(working: WorkingCopy, documents: pa.Table) -> None:
    """Remove from the working copy the rows of documents that are gone or have changed; the latter
    wait to be made.
    """
    tables, schema = working.tables, arrow_schema(TABLES[DOCUMENTS])
    for name in document_tables():
        if not tables.holds(name):
            tables.write(name, arrow_schema(TABLES[name]).empty_table())
    before = tables.read(DOCUMENTS) if working.stands else schema.empty_table()
    changed = {
        row["document_id"]
        for row in query_frames(_CHANGED, {"before": before, "now": documents}).to_pylist()
    }
    gone = {*before["document_id"].to_pylist()} - {*documents["document_id"].to_pylist()}
    _mark_waiting(working, document_tables(), changed, gone)


def _mark_waiting(
    working: WorkingCopy, names: Sequence[str], changed: Collection[str], gone: Collection[str] = ()
) -> None:
    if changed or gone:
        working.tables.remove_documents(names, {*changed, *gone})
        working.waiting |= {*changed}
        working.is_changed = True


def read_documents(working: WorkingCopy) -> Corpus:
    """Read every stored document that is not known yet, once in a run; `extracted` then holds the
    rows of all of them.

    Raises:
        ContractError: Too many rows of a kind break their contract.
    """
    if working.corpus:
        return working.corpus
    folders = working.folders
    corpus = working.corpus = show_extracted(
        working.tables, folders.raw, folders.cache, folders.engine, working.report
    )
    # What its reader could not be kept alive for is read again, though nothing has changed.
    _mark_waiting(working, document_tables(), corpus.read - working.waiting)
    refused = working.tables.query(f"select * from {EXTRACTED}.refused").cast(REFUSED).to_pylist()
    for kind, table in written_tables().items():
        rejects = [row for row in refused if row["rule"] == rule_of(table)]
        if rejects:
            refuse_share(
                table, rejects, len(rejects) + working.tables.row_count(f"{EXTRACTED}.{kind}")
            )
    return corpus


def show_extracted(
    tables: Tables,
    raw: Path,
    cache: Path,
    engine: Engine = process_pool,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Corpus:
    """Let `extracted` hold the rows of all documents of `raw.documents`, and read those that are
    not known.
    """
    documents = []
    for row in tables.read(DOCUMENTS, _STORED).to_pylist():
        path, sha256 = raw / row["path"], row["mapping_sha256"]
        mapping = MappingFile(path.parents[1] / MAPPING_FILE, sha256) if sha256 else None
        documents.append(
            StoredDocument(
                row["document_id"], path, row["format"], row["charset"], mapping, row["bytes"]
            )
        )
    corpus = read_corpus(documents, cache, valid_and_refused, engine, report)
    tables.show_rows(corpus.files, corpus.chunks)
    return corpus


def account_for_lines(working: WorkingCopy) -> None:
    """Put the roles of lines and the statuses of numerals in place."""
    import pyarrow.compute as pc  # See `WorkingCopy.refused_by`.

    with working.tables.transaction():
        for corpus in _batches(working, [table.full_name for table in ACCOUNTING]):
            for table in ACCOUNTING:
                for path in corpus.files[table.name]:
                    counting = pa.array(
                        [
                            document
                            for document, chunk in corpus.chunks.items()
                            if chunk == path.stem
                        ]
                    )
                    rows = rows_in(path, table.full_name)
                    working.tables.add(
                        table.full_name, rows.filter(pc.is_in(rows["document_id"], counting))
                    )


def wait_for_names(working: WorkingCopy, before: set[Any], now: set[Any]) -> None:
    """Mark the documents whose rows depend on which names others print, where these have changed."""
    if before != now:
        found = working.tables.query(_BY_NAMES)["document_id"].to_pylist()
        # Their lines are accounted for.
        _mark_waiting(working, resolved_in_order(), {*found} - working.waiting)


def resolve_documents(working: WorkingCopy) -> None:
    """Put what the documents that wait print under canonical names; in a run that has not looked at
    the store, all.

    Each document is opened again at the evidence of its rows: one that it does not print as it says
    is refused.

    Raises:
        ContractError: Too many rows of a table break its contract.
        WarehouseError: Rows contradict each other.
    """
    raw, folder = working.folders.raw, working.folders.work / "resolved"
    try:
        given = write_given(working.tables, folder)
        tasks = [
            Task(
                corpus, given, working.tables.read(DOCUMENTS, documents=corpus.chunks), raw, folder
            )
            for corpus in _batches(working, resolved_in_order())
        ]
        with working.tables.transaction():
            for resolved in _resolved(tasks, working.folders.engine):
                if resolved.failures:
                    raise WarehouseError(
                        "the new warehouse was not published: " + "; ".join(resolved.failures)
                    )
                for name, path in resolved.files.items():
                    working.tables.add(name, rows_in(path, name))
                    path.unlink()
                _refuse(working, resolved)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if tasks:
        working.checked |= {path.stem for path in resolved_checks()}
    for name in resolved_in_order():
        _check_table(working, TABLES[name])


def _resolved(tasks: Sequence[Task], engine: Engine) -> Iterator[Resolved]:
    """What tasks give, in their order: several workers do many of them, else the build does."""
    if len(tasks) >= _ROUNDS_FOR_OTHERS:
        with engine(_ROUND_S * len(tasks)) as pool:
            if pool.workers > 1:
                calls = [
                    Call(resolve_task, (number, replace(task, threads=1)), inputs=_inputs(task))
                    for number, task in enumerate(tasks)
                ]
                ended = dict(pool.run(calls))
                yield from (ended[number] for number in range(len(tasks)))
                return
    yield from map(resolve, tasks)


def _inputs(task: Task) -> tuple[tuple[Path, str], ...]:
    rows = task.documents.select(["path", "document_id"]).to_pylist()
    return tuple((task.raw / row["path"], row["document_id"]) for row in rows)


def _refuse(working: WorkingCopy, resolved: Resolved) -> None:
    working.refuse(resolved.rejects)
    checked = resolved.checked
    working.evidence = checked if working.evidence is None else working.evidence + checked
    if unread := [row for row in resolved.rejects if row["rule"] == EVIDENCE_RULE]:
        working.tables.forget_readings(pa.Table.from_pylist(unread, schema=REFUSED))


def _check_table(working: WorkingCopy, table: Table) -> None:
    """Refuse a table as a whole: too many of its rows were refused, or it has none though what it
    is made of has.
    """
    refused = refused_rows(working).to_pylist()
    rejects = [row for row in refused if row["rule"] == rule_of(table)]
    if rejects:
        refuse_share(table, rejects, len(rejects) + working.tables.row_count(table.full_name))
    if not any(row["rule"] == EVIDENCE_RULE for row in refused):
        refuse_emptiness(table, working.tables)


def _batches(working: WorkingCopy, names: Sequence[str]) -> Iterator[Corpus]:
    """The documents for which rows of these tables are to be made, some at a time."""
    tables, corpus = working.tables, working.corpus
    if corpus is None:
        raise WarehouseError("the documents were not read yet")
    documents = working.waiting
    if working.store is None:
        documents = {*corpus.chunks}
        for name in names:
            tables.write(name, arrow_schema(TABLES[name]).empty_table())
    # A document that its contract has refused has no rows.
    documents = documents & corpus.chunks.keys()
    for name in names:
        working.made[name] |= documents
    yield from corpus.batches(documents, _PRINTED_ROWS_AT_ONCE)
