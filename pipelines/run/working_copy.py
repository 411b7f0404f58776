"""The working copy: a build changes it beside the published file, and then replaces that file
atomically.

A reader sees the old warehouse or the new one, never a mixture, and never waits.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.extract.contract import formats_macro
from pipelines.ingest.store import Store
from pipelines.run.corpus import Progress
from pipelines.run.locked_folders import LockedFolders
from pipelines.run.row_cache import Corpus
from pipelines.run.up_to_date import build_digest, code_digest, read_note, stands, write_note
from pipelines.schemas.tables import PUBLISHED, TABLES, arrow_schema
from pipelines.settings import PREVIOUS_FILE
from pipelines.validate.corrections import known_errors
from pipelines.validate.evidence.check import Checked
from pipelines.validate.quarantine import REFUSED, quarantine
from pipelines.warehouse.database import Tables
from pipelines.warehouse.queries import base_tables, column_lineage, internal_query, results_as_of
from pipelines.warehouse.reader import (
    FILE_NAME,
    SQL_FOLDER,
    WarehouseError,
    query_published,
)

# What two builds are compared by.
_DIGEST_OF_RESULTS = internal_query("digest_of_results")
# A warehouse without any of these holds no fact, and never takes the place of one that does.
FACTS = (
    "resolved.results",
    "resolved.claims",
    "resolved.training_runs",
    "resolved.prices",
    "resolved.submissions",
)

KNOWN_ERRORS = "internal.known_errors"
COLUMN_LINEAGE = "audit.column_lineage"
# Tables of the previously published file that queries read.
_FORMER = {
    "internal.former_keys": """
        select distinct document_id, evidence_id, metric, statistic, benchmark_key
        from former.resolved.results
    """,
    "internal.former_values": """
        select
            r.document_id, d.source, d.publisher, r.benchmark_key, r.model, r.platform, r.metric,
            r.statistic, r.unit, r.accelerator_count, r.value,
            r.value_printed, r.line
        from former.resolved.results as r
        inner join former.raw.documents as d on r.document_id = d.document_id
    """,
    "internal.former_renamed_keys": "select former_key, benchmark_key, results from former.audit.renamed_keys",
    "internal.former_rejects": """
        select
            reject_id, document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json,
            first_seen, null as closed_at, null as closed_because
        from former.audit.rejects
        union all by name
        select
            reject_id, document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json,
            first_seen, closed_at, closed_because
        from former.audit.closed_rejects
    """,
}

_CHECKS = SQL_FOLDER / "checks"


@dataclass
class WorkingCopy:
    """The file that a build works on.

    Attributes:
        folders: Where the build reads and writes.
        tables: The tables of the file.
        stands: Whether it began as a copy of a file of the same code, so that unchanged rows are
            valid.
        store: What is stored, once a step has listed it.
        corpus: Where the rows of all documents are, once they were read.
        waiting: Documents whose rows are not yet in the tables that are made document by document.
        made: Tables that this run has made; of those made document by document, for which
            documents.
        refused: What contracts and the store have refused in this run.
        evidence: What was found when the evidence of the documents that waited was opened, once it
            was.
        checked: Names of the checks that all rows have passed in an earlier run.
        is_broken: Whether a step has failed: nothing is published then.
        is_changed: Whether any table differs from the published one.
        report: Called while documents are read.
    """

    folders: LockedFolders
    tables: Tables
    stands: bool
    store: Store | None = None
    corpus: Corpus | None = None
    waiting: set[str] = field(default_factory=set)
    made: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    refused: list[pa.Table] = field(default_factory=list)
    evidence: Checked | None = None
    checked: set[str] = field(default_factory=set)
    is_broken: bool = False
    is_changed: bool = False
    report: Callable[[Progress], None] = lambda progress: None

    def write(self, full_name: str, rows: pa.Table) -> bool:
        """Put rows in the place of those of a table; False when it has just these."""
        return self._replace(full_name, lambda: self.tables.write(full_name, rows))

    def make(self, full_name: str, sql: str) -> bool:
        """Put the rows of a query in the place of those of a table; False when it has just these."""
        return self._replace(full_name, lambda: self.tables.make(full_name, sql))

    def _replace(self, full_name: str, replace: Callable[[], None]) -> bool:
        before = self.tables.digest(full_name) if self.stands and not self.is_changed else None
        replace()
        self.made[full_name] = set()
        # Steps in between are in no file, and were not there before.
        self.is_changed = self.is_changed or (
            full_name in _NAMES and before != self.tables.digest(full_name)
        )
        return self.is_changed

    def refuse(self, rejects: list[dict[str, Any]]) -> None:
        """Keep rows that a contract or the store has refused."""
        self.refused.append(pa.Table.from_pylist(rejects, schema=REFUSED))

    def refused_by(self, rule: str) -> int:
        """How many rows this run has refused by a rule."""
        return sum(part["rule"].to_pylist().count(rule) for part in self.refused)


_NAMES = [table.full_name for table in PUBLISHED]


def begin(folders: LockedFolders, *, anew: bool = True) -> WorkingCopy:
    """Begin a working copy.

    Args:
        folders: Where the build reads and writes.
        anew: Whether all tables are going to be made: a file that other code has published, or
            somebody has changed, is then not copied.

    Raises:
        WarehouseError: There is nothing to copy, and not all tables are going to be made.
    """
    target, partial = folders.warehouse / FILE_NAME, folders.work / FILE_NAME
    is_known = stands(folders.warehouse)
    if not (is_known or anew or target.exists()):
        raise WarehouseError("there is no warehouse yet; run the job build first")
    with ExitStack() as undoing:
        undoing.callback(partial.unlink, missing_ok=True)
        if is_known or not anew:
            shutil.copyfile(target, partial)
        tables = Tables(partial)
        undoing.callback(tables.discard)
        put_lists(tables, _last_published(folders.warehouse))
        working = WorkingCopy(folders, tables, stands=is_known, is_changed=not is_known)
        working.write(COLUMN_LINEAGE, _column_lineage())
        undoing.pop_all()
    return working


def put_lists(tables: Tables, former: Path | None = None) -> None:
    """Let queries name what source formats declare, the known errors of sources, and the keys that
    the file has which was published before.
    """
    tables.execute(formats_macro())
    table = TABLES[KNOWN_ERRORS]
    rows = pa.Table.from_pylist(known_errors(), schema=arrow_schema(table))
    tables.write(KNOWN_ERRORS, quarantine(rows, table).valid)
    for name, query in _FORMER.items():
        if former:
            tables.take(name, former, query)
        else:
            tables.write(name, arrow_schema(TABLES[name]).empty_table())


def published_rows(folder: Path, query: str) -> pa.Table | None:
    """The rows of a query on the published file; without one, on that before the results last
    changed.

    Returns:
        The rows; None where there is no file, or another version has published it that lacks what
        the query names.
    """
    published = _last_published(folder)
    try:
        return query_published(published, query) if published else None
    except WarehouseError:
        return None


def _last_published(folder: Path) -> Path | None:
    return next(
        (path for name in (FILE_NAME, PREVIOUS_FILE) if (path := folder / name).exists()), None
    )


def _column_lineage() -> pa.Table:
    """The lineage of all columns; it depends only on the code, so no step builds it."""
    schema = arrow_schema(TABLES[COLUMN_LINEAGE])
    return pa.table(
        dict(zip(schema.names, zip(*column_lineage(), strict=True), strict=True)), schema=schema
    )


def publish(working: WorkingCopy, checks: Path = _CHECKS) -> Path:
    """Check the working copy, and put it in the place of the published file; it is closed then.

    Raises:
        WarehouseError: A table is missing, no fact is left, or a check found rows; the old file
            stays.
        ObjectStoreError: It cannot be put into its object store, or another build has the lock; the
            old one stays.
    """
    folder, lease, tables = working.folders.warehouse, working.folders.lease, working.tables
    target = folder / FILE_NAME
    if working.is_broken:
        raise WarehouseError("a step has failed, and nothing was published")
    if missing := [name for name in _NAMES if not tables.holds(name)]:
        raise WarehouseError(f"the table {missing[0]} does not exist yet; materialise it first")
    if target.exists() and not any(map(tables.row_count, FACTS)):
        raise WarehouseError(
            f"no values could be read from the {tables.row_count('raw.documents')} documents; "
            f"{tables.row_count('audit.rejects')} rejects give the reasons: "
            + "; ".join(
                dict.fromkeys(tables.read("audit.rejects", ["reason"])["reason"].to_pylist()[:3])
            )
        )
    unchecked = [path for path in sorted(checks.glob("*.sql")) if path.stem not in working.checked]
    failures = list(failing_checks(tables, unchecked))
    if failures:
        raise WarehouseError("the new warehouse was not published: " + "; ".join(failures))
    tables.execute(results_as_of(formats_macro()))
    tables.describe()
    note = _note_of(working)
    partial = tables.path
    if not working.is_changed or partial is None:
        tables.discard()
        if lease:
            lease.publish(None, note)
    else:
        differs = target.exists() and published_rows(folder, _DIGEST_OF_RESULTS) != tables.query(
            _DIGEST_OF_RESULTS
        )
        tables.close()
        if lease:
            lease.publish(partial, note, is_news=differs)
        if differs:
            # A second name for the file that is about to be replaced; it is not copied.
            previous = working.folders.work / PREVIOUS_FILE
            previous.hardlink_to(target)
            previous.replace(folder / PREVIOUS_FILE)
        partial.replace(target)
    write_note(folder, note)
    return target


def failing_checks(tables: Tables, checks: Iterable[Path]) -> Iterator[str]:
    """What checks find: one sentence for each that fails."""
    for path in checks:
        rows = tables.query(path.read_text("utf-8")).slice(0, 1).to_pylist()
        if rows:
            yield f"check {path.stem} found {tuple(rows[0].values())}"


def checks_of(full_names: Collection[str]) -> list[Path]:
    """The checks that look at these tables alone."""
    return [
        path
        for path in sorted(_CHECKS.glob("*.sql"))
        if base_tables(path.read_text("utf-8")) <= {*full_names}
    ]


def _note_of(working: WorkingCopy) -> dict[str, str] | None:
    """What the file is made of that is about to be published; None where the next build can take
    nothing over.
    """
    if {*_NAMES} <= {*working.made} and working.store:
        return {"digest": build_digest(working.store), "code": code_digest()}
    # Tables made again of the same documents by the same code say the same.
    before = (
        read_note(working.folders.warehouse) if working.stands and working.store is None else None
    )
    return {name: before[name] for name in ("digest", "code")} if before else None
