"""A build: its steps as plain functions over one working copy, in the order in which data flows.

The command, the schedule and the UI run the same steps as assets of Dagster (`pipelines/assets`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.extract.contract import formats
from pipelines.extract.rows import ROW_KINDS
from pipelines.ingest.mirror import pull
from pipelines.ingest.store import read_store
from pipelines.object_addresses import shown
from pipelines.run.document_tables import (
    DOCUMENTS,
    NAMES,
    account_for_lines,
    in_order,
    read_documents,
    resolve_documents,
    resolved_in_order,
    take_up_documents,
    wait_for_names,
)
from pipelines.run.locked_folders import locked_folders
from pipelines.run.rejects import (
    CLOSED_REJECTS,
    OPEN_REJECTS,
    REFUSED_NOW,
    REJECTS,
    STORE,
    record_rejects,
    refused_rows,
)
from pipelines.run.row_cache import ACCOUNTING
from pipelines.run.working_copy import Made, WorkingCopy, begin, publish
from pipelines.schemas.columns import COLUMNS
from pipelines.schemas.tables import PUBLISHED, TABLES, arrow_schema
from pipelines.settings import LOCAL, build_time
from pipelines.vocabulary.resolution import resolve_name
from pipelines.warehouse.queries import internal_query, table_queries
from pipelines.warehouse.reader import WarehouseError

CLOSED = "audit.closed_rejects"
STORED = (DOCUMENTS, *(f"raw.{name}" for name in ("sources", "sightings", "fetches")))
PRINTED_NAMES = internal_query("printed_names")
_ROWS_BY_FORMAT = "select extractor, count(*) as n from {} group by extractor"
_REFUSED_BY_SCOPE = f"select scope, count(*) as n from {REFUSED_NOW} group by scope"


class Step(NamedTuple):
    """One step of a build.

    Attributes:
        name: Its name in Dagster.
        make: Makes its tables; gives each when it is in place.
        makes: Full names of the tables, and `extracted.<format>`.
    """

    name: str
    make: Callable[[WorkingCopy], Iterator[Made]]
    makes: tuple[str, ...]


@dataclass
class Built:
    """What a build has done.

    Attributes:
        documents_read: Documents that were read.
        documents_known: Unchanged documents, which were not read again.
        warnings: Sentences: damage that was found.
    """

    documents_read: int = 0
    documents_known: int = 0
    warnings: list[str] = field(default_factory=list)


def build(raw: Path, warehouse: Path, cluster: str = LOCAL) -> Built:
    """Build a warehouse from stored documents and publish it.

    Args:
        raw: Folder of the stored documents.
        warehouse: Folder of the published file.
        cluster: Address of the scheduler of a Dask cluster, or `local`.

    Raises:
        BenchledgerError: Why nothing was published.
    """
    built = Built()
    with locked_folders(raw, warehouse, cluster, built.warnings.append) as folders:
        working = begin(folders)
        try:
            take_steps(working)
        finally:
            # Of one that was published nothing is left to discard.
            working.tables.discard()
    built.documents_read = working.corpus.documents_read
    built.documents_known = working.corpus.documents_known
    return built


def take_steps(working: WorkingCopy, before: str = "") -> None:
    """Take the steps that were not taken yet: all, or those before one."""
    for step in STEPS:
        if step.name == before:
            return
        for _ in taken(step, working):
            pass


def taken(step: Step, working: WorkingCopy) -> Iterator[Made]:
    """What a step makes, or has made in this run."""
    if step.name in working.taken:
        yield from working.taken[step.name]
        return
    made = working.taken[step.name] = []
    for one in step.make(working):
        made.append(one)
        yield one


def list_documents(working: WorkingCopy) -> Iterator[Made]:
    """Documents under `raw/` whose bytes match the sha256 in their snapshot.yml; others are faults."""
    raw = working.folders.raw
    pull(raw)
    stored = working.store = read_store(raw)
    if not len(stored.documents):
        faults = "; ".join(f"{fault.path}: {fault.reason}" for fault in stored.faults[:3])
        advice = faults or "add one with `benchledger add`"
        raise WarehouseError(f"no readable document in {shown(raw)}: {advice}")
    working.refuse([{"extractor": STORE} | asdict(fault) for fault in stored.faults])
    tables = {
        DOCUMENTS: stored.documents,
        "raw.sources": stored.sources,
        "raw.sightings": stored.sightings,
        "raw.fetches": stored.fetches,
    }
    for name, stored_rows in tables.items():
        rows = pa.Table.from_pylist(stored_rows, schema=arrow_schema(TABLES[name]))
        if name == DOCUMENTS:
            take_up_documents(working, rows)
        changed = working.write(name, rows)
        yield _made(working, name, changed=changed, faults=len(stored.faults))


def extract_rows(working: WorkingCopy) -> Iterator[Made]:
    """Read new and changed documents with all formats, and account for all of their lines."""
    corpus = read_documents(working)
    counts = {
        "documents_read": corpus.documents_read,
        "documents_known": corpus.documents_known,
        "workers": corpus.workers,
    }
    rows = Counter[str]()
    for kind in ROW_KINDS:
        for row in working.tables.query(_ROWS_BY_FORMAT.format(f"extracted.{kind}")).to_pylist():
            rows[row["extractor"]] += row["n"]
    for name in formats():
        yield Made(f"extracted.{name}", rows[name], counts)
    account_for_lines(working)
    for table in ACCOUNTING:
        yield _made(working, table.full_name)


def look_up_names(working: WorkingCopy) -> Iterator[Made]:
    """Look up every printed name: canonical name, facts, suggestion."""
    schema = arrow_schema(TABLES[NAMES])
    printed = working.tables.query(PRINTED_NAMES).to_pylist()
    before = working.tables.read(NAMES) if working.stands else schema.empty_table()
    # What a name means is the same as long as code and vocabularies are.
    known = {_spelled(row): row for row in before.to_pylist()}
    named = []
    for row in printed:
        earlier = known.get(_spelled(row))
        named.append(earlier | row if earlier else resolve_name(row))
    if working.stands:
        wait_for_names(working, {*known}, {*map(_spelled, printed)})
    changed = working.write(NAMES, pa.Table.from_pylist(named, schema=schema))
    yield _made(working, NAMES, changed=changed)


def _spelled(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["kind"], row["name_printed"], row["suite"]


def resolve_rows(working: WorkingCopy) -> Iterator[Made]:
    """What documents print under canonical names, and whether they do print it."""
    resolve_documents(working)
    for name in resolved_in_order():
        yield _made(working, name, documents_resolved=len(working.resolved))


def require_evidence(working: WorkingCopy) -> Iterator[Made]:
    """Stop where the evidence of a row belongs to no document: such a row cannot be refused alone."""
    if working.evidence and working.evidence.is_broken:
        raise WarehouseError(working.evidence.reason)
    yield from ()


def list_rejects(working: WorkingCopy) -> Iterator[Made]:
    """Rejects of the store, the readers and the contracts, open and closed."""
    record_rejects(working.tables, refused_rows(working), build_time())
    found = {row["scope"]: row["n"] for row in working.tables.query(_REFUSED_BY_SCOPE).to_pylist()}
    counts = {f"rejects_{scope}": found.get(scope, 0) for scope in COLUMNS["scope"].one_of or ()}
    changed = working.make(REJECTS, OPEN_REJECTS)
    yield _made(working, REJECTS, changed=changed, **counts)
    changed = working.make(CLOSED, CLOSED_REJECTS)
    yield _made(working, CLOSED, changed=changed)


def derive_tables(working: WorkingCopy) -> Iterator[Made]:
    """Create each table that looks across documents with the query of the same name."""
    refused = len(working.refused)
    if working.is_changed:
        working.tables.drop(_DERIVED)
    working.tables.use_cores_for("resolved.results")
    with working.tables.keeping_steps():
        for name in _DERIVED:
            changed = working.make(name, table_queries()[name])
            yield _made(working, name, changed=changed)
    if len(working.refused) > refused:
        # The rejects were listed before these tables.
        record_rejects(working.tables, refused_rows(working), build_time())
        working.make(REJECTS, OPEN_REJECTS)
        working.make(CLOSED, CLOSED_REJECTS)


def publish_file(working: WorkingCopy) -> Iterator[Made]:
    """Check the working copy of the run and publish it."""
    path = publish(working)
    counts = {"path": path, "bytes": path.stat().st_size}
    yield Made(FILE, len(PUBLISHED), counts)


def _made(working: WorkingCopy, name: str, **counts: Any) -> Made:
    return Made(name, working.tables.row_count(name), counts)


_DERIVED = in_order(("audit", "main"))
# What the last step makes.
FILE = "warehouse"
STEPS = (
    Step("raw__documents", list_documents, STORED),
    Step(
        "extracted__documents",
        extract_rows,
        (
            *(f"extracted.{name}" for name in formats()),
            *(table.full_name for table in ACCOUNTING),
        ),
    ),
    Step("resolved__names", look_up_names, (NAMES,)),
    Step("resolved__tables", resolve_rows, resolved_in_order()),
    Step("evidence_holds", require_evidence, ()),
    Step("audit__rejects", list_rejects, (REJECTS, CLOSED)),
    Step("audit_and_main__tables", derive_tables, _DERIVED),
    Step(FILE, publish_file, (FILE,)),
)
