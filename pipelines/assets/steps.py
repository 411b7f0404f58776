"""The steps of a build as Dagster assets: one asset for each published table, in the order of the layers.

What a step does is in `pipelines/run/steps.py`. The tables of a step are one multi-asset, since a
Dagster step for every table costs more than its work. A single table that SQL makes can be
materialised in the UI all the same. What a table depends on is read from its query.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import dagster as dg

from pipelines.assets.contract_checks import (
    CHECKED,
    asset_key,
    check_result,
    check_specs,
    executed_checks,
)
from pipelines.assets.folders import FIRST_STEP, LAST_STEP, Folders
from pipelines.extract.contract import formats
from pipelines.extract.rows import KIND_OF
from pipelines.run.corpus import Progress
from pipelines.run.document_tables import DOCUMENTS, NAMES, check_evidence_of
from pipelines.run.rejects import REJECTS
from pipelines.run.row_cache import ACCOUNTING
from pipelines.run.steps import CLOSED, PRINTED_NAMES, STEPS, Step, taken
from pipelines.run.working_copy import Made, WorkingCopy
from pipelines.schemas.tables import DUCKDB_TYPES, LAYERS, PUBLISHED, TABLES
from pipelines.validate.evidence.check import EVIDENCE, KINDS, Checked
from pipelines.validate.quarantine import ContractError, rule_of
from pipelines.warehouse.queries import base_tables, inputs_of, table_queries

OWNERS = ["team:benchledger"]
# The log of a run says with this word how far the reading is.
READING = "Reading: "
# An event takes some 0.05 s to be recorded.
_REPORTED_EVERY_S = 5.0
# Steps of which a single table may be made.
_SELECTABLE = {FIRST_STEP, "resolved__tables", "audit_and_main__tables"}
_REPORTED = dg.MaterializeResult[Any] | dg.AssetCheckResult


def step_assets(sources: Sequence[dg.AssetSpec] = ()) -> list[dg.AssetsDefinition]:
    """The assets of all steps; `sources` are the assets that fill the store from outside."""
    return [_asset(step, sources) for step in STEPS if step.makes]


def _asset(step: Step, sources: Sequence[dg.AssetSpec]) -> dg.AssetsDefinition:
    """One step of a build: its tables, their checks, and the seconds that each took."""

    @dg.multi_asset(
        name=step.name,
        description=step.make.__doc__,
        specs=[_spec(name, sources) for name in step.makes],
        check_specs=check_specs(step.makes),
        can_subset=step.name in _SELECTABLE,
    )
    def run(context: dg.AssetExecutionContext, folders: Folders) -> Iterator[_REPORTED]:
        yield from executed_checks(context, folders)
        selected = {key.to_user_string().replace("/", ".") for key in context.selected_asset_keys}
        if not selected:
            return
        with folders.step(context) as working:
            working.report = _reporter(context)
            yield from _reports(step, working, selected)

    return run


def _reports(step: Step, working: WorkingCopy, selected: Collection[str]) -> Iterator[_REPORTED]:
    """The tables of a step as they are made; a broken contract of a table that has a check fails
    the check.
    """
    started = time.perf_counter()
    try:
        for made in taken(step, working):
            if made.name in selected:
                yield _materialized(made, working, round(time.perf_counter() - started, 4))
            started = time.perf_counter()
    except ContractError as error:
        if error.table not in CHECKED:
            raise
        working.is_broken = True
        rows = working.tables.row_count(error.table)
        check = check_result(error.table, rows, fault=str(error))
        yield dg.MaterializeResult(asset_key=asset_key(error.table), check_results=[check])


def _materialized(made: Made, working: WorkingCopy, seconds: float) -> dg.MaterializeResult[Any]:
    """A table with its check, if it has one, and with what its step says of it."""
    metadata = {"dagster/row_count": made.rows, "seconds": seconds} | made.counts
    checks = []
    if made.name in TABLES:
        refused = working.refused_by(rule_of(TABLES[made.name]))
        metadata["rows_refused"] = refused
        if made.name in CHECKED:
            checks.append(check_result(made.name, made.rows, refused))
    if made.name == LAST_STEP:
        metadata["path"] = dg.MetadataValue.path(made.counts["path"].as_posix())
    return dg.MaterializeResult(
        asset_key=asset_key(made.name), metadata=metadata, check_results=checks
    )


def _reporter(context: dg.AssetExecutionContext) -> Callable[[Progress], None]:
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


# What the UI shows before a run


def _spec(name: str, sources: Sequence[dg.AssetSpec]) -> dg.AssetSpec:
    if name == LAST_STEP:
        return _warehouse_spec()
    if name not in TABLES:
        return _format_spec(name)
    table = TABLES[name]
    columns = [
        dg.TableColumn(
            name=column.name,
            type=DUCKDB_TYPES[column.type],
            description=column.meaning,
            constraints=dg.TableColumnConstraints(nullable=column.name in table.nullable),
        )
        for column in table.columns
    ]
    metadata = {
        "dagster/column_schema": dg.TableSchema(columns=columns),
        "key": ", ".join(table.key) or "none",
    }
    is_from_sql = name in table_queries()
    if is_from_sql:
        metadata["dagster/column_lineage"] = _column_lineage(name)
    spec = dg.AssetSpec(
        key=asset_key(name),
        deps=[asset_key(upstream) for upstream in _upstream(name)],
        description=f"{table.meaning} Grain: {table.grain}.",
        group_name=table.layer,
        kinds={"sql" if is_from_sql else "python", "yaml" if name == NAMES else "duckdb"},
        owners=OWNERS,
        metadata=metadata,
    )
    is_fetched = name in (DOCUMENTS, "raw.fetches")
    return spec.merge_attributes(deps=sources) if is_fetched else spec


def _format_spec(name: str) -> dg.AssetSpec:
    module = formats()[name.removeprefix("extracted.")]
    kinds = ", ".join(sorted({KIND_OF[row] for row in module.FORMAT.rows}))
    return dg.AssetSpec(
        key=asset_key(name),
        deps=[asset_key(DOCUMENTS)],
        description=f"Rows that the format {name.removeprefix('extracted.')} extracts. "
        f"{module.FORMAT.description} Produces {kinds}.",
        group_name="extracted",
        kinds={"python", "parquet"},
        owners=OWNERS,
    )


def _warehouse_spec() -> dg.AssetSpec:
    return dg.AssetSpec(
        key=LAST_STEP,
        deps=[asset_key(table.full_name) for table in PUBLISHED],
        group_name="warehouse",
        kinds={"duckdb"},
        owners=OWNERS,
        description="benchmarks.duckdb: all tables with comments. Checked, then replaces the old file atomically.",
    )


def _upstream(name: str) -> list[str]:
    """The assets that a table is made of."""
    if name in table_queries():
        return _assets_giving(base_tables(table_queries()[name]))
    if name == NAMES:
        return _assets_giving(base_tables(PRINTED_NAMES))
    if name in (REJECTS, CLOSED):
        # What a table of the audit refuses is among the rejects of the next build.
        return [other for other in sorted(TABLES) if TABLES[other].layer in ("raw", "resolved")]
    if name in {table.full_name for table in ACCOUNTING}:
        return [f"extracted.{one}" for one in formats()]
    return []


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
            if kind in map(KIND_OF.get, module.FORMAT.rows)
        }
    return {full_name} if layer in LAYERS else set()


def _column_lineage(name: str) -> dg.TableColumnLineage:
    made_of: dict[str, list[dg.TableColumnDep]] = {}
    for column, inputs in inputs_of(name).items():
        # Rows in the printed words come from several assets, one a format, and of these an asset
        # gives several kinds.
        named = set[tuple[str, str]]()
        for one in inputs:
            if one.from_column:
                named |= {(asset, one.from_column) for asset in _assets_giving([one.from_table])}
        made_of[column] = [dg.TableColumnDep(asset_key(asset), of) for asset, of in sorted(named)]
    return dg.TableColumnLineage(made_of)


@dg.asset_check(
    name="holds",
    asset=asset_key(EVIDENCE),
    additional_deps=[asset_key(name) for name in (DOCUMENTS, *KINDS)],
    blocking=True,
    description="Reopens stored documents; checks that each place prints the text, and that the text gives the value. "
    "A build checks new and changed documents, and all of them with --again or after a code change; it refuses "
    "rows that fail, or a document with many of them, and continues. Executed alone, the check opens all documents.",
)
def evidence_holds(folders: Folders) -> dg.AssetCheckResult:
    """Report the evidence check of this run; if no document was checked, check all."""
    started = time.perf_counter()
    working = folders.working
    # Where no document waited, none was opened.
    evidence = working and (working.evidence or Checked())
    checked = evidence or check_evidence_of(folders.tables, folders.raw_path)
    # A build has refused the rows and documents that do not hold, and continues without them.
    is_refused = bool(working and working.evidence) and not checked.is_broken
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
