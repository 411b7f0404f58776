"""What every table asset does the same way: check the rows, set refused ones aside, write, tell Dagster."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.made_from import remember
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.columns import ColumnType
from pipelines.schemas.tables import TABLES, Table
from pipelines.validate.contracts import contract_stamp, requirements
from pipelines.validate.quarantine import ContractError, Quarantined, quarantine
from pipelines.warehouse import Tables, row_count, write_parquet

# What a table refuses: a reject before the builds are compared (`validate/rejects_history.py`).
REFUSED = pa.schema(
    [field for field in arrow_schema(TABLES["audit.rejects"]) if field.name not in ("reject_id", "first_seen")]
)

OWNERS = ["team:benchledger"]
CHECK = "contract"
# Where a reader looks whether what is there can be trusted: what is stored, what was printed, and what is made of both.
# Every table is held against its contract; the others have no check of their own, since each costs a build its events.
CHECKED = frozenset(
    {"raw.documents", "resolved.results", "resolved.claims"}
    | {table.full_name for table in TABLES.values() if table.layer == "main"}
)
# Of thousands of rows the first tell what is wrong.
_REASONS_TOLD = 5

_TYPE_NAMES: dict[ColumnType, str] = {
    "text": "varchar",
    "integer": "bigint",
    "number": "double",
    "flag": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "texts": "varchar[]",
    "integers": "bigint[]",
}


def asset_key(full_name: str) -> dg.AssetKey:
    """Asset key of a table: schema, then name."""
    return dg.AssetKey(full_name.split("."))


def asset_spec(table: Table, *, deps: Sequence[str], kinds: set[str]) -> dg.AssetSpec:
    """The asset of a table with everything the UI shows before it is made."""
    columns = [
        dg.TableColumn(
            name=column.name,
            type=_TYPE_NAMES[column.type],
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
        metadata={"dagster/column_schema": dg.TableSchema(columns=columns), "key": ", ".join(table.key) or "none"},
    )


def check_specs(tables: Iterable[Table]) -> list[dg.AssetCheckSpec]:
    """The blocking checks that tables meet their contracts, of those that have one of their own."""
    return [
        dg.AssetCheckSpec(
            CHECK,
            asset=asset_key(table.full_name),
            blocking=True,
            description="Columns, types, allowed values, keys and relations in a row, as pipelines/schemas declares.",
        )
        for table in tables
        if table.full_name in CHECKED
    ]


def store_table(
    rows: pa.Table,
    table: Table,
    folders: Folders,
    started: float,
    metadata: dict[str, Any] | None = None,
    remembered_as: str | None = None,
) -> dg.MaterializeResult[Any]:
    """Check a table's rows and put them in place; refused rows go to the quarantine.

    A frame that breaks its contract as a whole is not written: its check fails and stops everything below it.

    Args:
        rows: The frame.
        table: Whose rows they are.
        folders: Where they go.
        started: When making them began.
        metadata: What Dagster shows beside the counts.
        remembered_as: Stamp of what they were made from, kept when they are in place.

    Raises:
        dagster.Failure: The frame breaks the contract of a table that has no check of its own.
    """
    try:
        kept = keep_rows(rows, table, folders.tables)
    except ContractError as error:
        if table.full_name not in CHECKED:
            raise dg.Failure(str(error), allow_retries=False) from error
        failed = _checked(table, rows.num_rows, error.reasons, str(error))
        return dg.MaterializeResult(asset_key=failed.asset_key, check_results=[failed])
    if remembered_as is not None:
        remember(table, remembered_as, folders.tables)
    return _materialized(table, folders, started, kept, metadata)


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the rows of a table.

    Attributes:
        changed: False when they were in place already.
        reasons: By requirement of the contract, a reason for each row that was set aside just now.
    """

    changed: bool
    reasons: dict[str, list[str]] = field(default_factory=dict)


