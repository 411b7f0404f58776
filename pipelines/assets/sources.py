"""The sources as Dagster sees them: one asset for each that is fetched, and a check that says whether it was seen.

They are made outside: a fetch (`schedule.py`) reports them as it sees them. One that is registered while Dagster runs
is fetched and reported all the same, and is an asset after the next reload of the definitions.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of a check's context itself.

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.tables import OWNERS, asset_key
from pipelines.build.source_health import Printed, loss, printed_results
from pipelines.ingest.fetch_log import SEEN, Attempt
from pipelines.ingest.mirror import pull
from pipelines.ingest.registry import STALE_AFTER, RegisteredSource, read_registry, read_source
from pipelines.settings import raw_folder, warehouse_folder

GROUP = "sources"
CHECK = "page_is_seen"
# Definitions are made of what a command, or the line before, has just fetched.
JUST_NOW_S = 60
_AUTOMATION = "fetched by the schedule fetch_what_is_due when its cadence is over, and by `benchledger fetch`"
# Folders may be called anything; a name that Dagster refuses would take all definitions down with it.
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9_./-]")


def registered_sources(raw: Path | None = None) -> list[RegisteredSource]:
    """The sources that are fetched by themselves, or were fetched before, or whose files cannot be read."""
    folder = raw or raw_folder()
    if raw is None:
        pull(folder, unless_within_s=JUST_NOW_S)
    known = read_registry(folder)
    return [source for source in known if source.fault or (source.source.url and (source.interval or source.runs))]


def source_key(name: str) -> dg.AssetKey:
    """Asset key of a source: `sources`, publisher, source; `r_e9sultats-432b80` for a folder `acme/résultats`.

    No two sources have the same key: a folder may be called `r_e9sultats`, too, and one key twice is refused.
    """
    plain = _NOT_IN_KEYS.sub(lambda match: f"_{ord(match[0]):x}", name)
    if plain != name:
        plain += f"-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
    return dg.AssetKey([GROUP, *plain.split("/")])


def source_assets(registered: Sequence[RegisteredSource]) -> list[dg.AssetSpec]:
    """The sources, each once, with the freshness that its cadence promises; of a faulty one nobody knows of any."""
    return [_asset(source) for source in {source.name: source for source in registered}.values()]


def _asset(source: RegisteredSource) -> dg.AssetSpec:
    key, kinds, stated = source_key(source.name), {"http"}, source.source
    if source.fault:
        words = f"{source.name} is not looked at: {source.fault}"
        return dg.AssetSpec(key, description=words, group_name=GROUP, owners=OWNERS, kinds=kinds)
    policy = source.interval and dg.FreshnessPolicy.time_window(
        fail_window=STALE_AFTER * source.interval, warn_window=source.interval * (1 + STALE_AFTER) / 2
    )
    title = stated.title or source.name
    if not stated.url:
        return dg.AssetSpec(key, description=f"{title}, added by hand", group_name=GROUP, owners=OWNERS, kinds={"file"})
    return dg.AssetSpec(
        key,
        description=f"{title}, looked at {stated.cadence or 'by hand'}: {stated.url}",
        group_name=GROUP,
        owners=OWNERS,
        kinds=kinds,
        freshness_policy=policy or None,
        metadata={
            "url": dg.MetadataValue.url(stated.url or ""),
            "cadence": stated.cadence or "",
            "automation": _AUTOMATION,
        },
    )


def source_checks(registered: Sequence[RegisteredSource]) -> list[dg.AssetChecksDefinition]:
    """The check of every source, to be executed by hand in the UI.

    A fetch evaluates it for each source it looks at, a build (`sources_are_seen`) for those that fail. To evaluate all
    of them in every build would take longer than most builds: each is several events.
    """
    names = {source_key(source.name): source.name for source in registered}
    if not names:
        return []
    words = "The last look has seen the page, its media type and its results are still there, its cadence is kept."
    specs = [dg.AssetCheckSpec(CHECK, asset=key, description=words) for key in names]

    @dg.multi_asset_check(name="sources__seen", specs=specs, can_subset=True)
    def seen(context: dg.AssetCheckExecutionContext, folders: Folders) -> Iterator[dg.AssetCheckResult]:
        """Read what is registered, and what became of it."""
        now, printed = datetime.now(UTC), printed_results(folders.folder)
        for key in sorted(context.selected_asset_check_keys):
            source = read_source(folders.raw_path, names[key.asset_key])
            yield dg.AssetCheckResult(asset_key=key.asset_key, check_name=key.name, **_finding(source, now, printed))

    return [seen]


@dg.asset_check(
    name="sources_are_seen",
    asset=asset_key("raw.sources"),
    blocking=False,
    description="Every source was seen when it was last looked at; `reason` says of those that were not why.",
)
def sources_are_seen(context: dg.AssetCheckExecutionContext, folders: Folders) -> dg.AssetCheckResult:
    """Look at all sources in one check of a build, and tell of those that fail, or do no longer, at each of them."""
    now = datetime.now(UTC)
    registered = registered_sources(folders.raw_path)
    failed = failed_before(context.instance, [source_key(source.name) for source in registered], CHECK)
    printed = printed_results(folders.folder)
    findings = [evaluation(source, now, printed) for source in registered]
    for found in findings:
        if not found.passed or found.asset_key in failed:
            # The method takes it, its annotation forgets it.
            context.op_execution_context.log_event(found)  # type: ignore[arg-type]
    failing = [(source.name, found) for source, found in zip(registered, findings, strict=True) if not found.passed]
    is_error = any(found.severity is dg.AssetCheckSeverity.ERROR for _, found in failing)
    severity = dg.AssetCheckSeverity.ERROR if is_error else dg.AssetCheckSeverity.WARN
    reason = "; ".join(f"{name}: {found.description}" for name, found in failing)
    metadata = {"sources": len(registered)} | ({"reason": reason} if reason else {})
    return dg.AssetCheckResult(passed=not failing, severity=severity, description=reason or None, metadata=metadata)


def failed_before(instance: dg.DagsterInstance, keys: Sequence[dg.AssetKey], check: str) -> set[dg.AssetKey]:
    """The sources of which the UI says that a check of theirs fails."""
    checks = [dg.AssetCheckKey(key, check) for key in keys]
    latest = instance.event_log_storage.get_latest_asset_check_execution_by_key(checks)
    return {key.asset_key for key, record in latest.items() if record.status.value != "SUCCEEDED"}


def look_events(
    attempt: Attempt, source: RegisteredSource, now: datetime, printed: dict[str, Printed]
) -> Iterator[dg.AssetMaterialization | dg.AssetObservation | dg.AssetCheckEvaluation]:
    """What a look at a source means to Dagster, whoever has looked: the page is as it was seen, or was not seen."""
    fields = attempt.model_dump(mode="json", exclude_none=True, exclude={"source", "etag", "last_modified"})
    event = dg.AssetMaterialization if attempt.outcome in SEEN else dg.AssetObservation
    yield event(source_key(attempt.source), metadata=fields | {"url": dg.MetadataValue.url(attempt.url)})
    yield evaluation(source, now, printed)


def record_looks(instance: dg.DagsterInstance, attempts: Sequence[Attempt], raw: Path) -> None:
    """Have the UI show looks that no run of Dagster has made as it shows the others."""
    now, printed = datetime.now(UTC), printed_results(warehouse_folder())
    for attempt in attempts:
        for event in look_events(attempt, read_source(raw, attempt.source), now, printed):
            instance.report_runless_asset_event(event)


def evaluation(source: RegisteredSource, now: datetime, printed: dict[str, Printed]) -> dg.AssetCheckEvaluation:
    """The check of one source, as an event of a fetch or a build."""
    return dg.AssetCheckEvaluation(
        asset_key=source_key(source.name), check_name=CHECK, **_finding(source, now, printed)
    )


def _finding(source: RegisteredSource, now: datetime, printed: dict[str, Printed]) -> dict[str, Any]:
    reason, last = _reason(source, now) or loss(source, printed.get(source.name)), source.last
    known = {
        "reason": reason,
        "freshness": source.freshness(now),
        "outcome": last.outcome if last else None,
        "last_checked": last.attempted_at.isoformat() if last else None,
        "last_seen": source.last_seen_at.isoformat() if source.last_seen_at else None,
        "url": dg.MetadataValue.url(source.source.url) if source.source.url else None,
    }
    # What may pass by itself is a warning until the source is stale.
    may_pass = not source.fault and (last is None or last.outcome == "failed") and source.freshness(now) != "stale"
    return {
        "passed": reason is None,
        "severity": dg.AssetCheckSeverity.WARN if may_pass else dg.AssetCheckSeverity.ERROR,
        "description": reason,
        "metadata": {name: value for name, value in known.items() if value is not None},
    }


def _reason(source: RegisteredSource, now: datetime) -> str | None:
    """Why a source cannot be said to be seen, or None."""
    if source.fault:
        return f"it is not looked at: {source.fault}"
    if source.last is None:
        return "it was not looked at yet"
    if source.last.outcome not in SEEN:
        seen = f"last seen {source.last_seen_at:%Y-%m-%d %H:%M} UTC" if source.last_seen_at else "never seen"
        return f"{source.last.outcome}: {source.last.reason}; {seen}"
    if source.freshness(now) == "stale":
        return f"it was not looked at since {source.last.attempted_at:%Y-%m-%d %H:%M} UTC; does the schedule run?"
    return None
