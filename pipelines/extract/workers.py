"""Child processes that read documents: watched, and replaced when a document ends one.

The call that the document belongs to is made again, with that document refused. They are the engine that reads where
no cluster is named. What a worker does belongs in `worker.py`, what it may cost in `pipelines/settings.py`.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import wait
from operator import itemgetter
from pathlib import Path
from typing import Any

from pipelines.extract.worker import Begun, Call, Done, Ended, Failed, Refusal
from pipelines.read.pdf.remembered import remember
from pipelines.settings import DocumentLimits, reading_workers

# Below so many seconds of reading more workers than one cost more (about a second each) than they save.
_POOL_FROM_S = 2.0
_LESS = "store only the part with the benchmarks, or allow more with"


class WorkerError(Exception):
    """A worker has ended while it read no document: whatever was asked of it cannot be done."""


class _Worker:
    """A child process; `document` is the one it reads, until `deadline` at the latest."""

    def __init__(self) -> None:
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        self.pipe, theirs = Pipe()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pipelines.extract.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                # Libraries print.
                stdout=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": path},
                pass_fds=[theirs.fileno()],
            )
        self.forget()

    def forget(self) -> None:
        self.document: str | None = None
        self.deadline = float("inf")
        self.failed: Failed | None = None
        self.is_late = False

    def ask(self, index: int, call: Call) -> None:
        """Begin a call, the `index`th of its round."""
        self.forget()
        self.index, self.call = index, call
        with suppress(BrokenPipeError):
            # Otherwise the next message is that it has gone.
            self.pipe.send(call)

    def hear(self) -> Done | None:
        """The answer to the call, if that is its next message.

        Raises:
            EOFError: The process has ended.
        """
        try:
            message = self.pipe.recv()
        except ConnectionResetError as error:
            raise EOFError from error
        if isinstance(message, Begun):
            self.document, self.deadline = message.document_id, time.monotonic() + message.elapsed_s
        elif isinstance(message, Ended):
            self.document, self.deadline = None, float("inf")
        elif isinstance(message, Failed):
            self.failed = message
        return message if isinstance(message, Done) else None

    def stop(self) -> None:
        """End the process, which then sends its last message: none."""
        self.is_late = True
        self.process.kill()
        self.deadline = float("inf")

    def end(self) -> int:
        """The exit status, once the process has ended; it does when its pipe is closed."""
        self.pipe.close()
        try:
            return self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def refusal(self) -> Refusal:
        """Why the document has ended the process."""
        status, limits = self.end(), self.call.limits
        if self.is_late or -status == signal.SIGXCPU:
            return _too_slow(limits, self.is_late)
        if self.failed and self.failed.is_memory:
            most = f"{limits.memory_mib:,} MiB of memory"
            return Refusal(
                "memory_limit", f"reading the document takes more than {most}; {_LESS} BENCHLEDGER_DOCUMENT_MIB"
            )
        cause = self.failed.error if self.failed else _named(status)
        return Refusal("reader_crashed", f"the program broke off while it read the document ({cause}); report it")


def _too_slow(limits: DocumentLimits, is_late: bool) -> Refusal:
    seconds = limits.cpu_s * (limits.elapsed_per_cpu if is_late else 1)
    of_what = "" if is_late else " of processor time"
    return Refusal(
        "time_limit",
        f"reading the document takes more than {seconds} s{of_what}; {_LESS} BENCHLEDGER_DOCUMENT_SECONDS",
    )


def _named(status: int) -> str:
    """`SIGSEGV` for -11, `exit status 1` for 1."""
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


@dataclass(frozen=True)
class ProcessPool:
    """Processes of this machine, see `corpus.Pool`; with none the calls are made here, and nothing is limited."""

    workers: int
    cores: int

    def run(self, calls: Sequence[Call]) -> Iterator[Any]:
        return run_as_completed(calls, self.workers)


@contextmanager
def process_pool(seconds: float) -> Iterator[ProcessPool]:
    """The engine of this machine: as many processes as it has cores where reading takes long enough."""
    cores, workers = os.cpu_count() or 1, reading_workers()
    if workers is None:
        workers = cores if seconds >= _POOL_FROM_S else 1
    try:
        yield ProcessPool(workers, max(1, cores // max(1, workers)))
    finally:
        end_workers()


_idle: list[_Worker] = []
_lock = threading.Lock()


def run_calls(calls: Sequence[Call], workers: int) -> list[Any]:
    """What calls give, in their order; see `run_as_completed`."""
    if not workers:
        return [*_run_here(calls)]
    return [result for _, result in sorted(_run(calls, workers), key=itemgetter(0))]


def run_as_completed(calls: Sequence[Call], workers: int, kept: int = 1) -> Iterator[Any]:
    """What calls give, each when it has ended; with no workers they are made here, and nothing is limited.

    Args:
        calls: What shall be done.
        workers: Processes to do it with.
        kept: So many of them stay for the next round, until `end_workers`.

    Raises:
        WorkerError: A worker has ended while it read no document.
    """
    return (result for _, result in _run(calls, workers, kept)) if workers else _run_here(calls)


def _run_here(calls: Sequence[Call]) -> Iterator[Any]:
    return (call.function(*call.arguments, refused=call.refused) for call in calls)


def _run(calls: Sequence[Call], workers: int, kept: int = 1) -> Iterator[tuple[int, Any]]:
    """Number and result of each call."""
    waiting = deque(enumerate(calls))
    busy: dict[Any, _Worker] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                worker = _take()
                busy[worker.pipe] = worker
                worker.ask(*waiting.popleft())
            left = min(worker.deadline for worker in busy.values()) - time.monotonic()
            for pipe in wait([*busy], max(0.0, left) if left < float("inf") else None):
                worker = busy[pipe]
                try:
                    done = worker.hear()
                except EOFError:
                    waiting.appendleft((worker.index, _without(worker)))
                    del busy[pipe]
                    continue
                if done:
                    remember(done.opened)
                    _give_back(busy.pop(pipe), kept)
                    yield worker.index, done.result
            for worker in busy.values():
                if worker.deadline < time.monotonic():
                    worker.stop()
    finally:
        for worker in busy.values():
            worker.process.kill()
            worker.end()


def _without(worker: _Worker) -> Call:
    """The call of a worker that has ended, without the document that has ended it."""
    refusal = worker.refusal()
    if worker.document is None:
        cause = worker.failed.error if worker.failed else _named(worker.process.returncode)
        raise WorkerError(f"a process that reads documents broke off between two of them: {cause}")
    return replace(worker.call, refused={**worker.call.refused, worker.document: refusal})


def _take() -> _Worker:
    with _lock:
        worker = _idle.pop() if _idle else None
    if worker and worker.process.poll() is not None:
        worker.end()
        worker = None
    return worker or _Worker()


def _give_back(worker: _Worker, kept: int) -> None:
    with _lock:
        if len(_idle) < kept and not worker.is_late:
            _idle.append(worker)
            return
    worker.end()


@atexit.register
def end_workers() -> None:
    """End the workers that wait for work."""
    with _lock:
        while _idle:
            _idle.pop().end()
