"""Asset checks of the contracts of tables, after a build has made them and executed alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.run.checked_tables import broken_rows
from pipelines.schemas.tables import TABLES, Table
from pipelines.validate.quarantine import ContractError

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


def check_specs(tables: Iterable[str]) -> list[dg.AssetCheckSpec]:
    """The blocking contract checks, for the tables that have one."""
    return [
        dg.AssetCheckSpec(
            CHECK,
            asset=asset_key(name),
            blocking=True,
            description="Columns, types, allowed values and keys match the declaration in pipelines/schemas.",
        )
        for name in tables
        if name in CHECKED
    ]


def executed_checks(
    context: dg.AssetExecutionContext, folders: Folders
) -> Iterator[dg.AssetCheckResult]:
    """The checks that are executed without their tables; they check the existing rows."""
    for key in context.selected_asset_check_keys:
        if key.asset_key in context.selected_asset_keys:
            continue
        table, tables = TABLES[".".join(key.asset_key.path)], folders.tables
        reasons: Sequence[str] = []
        fault = "the table does not exist yet; materialise it first"
        if tables.holds(table.full_name):
            try:
                reasons = [row["reason"] for row in broken_rows(table, tables)]
                fault = "; ".join(dict.fromkeys(reasons[:_REASONS_TOLD]))
            except ContractError as error:
                reasons, fault = error.reasons, str(error)
        yield check_result(table, tables.row_count(table.full_name), reasons, fault)


def check_result(
    table: Table, rows: int, reasons: Iterable[str], fault: str = "", refused: int = 0
) -> dg.AssetCheckResult:
    """The result of a contract check, column by column: the reasons of broken rows, and a fault of
    the whole table.
    """
    from pipelines.validate.contracts import requirements  # It imports pandera.

    broken: dict[str, list[str]] = {asked.name: [] for asked in requirements(table)}
    for reason in reasons:
        for found in reason.split("; "):
            # The key is the last requirement: of one column its fault begins as those of the
            # column do.
            names = [asked.name for asked in requirements(table) if found.startswith(asked.fault)]
            for name in names[-1:]:
                broken[name].append(found)
    records = []
    for asked in requirements(table):
        failed = broken[asked.name]
        record: dict[str, str | int | float | bool | None] = {
            "column": asked.name,
            "asks": asked.words,
            "rows": rows,
            "failed": len(failed),
            "first": "; ".join(failed[:_REASONS_TOLD]),
        }
        records.append(dg.TableRecord(record))
    metadata: dict[str, Any] = {"rows": rows, "rows_refused": refused}
    if fault:
        metadata["reason"] = fault
    metadata["requirements"] = dg.MetadataValue.table(records)
    key = asset_key(table.full_name)
    return dg.AssetCheckResult(passed=not fault, check_name=CHECK, asset_key=key, metadata=metadata)
