"""The only module that opens DuckDB: tables in, tables out, queries on the published file.

Between assets a table is a Parquet file; DuckDB runs in memory over them. The published `.duckdb` file is assembled at
the end and put in place at once, so that a reader sees the old warehouse or the new one.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.schemas.arrow import arrow_schema
from pipelines.schemas.tables import Table

SQL_FOLDER = Path(__file__).parent / "sql"
# The folder and schema of steps in between: tables of one query, never stored.
INTERNAL = "internal"

FILE_NAME = "benchmarks.duckdb"
ENGINE_VERSION: str = duckdb.__version__

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
# Rows of a table that are taken out at once, a whole number of DuckDB's vectors.
_EXPORTED_AT_ONCE = 2048 * 32


class WarehouseError(Exception):
    """A warehouse that cannot be built or read; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The Parquet files of all tables under one warehouse folder."""

    folder: Path

    def path(self, full_name: str) -> Path:
        """File of a table, such as `tables/main/current_results.parquet`."""
        layer, name = full_name.split(".", 1)
        return self.folder / "tables" / layer / f"{name}.parquet"

    def quarantine_path(self, full_name: str) -> Path:
        """File with the rows that a table refused."""
        return self.folder / "tables" / "quarantine" / f"{full_name}.parquet"

    def write(self, full_name: str, rows: pa.Table) -> bool:
        """Put a table in place at once; False when its content is there already."""
        return write_parquet(self.path(full_name), rows)

    def holds(self, full_name: str, rows: pa.Table) -> bool:
        """True when the table has just these rows already, with the same stamp in its metadata."""
        path = self.path(full_name)
        return path.exists() and path.read_bytes() == parquet_bytes(rows)

    def row_count(self, full_name: str) -> int:
        """Rows of a table, read from the file's footer; 0 for a table that was never made."""
        return row_count(self.path(full_name))


def row_count(path: Path) -> int:
    """Rows of a Parquet file, read from its footer; 0 for a file that was never written."""
    return pq.read_metadata(path).num_rows if path.exists() else 0


def write_parquet(path: Path, rows: pa.Table) -> bool:
    """Write a Parquet file through a temporary one; False when the same bytes are there already."""
    content = parquet_bytes(rows)
    if path.exists() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_bytes(content)
    partial.replace(path)
    return True


def parquet_bytes(rows: pa.Table) -> bytes:
    """A frame as the bytes of a Parquet file; the same rows always give the same bytes."""
    buffer = pa.BufferOutputStream()
    pq.write_table(rows, buffer)
    return bytes(buffer.getvalue())


def run_sql(sql: str, tables: Tables) -> pa.Table:
    """The rows of a query over the tables it names, computed in memory.

    Raises:
        WarehouseError: A table that the query names was not made yet.
    """
    steps = internal_steps(sql)
    with in_memory() as connection:
        for full_name in sorted(base_tables(sql)):
            path = tables.path(full_name)
            if not path.exists():
                raise WarehouseError(f"the table {full_name} was not made yet; materialise it first")
            layer, name = full_name.split(".", 1)
            connection.execute(f'create schema if not exists "{layer}"')
            view = f"from read_parquet('{quoted(path.as_posix())}')"
            connection.execute(f'create or replace view "{layer}"."{name}" as {view}')
        if steps:
            connection.execute(f'create schema if not exists "{INTERNAL}"')
        for name in steps:
            # Read once, however often it is asked for: a view would be made again at every place.
            connection.execute(f'create or replace table "{INTERNAL}"."{name}" as {internal_query(name)}')
        try:
            return connection.sql(sql).to_arrow_table()
        finally:
            for name in reversed(steps):
                connection.execute(f'drop table "{INTERNAL}"."{name}"')


