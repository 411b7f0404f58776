"""Functions called in child processes with limits of time and memory: what hangs, grows or crashes
ends one child.

A call reads items (documents, PDF files), each within `limited`. An item that ends the child is
refused, and another child makes the call again without it. What an item is, and what it may cost,
does not belong here.
"""

from __future__ import annotations

import atexit
import gc
import math
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

# New objects before each of the three generations is collected: what a build or a child loads stays
# to its end.
GARBAGE_THRESHOLDS = (50_000, 20, 100)
# Pages of memory of this process in its first field; only Linux has it.
_PAGES_OF_MEMORY = Path("/proc/self/statm")
# How C++ libraries end a process that gets no memory.
_NO_MEMORY = (signal.SIGABRT, signal.SIGTRAP, signal.SIGILL)
# A library that keeps a little of every item is unloaded with its process before it matters.
_CALLS_OF_A_CHILD = 200


class Refusal(NamedTuple):
    """Why an item is not read: name of the rule, and the sentence a user reads."""

    rule: str
    reason: str

    def about(self, what: str) -> Refusal:
        """The refusal with what its reason has `{}` for."""
        return Refusal(self.rule, self.reason.format(what))


NO_REFUSALS: Mapping[str, Refusal] = MappingProxyType({})


class RefusedError(Exception):
    """A call of `run_limited` went beyond its limits, or ended its process."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class SandboxError(Exception):
    """A child process ended while it read no item: the call cannot be made."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one item may cost, and why it is refused beyond that.

    Attributes:
        cpu_s: Seconds of CPU time.
        memory_mib: MiB of address space beyond what the process has when the item begins.
        elapsed_per_cpu: Elapsed seconds for each second of processor time, as the machine may be
            busy.
        on_time: Refusal of an item that takes longer; `{}` is the limit.
        on_memory: Refusal of an item that takes more memory; `{}` is the limit.
        on_crash: Refusal of an item that ends its process in another way; `{}` is the error or the
            signal.
    """

    cpu_s: float
    memory_mib: int
    elapsed_per_cpu: float
    on_time: Refusal
    on_memory: Refusal
    on_crash: Refusal


@dataclass(frozen=True)
class Call:
    """What a child process shall do.

    Attributes:
        function: Called with the arguments and, unless the call is one item, with `refused`.
        arguments: What can be pickled.
        refused: The items that must not be read: they ended an earlier try of the same call.
        limits: Of a call that is one item: its refusal is then the answer.
        inputs: Files and folders that it reads, each with the sha256 of its bytes.
        journal: File that holds the name of the item that is being read.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    refused: Mapping[str, Refusal] = field(default_factory=dict)
    limits: Limits | None = None
    inputs: tuple[tuple[Path, str], ...] = ()
    journal: Path | None = None

    def make(self) -> Any:
        """What the function gives in this process."""
        if self.limits is None:
            return self.function(*self.arguments, refused=self.refused)
        with limited(self.function.__name__, self.limits):
            return self.function(*self.arguments)


class _Item(NamedTuple):
    """A message of a child: what it reads now."""

    name: str
    limits: Limits


class _Failed(NamedTuple):
    """The last message of a child: an error of the program, or no memory."""

    error: str
    traceback: str = ""
    is_memory: bool = False


class _Answer(NamedTuple):
    """A message of a child: what the call gives."""

    value: Any


# In the child

_pipe: Connection | None = None
_journal: Path | None = None
# The items that are being read, the innermost last.
_items: list[_Item] = []


@contextmanager
def limited(item: str, limits: Limits) -> Iterator[None]:
    """While it lasts a child process reads an item, and is ended beyond its limits. Elsewhere
    nothing is limited.

    An item may be read within another one, as a PDF within a document; the limits of the outer one
    begin anew then.
    """
    if _pipe is None:
        yield
        return
    if _journal is not None and not _items:
        # Results that are written survive if this process or its parent is killed.
        _journal.write_text(item)
    _items.append(_Item(item, limits))
    _enforce()
    try:
        yield
    except MemoryError:
        # The item is the cause, wherever memory ran out.
        _set_limits()
        _pipe.send(_Failed("MemoryError", is_memory=True))
        os._exit(1)
    finally:
        _items.pop()
        _enforce() if _items else _set_limits()
    if not _items:
        if _journal is not None:
            _journal.write_text("")
        _pipe.send(None)


def _enforce() -> None:
    """Set the limits of the innermost item, and report them to the parent."""
    limits, used = _items[-1].limits, resource.getrusage(resource.RUSAGE_SELF)
    memory = None
    if _PAGES_OF_MEMORY.exists():
        memory = int(_PAGES_OF_MEMORY.read_text().split()[0]) * resource.getpagesize() + (
            limits.memory_mib << 20
        )
    _set_limits(math.ceil(used.ru_utime + used.ru_stime + limits.cpu_s), memory)
    if _pipe is not None:
        # The outermost item is the one to refuse.
        _pipe.send(_Item(_items[0].name, limits))


def _set_limits(cpu_s: int | None = None, memory_bytes: int | None = None) -> None:
    """Set the soft limits of this process; None is no limit but the hard one."""
    for what, amount in ((resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_AS, memory_bytes)):
        _, hard = resource.getrlimit(what)
        # No limit is -1 or the greatest number there is.
        resource.setrlimit(what, (hard if amount is None or 0 <= hard < amount else amount, hard))


