"""A published table as a Parquet file and as a CSV file. Where they stand belongs in `folder.py`.

CSV: UTF-8, a line per row, null as nothing, lists as JSON, days and times as in ISO 8601, infinity as `INF`: what
`datapackage.json` says of it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.build.warehouse import read_table
from pipelines.export.output import FORMULA, csv_text
from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.columns import Column
from pipelines.schemas.tables import Table


def write_table(database: Path, table: Table, parquet: Path, text: Path, *, is_for_spreadsheets: bool) -> int:
    """Write a table of a warehouse file in its own order, as the rows come.

    Args:
        database: The warehouse file.
        table: The table.
        parquet: Where its Parquet file goes; meanings of table and columns stand in its metadata.
        text: Where its CSV file goes.
        is_for_spreadsheets: Whether an apostrophe stands in CSV before what a spreadsheet would run as a formula.

    Returns:
        How many rows it has.

    Raises:
        WarehouseError: The file lacks the table or one of its columns.
    """
    described, names = _described(table), [column.name for column in table.columns]
    parquet.parent.mkdir(parents=True, exist_ok=True)
    text.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with pq.ParquetWriter(parquet, described) as rows, text.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for batch in read_table(database, table.full_name, names):
            rows.write_table(pa.Table.from_batches([batch]).cast(described))
            columns = [_texts(batch.column(column.name), column, is_for_spreadsheets) for column in table.columns]
            writer.writerows(zip(*columns, strict=True))
            count += batch.num_rows
    return count


def _described(table: Table) -> pa.Schema:
    fields = [
        field.with_metadata({"description": column.meaning})
        for field, column in zip(arrow_schema(table), table.columns, strict=True)
    ]
    return pa.schema(fields, metadata={"description": f"{table.meaning} Grain: {table.grain}."})


def _texts(values: pa.Array, column: Column, is_for_spreadsheets: bool) -> Iterable[str | None]:
    if column.type in ("texts", "integers", "timestamp", "number"):
        return map(csv_text, values.to_pylist())
    if column.type == "text" and is_for_spreadsheets:
        values = pc.replace_substring_regex(values, f"^({FORMULA.pattern})", r"'\1")
    return values.cast(pa.string()).to_pylist()  # type: ignore[no-any-return]
