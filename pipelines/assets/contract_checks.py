"""Asset checks of the contracts of tables, after a build has made them and executed alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.run.working_copy import broken_rows
from pipelines.schemas.tables import TABLES
from pipelines.validate.quarantine import ContractError

CHECK = "contract"
# Every table is checked against its contract; only these tables have an asset check, because each
# costs events. Tables that only compute with current results and facts have none.
COMPUTED = frozenset({"main.token_costs", "main.energy", "main.frontier"})
CHECKED = frozenset(
    {"raw.documents", "resolved.results", "resolved.claims"}
    | {table.full_name for table in TABLES.values() if table.layer == "main"} - COMPUTED
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
        fault = "the table does not exist yet; materialise it first"
        if tables.holds(table.full_name):
            try:
                reasons = [row["reason"] for row in broken_rows(table, tables)]
                fault = "; ".join(dict.fromkeys(reasons[:_REASONS_TOLD]))
            except ContractError as error:
                fault = str(error)
        yield check_result(table.full_name, tables.row_count(table.full_name), fault=fault)


def check_result(table: str, rows: int, refused: int = 0, fault: str = "") -> dg.AssetCheckResult:
    """The result of a contract check: rows, refused rows, and a fault of the whole table."""
    metadata: dict[str, Any] = {"rows": rows, "rows_refused": refused}
    if fault:
        metadata["reason"] = fault
    return dg.AssetCheckResult(
        passed=not fault, check_name=CHECK, asset_key=asset_key(table), metadata=metadata
    )
