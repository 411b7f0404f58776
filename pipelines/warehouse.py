"""Queries on the published file, and what a query of a user may cost. Making its tables belongs in `tables.py`."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from pipelines.object_addresses import shown
from pipelines.settings import FILE_NAME as FILE_NAME

SQL_FOLDER = Path(__file__).parent / "sql"

Connection = duckdb.DuckDBPyConnection

# Read-only holds for the warehouse alone: `copy` and `export` would still write files elsewhere, and a sort too large
# for the memory a folder beside it.
_READING: dict[str, Any] = {"enable_external_access": False, "temp_directory": ""}
# DuckDB looks whether it was interrupted between two steps, and one step can take for ever.
_GRACE_S = 5
# Of the address space for each byte that DuckDB may use for itself: rows on their way out, stacks of threads.
_SPACE_PER_BYTE, _SPACE_BESIDE_MIB, _SPACE_OF_A_THREAD_MIB = 2, 1024, 128
# Pages of memory that this process has, all told, in its first field; only Linux has it.
_PAGES_OF_MEMORY = Path("/proc/self/statm")
_BATCH = 10_000
# What DuckDB says of a file that another process writes to, and of blocks that are not as they were written.
_LOCKED = "Could not set lock on file"
_DAMAGE = ("Corrupt database file", "Could not read enough bytes")
_TABLES = """
select
    schema_name || '.' || table_name as name,
    '"' || replace(schema_name, '"', '""') || '"."' || replace(table_name, '"', '""') || '"' as quoted
from duckdb_tables()
order by name
"""
_HASH = "select max(hash(t)) as hash from {} as t"
# Rows of a table that are taken out at once, a whole number of DuckDB's vectors.
_EXPORTED_AT_ONCE = 2048 * 32


class WarehouseError(Exception):
    """A warehouse that cannot be built or read; the message says why and what to do."""


class DamagedFileError(WarehouseError):
    """A published file that is not as it was written; the message says what to do, `reason` what DuckDB says."""

    def __init__(self, path: Path, reason: str) -> None:
        self.reason = reason.splitlines()[0].removeprefix("IO Error: ")
        words = "`benchledger build` keeps it under another name, and builds the warehouse anew"
        super().__init__(f"{shown(path)} is damaged, or is no DuckDB file; {words}: {self.reason}")


@contextmanager
def read_as_copy(path: Path) -> Iterator[None]:
    """While it lasts, damage that is found in a copy of a published file is said of that file."""
    try:
        yield
    except DamagedFileError as error:
        raise DamagedFileError(path, error.reason) from error


@cache
def _engine() -> Connection:
    """One engine in memory for the process: starting one for every table would cost more than the queries."""
    return duckdb.connect(":memory:")


@contextmanager
def in_memory() -> Iterator[Connection]:
    """A connection of its own to the engine in memory."""
    connection = _engine().cursor()
    try:
        yield connection
    finally:
        connection.close()


def quoted(text: str) -> str:
    """A text for use between single quotes in SQL, where DuckDB takes no parameter."""
    return text.replace("'", "''")


@contextmanager
def open_file(path: Path) -> Iterator[Connection]:
    """A read-only connection to a warehouse file, which can neither write nor read other files.

    Raises:
        WarehouseError: There is none, or it is no DuckDB file.
    """
    if not path.exists():
        raise WarehouseError(f"there is no warehouse at {shown(path)}; run `benchledger build` first")
    try:
        connection = duckdb.connect(path.as_posix(), read_only=True, config=_READING)
    except duckdb.Error as error:
        if _LOCKED in str(error):
            raise WarehouseError(f"{path} is open for writing in another program; close it there") from error
        if not os.access(path, os.R_OK):
            raise WarehouseError(f"{path} may not be read; change its permissions") from error
        raise DamagedFileError(path, str(error)) from error
    try:
        yield connection
    finally:
        connection.close()


def published_file(place: Path) -> Path:
    """The published warehouse of a folder; a file is itself."""
    return place if place.is_file() else place / FILE_NAME


def open_published(place: Path) -> AbstractContextManager[Connection]:
    """A read-only connection to the published warehouse of a folder, or to a file; see `open_file`."""
    return open_file(published_file(place))


def query_file(path: Path, sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> pa.Table:
    """The rows of a query on a warehouse file.

    Args:
        path: The file.
        sql: The query.
        parameters: Values for `?` or `$1` in it, or by name for `$name`.

    Raises:
        WarehouseError: There is no such file, or DuckDB refuses the query; the message is DuckDB's.
    """
    with open_file(path) as connection:
        try:
            relation = connection.sql(sql, params=parameters or None)
            return relation.to_arrow_table() if relation is not None else pa.table({})
        except duckdb.Error as error:
            raise _refusal(path, error) from error


def read_table(path: Path, full_name: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a table of a warehouse file in its order, in batches that are the same each time.

    Raises:
        WarehouseError: There is no such file, or it lacks the table or a column.
    """
    with open_file(path) as connection:
        try:
            reader = connection.table(full_name).select(*(duckdb.ColumnExpression(name) for name in columns))
        except duckdb.Error as error:
            raise (
                _refusal(path, error)
                if is_damage(error)
                else WarehouseError(f"{path} was built by another version, build it again: {error}")
            ) from error
        try:
            yield from reader.to_arrow_reader(_EXPORTED_AT_ONCE)
        except (duckdb.Error, OSError) as error:
            raise _refusal(path, error) from error


def tables_in(path: Path) -> list[str]:
    """The tables of a DuckDB file.

    Raises:
        WarehouseError: It cannot be read.
    """
    return query_file(path, _TABLES)["name"].to_pylist()  # type: ignore[no-any-return]


