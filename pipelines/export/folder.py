"""The folder of an export: what is in it, and how it takes the place of an earlier one. Formats are other modules."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from pipelines.build.warehouse import FILE_NAME, published_file, query_file, read_as_copy
from pipelines.export.croissant import croissant
from pipelines.export.data_package import TITLE, data_package
from pipelines.export.tables import write_table
from pipelines.own_files import give_name, left_work_folders, work_folder
from pipelines.schemas.tables import PUBLISHED, Table

SUMS = "SHA256SUMS"
DATA_PACKAGE = "datapackage.json"
CROISSANT = "croissant.json"
OPENLINEAGE = "openlineage.jsonl"
# Links to the files of the checkout, and in a wheel copies of them.
_ENCLOSED = ("LICENSE", "NOTICE", "CITATION.cff")

# `0f3a...  csv/main/claims.csv`
_SUM = re.compile(r"(?P<sha256>[0-9a-f]{64})  (?P<name>.+)")
# The folders of an export that is being written, and of the one whose place it takes.
_NEW, _OLD = "new", "old"

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
        target: Folder of the export: a new or empty one, or one with an earlier export as it was written, and nothing
            else.
        is_for_spreadsheets: Whether an apostrophe stands in CSV before what a spreadsheet would run as a formula.
        events: OpenLineage events to enclose.

    Returns:
        Its files by name.

    Raises:
        ExportError: The folder has files that no export has written, or that somebody has changed.
        WarehouseError: There is no warehouse, it is damaged, or another version has built it.
    """
    target = target.resolve()
    for left in left_work_folders(target):
        # An export was killed while it took the place of this one.
        if (left / _OLD).is_dir() and not target.exists():
            give_name(left / _OLD, target)
    _refuse_others_files(target)
    source = published_file(warehouse)
    [row] = query_file(source, _DAY).to_pylist()
    about = About(version("benchledger"), row["day"].isoformat() if row["day"] else None)
    with work_folder(target) as work:
        (work / _NEW).mkdir()
        with read_as_copy(source):
            files = _write(source, work / _NEW, about, is_for_spreadsheets, events)
        if target.exists():
            target.rename(work / _OLD)
        try:
            give_name(work / _NEW, target)
        except OSError:
            if (work / _OLD).exists():
                give_name(work / _OLD, target)
            raise
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
    try:
        written = _written(target)
        there = {path.relative_to(target).as_posix() for path in target.rglob("*")}
        folders = {parent.as_posix() for name in written for parent in PurePosixPath(name).parents}
        if others := sorted(there - {*written} - folders):
            raise ExportError(f"{target} holds {others[0]}, which no export has written; name a folder of its own")
        for name, sha256 in written.items():
            if (target / name).is_symlink() or not (target / name).is_file() or _file(target, name).sha256 != sha256:
                raise ExportError(f"{target / name} is not as an export has written it; name another folder")
    except OSError as error:
        raise ExportError(f"{target} cannot be looked through: {error.strerror}; name another folder") from error


def _written(target: Path) -> dict[str, str]:
    """The files of an earlier export of this program in a folder, with their hashes; none where there is no such one.

    Hashes alone are no sign of one: many people list those of their own files.
    """
    try:
        sums = (target / SUMS).read_text("utf-8")
        described = json.loads((target / DATA_PACKAGE).read_text("utf-8"))
        parquet = json.loads((target / CROISSANT).read_text("utf-8"))
        own = {resource["path"] for resource in described["resources"]}
        own |= {file["contentUrl"] for file in parquet["distribution"]}
        titles = (described["name"], parquet["name"])
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):
        return {}
    own |= {DATA_PACKAGE, CROISSANT, OPENLINEAGE, *_ENCLOSED}
    listed = {found["name"]: found["sha256"] for line in sums.splitlines() if (found := _SUM.fullmatch(line))}
    if titles != (TITLE, TITLE) or not listed.keys() <= own:
        return {}
    return listed | {SUMS: hashlib.sha256(sums.encode()).hexdigest()}


def _file(folder: Path, name: str) -> File:
    path = folder / name
    with path.open("rb") as content:
        return File(name, path.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest())


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", "utf-8")
