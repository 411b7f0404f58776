"""The checks of sources: each was seen, its mapping still holds, its latest snapshot has not lost its rows.

A build evaluates all sources in one check of each kind, and reports at the sources themselves only those that fail or
no longer fail: an evaluation of every source in every build would take longer than most builds. In the UI the check of
a single source can be executed by hand.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of a check's context itself.

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.sources import mapped_sources, registered_sources, source_key
from pipelines.assets.tables import asset_key
from pipelines.build.source_health import PRINTED, LatestSnapshot, by_source, loss, printed_results
from pipelines.build.tables import Tables
from pipelines.extract.tables.mapping import MAPPING_FILE
from pipelines.ingest.fetch_log import SEEN, Attempt
from pipelines.ingest.registry import RegisteredSource, read_source
from pipelines.settings import warehouse_folder

SEEN_CHECK, MAPPING_CHECK = "page_is_seen", "mapping_holds"
# Of a page that has one: a table that is refused whole, whichever rule says so, and an entry without a table.
_WRONG = """
select document_id, rule || ': ' || reason as reason
from audit.rejects
where rule = 'mapping_error' or (extractor = 'results_page' and (scope = 'table' or rule = 'section_gone'))
"""
_LATEST = """
select source, results_lost, results_before, snapshot_at, lost_too_many
from audit.snapshots
where is_latest
order by source
"""
# A page may have lost hundreds of columns; the others are in audit.rejects.
_MOST_REASONS = 5


@dataclass(frozen=True)
class Finding:
    """What a check finds at one source; without a reason it passes."""

    reason: str | None
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def result(self) -> dict[str, Any]:
        """The arguments of a result or an evaluation."""
        stated = {"severity": self.severity, "description": self.reason, "metadata": self.metadata}
        return {"passed": self.reason is None} | stated


Find = Callable[[Folders, Sequence[RegisteredSource]], dict[str, Finding]]


def source_checks(registered: Sequence[RegisteredSource]) -> list[dg.AssetChecksDefinition]:
    """The check of every registered source that it was seen, to be executed by hand in the UI."""
    words = "The last look has seen the page, its media type and its results are still there, its cadence is kept."
    return _by_hand("sources__seen", SEEN_CHECK, words, registered, _seen)


def mapping_checks(mapped: Sequence[RegisteredSource]) -> list[dg.AssetChecksDefinition]:
    """The check of every source that has a mapping, to be executed by hand in the UI."""
    words = f"Every table with numbers of the newest page of the source is as its {MAPPING_FILE} says."
    return _by_hand("sources__mapped", MAPPING_CHECK, words, mapped, _mapping)


def _by_hand(
    step: str, check: str, words: str, sources: Sequence[RegisteredSource], find: Find
) -> list[dg.AssetChecksDefinition]:
    names = {source_key(source.name): source.name for source in sources}
    if not names:
        return []
    specs = [dg.AssetCheckSpec(check, asset=key, description=words) for key in names]

    @dg.multi_asset_check(name=step, specs=specs, can_subset=True)
    def holds(context: dg.AssetCheckExecutionContext, folders: Folders) -> Iterator[dg.AssetCheckResult]:
        keys = sorted(selected.asset_key for selected in context.selected_asset_check_keys)
        found = find(folders, [read_source(folders.raw_path, names[key]) for key in keys])
        for key in keys:
            yield dg.AssetCheckResult(asset_key=key, check_name=check, **found[names[key]].result)

    return [holds]


def _check_all(
    context: dg.AssetCheckExecutionContext,
    folders: Folders,
    check: str,
    sources: Sequence[RegisteredSource],
    find: Find,
) -> dg.AssetCheckResult:
    """One result for all sources; those that fail, or failed before, get an evaluation of their own."""
    found, keys = find(folders, sources), {source.name: source_key(source.name) for source in sources}
    failed = _failed_before(context.instance, [*keys.values()], check)
    failing = {source.name: found[source.name] for source in sources if found[source.name].reason}
    for name, key in keys.items():
        if name in failing or key in failed:
            event = dg.AssetCheckEvaluation(asset_key=key, check_name=check, **found[name].result)
            # The method takes it, its annotation forgets it.
            context.op_execution_context.log_event(event)  # type: ignore[arg-type]
    is_error = any(one.severity is dg.AssetCheckSeverity.ERROR for one in failing.values())
    severity = dg.AssetCheckSeverity.ERROR if is_error else dg.AssetCheckSeverity.WARN
    reason = "; ".join(f"{name}: {one.reason}" for name, one in failing.items())
    metadata = {"sources": len(sources)} | ({"reason": reason} if reason else {})
    return dg.AssetCheckResult(passed=not failing, severity=severity, description=reason or None, metadata=metadata)


def _failed_before(instance: dg.DagsterInstance, keys: Sequence[dg.AssetKey], check: str) -> set[dg.AssetKey]:
    checks = [dg.AssetCheckKey(key, check) for key in keys]
    latest = instance.event_log_storage.get_latest_asset_check_execution_by_key(checks)
    return {key.asset_key for key, record in latest.items() if record.status.value != "SUCCEEDED"}


@dg.asset_check(
    name="sources_are_seen",
    asset=asset_key("raw.sources"),
    blocking=False,
    description="Every source was seen when it was last looked at; `reason` says of those that were not why.",
)
def sources_are_seen(context: dg.AssetCheckExecutionContext, folders: Folders) -> dg.AssetCheckResult:
    """Check all registered sources."""
    return _check_all(context, folders, SEEN_CHECK, registered_sources(folders.raw_path), _seen)


@dg.asset_check(
    name="mappings_hold",
    asset=asset_key("audit.rejects"),
    additional_deps=[asset_key("raw.sightings")],
    blocking=False,
    description=f"Every table with numbers of the newest page of a source that has a {MAPPING_FILE} is as that says.",
)
def mappings_hold(context: dg.AssetCheckExecutionContext, folders: Folders) -> dg.AssetCheckResult:
    """Check all sources with a mapping."""
    return _check_all(context, folders, MAPPING_CHECK, mapped_sources(folders.raw_path), _mapping)


@dg.asset_check(
    name="no_source_lost_its_rows",
    asset=asset_key("audit.snapshots"),
    blocking=False,
    description="The latest snapshot of a source prints all but a stated share (rows_lost_up_to in its source.yml) of "
    "the benchmarks that the one before printed.",
)
def no_source_lost_its_rows(context: dg.AssetCheckExecutionContext, folders: Folders) -> dg.AssetCheckResult:
    """Check the latest snapshot of every source; where all results are lost, the check of the source fails, too."""
    now, printed = datetime.now(UTC), by_source(folders.tables.query(PRINTED))
    for source in registered_sources(folders.raw_path):
        if loss(source, printed.get(source.name)):
            context.op_execution_context.log_event(evaluation(source, now, printed))  # type: ignore[arg-type]
    latest = folders.tables.query(_LATEST).to_pylist()
    lost = [row for row in latest if row["lost_too_many"]]
    reasons = [
        f"{row['source']} lost {row['results_lost']} of {row['results_before']} benchmarks "
        f"in its snapshot of {row['snapshot_at']:%Y-%m-%d}"
        for row in lost
    ]
    metadata = {"sources": len(latest)} | ({"reason": "; ".join(reasons)} if reasons else {})
    return dg.AssetCheckResult(passed=not lost, severity=dg.AssetCheckSeverity.ERROR, metadata=metadata)


def look_events(
    attempt: Attempt, source: RegisteredSource, now: datetime, printed: dict[str, LatestSnapshot]
) -> Iterator[dg.AssetMaterialization | dg.AssetObservation | dg.AssetCheckEvaluation]:
    """The events of one attempt to fetch a source: the page as it was seen, or not seen, and its check."""
    fields = attempt.model_dump(mode="json", exclude_none=True, exclude={"source", "etag", "last_modified"})
    event = dg.AssetMaterialization if attempt.outcome in SEEN else dg.AssetObservation
    yield event(source_key(attempt.source), metadata=fields | {"url": dg.MetadataValue.url(attempt.url)})
    yield evaluation(source, now, printed)


def record_looks(instance: dg.DagsterInstance, attempts: Sequence[Attempt], raw: Path) -> None:
    """Record attempts that no run of Dagster has made, so that the UI shows them as it shows the others."""
    now, printed = datetime.now(UTC), printed_results(warehouse_folder())
    for attempt in attempts:
        for event in look_events(attempt, read_source(raw, attempt.source), now, printed):
            instance.report_runless_asset_event(event)


def evaluation(source: RegisteredSource, now: datetime, printed: dict[str, LatestSnapshot]) -> dg.AssetCheckEvaluation:
    """The check that a source was seen, as an event of a fetch or a build."""
    found = _seen_finding(source, now, printed)
    return dg.AssetCheckEvaluation(asset_key=source_key(source.name), check_name=SEEN_CHECK, **found.result)


def _seen(folders: Folders, sources: Sequence[RegisteredSource]) -> dict[str, Finding]:
    now, printed = datetime.now(UTC), printed_results(folders.folder)
    return {source.name: _seen_finding(source, now, printed) for source in sources}


def _seen_finding(source: RegisteredSource, now: datetime, printed: dict[str, LatestSnapshot]) -> Finding:
    reason, last = _unseen(source, now) or loss(source, printed.get(source.name)), source.last
    metadata = {
        "reason": reason,
        "freshness": source.freshness(now),
        "outcome": last.outcome if last else None,
        "last_checked": last.attempted_at.isoformat() if last else None,
        "last_seen": source.last_seen_at.isoformat() if source.last_seen_at else None,
        "url": dg.MetadataValue.url(source.source.url) if source.source.url else None,
    }
    # What may pass by itself is a warning until the source is stale.
    may_pass = not source.fault and (last is None or last.outcome == "failed") and source.freshness(now) != "stale"
    severity = dg.AssetCheckSeverity.WARN if may_pass else dg.AssetCheckSeverity.ERROR
    return Finding(reason, severity, {name: value for name, value in metadata.items() if value is not None})


def _unseen(source: RegisteredSource, now: datetime) -> str | None:
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


def _mapping(folders: Folders, sources: Sequence[RegisteredSource]) -> dict[str, Finding]:
    refused = reasons_by_source(folders.tables) if sources else {}
    return {source.name: Finding(_first(refused.get(source.name, []))) for source in sources}


def reasons_by_source(tables: Tables) -> dict[str, list[str]]:
    """What of the mapping of a source does not fit its newest snapshot, by source."""
    wrong = tables.query(_WRONG).to_pylist()
    if not wrong:
        return {}
    rows = tables.read("raw.sightings", ["source", "document_id", "snapshot_at"]).to_pylist()
    newest = {row["source"]: row["snapshot_at"] for row in sorted(rows, key=lambda row: row["snapshot_at"])}
    source_of = {row["document_id"]: row["source"] for row in rows if row["snapshot_at"] == newest[row["source"]]}
    found: dict[str, list[str]] = defaultdict(list)
    for row in wrong:
        if (source := source_of.get(row["document_id"])) and row["reason"] not in found[source]:
            found[source].append(row["reason"])
    return {source: reasons for source, reasons in found.items() if reasons}


def _first(reasons: Sequence[str]) -> str | None:
    more = f"; and {len(reasons) - _MOST_REASONS} more in audit.rejects" if len(reasons) > _MOST_REASONS else ""
    return "; ".join(reasons[:_MOST_REASONS]) + more if reasons else None


CHECKS = [no_source_lost_its_rows, sources_are_seen, mappings_hold]
