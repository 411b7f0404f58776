"""What some documents print, under canonical names, and whether they do print it: in the build, or
in a worker of it.

Rows go in and out as Parquet files. Which documents are put together, and where, belongs in
`document_tables.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.run.corpus import Corpus
from pipelines.run.row_cache import new_chunk_name, write_rows
from pipelines.run.working_copy import KNOWN_ERRORS, checks_of, failing_checks
from pipelines.sandbox import NO_REFUSALS, Refusal
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.validate.evidence.check import (
    DOCUMENT_COLUMNS,
    EVIDENCE,
    EVIDENCE_COLUMNS,
    KINDS,
    Checked,
    check_evidence,
)
from pipelines.validate.evidence.drawn import BOXES
from pipelines.validate.quarantine import part
from pipelines.warehouse.database import SPILL_FOLDER, Tables, run_table_sql
from pipelines.warehouse.queries import base_tables, table_queries

DOCUMENTS = "raw.documents"
NAMES = "resolved.names"
# The rule by which rows are refused that their documents do not print as they say.
EVIDENCE_RULE = "evidence_does_not_hold"
# Tables across documents that the rows of each are made with.
GIVEN = (NAMES, KNOWN_ERRORS)

# What the engine takes for the rows of one task: in the build, and in each of several workers
# beside each other.
_MEMORY_MIB, _MEMORY_OF_A_WORKER_MIB = 256, 128
# Documents whose evidence is verified at once.
_OPENED_AT_ONCE = 200


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


@cache
def resolved_checks() -> tuple[Path, ...]:
    """The checks that look at rows of single documents alone."""
    return (*checks_of([*resolved_in_order(), DOCUMENTS]),)


@dataclass(frozen=True)
class Task:
    """Documents to put under canonical names.

    Attributes:
        corpus: Where their rows are.
        given: Parquet files of the tables `GIVEN`.
        documents: Their rows of `raw.documents`.
        raw: Folder of the stored documents.
        folder: Folder for the rows that are made, and for what does not fit into memory.
        threads: Cores that it may use in a worker; None for all, in the build.
    """

    corpus: Corpus
    given: Mapping[str, Path]
    documents: pa.Table
    raw: Path
    folder: Path
    threads: int | None = None


@dataclass
class Resolved:
    """What a task gave.

    Attributes:
        files: By table, the Parquet file of its rows.
        rejects: Rows that contracts have refused, see `quarantine.REFUSED`.
        checked: What was found when the documents were opened again.
        failures: What the checks of these tables have found, one sentence each.
    """

    files: dict[str, Path] = field(default_factory=dict)
    rejects: list[dict[str, Any]] = field(default_factory=list)
    checked: Checked = field(default_factory=Checked)
    failures: list[str] = field(default_factory=list)


def resolve(task: Task, refused: Mapping[str, Refusal] = NO_REFUSALS) -> Resolved:
    """Make the rows of documents, but for those that their documents do not print as they say."""
    own = task.folder / new_chunk_name()
    resolved = Resolved()
    # The engine makes its own folder alone.
    own.mkdir(parents=True)
    memory_mib = _MEMORY_OF_A_WORKER_MIB if task.threads else _MEMORY_MIB
    with closing(
        Tables(spill=own / SPILL_FOLDER, threads=task.threads, memory_mib=memory_mib)
    ) as batch:
        batch.show_rows(task.corpus.files, task.corpus.chunks)
        batch.write(DOCUMENTS, task.documents)
        for name, path in task.given.items():
            batch.write(name, rows_in(path, name))
        for name in resolved_in_order():
            parted = part(run_table_sql(table_queries()[name], TABLES[name], batch), TABLES[name])
            batch.write(name, parted.valid)
            resolved.rejects += parted.rejects
        checked = resolved.checked = check_evidence_of(batch, task.raw, task.corpus.chunks, refused)
        batch.remove_documents(resolved_in_order(), checked.refused)
        resolved.rejects += [
            {
                "document_id": document_id,
                "extractor": "evidence",
                "rule": EVIDENCE_RULE,
                "reason": reason,
                "scope": "document",
            }
            for document_id, reason in sorted(checked.refused.items())
        ]
        batch.write(BOXES, pa.Table.from_pylist(checked.drawn, arrow_schema(TABLES[BOXES])))
        if checked.refused_places or checked.drawn:
            resolved.rejects += batch.remove_evidence(resolved_in_order(), checked.refused_places)
            checked.drawn.clear()
            for name in ("chart_values", "evidence"):
                batch.make(f"resolved.{name}", f"select * from internal.verified_{name}")
        resolved.failures = [*failing_checks(batch, resolved_checks())]
        for name in resolved_in_order():
            resolved.files[name] = own / f"{name}.parquet"
            write_rows(resolved.files[name], batch.read(name))
    return resolved


def resolve_task(number: int, task: Task, refused: Mapping[str, Refusal]) -> tuple[int, Resolved]:
    """The number of a task and what it gave: a call of a worker."""
    return number, resolve(task, refused)


def write_given(tables: Tables, folder: Path) -> dict[str, Path]:
    """Write the tables `GIVEN`, as far as they were made, into Parquet files of a folder."""
    given = {name: folder / f"{new_chunk_name()}.parquet" for name in GIVEN if tables.holds(name)}
    for name, path in given.items():
        write_rows(path, tables.read(name))
    return given


def rows_in(path: Path, full_name: str) -> pa.Table:
    """The rows of a table in a Parquet file."""
    return pq.read_table(path, schema=arrow_schema(TABLES[full_name]))


def check_evidence_of(
    tables: Tables,
    raw: Path,
    documents: Collection[str] | None = None,
    refused: Mapping[str, Refusal] = NO_REFUSALS,
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
        checked += check_evidence(evidence, rows, stored, raw, refused)
    return checked
