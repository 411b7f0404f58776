"""Where a run reads and writes, and that only one run at a time builds a warehouse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from filelock import FileLock, Timeout

from pipelines.assets.instance import keep_running
from pipelines.settings import raw_folder, warehouse_folder
from pipelines.warehouse import Tables

LOCK_FILE = ".build.lock"
# A file is written under such a name and then renamed; DuckDB keeps its journal beside it.
_UNFINISHED = ("*.partial", "*.partial.wal")
# Whoever only asks whether a build is running holds the lock for less.
_PATIENCE_S = 0.5


def is_being_built(warehouse: Path) -> bool:
    """Whether a build of this warehouse is running, started by anybody."""
    if not warehouse.is_dir():
        return False
    try:
        with FileLock(warehouse / LOCK_FILE, timeout=0):
            return False
    except Timeout:
        return True


class Folders(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The store and the warehouse of a run.

    Attributes:
        raw: Folder of the stored documents.
        warehouse: Folder of the tables and of the published file.
    """

    raw: str = str(raw_folder())
    warehouse: str = str(warehouse_folder())

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Folders]:
        """Hold the warehouse's lock for as long as the run needs its folders."""
        if context.run and context.instance and context.instance.is_persistent:
            keep_running(context.run.run_id)
        self.tables.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.tables.folder / LOCK_FILE)
        try:
            lock.acquire(timeout=_PATIENCE_S)
        except Timeout:
            raise dg.Failure(f"another build of {self.warehouse} is running; wait for it to end") from None
        try:
            self._remove_leftovers()
            yield self
        finally:
            lock.release()

    def _remove_leftovers(self) -> None:
        """Remove what builds that were killed have begun to write: nobody else writes while the lock is held."""
        for pattern in _UNFINISHED:
            for path in self.tables.folder.rglob(pattern):
                path.unlink(missing_ok=True)

    @property
    def raw_path(self) -> Path:
        return Path(self.raw)

    @property
    def tables(self) -> Tables:
        return Tables(Path(self.warehouse))

    @property
    def cache(self) -> Path:
        """Rows of documents already read, kept from build to build."""
        return Path(self.warehouse) / "cache"
