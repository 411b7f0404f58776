"""The engine that reads documents on a Dask cluster: its workers see the same folders and write
Parquet there.

A worker of the cluster supervises a process that reads, as a build without cluster does, so that
the limits of a document hold there too. What dies with its worker is read again by another one.
`distributed` is imported by whoever names a cluster. What is read, and how it is cut into chunks,
belongs in `corpus.py`.
"""

from __future__ import annotations

import logging
import os
import platform
import re
import socket
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pipelines.exceptions import WrongUseError, install_command
from pipelines.ingest.store import sha256_of
from pipelines.run.row_cache import code_fingerprint
from pipelines.sandbox import Call, Refusal, SandboxError, close_idle_children, run_calls
from pipelines.settings import CRASHED

if TYPE_CHECKING:
    from distributed import Client, Future

_MOUNT = "mount the folders of this build there under the same paths"
# Interval of the check for workers, and time limit without any.
_LOOK_S = 2.0
PATIENCE_S = 60.0
_CRASHED = Refusal(
    CRASHED, "the workers of the cluster crashed while reading the document; see their logs"
)


class ClusterError(WrongUseError):
    """The cluster cannot read the documents of this build; the message has the reason and what to
    do.
    """


# What must be the same in a build and in its workers, by name: what a document gives may depend on
# all of it.
Installation = tuple[tuple[str, str], ...]


def installation() -> Installation:
    """The versions of this process: of Python, of all that benchledger needs, of Dask, of the code."""
    needed = (
        needs for needs in requires("benchledger") or () if not needs.endswith(('"ui"', '"s3"'))
    )
    packages = {*(re.split(r"[^\w.-]", needs)[0] for needs in needed), "dask"}
    # A worker lives longer than the code that was on its disk when it began.
    code = code_fingerprint.__wrapped__()
    versions = ((name, _version(name)) for name in sorted(packages))
    return (("Python", platform.python_version()), *versions, ("benchledger's code", code))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


# In the build


class DaskPool:
    """Workers of a cluster, see `corpus.Pool`."""

    def __init__(self, client: Client, address: str, shared: Path) -> None:
        """A pool without workers, until `look`; they must see the folder `shared`."""
        self._client, self._address, self._shared = client, address, shared
        self._installation = installation()
        self._there, self.workers = time.monotonic(), 0

    def look(self) -> None:
        """Count the threads of all workers.

        Raises:
            ClusterError: There has been no worker, or no scheduler, for long.
        """
        is_running = self._client.status == "running"
        self.workers = 0
        if is_running:
            with suppress(OSError):
                self.workers = sum(self._client.nthreads().values())
        if self.workers:
            self._there = time.monotonic()
        elif time.monotonic() - self._there > PATIENCE_S:
            what = "worker of" if is_running else "scheduler at"
            raise ClusterError(
                f"no {what} {self._address} for {PATIENCE_S:g} s; start one and run the build again"
            )

    def run(self, calls: Sequence[Call]) -> Iterator[tuple[Call, Any]]:
        """Each call when it has ended, and what it gives; a refusal where workers died making it.

        Raises:
            ClusterError: A worker differs from the build, or there is none.
        """
        from distributed import CancelledError, KilledWorker, wait

        pending: dict[Future[Any], Call] = {}
        for call in calls:
            future = self._client.submit(_make, call, self._installation, self._shared, pure=False)
            pending[future] = call
        while pending:
            try:
                ended = wait([*pending], timeout=_LOOK_S, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                self.look()
                continue
            except CancelledError:
                reason = f"the scheduler {self._address} stopped or restarted; run the build again"
                raise ClusterError(reason) from None
            for future in ended:
                error = future.exception()
                if error is None:
                    yield pending.pop(future), future.result()
                elif isinstance(error, KilledWorker):
                    yield pending.pop(future), _CRASHED
                else:
                    raise error if isinstance(error, ClusterError) else _in_words(error) from error


@contextmanager
def dask_pool(address: str, folder: Path, seconds: float) -> Iterator[DaskPool]:
    """The engine that reads on the cluster of a scheduler, whose workers write to the folder.

    Raises:
        ClusterError: There is no such cluster, or it does not fit.
    """
    with _connected(address) as client:
        pool = DaskPool(client, address, folder)
        pool.look()
        try:
            yield pool
        finally:
            # They hold memory, and the code of this build.
            with suppress(OSError, RuntimeError):
                client.run(close_idle_children, on_error="ignore")


def check_address(address: str) -> None:
    """Raises ClusterError for an invalid address, an unknown host, or without Dask."""
    if find_spec("distributed") is None:
        raise ClusterError(
            "a cluster needs the package `distributed`", hint=f"`{install_command('cluster')}`"
        )
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise ClusterError(
            f"{address!r} is not a scheduler address; use the form tcp://scheduler:8786, or `local`"
        )
    try:
        socket.getaddrinfo(host, port)
    except OSError as error:
        raise ClusterError(f"the scheduler {address} cannot be reached: {error}") from error


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    check_address(address)
    from distributed import Client

    # What it would print into the terminal is an error here, as far as it matters.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=UserWarning, module="distributed")
    client, reason = None, ""
    try:
        client = Client(address, name="benchledger")
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
    if client is None:
        # Outside the handler: the error would hold a half-open client, which logs complaints at
        # exit.
        raise ClusterError(f"the scheduler {address} cannot be reached: {reason}")
    with client:
        yield client


def _in_words(fault: BaseException) -> ClusterError:
    if isinstance(fault, ImportError | AttributeError):
        return ClusterError(
            f"a worker cannot load this version of benchledger ({fault}): install the same there"
        )
    return ClusterError(f"a worker cannot read documents ({type(fault).__name__}: {fault})")


# In the workers


def _make(call: Call, expected: Installation, shared: Path) -> Any:
    """What a call gives, made by a process beside this one."""
    from distributed import get_worker

    worker = get_worker()
    try:
        _examine(expected, shared)
        _check_inputs(call)
        [(_, given)] = run_calls([call], 1)
    except ClusterError as error:
        raise ClusterError(f"the worker {worker.address} {error}") from None
    except (OSError, SandboxError) as error:
        raise ClusterError(f"the worker {worker.address} cannot continue: {error}") from None
    return given


@lru_cache
def _examine(expected: Installation, shared: Path) -> None:
    """Compare this worker with a build.

    Raises:
        ClusterError: What differs.
    """
    for (name, theirs), (_, ours) in zip(expected, installation(), strict=False):
        if ours != theirs:
            advice = "install the same versions there and restart it"
            raise ClusterError(f"has {name} {ours}, and this build {theirs}; {advice}")
    if not os.access(shared, os.R_OK | os.W_OK):
        raise ClusterError(f"cannot find {shared} or cannot write there; {_MOUNT}")


def _check_inputs(call: Call) -> None:
    for path, sha256 in call.inputs:
        try:
            found = sha256_of(path)
        except OSError as error:
            raise ClusterError(f"cannot read {path} ({error.strerror}); {_MOUNT}") from error
        if found != sha256:
            raise ClusterError(f"reads different content in {path} than this build; {_MOUNT}")
