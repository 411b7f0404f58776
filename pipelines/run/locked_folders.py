"""Where a build reads and writes, and that only one at a time builds a warehouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from pipelines.exceptions import BenchledgerError
from pipelines.object_addresses import address_of, refuse_nested, shown
from pipelines.own_files import NotOursError, checksum, keep_beside, work_folder
from pipelines.remote.publishing import Lease, leased, seconds_locked
from pipelines.run.cluster import dask_pool
from pipelines.run.corpus import Engine, process_pool
from pipelines.run.up_to_date import cache_folder, read_note, stands, take_over_published
from pipelines.settings import LOCAL, PREVIOUS_FILE
from pipelines.warehouse.reader import FILE_NAME, damage_of, tables_in

LOCK_FILE = ".build.lock"
# Whoever only asks whether a build is running holds the lock for less.
_PATIENCE_S = 0.5
# What every warehouse has held, whichever version has built it.
_ALWAYS = {"raw.documents", "main.current_results"}


class BuildRunningError(BenchledgerError):
    """Another build of the warehouse is running; it will have finished some time."""


@dataclass(frozen=True)
class LockedFolders:
    """The folders of a build, which holds the lock of the warehouse.

    Attributes:
        raw: Folder of the stored documents.
        warehouse: Folder of the published file.
        work: Folder for what is not complete yet.
        engine: Where documents are read.
        lease: The lock in the object store, where the warehouse is published in one.
    """

    raw: Path
    warehouse: Path
    work: Path
    engine: Engine = process_pool
    lease: Lease | None = None

    @property
    def cache(self) -> Path:
        """Rows of documents already read, kept from build to build."""
        return cache_folder(self.warehouse)


@contextmanager
def locked_folders(
    raw: Path, warehouse: Path, cluster: str, warn: Callable[[str], None]
) -> Iterator[LockedFolders]:
    """Hold the lock of a warehouse, and have its folder hold what was published last.

    Args:
        raw: Folder of the stored documents.
        warehouse: Folder of the published file; it may not exist yet.
        cluster: Address of the scheduler of a Dask cluster, or `local`.
        warn: Called with a sentence for each damaged file that was renamed.

    Raises:
        BuildRunningError: Another build of the warehouse is running.
        AddressError, NotOursError, ObjectStoreError, WarehouseError: The folders cannot be used.
    """
    warehouse.mkdir(parents=True, exist_ok=True)
    lock = FileLock(warehouse / LOCK_FILE)
    try:
        lock.acquire(timeout=_PATIENCE_S)
    except Timeout:
        raise BuildRunningError(
            f"another build of {shown(warehouse)} is running; wait until it has finished"
        ) from None
    try:
        refuse_nested(raw, warehouse)
        with leased(warehouse) as lease:
            take_over_published(warehouse)
            # What mirrors an object store was checked when it was fetched.
            if not address_of(warehouse):
                for words in _keep_damaged(warehouse):
                    warn(words)
            with work_folder(warehouse / FILE_NAME) as work:
                engine = process_pool if cluster == LOCAL else partial(dask_pool, cluster, work)
                yield LockedFolders(raw, warehouse, work, engine, lease)
    finally:
        lock.release()


def _keep_damaged(folder: Path) -> Iterator[str]:
    """Rename the files of a warehouse that cannot be read: `benchmarks.duckdb.damaged`. Nothing is
    replaced.

    Raises:
        NotOursError: There is a database of somebody else under the name of one of these files.
        WarehouseError: Another process is writing to one of them.
    """
    note = stands(folder) and read_note(folder)
    for name, kind in ((FILE_NAME, "file"), (PREVIOUS_FILE, "previous")):
        path = folder / name
        # What the last build has published, or kept, by its checksum, need not be looked through.
        if not path.exists() or (note and note.get(kind) == checksum(path)):
            continue
        if reason := damage_of(path):
            kept = keep_beside(path, path.with_name(f"{path.name}.damaged"))
            yield f"{path} cannot be read ({reason}); it is kept as {kept.name}, and a new warehouse is built"
        elif not {*tables_in(path)} >= _ALWAYS:
            raise NotOursError(
                f"{path} is not a benchledger warehouse; move it, or choose another folder"
            )


def is_being_built(warehouse: Path) -> bool:
    """Whether a build of this warehouse is running, started by anybody."""
    if address_of(warehouse) and seconds_locked(warehouse):
        return True
    if not warehouse.is_dir():
        return False
    try:
        with FileLock(warehouse / LOCK_FILE, timeout=0):
            return False
    except Timeout:
        return True
