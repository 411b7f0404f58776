"""The steps of a build, in the order of the layers: raw, extracted, resolved, audit and main, the
published file.

The tables of a layer are one step, since a step for every table costs more than its work. A single
table that SQL makes can be materialised in the UI all the same. What a table depends on is read
from its query.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context
# itself.

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import dagster as dg
import pyarrow as pa

from pipelines.assets.folders import FIRST_STEP, LAST_STEP, Folders
from pipelines.assets.tables import (
    OWNERS,
    asset_key,
    asset_spec,
    broken_contract,
    check_specs,
    executed_checks,
    make_table,
    materialized,
    store_table,
)
from pipelines.extract.contract import formats
from pipelines.extract.rows import KIND_OF, ROW_KINDS
from pipelines.object_addresses import shown
from pipelines.run.canonical_rows import check_evidence_of, in_order
from pipelines.run.corpus import Progress
from pipelines.run.document_tables import (
    account_for_lines,
    resolve_documents,
    take_up_documents,
    wait_for_names,
)
from pipelines.run.rejects import (
    ACCOUNTING,
    CLOSED_REJECTS,
    OPEN_REJECTS,
    REFUSED_NOW,
    STORE,
    record_rejects,
    refused_rows,
)
from pipelines.run.working_copy import COLUMN_LINEAGE, WorkingCopy
from pipelines.schemas.columns import COLUMNS
from pipelines.schemas.tables import LAYERS, PUBLISHED, TABLES, Table, arrow_schema
from pipelines.settings import build_time
from pipelines.validate.evidence.check import EVIDENCE, KINDS, Checked
from pipelines.validate.quarantine import ContractError
from pipelines.vocabulary.resolution import resolve_name
from pipelines.warehouse.queries import base_tables, inputs_of, internal_query, table_queries

Context = dg.AssetExecutionContext
Made = Iterator[dg.MaterializeResult[Any]]
# Makes the tables of a step, given the working copy and the folders of the run.
Make = Callable[[Context, WorkingCopy, Folders], Made]

DOCUMENTS, NAMES = TABLES["raw.documents"], TABLES["resolved.names"]
REJECTS, CLOSED = TABLES["audit.rejects"], TABLES["audit.closed_rejects"]
STORED = (DOCUMENTS, *(TABLES[f"raw.{name}"] for name in ("sources", "sightings", "fetches")))
# The log of a run says with this word how far the reading is.
READING = "Reading: "
# An event takes some 0.05 s to be recorded.
_REPORTED_EVERY_S = 5.0
_ROWS_BY_FORMAT = "select extractor, count(*) as n from {} group by extractor"
_PRINTED_NAMES = internal_query("printed_names")
_REFUSED_BY_SCOPE = f"select scope, count(*) as n from {REFUSED_NOW} group by scope"
# What a table of the audit refuses is among the rejects of the next build.
_REFUSING = [name for name, table in sorted(TABLES.items()) if table.layer in ("raw", "resolved")]
# What is made document by document, and what looks across documents. Names are looked up before the
# first, evidence is checked before the second.
_BY_DOCUMENT, _ACROSS = ("resolved",), ("audit", "main")


def _step(
    name: str,
    specs: Iterable[dg.AssetSpec],
    make: Make,
    checked: Iterable[Table] = (),
    *,
    can_subset: bool = False,
) -> dg.AssetsDefinition:
    """One step of a build: its tables, their checks, and the seconds that each took."""

    @dg.multi_asset(
        name=name,
        description=make.__doc__,
        specs=list(specs),
        check_specs=check_specs(checked),
        can_subset=can_subset,
    )
    def step(
        context: dg.AssetExecutionContext, folders: Folders
    ) -> Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]:
        yield from executed_checks(context, folders)
        if not context.selected_asset_keys:
            return
        with folders.step(context) as working:
            started = time.perf_counter()
            for made in make(context, working, folders):
                seconds = {"seconds": round(time.perf_counter() - started, 4)}
                yield made._replace(metadata={**(made.metadata or {}), **seconds})
                if working.is_broken:
                    return
                started = time.perf_counter()

    return step


def _selected(context: Context, names: Iterable[str]) -> list[str]:
    return [name for name in names if asset_key(name) in context.selected_asset_keys]


# raw


def raw_assets(sources: Sequence[dg.AssetSpec]) -> dg.AssetsDefinition:
    """The tables of the store; `sources` are the assets that fill it from outside."""
    specs = [asset_spec(table, deps=[], kinds={"python", "duckdb"}) for table in STORED]
    fetched = [asset_key(name) for name in ("raw.documents", "raw.fetches")]
    specs = [spec.merge_attributes(deps=sources) if spec.key in fetched else spec for spec in specs]
    return _step(FIRST_STEP, specs, _store, STORED, can_subset=True)


def _store(context: Context, working: WorkingCopy, folders: Folders) -> Made:
    """Documents under `raw/` whose bytes match the sha256 in their snapshot.yml; others are faults."""
    stored = working.store = folders.list_store()
    if not len(stored.documents):
        faults = "; ".join(f"{fault.path}: {fault.reason}" for fault in stored.faults[:3])
        reason = f"no readable document in {shown(folders.raw_path)}: "
        raise dg.Failure(reason + (faults or "add one with `benchledger add`"), allow_retries=False)
    working.refuse([{"extractor": STORE} | asdict(fault) for fault in stored.faults])
    for name in _selected(context, (table.full_name for table in STORED)):
        rows = getattr(stored, name.removeprefix("raw.")).table()
        if name == DOCUMENTS.full_name:
            take_up_documents(working, rows)
        yield store_table(rows, TABLES[name], working, {"faults": len(stored.faults)})


# extracted


def _assets_giving(tables: Iterable[str]) -> list[str]:
    """The upstream assets of these tables; for tables in `extracted`, the formats that produce the
    rows.
    """
    return sorted(set[str]().union(*map(_assets_of, tables)))


@cache
def _assets_of(full_name: str) -> set[str]:
    layer, kind = full_name.split(".", 1)
    if layer == "extracted":
        return {
            f"extracted.{name}"
            for name, module in formats().items()
            if kind in map(KIND_OF.get, module.ROWS)
        }
    return {full_name} if layer in LAYERS else set()


def _format_specs() -> Iterator[dg.AssetSpec]:
    for name, module in formats().items():
        kinds = ", ".join(sorted({KIND_OF[row] for row in module.ROWS}))
        yield dg.AssetSpec(
            key=asset_key(f"extracted.{name}"),
            deps=[asset_key(DOCUMENTS.full_name)],
            description=f"Rows that the format {name} extracts. {module.DESCRIPTION} Produces {kinds}.",
            group_name="extracted",
            kinds={"python", "parquet"},
            owners=OWNERS,
        )
    for table in ACCOUNTING:
        yield asset_spec(
            table, deps=[f"extracted.{name}" for name in formats()], kinds={"python", "duckdb"}
        )


def _extract(context: Context, working: WorkingCopy, folders: Folders) -> Made:
    """Read new and changed documents with all formats, and account for all of their lines."""
    corpus = folders.read_documents(working, _reporter(context))
    counts = {
        "documents_read": corpus.documents_read,
        "documents_known": len(corpus.chunks) - len(corpus.read),
    }
    found: dict[str, dict[str, int]] = {name: {} for name in formats()}
    for kind in ROW_KINDS:
        for row in working.tables.query(_ROWS_BY_FORMAT.format(f"extracted.{kind}")).to_pylist():
            if row["extractor"] in found:
                found[row["extractor"]][f"rows of {kind}"] = row["n"]
    for name, rows in found.items():
        total = {"dagster/row_count": sum(rows.values()), "workers": corpus.workers}
        yield dg.MaterializeResult(
            asset_key=asset_key(f"extracted.{name}"), metadata=total | rows | counts
        )
    account_for_lines(working)
    for table in ACCOUNTING:
        yield materialized(table, working, {})


def _reporter(context: Context) -> Callable[[Progress], None]:
    """Logs the progress of reading."""
    reported = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal reported
        if time.monotonic() - reported > _REPORTED_EVERY_S:
            reported = time.monotonic()
            context.log.info(
                f"{READING}{progress.documents:,} of {progress.total:,} documents, {progress.rows:,} rows, "
                f"{progress.workers:,} workers"
            )

    return report


# resolved, audit and main


def _names(context: Context, working: WorkingCopy, folders: Folders) -> Made:
    """Look up every printed name: canonical name, facts, suggestion."""
    folders.read_documents(working)
    printed = working.tables.query(_PRINTED_NAMES).to_pylist()
    before = (
        working.tables.read(NAMES.full_name)
        if working.stands
        else arrow_schema(NAMES).empty_table()
    )
    known = {_spelled(row): row for row in before.to_pylist()}
    # What a name means is the same as long as code and vocabularies are.
    named = [
        known[_spelled(row)] | row if _spelled(row) in known else resolve_name(row)
        for row in printed
    ]
    if working.stands:
        wait_for_names(working, {*known}, {*map(_spelled, printed)})
    yield store_table(pa.Table.from_pylist(named, schema=arrow_schema(NAMES)), NAMES, working)


def _spelled(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["kind"], row["name_printed"], row["suite"]


def _sql_assets(layers: tuple[str, ...]) -> dg.AssetsDefinition:
    names = in_order(layers)
    specs = [
        asset_spec(
            TABLES[name],
            deps=_assets_giving(base_tables(table_queries()[name])),
            kinds={"sql", "duckdb"},
        ).merge_attributes(metadata=_column_lineage(name))
        for name in names
    ]

    def make(context: Context, working: WorkingCopy, folders: Folders) -> Made:
        """Create each table of these layers with the query of the same name."""
        folders.read_documents(working)
        selected, refused = _selected(context, names), len(working.refused)
        if layers == _BY_DOCUMENT:
            try:
                resolve_documents(working, folders.raw_path, folders.engine)
            except ContractError as error:
                table = TABLES[error.table]
                yield broken_contract(
                    table, working, error, working.tables.row_count(table.full_name)
                )
                return
        for name in selected:
            if layers == _BY_DOCUMENT:
                yield materialized(
                    TABLES[name], working, {"documents_resolved": len(working.made[name])}
                )
            else:
                yield make_table(TABLES[name], table_queries()[name], working)
        if layers == _ACROSS and len(working.refused) > refused:
            # The rejects were listed before these tables.
            record_rejects(working.tables, refused_rows(working), build_time())
            working.make(REJECTS.full_name, OPEN_REJECTS)

    return _step(
        f"{'_and_'.join(layers)}__tables",
        specs,
        make,
        (TABLES[name] for name in names),
        can_subset=True,
    )


def _column_lineage(name: str) -> dict[str, Any]:
    """The column lineage of a table, as Dagster metadata."""
    made_of: dict[str, list[dg.TableColumnDep]] = {}
    for column, inputs in inputs_of(name).items():
        # Rows in the printed words come from several assets, one a format, and of these an asset
        # gives several kinds.
        named = {
            (asset, one.column)
            for one in inputs
            if one.column
            for asset in _assets_giving([one.table])
        }
        made_of[column] = [dg.TableColumnDep(asset_key(asset), of) for asset, of in sorted(named)]
    return {"dagster/column_lineage": dg.TableColumnLineage(made_of)}


def _rejects(context: Context, working: WorkingCopy, folders: Folders) -> Made:
    """Rejects of the store, the readers and the contracts, open and closed."""
    folders.read_documents(working)
    record_rejects(working.tables, refused_rows(working), build_time())
    found = {row["scope"]: row["n"] for row in working.tables.query(_REFUSED_BY_SCOPE).to_pylist()}
    counts = {f"rejects_{scope}": found.get(scope, 0) for scope in COLUMNS["scope"].one_of or ()}
    yield make_table(REJECTS, OPEN_REJECTS, working, counts)
    yield make_table(CLOSED, CLOSED_REJECTS, working)


@dg.asset_check(
    name="holds",
    asset=asset_key(EVIDENCE),
    additional_deps=[asset_key(name) for name in (DOCUMENTS.full_name, *KINDS)],
    blocking=True,
    description="Reopens stored documents; checks that each place prints the text, and that the text gives the value. "
    "A build checks new and changed documents, and all of them with --again or after a code change; it refuses "
    "rows that fail, or a document with many of them, and continues. Executed alone, the check opens all documents.",
)
def evidence_holds(folders: Folders) -> dg.AssetCheckResult:
    """Report the evidence check of this run; if no document was checked, check all."""
    started = time.perf_counter()
    working = folders.working
    if working and (working.evidence or working.store):
        # Where no document waited, none was opened.
        checked = working.evidence or Checked()
    else:
        checked = check_evidence_of(folders.tables, folders.raw_path)
    # A build has refused the rows and documents that do not hold, and continues without them.
    is_refused = working is not None and working.evidence is not None and not checked.is_broken
    if checked.faults and working and not is_refused:
        working.is_broken = True
    metadata: dict[str, Any] = {
        **({"reason": checked.reason} if checked.faults else {}),
        "places": folders.tables.row_count(EVIDENCE),
        "places checked in this run": checked.places,
        "documents checked in this run": checked.documents,
        **{f"rows of {name} checked in this run": checked.rows[name] for name in KINDS},
        "seconds": round(time.perf_counter() - started, 4),
    }
    severity = dg.AssetCheckSeverity.WARN if is_refused else dg.AssetCheckSeverity.ERROR
    return dg.AssetCheckResult(passed=not checked.faults, severity=severity, metadata=metadata)


# the published file


def _publish(context: Context, working: WorkingCopy, folders: Folders) -> Made:
    """Check the working copy of the run and publish it."""
    path = folders.publish()
    stated: dict[str, Any] = {
        "path": dg.MetadataValue.path(path.as_posix()),
        "bytes": path.stat().st_size,
        "tables": len(PUBLISHED),
    }
    yield dg.MaterializeResult(asset_key=LAST_STEP, metadata=stated)


_WAREHOUSE = dg.AssetSpec(
    key=LAST_STEP,
    # What columns are made of is in no table before: the code says it.
    deps=[asset_key(table.full_name) for table in PUBLISHED if table.full_name != COLUMN_LINEAGE],
    group_name="warehouse",
    kinds={"duckdb"},
    owners=OWNERS,
    description="benchmarks.duckdb: all tables with comments. Checked, then replaces the old file atomically.",
)

FROM_SQL = [_sql_assets(layers) for layers in (_BY_DOCUMENT, _ACROSS)]
# Behind those of `raw_assets`, in the order in which data flows through them.
STEPS = [
    _step("extracted__documents", _format_specs(), _extract),
    _step(
        "resolved__names",
        [
            asset_spec(
                NAMES, deps=_assets_giving(base_tables(_PRINTED_NAMES)), kinds={"python", "yaml"}
            )
        ],
        _names,
    ),
    FROM_SQL[0],
    _step(
        "audit__rejects",
        [
            asset_spec(table, deps=_REFUSING, kinds={"python", "duckdb"})
            for table in (REJECTS, CLOSED)
        ],
        _rejects,
    ),
    FROM_SQL[1],
    _step(LAST_STEP, [_WAREHOUSE], _publish),
]
