"""The layer resolved, as far as it is no SQL: what each printed name means, and the known errors of sources."""

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
from pipelines.validate.corrections import known_errors
from pipelines.vocabulary.resolution import resolve_name

NAMES = TABLES["resolved.names"]
KNOWN_ERRORS = TABLES["resolved.known_errors"]
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


@dg.multi_asset(
    name="resolved__known_errors",
    specs=[asset_spec(KNOWN_ERRORS, deps=[], kinds={"python", "yaml"})],
    check_specs=[check_spec(KNOWN_ERRORS)],
)
def listed_errors(folders: Folders) -> Iterator[dg.MaterializeResult[Any]]:
    """The entries of `corrections.yml`."""
    started = time.perf_counter()
    rows = pa.Table.from_pylist(known_errors(), schema=arrow_schema(KNOWN_ERRORS))
    yield store_table(rows, KNOWN_ERRORS, folders, started)


ASSETS = [names, listed_errors]
