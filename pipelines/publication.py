"""The published file: assembled from all tables, checked, and put in the place of the old one at once.

A reader sees the old warehouse or the new one, never a mixture, and never waits.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from pipelines.schemas.tables import LAYERS, Table
from pipelines.warehouse import (
    FILE_NAME,
    SQL_FOLDER,
    Connection,
    Tables,
    WarehouseError,
    in_memory,
    query_file,
    quoted,
    run_sql,
)

# DuckDB 1.2 and later open a file of this storage version.
STORAGE_VERSION = "v1.2.0"

# The file that stood before the results last changed, for comparing the two.
PREVIOUS_FILE = "previous.duckdb"
# What two builds are compared by.
STANDING_RESULTS = """
select benchmark_key, model, platform, task, metric, sdk_version, sdk_order, value, unit
from resolved.results
semi join main.current_results using (result_id)
order by benchmark_key
"""
STANDING_CLAIMS = """
select
    c.claim_id, c.verdict, r.text_printed, c.model, c.subject_platform as platform, c.metric, c.publisher, c.sentence,
    c.reason
from main.claims as c
inner join resolved.claims as r on c.claim_id = r.claim_id
order by c.claim_id
"""
_MACROS = SQL_FOLDER / "macros"


def publish(contents: Iterable[Table], tables: Tables, checks: Path) -> Path:
    """Assemble the warehouse file from all tables, check it, and put it in the place of the old one.

    Args:
        contents: The tables, in the order in which they are listed.
        tables: Where their rows are.
        checks: Folder of queries that select rows which must not be there.

    Raises:
        WarehouseError: A check found rows; the old file stays.
    """
    target = tables.folder / FILE_NAME
    contents = list(contents)
    digest = _content_digest(contents, tables, checks)
    note = tables.folder / "tables" / "published.sha256"
    if target.exists() and note.exists() and note.read_text() == f"{digest} {target.stat().st_size}":
        return target
    partial = tables.folder / f".{FILE_NAME}.{os.getpid()}.partial"
    partial.unlink(missing_ok=True)
    try:
        with in_memory() as connection:
            connection.execute(f"attach '{quoted(partial.as_posix())}' as built (storage_version '{STORAGE_VERSION}')")
            connection.execute("use built")
            for layer in LAYERS:
                connection.execute(f'create schema if not exists "{layer}"')
            for table in contents:
                rows = quoted(tables.path(table.full_name).as_posix())
                connection.execute(f"create table {_name(table)} as select * from read_parquet('{rows}')")
            # One transaction: each of a thousand comments on its own would go to the disk.
            connection.begin()
            for table in contents:
                _describe(connection, table)
            connection.commit()
            for path in sorted(_MACROS.glob("*.sql")):
                connection.execute(path.read_text("utf-8"))
            connection.execute("use memory")
            connection.execute("detach built")
        failures = list(_failures(tables, checks))
        if failures:
            raise WarehouseError("the new warehouse was not published: " + "; ".join(failures))
        if target.exists() and _standing(target) != _standing(partial):
            _keep_previous(target)
        partial.replace(target)
        note.write_text(f"{digest} {target.stat().st_size}")
    finally:
        partial.unlink(missing_ok=True)
        Path(f"{partial}.wal").unlink(missing_ok=True)
    return target


def _standing(path: Path) -> pa.Table | None:
    """The results of a file; None of one that an older version has written."""
    try:
        return query_file(path, STANDING_RESULTS)
    except WarehouseError:
        return None


def _keep_previous(target: Path) -> None:
    """Give the file that is about to be replaced a second name; it is not copied."""
    link = target.with_name(f".{PREVIOUS_FILE}.{os.getpid()}.partial")
    link.unlink(missing_ok=True)
    link.hardlink_to(target)
    link.replace(target.with_name(PREVIOUS_FILE))


def _content_digest(contents: Iterable[Table], tables: Tables, checks: Path) -> str:
    """Hash of everything that the published file is made of: rows, comments, checks."""
    digest = hashlib.sha256()
    for table in contents:
        digest.update(repr(table).encode() + repr(table.columns).encode() + tables.path(table.full_name).read_bytes())
    for path in (*sorted(checks.glob("*.sql")), *sorted(_MACROS.glob("*.sql"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _name(table: Table) -> str:
    return f'"{table.layer}"."{table.name}"'


def _describe(connection: Connection, table: Table) -> None:
    meaning = quoted(f"{table.meaning} Grain: {table.grain}.")
    connection.execute(f"comment on table {_name(table)} is '{meaning}'")
    for column in table.columns:
        connection.execute(f"comment on column {_name(table)}.\"{column.name}\" is '{quoted(column.meaning)}'")


def _failures(tables: Tables, checks: Path) -> Iterator[str]:
    for path in sorted(checks.glob("*.sql")):
        rows = run_sql(path.read_text("utf-8"), tables).slice(0, 1).to_pylist()
        if rows:
            yield f"check {path.stem} found {tuple(rows[0].values())}"
