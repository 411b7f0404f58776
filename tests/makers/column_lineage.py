"""Generates `pipelines/sql/column_lineage.csv`: the inputs of every column of every table that SQL
makes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

from pipelines.extract.rows import EXTRACTED_TABLES
from pipelines.schemas.tables import TABLES
from pipelines.vocabulary.dimensions import dimensions
from pipelines.warehouse.queries import (
    INTERNAL,
    LINEAGE_FILE,
    Dependency,
    internal_query,
    internal_steps,
    referenced_tables,
)
from pipelines.warehouse.reader import SQL_FOLDER


class Input(NamedTuple):
    """What a column is made of.

    Attributes:
        table: Full name of a table.
        column: One of its columns; None when its rows are counted.
    """

    table: str
    column: str | None


_COLUMNS = [*dict.fromkeys(one.column for one in dimensions().values() if one.column)]
# What macros make of a result: the columns that they read.
IDENTITY = {
    "identity_columns": _COLUMNS,
    "identity_conditions": ["conditions"],
    "identity_entries": ["conditions", *_COLUMNS],
    "identity_of": ["conditions", *_COLUMNS],
}
_FOLDERS = ("resolved", "audit", "main")
_DIALECT = "duckdb"


def write_lineage() -> None:
    """Write the file again."""
    with LINEAGE_FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Dependency._fields)
        writer.writerows(derive_lineage())


def derive_lineage() -> list[Dependency]:
    """The dependencies of every column of every table under `pipelines/sql`; steps in between are
    looked through.

    A filter, a join and a grouping decide which rows there are, and are no inputs of a column.
    """
    queries = {
        f"{folder}.{path.stem}": path.read_text("utf-8")
        for folder in _FOLDERS
        for path in sorted((SQL_FOLDER / folder).glob("*.sql"))
    }
    for query in (*queries.values(),):
        queries |= {f"{INTERNAL}.{name}": internal_query(name) for name in internal_steps(query)}
    schema: dict[str, Any] = {}
    for table in (*TABLES.values(), *EXTRACTED_TABLES.values()):
        schema.setdefault(table.layer, {})[table.name] = {
            column.name: "text" for column in table.columns
        }
    steps: dict[str, _Query] = {}
    found: list[Dependency] = []
    reads = {name: referenced_tables(query) & queries.keys() for name, query in queries.items()}
    for full_name in TopologicalSorter(reads).static_order():
        parsed = sqlglot.parse_one(queries[full_name], read=_DIALECT)
        qualified = qualify(
            parsed, schema=schema, dialect=_DIALECT, quote_identifiers=False, identify=False
        )
        scope = build_scope(qualified)
        if scope is None:
            raise ValueError(f"the query of {full_name} gives no rows")
        query = _Query(scope, steps)
        layer, name = full_name.split(".", 1)
        if layer == INTERNAL and full_name not in TABLES:
            steps[full_name] = query
            schema.setdefault(layer, {})[name] = dict.fromkeys(_names(scope), "text")
            continue
        for column in TABLES[full_name].columns:
            found += [
                Dependency(full_name, column.name, *made_of)
                for made_of in query.inputs(column.name)
            ]
    return sorted(
        found,
        key=lambda dependency: (
            dependency.table,
            dependency.column,
            dependency[2],
            dependency[3] or "",
        ),
    )


class _Query:
    """A qualified query whose columns are followed to the stored tables."""

    def __init__(self, scope: Scope, steps: dict[str, _Query]) -> None:
        self._scope, self._steps = scope, steps
        self._known: dict[tuple[int, str], frozenset[Input]] = {}

    def inputs(self, column: str) -> frozenset[Input]:
        """What a column of the query is made of."""
        return self._of(self._scope, column)

    def rows(self) -> Iterator[Input]:
        """The tables whose rows the query has."""
        return self._rows(self._scope)

    def _of(self, scope: Scope, column: str, field: str | None = None) -> frozenset[Input]:
        """What a column of a scope is made of; of a column that holds whole rows, one field of
        them.
        """
        key = (id(scope), f"{column}.{field}")
        if key not in self._known:
            # A recursive query asks for itself.
            self._known[key] = frozenset()
            self._known[key] = frozenset(self._look(scope, column, field))
        return self._known[key]

    def _look(self, scope: Scope, column: str, field: str | None) -> Iterator[Input]:
        expression = scope.expression
        if isinstance(expression, exp.SetOperation):
            first, second = scope.set_operation_scopes
            names = _names(first), _names(second)
            if column in names[0]:
                yield from self._of(first, column, field)
                if not expression.args.get("by_name"):
                    column = names[1][names[0].index(column)]
            if column in names[1]:
                yield from self._of(second, column, field)
            return
        for selected in _query(scope).selects:
            if selected.alias_or_name == column:
                yield from self._within(scope, selected, field)

    def _within(
        self, scope: Scope, expression: exp.Expr, field: str | None = None
    ) -> Iterator[Input]:
        """Everything that an expression of a scope names."""
        inner = {id(one.expression): one for one in scope.subquery_scopes}
        for node in expression.walk(prune=lambda node: id(node) in inner):
            if id(node) in inner:
                for column in _names(inner[id(node)]):
                    yield from self._of(inner[id(node)], column)
            elif isinstance(node, exp.TableColumn):
                # A source named like a column is its whole row.
                source = _source(scope, node.name)
                columns = [field] if field else _names(source) if isinstance(source, Scope) else []
                if isinstance(node.parent, exp.Anonymous):
                    columns = IDENTITY.get(node.parent.name, columns)
                for column in columns:
                    yield from self._of_source(source, column)
            elif isinstance(node, exp.Column):
                of_row = node.parent
                asked = (
                    of_row.expression.name
                    if isinstance(of_row, exp.Dot) and of_row.this is node
                    else field
                )
                yield from self._of_source(_source(scope, node.table), node.name, asked)
            elif isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
                for _, source in scope.selected_sources.values():
                    yield from self._rows(source)

    def _of_source(
        self, source: exp.Expr | Scope | None, column: str, field: str | None = None
    ) -> Iterator[Input]:
        if isinstance(source, exp.Table):
            step = self._steps.get(_full_name(source))
            yield from step.inputs(column) if step else [Input(_full_name(source), column)]
        elif isinstance(source, Scope) and isinstance(source.expression, exp.Query):
            yield from self._of(source, column, field)
        elif isinstance(source, Scope):
            # `unnest(...)` and its like: what goes in.
            yield from self._within(source, source.expression)

    def _rows(self, source: exp.Expr | Scope) -> Iterator[Input]:
        """The tables whose rows a source has."""
        if isinstance(source, Scope):
            for _, one in source.selected_sources.values():
                yield from self._rows(one)
        elif step := self._steps.get(_full_name(source)):
            yield from step.rows()
        else:
            yield Input(_full_name(source), None)


def _query(scope: Scope) -> exp.Query:
    if not isinstance(scope.expression, exp.Query):
        raise TypeError(f"no query: {scope.expression.sql(_DIALECT)}")
    return scope.expression


def _names(scope: Scope) -> list[str]:
    return [*_query(scope).named_selects]


def _source(scope: Scope, name: str) -> Any:
    """The source that a name means in a scope: its own, or that of a query around it; None where
    there is none.
    """
    within: Scope | None = scope
    while within is not None and name not in within.sources:
        within = within.parent
    return within.sources[name] if within is not None else None


def _full_name(table: exp.Expr) -> str:
    return f"{table.args['db'].name}.{table.name}"
