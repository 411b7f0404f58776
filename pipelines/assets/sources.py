"""Sources in Dagster: an asset for each source, and the checks of its last fetch and of its mapping.

They are made outside: a fetch (`schedule.py`) reports them as it sees them, a build those of which
it has read a snapshot that is not on record. One that is registered while Dagster runs is fetched and
reported all the same, and is an asset after the next reload of the definitions.

A build evaluates all sources in one check of each kind, and reports at the sources themselves only
what is new, and those that fail or no longer fail: an evaluation of every source in every build would
take longer than most builds. In the UI the check of a single source can be executed by hand.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of a check's context
# itself.

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.assets.contract_checks import asset_key
from pipelines.assets.folders import Folders
from pipelines.assets.steps import OWNERS
from pipelines.ingest.fetch_log import SEEN, Attempt
from pipelines.ingest.mirror import pull
from pipelines.ingest.registry import STALE_AFTER, RegisteredSource, read_registry, read_source
from pipelines.run.source_health import (
    LOST,
    SourceFinding,
    fit_of_mappings,
    is_seen,
    losses,
    published_losses,
)
from pipelines.settings import (
    MAPPING_FILE,
    START_PAGE,
    raw_folder,
    site_address,
    warehouse_folder,
)
from pipelines.site_links import page_of
from pipelines.warehouse.database import Tables
from pipelines.warehouse.queries import internal_query

GROUP = "sources"
SEEN_CHECK, MAPPING_CHECK = "page_is_seen", "mapping_holds"
# Definitions are made of what a command, or the line before, has just fetched.
_JUST_NOW_S = 60
# Folders may be called anything; a name that Dagster refuses would take all definitions down with
# it.
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9_./-]")


def known_sources() -> list[RegisteredSource]:
    """Every source of the project's store."""
    pull(raw_folder(), unless_within_s=_JUST_NOW_S)
    return read_registry(raw_folder())


def registered_sources(known: Sequence[RegisteredSource]) -> list[RegisteredSource]:
    """The sources that are fetched by themselves, or were fetched before, or whose files cannot be
    read.
    """
    return [
        source
        for source in known
        if source.fault or (source.source.url and (source.interval or source.attempts))
    ]


def mapped_sources(known: Sequence[RegisteredSource]) -> list[RegisteredSource]:
    """The sources that have a mapping."""
    return [source for source in known if (source.folder / MAPPING_FILE).exists()]


def source_key(name: str) -> dg.AssetKey:
    """Asset key of a source: `sources`, publisher, source; `r_e9sultats-432b80` for a folder
    `acme/résultats`.

    No two sources have the same key: a folder may be called `r_e9sultats`, too, and one key twice
    is refused.
    """
    plain = _NOT_IN_KEYS.sub(lambda match: f"_{ord(match[0]):x}", name)
    if plain != name:
        plain += f"-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
    return dg.AssetKey([GROUP, *plain.split("/")])


def source_assets(known: Sequence[RegisteredSource]) -> list[dg.AssetSpec]:
    """The sources, with the freshness that the cadence of each promises; of a faulty one nobody
    knows of any.
    """
    return [_asset(source) for source in known]


def _asset(source: RegisteredSource) -> dg.AssetSpec:
    stated, key = source.source, source_key(source.name)
    title = stated.title or source.name
    if source.fault:
        words, kind = f"{source.name} is not fetched: {source.fault}", "http"
    elif not stated.url:
        words, kind = f"{title}, added by hand", "file"
    else:
        words, kind = f"{title}, fetched {stated.cadence or 'by hand'}: {stated.url}", "http"
    metadata: dict[str, Any] = {"site": _page_of(source.name)}
    if stated.url and not source.fault:
        by_hand = f"benchledger fetch {source.name}"
        metadata |= {"url": dg.MetadataValue.url(stated.url), "by_hand": by_hand}
    spec = dg.AssetSpec(
        key,
        group_name=GROUP,
        owners=OWNERS,
        description=words,
        kinds={kind},
        metadata=metadata,
    )
    if source.fault or not stated.url or not source.interval:
        return spec
    # Shown only: Dagster evaluates none of an external asset, and the schedule starts the fetches.
    automation = dg.AutomationCondition.cron_tick_passed("* * * * *").with_label(
        f"fetched {stated.cadence}"
    )
    policy = dg.FreshnessPolicy.time_window(
        fail_window=STALE_AFTER * source.interval,
        warn_window=source.interval * (1 + STALE_AFTER) / 2,
    )
    return spec.replace_attributes(automation_condition=automation, freshness_policy=policy)


