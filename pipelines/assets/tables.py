"""What every table asset does the same way: check the rows, set refused ones aside, write, tell Dagster."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.made_from import remember
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.columns import ColumnType
from pipelines.schemas.tables import TABLES, Table
from pipelines.validate.contracts import contract_stamp
from pipelines.validate.quarantine import ContractError, Quarantined, quarantine
from pipelines.warehouse import Tables, row_count, write_parquet

# What a table refuses: a reject before the builds are compared (`validate/rejects_history.py`).
REFUSED = pa.schema(
    [field for field in arrow_schema(TABLES["audit.rejects"]) if field.name not in ("reject_id", "first_seen")]
)

OWNERS = ["team:benchledger"]
CHECK = "contract"
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


def check_spec(table: Table) -> dg.AssetCheckSpec:
    """The blocking check that a table meets its contract."""
    return dg.AssetCheckSpec(
        CHECK,
        asset=asset_key(table.full_name),
        blocking=True,
        description="Columns, types, allowed values, keys and relations in a row, as pipelines/schemas declares.",
    )


def store_table(
    rows: pa.Table,
    table: Table,
    folders: Folders,
    started: float,
    metadata: dict[str, Any] | None = None,
    remembered_as: str | None = None,
) -> dg.MaterializeResult[Any]:
    """Check a table's rows and put them in place; refused rows go to the quarantine.

    A frame that breaks its contract as a whole is not written: the check fails and stops everything below it.

    Args:
        rows: The frame.
        table: Whose rows they are.
        folders: Where they go.
        started: When making them began.
        metadata: What Dagster shows beside the counts.
        remembered_as: Stamp of what they were made from, kept when they are in place.
    """
    try:
        changed = keep_rows(rows, table, folders.tables)
    except ContractError as error:
        failed = dg.AssetCheckResult(
            passed=False, check_name=CHECK, asset_key=asset_key(table.full_name), metadata={"reason": str(error)}
        )
        return dg.MaterializeResult(asset_key=asset_key(table.full_name), check_results=[failed])
    if remembered_as is not None:
        remember(table, remembered_as, folders.tables)
    return _materialized(table, folders, started, changed, metadata)


def keep_rows(rows: pa.Table, table: Table, tables: Tables) -> bool:
    """Put the rows that meet the contract in place and the others in the quarantine; False when they are there already.

    Raises:
        ContractError: The frame breaks its contract as a whole, and nothing is written.
    """
    source = table.filled_with
    # The stamp says which contract the rows of a file have met: the same rows under the same contract pass again.
    rows = rows.replace_schema_metadata({"contract": contract_stamp(table)})
    if rows.num_rows and tables.holds(table.full_name, rows):
        parted = Quarantined(rows, [])
    else:
        parted = quarantine(rows, table, inputs_have_rows=bool(source and tables.row_count(source)))
    changed = tables.write(table.full_name, parted.valid)
    write_parquet(tables.quarantine_path(table.full_name), pa.Table.from_pylist(parted.rejects, schema=REFUSED))
    return changed


def standing_table(table: Table, folders: Folders, started: float) -> dg.MaterializeResult[Any]:
    """Tell Dagster of a table that stands already, with rows that have met their contract."""
    return _materialized(table, folders, started, changed=False)


def check_standing_table(table: Table, tables: Tables) -> dg.AssetCheckResult:
    """Check the rows of a table as they stand, when only that is asked for; nothing is made or written."""
    key, path = asset_key(table.full_name), tables.path(table.full_name)
    if not path.exists():
        reason, rows, refused = "the table was not made yet; materialise it first", 0, []
    else:
        source, standing = table.filled_with, pq.read_table(path)
        rows = standing.num_rows
        try:
            found = quarantine(standing, table, inputs_have_rows=bool(source and tables.row_count(source)))
            refused = [str(row["reason"]) for row in found.rejects]
            reason = "; ".join(dict.fromkeys(refused[:_REASONS_TOLD]))
        except ContractError as error:
            reason, refused = str(error), []
    metadata: dict[str, Any] = {"rows": rows, "refused": len(refused)} | ({"reason": reason} if reason else {})
    return dg.AssetCheckResult(passed=not reason, check_name=CHECK, asset_key=key, metadata=metadata)


def _materialized(
    table: Table, folders: Folders, started: float, changed: bool, metadata: dict[str, Any] | None = None
) -> dg.MaterializeResult[Any]:
    path, key = folders.tables.path(table.full_name), asset_key(table.full_name)
    rows = row_count(path)
    refused = row_count(folders.tables.quarantine_path(table.full_name))
    return dg.MaterializeResult(
        asset_key=key,
        metadata={
            "dagster/row_count": rows,
            "rows_refused": refused,
            "seconds": round(time.perf_counter() - started, 4),
            "changed": changed,
            "path": dg.MetadataValue.path(path.as_posix()),
            **(metadata or {}),
        },
        check_results=[
            dg.AssetCheckResult(
                passed=True, check_name=CHECK, asset_key=key, metadata={"rows": rows, "refused": refused}
            )
        ],
    )
