"""A store in a bucket: its folder on this machine is kept as the bucket is, and what is added here
is put there.

A document is put once and never replaced. The few files that change (`source.yml`, `snapshot.yml`,
the fetch log, a mapping) are replaced only as the state that was read; where somebody else was
faster, the bucket's state is fetched and the work is done again on it, so that two who add at once
lose nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from pipelines.ingest.fetch_log import FETCH_LOG
from pipelines.ingest.files import Fault
from pipelines.ingest.sidecars import SNAPSHOT_FILE, SOURCE_FILE
from pipelines.object_addresses import address_of
from pipelines.own_files import replace_file
from pipelines.remote.bucket import AT_ONCE, AbsentError, Bucket, ConditionError, ObjectStoreError
from pipelines.settings import MAPPING_FILES

# What changes, in the order in which it is put: documents before all that lists them.
_CHANGING = (SNAPSHOT_FILE, MAPPING_FILES, SOURCE_FILE, FETCH_LOG)
_INDEX = ".mirror.json"
_LOCK = ".mirror.lock"
# File systems take no longer names, in bytes.
_LONGEST_NAME = 255
# Each time somebody else was faster.
_TRIES = 10

Outcome = TypeVar("Outcome")

# Of each folder what this process has last found in the bucket, and when.
_pulled: dict[Path, tuple[str, float]] = {}


def pull(raw: Path, *, unless_within_s: float = 0) -> bool:
    """Make the folder of a store in a bucket as the bucket is; any other folder stays as it is.

    Args:
        raw: The folder.
        unless_within_s: How old the last look of this process may be.

    Returns:
        Whether this process finds it otherwise than at its last look.

    Raises:
        ObjectStoreError: The bucket cannot be listed, or an object cannot be fetched.
    """
    before, at = _pulled.get(raw, ("", -unless_within_s))
    if address_of(raw) is None or (before and time.monotonic() - at < unless_within_s):
        return False
    with _locked(raw) as mirror:
        mirror.pull()
    _pulled[raw] = (mirror.digest, time.monotonic())
    return before != mirror.digest


def commit(raw: Path, source: str, work: Callable[[], Outcome]) -> Outcome:
    """What a piece of work gives that changes files of a source; of a store in a bucket they are
    put there.

    Args:
        raw: Root of the store.
        source: `publisher/source`.
        work: What is done; again, if somebody else has changed the same files meanwhile.

    Raises:
        ObjectStoreError: They cannot be put; the bucket may have documents that no `snapshot.yml`
            lists.
    """
    if address_of(raw) is None:
        return work()
    with _locked(raw) as mirror:
        for _ in range(_TRIES):
            outcome = work()
            try:
                mirror.push(source)
            except ConditionError:
                mirror.pull()
            else:
                return outcome
    reason = f"{mirror.bucket.address}/{source} is being changed by others"
    raise ObjectStoreError(reason, hint="try again")


def remove(raw: Path, names: Iterable[str]) -> None:
    """Delete files of a store from its bucket that were just put there, and are gone from its
    folder.
    """
    if address_of(raw) is not None:
        with _locked(raw) as mirror:
            for name in names:
                mirror.delete(name)


def refused_objects(raw: Path) -> list[Fault]:
    """The objects whose keys cannot be paths of files; none for a store that is no mirror of a
    bucket.
    """
    index = json.loads((raw / _INDEX).read_text("utf-8")) if (raw / _INDEX).exists() else {}
    reason = "an object with this key cannot be stored as a file; rename it"
    return [Fault(name, "unusable_key", reason) for name, known in index.items() if len(known) == 1]


def _is_path(key: str) -> bool:
    """Whether a key can be the path of a file."""
    parts = key.split("/")
    return "\0" not in key and all(0 < len(part.encode()) <= _LONGEST_NAME for part in parts)


@contextmanager
def _locked(raw: Path) -> Iterator[_Mirror]:
    """The mirror of a store that no other process of this machine changes while it lasts."""
    raw.mkdir(parents=True, exist_ok=True)
    path, mirror = raw / _INDEX, _Mirror(raw, Bucket(address_of(raw) or ""))
    with FileLock(raw / _LOCK):
        before = path.read_text("utf-8") if path.exists() else "{}"
        with suppress(ValueError):
            mirror.index = json.loads(before)
        try:
            yield mirror
        finally:
            # What was done before a request failed need not be done again.
            if (now := json.dumps(mirror.index)) != before:
                replace_file(path, now.encode())


@dataclass
class _Mirror:
    """The folder of a store in a bucket, with the index of what it was made of.

    Attributes:
        raw: The folder.
        bucket: What it mirrors.
        index: By name: ETag, and size and time of the file as it was written, if its key can be the
            path of a file.
    """

    raw: Path
    bucket: Bucket
    index: dict[str, list[str | int]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Hash of what the bucket holds."""
        known = sorted((name, entry[0]) for name, entry in self.index.items())
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()

    def pull(self) -> None:
        """Fetch what is new, and remove what the bucket does not have."""
        # Hidden objects are no files of the store, and some consoles put an object for each folder.
        listed = {
            stat.name: stat.etag
            for stat in self.bucket.list()
            if not stat.name.endswith("/")
            and not any(part.startswith(".") for part in stat.name.split("/"))
        }
        # In a bucket `a` and `a/b` may both be objects.
        folders = {name[:at] for name in listed for at, sign in enumerate(name) if sign == "/"}
        unusable = {name for name in listed if name in folders or not _is_path(name)}
        for name in self._files():
            if name not in listed or name in unusable:
                (self.raw / name).unlink()
        self.index = {name: known for name, known in self.index.items() if name in listed}
        for place, _, _ in os.walk(self.raw, topdown=False):
            # A bucket has no empty folders; here an empty folder would be a source.
            with suppress(OSError):
                Path(place).rmdir()
        new = []
        for name, etag in listed.items():
            if name in unusable:
                self.index[name] = [etag]
            elif self.index.get(name) != [etag, *self._file_state(name)]:
                new.append(name)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._fetch, new))

    def _file_state(self, name: str) -> list[int]:
        try:
            status = (self.raw / name).stat()
        except OSError:
            return []
        return [status.st_size, status.st_mtime_ns]

    def _files(self, under: str = "") -> Iterator[str]:
        for place, folders, names in os.walk(self.raw / under):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if not name.startswith("."):
                    yield Path(place, name).relative_to(self.raw).as_posix()

    def _fetch(self, name: str) -> None:
        """Fetch an object, unless it is gone by now."""
        path = self.raw / name
        incoming = path.with_name(f".{hashlib.sha256(name.encode()).hexdigest()}.incoming")
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(AbsentError):
            stat = self.bucket.download(name, incoming)
            # A document without a sidecar was retrieved when it was uploaded.
            os.utime(incoming, (stat.put_at.timestamp(), stat.put_at.timestamp()))
            incoming.replace(path)
            self.index[name] = [stat.etag, *self._file_state(name)]

    def push(self, source: str) -> None:
        """Put what is new in the folder of a source, documents first, and then the files that
        change.

        Raises:
            ConditionError: Another process has written one of them.
        """
        changed = [
            name
            for name in self._files(source)
            if self.index.get(name, [])[1:] != self._file_state(name)
        ]
        sidecars = [name for kind in _CHANGING for name in changed if Path(name).match(kind)]
        documents = {*changed} - {*sidecars, *self.index}
        if documents or sidecars:
            self.bucket.require_conditions(self.raw)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._put, documents))
        for name in sidecars:
            self._put(name)

    def _put(self, name: str) -> None:
        known, state = self.index.get(name), self._file_state(name)
        etag, _ = self.bucket.put(
            name, (self.raw / name).read_bytes(), str(known[0]) if known else None
        )
        self.index[name] = [etag, *state]

    def delete(self, name: str) -> None:
        """Delete an object that this machine has put."""
        if self.index.pop(name, None):
            self.bucket.delete(name)
