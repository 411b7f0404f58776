"""The folder of an export: what is in it, and how it takes the place of an earlier one. Formats are other modules."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipelines.export.croissant import croissant
from pipelines.export.data_package import data_package
from pipelines.export.tables import write_table
from pipelines.schemas.tables import PUBLISHED, Table
from pipelines.warehouse import FILE_NAME, published_file, query_file

SUMS = "SHA256SUMS"
DATA_PACKAGE = "datapackage.json"
CROISSANT = "croissant.json"
OPENLINEAGE = "openlineage.jsonl"
# Links to the files of the checkout, and in a wheel copies of them.
_ENCLOSED = ("LICENSE", "NOTICE", "CITATION.cff")

# The same for the same documents, whenever they are exported: the day on which the newest was stored.
_DAY = "select max(retrieved_at)::date as day from raw.documents"


class ExportError(Exception):
    """An export that cannot be made; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of an export.

    Attributes:
        name: Path in the folder, `csv/main/claims.csv`.
        bytes: Its size.
        sha256: Hash of its content.
    """

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Exported:
    """A table of an export: what it is, how many rows it has, and its files."""

    table: Table
    rows: int
    parquet: File
    csv: File


@dataclass(frozen=True, slots=True)
class About:
    """What the descriptions say of an export as a whole: version of the program, day of the newest document."""

    version: str
    day: str | None


def export(
    warehouse: Path,
    target: Path,
    *,
    is_for_spreadsheets: bool = False,
    events: Iterable[dict[str, Any]] | None = None,
) -> list[File]:
    """Write an export of the published warehouse; it takes the place of an earlier one at once.

    Args:
        warehouse: Folder of the published file, or the file.
        target: Folder of the export: a new or empty one, or one with an earlier export and nothing else.
        is_for_spreadsheets: Whether an apostrophe stands in CSV before what a spreadsheet would run as a formula.
        events: OpenLineage events to enclose.

    Returns:
        Its files by name.

    Raises:
        ExportError: The folder has files that no export has written.
        WarehouseError: There is no warehouse, or another version has built it.
    """
    target = target.resolve()
    _refuse_others_files(target)
    source = published_file(warehouse)
    [row] = query_file(source, _DAY).to_pylist()
    about = About(version("benchledger"), row["day"].isoformat() if row["day"] else None)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        files = _write(source, partial, about, is_for_spreadsheets, events)
        replaced = target.with_name(f".{target.name}.{os.getpid()}.replaced")
        if target.exists():
            target.rename(replaced)
        partial.rename(target)
        shutil.rmtree(replaced, ignore_errors=True)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return files


def _write(
    source: Path,
    folder: Path,
    about: About,
    is_for_spreadsheets: bool,
    events: Iterable[dict[str, Any]] | None,
) -> list[File]:
    shutil.copyfile(source, folder / FILE_NAME)
    database = _file(folder, FILE_NAME)
    tables = []
    for table in PUBLISHED:
        parquet, text = f"parquet/{table.layer}/{table.name}.parquet", f"csv/{table.layer}/{table.name}.csv"
        # Of the copy: what is published meanwhile is another warehouse.
        rows = write_table(
            folder / FILE_NAME, table, folder / parquet, folder / text, is_for_spreadsheets=is_for_spreadsheets
        )
        tables.append(Exported(table, rows, _file(folder, parquet), _file(folder, text)))
    for name in _ENCLOSED:
        shutil.copyfile(Path(__file__).parent / name, folder / name)
    _write_json(folder / DATA_PACKAGE, data_package(tables, about))
    _write_json(folder / CROISSANT, croissant(tables, database, about))
    if events is not None:
        lines = (json.dumps(event, ensure_ascii=False, sort_keys=True) + "\n" for event in events)
        (folder / OPENLINEAGE).write_text("".join(lines), "utf-8")
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    files = [_file(folder, name) for name in names]
    (folder / SUMS).write_text("".join(f"{file.sha256}  {file.name}\n" for file in files), "utf-8")
    return [*files, _file(folder, SUMS)]


def _refuse_others_files(target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise ExportError(f"{target} is no folder; name one that is not there yet")
    there = {path.relative_to(target).as_posix() for path in target.rglob("*") if not path.is_dir()}
    sums = target / SUMS
    # `0f3a...  csv/main/claims.csv`
    written = {line.partition("  ")[2] for line in sums.read_text("utf-8").splitlines()} if sums.is_file() else set()
    if others := sorted(there - written - {SUMS}):
        raise ExportError(f"{target} holds {others[0]}, which no export has written; name a folder of its own")


def _file(folder: Path, name: str) -> File:
    path = folder / name
    with path.open("rb") as content:
        return File(name, path.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest())


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", "utf-8")
