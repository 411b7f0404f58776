"""The layer raw: the stored documents."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pyarrow as pa

from pipelines.assets.folders import Folders
from pipelines.assets.tables import asset_spec, check_spec, store_table
from pipelines.ingest.store import read_store
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import TABLES
from pipelines.warehouse import write_parquet

DOCUMENTS = TABLES["raw.documents"]
FAULTS = "raw.store"


@dg.multi_asset(
    name="raw__documents",
    specs=[asset_spec(DOCUMENTS, deps=[], kinds={"python", "parquet"})],
    check_specs=[check_spec(DOCUMENTS)],
)
def documents(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """Every document under `raw/` whose bytes are those of its sidecar; the others are faults."""
    started = time.perf_counter()
    store = read_store(folders.raw_path)
    if not store.documents:
        faults_found = "; ".join(f"{fault.path}: {fault.reason}" for fault in store.faults[:3])
        reason = faults_found or "add one with `benchledger add`"
        raise dg.Failure(f"there is no document to read under {folders.raw}: {reason}", allow_retries=False)
    faults = [
        {
            "document_id": fault.document_id,
            "path": fault.path,
            "extractor": "store",
            "rule": fault.rule,
            "reason": fault.reason,
            "scope": "document",
        }
        for fault in store.faults
    ]
    schema = arrow_schema(TABLES["audit.rejects"])
    write_parquet(folders.tables.quarantine_path(FAULTS), pa.Table.from_pylist(faults, schema=schema))
    rows = pa.Table.from_pylist(store.documents, schema=arrow_schema(DOCUMENTS))
    yield store_table(rows, DOCUMENTS, folders, started, {"faults": len(faults)})


ASSETS = [documents]
