"""A warehouse in an object store: builds are immutable objects, and one small object names the
current one.

`builds/<sha256>.duckdb` are the builds. `current.json` names the one that counts and those before
it, and holds the lock of the build that is going on. It is only ever replaced as the state that was
known: whoever takes the lock, renews it or publishes changes it, and a build that has lost its lock
cannot publish any more. Only the server's clock counts.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from filelock import FileLock
from pydantic import BaseModel, Field, ValidationError

from pipelines.object_addresses import address_of
from pipelines.own_files import checksum
from pipelines.remote.bucket import AbsentError, Bucket, ConditionError, Content, ObjectStoreError
from pipelines.settings import FILE_NAME, PREVIOUS_FILE, lease_seconds

POINTER = "current.json"
_BUILDS = "builds/"
# How long the object of a build stays that no longer counts: what another build puts may be named
# in a moment.
_KEPT_FOR = timedelta(hours=1)
# The server reports its time and the time of uploads in whole seconds.
_CLOCK_STEP_S = 2
_RENEWALS_PER_LEASE = 3
_TRIES = 5
_BRING_LOCK = ".bring.lock"


class BusyError(ObjectStoreError):
    """Another build of the same warehouse is running."""


class Build(BaseModel):
    """A published file."""

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int

    @property
    def name(self) -> str:
        """Name of its object."""
        return f"{_BUILDS}{self.sha256}.duckdb"


class Lock(BaseModel):
    """The lock of a build: it ends when the pointer was not renewed for so long, by the server's
    clock.
    """

    holder: str
    lease_s: float
    renewals: int = 0


class Pointer(BaseModel):
    """`current.json`: the build that counts, what it was made of, the one before the results last
    changed, the lock.
    """

    current: Build | None = None
    previous: Build | None = None
    note: dict[str, str] | None = None
    lock: Lock | None = None


def read_pointer(bucket: Bucket) -> tuple[Pointer, Content | None]:
    """The pointer of a place, with the object it is; an empty one where nothing was ever built.

    Raises:
        ObjectStoreError: It cannot be read.
    """
    content = bucket.get(POINTER)
    try:
        return Pointer.model_validate_json(content.body) if content else Pointer(), content
    except ValidationError:
        words = "it is not a warehouse pointer, or has another version"
        raise ObjectStoreError(f"{bucket.address}/{POINTER} cannot be read: {words}") from None


def bring(folder: Path, *, previous: bool = False) -> tuple[dict[str, str] | None, bool]:
    """Have the folder of a warehouse hold what is published at the address it mirrors; any other
    stays as it is.

    Returns:
        What the published file was made of, and whether it has changed.
    """
    if address_of(folder) is None:
        return None, False
    bucket = _bucket_of(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / _BRING_LOCK):
        for _ in range(_TRIES):
            pointer, _content = read_pointer(bucket)
            # Deleted between the two requests: another one counts by now.
            with suppress(AbsentError):
                is_new = _install(bucket, pointer.current, folder / FILE_NAME)
                if previous:
                    _install(bucket, pointer.previous, folder / PREVIOUS_FILE)
                return pointer.note, is_new
    reason = f"{bucket.address}/{POINTER} refers to a missing build"
    raise ObjectStoreError(reason, hint="build again")


def _install(bucket: Bucket, build: Build | None, path: Path) -> bool:
    """Have a file hold a build; False if it does already."""
    if build is None:
        is_there = path.exists()
        path.unlink(missing_ok=True)
        return is_there
    if path.exists() and checksum(path) == build.sha256:
        return False
    incoming = path.with_name(f".{path.name}.incoming")
    put_at = bucket.download(build.name, incoming).put_at.timestamp()
    if checksum(incoming) != build.sha256:
        incoming.unlink()
        reason = f"{bucket.address}/{build.name} does not contain the uploaded bytes"
        raise ObjectStoreError(reason, hint="build again")
    # Readers are told of when a file is.
    os.utime(incoming, (put_at, put_at))
    incoming.replace(path)
    return True


def _bucket_of(folder: Path) -> Bucket:
    return Bucket(address_of(folder) or "")


def seconds_locked(folder: Path) -> float:
    """How long the lock of the warehouse that a folder mirrors is still held by a build; 0 where it
    is free.
    """
    pointer, content = read_pointer(_bucket_of(folder))
    return max(0.0, _seconds_left(pointer, content)) if content else 0.0


def _seconds_left(pointer: Pointer, content: Content) -> float:
    if pointer.lock is None:
        return 0
    return pointer.lock.lease_s + _CLOCK_STEP_S - (content.now - content.put_at).total_seconds()


class Lease:
    """The lock of one build, renewed by a thread until the build has published or failed."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            BusyError: Another build holds it.
        """
        self._bucket, self._changing, self._done = (
            _bucket_of(folder),
            threading.Lock(),
            threading.Event(),
        )
        self._bucket.require_conditions(folder)
        pointer, content = read_pointer(self._bucket)
        left = _seconds_left(pointer, content) if content else 0
        if left > 0:
            hint = f"wait until it has finished; if it crashed, the lock expires in {left:.0f} s"
            raise BusyError(f"another build of {self._bucket.address} is running", hint=hint)
        self._every_s = lease_seconds() / _RENEWALS_PER_LEASE
        lock = Lock(holder=uuid.uuid4().hex, lease_s=lease_seconds())
        self._pointer, self._etag = pointer, content.etag if content else None
        self._now: datetime
        try:
            self._replace(pointer.model_copy(update={"lock": lock}))
        except ConditionError:
            reason = f"another build of {self._bucket.address} has just started"
            raise BusyError(reason, hint="wait for it") from None
        self._thread = threading.Thread(target=self._renew, daemon=True)
        self._thread.start()

    def _replace(self, pointer: Pointer) -> None:
        self._etag, self._now = self._bucket.put(
            POINTER, pointer.model_dump_json(indent=1).encode(), self._etag
        )
        self._pointer = pointer

    def _renew(self) -> None:
        while not self._done.wait(self._every_s):
            with self._changing:
                lock = self._pointer.lock
                if self._done.is_set() or lock is None:
                    return
                renewed = lock.model_copy(update={"renewals": lock.renewals + 1})
                try:
                    self._replace(self._pointer.model_copy(update={"lock": renewed}))
                except ConditionError:
                    # Somebody has taken over: publishing will be refused.
                    return
                except ObjectStoreError:
                    # The next request may succeed; the lock is held as long as the pointer is
                    # unchanged.
                    continue

    def publish(
        self, file: Path | None, note: dict[str, str] | None, *, is_news: bool = False
    ) -> None:
        """Publish a file, or what the published one was made of, and release the lock with the same
        request.

        Raises:
            ObjectStoreError: Nothing is published, as the lock was lost, or the server cannot be
                reached.
        """
        if file:
            build = Build(sha256=checksum(file), bytes=file.stat().st_size)
            self._bucket.upload(build.name, file)
        with self._changing:
            pointer = self._pointer.model_copy(update={"note": note, "lock": None})
            if file:
                if is_news and pointer.current != build:
                    pointer.previous = pointer.current or pointer.previous
                pointer.current = build
            try:
                self._replace(pointer)
            except ConditionError:
                words = "lost its lock to another build and publishes nothing"
                reason = f"the build of {self._bucket.address} {words}"
                raise ObjectStoreError(reason, hint="build again") from None
        if file:
            # What cannot be deleted now is deleted by a later build.
            with suppress(ObjectStoreError):
                self._delete_builds()

    def _delete_builds(self) -> None:
        """Delete what does not count, or a killed build has left; a reader that misses it reads the
        pointer again.
        """
        kept = {build.name for build in (self._pointer.current, self._pointer.previous) if build}
        for stat in [*self._bucket.list(_BUILDS)]:
            if stat.name not in kept and self._now - stat.put_at > _KEPT_FOR:
                self._bucket.delete(stat.name)

    def release(self) -> None:
        """Let go of the lock, if it is still held; one that cannot be let go ends by itself."""
        self._done.set()
        with self._changing, suppress(ObjectStoreError):
            if self._pointer.lock:
                self._replace(self._pointer.model_copy(update={"lock": None}))
        self._thread.join()


@contextmanager
def leased(folder: Path) -> Iterator[Lease | None]:
    """Context with the lock of the warehouse that a folder mirrors; None for other folders.

    Raises:
        BusyError: Another build is running.
    """
    if address_of(folder) is None:
        yield None
        return
    lease = Lease(folder)
    try:
        yield lease
    finally:
        lease.release()
