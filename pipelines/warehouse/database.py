"""Tables on one connection: those of a warehouse file that is being made, or given ones in memory.

The schemas `extracted` and `internal` are steps in between: queries name them, and they never stand
in a file.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from duckdb.func import SPECIAL

from pipelines.schemas.tables import DUCKDB_TYPES, LAYERS, PUBLISHED, TABLES, Table, arrow_schema
from pipelines.settings import build_memory_mib
from pipelines.vocabulary.dimensions import identity_macros
from pipelines.warehouse.queries import INTERNAL, cost_macros, internal_query, internal_steps
from pipelines.warehouse.reader import SQL_FOLDER, quoted

# DuckDB 1.2 and later open a file of this storage version.
STORAGE_VERSION = "v1.2.0"
# What does not fit into memory, in the work folder of a build.
SPILL_FOLDER = "spill"
# Between the builds of a few documents and of all that is shipped, which were timed with one
# thread and with two.
_MANY_ROWS = 10_000
# Rows of a table that are looked at together, a whole number of DuckDB's vectors.
_ROWS_AT_ONCE = 2048 * 16

EXTRACTED = "extracted"
# Numerals that refused rows have given, and lines that are left without any: the accounting says
# that they are unread.
_FORGET_NUMERALS = """
update audit.numerals as n set status = 'unparsed', rule = g.rule from given_rows as g
where
    n.status = 'extracted' and n.document_id = g.document_id and n.line = coalesce(g.line, n.line)
    and n.char_start < coalesce(g.char_end, n.char_end) and coalesce(g.char_start, n.char_start) < n.char_end
"""
_FORGET_LINES = """
update audit.line_ledger as l set role = 'unparsed', rule = g.rule from given_rows as g
where
    l.role in ('measurement', 'claim', 'log')
    and l.document_id = g.document_id and l.line = coalesce(g.line, l.line)
    and not exists (
        from audit.numerals as n
        where n.status = 'extracted' and n.document_id = l.document_id and n.line = l.line
    )
"""
# Rejects of derived rows, each with the document and the line of the result or the claim that it
# rests on.
_PLACED_REJECTS = """
select
    g.* replace (
        coalesce(g.document_id, r.document_id, c.document_id) as document_id,
        coalesce(g.line, r.line, c.line) as line
    )
