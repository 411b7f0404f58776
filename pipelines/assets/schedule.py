"""Automation: a schedule that fetches due sources, a sensor that builds when files under `raw/`
change.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of an op's context
# itself.

import logging
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import dagster as dg

from pipelines.assets.folders import place_of, refuse_others
from pipelines.assets.instance import (
    BUILD,
    FETCH,
    end_abandoned_runs,
    forget_old_runs,
    keep_running,
)
from pipelines.assets.sources import evaluation, look_events
from pipelines.exceptions import BenchledgerError
from pipelines.ingest.fetch_log import SEEN, Attempt
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import RequestLimits
from pipelines.ingest.mirror import pull
from pipelines.ingest.registry import read_registry, read_source
from pipelines.ingest.store import read_store, state_of_store
from pipelines.object_addresses import folder_of
from pipelines.run.locked_folders import is_being_built
from pipelines.run.source_health import published_losses
from pipelines.run.up_to_date import is_up_to_date
from pipelines.settings import raw_folder, runs_by_itself, warehouse_folder
from pipelines.terminal import visible

# Often enough for sources that are fetched every few minutes; a tick without due sources starts no
# run.
_EVERY_MINUTE = "* * * * *"
# The UI shows the full log of a run; in the terminal, hundreds of lines would hide errors.
QUIET = {"loggers": {"console": {"config": {"log_level": "ERROR"}}}}
# A failed fetch is one line there, without the stack of a program that did what it should.
_SILENT = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
# Nothing is fetched or built by itself until a person has said so: here, or with the switch in the UI.
_AT_FIRST = "RUNNING" if runs_by_itself() else "STOPPED"
_UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]
# A file that changed so recently may still be being written.
_SETTLED_AFTER_S = 5.0


class _Sentence(logging.Formatter):
    """A message of a run in one line, without the stack that the UI shows."""

    def format(self, record: logging.LogRecord) -> str:
        lines = [line for line in record.getMessage().splitlines() if line.strip()]
        return " ".join(lines[:2])


@dg.logger(
    config_schema={"log_level": dg.Field(str, default_value="ERROR")},
    description="Errors of runs on the terminal of `benchledger ui`, each in one line.",
)
def terminal_logger(context: dg.InitLoggerContext) -> logging.Logger:
    """What a run says on the terminal; nothing of a run that ends with the UI."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Sentence())
    interrupted = dg.DagsterExecutionInterruptedError.__name__
    handler.addFilter(lambda record: interrupted not in record.getMessage())
    logger = logging.Logger(FETCH, context.logger_config["log_level"])
    logger.addHandler(handler)
    return logger


