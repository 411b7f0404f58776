"""The folders of a Dagster run: configuration, the lock that it holds, and its working copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from pydantic import PrivateAttr

from pipelines.assets.instance import is_held, keep_running
from pipelines.exceptions import BenchledgerError
from pipelines.object_addresses import folder_of, shown
from pipelines.run.locked_folders import BuildRunningError, LockedFolders, locked_folders
from pipelines.run.steps import STEPS
from pipelines.run.working_copy import WorkingCopy, begin, publish
from pipelines.settings import LOCAL, cluster_address, raw_folder, warehouse_folder
from pipelines.warehouse.database import Tables
from pipelines.warehouse.reader import FILE_NAME, WarehouseError

# The step that lists the store, and the one that publishes; without the latter the last one does.
FIRST_STEP, LAST_STEP = STEPS[0].name, STEPS[-1].name


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
    if not isinstance(resources, Mapping) or resource not in resources or named == configured:
        return
    pairs = zip(named, configured, strict=True)
    differing = [f"{one} is not {other}" for one, other in pairs if one != other]
    raise dg.Failure(
        f"the run configuration must not change folders: {', '.join(differing)}, which is configured"
    )


def place_of(folder: Path) -> str:
    """A folder, with all links on its way followed, as a person knows it."""
    return shown(folder.resolve())


@contextmanager
def failures() -> Iterator[None]:
    """Have what stops a build fail the run; only a lock may be free later.

    Raises:
        dg.Failure: What the code has raised, in its words.
    """
    try:
        yield
    except BuildRunningError as error:
        raise dg.Failure(str(error)) from None
    except BenchledgerError as error:
        raise dg.Failure(str(error), allow_retries=False) from error


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

    _locked: LockedFolders | None = PrivateAttr(default=None)
    _working: WorkingCopy | None = PrivateAttr(default=None)
    _published: Tables | None = PrivateAttr(default=None)
    _steps_left: set[str] | None = PrivateAttr(default=None)

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
        warn = (context.log or dg.get_dagster_logger()).warning
        with failures(), locked_folders(*named, self.cluster, warn) as self._locked:
            try:
                yield self
            finally:
                if self._working:
                    self._working.tables.discard()
                if self._published:
                    self._published.close()
                self._working = self._published = None

    @contextmanager
    def step(self, context: dg.AssetExecutionContext) -> Iterator[WorkingCopy]:
        """The working copy for a step that makes tables; the last step of the run puts it in its
        place.

        Raises:
            dagster.Failure: The step cannot go on; nothing is published.
        """
        with failures():
            working = self._working or self._begin(context)
            is_done = False
            try:
                yield working
                is_done = True
            finally:
                working.is_broken = working.is_broken or not is_done
            name = context.op_execution_context.op.name
            is_published = name == LAST_STEP and not working.is_broken
            if self._steps_left is not None:
                self._steps_left.discard(name)
                if not self._steps_left and not working.is_broken and working.made:
                    publish(working)
                    is_published = True
            if is_published:
                # It is closed; checks that run later read the published file.
                self._working = None

    def _begin(self, context: dg.AssetExecutionContext) -> WorkingCopy:
        steps = {node.name for node in context.job_def.nodes}
        if self._locked is None:
            raise WarehouseError("the run has no working folder; start it as a job")
        executed = context.run.step_keys_to_execute
        if executed and FIRST_STEP in steps - {*executed}:
            raise dg.Failure(
                "a failed build keeps no intermediate rows; run the whole job again",
                allow_retries=False,
            )
        self._steps_left = None if LAST_STEP in steps else steps
        self._working = begin(self._locked, anew=FIRST_STEP in steps)
        return self._working

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

    @property
    def raw_path(self) -> Path:
        return folder_of(self.raw)

    @property
    def folder(self) -> Path:
        """Folder of the warehouse."""
        return folder_of(self.warehouse)
