"""What all table assets share: check rows against the contract, quarantine refused rows, write,
report to Dagster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import dagster as dg
import pyarrow as pa

from pipelines.assets.folders import Folders
from pipelines.run.working_copy import WorkingCopy
from pipelines.schemas.tables import DUCKDB_TYPES, TABLES, Table
from pipelines.validate.quarantine import (
    REFUSED,
    ContractError,
    allowed_rejects,
    part,
    quarantine,
    refuse_share,
    rule_of,
)
from pipelines.warehouse.database import Tables

OWNERS = ["team:benchledger"]
CHECK = "contract"
# Every table is checked against its contract; only these tables have an asset check, because each
# costs events.
CHECKED = frozenset(
    {"raw.documents", "resolved.results", "resolved.claims"}
    | {table.full_name for table in TABLES.values() if table.layer == "main"}
)
# Of thousands of rows the first tell what is wrong.
_REASONS_TOLD = 5


def asset_key(full_name: str) -> dg.AssetKey:
    """Asset key of a table: schema, then name."""
    return dg.AssetKey(full_name.split("."))


def asset_spec(table: Table, *, deps: Sequence[str], kinds: set[str]) -> dg.AssetSpec:
    """The asset of a table with the metadata that the UI shows before a run."""
    columns = [
        dg.TableColumn(
            name=column.name,
            type=DUCKDB_TYPES[column.type],
            description=column.meaning,
            constraints=dg.TableColumnConstraints(nullable=column.name in table.nullable),
        )
        for column in table.columns
    ]
    return dg.AssetSpec(
        key=asset_key(table.full_name),
        deps=[asset_key(name) for name in deps],
        description=f"{table.meaning} Grain: {table.grain}.",
        group_name=table.layer,
        kinds=kinds,
        owners=OWNERS,
        metadata={
            "dagster/column_schema": dg.TableSchema(columns=columns),
            "key": ", ".join(table.key) or "none",
        },
    )


def check_specs(tables: Iterable[Table]) -> list[dg.AssetCheckSpec]:
    """The blocking contract checks, for the tables that have one."""
    return [
        dg.AssetCheckSpec(
            CHECK,
            asset=asset_key(table.full_name),
            blocking=True,
            description="Columns, types, allowed values and keys match the declaration in pipelines/schemas.",
        )
        for table in tables
        if table.full_name in CHECKED
    ]


def store_table(
    rows: pa.Table, table: Table, working: WorkingCopy, metadata: dict[str, Any] | None = None
) -> dg.MaterializeResult[Any]:
    """Check and write the rows of a table; refused rows go to the rejects.

    A frame that breaks its contract as a whole is not written: its check fails and stops everything
    below it.

    Args:
        rows: The frame.
        table: Whose rows they are.
        working: Where they go.
        metadata: What Dagster shows beside the counts.

    Raises:
        ContractError: The frame breaks the contract of a table that has no check of its own.
    """
    source = table.filled_with
    try:
        parted = quarantine(
            rows, table, inputs_have_rows=bool(source and working.tables.row_count(source))
        )
    except ContractError as error:
        return broken_contract(table, working, error, rows.num_rows)
    working.refuse(parted.rejects)
    changed = working.write(table.full_name, parted.valid)
    return materialized(table, working, {"changed": changed, **(metadata or {})})


def make_table(
    table: Table, sql: str, working: WorkingCopy, metadata: dict[str, Any] | None = None
) -> dg.MaterializeResult[Any]:
    """Create a table from a query; rows that fail its contract are removed, and are rejects. See
    `store_table`.

    Raises:
        ContractError: A row breaks the contract of a table that has no check of its own.
        WarehouseError: A table that the query names was not made yet.
    """
    changed = working.make(table.full_name, sql)
    try:
        rejects = _check_rows(table, working.tables)
    except ContractError as error:
        return broken_contract(table, working, error, working.tables.row_count(table.full_name))
    if rejects:
        working.refused.append(working.tables.remove_rejected(table.full_name, rejects, REFUSED))
    return materialized(table, working, {"changed": changed, **(metadata or {})})


def broken_contract(
    table: Table, working: WorkingCopy, error: ContractError, rows: int
) -> dg.MaterializeResult[Any]:
    """Report a table that fails its contract as a whole; nothing is published then.

    Raises:
        ContractError: The table has no check of its own.
    """
    if table.full_name not in CHECKED:
        raise error
    working.is_broken = True
    failed = _checked(table, rows, error.reasons, str(error))
    return dg.MaterializeResult(asset_key=failed.asset_key, check_results=[failed])


def executed_checks(
    context: dg.AssetExecutionContext, folders: Folders
) -> Iterator[dg.AssetCheckResult]:
    """The checks that are executed without their tables; they check the existing rows."""
    alone = (key.asset_key for key in context.selected_asset_check_keys)
    for table in (
        TABLES[".".join(key.path)] for key in alone if key not in context.selected_asset_keys
    ):
        reasons: Sequence[str] = []
        fault = "the table does not exist yet; materialise it first"
        if folders.tables.holds(table.full_name):
            try:
                reasons = [row["reason"] for row in _check_rows(table, folders.tables)]
                fault = "; ".join(dict.fromkeys(reasons[:_REASONS_TOLD]))
            except ContractError as error:
                reasons, fault = error.reasons, str(error)
        yield _checked(table, folders.tables.row_count(table.full_name), reasons, fault)


def _check_rows(table: Table, tables: Tables) -> list[dict[str, Any]]:
    """Rejects for the rows of a table that break its contract, read in batches.

    It looks no further once more rows fail than may of all, so that what it finds always fits into
    memory.

    Raises:
        ContractError: More of them fail than may, or there are none though there should be.
    """
    rows = tables.row_count(table.full_name)
    # Two rows with one key may be in different batches.
    keyless, rejects, most = (
        replace(table, unique=""),
        list[dict[str, Any]](),
        allowed_rejects(table, rows),
    )
    for batch in tables.batches(table.full_name):
        rejects += part(batch, keyless).rejects
        if len(rejects) > most:
            break
    else:
        rejects += part(
            part(tables.rows_of_repeated_keys(table.full_name), keyless).valid, table
        ).rejects
    refuse_share(table, rejects, rows)
    if not rows and table.filled_with and tables.row_count(table.filled_with):
        raise ContractError(table, f" has no rows although {table.filled_with} has some")
    return rejects


def _checked(
    table: Table, rows: int, reasons: Iterable[str], fault: str = "", refused: int = 0
) -> dg.AssetCheckResult:
    """The result of a contract check, column by column: the reasons of broken rows, and a fault of
    the whole table.
    """
    from pipelines.validate.contracts import requirements  # It imports pandera.

    records = []
    broken: dict[str, list[str]] = {asked.name: [] for asked in requirements(table)}
    for found_fault in (each for reason in reasons for each in reason.split("; ")):
        # The key is the last requirement: of one column its fault begins as those of the column do.
        for name in [
            asked.name for asked in requirements(table) if found_fault.startswith(asked.fault)
        ][-1:]:
            broken[name].append(found_fault)
    for asked in requirements(table):
        failed = broken[asked.name]
        first = "; ".join(failed[:_REASONS_TOLD])
        found: dict[str, str | int | float | bool | None]
        found = {
            "column": asked.name,
            "asks": asked.words,
            "rows": rows,
            "failed": len(failed),
            "first": first,
        }
        records.append(dg.TableRecord(found))
    metadata: dict[str, Any] = {
        "rows": rows,
        "rows_refused": refused,
        **({"reason": fault} if fault else {}),
    }
    metadata["requirements"] = dg.MetadataValue.table(records)
    key = asset_key(table.full_name)
    return dg.AssetCheckResult(passed=not fault, check_name=CHECK, asset_key=key, metadata=metadata)


def materialized(
    table: Table, working: WorkingCopy, metadata: dict[str, Any]
) -> dg.MaterializeResult[Any]:
    """Report a written table to Dagster, with its check if it has one, and more metadata beside the
    counts.
    """
    rows, key = working.tables.row_count(table.full_name), asset_key(table.full_name)
    reasons = working.refused_by(rule_of(table))
    checks = (
        [_checked(table, rows, reasons, refused=len(reasons))] if table.full_name in CHECKED else []
    )
    counts = {"dagster/row_count": rows, "rows_refused": len(reasons)}
    return dg.MaterializeResult(asset_key=key, metadata=counts | metadata, check_results=checks)
