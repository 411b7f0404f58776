"""The folder of an export: each published table as Parquet and CSV, and how it takes the place of
an earlier export.

CSV: UTF-8, a line per row, null as nothing, lists as JSON, days and times as in ISO 8601, infinity
as `INF`: what `datapackage.json` says of it.
"""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.export.csv_values import csv_text, spreadsheet_text
from pipelines.export.descriptions import Exported, File, described
from pipelines.export.replacing import give_back, refuse_others, take_place
from pipelines.own_files import MARKER, work_folder
from pipelines.schemas.tables import PUBLISHED, Table, arrow_schema
from pipelines.warehouse.reader import (
    FILE_NAME,
    published_file,
    query_published,
    read_as_copy,
    read_table,
)

SUMS = "SHA256SUMS"
DESCRIPTIONS = ("datapackage.json", "croissant.json")
# Links to the files of the checkout, and in a wheel copies of them.
_ENCLOSED = ("LICENSE", "NOTICE", "CITATION.cff")
# The same for the same documents, whenever they are exported: the day on which the newest was
# stored.
_STORED = "select max(retrieved_at)::date as day from raw.documents"


def export(warehouse: Path, target: Path, *, is_for_spreadsheets: bool = False) -> list[File]:
    """Write an export of the published warehouse; it replaces an earlier one atomically.

    Args:
        warehouse: Folder of the published file, or the file.
        target: Folder of the export: a new or empty one, or one with an earlier export as it was
            written, and nothing else. What is saved there meanwhile stops the export.
        is_for_spreadsheets: Put an apostrophe in CSV before texts that a spreadsheet would execute
            as a formula.

    Returns:
        Its files by name.

    Raises:
        NotOursError: The folder has files that no export has written, or that somebody has changed.
        WarehouseError: There is no warehouse, it is damaged, or another version has built it.
    """
    # Also where links lead in a circle.
    target = Path(os.path.realpath(target))
    give_back(target)
    refuse_others(target)
    source = published_file(warehouse)
    # There is one, and it is whole, before anything is written.
    query_published(source, _STORED)
    with work_folder(target) as work, read_as_copy(source):
        (work / target.name).mkdir()
        files = _write(source, work / target.name, is_for_spreadsheets)
        take_place(work / target.name, target, work)
    return files


def _write(source: Path, folder: Path, is_for_spreadsheets: bool) -> list[File]:
    # Of the copy: what is published meanwhile is another warehouse.
    shutil.copyfile(source, folder / FILE_NAME)
    [stored] = query_published(folder / FILE_NAME, _STORED).to_pylist()
    day = stored["day"].isoformat() if stored["day"] else None
    tables = []
    for table in PUBLISHED:
        names = [f"{kind}/{table.layer}/{table.name}.{kind}" for kind in ("parquet", "csv")]
        rows = _write_table(
            folder / FILE_NAME, table, folder / names[0], folder / names[1], is_for_spreadsheets
        )
        tables.append(Exported(table, rows, *(_file(folder, name) for name in names)))
    for name in _ENCLOSED:
        shutil.copyfile(Path(__file__).parent / name, folder / name)
    database = _file(folder, FILE_NAME)
    for name in DESCRIPTIONS:
        (folder / name).write_text(described(name, tables, database, day), "utf-8")
    names = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    files = [_file(folder, name) for name in names]
    for listed in (SUMS, MARKER):
        (folder / listed).write_text(
            "".join(f"{file.sha256}  {file.name}\n" for file in files), "utf-8"
        )
        files.append(_file(folder, listed))
    return files


def _write_table(
    database: Path, table: Table, parquet: Path, text: Path, is_for_spreadsheets: bool
) -> int:
    """Write a table of a warehouse file in its own order, as the rows come, and count them.

    Meanings stand in Parquet's metadata.
    """
    fields = [
        field.with_metadata({"description": column.meaning})
        for field, column in zip(arrow_schema(table), table.columns, strict=True)
    ]
    schema = pa.schema(fields, metadata={"description": f"{table.meaning} Grain: {table.grain}."})
    for path in (parquet, text):
        path.parent.mkdir(parents=True, exist_ok=True)
    names = [column.name for column in table.columns]
    shown = spreadsheet_text if is_for_spreadsheets else csv_text
    written = 0
    with (
        pq.ParquetWriter(parquet, schema) as rows,
        text.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for batch in read_table(database, table.full_name, names):
            rows.write_table(pa.Table.from_batches([batch]).cast(schema))
            values = [column.to_pylist(maps_as_pydicts="strict") for column in batch.columns]
            writer.writerows(map(shown, row) for row in zip(*values, strict=True))
            written += batch.num_rows
    return written


def _file(folder: Path, name: str) -> File:
    path = folder / name
    with path.open("rb") as content:
        return File(name, path.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest())
