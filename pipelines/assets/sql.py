"""Every table made by SQL: one asset per file under `sql/<schema>/`; what it depends on is read from the query.

The tables of a stage are one step: a step for every table would cost more than its work. In the UI a single table can
be made all the same.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from pipelines.assets.extracted import assets_giving
from pipelines.assets.folders import Cluster, Folders
from pipelines.assets.tables import (
    asset_key,
    asset_spec,
    broken_contract,
    check_specs,
    executed_checks,
    make_table,
    materialized,
    seconds_since,
)
from pipelines.build.canonical_rows import in_order
from pipelines.build.column_lineage import inputs_of
from pipelines.build.corpus import Engine
from pipelines.build.document_tables import ensure_rows, resolve_documents
from pipelines.build.publication import WorkingCopy
from pipelines.build.queries import base_tables, table_queries
from pipelines.schemas.tables import TABLES
from pipelines.validate.quarantine import ContractError

# What is made document by document, and what looks across them. Names are looked up before the first, evidence is
# checked before the second.
_BY_DOCUMENT, _ACROSS = ("resolved",), ("audit", "main")

Made = Iterator[dg.MaterializeResult[Any]]


def _sql_assets(layers: tuple[str, ...]) -> dg.AssetsDefinition:
    names = in_order(layers)
    inputs = {name: base_tables(table_queries()[name]) for name in names}

    @dg.multi_asset(
        name=f"{'_and_'.join(layers)}__tables",
        specs=[
            asset_spec(TABLES[name], deps=assets_giving(inputs[name]), kinds={"sql", "duckdb"}).merge_attributes(
                metadata=_column_lineage(name)
            )
            for name in names
        ],
        check_specs=check_specs(TABLES[name] for name in names),
        can_subset=True,
    )
    def tables_from_sql(
        context: dg.AssetExecutionContext, folders: Folders, cluster: Cluster
    ) -> Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]:
        yield from executed_checks(context, folders)
        selected = [name for name in names if asset_key(name) in context.selected_asset_keys]
        if not selected:
            return
        with folders.step(context) as working:
            engine = cluster.engine(folders.work)
            ensure_rows(working, folders.raw_path, folders.cache, engine)
            by_document = layers == _BY_DOCUMENT
            for made in _resolve(selected, working, folders, engine) if by_document else _derive(selected, working):
                yield made
                if working.is_broken:
                    return

    return tables_from_sql


def _resolve(names: Sequence[str], working: WorkingCopy, folders: Folders, engine: Engine) -> Made:
    started = time.perf_counter()
    try:
        reasons = resolve_documents(working, folders.raw_path, engine)
    except ContractError as error:
        table = TABLES[error.table]
        yield broken_contract(table, working, error, working.tables.row_count(table.full_name))
        return
    seconds = seconds_since(started)
    for name in names:
        documents = len(working.made[name])
        yield materialized(
            TABLES[name],
            working,
            reasons[name],
            {"seconds": seconds, "documents_resolved": documents},
        )
        # All of them are made together.
        seconds = 0.0


def _column_lineage(name: str) -> dict[str, Any]:
    """Which columns of which assets each column is made of, as Dagster keeps it."""
    made_of: dict[str, list[dg.TableColumnDep]] = {}
    for column, inputs in inputs_of(name).items():
        # Rows in the printed words come from several assets, one a format, and of these an asset gives several kinds.
        named = {(asset, one.column) for one in inputs if one.column for asset in assets_giving([one.table])}
        made_of[column] = [dg.TableColumnDep(asset_key(asset), of) for asset, of in sorted(named)]
    return {"dagster/column_lineage": dg.TableColumnLineage(made_of)}


def _derive(names: Sequence[str], working: WorkingCopy) -> Made:
    for name in names:
        started = time.perf_counter()
        yield make_table(TABLES[name], table_queries()[name], working, started)


ASSETS = [_sql_assets(layers) for layers in (_BY_DOCUMENT, _ACROSS)]
