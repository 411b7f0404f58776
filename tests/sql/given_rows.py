"""Given rows for a table's query, and the rows it makes of them; nothing is read and nothing is published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines.build.queries import base_tables
from pipelines.build.tables import Tables, run_table_sql
from pipelines.build.warehouse import FILE_NAME, SQL_FOLDER
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import TABLES
from pipelines.validate.quarantine import quarantine

Rows = list[dict[str, Any]]


def evidence_of(number: int) -> str:
    """An identifier of a place, the same for the same number."""
    return f"{number:016x}"


def document_of(number: int) -> str:
    """An identifier of a document, the same for the same number."""
    return f"{number:064x}"


def made_of(folder: Path, full_name: str, **given: Rows) -> Rows:
    """The rows of a table's query over given rows.

    Args:
        folder: A folder for the file of the tables.
        full_name: The table, such as `audit.relations`, or a step in between, such as `internal.claim_sides`.
        given: Rows by table, its point written `__`; columns that are not given are null. Other tables are empty.

    Returns:
        The rows; those of a table meet its contract.
    """
    query = (SQL_FOLDER / full_name.replace(".", "/")).with_suffix(".sql").read_text("utf-8")
    rows_of = {name.replace("__", "."): rows for name, rows in given.items()}
    unknown = rows_of.keys() - base_tables(query)
    assert not unknown, f"{full_name} does not read {sorted(unknown)}"
    tables = tables_of(folder, {name: rows_of.get(name, []) for name in base_tables(query)})
    try:
        if full_name not in TABLES:
            return tables.query(query).to_pylist()
        table = TABLES[full_name]
        made = run_table_sql(query, table, tables)
    finally:
        tables.close()
    assert quarantine(made, table, inputs_have_rows=False).rejects == []
    return made.to_pylist()


def tables_of(folder: Path, given: dict[str, Rows]) -> Tables:
    """Tables with given rows, in a file in a folder; columns that are not given are null."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = Tables(folder / FILE_NAME)
    for name, rows in sorted(given.items()):
        schema = arrow_schema(TABLES[name])
        full = [{field.name: row.get(field.name) for field in schema} for row in rows]
        tables.write(name, pa.Table.from_pylist(full, schema=schema))
    return tables


def printed_value(printed: str) -> dict[str, float]:
    """A printed number with the interval of its rounding, as the columns value, value_low and value_high."""
    value = float(printed.replace(",", ""))
    half = 0.5 / 10 ** len(printed.partition(".")[2])
    return {"value": value, "value_low": value - half, "value_high": value + half}
