"""Rows put in a table of the working copy: those that break its contract are rejects.

What a contract asks is in `validate`; which tables are made, and when, in `steps.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from pipelines.run.working_copy import WorkingCopy
from pipelines.schemas.tables import Table
from pipelines.validate.quarantine import (
    REFUSED,
    ContractError,
    allowed_rejects,
    part,
    quarantine,
    refuse_share,
)
from pipelines.warehouse.database import Tables


def store_table(rows: pa.Table, table: Table, working: WorkingCopy) -> bool:
    """Write the rows of a table that keep its contract.

    Returns:
        Whether they differ from those that are published.

    Raises:
        ContractError: Too many rows break the contract, or there are none though there should be.
    """
    source = table.filled_with
    has_inputs = bool(source and working.tables.row_count(source))
    parted = quarantine(rows, table, inputs_have_rows=has_inputs)
    working.refuse(parted.rejects)
    return working.write(table.full_name, parted.valid)


def make_table(table: Table, sql: str, working: WorkingCopy) -> bool:
    """Create a table from a query, and remove the rows that break its contract. See `store_table`.

    Raises:
        ContractError: See `store_table`.
        WarehouseError: A table that the query names was not made yet.
    """
    changed = working.make(table.full_name, sql)
    rejects = broken_rows(table, working.tables)
    if rejects:
        working.refused.append(working.tables.remove_rejected(table.full_name, rejects, REFUSED))
    return changed


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
