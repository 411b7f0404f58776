"""The engine that reads documents on a Dask cluster: its workers see the same folders and write Parquet there.

A worker of the cluster supervises a process that reads, as a build without cluster does, so that the limits of a
document hold there too. What dies with its worker is read again by another one. `distributed` is imported by whoever
names a cluster. What is read, and how it is cut into chunks, belongs in `extract/corpus.py`.
"""

from __future__ import annotations

import logging
import os
import platform
import queue
import re
import shutil
import socket
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from pipelines.build.corpus import code_fingerprint
from pipelines.ingest.store import sha256_of
from pipelines.sandbox import Call, Refusal, SandboxError, close_idle_children, run_calls
from pipelines.settings import CRASHED
from pipelines.terminal import console, literal

if TYPE_CHECKING:
    from distributed import Client, Future

_MOUNT = "mount the folders of this build there, under the same paths"
INSTALL = "pip install 'benchledger[cluster]'"
# What the scheduler has to be as well, as Dask calls it.
_OF_DASK = ("python", "dask", "distributed")
# How often it is looked who is there, and how long nobody may be.
_LOOK_S = 2.0
PATIENCE_S = 60.0
# A worker says every few seconds that it is there, whatever it reads: that is done by processes beside it.
FROZEN_S = 30.0
# `tcp://scheduler:8786`, `tls://[::1]:8786`, `127.0.0.1:8786`
_ADDRESS = re.compile(r"(?:[a-z]+://)?(?P<host>[\w.-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>[0-9]{1,5})/?", re.ASCII)
# How a call ends that gives nothing. Another state is that what it gave was lost.
_FAILED = ("error", "cancelled")
# Workers that may die while they read a document before nobody reads it any more.
_TRIES = 2
# Calls that wait at the scheduler beside one for each worker: enough that none waits for the next one.
_AHEAD = 8
# Above the threads that a worker of the cluster has.
_MOST_THREADS = 1024


Answer = TypeVar("Answer")


class ClusterError(Exception):
    """The cluster cannot read the documents of this build; the message says why, and what to do."""


@dataclass(frozen=True)
class Installation:
    """What must be the same in a build and in its workers: what a document gives may depend on all of it."""

    python: str
    code: str
    packages: tuple[tuple[str, str], ...]

    @classmethod
    def here(cls, names: Iterable[str]) -> Installation:
        """The installation of this process, with the versions of these packages."""
        # A worker lives longer than the code that was on its disk when it began.
        code = code_fingerprint.__wrapped__()
        return cls(platform.python_version(), code, tuple((name, _version(name)) for name in names))

    def difference(self, other: Installation) -> str | None:
        """The first thing in which another one differs, in words."""
        for name, ours, theirs in (
            ("Python", self.python, other.python),
            *((name, ours, theirs) for (name, ours), (_, theirs) in zip(self.packages, other.packages, strict=True)),
            ("benchledger's code", self.code, other.code),
        ):
            if ours != theirs:
                return (
                    f"has {name} {theirs}, and this build {ours}; install the same versions there, and start it again"
                )
        return None


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _packages() -> list[str]:
    """All that benchledger itself needs, and Dask."""
    needed = [needs for needs in requires("benchledger") or () if "extra ==" not in needs]
    return sorted({*(re.split(r"[^\w.-]", needs)[0] for needs in needed), "dask", "distributed"})


# In the build


@dataclass
class _Task:
    """A call at the scheduler, and how often Dask has given it up since anybody has died at a document."""

    call: Call
    future: Future[Any]
    given_up: int = 0