def _page_of(name: str) -> dg.MetadataValue[Any]:
    """Where a source's page of the site is: its address where the site is served, else its file."""
    page = page_of("source", name)
    if address := site_address():
        return dg.MetadataValue.url(f"{address}/{page}")
    path = warehouse_folder() / START_PAGE.parent / page
    if path.exists():
        return dg.MetadataValue.path(path)
    return dg.MetadataValue.text(f"`benchledger report` writes {path}")


# What a check finds at each source, by the source's name.
Find = Callable[[Folders, Sequence[RegisteredSource]], dict[str, SourceFinding]]


def _find_seen(folders: Folders, sources: Sequence[RegisteredSource]) -> dict[str, SourceFinding]:
    lost = published_losses(folders.folder)
    return {source.name: is_seen(source, lost) for source in sources}


def _find_fit(folders: Folders, sources: Sequence[RegisteredSource]) -> dict[str, SourceFinding]:
    return fit_of_mappings(folders.tables, sources)


def _result(found: SourceFinding) -> dict[str, Any]:
    """The arguments of a check's result or evaluation; without a reason it passes."""
    stated = {"reason": found.reason} | found.facts
    if url := stated.get("url"):
        stated["url"] = dg.MetadataValue.url(url)
    severity = dg.AssetCheckSeverity.WARN if found.may_pass else dg.AssetCheckSeverity.ERROR
    return {
        "passed": found.reason is None,
        "severity": severity,
        "description": found.reason,
        "metadata": {name: value for name, value in stated.items() if value},
    }


def checks_by_hand(
    registered: Sequence[RegisteredSource], mapped: Sequence[RegisteredSource]
) -> list[dg.AssetChecksDefinition]:
    """The checks of single sources, to be executed in the UI: each was seen, and each mapping fits
    its page.
    """
    seen = "The last fetch succeeded, the page still prints results, and the source was fetched on schedule."
    holds = f"Every table with numbers on the latest page of the source matches its {MAPPING_FILE}."
    return [
        *_by_hand("sources__seen", SEEN_CHECK, seen, registered, _find_seen),
        *_by_hand("sources__mapped", MAPPING_CHECK, holds, mapped, _find_fit),
    ]


def _by_hand(
    step: str, check: str, words: str, sources: Sequence[RegisteredSource], find: Find
) -> list[dg.AssetChecksDefinition]:
    names = {source_key(source.name): source.name for source in sources}
    specs = [dg.AssetCheckSpec(check, asset=key, description=words) for key in names]

    @dg.multi_asset_check(name=step, specs=specs, can_subset=True)
    def holds(
        context: dg.AssetCheckExecutionContext, folders: Folders
    ) -> Iterator[dg.AssetCheckResult]:
        keys = sorted(selected.asset_key for selected in context.selected_asset_check_keys)
        found = find(folders, [read_source(folders.raw_path, names[key]) for key in keys])
        for key in keys:
            result = _result(found[names[key]])
            yield dg.AssetCheckResult(asset_key=key, check_name=check, **result)

    return [holds] if specs else []


def _check_all(
    context: dg.AssetCheckExecutionContext,
    folders: Folders,
    check: str,
    sources: Sequence[RegisteredSource],
    find: Find,
) -> dg.AssetCheckResult:
    """One result for all sources; those that fail, or failed before, get an evaluation of their
    own.
    """
    found = find(folders, sources)
    keys = {source.name: source_key(source.name) for source in sources}
    checks = [dg.AssetCheckKey(key, check) for key in keys.values()]
    latest = context.instance.event_log_storage.get_latest_asset_check_execution_by_key(checks)
    failed = {key.asset_key for key, record in latest.items() if record.status.value != "SUCCEEDED"}
    failing = {name: found[name] for name in keys if found[name].reason}
    for name, key in keys.items():
        if name in failing or key in failed:
            # The method takes it, its annotation forgets it.
            event: Any = _evaluation(name, check, found[name])
            context.op_execution_context.log_event(event)
    reasons = [f"{name}: {one.reason}" for name, one in failing.items()]
    may_pass = all(one.may_pass for one in failing.values())
    return _summary(len(sources), reasons, may_pass=may_pass)


def _summary(
    sources: int, reasons: Sequence[str], *, may_pass: bool = False
) -> dg.AssetCheckResult:
    found = SourceFinding("; ".join(reasons) or None, may_pass, {"sources": sources})
    return dg.AssetCheckResult(**_result(found))


@dg.asset_check(
    name="sources_are_seen",
    asset=asset_key("raw.sources"),
    blocking=False,
    description="The last fetch of every source succeeded; `reason` lists the sources that failed and why.",
)
def sources_are_seen(
    context: dg.AssetCheckExecutionContext, folders: Folders
) -> dg.AssetCheckResult:
    """Check all registered sources."""
    sources = registered_sources(read_registry(folders.raw_path))
    return _check_all(context, folders, SEEN_CHECK, sources, _find_seen)


