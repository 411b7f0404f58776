"""Queries on the published file, and what a query of a user may cost. Making its tables belongs in
`database.py`.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from duckdb.sqltypes import VARCHAR, DuckDBPyType

from pipelines.exceptions import FAILED, INTERRUPTED, INTERRUPTION, BenchledgerError
from pipelines.object_addresses import shown
from pipelines.schemas.tables import PUBLISHED
from pipelines.schemas.tables import SQL_FOLDER as SQL_FOLDER
from pipelines.settings import FILE_NAME as FILE_NAME

Connection = duckdb.DuckDBPyConnection

# Read-only holds for the warehouse alone: `copy` and `export` would still write files elsewhere,
# and a sort too large for the memory a folder beside it.
_READING: dict[str, Any] = {"enable_external_access": False, "temp_directory": ""}
# DuckDB looks whether it was interrupted between two steps, and one step can take for ever.
_GRACE_S = 5
# What the process may take for each byte that DuckDB may: the program itself, rows on their way
# out. The little that is left to a process larger than that lets it answer at all.
_MEMORY_PER_BYTE, _LEAST_MEMORY_MIB = 1.3, 64
# Pages of memory: resident ones in its second field, those this process may write in its sixth;
# only Linux has it.
_PAGES_OF_MEMORY = Path("/proc/self/statm")
# Types of which Arrow and Python have every value as DuckDB has it; of all others DuckDB gives the
# text.
_PLAIN = frozenset(
    {
        "boolean",
        "tinyint",
        "smallint",
        "integer",
        "bigint",
        "hugeint",
        "utinyint",
        "usmallint",
        "uinteger",
        "ubigint",
    }
    | {"float", "double", "decimal", "varchar"}
)
_BATCH = 10_000
# DuckDB's messages for a file that another process writes, and for damaged blocks.
_LOCKED = "Could not set lock on file"
_DAMAGE = ("Corrupt database file", "Could not read enough bytes")
_TABLES = """
select
    schema_name || '.' || table_name as name,
    '"' || replace(schema_name, '"', '""') || '"."' || replace(table_name, '"', '""') || '"' as quoted
from duckdb_tables()
order by name
"""
_DEFINED = """
select schema_name || '.' || table_name, column_name from duckdb_columns() where not internal
union all
select schema_name || '.' || function_name, null from duckdb_functions() where not internal
"""
# Queries of the project call it.
_MACRO = ("main.source_format", None)
_HASH = "select max(hash(t)) as hash from {} as t"
# Rows of a table that are fetched at once, a multiple of DuckDB's vector size.
_EXPORTED_AT_ONCE = 2048 * 32


class WarehouseError(BenchledgerError):
    """A warehouse that cannot be built or read; the message has the reason and what to do."""


class DamagedFileError(WarehouseError):
    """A damaged published file; the message says what to do, `reason` is the message of DuckDB."""

    def __init__(self, path: Path, reason: str) -> None:
        self.reason = reason.splitlines()[0].removeprefix("IO Error: ")
        words = "`benchledger build` renames it and builds a new warehouse"
        super().__init__(
            f"{shown(path)} is damaged, or is not a DuckDB file; {words}: {self.reason}"
        )


@contextmanager
def read_as_copy(path: Path) -> Iterator[None]:
    """Context in which damage in a copy is reported for the published file."""
    try:
        yield
    except DamagedFileError as error:
        raise DamagedFileError(path, error.reason) from error


def quoted(text: str) -> str:
    """A text for use between single quotes in SQL, where DuckDB takes no parameter."""
    return text.replace("'", "''")


@contextmanager
def open_file(path: Path) -> Iterator[Connection]:
    """A read-only connection to a warehouse file, which can neither write nor read other files.

    Raises:
        WarehouseError: There is no file, it is not a DuckDB file, or DuckDB refuses the operation.
    """
    if not path.exists():
        raise WarehouseError(
            f"there is no warehouse at {shown(path)}; run `benchledger build` first"
        )
    try:
        connection = duckdb.connect(path.as_posix(), read_only=True, config=_READING)
    except duckdb.Error as error:
        if _LOCKED in str(error):
            raise WarehouseError(
                f"{path} is open for writing in another program; close it first"
            ) from error
        if not os.access(path, os.R_OK):
            raise WarehouseError(f"no permission to read {path}; change its permissions") from error
        raise DamagedFileError(path, str(error)) from error
    try:
        yield connection
    except duckdb.Error as error:
        if isinstance(error, duckdb.BinderException | duckdb.CatalogException):
            declared = {
                (table.full_name, column.name) for table in PUBLISHED for column in table.columns
            }
            if {_MACRO, *declared} - {*connection.execute(_DEFINED).fetchall()}:
                reason = str(error).splitlines()[0].partition(": ")[2]
                words = f"{path.name} was built by another version of benchledger; run `benchledger build`: {reason}"
                raise WarehouseError(words) from error
        raise _refusal(path, error) from error
    finally:
        connection.close()


def published_file(place: Path) -> Path:
    """The published warehouse of a folder; a file is itself."""
    return place if place.is_file() or place.name == FILE_NAME else place / FILE_NAME


def query_published(
    place: Path, sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
) -> pa.Table:
    """The rows of a query on the published warehouse of a folder, or on a file.

    Args:
        place: The folder or the file.
        sql: The query.
        parameters: Values for `?`, `$1` or `$name`.

    Raises:
        WarehouseError: There is no such file, or DuckDB refuses the query; the message is DuckDB's.
    """
    with open_file(published_file(place)) as connection:
        _require_one(connection, sql)
        relation = connection.sql(sql, params=parameters or None)
        return relation.to_arrow_table() if relation is not None else pa.table({})


def read_table(path: Path, full_name: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a table of a warehouse file in its order, in batches that are the same each time.

    Raises:
        WarehouseError: There is no such file, or it lacks the table or a column.
    """
    with open_file(path) as connection:
        reader = connection.table(full_name).select(
            *(duckdb.ColumnExpression(name) for name in columns)
        )
        try:
            yield from reader.to_arrow_reader(_EXPORTED_AT_ONCE)
        except OSError as error:
            raise _refusal(path, error) from error


