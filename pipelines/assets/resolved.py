"""The layer resolved, as far as it is no SQL: what each printed name means, and the known errors of sources."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pyarrow as pa

from pipelines.assets.extracted import assets_giving
from pipelines.assets.folders import Folders
from pipelines.assets.tables import asset_spec, keep_rows, store_table
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import TABLES
from pipelines.validate.corrections import known_errors
from pipelines.vocabulary.resolution import resolve_name
from pipelines.warehouse import base_tables, internal_query, run_sql

NAMES = TABLES["resolved.names"]
KNOWN_ERRORS = TABLES["internal.known_errors"]
_PRINTED = internal_query("printed_names")


@dg.multi_asset(
    name="resolved__names",
    specs=[asset_spec(NAMES, deps=assets_giving(base_tables(_PRINTED)), kinds={"python", "yaml"})],
)
def names(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """Canonical name, facts and suggestion for every printed name; beside them the entries of `corrections.yml`."""
    started = time.perf_counter()
    printed = run_sql(_PRINTED, folders.tables).to_pylist()
    keep_rows(pa.Table.from_pylist(known_errors(), schema=arrow_schema(KNOWN_ERRORS)), KNOWN_ERRORS, folders.tables)
    rows = pa.Table.from_pylist([resolve_name(row) for row in printed], schema=arrow_schema(NAMES))
    yield store_table(rows, NAMES, folders, started)


ASSETS = [names]
