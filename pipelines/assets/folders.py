"""Where a run reads and writes, and that only one run at a time builds a warehouse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from filelock import FileLock, Timeout

from pipelines.assets.instance import is_held, keep_running
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


def refuse_other_folders(context: dg.InitResourceContext, resource: str, *pairs: tuple[Path, Path]) -> None:
    """End a run that names folders of its own: whoever can launch one in the UI is not to choose where it writes.

    Args:
        context: Of the resource.
        resource: Its name in the configuration of the run.
        pairs: Each folder of the run with the one that the process is configured for.

    Raises:
        dg.Failure: The run was launched by another process, and names another folder.
    """
    run = context.run
    resources = run.run_config.get("resources") if run and not is_held(run.run_id) else None
    if not isinstance(resources, Mapping) or resource not in resources:
        return
    for named, configured in pairs:
        if named.resolve() != configured.resolve():
            raise dg.Failure(f"a run may not name another folder: {named} is not {configured}, which is configured")


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
        configured = (raw_folder(), warehouse_folder())
        refuse_other_folders(context, "folders", *zip((self.raw_path, self.tables.folder), configured, strict=True))
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
