"""The sources as Dagster sees them: one asset for each that is fetched, and a check that says whether it was seen.

They are made outside: a fetch (`schedule.py`) reports them as it sees them. One that is registered while Dagster runs
is fetched and reported all the same, and is an asset after the next reload of the definitions.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of a check's context itself.

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import dagster as dg

from pipelines.assets.tables import OWNERS
from pipelines.extract.tables.mapping import MAPPING_FILE
from pipelines.ingest.mirror import pull
from pipelines.ingest.registry import STALE_AFTER, RegisteredSource, read_registry, read_source
from pipelines.settings import raw_folder

GROUP = "sources"
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


def mapped_sources(raw: Path | None = None) -> list[RegisteredSource]:
    """The sources that have a mapping, by name."""
    folder = raw or raw_folder()
    if raw is None:
        pull(folder, unless_within_s=JUST_NOW_S)
    paths = sorted(folder.glob(f"*/*/{MAPPING_FILE}"))
    names = [path.parent.relative_to(folder).as_posix() for path in paths]
    return [read_source(folder, name) for name in names if not any(part.startswith(".") for part in name.split("/"))]


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
