"""The SQL files: their names, and the tables that each query reads.

Which columns each column is made of is listed in `pipelines/sql/column_lineage.csv`. The file is
generated from the queries (`make golden`, `tests/makers/column_lineage.py`), so that a build need
not parse them and a change of a query shows what it changes. What a printed number went through
belongs in `trace`.
"""

from __future__ import annotations

import csv
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.schemas.tables import LAYERS, TABLES
from pipelines.vocabulary.dimensions import identity_macros
from pipelines.warehouse.reader import SQL_FOLDER, query_published

# The folder and schema of steps in between: tables of one query, never stored.
INTERNAL = "internal"
_SCHEMAS = frozenset({*LAYERS, "extracted", INTERNAL})
LINEAGE_FILE = SQL_FOLDER / "column_lineage.csv"


@cache
def cost_macros() -> str:
    """The statements of the macros that costs are computed with, for a session; the published file
    has them, too.
    """
    return (SQL_FOLDER / "macros.sql").read_text("utf-8")


@cache
def table_queries() -> dict[str, str]:
    """The query of every table that SQL makes, by the table's full name."""
    paths = sorted(SQL_FOLDER.glob("*/*.sql"))
    return {
        name: path.read_text("utf-8")
        for path in paths
        if (name := f"{path.parent.name}.{path.stem}") in TABLES
    }


@cache
def referenced_tables(sql: str) -> frozenset[str]:
    """Full names of the tables that a query reads; bare names are its own CTEs."""
    # To parse fifty queries takes ten times as long.
    lines = [line for line in sql.splitlines() if not line.lstrip().startswith("--")]
    found = set[str]()
    for before, name in pairwise(" ".join(lines).split()):
        schema, _, table = name.rstrip(");,").partition(".")
        # `is distinct from r.value` names no table, but a column; `main.results_as_of(day)` is a
        # macro.
        is_named = before.lstrip("(") in ("from", "join") and schema in _SCHEMAS
        if is_named and table.isidentifier():
            found.add(f"{schema}.{table}")
    return frozenset(found)


@cache
def internal_query(name: str) -> str:
    """The query of a step without a published table: `sql/internal/<name>.sql`, named
    `internal.<name>` in others.
    """
    return (SQL_FOLDER / INTERNAL / f"{name}.sql").read_text("utf-8")


def command_query(name: str) -> str:
    """The query of a command: `sql/commands/<name>.sql`."""
    return (SQL_FOLDER / "commands" / f"{name}.sql").read_text("utf-8")


def command_rows(warehouse: Path, name: str, parameters: list[Any] | None = None) -> pa.Table:
    """The rows of `sql/commands/<name>.sql` on the published warehouse of a folder."""
    return query_published(warehouse, command_query(name), parameters)


@cache
def internal_steps(sql: str) -> tuple[str, ...]:
    """Names of the internal queries that a query rests on, each after those that it rests on
    itself.
    """
    found: dict[str, None] = {}
    for full_name in sorted(referenced_tables(sql)):
        layer, name = full_name.split(".", 1)
        if layer == INTERNAL and (SQL_FOLDER / INTERNAL / f"{name}.sql").exists():
            found |= dict.fromkeys((*internal_steps(internal_query(name)), name))
    return tuple(found)


@cache
def base_tables(sql: str) -> frozenset[str]:
    """Full names of the stored tables that a query and its internal steps read."""
    steps = internal_steps(sql)
    read = referenced_tables(sql).union(
        *(referenced_tables(internal_query(name)) for name in steps)
    )
    return read - {f"{INTERNAL}.{name}" for name in steps}


# No column of these queries may be called `day`, the parameter of the macro.
# What the results of a day are made of: what was seen until then. The published file has the
# rejects of readers, too.
_UNTIL = {
    "raw.sightings": "select * from raw.sightings where snapshot_on <= day::date",
    "raw.fetches": "select * from raw.fetches where attempted_at::date <= day::date",
    "extracted.rejects": "select * from audit.rejects",
}
_AS_OF = "main.result_history", "main.current_results"


@cache
def results_as_of(of_formats: str) -> str:
    """The statements of the macro `main.results_as_of(day)`: the queries of `main.current_results`,
    until a day.

    Args:
        of_formats: The statement of the macro of source formats, which it needs.
    """
    queries = table_queries()
    steps = dict(_UNTIL)
    for full_name in _AS_OF:
        steps |= {
            f"{INTERNAL}.{name}": internal_query(name)
            for name in internal_steps(queries[full_name])
        }
        steps[full_name] = queries[full_name]
    parts = []
    for full_name, sql in steps.items():
        for name in () if full_name in _UNTIL else steps:
            sql = sql.replace(name, _step(name))
        parts.append(f"{_step(full_name)} as (\n{sql}\n)")
    body = f"with {', '.join(parts)}\nfrom {_step(_AS_OF[-1])} order by benchmark_key"
    macros = f"{cost_macros()} {identity_macros()}; {of_formats}".replace(
        "temp macro ", "macro main."
    )
    return f"{macros}; create or replace macro main.results_as_of(day) as table ({body})"


def _step(full_name: str) -> str:
    return f"{full_name.replace('.', '_')}_until"


class Dependency(NamedTuple):
    """One line of the file: a column of a table that SQL makes, and one of its inputs; without a
    column the rows of the table are counted.
    """

    table: str
    column: str
    from_table: str
    from_column: str | None


@cache
def column_lineage() -> tuple[Dependency, ...]:
    """Every dependency, as generated, in the order of tables and names."""
    with LINEAGE_FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Dependency(table, column, of, name or None)
            for table, column, of, name in [*csv.reader(file)][1:]
        )


@cache
def inputs_of(full_name: str) -> dict[str, list[Dependency]]:
    """The inputs of each column of a table that SQL makes; columns that are made of nothing are
    left out.
    """
    found: dict[str, list[Dependency]] = {}
    for one in column_lineage():
        if one.table == full_name:
            found.setdefault(one.column, []).append(one)
    return found
