"""What is wrong with an installation, and what to do: versions, folders, locks, damaged files, sources."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import distributions
from importlib.util import find_spec
from typing import NamedTuple

from filelock import FileLock, Timeout

from benchledger import __version__
from benchledger.project import Project
from pipelines.ingest.fetch_log import SEEN
from pipelines.ingest.registry import read_registry
from pipelines.ingest.store import read_store
from pipelines.object_addresses import address_of, shown
from pipelines.own_files import left_work_folders
from pipelines.remote.bucket import ObjectStoreError
from pipelines.remote.publishing import seconds_locked
from pipelines.run.row_cache import code_fingerprint, damaged_chunks
from pipelines.run.source_health import published_losses
from pipelines.run.up_to_date import is_up_to_date
from pipelines.settings import FILE_NAME, IS_CHECKOUT, PREVIOUS_FILE, PROJECT, state_folder
from pipelines.terminal import plural
from pipelines.warehouse.reader import WarehouseError, damage_of

# A package of each extra.
_EXTRAS = {"build": "dagster", "ui": "dagster_webserver", "cluster": "distributed", "s3": "boto3"}
# Locks that a process holds while it works, by what it does.
_LOCKS = {
    "build": ".build.lock",
    "fetch": ".fetch.lock",
    "store": ".store.lock",
    "record of runs": "opening.lock",
}


class Finding(NamedTuple):
    """One thing that was looked at: `ok`, `note` or `fault`, what was found, and what to do."""

    check: str
    state: str
    found: str
    advice: str | None = None


def examine(project: Project) -> Iterator[Finding]:
    """What is found, in the order in which it is looked at."""
    yield from _versions()
    for look in (_folders, _locks, _files, _cache, _sources):
        try:
            yield from look(project)
        except ObjectStoreError as error:
            yield Finding(
                "object store",
                "fault",
                str(error),
                "check the address, the network and the AWS settings",
            )


def _versions() -> Iterator[Finding]:
    extras = ", ".join(name for name, package in _EXTRAS.items() if find_spec(package)) or "none"
    words = f"benchledger {__version__}, Python {platform.python_version()}, extras: {extras}"
    yield Finding("versions", "ok", words)
    lock = PROJECT / "requirements.lock"
    if not IS_CHECKOUT or not lock.exists():
        return
    # A package may have several versions there, one for each version of Python.
    locked = re.findall(
        r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)", lock.read_text("utf-8"), re.MULTILINE
    )
    there = {one.name.lower().replace("_", "-"): one.version for one in distributions()}
    for name in sorted({name for name, _ in locked} & there.keys()):
        if (name, there[name]) not in locked:
            yield Finding(
                "versions",
                "note",
                f"{name} {there[name]} is not that of requirements.lock",
                "`make setup`",
            )


def _folders(project: Project) -> Iterator[Finding]:
    folders = {"raw": project.raw, "warehouse": project.warehouse, "record of runs": state_folder()}
    for name, folder in folders.items():
        check, there = f"folder {name}", shown(folder)
        if not folder.is_dir():
            added = "`benchledger add FILE --source NAME`"
            advice = added if name == "raw" else "`benchledger build` makes it"
            yield Finding(check, "note", f"there is no {there}", advice)
            continue
        free = shutil.disk_usage(folder).free
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            yield Finding(check, "fault", f"{there} may not be written", "change its permissions")
        elif free < 1e9:
            yield Finding(check, "fault", f"{free / 1e6:.0f} MB are left for {there}", "make room")
        else:
            yield Finding(check, "ok", f"{there}, {free / 1e9:.0f} GB are free")


def _locks(project: Project) -> Iterator[Finding]:
    for what, name in _LOCKS.items():
        for path in (folder / name for folder in (project.raw, project.warehouse, state_folder())):
            try:
                # A lock that nobody holds is a file that means nothing.
                if path.exists() and os.access(path, os.W_OK):
                    with FileLock(path, timeout=0):
                        continue
            except Timeout:
                yield Finding(
                    f"lock {what}", "note", f"a process holds {path}", "wait for it, or end it"
                )
    if address_of(project.warehouse) and (seconds := seconds_locked(project.warehouse)):
        words = f"a build holds {shown(project.warehouse)}; its lock expires in {seconds:.0f} s unless it is renewed"
        yield Finding(
            "lock build",
            "note",
            words,
            "wait until the build has finished, or the lock has expired",
        )
    for left in left_work_folders(project.warehouse / FILE_NAME):
        yield Finding(
            "lock build",
            "note",
            f"a build was killed and has left {left}",
            "the next build removes it",
        )


def _files(project: Project) -> Iterator[Finding]:
    store = read_store(project.stored()) if project.raw.is_dir() else None
    for fault in store.faults if store else ():
        yield Finding(
            "documents", "fault", f"{fault.path}: {fault.reason}", "`benchledger rejects --explain`"
        )
    if store and not store.faults:
        yield Finding("documents", "ok", plural(len(store.documents), "document"))
    for path in (project.published() / name for name in (FILE_NAME, PREVIOUS_FILE)):
        if not path.exists():
            if path.name == FILE_NAME:
                yield Finding(
                    "warehouse", "note", f"there is no {shown(path)}", "`benchledger build`"
                )
            continue
        try:
            reason = damage_of(path)
        except WarehouseError as error:
            yield Finding("warehouse", "note", str(error))
            continue
        if reason:
            yield Finding(
                "warehouse", "fault", f"{shown(path)} is damaged: {reason}", "`benchledger build`"
            )
        elif path.name == FILE_NAME and store and not is_up_to_date(project.warehouse, store):
            yield Finding(
                "warehouse", "note", f"{shown(path)} is not up to date", "`benchledger build`"
            )
        else:
            yield Finding("warehouse", "ok", f"{shown(path)} can be read")


def _cache(project: Project) -> Iterator[Finding]:
    folder = project.warehouse / "cache"
    if folder.is_dir():
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        damaged = damaged_chunks(folder / code_fingerprint())
        words = f"{shown(folder)} has {size / 1e6:.0f} MB; {plural(damaged, 'damaged file')}"
        advice = (
            "the next build reads these documents again"
            if damaged
            else "may be deleted: a build makes it again"
        )
        yield Finding("row cache", "note" if damaged else "ok", words, advice)


def _sources(project: Project) -> Iterator[Finding]:
    now, lost, well = datetime.now(UTC), published_losses(project.warehouse), 0
    for source in read_registry(project.raw):
        name, last = source.name, source.last
        if source.fault:
            yield Finding(
                "sources", "fault", f"{name}: {source.fault}", f"mend {shown(source.folder)}"
            )
        elif name in lost:
            yield Finding("sources", "note", f"{name}: {lost[name]}", f"`benchledger map {name}`")
        elif last and last.outcome not in SEEN:
            yield Finding(
                "sources",
                "note",
                f"{name}: {last.outcome}, {last.reason}",
                f"`benchledger fetch {name}`",
            )
        elif source.freshness(now) == "stale":
            words = f"{name} was last seen at {source.last_seen_at:%Y-%m-%d}"
            yield Finding("sources", "note", words, f"`benchledger fetch {name}`")
        else:
            well += 1
    yield Finding("sources", "ok", f"{plural(well, 'source')} without a fault")
