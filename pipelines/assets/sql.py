"""Every table made by SQL: one asset per file under `sql/<schema>/`; what it depends on is read from the query.

The tables of a stage are one step: a step for every table would cost more than its work. In the UI a single table can
be made all the same.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of the context itself.

import time
from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from typing import Any

import dagster as dg

from pipelines.assets.extracted import assets_giving
from pipelines.assets.folders import Folders
from pipelines.assets.tables import (
    asset_key,
    asset_spec,
    check_specs,
    executed_checks,
    standing_table,
    store_table,
)
from pipelines.column_lineage import inputs_of
from pipelines.made_from import stamp, stands
from pipelines.schemas.tables import TABLES
from pipelines.warehouse import SQL_FOLDER, base_tables, run_table_sql, whole_query

# The layers of each stage. Names are looked up before the second, evidence is checked before the third.
_STAGES = (("resolved",), ("audit", "main"))


_QUERIES = {f"{path.parent.name}.{path.stem}": path.read_text("utf-8") for path in sorted(SQL_FOLDER.glob("*/*.sql"))}
_INPUTS = {name: base_tables(query) for name, query in _QUERIES.items() if name in TABLES}


def _in_order(layers: Collection[str]) -> list[str]:
    """The tables of the layers, each after those that it reads."""
    reads = {name: inputs for name, inputs in _INPUTS.items() if name.split(".")[0] in layers}
    graph = TopologicalSorter({name: sorted(inputs & reads.keys()) for name, inputs in sorted(reads.items())})
    return [*graph.static_order()]


def _sql_assets(layers: tuple[str, ...]) -> dg.AssetsDefinition:
    names = _in_order(layers)

    @dg.multi_asset(
        name=f"{'_and_'.join(layers)}__tables",
        specs=[asset_spec(TABLES[name], deps=assets_giving(_INPUTS[name]), kinds={"sql", "duckdb"}) for name in names],
        check_specs=check_specs(TABLES[name] for name in names),
        can_subset=True,
    )
    def tables_from_sql(
        context: dg.AssetExecutionContext, folders: Folders
    ) -> Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]:
        yield from executed_checks(context, folders.tables)
        for name in names:
            if asset_key(name) in context.selected_asset_keys:
                made = _make(name, folders)
                yield made
                if made.check_results and not all(check.passed for check in made.check_results):
                    return

    return tables_from_sql


def _make(name: str, folders: Folders) -> dg.MaterializeResult[Any]:
    started, tables, table, query = time.perf_counter(), folders.tables, TABLES[name], _QUERIES[name]
    stamped = stamp(whole_query(query), table, _INPUTS[name], tables)
    if stands(table, stamped, tables):
        return standing_table(table, folders, started)
    rows = run_table_sql(query, table, tables)
    return store_table(rows, table, folders, started, _column_lineage(name), remembered_as=stamped)


def _column_lineage(name: str) -> dict[str, Any]:
    """Which columns of which assets each column is made of, as Dagster keeps it."""
    made_of: dict[str, list[dg.TableColumnDep]] = {}
    for column, inputs in inputs_of(name).items():
        # Rows in the printed words come from several assets, one a format, and of these an asset gives several kinds.
        named = {(asset, one.column) for one in inputs if one.column for asset in assets_giving([one.table])}
        made_of[column] = [dg.TableColumnDep(asset_key(asset), of) for asset, of in sorted(named)]
    return {"dagster/column_lineage": dg.TableColumnLineage(made_of)}


ASSETS = [_sql_assets(layers) for layers in _STAGES]