def keep_rows(rows: pa.Table, table: Table, tables: Tables) -> Kept:
    """Put the rows that meet the contract in place and the others in the quarantine.

    Raises:
        ContractError: The frame breaks its contract as a whole, and nothing is written.
    """
    source = table.filled_with
    # The stamp says which contract the rows of a file have met: the same rows under the same contract pass again.
    rows = rows.replace_schema_metadata({"contract": contract_stamp(table)})
    if rows.num_rows and tables.holds(table.full_name, rows):
        parted = Quarantined(rows)
    else:
        parted = quarantine(rows, table, inputs_have_rows=bool(source and tables.row_count(source)))
    changed = tables.write(table.full_name, parted.valid)
    write_parquet(tables.quarantine_path(table.full_name), pa.Table.from_pylist(parted.rejects, schema=REFUSED))
    return Kept(changed, parted.reasons)


def standing_table(table: Table, folders: Folders, started: float) -> dg.MaterializeResult[Any]:
    """Tell Dagster of a table that stands already, with rows that have met their contract."""
    return _materialized(table, folders, started, Kept(changed=False))


def check_standing_table(table: Table, tables: Tables) -> dg.AssetCheckResult:
    """Check the rows of a table as they stand, when only that is asked for; nothing is made or written."""
    path = tables.path(table.full_name)
    if not path.exists():
        return _checked(table, 0, {}, "the table was not made yet; materialise it first")
    source, standing = table.filled_with, pq.read_table(path)
    try:
        found = quarantine(standing, table, inputs_have_rows=bool(source and tables.row_count(source)))
    except ContractError as error:
        return _checked(table, standing.num_rows, error.reasons, str(error))
    told = [str(row["reason"]) for row in found.rejects[:_REASONS_TOLD]]
    refused = row_count(tables.quarantine_path(table.full_name))
    return _checked(table, standing.num_rows, found.reasons, "; ".join(dict.fromkeys(told)), refused)


def executed_checks(context: dg.AssetExecutionContext, tables: Tables) -> Iterator[dg.AssetCheckResult]:
    """The checks that are executed without their tables: what they find in the rows as they stand."""
    for key in context.selected_asset_check_keys:
        if key.asset_key not in context.selected_asset_keys:
            yield check_standing_table(TABLES[".".join(key.asset_key.path)], tables)


def _checked(
    table: Table, rows: int, reasons: dict[str, list[str]], fault: str = "", refused: int = 0
) -> dg.AssetCheckResult:
    """What the contract of a table finds, column by column.

    Args:
        table: Whose contract.
        rows: Rows that were held against it.
        reasons: By requirement, a reason for each row that breaks it.
        fault: What makes it fail as a whole.
        refused: Rows that were set aside, now or when the table was made.
    """
    records = [
        dg.TableRecord(
            {
                "column": asked.name,
                "asks": asked.words,
                "rows": rows,
                "failed": len(failed := reasons.get(asked.name, [])),
                "first": "; ".join(failed[:_REASONS_TOLD]),
            }
        )
        for asked in requirements(table)
    ]
    metadata: dict[str, Any] = {
        "rows": rows,
        "rows_refused": refused,
        "requirements": dg.MetadataValue.table(records),
    }
    return dg.AssetCheckResult(
        passed=not fault,
        check_name=CHECK,
        asset_key=asset_key(table.full_name),
        metadata=metadata | ({"reason": fault} if fault else {}),
    )


def _materialized(
    table: Table, folders: Folders, started: float, kept: Kept, metadata: dict[str, Any] | None = None
) -> dg.MaterializeResult[Any]:
    path, key = folders.tables.path(table.full_name), asset_key(table.full_name)
    rows = row_count(path)
    refused = row_count(folders.tables.quarantine_path(table.full_name))
    checks = [_checked(table, rows, kept.reasons, refused=refused)] if table.full_name in CHECKED else []
    return dg.MaterializeResult(
        asset_key=key,
        metadata={
            "dagster/row_count": rows,
            "rows_refused": refused,
            "seconds": round(time.perf_counter() - started, 4),
            "changed": kept.changed,
            "path": dg.MetadataValue.path(path.as_posix()),
            **(metadata or {}),
        },
        check_results=checks,
    )
