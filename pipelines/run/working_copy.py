"""The working copy: a build changes it beside the published file, and then replaces that file
atomically.

A reader sees the old warehouse or the new one, never a mixture, and never waits.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.extract.contract import formats_macro
from pipelines.ingest.store import Store, is_in_future
from pipelines.object_addresses import shown
from pipelines.run.corpus import Progress
from pipelines.run.locked_folders import LockedFolders
from pipelines.run.row_cache import Corpus
from pipelines.run.up_to_date import build_digest, code_digest, stands, write_note
from pipelines.schemas.tables import PUBLISHED, TABLES, Table, arrow_schema
from pipelines.settings import PREVIOUS_FILE
from pipelines.validate.corrections import known_errors
from pipelines.validate.evidence.check import Checked
from pipelines.validate.quarantine import (
    REFUSED,
    ContractError,
    allowed_rejects,
    part,
    quarantine,
    refuse_share,
)
from pipelines.warehouse.database import Tables
from pipelines.warehouse.queries import internal_query, results_as_of
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
# Tables of the previously published file that queries read.
_FORMER = {
    "internal.former_keys": """
        select distinct document_id, evidence_id, metric, statistic, benchmark_key
        from resolved.results
    """,
    "internal.former_values": """
        select
            r.document_id, d.source, d.publisher, r.benchmark_key, r.model, r.platform, r.metric,
            r.statistic, r.unit, r.accelerator_count, r.value,
            r.value_printed, r.line
        from resolved.results as r
        inner join raw.documents as d on r.document_id = d.document_id
    """,
    "internal.former_renamed_keys": "select former_key, benchmark_key, results from audit.renamed_keys",
    "internal.former_rejects": """
        select
            reject_id, document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json,
            first_seen, null as closed_at, null as closed_because
        from audit.rejects
        union all by name
        select
            reject_id, document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json,
            first_seen, closed_at, closed_because
        from audit.closed_rejects
    """,
}

_CHECKS = SQL_FOLDER / "checks"


class Made(NamedTuple):
    """A table that is in place, or the rows of a format.

    Attributes:
        name: Full name of the table; `extracted.<format>` for the rows of a format.
        rows: How many rows there are.
        counts: What else there is to say.
    """

    name: str
    rows: int
    counts: dict[str, Any]


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
        resolved: Documents whose rows this run has put under canonical names.
        refused: What contracts and the store have refused in this run.
        evidence: What was found when the evidence of the documents that waited was opened, once it
            was.
        taken: What the steps that were taken have made, by their names.
        is_broken: Whether a step has failed: nothing is published then.
        is_changed: Whether any table differs from the published one.
        report: Called while documents are read.
    """

    folders: LockedFolders
    tables: Tables
    stands: bool
    store: Store = field(init=False)
    corpus: Corpus = field(init=False)
    waiting: set[str] = field(default_factory=set)
    resolved: set[str] = field(default_factory=set)
    refused: list[pa.Table] = field(default_factory=list)
    evidence: Checked | None = None
    taken: dict[str, list[Made]] = field(default_factory=dict)
    is_broken: bool = False
    is_changed: bool = False
    report: Callable[[Progress], None] = lambda progress: None

    def write(self, full_name: str, rows: pa.Table) -> bool:
        """Put rows in the place of those of a table, but for those that break its contract.

        Returns:
            Whether anything differs from what is published.

        Raises:
            ContractError: Too many rows break the contract, or there are none though there should
                be.
        """
        table = TABLES[full_name]
        source = table.filled_with
        has_inputs = bool(source and self.tables.row_count(source))
        parted = quarantine(rows, table, inputs_have_rows=has_inputs)
        self.refuse(parted.rejects)
        with self._replacing(full_name):
            self.tables.write(full_name, parted.valid)
        return self.is_changed

    def make(self, full_name: str, sql: str) -> bool:
        """The same, for the rows of a query, which do not leave the engine.

        Raises:
            ContractError: See `write`.
        """
        with self._replacing(full_name):
            self.tables.make(full_name, sql)
            rejects = broken_rows(TABLES[full_name], self.tables)
            if rejects:
                self.refused.append(self.tables.remove_rejected(full_name, rejects, REFUSED))
        return self.is_changed

    @contextmanager
    def _replacing(self, full_name: str) -> Iterator[None]:
        before = self.tables.digest(full_name) if self.stands and not self.is_changed else None
        yield
        # Steps in between are in no file, and were not there before.
        self.is_changed = self.is_changed or (
            full_name in _NAMES and before != self.tables.digest(full_name)
        )

    def refuse(self, rejects: list[dict[str, Any]]) -> None:
        """Keep rows that a contract or the store has refused."""
        self.refused.append(pa.Table.from_pylist(rejects, schema=REFUSED))

    def refused_by(self, rule: str) -> int:
        """How many rows this run has refused by a rule."""
        return sum(refused["rule"].to_pylist().count(rule) for refused in self.refused)


_NAMES = {table.full_name for table in PUBLISHED}