def run_table_sql(sql: str, table: Table, tables: Tables) -> pa.Table:
    """The rows of a table's query in the table's columns, order and types."""
    rows = run_sql(sql, tables)
    missing = [column.name for column in table.columns if column.name not in rows.column_names]
    extra = [name for name in rows.column_names if name not in {column.name for column in table.columns}]
    if missing or extra:
        raise WarehouseError(f"the query of {table.full_name} lacks the columns {missing} and has {extra} too many")
    return rows.select([column.name for column in table.columns]).cast(arrow_schema(table))


def read_parts(paths: Iterable[Path], table: Table, counting: Path) -> pa.Table:
    """The rows of several Parquet files that count, in the order of the table's columns.

    Args:
        paths: The files, each a chunk with rows of many documents.
        table: Whose rows they are.
        counting: Parquet file of (document_id, chunk), the chunk in which the rows of a document count.
    """
    files = [path.as_posix() for path in paths]
    if not files:
        return arrow_schema(table).empty_table()
    with in_memory() as connection:
        order = ", ".join(f'"{column.name}"' for column in table.columns if column.type not in ("texts", "integers"))
        rows = connection.sql(
            "select p.* from read_parquet(?, filename = true) as p semi join read_parquet(?) as d "
            f"on p.document_id = d.document_id and parse_filename(p.filename, true) = d.chunk order by {order}",
            params=[files, counting.as_posix()],
        ).to_arrow_table()
        return rows.select(arrow_schema(table).names).cast(arrow_schema(table))


@cache
def referenced_tables(sql: str) -> frozenset[str]:
    """Full names of the tables that a query reads; bare names are its own CTEs.

    Raises:
        WarehouseError: The query cannot be parsed.
    """
    with in_memory() as connection:
        [(serialized,)] = connection.execute("select json_serialize_sql(?::varchar)", [sql]).fetchall()
    tree = json.loads(serialized)
    if tree.get("error"):
        raise WarehouseError(f"the query cannot be parsed: {tree.get('error_message')}")
    return frozenset(
        f"{node['schema_name']}.{node['table_name']}"
        for node in _nodes(tree)
        if node.get("type") == "BASE_TABLE" and node.get("schema_name")
    )


@cache
def internal_query(name: str) -> str:
    """The query of a step that is nobody's table: `sql/internal/<name>.sql`, named `internal.<name>` in others."""
    return (SQL_FOLDER / INTERNAL / f"{name}.sql").read_text("utf-8")


@cache
def _internal_names() -> frozenset[str]:
    return frozenset(path.stem for path in (SQL_FOLDER / INTERNAL).glob("*.sql"))


@cache
def internal_steps(sql: str) -> tuple[str, ...]:
    """Names of the internal queries that a query rests on, each after those that it rests on itself."""
    found: dict[str, None] = {}
    for full_name in sorted(referenced_tables(sql)):
        layer, name = full_name.split(".", 1)
        if layer == INTERNAL and name in _internal_names():
            found |= dict.fromkeys((*internal_steps(internal_query(name)), name))
    return tuple(found)


@cache
def base_tables(sql: str) -> frozenset[str]:
    """Full names of the stored tables that a query and its internal steps read."""
    steps = internal_steps(sql)
    read = referenced_tables(sql).union(*(referenced_tables(internal_query(name)) for name in steps))
    return read - {f"{INTERNAL}.{name}" for name in steps}


def whole_query(sql: str) -> str:
    """A query with the text of its internal steps before it: what decides its rows, for a hash."""
    return "\n".join((*map(internal_query, internal_steps(sql)), sql))


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)


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
        raise WarehouseError(f"there is no warehouse at {path}; run `benchledger build` first")
    try:
        connection = duckdb.connect(path.as_posix(), read_only=True, config=_READING)
    except duckdb.Error as error:
        raise WarehouseError(f"{path} cannot be opened; build it again: {error}") from error
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
            raise WarehouseError(f"{path} was built by another version, build it again: {error}") from error
        yield from reader.to_arrow_reader(_EXPORTED_AT_ONCE)


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


def _refusal(path: Path, error: Exception) -> WarehouseError:
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
