"""The lineage graph that the Dagster UI shows, as a golden file, and what every asset says of
itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from makers.column_lineage import derive_lineage, write_lineage

from pipelines.assets.contract_checks import CHECKED, COMPUTED
from pipelines.assets.instance import BUILD
from pipelines.assets.steps import step_assets
from pipelines.definitions import benchledger
from pipelines.schemas.tables import PUBLISHED
from pipelines.warehouse.queries import LINEAGE_FILE, column_lineage, inputs_of, referenced_tables
from pipelines.warehouse.reader import SQL_FOLDER

GOLDEN = Path(__file__).parents[1] / "fixtures" / "lineage.txt"


@pytest.fixture(scope="module")
def definitions() -> dg.Definitions:
    return benchledger()


def lineage(definitions: dg.Definitions) -> str:
    graph = definitions.resolve_asset_graph()
    lines = []
    for group in ("raw", "extracted", "resolved", "audit", "main", "warehouse"):
        lines.append(f"# {group}")
        for key in sorted(graph.get_all_asset_keys(), key=lambda key: key.path):
            node = graph.get(key)
            if node.group_name == group:
                parents = ", ".join(sorted(".".join(parent.path) for parent in node.parent_keys))
                lines.append(f"{'.'.join(key.path)} <- {parents or '-'}")
    return "\n".join(lines) + "\n"


def test_the_lineage_graph_is_the_golden_one(definitions: dg.Definitions) -> None:
    text = lineage(definitions)
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_every_asset_says_what_it_is(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.description, key
        assert node.kinds, key
        assert node.owners, key
        if key != dg.AssetKey("warehouse") and node.group_name not in ("extracted", "sources"):
            schema = node.metadata["dagster/column_schema"]
            assert all(column.description and column.type for column in schema.columns), key


def test_checks_stand_where_a_reader_looks_for_them(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    checked = {
        ".".join(key.asset_key.path) for key in graph.asset_check_keys if key.name == "contract"
    }
    assert checked == CHECKED
    assert {table.full_name for table in PUBLISHED if table.layer == "main"} - COMPUTED <= checked
    of_sources = {"page_is_seen", "mapping_holds"}
    assert len([key for key in graph.asset_check_keys if key.name not in of_sources]) <= 15
    # A page that lost its rows is news about the page; the build of everything else goes on.
    loud = {"no_source_lost_its_rows", "sources_are_seen", "mappings_hold", *of_sources}
    assert {
        key.name for key in graph.asset_check_keys if not graph.get_check_spec(key).blocking
    } == loud


def test_one_job_builds_everything_in_one_process(definitions: dg.Definitions) -> None:
    job = definitions.resolve_job_def(BUILD)
    made = {
        key
        for key in definitions.resolve_asset_graph().get_all_asset_keys()
        if key.path[0] != "sources"
    }
    assert job.asset_layer.executable_asset_keys == made
    assert job.executor_def is dg.in_process_executor


@pytest.mark.parametrize("path", sorted(SQL_FOLDER.glob("*/*.sql")), ids=lambda path: path.stem)
def test_the_tables_of_a_query_are_those_of_its_syntax_tree(path: Path) -> None:
    query, nodes = path.read_text("utf-8"), list[dict[str, str]]()
    json.loads(
        *duckdb.execute("select json_serialize_sql($1::varchar)", [query]).fetchone(),
        object_hook=nodes.append,
    )
    named = {f"{one['schema_name']}.{one['table_name']}" for one in nodes if one.get("schema_name")}
    assert referenced_tables(query) == named


# By hand, from the queries: value, and what decides or counts it; `None` is a count of rows.
MADE_OF: dict[str, dict[str, set[tuple[str, str | None]]]] = {
    "main.sdk_progress": {
        "model": {("main.result_history", "model")},
        "sdk_from": {("main.result_history", "sdk_version")},
        "value_to": {("main.result_history", "value")},
        "speedup": {("main.result_history", "value"), ("resolved.results", "higher_is_better")},
        "is_beyond_reason": {
            ("main.result_history", "value"),
            ("resolved.results", "higher_is_better"),
        },
    },
    "audit.coverage": {
        "document_id": {("raw.documents", "document_id")},
        "lines": {("audit.line_ledger", None)},
        "numerals_unparsed": {("audit.numerals", None), ("audit.numerals", "status")},
        "marks_stored": {("resolved.chart_values", None)},
        "marks_refused": {("extracted.rejects", "row_json")},
        "marks_seen": {("extracted.rejects", "row_json"), ("resolved.chart_values", None)},
    },
    # Through rows that are kept whole, of which a later step takes a field.
    "main.platform_comparison": {
        "left_model": {("resolved.results", "model")},
        "left_platform": {("resolved.results", "platform")},
        "ratio": {("resolved.results", name) for name in ("value", "higher_is_better", "bound")},
    },
}


def test_the_column_lineage_is_that_of_the_queries() -> None:
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        write_lineage()
        column_lineage.cache_clear()
    assert column_lineage() == tuple(derive_lineage()), (
        f"{LINEAGE_FILE.name} is of other queries: run `make golden`"
    )


@pytest.mark.parametrize("table", MADE_OF)
def test_the_column_lineage_is_true(table: str) -> None:
    found = {
        column: {(one.from_table, one.from_column) for one in inputs}
        for column, inputs in inputs_of(table).items()
    }
    assert {column: found[column] for column in MADE_OF[table]} == MADE_OF[table]


def _made_by_sql() -> list[dg.AssetSpec]:
    specs = [spec for asset in step_assets() for spec in asset.specs]
    return [spec for spec in specs if "sql" in spec.kinds]


def test_dagster_shows_what_the_columns_of_every_query_are_made_of() -> None:
    for spec in _made_by_sql():
        shown = spec.metadata["dagster/column_lineage"].deps_by_column
        assert {*shown} == {*inputs_of(spec.key.to_user_string().replace("/", "."))}
        assert {dep.asset_key for deps in shown.values() for dep in deps} <= {
            dep.asset_key for dep in spec.deps
        }


def test_every_column_of_a_query_is_made_of_something() -> None:
    by_query = {spec.key.to_user_string().replace("/", ".") for spec in _made_by_sql()}
    said = {(table.full_name, column.name) for table in PUBLISHED for column in table.columns}
    missing = {
        (table, column)
        for table, column in said
        if table in by_query and column not in inputs_of(table)
    }
    # A version of the method, words that the query itself has, and what no reader reads of a claim.
    assert missing == {
        ("audit.claim_verdicts", "method_version"), ("audit.claim_verdicts", "assumption_unit"),
        ("resolved.claims", "statistic"), ("main.platform_comparison", "kind"),
        ("main.energy", "joules_bound"), ("main.energy", "power_basis"), ("main.token_costs", "price_basis"),
    }  # fmt: skip