def damage_of(path: Path, *, is_read_whole: bool) -> str | None:
    """Why a DuckDB file cannot be read; None where it can.

    Args:
        path: The file.
        is_read_whole: Whether the rows are read, too, and not only what tables there are.

    Raises:
        WarehouseError: It may not be read, or another process is writing to it.
    """
    try:
        for name in query_file(path, _TABLES)["quoted"].to_pylist():
            if is_read_whole:
                query_file(path, _HASH.format(name))
    except DamagedFileError as error:
        return error.reason
    return None


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query of a user may cost.

    Attributes:
        seconds: Elapsed time that DuckDB works; what the reader of the rows takes does not count.
        memory_mib: MiB of memory that DuckDB uses; text within one value counts, too.
        rows: Rows that are given out.
    """

    seconds: float = 60.0
    memory_mib: int = 2048
    rows: int = 1_000_000


@contextmanager
def stream_published(place: Path, sql: str, limits: QueryLimits | None = None) -> Iterator[pa.RecordBatchReader]:
    """The rows of a user's query on the published warehouse of a folder, or on a file, as they come.

    Raises:
        WarehouseError: There is no warehouse, DuckDB refuses the query, or it goes beyond its limits, which may show
            only after many rows.
    """
    limits = limits or QueryLimits()
    with open_published(place) as connection, _little_space(limits.memory_mib):
        clock = _Clock(connection, limits.seconds, published_file(place))
        with clock.running():
            connection.execute(f"set memory_limit = '{limits.memory_mib}MiB'")
            # A query that could change settings would undo all this, or end the process by them.
            connection.execute("set lock_configuration = true")
            relation = connection.sql(sql)
            reader = relation.to_arrow_reader(_BATCH) if relation is not None else pa.table({}).to_reader()
        try:
            yield pa.RecordBatchReader.from_batches(reader.schema, _batches(reader, clock, limits.rows))
        finally:
            reader.close()


def _batches(reader: pa.RecordBatchReader, clock: _Clock, most: int) -> Iterator[pa.RecordBatch]:
    rows = 0
    while True:
        with clock.running():
            batch = next(reader, None)
        if batch is None:
            return
        yield batch.slice(0, most - rows)
        rows += batch.num_rows
        if rows > most:
            words = "the others are left out; allow more with --max-rows, or ask for less"
            raise WarehouseError(f"the query gives more than {most:,} rows, and {words}")


class _Clock:
    """Ends a query that has worked for too long; the process with it, where it cannot be interrupted."""

    def __init__(self, connection: Connection, seconds: float, path: Path) -> None:
        self._connection, self._seconds, self._path = connection, seconds, path
        self._left, self._is_late = seconds, False

    @contextmanager
    def running(self) -> Iterator[None]:
        """While it lasts the time counts.

        Raises:
            WarehouseError: DuckDB refuses the query, or it takes too long.
        """
        done, started = threading.Event(), time.monotonic()
        timer = threading.Timer(max(0.0, self._left), self._end, [done])
        timer.daemon = True
        timer.start()
        try:
            yield
        # What goes wrong while rows are streamed comes through Arrow, as an OSError.
        except (duckdb.Error, OSError) as error:
            raise self._too_late() if self._is_late else _refusal(self._path, error) from error
        finally:
            done.set()
            timer.cancel()
            self._left -= time.monotonic() - started

    def _end(self, done: threading.Event) -> None:
        self._is_late = True
        self._connection.interrupt()
        if not done.wait(_GRACE_S):
            print(f"error: {self._too_late()}", file=sys.stderr, flush=True)
            os._exit(1)

    def _too_late(self) -> WarehouseError:
        return WarehouseError(f"the query takes more than {self._seconds:g} s; allow more with --seconds, or narrow it")


@contextmanager
def _little_space(memory_mib: int) -> Iterator[None]:
    """While it lasts the process gets so much more memory: DuckDB's own limit does not count what one value takes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if not _PAGES_OF_MEMORY.exists():
        yield
        return
    used = int(_PAGES_OF_MEMORY.read_text().split()[0]) * resource.getpagesize()
    beside = _SPACE_BESIDE_MIB + (os.cpu_count() or 1) * _SPACE_OF_A_THREAD_MIB
    most = used + (_SPACE_PER_BYTE * memory_mib + beside << 20)
    known = [limit for limit in (soft, hard, most) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(known), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def is_damage(error: Exception) -> bool:
    """Whether DuckDB, or Arrow for it, refuses a file because of its bytes."""
    return any(words in str(error) for words in _DAMAGE)


def _refusal(path: Path, error: Exception) -> WarehouseError:
    if is_damage(error):
        return DamagedFileError(path, str(error))
    if isinstance(error, duckdb.PermissionException):
        reason = (
            "a query here reads the warehouse alone and writes no file; print rows with --format csv, "
            f"or open {path} in DuckDB yourself"
        )
        return WarehouseError(f"{reason}: {error}")
    if "Out of Memory" in str(error):
        return WarehouseError("the query takes more memory than it may; allow more with --memory-mib, or narrow it")
    return WarehouseError(str(error))


def query_published(place: Path, sql: str, parameters: list[Any] | None = None) -> pa.Table:
    """The rows of a query on the published warehouse of a folder, or on a file; see `query_file`."""
    return query_file(published_file(place), sql, parameters)


def query_frames(sql: str, frames: dict[str, pa.Table]) -> pa.Table:
    """The rows of a query over frames in memory, each under its name."""
    with in_memory() as connection:
        for name, frame in frames.items():
            connection.register(name, frame)
        rows = connection.sql(sql).to_arrow_table()
        for name in frames:
            connection.unregister(name)
        return rows