@dg.asset_check(
    name="mappings_hold",
    asset=asset_key("audit.rejects"),
    additional_deps=[asset_key("raw.sightings")],
    blocking=False,
    description=f"Every table with numbers on the latest page of a source matches its {MAPPING_FILE}, if it has one.",
)
def mappings_hold(context: dg.AssetCheckExecutionContext, folders: Folders) -> dg.AssetCheckResult:
    """Check all sources with a mapping."""
    sources = mapped_sources(read_registry(folders.raw_path))
    return _check_all(context, folders, MAPPING_CHECK, sources, _find_fit)


@dg.asset_check(
    name="no_source_lost_its_rows",
    asset=asset_key("audit.snapshots"),
    blocking=False,
    description="The latest snapshot of a source lost no more than the allowed share (rows_lost_up_to in source.yml) "
    "of the benchmarks in the previous snapshot.",
)
def no_source_lost_its_rows(
    context: dg.AssetCheckExecutionContext, folders: Folders
) -> dg.AssetCheckResult:
    """Check the latest snapshot of every source, and report those that a build has read first; where
    all results are lost, the check of the source fails, too.
    """
    lost = losses(folders.tables.query(LOST))
    known = read_registry(folders.raw_path)
    latest = folders.tables.query(internal_query("latest_snapshots"))
    reasons = latest["reason"].drop_null().to_pylist()
    events: list[Any] = []
    if folders.working:
        read = latest.drop("reason").to_pylist()
        events += read_events(context.instance, folders.tables, known, read)
    new = {event.asset_key for event in events}
    for source in registered_sources(known):
        if source.name in lost or source_key(source.name) in new:
            events.append(evaluation(source, lost))
    for event in events:
        context.op_execution_context.log_event(event)
    return _summary(len(latest), reasons)


def read_events(
    instance: dg.DagsterInstance,
    tables: Tables,
    known: Sequence[RegisteredSource],
    latest: Sequence[dict[str, Any]],
) -> Iterator[dg.AssetMaterialization | dg.AssetCheckEvaluation]:
    """The sources of whose latest snapshot the record says something else or nothing: what a build
    has read of it, and whether it fits the mapping.
    """
    read = {source_key(row["source"]): {**row} for row in latest}
    for row in read.values():
        del row["source"]
    recorded = dict[dg.AssetKey, dict[str, Any]]()
    for record in instance.get_asset_records([*read]):
        if event := record.asset_entry.last_materialization:
            stated = event.asset_materialization.metadata if event.asset_materialization else {}
            recorded[record.asset_entry.asset_key] = {
                name: one.value for name, one in stated.items()
            }
    changed = {key for key, row in read.items() if row != recorded.get(key)}
    new = [source for source in known if source_key(source.name) in changed]
    fits = fit_of_mappings(tables, mapped_sources(new))
    for source in new:
        key = source_key(source.name)
        yield dg.AssetMaterialization(key, metadata=read[key])
        if source.name in fits:
            yield _evaluation(source.name, MAPPING_CHECK, fits[source.name])


# Of a build, each over all sources.
CHECKS = [no_source_lost_its_rows, sources_are_seen, mappings_hold]


def look_events(
    attempt: Attempt, source: RegisteredSource, lost: dict[str, str]
) -> Iterator[dg.AssetMaterialization | dg.AssetObservation | dg.AssetCheckEvaluation]:
    """The events of one attempt to fetch a source: the page as it was seen, or not seen, and its
    check.
    """
    fields = attempt.model_dump(
        mode="json", exclude_none=True, exclude={"source", "etag", "last_modified"}
    )
    event = dg.AssetMaterialization if attempt.outcome in SEEN else dg.AssetObservation
    metadata = fields | {"url": dg.MetadataValue.url(attempt.url)}
    yield event(source_key(attempt.source), metadata=metadata)
    yield evaluation(source, lost)


def record_looks(instance: dg.DagsterInstance, attempts: Sequence[Attempt], raw: Path) -> None:
    """Record attempts that no run of Dagster has made, so that the UI shows them as it shows the
    others.
    """
    lost = published_losses(warehouse_folder())
    for attempt in attempts:
        for event in look_events(attempt, read_source(raw, attempt.source), lost):
            instance.report_runless_asset_event(event)


def evaluation(source: RegisteredSource, lost: dict[str, str]) -> dg.AssetCheckEvaluation:
    """The check that a source was seen, as an event of a fetch or a build."""
    return _evaluation(source.name, SEEN_CHECK, is_seen(source, lost))


def _evaluation(source: str, check: str, found: SourceFinding) -> dg.AssetCheckEvaluation:
    return dg.AssetCheckEvaluation(asset_key=source_key(source), check_name=check, **_result(found))
