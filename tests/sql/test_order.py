"""Rows in any order give the same tables: what depends on an order says which, and shuffled rows
change nothing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from conftest import Ledger
from sql.given_rows import READ

from pipelines.extract.contract import formats_macro
from pipelines.schemas.tables import TABLES, Table, arrow_schema
from pipelines.warehouse.database import Tables, run_table_sql
from pipelines.warehouse.queries import base_tables, table_queries
from pipelines.warehouse.reader import SQL_FOLDER

Node = dict[str, Any]

QUERIES = sorted(SQL_FOLDER.glob("*/*.sql"))
TABLE_QUERIES = [path for path in QUERIES if f"{path.parent.name}.{path.stem}" in TABLES]

# The last two are macros that sort what they are given.
SORTS = ("list_sort", "texts_of", "words_of")
# Aggregates whose value depends on the order of the rows; sums do in their last digit, unless of
# integers.
LISTS = {
    "list", "array_agg", "string_agg", "group_concat", "listagg", "first", "last", "any_value", "arbitrary", "mode",
}  # fmt: skip
SUMS = {
    "sum",
    "avg",
    "mean",
    "fsum",
    "favg",
    "product",
    "stddev",
    "stddev_samp",
    "stddev_pop",
    "variance",
    "corr",
}
CHOICES = {"arg_min", "arg_max", "min_by", "max_by", "argmin", "argmax"}
OF_THE_MOMENT = {
    "random", "uuid", "gen_random_uuid", "now", "current_timestamp", "current_date", "today", "get_current_time",
}  # fmt: skip
INTEGERS = {"BIGINT", "HUGEINT", "INTEGER"}


@cache
def engine() -> duckdb.DuckDBPyConnection:
    """One for all trees: to start one takes longer than to parse a query."""
    return duckdb.connect(config={"threads": 1})


def tree(sql: str) -> Node:
    [(serialized,)] = engine().execute("select json_serialize_sql(?::varchar)", [sql]).fetchall()
    parsed: Node = json.loads(serialized)
    assert not parsed["error"], parsed.get("error_message")
    return parsed


def columns(node: Any) -> set[str]:
    """Names of the columns in an expression, without their tables."""
    if isinstance(node, list):
        return set().union(*map(columns, node))
    if not isinstance(node, dict):
        return set()
    own = {node["column_names"][-1]} if node.get("type") == "COLUMN_REF" else set()
    return own.union(*map(columns, node.values()))


def is_ordered(call: Node) -> bool:
    return bool(call.get("arg_orders") or (call.get("order_bys") or {}).get("orders"))


def unordered(node: Any, is_sorted: bool = False) -> Iterator[str]:
    """What of an expression depends on the order of the rows.

    Args:
        node: A part of the tree of a query.
        is_sorted: Whether the list that it gives is sorted.
    """
    if isinstance(node, list):
        for part in node:
            yield from unordered(part, is_sorted)
    if not isinstance(node, dict):
        return
    if node.get("class") in ("FUNCTION", "WINDOW"):
        name = node["function_name"].lower()
        values = [argument["expression"] for argument in node["arguments"]]
        if name in OF_THE_MOMENT:
            yield f"{name}() is another one every time"
        elif (
            name in LISTS
            and not is_ordered(node)
            and not (is_sorted and name in ("list", "array_agg"))
        ):
            yield f"{name}({', '.join(sorted(columns(values)))}) without an order"
        elif name in SUMS and not is_ordered(node) and not is_integer(values[0]):
            yield f"{name}({', '.join(sorted(columns(values)))}) without an order, and not of integers"
        elif name in CHOICES and not columns(values[0]) <= columns(values[1]):
            yield f"{name}({', '.join(sorted(columns(values[0])))}) by a key that leaves ties"
        is_sorted = name in SORTS or (is_sorted and name in ("flatten", "list_distinct"))
    if node.get("type") == "COLUMN_REF" and node["column_names"][-1].lower() in OF_THE_MOMENT:
        yield f"{node['column_names'][-1]} is another one every time"
    if node.get("type") == "DISTINCT_MODIFIER" and node["distinct_on_targets"]:
        yield "distinct on"
    for part in node.values():
        yield from unordered(part, is_sorted)


def is_integer(value: Node) -> bool:
    return (
        value.get("type") == "OPERATOR_CAST"
        and str(value["type_expr"].get("type_name")).upper() in INTEGERS
    )


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_no_query_depends_on_the_order_of_its_rows(path: Path) -> None:
    assert [*unordered(tree(path.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    ("faults", "expressions"),
    [
        (1, """list(a); list(a) over (partition by b); string_agg(a, ', '); any_value(a); first(a); arg_min(a, b);
            max_by(a, (b, c)); sum(a); avg(a::double); list_sort(list(first(a))); now(); current_date"""),
        (0, """list(a order by b); list(a order by b) over (partition by c); list_sort(list(a)); min(a); count(a);
            list_distinct(list_sort(flatten(list(a)))); first(a order by b); arg_min(a, (b, a)); sum(a::bigint);
            sum(a order by b); arg_max(format('{}', a), (b, a))"""),
    ],
)  # fmt: skip
def test_what_depends_on_an_order_is_seen_and_nothing_else(faults: int, expressions: str) -> None:
    for expression in expressions.split(";"):
        assert len([*unordered(tree(f"select {expression} as x from t"))]) == faults, expression


@pytest.fixture(scope="module")
def shuffled(shipped: Ledger) -> Iterator[Tables]:
    """The shipped tables, the rows of each in another order."""
    order, standing, tables = random.Random(1), shipped.tables(), Tables()
    tables.execute(formats_macro())
    # What a step of a build puts there for itself alone, no file of a query names.
    for name, table in ((name, table) for name, table in READ.items() if standing.holds(name)):
        rows = standing.query(f"select * from {name}").select(arrow_schema(table).names)
        places = pa.array(order.sample(range(rows.num_rows), rows.num_rows), pa.int64())
        tables.write(name, rows.take(places))
    standing.close()
    # Steps in between are made once for all queries.
    with tables.keeping_steps():
        yield tables


@pytest.mark.parametrize("path", TABLE_QUERIES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_shuffled_rows_give_the_same_table(shipped: Ledger, shuffled: Tables, path: Path) -> None:
    table = TABLES[f"{path.parent.name}.{path.stem}"]
    given = shuffled.query(path.read_text("utf-8"))
    assert {*given.schema.names} == {*arrow_schema(table).names}
    # They would be rounded in silence.
    for column in table.columns:
        given_type = given.schema.field(column.name).type
        assert column.type != "integer" or pa.types.is_integer(given_type), column.name
    made = given.select(arrow_schema(table).names).cast(arrow_schema(table))
    # A build writes the rows of its documents in rounds, and each round in the order of the query.
    assert sorted(map(repr, made.to_pylist())) == sorted(
        map(repr, shipped.sql(f"from {table.full_name}"))
    )


FILLED = [
    table
    for name, table in TABLES.items()
    if table.filled_with and not table.is_filled_otherwise and name in table_queries()
]


@pytest.mark.parametrize("table", FILLED, ids=lambda table: table.full_name)
def test_a_table_has_no_rows_without_those_that_fill_it(shuffled: Tables, table: Table) -> None:
    query, tables = table_queries()[table.full_name], Tables()
    tables.execute(formats_macro())
    for name in filter(shuffled.holds, base_tables(query)):
        tables.write(name, shuffled.query(f"from {name}"))
    assert tables.query(query).num_rows
    tables.write(str(table.filled_with), shuffled.query(f"from {table.filled_with} limit 0"))
    # A build makes no query whose table would be empty.
    assert tables.query(query).num_rows == 0
    assert run_table_sql(query, table, tables).num_rows == 0
    tables.close()
