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
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.exceptions import BenchledgerError

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


class RefusedError(BenchledgerError):
    """A call of `run_limited` went beyond its limits, or ended its process."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class SandboxError(BenchledgerError):
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

    @property
    def elapsed_s(self) -> float:
        """Elapsed seconds that one item may take."""
        return self.cpu_s * self.elapsed_per_cpu


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
    if _journal and not _items:
        # Results that are written survive if this process or its parent is killed.
        _journal.write_text(item)
    _items.append(_Item(item, limits))
    _enforce()
    try:
        yield
    except MemoryError:
        # The item is the cause, wherever memory ran out.
        os.abort()
    finally:
        _items.pop()
        _enforce()
    # After an error the last item remains the cause.
    if not _items:
        if _journal:
            _journal.write_text("")
        _pipe.send(None)


def _enforce() -> None:
    """Set the limits of the innermost item, if there is one, and report them to the parent."""
    cpu_s, memory, elapsed_s = None, None, 0.0
    if _items:
        limits, used = _items[-1].limits, resource.getrusage(resource.RUSAGE_SELF)
        cpu_s, elapsed_s = math.ceil(used.ru_utime + used.ru_stime + limits.cpu_s), limits.elapsed_s
        if _PAGES_OF_MEMORY.exists():
            pages = int(_PAGES_OF_MEMORY.read_text().split()[0])
            memory = pages * resource.getpagesize() + (limits.memory_mib << 20)
        if _pipe:
            # The outermost item is the one to refuse.
            _pipe.send(_Item(_items[0].name, limits))
    _set_limits(cpu_s, memory)
    # Nobody handles its signal, which then ends the process.
    signal.setitimer(signal.ITIMER_REAL, elapsed_s)


def _set_limits(cpu_s: int | None, memory_bytes: int | None) -> None:
    """Set the soft limits of this process; None is no limit but the hard one."""
    for what, amount in ((resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_AS, memory_bytes)):
        _, hard = resource.getrlimit(what)
        # No limit is -1 or the greatest number there is.
        resource.setrlimit(what, (hard if amount is None or 0 <= hard < amount else amount, hard))


def answer_calls(pipe: Connection) -> None:
    """Make the calls of the parent until it closes the pipe."""
    global _pipe, _journal

    def report(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        is_missing = isinstance(error, ModuleNotFoundError)
        pipe.send(error if is_missing else traceback.format_exception(kind, error, trace))

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
    """A child process; `item` is what it reads."""

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

    def start(self, call: Call) -> None:
        """Begin a call."""
        self.call, self.calls = call, self.calls + 1
        self.item: _Item | None = None
        self.error = ""
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
            message: _Answer | _Item | ModuleNotFoundError | list[str] | None = self.pipe.recv()
        except ConnectionResetError as error:
            raise EOFError from error
        if isinstance(message, _Answer):
            return message
        if isinstance(message, ModuleNotFoundError):
            raise message
        if isinstance(message, list):
            # The last message of a child: an error of the program, with its traceback.
            self.error = message[-1].strip()
            sys.stderr.writelines(message)
        else:
            self.item = message
        return None

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
        cause = self.error or cause
        if self.item is None:
            raise SandboxError(f"a reader process crashed between two documents: {cause}")
        name, limits = self.item
        if -status == signal.SIGALRM:
            return name, limits.on_time.about(f"{limits.elapsed_s:g} s")
        if -status == signal.SIGXCPU:
            return name, limits.on_time.about(f"{limits.cpu_s:g} s of CPU time")
        if -status in _NO_MEMORY:
            return name, limits.on_memory.about(f"{limits.memory_mib:,} MiB of memory")
        return name, limits.on_crash.about(cause)


_idle: list[_Child] = []


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
    waiting = deque(calls)
    busy: dict[Any, _Child] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < children:
                child = _take()
                busy[child.pipe] = child
                child.start(waiting.popleft())
            for pipe in wait([*busy]):
                child = busy[pipe]
                try:
                    answer = child.receive()
                except EOFError:
                    item, refusal = busy.pop(pipe).refused()
                    if child.call.limits:
                        yield refusal
                    else:
                        refused = {**child.call.refused, item: refusal}
                        waiting.appendleft(replace(child.call, refused=refused))
                    continue
                if answer:
                    _give_back(busy.pop(pipe))
                    yield answer.value
    finally:
        for child in busy.values():
            child.process.kill()
            child.close()


def _take() -> _Child:
    """A child that waits for work, or a new one."""
    with suppress(IndexError):
        while True:
            child = _idle.pop()
            if child.process.poll() is None:
                return child
            child.close()
    return _Child()


def _give_back(child: _Child) -> None:
    if len(_idle) < (os.cpu_count() or 1) and child.calls < _CALLS_OF_A_CHILD:
        _idle.append(child)
    else:
        child.close()


@atexit.register
def close_idle_children() -> None:
    """End the children that wait for work."""
    while _idle:
        _idle.pop().close()


if __name__ == "__main__":
    # Pickles name a class by its module; run as a program this one would be `__main__`.
    from pipelines.sandbox import answer_calls as run

    run(Connection(int(sys.argv[1])))
