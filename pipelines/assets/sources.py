"""The sources as Dagster sees them: what is fetched on a schedule, and the build that follows a change of `raw/`."""

# No `from __future__ import annotations` here: Dagster looks at the annotation of an op's context itself.

import re
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.ingest.fetch_log import SEEN, Attempt
from pipelines.ingest.fetching import FetchingError, fetch_sources
from pipelines.ingest.http import Limits
from pipelines.ingest.news import state_of_store
from pipelines.ingest.registry import STALE_AFTER, RegisteredSource, read_registry
from pipelines.settings import raw_folder

GROUP = "sources"
# Folders may be called anything; a name that Dagster refuses would take all definitions down with it.
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9_./-]")
# Often enough for an hourly source; a tick with nothing due costs nothing.
_EVERY_TEN_MINUTES = "*/10 * * * *"
# A file that changed so recently may still be being written.
_SETTLED_AFTER_S = 5.0


def source_key(name: str) -> dg.AssetKey:
    """Asset key of a source: `sources`, publisher, source; `r_e9sultats` for a folder `résultats`."""
    plain = _NOT_IN_KEYS.sub(lambda match: f"_{ord(match[0]):x}", name)
    return dg.AssetKey([GROUP, *plain.split("/")])


def source_assets(registered: Iterable[RegisteredSource]) -> list[dg.AssetSpec]:
    """The sources that are fetched by themselves, each with the freshness that its cadence promises.

    They are made outside: a fetch reports them as it sees them. One that is registered while Dagster runs is fetched
    and reported all the same, and has its freshness after the next reload.
    """
    return [
        dg.AssetSpec(
            key=source_key(source.name),
            description=f"{source.source.title or source.name}, looked at {source.source.cadence}: {source.source.url}",
            group_name=GROUP,
            kinds={"http"},
            freshness_policy=dg.FreshnessPolicy.time_window(
                fail_window=STALE_AFTER * source.interval, warn_window=source.interval * (1 + STALE_AFTER) / 2
            ),
            metadata={"url": dg.MetadataValue.url(source.source.url), "cadence": source.source.cadence or ""},
        )
        for source in registered
        if source.source.url and source.interval and not source.fault
    ]


class Store(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The folder that documents are stored in; a fetch needs no warehouse and waits for no build.

    Attributes:
        raw: Folder of the stored documents.
        pause_s: Seconds between two requests to one host.
    """

    raw: str = str(raw_folder())
    pause_s: float = Limits().pause_s


@dg.op(description="Looks at every source that is due, and stores what is new under raw/.")
def fetch_due_sources(context: dg.OpExecutionContext, store: Store) -> None:
    """Fetch what is due now; each source has an outcome of its own, and none stops the others."""
    raw = Path(store.raw)
    now = datetime.now(UTC)
    registered = read_registry(raw)
    for source in registered:
        if source.fault:
            context.log.warning(f"{source.name} is not looked at: {source.fault}")

    def report(attempt: Attempt) -> None:
        words = f"{attempt.source}: {attempt.outcome}{f', {attempt.reason}' if attempt.reason else ''}"
        (context.log.info if attempt.outcome in SEEN else context.log.warning)(words)
        event = dg.AssetMaterialization if attempt.outcome in SEEN else dg.AssetObservation
        # At once, as a round that is broken off later must not lose what it has seen.
        context.log_event(event(source_key(attempt.source), metadata=_metadata(attempt)))

    try:
        due = [source for source in registered if source.is_due(now)]
        fetch_sources(due, raw, Limits(pause_s=store.pause_s), report)
    except FetchingError as error:
        raise dg.RetryRequested(max_retries=3, seconds_to_wait=60) from error


def _metadata(attempt: Attempt) -> dict[str, Any]:
    fields = attempt.model_dump(mode="json", exclude_none=True, exclude={"source", "etag", "last_modified"})
    return fields | {"url": dg.MetadataValue.url(attempt.url)}


@dg.job(name="fetch", description="Fetches the sources that are due.", executor_def=dg.in_process_executor)
def fetch_job() -> None:
    """The job that the schedule runs."""
    fetch_due_sources()


@dg.schedule(
    job=fetch_job,
    cron_schedule=_EVERY_TEN_MINUTES,
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Fetches every source whose cadence is over; a tick with none due starts nothing.",
)
def fetch_what_is_due(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """A run when at least one source is due."""
    now = context.scheduled_execution_time
    due = [source.name for source in read_registry(raw_folder()) if source.is_due(now)]
    if not due:
        return dg.SkipReason("no source is due")
    return dg.RunRequest(tags={"benchledger/due": ", ".join(due)[:200]})


def build_sensor(job: str) -> dg.SensorDefinition:
    """The sensor that runs a job when anything under `raw/` has changed, fetched or dropped in by hand."""

    @dg.sensor(
        name="build_when_raw_changes",
        job_name=job,
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Builds the warehouse when a file under raw/ was added, changed or removed, and when a source can "
        "no longer be seen or can be seen again; a look that found nothing new builds nothing.",
    )
    def build_when_raw_changes(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
        state, changed_at = state_of_store(raw_folder())
        if state == context.cursor:
            yield dg.SkipReason("nothing under raw/ is new")
        # A file that says it is of tomorrow has a copied or a wrong time, and would hold up every build until then.
        elif 0 <= time.time() - changed_at < _SETTLED_AFTER_S:
            yield dg.SkipReason("a file under raw/ may still be being written")
        else:
            context.update_cursor(state)
            yield dg.RunRequest()

    return build_when_raw_changes


def registered_sources() -> list[RegisteredSource]:
    """The sources registered when the definitions are loaded."""
    return read_registry(raw_folder())
