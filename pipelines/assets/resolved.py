"""The layer resolved, as far as it is no SQL: what each printed name means."""

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
from pipelines.schemas.tables import TABLES
from pipelines.vocabulary.resolution import resolve_name

NAMES = TABLES["resolved.names"]
_PRINTED = "extracted.printed_names"


@dg.multi_asset(
    name="resolved__names",
    specs=[asset_spec(NAMES, deps=[_PRINTED], kinds={"python", "yaml"})],
    check_specs=[check_spec(NAMES)],
)
def names(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """Canonical name, facts and suggestion for every printed name."""
    started = time.perf_counter()
    printed = pq.read_table(folders.tables.path(_PRINTED)).to_pylist()
    rows = pa.Table.from_pylist([resolve_name(row) for row in printed], schema=arrow_schema(NAMES))
    yield store_table(rows, NAMES, folders, started)


ASSETS = [names]
