"""Where Dagster keeps runs and their events: its own SQLite storage, with the connections of the event log kept open.

Dagster opens and closes a connection for every event, and a build has five hundred: that took more time than the build.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, StaticPool, create_engine, event

# The index and the runs that are written or looked at now; every run has a file of its own.
_FILES_OPEN = 8
_BUSY_TIMEOUT_S = 30


class OpenEventLog(SqliteEventLogStorage):
    """The event log of Dagster's SQLite storage; a file is opened once, not once for every event."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None):
        super().__init__(base_dir, inst_data)
        self._one_at_a_time = threading.Lock()
        # The file opened last stands last.
        self._engines: dict[str, Engine] = {}
        self._tables_seen: set[str] = set()
        self._has_index_columns = False

    def run_connection(self, run_id: str | None = None) -> Any:
        return self._kept(str(run_id))

    def index_connection(self) -> Any:
        return self._kept(INDEX_SHARD_NAME)

    def has_table(self, table_name: str) -> bool:
        # Asked for at every event of a check; a table that is there stays.
        if table_name not in self._tables_seen and super().has_table(table_name):
            self._tables_seen.add(table_name)
        return table_name in self._tables_seen

    def _has_asset_key_index_cols_on_connection(self, conn: Connection) -> bool:
        # Asked for at every event of an asset. The columns are in every file that this version of Dagster has made.
        if not self._has_index_columns:
            self._has_index_columns = super()._has_asset_key_index_cols_on_connection(conn)
        return self._has_index_columns

    @contextmanager
    def _kept(self, shard: str) -> Iterator[Connection]:
        with self._one_at_a_time:
            if shard not in self._engines:
                if len(self._engines) >= _FILES_OPEN:
                    self._engines.pop(next(iter(self._engines))).dispose()
                self._engines[shard] = self._open(shard)
            with self._engines[shard].begin() as connection:
                yield connection

    def _open(self, shard: str) -> Engine:
        # Dagster makes the file and its tables where there are none.
        with self._connect(shard):
            pass
        engine = create_engine(
            self.conn_string_for_shard(shard),
            poolclass=StaticPool,
            connect_args={"timeout": _BUSY_TIMEOUT_S, "check_same_thread": False},
        )
        event.listen(engine, "connect", _wait_for_no_disk)
        return engine

    def _close(self) -> None:
        with self._one_at_a_time:
            for engine in self._engines.values():
                engine.dispose()
            self._engines.clear()

    def wipe(self) -> None:
        self._close()
        self._tables_seen.clear()
        super().wipe()

    def dispose(self) -> None:
        self._close()
        super().dispose()


def _wait_for_no_disk(connection: Any, _: object) -> None:
    # With a write-ahead log a power cut may lose the last events, and never damages the file.
    connection.execute("pragma synchronous = normal")


class RunHistory(DagsterSqliteStorage):
    """Dagster's SQLite storage of runs, events and schedules in one folder, with `OpenEventLog`."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None):
        super().__init__(base_dir, inst_data)
        self._event_log_storage = OpenEventLog(self._event_log_storage._base_dir)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Any) -> Self:
        return cls.from_local(inst_data=inst_data, **config_value)
