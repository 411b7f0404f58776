"""The tables that are built per document: their rows depend only on its bytes and the code.

Their rows are put in the working copy for the documents that are new or have changed, and stay for
all others. Tables that look across documents belong in `steps.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.extract.reading import StoredDocument
from pipelines.extract.tables.entries import MappingFile
from pipelines.run.canonical_rows import (
    DOCUMENTS,
    EVIDENCE_RULE,
    Resolved,
    resolve,
    resolved_in_order,
)
from pipelines.run.corpus import Engine, Progress, process_pool, read_corpus
from pipelines.run.rejects import document_tables, refused_rows
from pipelines.run.row_cache import ACCOUNTING, Corpus, written_tables
from pipelines.run.working_copy import WorkingCopy, refuse_emptiness
from pipelines.schemas.tables import TABLES, Table, arrow_schema
from pipelines.settings import MAPPING_FILE
from pipelines.validate.quarantine import (
    REFUSED,
    refuse_share,
    rule_of,
)
from pipelines.warehouse.database import EXTRACTED, Tables
from pipelines.warehouse.queries import internal_query

_STORED = ("document_id", "path", "format", "charset", "mapping_sha256", "bytes")
# Rows of documents that are looked at together: it bounds the memory, and each round costs some
# milliseconds.
_PRINTED_ROWS_AT_ONCE = 60_000
_BY_NAMES = internal_query("documents_by_names")


def take_up_documents(working: WorkingCopy, documents: pa.Table) -> None:
    """Remove from the working copy the rows of documents that are gone or have changed; the latter
    wait to be made.
    """
    tables, before = working.tables, dict[str, Any]()
    if working.stands:
        before = {row["document_id"]: row for row in tables.read(DOCUMENTS).to_pylist()}
    else:
        for name in document_tables():
            tables.write(name, arrow_schema(TABLES[name]).empty_table())
    now = {row["document_id"]: row for row in documents.to_pylist()}
    changed = {one for one, row in now.items() if row != before.get(one)}
    _mark_waiting(working, document_tables(), changed, before.keys() - now.keys())


def _mark_waiting(
    working: WorkingCopy, names: Sequence[str], changed: Collection[str], gone: Collection[str] = ()
) -> None:
    if changed or gone:
        working.tables.remove_documents(names, {*changed, *gone})
        working.waiting |= {*changed}
        working.is_changed = True


def read_documents(working: WorkingCopy) -> Corpus:
    """Read every stored document that is not known yet; `extracted` then holds the rows of all of
    them.

    Raises:
        ContractError: Too many rows of a kind break their contract.
    """
    folders = working.folders
    corpus = working.corpus = show_extracted(
        working.tables, folders.raw, folders.cache, folders.engine, working.report
    )
    # What its reader could not be kept alive for is read again, though nothing has changed.
    _mark_waiting(working, document_tables(), corpus.read - working.waiting)
    refused = working.tables.query(f"select * from {EXTRACTED}.refused").cast(REFUSED).to_pylist()
    for kind, table in written_tables().items():
        _check_share(table, refused, working.tables.row_count(f"{EXTRACTED}.{kind}"))
    return corpus


def _check_share(table: Table, refused: Sequence[dict[str, Any]], kept: int) -> None:
    """Refuse a table as a whole of which too many rows were refused."""
    rejects = [row for row in refused if row["rule"] == rule_of(table)]
    if rejects:
        refuse_share(table, rejects, len(rejects) + kept)


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
    corpus = read_corpus(documents, cache, engine, report)
    tables.show_rows(corpus.files, corpus.counting)
    return corpus


def account_for_lines(working: WorkingCopy) -> None:
    """Put the roles of lines and the statuses of numerals in place."""
    for table in ACCOUNTING:
        working.tables.add_extracted(table.full_name, _waiting(working))


def _waiting(working: WorkingCopy) -> set[str]:
    """The documents whose rows wait to be made; one that its contract has refused has no rows."""
    return working.waiting & working.corpus.chunks.keys()


def wait_for_names(working: WorkingCopy, before: set[Any], now: set[Any]) -> None:
    """Mark the documents whose rows depend on which names others print, where these have changed."""
    if before != now:
        found = working.tables.query(_BY_NAMES)["document_id"].to_pylist()
        # Their lines are accounted for.
        _mark_waiting(working, resolved_in_order(), {*found} - working.waiting)


def resolve_documents(working: WorkingCopy) -> None:
    """Put what the documents that wait print under canonical names.

    Each document is opened again at the evidence of its rows: one that it does not print as it says
    is refused.

    Raises:
        ContractError: Too many rows of a table break its contract.
    """
    folders, working.resolved = working.folders, _waiting(working)
    for corpus in working.corpus.batches(working.resolved, _PRINTED_ROWS_AT_ONCE):
        resolved = resolve(corpus, working.tables, folders.raw, folders.work / "resolved")
        with working.tables.transaction():
            for name, rows in resolved.tables.items():
                working.tables.add(name, rows)
        _refuse(working, resolved)
    _check_tables(working)


def _refuse(working: WorkingCopy, resolved: Resolved) -> None:
    working.refuse(resolved.rejects)
    checked = resolved.checked
    working.evidence = checked if working.evidence is None else working.evidence + checked
    if unread := [row for row in resolved.rejects if row["rule"] == EVIDENCE_RULE]:
        working.tables.forget_readings(pa.Table.from_pylist(unread, schema=REFUSED))


def _check_tables(working: WorkingCopy) -> None:
    """Refuse a table as a whole: too many of its rows were refused, or it has none though what it
    is made of has.
    """
    refused = refused_rows(working).to_pylist()
    may_be_empty = any(row["rule"] == EVIDENCE_RULE for row in refused)
    for name in resolved_in_order():
        _check_share(TABLES[name], refused, working.tables.row_count(name))
        if not may_be_empty:
            refuse_emptiness(TABLES[name], working.tables)
