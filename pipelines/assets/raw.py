"""The layer raw: the stored documents, the sources they came from, the attempts to fetch these."""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.tables import asset_key, asset_spec, check_specs, executed_checks, store_table
from pipelines.build.document_tables import take_up_documents
from pipelines.build.rejects import STORE
from pipelines.ingest.store import Store
from pipelines.object_addresses import shown
from pipelines.schemas.tables import TABLES

DOCUMENTS, SOURCES, SIGHTINGS, FETCHES = (
    TABLES[f"raw.{name}"] for name in ("documents", "sources", "sightings", "fetches")
)


def raw_assets(sources: Sequence[dg.AssetSpec]) -> dg.AssetsDefinition:
    """The tables of the store; `sources` are the assets that fill it from outside."""

    @dg.multi_asset(
        name="raw__documents",
        specs=[
            asset_spec(DOCUMENTS, deps=[], kinds={"python", "duckdb"}).merge_attributes(deps=sources),
            asset_spec(SOURCES, deps=[], kinds={"python", "duckdb"}),
            asset_spec(SIGHTINGS, deps=[], kinds={"python", "duckdb"}),
            asset_spec(FETCHES, deps=[], kinds={"python", "duckdb"}).merge_attributes(deps=sources),
        ],
        check_specs=check_specs((DOCUMENTS, SOURCES, SIGHTINGS, FETCHES)),
        can_subset=True,
    )
    def store(
        context: dg.AssetExecutionContext, folders: Folders
    ) -> Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]:
        """Every document under `raw/` whose bytes are those of its sidecar; the others are faults."""
        yield from executed_checks(context, folders)
        if not context.selected_asset_keys:
            return
        with folders.step(context) as working:
            started = time.perf_counter()
            stored = working.store = folders.list_store()
            if not len(stored.documents):
                faults_found = "; ".join(f"{fault.path}: {fault.reason}" for fault in stored.faults[:3])
                reason = faults_found or "add one with `benchledger add`"
                raise dg.Failure(
                    f"there is no document to read under {shown(folders.raw_path)}: {reason}", allow_retries=False
                )
            working.refuse(_faults(stored))
            tables = (
                (DOCUMENTS, stored.documents),
                (SOURCES, stored.sources),
                (SIGHTINGS, stored.sightings),
                (FETCHES, stored.fetches),
            )
            for table, rows in tables:
                if asset_key(table.full_name) not in context.selected_asset_keys:
                    continue
                found = rows.table()
                if table is DOCUMENTS:
                    take_up_documents(working, found)
                metadata = {"faults": len(stored.faults)} if table is DOCUMENTS else {}
                yield store_table(found, table, working, started, metadata)
                started = time.perf_counter()

    return store


def _faults(stored: Store) -> list[dict[str, Any]]:
    """What is stored and cannot be taken up, as rejects."""
    return [
        {
            "document_id": fault.document_id,
            "path": fault.path,
            "extractor": STORE,
            "rule": fault.rule,
            "reason": fault.reason,
            "scope": fault.scope,
        }
        for fault in stored.faults
    ]