def tables_in(path: Path) -> list[str]:
    """The tables of a DuckDB file.

    Raises:
        WarehouseError: It cannot be read.
    """
    return query_published(path, _TABLES)["name"].to_pylist()  # type: ignore[no-any-return]


def damage_of(path: Path) -> str | None:
    """Why a DuckDB file, or a row of it, cannot be read; None where it can.

    Raises:
        WarehouseError: It may not be read, or another process is writing to it.
    """
    try:
        with open_file(path) as connection:
            for _, quoted_name in connection.execute(_TABLES).fetchall():
                connection.execute(_HASH.format(quoted_name)).fetchall()
    except DamagedFileError as error:
        return error.reason
    return None


@dataclass(frozen=True)
class QueryLimits:
    """What one query of a user may cost.

    Attributes:
        seconds: Elapsed time that DuckDB works; what the reader of the rows takes does not count.
        memory_mib: MiB of memory that DuckDB uses; the process takes at most 1.3 times that.
        rows: Rows that are given out.
    """

    seconds: float = 60.0
    memory_mib: int = 2048
    rows: int = 1_000_000


@contextmanager
def stream_published(
    place: Path, sql: str, limits: QueryLimits | None = None
) -> Iterator[pa.RecordBatchReader]:
    """The rows of a user's query on the published warehouse of a folder, or on a file, as they
    come.

    Returns:
        Numbers, flags, texts, timestamps, and lists and structures of them; what else DuckDB has is
        its text.

    Raises:
        WarehouseError: There is no warehouse, DuckDB refuses the query, there are two, or it goes
            beyond its limits, which may show only after many rows.
    """
    limits = limits or QueryLimits()
    path = published_file(place)
    with open_file(path) as connection, _little_space(limits.memory_mib):
        clock = _Clock(connection, limits.seconds, path)
        with clock.running():
            connection.execute(f"set memory_limit = '{limits.memory_mib}MiB'")
            # A query that could change settings would undo all this, or end the process by them.
            connection.execute("set lock_configuration = true")
            _require_one(connection, sql)
            relation = connection.sql(sql)
            reader = (
                _printable(relation).to_arrow_reader(_BATCH)
                if relation is not None
                else pa.table({}).to_reader()
            )
        try:
            yield pa.RecordBatchReader.from_batches(
                reader.schema, _batches(reader, clock, limits.rows)
            )
        finally:
            reader.close()


def _require_one(connection: Connection, sql: str) -> None:
    if (count := len(connection.extract_statements(sql))) > 1:
        raise WarehouseError(f"the text contains {count} queries; run one query at a time")


