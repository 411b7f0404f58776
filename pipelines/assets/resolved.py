"""The layer resolved, as far as it is no SQL: what each printed name means."""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pyarrow as pa

from pipelines.assets.extracted import assets_giving
from pipelines.assets.folders import Cluster, Folders
from pipelines.assets.tables import asset_spec, store_table
from pipelines.build.document_tables import ensure_rows, wait_for_names
from pipelines.build.queries import base_tables, internal_query
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.vocabulary.resolution import resolve_name

NAMES = TABLES["resolved.names"]
_PRINTED = internal_query("printed_names")


@dg.multi_asset(
    name="resolved__names",
    specs=[asset_spec(NAMES, deps=assets_giving(base_tables(_PRINTED)), kinds={"python", "yaml"})],
)
def names(context: dg.AssetExecutionContext, folders: Folders, cluster: Cluster) -> Iterator[dg.MaterializeResult[Any]]:
    """Canonical name, facts and suggestion for every printed name."""
    with folders.step(context) as working:
        started = time.perf_counter()
        ensure_rows(working, folders.raw_path, folders.cache, cluster.engine(folders.work))
        printed = working.tables.query(_PRINTED).to_pylist()
        before = working.tables.read(NAMES.full_name) if working.stands else arrow_schema(NAMES).empty_table()
        known = {_spelled(row): row for row in before.to_pylist()}
        # What a name means is the same as long as code and vocabularies are.
        named = [known[_spelled(row)] | row if _spelled(row) in known else resolve_name(row) for row in printed]
        rows = pa.Table.from_pylist(named, schema=arrow_schema(NAMES))
        if working.stands:
            wait_for_names(working, {*known}, {*map(_spelled, printed)})
        yield store_table(rows, NAMES, working, started)


def _spelled(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["kind"], row["name_printed"], row["suite"]


ASSETS = [names]
