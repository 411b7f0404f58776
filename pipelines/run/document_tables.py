"""The tables that are built per document: their rows depend only on its bytes and the code.

Their rows are put in the working copy for the documents that are new or have changed, and stay for
all others: the roles of lines and numerals, and what documents print under canonical names, but for
what they do not print as the rows say. Tables that look across documents belong in `steps.py`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import feather

from pipelines.extract.contract import formats_macro
from pipelines.extract.reading import StoredDocument
from pipelines.extract.tables.entries import MappingFile
from pipelines.run.corpus import Engine, Progress, process_pool, read_corpus
from pipelines.run.locked_folders import LockedFolders
from pipelines.run.rejects import refused_rows
from pipelines.run.row_cache import ACCOUNTING, Corpus, written_tables
from pipelines.run.working_copy import KNOWN_ERRORS, WorkingCopy, refuse_emptiness
from pipelines.sandbox import Call
from pipelines.schemas.tables import TABLES, Table, arrow_schema
from pipelines.settings import MAPPING_FILE, document_limits
from pipelines.validate.evidence.check import (
    DOCUMENT_COLUMNS,
    EVIDENCE,
    EVIDENCE_COLUMNS,
    KINDS,
    Checked,
    check_evidence,
)
from pipelines.validate.evidence.drawn import BOXES
from pipelines.validate.quarantine import REFUSED, part, refuse_share, rule_of
from pipelines.warehouse.database import EXTRACTED, Tables, run_table_sql
from pipelines.warehouse.queries import base_tables, internal_query, table_queries

DOCUMENTS = "raw.documents"
NAMES = "resolved.names"
# The rule by which rows are refused that their documents do not print as they say.
EVIDENCE_RULE = "evidence_does_not_hold"
# Tables across documents that the rows of each are made with.
GIVEN = (NAMES, KNOWN_ERRORS)

# What the engine takes for the rows of some documents.
_MEMORY_MIB = 256
# Documents whose evidence is verified at once.
_OPENED_AT_ONCE = 200
_STORED = ("document_id", "path", "format", "charset", "mapping_sha256", "bytes")
# Rows of documents that are looked at together: it bounds the memory, and each round costs some
# milliseconds.
_PRINTED_ROWS_AT_ONCE = 60_000
# A process of its own costs about a second, a batch two of CPU; one may take so many seconds,
# and of MiB of address space, and is else resolved in this one.
_PARALLEL_FROM, _BATCH_SECONDS, _BATCH_MIB = 4, 1_200, 8_192
_BY_NAMES = internal_query("documents_by_names")


@cache
def document_tables() -> tuple[str, ...]:
    """All tables that are made document by document."""
    return (*(table.full_name for table in ACCOUNTING), *resolved_in_order())


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
    working.resolved = _waiting(working)
    batches = [*working.corpus.batches(working.resolved, _PRINTED_ROWS_AT_ONCE)]
    for resolved in _resolve_batches(batches, working.tables, working.folders):
        with working.tables.transaction():
            for name, rows in resolved.tables.items():
                working.tables.add(name, rows)
        _refuse(working, resolved)
    _check_tables(working)


def _resolve_batches(
    batches: Sequence[Corpus], tables: Tables, folders: LockedFolders
) -> Iterator[Resolved]:
    """What each batch gives, in their order; many are resolved in parallel."""
    work = folders.work / "resolved"
    # DuckDB makes the folder of what it spills, and none above it.
    work.mkdir(parents=True, exist_ok=True)
    given, answers = work / "given", dict[str, Any]()
    if len(batches) >= _PARALLEL_FROM:
        _write(given, {name: tables.read(name) for name in (DOCUMENTS, *GIVEN)})
        limits = replace(document_limits(), cpu_s=_BATCH_SECONDS, memory_mib=_BATCH_MIB)
        names = [str(place) for place in range(len(batches))]
        calls = [
            Call(_resolve_apart, (corpus, folders.raw, given, work / name), limits)
            for name, corpus in zip(names, batches, strict=True)
        ]
        with process_pool(len(batches)) as pool:
            for call, answer in pool.run(calls):
                answers[call.arguments[-1].name] = answer
    for place, corpus in enumerate(batches):
        answer = answers.get(str(place))
        if isinstance(answer, Resolved):
            rows = _read(work / str(place))
            yield answer._replace(tables=rows)
        else:
            # There are few, or the process has ended that did it.
            yield resolve(corpus, tables, folders.raw, work / "spill")
    shutil.rmtree(work, ignore_errors=True)


def _resolve_apart(corpus: Corpus, raw: Path, given: Path, folder: Path) -> Resolved:
    """`resolve` in a process of its own: the rows that it takes and gives are in files."""
    with closing(Tables(memory_mib=_MEMORY_MIB)) as tables:
        for name, rows in _read(given).items():
            tables.write(name, rows)
        resolved = resolve(corpus, tables, raw, folder / "spill")
    _write(folder, resolved.tables)
    return resolved._replace(tables={})


def _write(folder: Path, tables: Mapping[str, pa.Table]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        feather.write_feather(rows, folder / f"{name}.arrow", compression="lz4")


def _read(folder: Path) -> dict[str, pa.Table]:
    return {path.stem: feather.read_table(path) for path in folder.glob("*.arrow")}


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


@cache
def resolved_in_order() -> tuple[str, ...]:
    """The tables of printed values under canonical names, each after those that it reads."""
    return in_order(("resolved",))


def in_order(layers: Collection[str]) -> tuple[str, ...]:
    """The tables of these layers that SQL makes, each after those that it reads."""
    reads = {
        name: base_tables(query)
        for name, query in table_queries().items()
        if name.split(".")[0] in layers
    }
    graph = TopologicalSorter(
        {name: sorted(inputs & reads.keys()) for name, inputs in sorted(reads.items())}
    )
    return (*graph.static_order(),)


class Resolved(NamedTuple):
    """What documents gave.

    Attributes:
        tables: The rows of each table.
        rejects: Rows that contracts and the evidence check have refused, see `quarantine.REFUSED`.
        checked: What was found when the documents were opened again.
    """

    tables: dict[str, pa.Table]
    rejects: list[dict[str, Any]]
    checked: Checked


def resolve(corpus: Corpus, working: Tables, raw: Path, spill: Path | None = None) -> Resolved:
    """Make the rows of documents, but for those that their documents do not print as they say.

    Args:
        corpus: The documents, and where their rows are.
        working: The tables of the build, of which those across documents are read.
        raw: Folder of the stored documents.
        spill: Folder for what does not fit into memory.
    """
    rejects: list[dict[str, Any]] = []
    with closing(Tables(spill=spill, memory_mib=_MEMORY_MIB)) as batch:
        batch.execute(formats_macro())
        batch.show_rows(corpus.files, corpus.counting)
        batch.write(DOCUMENTS, working.read(DOCUMENTS, documents=corpus.chunks))
        for name in GIVEN:
            if working.holds(name):
                batch.write(name, working.read(name))
        with batch.keeping_steps():
            for name in resolved_in_order():
                rows = run_table_sql(table_queries()[name], TABLES[name], batch)
                parted = part(rows, TABLES[name])
                batch.write(name, parted.valid)
                rejects += parted.rejects
        checked = check_evidence_of(batch, raw, corpus.chunks)
        rejects += _remove_refused(batch, checked)
        tables = {name: batch.read(name) for name in resolved_in_order()}
    return Resolved(tables, rejects, checked)


def _remove_refused(batch: Tables, checked: Checked) -> list[dict[str, Any]]:
    """Remove what the evidence check refuses; gives a reject for each document and each row."""
    batch.remove_documents(resolved_in_order(), checked.refused)
    rejects: list[dict[str, Any]] = []
    for document_id, reason in sorted(checked.refused.items()):
        reject = {"document_id": document_id, "extractor": "evidence", "rule": EVIDENCE_RULE}
        rejects.append(reject | {"reason": reason, "scope": "document"})
    batch.write(BOXES, pa.Table.from_pylist(checked.drawn, arrow_schema(TABLES[BOXES])))
    if checked.refused_places or checked.drawn:
        rejects += batch.remove_evidence(resolved_in_order(), checked.refused_places)
        checked.drawn.clear()
        for name in ("chart_values", "evidence"):
            batch.make(f"resolved.{name}", f"select * from internal.verified_{name}")
    return rejects


def check_evidence_of(
    tables: Tables,
    raw: Path,
    documents: Collection[str] | None = None,
) -> Checked:
    """Open documents again at the evidence of their rows; by default all that are stored."""
    stored = tables.read(DOCUMENTS, DOCUMENT_COLUMNS).to_pylist()
    wanted = sorted({row["document_id"] for row in stored} if documents is None else documents)
    checked = Checked()
    for start in range(0, len(wanted), _OPENED_AT_ONCE):
        some = wanted[start : start + _OPENED_AT_ONCE]
        rows = {}
        for name, kind in KINDS.items():
            found = tables.read(name, kind.columns, some)
            rows[name] = (
                found.group_by([*kind.columns]).aggregate([]) if kind.is_repeated else found
            ).to_pylist()
        evidence = tables.read(EVIDENCE, EVIDENCE_COLUMNS, some).to_pylist()
        checked += check_evidence(evidence, rows, stored, raw)
    return checked
