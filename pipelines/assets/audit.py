"""The layer audit, as far as it is no SQL over tables: everything that was not let in, now and before."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.assets.tables import REFUSED, asset_spec, store_table
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.column import SCOPES
from pipelines.schemas.tables import TABLES, Table
from pipelines.settings import build_time
from pipelines.validate.rejects_history import closed_rejects, identify, open_rejects
from pipelines.warehouse import Tables, WarehouseError, query_published, run_sql

REJECTS = TABLES["audit.rejects"]
CLOSED = TABLES["audit.closed_rejects"]
# A step's own lists and the rows in the printed words come before these; what they refuse counts, too.
_REFUSING = sorted(name for name, table in TABLES.items() if table.layer not in ("audit", "main"))
_SOURCES = [name for name in _REFUSING if TABLES[name].layer in ("raw", "resolved")]

_PUBLISHED = {
    "audit.rejects": "select * from audit.rejects",
    "audit.closed_rejects": "select * from audit.closed_rejects",
}
_REFUSED_BY_READERS = """
select
    r.document_id, d.path, r.line, r.char_start, r.char_end, r.extractor, r.rule, r.reason, r.scope, r.row_json
from extracted.rejects as r
inner join raw.documents as d on r.document_id = d.document_id
order by d.path, r.line, r.char_start, r.rule, r.reason, r.row_json
"""


@dg.multi_asset(
    name="audit__rejects",
    specs=[asset_spec(table, deps=_SOURCES, kinds={"python", "parquet"}) for table in (REJECTS, CLOSED)],
)
def rejects(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """What the store, the readers and the contracts refuse, and what they refused before."""
    started = time.perf_counter()
    tables, now = folders.tables, build_time()
    paths = _paths(tables)
    refused = identify({**row, "path": row["path"] or paths.get(row["document_id"])} for row in _refused(tables))
    before = [row for table in (REJECTS, CLOSED) for row in _before(tables, table)]
    now_open = open_rejects(refused, before, now)
    counts = {f"rejects_{scope}": sum(row["scope"] == scope for row in now_open) for scope in SCOPES}
    yield store_table(_table(now_open, REJECTS), REJECTS, folders, started, counts)
    started = time.perf_counter()
    closed = closed_rejects(now_open, before, paths, now)
    yield store_table(_table(closed, CLOSED), CLOSED, folders, started)


def _refused(tables: Tables) -> list[dict[str, Any]]:
    """What was refused in this build, wherever."""
    parts = [run_sql(_REFUSED_BY_READERS, tables).cast(REFUSED)]
    for name in ["raw.store", *_REFUSING]:
        if (path := tables.quarantine_path(name)).exists():
            parts.append(pq.read_table(path, schema=REFUSED))
    rows: list[dict[str, Any]] = pa.concat_tables(parts).to_pylist()
    return rows


def _before(tables: Tables, table: Table) -> list[dict[str, Any]]:
    """The rows of a table as published; where nothing is published, or by an older version, those of the last build."""
    names = arrow_schema(table).names
    path = tables.path(table.full_name)
    try:
        rows = query_published(tables.folder, _PUBLISHED[table.full_name])
    except WarehouseError:
        rows = None
    if (rows is None or not {*names} <= {*rows.column_names}) and path.exists():
        rows = pq.read_table(path)
    known: list[dict[str, Any]] = []
    if rows is not None and {*names} <= {*rows.column_names}:
        known = rows.select(names).to_pylist()
    return known


def _paths(tables: Tables) -> dict[str, str]:
    """Path of each stored document."""
    rows = pq.read_table(tables.path("raw.documents"), columns=["document_id", "path"]).to_pylist()
    return {row["document_id"]: row["path"] for row in rows}


def _table(rows: list[dict[str, Any]], table: Table) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=arrow_schema(table))


ASSETS = [rejects]