class DaskPool:
    """Workers of a cluster, see `corpus.Pool`."""

    def __init__(self, client: Client, address: str, shared: Path) -> None:
        """A pool without workers, until `look`.

        Args:
            client: The connection to the scheduler.
            address: Of the scheduler.
            shared: Folder of this build that the workers must see; it will hold a folder for each call.
        """
        self._client, self._address, self._shared = client, address, shared
        self._installation = Installation.here(_packages())
        self._tasks: dict[str, _Task] = {}
        self._ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._looked, self._there = 0.0, time.monotonic()
        self._calls = self._deaths = self.workers = 0

    def look(self) -> None:
        """Count the threads of all workers.

        Raises:
            ClusterError: There has been no worker, or no scheduler, for long.
        """
        now = time.monotonic()
        if now - self._looked < _LOOK_S:
            return
        self._drop_frozen()
        self._looked, self.workers = now, 0
        if self._client.status == "running":
            with suppress(OSError):
                self.workers = sum(self._client.nthreads().values())
        if self.workers:
            self._there = now
        elif now - self._there > PATIENCE_S:
            what = "worker of" if self._client.status == "running" else "scheduler at"
            raise ClusterError(
                f"there has been no {what} {self._address} for {PATIENCE_S:g} s; start one, and build again"
            )

    def _drop_frozen(self) -> None:
        """Have the scheduler give what a frozen worker reads to others; one that is stopped never answers."""

        # Within, as the scheduler need not have benchledger: what is not in a module is sent whole.
        async def drop(seconds: float, dask_scheduler: Any) -> list[str]:
            there, now = dask_scheduler.workers.items(), time.time()
            silent = [address for address, worker in there if now - worker.last_seen > seconds]
            for address in silent:
                await dask_scheduler.remove_worker(address, stimulus_id=f"frozen-{now}")
            return silent

        if self._client.status == "running":
            with suppress(OSError):
                for address in self._client.run_on_scheduler(drop, FROZEN_S):
                    words = f"the worker {address} has not answered for {FROZEN_S:g} s; others read what it had"
                    console(stderr=True).print(f"[yellow]warning:[/] {literal(words)}", soft_wrap=True, highlight=False)

    def ask(self, question: Callable[[], Answer]) -> Answer:
        """What all workers answer, without those that turn out to be frozen."""
        with ThreadPoolExecutor(1) as asking:
            asked = asking.submit(question)
            while not wait([asked], _LOOK_S).done:
                self._drop_frozen()
            return asked.result()

    def examine(self) -> None:
        """Hold the scheduler and all workers that are there against this build.

        Raises:
            ClusterError: One of them differs, or does not see the folder.
        """
        versions = self.ask(self._client.get_versions)
        ours, theirs = (versions[side]["packages"] for side in ("client", "scheduler"))
        for name in _OF_DASK:
            if ours[name] != theirs[name]:
                differs = f"has {name} {theirs[name]}, and this build {ours[name]}"
                raise ClusterError(f"the scheduler {self._address} {differs}; install the same versions there")
        found = self.ask(lambda: self._client.run(_examine, self._installation, self._shared, on_error="return"))
        for worker, fault in sorted(found.items()):
            # A worker that has gone since is none.
            if isinstance(fault, Exception) and not isinstance(fault, OSError):
                raise _in_words(f"the worker {worker}", fault) from fault

    def run(self, calls: Sequence[Call]) -> Iterator[Any]:
        """What calls give, each when it has ended.

        Raises:
            ClusterError: A worker does not fit, or there is none.
        """
        from distributed import KilledWorker

        waiting = deque(calls)
        while waiting or self._tasks:
            while waiting and len(self._tasks) < 2 * self.workers + _AHEAD:
                self._calls += 1
                self._submit(replace(waiting.popleft(), journal=self._shared / str(self._calls)))
            self.look()
            try:
                ended = self._ended.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            task = self._tasks.pop(ended.key)
            if ended.status == "finished":
                # Its worker may have died since.
                try:
                    given = ended.result(timeout=PATIENCE_S)
                except (KilledWorker, TimeoutError):
                    self._submit(task.call, task.given_up)
                else:
                    yield given
            else:
                self._submit(task.call, self._given_up(task, ended) if ended.status in _FAILED else task.given_up)

    def _submit(self, call: Call, given_up: int = 0) -> None:
        key = f"benchledger-{uuid4().hex}"
        future = self._client.submit(_make, call, self._installation, self._shared, key=key, pure=False)
        self._tasks[key] = _Task(call, future, given_up)
        future.add_done_callback(self._ended.put)

    def _given_up(self, task: _Task, ended: Future[Any]) -> int:
        """How often Dask has given up a call that is worth another try: workers have died at it, or beside it."""
        from distributed import KilledWorker

        if ended.status == "cancelled":
            raise ClusterError(f"the scheduler {self._address} has gone, or was started anew; build again")
        error = ended.exception()
        if not isinstance(error, KilledWorker):
            raise error if isinstance(error, ClusterError) else _in_words("a worker", error) from error
        deaths = sum(1 for _ in self._shared.glob("*/*"))
        given_up = 0 if deaths > self._deaths else task.given_up + 1
        self._deaths = deaths
        if given_up > _TRIES:
            raise ClusterError(f"the workers of {self._address} die before they read a document; their logs say why")
        return given_up