def _printable(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The relation with a text in place of each value that Arrow or Python would change, or cannot
    hold.
    """
    kinds = [kind if kind.id == "timestamp" else _plain_type(kind) for kind in relation.types]
    if kinds == relation.types:
        return relation
    # By their places, as two columns may have one name.
    places = (duckdb.SQLExpression(f"#{place}") for place in range(1, len(kinds) + 1))
    columns = zip(places, kinds, relation.columns, strict=True)
    return relation.select(*(column.cast(kind).alias(name) for column, kind, name in columns))


def _plain_type(kind: Any) -> DuckDBPyType:
    if kind.id in ("list", "array"):
        return duckdb.list_type(_plain_type(kind.children[0][1]))
    if kind.id == "struct" and kind.children:
        return duckdb.struct_type({name: _plain_type(part) for name, part in kind.children})
    plain: DuckDBPyType = kind if kind.id in _PLAIN else VARCHAR
    return plain


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
            words = "the rest is not shown; increase --max-rows, or select less"
            raise WarehouseError(f"the query returns more than {most:,} rows; {words}")


class _Clock:
    """Ends a query that has worked for too long; the process with it, where it cannot be
    interrupted.
    """

    def __init__(self, connection: Connection, seconds: float, path: Path) -> None:
        self._connection, self._seconds, self._path = connection, seconds, path
        self._left, self._is_late, self._is_interrupted = seconds, False, False

    @contextmanager
    def running(self) -> Iterator[None]:
        """While it lasts the time counts.

        Raises:
            WarehouseError: DuckDB refuses the query, or it takes too long.
        """
        done, started = threading.Event(), time.monotonic()
        signals, theirs = socket.socketpair()
        theirs.setblocking(False)
        before = None
        if threading.current_thread() is threading.main_thread():
            # Arrow waits for DuckDB, and Python's own handler for Arrow.
            before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._end, args=[signals, done], daemon=True).start()
        try:
            yield
        # What goes wrong while rows are streamed comes through Arrow, as an OSError.
        except (duckdb.BinderException, duckdb.CatalogException):
            raise
        except (duckdb.Error, OSError) as error:
            if self._is_interrupted:
                raise KeyboardInterrupt from None
            raise self._too_late() if self._is_late else _refusal(self._path, error) from error
        finally:
            if before is not None:
                signal.set_wakeup_fd(before)
            done.set()
            theirs.close()
            self._left -= time.monotonic() - started

    def _end(self, signals: socket.socket, done: threading.Event) -> None:
        """Wait for a signal, the end of the query or of its time."""
        with signals:
            ready, _, _ = select.select([signals], [], [], max(0.0, self._left))
            self._is_interrupted = bool(ready and signals.recv(1))
        if done.is_set():
            return
        self._is_late = not ready
        # It may have ended meanwhile, and been closed.
        with suppress(duckdb.Error):
            self._connection.interrupt()
        if not done.wait(_GRACE_S):
            words, status = f"{self._too_late()}", FAILED
            if self._is_interrupted:
                words, status = INTERRUPTION, INTERRUPTED
            print(f"error: {words}", file=sys.stderr, flush=True)
            os._exit(status)

    def _too_late(self) -> WarehouseError:
        words = f"the query takes more than {self._seconds:g} s"
        return WarehouseError(words, hint="increase --seconds, or select less")


@contextmanager
def _little_space(memory_mib: int) -> Iterator[None]:
    """While it lasts the process is bounded: DuckDB's own limit counts neither one long value nor
    rows given out.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if not _PAGES_OF_MEMORY.exists():
        yield
        return
    pages = _PAGES_OF_MEMORY.read_text().split()
    resident, writable = (int(pages[field]) * resource.getpagesize() for field in (1, 5))
    most = writable + max(
        int(_MEMORY_PER_BYTE * memory_mib * 2**20) - resident, _LEAST_MEMORY_MIB << 20
    )
    known = [limit for limit in (soft, hard, most) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _is_damage(error: Exception) -> bool:
    """Whether DuckDB, or Arrow for it, refuses a file because of its bytes."""
    return any(words in str(error) for words in _DAMAGE)


def _refusal(path: Path, error: Exception) -> WarehouseError:
    if _is_damage(error):
        return DamagedFileError(path, str(error))
    if isinstance(error, duckdb.PermissionException):
        reason = (
            "queries here can only read the warehouse and cannot write files; write the rows that they return, "
            f"or open {path} in DuckDB"
        )
        return WarehouseError(f"{reason}: {error}")
    if "Out of Memory" in str(error):
        return WarehouseError(
            "the query exceeds the memory limit; increase --memory-mib, or select less"
        )
    return WarehouseError(str(error))


def query_frames(sql: str, frames: dict[str, pa.Table]) -> pa.Table:
    """The rows of a query over frames in memory, each under its name."""
    with duckdb.connect(":memory:") as connection:
        for name, frame in frames.items():
            connection.register(name, frame)
        return connection.sql(sql).to_arrow_table()
