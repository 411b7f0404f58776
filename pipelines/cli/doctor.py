"""What is wrong with an installation, and what to do: versions, folders, locks, damaged files, sources."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from benchledger import __version__
from benchledger.project import Project
from pipelines.ingest.registry import read_registry
from pipelines.ingest.store import read_store
from pipelines.object_addresses import address_of, shown
from pipelines.own_files import left_work_folders
from pipelines.remote.bucket import ObjectStoreError
from pipelines.remote.publishing import seconds_locked
from pipelines.run.row_cache import code_fingerprint, damaged_chunks
from pipelines.run.source_health import is_seen, published_losses
from pipelines.run.up_to_date import is_up_to_date
from pipelines.settings import FILE_NAME, PREVIOUS_FILE, state_folder
from pipelines.terminal import plural
from pipelines.warehouse.reader import WarehouseError, damage_of, query_published

# A package of each extra.
_EXTRAS = {
    "build": "dagster",
    "ui": "dagster_webserver",
    "cluster": "distributed",
    "s3": "boto3",
    "mcp": "mcp",
}
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
    extras = ", ".join(name for name, package in _EXTRAS.items() if find_spec(package)) or "none"
    words = f"benchledger {__version__}, Python {platform.python_version()}, extras: {extras}"
    yield Finding("versions", "ok", words)
    for look in (_folders, _locks, _documents_and_warehouse, _cache, _sources):
        try:
            yield from look(project)
        except ObjectStoreError as error:
            advice = "check the address, the network and the AWS settings"
            yield Finding("object store", "fault", str(error), advice)


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
    folders = (project.raw, project.warehouse, state_folder())
    for (what, name), folder in product(_LOCKS.items(), folders):
        path = folder / name
        # A lock that nobody holds is a file that means nothing.
        if path.exists() and os.access(path, os.W_OK) and _is_locked(path):
            words = f"a process holds {path}"
            yield Finding(f"lock {what}", "note", words, "wait for it, or end it")
    seconds = seconds_locked(project.warehouse) if address_of(project.warehouse) else None
    if seconds:
        words = f"a build holds {shown(project.warehouse)}; its lock expires in {seconds:.0f} s unless it is renewed"
        advice = "wait until the build has finished, or the lock has expired"
        yield Finding("lock build", "note", words, advice)
    for left in left_work_folders(project.warehouse / FILE_NAME):
        words = f"a build was killed and has left {left}"
        yield Finding("lock build", "note", words, "the next build removes it")


def _is_locked(path: Path) -> bool:
    try:
        with FileLock(path, timeout=0):
            return False
    except Timeout:
        return True


def _documents_and_warehouse(project: Project) -> Iterator[Finding]:
    store = read_store(project.stored()) if project.raw.is_dir() else None
    if store:
        for fault in store.faults:
            words = f"{fault.path}: {fault.reason}"
            yield Finding("documents", "fault", words, "`benchledger rejects --explain`")
    folder = project.published()
    if store and not store.faults:
        unread = _unread(folder) & {row["document_id"] for row in store.documents}
        words = plural(len(store.documents), "stored document")
        if unread:
            words += f", of which the last build could not read {len(unread)}"
        advice = "`benchledger rejects --explain`" if unread else None
        yield Finding("documents", "note" if unread else "ok", words, advice)
    for path in (folder / FILE_NAME, folder / PREVIOUS_FILE):
        state, words = "ok", f"{shown(path)} can be read"
        if not path.exists():
            if path.name == PREVIOUS_FILE:
                continue
            state, words = "note", f"there is no {shown(path)}"
        else:
            try:
                if reason := damage_of(path):
                    state, words = "fault", f"{shown(path)} is damaged: {reason}"
                elif path.name == FILE_NAME and store and not is_up_to_date(folder, store):
                    state, words = "note", f"{shown(path)} is not up to date"
            except WarehouseError as error:
                state, words = "note", str(error)
        advice = None if state == "ok" else "`benchledger build`"
        yield Finding("warehouse", state, words, advice)


def _unread(warehouse: Path) -> set[str]:
    """The documents of which the last build has read nothing; none without a warehouse."""
    query = "select distinct document_id from audit.rejects where scope = 'document'"
    try:
        return {*query_published(warehouse, query)["document_id"].to_pylist()}
    except WarehouseError:
        return set()


def _cache(project: Project) -> Iterator[Finding]:
    folder = project.warehouse / "cache"
    if folder.is_dir():
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        damaged = damaged_chunks(folder / code_fingerprint())
        words = f"{shown(folder)} has {size / 1e6:.0f} MB; {plural(damaged, 'damaged file')}"
        state, advice = "ok", "may be deleted: a build makes it again"
        if damaged:
            state, advice = "note", "the next build reads these documents again"
        yield Finding("row cache", state, words, advice)


def _sources(project: Project) -> Iterator[Finding]:
    lost, well = published_losses(project.warehouse), 0
    for source in read_registry(project.raw):
        name = source.name
        is_fetched = source.fault or source.last
        reason = is_seen(source, lost).reason if is_fetched else lost.get(name)
        if not reason:
            well += 1
            continue
        state, advice = "note", f"`benchledger {'map' if name in lost else 'fetch'} {name}`"
        if source.fault:
            state, advice = "fault", f"mend {shown(source.folder)}"
        yield Finding("sources", state, f"{name}: {reason}", advice)
    yield Finding("sources", "ok", f"{plural(well, 'source')} without a fault")