@contextmanager
def dask_pool(address: str, folder: Path, seconds: float) -> Iterator[DaskPool]:
    """The engine that reads on a cluster.

    Args:
        address: Of its scheduler; TLS and all else is set as Dask documents it.
        folder: One that the workers write to.
        seconds: What reading will take; the cluster is what it is.

    Raises:
        ClusterError: There is no such cluster, or it does not fit.
    """
    # Left behind, it is removed by the next build, as all that is called so.
    shared = folder / f"cluster-{uuid4().hex}.partial"
    shared.mkdir(parents=True)
    try:
        with _connected(address) as client:
            pool = DaskPool(client, address, shared)
            pool.examine()
            pool.look()
            try:
                yield pool
            finally:
                # They hold memory, and the code of this build.
                with suppress(OSError, RuntimeError):
                    pool.ask(lambda: client.run(close_idle_children, on_error="ignore"))
    finally:
        shutil.rmtree(shared, ignore_errors=True)


def check_installed() -> None:
    """Raises ClusterError where `distributed` is not installed."""
    if find_spec("distributed") is None:
        raise ClusterError(f"a cluster needs the package `distributed`: {INSTALL}")


def check_address(address: str) -> None:
    """Raises ClusterError where an address is none of a scheduler, or its host is not known."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ClusterError(f"{address!r} is no address of a scheduler; write it as tcp://scheduler:8786, or `local`")
    try:
        socket.getaddrinfo(found["host"].strip("[]"), int(found["port"]))
    except (OSError, OverflowError) as error:
        raise ClusterError(f"the scheduler {address} cannot be reached: {error}") from error


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    check_installed()
    check_address(address)
    from distributed import Client

    # What it would print into the terminal is told in words, as far as it matters.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        # What differs is an error here, and said in words.
        warnings.filterwarnings("ignore", category=UserWarning, module="distributed")
        client, reason = None, ""
        try:
            client = Client(address, name="benchledger", set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = str(error).splitlines()[0]
    if client is None:
        # Not from within: the error would keep the half of a client that it was raised in, which complains at the end.
        raise ClusterError(f"the scheduler {address} cannot be reached: {reason}")
    with client:
        yield client


def _in_words(who: str, fault: BaseException) -> ClusterError:
    if isinstance(fault, ClusterError):
        return ClusterError(f"{who} {fault}")
    if isinstance(fault, ImportError | AttributeError):
        return ClusterError(f"{who} cannot load this version of benchledger ({fault}): {INSTALL}")
    return ClusterError(f"{who} cannot read documents ({type(fault).__name__}: {fault})")


# In the workers

_turn = threading.Lock()
_permits = threading.BoundedSemaphore(_MOST_THREADS)


def _make(call: Call, installation: Installation, shared: Path) -> Any:
    """What a call gives, made by a process beside this one."""
    from distributed import get_worker

    worker = get_worker()
    try:
        _examine(installation, shared)
        _check_inputs(call)
        journal, refused = _begin(call)
        with _room(alone=any(journal.parent.iterdir())):
            made = replace(call, refused={**call.refused, **refused}, journal=journal)
            [given] = run_calls([made], 1)
        journal.unlink(missing_ok=True)
    except ClusterError as error:
        raise _in_words(f"the worker {worker.address}", error) from None
    except (OSError, SandboxError) as error:
        raise ClusterError(f"the worker {worker.address} cannot go on: {error}") from None
    return given


@lru_cache
def _examine(installation: Installation, shared: Path) -> None:
    """Hold this worker against a build.

    Raises:
        ClusterError: What differs.
    """
    here = Installation.here(name for name, _ in installation.packages)
    if different := installation.difference(here):
        raise ClusterError(different)
    if not os.access(shared, os.R_OK | os.W_OK):
        raise ClusterError(f"does not see {shared}, or may not write there; {_MOUNT}")


def _check_inputs(call: Call) -> None:
    for path, sha256 in call.inputs:
        try:
            found = sha256_of(path)
        except OSError as error:
            raise ClusterError(f"does not see {path} ({error.strerror}); {_MOUNT}") from error
        if found != sha256:
            raise ClusterError(f"sees other bytes in {path} than this build; {_MOUNT}")


def _begin(call: Call) -> tuple[Path, dict[str, Refusal]]:
    """A journal for this try, and the documents at which enough others have ended."""
    folder = call.journal
    if folder is None:
        raise ClusterError("was asked for a call without a journal")
    folder.mkdir(exist_ok=True)
    ended_at = Counter(path.read_text() for path in folder.iterdir())
    refused = {
        document: Refusal(
            CRASHED,
            f"{_TRIES} workers of the cluster have ended while they read the document; their logs may say why",
        )
        for document, times in ended_at.items()
        if document and times >= _TRIES
    }
    return folder / uuid4().hex, refused


@contextmanager
def _room(*, alone: bool) -> Iterator[None]:
    """Beside others in this worker, or alone: what ends it then ends no other document's worker a second time."""
    permits = _MOST_THREADS if alone else 1
    with _turn:
        for _ in range(permits):
            _permits.acquire()
    try:
        yield
    finally:
        _permits.release(permits)
