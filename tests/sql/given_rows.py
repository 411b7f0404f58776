"""Given rows for a table's query, and the rows it makes of them; nothing is read and nothing is
published.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from pipelines.extract.contract import formats_macro
from pipelines.extract.rows import EXTRACTED_TABLES
from pipelines.schemas.tables import DUCKDB_TYPES, LAYERS, TABLES, arrow_schema
from pipelines.validate.quarantine import quarantine
from pipelines.vocabulary.dimensions import identity_macros
from pipelines.warehouse.database import DIFFERENCES
from pipelines.warehouse.queries import base_tables, cost_macros, internal_query, internal_steps
from pipelines.warehouse.reader import SQL_FOLDER

Rows = list[dict[str, Any]]
Given = dict[str, Rows]
# What queries read
READ = TABLES | EXTRACTED_TABLES


def evidence_of(number: int) -> str:
    """An identifier of a place, the same for the same number."""
    return f"{number:016x}"


def document_of(number: int) -> str:
    """An identifier of a document, the same for the same number."""
    return f"{number:064x}"


def made_of(full_name: str, **given: Rows) -> Rows:
    """The rows of a table's query over given rows.

    Args:
        full_name: The table, such as `audit.relations`, or a step in between, such as
            `internal.claim_sides`.
        given: Rows by table, its point written `__`; columns that are not given are null. Other
            tables are empty.

    Returns:
        The rows; those of a table meet its contract.
    """
    prepared = _prepared(full_name)
    unknown = {name.replace("__", ".") for name in given} - prepared.base
    assert not unknown, f"{full_name} does not read {sorted(unknown)}"
    made = prepared.rows({name.replace("__", "."): rows for name, rows in given.items()})
    if full_name in TABLES:
        rows = pa.Table.from_pylist(made, arrow_schema(TABLES[full_name]))
        assert quarantine(rows, TABLES[full_name], inputs_have_rows=False).rejects == []
    return made


@cache
def _prepared(full_name: str) -> _Prepared:
    return _Prepared(
        (SQL_FOLDER / full_name.replace(".", "/")).with_suffix(".sql").read_text("utf-8")
    )


class _Prepared:
    """A query and the steps that it rests on, on one connection in memory, for any number of cases."""

    def __init__(self, query: str) -> None:
        self.base, self._filled = base_tables(query), set[str]()
        self._connection = duckdb.connect(":memory:", config={"threads": 1})
        # A plan is made for each case, and optimising it takes longer than a few rows do.
        self._connection.execute(
            f"pragma disable_optimizer; {cost_macros()} {identity_macros()}; {formats_macro()}; {DIFFERENCES}"
        )
        for schema in (*LAYERS, "extracted", "internal"):
            self._connection.execute(f"create schema if not exists {schema}")
        for name in sorted(self.base):
            columns = ", ".join(
                f'"{column.name}" {DUCKDB_TYPES[column.type]}' for column in READ[name].columns
            )
            self._connection.execute(f"create table {name} ({columns})")
        self._steps = internal_steps(query)
        for step in self._steps:
            self._connection.execute(f"create table internal.{step} as {internal_query(step)}")
        for step in self._steps:
            self._connection.execute(
                f"prepare make_{step} as insert into internal.{step} {internal_query(step)}"
            )
        self._connection.execute(f"prepare made as {query}")

    def rows(self, given: dict[str, Rows]) -> Rows:
        for name in self._filled | {f"internal.{step}" for step in self._steps}:
            self._connection.execute(f"delete from {name}")
        for name, rows in given.items():
            schema = arrow_schema(READ[name])
            # No condition is an empty map.
            maps = {field.name: {} for field in schema if pa.types.is_map(field.type)}
            full = [{field: (maps | row).get(field) for field in schema.names} for row in rows]
            self._connection.register("given_rows", pa.Table.from_pylist(full, schema))
            self._connection.execute(f"insert into {name} from given_rows")
        self._filled = {*given}
        for step in self._steps:
            self._connection.execute(f"execute make_{step}").fetchall()
        made = self._connection.execute("execute made")
        names = [name for name, *_ in made.description or ()]
        return [dict(zip(names, row, strict=True)) for row in made.fetchall()]


def printed_value(printed: str) -> dict[str, float]:
    """A printed number with the interval of its rounding, as the columns value, value_low and
    value_high.
    """
    value = float(printed.replace(",", ""))
    half = 0.5 / 10 ** len(printed.partition(".")[2])
    return {"value": value, "value_low": value - half, "value_high": value + half}


def number(line: int, printed: str, place: int | None = None, **facts: Any) -> dict[str, Any]:
    """A printed number, a result; its place is its line unless said otherwise."""
    identifier = evidence_of(line if place is None else place)
    return {
        "document_id": document_of(1), "line": line, "row_line": line, "result_id": identifier,
        "evidence_id": identifier, "task": "training", "model": "ResNet-50", "metric": "throughput",
        "unit": "items/s", "bound": "eq", "value_printed": printed,
    } | printed_value(printed) | facts  # fmt: skip
