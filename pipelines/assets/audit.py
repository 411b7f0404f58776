"""The layer audit, as far as it is no SQL over tables: what was not let in."""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa

from pipelines.assets.folders import Cluster, Folders
from pipelines.assets.tables import asset_spec, store_table
from pipelines.document_tables import ensure_rows, refused_rows
from pipelines.publication import WorkingCopy, published_rows
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.column import SCOPES
from pipelines.schemas.tables import TABLES, Table
from pipelines.settings import build_time
from pipelines.tables import Tables, run_sql
from pipelines.validate.quarantine import REFUSED
from pipelines.validate.rejects_history import closed_rejects, identify, open_rejects

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
union all
select
    document_id, path, line, char_start, char_end, extractor, rule, reason, scope, row_json
from extracted.refused
"""


@dg.multi_asset(
    name="audit__rejects",
    specs=[asset_spec(table, deps=_SOURCES, kinds={"python", "duckdb"}) for table in (REJECTS, CLOSED)],
)
def rejects(
    context: dg.AssetExecutionContext, folders: Folders, cluster: Cluster
) -> Iterator[dg.MaterializeResult[Any]]:
    """What the store, the readers and the contracts refuse, and what they refused before."""
    with folders.step(context) as working:
        started = time.perf_counter()
        ensure_rows(working, folders.raw_path, folders.cache, cluster.engine(folders.cache))
        now, paths = build_time(), _paths(working.tables)
        refused = identify({**row, "path": row["path"] or paths.get(row["document_id"])} for row in _refused(working))
        before = [row for table in (REJECTS, CLOSED) for row in _before(folders.folder, table)]
        now_open = open_rejects(sorted(refused, key=_place), before, now)
        counts = {f"rejects_{scope}": sum(row["scope"] == scope for row in now_open) for scope in SCOPES}
        yield store_table(_table(now_open, REJECTS), REJECTS, working, started, counts)
        started = time.perf_counter()
        closed = closed_rejects(now_open, before, paths, now)
        yield store_table(_table(closed, CLOSED), CLOSED, working, started)


def _refused(working: WorkingCopy) -> list[dict[str, Any]]:
    """What was refused, wherever."""
    parts = [run_sql(_REFUSED_BY_READERS, working.tables).cast(REFUSED), refused_rows(working)]
    rows: list[dict[str, Any]] = pa.concat_tables(parts).to_pylist()
    return rows


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Where a reject stands in the list, whatever refused it first."""
    where = (row["path"] or "", row["line"] or 0, row["char_start"] or 0)
    return (*where, row["rule"], row["reason"], row["row_json"] or "", row["reject_id"])


def _before(folder: Path, table: Table) -> list[dict[str, Any]]:
    """The rows of a table as published."""
    rows, names = published_rows(folder, _PUBLISHED[table.full_name]), arrow_schema(table).names
    # Another version may have published it, with other columns.
    if rows is None or not {*names} <= {*rows.column_names}:
        return []
    known: list[dict[str, Any]] = rows.select(names).to_pylist()
    return known


def _paths(tables: Tables) -> dict[str, str]:
    """Path of each stored document."""
    rows = tables.read("raw.documents", ["document_id", "path"]).to_pylist()
    return {row["document_id"]: row["path"] for row in rows}


def _table(rows: list[dict[str, Any]], table: Table) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=arrow_schema(table))


ASSETS = [rejects]