class DocumentFolder(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The folder that documents are stored in; a fetch needs no warehouse and none of its locks.

    Attributes:
        raw: Folder of the stored documents, or its address in an object store.
        pause_s: Seconds between two requests to one host.
    """

    raw: str = str(raw_folder())
    pause_s: float = RequestLimits().pause_s

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """Have the run taken for one that is going on."""
        refuse_others(context, "store", [place_of(folder_of(self.raw))], [place_of(raw_folder())])
        if context.run and context.instance and context.instance.is_persistent:
            keep_running(context.run.run_id)


@dg.op(
    description="Fetches every source that is due, and stores new snapshots under raw/.",
    # Only a failure is stored, and only then the next op runs.
    out=dg.Out(is_required=False),
)
def fetch_due_sources(
    context: dg.OpExecutionContext, store: DocumentFolder
) -> Iterator[dg.Output[str]]:
    """Fetch what is due now; each source has an outcome of its own, and none stops the others."""
    raw = folder_of(store.raw)
    pull(raw)
    now, lost = datetime.now(UTC), published_losses(warehouse_folder())
    registered = read_registry(raw)
    failed = {source.name: source.fault for source in registered if source.fault}
    for source in registered:
        if source.fault:
            context.log.warning(visible(f"{source.name} is not fetched: {source.fault}"))
            # The method takes it, its annotation forgets it.
            context.log_event(evaluation(source, lost))  # type: ignore[arg-type]

    def report(attempt: Attempt) -> None:
        # The log is shown on the terminal of `make ui`, too.
        words = visible(
            f"{attempt.source}: {attempt.outcome}{f', {attempt.reason}' if attempt.reason else ''}"
        )
        (context.log.info if attempt.outcome in SEEN else context.log.warning)(words)
        # At once, as a round that is broken off later must not lose what it has seen.
        source = read_source(raw, attempt.source)
        if reason := attempt.reason if attempt.outcome not in SEEN else lost.get(source.name):
            failed[source.name] = reason
        for event in look_events(attempt, source, lost):
            context.log_event(event)  # type: ignore[arg-type]

    try:
        due = [source for source in registered if source.is_due(now)]
        fetch_sources(due, raw, RequestLimits(pause_s=store.pause_s), report)
    except BenchledgerError as error:
        raise dg.RetryRequested(max_retries=3, seconds_to_wait=60) from error
    if failed:
        yield dg.Output(_in_words(failed))


def _in_words(failed: Mapping[str, str]) -> str:
    """Sources by the reason why they failed: a line without network is one reason for all."""
    names = defaultdict[str, list[str]](list)
    for name in sorted(failed):
        names[failed[name]].append(name)
    return "; ".join(
        # The asset of each source says the same.
        f"{', '.join(found[:3])}{f' and {len(found) - 3} more' if found[3:] else ''}: {reason}"
        for reason, found in names.items()
    )


@dg.op(
    description="Fails if a source could not be fetched or lost its results; the other sources are stored."
)
def fail_for_sources(failed: str) -> None:
    """Fail with the sources and their reasons: a plain success would hide them."""
    # An op of its own, as one that fails loses the events that it has logged.
    print(visible(failed), file=sys.stderr)
    raise dg.Failure(visible(failed), allow_retries=False)


@dg.job(
    name=FETCH,
    description="Fetches the sources that are due.",
    executor_def=dg.in_process_executor,
    config=_SILENT,
)
def fetch_job() -> None:
    """The job that the schedule runs."""
    fail_for_sources(fetch_due_sources())


@dg.schedule(
    job=fetch_job,
    cron_schedule=_EVERY_MINUTE,
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus[_AT_FIRST],
    description="Fetches every source that is due by its cadence; starts no run if none is due.",
)
def fetch_what_is_due(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """A run when at least one source is due."""
    now, raw = context.scheduled_execution_time, raw_folder()
    pull(raw)
    due = [source.name for source in read_registry(raw) if source.is_due(now)]
    if not due:
        return dg.SkipReason("no source is due")
    # It waits as long as a build takes, and fetches what is due by then.
    waiting = dg.RunsFilter(job_name=FETCH, statuses=_UNFINISHED)
    if context.instance.get_run_records(waiting, limit=1):
        return dg.SkipReason("a fetch is waiting or running")
    return dg.RunRequest(tags={"benchledger/due": ", ".join(due)[:200]})


@dg.sensor(
    job_name=BUILD,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus[_AT_FIRST],
    description="Builds the warehouse when a file under raw/ is added, changed or removed, and when fetches of a "
    "source start to fail or succeed again. Starts no build after a fetch without changes.",
)
def build_when_raw_changes(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """A run when anything under `raw/` has changed, fetched or dropped in by hand."""
    end_abandoned_runs(context.instance)
    raw = raw_folder()
    pull(raw)
    state, changed_at = state_of_store(raw)
    if state == context.cursor:
        return dg.SkipReason("no changes under raw/")
    # A file that says it is of tomorrow has a copied or a wrong time, and would hold up every build
    # until then.
    if 0 <= time.time() - changed_at < _SETTLED_AFTER_S:
        return dg.SkipReason("a file under raw/ may still be being written")
    # Started now it would only be refused, and what has changed since that build began would never
    # be read.
    if is_being_built(warehouse_folder()):
        return dg.SkipReason("a build is running; the next one starts when it has finished")
    forget_old_runs(context.instance)
    context.update_cursor(state)
    # As after a build by a command.
    if is_up_to_date(warehouse_folder(), read_store(raw)):
        return dg.SkipReason("the warehouse has all that is under raw/")
    return dg.RunRequest()