def answer_calls(pipe: Connection) -> None:
    """Make the calls of the parent until it closes the pipe."""
    global _pipe, _journal

    def report(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        if isinstance(error, ModuleNotFoundError):
            pipe.send(error)
        pipe.send(
            _Failed(
                f"{kind.__name__}: {error}", "".join(traceback.format_exception(kind, error, trace))
            )
        )

    _pipe, sys.excepthook = pipe, report
    # The parent ends its children when a user interrupts it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    while True:
        try:
            call: Call = pipe.recv()
        except EOFError:
            os._exit(0)  # what is loaded takes a tenth of a second to take down
        _journal = call.journal
        pipe.send(_Answer(call.make()))


# In the parent


class _Child:
    """A child process; `item` is what it reads, until `deadline` at the latest."""

    def __init__(self) -> None:
        path = os.pathsep.join(
            [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        self.pipe, theirs = Pipe()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pipelines.sandbox", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                # Libraries print.
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": path},
                pass_fds=[theirs.fileno()],
            )
        self.calls = 0

    def start(self, index: int, call: Call) -> None:
        """Begin a call, the `index`th of its round."""
        self.index, self.call, self.calls = index, call, self.calls + 1
        self.item: _Item | None = None
        self.failed: _Failed | None = None
        self.deadline, self.is_late = float("inf"), False
        with suppress(BrokenPipeError):
            # Otherwise the next message is that the process has ended.
            self.pipe.send(call)

    def receive(self) -> _Answer | None:
        """The next message, if it is the answer to the call.

        Raises:
            EOFError: The process has ended.
            ModuleNotFoundError: A package is not installed that the call needs.
        """
        try:
            message: _Answer | _Failed | _Item | ModuleNotFoundError | None = self.pipe.recv()
        except ConnectionResetError as error:
            raise EOFError from error
        if isinstance(message, _Answer):
            return message
        if isinstance(message, ModuleNotFoundError):
            raise message
        if isinstance(message, _Failed):
            self.failed = message
            sys.stderr.write(message.traceback)
        else:
            self.item, self.deadline = message, float("inf")
            if message:
                self.deadline = (
                    time.monotonic() + message.limits.cpu_s * message.limits.elapsed_per_cpu
                )
        return None

    def kill_if_late(self) -> None:
        """Kill the process when its item takes too long; the next message is then that it has
        ended.
        """
        if self.deadline < time.monotonic():
            self.is_late, self.deadline = True, float("inf")
            self.process.kill()

    def close(self) -> int:
        """The exit status of the process, which ends when its pipe is closed."""
        self.pipe.close()
        try:
            return self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def refused(self) -> tuple[str, Refusal]:
        """The item that has ended the process, and why.

        Raises:
            SandboxError: The process read none.
        """
        status = self.close()
        cause = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        cause = self.failed.error if self.failed else cause
        if self.item is None:
            raise SandboxError(f"a reader process crashed between two documents: {cause}")
        name, limits = self.item
        if self.is_late:
            return name, limits.on_time.about(f"{limits.cpu_s * limits.elapsed_per_cpu:g} s")
        if -status == signal.SIGXCPU:
            return name, limits.on_time.about(f"{limits.cpu_s:g} s of CPU time")
        if -status in _NO_MEMORY or (self.failed and self.failed.is_memory):
            return name, limits.on_memory.about(f"{limits.memory_mib:,} MiB of memory")
        return name, limits.on_crash.about(cause)


_idle: list[_Child] = []
_lock = threading.Lock()


def run_limited(function: Callable[..., Any], *arguments: Any, limits: Limits) -> Any:
    """What a function gives, called as one item: by a child process, unless this is one.

    Raises:
        RefusedError: It went beyond its limits or ended its process, or it gives a refusal.
    """
    call = Call(function, arguments, limits=limits)
    [answer] = [call.make()] if _pipe is not None else run_calls([call], 1)
    if isinstance(answer, Refusal):
        raise RefusedError(answer)
    return answer


def run_calls(calls: Sequence[Call], children: int) -> Iterator[Any]:
    """What calls give, each when it has ended, in so many child processes; with none they are made
    here, unlimited.

    Raises:
        SandboxError: A child has ended while it read no item.
    """
    if not children:
        yield from (call.make() for call in calls)
        return
    waiting = deque(enumerate(calls))
    busy: dict[Any, _Child] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < children:
                child = _take()
                busy[child.pipe] = child
                child.start(*waiting.popleft())
            left = min(child.deadline for child in busy.values()) - time.monotonic()
            for pipe in wait([*busy], max(0.0, left) if left < float("inf") else None):
                child = busy[pipe]
                try:
                    answer = child.receive()
                except EOFError:
                    item, refusal = busy.pop(pipe).refused()
                    if child.call.limits:
                        yield refusal
                    else:
                        again = replace(child.call, refused={**child.call.refused, item: refusal})
                        waiting.appendleft((child.index, again))
                    continue
                if answer:
                    _give_back(busy.pop(pipe))
                    yield answer.value
            for child in busy.values():
                child.kill_if_late()
    finally:
        for child in busy.values():
            child.process.kill()
            child.close()


def _take() -> _Child:
    with _lock:
        child = _idle.pop() if _idle else None
    if child and child.process.poll() is not None:
        child.close()
        child = None
    return child or _Child()


def _give_back(child: _Child) -> None:
    with _lock:
        if (
            len(_idle) < (os.cpu_count() or 1)
            and not child.is_late
            and child.calls < _CALLS_OF_A_CHILD
        ):
            _idle.append(child)
            return
    child.close()


@atexit.register
def close_idle_children() -> None:
    """End the children that wait for work."""
    with _lock:
        while _idle:
            _idle.pop().close()


if __name__ == "__main__":
    # Pickles name a class by its module; run as a program this one would be `__main__`.
    from pipelines.sandbox import answer_calls as run

    run(Connection(int(sys.argv[1])))
