"""One run of the whole pipeline, as the command line starts it: the job of the Dagster UI, in this
process.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import dagster as dg

from pipelines.assets.instance import (
    BUILD,
    REPOSITORY,
    end_abandoned_runs,
    forget_old_runs,
    open_instance,
    running,
)
from pipelines.assets.steps import READING
from pipelines.definitions import benchledger
from pipelines.exceptions import QUERY_INTERRUPTED
from pipelines.settings import cluster_address

# How far a run is: steps done, steps in all, the asset that was just made.
Progress = Callable[[int, int, str], None]

# `[Errno 28] No space left on device: '/data/warehouse/x.parquet'`
_SYSTEM_ERROR = re.compile(r"\[Errno \d+\] (?P<reason>[^:]+)(?:: '(?P<path>[^']*)'.*)?", re.DOTALL)

_INTERRUPTED = f"{dg.DagsterExecutionInterruptedError.__module__}.{dg.DagsterExecutionInterruptedError.__name__}"


@dataclass
class Outcome:
    """The result of a build."""

    success: bool = False  #: Whether it was published.
    run_id: str = ""  #: Identifier of its run in the Dagster UI.
    faults: list[str] = field(default_factory=list)  #: Sentences: why it was not published.
    warnings: list[str] = field(default_factory=list)  #: Sentences: damage that was found.
    documents_read: int = 0  #: Documents that were read.
    documents_known: int = 0  #: Unchanged documents, which were not read again.


def run_build(
    raw: Path,
    warehouse: Path,
    progress: Progress = lambda done, total, name: None,
    instance: dg.DagsterInstance | None = None,
    cluster: str | None = None,
) -> Outcome:
    """Run the job `build` on these folders and record it in the Dagster instance.

    Args:
        raw: Folder of the stored documents.
        warehouse: Folder of the tables and of the published file.
        progress: Called after each step.
        instance: Where the run is recorded; by default the instance of the project.
        cluster: Address of the scheduler of a Dask cluster, or `local`; by default what the
            environment says.

    Raises:
        InstanceError: The instance of the project cannot be opened.
        KeyboardInterrupt: The run was interrupted; nothing is published.
    """
    job = benchledger().resolve_job_def(BUILD)
    outcome = Outcome(run_id=str(uuid.uuid4()))
    done = 0

    def follow(entry: dg.EventLogEntry) -> None:
        nonlocal done
        event = entry.dagster_event
        if event is None:
            if entry.user_message.startswith(READING):
                progress(done, len(job.nodes), entry.user_message)
            elif int(entry.level) >= logging.WARNING:
                outcome.warnings.append(entry.user_message)
        elif event.event_type == dg.DagsterEventType.STEP_SUCCESS:
            done += 1
            progress(done, len(job.nodes), (event.step_key or "").replace("__", "."))
        elif event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            check = event.asset_check_evaluation_data
            # The others stop nothing, and are told elsewhere.
            if (
                check.blocking
                and not check.passed
                and check.severity is dg.AssetCheckSeverity.ERROR
            ):
                reason = check.metadata.get("reason")
                outcome.faults.append(
                    str(reason.value) if reason else f"{check.asset_key.to_user_string()} failed"
                )
        elif event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION:
            counts = event.materialization.metadata
            if "documents_read" in counts:
                outcome.documents_read = int(str(counts["documents_read"].value))
                outcome.documents_known = int(str(counts["documents_known"].value))
        elif event.is_failure and not outcome.faults:
            outcome.faults += _causes(event)

    folders = {
        "raw": str(raw),
        "warehouse": str(warehouse),
        "cluster": cluster or cluster_address(),
    }
    with instance or open_instance() as recorded, running(outcome.run_id):
        end_abandoned_runs(recorded)
        recorded.add_event_listener(outcome.run_id, follow)
        try:
            result = job.execute_in_process(
                instance=recorded,
                run_id=outcome.run_id,
                raise_on_error=False,
                run_config={
                    "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                    "resources": {"folders": {"config": folders}},
                },
                # With the second the UI shows it with the job, as a run that it has started itself.
                tags={
                    "dagster/launched_by": "benchledger build",
                    ".dagster/repository": REPOSITORY,
                },
            )
        except dg.DagsterExecutionInterruptedError:
            raise KeyboardInterrupt from None
        # Within a step it is the cause of a failure.
        if {_INTERRUPTED, QUERY_INTERRUPTED} & {*outcome.faults}:
            raise KeyboardInterrupt
        forget_old_runs(recorded)
    outcome.success = result.success
    return outcome


def _causes(event: dg.DagsterEvent) -> list[str]:
    """The innermost message of a failed step or run: the sentence that the code wrote."""
    data = event.event_specific_data
    failure, error = getattr(data, "user_failure_data", None), getattr(data, "error", None)
    if failure is not None and failure.description:
        return [str(failure.description)]
    while error is not None and error.cause is not None:
        error = error.cause
    message = error.message.strip().split(": ", 1)[-1] if error else ""
    # What the system has refused, a full disk or a file that nobody may write, has a number in
    # front.
    refused = _SYSTEM_ERROR.fullmatch(message)
    return [
        f"{refused['path'] or 'a file of the build'}: {refused['reason']}" if refused else message
    ] * bool(error)