from given_rows as g
left join resolved.results as r on r.result_id = coalesce(
    g.row_json ->> 'result_id', g.row_json ->> 'left_result_id', g.row_json ->> 'result_id_from',
    g.row_json ->> 'throughput_result_id'
)
left join resolved.claims as c on c.claim_id = g.row_json ->> 'claim_id'
"""
# The macros by which conditions are compared.
DIFFERENCES = (SQL_FOLDER / "differences.sql").read_text("utf-8")
_REFUSED_EVIDENCE = "internal.refused_evidence"
_AT_REFUSED = f"""
evidence_id in (select g.evidence_id from given_rows as g union all select r.evidence_id from {_REFUSED_EVIDENCE} as r)
"""
_LEFT_CONDITIONS = "result_id not in (select r.result_id from resolved.results as r)"
# To write a file again takes longer than to make its derived tables: not after every build.
_HAS_UNUSED_SPACE = """
from pragma_database_size() where database_name = 'built' and free_blocks > 0.1 * total_blocks
"""
_DIGEST = (
    "select count(*) as rows, coalesce(sum(hash(t)::hugeint), 0)::varchar as digest from {} as t"
)


class Tables:
    """The tables of one file, or of none; closed when the file is to be renamed.

    What does not fit into the memory that the engine may take goes to a folder.

    Attributes:
        path: The file, or None in memory.

    Args:
        path: The file, or None in memory.
        read_only: Whether the file is only read.
        spill: Folder for what does not fit into memory; by default one beside a file that is
            written, else none.
        memory_mib: Memory that it may use; by default what a build may.

    Raises:
        WarehouseError: The file cannot be opened.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        read_only: bool = False,
        spill: Path | None = None,
        memory_mib: int | None = None,
    ) -> None:
        self.path, self._is_written = path, path is not None and not read_only
        self._spill = spill or (path.parent / SPILL_FOLDER if path and not read_only else None)
        limits: dict[str, Any] = {
            "threads": 1,
            "temp_directory": self._spill.as_posix() if self._spill else "",
            "memory_limit": f"{memory_mib or build_memory_mib()}MiB",
        }
        self._connection = duckdb.connect(":memory:", config=limits)
        self.execute(
            f"set enable_progress_bar = false; {cost_macros()} {identity_macros()}; {DIFFERENCES}"
        )
        if path:
            how = f"storage_version '{STORAGE_VERSION}'" if self._is_written else "read_only"
            self.execute(f"attach '{quoted(path.as_posix())}' as built ({how})")
            self.execute("use built")
        for name in (EXTRACTED, INTERNAL):
            self.execute(f"attach ':memory:' as {name}" if path else f"create schema {name}")
        for layer in () if read_only else LAYERS:
            self.execute(f"create schema if not exists {layer}")
        listed = "select schema_name || '.' || table_name from duckdb_tables()"
        self._made = {name for (name,) in self._connection.execute(listed).fetchall()}
        self._keeps_steps, self._kept = False, list[str]()

    def close(self) -> None:
        """Write the file out, without much unused space, and let it go."""
        if self._is_written:
            self.execute("checkpoint built")
        copy = self._compact_copy()
        if self.path:
            self.execute("use memory")
            self.execute("detach built")
        if copy and self.path:
            copy.replace(self.path)
        self._end()

    def _compact_copy(self) -> Path | None:
        """The file written again, where rows that were replaced have left much unused space."""
        is_wasteful = self._is_written and self._connection.execute(_HAS_UNUSED_SPACE).fetchall()
        if not is_wasteful or not self.path:
            return None
        copy = self.path.with_suffix(".compact")
        self.execute(
            f"attach '{quoted(copy.as_posix())}' as compact (storage_version '{STORAGE_VERSION}')"
        )
        self.execute("copy from database built to compact")
        self.execute("detach compact")
        return copy

    def discard(self) -> None:
        """Let go of the file, and remove it if it is being made."""
        self._end()
        if self.path and self._is_written:
            for path in (self.path, Path(f"{self.path}.wal")):
                path.unlink(missing_ok=True)

    def _end(self) -> None:
        self._connection.close()
        if self._spill:
            shutil.rmtree(self._spill, ignore_errors=True)

    def execute(self, statement: str) -> None:
        """Execute a statement that gives no rows."""
        # A result that is left open blocks the connection.
        self._connection.execute(statement).fetchall()

    def use_cores_for(self, full_name: str) -> None:
        """Share the work of each query among all cores if a table is large: of few rows a second
        thread costs more than it saves.
        """
        if self.row_count(full_name) > _MANY_ROWS:
            self.execute("reset threads")

    def define(
        self, name: str, function: Callable[..., Any], takes: Sequence[str], gives: str
    ) -> None:
        """Let queries call a function on the values of a row; null is a value to it."""
        with suppress(duckdb.InvalidInputException):
            # One of an earlier step of the build.
            self._connection.remove_function(name)
        self._connection.create_function(name, function, [*takes], gives, null_handling=SPECIAL)

    def holds(self, full_name: str) -> bool:
        """Whether a table was made."""
        return full_name in self._made

    def row_count(self, full_name: str) -> int:
        """Rows of a table; 0 for one that was never made."""
        if not self.holds(full_name):
            return 0
        [(rows,)] = self._connection.execute(f"select count(*) from {full_name}").fetchall()
        return int(rows)

    def digest(self, full_name: str) -> tuple[Any, ...] | None:
        """A fingerprint of the rows of a table in any order; None for a table that was never built."""
        if not self.holds(full_name):
            return None
        [found] = self._connection.execute(_DIGEST.format(full_name)).fetchall()
        return tuple(found)

    def read(
        self, full_name: str, columns: Sequence[str] = (), documents: Collection[str] | None = None
    ) -> pa.Table:
        """Rows of a table; by default all columns, of all documents."""
        table = TABLES[full_name]
        names = list(columns) or [column.name for column in table.columns]
        where = "true" if documents is None else _of_documents(table)
        with self._registered(_ids(documents or ())):
            rows = self._connection.sql(f"select {', '.join(names)} from {full_name} where {where}")
            schema = pa.schema([arrow_schema(table).field(name) for name in names])
            return rows.to_arrow_table().cast(schema)

    def query(self, sql: str, parameters: Any = None) -> pa.Table:
        """The rows of a query over the tables it names; steps in between are made for it, each
        once.

        Args:
            sql: The query.
            parameters: Values for `$1`, `$2` ..., if it has any.
        """
        with self._steps(sql):
            return self._connection.sql(sql, params=parameters).to_arrow_table()

    def make(self, full_name: str, sql: str) -> None:
        """Put the rows of a query, which has the columns of the table, in the place of those that
        the table has; they never leave the engine.
        """
        if self.lacks_input(full_name):
            self.write(full_name, arrow_schema(TABLES[full_name]).empty_table())
            return
        columns = ", ".join(
            f"{column.name}::{DUCKDB_TYPES[column.type]} as {column.name}"
            for column in TABLES[full_name].columns
        )
        with self._steps(sql):
            # One statement: to plan a query takes longer than to make the rows of a few documents.
            self.execute(
                f"create or replace table {full_name} as "
                f"with given as ({sql}) select {columns} from given"
            )
        self._made.add(full_name)

    def lacks_input(self, full_name: str) -> bool:
        """Whether the table that fills another one is empty: then its query needs no plan."""
        table = TABLES[full_name]
        is_open = table.filled_with is None or table.is_filled_otherwise
        return not is_open and not self.row_count(str(table.filled_with))

    def drop(self, full_names: Collection[str]) -> None:
        """Remove tables, so that new ones take their place in the file."""
        for full_name in self._made.intersection(full_names):
            self.execute(f"drop table {full_name}")
            self._made.remove(full_name)
        if self._is_written:
            self.execute("checkpoint built")

    def batches(self, full_name: str) -> Iterator[pa.Table]:
        """The rows of a table in batches; no other query may run before the last batch."""
        schema, rows = arrow_schema(TABLES[full_name]), self._connection.table(full_name)
        for batch in rows.to_arrow_reader(_ROWS_AT_ONCE):
            yield pa.Table.from_batches([batch]).cast(schema)

    def rows_of_repeated_keys(self, full_name: str) -> pa.Table:
        """The rows of a table that share their key with another one, in its order."""
        schema, key = arrow_schema(TABLES[full_name]), ", ".join(TABLES[full_name].key)
        if not key:
            return schema.empty_table()
        # In a row, unlike alone, two nulls are the same.
        repeated = f"select row({key}) as same from {full_name} group by all having count(*) > 1"
        found = f"from {full_name} semi join ({repeated}) on row({key}) = same order by rowid"
        return self._connection.sql(found).to_arrow_table().cast(schema)

    @contextmanager
    def _steps(self, sql: str) -> Iterator[None]:
        """While it lasts the steps in between are there that a query rests on."""
        steps = [name for name in internal_steps(sql) if name not in self._kept]
        try:
            for name in steps:
                # A table is computed once; a view would be computed at every use.
                self.execute(f"create or replace table {INTERNAL}.{name} as {internal_query(name)}")
            yield
        finally:
            if self._keeps_steps:
                self._kept += steps
            else:
                self._drop(steps)

    def _drop(self, steps: Sequence[str]) -> None:
        for name in reversed(steps):
            self.execute(f"drop table if exists {INTERNAL}.{name}")

    @contextmanager
    def keeping_steps(self) -> Iterator[None]:
        """While it lasts a step in between is made once for all queries; no table that one reads
        may change.
        """
        self._keeps_steps = True
        try:
            yield
        finally:
            self._drop(self._kept)
            self._keeps_steps, self._kept = False, []

    def write(self, full_name: str, rows: pa.Table) -> None:
        """Put rows in the place of those that a table has."""
        with self._registered(rows):
            self.execute(f"create or replace table {full_name} as from given_rows")
        self._made.add(full_name)

    def add(self, full_name: str, rows: pa.Table) -> None:
        """Add rows to those that a table has."""
        with self._registered(rows):
            self.execute(f"insert into {full_name} from given_rows")

    def add_extracted(self, full_name: str, documents: Collection[str]) -> None:
        """Add the rows of documents in the printed words to those that a table has."""
        name = full_name.split(".")[1]
        with self._registered(_ids(documents)):
            self.execute(
                f"insert into {full_name} by name from {EXTRACTED}.{name} "
                "semi join given_rows using (document_id) order by all"
            )

    def forget_readings(self, refused: pa.Table) -> None:
        """Let the accounting say that nothing was read where rejects are: at their places, or in
        whole documents.
        """
        with self._registered(refused):
            self.execute(_FORGET_NUMERALS)
            self.execute(_FORGET_LINES)

    def remove_evidence(
        self, full_names: Sequence[str], reasons: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """Remove the rows with some evidence, and those that depend on them, from tables; gives a
        reject for each.

        Args:
            full_names: The tables.
            reasons: Why rows are refused, by their evidence.
        """
        given = {"evidence_id": [*reasons], "reason": [*reasons.values()]}
        self.write(
            _REFUSED_EVIDENCE, pa.table(given, schema=arrow_schema(TABLES[_REFUSED_EVIDENCE]))
        )
        refused = self.query(internal_query("rows_at_refused_evidence"))
        with self._registered(refused):
            for full_name in full_names:
                self.execute(f"delete from {full_name} where {_AT_REFUSED}")
        self.execute(f"delete from resolved.result_conditions where {_LEFT_CONDITIONS}")
        rejects: list[dict[str, Any]] = refused.to_pylist()
        return rejects

    def remove_documents(self, full_names: Sequence[str], documents: Collection[str]) -> None:
        """Remove the rows of documents from tables, the last ones first: some are found by those
        before them.
        """
        with self._registered(_ids(documents)):
            for full_name in reversed(full_names):
                self.execute(f"delete from {full_name} where {_of_documents(TABLES[full_name])}")

    def remove_rejected(
        self, full_name: str, rejects: Sequence[dict[str, Any]], schema: pa.Schema
    ) -> pa.Table:
        """Remove refused rows from a derived table by their key; gives the rejects with the places
        they rest on.
        """
        keys = (
            f"t.{key}::varchar is not distinct from g.row_json ->> '{key}'"
            for key in TABLES[full_name].key
        )
        with self._registered(pa.Table.from_pylist([*rejects], schema=schema)):
            placed = self._connection.sql(_PLACED_REJECTS).to_arrow_table()
            refused = f"exists (from given_rows as g where {' and '.join(keys)})"
            self.execute(f"delete from {full_name} as t where {refused}")
        return placed.select(schema.names).cast(schema)

    def show_rows(self, files: Mapping[str, Sequence[Path]], counting: pa.Table) -> None:
        """Let the tables of `extracted` be the rows in Parquet files that count.

        Args:
            files: The files of each kind of row.
            counting: `document_id`, and as `chunk` the name of the file that holds the rows of it
                that count.
        """
        with self._registered(counting):
            self.execute(f"create or replace table {EXTRACTED}.counting as from given_rows")
        for kind, paths in files.items():
            listed = ", ".join(f"'{quoted(path.as_posix())}'" for path in paths)
            self.execute(
                f"create or replace view {EXTRACTED}.{kind} as select p.* exclude (filename) "
                f"from read_parquet([{listed}], filename = true) as p semi join {EXTRACTED}.counting as d "
                "on p.document_id = d.document_id and parse_filename(p.filename, true) = d.chunk"
            )
            self._made.add(f"{EXTRACTED}.{kind}")

    def describe(self) -> None:
        """Say in the file what its tables and columns are."""
        comments = list[str]()
        for table in PUBLISHED:
            meaning = quoted(f"{table.meaning} Grain: {table.grain}.")
            comments.append(f"comment on table {table.full_name} is '{meaning}'")
            for column in table.columns:
                name = f"{table.full_name}.{column.name}"
                comments.append(f"comment on column {name} is '{quoted(column.meaning)}'")
        # One transaction: each comment on its own would go to the disk.
        with self.transaction():
            self.execute("; ".join(comments))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """While it lasts rows are put in place without a journal, which would be written beside
        them.
        """
        end = self._connection.rollback
        self._connection.begin()
        try:
            yield
            end = self._connection.commit
        finally:
            end()

    @contextmanager
    def _registered(self, rows: pa.Table) -> Iterator[None]:
        self._connection.register("given_rows", rows)
        try:
            yield
        finally:
            self._connection.unregister("given_rows")


def run_table_sql(sql: str, table: Table, tables: Tables) -> pa.Table:
    """The rows of a table's query in the table's columns, order and types."""
    if tables.lacks_input(table.full_name):
        return arrow_schema(table).empty_table()
    rows = tables.query(sql)
    return rows.select([column.name for column in table.columns]).cast(arrow_schema(table))


def _ids(documents: Collection[str]) -> pa.Table:
    return pa.table({"document_id": pa.array(sorted(documents), pa.string())})


def _of_documents(table: Table) -> str:
    """The condition that a row is one of the documents in `given_rows`."""
    if any(column.name == "document_id" for column in table.columns):
        return "document_id in (select g.document_id from given_rows as g)"
    # A condition is of the document of its result.
    of_results = "select r.result_id from resolved.results as r semi join given_rows as g using (document_id)"
    return f"result_id in ({of_results})"
