"""A Dagster instance that keeps no record of a run: half the time of a small build goes there, and none of its outcome.

That runs are recorded is tested by builds in the project's own instance, where the UI looks.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import dagster as dg
from dagster._core.instance.types import InstanceType
from dagster._core.launcher.sync_in_memory_run_launcher import SyncInMemoryRunLauncher
from dagster._core.run_coordinator import DefaultRunCoordinator
from dagster._core.storage.event_log import InMemoryEventLogStorage
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._core.storage.root import TemporaryLocalArtifactStorage
from dagster._core.storage.runs import InMemoryRunStorage


class _Lasting:
    """A storage that serves one instance after the other."""

    def register_instance(self, instance: Any) -> None:
        self._instance_weakref = None
        super().register_instance(instance)  # type: ignore[misc]

    def dispose(self) -> None: ...


class ForgottenEvents(_Lasting, InMemoryEventLogStorage):
    """An event log that is always empty; who listens to a run hears of every event all the same."""

    # Asked only for an asset whose record says nothing of it.
    asset_records_have_last_observation = True

    def store_event(self, event: Any) -> None: ...

    def get_asset_records(self, asset_keys: Any = None) -> list[Any]:
        return []


class LastingRuns(_Lasting, InMemoryRunStorage):
    """The runs of one process, and once what describes their job."""


@cache
def _storages() -> tuple[LastingRuns, ForgottenEvents]:
    # Making the tables of both takes as long as a tenth of a build.
    return LastingRuns(), ForgottenEvents()


def unrecorded_instance() -> dg.DagsterInstance:
    """An instance for one build."""
    runs, events = _storages()
    return dg.DagsterInstance(
        instance_type=InstanceType.EPHEMERAL,
        local_artifact_storage=TemporaryLocalArtifactStorage(),
        run_storage=runs,
        event_storage=events,
        compute_log_manager=NoOpComputeLogManager(),
        run_coordinator=DefaultRunCoordinator(),
        run_launcher=SyncInMemoryRunLauncher(),
    )
