"""The layer audit, as far as it is no SQL over tables: what was not let in."""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg

from pipelines.assets.folders import Cluster, Folders
from pipelines.assets.tables import asset_spec, make_table
from pipelines.build.document_tables import ensure_rows
from pipelines.build.rejects import CLOSED_REJECTS, OPEN_REJECTS, REFUSED_NOW, record_rejects, refused_rows
from pipelines.schemas.columns import COLUMNS
from pipelines.schemas.tables import TABLES
from pipelines.settings import build_time

REJECTS = TABLES["audit.rejects"]
CLOSED = TABLES["audit.closed_rejects"]
# A step's own lists and the rows in the printed words come before these; what they refuse counts, too.
_REFUSING = sorted(name for name, table in TABLES.items() if table.layer not in ("audit", "main"))
_SOURCES = [name for name in _REFUSING if TABLES[name].layer in ("raw", "resolved")]

_SCOPES = f"select scope, count(*) as n from {REFUSED_NOW} group by scope"


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
        ensure_rows(working, folders.raw_path, folders.cache, cluster.engine(folders.work))
        record_rejects(working.tables, refused_rows(working), build_time())
        found = {row["scope"]: row["n"] for row in working.tables.query(_SCOPES).to_pylist()}
        counts = {f"rejects_{scope}": found.get(scope, 0) for scope in COLUMNS["scope"].one_of or ()}
        yield make_table(REJECTS, OPEN_REJECTS, working, started, counts)
        started = time.perf_counter()
        yield make_table(CLOSED, CLOSED_REJECTS, working, started)


ASSETS = [rejects]