def broken_rows(table: Table, tables: Tables) -> list[dict[str, Any]]:
    """Rejects for the rows of a table that break its contract, read in batches.

    It looks no further once more rows fail than may of all, so that what it finds always fits into
    memory.

    Raises:
        ContractError: More of them fail than may, or there are none though there should be.
    """
    rows = tables.row_count(table.full_name)
    # Two rows with one key may be in different batches.
    keyless = replace(table, unique="")
    rejects: list[dict[str, Any]] = []
    for batch in tables.batches(table.full_name):
        rejects += part(batch, keyless).rejects
        if len(rejects) > allowed_rejects(table, rows):
            break
    else:
        repeated = part(tables.rows_of_repeated_keys(table.full_name), keyless).valid
        rejects += part(repeated, table).rejects
    refuse_share(table, rejects, rows)
    refuse_emptiness(table, tables)
    return rejects


def refuse_emptiness(table: Table, tables: Tables) -> None:
    """Refuse a table without rows whose source has some.

    Raises:
        ContractError: It has none.
    """
    source = table.filled_with
    if source and not tables.row_count(table.full_name) and tables.row_count(source):
        raise ContractError(table, f" has no rows although {source} has some")


def begin(folders: LockedFolders) -> WorkingCopy:
    """Begin a working copy: of the published file, unless other code has published it or somebody
    has changed it.

    Raises:
        WarehouseError: The clock is behind: nearly all documents would be from the future.
    """
    partial = folders.work / FILE_NAME
    _require_clock(folders.warehouse / FILE_NAME)
    is_known = stands(folders.warehouse)
    if is_known:
        shutil.copyfile(folders.warehouse / FILE_NAME, partial)
    working = WorkingCopy(folders, Tables(partial), stands=is_known, is_changed=not is_known)
    put_lists(working.tables, _last_published(folders.warehouse))
    return working


def _require_clock(published: Path) -> None:
    if not published.exists():
        return
    written = datetime.fromtimestamp(published.stat().st_mtime, UTC).date()
    if is_in_future(written):
        raise WarehouseError(
            f"the clock of this machine is behind: {shown(published)} was written on {written}; "
            "correct the clock, or, if it is right, set the time of the file with `touch`"
        )


def put_lists(tables: Tables, former: Path | None = None) -> None:
    """Let queries name what source formats declare, the known errors of sources, and the keys that
    the file has which was published before.
    """
    tables.execute(formats_macro())
    table = TABLES[KNOWN_ERRORS]
    rows = pa.Table.from_pylist(known_errors(), schema=arrow_schema(table))
    tables.write(KNOWN_ERRORS, quarantine(rows, table).valid)
    for name, query in _FORMER.items():
        schema = arrow_schema(TABLES[name])
        found = _former_rows(former, query) if former else None
        tables.write(
            name,
            found.select(schema.names).cast(schema) if found is not None else schema.empty_table(),
        )


def _former_rows(published: Path, query: str) -> pa.Table | None:
    """The rows of a query on a published file; None where it is damaged, or another version has
    published it that lacks what the query names.
    """
    try:
        return query_published(published, query)
    except WarehouseError:
        return None


def _last_published(folder: Path) -> Path | None:
    """The published file; without one, that before the results last changed."""
    paths = (folder / FILE_NAME, folder / PREVIOUS_FILE)
    return next((path for path in paths if path.exists()), None)


def publish(working: WorkingCopy, checks: Path = _CHECKS) -> Path:
    """Check the working copy, and put it in the place of the published file; it is closed then.

    Raises:
        WarehouseError: A step has failed, no fact is left, or a check found rows; the old file
            stays.
        ObjectStoreError: It cannot be put into its object store, or another build has the lock; the
            old one stays.
    """
    folder, lease, tables = working.folders.warehouse, working.folders.lease, working.tables
    target = folder / FILE_NAME
    if working.is_broken:
        raise WarehouseError("a step has failed, and nothing was published")
    if target.exists() and not any(map(tables.row_count, FACTS)):
        raise WarehouseError(
            f"no values could be read from the {tables.row_count('raw.documents')} documents; "
            f"{tables.row_count('audit.rejects')} rejects give the reasons: "
            + "; ".join(
                dict.fromkeys(tables.read("audit.rejects", ["reason"])["reason"].to_pylist()[:3])
            )
        )
    failures = [*failing_checks(tables, checks)]
    if failures:
        raise WarehouseError("the new warehouse was not published: " + "; ".join(failures))
    note = {"digest": build_digest(working.store), "code": code_digest()}
    if not working.is_changed:
        tables.discard()
        if lease:
            lease.publish(None, note)
    else:
        tables.execute(results_as_of(formats_macro()))
        tables.describe()
        now, partial = tables.query(_DIGEST_OF_RESULTS), working.folders.work / FILE_NAME
        differs = target.exists() and _former_rows(target, _DIGEST_OF_RESULTS) != now
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


def failing_checks(tables: Tables, checks: Path) -> Iterator[str]:
    """What the checks in a folder find: one sentence for each that fails."""
    for path in sorted(checks.glob("*.sql")):
        rows = tables.query(path.read_text("utf-8")).slice(0, 1).to_pylist()
        if rows:
            yield f"check {path.stem} found {tuple(rows[0].values())}"
