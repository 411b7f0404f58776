"""Functions called in child processes with limits of time and memory: what hangs, grows or crashes
ends one child.

A call that ends its child gives a refusal, and the next one is made by another child. What a call
reads, and what it may cost, does not belong here.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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
    """Why a call gives nothing.

    Attributes:
        rule: Name of the rule.
        reason: The sentence a user reads.
        part: Name of the part of the call that has ended its process, see `limited`.
    """

    rule: str
    reason: str
    part: str = ""

    def about(self, what: str) -> Refusal:
        """The refusal with what its reason has `{}` for."""
        return Refusal(self.rule, self.reason.format(what))


class RefusedError(BenchledgerError):
    """A call of `run_limited` went beyond its limits, or ended its process."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class SandboxError(BenchledgerError):
    """What a call has read is not the cause of its failure: no other call can be made either."""


@dataclass(frozen=True)
class Limits:
    """What one call may cost, and why it is refused beyond that.

    Attributes:
        cpu_s: Seconds of CPU time.
        memory_mib: MiB of address space beyond what the process has when the call begins.
        elapsed_per_cpu: Elapsed seconds for each second of processor time, as the machine may be
            busy.
        on_time: Refusal of a call that takes longer; `{}` is the limit.
        on_memory: Refusal of a call that takes more memory; `{}` is the limit.
        on_crash: Refusal of a call that ends its process in another way; `{}` is the error or the
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
        """Elapsed seconds that one call may take."""
        return self.cpu_s * self.elapsed_per_cpu


@dataclass(frozen=True)
class Call:
    """What a child process shall do.

    Attributes:
        function: Called with the arguments.
        arguments: What can be pickled.
        limits: What the call may cost.
        inputs: Files and folders that it reads, each with the sha256 of its bytes.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    limits: Limits
    inputs: tuple[tuple[Path, str], ...] = ()


class _Answer(NamedTuple):
    """A message of a child: what the call gives."""

    value: Any


class _Begun(NamedTuple):
    """A message of a child: the part of the call that begins, or that none lasts any more."""

    name: str


# In the child

# Those of the call that this process makes; None in other processes.
_limits: Limits | None = None
_parent: Connection | None = None


@contextmanager
def limited(limits: Limits, name: str = "") -> Iterator[None]:
    """While it lasts a part of a call has limits of its own; those of the call begin anew then.
    Elsewhere than in a child nothing is limited.

    Args:
        limits: What the part may cost.
        name: What a refusal calls the part, if it ends the process.
    """
    if _limits is None:
        yield
        return
    if name:
        _announce(name)
    _enforce(limits)
    try:
        yield
    finally:
        _enforce(_limits)
    if name:
        _announce("")


def _announce(name: str) -> None:
    """Tell the parent which part begins; an empty name ends it."""
    if _parent:
        # It may be busy, and what waits for it costs nothing.
        _enforce(None)
        _parent.send(_Begun(name))
        _enforce(_limits)


def _enforce(limits: Limits | None) -> None:
    """Set the soft limits of this process; None is no limit but the hard ones."""
    cpu_s, memory, elapsed_s = None, None, 0.0
    if limits:
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu_s, elapsed_s = math.ceil(used.ru_utime + used.ru_stime + limits.cpu_s), limits.elapsed_s
        if _PAGES_OF_MEMORY.exists():
            pages = int(_PAGES_OF_MEMORY.read_text().split()[0])
            memory = pages * resource.getpagesize() + (limits.memory_mib << 20)
    for what, amount in ((resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_AS, memory)):
        _, hard = resource.getrlimit(what)
        # No limit is -1 or the greatest number there is.
        resource.setrlimit(what, (hard if amount is None or 0 <= hard < amount else amount, hard))
    # Nobody handles its signal, which then ends the process.
    signal.setitimer(signal.ITIMER_REAL, elapsed_s)


def answer_calls(pipe: Connection) -> None:
    """Make the calls of the parent until it closes the pipe."""
    global _limits, _parent

    def report(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        stops_all = isinstance(error, ModuleNotFoundError | SandboxError)
        pipe.send(error if stops_all else traceback.format_exception(kind, error, trace))

    _parent, sys.excepthook = pipe, report
    # The parent ends its children when a user interrupts it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    while True:
        try:
            call: Call = pipe.recv()
        except EOFError:
            os._exit(0)  # what is loaded takes a tenth of a second to take down
        _limits = call.limits
        _enforce(_limits)
        try:
            value = call.function(*call.arguments)
        except MemoryError:
            os.abort()
        _enforce(None)
        pipe.send(_Answer(value))


# In the parent


class _Child:
    """A child process."""

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
        self.call, self.part, self.calls = call, "", self.calls + 1
        with suppress(BrokenPipeError):
            # Otherwise the next message is that the process has ended.
            self.pipe.send(call)

    def answer(self) -> Any:
        """What the call gives, or the refusal of one that has ended the process; before that each
        part that begins.

        Raises:
            ModuleNotFoundError: A package is not installed that the call needs.
            SandboxError: No call can be made.
        """
        try:
            message: _Answer | _Begun | Exception | list[str] = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            return self._refusal()._replace(part=self.part)
        if isinstance(message, _Begun):
            self.part = message.name
            return message
        if isinstance(message, _Answer):
            _give_back(self)
            return message.value
        self.close()
        if isinstance(message, Exception):
            raise message
        # An error of the program, with its traceback.
        sys.stderr.writelines(message)
        return self.call.limits.on_crash.about(message[-1].strip())._replace(part=self.part)

    def close(self) -> int:
        """The exit status of the process, which ends when its pipe is closed."""
        self.pipe.close()
        try:
            return self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def _refusal(self) -> Refusal:
        """Why the process has ended."""
        limits, status = self.call.limits, -self.close()
        if status == signal.SIGALRM:
            return limits.on_time.about(f"{limits.elapsed_s:g} s")
        if status == signal.SIGXCPU:
            return limits.on_time.about(f"{limits.cpu_s:g} s of CPU time")
        if status in _NO_MEMORY:
            return limits.on_memory.about(f"{limits.memory_mib:,} MiB of memory")
        cause = signal.Signals(status).name if status > 0 else f"exit status {-status}"
        return limits.on_crash.about(cause)


_idle: list[_Child] = []


def run_limited(function: Callable[..., Any], *arguments: Any, limits: Limits) -> Any:
    """What a function gives, called by a child process, unless this is one.

    Raises:
        RefusedError: It went beyond its limits or ended its process, or it gives a refusal.
    """
    if _limits is None:
        [(_, answer)] = run_calls([Call(function, arguments, limits)], 1)
    else:
        with limited(limits):
            answer = function(*arguments)
    if isinstance(answer, Refusal):
        raise RefusedError(answer)
    return answer


def run_calls(calls: Sequence[Call], children: int) -> Iterator[tuple[Call, Any]]:
    """Each call when it has ended, and what it gives, by so many child processes; with none they
    are made here, unlimited.

    Raises:
        SandboxError: No call can be made.
    """
    if not children:
        yield from ((call, call.function(*call.arguments)) for call in calls)
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
                answer = child.answer()
                if not isinstance(answer, _Begun):
                    del busy[pipe]
                    yield child.call, answer
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
