"""The layer audit, as far as it is no SQL over tables: everything that was not let in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.assets.folders import Folders
from pipelines.assets.tables import asset_spec, check_spec, store_table
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.column import SCOPES
from pipelines.schemas.tables import TABLES
from pipelines.warehouse import run_sql

REJECTS = TABLES["audit.rejects"]
_SOURCES = sorted(name for name, table in TABLES.items() if table.layer in ("raw", "extracted", "resolved"))

_REFUSED_BY_READERS = """
select r.document_id, d.path, r.line, r.extractor, r.rule, r.reason, r.scope, r.row_json
from extracted.rejects as r
inner join raw.documents as d on r.document_id = d.document_id
order by d.path, r.line, r.char_start, r.rule
"""


@dg.multi_asset(
    name="audit__rejects",
    specs=[asset_spec(REJECTS, deps=_SOURCES, kinds={"python", "parquet"})],
    check_specs=[check_spec(REJECTS)],
)
def rejects(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """What the store, the readers and the contracts refused."""
    started = time.perf_counter()
    tables = folders.tables
    schema = arrow_schema(REJECTS)
    parts = [run_sql(_REFUSED_BY_READERS, tables).cast(schema)]
    for name in ["raw.store", *_SOURCES]:
        if (path := tables.quarantine_path(name)).exists():
            parts.append(pq.read_table(path, schema=schema))
    rows = pa.concat_tables(parts)
    counts = {scope: rows["scope"].to_pylist().count(scope) for scope in SCOPES}
    yield store_table(rows, REJECTS, folders, started, {f"rejects_{scope}": n for scope, n in counts.items()})


ASSETS = [rejects]
