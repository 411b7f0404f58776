"""Where a run reads and writes, what reads its documents, and that only one run at a time builds a
warehouse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import dagster as dg
from filelock import FileLock, Timeout
from pydantic import PrivateAttr

from pipelines.assets.instance import is_held, keep_running
from pipelines.ingest.mirror import pull
from pipelines.ingest.store import Store, read_store
from pipelines.object_addresses import AddressError, address_of, folder_of, refuse_nested, shown
from pipelines.own_files import NotOursError, work_folder
from pipelines.remote.bucket import ObjectStoreError
from pipelines.remote.publishing import Lease, leased, seconds_locked
from pipelines.run.cluster import ClusterError, dask_pool
from pipelines.run.corpus import Corpus, Engine, Progress, process_pool
from pipelines.run.document_tables import read_documents
from pipelines.run.up_to_date import cache_folder, take_over_published
from pipelines.run.working_copy import WorkingCopy, begin, keep_damaged, publish
from pipelines.settings import LOCAL, cluster_address, raw_folder, warehouse_folder
from pipelines.validate.quarantine import ContractError
from pipelines.warehouse.database import Tables
from pipelines.warehouse.reader import FILE_NAME, WarehouseError

LOCK_FILE = ".build.lock"
# The step that lists the store, and the one that publishes; without the latter the last one does.
FIRST_STEP, LAST_STEP = "raw__documents", "warehouse"
# Stores that the command has listed before its run has begun, by their folder.
_listed: dict[Path, Store] = {}
# Whoever only asks whether a build is running holds the lock for less.
_PATIENCE_S = 0.5


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


def refuse_others(
    context: dg.InitResourceContext, resource: str, named: list[str], configured: list[str]
) -> None:
    """Fail a run with other folders than configured: a user of the UI must not choose where it
    reads and writes.

    Raises:
        dg.Failure: The run was launched by another process, and names another place for the
        resource than `configured`.
    """
    run = context.run
    resources = run.run_config.get("resources") if run and not is_held(run.run_id) else None
    if isinstance(resources, Mapping) and resource in resources and named != configured:
        differing = [
            f"{one} is not {other}"
            for one, other in zip(named, configured, strict=True)
            if one != other
        ]
        raise dg.Failure(
            f"the run configuration must not change folders: {', '.join(differing)}, which is configured"
        )


def place_of(folder: Path) -> str:
    """A folder, with all links on its way followed, as a person knows it."""
    return shown(folder.resolve())


def hand_over(raw: Path, store: Store) -> None:
    """Let the next run of this process take a store as it was just listed: listing it means to hash
    all of it.
    """
    _listed[raw] = store


class Folders(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The store and the warehouse of a run, and what reads its documents.

    Attributes:
        raw: Folder of the stored documents, or its address in an object store.
        warehouse: Folder of the tables and of the published file, or its address in an object
            store.
        cluster: Address of the scheduler of a Dask cluster, `tcp://scheduler:8786`; `local` for
            processes of this machine.
    """

    raw: str = str(raw_folder())
    warehouse: str = str(warehouse_folder())
    cluster: str = cluster_address()

    _working: WorkingCopy | None = PrivateAttr(default=None)
    _published: Tables | None = PrivateAttr(default=None)
    _steps_left: set[str] | None = PrivateAttr(default=None)
    _lease: Lease | None = PrivateAttr(default=None)
    _work: Path | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Folders]:
        """Hold the warehouse's lock for as long as the run needs its folders."""
        named, configured = (self.raw_path, self.folder), (raw_folder(), warehouse_folder())
        # Whoever is the scheduler of a cluster can execute code here.
        scheduler = LOCAL if self.cluster == LOCAL else cluster_address()
        refuse_others(
            context,
            "folders",
            [*map(place_of, named), self.cluster],
            [*map(place_of, configured), scheduler],
        )
        if context.run and context.instance and context.instance.is_persistent:
            keep_running(context.run.run_id)
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / LOCK_FILE)
        try:
            lock.acquire(timeout=_PATIENCE_S)
        except Timeout:
            raise dg.Failure(
                f"another build of {shown(self.folder)} is running; wait until it has finished"
            ) from None
        try:
            refuse_nested(self.raw_path, self.folder)
            with leased(self.folder) as self._lease:
                take_over_published(self.folder)
                # What mirrors an object store was checked when it was fetched.
                for words in () if address_of(self.folder) else keep_damaged(self.folder):
                    (context.log or dg.get_dagster_logger()).warning(words)
                with work_folder(self.folder / FILE_NAME) as self._work:
                    yield self
        except (AddressError, NotOursError, ObjectStoreError, WarehouseError) as error:
            raise dg.Failure(str(error), allow_retries=False) from None
        finally:
            if self._working:
                self._working.tables.discard()
            if self._published:
                self._published.close()
            self._working = self._published = None
            lock.release()

    @contextmanager
    def step(self, context: dg.AssetExecutionContext) -> Iterator[WorkingCopy]:
        """The working copy for a step that makes tables; the last step of the run puts it in its
        place.

        Raises:
            dagster.Failure: The step cannot go on; nothing is published.
        """
        try:
            working = self._working or self._begin(context)
            is_done = False
            try:
                yield working
                is_done = True
            finally:
                working.is_broken = working.is_broken or not is_done
            if self._steps_left is not None:
                self._steps_left.discard(context.op_execution_context.op.name)
                if not self._steps_left and not working.is_broken and working.made:
                    self.publish()
        except (ClusterError, ContractError, ObjectStoreError, WarehouseError) as error:
            raise dg.Failure(str(error), allow_retries=False) from error

    def _begin(self, context: dg.AssetExecutionContext) -> WorkingCopy:
        steps = {node.name for node in context.job_def.nodes}
        if context.run.step_keys_to_execute and FIRST_STEP in steps - {
            *context.run.step_keys_to_execute
        }:
            raise dg.Failure(
                "a failed build keeps no intermediate rows; run the whole job again",
                allow_retries=False,
            )
        self._steps_left = None if LAST_STEP in steps else steps
        self._working = begin(self.folder, self.work, anew=FIRST_STEP in steps)
        self._working.lease = self._lease
        return self._working

    def publish(self) -> Path:
        """Put the working copy of the run in the place of the published file."""
        working = self._working
        if working is None or working.is_broken:
            raise WarehouseError("there are no tables to publish")
        path = publish(working)
        self._working = None
        return path

    @property
    def tables(self) -> Tables:
        """The tables that the run is making, else the published ones, to read."""
        if self._working:
            return self._working.tables
        if not self._published:
            self._published = Tables(self.folder / FILE_NAME, read_only=True)
        return self._published

    @property
    def working(self) -> WorkingCopy | None:
        """The working copy of the run, once a step has begun it."""
        return self._working

    def list_store(self) -> Store:
        """What is stored now, or was when the command that has begun the run listed it."""
        listed = _listed.pop(self.raw_path, None)
        # Another build may have published what came since then, before this one got its lock.
        is_new = pull(self.raw_path)
        return listed if listed and not is_new else read_store(self.raw_path)

    @property
    def engine(self) -> Engine:
        """Where documents are read."""
        return (
            process_pool if self.cluster == LOCAL else partial(dask_pool, self.cluster, self.work)
        )

    def read_documents(
        self, working: WorkingCopy, report: Callable[[Progress], None] = lambda progress: None
    ) -> Corpus:
        """Have `extracted` hold the rows of all documents, which are read once in a run."""
        return read_documents(working, self.raw_path, self.cache, self.engine, report)

    @property
    def raw_path(self) -> Path:
        return folder_of(self.raw)

    @property
    def folder(self) -> Path:
        """Folder of the warehouse."""
        return folder_of(self.warehouse)

    @property
    def cache(self) -> Path:
        """Rows of documents already read, kept from build to build."""
        return cache_folder(self.folder)

    @property
    def work(self) -> Path:
        """What the run writes before it is complete."""
        if self._work is None:
            raise WarehouseError("the run has no working folder; start it as a job")
        return self._work
