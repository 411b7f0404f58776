"""The checks that the mappings of the sources still hold: what a person has said of a page is what it prints now.

A mapping that cannot be read, and one that refuses a table of its newest page, fail at their source.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of a check's context itself.

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import dagster as dg

from pipelines.assets.folders import Folders
from pipelines.assets.sources import JUST_NOW_S, failed_before, source_key
from pipelines.assets.tables import asset_key
from pipelines.build.tables import Tables
from pipelines.extract.tables.mapping import MAPPING_FILE
from pipelines.ingest.mirror import pull
from pipelines.ingest.registry import RegisteredSource, read_source
from pipelines.settings import raw_folder

CHECK = "mapping_holds"
# Of a page that has one: a table that is refused whole, whichever rule says so, and an entry without a table.
_WRONG = """
select document_id, rule || ': ' || reason as reason
from audit.rejects
where rule = 'mapping_error' or (extractor = 'results_page' and (scope = 'table' or rule = 'section_gone'))
"""
# A page may have lost hundreds of columns; the others stand in audit.rejects.
_REASONS_TOLD = 5


def mapped_sources(raw: Path | None = None) -> list[RegisteredSource]:
    """The sources that have a mapping, by name."""
    folder = raw or raw_folder()
    if raw is None:
        pull(folder, unless_within_s=JUST_NOW_S)
    paths = sorted(folder.glob(f"*/*/{MAPPING_FILE}"))
    names = [path.parent.relative_to(folder).as_posix() for path in paths]
    return [read_source(folder, name) for name in names if not any(part.startswith(".") for part in name.split("/"))]


def mapping_checks(mapped: Sequence[RegisteredSource]) -> list[dg.AssetChecksDefinition]:
    """The check of all of them in a build, and that of every mapped source, to be executed by hand in the UI."""
    names = {source_key(source.name): source.name for source in mapped}
    if not names:
        return [mappings_hold]
    words = f"Every table with numbers of the newest page of the source is as its {MAPPING_FILE} says."
    specs = [dg.AssetCheckSpec(CHECK, asset=key, description=words) for key in names]

    @dg.multi_asset_check(name="sources__mapped", specs=specs, can_subset=True)
    def holds(context: dg.AssetCheckExecutionContext, folders: Folders) -> Iterator[dg.AssetCheckResult]:
        """Read what the last build has refused."""
        reasons = reasons_by_source(folders.tables)
        for key in sorted(context.selected_asset_check_keys):
            found = reasons.get(names[key.asset_key], [])
            yield dg.AssetCheckResult(
                passed=not found, asset_key=key.asset_key, check_name=key.name, description=_told(found)
            )

    return [mappings_hold, holds]


@dg.asset_check(
    name="mappings_hold",
    asset=asset_key("audit.rejects"),
    additional_deps=[asset_key("raw.sightings")],
    blocking=False,
    description=f"Every table with numbers of the newest page of a source that has a {MAPPING_FILE} is as that says.",
)
def mappings_hold(context: dg.AssetCheckExecutionContext, folders: Folders) -> dg.AssetCheckResult:
    """Look at all mapped sources in one check of a build, and tell of those that fail, or do no longer, at each."""
    mapped = mapped_sources(folders.raw_path)
    refused = reasons_by_source(folders.tables) if mapped else {}
    reasons = {source.name: refused[source.name] for source in mapped if source.name in refused}
    failed = failed_before(context.instance, [source_key(source.name) for source in mapped], CHECK)
    for source in mapped:
        key, found = source_key(source.name), reasons.get(source.name, [])
        if found or key in failed:
            event = dg.AssetCheckEvaluation(
                asset_key=key, check_name=CHECK, passed=not found, metadata={}, description=_told(found)
            )
            # The method takes it, its annotation forgets it.
            context.op_execution_context.log_event(event)  # type: ignore[arg-type]
    reason = "; ".join(f"{name}: {_told(found)}" for name, found in sorted(reasons.items()))
    metadata = {"mapped": len(mapped)} | ({"reason": reason} if reason else {})
    return dg.AssetCheckResult(passed=not reasons, description=reason or None, metadata=metadata)


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


def _told(reasons: Sequence[str]) -> str | None:
    more = f"; and {len(reasons) - _REASONS_TOLD} more in audit.rejects" if len(reasons) > _REASONS_TOLD else ""
    return "; ".join(reasons[:_REASONS_TOLD]) + more if reasons else None
