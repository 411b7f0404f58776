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
from pipelines.run.steps import STEPS, take_steps
from pipelines.run.working_copy import WorkingCopy, begin
from pipelines.settings import LOCAL, cluster_address, raw_folder, warehouse_folder
from pipelines.warehouse.database import Tables
from pipelines.warehouse.reader import FILE_NAME, WarehouseError

# The step that lists the store, and the one that publishes.
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
    _steps_left: set[str] = PrivateAttr(default_factory=set)

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
        """The working copy for a step that makes tables, when all steps before it were taken.

        With the last step of the run the build is completed: tables that a run makes alone are
        published with all that is new.

        Raises:
            dagster.Failure: The step cannot go on; nothing is published.
        """
        with failures():
            working = self._working or self._begin(context)
            name = context.op_execution_context.op.name
            is_done = False
            try:
                take_steps(working, before=name)
                yield working
                is_done = True
            finally:
                working.is_broken = working.is_broken or not is_done
            self._steps_left.discard(name)
            if not self._steps_left and not working.is_broken:
                take_steps(working)
                # It is closed; checks that run later read the published file.
                self._working = None

    def _begin(self, context: dg.AssetExecutionContext) -> WorkingCopy:
        if self._locked is None:
            raise WarehouseError("the run has no working folder; start it as a job")
        executed = context.run.step_keys_to_execute or [node.name for node in context.job_def.nodes]
        self._steps_left = {step.name for step in STEPS if step.name in executed}
        self._working = begin(self._locked)
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
